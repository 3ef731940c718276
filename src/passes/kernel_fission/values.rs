//! What the host can evaluate itself.
//!
//! Arithmetic on constants, on variables whose value the kernel gets from the
//! host, and on scalars in device memory, which the host can read. Elements of
//! arrays and calls with effects are the device's.

use std::collections::BTreeSet;

use crate::typed::{
    Conversion, Expression, ExpressionKind, SymbolId, SymbolKind, Type, TypeId, UnaryOperator,
    Unit, library,
};

/// The variables of one kernel as the host sees them.
pub struct Values<'v> {
    /// What ids refer to.
    pub unit: &'v Unit,
    /// Have the same value on the host, now.
    pub known: BTreeSet<SymbolId>,
    /// Scalars that are, or can be put, into device memory.
    pub readable: BTreeSet<SymbolId>,
}

impl Values<'_> {
    /// The scalars that the host has to read to evaluate an expression, each
    /// once.
    ///
    /// # Errors
    /// The part that it cannot evaluate.
    pub fn reads<'e>(&self, e: &'e Expression) -> Result<Vec<SymbolId>, &'e Expression> {
        let mut found = Vec::new();
        self.search(e, &mut found)?;
        Ok(found)
    }

    /// Whether the host evaluates an expression without reading anything.
    pub fn is_known(&self, e: &Expression) -> bool {
        self.reads(e).is_ok_and(|reads| reads.is_empty())
    }

    fn search<'e>(
        &self,
        e: &'e Expression,
        found: &mut Vec<SymbolId>,
    ) -> Result<(), &'e Expression> {
        match &e.kind {
            ExpressionKind::Integer { .. } | ExpressionKind::Floating { .. } => Ok(()),
            ExpressionKind::Symbol(symbol) => self.symbol(*symbol, found).ok_or(e),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(Conversion::Arithmetic | Conversion::ToBool, inner) => {
                self.search(inner, found)
            }
            ExpressionKind::Cast(inner) if is_number(self.unit, e.ty.ty) => {
                self.search(inner, found)
            }
            ExpressionKind::Unary(
                UnaryOperator::Plus
                | UnaryOperator::Minus
                | UnaryOperator::BitNot
                | UnaryOperator::LogicalNot,
                inner,
            ) => self.search(inner, found),
            ExpressionKind::Binary(_, a, b) => {
                self.search(a, found)?;
                self.search(b, found)
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.search(condition, found)?;
                if let Some(then) = then {
                    self.search(then, found)?;
                }
                self.search(otherwise, found)
            }
            ExpressionKind::Member {
                base, arrow: false, ..
            } => {
                let is_known = part_of(base).is_some_and(|symbol| self.known.contains(&symbol));
                (is_known && is_number(self.unit, e.ty.ty))
                    .then_some(())
                    .ok_or(e)
            }
            ExpressionKind::Call {
                function,
                arguments,
            } if self.is_mathematics(function) => {
                for argument in arguments {
                    self.search(argument, found)?;
                }
                Ok(())
            }
            _ => Err(e),
        }
    }

    fn symbol(&self, symbol: SymbolId, found: &mut Vec<SymbolId>) -> Option<()> {
        let variable = self.unit.symbol(symbol);
        if matches!(variable.kind, SymbolKind::EnumConstant(_)) {
            return Some(());
        }
        if !is_number(self.unit, variable.ty.ty) || variable.ty.qualifiers.is_volatile {
            return None;
        }
        if self.known.contains(&symbol) {
            return Some(());
        }
        if !self.readable.contains(&symbol) {
            return None;
        }
        if !found.contains(&symbol) {
            found.push(symbol);
        }
        Some(())
    }

    fn is_mathematics(&self, function: &Expression) -> bool {
        let called = function.as_symbol().map(|symbol| self.unit.symbol(symbol));
        called.is_some_and(|called| {
            matches!(called.kind, SymbolKind::Function { .. })
                && library::is_same_on_host(&called.name)
        })
    }
}

/// The variable that a member is part of.
fn part_of(e: &Expression) -> Option<SymbolId> {
    match &e.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Member {
            base: inner,
            arrow: false,
            ..
        } => part_of(inner),
        _ => None,
    }
}

/// Whether a type is of plain numbers that host and device have alike.
pub fn is_number(unit: &Unit, ty: TypeId) -> bool {
    matches!(
        unit.types.get(ty),
        Type::Bool | Type::Integer(_) | Type::Floating(_) | Type::Enum(_)
    )
}
