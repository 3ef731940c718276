//! Threads that run several iterations one above the other.
//!
//! Input: mapped kernels whose loops along y and x are all that is distributed. Output: where a
//! small body reads an array at several places and does not write it, as stencils do, each thread has
//! [`FACTOR`] neighbours along y.
//!
//! ```c
//! for (int row = 0; row < rows; row++)                        // along y
//!     for (int column = 0; column < columns; column++)        // along x
//!         next[row][column] = now[row - 1][column] + now[row + 1][column];
//!
//! for (int row_first = 0; row_first < rows; row_first += 4)   // along y
//!     for (int column = 0; column < columns; column++)        // along x
//!         #pragma unroll
//!         for (int row = row_first; row < row_first + 4; row++)
//!             if (row < rows)
//!                 next[row][column] = now[row - 1][column] + now[row + 1][column];
//! ```
//!
//! The loads of all copies are under way at a time, neighbours' rows are in the cache or in
//! registers, and a quarter of the blocks begins and ends. On an H200 that takes hotspot's kernel
//! from 102 to 80 microseconds a step and jacobi's from 67 to 46, each of 4096 by 4096.

mod windows;

pub use windows::run as of_windows;

use std::collections::{BTreeMap, BTreeSet};

use super::variables::kernel_variable;
use crate::analysis::effects::{Access, Effects, Oracle, Place, Touch};
use crate::analysis::launch_value::is_exact;
use crate::ir::{
    Axis, Distribution, INT_SLACK, Kernel, Loop, Module, Relation, Schedule, Scheme, Statement,
    StatementKind, is_literal, visit,
};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::synthesis::{self, binary, integer, symbol};
use crate::typed::{BinaryOperator as Op, ExpressionKind, IntegerKind, SymbolId, Type, Unit};

/// Iterations of a thread.
const FACTOR: i128 = 4;

/// The largest body, in operands.
const LARGEST: usize = 160;

/// Fewer iterations than these keep a GPU's threads busy only if each has one.
const FEWEST: i128 = 1 << 20;

/// Looks at all kernels.
pub fn run(module: &mut Module, unit: &Unit) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &mut module.kernels {
        let Some((outer, inner)) = nest(kernel) else {
            continue;
        };
        if !is_worth_it(kernel, (outer, inner), unit, &oracle) {
            continue;
        }
        let row = outer.induction;
        let own = unit.symbol(row);
        let first = format!("{}_first", own.name);
        let first = kernel_variable(unit, kernel, &[], &first, own.ty);
        for trips in &mut kernel.grid[Axis::Y as usize] {
            trips.step = integer(FACTOR, synthesis::int(unit), kernel.span);
        }
        visit::loops_mut(&mut kernel.body, &mut |l| {
            if l.induction == row && l.is_distributed() {
                coarsen(l, first, unit);
            }
        });
    }
}

/// The only loops that are distributed: one along y, and all that it does, one along x.
fn nest(kernel: &Kernel) -> Option<(&Loop, &Loop)> {
    let mut shared = Vec::new();
    visit::loops(&kernel.body, &mut |l| {
        if l.is_distributed() {
            shared.push(l);
        }
    });
    let [outer, inner] = shared[..] else {
        return None;
    };
    let [
        Statement {
            kind: StatementKind::Loop(only),
            ..
        },
    ] = outer.body.as_slice()
    else {
        return None;
    };
    let is_along = |l: &Loop, axis| l.distribution == Some(Distribution::grid(axis));
    (std::ptr::eq(&**only, inner) && is_along(outer, Axis::Y) && is_along(inner, Axis::X))
        .then_some((outer, inner))
}

fn is_worth_it(
    kernel: &Kernel,
    (outer, inner): (&Loop, &Loop),
    unit: &Unit,
    oracle: &Oracle<'_>,
) -> bool {
    let is_free = kernel.scheme == Some(Scheme::Flat)
        && kernel.sizes.block.is_none()
        && kernel.sizes.row.is_none()
        && kernel.sizes.lane.is_none()
        && kernel.windows.is_empty()
        && kernel.private_arrays.is_empty()
        && kernel.exact_grid.is_none()
        && kernel.grid.each_ref().map(Vec::len) == [1, 1, 0];
    is_free
        && [outer, inner]
            .iter()
            .all(|l| is_plain(l) && l.tile.is_none())
        && !inner.header_mentions(outer.induction)
        && counts_up_in_int(outer, unit)
        && is_exact(&outer.bound, kernel, unit)
        && !is_short(outer, &[inner], unit)
        && is_small(&inner.body, oracle)
        && reads_neighbours(&inner.body, unit, oracle)
}

/// Whether nothing but its iterations is asked of a loop.
fn is_plain(l: &Loop) -> bool {
    l.privates.is_empty() && l.declared_inside
}

/// `for (int i = 1; i < int; i++)`, from a number so small that its launch can tell whether the
/// variable stays in range.
fn counts_up_in_int(l: &Loop, unit: &Unit) -> bool {
    let is_int = |ty| *unit.types.get(ty) == Type::Integer(IntegerKind::Int);
    l.relation == Relation::Less
        && !l.downward
        && is_literal(&l.step, 1)
        && is_int(unit.symbol(l.induction).ty.ty)
        && is_int(l.bound.ty.ty)
        && evaluate(unit, &l.lower).is_some_and(|lower| (0..=INT_SLACK).contains(&lower))
}

