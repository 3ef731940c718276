//! What is wrong with the words of a directive, and what may have been meant.

use super::table::{self, ClauseRow, DirectiveKind, DirectiveRow, Form};
use crate::ast::{Argument, ArgumentValue, Arguments, Clause};
use crate::diagnostic::words::{Near, enumerate};
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::reductions::operator;
use crate::source::{Span, Spanned};
use crate::typed::print::{C, Printer};
use crate::typed::{Expression, Unit};

type Read<T> = Result<T, Box<Diagnostic>>;

/// Whether a clause has what its form asks for.
pub(super) fn form(row: &DirectiveRow, known: &ClauseRow, clause: &Clause<Expression>) -> Read<()> {
    let name = known.name;
    let arguments = clause.arguments.as_ref();
    let count = arguments.map_or(0, |arguments| arguments.items.len());
    let options = arguments.map_or(&[][..], |arguments| &arguments.modifiers);
    if known.form == Form::Reduction {
        let help = "write `reduction(+:sum)`";
        let message = match options {
            [one] if operator(&one.value).is_none() => {
                format!("`{}` is no operator of a reduction", one.value)
            }
            [_] if count > 0 => return Ok(()),
            _ => "a reduction has an operator and variables".to_string(),
        };
        let problem = Diagnostic::error(codes::CLAUSE_ARGUMENT, message, clause.span);
        return Err(Box::new(problem.help(help)));
    }
    let wrong = options
        .iter()
        .find(|option| known.option != Some(option.value.as_str()));
    if let Some(option) = wrong {
        let message = match known.option {
            Some(_) => format!("`{name}` has no option `{}`", option.value),
            None => format!("`{name}` takes nothing in parentheses"),
        };
        let is_list = matches!(
            known.form,
            Form::Variable | Form::OptionalVariable | Form::Variables | Form::AnyVariables
        );
        // Not the option of another clause.
        let is_option =
            |word: &Spanned<String>| !Near::words(&word.value, [OPTION].into_iter()).is_empty();
        if is_list && count == 0 && known.option.is_none() && !options.iter().any(is_option) {
            return Err(in_parentheses(row, known, clause, options));
        }
        let problem = malformed(message, option.span, Some(row));
        return Err(match known.option {
            Some(own) => Box::new(problem.note(format!("its option is `{own}`"))),
            None => problem,
        });
    }
    let message = match known.form {
        Form::Bare if count > 0 => format!("`{name}` takes nothing"),
        Form::Sizes if count == 0 => format!("`{name}` needs sizes"),
        Form::Variable | Form::Variables if count == 0 => {
            let message = format!("`{name}` names no variable");
            let problem = Diagnostic::error(codes::CLAUSE_ARGUMENT, message, clause.span);
            let help = format!("write `#pragma hicuda {} {name} a`", row.name);
            return Err(Box::new(problem.help(help)));
        }
        Form::Variable | Form::OptionalVariable if count > 1 => {
            // An operand that is nearly a clause was meant for one.
            let second = arguments.map(|a| &a.items[1]);
            if let Some(problem) = second.and_then(|item| misspelt_operand(row, item)) {
                return Err(problem);
            }
            format!("`{name}` takes one variable")
        }
        _ => return Ok(()),
    };
    Err(malformed(message, clause.span, Some(row)))
}

/// `free(a, b)`.
fn in_parentheses(
    row: &DirectiveRow,
    known: &ClauseRow,
    clause: &Clause<Expression>,
    names: &[Spanned<String>],
) -> Box<Diagnostic> {
    let name = known.name;
    // What is freed has no brackets, and what is copied has.
    let is_whole = known.form == Form::Variables;
    let brackets = if is_whole { "" } else { "[*]" };
    let names = names.iter().map(|name| format!("{}{brackets}", name.value));
    let right = format!("{name} {}", names.collect::<Vec<_>>().join(" "));
    let message = format!("what `{name}` names stands without parentheses");
    let problem = Diagnostic::error(codes::CLAUSE_ARGUMENT, message, clause.span);
    let problem = problem.help(format!("write `#pragma hicuda {} {right}`", row.name));
    Box::new(match is_whole {
        true => problem.replacement(right),
        false => problem,
    })
}

/// The only option that clauses have.
const OPTION: &str = "nobndcheck";

