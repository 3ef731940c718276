//! Statements (C11 6.8) with directives among them.

use super::{Declaration, Directive, Expression, FunctionDefinition, Identifier, StaticAssert};
use crate::source::Span;

/// A statement and its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its text.
    pub span: Span,
}

/// `{ … }` (6.8.2).
#[derive(Clone, Debug)]
pub struct CompoundStatement {
    /// Labels of this block alone (`__label__`, GNU).
    pub local_labels: Vec<Identifier>,
    /// Declarations and statements in order.
    pub items: Vec<BlockItem>,
    /// With the braces.
    pub span: Span,
}

/// What may stand in a block.
#[derive(Clone, Debug)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Box<Declaration>),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
    /// A statement.
    Statement(Statement),
    /// A nested function (GNU), host only.
    Function(Box<FunctionDefinition>),
}

/// The forms of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `;` or `e;`.
    Expression(Option<Expression>),
    /// `{ … }`.
    Compound(CompoundStatement),
    /// `if (c) a else b`.
    If(Expression, Box<Statement>, Option<Box<Statement>>),
    /// `switch (e) s`.
    Switch(Expression, Box<Statement>),
    /// `while (c) s`.
    While(Expression, Box<Statement>),
    /// `do s while (c);`.
    DoWhile(Box<Statement>, Expression),
    /// `for (init; c; step) s`.
    For(Box<ForStatement>),
    /// `goto l;`.
    Goto(Identifier),
    /// `goto *e;` (GNU).
    ComputedGoto(Expression),
    /// `continue;`.
    Continue,
    /// `break;`.
    Break,
    /// `return e;`.
    Return(Option<Expression>),
    /// `l: s`.
    Labeled(Identifier, Box<Statement>),
    /// `case a: s` or GNU's `case a ... b: s`.
    Case(Expression, Option<Expression>, Box<Statement>),
    /// `default: s`.
    Default(Box<Statement>),
    /// `asm …;`, host only.
    Assembly,
    /// A directive. One that governs a statement has it as its body: the
    /// syntax stage attaches the following statement to every directive
    /// whose name asks for one (see [`Directive::takes_statement`]).
    Directive(Box<Directive<Expression>>, Option<Box<Statement>>),
    /// What stands between two directives ([`Directive::ended_by`]), and the second one. No
    /// scope of its own.
    Run(Vec<BlockItem>),
}

/// A `for` statement (6.8.5.3).
#[derive(Clone, Debug)]
pub struct ForStatement {
    /// The first clause.
    pub initializer: ForInitializer,
    /// The condition.
    pub condition: Option<Expression>,
    /// What is evaluated after each iteration.
    pub step: Option<Expression>,
    /// The body.
    pub body: Statement,
}

/// The first clause of a `for`.
#[derive(Clone, Debug)]
pub enum ForInitializer {
    /// Nothing or an expression.
    Expression(Option<Expression>),
    /// A declaration.
    Declaration(Box<Declaration>),
}
