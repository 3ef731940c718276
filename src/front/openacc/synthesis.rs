//! Typed trees that the front end makes where it rewrites a loop
//! ([`super::pointer_loops`], [`super::partial_reductions`]).

use crate::ast::{Clause, Directive};
use crate::source::{Span, Spanned};
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, For, Initializer, LocalDeclaration,
    QualType, Statement, StatementKind, Storage, Symbol, SymbolId, SymbolKind, Type, TypeId,
    UnaryOperator, Unit, visit,
};

/// A new local variable, of a name that the unit does not use yet.
pub fn variable(unit: &mut Unit, wanted: &str, ty: TypeId, span: Span) -> SymbolId {
    let is_free = |name: &String| unit.symbols.iter().all(|s| s.name != *name);
    let name = std::iter::once(wanted.to_owned())
        .chain((2..).map(|number| format!("{wanted}_{number}")))
        .find(is_free)
        .unwrap_or_else(|| wanted.to_owned());
    let id = SymbolId(u32::try_from(unit.symbols.len()).unwrap_or(u32::MAX));
    unit.symbols.push(Symbol {
        name,
        kind: SymbolKind::Variable(Storage::Automatic),
        ty: QualType::plain(ty),
        span,
    });
    id
}

/// A variable's name as an expression.
pub fn symbol(unit: &Unit, symbol: SymbolId, span: Span) -> Expression {
    let kind = ExpressionKind::Symbol(symbol);
    let ty = unit.symbol(symbol).ty;
    Expression { kind, ty, span }
}

/// A number.
pub fn integer(value: i128, ty: TypeId, span: Span) -> Expression {
    let spelling = None;
    Expression {
        kind: ExpressionKind::Integer { value, spelling },
        ty: QualType::plain(ty),
        span,
    }
}

/// `(e)` where it is an operand and no operand by itself.
pub fn parenthesized(e: Expression) -> Expression {
    if !matches!(
        e.kind,
        ExpressionKind::Binary(..)
            | ExpressionKind::Conditional(..)
            | ExpressionKind::Cast(_)
            | ExpressionKind::Unary(..)
    ) {
        return e;
    }
    let (ty, span) = (e.ty, e.span);
    let kind = ExpressionKind::Parenthesized(Box::new(e));
    Expression { kind, ty, span }
}

/// `a op b` of a given type.
pub fn binary(operator: BinaryOperator, a: Expression, b: Expression, ty: TypeId) -> Expression {
    let span = a.span;
    let (a, b) = (Box::new(parenthesized(a)), Box::new(parenthesized(b)));
    let kind = ExpressionKind::Binary(operator, a, b);
    let ty = QualType::plain(ty);
    Expression { kind, ty, span }
}

/// `array[index]`, of an array or what a pointer points to.
pub fn element(unit: &mut Unit, array: Expression, index: Expression) -> Expression {
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
        step: Some(Expression {
            kind: step,
            ty: QualType::plain(ty),
            span,
        }),
        body,
    };
    let kind = StatementKind::For(Box::new(parts));
    Statement { kind, span }
}

/// A `loop` directive like another one, with these clauses, on a statement.
pub fn directed(
    like: &Directive<Expression>,
    clauses: Vec<Clause<Expression>>,
    body: Statement,
) -> Statement {
    let span = body.span;
    let directive = Directive {
        clauses,
        ..like.clone()
    };
    let kind = StatementKind::Directive(Box::new(directive), Some(Box::new(body)));
    Statement { kind, span }
}

/// A clause without arguments.
pub fn clause(name: &str, span: Span) -> Clause<Expression> {
    Clause {
        name: Spanned::new(name.to_owned(), span),
        arguments: None,
        span,
    }
}

/// Calls `change` on the statements directly inside one.
pub fn children_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Statement)) {
    match &mut statement.kind {
        StatementKind::Compound(items) => items.iter_mut().for_each(change),
        StatementKind::If(_, then, otherwise) => {
            change(then);
            if let Some(otherwise) = otherwise {
                change(otherwise);
            }
        }
        StatementKind::Switch(_, body)
        | StatementKind::While(_, body)
        | StatementKind::DoWhile(body, _)
        | StatementKind::Case(_, _, body)
        | StatementKind::Default(body)
        | StatementKind::Labeled(_, body) => change(body),
        StatementKind::For(parts) => change(&mut parts.body),
        StatementKind::Directive(_, Some(body)) => change(body),
        _ => {}
    }
}

/// Calls `change` on the expressions of a statement and everything inside
/// them, parents first; those of directives and statement expressions are left out.
pub fn expressions_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    own_expressions_mut(statement, change);
    children_mut(statement, &mut |inner| expressions_mut(inner, change));
}

/// As [`expressions_mut`], without those of the statements directly inside.
pub fn own_expressions_mut(statement: &mut Statement, change: &mut dyn FnMut(&mut Expression)) {
    match &mut statement.kind {
        StatementKind::Expression(Some(e))
        | StatementKind::Return(Some(e))
        | StatementKind::If(e, ..)
        | StatementKind::Switch(e, _)
        | StatementKind::While(e, _)
        | StatementKind::DoWhile(_, e) => visit::walk_mut(e, change),
        StatementKind::Declaration(list) => {
            for value in list.iter_mut().filter_map(|one| one.initializer.as_mut()) {
                visit::change_values(value, change);
            }
        }
        StatementKind::For(parts) => {
            if let Some(first) = &mut parts.initializer {
                expressions_mut(first, change);
            }
            for e in parts.condition.iter_mut().chain(&mut parts.step) {
                visit::walk_mut(e, change);
            }
        }
        _ => {}
    }
}
