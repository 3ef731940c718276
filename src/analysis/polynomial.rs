//! Polynomials over variables: the normal form of subscripts.
//!
//! `a[(i - 1) * n + j]` has the subscript `i·n − n + j`. A subscript is affine
//! in the loop variables where each occurs alone or times loop-invariant
//! variables; linearised subscripts of arrays with run-time extents are so,
//! and [`Polynomial::divide`] takes them apart again.

pub mod writer;

use std::cmp::Ordering;
use std::rc::Rc;

use super::conversions;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, Type, TypeId, UnaryOperator, Unit,
    constant, visit,
};

/// A variable of a polynomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// A variable that does not change in the loop in question.
    Invariant(SymbolId),
    /// The number of the iteration of a loop, from 0: loops are numbered by
    /// whoever makes the polynomials.
    Iteration(usize),
    /// A value that does not change in the loop in question and is no
    /// polynomial, such as `n / 256`; numbered by whoever makes the
    /// polynomials.
    Opaque(usize),
}

/// A product of variables, sorted; empty is 1. Polynomials are made of each other's parts.
type Product = Rc<[Term]>;

/// A polynomial with integer coefficients. No zero coefficients are stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Polynomial {
    /// In the order of the products, each once.
    terms: Vec<(Product, i128)>,
}

/// More terms than people write in subscripts; guards against blow-up.
const MAXIMUM_TERMS: usize = 64;
/// The same of the variables in a product.
const MAXIMUM_DEGREE: usize = 16;
/// The same of the expressions that one is made of.
const MAXIMUM_SIZE: usize = 1000;
/// Larger coefficients may be wrapped unsigned numbers.
const MAXIMUM_COEFFICIENT: i128 = 1 << 62;

impl Polynomial {
    /// A number.
    pub fn constant(value: i128) -> Self {
        Self::single(&[], value)
    }

    /// A variable.
    pub fn variable(term: Term) -> Self {
        Self::single(&[term], 1)
    }

    fn single(product: &[Term], coefficient: i128) -> Self {
        let term = (coefficient != 0).then(|| (product.into(), coefficient));
        Self {
            terms: term.into_iter().collect(),
        }
    }

    /// The sum of these parts, whose products may be the same.
    fn sum(mut parts: Vec<(Product, i128)>) -> Option<Self> {
        parts.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let mut terms: Vec<(Product, i128)> = Vec::with_capacity(parts.len());
        for (product, coefficient) in parts {
            match terms.last_mut() {
                Some((last, sum)) if *last == product => *sum = sum.checked_add(coefficient)?,
                _ => terms.push((product, coefficient)),
            }
        }
        terms.retain(|(_, coefficient)| *coefficient != 0);
        Self { terms }.checked()
    }

    /// `self · by + other · with`, if it stays within bounds.
    pub fn combined(&self, by: i128, other: &Self, with: i128) -> Option<Self> {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut own, mut others) = (self.terms.as_slice(), other.terms.as_slice());
        loop {
            let order = match (own.first(), others.first()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let take = |from: &mut &[(Product, i128)], factor: i128| {
                let ((product, value), rest) = from.split_first()?;
                *from = rest;
                Some((product.clone(), value.checked_mul(factor)?))
            };
            let (product, coefficient) = match order {
                Ordering::Less => take(&mut own, by)?,
                Ordering::Greater => take(&mut others, with)?,
                Ordering::Equal => {
                    let (product, value) = take(&mut own, by)?;
                    (product, value.checked_add(take(&mut others, with)?.1)?)
                }
            };
            if coefficient != 0 {
                terms.push((product, coefficient));
            }
        }
        Self { terms }.checked()
    }

    /// The sum, if it stays within bounds.
    pub fn plus(&self, other: &Self) -> Option<Self> {
        self.combined(1, other, 1)
    }

