//! The hierarchical scheme: levels for every loop, then threads for levels.
//!
//! Loops that one directive collapses form a group and share its levels. Inside
//! a loop over blocks their iterations are numbered together, and the outermost stands
//! for all:
//!
//! ```c
//! #pragma acc loop vector collapse(2)
//! for (int j = 0; j < 3; j++)           // after: threads along x
//!     for (int k = 0; k < n; k++)       // after: none of its own
//!         // for (k = threadIdx.x; k < 3 * n; k += blockDim.x) { j = k / n; k = k % n; }
//! ```

use super::{flat::only_loop, is_parallel};
use crate::ir::{
    Axis, Collective, Distribution, Execution, Kernel, Loop, PerLevel, Statement, StatementKind,
    visit,
};
use crate::passes::collective_calls::Callers;

/// A loop, or the loops that one directive collapses.
#[derive(Debug)]
struct Group {
    /// The number of its first loop, outer ones first.
    first: usize,
    /// How many loops it has; they are numbered consecutively.
    size: usize,
    parallel: bool,
    /// So are all loops of it.
    all_parallel: bool,
    levels: PerLevel<bool>,
    parent: Option<usize>,
    /// Nothing but this group in the kernel.
    alone: bool,
    /// The levels that functions share which it calls.
    called: PerLevel<bool>,
}

/// The distributions of all loops of a kernel, outer ones first.
pub fn distributions(kernel: &Kernel) -> Vec<Distribution> {
    let mut groups = Vec::new();
    let mut total = 0;
    collect(&kernel.body, None, &mut groups, &mut total);
    if let Some(first) = groups.first_mut() {
        first.alone = only_loop(&kernel.body).is_some();
    }
    for index in 0..groups.len() {
        decide(kernel, &mut groups, index);
    }
    let has_rows = kernel.collective == Some(Collective::Block) || levels_called(&kernel.body).row;
    let outermost = outermost(kernel);
    let block_groups = groups.iter().filter(|g| g.levels.block).count();
    let mut distributions = vec![Distribution::SEQUENTIAL; total];
    for index in 0..groups.len() {
        let threads = threads(&groups, index, outermost, has_rows);
        spread_group(
            &groups[index],
            threads,
            block_groups == 1,
            &mut distributions,
        );
    }
    distributions
}

fn collect(body: &[Statement], parent: Option<usize>, groups: &mut Vec<Group>, total: &mut usize) {
    for statement in body {
        if let StatementKind::Loop(l) = &statement.kind {
            // What only analysis found parallel serves where nothing around
            // it is.
            let nested = enclosing(groups, parent).any(|group| group.parallel);
            let parallel = is_parallel(l) && (l.schedule.directive || !nested);
            groups.push(Group {
                first: *total,
                size: 1 + l.collapsed,
                parallel,
                all_parallel: (0..=l.collapsed).all(|depth| is_parallel(innermost(l, depth))),
                levels: if parallel {
                    l.schedule.levels
                } else {
                    PerLevel::default()
                },
                parent,
                alone: false,
                called: levels_called(&l.body),
            });
            *total += 1 + l.collapsed;
            let index = groups.len() - 1;
            collect(&innermost(l, l.collapsed).body, Some(index), groups, total);
        } else {
            visit::blocks(statement, &mut |inner| {
                collect(inner, parent, groups, total);
            });
        }
    }
}

/// The levels that the loops of functions use which threads call together.
fn levels_called(list: &[Statement]) -> PerLevel<bool> {
    let callers = Callers::of(list);
    PerLevel {
        block: false,
        row: callers.blocks,
        lane: callers.any(),
    }
}

/// The levels of the loops around a function's body.
fn outermost(kernel: &Kernel) -> PerLevel<bool> {
    PerLevel {
        block: kernel.collective.is_some(),
        row: kernel.collective == Some(Collective::Lanes),
        lane: false,
    }
}

/// The innermost of the loops that a directive collapses.
pub fn innermost(l: &Loop, collapsed: usize) -> &Loop {
    match (collapsed, only_loop(&l.body)) {
        (1.., Some(next)) => innermost(next, collapsed - 1),
        _ => l,
    }
}

