//! Front ends: each lowers the directives of one dialect into the [`crate::ir`].
//!
//! Input: a [`crate::typed::Unit`]. Output: a [`crate::ir::Module`] in which
//! nothing is decided that the user left open. Dialect names end here.

mod hicuda;
mod lowering;
mod misspelt;
pub mod openacc;

pub use misspelt::{check as check_prefixes, is_misspelt};

use crate::diagnostic::Diagnostics;
use crate::ir::Module;
use crate::typed::Unit;

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
