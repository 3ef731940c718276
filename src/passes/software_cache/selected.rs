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
use super::body::{Position, Rewriter, is_inside};
use super::region::Held;
use super::{Pass, refusal};
use crate::analysis::block_affine::Defeat;
use crate::analysis::effects::Place;
use crate::analysis::flow;
use crate::analysis::polynomial::Polynomial;
use crate::ir::{BlockExtent, Statement, StatementKind, Window, WindowExtent, WindowProof, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::visit::operands;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, SymbolId, Type, TypeId,
};

/// Such a block may turn out too large; it is cut then, and windows of it with
/// it.
fn is_sized_at_launch(extent: &BlockExtent) -> bool {
    matches!(extent, BlockExtent::Expression(_))
}

impl Pass<'_> {
    /// Why a window that may not change the result cannot be: the array is
    /// used in a way that the window would not see.
    pub(super) fn obstacle(&self, window: &Window, body: &[Statement]) -> Option<Defeat> {
        let defeat = |reason: &str| {
            Some(Defeat {
                span: window.span,
                reason: reason.into(),
            })
        };
        if self.kernel.block.iter().flatten().any(is_sized_at_launch) {
            return defeat("the block's size is known at the launch only");
        }
        let array = self.place(window.array);
        let scope = &self.frame.facts.scope;
        let mut writes = self.oracle.list(body).writes.into_iter();
        let is_hidden = if self.is_behind_pointers(window.array) {
            // Rows may overlap, so that even the array's own elements are other names.
            writes.any(|place| self.may_be_row(place))
        } else {
            writes.any(|place| {
                place != array && scope.may_alias(place, array) && self.may_be_pointed_to(place)
            })
        };
        if is_hidden {
            return defeat("it may be written through another name");
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

    /// Whether a pointer may lead to it: to no scalar of the function whose address it never takes.
    fn may_be_pointed_to(&self, place: Place) -> bool {
        let Place::Variable(symbol) = place else {
            return true;
        };
        let variable = self.unit.symbol(symbol);
        !variable.is_automatic()
            || !self.unit.types.is_arithmetic(variable.ty.ty)
            || flow::is_address_taken(self.unit, self.kernel.function, symbol)
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

    /// The memory of an array with a window.
    pub(super) fn place(&self, array: SymbolId) -> Place {
        match self.unit.is_array(array) {
            true => Place::Variable(array),
            false => Place::Target(array),
        }
    }

    /// Whether the block may have written an array in memory when a window of
    /// it is filled.
    pub(super) fn is_stale(&self, held: &Held) -> bool {
        let array = self.place(held.window.array);
        let is_row = self.is_behind_pointers(held.window.array);
        let is_selected = held.window.proof != WindowProof::Trusted;
        if is_selected && !is_row {
            return !self.frame.facts.is_constant(array);
        }
        let mut writes = Vec::new();
        self.writes_outside(&self.kernel.body, is_selected, &mut writes);
        let scope = &self.frame.facts.scope;
        let mut writes = writes.into_iter();
        writes.any(|place| scope.may_alias(place, array) || is_row && self.may_be_row(place))
    }

    /// Whether statements before a window's region may write its array.
    pub(super) fn is_written_before(&self, held: &Held) -> bool {
        let array = self.place(held.window.array);
        let is_row = self.is_behind_pointers(held.window.array);
        let scope = &self.frame.facts.scope;
        let mut writes = Vec::new();
        self.writes_before(&self.kernel.body, &held.window, &mut writes);
        let mut writes = writes.into_iter();
        writes.any(|place| scope.may_alias(place, array) || is_row && self.may_be_row(place))
    }

    /// What statements before a window's region write; whether the region is in the list.
    fn writes_before(&self, list: &[Statement], window: &Window, found: &mut Vec<Place>) -> bool {
        list.iter().any(|statement| {
            if let StatementKind::Windows(region) = &statement.kind {
                let mut windows = region.windows.iter();
                if windows.any(|other| other.span == window.span && other.array == window.array) {
                    return true;
                }
            }
            visit::own_expressions(statement, &mut |e| {
                found.extend(self.oracle.expression(e).writes);
            });
            let mut is_inside = false;
            visit::blocks(statement, &mut |inner| {
                is_inside = is_inside || self.writes_before(inner, window, found);
            });
            is_inside
        })
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
    fn may_be_row(&self, place: Place) -> bool {
        let scope = &self.frame.facts.scope;
        match place {
            Place::Target(pointer) => !scope.restricted.contains(&pointer),
            _ => !scope.is_private(place),
        }
    }

    /// What statements outside regions write, and `all` others.
    fn writes_outside(&self, list: &[Statement], all: bool, found: &mut Vec<Place>) {
        for statement in list {
            if matches!(statement.kind, StatementKind::Windows(_)) && !all {
                continue;
            }
            visit::own_expressions(statement, &mut |e| {
                found.extend(self.oracle.expression(e).writes);
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
        self.held[index].window.proof != WindowProof::Trusted
    }

    /// Whether such a window is the program's.
    fn is_requested(&self, index: usize) -> bool {
        self.held[index].window.proof == WindowProof::Selected
    }

    /// Whether accesses are inside because the program says so.
    fn trusts(&self, index: usize) -> bool {
        self.pass.trusts && self.is_requested(index)
    }

    /// A read of an element of which these windows may hold a copy.
    pub(super) fn selected(
        &mut self,
        candidates: &[usize],
        indices: Vec<Expression>,
        span: Span,
    ) -> Expression {
        let mut unknown = None;
        for &index in candidates {
            match self.position(index, &indices) {
                Position::Inside => return self.slot(index, indices, span),
                Position::Unknown if !self.is_outside(index, &indices) => {
                    unknown = unknown.or(Some(index));
                }
                Position::Unknown | Position::Outside(..) => {}
            }
        }
        let oracle = self.pass.oracle;
        let is_pure = indices.iter().all(|e| oracle.expression(e).is_pure());
        match unknown {
            Some(index) if self.trusts(index) => self.slot(index, indices, span),
            Some(index) if is_pure && self.is_requested(index) => {
                let condition = self.is_within(index, &indices);
                let inside = self.slot(index, indices.clone(), span);
                let outside = self.in_array(index, indices, span);
                let chosen = synthesis::conditional(condition, inside, outside, span);
                synthesis::parenthesized(chosen)
            }
            _ => self.in_array(candidates[0], indices, span),
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
    fn is_outside(&mut self, index: usize, indices: &[Expression]) -> bool {
        let frame = &mut self.pass.frame;
        let mut sides = self.held[index].sides.iter().zip(indices);
        sides.any(|(side, e)| {
            let cases = frame.cases(e);
            let all = |distance: &dyn Fn(&Polynomial) -> Option<Polynomial>| {
                cases.iter().all(|case| {
                    let goal = distance(&case.value);
                    goal.is_some_and(|goal| frame.is_proved(&goal, &case.facts))
                })
            };
            let before = |value: &Polynomial| side.base.minus(value)?.moved(-1);
            let behind = |value: &Polynomial| value.minus(&side.base)?.minus(&side.size);
            all(&before) || all(&behind)
        })
    }

    /// The element in the array itself.
    fn in_array(&mut self, index: usize, mut indices: Vec<Expression>, span: Span) -> Expression {
        let array = self.held[index].window.array;
        indices.iter_mut().for_each(|e| self.expression(e));
        self.pass.subscripted(array, indices, span)
    }

    /// Whether indices are in a window, where that is not proved.
    fn is_within(&mut self, index: usize, indices: &[Expression]) -> Expression {
        let slots = self.offsets(index, indices.to_vec(), false);
        let int = synthesis::int(self.pass.unit);
        let mut result: Option<Expression> = None;
        for (depth, slot) in slots.into_iter().enumerate() {
            let side = &self.held[index].sides[depth];
            if is_inside(side, &indices[depth], &mut self.pass.frame) {
                continue;
            }
            let unsigned = self.unsigned(slot.ty.ty);
            let extent = match &side.extent {
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

    fn unsigned(&self, ty: TypeId) -> TypeId {
        let types = &self.pass.unit.types;
        let kind = match types.size(ty) {
            Some(8) => IntegerKind::UnsignedLong,
            _ => IntegerKind::UnsignedInt,
        };
        types.intern(Type::Integer(kind))
    }

    /// A statement that writes an element: to the array, and to each window of
    /// it that the element is in.
    pub(super) fn selected_write(&mut self, write: &Write<'_>, index: usize, span: Span) {
        let indices = self.indices(access::root(write.target()));
        let array = self.held[index].window.array;
        let mut copies = Vec::new();
        for other in 0..self.held.len() {
            if self.held[other].window.array != array || !self.is_selected(other) {
                continue;
            }
            if let Some(condition) = self.may_be_within(other, &indices) {
                let slot = self.slot(other, indices.clone(), span);
                copies.push((condition, slot));
            }
        }
        let outside = self.in_array(index, indices, span);
        let target = self.with_root(write.target(), &outside);
        // A window that has the element has its old value, too.
        let slot = copies.iter().find(|(condition, _)| condition.is_none());
        let old = slot.map(|(_, slot)| slot.clone());
        let old = old.map_or_else(
            || target.clone(),
            |slot| self.with_root(write.target(), &slot),
        );
        let value = self.value(write, &old);
        let value = self.register(&format!("{}_value", self.array_name(index)), value);
        for (condition, slot) in copies {
            let copy = self.with_root(write.target(), &slot);
            let store = Statement::assign(copy, value.clone(), span);
            self.out.push(match condition {
                Some(condition) => StatementKind::If(condition, vec![store], None).at(span),
                None => store,
            });
        }
        self.out.push(Statement::assign(target, value, span));
    }

    /// Whether a window may have an element: with the condition for it, where
    /// neither is proved.
    fn may_be_within(
        &mut self,
        index: usize,
        indices: &[Expression],
    ) -> Option<Option<Expression>> {
        match self.position(index, indices) {
            Position::Inside => Some(None),
            Position::Outside(..) => None,
            Position::Unknown if self.is_outside(index, indices) => None,
            Position::Unknown if self.trusts(index) => Some(None),
            Position::Unknown => Some(Some(self.is_within(index, indices))),
        }
    }

    /// The name of a window's array.
    pub(super) fn array_name(&self, index: usize) -> String {
        let held: &Held = &self.held[index];
        self.pass.unit.symbol(held.window.array).name.clone()
    }
}

fn cast(e: Expression, ty: TypeId) -> Expression {
    let span = e.span;
    ExpressionKind::Cast(Box::new(synthesis::parenthesized(e))).at(ty, span)
}
