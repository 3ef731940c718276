//! How long sections are that are given by their first and last index.

use crate::analysis::polynomial;
use crate::ir::Length;
use crate::typed::constant::evaluate;
use crate::typed::{BinaryOperator as Op, Expression, ExpressionKind, Unit, synthesis};

/// A length, as a number where it is one.
pub fn of(unit: &Unit, e: &Expression) -> Length {
    match evaluate(unit, e).and_then(|n| u64::try_from(n).ok()) {
        Some(n) => Length::Constant(n),
        None => Length::Expression(e.clone()),
    }
}

/// `last - first + 1`, as short as it can be.
pub fn count(unit: &Unit, first: &Expression, last: &Expression) -> Expression {
    let one = synthesis::integer(1, synthesis::int(unit), last.span);
    if let Some(difference) = difference(unit, first, last) {
        return synthesis::integer(difference + 1, one.ty.ty, last.span);
    }
    let ty = last.ty.ty;
    let is_zero = evaluate(unit, first) == Some(0);
    let above = match &last.inner().kind {
        // `n - 1 + 1`.
        ExpressionKind::Binary(Op::Subtract, all, last) if evaluate(unit, last) == Some(1) => {
            (**all).clone()
        }
        _ => synthesis::binary(Op::Add, last.clone(), one, ty),
    };
    match is_zero {
        true => above,
        false => {
            let first = synthesis::parenthesized(first.clone());
            synthesis::binary(Op::Subtract, above, first, ty)
        }
    }
}

/// `last - first`, where that is a number.
pub fn difference(unit: &Unit, first: &Expression, last: &Expression) -> Option<i128> {
    let [first, last] = [first, last].map(|e| polynomial::of_variables(e, unit));
    last?.minus(&first?)?.as_constant()
}
