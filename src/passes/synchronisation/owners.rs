//! Which elements the threads of a shared loop have each for itself, and for how long that holds.
//!
//! ```c
//! for (int k = 0; k < steps; k++) {
//!     #pragma acc loop vector
//!     for (int i = 0; i < n; i++)
//!         a[i] += b[i];           // no barrier: the thread that updates a[i] did so before
//!     #pragma acc loop vector
//!     for (int i = 0; i < n; i++)
//!         c[k][i] = a[i];         // none here
//!     #pragma acc loop vector
//!     for (int i = 0; i < n - 1; i++)
//!         d[k][i] = a[i + 1];     // but here, and at the end of an iteration
//! }
//! ```
//!
//! [`Ownership`](crate::analysis::ownership::Ownership) compares two loops. Here is on which variables
//! it may rely: those on which the threads agree, and which nothing changes but where it names them.
//! Every statement, and every iteration of a loop, ends what is known by the variables that it
//! changes ([`Facts::changed`]).

#[cfg(test)]
mod tests;

use indexmap::IndexSet;

use super::Facts;
use super::state::Footprint;
use crate::analysis::effects::Place;
use crate::analysis::ownership;
use crate::ir::{Kernel, Loop, Statement, StatementKind, visit};
use crate::typed::SymbolId;

impl Facts<'_> {
    /// What a loop that threads share touches, and which of them what.
    pub fn footprint_of_shared(&self, whole: &Statement, l: &Loop) -> Footprint {
        let effects = self.oracle.statement(whole);
        let mut footprint = self.footprint(&effects);
        // Windows stand for elements that the code does not name.
        if !effects.volatile && self.kernel.windows.is_empty() && !footprint.is_empty() {
            let is_steady = |symbol| self.is_steady(symbol);
            footprint.owners = ownership::of(l, self.oracle, self.scope, &is_steady);
        }
        footprint
    }

    /// Whether the threads that share a loop agree on a variable, and nothing changes it but where
    /// it is named.
    fn is_steady(&self, symbol: SymbolId) -> bool {
        let place = Place::Variable(symbol);
        let variable = self.oracle.unit().symbol(symbol);
        let is_kept = match self.scope.is_private(place) {
            true => !self.uniformity.varies(symbol) && !self.escapes.contains(&symbol),
            false => !(self.writes.iter()).any(|&write| self.scope.may_alias(place, write)),
        };
        let is_volatile = variable.ty.qualifiers.is_volatile;
        is_kept && variable.is_variable() && !is_volatile && !self.copies.contains(&symbol)
    }

    /// The variables that may have other values behind a statement, or inside it, than before.
    pub fn changed(&self, statement: &Statement) -> IndexSet<SymbolId> {
        let list = std::slice::from_ref(statement);
        let writes = self.oracle.list(list).writes.into_iter();
        let mut changed: IndexSet<SymbolId> = writes.filter_map(Place::variable).collect();
        changed.extend(visit::declared(list));
        visit::walk(list, &mut |s| match &s.kind {
            StatementKind::Loop(l) => {
                changed.insert(l.induction);
                changed.extend(&l.privates);
                changed.extend(l.reductions.iter().map(|r| r.symbol));
            }
            StatementKind::ReductionBegin(reduction, _)
            | StatementKind::ReductionEnd(reduction, _) => {
                changed.insert(reduction.symbol);
            }
            _ => {}
        });
        changed
    }
}

/// The variables of which threads or iterations have copies of their own somewhere in a kernel.
pub fn copies(kernel: &Kernel) -> IndexSet<SymbolId> {
    let own = kernel.reductions.iter();
    let all = own.chain(&kernel.grid_reductions);
    let all = all.chain(&kernel.block_reductions).map(|r| r.symbol);
    let mut found: IndexSet<SymbolId> = all.collect();
    visit::walk(&kernel.body, &mut |s| match &s.kind {
        StatementKind::Loop(l) => {
            found.extend(l.reductions.iter().map(|r| r.symbol));
            found.extend(&l.privates);
            let is_shared = l.threads() != [false; 3];
            found.extend((is_shared && !l.declared_inside).then_some(l.induction));
        }
        StatementKind::ReductionBegin(reduction, _) => {
            found.insert(reduction.symbol);
        }
        _ => {}
    });
    found
}
