//! Polynomials as expressions of the host.
//!
//! Elements and their number are computed in `unsigned long`, so that no part of
//! them overflows: whatever is exact modulo 2⁶⁴ is exact, since memory is smaller
//! than that. Conditions are exact: sums are of numbers of 32 bits in `long`, or
//! of single variables.

use super::{Polynomial, Term};
use crate::source::Span;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, QualType, Type, TypeId, Unit,
};

/// Writes them.
pub struct Writer<'w> {
    unit: &'w Unit,
    /// `unsigned long`.
    size: TypeId,
    opaque: &'w [Expression],
    span: Span,
}

/// The type that a sum is computed in: where it is `None`, that of its parts.
type Wide = Option<TypeId>;

impl<'w> Writer<'w> {
    /// Of polynomials over variables and these opaque values, for what stands there.
    pub fn new(unit: &'w Unit, opaque: &'w [Expression], span: Span) -> Self {
        Self {
            unit,
            size: (unit.types).intern(Type::Integer(IntegerKind::UnsignedLong)),
            opaque,
            span,
        }
    }

    /// A number of elements, exact modulo 2⁶⁴.
    pub fn count(&self, p: &Polynomial) -> Expression {
        let leaves: usize = p.terms().map(|(product, _)| product.len().max(1)).sum();
        self.sum(p, (leaves > 1).then_some(self.size))
    }

    /// As a user would have written it.
    pub fn plain(&self, p: &Polynomial) -> Expression {
        self.sum(p, None)
    }

    /// What is not negative, over a number.
    pub fn quotient(&self, p: &Polynomial, by: i128) -> Expression {
        let by = self.integer(by, None);
        self.binary(BinaryOperator::Divide, self.sum(p, Some(self.size)), by)
    }

    fn sum(&self, p: &Polynomial, wide: Wide) -> Expression {
        let constant: i128 = p
            .terms()
            .find(|(product, _)| product.is_empty())
            .map_or(0, |(_, c)| c);
        let mut products: Vec<_> = p
            .terms()
            .filter(|(product, _)| !product.is_empty())
            .collect();
        products.sort_by_key(|(product, value)| (*value < 0, std::cmp::Reverse(product.len())));
        let begins_below = products.first().is_none_or(|(_, value)| *value < 0);
        let mut sum = begins_below.then(|| self.integer(constant, wide));
        for (product, value) in products {
            let part = self.product(
                product,
                value.abs(),
                wide.filter(|_| sum.is_none() || product.len() > 1 || value.abs() != 1),
            );
            sum = Some(match sum {
                None => part,
                Some(sum) if value < 0 => self.binary(BinaryOperator::Subtract, sum, part),
                Some(sum) => self.binary(BinaryOperator::Add, sum, part),
            });
        }
        let sum = sum.unwrap_or_else(|| self.integer(constant, wide));
        if begins_below || constant == 0 {
            return sum;
        }
        let operator = if constant < 0 {
            BinaryOperator::Subtract
        } else {
            BinaryOperator::Add
        };
        self.binary(operator, sum, self.integer(constant.abs(), None))
    }

    fn product(&self, product: &[Term], factor: i128, wide: Wide) -> Expression {
        let mut result = (factor != 1).then(|| self.integer(factor, wide));
        for &term in product {
            let leaf = self.variable(term);
            result = Some(match result {
                None => self.converted(leaf, wide),
                Some(result) => self.binary(BinaryOperator::Multiply, result, leaf),
            });
        }
        result.unwrap_or_else(|| self.integer(factor, wide))
    }

    fn variable(&self, term: Term) -> Expression {
        let symbol = match term {
            Term::Invariant(symbol) => symbol,
            Term::Opaque(number) if number < self.opaque.len() => {
                return self.opaque[number].clone();
            }
            Term::Iteration(_) | Term::Opaque(_) => return self.integer(0, None),
        };
        Expression {
            kind: ExpressionKind::Symbol(symbol),
            ty: QualType::plain(self.unit.symbol(symbol).ty.ty),
            span: self.span,
        }
    }

    fn converted(&self, e: Expression, wide: Wide) -> Expression {
        let Some(ty) = wide.filter(|ty| *ty != e.ty.ty) else {
            return e;
        };
        Expression {
            ty: QualType::plain(ty),
            span: self.span,
            kind: ExpressionKind::Cast(Box::new(e)),
        }
    }

    fn integer(&self, value: i128, wide: Wide) -> Expression {
        // Without a suffix, C gives it the least type: it compares as a number.
        let spelling = wide.is_none().then(|| value.to_string());
        Expression {
            kind: ExpressionKind::Integer { value, spelling },
            ty: QualType::plain(wide.unwrap_or(self.size)),
            span: self.span,
        }
    }

