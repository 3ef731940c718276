//! Begins and ends the reductions of loops within a block.

use super::clauses::{drop_inside, only_lanes_touch};
use crate::analysis::scope::Scope;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Distribution, Loop, Reduction, Statement, StatementKind, visit};
use crate::passes::thread_mapping::innermost;
use crate::passes::variables;
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Type, Unit};

/// Puts a begin before and an end after each loop that threads of a block
/// share and that reduces something.
pub fn rewrite(
    body: Vec<Statement>,
    scope: &Scope,
    unit: &Unit,
    errors: &mut Vec<Diagnostic>,
) -> Vec<Statement> {
    let mut out = Vec::new();
    // C++ does not let a jump go past the declarations that steps make.
    let is_jumped_into = body.iter().any(|s| {
        matches!(
            s.kind,
            StatementKind::Case(..) | StatementKind::Default | StatementKind::Label(_)
        )
    });
    for mut statement in body {
        let span = statement.span;
        let mut before = Vec::new();
        let mut after = Vec::new();
        if let StatementKind::Loop(l) = &mut statement.kind
            && threads(l) != [false; 3]
        {
            for reduction in l.reductions.clone() {
                surround(
                    l,
                    reduction,
                    scope,
                    (unit, &mut *errors),
                    span,
                    &mut before,
                    &mut after,
                );
            }
        }
        visit::blocks_mut(&mut statement, &mut |inner| {
            *inner = rewrite(std::mem::take(inner), scope, unit, errors);
        });
        if is_jumped_into && !before.is_empty() {
            before.push(statement);
            before.extend(after);
            out.push(StatementKind::Block(before).at(span));
            continue;
        }
        out.extend(before);
        out.push(statement);
        out.extend(after);
    }
    out
}

/// The threads that share a loop. Of the loops that a directive collapses, the
/// outermost or the innermost has them, and the outermost the clauses.
fn threads(l: &Loop) -> [bool; 3] {
    let own = l.distribution.unwrap_or_default().threads;
    match own {
        [false, false, false] => {
            innermost(l, l.collapsed)
                .distribution
                .unwrap_or_default()
                .threads
        }
        _ => own,
    }
}

fn surround(
    l: &mut Loop,
    mut reduction: Reduction,
    scope: &Scope,
    (unit, errors): (&Unit, &mut Vec<Diagnostic>),
    span: Span,
    before: &mut Vec<Statement>,
    after: &mut Vec<Statement>,
) {
    let mut threads = threads(l);
    let lanes_only = !threads[0] && only_lanes_touch(&l.body, reduction.symbol);
    if lanes_only && mentions_lanes(l) {
        // The lanes of the loops inside count on; one step serves both.
        drop_inside(&mut l.body, reduction.symbol);
        threads[0] = true;
    }
    let target = reduction.symbol;
    let is_array = matches!(unit.types.get(reduction.ty), Type::Array { .. });
    let in_memory = is_array && scope.memory.contains(&target);
    let has_copies = scope.own_targets.contains(&target);
    if in_memory || reduction.part.is_some() && !has_copies {
        errors.push(
            Diagnostic::error(
                codes::NOT_SUPPORTED_YET,
                format!(
                    "a reduction of the array `{}` within each gang is not supported yet",
                    unit.symbol(target).name
                ),
                reduction.span,
            )
            .help("make the array private to the gang loop, or reduce it in the gang loop as well"),
        );
        return;
    }
    if scope.memory.contains(&target) {
        let wanted = format!("{}_copy", unit.symbol(target).name);
        let copy = synthesis::variable(unit, &wanted, reduction.ty, span);
        let value = synthesis::symbol(unit, target, span);
        before.push(Statement::declare(copy, Some(value), span));
        variables::rename(&mut l.body, target, copy);
        for clause in &mut l.reductions {
            if clause.symbol == target {
                clause.symbol = copy;
            }
        }
        reduction.symbol = copy;
    }
    let distribution = Distribution {
        blocks: None,
        threads,
    };
    before.push(StatementKind::ReductionBegin(reduction.clone(), distribution).at(span));
    after.push(StatementKind::ReductionEnd(reduction.clone(), distribution).at(span));
    if reduction.symbol != target {
        let value = synthesis::symbol(unit, reduction.symbol, span);
        let target = synthesis::symbol(unit, target, span);
        after.push(Statement::assign(target, value, span));
    }
}

fn mentions_lanes(l: &Loop) -> bool {
    visit::any_loop(&l.body, &mut |inner| {
        inner
            .distribution
            .is_some_and(|distribution| distribution.threads[0])
    })
}
