//! Jumps that would leave or enter a construct, whose statement is a structured
//! block.

use std::collections::BTreeMap;

use crate::analysis::exits::{Exits, Jump};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, codes};
use crate::source::Span;
use crate::typed::{Statement, StatementKind, visit};

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

/// All ways of a function that skip code: labels and `goto`s, and `case`s by their `switch`es.
#[derive(Default)]
pub struct Ways {
    labels: BTreeMap<String, Span>,
    jumps: Vec<(String, Span)>,
    cases: BTreeMap<Span, Span>,
}

/// How control gets into a part of a function, or out of it.
pub enum Way {
    /// A `goto` to this label from inside.
    Out(String),
    /// A `goto` to this label from outside.
    In(String),
    /// A `case` of a `switch` that begins outside.
    Case,
}

impl Ways {
    /// Those of a function's body.
    pub fn of(body: &Statement) -> Self {
        let mut ways = Self::default();
        visit::statements(body, &mut |statement| match &statement.kind {
            StatementKind::Labeled(name, _) => {
                ways.labels.insert(name.clone(), statement.span);
            }
            StatementKind::Goto(label) => ways.jumps.push((label.clone(), statement.span)),
            // Those of a `switch` inside come later, and take their place.
            StatementKind::Switch(_, body) => visit::statements(body, &mut |inner| {
                if let StatementKind::Case(..) | StatementKind::Default(_) = inner.kind {
                    ways.cases.insert(inner.span, statement.span);
                }
            }),
            _ => {}
        });
        ways
    }

    /// The ways into and out of a part, with their places.
    pub fn across(&self, part: Span) -> Vec<(Way, Span)> {
        let is_in = |at: &Span| part.contains(Span::new(at.start, at.start));
        let mut found = Vec::new();
        let mut inward = Vec::new();
        for (label, span) in &self.jumps {
            let leads_in = self.labels.get(label).is_some_and(is_in);
            match (is_in(span), leads_in) {
                (true, false) => found.push((Way::Out(label.clone()), *span)),
                (false, true) => inward.push((Way::In(label.clone()), *span)),
                _ => {}
            }
        }
        found.extend(inward);
        let cases = self.cases.iter();
        let into = cases.filter(|(case, around)| is_in(case) && !is_in(around));
        found.extend(into.map(|(case, _)| (Way::Case, Span::new(case.start, case.start))));
        found
    }
}
