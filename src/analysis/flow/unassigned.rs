//! Variables of a kernel, or of a device function, that may be read before they have a value.
//!
//! Input: its code, and variables that begin to be where that does. Output: those of its own variables, without an initialiser, with an
//! upward-exposed use where they begin to be. An array, or a structure, counts as read where
//! any of it is named: whether an element has a value a run has to tell.
//!
//! ```c
//! for (i = 0; i < n; i++) {
//!     float t;              // candidate: the branch may not be taken
//!     if (a[i] > 0)
//!         t = a[i];
//!     b[i] = t;
//! }
//! ```

use std::cell::LazyCell;

use indexmap::IndexSet;

use super::{Flow, Order};
use crate::ir::{Statement, StatementKind, visit};
use crate::typed::{SymbolId, Unit};

/// In the order of their declarations, each once.
pub fn unassigned(unit: &Unit, privates: &[SymbolId], body: &[Statement]) -> Vec<SymbolId> {
    let mut search = Search {
        unit,
        found: IndexSet::new(),
    };
    search.all(privates, body);
    search.list(body);
    search.found.into_iter().collect()
}

struct Search<'u> {
    unit: &'u Unit,
    found: IndexSet<SymbolId>,
}

impl Search<'_> {
    /// Variables that begin to be where some code does, which `flow` tells of.
    fn begin(&mut self, variables: &[SymbolId], flow: &dyn Fn(SymbolId) -> Flow) {
        let may_read = |variable: &&SymbolId| flow(**variable).may_read();
        self.found.extend(variables.iter().filter(may_read));
    }

    /// The same where that is a list.
    fn all(&mut self, variables: &[SymbolId], list: &[Statement]) {
        if !variables.is_empty() {
            let (order, unit) = (Order::device(list), self.unit);
            self.begin(variables, &|variable| order.flow(unit, variable));
        }
    }

    fn list(&mut self, list: &[Statement]) {
        let (order, unit) = (LazyCell::new(|| Order::device(list)), self.unit);
        for (index, statement) in list.iter().enumerate() {
            match &statement.kind {
                StatementKind::Declaration(declarations) => {
                    let own = declarations.iter().filter(|one| one.initializer.is_none());
                    let own: Vec<SymbolId> = own.map(|one| one.symbol).collect();
                    let flow = |variable| order.flow_behind(index + 1, unit, variable);
                    self.begin(&own, &flow);
                }
                StatementKind::Loop(l) => self.all(&l.privates, &l.body),
                _ => {}
            }
            visit::blocks(statement, &mut |inner| self.list(inner));
        }
    }
}
