//! Tiles of which each thread has several iterations.
//!
//! Input: mapped kernels whose two or three loops a block takes a tile at a time, around windows that are only
//! read. Output: tiles of [`FACTOR`] times as many rows, and windows to match.
//!
//! ```c
//! const int row = row_first + threadIdx.y;                    // before, of tiles of 8 rows
//! windows now[row - 1:3][column - 1:3]                        // 10 rows for 8
//!     next[row][column] = now[row - 1][column] + now[row + 1][column];
//!
//! const int row_first = row_tile + 4 * threadIdx.y;           // after, of tiles of 32
//! windows now[row_first - 1:6][column - 1:3]                  // 34 rows for 32
//!     #pragma unroll
//!     for (int row = row_first; row < row_first + 4; row++)
//!         if (row < rows)
//!             next[row][column] = now[row - 1][column] + now[row + 1][column];
//! ```
//!
//! Less of what tiles have twice is fetched, a thread has most of its rows' neighbours in registers, and
//! there are a quarter of the barriers and of the ends of blocks. Iterations that hand each
//! other values have the tile that the program says.

use super::{FACTOR, counts_up_in_int, is_plain, is_short, is_small, reads_neighbours, split};
use crate::analysis::effects::{Effects, Oracle};
use crate::analysis::launch_value::is_exact;
use crate::ir::{
    Axis, Distribution, Kernel, Loop, Module, Scheme, Statement, StatementKind, Window,
    WindowDimension, WindowRegion, limits, visit,
};
use crate::passes::software_cache::{element_type, pieces};
use crate::passes::variables::{kernel_variable, rename_in};
use crate::typed::constant::evaluate;
use crate::typed::synthesis::{self, integer};
use crate::typed::{BinaryOperator as Op, Expression, ExpressionKind, SymbolId, Unit};

/// The most bytes that the windows of a block may come to: several blocks have room in a multiprocessor.
const MOST_BYTES: i128 = 16 << 10;

/// Looks at all kernels.
pub fn run(module: &mut Module, unit: &Unit) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &mut module.kernels {
        let Some(nest) = nest(kernel) else {
            continue;
        };
        if !is_worth_it(kernel, &nest, unit, &oracle) {
            continue;
        }
        let row = nest[0].induction;
        let axis = nest.len() - 1;
        let own = unit.symbol(row);
        let name = format!("{}_tile", own.name);
        let tile = kernel_variable(unit, kernel, &[], &name, own.ty);
        for trips in &mut kernel.grid[axis] {
            trips.step = integer(FACTOR, synthesis::int(unit), kernel.span);
        }
        visit::loops_mut(&mut kernel.body, &mut |l| {
            if l.induction == row && l.is_distributed() {
                widen(l, tile, unit);
            }
        });
    }
}

/// The nest of a kernel that has nothing else, outermost first: loops along axes, and in the one along x
/// windows.
fn nest(kernel: &Kernel) -> Option<Vec<&Loop>> {
    let mut shared = Vec::new();
    let mut regions = 0;
    visit::walk(&kernel.body, &mut |s| match &s.kind {
        StatementKind::Loop(l) if l.is_distributed() => shared.push(&**l),
        StatementKind::Windows(_) => regions += 1,
        _ => {}
    });
    let axes: &[Axis] = match shared.len() {
        2 => &[Axis::Y, Axis::X],
        3 => &[Axis::Z, Axis::Y, Axis::X],
        _ => return None,
    };
    let is_along = |(l, axis): (&&Loop, &Axis)| {
        l.distribution == Some(Distribution::grid(*axis))
            && l.tile.is_some_and(|tile| tile.count.is_none())
    };
    let is_around = |pair: &[&Loop]| match only(&pair[0].body) {
        Some(StatementKind::Loop(inner)) => std::ptr::eq(&**inner, pair[1]),
        _ => false,
    };
    (regions == 1 && shared.iter().zip(axes).all(is_along) && shared.windows(2).all(is_around))
        .then_some(shared)
}

/// The statement that is all of a list.
fn only(list: &[Statement]) -> Option<&StatementKind> {
    match list {
        [only] => match &only.kind {
            StatementKind::Block(list) => self::only(list),
            kind => Some(kind),
        },
        _ => None,
    }
}

