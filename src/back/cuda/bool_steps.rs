//! Steps of `_Bool`s, which C++17 does not have.
//!
//! ```text
//! b = true                            ++b
//! accrs::exchange(b, true)            b++
//! accrs::flip(b)                      b--
//! (s.b = !s.b, !s.b)                  s.b--, of a bit-field
//! ```

use super::language::Cuda;
use crate::typed::print::{Printer, precedence};
use crate::typed::{Expression, ExpressionKind, Type, UnaryOperator, Unit};

impl Cuda {
    /// `b++` and the like of a `_Bool`: it becomes true, or its opposite. No reference can be bound to a
    /// bit-field.
    pub(super) fn write_bool_step(
        &self,
        printer: &mut Printer<'_, Self>,
        operator: UnaryOperator,
        operand: &Expression,
    ) {
        use UnaryOperator as U;
        let object = self.operand(printer.unit, operand, precedence::UNARY);
        printer.push(&match (operator, is_bit_field(printer.unit, operand)) {
            (U::PreIncrement, _) => format!("{object} = true"),
            (U::PostIncrement, true) => format!("{object} ? true : ({object} = true, false)"),
            (U::PostIncrement, false) => format!("accrs::exchange({object}, true)"),
            (U::PreDecrement, true) => format!("{object} = !{object}"),
            (U::PreDecrement, false) => format!("!accrs::flip({object})"),
            (_, true) => format!("({object} = !{object}, !{object})"),
            (_, false) => format!("accrs::flip({object})"),
        });
    }
}

/// Whether C++17 has no such operator: it counts a `_Bool` up or down.
pub fn is_bool_step(unit: &Unit, operator: UnaryOperator, operand: &Expression) -> bool {
    operator.is_step() && matches!(unit.types.get(operand.ty.ty), Type::Bool)
}

fn is_bit_field(unit: &Unit, object: &Expression) -> bool {
    let ExpressionKind::Member { record, member, .. } = &object.inner().kind else {
        return false;
    };
    let members = unit.types.record(*record).members.as_ref();
    members.is_some_and(|all| all.get(*member).is_some_and(|m| m.bit_field.is_some()))
}
