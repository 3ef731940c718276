//! How the threads of a block share the slots of a window, to fill it or to write it back.
//!
//! ```text
//! block 32 x 8, window [10][34]      rows over y, columns over x: 2 x 2 rounds
//! block 16, window [16][16]          columns over x, each thread goes through the rows
//! block 16, window [17][17]          the same of 16 columns; the last one is shared row by row
//! block 256, window [64][4]          all slots over all threads, counted row by row
//! block 16 x 16, window [16][9]      the same: of a warp's two rows 14 lanes would idle
//! ```
//!
//! Dimension by dimension no slot's number has to be divided; but where rows are much shorter
//! than the block has threads along x, most of these would wait.

use super::limits;

/// Who has which slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotOrder {
    /// Slots are counted row by row, threads as CUDA counts them: a thread has the slot of its
    /// number, and every one a whole block further.
    Linear,
    /// Of each dimension, outermost first, the axis of the block over which it is shared: a thread
    /// has the slots of its index there, and every one a whole extent further. Without an axis
    /// each thread goes through all of the dimension; the last of these loops is the innermost.
    Dimensions(Vec<Option<usize>>),
    /// Two dimensions, of which the inner one is shared as far as whole rounds of the threads
    /// reach. The few columns that are left have their rows shared.
    Edged(Edged),
}

/// See [`SlotOrder::Edged`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edged {
    /// The axis of the block.
    pub axis: usize,
    /// Its threads.
    pub threads: u64,
    /// The columns in whole rounds.
    pub whole: u64,
}

impl Edged {
    /// Of so many rows and columns, if that takes fewer rounds than rows of all columns do.
    fn of(
        axes: &[Option<usize>],
        window: &[Option<u64>],
        block: &[Option<u64>; 3],
    ) -> Option<Self> {
        let ([None, Some(axis)], [Some(rows), Some(columns)]) = (axes, window) else {
            return None;
        };
        let threads = block[*axis].filter(|threads| *threads > 0)?;
        let left = columns % threads;
        let edge = left.checked_mul(rows.div_ceil(threads))?;
        let edged = Self {
            axis: *axis,
            threads,
            whole: columns - left,
        };
        (left > 0 && left < *columns && edge < *rows).then_some(edged)
    }
}

impl SlotOrder {
    /// The thread (x, y, z) of a block that has a slot; `slot` and `window` go by dimensions,
    /// outermost first.
    pub fn thread_of(&self, slot: &[u64], window: &[u64], block: [u64; 3]) -> [u64; 3] {
        let mut thread = [0; 3];
        let mut take = |axis: usize, number: u64| thread[axis] = number % block[axis].max(1);
        match self {
            Self::Linear => {
                let places = slot.iter().zip(window);
                let mut rest = places.fold(0, |number, (at, extent)| number * extent + at);
                for (axis, threads) in block.into_iter().enumerate() {
                    take(axis, rest);
                    rest /= threads.max(1);
                }
            }
            Self::Dimensions(axes) => {
                let shared = axes.iter().zip(slot);
                let shared = shared.filter_map(|(axis, at)| axis.map(|axis| (axis, *at)));
                shared.for_each(|(axis, at)| take(axis, at));
            }
            Self::Edged(edged) => {
                if let [row, column] = slot {
                    let is_edge = *column >= edged.whole;
                    take(edged.axis, if is_edge { *row } else { *column });
                }
            }
        }
        thread
    }
}

/// So many more rounds than with [`SlotOrder::Linear`] cost as much as its divisions.
const COST_OF_DIVISION: u64 = 3;

/// Whether rows that several of fit into a warp leave lanes of it idle, which would do the work of
/// the block's last warps: a window that one round of the block fills, in two dimensions.
fn leaves_lanes_idle(window: &[Option<u64>], block: &[Option<u64>; 3]) -> bool {
    let ([Some(rows), Some(columns)], [Some(along_x), Some(along_y), Some(1)]) = (window, block)
    else {
        return false;
    };
    1 < *columns
        && columns < along_x
        && *along_x < u64::from(limits::WARP)
        && (2..=*along_y).contains(rows)
}

