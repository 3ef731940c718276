//! Reductions of members that all gangs have in common (OpenACC 3.3, sections
//! 1.6 and 2.9.11).
//!
//! ```c
//! #pragma acc parallel loop reduction(+:s.energy)     // before
//! for (int i = 0; i < n; i++)
//!     s.energy += a[i];
//!
//! double energy_own;                                  // after; on the device
//! launch 0: energy_own = s.energy;
//! launch 1: parallel loop reduction(+:energy_own)
//!           for (int i = 0; i < n; i++)
//!               energy_own += a[i];
//! launch 2: s.energy = energy_own;
//! ```
//!
//! Input: a typed unit. Output: the same with a variable for each such member
//! in the construct and in its clauses, and what has to run before and after;
//! the host's text is not made from it. The member must be used by its name in
//! the construct, and lie in a variable from outside whose place does not change.

use std::collections::{BTreeMap, BTreeSet};

use super::object::{self, Object, Own};
use super::{collect_own, collect_private, reduced_mut, replace, replace_inside};
use crate::ast::{Argument, ArgumentValue, Directive};
use crate::front::lowering::canonical;
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{
    Expression, ExpressionKind, IntegerKind, Statement, StatementKind, SymbolId, Type, TypeId,
    UnaryOperator, Unit, visit,
};

/// A variable in place of a member.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The variable.
    pub own: SymbolId,
    /// Takes the member's value.
    pub before: Statement,
    /// Gives it back.
    pub after: Statement,
}

/// The variables of constructs, by their directives.
pub type ReducedMembers = BTreeMap<Span, Vec<Reduced>>;

/// Rewrites the constructs of all functions.
pub fn run(unit: &mut Unit) -> ReducedMembers {
    let long = unit.types.intern(Type::Integer(IntegerKind::Long));
    let mut all = ReducedMembers::new();
    for position in 0..unit.functions.len() {
        if !visit::has_directives(&unit.functions[position].body) {
            continue;
        }
        let mut body = unit.functions[position].body.clone();
        let known = all.len();
        constructs(unit, long, &mut body, &mut all);
        if all.len() > known {
            unit.functions[position].body = body;
        }
    }
    all
}

fn constructs(unit: &mut Unit, long: TypeId, statement: &mut Statement, all: &mut ReducedMembers) {
    let StatementKind::Directive(directive, Some(body)) = &mut statement.kind else {
        visit::children_mut(statement, &mut |inner| constructs(unit, long, inner, all));
        return;
    };
    let is = |word: &str| directive.name.iter().any(|name| name.value == word);
    if !(is("parallel") || is("kernels") || is("serial")) {
        return constructs(unit, long, body, all);
    }
    let mut items = Vec::new();
    members(directive, &mut items);
    inside(body, &mut items);
    let mut reduced = Vec::new();
    for item in items {
        reduced.extend(rewrite(unit, long, directive, body, &item));
    }
    if !reduced.is_empty() {
        all.insert(directive.span, reduced);
    }
}

/// The members in the `reduction` clauses of a directive, each once.
fn members(directive: &mut Directive<Expression>, found: &mut Vec<Argument<Expression>>) {
    for item in reduced_mut(directive) {
        let is_member = matches!(&item.value, ArgumentValue::Expression(e)
            if matches!(e.inner().kind, ExpressionKind::Member { .. }));
        if is_member && !found.iter().any(|one| object::is_same_item(one, item)) {
            found.push(item.clone());
        }
    }
}

/// The same of all directives in a statement.
fn inside(statement: &mut Statement, found: &mut Vec<Argument<Expression>>) {
    if let StatementKind::Directive(directive, _) = &mut statement.kind {
        members(directive, found);
    }
    visit::children_mut(statement, &mut |inner| inside(inner, found));
}

/// Gives a member a variable, where one can stand for it.
fn rewrite(
    unit: &mut Unit,
    long: TypeId,
    directive: &mut Directive<Expression>,
    body: &mut Statement,
    item: &Argument<Expression>,
) -> Option<Reduced> {
    let object = Object::of(unit, item)?;
    let is_number = matches!(&item.value, ArgumentValue::Expression(e)
        if unit.types.is_arithmetic(e.ty.ty) && !e.ty.qualifiers.is_const);
    let mut own = BTreeSet::new();
    collect_own(body, &mut own);
    collect_private(directive, &mut own);
    let mut is_steady = is_number && is_used_by_members(body, object.root);
    object.each_variable(&mut |symbol| {
        is_steady &= !own.contains(&symbol) && canonical::modification(body, symbol).is_none();
    });
    if !is_steady {
        return None;
    }
    let name = object.name(unit);
    let own = Own::new(unit, &object, &name, long, body.span);
    let mut changed = body.clone();
    visit::expressions_mut(&mut changed, &mut |e| own.replace(unit, &object, e));
    if object.is_mentioned(&changed) {
        return None;
    }
    *body = changed;
    let mut renamed = item.clone();
    replace(&mut renamed, unit, own.symbol);
    for one in reduced_mut(directive) {
        if object::is_same_item(one, item) {
            one.value = renamed.value.clone();
        }
    }
    replace_inside(body, item, &renamed);
    let variable = synthesis::symbol(unit, own.symbol, item.span);
    Some(Reduced {
        own: own.symbol,
        before: synthesis::assignment(variable.clone(), object.whole()),
        after: synthesis::assignment(object.whole(), variable),
    })
}

/// Whether nothing but members of a struct, or of what a pointer leads to, is used: who uses the
/// whole may use the member, too.
fn is_used_by_members(body: &Statement, root: SymbolId) -> bool {
    let (mut mentions, mut members) = (0, 0);
    visit::statement_roots(body, &mut |outermost| {
        visit::walk(outermost, &mut |e| {
            mentions += usize::from(matches!(e.kind, ExpressionKind::Symbol(s) if s == root));
            if let ExpressionKind::Member { base, .. } = &e.kind {
                members += usize::from(is_struct_at(base, root));
            }
        });
    });
    mentions == members
}

/// Whether an expression is the variable, or an element of it.
fn is_struct_at(e: &Expression, root: SymbolId) -> bool {
    match &e.inner().kind {
        ExpressionKind::Symbol(symbol) => *symbol == root,
        ExpressionKind::Index(base, _)
        | ExpressionKind::Unary(UnaryOperator::Indirection, base) => is_struct_at(base, root),
        _ => false,
    }
}
