//! Heads of `switch`es whose labels have ranges (see [`case_range`]).

use super::body::Body;
use crate::ir::{Statement, StatementKind, visit};
use crate::typed::{Expression, ExpressionKind, case_range};

impl Body<'_> {
    /// What stands between the parentheses of a `switch`.
    pub(super) fn switched(&mut self, value: &Expression, body: &[Statement]) -> String {
        let mut ranges = Vec::new();
        add_ranges(body, &mut ranges);
        let text = self.text(value);
        if ranges.is_empty() {
            return text;
        }
        let is_signed = self.unit.types.is_signed(value.ty.ty);
        let inner = value.inner();
        if matches!(inner.kind, ExpressionKind::Symbol(_)) && !inner.ty.qualifiers.is_volatile {
            return case_range::first_of(&text, is_signed, &ranges);
        }
        let name = self.cuda.fresh("key");
        let taken = case_range::first_of(&name, is_signed, &ranges);
        format!("const auto {name} = {text}; {taken}")
    }
}

/// The ranges of a `switch`'s own labels.
fn add_ranges(list: &[Statement], found: &mut Vec<(i128, i128)>) {
    for statement in list {
        match &statement.kind {
            StatementKind::Case(label) => found.extend(label.last.map(|last| (label.first, last))),
            StatementKind::Switch(..) => {}
            _ => visit::blocks(statement, &mut |inner| add_ranges(inner, found)),
        }
    }
}
