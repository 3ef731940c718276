//! Counted loops: the values of their variables, and how often they run.

use super::Collector;
use crate::analysis::bounds;
use crate::analysis::conversions;
use crate::analysis::interval::Interval;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::analysis::trip_count;
use crate::ir::{Loop, Relation};
use crate::typed::TypeId;

impl<'a> Collector<'_, '_, 'a> {
    /// Begins a counted loop: its variable is its first value plus the step
    /// times the iteration number.
    pub(super) fn enter(&mut self, l: &'a Loop, tested: bool) {
        let number = self.result.last.len();
        let step = self.affine(&l.step).and_then(|s| s.as_constant());
        let step = step.map(|s| if l.downward { -s } else { s });
        let step = step.filter(|step| *step != 0);
        // The first value of the tested loop is the same for all iterations; that of one that
        // threads share is so for all of them, which is as much as an estimate has to know.
        let is_shared =
            self.has_conditions && l.distribution.is_some_and(|d| d.threads.contains(&true));
        let opaque = || (tested || is_shared).then(|| Polynomial::variable(Term::Opaque(number)));
        let lower = self.affine(&l.lower).or_else(opaque);
        let wraps = self.is_exact && self.may_wrap(l, lower.as_ref(), step);
        if tested {
            self.result.wraps = wraps;
        }
        let (mut value, mut last) = (None, None);
        if !wraps && let Some((lower, step)) = lower.as_ref().zip(step) {
            value = Polynomial::variable(Term::Iteration(number))
                .scaled(step)
                .and_then(|offset| offset.plus(lower));
            last = self.last_iteration(l, lower, step);
        }
        self.result.loops.push(l);
        self.result.last.push(last);
        self.values.insert(l.induction, value);
    }

    /// The highest iteration number.
    fn last_iteration(&self, l: &Loop, lower: &Polynomial, step: i128) -> Option<Polynomial> {
        if self.is_exact && !self.is_bound_as_compared(l, lower) {
            return None;
        }
        trip_count::last_iteration(l, lower, &self.affine(&l.bound)?, step)
    }

    /// Whether comparing with the bound is comparing numbers. Where a negative
    /// value of the variable is compared as a large unsigned one, the loop ends
    /// no later if it counts up.
    fn is_bound_as_compared(&self, l: &Loop, lower: &Polynomial) -> bool {
        let unit = self.oracle.unit();
        let last = &self.result.last;
        let (Some(variable), Some(bound)) = (
            conversions::values_of(self.induction_type(l), unit),
            conversions::values_of(l.bound.ty.ty, unit),
        ) else {
            return false;
        };
        let has_sign = variable.0 >= 0 || bound.0 < 0;
        match l.relation {
            Relation::Less | Relation::LessEqual => true,
            _ if has_sign || bound.1 > i64::MAX.into() => true,
            Relation::Greater | Relation::GreaterEqual => {
                let low = bounds::range(lower, last, unit).low;
                low.is_some_and(|low| low >= 0)
            }
            Relation::NotEqual => self
                .affine(&l.bound)
                .is_some_and(|value| bounds::fits(&value, self.induction_type(l), last, unit)),
        }
    }

    /// Whether the variable may go round the limits of its type. What is
    /// `int` or signed and wider does not in a valid program, and 64 bits are
    /// not run through. One that goes round by a power of two meets the same
    /// values again, and the loop does not end.
    fn may_wrap(&self, l: &Loop, lower: Option<&Polynomial>, step: Option<i128>) -> bool {
        let unit = self.oracle.unit();
        let Some((low, high)) = conversions::values_of(self.induction_type(l), unit) else {
            return true;
        };
        if high >= i64::MAX.into() || low < 0 && high >= i32::MAX.into() {
            return false;
        }
        let Some(step) = step else { return true };
        let last = &self.result.last;
        let bound = self.affine(&l.bound);
        let is_power = step.unsigned_abs().is_power_of_two();
        match l.relation {
            Relation::NotEqual => {
                let ahead = bound
                    .zip(lower)
                    .and_then(|(b, l)| b.minus(l)?.times(&sign(step)));
                let least = ahead.and_then(|e| bounds::range(&e, last, unit).low);
                !(is_power && least.is_some_and(|least| least >= 0))
            }
            _ if is_power => false,
            _ => {
                let ends = bound.map_or(Interval::ALL, |e| bounds::range(&e, last, unit));
                let end = if step > 0 { ends.high } else { ends.low };
                let reached = end.and_then(|end| end.checked_add(step));
                !reached.is_some_and(|reached| low <= reached && reached <= high)
            }
        }
    }

    fn induction_type(&self, l: &Loop) -> TypeId {
        self.oracle.unit().symbol(l.induction).ty.ty
    }
}

fn sign(step: i128) -> Polynomial {
    Polynomial::constant(step.signum())
}
