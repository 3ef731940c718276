//! Automatic windows.
//!
//! Where blocks read tiles of arrays over and over, as in a product of
//! matrices, and no line of the source says anything of shared memory:
//!
//! ```c
//! #pragma acc parallel loop collapse(2)
//! for (int i = 0; i < n; i++)
//!     for (int j = 0; j < n; j++) {
//!         float sum = 0;
//!         for (int k = 0; k < n; k++)
//!             sum += a[i][k] * b[k][j];   // 512 transactions for 32 iterations of a block of
//!         c[i][j] = sum;                  // 256 threads; 40 with windows of a and b
//!     }
//! ```
//!
//! The first-level cache of a GPU is the memory that windows lie in, so that it
//! may hold what a window would, as quickly. A window is made where it is ahead
//! of a cache that holds everything and of one that holds nothing:
//!
//! - the loop's transactions, those of all arrays together, come to a quarter
//!   or less;
//! - at most nine tenths of the passes through cache and shared memory are left, fetch
//!   and conflicts of banks counted: since loads along an unrolled tile are joined, or
//!   the threads of a warp stand in different rows;
//! - the windows fit beside those of as many blocks as a multiprocessor has
//!   threads for;
//! - the loops run along the axes that they would have around windows;
//! - every access is in them, as far as subscripts tell, and the user left levels'
//!   sizes open.
//!
//! `tile` asks for such blocks: of its loops each array has a window that brings
//! its own transactions to half, in blocks of the tile's shape.
//!
//! To know the shape of the blocks, kernels are mapped on trial.

use indexmap::IndexMap;

use super::gain::{Gain, Model};
use super::needs::Needs;
use super::{LoopName, Plan, Planned, Side};
use crate::analysis::effects::Oracle;
use crate::analysis::polynomial::{self, Term};
use crate::analysis::requests;
use crate::diagnostic::Diagnostics;
use crate::ir::{Axis, Distribution, Kernel, Loop, Module, visit};
use crate::passes::memory_placement::{arrays, read_only::Facts, request::asked};
use crate::passes::{Options, launch_configuration, thread_mapping};
use crate::typed::{SymbolId, Unit};

/// How many times fewer a loop's transactions must be.
const WORTH: f64 = 4.0;
/// The same of an array in a loop with `tile`.
const WORTH_IN_TILES: f64 = 2.0;
/// The passes through cache and shared memory that may be left.
const PASSES_LEFT: f64 = 0.9;
/// Reads of a thread by which a window can be ahead where neighbours read neighbours.
const MANY_READS: i128 = 9;
/// Shared memory for the windows of a block: four blocks of 256 threads have
/// room on every GPU since sm_75.
const MOST_BYTES: f64 = 16384.0;

/// Windows that pay, with what they save.
type Chosen = Vec<(SymbolId, Plan, Gain)>;

/// The windows of each kernel.
pub fn choose(module: &mut Module, unit: &mut Unit, options: &Options) -> Vec<Chosen> {
    let candidates = candidates(module, unit, options);
    let kernels = module.kernels.iter().zip(&candidates);
    let tried = kernels.filter(|(_, planned)| !planned.is_empty());
    let mut trial = Module {
        kernels: tried.map(|(kernel, _)| kernel.clone()).collect(),
        ..Module::default()
    };
    if trial.kernels.is_empty() {
        return vec![Chosen::new(); module.kernels.len()];
    }
    std::mem::swap(&mut trial.functions, &mut module.functions);
    let quiet = Options {
        feedback: false,
        ..options.clone()
    };
    let mut said = Diagnostics::new();
    thread_mapping::run(&mut trial, unit, &quiet, &mut said);
    launch_configuration::run(&mut trial, unit, &mut said);
    let oracle = Oracle::new(unit, &trial.functions);
    let mut mapped = trial.kernels.iter();
    let chosen = candidates.into_iter().map(|planned| {
        let kernel = match planned.is_empty() {
            true => None,
            false => mapped.next(),
        };
        kernel.map_or_else(Chosen::new, |k| worthwhile(k, planned, &oracle, unit))
    });
    let chosen = chosen.collect();
    std::mem::swap(&mut trial.functions, &mut module.functions);
    chosen
}

