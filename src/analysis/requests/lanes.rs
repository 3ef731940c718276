//! The lanes of one warp, and what a request of them comes to.

use super::offset::{Offset, Stride};
use super::{LINE, Reference, SECTOR, Tally, Threads, WARP};
use crate::ir::Distribution;

/// A number for each lane.
pub(super) type OfLanes = [i128; WARP as usize];

/// All lanes of a warp, a bit each.
pub(super) const ALL: u32 = u32::MAX;

/// The lanes of one warp of a block.
pub(super) struct Lanes {
    /// Of each loop of the nest: which of the iterations that the block's
    /// threads share is the lane's; 0 for loops that are not around the access.
    pub(super) iterations: Vec<OfLanes>,
    /// Bytes from where lane 0 accesses memory; with lines that no other lane
    /// has for lanes that are far away.
    pub(super) distances: OfLanes,
    /// Of the access.
    bytes: i128,
}

impl Lanes {
    pub(super) fn new(
        warp: u32,
        reference: &Reference,
        offset: &Offset,
        threads: &Threads,
    ) -> Self {
        let mut iterations = vec![[0; WARP as usize]; threads.distributions.len()];
        let mut distances = [0; WARP as usize];
        for &number in &reference.within {
            let distribution = threads
                .distributions
                .get(number)
                .copied()
                .unwrap_or_default();
            let Some(of_lanes) = iterations.get_mut(number) else {
                continue;
            };
            for (lane, iteration) in (0..WARP).zip(of_lanes.iter_mut()) {
                let thread = position(warp * WARP + lane, threads.block);
                *iteration = share(distribution, threads.block, thread).0.into();
            }
            for (distance, iteration) in distances.iter_mut().zip(*of_lanes) {
                *distance += (iteration - of_lanes[0])
                    * match offset.strides[number] {
                        Stride::Bytes(bytes) => bytes,
                        // Loops that are both far have different lines, too.
                        Stride::Far => (1 << 40) + (i128::try_from(number).unwrap_or(0) << 60),
                    };
            }
        }
        Self {
            iterations,
            distances,
            bytes: reference.bytes.into(),
        }
    }

    /// What a request of some lanes comes to, lane 0 being `start` bytes behind
    /// a line's start.
    pub(super) fn request(&self, start: usize, active: u32) -> Tally {
        let start = i128::try_from(start).unwrap_or_default();
        request(
            self.distances.iter().map(|distance| start + distance),
            self.bytes,
            active,
        )
    }
}

/// What a request of those lanes comes to whose bit is set, each with its
/// address.
#[allow(clippy::cast_precision_loss, reason = "a few hundred at most")]
pub(super) fn request(addresses: impl Iterator<Item = i128>, bytes: i128, active: u32) -> Tally {
    let mut list = [0; WARP as usize];
    let mut count = 0;
    for (lane, address) in addresses.enumerate() {
        if active >> lane & 1 == 1 {
            list[count] = address;
            count += 1;
        }
    }
    let list = &mut list[..count];
    // Lanes mostly go upwards through memory.
    if !list.is_sorted() {
        list.sort_unstable();
    }
    let pieces = |size: i128| {
        let (mut next, mut count) = (i128::MIN, 0);
        for address in list.iter() {
            let first = address.div_euclid(size).max(next);
            let last = (address + bytes - 1).div_euclid(size);
            count += (last - first + 1).max(0);
            next = next.max(last + 1);
        }
        count as f64
    };
    Tally {
        requests: 1.0,
        transactions: pieces(LINE.into()),
        sectors: pieces(SECTOR.into()),
    }
}

/// Where a thread is in its block.
pub fn position(linear: u32, block: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = block;
    [linear % x, linear / x % y, linear / x / y]
}

/// How many threads of a block share a loop.
pub fn sharing(distribution: Distribution, block: [u32; 3]) -> u32 {
    share(distribution, block, [0; 3]).1
}

/// Which thread of those that share a loop this one is, and how many they are.
pub(super) fn share(distribution: Distribution, block: [u32; 3], thread: [u32; 3]) -> (u32, u32) {
    let mut number = 0;
    let mut count = 1;
    for axis in 0..3 {
        if distribution.threads[axis] {
            number += thread[axis] * count;
            count *= block[axis];
        }
    }
    (number, count)
}
