//! Rounds of loops that are alike to a warp: they bring it to the same distance
//! from a line's start, and the same lanes to each side of every comparison.
//!
//! Loops without a comparison in common do not depend on each other, so that
//! what is alike is found loop by loop and then multiplied.

use indexmap::IndexMap;

use super::LINE;
use super::guard::{Atom, Guard};
use super::lanes::{ALL, Lanes, OfLanes};
use super::offset::Offset;
use super::{Threads, WARP};
use crate::analysis::polynomial::gcd;

/// Distances from a line's start.
const PHASES: usize = LINE as usize;

/// Rounds of a loop that stand for all where their number is not known: every
/// distance comes up equally often.
const MANY: i128 = 128;

/// Rounds that are looked at one by one; of more, those at both ends are, and
/// those in between are taken to compare like the middle one.
pub(super) const MOST_ROUNDS: i128 = 1 << 16;
const AT_AN_END: i128 = 1 << 10;

/// How often a warp's first lane is how far from a line's start.
pub(super) type Phases = [f64; PHASES];

/// Rounds by the lanes for which each comparison holds.
pub(super) type Classes = IndexMap<Vec<u32>, Phases>;

/// One round of nothing.
pub(super) fn once(guard: &Guard, phase: usize) -> Classes {
    let mut phases = [0.0; PHASES];
    phases[phase % PHASES] = 1.0;
    std::iter::once((vec![ALL; guard.atoms.len()], phases)).collect()
}

/// One class and another at the same time.
pub(super) fn joined(one: (&Vec<u32>, &Phases), other: (&Vec<u32>, &Phases)) -> (Vec<u32>, Phases) {
    let masks = one.0.iter().zip(other.0).map(|(a, b)| a & b).collect();
    (masks, moved(one.1, other.1))
}

/// All classes with all others.
pub(super) fn product(some: &Classes, others: &Classes) -> Classes {
    let mut result = Classes::new();
    for one in some {
        for other in others {
            let (masks, phases) = joined(one, other);
            add(&mut result, masks, &phases);
        }
    }
    result
}

fn add(classes: &mut Classes, masks: Vec<u32>, phases: &Phases) {
    let sum = classes.entry(masks).or_insert([0.0; PHASES]);
    for (sum, weight) in sum.iter_mut().zip(phases) {
        *sum += weight;
    }
}

fn moved(phases: &Phases, by: &Phases) -> Phases {
    let mut result = [0.0; PHASES];
    for (phase, weight) in phases.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        for (shift, often) in by.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            result[(phase + shift) % PHASES] += weight * often;
        }
    }
    result
}

/// What a warp needs to know of itself to tell rounds apart.
pub(super) struct Warp<'w> {
    pub(super) lanes: &'w Lanes,
    pub(super) offset: &'w Offset,
    pub(super) guard: &'w Guard,
    pub(super) threads: &'w Threads<'w>,
    /// By how many iterations each loop of the nest goes on in a round.
    pub(super) steps: Vec<i128>,
}

impl<'w> Warp<'w> {
    pub(super) fn new(
        lanes: &'w Lanes,
        offset: &'w Offset,
        guard: &'w Guard,
        threads: &'w Threads<'w>,
    ) -> Self {
        Self {
            lanes,
            offset,
            guard,
            threads,
            steps: (0..threads.distributions.len())
                .map(|number| threads.sharing(number))
                .collect(),
        }
    }

    /// How many rounds a loop has.
    pub(super) fn rounds(&self, number: usize) -> i128 {
        let step = self.steps[number];
        match self.guard.trips[number] {
            Some(trips) => (trips + step - 1) / step,
            None => MANY,
        }
    }

    /// The iteration of each lane in a round of a loop.
    fn iterations(&self, number: usize, round: i128) -> OfLanes {
        let first = round * self.steps[number];
        self.lanes.iterations[number].map(|own| own + first)
    }

    /// How far a round of a loop moves lane 0 from a line's start.
    fn phase(&self, number: usize, round: i128) -> usize {
        self.offset.phase(number, self.iterations(number, round)[0])
    }

    /// The same for a round of each of some loops.
    pub(super) fn phase_of(&self, loops: &[(usize, i128)]) -> usize {
        let phases = loops
            .iter()
            .map(|&(number, round)| self.phase(number, round));
        phases.sum::<usize>() % PHASES
    }

    /// What a round of each loop adds to a comparison's sides.
    fn parts(&self, atom: &Atom, loops: &[(usize, i128)]) -> OfLanes {
        let mut parts = [0; WARP as usize];
        for &(number, round) in loops {
            let iterations = self.iterations(number, round);
            for (part, iteration) in parts.iter_mut().zip(iterations) {
                *part += atom.part(number, iteration);
            }
        }
        parts
    }

    /// The class of one round of each of some loops. Comparisons of other loops
    /// hold; `fixed` are the rounds of loops that stand still.
    fn class(&self, loops: &[(usize, i128)], fixed: &[(usize, i128)]) -> (Vec<u32>, usize) {
        let all: Vec<(usize, i128)> = loops.iter().chain(fixed).copied().collect();
        let is_here = |number: usize| loops.iter().any(|(own, _)| *own == number);
        let is_set = |number: usize| all.iter().any(|(own, _)| *own == number);
        let masks = self.guard.atoms.iter().map(|atom| {
            let whole = atom.loops().all(is_set);
            let own =
                atom.loops().any(is_here) || loops.is_empty() && atom.loops().next().is_none();
            if !whole || !own {
                return ALL;
            }
            let parts = self.parts(atom, &all);
            (0..WARP)
                .zip(parts)
                .filter(|(_, part)| atom.holds(*part))
                .fold(0, |mask, (lane, _)| mask | 1 << lane)
        });
        (masks.collect(), self.phase_of(loops))
    }

