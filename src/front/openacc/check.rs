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
    clause, is_in, nearest,
};
use crate::analysis::directives::{self, expressions};
use crate::ast::{Argument, ArgumentValue, Arguments, Clause, Directive, DirectiveId};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
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
        let found = CheckedClauseSource {
            name: word,
            arguments: None,
            span: word.span,
        };
        let before: Vec<&CheckedClause> = checked.clauses.iter().collect();
        let found = allowed(row.kind, &before, found, diagnostics);
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
        let source = CheckedClauseSource::of(clause);
        let Some(added) = allowed(checked.kind, &before, source, diagnostics) else {
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
            Diagnostic::error(
                codes::CLAUSE_ARGUMENT,
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
        _ => list.map(|list| {
            Diagnostic::error(
                codes::CLAUSE_ARGUMENT,
                format!("`{name}` takes no argument list"),
                list.span,
            )
        }),
    }
}

/// `FETCH_ONLY`, … and `WB_ONLY`.
fn types_of_fcw() -> String {
    let types = CLAUSES.iter().filter(|row| row.form == Form::Windows);
    enumerate(types.map(|row| row.spellings[0]))
}

/// A clause before it is looked up.
#[derive(Clone, Copy)]
struct CheckedClauseSource<'a> {
    name: &'a Spanned<String>,
    arguments: Option<&'a Arguments<Expression>>,
    span: Span,
}

impl<'a> CheckedClauseSource<'a> {
    fn of(clause: &'a Clause<Expression>) -> Self {
        Self {
            name: &clause.name,
            arguments: clause.arguments.as_ref(),
            span: clause.span,
        }
    }
}

