//! C types, interned (C11 6.2.5).

use elsa::FrozenIndexSet;

use super::TypedefId;
pub use crate::ast::Qualifiers;
use crate::source::Span;

/// Names a [`Type`] in [`Types`]; equal ids are equal types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// Names a struct or union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u32);

/// Names an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub u32);

/// Names the length of one variable length array, an index into
/// [`super::Unit::length`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VlaId(pub u32);

/// A type with its qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QualType {
    /// The unqualified type.
    pub ty: TypeId,
    /// `const`, `volatile`, `restrict`, `_Atomic`.
    pub qualifiers: Qualifiers,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// The standard integer types.
    Integer(IntegerKind),
    /// The real floating types.
    Floating(FloatingKind),
    /// `_Complex`.
    Complex(FloatingKind),
    /// A pointer.
    Pointer(QualType),
    /// An array.
    Array {
        /// The element type.
        element: QualType,
        /// Its length in elements.
        length: ArrayLength,
    },
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// An enumeration.
    Enum(EnumId),
    /// `__attribute__((vector_size(…)))`, host only.
    Vector {
        /// The element type.
        element: TypeId,
        /// How many.
        lanes: u64,
    },
    /// `__builtin_va_list`, host only.
    VaList,
}

/// The integer types (6.2.5), `_Bool` and enumerations apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum IntegerKind {
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
}

/// The real floating types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum FloatingKind {
    Float16,
    Float,
    Double,
    LongDouble,
    Float128,
}

/// The length of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayLength {
    /// Known.
    Constant(u64),
    /// Evaluated where the declaration is reached.
    Variable(VlaId),
    /// `[]`.
    Incomplete,
    /// `[*]` in a prototype.
    Star,
}

/// A function type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// What it returns.
    pub result: QualType,
    /// The adjusted parameter types.
    pub parameters: Vec<QualType>,
    /// Ends in `...`.
    pub is_variadic: bool,
    /// Declared with a prototype.
    pub is_prototype: bool,
}

impl Record {
    /// The word that its tag stands behind.
    pub fn keyword(&self) -> &'static str {
        match self.is_union {
            true => "union",
            false => "struct",
        }
    }
}

/// A struct or union.
#[derive(Clone, Debug)]
pub struct Record {
    /// Whether it is a union.
    pub is_union: bool,
    /// The tag, if any.
    pub tag: Option<String>,
    /// The first typedef name given to it, for naming anonymous ones.
    pub typedef_name: Option<String>,
    /// What is declared behind its definition, other than typedefs, says its tag.
    pub is_called_by_tag: bool,
    /// The members; `None` while incomplete.
    pub members: Option<Vec<Member>>,
    /// In bytes; 0 while incomplete.
    pub size: u64,
    /// In bytes.
    pub alignment: u64,
    /// Where it is defined.
    pub span: Span,
}

/// A member of a record.
#[derive(Clone, Debug)]
pub struct Member {
    /// `None` for anonymous records and unnamed bit-fields.
    pub name: Option<String>,
    /// Its type.
    pub ty: QualType,
    /// The file's name for its arithmetic type, or that of its elements.
    pub typedef: Option<TypedefId>,
    /// Where its lengths stand, from the outermost.
    pub lengths: Vec<Span>,
    /// Its declarator.
    pub span: Span,
    /// From the start of the record, in bytes; of a bit-field, that of its
    /// storage unit.
    pub offset: u64,
    /// In the record, in bytes: more or less than that of its type where attributes say so.
    pub alignment: u64,
    /// Of a bit-field.
    pub bit_field: Option<BitField>,
}

/// Where a bit-field lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// In bits.
    pub width: u32,
    /// From the least significant bit of the storage unit.
    pub position: u32,
}

/// An enumeration.
#[derive(Clone, Debug)]
pub struct Enumeration {
    /// The tag, if any.
    pub tag: Option<String>,
    /// The compatible integer type.
    pub underlying: IntegerKind,
    /// Whether its enumerators are known.
    pub is_complete: bool,
}

/// The arena of types.
#[derive(Clone, Default)]
pub struct Types {
    list: FrozenIndexSet<Box<Type>>,
    /// Structs and unions.
    pub records: Vec<Record>,
    /// Enumerations.
    pub enums: Vec<Enumeration>,
}

