//! Checks a directive against the tables: name, clauses, forms of arguments.
//!
//! Input: the directives of a unit, as parsed. Output: for each a [`Checked`]
//! one, of which every clause is allowed, built and of the right form, stored
//! by its id ([`Directives`]): what is rewritten is the stored form, and a
//! directive keeps the text that the user wrote. Types and meaning of the
//! arguments are checked by those who read them.

use super::clauses::clause_text;
use super::device_types::{self, Section};
use super::habits::{self, Meant};
use super::problems::{
    data_without_clause, data_words, form_problem, list_problem, loose_list, not_allowed, repeated,
    split_word, two_directives, unknown_clause, unknown_directive, without_parentheses,
};
use super::table::{
    ClauseKind, ClauseRow, DEVICE_SPECIFIC, DIRECTIVES, DirectiveKind, DirectiveRow, Form, clause,
    is_in,
};
use crate::analysis::directives::{self, expressions};
use crate::ast::{self, Argument, ArgumentValue, Arguments, Clause, Directive, DirectiveId};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::constructs;
use crate::front::lowering::directives::{Dialect, Reach, Role};
use crate::source::{Span, Spanned};
use crate::typed::{
    Expression, ExpressionKind, Item, Statement, StatementKind, SymbolId, Unit, visit,
};

/// A directive that the tables allow.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Which one.
    pub kind: DirectiveKind,
    /// As written.
    pub directive: Directive<Expression>,
    /// Its clauses in order, without those that had an error.
    pub clauses: Vec<CheckedClause>,
    /// Whether any had one: what is missing may be what it says.
    pub has_errors: bool,
}

/// A clause that the tables allow.
#[derive(Clone, Debug)]
pub struct CheckedClause {
    /// Which one.
    pub kind: ClauseKind,
    /// Its name as spelled.
    pub name: Spanned<String>,
    /// Its parentheses.
    pub arguments: Option<Arguments<Expression>>,
    /// Its place.
    pub span: Span,
}

impl Checked {
    /// The first clause of a kind.
    pub fn clause(&self, kind: ClauseKind) -> Option<&CheckedClause> {
        self.clauses.iter().find(|c| c.kind == kind)
    }

    /// Whether it has a clause of a kind.
    pub fn has(&self, kind: ClauseKind) -> bool {
        self.clause(kind).is_some()
    }

    /// What the clauses of a kind name.
    pub fn items(&self, kind: ClauseKind) -> impl Iterator<Item = &Argument<Expression>> {
        let clauses = self.clauses.iter().filter(move |c| c.kind == kind);
        clauses.flat_map(CheckedClause::items)
    }

    /// What the clauses of a kind name, to change it.
    pub fn items_mut(
        &mut self,
        kind: ClauseKind,
    ) -> impl Iterator<Item = &mut Argument<Expression>> {
        let clauses = self.clauses.iter_mut().filter(move |c| c.kind == kind);
        let arguments = clauses.filter_map(|clause| clause.arguments.as_mut());
        arguments.flat_map(|arguments| &mut arguments.items)
    }
}

impl CheckedClause {
    /// Its items; none without parentheses.
    pub fn items(&self) -> &[Argument<Expression>] {
        let arguments = self.arguments.as_ref();
        arguments.map_or(&[], |arguments| &arguments.items)
    }

    /// Its only expression.
    pub fn expression(&self) -> Option<&Expression> {
        self.items().first().and_then(value)
    }
}

/// The directives of a unit by their ids; none for one that is unknown or not
/// built.
#[derive(Debug, Default)]
pub struct Directives(Vec<Option<Checked>>);

impl Directives {
    /// Checks all directives of a unit.
    pub fn of(unit: &Unit, diagnostics: &mut Diagnostics) -> Self {
        let mut all = Self::default();
        let mut checker = Checker {
            unit,
            diagnostics,
            in_construct: false,
        };
        for item in &unit.items {
            if let Item::Directive(written) = item {
                all.check(written, &mut checker);
            }
        }
        for function in &unit.functions {
            all.inside(&function.body, &mut checker);
        }
        all
    }

