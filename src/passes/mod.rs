//! Passes over the IR: each decides one thing that front ends leave open.
//!
//! Order: [`kernel_fission`] (what the host does around launches),
//! [`collective_calls`] (calls that threads make together stand alone),
//! [`parallelisation`] (which loops are parallel), [`interchange`] (which
//! loops within a thread become dimensions of threads), [`privatise`]
//! (copies of scalars), [`memory_placement`] (windows that no directive asks
//! for), [`thread_mapping`] (which threads share which loop),
//! [`private_arrays`] (private arrays in device memory), [`block_order`] (warns
//! of loops over blocks that depend on each other),
//! [`launch_configuration`] (block and grid), [`memory_placement`] (tables in
//! constant memory), [`software_cache`] (windows in
//! shared memory), [`reduction`] (how private
//! results are combined), [`synchronisation`] (single-thread sections,
//! barriers, shared variables), [`barrier_legalisation`] (masks, so that all threads of a
//! block reach every barrier), [`atomics`] (which accesses have to be),
//! [`memory_placement`] (what is read-only), [`feedback`] (what is said about it). The
//! IR is valid after each (see [`crate::ir::validate`]).

pub mod atomics;
pub mod barrier_legalisation;
pub mod block_order;
pub mod collective_calls;
pub mod feedback;
pub mod interchange;
pub mod kernel_fission;
pub mod launch_configuration;
pub mod memory_placement;
pub mod parallelisation;
pub mod private_arrays;
pub mod privatise;
pub mod reduction;
pub mod software_cache;
pub mod synchronisation;
pub mod thread_mapping;
pub mod unrolling;
mod variables;

use crate::analysis::effects::Oracle;
use crate::analysis::uniformity;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::Module;
use crate::ir::validate::{self, Stage};
use crate::stopwatch::Stopwatch;
use crate::typed::{SymbolId, Unit};
use memory_placement::PlacementRequest;

/// What the passes need to know of the command line.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Says for each loop what became of it (`--feedback`).
    pub feedback: bool,
    /// Takes accesses in the reach of a window that may not change the result
    /// to be inside (`--cache=trust`).
    pub trust_cache: bool,
    /// Values that variables have when predictions are made (`--assume`).
    pub assumptions: Vec<(String, i128)>,
    /// Variables whose loops run along x where the nest leaves it open
    /// (`--along-x`).
    pub along_x: Vec<String>,
    /// Puts windows where the model says that they pay (`--windows=automatic`).
    pub automatic_windows: bool,
    /// Where arrays are to be read from (`--place`).
    pub places: Vec<PlacementRequest>,
    /// The compute capabilities asked for, 90 for `sm_90`; none is any.
    pub archs: Vec<u16>,
}

impl Options {
    /// The value that predictions may take a variable to have.
    fn assumed(&self, unit: &Unit, symbol: SymbolId) -> Option<i128> {
        let name = &unit.symbol(symbol).name;
        let mut list = self.assumptions.iter();
        list.find(|(assumed, _)| assumed == name)
            .map(|(_, value)| *value)
    }
}

/// Runs all passes. Errors go to `diagnostics`; the module is fit for a back
/// end if there are none.
pub fn run(module: &mut Module, unit: &mut Unit, options: &Options, diagnostics: &mut Diagnostics) {
    run_timed(
        module,
        unit,
        options,
        diagnostics,
        &mut Stopwatch::default(),
    );
}

