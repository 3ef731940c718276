//! Windows that `--place` asks for, and those that pay ([`automatic`]), in kernels
//! that have none for the array.
//!
//! Input: kernels of whose loops it is known whether they are parallel, before they are
//! spread. Output: [`WindowRegion`]s as directives would have made them, which the pass
//! `software_cache` proves and places. A loop within each thread whose variable
//! goes along the array is taken a tile at a time:
//!
//! ```c
//! for (int k = 0; k < n; k++)          // before
//!     sum += a[i][k] * b[k][j];
//! for (long k_tile = 0; k_tile < n; k_tile += 32) {         // after
//!     const int k_first = k_tile;
//!     const int k_end = n - k_first < 32 ? n : k_first + 32;
//!     windows a[i:0:0][k_first:0:31], b[k_first:0:31][j:0:0]
//!         for (int k = k_first; k < k_end; k++)
//!             sum += a[i][k] * b[k][j];
//! }
//! ```
//!
//! Every iteration comes in its order, so that no sum is rounded otherwise. What
//! a window would have to hold follows from the subscripts; an access that is
//! not proved to be inside chooses between window and array when it runs.

mod automatic;
mod gain;
mod needs;
mod regions;

pub use gain::{Gain, predict};

use std::cell::LazyCell;

use self::needs::Needs;
use super::Options;
use super::read_only::Facts;
use super::request::{Answers, Space, asked};
use crate::diagnostic::Diagnostics;
use crate::ir::{Loop, Module};
use crate::source::Span;
use crate::typed::{Expression, SymbolId, Unit};

/// The arrays that got regions here, by kernel, and what was refused.
#[derive(Default)]
pub struct Opened {
    answers: Answers,
    arrays: Vec<(usize, SymbolId)>,
    automatic: Vec<(usize, SymbolId, Gain)>,
}

/// Opens the regions that are asked for, and those that pay.
pub fn open(module: &mut Module, unit: &mut Unit, options: &Options) -> Opened {
    let mut opened = Opened::default();
    let mut planned = vec![Planned::new(); module.kernels.len()];
    if options.automatic_windows {
        let chosen = automatic::choose(module, unit, options);
        for (number, (planned, chosen)) in planned.iter_mut().zip(chosen).enumerate() {
            let gains = chosen
                .iter()
                .map(|(array, _, gain)| (number, *array, *gain));
            opened.automatic.extend(gains);
            planned.extend(chosen.into_iter().map(|(array, plan, _)| (array, plan)));
        }
    }
    let is_wanted = |request: &super::PlacementRequest| request.space == Space::Window;
    if options.places.iter().any(is_wanted) {
        let asked = opened.asked(module, unit, options);
        for (planned, asked) in planned.iter_mut().zip(asked) {
            planned.extend(asked);
        }
    }
    for (kernel, planned) in module.kernels.iter_mut().zip(planned) {
        if !planned.is_empty() {
            regions::put(kernel, planned, unit);
        }
    }
    opened
}

impl Opened {
    /// The windows that `--place` asks for, of each kernel.
    fn asked(&mut self, module: &Module, unit: &Unit, options: &Options) -> Vec<Planned> {
        let wanted = Facts::of_module(module, unit, |kernel, facts| {
            let arrays = super::arrays(kernel);
            let asked =
                arrays.filter(|&array| asked(&options.places, array, unit) == Some(Space::Window));
            asked
                .map(|array| (array, facts.find(array).map(|_| ())))
                .collect::<Vec<_>>()
        });
        let kernels = module.kernels.iter().enumerate().zip(wanted);
        let planned = kernels.map(|((number, kernel), wanted)| {
            let mut arrays = Vec::new();
            let needs = LazyCell::new(|| Needs::of(kernel, unit));
            for (array, found) in wanted {
                match found.and_then(|()| needs.plan(array)) {
                    Ok(plans) => arrays.extend(plans.into_iter().map(|plan| (array, plan))),
                    Err(reason) => self.answers.refuse(array, kernel.directive, &reason),
                }
            }
            self.arrays
                .extend(arrays.iter().map(|(array, _)| (number, *array)));
            arrays
        });
        planned.collect()
    }

    /// What the automatic window of an array saves.
    pub fn gain(&self, kernel: usize, array: SymbolId) -> Option<Gain> {
        let mut automatic = self.automatic.iter();
        let found = automatic.find(|(number, other, _)| (*number, *other) == (kernel, array));
        found.map(|(.., gain)| *gain)
    }

    /// Reports what no kernel could follow, now that windows are placed.
    pub fn report(&mut self, module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
        for (number, array) in std::mem::take(&mut self.arrays) {
            let kernel = &module.kernels[number];
            if kernel.windows.iter().any(|window| window.array == array) {
                self.answers.follow(array);
            } else {
                let reason = "a block cannot hold it, as the notes of `--feedback` say";
                self.answers.refuse(array, kernel.directive, reason);
            }
        }
        std::mem::take(&mut self.answers).report(Space::Window, unit, diagnostics);
    }
}

/// A loop: several may have one header, where calls were put in place.
type LoopName = (SymbolId, Span);

fn name(l: &Loop) -> LoopName {
    (l.induction, l.header)
}

/// Arrays with the windows that are planned for them.
type Planned = Vec<(SymbolId, Plan)>;

/// A window of an array in one place.
#[derive(Clone)]
struct Plan {
    /// The loop that is taken a tile at a time; the whole body
    /// of the nest otherwise.
    tiled: Option<LoopName>,
    dimensions: Vec<Side>,
    /// Whether all accesses there are in it, as far as subscripts tell.
    holds_all: bool,
    /// How many accesses a thread makes in an iteration.
    reads: i128,
}

/// One dimension of a window.
#[derive(Clone)]
struct Side {
    /// The subscript of some access.
    subscript: Expression,
    /// How many elements others lie before and after it.
    before: i128,
    after: i128,
    /// How far an iteration of the tiled loop moves it.
    stride: i128,
    /// Short loops inside, whose variables stand at their first value.
    at_first: Vec<(SymbolId, Expression)>,
}
