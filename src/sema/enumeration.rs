//! Enumerations (C11 6.7.2.2), with GCC's larger underlying types.

use super::Analyser;
use super::scope::Tag;
use crate::ast::{self, Enumerator};
use crate::diagnostic::{Diagnostic, codes};
use crate::typed::{
    EnumId, Enumeration, Expression, IntegerKind, QualType, SymbolId, SymbolKind, Type, TypeId,
    constant,
};

impl Analyser<'_> {
    /// The type of an `enum` specifier.
    pub(super) fn enum_specifier(
        &mut self,
        specifier: &ast::EnumSpecifier,
        stands_alone: bool,
    ) -> QualType {
        let id = self.enum_id(specifier, stands_alone);
        if let Some(enumerators) = &specifier.enumerators {
            if self.unit.types.enumeration(id).is_complete {
                let name = specifier.tag.as_ref().map_or("", |tag| tag.value.as_str());
                let message = format!("`enum {name}` is defined twice");
                self.error(codes::REDEFINITION, message, specifier.span);
            } else {
                self.define_enum(id, enumerators);
            }
        }
        QualType::plain(self.unit.types.intern(Type::Enum(id)))
    }

    fn enum_id(&mut self, specifier: &ast::EnumSpecifier, stands_alone: bool) -> EnumId {
        let declares = stands_alone || specifier.enumerators.is_some();
        let known = specifier.tag.as_ref().and_then(|tag| {
            if declares {
                self.scopes.tags.here(&tag.value)
            } else {
                self.scopes.tags.get(&tag.value)
            }
        });
        if let Some(Tag::Enum(id)) = known {
            return id;
        }
        if let (Some(tag), Some(_)) = (&specifier.tag, known) {
            let message = format!("the tag `{}` names a struct or union", tag.value);
            let error = Diagnostic::error(codes::REDEFINITION, message, tag.span);
            self.push(error.help("give the enumeration a tag of its own"));
        }
        let id = EnumId(self.unit.types.enums.len() as u32);
        self.unit.types.enums.push(Enumeration {
            tag: specifier.tag.as_ref().map(|tag| tag.value.clone()),
            underlying: IntegerKind::UnsignedInt,
            is_complete: false,
        });
        if let Some(tag) = &specifier.tag {
            self.scopes.tags.declare(&tag.value, Tag::Enum(id));
        }
        id
    }

    fn define_enum(&mut self, id: EnumId, enumerators: &[Enumerator]) {
        let mut next = 0i128;
        let mut symbols: Vec<(SymbolId, i128)> = Vec::new();
        for enumerator in enumerators {
            let written = enumerator.value.as_ref().map(|e| self.value(e));
            if let Some(value) = &written {
                next = self.enumerator_value(value).unwrap_or(next);
            }
            self.check_not_declared_here(&enumerator.name);
            let ty = QualType::plain(self.constant_type(next));
            let kind = SymbolKind::EnumConstant(next);
            let symbol = self.declare_symbol(&enumerator.name, kind, ty);
            symbols.push((symbol, next));
            if let Some(value) = written {
                self.unit.typedefs.declare_value(symbol, value);
            }
            next = next.wrapping_add(1);
        }
        let underlying = underlying(symbols.iter().map(|(_, value)| *value));
        let enumeration = &mut self.unit.types.enums[id.0 as usize];
        enumeration.underlying = underlying;
        enumeration.is_complete = true;
        // Constants that fit are `int`, the others have the type of all.
        let ty = QualType::plain(self.unit.types.intern(Type::Integer(underlying)));
        for (symbol, value) in symbols {
            if i32::try_from(value).is_err() {
                self.unit.symbol_mut(symbol).ty = ty;
            }
        }
    }

    fn enumerator_value(&mut self, value: &Expression) -> Option<i128> {
        let known = constant::evaluate(&self.unit, value);
        if known.is_none() && !super::is_poison(value) {
            let message = "the value of an enumeration constant is not constant";
            self.not_constant(message, value.span);
        }
        known
    }

    fn constant_type(&self, value: i128) -> TypeId {
        if i32::try_from(value).is_ok() {
            self.basic.int
        } else if u32::try_from(value).is_ok() {
            self.basic.unsigned
        } else if i64::try_from(value).is_ok() {
            self.basic.long
        } else {
            self.basic.unsigned_long
        }
    }
}

/// The integer type that an enumeration with these values is compatible with.
fn underlying(values: impl Iterator<Item = i128>) -> IntegerKind {
    let (least, most) = values.fold((0, 0), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    match least < 0 {
        true if i32::try_from(least).is_ok() && i32::try_from(most).is_ok() => IntegerKind::Int,
        true => IntegerKind::Long,
        false if u32::try_from(most).is_ok() => IntegerKind::UnsignedInt,
        false => IntegerKind::UnsignedLong,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_underlying_type_holds_all_values() {
        assert_eq!(underlying([0, 5].into_iter()), IntegerKind::UnsignedInt);
        assert_eq!(underlying([-1, 5].into_iter()), IntegerKind::Int);
        assert_eq!(
            underlying([0, 1 << 31].into_iter()),
            IntegerKind::UnsignedInt
        );
        assert_eq!(underlying([-1, 1 << 31].into_iter()), IntegerKind::Long);
        assert_eq!(underlying([1 << 40].into_iter()), IntegerKind::UnsignedLong);
    }
}
