//! What a window would save, in transactions of device memory.
//!
//! Of a tile of a block: the transactions of its warps' requests to the array
//! as it is, against those of the lines that a window's rows lie in, each
//! fetched once.
//!
//! And how long the memory that is first-level cache and shared memory in one is
//! busy with it, in passes of 128 bytes. A request to the cache takes a pass for
//! four sectors, a request to shared memory one for each of the words that its
//! most wanted bank has to find.

use std::collections::BTreeSet;

use super::needs::Needs;
use super::regions::tile_length;
use super::{LoopName, Plan, Side, name};
use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::analysis::requests::{self, LINE, Nest, Reference, SECTOR, Threads, Values, WARP};
use crate::ir::{Distribution, Kernel, Scheme};
use crate::passes::software_cache::row_padding;
use crate::passes::unrolling::LONGEST;
use crate::typed::{SymbolId, Type, TypeId, Unit};

/// Bytes that a bank of shared memory serves at a time.
const WORD: i128 = 4;
/// The banks of shared memory.
const BANKS: i128 = 32;
/// Sectors that the first-level cache finds at a time.
const SECTORS_OF_A_PASS: f64 = 4.0;
/// Bytes of the longest load.
const LONGEST_LOAD: i128 = 16;

/// What a block asks for during a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Gain {
    /// Transactions as it is.
    pub without: f64,
    /// With a window.
    pub with: f64,
    /// Passes through the first-level cache as it is.
    pub passes: f64,
    /// With a window: through the cache and shared memory.
    pub window_passes: f64,
    /// Shared memory that the window takes.
    pub bytes: f64,
}

impl Gain {
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
            window_passes: self.window_passes + other.window_passes,
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
    let plans = Needs::of(kernel, unit).plan(array).ok()?;
    let model = Model::new(kernel, nests, unit, values)?;
    let gains = plans.iter().map(|plan| model.gain(plan, array));
    let all = gains.collect::<Option<Vec<Gain>>>()?;
    let gain = all.into_iter().fold(Gain::default(), Gain::plus);
    (gain.with > 0.0).then_some(gain)
}

/// What accesses come to during a tile.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Lines.
    pub transactions: f64,
    /// Passes through the first-level cache.
    pub passes: f64,
}

impl Cost {
    fn plus(self, other: Self) -> Self {
        Self {
            transactions: self.transactions + other.transactions,
            passes: self.passes + other.passes,
        }
    }
}

