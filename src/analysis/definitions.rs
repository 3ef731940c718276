//! Variables that nothing changes after they were declared, and what they are defined as.
//!
//! Input: a file. Output: the variables that change ([`changed_anywhere`]), and the values of those of functions
//! that do not ([`Definitions`]).
//!
//! ```c
//! void f(int n, ...)
//! {
//!     const int pitch = n + 2;        // `n + 2` wherever it is named, if nothing assigns either
//!     int width = 640;                // 640, if nothing assigns it or takes its address
//! ```

use std::collections::{HashMap, HashSet};

use super::bounds;
use super::directives::all_named;
use super::flow::object;
use super::polynomial::{self, Polynomial, Reading, Term};
use crate::typed::{
    Expression, ExpressionKind, Statement, StatementKind, SymbolId, UnaryOperator, Unit, visit,
};

/// The variables of a unit that may change after they were declared: what is assigned, has its
/// address taken, or is named by a directive.
pub fn changed_anywhere(unit: &Unit) -> HashSet<SymbolId> {
    let mut changed = HashSet::new();
    for function in &unit.functions {
        visit::expressions(&function.body, &mut |e| {
            let place = match &e.kind {
                ExpressionKind::Unary(UnaryOperator::AddressOf, place) => Some(&**place),
                _ => e.assigned(),
            };
            changed.extend(place.and_then(|place| object(place).as_symbol()));
        });
        visit::directives(&function.body, &mut |directive| {
            changed.extend(all_named(directive));
        });
        // What it writes is not known.
        let is_assembly = |s: &Statement| matches!(s.kind, StatementKind::Assembly);
        if visit::any_statement(&function.body, &mut |s| is_assembly(s)) {
            changed.extend(&function.parameters);
            changed.extend(visit::declared(&function.body));
        }
    }
    changed
}

/// Definitions that are made of each other, one in the other.
const MOST_NESTED: usize = 8;

/// What integer variables of functions begin with that nothing changes.
pub struct Definitions {
    changed: HashSet<SymbolId>,
    values: HashMap<SymbolId, Expression>,
}

impl Definitions {
    /// Those of a file.
    pub fn of(unit: &Unit) -> Self {
        let mut definitions = Self {
            changed: changed_anywhere(unit),
            values: HashMap::new(),
        };
        for function in &unit.functions {
            visit::declarations(&function.body, &mut |one| {
                let value = one
                    .value()
                    .filter(|_| definitions.is_kept(one.symbol, unit));
                definitions
                    .values
                    .extend(value.map(|value| (one.symbol, value.clone())));
            });
        }
        definitions
    }

    /// The variables with their values.
    pub fn values(&self) -> impl Iterator<Item = (SymbolId, &Expression)> {
        self.values.iter().map(|(symbol, value)| (*symbol, value))
    }

    /// Whether a variable may have another value than where it was declared.
    pub fn is_changed(&self, symbol: SymbolId, unit: &Unit) -> bool {
        !unit.symbol(symbol).is_automatic() || self.changed.contains(&symbol)
    }

    /// Whether it is an integer of a function that keeps its value.
    fn is_kept(&self, symbol: SymbolId, unit: &Unit) -> bool {
        let ty = unit.symbol(symbol).ty;
        !self.is_changed(symbol, unit) && !ty.qualifiers.is_volatile && unit.types.is_integer(ty.ty)
    }

    /// A polynomial with what its variables are defined as in their place; `None` where it has no such
    /// variable.
    pub fn expanded(&self, e: &Polynomial, unit: &Unit) -> Option<Polynomial> {
        let mut found = None;
        for _ in 0..MOST_NESTED {
            match self.expanded_once(found.as_ref().unwrap_or(e), unit) {
                Some(expanded) => found = Some(expanded),
                None => break,
            }
        }
        found
    }

    fn expanded_once(&self, e: &Polynomial, unit: &Unit) -> Option<Polynomial> {
        let mut variables = e.terms().flat_map(|(product, _)| product);
        let (term, value) = variables.find_map(|term| match term {
            Term::Invariant(symbol) => Some((*term, self.polynomial(*symbol, unit)?)),
            Term::Iteration(_) | Term::Opaque(_) => None,
        })?;
        e.substitute(term, &value)
    }

    /// What a variable is defined as.
    fn polynomial(&self, symbol: SymbolId, unit: &Unit) -> Option<Polynomial> {
        let types = &unit.types;
        let value = self.values.get(&symbol)?;
        let [own, given] = [unit.symbol(symbol).ty.ty, value.ty.ty];
        let is_same = own == given
            || types.is_signed(own)
                && types.is_signed(given)
                && types
                    .size(given)
                    .is_some_and(|size| Some(size) <= types.size(own));
        let variable = |symbol| {
            let is_kept = self.is_kept(symbol, unit);
            is_kept.then(|| Polynomial::variable(Term::Invariant(symbol)))
        };
        let reading = Reading {
            value: &variable,
            member: &|_| None,
            fits: Some(&|value, ty| bounds::fits(value, ty, &[], unit)),
        };
        is_same.then(|| polynomial::read(value, unit, &reading))?
    }
}
