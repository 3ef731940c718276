//! What a request of a whole warp comes to.
//!
//! The lanes of a warp differ in the iterations of those loops that are spread
//! over threads; all else moves the warp as a whole, so that only its distance
//! from a line's start counts. That is averaged over all blocks, warps and
//! sequential iterations: for each loop how often it brings which distance,
//! loops being independent of each other.
//!
//! What is not known, such as the length of a row at run time, is taken to be
//! a multiple of a line; lanes that are so far apart share none.

use super::{LINE, Nest, Reference, SECTOR, WARP};
use crate::analysis::affine::{Affine, Term};
use crate::ir::Spread;
use crate::typed::SymbolId;

/// Distances from a line's start.
const PHASES: usize = LINE as usize;

/// Rounds of a loop that stand for all where their number is not known: every
/// distance comes up equally often.
const MANY: i128 = 128;

/// Strides beyond this are of no array; sums of them stay far from overflow.
const MOST_BYTES: i128 = 1 << 80;

/// The values of variables that a prediction may take for granted.
pub type Values<'v> = dyn Fn(SymbolId) -> Option<i128> + 'v;

/// How a nest's loops are spread, and the shape of a block.
#[derive(Clone, Debug)]
pub struct Threads<'s> {
    /// Of each loop of the nest.
    pub spreads: &'s [Spread],
    /// Threads along x, y, z.
    pub block: [u32; 3],
}

/// What the requests of whole warps come to, on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Lines of 128 bytes.
    pub transactions: f64,
    /// Sectors of 32 bytes.
    pub sectors: f64,
    /// Whether variables of unknown value took part.
    pub assumed: bool,
}

/// Predicts a request; `None` if the access is not affine, or no warp is whole.
pub fn predict(
    reference: &Reference,
    nest: &Nest,
    threads: &Threads,
    values: &Values,
) -> Option<Prediction> {
    average(reference, &Offset::new(reference, nest, values)?, threads)
}

/// As [`predict`] where every loop had many rounds: what accesses are like,
/// before blocks have a shape that fits.
pub fn predict_endless(
    reference: &Reference,
    nest: &Nest,
    threads: &Threads,
) -> Option<Prediction> {
    let mut offset = Offset::new(reference, nest, &|_| None)?;
    offset.trips.fill(None);
    average(reference, &offset, threads)
}

fn average(reference: &Reference, offset: &Offset, threads: &Threads) -> Option<Prediction> {
    let warps = threads.block.iter().product::<u32>() / WARP;
    let mut sum = [0.0; 3];
    for warp in 0..warps {
        let lanes = Lanes::new(warp, reference, offset, threads);
        let Some(phases) = phases(&lanes, reference, offset, threads) else {
            continue;
        };
        for (phase, weight) in phases.into_iter().enumerate() {
            if weight > 0.0 {
                let start = i128::try_from(phase).unwrap_or_default();
                let bytes = reference.bytes.into();
                sum[0] += weight;
                sum[1] += weight * lanes.pieces(start, bytes, LINE.into());
                sum[2] += weight * lanes.pieces(start, bytes, SECTOR.into());
            }
        }
    }
    (sum[0] > 0.0).then(|| Prediction {
        transactions: sum[1] / sum[0],
        sectors: sum[2] / sum[0],
        assumed: offset.assumed,
    })
}

/// A byte offset by loops.
struct Offset {
    /// Without the loops.
    base: i128,
    /// Bytes an iteration of each loop of the nest.
    strides: Vec<Stride>,
    /// Rounds of each loop, if known.
    trips: Vec<Option<i128>>,
    assumed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stride {
    Bytes(i128),
    /// Some number of lines.
    Far,
}

impl Offset {
    fn new(reference: &Reference, nest: &Nest, values: &Values) -> Option<Self> {
        let offset = reference.offset.as_ref()?;
        let mut result = Self {
            base: 0,
            strides: vec![Stride::Bytes(0); nest.loops.len()],
            trips: nest
                .trips
                .iter()
                .map(|trips| value(trips.as_ref()?, values))
                .collect(),
            assumed: false,
        };
        for (product, coefficient) in offset.terms() {
            let mut loops = product.iter().filter_map(|term| match term {
                Term::Iteration(number) => Some(*number),
                Term::Invariant(_) | Term::Opaque(_) => None,
            });
            let (number, more) = (loops.next(), loops.next());
            if more.is_some() {
                return None;
            }
            let factor = known_factor(product, values).and_then(|f| f.checked_mul(coefficient));
            if factor.is_some_and(|bytes| bytes.abs() > MOST_BYTES) {
                return None;
            }
            result.assumed |= factor.is_none();
            match (number, factor) {
                (None, Some(bytes)) => result.base = result.base.checked_add(bytes)?,
                (None, None) => {} // a multiple of a line
                (Some(number), factor) => {
                    let stride = result.strides.get_mut(number)?;
                    *stride = match (*stride, factor) {
                        (Stride::Bytes(sum), Some(bytes)) => Stride::Bytes(sum.checked_add(bytes)?),
                        _ => Stride::Far,
                    };
                }
            }
        }
        Some(result)
    }

