//! Declarations (C11 6.7) and function definitions (6.9.1).

use super::{CompoundStatement, Expression, Identifier, StringLiteral};
use crate::source::{Span, Spanned};

/// A function definition (6.9.1), old-style ones included.
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// Storage class, return type and function specifiers.
    pub specifiers: DeclarationSpecifiers,
    /// Name and parameters.
    pub declarator: Declarator,
    /// The parameter declarations of an old-style (K&R) definition.
    pub parameter_declarations: Vec<Declaration>,
    /// The body.
    pub body: CompoundStatement,
    /// From the first specifier to the closing brace.
    pub span: Span,
}

/// A declaration (6.7): specifiers and any number of declarators.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// What is common to all declarators.
    pub specifiers: DeclarationSpecifiers,
    /// The declared names; none in `struct s { … };`.
    pub declarators: Vec<InitDeclarator>,
    /// With the semicolon.
    pub span: Span,
}

/// Declaration specifiers (6.7).
#[derive(Clone, Debug, Default)]
pub struct DeclarationSpecifiers {
    /// `typedef extern static _Thread_local auto register`.
    pub storage: Vec<Spanned<StorageClass>>,
    /// `const volatile restrict _Atomic`.
    pub qualifiers: Qualifiers,
    /// `inline`.
    pub inline: bool,
    /// `_Noreturn`.
    pub noreturn: bool,
    /// The type specifiers in the order written.
    pub types: Vec<Spanned<TypeSpecifier>>,
    /// `_Alignas`.
    pub alignment: Vec<AlignmentSpecifier>,
    /// `__attribute__((…))`.
    pub attributes: Vec<Attribute>,
    /// The whole.
    pub span: Span,
}

/// A storage class (6.7.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are C's keywords")]
pub enum StorageClass {
    Typedef,
    Extern,
    Static,
    ThreadLocal,
    Auto,
    Register,
}

/// Type qualifiers (6.7.3) as a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Qualifiers {
    /// `const`.
    pub is_const: bool,
    /// `volatile`.
    pub is_volatile: bool,
    /// `restrict`.
    pub is_restrict: bool,
    /// `_Atomic` without parentheses.
    pub is_atomic: bool,
}

impl Qualifiers {
    /// Both sets together.
    pub fn union(self, other: Self) -> Self {
        Self {
            is_const: self.is_const || other.is_const,
            is_volatile: self.is_volatile || other.is_volatile,
            is_restrict: self.is_restrict || other.is_restrict,
            is_atomic: self.is_atomic || other.is_atomic,
        }
    }
}

/// One type specifier (6.7.2).
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names are C's keywords")]
pub enum TypeSpecifier {
    Void,
    Char,
    Short,
    Int,
    Long,
    Float,
    Double,
    Signed,
    Unsigned,
    Bool,
    Complex,
    Int128,
    /// `_Float16`, `_Float32`, `_Float64`, `_Float128`, `_Float32x`,
    /// `_Float64x`, `__float128`, by name.
    ExtendedFloat(String),
    /// `__builtin_va_list`.
    BuiltinVaList,
    /// `_Atomic(T)`.
    Atomic(Box<TypeName>),
    /// `struct` or `union`.
    Record(Box<RecordSpecifier>),
    Enum(Box<EnumSpecifier>),
    /// A typedef name.
    TypedefName(String),
    /// `typeof(expression)`.
    TypeofExpression(Box<Expression>),
    /// `typeof(type)`.
    TypeofType(Box<TypeName>),
}

/// `_Alignas(type)` or `_Alignas(expression)` (6.7.5).
#[derive(Clone, Debug)]
pub enum AlignmentSpecifier {
    /// As the type is aligned.
    Type(TypeName),
    /// To so many bytes.
    Expression(Expression),
}

/// One GNU attribute, `name` or `name(tokens)`.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Without leading and trailing double underscores.
    pub name: String,
    /// The arguments as expressions where they are such (`aligned(16)`,
    /// `vector_size(16)`, `mode(DI)`); empty otherwise.
    pub arguments: Vec<Expression>,
    /// Its place.
    pub span: Span,
}

/// `struct` or `union` specifier (6.7.2.1).
#[derive(Clone, Debug)]
pub struct RecordSpecifier {
    /// Whether it is a union.
    pub is_union: bool,
    /// The tag, if any.
    pub tag: Option<Identifier>,
    /// The members; `None` where the specifier only names the type.
    pub members: Option<Vec<MemberDeclaration>>,
    /// `packed`, `aligned`, …
    pub attributes: Vec<Attribute>,
    /// The whole.
    pub span: Span,
}

impl RecordSpecifier {
    /// `struct` or `union`.
    pub fn keyword(&self) -> &'static str {
        if self.is_union { "union" } else { "struct" }
    }
}

/// A struct-declaration (6.7.2.1).
#[derive(Clone, Debug)]
pub enum MemberDeclaration {
    /// Members of one type; an empty list is an anonymous struct or union.
    Members {
        /// Their type.
        specifiers: DeclarationSpecifiers,
        /// The members.
        declarators: Vec<MemberDeclarator>,
        /// With the semicolon.
        span: Span,
    },
    /// `_Static_assert` among the members.
    StaticAssert(StaticAssert),
}

