//! Headers of counted loops as the host writes them.

use crate::ir::{Loop, Relation, is_literal};
use crate::typed::synthesis;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, QualType, TypeId, UnaryOperator};

/// The parts of a counted loop's header as expressions.
pub struct Header {
    /// `i = lower`.
    pub first: Expression,
    /// `i < bound`.
    pub condition: Expression,
    /// `i++`, or `i += step`.
    pub advance: Expression,
}

/// Takes a header apart.
pub fn parts(l: &Loop, ty: QualType) -> Header {
    let span = l.header;
    let variable = || Expression {
        kind: ExpressionKind::Symbol(l.induction),
        ty,
        span,
    };
    let relation = match l.relation {
        Relation::Less => BinaryOperator::Less,
        Relation::LessEqual => BinaryOperator::LessEqual,
        Relation::Greater => BinaryOperator::Greater,
        Relation::GreaterEqual => BinaryOperator::GreaterEqual,
        Relation::NotEqual => BinaryOperator::NotEqual,
    };
    Header {
        first: synthesis::assign(variable(), l.lower.clone()),
        condition: synthesis::binary(relation, variable(), l.bound.clone(), ty.ty),
        advance: advance(l, variable(), ty.ty),
    }
}

/// `i++`, or `i += step`.
fn advance(l: &Loop, variable: Expression, ty: TypeId) -> Expression {
    let target = Box::new(variable);
    let is_one = is_literal(&l.step, 1);
    let kind = match (is_one, l.downward) {
        (true, false) => ExpressionKind::Unary(UnaryOperator::PostIncrement, target),
        (true, true) => ExpressionKind::Unary(UnaryOperator::PostDecrement, target),
        (false, downward) => ExpressionKind::CompoundAssign {
            operator: match downward {
                true => BinaryOperator::Subtract,
                false => BinaryOperator::Add,
            },
            target,
            value: Box::new(l.step.clone()),
            computation: l.step.ty.ty,
        },
    };
    Expression {
        kind,
        ty: QualType::plain(ty),
        span: l.step.span,
    }
}
