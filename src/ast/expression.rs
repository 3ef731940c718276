//! Expressions (C11 6.5) with GNU extensions.

use super::{CompoundStatement, Identifier, InitializerList, TypeName};
use crate::source::Span;

/// An expression and its place.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// Its text.
    pub span: Span,
}

/// The forms of expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// A name.
    Identifier(String),
    /// An integer, floating or character constant, spelled as written.
    Constant(Constant),
    /// Adjacent string literals, joined.
    String(StringLiteral),
    /// `( e )`, kept since output follows the source's grouping.
    Parenthesized(Box<Expression>),
    /// `_Generic(e, T: a, default: b)`; the type is `None` for `default`.
    Generic(Box<Expression>, Vec<(Option<TypeName>, Expression)>),
    /// `a[i]`.
    Index(Box<Expression>, Box<Expression>),
    /// `f(args)`.
    Call(Box<Expression>, Vec<Expression>),
    /// `a.m`, or `a->m` where `arrow`.
    Member {
        /// The record or the pointer to it.
        base: Box<Expression>,
        /// The member.
        member: Identifier,
        /// `->`.
        arrow: bool,
    },
    /// `(T){ … }`.
    CompoundLiteral(Box<TypeName>, InitializerList),
    /// Prefix and postfix operators.
    Unary(UnaryOperator, Box<Expression>),
    /// `sizeof e`.
    SizeofExpression(Box<Expression>),
    /// `sizeof(T)`.
    SizeofType(Box<TypeName>),
    /// `_Alignof(T)`.
    AlignofType(Box<TypeName>),
    /// `__alignof__ e`.
    AlignofExpression(Box<Expression>),
    /// `(T)e`.
    Cast(Box<TypeName>, Box<Expression>),
    /// Arithmetic, logical and relational operators.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `c ? a : b`; GNU's `c ?: b` has no middle.
    Conditional(Box<Expression>, Option<Box<Expression>>, Box<Expression>),
    /// `a = b`, or `a op= b`.
    Assign(Option<BinaryOperator>, Box<Expression>, Box<Expression>),
    /// `a, b`.
    Comma(Box<Expression>, Box<Expression>),
    /// `({ … })` (GNU).
    Statement(Box<CompoundStatement>),
    /// `&&label` (GNU).
    LabelAddress(Identifier),
    /// `__builtin_va_arg(e, T)`.
    VaArg(Box<Expression>, Box<TypeName>),
    /// `__builtin_offsetof(T, m.n[i])`.
    Offsetof(Box<TypeName>, Vec<OffsetofStep>),
    /// `__builtin_types_compatible_p(T, U)`.
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(c, a, b)`.
    ChooseExpression(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `__builtin_convertvector(e, T)`.
    ConvertVector(Box<Expression>, Box<TypeName>),
    /// `__builtin_bit_cast(T, e)` (clang).
    BitCast(Box<TypeName>, Box<Expression>),
}

/// One step of an `offsetof` path.
#[derive(Clone, Debug)]
pub enum OffsetofStep {
    /// `.m`.
    Member(Identifier),
    /// `[i]`.
    Index(Expression),
}

/// A constant (6.4.4) as spelled; its value and type are found by `sema`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constant {
    /// With suffix.
    Integer(String),
    /// With suffix.
    Floating(String),
    /// With quotes and prefix.
    Character(String),
}

/// A string literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLiteral {
    /// The pieces as spelled, each with prefix and quotes.
    pub pieces: Vec<String>,
    /// All pieces.
    pub span: Span,
}

/// Unary operators (6.5.2.4, 6.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum UnaryOperator {
    PostIncrement,
    PostDecrement,
    PreIncrement,
    PreDecrement,
    AddressOf,
    Indirection,
    Plus,
    Minus,
    BitNot,
    LogicalNot,
    /// `__real__`.
    Real,
    /// `__imag__`.
    Imaginary,
    /// `__extension__`.
    Extension,
}

impl UnaryOperator {
    /// The operator as C spells it; what is a word has a blank behind it.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::PostIncrement | Self::PreIncrement => "++",
            Self::PostDecrement | Self::PreDecrement => "--",
            Self::AddressOf => "&",
            Self::Indirection => "*",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::BitNot => "~",
            Self::LogicalNot => "!",
            Self::Real => "__real__ ",
            Self::Imaginary => "__imag__ ",
            Self::Extension => "__extension__ ",
        }
    }

    /// Whether it counts its operand up or down.
    pub fn is_step(self) -> bool {
        matches!(
            self,
            Self::PostIncrement | Self::PostDecrement | Self::PreIncrement | Self::PreDecrement
        )
    }
}

/// Declares the binary operators with their spellings and binding strengths.
macro_rules! binary_operators {
    ($($name:ident = $spelling:literal, $precedence:literal;)*) => {
        /// Binary operators (6.5.5 to 6.5.14).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum BinaryOperator {
            $($name),*
        }

        impl BinaryOperator {
            /// The operator as C spells it.
            pub fn spelling(self) -> &'static str {
                match self {
                    $(Self::$name => $spelling),*
                }
            }

            /// The operator that C spells so.
            pub fn spelled(text: &str) -> Option<Self> {
                match text {
                    $($spelling => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// Binding strength: 10 for `*`, 1 for `||` (6.5.5 to 6.5.14).
            pub fn precedence(self) -> u8 {
                match self {
                    $(Self::$name => $precedence),*
                }
            }
        }
    };
}

binary_operators! {
    Multiply = "*", 10;
    Divide = "/", 10;
    Remainder = "%", 10;
    Add = "+", 9;
    Subtract = "-", 9;
    ShiftLeft = "<<", 8;
    ShiftRight = ">>", 8;
    Less = "<", 7;
    Greater = ">", 7;
    LessEqual = "<=", 7;
    GreaterEqual = ">=", 7;
    Equal = "==", 6;
    NotEqual = "!=", 6;
    BitAnd = "&", 5;
    BitXor = "^", 4;
    BitOr = "|", 3;
    LogicalAnd = "&&", 2;
    LogicalOr = "||", 1;
}

impl BinaryOperator {
    /// Whether the result is a truth value (`int` 0 or 1 in C).
    pub fn is_logical(self) -> bool {
        self.precedence() <= 2 || matches!(self.precedence(), 6 | 7)
    }
}
