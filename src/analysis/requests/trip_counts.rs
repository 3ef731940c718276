//! How often the loops of a nest run their bodies, as far as is known, and as
//! estimates that weigh accesses.

use super::{Nest, Values, numbers};
use crate::analysis::bounds::extreme;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::analysis::trip_count::{DENOMINATOR, power, summed};

/// How often a loop of unknown length runs, for weighing accesses.
const TYPICAL_TRIPS: i128 = 100;

impl Nest<'_> {
    /// About how often a loop runs its body, where outer loops and variables
    /// of unknown value are in between.
    pub fn typical_trips(&self, number: usize) -> i128 {
        let Some(Some(trips)) = self.trips.get(number) else {
            return TYPICAL_TRIPS;
        };
        let sum = trips.terms().try_fold(0_i128, |sum, (product, factor)| {
            let value = product.iter().try_fold(factor, |value, term| {
                value.checked_mul(match term {
                    Term::Iteration(outer) if *outer < number => self.typical_trips(*outer) / 2,
                    _ => TYPICAL_TRIPS,
                })
            })?;
            sum.checked_add(value)
        });
        sum.unwrap_or(TYPICAL_TRIPS).max(1)
    }

    /// About how often what is in these loops, each in the one before, runs in
    /// all. Where bounds are first-degree terms of the variables of outer
    /// loops, it is the exact sum, unknown variables having a typical value.
    #[allow(clippy::cast_precision_loss, reason = "weights of an estimate")]
    pub fn typical_iterations(&self, within: &[usize]) -> f64 {
        let trips = within.iter().filter_map(|n| self.trips[*n].as_ref());
        let depend = trips.clone().any(|trips| !trips.iterations().is_empty());
        let sum = if depend { self.sum(within) } else { None };
        sum.unwrap_or_else(|| {
            let trips = within.iter().map(|n| self.typical_trips(*n) as f64);
            trips.product()
        })
    }

    /// The sum over the iterations of loops, from inside.
    #[allow(clippy::cast_precision_loss, reason = "weights of an estimate")]
    fn sum(&self, within: &[usize]) -> Option<f64> {
        let (mut sum, mut denominator) = (Polynomial::constant(1), 1.0);
        for &number in within.iter().rev() {
            let trips = self.assuming_typical(number)?;
            if self.lowest(&trips)? < 0 {
                return None;
            }
            let term = Term::Iteration(number);
            let degree = sum.terms().map(|(product, _)| power(product, term)).max()?;
            if degree > 0 {
                denominator *= DENOMINATOR as f64;
            }
            sum = summed(&sum, term, &trips, degree > 0)?;
        }
        Some((sum.as_constant()? as f64 / denominator).max(1.0))
    }

    /// The trips of a loop in terms of outer loops alone.
    fn assuming_typical(&self, number: usize) -> Option<Polynomial> {
        let Some(trips) = &self.trips[number] else {
            return Some(Polynomial::constant(TYPICAL_TRIPS));
        };
        let mut sum = Polynomial::default();
        for (product, factor) in trips.terms() {
            let mut value = Polynomial::constant(factor);
            for term in product {
                value = value.times(&match term {
                    Term::Iteration(_) => Polynomial::variable(*term),
                    Term::Invariant(_) | Term::Opaque(_) => Polynomial::constant(TYPICAL_TRIPS),
                })?;
            }
            sum = sum.plus(&value)?;
        }
        Some(sum)
    }

    /// The lowest value over all iterations of outer loops.
    fn lowest(&self, value: &Polynomial) -> Option<i128> {
        let last = |number| self.assuming_typical(number)?.moved(-1);
        let last: Vec<_> = (0..self.trips.len()).map(last).collect();
        extreme(value, &last, false)?.as_constant()
    }

    /// How often a loop runs its body, given the values of some variables; not
    /// known where that depends on the loops around.
    pub fn trips_given(&self, number: usize, values: &Values) -> Option<i128> {
        let (value, loops) = numbers(self.trips.get(number)?.as_ref()?, values)?;
        loops.is_empty().then_some(value)
    }

    /// How often a loop runs its body, if that is a number.
    pub fn constant_trips(&self, number: usize) -> Option<i128> {
        self.trips.get(number)?.as_ref()?.as_constant()
    }
}
