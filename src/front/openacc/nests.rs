//! The loops that one directive governs: `collapse` and `tile` (OpenACC 3.3,
//! sections 2.9.1 and 2.9.8).
//!
//! Input: a `for` under a directive. Output: nested [`Loop`]s, of which the
//! outermost has the clauses and knows how many belong to it. Tiles are no more
//! than an order of iterations, which are independent or keep the source's.

use super::body::{Body, has_errors};
use super::check::Directives;
use super::clauses::LoopClauses;
use super::table::{ClauseKind, DirectiveKind};
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::jumps;
use crate::front::lowering::loops::{self, Counted, only};
use crate::front::lowering::statements::Statements;
use crate::ir::{self, Loop, Schedule};
use crate::source::Span;
use crate::typed::{For, Statement, StatementKind, SymbolId, visit};

/// A loop behind code that `collapse(force: n)` allows between its loops.
#[derive(Debug)]
pub struct Forced {
    /// The loop.
    pub place: Span,
    /// What governs it.
    pub construct: jumps::Construct<'static>,
    /// What is left for it.
    pub clauses: LoopClauses,
}

/// A loop under a `loop` directive without clauses that share it out: with
/// `collapse` or `tile` around, other compilers read over the directive.
fn under_plain_loop<'s>(
    directives: &Directives,
    statement: &'s Statement,
) -> Option<(Span, &'s Statement, &'s For)> {
    let StatementKind::Directive(directive, Some(body)) = &statement.kind else {
        return None;
    };
    let StatementKind::For(parts) = &body.kind else {
        return None;
    };
    let checked = directives.get(directive)?;
    let mut kinds = checked.clauses.iter().map(|clause| clause.kind);
    let says_nothing = kinds.all(|kind| matches!(kind, ClauseKind::Independent | ClauseKind::Auto));
    (checked.kind == DirectiveKind::Loop && says_nothing).then_some((directive.span, body, parts))
}

