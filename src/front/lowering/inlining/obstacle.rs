//! What keeps a function from standing where it is called.

use super::Inliner;
use crate::front::lowering::directives::{Dialect, Reach};
use crate::source::Span;
use crate::typed::{
    ExpressionKind, Function, Statement, StatementKind, Storage, SymbolKind, Type, visit,
};

/// Why a call stays, and where that is seen.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// As a label: "it calls itself".
    pub reason: String,
    /// Its place.
    pub span: Span,
}

impl Obstacle {
    pub(super) fn new(reason: impl Into<String>, span: Span) -> Self {
        let reason = reason.into();
        Self { reason, span }
    }
}

impl Inliner<'_> {
    /// Looks for what cannot be copied in a function.
    pub(super) fn examine(&self, function: &Function, call: Span) -> Result<(), Obstacle> {
        let name = &self.unit.symbol(function.symbol).name;
        if self.stack.contains(&function.symbol) {
            return Err(Obstacle::new(format!("`{name}` calls itself"), call));
        }
        if (self.is_bound)(function.symbol) {
            let reason = format!("`{name}` is another function on the device");
            return Err(Obstacle::new(reason, call));
        }
        if self.replaced >= super::MOST_CALLS {
            let reason = format!("more than {} calls would be replaced", super::MOST_CALLS);
            return Err(Obstacle::new(reason, call));
        }
        if let Type::Function(ty) = self.unit.types.get(self.unit.symbol(function.symbol).ty.ty)
            && ty.is_variadic
        {
            let reason = format!("`{name}` takes a variable number of arguments");
            return Err(Obstacle::new(reason, function.header));
        }
        let mut found = Ok(());
        visit::statements(&function.body, &mut |statement| {
            if found.is_ok() {
                found = control(self.directives, statement);
            }
        });
        found?;
        self.names(function)
    }

    /// What a name of the function means must be what it means at the call.
    fn names(&self, function: &Function) -> Result<(), Obstacle> {
        let locals = visit::declared(&function.body);
        let mut found = Ok(());
        visit::expressions(&function.body, &mut |e| {
            if let ExpressionKind::SizeofVariable(_) = e.kind {
                found = Err(Obstacle::new("the size of a variable length array", e.span));
            }
            let ExpressionKind::Symbol(symbol) = e.kind else {
                return;
            };
            let named = self.unit.symbol(symbol);
            if named.kind == SymbolKind::Variable(Storage::LocalStatic) {
                let reason = format!("`{}` is `static`", named.name);
                found = Err(Obstacle::new(reason, e.span));
            }
            if locals.contains(&symbol) || function.parameters.contains(&symbol) {
                return;
            }
            if self.own.get(&named.name).is_some_and(|own| *own != symbol) {
                let reason = format!("`{}` is another variable at the call", named.name);
                found = Err(Obstacle::new(reason, e.span));
            }
        });
        found
    }
}

/// Statements that only make sense in a function of their own.
fn control(directives: &dyn Dialect, statement: &Statement) -> Result<(), Obstacle> {
    let reason = match &statement.kind {
        StatementKind::Goto(_) | StatementKind::ComputedGoto(_) => "it has a `goto`",
        StatementKind::Assembly => "it has assembly",
        StatementKind::Declaration(list) if list.iter().any(|d| !d.lengths.is_empty()) => {
            "it has an array of variable length"
        }
        StatementKind::Directive(directive, _) => {
            // What one thread does is the same without directives of loops.
            let role = directives.role(directive);
            let is_of_loop = role.is_loop || role.windows == Some(Reach::RestOfBlock);
            if role.is_atomic || role.is_of_caller || is_of_loop && !role.is_construct {
                return Ok(());
            }
            "it has a directive"
        }
        _ => return Ok(()),
    };
    Err(Obstacle::new(reason, statement.span))
}
