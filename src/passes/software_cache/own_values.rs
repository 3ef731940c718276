//! The value of each thread's own slot, in a register over the steps of a loop.
//!
//! ```c
//! for (int step = 0; step < depth; step++) {          // before
//!     int now_value = now_window[threadIdx.x] + now_window[threadIdx.x + 1];
//!     barrier
//!     now_window[threadIdx.x] = now_value;
//!     barrier
//! }
//!
//! int now_own = now_window[threadIdx.x];              // after
//! for (int step = 0; step < depth; step++) {
//!     now_own = now_own + now_window[threadIdx.x + 1];
//!     barrier
//!     now_window[threadIdx.x] = now_own;
//!     barrier
//! }
//! ```
//!
//! Each slot is one thread's, and no other writes to it: the register has what the slot has, however
//! the program goes on.

use std::collections::HashMap;

use super::Pass;
use super::access;
use super::region::{Held, element_type};
use crate::ir::{Statement, StatementKind, WindowProof, visit};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, SymbolId, TypeId, UnaryOperator, synthesis, visit as typed_visit,
};

/// The most statements between a variable and the store of its value: those that wait.
const NEAREST: usize = 4;

impl Pass<'_> {
    /// Keeps own values of windows that are read and written in steps. The body has slots in the place
    /// of elements.
    pub(super) fn keep_own_values(&mut self, body: &mut Vec<Statement>, held: &mut [Held]) {
        for window in held {
            let slot = self.lone_slot(window);
            let ty = element_type(self.unit, &window.window).ty;
            if let Some(slot) = slot.filter(|slot| self.steps_through(body, window.storage, slot)) {
                window.own_value = Some(self.keep_own_value(body, window, &slot, ty));
            }
        }
    }

    /// The slot of a thread's pivot, if no other thread has it and the thread's indices alone say it.
    fn lone_slot(&mut self, held: &Held) -> Option<Expression> {
        let Held { window, sides, .. } = held;
        let is_step = window.policy.fetch && window.policy.channel;
        let ty = element_type(self.unit, window).ty;
        let axes: Vec<usize> = sides.iter().filter_map(|side| side.lone_axis).collect();
        let has_own = |axis: usize| self.frame.block(axis) == Some(1) || axes.contains(&axis);
        let is_such = is_step
            && held.writes_own
            && window.proof == WindowProof::Trusted
            && self.fits_register(ty)
            && (0..3).all(has_own);
        let mut slots = Vec::new();
        for (side, dimension) in sides.iter().zip(&window.dimensions).filter(|_| is_such) {
            let slot = self.own_slot(&dimension.pivot, side)?;
            let is_index = |symbol: SymbolId| self.unit.symbol(symbol).is_thread_index();
            let mut is_of_thread = true;
            typed_visit::symbols(&slot, &mut |symbol| is_of_thread &= is_index(symbol));
            slots.push(Some(slot).filter(|_| is_of_thread)?);
        }
        let slots = self.linear(sides, slots);
        is_such.then(|| self.subscripted(held.storage, slots, window.span))
    }

    /// Whether a loop reads the slot and writes to it, while others read slots, too, and all writes are
    /// assignments to it.
    fn steps_through(&self, body: &[Statement], storage: SymbolId, slot: &Expression) -> bool {
        let is_of_window = |place: &Expression| {
            let element = access::element(access::root(place), self.unit);
            element.is_some_and(|(array, _)| array == storage)
        };
        let (mut all, mut own, mut stores, mut others) = (0, 0, 0, 0);
        visit::symbols(body, &mut |symbol| all += usize::from(symbol == storage));
        visit::expressions(body, &mut |e| {
            own += usize::from(is_slot(e, slot));
            let is_address = matches!(&e.kind, ExpressionKind::Unary(UnaryOperator::AddressOf, inner) if is_of_window(inner));
            let is_written = e.assigned().is_some_and(is_of_window);
            others += usize::from(is_address || is_written);
        });
        visit::walk(body, &mut |s| {
            stores += usize::from(stored(s, slot).is_some());
            if let StatementKind::Atomic(_) = s.kind {
                visit::own_expressions(s, &mut |e| others += usize::from(e.mentions(storage)));
            }
        });
        let steps = |s: &Statement| {
            let (mut reads, mut writes) = (0, 0);
            let list = std::slice::from_ref(s);
            visit::expressions(list, &mut |e| reads += usize::from(is_slot(e, slot)));
            visit::walk(list, &mut |s| {
                writes += usize::from(stored(s, slot).is_some())
            });
            s.is_loop() && writes > 0 && reads > writes
        };
        all > own && stores == others && visit::any(body, &mut |s| steps(s))
    }

    fn keep_own_value(
        &mut self,
        body: &mut Vec<Statement>,
        held: &Held,
        slot: &Expression,
        ty: TypeId,
    ) -> SymbolId {
        let span = held.window.span;
        let name = format!("{}_own", self.unit.symbol(held.window.array).name);
        let own = self.variable(&name, ty);
        let value = synthesis::symbol(self.unit, own, span);
        visit::expressions_mut(body, &mut |e| {
            if is_slot(e, slot) {
                *e = value.clone();
            }
        });
        let mut uses: HashMap<SymbolId, usize> = HashMap::new();
        visit::symbols(body, &mut |symbol| *uses.entry(symbol).or_default() += 1);
        let is_made = |s: SymbolId| self.added.contains(&s) && uses.get(&s) == Some(&1);
        visit::lists_mut(body, &mut |list| {
            let mut index = 0;
            while index < list.len() {
                if let Some(new) = stored(&list[index], &value).cloned() {
                    let span = list[index].span;
                    // The variable that has the value since before the barrier is this one now.
                    let symbol = new.as_symbol().filter(|symbol| is_made(*symbol));
                    let before = list[..index].iter_mut().rev().take(NEAREST);
                    match symbol.and_then(|symbol| before.filter_map(|s| made(s, symbol)).next()) {
                        Some((statement, new)) => {
                            *statement = updated(&value, new, statement.span);
                        }
                        None => {
                            list.insert(index, updated(&value, new, span));
                            index += 1;
                        }
                    }
                    list[index] = Statement::assign(slot.clone(), value.clone(), span);
                }
                index += 1;
            }
        });
        body.insert(0, Statement::declare(own, Some(slot.clone()), span));
        own
    }
}

