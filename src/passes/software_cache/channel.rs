//! Writes to windows: statements of their own, between two barriers.
//!
//! ```text
//! a[i] += a[i - 1];    double a_value = a_window[i - i_base] + a_window[i - 1 - i_base];
//!                      barrier
//!                      a_window[i - i_base] = a_value;
//!                      barrier
//! ```

use super::access::{self, Write};
use super::body::{Rewriter, converted};
use crate::analysis::effects::Place;
use crate::ir::{Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::visit::any;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, QualType, Type, TypeId, UnaryOperator,
};

impl Rewriter<'_, '_> {
    /// A statement that writes to a window.
    pub(super) fn write(&mut self, write: &Write<'_>, index: usize, span: Span) {
        let mut target = self.target(write.target(), index);
        self.freeze(&mut target);
        let store = if self.waits(index) {
            let value = self.value(write, &target);
            let value = self.register(&format!("{}_value", self.array_name(index)), value);
            Statement::assign(target.clone(), value, span)
        } else {
            // It stands where the program has it, with the comment before it.
            let store = self.in_place(write, target.clone(), span);
            StatementKind::Expression(Some(store)).at(span)
        };
        let mark = self.mark(index, &target);
        self.store(index, store, mark);
    }

    /// The write as the program has it, to a slot.
    fn in_place(&mut self, write: &Write<'_>, target: Expression, span: Span) -> Expression {
        let ty = QualType::plain(target.ty.ty);
        let target = Box::new(target);
        let kind = match write {
            Write::Plain(_, value) => ExpressionKind::Assign(target, self.rewritten(value)),
            Write::Compound(_, operator, value, computation) => ExpressionKind::CompoundAssign {
                operator: *operator,
                target,
                value: self.rewritten(value),
                computation: *computation,
            },
            Write::Step(_, operator) => ExpressionKind::Unary(*operator, target),
        };
        Expression { kind, ty, span }
    }

    /// A value with accesses to windows in the place of those to arrays.
    fn rewritten(&mut self, value: &Expression) -> Box<Expression> {
        let mut value = value.clone();
        self.expression(&mut value);
        Box::new(value)
    }

    /// Whether all threads wait before and after a write.
    fn waits(&self, index: usize) -> bool {
        self.held[index].window.policy.channel && !self.explicit
    }

    /// Adds a write to a window, with what marks the slot.
    fn store(&mut self, index: usize, store: Statement, mark: Option<Expression>) {
        let span = store.span;
        let waits = self.waits(index);
        let array = self.array_name(index);
        let barrier = |why: &str| waits.then(|| Statement::barrier(why, span));
        let before = barrier(&format!(
            "old values of `{array}` read before they are overwritten"
        ));
        let mark = mark.map(|mark| StatementKind::Expression(Some(mark)).at(span));
        self.out.extend(before);
        self.out.push(store);
        self.out.extend(mark);
        self.out.extend(barrier(&format!(
            "writes of `{array}` visible to the block"
        )));
    }

    /// An atomic access, which may be to a slot: all threads wait before and
    /// after it.
    pub(super) fn atomic(&mut self, mut statement: Statement) {
        let held = atomic_target(&statement).and_then(|target| {
            let index = self.holds(access::root(target))?;
            Some((index, self.indices(access::root(target))))
        });
        if let Some((index, indices)) = &held {
            self.note_write(*index, indices);
        }
        self.is_atomic = true;
        visit::own_expressions_mut(&mut statement, &mut |e| self.expression(e));
        self.is_atomic = false;
        let Some((index, _)) = held else {
            return self.out.push(statement);
        };
        let mark = atomic_target(&statement).and_then(|target| self.mark(index, target));
        self.store(index, statement, mark);
    }