    /// The difference, if it stays within bounds.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.combined(1, other, -1)
    }

    /// The product, if it stays within bounds.
    pub fn times(&self, other: &Self) -> Option<Self> {
        let mut parts = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (a, x) in &self.terms {
            for (b, y) in &other.terms {
                if a.len() + b.len() > MAXIMUM_DEGREE {
                    return None;
                }
                let product = match (a.is_empty(), b.is_empty()) {
                    (true, _) => b.clone(),
                    (_, true) => a.clone(),
                    _ => {
                        let mut product: Vec<Term> = a.iter().chain(&**b).copied().collect();
                        product.sort_unstable();
                        product.into()
                    }
                };
                parts.push((product, x.checked_mul(*y)?));
            }
        }
        Self::sum(parts)
    }

    /// The product with a number, if it stays within bounds.
    pub fn scaled(&self, by: i128) -> Option<Self> {
        self.combined(by, &Self::default(), 0)
    }

    /// The sum with a number, if it stays within bounds.
    pub fn moved(&self, by: i128) -> Option<Self> {
        self.plus(&Self::constant(by))
    }

    /// The quotient by a number that divides all coefficients.
    pub fn divided_by(&self, by: i128) -> Option<Self> {
        let is_multiple = self.terms.iter().all(|(_, c)| c % by == 0);
        is_multiple.then(|| Self {
            terms: (self.terms.iter())
                .map(|(product, c)| (product.clone(), c / by))
                .collect(),
        })
    }

    fn checked(self) -> Option<Self> {
        let is_small = self.terms.len() <= MAXIMUM_TERMS;
        (is_small && self.fits(MAXIMUM_COEFFICIENT)).then_some(self)
    }

    fn fits(&self, limit: i128) -> bool {
        let mut coefficients = self.terms.iter().map(|(_, c)| c.unsigned_abs());
        coefficients.all(|c| c < limit.unsigned_abs())
    }

    /// The value, if it is a number.
    pub fn as_constant(&self) -> Option<i128> {
        match &self.terms[..] {
            [] => Some(0),
            [(product, value)] => product.is_empty().then_some(*value),
            _ => None,
        }
    }

    /// The integer coefficient of a variable; `None` if the variable occurs
    /// in a product with others.
    pub fn coefficient(&self, term: Term) -> Option<i128> {
        let mut coefficient = 0;
        for (product, value) in &self.terms {
            if **product == [term] {
                coefficient = *value;
            } else if product.contains(&term) {
                return None;
            }
        }
        Some(coefficient)
    }

    /// The products of variables with their coefficients; the empty product
    /// is 1.
    pub fn terms(&self) -> impl Iterator<Item = (&[Term], i128)> {
        let terms = self.terms.iter();
        terms.map(|(product, coefficient)| (&**product, *coefficient))
    }

    /// The coefficient of a product of variables, sorted.
    pub fn coefficient_of(&self, product: &[Term]) -> i128 {
        let found = self.terms.binary_search_by(|(one, _)| (**one).cmp(product));
        found.map_or(0, |index| self.terms[index].1)
    }

    /// The loop iterations that occur, ascending.
    pub fn iterations(&self) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .terms
            .iter()
            .flat_map(|(product, _)| &**product)
            .filter_map(|term| match term {
                Term::Iteration(l) => Some(*l),
                Term::Invariant(_) | Term::Opaque(_) => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The part without loop iterations.
    pub fn invariant_part(&self) -> Self {
        let is_invariant = |product: &Product| {
            product
                .iter()
                .all(|term| !matches!(term, Term::Iteration(_)))
        };
        Self {
            terms: self
                .terms
                .iter()
                .filter(|(product, _)| is_invariant(product))
                .map(|(product, value)| (product.clone(), *value))
                .collect(),
        }
    }

    /// Replaces a variable by a polynomial.
    pub fn substitute(&self, term: Term, value: &Self) -> Option<Self> {
        let mut result = Self::default();
        for (product, coefficient) in &self.terms {
            let mut part = Self::constant(*coefficient);
            for factor in &**product {
                part = if *factor == term {
                    part.times(value)?
                } else {
                    part.times(&Self::variable(*factor))?
                };
            }
            result = result.plus(&part)?;
        }
        Some(result)
    }

    /// What does not change and some loop iteration is multiplied with: the
    /// candidates for strides of linearised arrays. Variables come first, then whole factors, such as
    /// `n + 2` or `3·n`, those of lower degree first.
    pub fn strides(&self) -> Vec<Self> {
        let is_iteration = |term: &Term| matches!(term, Term::Iteration(_));
        let mut found = Vec::new();
        for (product, _) in &self.terms {
            let mixed = product.iter().any(is_iteration);
            for term in product.iter().filter(|term| !is_iteration(term)) {
                let stride = Self::variable(*term);
                if mixed && !found.contains(&stride) {
                    found.push(stride);
                }
            }
        }
        for factor in self.factors() {
            if !found.contains(&factor) {
                found.push(factor);
            }
        }
        found
    }

    /// Quotient and remainder by a variable, or a sum such as `n + 2`: `self = quotient · by + remainder`.
    /// The quotient has what is a multiple of the longest product in the sum.
    pub fn divide(&self, by: &Self) -> Option<(Self, Self)> {
        let (leading, factor) = by.leading()?;
        let mut quotient = Vec::new();
        for (product, value) in &self.terms {
            let mut rest = product.to_vec();
            let is_multiple = leading.iter().all(|term| {
                let place = rest.iter().position(|own| own == term);
                place.map(|index| rest.remove(index)).is_some()
            });
            if is_multiple && value % factor == 0 {
                quotient.push((rest.into(), value / factor));
            }
        }
        let quotient = Self::sum(quotient)?;
        let remainder = self.minus(&quotient.times(by)?)?;
        Some((quotient, remainder))
    }

    /// The first of the longest products, with its coefficient.
    fn leading(&self) -> Option<(&[Term], i128)> {
        let longest = self.terms().map(|(product, _)| product.len()).max()?;
        self.terms().find(|(product, _)| product.len() == longest)
    }

    /// The factors of loop iterations that are no numbers, each with a positive coefficient before its longest
    /// product.
    fn factors(&self) -> Vec<Self> {
        let mut found: Vec<Self> = Vec::new();
        for number in self.iterations() {
            let term = Term::Iteration(number);
            let own = self
                .terms
                .iter()
                .filter(|(product, _)| product.contains(&term));
            let parts = own.map(|(product, value)| {
                let others = product.iter().filter(|other| **other != term);
                (others.copied().collect(), *value)
            });
            let Some(mut factor) = Self::sum(parts.collect()) else {
                continue;
            };
            if factor.leading().is_some_and(|(_, value)| value < 0) {
                match factor.scaled(-1) {
                    Some(negated) => factor = negated,
                    None => continue,
                }
            }
            let is_number = factor.as_constant().is_some();
            if !is_number && factor.iterations().is_empty() && !found.contains(&factor) {
                found.push(factor);
            }
        }
        found.sort_by_key(|factor| factor.leading().map_or(0, |(product, _)| product.len()));
        found
    }

    /// The same by a number of at least 2: the remainder has what is no multiple of it, its constant
    /// being as near to 0 as can be.
    pub fn divide_by_number(&self, by: i128) -> Option<(Self, Self)> {
        if by < 2 {
            return None;
        }
        let mut quotient = Self::default();
        for (product, value) in &self.terms {
            let times = match product.is_empty() {
                true => value.checked_add(by / 2)?.div_euclid(by),
                false if value % by == 0 => value / by,
                false => 0,
            };
            if times != 0 {
                quotient.terms.push((product.clone(), times));
            }
        }
        let remainder = self.minus(&quotient.scaled(by)?)?;
        Some((quotient, remainder))
    }
}

/// The greatest common divisor; of 0 and a number, the number.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Says whether a type has a value.
pub type Fits<'a> = &'a dyn Fn(&Polynomial, TypeId) -> bool;

/// Says what variables stand for and which values types keep.
pub struct Reading<'a> {
    /// The polynomial of a variable, or `None` where it is not known.
    pub value: &'a dyn Fn(SymbolId) -> Option<Polynomial>,
    /// The same of a member, or an element of an array.
    pub member: &'a dyn Fn(&Expression) -> Option<Polynomial>,
    /// Whether a type narrower than addresses has a value, so that it does not
    /// wrap; asked where C lets it. `None` takes all that are far from the
    /// limits as written.
    pub fits: Option<Fits<'a>>,
}

