//! Conversions (C11 6.3).

use super::{Analyser, is_poison};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    Conversion, Expression, ExpressionKind, FloatingKind, IntegerKind, QualType, Qualifiers, Type,
    TypeId, UnaryOperator, constant,
};

/// Where a value goes, for messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum Destination {
    Assignment,
    Initialization,
    Return,
    /// Of a call, counted from 1.
    Argument(usize),
}

impl Analyser<'_> {
    /// Adds qualifiers; those of an array go to its elements (6.7.3, 9).
    pub(super) fn qualify(&mut self, ty: QualType, more: Qualifiers) -> QualType {
        if more == Qualifiers::default() {
            return ty;
        }
        if let Type::Array { element, length } = *self.get(ty.ty) {
            let element = self.qualify(element, more);
            return QualType::plain(self.unit.types.intern(Type::Array { element, length }));
        }
        ty.qualified(more)
    }

    /// Puts a conversion around an expression unless it has the type already.
    pub(super) fn convert(&self, e: Expression, to: TypeId, how: Conversion) -> Expression {
        if e.ty.ty == to || is_poison(&e) {
            return e;
        }
        let span = e.span;
        self.make(ExpressionKind::Convert(how, Box::new(e)), to, span)
    }

    /// Arrays and functions become pointers (6.3.2.1).
    pub(super) fn decay(&mut self, e: Expression) -> Expression {
        let (to, how) = match *self.get(e.ty.ty) {
            Type::Array { element, .. } => {
                let element = self.qualify(element, e.ty.qualifiers);
                (element, Conversion::ArrayToPointer)
            }
            Type::Function(_) => (QualType::plain(e.ty.ty), Conversion::FunctionToPointer),
            _ => return e,
        };
        let pointer = self.pointer_to(to);
        self.convert(e, pointer, how)
    }

    /// The type after integer promotion (6.3.1.1).
    pub(super) fn promoted(&self, ty: TypeId) -> TypeId {
        use IntegerKind as I;
        match self.get(ty) {
            Type::Bool => self.basic.int,
            Type::Integer(kind) if kind.size() < I::Int.size() => self.basic.int,
            Type::Enum(id) => {
                let underlying = self.unit.types.enumeration(*id).underlying;
                if underlying.size() < I::Int.size() {
                    return self.basic.int;
                }
                self.unit.types.intern(Type::Integer(underlying))
            }
            _ => ty,
        }
    }

    /// The type to which an operand is promoted; a bit-field by its width.
    pub(super) fn promoted_operand(&self, e: &Expression) -> TypeId {
        if let Some(width) = self.bit_field_width(e) {
            let unsigned = matches!(self.get(e.ty.ty), Type::Integer(kind) if !kind.is_signed());
            if width < 32 || (width == 32 && !unsigned) {
                return self.basic.int;
            }
            if width == 32 {
                return self.basic.unsigned;
            }
        }
        self.promoted(e.ty.ty)
    }

    /// Integer promotion of an operand.
    pub(super) fn promote(&self, e: Expression) -> Expression {
        let to = self.promoted_operand(&e);
        self.convert(e, to, Conversion::Arithmetic)
    }

    /// The width, if the expression designates a bit-field.
    pub(super) fn bit_field_width(&self, e: &Expression) -> Option<u32> {
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => self.bit_field_width(inner),
            ExpressionKind::Member { record, member, .. } => {
                let members = self.unit.types.record(*record).members.as_ref()?;
                Some(members.get(*member)?.bit_field?.width)
            }
            _ => None,
        }
    }

    /// The common type of two arithmetic operands (6.3.1.8).
    pub(super) fn common_type(&mut self, left: &Expression, right: &Expression) -> TypeId {
        let signed = self.signed_beside(left, right);
        if let Some(ty) = signed.or_else(|| self.signed_beside(right, left)) {
            return ty;
        }
        let (a, b) = (self.promoted_operand(left), self.promoted_operand(right));
        self.common_arithmetic(a, b)
    }

    /// The common type of two promoted arithmetic types.
    pub(super) fn common_arithmetic(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        match (floating_rank(self.get(a)), floating_rank(self.get(b))) {
            (None, None) => self.common_integer(a, b),
            (Some(_), None) => a,
            (None, Some(_)) => b,
            (Some(x), Some(y)) => {
                let kind = x.max(y);
                let is_complex = [a, b]
                    .iter()
                    .any(|ty| matches!(self.get(*ty), Type::Complex(_)));
                self.unit.types.intern(match is_complex {
                    true => Type::Complex(kind),
                    false => Type::Floating(kind),
                })
            }
        }
    }

    fn common_integer(&mut self, a: TypeId, b: TypeId) -> TypeId {
        let (Type::Integer(x), Type::Integer(y)) = (self.get(a), self.get(b)) else {
            return a;
        };
        let (x, y) = (*x, *y);
        if x.is_signed() == y.is_signed() {
            return if rank(x) >= rank(y) { a } else { b };
        }
        let (signed, signed_id, unsigned, unsigned_id) = if x.is_signed() {
            (x, a, y, b)
        } else {
            (y, b, x, a)
        };
        if rank(unsigned) >= rank(signed) {
            unsigned_id
        } else if signed.size() > unsigned.size() {
            signed_id
        } else {
            self.unit.types.intern(Type::Integer(to_unsigned(signed)))
        }
    }

    /// Converts to a real or complex type, or to `_Bool`.
    pub(super) fn to_arithmetic(&self, e: Expression, to: TypeId) -> Expression {
        let how = if to == self.basic.bool {
            Conversion::ToBool
        } else {
            Conversion::Arithmetic
        };
        self.convert(e, to, how)
    }

    /// Default argument promotions (6.5.2.2, 6).
    pub(super) fn default_promote(&self, e: Expression) -> Expression {
        if matches!(
            self.get(e.ty.ty),
            Type::Floating(FloatingKind::Float | FloatingKind::Float16)
        ) {
            // `_Float16` is passed as itself, though a double serves as well.
            return self.to_arithmetic(e, self.basic.double);
        }
        self.promote(e)
    }

    /// Whether it is a null pointer constant (6.3.2.3).
    pub(super) fn is_null_constant(&self, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => self.is_null_constant(inner),
            ExpressionKind::Cast(inner) if e.ty == QualType::plain(self.basic.void_pointer) => {
                self.unit.types.is_integer(inner.ty.ty) && self.is_null_constant(inner)
            }
            _ => {
                self.unit.types.is_integer(e.ty.ty) && constant::evaluate(&self.unit, e) == Some(0)
            }
        }
    }

    /// Converts a value as if by assignment (6.5.16.1). What compilers only
    /// warn of is accepted.
    pub(super) fn assign_convert(
        &mut self,
        e: Expression,
        to: QualType,
        destination: Destination,
    ) -> Expression {
        let e = self.decay(e);
        let to = to.ty;
        if e.ty.ty == to && is_string(&e) {
            // As C++ has it: a literal's characters are constants.
            let mut constant = QualType::plain(self.basic.char);
            constant.qualifiers.is_const = true;
            if let Some(literal) = self.unit.types.pointee(to)
                && let Type::Array { length, .. } = *self.unit.types.get(literal.ty)
            {
                let element = constant;
                let array = Type::Array { element, length };
                constant = QualType::plain(self.unit.types.intern(array));
            }
            let literal = Expression {
                ty: QualType::plain(self.pointer_to(constant)),
                ..e
            };
            return self.convert(literal, to, Conversion::Pointer);
        }
        if e.ty.ty == to || is_poison(&e) {
            return e;
        }
        let types = &self.unit.types;
        if types.is_arithmetic(to) && types.is_arithmetic(e.ty.ty) {
            return self.to_arithmetic(e, to);
        }
        match (types.get(e.ty.ty), types.get(to)) {
            (_, Type::Pointer(_)) if self.is_null_constant(&e) => {
                self.convert(e, to, Conversion::NullPointer)
            }
            (Type::Pointer(_), Type::Bool) => self.convert(e, to, Conversion::ToBool),
            (Type::Pointer(_), Type::Pointer(_)) => self.convert(e, to, Conversion::Pointer),
            (Type::Pointer(_), _) if types.is_integer(to) => {
                self.convert(e, to, Conversion::IntegerPointer)
            }
            (_, Type::Pointer(_)) if types.is_integer(e.ty.ty) => {
                self.convert(e, to, Conversion::IntegerPointer)
            }
            // Only headers and host code use these: the compiler checks them.
            (Type::Vector { .. } | Type::VaList, _) | (_, Type::Vector { .. } | Type::VaList) => e,
            (_, Type::Record(id)) if self.transparent.contains(id) => e,
            (Type::Record(a), Type::Record(b)) if a == b => e,
            _ => self.mismatch(e, to, destination),
        }
    }

    fn mismatch(&mut self, e: Expression, to: TypeId, destination: Destination) -> Expression {
        let (have, want) = (self.show(e.ty), self.show(QualType::plain(to)));
        let what = match destination {
            Destination::Assignment => "the assigned value".to_string(),
            Destination::Initialization => "the initialiser".to_string(),
            Destination::Return => "the returned value".to_string(),
            Destination::Argument(n) => format!("argument {n}"),
        };
        let message = format!("{what} has type `{have}` where `{want}` is needed");
        let error = Diagnostic::error(codes::TYPE_MISMATCH, message, e.span);
        self.refuse(error.label(format!("this is `{have}`")), e.span)
    }

    /// Reports a condition that is no scalar.
    pub(super) fn check_scalar(&mut self, e: Expression, span: Span) -> Expression {
        if is_poison(&e) || self.unit.types.is_scalar(e.ty.ty) || self.is_lenient(e.ty.ty) {
            return e;
        }
        let have = self.show(e.ty);
        let message = format!("a value of type `{have}` is neither true nor false");
        let error = Diagnostic::error(codes::INVALID_OPERANDS, message, span);
        self.refuse(error.label("a number or pointer is needed here"), span)
    }

    /// Types of host code whose operators are left to the compiler.
    pub(super) fn is_lenient(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Vector { .. } | Type::VaList)
    }
}

