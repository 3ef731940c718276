//! Whose memory an address is in.
//!
//! ```text
//! a + 1, &a[i].x      a
//! m[i]                m, for an array of rows; of pointers it is reached through m
//! ```

use super::{
    BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit,
};

/// The variable whose memory an address is in: what is computed from it, and nothing else, leads
/// there.
pub fn addressed(unit: &Unit, e: &Expression) -> Option<SymbolId> {
    address(unit, e, false)
}

/// The same, or the variable in whose memory the pointer is found that leads there.
pub fn reached(unit: &Unit, e: &Expression) -> Option<SymbolId> {
    address(unit, e, true)
}

/// `follows`: pointers in memory lead further.
fn address(unit: &Unit, e: &Expression, follows: bool) -> Option<SymbolId> {
    match &e.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Cast(inner)
        | ExpressionKind::Convert(Conversion::Pointer, inner) => address(unit, inner, follows),
        ExpressionKind::Convert(Conversion::ArrayToPointer, lvalue)
        | ExpressionKind::Unary(UnaryOperator::AddressOf, lvalue) => object(unit, lvalue, follows),
        ExpressionKind::Binary(BinaryOperator::Add | BinaryOperator::Subtract, a, b) => {
            let pointer = [a, b].into_iter().find(|e| unit.types.is_pointer(e.ty.ty));
            pointer.and_then(|pointer| address(unit, pointer, follows))
        }
        _ if follows => object(unit, e, true),
        _ => None,
    }
}

/// The variable whose memory an lvalue is in.
fn object(unit: &Unit, lvalue: &Expression, follows: bool) -> Option<SymbolId> {
    match &lvalue.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Parenthesized(inner) => object(unit, inner, follows),
        ExpressionKind::Index(base, _)
        | ExpressionKind::Unary(UnaryOperator::Indirection, base) => address(unit, base, follows),
        ExpressionKind::Member { base, arrow, .. } => match arrow {
            true => address(unit, base, follows),
            false => object(unit, base, follows),
        },
        _ => None,
    }
}
