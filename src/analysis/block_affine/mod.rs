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
//! A [`Frame`] holds what is known at one place in a kernel; whoever walks
//! the kernel moves it along. What threads with a clear mask cannot know,
//! since they skip the statement that computes it, is followed back to what
//! they know: captured values, first iterations, variables of loops that all
//! threads run alike.

mod division;
mod facts;
mod origin;
#[cfg(test)]
mod tests;
mod uniform;
mod value;

use indexmap::{IndexMap, IndexSet};

pub use facts::Facts;
pub use uniform::may_leave;

use super::affine::{Affine, Term};
use crate::ir::{BlockExtent, Kernel, Loop, Relation};
use crate::source::Span;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, Unit, constant};

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
}

/// A loop whose iterations a block takes a tile at a time.
#[derive(Clone, Debug)]
struct Tiled {
    induction: SymbolId,
    first: SymbolId,
    axis: usize,
    step: i128,
    /// Divides the variable's value in the tile's first iteration.
    divisor: i128,
    /// That value is not negative.
    is_natural: bool,
}

/// A counted loop that threads run by themselves.
#[derive(Clone, Debug)]
struct Rounds {
    lower: Affine,
    step: i128,
    /// The number of the last round, where that is a constant.
    last: Option<i128>,
}

/// What is known at one place of a kernel.
#[derive(Clone, Debug)]
pub struct Frame {
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
    atoms: IndexSet<Atom>,
    /// Values that are no polynomials, as text.
    opaques: IndexSet<String>,
}

impl Frame {
    /// At the top of a kernel.
    pub fn new(kernel: &Kernel, facts: Facts) -> Self {
        let mut block = [Some(1); 3];
        for (known, extent) in block.iter_mut().zip(kernel.block.iter().flatten()) {
            *known = match extent {
                BlockExtent::Constant(n) => Some(i128::from(*n)),
                BlockExtent::Expression(_) => None,
            };
        }
        Self {
            facts,
            convergent: true,
            block,
            tiles: Vec::new(),
            definitions: IndexMap::new(),
            uniform: IndexSet::new(),
            rounds: IndexMap::new(),
            atoms: IndexSet::new(),
            opaques: IndexSet::new(),
        }
    }

    /// Enters a loop that the block takes in tiles along an axis.
    pub fn enter_tiled(&mut self, l: &Loop, first: SymbolId, axis: usize, unit: &Unit) {
        let step = constant::evaluate(unit, &l.step).unwrap_or(0);
        let step = if l.downward { -step } else { step };
        let lower = constant::evaluate(unit, &l.lower);
        let tile = self.block[axis].and_then(|extent| extent.checked_mul(step));
        self.tiles.push(Tiled {
            induction: l.induction,
            first,
            axis,
            step,
            divisor: match (lower, tile) {
                (Some(lower), Some(tile)) => division::common(lower, tile),
                _ => 1,
            },
            is_natural: lower.is_some_and(|lower| lower >= 0) && step > 0,
        });
        self.uniform.insert(first);
    }

    /// Enters a counted loop that each thread runs by itself. Its variable is
    /// known to all threads if they run the same rounds.
    pub fn enter_loop(&mut self, l: &Loop, unit: &Unit) {
        self.uniform.shift_remove(&l.induction);
        self.rounds.shift_remove(&l.induction);
        self.convergent &= self.runs_alike(l, unit);
        if self.convergent && self.facts.is_kept_by(&l.body, l.induction, unit) {
            self.uniform.insert(l.induction);
        }
    }

    /// Enters a counted loop inside a region: its variable stands for all
    /// values that it takes.
    pub fn enter_rounds(&mut self, l: &Loop, unit: &Unit) {
        self.uniform.shift_remove(&l.induction);
        self.rounds.shift_remove(&l.induction);
        let step = constant::evaluate(unit, &l.step).filter(|step| *step > 0);
        let (Ok(lower), Some(step)) = (self.value(&l.lower, unit), step) else {
            return;
        };
        let kept = self.facts.is_kept_by(&l.body, l.induction, unit);
        if !kept || l.relation == Relation::NotEqual && step != 1 {
            return;
        }
        let last = self.last_round(l, &lower, step, unit);
        let step = if l.downward { -step } else { step };
        self.rounds
            .insert(l.induction, Rounds { lower, step, last });
    }

