//! Statements that passes make.

use super::{Barrier, Statement, StatementKind};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, ExpressionKind, Initializer, LocalDeclaration, SymbolId};

impl StatementKind {
    /// A statement of this form with a place.
    pub fn at(self, span: Span) -> Statement {
        Statement { kind: self, span }
    }
}

impl Statement {
    /// `e;`
    pub fn evaluate(e: Expression) -> Self {
        let span = e.span;
        StatementKind::Expression(Some(e)).at(span)
    }

    /// `target = value;`
    pub fn assign(target: Expression, value: Expression, span: Span) -> Self {
        StatementKind::Expression(Some(synthesis::assign(target, value))).at(span)
    }

    /// All threads of the block wait.
    pub fn barrier(why: &str, span: Span) -> Self {
        StatementKind::Barrier(Barrier::new(why)).at(span)
    }

    /// Whether it may run what is inside several times.
    pub fn is_loop(&self) -> bool {
        matches!(
            self.kind,
            StatementKind::Loop(_)
                | StatementKind::For(_)
                | StatementKind::While(..)
                | StatementKind::DoWhile(..)
                | StatementKind::WhileAny(..)
        )
    }

    /// The variables that it gives a value by declaring or assigning them, each with
    /// the value.
    pub fn assigned(&self) -> Vec<(SymbolId, &Expression)> {
        match &self.kind {
            StatementKind::Declaration(list) => {
                let values = list.iter().filter_map(|d| Some((d.symbol, d.value()?)));
                values.collect()
            }
            StatementKind::Expression(Some(e)) => match &e.inner().kind {
                ExpressionKind::Assign(target, value) => {
                    let symbol = target.as_symbol().into_iter();
                    symbol.map(|symbol| (symbol, &**value)).collect()
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// `T symbol = value;`, or without a value.
    pub fn declare(symbol: SymbolId, value: Option<Expression>, span: Span) -> Self {
        let declaration = LocalDeclaration {
            symbol,
            initializer: value.map(Initializer::Expression),
            lengths: Vec::new(),
            span,
        };
        StatementKind::Declaration(vec![declaration]).at(span)
    }
}
