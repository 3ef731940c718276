//! Pointers to elements as arrays of several dimensions (the paper's section 5.7.1).
//!
//! ```text
//! shape p[n][m]            float *p                float p[n][m]
//! for (i …) for (j = 0; j < m; j++)           ->
//!     p[i * m + j]                                 p[i][j]
//! ```
//!
//! An offset is split by the lengths of the dimensions, the innermost first; what is left for a
//! dimension is proved to be inside of it from the loops around.

use crate::analysis::polynomial::{Polynomial, Term, of_variables};
use crate::ir::{Loop, Relation, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{
    BinaryOperator as Op, Expression, ExpressionKind, SymbolId, TypeId, Unit, synthesis,
    visit as typed_visit,
};

/// Puts elements of an array in the place of those at a pointer; `lengths` are those of the
/// dimensions, outermost first.
///
/// # Errors
/// Where the pointer is used otherwise, or an offset cannot be split.
pub fn replace(
    unit: &Unit,
    list: &mut [Statement],
    (pointer, array): (SymbolId, SymbolId),
    lengths: &[Expression],
) -> Result<(), Span> {
    let mut promotion = Promotion {
        unit,
        pointer,
        array,
        lengths,
        loops: Vec::new(),
        refused: None,
    };
    promotion.list(list);
    visit::expressions(list, &mut |e| {
        if e.as_symbol() == Some(pointer) {
            promotion.refused.get_or_insert(e.span);
        }
    });
    promotion.refused.map_or(Ok(()), Err)
}

/// What a loop counts.
struct Counter {
    variable: SymbolId,
    first: Option<Polynomial>,
    last: Option<Polynomial>,
}

struct Promotion<'p> {
    unit: &'p Unit,
    pointer: SymbolId,
    array: SymbolId,
    lengths: &'p [Expression],
    /// The loops around, outermost first.
    loops: Vec<Counter>,
    refused: Option<Span>,
}

