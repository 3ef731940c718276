//! What a kernel takes for granted, since every launch of it looks.
//!
//! ```text
//! accrs::disjoint(a, b) && pitch >= columns
//! ```

use crate::typed::{Expression, SymbolId};

/// Where one of them does not hold, launches run [`Launch::alternative`](super::Launch::alternative).
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// Pairs of captured arrays that do not overlap in device memory.
    pub disjoint: Vec<(SymbolId, SymbolId)>,
    /// Conditions on captured numbers, exact on the host: `pitch >= columns`.
    pub conditions: Vec<Expression>,
}

impl Assumptions {
    /// Whether nothing is taken for granted.
    pub fn is_empty(&self) -> bool {
        self.disjoint.is_empty() && self.conditions.is_empty()
    }

    /// Whether these two do not overlap, in either order.
    pub fn are_disjoint(&self, a: SymbolId, b: SymbolId) -> bool {
        let pairs = [(a, b), (b, a)];
        pairs.iter().any(|pair| self.disjoint.contains(pair))
    }

    /// Whether a condition is among them.
    pub fn holds(&self, condition: &Expression) -> bool {
        self.conditions.iter().any(|own| own.is_same(condition))
    }

    /// Takes more for granted, each once.
    pub fn extend(&mut self, others: &Self) {
        for &(a, b) in &others.disjoint {
            if !self.are_disjoint(a, b) {
                self.disjoint.push((a, b));
            }
        }
        for condition in &others.conditions {
            if !self.holds(condition) {
                self.conditions.push(condition.clone());
            }
        }
    }

    /// Leaves out what others have.
    pub fn without(mut self, others: &Self) -> Self {
        self.disjoint.retain(|&(a, b)| !others.are_disjoint(a, b));
        self.conditions.retain(|condition| !others.holds(condition));
        self
    }
}
