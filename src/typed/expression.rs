//! Typed expressions.

use super::{QualType, RecordId, Statement, SymbolId, TypeId};
pub use crate::ast::{BinaryOperator, UnaryOperator};
use crate::source::Span;

/// An expression with its type.
#[derive(Clone, Debug)]
pub struct Expression {
    /// What it is.
    pub kind: ExpressionKind,
    /// The type of its value (of an lvalue, that of the object).
    pub ty: QualType,
    /// Its text.
    pub span: Span,
}

/// The forms of typed expressions.
#[derive(Clone, Debug)]
pub enum ExpressionKind {
    /// An integer constant expression that was one token, or a resolved
    /// `sizeof`, `offsetof`, enumerator and the like. `spelling` is the token
    /// where there was one.
    Integer {
        /// Its value.
        value: i128,
        /// As written.
        spelling: Option<String>,
    },
    /// A floating constant.
    Floating {
        /// Its value rounded to double.
        value: f64,
        /// As written, suffix included.
        spelling: String,
    },
    /// A string literal (an array of the expression's type).
    String {
        /// As written, pieces side by side.
        spelling: Vec<String>,
    },
    /// A variable, function or enumeration constant.
    Symbol(SymbolId),
    /// `( e )`.
    Parenthesized(Box<Expression>),
    /// `p[i]`: a pointer (an array is converted) and an integer, whichever
    /// was written first.
    Index(Box<Expression>, Box<Expression>),
    /// A call; arguments are converted to the prototype's types or promoted.
    Call {
        /// A function designator or a pointer to function.
        function: Box<Expression>,
        /// The arguments.
        arguments: Vec<Expression>,
    },
    /// `b.m` or `p->m`. Anonymous members on the way have their own node.
    Member {
        /// The record, or the pointer to it.
        base: Box<Expression>,
        /// The record.
        record: RecordId,
        /// Index into its members.
        member: usize,
        /// `->`.
        arrow: bool,
    },
    /// `(T){ … }`.
    CompoundLiteral(Box<Initializer>),
    /// Prefix and postfix operators (never `__extension__`).
    Unary(UnaryOperator, Box<Expression>),
    /// Operands are converted to their common type where C does so.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `c ? a : b`; without a middle, the condition's value.
    Conditional(Box<Expression>, Option<Box<Expression>>, Box<Expression>),
    /// `a = b`; the value is converted to the target's type.
    Assign(Box<Expression>, Box<Expression>),
    /// `a op= b`: computed in `computation`, then converted back.
    CompoundAssign {
        /// The operator.
        operator: BinaryOperator,
        /// The target.
        target: Box<Expression>,
        /// The right operand, promoted or converted to `computation`.
        value: Box<Expression>,
        /// The type of the operation.
        computation: TypeId,
    },
    /// `a, b`.
    Comma(Box<Expression>, Box<Expression>),
    /// An explicit cast to the expression's type.
    Cast(Box<Expression>),
    /// An implicit conversion to the expression's type.
    Convert(Conversion, Box<Expression>),
    /// `sizeof` of a variable length array (others are [`Self::Integer`]).
    SizeofVariable(QualType),
    /// `({ … })`.
    Statement(Box<Statement>),
    /// `&&label`, host only.
    LabelAddress(String),
    /// `va_arg`, host only.
    VaArg(Box<Expression>),
    /// What follows an error that was already reported.
    Error,
}

impl ExpressionKind {
    /// An expression of this form with a type and a place.
    pub fn at(self, ty: impl Into<QualType>, span: Span) -> Expression {
        Expression {
            kind: self,
            ty: ty.into(),
            span,
        }
    }
}

/// Implicit conversions (6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// Between arithmetic types.
    Arithmetic,
    /// To `_Bool`.
    ToBool,
    /// An array to the address of its first element.
    ArrayToPointer,
    /// A function to its address.
    FunctionToPointer,
    /// A null pointer constant to a pointer.
    NullPointer,
    /// Between pointers, `void *` included.
    Pointer,
    /// Between integer and pointer (a warning in C).
    IntegerPointer,
}

