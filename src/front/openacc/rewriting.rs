//! What the rewrites of constructs share. They run before anything is lowered,
//! on the typed tree and on the checked directives; the host's text is made
//! from neither.
//!
//! ```text
//! static_constants     static const variables of constructs    -> of their blocks
//! pointer_loops        loops that count with pointers          -> with integers
//! partial_reductions   elements and sections that gangs reduce -> variables of gangs
//!   members            members that a construct reduces        -> its variables
//! moved_pointers       host pointers that a construct moves    -> its own
//! windows::inlining    calls that use arrays with windows      -> what they do
//! ```

use std::collections::BTreeSet;

use super::check::{Checked, Directives};
use super::table::ClauseKind;
use crate::analysis::directives::base;
use crate::ast::Directive;
use crate::front::lowering::canonical;
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
    pub fn of(directives: &Directives, directive: &Checked, body: &Statement) -> Self {
        let mut found = Self {
            declared: BTreeSet::new(),
            private: BTreeSet::new(),
            modified: canonical::modified(body),
        };
        found.collect_private(directive);
        visit::statements(body, &mut |statement| match &statement.kind {
            StatementKind::Declaration(list) => {
                found.declared.extend(list.iter().map(|one| one.symbol));
            }
            StatementKind::Directive(directive, _) => {
                if let Some(checked) = directives.get(directive) {
                    found.collect_private(checked);
                }
            }
            _ => {}
        });
        found
    }

    fn collect_private(&mut self, checked: &Checked) {
        for kind in [ClauseKind::Private, ClauseKind::Firstprivate] {
            let bases = checked.items(kind).filter_map(base);
            self.private.extend(bases.filter_map(Expression::as_symbol));
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
            let span = function.body.span;
            let nothing = Statement {
                kind: StatementKind::Expression(None),
                span,
            };
            let mut body = std::mem::replace(&mut function.body, nothing);
            let symbol = function.symbol;
            rewrite(unit, symbol, &mut body);
            unit.functions[position].body = body;
        }
    }
}

/// Calls `visit` on the compute constructs in a statement: the directive and
/// what it governs.
pub fn constructs(
    directives: &mut Directives,
    statement: &mut Statement,
    visit: &mut dyn FnMut(&mut Directives, &Directive<Expression>, &mut Statement),
) {
    let is_compute = (directives.kind(statement)).is_some_and(|kind| kind.is_compute());
    match &mut statement.kind {
        StatementKind::Directive(directive, Some(body)) if is_compute => {
            visit(directives, directive, body);
        }
        _ => visit::children_mut(statement, &mut |inner| constructs(directives, inner, visit)),
    }
}
