//! Conversions of C that C++ makes by itself, or not.

use crate::typed::{
    Conversion, Expression, ExpressionKind, QualType, Type, UnaryOperator, Unit, constant,
};

/// Whether C++ converts between pointers to these types by itself.
pub fn is_implicit_pointer_conversion(unit: &Unit, from: QualType, to: QualType) -> bool {
    let keeps = |has: bool, gets: bool| !has || gets;
    let qualifiers = keeps(from.qualifiers.is_const, to.qualifiers.is_const)
        && keeps(from.qualifiers.is_volatile, to.qualifiers.is_volatile);
    qualifiers && (from.ty == to.ty || matches!(unit.types.get(to.ty), Type::Void))
}

/// Whether the argument's C++ type may differ from its C type, so that
/// overload resolution could go wrong.
pub fn chooses_overload(unit: &Unit, argument: &Expression) -> bool {
    match &argument.kind {
        ExpressionKind::Convert(Conversion::Arithmetic, inner) => {
            argument.ty.ty != inner.ty.ty && !is_promotion(unit, argument, inner)
        }
        ExpressionKind::Binary(operator, ..) => operator.is_logical(),
        ExpressionKind::Unary(UnaryOperator::LogicalNot, _) => true,
        ExpressionKind::Parenthesized(inner) => chooses_overload(unit, inner),
        _ => false,
    }
}

/// Overload resolution prefers a promotion to a conversion. `float` is promoted, too, but there is
/// an overload for it.
fn is_promotion(unit: &Unit, argument: &Expression, inner: &Expression) -> bool {
    unit.types.is_integer(argument.ty.ty)
        && unit.types.is_integer(inner.ty.ty)
        && unit.types.size(inner.ty.ty) < unit.types.size(argument.ty.ty)
        && unit.types.size(argument.ty.ty) == Some(4)
}

/// The value of a constant that is one token, with or without a sign.
pub fn literal_value(unit: &Unit, e: &Expression) -> Option<i128> {
    let operand = match &e.inner().kind {
        ExpressionKind::Unary(UnaryOperator::Minus, operand) => operand.inner(),
        _ => e.inner(),
    };
    match operand.kind {
        ExpressionKind::Integer { .. } => constant::evaluate(unit, e),
        _ => None,
    }
}
