//! Threads per block, and what the grid's size depends on.
//!
//! Input: kernels with scheme and distributions. Output: [`Kernel::block`] and
//! [`Kernel::grid`].
//!
//! ```c
//! #pragma acc parallel loop vector_length(128)
//! for (int i = 0; i < n; i++)   // before: no block
//!     a[i] = 0;                 // after: block 128 x 1 x 1, grid for n
//! ```
//!
//! The user's sizes win. Without any: 256 threads along x for one flat loop,
//! 32 x 8 for two, 32 x 4 x 2 for three, fewer along x and more along y where
//! the loop along x is known to be shorter; a tile where `tile` gives sizes;
//! 128 lanes for a hierarchical kernel, 32 x 8 where it has rows. A block that shares windows has the size that
//! was asked for or none: it is part of what the program means. Windows that
//! may not change the result are no reason to fail: their block is cut.
//!
//! A flat kernel without a requested size may have smaller blocks at the launch
//! ([`Kernel::may_shrink`]): where the registers leave more room to them, and
//! where the iterations are too few for larger ones to keep all
//! multiprocessors busy (AUTO-CTA, section III-A and figure 3; the runtime's
//! `best_block`). No larger block than 256 could do better: registers are given
//! out to four warps at a time, so that what 1024 threads fill 128 fill, too.
//! A reduction of several threads keeps its block, since the order of its additions is part of
//! the result.

pub mod covering;
pub mod untiled;

use crate::analysis::uniformity::is_tiled;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::limits::{self, WARP};
use crate::ir::{
    BlockExtent, Kernel, Loop, Module, Passing, PerLevel, Relation, Scheme, Shape, StatementKind,
    TripCount, Window, WindowProof, visit,
};
use crate::passes::collective_calls::Callers;
use crate::typed::synthesis;
use crate::typed::{self, BinaryOperator, Expression, ExpressionKind, Unit};

const MAXIMUM_THREADS: u32 = limits::THREADS;
const MAXIMUM_DEPTH: u32 = limits::BLOCK[2];
/// How many rows share variables of functions that their lanes enter.
const MAXIMUM_WORKERS: u32 = 32;
/// Named barriers of a block, less that of all its threads.
const MAXIMUM_BARRIERS: u32 = limits::BARRIERS - 1;
/// Threads of a block without a requested size.
const DEFAULT_THREADS: u32 = 256;

/// The block of windows of rows and of columns.
const SQUARE: [u32; 3] = [16, 16, 1];

/// Fills in block and grid of every kernel.
pub fn run(module: &mut Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    for kernel in module.kernels.iter_mut().filter(|k| k.collective.is_none()) {
        match kernel.shape.clone() {
            Some(shape) => shaped(kernel, shape),
            None => configure(kernel, unit, diagnostics),
        }
    }
}

/// Those of a kernel whose loops decide about them.
fn configure(kernel: &mut Kernel, unit: &Unit, diagnostics: &mut Diagnostics) {
    let tiled = is_tiled(kernel);
    let mut extents = match kernel.scheme {
        Some(Scheme::Flat) if tiled => tiles(kernel, unit),
        Some(Scheme::Flat) => flat(kernel, unit),
        Some(Scheme::Hierarchical) => hierarchical(kernel, unit),
        _ => [const { BlockExtent::Constant(1) }; 3],
    };
    if tiled && !kernel.windows_may_be_dropped() {
        refuse_too_many(kernel, &extents, diagnostics);
    } else {
        limit(kernel, &mut extents, diagnostics);
    }
    kernel.block = Some(extents);
    kernel.grid = grid(kernel, unit);
    kernel.may_shrink = !tiled && may_shrink(kernel);
}

/// A kernel that asks for its threads by itself: those of a [`Shape::Grid`] it has already.
fn shaped(kernel: &mut Kernel, shape: Shape) {
    let Shape::Threads(number) = shape else {
        return;
    };
    let ty = number.ty.ty;
    let literal = |value| synthesis::integer(value, ty, number.span);
    kernel.grid[0] = vec![TripCount {
        lower: literal(0),
        relation: Relation::Less,
        step: literal(1),
        downward: false,
        bound: number.clone(),
    }];
    kernel.block = Some([DEFAULT_THREADS, 1, 1].map(BlockExtent::Constant));
    kernel.may_shrink = true;
}

