//! Windows that may not change the result.
//!
//! An access that is proved inside is one to the window; one that may be
//! elsewhere chooses when it runs; a write goes to the array as well:
//!
//! ```text
//! b[i] = a[i] + a[k[i]];
//! b[i] = a_window[i - a_base]
//!     + ((unsigned)(k[i] - a_base) < 66 ? a_window[k[i] - a_base] : a[k[i]]);
//! ```

use super::access::{self, Write};
use super::body::{Position, Rewriter};
use super::region::Held;
use super::{Pass, refusal};
use crate::analysis::block_affine::{Defeat, Frame};
use crate::analysis::effects::{Oracle, Place};
use crate::analysis::polynomial::Polynomial;
use crate::analysis::scope::Scope;
use crate::ir::{BlockExtent, Statement, StatementKind, Window, WindowExtent, WindowProof, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::visit::operands;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, QualType, SymbolId, Type, TypeId,
};

/// Such a block may turn out too large; it is cut then, and windows of it with
/// it.
fn is_sized_at_launch(extent: &BlockExtent) -> bool {
    matches!(extent, BlockExtent::Expression(_))
}

impl Pass<'_> {
    /// Why a window that may not change the result cannot be: the array is
    /// used in a way that the window would not see.
    pub(super) fn obstacle(
        &self,
        window: &Window,
        body: &[Statement],
        frame: &Frame,
    ) -> Option<Defeat> {
        if self.kernel.block.iter().flatten().any(is_sized_at_launch) {
            return Some(Defeat {
                span: window.span,
                reason: "the block's size is known at the launch only".into(),
            });
        }
        let oracle = Oracle::new(self.unit, self.functions);
        let array = self.place(window.array);
        let scope = &frame.facts.scope;
        let mut writes = oracle.list(body).writes.into_iter();
        let is_hidden = if self.is_behind_pointers(window.array) {
            // Rows may overlap, so that even the array's own elements are other names.
            writes.any(|place| self.may_be_row(place, scope))
        } else {
            writes.any(|place| place != array && scope.may_alias(place, array))
        };
        if is_hidden {
            return Some(Defeat {
                span: window.span,
                reason: "it may be written through another name".into(),
            });
        }
        let mut found = None;
        visit::walk(body, &mut |s| {
            visit::own_expressions(s, &mut |e| {
                let is_statement = matches!(s.kind, StatementKind::Expression(_));
                found = found
                    .take()
                    .or_else(|| self.hidden(window, e, is_statement));
            });
        });
        found
    }

    /// A use that no element of the window can stand for.
    fn hidden(&self, window: &Window, e: &Expression, is_statement: bool) -> Option<Defeat> {
        let defeat = |reason: &str| {
            Some(Defeat {
                span: e.span,
                reason: reason.into(),
            })
        };
        if let Some((symbol, indices)) = access::element(e, self.unit) {
            if symbol == window.array && indices.len() != window.dimensions.len() {
                return defeat("it is used as a whole");
            }
            let mut found = None;
            for index in indices.iter().flatten() {
                found = found.or_else(|| self.hidden(window, index, false));
            }
            return found;
        }
        let is_array = |e: &Expression| {
            access::element(access::root(e), self.unit).is_some_and(|(s, _)| s == window.array)
        };
        match &e.kind {
            ExpressionKind::Unary(crate::typed::UnaryOperator::AddressOf, inner)
                if is_array(inner) =>
            {
                return defeat("its address is taken");
            }
            ExpressionKind::Statement(_) if e.mentions(window.array) => {
                return defeat("it is used in a statement within an expression");
            }
            _ => {}
        }
        if !is_statement && Write::of(e).is_some_and(|write| is_array(write.target())) {
            return defeat("it is written within a larger expression");
        }
        let mut found = None;
        operands(e, &mut |operand| {
            found = found.take().or_else(|| self.hidden(window, operand, false));
        });
        found
    }

    fn place(&self, array: SymbolId) -> Place {
        match self.unit.types.get(self.unit.symbol(array).ty.ty) {
            Type::Array { .. } => Place::Variable(array),
            _ => Place::Target(array),
        }
    }

    /// Whether the block may have written an array in memory when a window of
    /// it is filled.
    pub(super) fn is_stale(&self, held: &Held, frame: &Frame) -> bool {
        let array = self.place(held.window.array);
        let is_row = self.is_behind_pointers(held.window.array);
        let is_selected = held.window.proof == WindowProof::Selected;
        if is_selected && !is_row {
            return !frame.facts.is_constant(array);
        }
        let mut writes = Vec::new();
        self.writes_outside(&self.kernel.body, is_selected, &mut writes);
        let scope = &frame.facts.scope;
        writes
            .into_iter()
            .any(|place| scope.may_alias(place, array) || is_row && self.may_be_row(place, scope))
    }

    fn is_behind_pointers(&self, array: SymbolId) -> bool {
        let mut ty = self.unit.symbol(array).ty.ty;
        while let Some(element) = self.unit.types.pointee(ty) {
            ty = element.ty;
            if matches!(self.unit.types.get(ty), Type::Pointer(_)) {
                return true;
            }
        }
        false
    }

    /// Whether a place may be in memory that pointers in memory lead to. What
    /// a `restrict` pointer points to is reached by it alone.
    fn may_be_row(&self, place: Place, scope: &Scope) -> bool {
        match place {
            Place::Target(pointer) => !scope.restricted.contains(&pointer),
            _ => !scope.is_private(place),
        }
    }

    /// What statements outside regions write, and `all` others.
    fn writes_outside(&self, list: &[Statement], all: bool, found: &mut Vec<Place>) {
        let oracle = Oracle::new(self.unit, self.functions);
        for statement in list {
            if matches!(statement.kind, StatementKind::Windows(_)) && !all {
                continue;
            }
            visit::own_expressions(statement, &mut |e| {
                found.extend(oracle.expression(e).writes);
            });
            visit::blocks(statement, &mut |inner| {
                self.writes_outside(inner, all, found)
            });
        }
    }

    /// Says that there is no such window.
    pub(super) fn give_up(&mut self, window: &Window, defeat: Defeat) {
        if self.feedback {
            let note = refusal::given_up(window, defeat).data("kernel", self.number);
            self.diagnostics.push(note);
        }
    }
}

