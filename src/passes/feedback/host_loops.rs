//! The loops of the host around a region, and how often they run it.
//!
//! Input: a place in a function. Output: the loops around it, and around each of the calls of the function that
//! loops repeat; and what they come to as a piece of a sentence. A number of iterations is told where it is the
//! loop's own: from 0 or 1 to a bound that nothing changes, and left by no jump.
//!
//! ```c
//! for (int t = 0; t < steps; t++)
//!     for (int q = 0; q < 8; q++) {
//!         …                              // in each of `steps`·8 iterations
//!         if (q == 3) …                  // in at most `steps`·8 iterations
//! ```

use std::collections::BTreeSet;

use super::calls::{Call, Calls};
use super::hoisting::{bare, changed, contains};
use crate::analysis::exits::{Exits, Jump};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, For, Statement, StatementKind, SymbolId, Unit,
    visit,
};

/// So many ways lead to a place through callers.
const MOST: usize = 64;

/// How often loops run a place, as far as that is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Repetitions {
    /// Loops of which only the program knows how often they run.
    pub(super) unknown: u32,
    /// The iterations of the others.
    pub(super) known: u64,
}

impl Repetitions {
    /// Without a loop.
    pub(super) const ONE: Self = Self {
        unknown: 0,
        known: 1,
    };

    pub(super) fn are_several(self) -> bool {
        self.unknown > 0 || self.known > 1
    }
}

/// Loops, outermost first, around one place.
pub(super) struct HostLoops<'m> {
    unit: &'m Unit,
    pub(super) all: Vec<HostLoop<'m>>,
    /// Each iteration of each of them comes to the place.
    pub(super) is_certain: bool,
}

/// A loop of the host.
#[derive(Clone)]
pub(super) struct HostLoop<'m> {
    pub(super) statement: &'m Statement,
    /// Its variable, if it counts.
    pub(super) variable: Option<SymbolId>,
    trips: Trips,
    /// From the place to the function that has the loop, innermost first.
    pub(super) calls: Vec<Call<'m>>,
}

impl HostLoop<'_> {
    /// Whether it is known to have iterations.
    pub(super) fn runs(&self) -> bool {
        matches!(self.trips, Trips::Constant(number) if number > 0)
    }

    /// The name of a variable in the function that has the loop.
    pub(super) fn name(&self, symbol: SymbolId, unit: &Unit) -> Option<SymbolId> {
        let mut calls = self.calls.iter();
        calls.try_fold(symbol, |symbol, call| call.name_outside(symbol, unit))
    }
}

/// How often a loop runs.
#[derive(Clone)]
enum Trips {
    Constant(i128),
    /// An expression in the program's variables.
    Text(String),
    Unknown,
}

/// Whether a statement is a loop that runs a place in it again.
fn repeats(statement: &Statement, at: u32) -> bool {
    match &statement.kind {
        StatementKind::For(l) => contains(l.body.span, at),
        kind => matches!(kind, StatementKind::While(..) | StatementKind::DoWhile(..)),
    }
}

