//! Warns of memory that a construct creates, and of which kernels only read what nothing has put there.
//!
//! Input: constructs with data clauses, and `data` constructs. Output: a warning where nothing else can have the data
//! on the device, else a note of `--feedback`.
//!
//! ```c
//! double a[100], b[100];
//! #pragma acc parallel loop create(b) copyout(a)
//! for (int i = 0; i < 100; i++)
//!     a[i] = b[i];              // warned of: the device's `b` has no values
//! ```

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::escapes::escaped;
use crate::analysis::scope::Scope;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{DataAction, DataItem, Kernel, Module, Region, RegionKind};
use crate::passes::lost_writes::{constructs, is_kept};
use crate::passes::parallelisation::contradicted::own;
use crate::source::Span;
use crate::typed::{SymbolId, SymbolKind, Type, Unit};

/// Looks at every construct.
pub fn run(module: &Module, unit: &Unit, with_notes: bool, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    let mut escapes = None;
    for region in &module.regions {
        let inside = constructs(module, region);
        let items = region.data.iter().filter(|item| {
            let is_fresh = matches!(item.action, DataAction::Create | DataAction::CopyOut);
            !item.implicit && is_fresh && !item.modifiers.zero
        });
        for item in items {
            let Some(symbol) = item.symbol.filter(|symbol| is_of_numbers(unit, *symbol)) else {
                continue;
            };
            let found = read(module, &oracle, &inside, symbol).filter(|_| {
                !is_kept(module, unit, region, symbol) && !is_filled(module, unit, symbol)
            });
            let Some(at) = found else { continue };
            let is_parameter = unit.symbol(symbol).kind == SymbolKind::Parameter;
            let escapes = escapes.get_or_insert_with(|| escaped(unit));
            let is_alone = !is_parameter && !escapes.contains(&symbol);
            if is_alone || with_notes {
                let name = &unit.symbol(symbol).name;
                let at = Some(at).filter(|at| *at != region.directive);
                diagnostics.push(problem(item, name, at, is_alone));
            }
        }
    }
}

/// Whether elements are numbers: into structures and arrays of pointers, directives put addresses.
fn is_of_numbers(unit: &Unit, symbol: SymbolId) -> bool {
    let ty = unit.symbol(symbol).ty;
    let element = match unit.types.pointee(ty.ty) {
        Some(target) if unit.types.is_pointer(ty.ty) => target,
        _ => ty,
    };
    let element = unit.types.innermost(element).ty;
    let is_number =
        unit.types.is_integer(element) || matches!(unit.types.get(element), Type::Floating(_));
    is_number && (unit.is_array(symbol) || unit.types.is_pointer(ty.ty))
}

/// The construct of which a kernel reads the elements of a variable, if none writes any.
fn read(
    module: &Module,
    oracle: &Oracle,
    constructs: &[&Region],
    symbol: SymbolId,
) -> Option<Span> {
    let mut found = None;
    for construct in constructs {
        let RegionKind::Compute { launches, .. } = &construct.kind else {
            continue;
        };
        for kernel in launches.iter().map(|launch| module.kernel(launch.kernel)) {
            let Some(capture) = kernel.capture(symbol) else {
                continue;
            };
            if capture.written || own(kernel).contains(&symbol) {
                return None;
            }
            found =
                found.or_else(|| is_read(oracle, kernel, symbol).then_some(construct.directive));
        }
    }
    found
}

fn is_read(oracle: &Oracle, kernel: &Kernel, symbol: SymbolId) -> bool {
    let unit = oracle.unit();
    let scope = Scope::of(kernel, unit);
    let is_it = |place: &Place| match scope.whole(*place) {
        Place::Variable(own) => own == symbol && unit.is_array(symbol),
        Place::Target(own) => own == symbol,
        Place::Unknown => false,
    };
    oracle.list(&kernel.body).reads.iter().any(is_it)
}

/// Whether a kernel of the file writes a variable of several functions, or a construct copies it in whatever
/// is present.
fn is_filled(module: &Module, unit: &Unit, symbol: SymbolId) -> bool {
    let mut items = module.regions.iter().flat_map(|region| &region.data);
    let mut kernels = module.kernels.iter();
    let is_shared = !unit.symbol(symbol).is_automatic();
    items.any(|item| item.symbol == Some(symbol) && item.modifiers.always_in)
        || is_shared && kernels.any(|kernel| kernel.capture(symbol).is_some_and(|c| c.written))
}

fn problem(item: &DataItem, name: &str, at: Option<Span>, is_alone: bool) -> Diagnostic {
    let clause = match item.action {
        DataAction::Create => "create",
        _ => "copyout",
    };
    let message = format!("`{name}` is only read on the device, and `{clause}` gives it no values");
    let problem = match is_alone {
        true => Diagnostic::warning(codes::UNFILLED_MEMORY, message, item.span),
        false => Diagnostic::remark(codes::UNFILLED_MEMORY, message, item.span)
            .note("unless it is on the device before, or other code fills it there"),
    };
    let text = &item.text;
    let problem = problem
        .label("new device memory, whose values are indeterminate")
        .help(format!(
            "write `copyin({text})`, which brings the host's values"
        ));
    match at {
        Some(at) => problem.also(at, "reads it"),
        None => problem,
    }
}
