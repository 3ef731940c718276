//! Completes the reduction clauses of nested loops, and asks who changes a
//! reduction variable.

use crate::analysis::scope::Scope;
use crate::ir::{Kernel, Loop, Reduction, Statement, StatementKind, visit};
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

fn is_distributed(l: &Loop) -> bool {
    l.is_distributed()
}

fn downwards(body: &mut [Statement], active: &[Reduction]) {
    for statement in body {
        if let StatementKind::Loop(l) = &mut statement.kind {
            let mut active: Vec<Reduction> = active
                .iter()
                .filter(|r| !l.privates.contains(&r.symbol))
                .cloned()
                .collect();
            if is_distributed(l) {
                for reduction in &active {
                    let known = l.reductions.iter().any(|r| r.symbol == reduction.symbol);
                    if !known && visit::mentions(&l.body, reduction.symbol) {
                        l.reductions.push(reduction.clone());
                    }
                }
                for reduction in &l.reductions {
                    if active.iter().all(|r| r.symbol != reduction.symbol) {
                        active.push(reduction.clone());
                    }
                }
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
            if is_distributed(l) {
                inside.extend(l.reductions.iter().cloned());
            }
            let is_memory = |r: &Reduction| {
                let is_behind = r.part.is_some() && scope.pointers.contains(&r.symbol);
                is_behind || scope.memory.contains(&r.symbol)
            };
            inside.retain(|r| is_memory(r) && !l.privates.contains(&r.symbol));
            if l.has_blocks() {
                for reduction in &inside {
                    if l.reductions.iter().all(|r| r.symbol != reduction.symbol) {
                        l.reductions.push(reduction.clone());
                    }
                }
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
        if let StatementKind::Loop(l) = &statement.kind {
            let lanes = l
                .distribution
                .is_some_and(|distribution| distribution.threads[0]);
            if lanes && l.reductions.iter().any(|r| r.symbol == symbol) {
                return true;
            }
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
