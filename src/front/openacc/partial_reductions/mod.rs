//! Reductions of elements and sections that each gang has for itself
//! (OpenACC 3.3, section 2.9.11).
//!
//! ```c
//! #pragma acc loop vector reduction(+:sums[8 * r:8])         // before
//! for (int i = 0; i < n; i++)
//!     sums[8 * r + keys[i]] += a[r][i];
//!
//! {                                                          // after
//!     double sums_own[8];
//!     long sums_first = 8 * r;
//!     for (long k = 0; k < 8; k++) sums_own[k] = sums[sums_first + k];
//!     #pragma acc loop vector reduction(+:sums_own)
//!     for (int i = 0; i < n; i++)
//!         sums_own[8 * r + keys[i] - sums_first] += a[r][i];
//!     for (long k = 0; k < 8; k++) sums[sums_first + k] = sums_own[k];
//! }
//! ```
//!
//! Input: a typed unit. Output: the same with such loops rewritten, in
//! constructs and in routines; the host's text is not made from it. An element
//! or member becomes a scalar, a section of known length an array, one whose
//! length the launch knows an array of variable length. What no variable can
//! stand for (a length that only the device knows, an array that the loop uses
//! otherwise as well) is left to one thread, which A0426 warns of.
//!
//! A section is a gang's own where its bounds or its array vary within the
//! construct, and where no loop around it distributes over gangs. Those that all
//! gangs have in common stay, and end with the kernel; [`members`] of structs
//! among them get a variable in the whole construct, and so do [`elements`] of
//! arrays that the construct uses otherwise.

mod elements;
pub mod members;

use std::collections::BTreeSet;

use super::check::{CheckedClause, Directives};
use super::functions::Routines;
use super::table::{ClauseKind, DirectiveKind};
use crate::ast::{Argument, ArgumentValue, Directive};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::canonical;
use crate::front::lowering::constructs::{Construct, bodies};
use crate::front::lowering::objects::{self as object, Object, Own};
use crate::source::{Span, Spanned};
use crate::typed::synthesis;
use crate::typed::{
    Expression, IntegerKind, Statement, StatementKind, SymbolId, Type, TypeId, Unit, visit,
};

/// Rewrites the loops of all functions.
pub fn run(
    unit: &mut Unit,
    directives: &mut Directives,
    routines: &Routines,
    diagnostics: &mut Diagnostics,
) {
    let long = unit.types.intern(Type::Integer(IntegerKind::Long));
    bodies(unit, &mut |unit, function, body| {
        let mut rewriting = Rewriting {
            unit,
            directives,
            diagnostics,
            long,
            is_routine: routines.level(function).is_some(),
            construct: None,
            loops: 0,
            made: BTreeSet::new(),
        };
        rewriting.statement(body);
    });
}

struct Rewriting<'u> {
    unit: &'u Unit,
    directives: &'u mut Directives,
    diagnostics: &'u mut Diagnostics,
    /// The type of indices.
    long: TypeId,
    /// Threads enter the function together.
    is_routine: bool,
    /// The compute construct around.
    construct: Option<Construct>,
    /// How many loops around may be parallel.
    loops: usize,
    /// The variables made here.
    made: BTreeSet<SymbolId>,
}

