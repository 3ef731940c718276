//! Unary operators (C11 6.5.2.4, 6.5.3).

use super::bit_field::Bits;
use super::{Analyser, is_poison};
use crate::ast;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, QualType, Type, TypeId, UnaryOperator};

impl Analyser<'_> {
    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &ast::Expression,
        span: Span,
    ) -> Expression {
        use UnaryOperator as U;
        if operator == U::Extension {
            return self.expression(operand);
        }
        let operand = self.expression(operand);
        if is_poison(&operand) {
            return self.poison(span);
        }
        match operator {
            U::AddressOf => self.address_of(operand, span),
            U::Indirection => self.indirection(operand, span),
            U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement => {
                self.step(operator, operand, span)
            }
            U::Plus | U::Minus => self.sign(operator, operand, span),
            U::BitNot => self.bit_not(operand, span),
            U::LogicalNot => {
                let operand = self.decay(operand);
                let at = operand.span;
                let operand = self.check_scalar(operand, at);
                let ty = match self.get(operand.ty.ty) {
                    Type::Vector { .. } => operand.ty.ty,
                    _ => self.basic.int,
                };
                self.unary_of(operator, operand, ty, span)
            }
            U::Real | U::Imaginary => {
                let ty = match *self.get(operand.ty.ty) {
                    Type::Complex(kind) => self.unit.types.intern(Type::Floating(kind)),
                    _ => operand.ty.ty,
                };
                self.unary_of(operator, operand, ty, span)
            }
            U::Extension => operand,
        }
    }

    fn unary_of(
        &self,
        operator: UnaryOperator,
        operand: Expression,
        ty: TypeId,
        span: Span,
    ) -> Expression {
        if is_poison(&operand) {
            return self.poison(span);
        }
        self.make(ExpressionKind::Unary(operator, Box::new(operand)), ty, span)
    }

    /// `&e` (6.5.3.2).
    fn address_of(&mut self, operand: Expression, span: Span) -> Expression {
        let is_function = matches!(self.get(operand.ty.ty), Type::Function(_));
        if self.bit_field_width(&operand).is_some() {
            let message = "a bit-field has no address";
            let error = Diagnostic::error(codes::INVALID_OPERANDS, message, span);
            return self.refuse(error.label("this is a bit-field"), span);
        }
        if !is_function && !self.is_lvalue(&operand) {
            let message = "only objects and functions have an address";
            let error = Diagnostic::error(codes::INVALID_OPERANDS, message, operand.span)
                .label("this is a value")
                .help("store it in a variable first");
            return self.refuse(error, span);
        }
        let pointer = self.pointer_to(operand.ty);
        self.unary_of(UnaryOperator::AddressOf, operand, pointer, span)
    }

    /// `*e`; of a pointer to function, the function.
    fn indirection(&mut self, operand: Expression, span: Span) -> Expression {
        let operand = self.decay(operand);
        let Type::Pointer(to) = *self.get(operand.ty.ty) else {
            let have = self.show(operand.ty);
            let message = format!("a `{have}` cannot be dereferenced");
            let error = Diagnostic::error(codes::INVALID_OPERANDS, message, span);
            return self.refuse(error.label("a pointer or array is needed here"), span);
        };
        Expression {
            kind: ExpressionKind::Unary(UnaryOperator::Indirection, Box::new(operand)),
            ty: to,
            span,
        }
    }

    /// `++` and `--` (6.5.2.4, 6.5.3.1).
    fn step(&mut self, operator: UnaryOperator, operand: Expression, span: Span) -> Expression {
        if !self.check_modifiable(&operand) {
            return self.poison(span);
        }
        let ty = operand.ty.ty;
        if !self.unit.types.is_scalar(ty) && !self.is_lenient(ty) {
            return self.wrong_operand(&operand, span);
        }
        let operand = self.as_byte_pointer(operand);
        let stepped = self.unary_of(operator, operand.clone(), operand.ty.ty, span);
        self.as_pointer(stepped, ty)
    }

    fn sign(&mut self, operator: UnaryOperator, operand: Expression, span: Span) -> Expression {
        let operand = self.decay(operand);
        if self.is_lenient(operand.ty.ty) {
            let ty = operand.ty.ty;
            return self.unary_of(operator, operand, ty, span);
        }
        if !self.unit.types.is_arithmetic(operand.ty.ty) {
            return self.wrong_operand(&operand, span);
        }
        let has_more = operator == UnaryOperator::Minus;
        let bits = self.bits(&operand).map(|count| Bits { count, has_more });
        let operand = self.promote(operand);
        let ty = operand.ty.ty;
        let result = self.unary_of(operator, operand, ty, span);
        self.in_bits(result, bits)
    }

    /// `~e`; of a complex number, GNU's conjugate.
    fn bit_not(&mut self, operand: Expression, span: Span) -> Expression {
        let operand = self.decay(operand);
        let is_fine = self.unit.types.is_integer(operand.ty.ty)
            || self.is_lenient(operand.ty.ty)
            || matches!(self.get(operand.ty.ty), Type::Complex(_));
        if !is_fine {
            return self.wrong_operand(&operand, span);
        }
        let has_more = true;
        let bits = self.bits(&operand).map(|count| Bits { count, has_more });
        let operand = self.promote(operand);
        let ty = operand.ty.ty;
        let result = self.unary_of(UnaryOperator::BitNot, operand, ty, span);
        self.in_bits(result, bits)
    }

    fn wrong_operand(&mut self, operand: &Expression, span: Span) -> Expression {
        let have = self.show(QualType::plain(operand.ty.ty));
        let message = format!("this operator does not apply to a `{have}`");
        let error = Diagnostic::error(codes::INVALID_OPERANDS, message, span);
        self.refuse(error.also(operand.span, format!("a `{have}`")), span)
    }

    /// Whether an operand can be changed (6.3.2.1, 1); reports it if not.
    pub(super) fn check_modifiable(&mut self, target: &Expression) -> bool {
        let problem = if !self.is_lvalue(target) {
            Some(("a value cannot be assigned to", "this is no variable"))
        } else if target.ty.qualifiers.is_const {
            Some(("a `const` object cannot be changed", "this is `const`"))
        } else if matches!(self.get(target.ty.ty), Type::Array { .. }) {
            Some(("an array cannot be assigned to", "this is an array"))
        } else {
            None
        };
        let Some((message, label)) = problem else {
            return true;
        };
        let mut error = Diagnostic::error(codes::NOT_ASSIGNABLE, message, target.span).label(label);
        if let Some(id) = target.as_symbol() {
            error = error.also(self.unit.symbol(id).span, "declared here");
        }
        self.push(error);
        false
    }
}
