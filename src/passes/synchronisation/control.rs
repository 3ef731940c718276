//! Statements that contain loops which threads share, or jumps: all threads
//! go through them together.

use indexmap::IndexSet;

use super::sequence::Output;
use super::state::{State, Who};
use super::{Synchroniser, barrier};
use crate::analysis::exits::Exits;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Level, Loop, PerLevel, PlainFor, Statement, StatementKind};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, SymbolId};

/// An iteration of a loop and the next one.
#[derive(Clone, Copy)]
struct Next<'c> {
    /// They may run in any order.
    is_independent: bool,
    /// The variables that have other values in it.
    changed: &'c IndexSet<SymbolId>,
}

impl<'c> Next<'c> {
    /// Of iterations that run in order.
    fn depends(changed: &'c IndexSet<SymbolId>) -> Self {
        Self {
            is_independent: false,
            changed,
        }
    }
}

impl Synchroniser<'_> {
    /// Rewrites a statement that all threads go through.
    pub fn structured(&mut self, statement: &Statement, out: &mut Output) {
        let span = statement.span;
        let kind = match &statement.kind {
            StatementKind::Block(body) => {
                StatementKind::Block(self.sequence(body, out.level, &mut out.state))
            }
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.agree(condition, true, out);
                let mut other = out.state.clone();
                let then = self.sequence(then, out.level, &mut out.state);
                let otherwise = otherwise
                    .as_ref()
                    .map(|body| self.sequence(body, out.level, &mut other));
                out.state.join(&other);
                StatementKind::If(condition, then, otherwise)
            }
            StatementKind::Switch(value, body) => {
                let value = self.agree(value, false, out);
                self.jumps.push(out.state.clone());
                self.entries.push(out.state.clone());
                let body = self.sequence(body, out.level, &mut out.state);
                self.entries.pop();
                out.state.join(&self.jumps.pop().unwrap_or_default());
                StatementKind::Switch(value, body)
            }
            StatementKind::Loop(l) => self.counted(l, statement, out),
            StatementKind::While(condition, body) => {
                self.conditional(condition, body, false, statement, out)
            }
            StatementKind::DoWhile(body, condition) => {
                self.conditional(condition, body, true, statement, out)
            }
            StatementKind::For(parts) => self.plain_for(parts, statement, out),
            StatementKind::Break | StatementKind::Continue => {
                for around in &mut self.jumps {
                    around.join(&out.state);
                }
                statement.kind.clone()
            }
            StatementKind::ReductionEnd(reduction, over) => {
                if out.level == Level::Block && self.facts.kernel.waits_to_reduce(reduction, *over)
                {
                    out.state = State::default();
                }
                statement.kind.clone()
            }
            StatementKind::ReductionBegin(..) | StatementKind::Goto(_) => statement.kind.clone(),
            StatementKind::Label(_) => {
                // All threads jump together, and wait for each other here,
                // wherever they come from.
                out.statements.push(statement.clone());
                out.state = State::default();
                barrier(out.level, "jumps lead here".to_owned(), span).kind
            }
            StatementKind::CollectiveCall(call) => {
                return self.collective_call(call, span, out);
            }
            StatementKind::Return(value)
                if self.collective.is_some_and(|t| t.level() == out.level) =>
            {
                return self.leave(value.as_ref(), span, out);
            }
            _ => self.irregular(statement.kind.clone(), span),
        };
        out.statements.push(kind.at(span));
    }

    fn irregular(&mut self, kind: StatementKind, span: Span) -> StatementKind {
        let PerLevel { block, row, lane } = self.facts.scope.words.levels;
        self.errors.push(
            Diagnostic::error(
                codes::IRREGULAR_CONTROL,
                format!("the threads of a {block} cannot follow this control flow together"),
                span,
            )
            .label(format!("{row} or {lane} loops stand around or inside it"))
            .help("use `if` and counted loops here"),
        );
        kind
    }

    /// A value that all threads get alike; `truth` makes it 0 or 1 where one of
    /// them decides.
    pub fn agree(&mut self, e: &Expression, truth: bool, out: &mut Output) -> Expression {
        if !self.facts.is_plain(e) {
            return self.hoist(e, truth, out);
        }
        let footprint = self.facts.footprint_of(e);
        self.wait_for(&footprint, Who::All, e.span, out);
        e.clone()
    }

    fn counted(&mut self, l: &Loop, whole: &Statement, out: &mut Output) -> StatementKind {
        let span = whole.span;
        let distribution = l.distribution.unwrap_or_default();
        if distribution.threads[0] {
            let footprint = self.facts.footprint_of_shared(whole, l);
            self.wait_for(&footprint, Who::Each, span, out);
            return whole.kind.clone();
        }
        let mut l = l.clone();
        for part in [&mut l.lower, &mut l.bound, &mut l.step] {
            *part = self.agree(part, false, out);
        }
        let changed = self.facts.changed(whole);
        l.body = if distribution.threads[1] {
            let footprint = self.facts.footprint(&self.facts.oracle.list(&l.body));
            self.wait_for(&footprint, Who::Each, span, out);
            self.iterations(&l, &changed, Level::Row, &mut State::default())
        } else {
            self.iterations(&l, &changed, out.level, &mut out.state)
        };
        StatementKind::Loop(Box::new(l))
    }

    /// The body of a counted loop. Where no thread runs a second iteration, nothing of one is
    /// under way at its start.
    fn iterations(
        &mut self,
        l: &Loop,
        changed: &IndexSet<SymbolId>,
        level: Level,
        state: &mut State,
    ) -> Vec<Statement> {
        if l.once.is_none() {
            let next = Next {
                is_independent: l.is_parallel(),
                changed,
            };
            return self.rounds(&l.body, next, level, state);
        }
        let before = state.clone();
        let body = self.round(&l.body, level, state);
        state.join(&before);
        body
    }

    /// An iteration; what is under way at its jumps is so at its end.
    fn round(&mut self, body: &[Statement], level: Level, state: &mut State) -> Vec<Statement> {
        self.jumps.push(State::default());
        let done = self.sequence(body, level, state);
        state.join(&self.jumps.pop().unwrap_or_default());
        done
    }

    /// The body of a loop: what is under way at its end, or at a jump, is
    /// under way at its start.
    fn rounds(
        &mut self,
        body: &[Statement],
        next: Next,
        level: Level,
        state: &mut State,
    ) -> Vec<Statement> {
        let mut start = state.clone();
        let used = self.used;
        loop {
            self.used = used;
            let mut end = start.clone();
            let done = self.round(body, level, &mut end);
            let mut again = end.clone();
            again.forget_owners(next.changed);
            if next.is_independent {
                again.retain(|place| self.facts.scope.is_of_block(place));
            }
            if again.is_within(&start) {
                end.join(state);
                *state = end;
                return done;
            }
            start.join(&again);
        }
    }

    /// `while` and `do`: where the condition reads what the kernel writes,
    /// one thread evaluates it inside the loop.
    fn conditional(
        &mut self,
        condition: &Expression,
        body: &[Statement],
        at_end: bool,
        loop_statement: &Statement,
        out: &mut Output,
    ) -> StatementKind {
        let span = loop_statement.span;
        let changed = self.facts.changed(loop_statement);
        let next = Next::depends(&changed);
        if self.facts.is_simple(condition) {
            let body = self.rounds(body, next, out.level, &mut out.state);
            return match at_end {
                true => StatementKind::DoWhile(body, condition.clone()),
                false => StatementKind::While(condition.clone(), body),
            };
        }
        if at_end && Exits::of(body).continues() {
            let kind = StatementKind::DoWhile(body.to_vec(), condition.clone());
            return self.irregular(kind, span);
        }
        let int = self.int;
        // The exit is a statement of the body, so that the fixed point over
        // its iterations sees the condition's reads.
        let fails = synthesis::not(int, condition.clone());
        let exit = StatementKind::If(fails, vec![StatementKind::Break.at(span)], None);
        let mut whole = body.to_vec();
        whole.insert(if at_end { body.len() } else { 0 }, exit.at(span));
        let body = self.rounds(&whole, next, out.level, &mut out.state);
        StatementKind::While(synthesis::integer(1, int, condition.span), body)
    }

    /// A `for` whose condition and step all threads can evaluate alike.
    fn plain_for(
        &mut self,
        parts: &PlainFor,
        whole: &Statement,
        out: &mut Output,
    ) -> StatementKind {
        let span = whole.span;
        let mut parts = parts.clone();
        if !self.facts.is_simple_header(&parts) {
            return self.irregular(StatementKind::For(Box::new(parts)), span);
        }
        if let Some(initializer) = &parts.initializer {
            let effects = self.facts.oracle.statement(initializer);
            self.wait_for(&self.facts.footprint(&effects), Who::All, span, out);
        }
        let changed = self.facts.changed(whole);
        let next = Next::depends(&changed);
        parts.body = self.rounds(&parts.body, next, out.level, &mut out.state);
        StatementKind::For(Box::new(parts))
    }
}
