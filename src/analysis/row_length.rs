//! Lengths of rows that are the values of variables.
//!
//! ```c
//! void f(int n, float (*a)[n])        // `n` is never assigned: rows have `n` elements everywhere
//! ```

use std::collections::HashSet;

use super::directives::all_named;
use super::flow::object;
use super::launch_value::is_exact;
use crate::ir::{Kernel, Module};
use crate::typed::{
    ArrayLength, ExpressionKind, Statement, StatementKind, SymbolId, Type, UnaryOperator, Unit,
    VlaId, visit,
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

/// The lengths in a kernel's parameters that variables which it gets by value have, neither
/// `changed` nor written by the kernel.
pub fn of_variables(
    kernel: &Kernel,
    unit: &Unit,
    changed: &HashSet<SymbolId>,
) -> Vec<(VlaId, SymbolId)> {
    let known = lengths(kernel, unit).into_iter().filter_map(|length| {
        let value = unit.length(length);
        let variable = value.as_symbol()?;
        let is_constant = unit.symbol(variable).is_automatic() && !changed.contains(&variable);
        let is_own = kernel.capture(variable).is_some() && is_exact(value, kernel, unit);
        (is_constant && is_own).then_some((length, variable))
    });
    known.collect()
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
