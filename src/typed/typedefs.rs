//! Names that a file gives to arithmetic types, enumerations and arrays of these, and what it declares by them; the
//! words of lengths and sizes; the alignment of variables.
//!
//! Types are interned without such names: `real` and `double` are one type. What is printed for
//! people can still say `real` where the declaration said so, by a typedef or by a macro. So can a
//! length say `DIM`, and a size `sizeof(real)`.

use std::collections::HashMap;

use super::{Expression, QualType, Symbol, SymbolId, TypeId};
use crate::source::Span;

/// The index of a name in its [`Typedefs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypedefId(pub u32);

/// `typedef double real;`, or words such as `unsigned long` in a declaration.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The new name; `None` for words of C, which may come from a macro.
    pub name: Option<String>,
    /// It is a function's.
    pub is_local: bool,
    /// Words of integer types as they are written, in one form for all spellings of a word.
    pub words: Option<String>,
    /// The unqualified type.
    pub ty: TypeId,
    /// The other such name that it, or its elements, were declared by.
    pub base: Option<TypedefId>,
    /// Where the lengths of an array stand.
    pub lengths: Vec<Span>,
    /// Its declarator, or the words.
    pub span: Span,
}

/// Those of a unit.
#[derive(Clone, Debug, Default)]
pub struct Typedefs {
    list: Vec<Typedef>,
    /// By where the object's name is declared: copies that passes make of it have the same place.
    of_symbols: HashMap<u32, TypedefId>,
    /// By where the cast begins.
    of_casts: HashMap<u32, TypedefId>,
    /// By where the object's name is declared.
    of_lengths: HashMap<u32, Vec<Span>>,
    /// In bytes, by where the variable's name is declared.
    alignments: HashMap<u32, u64>,
    /// Constant ones, by where they stand.
    lengths: HashMap<Span, Expression>,
    /// Of enumerators.
    values: HashMap<SymbolId, Expression>,
    of_sizes: HashMap<Span, SizeOf>,
}

/// What a constant says of a type.
#[derive(Clone, Debug)]
pub enum Measure {
    /// `sizeof`.
    Size,
    /// `_Alignof`.
    Alignment,
    /// `offsetof` with this member.
    Offset(String),
}

/// What `sizeof` and its like are of.
#[derive(Clone, Debug)]
pub struct SizeOf {
    /// Which of them it is.
    pub measure: Measure,
    /// The type, or that of the expression.
    pub ty: QualType,
    /// Its name, or that of its elements.
    pub by: Option<TypedefId>,
    /// The expression.
    pub of: Option<Box<Expression>>,
}

impl Typedefs {
    /// Adds a name.
    pub fn add(&mut self, typedef: Typedef) -> TypedefId {
        let number = u32::try_from(self.list.len()).expect("fewer than 2^32 names of types");
        self.list.push(typedef);
        TypedefId(number)
    }

    /// A name.
    pub fn get(&self, id: TypedefId) -> &Typedef {
        &self.list[id.0 as usize]
    }

    /// All, in the order of the file.
    pub fn all(&self) -> impl Iterator<Item = (TypedefId, &Typedef)> {
        (0..).map(TypedefId).zip(&self.list)
    }

    /// Notes by which name the type of the object with this place, or that of its elements, is
    /// declared.
    pub fn declare(&mut self, symbol: Span, by: TypedefId) {
        self.of_symbols.insert(symbol.start, by);
    }

    /// Notes the name in a cast.
    pub fn cast(&mut self, span: Span, by: TypedefId) {
        self.of_casts.insert(span.start, by);
    }

    /// The name that an object, or the result of a function, is declared by.
    pub fn of_symbol(&self, symbol: &Symbol) -> Option<TypedefId> {
        self.of_symbols.get(&symbol.span.start).copied()
    }

    /// Notes where the lengths of an object stand that is declared at this place, from the outermost.
    pub fn declare_lengths(&mut self, symbol: Span, lengths: Vec<Span>) {
        if !lengths.is_empty() {
            self.of_lengths.insert(symbol.start, lengths);
        }
    }

    /// Notes the alignment that the declaration of a local variable asks for, in bytes.
    pub fn align(&mut self, symbol: Span, bytes: u64) {
        self.alignments.insert(symbol.start, bytes);
    }

    /// That alignment.
    pub fn alignment(&self, symbol: &Symbol) -> Option<u64> {
        self.alignments.get(&symbol.span.start).copied()
    }

    /// Notes what a constant length is written as.
    pub fn declare_length(&mut self, place: Span, length: Expression) {
        self.lengths.insert(place, length);
    }

    /// The lengths in a declarator and those of the types that it is declared by.
    pub fn all_lengths(&self, own: &[Span], by: Option<TypedefId>) -> Vec<Span> {
        let types = std::iter::successors(by, |by| self.get(*by).base);
        let of_types = types.flat_map(|by| &self.get(by).lengths);
        own.iter().chain(of_types).copied().collect()
    }

    /// The constant length that stands there.
    pub fn length(&self, place: Span) -> Option<&Expression> {
        self.lengths.get(&place)
    }

    /// Notes what the value of an enumerator is written as.
    pub fn declare_value(&mut self, enumerator: SymbolId, value: Expression) {
        self.values.insert(enumerator, value);
    }

    /// The value of an enumerator, where it has one of its own.
    pub fn value(&self, enumerator: SymbolId) -> Option<&Expression> {
        self.values.get(&enumerator)
    }

    /// Notes what a `sizeof` or the like is of.
    pub fn size(&mut self, span: Span, sized: SizeOf) {
        self.of_sizes.insert(span, sized);
    }

    /// Where the lengths of an object stand.
    pub fn lengths(&self, symbol: &Symbol) -> &[Span] {
        let found = self.of_lengths.get(&symbol.span.start);
        found.map_or(&[], Vec::as_slice)
    }

    /// What the `sizeof` there is of.
    pub fn of_size(&self, span: Span) -> Option<&SizeOf> {
        self.of_sizes.get(&span)
    }

    /// The name in the cast that begins there.
    pub fn of_cast(&self, span: Span) -> Option<TypedefId> {
        self.of_casts.get(&span.start).copied()
    }
}