impl Rewriter<'_, '_> {
    /// Whether a window may not change the result.
    pub(super) fn is_selected(&self, index: usize) -> bool {
        self.held[index].window.proof == WindowProof::Selected
    }

    /// A read of an element of which these windows may hold a copy.
    pub(super) fn selected(
        &mut self,
        candidates: &[usize],
        indices: Vec<Expression>,
        span: Span,
        frame: &mut Frame,
    ) -> Expression {
        let mut unknown = None;
        for &index in candidates {
            match self.position(index, &indices, frame) {
                Position::Inside => return self.slot(index, indices, span, frame),
                Position::Unknown if !self.is_outside(index, &indices, frame) => {
                    unknown = unknown.or(Some(index));
                }
                Position::Unknown | Position::Outside(..) => {}
            }
        }
        let oracle = Oracle::new(self.pass.unit, self.pass.functions);
        let is_pure = indices.iter().all(|e| oracle.expression(e).is_pure());
        match unknown {
            Some(index) if self.pass.trusts => self.slot(index, indices, span, frame),
            Some(index) if is_pure => {
                let condition = self.is_within(index, &indices, frame);
                let inside = self.slot(index, indices.clone(), span, frame);
                let outside = self.in_array(index, indices, span, frame);
                let ty = QualType::plain(inside.ty.ty);
                let (condition, inside) = (Box::new(condition), Some(Box::new(inside)));
                let kind = ExpressionKind::Conditional(condition, inside, Box::new(outside));
                synthesis::parenthesized(Expression { kind, ty, span })
            }
            _ => self.in_array(candidates[0], indices, span, frame),
        }
    }

    /// Whether an access is proved to miss a window in one dimension, in
    /// whatever way its index comes about. Loops that go on behind the window
    /// are such:
    ///
    /// ```text
    /// for (int i = k + 1; i < n; i++)
    ///     #pragma acc cache(a[k:1][j:1])      // the row k
    ///     a[i][j] -= a[k][j];                 // another row
    /// ```
    fn is_outside(&self, index: usize, indices: &[Expression], frame: &mut Frame) -> bool {
        let unit = &*self.pass.unit;
        let mut sides = self.held[index].sides.iter().zip(indices);
        sides.any(|(side, e)| {
            let cases = frame.cases(e, unit);
            let all = |distance: &dyn Fn(&Polynomial) -> Option<Polynomial>| {
                cases.iter().all(|case| {
                    let goal = distance(&case.value);
                    goal.is_some_and(|goal| frame.is_proved(&goal, &case.facts, unit))
                })
            };
            let before =
                |value: &Polynomial| side.base.minus(value)?.minus(&Polynomial::constant(1));
            let behind = |value: &Polynomial| value.minus(&side.base)?.minus(&side.size);
            all(&before) || all(&behind)
        })
    }

