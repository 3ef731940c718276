//! What is said of directives and clauses that the tables do not allow.

mod lists;
mod reductions;

pub(super) use lists::loose_list;

use super::allowed;
use super::check::{CheckedClause, identify, malformed, name_span, undeclared};
use super::clauses::clause_text;
use super::device_types;
use super::example_sections::{item_of, visible};
use super::habits;
use super::table::{
    CLAUSES, ClauseKind, ClauseRow, DIRECTIVES, DirectiveKind, DirectiveRow, Form, clause,
};
use crate::ast::{ArgumentValue, Arguments, Clause, Directive};
use crate::diagnostic::words::{Near, did_you_mean, enumerate};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{Span, Spanned};
use crate::typed::{Expression, Symbol, SymbolKind, Unit};

/// What is wrong with the parentheses right behind a directive's name.
pub(super) fn list_problem(
    unit: &Unit,
    row: &DirectiveRow,
    directive: &Directive<Expression>,
) -> Option<Diagnostic> {
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
                "write a type before the list; the types are {}",
                types_of_fcw()
            )),
        ),
        DirectiveKind::Update => list.map(|list| {
            malformed("`update` does not say in which direction", list.span)
                .help("write `update device(…)` to the device, or `update self(…)` from it")
        }),
        _ => list.map(|list| {
            let problem = malformed(format!("`{name}` takes no argument list"), list.span);
            let Some(clause) = only_clause(row.kind, list) else {
                return problem
                    .help("put the name of a clause before it, such as `copy`, or remove it");
            };
            let clause = Clause {
                name: Spanned {
                    value: clause.to_owned(),
                    span: list.span,
                },
                arguments: Some(list.clone()),
                names_copies: false,
                span: list.span,
            };
            let right = clause_text(unit, &clause);
            let help = format!("write `{name} {right}`");
            problem.help(help).replacement(format!(" {right}"))
        }),
    }
}

/// The clause that a list is of where its directive has one alone that takes it.
fn only_clause(on: DirectiveKind, list: &Arguments<Expression>) -> Option<&'static str> {
    match on {
        DirectiveKind::HostData => Some("use_device"),
        DirectiveKind::Init | DirectiveKind::Shutdown | DirectiveKind::Set => {
            Some(match device_types::are_named(list) {
                true => "device_type",
                false => "device_num",
            })
        }
        _ => None,
    }
}

/// `FETCH_ONLY`, … and `WB_ONLY`.
pub(super) fn types_of_fcw() -> String {
    let types = CLAUSES.iter().filter(|row| row.form == Form::Windows);
    enumerate(types.map(|row| row.spellings[0]))
}

pub(super) fn repeated(first: &CheckedClause, again: &Clause<Expression>) -> Diagnostic {
    let message = format!("the `{}` clause is repeated", again.name.value);
    Diagnostic::error(codes::DUPLICATE_CLAUSE, message, again.span)
        .also(first.span, "first here")
        .help("keep one of them")
}

/// What a clause of a form needs in parentheses, and how that is written.
pub(super) fn needed(form: Form, name: &str) -> (&'static str, String) {
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
        Form::Variables => (
            "a list of variables",
            format!("name variables in parentheses, or remove `{name}`"),
        ),
        _ => ("an argument", argument(name)),
    }
}

/// What an expression in a clause says.
fn argument(name: &str) -> String {
    match name {
        "if" | "self" => "give its condition in parentheses".to_owned(),
        "collapse" => "write the number of loops: `collapse(2)`".to_owned(),
        "vector_length" => "give a number in parentheses, as `vector_length(128)`".to_owned(),
        _ => format!("give a number in parentheses, as `{name}(1)`"),
    }
}

