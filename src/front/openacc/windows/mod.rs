//! Windows of arrays: `fcw`, `fcw_barrier` and `cache`.
//!
//! Input: a directive and the statement that it governs. Output: a
//! [`WindowRegion`] over the lowered statement, with the accesses in it
//! untouched.
//!
//! ```text
//! #pragma acc fcw FETCH_ONLY(a[i:1:1])     window a[i:1:1]: fetch
//! b[i] = a[i - 1] + a[i + 1];          ->  with windows { b[i] = … }
//!
//! #pragma acc cache(a[i - 1:3])            window a[i - 1:3]: fetch selected
//! b[i] = a[i - 1] + a[i + 1];          ->  with windows { b[i] = … }
//! ```
//!
//! `fcw` governs the next statement; several of them over one statement are
//! one region. `cache` (OpenACC 3.3, section 2.10) governs the rest of the
//! loop body that it stands in. In functions on the device it has no effect.

mod items;

pub use items::listed;

use super::body::Body;
use super::check as tables;
use super::check::{Checked, Directives};
use super::clauses;
use super::table::{ClauseKind, DirectiveKind};
use crate::ast::Directive;
use crate::diagnostic::{Diagnostic, Place, Severity, codes};
use crate::front::lowering::statements::Statements;
use crate::ir::{self, Barrier, Execution, StatementKind as Ir, Window, WindowRegion};
use crate::source::Span;
use crate::typed::{Expression, Statement, StatementKind, visit};

/// What stacked directives ask for together.
#[derive(Default)]
struct Asked {
    windows: Vec<Window>,
    explicit: bool,
    titles: Vec<String>,
    /// Some list was written, be it wrong.
    listed: bool,
}

impl Body<'_> {
    /// `fcw` over a statement.
    pub(super) fn fcw(
        &mut self,
        checked: &Checked,
        body: Option<&Statement>,
        out: &mut Vec<ir::Statement>,
    ) {
        let first = checked.directive.span;
        let mut asked = Asked::default();
        self.ask(checked, &mut asked);
        let mut body = body;
        while let Some((directive, inner)) = body.and_then(|body| stacked(self.checked, body)) {
            if let Some(checked) = self.checked.get(directive) {
                self.ask(checked, &mut asked);
            }
            body = inner;
        }
        if !asked.listed {
            self.diagnostics.push(without_list(checked));
        }
        let Some(body) = body else {
            self.diagnostics.push(without_statement(checked));
            return;
        };
        if self.parallel.is_empty() && self.construct.is_some() {
            self.diagnostics.push(outside(checked));
        }
        self.windows.push(first);
        let list = self.list(body);
        self.windows.pop();
        let region = WindowRegion {
            windows: asked.windows,
            body: list,
            explicit: asked.explicit,
            is_scope: true,
            title: asked.titles.join("; "),
            directive: first,
        };
        out.push(ir::Statement {
            kind: Ir::Windows(Box::new(region)),
            span: body.span,
        });
    }

    /// Adds what one `fcw` directive asks for.
    fn ask(&mut self, checked: &Checked, asked: &mut Asked) {
        let written = &checked.directive;
        let mut clauses = written.clauses.iter();
        asked.listed |=
            written.arguments.is_some() || clauses.any(|clause| clause.name.value != "explicit");
        asked.explicit |= checked.clause(ClauseKind::Explicit).is_some();
        asked
            .titles
            .push(clauses::title(self.unit, &checked.directive));
        let windows = listed(self.unit, checked, self.diagnostics);
        asked.windows.extend(windows);
    }

    /// `fcw_barrier` inside such a statement.
    pub(super) fn fcw_barrier(&mut self, checked: &Checked, out: &mut Vec<ir::Statement>) {
        if self.windows.is_empty() && self.construct.is_some() {
            let span = tables::name_span(&checked.directive);
            let message = "`fcw_barrier` stands outside of any `fcw` region";
            self.diagnostics.push(
                Diagnostic::error(codes::WINDOW_PLACE, message, span)
                    .help("put it into the statement that an `fcw` directive governs"),
            );
        }
        out.push(ir::Statement {
            kind: Ir::Barrier(Barrier {
                written: true,
                ..Barrier::new("fcw_barrier")
            }),
            span: checked.directive.span,
        });
    }

    /// The statements of a body; from a `cache` directive on, they are a
    /// region with its windows.
    pub(super) fn cached(&mut self, statements: &[Statement]) -> Vec<ir::Statement> {
        let Some(first) = statements
            .iter()
            .position(|s| cache(self.checked, s).is_some())
        else {
            return self.items(statements);
        };
        let mut out = self.items(&statements[..first]);
        let mut asked = Asked::default();
        let mut place: Option<Span> = None;
        let mut rest = &statements[first..];
        while let Some(directive) = rest.first().and_then(|s| cache(self.checked, s)) {
            let written = &directive.directive;
            self.directives.push(written.span);
            asked.titles.push(clauses::title(self.unit, written));
            let windows = listed(self.unit, directive, self.diagnostics);
            asked.windows.extend(windows);
            place.get_or_insert(written.span);
            rest = &rest[1..];
        }
        let body = self.cached(rest);
        let Some(directive) = place.filter(|_| self.construct.is_some()) else {
            self.without_block(place);
            out.extend(body);
            return out;
        };
        let span = rest.iter().fold(directive, |all, next| all.to(next.span));
        out.push(ir::Statement {
            kind: Ir::Windows(Box::new(WindowRegion {
                windows: asked.windows,
                body,
                explicit: false,
                is_scope: false,
                title: asked.titles.join("; "),
                directive,
            })),
            span,
        });
        out
    }

    /// A function runs in one thread, and does not know whose block it is in:
    /// its `cache` directives are hints that are not taken.
    fn without_block(&mut self, directive: Option<Span>) {
        let Some(directive) = directive.filter(|_| self.options.feedback) else {
            return;
        };
        self.diagnostics.push(
            Diagnostic::new(
                Severity::Note,
                codes::LOOP_MAPPING,
                "`cache` in a function makes no window",
                Place::Span(directive),
            )
            .note("one thread runs the function, and its block is not known there")
            .help("put `cache` into the loop that calls it, and pass the elements by value"),
        );
    }

    /// Whether iterations of a loop without a directive share windows with
    /// those of a parallel loop around, so that they come one after the other.
    pub(super) fn is_shared(&self, body: &Statement) -> bool {
        self.construct != Some(Execution::Serial)
            && (!self.windows.is_empty()
                || !self.parallel.is_empty() && has_fcw(self.checked, body))
    }
}