    fn inside(&mut self, statement: &Statement, checker: &mut Checker) {
        let outside = checker.in_construct;
        if let StatementKind::Directive(written, body) = &statement.kind {
            self.check(written, checker);
            if let (Some(checked), Some(body)) = (self.get_mut(written), body) {
                drop_own_privates(checker.unit, checked, body, checker.diagnostics);
            }
            checker.in_construct |= self.get(written).is_none_or(|one| one.kind.is_compute());
        }
        visit::in_expressions(statement, &mut |inner| self.inside(inner, checker));
        visit::children(statement, &mut |inner| self.inside(inner, checker));
        checker.in_construct = outside;
    }

    fn check(&mut self, written: &Directive<Expression>, checker: &mut Checker) {
        if written.dialect != ast::Dialect::OpenAcc {
            return;
        }
        let position = written.id.0 as usize;
        if self.0.len() <= position {
            self.0.resize_with(position + 1, || None);
        }
        let checked = checker.directive(written);
        self.0[position] = checked.filter(|_| !written.is_partial);
    }

    /// A directive as checked.
    pub fn get(&self, written: &Directive<Expression>) -> Option<&Checked> {
        self.0.get(written.id.0 as usize)?.as_ref()
    }

    /// A directive, to change what its clauses say.
    pub fn get_mut(&mut self, written: &Directive<Expression>) -> Option<&mut Checked> {
        self.0.get_mut(written.id.0 as usize)?.as_mut()
    }

    /// Which directive governs a statement, or stands for it.
    pub fn kind(&self, statement: &Statement) -> Option<DirectiveKind> {
        match &statement.kind {
            StatementKind::Directive(written, _) => Some(self.get(written)?.kind),
            _ => None,
        }
    }

    /// Adds a directive like another one, of a kind and with clauses of its own.
    pub fn add(
        &mut self,
        like: &Directive<Expression>,
        kind: DirectiveKind,
        clauses: Vec<CheckedClause>,
    ) -> Directive<Expression> {
        let directive = Directive {
            id: DirectiveId(u32::try_from(self.0.len()).expect("fewer than 2^32 directives")),
            ..like.clone()
        };
        self.0.push(Some(Checked {
            kind,
            directive: directive.clone(),
            clauses,
            has_errors: false,
        }));
        directive
    }
}

/// Takes out of `private` what is declared in the statement itself, and private already.
fn drop_own_privates(
    unit: &Unit,
    checked: &mut Checked,
    body: &Statement,
    diagnostics: &mut Diagnostics,
) {
    let unknown = |item: &Argument<Expression>| match &item.value {
        ArgumentValue::Name { name, symbol: None } => Some(name.value.clone()),
        _ => None,
    };
    let is_loop = checked.kind.is_loop();
    let privates = checked.clauses.iter_mut();
    for clause in privates.filter(|clause| clause.kind == ClauseKind::Private) {
        let Some(arguments) = &mut clause.arguments else {
            continue;
        };
        if !arguments.items.iter().any(|item| unknown(item).is_some()) {
            continue;
        }
        let declared = visit::declared(body);
        let is_own = |item: &Argument<Expression>| {
            let mut declared = declared.iter().map(|symbol| &unit.symbol(*symbol).name);
            unknown(item).is_some_and(|name| declared.any(|own| *own == name))
        };
        let (own, kept): (Vec<_>, Vec<_>) = arguments.items.drain(..).partition(is_own);
        arguments.items = kept;
        if !own.is_empty() {
            let names: Vec<String> = own.iter().filter_map(unknown).collect();
            diagnostics.push(private_already(unit, clause, &names, is_loop));
        }
    }
    let is_empty = |c: &CheckedClause| c.arguments.is_some() && c.items().is_empty();
    let is_dropped = |c: &CheckedClause| c.kind == ClauseKind::Private && is_empty(c);
    checked.clauses.retain(|clause| !is_dropped(clause));
}