/// A kernel whose blocks have a shape.
pub struct Model<'k> {
    nest: &'k Nest<'k>,
    /// The accesses without those that ask again for what a register has.
    references: Vec<&'k Reference<'k>>,
    distributions: Vec<Distribution>,
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
        let mut references: Vec<&Reference> = Vec::new();
        for one in &nest.references {
            let again = |other: &&Reference| {
                one.symbol == other.symbol
                    && one.within == other.within
                    && one.touch == other.touch
                    && one.offset == other.offset
            };
            if !references.iter().any(again) {
                references.push(one);
            }
        }
        Some(Self {
            nest,
            references,
            distributions: requests::distributions(nest),
            block: kernel.block_shape()?,
            unit,
            values,
        })
    }

    /// What a window for this plan would save.
    pub fn gain(&self, plan: &Plan, array: SymbolId) -> Option<Gain> {
        let shape = self.shape(plan, array)?;
        let read = self.passes(plan, &shape)?;
        let fetch = shape.lines_of(SECTOR) / SECTORS_OF_A_PASS;
        let store = shape.bytes() / to_f64(LINE.into());
        let mut gain = Gain {
            with: shape.lines_of(LINE),
            window_passes: fetch + store,
            bytes: shape.bytes(),
            ..Gain::default()
        };
        for &reference in self.references.iter().filter(|r| r.symbol == array) {
            let cost = self.cost(reference, plan)?;
            gain.without += cost.transactions;
            gain.passes += cost.passes;
            gain.window_passes += self.requests(reference, plan)? * read;
        }
        Some(gain)
    }

    /// Whether blocks or tiles have windows of their own; one table for all is small enough
    /// for the cache, and may be in constant memory.
    pub fn moves(&self, plan: &Plan) -> bool {
        plan.dimensions.iter().any(|side| {
            let moves = |form: Polynomial| {
                let mut loops = self.nest.loops.iter();
                loops.any(|l| form.coefficient(Term::Invariant(l.induction)) != Some(0))
            };
            side.stride != 0 || self.form(side).is_none_or(moves)
        })
    }

    /// All accesses to other arrays.
    pub fn others(&self, plan: &Plan, arrays: &[SymbolId]) -> Option<Cost> {
        let others = self
            .references
            .iter()
            .filter(|r| !arrays.contains(&r.symbol));
        let mut costs = others.map(|r| self.cost(r, plan));
        costs.try_fold(Cost::default(), |sum, cost| Some(sum.plus(cost?)))
    }

    /// An access while a block has a window.
    fn cost(&self, reference: &Reference, plan: &Plan) -> Option<Cost> {
        let requests = self.requests(reference, plan)?;
        if requests == 0.0 {
            return Some(Cost::default());
        }
        let threads = Threads {
            distributions: &self.distributions,
            block: self.block,
        };
        let prediction = requests::predict(reference, self.nest, &threads, self.values).ok()?;
        let full = prediction.full.of_a_request();
        let (lines, sectors) = full.or(prediction.partial.of_a_request())?;
        Some(Cost {
            transactions: lines * requests,
            passes: (sectors / SECTORS_OF_A_PASS).max(1.0) * requests,
        })
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
        let rounds = inside.filter(|number| self.distributions[**number].is_sequential());
        let mut times: i128 = 1;
        for &number in rounds {
            times = times.saturating_mul(match position == Some(number) {
                true => tile,
                false => self.nest.constant_trips(number)?,
            });
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
            padding: self.padding(&plan.dimensions, &extents, ty)?,
            extents,
        };
        // What is computed of it is exact.
        let slots = (shape.extents.iter())
            .try_fold(shape.element, |size, extent| size.checked_mul(*extent))?;
        (0 < slots && slots < 1 << 50).then_some(shape)
    }

    /// The slots that rows are longer by where threads of a warp stand in different ones.
    fn padding(&self, dimensions: &[Side], extents: &[i128], ty: TypeId) -> Option<i128> {
        let along = |side: &Side, axis: usize| {
            let form = self.form(side)?;
            let mut loops = self.nest.loops.iter().zip(&self.distributions);
            Some(loops.any(|(l, distribution)| {
                distribution.threads[axis]
                    && form.coefficient(Term::Invariant(l.induction)) == Some(1)
            }))
        };
        let (last, outer) = dimensions.split_last()?;
        let is_last_along_x = along(last, 0)?;
        let mut are_along_x = false;
        for side in outer {
            are_along_x |= along(side, 0)?;
        }
        if is_last_along_x || are_along_x {
            return Some(i128::from(!is_last_along_x));
        }
        let rows = WARP / self.block[0].max(1);
        match outer {
            [row] if along(row, 1)? => Some(row_padding(
                *extents.last()?,
                self.unit.types.size(ty)?.into(),
                rows.into(),
            )),
            _ => Some(0),
        }
    }

    /// How many elements a window has in one dimension.
    fn extent(&self, side: &Side, tile: i128) -> Option<i128> {
        let form = self.form(side)?;
        let mut extent = side.before + side.after + side.stride.abs() * (tile - 1) + 1;
        for (l, distribution) in self.nest.loops.iter().zip(&self.distributions) {
            let far = form.coefficient(Term::Invariant(l.induction))?.abs();
            let sharing = requests::sharing(*distribution, self.block);
            extent += far * (i128::from(sharing) - 1);
        }
        Some(extent)
    }

    fn form(&self, side: &Side) -> Option<Polynomial> {
        polynomial::of_variables(&side.subscript, self.unit)
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
        let place = requests::position(lane, self.block);
        let mut slot = 0;
        let last = shape.extents.len() - 1;
        for (number, (side, extent)) in plan.dimensions.iter().zip(&shape.extents).enumerate() {
            let form = self.form(side)?;
            let mut far = 0;
            for (l, distribution) in self.nest.loops.iter().zip(&self.distributions) {
                let axes = distribution.threads.iter().zip(place);
                let iteration: u32 = axes.filter(|(used, _)| **used).map(|(_, at)| at).sum();
                far += form.coefficient(Term::Invariant(l.induction))? * i128::from(iteration);
            }
            let padding = if number == last { shape.padding } else { 0 };
            slot = slot * (extent + padding) + far;
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
    /// How many slots no element has at the end of a row.
    padding: i128,
}

impl Shape {
    fn bytes(&self) -> f64 {
        to_f64(product(&self.extents).saturating_mul(self.element))
    }

    /// The lines of so many bytes that its rows lie in.
    fn lines_of(&self, bytes: u64) -> f64 {
        let Some((last, outer)) = self.extents.split_last() else {
            return 0.0;
        };
        let row = last.saturating_mul(self.element);
        let lines = row.div_euclid(bytes.into()) + 1;
        let aligned = row % i128::from(bytes) == 0 && row > 0;
        to_f64(product(outer).saturating_mul(lines - i128::from(aligned)))
    }
}

/// The longest there is where that is too long to say.
fn product(extents: &[i128]) -> i128 {
    extents.iter().copied().fold(1, i128::saturating_mul)
}

#[allow(clippy::cast_precision_loss, reason = "an estimate")]
fn to_f64(number: i128) -> f64 {
    number as f64
}
