//! Expressions and variables that passes make.

use crate::source::Span;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, QualType, Storage, Symbol, SymbolId,
    SymbolKind, Type, TypeId, UnaryOperator, Unit,
};

/// A new local variable; the back end makes its name unique.
pub fn variable(unit: &mut Unit, name: &str, ty: TypeId, span: Span) -> SymbolId {
    let id = SymbolId(u32::try_from(unit.symbols.len()).expect("fewer than 2^32 symbols"));
    unit.symbols.push(Symbol {
        name: name.to_string(),
        kind: SymbolKind::Variable(Storage::Automatic),
        ty: QualType::plain(ty),
        span,
    });
    id
}

/// The type `int`.
pub fn int(unit: &mut Unit) -> TypeId {
    unit.types.intern(Type::Integer(IntegerKind::Int))
}

/// A variable's name as an expression.
pub fn symbol(unit: &Unit, symbol: SymbolId, span: Span) -> Expression {
    Expression {
        kind: ExpressionKind::Symbol(symbol),
        ty: unit.symbol(symbol).ty,
        span,
    }
}

/// `target = value`, both of one type.
pub fn assign(target: Expression, value: Expression) -> Expression {
    Expression {
        ty: QualType::plain(target.ty.ty),
        span: value.span,
        kind: ExpressionKind::Assign(Box::new(target), Box::new(value)),
    }
}

/// `!e`, of type `int`.
pub fn not(unit: &mut Unit, e: Expression) -> Expression {
    let span = e.span;
    Expression {
        kind: ExpressionKind::Unary(UnaryOperator::LogicalNot, Box::new(parenthesized(e))),
        ty: QualType::plain(int(unit)),
        span,
    }
}

/// `a op b` of a given type.
pub fn binary(operator: BinaryOperator, a: Expression, b: Expression, ty: TypeId) -> Expression {
    Expression {
        span: a.span,
        kind: ExpressionKind::Binary(operator, Box::new(a), Box::new(b)),
        ty: QualType::plain(ty),
    }
}

/// `(e)`, unless it is just a name or number.
pub fn parenthesized(e: Expression) -> Expression {
    if matches!(
        e.kind,
        ExpressionKind::Symbol(_)
            | ExpressionKind::Integer { .. }
            | ExpressionKind::Parenthesized(_)
    ) {
        return e;
    }
    Expression {
        ty: e.ty,
        span: e.span,
        kind: ExpressionKind::Parenthesized(Box::new(e)),
    }
}