/// The error for names in a `private` clause, which has the others still.
fn private_already(
    unit: &Unit,
    clause: &CheckedClause,
    names: &[String],
    is_loop: bool,
) -> Diagnostic {
    let verb = if names.len() == 1 { "is" } else { "are" };
    let place = if is_loop { "loop" } else { "construct" };
    let list: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "{} {verb} declared in the {place}, and private already",
        list.join(", ")
    );
    let problem = malformed(message, clause.span);
    if clause.items().is_empty() {
        return problem.help("remove the clause").replacement("");
    }
    let kept = Clause {
        name: clause.name.clone(),
        arguments: clause.arguments.clone(),
        names_copies: false,
        span: clause.span,
    };
    let right = clause_text(unit, &kept);
    problem.help(format!("write `{right}`")).replacement(right)
}

/// Says which clauses name copies ([`Clause::names_copies`]).
pub fn mark_copies(unit: &mut Unit) {
    constructs::bodies(unit, &mut |_, _, body| mark_copies_in(body));
}

fn mark_copies_in(statement: &mut Statement) {
    if let StatementKind::Directive(directive, _) = &mut statement.kind {
        for clause in &mut directive.clauses {
            clause.names_copies = clause.name.value == "private";
        }
    }
    visit::children_mut(statement, &mut mark_copies_in);
}

impl Dialect for Directives {
    fn role(&self, directive: &Directive<Expression>) -> Role {
        let Some(checked) = self.get(directive) else {
            return Role::default();
        };
        Role {
            is_construct: checked.kind.is_compute(),
            is_loop: checked.kind.is_loop(),
            governs_several: checked.has(ClauseKind::Collapse) || checked.has(ClauseKind::Tile),
            is_atomic: checked.kind == DirectiveKind::Atomic,
            windows: match checked.kind {
                DirectiveKind::Fcw => Some(Reach::Statement),
                DirectiveKind::Cache => Some(Reach::RestOfBlock),
                _ => None,
            },
            is_of_caller: false,
        }
    }

    fn privates(&self, directive: &Directive<Expression>) -> Vec<SymbolId> {
        let checked = self.get(directive).into_iter();
        let items = checked.flat_map(|one| {
            let private = one.items(ClauseKind::Private);
            private.chain(one.items(ClauseKind::Firstprivate))
        });
        items.filter_map(directives::named).collect()
    }

    /// What is wrong with the lists is reported when they are lowered.
    fn windows(&self, unit: &Unit, directive: &Directive<Expression>) -> Vec<SymbolId> {
        let listed = self.get(directive).map_or_else(Vec::new, |checked| {
            super::windows::listed(unit, checked, &mut Diagnostics::new())
        });
        listed.into_iter().map(|window| window.array).collect()
    }
}

/// The expression of an argument, if it is one.
pub fn value(argument: &Argument<Expression>) -> Option<&Expression> {
    match &argument.value {
        ArgumentValue::Name { symbol, .. } => symbol.as_ref(),
        ArgumentValue::Expression(e) => Some(e),
        ArgumentValue::Section(_) | ArgumentValue::Star => None,
    }
}

/// What an item of a clause names, or takes a section of.
pub fn base(item: &Argument<Expression>) -> Result<&Expression, Diagnostic> {
    if let ArgumentValue::Name { name, symbol: None } = &item.value {
        return Err(undeclared(name));
    }
    directives::base(item).ok_or_else(|| malformed("a variable is expected", item.span))
}

