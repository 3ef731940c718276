//! The iteration of a nest that takes a subscript to its end.
//!
//! Input: a subscript over the iterations of loops, and their highest iterations. Output: the
//! subscript in one iteration that the nest runs, and the proof that a difference is positive
//! there: that the loops run gives the least values of their bounds, as `n ≥ 1`, and what is
//! positive with `n` replaced by `t + 1` has no negative coefficient.

use crate::analysis::polynomial::{Polynomial, Term};

/// Terms with numbers from here on are not negative: they stand for variables.
const FRESH: usize = 1 << 20;

/// An iteration of a nest.
pub struct Corner {
    /// The subscript there.
    pub index: Polynomial,
    /// The loops are taken to have two iterations.
    pub needs_two: bool,
    trips: Vec<Trip>,
}

/// The highest iteration of a loop where those around it are at the corner.
struct Trip {
    last: Polynomial,
    /// Those around make no difference.
    is_same: bool,
}

impl Corner {
    /// Where a subscript seems to be highest, or lowest.
    pub fn of(
        index: &Polynomial,
        within: &[usize],
        last: &[Option<Polynomial>],
        is_highest: bool,
    ) -> Option<Self> {
        let mut index = index.clone();
        let mut trips: Vec<Trip> = Vec::new();
        for number in within.iter().rev() {
            let own = last.get(*number)?.clone()?;
            let term = Term::Iteration(*number);
            let at = match (slope(&index, term)? >= 0) == is_highest {
                true => own.clone(),
                false => Polynomial::default(),
            };
            index = index.substitute(term, &at)?;
            for trip in &mut trips {
                trip.last = trip.last.substitute(term, &at)?;
            }
            trips.push(Trip {
                is_same: own.iterations().is_empty(),
                last: own,
            });
        }
        index.iterations().is_empty().then_some(Self {
            index,
            needs_two: false,
            trips,
        })
    }

    /// It, if a value is positive whenever the loops run, or run twice.
    pub fn proved(mut self, value: &Polynomial) -> Option<Self> {
        if self.is_positive(value, 0) {
            return Some(self);
        }
        self.needs_two = true;
        self.is_positive(value, 1).then_some(self)
    }

    /// The variables that decide how often the loops run.
    pub fn bounds(&self) -> impl Iterator<Item = Term> + '_ {
        let products = self.trips.iter().flat_map(|trip| trip.last.terms());
        products.flat_map(|(product, _)| product.iter().copied())
    }

    /// Whether a value is positive where each loop has more iterations than `least`.
    fn is_positive(&self, value: &Polynomial, least: i128) -> bool {
        let mut value = value.clone();
        let mut last: Vec<Polynomial> = self.trips.iter().map(|trip| trip.last.clone()).collect();
        for number in 0..last.len() {
            let own = last[number].clone();
            if !self.trips[number].is_same {
                continue;
            }
            let Some(variable) = single(&own) else {
                continue;
            };
            // The variable is what makes the highest iteration `fresh + least`.
            let fresh = Polynomial::variable(Term::Iteration(FRESH + number));
            let replaced = |e: &Polynomial| {
                let rest = own.minus(&Polynomial::variable(variable))?;
                e.substitute(variable, &fresh.moved(least)?.minus(&rest)?)
            };
            let Some(new_value) = replaced(&value) else {
                return false;
            };
            let new_last: Option<Vec<Polynomial>> = last.iter().map(replaced).collect();
            let Some(new_last) = new_last else {
                return false;
            };
            (value, last) = (new_value, new_last);
        }
        let mut trips = self.trips.iter().zip(&last);
        let runs = trips.all(|(trip, last)| match last.as_constant() {
            Some(last) => last >= 0,
            None => trip.is_same || is_at_least(last, 0),
        });
        runs && is_at_least(&value, 1)
    }
}

/// Whether a value is at least a number, its fresh variables being whatever they are.
fn is_at_least(value: &Polynomial, number: i128) -> bool {
    let is_fresh = |term: &Term| matches!(term, Term::Iteration(own) if *own >= FRESH);
    let constant = value.terms().find(|(product, _)| product.is_empty());
    constant.map_or(0, |(_, factor)| factor) >= number
        && value.terms().all(|(product, factor)| {
            product.is_empty() || factor > 0 && product.iter().all(is_fresh)
        })
}

/// The sign of what a term is multiplied with, variables taken to be positive.
fn slope(e: &Polynomial, term: Term) -> Option<i128> {
    let mut sign = 0;
    for (product, factor) in e.terms() {
        match product.iter().filter(|own| **own == term).count() {
            0 => {}
            1 if sign == 0 || sign == factor.signum() => sign = factor.signum(),
            _ => return None,
        }
    }
    Some(sign)
}

/// A variable that is a summand of its own and nothing else.
fn single(e: &Polynomial) -> Option<Term> {
    let mut terms = e.terms().filter_map(|(product, factor)| match product {
        [term @ Term::Invariant(_)] if factor == 1 => Some(*term),
        _ => None,
    });
    terms.find(|term| e.coefficient(*term) == Some(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::typed::SymbolId;

    fn n() -> Polynomial {
        Polynomial::variable(Term::Invariant(SymbolId(1)))
    }

    /// `i < n`, and inside of it `j < i`.
    fn last() -> Vec<Option<Polynomial>> {
        let inner = Polynomial::variable(Term::Iteration(0)).moved(-1);
        vec![n().moved(-1), inner]
    }

    #[test]
    fn ends_of_subscripts_that_are_certain() {
        let [i, j] = [0, 1].map(|number| Polynomial::variable(Term::Iteration(number)));
        let excess = |index: &Polynomial, within: &[usize], end: &Polynomial| {
            let corner = Corner::of(index, within, &last(), true).unwrap();
            let excess = corner.index.moved(1).unwrap().minus(end).unwrap();
            corner.proved(&excess).map(|corner| corner.needs_two)
        };
        assert_eq!(excess(&i, &[0], &n()), None);
        assert_eq!(excess(&i.moved(1).unwrap(), &[0], &n()), Some(false));
        let square = i.times(&n()).unwrap();
        assert_eq!(excess(&square, &[0], &n()), Some(true));
        let of_row = square.plus(&i).unwrap();
        assert_eq!(excess(&of_row, &[0], &n()), Some(true));
        // The inner loop runs in the last iteration of two.
        let end = n().moved(-1).unwrap();
        assert_eq!(excess(&j, &[0, 1], &end), None);
        assert_eq!(excess(&j.moved(1).unwrap(), &[0, 1], &end), Some(true));
    }
}
