//! Values, conditions and what they are made of.

use super::Draft;
use super::nest::Nest;
use crate::model::{Expression, Type, name};

/// Factors of floating-point terms: sums of a few such terms never overflow.
const FACTORS: &[f64] = &[0.5, 0.25, -0.5, 0.125, -0.25, 0.75];

impl Draft {
    /// The value of an element or variable of that type as a number, a whole one where `real` is
    /// false. A structure gives one of its members.
    pub fn number(&mut self, place: Expression, element: Type, real: bool) -> Expression {
        let members: Vec<&'static str> = element
            .members()
            .iter()
            .filter(|(_, kind)| kind.is_real() == real)
            .map(|(member, _)| *member)
            .collect();
        if members.is_empty() {
            return place;
        }
        if element == Type::Pair && !real && self.random.chance(1, 3) {
            return Expression::Call("pair_key", vec![place]);
        }
        let chosen = self.random.of(&members);
        select_member(place, chosen)
    }

    /// A value made of numbers.
    pub fn combine(&mut self, parts: &[Expression], real: bool) -> Expression {
        let mut terms = parts.iter().cloned();
        let Some(first) = terms.next() else {
            return Expression::Integer(self.random.between(1, 9));
        };
        let first = self.term(first, real);
        terms.fold(first, |sum, part| {
            let part = self.term(part, real);
            self.join(sum, part, real)
        })
    }

    fn term(&mut self, part: Expression, real: bool) -> Expression {
        if real {
            let factor = Expression::Real(self.random.of(FACTORS));
            return match self.random.between(1, 5) {
                1 => part * Expression::Cast(Type::Float, Box::new(factor)),
                2 => Expression::binary("*", factor, part),
                _ => part * factor,
            };
        }
        match self.random.between(1, 8) {
            1 => part * self.random.of(&[2, 3, -1, 7]),
            2 => Expression::binary("&", part, self.random.of(&[1, 7, 63, 255])),
            3 => part + self.random.between(-9, 9),
            4 => Expression::binary(">>", part, self.random.between(1, 3)),
            _ => part,
        }
    }

    fn join(&mut self, left: Expression, right: Expression, real: bool) -> Expression {
        if real {
            return match self.random.between(1, 6) {
                1 => left - right,
                2 => Expression::Call("larger", vec![left, right]),
                3 => Expression::choose(
                    left.clone().below(right.clone()),
                    left * Expression::Real(0.5),
                    right,
                ),
                _ => left + right,
            };
        }
        match self.random.between(1, 8) {
            1 | 2 => left - right,
            3 => Expression::binary("^", left, right),
            4 => Expression::Call("least", vec![left, right]),
            5 => Expression::choose(left.clone().below(right.clone()), right, left),
            _ => left + right,
        }
    }

    /// A condition on a number or on where the iteration stands.
    pub fn condition(&mut self, part: Option<Expression>, real: bool, nest: &Nest) -> Expression {
        let lane = self.random.pick(&nest.lanes).clone();
        let position = name(&lane.position);
        match (self.random.between(1, 7), part) {
            (1..=3, Some(part)) if real => Expression::binary(
                self.random.of(&["<", ">"]),
                part,
                Expression::Real(self.random.of(&[0.5, -2.25, 3.0])),
            ),
            (1..=2, Some(part)) => {
                let low = Expression::binary("&", part, 3);
                Expression::binary("!=", low, self.random.between(0, 3))
            }
            (3, Some(part)) => part.below(self.random.between(-5, 50)),
            (4, _) => {
                let rest = position % self.random.of(&[2, 3, 4]);
                Expression::binary(self.random.of(&["==", "!="]), rest, 1)
            }
            (5, _) => position.at_least(self.random.between(1, 9)),
            (6, _) => name(&lane.size).at_least(self.random.between(2, 20)),
            _ => {
                let rest = position.clone() % self.random.of(&[3, 5]);
                let inner = Expression::binary("!=", rest, 0);
                inner.and(position.below(name(&lane.size) - 2))
            }
        }
    }
}

/// A member of an element or of a private structure.
pub fn select_member(place: Expression, chosen: &'static str) -> Expression {
    match place {
        Expression::Element { array, indices, .. } => Expression::Element {
            array,
            indices,
            member: Some(chosen),
        },
        Expression::Name(variable) => Expression::Member(variable, chosen),
        other => other,
    }
}
