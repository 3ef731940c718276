//! Loops along a tile that windows hold, unrolled.
//!
//! Input: kernels whose barriers are in place. Output: of a sequential loop
//! that goes once over the iterations of a strip-mined one around it, and
//! reads windows, a copy for whole tiles, whose trip count is a constant.
//!
//! ```c
//! for (int first = 0; first < n; first += 16) {
//!     const int end = least(first + 16, n);
//!     for (int k = first; k < end; k++)             // before
//!         sum += a_window[y][k - first] * b_window[k - first][x];
//!
//!     if (end - first == 16) {                      // after
//!         #pragma unroll
//!         for (int k = first; k < first + 16; k++)
//!             sum += a_window[y][k - first] * b_window[k - first][x];
//!     } else {
//!         for (int k = first; k < end; k++)
//!             sum += a_window[y][k - first] * b_window[k - first][x];
//!     }
//! }
//! ```
//!
//! Slots then are at constant offsets, which the compiler reads four at a
//! time, and nothing is left of the loop's own cost: the half of the
//! instructions of such a tile. The order of operations stays.

use std::collections::BTreeSet;

use crate::ir::{Kernel, Loop, Module, Relation, Statement, StatementKind, is_literal, visit};
use crate::typed::constant::evaluate;
use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, TypeId, Unit, visit as typed_visit,
};

/// The longest tile that is unrolled, in iterations.
pub const LONGEST: i128 = 32;
/// The largest unrolled body, in operands of all its copies together.
const LARGEST: usize = 1024;

/// Unrolls the loops of all kernels.
pub fn run(module: &mut Module, unit: &Unit) {
    let int = synthesis::int(unit);
    for kernel in &mut module.kernels {
        let windows = storages(kernel);
        if !windows.is_empty() {
            let mut unrolling = Unrolling {
                unit,
                int,
                windows,
                strips: Vec::new(),
            };
            unrolling.list(&mut kernel.body);
        }
    }
}

fn storages(kernel: &Kernel) -> BTreeSet<SymbolId> {
    kernel.windows.iter().map(|window| window.storage).collect()
}

struct Unrolling<'u> {
    unit: &'u Unit,
    int: TypeId,
    /// The windows' arrays in shared memory.
    windows: BTreeSet<SymbolId>,
    /// Of the sequential loops around that count up in constant steps: the
    /// variable and the step.
    strips: Vec<(SymbolId, i128)>,
}

