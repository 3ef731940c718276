//! Semantic analysis: from the syntax tree to the typed tree (C11 6.2, 6.3,
//! 6.5 to 6.9).
//!
//! Input: an [`ast::TranslationUnit`]. Output: a [`Unit`] in which every name
//! is a symbol, every expression has a type and every implicit conversion is
//! a node. All errors of the file are reported in one go; a part that has one
//! becomes [`ExpressionKind::Error`], about which nothing more is said.
//!
//! The host program is compiled by the user's compiler afterwards. So what a
//! compiler merely warns of (a pointer from an integer, a missing `return`)
//! passes here without a word; what it rejects is an error here as well,
//! since code without a meaning cannot be translated.
//!
//! Assumes LP64 with the x86-64 System V layout (plain `char` is signed).
//! Recursion is as deep as the program is nested: sums of any length take
//! none, `else if` chains take two small frames a link; the driver gives the
//! thread a large stack.

mod attribute;
mod bit_field;
mod builtin;
mod call;
mod compatibility;
mod conversion;
mod declaration;
mod declarator;
mod directive;
mod enumeration;
mod expression;
mod function;
mod initializer;
mod layout;
mod literal;
mod member;
mod operator;
mod pack;
mod primary;
mod record;
mod scope;
mod specifier;
mod statement;
mod suggestion;
mod unary;

use std::collections::{HashMap, HashSet};

use crate::ast;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, codes};
use crate::source::{ForeignPragma, Span};
use crate::typed::print::{C, Printer};
use crate::typed::{
    Expression, ExpressionKind, FloatingKind, IntegerKind, QualType, RecordId, SymbolId, Type,
    TypeId, Types, Unit, VlaId, constant,
};

use function::FunctionState;
use pack::Packing;
use scope::Scopes;

/// Resolves names and types of a translation unit without `#pragma pack`.
///
/// The unit returned is whole even where errors were pushed, though parts of
/// it may be missing then.
pub fn analyse(unit: &ast::TranslationUnit, diagnostics: &mut Diagnostics) -> Unit {
    analyse_for(unit, &Given::default(), diagnostics)
}

/// What decides about types besides the text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// Pragmas, of which `pack` changes the layout of the structs after it.
    pub pragmas: &'a [ForeignPragma],
    /// The compiler is clang, and not GCC.
    pub is_clang: bool,
}

/// Resolves names and types of a translation unit as its compiler does.
pub fn analyse_for(
    unit: &ast::TranslationUnit,
    given: &Given<'_>,
    diagnostics: &mut Diagnostics,
) -> Unit {
    let mut analyser = Analyser::new(diagnostics);
    analyser.packing = Packing::new(given.pragmas);
    analyser.widens_bit_fields = given.is_clang;
    for item in &unit.items {
        analyser.external_item(item);
    }
    analyser.unit
}

/// The state of one analysis.
struct Analyser<'a> {
    /// What is being made.
    unit: Unit,
    diagnostics: &'a mut Diagnostics,
    scopes: Scopes,
    packing: Packing,
    basic: Basic,
    /// The function whose body is being analysed.
    function: Option<FunctionState>,
    /// Names with linkage that no open scope may show: those first declared
    /// by `extern` in a block.
    linked: HashMap<String, SymbolId>,
    /// The compiler's own functions that were used.
    builtins: HashMap<String, SymbolId>,
    /// Bit-fields wider than `int` have their declared type in expressions.
    widens_bit_fields: bool,
    /// Where expressions are that have the type of such a bit-field otherwise, with its bits.
    of_bit_fields: HashMap<Span, u32>,
    /// Unions with the attribute `transparent_union`.
    transparent: HashSet<RecordId>,
    /// Variable lengths of the declarator at hand, innermost first.
    lengths: Vec<VlaId>,
    /// Undeclared names that were reported in this function or declaration.
    reported: HashSet<String>,
}

