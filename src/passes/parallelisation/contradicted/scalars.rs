//! Scalars that the iterations of a parallel loop share, and of which each one uses what others write.
//!
//! ```c
//! #pragma acc parallel loop copy(t)
//! for (int i = 0; i < n; i++)
//!     t = t * 0.5 + a[i];       // warned of: reads what another iteration writes
//! ```
//!
//! Every iteration reads the variable before it writes it, and what it writes is its own: it adds to the
//! variable, or writes a value that depends on the iteration. Or it compares a value with the variable to
//! write that value to it, as a maximum is found. Or every iteration writes a value of its own, and none
//! reads it. What else a condition, or a loop inside, decides is not said.
//!
//! Of a variable of which each thread has a copy, with the value from before the construct, the iterations
//! that read it get another value than those before them wrote:
//!
//! ```c
//! #pragma acc parallel loop copy(a)
//! for (int i = 0; i < n; i++) {
//!     float here = a[i];
//!     a[i] = before;            // warned of
//!     before = here;
//! }
//! ```

use std::collections::BTreeSet;

use super::super::proof::Prover;
use super::counters::is_partial;
use super::is_straight;
use crate::analysis::effects::{Place, Touch};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Capture, Loop, Passing, Statement, StatementKind, visit};
use crate::typed::{self, BinaryOperator, Expression, ExpressionKind, SymbolId};

/// What is said of a loop, if it is one.
pub fn of_loop(prover: &Prover, l: &Loop, own: &BTreeSet<SymbolId>) -> Option<Diagnostic> {
    let unit = prover.oracle.unit();
    let trips = l.constant_trip_count(unit);
    if trips.is_some_and(|trips| trips < 2) || !is_straight(&l.body) {
        return None;
    }
    let local = visit::own_variables(&l.body);
    let is_inner = |symbol| {
        local.contains(&symbol) || visit::any_loop(&l.body, &mut |l| l.induction == symbol)
    };
    let captures = prover.kernel.captures.iter();
    let scalars = captures.filter(|capture| match capture.passing {
        Passing::Reference => true,
        Passing::Value => capture.written,
        _ => false,
    });
    let mut scalars = scalars.filter(|capture| {
        let symbol = capture.symbol;
        let ty = unit.symbol(symbol).ty;
        let is_plain = !ty.qualifiers.is_volatile && !ty.qualifiers.is_atomic;
        let is_own = own.contains(&symbol) || symbol == l.induction || is_inner(symbol);
        is_plain && unit.types.is_arithmetic(ty.ty) && !is_own
    });
    scalars.find_map(|capture| {
        let (symbol, is_shared) = (capture.symbol, capture.passing == Passing::Reference);
        let mut search = Search {
            prover,
            symbol,
            read: None,
            write: None,
            first: None,
        };
        search.list(&l.body);
        let is_of_iteration = |e: &Expression| {
            typed::visit::any(e, &mut |part| {
                let own = part.as_symbol();
                own.is_some_and(|own| own == l.induction || local.contains(&own))
            })
        };
        if let Some(change) = search.first
            && is_shared
            && let ExpressionKind::Assign(_, value) = &change.kind
            && is_of_iteration(value)
            && mentioned(&l.body, symbol) == 1
        {
            return Some(overwritten(prover, l, symbol, change));
        }
        let (read, write) = search.read.zip(search.write)?;
        let matters = match &write.change.kind {
            ExpressionKind::Assign(_, value) => is_of_iteration(value),
            ExpressionKind::CompoundAssign {
                operator, value, ..
            } => {
                let is_idempotent =
                    matches!(operator, BinaryOperator::BitAnd | BinaryOperator::BitOr);
                !is_idempotent || is_of_iteration(value)
            }
            _ => true,
        };
        let is_update = !matches!(write.change.kind, ExpressionKind::Assign(..));
        // Of copies, updates are told of as reductions.
        let is_told = matters && (is_shared || !is_update && !write.is_chosen);
        is_told.then(|| warning(prover, l, capture, read, &write))
    })
}

/// A write of a variable.
#[derive(Clone, Copy)]
struct Write<'k> {
    change: &'k Expression,
    /// A comparison with the variable decides.
    is_chosen: bool,
}

/// Goes through what every iteration runs.
struct Search<'k, 'p> {
    prover: &'p Prover<'p, 'p>,
    symbol: SymbolId,
    /// Before any write.
    read: Option<&'k Expression>,
    write: Option<Write<'k>>,
    /// What every iteration writes before any read.
    first: Option<&'k Expression>,
}