impl Types {
    /// The id of a type, made on first use.
    pub fn intern(&self, ty: Type) -> TypeId {
        let position = match self.list.get_full(&ty) {
            Some((position, _)) => position,
            None => self.list.insert_full(Box::new(ty)).0,
        };
        TypeId(u32::try_from(position).expect("fewer than 2^32 types"))
    }

    /// The type behind an id.
    pub fn get(&self, id: TypeId) -> &Type {
        &self.list[id.0 as usize]
    }

    /// A record.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.0 as usize]
    }

    /// An enumeration.
    pub fn enumeration(&self, id: EnumId) -> &Enumeration {
        &self.enums[id.0 as usize]
    }

    /// What a pointer points to, or an array's element.
    pub fn pointee(&self, id: TypeId) -> Option<QualType> {
        match self.get(id) {
            Type::Pointer(to) => Some(*to),
            Type::Array { element, .. } => Some(*element),
            _ => None,
        }
    }

    /// Size in bytes on an LP64 target; `None` for incomplete and variable
    /// length types.
    pub fn size(&self, id: TypeId) -> Option<u64> {
        match self.get(id) {
            Type::Void | Type::Bool => Some(1),
            Type::Integer(kind) => Some(kind.size()),
            Type::Floating(kind) => Some(kind.size()),
            Type::Complex(kind) => Some(2 * kind.size()),
            Type::Pointer(_) => Some(8),
            Type::Array {
                element,
                length: ArrayLength::Constant(n),
            } => self.size(element.ty)?.checked_mul(*n),
            Type::Array { .. } => None,
            Type::Function(_) => Some(1),
            Type::Record(id) => {
                let record = self.record(*id);
                record.members.is_some().then_some(record.size)
            }
            Type::Enum(id) => Some(self.enumeration(*id).underlying.size()),
            Type::Vector { element, lanes } => self.size(*element)?.checked_mul(*lanes),
            Type::VaList => Some(24),
        }
    }

    /// Alignment in bytes on an LP64 target.
    pub fn alignment(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Void | Type::Bool | Type::Function(_) => 1,
            Type::Integer(kind) => kind.size(),
            Type::Floating(kind) | Type::Complex(kind) => kind.size(),
            Type::Pointer(_) | Type::VaList => 8,
            Type::Array { element, .. } => self.alignment(element.ty),
            Type::Record(id) => self.record(*id).alignment,
            Type::Enum(id) => self.enumeration(*id).underlying.size(),
            Type::Vector { .. } => self.size(id).unwrap_or(16).next_power_of_two(),
        }
    }

    /// Whether it is one of the integer types in which C computes, of 32 or 64 bits.
    pub fn is_computed(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Integer(kind) if (4..=8).contains(&kind.size()))
    }

    /// What a floating or complex type is made of, if GPUs do not have it.
    pub fn beyond_gpu(&self, id: TypeId) -> Option<FloatingKind> {
        match *self.get(id) {
            Type::Floating(kind) | Type::Complex(kind) => {
                Some(kind).filter(|kind| !kind.is_on_gpu())
            }
            _ => None,
        }
    }

    /// Whether it is an integer type in the sense of 6.2.5 (17): `_Bool`,
    /// the integers and enumerations.
    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Bool | Type::Integer(_) | Type::Enum(_))
    }

    /// Whether it is an integer type with negative values.
    pub fn is_signed(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Integer(kind) => kind.is_signed(),
            Type::Enum(id) => self.enumeration(*id).underlying.is_signed(),
            _ => false,
        }
    }

    /// Whether it is an arithmetic type (6.2.5, 18), complex included.
    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        self.is_integer(id) || matches!(self.get(id), Type::Floating(_) | Type::Complex(_))
    }

    /// Whether it is arithmetic or a pointer (6.2.5, 21).
    pub fn is_scalar(&self, id: TypeId) -> bool {
        self.is_arithmetic(id) || matches!(self.get(id), Type::Pointer(_))
    }

    /// Whether a value of it may hold pointers: it, elements or members are such.
    pub fn holds_pointers(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Array { element, .. } => self.holds_pointers(element.ty),
            Type::Record(record) => match &self.record(*record).members {
                Some(members) => (members.iter()).any(|member| self.holds_pointers(member.ty.ty)),
                None => true,
            },
            _ => !self.is_arithmetic(id),
        }
    }

    /// Whether it is a pointer.
    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer(_))
    }

    /// Whether it is an array.
    pub fn is_array(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Array { .. })
    }

    /// What is in an array of arrays, however many; of another type, itself.
    pub fn innermost(&self, ty: QualType) -> QualType {
        match self.get(ty.ty) {
            Type::Array { element, .. } => self.innermost(*element),
            _ => ty,
        }
    }

    /// The same type without qualifiers, of an array those of its elements (6.7.3p9).
    pub fn unqualified(&self, ty: TypeId) -> TypeId {
        match *self.get(ty) {
            Type::Array { element, length } => self.intern(Type::Array {
                element: QualType::plain(self.unqualified(element.ty)),
                length,
            }),
            _ => ty,
        }
    }

    /// The qualifiers that make this type of a plain one. Those of an array are its elements' (6.7.3p9).
    pub fn qualifiers_over(&self, ty: QualType, plain: TypeId) -> Option<Qualifiers> {
        if ty.ty == plain {
            return Some(ty.qualifiers);
        }
        match (self.get(ty.ty), self.get(plain)) {
            (
                Type::Array { element, length },
                Type::Array {
                    element: plain,
                    length: same,
                },
            ) if length == same && plain.qualifiers == Qualifiers::default() => {
                self.qualifiers_over(element.qualified(ty.qualifiers), plain.ty)
            }
            _ => None,
        }
    }

    /// Whether it is a variable length array, or an array of such.
    pub fn is_variable_length(&self, id: TypeId) -> bool {
        match self.get(id) {
            Type::Array {
                length: ArrayLength::Variable(_) | ArrayLength::Star,
                ..
            } => true,
            Type::Array { element, .. } => self.is_variable_length(element.ty),
            _ => false,
        }
    }
}

