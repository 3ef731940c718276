//! What a window would save, in transactions of device memory.
//!
//! Of a tile of a block: the transactions of its warps' requests to the array
//! as it is, against those of the lines that a window's rows lie in, each
//! fetched once. Reads then go to shared memory, and cost a pass through it for
//! each of the words that a bank has to find; a line of a request to device
//! memory costs a pass through the first-level cache.

use std::collections::BTreeSet;

use super::needs::plan;
use super::regions::tile_length;
use super::{LoopName, Plan, Side, name};
use crate::analysis::affine::{self, Affine, Term};
use crate::analysis::requests::{self, LINE, Nest, Reference, Threads, Values, WARP};
use crate::ir::{Kernel, Scheme, Spread};
use crate::passes::unrolling::LONGEST;
use crate::typed::{SymbolId, Type, Unit};

/// Bytes that a bank of shared memory serves at a time.
const WORD: i128 = 4;
/// The banks of shared memory.
const BANKS: i128 = 32;
/// Bytes of the longest load.
const LONGEST_LOAD: i128 = 16;

/// What a block asks for during a tile.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gain {
    /// Transactions as it is, each of which is a pass through the first-level cache, too.
    pub without: f64,
    /// With a window.
    pub with: f64,
    /// Passes through the cache and shared memory with a window.
    pub passes: f64,
    /// Shared memory that the window takes.
    pub bytes: f64,
}

impl Gain {
    const NONE: Self = Self {
        without: 0.0,
        with: 0.0,
        passes: 0.0,
        bytes: 0.0,
    };

    /// How many times fewer transactions they are.
    pub fn factor(self) -> f64 {
        self.without / self.with
    }

    /// Of both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            without: self.without + other.without,
            with: self.with + other.with,
            passes: self.passes + other.passes,
            bytes: self.bytes + other.bytes,
        }
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
    let plans = plan(kernel, array, unit).ok()?;
    let model = Model::new(kernel, nests, unit, values)?;
    let gains = plans.iter().map(|plan| model.gain(plan, array));
    let all = gains.collect::<Option<Vec<Gain>>>()?;
    let gain = all.into_iter().fold(Gain::NONE, Gain::plus);
    (gain.with > 0.0).then_some(gain)
}

/// A kernel whose blocks have a shape.
pub struct Model<'k> {
    nest: &'k Nest<'k>,
    spreads: Vec<Spread>,
    block: [u32; 3],
    unit: &'k Unit,
    values: &'k Values<'k>,
}