impl Body<'_> {
    /// The loops that a directive governs, from the outermost.
    pub(super) fn nest(
        &mut self,
        construct: jumps::Construct<'static>,
        mut clauses: LoopClauses,
        statement: &Statement,
        parts: &For,
    ) -> Option<ir::Statement> {
        let mut loops: Vec<Counted<'_>> = Vec::new();
        let (mut statement, mut parts) = (statement, parts);
        loop {
            if has_errors(parts) {
                self.list(&parts.body);
                return None;
            }
            match Counted::of(self.unit, statement, parts) {
                Ok(counted) => loops.push(counted),
                Err(why) if clauses.schedule.sequential && clauses.collapse == 1 => {
                    return Some(ir::Statement {
                        kind: self.plain(parts, Some(why.message)),
                        span: statement.span,
                    });
                }
                Err(problem) => {
                    let what = format!("`{}` needs a counted loop", construct.name);
                    self.diagnostics
                        .push(problem.also(construct.directive, what));
                    self.list(&parts.body);
                    return None;
                }
            }
            if loops.len() == clauses.collapse {
                break;
            }
            if clauses.force && only(&parts.body).is_none() {
                clauses = self.leave_inner(construct, clauses, loops.len(), &parts.body);
                break;
            }
            let next = self.next_collapsed(&clauses, &loops, &parts.body);
            let Some((next_statement, next_parts)) = next else {
                self.list(&parts.body);
                return None;
            };
            (statement, parts) = (next_statement, next_parts);
        }
        self.rectangular(&clauses, &loops);
        let innermost = loops.last()?.parts;
        if clauses.schedule.sequential && jumps::leaves(&innermost.body) {
            return (loops.len() == 1).then(|| ir::Statement {
                kind: self.plain(innermost, None),
                span: statement.span,
            });
        }
        jumps::out_of(&innermost.body, construct, true, self.diagnostics);
        let mut body = self.top(&innermost.body);
        let variables: Vec<SymbolId> = loops.iter().map(|l| l.header.induction).collect();
        clauses.privates.retain(|own| !variables.contains(own));
        loops::keep_variables(self.unit, &variables, &mut body);
        loops::nested(loops, body, &clauses.tile, |outermost: &mut Loop| {
            outermost.schedule = clauses.schedule;
            outermost.privates = clauses.privates;
            outermost.reductions = clauses.reductions;
            outermost.directive = Some(construct.directive);
        })
    }

    /// Code stands between loops that `collapse(force: n)` governs: those so
    /// far are collapsed, the others get a directive of their own, which takes
    /// `vector` where there is another level for the outer ones. So the code
    /// runs as often as in the source.
    fn leave_inner(
        &mut self,
        construct: jumps::Construct<'static>,
        mut clauses: LoopClauses,
        depth: usize,
        body: &Statement,
    ) -> LoopClauses {
        let schedule = &mut clauses.schedule;
        let mut inner = LoopClauses {
            schedule: Schedule {
                directive: true,
                independent: schedule.independent,
                sequential: schedule.sequential,
                auto: schedule.auto,
                ..Schedule::default()
            },
            collapse: clauses.collapse - depth,
            force: true,
            collapse_span: clauses.collapse_span,
            ..LoopClauses::default()
        };
        if schedule.levels.lane && (schedule.levels.block || schedule.levels.row) {
            schedule.levels.lane = false;
            inner.schedule.levels.lane = true;
            inner.schedule.sizes.lane = schedule.sizes.lane.take();
        }
        inner.reductions.clone_from(&clauses.reductions);
        let StatementKind::Compound(items) = &body.kind else {
            return clauses;
        };
        let mut found = items
            .iter()
            .filter(|item| matches!(item.kind, StatementKind::For(_)));
        match (found.next(), found.next()) {
            (Some(one), None) => {
                clauses.collapse = depth;
                self.forced = Some(Forced {
                    place: one.span,
                    construct,
                    clauses: inner,
                });
            }
            (_, other) => {
                let place = other.map_or(body.span, |other| other.span);
                self.diagnostics.push(
                    Diagnostic::error(
                        codes::COLLAPSE,
                        format!(
                            "`collapse(force: {})` finds no single inner loop",
                            clauses.collapse
                        ),
                        clauses.collapse_span.unwrap_or(body.span),
                    )
                    .also(place, "")
                    .help("collapse loops of which each holds one other"),
                );
            }
        }
        clauses
    }

    /// The next loop of a collapsed nest.
    fn next_collapsed<'s>(
        &mut self,
        clauses: &LoopClauses,
        loops: &[Counted<'_>],
        body: &'s Statement,
    ) -> Option<(&'s Statement, &'s For)> {
        let found = only(body);
        if let Some(statement) = found
            && let StatementKind::For(parts) = &statement.kind
        {
            return Some((statement, parts));
        }
        let span = clauses.collapse_span.unwrap_or(body.span);
        if let Some((directive, statement, parts)) =
            found.and_then(|s| under_plain_loop(self.checked, s))
        {
            self.directives.push(directive);
            let message = "a `loop` directive on a loop that another one governs";
            self.diagnostics.push(
                Diagnostic::warning(codes::COLLAPSE, message, directive)
                    .also(span, "this governs the loop")
                    .help("remove the inner directive, which says nothing more"),
            );
            return Some((statement, parts));
        }
        let written = match clauses.is_tile {
            true => format!("`tile` with {} sizes", clauses.collapse),
            false => format!("`collapse({})`", clauses.collapse),
        };
        let (what, place) = match found.map(|s| (&s.kind, s.span)) {
            Some((StatementKind::Directive(..), place)) => {
                ("a directive stands between the loops", place)
            }
            Some((_, place)) => ("this is no `for` loop", place),
            None => ("the loops are not tightly nested", body.span),
        };
        let message = format!(
            "{written} finds only {} tightly nested loop{}",
            loops.len(),
            if loops.len() == 1 { "" } else { "s" }
        );
        let mut has_more = false;
        visit::statements(body, &mut |s| {
            has_more |= matches!(s.kind, StatementKind::For(_))
        });
        let (help, right) = match loops.len() {
            number if number > 1 && !has_more => match clauses.is_tile {
                true => (format!("give `tile` {number} sizes"), None),
                false => {
                    let right = format!("collapse({number})");
                    (format!("write `{right}`"), Some(right))
                }
            },
            1 if !has_more => {
                let help = "there is no other loop inside: remove the clause";
                (help.to_owned(), Some(String::new()))
            }
            _ => {
                let help = "move what stands between the loops into the innermost one";
                (help.to_owned(), None)
            }
        };
        let problem = Diagnostic::error(codes::COLLAPSE, message, span).also(place, what);
        let problem = problem.help(help);
        let right = right.filter(|_| clauses.collapse_span.is_some());
        self.diagnostics.push(match right {
            Some(right) => problem.replacement(right),
            None => problem,
        });
        None
    }

    /// Bounds of collapsed loops must not depend on each other's variables.
    fn rectangular(&mut self, clauses: &LoopClauses, loops: &[Counted<'_>]) {
        for (depth, Counted { header: inner, .. }) in loops.iter().enumerate() {
            for Counted { header: outer, .. } in &loops[..depth] {
                let used = [&inner.lower, &inner.bound, &inner.step]
                    .into_iter()
                    .find(|e| e.mentions(outer.induction));
                let Some(used) = used else { continue };
                let message = format!(
                    "the bounds of a collapsed loop depend on `{}`",
                    self.unit.symbol(outer.induction).name
                );
                self.diagnostics.push(
                    Diagnostic::error(codes::COLLAPSE, message, used.span)
                        .also(clauses.collapse_span.unwrap_or(used.span), "")
                        .help("collapse only loops whose ranges are independent of each other"),
                );
            }
        }
    }
}