/// Finds the directive's row. Words that are no part of a name count as
/// clauses, so that it does not matter where the parser draws the line.
pub(super) fn identify<E>(directive: &Directive<E>) -> Option<(&'static DirectiveRow, usize)> {
    let words: Vec<&str> = directive.name.iter().map(|w| w.value.as_str()).collect();
    DIRECTIVES
        .iter()
        .map(|row| (row, row.name.split(' ').count()))
        .filter(|(row, count)| words.len() >= *count && words[..*count].join(" ") == row.name)
        .max_by_key(|(_, count)| *count)
}

/// Checks the directives of a unit.
struct Checker<'u, 'd> {
    unit: &'u Unit,
    diagnostics: &'d mut Diagnostics,
    /// Whether a compute construct is around, or what may be meant to be one.
    in_construct: bool,
}

impl Checker<'_, '_> {
    /// Where a directive stands: code of a file with `routine` may be a device's. One that is unknown
    /// may stand between a construct's directive and its statement.
    fn place(&self, written: &Directive<Expression>) -> habits::Place {
        let is_routine = |item: &Item| match item {
            Item::Directive(one) => one.name.first().is_some_and(|word| word.value == "routine"),
            _ => false,
        };
        let mut is_inside = self.in_construct || self.unit.items.iter().any(is_routine);
        for function in &self.unit.functions {
            visit::statements(&function.body, &mut |statement| {
                if let StatementKind::Directive(around, Some(body)) = &statement.kind
                    && identify(around).is_some_and(|(row, _)| row.kind.is_compute())
                {
                    let all = around.span.to(body.span);
                    is_inside |= all.start < written.span.start && written.span.start < all.end;
                }
            });
        }
        match is_inside {
            true => habits::Place::InConstruct,
            false if visit::is_before_loop(self.unit, written.span.end) => {
                habits::Place::BeforeLoop
            }
            false => habits::Place::OnHost,
        }
    }

    /// Checks a directive. `None` if it is unknown or not built; errors are
    /// reported either way.
    fn directive(&mut self, written: &Directive<Expression>) -> Option<Checked> {
        let Some((row, words)) = identify(written) else {
            let place = self.place(written);
            self.diagnostics
                .push(unknown_directive(self.unit, written, place));
            return None;
        };
        if row.kind == DirectiveKind::Loop
            && !self.in_construct
            && let Some(problem) = habits::lost_construct(self.unit, written)
        {
            self.diagnostics.push(problem);
            return None;
        }
        let mut checked = Checked {
            kind: row.kind,
            directive: written.clone(),
            clauses: Vec::new(),
            has_errors: false,
        };
        if let Some(problem) = list_problem(self.unit, row, written) {
            self.diagnostics.push(problem);
            checked.has_errors = true;
        }
        let mut rest = written.clauses.as_slice();
        if let Some(kind) = habits::with_loop(row.kind, rest.first()) {
            let place = self.place(written);
            self.diagnostics
                .push(unknown_directive(self.unit, written, place));
            (checked.kind, checked.has_errors) = (kind, true);
            rest = &rest[1..];
        }
        for word in &written.name[words..] {
            let found = Clause {
                name: word.clone(),
                arguments: None,
                names_copies: false,
                span: word.span,
            };
            let before: Vec<&CheckedClause> = checked.clauses.iter().collect();
            let found = self.allowed(row.kind, &before, &found, rest);
            checked.has_errors |= found.is_none();
            checked.clauses.extend(found);
        }
        self.add_clauses(&mut checked, rest);
        Some(checked)
    }

