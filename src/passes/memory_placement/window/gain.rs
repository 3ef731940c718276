//! What a window would save, in transactions of device memory.
//!
//! Of a tile of a block: the transactions of its warps' requests to the array
//! as it is, against those of the lines that a window's rows lie in, each
//! fetched once. Reads then go to shared memory, as many as before.

use super::needs::plan;
use super::regions::tile_length;
use super::{Plan, Side, name};
use crate::analysis::affine::{self, Affine, Term};
use crate::analysis::requests::{self, LINE, Nest, Threads, Values, WARP};
use crate::ir::{Kernel, Scheme, Spread};
use crate::typed::{SymbolId, Type, Unit};

/// Transactions of a block for a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// As it is.
    pub without: f64,
    /// With a window.
    pub with: f64,
}

impl Gain {
    /// How many times fewer they are.
    pub fn factor(self) -> f64 {
        self.without / self.with
    }
}

/// What a window would save of an array that is only read; `None` where there
/// can be none, or its accesses are not known.
pub fn predict(
    kernel: &Kernel,
    array: SymbolId,
    nests: &[Nest],
    unit: &Unit,
    values: &Values,
) -> Option<Gain> {
    if kernel.scheme != Some(Scheme::Flat) {
        return None;
    }
    let block = requests::block_shape(kernel)?;
    let [nest] = nests else { return None };
    let plans = plan(kernel, array, unit).ok()?;
    let mut gain = Gain {
        without: 0.0,
        with: 0.0,
    };
    for plan in &plans {
        gain.without += without(plan, array, nest, block, values)?;
        gain.with += fetched(plan, array, nest, block, unit)?;
    }
    (gain.with > 0.0).then_some(gain)
}

/// The transactions of the accesses that a window would serve.
#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn without(
    plan: &Plan,
    array: SymbolId,
    nest: &Nest,
    block: [u32; 3],
    values: &Values,
) -> Option<f64> {
    let spreads = requests::spreads(nest);
    let threads = Threads {
        spreads: &spreads,
        block,
    };
    let tile = tile_length(std::iter::once(plan.dimensions.as_slice()));
    let warps = f64::from(block.iter().product::<u32>() / WARP);
    let position = nest.loops.iter().position(|l| Some(name(l)) == plan.tiled);
    let mut sum = 0.0;
    for reference in nest.references.iter().filter(|r| r.symbol == array) {
        if position.is_some_and(|tiled| !reference.within.contains(&tiled)) {
            continue;
        }
        let prediction = requests::predict(reference, nest, &threads, values)?;
        let full = prediction.full.of_a_request();
        let (request, _) = full.or(prediction.partial.of_a_request())?;
        let inside = reference
            .within
            .iter()
            .skip_while(|number| position.is_some_and(|tiled| **number != tiled));
        let rounds = inside.filter(|number| spreads[**number].is_sequential());
        let mut times = 1;
        for &number in rounds {
            times *= match position == Some(number) {
                true => tile,
                false => nest.constant_trips(number)?,
            };
        }
        sum += request * warps * times as f64;
    }
    Some(sum)
}

/// The lines that the rows of a window lie in.
#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn fetched(plan: &Plan, array: SymbolId, nest: &Nest, block: [u32; 3], unit: &Unit) -> Option<f64> {
    let tile = tile_length(std::iter::once(plan.dimensions.as_slice()));
    let mut ty = unit.symbol(array).ty.ty;
    let mut extents = Vec::new();
    for side in &plan.dimensions {
        ty = match unit.types.get(ty) {
            Type::Pointer(to) => to.ty,
            Type::Array { element, .. } => element.ty,
            _ => return None,
        };
        extents.push(extent(side, nest, block, tile, unit)?);
    }
    let bytes = i128::from(unit.types.size(ty)?);
    let last = extents.pop()?;
    let rows: i128 = extents.iter().product();
    let lines = last.checked_mul(bytes)?.div_euclid(LINE.into()) + 1;
    let aligned = last * bytes % i128::from(LINE) == 0 && last * bytes > 0;
    Some((rows * (lines - i128::from(aligned))) as f64)
}

/// How many elements a window has in one dimension.
fn extent(side: &Side, nest: &Nest, block: [u32; 3], tile: i128, unit: &Unit) -> Option<i128> {
    let form = affine::of(&side.subscript, unit, &|symbol| {
        Some(Affine::variable(Term::Invariant(symbol)))
    })?;
    let mut extent = side.before + side.after + side.stride.abs() * (tile - 1) + 1;
    for (l, spread) in nest.loops.iter().zip(requests::spreads(nest)) {
        let far = form.coefficient(Term::Invariant(l.induction))?.abs();
        extent += far * (sharing(spread, block) - 1);
    }
    Some(extent)
}

/// How many threads of a block share a loop.
fn sharing(spread: Spread, block: [u32; 3]) -> i128 {
    let axes = spread.threads.iter().zip(block);
    axes.filter(|(used, _)| **used)
        .map(|(_, threads)| i128::from(threads))
        .product()
}