/// Fills in the levels of a group; those around it are decided already.
fn decide(kernel: &Kernel, groups: &mut [Group], index: usize) {
    if !groups[index].parallel {
        return;
    }
    let execution = kernel.execution;
    let around = around(groups, index).union(outermost(kernel));
    let inside = inside(groups, index);
    let called = groups[index].called;
    let parallel_inside = has_parallel_inside(groups, index);
    // In `kernels`, loops that are not the whole kernel need the order of the
    // statements around them, which blocks cannot keep.
    let blocks = execution != Execution::Automatic || groups[index].alone;
    let free = PerLevel {
        block: blocks && !around.any(),
        row: !around.row && !around.lane && !called.row,
        lane: !around.lane && !called.lane,
    };
    let asked = groups[index].levels;
    let mut levels = PerLevel {
        block: asked.block && free.block,
        row: asked.row && free.row,
        lane: asked.lane && free.lane,
    };
    // Of `kernels`, levels are advice; of `parallel`, a lone `gang` leaves
    // the lanes idle, so that they may help.
    let open = !asked.any() || asked != levels || execution == Execution::Automatic;
    if open && free.block && !inside.block {
        levels.block = true;
    }
    if !parallel_inside {
        levels.lane |= free.lane && (levels.block || open);
    } else if open && !levels.block && !levels.any() {
        levels.row = free.row && !inside.row;
    }
    groups[index].levels = levels;
}

/// The levels of the groups around one.
fn around(groups: &[Group], index: usize) -> PerLevel<bool> {
    enclosing(groups, groups[index].parent).fold(PerLevel::default(), |levels, group| {
        levels.union(group.levels)
    })
}

/// A group and those around it.
fn enclosing(groups: &[Group], first: Option<usize>) -> impl Iterator<Item = &Group> {
    std::iter::successors(first, |&index| groups[index].parent).map(|index| &groups[index])
}

/// The levels, asked for or decided, of the groups inside one.
fn inside(groups: &[Group], index: usize) -> PerLevel<bool> {
    descendants(groups, index).fold(groups[index].called, |levels, g| levels.union(g.levels))
}

fn has_parallel_inside(groups: &[Group], index: usize) -> bool {
    groups[index].called.any() || descendants(groups, index).any(|group| group.parallel)
}

fn descendants(groups: &[Group], index: usize) -> impl Iterator<Item = &Group> {
    groups[index + 1..].iter().filter(move |group| {
        std::iter::successors(group.parent, |&parent| groups[parent].parent)
            .any(|parent| parent == index)
    })
}

/// The threads of a block that share a group: rows where loops over lanes are
/// inside a loop over rows, lanes where the group is inside a loop over rows, else
/// all.
fn threads(groups: &[Group], index: usize, outermost: PerLevel<bool>, has_rows: bool) -> [bool; 3] {
    let levels = groups[index].levels;
    let has_rows = has_rows || groups.iter().any(|group| group.levels.row);
    if !levels.row && !levels.lane {
        return [false; 3];
    }
    if levels.row && !levels.lane && inside(groups, index).lane {
        return [false, true, false];
    }
    let below_row = around(groups, index).union(outermost).row;
    [true, has_rows && !below_row, false]
}

/// Gives the loops of a group their distributions: blocks along x, y and z from the
/// innermost outwards, threads to the innermost; without blocks, threads to the
/// outermost, for all of them. Where several loops over blocks
/// share the kernel, all use the x axis alone, so that no block repeats the
/// work of another.
fn spread_group(
    group: &Group,
    threads: [bool; 3],
    own_grid: bool,
    distributions: &mut [Distribution],
) {
    let last = group.first + group.size - 1;
    if !group.levels.block {
        let slot = if group.all_parallel {
            group.first
        } else {
            last
        };
        distributions[slot].threads = threads;
        return;
    }
    distributions[last].threads = threads;
    if own_grid {
        for (axis, slot) in Axis::ALL.into_iter().zip((group.first..=last).rev()) {
            distributions[slot].blocks = Some(axis);
        }
    } else {
        distributions[group.first].blocks = Some(Axis::X);
    }
}
