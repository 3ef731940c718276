//! Jumps that would leave or enter a construct (OpenACC 3.3, sections 2.5.4,
//! 2.6.5 and 2.9): a construct's statement is a structured block.

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::source::Span;
use crate::typed::visit::{children, labels_of};
use crate::typed::{Expression, ExpressionKind, Statement, StatementKind, visit};

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
    let mut labels = BTreeSet::new();
    labels_of(body, &mut labels);
    let mut search = Search {
        construct,
        labels,
        found: Vec::new(),
    };
    search.statement(body, false, is_loop_body);
    // A jump out of a loop may leave the construct around it as well: that
    // one has reported it.
    for problem in search.found {
        let place = problem.labels.first().map(|label| &label.place);
        let known = diagnostics.iter().any(|other| {
            other.code == problem.code && other.labels.first().map(|l| &l.place) == place
        });
        if !known {
            diagnostics.push(problem);
        }
    }
}

/// Whether a statement has a `break`, `return` or `goto` that leaves it, as
/// the body of a loop.
pub fn leaves(body: &Statement) -> bool {
    let mut diagnostics = Diagnostics::new();
    let nowhere = Construct {
        name: "",
        directive: Span::default(),
    };
    out_of(body, nowhere, true, &mut diagnostics);
    !diagnostics.is_empty()
}

/// Reports jumps from elsewhere in a function to labels inside a construct.
pub fn into(
    function: &Statement,
    body: &Statement,
    construct: Construct<'_>,
    diagnostics: &mut Diagnostics,
) {
    let mut labels = BTreeSet::new();
    labels_of(body, &mut labels);
    if !labels.is_empty() {
        enter(function, body, &labels, construct, diagnostics);
    }
}

fn enter(
    statement: &Statement,
    body: &Statement,
    labels: &BTreeSet<&str>,
    construct: Construct<'_>,
    diagnostics: &mut Diagnostics,
) {
    if std::ptr::eq(statement, body) {
        return;
    }
    if let StatementKind::Goto(label) = &statement.kind
        && labels.contains(label.as_str())
    {
        diagnostics.push(
            Diagnostic::error(
                codes::JUMP,
                format!("`goto {label}` enters a `{}` construct", construct.name),
                statement.span,
            )
            .also(construct.directive, "the construct")
            .help("a construct is entered at its top only"),
        );
    }
    children(statement, &mut |inner| {
        enter(inner, body, labels, construct, diagnostics);
    });
}

struct Search<'a> {
    construct: Construct<'a>,
    labels: BTreeSet<&'a str>,
    found: Vec<Diagnostic>,
}

impl<'a> Search<'a> {
    /// `breakable`: a `break` stays inside; `continuable`: so does `continue`.
    fn statement(&mut self, statement: &'a Statement, breakable: bool, continuable: bool) {
        match &statement.kind {
            StatementKind::Break if !breakable => self.report("break", statement.span),
            StatementKind::Continue if !continuable => self.report("continue", statement.span),
            StatementKind::Return(_) => self.report("return", statement.span),
            StatementKind::Goto(label) if !self.labels.contains(label.as_str()) => {
                self.report(&format!("goto {label}"), statement.span);
            }
            StatementKind::ComputedGoto(_) => self.report("goto *", statement.span),
            StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..) => {
                children(statement, &mut |inner| self.statement(inner, true, true));
            }
            StatementKind::Switch(..) => children(statement, &mut |inner| {
                self.statement(inner, true, continuable);
            }),
            _ => children(statement, &mut |inner| {
                self.statement(inner, breakable, continuable);
            }),
        }
        self.expressions(statement);
    }

    /// Jumps in statement expressions.
    fn expressions(&mut self, statement: &'a Statement) {
        let roots: Vec<&Expression> = match &statement.kind {
            StatementKind::Expression(Some(e)) => vec![e],
            _ => return,
        };
        for root in roots {
            visit::walk(root, &mut |e| {
                if let ExpressionKind::Statement(inner) = &e.kind {
                    self.statement(inner, false, false);
                }
            });
        }
    }

    fn report(&mut self, jump: &str, span: Span) {
        self.found.push(
            Diagnostic::error(
                codes::JUMP,
                format!("`{jump}` leaves a `{}` construct", self.construct.name),
                span,
            )
            .also(self.construct.directive, "the construct")
            .help("a construct ends at its bottom only: keep the result in a variable and test it after"),
        );
    }
}
