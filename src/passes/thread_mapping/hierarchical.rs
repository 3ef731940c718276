//! The hierarchical scheme: levels for every loop, then threads for levels.
//!
//! Loops that one directive collapses form a group and share its levels. Inside
//! a gang loop their iterations are numbered together, and the outermost stands
//! for all:
//!
//! ```c
//! #pragma acc loop vector collapse(2)
//! for (int j = 0; j < 3; j++)           // after: threads along x
//!     for (int k = 0; k < n; k++)       // after: none of its own
//!         // for (k = threadIdx.x; k < 3 * n; k += blockDim.x) { j = k / n; k = k % n; }
//! ```

use super::{Levels, flat::only_loop, is_parallel};
use crate::ir::{
    Axis, Collective, Construct, Distribution, Kernel, Loop, Statement, StatementKind, visit,
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
    levels: Levels,
    parent: Option<usize>,
    /// Nothing but this group in the kernel.
    alone: bool,
    /// The levels that functions share which it calls.
    called: Levels,
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
    let has_rows =
        kernel.collective == Some(Collective::Block) || levels_called(&kernel.body).worker;
    let outermost = outermost(kernel);
    let gang_groups = groups.iter().filter(|g| g.levels.gang).count();
    let mut distributions = vec![Distribution::SEQUENTIAL; total];
    for index in 0..groups.len() {
        let threads = threads(&groups, index, outermost, has_rows);
        spread_group(
            &groups[index],
            threads,
            gang_groups == 1,
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
                    Levels::requested(&l.schedule)
                } else {
                    Levels::default()
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
fn levels_called(list: &[Statement]) -> Levels {
    let callers = Callers::of(list);
    Levels {
        gang: false,
        worker: callers.blocks,
        vector: callers.any(),
    }
}

/// The levels of the loops around a function's body.
fn outermost(kernel: &Kernel) -> Levels {
    Levels {
        gang: kernel.collective.is_some(),
        worker: kernel.collective == Some(Collective::Lanes),
        vector: false,
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
    let construct = kernel.construct;
    let around = around(groups, index).union(outermost(kernel));
    let inside = inside(groups, index);
    let called = groups[index].called;
    let parallel_inside = has_parallel_inside(groups, index);
    // In `kernels`, loops that are not the whole kernel need the order of the
    // statements around them, which gangs cannot keep.
    let gangs = construct != Construct::Kernels || groups[index].alone;
    let free = Levels {
        gang: gangs && !around.any(),
        worker: !around.worker && !around.vector && !called.worker,
        vector: !around.vector && !called.vector,
    };
    let asked = groups[index].levels;
    let mut levels = Levels {
        gang: asked.gang && free.gang,
        worker: asked.worker && free.worker,
        vector: asked.vector && free.vector,
    };
    // Of `kernels`, levels are advice; of `parallel`, a lone `gang` leaves
    // the lanes idle, so that they may help.
    let open = !asked.any() || asked != levels || construct == Construct::Kernels;
    if open && free.gang && !inside.gang {
        levels.gang = true;
    }
    if !parallel_inside {
        levels.vector |= free.vector && (levels.gang || open);
    } else if open && !levels.gang && !levels.any() {
        levels.worker = free.worker && !inside.worker;
    }
    groups[index].levels = levels;
}

/// The levels of the groups around one.
fn around(groups: &[Group], index: usize) -> Levels {
    enclosing(groups, groups[index].parent).fold(Levels::default(), |levels, group| {
        levels.union(group.levels)
    })
}

/// A group and those around it.
fn enclosing(groups: &[Group], first: Option<usize>) -> impl Iterator<Item = &Group> {
    std::iter::successors(first, |&index| groups[index].parent).map(|index| &groups[index])
}

/// The levels, asked for or decided, of the groups inside one.
fn inside(groups: &[Group], index: usize) -> Levels {
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

/// The threads of a block that share a group: rows where vector loops are
/// inside a worker loop, lanes where the group is inside a worker loop, else
/// all.
fn threads(groups: &[Group], index: usize, outermost: Levels, has_rows: bool) -> [bool; 3] {
    let levels = groups[index].levels;
    let has_rows = has_rows || groups.iter().any(|group| group.levels.worker);
    if !levels.worker && !levels.vector {
        return [false; 3];
    }
    if levels.worker && !levels.vector && inside(groups, index).vector {
        return [false, true, false];
    }
    let below_worker = around(groups, index).union(outermost).worker;
    [true, has_rows && !below_worker, false]
}

/// Gives the loops of a group their distributions: blocks along x, y and z from the
/// innermost outwards, threads to the innermost; without blocks, threads to the
/// outermost, for all of them. Where several gang loops
/// share the kernel, all use the x axis alone, so that no block repeats the
/// work of another.
fn spread_group(
    group: &Group,
    threads: [bool; 3],
    own_grid: bool,
    distributions: &mut [Distribution],
) {
    let last = group.first + group.size - 1;
    if !group.levels.gang {
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
        for (axis, slot) in [Axis::X, Axis::Y, Axis::Z]
            .into_iter()
            .zip((group.first..=last).rev())
        {
            distributions[slot].blocks = Some(axis);
        }
    } else {
        distributions[group.first].blocks = Some(Axis::X);
    }
}
