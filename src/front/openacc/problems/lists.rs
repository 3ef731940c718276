//! What is said of lists of variables that have no parentheses, no brackets or no colon.
//!
//! ```text
//! copyin(b:n)              copyin(b[0:n])
//! copyin(readonly, b)      copyin(readonly: b)
//! firstprivat k            firstprivate(k)
//! ```

use super::{has_modifier, without_parentheses};
use crate::ast::{Argument, ArgumentValue, Arguments, Clause};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::words::Near;
use crate::front::openacc::check::{malformed, value};
use crate::front::openacc::clauses::clause_text;
use crate::front::openacc::example_sections::visible;
use crate::front::openacc::habits;
use crate::front::openacc::table::{CLAUSES, ClauseKind, ClauseRow, DirectiveKind, Form, clause};
use crate::source::Spanned;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{Expression, Unit};

/// A list whose first section has no brackets, `copyin(b:0:n)`, or whose modifier has no colon,
/// `copyin(readonly, b)`.
pub(super) fn habitual(
    unit: &Unit,
    kind: ClauseKind,
    written: &Clause<Expression>,
    arguments: &Arguments<Expression>,
) -> Option<Diagnostic> {
    let name = &written.name.value;
    let items = arguments.items.as_slice();
    match (arguments.modifiers.as_slice(), items) {
        ([], [first, rest @ ..]) if !rest.is_empty() => {
            let ArgumentValue::Name { name, symbol: None } = &first.value else {
                return None;
            };
            has_modifier(kind, &name.value).then_some(())?;
            let right = clause_text(
                unit,
                &Clause {
                    arguments: Some(Arguments {
                        modifiers: vec![name.clone()],
                        items: rest.to_vec(),
                        span: arguments.span,
                    }),
                    ..written.clone()
                },
            );
            let message = format!("a colon stands behind the modifier `{}`", name.value);
            let problem = malformed(message, written.span);
            Some(problem.help(format!("write `{right}`")).replacement(right))
        }
        ([array], [.., length]) if visible(unit, &array.value, array.span).is_some() => {
            let number = |item: &Argument<Expression>| match &item.value {
                ArgumentValue::Name { .. } | ArgumentValue::Expression(_) => {
                    let e = value(item)?;
                    let is_integer = unit.types.is_integer(e.ty.ty);
                    is_integer.then(|| Printer::text(unit, &C, e))
                }
                ArgumentValue::Section(_) | ArgumentValue::Star => None,
            };
            let first = match items {
                [_] => Some("0".to_owned()),
                // Commas would be read so, too.
                [first, _] if value(first).is_some_and(|e| evaluate(unit, e).is_some()) => {
                    number(first)
                }
                _ => None,
            };
            let (Some(first), Some(length_text)) = (first, number(length)) else {
                let help = format!("a section is `{}[first:length]`", array.value);
                return Some(malformed("a section stands in brackets", array.span).help(help));
            };
            let section = format!("{}[{first}:{length_text}]", array.value);
            let problem = malformed("a section stands in brackets", array.span.to(length.span));
            let help = format!("write `{name}({section})`");
            Some(problem.help(help).replacement(section))
        }
        _ => None,
    }
}

/// `firstprivat k`, `reduction max s`: what is said of words that are a clause and its list, and how many are
/// behind the first one.
pub fn loose_list(
    unit: &Unit,
    on: DirectiveKind,
    written: &Clause<Expression>,
    rest: &[Clause<Expression>],
) -> Option<(Diagnostic, usize)> {
    let name = &written.name.value;
    let is_variable = |word: &Clause<Expression>| {
        word.arguments.is_none()
            && clause(&word.name.value, on).is_none()
            && visible(unit, &word.name.value, word.span).is_some()
    };
    let count = |words: &[Clause<Expression>]| words.iter().take_while(|w| is_variable(w)).count();
    if written.arguments.is_some() || is_variable(written) {
        return None;
    }
    if let ("reduction", [first, names @ ..]) = (name.as_str(), rest) {
        let operator = habits::operator(&first.name.value).filter(|_| first.arguments.is_none())?;
        let names = &names[..count(names)];
        let last = names.last()?;
        let list: Vec<&str> = names.iter().map(|one| one.name.value.as_str()).collect();
        let right = format!("{name}({operator}:{})", list.join(", "));
        let message = format!("the list of `{name}` stands in parentheses");
        let problem = malformed(message, written.span.to(last.span));
        let problem = problem.help(format!("write `{right}`")).replacement(right);
        return Some((problem, 1 + names.len()));
    }
    let is_unknown = clause(name, on).is_none() && habits::clause(unit, on, written).is_none();
    let names = &rest[..count(rest)];
    if !is_unknown || names.is_empty() {
        return None;
    }
    let rows = CLAUSES
        .iter()
        .filter(|row| row.is_on(on) && row.form == Form::Variables);
    let nearest = |row: &ClauseRow| Near::words(name, row.spellings.iter().copied()).first();
    let right = Near::words(name, rows.filter_map(nearest)).nearest()?;
    let meant = Clause {
        name: Spanned {
            value: right.to_owned(),
            span: written.name.span,
        },
        ..written.clone()
    };
    let mut problem = without_parentheses(unit, &meant, names);
    problem.message = format!("no clause is called `{name}`, and {}", problem.message);
    Some((problem, names.len()))
}