/// The types that come up all the time.
#[derive(Clone, Copy, Debug)]
struct Basic {
    void: TypeId,
    bool: TypeId,
    char: TypeId,
    int: TypeId,
    unsigned: TypeId,
    long: TypeId,
    unsigned_long: TypeId,
    double: TypeId,
    void_pointer: TypeId,
}

impl Basic {
    fn new(types: &mut Types) -> Self {
        let void = types.intern(Type::Void);
        Self {
            void,
            bool: types.intern(Type::Bool),
            char: types.intern(Type::Integer(IntegerKind::Char)),
            int: types.intern(Type::Integer(IntegerKind::Int)),
            unsigned: types.intern(Type::Integer(IntegerKind::UnsignedInt)),
            long: types.intern(Type::Integer(IntegerKind::Long)),
            unsigned_long: types.intern(Type::Integer(IntegerKind::UnsignedLong)),
            double: types.intern(Type::Floating(FloatingKind::Double)),
            void_pointer: types.intern(Type::Pointer(QualType::plain(void))),
        }
    }
}

impl<'a> Analyser<'a> {
    fn new(diagnostics: &'a mut Diagnostics) -> Self {
        let mut unit = Unit::default();
        let basic = Basic::new(&mut unit.types);
        Self {
            unit,
            diagnostics,
            scopes: Scopes::new(),
            packing: Packing::default(),
            basic,
            function: None,
            linked: HashMap::new(),
            builtins: HashMap::new(),
            widens_bit_fields: false,
            of_bit_fields: HashMap::new(),
            transparent: HashSet::new(),
            lengths: Vec::new(),
            reported: HashSet::new(),
        }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: Code, message: impl Into<String>, span: Span) {
        self.push(Diagnostic::error(code, message, span));
    }

    /// Reports an error; what stands for the expression that has it.
    fn refuse(&mut self, error: Diagnostic, span: Span) -> Expression {
        self.push(error);
        self.poison(span)
    }

    /// The value of a constant expression; reports, as `otherwise`, one that
    /// is none and has no error yet.
    fn constant_of(&mut self, value: &Expression, otherwise: &str) -> Option<i128> {
        let known = constant::evaluate(&self.unit, value);
        if known.is_none() && !is_poison(value) {
            self.error(codes::NOT_CONSTANT, otherwise, value.span);
        }
        known
    }

    /// Reports a value that has to be constant, of a label or enumerator.
    fn not_constant(&mut self, message: &str, span: Span) {
        let error = Diagnostic::error(codes::NOT_CONSTANT, message, span);
        self.push(error.label("this is known only when the program runs"));
    }

    /// The type behind an id.
    fn get(&self, ty: TypeId) -> &Type {
        self.unit.types.get(ty)
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Pointer(_))
    }

    /// Whether it is a struct or union whose members are not known.
    fn is_opaque(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Record(id) if self.unit.types.record(*id).members.is_none())
    }

    /// A type as C writes it, for messages.
    fn show(&self, ty: QualType) -> String {
        Printer::new(&self.unit, &C).declaration(ty, "")
    }

    fn pointer_to(&mut self, to: QualType) -> TypeId {
        self.unit.types.intern(Type::Pointer(to))
    }

    /// An expression that is what it is, of an unqualified type.
    fn make(&self, kind: ExpressionKind, ty: TypeId, span: Span) -> Expression {
        Expression {
            kind,
            ty: QualType::plain(ty),
            span,
        }
    }

    /// An integer constant without a spelling.
    fn integer(&self, value: i128, ty: TypeId, span: Span) -> Expression {
        let spelling = None;
        self.make(ExpressionKind::Integer { value, spelling }, ty, span)
    }

    /// What stands for an expression with a reported error.
    fn poison(&self, span: Span) -> Expression {
        self.make(ExpressionKind::Error, self.basic.int, span)
    }
}

/// Whether nothing is to be said about an expression any more.
fn is_poison(expression: &Expression) -> bool {
    matches!(expression.kind, ExpressionKind::Error)
}

#[cfg(test)]
mod tests;