/// Whether nothing depends on the number of threads in a flat kernel's blocks.
fn may_shrink(kernel: &Kernel) -> bool {
    let mut is_free = kernel.scheme == Some(Scheme::Flat)
        && !kernel.sizes.any()
        && !reduces(kernel)
        && !visit::has_windows(&kernel.body);
    visit::loops(&kernel.body, &mut |l| {
        let distribution = l.distribution.unwrap_or_default();
        let asks = l.schedule.sizes.any() || l.schedule.tile.is_some();
        let is_counted = distribution
            .blocks
            .is_none_or(|axis| !kernel.grid[axis as usize].is_empty());
        let is_even = distribution.is_sequential()
            || distribution
                .blocks
                .is_some_and(|axis| distribution.threads[axis as usize]);
        is_free &= is_counted && is_even && !asks;
    });
    is_free
}

/// Whether threads combine what each of them reduced: a loop that stays within a thread reduces
/// in the serial order.
pub(super) fn reduces(kernel: &Kernel) -> bool {
    let combines = |l: &Loop| l.is_distributed() && !l.reductions.is_empty();
    !kernel.reductions.is_empty() || visit::any_loop(&kernel.body, &mut |l| combines(l))
}

/// The sizes that the user gave.
#[derive(Default)]
struct Asked {
    /// `num_workers`, `worker(n)`.
    workers: Option<BlockExtent>,
    /// `vector_length`, `vector(n)`.
    lanes: Option<BlockExtent>,
}

fn asked(kernel: &Kernel, unit: &Unit) -> Asked {
    let mut workers = kernel.sizes.row.as_ref();
    let mut lanes = kernel.sizes.lane.as_ref();
    visit::loops(&kernel.body, &mut |l| {
        workers = workers.or(l.schedule.sizes.row.as_ref());
        lanes = lanes.or(l.schedule.sizes.lane.as_ref());
    });
    Asked {
        workers: workers.map(|e| extent(e, unit)),
        lanes: lanes.map(|e| extent(e, unit)),
    }
}

fn extent(expression: &Expression, unit: &Unit) -> BlockExtent {
    match typed::constant::evaluate(unit, expression) {
        Some(value) => BlockExtent::Constant(u32::try_from(value.max(1)).unwrap_or(u32::MAX)),
        None => BlockExtent::Expression(expression.clone()),
    }
}

/// The communicating block: one dimension per tiled loop. A size on the loop
/// itself wins, and is for the innermost one of several collapsed loops;
/// `vector_length` is for the innermost, `num_workers` for the next.
fn tiles(kernel: &Kernel, unit: &Unit) -> [BlockExtent; 3] {
    let mut loops: Vec<&Loop> = Vec::new();
    visit::loops(&kernel.body, &mut |l| {
        if l.tile.is_some() {
            loops.push(l);
        }
    });
    let loops = one_an_axis(loops);
    let one = || BlockExtent::Constant(1);
    let lanes = kernel.sizes.lane.as_ref().map(|e| extent(e, unit));
    let workers = match (loops.as_slice(), kernel.sizes.row.as_ref()) {
        (_, Some(workers)) => Some(workers),
        ([only], None) => only.schedule.sizes.row.as_ref(),
        _ => None,
    };
    let workers = workers.map(|e| extent(e, unit));
    let mut own = own_sizes(&loops, unit);
    own.reverse();
    if own.iter().all(Option::is_none) && lanes.is_none() && workers.is_none() {
        let shape = match is_of_rows_and_columns(kernel, &loops) {
            true => SQUARE,
            false => around_windows(&loops),
        };
        return shape.map(BlockExtent::Constant);
    }
    let is_one = loops.len() == 1;
    let rows = own.iter().skip(1).flatten().next().or(workers.as_ref());
    let lanes_by_default = default_lanes(rows, is_one);
    let mut rest = [lanes.or(Some(lanes_by_default)), workers, None].into_iter();
    let mut own = own.into_iter();
    [(); 3].map(|()| {
        let general = rest.next().flatten();
        match own.next() {
            Some(own) => own.or(general).unwrap_or_else(one),
            None => one(),
        }
    })
}

