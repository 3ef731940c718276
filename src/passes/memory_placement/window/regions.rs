//! The regions of windows, put around what they are for.

use indexmap::IndexMap;

use super::{LoopName, Plan, Side, name};
use crate::ir::{
    Kernel, Loop, Parallelism, Schedule, Statement, StatementKind, Window, WindowDimension,
    WindowPolicy, WindowProof, WindowRegion, visit,
};
use crate::passes::thread_mapping::nest;
use crate::passes::variables;
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, ExpressionKind, IntegerKind, SymbolId, Type, Unit, constant, visit as typed,
};

/// Iterations of a tile where a window has other dimensions, too.
const TILE: i128 = 32;
/// Where the tile is all there is of it.
const LONG_TILE: i128 = 256;

/// How many iterations of a loop within each thread a block has windows for.
pub fn tile_length<'s>(mut windows: impl Iterator<Item = &'s [Side]>) -> i128 {
    let is_long = |side: &Side| side.stride != 0;
    match windows.all(|sides| sides.iter().all(is_long)) {
        true => LONG_TILE,
        false => TILE,
    }
}

/// Puts regions around what they are for.
pub fn put(kernel: &mut Kernel, arrays: Vec<(SymbolId, Plan)>, unit: &mut Unit) {
    let mut regions: IndexMap<Option<LoopName>, Vec<(SymbolId, Vec<Side>)>> = IndexMap::new();
    for (array, plan) in arrays {
        let windows = regions.entry(plan.tiled).or_default();
        windows.push((array, plan.dimensions));
    }
    let innermost = nest(kernel).and_then(|nest| nest.last().map(|l| name(l)));
    let mut body = std::mem::take(&mut kernel.body);
    for (tiled, windows) in regions {
        let wanted = tiled.or(innermost);
        let mut left = Some(windows);
        visit::walk_mut(&mut body, &mut |statement| {
            if let StatementKind::Loop(l) = &statement.kind
                && Some(name(l)) == wanted
                && let Some(windows) = left.take()
            {
                let l = (**l).clone();
                statement.kind = match tiled {
                    Some(_) => in_tiles(l, windows, kernel, unit),
                    None => whole_body(l, windows, unit),
                };
            }
        });
    }
    kernel.body = body;
}

/// A loop of the nest whose body is run with windows.
fn whole_body(mut l: Loop, windows: Vec<(SymbolId, Vec<Side>)>, unit: &Unit) -> StatementKind {
    let windows = windows.into_iter();
    let windows = windows
        .map(|(array, sides)| window(array, sides, (l.header, None), unit))
        .collect();
    let region = region(windows, std::mem::take(&mut l.body), l.header);
    l.body = vec![StatementKind::Windows(Box::new(region)).at(l.header)];
    StatementKind::Loop(Box::new(l))
}

fn region(windows: Vec<Window>, body: Vec<Statement>, directive: Span) -> WindowRegion {
    WindowRegion {
        windows,
        body,
        explicit: false,
        is_scope: false,
        title: "--place".into(),
        directive,
    }
}