/// The windows that all of a loop's body stands in.
fn region(l: &Loop) -> Option<&WindowRegion> {
    match only(&l.body) {
        Some(StatementKind::Windows(region)) => Some(region),
        _ => None,
    }
}

fn is_worth_it(kernel: &Kernel, nest: &[&Loop], unit: &Unit, oracle: &Oracle<'_>) -> bool {
    let [outer, within @ ..] = nest else {
        return false;
    };
    let Some(region) = within.last().and_then(|inner| region(inner)) else {
        return false;
    };
    let is_free = kernel.scheme == Some(Scheme::Flat)
        && kernel.sizes.block.is_none()
        && kernel.private_arrays.is_empty()
        && kernel.exact_grid.is_none()
        && kernel.grid.iter().map(Vec::len).sum::<usize>() == nest.len();
    let is_alone = |l: &Loop| is_plain(l) && l.schedule.tile.is_none() && counts_up_in_int(l, unit);
    // A warp has a part of one row, as before: its accesses are those that are predicted.
    let has_rows_of_warps = |[columns, ..]: [u32; 3]| columns % limits::WARP == 0;
    is_free
        && kernel.block_shape().is_some_and(has_rows_of_warps)
        && nest.iter().all(|l| is_alone(l))
        && within.iter().all(|l| !l.header_mentions(outer.induction))
        && is_exact(&outer.bound, kernel, unit)
        && !is_short(outer, within, unit)
        && !region.explicit
        && is_small(&region.body, oracle)
        && reads_neighbours(&region.body, unit, oracle)
        && region
            .windows
            .iter()
            .all(|w| is_read(w, region, unit, oracle))
        && bytes(kernel, nest, region, unit).is_some_and(|bytes| bytes <= MOST_BYTES)
}

/// Whether a window has what the array has, and is not written. Rows behind pointers have lengths of
/// their own.
fn is_read(window: &Window, region: &WindowRegion, unit: &Unit, oracle: &Oracle<'_>) -> bool {
    let effects: Effects = oracle.list(&region.body);
    let mut written = effects.writes.iter();
    let policy = window.policy;
    policy.fetch
        && !policy.channel
        && !policy.write_back
        && window.bounds.is_none()
        && pieces(unit, window.array, window.dimensions.len()).len() == 1
        && written.all(|place| place.symbol().is_some_and(|symbol| symbol != window.array))
}

/// What the windows of a larger tile come to, if rows share something of them.
fn bytes(kernel: &Kernel, nest: &[&Loop], region: &WindowRegion, unit: &Unit) -> Option<i128> {
    let threads = kernel.block_shape()?.map(i128::from);
    let mut total: i128 = 0;
    let mut shares = false;
    for window in &region.windows {
        let mut slots: i128 = 1;
        for dimension in &window.dimensions {
            let before = evaluate(unit, &dimension.before)?;
            let after = evaluate(unit, &dimension.after)?;
            let around = before.checked_add(after)?;
            let mut own = 1;
            for (axis, l) in nest.iter().rev().enumerate() {
                if moves_with(dimension, l.induction)? {
                    own = threads[axis];
                    if l.induction == nest[0].induction {
                        shares |= around > 0;
                        own *= FACTOR;
                    }
                }
            }
            slots = slots.checked_mul(own.checked_add(around)?)?;
        }
        let bytes = i128::from(unit.types.size(element_type(unit, window).ty)?);
        total = total.checked_add(slots.checked_mul(bytes)?)?;
    }
    shares.then_some(total)
}

/// Whether the window of an iteration lies as its variable says, a constant apart, or not by it at all;
/// `None` where it depends on the variable in another way.
fn moves_with(dimension: &WindowDimension, variable: SymbolId) -> Option<bool> {
    let pivot = &dimension.pivot;
    if !pivot.mentions(variable) {
        return Some(false);
    }
    is_shifted(pivot, variable).then_some(true)
}