/// Whether the windows, which no directive asks for, are of rows for the one of two loops and of
/// columns for the other, as in a product of matrices: a square block has the least to fetch.
fn is_of_rows_and_columns(kernel: &Kernel, loops: &[&Loop]) -> bool {
    let &[outer, inner] = loops else { return false };
    let mut windows = Vec::new();
    visit::walk(&kernel.body, &mut |s| {
        if let StatementKind::Windows(region) = &s.kind {
            windows.extend(&region.windows);
        }
    });
    let is_of = |window: &Window, l: &Loop| {
        let mut pivots = window.dimensions.iter().map(|d| &d.pivot);
        pivots.any(|pivot| pivot.mentions(l.induction))
    };
    let is_of_one = |w: &&Window| is_of(w, outer) != is_of(w, inner);
    let has = |l: &Loop| windows.iter().any(|w| is_of(w, l));
    let is_open = |l: &Loop| l.schedule.tile.is_none();
    windows
        .iter()
        .all(|w| w.proof == WindowProof::Proved && is_of_one(w))
        && has(outer)
        && has(inner)
        && is_open(outer)
        && is_open(inner)
}

/// The block that shares windows in these loops, outermost first, where no clause gives levels
/// a size: a tile of `tile`, or what is usual.
pub(super) fn around_windows(loops: &[&Loop]) -> [u32; 3] {
    let from_inside: Vec<&Loop> = loops.iter().rev().copied().collect();
    tile_shape(&from_inside).unwrap_or(match loops.len() {
        0 | 1 => [256, 1, 1],
        2 => [32, 8, 1],
        _ => [32, 4, 2],
    })
}

/// How many lanes a block has where only the number of its rows was given: a
/// warp, or as many as a block has room for. Where one loop has all threads,
/// the rows lie side by side, about 256 threads in all.
fn default_lanes(rows: Option<&BlockExtent>, is_one: bool) -> BlockExtent {
    let rows = match rows {
        Some(BlockExtent::Constant(rows)) => (*rows).max(1),
        _ => 1,
    };
    BlockExtent::Constant(if is_one {
        (rows * (DEFAULT_THREADS / rows).max(1)).min(MAXIMUM_THREADS)
    } else {
        WARP.min(MAXIMUM_THREADS / rows).max(1)
    })
}

/// Of loops that follow each other and are distributed alike, the first one with a
/// size.
fn one_an_axis(loops: Vec<&Loop>) -> Vec<&Loop> {
    let mut kept: Vec<&Loop> = Vec::new();
    for l in loops {
        match kept
            .iter_mut()
            .find(|known| known.distribution == l.distribution)
        {
            Some(known)
                if known.schedule.sizes.lane.is_none() && l.schedule.sizes.lane.is_some() =>
            {
                *known = l
            }
            Some(_) => {}
            None => kept.push(l),
        }
    }
    kept
}

/// What the directives on tiled loops say of their sizes, outermost first.
fn own_sizes(loops: &[&Loop], unit: &Unit) -> Vec<Option<BlockExtent>> {
    let mut sizes = vec![None; loops.len()];
    for (depth, l) in loops.iter().enumerate() {
        // The inner loops of a collapsed one have its request too.
        if l.directive.is_none() && l.schedule.sizes.lane.is_some() {
            continue;
        }
        let innermost = (depth + l.collapsed).min(loops.len() - 1);
        let (lanes, workers) = (&l.schedule.sizes.lane, &l.schedule.sizes.row);
        if loops.len() == 1 && l.schedule.levels.lane && lanes.is_none() {
            // So many rows of as many lanes as is good.
            continue;
        }
        if let Some(asked) = lanes.as_ref().or(workers.as_ref()) {
            sizes[innermost] = Some(extent(asked, unit));
        }
        if let (Some(_), Some(workers)) = (lanes, workers)
            && innermost > depth
        {
            sizes[innermost - 1] = Some(extent(workers, unit));
        }
    }
    sizes
}