/// What is wrong with the form of a clause's argument.
pub(super) fn form_problem(
    unit: &Unit,
    row: &ClauseRow,
    written: &Clause<Expression>,
) -> Option<Diagnostic> {
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
        Form::Variables => {
            return lists::habitual(unit, row.kind, written, arguments)
                .or_else(|| variables_problem(row.kind, name, arguments));
        }
        Form::Windows => return windows_problem(row.kind, name, arguments),
        Form::Reduction => return reductions::problem(unit, arguments),
        Form::Expression | Form::Optional => return expression_problem(row.kind, name, arguments),
        Form::Tile => return tile_problem(row.kind, name, arguments),
        Form::Bare => (
            format!("`{name}` takes no argument"),
            "remove the parentheses".to_owned(),
        ),
        Form::Keyword if !is_keyword(arguments) => {
            let problem = malformed(
                format!("`{name}` takes `none` or `present`"),
                arguments.span,
            );
            return Some(match near_keyword(arguments) {
                Some(word) => problem
                    .help(format!("did you mean `{word}`?"))
                    .replacement(format!("({word})")),
                None => problem.help(other_default(arguments).map_or(example, str::to_owned)),
            });
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

/// What OpenMP's `default` asks for.
fn other_default(arguments: &Arguments<Expression>) -> Option<&'static str> {
    let [item] = arguments.items.as_slice() else {
        return None;
    };
    let ArgumentValue::Name { name, .. } = &item.value else {
        return None;
    };
    match name.value.as_str() {
        "shared" => Some("remove it: arrays without a clause are shared already"),
        "private" => Some("remove it, and name the variables in `private`"),
        _ => None,
    }
}

/// `(presnt)`.
fn near_keyword(arguments: &Arguments<Expression>) -> Option<&'static str> {
    let [item] = arguments.items.as_slice() else {
        return None;
    };
    let ArgumentValue::Name { name, .. } = &item.value else {
        return None;
    };
    Near::words(&name.value, ["none", "present"].into_iter()).nearest()
}

/// `(none)` or `(present)`.
pub(super) fn is_keyword(arguments: &Arguments<Expression>) -> bool {
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
pub(super) fn tile_problem(
    kind: ClauseKind,
    name: &str,
    arguments: &Arguments<Expression>,
) -> Option<Diagnostic> {
    let error = |message: String, span| {
        Some(malformed(message, span).help("write a size or `*` for each loop: `tile(8, *)`"))
    };
    if let Some(modifier) = arguments.modifiers.first() {
        return Some(unknown_modifier(kind, name, modifier));
    }
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

pub(super) fn expression_problem(
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
        return Some(unknown_modifier(kind, name, label));
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
            .help(argument(name)),
        ),
    }
}