/// What windows could hold, of kernels that leave it open, and may gain by it.
fn candidates(module: &Module, unit: &Unit, options: &Options) -> Vec<Planned> {
    let oracle = Oracle::new(unit, &module.functions);
    let kernels = module.kernels.iter().map(|kernel| {
        if kernel.collective.is_some() || asks_for_sizes(kernel) {
            return Planned::new();
        }
        let Some(innermost) = thread_mapping::nest(kernel).and_then(|nest| nest.last().copied())
        else {
            return Planned::new();
        };
        let open = arrays(kernel).filter(|&array| asked(&options.places, array, unit).is_none());
        let needs = Needs::of(kernel, unit);
        let planned = open.filter_map(|array| {
            let [plan] = <[Plan; 1]>::try_from(needs.plan(array).ok()?).ok()?;
            plan.holds_all.then_some((array, plan))
        });
        let mut planned: Planned = planned.collect();
        let may_pay = |(_, plan): &(_, Plan)| may_take_fewer_passes(plan, innermost, unit);
        if !has_tiles(kernel) && !planned.iter().any(may_pay) {
            planned.clear();
        } else {
            let facts = Facts::of(kernel, &oracle, unit);
            planned.retain(|(array, _)| facts.find(*array).is_ok());
        }
        planned
    });
    kernels.collect()
}

/// Whether a `tile` clause asks for blocks that share what they read.
fn has_tiles(kernel: &Kernel) -> bool {
    visit::any_loop(&kernel.body, &mut |l| l.schedule.tile.is_some())
}

/// Whether there is anything by which a window could be ahead of the cache: loads to be joined,
/// threads in different rows, or so many reads that those across the ends of lines count.
fn may_take_fewer_passes(plan: &Plan, innermost: &Loop, unit: &Unit) -> bool {
    let along = |side: &Side| {
        let form = polynomial::of_variables(&side.subscript, unit);
        form.and_then(|form| form.coefficient(Term::Invariant(innermost.induction)))
    };
    let Some((last, outer)) = plan.dimensions.split_last() else {
        return false;
    };
    let is_joined = last.stride == 1;
    let is_across = outer.iter().any(|side| along(side) != Some(0))
        || along(last).is_none_or(|far| far.abs() > 1);
    is_joined || is_across || plan.reads >= MANY_READS
}

/// Whether a clause says how many threads or blocks there are.
fn asks_for_sizes(kernel: &Kernel) -> bool {
    kernel.sizes.any() || visit::any_loop(&kernel.body, &mut |l| l.schedule.sizes.any())
}

/// Whether the loops of a mapped kernel run along x, y and z from inside, in blocks of the shape
/// that they have around windows.
fn is_mapped_as_around_windows(kernel: &Kernel) -> bool {
    let Some(nest) = thread_mapping::nest(kernel) else {
        return false;
    };
    let axes = Axis::ALL.map(Distribution::grid);
    let expected = axes
        .into_iter()
        .chain(std::iter::repeat(Distribution::SEQUENTIAL));
    let mut loops = nest.iter().rev().zip(expected);
    let usual = launch_configuration::around_windows(&nest);
    loops.all(|(l, distribution)| l.distribution == Some(distribution))
        && kernel.block_shape() == Some(usual)
}

/// Those of a mapped kernel's windows that pay.
fn worthwhile(kernel: &Kernel, planned: Planned, oracle: &Oracle, unit: &Unit) -> Chosen {
    // What is assumed for feedback changes no kernel.
    let values = |_| None;
    if !is_mapped_as_around_windows(kernel) {
        return Chosen::new();
    }
    let nests = requests::of_kernel(kernel, oracle);
    let Some(model) = Model::new(kernel, &nests, unit, &values) else {
        return Vec::new();
    };
    let is_requested = has_tiles(kernel);
    let worth = if is_requested { WORTH_IN_TILES } else { WORTH };
    let mut places: IndexMap<Option<LoopName>, Chosen> = IndexMap::new();
    for (array, plan) in planned {
        let gain = model.gain(&plan, array).filter(|_| model.moves(&plan));
        if let Some(gain) = gain.filter(|gain| gain.with > 0.0 && gain.factor() >= worth) {
            let place = places.entry(plan.tiled).or_default();
            place.push((array, plan, gain));
        }
    }
    places.retain(|_, windows| is_profitable(windows, &model, is_requested));
    places.into_values().flatten().collect()
}

/// Whether windows in one place pay together.
fn is_profitable(windows: &[(SymbolId, Plan, Gain)], model: &Model, is_requested: bool) -> bool {
    let gains = windows.iter().map(|(.., gain)| *gain);
    let Some((gain, (_, plan, _))) = gains.reduce(Gain::plus).zip(windows.first()) else {
        return false;
    };
    if gain.bytes > MOST_BYTES {
        return false;
    }
    if is_requested {
        return true;
    }
    let arrays: Vec<SymbolId> = windows.iter().map(|(array, ..)| *array).collect();
    let Some(others) = model.others(plan, &arrays) else {
        return false;
    };
    let [without, with] = [gain.without, gain.with].map(|lines| lines + others.transactions);
    let [passes, left] = [gain.passes, gain.window_passes].map(|passes| passes + others.passes);
    with * WORTH <= without && left <= passes * PASSES_LEFT && gain.bytes <= MOST_BYTES
}
