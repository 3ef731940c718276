//! Warns of loops that a directive calls independent and that carry a dependence for certain.
//!
//! Input: loops of which it is known whether they are parallel. Output: a warning for each.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 1; i < n; i++)
//!     a[i] = a[i - 1] + b[i];   // warned of: reads what another iteration writes
//! ```
//!
//! What only may be so is not said: both accesses are of the same array, are made by every
//! iteration, and their subscripts are affine with distances that are numbers. Where iterations
//! write one element, what they write has to depend on the iteration.

mod counters;
mod folded;
mod scalars;

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexSet;

use super::asserted;
use super::proof::Prover;
use crate::analysis::dependence::{self, Carried, Nest};
use crate::analysis::effects::{Oracle, Place, Touch};
use crate::analysis::exits::Exits;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::scope::Scope;
use crate::analysis::subscripts::{self, Element, Elements};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{Kernel, Loop, Module, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::{self, Expression, ExpressionKind, SymbolId, Unit};

/// Looks at every loop of every kernel.
pub fn run(module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &module.kernels {
        if kernel.shape.is_some() || kernel.collective.is_some() {
            continue;
        }
        let scope = Scope::of(kernel, unit);
        let prover = Prover {
            kernel,
            oracle: &oracle,
            scope: &scope,
            may_assume: false,
        };
        let own = own(kernel);
        visit::loops(&kernel.body, &mut |l| {
            let is_asserted = asserted(kernel, l).is_some_and(|answer| answer.parallel);
            if is_asserted {
                let found = is_straight(&l.body).then(|| of_loop(&prover, l, &own));
                let found = found.flatten();
                let found = found.or_else(|| counters::of_loop(&prover, l, &own));
                let found = found.or_else(|| scalars::of_loop(&prover, l, &own));
                diagnostics.extend_once(found.into_iter().collect());
            }
        });
    }
}

/// Variables, arrays and sections of which iterations or threads may have copies.
pub fn own(kernel: &Kernel) -> BTreeSet<SymbolId> {
    let mut own: BTreeSet<SymbolId> = kernel.privates.iter().copied().collect();
    own.extend(kernel.private_arrays.iter().map(|array| array.symbol));
    own.extend(kernel.reductions.iter().map(|reduction| reduction.symbol));
    visit::loops(&kernel.body, &mut |l| {
        own.extend(&l.privates);
        own.extend(l.reductions.iter().map(|reduction| reduction.symbol));
    });
    own
}

/// Whether each iteration runs all statements that no counted loop or `if` holds.
fn is_straight(body: &[Statement]) -> bool {
    let mut is_straight = Exits::of(body).iter().next().is_none();
    visit::walk(body, &mut |statement| {
        is_straight &= !matches!(
            statement.kind,
            StatementKind::For(_)
                | StatementKind::While(..)
                | StatementKind::DoWhile(..)
                | StatementKind::Switch(..)
                | StatementKind::Goto(_)
                | StatementKind::Label(_)
                | StatementKind::Continue
        );
    });
    is_straight
}

fn of_loop(prover: &Prover, l: &Loop, own: &BTreeSet<SymbolId>) -> Option<Diagnostic> {
    let private: IndexSet<SymbolId> = visit::declared(&l.body).into_iter().collect();
    let elements = subscripts::collect_with_conditions(l, &private, prover.oracle);
    if elements.wraps {
        return None;
    }
    let nest = Nest {
        tested: 0,
        last: elements.last.clone(),
    };
    let atomic = atomic_accesses(&l.body);
    let is_atomic = |e: &Expression| atomic.iter().any(|target| target.is_same(e));
    let certain: Vec<&Element> = elements
        .list
        .iter()
        .filter(|element| is_certain(prover.kernel, own, element, &elements))
        .filter(|element| !is_atomic(element.expression))
        .collect();
    let mut of_root: HashMap<Place, Vec<&Element>> = HashMap::new();
    for element in &certain {
        of_root.entry(element.root).or_default().push(element);
    }
    let writes = certain.iter().filter(|e| e.touch == Touch::Write);
    let pairs = writes.flat_map(|write| {
        let others = of_root.get(&write.root).into_iter().flatten();
        others.map(|other| (*write, *other))
    });
    // What is read says more than that all write.
    let (reads, rest): (Vec<_>, Vec<_>) = pairs.partition(|(_, o)| o.touch == Touch::Read);
    let found = reads.into_iter().chain(rest).find_map(|(write, other)| {
        let found = dependence::proved(&write.subscripts, &other.subscripts, &nest)?;
        // Iterations that all write one element may write the same.
        let matters = match found {
            Carried::Distance(_) | Carried::Crossing => true,
            Carried::First | Carried::Several(_) | Carried::Uneven(_) => other.touch == Touch::Read,
            Carried::All => differs(l, write, other, &elements),
        };
        matters.then(|| warning(prover, l, (write, other), found, &nest))
    });
    found.or_else(|| {
        let (write, read, found) =
            folded::of_loop(prover.oracle.unit(), l, &certain, &elements, &nest)?;
        let matters = read.touch == Touch::Write || differs(l, write, read, &elements);
        matters.then(|| warning(prover, l, (write, read), found, &nest))
    })
}

/// What atomic statements access: their order may matter, and is the program's own.
fn atomic_accesses(body: &[Statement]) -> Vec<&Expression> {
    let mut found = Vec::new();
    visit::walk(body, &mut |statement| {
        if let StatementKind::Atomic(atomic) = &statement.kind
            && let Ok(access) = atomic.access()
        {
            found.push(access.target);
        }
    });
    found
}

/// Whether every iteration makes an access to memory that all of them share, in an order that
/// matters.
fn is_certain(
    kernel: &Kernel,
    own: &BTreeSet<SymbolId>,
    element: &Element,
    elements: &Elements,
) -> bool {
    let symbol = match element.root {
        Place::Unknown => None,
        place => place.symbol(),
    };
    let is_shared =
        symbol.is_some_and(|symbol| kernel.capture(symbol).is_some() && !own.contains(&symbol));
    // A loop inside may have no iteration in some of those of the tested one.
    let is_same = |number: &usize| {
        let last = elements.last.get(*number).and_then(Option::as_ref);
        last.is_some_and(|last: &Polynomial| last.iterations().is_empty())
    };
    is_shared
        && element.under.is_empty()
        && !element.is_atomic
        && !element.has_window
        && !matches!(element.expression.kind, ExpressionKind::Call { .. })
        && element
            .within
            .iter()
            .all(|number| *number == 0 || is_same(number))
}

/// Whether what an iteration writes depends on which it is, or on what the element was before.
fn differs(l: &Loop, write: &Element, other: &Element, elements: &Elements) -> bool {
    let mut value = None;
    let mut steps = false;
    visit::expressions(&l.body, &mut |e| {
        let is_it = e
            .assigned()
            .is_some_and(|target| std::ptr::eq(target, write.expression));
        match &e.kind {
            ExpressionKind::Assign(_, written) if is_it => value = Some(written),
            _ => steps |= is_it,
        }
    });
    let Some(value) = value else {
        return steps && other.touch == Touch::Read;
    };
    let is_in_value = |part: &Expression| typed::visit::any(value, &mut |e| std::ptr::eq(e, part));
    let reads = other.touch == Touch::Read && is_in_value(other.expression);
    let mut read = elements.list.iter().filter(|e| e.touch == Touch::Read);
    let is_of_iteration = |element: &Element| {
        let mut values = element.subscripts.iter().filter_map(|s| s.value.as_ref());
        values.any(|value| value.iterations().contains(&0))
    };
    reads
        || value.mentions(l.induction)
        || read.any(|e| is_of_iteration(e) && is_in_value(e.expression))
}

fn warning(
    prover: &Prover,
    l: &Loop,
    (write, other): (&Element, &Element),
    found: Carried,
    nest: &Nest,
) -> Diagnostic {
    let (w, o) = (prover.text(write.expression), prover.text(other.expression));
    let reason = match found {
        Carried::Distance(distance) => prover.dependence(write, other, Some(distance)).reason,
        Carried::First => format!("the first iteration uses {w} as the others use {o}"),
        Carried::Crossing if other.touch == Touch::Write => {
            format!("another iteration writes as {o} what was written as {w}")
        }
        Carried::Crossing | Carried::Uneven(_) => {
            format!("another iteration reads as {o} what was written as {w}")
        }
        Carried::Several(_) if other.touch == Touch::Write => {
            format!("several iterations write {w}, and any of them may be the last")
        }
        Carried::Several(_) => format!("several iterations write {w} and read {o}"),
        Carried::All if other.touch == Touch::Write => {
            format!("every iteration writes {w}, and any of them may be the last")
        }
        Carried::All => format!("every iteration writes {w} and reads {o}"),
    };
    let variable = &prover.oracle.unit().symbol(l.induction).name;
    let message = format!("the iterations of the loop over `{variable}` depend on each other");
    let array = write.root.symbol().filter(|s| is_scratch(prover, *s));
    let name = array.map_or("", |array| prover.oracle.unit().symbol(array).name.as_str());
    let private = format!("name `{name}` in `private`, so that each iteration has its own");
    let help = match found {
        Carried::All if !std::ptr::eq(write.expression, other.expression) && array.is_some() => {
            &private
        }
        Carried::All | Carried::Several(_) if other.touch == Touch::Write => {
            "write to an element for each iteration, or assign the last value behind the loop"
        }
        Carried::Several(_) => "put `#pragma acc atomic` before the update, or `seq` on the loop",
        Carried::All => {
            "name it in a `reduction`, put `#pragma acc atomic` before the update, or `seq` on the loop"
        }
        _ if l.directive.is_none() => {
            "leave the loop out of `collapse`, and put `seq` on it, or write to another array than it \
             reads"
        }
        _ => {
            "put `seq` on the loop, or write to another array than it reads; in `kernels`, only loops \
             that are proved to be independent run in parallel"
        }
    };
    let (place, says) = claim(l);
    let warning = Diagnostic::warning(codes::DEPENDENCE, message, other.expression.span)
        .label(reason)
        .also(place, says)
        .note("what it computes differs from run to run")
        .help(help);
    let least = found.iterations();
    match least > 2 && nest.known_last().is_none() {
        true => warning.note(format!(
            "if the loop has more than {} iterations",
            least - 1
        )),
        false => warning,
    }
}

/// Where it is said that iterations are independent: a directive has several loops at times, of
/// which the first one has its place.
fn claim(l: &Loop) -> (Span, &'static str) {
    match l.directive {
        Some(directive) => (directive, "says that they are independent"),
        None => (
            l.header,
            "the directive of the loop around says that they are independent",
        ),
    }
}

/// Whether an array is a variable of the function.
fn is_scratch(prover: &Prover, array: SymbolId) -> bool {
    let unit = prover.oracle.unit();
    unit.is_array(array) && unit.symbol(array).is_automatic()
}