/// A loop within each thread, a tile at a time with windows.
fn in_tiles(
    mut l: Loop,
    windows: Vec<(SymbolId, Vec<Side>)>,
    kernel: &Kernel,
    unit: &mut Unit,
) -> StatementKind {
    let span = l.header;
    let tile = tile_length(windows.iter().map(|(_, sides)| sides.as_slice()));
    let ty = unit.symbol(l.induction).ty.ty;
    let name = unit.symbol(l.induction).name.clone();
    // It may pass the bound by a tile, which the loop's own type may not hold.
    let long = unit.types.intern(Type::Integer(IntegerKind::Long));
    let is_long = *unit.types.get(ty) == Type::Integer(IntegerKind::Long);
    let int = synthesis::int(unit);
    let mut added = Vec::new();
    let mut variable = |unit: &mut Unit, suffix: &str, ty| {
        let wanted = format!("{name}_{suffix}");
        let symbol = variables::kernel_variable(unit, kernel, &added, &wanted, ty);
        unit.symbol_mut(symbol).ty.qualifiers.is_const =
            suffix == "end" || suffix == "first" && !is_long;
        added.push(symbol);
        symbol
    };
    let first = variable(unit, "first", ty);
    let tiles = if is_long {
        first
    } else {
        variable(unit, "tile", long)
    };
    let end = variable(unit, "end", ty);
    let start = synthesis::cast(synthesis::symbol(unit, tiles, span), ty);
    let from = || synthesis::symbol(unit, first, span);
    let width = || synthesis::integer(tile, ty, span);
    let left = synthesis::binary(BinaryOperator::Subtract, l.bound.clone(), from(), ty);
    let is_last = synthesis::binary(BinaryOperator::Less, left, width(), int);
    let whole = synthesis::binary(BinaryOperator::Add, from(), width(), ty);
    let last = synthesis::conditional(is_last, l.bound.clone(), whole, span);
    let windows = windows.into_iter();
    let windows = windows
        .map(|(array, sides)| window(array, sides, (span, Some((&l, first, tile))), unit))
        .collect();
    let sequential = |reason: &str| Some(Parallelism::sequential(reason));
    l.reductions.clear();
    let outer = Loop {
        induction: tiles,
        step: synthesis::integer(tile, int, span),
        privates: Vec::new(),
        schedule: Schedule::default(),
        parallelism: sequential("a block has windows for a tile of its iterations at a time"),
        directive: None,
        body: Vec::new(),
        ..l.clone()
    };
    l.lower = synthesis::symbol(unit, first, span);
    l.bound = synthesis::symbol(unit, end, span);
    l.parallelism = sequential("it is within a tile that a block has windows for");
    let inner = StatementKind::Loop(Box::new(l)).at(span);
    let region = region(windows, vec![inner], span);
    let mut body = vec![
        Statement::declare(end, Some(last), span),
        StatementKind::Windows(Box::new(region)).at(span),
    ];
    if !is_long {
        body.insert(0, Statement::declare(first, Some(start), span));
    }
    StatementKind::Loop(Box::new(Loop { body, ..outer }))
}

/// A window as a directive at a loop would have it; of a tiled loop with its tile's first
/// iteration and length.
fn window(
    array: SymbolId,
    sides: Vec<Side>,
    (span, tile): (Span, Option<(&Loop, SymbolId, i128)>),
    unit: &Unit,
) -> Window {
    let mut text = unit.symbol(array).name.clone();
    let int = synthesis::int(unit);
    let dimensions = sides.into_iter().map(|side| {
        let mut pivot = side.subscript;
        let (mut before, mut after) = (side.before, side.after);
        typed::walk_mut(&mut pivot, &mut |e| {
            let ExpressionKind::Symbol(symbol) = e.kind else {
                return;
            };
            if let Some((_, lower)) = side.at_first.iter().find(|(s, _)| *s == symbol) {
                *e = synthesis::parenthesized(lower.clone());
            } else if let Some((l, first, _)) = tile
                && l.induction == symbol
            {
                e.kind = ExpressionKind::Symbol(first);
            }
        });
        if let Some((_, _, iterations)) = tile {
            let far = side.stride.saturating_mul(iterations - 1);
            before -= far.min(0);
            after += far.max(0);
        }
        let shown = match constant::evaluate(unit, &pivot) {
            Some(first) => first.to_string(),
            None => Printer::text(unit, &C, &pivot),
        };
        text.push_str(&format!("[{shown}:{before}:{after}]"));
        WindowDimension {
            pivot,
            before: synthesis::integer(before, int, span),
            after: synthesis::integer(after, int, span),
        }
    });
    let dimensions = dimensions.collect();
    Window {
        array,
        dimensions,
        policy: WindowPolicy {
            fetch: true,
            ..WindowPolicy::default()
        },
        proof: WindowProof::Proved,
        bounds: None,
        has_sections: false,
        text,
        span,
    }
}
