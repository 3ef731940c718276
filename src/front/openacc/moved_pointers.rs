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

use crate::analysis::flow::Order;
use crate::ast::{Argument, ArgumentValue, Directive};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{
    Expression, ExpressionKind, Statement, StatementKind, SymbolId, Type, Unit, visit,
};

/// The pointers that constructs have copies of, by the construct's directive.
pub type Moved = BTreeMap<Span, Vec<SymbolId>>;

/// Rewrites the constructs of all functions.
pub fn run(unit: &mut Unit) -> Moved {
    let mut moved = Moved::new();
    for position in 0..unit.functions.len() {
        if !visit::has_directives(&unit.functions[position].body) {
            continue;
        }
        let mut body = unit.functions[position].body.clone();
        let known = moved.len();
        constructs(unit, &mut body, &mut moved);
        if moved.len() > known {
            unit.functions[position].body = body;
        }
    }
    moved
}

fn constructs(unit: &mut Unit, statement: &mut Statement, moved: &mut Moved) {
    let StatementKind::Directive(directive, Some(body)) = &mut statement.kind else {
        visit::children_mut(statement, &mut |inner| constructs(unit, inner, moved));
        return;
    };
    let names: Vec<&str> = directive.name.iter().map(|n| n.value.as_str()).collect();
    if names != ["parallel"] && names != ["serial"] {
        return constructs(unit, body, moved);
    }
    let found = candidates(unit, directive, body);
    if found.is_empty() {
        return;
    }
    let span = body.span;
    let mut items = Vec::new();
    for &pointer in &found {
        let variable = unit.symbol(pointer).clone();
        let wanted = format!("{}_own", variable.name);
        let own = synthesis::variable(unit, &wanted, variable.ty.ty, span);
        rename(body, pointer, own);
        let value = synthesis::symbol(unit, pointer, span);
        items.push(synthesis::declaration(own, Some(value), span));
    }
    match std::mem::replace(&mut body.kind, StatementKind::Break) {
        StatementKind::Compound(rest) => items.extend(rest),
        kind => items.push(Statement { kind, span }),
    }
    body.kind = StatementKind::Compound(items);
    moved.insert(directive.span, found);
}

/// The pointers declared outside of a construct that it moves, having read
/// where they are.
fn candidates(unit: &Unit, directive: &Directive<Expression>, body: &Statement) -> Vec<SymbolId> {
    let mut assigned = Vec::new();
    let mut is_plain = true;
    visit::statement_roots(body, &mut |root| {
        visit::walk(root, &mut |e| {
            is_plain &= !matches!(e.kind, ExpressionKind::Statement(_));
            if let Some(symbol) = e.assigned().and_then(Expression::as_symbol)
                && !assigned.contains(&symbol)
            {
                assigned.push(symbol);
            }
        });
    });
    let mut named = BTreeSet::new();
    clauses_inside(body, &mut named);
    collect(directive, &["private"], &mut named);
    let order = Order::host(body);
    assigned.retain(|&symbol| {
        let variable = unit.symbol(symbol);
        let is_inside =
            body.span.start <= variable.span.start && variable.span.end <= body.span.end;
        is_plain
            && !is_inside
            && variable.is_automatic()
            && !variable.ty.qualifiers.is_volatile
            && matches!(unit.types.get(variable.ty.ty), Type::Pointer(_))
            && !named.contains(&symbol)
            && order.flow(unit, symbol).exposed
    });
    assigned
}

/// What clauses of directives in a construct name.
fn clauses_inside(statement: &Statement, named: &mut BTreeSet<SymbolId>) {
    if let StatementKind::Directive(directive, _) = &statement.kind {
        collect(directive, &[], named);
    }
    visit::children(statement, &mut |inner| clauses_inside(inner, named));
}

/// What the clauses of these names mention, or all of them if none is given.
fn collect(directive: &Directive<Expression>, of: &[&str], named: &mut BTreeSet<SymbolId>) {
    let clauses = directive.clauses.iter();
    let arguments = clauses
        .filter(|clause| of.is_empty() || of.contains(&clause.name.value.as_str()))
        .filter_map(|clause| clause.arguments.as_ref())
        .chain(directive.arguments.as_ref().filter(|_| of.is_empty()));
    for item in arguments.flat_map(|arguments| &arguments.items) {
        mentioned(item, named);
    }
}

fn mentioned(item: &Argument<Expression>, named: &mut BTreeSet<SymbolId>) {
    let mut add = |e: &Expression| visit::walk(e, &mut |e| named.extend(e.as_symbol()));
    match &item.value {
        ArgumentValue::Name { symbol, .. } => symbol.iter().for_each(&mut add),
        ArgumentValue::Expression(e) => add(e),
        ArgumentValue::Section(section) => {
            add(&section.base);
            let parts = section.dimensions.iter().flat_map(|d| &d.parts);
            parts.flatten().for_each(&mut add);
        }
        ArgumentValue::Star => {}
    }
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
