//! What a launch knows as the kernel will: values that the host has before it, and that
//! stay as they are.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 0; i < s.n - 1; i++)    // `s` is copied to the kernel, which does not write it
//! ```

use super::flow::object;
use crate::ir::{Kernel, Passing, Statement, visit};
use crate::typed::{self, Expression, ExpressionKind, SymbolId, Type, UnaryOperator, Unit};

/// Whether an expression has the same value at the launch and all through the kernel.
pub fn is_of_launch(e: &Expression, kernel: &Kernel, unit: &Unit) -> bool {
    typed::visit::all(e, &mut |e| match &e.kind {
        ExpressionKind::Symbol(symbol) => match kernel.capture(*symbol) {
            Some(capture) => capture.passing == Passing::Value && !moves(&kernel.body, *symbol),
            None => !unit.symbol(*symbol).is_variable(),
        },
        ExpressionKind::Integer { .. }
        | ExpressionKind::Parenthesized(_)
        | ExpressionKind::Convert(..)
        | ExpressionKind::Cast(_)
        | ExpressionKind::Conditional(..)
        | ExpressionKind::Member { arrow: false, .. }
        | ExpressionKind::Binary(..) => true,
        ExpressionKind::Unary(operator, _) => {
            matches!(operator, UnaryOperator::Plus | UnaryOperator::Minus)
        }
        _ => false,
    })
}

/// The same of a number that host and device compute alike: floating types may be contracted
/// on one of them.
pub fn is_exact(e: &Expression, kernel: &Kernel, unit: &Unit) -> bool {
    let is_whole = typed::visit::all(e, &mut |e| {
        let is_part = matches!(e.kind, ExpressionKind::Symbol(_));
        is_part && matches!(unit.types.get(e.ty.ty), Type::Record(_))
            || unit.types.is_integer(e.ty.ty)
    });
    is_whole && is_of_launch(e, kernel, unit)
}

/// Whether code may give a variable, or a part of it, another value.
pub fn moves(body: &[Statement], variable: SymbolId) -> bool {
    let mut found = false;
    visit::expressions(body, &mut |e| {
        let changed = match &e.kind {
            ExpressionKind::Unary(UnaryOperator::AddressOf, place) => Some(&**place),
            ExpressionKind::Statement(_) | ExpressionKind::VaArg(_) => return found = true,
            _ => e.assigned(),
        };
        found |= changed.is_some_and(|place| object(place).as_symbol() == Some(variable));
    });
    found
}
