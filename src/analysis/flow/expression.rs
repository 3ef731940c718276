//! What an expression does with a variable, in order of evaluation.

use super::{Flow, Order};
use crate::typed::library;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit, visit,
};

pub(super) fn flow(unit: &Unit, e: &Expression, variable: SymbolId) -> Flow {
    Evaluation { unit, variable }.value(e)
}

struct Evaluation<'u> {
    unit: &'u Unit,
    variable: SymbolId,
}

impl Evaluation<'_> {
    fn is_variable(&self, e: &Expression) -> bool {
        e.as_symbol() == Some(self.variable)
    }

    fn value(&self, e: &Expression) -> Flow {
        match &e.kind {
            ExpressionKind::Symbol(symbol) if *symbol == self.variable => Flow::READ,
            ExpressionKind::Assign(target, value) => self.value(value).then(self.assign(target)),
            ExpressionKind::CompoundAssign { target, .. } => {
                self.operands(e).then(self.assign(target))
            }
            ExpressionKind::Unary(operator, target) if operator.is_step() => {
                self.value(target).then(self.assign(target))
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => {
                let flow = self.value(operand);
                let escapes = flow.escapes || self.is_variable(operand);
                Flow { escapes, ..flow }
            }
            ExpressionKind::Convert(Conversion::ArrayToPointer, operand) => self.value(operand),
            ExpressionKind::Binary(
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                left,
                right,
            ) => self.value(left).then(Flow::NONE.or(self.value(right))),
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let then = then.as_ref().map_or(Flow::NONE, |then| self.value(then));
                let branches = then.or(self.value(otherwise));
                self.value(condition).then(branches)
            }
            ExpressionKind::Call {
                function,
                arguments,
            } => self.call(function, arguments),
            ExpressionKind::Statement(statement) => {
                Order::host(statement).flow(self.unit, self.variable)
            }
            _ => self.operands(e),
        }
    }

    fn operands(&self, e: &Expression) -> Flow {
        let mut flow = Flow::NONE;
        visit::operands(e, &mut |operand| flow = flow.then(self.value(operand)));
        flow
    }

    fn assign(&self, target: &Expression) -> Flow {
        match self.is_variable(target) {
            true => Flow::WRITE,
            false => self.place(target),
        }
    }

    /// An assigned lvalue: what finds it is read; a member of the variable
    /// itself is neither a read nor a write of the whole.
    fn place(&self, target: &Expression) -> Flow {
        match &target.kind {
            ExpressionKind::Parenthesized(inner) => self.place(inner),
            ExpressionKind::Member {
                base, arrow: false, ..
            } => self.place(base),
            ExpressionKind::Symbol(_) => Flow::NONE,
            _ => self.value(target),
        }
    }

    /// Results that library functions store through `&v` are writes.
    fn call(&self, function: &Expression, arguments: &[Expression]) -> Flow {
        let called = function.as_symbol();
        let stores = called.is_some_and(|f| library::stores_results(&self.unit.symbol(f).name));
        let is_result = |argument: &Expression| match &argument.inner().kind {
            ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => {
                stores && self.is_variable(operand)
            }
            _ => false,
        };
        let (results, values): (Vec<_>, Vec<_>) = arguments.iter().partition(|a| is_result(a));
        let flow = (values.into_iter()).fold(self.value(function), |flow, argument| {
            flow.then(self.value(argument))
        });
        match results.is_empty() {
            true => flow,
            false => flow.then(Flow::WRITE),
        }
    }
}
