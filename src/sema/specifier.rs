//! Declaration specifiers (C11 6.7.1 to 6.7.5) and type names (6.7.7).

use super::Analyser;
use super::scope::Entity;
use crate::ast::{self, AlignmentSpecifier, StorageClass, TypeSpecifier};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{FloatingKind, IntegerKind, QualType, Type, Typedef, TypedefId, constant};

/// What the specifiers of a declaration say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specified {
    /// The type to derive declarators from.
    pub ty: QualType,
    /// What says it, if that is a name of the file's for an arithmetic type, or words of C.
    pub typedef: Option<TypedefId>,
    /// What `_Alignas`, `aligned` or a typedef with it ask for, in bytes.
    pub alignment: Option<u64>,
    /// `typedef`, `extern`, `static`, `auto` or `register`.
    pub storage: Option<StorageClass>,
    /// `_Thread_local`.
    pub is_thread_local: bool,
    /// `inline`.
    pub is_inline: bool,
    /// GNU's `__auto_type`: the type is that of the initialiser.
    pub is_deduced: bool,
}

/// How often each keyword occurs among the type specifiers.
#[derive(Debug, Default)]
struct Words {
    void: u8,
    char: u8,
    short: u8,
    int: u8,
    long: u8,
    float: u8,
    double: u8,
    signed: u8,
    unsigned: u8,
    bool: u8,
    complex: u8,
    int128: u8,
    /// A type that is named in one piece.
    named: Option<QualType>,
    several_named: bool,
    is_deduced: bool,
    /// `_Atomic(T)`.
    is_atomic: bool,
    /// Of a typedef.
    alignment: Option<u64>,
    /// A typedef, or the words themselves.
    typedef: Option<TypedefId>,
}

impl Analyser<'_> {
    /// Reads declaration specifiers. `stands_alone`: no declarator follows,
    /// so that `struct s;` declares a new type (6.7.2.3, 7).
    pub(super) fn specifiers(
        &mut self,
        specifiers: &ast::DeclarationSpecifiers,
        stands_alone: bool,
    ) -> Specified {
        let mut words = Words::default();
        let is_typedef = |class: &StorageClass| *class == StorageClass::Typedef;
        let mut storage = specifiers.storage.iter().map(|storage| &storage.value);
        let is_typedef = storage.any(is_typedef);
        for specifier in &specifiers.types {
            self.specifier(specifier, stands_alone, &mut words);
            if let TypeSpecifier::Record(record) = &specifier.value
                && record.members.is_none()
                && !is_typedef
                && let Some(ty) = words.named
            {
                self.note_tag(ty);
            }
        }
        let mut qualifiers = specifiers.qualifiers;
        qualifiers.is_atomic |= words.is_atomic;
        let mut alignment = words.alignment;
        let base = match words.named {
            Some(ty) if !words.several_named && words.is_only_named() => ty,
            _ => self.type_of_words(&words, specifiers.span),
        };
        if words.named.is_none()
            && let (Some(first), Some(last)) = (specifiers.types.first(), specifiers.types.last())
        {
            words.typedef = Some(self.unit.typedefs.add(Typedef {
                name: None,
                is_local: false,
                words: integer_words(&specifiers.types),
                ty: base.ty,
                base: None,
                lengths: Vec::new(),
                span: first.span.to(last.span),
            }));
        }
        let base = self.attributed(base, &specifiers.attributes);
        for specifier in &specifiers.alignment {
            let asked = self.alignment_specifier(specifier);
            alignment = alignment.max(asked);
        }
        let asked = self.aligned(&specifiers.attributes);
        let storage = specifiers.storage.iter().map(|storage| storage.value);
        let is_thread_local = |class: &StorageClass| *class == StorageClass::ThreadLocal;
        let is_one = words.named.is_none() || !words.several_named && words.is_only_named();
        Specified {
            ty: self.qualify(base, qualifiers),
            typedef: words.typedef.filter(|_| is_one),
            alignment: asked.or(alignment),
            storage: storage.clone().find(|class| !is_thread_local(class)),
            is_thread_local: storage.clone().any(|class| is_thread_local(&class)),
            is_inline: specifiers.inline,
            is_deduced: words.is_deduced,
        }
    }

    /// Notes that a tag names a record that is complete.
    fn note_tag(&mut self, ty: QualType) {
        if let Type::Record(id) = *self.get(ty.ty) {
            let record = &mut self.unit.types.records[id.0 as usize];
            record.is_called_by_tag |= record.members.is_some();
        }
    }

    fn specifier(
        &mut self,
        specifier: &crate::source::Spanned<TypeSpecifier>,
        stands_alone: bool,
        words: &mut Words,
    ) {
        let named = match &specifier.value {
            TypeSpecifier::Atomic(name) => {
                words.is_atomic = true;
                self.type_name(name)
            }
            TypeSpecifier::Record(record) => self.record_specifier(record, stands_alone),
            TypeSpecifier::Enum(specifier) => self.enum_specifier(specifier, stands_alone),
            TypeSpecifier::TypedefName(name) => match self.scopes.names.get(name) {
                Some(Entity::Typedef { ty, alignment, id }) => {
                    words.alignment = alignment;
                    words.typedef = id;
                    ty
                }
                _ if name == "__auto_type" => {
                    words.is_deduced = true;
                    QualType::plain(self.basic.int)
                }
                _ => {
                    self.undeclared_type(name, specifier.span);
                    QualType::plain(self.basic.int)
                }
            },
            TypeSpecifier::TypeofExpression(e) => self.expression(e).ty,
            TypeSpecifier::TypeofType(name) => self.type_name(name),
            TypeSpecifier::ExtendedFloat(name) => {
                let kind = extended_float(name);
                QualType::plain(self.unit.types.intern(match words.complex {
                    0 => Type::Floating(kind),
                    _ => Type::Complex(kind),
                }))
            }
            TypeSpecifier::BuiltinVaList => QualType::plain(self.unit.types.intern(Type::VaList)),
            keyword => return words.count(keyword),
        };
        words.several_named |= words.named.is_some();
        words.named = Some(named);
    }

    /// The type that keywords alone form (6.7.2, 2); none at all are `int`.
    fn type_of_words(&mut self, words: &Words, span: Span) -> QualType {
        let ty = match words.form() {
            Some(ty) => ty,
            None => {
                let message = "these specifiers do not form a type together";
                let error = Diagnostic::error(codes::INVALID_TYPE, message, span);
                self.push(error.help("keep one type, such as `unsigned long` or `double`"));
                Type::Integer(IntegerKind::Int)
            }
        };
        QualType::plain(self.unit.types.intern(ty))
    }

    fn alignment_specifier(&mut self, specifier: &AlignmentSpecifier) -> Option<u64> {
        match specifier {
            AlignmentSpecifier::Type(name) => {
                let ty = self.type_name(name);
                Some(self.unit.types.alignment(ty.ty))
            }
            AlignmentSpecifier::Expression(e) => {
                let value = self.value(e);
                let bytes = u64::try_from(constant::evaluate(&self.unit, &value)?).ok()?;
                super::attribute::is_alignment(bytes).then_some(bytes)
            }
        }
    }

    /// The type that a type name names (6.7.7).
    pub(super) fn type_name(&mut self, name: &ast::TypeName) -> QualType {
        self.type_name_by(name).0
    }

    /// The same, and the file's name for the arithmetic type in it.
    pub(super) fn type_name_by(&mut self, name: &ast::TypeName) -> (QualType, Option<TypedefId>) {
        let specified = self.specifiers(&name.specifiers, false);
        let base = self.attributed(specified.ty, &name.declarator.attributes);
        let ty = self.derive(base, &name.declarator.derivations);
        (ty, specified.typedef)
    }
}

