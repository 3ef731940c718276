//! Whether the tables take what is suggested.
//!
//! Input: a directive or a clause as it would be once a suggestion is followed. Output: whether it
//! stands there, in the form that it has. What is refused again is no way out, so whoever suggests
//! words of a directive asks here.

use super::check::identify;
use super::problems::has_modifier;
use super::table::{
    CLAUSES, ClauseKind, ClauseRow, DIRECTIVES, DirectiveKind, DirectiveRow, Form, clause,
};
use crate::ast::{Argument, ArgumentValue, Arguments, Clause, Directive, Misspelt};
use crate::diagnostic::words::Near;
use crate::front::lowering::reductions::operator;
use crate::source::{Span, Spanned};

/// Whether a directive takes a clause.
pub fn takes<E>(on: DirectiveKind, written: &Clause<E>) -> bool {
    let row = clause(&written.name.value, on).filter(|row| row.is_on(on));
    row.is_some_and(|row| has_form(on, row, written.arguments.as_ref()))
}

/// Whether a clause may be called so, as far as its parentheses go.
pub fn takes_as<E>(on: DirectiveKind, name: &str, written: &Clause<E>) -> bool {
    let row = clause(name, on).filter(|row| row.is_on(on));
    row.is_some_and(|row| has_form(on, row, written.arguments.as_ref()))
}

fn has_form<E>(on: DirectiveKind, row: &ClauseRow, arguments: Option<&Arguments<E>>) -> bool {
    let Some(list) = arguments else {
        return matches!(
            row.form,
            Form::Bare | Form::Optional | Form::Sizes | Form::Queues
        );
    };
    let labels = || list.items.iter().map(|item| item.label.as_ref());
    match row.form {
        Form::Bare => false,
        Form::Variables => {
            let mut modifiers = list.modifiers.iter();
            modifiers.all(|one| has_modifier(row.kind, &one.value)) && labels().all(|l| l.is_none())
        }
        // More than one number is for gangs alone.
        Form::Expression | Form::Optional => {
            let most = if row.kind == ClauseKind::NumGangs {
                3
            } else {
                1
            };
            let is_value = |item: &Argument<E>| {
                !matches!(item.value, ArgumentValue::Section(_) | ArgumentValue::Star)
            };
            (1..=most).contains(&list.items.len()) && list.items.iter().all(is_value)
        }
        Form::Reduction => {
            matches!(list.modifiers.as_slice(), [one] if operator(&one.value).is_some())
        }
        // The construct says how many there are of each.
        Form::Sizes => {
            let is_free = matches!(on, DirectiveKind::KernelsLoop | DirectiveKind::Loop);
            let is_size = |name: &str| ["num", "length"].contains(&name);
            is_free || labels().all(|label| label.is_some_and(|label| !is_size(&label.value)))
        }
        _ => !list.items.is_empty(),
    }
}

/// Whether a directive is one whose clauses may stand there, as far as their names are in `place`: the
/// names among them that are misspelt, with how they are spelt.
pub fn takes_in<E>(directive: &Directive<E>, place: Span) -> Option<Vec<Misspelt>> {
    let is_there =
        |word: &Spanned<String>| place.start <= word.span.start && word.span.end <= place.end;
    let Some((row, words)) = identify(directive) else {
        // Which clauses there may be is not known, but that it are some.
        let is_clause = |one: &Clause<E>| {
            let name = one.name.value.as_str();
            CLAUSES.iter().any(|row| row.spellings.contains(&name))
        };
        let mut clauses = directive.clauses.iter().filter(|one| is_there(&one.name));
        let is_taken = !directive.name.iter().any(is_there) && clauses.all(is_clause);
        return is_taken.then(Vec::new);
    };
    let takes_list = matches!(
        row.kind,
        DirectiveKind::Routine | DirectiveKind::Wait | DirectiveKind::Cache
    );
    let name_takes = |word: &Spanned<String>| {
        let named = clause(&word.value, row.kind).filter(|named| named.is_on(row.kind));
        named.is_some_and(|named| has_form::<E>(row.kind, named, None))
    };
    let has_list = directive.arguments.is_some() && directive.name.last().is_some_and(is_there);
    let mut behind = directive.name[words..].iter().filter(|word| is_there(word));
    ((takes_list || !has_list) && behind.all(name_takes)).then_some(())?;
    let mut misspelt = Vec::new();
    for one in directive.clauses.iter().filter(|one| is_there(&one.name)) {
        if !takes(row.kind, one) {
            misspelt.push((one.name.span, near(row.kind, one)?));
        }
    }
    Some(misspelt)
}

/// The clauses that a misspelt one is near to, of those that a directive takes in its form: the nearest one
/// alone if there is such.
fn near<E>(on: DirectiveKind, written: &Clause<E>) -> Option<Vec<&'static str>> {
    let name = &written.name.value;
    let is_misspelt = clause(name, on).is_none() && name.len() > 2;
    let own = CLAUSES.iter().filter(|row| row.is_on(on) && is_misspelt);
    // Of several spellings of one clause the nearest.
    let nearest = |row: &ClauseRow| Near::words(name, row.spellings.iter().copied()).first();
    let spellings = own.filter_map(nearest);
    let near = Near::words(name, spellings.filter(|own| takes_as(on, own, written)));
    let found = (near.nearest()).map_or_else(|| near.iter().collect(), |nearest| vec![nearest]);
    (!found.is_empty()).then_some(found)
}

/// Whether a directive has each of some clauses that any directive has.
pub fn goes_with<E>(name: &str, clauses: &[Clause<E>]) -> bool {
    let named = |row: &&DirectiveRow| row.name == name;
    DIRECTIVES.iter().find(named).is_none_or(|row| {
        let mut known = clauses.iter();
        known.all(|one| clause(&one.name.value, row.kind).is_none_or(|found| found.is_on(row.kind)))
    })
}
