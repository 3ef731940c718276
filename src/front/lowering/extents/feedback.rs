//! What `--feedback` says of pointers without a data clause.

use super::{Obstacle, Section};
use crate::diagnostic::{Diagnostic, Place, Severity, codes};
use crate::ir::{DataAction, DataItem};

/// The section is known.
pub fn measured(item: &DataItem, section: &Section) -> Diagnostic {
    let action = match section.action {
        DataAction::FindOrCopy => "copy",
        _ => "copyin",
    };
    note(
        item,
        format!(
            "`{action}({})` is implied where it is not present",
            section.text
        ),
    )
    .note("the section is from the first to the last element that the construct accesses")
    .data("array", item.text.clone())
    .data("decided", action)
    .data("section", section.text.clone())
}

/// The section is not known.
pub fn unknown(item: &DataItem, obstacle: &Obstacle) -> Diagnostic {
    let name = &item.text;
    note(
        item,
        format!("`{name}` has to be present: how much of it is used is not known"),
    )
    .also(obstacle.span, obstacle.text.clone())
    .help(format!(
        "name it with its bounds in a data clause, as in `copy({name}[0:n])`"
    ))
    .data("array", name.clone())
    .data("decided", "present")
    .data("why", obstacle.text.clone())
}

fn note(item: &DataItem, message: String) -> Diagnostic {
    Diagnostic::new(
        Severity::Note,
        codes::IMPLIED_SECTION,
        message,
        Place::Span(item.span),
    )
}