impl Words {
    fn count(&mut self, keyword: &TypeSpecifier) {
        let counter = match keyword {
            TypeSpecifier::Void => &mut self.void,
            TypeSpecifier::Char => &mut self.char,
            TypeSpecifier::Short => &mut self.short,
            TypeSpecifier::Int => &mut self.int,
            TypeSpecifier::Long => &mut self.long,
            TypeSpecifier::Float => &mut self.float,
            TypeSpecifier::Double => &mut self.double,
            TypeSpecifier::Signed => &mut self.signed,
            TypeSpecifier::Unsigned => &mut self.unsigned,
            TypeSpecifier::Bool => &mut self.bool,
            TypeSpecifier::Complex => &mut self.complex,
            TypeSpecifier::Int128 => &mut self.int128,
            _ => return,
        };
        *counter = counter.saturating_add(1);
    }

    /// Whether no keyword stands beside the named type but `_Complex`.
    fn is_only_named(&self) -> bool {
        let counts = [
            self.void,
            self.char,
            self.short,
            self.int,
            self.long,
            self.float,
            self.double,
            self.signed,
            self.unsigned,
            self.bool,
            self.int128,
        ];
        counts.iter().all(|count| *count == 0)
    }

    fn form(&self) -> Option<Type> {
        if self.named.is_some() || self.signed > 1 || self.unsigned > 1 || self.int > 1 {
            return None;
        }
        let is_signed = self.signed == 1;
        let is_unsigned = self.unsigned == 1;
        let has_sign = is_signed || is_unsigned;
        if is_signed && is_unsigned {
            return None;
        }
        let others = [
            self.void,
            self.char,
            self.float,
            self.double,
            self.bool,
            self.int128,
        ];
        match others {
            [1, 0, 0, 0, 0, 0] => self.has_no_length(has_sign).then_some(Type::Void),
            [0, 0, 0, 0, 1, 0] => self.has_no_length(has_sign).then_some(Type::Bool),
            [0, 1, 0, 0, 0, 0] if self.has_no_length(false) => {
                Some(Type::Integer(match (is_signed, is_unsigned) {
                    (true, _) => IntegerKind::SignedChar,
                    (_, true) => IntegerKind::UnsignedChar,
                    _ => IntegerKind::Char,
                }))
            }
            [0, 0, 0, 0, 0, 1] if self.has_no_length(false) => {
                Some(Type::Integer(if is_unsigned {
                    IntegerKind::UnsignedInt128
                } else {
                    IntegerKind::Int128
                }))
            }
            [0, 0, 1, 0, 0, 0] if self.has_no_length(has_sign) => {
                Some(self.real_or_complex(FloatingKind::Float))
            }
            [0, 0, 0, 1, 0, 0] if self.short == 0 && self.int == 0 && !has_sign => {
                match self.long {
                    0 => Some(self.real_or_complex(FloatingKind::Double)),
                    1 => Some(self.real_or_complex(FloatingKind::LongDouble)),
                    _ => None,
                }
            }
            [0, 0, 0, 0, 0, 0] if self.complex > 0 && self.has_no_length(has_sign) => {
                Some(Type::Complex(FloatingKind::Double))
            }
            [0, 0, 0, 0, 0, 0] => self.integer(is_unsigned),
            _ => None,
        }
    }