pub(super) fn variables_problem(
    kind: ClauseKind,
    name: &str,
    arguments: &Arguments<Expression>,
) -> Option<Diagnostic> {
    let unknown = arguments
        .modifiers
        .iter()
        .find(|modifier| !has_modifier(kind, &modifier.value));
    if let Some(modifier) = unknown {
        return Some(unknown_modifier(kind, name, modifier));
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
        .map(|label| unknown_modifier(kind, name, label))
}

pub(super) fn windows_problem(
    kind: ClauseKind,
    name: &str,
    arguments: &Arguments<Expression>,
) -> Option<Diagnostic> {
    let labels = arguments
        .items
        .iter()
        .filter_map(|item| item.label.as_ref());
    if let Some(modifier) = arguments.modifiers.iter().chain(labels).next() {
        return Some(unknown_modifier(kind, name, modifier));
    }
    arguments.items.is_empty().then(|| {
        let message = format!("the list of `{name}` is empty");
        Diagnostic::error(codes::WINDOW_FORM, message, arguments.span)
            .help(format!("write `{name}(a[i:1:1])`, or remove it"))
    })
}

/// All modifiers.
const MODIFIERS: [&str; 7] = [
    "readonly",
    "zero",
    "always",
    "alwaysin",
    "alwaysout",
    "capture",
    "force",
];

/// Whether a data clause has a modifier (OpenACC 3.4, section 2.7.4).
pub(super) fn has_modifier(kind: ClauseKind, modifier: &str) -> bool {
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

/// `paralel for`: the construct with its loop.
fn loop_of_other(words: &[&str]) -> Option<&'static str> {
    let [first, "for" | "do", ..] = words else {
        return None;
    };
    let constructs = || DIRECTIVES.iter().filter(|row| row.kind.is_compute());
    let alone = constructs().filter(|row| !row.kind.is_loop());
    let near = Near::words(first, alone.map(|row| row.name)).nearest()?;
    let with_loop = format!("{near} loop");
    let row = constructs().find(|row| row.name == with_loop)?;
    Some(row.name)
}

pub(super) fn unknown_directive(
    unit: &Unit,
    directive: &Directive<Expression>,
    place: habits::Place,
) -> Diagnostic {
    if directive.name.is_empty() {
        let message = "the directive has no name";
        return Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message, directive.span);
    }
    let bare = directive
        .clauses
        .iter()
        .take_while(|clause| clause.arguments.is_none());
    let name = directive.name.iter();
    let words: Vec<&Spanned<String>> = name.chain(bare.map(|clause| &clause.name)).collect();
    let all: Vec<&str> = words.iter().map(|word| word.value.as_str()).collect();
    let is_known = identify(directive).is_some();
    // `parallel for`: of the words, those that have no meaning are named, too.
    let count = directive.name.len() + usize::from(is_known);
    let first = all[0];
    let names = || DIRECTIVES.iter().map(|row| row.name);
    let with_data = format!("{first} data");
    let with_loop = format!("{first} loop");
    let is_data = |word: &&str| !Near::words(word, ["data"].into_iter()).is_empty();
    let (count, near) = match first {
        _ if is_known => (count, Near::certain(&with_loop)),
        "enter" | "exit" => {
            let has_data = all.get(1).is_some_and(is_data);
            (
                count.max(1 + usize::from(has_data)),
                Near::certain(&with_data),
            )
        }
        "begin" => (all.len(), Near::default()),
        _ if loop_of_other(&all).is_some() => {
            let found = loop_of_other(&all).map_or_else(Near::default, Near::certain);
            (2, found)
        }
        // `paralel loop` is nearer to `parallel loop` than its first word to anything.
        _ => (1..=all.len().min(3))
            .rev()
            .map(|words| {
                let fitting = names().filter(|name| allowed::goes_with(name, &directive.clauses));
                let written = all[..words].join(" ");
                let mut found = Near::words(&written, fitting);
                if found.is_empty() {
                    found = Near::words(&written, names());
                }
                (words.max(count), found)
            })
            .find(|(_, found)| !found.is_empty())
            .unwrap_or((count, Near::default())),
    };
    let text = all[..count].join(" ");
    let span = words[0].span.to(words[count - 1].span);
    let message = format!("no directive is called `{text}`");
    if habits::is_end(&all) && !is_known {
        let message = format!("no directive is called `{}`", all.join(" "));
        let problem = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message, directive.span);
        return problem.help(habits::END).replacement("");
    }
    let diagnostic = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message, span);
    if let Some(right) = habits::clause_alone(directive) {
        let list = clause_text(unit, &right.clause);
        let help = format!("write `#pragma acc {} {list}`", right.directive);
        let name = &right.clause.name.value;
        return diagnostic
            .help(help)
            .replacement(format!("{} {name}", right.directive));
    }
    if let Some(help) = habits::joined_update(unit, directive) {
        return diagnostic.help(help);
    }
    let moved = |name: &str| habits::moved(unit, name, &directive.clauses);
    let habit = habits::directive(&all, place, &moved).filter(|_| !is_known);
    // The words alone: what is wrong with the clauses is said once the directive is known.
    let right = match &habit {
        Some(_) if habits::is_guess(&all) => None,
        Some(_) => habits::renamed(&all, place).filter(|_| count == all.len()),
        None => (near.nearest()).filter(|name| allowed::goes_with(name, &directive.clauses)),
    };
    let diagnostic = match right {
        Some(right) => diagnostic.replacement(right),
        None => diagnostic,
    };
    diagnostic.help(
        habit
            .or_else(|| near.question())
            .unwrap_or_else(|| "the directives are those of OpenACC 3.3, chapter 2".to_owned()),
    )
}

pub(super) fn unknown_clause(
    unit: &Unit,
    on: DirectiveKind,
    written: &Clause<Expression>,
) -> Diagnostic {
    let name = &written.name;
    if on == DirectiveKind::Fcw {
        return unknown_type(name);
    }
    let message = format!("no clause is called `{}`", name.value);
    // `routine g seq`.
    let is_function =
        |one: &Symbol| one.name == name.value && matches!(one.kind, SymbolKind::Function { .. });
    if on == DirectiveKind::Routine && unit.symbols.iter().any(is_function) {
        let right = format!("({})", name.value);
        return Diagnostic::error(codes::UNKNOWN_CLAUSE, message, name.span)
            .help(format!(
                "the function of a directive stands in parentheses behind its name: write `routine{right}`"
            ))
            .replacement(right);
    }
    let allowed = || CLAUSES.iter().filter(|row| row.is_on(on));
    // Of several spellings of one clause the nearest.
    let nearest = |row: &ClauseRow| Near::words(&name.value, row.spellings.iter().copied()).first();
    let fitting = allowed()
        .filter_map(nearest)
        .filter(|own| allowed::takes_as(on, own, written));
    // `parallel lop`, and `parallel, loop`, in which the comma is wrong.
    let with_loop = format!("{} loop", on.name());
    let is_whole =
        written.arguments.is_none() && DIRECTIVES.iter().any(|row| row.name == with_loop);
    let near = Near::words(&name.value, fitting.chain(is_whole.then_some("loop")));
    let is_apart = near.iter().any(|word| word == name.value);
    let together = is_apart.then(|| format!("write `{with_loop}`, with nothing between the words"));
    let taken = || {
        let taken = enumerate(allowed().map(|row| row.spellings[0]));
        format!("`{}` takes {taken}", on.name())
    };
    let mut problem = Diagnostic::error(codes::UNKNOWN_CLAUSE, message, name.span);
    if let (Some(word), None) = (near.nearest(), &together) {
        problem = problem.replacement(word);
    }
    problem.help(together.or_else(|| near.question()).unwrap_or_else(taken))
}

