//! Checks a directive against the tables: name, clauses, forms of arguments.
//!
//! Input: the directives of a unit, as parsed. Output: for each a [`Checked`]
//! one, of which every clause is allowed, built and of the right form, stored
//! by its id ([`Directives`]): what is rewritten is the stored form, and a
//! directive keeps the text that the user wrote. Types and meaning of the
//! arguments are checked by those who read them.

use super::device_types::{self, Section};
use super::table::{
    CLAUSES, ClauseKind, ClauseRow, DEVICE_SPECIFIC, DIRECTIVES, DirectiveKind, DirectiveRow, Form,
    clause, is_in,
};
use crate::analysis::directives::{self, expressions};
use crate::ast::{self, Argument, ArgumentValue, Arguments, Clause, Directive, DirectiveId};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::constructs;
use crate::front::lowering::directives::{Dialect, Reach, Role};
use crate::front::lowering::words::{enumerate, nearest};
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
        for item in &unit.items {
            if let Item::Directive(written) = item {
                all.check(written, diagnostics);
            }
        }
        for function in &unit.functions {
            all.inside(&function.body, diagnostics);
        }
        all
    }

    fn inside(&mut self, statement: &Statement, diagnostics: &mut Diagnostics) {
        if let StatementKind::Directive(written, _) = &statement.kind {
            self.check(written, diagnostics);
        }
        visit::in_expressions(statement, &mut |inner| self.inside(inner, diagnostics));
        visit::children(statement, &mut |inner| self.inside(inner, diagnostics));
    }

    fn check(&mut self, written: &Directive<Expression>, diagnostics: &mut Diagnostics) {
        if written.dialect != ast::Dialect::OpenAcc {
            return;
        }
        let position = written.id.0 as usize;
        if self.0.len() <= position {
            self.0.resize_with(position + 1, || None);
        }
        self.0[position] = directive(written, diagnostics);
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
        }));
        directive
    }
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
fn identify(directive: &Directive<Expression>) -> Option<(&'static DirectiveRow, usize)> {
    let words: Vec<&str> = directive.name.iter().map(|w| w.value.as_str()).collect();
    DIRECTIVES
        .iter()
        .map(|row| (row, row.name.split(' ').count()))
        .filter(|(row, count)| words.len() >= *count && words[..*count].join(" ") == row.name)
        .max_by_key(|(_, count)| *count)
}

/// Checks a directive. `None` if it is unknown or not built; errors are
/// reported either way.
fn directive(directive: &Directive<Expression>, diagnostics: &mut Diagnostics) -> Option<Checked> {
    let Some((row, words)) = identify(directive) else {
        diagnostics.push(unknown_directive(directive));
        return None;
    };
    let mut checked = Checked {
        kind: row.kind,
        directive: directive.clone(),
        clauses: Vec::new(),
    };
    if let Some(problem) = list_problem(row, directive) {
        diagnostics.push(problem);
    }
    for word in &directive.name[words..] {
        let found = Clause {
            name: word.clone(),
            arguments: None,
            names_copies: false,
            span: word.span,
        };
        let before: Vec<&CheckedClause> = checked.clauses.iter().collect();
        let found = allowed(row.kind, &before, &found, diagnostics);
        checked.clauses.extend(found);
    }
    add_clauses(&mut checked, directive, diagnostics);
    Some(checked)
}