/// What others call the words of hiCUDA.
const OTHERS: [(&str, &str); 10] = [
    ("allocate", "alloc"),
    ("block", "thread"),
    ("dealloc", "free"),
    ("delete", "free"),
    ("end_kernel", "kernel_end"),
    ("end_singular", "singular_end"),
    ("grid", "tblock"),
    ("malloc", "alloc"),
    ("syncthreads", "barrier"),
    ("__syncthreads", "barrier"),
];

/// The one of some words that another model calls otherwise.
fn other<'n>(word: &str, mut names: impl Iterator<Item = &'n str>) -> Option<&'static str> {
    let (_, own) = OTHERS.iter().find(|(other, _)| *other == word)?;
    names.any(|name| name == *own).then_some(*own)
}

/// A lone name that no variable has and that is nearly a clause's.
pub(super) fn misspelt_operand(
    row: &DirectiveRow,
    item: &Argument<Expression>,
) -> Option<Box<Diagnostic>> {
    let ArgumentValue::Name { name, symbol: None } = &item.value else {
        return None;
    };
    let names = || row.clauses.iter().map(|c| c.name);
    let message = format!("`{}` has no clause `{}`", row.name, name.value);
    let problem = Diagnostic::error(codes::UNKNOWN_CLAUSE, message, name.span);
    Some(Box::new(match other(&name.value, names()) {
        Some(own) => renamed(problem, own),
        None => problem.question(Near::words(&name.value, names()).question()?),
    }))
}

/// A directive's word that is none.
pub(super) fn unknown(
    unit: &Unit,
    word: &Spanned<String>,
    operands: Option<&Arguments<Expression>>,
) -> Box<Diagnostic> {
    let first = operands.and_then(|list| list.items.first());
    let operand = first.and_then(|item| match &item.value {
        ArgumentValue::Name { name, .. } => Some(name.value.as_str()),
        _ => None,
    });
    let message = format!("hiCUDA has no directive `{}`", word.value);
    let problem = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message.clone(), word.span);
    let rows = || table::DIRECTIVES.iter();
    let names = rows().map(|row| row.name);
    if let Some(problem) = meant(&problem, &word.value, names) {
        return Box::new(problem);
    }
    let begun = rows().find(|row| {
        let rest = row.name.strip_prefix(word.value.as_str());
        rest.is_some_and(|rest| rest.starts_with('_'))
    });
    // `end kernel`.
    let end = operand.filter(|_| word.value == "end");
    let end = end.map(|begun| format!("{begun}_end"));
    let ended = end.and_then(|end| rows().find(|row| row.name == end));
    let of = rows().find(|row| row.clause(&word.value).is_some());
    Box::new(match (begun.or(ended), of) {
        (Some(row), _) if ended.is_some() => {
            let span = first.map_or(word.span, |item| word.span.to(item.span));
            let problem = Diagnostic::error(codes::UNKNOWN_DIRECTIVE, message, span);
            problem
                .help(format!("write `{}`", row.name))
                .replacement(row.name)
        }
        (Some(row), _) => problem.help(format!("write `{}`, one word", row.name)),
        (None, Some(row)) => {
            let what = format!("`{}` is a clause: ", word.value);
            // What stands alone in its directive.
            let is_whole = ["alloc", "copyout", "free", "remove"].contains(&word.value.as_str());
            let named = operands.filter(|_| is_whole).map(|list| texts(unit, list));
            let written = match named.filter(|texts| !texts.is_empty()) {
                Some(texts) => format!("{} {} {texts}", row.name, word.value),
                None => row.example.to_owned(),
            };
            problem.help(format!("{what}write `#pragma hicuda {written}`"))
        }
        (None, None) => {
            let names = rows().map(|row| row.name);
            problem.help(format!("its directives are {}", enumerate(names)))
        }
    })
}

