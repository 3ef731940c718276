//! Slots in the threads' own indices.
//!
//! The base of a window is the least index of the block, so that what is left of a subscript is
//! often no more than the number of the thread, the variable of a loop, and a constant:
//!
//! ```text
//! const int row = y - (y / 16 * 4 + 2);          // blocks of 16 x 16
//! now_window[row + 1 - row_base][x - x_base]     // before
//! now_window[threadIdx.y + 1][threadIdx.x]       // after
//! ```
//!
//! Polynomials are right modulo the width of the index's type. A slot lies in its window, and the
//! new subscript is a small number, so that they are equal where they are equal modulo 2^32.

use super::Pass;
use super::region::Held;
use super::shape::Side;
use crate::analysis::block_affine::{Atom, Piece};
use crate::analysis::polynomial::{Polynomial, Term};
use crate::ir::visit;
use crate::source::Span;
use crate::typed::{
    self, Axis, BinaryOperator, Builtin, Expression, ExpressionKind, IntegerKind, SymbolId, Type,
    TypeId, UnaryOperator, synthesis,
};

/// The greatest constant or coefficient: times 1024 threads, far from the limits of `int`.
const MOST: i128 = 1 << 16;
/// Bytes of an `int`.
const WIDTH: u64 = 4;

/// A part of a slot's number.
struct Part {
    factor: i128,
    symbol: SymbolId,
    is_thread: bool,
}

