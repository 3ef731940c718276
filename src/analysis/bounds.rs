//! What values polynomials take: from the trip counts of the loops whose
//! iterations occur in them, and from the types of their variables.
//!
//! All hold where the code in question runs: `0 ≤ k ≤ last` for the iteration
//! `k` of every loop around it. A loop that may be empty only makes the range
//! too wide.

use super::conversions;
use super::interval::Interval;
use super::polynomial::{Polynomial, Term};
use crate::typed::{TypeId, Unit};

/// The highest or lowest value over all iterations, in terms of invariants;
/// `last` is the highest iteration of each loop.
pub fn extreme(e: &Polynomial, last: &[Option<Polynomial>], highest: bool) -> Option<Polynomial> {
    let mut result = e.clone();
    // Bounds of inner loops may mention outer ones: inner ones go first.
    while let Some(number) = result.iterations().pop() {
        let term = Term::Iteration(number);
        let coefficient = result.coefficient(term)?;
        let end = if (coefficient > 0) == highest {
            last.get(number)?.clone()?
        } else {
            Polynomial::default()
        };
        result = result.substitute(term, &end)?;
    }
    Some(result)
}

/// Whether `0 ≤ e` and `e + width ≤ extent` for all iterations.
pub fn is_within(
    e: &Polynomial,
    width: i128,
    extent: &Polynomial,
    last: &[Option<Polynomial>],
) -> bool {
    let proved = || {
        let low = extreme(e, last, false)?.as_constant()?;
        let high = extreme(e, last, true)?;
        let room = extent.minus(&high)?;
        Some(low >= 0 && is_at_least(&room, width, &e.iterations(), last))
    };
    proved().unwrap_or(false)
}

/// Multiples of a highest iteration that are tried.
const MOST_MULTIPLES: i128 = 3;

/// Whether an invariant value is at least so much where these loops run: no highest iteration of theirs is below 0.
pub fn is_at_least(
    value: &Polynomial,
    least: i128,
    loops: &[usize],
    last: &[Option<Polynomial>],
) -> bool {
    let holds = |value: Option<Polynomial>| {
        let number = value.and_then(|value| value.as_constant());
        number.is_some_and(|number| number >= least)
    };
    let lasts = loops
        .iter()
        .filter_map(|number| last.get(*number)?.as_ref());
    holds(Some(value.clone()))
        || lasts
            .into_iter()
            .any(|last| (1..=MOST_MULTIPLES).any(|times| holds(value.combined(1, last, -times))))
}

/// The values over all iterations, for all values of the variables.
pub fn range(e: &Polynomial, last: &[Option<Polynomial>], unit: &Unit) -> Interval {
    let end = |highest| extreme(e, last, highest).unwrap_or_else(|| e.clone());
    Interval {
        low: values(&end(false), unit).low,
        high: values(&end(true), unit).high,
    }
}

/// Whether a value is one that an integer type has, whatever its variables are.
pub fn fits(e: &Polynomial, ty: TypeId, last: &[Option<Polynomial>], unit: &Unit) -> bool {
    let range = range(e, last, unit);
    let (Some(low), Some(high)) = (range.low, range.high) else {
        return false;
    };
    conversions::kept_by(ty, unit).is_some_and(|(first, last)| first <= low && high <= last)
}

/// Terms with their values, as if they were independent of each other.
fn values(e: &Polynomial, unit: &Unit) -> Interval {
    e.terms()
        .fold(Interval::at(0), |sum, (product, coefficient)| {
            let terms = product.iter().map(|term| of_term(*term, unit));
            sum.plus(terms.fold(Interval::at(coefficient), Interval::times))
        })
}

fn of_term(term: Term, unit: &Unit) -> Interval {
    match term {
        Term::Invariant(symbol) => conversions::values_of(unit.symbol(symbol).ty.ty, unit)
            .map_or(Interval::ALL, |(low, high)| Interval::between(low, high)),
        Term::Iteration(_) => Interval::NATURAL,
        Term::Opaque(_) => Interval::ALL,
    }
}