/// Upper and lower case are told apart, as in all of C; the hint does not.
pub(super) fn unknown_type(name: &Spanned<String>) -> Diagnostic {
    let message = format!("`fcw` has no type `{}`", name.value);
    let of_fcw = CLAUSES.iter().filter(|row| row.is_on(DirectiveKind::Fcw));
    let names = of_fcw.map(|row| row.spellings[0]);
    let near = Near::words(&name.value, names.clone());
    // `FETCH`.
    let begun = format!("{}_", name.value.to_ascii_uppercase());
    let begun = did_you_mean(names.filter(|own| own.starts_with(&begun)));
    let types = || format!("the types are {}", types_of_fcw());
    Diagnostic::error(codes::WINDOW_TYPE, message, name.span)
        .question(near.question().or(begun).unwrap_or_else(types))
}

pub(super) fn not_allowed(
    unit: &Unit,
    on: DirectiveKind,
    row: &ClauseRow,
    written: &Clause<Expression>,
) -> Diagnostic {
    let message = format!("`{}` is not allowed on `{}`", written.name.value, on.name());
    let allowed = || {
        let places = enumerate(row.on().map(DirectiveKind::name));
        format!("it is allowed on {places}")
    };
    let problem = Diagnostic::error(codes::CLAUSE_NOT_ALLOWED, message, written.span);
    if let Some(size) = size_of_construct(unit, on, row.kind, written) {
        let name = &written.name.value;
        let help = format!("write `{size}`; `{name}` stands on the construct's loops");
        return problem.help(help).replacement(size);
    }
    let (help, right) = habits::elsewhere(unit, on, written).unwrap_or_else(|| (allowed(), None));
    let problem = problem.help(help);
    match right {
        Some(right) => problem.replacement(right),
        None => problem,
    }
}

/// `num_gangs(32)` in place of `gang(32)` on a construct without a loop.
fn size_of_construct(
    unit: &Unit,
    on: DirectiveKind,
    kind: ClauseKind,
    written: &Clause<Expression>,
) -> Option<String> {
    let arguments = written.arguments.as_ref()?;
    let is_plain = arguments.modifiers.is_empty()
        && arguments.items.len() == 1
        && arguments.items.iter().all(|item| item.label.is_none());
    let spelling = match kind {
        ClauseKind::Gang => "num_gangs",
        ClauseKind::Worker => "num_workers",
        ClauseKind::Vector => "vector_length",
        _ => return None,
    };
    let row = super::table::clause(spelling, on).filter(|row| row.is_on(on) && is_plain)?;
    let meant = Clause {
        name: Spanned {
            value: row.spellings[0].to_owned(),
            span: written.name.span,
        },
        ..written.clone()
    };
    Some(clause_text(unit, &meant))
}

pub(super) fn unknown_modifier(
    kind: ClauseKind,
    clause: &str,
    modifier: &Spanned<String>,
) -> Diagnostic {
    let message = format!("`{clause}` has no modifier `{}`", modifier.value);
    let has =
        |word: &&str| has_modifier(kind, word) || kind == ClauseKind::Collapse && *word == "force";
    let near = Near::words(&modifier.value, MODIFIERS.into_iter().filter(has));
    if let Some(help) = near.question() {
        let problem = malformed(message, modifier.span).help(help);
        return match near.nearest() {
            Some(word) => problem.replacement(word),
            None => problem,
        };
    }
    let help = format!("remove `{}:`", modifier.value);
    malformed(message, modifier.span).help(help)
}

