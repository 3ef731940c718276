//! Conditions in normal form: what must hold for some code to run.
//!
//! `row > 0 && column < n` is known as far as its comparisons are affine in
//! the loops' iterations; what the data decides is not.

use super::polynomial::Polynomial;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, UnaryOperator, Unit};

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Not affine.
    Unknown,
    /// The polynomial is 0 or more.
    NotNegative(Polynomial),
    /// The polynomial is 0.
    Zero(Polynomial),
    /// The other one does not hold.
    Not(Box<Condition>),
    /// All hold; always, if there are none.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
}

impl Condition {
    /// What an expression says as a condition; `affine` gives the polynomials
    /// of integer expressions.
    pub fn of(
        e: &Expression,
        unit: &Unit,
        affine: &dyn Fn(&Expression) -> Option<Polynomial>,
    ) -> Self {
        use BinaryOperator as B;
        let e = e.inner();
        let of = |e: &Expression| Self::of(e, unit, affine);
        match &e.kind {
            ExpressionKind::Unary(UnaryOperator::LogicalNot, inner) => !of(inner),
            ExpressionKind::Binary(B::LogicalAnd, a, b) => Self::All(vec![of(a), of(b)]),
            ExpressionKind::Binary(B::LogicalOr, a, b) => Self::Any(vec![of(a), of(b)]),
            ExpressionKind::Binary(
                operator @ (B::Less
                | B::LessEqual
                | B::Greater
                | B::GreaterEqual
                | B::Equal
                | B::NotEqual),
                a,
                b,
            ) => {
                let sides = affine(a).zip(affine(b));
                let found = sides.and_then(|(a, b)| Self::compared(*operator, &a, &b));
                found.unwrap_or(Self::Unknown)
            }
            _ if unit.types.is_integer(e.ty.ty) => {
                affine(e).map_or(Self::Unknown, |value| !Self::Zero(value))
            }
            _ => Self::Unknown,
        }
    }

    fn compared(operator: BinaryOperator, a: &Polynomial, b: &Polynomial) -> Option<Self> {
        use BinaryOperator as B;
        let one = Polynomial::constant(1);
        Some(match operator {
            B::Less => Self::NotNegative(b.minus(a)?.minus(&one)?),
            B::LessEqual => Self::NotNegative(b.minus(a)?),
            B::Greater => Self::NotNegative(a.minus(b)?.minus(&one)?),
            B::GreaterEqual => Self::NotNegative(a.minus(b)?),
            B::Equal => Self::Zero(a.minus(b)?),
            _ => !Self::Zero(a.minus(b)?),
        })
    }
}

impl std::ops::Not for Condition {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Unknown => Self::Unknown,
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }
}
