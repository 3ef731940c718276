//! Which slots go back to the array, and how that is known.
//!
//! Where every thread writes its own pivot, no other thread's, each thread writes
//! its own slot back; where it may not write it, a variable of its own says
//! whether it did. Otherwise a byte for each slot says so, and the block
//! writes the slots back together.

use super::Pass;
use super::region::Held;
use crate::ir::{Statement, StatementKind, WindowMarks, WrittenPart, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, ExpressionKind, SymbolId, Type};

impl Pass<'_> {
    /// Decides on the marks of each window, and turns the statements that set
    /// marks of slots into what was decided.
    pub(super) fn settle_marks(
        &mut self,
        held: &[Held],
        parts: &[Option<WrittenPart>],
        body: &mut Vec<Statement>,
    ) -> Vec<WindowMarks> {
        let mut decided = Vec::new();
        for (window, part) in held.iter().zip(parts) {
            let Some(slots) = window.marks else {
                decided.push(WindowMarks::None);
                continue;
            };
            decided.push(if !self.is_one_slot_a_thread(window) {
                match part {
                    Some(_) => {
                        remove_marks(body, slots);
                        WindowMarks::Part
                    }
                    None => WindowMarks::Slots(slots),
                }
            } else if window.writes_always {
                remove_marks(body, slots);
                WindowMarks::Always
            } else {
                let flag = self.flag(window);
                self.use_flag(body, slots, flag);
                WindowMarks::Flag(flag)
            });
        }
        decided
    }

    /// Whether each slot that is written is one thread's own, and neighbours
    /// in the window are neighbours along x.
    fn is_one_slot_a_thread(&self, held: &Held) -> bool {
        use crate::ir::BlockExtent;
        let block = self.kernel.block.as_ref();
        let is_used = |axis: usize| {
            let extent = block.and_then(|block| block.get(axis));
            !matches!(extent, Some(BlockExtent::Constant(1)))
        };
        let axes: Vec<_> = held.sides.iter().map(|side| side.lone_axis).collect();
        let covered = (0..3).all(|axis| !is_used(axis) || axes.contains(&Some(axis)));
        let coalesced = !is_used(0) || axes.last() == Some(&Some(0));
        held.writes_own && covered && coalesced
    }

    fn flag(&mut self, held: &Held) -> SymbolId {
        let bool = self.unit.types.intern(Type::Bool);
        let name = format!("{}_written", self.unit.symbol(held.window.array).name);
        self.variable(&name, bool)
    }

    fn use_flag(&mut self, body: &mut [Statement], slots: SymbolId, flag: SymbolId) {
        visit::walk_mut(body, &mut |statement| {
            if let StatementKind::Expression(Some(e)) = &mut statement.kind
                && marks(e, slots)
            {
                let target = synthesis::symbol(self.unit, flag, e.span);
                let value = synthesis::integer(1, target.ty.ty, e.span);
                *e = synthesis::assign(target, value);
            }
        });
    }

    /// The flags of a region, not set yet.
    pub(super) fn flags(&self, marks: &[WindowMarks], span: Span) -> Vec<Statement> {
        let declare = |marks: &WindowMarks| match *marks {
            WindowMarks::Flag(flag) => {
                let value = synthesis::integer(0, self.unit.symbol(flag).ty.ty, span);
                Some(Statement::declare(flag, Some(value), span))
            }
            _ => None,
        };
        marks.iter().filter_map(declare).collect()
    }

    /// Statements in which threads write their own slots back.
    pub(super) fn own_write_backs(
        &mut self,
        held: &[Held],
        marks: &[WindowMarks],
        span: Span,
    ) -> Vec<Statement> {
        let mut out = Vec::new();
        for (window, marks) in held.iter().zip(marks) {
            let flag = match marks {
                WindowMarks::Always => None,
                WindowMarks::Flag(flag) => Some(synthesis::symbol(self.unit, *flag, span)),
                _ => continue,
            };
            let store = StatementKind::Expression(Some(self.own_write_back(window, span)));
            let store = store.at(span);
            out.push(match flag {
                None => store,
                Some(flag) => StatementKind::If(flag, vec![store], None).at(span),
            });
        }
        out
    }

    /// `a[i] = a_window[i - a_base]`.
    fn own_write_back(&mut self, held: &Held, span: Span) -> Expression {
        let dimensions = held.window.dimensions.iter();
        let pivots: Vec<Expression> = dimensions.map(|d| d.pivot.clone()).collect();
        let slots = self.own_slots(held);
        let slots = self.linear(&held.sides, slots);
        let target = self.subscripted(held.window.array, pivots, span);
        let mut value = self.subscripted(held.storage, slots, span);
        value.ty.qualifiers = crate::typed::Qualifiers::default();
        synthesis::assign(target, value)
    }
}

/// Whether an expression marks a slot.
fn marks(e: &Expression, slots: SymbolId) -> bool {
    let ExpressionKind::Assign(target, _) = &e.kind else {
        return false;
    };
    let mut target = &**target;
    while let ExpressionKind::Index(base, _) = &target.kind {
        target = base.inner();
    }
    target.as_symbol() == Some(slots)
}

fn remove_marks(body: &mut Vec<Statement>, slots: SymbolId) {
    let is_mark = |statement: &Statement| matches!(&statement.kind, StatementKind::Expression(Some(e)) if marks(e, slots));
    visit::lists_mut(body, &mut |list| list.retain(|s| !is_mark(s)));
}
