//! What the requests of a nest's access come to.
//!
//! The lanes of a warp differ in the iterations of those loops that are distributed
//! over threads; all else moves the warp as a whole, so that only its distance
//! from a line's start counts, and who takes part.
//!
//! What is not known, such as the length of a row at run time, is taken to be
//! a multiple of a line; lanes that are so far apart share none. Of conditions
//! that the data decides all lanes are taken to be on one side.

use std::cell::RefCell;
use std::collections::HashMap;

use super::guard::Guard;
use super::lanes::{ALL, Lanes, OfLanes, sharing};
use super::offset::{Offset, Stride};
use super::rounds::{Classes, MOST_ROUNDS, Warp, combinations, joined, once, product};
use super::{LINE, Nest, Reference, Values, WARP};
use crate::analysis::polynomial::gcd;
use crate::ir::Distribution;
use crate::typed::SymbolId;

/// How a nest's loops are distributed, and the shape of a block.
#[derive(Clone, Debug)]
pub struct Threads<'s> {
    /// Of each loop of the nest.
    pub distributions: &'s [Distribution],
    /// Threads along x, y, z.
    pub block: [u32; 3],
}

impl Threads<'_> {
    fn distribution(&self, number: usize) -> Distribution {
        self.distributions.get(number).copied().unwrap_or_default()
    }

    /// How many threads of a block share a loop.
    pub(super) fn sharing(&self, number: usize) -> i128 {
        sharing(self.distribution(number), self.block).into()
    }

    /// Whether each block has rounds of its own.
    fn is_over_blocks(&self, number: usize) -> bool {
        self.distribution(number).blocks.is_some()
    }
}

/// Requests, and what they come to. Where it is not known how many they are,
/// only proportions count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Accesses of a warp's lanes together.
    pub requests: f64,
    /// Lines of 128 bytes.
    pub transactions: f64,
    /// Sectors of 32 bytes.
    pub sectors: f64,
}

impl Tally {
    /// Adds so many times another one.
    pub(super) fn add(&mut self, other: Self, times: f64) {
        self.requests += other.requests * times;
        self.transactions += other.transactions * times;
        self.sectors += other.sectors * times;
    }

    /// Transactions and sectors of one request; none without requests.
    pub fn of_a_request(&self) -> Option<(f64, f64)> {
        (self.requests > 0.0).then(|| {
            (
                self.transactions / self.requests,
                self.sectors / self.requests,
            )
        })
    }
}

/// What an access comes to in one launch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prediction {
    /// Requests in which all lanes of a warp take part.
    pub full: Tally,
    /// Those of partial warps, and of warps whose lanes go different ways: they
    /// are apart, since which lanes then go together a GPU does not say.
    pub partial: Tally,
    /// Whether lengths of rows of unknown value took part.
    pub assumed: bool,
    /// Whether where the lanes begin depends on an unknown value, which is taken to be a multiple
    /// of a line.
    pub assumes_start: bool,
    /// Why the numbers of requests are not known, but just what one of them
    /// comes to.
    pub gap: Option<Gap>,
}

impl Prediction {
    /// Adds what else there is.
    pub fn add(&mut self, other: &Self) {
        self.full.add(other.full, 1.0);
        self.partial.add(other.partial, 1.0);
        self.assumed |= other.assumed;
        self.assumes_start |= other.assumes_start;
        self.gap = self.gap.or(other.gap);
    }

    /// The requests of whole warps, or the others.
    pub(super) fn of(&mut self, is_whole: bool) -> &mut Tally {
        match is_whole {
            true => &mut self.full,
            false => &mut self.partial,
        }
    }
}

/// What keeps a launch's requests from being known; what no value mends is
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gap {
    /// A condition around the access, or how often a loop around it runs, is
    /// not affine in the loops' iterations.
    Condition,
    /// The value of a variable.
    Size,
}

/// Why nothing is known of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unpredictable {
    /// Where it goes is not affine in the loops' iterations.
    Index,
    /// How far apart the lanes of a warp are depends on a variable.
    Step(SymbolId),
}

