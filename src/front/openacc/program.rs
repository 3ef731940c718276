//! `declare` outside of functions (OpenACC 3.3, section 2.13): global variables
//! that are on the device while the program runs.
//!
//! `copyin`, `create` and `device_resident` give them that lifetime; `link`
//! leaves it to later data directives, so that nothing is to be done for it.

use super::check::{Checked, not_yet};
use super::data;
use super::table::ClauseKind;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{DataAction, DataItem, Extent};
use crate::typed::{Type, TypeId, Unit};

/// The items of a `declare` at file scope.
pub fn declared(
    unit: &Unit,
    checked: &Checked<'_>,
    size: TypeId,
    diagnostics: &mut Diagnostics,
) -> Vec<DataItem> {
    let items = data::lower(unit, &checked.clauses, size, diagnostics);
    if items.is_empty() && checked.clause(ClauseKind::Link).is_none() {
        let span = super::check::name_span(checked.directive);
        if checked.directive.clauses.is_empty() {
            diagnostics.push(
                Diagnostic::error(codes::CLAUSE_ARGUMENT, "`declare` names no data", span)
                    .help("add a clause such as `create(a)`"),
            );
        }
        return items;
    }
    let mut accepted = Vec::new();
    for item in items {
        match problem(unit, &item) {
            Some(problem) => diagnostics.push(problem),
            None => accepted.push(item),
        }
    }
    accepted
}

fn problem(unit: &Unit, item: &DataItem) -> Option<Diagnostic> {
    if !matches!(item.action, DataAction::CopyIn | DataAction::Create) {
        return Some(
            Diagnostic::error(
                codes::CLAUSE_CONFLICT,
                "outside of functions, `declare` takes `copyin`, `create`, `device_resident` and `link`",
                item.span,
            )
            .help("the other clauses end with a block: put the directive into a function"),
        );
    }
    let is_pointer = matches!(unit.types.get(item.object.ty.ty), Type::Pointer(_));
    if is_pointer || !matches!(item.extent, Extent::Whole) {
        return Some(
            not_yet(
                "a pointer or a part of an array in `declare` outside of functions".into(),
                item.span,
            )
            .help("use `enter data` where the memory is allocated"),
        );
    }
    None
}
