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

use std::collections::BTreeMap;

use super::{elements, replace, replace_inside};
use crate::ast::{Argument, ArgumentValue, Directive, DirectiveId};
use crate::diagnostic::Diagnostics;
use crate::front::lowering::constructs::{Construct, bodies, constructs};
use crate::front::lowering::objects::{self, Object, Own};
use crate::front::openacc::check::Directives;
use crate::front::openacc::table::ClauseKind;
use crate::typed::synthesis;
use crate::typed::{
    Expression, ExpressionKind, IntegerKind, Statement, SymbolId, Type, TypeId, UnaryOperator,
    Unit, visit,
};

/// A variable in place of a member or an element.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The variable.
    pub own: SymbolId,
    /// What the objects are called: members, or elements.
    pub kind: &'static str,
    /// Takes the member's value.
    pub before: Statement,
    /// Gives it back.
    pub after: Statement,
}

/// The variables of constructs, by their directives.
pub type ReducedMembers = BTreeMap<DirectiveId, Vec<Reduced>>;

/// Rewrites the constructs of all functions.
pub fn run(
    unit: &mut Unit,
    directives: &mut Directives,
    diagnostics: &mut Diagnostics,
) -> ReducedMembers {
    let long = unit.types.intern(Type::Integer(IntegerKind::Long));
    let mut all = ReducedMembers::new();
    bodies(unit, &mut |unit, _, body| {
        constructs(directives, body, &mut |directives, directive, body| {
            let mut items = Vec::new();
            members(directives, directive, &mut items);
            visit::directives(body, &mut |inner| members(directives, inner, &mut items));
            let mut reduced = Vec::new();
            for item in items {
                reduced.extend(rewrite(unit, directives, long, directive, body, &item));
            }
            let own = elements::run(unit, directives, long, (directive, body), diagnostics);
            reduced.extend(own);
            if !reduced.is_empty() {
                all.insert(directive.id, reduced);
            }
        });
    });
    all
}

/// The members in the `reduction` clauses of a directive, each once.
fn members(
    directives: &Directives,
    directive: &Directive<Expression>,
    found: &mut Vec<Argument<Expression>>,
) {
    let checked = directives.get(directive);
    for item in checked
        .iter()
        .flat_map(|one| one.items(ClauseKind::Reduction))
    {
        let is_member = matches!(&item.value, ArgumentValue::Expression(e)
            if matches!(e.inner().kind, ExpressionKind::Member { .. }));
        if is_member && !found.iter().any(|one| objects::is_same_item(one, item)) {
            found.push(item.clone());
        }
    }
}

/// Gives a member a variable, where one can stand for it.
fn rewrite(
    unit: &Unit,
    directives: &mut Directives,
    long: TypeId,
    directive: &Directive<Expression>,
    body: &mut Statement,
    item: &Argument<Expression>,
) -> Option<Reduced> {
    let object = Object::of(unit, item)?;
    let is_number = matches!(&item.value, ArgumentValue::Expression(e)
        if unit.types.is_arithmetic(e.ty.ty) && !e.ty.qualifiers.is_const);
    let construct = Construct::of(directives, directive, body);
    let mut is_steady = is_number && is_used_by_members(body, object.root);
    object.each_variable(&mut |symbol| is_steady &= construct.keeps(symbol));
    if !is_steady || objects::used_otherwise(&[&object], body).is_some() {
        return None;
    }
    let name = object.name(unit);
    let own = Own::new(unit, &object, &name, long, body.span);
    own.stand_for(unit, &object, body);
    replace(unit, directives, directive, item, own.symbol);
    replace_inside(unit, directives, body, item, own.symbol);
    let variable = synthesis::symbol(unit, own.symbol, item.span);
    Some(Reduced {
        own: own.symbol,
        kind: "members",
        before: synthesis::assignment(variable.clone(), object.whole()),
        after: synthesis::assignment(object.whole(), variable),
    })
}

/// Whether nothing but members of a struct, or of what a pointer leads to, is used: who uses the
/// whole may use the member, too.
fn is_used_by_members(body: &Statement, root: SymbolId) -> bool {
    let (mut mentions, mut members) = (0, 0);
    visit::expressions(body, &mut |e| {
        mentions += usize::from(matches!(e.kind, ExpressionKind::Symbol(s) if s == root));
        if let ExpressionKind::Member { base, .. } = &e.kind {
            members += usize::from(is_struct_at(base, root));
        }
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
