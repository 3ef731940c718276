//! Grids that have a thread for each iteration.
//!
//! Input: kernels with their grid, windows and reductions. Output: [`Kernel::covers`],
//! [`Kernel::skips_empty`] and [`Loop::once`](crate::ir::Loop::once) of the loops along these axes.
//!
//! ```c
//! for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)   // before
//!     a[i] = 0;
//!
//! const int i = blockIdx.x * 256 + threadIdx.x;                               // after
//! if (i < n)
//!     a[i] = 0;
//! ```
//!
//! The launcher makes the grid of the trip counts that the kernel has, so they have to be the
//! same numbers. Loops stride where the program sizes the grid, where private arrays in device
//! memory limit it, where one in `int` has an axis with one in 64 bits, and where blocks reduce: the
//! end of such a block takes its time, so that there are as few as keep the device busy. A block that
//! fetches windows has more to do, and a barrier less in a tile that it does not repeat.
//!
//! No block along x is beyond the iterations of a loop but where there are none, so that the launcher looks
//! for that in the place of each block, if the kernel has nothing else to do.
//!
//! CUDA has 65,535 blocks along y. More of them lie along z, if no loop has that axis;
//! loops along y and z of three stride.

use crate::analysis::exits::{Exits, Jump};
use crate::analysis::launch_value::is_exact;
use crate::ir::{
    Axis, Kernel, Loop, Module, Once, Scheme, StatementKind, TripCount, limits, visit,
};
use crate::typed::Unit;

/// Decides it for every kernel.
pub fn run(module: &mut Module, unit: &Unit) {
    for kernel in &mut module.kernels {
        if !is_free(kernel) {
            continue;
        }
        let is_flat = kernel.grid[2].is_empty();
        let along_x = covers(kernel, Axis::X, unit);
        let along_y = along_x && is_flat && covers(kernel, Axis::Y, unit);
        kernel.covers = [along_x, along_y, false];
        kernel.folds_y = along_y && !is_short(kernel, Axis::Y, unit);
        kernel.skips_empty = along_x && is_alone(kernel, unit);
        let covers = kernel.covers;
        visit::loops_mut(&mut kernel.body, &mut |l| {
            let blocks = l.distribution.and_then(|distribution| distribution.blocks);
            // A body that ends early stays one of a loop.
            let is_left = Exits::of(&l.body).any(Jump::ends_iteration);
            if blocks.is_some_and(|axis| covers[axis as usize]) && !is_left {
                l.once = l.once.or(Some(Once::AtMost));
            }
        });
    }
}

/// Takes it back: the grid is cut to the device memory that there is for private arrays.
pub fn withdraw(kernel: &mut Kernel) {
    if kernel.covers == [false; 3] {
        return;
    }
    kernel.covers = [false; 3];
    kernel.folds_y = false;
    kernel.skips_empty = false;
    visit::loops_mut(&mut kernel.body, &mut |l| {
        if l.has_blocks() {
            l.once = None;
        }
    });
}

/// Whether each loop along an axis is known to need no more blocks than CUDA has.
fn is_short(kernel: &Kernel, axis: Axis, unit: &Unit) -> bool {
    let most = i128::from(limits::GRID[axis as usize]);
    let mut all = true;
    visit::loops(&kernel.body, &mut |l| {
        let blocks = l.distribution.and_then(|distribution| distribution.blocks);
        all &= blocks != Some(axis) || l.constant_trip_count(unit).is_some_and(|n| n <= most);
    });
    all
}

/// Whether all that a kernel does is in one loop along x, in `int`, of which blocks have tiles.
fn is_alone(kernel: &Kernel, unit: &Unit) -> bool {
    let blocks = |l: &Loop| l.distribution.and_then(|distribution| distribution.blocks);
    let is_along_x = |l: &Loop| blocks(l) == Some(Axis::X);
    let mut loops = 0;
    visit::loops(&kernel.body, &mut |l| loops += usize::from(is_along_x(l)));
    let mut list = &kernel.body;
    while let [statement] = list.as_slice()
        && let StatementKind::Loop(l) = &statement.kind
    {
        if is_along_x(l) {
            let has_tiles = l.tile.is_some_and(|tile| tile.count.is_none());
            return loops == 1 && has_tiles && !TripCount::of(l).is_wide(unit);
        }
        list = &l.body;
    }
    false
}

