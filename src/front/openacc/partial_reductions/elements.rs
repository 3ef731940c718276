//! Reductions of elements that all gangs have in common, of arrays that the construct uses
//! otherwise as well (OpenACC 3.3, sections 1.6 and 2.9.11).
//!
//! ```c
//! #pragma acc parallel loop reduction(+:s[1]) reduction(max:s[3])     // before
//! for (int i = 0; i < n; i++) {
//!     s[1] += s[0] * a[i];
//!     s[3] = fmax(s[3], a[i]);
//! }
//!
//! launch 0: s_own = s[1]; s_own2 = s[3];                              // after; on the device
//! launch 1: parallel loop reduction(+:s_own) reduction(max:s_own2)
//!           for (int i = 0; i < n; i++) {
//!               s_own += s[0] * a[i];
//!               s_own2 = fmax(s_own2, a[i]);
//!           }
//! launch 2: s[1] = s_own; s[3] = s_own2;
//! ```
//!
//! A reduction that is left for the kernel's end has private copies of the array, in which there is
//! nothing but the identity of its operator. So arrays stay there of which the construct uses what is
//! reduced alone, all of it in one way. Another subscript is of another element where the reduced one
//! is updated by its own: while it is reduced, it has no value that could be read. An update may be a
//! part of the reduction, and is an error where its subscript does not tell. Where no variable can stand for an element, or a section is reduced,
//! the clause is an error.

use std::collections::BTreeSet;

use super::members::Reduced;
use super::{replace, replace_inside};
use crate::ast::{Argument, ArgumentValue, Directive, DirectiveId};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::front::lowering::constructs::Construct;
use crate::front::lowering::objects::{self, Object, Own};
use crate::front::lowering::reductions::operator;
use crate::front::openacc::check::{Directives, has_error, not_yet};
use crate::front::openacc::reductions;
use crate::front::openacc::table::ClauseKind;
use crate::ir::ReductionOperator;
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, ExpressionKind, Statement, SymbolId, TypeId, Unit, visit};

/// What a clause reduces of an array.
struct Part {
    /// Whose clause it is.
    directive: DirectiveId,
    item: Argument<Expression>,
    object: Object,
    operator: ReductionOperator,
    /// Its updates are atomic, so that the array stays in memory.
    is_atomic: bool,
}

/// What a construct does with an array.
#[derive(Default)]
struct Uses {
    /// Accesses of what no clause reduces.
    apart: usize,
    /// Accesses that may be of anything, and how many of them are in loops that reduce.
    unknown: usize,
    unknown_inside: usize,
    /// One of them that is updated: of a reduced element, it is part of the reduction.
    updated: Option<Span>,
    /// It is named without subscripts.
    has_bare: bool,
    /// Every element that is reduced is assigned by its subscript.
    all_updated: bool,
}

/// Gives variables to the elements in the clauses of a construct and of its loops.
pub fn run(
    unit: &Unit,
    directives: &mut Directives,
    long: TypeId,
    (directive, body): (&Directive<Expression>, &mut Statement),
    diagnostics: &mut Diagnostics,
) -> Vec<Reduced> {
    let construct = Construct::of(directives, directive, body);
    let mut parts = Vec::new();
    collect(unit, directives, directive, &mut parts);
    visit::directives(body, &mut |inner| {
        collect(unit, directives, inner, &mut parts)
    });
    parts.retain(|part| !construct.owns(part.object.root));
    let roots: BTreeSet<SymbolId> = parts.iter().map(|part| part.object.root).collect();
    let mut reduced = Vec::new();
    for root in roots {
        let own: Vec<&Part> = parts.iter().filter(|p| p.object.root == root).collect();
        let uses = uses(unit, directives, &own, (directive, body));
        let differ = own.iter().any(|part| differs(unit, own[0], part));
        let are_others = uses.unknown > 0 && uses.all_updated;
        let stays = own.iter().all(|part| part.is_atomic);
        if stays || !differ && uses.apart == 0 && !are_others {
            continue;
        }
        if let Some(place) = uses.updated.filter(|_| are_others) {
            diagnostics.push(unclear(unit, own[0], place));
        } else if can_have_own(&construct, &own, &uses) {
            for part in own {
                reduced.push(rewrite(unit, directives, long, (directive, body), part));
            }
        } else if differ || uses.apart > 0 {
            let problem = refused(unit, &own, differ);
            problem.into_iter().for_each(|one| diagnostics.push(one));
        }
    }
    reduced
}

