//! Which atomic accesses have to be atomic.
//!
//! Input: kernels whose variables have their places. Output: atomic accesses
//! to memory that threads share, and plain statements for those to variables
//! that a thread has for itself, which no other can come between (and which
//! CUDA's atomic functions do not take).
//!
//! ```c
//! int own = 0;
//! #pragma acc atomic update
//! own += a[i];               // after: a statement like any other
//! #pragma acc atomic update
//! sum += own;                // after: atomic, as before
//! ```

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::scope::Scope;
use crate::ir::{Module, Statement, StatementKind, visit};
use crate::typed::{Expression, SymbolId, Unit};

/// Takes atomic accesses to private variables apart.
pub fn run(module: &mut Module, unit: &Unit) {
    let functions = module.functions.clone();
    let oracle = Oracle::new(unit, &functions);
    for kernel in &mut module.kernels {
        let scope = Scope::of(kernel, unit);
        relax(&mut kernel.body, &oracle, &|place| scope.is_private(place));
    }
    let is_own = |symbol: SymbolId| unit.symbol(symbol).is_automatic();
    for function in &mut module.functions {
        relax(
            &mut function.body,
            &oracle,
            &|place| matches!(place, Place::Variable(symbol) if is_own(symbol)),
        );
    }
}

fn relax(list: &mut [Statement], oracle: &Oracle, is_private: &dyn Fn(Place) -> bool) {
    visit::walk_mut(list, &mut |statement| {
        let StatementKind::Atomic(atomic) = &statement.kind else {
            return;
        };
        let private = atomic
            .access()
            .is_ok_and(|access| is_private(oracle.place(access.target)));
        if private {
            let span = statement.span;
            let step = |e: &Expression| StatementKind::Expression(Some(e.clone())).at(span);
            let steps = atomic.steps.iter().map(step);
            let mut steps: Vec<Statement> = steps.collect();
            statement.kind = match steps.len() {
                1 => steps.remove(0).kind,
                _ => StatementKind::Block(steps),
            };
        }
    });
}