impl Pass<'_> {
    /// The slot of an index in one dimension, if indices of threads say it.
    pub(super) fn own_slot(&mut self, e: &Expression, side: &Side) -> Option<Expression> {
        let found = self.chosen_slot(e, side);
        if found.is_some() {
            typed::visit::symbols(e, &mut |symbol| {
                self.replaced.insert(symbol);
            });
        }
        found
    }

    /// Of `i > 0 ? i - 1 : i`, a slot for each choice, both of the same type.
    fn chosen_slot(&mut self, e: &Expression, side: &Side) -> Option<Expression> {
        let ExpressionKind::Conditional(condition, Some(then), otherwise) =
            &e.without_parentheses().kind
        else {
            return self.plain_slot(e, side, false);
        };
        let has_element = typed::visit::any(condition, &mut |e| {
            matches!(
                e.kind,
                ExpressionKind::Index(..)
                    | ExpressionKind::Unary(UnaryOperator::Indirection, _)
                    | ExpressionKind::Statement(_)
            )
        });
        if has_element {
            return None; // It may be one of a window.
        }
        let mut slots = |is_signed| {
            let then = self.plain_slot(then, side, is_signed)?;
            Some((then, self.plain_slot(otherwise, side, is_signed)?))
        };
        let has_cast = |e: &Expression| {
            typed::visit::any(e, &mut |e| matches!(e.kind, ExpressionKind::Cast(_)))
        };
        let (mut then, mut otherwise) = slots(false)?;
        if has_cast(&then) || has_cast(&otherwise) {
            (then, otherwise) = slots(true)?;
        }
        let condition = (**condition).clone();
        let chosen = synthesis::conditional(condition, then, otherwise, e.span);
        Some(chosen)
    }

    fn plain_slot(&mut self, e: &Expression, side: &Side, is_signed: bool) -> Option<Expression> {
        if !self.is_comparable(e.ty.ty, side.ty) {
            return None;
        }
        let slot = self.frame.value(e).ok()?.minus(&side.base)?;
        let (parts, number) = self.parts(&slot, e)?;
        self.sum(parts, number, is_signed, e.span)
    }

    /// Whether the difference of an index and a base is the same in these types as in `int`.
    fn is_comparable(&self, index: TypeId, base: TypeId) -> bool {
        let types = &self.unit.types;
        let Type::Integer(kind) = types.get(index) else {
            return false;
        };
        let is_narrower = types.size(index) < types.size(base);
        kind.size() >= WIDTH && (kind.is_signed() || !is_narrower)
    }

    /// What a slot is the sum of: multiples of variables, and a number.
    fn parts(&self, slot: &Polynomial, e: &Expression) -> Option<(Vec<Part>, i128)> {
        let mut parts = Vec::new();
        let mut number = 0i128;
        for (product, factor) in slot.terms() {
            let term = match product {
                [] => {
                    number += factor;
                    continue;
                }
                [Term::Iteration(term)] => self.frame.atom(*term)?,
                _ => return None,
            };
            match term {
                Atom::Thread(axis, Piece::Whole) => parts.push(Part {
                    factor,
                    symbol: self
                        .unit
                        .builtin(Builtin::ThreadIndex, *Axis::ALL.get(axis)?),
                    is_thread: true,
                }),
                Atom::Round(symbol) => {
                    // The variable is `lower + step·round`.
                    let (lower, step) = self.frame.rounds_of(symbol)?;
                    let lower = lower.as_constant()?;
                    if factor != step && factor != -step || !self.is_int_here(symbol, e) {
                        return None;
                    }
                    let factor = factor / step;
                    number = number.checked_sub(factor.checked_mul(lower)?)?;
                    parts.push(Part {
                        factor,
                        symbol,
                        is_thread: false,
                    });
                }
                _ => return None,
            }
        }
        let are_small = parts.iter().all(|part| part.factor.abs() < MOST) && number.abs() < MOST;
        let loops = parts.iter().filter(|part| !part.is_thread).count();
        (are_small && loops <= 1 && loops < parts.len()).then_some((parts, number))
    }

    /// Whether the variable of a loop is an `int`, and its name means it where an index stands that
    /// was computed from it: a loop in between may have a variable of the same name.
    fn is_int_here(&self, symbol: SymbolId, e: &Expression) -> bool {
        let variable = self.unit.symbol(symbol);
        let is_int = matches!(
            self.unit.types.get(variable.ty.ty),
            Type::Integer(IntegerKind::Int)
        );
        let is_other =
            |other: SymbolId| other != symbol && self.unit.symbol(other).name == variable.name;
        let mut is_hidden = visit::declared(&self.kernel.body).into_iter().any(is_other);
        visit::loops(&self.kernel.body, &mut |l| {
            is_hidden |= is_other(l.induction)
        });
        is_int && (e.mentions(symbol) || !is_hidden)
    }

    /// `step + 1 - (int)threadIdx.x`: what is added first. Indices of threads are `unsigned`.
    fn sum(
        &self,
        mut parts: Vec<Part>,
        number: i128,
        is_signed: bool,
        span: Span,
    ) -> Option<Expression> {
        let int = synthesis::int(self.unit);
        let is_signed = is_signed || number < 0 || parts.iter().any(|part| part.factor < 0);
        parts.sort_by_key(|part| (part.factor < 0, part.is_thread));
        let term = |part: &Part| {
            let mut e = synthesis::symbol(self.unit, part.symbol, span);
            if part.is_thread {
                e.ty.ty = int;
                if is_signed {
                    e = ExpressionKind::Cast(Box::new(e)).at(int, span);
                }
            }
            match part.factor.abs() {
                1 => e,
                factor => {
                    let factor = synthesis::integer(factor, int, span);
                    synthesis::binary(BinaryOperator::Multiply, factor, e, int)
                }
            }
        };
        let (above, below): (Vec<&Part>, Vec<&Part>) =
            parts.iter().partition(|part| part.factor > 0);
        let literal = |number: i128| synthesis::integer(number, int, span);
        let plus = |a, b| synthesis::binary(BinaryOperator::Add, a, b, int);
        let minus = |a, b| synthesis::binary(BinaryOperator::Subtract, a, b, int);
        let mut sum = above.into_iter().map(term).reduce(plus);
        if number > 0 {
            sum = Some(match sum {
                Some(sum) => plus(sum, literal(number)),
                None => literal(number),
            });
        }
        let mut sum = sum?;
        for part in below {
            sum = minus(sum, term(part));
        }
        if number < 0 {
            sum = minus(sum, literal(-number));
        }
        Some(sum)
    }

    /// Puts a thread's own index in place of remainders that are just that: `y % 16` where blocks
    /// have 16 rows and begin at multiples of 16.
    pub(super) fn turn_remainders(&mut self, e: &mut Expression) {
        typed::visit::walk_mut(e, &mut |e| {
            let ExpressionKind::Binary(BinaryOperator::Remainder | BinaryOperator::BitAnd, ..) =
                e.kind
            else {
                return;
            };
            let Some(thread) = self.thread_index(e) else {
                return;
            };
            typed::visit::symbols(e, &mut |symbol| {
                self.replaced.insert(symbol);
            });
            let thread = synthesis::symbol(self.unit, thread, e.span);
            *e = synthesis::cast(thread, e.ty.ty);
        });
    }

    /// The index of the thread that an expression is.
    fn thread_index(&mut self, e: &Expression) -> Option<SymbolId> {
        if !self.is_comparable(e.ty.ty, e.ty.ty) {
            return None;
        }
        let value = self.frame.value(e).ok()?;
        self.lone_thread(&value)
    }

    /// The index of the thread that a value is.
    pub(super) fn lone_thread(&self, value: &Polynomial) -> Option<SymbolId> {
        let mut terms = value.terms();
        let (Some(([Term::Iteration(term)], 1)), None) = (terms.next(), terms.next()) else {
            return None;
        };
        match self.frame.atom(*term)? {
            Atom::Thread(axis, Piece::Whole) => {
                let axis = *Axis::ALL.get(axis)?;
                Some(self.unit.builtin(Builtin::ThreadIndex, axis))
            }
            _ => None,
        }
    }

    /// The slot of each thread's own pivot.
    pub(super) fn own_slots(&mut self, held: &Held) -> Vec<Expression> {
        let dimensions = held.window.dimensions.iter();
        let pivots: Vec<Expression> = dimensions.map(|d| d.pivot.clone()).collect();
        (pivots.into_iter().zip(&held.sides).zip(&held.bases))
            .map(|((pivot, side), base)| {
                let own = self.own_slot(&pivot, side);
                own.unwrap_or_else(|| self.slot_of(pivot, side, *base))
            })
            .collect()
    }
}
