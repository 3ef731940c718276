//! Recognises reductions: `s += e`, `s = s * e`, `s = fmax(s, e)`,
//! `if (e > s) s = e;`, `s = e > s ? e : s`.

use crate::ir::{Reduction, ReductionOperator, Statement, StatementKind, visit};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, Type, TypeId, UnaryOperator, Unit,
};

/// The reduction that a loop's body does with a scalar, if it does nothing
/// else with it.
pub fn reduction(body: &[Statement], symbol: SymbolId, unit: &Unit) -> Option<Reduction> {
    let ty = unit.symbol(symbol).ty.ty;
    if !unit.types.is_arithmetic(ty) || matches!(unit.types.get(ty), Type::Bool) {
        return None;
    }
    let mut all = 0;
    visit::expressions(body, &mut |e| {
        all += usize::from(matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol));
    });
    let mut recognised = 0;
    let mut operator = None;
    let mut mixed = false;
    visit::walk(body, &mut |statement| {
        if let Some((found, mentions)) = update(statement, symbol, unit) {
            mixed |= operator.is_some_and(|known| known != found);
            operator = Some(found);
            recognised += mentions;
        }
    });
    let operator = operator.filter(|_| !mixed && recognised == all)?;
    let integer_only = matches!(
        operator,
        ReductionOperator::BitAnd | ReductionOperator::BitOr | ReductionOperator::BitXor
    );
    (!integer_only || unit.types.is_integer(ty)).then_some(Reduction {
        operator,
        symbol,
        ty,
        part: None,
        span: unit.symbol(symbol).span,
    })
}

/// The operator of a statement that updates the variable, and how often it
/// mentions it.
fn update(
    statement: &Statement,
    symbol: SymbolId,
    unit: &Unit,
) -> Option<(ReductionOperator, usize)> {
    match &statement.kind {
        StatementKind::Expression(Some(e)) => expression_update(e, symbol, unit),
        StatementKind::If(condition, then, None) => {
            let [
                Statement {
                    kind: StatementKind::Expression(Some(e)),
                    ..
                },
            ] = single(then)
            else {
                return None;
            };
            let ExpressionKind::Assign(target, value) = &e.inner().kind else {
                return None;
            };
            if target.as_symbol() != Some(symbol) {
                return None;
            }
            let operator = comparison(condition, value, symbol)?;
            keeps_order(value, symbol, unit).then_some((operator, 2))
        }
        _ => None,
    }
}

/// A block's only statement.
fn single(list: &[Statement]) -> &[Statement] {
    match list {
        [
            Statement {
                kind: StatementKind::Block(inner),
                ..
            },
        ] => single(inner),
        _ => list,
    }
}

fn expression_update(
    e: &Expression,
    symbol: SymbolId,
    unit: &Unit,
) -> Option<(ReductionOperator, usize)> {
    let is_variable = |e: &Expression| stripped(e).as_symbol() == Some(symbol);
    match &e.inner().kind {
        ExpressionKind::CompoundAssign {
            operator,
            target,
            value,
            computation,
        } if is_variable(target)
            && !mentions(value, symbol)
            && fits(unit, *computation, symbol) =>
        {
            let found = match operator {
                BinaryOperator::Subtract => ReductionOperator::Sum,
                _ => of_binary(*operator)?,
            };
            Some((found, 1))
        }
        ExpressionKind::Unary(
            UnaryOperator::PostIncrement
            | UnaryOperator::PreIncrement
            | UnaryOperator::PostDecrement
            | UnaryOperator::PreDecrement,
            target,
        ) if is_variable(target) => Some((ReductionOperator::Sum, 1)),
        ExpressionKind::Assign(target, value) if is_variable(target) => {
            assigned(stripped(value), symbol, unit).map(|operator| (operator, 2))
        }
        _ => None,
    }
    .or_else(|| conditional(e, symbol, unit))
}

/// Whether arithmetic in one type, stored into the variable each time, may be
/// done in any order: an integer variable must not be updated in floating
/// arithmetic.
fn fits(unit: &Unit, computation: TypeId, symbol: SymbolId) -> bool {
    unit.types.is_integer(computation) || !unit.types.is_integer(unit.symbol(symbol).ty.ty)
}

/// Whether storing a value into the variable keeps the order of values: an
/// integer variable is at least as wide.
fn keeps_order(value: &Expression, symbol: SymbolId, unit: &Unit) -> bool {
    let (from, to) = (stripped(value).ty.ty, unit.symbol(symbol).ty.ty);
    !unit.types.is_integer(to)
        || unit.types.is_integer(from) && unit.types.size(from) <= unit.types.size(to)
}

