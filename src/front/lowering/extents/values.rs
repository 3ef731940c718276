//! Integers of a region as polynomials over what the host knows when the
//! region begins.
//!
//! The variables of the polynomials are iteration numbers of loops, integers
//! that the region has by value and never changes, and other expressions of
//! these, as the host evaluates them (`n / 2`, `g.nx`). A polynomial equals its
//! expression for all values: signed arithmetic does not overflow in a valid
//! program; unsigned arithmetic, and conversions that may change a value, are
//! not followed but where the host can evaluate them as they are written.
//! Subscripts are computed modulo 2⁶⁴ by every machine, and so may unsigned
//! arithmetic of 64 bits in them be.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::Region;
use crate::analysis::conversions;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::typed::constant::evaluate;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit, visit,
};

/// Larger expressions are not followed: the effort is quadratic.
const MOST_NODES: usize = 256;

/// In what sense a polynomial stands for an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sense {
    /// They are equal.
    Value,
    /// They are equal modulo 2⁶⁴.
    Address,
}

/// What is known of the region's integers where the walk is.
pub struct Values<'r> {
    region: &'r Region<'r>,
    /// Variables of loops, and those that only their declaration sets.
    pub known: IndexMap<SymbolId, Polynomial>,
    /// The latter, as far as they are known modulo 2⁶⁴ only.
    pub addresses: IndexMap<SymbolId, Polynomial>,
    /// Variables that the region assigns, or whose address it takes.
    pub changing: BTreeSet<SymbolId>,
    /// What [`Term::Opaque`] stands for.
    pub opaque: Vec<Expression>,
}

impl<'r> Values<'r> {
    pub fn new(region: &'r Region<'r>, changing: BTreeSet<SymbolId>) -> Self {
        let mut values = Self {
            region,
            known: IndexMap::new(),
            addresses: IndexMap::new(),
            changing,
            opaque: Vec::new(),
        };
        for local in region.locals {
            if let Some(value) = &local.value {
                values.set(local.symbol, value);
            }
        }
        values
    }

