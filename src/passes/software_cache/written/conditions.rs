//! Conditions of slots, as the copy of slots tests them.

use super::accesses::Guard;
use super::inverse::Inverted;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::ir::{Loop, Relation, is_literal};
use crate::passes::software_cache::region::Held;
use crate::passes::software_cache::shape::plus;
use crate::passes::software_cache::{Pass, pivots};
use crate::typed::{BinaryOperator, Expression, IntegerKind, SymbolId, Type, TypeId, synthesis};

/// Bytes of an `int`.
const INT_BYTES: u64 = 4;
/// Constants beside variables are no larger.
const MOST: i128 = 1 << 30;

impl Pass<'_> {
    /// Whether a thread has an iteration of a loop: the loop's own comparison.
    pub(super) fn has_iteration(
        &self,
        l: &Loop,
        thread: &Polynomial,
        inverted: &Inverted,
        numbers: &[SymbolId],
    ) -> Option<Expression> {
        let int = synthesis::int(self.unit);
        let symbol = |symbol| synthesis::symbol(self.unit, symbol, l.header);
        let mut terms = thread.terms().filter(|(product, _)| !product.is_empty());
        let (Some(([own], factor @ (1 | -1))), None) = (terms.next(), terms.next()) else {
            return None;
        };
        let depth = inverted.numbers.iter().position(|number| number == own)?;
        let (number, far) = (symbol(numbers[depth]), thread.coefficient_of(&[]));
        let thread = match factor {
            1 => plus(self.unit, number, far, int),
            _ => {
                let far = synthesis::integer(far, int, l.header);
                synthesis::binary(BinaryOperator::Subtract, far, number, int)
            }
        };
        let compared = |operator, a, b| Some(synthesis::binary(operator, a, b, int));
        let sum = |operator, first: SymbolId, far: Expression| {
            let first = symbol(first);
            let ty = first.ty.ty;
            synthesis::binary(operator, first, far, ty)
        };
        let tile = l.tile?;
        if let Some(count) = tile.count {
            let number = sum(BinaryOperator::Add, count.tile, thread);
            return compared(BinaryOperator::Less, number, symbol(count.trips));
        }
        let thread = match is_literal(&l.step, 1) {
            true => thread,
            false => synthesis::binary(BinaryOperator::Multiply, l.step.clone(), thread, int),
        };
        let (operator, relation) = match l.downward {
            false => (BinaryOperator::Add, BinaryOperator::Less),
            true => (BinaryOperator::Subtract, BinaryOperator::Greater),
        };
        let relation = match l.relation {
            Relation::NotEqual => relation,
            other => other.operator(),
        };
        compared(relation, sum(operator, tile.first, thread), l.bound.clone())
    }

    /// A comparison of an element's index with a variable, or a number.
    pub(super) fn comparison(
        &mut self,
        guard: &Guard,
        inverted: &Inverted,
        held: &Held,
    ) -> Option<Expression> {
        use BinaryOperator as B;
        let mut depths = (0..held.sides.len())
            .filter(|depth| guard.value.coefficient(inverted.numbers[*depth]) != Some(0));
        let (Some(depth), None) = (depths.next(), depths.next()) else {
            return None;
        };
        let side = &held.sides[depth];
        let number = Polynomial::variable(inverted.numbers[depth]);
        let index = number.plus(&side.base)?;
        let bytes = self.unit.types.size(side.ty)?;
        let is_index = |(value, own): &(Polynomial, u64)| *value == index && *own <= bytes;
        guard.computed.iter().any(is_index).then_some(())?;
        let symbol = self.slot_indices(&held.sides)[depth];
        let term = Term::Invariant(symbol);
        let own = Polynomial::variable(term).minus(&side.base)?;
        let value = guard.value.substitute(inverted.numbers[depth], &own)?;
        let (mut rest, mut limit) = (0, None);
        let is_above = value.coefficient(term)? > 0;
        for (product, factor) in value.terms() {
            match product {
                [] => rest = factor,
                [own] if *own == term && factor.abs() == 1 => {}
                [Term::Invariant(other)]
                    if limit.is_none() && factor == if is_above { -1 } else { 1 } =>
                {
                    limit = Some(*other);
                }
                _ => return None,
            }
        }
        let span = held.window.span;
        let (int, long) = (synthesis::int(self.unit), self.long());
        let index = synthesis::symbol(self.unit, symbol, span);
        let compare = |operator, limit| Some(synthesis::binary(operator, index, limit, int));
        let (at_most, below) = if is_above {
            (B::GreaterEqual, B::Greater)
        } else {
            (B::LessEqual, B::Less)
        };
        // `limit + rest >= index`, or `limit - rest <= index`.
        let far = if is_above { -rest } else { rest };
        let Some(limit) = limit else {
            i32::try_from(far).ok()?;
            return compare(at_most, synthesis::integer(far, int, span));
        };
        let variable = self.unit.symbol(limit).ty;
        let is_plain = self.unit.types.is_signed(variable.ty)
            && !variable.qualifiers.is_volatile
            && pivots::is_named_alone(limit, self.kernel, self.unit);
        is_plain.then_some(())?;
        let limit = synthesis::symbol(self.unit, limit, span);
        match rest {
            0 => compare(at_most, limit),
            -1 => compare(below, limit),
            _ if self.unit.types.size(variable.ty)? > INT_BYTES || far.abs() > MOST => None,
            // In 64 bits, which hold it.
            ..-1 => compare(
                below,
                plus(
                    self.unit,
                    synthesis::cast(limit, long),
                    if is_above { far - 1 } else { far + 1 },
                    long,
                ),
            ),
            _ => compare(
                at_most,
                plus(self.unit, synthesis::cast(limit, long), far, long),
            ),
        }
    }

    fn long(&self) -> TypeId {
        self.unit.types.intern(Type::Integer(IntegerKind::Long))
    }
}
