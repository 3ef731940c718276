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

/// Whether `0 ≤ e` and `e + width ≤ extent` for all iterations, if what is assumed for it holds.
pub fn is_within(
    e: &Polynomial,
    width: i128,
    extent: &Polynomial,
    last: &[Option<Polynomial>],
    assumed: &mut Assumed<'_>,
) -> bool {
    let loops = e.iterations();
    let mut proved = || {
        let low = extreme(e, last, false)?;
        let room = extent.minus(&extreme(e, last, true)?)?;
        let is_proved = is_at_least(&low, 0, &loops, last) || assumed.is_at_least(&low, 0);
        Some(
            is_proved
                && (is_at_least(&room, width, &loops, last) || assumed.is_at_least(&room, width)),
        )
    };
    proved().unwrap_or(false)
}

/// What is taken for granted of values that the launch of a kernel has, where a proof lacks nothing else.
pub struct Assumed<'a> {
    /// Whether the launch can tell that a value is not negative; none where nothing may be assumed.
    tells: Option<&'a dyn Fn(&Polynomial) -> bool>,
    /// Each is at least 0.
    values: Vec<Polynomial>,
}

impl<'a> Assumed<'a> {
    /// Assumes nothing.
    pub fn nothing() -> Self {
        Self {
            tells: None,
            values: Vec::new(),
        }
    }

    /// Assumes what the launch can tell.
    pub fn of_launch(tells: &'a dyn Fn(&Polynomial) -> bool) -> Self {
        Self {
            tells: Some(tells),
            values: Vec::new(),
        }
    }

    /// Whether nothing may be assumed.
    pub fn is_nothing(&self) -> bool {
        self.tells.is_none()
    }

    /// What is assumed: each is at least 0.
    pub fn into_values(self) -> Vec<Polynomial> {
        self.values
    }

    /// Whether all of this is so; what is assumed for a part of it is forgotten where it is not.
    pub fn all(&mut self, is_so: impl FnOnce(&mut Self) -> bool) -> bool {
        let before = self.values.len();
        let is_so = is_so(self);
        if !is_so {
            self.values.truncate(before);
        }
        is_so
    }

    /// Assumes that a value is at least so much, if programs may mean that: of a variable that counts or
    /// measures, or that another one, or a number, is not less than it.
    fn is_at_least(&mut self, value: &Polynomial, least: i128) -> bool {
        let (Some(tells), Some(value)) = (self.tells, value.moved(-least)) else {
            return false;
        };
        let variables = || value.terms().filter(|(product, _)| !product.is_empty());
        let is_told = variables().count() <= MOST_VARIABLES
            && (value.coefficient_of(&[]) > 1 || variables().any(|(_, factor)| factor > 0))
            && tells(&value);
        if is_told && !self.values.contains(&value) {
            self.values.push(value);
        }
        is_told
    }
}

/// Conditions of more variables are not taken for what a program means.
const MOST_VARIABLES: usize = 3;

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
