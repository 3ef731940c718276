//! The body of a region: accesses to arrays become accesses to their windows.

use super::access::{self, Write};
use super::region::Held;
use super::shape::Side;
use super::{Pass, refusal};
use crate::analysis::block_affine::Frame;
use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::ir::{Statement, StatementKind, WindowExtent, WindowProof, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::visit::operands_mut;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, Type, TypeId, UnaryOperator,
};

/// Rewrites one region.
pub(super) struct Rewriter<'p, 'u> {
    pub pass: &'p mut Pass<'u>,
    pub held: &'p mut Vec<Held>,
    /// The list in the making.
    pub out: Vec<Statement>,
    /// No barriers around writes.
    pub explicit: bool,
    /// The statement at hand is an atomic access.
    pub is_atomic: bool,
    /// The statement at hand may be skipped, or run several times.
    conditional: bool,
}

/// Where an access is with regard to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Inside,
    Outside(i128, i128, u64),
    Unknown,
}

impl Pass<'_> {
    /// The body of a region with its accesses turned to the windows.
    pub(super) fn rewritten(
        &mut self,
        body: Vec<Statement>,
        held: &mut Vec<Held>,
        explicit: bool,
    ) -> Vec<Statement> {
        let inside = self.frame.clone();
        let mut rewriter = Rewriter {
            pass: self,
            held,
            out: Vec::new(),
            explicit,
            is_atomic: false,
            conditional: false,
        };
        rewriter.inside(inside, |rewriter| rewriter.list(body))
    }
}

