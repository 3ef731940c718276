//! Which conversions keep values: of a variable on its way into an operation
//! and back, and of what it is compared with.

use crate::typed::{
    Expression, ExpressionKind, FloatingKind, IntegerKind, SymbolId, Type, TypeId, Unit,
};

/// The lowest and the highest value that an integer type keeps on every
/// machine.
pub fn kept_by(ty: TypeId, unit: &Unit) -> Option<(i128, i128)> {
    match unit.types.get(ty) {
        Type::Integer(IntegerKind::Char) => Some((0, 127)),
        _ => values_of(ty, unit),
    }
}

/// The lowest and the highest value that an integer type has on some machine:
/// plain `char` is signed or unsigned.
pub fn values_of(ty: TypeId, unit: &Unit) -> Option<(i128, i128)> {
    let kind = match unit.types.get(ty) {
        Type::Bool => return Some((0, 1)),
        Type::Integer(IntegerKind::Char) => return Some((-128, 255)),
        Type::Integer(kind) => *kind,
        Type::Enum(id) => unit.types.enumeration(*id).underlying,
        _ => return None,
    };
    let bits = u32::try_from(kind.size() * 8)
        .ok()
        .filter(|bits| *bits <= 64)?;
    Some(match kind.is_signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    })
}

/// Whether a type represents every value of another.
pub fn holds(unit: &Unit, to: TypeId, from: TypeId) -> bool {
    use Type::{Complex, Floating};
    if to == from {
        return true;
    }
    let is_among = |(first, last): (i128, i128)| {
        let values = values_of(from, unit);
        values.is_some_and(|(low, high)| first <= low && high <= last)
    };
    match (unit.types.get(to), unit.types.get(from)) {
        (Floating(to), Floating(from)) | (Complex(to), Complex(from)) => {
            precision(*to).0 >= precision(*from).1
        }
        (Floating(to), _) => is_among((-(1 << precision(*to).0), 1 << precision(*to).0)),
        _ => kept_by(to, unit).is_some_and(is_among),
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
