//! Quotients and remainders by constants.
//!
//! With `p = u + M·q + r`, where `u` is the same in all threads and a multiple
//! of `M`, and `0 <= r < M`: `p / M` is `u / M + q`, and `p % M` is `r`. Where
//! a block is wider than `M`, the thread's number itself is split.

use super::cases::quotient_facts;
use super::value::too_long;
use super::{Atom, Defeat, Frame, Interval, Piece, Polynomial, Term};
use crate::analysis::polynomial::gcd;
use crate::typed::{BinaryOperator, Expression};

/// Masks up to here; coefficients are no larger.
const MOST_MASK: i128 = 1 << 62;

/// A polynomial by what its parts mean for a division.
struct Parts {
    /// The same in all threads.
    uniform: Polynomial,
    /// A multiple of the divisor, divided by it.
    multiple: Polynomial,
    /// The rest.
    rest: Polynomial,
}

impl Frame<'_> {
    /// `a >> n`, `a / c`, `a % c`, `a & (2^n - 1)`, `a & -2^n`,
    /// `a | (2^n - 1)` and `a ^ (2^n - 1)`.
    pub(super) fn divided(
        &mut self,
        e: &Expression,
        operator: BinaryOperator,
        a: &Expression,
        b: &Expression,
    ) -> Result<Polynomial, Defeat> {
        use BinaryOperator as B;
        let Ok(operand) = self.value_as_computed(a) else {
            return self.opaque(e);
        };
        if operand.iterations().is_empty() {
            return self.divided_alike(e, operator, &operand, (a, b));
        }
        let number = self.constant(b);
        let (divisor, wants_quotient) = match (operator, number) {
            (B::ShiftRight, Some(count @ 0..62)) => (1 << count, true),
            (B::Divide, Some(divisor @ 1..)) => (divisor, true),
            (B::Remainder, Some(divisor @ 1..)) => (divisor, false),
            (B::BitAnd, Some(mask @ 0..MOST_MASK)) if is_power(mask + 1) => (mask + 1, false),
            (B::BitAnd, Some(mask)) if mask < 0 && mask > -MOST_MASK && is_power(-mask) => {
                let (quotient, _) = self.split((e, a), &operand, -mask)?;
                let product = quotient.scaled(-mask);
                return product.ok_or_else(|| too_long(e));
            }
            // The last bits are set, or turned round.
            (B::BitOr | B::BitXor, Some(mask @ 0..MOST_MASK)) if is_power(mask + 1) => {
                let (quotient, remainder) = self.split((e, a), &operand, mask + 1)?;
                let bits = match operator {
                    B::BitOr => Some(Polynomial::constant(mask)),
                    _ => Polynomial::constant(mask).minus(&remainder),
                };
                let product = quotient.scaled(mask + 1);
                let sum = product
                    .zip(bits)
                    .and_then(|(product, bits)| product.plus(&bits));
                return sum.ok_or_else(|| too_long(e));
            }
            _ => {
                let what = operator.spelling();
                let reason = format!("`{what}` by what is not a suitable constant is not followed");
                return Err(Defeat::new(b, reason));
            }
        };
        let truncates = matches!(operator, B::Divide | B::Remainder);
        if truncates && self.unit.types.is_signed(a.ty.ty) && !self.is_proved(&operand, &[]) {
            let reason = "this may be negative, where division rounds towards zero";
            return Err(Defeat::new(a, reason));
        }
        let (quotient, remainder) = self.split((e, a), &operand, divisor)?;
        Ok(if wants_quotient { quotient } else { remainder })
    }

    /// A quotient or remainder that is the same in all threads. Where it is
    /// rounded down it has the name of one that [`Self::split`] finds.
    fn divided_alike(
        &mut self,
        e: &Expression,
        operator: BinaryOperator,
        operand: &Polynomial,
        (a, b): (&Expression, &Expression),
    ) -> Result<Polynomial, Defeat> {
        use BinaryOperator as B;
        let number = self.constant(b);
        let (by, wants_quotient) = match (operator, number) {
            (B::ShiftRight, Some(count @ 0..62)) => (1 << count, true),
            (B::Divide, Some(by @ 1..)) => (by, true),
            (B::Remainder, Some(by @ 1..)) => (by, false),
            (B::BitAnd, Some(mask @ 0..MOST_MASK)) if is_power(mask + 1) => (mask + 1, false),
            _ => return self.opaque(e),
        };
        self.check_uniform(e)?;
        if !self.is_exact(a) {
            return self.opaque(e);
        }
        let truncates =
            matches!(operator, B::Divide | B::Remainder) && self.unit.types.is_signed(a.ty.ty);
        let shows_natural = self.least(operand).is_some_and(|least| least >= 0);
        if truncates && !shows_natural {
            let named = self.opaque(e)?;
            if self.is_proved(operand, &[]) {
                let facts = match wants_quotient {
                    true => quotient_facts(operand, &named, by).map(Vec::from),
                    false => Polynomial::constant(by - 1)
                        .minus(&named)
                        .map(|below| vec![named.clone(), below]),
                };
                self.learn(facts.into_iter().flatten().collect(), false);
            }
            return Ok(named);
        }
        let operand = self.in_whole_tiles(operand).ok_or_else(|| too_long(e))?;
        Ok(match wants_quotient {
            true => self.quotient(&operand, by),
            false => self.remainder(&operand, by),
        })
    }

    /// Quotient (rounded down) and remainder of a polynomial.
    fn split(
        &mut self,
        (e, operand): (&Expression, &Expression),
        value: &Polynomial,
        by: i128,
    ) -> Result<(Polynomial, Polynomial), Defeat> {
        let value = self.in_whole_tiles(value).ok_or_else(|| too_long(e))?;
        let parts = self.parts(&value, by).ok_or_else(|| too_long(e))?;
        if !self.is_exact(operand)
            && (!is_power(by)
                || parts.multiple != Polynomial::default()
                || !parts.uniform.terms().all(|(_, c)| c % by == 0))
        {
            let reason = "this may wrap around, and is divided";
            return Err(Defeat::new(operand, reason));
        }
        let known = self.divisor(&parts.uniform);
        let is_multiple = |of: i128| of != 0 && known % of == 0;
        let (low, high) = self
            .range(&parts.rest)
            .ok_or_else(|| Defeat::new(e, "the block's size is not a compile-time constant"))?;
        let sum = |a: &Polynomial, b: &Polynomial| a.plus(b).ok_or_else(|| too_long(e));
        // The rest stays below the next multiple of what divides the uniform
        // part.
        let room = if known == 0 { by } else { gcd(known, by) };
        if low >= 0 && high < room {
            let quotient = self.quotient(&parts.uniform, by);
            let remainder = self.remainder(&parts.uniform, by);
            return Ok((
                sum(&quotient, &parts.multiple)?,
                sum(&remainder, &parts.rest)?,
            ));
        }
        // `c·t`, where `c` divides the divisor, is `by` times a quotient of `t`
        // and `c` times the remainder.
        if is_multiple(by)
            && let Some((axis, factor)) = self.lone_thread(&parts.rest)
            && by % factor == 0
            && self.block[axis].is_some_and(|extent| extent % (by / factor) == 0)
        {
            let quotient = self.quotient(&parts.uniform, by);
            let by = by / factor;
            let split = Polynomial::variable(self.term(Atom::Thread(axis, Piece::Quotient(by))));
            let rest = Polynomial::variable(self.term(Atom::Thread(axis, Piece::Remainder(by))));
            let rest = rest.scaled(factor).ok_or_else(|| too_long(e))?;
            return Ok((sum(&sum(&quotient, &parts.multiple)?, &split)?, rest));
        }
        Err(Defeat::new(e, self.why_not(&parts, known, by)))
    }

    fn why_not(&self, parts: &Parts, known: i128, by: i128) -> String {
        if known != 0 && known % by != 0 {
            format!(
                "the index of a block's first thread is not known to be a multiple of {by} here"
            )
        } else if let Some((axis, 1)) = self.lone_thread(&parts.rest)
            && let Some(extent) = self.block[axis]
        {
            format!("{by} does not divide the block's {extent} threads")
        } else {
            format!("it is not known on which side of a multiple of {by} a thread is")
        }
    }

    fn parts(&self, value: &Polynomial, by: i128) -> Option<Parts> {
        let mut parts = Parts {
            uniform: Polynomial::default(),
            multiple: Polynomial::default(),
            rest: Polynomial::default(),
        };
        for (product, coefficient) in value.terms() {
            let varies = product.iter().any(|t| matches!(t, Term::Iteration(_)));
            let (slot, coefficient) = match varies {
                false => (&mut parts.uniform, coefficient),
                true if coefficient % by == 0 => (&mut parts.multiple, coefficient / by),
                true => (&mut parts.rest, coefficient),
            };
            let mut term = Polynomial::constant(coefficient);
            for factor in product {
                term = term.times(&Polynomial::variable(*factor))?;
            }
            *slot = slot.plus(&term)?;
        }
        Some(parts)
    }

    /// The axis and the factor of a polynomial that is just a thread's number
    /// times a positive factor.
    fn lone_thread(&self, value: &Polynomial) -> Option<(usize, i128)> {
        let mut terms = value.terms();
        let (Some(([Term::Iteration(number)], factor @ 1..)), None) = (terms.next(), terms.next())
        else {
            return None;
        };
        match self.atom(*number)? {
            Atom::Thread(axis, Piece::Whole) => Some((axis, factor)),
            _ => None,
        }
    }

    /// With the first iterations of tiles as multiples of the tiles' sizes.
    pub(super) fn in_whole_tiles(&self, value: &Polynomial) -> Option<Polynomial> {
        let mut value = value.clone();
        for tile in &self.tiles {
            if let Some(first) = &tile.first_value {
                value = value.substitute(Term::Invariant(tile.first), first)?;
            }
        }
        Some(value)
    }

    /// `u / by`, rounded down.
    fn quotient(&mut self, uniform: &Polynomial, by: i128) -> Polynomial {
        if let Some(number) = uniform.as_constant() {
            return Polynomial::constant(number.div_euclid(by));
        }
        let whole = self.in_whole_tiles(uniform);
        let quotients = [Some(uniform), whole.as_ref()].into_iter().flatten();
        if let Some(quotient) = quotients.filter_map(|u| u.divided_by(by)).next() {
            return quotient;
        }
        let (named, is_new) = self.named(format!("{uniform:?} / {by}"), Interval::ALL);
        if is_new && let Some(facts) = quotient_facts(uniform, &named, by) {
            self.names.borrow_mut().facts.extend(facts);
        }
        named
    }

    /// `u - by * (u / by)`.
    fn remainder(&mut self, uniform: &Polynomial, by: i128) -> Polynomial {
        let known = self.divisor(uniform);
        match uniform.as_constant() {
            Some(number) => Polynomial::constant(number.rem_euclid(by)),
            None if known % by == 0 => Polynomial::default(),
            None => {
                let limits = Interval::between(0, by - 1);
                self.named(format!("{uniform:?} % {by}"), limits).0
            }
        }
    }

    /// A number that divides a uniform value; 0 for the value 0.
    pub(super) fn divisor(&self, value: &Polynomial) -> i128 {
        value
            .terms()
            .fold(0, |divisor, (_, coefficient)| gcd(divisor, coefficient))
    }

    /// Writes the number of a thread as `M·q + r` where the polynomial has
    /// `q` or `r` too, so that all its variables are independent.
    pub(super) fn whole_again(&mut self, value: Polynomial) -> Option<Polynomial> {
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
                let quotient =
                    Polynomial::variable(self.term(Atom::Thread(axis, Piece::Quotient(by))));
                let rest =
                    Polynomial::variable(self.term(Atom::Thread(axis, Piece::Remainder(by))));
                let split = quotient.scaled(by)?.plus(&rest)?;
                value = value.substitute(whole, &split)?;
            }
        }
        Some(value)
    }
}

fn is_power(number: i128) -> bool {
    number > 0 && number & (number - 1) == 0
}
