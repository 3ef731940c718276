//! Loops whose headers the threads of a block cannot evaluate each for itself.
//!
//! ```c
//! for (k = 0; a[k] > 0; k++) {            // before
//!     #pragma acc loop vector
//!     for (int j = 0; j < n; j++) a[j]--;
//! }
//!
//! k = 0;                                  // after
//! int again = 0;
//! while (1) {
//!     if (again)
//!         k++;
//!     again = 1;
//!     if (!(a[k] > 0))
//!         break;
//!     …
//! }
//! ```
//!
//! Where the condition or step of a `for` touches memory that the kernel
//! writes, or a `do` with a `continue` ends with such a condition, they become
//! statements of the body, which one thread runs for all. `continue` goes on to
//! them as before.

use super::state::Footprint;
use super::{Uniformity, has_shared_loop};
use crate::analysis::effects::{Oracle, Place, Summaries};
use crate::analysis::exits::Exits;
use crate::analysis::scope::Scope;
use crate::ir::{Kernel, PlainFor, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, Initializer, LocalDeclaration, SymbolId, Unit};

/// Rewrites such loops of a kernel.
pub fn run(kernel: &mut Kernel, summaries: &Summaries, unit: &mut Unit) {
    let found = loops(kernel, &Oracle::with(unit, summaries));
    if !found.is_empty() {
        let mut body = std::mem::take(&mut kernel.body);
        rewrite(&mut body, &found, unit);
        kernel.body = body;
    }
}

/// The places of the loops.
fn loops(kernel: &Kernel, oracle: &Oracle) -> Vec<Span> {
    let scope = Scope::of(kernel, oracle.unit());
    let uniformity = Uniformity::of(kernel, &scope, oracle);
    let writes = oracle.list(&kernel.body).writes.into_iter();
    let writes: Vec<Place> = writes.filter(|&place| !scope.is_private(place)).collect();
    let is_simple = |e: &Expression| {
        let footprint = Footprint::of(&oracle.expression(e), &scope, &writes);
        footprint.reads.is_empty()
            && footprint.writes.is_empty()
            && uniformity.is_uniform(e, &scope, oracle)
    };
    let mut found = Vec::new();
    visit::walk(&kernel.body, &mut |statement| {
        let is_simple = match &statement.kind {
            StatementKind::For(parts) => {
                let first = parts.initializer.as_ref().is_none_or(|first| {
                    let effects = oracle.statement(first);
                    let footprint = Footprint::of(&effects, &scope, &writes);
                    !effects.impure && footprint.writes.is_empty()
                });
                first && parts.condition.iter().chain(&parts.step).all(is_simple)
            }
            StatementKind::DoWhile(body, condition) => {
                !Exits::of(body).continues() || is_simple(condition)
            }
            _ => true,
        };
        if !is_simple && (has_shared_loop(statement) || !Exits::of_statement(statement).is_empty())
        {
            found.push(statement.span);
        }
    });
    found
}

fn rewrite(list: &mut [Statement], found: &[Span], unit: &mut Unit) {
    for statement in list {
        visit::blocks_mut(statement, &mut |inner| rewrite(inner, found, unit));
        let span = statement.span;
        if !found.contains(&span) {
            continue;
        }
        let kind = std::mem::replace(&mut statement.kind, StatementKind::Break);
        statement.kind = match kind {
            StatementKind::For(parts) => macro_expanded(*parts, span, unit),
            StatementKind::DoWhile(body, condition) => {
                let parts = PlainFor {
                    initializer: None,
                    condition: None,
                    step: None,
                    body,
                };
                let mut made = Made::new(span, unit);
                made.exit(condition, true, unit);
                made.around(parts, unit)
            }
            other => other,
        };
    }
}

fn macro_expanded(mut parts: PlainFor, span: Span, unit: &mut Unit) -> StatementKind {
    let mut made = Made::new(span, unit);
    if let Some(step) = parts.step.take() {
        let again = synthesis::symbol(unit, made.again, span);
        let step = made.statement(StatementKind::Expression(Some(step)));
        made.add(StatementKind::If(again, vec![step], None));
    }
    if let Some(condition) = parts.condition.take() {
        made.exit(condition, false, unit);
    }
    made.around(parts, unit)
}

/// What stands at the top of a loop's body.
struct Made {
    /// Set after the first round.
    again: SymbolId,
    top: Vec<Statement>,
    span: Span,
}

impl Made {
    fn new(span: Span, unit: &mut Unit) -> Self {
        let int = synthesis::int(unit);
        Self {
            again: synthesis::variable(unit, "again", int, span),
            top: Vec::new(),
            span,
        }
    }

    fn statement(&self, kind: StatementKind) -> Statement {
        let span = self.span;
        Statement { kind, span }
    }

    fn add(&mut self, kind: StatementKind) {
        let statement = self.statement(kind);
        self.top.push(statement);
    }

    /// Leaves the loop where the condition fails; `later` than the first round.
    fn exit(&mut self, condition: Expression, later: bool, unit: &mut Unit) {
        let int = synthesis::int(unit);
        let fails = synthesis::not(int, condition);
        let leave = self.statement(StatementKind::Break);
        let exit = self.statement(StatementKind::If(fails, vec![leave], None));
        if later {
            let again = synthesis::symbol(unit, self.again, self.span);
            self.add(StatementKind::If(again, vec![exit], None));
        } else {
            self.top.push(exit);
        }
    }

    /// The loop with these statements at its top.
    fn around(mut self, parts: PlainFor, unit: &mut Unit) -> StatementKind {
        let int = synthesis::int(unit);
        let number = |value| synthesis::integer(value, int, self.span);
        let declaration = LocalDeclaration {
            symbol: self.again,
            initializer: Some(Initializer::Expression(number(0))),
            lengths: Vec::new(),
            span: self.span,
        };
        let set = synthesis::assign(synthesis::symbol(unit, self.again, self.span), number(1));
        let (always, set) = (number(1), StatementKind::Expression(Some(set)));
        self.add(set);
        let mut list: Vec<Statement> = parts.initializer.into_iter().collect();
        list.push(self.statement(StatementKind::Declaration(vec![declaration])));
        let mut body = std::mem::take(&mut self.top);
        body.extend(parts.body);
        list.push(self.statement(StatementKind::While(always, body)));
        StatementKind::Block(list)
    }
}
