//! The levels that a loop asks for, with their sizes (OpenACC 3.3, sections
//! 2.9.2 to 2.9.4).
//!
//! ```text
//! gang(dim: 2)        dimension 2
//! gang(static: *)     no size
//! worker(num: 4)      size 4, in `kernels`
//! ```

use super::check::{CheckedClause, has_error, malformed, undeclared, value};
use super::clauses::LoopPlace;
use super::table::ClauseKind;
use crate::ast::{Argument, ArgumentValue};
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{Execution, Level, PerLevel, Vocabulary};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{Expression, Unit};

/// The level that a clause names.
pub fn of(kind: ClauseKind) -> Option<Level> {
    match kind {
        ClauseKind::Gang => Some(Level::Block),
        ClauseKind::Worker => Some(Level::Row),
        ClauseKind::Vector => Some(Level::Lane),
        _ => None,
    }
}

/// The level as a clause spells it.
pub fn spelling(level: Level) -> &'static str {
    match level {
        Level::Block => "gang",
        Level::Row => "worker",
        Level::Lane => "vector",
    }
}

/// The arguments of a clause with their labels.
fn labelled(clause: &CheckedClause) -> impl Iterator<Item = (Option<&str>, &Argument<Expression>)> {
    let modifiers = clause.arguments.as_ref().map_or(&[][..], |a| &a.modifiers);
    let items = clause.items().iter().enumerate();
    let labelled = items.map(|(position, item)| {
        let label = item.label.as_ref().or_else(|| modifiers.get(position));
        (label.map(|label| label.value.as_str()), item)
    });
    labelled.filter(|(_, item)| !has_error(item))
}

/// What messages and launchers call the levels.
pub const WORDS: Vocabulary = Vocabulary {
    levels: PerLevel {
        block: "gang",
        row: "worker",
        lane: "vector",
    },
    sizes: PerLevel {
        block: "num_gangs",
        row: "num_workers",
        lane: "vector_length",
    },
};

/// `dim: n` in a `gang` clause; 1 without it.
pub fn gang_dimension(unit: &Unit, clause: &CheckedClause, diagnostics: &mut Diagnostics) -> u8 {
    for (_, item) in labelled(clause).filter(|(label, _)| *label == Some("dim")) {
        match value(item).and_then(|e| evaluate(unit, e)) {
            Some(n @ 1..=3) => return n as u8,
            _ => diagnostics.push(
                malformed("`dim` takes one of the constants 1, 2 and 3", item.span)
                    .help("write `gang(dim: 2)` on the loop around one with `gang(dim: 1)`"),
            ),
        }
    }
    1
}

/// The size of a level: `worker(n)`, `vector(length: n)`.
pub fn size(
    unit: &Unit,
    clause: &CheckedClause,
    place: LoopPlace,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    let name = &clause.name.value;
    let own = match clause.kind {
        ClauseKind::Vector => "length",
        _ => "num",
    };
    let mut found = None;
    let mut seen = Vec::new();
    let mut is_clear = true;
    for (label, item) in labelled(clause) {
        let word = label.unwrap_or(own);
        if seen.contains(&word) {
            let message = format!("`{name}` has `{word}` twice");
            diagnostics.push(malformed(message, item.span).help("leave one of them out"));
            is_clear = false;
            continue;
        }
        seen.push(word);
        match label {
            // Iterations go to gangs in turn anyway, for loops of one length
            // to the same ones.
            Some("static") if clause.kind == ClauseKind::Gang => {
                static_chunk(unit, item, diagnostics);
                continue;
            }
            Some("dim") if clause.kind == ClauseKind::Gang => continue,
            Some(other) if other != own => {
                let message = format!("`{name}` has no argument `{other}`");
                let meant = meant(clause, own, place, other);
                let argument = match &item.value {
                    ArgumentValue::Star => "*".to_owned(),
                    _ => value(item).map_or("n".to_owned(), |e| Printer::text(unit, &C, e)),
                };
                let right = format!("{name}({meant}: {argument})");
                let problem = malformed(message, clause.span).help(format!("write `{right}`"));
                diagnostics.push(match clause.items().len() {
                    1 => problem.replacement(right),
                    _ => problem,
                });
                continue;
            }
            _ => {}
        }
        match &item.value {
            ArgumentValue::Name { name, symbol: None } => diagnostics.push(undeclared(name)),
            ArgumentValue::Section(_) | ArgumentValue::Star => {
                let message = format!("`{name}` takes an expression");
                diagnostics.push(malformed(message, item.span));
            }
            _ => found = value(item).cloned(),
        }
    }
    if let Some(size) = found.as_ref().filter(|_| is_clear) {
        let size = Printer::text(unit, &C, size);
        allowed_size(clause, &size, place, diagnostics);
    }
    found
}