/// The polynomial of an integer expression; `value` gives that of each
/// variable in it, or `None` where it is not known. That arithmetic does not
/// wrap is not proved: see [`read`].
pub fn of(
    e: &Expression,
    unit: &Unit,
    value: &dyn Fn(SymbolId) -> Option<Polynomial>,
) -> Option<Polynomial> {
    let reading = Reading {
        value,
        member: &|_| None,
        fits: None,
    };
    read(e, unit, &reading)
}

/// As [`of`], all variables standing for themselves.
pub fn of_variables(e: &Expression, unit: &Unit) -> Option<Polynomial> {
    let variable = |symbol| Some(Polynomial::variable(Term::Invariant(symbol)));
    of(e, unit, &variable)
}

/// The polynomial of an integer expression.
///
/// Signed arithmetic does not overflow in a valid program. Unsigned arithmetic
/// and conversions may wrap: they are followed where `fits` proves that they
/// do not. Those of the addresses' width are followed while all coefficients
/// are far from its limit, since addresses wrap with them.
pub fn read(e: &Expression, unit: &Unit, reading: &Reading) -> Option<Polynomial> {
    match visit::is_larger(e, MAXIMUM_SIZE) {
        true => None,
        false => read_part(e, unit, reading),
    }
}

fn read_part(e: &Expression, unit: &Unit, reading: &Reading) -> Option<Polynomial> {
    let types = &unit.types;
    if types.is_integer(e.ty.ty)
        && let Some(number) = constant::evaluate(unit, e)
    {
        return Polynomial::constant(number).checked();
    }
    match &e.kind {
        ExpressionKind::Symbol(symbol) => (reading.value)(*symbol),
        ExpressionKind::Member { .. } | ExpressionKind::Index(..) => (reading.member)(e),
        ExpressionKind::Parenthesized(inner) => read_part(inner, unit, reading),
        ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
            let is_followed = types.is_integer(e.ty.ty)
                && types.is_integer(inner.ty.ty)
                && !matches!(types.get(e.ty.ty), Type::Bool);
            let value = is_followed
                .then(|| read_part(inner, unit, reading))
                .flatten()?;
            converted(value, inner.ty.ty, e.ty.ty, unit, reading)
        }
        ExpressionKind::Unary(UnaryOperator::Plus, inner) => read_part(inner, unit, reading),
        ExpressionKind::Unary(UnaryOperator::Minus, inner) => {
            let inner = read_part(inner, unit, reading)?;
            computed(inner.scaled(-1)?, e, unit, reading)
        }
        ExpressionKind::Binary(operator, a, b) => {
            let a = read_part(a, unit, reading)?;
            let b = read_part(b, unit, reading)?;
            let result = match operator {
                BinaryOperator::Add => a.plus(&b),
                BinaryOperator::Subtract => a.minus(&b),
                BinaryOperator::Multiply => a.times(&b),
                BinaryOperator::ShiftLeft => {
                    let count = u32::try_from(b.as_constant()?).ok()?;
                    (count < 62).then(|| a.scaled(1 << count)).flatten()
                }
                _ => None,
            };
            computed(result?, e, unit, reading)
        }
        _ => None,
    }
}

