//! Where an access goes, in numbers: bytes an iteration of each loop.

use super::{LINE, Nest, Reference, Values};
use crate::analysis::polynomial::{Polynomial, Term};

/// Strides beyond this are of no array; sums of them stay far from overflow.
const MOST_BYTES: i128 = 1 << 80;

/// A byte offset by loops.
pub(super) struct Offset {
    /// Without the loops.
    pub(super) base: i128,
    /// Bytes an iteration of each loop of the nest.
    pub(super) strides: Vec<Stride>,
    /// Distances between rows are taken to be multiples of a line.
    pub(super) assumed: bool,
    /// So is a variable, or what memory holds, that is added to the iterations.
    pub(super) assumes_start: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stride {
    Bytes(i128),
    /// Some number of lines.
    Far,
}

impl Offset {
    pub(super) fn new(reference: &Reference, nest: &Nest, values: &Values) -> Option<Self> {
        let offset = reference.offset.as_ref()?;
        let mut result = Self {
            base: 0,
            strides: vec![Stride::Bytes(0); nest.loops.len()],
            assumed: false,
            assumes_start: false,
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
            let is_start = is_start(product, offset);
            let is_whole = is_start && coefficient % i128::from(LINE) == 0;
            result.assumes_start |= factor.is_none() && is_start && !is_whole;
            result.assumed |= factor.is_none() && !is_start;
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

    /// How far the first access is from a line's start.
    pub(super) fn start(&self) -> usize {
        usize::try_from(self.base.rem_euclid(LINE.into())).unwrap_or_default()
    }

    /// Bytes that so many iterations of a loop move, modulo lines.
    pub(super) fn phase(&self, number: usize, iterations: i128) -> usize {
        let bytes = match self.strides[number] {
            Stride::Bytes(bytes) => bytes.wrapping_mul(iterations),
            Stride::Far => 0,
        };
        usize::try_from(bytes.rem_euclid(LINE.into())).unwrap_or_default()
    }
}

/// Whether a summand is a value by itself, and no length of a row: nothing is multiplied by it.
fn is_start(product: &[Term], offset: &Polynomial) -> bool {
    let [own] = product else {
        return false;
    };
    let mut others = offset.terms();
    let is_length = others.any(|(product, _)| product.len() > 1 && product.contains(own));
    !matches!(own, Term::Iteration(_)) && !is_length
}

/// The product of the variables that are no loops; `None` if one is not known.
pub(super) fn known_factor(product: &[Term], values: &Values) -> Option<i128> {
    product.iter().try_fold(1_i128, |factor, term| match term {
        Term::Iteration(_) => Some(factor),
        Term::Invariant(symbol) => factor.checked_mul(values(*symbol)?),
        Term::Opaque(_) => None,
    })
}