/// A block of known size that no device has. Others are refused at the launch.
fn refuse_too_many(kernel: &Kernel, extents: &[BlockExtent; 3], diagnostics: &mut Diagnostics) {
    let threads: u64 = extents
        .iter()
        .map(|extent| match extent {
            BlockExtent::Constant(n) => u64::from(*n),
            BlockExtent::Expression(_) => 1,
        })
        .fold(1, u64::saturating_mul);
    let deep = match extents[2] {
        BlockExtent::Constant(n) if n > MAXIMUM_DEPTH => n,
        _ => 0,
    };
    let lane = kernel.words.levels.lane;
    let (message, help) = if threads > u64::from(MAXIMUM_THREADS) {
        (
            format!("the block that shares windows here would have {threads} threads"),
            format!("a block has at most {MAXIMUM_THREADS} threads; make `{lane}(n)` smaller"),
        )
    } else if deep > 0 {
        (
            format!("the block that shares windows here would be {deep} threads deep"),
            format!(
                "a block has at most {MAXIMUM_DEPTH} threads in its third dimension; make \
                 `{lane}(n)` of the outermost loop smaller"
            ),
        )
    } else {
        return;
    };
    diagnostics
        .push(Diagnostic::error(codes::BLOCK_OVER_LIMIT, message, kernel.directive).help(help));
}

/// The block of a flat kernel without sizes, given the iterations of the
/// loops along x, y, z where they are known: 256 threads, a warp along x unless
/// the loop there is shorter.
pub(super) fn flat_shape(extents: &[Option<i128>]) -> [u32; 3] {
    const THREADS: u32 = 256;
    let short = |axis: usize, most: u32| {
        let extent = extents.get(axis).copied().flatten();
        let extent = extent.and_then(|n| u32::try_from(n.max(1)).ok());
        extent.map_or(most, |n| n.min(most).next_power_of_two())
    };
    match extents.len() {
        0 | 1 => [THREADS, 1, 1],
        2 => {
            let x = short(0, WARP);
            [x, THREADS / x, 1]
        }
        _ => {
            let x = short(0, WARP);
            let y = short(1, THREADS / x / 2);
            let y = if x == WARP { 4 } else { y };
            [x, y, (THREADS / x / y).min(MAXIMUM_DEPTH)]
        }
    }
}

/// The block for loops with `tile`, that along x first: a tile, as far as a
/// block has room for it. A dimension whose size was left open gets the rest of
/// the usual number of threads.
fn tile_shape(loops: &[&Loop]) -> Option<[u32; 3]> {
    let sizes: Vec<Option<u32>> = loops.iter().map(|l| l.schedule.tile).take(3).collect();
    let asked = sizes.iter().flatten();
    let threads = asked.copied().reduce(u32::saturating_mul)?;
    let mut rest = (DEFAULT_THREADS / threads.max(1)).max(1);
    let mut room = MAXIMUM_THREADS;
    let mut shape = [1; 3];
    for (extent, size) in shape.iter_mut().zip(&sizes) {
        let wanted = size.unwrap_or_else(|| std::mem::replace(&mut rest, 1));
        *extent = wanted.min(room);
        room /= *extent;
    }
    shape[2] = shape[2].min(MAXIMUM_DEPTH);
    Some(shape)
}

/// One dimension per distributed loop, unless the mapping says otherwise; `vector(n)` on each loop of a nest sizes its
/// own dimension.
fn flat(kernel: &Kernel, unit: &Unit) -> [BlockExtent; 3] {
    let mut loops: Vec<&Loop> = Vec::new();
    visit::loops(&kernel.body, &mut |l| {
        if l.is_distributed() {
            loops.push(l);
        }
    });
    loops.sort_by_key(|l| l.distribution.and_then(|distribution| distribution.blocks));
    let sized = loops.len() > 1
        && loops
            .iter()
            .all(|l| l.schedule.sizes.lane.is_some() && l.collapsed == 0 && l.directive.is_some());
    let one = || BlockExtent::Constant(1);
    if sized {
        let mut own = loops.iter().filter_map(|l| l.schedule.sizes.lane.as_ref());
        return [(); 3].map(|()| own.next().map_or_else(one, |e| extent(e, unit)));
    }
    let Asked { workers, lanes } = asked(kernel, unit);
    let extents: Vec<_> = loops.iter().map(|l| l.constant_trip_count(unit)).collect();
    match (lanes, workers) {
        (None, None) => (tile_shape(&loops).map(|shape| shape.map(BlockExtent::Constant)))
            .or_else(|| kernel.block.clone())
            .unwrap_or_else(|| flat_shape(&extents).map(BlockExtent::Constant)),
        (Some(lanes), None) => [lanes, one(), one()],
        (None, Some(workers)) if loops.len() < 2 => [workers, one(), one()],
        (None, Some(workers)) => [BlockExtent::Constant(WARP), workers, one()],
        (Some(lanes), Some(workers)) if loops.len() < 2 => {
            [together(lanes, workers, unit), one(), one()]
        }
        (Some(lanes), Some(workers)) => [lanes, workers, one()],
    }
}

