//! What of a GPU a launch leaves idle, where that is known before it.
//!
//! Input: a decided kernel. Output: the most blocks that a launch has, and the threads of a block
//! that have nothing to do.
//!
//! ```c
//! #pragma acc parallel loop gang num_gangs(4) vector_length(40)   // 4 blocks; 24 of 64 lanes
//! for (int i = 0; i < n; i++)
//!     #pragma acc loop vector
//!     for (int j = 0; j < 16; j++)                                // 24 of 40 threads
//! ```

use crate::ir::limits::WARP;
use crate::ir::{Distribution, Kernel, Loop, Scheme, StatementKind, visit};
use crate::passes::collective_calls::Callers;
use crate::typed::Unit;
use crate::typed::constant::evaluate;

/// A GPU has more multiprocessors than this.
const FEW: u64 = 32;

/// So many iterations take no longer than their launch.
const SHORT: u64 = 1 << 14;

/// What is known.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Idle {
    /// The most blocks of a launch, where they are fewer than any GPU has multiprocessors.
    pub(super) blocks: Option<u64>,
    /// Other blocks could do more of the kernel's work at once.
    pub(super) blocks_could_be_more: bool,
    /// All iterations of its loops are few.
    pub(super) is_short: bool,
    /// The most threads of a block that a loop has iterations for, where that is half or less.
    pub(super) threads: Option<u32>,
    /// Lanes of a block's warps that have no thread.
    pub(super) lanes: u32,
}

/// What is known of a kernel's launches.
pub(super) fn of(kernel: &Kernel, unit: &Unit) -> Idle {
    let is_parallel = matches!(kernel.scheme, Some(Scheme::Flat | Scheme::Hierarchical));
    let shape = kernel.block_shape();
    if !is_parallel || kernel.may_shrink {
        return Idle::default();
    }
    let blocks = most_blocks(kernel, unit).filter(|_| shape != Some([1, 1, 1]));
    let size = shape.map_or(0, |shape| shape.iter().product::<u32>());
    Idle {
        blocks: blocks.filter(|blocks| *blocks < FEW),
        blocks_could_be_more: kernel.sizes.block.is_some()
            || kernel.exact_grid.is_some()
            || kernel.scheme == Some(Scheme::Hierarchical),
        is_short: all_iterations(kernel, unit).is_some_and(|n| n < SHORT),
        threads: shape.and_then(|shape| busy(kernel, unit, shape)),
        lanes: size.next_multiple_of(WARP) - size,
    }
}

/// The iterations of all loops of a kernel, with those of the loops around each, where they are constants.
fn all_iterations(kernel: &Kernel, unit: &Unit) -> Option<u64> {
    let mut all = Some(0_u64);
    visit::walk_around(&kernel.body, &mut |statement, around| {
        let trips = |l: &Loop| u64::try_from(l.constant_trip_count(unit)?).ok();
        let own = match &statement.kind {
            StatementKind::Loop(l) => {
                let outer = around.loops.iter().map(|l| trips(l));
                outer
                    .chain([trips(l)])
                    .try_fold(1_u64, |n, trips| n.checked_mul(trips?))
            }
            StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..) => None,
            _ => Some(0),
        };
        all = all.zip(own).and_then(|(all, own)| all.checked_add(own));
    });
    all
}

fn is_over_blocks(l: &Loop) -> bool {
    l.distribution.is_some_and(|d| d.blocks.is_some())
}

/// The most blocks that a launch has.
fn most_blocks(kernel: &Kernel, unit: &Unit) -> Option<u64> {
    if let Some(exact) = &kernel.exact_grid {
        let extents = exact.iter().map(|extent| extent.known().map(u64::from));
        return extents.product();
    }
    if let Some(asked) = &kernel.sizes.block {
        return u64::try_from(evaluate(unit, asked)?.max(1)).ok();
    }
    let mut most = [Some(1_u64); 3];
    visit::loops(&kernel.body, &mut |l| {
        let distribution = l.distribution.unwrap_or_default();
        if let Some(axis) = distribution.blocks {
            let own = blocks_for(kernel, l, distribution, unit);
            let known = &mut most[axis as usize];
            *known = known.zip(own).map(|(known, own)| known.max(own));
        }
    });
    let [x, y, z] = most;
    x?.checked_mul(y?)?.checked_mul(z?)
}

/// Blocks for all iterations of a loop.
fn blocks_for(kernel: &Kernel, l: &Loop, distribution: Distribution, unit: &Unit) -> Option<u64> {
    let trips = u64::try_from(l.constant_trip_count(unit)?).ok()?;
    let block = kernel.block.as_ref()?;
    let axes = distribution.thread_axes();
    let threads = axes.map(|axis| block[axis as usize].known().map_or(1, u64::from));
    Some(trips.div_ceil(threads.product::<u64>().max(1)))
}

/// The most threads of a block that loops within it have iterations for, if that is at most half.
fn busy(kernel: &Kernel, unit: &Unit, shape: [u32; 3]) -> Option<u32> {
    if Callers::of(&kernel.body).any() {
        return None;
    }
    // None along an axis without a loop.
    let mut most: [Option<u32>; 3] = [None; 3];
    visit::loops(&kernel.body, &mut |l| {
        let distribution = l.distribution.unwrap_or_default();
        let axes: Vec<usize> = distribution
            .thread_axes()
            .map(|axis| axis as usize)
            .collect();
        let trips = l
            .constant_trip_count(unit)
            .and_then(|n| u32::try_from(n).ok());
        let is_counted = axes.len() == 1 && !is_over_blocks(l);
        for axis in axes {
            let own = trips.filter(|_| is_counted).unwrap_or(u32::MAX);
            most[axis] = Some(most[axis].unwrap_or(0).max(own));
        }
    });
    let used = most.iter().zip(shape);
    let used: u32 = used
        .map(|(most, extent)| most.unwrap_or(extent).min(extent))
        .product();
    let all: u32 = shape.iter().product();
    (used > 0 && used.checked_mul(2)? <= all).then_some(used)
}

impl Idle {
    /// In sentences.
    pub(super) fn sentences(&self, threads: Option<u32>) -> Vec<String> {
        let blocks = self.blocks.map(|blocks| match blocks {
            1 => "one multiprocessor of the GPU runs all of it".to_owned(),
            n => format!("{n} multiprocessors of the GPU run all of it, or fewer"),
        });
        let busy = self.threads.zip(threads).map(|(busy, threads)| {
            format!("its loops have iterations for {busy} of a block's {threads} threads")
        });
        let lanes = threads.filter(|_| self.lanes > 0).map(|threads| {
            let all = threads + self.lanes;
            format!(
                "{} of the {all} lanes of a block's warps have no thread",
                self.lanes
            )
        });
        blocks.into_iter().chain(busy).chain(lanes).collect()
    }

    /// What it costs, in comparison with other notes.
    pub(super) fn rank(&self, threads: Option<u32>) -> Option<u32> {
        let is_wide = threads.is_some_and(|threads| self.lanes * 8 >= threads + self.lanes);
        match self.blocks {
            Some(_) if self.is_short => None,
            Some(1) if self.blocks_could_be_more => Some(700),
            Some(_) if self.blocks_could_be_more => Some(600),
            _ if self.threads.is_some() || self.lanes > 0 && is_wide => Some(300),
            _ => None,
        }
    }
}
