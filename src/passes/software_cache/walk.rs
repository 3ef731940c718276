//! Walks a kernel down to its regions, and knows at each place what the
//! threads of a block have in common.

use super::Pass;
use crate::analysis::block_affine::Frame;
use crate::ir::{Statement, StatementKind};

impl Pass<'_> {
    /// Statements with their regions opened. `repeats` says whether they may
    /// run several times in one kernel.
    pub(super) fn list(
        &mut self,
        list: Vec<Statement>,
        frame: &mut Frame,
        repeats: bool,
    ) -> Vec<Statement> {
        let mut out = Vec::with_capacity(list.len());
        for statement in list {
            self.statement(statement, frame, repeats, &mut out);
        }
        out
    }

    fn statement(
        &mut self,
        mut statement: Statement,
        frame: &mut Frame,
        repeats: bool,
        out: &mut Vec<Statement>,
    ) {
        if let StatementKind::Windows(region) = &statement.kind {
            let region = (**region).clone();
            self.region(region, statement.span, frame, repeats, out);
            return frame.pass(&statement, self.unit);
        }
        if let StatementKind::Block(body) = &mut statement.kind {
            *body = self.list(std::mem::take(body), frame, repeats);
        } else {
            let repeats = repeats || repeats_body(&statement);
            let mut inside = frame.inside(&statement, self.unit).into_iter();
            let before = statement.clone();
            crate::ir::visit::blocks_mut(&mut statement, &mut |body| {
                let mut inside = inside.next().expect("each block has a frame");
                *body = self.list(std::mem::take(body), &mut inside, repeats);
            });
            frame.pass(&before, self.unit);
        }
        out.push(statement);
    }
}

/// Whether a statement may run what it holds several times.
fn repeats_body(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Loop(_)
            | StatementKind::For(_)
            | StatementKind::While(..)
            | StatementKind::DoWhile(..)
    )
}
