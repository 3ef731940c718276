//! Front ends: each lowers the directives of one dialect into the [`crate::ir`].
//!
//! Input: a [`crate::typed::Unit`]. Output: a [`crate::ir::Module`] in which
//! nothing is decided that the user left open. Dialect names end here.

mod hicuda;
mod lowering;
pub mod openacc;

use crate::diagnostic::Diagnostics;
use crate::ir::Module;
use crate::source::ForeignPragma;
use crate::typed::Unit;

/// Warns of pragmas that were meant for some dialect and are none of it.
pub fn check_prefixes(pragmas: &[ForeignPragma], diagnostics: &mut Diagnostics) {
    openacc::misspelt::check(pragmas, diagnostics);
    hicuda::misspelt::check(pragmas, diagnostics);
}

/// Whether the first two words of a pragma are nearly those of a directive.
pub fn is_misspelt(prefix: &str, name: &str) -> bool {
    openacc::misspelt::is_misspelt(prefix, name) || hicuda::misspelt::is_misspelt(prefix, name)
}

/// Lowers the directives of a unit, those of all dialects. `None` if any has an error; all
/// errors are in `diagnostics`.
pub fn lower(
    unit: &mut Unit,
    options: openacc::LoweringOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    let module = openacc::lower(unit, options, diagnostics);
    let is_right = module.is_some();
    let module = hicuda::lower(unit, module.unwrap_or_default(), diagnostics);
    module.filter(|_| is_right)
}
