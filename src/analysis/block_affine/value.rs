//! Values as polynomials over the pieces of thread numbers, rounds of loops
//! and what is the same in all threads.

use super::{Atom, Defeat, Frame, Interval, Piece, Polynomial, Term};
use crate::typed::{
    BinaryOperator, Builtin, Expression, ExpressionKind, SymbolId, SymbolKind, Type, UnaryOperator,
};

impl Frame<'_> {
    /// The polynomial of an integer expression.
    ///
    /// Signed arithmetic does not overflow in a valid program. Unsigned
    /// arithmetic and conversions may wrap at the width of their types, and
    /// the polynomial is right modulo that width; so it is followed into a
    /// wider type only where it is proved not to wrap.
    ///
    /// # Errors
    /// The part that has no such form.
    pub fn value(&mut self, e: &Expression) -> Result<Polynomial, Defeat> {
        let value = self.value_as_computed(e)?;
        self.whole_again(value)
            .ok_or_else(|| Defeat::new(e, "it is too long, or splits one index by two divisors"))
    }

    /// As [`Self::value`], possibly with both a thread's number and its
    /// quotients and remainders.
    pub(super) fn value_as_computed(&mut self, e: &Expression) -> Result<Polynomial, Defeat> {
        let value = self.within_limits(e, |frame| frame.computed_value(e));
        value.unwrap_or_else(|| Err(too_long(e)))
    }

    fn computed_value(&mut self, e: &Expression) -> Result<Polynomial, Defeat> {
        if self.is_integer(e)
            && let Some(number) = self.constant(e)
            && number.unsigned_abs() <= u64::MAX.into()
        {
            return Ok(Polynomial::constant(number));
        }
        match &e.kind {
            ExpressionKind::Symbol(symbol) => self.variable(*symbol, e),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary(UnaryOperator::Plus, inner) => self.value_as_computed(inner),
            ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
                self.converted(e, inner)
            }
            ExpressionKind::Unary(UnaryOperator::Minus, inner) => {
                let inner = self.value_as_computed(inner)?;
                inner.scaled(-1).ok_or_else(|| too_long(e))
            }
            // In two's complement.
            ExpressionKind::Unary(UnaryOperator::BitNot, inner) => {
                let inner = self.value_as_computed(inner)?;
                let negative = Polynomial::constant(-1).minus(&inner);
                negative.ok_or_else(|| too_long(e))
            }
            ExpressionKind::Binary(operator, a, b) => self.binary(e, *operator, a, b),
            _ => self.opaque(e),
        }
    }

    fn variable(&mut self, symbol: SymbolId, e: &Expression) -> Result<Polynomial, Defeat> {
        if let SymbolKind::Builtin(Builtin::ThreadIndex, axis) = self.unit.symbol(symbol).kind {
            let atom = Atom::Thread(axis as usize, Piece::Whole);
            return Ok(Polynomial::variable(self.term(atom)));
        }
        if let Some(tile) = self.tiles.iter().find(|tile| tile.induction == symbol) {
            let (axis, first, step) = (tile.axis, tile.first, tile.step);
            if step == 0 {
                let name = &self.unit.symbol(symbol).name;
                let reason = format!("the step of the loop over `{name}` is not a constant");
                return Err(Defeat::new(e, reason));
            }
            let thread = self.term(Atom::Thread(axis, Piece::Whole));
            let offset = Polynomial::variable(thread).scaled(step);
            let first = Polynomial::variable(Term::Invariant(first));
            return offset
                .and_then(|offset| offset.plus(&first))
                .ok_or_else(|| too_long(e));
        }
        if let Some(rounds) = self.rounds.get(&symbol).cloned() {
            let round = self.term(Atom::Round(symbol));
            let offset = Polynomial::variable(round).scaled(rounds.step);
            return offset
                .and_then(|offset| offset.plus(&rounds.lower))
                .ok_or_else(|| too_long(e));
        }
        if let Some(definition) = self.definitions.get(&symbol) {
            let definition = definition.clone();
            return self.value_as_computed(&definition);
        }
        if self.is_integer(e) && self.check_uniform(e).is_ok() {
            return Ok(Polynomial::variable(Term::Invariant(symbol)));
        }
        self.opaque(e)
    }

    /// A conversion keeps the value, or it is only known to be uniform.
    fn converted(&mut self, e: &Expression, inner: &Expression) -> Result<Polynomial, Defeat> {
        let types = &self.unit.types;
        let are_integers = types.is_integer(e.ty.ty)
            && types.is_integer(inner.ty.ty)
            && !matches!(types.get(e.ty.ty), Type::Bool);
        let is_wider = types.size(e.ty.ty) > types.size(inner.ty.ty);
        if are_integers && (!is_wider || self.is_exact(inner)) {
            return self.value_as_computed(inner);
        }
        self.opaque(e).map_err(|defeat| {
            let reason = match are_integers {
                true => "what differs between threads, and may wrap around, becomes wider",
                false => "what differs between threads is converted to a type that may not hold it",
            };
            match self.check_known(inner) {
                true => Defeat::new(e, reason),
                false => defeat,
            }
        })
    }

    /// Whether an operand as such has a form.
    fn check_known(&mut self, e: &Expression) -> bool {
        self.is_integer(e) && self.value_as_computed(e).is_ok()
    }

    fn binary(
        &mut self,
        e: &Expression,
        operator: BinaryOperator,
        a: &Expression,
        b: &Expression,
    ) -> Result<Polynomial, Defeat> {
        use BinaryOperator as B;
        if !self.is_integer(a) || !self.is_integer(b) {
            return self.opaque(e);
        }
        match operator {
            B::Add | B::Subtract | B::Multiply => {
                let left = self.value_as_computed(a)?;
                let right = self.value_as_computed(b)?;
                self.check_factors(operator, (a, &left), (b, &right))?;
                let result = match operator {
                    B::Add => left.plus(&right),
                    B::Subtract => left.minus(&right),
                    _ => left.times(&right),
                };
                result.ok_or_else(|| too_long(e))
            }
            B::ShiftLeft => self.shifted(e, a, b),
            B::BitAnd | B::BitOr | B::BitXor if self.constant(a).is_some() => {
                self.divided(e, operator, b, a)
            }
            B::ShiftRight | B::Divide | B::Remainder | B::BitAnd | B::BitOr | B::BitXor => {
                self.divided(e, operator, a, b)
            }
            _ => self.opaque(e),
        }
    }

    /// What differs between threads is multiplied by constants only.
    fn check_factors(
        &self,
        operator: BinaryOperator,
        (a, left): (&Expression, &Polynomial),
        (b, right): (&Expression, &Polynomial),
    ) -> Result<(), Defeat> {
        if operator != BinaryOperator::Multiply {
            return Ok(());
        }
        for (varying, factor, e) in [(left, right, b), (right, left, a)] {
            if self.has_thread(varying) && factor.as_constant().is_none() {
                let reason =
                    "a thread's index is multiplied by this, which is not a compile-time constant";
                return Err(Defeat::new(e, reason));
            }
        }
        Ok(())
    }

    fn shifted(
        &mut self,
        e: &Expression,
        a: &Expression,
        b: &Expression,
    ) -> Result<Polynomial, Defeat> {
        let Some(count @ 0..62) = self.constant(b) else {
            return self.opaque(e).map_err(|_| {
                let reason =
                    "a thread's index is shifted by this, which is not a compile-time constant";
                Defeat::new(b, reason)
            });
        };
        let value = self.value_as_computed(a)?;
        value.scaled(1 << count).ok_or_else(|| too_long(e))
    }

    /// A value that is no polynomial, but the same in all threads.
    pub(super) fn opaque(&mut self, e: &Expression) -> Result<Polynomial, Defeat> {
        self.check_uniform(e)?;
        let key = self.key(e);
        Ok(self.named(key, self.values_of(e.ty.ty)).0)
    }

    /// The variable of a polynomial for a value with this text, and whether it
    /// is a new one.
    pub(super) fn named(&mut self, key: String, interval: Interval) -> (Polynomial, bool) {
        let (number, is_new) = self.names.borrow_mut().opaque(key, interval);
        (Polynomial::variable(Term::Opaque(number)), is_new)
    }

    /// Whether a value differs between the threads of a block.
    pub fn has_thread(&self, value: &Polynomial) -> bool {
        let mut terms = value.terms().flat_map(|(product, _)| product);
        terms.any(|term| {
            matches!(term, Term::Iteration(number)
                if matches!(self.atom(*number), Some(Atom::Thread(..))))
        })
    }
}

pub(super) fn too_long(e: &Expression) -> Defeat {
    Defeat::new(e, "it is too long to be followed")
}