/// The label that a clause has in place of a misspelt one.
fn meant(clause: &CheckedClause, own: &'static str, place: LoopPlace, other: &str) -> &'static str {
    if clause.kind != ClauseKind::Gang {
        return own;
    }
    // Only in `kernels` has it a size.
    let usual = match place.construct {
        Some(Execution::Automatic) => own,
        _ => "static",
    };
    let near = Near::words(other, [usual, "static", "dim"].into_iter());
    near.first().unwrap_or(usual)
}

/// The argument of `static:`: `*` or a positive number.
fn static_chunk(unit: &Unit, item: &Argument<Expression>, diagnostics: &mut Diagnostics) {
    let wrong = match &item.value {
        ArgumentValue::Star => false,
        ArgumentValue::Name { name, symbol: None } => return diagnostics.push(undeclared(name)),
        ArgumentValue::Section(_) => true,
        _ => value(item).is_none_or(|e| {
            !unit.types.is_integer(e.ty.ty) || evaluate(unit, e).is_some_and(|n| n <= 0)
        }),
    };
    if wrong {
        let message = "`static` takes a positive number of iterations or `*`";
        diagnostics.push(
            malformed(message, item.span).help("write `gang(static: *)` or `gang(static: 8)`"),
        );
    }
}

/// Only `kernels` leaves sizes to its loops (2.9.2 to 2.9.4); in `parallel`
/// the common compilers take them as well, and with windows they are the block.
fn allowed_size(
    clause: &CheckedClause,
    size: &str,
    place: LoopPlace,
    diagnostics: &mut Diagnostics,
) {
    let name = &clause.name.value;
    let on_construct = match clause.kind {
        ClauseKind::Gang => "num_gangs",
        ClauseKind::Worker => "num_workers",
        _ => "vector_length",
    };
    match place.construct {
        Some(Execution::Automatic) => {}
        Some(Execution::Redundant)
            if clause.kind == ClauseKind::Vector && place.shares_windows && !place.strict => {}
        Some(Execution::Redundant) if clause.kind != ClauseKind::Gang => diagnostics.push(
            Diagnostic::warning(
                codes::LEVEL_SIZE,
                format!("OpenACC has no size on `{name}` in a `parallel` construct"),
                clause.span,
            )
            .help(format!(
                "it is taken as `{on_construct}({size})`; write that on the construct"
            )),
        ),
        Some(Execution::Redundant) => diagnostics.push(
            Diagnostic::error(
                codes::CLAUSE_CONFLICT,
                format!("`{name}` takes no size in a `parallel` construct"),
                clause.span,
            )
            .help(format!("write `{on_construct}({size})` on the construct")),
        ),
        Some(Execution::Serial) => diagnostics.push(Diagnostic::error(
            codes::CLAUSE_CONFLICT,
            format!("`{name}` takes no size in a `serial` construct, which has one of each"),
            clause.span,
        )),
        None => diagnostics.push(Diagnostic::error(
            codes::CLAUSE_CONFLICT,
            format!("`{name}` takes no size in a function"),
            clause.span,
        )),
    }
}
