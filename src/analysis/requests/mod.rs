//! How the threads of a warp access device memory together.
//!
//! Input: a loop nest of a kernel, and how its loops are distributed over threads.
//! Output: for each access, where it goes as a polynomial of the loops'
//! iterations ([`Reference`]), and what a request of a whole warp comes to
//! ([`predict`]): transactions of 128 bytes and sectors of 32.
//!
//! The normal form of index expressions is that of MESI-CUDA (section 4.2.1 of
//! its paper on thread mapping), with all dimensions of an array in one
//! polynomial of bytes: accesses of the same element (4.2.2) and of
//! neighbouring ones (4.2.3) are its coefficients 0 and the element's size.

mod guard;
mod kernel;
mod lanes;
mod offset;
mod prediction;
mod rounds;
/// A figure in a sentence: with two digits, less where they are zeros.
pub fn rounded(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
mod trip_counts;
mod window;

use indexmap::IndexSet;

use super::condition::Condition;
use super::effects::{Oracle, Place, Touch};
use super::polynomial::{Polynomial, Term};
use super::subscripts::{self, Element, Elements, Subscript};
use crate::ir::Loop;
use crate::typed::{Expression, SymbolId, Unit};

pub use super::subscripts::size;
pub use guard::{gap, numbers};
pub use kernel::{distributions, of_kernel, private};
pub use lanes::{position, sharing};
pub use prediction::{Endless, Gap, Prediction, Tally, Threads, Unpredictable, predict};
pub use window::{Fetch, WindowLoop, WindowSide};

/// The values of variables that a prediction may take for granted.
pub type Values<'v> = dyn Fn(SymbolId) -> Option<i128> + 'v;

/// Bytes that one transaction moves.
pub const LINE: u64 = 128;
/// Bytes of a part of a line that is moved on its own.
pub const SECTOR: u64 = 32;
pub use crate::ir::limits::WARP;

/// One access to device memory within a nest.
#[derive(Clone, Debug)]
pub struct Reference<'a> {
    /// The lvalue.
    pub expression: &'a Expression,
    /// The array, or the pointer that it is based on.
    pub symbol: SymbolId,
    /// Read or write.
    pub touch: Touch,
    /// Of the access.
    pub bytes: u64,
    /// Bytes from the start of the array; `None` if it is not affine.
    pub offset: Option<Polynomial>,
    /// The loops of which an iteration moves it by a variable's value, which is no length of a row, by
    /// their numbers; by no variable where memory holds the value.
    pub steps: Vec<(usize, Option<SymbolId>)>,
    /// The loops around it, outer ones first, by their numbers in the nest.
    pub within: Vec<usize>,
    /// The conditions that it stands under.
    pub conditions: Vec<Condition>,
}

/// A loop with all loops inside, and what they access.
#[derive(Debug)]
pub struct Nest<'a> {
    /// The outermost one is number 0, those inside follow in order.
    pub loops: Vec<&'a Loop>,
    /// How often each loop runs its body; `None` if that is not affine.
    pub trips: Vec<Option<Polynomial>>,
    /// In order.
    pub references: Vec<Reference<'a>>,
}

/// Collects the accesses of a nest. Variables in `private` lie in no memory
/// that warps share, and windows stand for the accesses to their arrays.
pub fn collect<'a>(outermost: &'a Loop, private: &IndexSet<SymbolId>, oracle: &Oracle) -> Nest<'a> {
    let elements = subscripts::collect_with_conditions(outermost, private, oracle);
    let unit = oracle.unit();
    let trips = elements.last.iter().map(|last| {
        let last = last.as_ref()?;
        last.moved(1)
    });
    let references = elements.list.iter();
    Nest {
        trips: trips.collect(),
        references: references
            .filter(|element| !element.has_window)
            .filter_map(|element| reference(element, &elements, unit))
            .collect(),
        loops: elements.loops,
    }
}

fn reference<'a>(
    element: &Element<'a>,
    elements: &Elements<'a>,
    unit: &Unit,
) -> Option<Reference<'a>> {
    Some(Reference {
        expression: element.expression,
        symbol: element.root.symbol()?,
        touch: element.touch,
        bytes: unit.types.size(element.expression.ty.ty)?,
        offset: byte_offset(element),
        steps: element.subscripts.iter().flat_map(steps).collect(),
        within: element.within.clone(),
        conditions: (element.under.iter())
            .map(|number| elements.conditions[*number].clone())
            .collect(),
    })
}

/// What a subscript multiplies iterations by that is not known: `inc` in `a[i * inc]`. In `a[i * n + k]`
/// another loop goes along rows of that length.
fn steps(subscript: &Subscript) -> Vec<(usize, Option<SymbolId>)> {
    let terms = || subscript.value.iter().flat_map(Polynomial::terms);
    let is_along_rows = |number: usize| {
        terms().any(|(product, _)| matches!(product, [Term::Iteration(own)] if *own != number))
    };
    let mut found = Vec::new();
    for (product, _) in terms() {
        let mut loops = product.iter().filter_map(|term| match term {
            Term::Iteration(number) => Some(*number),
            Term::Invariant(_) | Term::Opaque(_) => None,
        });
        let Some(number) = loops.next().filter(|number| !is_along_rows(*number)) else {
            continue;
        };
        found.extend(product.iter().filter_map(|term| match term {
            Term::Iteration(_) => None,
            Term::Invariant(symbol) => Some((number, Some(*symbol))),
            Term::Opaque(_) => Some((number, None)),
        }));
    }
    found
}

/// All subscripts as one distance in bytes. Where a function goes is not known.
fn byte_offset(element: &Element) -> Option<Polynomial> {
    if matches!(element.root, Place::Target(_)) && element.subscripts.is_empty() {
        return None;
    }
    subscripts::bytes(&element.subscripts)
}
