//! Values of integer expressions that hold whatever the input is.

use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Type, TypeId, Types, UnaryOperator,
};

/// The value of an integer expression that constants alone make up. There is
/// none where a conversion would change it or an operation is undefined.
pub fn integer(e: &Expression, types: &Types) -> Option<i128> {
    let value = match &e.kind {
        ExpressionKind::Integer { value, .. } => *value,
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(_, inner)
        | ExpressionKind::Cast(inner)
        | ExpressionKind::Unary(UnaryOperator::Plus, inner) => integer(inner, types)?,
        ExpressionKind::Unary(UnaryOperator::Minus, inner) => {
            integer(inner, types)?.checked_neg()?
        }
        ExpressionKind::Binary(operator, a, b) => {
            let (a, b) = (integer(a, types)?, integer(b, types)?);
            match operator {
                BinaryOperator::Add => a.checked_add(b)?,
                BinaryOperator::Subtract => a.checked_sub(b)?,
                BinaryOperator::Multiply => a.checked_mul(b)?,
                BinaryOperator::Divide => a.checked_div(b)?,
                BinaryOperator::Remainder => a.checked_rem(b)?,
                BinaryOperator::ShiftLeft => {
                    a.checked_mul(1i128.checked_shl(u32::try_from(b).ok()?)?)?
                }
                BinaryOperator::ShiftRight => a.checked_shr(u32::try_from(b).ok()?)?,
                _ => return None,
            }
        }
        _ => return None,
    };
    represents(types, e.ty.ty, value).then_some(value)
}

/// Whether a type is an integer type that has a value.
fn represents(types: &Types, ty: TypeId, value: i128) -> bool {
    let signed = match types.get(ty) {
        Type::Integer(kind) => kind.is_signed(),
        Type::Enum(id) => types.enumeration(*id).underlying.is_signed(),
        Type::Bool => return value == 0 || value == 1,
        _ => return false,
    };
    let bits = types.size(ty).unwrap_or(0) * 8;
    match (bits, signed) {
        (128.., _) => true,
        (bits, true) => (-(1i128 << (bits - 1))..1i128 << (bits - 1)).contains(&value),
        (bits, false) => (0..1i128 << bits).contains(&value),
    }
}
