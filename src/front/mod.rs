//! Front ends: each lowers the directives of one dialect into the [`crate::ir`].
//!
//! Input: a [`crate::typed::Unit`]. Output: a [`crate::ir::Module`] in which
//! nothing is decided that the user left open. Dialect names end here.

pub mod autocta;
pub mod cuda;
mod hicuda;
mod lowering;
pub mod mesi;
mod misspelt;
pub mod openacc;

pub use misspelt::{check as check_prefixes, is_misspelt};

use crate::ast::Dialect;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::Module;
use crate::source::Span;
use crate::typed::{Function, Unit, visit};

/// Lowers the directives of a unit, those of all dialects. `None` if any has an error; all
/// errors are in `diagnostics`.
pub fn lower(
    unit: &mut Unit,
    options: openacc::LoweringOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Module> {
    if options.unified_memory {
        refuse_own_memory(unit, diagnostics);
    }
    let module = openacc::lower(unit, options, diagnostics);
    let is_right = module.is_some();
    let module = hicuda::lower(unit, module.unwrap_or_default(), diagnostics);
    let module = module.filter(|_| is_right)?;
    lowering::formats::check(unit, &module, diagnostics);
    Some(module)
}

/// hiCUDA's directives say what device memory there is, and which copies.
fn refuse_own_memory(unit: &Unit, diagnostics: &mut Diagnostics) {
    let mut first = None;
    for function in &unit.functions {
        visit::directives(&function.body, &mut |written| {
            if written.dialect == Dialect::HiCuda {
                first = first.or(Some(written.span));
            }
        });
    }
    if let Some(span) = first {
        let message = "`--memory unified` has no device memory for hiCUDA to allocate".to_string();
        let problem = Diagnostic::error(codes::OPTION_NOT_SUPPORTED, message, span);
        diagnostics.push(problem.help("leave the option out, or write the kernels in OpenACC"));
    }
}

/// Both dialects may be in one program, but not in one function.
fn one_dialect(unit: &Unit, function: &Function, diagnostics: &mut Diagnostics) {
    let mut first: Option<(Dialect, Span)> = None;
    let mut other = None;
    visit::directives(&function.body, &mut |written| match first {
        None => first = Some((written.dialect, written.span)),
        Some((dialect, _)) if dialect == written.dialect => {}
        Some(_) => other = other.or(Some(written.span)),
    });
    if let (Some((_, first)), Some(other)) = (first, other) {
        let name = &unit.symbol(function.symbol).name;
        let message = format!("`{name}` has directives of OpenACC and of hiCUDA");
        let problem = Diagnostic::error(codes::TWO_DIALECTS, message, other);
        let problem = problem.also(first, "the first one");
        diagnostics.push(problem.help("write the parts in functions of their own"));
    }
}
