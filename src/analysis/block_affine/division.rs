//! Quotients and remainders by constants.
//!
//! With `p = u + M·q + r`, where `u` is the same in all threads and a multiple
//! of `M`, and `0 <= r < M`: `p / M` is `u / M + q`, and `p % M` is `r`. Where
//! a block is wider than `M`, the thread's number itself is split.

use super::value::too_long;
use super::{Affine, Atom, Defeat, Frame, Piece, Term};
use crate::typed::{BinaryOperator, Expression, Type, Unit, constant};

/// The greatest common divisor; of 0 and a number, the number.
pub(super) fn common(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A polynomial by what its parts mean for a division.
struct Parts {
    /// The same in all threads.
    uniform: Affine,
    /// A multiple of the divisor, divided by it.
    multiple: Affine,
    /// The rest.
    rest: Affine,
}

impl Frame {
    /// `a >> n`, `a / c`, `a % c`, `a & (2^n - 1)` and `a & -2^n`.
    pub(super) fn divided(
        &mut self,
        e: &Expression,
        operator: BinaryOperator,
        a: &Expression,
        b: &Expression,
        unit: &Unit,
    ) -> Result<Affine, Defeat> {
        use BinaryOperator as B;
        let operand = match self.value_as_computed(a, unit) {
            Ok(operand) if !operand.iterations().is_empty() => operand,
            _ => return self.opaque(e, unit),
        };
        let number = constant::evaluate(unit, b);
        let (divisor, wants_quotient) = match (operator, number) {
            (B::ShiftRight, Some(count @ 0..62)) => (1 << count, true),
            (B::Divide, Some(divisor @ 1..)) => (divisor, true),
            (B::Remainder, Some(divisor @ 1..)) => (divisor, false),
            (B::BitAnd, Some(mask)) if mask >= 0 && is_power(mask + 1) => (mask + 1, false),
            (B::BitAnd, Some(mask)) if mask < 0 && is_power(-mask) => {
                let (quotient, _) = self.split(e, &operand, -mask)?;
                let product = quotient.times(&Affine::constant(-mask));
                return product.ok_or_else(|| too_long(e));
            }
            _ => {
                let what = operator.spelling();
                let reason = format!("`{what}` by what is not a suitable constant is not followed");
                return Err(Defeat::new(b, reason));
            }
        };
        let truncates = matches!(operator, B::Divide | B::Remainder);
        if truncates && is_signed(unit, a) && !self.is_natural(&operand) {
            let reason = "this may be negative, where division rounds towards zero";
            return Err(Defeat::new(a, reason));
        }
        let (quotient, remainder) = self.split(e, &operand, divisor)?;
        Ok(if wants_quotient { quotient } else { remainder })
    }

    /// Quotient (rounded down) and remainder of a polynomial.
    fn split(
        &mut self,
        e: &Expression,
        value: &Affine,
        by: i128,
    ) -> Result<(Affine, Affine), Defeat> {
        let parts = self.parts(value, by).ok_or_else(|| too_long(e))?;
        let known = self.divisor(&parts.uniform);
        let is_multiple = |of: i128| of != 0 && known % of == 0;
        let (low, high) = self
            .range(&parts.rest)
            .ok_or_else(|| Defeat::new(e, "the block's size is not a compile-time constant"))?;
        let sum = |a: &Affine, b: &Affine| a.plus(b).ok_or_else(|| too_long(e));
        // The rest stays below the next multiple of what divides the uniform
        // part.
        let room = if known == 0 { by } else { common(known, by) };
        if low >= 0 && high < room {
            let quotient = self.quotient(&parts.uniform, by);
            let remainder = self.remainder(&parts.uniform, by);
            return Ok((
                sum(&quotient, &parts.multiple)?,
                sum(&remainder, &parts.rest)?,
            ));
        }
        if is_multiple(by)
            && let Some(axis) = self.lone_thread(&parts.rest)
            && self.block[axis].is_some_and(|extent| extent % by == 0)
        {
            let quotient = self.quotient(&parts.uniform, by);
            let split = Affine::variable(self.term(Atom::Thread(axis, Piece::Quotient(by))));
            let rest = Affine::variable(self.term(Atom::Thread(axis, Piece::Remainder(by))));
            return Ok((sum(&sum(&quotient, &parts.multiple)?, &split)?, rest));
        }
        Err(Defeat::new(e, self.why_not(&parts, known, by)))
    }

    fn why_not(&self, parts: &Parts, known: i128, by: i128) -> String {
        if known != 0 && known % by != 0 {
            format!(
                "the index of a block's first thread is not known to be a multiple of {by} here"
            )
        } else if let Some(axis) = self.lone_thread(&parts.rest)
            && let Some(extent) = self.block[axis]
        {
            format!("{by} does not divide the block's {extent} threads")
        } else {
            format!("it is not known on which side of a multiple of {by} a thread is")
        }
    }

    fn parts(&self, value: &Affine, by: i128) -> Option<Parts> {
        let mut parts = Parts {
            uniform: Affine::default(),
            multiple: Affine::default(),
            rest: Affine::default(),
        };
        for (product, coefficient) in value.terms() {
            let varies = product.iter().any(|t| matches!(t, Term::Iteration(_)));
            let (slot, coefficient) = match varies {
                false => (&mut parts.uniform, coefficient),
                true if coefficient % by == 0 => (&mut parts.multiple, coefficient / by),
                true => (&mut parts.rest, coefficient),
            };
            let mut term = Affine::constant(coefficient);
            for factor in product {
                term = term.times(&Affine::variable(*factor))?;
            }
            *slot = slot.plus(&term)?;
        }
        Some(parts)
    }

    /// The axis of a polynomial that is just a thread's number.
    fn lone_thread(&self, value: &Affine) -> Option<usize> {
        let mut terms = value.terms();
        let (Some(([Term::Iteration(number)], 1)), None) = (terms.next(), terms.next()) else {
            return None;
        };
        match self.atom(*number)? {
            Atom::Thread(axis, Piece::Whole) => Some(axis),
            _ => None,
        }
    }

    /// `u / by`, rounded down.
    fn quotient(&mut self, uniform: &Affine, by: i128) -> Affine {
        match uniform.as_constant() {
            Some(number) => Affine::constant(number.div_euclid(by)),
            None => self.named(format!("{uniform:?} / {by}")),
        }
    }

    /// `u - by * (u / by)`.
    fn remainder(&mut self, uniform: &Affine, by: i128) -> Affine {
        let known = self.divisor(uniform);
        match uniform.as_constant() {
            Some(number) => Affine::constant(number.rem_euclid(by)),
            None if known % by == 0 => Affine::default(),
            None => self.named(format!("{uniform:?} % {by}")),
        }
    }

    /// A number that divides a uniform value; 0 for the value 0.
    fn divisor(&self, value: &Affine) -> i128 {
        let mut divisor = 0;
        for (product, coefficient) in value.terms() {
            let mut own = coefficient;
            for factor in product {
                let factor = match factor {
                    Term::Invariant(symbol) => self
                        .tiles
                        .iter()
                        .find(|tile| tile.first == *symbol)
                        .map_or(1, |tile| tile.divisor),
                    _ => 1,
                };
                own = own.saturating_mul(factor);
            }
            divisor = common(divisor, own);
        }
        divisor
    }

    /// Whether a value is never negative, as far as each of its terms shows.
    fn is_natural(&self, value: &Affine) -> bool {
        value.terms().all(|(product, coefficient)| {
            coefficient >= 0
                && product.iter().all(|factor| match factor {
                    Term::Iteration(_) => true,
                    Term::Invariant(symbol) => self
                        .tiles
                        .iter()
                        .any(|tile| tile.first == *symbol && tile.is_natural),
                    Term::Opaque(_) => false,
                })
        })
    }

    /// Writes the number of a thread as `M·q + r` where the polynomial has
    /// `q` or `r` too, so that all its variables are independent.
    pub(super) fn whole_again(&mut self, value: Affine) -> Option<Affine> {
        let mut splits: [Option<i128>; 3] = [None; 3];
        for number in value.iterations() {
            if let Some(Atom::Thread(axis, Piece::Quotient(by) | Piece::Remainder(by))) =
                self.atom(number)
            {
                if splits[axis].is_some_and(|known| known != by) {
                    return None;
                }
                splits[axis] = Some(by);
            }
        }
        let mut value = value;
        for (axis, by) in splits.into_iter().enumerate() {
            if let Some(by) = by {
                let whole = self.term(Atom::Thread(axis, Piece::Whole));
                let quotient = Affine::variable(self.term(Atom::Thread(axis, Piece::Quotient(by))));
                let rest = Affine::variable(self.term(Atom::Thread(axis, Piece::Remainder(by))));
                let split = quotient.times(&Affine::constant(by))?.plus(&rest)?;
                value = value.substitute(whole, &split)?;
            }
        }
        Some(value)
    }
}

fn is_power(number: i128) -> bool {
    number > 0 && number & (number - 1) == 0
}

fn is_signed(unit: &Unit, e: &Expression) -> bool {
    match unit.types.get(e.ty.ty) {
        Type::Integer(kind) => kind.is_signed(),
        _ => false,
    }
}
