//! Binary operators, assignment and `?:` (C11 6.5.5 to 6.5.16).

use super::conversion::{Destination, union};
use super::{Analyser, is_poison};
use crate::ast;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, IntegerKind, QualType, Type, TypeId,
};

impl Analyser<'_> {
    /// A binary operation. Chains that lean to the left, such as long sums,
    /// are unrolled, so that their length costs no stack.
    pub(super) fn binary(&mut self, e: &ast::Expression) -> Expression {
        let mut chain = Vec::new();
        let mut first = e;
        while let ast::ExpressionKind::Binary(operator, left, right) = &first.kind {
            chain.push((*operator, right, first.span));
            first = left;
        }
        let mut left = self.value(first);
        for (operator, right, span) in chain.into_iter().rev() {
            let right = self.value(right);
            left = self.binary_of(operator, left, right, span);
        }
        left
    }

    fn binary_of(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Expression {
        use BinaryOperator as B;
        if is_poison(&left) || is_poison(&right) {
            return self.poison(span);
        }
        if self.is_lenient(left.ty.ty) || self.is_lenient(right.ty.ty) {
            return self.vector_operation(operator, left, right, span);
        }
        match operator {
            B::Add | B::Subtract => self.additive(operator, left, right, span),
            B::Multiply | B::Divide => self.arithmetic(operator, left, right, span, false),
            B::Remainder | B::BitAnd | B::BitXor | B::BitOr => {
                self.arithmetic(operator, left, right, span, true)
            }
            B::ShiftLeft | B::ShiftRight => self.shift(operator, left, right, span),
            B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual => {
                self.comparison(operator, left, right, span)
            }
            B::LogicalAnd | B::LogicalOr => {
                let (a, b) = (left.span, right.span);
                let left = self.check_scalar(left, a);
                let right = self.check_scalar(right, b);
                self.operation(operator, left, right, self.basic.int, span)
            }
        }
    }

    fn operation(
        &self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        ty: TypeId,
        span: Span,
    ) -> Expression {
        if is_poison(&left) || is_poison(&right) {
            return self.poison(span);
        }
        let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
        self.make(kind, ty, span)
    }

    /// `* / %` and the bitwise operators: both sides in their common type.
    fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
        needs_integers: bool,
    ) -> Expression {
        let types = &self.unit.types;
        let fits = |ty| {
            if needs_integers {
                types.is_integer(ty)
            } else {
                types.is_arithmetic(ty)
            }
        };
        if !fits(left.ty.ty) || !fits(right.ty.ty) {
            return self.wrong_operands(operator, &left, &right, span);
        }
        let (left, right, common) = self.convert_both(left, right);
        self.operation(operator, left, right, common, span)
    }

    /// Both operands in their common type. A real operand of a complex
    /// operation stays real.
    fn convert_both(
        &mut self,
        left: Expression,
        right: Expression,
    ) -> (Expression, Expression, TypeId) {
        let common = self.common_type(&left, &right);
        let left = self.convert_operand(left, common);
        let right = self.convert_operand(right, common);
        (left, right, common)
    }

    fn convert_operand(&mut self, e: Expression, common: TypeId) -> Expression {
        if let Type::Complex(kind) = *self.get(common)
            && !matches!(self.get(e.ty.ty), Type::Complex(_))
        {
            // The conversion keeps the operand in its domain (6.3.1.8).
            let real = self.unit.types.intern(Type::Floating(kind));
            return self.to_arithmetic(e, real);
        }
        self.to_arithmetic(e, common)
    }

    /// `+` and `-` (6.5.6).
    fn additive(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Expression {
        let left_pointer = matches!(self.get(left.ty.ty), Type::Pointer(_));
        let right_pointer = matches!(self.get(right.ty.ty), Type::Pointer(_));
        let is_sum = operator == BinaryOperator::Add;
        match (left_pointer, right_pointer) {
            (false, false) => self.arithmetic(operator, left, right, span, false),
            (true, false) if self.unit.types.is_integer(right.ty.ty) => {
                let ty = left.ty.ty;
                self.pointer_step(operator, left, right, ty, span)
            }
            (false, true) if is_sum && self.unit.types.is_integer(left.ty.ty) => {
                let ty = right.ty.ty;
                self.pointer_step(operator, left, right, ty, span)
            }
            (true, true) if !is_sum => self.operation(operator, left, right, self.basic.long, span),
            _ => self.wrong_operands(operator, &left, &right, span),
        }
    }

    fn pointer_step(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        pointer: TypeId,
        span: Span,
    ) -> Expression {
        if let Type::Pointer(to) = *self.get(pointer)
            && let Type::Record(id) = *self.get(to.ty)
            && self.unit.types.record(id).members.is_none()
        {
            self.incomplete(to, span, "a pointer to it cannot be moved");
            return self.poison(span);
        }
        self.operation(operator, left, right, pointer, span)
    }

    fn shift(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Expression {
        let types = &self.unit.types;
        if !types.is_integer(left.ty.ty) || !types.is_integer(right.ty.ty) {
            return self.wrong_operands(operator, &left, &right, span);
        }
        let (left, right) = (self.promote(left), self.promote(right));
        let ty = left.ty.ty;
        self.operation(operator, left, right, ty, span)
    }

    /// Relational and equality operators (6.5.8, 6.5.9): the result is `int`.
    fn comparison(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Expression {
        let types = &self.unit.types;
        if types.is_arithmetic(left.ty.ty) && types.is_arithmetic(right.ty.ty) {
            let (left, right, _) = self.convert_both(left, right);
            return self.operation(operator, left, right, self.basic.int, span);
        }
        let fits = |e: &Expression| {
            matches!(types.get(e.ty.ty), Type::Pointer(_)) || types.is_integer(e.ty.ty)
        };
        if !fits(&left) || !fits(&right) {
            return self.wrong_operands(operator, &left, &right, span);
        }
        let (left, right) = self.pointers_alike(left, right);
        self.operation(operator, left, right, self.basic.int, span)
    }

    /// Gives a null constant or integer beside a pointer the pointer's type.
    fn pointers_alike(&mut self, left: Expression, right: Expression) -> (Expression, Expression) {
        let is_pointer =
            |this: &Self, e: &Expression| matches!(this.get(e.ty.ty), Type::Pointer(_));
        match (is_pointer(self, &left), is_pointer(self, &right)) {
            (true, false) => {
                let right = self.convert_to_pointer(right, left.ty.ty);
                (left, right)
            }
            (false, true) => {
                let left = self.convert_to_pointer(left, right.ty.ty);
                (left, right)
            }
            _ if self.is_null_constant(&right) => {
                let right = self.convert_to_pointer(right, left.ty.ty);
                (left, right)
            }
            _ if self.is_null_constant(&left) => {
                let left = self.convert_to_pointer(left, right.ty.ty);
                (left, right)
            }
            _ => (left, right),
        }
    }

    fn convert_to_pointer(&mut self, e: Expression, pointer: TypeId) -> Expression {
        let how = if self.is_null_constant(&e) {
            Conversion::NullPointer
        } else if self.unit.types.is_integer(e.ty.ty) {
            Conversion::IntegerPointer
        } else {
            Conversion::Pointer
        };
        self.convert(e, pointer, how)
    }

    fn wrong_operands(
        &mut self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
        span: Span,
    ) -> Expression {
        let (a, b) = (
            self.show(QualType::plain(left.ty.ty)),
            self.show(QualType::plain(right.ty.ty)),
        );
        self.push(
            Diagnostic::error(
                codes::INVALID_OPERANDS,
                format!(
                    "`{}` does not apply to `{a}` and `{b}`",
                    operator.spelling()
                ),
                span,
            )
            .also(left.span, format!("`{a}`"))
            .also(right.span, format!("`{b}`")),
        );
        self.poison(span)
    }

    /// Operations on GNU vectors: the host's compiler checks them.
    fn vector_operation(
        &mut self,
        operator: BinaryOperator,
        left: Expression,
        right: Expression,
        span: Span,
    ) -> Expression {
        let vector = if matches!(self.get(left.ty.ty), Type::Vector { .. }) {
            left.ty.ty
        } else {
            right.ty.ty
        };
        let ty = if operator.is_logical() {
            self.mask_of(vector)
        } else {
            vector
        };
        self.operation(operator, left, right, ty, span)
    }

    /// The vector of signed integers that a comparison of vectors gives.
    fn mask_of(&mut self, vector: TypeId) -> TypeId {
        let Type::Vector { element, lanes } = *self.get(vector) else {
            return self.basic.int;
        };
        let kind = match self.unit.types.size(element) {
            Some(1) => IntegerKind::SignedChar,
            Some(2) => IntegerKind::Short,
            Some(8) => IntegerKind::Long,
            _ => IntegerKind::Int,
        };
        let element = self.unit.types.intern(Type::Integer(kind));
        self.unit.types.intern(Type::Vector { element, lanes })
    }

    /// `=` and `op=` (6.5.16).
    pub(super) fn assign(
        &mut self,
        operator: Option<BinaryOperator>,
        target: &ast::Expression,
        value: &ast::Expression,
        span: Span,
    ) -> Expression {
        let target = self.expression(target);
        let value = self.value(value);
        if is_poison(&target) || is_poison(&value) || !self.check_modifiable(&target) {
            return self.poison(span);
        }
        let Some(operator) = operator else {
            let value = self.assign_convert(value, target.ty, Destination::Assignment);
            if is_poison(&value) {
                return self.poison(span);
            }
            let ty = target.ty.ty;
            let kind = ExpressionKind::Assign(Box::new(target), Box::new(value));
            return self.make(kind, ty, span);
        };
        self.compound_assign(operator, target, value, span)
    }

    /// `a op= b` means what `a = a op b` means, with `a` evaluated once: the
    /// operation is typed like the binary one.
    fn compound_assign(
        &mut self,
        operator: BinaryOperator,
        target: Expression,
        value: Expression,
        span: Span,
    ) -> Expression {
        // Only type and width of the left side count here.
        let left = Expression {
            kind: match self.bit_field_width(&target) {
                Some(_) => target.kind.clone(),
                None => ExpressionKind::Integer {
                    value: 0,
                    spelling: None,
                },
            },
            ty: QualType::plain(target.ty.ty),
            span: target.span,
        };
        let operation = self.binary_of(operator, left, value, span);
        let ExpressionKind::Binary(_, _, value) = operation.kind else {
            return self.poison(span);
        };
        let ty = target.ty.ty;
        let kind = ExpressionKind::CompoundAssign {
            operator,
            target: Box::new(target),
            value,
            computation: operation.ty.ty,
        };
        self.make(kind, ty, span)
    }

    /// `c ? a : b` (6.5.15) and GNU's `c ?: b`.
    pub(super) fn conditional(
        &mut self,
        condition: &ast::Expression,
        middle: Option<&ast::Expression>,
        last: &ast::Expression,
        span: Span,
    ) -> Expression {
        let condition = self.condition(condition);
        let middle = middle.map(|middle| self.value(middle));
        let last = self.value(last);
        if is_poison(&condition) || middle.as_ref().is_some_and(is_poison) || is_poison(&last) {
            return self.poison(span);
        }
        let Some(middle) = middle else {
            // The condition serves twice, so it cannot be converted here.
            let ty = self.conditional_type(&condition, &last, span);
            let last = match ty {
                Some(ty) => self.assign_convert(last, ty, Destination::Assignment),
                None => return self.poison(span),
            };
            let ty = ty.map_or(self.basic.int, |ty| ty.ty);
            let kind = ExpressionKind::Conditional(Box::new(condition), None, Box::new(last));
            return self.make(kind, ty, span);
        };
        let Some(ty) = self.conditional_type(&middle, &last, span) else {
            return self.poison(span);
        };
        let (middle, last) = if ty.ty == self.basic.void {
            (middle, last)
        } else {
            (
                self.assign_convert(middle, ty, Destination::Assignment),
                self.assign_convert(last, ty, Destination::Assignment),
            )
        };
        let kind = ExpressionKind::Conditional(
            Box::new(condition),
            Some(Box::new(middle)),
            Box::new(last),
        );
        self.make(kind, ty.ty, span)
    }

    /// The type of a conditional expression with these two values.
    fn conditional_type(&mut self, a: &Expression, b: &Expression, span: Span) -> Option<QualType> {
        let types = &self.unit.types;
        let void = self.basic.void;
        if types.is_arithmetic(a.ty.ty) && types.is_arithmetic(b.ty.ty) {
            return Some(QualType::plain(self.common_type(a, b)));
        }
        if a.ty.ty == b.ty.ty || b.ty.ty == void && a.ty.ty == void {
            return Some(QualType::plain(a.ty.ty));
        }
        // One side without a value: a warning in compilers.
        if a.ty.ty == void || b.ty.ty == void {
            return Some(QualType::plain(void));
        }
        if self.is_lenient(a.ty.ty) || self.is_lenient(b.ty.ty) {
            return Some(QualType::plain(a.ty.ty));
        }
        let ty = match (types.get(a.ty.ty).clone(), types.get(b.ty.ty).clone()) {
            (Type::Pointer(x), Type::Pointer(y)) => Some(self.common_pointer(a, x, b, y)),
            (Type::Pointer(_), _) if types.is_integer(b.ty.ty) => Some(a.ty.ty),
            (_, Type::Pointer(_)) if types.is_integer(a.ty.ty) => Some(b.ty.ty),
            _ => None,
        };
        if ty.is_none() {
            let (x, y) = (self.show(a.ty), self.show(b.ty));
            self.push(
                Diagnostic::error(
                    codes::INVALID_OPERANDS,
                    format!("the two sides of `?:` have types `{x}` and `{y}`"),
                    span,
                )
                .also(a.span, format!("`{x}`"))
                .also(b.span, format!("`{y}`")),
            );
        }
        ty.map(QualType::plain)
    }

    /// The pointer type of `c ? a : b` (6.5.15, 6).
    fn common_pointer(
        &mut self,
        a: &Expression,
        to_a: QualType,
        b: &Expression,
        to_b: QualType,
    ) -> TypeId {
        if self.is_null_constant(a) {
            return b.ty.ty;
        }
        if self.is_null_constant(b) {
            return a.ty.ty;
        }
        let qualifiers = union(to_a.qualifiers, to_b.qualifiers);
        let ty = if to_a.ty == self.basic.void || to_b.ty == self.basic.void {
            self.basic.void
        } else if self.are_compatible_unqualified(to_a.ty, to_b.ty) {
            let plain = QualType::plain(to_a.ty);
            self.composite(plain, QualType::plain(to_b.ty)).ty
        } else {
            to_a.ty
        };
        let to = self.qualify(QualType::plain(ty), qualifiers);
        self.pointer_to(to)
    }
}