impl Promotion<'_> {
    fn list(&mut self, list: &mut [Statement]) {
        for statement in list {
            visit::own_expressions_mut(statement, &mut |e| self.expression(e));
            let depth = self.loops.len();
            match &mut statement.kind {
                StatementKind::Loop(l) => self.loops.push(self.counter(l)),
                StatementKind::For(parts) => {
                    let first = parts.initializer.as_mut();
                    first
                        .into_iter()
                        .for_each(|s| self.list(std::slice::from_mut(s)));
                }
                StatementKind::Windows(region) => {
                    let windows = region.windows.iter_mut();
                    let own = windows.filter(|window| window.array == self.pointer);
                    own.for_each(|window| window.array = self.array);
                }
                _ => {}
            }
            visit::blocks_mut(statement, &mut |inner| self.list(inner));
            self.loops.truncate(depth);
        }
    }

    fn counter(&self, l: &Loop) -> Counter {
        let number = |e: &Expression| of_variables(e, self.unit);
        let first = number(&l.lower);
        let past = match l.relation {
            Relation::Less | Relation::Greater => 1,
            _ => 0,
        };
        let bound = number(&l.bound);
        let is_plain = l.relation != Relation::NotEqual;
        let ends = match l.downward {
            false => (first, bound.and_then(|bound| bound.moved(-past))),
            true => (bound.and_then(|bound| bound.moved(past)), first),
        };
        let step = evaluate(self.unit, &l.step).filter(|step| *step > 0 && !l.downward);
        // Steps from one number to another end where they end.
        let last = match (&ends, step) {
            ((Some(first), Some(last)), Some(step)) => {
                let span = last.minus(first).and_then(|span| span.as_constant());
                let reached = span
                    .filter(|span| *span >= 0)
                    .map(|span| span / step * step);
                reached.and_then(|far| first.moved(far)).or(ends.1.clone())
            }
            _ => ends.1.clone(),
        };
        Counter {
            variable: l.induction,
            first: ends.0.filter(|_| is_plain),
            last: last.filter(|_| is_plain),
        }
    }

    fn expression(&mut self, e: &mut Expression) {
        typed_visit::operands_mut(e, &mut |inner| self.expression(inner));
        let offset = match &e.kind {
            ExpressionKind::Index(base, offset) if base.as_symbol() == Some(self.pointer) => offset,
            _ => return,
        };
        match self.split(offset) {
            Some(indices) => {
                let array = synthesis::symbol(self.unit, self.array, e.span);
                let ty = e.ty;
                let element = |base, index| synthesis::element(self.unit, base, index);
                *e = indices.into_iter().fold(array, element);
                e.ty = ty;
            }
            None => {
                self.refused.get_or_insert(e.span);
            }
        }
    }

    /// An offset as indices, outermost first.
    fn split(&self, offset: &Expression) -> Option<Vec<Expression>> {
        let ty = offset.ty.ty;
        let mut rest = of_variables(offset, self.unit)?;
        let mut indices = Vec::new();
        for length in self.lengths[1..].iter().rev() {
            let (quotient, index) = match evaluate(self.unit, length) {
                Some(length) => divided(&rest, length)?,
                None => rest.divide(&Polynomial::variable(Term::Invariant(length.as_symbol()?)))?,
            };
            let length = of_variables(length, self.unit)?;
            let lowest = self.extreme(&index, false)?.as_constant()?;
            let room = length.minus(&self.extreme(&index, true)?)?.as_constant()?;
            if lowest < 0 || room < 1 {
                return None;
            }
            indices.push(self.written(&index, ty, offset.span)?);
            rest = quotient;
        }
        indices.push(self.written(&rest, ty, offset.span)?);
        indices.reverse();
        Some(indices)
    }

    /// The highest or lowest value over the loops around.
    fn extreme(&self, p: &Polynomial, highest: bool) -> Option<Polynomial> {
        let mut p = p.clone();
        for counter in self.loops.iter().rev() {
            let term = Term::Invariant(counter.variable);
            let factor = p.coefficient(term)?;
            if factor == 0 {
                continue;
            }
            let end = match (factor > 0) == highest {
                true => counter.last.as_ref()?,
                false => counter.first.as_ref()?,
            };
            p = p.substitute(term, end)?;
        }
        Some(p)
    }

    /// A sum of products as an expression.
    fn written(&self, p: &Polynomial, ty: TypeId, span: Span) -> Option<Expression> {
        let number = |n: i128| synthesis::integer(n, ty, span);
        let mut sum: Option<Expression> = None;
        let mut constant = 0;
        for (product, factor) in p.terms() {
            if product.is_empty() {
                constant = factor;
                continue;
            }
            let mut value = (factor.abs() != 1).then(|| number(factor.abs()));
            for term in product {
                let Term::Invariant(symbol) = term else {
                    return None;
                };
                let variable = synthesis::symbol(self.unit, *symbol, span);
                value = Some(match value {
                    None => variable,
                    Some(value) => synthesis::binary(Op::Multiply, value, variable, ty),
                });
            }
            let value = value?;
            sum = Some(match sum {
                None if factor < 0 => synthesis::binary(Op::Subtract, number(0), value, ty),
                None => value,
                Some(sum) if factor < 0 => synthesis::binary(Op::Subtract, sum, value, ty),
                Some(sum) => synthesis::binary(Op::Add, sum, value, ty),
            });
        }
        Some(match sum {
            None => number(constant),
            Some(sum) if constant == 0 => sum,
            Some(sum) if constant < 0 => {
                synthesis::binary(Op::Subtract, sum, number(-constant), ty)
            }
            Some(sum) => synthesis::binary(Op::Add, sum, number(constant), ty),
        })
    }
}

/// Quotient and remainder by a number, term by term.
fn divided(p: &Polynomial, by: i128) -> Option<(Polynomial, Polynomial)> {
    if by < 1 {
        return None;
    }
    let (mut quotient, mut rest) = (Polynomial::default(), Polynomial::default());
    for (product, factor) in p.terms() {
        let mut term = Polynomial::constant(1);
        for &variable in product {
            term = term.times(&Polynomial::variable(variable))?;
        }
        let (times, left) = match product.is_empty() || factor % by == 0 {
            true => (factor.div_euclid(by), factor.rem_euclid(by)),
            false => (0, factor),
        };
        quotient = quotient.plus(&term.scaled(times)?)?;
        rest = rest.plus(&term.scaled(left)?)?;
    }
    Some((quotient, rest))
}
