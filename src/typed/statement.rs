//! Typed statements.

use super::visit::initializer_values;
use super::{Expression, Initializer, SymbolId, VlaId};
use crate::ast::Directive;
use crate::source::Span;

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its text.
    pub span: Span,
}

impl Statement {
    /// `;`
    pub fn empty(span: Span) -> Self {
        let kind = StatementKind::Expression(None);
        Self { kind, span }
    }

    /// `{ … }`
    pub fn block(items: Vec<Self>, span: Span) -> Self {
        let kind = StatementKind::Compound(items);
        Self { kind, span }
    }

    /// Takes it out of its place, where an empty one stays.
    pub fn take(&mut self) -> Self {
        let empty = Self::empty(self.span);
        std::mem::replace(self, empty)
    }

    /// The statements of a block, or the one statement.
    pub fn into_items(self) -> Vec<Self> {
        match self.kind {
            StatementKind::Compound(items) => items,
            _ => vec![self],
        }
    }

    /// Puts declarations or the like in front of what a body does, and some behind it.
    pub fn surround(&mut self, mut before: Vec<Self>, after: Vec<Self>) {
        let span = self.span;
        before.push(self.take());
        before.extend(after);
        *self = Self::block(before, span);
    }
}

/// The forms of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `;` or `e;`.
    Expression(Option<Expression>),
    /// Objects declared in a block; those of static storage are in
    /// [`super::Unit::globals`].
    Declaration(Vec<LocalDeclaration>),
    /// `{ … }`.
    Compound(Vec<Statement>),
    /// `if`.
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    /// `switch`.
    Switch(Expression, Box<Statement>),
    /// `while`.
    While(Expression, Box<Statement>),
    /// `do … while`.
    DoWhile(Box<Statement>, Expression),
    /// `for`.
    For(Box<For>),
    /// `case a:` or `case a ... b:`.
    Case(CaseLabel, Box<Statement>),
    /// `default:`.
    Default(Box<Statement>),
    /// `l:`.
    Labeled(String, Box<Statement>),
    /// `goto l;`.
    Goto(String),
    /// `goto *e;`, host only.
    ComputedGoto(Expression),
    /// `break;`.
    Break,
    /// `continue;`.
    Continue,
    /// `return e;`, converted to the function's result type.
    Return(Option<Expression>),
    /// `asm`, host only.
    Assembly,
    /// A directive with the statement it governs, if any.
    Directive(Box<Directive<Expression>>, Option<Box<Statement>>),
}

/// An object declared in a block.
#[derive(Clone, Debug)]
pub struct LocalDeclaration {
    /// Its name.
    pub symbol: SymbolId,
    /// Its value, if given.
    pub initializer: Option<Initializer>,
    /// The lengths that are evaluated here, outermost first.
    pub lengths: Vec<VlaId>,
    /// The declarator.
    pub span: Span,
}

impl LocalDeclaration {
    /// Its value, if that is one expression.
    pub fn value(&self) -> Option<&Expression> {
        match &self.initializer {
            Some(Initializer::Expression(value)) => Some(value),
            _ => None,
        }
    }

    /// Calls `visit` on the values of its initialiser.
    pub fn values<'a>(&'a self, visit: &mut dyn FnMut(&'a Expression)) {
        if let Some(initializer) = &self.initializer {
            initializer_values(initializer, visit);
        }
    }
}

/// What stands between `case` and its colon.
#[derive(Clone, Debug)]
pub struct CaseLabel {
    /// The value, or the first one, in the type of the switch.
    pub first: i128,
    /// The last one of a range.
    pub last: Option<i128>,
    /// The one value as written, if it names no object and the conversion to the type of the
    /// switch leaves it as it is.
    pub written: Option<Box<Expression>>,
}

/// A `for` statement.
#[derive(Clone, Debug)]
pub struct For {
    /// An expression statement or a declaration; `None` if empty.
    pub initializer: Option<Statement>,
    /// The condition.
    pub condition: Option<Expression>,
    /// What is evaluated after each iteration.
    pub step: Option<Expression>,
    /// The body.
    pub body: Statement,
}