    /// Neither `short`, `long` nor `int`, and no sign where it is unwanted.
    fn has_no_length(&self, has_unwanted_sign: bool) -> bool {
        self.short == 0 && self.long == 0 && self.int == 0 && !has_unwanted_sign
    }

    fn real_or_complex(&self, kind: FloatingKind) -> Type {
        if self.complex > 0 {
            Type::Complex(kind)
        } else {
            Type::Floating(kind)
        }
    }

    fn integer(&self, is_unsigned: bool) -> Option<Type> {
        use IntegerKind as I;
        let kind = match (self.short, self.long, is_unsigned) {
            (0, 0, false) => I::Int,
            (0, 0, true) => I::UnsignedInt,
            (1, 0, false) => I::Short,
            (1, 0, true) => I::UnsignedShort,
            (0, 1, false) => I::Long,
            (0, 1, true) => I::UnsignedLong,
            (0, 2, false) => I::LongLong,
            (0, 2, true) => I::UnsignedLongLong,
            _ => return None,
        };
        Some(Type::Integer(kind))
    }
}

/// The representation of an extended floating type.
pub(super) fn extended_float(name: &str) -> FloatingKind {
    match name {
        "_Float16" | "__bf16" | "__fp16" => FloatingKind::Float16,
        "_Float32" | "_Decimal32" => FloatingKind::Float,
        "_Float32x" | "_Float64" | "_Decimal64" => FloatingKind::Double,
        "_Float64x" | "__float80" => FloatingKind::LongDouble,
        _ => FloatingKind::Float128,
    }
}

/// The words of an integer type, where there are several.
fn integer_words(types: &[crate::source::Spanned<TypeSpecifier>]) -> Option<String> {
    let word = |specifier: &crate::source::Spanned<TypeSpecifier>| match specifier.value {
        TypeSpecifier::Char => Some("char"),
        TypeSpecifier::Short => Some("short"),
        TypeSpecifier::Int => Some("int"),
        TypeSpecifier::Long => Some("long"),
        TypeSpecifier::Signed => Some("signed"),
        TypeSpecifier::Unsigned => Some("unsigned"),
        _ => None,
    };
    let words: Option<Vec<&str>> = types.iter().map(word).collect();
    words
        .filter(|words| words.len() > 1)
        .map(|words| words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use TypeSpecifier as T;

    fn form(words: &[T]) -> Option<Type> {
        let mut all = Words::default();
        words.iter().for_each(|word| all.count(word));
        all.form()
    }

    #[test]
    fn specifiers_form_types_in_any_order() {
        let integer = |kind| Some(Type::Integer(kind));
        assert_eq!(form(&[]), integer(IntegerKind::Int));
        assert_eq!(form(&[T::Unsigned]), integer(IntegerKind::UnsignedInt));
        assert_eq!(
            form(&[T::Long, T::Unsigned, T::Int, T::Long]),
            integer(IntegerKind::UnsignedLongLong)
        );
        assert_eq!(form(&[T::Int, T::Short]), integer(IntegerKind::Short));
        assert_eq!(
            form(&[T::Signed, T::Char]),
            integer(IntegerKind::SignedChar)
        );
        assert_eq!(
            form(&[T::Double, T::Long]),
            Some(Type::Floating(FloatingKind::LongDouble))
        );
        assert_eq!(
            form(&[T::Complex, T::Float]),
            Some(Type::Complex(FloatingKind::Float))
        );
        assert_eq!(
            form(&[T::Complex]),
            Some(Type::Complex(FloatingKind::Double))
        );
        assert_eq!(
            form(&[T::Unsigned, T::Int128]),
            integer(IntegerKind::UnsignedInt128)
        );
    }

    #[test]
    fn wrong_combinations_form_none() {
        for words in [
            &[T::Signed, T::Unsigned][..],
            &[T::Short, T::Long],
            &[T::Long, T::Long, T::Long],
            &[T::Unsigned, T::Float],
            &[T::Void, T::Int],
            &[T::Long, T::Char],
            &[T::Float, T::Double],
        ] {
            assert_eq!(form(words), None, "{words:?}");
        }
    }
}
