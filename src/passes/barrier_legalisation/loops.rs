//! Loops around a barrier.

use super::segments::Segments;
use super::{Frame, Splitter, Target};
use crate::analysis::exits::Exits;
use crate::ir::numbered::Numbered;
use crate::ir::{PlainFor, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::{Expression, SymbolId};

/// A loop taken apart.
struct Parts<'a> {
    /// Run once by the threads that reach the loop.
    before: Vec<Statement>,
    /// Private copies of each iteration.
    privates: &'a [SymbolId],
    /// Evaluated before each iteration, or after it where `tests_last`.
    condition: Option<Expression>,
    /// Run after each iteration.
    step: Vec<Statement>,
    tests_last: bool,
}

impl Parts<'_> {
    /// What a plain `for` has around its body.
    fn header(&mut self, l: PlainFor) {
        self.before.extend(l.initializer);
        self.condition = l.condition;
        self.step.extend(l.step.map(Statement::evaluate));
    }
}

impl Splitter<'_, '_> {
    /// A loop that all threads run alike stays one; any other runs while a
    /// thread is live.
    pub fn repeat(&mut self, numbered: &Numbered, out: &mut Segments) {
        let statement = numbered.statement;
        if self.answers.is_divergent(numbered) {
            let mut list = Segments::default();
            self.while_any(self.parts(statement), numbered.body(), &mut list);
            let list = list.finish(self.names);
            self.place(list, statement, out);
            return;
        }
        let skips = self.answers.skips(numbered);
        let round = skips.then(|| self.names.mask("in_round"));
        let mut body = Vec::new();
        if let Some(round) = round {
            let mask = self.mask().unwrap_or_else(|| self.names.truth(true));
            body.push(self.names.declare(round, mask));
        }
        self.frames.push(Frame {
            mask: round,
            target: Some(Target {
                is_plain: true,
                is_tile: false,
                context: self.context,
                live: None,
            }),
        });
        if let StatementKind::Loop(l) = &statement.kind {
            self.known.insert(l.induction);
        }
        body.extend(self.list(numbered.body()).0);
        self.frames.pop();
        out.common(with_body(statement, body));
    }

    fn parts<'s>(&self, statement: &'s Statement) -> Parts<'s> {
        let mut parts = Parts {
            before: Vec::new(),
            privates: &[],
            condition: None,
            step: Vec::new(),
            tests_last: false,
        };
        match &statement.kind {
            StatementKind::Loop(l) => {
                parts.header(l.as_for(self.names.unit));
                parts.privates = &l.privates;
                parts.condition = Some(self.names.continues(l));
            }
            StatementKind::For(l) => parts.header((**l).clone()),
            StatementKind::While(condition, _) => parts.condition = Some(condition.clone()),
            StatementKind::DoWhile(_, condition) => {
                parts.condition = Some(condition.clone());
                parts.tests_last = true;
            }
            _ => {}
        }
        parts
    }

    fn while_any(&mut self, parts: Parts<'_>, rounds: &[Numbered], out: &mut Segments) {
        for statement in parts.before {
            out.masked(statement, self.mask());
        }
        let live = self.names.mask("live");
        let test = parts.condition.clone().filter(|_| !parts.tests_last);
        let begin = match (self.mask(), test) {
            (None, None) => self.names.truth(true),
            (Some(one), None) | (None, Some(one)) => one,
            (Some(mask), Some(test)) => self.names.and(mask, test),
        };
        out.common(self.names.declare(live, begin));
        let mut exits = rounds.iter().map(|s| Exits::of_statement(s.statement));
        let skips = exits.any(|exits| exits.continues());
        let round = skips.then(|| self.names.mask("in_round"));
        let mut body = Vec::new();
        if let Some(round) = round {
            body.push(self.names.declare(round, self.names.read(live)));
        }
        let own = parts.privates.iter();
        body.extend(own.map(|&symbol| Statement::declare(symbol, None, Span::default())));
        let around = self.context;
        self.new_context();
        self.frames.push(Frame {
            mask: Some(round.unwrap_or(live)),
            target: Some(Target {
                is_plain: false,
                is_tile: false,
                context: self.context,
                live: Some(live),
            }),
        });
        body.extend(self.list(rounds).0);
        self.frames.pop();
        self.context = around;
        body.extend(self.next_round(live, parts.step, parts.condition));
        let span = rounds.first().map_or(Span::default(), |s| s.statement.span);
        out.common(StatementKind::WhileAny(live, body).at(span));
    }

    /// What live threads do between iterations.
    fn next_round(
        &mut self,
        live: SymbolId,
        step: Vec<Statement>,
        condition: Option<Expression>,
    ) -> Vec<Statement> {
        let read = self.names.read(live);
        if step.is_empty() {
            let test = condition.map(|test| self.names.and(read, test));
            return test
                .map(|test| self.names.assign(live, test))
                .into_iter()
                .collect();
        }
        let mut out = Segments::default();
        for statement in step {
            out.masked(statement, Some(read.clone()));
        }
        if let Some(test) = condition {
            out.masked(self.names.assign(live, test), Some(read));
        }
        out.finish(self.names)
    }
}

/// A loop with another body.
pub fn with_body(statement: &Statement, mut body: Vec<Statement>) -> Statement {
    let mut statement = statement.clone();
    visit::blocks_mut(&mut statement, &mut |inner| {
        *inner = std::mem::take(&mut body)
    });
    statement
}
