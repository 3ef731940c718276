//! Arithmetic of bit-fields that are wider than `int`.
//!
//! C leaves their type in expressions open (C11 6.3.1.1, 6.7.2.1). GCC computes with as many bits as
//! they have, clang and C++ in the type that they are declared with:
//!
//! ```c
//! struct { unsigned long a : 40; } s;
//! s.a << 8             // in C++, as GCC has it: s.a << 8 & 1099511627775
//! ```
//! Overflow of those with a sign is undefined, so nothing is to be done for them.

use super::Analyser;
use super::operator::Operation;
use crate::source::Span;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, TypeId, constant};

impl Analyser<'_> {
    /// Of how many bits the type of an expression is, if that is the type of a bit-field without
    /// a sign that is wider than `int`.
    pub(super) fn bits(&self, e: &Expression) -> Option<u32> {
        if self.widens_bit_fields {
            return None;
        }
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => self.bits(inner),
            ExpressionKind::Assign(target, _) | ExpressionKind::CompoundAssign { target, .. } => {
                self.bits(target)
            }
            ExpressionKind::Unary(operator, target) if operator.is_step() => self.bits(target),
            ExpressionKind::Member { .. } => {
                let width = self.bit_field_width(e)?;
                let is_signed = self.unit.types.is_signed(e.ty.ty);
                (!is_signed && (33..64).contains(&width)).then_some(width)
            }
            _ => self.of_bit_fields.get(&e.span).copied(),
        }
    }

    /// The same of an operation's result.
    pub(super) fn bits_of(&self, of: &Operation) -> Option<Bits> {
        use BinaryOperator as B;
        let (left, right) = (&of.left, &of.right);
        let count = match of.operator {
            B::ShiftLeft | B::ShiftRight => self.bits(left),
            B::Add | B::Subtract | B::Multiply | B::Divide | B::Remainder => {
                self.common_bits(left, right)
            }
            B::BitAnd | B::BitXor | B::BitOr => self.common_bits(left, right),
            _ => None,
        };
        let has_more = match of.operator {
            B::Add | B::Subtract | B::Multiply | B::ShiftLeft => true,
            B::BitXor | B::BitOr => self.may_be_negative(left) || self.may_be_negative(right),
            _ => false,
        };
        count.map(|count| Bits { count, has_more })
    }

    /// The same of a value that is one of two.
    pub(super) fn bits_of_choice(&self, one: &Expression, other: &Expression) -> Option<Bits> {
        let has_more = self.may_be_negative(one) || self.may_be_negative(other);
        let count = self.common_bits(one, other);
        count.map(|count| Bits { count, has_more })
    }

    /// The same of the common type of two operands.
    fn common_bits(&self, left: &Expression, right: &Expression) -> Option<u32> {
        match (self.bits(left), self.bits(right)) {
            (Some(left), Some(right)) => Some(left.max(right)),
            (Some(bits), None) => self.has_less(right, bits).then_some(bits),
            (None, Some(bits)) => self.has_less(left, bits).then_some(bits),
            (None, None) => None,
        }
    }

    /// Whether an integer's type has fewer bits, as it is promoted.
    fn has_less(&self, e: &Expression, bits: u32) -> bool {
        let types = &self.unit.types;
        let is_short = types.size(e.ty.ty).is_some_and(|bytes| bytes <= 4);
        let is_field = self.bit_field_width(e).is_some_and(|width| width < bits);
        types.is_integer(e.ty.ty) && (is_short || is_field)
    }

    /// The common type of such a bit-field and an integer with a sign and more bits: the latter's.
    pub(super) fn signed_beside(&self, field: &Expression, other: &Expression) -> Option<TypeId> {
        let bits = self.bits(field)?;
        let types = &self.unit.types;
        let ty = other.ty.ty;
        let is_other = self.bits(other).is_none() && !self.has_less(other, bits);
        (is_other && types.is_integer(ty) && types.is_signed(ty)).then_some(ty)
    }

    pub(super) fn may_be_negative(&self, e: &Expression) -> bool {
        let is_signed = self.unit.types.is_signed(e.ty.ty);
        is_signed && constant::evaluate(&self.unit, e).is_none_or(|value| value < 0)
    }

    /// The bits of the common type of operands of which an operation reads more than as many.
    pub(super) fn bits_read(&self, of: &Operation) -> Option<u32> {
        use BinaryOperator as B;
        let reads_all = matches!(of.operator, B::Divide | B::Remainder) || of.operator.is_logical();
        let bits = self.common_bits(&of.left, &of.right);
        bits.filter(|_| reads_all)
    }

    /// A value in the type of a bit-field, from one in the type that it is declared with.
    pub(super) fn in_bits(&mut self, value: Expression, bits: Option<Bits>) -> Expression {
        let Some(Bits { count, has_more }) = bits else {
            return value;
        };
        self.of_bit_fields.insert(value.span, count);
        match has_more {
            true => self.masked(value, count),
            false => value,
        }
    }

    pub(super) fn masked(&mut self, value: Expression, bits: u32) -> Expression {
        let (ty, span) = (value.ty.ty, value.span);
        let mask = self.integer((1 << bits) - 1, ty, Span::default());
        let kind = ExpressionKind::Binary(BinaryOperator::BitAnd, Box::new(value), Box::new(mask));
        self.make(kind, ty, span)
    }
}

/// How many bits the type of a value has, and whether the value may have more in the type that its
/// operands are declared with.
#[derive(Clone, Copy)]
pub(super) struct Bits {
    pub(super) count: u32,
    pub(super) has_more: bool,
}
