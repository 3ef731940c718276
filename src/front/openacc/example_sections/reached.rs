//! How many elements of what a pointer leads to loops use.
//!
//! ```c
//! #pragma acc parallel loop copy(a)      // `a[0:n * m]`
//! for (int i = 0; i < n; i++)
//!     for (int j = 0; j < m; j++)
//!         a[i * m + j] = 0;
//! ```
//!
//! Input: the name of a pointer and the place of a directive. Output: the last element and one more, where the
//! loops of the construct, or of the function, say it in variables that have the same value at the directive.

use super::visible;
use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Statement, StatementKind, SymbolId, TypeId,
    UnaryOperator, Unit, visit,
};

/// Bytes of an address.
const ADDRESS: u64 = 8;

/// The length as it is to be written: one that interior loops leave short (`n * m - 1`) is not what is meant.
pub(super) fn length(unit: &Unit, name: &str, at: Span) -> Option<String> {
    let mut functions = unit.functions.iter();
    let around = functions.find(|one| one.span.start <= at.start && at.end <= one.span.end)?;
    let construct = construct(&around.body, at);
    let reach = Reach {
        unit,
        name,
        code: construct.unwrap_or(&around.body),
        counters: Vec::new(),
    };
    let length = reach.last(construct.is_some())?.moved(1)?;
    let mut terms = length.terms();
    let is_meant = terms.all(|(product, factor)| {
        let mut names = product.iter();
        factor > 0 && names.all(|term| reach.is_kept(*term, at, construct.is_some()))
    });
    (is_meant && length != Polynomial::default()).then(|| polynomial::text(&length, unit))
}

/// What a directive at a place governs.
fn construct(body: &Statement, at: Span) -> Option<&Statement> {
    let mut found = None;
    visit::statements(body, &mut |statement| {
        if let StatementKind::Directive(directive, Some(governed)) = &statement.kind
            && directive.span.start <= at.start
            && at.end <= directive.span.end
        {
            found = Some(&**governed);
        }
    });
    found
}

struct Reach<'u> {
    unit: &'u Unit,
    name: &'u str,
    /// Where accesses count.
    code: &'u Statement,
    /// The variables of loops with their last values, where all loops say it.
    counters: Vec<(SymbolId, Option<Polynomial>)>,
}

impl<'u> Reach<'u> {
    /// The last element that is used, if all uses are seen. Those by number are taken to lie before it.
    fn last(&self, is_construct: bool) -> Option<Polynomial> {
        let reach = Self {
            counters: self.last_values(),
            ..*self
        };
        let (mut uses, mut subscripts) = (0, 0);
        let mut last: Option<Polynomial> = None;
        let mut is_known = true;
        visit::expressions(self.code, &mut |e| match &e.kind {
            ExpressionKind::Symbol(_) if self.is_array(e) => uses += 1,
            ExpressionKind::Index(array, index) if self.is_array(array) => {
                subscripts += 1;
                if evaluate(self.unit, index).is_some() {
                    return;
                }
                match (reach.highest(index), &last) {
                    (Some(value), None) => last = Some(value),
                    (Some(value), Some(known)) => match later(&value, known) {
                        Some(value) => last = Some(value),
                        None => is_known = false,
                    },
                    (None, _) => is_known = false,
                }
            }
            ExpressionKind::Binary(_, left, right) => {
                is_known &= !self.is_array(left) && !self.is_array(right);
            }
            ExpressionKind::Unary(UnaryOperator::Indirection, operand) => {
                is_known &= !self.is_array(operand);
            }
            _ => {}
        });
        // What a construct does not index itself, functions may.
        last.filter(|_| is_known && (!is_construct || uses == subscripts))
    }

    fn is_array(&self, e: &Expression) -> bool {
        let symbol = e.without_conversions().as_symbol();
        symbol.is_some_and(|symbol| self.unit.symbol(symbol).name == self.name)
    }

