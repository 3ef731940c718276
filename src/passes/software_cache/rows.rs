//! How many rows an array has, as its kernel says it.
//!
//! ```c
//! #pragma acc fcw FETCH_ONLY(now[row:1:1:column:1:1])
//! {
//!     if (row >= 0 && row < rows && …)   // `now` has `rows` rows, one would think
//! ```
//!
//! A launch looks whether just these are present. Where they are, slots are tested as the iterations
//! are, and no kernel tests twice.

use super::Pass;
use crate::analysis::launch_value::is_of_launch;
use crate::ir::{Kernel, Window, visit};
use crate::typed::constant::evaluate;
use crate::typed::{
    ArrayLength, BinaryOperator, Expression, ExpressionKind, SymbolId, Type, TypeId, Unit,
    synthesis,
};

impl Pass<'_> {
    /// The number that conditions compare the window's outermost index with, if it is one and the same:
    /// bounds of loops say what is visited rather than what there is. No array of another length has
    /// so many. `index` is what slots have in the place of that index.
    pub(super) fn rows(&self, window: &Window, index: SymbolId) -> Option<Expression> {
        let (kernel, unit): (&Kernel, &Unit) = (self.kernel, self.unit);
        let [outermost, _, ..] = window.dimensions.as_slice() else {
            return None;
        };
        let int = synthesis::int(unit);
        let pivot = outermost
            .pivot
            .as_symbol()
            .filter(|_| unit.symbol(index).ty.ty == int)?;
        let mut found = limits(kernel, pivot, int);
        let first = found.pop()?;
        let is_first = |other: &Expression| other.is_same(&first);
        let is_said = found.iter().all(is_first) && is_of_launch(&first, kernel, unit);
        let length = match unit.types.get(unit.symbol(window.array).ty.ty) {
            Type::Array {
                length: ArrayLength::Constant(length),
                ..
            } => Some(i128::from(*length)),
            _ => None,
        };
        let fits = length.is_none_or(|length| evaluate(unit, &first) == Some(length));
        (is_said && fits).then_some(first)
    }
}

/// The numbers and captured variables of this type that a variable is said to be less than.
fn limits(kernel: &Kernel, variable: SymbolId, int: TypeId) -> Vec<Expression> {
    let mut found = Vec::new();
    let mut limit = |e: &Expression| {
        let e = e.inner();
        let is_number = match e.kind {
            ExpressionKind::Symbol(symbol) => kernel.capture(symbol).is_some(),
            ExpressionKind::Integer { .. } => true,
            _ => false,
        };
        found.extend((is_number && e.ty.ty == int).then(|| e.clone()));
    };
    visit::expressions(&kernel.body, &mut |e| {
        use BinaryOperator::{Greater, Less};
        match &e.kind {
            ExpressionKind::Binary(Less, left, right) if left.as_symbol() == Some(variable) => {
                limit(right);
            }
            ExpressionKind::Binary(Greater, left, right) if right.as_symbol() == Some(variable) => {
                limit(left);
            }
            _ => {}
        }
    });
    found
}