/// The threads of rows side by side; the launch cuts what is too much.
fn together(lanes: BlockExtent, workers: BlockExtent, unit: &Unit) -> BlockExtent {
    let (lanes, workers) = match (lanes, workers) {
        (BlockExtent::Constant(lanes), BlockExtent::Constant(workers)) => {
            return BlockExtent::Constant(lanes.saturating_mul(workers));
        }
        (BlockExtent::Constant(n), BlockExtent::Expression(e))
        | (BlockExtent::Expression(e), BlockExtent::Constant(n)) => {
            let n = synthesis::integer(i128::from(n), synthesis::int(unit), e.span);
            (e.clone(), n)
        }
        (BlockExtent::Expression(lanes), BlockExtent::Expression(workers)) => (lanes, workers),
    };
    let ty = lanes.ty.ty;
    let lanes = synthesis::parenthesized(lanes);
    let workers = synthesis::parenthesized(workers);
    let multiply = BinaryOperator::Multiply;
    BlockExtent::Expression(synthesis::binary(multiply, lanes, workers, ty))
}

/// Lanes along x, rows along y where any loop uses them.
fn hierarchical(kernel: &Kernel, unit: &Unit) -> [BlockExtent; 3] {
    let mut used = [false; 3];
    visit::loops(&kernel.body, &mut |l| {
        let threads = l.threads();
        used = [used[0] || threads[0], used[1] || threads[1], false];
    });
    let callers = Callers::of(&kernel.body);
    used = [used[0] || callers.any(), used[1] || callers.blocks, false];
    let Asked { workers, lanes } = asked(kernel, unit);
    let one = BlockExtent::Constant(1);
    match used {
        [_, true, _] => {
            let lanes = lanes.unwrap_or(BlockExtent::Constant(WARP));
            let rows = match lanes {
                BlockExtent::Constant(n) => (256 / n.max(1)).max(1),
                BlockExtent::Expression(_) => 1,
            };
            let workers = workers.unwrap_or(BlockExtent::Constant(rows));
            if callers.any() {
                let lanes = whole_warps(lanes);
                let workers = with_barriers(workers, &lanes);
                return [lanes, workers, one];
            }
            match workers {
                BlockExtent::Constant(1) => [lanes, workers, one],
                _ => [whole_warps(lanes), workers, one],
            }
        }
        [true, ..] if callers.any() => [
            whole_warps(lanes.unwrap_or(BlockExtent::Constant(128))),
            one.clone(),
            one,
        ],
        [true, ..] => [
            lanes.unwrap_or(BlockExtent::Constant(128)),
            one.clone(),
            one,
        ],
        _ => [one.clone(), one.clone(), one],
    }
}

/// Rows of threads must divide a warp or be whole warps where there are
/// several, since vector-level synchronisation is by warps.
fn whole_warps(lanes: BlockExtent) -> BlockExtent {
    match &lanes {
        BlockExtent::Constant(n) if *n < WARP => BlockExtent::Constant(n.next_power_of_two()),
        BlockExtent::Constant(n) => BlockExtent::Constant(n.div_ceil(WARP).saturating_mul(WARP)),
        BlockExtent::Expression(_) => lanes,
    }
}

/// As many rows as functions of lanes have room for, and as there are
/// barriers for rows of several warps; the launch cuts sizes of run time.
fn with_barriers(workers: BlockExtent, lanes: &BlockExtent) -> BlockExtent {
    match (workers, lanes) {
        (BlockExtent::Constant(n), BlockExtent::Constant(lanes)) if *lanes > WARP => {
            BlockExtent::Constant(n.min(MAXIMUM_BARRIERS))
        }
        (BlockExtent::Constant(n), _) => BlockExtent::Constant(n.min(MAXIMUM_WORKERS)),
        (workers, _) => workers,
    }
}