    /// The highest value of a subscript.
    fn highest(&self, index: &Expression) -> Option<Polynomial> {
        let unit = self.unit;
        let mut value = polynomial::of_variables(index, unit)?;
        for _ in 0..=self.counters.len() {
            let has = |counter| {
                let mut products = value.terms();
                products.any(|(product, _)| product.contains(&Term::Invariant(counter)))
            };
            let counter = self
                .counters
                .iter()
                .rev()
                .find(|(counter, _)| has(*counter));
            let Some((counter, last)) = counter else {
                return Some(value).filter(|value| self.fits(value, index));
            };
            let term = Term::Invariant(*counter);
            let start = value.substitute(term, &Polynomial::default())?;
            let next = value.substitute(term, &Polynomial::constant(1))?;
            let factor = next.minus(&start)?;
            let is_linear = factor.times(&Polynomial::variable(term))?.plus(&start)? == value;
            let grows = factor.terms().all(|(_, factor)| factor > 0);
            if !is_linear || !grows {
                return None;
            }
            value = value.substitute(term, last.as_ref()?)?;
        }
        None
    }

    /// Whether products of variables may be computed in their own type, as they are in the subscript.
    fn fits(&self, value: &Polynomial, index: &Expression) -> bool {
        let size = |e: TypeId| self.unit.types.size(e).unwrap_or(ADDRESS);
        let is_wide = |term: &Term| match term {
            Term::Invariant(symbol) => size(self.unit.symbol(*symbol).ty.ty) >= ADDRESS,
            Term::Iteration(_) | Term::Opaque(_) => false,
        };
        size(index.without_conversions().ty.ty) < ADDRESS
            || value
                .terms()
                .all(|(product, _)| product.len() < 2 || product.iter().any(is_wide))
    }

    fn last_values(&self) -> Vec<(SymbolId, Option<Polynomial>)> {
        let mut found: Vec<(SymbolId, Option<Polynomial>)> = Vec::new();
        visit::statements(self.code, &mut |statement| {
            let StatementKind::For(parts) = &statement.kind else {
                return;
            };
            let Some(ExpressionKind::Binary(operator, left, right)) =
                parts.condition.as_ref().map(|e| &e.inner().kind)
            else {
                return;
            };
            let Some(counter) = left.without_conversions().as_symbol() else {
                return;
            };
            let bound = polynomial::of_variables(right, self.unit);
            let value = match operator {
                BinaryOperator::Less => bound.and_then(|bound| bound.moved(-1)),
                BinaryOperator::LessEqual => bound,
                _ => None,
            };
            let value = value.filter(|_| !is_written_in(&parts.body, counter));
            match found.iter_mut().find(|(other, _)| *other == counter) {
                Some((_, known)) => {
                    *known = known.as_ref().zip(value).and_then(|(a, b)| later(a, &b))
                }
                None => found.push((counter, value)),
            }
        });
        found
    }

    /// Whether a variable has one value at the directive and in the loops.
    fn is_kept(&self, term: Term, at: Span, is_construct: bool) -> bool {
        let Term::Invariant(symbol) = term else {
            return false;
        };
        let variable = self.unit.symbol(symbol);
        let is_it = visible(self.unit, &variable.name, at) == Some(symbol);
        let mut last_write = None;
        visit::expressions(self.code, &mut |e| {
            if is_written(e, symbol) {
                last_write = last_write.max(Some(e.span.start));
            }
        });
        is_it
            && self.unit.types.is_integer(variable.ty.ty)
            && last_write.is_none_or(|last| !is_construct && last < self.first(at))
    }

    /// Where the first use of the array is, or the directive.
    fn first(&self, at: Span) -> u32 {
        let mut first = at.start;
        visit::expressions(self.code, &mut |e| {
            if let ExpressionKind::Index(array, _) = &e.kind
                && self.is_array(array)
            {
                first = first.min(e.span.start);
            }
        });
        first
    }
}

/// Whether a statement assigns to a variable, or takes its address.
fn is_written_in(body: &Statement, symbol: SymbolId) -> bool {
    let mut found = false;
    visit::expressions(body, &mut |e| found |= is_written(e, symbol));
    found
}

fn is_written(e: &Expression, symbol: SymbolId) -> bool {
    let target = match &e.kind {
        ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => Some(&**operand),
        _ => e.assigned(),
    };
    target.is_some_and(|target| target.inner().as_symbol() == Some(symbol))
}

/// The later one of two elements of which it is known which one that is.
fn later(a: &Polynomial, b: &Polynomial) -> Option<Polynomial> {
    let distance = a.minus(b)?.as_constant()?;
    Some(if distance > 0 { a.clone() } else { b.clone() })
}
