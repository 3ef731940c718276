//! How long sections and their dimensions are.

use crate::analysis::polynomial;
use crate::ir::{Length, Range};
use crate::typed::constant::evaluate;
use crate::typed::{
    ArrayLength, BinaryOperator as Op, Expression, ExpressionKind, QualType, Type, Unit, synthesis,
};

/// A length, as a number where it is one.
pub fn of(unit: &Unit, e: &Expression) -> Length {
    match evaluate(unit, e).and_then(|n| u64::try_from(n).ok()) {
        Some(n) => Length::Constant(n),
        None => Length::Expression(e.clone()),
    }
}

/// The length of a dimension as it is declared, if it is: `depth` dimensions are outside of it.
pub fn declared(length: ArrayLength, depth: usize) -> Option<Length> {
    match length {
        ArrayLength::Constant(n) => Some(Length::Constant(n)),
        ArrayLength::Variable(_) | ArrayLength::Star => Some(Length::Variable { depth }),
        ArrayLength::Incomplete => None,
    }
}

/// Adds the dimensions of an element that is itself an array, each whole; gives the type of
/// what they are of.
pub fn whole_dimensions(
    unit: &Unit,
    element: QualType,
    depth: usize,
    ranges: &mut Vec<Range>,
) -> QualType {
    let mut ty = element;
    let mut depth = depth;
    while let Type::Array { element, length } = unit.types.get(ty.ty) {
        let Some(length) = declared(*length, depth) else {
            break;
        };
        ranges.push(Range {
            lower: None,
            length: length.clone(),
            extent: Some(length),
            pointers: false,
        });
        ty = *element;
        depth += 1;
    }
    ty
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