    /// The highest number of a round, where it is a constant.
    fn last_round(&mut self, l: &Loop, lower: &Affine, step: i128, unit: &Unit) -> Option<i128> {
        let inclusive = matches!(l.relation, Relation::LessEqual | Relation::GreaterEqual);
        let mut least: Option<i128> = None;
        let bound = self.as_defined(&l.bound).clone();
        for bound in bounds(&bound, l.downward, unit) {
            let Ok(bound) = self.value(bound, unit) else {
                continue;
            };
            let distance = if l.downward {
                lower.minus(&bound)
            } else {
                bound.minus(lower)
            };
            if let Some(distance) = distance.and_then(|d| d.as_constant()) {
                let last = distance - i128::from(!inclusive);
                least = Some(least.map_or(last, |known| known.min(last)));
            }
        }
        least.map(|last| last.div_euclid(step))
    }

    /// What a local that was defined stands for, and any other expression
    /// itself. A conversion on the way might change the value.
    fn as_defined<'e>(&'e self, e: &'e Expression) -> &'e Expression {
        let definition = e.as_symbol().and_then(|s| self.definitions.get(&s));
        match definition {
            Some(definition) if definition.inner().ty.ty == e.ty.ty => definition,
            _ => e,
        }
    }

    /// The highest number of a round of a loop that was entered, where it is
    /// a constant.
    pub fn rounds_of(&self, induction: SymbolId) -> Option<i128> {
        self.rounds.get(&induction)?.last
    }

    /// Says that a local has this value from here on, if it is assigned
    /// nowhere else.
    pub fn define(&mut self, symbol: SymbolId, value: &Expression) {
        if self.facts.is_assigned_once(symbol) && !mentions(value, symbol) {
            self.definitions.insert(symbol, value.clone());
        }
    }

    /// Threads of the block along an axis, where known.
    pub fn block(&self, axis: usize) -> Option<i128> {
        self.block[axis]
    }

    /// The variable of a polynomial for an atom.
    fn term(&mut self, atom: Atom) -> Term {
        Term::Iteration(self.atoms.insert_full(atom).0)
    }

    /// What a loop iteration in one of this frame's polynomials stands for.
    pub fn atom(&self, number: usize) -> Option<Atom> {
        self.atoms.get_index(number).copied()
    }

    /// The highest value of an atom; the lowest is 0.
    pub fn highest(&self, atom: Atom) -> Option<i128> {
        Some(match atom {
            Atom::Thread(axis, Piece::Whole) => self.block[axis]? - 1,
            Atom::Thread(axis, Piece::Quotient(by)) => self.block[axis]? / by - 1,
            Atom::Thread(_, Piece::Remainder(by)) => by - 1,
            Atom::Round(symbol) => self.rounds.get(&symbol)?.last?,
        })
    }

    /// The lowest and the highest value of a polynomial, if nothing in it is
    /// unknown.
    pub fn range(&self, value: &Affine) -> Option<(i128, i128)> {
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

/// What a loop's variable does not pass: the bound itself and, of a minimum
/// (of a maximum, where the loop counts down), written as `a < b ? a : b`,
/// each part.
fn bounds<'e>(bound: &'e Expression, downward: bool, unit: &Unit) -> Vec<&'e Expression> {
    use BinaryOperator as B;
    let mut found = vec![bound];
    let ExpressionKind::Conditional(condition, Some(then), otherwise) = &bound.inner().kind else {
        return found;
    };
    let ExpressionKind::Binary(operator, left, right) = &condition.inner().kind else {
        return found;
    };
    let takes_less = match operator {
        B::Less | B::LessEqual => true,
        B::Greater | B::GreaterEqual => false,
        _ => return found,
    };
    let same = |a: &Expression, b: &Expression| origin::same(unit, a, b);
    let takes_left = same(left, then) && same(right, otherwise);
    let takes_right = same(left, otherwise) && same(right, then);
    let is_minimum = takes_left && takes_less || takes_right && !takes_less;
    let is_maximum = takes_left && !takes_less || takes_right && takes_less;
    if is_minimum && !downward || is_maximum && downward {
        found.extend([&**then, &**otherwise]);
    }
    found
}

fn mentions(e: &Expression, symbol: SymbolId) -> bool {
    crate::typed::visit::any(
        e,
        &mut |e| matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol),
    )
}
