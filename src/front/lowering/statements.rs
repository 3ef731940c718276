//! Statements of C as statements of the IR, but for loops and directives, which each
//! dialect lowers its own way ([`Statements`]).
//!
//! ```text
//! switch (k) {          switch k
//! case 1: x = 2;   ->       case 1
//! }                         x = 2
//! ```

use super::jumps;
use super::loops::{self, Counted};
use super::usage::impossible;
use crate::ast::Directive;
use crate::diagnostic::Diagnostics;
use crate::ir::{self, Loop, PlainFor, StatementKind as Ir};
use crate::typed::print::{C, Printer};
use crate::typed::{Expression, For, Statement, StatementKind, Unit};

/// Lowers the statements of one construct or function.
pub trait Statements {
    /// What ids refer to.
    fn unit(&self) -> &Unit;

    /// Where errors go.
    fn diagnostics(&mut self) -> &mut Diagnostics;

    /// A directive with what it governs.
    fn directive(
        &mut self,
        directive: &Directive<Expression>,
        body: Option<&Statement>,
        out: &mut Vec<ir::Statement>,
    );

    /// A `for` without a directive.
    fn undirected(&mut self, statement: &Statement, parts: &For, out: &mut Vec<ir::Statement>);

    /// An expression statement.
    fn expression(&mut self, e: &Expression) -> Ir {
        Ir::Expression(Some(e.clone()))
    }

    /// The statements of a loop's or function's body.
    fn top(&mut self, statement: &Statement) -> Vec<ir::Statement> {
        self.list(statement)
    }

    /// The statements of a block, or the one statement.
    fn list(&mut self, statement: &Statement) -> Vec<ir::Statement> {
        match &statement.kind {
            StatementKind::Compound(items) => self.items(items),
            _ => self.items(std::slice::from_ref(statement)),
        }
    }

    /// Several statements.
    fn items(&mut self, items: &[Statement]) -> Vec<ir::Statement> {
        let mut out = Vec::new();
        for item in items {
            self.statement(item, &mut out);
        }
        out
    }

    /// One statement; labels and cases become statements before it.
    fn statement(&mut self, statement: &Statement, out: &mut Vec<ir::Statement>) {
        let span = statement.span;
        let mut add = |kind| out.push(ir::Statement { kind, span });
        match &statement.kind {
            StatementKind::Expression(Some(e)) => add(self.expression(e)),
            StatementKind::Expression(None) => add(Ir::Expression(None)),
            StatementKind::Declaration(list) => add(Ir::Declaration(list.clone())),
            StatementKind::Compound(items) => add(Ir::Block(self.items(items))),
            StatementKind::If(condition, then, otherwise) => {
                let then = self.list(then);
                let otherwise = otherwise.as_deref().map(|s| self.list(s));
                add(Ir::If(condition.clone(), then, otherwise));
            }
            StatementKind::Switch(value, body) => {
                let body = self.list(body);
                add(Ir::Switch(value.clone(), body));
            }
            StatementKind::While(condition, body) => {
                let body = self.top(body);
                add(Ir::While(condition.clone(), body));
            }
            StatementKind::DoWhile(body, condition) => {
                let body = self.top(body);
                add(Ir::DoWhile(body, condition.clone()));
            }
            StatementKind::For(parts) => self.undirected(statement, parts, out),
            StatementKind::Case(label, body) => {
                add(Ir::Case(label.clone()));
                self.statement(body, out);
            }
            StatementKind::Default(body) => {
                add(Ir::Default);
                self.statement(body, out);
            }
            StatementKind::Labeled(label, body) => {
                add(Ir::Label(label.clone()));
                self.statement(body, out);
            }
            StatementKind::Goto(label) => add(Ir::Goto(label.clone())),
            StatementKind::Break => add(Ir::Break),
            StatementKind::Continue => add(Ir::Continue),
            StatementKind::Return(e) => add(Ir::Return(e.clone())),
            StatementKind::ComputedGoto(_) => {
                self.diagnostics()
                    .push(impossible("a computed `goto`", span));
            }
            StatementKind::Assembly => self.diagnostics().push(impossible("assembly", span)),
            StatementKind::Directive(directive, body) => {
                self.directive(directive, body.as_deref(), out);
            }
        }
    }

    /// A `for` as a counted loop of which nothing is asked.
    ///
    /// # Errors
    /// Why it is none, as a piece of a sentence.
    fn counted(&mut self, statement: &Statement, parts: &For) -> Result<Loop, String> {
        let unit = self.unit();
        let counted = Counted::of(unit, statement, parts).map_err(|why| why.message)?;
        if !loops::is_invariant(unit, &counted.header, &parts.body) {
            let bound = Printer::text(unit, &C, counted.header.bound.inner());
            return Err(format!(
                "its bound `{bound}` or its step may change in the body"
            ));
        }
        if jumps::leaves(&parts.body) {
            return Err("a jump leaves it".to_owned());
        }
        let body = self.top(&parts.body);
        Ok(counted.lowered(body))
    }

    /// A `for` that is no counted loop, and why.
    fn plain(&mut self, parts: &For, uncounted: Option<String>) -> Ir {
        let mut initializer = Vec::new();
        if let Some(first) = &parts.initializer {
            self.statement(first, &mut initializer);
        }
        let body = self.top(&parts.body);
        Ir::For(Box::new(PlainFor {
            initializer: initializer.pop(),
            condition: parts.condition.clone(),
            step: parts.step.clone(),
            body,
            uncounted,
        }))
    }
}
