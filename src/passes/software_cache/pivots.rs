//! Pivots from what the block has in common and the thread's own index.
//!
//! Where a window's pivot is a constant that the program computes of its iteration with
//! divisions, and is proved to be the window's first index and the number of the thread, it is
//! computed so: the divisions are then of numbers that all threads have.
//!
//! ```c
//! const int row = y - (y / 16 * 4 + 2);                           // before: blocks of 16
//! const int row = y_first - (y_first / 16 * 4 + 2) + threadIdx.y; // after
//! ```
//!
//! Polynomials are right modulo the width of an `int`, and so is the sum.

use indexmap::IndexMap;

use super::Pass;
use super::region::Held;
use super::shape::Side;
use crate::ir::{Kernel, Passing, Statement, StatementKind, visit};
use crate::typed::{
    self, Axis, BinaryOperator, Builtin, Expression, ExpressionKind, Initializer, IntegerKind,
    SymbolId, Type, Unit, synthesis,
};

/// What pivots are, by their variables.
pub(super) type Pivots = IndexMap<SymbolId, Expression>;

impl Pass<'_> {
    /// Notes of the pivots of a region's windows what else they are.
    pub(super) fn note_pivots(&mut self, held: &[Held]) {
        for window in held {
            for (dimension, side) in window.window.dimensions.iter().zip(&window.sides) {
                let Some(symbol) = dimension.pivot.as_symbol() else {
                    continue;
                };
                if !self.pivots.contains_key(&symbol)
                    && self.is_int(symbol)
                    && let Some(value) = self.of_first(&dimension.pivot, side)
                {
                    self.pivots.insert(symbol, value);
                }
            }
        }
    }

    fn is_int(&self, symbol: SymbolId) -> bool {
        let ty = self.unit.symbol(symbol).ty;
        let is_int = matches!(self.unit.types.get(ty.ty), Type::Integer(IntegerKind::Int));
        is_int && ty.qualifiers.is_const && !ty.qualifiers.is_volatile
    }

    /// The window's first index, and the thread's own where pivots differ.
    fn of_first(&mut self, pivot: &Expression, side: &Side) -> Option<Expression> {
        let int = synthesis::int(self.unit);
        if side.ty != int {
            return None;
        }
        let own = side.pivot.minus(&side.base)?;
        if own.as_constant() == Some(0) {
            return Some(side.first.clone());
        }
        let thread = self.lone_thread(&own)?;
        let thread = synthesis::symbol(self.unit, thread, pivot.span);
        Some(synthesis::binary(
            BinaryOperator::Add,
            side.first.clone(),
            thread,
            int,
        ))
    }
}

/// Puts the values in place of those that the program computes with divisions.
pub(super) fn compute(kernel: &mut Kernel, pivots: &Pivots, unit: &Unit) {
    if pivots.is_empty() {
        return;
    }
    let names = names(kernel, unit);
    let values = kernel.captures.iter();
    let values = values.filter(|c| c.passing == Passing::Value && !c.written);
    let mut known: Vec<SymbolId> = values.map(|capture| capture.symbol).collect();
    known.extend(Axis::ALL.map(|axis| unit.builtin(Builtin::ThreadIndex, axis)));
    let is_plain = |value: &Expression| {
        let mut is_plain = true;
        typed::visit::symbols(value, &mut |symbol| {
            is_plain &= has_own_name(symbol, &names, unit);
        });
        is_plain
    };
    let pivots = pivots.iter().filter(|(_, value)| is_plain(value));
    let pivots = pivots
        .map(|(symbol, value)| (*symbol, value.clone()))
        .collect();
    list(&mut kernel.body, &pivots, &mut known);
}

/// `known`: the variables that all threads have where the list stands.
fn list(statements: &mut [Statement], pivots: &Pivots, known: &mut Vec<SymbolId>) {
    for statement in statements {
        let before = known.len();
        match &mut statement.kind {
            StatementKind::Declaration(declared) => {
                for declaration in declared {
                    if let Some(value) = pivots.get(&declaration.symbol)
                        && let Some(Initializer::Expression(own)) = &mut declaration.initializer
                        && divides(own)
                        && is_known(value, known)
                    {
                        own.clone_from(value);
                    }
                }
            }
            StatementKind::Loop(l) => known.extend(l.tile.iter().map(|tile| tile.first)),
            _ => {}
        }
        visit::blocks_mut(statement, &mut |body| list(body, pivots, known));
        known.truncate(before);
    }
}

/// Whether a value is computed with divisions, which cost more than what is in their place.
fn divides(e: &Expression) -> bool {
    typed::visit::any(e, &mut |e| {
        matches!(
            e.kind,
            ExpressionKind::Binary(
                BinaryOperator::Divide | BinaryOperator::Remainder | BinaryOperator::ShiftRight,
                ..
            )
        )
    })
}

/// Whether all variables of an expression have their values.
fn is_known(e: &Expression, known: &[SymbolId]) -> bool {
    let is_read = |e: &Expression| match &e.kind {
        ExpressionKind::Symbol(symbol) => known.contains(symbol),
        ExpressionKind::Integer { .. }
        | ExpressionKind::Parenthesized(_)
        | ExpressionKind::Convert(..)
        | ExpressionKind::Cast(_)
        | ExpressionKind::Binary(..) => true,
        _ => false,
    };
    typed::visit::all(e, &mut |e| is_read(e))
}

/// The variables of a kernel, with their names.
fn names<'u>(kernel: &Kernel, unit: &'u Unit) -> Vec<(SymbolId, &'u str)> {
    let mut declared = visit::declared(&kernel.body);
    visit::loops(&kernel.body, &mut |l| {
        declared.push(l.induction);
        declared.extend(l.tile.iter().map(|tile| tile.first));
    });
    let named = declared.into_iter();
    named
        .map(|symbol| (symbol, unit.symbol(symbol).name.as_str()))
        .collect()
}

/// Whether no other variable of a kernel has the name of this one.
pub(super) fn is_named_alone(symbol: SymbolId, kernel: &Kernel, unit: &Unit) -> bool {
    has_own_name(symbol, &names(kernel, unit), unit)
}

/// Variables that have their name alone in a kernel.
fn has_own_name(symbol: SymbolId, names: &[(SymbolId, &str)], unit: &Unit) -> bool {
    let name = &unit.symbol(symbol).name;
    names
        .iter()
        .all(|(other, known)| *other == symbol || *known != name.as_str())
}