fn is_short(outer: &Loop, within: &[&Loop], unit: &Unit) -> bool {
    let count = |l: &Loop| l.constant_trip_count(unit);
    let all = within.iter().try_fold(1, |all: i128, l| {
        count(l).map(|trips| all.saturating_mul(trips))
    });
    match (count(outer), all) {
        (Some(rows), Some(columns)) => rows.saturating_mul(columns) < FEWEST,
        (Some(rows), None) => rows < 8 * FACTOR,
        _ => false,
    }
}

/// Straight code without much in it.
fn is_small(body: &[Statement], oracle: &Oracle<'_>) -> bool {
    let mut is_straight = true;
    visit::walk(body, &mut |s| {
        is_straight &= matches!(
            s.kind,
            StatementKind::Expression(_)
                | StatementKind::Declaration(_)
                | StatementKind::If(..)
                | StatementKind::Block(_)
        );
    });
    let mut operands = 0;
    visit::expressions(body, &mut |e| {
        operands += 1;
        is_straight &= !matches!(e.kind, ExpressionKind::Statement(_));
    });
    let effects: Effects = oracle.list(body);
    is_straight && operands <= LARGEST && effects.is_repeatable()
}

/// Whether some array is read at more than one place, and not written: loads of one iteration need
/// not wait for the stores of another.
fn reads_neighbours(body: &[Statement], unit: &Unit, oracle: &Oracle<'_>) -> bool {
    let mut places: BTreeMap<SymbolId, BTreeSet<String>> = BTreeMap::new();
    let mut written: BTreeSet<SymbolId> = BTreeSet::new();
    let mut note = |access: Access<'_>| {
        let (Place::Target(array) | Place::Variable(array)) = access.place else {
            return;
        };
        if access.touch == Touch::Write {
            written.insert(array);
        } else if unit.types.is_arithmetic(access.expression.ty.ty)
            && access.expression.as_symbol().is_none()
        {
            let text = Printer::text(unit, &C, access.expression);
            places.entry(array).or_default().insert(text);
        }
    };
    visit::walk(body, &mut |s| {
        visit::own_expressions(s, &mut |e| oracle.accesses(e, &mut note));
    });
    let mut read = places.iter();
    read.any(|(array, places)| places.len() > 1 && !written.contains(array))
}

/// The loop along y of such a nest, which counts `first` then.
fn coarsen(outer: &mut Loop, first: SymbolId, unit: &Unit) {
    let in_rows = split(outer, first, unit);
    if let [
        Statement {
            kind: StatementKind::Loop(inner),
            ..
        },
    ] = outer.body.as_mut_slice()
    {
        let body = std::mem::take(&mut inner.body);
        inner.body = vec![in_rows(body)];
    }
}

/// Has a loop take [`FACTOR`] iterations at a time, from `first` on; gives the loop over these for
/// what each of them does.
fn split(
    outer: &mut Loop,
    first: SymbolId,
    unit: &Unit,
) -> impl FnOnce(Vec<Statement>) -> Statement + use<> {
    let span = outer.header;
    let int = synthesis::int(unit);
    let of = |variable| symbol(unit, variable, span);
    let number = |value| integer(value, int, span);
    let is_there = binary(Op::Less, of(outer.induction), outer.bound.clone(), int);
    let mut rows = Loop {
        lower: of(first),
        bound: binary(Op::Add, of(first), number(FACTOR), int),
        schedule: Schedule::default(),
        reductions: Vec::new(),
        collapsed: 0,
        distribution: Some(Distribution::SEQUENTIAL),
        tile: None,
        once: None,
        unrolled: true,
        directive: None,
        ..outer.clone()
    };
    outer.induction = first;
    outer.step = number(FACTOR);
    outer.strides_by_step = true;
    move |body| {
        rows.body = vec![StatementKind::If(is_there, body, None).at(span)];
        StatementKind::Loop(Box::new(rows)).at(span)
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::builder::*;
    use crate::ir::{Execution, Statement, visit};
    use crate::passes::testing::decide;

    /// Whether threads run several rows of `b[i][j] = a[i][j] + a[i + 1][j]`, or of what `change` makes of it.
    fn is_coarse(rows: E, change: impl Fn(&mut Sample, &V, &V) -> Statement) -> bool {
        let mut s = Sample::new();
        let (i, j, m) = (s.int("i"), s.int("j"), s.value("m"));
        let body = vec![change(&mut s, &i, &j)];
        let inner = count(&j, 0, m.e()).independent(&[]).body(body);
        let outer = count(&i, 0, rows).independent(&[]).body(vec![inner]);
        let kernel = decide(&mut s, Execution::Redundant, vec![outer]).0;
        visit::any_loop(&kernel.body, &mut |l| l.unrolled)
    }

    fn sum(s: &mut Sample, i: &V, j: &V) -> Statement {
        let (a, b) = (s.array("a", &[9, 9]), s.array("b", &[9, 9]));
        let below = a.at([i.e() + int(1), j.e()]);
        set(b.at([i.e(), j.e()]), a.at([i.e(), j.e()]) + below)
    }

    #[test]
    fn stencils_of_unknown_or_great_length_only() {
        assert!(is_coarse(int(4096), sum));
        assert!(!is_coarse(int(8), sum));
    }

    #[test]
    fn an_array_that_is_written_or_read_once_is_none() {
        assert!(!is_coarse(int(4096), |s, i, j| {
            let (a, b) = (s.array("a", &[9, 9]), s.array("b", &[9, 9]));
            set(b.at([i.e(), j.e()]), a.at([i.e(), j.e()]))
        }));
        assert!(!is_coarse(int(4096), |s, i, j| {
            let a = s.array("a", &[9, 9]);
            let right = a.at([i.e(), j.e() + int(1)]);
            set(a.at([i.e(), j.e()]), a.at([i.e(), j.e()]) + right)
        }));
    }
}