    fn binary(&self, operator: BinaryOperator, a: Expression, b: Expression) -> Expression {
        Expression {
            ty: a.ty,
            span: self.span,
            kind: ExpressionKind::Binary(operator, Box::new(a), Box::new(b)),
        }
    }

    /// All of these are at least 0, as a condition; `None` if the host could not
    /// compute one of them exactly.
    pub fn condition(&self, guards: &[Polynomial]) -> Option<Expression> {
        let mut condition: Option<Expression> = None;
        for guard in guards {
            let guard = self.guard(guard)?;
            condition = Some(match condition {
                Some(before) => self.binary(BinaryOperator::LogicalAnd, before, guard),
                None => guard,
            });
        }
        condition
    }

    /// `0 ≤ p` without a difference: what is added on the left, what is taken
    /// away on the right.
    fn guard(&self, p: &Polynomial) -> Option<Expression> {
        let (mut left, mut right) = (Polynomial::default(), Polynomial::default());
        let mut constant = 0;
        for (product, value) in p.terms() {
            let single = |value: i128| {
                let start = Polynomial::constant(value);
                product
                    .iter()
                    .try_fold(start, |p, &term| p.times(&Polynomial::variable(term)))
            };
            match (product.is_empty(), value > 0) {
                (true, _) => constant = value,
                (false, true) => left = left.plus(&single(value)?)?,
                (false, false) => right = right.plus(&single(-value)?)?,
            }
        }
        let is_strict = constant < 0;
        let beyond = Polynomial::constant(if is_strict { -constant - 1 } else { -constant });
        if right == Polynomial::default() || is_strict {
            right = right.plus(&beyond)?;
        } else {
            left = left.plus(&Polynomial::constant(constant))?;
        }
        let wide = self.comparison(&left, &right)?;
        let operator = match is_strict {
            true => BinaryOperator::Greater,
            false => BinaryOperator::GreaterEqual,
        };
        Some(self.binary(operator, self.sum(&left, wide), self.side(&right, wide)))
    }

    fn side(&self, p: &Polynomial, wide: Wide) -> Expression {
        match p.as_constant() {
            Some(number) => self.integer(number, None),
            None => self.sum(p, wide),
        }
    }

    /// The type that a comparison is exact in.
    fn comparison(&self, left: &Polynomial, right: &Polynomial) -> Option<Wide> {
        let unit = self.unit;
        let sides = [left, right];
        let mut leaves = Vec::new();
        for side in sides {
            let mut squares = 0;
            for (product, value) in side.terms() {
                leaves.extend(product.iter().map(|&term| self.variable(term).ty.ty));
                squares += usize::from(product.len() == 2);
                let is_known = match product.len() {
                    0 | 1 => value.abs() < 1 << 24,
                    2 => value == 1,
                    _ => false,
                };
                if !is_known {
                    return None;
                }
            }
            let is_product =
                |ty: &TypeId| unit.types.is_signed(*ty) && unit.types.size(*ty) <= Some(4);
            if squares > 1 || squares > 0 && !leaves.iter().all(is_product) {
                return None;
            }
        }
        let is_single = |side: &Polynomial| {
            let mut terms = side.terms();
            match (terms.next(), terms.next()) {
                (None, _) => true,
                (Some((product, value)), None) => match product.len() {
                    0 => true,
                    1 => value == 1,
                    _ => false,
                },
                _ => false,
            }
        };
        let is_alike = leaves.windows(2).all(|pair| pair[0] == pair[1]);
        let is_below = right.as_constant().is_some_and(|number| number < 0);
        let fits_signed = leaves.iter().all(|ty| unit.types.is_signed(*ty));
        if sides.iter().all(|side| is_single(side))
            && (is_alike || fits_signed)
            && (!is_below || fits_signed)
        {
            return Some(None);
        }
        let is_small = leaves.iter().all(|ty| unit.types.size(*ty) <= Some(4));
        let long = unit.types.intern(Type::Integer(IntegerKind::Long));
        (is_small && leaves.len() <= 8).then_some(Some(long))
    }

    /// Whether a number of elements is below 1 just where it is meant to be,
    /// as the host computes it.
    pub fn tells_emptiness(&self, p: &Polynomial) -> bool {
        let unit = self.unit;
        let mut terms = p.terms();
        let is_small = |ty: TypeId| unit.types.size(ty).is_some_and(|size| size <= 4);
        let only = match (terms.next(), terms.next()) {
            (Some(([term], 1)), None) => Some(self.variable(*term).ty.ty),
            _ => None,
        };
        // Below 2⁶³ bytes, or else no number of elements.
        only.is_some_and(|ty| !unit.types.is_signed(ty))
            || p.terms().all(|(product, value)| match product {
                [] => value.abs() < 1 << 40,
                [term] => value.abs() == 1 && is_small(self.variable(*term).ty.ty),
                _ => false,
            })
    }
}
