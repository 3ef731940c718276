//! How often counted loops run their bodies: as their headers say it, and as a number.
//! `analysis::trip_count` has polynomials and estimates.

use super::{INT_SLACK, Loop, Relation, is_literal};
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

/// Whether a variable that is compared by `!=` passes the limits of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrapping {
    /// It reaches the bound before.
    Never,
    /// Numbers that only the run knows decide.
    Possible,
    /// Or takes nearly all values of its type on the way.
    Always,
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

    /// Whether the variable has values beyond those of `int`.
    pub fn is_wide(&self, unit: &Unit) -> bool {
        let ty = self.lower.ty.ty;
        let most = if unit.types.is_signed(ty) { 4 } else { 3 };
        unit.types.size(ty).is_none_or(|bytes| bytes > most)
    }

    /// Whether the variable goes round by way of its type's limits before it is the bound: C lets
    /// those without a sign do so, and those narrower than `int`. Where a small constant is to be
    /// passed on the way, so are nearly all values of the type.
    pub fn wrapping(&self, unit: &Unit) -> Wrapping {
        if self.relation != Relation::NotEqual {
            return Wrapping::Never;
        }
        let ty = self.lower.ty.ty;
        let is_wide = unit.types.size(ty).is_none_or(|bytes| bytes >= 4);
        let overflows = is_wide && unit.types.is_signed(ty);
        let (low, high) = match self.downward {
            true => (&self.bound, &self.lower),
            false => (&self.lower, &self.bound),
        };
        let begins_at_limit = is_wide && !self.downward && is_literal(&self.lower, 0);
        match [low, high].map(|e| constant::evaluate(unit, e)) {
            [Some(low), Some(high)] if low <= high => Wrapping::Never,
            [Some(_), Some(_)] if !overflows => Wrapping::Always,
            [Some(low), None] if !overflows && low > INT_SLACK => Wrapping::Always,
            [Some(_), Some(_)] => Wrapping::Possible,
            _ if overflows || begins_at_limit => Wrapping::Never,
            _ => Wrapping::Possible,
        }
    }

    /// The type of a variable that may do so.
    pub fn wrapping_type(&self, unit: &Unit) -> Option<IntegerKind> {
        let Type::Integer(kind) = unit.types.get(self.lower.ty.ty) else {
            return None;
        };
        let may_wrap = is_literal(&self.step, 1) && self.wrapping(unit) != Wrapping::Never;
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

#[cfg(test)]
mod tests {
    use super::{TripCount, Wrapping};
    use crate::ir::Relation;
    use crate::ir::builder::*;
    use crate::typed::{IntegerKind, Type};

    /// What a loop with `!=` does in a type, from `lower` to `bound`; `None` is a variable.
    fn wrapping(kind: IntegerKind, lower: Option<i128>, bound: Option<i128>) -> [Wrapping; 2] {
        let mut s = Sample::new();
        let n = s.value("n");
        let end = |end: Option<i128>| end.map_or(n.e(), int).0;
        let ty = s.unit.types.intern(Type::Integer(kind));
        let mut count = TripCount {
            lower: end(lower),
            relation: Relation::NotEqual,
            bound: end(bound),
            step: int(1).0,
            downward: false,
        };
        count.lower.ty.ty = ty;
        let upward = count.wrapping(&s.unit);
        let is_named = count.wrapping_type(&s.unit).is_some();
        assert_eq!(is_named, upward != Wrapping::Never);
        std::mem::swap(&mut count.lower, &mut count.bound);
        (count.lower.ty.ty, count.downward) = (ty, true);
        let downward = count.wrapping(&s.unit);
        count.relation = Relation::Greater;
        assert_eq!(count.wrapping(&s.unit), Wrapping::Never);
        [upward, downward]
    }

    #[test]
    fn loops_with_unequal_go_round_where_numbers_say_it() {
        use IntegerKind as I;
        use Wrapping::{Always, Never, Possible};
        assert_eq!(wrapping(I::UnsignedInt, Some(0), Some(9)), [Never; 2]);
        assert_eq!(wrapping(I::UnsignedInt, Some(9), Some(0)), [Always; 2]);
        assert_eq!(wrapping(I::UnsignedInt, Some(1 << 20), None), [Always; 2]);
        assert_eq!(wrapping(I::UnsignedInt, Some(0), None), [Never, Possible]);
        assert_eq!(wrapping(I::UnsignedInt, None, None), [Possible; 2]);
        assert_eq!(wrapping(I::UnsignedChar, Some(0), None), [Possible; 2]);
        assert_eq!(wrapping(I::Short, Some(9), Some(0)), [Always; 2]);
        // Where it would overflow, C leaves it open.
        assert_eq!(wrapping(I::Int, Some(9), Some(0)), [Possible; 2]);
        assert_eq!(wrapping(I::Int, None, None), [Never; 2]);
    }
}