/// The error for a directive that no parallel loop is around.
pub fn outside(checked: &Checked) -> Diagnostic {
    Diagnostic::error(
        codes::WINDOW_PLACE,
        format!("`{}` stands outside of any parallel loop", checked.kind.name()),
        tables::name_span(&checked.directive),
    )
    .help("put it inside the innermost loop with a `loop` directive of a compute construct; functions that the construct calls have no block of their own")
}

fn without_statement(checked: &Checked) -> Diagnostic {
    Diagnostic::error(
        codes::EXPECTED_STATEMENT,
        "`fcw` must be followed by a statement",
        tables::name_span(&checked.directive),
    )
    .help("put it right before the statement, loop or block that uses the windows")
}

fn without_list(checked: &Checked) -> Diagnostic {
    Diagnostic::error(
        codes::WINDOW_TYPE,
        "`fcw` names no array",
        tables::name_span(&checked.directive),
    )
    .help("list what the block shares, one `pivot:before:after` a dimension: `fcw FETCH_ONLY(a[i:1:1])`")
}

/// The `fcw` directive that a statement is, and what it governs.
fn stacked<'s>(
    directives: &Directives,
    statement: &'s Statement,
) -> Option<(&'s Directive<Expression>, Option<&'s Statement>)> {
    match &statement.kind {
        StatementKind::Directive(directive, body) if is_fcw(directives, statement) => {
            Some((directive, body.as_deref()))
        }
        _ => None,
    }
}

/// The `cache` directive that a statement is.
fn cache<'d>(directives: &'d Directives, statement: &Statement) -> Option<&'d Checked> {
    let StatementKind::Directive(directive, _) = &statement.kind else {
        return None;
    };
    let checked = directives.get(directive);
    checked.filter(|checked| checked.kind == DirectiveKind::Cache)
}

/// Whether a statement has an `fcw` directive inside.
fn has_fcw(directives: &Directives, statement: &Statement) -> bool {
    visit::any_statement(statement, &mut |inner| is_fcw(directives, inner))
}

/// Whether a statement is one under an `fcw` directive.
pub fn is_fcw(directives: &Directives, statement: &Statement) -> bool {
    directives.kind(statement) == Some(DirectiveKind::Fcw)
}

/// Whether a statement has an `fcw` or a `cache` directive inside.
pub fn has_windows(directives: &Directives, statement: &Statement) -> bool {
    visit::any_statement(statement, &mut |inner| {
        matches!(
            directives.kind(inner),
            Some(DirectiveKind::Fcw | DirectiveKind::Cache)
        )
    })
}
