//! What only the windows' places needed: no longer read.
//!
//! ```c
//! int row = l + threadIdx.y;                    // before
//! #pragma acc fcw FETCH_ONLY(a[row:0:0:j:0:0])
//! // after: the window begins at `l`, and `row` is gone
//! ```

use indexmap::IndexSet;

use crate::analysis::effects::Oracle;
use crate::ir::{Kernel, Statement, StatementKind, visit};
use crate::typed::{Expression, ExpressionKind, SymbolId, Unit};

/// The variables that the pivots of a kernel's regions mention.
pub fn in_pivots(kernel: &Kernel) -> IndexSet<SymbolId> {
    let mut found = IndexSet::new();
    visit::walk(&kernel.body, &mut |s| {
        if let StatementKind::Windows(_) = s.kind {
            visit::own_expressions(s, &mut |e| mention(e, &mut found));
        }
    });
    found
}

/// Says which bases have a use: for copies of slots, or in subscripts.
pub fn bases(kernel: &mut Kernel) {
    let mut named = IndexSet::new();
    visit::symbols(&kernel.body, &mut |symbol| {
        named.insert(symbol);
    });
    for window in &mut kernel.windows {
        let is_copied = window.policy.fetch || window.is_written_together();
        for dimension in &mut window.dimensions {
            dimension.has_base = is_copied || named.contains(&dimension.base);
        }
    }
}

/// Removes declarations, private copies and assignments of variables that are not read, of
/// those given and what they were computed from.
pub fn remove(kernel: &mut Kernel, candidates: IndexSet<SymbolId>, unit: &Unit) {
    let oracle = Oracle::new(unit, &[]);
    let mut candidates = candidates;
    let mut dead = IndexSet::new();
    loop {
        let mut read = IndexSet::new();
        visit::walk(&kernel.body, &mut |s| reads(s, &mut read));
        for window in &kernel.windows {
            window.computed().for_each(|e| mention(e, &mut read));
        }
        let captured = |s: &SymbolId| kernel.captures.iter().any(|c| c.symbol == *s);
        dead.extend(
            (candidates.iter().copied())
                .filter(|symbol| !read.contains(symbol) && !captured(symbol)),
        );
        let mut removal = Removal {
            dead: &dead,
            oracle: &oracle,
            from: IndexSet::new(),
            done: false,
        };
        visit::lists_mut(&mut kernel.body, &mut |list| {
            list.retain_mut(|statement| removal.keeps(statement));
        });
        let Removal { from, done, .. } = removal;
        if !done {
            break;
        }
        candidates.extend(from);
    }
    visit::symbols(&kernel.body, &mut |symbol| {
        dead.swap_remove(&symbol);
    });
    kernel.privates.retain(|symbol| !dead.contains(symbol));
    visit::loops_mut(&mut kernel.body, &mut |l| {
        l.privates.retain(|symbol| !dead.contains(symbol));
    });
}

struct Removal<'a, 'u> {
    dead: &'a IndexSet<SymbolId>,
    oracle: &'a Oracle<'u>,
    /// What removed code read.
    from: IndexSet<SymbolId>,
    done: bool,
}

impl Removal<'_, '_> {
    /// Whether a statement stays, perhaps with fewer declarations.
    fn keeps(&mut self, statement: &mut Statement) -> bool {
        match &mut statement.kind {
            StatementKind::Declaration(list) => {
                list.retain(|declaration| {
                    let mut pure = true;
                    declaration.values(&mut |e| pure &= self.oracle.expression(e).is_pure());
                    let stays = !self.dead.contains(&declaration.symbol) || !pure;
                    if !stays && let Some(e) = declaration.value() {
                        mention(e, &mut self.from);
                    }
                    self.done |= !stays;
                    stays
                });
                !list.is_empty()
            }
            StatementKind::Expression(Some(e)) => {
                let Some((symbol, value)) = assigned(e) else {
                    return true;
                };
                let stays =
                    !self.dead.contains(&symbol) || !self.oracle.expression(value).is_pure();
                if !stays {
                    mention(value, &mut self.from);
                }
                self.done |= !stays;
                stays
            }
            _ => true,
        }
    }
}

/// The variable that a statement assigns, and its value.
fn assigned(e: &Expression) -> Option<(SymbolId, &Expression)> {
    match &e.inner().kind {
        ExpressionKind::Assign(target, value) => Some((target.as_symbol()?, value)),
        _ => None,
    }
}

/// What a statement reads itself: all that it mentions, but for the variable
/// that it assigns.
fn reads(statement: &Statement, found: &mut IndexSet<SymbolId>) {
    match &statement.kind {
        StatementKind::Expression(Some(e)) => match assigned(e) {
            Some((_, value)) => mention(value, found),
            None => mention(e, found),
        },
        _ => visit::own_expressions(statement, &mut |e| mention(e, found)),
    }
}

fn mention(e: &Expression, found: &mut IndexSet<SymbolId>) {
    crate::typed::visit::symbols(e, &mut |symbol| {
        found.insert(symbol);
    });
}
