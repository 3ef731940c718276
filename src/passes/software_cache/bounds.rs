//! Windows of which the program says what there is to fetch.
//!
//! A slot whose index may lie outside is fetched under a condition; which may, is
//! computed from the loops around:
//!
//! ```c
//! float a[64][128];                              // slots of rows i_first to i_first + 15
//! const int i_begin = blockIdx.y * 16;           // 0 to 48, of 4 blocks
//! for (int i_first = i_begin; i_first < i_begin + 16; i_first += 16)      // once
//!     for (int kk = 0; kk < 128; kk += 32)       // 0 to 96: columns kk to kk + 31 are there
//! ```

use super::Pass;
use super::region::{Held, Limits};
use crate::analysis::polynomial::{Polynomial, Term, of_variables};
use crate::ir::{BlockExtent, Kernel, Loop, Relation, StatementKind, visit};
use crate::typed::constant::evaluate;
use crate::typed::{Builtin, Expression, SymbolId, SymbolKind, Unit};

/// More steps than expressions in loops need.
const MOST_STEPS: usize = 32;

impl Pass<'_> {
    /// The limits of a fetch within [`Window::bounds`](crate::ir::Window::bounds).
    pub(super) fn within_bounds(&self, held: &Held) -> Option<Vec<Limits>> {
        let bounds = held.window.bounds.as_ref()?;
        let values = Values {
            unit: self.unit,
            kernel: self.kernel,
        };
        let limits = bounds.iter().zip(&held.sides).map(|(bounds, side)| {
            let Some((first, end)) = bounds else {
                return Limits::default();
            };
            let is_above = || {
                let first = evaluate(self.unit, first)?;
                Some(values.extreme(&side.base, false)? >= first)
            };
            let is_below = || {
                let end = evaluate(self.unit, end)?;
                let slots = i128::from(side.extent.known()?);
                Some(values.extreme(&side.base, true)? + slots <= end)
            };
            let unless = |holds: Option<bool>, limit: &Expression| {
                (holds != Some(true)).then(|| limit.clone())
            };
            Limits {
                begin: unless(is_above(), first),
                end: unless(is_below(), end),
            }
        });
        Some(limits.collect())
    }
}

/// What variables of a kernel may be.
struct Values<'k> {
    unit: &'k Unit,
    kernel: &'k Kernel,
}

impl Values<'_> {
    /// The highest or lowest value of a polynomial.
    fn extreme(&self, p: &Polynomial, highest: bool) -> Option<i128> {
        let mut p = p.clone();
        for _ in 0..MOST_STEPS {
            if let Some(value) = p.as_constant() {
                return Some(value);
            }
            let mut symbols = p.terms().flat_map(|(terms, _)| terms.iter().copied());
            let next = symbols.find_map(|term| match term {
                Term::Invariant(symbol) => Some((term, symbol)),
                Term::Iteration(_) | Term::Opaque(_) => None,
            });
            drop(symbols);
            let (term, symbol) = next?;
            let rises = p.coefficient(term)? > 0;
            let value = self.value(symbol, rises == highest)?;
            p = p.substitute(term, &value)?;
        }
        None
    }

    /// The highest or lowest value of a variable, in terms of others.
    fn value(&self, symbol: SymbolId, highest: bool) -> Option<Polynomial> {
        if let SymbolKind::Builtin(Builtin::BlockIndex, axis) = self.unit.symbol(symbol).kind {
            let grid = self.kernel.exact_grid.as_ref()?;
            let BlockExtent::Constant(blocks) = grid[axis as usize] else {
                return None;
            };
            let last = if highest { i128::from(blocks) - 1 } else { 0 };
            return Some(Polynomial::constant(last));
        }
        if let Some(value) = self.definition(symbol) {
            return of_variables(&value, self.unit);
        }
        let mut found = Vec::new();
        visit::loops(&self.kernel.body, &mut |l| {
            let is_first = l
                .tile
                .is_some_and(|tile| tile.first == symbol && tile.count.is_none());
            if is_first || l.induction == symbol {
                found.push((l, is_first));
            }
        });
        // A variable may count several loops.
        match found.as_slice() {
            [(l, is_first)] if *is_first || l.tile.is_none() => self.of_loop(l, *is_first, highest),
            _ => None,
        }
    }

    /// The first or last value of a loop's variable, or of the first one of its tiles.
    fn of_loop(&self, l: &Loop, by_tiles: bool, highest: bool) -> Option<Polynomial> {
        let first = of_variables(&l.lower, self.unit)?;
        if l.downward || !highest {
            return Some(first).filter(|_| !l.downward);
        }
        let end = l.bound.as_symbol().and_then(|end| self.definition(end));
        let bound = of_variables(end.as_ref().unwrap_or(&l.bound), self.unit)?;
        let span = bound.minus(&first)?.as_constant()?;
        let span = match l.relation {
            Relation::Less => span,
            Relation::LessEqual => span + 1,
            _ => return None,
        };
        let step = evaluate(self.unit, &l.step).filter(|step| *step > 0)?;
        let stride = match by_tiles {
            false => step,
            true => {
                let threads = self.kernel.block_shape()?.into_iter().zip(l.threads());
                let threads = threads.filter(|(_, used)| *used);
                threads.fold(step, |stride, (n, _)| stride * i128::from(n))
            }
        };
        first.moved((span.max(1) - 1) / stride * stride)
    }

    /// The value of a constant that the kernel declares.
    fn definition(&self, symbol: SymbolId) -> Option<Expression> {
        if !self.unit.symbol(symbol).ty.qualifiers.is_const {
            return None;
        }
        let mut found = None;
        visit::walk(&self.kernel.body, &mut |s| {
            if let StatementKind::Declaration(list) = &s.kind {
                let own = list.iter().find(|d| d.symbol == symbol);
                found = found.take().or(own.and_then(|d| d.value().cloned()));
            }
        });
        found
    }
}
