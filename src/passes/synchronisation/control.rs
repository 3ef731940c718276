//! Statements that contain loops which threads share, or jumps: all threads
//! go through them together.

use super::Synchroniser;
use super::sequence::Output;
use super::state::{State, Who};
use crate::analysis::exits::Exits;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Barrier, Level, Loop, PlainFor, Statement, StatementKind};
use crate::source::Span;
use crate::typed::Expression;
use crate::typed::synthesis;

impl Synchroniser<'_, '_> {
    /// Rewrites a statement that all threads go through.
    pub fn structured(
        &mut self,
        statement: &Statement,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) {
        let span = statement.span;
        let kind = match &statement.kind {
            StatementKind::Block(body) => StatementKind::Block(self.sequence(body, level, state)),
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.decide(condition, level, state, out);
                let mut other = state.clone();
                let then = self.sequence(then, level, state);
                let otherwise = otherwise
                    .as_ref()
                    .map(|body| self.sequence(body, level, &mut other));
                state.join(&other);
                StatementKind::If(condition, then, otherwise)
            }
            StatementKind::Switch(value, body) => {
                let value = self.agree(value, level, state, out);
                self.jumps.push(state.clone());
                let body = self.sequence(body, level, state);
                state.join(&self.jumps.pop().unwrap_or_default());
                StatementKind::Switch(value, body)
            }
            StatementKind::Loop(l) => return self.counted(l, span, level, state, out),
            StatementKind::While(condition, body) => {
                return self.conditional(condition, body, false, span, level, state, out);
            }
            StatementKind::DoWhile(body, condition) => {
                return self.conditional(condition, body, true, span, level, state, out);
            }
            StatementKind::For(parts) => return self.plain_for(parts, span, level, state, out),
            StatementKind::Break | StatementKind::Continue => {
                for around in &mut self.jumps {
                    around.join(state);
                }
                statement.kind.clone()
            }
            StatementKind::ReductionBegin(..) | StatementKind::ReductionEnd(..) => {
                statement.kind.clone()
            }
            StatementKind::Goto(_) => statement.kind.clone(),
            StatementKind::Label(_) => {
                // All threads jump together, and wait for each other here,
                // wherever they come from.
                out.statements.push(statement.clone());
                *state = State::default();
                let why = "jumps lead here".to_owned();
                match level {
                    Level::Gang => StatementKind::Barrier(Barrier::new(why)),
                    _ => StatementKind::WorkerBarrier(why),
                }
            }
            StatementKind::CollectiveCall(call) => {
                return self.collective_call(call, span, level, state, out);
            }
            StatementKind::Return(value) if self.collective.is_some_and(|t| t.level() == level) => {
                return self.leave(value.as_ref(), span, level, state, out);
            }
            _ => {
                self.irregular(span);
                statement.kind.clone()
            }
        };
        out.statements.push(Statement { kind, span });
    }

    fn irregular(&mut self, span: Span) {
        self.errors.push(
            Diagnostic::error(
                codes::IRREGULAR_CONTROL,
                "the threads of a gang cannot follow this control flow together",
                span,
            )
            .label("worker or vector loops stand around or inside it")
            .help("use `if` and counted loops here"),
        );
    }

    /// A condition that all threads decide alike.
    fn decide(
        &mut self,
        e: &Expression,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) -> Expression {
        if self.is_plain(e) {
            self.read(e, level, state, out);
            return e.clone();
        }
        self.hoist(e, true, level, state, out)
    }

    /// A value that all threads get alike.
    pub fn agree(
        &mut self,
        e: &Expression,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) -> Expression {
        if self.is_plain(e) {
            self.read(e, level, state, out);
            return e.clone();
        }
        self.hoist(e, false, level, state, out)
    }

    /// Whether all threads may evaluate an expression and agree on it.
    fn is_plain(&self, e: &Expression) -> bool {
        let effects = self.oracle.expression(e);
        self.footprint(&effects).writes.is_empty()
            && self.uniformity.is_uniform(e, &self.scope, self.oracle)
    }

    fn read(&mut self, e: &Expression, level: Level, state: &mut State, out: &mut Output) {
        let footprint = self.footprint(&self.oracle.expression(e));
        self.wait_for(&footprint, Who::All, level, state, out, e.span);
    }

    fn counted(&mut self, l: &Loop, span: Span, level: Level, state: &mut State, out: &mut Output) {
        let mut l = l.clone();
        let distribution = l.distribution.unwrap_or_default();
        if distribution.threads[0] {
            let footprint = self.footprint(&self.oracle.statement(&Statement {
                kind: StatementKind::Loop(Box::new(l.clone())),
                span,
            }));
            self.wait_for(&footprint, Who::Each, level, state, out, span);
        } else {
            l.lower = self.agree(&l.lower, level, state, out);
            l.bound = self.agree(&l.bound, level, state, out);
            l.step = self.agree(&l.step, level, state, out);
            let parallel = l.is_parallel();
            if distribution.threads[1] {
                let footprint = self.footprint(&self.oracle.list(&l.body));
                self.wait_for(&footprint, Who::Each, level, state, out, span);
                let mut inside = State::default();
                l.body = self.rounds(&l.body, parallel, Level::Worker, &mut inside);
            } else {
                l.body = self.rounds(&l.body, parallel, level, state);
            }
        }
        out.statements.push(Statement {
            kind: StatementKind::Loop(Box::new(l)),
            span,
        });
    }

    /// The body of a loop: what is under way at its end, or at a jump, is
    /// under way at its start.
    fn rounds(
        &mut self,
        body: &[Statement],
        independent: bool,
        level: Level,
        state: &mut State,
    ) -> Vec<Statement> {
        let mut start = state.clone();
        let made = self.fresh.symbols.len();
        loop {
            // What an earlier attempt made is gone with it.
            self.fresh.symbols.truncate(made);
            let mut end = start.clone();
            self.jumps.push(State::default());
            let done = self.sequence(body, level, &mut end);
            end.join(&self.jumps.pop().unwrap_or_default());
            let mut again = end.clone();
            if independent {
                again.retain(|place| self.scope.is_of_block(place));
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
    #[allow(clippy::too_many_arguments, reason = "the parts of one statement")]
    fn conditional(
        &mut self,
        condition: &Expression,
        body: &[Statement],
        at_end: bool,
        span: Span,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) {
        let made = |kind| Statement { kind, span };
        let effects = self.oracle.expression(condition);
        let footprint = self.footprint(&effects);
        if footprint.reads.is_empty() && self.is_plain(condition) {
            let body = self.rounds(body, false, level, state);
            out.statements.push(made(if at_end {
                StatementKind::DoWhile(body, condition.clone())
            } else {
                StatementKind::While(condition.clone(), body)
            }));
            return;
        }
        if at_end && Exits::of(body).continues() {
            return self.irregular(span);
        }
        let int = self.fresh.int;
        // The exit is a statement of the body, so that the fixed point over
        // its rounds sees the condition's reads.
        let exit = made(StatementKind::If(
            synthesis::not(int, condition.clone()),
            vec![made(StatementKind::Break)],
            None,
        ));
        let mut whole = body.to_vec();
        whole.insert(if at_end { body.len() } else { 0 }, exit);
        let body = self.rounds(&whole, false, level, state);
        let always = synthesis::integer(1, int, condition.span);
        out.statements
            .push(made(StatementKind::While(always, body)));
    }

    /// A `for` whose condition and step all threads can evaluate alike.
    fn plain_for(
        &mut self,
        parts: &PlainFor,
        span: Span,
        level: Level,
        state: &mut State,
        out: &mut Output,
    ) {
        let simple = parts.condition.iter().chain(&parts.step).all(|e| {
            let footprint = self.footprint(&self.oracle.expression(e));
            footprint.reads.is_empty() && self.is_plain(e)
        });
        let start = parts.initializer.as_ref().is_none_or(|s| {
            let effects = self.oracle.statement(s);
            !effects.impure && self.footprint(&effects).writes.is_empty()
        });
        if !simple || !start {
            return self.irregular(span);
        }
        if let Some(initializer) = &parts.initializer {
            let footprint = self.footprint(&self.oracle.statement(initializer));
            self.wait_for(&footprint, Who::All, level, state, out, span);
        }
        let body = self.rounds(&parts.body, false, level, state);
        out.statements.push(Statement {
            kind: StatementKind::For(Box::new(PlainFor {
                body,
                ..parts.clone()
            })),
            span,
        });
    }
}