/// `s = e > s ? e : s`: three mentions.
fn conditional(
    e: &Expression,
    symbol: SymbolId,
    unit: &Unit,
) -> Option<(ReductionOperator, usize)> {
    let ExpressionKind::Assign(target, value) = &e.inner().kind else {
        return None;
    };
    if target.as_symbol() != Some(symbol) {
        return None;
    }
    let ExpressionKind::Conditional(condition, Some(then), otherwise) = &stripped(value).kind
    else {
        return None;
    };
    let operator = if stripped(otherwise).as_symbol() == Some(symbol) {
        comparison(condition, then, symbol).filter(|_| keeps_order(then, symbol, unit))?
    } else if stripped(then).as_symbol() == Some(symbol) {
        let found = comparison(condition, otherwise, symbol);
        opposite(found.filter(|_| keeps_order(otherwise, symbol, unit))?)?
    } else {
        return None;
    };
    Some((operator, 3))
}

fn opposite(operator: ReductionOperator) -> Option<ReductionOperator> {
    match operator {
        ReductionOperator::Max => Some(ReductionOperator::Min),
        ReductionOperator::Min => Some(ReductionOperator::Max),
        _ => None,
    }
}

/// The operator of `s op e`, `e op s`, `fmax(s, e)`.
fn assigned(value: &Expression, symbol: SymbolId, unit: &Unit) -> Option<ReductionOperator> {
    let is_variable = |e: &Expression| stripped(e).as_symbol() == Some(symbol);
    match &value.kind {
        ExpressionKind::Binary(operator, a, b) if fits(unit, value.ty.ty, symbol) => {
            let left = is_variable(a) && !mentions(b, symbol);
            let right = is_variable(b) && !mentions(a, symbol);
            match operator {
                BinaryOperator::Subtract => left.then_some(ReductionOperator::Sum),
                _ => (left || right).then(|| of_binary(*operator)).flatten(),
            }
        }
        ExpressionKind::Call {
            function,
            arguments,
        } => {
            let [a, b] = arguments.as_slice() else {
                return None;
            };
            let once =
                is_variable(a) && !mentions(b, symbol) || is_variable(b) && !mentions(a, symbol);
            let name = &unit.symbol(function.as_symbol()?).name;
            let name = name.strip_prefix("__builtin_").unwrap_or(name);
            let operator = match name {
                "fmax" | "fmaxf" | "fmaxl" => ReductionOperator::Max,
                "fmin" | "fminf" | "fminl" => ReductionOperator::Min,
                _ => return None,
            };
            once.then_some(operator)
        }
        _ => None,
    }
}

fn of_binary(operator: BinaryOperator) -> Option<ReductionOperator> {
    Some(match operator {
        BinaryOperator::Add => ReductionOperator::Sum,
        BinaryOperator::Multiply => ReductionOperator::Product,
        BinaryOperator::BitAnd => ReductionOperator::BitAnd,
        BinaryOperator::BitOr => ReductionOperator::BitOr,
        BinaryOperator::BitXor => ReductionOperator::BitXor,
        BinaryOperator::LogicalAnd => ReductionOperator::LogicalAnd,
        BinaryOperator::LogicalOr => ReductionOperator::LogicalOr,
        _ => return None,
    })
}

/// Max or min, if the condition says that `value` is beyond the variable.
fn comparison(
    condition: &Expression,
    value: &Expression,
    symbol: SymbolId,
) -> Option<ReductionOperator> {
    use BinaryOperator::{Greater, GreaterEqual, Less, LessEqual};
    let ExpressionKind::Binary(operator, a, b) = &condition.inner().kind else {
        return None;
    };
    if mentions(value, symbol) {
        return None;
    }
    let value_left = a.is_same(value) && stripped(b).as_symbol() == Some(symbol);
    let value_right = b.is_same(value) && stripped(a).as_symbol() == Some(symbol);
    match operator {
        Greater | GreaterEqual if value_left => Some(ReductionOperator::Max),
        Less | LessEqual if value_left => Some(ReductionOperator::Min),
        Greater | GreaterEqual if value_right => Some(ReductionOperator::Min),
        Less | LessEqual if value_right => Some(ReductionOperator::Max),
        _ => None,
    }
}

/// Without parentheses, conversions and casts around a value.
fn stripped(e: &Expression) -> &Expression {
    match &e.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(_, inner)
        | ExpressionKind::Cast(inner) => stripped(inner),
        _ => e,
    }
}

fn mentions(e: &Expression, symbol: SymbolId) -> bool {
    crate::typed::visit::any(
        e,
        &mut |e| matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol),
    )
}