/// Whether an expression is a variable, or that and a constant.
fn is_shifted(e: &Expression, variable: SymbolId) -> bool {
    let is_number = |e: &Expression| matches!(e.inner().kind, ExpressionKind::Integer { .. });
    match &e.inner().kind {
        ExpressionKind::Symbol(symbol) => *symbol == variable,
        ExpressionKind::Convert(_, inner) => is_shifted(inner, variable),
        ExpressionKind::Binary(Op::Add, left, right) => {
            is_shifted(left, variable) && is_number(right)
                || is_number(left) && is_shifted(right, variable)
        }
        ExpressionKind::Binary(Op::Subtract, left, right) => {
            is_shifted(left, variable) && is_number(right)
        }
        _ => false,
    }
}

/// The outermost loop of such a nest: tiles begin at `tile`.
fn widen(outer: &mut Loop, tile: SymbolId, unit: &Unit) {
    let Some(own) = &mut outer.tile else { return };
    let first = std::mem::replace(&mut own.first, tile);
    let row = outer.induction;
    let in_rows = split(outer, first, unit);
    let mut in_rows = Some(in_rows);
    visit::walk_mut(&mut outer.body, &mut |s| {
        let StatementKind::Windows(region) = &mut s.kind else {
            return;
        };
        for dimension in region.windows.iter_mut().flat_map(|w| &mut w.dimensions) {
            if dimension.pivot.mentions(row) {
                rename_in(&mut dimension.pivot, row, first);
                more(&mut dimension.after, unit);
            }
        }
        if let Some(in_rows) = in_rows.take() {
            let body = std::mem::take(&mut region.body);
            region.body = vec![in_rows(body)];
        }
    });
}

/// As many after an index as the rows of a thread need.
fn more(after: &mut Expression, unit: &Unit) {
    if let Some(value) = evaluate(unit, after) {
        *after = integer(value + FACTOR - 1, after.ty.ty, after.span);
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::builder::*;
    use crate::ir::{Execution, Kernel, Level, WindowPolicy, visit};
    use crate::passes::testing::decide;

    const FETCH: WindowPolicy = WindowPolicy {
        fetch: true,
        channel: false,
        write_back: false,
    };
    const CHANNEL: WindowPolicy = WindowPolicy {
        fetch: true,
        channel: true,
        write_back: false,
    };

    /// What becomes of `b[i][j] = a[i - 1][j] + a[i][j]` with a window of `a` whose rows `rows` gives, in
    /// blocks of 8 rows of 32.
    fn decided(policy: WindowPolicy, rows: impl Fn(&V) -> (E, i128, i128)) -> Kernel {
        let mut s = Sample::new();
        let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
        let (a, b) = (s.array("a", &[4096, 4096]), s.array("b", &[4096, 4096]));
        let above = a.at([i.e() - int(1), j.e()]);
        let body = vec![set(b.at([i.e(), j.e()]), above + a.at([i.e(), j.e()]))];
        let windows = vec![window(&a, &[rows(&i), (j.e(), 0, 0)], policy)];
        let inner = count(&j, 0, n.e()).independent(&[Level::Lane]).lanes(32);
        let outer = count(&i, 1, n.e())
            .independent(&[Level::Block, Level::Lane])
            .lanes(8);
        let nest = outer.body(vec![inner.body(vec![region(windows, body)])]);
        decide(&mut s, Execution::Automatic, vec![nest]).0
    }

    /// How many rows the window has.
    fn rows(kernel: &Kernel) -> Option<u64> {
        kernel.windows[0].dimensions[0].extent.known()
    }

    fn has_rows_of_threads(kernel: &Kernel) -> bool {
        visit::any_loop(&kernel.body, &mut |l| l.unrolled)
    }

    #[test]
    fn a_window_has_the_rows_of_all_iterations() {
        let kernel = decided(FETCH, |i| (i.e(), 1, 0));
        assert!(has_rows_of_threads(&kernel));
        assert_eq!(rows(&kernel), Some(33));
    }

    #[test]
    fn tiles_stay_where_iterations_hand_each_other_values() {
        let kernel = decided(CHANNEL, |i| (i.e(), 1, 0));
        assert!(!has_rows_of_threads(&kernel));
        assert_eq!(rows(&kernel), Some(9));
    }

    #[test]
    fn rows_that_do_not_follow_the_variable_stay() {
        let kernel = decided(FETCH, |i| (i.e() * int(2), 1, 9));
        assert!(!has_rows_of_threads(&kernel));
    }
}