/// The parts of arrays in the `reduction` clauses of a directive.
fn collect(
    unit: &Unit,
    directives: &Directives,
    directive: &Directive<Expression>,
    found: &mut Vec<Part>,
) {
    let Some(checked) = directives.get(directive) else {
        return;
    };
    let clauses = checked.clauses.iter();
    for clause in clauses.filter(|one| one.kind == ClauseKind::Reduction) {
        let words = clause.arguments.as_ref().map(|all| &all.modifiers);
        let word = words.and_then(|words| words.first());
        let Some(operator) = word.and_then(|word| operator(&word.value)) else {
            continue;
        };
        for item in clause.items().iter().filter(|item| !has_error(item)) {
            let object = Object::of(unit, item).map(|object| object.narrowed(unit));
            let Some(object) = object.filter(Object::is_of_array) else {
                continue;
            };
            let is_known =
                |one: &Part| one.operator == operator && objects::is_same_item(&one.item, item);
            if found.iter().any(is_known) {
                continue;
            }
            found.push(Part {
                directive: directive.id,
                item: item.clone(),
                object,
                operator,
                is_atomic: checked.kind.is_loop() && reductions::is_atomic(unit, item, operator),
            });
        }
    }
}

/// Whether private copies of the array do not serve two clauses: theirs have one identity, and what
/// is behind a pointer one part.
fn differs(unit: &Unit, one: &Part, other: &Part) -> bool {
    let ty = unit.symbol(one.object.root).ty.ty;
    let is_fixed = unit.types.is_array(ty) && !unit.types.is_variable_length(ty);
    let is_same = objects::is_same_item(&one.item, &other.item);
    one.operator != other.operator || !is_fixed && !is_same
}

/// Whether variables can stand for all of them.
fn can_have_own(construct: &Construct, parts: &[&Part], uses: &Uses) -> bool {
    let mut is_steady = true;
    for part in parts {
        is_steady &= part.object.is_element();
        (part.object).each_variable(&mut |symbol| is_steady &= construct.keeps(symbol));
    }
    // Others may be of a reduced element outside of the loops.
    let are_others = uses.unknown == uses.unknown_inside && uses.all_updated;
    is_steady && !uses.has_bare && (uses.unknown == 0 || are_others)
}

fn uses(
    unit: &Unit,
    directives: &Directives,
    parts: &[&Part],
    (directive, body): (&Directive<Expression>, &Statement),
) -> Uses {
    let root = parts[0].object.root;
    let mut uses = Uses::default();
    let (mut mentions, mut accesses) = (0, 0);
    let mut updated = vec![false; parts.len()];
    visit::expressions(body, &mut |e| {
        mentions += usize::from(matches!(e.kind, ExpressionKind::Symbol(s) if s == root));
        let assigned = e.assigned();
        for (part, updated) in parts.iter().zip(&mut updated) {
            *updated |= assigned.is_some_and(|to| part.object.meets(unit, to) == Some(true));
        }
        if !is_access(unit, e, root) {
            return;
        }
        accesses += 1;
        match relation(unit, parts, e) {
            Some(false) => uses.apart += 1,
            Some(true) => {}
            None => uses.unknown += 1,
        }
    });
    visit::expressions(body, &mut |e| {
        let is_unknown =
            |to: &&Expression| is_access(unit, to, root) && relation(unit, parts, to).is_none();
        if let Some(to) = updated_by(e).map(Expression::inner).filter(is_unknown) {
            uses.updated.get_or_insert(to.span);
        }
    });
    let mut inside = |body: &Statement| {
        visit::expressions(body, &mut |e| {
            let is_unknown = is_access(unit, e, root) && relation(unit, parts, e).is_none();
            uses.unknown_inside += usize::from(is_unknown);
        });
    };
    match reduces(unit, directives, directive, root) {
        true => inside(body),
        false => outermost(unit, directives, body, root, &mut inside),
    }
    uses.has_bare = mentions != accesses;
    uses.all_updated = updated.iter().all(|own| *own);
    uses
}

/// What an expression gives a value that is made of the one before: `s[k] += x`, `s[k] = s[k] + x`.
fn updated_by(e: &Expression) -> Option<&Expression> {
    match &e.kind {
        ExpressionKind::CompoundAssign { target, .. } => Some(target),
        ExpressionKind::Unary(operator, target) if operator.is_step() => Some(target),
        ExpressionKind::Assign(target, value) => {
            let mut is_read = false;
            visit::walk(value, &mut |one| is_read |= one.is_same(target.inner()));
            is_read.then_some(&**target)
        }
        _ => None,
    }
}