impl<'m> HostLoops<'m> {
    /// Those around a place in a function.
    pub(super) fn around(unit: &'m Unit, function: SymbolId, at: u32) -> Self {
        let mut loops: Vec<&Statement> = Vec::new();
        let mut is_certain = true;
        let function = unit.function(function);
        let mut each = |statement: &'m Statement| {
            if !contains(statement.span, at) {
                return;
            }
            if repeats(statement, at) {
                loops.push(statement);
            }
            is_certain &= loops.is_empty() || leads_on(statement, at);
        };
        if let Some(function) = function {
            visit::statements(&function.body, &mut each);
        }
        let all = loops.iter().map(|statement| {
            let (variable, trips) = trips(statement, loops[0], unit);
            HostLoop {
                statement,
                variable,
                trips,
                calls: Vec::new(),
            }
        });
        Self {
            unit,
            all: all.collect(),
            is_certain,
        }
    }

    /// With those around the calls of the function: each way to it that has some, or else the loops alone.
    pub(super) fn with_callers(self, calls: &Calls<'m>, function: SymbolId, at: u32) -> Vec<Self> {
        self.with_outer(calls, function, at, &mut vec![function])
    }

    fn with_outer(
        self,
        calls: &Calls<'m>,
        function: SymbolId,
        at: u32,
        open: &mut Vec<SymbolId>,
    ) -> Vec<Self> {
        let mut ways = Vec::new();
        for call in calls.of(function) {
            let caller = call.caller.symbol;
            if open.contains(&caller) {
                continue;
            }
            open.push(caller);
            let start = call.span.start;
            let outer = Self::around(self.unit, caller, start);
            let outer = outer.with_outer(calls, caller, start, open);
            open.pop();
            for mut way in outer.into_iter().filter(|way| !way.all.is_empty()) {
                for one in &mut way.all {
                    one.calls.insert(0, *call);
                }
                way.is_certain &= self.is_certain && is_always_run(self.unit, function, at);
                way.all.extend(self.all.iter().cloned());
                ways.push(way);
            }
            ways.truncate(MOST);
        }
        if ways.is_empty() {
            ways.push(self);
        }
        ways
    }

    /// Without those that do not repeat what is meant.
    pub(super) fn retain(&mut self, repeats: impl Fn(&HostLoop) -> bool) {
        self.all.retain(repeats);
    }

    /// As in `in each of 10 iterations`; nothing where there are no loops. `always` is
    /// whether the place itself is without a condition.
    pub(super) fn text(&self, always: bool) -> Option<String> {
        if self.all.is_empty() {
            return None;
        }
        let is_certain = self.is_certain && always;
        Some(match (self.product(), is_certain) {
            (Some(number), true) => format!("in each of {number} iterations"),
            (Some(number), false) => format!("in at most {number} iterations"),
            (None, true) => format!("in each iteration of {}", self.names()),
            (None, false) => format!("in iterations of {}", self.names()),
        })
    }

    pub(super) fn repetitions(&self) -> Repetitions {
        let mut all = Repetitions::ONE;
        for one in &self.all {
            match one.trips {
                Trips::Constant(n) => {
                    let n = u64::try_from(n).unwrap_or(u64::MAX);
                    all.known = all.known.saturating_mul(n);
                }
                Trips::Text(_) | Trips::Unknown => all.unknown += 1,
            }
        }
        all
    }

    /// `5`, `` `steps` ``, `` 8·`steps` ``.
    fn product(&self) -> Option<String> {
        let mut number: i128 = 1;
        let mut factors = Vec::new();
        for one in &self.all {
            match &one.trips {
                Trips::Constant(n) => number = number.checked_mul(*n)?,
                Trips::Text(text) => factors.push(format!("`{text}`")),
                Trips::Unknown => return None,
            }
        }
        if number != 1 || factors.is_empty() {
            factors.insert(0, number.to_string());
        }
        Some(factors.join("·"))
    }

    /// `the loop over `t``, `the loops over `t` and `q``.
    fn names(&self) -> String {
        let plural = if self.all.len() > 1 { "s" } else { "" };
        let variables = self.all.iter().map(|one| one.variable);
        let names: Option<Vec<String>> = variables
            .map(|variable| Some(format!("`{}`", self.unit.symbol(variable?).name)))
            .collect();
        match names {
            Some(names) => format!("the loop{plural} over {}", names.join(" and ")),
            None => format!("the loop{plural} around"),
        }
    }
}

/// Whether each run of a statement comes to the place in it.
fn leads_on(statement: &Statement, at: u32) -> bool {
    let is_skipped = |body: &Statement| {
        let exits = Exits::of_typed(body);
        exits
            .iter()
            .any(|(jump, span)| jump == Jump::Continue && span.start < at)
    };
    match &statement.kind {
        StatementKind::For(l) => !is_skipped(&l.body),
        StatementKind::While(_, body) | StatementKind::DoWhile(body, _) => !is_skipped(body),
        StatementKind::Compound(_) | StatementKind::Directive(..) => true,
        StatementKind::Expression(Some(e)) => is_evaluated(e, at),
        StatementKind::Declaration(list) => {
            let mut values = list.iter().filter_map(|one| one.value());
            values.all(|value| is_evaluated(value, at))
        }
        _ => false,
    }
}

