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
//! among them get a variable in the whole construct.

pub mod members;
mod object;

use std::collections::BTreeSet;

use super::functions::Routines;
use crate::ast::{Argument, ArgumentValue, Clause, Directive};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::canonical;
use crate::source::{Span, Spanned};
use crate::typed::synthesis;
use crate::typed::{
    Expression, IntegerKind, Statement, StatementKind, SymbolId, Type, TypeId, Unit, visit,
};
use object::{Object, Own};

/// Rewrites the loops of all functions.
pub fn run(unit: &mut Unit, routines: &Routines, diagnostics: &mut Diagnostics) {
    let long = unit.types.intern(Type::Integer(IntegerKind::Long));
    for position in 0..unit.functions.len() {
        let function = &unit.functions[position];
        if !visit::has_directives(&function.body) {
            continue;
        }
        let is_routine = routines.level(function.symbol).is_some();
        let mut body = function.body.clone();
        let mut rewriting = Rewriting {
            unit,
            diagnostics,
            long,
            is_routine,
            construct: None,
            loops: 0,
            made: BTreeSet::new(),
            changed: false,
        };
        rewriting.statement(&mut body);
        if rewriting.changed {
            unit.functions[position].body = body;
        }
    }
}

struct Rewriting<'u> {
    unit: &'u mut Unit,
    diagnostics: &'u mut Diagnostics,
    /// The type of indices.
    long: TypeId,
    /// Threads enter the function together.
    is_routine: bool,
    construct: Option<Construct>,
    /// How many loops around may be parallel.
    loops: usize,
    /// The variables made here.
    made: BTreeSet<SymbolId>,
    changed: bool,
}

/// The compute construct around.
struct Construct {
    /// What it governs, as it was.
    body: Statement,
    /// Its variables: declared in it or private.
    own: BTreeSet<SymbolId>,
}

impl Rewriting<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        let StatementKind::Directive(directive, Some(body)) = &mut statement.kind else {
            visit::children_mut(statement, &mut |inner| self.statement(inner));
            return;
        };
        let is = |word: &str| directive.name.iter().any(|name| name.value == word);
        let begins = is("parallel") || is("kernels") || is("serial");
        let is_loop = is("loop");
        if begins {
            let mut own = BTreeSet::new();
            collect_own(body, &mut own);
            collect_private(directive, &mut own);
            let body = (**body).clone();
            self.construct = Some(Construct { body, own });
        }
        let mut around = None;
        if is_loop && !begins {
            around = self.rewrite(directive, body);
        }
        let counts = is_loop && !has(directive, "seq");
        self.loops += usize::from(counts);
        self.statement(body);
        self.loops -= usize::from(counts);
        if begins {
            self.construct = None;
        }
        if let Some((mut before, after)) = around {
            self.changed = true;
            let span = statement.span;
            let kind = std::mem::replace(&mut statement.kind, StatementKind::Break);
            before.push(Statement { kind, span });
            before.extend(after);
            statement.kind = StatementKind::Compound(before);
        }
    }

    /// Whether a loop is shared by the threads of a gang.
    fn is_in_gang(&self, directive: &Directive<Expression>) -> bool {
        if has(directive, "gang") || has(directive, "seq") {
            return false;
        }
        match self.construct {
            Some(_) => self.loops > 0 || has(directive, "worker") || has(directive, "vector"),
            None => self.is_routine,
        }
    }

    /// Gives the objects that a loop reduces variables of their own; what goes
    /// before and after it.
    fn rewrite(
        &mut self,
        directive: &mut Directive<Expression>,
        body: &mut Statement,
    ) -> Option<(Vec<Statement>, Vec<Statement>)> {
        if !self.is_in_gang(directive) {
            return None;
        }
        let like = directive.clone();
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut in_one_thread = None;
        for item in reduced_mut(directive) {
            let Some(object) = Object::of(self.unit, item) else {
                continue;
            };
            if self.made.contains(&object.root) || !self.is_of_gang(&object, item) {
                continue;
            }
            let name = object.name(self.unit);
            let span = item.span;
            let Some(own) = self.own(&object, &name, body, span) else {
                in_one_thread = Some((name, span));
                break;
            };
            before.extend(own.declarations(self.unit, &object, &like));
            after.push(own.store(self.unit, &object, &like));
            let original = item.clone();
            replace(item, self.unit, own.symbol);
            replace_inside(body, &original, item);
        }
        if let Some((name, span)) = in_one_thread {
            self.warn(&name, span);
            one_thread(directive, body);
            self.changed = true;
            return None;
        }
        (!before.is_empty()).then_some((before, after))
    }

    /// The variable that stands for an object in the loop, whose accesses are
    /// changed; nothing if none can.
    fn own(
        &mut self,
        object: &Object,
        name: &str,
        body: &mut Statement,
        span: Span,
    ) -> Option<Own> {
        let is_steady = |s: SymbolId| canonical::modification(body, s).is_none();
        let mut steady = true;
        object.each_variable(&mut |symbol| steady &= is_steady(symbol));
        if !steady || !self.has_room(object) {
            return None;
        }
        let own = Own::new(self.unit, object, name, self.long, span);
        let mut changed = body.clone();
        let unit = &mut *self.unit;
        visit::expressions_mut(&mut changed, &mut |e| own.replace(unit, object, e));
        if object.is_mentioned(&changed) {
            return None;
        }
        *body = changed;
        self.made.insert(own.symbol);
        Some(own)
    }

    /// Whether an array of the object's length can be declared.
    fn has_room(&self, object: &Object) -> bool {
        let Some(length) = object.run_time_length() else {
            return true;
        };
        let mut is_known = true;
        visit::walk(length, &mut |e| {
            is_known &= e.as_symbol().is_none_or(|s| self.is_outside(s)) && !object::is_load(e);
        });
        is_known
    }

    /// Whether a variable has one value in all of the construct.
    fn is_outside(&self, symbol: SymbolId) -> bool {
        let Some(construct) = &self.construct else {
            return false;
        };
        !construct.own.contains(&symbol)
            && canonical::modification(&construct.body, symbol).is_none()
    }

    /// Whether each gang has an object of its own under this name.
    fn is_of_gang(&self, object: &Object, item: &Argument<Expression>) -> bool {
        let Some(construct) = &self.construct else {
            let is_array = matches!(item.value, ArgumentValue::Name { .. });
            return !is_array || !self.unit.symbol(object.root).is_automatic();
        };
        let is_own = construct.own.contains(&object.root);
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
        self.diagnostics.push(
            Diagnostic::warning(
                codes::REDUCED_BY_ONE,
                format!("one thread runs the loop, since no copies can be made of `{name}`"),
                span,
            )
            .help(
                "give the section a length that is known before the construct, and use the \
                 array in the loop by this section alone",
            ),
        );
    }
}

