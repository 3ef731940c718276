//! Levels that repeat in the loop nests of `kernels`.
//!
//! OpenACC 1.0 let the loops of a `kernels` construct nest as dimensions of the
//! grid and of the block, and programs kept that spelling. Input: the clauses of
//! one loop. Output: the levels that say the same today:
//!
//! ```text
//! #pragma acc loop gang(32) vector(16)        gang(32) worker(16)
//! for (j …)                              ->
//!     #pragma acc loop gang(16) vector(32)    vector(32)
//!     for (i …)
//! ```
//!
//! The innermost `vector` loop keeps the level, the one around it gets the
//! workers; a loop whose level is taken has one chosen for it, as a loop
//! without a level.

use super::check::Directives;
use super::clauses::LoopClauses;
use super::table::ClauseKind;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::Level;
use crate::source::Span;
use crate::typed::{Statement, StatementKind, visit};

/// Rewrites the levels of a loop of a `kernels` construct, and warns of a
/// level that a loop around has.
pub(super) fn resolve(
    directives: &Directives,
    clauses: &mut LoopClauses,
    around: &[(Level, Span)],
    body: &Statement,
) -> Option<Diagnostic> {
    let find = |list: &[(Level, Span)], level| {
        let found = list.iter().find(|(known, _)| *known == level);
        found.map(|(_, span)| *span)
    };
    let here = find(&clauses.levels, Level::Block).filter(|_| clauses.gang_dimension == 1);
    let repeated = here.zip(find(around, Level::Block));
    if repeated.is_some() {
        drop_level(clauses, Level::Block);
    }
    let inside = vector_loops(directives, body);
    if clauses.schedule.levels.lane && inside > 0 {
        let is_free = find(around, Level::Row).is_none() && !clauses.schedule.levels.row;
        match inside == 1 && is_free {
            true => vector_to_worker(clauses),
            false => drop_level(clauses, Level::Lane),
        }
    }
    let (here, outer) = repeated?;
    let message = "a `gang` loop inside a `gang` loop";
    let diagnostic = Diagnostic::warning(codes::LEVEL_NESTING, message, here);
    Some(
        diagnostic
            .also(outer, "the loop around it")
            .help("both are parallel, as in OpenACC 1.0; today `collapse` or `tile` says that"),
    )
}

fn drop_level(clauses: &mut LoopClauses, level: Level) {
    clauses.levels.retain(|(known, _)| *known != level);
    let schedule = &mut clauses.schedule;
    schedule.levels[level] = false;
    schedule.sizes[level] = None;
}

fn vector_to_worker(clauses: &mut LoopClauses) {
    for (level, _) in &mut clauses.levels {
        if *level == Level::Lane {
            *level = Level::Row;
        }
    }
    let schedule = &mut clauses.schedule;
    (schedule.levels.row, schedule.sizes.row) = (true, schedule.sizes.lane.take());
    schedule.levels.lane = false;
}

/// How many `vector` loops nest in a statement.
fn vector_loops(directives: &Directives, statement: &Statement) -> usize {
    let mut most = 0;
    visit::children(statement, &mut |inner| {
        most = most.max(vector_loops(directives, inner));
    });
    let checked = match &statement.kind {
        StatementKind::Directive(directive, _) => directives.get(directive),
        _ => None,
    };
    let is_vector = checked.is_some_and(|checked| checked.has(ClauseKind::Vector));
    most + usize::from(is_vector)
}
