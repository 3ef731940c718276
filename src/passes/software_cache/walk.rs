//! Walks a kernel down to its regions, and knows at each place what the
//! threads of a block have in common.

use super::Pass;
use crate::analysis::block_affine::Frame;
use crate::ir::{Loop, Statement, StatementKind};
use crate::typed::{Expression, ExpressionKind, Initializer};

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
        if let StatementKind::Windows(region) = statement.kind {
            return self.region(*region, statement.span, frame, repeats, out);
        }
        note_definitions(&statement, frame);
        match &mut statement.kind {
            StatementKind::Block(body) => {
                *body = self.list(std::mem::take(body), frame, repeats);
            }
            _ => {
                let (mut inside, again) = self.inside(&statement, frame);
                crate::ir::visit::blocks_mut(&mut statement, &mut |body| {
                    *body = self.list(std::mem::take(body), &mut inside, repeats || again);
                });
            }
        }
        out.push(statement);
    }

    /// What is known inside a statement, and whether it repeats what it holds.
    pub(super) fn inside(&self, statement: &Statement, frame: &Frame) -> (Frame, bool) {
        let mut inside = frame.clone();
        let mut repeats = true;
        match &statement.kind {
            StatementKind::If(condition, ..) => {
                inside.convergent &= frame.check_uniform(condition, self.unit).is_ok();
                repeats = false;
            }
            StatementKind::Loop(l) => self.enter(l, &mut inside),
            StatementKind::For(parts) => {
                if !inside.enter_for(parts, self.unit) {
                    inside.convergent = false;
                }
            }
            StatementKind::While(condition, _) | StatementKind::DoWhile(_, condition) => {
                inside.convergent &= frame.check_uniform(condition, self.unit).is_ok();
            }
            StatementKind::Switch(..) => {
                inside.convergent = false;
                repeats = false;
            }
            _ => repeats = false,
        }
        (inside, repeats)
    }

    fn enter(&self, l: &Loop, frame: &mut Frame) {
        let spread = l.spread.unwrap_or_default();
        match (l.tile, spread.threads.iter().position(|&used| used)) {
            (Some(tile), Some(axis)) => frame.enter_tiled(l, tile.first, axis, self.unit),
            (None, Some(_)) => frame.convergent = false,
            _ => frame.enter_loop(l, self.unit),
        }
    }
}

/// Remembers the values of locals that a statement sets.
pub(super) fn note_definitions(statement: &Statement, frame: &mut Frame) {
    match &statement.kind {
        StatementKind::Declaration(list) => {
            for declaration in list {
                if let Some(Initializer::Expression(value)) = &declaration.initializer {
                    frame.define(declaration.symbol, value);
                }
            }
        }
        StatementKind::Expression(Some(e)) => {
            if let Some((target, value)) = assignment(e)
                && let Some(symbol) = target.as_symbol()
            {
                frame.define(symbol, value);
            }
        }
        _ => {}
    }
}

fn assignment(e: &Expression) -> Option<(&Expression, &Expression)> {
    match &e.inner().kind {
        ExpressionKind::Assign(target, value) => Some((target, value)),
        _ => None,
    }
}