/// Decides for a window and a block, whose extents may be known at the launch only: those of the
/// window outermost first, those of the block along x, y and z.
pub fn slot_order(window: &[Option<u64>], block: &[Option<u64>; 3]) -> SlotOrder {
    let axes: Vec<usize> = (0..3)
        .rev()
        .filter(|&axis| block[axis] != Some(1))
        .collect();
    let Some(outer) = window.len().checked_sub(axes.len()) else {
        return SlotOrder::Linear;
    };
    let shared: Vec<Option<usize>> = (0..window.len())
        .map(|depth| depth.checked_sub(outer).map(|place| axes[place]))
        .collect();
    let rounds = |slots: Option<u64>, threads: Option<u64>| {
        let (slots, threads) = (slots?, threads?);
        (threads > 0).then(|| slots.div_ceil(threads))
    };
    let product =
        |of: &[Option<u64>]| (of.iter()).try_fold(1u64, |product, n| product.checked_mul((*n)?));
    let by_dimension: Vec<Option<u64>> = (window.iter().zip(&shared))
        .map(|(slots, axis)| rounds(*slots, axis.map_or(Some(1), |axis| block[axis])))
        .collect();
    let all = rounds(product(window), product(block));
    let pays = match (product(&by_dimension), all) {
        (Some(own), Some(linear)) => {
            own <= linear.saturating_mul(COST_OF_DIVISION).saturating_add(2)
        }
        _ => outer == 0,
    };
    match pays && !leaves_lanes_idle(window, block) {
        true => match Edged::of(&shared, window, block) {
            Some(edged) => SlotOrder::Edged(edged),
            None => SlotOrder::Dimensions(shared),
        },
        false => SlotOrder::Linear,
    }
}

#[cfg(test)]
mod tests {
    use super::{Edged, SlotOrder, slot_order};

    fn order(window: &[u64], block: [u64; 3]) -> SlotOrder {
        let window: Vec<_> = window.iter().copied().map(Some).collect();
        slot_order(&window, &block.map(Some))
    }

    #[test]
    fn each_slot_has_its_thread() {
        let thread = |slot: [u64; 2], window: [u64; 2], block: [u64; 3]| {
            order(&window, block).thread_of(&slot, &window, block)
        };
        assert_eq!(thread([9, 33], [10, 34], [32, 8, 1]), [1, 1, 0]);
        assert_eq!(thread([3, 4], [17, 17], [16, 1, 1]), [4, 0, 0]);
        assert_eq!(thread([3, 16], [17, 17], [16, 1, 1]), [3, 0, 0]);
        assert_eq!(order(&[64, 4], [256, 1, 1]), SlotOrder::Linear);
        assert_eq!(thread([63, 2], [64, 4], [256, 1, 1]), [254, 0, 0]);
        assert_eq!(
            SlotOrder::Linear.thread_of(&[70], &[80], [8, 4, 2]),
            [6, 0, 0]
        );
    }

    #[test]
    fn rows_that_leave_lanes_of_a_warp_idle_are_counted_through() {
        assert_eq!(order(&[16, 9], [16, 16, 1]), SlotOrder::Linear);
        for (window, block) in [([16, 16], [16, 16, 1]), ([16, 9], [32, 8, 1])] {
            assert_ne!(order(&window, block), SlotOrder::Linear);
        }
    }

    #[test]
    fn dimensions_go_with_axes_from_the_innermost_on() {
        let rows_and_columns = SlotOrder::Dimensions(vec![Some(1), Some(0)]);
        assert_eq!(order(&[10, 34], [32, 8, 1]), rows_and_columns);
        let columns = SlotOrder::Dimensions(vec![None, Some(0)]);
        assert_eq!(order(&[17, 16], [16, 1, 1]), columns);
        assert_eq!(order(&[2, 24], [16, 1, 1]), columns);
        let edged = SlotOrder::Edged(Edged {
            axis: 0,
            threads: 16,
            whole: 16,
        });
        assert_eq!(order(&[17, 17], [16, 1, 1]), edged);
        // An axis of one thread shares nothing.
        let outer = SlotOrder::Dimensions(vec![Some(2), Some(1)]);
        assert_eq!(order(&[4, 8], [1, 8, 4]), outer);
    }

    #[test]
    fn short_rows_are_shared_slot_by_slot() {
        assert_eq!(order(&[64, 4], [256, 1, 1]), SlotOrder::Linear);
        assert_eq!(order(&[258], [32, 8, 1]), SlotOrder::Linear);
    }

    #[test]
    fn sizes_of_the_launch() {
        let all = [None, None, Some(1)];
        let both = SlotOrder::Dimensions(vec![Some(1), Some(0)]);
        assert_eq!(slot_order(&[None, Some(34)], &all), both);
        let line = [Some(256), Some(1), Some(1)];
        assert_eq!(slot_order(&[None, None], &line), SlotOrder::Linear);
    }
}
