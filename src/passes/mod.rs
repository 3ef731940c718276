//! Passes over the IR: each decides one thing that front ends leave open.
//!
//! Order: [`kernel_fission`] (what the host does around launches),
//! [`collective_calls`] (calls that threads make together stand alone),
//! [`parallelisation`] (which loops are parallel), [`lost_writes`] and [`unfilled_memory`] (warn of what is not
//! copied back, or to the device), [`surplus_sections`], [`short_sections`] and [`member_sections`] (warn of sections), [`host_cores`] (where the
//! host's cores share constructs: how), [`interchange`] (which
//! loops within a thread become dimensions of threads), [`privatise`]
//! (copies of scalars), [`memory_placement`] (windows that no directive asks
//! for), [`thread_mapping`] (which threads share which loop),
//! [`private_arrays`] (private arrays in device memory), [`block_order`] (warns
//! of loops over blocks that depend on each other),
//! [`launch_configuration`] (block and grid), [`memory_placement`] (tables in constant
//! memory), [`coarsening`] (threads of tiles run neighbours), [`software_cache`] (windows in shared memory), [`reduction`] (how private
//! results are combined), [`coarsening`] (threads of stencils run neighbours),
//! [`synchronisation`] (single-thread sections, barriers, shared variables), [`barrier_legalisation`] (masks, so that all threads of a
//! block reach every barrier), [`atomics`] (which accesses have to be),
//! [`memory_placement`] (what is read-only), [`feedback`] (what is said about it). The
//! IR is valid after each (see [`crate::ir::validate`]).

pub mod atomics;
pub mod barrier_legalisation;
pub mod block_order;
pub mod coarsening;
pub mod collective_calls;
pub mod feedback;
pub mod fresh_memory;
pub mod host_cores;
pub mod index_types;
pub mod interchange;
pub mod kernel_fission;
pub mod launch_configuration;
pub mod lost_writes;
pub mod member_sections;
pub mod memory_placement;
pub mod parallelisation;
pub mod private_arrays;
pub mod privatise;
pub mod reduction;
pub mod redundant_updates;
pub mod short_sections;
pub mod single_iterations;
pub mod software_cache;
pub mod surplus_sections;
mod synchronisation;
pub mod thread_mapping;
pub mod unfilled_memory;
pub mod unrolling;
mod variables;

use crate::analysis::constants::constants;
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
    /// Has the host's cores share constructs that the host runs (`--multicore`).
    pub multicore: bool,
    /// No device runs constructs: only what becomes of the host's loops is told.
    pub cores_alone: bool,
    /// Nothing is copied between host and device (`--memory unified`).
    pub unified_memory: bool,
    /// Keeps windows in shared memory, where accesses of slots without a value are found.
    pub for_checks: bool,
}

impl Options {
    fn tells_of_kernels(&self) -> bool {
        self.feedback && !self.cores_alone
    }

    /// The value that predictions may take a variable to have.
    fn assumed(&self, unit: &Unit, symbol: SymbolId) -> Option<i128> {
        let name = &unit.symbol(symbol).name;
        let mut list = self.assumptions.iter();
        list.find(|(assumed, _)| assumed == name)
            .map(|(_, value)| *value)
    }