    /// What is stored, of the target's type.
    pub(super) fn value(&mut self, write: &Write<'_>, target: &Expression) -> Expression {
        let ty = target.ty.ty;
        let old = Expression {
            ty: QualType::plain(ty),
            ..target.clone()
        };
        match write {
            Write::Plain(_, value) => *self.rewritten(value),
            Write::Compound(_, operator, value, computation) => {
                let value = *self.rewritten(value);
                let old = self.as_type(old, *computation);
                let result = synthesis::binary(*operator, old, value, *computation);
                self.as_type(result, ty)
            }
            Write::Step(_, operator) => {
                let up = [UnaryOperator::PreIncrement, UnaryOperator::PostIncrement];
                self.stepped(old, up.contains(operator))
            }
        }
    }

    /// `old + 1` or `old - 1`, as `++` and `--` compute it.
    fn stepped(&mut self, old: Expression, up: bool) -> Expression {
        let (ty, span) = (old.ty.ty, old.span);
        let int = synthesis::int(self.pass.unit);
        let types = &self.pass.unit.types;
        if matches!(types.get(ty), Type::Bool) {
            let value = match up {
                true => synthesis::integer(1, int, span),
                false => synthesis::not(int, old),
            };
            return self.as_type(value, ty);
        }
        let is_small = types.is_integer(ty) && types.size(ty) < types.size(int);
        let computation = if is_small { int } else { ty };
        let operator = match up {
            true => BinaryOperator::Add,
            false => BinaryOperator::Subtract,
        };
        let old = self.as_type(old, computation);
        let one = synthesis::integer(1, int, span);
        let one = match types.is_arithmetic(computation) {
            true => self.as_type(one, computation),
            false => one,
        };
        let result = synthesis::binary(operator, old, one, computation);
        self.as_type(result, ty)
    }

    fn as_type(&self, e: Expression, ty: TypeId) -> Expression {
        if e.ty.ty == ty {
            return e;
        }
        let types = &self.pass.unit.types;
        let conversion = match types.get(ty) {
            Type::Bool => Conversion::ToBool,
            _ if types.is_arithmetic(ty) => Conversion::Arithmetic,
            _ => Conversion::Pointer,
        };
        converted(conversion, e, ty)
    }

    /// Puts what an lvalue's subscripts read from memory into variables, so
    /// that no thread changes it before the store.
    fn freeze(&mut self, target: &mut Expression) {
        match &mut target.kind {
            ExpressionKind::Index(base, index) => {
                self.freeze(base);
                if !self.is_register(index) {
                    **index = self.register("slot", (**index).clone());
                }
            }
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Member { base: inner, .. }
            | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner)
            | ExpressionKind::Convert(_, inner) => self.freeze(inner),
            _ => {}
        }
    }

    /// A variable with this value, or the value itself where it is one.
    pub(super) fn register(&mut self, name: &str, value: Expression) -> Expression {
        let is_name = matches!(
            value.inner().kind,
            ExpressionKind::Symbol(_)
                | ExpressionKind::Integer { .. }
                | ExpressionKind::Floating { .. }
        );
        if is_name && self.is_register(&value) {
            return value;
        }
        let span = value.span;
        let symbol = self.pass.variable(name, value.ty.ty);
        self.out.push(Statement::declare(symbol, Some(value), span));
        synthesis::symbol(self.pass.unit, symbol, span)
    }

    /// Whether a value depends on the thread's own variables alone.
    fn is_register(&self, e: &Expression) -> bool {
        let scope = &self.pass.frame.facts.scope;
        !any(e, &mut |e| match &e.kind {
            _ if e.assigned().is_some() => true,
            ExpressionKind::Symbol(symbol) => {
                let is_own =
                    scope.is_private(Place::Variable(*symbol)) || self.pass.added.contains(symbol);
                self.pass.unit.symbol(*symbol).is_variable() && !is_own
            }
            ExpressionKind::Index(..)
            | ExpressionKind::Unary(UnaryOperator::Indirection, _)
            | ExpressionKind::Member { arrow: true, .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::Statement(_) => true,
            _ => false,
        })
    }
}

/// What an atomic access is to.
fn atomic_target(statement: &Statement) -> Option<&Expression> {
    match &statement.kind {
        StatementKind::Atomic(atomic) => Some(atomic.access().ok()?.target),
        _ => None,
    }
}
