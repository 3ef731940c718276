//! What rewrites of constructs share. They run before anything is lowered, on
//! the typed tree and on the checked directives; the host's text is made from
//! neither.

use std::collections::BTreeSet;

use super::canonical;
use super::directives::Dialect;
use crate::ast::Directive;
use crate::typed::{Expression, Statement, StatementKind, SymbolId, Unit, visit};

/// A compute construct as it is before a rewrite.
pub struct Construct {
    /// What is declared in it.
    pub declared: BTreeSet<SymbolId>,
    /// What it or directives in it make private.
    pub private: BTreeSet<SymbolId>,
    /// What is assigned in it, or has its address taken.
    pub modified: BTreeSet<SymbolId>,
}

impl Construct {
    /// What a directive governs.
    pub fn of(
        directives: &dyn Dialect,
        directive: &Directive<Expression>,
        body: &Statement,
    ) -> Self {
        let mut private = BTreeSet::from_iter(directives.privates(directive));
        visit::directives(body, &mut |inner| {
            private.extend(directives.privates(inner))
        });
        Self {
            declared: visit::declared(body).into_iter().collect(),
            private,
            modified: canonical::modified(body),
        }
    }

    /// Whether a variable is declared in it or private.
    pub fn owns(&self, symbol: SymbolId) -> bool {
        self.declared.contains(&symbol) || self.private.contains(&symbol)
    }

    /// Whether a variable has one value in all of it.
    pub fn keeps(&self, symbol: SymbolId) -> bool {
        !self.owns(symbol) && !self.modified.contains(&symbol)
    }
}

/// Rewrites the bodies of all functions that have directives.
pub fn bodies(unit: &mut Unit, rewrite: &mut dyn FnMut(&Unit, SymbolId, &mut Statement)) {
    for position in 0..unit.functions.len() {
        let function = &mut unit.functions[position];
        if visit::has_directives(&function.body) {
            let mut body = function.body.take();
            let symbol = function.symbol;
            rewrite(unit, symbol, &mut body);
            unit.functions[position].body = body;
        }
    }
}

/// Calls `visit` on the compute constructs in a statement: the directive and
/// what it governs.
pub fn constructs<D: Dialect>(
    directives: &mut D,
    statement: &mut Statement,
    visit: &mut dyn FnMut(&mut D, &Directive<Expression>, &mut Statement),
) {
    let is_construct = directives.role_of(statement).is_construct;
    match &mut statement.kind {
        StatementKind::Directive(directive, Some(body)) if is_construct => {
            visit(directives, directive, body);
        }
        _ => visit::children_mut(statement, &mut |inner| constructs(directives, inner, visit)),
    }
}