    /// The values that notes may take variables of a file to have: those, and constants.
    fn known<'o>(&'o self, unit: &'o Unit) -> impl Fn(SymbolId) -> Option<i128> + 'o {
        let constants = constants(unit);
        move |symbol| {
            let assumed = self.assumed(unit, symbol);
            assumed.or_else(|| constants.get(&symbol).copied())
        }
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
    let mut line = Line {
        module,
        unit,
        diagnostics,
        watch,
        stage: Stage::Lowered,
    };
    line.check();
    line.pass("fresh_memory", |m, u, _| fresh_memory::run(m, u));
    line.pass("privatise", |m, u, _| privatise::separate_inductions(m, u));
    line.pass("kernel_fission", |m, u, d| {
        kernel_fission::run(m, u, options, d)
    });
    line.pass("collective_calls", |m, u, d| collective_calls::run(m, u, d));
    line.pass("parallelisation", |m, u, d| {
        parallelisation::run(m, u);
        // A run under checks finds what happens.
        if !options.for_checks {
            parallelisation::contradicted::run(m, u, d);
            redundant_updates::run(m, u, d);
            reduction::misfits::run(m, u, d);
        }
    });
    if !options.for_checks && !options.unified_memory {
        line.pass("lost_writes", |m, u, d| {
            lost_writes::run(m, u, options.tells_of_kernels(), d)
        });
        line.pass("unfilled_memory", |m, u, d| {
            unfilled_memory::run(m, u, options.tells_of_kernels(), d)
        });
        line.pass("surplus_sections", |m, u, d| {
            surplus_sections::run(m, u, options.tells_of_kernels(), d)
        });
        line.pass("short_sections", |m, u, d| short_sections::run(m, u, d));
        line.pass("member_sections", |m, u, d| member_sections::run(m, u, d));
    }
    let shared = match options.multicore {
        true => line.pass("host_cores", |m, u, _| host_cores::run(m, u)),
        false => Vec::new(),
    };
    let mut told = line.feedback(options, |m, u| {
        let mut notes = feedback::partitions::of_loops(m, u);
        if !options.unified_memory {
            notes.extend(feedback::transfers::of_module(m, u));
            notes.extend(feedback::movement::of_module(m, u));
        }
        notes
    });
    told.extend(shared);
    let uncounted = line.feedback(options, feedback::uncounted);
    line.pass("interchange", |m, u, d| interchange::run(m, u, options, d));
    line.stage = Stage::Parallelised;
    line.pass("privatise", |m, u, _| privatise::run(m, u));
    let opened = line.pass("memory_placement", |m, u, _| {
        memory_placement::open_windows(m, u, options)
    });
    line.stage = Stage::Mapped;
    line.pass("thread_mapping", |m, u, d| {
        thread_mapping::run(m, u, options, d)
    });
    line.pass("private_arrays", |m, u, d| private_arrays::run(m, u, d));
    line.pass("block_order", |m, u, d| block_order::run(m, u, d));
    line.pass("launch_configuration", |m, u, d| {
        launch_configuration::run(m, u, d)
    });
    let mut predicted = line.feedback(options, |m, u| {
        feedback::requests::of_accesses(m, u, options)
    });
    let reasons = line.pass("memory_placement", |m, u, d| {
        memory_placement::choose_tables(m, u, options, d)
    });
    line.pass("coarsening", |m, u, _| coarsening::of_windows(m, u));
    line.pass("software_cache", |m, u, d| {
        software_cache::run(m, u, options, d)
    });
    predicted.extend(line.feedback(options, |m, u| feedback::windows::of_windows(m, u, options)));
    line.pass("launch_configuration", |m, u, d| {
        launch_configuration::untiled::run(m, u, d)
    });
    line.pass("reduction", |m, u, d| reduction::run(m, u, d));
    line.pass("launch_configuration", |m, u, _| {
        launch_configuration::covering::run(m, u)
    });
    line.pass("coarsening", |m, u, _| coarsening::run(m, u));
    line.pass("synchronisation", |m, u, d| synchronisation::run(m, u, d));
    line.pass("barrier_legalisation", barrier_legalisation::run);
    line.pass("atomics", |m, u, _| atomics::run(m, u));
    line.pass("memory_placement", |m, u, d| {
        memory_placement::run(m, u, options, (&reasons, opened), d)
    });
    line.stage = Stage::Decided;
    line.pass("unrolling", |m, u, _| unrolling::run(m, u));
    line.pass("single_iterations", |m, u, _| single_iterations::run(m, u));
    line.pass("index_types", |m, u, _| index_types::run(m, u));
    if options.feedback {
        line.pass("feedback", |m, u, d| {
            told.into_iter().for_each(|note| d.push(note));
            if options.tells_of_kernels() {
                feedback::requests::run(predicted, m, u, d);
                feedback::run(m, u, &uncounted, d);
                feedback::contention::run(m, u, d);
                feedback::mark_alternatives(m, d);
                feedback::mark_implied(d);
            }
        });
    }
}

/// The module on its way through the passes.
struct Line<'a> {
    module: &'a mut Module,
    unit: &'a mut Unit,
    diagnostics: &'a mut Diagnostics,
    watch: &'a mut Stopwatch,
    /// What the module is fit for after the next pass.
    stage: Stage,
}

impl Line<'_> {
    /// Runs a pass; the module has to be valid after it.
    fn pass<T>(
        &mut self,
        name: &'static str,
        run: impl FnOnce(&mut Module, &mut Unit, &mut Diagnostics) -> T,
    ) -> T {
        let (module, unit) = (&mut *self.module, &mut *self.unit);
        let diagnostics = &mut *self.diagnostics;
        let result = self.watch.time(name, |_| run(module, unit, diagnostics));
        self.check();
        result
    }

    /// What feedback says before later passes change what it is about.
    fn feedback<T: Default>(
        &mut self,
        options: &Options,
        predict: impl FnOnce(&Module, &Unit) -> T,
    ) -> T {
        if !options.tells_of_kernels() || self.diagnostics.has_errors() {
            return T::default();
        }
        self.pass("feedback", |module, unit, _| predict(module, unit))
    }

    fn check(&mut self) {
        check(self.module, self.unit, self.stage, self.diagnostics);
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
