//! Values of integer expressions that hold whatever the input is.

use crate::typed::{BinaryOperator, Expression, ExpressionKind, UnaryOperator};

/// The value of an integer expression, if constants alone make it up.
/// Overflow of `i128` and division by zero have none.
pub fn integer(expression: &Expression) -> Option<i128> {
    match &expression.kind {
        ExpressionKind::Integer { value, .. } => Some(*value),
        ExpressionKind::Parenthesized(e)
        | ExpressionKind::Convert(_, e)
        | ExpressionKind::Cast(e)
        | ExpressionKind::Unary(UnaryOperator::Plus, e) => integer(e),
        ExpressionKind::Unary(UnaryOperator::Minus, e) => integer(e)?.checked_neg(),
        ExpressionKind::Binary(operator, a, b) => {
            let (a, b) = (integer(a)?, integer(b)?);
            match operator {
                BinaryOperator::Add => a.checked_add(b),
                BinaryOperator::Subtract => a.checked_sub(b),
                BinaryOperator::Multiply => a.checked_mul(b),
                BinaryOperator::Divide => a.checked_div(b),
                BinaryOperator::Remainder => a.checked_rem(b),
                BinaryOperator::ShiftLeft => a.checked_mul(1 << u32::try_from(b).ok()?.min(64)),
                BinaryOperator::ShiftRight => Some(a >> u32::try_from(b).ok()?.min(64)),
                _ => None,
            }
        }
        _ => None,
    }
}
