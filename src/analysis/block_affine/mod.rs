//! Index expressions as the threads of a block see them.
//!
//! A block takes a tile of iterations: thread `t` of it has `i = first +
//! step·t` (see [`crate::ir::Tile`]). What a thread computes from `i` is then
//! `Σ c·t + u`, where `u` is the same in all threads. [`Frame::value`] finds
//! that form, [`Frame::origin`] the expression for `u`:
//!
//! ```text
//! for (int np = 0; np < n; np++) {            // blocks of 256
//!     int i = np - ((np >> 8) * 2 * k + k);   // 1·t + np_first - ((np_first >> 8) * 2 * k + k)
//!     int own = np & 255;                     // 1·t
//!     int turned = 2 * n - 3 * np;            // -3·t + 2 * n - 3 * np_first
//! ```
//!
//! Shifts, divisions, masks and remainders split the thread's number in two
//! [`Piece`]s where the tile's first iteration is a known multiple.
//!
//! Beside the form, bounds: [`Frame::cases`] finds the ways in which a value
//! comes about, each with the *facts* that hold then, polynomials that are not
//! negative. Facts come from the conditions around a place, the bounds of
//! loops and the operators of C; [`Frame::is_proved`] combines them.
//!
//! ```text
//! for (int j = first; j < least(first + 64, n); j++)   // 0 <= j - first <= 63
//!     if (j > 0)
//!         s[j - 1]                                     // 0 <= j - 1
//! ```
//!
//! A [`Frame`] holds what is known at one place in a kernel; whoever walks
//! the kernel moves it along ([`Frame::inside`], [`Frame::pass`]). What threads with a clear mask cannot know,
//! since they skip the statement that computes it, is followed back to what
//! they know: captured values, first iterations, variables of loops that all
//! threads run alike.

mod cases;
mod conditions;
mod division;
mod facts;
mod flow;
mod formula;
mod loops;
mod meeting;
mod names;
mod origin;
mod proof;
#[cfg(test)]
mod tests;
mod uniform;
mod value;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};

pub use cases::Case;
pub use meeting::{Apart, Slots};

use super::effects::Oracle;
use super::interval::Interval;
use super::polynomial::{Polynomial, Term};
use crate::ir::{DeviceFunction, Kernel};
use crate::source::Span;
use crate::typed::visit::is_larger;
use crate::typed::{Expression, SymbolId, TypeId, Unit, constant};
use facts::Facts;
use names::{Names, values_of};

/// Why a value has no form, and which part of it is to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defeat {
    /// The part.
    pub span: Span,
    /// Why, as in "`n` is not a compile-time constant".
    pub reason: String,
}

impl Defeat {
    fn new(e: &Expression, reason: impl Into<String>) -> Self {
        Self {
            span: e.span,
            reason: reason.into(),
        }
    }
}

/// A part of the number of a thread in one dimension of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Piece {
    /// The number itself.
    Whole,
    /// Its quotient by a divisor of the block's extent.
    Quotient(i128),
    /// Its remainder.
    Remainder(i128),
}

/// What takes several values among the threads of a block and the rounds of
/// loops within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// Of the thread's number along x, y or z.
    Thread(usize, Piece),
    /// The round of the counted loop with this variable.
    Round(SymbolId),
    /// What a thread computed in a way that is not followed, by number.
    Unknown(usize),
    /// What this variable of a polynomial is in another thread, or at another
    /// time.
    Elsewhere(Term),
}

/// A loop whose iterations a block takes a tile at a time.
#[derive(Clone, Debug)]
struct Tiled {
    induction: SymbolId,
    first: SymbolId,
    axis: usize,
    step: i128,
    /// The first iteration's value as `lower + tile·number`, where that is
    /// known.
    first_value: Option<Polynomial>,
    /// It is not negative.
    is_natural: bool,
}

/// A counted loop that threads run by themselves.
#[derive(Clone, Debug)]
struct Rounds {
    lower: Polynomial,
    step: i128,
    /// The number of the last round, where that is a constant.
    last: Option<i128>,
    /// There is a round whatever the bounds are.
    always: bool,
}

/// What is known at one place of a kernel.
#[derive(Clone)]
pub struct Frame<'u> {
    /// What ids refer to.
    pub unit: &'u Unit,
    /// What holds in the whole kernel.
    pub facts: Facts,
    /// All threads of the block that have an iteration come here together.
    pub convergent: bool,
    /// Threads along x, y and z, where known.
    block: [Option<i128>; 3],
    tiles: Vec<Tiled>,
    /// Locals that are assigned once.
    definitions: IndexMap<SymbolId, Expression>,
    /// Variables of loops that all threads run alike.
    uniform: IndexSet<SymbolId>,
    rounds: IndexMap<SymbolId, Rounds>,
    /// What the variables of polynomials stand for, in all frames of a kernel.
    names: Rc<RefCell<Names>>,
    /// What is not negative here.
    known: Vec<Polynomial>,
    /// Those of these that hold in the block's first thread too, whether or
    /// not it comes here.
    common: Vec<Polynomial>,
    /// Locals that are followed from one assignment to the next.
    values: IndexMap<SymbolId, Vec<Case>>,
    /// What is not negative if a local is 0, and if it is not.
    truths: IndexMap<SymbolId, [Vec<Polynomial>; 2]>,
    /// Within a `switch`, or where a `goto` may lead: what was before a
    /// statement need not be what stands before it.
    is_entangled: bool,
    /// Functions that are being followed.
    calls: usize,
    /// How much may still be looked at of the expression that is being followed.
    steps: Cell<Option<usize>>,
}

/// Larger expressions than people write in subscripts and conditions are not
/// followed, nor what takes more steps: a part is looked at again for each
/// conversion around it.
const MOST_SIZE: usize = 400;
const MOST_STEPS: usize = 4_000;