/// Whether nothing but its loops decides about the grid.
fn is_free(kernel: &Kernel) -> bool {
    matches!(kernel.scheme, Some(Scheme::Flat | Scheme::Hierarchical))
        && kernel.collective.is_none()
        && kernel.exact_grid.is_none()
        && kernel.sizes.block.is_none()
        && kernel.private_arrays.is_empty()
        && (kernel.all_reductions().next().is_none() || ends_soon(kernel))
}

/// Whether a block that reduces has more to do before its end than there.
fn ends_soon(kernel: &Kernel) -> bool {
    kernel.combines_in_any_order && !kernel.windows.is_empty()
}

/// Whether the launch makes a thread, or a block, for each iteration of each loop along an axis:
/// it knows how many there are.
fn covers(kernel: &Kernel, axis: Axis, unit: &Unit) -> bool {
    // As the launcher sizes the grid: of blocks, or of threads along each axis.
    let is_of_threads = kernel.counts_threads(unit);
    let mut all = true;
    let mut widths = Vec::new();
    visit::loops(&kernel.body, &mut |l| {
        let distribution = l.distribution.unwrap_or_default();
        if distribution.blocks != Some(axis) {
            return;
        }
        widths.push(TripCount::of(l).is_wide(unit));
        let mut threads = distribution.thread_axes();
        all &= match (threads.next(), threads.next()) {
            // Indices beyond the iterations are few, so that they stay in the variable's range.
            (None, _) => true,
            (Some(one), None) => is_of_threads && one == axis,
            _ => false,
        };
        all &= l.limits().into_iter().all(|e| is_exact(e, kernel, unit));
    });
    // Of a grid with a thread for each iteration of a loop in 64 bits, `int` does not number the threads.
    let is_mixed = widths.contains(&true) && widths.contains(&false);
    all && !is_mixed && !widths.is_empty()
}

#[cfg(test)]
mod tests {
    use crate::ir::Execution;
    use crate::ir::builder::*;
    use crate::passes::testing::decide;

    /// The decision about a nest of so many loops, `bound` being that of the outermost one.
    fn covered(depth: usize, bound: impl Fn(&mut Sample) -> E) -> ([bool; 3], bool) {
        let mut s = Sample::new();
        let n = s.value("n");
        let bound = bound(&mut s);
        let variables: Vec<V> = ["i", "j", "k"][..depth]
            .iter()
            .map(|name| s.int(name))
            .collect();
        let a = s.array("a", &[10, 10, 10]);
        let index = |d: usize| variables.get(d).map_or(int(0), V::e);
        let mut body = vec![set(a.at([index(0), index(1), index(2)]), 1)];
        for (level, v) in variables.iter().enumerate().rev() {
            let bound = if level == 0 { bound.clone() } else { n.e() };
            body = vec![count(v, 0, bound).independent(&[]).body(body)];
        }
        let kernel = decide(&mut s, Execution::Redundant, body).0;
        (kernel.covers, kernel.folds_y)
    }

    #[test]
    fn loops_along_x_and_y_of_two_do_not_stride() {
        let n = |s: &mut Sample| s.value("m").e();
        assert_eq!(covered(1, n), ([true, false, false], false));
        assert_eq!(covered(2, n), ([true, true, false], true));
        assert_eq!(covered(3, n), ([true, false, false], false));
        assert_eq!(covered(2, |_| int(65535)), ([true, true, false], false));
        assert_eq!(covered(2, |_| int(65536)), ([true, true, false], true));
    }

    #[test]
    fn a_bound_that_the_launch_does_not_know() {
        assert_eq!(covered(1, |s| s.reference("m").e()).0, [false; 3]);
        assert_eq!(covered(2, |s| s.reference("m").e()).0, [true, false, false]);
    }
}