/// A member, or a bit-field, named or not.
#[derive(Clone, Debug)]
pub struct MemberDeclarator {
    /// `None` for an unnamed bit-field.
    pub declarator: Option<Declarator>,
    /// The width of a bit-field.
    pub width: Option<Expression>,
    /// GNU attributes behind it.
    pub attributes: Vec<Attribute>,
}

/// `enum` specifier (6.7.2.2).
#[derive(Clone, Debug)]
pub struct EnumSpecifier {
    /// The tag, if any.
    pub tag: Option<Identifier>,
    /// `None` where the specifier only names the type.
    pub enumerators: Option<Vec<Enumerator>>,
    /// The whole.
    pub span: Span,
}

/// One enumeration constant.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Identifier,
    /// Its value, if given.
    pub value: Option<Expression>,
}

/// A declarator with its initialiser (6.7).
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// The name and its derivation.
    pub declarator: Declarator,
    /// `asm("label")`.
    pub assembly_label: Option<StringLiteral>,
    /// GNU attributes behind the declarator.
    pub attributes: Vec<Attribute>,
    /// `= …`.
    pub initializer: Option<Initializer>,
    /// The whole.
    pub span: Span,
}

/// A declarator (6.7.6), named or abstract.
///
/// `derivations` are in the order in which the type is read aloud: for
/// `int *a[3]` they are array of 3, then pointer.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// `None` in an abstract declarator.
    pub name: Option<Identifier>,
    /// From the name outwards.
    pub derivations: Vec<Derivation>,
    /// GNU attributes inside the declarator.
    pub attributes: Vec<Attribute>,
    /// The whole.
    pub span: Span,
}

/// One step from a name towards its base type.
#[derive(Clone, Debug)]
pub enum Derivation {
    /// `*` with its qualifiers.
    Pointer(Qualifiers),
    /// `[…]`.
    Array(ArrayDerivation),
    /// `(…)`.
    Function(FunctionDerivation),
}

/// An array declarator (6.7.6.2).
#[derive(Clone, Debug)]
pub struct ArrayDerivation {
    /// Qualifiers inside the brackets of a parameter.
    pub qualifiers: Qualifiers,
    /// `static` inside the brackets of a parameter.
    pub is_static: bool,
    /// The size.
    pub size: ArraySize,
    /// The brackets.
    pub span: Span,
}

/// What stands between the brackets.
#[derive(Clone, Debug)]
pub enum ArraySize {
    /// `[]`.
    Unspecified,
    /// `[*]`.
    Star,
    /// `[n]`, constant or variable.
    Expression(Box<Expression>),
}

/// A function declarator (6.7.6.3).
#[derive(Clone, Debug)]
pub struct FunctionDerivation {
    /// The parameters of a prototype; empty for `()` and `(void)`.
    pub parameters: Vec<ParameterDeclaration>,
    /// The identifier list of an old-style definition.
    pub identifiers: Vec<Identifier>,
    /// `(void)` or any parameter: a prototype. `()` is none.
    pub is_prototype: bool,
    /// Ends in `, ...`.
    pub is_variadic: bool,
    /// The parentheses.
    pub span: Span,
}

/// A parameter declaration.
#[derive(Clone, Debug)]
pub struct ParameterDeclaration {
    /// Its specifiers.
    pub specifiers: DeclarationSpecifiers,
    /// Named or abstract; with no derivations and no name if absent.
    pub declarator: Declarator,
    /// The whole.
    pub span: Span,
}

/// A type name (6.7.7).
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Its specifiers and qualifiers.
    pub specifiers: DeclarationSpecifiers,
    /// An abstract declarator.
    pub declarator: Declarator,
    /// The whole.
    pub span: Span,
}

/// An initialiser (6.7.9).
#[derive(Clone, Debug)]
pub enum Initializer {
    /// A single expression.
    Expression(Expression),
    /// `{ … }`.
    List(InitializerList),
}

/// A braced initialiser list.
#[derive(Clone, Debug)]
pub struct InitializerList {
    /// Its items.
    pub items: Vec<DesignatedInitializer>,
    /// The braces.
    pub span: Span,
}

/// An initialiser with the designators before it.
#[derive(Clone, Debug)]
pub struct DesignatedInitializer {
    /// None in a positional item.
    pub designators: Vec<Designator>,
    /// The value.
    pub initializer: Initializer,
}

/// A designator (6.7.9).
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name` (or the old `name:`).
    Member(Identifier),
    /// `[n]`.
    Index(Expression),
    /// `[a ... b]` (GNU).
    Range(Expression, Expression),
}

/// `_Static_assert` (6.7.10).
#[derive(Clone, Debug)]
pub struct StaticAssert {
    /// What must hold.
    pub condition: Expression,
    /// What is said otherwise.
    pub message: Option<StringLiteral>,
    /// The whole.
    pub span: Span,
}