/// Conversion rank of the types that integer promotion leaves (6.3.1.1).
fn rank(kind: IntegerKind) -> u8 {
    use IntegerKind as I;
    match kind {
        I::Char | I::SignedChar | I::UnsignedChar => 0,
        I::Short | I::UnsignedShort => 1,
        I::Int | I::UnsignedInt => 2,
        I::Long | I::UnsignedLong => 3,
        I::LongLong | I::UnsignedLongLong => 4,
        I::Int128 | I::UnsignedInt128 => 5,
    }
}

/// The unsigned type of the same rank.
pub(super) fn to_unsigned(kind: IntegerKind) -> IntegerKind {
    use IntegerKind as I;
    match kind {
        I::Char | I::SignedChar => I::UnsignedChar,
        I::Short => I::UnsignedShort,
        I::Int => I::UnsignedInt,
        I::Long => I::UnsignedLong,
        I::LongLong => I::UnsignedLongLong,
        I::Int128 => I::UnsignedInt128,
        other => other,
    }
}

/// The kind of a real or complex floating type, in the order of precision.
fn floating_rank(ty: &Type) -> Option<FloatingKind> {
    match ty {
        Type::Floating(kind) | Type::Complex(kind) => Some(*kind),
        _ => None,
    }
}

/// Whether an expression is the address of a string literal.
fn is_string(e: &Expression) -> bool {
    match &e.kind {
        ExpressionKind::Convert(Conversion::ArrayToPointer, literal)
        | ExpressionKind::Unary(UnaryOperator::AddressOf, literal) => {
            matches!(literal.inner().kind, ExpressionKind::String { .. })
        }
        _ => false,
    }
}
