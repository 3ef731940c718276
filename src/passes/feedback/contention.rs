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
    AtomicAction, AtomicForm, Kernel, Module, Passing, ReductionOperator, Statement, StatementKind,
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
        search.list(&kernel.body, None);
        for note in search.found {
            diagnostics.push(note.data("kernel", number));
        }
    }
}

struct Search<'k> {
    kernel: &'k Kernel,
    unit: &'k Unit,
    found: Vec<Diagnostic>,
}

impl Search<'_> {
    /// Statements that run in every iteration of a loop over threads, if they are in one: `around`.
    fn list(&mut self, list: &[Statement], around: Option<Span>) {
        for statement in list {
            match &statement.kind {
                StatementKind::Loop(l) => {
                    let is_shared = l.is_distributed();
                    self.list(&l.body, is_shared.then_some(l.header).or(around));
                }
                StatementKind::Block(body) => self.list(body, around),
                StatementKind::Atomic(atomic) if atomic.form == AtomicForm::Update => {
                    if let (Some(around), Ok(access)) = (around, atomic.access())
                        && let AtomicAction::Step(step) = access.action
                        && self.is_one_address(access.target)
                    {
                        let clause = recognition::of_binary(step.operator);
                        let clause = clause.map(ReductionOperator::spelling);
                        self.found.push(self.note(access.target, clause, around));
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
            .data(RANK, 500)
    }
}