/// Predicts an access.
///
/// # Errors
/// Why it cannot be.
pub fn predict(
    reference: &Reference,
    nest: &Nest,
    threads: &Threads,
    values: &Values,
) -> Result<Prediction, Unpredictable> {
    let offset = Offset::new(reference, nest, values).ok_or(Unpredictable::Index)?;
    let lanes = Lanes::new(0, reference, &offset, threads);
    let is_known = |step: &Option<SymbolId>| step.is_some_and(|step| values(step).is_some());
    for (number, step) in reference.steps.iter().filter(|(_, step)| !is_known(step)) {
        let own = &lanes.iterations[*number];
        if own.iter().any(|iteration| *iteration != own[0]) {
            return Err(step.map_or(Unpredictable::Index, Unpredictable::Step));
        }
    }
    let guard = Guard::new(reference, nest, threads, values);
    Ok(of_warps(reference, &offset, &guard, threads))
}

/// What accesses that were looked at came to: a program has many that are alike.
#[derive(Debug, Default)]
pub struct Endless {
    known: RefCell<HashMap<Pattern, Tally>>,
}

/// All that the requests of an access without end depend on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Pattern {
    block: [u32; 3],
    /// Of the access.
    bytes: u64,
    /// From a line's start to the first access.
    start: usize,
    /// The loops around it, by their numbers.
    loops: Vec<(usize, Distribution, Stride)>,
}

impl Endless {
    /// As [`predict`] where every loop had many rounds and no access stood under a
    /// condition: what accesses are like, before blocks have a shape that fits.
    pub fn predict(
        &self,
        reference: &Reference,
        nest: &Nest,
        threads: &Threads,
    ) -> Option<Prediction> {
        let offset = Offset::new(reference, nest, &|_| None)?;
        let within = reference.within.iter();
        let pattern = Pattern {
            block: threads.block,
            bytes: reference.bytes,
            start: offset.start(),
            loops: within
                .map(|&number| (number, threads.distribution(number), offset.strides[number]))
                .collect(),
        };
        let mut known = self.known.borrow_mut();
        let full = known.entry(pattern).or_insert_with(|| {
            let guard = Guard::endless(nest);
            of_groups(reference, &offset, &guard, threads)
        });
        Some(Prediction {
            full: *full,
            assumed: offset.assumed,
            assumes_start: offset.assumes_start,
            ..Prediction::default()
        })
    }
}

/// Warps that are alike but for where they begin, taken together: endless loops
/// bring each of them wherever any of them comes.
fn of_groups(reference: &Reference, offset: &Offset, guard: &Guard, threads: &Threads) -> Tally {
    let mut groups: Vec<(Warp, f64)> = Vec::new();
    let warps = threads.block.iter().product::<u32>() / WARP;
    let all: Vec<Lanes> = (0..warps)
        .map(|number| Lanes::new(number, reference, offset, threads))
        .collect();
    for lanes in &all {
        let alike = |(warp, _): &&mut (Warp, f64)| warp.lanes.distances == lanes.distances;
        match groups.iter_mut().find(alike) {
            Some((warp, count)) => {
                for &number in &reference.within {
                    let apart = lanes.iterations[number][0] - warp.lanes.iterations[number][0];
                    warp.steps[number] = gcd(warp.steps[number], apart);
                }
                *count += 1.0;
            }
            None => groups.push((Warp::new(lanes, offset, guard, threads), 1.0)),
        }
    }
    let mut sum = Tally::default();
    for (warp, count) in groups {
        let mut own = Counter::default();
        own.add_warp(&warp, reference, ALL);
        sum.add(own.prediction.full, count);
    }
    sum
}

/// Combinations of rounds that are looked at one by one.
const MOST_COMBINATIONS: i128 = 1 << 12;

/// The same with the rounds in a thread of each.
const MOST_TOGETHER: i128 = 1 << 18;