    fn unit(&self) -> &'r Unit {
        self.region.unit
    }

    /// A variable that has this value as long as it is in scope.
    pub fn set(&mut self, symbol: SymbolId, value: &Expression) {
        let unit = self.unit();
        let (from, to) = (value.ty.ty, unit.symbol(symbol).ty.ty);
        if !unit.types.is_integer(to) || !conversions::holds(unit, to, from) {
            return;
        }
        if let Some(value) = self.of(value, Sense::Value) {
            self.known.insert(symbol, value);
        } else if let Some(value) = self.of(value, Sense::Address) {
            self.addresses.insert(symbol, value);
        }
    }

    /// The polynomial of an integer expression.
    pub fn of(&mut self, e: &Expression, sense: Sense) -> Option<Polynomial> {
        let mut nodes = 0;
        visit::walk(e, &mut |_| nodes += 1);
        match nodes <= MOST_NODES {
            true => self.polynomial(e, sense),
            false => None,
        }
    }

    fn polynomial(&mut self, e: &Expression, sense: Sense) -> Option<Polynomial> {
        let unit = self.unit();
        let ty = e.ty.ty;
        if !unit.types.is_integer(ty) || unit.types.size(ty)? > 8 {
            return None;
        }
        let sense = match unit.types.size(ty)? {
            8 => sense,
            _ => Sense::Value,
        };
        if let Some(number) = evaluate(unit, e) {
            let is_negative = sense == Sense::Address && number >= 1 << 63;
            return Some(Polynomial::constant(
                number - i128::from(is_negative) * (1 << 64),
            ));
        }
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => return self.polynomial(inner, sense),
            ExpressionKind::Symbol(symbol) => return self.symbol(*symbol, sense),
            _ => {}
        }
        let followed = match &e.kind {
            ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
                let is_wide = unit.types.size(ty) == Some(8) && sense == Sense::Address;
                let inner_sense = match is_wide && unit.types.size(inner.ty.ty) == Some(8) {
                    true => Sense::Address,
                    false => Sense::Value,
                };
                (is_wide && unit.types.is_integer(inner.ty.ty)
                    || conversions::holds(unit, ty, inner.ty.ty))
                .then(|| self.polynomial(inner, inner_sense))
                .flatten()
            }
            _ if unit.types.is_signed(ty) || sense == Sense::Address => self.computed(e, sense),
            _ => None,
        };
        followed.or_else(|| self.evaluated_by_host(e))
    }

    fn computed(&mut self, e: &Expression, sense: Sense) -> Option<Polynomial> {
        match &e.kind {
            ExpressionKind::Unary(UnaryOperator::Plus, inner) => self.polynomial(inner, sense),
            ExpressionKind::Unary(UnaryOperator::Minus, inner) => self
                .polynomial(inner, sense)?
                .times(&Polynomial::constant(-1)),
            ExpressionKind::Binary(operator, a, b) => {
                let (a, b) = match operator {
                    BinaryOperator::Add | BinaryOperator::Subtract | BinaryOperator::Multiply => {
                        (self.polynomial(a, sense)?, self.polynomial(b, sense)?)
                    }
                    BinaryOperator::ShiftLeft => {
                        let count = u32::try_from(evaluate(self.unit(), b)?).ok()?;
                        let factor = 1i128.checked_shl(count).filter(|_| count < 62)?;
                        (self.polynomial(a, sense)?, Polynomial::constant(factor))
                    }
                    _ => return None,
                };
                match operator {
                    BinaryOperator::Add => a.plus(&b),
                    BinaryOperator::Subtract => a.minus(&b),
                    _ => a.times(&b),
                }
            }
            _ => None,
        }
    }

    fn symbol(&self, symbol: SymbolId, sense: Sense) -> Option<Polynomial> {
        if let Some(known) = self.known.get(&symbol) {
            return Some(known.clone());
        }
        if let (Sense::Address, Some(known)) = (sense, self.addresses.get(&symbol)) {
            return Some(known.clone());
        }
        let is_host_value = self.is_of_host(symbol);
        is_host_value.then(|| Polynomial::variable(Term::Invariant(symbol)))
    }

    /// Whether a variable has one value on the host and in the region.
    fn is_of_host(&self, symbol: SymbolId) -> bool {
        let unit = self.unit();
        let variable = unit.symbol(symbol);
        let used = self.region.uses.get(&symbol);
        variable.is_variable()
            && !variable.ty.qualifiers.is_volatile
            && !unit.launch_values.contains_key(&symbol)
            && !self.changing.contains(&symbol)
            && !self.region.locals.iter().any(|l| l.symbol == symbol)
            && (self.region.stable)(symbol)
            && used.is_some_and(|u| !u.assigned && !u.written && !u.deep)
    }

    /// A new variable of polynomials for an expression that only the host
    /// evaluates.
    pub fn opaque(&mut self, e: Expression) -> Polynomial {
        let same = |other: &Expression| other.ty.ty == e.ty.ty && other.is_same(&e);
        let position = self.opaque.iter().position(same).unwrap_or_else(|| {
            self.opaque.push(e);
            self.opaque.len() - 1
        });
        Polynomial::variable(Term::Opaque(position))
    }

    /// An expression as the host evaluates it, if it can.
    pub fn evaluated_by_host(&mut self, e: &Expression) -> Option<Polynomial> {
        if !self.is_evaluable(e) {
            return None;
        }
        Some(self.opaque(e.clone().explicit()))
    }

    /// Whether the host can evaluate an expression, though the region might
    /// not, and has the region's value.
    fn is_evaluable(&self, e: &Expression) -> bool {
        let unit = self.unit();
        if !unit.types.is_integer(e.ty.ty) {
            return false;
        }
        match &e.kind {
            ExpressionKind::Integer { .. } => true,
            ExpressionKind::Symbol(symbol) => {
                evaluate(unit, e).is_some()
                    || !self.known.contains_key(symbol) && self.is_of_host(*symbol)
            }
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(_, inner)
            | ExpressionKind::Cast(inner)
            | ExpressionKind::Unary(
                UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::BitNot
                | UnaryOperator::LogicalNot,
                inner,
            ) => self.is_evaluable(inner),
            ExpressionKind::Binary(operator, a, b) => {
                let is_defined = match operator {
                    BinaryOperator::Divide | BinaryOperator::Remainder => {
                        evaluate(unit, b).is_some_and(|by| by > 0)
                    }
                    BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight => {
                        evaluate(unit, b).is_some()
                    }
                    _ => true,
                };
                is_defined && self.is_evaluable(a) && self.is_evaluable(b)
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.is_evaluable(condition)
                    && then.as_ref().is_none_or(|then| self.is_evaluable(then))
                    && self.is_evaluable(otherwise)
            }
            ExpressionKind::Member { .. } => self.is_member(e),
            _ => false,
        }
    }

    fn is_member(&self, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Member {
                base, arrow: false, ..
            }
            | ExpressionKind::Parenthesized(base) => self.is_member(base),
            ExpressionKind::Symbol(symbol) => self.is_of_host(*symbol),
            _ => false,
        }
    }

    /// The least value that a variable of polynomials has by its type. A 64-bit
    /// unsigned one may stand for a negative number.
    pub fn least(&self, term: Term) -> Option<i128> {
        let unit = self.unit();
        let ty = match term {
            Term::Iteration(_) => return Some(0),
            Term::Invariant(symbol) => unit.symbol(symbol).ty.ty,
            Term::Opaque(number) => {
                let e = self.opaque.get(number)?;
                if let ExpressionKind::Binary(BinaryOperator::Divide, _, by) = &e.kind
                    && !unit.types.is_signed(e.ty.ty)
                    && evaluate(unit, by).is_some_and(|by| by > 1)
                {
                    return Some(0);
                }
                e.ty.ty
            }
        };
        (!unit.types.is_signed(ty) && unit.types.size(ty)? < 8).then_some(0)
    }
}