/// What a directive names, as it could have been written.
fn texts(unit: &Unit, list: &Arguments<Expression>) -> String {
    let print = |e: &Expression| Printer::text(unit, &C, e);
    let texts = list.items.iter().filter_map(|item| match &item.value {
        ArgumentValue::Name { name, .. } => {
            // A memory's word that stands behind the variables.
            let is_variable = table::directive(&name.value).is_none();
            is_variable.then(|| name.value.clone())
        }
        ArgumentValue::Section(section) => {
            let dimensions = section.dimensions.iter().map(|dimension| {
                let parts = dimension.parts.iter().flatten().map(print);
                match dimension.parts.is_empty() {
                    true => "[*]".to_owned(),
                    false => format!("[{}]", parts.collect::<Vec<_>>().join(":")),
                }
            });
            Some(print(&section.base) + &dimensions.collect::<String>())
        }
        _ => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// A problem of a word that is another one here.
fn renamed(problem: Diagnostic, own: &str) -> Diagnostic {
    problem.help(format!("write `{own}`")).replacement(own)
}

/// A problem of a word that is nearly one of these, with that one.
fn meant<'n>(
    problem: &Diagnostic,
    word: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> Option<Diagnostic> {
    if let Some(own) = other(word, names.clone()) {
        return Some(renamed(problem.clone(), own));
    }
    let near = Near::words(word, names);
    let nearest = near.nearest();
    (nearest != Some(word)).then_some(())?;
    let is_case = nearest.is_some_and(|near| near.eq_ignore_ascii_case(word));
    let case = if is_case { " Case matters" } else { "" };
    let question = near.question()? + case;
    Some(problem.clone().question(question))
}

/// A clause that a directive has not.
pub(super) fn unknown_clause(row: &DirectiveRow, clause: &Clause<Expression>) -> Box<Diagnostic> {
    let name = &clause.name.value;
    let message = format!("`{}` has no clause `{name}`", row.name);
    let names = || row.clauses.iter().map(|c| c.name);
    let elsewhere = table::DIRECTIVES.iter().find(|r| r.clause(name).is_some());
    let code = match elsewhere {
        Some(_) => codes::CLAUSE_NOT_ALLOWED,
        None => codes::UNKNOWN_CLAUSE,
    };
    let problem = Diagnostic::error(code, message, clause.name.span);
    Box::new(match meant(&problem, name, names()) {
        Some(problem) => problem,
        None if row.clauses.is_empty() => problem.help(format!("`{}` has no clauses", row.name)),
        None => problem.help(format!("its clauses are {}", enumerate(names()))),
    })
}

/// A directive without what stands right behind its name.
pub(super) fn unnamed(row: &DirectiveRow, span: Span) -> Box<Diagnostic> {
    let message = match row.kind {
        DirectiveKind::Kernel => "the kernel has no name".to_string(),
        _ => format!("`{}` names nothing", row.name),
    };
    malformed(message, span, Some(row))
}

/// What stands behind the name of a directive that takes nothing there.
pub(super) fn unexpected(row: &DirectiveRow, operands: &Arguments<Expression>) -> Box<Diagnostic> {
    let first = operands.items.first();
    if let Some(problem) = first.and_then(|item| misspelt_operand(row, item)) {
        return problem;
    }
    if let Some(ArgumentValue::Name { name, symbol: None }) = first.map(|item| &item.value)
        && !row.clauses.is_empty()
    {
        let message = format!("`{}` has no clause `{}`", row.name, name.value);
        let problem = Diagnostic::error(codes::UNKNOWN_CLAUSE, message, name.span);
        let names = row.clauses.iter().map(|clause| clause.name);
        return Box::new(problem.help(format!("its clauses are {}", enumerate(names))));
    }
    let message = match row.clauses.is_empty() {
        true => format!("`{}` takes nothing", row.name),
        false => format!("`{}` is followed by one of its clauses", row.name),
    };
    malformed(message, operands.span, Some(row))
}

pub(super) fn undeclared(name: &Spanned<String>) -> Box<Diagnostic> {
    let message = format!("`{}` is not declared here", name.value);
    let problem = Diagnostic::error(codes::NOT_A_VARIABLE, message, name.span);
    Box::new(problem.help("the variables of a directive are visible where it stands"))
}

pub(super) fn section_problem(message: &str, span: Span) -> Box<Diagnostic> {
    let problem = Diagnostic::error(codes::BAD_SECTION, message, span);
    Box::new(problem.help("write `[first:last]`, both included, `[index]` or `[*]`"))
}

pub(super) fn malformed(
    message: impl Into<String>,
    span: Span,
    row: Option<&DirectiveRow>,
) -> Box<Diagnostic> {
    let problem = Diagnostic::error(codes::CLAUSE_ARGUMENT, message, span);
    Box::new(match row {
        Some(row) => problem.help(format!("write `#pragma hicuda {}`", row.example)),
        None => problem,
    })
}