fn of_warps(
    reference: &Reference,
    offset: &Offset,
    guard: &Guard,
    threads: &Threads,
) -> Prediction {
    let mut counter = Counter {
        prediction: Prediction {
            assumed: offset.assumed,
            assumes_start: offset.assumes_start,
            gap: guard.gap,
            ..Prediction::default()
        },
        ..Counter::default()
    };
    let warps = threads.block.iter().product::<u32>().div_ceil(WARP);
    for number in 0..warps {
        let lanes = Lanes::new(number, reference, offset, threads);
        let warp = Warp::new(&lanes, offset, guard, threads);
        let left = threads.block.iter().product::<u32>() - number * WARP;
        let existing = if left < WARP { (1 << left) - 1 } else { ALL };
        counter.add_warp(&warp, reference, existing);
    }
    counter.prediction
}

/// What the warps of a block come to.
#[derive(Default)]
struct Counter {
    prediction: Prediction,
    distances: OfLanes,
    /// Requests of whole warps with these distances, by how far they are from a
    /// line's start: warps of a block are mostly alike.
    requests: Vec<Option<Tally>>,
}

impl Counter {
    /// Forgets what other lanes came to.
    fn of_warp(&mut self, lanes: &Lanes) {
        if self.requests.is_empty() || self.distances != lanes.distances {
            self.distances = lanes.distances;
            self.requests = vec![None; LINE as usize];
        }
    }

    fn request(&mut self, lanes: &Lanes, phase: usize, active: u32) -> Tally {
        if active != ALL {
            return lanes.request(phase, active);
        }
        *self.requests[phase].get_or_insert_with(|| lanes.request(phase, active))
    }

    /// Rounds of loops over blocks apart from those that a thread has one after the
    /// other: of the latter, one that not all lanes have makes all of them partial.
    fn add_warp(&mut self, warp: &Warp, reference: &Reference, existing: u32) {
        self.of_warp(warp.lanes);
        let within = reference.within.iter().copied();
        let (over_blocks, in_thread): (Vec<usize>, Vec<usize>) =
            within.partition(|number| warp.threads.is_over_blocks(*number));
        // Loops over blocks that comparisons tie to loops in the thread.
        let mut tied = in_thread.clone();
        loop {
            let ties = warp.guard.atoms.iter();
            let ties = ties.filter(|atom| atom.loops().any(|number| tied.contains(&number)));
            let next = ties
                .flat_map(|atom| atom.loops())
                .find(|n| !tied.contains(n));
            match next {
                Some(number) => tied.push(number),
                None => break,
            }
        }
        let (explicit, free): (Vec<usize>, Vec<usize>) =
            over_blocks.into_iter().partition(|n| tied.contains(n));
        let rounds = |number| warp.rounds(number);
        let outer = product(
            &once(warp.guard, warp.offset.start()),
            &warp.classes(&free, &[]),
        );
        let in_each = in_thread.iter().map(|number| rounds(*number).max(1));
        let in_each = in_each.fold(1_i128, i128::saturating_mul).min(MOST_ROUNDS);
        let most = MOST_COMBINATIONS.min(MOST_TOGETHER / in_each);
        let Some(combinations) = combinations(&explicit, rounds, most) else {
            let outer = product(&outer, &warp.classes(&explicit, &[]));
            self.add_classes(warp, &outer, &warp.classes(&in_thread, &[]), existing);
            return;
        };
        for fixed in combinations {
            let here = product(&outer, &once(warp.guard, warp.phase_of(&fixed)));
            self.add_classes(warp, &here, &warp.classes(&in_thread, &fixed), existing);
        }
    }

    fn add_classes(&mut self, warp: &Warp, outer: &Classes, inner: &Classes, existing: u32) {
        for one in outer {
            let active = |masks: &[u32]| warp.guard.active(masks) & existing;
            let all: Vec<_> = inner
                .iter()
                .map(|other| {
                    let (masks, phases) = joined(one, other);
                    (active(&masks), phases)
                })
                .collect();
            let is_whole = all.iter().all(|(active, _)| *active == 0 || *active == ALL);
            for (active, phases) in all.iter().filter(|(active, _)| *active != 0) {
                for (phase, weight) in phases.iter().enumerate().filter(|(_, w)| **w > 0.0) {
                    let request = self.request(warp.lanes, phase, *active);
                    self.prediction.of(is_whole).add(request, *weight);
                }
            }
        }
    }
}
