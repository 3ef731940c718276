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

use super::of_list;
use crate::ir::{Statement, StatementKind, visit};
use crate::typed::{SymbolId, Unit};

/// In the order of their declarations, each once.
pub fn unassigned(unit: &Unit, privates: &[SymbolId], body: &[Statement]) -> Vec<SymbolId> {
    let mut search = Search {
        unit,
        found: Vec::new(),
    };
    search.begin(privates, body);
    search.list(body);
    search.found
}

struct Search<'u> {
    unit: &'u Unit,
    found: Vec<SymbolId>,
}

impl Search<'_> {
    /// Variables that begin to be where a list does.
    fn begin(&mut self, variables: &[SymbolId], list: &[Statement]) {
        for variable in variables {
            let may_read = of_list(self.unit, list, *variable).may_read();
            if may_read && !self.found.contains(variable) {
                self.found.push(*variable);
            }
        }
    }

    fn list(&mut self, list: &[Statement]) {
        for (index, statement) in list.iter().enumerate() {
            match &statement.kind {
                StatementKind::Declaration(declarations) => {
                    let own = declarations.iter().filter(|one| one.initializer.is_none());
                    let own: Vec<SymbolId> = own.map(|one| one.symbol).collect();
                    self.begin(&own, list.get(index + 1..).unwrap_or_default());
                }
                StatementKind::Loop(l) => self.begin(&l.privates, &l.body),
                _ => {}
            }
            visit::blocks(statement, &mut |inner| self.list(inner));
        }
    }
}