/// An initialiser, with every value at its resolved position (6.7.9).
#[derive(Clone, Debug)]
pub enum Initializer {
    /// A value of the object's type (a string for a `char` array).
    Expression(Expression),
    /// Members or elements by index, ascending and each once; what is not
    /// named is zero. Of a union, the one member that is set.
    Aggregate(Vec<(u64, Initializer)>),
}

impl Expression {
    /// An implicit conversion as one that stays where the expression is moved.
    #[must_use]
    pub fn explicit(self) -> Self {
        match self.kind {
            ExpressionKind::Convert(Conversion::Arithmetic | Conversion::ToBool, inner) => Self {
                kind: ExpressionKind::Cast(inner),
                ..self
            },
            _ => self,
        }
    }

    /// What it assigns to by itself: the target of `=`, `+=`, `++`.
    pub fn assigned(&self) -> Option<&Self> {
        match &self.kind {
            ExpressionKind::Assign(target, _) | ExpressionKind::CompoundAssign { target, .. } => {
                Some(target)
            }
            ExpressionKind::Unary(operator, target) if operator.is_step() => Some(target),
            _ => None,
        }
    }

    /// The expression inside parentheses and implicit conversions.
    pub fn inner(&self) -> &Expression {
        match &self.kind {
            ExpressionKind::Parenthesized(e) | ExpressionKind::Convert(_, e) => e.inner(),
            _ => self,
        }
    }

    /// The expression inside parentheses.
    pub fn without_parentheses(&self) -> &Expression {
        match &self.kind {
            ExpressionKind::Parenthesized(e) => e.without_parentheses(),
            _ => self,
        }
    }

    /// The expression inside parentheses, conversions and casts.
    pub fn without_conversions(&self) -> &Expression {
        match &self.inner().kind {
            ExpressionKind::Cast(e) => e.without_conversions(),
            _ => self.inner(),
        }
    }

    /// Whether a variable occurs in it, statement expressions included.
    pub fn mentions(&self, symbol: SymbolId) -> bool {
        super::visit::any(
            self,
            &mut |e| matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol),
        )
    }

    /// The symbol, if the expression is just a name.
    pub fn as_symbol(&self) -> Option<SymbolId> {
        match self.inner().kind {
            ExpressionKind::Symbol(id) => Some(id),
            _ => None,
        }
    }

    /// Whether two expressions without effects are written alike and computed
    /// in the same types, implicit conversions and parentheses apart.
    pub fn is_same(&self, other: &Expression) -> bool {
        let (a, b) = (self.inner(), other.inner());
        let is_computed = matches!(
            a.kind,
            ExpressionKind::Integer { .. } | ExpressionKind::Unary(..) | ExpressionKind::Binary(..)
        );
        if is_computed && a.ty.ty != b.ty.ty {
            return false;
        }
        match (&a.kind, &b.kind) {
            (ExpressionKind::Symbol(x), ExpressionKind::Symbol(y)) => x == y,
            (
                ExpressionKind::Integer { value: x, .. },
                ExpressionKind::Integer { value: y, .. },
            ) => x == y,
            (
                ExpressionKind::Floating { spelling: x, .. },
                ExpressionKind::Floating { spelling: y, .. },
            ) => x == y,
            (ExpressionKind::Cast(p), ExpressionKind::Cast(q)) => a.ty == b.ty && p.is_same(q),
            (ExpressionKind::Index(p, i), ExpressionKind::Index(q, j)) => {
                p.is_same(q) && i.is_same(j)
            }
            (ExpressionKind::Binary(f, p, i), ExpressionKind::Binary(g, q, j)) => {
                f == g && p.is_same(q) && i.is_same(j)
            }
            (ExpressionKind::Unary(f, p), ExpressionKind::Unary(g, q)) => {
                f == g && !f.is_step() && p.is_same(q)
            }
            (
                ExpressionKind::Member {
                    base: p,
                    member: m,
                    arrow: x,
                    ..
                },
                ExpressionKind::Member {
                    base: q,
                    member: n,
                    arrow: y,
                    ..
                },
            ) => m == n && x == y && p.is_same(q),
            (
                ExpressionKind::Call {
                    function: f,
                    arguments: xs,
                },
                ExpressionKind::Call {
                    function: g,
                    arguments: ys,
                },
            ) => {
                f.is_same(g) && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| x.is_same(y))
            }
            _ => false,
        }
    }
}
