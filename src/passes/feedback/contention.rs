//! Atomic updates that threads wait for each other at.
//!
//! Input: decided kernels. Output: a note for each update of one address that all iterations of a
//! loop over threads make.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++) {
//!     #pragma acc atomic update
//!     *total += a[i];                    // n updates, one after the other
//! }
//! ```

use crate::analysis::recognition;
use crate::diagnostic::{Diagnostic, Diagnostics, RANK, codes};
use crate::ir::{
    AtomicAction, AtomicForm, Kernel, Loop, Module, Passing, ReductionOperator, Statement,
    StatementKind,
};
use crate::source::Span;
use crate::typed::print::spelled;
use crate::typed::{Expression, SymbolId, Unit, visit as typed_visit};

/// Looks at all kernels.
pub fn run(module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    for (number, kernel) in module.kernels.iter().enumerate() {
        let mut search = Search {
            kernel,
            unit,
            found: Vec::new(),
        };
        search.list(&kernel.body, &Around::default());
        for note in search.found {
            diagnostics.push(note.data("kernel", number));
        }
    }
}

/// So many updates are as bad as any number that only the program knows, and half as many rank so much
/// lower.
const MANY: f64 = (1 << 20) as f64;
const WORST: f64 = 500.0;
const HALF: f64 = 25.0;

/// The loops around a statement.
#[derive(Clone, Copy)]
struct Around {
    /// The innermost one over threads.
    shared: Option<Span>,
    /// Blocks share one of them, so that no other block runs the statement again.
    has_blocks: bool,
    /// How often they run it, if that is known.
    trips: Option<i128>,
}

impl Default for Around {
    fn default() -> Self {
        Self {
            shared: None,
            has_blocks: false,
            trips: Some(1),
        }
    }
}

impl Around {
    /// What is around the body of a loop.
    fn within(&self, l: &Loop, unit: &Unit) -> Self {
        let own = l.constant_trip_count(unit);
        Self {
            shared: l.is_distributed().then_some(l.header).or(self.shared),
            has_blocks: self.has_blocks || l.has_blocks(),
            trips: self
                .trips
                .zip(own)
                .and_then(|(trips, own)| trips.checked_mul(own)),
        }
    }

    /// The note on an update, ranked by how often it is made.
    #[allow(clippy::cast_precision_loss, reason = "an estimate")]
    fn ranked(&self, note: Diagnostic) -> Diagnostic {
        let Some(trips) = self.trips.filter(|_| self.has_blocks) else {
            return note.data(RANK, WORST);
        };
        let fewer = (MANY / trips.max(1) as f64).log2().max(0.0);
        let times = if trips == 1 { "update" } else { "updates" };
        let note = note.note(format!("{trips} {times} in a launch"));
        let note = note.data("updates", i64::try_from(trips).ok());
        note.data(RANK, HALF.mul_add(-fewer, WORST).max(1.0))
    }
}

struct Search<'k> {
    kernel: &'k Kernel,
    unit: &'k Unit,
    found: Vec<Diagnostic>,
}

impl Search<'_> {
    /// Statements that run in every iteration of the loops around.
    fn list(&mut self, list: &[Statement], around: &Around) {
        for statement in list {
            match &statement.kind {
                StatementKind::Loop(l) => self.list(&l.body, &around.within(l, self.unit)),
                StatementKind::Block(body) => self.list(body, around),
                StatementKind::Atomic(atomic) if atomic.form == AtomicForm::Update => {
                    if let (Some(shared), Ok(access)) = (around.shared, atomic.access())
                        && let AtomicAction::Step(step) = access.action
                        && self.is_one_address(access.target)
                    {
                        let clause = recognition::of_binary(step.operator);
                        let clause = clause.map(ReductionOperator::spelling);
                        let note = self.note(access.target, clause, shared);
                        self.found.push(around.ranked(note));
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether an lvalue is the same in all threads: behind its array are values that the kernel
    /// gets and keeps.
    fn is_one_address(&self, target: &Expression) -> bool {
        let mut symbols = Vec::new();
        typed_visit::symbols(target, &mut |symbol| symbols.push(symbol));
        let is_stepped = typed_visit::any(target, &mut |e| e.assigned().is_some());
        let Some((root, subscripts)) = symbols.split_first() else {
            return false;
        };
        let is_value = |symbol: &SymbolId| {
            let capture = self.kernel.capture(*symbol);
            capture.is_some_and(|one| one.passing == Passing::Value && !one.written)
        };
        let has_copies = self.kernel.private_array(*root).is_some();
        self.kernel.capture(*root).is_some()
            && !has_copies
            && !is_stepped
            && subscripts.iter().all(is_value)
    }

    fn note(&self, target: &Expression, clause: Option<&str>, around: Span) -> Diagnostic {
        let text = spelled(self.unit, target);
        let message = format!("all threads update `{text}`, one after the other");
        let remedy = match clause {
            Some(operator) => {
                format!(
                    "in place of the atomic update, add to a variable with `reduction({operator}: …)` on the loop"
                )
            }
            None => "combine values in each thread first".to_owned(),
        };
        Diagnostic::remark(codes::CONTENTION, message, target.span)
            .also(around, "in each iteration")
            .help(remedy.clone())
            .data("remedy", remedy)
            .data("access", text)
    }
}
