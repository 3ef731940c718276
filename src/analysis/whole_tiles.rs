//! Loops of which a block always has a whole tile: the iterations are a multiple of its threads.
//!
//! ```c
//! const int threads = (rows + 11) / 12 * 16;
//! for (int y = 0; y < threads; y++)                   // blocks of 16: whole tiles
//! for (int n = 0; n < (bottom - top + 1) * 16; n++)   // the same
//! ```
//!
//! A tile begins a multiple of the block's threads above the first iteration. If it is below
//! the bound, which is another multiple, so are all its threads. Signed operations do not
//! overflow in C; what others cut off is a multiple of the powers of two that are left.

use super::polynomial::gcd;
use crate::ir::{BlockExtent, Kernel, Loop, Relation, is_literal};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, Type, TypeId, Unit, constant, visit,
};

/// Greater divisors are of no use.
const MOST: i128 = 1 << 32;
/// How many constants are looked up behind each other.
const MOST_DEFINITIONS: usize = 8;

/// Whether each thread of a block has an iteration in every tile of a loop that the block walks.
pub fn has_whole_tiles(l: &Loop, kernel: &Kernel, unit: &Unit) -> bool {
    let is_plain = l.tile.is_some_and(|tile| tile.count.is_none())
        && !l.downward
        && l.relation == Relation::Less
        && is_literal(&l.step, 1);
    let is_signed = |ty: TypeId| unit.types.is_signed(ty);
    let types = [unit.symbol(l.induction).ty.ty, l.lower.ty.ty, l.bound.ty.ty];
    let Some(threads) = threads_along(l, kernel) else {
        return false;
    };
    let known = Known {
        kernel,
        unit,
        definitions: MOST_DEFINITIONS,
    };
    let divides = |e: &Expression| known.divisor(e) % threads == 0;
    is_plain && types.into_iter().all(is_signed) && divides(&l.lower) && divides(&l.bound)
}

/// How many threads of a block share the loop.
fn threads_along(l: &Loop, kernel: &Kernel) -> Option<i128> {
    let block = kernel.block.as_ref()?;
    let mut shared = (block.iter().zip(l.threads())).filter(|(_, is_used)| *is_used);
    match (shared.next(), shared.next()) {
        (Some((BlockExtent::Constant(n), _)), None) if *n > 0 => Some(i128::from(*n)),
        _ => None,
    }
}

/// What is known of the variables of a kernel.
#[derive(Clone, Copy)]
struct Known<'k> {
    kernel: &'k Kernel,
    unit: &'k Unit,
    /// How many constants may still be looked up.
    definitions: usize,
}

impl Known<'_> {
    /// A number that divides an integer, whatever its variables are; 0 of the number 0.
    fn divisor(self, e: &Expression) -> i128 {
        let ty = e.ty.ty;
        if !matches!(self.unit.types.get(ty), Type::Integer(_)) {
            return 1;
        }
        if let Some(value) = constant::evaluate(self.unit, e) {
            return useful(value.checked_abs()).unwrap_or(1);
        }
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => self.divisor(inner),
            ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
                self.wrapped(self.divisor(inner), ty)
            }
            ExpressionKind::Binary(operator, a, b) => {
                let (a, b) = (self.divisor(a), self.divisor(b));
                let exact = match operator {
                    BinaryOperator::Multiply => useful(a.checked_mul(b)).unwrap_or(a.max(b)),
                    BinaryOperator::Add | BinaryOperator::Subtract => gcd(a, b),
                    _ => 1,
                };
                match self.unit.types.is_signed(ty) {
                    true => exact,
                    false => self.wrapped(exact, ty),
                }
            }
            ExpressionKind::Symbol(symbol) => self.of_constant(*symbol).unwrap_or(1),
            _ => 1,
        }
    }

    /// What still divides a number that was cut to its type.
    fn wrapped(self, divisor: i128, ty: TypeId) -> i128 {
        let bytes = self.unit.types.size(ty).unwrap_or(0);
        let bits = u32::try_from(bytes * 8).unwrap_or(0);
        match divisor {
            0 => 0,
            n => 1 << n.trailing_zeros().min(bits),
        }
    }

    /// The same of the value of a constant that the function around the kernel declares.
    fn of_constant(self, symbol: SymbolId) -> Option<i128> {
        let variable = self.unit.symbol(symbol);
        let qualifiers = variable.ty.qualifiers;
        if !qualifiers.is_const || qualifiers.is_volatile || !variable.is_automatic() {
            return None;
        }
        let inner = Self {
            definitions: self.definitions.checked_sub(1)?,
            ..self
        };
        let function = self.unit.index.function(self.kernel.function)?;
        let function = self.unit.functions.get(function)?;
        let mut found = None;
        visit::declarations(&function.body, &mut |declaration| {
            if declaration.symbol == symbol {
                found = declaration.value().map(|value| inner.divisor(value));
            }
        });
        found
    }
}

fn useful(divisor: Option<i128>) -> Option<i128> {
    divisor.filter(|n| *n <= MOST)
}
