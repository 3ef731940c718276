//! Subscripts as parts of a linear index, in the type that the launch chooses for it.
//!
//! ```text
//! a[i][j + 1]     a[i * a_extent1 + j + 1]
//! a[i][j + k]     a[i * a_extent1 + (j + k)]
//! ```

use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, IntegerKind, SymbolId, Type, TypeId,
    Unit, constant,
};

/// How far a constant in a subscript may lead out of an array on the way to an
/// element: the launch keeps so much apart from the ends of `int`.
pub const SLACK: i128 = 1 << 16;

/// The array that a subscripted expression names.
pub fn array_of(base: &Expression) -> Option<SymbolId> {
    match &base.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => array_of(inner),
        _ => None,
    }
}

/// Whether an expression is an `int` in C and in C++, so that arithmetic with an index
/// type is of that type.
pub fn is_int(e: &Expression, unit: &Unit) -> bool {
    let is_int = |ty: TypeId| match unit.types.get(ty) {
        Type::Bool => true,
        Type::Integer(kind) => *kind == IntegerKind::Int || kind.size() < 4,
        _ => false,
    };
    is_int(e.ty.ty) && is_int(e.inner().ty.ty)
}

/// Whether C computes with a subscript in 64 bits, whatever it is added to.
pub fn is_wide(e: &Expression, unit: &Unit) -> bool {
    let is_wide = |ty: TypeId| unit.types.is_integer(ty) && unit.types.size(ty) == Some(8);
    is_wide(e.ty.ty) && is_wide(e.inner().ty.ty) && constant::evaluate(unit, e).is_none()
}

/// Whether `place + e` may be computed from left to right, for a `place` that is the
/// address of a row: `place + i`, then `+ 1`, is at most the constant away from the
/// element.
pub fn adds_in_turn(e: &Expression, unit: &Unit) -> bool {
    let is_near = |e: &Expression| {
        constant::evaluate(unit, e).is_some_and(|value| (-SLACK..=SLACK).contains(&value))
    };
    match sum(e) {
        None => true,
        Some((left, right)) => {
            sum(left).is_none() && (is_near(right) || is_near(left) && sum(right).is_none())
        }
    }
}

/// The operands of what is printed as a sum.
fn sum(e: &Expression) -> Option<(&Expression, &Expression)> {
    use BinaryOperator::{Add, Subtract};
    match &e.kind {
        ExpressionKind::Binary(Add | Subtract, left, right) => Some((left, right)),
        ExpressionKind::Convert(_, inner) => sum(inner),
        _ => None,
    }
}
