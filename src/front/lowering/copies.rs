//! Which scalars an iteration or a kernel has for its own.
//!
//! Input: the statements of a kernel. Output: [`ir::Loop::privates`] of loops
//! that may run in parallel, and the list of a kernel's own variables.
//!
//! ```c
//! float t; int j;                   // declared outside the construct
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++) {     // after: privates t
//!     t = 0;
//!     for (j = 0; j < m; j++)       // after: as if declared here
//!         t += a[i][j];
//!     s[i] = t;
//! }
//! ```
//!
//! A variable is an iteration's own if every path writes it before reading it
//! and nothing reads it after the loop before writing it again.

use std::collections::HashSet;

use super::usage;
use crate::analysis::flow::Order;
use crate::ir::{Execution, Loop, PlainFor, Statement, StatementKind, visit};
use crate::typed::{self, SymbolId, Unit};

/// Whether a variable's value is needed after a piece of code.
type Live<'l> = &'l dyn Fn(SymbolId) -> bool;

/// Fills in the privates of all loops. `live` answers for the end of the
/// list; `reserved` variables have clauses of their own.
pub fn of_loops(
    unit: &Unit,
    construct: Execution,
    list: &mut [Statement],
    reserved: &[SymbolId],
    live: Live<'_>,
) {
    let finder = Finder {
        unit,
        construct,
        reserved,
    };
    finder.list(list, live);
}

/// The variables that a kernel writes before it reads them, among `candidates`.
pub fn of_kernel(unit: &Unit, list: &[Statement], candidates: &[SymbolId]) -> Vec<SymbolId> {
    let order = Order::device(list);
    candidates
        .iter()
        .copied()
        .filter(|&symbol| !order.flow(unit, symbol).exposed)
        .collect()
}

struct Finder<'f> {
    unit: &'f Unit,
    construct: Execution,
    reserved: &'f [SymbolId],
}

impl Finder<'_> {
    /// Inner loops first, so that outer ones see what is left.
    fn list(&self, list: &mut [Statement], live: Live<'_>) {
        for index in 0..list.len() {
            let (before, after) = list.split_at_mut(index + 1);
            let Some(statement) = before.last_mut() else {
                continue;
            };
            if !has_loops(statement) {
                continue;
            }
            let after: &[Statement] = after;
            let order = Order::device(after);
            let live_here = |symbol: SymbolId| {
                let next = order.flow(self.unit, symbol);
                next.exposed || !next.is_overwritten() && live(symbol)
            };
            self.statement(statement, &live_here);
        }
    }

    fn statement(&self, statement: &mut Statement, live: Live<'_>) {
        match &mut statement.kind {
            StatementKind::Loop(inner) => {
                self.counted(inner, live);
                if let Some(plain) = self.kept(inner, live) {
                    statement.kind = StatementKind::For(Box::new(plain));
                }
            }
            StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..) => {
                // The next iteration may read whatever this one leaves.
                let copy = statement.clone();
                let next = Order::next_iteration(&copy);
                let again = |symbol: SymbolId| next.flow(self.unit, symbol).exposed || live(symbol);
                visit::blocks_mut(statement, &mut |inner| self.list(inner, &again));
            }
            _ => visit::blocks_mut(statement, &mut |inner| self.list(inner, live)),
        }
    }

    /// A counted loop: its own variable, then what its iterations own.
    fn counted(&self, inner: &mut Loop, live: Live<'_>) {
        let parallel = self.may_be_parallel(inner);
        let copy = inner.body.clone();
        {
            let next = Order::device(&copy);
            let again = |symbol: SymbolId| next.flow(self.unit, symbol).exposed || live(symbol);
            self.list(&mut inner.body, &again);
        }
        if !inner.declared_inside
            && (parallel && inner.directive.is_some() || !live(inner.induction))
            && !self.reserved.contains(&inner.induction)
        {
            inner.declared_inside = true;
        }
        // What only loops inside use is theirs.
        let Loop { privates, body, .. } = &mut *inner;
        let used_inside = used(body);
        privates.retain(|own| used_inside.contains(own));
        if !parallel {
            return;
        }
        let body = Order::device(&inner.body);
        let used = usage::of(self.unit, &inner.body);
        let mut own = Vec::new();
        for (symbol, place) in used.outside() {
            let candidate = place.assigned
                && symbol != inner.induction
                && self.may_be_own(symbol)
                && !inner.privates.contains(&symbol)
                && inner.reductions.iter().all(|r| r.symbol != symbol)
                && used_inside.contains(&symbol);
            if candidate && !body.flow(self.unit, symbol).exposed && !live(symbol) {
                own.push(symbol);
            }
        }
        inner.privates.extend(own);
    }

    /// In `kernels`, a loop that may turn out parallel while its variable's
    /// last value is needed stays a plain loop.
    fn kept(&self, inner: &Loop, live: Live<'_>) -> Option<PlainFor> {
        (self.construct == Execution::Automatic
            && inner.directive.is_none()
            && !inner.declared_inside
            && live(inner.induction))
        .then(|| PlainFor {
            uncounted: Some(format!(
                "the last value of `{}` may be used behind it",
                self.unit.symbol(inner.induction).name
            )),
            ..inner.as_for(self.unit)
        })
    }

    fn may_be_parallel(&self, inner: &Loop) -> bool {
        match self.construct {
            Execution::Serial => false,
            Execution::Redundant => inner.schedule.directive && !inner.schedule.sequential,
            Execution::Automatic => !inner.schedule.sequential,
        }
    }

    /// Scalars and structs without clauses of their own.
    fn may_be_own(&self, symbol: SymbolId) -> bool {
        let variable = self.unit.symbol(symbol);
        !self.reserved.contains(&symbol)
            && !self.unit.types.is_array(variable.ty.ty)
            && !variable.ty.qualifiers.is_volatile
    }
}

