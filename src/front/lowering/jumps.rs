//! Jumps that would leave or enter a construct, whose statement is a structured
//! block.

use crate::analysis::exits::{Exits, Jump};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, codes};
use crate::source::Span;
use crate::typed::Statement;

/// A construct, for messages.
#[derive(Clone, Copy, Debug)]
pub struct Construct<'a> {
    /// What it is called: `parallel`, `parallel loop`, `data`.
    pub name: &'a str,
    /// Its directive.
    pub directive: Span,
}

/// Reports the jumps out of the body of a construct. Inside the body of a
/// loop that a directive governs, `continue` stays allowed.
pub fn out_of(
    body: &Statement,
    construct: Construct<'_>,
    is_loop_body: bool,
    diagnostics: &mut Diagnostics,
) {
    for (jump, span) in Exits::of_typed(body).out() {
        // A jump out of a loop may leave the construct around it as well: that
        // one has reported it.
        let is_known = diagnostics.iter().any(|other| {
            let place = other.labels.first().map(|label| &label.place);
            other.code == codes::JUMP && place == Some(&Place::Span(span))
        });
        if is_known || is_loop_body && jump == Jump::Continue {
            continue;
        }
        let jump = match jump {
            Jump::Goto(label) => format!("goto {label}"),
            Jump::ComputedGoto => "goto *".to_owned(),
            _ => jump.keyword().to_owned(),
        };
        let message = format!("`{jump}` leaves a `{}` construct", construct.name);
        diagnostics.push(
            Diagnostic::error(codes::JUMP, message, span)
            .also(construct.directive, "the construct")
            .help("a construct ends at its bottom only: keep the result in a variable and test it after"),
        );
    }
}

/// Whether a statement has a `break`, `return` or `goto` that leaves it, as
/// the body of a loop.
pub fn leaves(body: &Statement) -> bool {
    let exits = Exits::of_typed(body);
    exits.out().any(|(jump, _)| jump.ends_loop())
}

/// Reports jumps from elsewhere in a function to labels inside a construct.
pub fn into(
    function: &Statement,
    body: &Statement,
    construct: Construct<'_>,
    diagnostics: &mut Diagnostics,
) {
    let inside = Exits::of_typed(body);
    for (jump, span) in Exits::of_typed(function).iter() {
        let Jump::Goto(label) = jump else { continue };
        let is_inside = inside.iter().any(|known| known == (jump, span));
        if is_inside || !inside.any(|jump| jump == Jump::Label(label)) {
            continue;
        }
        let message = format!("`goto {label}` enters a `{}` construct", construct.name);
        diagnostics.push(
            Diagnostic::error(codes::JUMP, message, span)
                .also(construct.directive, "the construct")
                .help("a construct is entered at its top only"),
        );
    }
}