/// A clause behind those of its directive before it, if it may stand there.
fn allowed(
    on: DirectiveKind,
    before: &[&CheckedClause],
    source: CheckedClauseSource<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<CheckedClause> {
    let problem = match clause(&source.name.value, on) {
        None => Some(unknown_clause(on, source.name)),
        Some(row) if !row.is_on(on) => Some(not_allowed(on, row, source)),
        Some(row) => match before.iter().find(|c| c.kind == row.kind && row.once) {
            Some(first) => Some(repeated(first, source)),
            None => match form_problem(row, &source) {
                Some(problem) => Some(problem),
                None => {
                    return Some(CheckedClause {
                        kind: row.kind,
                        name: source.name.clone(),
                        arguments: source.arguments.cloned(),
                        span: source.span,
                    });
                }
            },
        },
    };
    problem.into_iter().for_each(|p| diagnostics.push(p));
    None
}

fn repeated(first: &CheckedClause, source: CheckedClauseSource<'_>) -> Diagnostic {
    Diagnostic::error(
        codes::DUPLICATE_CLAUSE,
        format!("the `{}` clause is repeated", source.name.value),
        source.span,
    )
    .also(first.span, "first here")
    .help("keep one of them")
}

/// What is wrong with the form of a clause's argument.
fn form_problem(row: &ClauseRow, source: &CheckedClauseSource<'_>) -> Option<Diagnostic> {
    let name = &source.name.value;
    let error = |message: String, help: &str| {
        let span = source.arguments.map_or(source.span, |a| a.span);
        Some(Diagnostic::error(codes::CLAUSE_ARGUMENT, message, span).help(help))
    };
    let Some(arguments) = source.arguments else {
        return match row.form {
            Form::Bare | Form::Optional | Form::Sizes | Form::Queues => None,
            Form::Name => error(
                format!("`{name}` needs the name of a function"),
                &format!("write `{name}(f)` or `{name}(\"f\")`"),
            ),
            Form::DeviceTypes => error(
                format!("`{name}` needs a type"),
                &format!("write `{name}(nvidia)` or `{name}(*)`"),
            ),
            Form::Reduction => error(
                format!("`{name}` needs an operator and variables"),
                "write `reduction(+:sum)`",
            ),
            Form::Keyword => error(
                format!("`{name}` needs an argument"),
                "write `default(none)` or `default(present)`",
            ),
            Form::Expression => error(
                format!("`{name}` needs an argument"),
                &format!("write `{name}(expression)`"),
            ),
            Form::Tile => error(
                format!("`{name}` needs the sizes of the tiles"),
                "write a size for each loop: `tile(8, 8)`",
            ),
            Form::Variables => error(
                format!("`{name}` needs a list of variables"),
                &format!("write `{name}(a, b[0:n])`"),
            ),
            Form::Windows => Some(
                Diagnostic::error(
                    codes::WINDOW_FORM,
                    format!("`{name}` names no array"),
                    source.span,
                )
                .help(format!("write `{name}(a[i:1:1])`")),
            ),
        };
    };
    match row.form {
        Form::Bare => error(
            format!("`{name}` takes no argument"),
            "remove the parentheses",
        ),
        Form::Variables => variables_problem(row.kind, name, arguments),
        Form::Windows => windows_problem(name, arguments),
        Form::Reduction => reduction_problem(arguments),
        Form::Keyword => match arguments.items.as_slice() {
            [
                Argument {
                    value: ArgumentValue::Name { name, .. },
                    ..
                },
            ] if matches!(name.value.as_str(), "none" | "present") => None,
            _ => error(
                format!("`{name}` takes `none` or `present`"),
                "write `default(none)` or `default(present)`",
            ),
        },
        Form::Expression | Form::Optional => expression_problem(row.kind, name, arguments),
        Form::Sizes if arguments.items.is_empty() => error(
            format!("the parentheses of `{name}` are empty"),
            "remove them or give a size",
        ),
        Form::Name if arguments.items.len() != 1 => error(
            format!("`{name}` takes the name of one function"),
            &format!("write `{name}(f)` or `{name}(\"f\")`"),
        ),
        Form::Tile => tile_problem(name, arguments),
        Form::DeviceTypes if arguments.items.is_empty() => error(
            format!("`{name}` needs a type"),
            &format!("write `{name}(nvidia)` or `{name}(*)`"),
        ),
        Form::Sizes | Form::Queues | Form::Name | Form::DeviceTypes => None,
    }
}

/// `tile` takes sizes and `*`.
fn tile_problem(name: &str, arguments: &Arguments<Expression>) -> Option<Diagnostic> {
    let error = |message: String, span| {
        Some(
            Diagnostic::error(codes::CLAUSE_ARGUMENT, message, span)
                .help("write a size or `*` for each loop: `tile(8, *)`"),
        )
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
            ArgumentValue::Section(_) | ArgumentValue::Star => Some(Diagnostic::error(
                codes::CLAUSE_ARGUMENT,
                format!("`{name}` takes an expression"),
                one.span,
            )),
        },
        [_, _] | [_, _, _] if kind == ClauseKind::NumGangs => None,
        items => Some(
            Diagnostic::error(
                codes::CLAUSE_ARGUMENT,
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
            Diagnostic::error(
                codes::CLAUSE_ARGUMENT,
                format!("the list of `{name}` is empty"),
                arguments.span,
            )
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
        Diagnostic::error(
            codes::WINDOW_FORM,
            format!("the list of `{name}` is empty"),
            arguments.span,
        )
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
            Diagnostic::error(codes::CLAUSE_ARGUMENT, message, span)
                .help("the operators are `+ * max min & | ^ && ||`: `reduction(+:sum)`"),
        )
    };
    match arguments.modifiers.as_slice() {
        [] => error("a reduction needs an operator", arguments.span),
        [_, second, ..] => error("a reduction has one operator", second.span),
        [one] if super::reductions::operator(&one.value).is_none() => error(
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
        return Diagnostic::error(
            codes::UNKNOWN_DIRECTIVE,
            "the directive has no name",
            directive.span,
        );
    }
    let diagnostic = Diagnostic::error(
        codes::UNKNOWN_DIRECTIVE,
        format!("no directive is called `{text}`"),
        name_span(directive),
    );
    let first = directive.name.first().map_or("", |word| &word.value);
    let names = || DIRECTIVES.iter().map(|row| row.name);
    let help = match first {
        "enter" | "exit" => Some(format!("did you mean `{first} data`?")),
        _ => nearest(&text, names())
            .or_else(|| nearest(first, names()))
            .map(|name| format!("did you mean `{name}`?")),
    };
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic.help("the directives are those of OpenACC 3.3, chapter 2"),
    }
}

fn unknown_clause(on: DirectiveKind, name: &Spanned<String>) -> Diagnostic {
    if on == DirectiveKind::Fcw {
        return unknown_type(name);
    }
    let diagnostic = Diagnostic::error(
        codes::UNKNOWN_CLAUSE,
        format!("no clause is called `{}`", name.value),
        name.span,
    );
    let spellings = |allowed: bool| {
        CLAUSES
            .iter()
            .filter(move |row| !allowed || row.is_on(on))
            .flat_map(|row| row.spellings.iter().copied())
    };
    let near =
        nearest(&name.value, spellings(true)).or_else(|| nearest(&name.value, spellings(false)));
    match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(format!(
            "`{}` takes {}",
            on.name(),
            enumerate(
                CLAUSES
                    .iter()
                    .filter(|row| row.is_on(on))
                    .map(|row| row.spellings[0])
            )
        )),
    }
}