/// The loop and those inside become sequential.
fn one_thread(directive: &mut Directive<Expression>, body: &mut Statement) {
    let keeps =
        |clause: &Clause<Expression>| ["private", "collapse"].contains(&clause.name.value.as_str());
    directive.clauses.retain(keeps);
    directive.clauses.push(clause("seq", directive.span));
    if let StatementKind::Directive(inner, Some(_)) = &body.kind
        && !inner.name.iter().any(|name| name.value == "loop")
    {
        return;
    }
    visit::children_mut(body, &mut |inner| sequential(inner));
}

fn sequential(statement: &mut Statement) {
    if let StatementKind::Directive(directive, Some(body)) = &mut statement.kind
        && directive.name.iter().any(|name| name.value == "loop")
    {
        return one_thread(directive, body);
    }
    visit::children_mut(statement, &mut |inner| sequential(inner));
}

fn has(directive: &Directive<Expression>, clause: &str) -> bool {
    (directive.clauses.iter()).any(|one| one.name.value == clause)
}

/// What the `reduction` clauses of a directive name.
fn reduced_mut(
    directive: &mut Directive<Expression>,
) -> impl Iterator<Item = &mut Argument<Expression>> {
    let clauses = directive.clauses.iter_mut();
    let reductions = clauses.filter(|clause| clause.name.value == "reduction");
    reductions
        .filter_map(|clause| clause.arguments.as_mut())
        .flat_map(|arguments| &mut arguments.items)
}

/// The variable stands in the clause.
fn replace(item: &mut Argument<Expression>, unit: &Unit, own: SymbolId) {
    let name = crate::source::Spanned::new(unit.symbol(own).name.clone(), item.span);
    let symbol = Some(synthesis::symbol(unit, own, item.span));
    item.value = ArgumentValue::Name { name, symbol };
}

/// The same in the clauses of the loops inside.
fn replace_inside(
    statement: &mut Statement,
    original: &Argument<Expression>,
    own: &Argument<Expression>,
) {
    if let StatementKind::Directive(directive, _) = &mut statement.kind {
        for item in reduced_mut(directive) {
            if object::is_same_item(item, original) {
                item.value = own.value.clone();
            }
        }
    }
    visit::children_mut(statement, &mut |inner| replace_inside(inner, original, own));
}

/// What is declared in a statement, and private in loops in it.
fn collect_own(statement: &Statement, own: &mut BTreeSet<SymbolId>) {
    match &statement.kind {
        StatementKind::Declaration(list) => own.extend(list.iter().map(|one| one.symbol)),
        StatementKind::Directive(directive, _) => collect_private(directive, own),
        _ => {}
    }
    visit::children(statement, &mut |inner| collect_own(inner, own));
}

fn collect_private(directive: &Directive<Expression>, own: &mut BTreeSet<SymbolId>) {
    let clauses = directive.clauses.iter();
    let privates = clauses
        .filter(|clause| ["private", "firstprivate"].contains(&clause.name.value.as_str()))
        .filter_map(|clause| clause.arguments.as_ref());
    for item in privates.flat_map(|arguments| &arguments.items) {
        let base = match &item.value {
            ArgumentValue::Name { symbol, .. } => symbol.as_ref(),
            ArgumentValue::Expression(e) => Some(e),
            ArgumentValue::Section(section) => Some(&section.base),
            ArgumentValue::Star => None,
        };
        own.extend(base.and_then(Expression::as_symbol));
    }
}

/// A `loop` directive like another one, with these clauses, on a statement.
pub fn directed(
    like: &Directive<Expression>,
    clauses: Vec<Clause<Expression>>,
    body: Statement,
) -> Statement {
    let span = body.span;
    let directive = Directive {
        clauses,
        ..like.clone()
    };
    let kind = StatementKind::Directive(Box::new(directive), Some(Box::new(body)));
    Statement { kind, span }
}

/// A clause without arguments.
pub fn clause(name: &str, span: Span) -> Clause<Expression> {
    Clause {
        name: Spanned::new(name.to_owned(), span),
        arguments: None,
        span,
    }
}