/// Keeps known sizes within 1024 threads, and says so.
fn limit(kernel: &Kernel, extents: &mut [BlockExtent; 3], diagnostics: &mut Diagnostics) {
    let mut room = MAXIMUM_THREADS;
    let mut cut = false;
    for (extent, most) in extents.iter_mut().zip([room, room, MAXIMUM_DEPTH]) {
        if let BlockExtent::Constant(n) = extent {
            if *n > room.min(most) {
                *n = room.min(most);
                cut = true;
            }
            room /= (*n).max(1);
        }
    }
    if cut {
        diagnostics.push(
            Diagnostic::warning(
                codes::BLOCK_TOO_LARGE,
                format!("a block has at most {MAXIMUM_THREADS} threads"),
                kernel.directive,
            )
            .help(fewer(kernel)),
        );
    }
    if kernel.scheme == Some(Scheme::Hierarchical) {
        limit_rows(kernel, extents, diagnostics);
    }
}

fn fewer(kernel: &Kernel) -> String {
    let PerLevel { row, lane, .. } = kernel.words.levels;
    format!("ask for fewer {row}s or a shorter {lane}; the sizes were reduced")
}

/// Rows of several warps each have a barrier of their own.
fn limit_rows(kernel: &Kernel, extents: &mut [BlockExtent; 3], diagnostics: &mut Diagnostics) {
    let [
        BlockExtent::Constant(lanes),
        BlockExtent::Constant(workers),
        _,
    ] = extents
    else {
        return;
    };
    if *lanes <= WARP || *workers <= MAXIMUM_BARRIERS {
        return;
    }
    *workers = MAXIMUM_BARRIERS;
    let row = kernel.words.levels.row;
    diagnostics.push(
        Diagnostic::warning(
            codes::BLOCK_TOO_LARGE,
            format!("a block has at most {MAXIMUM_BARRIERS} {row}s of more than {WARP} lanes"),
            kernel.directive,
        )
        .help(fewer(kernel)),
    );
}

/// The loops along each axis whose trip counts the host can evaluate.
fn grid(kernel: &Kernel, unit: &Unit) -> [Vec<TripCount>; 3] {
    let mut grid = [const { Vec::new() }; 3];
    visit::loops(&kernel.body, &mut |l| {
        let Some(axis) = l.distribution.and_then(|distribution| distribution.blocks) else {
            return;
        };
        if l.limits().into_iter().all(|e| host_value(kernel, unit, e)) {
            grid[axis as usize].push(TripCount::of(l));
        }
    });
    grid
}

/// Whether the host can evaluate an expression at the launch: arithmetic on
/// constants, enumerators and captured scalars or members of captured structs.
/// Of some variables only the device knows the value.
pub(super) fn host_value(kernel: &Kernel, unit: &Unit, expression: &Expression) -> bool {
    typed::visit::all(expression, &mut |e| match &e.kind {
        ExpressionKind::Symbol(symbol) => {
            let captured = kernel.capture(*symbol).is_some_and(|c| match c.passing {
                Passing::Value => true,
                Passing::Reference => c.known,
                _ => false,
            });
            captured || !unit.symbol(*symbol).is_variable()
        }
        ExpressionKind::Index(..)
        | ExpressionKind::Unary(typed::UnaryOperator::Indirection, _)
        | ExpressionKind::Member { arrow: true, .. }
        | ExpressionKind::Call { .. }
        | ExpressionKind::Assign(..)
        | ExpressionKind::CompoundAssign { .. }
        | ExpressionKind::Statement(_)
        | ExpressionKind::Error => false,
        _ => true,
    })
}

#[cfg(test)]
mod tests {
    use super::flat_shape;

    #[test]
    fn blocks_fit_extents_of_any_size() {
        for n in [1, 5, 32, 1 << 31, 3_000_000_000, u32::MAX.into(), 1 << 40] {
            let x = u32::try_from(n).map_or(32, |n: u32| n.min(32).next_power_of_two());
            assert_eq!(flat_shape(&[Some(n), Some(2)]), [x, 256 / x, 1]);
            let [x, y, z] = flat_shape(&[Some(n); 3]);
            assert!(x * y * z <= 256 && x.min(y).min(z) >= 1, "{n}: {x} {y} {z}");
        }
    }
}
