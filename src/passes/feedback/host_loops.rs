//! The loops of the host around a region, and how often they run it.
//!
//! Input: a place in a function. Output: the loops around it, and what they come to as a piece of a
//! sentence. A number of iterations is told where it is the loop's own: from 0 or 1 to a bound
//! that nothing changes, and left by no jump.
//!
//! ```c
//! for (int t = 0; t < steps; t++)
//!     for (int q = 0; q < 8; q++) {
//!         …                              // in each of `steps`·8 iterations
//!         if (q == 3) …                  // in at most `steps`·8 iterations
//! ```

use std::collections::BTreeSet;

use super::hoisting::{bare, changed, contains};
use crate::analysis::exits::{Exits, Jump};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, ExpressionKind, For, Statement, StatementKind, SymbolId, Unit, visit,
};

/// Loops, outermost first, around one place.
pub(super) struct HostLoops<'m> {
    unit: &'m Unit,
    pub(super) all: Vec<HostLoop<'m>>,
    /// Each iteration of each of them comes to the place.
    is_certain: bool,
}

/// A loop of the host.
pub(super) struct HostLoop<'m> {
    pub(super) statement: &'m Statement,
    /// Its variable, if it counts.
    pub(super) variable: Option<SymbolId>,
    trips: Trips,
}

/// How often a loop runs.
enum Trips {
    Constant(i128),
    /// An expression in the program's variables.
    Text(String),
    Unknown,
}

fn is_loop(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..)
    )
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
            if is_loop(statement) {
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
            }
        });
        Self {
            unit,
            all: all.collect(),
            is_certain,
        }
    }

    /// Without those that do not repeat what is meant.
    pub(super) fn retain(&mut self, repeats: impl Fn(&Statement) -> bool) {
        self.all.retain(|one| repeats(one.statement));
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
        _ => false,
    }
}

/// The variable that a loop compares with its bound, and how often it runs; `outermost` is the
/// first loop around it, which may be itself.
fn trips(statement: &Statement, outermost: &Statement, unit: &Unit) -> (Option<SymbolId>, Trips) {
    let StatementKind::For(l) = &statement.kind else {
        return (None, Trips::Unknown);
    };
    let Some(ExpressionKind::Binary(operator, left, right)) =
        l.condition.as_ref().map(|e| &e.inner().kind)
    else {
        return (None, Trips::Unknown);
    };
    let Some(variable) = bare(left).as_symbol() else {
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
