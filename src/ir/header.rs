//! Counted loops as C writes them.

use super::{Loop, PlainFor, Statement, is_literal};
use crate::typed::synthesis;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, UnaryOperator, Unit};

impl Loop {
    /// The loop as a plain `for`: `for (int i = lower; i < bound; i++)`, or with
    /// `i = lower` where its variable is declared elsewhere.
    pub fn as_for(&self, unit: &Unit) -> PlainFor {
        let span = self.header;
        let ty = unit.symbol(self.induction).ty;
        let variable = || ExpressionKind::Symbol(self.induction).at(ty, span);
        let first = match self.declared_inside {
            true => Statement::declare(self.induction, Some(self.lower.clone()), span),
            false => Statement::assign(variable(), self.lower.clone(), span),
        };
        let relation = self.relation.operator();
        PlainFor {
            initializer: Some(first),
            condition: Some(synthesis::binary(
                relation,
                variable(),
                self.bound.clone(),
                ty.ty,
            )),
            step: Some(self.advance(variable()).at(ty.ty, self.step.span)),
            body: self.body.clone(),
            uncounted: None,
        }
    }

    /// `i++`, or `i += step`.
    fn advance(&self, variable: Expression) -> ExpressionKind {
        let target = Box::new(variable);
        match (is_literal(&self.step, 1), self.downward) {
            (true, false) => ExpressionKind::Unary(UnaryOperator::PostIncrement, target),
            (true, true) => ExpressionKind::Unary(UnaryOperator::PostDecrement, target),
            (false, downward) => ExpressionKind::CompoundAssign {
                operator: match downward {
                    true => BinaryOperator::Subtract,
                    false => BinaryOperator::Add,
                },
                target,
                value: Box::new(self.step.clone()),
                computation: self.step.ty.ty,
            },
        }
    }
}
