//! Lengths of rows that are the values of variables.
//!
//! ```c
//! void f(int n, float (*a)[n])        // `n` is never assigned: rows have `n` elements everywhere
//! ```

use std::collections::HashSet;

use super::directives::all_named;
use super::flow::object;
use super::launch_value::is_exact;
use crate::ir::{Kernel, Module, RowLength};
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, Statement, StatementKind, SymbolId, Type,
    UnaryOperator, Unit, VlaId, visit,
};

/// The variables that may have changed since they were declared; empty where no kernel has rows of
/// run-time length.
pub fn changed(module: &Module, unit: &Unit) -> HashSet<SymbolId> {
    let mut kernels = module.kernels.iter();
    match kernels.all(|kernel| lengths(kernel, unit).is_empty()) {
        true => HashSet::new(),
        false => changed_anywhere(unit),
    }
}

/// The variables of a unit that may change after they were declared: what is assigned, has its
/// address taken, or is named by a directive.
pub fn changed_anywhere(unit: &Unit) -> HashSet<SymbolId> {
    let mut changed = HashSet::new();
    for function in &unit.functions {
        visit::expressions(&function.body, &mut |e| {
            let place = match &e.kind {
                ExpressionKind::Unary(UnaryOperator::AddressOf, place) => Some(&**place),
                _ => e.assigned(),
            };
            changed.extend(place.and_then(|place| object(place).as_symbol()));
        });
        visit::directives(&function.body, &mut |directive| {
            changed.extend(all_named(directive));
        });
        // What it writes is not known.
        let is_assembly = |s: &Statement| matches!(s.kind, StatementKind::Assembly);
        if visit::any_statement(&function.body, &mut |s| is_assembly(s)) {
            changed.extend(&function.parameters);
            changed.extend(visit::declared(&function.body));
        }
    }
    changed
}

/// What is known of the lengths in a kernel's parameters that are made of variables which do not
/// change.
pub fn of_variables(
    kernel: &Kernel,
    unit: &Unit,
    changed: &HashSet<SymbolId>,
) -> Vec<(VlaId, RowLength)> {
    let mut known: Vec<(VlaId, RowLength)> = Vec::new();
    for length in lengths(kernel, unit) {
        let value = unit.length(length);
        if !is_constant(value, unit, changed) {
            continue;
        }
        let is_same = |(first, _): &&(VlaId, RowLength)| unit.length(*first).is_same(value);
        let is = match value.as_symbol() {
            Some(variable)
                if kernel.capture(variable).is_some() && is_exact(value, kernel, unit) =>
            {
                RowLength::Variable(variable)
            }
            variable => match (known.iter().find(is_same), variable) {
                (Some((first, _)), _) => RowLength::Same(*first),
                (None, Some(variable)) => RowLength::Elsewhere(variable),
                (None, None) => RowLength::Same(length),
            },
        };
        known.push((length, is));
    }
    known
}

/// Whether a length has one value wherever it is computed: it is made of integers, and variables of
/// the function that are not `changed`.
fn is_constant(length: &Expression, unit: &Unit, changed: &HashSet<SymbolId>) -> bool {
    visit::all(length, &mut |e| match &e.kind {
        ExpressionKind::Symbol(id) => {
            let symbol = unit.symbol(*id);
            !symbol.is_variable() || symbol.is_automatic() && !changed.contains(id)
        }
        ExpressionKind::Integer { .. }
        | ExpressionKind::Parenthesized(_)
        | ExpressionKind::Convert(..)
        | ExpressionKind::Binary(..) => true,
        _ => false,
    })
}

/// The run-time lengths of rows in the types of captured variables.
fn lengths(kernel: &Kernel, unit: &Unit) -> Vec<VlaId> {
    let mut found = Vec::new();
    for capture in &kernel.captures {
        let mut row = unit.types.pointee(unit.symbol(capture.symbol).ty.ty);
        while let Some(Type::Array { element, length }) = row.map(|row| unit.types.get(row.ty)) {
            if let ArrayLength::Variable(id) = length {
                found.push(*id);
            }
            row = Some(*element);
        }
    }
    found
}