/// The variables that loops of a list own, and what it uses outside of the loops that do.
pub struct Owned {
    own: HashSet<SymbolId>,
    used: HashSet<SymbolId>,
}

impl Owned {
    /// Looks at a list once, for all variables.
    pub fn of(list: &[Statement]) -> Self {
        let mut own = HashSet::new();
        visit::loops(list, &mut |inner| own.extend(of_loop(inner)));
        Self {
            own,
            used: used(list),
        }
    }

    /// Whether loops own a variable.
    pub fn has(&self, symbol: SymbolId) -> bool {
        self.own.contains(&symbol)
    }

    /// Whether it is used outside the inner loops that own it.
    pub fn is_used_outside(&self, symbol: SymbolId) -> bool {
        self.used.contains(&symbol)
    }

    /// Whether loops own it, and nothing uses it outside of them.
    pub fn is_only_theirs(&self, symbol: SymbolId) -> bool {
        self.has(symbol) && !self.is_used_outside(symbol)
    }
}

/// The variables that a loop owns.
fn of_loop(inner: &Loop) -> impl Iterator<Item = SymbolId> {
    let own = inner.declared_inside.then_some(inner.induction);
    inner.privates.iter().copied().chain(own)
}

/// The variables that a list uses outside the inner loops that own them.
fn used(list: &[Statement]) -> HashSet<SymbolId> {
    let mut all = HashSet::new();
    for statement in list {
        if let StatementKind::Loop(inner) = &statement.kind {
            let mut inside = used(&inner.body);
            inside.insert(inner.induction);
            inside.extend(inner.reductions.iter().map(|r| r.symbol));
            of_loop(inner).for_each(|own| {
                inside.remove(&own);
            });
            all.extend(inside);
        } else {
            visit::blocks(statement, &mut |inner| all.extend(used(inner)));
        }
        visit::own_expressions(statement, &mut |e| {
            typed::visit::symbols(e, &mut |symbol| {
                all.insert(symbol);
            });
        });
    }
    all
}

fn has_loops(statement: &Statement) -> bool {
    visit::any_loop(std::slice::from_ref(statement), &mut |_| true)
}