impl Rewriting<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        let StatementKind::Directive(directive, Some(body)) = &mut statement.kind else {
            visit::children_mut(statement, &mut |inner| self.statement(inner));
            return;
        };
        let Some(checked) = self.directives.get(directive) else {
            return self.statement(body);
        };
        let (kind, counts) = (
            checked.kind,
            checked.kind.is_loop() && !checked.has(ClauseKind::Sequential),
        );
        if kind.is_compute() {
            self.construct = Some(Construct::of(self.directives, directive, body));
        }
        let around = match kind {
            DirectiveKind::Loop => self.rewrite(directive, body),
            _ => None,
        };
        self.loops += usize::from(counts);
        self.statement(body);
        self.loops -= usize::from(counts);
        if kind.is_compute() {
            self.construct = None;
        }
        if let Some((before, after)) = around {
            statement.surround(before, after);
        }
    }

    /// Whether a loop is shared by the threads of a gang.
    fn is_in_gang(&self, directive: &Directive<Expression>) -> bool {
        let has = |kind| (self.directives.get(directive)).is_some_and(|one| one.has(kind));
        if has(ClauseKind::Gang) || has(ClauseKind::Sequential) {
            return false;
        }
        match self.construct {
            Some(_) => self.loops > 0 || has(ClauseKind::Worker) || has(ClauseKind::Vector),
            None => self.is_routine,
        }
    }

    /// Gives the objects that a loop reduces variables of their own; what goes
    /// before and after it.
    fn rewrite(
        &mut self,
        directive: &Directive<Expression>,
        body: &mut Statement,
    ) -> Option<(Vec<Statement>, Vec<Statement>)> {
        if !self.is_in_gang(directive) {
            return None;
        }
        let items = self.directives.get(directive)?.items(ClauseKind::Reduction);
        let items: Vec<Argument<Expression>> = items.cloned().collect();
        let mut all = Vec::new();
        for item in items {
            let Some(object) = Object::of(self.unit, &item) else {
                continue;
            };
            if self.made.contains(&object.root) || !self.is_of_gang(&object, &item) {
                continue;
            }
            all.push((item, object));
        }
        let objects: Vec<&Object> = all.iter().map(|(_, object)| object).collect();
        let has_none = |object: &&Object| !self.can_have_own(object, body);
        let without =
            (objects.iter().position(has_none)).or_else(|| object::used_otherwise(&objects, body));
        if let Some((item, object)) = without.map(|position| &all[position]) {
            self.warn(&object.name(self.unit), item.span);
            one_thread(self.directives, directive, body);
            return None;
        }
        if all.is_empty() {
            return None;
        }
        let sequential =
            self.directives
                .add(directive, DirectiveKind::Loop, vec![seq(directive.span)]);
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (item, object) in &all {
            let name = object.name(self.unit);
            let own = Own::new(self.unit, object, &name, self.long, item.span);
            own.stand_for(self.unit, object, body);
            before.extend(own.declarations(self.unit, object, &sequential));
            after.push(own.store(self.unit, object, &sequential));
            replace(self.unit, self.directives, directive, item, own.symbol);
            replace_inside(self.unit, self.directives, body, item, own.symbol);
            self.made.insert(own.symbol);
        }
        Some((before, after))
    }

    /// Whether an object is the same in all of a loop, and there can be an array of its length.
    fn can_have_own(&self, object: &Object, body: &Statement) -> bool {
        let mut steady = true;
        object.each_variable(&mut |symbol| {
            steady &= canonical::modification(self.unit, body, symbol).is_none();
        });
        steady && self.has_room(object)
    }

    /// Whether an array of the object's length can be declared.
    fn has_room(&self, object: &Object) -> bool {
        let Some(length) = object.run_time_length() else {
            return true;
        };
        visit::all(length, &mut |e| {
            e.as_symbol().is_none_or(|s| self.is_outside(s)) && !object::is_load(e)
        })
    }

    /// Whether a variable has one value in all of the construct.
    fn is_outside(&self, symbol: SymbolId) -> bool {
        let construct = self.construct.as_ref();
        construct.is_some_and(|construct| construct.keeps(symbol))
    }

    /// Whether each gang has an object of its own under this name.
    fn is_of_gang(&self, object: &Object, item: &Argument<Expression>) -> bool {
        let Some(construct) = &self.construct else {
            let is_array = matches!(item.value, ArgumentValue::Name { .. });
            return !is_array || !self.unit.symbol(object.root).is_automatic();
        };
        let is_own = construct.owns(object.root);
        if object.is_whole_array(self.unit, item) && is_own {
            return false;
        }
        if self.loops == 0 || is_own {
            return true;
        }
        let mut varies = false;
        object.each_variable(&mut |symbol| varies |= !self.is_outside(symbol));
        varies
    }

    fn warn(&mut self, name: &str, span: Span) {
        let message = format!("one thread runs the loop, since no copies can be made of `{name}`");
        self.diagnostics.push(
            Diagnostic::warning(codes::REDUCED_BY_ONE, message, span).help(
                "give the section a length that is known before the construct, and use the \
                 array in the loop by this section alone",
            ),
        );
    }
}

/// The loop and those inside become sequential.
fn one_thread(directives: &mut Directives, directive: &Directive<Expression>, body: &Statement) {
    sequential(directives, directive);
    visit::directives(body, &mut |inner| {
        if directives
            .get(inner)
            .is_some_and(|one| one.kind == DirectiveKind::Loop)
        {
            sequential(directives, inner);
        }
    });
}

fn sequential(directives: &mut Directives, directive: &Directive<Expression>) {
    if let Some(checked) = directives.get_mut(directive) {
        let keeps =
            |one: &CheckedClause| matches!(one.kind, ClauseKind::Private | ClauseKind::Collapse);
        checked.clauses.retain(keeps);
        checked.clauses.push(seq(directive.span));
    }
}

/// A variable stands for an object in the reductions of a directive.
fn replace(
    unit: &Unit,
    directives: &mut Directives,
    directive: &Directive<Expression>,
    object: &Argument<Expression>,
    own: SymbolId,
) {
    let Some(checked) = directives.get_mut(directive) else {
        return;
    };
    for item in checked.items_mut(ClauseKind::Reduction) {
        if object::is_same_item(item, object) {
            let name = Spanned::new(unit.symbol(own).name.clone(), item.span);
            let symbol = Some(synthesis::symbol(unit, own, item.span));
            item.value = ArgumentValue::Name { name, symbol };
        }
    }
}

/// The same in the directives inside.
fn replace_inside(
    unit: &Unit,
    directives: &mut Directives,
    body: &Statement,
    object: &Argument<Expression>,
    own: SymbolId,
) {
    visit::directives(body, &mut |inner| {
        replace(unit, directives, inner, object, own)
    });
}

fn seq(span: Span) -> CheckedClause {
    CheckedClause {
        kind: ClauseKind::Sequential,
        name: Spanned::new("seq".to_owned(), span),
        arguments: None,
        span,
    }
}