impl<'k> Search<'k, '_> {
    /// Whether nothing is open about the variable so far.
    fn list(&mut self, list: &'k [Statement]) -> bool {
        list.iter().all(|statement| match &statement.kind {
            StatementKind::Expression(Some(e)) => self.expression(e),
            StatementKind::Declaration(list) => {
                let mut goes_on = true;
                for declaration in list {
                    declaration.values(&mut |e| goes_on = goes_on && self.expression(e));
                }
                goes_on
            }
            StatementKind::Block(inner) => self.list(inner),
            StatementKind::If(condition, then, None) if condition.mentions(self.symbol) => {
                let goes_on = self.expression(condition);
                if goes_on {
                    self.chosen(condition, then);
                }
                goes_on && !mentions(then, self.symbol)
            }
            _ => !mentions(std::slice::from_ref(statement), self.symbol),
        })
    }

    fn expression(&mut self, e: &'k Expression) -> bool {
        let mut accesses = Vec::new();
        self.prover.oracle.accesses(e, &mut |access| {
            if access.place == Place::Variable(self.symbol) {
                accesses.push(access);
            }
        });
        if accesses.is_empty() {
            return true;
        }
        let is_called = |e: &Expression| matches!(e.kind, ExpressionKind::Call { .. });
        if is_partial(e) || accesses.iter().any(|access| is_called(access.expression)) {
            return false;
        }
        let is_it = |change: &Expression| {
            let target = change.assigned();
            target.is_some_and(|target| target.as_symbol() == Some(self.symbol))
        };
        for access in accesses {
            match access.touch {
                Touch::Read => self.read = self.read.or(Some(access.expression)),
                Touch::Write if self.read.is_none() => {
                    self.first = Some(e.inner()).filter(|change| is_it(change));
                    return false;
                }
                Touch::Write => {}
            }
        }
        if self.write.is_none() && is_it(e.inner()) {
            let change = e.inner();
            let is_chosen = false;
            self.write = Some(Write { change, is_chosen });
        }
        true
    }

    /// `if (value > m) m = value;`, with more statements at times.
    fn chosen(&mut self, condition: &'k Expression, then: &'k [Statement]) {
        use BinaryOperator as B;
        let ExpressionKind::Binary(
            B::Less | B::LessEqual | B::Greater | B::GreaterEqual,
            left,
            right,
        ) = &condition.inner().kind
        else {
            return;
        };
        let is_it = |e: &Expression| e.without_conversions().as_symbol() == Some(self.symbol);
        let compared = match (is_it(left), is_it(right)) {
            (true, false) => right,
            (false, true) => left,
            _ => return,
        };
        let found = statements(then).into_iter().find(|e| {
            matches!(&e.kind, ExpressionKind::Assign(target, value)
                if target.as_symbol() == Some(self.symbol)
                    && value.without_conversions().is_same(compared.without_conversions()))
        });
        self.write = self.write.or(found.map(|change| Write {
            change,
            is_chosen: true,
        }));
    }
}

/// The expressions of a list that it evaluates whole.
fn statements(list: &[Statement]) -> Vec<&Expression> {
    let mut found = Vec::new();
    for statement in list {
        match &statement.kind {
            StatementKind::Expression(Some(e)) => found.push(e.inner()),
            StatementKind::Block(inner) => found.extend(statements(inner)),
            _ => {}
        }
    }
    found
}

fn mentions(list: &[Statement], symbol: SymbolId) -> bool {
    mentioned(list, symbol) > 0
}

fn mentioned(list: &[Statement], symbol: SymbolId) -> usize {
    let mut count = 0;
    visit::expressions(list, &mut |e| {
        count += usize::from(e.as_symbol() == Some(symbol))
    });
    count
}

/// Every iteration writes a value of its own, and none reads it.
fn overwritten(prover: &Prover, l: &Loop, symbol: SymbolId, change: &Expression) -> Diagnostic {
    let unit = prover.oracle.unit();
    let (variable, name) = (&unit.symbol(l.induction).name, &unit.symbol(symbol).name);
    let message = format!("the iterations of the loop over `{variable}` depend on each other");
    let (place, says) = super::claim(l);
    Diagnostic::warning(codes::DEPENDENCE, message, change.span)
        .label(format!(
            "every iteration writes `{name}`, and any of them may be the last"
        ))
        .also(place, says)
        .note("what it computes differs from run to run")
        .help(format!(
            "name `{name}` in `private` if it is the iteration's own, or assign the last value behind the \
             loop"
        ))
}

fn warning(
    prover: &Prover,
    l: &Loop,
    capture: &Capture,
    read: &Expression,
    write: &Write,
) -> Diagnostic {
    let unit = prover.oracle.unit();
    let (variable, name) = (
        &unit.symbol(l.induction).name,
        &unit.symbol(capture.symbol).name,
    );
    let message = format!("the iterations of the loop over `{variable}` depend on each other");
    let (place, says) = super::claim(l);
    let is_update = !matches!(write.change.kind, ExpressionKind::Assign(..));
    let (reason, help) = match () {
        () if write.is_chosen => (
            format!("every iteration reads `{name}` to decide whether to write it"),
            format!(
                "name `{name}` in a `reduction`, and find what belongs to its value in a second loop, or \
                 put `seq` on the loop"
            ),
        ),
        () if is_update => (
            format!("every iteration writes `{name}` and reads `{name}`"),
            "name it in a `reduction`, put `#pragma acc atomic` before the update, or `seq` on the loop"
                .to_owned(),
        ),
        () => (
            format!("every iteration reads `{name}` and writes `{name}`"),
            "put `seq` on the loop".to_owned(),
        ),
    };
    Diagnostic::warning(codes::DEPENDENCE, message, read.span)
        .label(reason)
        .also(place, says)
        .note(match capture.passing {
            Passing::Value => format!(
                "each thread has a `{name}` of its own, with the value from before the construct"
            ),
            _ => "what it computes differs from run to run".to_owned(),
        })
        .help(help)
}
