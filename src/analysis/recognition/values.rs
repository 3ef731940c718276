//! Which conversions keep values: of a variable on its way into an operation
//! and back, and of what it is compared with.

use crate::typed::{
    Expression, ExpressionKind, FloatingKind, IntegerKind, SymbolId, Type, TypeId, Unit,
};

/// Whether a type represents every value of another.
pub fn holds(unit: &Unit, to: TypeId, from: TypeId) -> bool {
    use Type::{Complex, Floating};
    if to == from {
        return true;
    }
    match (unit.types.get(to), unit.types.get(from)) {
        (Floating(to), Floating(from)) | (Complex(to), Complex(from)) => {
            precision(*to).0 >= precision(*from).1
        }
        (Floating(to), _) => bits(unit, from).is_some_and(|from| from.most <= precision(*to).0),
        _ => match (bits(unit, to), bits(unit, from)) {
            (Some(to), Some(from)) => {
                to.least >= from.most && (to.is_surely_signed || !from.is_perhaps_signed)
            }
            _ => false,
        },
    }
}

/// Whether a conversion to a type keeps what sums, products and bits of a
/// variable's type come from: an integer's low bits, a number's every value.
pub fn keeps(unit: &Unit, to: TypeId, variable: TypeId) -> bool {
    let size = |ty| unit.types.size(ty).unwrap_or(0);
    match (unit.types.get(variable), unit.types.get(to)) {
        (Type::Integer(_) | Type::Enum(_), Type::Integer(_) | Type::Enum(_)) => {
            size(to) >= size(variable)
        }
        _ => holds(unit, to, variable),
    }
}

/// Whether an expression is a variable, all conversions of which go to types
/// that are `allowed`.
pub fn is_variable(e: &Expression, symbol: SymbolId, allowed: &dyn Fn(TypeId) -> bool) -> bool {
    matches!(unwrapped(e, allowed), Some(e) if matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol))
}

/// What conversions, casts and parentheses stand around, if they go to types
/// that are `allowed`.
pub fn unwrapped<'e>(
    e: &'e Expression,
    allowed: &dyn Fn(TypeId) -> bool,
) -> Option<&'e Expression> {
    match &e.kind {
        ExpressionKind::Parenthesized(inner) => unwrapped(inner, allowed),
        ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => allowed(e.ty.ty)
            .then(|| unwrapped(inner, allowed))
            .flatten(),
        _ => Some(e),
    }
}

/// Whether the implicit conversions of a value keep its order among the values
/// of a variable's type: they keep the value, or round it to floating point
/// for a floating variable. Rounding keeps order, wrapping and cutting do not.
pub fn keeps_order(unit: &Unit, e: &Expression, variable: TypeId) -> bool {
    let is_floating = |ty| matches!(unit.types.get(ty), Type::Floating(_));
    match &e.kind {
        ExpressionKind::Parenthesized(inner) => keeps_order(unit, inner, variable),
        ExpressionKind::Convert(_, inner) => {
            let rounds = is_floating(variable) && is_floating(e.ty.ty);
            (rounds || holds(unit, e.ty.ty, inner.ty.ty)) && keeps_order(unit, inner, variable)
        }
        _ => is_floating(variable) || holds(unit, variable, e.ty.ty),
    }
}

/// How many bits an integer type's values have, the sign apart. Plain `char`
/// has a sign on some targets and none on others.
struct Bits {
    least: u32,
    most: u32,
    is_surely_signed: bool,
    is_perhaps_signed: bool,
}

fn bits(unit: &Unit, ty: TypeId) -> Option<Bits> {
    let kind = match unit.types.get(ty) {
        Type::Bool => {
            return Some(Bits {
                least: 1,
                most: 1,
                is_surely_signed: false,
                is_perhaps_signed: false,
            });
        }
        Type::Integer(kind) => *kind,
        Type::Enum(id) => unit.types.enumeration(*id).underlying,
        _ => return None,
    };
    let all = u32::try_from(8 * kind.size()).unwrap_or(u32::MAX);
    let is_plain = kind == IntegerKind::Char;
    let signed = kind.is_signed();
    Some(Bits {
        least: if signed || is_plain { all - 1 } else { all },
        most: if signed && !is_plain { all - 1 } else { all },
        is_surely_signed: signed && !is_plain,
        is_perhaps_signed: signed || is_plain,
    })
}

/// Bits of the significand: the fewest and the most that a target has.
fn precision(kind: FloatingKind) -> (u32, u32) {
    match kind {
        FloatingKind::Float16 => (11, 11),
        FloatingKind::Float => (24, 24),
        FloatingKind::Double => (53, 53),
        FloatingKind::LongDouble => (64, 113),
        FloatingKind::Float128 => (113, 113),
    }
}
