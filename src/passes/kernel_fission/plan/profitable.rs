//! What the host should run, and what it may.

use super::host_conditions::is_beyond_names;
use crate::analysis::exits::Exits;
use crate::ir::limits;
use crate::ir::{Loop, Statement, StatementKind, Step, visit};
use crate::passes::thread_mapping::only_loop;
use crate::typed::Unit;

/// Iterations that one block has a thread for each: more launches would not
/// make them faster.
const BLOCK: i128 = limits::THREADS as i128;

/// A block whose statements are steps of their own.
pub fn is_open(list: &[Statement]) -> bool {
    has_parallel_loop(list) || leaves(list)
}

pub fn is_control(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Loop(l) => !l.is_parallel(),
        StatementKind::For(_)
        | StatementKind::While(..)
        | StatementKind::DoWhile(..)
        | StatementKind::If(..) => true,
        _ => false,
    }
}

/// Whether the host should run a loop or branch: for what is inside, or since
/// it jumps out of a loop of the host.
pub fn is_for_host(statement: &Statement, unit: &Unit) -> bool {
    let mut found =
        matches!(statement.kind, StatementKind::If(..)) && leaves(std::slice::from_ref(statement));
    visit::blocks(statement, &mut |inner| found |= has_large_nest(inner, unit));
    found
}

pub fn has_parallel_loop(list: &[Statement]) -> bool {
    visit::any_loop(list, &mut Loop::is_parallel)
}

/// Whether a parallel loop is worth a launch of its own.
fn has_large_nest(list: &[Statement], unit: &Unit) -> bool {
    list.iter().any(|statement| {
        if let StatementKind::Loop(l) = &statement.kind
            && l.is_parallel()
        {
            return !is_small(l, unit);
        }
        let mut found = false;
        if !matches!(statement.kind, StatementKind::Switch(..)) {
            visit::blocks(statement, &mut |inner| found |= has_large_nest(inner, unit));
        }
        found
    })
}

/// Whether there is a parallel loop inside whose bounds are no elements of
/// arrays. Those of the rows of a sparse matrix are, and rows are short: asking
/// the device about each of them takes longer than its block does.
pub fn has_nest_of_known_size(statement: &Statement) -> bool {
    visit::any_loop(std::slice::from_ref(statement), &mut |l| {
        l.is_parallel() && ![&l.lower, &l.bound].into_iter().any(is_beyond_names)
    })
}

/// Whether one block has room for all iterations of a nest.
fn is_small(l: &Loop, unit: &Unit) -> bool {
    let mut trips = Some(1_i128);
    let mut next = Some(l);
    while let Some(l) = next.filter(|l| l.is_parallel()) {
        if l.schedule.levels.block {
            return false;
        }
        let own = l.constant_trip_count(unit);
        trips = trips.zip(own).and_then(|(a, b)| a.checked_mul(b));
        next = only_loop(&l.body);
    }
    trips.is_some_and(|n| n <= BLOCK)
}

/// Whether a jump leads out of a list.
pub fn leaves(list: &[Statement]) -> bool {
    !Exits::of(list).is_empty()
}

/// Whether steps go to the next iteration of the loop around them.
pub fn continues(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Continue => true,
        Step::Choose(branch) => continues(&branch.then) || continues(&branch.otherwise),
        _ => false,
    })
}
