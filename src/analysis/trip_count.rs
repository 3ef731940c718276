//! How often counted loops run their bodies (MESI-CUDA, section 4.4.1), as polynomials
//! whose bounds may depend on each other. As a number and as in the header it is
//! [`crate::ir::TripCount`]; [`super::requests`] has estimates.
//!
//! ```c
//! for (i = 0; i < n; i++)
//!     for (j = 0; j <= i; j++)              // n (n + 1) / 2 times in all
//!         for (k = i - 1; k <= i + 1; k++)  // three times that
//! ```

use super::polynomial::{Polynomial, Term};
use crate::ir::{Loop, Relation};

/// The highest iteration number, `(bound − lower) / step` rounded, where the step, which
/// is negative in loops that count down, is known.
pub fn last_iteration(
    l: &Loop,
    lower: &Polynomial,
    bound: &Polynomial,
    step: i128,
) -> Option<Polynomial> {
    let distance = bound.minus(lower)?;
    let distance = distance.scaled(step.signum())?;
    let span = match l.relation {
        Relation::LessEqual | Relation::GreaterEqual => distance,
        _ => distance.moved(-1)?,
    };
    match step.abs() {
        1 => Some(span),
        step => Some(Polynomial::constant(span.as_constant()?.div_euclid(step))),
    }
}

/// The sums of powers of whole numbers are so many times polynomials with whole
/// coefficients.
pub const DENOMINATOR: i128 = 12;

/// How often a term is a factor.
pub fn power(product: &[Term], term: Term) -> usize {
    product.iter().filter(|own| **own == term).count()
}

/// The sum of a polynomial over `0 ≤ term < trips`, times [`DENOMINATOR`] where
/// it is `scaled`.
pub fn summed(
    value: &Polynomial,
    term: Term,
    trips: &Polynomial,
    scaled: bool,
) -> Option<Polynomial> {
    let mut sum = Polynomial::default();
    for (product, factor) in value.terms() {
        let of_power = match power(product, term) {
            0 if !scaled => trips.clone(),
            degree => power_sum(degree, trips)?,
        };
        let mut others = product.iter().filter(|own| **own != term);
        let rest = others.try_fold(Polynomial::constant(factor), |rest, own| {
            rest.times(&Polynomial::variable(*own))
        });
        sum = sum.plus(&rest?.times(&of_power)?)?;
    }
    Some(sum)
}

/// [`DENOMINATOR`] times the sum of the powers of 0, 1, …, `n` − 1 (Faulhaber).
fn power_sum(degree: usize, n: &Polynomial) -> Option<Polynomial> {
    let one = Polynomial::constant(1);
    let below = n.minus(&one)?;
    let factors = match degree {
        0 => vec![Polynomial::constant(12), n.clone()],
        1 => vec![Polynomial::constant(6), n.clone(), below],
        2 => vec![
            Polynomial::constant(2),
            n.clone(),
            below.clone(),
            n.plus(&below)?,
        ],
        3 => vec![
            Polynomial::constant(3),
            n.clone(),
            n.clone(),
            below.clone(),
            below,
        ],
        _ => return None,
    };
    (factors.iter()).try_fold(one, |product, factor| product.times(factor))
}