    /// Bytes that so many iterations of a loop move, modulo lines.
    fn phase(&self, number: usize, iterations: i128) -> usize {
        let bytes = match self.strides[number] {
            Stride::Bytes(bytes) => bytes.wrapping_mul(iterations),
            Stride::Far => 0,
        };
        usize::try_from(bytes.rem_euclid(LINE.into())).unwrap_or_default()
    }
}

/// The product of the variables that are no loops; `None` if one is not known.
fn known_factor(product: &[Term], values: &Values) -> Option<i128> {
    product.iter().try_fold(1_i128, |factor, term| match term {
        Term::Iteration(_) => Some(factor),
        Term::Invariant(symbol) => factor.checked_mul(values(*symbol)?),
        Term::Opaque(_) => None,
    })
}

/// The value of a polynomial without loops.
pub(super) fn value(polynomial: &Affine, values: &Values) -> Option<i128> {
    if !polynomial.iterations().is_empty() {
        return None;
    }
    polynomial
        .terms()
        .try_fold(0_i128, |sum, (product, coefficient)| {
            sum.checked_add(known_factor(product, values)?.checked_mul(coefficient)?)
        })
}

/// The lanes of one warp of a block.
struct Lanes {
    /// Of each loop around the access, by lane: which of the iterations that
    /// the block's threads share is the lane's.
    iterations: Vec<[i128; WARP as usize]>,
    /// Bytes from where lane 0 accesses memory; with lines that nobody else
    /// has for lanes that are far away.
    distances: [i128; WARP as usize],
}

impl Lanes {
    fn new(warp: u32, reference: &Reference, offset: &Offset, threads: &Threads) -> Self {
        let [x, y, _] = threads.block;
        let mut iterations = Vec::with_capacity(reference.within.len());
        let mut distances = [0; WARP as usize];
        for &number in &reference.within {
            let spread = threads.spreads.get(number).copied().unwrap_or_default();
            let mut of_lanes = [0; WARP as usize];
            for (lane, iteration) in (0..WARP).zip(&mut of_lanes) {
                let linear = warp * WARP + lane;
                let thread = [linear % x, linear / x % y, linear / x / y];
                *iteration = share(spread, threads.block, thread).0.into();
            }
            for (distance, iteration) in distances.iter_mut().zip(of_lanes) {
                *distance += (iteration - of_lanes[0])
                    * match offset.strides[number] {
                        Stride::Bytes(bytes) => bytes,
                        // Loops that are both far have different lines, too.
                        Stride::Far => (1 << 40) + (i128::try_from(number).unwrap_or(0) << 60),
                    };
            }
            iterations.push(of_lanes);
        }
        Self {
            iterations,
            distances,
        }
    }

    /// The pieces of memory of that size that all lanes together touch.
    #[allow(clippy::cast_precision_loss, reason = "a few hundred at most")]
    fn pieces(&self, start: i128, bytes: i128, size: i128) -> f64 {
        let mut touched: Vec<i128> = self
            .distances
            .iter()
            .flat_map(|distance| {
                let first = (start + distance).div_euclid(size);
                first..=(start + distance + bytes - 1).div_euclid(size)
            })
            .collect();
        touched.sort_unstable();
        touched.dedup();
        touched.len() as f64
    }
}

/// Which thread of those that share a loop this one is, and how many they are.
fn share(spread: Spread, block: [u32; 3], thread: [u32; 3]) -> (u32, u32) {
    let mut number = 0;
    let mut count = 1;
    for axis in 0..3 {
        if spread.threads[axis] {
            number += thread[axis] * count;
            count *= block[axis];
        }
    }
    (number, count)
}

/// How often the first lane's distance from a line's start is which; `None` if
/// the warp is never whole.
fn phases(
    lanes: &Lanes,
    reference: &Reference,
    offset: &Offset,
    threads: &Threads,
) -> Option<Vec<f64>> {
    let mut phases = vec![0.0; PHASES];
    phases[usize::try_from(offset.base.rem_euclid(LINE.into())).ok()?] = 1.0;
    for (&number, of_lanes) in reference.within.iter().zip(&lanes.iterations) {
        let spread = threads.spreads.get(number).copied().unwrap_or_default();
        let (_, sharing) = share(spread, threads.block, [0; 3]);
        let sharing = i128::from(sharing);
        // Rounds in which all lanes have an iteration.
        let highest = of_lanes.iter().max().copied().unwrap_or_default();
        let rounds = match offset.trips.get(number).copied().flatten() {
            Some(trips) if trips > highest => (trips - 1 - highest) / sharing + 1,
            Some(_) => return None,
            None => MANY,
        };
        let start = offset.phase(number, of_lanes[0]);
        let step = offset.phase(number, sharing);
        phases = shifted(&phases, start, step, rounds);
    }
    Some(phases)
}

/// All phases moved by `start + round · step` for each round.
#[allow(clippy::cast_precision_loss, reason = "weights of an average")]
fn shifted(phases: &[f64], start: usize, step: usize, rounds: i128) -> Vec<f64> {
    let period = PHASES / gcd(step, PHASES);
    let whole = rounds / period as i128;
    let rest = rounds % period as i128;
    let mut result = vec![0.0; PHASES];
    for round in 0..period {
        let weight = whole + i128::from((round as i128) < rest);
        if weight == 0 {
            continue;
        }
        let shift = start + round * step;
        for (phase, value) in phases.iter().enumerate().filter(|(_, value)| **value > 0.0) {
            result[(phase + shift) % PHASES] += value * weight as f64;
        }
    }
    result
}

fn gcd(a: usize, b: usize) -> usize {
    if a == 0 { b } else { gcd(b % a, a) }
}