    /// Adds the clauses of the device that is translated for: behind
    /// `device_type` they take the place of more general ones.
    fn add_clauses(&mut self, checked: &mut Checked, mut rest: &[Clause<Expression>]) {
        let mut section = Section::Any;
        let mut is_named = false;
        let mut found: Vec<(Section, CheckedClause)> = Vec::new();
        while let Some((clause, behind)) = rest.split_first() {
            rest = behind;
            // Only clauses of the same section are repetitions of each other.
            let same = found.iter().filter(|(known, _)| *known == section);
            let general = checked.clauses.iter().filter(|_| section == Section::Any);
            let before: Vec<&CheckedClause> =
                same.map(|(_, clause)| clause).chain(general).collect();
            if let Some(second) = habits::second_directive(checked.kind, clause, rest) {
                self.diagnostics.push(two_directives(&second, clause.span));
                checked.has_errors = true;
                break;
            }
            if let Some(problem) = split_word(checked.kind, clause, rest.first()) {
                self.diagnostics.push(problem);
                (rest, checked.has_errors) = (&rest[1..], true);
                continue;
            }
            if let Some((problem, count)) = loose_list(self.unit, checked.kind, clause, rest) {
                self.diagnostics.push(problem);
                (rest, checked.has_errors) = (&rest[count..], true);
                continue;
            }
            if let Some(count) = bare_names(checked.kind, clause, rest) {
                self.diagnostics
                    .push(without_parentheses(self.unit, clause, &rest[..count]));
                (rest, checked.has_errors) = (&rest[count..], true);
                continue;
            }
            if let Some(count) = data_words(self.unit, checked.kind, clause, rest) {
                let names = &rest[..count];
                let problem = data_without_clause(self.unit, checked.kind, clause, names);
                self.diagnostics.push(problem);
                (rest, checked.has_errors) = (&rest[count..], true);
                continue;
            }
            let Some(added) = self.allowed(checked.kind, &before, clause, rest) else {
                checked.has_errors = true;
                continue;
            };
            if added.kind == ClauseKind::DeviceType && is_in(DEVICE_SPECIFIC, checked.kind) {
                let arguments = added.arguments.as_ref();
                section = arguments.map_or(Section::Other, device_types::section);
                let misspelt = arguments.into_iter().flat_map(device_types::misspelt);
                misspelt.for_each(|warning| self.diagnostics.push(warning));
                is_named |= section == Section::Ours;
                found.retain(|(known, _)| *known != Section::Other);
                continue;
            }
            let problem = device_types::misplaced(&added).filter(|_| section != Section::Any);
            match problem {
                Some(problem) => self.diagnostics.push(problem),
                None => found.push((section, added)),
            }
        }
        // `device_type(*)` is for devices that none names.
        if is_named {
            found.retain(|(section, _)| *section != Section::Rest);
        }
        let special: Vec<(Section, ClauseKind)> = found.iter().map(|(s, c)| (*s, c.kind)).collect();
        found.retain(|(section, clause)| {
            let beaten = special
                .iter()
                .any(|(other, rival)| other > section && *rival == clause.kind);
            *section != Section::Other && !beaten
        });
        checked
            .clauses
            .extend(found.into_iter().map(|(_, clause)| clause));
    }

    /// A clause between those of its directive before and behind it, if it may stand there. One
    /// that another model calls otherwise is the one that was meant.
    fn allowed(
        &mut self,
        on: DirectiveKind,
        before: &[&CheckedClause],
        written: &Clause<Expression>,
        behind: &[Clause<Expression>],
    ) -> Option<CheckedClause> {
        let known = clause(&written.name.value, on);
        let meant = match known {
            None if on != DirectiveKind::Fcw => habits::clause(self.unit, on, written),
            _ => None,
        };
        let is_again = |kind: ClauseKind| {
            let known = behind
                .iter()
                .filter_map(|next| clause(&next.name.value, on));
            let before = before.iter().map(|one| one.kind);
            before
                .chain(known.map(|row| row.kind))
                .any(|one| one == kind)
        };
        let row = match (known, meant) {
            (None, Some(meant)) => {
                let message = format!("OpenACC has no clause `{}`", written.name.value);
                let row = (meant.clause.as_ref()).and_then(|one| clause(&one.name.value, on));
                let meant = match row.filter(|row| row.once && is_again(row.kind)) {
                    Some(row) => Meant::nothing(format!(
                        "remove `{}`: `{}` stands there already",
                        written.name.value, row.spellings[0]
                    )),
                    None => meant,
                };
                let mut problem = Diagnostic::error(codes::UNKNOWN_CLAUSE, message, written.span);
                if let Some(text) = meant.replacement {
                    problem = problem.replacement(text);
                }
                self.diagnostics.push(problem.help(meant.help));
                // What is wrong with its form is said in the help already.
                let (row, meant) = (row?, meant.clause?);
                let is_right = form_problem(self.unit, row, &meant).is_none();
                return is_right.then(|| checked_clause(row, &meant));
            }
            (None, None) => Err(unknown_clause(self.unit, on, written)),
            (Some(row), _) if !row.is_on(on) => Err(not_allowed(self.unit, on, row, written)),
            (Some(row), _) => match before.iter().find(|c| c.kind == row.kind && row.once) {
                Some(first) => Err(repeated(first, written)),
                None => form_problem(self.unit, row, written).map_or(Ok(row), Err),
            },
        };
        let row = row.map_err(|problem| self.diagnostics.push(problem)).ok()?;
        Some(checked_clause(row, written))
    }
}