/// Width of addresses in bytes.
const ADDRESS: u64 = 8;

/// A value in another integer type, if that has it.
fn converted(
    value: Polynomial,
    from: TypeId,
    to: TypeId,
    unit: &Unit,
    reading: &Reading,
) -> Option<Polynomial> {
    let widens = unit.types.size(to)? >= unit.types.size(from)?;
    let Some(fits) = reading.fits else {
        return widens.then_some(value);
    };
    let contains = |(low, high): (i128, i128)| {
        conversions::values_of(from, unit).is_some_and(|from| low <= from.0 && from.1 <= high)
    };
    let keeps_all = conversions::kept_by(to, unit).is_some_and(contains);
    let is_address = widens && unit.types.size(to)? >= ADDRESS;
    (keeps_all || is_address || fits(&value, to)).then_some(value)
}

/// The result of an operator, if it does not wrap.
fn computed(
    result: Polynomial,
    e: &Expression,
    unit: &Unit,
    reading: &Reading,
) -> Option<Polynomial> {
    let size = unit.types.size(e.ty.ty)?;
    let is_unsigned = match unit.types.get(e.ty.ty) {
        Type::Integer(kind) => !kind.is_signed(),
        _ => false,
    };
    let keeps = match reading.fits {
        _ if !is_unsigned => true,
        Some(fits) if size < ADDRESS => fits(&result, e.ty.ty),
        _ => result.fits(1 << (size * 8 - 2).min(62)),
    };
    keeps.then_some(result)
}

/// Its terms in the order in which a user would write them.
fn as_written(e: &Polynomial) -> Vec<(&[Term], i128)> {
    let mut terms: Vec<_> = e.terms().collect();
    terms.sort_by_key(|(product, factor)| {
        (product.is_empty(), *factor < 0, -(product.len() as i64))
    });
    terms
}

/// Whether a polynomial as a user would write it begins with a minus.
pub fn begins_negative(e: &Polynomial) -> bool {
    as_written(e).first().is_some_and(|(_, factor)| *factor < 0)
}

/// A polynomial as a user would write it.
pub fn text(e: &Polynomial, unit: &Unit) -> String {
    let terms = as_written(e);
    let mut text = String::new();
    for (product, factor) in terms {
        let sign = match (text.is_empty(), factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let names = product.iter().map(|term| match term {
            Term::Invariant(symbol) => unit.symbol(*symbol).name.clone(),
            Term::Iteration(_) | Term::Opaque(_) => "…".to_owned(),
        });
        let number = (factor.abs() != 1 || product.is_empty()).then(|| factor.abs().to_string());
        let factors: Vec<String> = number.into_iter().chain(names).collect();
        text += &format!("{sign}{}", factors.join(" * "));
    }
    if text.is_empty() { "0".into() } else { text }
}