impl<'u> Rewriter<'_, 'u> {
    /// What is done where another frame holds.
    fn inside<T>(&mut self, frame: Frame<'u>, act: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.pass.frame, frame);
        let result = act(self);
        self.pass.frame = around;
        result
    }

    fn list(&mut self, list: Vec<Statement>) -> Vec<Statement> {
        let around = std::mem::take(&mut self.out);
        for statement in list {
            let before = statement.clone();
            self.rewrite(statement);
            self.pass.frame.pass(&before);
        }
        std::mem::replace(&mut self.out, around)
    }

    fn rewrite(&mut self, mut statement: Statement) {
        if let StatementKind::Expression(Some(e)) = &statement.kind
            && let Some(write) = Write::of(e)
            && let Some(index) = self.written(&write)
        {
            return match self.is_selected(index) {
                true => self.selected_write(&write, index, statement.span),
                false => self.write(&write, index, statement.span),
            };
        }
        if let StatementKind::Atomic(_) = statement.kind {
            return self.atomic(statement);
        }
        let frame = &self.pass.frame;
        let inside = match &statement.kind {
            StatementKind::Loop(l) => vec![frame.inside_rounds(l)],
            _ => frame.inside(&statement),
        };
        let may_skip = match &statement.kind {
            StatementKind::Loop(l) => !inside[0].always_has_a_round(l.induction),
            StatementKind::Block(_) => false,
            _ => true,
        };
        let whenever = frame.at_condition(&statement);
        self.inside(whenever, |rewriter| {
            visit::own_expressions_mut(&mut statement, &mut |e| {
                rewriter.pass.turn_remainders(e);
                rewriter.expression(e);
            });
        });
        if let StatementKind::For(parts) = &mut statement.kind
            && let Some(initializer) = &mut parts.initializer
        {
            visit::own_expressions_mut(initializer, &mut |e| self.expression(e));
        }
        let around = self.conditional;
        self.conditional |= may_skip;
        let mut inside = inside.into_iter();
        visit::blocks_mut(&mut statement, &mut |body| {
            let inside = inside.next().expect("each block has a frame");
            *body = self.inside(inside, |rewriter| rewriter.list(std::mem::take(body)));
        });
        self.conditional = around;
        self.out.push(statement);
    }

    /// The window that a statement writes to, if it is of a type for that.
    fn written(&self, write: &Write<'_>) -> Option<usize> {
        let (symbol, _) = access::element(access::root(write.target()), self.pass.unit)?;
        let is_written = |h: &Held| {
            let is_requested = h.window.policy.channel || h.window.policy.write_back;
            h.window.array == symbol && (is_requested || h.window.proof != WindowProof::Trusted)
        };
        self.held.iter().position(is_written)
    }

    /// Notes whether a write is to the thread's own pivot, and on every path.
    pub(super) fn note_write(&mut self, index: usize, indices: &[Expression]) {
        let held = &mut self.held[index];
        let own = indices.iter().zip(&held.sides).all(|(e, side)| {
            let found = self.pass.frame.value(e).ok();
            found.is_some_and(|value| value == side.pivot)
        });
        held.writes_own &= own;
        held.writes_always |= own && !self.conditional;
    }

    /// The target of a write, in the window.
    pub(super) fn target(&mut self, target: &Expression, index: usize) -> Expression {
        let root = access::root(target);
        let indices = self.indices(root);
        self.note_write(index, &indices);
        self.check_position(index, &indices, root.span);
        let slot = self.slot(index, indices, root.span);
        self.with_root(target, &slot)
    }

    /// A target with another element that it is part of.
    pub(super) fn with_root(&mut self, target: &Expression, element: &Expression) -> Expression {
        let mut result = target.clone();
        self.replace_root(&mut result, element);
        result
    }

    /// Puts the slot in place of the element that a target is part of, and
    /// rewrites the subscripts of its members.
    fn replace_root(&mut self, target: &mut Expression, slot: &Expression) {
        if std::ptr::eq(access::root(target), target) {
            target.clone_from(slot);
            return;
        }
        match &mut target.kind {
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Member { base: inner, .. }
            | ExpressionKind::Unary(_, inner) => self.replace_root(inner, slot),
            ExpressionKind::Index(base, index) => {
                self.expression(index);
                if let ExpressionKind::Convert(_, row) = &mut base.kind {
                    self.replace_root(row, slot);
                }
            }
            _ => {}
        }
    }

    /// The indices of an element.
    pub(super) fn indices(&mut self, e: &Expression) -> Vec<Expression> {
        let int = synthesis::int(self.pass.unit);
        let found = access::element(e, self.pass.unit);
        let (_, indices) = found.unwrap_or_else(|| (SymbolId(0), Vec::new()));
        indices
            .into_iter()
            .map(|index| index.unwrap_or_else(|| synthesis::integer(0, int, e.span)))
            .collect()
    }

    /// Rewrites an expression that is no write to a window by itself.
    pub(super) fn expression(&mut self, e: &mut Expression) {
        if let ExpressionKind::Parenthesized(inner) = &mut e.kind {
            return self.expression(inner);
        }
        if let Some((symbol, indices)) = access::element(e, self.pass.unit) {
            let candidates: Vec<usize> = (0..self.held.len())
                .filter(|&i| self.held[i].window.array == symbol)
                .collect();
            let Some(&first) = candidates.first() else {
                return operands_mut(e, &mut |operand| self.expression(operand));
            };
            if indices.len() != self.held[first].sides.len() {
                return self.refuse_whole(first, e.span);
            }
            let indices = self.indices(e);
            if self.is_selected(first) {
                *e = self.selected(&candidates, indices, e.span);
                return;
            }
            let chosen = self.choose(&candidates, &indices, e.span);
            *e = self.slot(chosen, indices, e.span);
            return;
        }
        match &e.kind {
            ExpressionKind::Unary(UnaryOperator::AddressOf, inner) => {
                if let Some(index) = self.holds(access::root(inner)) {
                    return self.refuse_whole(index, e.span);
                }
            }
            ExpressionKind::Statement(_) => {
                if let Some(index) = self.mentioned(e) {
                    return self.refuse_whole(index, e.span);
                }
            }
            ExpressionKind::Conditional(..)
            | ExpressionKind::Binary(BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr, ..) => {
                return self.guarded(e);
            }
            _ => self.check_nested_write(e),
        }
        operands_mut(e, &mut |operand| self.expression(operand));
    }

    fn refuse_whole(&mut self, index: usize, span: Span) {
        let error = refusal::whole_array(&self.held[index].window, span);
        self.pass.diagnostics.push(error);
    }

    /// Rewrites what is evaluated under a condition, which holds there.
    fn guarded(&mut self, e: &mut Expression) {
        let (ExpressionKind::Conditional(condition, ..) | ExpressionKind::Binary(_, condition, _)) =
            &mut e.kind
        else {
            return;
        };
        let [where_true, where_false] = [true, false].map(|truth| {
            let mut frame = self.pass.frame.clone();
            frame.assume(condition, truth);
            frame
        });
        self.expression(condition);
        let around = std::mem::replace(&mut self.conditional, true);
        match &mut e.kind {
            ExpressionKind::Conditional(_, then, otherwise) => {
                if let Some(then) = then {
                    self.inside(where_true, |rewriter| rewriter.expression(then));
                }
                self.inside(where_false, |rewriter| rewriter.expression(otherwise));
            }
            ExpressionKind::Binary(BinaryOperator::LogicalAnd, _, second) => {
                self.inside(where_true, |rewriter| rewriter.expression(second));
            }
            ExpressionKind::Binary(_, _, second) => {
                self.inside(where_false, |rewriter| rewriter.expression(second));
            }
            _ => {}
        }
        self.conditional = around;
    }

    /// A write within an expression would need barriers there.
    fn check_nested_write(&mut self, e: &Expression) {
        let is_assignment = !matches!(
            e.kind,
            ExpressionKind::Parenthesized(_) | ExpressionKind::Cast(_)
        );
        if let Some(write) = Write::of(e)
            && is_assignment
            && !self.is_atomic
            && let Some(index) = self.holds(access::root(write.target()))
        {
            let window = &self.held[index].window;
            let error = if window.policy.channel || window.policy.write_back {
                refusal::nested_write(window, e.span)
            } else {
                refusal::read_only(window, e.span)
            };
            self.pass.diagnostics.push(error);
        }
    }

    /// The window of the array that an lvalue is an element of.
    pub(super) fn holds(&self, e: &Expression) -> Option<usize> {
        let (symbol, _) = access::element(e, self.pass.unit)?;
        self.held.iter().position(|h| h.window.array == symbol)
    }

    /// The window of an array that is mentioned anywhere in an expression.
    fn mentioned(&self, e: &Expression) -> Option<usize> {
        self.held.iter().position(|h| e.mentions(h.window.array))
    }

    /// The window that an access is in: the only one, or that where it is
    /// proved to be.
    fn choose(&mut self, candidates: &[usize], indices: &[Expression], span: Span) -> usize {
        if let [only] = candidates {
            self.check_position(*only, indices, span);
            return *only;
        }
        let mut all = candidates.iter();
        match all.find(|&&i| self.position(i, indices) == Position::Inside) {
            Some(&index) => index,
            None => {
                let windows: Vec<_> = candidates.iter().map(|&i| &self.held[i].window).collect();
                let error = refusal::ambiguous(&windows, span);
                self.pass.diagnostics.push(error);
                candidates[0]
            }
        }
    }

    fn check_position(&mut self, index: usize, indices: &[Expression], span: Span) {
        let is_certain = !self.conditional && !self.pass.is_under_condition;
        let problem = match self.position(index, indices) {
            Position::Outside(low, high, extent) => {
                refusal::outside(&self.held[index].window, (low, high), extent, span)
            }
            Position::Unknown if is_certain => match self.leaves(index, indices) {
                Some(is_first) => refusal::leaves(&self.held[index].window, is_first, span),
                None => return,
            },
            _ => return,
        };
        self.pass.diagnostics.push(problem);
    }

    /// Whether the first iteration of a full block leaves the window for certain, or the last one, if
    /// all accesses are as far from their pivots.
    fn leaves(&mut self, index: usize, indices: &[Expression]) -> Option<bool> {
        let frame = &mut self.pass.frame;
        self.held[index]
            .sides
            .iter()
            .zip(indices)
            .find_map(|(side, e)| {
                let value = frame.value(e).ok()?;
                value.minus(&side.pivot)?.as_constant()?;
                let (low, high) = frame.range(&value.minus(&side.base)?)?;
                let extent = i128::from(side.extent.known()?);
                match (low < 0, high >= extent) {
                    (true, _) => Some(true),
                    (_, true) => Some(false),
                    _ => None,
                }
            })
    }

    /// Where an access is, as far as can be proved for all threads.
    pub(super) fn position(&mut self, index: usize, indices: &[Expression]) -> Position {
        let mut result = Position::Inside;
        let frame = &mut self.pass.frame;
        for (side, e) in self.held[index].sides.iter().zip(indices) {
            if is_inside(side, e, frame) {
                continue;
            }
            result = Position::Unknown;
            let slot = frame.value(e).ok();
            let slot: Option<Polynomial> = slot.and_then(|value| value.minus(&side.base));
            if let Some((low, high)) = slot.and_then(|slot| frame.range(&slot)) {
                let known = side.extent.known();
                let extent = known.map_or(i128::MAX, i128::from);
                if high < 0 || low >= extent {
                    return Position::Outside(low, high, known.unwrap_or(0));
                }
            }
        }
        result
    }

    /// The slot for an element, its indices rewritten as well.
    pub(super) fn slot(
        &mut self,
        index: usize,
        indices: Vec<Expression>,
        span: Span,
    ) -> Expression {
        let storage = self.held[index].storage;
        let slots = self.offsets(index, indices, true);
        let slots = self.pass.linear(&self.held[index].sides, slots);
        self.pass.subscripted(storage, slots, span)
    }

    /// Indices relative to the window; the element is in it, or whatever it is.
    pub(super) fn offsets(
        &mut self,
        index: usize,
        indices: Vec<Expression>,
        is_inside: bool,
    ) -> Vec<Expression> {
        let mut slots = Vec::new();
        for (depth, mut e) in indices.into_iter().enumerate() {
            let own = self.pass.own_slot(&e, &self.held[index].sides[depth]);
            if let Some(own) = own.filter(|_| is_inside) {
                slots.push(own);
                continue;
            }
            self.expression(&mut e);
            let held = &self.held[index];
            slots.push(self.pass.slot_of(e, &held.sides[depth], held.bases[depth]));
        }
        slots
    }

    /// Sets the mark of the slot that a target in the window is in.
    pub(super) fn mark(&mut self, index: usize, target: &Expression) -> Option<Expression> {
        let marks = self.held[index].marks?;
        let mut slots = Vec::new();
        let mut element = access::root(target);
        while let ExpressionKind::Index(base, slot) = &element.kind {
            slots.push((**slot).clone());
            element = base.inner();
        }
        slots.reverse();
        let target = self.pass.subscripted(marks, slots, target.span);
        let one = synthesis::integer(1, target.ty.ty, target.span);
        Some(synthesis::assign(target, one))
    }
}