/// A statement that makes a variable, and what of.
fn made(statement: &mut Statement, symbol: SymbolId) -> Option<(&mut Statement, Expression)> {
    let StatementKind::Declaration(list) = &statement.kind else {
        return None;
    };
    let [declaration] = list.as_slice() else {
        return None;
    };
    let value = declaration.value().filter(|_| declaration.symbol == symbol);
    let value = value?.clone();
    Some((statement, value))
}

/// `own = value`, or `own += …`.
fn updated(own: &Expression, value: Expression, span: Span) -> Statement {
    match value.kind {
        ExpressionKind::Binary(operator, left, right)
            if !operator.is_logical()
                && value.ty.ty == own.ty.ty
                && matches!(left.kind, ExpressionKind::Symbol(_))
                && left.is_same(own) =>
        {
            let kind = ExpressionKind::CompoundAssign {
                operator,
                target: Box::new(own.clone()),
                value: right,
                computation: own.ty.ty,
            };
            StatementKind::Expression(Some(kind.at(own.ty, span))).at(span)
        }
        _ => Statement::assign(own.clone(), value, span),
    }
}

/// Whether an expression is the slot itself.
fn is_slot(e: &Expression, slot: &Expression) -> bool {
    matches!(
        e.kind,
        ExpressionKind::Index(..) | ExpressionKind::Symbol(_)
    ) && e.is_same(slot)
}

/// What a statement assigns to a place.
fn stored<'s>(statement: &'s Statement, place: &Expression) -> Option<&'s Expression> {
    match &statement.kind {
        StatementKind::Expression(Some(e)) => match &e.kind {
            ExpressionKind::Assign(target, value) if is_slot(target.inner(), place) => Some(value),
            _ => None,
        },
        _ => None,
    }
}