impl IntegerKind {
    /// In bytes, on an LP64 target.
    pub fn size(self) -> u64 {
        match self {
            Self::Char | Self::SignedChar | Self::UnsignedChar => 1,
            Self::Short | Self::UnsignedShort => 2,
            Self::Int | Self::UnsignedInt => 4,
            Self::Long | Self::UnsignedLong | Self::LongLong | Self::UnsignedLongLong => 8,
            Self::Int128 | Self::UnsignedInt128 => 16,
        }
    }

    /// Whether it has negative values. Plain `char` is signed on x86-64 and
    /// unsigned on aarch64; this answers for x86-64.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            Self::Char
                | Self::SignedChar
                | Self::Short
                | Self::Int
                | Self::Long
                | Self::LongLong
                | Self::Int128
        )
    }

    /// As C spells it.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Char => "char",
            Self::SignedChar => "signed char",
            Self::UnsignedChar => "unsigned char",
            Self::Short => "short",
            Self::UnsignedShort => "unsigned short",
            Self::Int => "int",
            Self::UnsignedInt => "unsigned",
            Self::Long => "long",
            Self::UnsignedLong => "unsigned long",
            Self::LongLong => "long long",
            Self::UnsignedLongLong => "unsigned long long",
            Self::Int128 => "__int128",
            Self::UnsignedInt128 => "unsigned __int128",
        }
    }
}

impl FloatingKind {
    /// In bytes, on x86-64.
    pub fn size(self) -> u64 {
        match self {
            Self::Float16 => 2,
            Self::Float => 4,
            Self::Double => 8,
            Self::LongDouble | Self::Float128 => 16,
        }
    }

    /// Whether GPUs have it, by the same name and of the same size.
    pub fn is_on_gpu(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }

    /// As C spells it.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Float16 => "_Float16",
            Self::Float => "float",
            Self::Double => "double",
            Self::LongDouble => "long double",
            Self::Float128 => "_Float128",
        }
    }
}

impl From<TypeId> for QualType {
    fn from(ty: TypeId) -> Self {
        Self::plain(ty)
    }
}

impl QualType {
    /// Without qualifiers.
    pub fn plain(ty: TypeId) -> Self {
        Self {
            ty,
            qualifiers: Qualifiers::default(),
        }
    }

    /// With more qualifiers.
    pub fn qualified(self, more: Qualifiers) -> Self {
        Self {
            ty: self.ty,
            qualifiers: self.qualifiers.union(more),
        }
    }
}
