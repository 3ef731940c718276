//! What it comes to that a block fills a window.
//!
//! The threads of a block share its slots as [`SlotOrder`] says. Blocks differ in where
//! their window begins: how far from a line's start, and how many of its
//! indices are in the array.

use indexmap::IndexMap;

use super::lanes::request;
use super::prediction::{Gap, Prediction};
use super::rounds::combinations;
use super::{LINE, WARP};
use crate::ir::{Edged, SlotOrder};

/// A loop around the place where a window is filled.
#[derive(Clone, Copy, Debug)]
pub struct WindowLoop {
    /// How often its body runs, or why that is not known.
    pub trips: Result<i128, Gap>,
    /// How many iterations a block takes at a time.
    pub sharing: i128,
}

/// A dimension of a window.
#[derive(Clone, Debug)]
pub struct WindowSide {
    /// The index of the first slot when all loops are at their first iteration.
    pub first: i128,
    /// What an iteration of each loop adds.
    pub factors: Vec<(usize, i128)>,
    /// Slots.
    pub extent: i128,
    /// Bytes between neighbours of the array; `None` is some number of lines.
    pub stride: Option<i128>,
    /// Elements of the array, if known.
    pub length: Option<i128>,
}

/// A window that is fetched.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// The loops around, outermost first.
    pub loops: Vec<WindowLoop>,
    /// Outermost first.
    pub sides: Vec<WindowSide>,
    /// Bytes of an element.
    pub bytes: u64,
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
    /// Which of them has which slots.
    pub order: SlotOrder,
}

/// Rounds that stand for all where their number is not known.
const MANY: i128 = 128;
/// Combinations of rounds that are looked at.
const MOST: i128 = 1 << 20;

/// A block's window: bytes from a line's start, and of each dimension the slots
/// from which up to which the array has elements.
type Place = (i128, Vec<(i128, i128)>);

impl Fetch {
    /// What all fetches of a launch come to; `None` where there are too many
    /// different ones.
    pub fn predict(&self) -> Option<Prediction> {
        let mut prediction = Prediction {
            gap: self.gap(),
            assumed: self.sides.iter().any(|side| side.stride.is_none()),
            ..Prediction::default()
        };
        for (place, often) in self.places()? {
            self.add_block(&place, often, &mut prediction);
        }
        Some(prediction)
    }

    /// What is not known.
    fn gap(&self) -> Option<Gap> {
        let of_loops = self.loops.iter().filter_map(|l| l.trips.err());
        let unknown = self.sides.iter().filter(|side| side.length.is_none());
        of_loops.chain(unknown.map(|_| Gap::Size)).min()
    }

    fn rounds(&self, number: usize) -> i128 {
        let l = self.loops[number];
        l.trips.map_or(MANY, |trips: i128| {
            (trips.max(0) + l.sharing - 1) / l.sharing
        })
    }

    /// All windows of a launch, with how often each comes up.
    #[allow(clippy::cast_precision_loss, reason = "weights of an average")]
    fn places(&self) -> Option<IndexMap<Place, f64>> {
        let none = (0, vec![(0, 0); self.sides.len()]);
        let mut places: IndexMap<Place, f64> = std::iter::once((none, 1.0)).collect();
        for (loops, sides) in self.clusters() {
            let mut own: IndexMap<Place, f64> = IndexMap::new();
            for now in combinations(&loops, |number| self.rounds(number), MOST)? {
                *own.entry(self.place(&sides, &now)).or_default() += 1.0;
            }
            places = joined(&places, &own, &sides);
        }
        // Loops that move no window repeat it.
        let moves = |number: usize| {
            let mut sides = self.sides.iter();
            sides.any(|side| side.factors.iter().any(|(own, _)| *own == number))
        };
        let idle = (0..self.loops.len()).filter(|number| !moves(*number));
        let often: f64 = idle.map(|number| self.rounds(number) as f64).product();
        places.values_mut().for_each(|weight| *weight *= often);
        Some(places)
    }

