//! Pointers that the iterations of a loop exchange.
//!
//! Input: a loop of the host, and a pointer that it changes. Output: the pointers among which each
//! iteration exchanges its value, by assignments alone that every iteration runs: then each of them leads
//! to the memory of one of them at all times, and a region around the loop that has all of it on the
//! device serves every construct in it, whose addresses are looked up when they are reached.
//!
//! ```c
//! // copy(p[0:n], q[0:n])
//! for (int t = 0; t < steps; t++) {
//!     #pragma acc parallel loop copyin(p[0:n]) copyout(q[0:n])
//!     for (int i = 1; i < n - 1; i++)
//!         q[i] = p[i - 1] + p[i + 1];
//!     double *old = p; p = q; q = old;
//! }
//! ```

use indexmap::IndexMap;

use super::hoisting::{bare, changed};
use crate::analysis::exits::Exits;
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{Expression, ExpressionKind, Statement, StatementKind, SymbolId, Unit, visit};

/// Pointers that exchange their values.
pub(super) struct Permuted {
    /// In the order in which values go on: each has that of the next one after an iteration.
    pub(super) pointers: Vec<SymbolId>,
    /// The assignments.
    pub(super) assignments: Vec<Span>,
}

impl Permuted {
    /// Whether code is part of an assignment.
    pub(super) fn has(&self, code: Span) -> bool {
        let mut own = self.assignments.iter();
        own.any(|one| one.start <= code.start && code.end <= one.end)
    }
}

/// Those of a loop with one of them; none where it is not proved that they only exchange their values.
pub(super) fn permuted(around: &Statement, pointer: SymbolId, unit: &Unit) -> Option<Permuted> {
    let body = match &around.kind {
        StatementKind::For(l) => &l.body,
        StatementKind::While(_, body) | StatementKind::DoWhile(body, _) => &**body,
        _ => return None,
    };
    // What leaves an iteration leaves out assignments.
    if !Exits::of_typed(body).is_empty() {
        return None;
    }
    let mut followed = Followed {
        unit,
        values: IndexMap::new(),
        assignments: Vec::new(),
    };
    followed.statement(body);
    let mut pointers = vec![pointer];
    loop {
        let next = followed.values.get(pointers.last()?).copied()??;
        match pointers.iter().position(|one| *one == next) {
            Some(0) if pointers.len() > 1 => break,
            Some(_) => return None,
            None => pointers.push(next),
        }
    }
    let declared = visit::declared(around);
    let ty = unit.symbol(pointer).ty.ty;
    let is_plain = |symbol: &SymbolId| {
        let variable = unit.symbol(*symbol);
        variable.is_automatic() && variable.ty.ty == ty && !declared.contains(symbol)
    };
    let holders = followed.values.iter().filter(|(_, value)| value.is_some());
    let holders: Vec<SymbolId> = holders.map(|(holder, _)| *holder).collect();
    let result = Permuted {
        pointers,
        assignments: followed.assignments,
    };
    let is_proved = unit.types.is_pointer(ty)
        && result.pointers.iter().all(is_plain)
        && holders.iter().all(|one| unit.symbol(*one).is_automatic())
        && are_only_assigned(around, &holders, &result, unit);
    is_proved.then_some(result)
}

/// Whether nothing but the assignments changes the pointers, names what holds one of their values
/// beside them, or takes their addresses.
fn are_only_assigned(
    around: &Statement,
    holders: &[SymbolId],
    found: &Permuted,
    unit: &Unit,
) -> bool {
    let mut is_kept = true;
    visit::expressions(around, &mut |e| {
        let is_temporary = |symbol| !found.pointers.contains(&symbol);
        let is_other = changed(e).is_some_and(|symbol| holders.contains(&symbol))
            || (e.as_symbol()).is_some_and(|own| holders.contains(&own) && is_temporary(own));
        is_kept &= !is_other || found.has(e.span);
    });
    is_kept && (!are_reachable(around, unit) || !has_addresses(holders, unit))
}

/// Whether code of a loop may change pointers by their addresses.
fn are_reachable(around: &Statement, unit: &Unit) -> bool {
    let mut found = false;
    visit::expressions(around, &mut |e| {
        let is_written = |target: &Expression| {
            unit.types.is_pointer(target.ty.ty) && target.inner().as_symbol().is_none()
        };
        found |=
            matches!(e.kind, ExpressionKind::Call { .. }) || e.assigned().is_some_and(is_written);
    });
    found
}

/// Whether the file takes the address of one of some pointers.
fn has_addresses(pointers: &[SymbolId], unit: &Unit) -> bool {
    let mut found = false;
    for function in &unit.functions {
        visit::expressions(&function.body, &mut |e| {
            let is_address = e.assigned().is_none();
            found |= is_address && changed(e).is_some_and(|own| pointers.contains(&own));
        });
    }
    found
}

/// Which variables have the values that others had when the iteration began.
struct Followed<'u> {
    unit: &'u Unit,
    /// None where it is not known.
    values: IndexMap<SymbolId, Option<SymbolId>>,
    assignments: Vec<Span>,
}

impl Followed<'_> {
    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Compound(_) => {
                visit::children(statement, &mut |inner| self.statement(inner));
            }
            // As macros of several statements are written.
            StatementKind::DoWhile(body, condition)
                if evaluate(self.unit, condition) == Some(0) =>
            {
                self.statement(body);
            }
            StatementKind::Declaration(list) => {
                for one in list {
                    if let Some(value) = one.value() {
                        self.assign(one.symbol, value, value.span);
                    }
                }
            }
            StatementKind::Expression(Some(e)) => {
                if let ExpressionKind::Assign(target, value) = &e.inner().kind
                    && let Some(symbol) = target.inner().as_symbol()
                {
                    self.assign(symbol, value, e.span);
                }
            }
            _ => {}
        }
    }

    fn assign(&mut self, target: SymbolId, value: &Expression, at: Span) {
        let ty = self.unit.symbol(target).ty.ty;
        if !self.unit.types.is_pointer(ty) {
            return;
        }
        let value = bare(value).as_symbol();
        let first = value.and_then(|own| self.values.get(&own).copied().unwrap_or(Some(own)));
        if first.is_some() {
            self.assignments.push(at);
        }
        self.values.insert(target, first);
    }
}
