//! Binary operators, assignment and `?:` (C11 6.5.5 to 6.5.16).

use super::conversion::Destination;
use super::{Analyser, is_poison};
use crate::ast;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, IntegerKind, QualType, Type, TypeId,
    UnaryOperator,
};

/// A binary operation on values.
pub(super) struct Operation {
    pub(super) operator: BinaryOperator,
    pub(super) left: Expression,
    pub(super) right: Expression,
    span: Span,
}

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
            left = self.operation(Operation {
                operator,
                left,
                right,
                span,
            });
        }
        left
    }

    fn operation(&mut self, of: Operation) -> Expression {
        let bits = self.bits_of(&of);
        let result = self.operation_of_types(of);
        self.in_bits(result, bits)
    }

    /// The operation in the types that its operands are declared with.
    fn operation_of_types(&mut self, of: Operation) -> Expression {
        use BinaryOperator as B;
        if is_poison(&of.left) || is_poison(&of.right) {
            return self.poison(of.span);
        }
        if self.is_lenient(of.left.ty.ty) || self.is_lenient(of.right.ty.ty) {
            return self.vector_operation(of);
        }
        match of.operator {
            B::Add | B::Subtract => self.additive(of),
            B::Multiply | B::Divide => self.arithmetic(of, false),
            B::Remainder | B::BitAnd | B::BitXor | B::BitOr => self.arithmetic(of, true),
            B::ShiftLeft | B::ShiftRight => self.shift(of),
            B::Less | B::Greater | B::LessEqual | B::GreaterEqual | B::Equal | B::NotEqual => {
                self.comparison(of)
            }
            B::LogicalAnd | B::LogicalOr => {
                let (a, b) = (of.left.span, of.right.span);
                let left = self.check_scalar(of.left, a);
                let right = self.check_scalar(of.right, b);
                self.of_type(self.basic.int, Operation { left, right, ..of })
            }
        }
    }

    /// An operation that has been checked, with the type of its result.
    fn of_type(&self, ty: TypeId, of: Operation) -> Expression {
        if is_poison(&of.left) || is_poison(&of.right) {
            return self.poison(of.span);
        }
        let kind = ExpressionKind::Binary(of.operator, Box::new(of.left), Box::new(of.right));
        self.make(kind, ty, of.span)
    }

    /// `* / %` and the bitwise operators: both sides in their common type.
    fn arithmetic(&mut self, of: Operation, needs_integers: bool) -> Expression {
        let types = &self.unit.types;
        let fits = |e: &Expression| match needs_integers {
            true => types.is_integer(e.ty.ty),
            false => types.is_arithmetic(e.ty.ty),
        };
        if !fits(&of.left) || !fits(&of.right) {
            return self.wrong_operands(&of);
        }
        let (common, of) = self.convert_both(of);
        self.of_type(common, of)
    }

    /// Both operands in their common type. A real operand of a complex
    /// operation stays real.
    fn convert_both(&mut self, of: Operation) -> (TypeId, Operation) {
        let common = self.common_type(&of.left, &of.right);
        let bits = self.bits_read(&of);
        let left = self.convert_operand(of.left, common, bits);
        let right = self.convert_operand(of.right, common, bits);
        (common, Operation { left, right, ..of })
    }

    /// An operand in the common type, or in so many bits of it.
    fn convert_operand(&mut self, e: Expression, common: TypeId, bits: Option<u32>) -> Expression {
        if let Type::Complex(kind) = *self.get(common)
            && !matches!(self.get(e.ty.ty), Type::Complex(_))
        {
            // The conversion keeps the operand in its domain (6.3.1.8).
            let real = self.unit.types.intern(Type::Floating(kind));
            return self.to_arithmetic(e, real);
        }
        if self.bits(&e).is_some() && self.unit.types.is_signed(common) {
            // C++ converts the other operand.
            return self.to_arithmetic(e, common).explicit();
        }
        let bits = bits.filter(|_| self.bits(&e).is_none() && self.may_be_negative(&e));
        let converted = self.to_arithmetic(e, common);
        match bits {
            Some(bits) => self.masked(converted, bits),
            None => converted,
        }
    }

    /// `+` and `-` (6.5.6).
    fn additive(&mut self, of: Operation) -> Expression {
        let (left, right) = (of.left.ty.ty, of.right.ty.ty);
        let is_sum = of.operator == BinaryOperator::Add;
        match (self.is_pointer(left), self.is_pointer(right)) {
            (false, false) => self.arithmetic(of, false),
            (true, false) if self.unit.types.is_integer(right) => self.pointer_step(left, of),
            (false, true) if is_sum && self.unit.types.is_integer(left) => {
                self.pointer_step(right, of)
            }
            (true, true) if !is_sum => {
                let of = self.of_bytes(of);
                self.of_type(self.basic.long, of)
            }
            _ => self.wrong_operands(&of),
        }
    }

    fn pointer_step(&mut self, pointer: TypeId, of: Operation) -> Expression {
        if let Type::Pointer(to) = *self.get(pointer)
            && self.is_opaque(to.ty)
        {
            self.incomplete(to, of.span, "a pointer to it cannot be moved");
            return self.poison(of.span);
        }
        if self.is_void_pointer(pointer) {
            let of = self.of_bytes(of);
            let bytes = [of.left.ty.ty, of.right.ty.ty]
                .into_iter()
                .find(|ty| self.is_pointer(*ty));
            let moved = self.pointer_step(bytes.unwrap_or(pointer), of);
            return self.as_pointer(moved, pointer);
        }
        // The pointer is no integer, and stays.
        let (left, right) = (self.promote(of.left), self.promote(of.right));
        self.of_type(pointer, Operation { left, right, ..of })
    }

    /// An operation that GNU C has of pointers to `void`, which C++ has not: of pointers to bytes.
    fn of_bytes(&mut self, of: Operation) -> Operation {
        let [left, right] = [of.left, of.right].map(|e| {
            let bytes = self.byte_pointer(e.ty.ty);
            bytes.map_or(e.clone(), |bytes| {
                self.convert(e, bytes, Conversion::Pointer)
            })
        });
        Operation { left, right, ..of }
    }

    pub(super) fn is_void_pointer(&self, ty: TypeId) -> bool {
        matches!(self.get(ty), Type::Pointer(to) if to.ty == self.basic.void)
    }

    /// `char *` for `void *`, with its qualifiers.
    fn byte_pointer(&mut self, ty: TypeId) -> Option<TypeId> {
        let Type::Pointer(to) = *self.get(ty) else {
            return None;
        };
        let ty = self.basic.char;
        (to.ty == self.basic.void).then(|| self.pointer_to(QualType { ty, ..to }))
    }

    /// Such a pointer as one to `void` again, also where C++ has no need to convert it.
    pub(super) fn as_pointer(&self, bytes: Expression, pointer: TypeId) -> Expression {
        if bytes.ty.ty == pointer || is_poison(&bytes) {
            return bytes;
        }
        let span = bytes.span;
        self.make(ExpressionKind::Cast(Box::new(bytes)), pointer, span)
    }

    /// An object that is a pointer to `void` as one that points to bytes, with the type of the pointer.
    pub(super) fn as_byte_pointer(&mut self, object: Expression) -> Expression {
        let Some(bytes) = self.byte_pointer(object.ty.ty) else {
            return object;
        };
        let (ty, span) = (
            QualType {
                ty: bytes,
                ..object.ty
            },
            object.span,
        );
        let [from, to] = [object.ty, ty].map(|ty| self.pointer_to(ty));
        let address = ExpressionKind::Unary(UnaryOperator::AddressOf, Box::new(object));
        let address = self.make(address, from, span);
        let address = self.make(ExpressionKind::Cast(Box::new(address)), to, span);
        let kind = ExpressionKind::Unary(UnaryOperator::Indirection, Box::new(address));
        Expression { kind, ty, span }
    }

    fn shift(&mut self, of: Operation) -> Expression {
        let types = &self.unit.types;
        if !types.is_integer(of.left.ty.ty) || !types.is_integer(of.right.ty.ty) {
            return self.wrong_operands(&of);
        }
        let (left, right) = (self.promote(of.left), self.promote(of.right));
        self.of_type(left.ty.ty, Operation { left, right, ..of })
    }

    /// Relational and equality operators (6.5.8, 6.5.9): the result is `int`.
    fn comparison(&mut self, of: Operation) -> Expression {
        let types = &self.unit.types;
        if types.is_arithmetic(of.left.ty.ty) && types.is_arithmetic(of.right.ty.ty) {
            let (_, of) = self.convert_both(of);
            return self.of_type(self.basic.int, of);
        }
        let fits = |e: &Expression| self.is_pointer(e.ty.ty) || types.is_integer(e.ty.ty);
        if !fits(&of.left) || !fits(&of.right) {
            return self.wrong_operands(&of);
        }
        let (left, right) = self.pointers_alike(of.left, of.right);
        self.of_type(self.basic.int, Operation { left, right, ..of })
    }

    /// Gives a null constant or integer beside a pointer the pointer's type.
    fn pointers_alike(&mut self, left: Expression, right: Expression) -> (Expression, Expression) {
        let (a, b) = (left.ty.ty, right.ty.ty);
        match (self.is_pointer(a), self.is_pointer(b)) {
            (true, false) => (left, self.convert_to_pointer(right, a)),
            (false, true) => (self.convert_to_pointer(left, b), right),
            _ if self.is_null_constant(&right) => (left, self.convert_to_pointer(right, a)),
            _ if self.is_null_constant(&left) => (self.convert_to_pointer(left, b), right),
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

    fn wrong_operands(&mut self, of: &Operation) -> Expression {
        let a = self.show(QualType::plain(of.left.ty.ty));
        let b = self.show(QualType::plain(of.right.ty.ty));
        let operator = of.operator.spelling();
        let message = format!("`{operator}` does not apply to `{a}` and `{b}`");
        let error = Diagnostic::error(codes::INVALID_OPERANDS, message, of.span)
            .also(of.left.span, format!("`{a}`"))
            .also(of.right.span, format!("`{b}`"));
        self.refuse(error, of.span)
    }

    /// Operations on GNU vectors: the host's compiler checks them.
    fn vector_operation(&mut self, of: Operation) -> Expression {
        let vector = match self.get(of.left.ty.ty) {
            Type::Vector { .. } => of.left.ty.ty,
            _ => of.right.ty.ty,
        };
        let ty = match of.operator.is_logical() {
            true => self.mask_of(vector),
            false => vector,
        };
        self.of_type(ty, of)
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
        let pointer = target.ty.ty;
        if self.is_void_pointer(pointer) {
            let target = self.as_byte_pointer(target);
            let moved = self.compound_assign(operator, target, value, span);
            return self.as_pointer(moved, pointer);
        }
        // Only type and width of the left side count here.
        let left = match self.bit_field_width(&target) {
            Some(_) => self.make(target.kind.clone(), target.ty.ty, target.span),
            None => self.integer(0, target.ty.ty, target.span),
        };
        // What is stored has the bits that the left side has.
        let operation = self.operation_of_types(Operation {
            operator,
            left,
            right: value,
            span,
        });
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
            let Some(ty) = self.conditional_type(&condition, &last, span) else {
                return self.poison(span);
            };
            let last = self.assign_convert(last, ty, Destination::Assignment);
            let kind = ExpressionKind::Conditional(Box::new(condition), None, Box::new(last));
            return self.make(kind, ty.ty, span);
        };
        let Some(ty) = self.conditional_type(&middle, &last, span) else {
            return self.poison(span);
        };
        let bits = self.bits_of_choice(&middle, &last);
        let mut sides = [middle, last];
        if ty.ty != self.basic.void {
            sides = sides.map(|e| {
                // C++ has no bit-field behind `?`.
                let is_field = self.bits(&e).or(self.bit_field_width(&e)).is_some();
                let converted = self.assign_convert(e, ty, Destination::Assignment);
                match is_field {
                    true => converted.explicit(),
                    false => converted,
                }
            });
        }
        let [middle, last] = sides.map(Box::new);
        let kind = ExpressionKind::Conditional(Box::new(condition), Some(middle), last);
        let result = self.make(kind, ty.ty, span);
        self.in_bits(result, bits)
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
            let message = format!("the two sides of `?:` have types `{x}` and `{y}`");
            let error = Diagnostic::error(codes::INVALID_OPERANDS, message, span)
                .also(a.span, format!("`{x}`"))
                .also(b.span, format!("`{y}`"));
            self.push(error);
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
        let qualifiers = to_a.qualifiers.union(to_b.qualifiers);
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
