//! The flat scheme: recognises a perfect nest and distributes it.

use super::axes;
use super::is_parallel;
use crate::ir::{Axis, Distribution, Execution, Kernel, Loop, Statement, StatementKind, visit};

/// The loops that are distributed, outer ones first, if the flat scheme serves a
/// kernel.
pub fn nest(kernel: &Kernel) -> Option<Vec<&Loop>> {
    let nest = perfect_nest(&kernel.body);
    let innermost = nest.last()?;
    // Loops inside that only analysis found parallel need no threads of their
    // own: the nest around them has enough.
    let is_requested = |l: &Loop| is_parallel(l) && l.schedule.directive;
    let deeper = visit::any_loop(&innermost.body, &mut |l| is_requested(l));
    let serves = !deeper && levels_allow(kernel.execution, &nest) && reductions_allow(&nest);
    serves.then_some(nest)
}

/// The distributions of all loops of a kernel, outer ones first, if the flat scheme
/// serves it: which loops of its nest run along x, y, z; from inside where
/// that is not said.
pub fn distributions(kernel: &Kernel, order: &[usize]) -> Option<Vec<Distribution>> {
    let depth = nest(kernel)?.len();
    let mut total = 0;
    visit::loops(&kernel.body, &mut |_| total += 1);
    let mut distributions = vec![Distribution::SEQUENTIAL; total];
    let from_inside = axes::from_inside(depth);
    let order = if order.is_empty() {
        &from_inside
    } else {
        order
    };
    for (number, axis) in order.iter().zip(Axis::ALL) {
        if let Some(distribution) = distributions.get_mut(*number) {
            *distribution = Distribution::grid(axis);
        }
    }
    Some(distributions)
}

/// The parallel loops at the root of a body that are perfectly nested, with
/// bounds that do not depend on each other.
fn perfect_nest(body: &[Statement]) -> Vec<&Loop> {
    let mut nest: Vec<&Loop> = Vec::new();
    let mut body = body;
    while let Some(next) = only_loop(body) {
        let depends = nest
            .iter()
            .any(|outer| next.header_mentions(outer.induction));
        if !is_parallel(next) || depends {
            break;
        }
        nest.push(next);
        body = &next.body;
    }
    nest
}

/// The loop that is all there is in a list of statements.
pub fn only_loop(body: &[Statement]) -> Option<&Loop> {
    let mut statements = body
        .iter()
        .filter(|s| !matches!(s.kind, StatementKind::Expression(None)));
    let only = statements.next()?;
    if statements.next().is_some() {
        return None;
    }
    match &only.kind {
        StatementKind::Loop(inner) => Some(inner),
        StatementKind::Block(inner) => only_loop(inner),
        _ => None,
    }
}

/// Whether the levels that the user gave leave the choice: on one loop with
/// `gang` among them, on none, or `vector` on every loop of the nest.
fn levels_allow(construct: Execution, nest: &[&Loop]) -> bool {
    let mut groups = Vec::new();
    let mut rest = 0;
    for l in nest {
        if rest == 0 {
            groups.push(l.schedule.levels);
            rest = l.collapsed;
        } else {
            rest -= 1;
        }
    }
    let kernels = construct == Execution::Automatic;
    match groups.as_slice() {
        [one] => kernels || one.block || !one.any(),
        _ => {
            groups.iter().all(|levels| !levels.any())
                || groups.iter().all(|levels| levels.lane)
                    && (kernels || groups.first().is_some_and(|levels| levels.block))
        }
    }
}

/// Whether no reduction ends before the outermost loop does: an inner loop
/// must not reduce into a private copy of an outer one.
fn reductions_allow(nest: &[&Loop]) -> bool {
    nest.iter().enumerate().all(|(depth, inner)| {
        inner.reductions.iter().all(|reduction| {
            nest[..depth]
                .iter()
                .all(|outer| !outer.privates.contains(&reduction.symbol))
        })
    })
}