/// Upper and lower case are told apart, as in all of C; the hint does not.
fn unknown_type(name: &Spanned<String>) -> Diagnostic {
    let diagnostic = Diagnostic::error(
        codes::WINDOW_TYPE,
        format!("`fcw` has no type `{}`", name.value),
        name.span,
    );
    let words = CLAUSES
        .iter()
        .filter(|row| row.on().eq([DirectiveKind::Fcw]))
        .map(|row| row.spellings[0]);
    let lower = name.value.to_lowercase();
    let near =
        nearest(&name.value.to_uppercase(), words.clone()).or_else(|| nearest(&lower, words));
    match near {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic.help(format!("the types are {}", types_of_fcw())),
    }
}

fn not_allowed(on: DirectiveKind, row: &ClauseRow, source: CheckedClauseSource<'_>) -> Diagnostic {
    Diagnostic::error(
        codes::CLAUSE_NOT_ALLOWED,
        format!("`{}` is not allowed on `{}`", source.name.value, on.name()),
        source.span,
    )
    .help(format!(
        "it is allowed on {}",
        enumerate(row.on().map(DirectiveKind::name))
    ))
}

/// `a`, `b` and `c`.
pub fn enumerate<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => "no clause".into(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}

fn unknown_modifier(clause: &str, modifier: &Spanned<String>) -> Diagnostic {
    Diagnostic::error(
        codes::CLAUSE_ARGUMENT,
        format!("`{clause}` has no modifier `{}`", modifier.value),
        modifier.span,
    )
}

/// The error for a name in a clause that is not declared.
pub fn undeclared(name: &Spanned<String>) -> Diagnostic {
    Diagnostic::error(
        codes::UNDECLARED,
        format!("the variable `{}` is not declared", name.value),
        name.span,
    )
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

/// The error for something valid that is not built.
pub fn not_yet(what: String, span: Span) -> Diagnostic {
    Diagnostic::error(
        codes::NOT_SUPPORTED_YET,
        format!("{what} is not supported yet"),
        span,
    )
}

/// A `cache` that concerns no loop: a hint about nothing, which goes.
pub fn idle_cache(place: &str, span: Span) -> Diagnostic {
    Diagnostic::warning(
        codes::DIRECTIVE_OUT_OF_PLACE,
        format!("`cache` stands {place}, where it has no effect"),
        span,
    )
    .help("put it at the top of the loop whose iterations read the elements")
}

/// From the first to the last word of the name.
pub fn name_span(directive: &Directive<Expression>) -> Span {
    match (directive.name.first(), directive.name.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => directive.span,
    }
}
