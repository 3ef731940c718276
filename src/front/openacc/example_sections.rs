//! Sections in messages, such as can be written as they stand.
//!
//! Input: a place in a function. Output: the length that a section there may have: `n`, which
//! programs mostly call it, if that is an integer variable in scope.

use crate::source::Span;
use crate::typed::{SymbolId, Unit, visit};

const LENGTH: &str = "n";

/// How a section without a length is to be written, or what one is.
pub(super) fn help(unit: &Unit, clause: Option<&str>, name: &str, at: Span) -> String {
    match (has_length(unit, at), clause) {
        (true, Some(clause)) => format!("write `{clause}({name}[0:{LENGTH}])`"),
        (true, None) => format!("write `{name}[0:{LENGTH}]`"),
        (false, _) => {
            format!("say how many elements it has: a section is `{name}[first:length]`")
        }
    }
}

/// Whether an integer variable of that name is in scope at a place.
fn has_length(unit: &Unit, at: Span) -> bool {
    let is_length = |symbol: &SymbolId| {
        let variable = unit.symbol(*symbol);
        variable.name == LENGTH && unit.types.is_integer(variable.ty.ty)
    };
    let mut globals = unit.globals.iter();
    if globals.any(|global| is_length(&global.symbol) && global.span.start < at.start) {
        return true;
    }
    let mut functions = unit.functions.iter();
    let around = functions.find(|one| one.span.start <= at.start && at.end <= one.span.end);
    around.is_some_and(|function| {
        let declared = visit::declared(&function.body);
        let mut own = declared
            .iter()
            .filter(|s| unit.symbol(**s).span.start < at.start);
        function.parameters.iter().any(is_length) || own.any(is_length)
    })
}
