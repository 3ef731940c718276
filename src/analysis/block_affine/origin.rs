//! What the first thread of a block computes, as an expression that every
//! thread can evaluate.

use super::Frame;
use crate::typed::print::{Language, Printer};
use crate::typed::{Conversion, Expression, ExpressionKind, QualType, SymbolId, Unit, visit};

/// C with variables by number, so that names in different scopes differ.
struct Numbered;

impl Language for Numbered {
    fn symbol(&self, _unit: &Unit, id: SymbolId) -> String {
        format!("v{}", id.0)
    }
}

impl Frame {
    /// An expression for the value of the block's first thread (all thread
    /// numbers 0): induction variables of tiles become the tile's first, and
    /// locals what they were set to.
    pub fn origin(&self, e: &Expression, unit: &Unit) -> Expression {
        let mut result = e.clone();
        visit::walk_mut(&mut result, &mut |e| {
            while let Some(known) = self.instead(e, unit) {
                *e = known;
            }
        });
        result
    }

    /// What stands for a variable in the first thread.
    fn instead(&self, e: &Expression, unit: &Unit) -> Option<Expression> {
        let ExpressionKind::Symbol(symbol) = e.kind else {
            return None;
        };
        if let Some(tile) = self.tiles.iter().find(|tile| tile.induction == symbol) {
            return Some(first_iteration(e, tile.first, unit));
        }
        let definition = self.definitions.get(&symbol)?;
        Some(inlined(definition, unit))
    }

    /// The text of a uniform value; equal texts are equal values.
    pub(super) fn key(&self, e: &Expression, unit: &Unit) -> String {
        Printer::text(unit, &Numbered, self.origin(e, unit).inner())
    }
}

/// The tile's first iteration in place of the induction variable.
fn first_iteration(e: &Expression, first: SymbolId, unit: &Unit) -> Expression {
    let ty = unit.symbol(first).ty;
    let symbol = Expression {
        kind: ExpressionKind::Symbol(first),
        ty,
        span: e.span,
    };
    if ty.ty == e.ty.ty {
        return symbol;
    }
    Expression {
        kind: ExpressionKind::Cast(Box::new(symbol)),
        ty: QualType::plain(e.ty.ty),
        span: e.span,
    }
}

/// A local's value in place of its name: what the declaration converted is
/// converted in so many words.
fn inlined(definition: &Expression, unit: &Unit) -> Expression {
    let changes = |inner: &Expression| {
        let is_token = matches!(inner.inner().kind, ExpressionKind::Integer { .. });
        let types = &unit.types;
        inner.ty.ty != definition.ty.ty
            && !is_token
            && types.is_arithmetic(inner.ty.ty)
            && types.is_arithmetic(definition.ty.ty)
    };
    match &definition.kind {
        ExpressionKind::Convert(Conversion::Arithmetic | Conversion::ToBool, inner)
            if changes(inner) =>
        {
            Expression {
                kind: ExpressionKind::Cast(inner.clone()),
                ty: QualType::plain(definition.ty.ty),
                span: definition.span,
            }
        }
        _ => definition.clone(),
    }
}