/// Whether an access is of one of the parts; nothing where that depends on values.
fn relation(unit: &Unit, parts: &[&Part], access: &Expression) -> Option<bool> {
    let found = parts.iter().map(|part| part.object.meets(unit, access));
    let found: Vec<Option<bool>> = found.collect();
    match found.contains(&Some(true)) {
        true => Some(true),
        false if found.contains(&None) => None,
        false => Some(false),
    }
}

/// Whether an expression is an access of a number in an array, by subscripts alone.
fn is_access(unit: &Unit, e: &Expression, root: SymbolId) -> bool {
    let mut at = e;
    if !matches!(e.kind, ExpressionKind::Index(..)) || unit.types.is_array(e.ty.ty) {
        return false;
    }
    while let ExpressionKind::Index(array, _) = &at.kind {
        at = array.without_conversions().inner();
    }
    at.as_symbol() == Some(root)
}

/// Whether a directive reduces something of an array.
fn reduces(
    unit: &Unit,
    directives: &Directives,
    directive: &Directive<Expression>,
    root: SymbolId,
) -> bool {
    let checked = directives.get(directive);
    let mut items = checked
        .iter()
        .flat_map(|one| one.items(ClauseKind::Reduction));
    items.any(|item| Object::of(unit, item).is_some_and(|object| object.root == root))
}

/// Visits what the outermost directives govern that reduce something of an array.
fn outermost(
    unit: &Unit,
    directives: &Directives,
    statement: &Statement,
    root: SymbolId,
    inside: &mut dyn FnMut(&Statement),
) {
    use crate::typed::StatementKind as K;
    if let K::Directive(directive, Some(body)) = &statement.kind
        && reduces(unit, directives, directive, root)
    {
        return inside(body);
    }
    visit::children(statement, &mut |inner| {
        outermost(unit, directives, inner, root, inside);
    });
}

/// A variable for an element, in the construct and its clauses.
fn rewrite(
    unit: &Unit,
    directives: &mut Directives,
    long: TypeId,
    (directive, body): (&Directive<Expression>, &mut Statement),
    part: &Part,
) -> Reduced {
    let Part { item, object, .. } = part;
    let own = Own::new(unit, object, &object.name(unit), long, body.span);
    visit::expressions_mut(body, &mut |e| {
        if is_access(unit, e, object.root) && object.meets(unit, e) == Some(true) {
            *e = synthesis::symbol(unit, own.symbol, e.span);
        }
    });
    replace(unit, directives, directive, item, own.symbol);
    replace_inside(unit, directives, body, item, own.symbol);
    let variable = synthesis::symbol(unit, own.symbol, item.span);
    Reduced {
        own: own.symbol,
        kind: "elements",
        before: synthesis::assignment(variable.clone(), object.whole()),
        after: synthesis::assignment(object.whole(), variable),
    }
}

/// The error for an update of what may be a reduced element, and would be a part of its reduction then.
fn unclear(unit: &Unit, part: &Part, place: Span) -> Diagnostic {
    let name = &unit.symbol(part.object.root).name;
    let what =
        format!("a reduction of an element of `{name}` while what may be the same one is updated");
    not_yet(what, part.item.span)
        .also(
            place,
            "whether it is that element, its subscripts do not say",
        )
        .help("reduce a scalar of its own, and give its value to the element behind the construct")
}

/// The error for an array of which private copies would be wrong, but where a variable in two clauses
/// of one directive is one already.
fn refused(unit: &Unit, parts: &[&Part], differ: bool) -> Option<Diagnostic> {
    let first = parts[0];
    let name = &unit.symbol(first.object.root).name;
    let other = parts.iter().find(|part| differs(unit, first, part));
    let at = other.filter(|_| differ).copied().unwrap_or(first);
    let is_element = |part: &Part| matches!(part.item.value, ArgumentValue::Expression(_));
    if differ && first.directive == at.directive && !is_element(first) && !is_element(at) {
        return None;
    }
    let problem = match differ {
        true => {
            let what = format!("a second reduction of parts of `{name}` in one construct");
            not_yet(what, at.item.span).also(first.item.span, "the first")
        }
        false => {
            let what = "whose other elements the construct uses,";
            not_yet(
                format!("a reduction of part of `{name}`, {what}"),
                at.item.span,
            )
        }
    };
    Some(problem.help(match at.object.is_element() {
        true => {
            "reduce a scalar of its own, and give its value to the element behind the construct"
        }
        false => "reduce an array of its own, and copy its elements behind the construct",
    }))
}
