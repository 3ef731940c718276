//! How often counted loops run their bodies: as their headers say it, and as a number.
//! `analysis::trip_count` has polynomials and estimates.

use super::{Loop, Relation, is_literal};
use crate::typed::{Expression, IntegerKind, Type, Unit, constant};

/// How often a loop runs its body, as in its header (see [`Loop`]).
#[derive(Clone, Debug)]
pub struct TripCount {
    /// The first value.
    pub lower: Expression,
    /// How the variable is compared with the bound.
    pub relation: Relation,
    /// What it is compared with.
    pub bound: Expression,
    /// How it advances.
    pub step: Expression,
    /// Counts down.
    pub downward: bool,
}

impl TripCount {
    /// That of a loop.
    pub fn of(l: &Loop) -> Self {
        Self {
            lower: l.lower.clone(),
            relation: l.relation,
            bound: l.bound.clone(),
            step: l.step.clone(),
            downward: l.downward,
        }
    }

    /// The type of a variable that may go round by way of its type's limits before it is the
    /// bound: C lets those without a sign do so, and those narrower than `int`.
    pub fn wrapping_type(&self, unit: &Unit) -> Option<IntegerKind> {
        let ty = self.lower.ty.ty;
        let Type::Integer(kind) = unit.types.get(ty) else {
            return None;
        };
        let is_wide = unit.types.size(ty).is_none_or(|bytes| bytes >= 4);
        let begins_at_limit = !self.downward && is_literal(&self.lower, 0);
        let ends = [&self.lower, &self.bound].map(|e| constant::evaluate(unit, e));
        let is_straight = match ends {
            [Some(lower), Some(bound)] => (lower <= bound) != self.downward,
            _ => is_wide && (unit.types.is_signed(ty) || begins_at_limit),
        };
        let may_wrap =
            self.relation == Relation::NotEqual && is_literal(&self.step, 1) && !is_straight;
        may_wrap.then_some(*kind)
    }

    /// The number, given those of its parts.
    pub fn number(&self, value: &dyn Fn(&Expression) -> Option<i128>) -> Option<i128> {
        let parts = [&self.lower, &self.bound, &self.step];
        let [lower, bound, step] = parts.map(value);
        let (lower, bound, step) = (lower?, bound?, step?);
        let distance = match self.downward {
            true => lower.checked_sub(bound)?,
            false => bound.checked_sub(lower)?,
        };
        let inclusive = matches!(self.relation, Relation::LessEqual | Relation::GreaterEqual);
        let values = distance.checked_add(inclusive.into())?.max(0);
        let rounded = values.checked_add(step.checked_sub(1)?)?;
        (step > 0).then(|| rounded / step)
    }
}

impl Loop {
    /// How often the loop runs its body, if its header has constants alone.
    pub fn constant_trip_count(&self, unit: &Unit) -> Option<i128> {
        self.trip_count(&|e| constant::evaluate(unit, e))
    }

    /// How often the loop runs its body, given the numbers in its header.
    pub fn trip_count(&self, value: &dyn Fn(&Expression) -> Option<i128>) -> Option<i128> {
        TripCount::of(self).number(value)
    }
}