impl Unrolling<'_> {
    fn list(&mut self, list: &mut [Statement]) {
        for statement in list {
            if let Some(length) = self.tile(statement) {
                self.split(statement, length);
                continue;
            }
            self.copies(statement);
            let strip = strip(statement, self.unit);
            let around = self.strips.len();
            self.strips.extend(strip);
            visit::blocks_mut(statement, &mut |inner| self.list(inner));
            self.strips.truncate(around);
        }
    }

    /// Constants that are what a strip's variable is: `const int first = tile;`.
    fn copies(&mut self, statement: &Statement) {
        let StatementKind::Declaration(declarations) = &statement.kind else {
            return;
        };
        for declaration in declarations {
            let Some(value) = declaration.value() else {
                continue;
            };
            let source = value.without_conversions().as_symbol();
            let mut strips = self.strips.iter();
            let strip = strips.find(|(variable, _)| Some(*variable) == source);
            let is_const = self.unit.symbol(declaration.symbol).ty.qualifiers.is_const;
            if let Some((_, step)) = strip.filter(|_| is_const) {
                self.strips.push((declaration.symbol, *step));
            }
        }
    }

    /// How many iterations a whole tile has that this statement goes over.
    fn tile(&self, statement: &Statement) -> Option<i128> {
        let StatementKind::Loop(l) = &statement.kind else {
            return None;
        };
        let first = l.lower.as_symbol()?;
        let (_, length) = self
            .strips
            .iter()
            .find(|(variable, _)| *variable == first)?;
        let counts_up = !l.downward && l.relation == Relation::Less && is_literal(&l.step, 1);
        let serves = counts_up
            && is_sequential(l)
            && l.declared_inside
            && l.privates.is_empty()
            && self.is_of_one_type(l)
            && is_constant(&l.bound)
            && (2..=LONGEST).contains(length)
            && self.reads_windows(&l.body)
            && l.body.iter().all(is_straight);
        let operands = size(&l.body).saturating_mul(usize::try_from(*length).ok()?);
        (serves && operands <= LARGEST).then_some(*length)
    }

    /// Whether variable, first value and bound have one type, in which
    /// differences are computed.
    fn is_of_one_type(&self, l: &Loop) -> bool {
        let ty = self.unit.symbol(l.induction).ty.ty;
        self.unit.types.is_computed(ty) && l.lower.ty.ty == ty && l.bound.ty.ty == ty
    }

    fn reads_windows(&self, list: &[Statement]) -> bool {
        let mut found = false;
        visit::expressions(list, &mut |e| {
            found |= e.as_symbol().is_some_and(|s| self.windows.contains(&s));
        });
        found
    }

    /// Whether a loop goes over a whole tile by its very bound, `first + 16`.
    fn is_whole(&self, l: &Loop, length: i128) -> bool {
        let ExpressionKind::Binary(BinaryOperator::Add, first, more) = &l.bound.inner().kind else {
            return false;
        };
        first.inner().as_symbol() == l.lower.as_symbol()
            && evaluate(self.unit, more) == Some(length)
    }

    fn split(&self, statement: &mut Statement, length: i128) {
        let StatementKind::Loop(partial) = &mut statement.kind else {
            return;
        };
        if self.is_whole(partial, length) {
            partial.unrolled = true;
            return;
        }
        let partial = partial.clone();
        let ty = partial.lower.ty.ty;
        let number = || synthesis::integer(length, ty, partial.header);
        let (lower, bound) = (partial.lower.clone(), partial.bound.clone());
        let difference = synthesis::binary(BinaryOperator::Subtract, bound, lower.clone(), ty);
        let is_whole = synthesis::binary(BinaryOperator::Equal, difference, number(), self.int);
        let whole = Loop {
            bound: synthesis::binary(BinaryOperator::Add, lower, number(), ty),
            unrolled: true,
            directive: None,
            ..(*partial).clone()
        };
        let made = |l| StatementKind::Loop(l).at(statement.span);
        statement.kind = StatementKind::If(
            is_whole,
            vec![made(Box::new(whole))],
            Some(vec![made(partial)]),
        );
    }
}

/// A loop that others may go along, a tile at a time.
fn strip(statement: &Statement, unit: &Unit) -> Option<(SymbolId, i128)> {
    let StatementKind::Loop(l) = &statement.kind else {
        return None;
    };
    let step = evaluate(unit, &l.step).filter(|_| !l.downward && is_sequential(l))?;
    Some((l.induction, step))
}

fn is_sequential(l: &Loop) -> bool {
    !l.is_distributed() && l.tile.is_none()
}

/// Whether the value is that of variables and numbers alone.
fn is_constant(e: &Expression) -> bool {
    typed_visit::all(e, &mut |e| {
        matches!(
            e.kind,
            ExpressionKind::Symbol(_)
                | ExpressionKind::Integer { .. }
                | ExpressionKind::Parenthesized(_)
                | ExpressionKind::Binary(..)
                | ExpressionKind::Convert(..)
        )
    })
}

/// Whether a statement runs from its beginning to its end, without loops and
/// without waiting.
fn is_straight(statement: &Statement) -> bool {
    let is_kind = matches!(
        statement.kind,
        StatementKind::Expression(_)
            | StatementKind::Declaration(_)
            | StatementKind::Block(_)
            | StatementKind::If(..)
    );
    let mut inner = true;
    visit::blocks(statement, &mut |list| inner &= list.iter().all(is_straight));
    is_kind && inner
}

/// How many operands statements have.
fn size(list: &[Statement]) -> usize {
    let mut count = 0;
    visit::expressions(list, &mut |_| count += 1);
    count
}
