//! Accesses to elements of arrays, in all of C's spellings.
//!
//! `a[i][j]`, `*(a[i] + j)`, `(*(a + i))[j]` and `j[a[i]]` are the element of
//! `a` with the indices `i`, `j`.

use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, Type, TypeId, UnaryOperator,
    Unit,
};

/// An element's index; `None` is 0.
type Index = Option<Expression>;

/// The array that an lvalue is an element of, with its indices, outermost
/// first. An index of `None` is 0.
pub fn element(e: &Expression, unit: &Unit) -> Option<(SymbolId, Vec<Index>)> {
    match &e.kind {
        ExpressionKind::Symbol(symbol) => Some((*symbol, Vec::new())),
        ExpressionKind::Parenthesized(inner) => element(inner, unit),
        ExpressionKind::Index(base, index) => {
            moved(pointer(base, unit)?, index, BinaryOperator::Add, unit)
        }
        ExpressionKind::Unary(UnaryOperator::Indirection, base) => pointer(base, unit),
        _ => None,
    }
}

/// The element that a pointer points to.
fn pointer(e: &Expression, unit: &Unit) -> Option<(SymbolId, Vec<Index>)> {
    match &e.kind {
        ExpressionKind::Parenthesized(inner) => pointer(inner, unit),
        ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => first_of(inner, unit),
        ExpressionKind::Binary(BinaryOperator::Add, a, b) => {
            let (base, index) = match unit.types.get(a.ty.ty) {
                Type::Pointer(_) => (a, b),
                _ => (b, a),
            };
            moved(pointer(base, unit)?, index, BinaryOperator::Add, unit)
        }
        ExpressionKind::Binary(BinaryOperator::Subtract, a, b) => {
            moved(pointer(a, unit)?, b, BinaryOperator::Subtract, unit)
        }
        _ => first_of(e, unit),
    }
}

/// The first element of what an lvalue of array or pointer type leads to.
fn first_of(e: &Expression, unit: &Unit) -> Option<(SymbolId, Vec<Index>)> {
    let (symbol, mut indices) = element(e, unit)?;
    indices.push(None);
    Some((symbol, indices))
}

/// The element some way from another one of the same row.
fn moved(
    (symbol, mut indices): (SymbolId, Vec<Index>),
    by: &Expression,
    operator: BinaryOperator,
    unit: &Unit,
) -> Option<(SymbolId, Vec<Index>)> {
    let index = match (indices.pop()?, operator) {
        (None, BinaryOperator::Add) => by.clone(),
        (None, _) => Expression {
            ty: by.ty,
            span: by.span,
            kind: ExpressionKind::Unary(
                UnaryOperator::Minus,
                Box::new(synthesis::parenthesized(by.clone())),
            ),
        },
        (Some(last), _) => {
            let ty = wider(last.ty.ty, by.ty.ty, unit);
            synthesis::binary(operator, last, by.clone(), ty)
        }
    };
    indices.push(Some(index));
    Some((symbol, indices))
}

fn wider(a: TypeId, b: TypeId, unit: &Unit) -> TypeId {
    if unit.types.size(b) > unit.types.size(a) {
        b
    } else {
        a
    }
}

/// The lvalue without the members and elements of a struct that follow: of
/// `a[i].x[2]`, `a[i]`.
pub fn root(e: &Expression) -> &Expression {
    match &e.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Member {
            base: inner,
            arrow: false,
            ..
        }
        | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner) => {
            root(inner)
        }
        ExpressionKind::Index(base, _) => match &base.kind {
            ExpressionKind::Convert(Conversion::ArrayToPointer, row) => match root(row) {
                // A row of a record's own array.
                inner if is_member_path(row) => inner,
                _ => e,
            },
            _ => e,
        },
        _ => e,
    }
}

/// Whether an array lies within a record.
fn is_member_path(e: &Expression) -> bool {
    match &e.kind {
        ExpressionKind::Parenthesized(inner) => is_member_path(inner),
        ExpressionKind::Member { arrow: false, .. } => true,
        ExpressionKind::Index(base, _) => match &base.kind {
            ExpressionKind::Convert(Conversion::ArrayToPointer, row) => is_member_path(row),
            _ => false,
        },
        _ => false,
    }
}

/// What an expression writes as a whole, with how.
pub enum Write<'e> {
    /// `target = value`.
    Plain(&'e Expression, &'e Expression),
    /// `target op= value`, computed in a type.
    Compound(&'e Expression, BinaryOperator, &'e Expression, TypeId),
    /// `target++` and the like; `true` counts up.
    Step(&'e Expression, bool),
}

impl<'e> Write<'e> {
    /// The write that a whole statement is.
    pub fn of(e: &'e Expression) -> Option<Self> {
        use UnaryOperator as U;
        match &e.kind {
            ExpressionKind::Parenthesized(inner) | ExpressionKind::Cast(inner) => Self::of(inner),
            ExpressionKind::Assign(target, value) => Some(Self::Plain(target, value)),
            ExpressionKind::CompoundAssign {
                operator,
                target,
                value,
                computation,
            } => Some(Self::Compound(target, *operator, value, *computation)),
            ExpressionKind::Unary(U::PreIncrement | U::PostIncrement, target) => {
                Some(Self::Step(target, true))
            }
            ExpressionKind::Unary(U::PreDecrement | U::PostDecrement, target) => {
                Some(Self::Step(target, false))
            }
            _ => None,
        }
    }

    /// What is written.
    pub fn target(&self) -> &'e Expression {
        match self {
            Self::Plain(target, _) | Self::Compound(target, ..) | Self::Step(target, _) => target,
        }
    }
}