fn checked_clause(row: &ClauseRow, written: &Clause<Expression>) -> CheckedClause {
    CheckedClause {
        kind: row.kind,
        name: written.name.clone(),
        arguments: written.arguments.clone(),
        span: written.span,
    }
}

/// How many of the words behind a clause are names that it should have in parentheses, as
/// in `private i, j`.
fn bare_names(
    on: DirectiveKind,
    written: &Clause<Expression>,
    rest: &[Clause<Expression>],
) -> Option<usize> {
    let row = clause(&written.name.value, on).filter(|row| row.is_on(on))?;
    if written.arguments.is_some() {
        return None;
    }
    if row.form == Form::Keyword {
        let next = rest.first().filter(|next| next.arguments.is_none())?;
        return ["none", "present"]
            .contains(&&*next.name.value)
            .then_some(1);
    }
    if !matches!(row.form, Form::Variables | Form::DeviceTypes) {
        return None;
    }
    let is_name = |next: &&Clause<Expression>| {
        next.arguments.is_none() && clause(&next.name.value, on).is_none()
    };
    let count = rest.iter().take_while(is_name).count();
    (count > 0).then_some(count)
}

/// The error for a name in a clause that is not declared.
pub fn undeclared(name: &Spanned<String>) -> Diagnostic {
    let message = format!("the variable `{}` is not declared", name.value);
    let help = match name.value.starts_with("acc_") {
        true => "`#include <openacc.h>` declares what OpenACC has",
        false => "declare it before the directive, in a scope around it",
    };
    Diagnostic::error(codes::UNDECLARED, message, name.span).help(help)
}

/// Whether an expression has an error that was reported already.
pub fn is_error(e: &Expression) -> bool {
    visit::any(e, &mut |e| matches!(e.kind, ExpressionKind::Error))
}

/// Whether an argument has an error that was reported already.
pub fn has_error(argument: &Argument<Expression>) -> bool {
    expressions(argument).any(is_error)
}

/// The error for what cannot stand in the parentheses of a clause.
pub fn malformed(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error(codes::CLAUSE_ARGUMENT, message, span)
}

/// The error for something valid that is not built.
pub fn not_yet(what: String, span: Span) -> Diagnostic {
    let message = format!("{what} is not supported yet");
    Diagnostic::error(codes::NOT_SUPPORTED_YET, message, span)
}

/// A `cache` that concerns no loop: a hint about nothing, which goes.
pub fn idle_cache(place: &str, span: Span) -> Diagnostic {
    let message = format!("`cache` stands {place}, where it has no effect");
    Diagnostic::warning(codes::DIRECTIVE_OUT_OF_PLACE, message, span)
        .help("put it at the top of the loop whose iterations read the elements")
}

/// From the first to the last word of the name.
pub fn name_span(directive: &Directive<Expression>) -> Span {
    match (directive.name.first(), directive.name.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => directive.span,
    }
}
