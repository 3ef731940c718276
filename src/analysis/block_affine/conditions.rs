//! What holds where a condition is true, or false.

use super::{Case, Frame, Polynomial};
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, UnaryOperator};

impl Frame<'_> {
    /// What is not negative where a condition holds, or where it does not.
    pub(super) fn implied(&mut self, e: &Expression, truth: bool) -> Vec<Polynomial> {
        use BinaryOperator as B;
        match &e.kind {
            ExpressionKind::Symbol(symbol) => self.remembered(*symbol, truth),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(_, inner)
            | ExpressionKind::Cast(inner)
                if is_condition(inner) || self.is_integer(inner) && is_name(inner) =>
            {
                self.implied(inner, truth)
            }
            ExpressionKind::Parenthesized(inner) => self.implied(inner, truth),
            ExpressionKind::Unary(UnaryOperator::LogicalNot, inner) => self.implied(inner, !truth),
            ExpressionKind::Binary(operator @ (B::LogicalAnd | B::LogicalOr), a, b) => {
                // Both are known only on the way that needs both.
                if (*operator == B::LogicalAnd) != truth {
                    return Vec::new();
                }
                let mut facts = self.implied(a, truth);
                let before = self.known.len();
                self.known.extend_from_slice(&facts);
                facts.extend(self.implied(b, truth));
                self.known.truncate(before);
                facts
            }
            ExpressionKind::Binary(operator, a, b) if self.is_integer(a) && self.is_integer(b) => {
                let operator = if truth {
                    *operator
                } else {
                    match opposite(*operator) {
                        Some(operator) => operator,
                        None => return Vec::new(),
                    }
                };
                let (left, right) = (self.cases(a), self.cases(b));
                self.compared(operator, &left, &right)
            }
            _ => Vec::new(),
        }
    }

    /// What a local that holds a condition says.
    fn remembered(&self, symbol: SymbolId, truth: bool) -> Vec<Polynomial> {
        let known = self.truths.get(&symbol);
        known.map_or_else(Vec::new, |facts| facts[usize::from(truth)].clone())
    }

    /// What follows from a comparison that holds.
    pub(super) fn compared(
        &self,
        operator: BinaryOperator,
        left: &[Case],
        right: &[Case],
    ) -> Vec<Polynomial> {
        if let Some((less, more, distance)) = sides(operator, left, right) {
            return self.ordered(less, more, distance);
        }
        if operator != BinaryOperator::Equal {
            return Vec::new();
        }
        let mut facts = self.ordered(left, right, 0);
        facts.extend(self.ordered(right, left, 0));
        facts
    }

    /// What follows from `less + distance <= more`: those of the possible
    /// differences that are the largest in all cases.
    pub(super) fn ordered(&self, less: &[Case], more: &[Case], distance: i128) -> Vec<Polynomial> {
        let mut differences = Vec::new();
        for a in less {
            for b in more {
                let difference = b.value.minus(&a.value);
                let difference = difference.and_then(|d| d.moved(-distance));
                let (Some(difference), true) = (difference, a.is_exact && b.is_exact) else {
                    return Vec::new();
                };
                differences.push((difference, a.facts_with(b)));
            }
        }
        let is_largest = |candidate: &Polynomial| {
            differences.iter().all(|(other, facts)| {
                let rest = candidate.minus(other);
                rest.is_some_and(|rest| self.is_proved(&rest, facts))
            })
        };
        let mut found: Vec<Polynomial> = Vec::new();
        for (difference, _) in &differences {
            if !found.contains(difference) && (differences.len() == 1 || is_largest(difference)) {
                found.push(difference.clone());
            }
        }
        found
    }
}

/// The lesser and the greater side of a comparison, and their least distance.
pub(super) fn sides<'c>(
    operator: BinaryOperator,
    left: &'c [Case],
    right: &'c [Case],
) -> Option<(&'c [Case], &'c [Case], i128)> {
    use BinaryOperator as B;
    Some(match operator {
        B::Less => (left, right, 1),
        B::LessEqual => (left, right, 0),
        B::Greater => (right, left, 1),
        B::GreaterEqual => (right, left, 0),
        _ => return None,
    })
}

/// Whether the value of an expression is 0 or 1 for a condition.
pub(super) fn is_condition(e: &Expression) -> bool {
    use BinaryOperator as B;
    match &e.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(_, inner)
        | ExpressionKind::Cast(inner) => is_condition(inner),
        ExpressionKind::Unary(UnaryOperator::LogicalNot, _) => true,
        ExpressionKind::Binary(operator, ..) => matches!(
            operator,
            B::LogicalAnd
                | B::LogicalOr
                | B::Less
                | B::LessEqual
                | B::Greater
                | B::GreaterEqual
                | B::Equal
                | B::NotEqual
        ),
        _ => false,
    }
}

fn is_name(e: &Expression) -> bool {
    matches!(e.kind, ExpressionKind::Symbol(_))
}

fn opposite(operator: BinaryOperator) -> Option<BinaryOperator> {
    use BinaryOperator as B;
    Some(match operator {
        B::Less => B::GreaterEqual,
        B::LessEqual => B::Greater,
        B::Greater => B::LessEqual,
        B::GreaterEqual => B::Less,
        B::NotEqual => B::Equal,
        _ => return None,
    })
}
