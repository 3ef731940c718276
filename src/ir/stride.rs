//! Whether the variable of a shared loop may stride over its iterations.

use super::{Loop, Relation};
use crate::typed::constant::evaluate;
use crate::typed::{Expression, ExpressionKind, IntegerKind, Type, Unit};

/// How far from 0 a striding int loop may start; the runtime's `int_slack`.
pub const INT_SLACK: i128 = 1 << 16;

impl Loop {
    /// Whether the variable may stride itself: a grid's worth of steps beyond
    /// the bound does not wrap. The launcher keeps int loops that start near
    /// 0 and advance by one within their range; anything else counts
    /// iterations in 64 bits.
    pub fn strides(&self, unit: &Unit) -> bool {
        use IntegerKind as I;
        let ty = unit.types.get(unit.symbol(self.induction).ty.ty);
        // Below 0, a sum with an unsigned number is right modulo 2³² alone.
        let least = match ty {
            Type::Integer(I::Int) => -INT_SLACK,
            _ => 0,
        };
        let lower = evaluate(unit, &self.lower);
        let near_zero = lower.is_some_and(|value| (least..=INT_SLACK).contains(&value));
        if self.strides_by_step {
            return true;
        }
        let upward = !self.downward
            && matches!(
                self.relation,
                Relation::Less | Relation::LessEqual | Relation::NotEqual
            );
        let safe_type = matches!(
            ty,
            Type::Integer(I::Int | I::Long | I::LongLong | I::UnsignedLong | I::UnsignedLongLong)
        );
        let safe_type = safe_type || self.has_slack && matches!(ty, Type::Integer(I::UnsignedInt));
        (near_zero || self.has_slack) && upward && is_literal(&self.step, 1) && safe_type
    }

    /// Whether the loop strides in an `int`, so that its launcher has to keep
    /// it in range.
    pub fn strides_in_int(&self, unit: &Unit) -> bool {
        let ty = unit.types.get(unit.symbol(self.induction).ty.ty);
        self.strides(unit) && matches!(ty, Type::Integer(IntegerKind::Int))
    }
}

/// Whether an expression is this very constant.
pub fn is_literal(e: &Expression, wanted: i128) -> bool {
    matches!(e.inner().kind, ExpressionKind::Integer { value, .. } if value == wanted)
}
