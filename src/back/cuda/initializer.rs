//! Initialisers as CUDA C++ takes them.
//!
//! C's designators are positions here already. C++ wants a value for every
//! member before the last one given, none for unnamed bit-fields, no value
//! that narrows, and a name for a union's member that is not its first:
//!
//! ```text
//! struct s x = {.b = d};        s x = {{}, (int)d};
//! union u v = {.f = d};         u v = {.f = (float)d};
//! ```
//!
//! The name is a designator as in C++20, which compilers of older C++ take
//! for GNU C++, nvcc included. They refuse several for the members of one
//! anonymous struct.

use super::language::Cuda;
use crate::typed::constant::wrap;
use crate::typed::print::{Language, Printer, precedence};
use crate::typed::{
    Conversion, Expression, ExpressionKind, Initializer, Member, QualType, Type, TypeId,
    UnaryOperator, Unit,
};

/// Integers up to it, and down to its opposite, are values of each floating type.
const EXACT: i128 = 1 << 24;

impl Cuda {
    /// The initialiser of an object of this type.
    pub(super) fn initializer(&self, unit: &Unit, value: &Initializer, ty: TypeId) -> String {
        match value {
            Initializer::Expression(e) => self.operand(unit, e, precedence::ASSIGNMENT),
            Initializer::Aggregate(items) => format!("{{{}}}", self.parts(unit, items, ty)),
        }
    }

    /// The values of an aggregate's parts, with `{}` for those in between.
    fn parts(&self, unit: &Unit, items: &[(u64, Initializer)], ty: TypeId) -> String {
        if is_union(unit, ty) {
            return match items.last() {
                Some((index, item)) => self.union_member(unit, *index, item, ty),
                None => String::new(),
            };
        }
        let mut parts = Vec::new();
        let mut next = 0;
        for (index, item) in items {
            for skipped in next..*index {
                if !is_unnamed_bit_field(unit, ty, skipped) {
                    parts.push("{}".to_string());
                }
            }
            parts.push(self.part(unit, item, part_type(unit, ty, *index)));
            next = index + 1;
        }
        parts.join(", ")
    }

    fn union_member(&self, unit: &Unit, index: u64, item: &Initializer, ty: TypeId) -> String {
        let text = self.part(unit, item, part_type(unit, ty, index));
        match (index, member(unit, ty, index).map(|m| &m.name)) {
            (0, _) | (_, None) => text,
            (_, Some(Some(name))) => format!(".{} = {text}", self.member(name)),
            // The members of an anonymous union are named as if they were its own.
            (_, Some(None)) => match item {
                Initializer::Aggregate(items) => {
                    self.parts(unit, items, part_type(unit, ty, index))
                }
                Initializer::Expression(_) => text,
            },
        }
    }

    fn part(&self, unit: &Unit, item: &Initializer, ty: TypeId) -> String {
        match item {
            Initializer::Expression(e) if is_narrowing(unit, e) => {
                let mut printer = Printer::new(unit, self);
                printer.cast(QualType::plain(e.ty.ty), e, None);
                printer.out
            }
            _ => self.initializer(unit, item, ty),
        }
    }
}

/// Whether a part of the value has no spelling: a union begins with an
/// anonymous struct that is not its first member.
pub fn has_no_spelling(unit: &Unit, value: &Initializer, ty: TypeId) -> bool {
    let Initializer::Aggregate(items) = value else {
        return false;
    };
    items.iter().any(|(index, item)| {
        let inner = part_type(unit, ty, *index);
        let is_anonymous = member(unit, ty, *index).is_some_and(|m| m.name.is_none());
        is_union(unit, ty) && *index > 0 && is_anonymous && !is_union(unit, inner)
            || has_no_spelling(unit, item, inner)
    })
}

fn is_union(unit: &Unit, ty: TypeId) -> bool {
    matches!(unit.types.get(ty), Type::Record(id) if unit.types.record(*id).is_union)
}

fn is_unnamed_bit_field(unit: &Unit, ty: TypeId, index: u64) -> bool {
    member(unit, ty, index).is_some_and(|m| m.name.is_none() && m.bit_field.is_some())
}

fn member(unit: &Unit, ty: TypeId, index: u64) -> Option<&Member> {
    let Type::Record(id) = unit.types.get(ty) else {
        return None;
    };
    let members = unit.types.record(*id).members.as_ref()?;
    members.get(usize::try_from(index).ok()?)
}

/// The type of a member or element.
fn part_type(unit: &Unit, ty: TypeId, index: u64) -> TypeId {
    match unit.types.get(ty) {
        Type::Array { element, .. } => element.ty,
        _ => member(unit, ty, index).map_or(ty, |m| m.ty.ty),
    }
}

/// Whether C++ calls a conversion narrowing: arithmetic, and not of a constant that the type has, nor
/// of what is a truth value there already.
fn is_narrowing(unit: &Unit, e: &Expression) -> bool {
    let ExpressionKind::Convert(conversion, inner) = &e.kind else {
        return false;
    };
    let constant = match inner.inner().kind {
        ExpressionKind::Integer { value, .. } => Some(value),
        _ => None,
    };
    match (conversion, constant) {
        (Conversion::Arithmetic, Some(value)) if unit.types.is_integer(e.ty.ty) => {
            wrap(&unit.types, e.ty.ty, value) != value
        }
        (Conversion::Arithmetic, Some(value)) => value.abs() > EXACT,
        (Conversion::Arithmetic, None) => true,
        (Conversion::ToBool, Some(value)) => !matches!(value, 0 | 1),
        (Conversion::ToBool, None) => !is_truth(inner),
        _ => false,
    }
}

/// Whether an expression is of type `bool` in C++.
fn is_truth(e: &Expression) -> bool {
    match &e.inner().kind {
        ExpressionKind::Binary(operator, ..) => operator.is_logical(),
        ExpressionKind::Unary(operator, _) => *operator == UnaryOperator::LogicalNot,
        _ => false,
    }
}
