//! The variables of a kernel: those that it names, new ones, others in place
//! of them.

use std::collections::HashSet;

use crate::ir::{Kernel, Statement, Tile, visit};
use crate::typed::synthesis::{add_variable, free_name};
use crate::typed::{Expression, ExpressionKind, SymbolId, TypeId, Unit};

/// A new local variable of a name that a kernel does not use yet, whatever
/// other kernels have.
pub fn kernel_variable(
    unit: &Unit,
    kernel: &Kernel,
    added: &[SymbolId],
    wanted: &str,
    ty: TypeId,
) -> SymbolId {
    let mut used: HashSet<&str> = HashSet::new();
    let mut mention = |symbol: SymbolId| {
        used.insert(&unit.symbol(symbol).name);
    };
    added.iter().copied().for_each(&mut mention);
    kernel_symbols(kernel, &mut mention);
    let name = free_name(wanted, &|name| !used.contains(name));
    add_variable(unit, name, ty, kernel.span)
}

/// Calls `mention` on every symbol that a kernel declares or names.
pub fn kernel_symbols(kernel: &Kernel, mention: &mut dyn FnMut(SymbolId)) {
    kernel.captures.iter().for_each(|c| mention(c.symbol));
    kernel.privates.iter().copied().for_each(&mut *mention);
    kernel.reductions.iter().for_each(|r| mention(r.symbol));
    visit::declared(&kernel.body)
        .into_iter()
        .for_each(&mut *mention);
    visit::loops(&kernel.body, &mut |l| {
        mention(l.induction);
        l.privates.iter().copied().for_each(&mut *mention);
        l.tile
            .iter()
            .flat_map(Tile::variables)
            .for_each(&mut *mention);
    });
    visit::expressions(&kernel.body, &mut |e| {
        if let ExpressionKind::Symbol(symbol) = e.kind {
            mention(symbol);
        }
    });
    for window in &kernel.windows {
        mention(window.array);
        window.variables().into_iter().for_each(&mut *mention);
    }
}

/// Replaces a variable by another in statements and in the headers and clauses of loops.
pub fn rename(body: &mut [Statement], from: SymbolId, to: SymbolId) {
    visit::expressions_mut(body, &mut |e: &mut Expression| {
        if let ExpressionKind::Symbol(symbol) = &mut e.kind
            && *symbol == from
        {
            *symbol = to;
        }
    });
    visit::loops_mut(body, &mut |l| {
        if l.induction == from {
            l.induction = to;
        }
        for private in &mut l.privates {
            if *private == from {
                *private = to;
            }
        }
        for reduction in &mut l.reductions {
            if reduction.symbol == from {
                reduction.symbol = to;
            }
        }
    });
}