/// Whether each evaluation of an expression evaluates what is at a place in it.
fn is_evaluated(e: &Expression, at: u32) -> bool {
    visit::all(e, &mut |e| {
        let chooses = matches!(
            e.kind,
            ExpressionKind::Conditional(..)
                | ExpressionKind::Binary(
                    BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                    ..
                )
        );
        !chooses || !contains(e.span, at)
    })
}

/// Whether each run of a function comes to a place in it.
fn is_always_run(unit: &Unit, function: SymbolId, at: u32) -> bool {
    unit.function(function).is_some_and(|function| {
        let exits = Exits::of_typed(&function.body);
        let mut leads = !exits.iter().any(|(_, span)| span.start < at);
        visit::statements(&function.body, &mut |statement| {
            leads &= !contains(statement.span, at) || leads_on(statement, at);
        });
        leads
    })
}

/// The variable that a loop compares with its bound, and how often it runs; `outermost` is the
/// first loop around it, which may be itself.
fn trips(statement: &Statement, outermost: &Statement, unit: &Unit) -> (Option<SymbolId>, Trips) {
    let StatementKind::For(l) = &statement.kind else {
        return (None, Trips::Unknown);
    };
    let mut condition = l.condition.as_ref().map(|e| &e.inner().kind);
    let mut is_all = true;
    // What else has to hold leaves the loop as a `break` does.
    while let Some(ExpressionKind::Binary(BinaryOperator::LogicalAnd, first, _)) = condition {
        (condition, is_all) = (Some(&bare(first).kind), false);
    }
    let Some(ExpressionKind::Binary(operator, left, right)) = condition else {
        return (None, Trips::Unknown);
    };
    let is_stepped = |symbol: &SymbolId| {
        let step = l.step.as_ref();
        step.is_some_and(|e| visit::any(e, &mut |e| changed(e) == Some(*symbol)))
    };
    let Some(variable) = bare(left).as_symbol().filter(is_stepped) else {
        return (None, Trips::Unknown);
    };
    let first = match operator {
        BinaryOperator::Less => Some(0),
        BinaryOperator::LessEqual => Some(1),
        _ => None,
    };
    let begins = first.is_some_and(|n| begins_at(l.initializer.as_ref(), variable, n, unit));
    let mut named = BTreeSet::new();
    visit::symbols(right, &mut |symbol| {
        named.insert(symbol);
    });
    let counts = begins
        && is_all
        && steps_by_one(l, variable)
        && !changes(&l.body, |symbol| symbol == variable)
        && !changes(outermost, |symbol| named.contains(&symbol))
        && !visit::declared(outermost).iter().any(|s| named.contains(s))
        && !Exits::of_typed(&l.body).any(Jump::ends_loop);
    let trips = match evaluate(unit, right) {
        _ if !counts => Trips::Unknown,
        Some(number) => Trips::Constant(number.max(0)),
        None => Trips::Text(Printer::text(unit, &C, right.inner())),
    };
    (Some(variable), trips)
}

fn steps_by_one(l: &For, variable: SymbolId) -> bool {
    l.step.as_ref().is_some_and(|e| {
        matches!(&e.inner().kind, ExpressionKind::Unary(operator, target)
            if operator.is_step() && target.as_symbol() == Some(variable))
    })
}

/// Whether a statement changes one of some variables.
fn changes(statement: &Statement, is_one: impl Fn(SymbolId) -> bool) -> bool {
    let mut found = false;
    visit::expressions(statement, &mut |e| {
        found |= changed(e).is_some_and(&is_one);
    });
    found
}

fn begins_at(
    initializer: Option<&Statement>,
    variable: SymbolId,
    first: i128,
    unit: &Unit,
) -> bool {
    let value = match initializer.map(|statement| &statement.kind) {
        Some(StatementKind::Declaration(list)) => {
            let own = list.iter().find(|one| one.symbol == variable);
            own.and_then(|one| one.value())
        }
        Some(StatementKind::Expression(Some(e))) => match &e.inner().kind {
            ExpressionKind::Assign(target, value) if target.as_symbol() == Some(variable) => {
                Some(&**value)
            }
            _ => None,
        },
        _ => None,
    };
    value.is_some_and(|value| evaluate(unit, value) == Some(first))
}
