//! The conditions that accesses stand under: those of `if` around them, of
//! operators inside an expression, and of jumps before them.

use super::Collector;
use crate::analysis::condition::Condition;
use crate::analysis::exits::{Exits, Jump};
use crate::ir::{Statement, StatementKind};
use crate::typed::{self, BinaryOperator, Expression, ExpressionKind};

/// An operand that is not always evaluated, and the number of its condition.
type Part<'a> = (&'a Expression, usize);

impl<'a> Collector<'_, '_, 'a> {
    /// What an expression says as a condition, where that is asked for.
    pub(super) fn condition(&self, e: &Expression) -> Condition {
        match self.has_conditions {
            true => Condition::of(e, self.oracle.unit(), &|e| self.affine(e)),
            false => Condition::Unknown,
        }
    }

    /// What is walked from now on runs under a condition.
    pub(super) fn enter_condition(&mut self, condition: Condition) {
        if self.has_conditions {
            let number = self.number_of(condition);
            self.under.push(number);
        }
    }

    fn number_of(&mut self, condition: Condition) -> usize {
        self.result.conditions.push(condition);
        self.result.conditions.len() - 1
    }

    /// Of the conditions from a number on nothing is known: a jump may have led past them.
    pub(super) fn doubt_conditions(&mut self, from: usize) {
        for at in from..self.under.len() {
            self.under[at] = self.number_of(Condition::Unknown);
        }
    }

    /// Walks a list that runs under a condition.
    pub(super) fn branch(&mut self, condition: Condition, list: &'a [Statement]) {
        let depth = self.under.len();
        self.enter_condition(condition);
        self.list(list);
        self.under.truncate(depth);
    }

    /// What stands behind a statement with a jump runs where the jump was not
    /// taken.
    pub(super) fn pass(&mut self, statement: &Statement) {
        if !self.has_conditions || !Exits::of_statement(statement).any(Jump::ends_iteration) {
            return;
        }
        let condition = match &statement.kind {
            StatementKind::If(condition, then, None) if only_continues(then) => {
                !self.condition(condition)
            }
            _ => Condition::Unknown,
        };
        self.enter_condition(condition);
    }

    /// The operands in an expression that are not always evaluated.
    pub(super) fn conditional_parts(&mut self, e: &'a Expression) -> Vec<Part<'a>> {
        let mut parts = Vec::new();
        if self.has_conditions {
            typed::visit::walk(e, &mut |e| self.add_parts(e, &mut parts));
        }
        parts
    }

    fn add_parts(&mut self, e: &'a Expression, parts: &mut Vec<Part<'a>>) {
        use BinaryOperator as B;
        match &e.kind {
            ExpressionKind::Binary(operator @ (B::LogicalAnd | B::LogicalOr), first, second) => {
                let holds = self.condition(first);
                let holds = match operator {
                    B::LogicalAnd => holds,
                    _ => !holds,
                };
                parts.push((second, self.number_of(holds)));
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let holds = self.condition(condition);
                if let Some(then) = then {
                    parts.push((then, self.number_of(holds.clone())));
                }
                parts.push((otherwise, self.number_of(!holds)));
            }
            ExpressionKind::Statement(_) => parts.push((e, self.number_of(Condition::Unknown))),
            _ => {}
        }
    }
}

/// The conditions of the operands that an access is in.
pub(super) fn of_part(parts: &[Part], access: &Expression) -> Vec<usize> {
    let has_access = |part: &&Part| typed::visit::any(part.0, &mut |e| std::ptr::eq(e, access));
    parts
        .iter()
        .filter(has_access)
        .map(|(_, number)| *number)
        .collect()
}

/// Whether a list is no more than `continue;`.
fn only_continues(list: &[Statement]) -> bool {
    match list {
        [only] => match &only.kind {
            StatementKind::Continue => true,
            StatementKind::Block(inner) => only_continues(inner),
            _ => false,
        },
        _ => false,
    }
}