    /// The element in the array itself.
    fn in_array(
        &mut self,
        index: usize,
        indices: Vec<Expression>,
        span: Span,
        frame: &mut Frame,
    ) -> Expression {
        let array = self.held[index].window.array;
        let mut indices = indices;
        for e in &mut indices {
            self.expression(e, frame);
        }
        self.pass.subscripted(array, indices, span)
    }

    /// Whether indices are in a window, where that is not proved.
    fn is_within(&mut self, index: usize, indices: &[Expression], frame: &mut Frame) -> Expression {
        let slots = self.offsets(index, indices.to_vec(), frame);
        let int = synthesis::int(self.pass.unit);
        let mut result: Option<Expression> = None;
        for (depth, slot) in slots.into_iter().enumerate() {
            if self.is_inside(&self.held[index].sides[depth], &indices[depth], frame) {
                continue;
            }
            let unsigned = self.unsigned(slot.ty.ty);
            let extent = match &self.held[index].sides[depth].extent {
                WindowExtent::Constant(n) => {
                    synthesis::integer(i128::from(*n), unsigned, slot.span)
                }
                WindowExtent::Launch(symbol, _) => cast(
                    synthesis::symbol(self.pass.unit, *symbol, slot.span),
                    unsigned,
                ),
            };
            let slot = cast(slot, unsigned);
            let test = synthesis::binary(BinaryOperator::Less, slot, extent, int);
            result = Some(match result {
                None => test,
                Some(all) => synthesis::binary(BinaryOperator::LogicalAnd, all, test, int),
            });
        }
        let span = indices.first().map_or(Span::default(), |e| e.span);
        result.unwrap_or_else(|| synthesis::integer(1, int, span))
    }

    fn unsigned(&mut self, ty: TypeId) -> TypeId {
        let types = &mut self.pass.unit.types;
        let kind = match types.size(ty) {
            Some(8) => IntegerKind::UnsignedLong,
            _ => IntegerKind::UnsignedInt,
        };
        types.intern(Type::Integer(kind))
    }

    /// A statement that writes an element: to the array, and to each window of
    /// it that the element is in.
    pub(super) fn selected_write(
        &mut self,
        e: &Expression,
        index: usize,
        span: Span,
        frame: &mut Frame,
        out: &mut Vec<Statement>,
    ) {
        let Some(write) = Write::of(e) else { return };
        let root = access::root(write.target());
        let indices = self.indices(root);
        let array = self.held[index].window.array;
        let mut copies = Vec::new();
        for other in 0..self.held.len() {
            if self.held[other].window.array != array || !self.is_selected(other) {
                continue;
            }
            if let Some(condition) = self.may_be_within(other, &indices, frame) {
                let slot = self.slot(other, indices.clone(), span, frame);
                copies.push((condition, slot));
            }
        }
        let outside = self.in_array(index, indices, span, frame);
        let mut target = write.target().clone();
        self.replace_root(&mut target, &outside, frame);
        let value = self.value(&write, &target, frame);
        let name = self.array_name(index);
        let value = self.register(&format!("{name}_value"), value, frame, out);
        for (condition, slot) in copies {
            let mut copy = write.target().clone();
            self.replace_root(&mut copy, &slot, frame);
            let store = synthesis::assign(copy, value.clone());
            let store = StatementKind::Expression(Some(store)).at(span);
            out.push(match condition {
                Some(condition) => StatementKind::If(condition, vec![store], None).at(span),
                None => store,
            });
        }
        let store = synthesis::assign(target, value);
        out.push(StatementKind::Expression(Some(store)).at(span));
    }

    /// Whether a window may have an element: with the condition for it, where
    /// neither is proved.
    fn may_be_within(
        &mut self,
        index: usize,
        indices: &[Expression],
        frame: &mut Frame,
    ) -> Option<Option<Expression>> {
        match self.position(index, indices, frame) {
            Position::Inside => Some(None),
            Position::Outside(..) => None,
            Position::Unknown if self.is_outside(index, indices, frame) => None,
            Position::Unknown if self.pass.trusts => Some(None),
            Position::Unknown => Some(Some(self.is_within(index, indices, frame))),
        }
    }

    /// The name of a window's array.
    pub(super) fn array_name(&self, index: usize) -> String {
        let held: &Held = &self.held[index];
        self.pass.unit.symbol(held.window.array).name.clone()
    }
}

fn cast(e: Expression, ty: TypeId) -> Expression {
    Expression {
        span: e.span,
        kind: ExpressionKind::Cast(Box::new(synthesis::parenthesized(e))),
        ty: QualType::plain(ty),
    }
}
