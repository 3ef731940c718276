//! Whether the variable of a shared loop may stride over its iterations.

use super::{Loop, Relation, SharedWindow, Statement, TripCount, visit};
use crate::typed::constant::evaluate;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, SymbolId, Type, TypeId, Unit,
};

/// The largest step of a loop that is widened: a block of them is beyond the bound.
const MOST_WIDENED: i128 = 16;

/// How far from 0 a striding int loop may start; the runtime's `int_slack`.
pub const INT_SLACK: i128 = 1 << 16;

impl Loop {
    /// Whether the variable may stride itself: a grid's worth of steps beyond
    /// the bound does not wrap. The launcher keeps int loops that start near
    /// 0 and advance by one within their range, and unsigned ones of which each thread has an
    /// iteration; those of a block may have a constant as their bound. Anything else counts
    /// iterations in 64 bits.
    pub fn strides(&self, unit: &Unit) -> bool {
        use IntegerKind as I;
        let ty = unit.types.get(unit.symbol(self.induction).ty.ty);
        // Below 0, a sum with an unsigned number is right modulo 2³² alone, and a value that is
        // compared with one is a large one.
        let least = match ty {
            Type::Integer(I::Int) if unit.types.is_signed(self.bound.ty.ty) => -INT_SLACK,
            _ => 0,
        };
        let lower = evaluate(unit, &self.lower);
        let near_zero = lower.is_some_and(|value| (least..=INT_SLACK).contains(&value));
        if self.strides_by_step {
            return true;
        }
        let upward = !self.downward
            && TripCount::of(self).wrapping_type(unit).is_none()
            && matches!(
                self.relation,
                Relation::Less | Relation::LessEqual | Relation::NotEqual
            );
        let bound = evaluate(unit, &self.bound);
        let is_near = |end: i128| bound.is_some_and(|bound| bound <= end - INT_SLACK);
        let has_tile = self.tile.is_some();
        let is_safe = match ty {
            Type::Integer(I::Int) => bound.is_none() || is_near(i32::MAX.into()),
            Type::Integer(I::UnsignedInt) if self.has_blocks() => self.once.is_some() && !has_tile,
            Type::Integer(I::UnsignedInt) => is_near(u32::MAX.into()) && !has_tile,
            Type::Integer(I::Long | I::LongLong | I::UnsignedLong | I::UnsignedLongLong) => true,
            _ => return false,
        };
        upward && is_literal(&self.step, 1) && (self.has_slack || near_zero && is_safe)
    }

    /// Whether a loop in `int` that does not stride in its own variable may do so in a larger type: the
    /// variable is in subscripts alone, where it means the same.
    pub fn widens(&self, windows: &[SharedWindow], unit: &Unit) -> bool {
        let is_int = |ty: TypeId| matches!(unit.types.get(ty), Type::Integer(IntegerKind::Int));
        let most = match self.relation {
            Relation::Less | Relation::LessEqual => MOST_WIDENED,
            _ => 1,
        };
        let is_small = evaluate(unit, &self.step).is_some_and(|step| (1..=most).contains(&step));
        let is_upward = !self.downward && is_small;
        is_upward
            && !self.strides(unit)
            && self.tile.is_none()
            && is_int(unit.symbol(self.induction).ty.ty)
            && is_int(self.lower.ty.ty)
            && is_int(self.bound.ty.ty)
            && in_subscripts_alone(&self.body, self.induction, unit)
            && !(windows.iter())
                .flat_map(SharedWindow::opening)
                .any(|e| e.mentions(self.induction))
    }

    /// The type of 32 bits that the loop strides in, so that its launcher has to keep it in range.
    pub fn narrow_stride(&self, unit: &Unit) -> Option<IntegerKind> {
        match unit.types.get(unit.symbol(self.induction).ty.ty) {
            _ if !self.strides(unit) => None,
            Type::Integer(IntegerKind::Int) => Some(IntegerKind::Int),
            Type::Integer(IntegerKind::UnsignedInt) if !self.has_slack => {
                Some(IntegerKind::UnsignedInt)
            }
            _ => None,
        }
    }
}

/// Whether an expression is this very constant.
pub fn is_literal(e: &Expression, wanted: i128) -> bool {
    matches!(e.inner().kind, ExpressionKind::Integer { value, .. } if value == wanted)
}

/// Whether each mention of a variable is a term or a factor of a subscript that is computed in
/// signed integers, or modulo 2⁶⁴, so that it means the same in a larger one.
fn in_subscripts_alone(body: &[Statement], variable: SymbolId, unit: &Unit) -> bool {
    let (mut all, mut found) = (0, 0);
    visit::symbols(body, &mut |symbol| all += usize::from(symbol == variable));
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Index(_, index) = &e.kind {
            found += terms(index, variable, unit);
        }
    });
    all == found
}

/// How often a variable is a term or a factor of a sum in signed integers or modulo 2⁶⁴.
fn terms(e: &Expression, variable: SymbolId, unit: &Unit) -> usize {
    use {BinaryOperator as B, IntegerKind as I};
    let ty = unit.types.get(e.ty.ty);
    let is_same = matches!(
        ty,
        Type::Integer(I::Int | I::Long | I::LongLong | I::UnsignedLong | I::UnsignedLongLong)
    );
    if !is_same {
        return 0;
    }
    match &e.kind {
        ExpressionKind::Symbol(symbol) => usize::from(*symbol == variable),
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(_, inner)
        | ExpressionKind::Cast(inner) => terms(inner, variable, unit),
        ExpressionKind::Binary(B::Add | B::Subtract | B::Multiply, left, right) => {
            terms(left, variable, unit) + terms(right, variable, unit)
        }
        _ => 0,
    }
}