impl<'u> Frame<'u> {
    /// At the top of a kernel before its windows are opened.
    pub fn new(kernel: &Kernel, functions: &[DeviceFunction], oracle: &Oracle<'u>) -> Self {
        let facts = Facts::of(kernel, functions, oracle);
        let mut block = [Some(1); 3];
        for (known, extent) in block.iter_mut().zip(kernel.block.iter().flatten()) {
            *known = extent.known().map(i128::from);
        }
        let is_entangled = facts.has_labels;
        Self {
            unit: oracle.unit(),
            facts,
            convergent: true,
            block,
            tiles: Vec::new(),
            definitions: IndexMap::new(),
            uniform: IndexSet::new(),
            rounds: IndexMap::new(),
            names: Rc::default(),
            known: Vec::new(),
            common: Vec::new(),
            values: IndexMap::new(),
            truths: IndexMap::new(),
            is_entangled,
            calls: 0,
            steps: Cell::new(None),
        }
    }

    /// Says that a local has this value from here on, if it is assigned
    /// nowhere else.
    pub fn define(&mut self, symbol: SymbolId, value: &Expression) {
        if self.facts.is_assigned_once(symbol) && !value.mentions(symbol) {
            self.definitions.insert(symbol, value.clone());
        }
    }

    /// Says that a variable that a pass made has this value from here on.
    pub fn define_base(&mut self, symbol: SymbolId, value: &Expression) {
        if !value.mentions(symbol) {
            self.definitions.insert(symbol, value.clone());
        }
    }

    /// Says that a value that all threads have alike is not negative.
    pub fn assume_natural(&mut self, value: &Polynomial) {
        self.learn(vec![value.clone()], true);
    }

    /// What is known here whether or not a thread takes this way. A value that
    /// stands for those of the whole block must lean on nothing else, since it
    /// is computed from the first thread's.
    pub fn whole_block(&self) -> Self {
        Self {
            known: self.common.clone(),
            values: IndexMap::new(),
            truths: IndexMap::new(),
            ..self.clone()
        }
    }

    fn learn(&mut self, facts: Vec<Polynomial>, is_common: bool) {
        for fact in facts {
            if is_common && !self.common.contains(&fact) {
                self.common.push(fact.clone());
            }
            if !self.known.contains(&fact) {
                self.known.push(fact);
            }
        }
    }

    /// Looks at an expression, unless that would take too long.
    fn within_limits<T>(&mut self, e: &Expression, look: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let is_outermost = self.begin_looking(e)?;
        let found = look(self);
        self.end_looking(is_outermost);
        Some(found)
    }

    /// Begins to look at an expression, if it may be: whether it is not part of one.
    fn begin_looking(&self, e: &Expression) -> Option<bool> {
        let steps = self.steps.get();
        let left = match steps {
            Some(steps) => steps.checked_sub(1)?,
            None if is_larger(e, MOST_SIZE) => return None,
            None => MOST_STEPS,
        };
        self.steps.set(Some(left));
        Some(steps.is_none())
    }

    fn end_looking(&self, is_outermost: bool) {
        if is_outermost {
            self.steps.set(None);
        }
    }

    /// Threads of the block along an axis, where known.
    pub fn block(&self, axis: usize) -> Option<i128> {
        self.block[axis]
    }

    /// The value of a constant expression.
    fn constant(&self, e: &Expression) -> Option<i128> {
        constant::evaluate(self.unit, e)
    }

    fn is_integer(&self, e: &Expression) -> bool {
        self.unit.types.is_integer(e.ty.ty)
    }

    /// The values of an integer type.
    fn values_of(&self, ty: TypeId) -> Interval {
        values_of(self.unit, ty)
    }

    /// The type of a variable.
    fn type_of(&self, symbol: SymbolId) -> TypeId {
        self.unit.symbol(symbol).ty.ty
    }

    /// The variable of a polynomial for an atom.
    pub fn term(&mut self, atom: Atom) -> Term {
        Term::Iteration(self.names.borrow_mut().number(atom))
    }

    /// What a loop iteration in a polynomial of this kernel stands for.
    pub fn atom(&self, number: usize) -> Option<Atom> {
        self.names.borrow().atom(number)
    }

    /// Where a loop that was entered with [`Self::enter_rounds`] begins, and what a round adds.
    pub fn rounds_of(&self, induction: SymbolId) -> Option<(&Polynomial, i128)> {
        let rounds = self.rounds.get(&induction)?;
        Some((&rounds.lower, rounds.step))
    }

    /// The highest value of an atom of which the lowest is 0.
    pub fn highest(&self, atom: Atom) -> Option<i128> {
        Some(match atom {
            Atom::Thread(axis, Piece::Whole) => self.block[axis]? - 1,
            Atom::Thread(axis, Piece::Quotient(by)) => self.block[axis]? / by - 1,
            Atom::Thread(_, Piece::Remainder(by)) => by - 1,
            Atom::Round(symbol) => self.rounds.get(&symbol)?.last?,
            Atom::Unknown(_) | Atom::Elsewhere(_) => return None,
        })
    }

    /// The lowest and the highest value of a polynomial, if nothing in it is
    /// unknown.
    pub fn range(&self, value: &Polynomial) -> Option<(i128, i128)> {
        let (mut low, mut high) = (0i128, 0i128);
        for (product, coefficient) in value.terms() {
            match product {
                [] => {
                    low += coefficient;
                    high += coefficient;
                }
                [Term::Iteration(number)] => {
                    let reach = self
                        .highest(self.atom(*number)?)?
                        .checked_mul(coefficient)?;
                    low += reach.min(0);
                    high += reach.max(0);
                }
                _ => return None,
            }
        }
        Some((low, high))
    }
}
