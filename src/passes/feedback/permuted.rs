//! Pointers that the iterations of a loop exchange.
//!
//! Input: a loop of the host, and a pointer that it changes. Output: the pointers among which each
//! iteration exchanges its value, by assignments alone that every iteration runs: then each of them leads
//! to the memory of one of them at all times, and a region around the loop that has all of it on the
//! device serves every construct in it, whose addresses are looked up when they are reached. A function of the
//! file that only exchanges what its parameters lead to (`swap(&p, &q)`) makes such assignments.
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
use crate::typed::{
    Expression, ExpressionKind, Statement, StatementKind, SymbolId, UnaryOperator, Unit, visit,
};

/// Pointers that exchange their values.
pub(super) struct Permuted {
    /// In the order in which values go on: each has that of the next one after an iteration.
    pub(super) pointers: Vec<SymbolId>,
    /// The assignments, and functions that make them.
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
    let mut followed = Followed::new(unit, &[]);
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

/// Whether the file takes the address of one of some pointers, but for functions that exchange them.
fn has_addresses(pointers: &[SymbolId], unit: &Unit) -> bool {
    let (mut found, mut exchanged_by) = (Vec::new(), Vec::new());
    for function in &unit.functions {
        visit::expressions(&function.body, &mut |e| {
            let is_address = e.assigned().is_none();
            if is_address && changed(e).is_some_and(|own| pointers.contains(&own)) {
                found.push(e.span);
            }
            exchanged_by.extend(exchanged(e, unit).map(|_| e.span));
        });
    }
    let is_inside = |at: &Span, call: &Span| call.start <= at.start && at.end <= call.end;
    let mut found = found.iter();
    found.any(|at| !exchanged_by.iter().any(|call| is_inside(at, call)))
}

/// The variables whose values a call exchanges, each with that whose value it gets, by a function that does
/// nothing else; and the body of that.
fn exchanged<'u>(
    e: &Expression,
    unit: &'u Unit,
) -> Option<(Vec<(SymbolId, SymbolId)>, &'u Statement)> {
    let ExpressionKind::Call {
        function,
        arguments,
    } = &e.kind
    else {
        return None;
    };
    let function = unit.function(bare(function).as_symbol()?)?;
    let targets = arguments.iter().map(|argument| match &bare(argument).kind {
        ExpressionKind::Unary(UnaryOperator::AddressOf, target) => target.inner().as_symbol(),
        _ => None,
    });
    let targets: Vec<SymbolId> = targets.collect::<Option<_>>()?;
    let parameters = &function.parameters;
    let are_apart = (1..targets.len()).all(|at| !targets[..at].contains(&targets[at]));
    if parameters.is_empty() || targets.len() != parameters.len() || !are_apart {
        return None;
    }
    let mut followed = Followed::new(unit, parameters);
    followed.statement(&function.body);
    let mut all = 0;
    visit::statements(&function.body, &mut |statement| {
        all += match &statement.kind {
            StatementKind::Declaration(list) => {
                list.iter().filter(|one| one.value().is_some()).count()
            }
            StatementKind::Compound(_) => 0,
            _ => 1,
        };
    });
    let locals = visit::declared(&function.body);
    let mut assigned = followed.values.keys();
    let is_own = locals.iter().all(|own| unit.symbol(*own).is_automatic())
        && assigned.all(|own| locals.contains(own) || parameters.contains(own));
    if !is_own || all != followed.assignments.len() {
        return None;
    }
    let pairs = parameters.iter().zip(&targets).map(|(own, target)| {
        let source = followed.values.get(own).copied().unwrap_or(Some(*own))?;
        let from = parameters.iter().position(|other| *other == source)?;
        Some((*target, targets[from]))
    });
    Some((pairs.collect::<Option<_>>()?, &function.body))
}

/// Which variables have the values that others had when the iteration began.
struct Followed<'u> {
    unit: &'u Unit,
    /// Pointers that stand for what they lead to.
    parameters: &'u [SymbolId],
    /// None where it is not known.
    values: IndexMap<SymbolId, Option<SymbolId>>,
    assignments: Vec<Span>,
}

impl<'u> Followed<'u> {
    fn new(unit: &'u Unit, parameters: &'u [SymbolId]) -> Self {
        Self {
            unit,
            parameters,
            values: IndexMap::new(),
            assignments: Vec::new(),
        }
    }

    /// The variable that an expression is, or the parameter that leads to it.
    fn named(&self, e: &Expression) -> Option<SymbolId> {
        match &e.kind {
            ExpressionKind::Unary(UnaryOperator::Indirection, inner) => {
                let parameter = bare(inner).as_symbol();
                parameter.filter(|own| self.parameters.contains(own))
            }
            _ => e.as_symbol().filter(|own| !self.parameters.contains(own)),
        }
    }

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
                    && let Some(symbol) = self.named(target.inner())
                {
                    self.assign(symbol, value, e.span);
                } else if self.parameters.is_empty()
                    && let Some((pairs, body)) = exchanged(bare(e), self.unit)
                {
                    let before = self.values.clone();
                    for (target, source) in pairs {
                        let first = before.get(&source).copied().unwrap_or(Some(source));
                        self.values.insert(target, first);
                    }
                    self.assignments.extend([e.span, body.span]);
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
        let value = self.named(bare(value));
        let first = value.and_then(|own| self.values.get(&own).copied().unwrap_or(Some(own)));
        if first.is_some() {
            self.assignments.push(at);
        }
        self.values.insert(target, first);
    }
}
