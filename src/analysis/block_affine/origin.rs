//! What the first thread of a block computes, as an expression that every
//! thread can evaluate.

use super::Frame;
use crate::typed::print::{Language, Printer};
use crate::typed::{Expression, ExpressionKind, SymbolId, Unit, synthesis, visit};

/// The most definitions that are put into each other.
const MOST_DEFINITIONS: usize = 32;

/// C with variables by number, so that names in different scopes differ.
struct Numbered;

impl Language for Numbered {
    fn symbol(&self, _unit: &Unit, id: SymbolId) -> String {
        format!("v{}", id.0)
    }
}

impl Frame<'_> {
    /// An expression for the value of the block's first thread (all thread
    /// numbers 0): induction variables of tiles become the tile's first, and
    /// locals what they were set to.
    pub fn origin(&self, e: &Expression) -> Expression {
        let mut result = e.clone();
        visit::walk_mut(&mut result, &mut |e| {
            while let Some(known) = self.instead(e) {
                *e = known;
            }
        });
        result
    }

    /// What stands for a variable in the first thread.
    fn instead(&self, e: &Expression) -> Option<Expression> {
        let ExpressionKind::Symbol(symbol) = e.kind else {
            return None;
        };
        if self.unit.symbol(symbol).is_thread_index() {
            return Some(synthesis::integer(0, e.ty.ty, e.span));
        }
        if let Some(tile) = self.tiles.iter().find(|tile| tile.induction == symbol) {
            let first = synthesis::symbol(self.unit, tile.first, e.span);
            return Some(synthesis::cast(first, e.ty.ty));
        }
        self.definition(e)
    }

    /// The value of the thread at hand with what locals were set to in their place, if few of them say
    /// it.
    pub fn written_out(&self, e: &Expression) -> Option<Expression> {
        let mut result = e.clone();
        let mut left = Some(MOST_DEFINITIONS);
        visit::walk_mut(&mut result, &mut |e| {
            while let Some(known) = self.definition(e) {
                let Some(rest) = left.and_then(|left: usize| left.checked_sub(1)) else {
                    left = None;
                    return;
                };
                left = Some(rest);
                *e = known;
            }
        });
        left.map(|_| result)
    }

    /// What a local was set to.
    fn definition(&self, e: &Expression) -> Option<Expression> {
        let ExpressionKind::Symbol(symbol) = e.kind else {
            return None;
        };
        let definition = self.definitions.get(&symbol)?;
        Some(inlined(definition, self.unit))
    }

    /// The text of an expression; equal texts are equal values, as long as no variable in them changes.
    pub fn text(&self, e: &Expression) -> String {
        Printer::text(self.unit, &Numbered, e.inner())
    }

    /// The text of a uniform value; equal texts are equal values.
    pub(super) fn key(&self, e: &Expression) -> String {
        self.text(&self.origin(e))
    }
}

/// A local's value in place of its name: what the declaration converted is
/// converted in so many words.
fn inlined(definition: &Expression, unit: &Unit) -> Expression {
    let is_token = |e: &Expression| matches!(e.inner().kind, ExpressionKind::Integer { .. });
    match &definition.kind {
        ExpressionKind::Convert(_, inner)
            if inner.ty.ty != definition.ty.ty
                && !is_token(inner)
                && unit.types.is_arithmetic(inner.ty.ty)
                && unit.types.is_arithmetic(definition.ty.ty) =>
        {
            definition.clone().explicit()
        }
        _ => definition.clone(),
    }
}
