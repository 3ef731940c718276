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
use crate::analysis::block_affine::Frame;
use crate::analysis::effects::Place;
use crate::ir::{Barrier, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::visit::any;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, QualType, Type, TypeId, UnaryOperator,
};

impl Rewriter<'_, '_> {
    /// A statement that writes to a window.
    pub(super) fn write(
        &mut self,
        e: &Expression,
        index: usize,
        span: Span,
        frame: &mut Frame,
        out: &mut Vec<Statement>,
    ) {
        let Some(write) = Write::of(e) else { return };
        let mut target = self.target(write.target(), index, frame);
        let policy = self.held[index].window.policy;
        let waits = policy.channel && !self.explicit;
        self.freeze(&mut target, frame, out);
        let value = self.value(&write, &target, frame);
        let value = if waits {
            let name = self.array_name(index);
            self.register(&format!("{name}_value"), value, frame, out)
        } else {
            value
        };
        let mark = self.mark(index, &target);
        if waits {
            let why = "old values read before they are overwritten";
            out.push(StatementKind::Barrier(Barrier::new(why)).at(span));
        }
        let store = synthesis::assign(target, value);
        out.push(StatementKind::Expression(Some(store)).at(span));
        if let Some(mark) = mark {
            out.push(StatementKind::Expression(Some(mark)).at(span));
        }
        if waits {
            let why = "writes visible to the block";
            out.push(StatementKind::Barrier(Barrier::new(why)).at(span));
        }
    }

    /// An atomic access, which may be to a slot: all threads wait before and
    /// after it.
    pub(super) fn atomic(
        &mut self,
        mut statement: Statement,
        frame: &mut Frame,
        out: &mut Vec<Statement>,
    ) {
        let span = statement.span;
        let held = self.atomic_target(&statement).and_then(|target| {
            let index = self.holds(access::root(&target))?;
            Some((index, self.indices(access::root(&target))))
        });
        if let Some((index, indices)) = &held {
            self.note_write(*index, indices, frame);
        }
        self.is_atomic = true;
        visit::own_expressions_mut(&mut statement, &mut |e| self.expression(e, frame));
        self.is_atomic = false;
        let Some((index, _)) = held else {
            return out.push(statement);
        };
        let waits = self.held[index].window.policy.channel && !self.explicit;
        let mark = self
            .atomic_target(&statement)
            .and_then(|target| self.mark(index, &target));
        let barrier = |why: &str| StatementKind::Barrier(Barrier::new(why)).at(span);
        if waits {
            out.push(barrier("old values read before they are overwritten"));
        }
        out.push(statement);
        out.extend(mark.map(|mark| StatementKind::Expression(Some(mark)).at(span)));
        if waits {
            out.push(barrier("writes visible to the block"));
        }
    }

    /// What an atomic access is to.
    fn atomic_target(&self, statement: &Statement) -> Option<Expression> {
        match &statement.kind {
            StatementKind::Atomic(atomic) => Some(atomic.access().ok()?.target.clone()),
            _ => None,
        }
    }

    /// What is stored, of the target's type.
    pub(super) fn value(
        &mut self,
        write: &Write<'_>,
        target: &Expression,
        frame: &mut Frame,
    ) -> Expression {
        let ty = target.ty.ty;
        let old = Expression {
            ty: QualType::plain(ty),
            ..target.clone()
        };
        match write {
            Write::Plain(_, value) => {
                let mut value = (*value).clone();
                self.expression(&mut value, frame);
                value
            }
            Write::Compound(_, operator, value, computation) => {
                let mut value = (*value).clone();
                self.expression(&mut value, frame);
                let old = self.as_type(old, *computation);
                let result = synthesis::binary(*operator, old, value, *computation);
                self.as_type(result, ty)
            }
            Write::Step(_, up) => self.stepped(old, *up),
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
    fn freeze(&mut self, target: &mut Expression, frame: &Frame, out: &mut Vec<Statement>) {
        match &mut target.kind {
            ExpressionKind::Index(base, index) => {
                self.freeze(base, frame, out);
                if !self.is_register(index, frame) {
                    let nothing = placeholder(index);
                    let value = std::mem::replace(&mut **index, nothing);
                    **index = self.register("slot", value, frame, out);
                }
            }
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Member { base: inner, .. }
            | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner)
            | ExpressionKind::Convert(_, inner) => self.freeze(inner, frame, out),
            _ => {}
        }
    }

    /// A variable with this value, or the value itself where it is one.
    pub(super) fn register(
        &mut self,
        name: &str,
        value: Expression,
        frame: &Frame,
        out: &mut Vec<Statement>,
    ) -> Expression {
        let is_name = matches!(
            value.inner().kind,
            ExpressionKind::Symbol(_)
                | ExpressionKind::Integer { .. }
                | ExpressionKind::Floating { .. }
        );
        if is_name && self.is_register(&value, frame) {
            return value;
        }
        let span = value.span;
        let symbol = self.pass.variable(name, value.ty.ty);
        out.push(Statement::declare(symbol, Some(value), span));
        synthesis::symbol(self.pass.unit, symbol, span)
    }

    /// Whether a value depends on the thread's own variables alone.
    fn is_register(&self, e: &Expression, frame: &Frame) -> bool {
        let scope = &frame.facts.scope;
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

fn placeholder(e: &Expression) -> Expression {
    Expression {
        kind: ExpressionKind::Error,
        ty: e.ty,
        span: e.span,
    }
}
