//! `if` around a barrier.

use super::segments::Segments;
use super::{Frame, Splitter};
use crate::ir::numbered::Numbered;
use crate::ir::{Statement, StatementKind};
use crate::typed::{Expression, SymbolId};

impl Splitter<'_, '_> {
    /// A plain `if` where all threads agree; otherwise the branches one after
    /// the other under masks of their own.
    pub fn branch(
        &mut self,
        numbered: &Numbered,
        condition: &Expression,
        out: &mut Segments,
    ) -> bool {
        let statement = numbered.statement;
        let mut branches = numbered.blocks.iter();
        let (then, otherwise) = (
            branches.next().map_or(&[][..], Vec::as_slice),
            branches.next(),
        );
        if self.is_common(condition) {
            let (then, then_leaves) = self.list(then);
            let (otherwise, leaves) = otherwise.map(|list| self.list(list)).unzip();
            let leaves = then_leaves || leaves == Some(true);
            let kind = StatementKind::If(condition.clone(), then, otherwise);
            out.common(kind.at(statement.span));
            return leaves;
        }
        let taken = self.names.mask("taken");
        let value = match self.mask() {
            Some(mask) => self.names.and(mask, condition.clone()),
            None => condition.clone(),
        };
        out.common(self.names.declare(taken, value));
        let mut leaves = self.arm(taken, then, statement, out);
        if let Some(otherwise) = otherwise.filter(|list| !list.is_empty()) {
            let others = self.names.mask("others");
            let value = self.names.but_not(self.mask(), taken);
            out.common(self.names.declare(others, value));
            leaves |= self.arm(others, otherwise, statement, out);
        }
        leaves
    }

    fn arm(
        &mut self,
        mask: SymbolId,
        list: &[Numbered],
        statement: &Statement,
        out: &mut Segments,
    ) -> bool {
        let around = self.context;
        self.new_context();
        self.frames.push(Frame {
            mask: Some(mask),
            target: None,
        });
        let (list, leaves) = self.list(list);
        self.frames.pop();
        self.context = around;
        self.place(list, statement, out);
        leaves
    }

    /// Adds the parts of something that was split: in braces where their
    /// declarations would meet others of the same name.
    pub fn place(&self, list: Vec<Statement>, statement: &Statement, out: &mut Segments) {
        if self.declares_again(&list) {
            out.common(StatementKind::Block(list).at(statement.span));
        } else {
            list.into_iter().for_each(|s| out.common(s));
        }
    }
}
