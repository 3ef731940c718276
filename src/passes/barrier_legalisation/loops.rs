//! Loops around a barrier.

use super::masks::continues;
use super::segments::Segments;
use super::{Frame, Splitter, Target};
use crate::analysis::exits::Exits;
use crate::ir::{Loop, PlainFor, Statement, StatementKind, is_literal};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Initializer, LocalDeclaration, QualType, SymbolId,
    UnaryOperator,
};

/// A loop taken apart.
struct Parts<'a> {
    /// Run once by the threads that reach the loop.
    before: Vec<Statement>,
    /// Private copies of each round.
    privates: &'a [SymbolId],
    /// Evaluated before each round, or after it where `tests_last`.
    condition: Option<Expression>,
    /// Run after each round.
    step: Vec<Statement>,
    body: &'a [Statement],
    tests_last: bool,
}

impl Splitter<'_> {
    /// A loop that all threads run alike stays one; any other runs while a
    /// thread is live.
    pub fn repeat(&mut self, statement: &Statement, out: &mut Segments) {
        if self.answers.is_divergent(statement) {
            let parts = self.parts(statement);
            let mut list = Segments::default();
            self.while_any(parts, &mut list);
            let list = list.finish(self.oracle.unit(), self.names, &self.flags);
            self.place(list, statement, out);
            return;
        }
        let round = self
            .answers
            .skips(statement)
            .then(|| self.names.mask("in_round"));
        let mut first = Vec::new();
        if let Some(round) = round {
            let mask = self.mask().unwrap_or_else(|| self.names.truth(true));
            first.push(self.names.declare(round, mask));
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
        let mut rounds = |body: &[Statement]| {
            let (body, _) = self.list(body);
            first.extend(body);
            std::mem::take(&mut first)
        };
        let kind = match &statement.kind {
            StatementKind::Loop(l) => {
                let body = rounds(&l.body);
                StatementKind::Loop(Box::new(Loop {
                    body,
                    ..(**l).clone()
                }))
            }
            StatementKind::For(l) => {
                let body = rounds(&l.body);
                StatementKind::For(Box::new(PlainFor {
                    body,
                    ..(**l).clone()
                }))
            }
            StatementKind::While(condition, body) => {
                StatementKind::While(condition.clone(), rounds(body))
            }
            StatementKind::DoWhile(body, condition) => {
                StatementKind::DoWhile(rounds(body), condition.clone())
            }
            other => other.clone(),
        };
        self.frames.pop();
        out.common(Statement {
            kind,
            span: statement.span,
        });
    }

    fn parts<'s>(&self, statement: &'s Statement) -> Parts<'s> {
        let mut parts = Parts {
            before: Vec::new(),
            privates: &[],
            condition: None,
            step: Vec::new(),
            body: &[],
            tests_last: false,
        };
        match &statement.kind {
            StatementKind::Loop(l) => {
                let unit = self.oracle.unit();
                parts.before = vec![self.first_value(l)];
                parts.privates = &l.privates;
                parts.condition = Some(continues(l, unit, self.names.int));
                parts.step = vec![evaluate(self.advance(l))];
                parts.body = &l.body;
            }
            StatementKind::For(l) => {
                parts.before = l.initializer.iter().cloned().collect();
                parts.condition.clone_from(&l.condition);
                parts.step = l.step.iter().cloned().map(evaluate).collect();
                parts.body = &l.body;
            }
            StatementKind::While(condition, body) => {
                parts.condition = Some(condition.clone());
                parts.body = body;
            }
            StatementKind::DoWhile(body, condition) => {
                parts.condition = Some(condition.clone());
                parts.body = body;
                parts.tests_last = true;
            }
            _ => {}
        }
        parts
    }

    /// `int k = lower;`, or `k = lower;`.
    fn first_value(&self, l: &Loop) -> Statement {
        if l.declared_inside {
            return Statement {
                kind: StatementKind::Declaration(vec![LocalDeclaration {
                    symbol: l.induction,
                    initializer: Some(Initializer::Expression(l.lower.clone())),
                    lengths: Vec::new(),
                    span: l.header,
                }]),
                span: l.header,
            };
        }
        evaluate(synthesis::assign(
            synthesis::symbol(self.oracle.unit(), l.induction, l.header),
            l.lower.clone(),
        ))
    }

    /// `k++`, `k -= step`, ….
    fn advance(&self, l: &Loop) -> Expression {
        let variable = synthesis::symbol(self.oracle.unit(), l.induction, l.header);
        let ty = QualType::plain(variable.ty.ty);
        let target = Box::new(variable);
        let kind = match (is_literal(&l.step, 1), l.downward) {
            (true, false) => ExpressionKind::Unary(UnaryOperator::PostIncrement, target),
            (true, true) => ExpressionKind::Unary(UnaryOperator::PostDecrement, target),
            (false, downward) => ExpressionKind::CompoundAssign {
                operator: if downward {
                    BinaryOperator::Subtract
                } else {
                    BinaryOperator::Add
                },
                target,
                value: Box::new(l.step.clone()),
                computation: ty.ty,
            },
        };
        Expression {
            kind,
            ty,
            span: l.header,
        }
    }

    fn while_any(&mut self, parts: Parts<'_>, out: &mut Segments) {
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
        let round = Exits::of(parts.body)
            .continues()
            .then(|| self.names.mask("in_round"));
        let mut body = Vec::new();
        if let Some(round) = round {
            body.push(self.names.declare(round, self.names.read(live)));
        }
        body.extend(parts.privates.iter().map(|&symbol| declare_only(symbol)));
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
        body.extend(self.list(parts.body).0);
        self.frames.pop();
        self.context = around;
        body.extend(self.next_round(live, parts.step, parts.condition));
        out.common(Statement {
            kind: StatementKind::WhileAny(live, body),
            span: parts.body.first().map_or(Span::default(), |s| s.span),
        });
    }

    /// What live threads do between rounds.
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
        out.finish(self.oracle.unit(), self.names, &self.flags)
    }
}

fn evaluate(e: Expression) -> Statement {
    Statement {
        span: e.span,
        kind: StatementKind::Expression(Some(e)),
    }
}

fn declare_only(symbol: SymbolId) -> Statement {
    let span = Span::default();
    Statement {
        kind: StatementKind::Declaration(vec![LocalDeclaration {
            symbol,
            initializer: None,
            lengths: Vec::new(),
            span,
        }]),
        span,
    }
}