/// Whether an index is proved to be inside in one dimension, in whatever
/// way it comes about.
pub(super) fn is_inside(side: &Side, e: &Expression, frame: &mut Frame) -> bool {
    let holds = |frame: &Frame, value: &Polynomial, facts: &[Polynomial]| {
        let is_natural = |goal: Polynomial| frame.is_proved(&goal, facts);
        let slot = value.minus(&side.base);
        let last = side.size.moved(-1);
        let rest = last
            .zip(slot.as_ref())
            .and_then(|(last, slot)| last.minus(slot));
        slot.is_some_and(is_natural) && rest.is_some_and(is_natural)
    };
    if let Ok(value) = frame.value(e)
        && holds(frame, &value, &[])
    {
        return true;
    }
    let cases = frame.cases(e);
    cases
        .iter()
        .all(|case| holds(frame, &case.value, &case.facts))
}

impl Pass<'_> {
    /// An index counted from the base of a side: `k` of `kk + k` where that is `kk`.
    pub(super) fn slot_of(&self, e: Expression, side: &Side, base: SymbolId) -> Expression {
        if side.base.as_constant() == Some(0) {
            return e;
        }
        let [index, first] = [&e, &side.first].map(|e| polynomial::of_variables(e, self.unit));
        let difference = index
            .zip(first)
            .and_then(|(index, first)| index.minus(&first));
        let simple = difference.and_then(|p| self.variable_and_number(&p, e.ty.ty, e.span));
        simple.unwrap_or_else(|| self.offset(e, base))
    }

    /// `3`, `k` or `k + 3`, where a polynomial is no more.
    fn variable_and_number(&self, p: &Polynomial, ty: TypeId, span: Span) -> Option<Expression> {
        let mut variable = None;
        let mut number = 0;
        for (terms, factor) in p.terms() {
            match terms {
                [] => number = factor,
                [Term::Invariant(symbol)] if factor == 1 && variable.is_none() => {
                    variable = Some(synthesis::symbol(self.unit, *symbol, span));
                }
                _ => return None,
            }
        }
        let far = synthesis::integer(number.abs(), ty, span);
        let operator = match number < 0 {
            true => BinaryOperator::Subtract,
            false => BinaryOperator::Add,
        };
        Some(match variable {
            None if number < 0 => return None,
            None => far,
            Some(variable) if number == 0 => variable,
            Some(variable) => synthesis::binary(operator, variable, far, ty),
        })
    }

    /// `e - base`, at the width of the base's type.
    fn offset(&self, e: Expression, base: SymbolId) -> Expression {
        let base = synthesis::symbol(self.unit, base, e.span);
        let types = &self.unit.types;
        let ty = base.ty.ty;
        let is_narrow = types.size(e.ty.ty) > types.size(ty)
            && matches!(types.get(ty), Type::Integer(kind) if !kind.is_signed());
        let e = if is_narrow { synthesis::cast(e, ty) } else { e };
        let ty = match types.size(e.ty.ty) > types.size(ty) {
            true => e.ty.ty,
            false => ty,
        };
        synthesis::binary(BinaryOperator::Subtract, e, base, ty)
    }

    /// The subscripts of a slot: one a dimension, or of a window with extents
    /// that are not known one in all.
    pub(super) fn linear(&mut self, sides: &[Side], slots: Vec<Expression>) -> Vec<Expression> {
        if sides.iter().all(|side| side.extent.known().is_some()) {
            return slots;
        }
        let int = synthesis::int(self.unit);
        let mut result: Option<Expression> = None;
        for (side, slot) in sides.iter().zip(slots) {
            let Some(sum) = result else {
                result = Some(slot);
                continue;
            };
            let extent = match &side.extent {
                WindowExtent::Constant(n) => synthesis::integer(i128::from(*n), int, slot.span),
                WindowExtent::Launch(symbol, _) => synthesis::symbol(self.unit, *symbol, slot.span),
            };
            let ty = sum.ty.ty;
            let product = synthesis::binary(BinaryOperator::Multiply, sum, extent, ty);
            result = Some(synthesis::binary(BinaryOperator::Add, product, slot, ty));
        }
        result.into_iter().collect()
    }

    /// `array[i][j]` of an array that is a variable.
    pub(super) fn subscripted(
        &mut self,
        array: SymbolId,
        indices: Vec<Expression>,
        span: Span,
    ) -> Expression {
        let array = synthesis::symbol(self.unit, array, span);
        (indices.into_iter()).fold(array, |e, index| synthesis::element(self.unit, e, index))
    }
}

/// An implicit conversion.
pub(super) fn converted(conversion: Conversion, e: Expression, ty: TypeId) -> Expression {
    let span = e.span;
    ExpressionKind::Convert(conversion, Box::new(e)).at(ty, span)
}