/// The same, and how long each of them takes.
pub fn run_timed(
    module: &mut Module,
    unit: &mut Unit,
    options: &Options,
    diagnostics: &mut Diagnostics,
    watch: &mut Stopwatch,
) {
    check(module, unit, Stage::Lowered, diagnostics);
    watch.time("privatise", |_| {
        privatise::separate_inductions(module, unit)
    });
    watch.time("kernel_fission", |_| {
        kernel_fission::run(module, unit, options, diagnostics);
    });
    watch.time("collective_calls", |_| {
        collective_calls::run(module, unit, diagnostics)
    });
    watch.time("parallelisation", |_| parallelisation::run(module, unit));
    watch.time("interchange", |_| {
        interchange::run(module, unit, options, diagnostics);
    });
    watch.time("privatise", |_| privatise::run(module, unit));
    check(module, unit, Stage::Parallelised, diagnostics);
    let opened = watch.time("memory_placement", |_| {
        memory_placement::open_windows(module, unit, options)
    });
    watch.time("thread_mapping", |_| {
        thread_mapping::run(module, unit, options, diagnostics);
    });
    watch.time("private_arrays", |_| {
        private_arrays::run(module, unit, diagnostics);
    });
    watch.time("block_order", |_| {
        block_order::run(module, unit, diagnostics)
    });
    check(module, unit, Stage::Mapped, diagnostics);
    watch.time("launch_configuration", |_| {
        launch_configuration::run(module, unit, diagnostics);
    });
    let feeds_back = |diagnostics: &Diagnostics| options.feedback && !diagnostics.has_errors();
    let mut told = Vec::new();
    if feeds_back(diagnostics) {
        told = watch.time("feedback", |_| {
            feedback::requests::of_accesses(module, unit, options)
        });
    }
    let reasons = watch.time("memory_placement", |_| {
        memory_placement::choose_tables(module, unit, options, diagnostics)
    });
    watch.time("software_cache", |_| {
        software_cache::run(module, unit, options, diagnostics);
    });
    if feeds_back(diagnostics) {
        watch.time("feedback", |_| {
            told.extend(feedback::windows::of_windows(module, unit, options));
        });
    }
    watch.time("reduction", |_| reduction::run(module, unit, diagnostics));
    check(module, unit, Stage::Mapped, diagnostics);
    watch.time("synchronisation", |_| {
        synchronisation::run(module, unit, diagnostics);
    });
    watch.time("barrier_legalisation", |_| {
        barrier_legalisation::run(module, unit, diagnostics)
    });
    watch.time("atomics", |_| atomics::run(module, unit));
    watch.time("memory_placement", |_| {
        memory_placement::run(module, unit, options, (&reasons, opened), diagnostics);
    });
    watch.time("unrolling", |_| unrolling::run(module, unit));
    check(module, unit, Stage::Decided, diagnostics);
    if options.feedback {
        watch.time("feedback", |_| {
            feedback::requests::run(told, module, unit, diagnostics);
            feedback::run(module, unit, diagnostics);
        });
    }
}

/// In debug builds: reports broken rules of the IR as errors, so that a
/// mistake of a pass shows where it is made.
fn check(module: &Module, unit: &Unit, stage: Stage, diagnostics: &mut Diagnostics) {
    if !cfg!(debug_assertions) || diagnostics.has_errors() {
        return;
    }
    let mut found = validate::violations(module, unit, stage);
    if stage == Stage::Decided {
        let oracle = Oracle::new(unit, &module.functions);
        for kernel in &module.kernels {
            found.extend(uniformity::violations(kernel, &oracle));
        }
    }
    for violation in found {
        diagnostics.push(
            Diagnostic::error(
                codes::INVALID_IR,
                format!("internal: {}", violation.message),
                violation.span,
            )
            .note(format!("found at stage {stage:?}")),
        );
    }
}

#[cfg(test)]
mod testing {
    use super::{Options, run};
    use crate::diagnostic::Diagnostics;
    use crate::ir::builder::{Sample, outline};
    use crate::ir::{Execution, Kernel, Module, Statement};

    /// Runs all passes over one kernel.
    pub fn decide(
        sample: &mut Sample,
        construct: Execution,
        body: Vec<Statement>,
    ) -> (Kernel, String) {
        let module = sample.module(construct, body);
        let (module, diagnostics) = decide_module(sample, module);
        assert!(!diagnostics.has_errors(), "{diagnostics:?}");
        let outline = outline(&sample.unit, &module.kernels[0].body);
        (module.kernels[0].clone(), outline)
    }

    /// Runs all passes over a module.
    pub fn decide_module(sample: &mut Sample, mut module: Module) -> (Module, Diagnostics) {
        let mut diagnostics = Diagnostics::new();
        let options = Options::default();
        run(&mut module, &mut sample.unit, &options, &mut diagnostics);
        (module, diagnostics)
    }
}