/// Adds the clauses of the device that is translated for: behind
/// `device_type` they take the place of more general ones.
fn add_clauses(
    checked: &mut Checked,
    written: &Directive<Expression>,
    diagnostics: &mut Diagnostics,
) {
    let mut section = Section::Any;
    let mut is_named = false;
    let mut found: Vec<(Section, CheckedClause)> = Vec::new();
    for clause in &written.clauses {
        // Only clauses of the same section are repetitions of each other.
        let same = found.iter().filter(|(known, _)| *known == section);
        let general = checked.clauses.iter().filter(|_| section == Section::Any);
        let before: Vec<&CheckedClause> = same.map(|(_, clause)| clause).chain(general).collect();
        let Some(added) = allowed(checked.kind, &before, clause, diagnostics) else {
            continue;
        };
        if added.kind == ClauseKind::DeviceType && is_in(DEVICE_SPECIFIC, checked.kind) {
            let arguments = added.arguments.as_ref();
            section = arguments.map_or(Section::Other, device_types::section);
            is_named |= section == Section::Ours;
            found.retain(|(known, _)| *known != Section::Other);
            continue;
        }
        let problem = device_types::misplaced(&added).filter(|_| section != Section::Any);
        match problem {
            Some(problem) => diagnostics.push(problem),
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

/// What is wrong with the parentheses right behind a directive's name.
fn list_problem(row: &DirectiveRow, directive: &Directive<Expression>) -> Option<Diagnostic> {
    let (name, span) = (row.name, name_span(directive));
    let list = directive.arguments.as_ref();
    match row.kind {
        DirectiveKind::Routine | DirectiveKind::Wait => None,
        DirectiveKind::Cache if list.is_some_and(|list| !list.items.is_empty()) => None,
        DirectiveKind::Cache => Some(
            malformed(
                "`cache` names no array",
                list.map_or(span, |list| list.span),
            )
            .help("list what the loop's body reads: `cache(a[i - 1:3])`"),
        ),
        DirectiveKind::Fcw if list.is_some() => Some(
            Diagnostic::error(codes::WINDOW_TYPE, "`fcw` without a type", span).help(format!(
                "write the type before the list: {}",
                types_of_fcw()
            )),
        ),
        _ => list.map(|list| malformed(format!("`{name}` takes no argument list"), list.span)),
    }
}

/// `FETCH_ONLY`, … and `WB_ONLY`.
fn types_of_fcw() -> String {
    let types = CLAUSES.iter().filter(|row| row.form == Form::Windows);
    enumerate(types.map(|row| row.spellings[0]))
}

/// A clause behind those of its directive before it, if it may stand there.
fn allowed(
    on: DirectiveKind,
    before: &[&CheckedClause],
    written: &Clause<Expression>,
    diagnostics: &mut Diagnostics,
) -> Option<CheckedClause> {
    let row = match clause(&written.name.value, on) {
        None => Err(unknown_clause(on, &written.name)),
        Some(row) if !row.is_on(on) => Err(not_allowed(on, row, written)),
        Some(row) => match before.iter().find(|c| c.kind == row.kind && row.once) {
            Some(first) => Err(repeated(first, written)),
            None => form_problem(row, written).map_or(Ok(row), Err),
        },
    };
    let row = row.map_err(|problem| diagnostics.push(problem)).ok()?;
    Some(CheckedClause {
        kind: row.kind,
        name: written.name.clone(),
        arguments: written.arguments.clone(),
        span: written.span,
    })
}

fn repeated(first: &CheckedClause, again: &Clause<Expression>) -> Diagnostic {
    let message = format!("the `{}` clause is repeated", again.name.value);
    Diagnostic::error(codes::DUPLICATE_CLAUSE, message, again.span)
        .also(first.span, "first here")
        .help("keep one of them")
}

/// What a clause of a form needs in parentheses, and how that is written.
fn needed(form: Form, name: &str) -> (&'static str, String) {
    match form {
        Form::Name => (
            "the name of a function",
            format!("write `{name}(f)` or `{name}(\"f\")`"),
        ),
        Form::DeviceTypes => ("a type", format!("write `{name}(nvidia)` or `{name}(*)`")),
        Form::Reduction => (
            "an operator and variables",
            "write `reduction(+:sum)`".into(),
        ),
        Form::Keyword => (
            "an argument",
            "write `default(none)` or `default(present)`".into(),
        ),
        Form::Tile => (
            "the sizes of the tiles",
            "write a size for each loop: `tile(8, 8)`".into(),
        ),
        Form::Variables => ("a list of variables", format!("write `{name}(a, b[0:n])`")),
        _ => ("an argument", format!("write `{name}(expression)`")),
    }
}

/// What is wrong with the form of a clause's argument.
fn form_problem(row: &ClauseRow, written: &Clause<Expression>) -> Option<Diagnostic> {
    let name = &written.name.value;
    let (needs, example) = needed(row.form, name);
    let Some(arguments) = &written.arguments else {
        return match row.form {
            Form::Bare | Form::Optional | Form::Sizes | Form::Queues => None,
            Form::Windows => {
                let message = format!("`{name}` names no array");
                let problem = Diagnostic::error(codes::WINDOW_FORM, message, written.span);
                Some(problem.help(format!("write `{name}(a[i:1:1])`")))
            }
            _ => Some(malformed(format!("`{name}` needs {needs}"), written.span).help(example)),
        };
    };
    let count = arguments.items.len();
    let (message, help) = match row.form {
        Form::Variables => return variables_problem(row.kind, name, arguments),
        Form::Windows => return windows_problem(name, arguments),
        Form::Reduction => return reduction_problem(arguments),
        Form::Expression | Form::Optional => return expression_problem(row.kind, name, arguments),
        Form::Tile => return tile_problem(name, arguments),
        Form::Bare => (
            format!("`{name}` takes no argument"),
            "remove the parentheses".to_owned(),
        ),
        Form::Keyword if !is_keyword(arguments) => {
            (format!("`{name}` takes `none` or `present`"), example)
        }
        Form::Sizes if count == 0 => (
            format!("the parentheses of `{name}` are empty"),
            "remove them or give a size".to_owned(),
        ),
        Form::Name if count != 1 => (format!("`{name}` takes the name of one function"), example),
        Form::DeviceTypes if count == 0 => (format!("`{name}` needs {needs}"), example),
        _ => return None,
    };
    Some(malformed(message, arguments.span).help(help))
}

/// `(none)` or `(present)`.
fn is_keyword(arguments: &Arguments<Expression>) -> bool {
    let mut words = arguments.items.iter().map(|item| match &item.value {
        ArgumentValue::Name { name, .. } => name.value.as_str(),
        _ => "",
    });
    matches!(
        (words.next(), words.next()),
        (Some("none" | "present"), None)
    )
}

/// `tile` takes sizes and `*`.
fn tile_problem(name: &str, arguments: &Arguments<Expression>) -> Option<Diagnostic> {
    let error = |message: String, span| {
        Some(malformed(message, span).help("write a size or `*` for each loop: `tile(8, *)`"))
    };
    if arguments.items.is_empty() {
        return error(format!("`{name}` names no size"), arguments.span);
    }
    arguments.items.iter().find_map(|item| match &item.value {
        _ if item.label.is_some() => error(format!("`{name}` takes no labels"), item.span),
        ArgumentValue::Name { name, symbol: None } => Some(undeclared(name)),
        ArgumentValue::Section(_) => error(format!("`{name}` takes sizes"), item.span),
        ArgumentValue::Name { .. } | ArgumentValue::Expression(_) | ArgumentValue::Star => None,
    })
}

fn expression_problem(
    kind: ClauseKind,
    name: &str,
    arguments: &Arguments<Expression>,
) -> Option<Diagnostic> {
    let label = arguments.modifiers.first().or_else(|| {
        let first = arguments.items.first()?;
        first.label.as_ref()
    });
    if let Some(label) = label
        && (kind != ClauseKind::Collapse || label.value != "force")
    {
        return Some(unknown_modifier(name, label));
    }
    match arguments.items.as_slice() {
        [one] => match &one.value {
            ArgumentValue::Name { name, symbol: None } => Some(undeclared(name)),
            ArgumentValue::Name { .. } | ArgumentValue::Expression(_) => None,
            ArgumentValue::Section(_) | ArgumentValue::Star => {
                Some(malformed(format!("`{name}` takes an expression"), one.span))
            }
        },
        [_, _] | [_, _, _] if kind == ClauseKind::NumGangs => None,
        items => Some(
            malformed(
                format!("`{name}` takes one argument, not {}", items.len()),
                arguments.span,
            )
            .help(format!("write `{name}(expression)`")),
        ),
    }
}

fn variables_problem(
    kind: ClauseKind,
    name: &str,
    arguments: &Arguments<Expression>,
) -> Option<Diagnostic> {
    let unknown = arguments
        .modifiers
        .iter()
        .find(|modifier| !has_modifier(kind, &modifier.value));
    if let Some(modifier) = unknown {
        return Some(unknown_modifier(name, modifier));
    }
    if arguments.items.is_empty() {
        return Some(
            malformed(format!("the list of `{name}` is empty"), arguments.span)
                .help("name the variables, or remove the clause"),
        );
    }
    arguments
        .items
        .iter()
        .find_map(|item| item.label.as_ref())
        .map(|label| unknown_modifier(name, label))
}

fn windows_problem(name: &str, arguments: &Arguments<Expression>) -> Option<Diagnostic> {
    let labels = arguments
        .items
        .iter()
        .filter_map(|item| item.label.as_ref());
    if let Some(modifier) = arguments.modifiers.iter().chain(labels).next() {
        return Some(unknown_modifier(name, modifier));
    }
    arguments.items.is_empty().then(|| {
        let message = format!("the list of `{name}` is empty");
        Diagnostic::error(codes::WINDOW_FORM, message, arguments.span)
            .help(format!("write `{name}(a[i:1:1])`, or remove it"))
    })
}

/// Whether a data clause has a modifier (section 2.7.4).
fn has_modifier(kind: ClauseKind, modifier: &str) -> bool {
    use ClauseKind::{Copy, CopyIn, CopyOut, Create, Present};
    match modifier {
        "readonly" => matches!(kind, CopyIn | Present),
        "zero" => matches!(kind, CopyOut | Create),
        "always" => matches!(kind, Copy | CopyIn | CopyOut),
        "alwaysin" => matches!(kind, Copy | CopyIn),
        "alwaysout" => matches!(kind, Copy | CopyOut),
        "capture" => matches!(kind, Copy | CopyIn | CopyOut | Create),
        _ => false,
    }
}

fn reduction_problem(arguments: &Arguments<Expression>) -> Option<Diagnostic> {
    let error = |message: &str, span: Span| {
        Some(
            malformed(message, span)
                .help("the operators are `+ * max min & | ^ && ||`: `reduction(+:sum)`"),
        )
    };
    match arguments.modifiers.as_slice() {
        [] => error("a reduction needs an operator", arguments.span),
        [_, second, ..] => error("a reduction has one operator", second.span),
        [one] if crate::front::lowering::reductions::operator(&one.value).is_none() => error(
            &format!("`{}` is no reduction operator", one.value),
            one.span,
        ),
        [_] if arguments.items.is_empty() => error("a reduction needs a variable", arguments.span),
        [_] => None,
    }
}

fn unknown_directive(directive: &Directive<Expression>) -> Diagnostic {
    let text = directive.name_text();
    if directive.name.is_empty() {
        let message = "the directive has no name";
        return Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message, directive.span);
    }
    let message = format!("no directive is called `{text}`");
    let diagnostic = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message, name_span(directive));
    let first = directive.name.first().map_or("", |word| &word.value);
    let names = || DIRECTIVES.iter().map(|row| row.name);
    let with_data = format!("{first} data");
    let near = match first {
        "enter" | "exit" => Some(with_data.as_str()),
        _ => nearest(&text, names()).or_else(|| nearest(first, names())),
    };
    diagnostic.help(meant(near, || {
        "the directives are those of OpenACC 3.3, chapter 2".to_owned()
    }))
}

fn unknown_clause(on: DirectiveKind, name: &Spanned<String>) -> Diagnostic {
    if on == DirectiveKind::Fcw {
        return unknown_type(name);
    }
    let message = format!("no clause is called `{}`", name.value);
    let allowed = || CLAUSES.iter().filter(|row| row.is_on(on));
    let own = allowed().flat_map(|row| row.spellings.iter().copied());
    let all = CLAUSES.iter().flat_map(|row| row.spellings.iter().copied());
    let near = nearest(&name.value, own).or_else(|| nearest(&name.value, all));
    Diagnostic::error(codes::UNKNOWN_CLAUSE, message, name.span).help(meant(near, || {
        let taken = enumerate(allowed().map(|row| row.spellings[0]));
        format!("`{}` takes {taken}", on.name())
    }))
}

/// Upper and lower case are told apart, as in all of C; the hint does not.
fn unknown_type(name: &Spanned<String>) -> Diagnostic {
    let message = format!("`fcw` has no type `{}`", name.value);
    let of_fcw = CLAUSES.iter().filter(|row| row.is_on(DirectiveKind::Fcw));
    let words = of_fcw.map(|row| row.spellings[0]);
    let (upper, lower) = (name.value.to_uppercase(), name.value.to_lowercase());
    let near = nearest(&upper, words.clone()).or_else(|| nearest(&lower, words));
    let types = || format!("the types are {}", types_of_fcw());
    Diagnostic::error(codes::WINDOW_TYPE, message, name.span).help(meant(near, types))
}

/// What was meant, if that is known.
fn meant(near: Option<&str>, otherwise: impl FnOnce() -> String) -> String {
    near.map_or_else(otherwise, |near| format!("did you mean `{near}`?"))
}

fn not_allowed(on: DirectiveKind, row: &ClauseRow, written: &Clause<Expression>) -> Diagnostic {
    let message = format!("`{}` is not allowed on `{}`", written.name.value, on.name());
    Diagnostic::error(codes::CLAUSE_NOT_ALLOWED, message, written.span).help(format!(
        "it is allowed on {}",
        enumerate(row.on().map(DirectiveKind::name))
    ))
}

fn unknown_modifier(clause: &str, modifier: &Spanned<String>) -> Diagnostic {
    let message = format!("`{clause}` has no modifier `{}`", modifier.value);
    malformed(message, modifier.span)
}

/// The error for a name in a clause that is not declared.
pub fn undeclared(name: &Spanned<String>) -> Diagnostic {
    let message = format!("the variable `{}` is not declared", name.value);
    Diagnostic::error(codes::UNDECLARED, message, name.span)
        .help("declare it before the directive, in a scope around it")
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