    /// Dimensions that move with the same loops, with these.
    fn clusters(&self) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut clusters: Vec<(Vec<usize>, Vec<usize>)> = Vec::new();
        for (number, side) in self.sides.iter().enumerate() {
            let mut loops: Vec<usize> = side.factors.iter().map(|(l, _)| *l).collect();
            let mut sides = vec![number];
            let is_apart =
                |cluster: &(Vec<usize>, Vec<usize>)| !cluster.0.iter().any(|l| loops.contains(l));
            let (apart, tied): (Vec<_>, Vec<_>) = clusters.into_iter().partition(is_apart);
            for (more, others) in tied {
                loops.extend(more);
                sides.extend(others);
            }
            loops.sort_unstable();
            loops.dedup();
            clusters = apart;
            clusters.push((loops, sides));
        }
        clusters
    }

    /// The place of a window in a round of each loop, as far as some dimensions
    /// go.
    fn place(&self, sides: &[usize], rounds: &[(usize, i128)]) -> Place {
        let mut place = (0, vec![(0, 0); self.sides.len()]);
        for &number in sides {
            let side = &self.sides[number];
            let moved = rounds.iter().map(|(l, round)| {
                let factor = side.factors.iter().find(|(own, _)| own == l);
                factor.map_or(0, |(_, factor)| factor * round * self.loops[*l].sharing)
            });
            let base = side.first + moved.sum::<i128>();
            place.0 += base.wrapping_mul(side.stride.unwrap_or(0));
            let end = side.length.map_or(side.extent, |length| length - base);
            place.1[number] = ((-base).clamp(0, side.extent), end.clamp(0, side.extent));
        }
        place.0 = place.0.rem_euclid(LINE.into());
        place
    }

    /// What the block's warps fetch of one window.
    fn add_block(&self, place: &Place, often: f64, prediction: &mut Prediction) {
        let threads: u32 = self.block.iter().product();
        let of_thread = |thread: u32| -> Vec<i128> {
            let slots = self.slots_of(thread.into()).into_iter();
            let places = slots.map(|slot| self.slot(slot, place));
            let there = places.filter(|(_, is_there)| *is_there);
            there.map(|(address, _)| address).collect()
        };
        for first in (0..threads).step_by(WARP as usize) {
            let lanes: Vec<_> = (first..threads.min(first + WARP)).map(of_thread).collect();
            together(&lanes, self.bytes.into(), often, prediction);
        }
    }

    /// The slots of a thread in the order in which it takes them, counted row by row.
    fn slots_of(&self, thread: i128) -> Vec<i128> {
        let [x, y, z] = self.block.map(i128::from);
        let own = [(thread % x, x), (thread / x % y, y), (thread / (x * y), z)];
        let axes = match &self.order {
            SlotOrder::Linear => {
                let slots: i128 = self.sides.iter().map(|side| side.extent).product();
                return every(slots, thread, x * y * z).collect();
            }
            SlotOrder::Edged(edged) => return self.edged_slots(*edged, own[edged.axis]),
            SlotOrder::Dimensions(axes) => axes,
        };
        let mut found = vec![0];
        for (side, axis) in self.sides.iter().zip(axes) {
            let (first, step) = axis.map_or((0, 1), |axis| own[axis]);
            let with = |outer: i128| {
                every(side.extent, first, step).map(move |slot| outer * side.extent + slot)
            };
            found = found.into_iter().flat_map(with).collect();
        }
        found
    }

    /// The slots of a thread of this index among so many in [`SlotOrder::Edged`].
    fn edged_slots(&self, edged: Edged, (first, step): (i128, i128)) -> Vec<i128> {
        let [rows, columns] = [0, 1].map(|depth| self.sides.get(depth).map_or(1, |s| s.extent));
        let whole = i128::from(edged.whole);
        let inner = (0..rows)
            .flat_map(|row| every(whole, first, step).map(move |column| row * columns + column));
        let edge = every(rows, first, step)
            .flat_map(|row| (whole..columns).map(move |column| row * columns + column));
        inner.chain(edge).collect()
    }

    /// Where a slot's element is, and whether the array has it.
    fn slot(&self, slot: i128, place: &Place) -> (i128, bool) {
        let mut address = place.0;
        let mut is_there = true;
        let mut rest = slot;
        for (number, side) in self.sides.iter().enumerate().rev() {
            let index = rest % side.extent;
            rest /= side.extent;
            // Rows that are some number of lines apart share none.
            let far = 1 << (40 + 20 * number.min(3));
            address += index * side.stride.unwrap_or(far);
            let (begin, end) = place.1[number];
            is_there &= index >= begin && index < end;
        }
        (address, is_there)
    }
}

/// Every so manieth slot from one on.
fn every(slots: i128, first: i128, step: i128) -> impl Iterator<Item = i128> {
    let next = move |slot: &i128| Some(slot + step.max(1));
    std::iter::successors(Some(first), next).take_while(move |slot| *slot < slots)
}

/// Adds what the lanes of a warp access in turn, each the addresses in its list:
/// their first accesses are a request, their second ones, and so on. Where not
/// all have as many, all of these are partial.
fn together(lanes: &[Vec<i128>], bytes: i128, times: f64, prediction: &mut Prediction) {
    let most = lanes.iter().map(Vec::len).max().unwrap_or(0);
    let is_whole = lanes.len() == WARP as usize && lanes.iter().all(|list| list.len() == most);
    let tally = prediction.of(is_whole);
    for turn in 0..most {
        let mut active = 0;
        let addresses = lanes.iter().enumerate().map(|(lane, list)| {
            let address = list.get(turn);
            active |= u32::from(address.is_some()) << lane;
            address.copied().unwrap_or_default()
        });
        let addresses: Vec<i128> = addresses.collect();
        tally.add(request(addresses.into_iter(), bytes, active), times);
    }
}

/// All places with others, of which some dimensions are known.
fn joined(
    places: &IndexMap<Place, f64>,
    others: &IndexMap<Place, f64>,
    sides: &[usize],
) -> IndexMap<Place, f64> {
    let mut result = IndexMap::new();
    for ((start, ends), often) in places {
        for ((moved, own), times) in others {
            let mut ends = ends.clone();
            for &side in sides {
                ends[side] = own[side];
            }
            let start = (start + moved).rem_euclid(LINE.into());
            *result.entry((start, ends)).or_default() += often * times;
        }
    }
    result
}