impl<'k> Model<'k> {
    /// `None` for kernels that are more than a nest spread over threads.
    pub fn new(
        kernel: &Kernel,
        nests: &'k [Nest<'k>],
        unit: &'k Unit,
        values: &'k Values,
    ) -> Option<Self> {
        if kernel.scheme != Some(Scheme::Flat) {
            return None;
        }
        let [nest] = nests else { return None };
        Some(Self {
            nest,
            spreads: requests::spreads(nest),
            block: requests::block_shape(kernel)?,
            unit,
            values,
        })
    }

    /// What a window for this plan would save.
    pub fn gain(&self, plan: &Plan, array: SymbolId) -> Option<Gain> {
        let shape = self.shape(plan, array)?;
        let passes = self.passes(plan, &shape)?;
        let mut gain = Gain {
            without: 0.0,
            with: shape.lines(),
            passes: shape.lines() + shape.bytes() / to_f64(LINE.into()),
            bytes: shape.bytes(),
        };
        for reference in self.distinct().filter(|r| r.symbol == array) {
            gain.without += self.transactions(reference, plan)?;
            gain.passes += self.requests(reference, plan)? * passes;
        }
        Some(gain)
    }

    /// The accesses without those that ask again for what a register has.
    fn distinct(&self) -> impl Iterator<Item = &'k Reference<'k>> {
        let references = &self.nest.references;
        let again = |one: &Reference, other: &Reference| {
            one.symbol == other.symbol
                && one.offset == other.offset
                && one.within == other.within
                && one.touch == other.touch
        };
        let all = references.iter().enumerate();
        all.filter(move |(number, one)| !references[..*number].iter().any(|r| again(one, r)))
            .map(|(_, one)| one)
    }

    /// Whether blocks or tiles have windows of their own; one table for all is small enough
    /// for the cache, and may be in constant memory.
    pub fn moves(&self, plan: &Plan) -> bool {
        plan.dimensions.iter().any(|side| {
            let moves = |form: Affine| {
                let mut loops = self.nest.loops.iter();
                loops.any(|l| form.coefficient(Term::Invariant(l.induction)) != Some(0))
            };
            side.stride != 0 || self.form(side).is_none_or(moves)
        })
    }

    /// The transactions of all accesses to other arrays.
    pub fn others(&self, plan: &Plan, arrays: &[SymbolId]) -> Option<f64> {
        let others = self.distinct().filter(|r| !arrays.contains(&r.symbol));
        others.map(|r| self.transactions(r, plan)).sum()
    }

    /// The transactions of an access while a block has a window.
    fn transactions(&self, reference: &Reference, plan: &Plan) -> Option<f64> {
        let requests = self.requests(reference, plan)?;
        if requests == 0.0 {
            return Some(0.0);
        }
        let threads = Threads {
            spreads: &self.spreads,
            block: self.block,
        };
        let prediction = requests::predict(reference, self.nest, &threads, self.values)?;
        let full = prediction.full.of_a_request();
        let (request, _) = full.or(prediction.partial.of_a_request())?;
        Some(request * requests)
    }

    /// How many requests an access makes while a block has a window.
    fn requests(&self, reference: &Reference, plan: &Plan) -> Option<f64> {
        let tile = tile_length(std::iter::once(plan.dimensions.as_slice()));
        let position = self.position(plan.tiled);
        if position.is_some_and(|tiled| !reference.within.contains(&tiled)) {
            return Some(0.0);
        }
        let inside = reference
            .within
            .iter()
            .skip_while(|number| position.is_some_and(|tiled| **number != tiled));
        let rounds = inside.filter(|number| self.spreads[**number].is_sequential());
        let mut times = 1;
        for &number in rounds {
            times *= match position == Some(number) {
                true => tile,
                false => self.nest.constant_trips(number)?,
            };
        }
        let warps = self.block.iter().product::<u32>() / WARP;
        Some(f64::from(warps) * to_f64(times))
    }

    fn position(&self, tiled: Option<LoopName>) -> Option<usize> {
        let mut loops = self.nest.loops.iter();
        loops.position(|l| Some(name(l)) == tiled)
    }

    /// The rows and elements of a window.
    fn shape(&self, plan: &Plan, array: SymbolId) -> Option<Shape> {
        let tile = tile_length(std::iter::once(plan.dimensions.as_slice()));
        let mut ty = self.unit.symbol(array).ty.ty;
        let mut extents = Vec::new();
        for side in &plan.dimensions {
            ty = match self.unit.types.get(ty) {
                Type::Pointer(to) => to.ty,
                Type::Array { element, .. } => element.ty,
                _ => return None,
            };
            extents.push(self.extent(side, tile)?);
        }
        let shape = Shape {
            element: self.unit.types.size(ty)?.into(),
            extents,
        };
        // What is computed of it is exact.
        let slots = (shape.extents.iter())
            .try_fold(shape.element, |size, extent| size.checked_mul(*extent))?;
        (0 < slots && slots < 1 << 50).then_some(shape)
    }

    /// How many elements a window has in one dimension.
    fn extent(&self, side: &Side, tile: i128) -> Option<i128> {
        let form = self.form(side)?;
        let mut extent = side.before + side.after + side.stride.abs() * (tile - 1) + 1;
        for (l, spread) in self.nest.loops.iter().zip(&self.spreads) {
            let far = form.coefficient(Term::Invariant(l.induction))?.abs();
            extent += far * (sharing(*spread, self.block) - 1);
        }
        Some(extent)
    }

    fn form(&self, side: &Side) -> Option<Affine> {
        affine::of(&side.subscript, self.unit, &|symbol| {
            Some(Affine::variable(Term::Invariant(symbol)))
        })
    }

    /// How many passes through shared memory a warp takes to read a slot each.
    fn passes(&self, plan: &Plan, shape: &Shape) -> Option<f64> {
        let lanes = (0..WARP).map(|lane| self.slot(lane, plan, shape));
        let slots = lanes.collect::<Option<Vec<i128>>>()?;
        let tile = tile_length(std::iter::once(plan.dimensions.as_slice()));
        let (last, outer) = plan.dimensions.split_last()?;
        // Neighbours along an unrolled tile are read together.
        let joined = tile <= LONGEST && last.stride == 1 && outer.iter().all(|s| s.stride == 0);
        let elements = match joined {
            true => (LONGEST_LOAD / shape.element).max(1),
            false => 1,
        };
        let loads = (shape.element + LONGEST_LOAD - 1) / LONGEST_LOAD;
        let load = (shape.element * elements).min(LONGEST_LOAD);
        let words = (load + WORD - 1) / WORD;
        let mut banks = vec![BTreeSet::new(); BANKS as usize];
        for slot in slots {
            let first = (slot * shape.element).div_euclid(WORD);
            for word in first..first + words {
                banks[word.rem_euclid(BANKS) as usize].insert(word);
            }
        }
        let most = banks.iter().map(BTreeSet::len).max()?;
        Some(to_f64(most as i128 * loads) / to_f64(elements))
    }

    /// How far a lane's slot lies from the first lane's.
    fn slot(&self, lane: u32, plan: &Plan, shape: &Shape) -> Option<i128> {
        let [x, y, _] = self.block;
        let place = [lane % x, lane / x % y, lane / x / y];
        let mut slot = 0;
        for (side, extent) in plan.dimensions.iter().zip(&shape.extents) {
            let form = self.form(side)?;
            let mut far = 0;
            for (l, spread) in self.nest.loops.iter().zip(&self.spreads) {
                let axes = spread.threads.iter().zip(place);
                let iteration: u32 = axes.filter(|(used, _)| **used).map(|(_, at)| at).sum();
                far += form.coefficient(Term::Invariant(l.induction))? * i128::from(iteration);
            }
            slot = slot * extent + far;
        }
        Some(slot)
    }
}

/// What a window holds.
struct Shape {
    /// Bytes of an element.
    element: i128,
    /// Slots of each dimension.
    extents: Vec<i128>,
}

impl Shape {
    fn bytes(&self) -> f64 {
        to_f64(self.element * self.extents.iter().product::<i128>())
    }

    /// The lines that its rows lie in.
    fn lines(&self) -> f64 {
        let Some((last, outer)) = self.extents.split_last() else {
            return 0.0;
        };
        let row = last * self.element;
        let lines = row.div_euclid(LINE.into()) + 1;
        let aligned = row % i128::from(LINE) == 0 && row > 0;
        to_f64(outer.iter().product::<i128>() * (lines - i128::from(aligned)))
    }
}

/// How many threads of a block share a loop.
fn sharing(spread: Spread, block: [u32; 3]) -> i128 {
    let axes = spread.threads.iter().zip(block);
    axes.filter(|(used, _)| **used)
        .map(|(_, threads)| i128::from(threads))
        .product()
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn to_f64(number: i128) -> f64 {
    number as f64
}
