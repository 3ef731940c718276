//! What rewrites of C have to know of the directives in it, whatever their
//! dialect: each front end answers for its own ([`Dialect`]).

use crate::ast::Directive;
use crate::typed::{Expression, Statement, StatementKind, SymbolId, Unit, visit};

/// The directives of a unit, as one front end has checked them.
pub trait Dialect {
    /// What a directive is to the code at it.
    fn role(&self, directive: &Directive<Expression>) -> Role;

    /// The variables of which a directive makes private copies.
    fn privates(&self, directive: &Directive<Expression>) -> Vec<SymbolId>;

    /// The arrays of which a directive makes windows ([`Role::windows`]).
    fn windows(&self, unit: &Unit, directive: &Directive<Expression>) -> Vec<SymbolId>;

    /// Whether a function's calls are looked at for some that what they do takes the
    /// place of.
    fn inlines(&self, body: &Statement) -> bool {
        self.has_windows(body)
    }

    /// The role of the directive that a statement is or stands under.
    fn role_of(&self, statement: &Statement) -> Role {
        match &statement.kind {
            StatementKind::Directive(directive, _) => self.role(directive),
            _ => Role::default(),
        }
    }

    /// Whether some directive inside a statement makes windows.
    fn has_windows(&self, statement: &Statement) -> bool {
        visit::any_statement(statement, &mut |inner| {
            self.role_of(inner).windows.is_some()
        })
    }
}

/// What a directive is to the code at it; nothing of this if it has an error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Role {
    /// It is a construct: a device runs the statement that it governs.
    pub is_construct: bool,
    /// It governs the loop behind it.
    pub is_loop: bool,
    /// It may govern loops inside of that one as well.
    pub governs_several: bool,
    /// Its statement is one atomic access, wherever that is moved to.
    pub is_atomic: bool,
    /// It makes windows of arrays, and for which code.
    pub windows: Option<Reach>,
    /// What it says depends on where its function is called: it stays where what the
    /// function does takes the place of a call.
    pub is_of_caller: bool,
}

/// The code that a directive concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The statement behind it.
    Statement,
    /// The rest of the block that it stands in.
    RestOfBlock,
}
