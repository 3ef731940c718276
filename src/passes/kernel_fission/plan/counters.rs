//! Variables that the host can count itself.

use std::collections::BTreeSet;

use crate::analysis::effects::{Oracle, Place};
use crate::ir::{Kernel, Statement, StatementKind, visit};
use crate::passes::kernel_fission::values::is_number;
use crate::typed::{Expression, ExpressionKind, SymbolId};

/// Numbers that are changed only by statements and loop headers that do
/// nothing else.
pub fn possible(
    kernel: &Kernel,
    movable: &BTreeSet<SymbolId>,
    oracle: &Oracle,
) -> BTreeSet<SymbolId> {
    let unit = oracle.unit();
    let mut found: BTreeSet<SymbolId> = visit::declared(&kernel.body).into_iter().collect();
    found.extend(&kernel.privates);
    found.extend(movable);
    let effects = oracle.list(&kernel.body);
    let by_calls = oracle.touched_by_calls(&kernel.body);
    found.retain(|symbol| {
        let variable = unit.symbol(*symbol);
        variable.is_automatic()
            && is_number(unit, variable.ty.ty)
            && !variable.ty.qualifiers.is_volatile
            && !effects.escapes.contains(symbol)
            && !by_calls.contains(symbol)
    });
    let assigned = changed(&kernel.body, oracle);
    found.retain(|symbol| assigned.contains(symbol));
    found
}

/// What an assignment that does nothing else changes: `v = e`, `v += e`, `v++`.
pub fn assigned(e: &Expression) -> Option<(SymbolId, Option<&Expression>)> {
    match &e.kind {
        ExpressionKind::Unary(operator, target) if operator.is_step() => {
            Some((target.as_symbol()?, None))
        }
        ExpressionKind::Assign(target, value)
        | ExpressionKind::CompoundAssign { target, value, .. } => {
            Some((target.as_symbol()?, Some(value)))
        }
        _ => None,
    }
}

/// The variables that statements change, behind their declarations.
pub fn changed(list: &[Statement], oracle: &Oracle) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    visit::walk(list, &mut |statement| {
        if let StatementKind::Loop(l) = &statement.kind {
            found.insert(l.induction);
            found.extend(l.reductions.iter().map(|r| r.symbol));
        }
        visit::own_expressions(statement, &mut |e| {
            let effects = oracle.expression(e);
            found.extend(effects.escapes);
            found.extend(effects.writes.into_iter().filter_map(Place::variable));
        });
    });
    found
}
