//! Passes over the IR: each decides one thing that front ends leave open.
//!
//! Order: [`parallelisation`] (which loops are parallel), [`privatise`]
//! (copies of scalars), [`thread_mapping`] (which threads share which loop),
//! [`launch_configuration`] (block and grid), [`reduction`] (how private
//! results are combined), [`synchronisation`] (single-thread sections,
//! barriers, shared variables), [`feedback`] (what is said about it). The IR is valid after each (see [`crate::ir::validate`]).

pub mod feedback;
pub mod launch_configuration;
pub mod parallelisation;
pub mod privatise;
pub mod reduction;
pub mod synchronisation;
mod synthesis;
pub mod thread_mapping;

use crate::diagnostic::Diagnostics;
use crate::ir::Module;
use crate::typed::Unit;

/// What the passes need to know of the command line.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Says for each loop what became of it (`--feedback`).
    pub feedback: bool,
}

/// Runs all passes. Errors go to `diagnostics`; the module is fit for a back
/// end if there are none.
pub fn run(module: &mut Module, unit: &mut Unit, options: &Options, diagnostics: &mut Diagnostics) {
    parallelisation::run(module, unit);
    privatise::run(module, unit);
    thread_mapping::run(module);
    launch_configuration::run(module, unit, diagnostics);
    reduction::run(module, unit);
    synchronisation::run(module, unit, diagnostics);
    if options.feedback {
        feedback::run(module, unit, diagnostics);
    }
}
