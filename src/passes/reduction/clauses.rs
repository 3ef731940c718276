//! Completes the reduction clauses of nested loops, and asks who changes a
//! reduction variable.

use super::add;
use crate::analysis::scope::Scope;
use crate::ir::{Kernel, Reduction, Statement, StatementKind, visit};
use crate::typed::SymbolId;

/// Makes every loop between two that reduce a variable, and every shared loop
/// inside one that does and mentions the variable, reduce it too. A loop over blocks
/// around a loop that reduces a variable in memory reduces it as well, since
/// blocks would race otherwise.
pub fn complete(kernel: &mut Kernel, scope: &Scope) {
    let construct = kernel.reductions.clone();
    downwards(&mut kernel.body, &construct);
    upwards(&mut kernel.body, scope);
}

fn downwards(body: &mut [Statement], active: &[Reduction]) {
    for statement in body {
        if let StatementKind::Loop(l) = &mut statement.kind {
            let mut active: Vec<Reduction> = active
                .iter()
                .filter(|r| !l.privates.contains(&r.symbol))
                .cloned()
                .collect();
            if l.is_distributed() {
                for reduction in &active {
                    if visit::mentions(&l.body, reduction.symbol) {
                        add(&mut l.reductions, reduction);
                    }
                }
                l.reductions.iter().for_each(|r| add(&mut active, r));
            }
            downwards(&mut l.body, &active);
        } else {
            visit::blocks_mut(statement, &mut |inner| downwards(inner, active));
        }
    }
}

/// Returns the reductions inside that reach memory outside.
fn upwards(body: &mut [Statement], scope: &Scope) -> Vec<Reduction> {
    let mut found: Vec<Reduction> = Vec::new();
    for statement in body {
        let mut inside = Vec::new();
        visit::blocks_mut(statement, &mut |inner| inside.extend(upwards(inner, scope)));
        if let StatementKind::Loop(l) = &mut statement.kind {
            if l.is_distributed() {
                inside.extend(l.reductions.iter().cloned());
            }
            let is_memory = |r: &Reduction| {
                let is_behind = r.part.is_some() && scope.pointers.contains(&r.symbol);
                is_behind || scope.memory.contains(&r.symbol)
            };
            inside.retain(|r| is_memory(r) && !l.privates.contains(&r.symbol));
            if l.has_blocks() {
                inside.iter().for_each(|r| add(&mut l.reductions, r));
            }
        }
        found.extend(inside);
    }
    found
}

/// Whether every mention of a variable is inside a loop over lanes that
/// reduces it, so that each thread may count for itself.
pub fn only_lanes_touch(body: &[Statement], symbol: SymbolId) -> bool {
    body.iter().all(|statement| {
        let mut own = false;
        visit::own_expressions(statement, &mut |e| {
            own |= e.mentions(symbol);
        });
        if own {
            return false;
        }
        if let StatementKind::Loop(l) = &statement.kind
            && l.threads()[0]
            && l.reductions.iter().any(|r| r.symbol == symbol)
        {
            return true;
        }
        let mut inside = true;
        visit::blocks(statement, &mut |inner| {
            inside = inside && only_lanes_touch(inner, symbol);
        });
        inside
    })
}

/// Removes a variable's reductions from all loops of a list.
pub fn drop_inside(body: &mut [Statement], symbol: SymbolId) {
    visit::loops_mut(body, &mut |l| l.reductions.retain(|r| r.symbol != symbol));
}
