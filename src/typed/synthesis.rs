//! Variables, expressions and statements that rewrites and passes make. The
//! printer puts parentheses where they are needed.

use super::{
    BinaryOperator, Conversion, Expression, ExpressionKind, For, Initializer, IntegerKind,
    LocalDeclaration, QualType, Statement, StatementKind, Storage, Symbol, SymbolId, SymbolKind,
    Type, TypeId, UnaryOperator, Unit,
};
use crate::source::Span;

/// A new local variable of a name that the unit does not use yet.
pub fn variable(unit: &Unit, wanted: &str, ty: TypeId, span: Span) -> SymbolId {
    let is_used = |name: &str| unit.symbols.iter().any(|symbol| symbol.name == name);
    let name = free_name(wanted, &|name| !is_used(name));
    add_variable(unit, name, ty, span)
}

/// A new local variable that hides the one it is a copy of: where it is in
/// scope, the other is not used.
pub fn hiding_variable(unit: &Unit, original: SymbolId) -> SymbolId {
    let original = unit.symbol(original).clone();
    add_variable(unit, original.name, original.ty.ty, original.span)
}

/// A new local variable of a name that no other variable in scope has.
pub fn add_variable(unit: &Unit, name: String, ty: impl Into<QualType>, span: Span) -> SymbolId {
    unit.add_symbol(Symbol {
        name,
        kind: SymbolKind::Variable(Storage::Automatic),
        ty: ty.into(),
        span,
    })
}

/// The name itself or, where it is not free, the first free one of `name_2`,
/// `name_3`, …
pub fn free_name(wanted: &str, is_free: &dyn Fn(&str) -> bool) -> String {
    std::iter::once(wanted.to_string())
        .chain((2..).map(|number| format!("{wanted}_{number}")))
        .find(|name| is_free(name))
        .expect("one of infinitely many names is free")
}

/// The type `int`.
pub fn int(unit: &Unit) -> TypeId {
    unit.types.intern(Type::Integer(IntegerKind::Int))
}

/// A variable's name as an expression.
pub fn symbol(unit: &Unit, symbol: SymbolId, span: Span) -> Expression {
    ExpressionKind::Symbol(symbol).at(unit.symbol(symbol).ty, span)
}

/// `target = value`, both of one type.
pub fn assign(target: Expression, value: Expression) -> Expression {
    let (ty, span) = (target.ty.ty, value.span);
    ExpressionKind::Assign(Box::new(target), Box::new(value)).at(ty, span)
}

/// `!e`, of type `int`.
pub fn not(int: TypeId, e: Expression) -> Expression {
    let span = e.span;
    ExpressionKind::Unary(UnaryOperator::LogicalNot, Box::new(parenthesized(e))).at(int, span)
}

/// `a op b` of a given type.
pub fn binary(operator: BinaryOperator, a: Expression, b: Expression, ty: TypeId) -> Expression {
    let span = a.span;
    ExpressionKind::Binary(operator, Box::new(a), Box::new(b)).at(ty, span)
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
    let (ty, span) = (e.ty, e.span);
    ExpressionKind::Parenthesized(Box::new(e)).at(ty, span)
}

/// `e` as 0 or 1.
pub fn truth(e: Expression, int: TypeId) -> Expression {
    let logical = |e: &Expression| match &e.inner().kind {
        ExpressionKind::Binary(operator, ..) => operator.is_logical(),
        ExpressionKind::Unary(operator, _) => *operator == UnaryOperator::LogicalNot,
        _ => false,
    };
    if logical(&e) {
        return e;
    }
    let span = e.span;
    ExpressionKind::Conditional(
        Box::new(parenthesized(e)),
        Some(Box::new(integer(1, int, span))),
        Box::new(integer(0, int, span)),
    )
    .at(int, span)
}

/// `condition ? then : otherwise`, both of one type.
pub fn conditional(
    condition: Expression,
    then: Expression,
    otherwise: Expression,
    span: Span,
) -> Expression {
    let ty = QualType::plain(then.ty.ty);
    let (condition, otherwise) = (Box::new(condition), Box::new(otherwise));
    let kind = ExpressionKind::Conditional(condition, Some(Box::new(then)), otherwise);
    Expression { kind, ty, span }
}

/// `(type)e`, unless it has the type.
pub fn cast(e: Expression, ty: TypeId) -> Expression {
    if e.ty.ty == ty {
        return e;
    }
    let span = e.span;
    ExpressionKind::Cast(Box::new(e)).at(ty, span)
}

/// A number.
pub fn integer(value: i128, ty: TypeId, span: Span) -> Expression {
    ExpressionKind::Integer {
        value,
        spelling: None,
    }
    .at(ty, span)
}

/// `array[index]`, of an array or what a pointer points to.
pub fn element(unit: &Unit, array: Expression, index: Expression) -> Expression {
    let ty = unit.types.pointee(array.ty.ty).unwrap_or(array.ty);
    let span = array.span;
    let pointer = match unit.types.get(array.ty.ty) {
        Type::Array { .. } => Expression {
            ty: QualType::plain(unit.types.intern(Type::Pointer(ty))),
            span,
            kind: ExpressionKind::Convert(Conversion::ArrayToPointer, Box::new(array)),
        },
        _ => array,
    };
    let kind = ExpressionKind::Index(Box::new(pointer), Box::new(index));
    Expression { kind, ty, span }
}

/// `target = value;`
pub fn assignment(target: Expression, value: Expression) -> Statement {
    let (ty, span) = (QualType::plain(target.ty.ty), target.span);
    let kind = ExpressionKind::Assign(Box::new(target), Box::new(value));
    Statement {
        kind: StatementKind::Expression(Some(Expression { kind, ty, span })),
        span,
    }
}

/// A declaration of one variable.
pub fn declaration(symbol: SymbolId, value: Option<Expression>, span: Span) -> Statement {
    let one = LocalDeclaration {
        symbol,
        initializer: value.map(Initializer::Expression),
        lengths: Vec::new(),
        span,
    };
    let kind = StatementKind::Declaration(vec![one]);
    Statement { kind, span }
}

/// `for (ty index = 0; index < length; index++) body`.
pub fn counting(unit: &Unit, index: SymbolId, length: Expression, body: Statement) -> Statement {
    let span = body.span;
    let ty = unit.symbol(index).ty.ty;
    let number = || symbol(unit, index, span);
    let step = ExpressionKind::Unary(UnaryOperator::PostIncrement, Box::new(number()));
    let parts = For {
        initializer: Some(declaration(index, Some(integer(0, ty, span)), span)),
        condition: Some(binary(BinaryOperator::Less, number(), length, ty)),
        step: Some(step.at(ty, span)),
        body,
    };
    let kind = StatementKind::For(Box::new(parts));
    Statement { kind, span }
}
