//! Pointers of the host that a construct moves (OpenACC 3.3, sections 2.5.13
//! and 2.6.2).
//!
//! ```c
//! #pragma acc parallel copy(a[0:n])        // before
//! {
//!     a += 3;
//!     #pragma acc loop
//!     for (int i = 3; i < n; i++) …
//! }
//!
//! {                                        // after, in the construct
//!     float *a_own = a;
//!     a_own += 3; …
//! }
//! ```
//!
//! Input: a typed unit. Output: the same with such pointers replaced in what
//! `parallel` and `serial` govern, each gang having one of its own; the
//! host's text is not made from it. The host's pointer stays where it is.
//! Pointers that are set before they are read need no such thing, and those
//! that clauses inside the construct name are left.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{Checked, CheckedClause, Directives};
use super::table::{ClauseKind, DirectiveKind};
use crate::analysis::directives::expressions;
use crate::analysis::flow::Order;
use crate::ast::DirectiveId;
use crate::front::lowering::constructs::{bodies, constructs};
use crate::typed::synthesis;
use crate::typed::{Expression, ExpressionKind, Statement, StatementKind, SymbolId, Unit, visit};

/// The pointers that constructs have copies of, by the construct's directive.
pub type Moved = BTreeMap<DirectiveId, Vec<SymbolId>>;

/// Rewrites the constructs of all functions.
pub fn run(unit: &mut Unit, directives: &mut Directives) -> Moved {
    let mut moved = Moved::new();
    bodies(unit, &mut |unit, _, body| {
        constructs(directives, body, &mut |directives, directive, body| {
            let checked = directives.get(directive);
            let of_one_kernel = |checked: &&Checked| {
                matches!(
                    checked.kind,
                    DirectiveKind::Parallel | DirectiveKind::Serial
                )
            };
            let Some(checked) = checked.filter(of_one_kernel) else {
                return;
            };
            let found = candidates(unit, directives, checked, body);
            if !found.is_empty() {
                replace(unit, &found, body);
                moved.insert(directive.id, found);
            }
        });
    });
    moved
}

/// Gives pointers copies in what a construct governs.
fn replace(unit: &Unit, found: &[SymbolId], body: &mut Statement) {
    let span = body.span;
    let mut items = Vec::new();
    for &pointer in found {
        let variable = unit.symbol(pointer);
        let wanted = format!("{}_own", variable.name);
        let own = synthesis::variable(unit, &wanted, variable.ty.ty, span);
        rename(body, pointer, own);
        let value = synthesis::symbol(unit, pointer, span);
        items.push(synthesis::declaration(own, Some(value), span));
    }
    items.extend(body.take().into_items());
    body.kind = StatementKind::Compound(items);
}

/// The pointers declared outside of a construct that it moves, having read
/// where they are.
fn candidates(
    unit: &Unit,
    directives: &Directives,
    construct: &Checked,
    body: &Statement,
) -> Vec<SymbolId> {
    let mut assigned = Vec::new();
    let mut is_plain = true;
    visit::expressions(body, &mut |e| {
        is_plain &= !matches!(e.kind, ExpressionKind::Statement(_));
        if let Some(symbol) = e.assigned().and_then(Expression::as_symbol)
            && !assigned.contains(&symbol)
        {
            assigned.push(symbol);
        }
    });
    let mut named = BTreeSet::new();
    let mut note = |item| {
        for e in expressions(item) {
            visit::walk(e, &mut |e| named.extend(e.as_symbol()));
        }
    };
    construct.items(ClauseKind::Private).for_each(&mut note);
    visit::directives(body, &mut |directive| {
        if let Some(checked) = directives.get(directive) {
            let list = directive.arguments.iter().flat_map(|list| &list.items);
            let clauses = checked.clauses.iter().flat_map(CheckedClause::items);
            list.chain(clauses).for_each(&mut note);
        }
    });
    let order = Order::host(body);
    assigned.retain(|&symbol| {
        let variable = unit.symbol(symbol);
        is_plain
            && !body.span.contains(variable.span)
            && variable.is_automatic()
            && !variable.ty.qualifiers.is_volatile
            && unit.types.is_pointer(variable.ty.ty)
            && !named.contains(&symbol)
            && order.flow(unit, symbol).exposed
    });
    assigned
}

fn rename(statement: &mut Statement, from: SymbolId, to: SymbolId) {
    visit::expressions_mut(statement, &mut |e| {
        if let ExpressionKind::Symbol(symbol) = &mut e.kind
            && *symbol == from
        {
            *symbol = to;
        }
    });
}
