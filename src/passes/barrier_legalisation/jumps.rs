//! `break` and `continue`, also out of the iteration itself.

use super::Splitter;
use super::segments::Segments;
use crate::analysis::exits::{Exits, Jump};
use crate::ir::{Statement, StatementKind};

impl Splitter<'_, '_> {
    /// A jump: as it is where all threads that run the loop's iteration take it,
    /// otherwise the masks up to the loop are cleared. Returns whether others
    /// go on.
    pub fn jump(&mut self, statement: &Statement, out: &mut Segments) -> bool {
        let breaks = matches!(statement.kind, StatementKind::Break);
        let Some(index) = self.frames.iter().rposition(|f| f.target.is_some()) else {
            out.common(statement.clone());
            return false;
        };
        let Some(target) = self.frames[index].target else {
            return false;
        };
        if breaks && target.is_tile {
            self.refuse("`break` out of a parallel loop", statement.span);
            return false;
        }
        let is_alike = target.context == self.context && !self.leaves_region(index);
        if is_alike && (breaks || target.is_plain) {
            out.common(statement.clone());
            return false;
        }
        for clear in self.clears(index, breaks) {
            out.masked(clear, self.mask());
        }
        true
    }

    /// Whether all threads that run an iteration come to a statement, so that its
    /// jumps may be plain ones.
    pub fn jumps_alike(&self, statement: &Statement) -> bool {
        let Some(index) = self.frames.iter().rposition(|f| f.target.is_some()) else {
            return true;
        };
        self.frames[index].target.is_none_or(|target| {
            let is_plain = target.is_plain || !Exits::of_statement(statement).continues();
            target.context == self.context && is_plain && !self.leaves_region(index)
        })
    }

    /// Whether a jump to the end or out of a loop, by its frame, passes by the
    /// end of a region of windows, where they are written back.
    fn leaves_region(&self, target: usize) -> bool {
        self.regions.iter().any(|around| *around > target)
    }

    /// Clears the masks from a loop inwards.
    fn clears(&self, target: usize, breaks: bool) -> Vec<Statement> {
        let live = self.frames[target].target.and_then(|t| t.live);
        let mut masks = Vec::new();
        if breaks {
            masks.extend(live);
        }
        masks.extend(
            self.frames[target..]
                .iter()
                .filter_map(|frame| frame.mask)
                .filter(|&mask| Some(mask) != live),
        );
        let clear = |mask| self.names.assign(mask, self.names.truth(false));
        masks.into_iter().map(clear).collect()
    }

    /// A statement without a barrier from which some threads jump: it is run
    /// under the mask, and the jumps clear it.
    pub fn soften(&mut self, statement: &Statement, out: &mut Segments) -> bool {
        let mask = self.mask();
        for softened in self.soft(statement, false) {
            out.masked(softened, mask.clone());
        }
        true
    }

    fn soft(&mut self, statement: &Statement, in_switch: bool) -> Vec<Statement> {
        let kind = match &statement.kind {
            StatementKind::Break if in_switch => StatementKind::Break,
            StatementKind::Break | StatementKind::Continue => {
                return self.soft_jump(statement, in_switch);
            }
            _ if !leaves(statement) => statement.kind.clone(),
            StatementKind::Block(body) => StatementKind::Block(self.soft_list(body, in_switch)),
            StatementKind::If(condition, then, otherwise) => StatementKind::If(
                condition.clone(),
                self.soft_list(then, in_switch),
                otherwise
                    .as_ref()
                    .map(|list| self.soft_list(list, in_switch)),
            ),
            StatementKind::Switch(value, body) => {
                StatementKind::Switch(value.clone(), self.soft_list(body, true))
            }
            _ => {
                self.refuse("`goto` or `return` around a barrier", statement.span);
                return Vec::new();
            }
        };
        vec![kind.at(statement.span)]
    }

    fn soft_jump(&mut self, statement: &Statement, in_switch: bool) -> Vec<Statement> {
        let breaks = matches!(statement.kind, StatementKind::Break);
        let Some(index) = self.frames.iter().rposition(|f| f.target.is_some()) else {
            return vec![statement.clone()];
        };
        if breaks && self.frames[index].target.is_some_and(|t| t.is_tile) {
            self.refuse("`break` out of a parallel loop", statement.span);
        }
        let mut list = self.clears(index, breaks);
        if in_switch {
            list.push(StatementKind::Break.at(statement.span));
        }
        list
    }

    /// What follows a jump is for the threads that did not take it.
    fn soft_list(&mut self, list: &[Statement], in_switch: bool) -> Vec<Statement> {
        let mut out = Vec::new();
        for (index, statement) in list.iter().enumerate() {
            let jumps = leaves(statement);
            out.extend(self.soft(statement, in_switch));
            let rest = &list[index + 1..];
            let is_jump = matches!(
                statement.kind,
                StatementKind::Break | StatementKind::Continue
            );
            if is_jump && !in_switch {
                break;
            }
            if jumps && !in_switch && !rest.is_empty() {
                let rest = self.soft_list(rest, in_switch);
                if let (Some(mask), Some(first)) = (self.mask(), rest.first()) {
                    let span = first.span;
                    out.push(StatementKind::If(mask, rest, None).at(span));
                }
                break;
            }
        }
        out
    }
}

/// Whether a jump in a statement leaves it; `goto` does not do so around barriers.
pub fn leaves(statement: &Statement) -> bool {
    Exits::of_statement(statement)
        .any(|jump| matches!(jump, Jump::Break | Jump::Continue | Jump::Return))
}
