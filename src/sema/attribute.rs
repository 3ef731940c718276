//! GNU attributes that change types: `mode`, `vector_size`, `aligned`,
//! `packed`.

use super::Analyser;
use crate::ast::{Attribute, ExpressionKind};
use crate::typed::{FloatingKind, IntegerKind, QualType, Type, TypeId, constant};

/// What `aligned` without an argument means on x86-64.
const LARGEST_ALIGNMENT: u64 = 16;

/// The strictest alignment and the largest vector that GCC takes.
const MOST_BYTES: u64 = 1 << 28;

/// Whether an attribute is among the list.
pub(super) fn has(attributes: &[Attribute], name: &str) -> bool {
    attributes.iter().any(|attribute| attribute.name == name)
}

/// Whether something can be aligned to so many bytes.
pub(super) fn is_alignment(bytes: u64) -> bool {
    bytes.is_power_of_two() && bytes <= MOST_BYTES
}

impl Analyser<'_> {
    /// The type that `mode` and `vector_size` make of a declaration's base
    /// type.
    pub(super) fn attributed(&mut self, base: QualType, attributes: &[Attribute]) -> QualType {
        let mut ty = base;
        for attribute in attributes {
            match attribute.name.as_str() {
                "mode" => ty.ty = self.mode(ty.ty, attribute),
                "vector_size" => ty.ty = self.vector(ty.ty, attribute),
                _ => {}
            }
        }
        ty
    }

    /// `mode(DI)`: an integer or floating type of the size that GCC's machine
    /// mode names.
    fn mode(&mut self, ty: TypeId, attribute: &Attribute) -> TypeId {
        let Some(ExpressionKind::Identifier(mode)) =
            attribute.arguments.first().map(|argument| &argument.kind)
        else {
            return ty;
        };
        use IntegerKind as I;
        let unsigned = matches!(self.get(ty), Type::Integer(kind) if !kind.is_signed());
        let new = match (mode.trim_matches('_'), unsigned) {
            ("QI" | "byte", false) => Type::Integer(I::SignedChar),
            ("QI" | "byte", true) => Type::Integer(I::UnsignedChar),
            ("HI", false) => Type::Integer(I::Short),
            ("HI", true) => Type::Integer(I::UnsignedShort),
            ("SI", false) => Type::Integer(I::Int),
            ("SI", true) => Type::Integer(I::UnsignedInt),
            ("DI" | "word" | "pointer" | "unwind_word", false) => Type::Integer(I::Long),
            ("DI" | "word" | "pointer" | "unwind_word", true) => Type::Integer(I::UnsignedLong),
            ("TI", false) => Type::Integer(I::Int128),
            ("TI", true) => Type::Integer(I::UnsignedInt128),
            ("HF", _) => Type::Floating(FloatingKind::Float16),
            ("SF", _) => Type::Floating(FloatingKind::Float),
            ("DF", _) => Type::Floating(FloatingKind::Double),
            ("XF", _) => Type::Floating(FloatingKind::LongDouble),
            ("TF", _) => Type::Floating(FloatingKind::Float128),
            ("SC", _) => Type::Complex(FloatingKind::Float),
            ("DC", _) => Type::Complex(FloatingKind::Double),
            ("XC", _) => Type::Complex(FloatingKind::LongDouble),
            ("TC", _) => Type::Complex(FloatingKind::Float128),
            _ => return ty,
        };
        self.unit.types.intern(new)
    }

    /// `vector_size(16)`: so many bytes of the type as one vector.
    fn vector(&mut self, element: TypeId, attribute: &Attribute) -> TypeId {
        let Some(bytes) = self.attribute_number(attribute) else {
            return element;
        };
        match self.unit.types.size(element) {
            Some(size) if size > 0 && bytes % size == 0 && bytes <= MOST_BYTES => {
                let lanes = bytes / size;
                self.unit.types.intern(Type::Vector { element, lanes })
            }
            _ => element,
        }
    }

    /// The strictest `aligned` of a list.
    pub(super) fn aligned(&mut self, attributes: &[Attribute]) -> Option<u64> {
        let mut most = None;
        for attribute in attributes {
            if attribute.name == "aligned" {
                let bytes = match attribute.arguments.is_empty() {
                    true => Some(LARGEST_ALIGNMENT),
                    false => self.attribute_number(attribute),
                };
                most = most.max(bytes.filter(|bytes| is_alignment(*bytes)));
            }
        }
        most
    }

    fn attribute_number(&mut self, attribute: &Attribute) -> Option<u64> {
        let argument = self.value(attribute.arguments.first()?);
        u64::try_from(constant::evaluate(&self.unit, &argument)?).ok()
    }
}
