//! Proofs that a polynomial is not negative.
//!
//! A *fact* is a polynomial that is not negative. What is to be proved is one
//! too if its least value, each of its variables by itself, is not negative,
//! or if what is left of it after a multiple of a fact has been taken away is:
//!
//! ```text
//! to prove   first + 63 - j        >= 0
//! known      first + 64 - 1 - j    >= 0      (from `j < first + 64`)
//! left       0                     >= 0
//! ```
//!
//! So facts are added up to cancel what they have in common with the goal:
//! the elimination of Fourier and Motzkin, led by the goal and of small depth.

use super::{Atom, Frame, Interval};
use crate::analysis::polynomial::{Polynomial, Term};

/// How many facts are combined.
const DEPTH: usize = 4;
/// How many combinations are tried.
const STEPS: usize = 4000;

/// One search.
struct Search<'a> {
    frame: &'a Frame<'a>,
    facts: &'a [Polynomial],
    steps: usize,
}

impl Frame<'_> {
    /// Whether a value is proved not to be negative at this place, where these
    /// facts hold too.
    pub fn is_proved(&self, goal: &Polynomial, facts: &[Polynomial]) -> bool {
        let own = self.names.borrow().facts.clone();
        let mut all: Vec<Polynomial> = Vec::new();
        for fact in facts.iter().chain(&self.known).chain(&own) {
            if !all.contains(fact) {
                all.push(fact.clone());
            }
        }
        let mut search = Search {
            frame: self,
            facts: &all,
            steps: STEPS,
        };
        // Short proofs first.
        (0..=DEPTH).any(|depth| search.proves(goal, depth))
    }

    /// Whether a value lies between two numbers.
    pub(super) fn is_between(
        &self,
        value: &Polynomial,
        limits: Interval,
        facts: &[Polynomial],
    ) -> bool {
        let above = limits.low.is_none_or(|low| {
            let distance = value.moved(-low);
            distance.is_some_and(|goal| self.is_proved(&goal, facts))
        });
        above
            && limits.high.is_none_or(|high| {
                let distance = Polynomial::constant(high).minus(value);
                distance.is_some_and(|goal| self.is_proved(&goal, facts))
            })
    }

    /// The values of a variable of polynomials.
    fn interval(&self, term: Term) -> Interval {
        match term {
            Term::Invariant(symbol) => match self.tiles.iter().find(|t| t.first == symbol) {
                Some(tile) if tile.is_natural => Interval {
                    low: Some(0),
                    ..self.values_of(self.type_of(symbol))
                },
                _ => self.values_of(self.type_of(symbol)),
            },
            Term::Opaque(number) => self.names.borrow().opaque_interval(number),
            Term::Iteration(number) => match self.atom(number) {
                Some(Atom::Elsewhere(term)) => self.interval(term),
                Some(Atom::Unknown(number)) => self.names.borrow().unknown_interval(number),
                Some(atom @ (Atom::Thread(..) | Atom::Round(_))) => Interval {
                    low: Some(0),
                    high: self.highest(atom),
                },
                None => Interval::ALL,
            },
        }
    }

    /// The least value of a polynomial, as far as its variables show, each by
    /// itself.
    pub(super) fn least(&self, value: &Polynomial) -> Option<i128> {
        let mut least = 0i128;
        for (product, coefficient) in value.terms() {
            let part = match product {
                [] => coefficient,
                [term] => {
                    let interval = self.interval(*term);
                    let limit = if coefficient > 0 {
                        interval.low
                    } else {
                        interval.high
                    };
                    limit?.checked_mul(coefficient)?
                }
                // A product of what is not negative is not negative.
                _ => {
                    let lows = product.iter().map(|term| self.interval(*term).low);
                    let is_natural = lows.into_iter().all(|low| low.is_some_and(|low| low >= 0));
                    if !is_natural || coefficient < 0 {
                        return None;
                    }
                    0
                }
            };
            least = least.checked_add(part)?;
        }
        Some(least)
    }
}

impl Search<'_> {
    fn proves(&mut self, goal: &Polynomial, depth: usize) -> bool {
        let least = self.frame.least(goal);
        if depth == 0 || least.is_some_and(|least| least >= 0) {
            return least.is_some_and(|least| least >= 0);
        }
        for fact in self.facts {
            for (product, wanted) in goal.terms() {
                let given = fact.coefficient_of(product);
                // What is taken away must lie on the same side.
                if product.is_empty() || given == 0 || (given > 0) != (wanted > 0) {
                    continue;
                }
                if self.steps == 0 {
                    return false;
                }
                self.steps -= 1;
                let rest = goal.combined(given.abs(), fact, -wanted.abs());
                if rest.is_some_and(|rest| self.proves(&rest, depth - 1)) {
                    return true;
                }
            }
        }
        false
    }
}
