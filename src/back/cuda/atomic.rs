//! Atomic accesses as CUDA's atomic functions, or as the runtime's where CUDA
//! has none for the type or the operator.
//!
//! ```text
//! #pragma acc atomic update          atomicAdd(&count[k], 1);
//! count[k]++;
//! #pragma acc atomic capture         v = accrs::atomic_update_after<accrs::Multiply>(&x, e);
//! v = x *= e;
//! ```

use super::body::Body;
use super::rows::Flat;
use crate::ir::{Atomic, AtomicAccess, AtomicAction, AtomicStep, Moment};
use crate::source::Span;
use crate::typed::print::precedence;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, FloatingKind, IntegerKind, QualType, Type,
    UnaryOperator,
};

impl Body<'_> {
    /// Prints an atomic access as one statement.
    pub(super) fn atomic(&mut self, atomic: &Atomic, span: Span) {
        let Ok(access) = atomic.access() else {
            return self.refuse("an atomic access of a form that is not known", span);
        };
        let value = match access.action {
            AtomicAction::Load => format!("accrs::atomic_load({})", self.address(&access)),
            AtomicAction::Store(value) => {
                let value = self.operand(value, precedence::ASSIGNMENT);
                let function = match access.capture {
                    Some(_) => "exchange",
                    None => "store",
                };
                format!(
                    "accrs::atomic_{function}({}, {value})",
                    self.address(&access)
                )
            }
            AtomicAction::Step(step) => self.atomic_step(&access, step),
        };
        match access.capture {
            Some((result, _)) => {
                let declared = self.first_values.remove(&span);
                let result = match declared {
                    Some(symbol) => self.declarator(symbol),
                    None => self.operand(result, precedence::UNARY),
                };
                self.lines.line(&format!("{result} = {value};"));
            }
            None => self.lines.line(&format!("{value};")),
        }
    }

    fn atomic_step(&self, access: &AtomicAccess<'_>, step: AtomicStep<'_>) -> String {
        let value = match step.value {
            Some(value) => self.operand(value.without_parentheses(), precedence::ASSIGNMENT),
            None => "1".to_string(),
        };
        let address = self.address(access);
        let after = matches!(access.capture, Some((_, Moment::After)));
        if let (false, Some(function)) = (after, self.function(access, step)) {
            return format!("atomic{function}({address}, {value})");
        }
        let commutes = matches!(
            step.operator,
            BinaryOperator::Add
                | BinaryOperator::Multiply
                | BinaryOperator::BitAnd
                | BinaryOperator::BitOr
                | BinaryOperator::BitXor
        );
        let mut operator = format!("accrs::{}", operator_name(step.operator));
        if step.reversed && !commutes {
            operator = format!("accrs::Reversed<{operator}>");
        }
        let after = if after { "_after" } else { "" };
        format!("accrs::atomic_update{after}<{operator}>({address}, {value})")
    }

    /// The address of what is accessed.
    fn address(&self, access: &AtomicAccess<'_>) -> String {
        let target = access.target.inner();
        match &target.kind {
            ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => {
                self.operand(pointer.without_parentheses(), precedence::ASSIGNMENT)
            }
            // An address without an access may lie elsewhere: its index is wider.
            _ if matches!(Flat::of(self.unit, target), Some(Flat::Element(_))) => {
                format!("&{}", self.operand(target, precedence::UNARY))
            }
            _ => {
                let address = Expression {
                    kind: ExpressionKind::Unary(UnaryOperator::AddressOf, Box::new(target.clone())),
                    ty: QualType::plain(target.ty.ty),
                    span: target.span,
                };
                self.operand(&address, precedence::ASSIGNMENT)
            }
        }
    }

    /// CUDA's own function for an update, if it computes as C does.
    fn function(&self, access: &AtomicAccess<'_>, step: AtomicStep<'_>) -> Option<&'static str> {
        let ty = access.target.ty;
        let own = step
            .computation
            .is_none_or(|computation| computation == ty.ty);
        if !own || ty.qualifiers.is_volatile || self.unit.types.beyond_gpu(ty.ty).is_some() {
            return None;
        }
        let (word, double_word) = match self.unit.types.get(ty.ty) {
            Type::Integer(IntegerKind::Int | IntegerKind::UnsignedInt) => (true, false),
            Type::Integer(IntegerKind::UnsignedLongLong) => (false, true),
            Type::Floating(FloatingKind::Float | FloatingKind::Double) => {
                return (step.operator == BinaryOperator::Add).then_some("Add");
            }
            _ => return None,
        };
        match step.operator {
            BinaryOperator::Add if word || double_word => Some("Add"),
            BinaryOperator::Subtract if word && !step.reversed => Some("Sub"),
            BinaryOperator::BitAnd if word || double_word => Some("And"),
            BinaryOperator::BitOr if word || double_word => Some("Or"),
            BinaryOperator::BitXor if word || double_word => Some("Xor"),
            _ => None,
        }
    }
}

/// The runtime's name of an operator.
fn operator_name(operator: BinaryOperator) -> &'static str {
    match operator {
        BinaryOperator::Add => "Add",
        BinaryOperator::Subtract => "Subtract",
        BinaryOperator::Multiply => "Multiply",
        BinaryOperator::Divide => "Divide",
        BinaryOperator::Remainder => "Remainder",
        BinaryOperator::BitAnd => "And",
        BinaryOperator::BitOr => "Or",
        BinaryOperator::BitXor => "Xor",
        BinaryOperator::ShiftLeft => "ShiftLeft",
        _ => "ShiftRight",
    }
}
