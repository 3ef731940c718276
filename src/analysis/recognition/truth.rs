//! Variables that are 0 or 1, and operands that may be evaluated although the
//! serial program stops before them: what `s = s && e` needs to be a reduction.

use crate::analysis::flow;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Initializer, Statement, Storage, SymbolId,
    SymbolKind, Type, UnaryOperator, Unit, visit,
};

/// Whether a variable of a function never has another value than 0 and 1: a
/// `_Bool`, or one of the function's own which only such values go to.
pub fn is_truth_value(unit: &Unit, function: SymbolId, symbol: SymbolId) -> bool {
    let variable = unit.symbol(symbol);
    if matches!(unit.types.get(variable.ty.ty), Type::Bool) {
        return true;
    }
    let Some(function) = unit.function(function) else {
        return false;
    };
    matches!(variable.kind, SymbolKind::Variable(Storage::Automatic))
        && unit.types.is_integer(variable.ty.ty)
        && !flow::is_address_taken(unit, function.symbol, symbol)
        && !flow::is_in_directive(&function.body, symbol)
        && only_truth_is_stored(unit, &function.body, symbol)
}

fn only_truth_is_stored(unit: &Unit, body: &Statement, symbol: SymbolId) -> bool {
    let is_symbol = |e: &Expression| e.as_symbol() == Some(symbol);
    let is_truth = |e: &Expression| is_truth(unit, e, symbol);
    let mut holds = true;
    visit::expressions(body, &mut |e| match &e.kind {
        ExpressionKind::Assign(target, value) if is_symbol(target) => {
            holds &= is_truth(value);
        }
        ExpressionKind::CompoundAssign {
            operator,
            target,
            value,
            ..
        } if is_symbol(target) => {
            use BinaryOperator::{BitAnd, BitOr, BitXor};
            holds &= matches!(operator, BitAnd | BitOr | BitXor) && is_truth(value);
        }
        ExpressionKind::Unary(operator, target) if operator.is_step() && is_symbol(target) => {
            holds = false
        }
        ExpressionKind::Statement(_) => holds = false,
        _ => {}
    });
    initial_values(body, symbol, &mut |value| holds &= is_truth(value));
    holds
}

/// Calls `visit` on what a variable is initialised with.
fn initial_values<'a>(
    statement: &'a Statement,
    symbol: SymbolId,
    visit: &mut dyn FnMut(&'a Expression),
) {
    visit::declarations(statement, &mut |declaration| {
        if declaration.symbol == symbol
            && let Some(Initializer::Expression(e)) = &declaration.initializer
        {
            visit(e);
        }
    });
}

/// Whether an expression is 0 or 1, given that the variable is.
fn is_truth(unit: &Unit, e: &Expression, symbol: SymbolId) -> bool {
    use BinaryOperator as B;
    let both =
        |a: &Expression, b: &Expression| is_truth(unit, a, symbol) && is_truth(unit, b, symbol);
    if matches!(unit.types.get(e.ty.ty), Type::Bool) {
        return true;
    }
    match &e.kind {
        ExpressionKind::Parenthesized(e)
        | ExpressionKind::Cast(e)
        | ExpressionKind::Convert(_, e) => is_truth(unit, e, symbol),
        ExpressionKind::Integer { value, .. } => matches!(value, 0 | 1),
        ExpressionKind::Symbol(s) => *s == symbol,
        ExpressionKind::Unary(UnaryOperator::LogicalNot, _) => true,
        ExpressionKind::Binary(operator, a, b) => match operator {
            B::LogicalAnd | B::LogicalOr | B::Equal | B::NotEqual => true,
            B::Less | B::LessEqual | B::Greater | B::GreaterEqual => true,
            B::BitAnd | B::BitOr | B::BitXor => both(a, b),
            _ => false,
        },
        ExpressionKind::Conditional(_, Some(then), otherwise) => both(then, otherwise),
        ExpressionKind::Assign(_, value) => is_truth(unit, value, symbol),
        _ => false,
    }
}