    /// The classes of all rounds of some loops, others standing still.
    pub(super) fn classes(&self, loops: &[usize], fixed: &[(usize, i128)]) -> Classes {
        let mut result = once(self.guard, 0);
        for together in self.clusters(loops) {
            result = product(&result, &self.cluster(&together, fixed));
        }
        // Comparisons of numbers alone, and of loops that all stand still.
        let (masks, _) = self.class(&[], fixed);
        let still = self.class(fixed, &[]).0;
        let both: Vec<u32> = masks.iter().zip(&still).map(|(a, b)| a & b).collect();
        let mut only = once(self.guard, 0);
        if let Some((_, phases)) = only.pop() {
            only.insert(both, phases);
        }
        product(&result, &only)
    }

    /// Loops that comparisons tie to each other.
    fn clusters(&self, loops: &[usize]) -> Vec<Vec<usize>> {
        let mut clusters: Vec<Vec<usize>> = loops.iter().map(|number| vec![*number]).collect();
        for atom in &self.guard.atoms {
            let is_tied =
                |cluster: &Vec<usize>| atom.loops().any(|number| cluster.contains(&number));
            let (tied, rest): (Vec<_>, Vec<_>) = clusters.into_iter().partition(is_tied);
            clusters = rest;
            if !tied.is_empty() {
                clusters.push(tied.concat());
            }
        }
        clusters
    }

    fn cluster(&self, loops: &[usize], fixed: &[(usize, i128)]) -> Classes {
        if let [only] = loops {
            return self.single(*only, fixed);
        }
        let rounds = |number| self.rounds(number);
        let Some(combinations) = combinations(loops, rounds, MOST_ROUNDS) else {
            // Too many to be looked at: each for itself.
            return loops.iter().fold(once(self.guard, 0), |all, number| {
                product(&all, &self.single(*number, fixed))
            });
        };
        let mut result = Classes::new();
        for now in combinations {
            let (masks, phase) = self.class(&now, fixed);
            result.entry(masks).or_insert([0.0; PHASES])[phase] += 1.0;
        }
        result
    }

    fn single(&self, number: usize, fixed: &[(usize, i128)]) -> Classes {
        let rounds = self.rounds(number);
        let is_compared = |atom: &Atom| atom.loops().any(|own| own == number);
        let mut result = Classes::new();
        let mut alone = |first: i128, last: i128| {
            for round in first..last {
                let (masks, phase) = self.class(&[(number, round)], fixed);
                result.entry(masks).or_insert([0.0; PHASES])[phase] += 1.0;
            }
        };
        let edge = match self.guard.atoms.iter().any(is_compared) {
            true if rounds <= MOST_ROUNDS => rounds,
            true => AT_AN_END,
            false => 0,
        };
        alone(0, edge);
        alone((rounds - edge).max(edge), rounds);
        if edge * 2 < rounds {
            let (masks, _) = self.class(&[(number, rounds / 2)], fixed);
            add(
                &mut result,
                masks,
                &self.stretch(number, edge, rounds - edge),
            );
        }
        result
    }

    /// Phases of many rounds, which repeat.
    #[allow(clippy::cast_precision_loss, reason = "weights of an average")]
    fn stretch(&self, number: usize, first: i128, last: i128) -> Phases {
        let mut phases = [0.0; PHASES];
        let step = self.offset.phase(number, self.steps[number]);
        let period = PHASES as i128 / gcd(step as i128, PHASES as i128);
        for round in first..last.min(first + period) {
            let often = (last - 1 - round) / period + 1;
            phases[self.phase(number, round)] += often as f64;
        }
        phases
    }
}

/// A round of each of these loops, in all ways; `None` if there are more than `most`.
pub(super) fn combinations(
    loops: &[usize],
    rounds: impl Fn(usize) -> i128,
    most: i128,
) -> Option<impl Iterator<Item = Vec<(usize, i128)>>> {
    let rounds: Vec<i128> = loops.iter().map(|number| rounds(*number)).collect();
    let mut factors = rounds.iter();
    let count = factors.try_fold(1_i128, |all, n| all.checked_mul(*n))?;
    let first = rounds.iter().all(|n| *n > 0).then(|| vec![0; loops.len()]);
    let all = std::iter::successors(first, move |at| advance(at.clone(), &rounds));
    (count <= most).then(|| all.map(|at| loops.iter().copied().zip(at).collect()))
}

/// The next combination of rounds; none after the last.
fn advance(mut at: Vec<i128>, rounds: &[i128]) -> Option<Vec<i128>> {
    // The last that is not at its end goes on, those behind it begin again.
    let last = at
        .iter()
        .zip(rounds)
        .rposition(|(at, rounds)| at + 1 < *rounds)?;
    at[last] += 1;
    at[last + 1..].fill(0);
    Some(at)
}
