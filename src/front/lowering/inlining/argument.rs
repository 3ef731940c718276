//! Arguments: what of a pointer into an array may stand for the parameter wherever
//! the function names it.

use super::Inliner;
use crate::typed::{
    ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, QualType, Statement, Type,
    TypeId, UnaryOperator, Unit, synthesis,
};

/// `(e)`, unless nothing could bind tighter.
pub fn enclosed(e: Expression) -> Expression {
    match e.kind {
        ExpressionKind::Floating { .. }
        | ExpressionKind::Index(..)
        | ExpressionKind::Call { .. }
        | ExpressionKind::Convert(Conversion::ArrayToPointer, _) => e,
        _ => synthesis::parenthesized(e),
    }
}

/// A pointer without the conversions that only change its type.
pub fn stripped(e: &Expression) -> &Expression {
    match &e.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Cast(inner)
        | ExpressionKind::Convert(Conversion::Pointer, inner) => stripped(inner),
        _ => e,
    }
}

/// Whether elements behind two pointers are the same, whatever their
/// qualifiers.
pub fn is_same_element(unit: &Unit, a: TypeId, b: TypeId) -> bool {
    if a == b {
        return true;
    }
    let (
        Type::Array {
            element: a,
            length: m,
        },
        Type::Array {
            element: b,
            length: n,
        },
    ) = (unit.types.get(a), unit.types.get(b))
    else {
        return false;
    };
    let lengths_differ =
        matches!((m, n), (ArrayLength::Constant(m), ArrayLength::Constant(n)) if m != n);
    !lengths_differ && is_same_element(unit, a.ty, b.ty)
}

impl Inliner<'_> {
    /// Whether a value is the same throughout the function that it is given
    /// to: a constant, or a variable that only its own function can change.
    pub(super) fn is_stable(&self, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Integer { .. } | ExpressionKind::Floating { .. } => true,
            ExpressionKind::Parenthesized(inner) => self.is_stable(inner),
            ExpressionKind::Symbol(symbol) => {
                let variable = self.unit.symbol(*symbol);
                if !variable.is_variable() {
                    return true;
                }
                let is_array = self.unit.types.is_array(variable.ty.ty);
                is_array
                    || self.listed.contains(symbol)
                    || variable.is_automatic()
                        && !self.addresses.contains(symbol)
                        && !variable.ty.qualifiers.is_volatile
            }
            _ => false,
        }
    }

    /// A pointer into an array as it may stand for a parameter: without the
    /// conversions that only add qualifiers, and with indices that stay the
    /// same. `None` is one that needs a variable.
    pub(super) fn place(
        &mut self,
        argument: &Expression,
        wanted: QualType,
        name: &str,
        declarations: &mut Vec<Statement>,
    ) -> Option<Expression> {
        let inner = stripped(argument);
        let to = self.unit.types.pointee(wanted.ty)?;
        let from = self.unit.types.pointee(inner.ty.ty)?;
        if !is_same_element(self.unit, to.ty, from.ty) {
            return None;
        }
        let mut place = inner.clone();
        self.hold(&mut place, name, declarations)
            .then(|| address(place))
    }

    /// Puts the indices of a place into variables where they may change;
    /// whether it is one.
    fn hold(&mut self, e: &mut Expression, name: &str, declarations: &mut Vec<Statement>) -> bool {
        match &mut e.kind {
            ExpressionKind::Symbol(_) => self.is_stable(e),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(Conversion::ArrayToPointer, inner)
            | ExpressionKind::Unary(UnaryOperator::AddressOf | UnaryOperator::Indirection, inner)
            | ExpressionKind::Member { base: inner, .. } => self.hold(inner, name, declarations),
            ExpressionKind::Index(a, b)
            | ExpressionKind::Binary(BinaryOperator::Add | BinaryOperator::Subtract, a, b) => {
                let is_pointer = self.unit.types.is_pointer(a.ty.ty);
                let (base, index) = if is_pointer { (a, b) } else { (b, a) };
                let is_held = self.hold(base, name, declarations);
                if is_held {
                    self.hold_index(index, name, declarations);
                }
                is_held
            }
            _ => false,
        }
    }

    fn hold_index(&mut self, index: &mut Expression, name: &str, out: &mut Vec<Statement>) {
        if self.is_stable(index.inner()) && !matches!(index.kind, ExpressionKind::Convert(..)) {
            return;
        }
        let ty = QualType::plain(index.ty.ty);
        let span = index.span;
        let start = self.variable(&format!("{name}_start"), ty, span);
        let held = synthesis::symbol(self.unit, start, span);
        let value = std::mem::replace(index, held);
        out.push(synthesis::declaration(start, Some(value), span));
    }
}

/// `&p[i]` as `p + i`.
pub fn address(e: Expression) -> Expression {
    let ExpressionKind::Unary(UnaryOperator::AddressOf, target) = &e.kind else {
        return e;
    };
    match &target.without_parentheses().kind {
        ExpressionKind::Index(base, index) => Expression {
            kind: ExpressionKind::Binary(BinaryOperator::Add, base.clone(), index.clone()),
            ty: QualType::plain(base.ty.ty),
            span: e.span,
        },
        _ => e,
    }
}