pub(super) fn without_parentheses(
    unit: &Unit,
    written: &Clause<Expression>,
    names: &[Clause<Expression>],
) -> Diagnostic {
    let name = &written.name.value;
    let end = names.last().map_or(written.span, |last| last.span);
    let message = format!("the list of `{name}` stands in parentheses");
    let names: Vec<&str> = names.iter().map(|one| one.name.value.as_str()).collect();
    let problem = malformed(message, written.span.to(end));
    match name.as_str() {
        // Of others the lengths are not known here.
        "private" | "firstprivate" | "present" | "delete" | "deviceptr" | "use_device"
        | "default" | "device_type" | "dtype" => {
            let right = format!("{name}({})", names.join(", "));
            problem.help(format!("write `{right}`")).replacement(right)
        }
        _ => {
            let items = names.iter().map(|name| item_of(unit, name, written.span));
            let (items, are_whole): (Vec<String>, Vec<bool>) = items.unzip();
            let right = format!("{name}({})", items.join(", "));
            let problem = problem.help(format!("write `{right}`"));
            match are_whole.iter().all(|is_whole| *is_whole) {
                true => problem.replacement(right),
                false => problem,
            }
        }
    }
}

/// Whether a word of a directive that moves data is no clause but a variable; how many such words are
/// behind it.
pub(super) fn data_words(
    unit: &Unit,
    on: DirectiveKind,
    written: &Clause<Expression>,
    rest: &[Clause<Expression>],
) -> Option<usize> {
    let moves = |row: &ClauseRow| matches!(row.kind, ClauseKind::CopyIn | ClauseKind::CopyOut);
    let mut rows = CLAUSES.iter();
    if on != DirectiveKind::Update && !rows.any(|row| row.is_on(on) && moves(row)) {
        return None;
    }
    let is_data = |word: &&Clause<Expression>| {
        let name = &word.name.value;
        let is_known = clause(name, on).is_some() || habits::clause(unit, on, word).is_some();
        word.arguments.is_none() && !is_known && visible(unit, name, word.span).is_some()
    };
    is_data(&written).then(|| rest.iter().take_while(is_data).count())
}

/// `enter data a`.
pub(super) fn data_without_clause(
    unit: &Unit,
    on: DirectiveKind,
    written: &Clause<Expression>,
    names: &[Clause<Expression>],
) -> Diagnostic {
    let all = std::iter::once(written).chain(names);
    let items: Vec<String> = all
        .map(|one| item_of(unit, &one.name.value, one.span).0)
        .collect();
    let list = items.join(", ");
    let (one, other) = match on {
        DirectiveKind::EnterData => ("copyin", "create"),
        DirectiveKind::ExitData => ("copyout", "delete"),
        DirectiveKind::Update => ("self", "device"),
        _ => ("copy", "copyin"),
    };
    let end = names.last().unwrap_or(written).span;
    let message = "no clause says what becomes of this data";
    Diagnostic::error(codes::UNKNOWN_CLAUSE, message, written.span.to(end))
        .help(format!("write `{one}({list})` or `{other}({list})`"))
}

/// `if present`.
pub(super) fn split_word(
    on: DirectiveKind,
    written: &Clause<Expression>,
    next: Option<&Clause<Expression>>,
) -> Option<Diagnostic> {
    let next = next.filter(|_| written.arguments.is_none())?;
    let joined = format!("{}_{}", written.name.value, next.name.value);
    let row = super::table::clause(&joined, on).filter(|row| row.is_on(on))?;
    allowed::takes_as(on, &joined, next).then_some(())?;
    let message = format!(
        "no clause is called `{} {}`",
        written.name.value, next.name.value
    );
    let span = written.span.to(next.name.span);
    let problem = Diagnostic::error(codes::UNKNOWN_CLAUSE, message, span);
    let right = row.spellings[0];
    Some(problem.help(format!("write `{right}`")).replacement(right))
}

/// `data copy(a) parallel loop`.
pub(super) fn two_directives(second: &str, place: Span) -> Diagnostic {
    let message = format!("a second directive, `{second}`, stands on the line of another one");
    let help = format!("begin a line with it: `#pragma acc {second}`");
    Diagnostic::error(codes::UNKNOWN_CLAUSE, message, place).help(help)
}
