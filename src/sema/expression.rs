//! Expressions (C11 6.5): the way into each form.

use super::literal::as_double;
use super::{Analyser, is_poison};
use crate::ast::{self, ExpressionKind as A};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, FloatingKind, Initializer, Measure, QualType,
    RecordId, SizeOf, Type, TypedefId, UnaryOperator,
};

impl Analyser<'_> {
    /// An expression whose value is used: arrays and functions have become
    /// pointers.
    pub(super) fn value(&mut self, e: &ast::Expression) -> Expression {
        let e = self.expression(e);
        self.decay(e)
    }

    /// An expression as it is: an lvalue keeps the type of its object.
    pub(super) fn expression(&mut self, e: &ast::Expression) -> Expression {
        let span = e.span;
        match &e.kind {
            A::Identifier(name) => self.identifier(name, span),
            A::Constant(constant) => self.constant(constant, span),
            A::String(literal) => self.string(literal, span),
            A::Parenthesized(inner) => {
                let inner = self.expression(inner);
                self.around(inner, span)
            }
            A::Index(base, index) => self.index(base, index, span),
            A::Call(function, arguments) => self.call(function, arguments, span),
            A::Member {
                base,
                member,
                arrow,
            } => self.member_access(base, member, *arrow, span),
            A::Unary(operator, operand) => self.unary(*operator, operand, span),
            A::Binary(..) => self.binary(e),
            A::Assign(operator, target, value) => self.assign(*operator, target, value, span),
            A::Conditional(condition, middle, last) => {
                self.conditional(condition, middle.as_deref(), last, span)
            }
            A::Comma(left, right) => self.comma(left, right, span),
            _ => self.rarer_expression(e),
        }
    }

    fn rarer_expression(&mut self, e: &ast::Expression) -> Expression {
        let span = e.span;
        match &e.kind {
            A::Cast(name, operand) => self.cast(name, operand, span),
            A::CompoundLiteral(name, list) => self.compound_literal(name, list, span),
            A::SizeofExpression(operand) => {
                let operand = self.expression(operand);
                if is_poison(&operand) {
                    return self.poison(span);
                }
                let by = self.named_by(&operand);
                let ty = operand.ty;
                self.size_of(ty, by, Some(Box::new(operand)), span)
            }
            A::SizeofType(name) => {
                let (ty, by) = self.type_name_by(name);
                self.size_of(ty, by, None, span)
            }
            A::AlignofType(name) => {
                let (ty, by) = self.type_name_by(name);
                self.unit.typedefs.size(
                    span,
                    SizeOf {
                        measure: Measure::Alignment,
                        ty,
                        by,
                        of: None,
                    },
                );
                self.number_of_bytes(self.unit.types.alignment(ty.ty), span)
            }
            A::AlignofExpression(operand) => {
                let operand = self.expression(operand);
                let symbol = operand.as_symbol().map(|id| self.unit.symbol(id));
                let own = symbol.and_then(|symbol| self.unit.typedefs.alignment(symbol));
                let of_type = self.unit.types.alignment(operand.ty.ty);
                self.number_of_bytes(own.unwrap_or(0).max(of_type), span)
            }
            A::Generic(control, associations) => self.generic(control, associations, span),
            A::Statement(block) => self.statement_expression(block, span),
            A::LabelAddress(label) => {
                self.note_goto(label);
                let kind = ExpressionKind::LabelAddress(label.value.clone());
                self.make(kind, self.basic.void_pointer, span)
            }
            A::VaArg(list, name) => {
                let list = self.expression(list);
                let ty = self.type_name(name);
                let kind = ExpressionKind::VaArg(Box::new(list));
                self.make(kind, ty.ty, span)
            }
            A::Offsetof(name, steps) => self.offset_of(name, steps, span),
            A::TypesCompatible(a, b) => {
                let (a, b) = (self.type_name(a), self.type_name(b));
                let same = self.are_compatible_unqualified(a.ty, b.ty);
                self.integer(i128::from(same), self.basic.int, span)
            }
            A::ChooseExpression(condition, then, otherwise) => {
                self.choose(condition, then, otherwise, span)
            }
            _ => self.poison(span),
        }
    }

    /// `( e )`, of the type of `e`.
    fn around(&self, inner: Expression, span: Span) -> Expression {
        if is_poison(&inner) {
            return self.poison(span);
        }
        Expression {
            ty: inner.ty,
            kind: ExpressionKind::Parenthesized(Box::new(inner)),
            span,
        }
    }

    fn comma(&mut self, left: &ast::Expression, right: &ast::Expression, span: Span) -> Expression {
        let left = self.value(left);
        let right = self.value(right);
        if is_poison(&left) || is_poison(&right) {
            return self.poison(span);
        }
        let ty = right.ty.ty;
        let kind = ExpressionKind::Comma(Box::new(left), Box::new(right));
        self.make(kind, ty, span)
    }

    /// `(T)e` (6.5.4).
    fn cast(&mut self, name: &ast::TypeName, operand: &ast::Expression, span: Span) -> Expression {
        let (to, typedef) = self.type_name_by(name);
        let operand = self.value(operand);
        if is_poison(&operand) {
            return self.poison(span);
        }
        if let Some(typedef) = typedef {
            self.unit.typedefs.cast(span, typedef);
        }
        let types = &self.unit.types;
        let from = operand.ty.ty;
        let fits = to.ty == self.basic.void
            || from == to.ty
            || self.is_lenient(to.ty)
            || self.is_lenient(from)
            || matches!(self.get(to.ty), Type::Record(id) if types.record(*id).is_union)
            || (types.is_scalar(to.ty) && types.is_scalar(from) && !self.mixes(from, to.ty));
        if !fits {
            let (from, to) = (self.show(operand.ty), self.show(to));
            let message = format!("a `{from}` cannot be cast to `{to}`");
            let error = Diagnostic::error(codes::TYPE_MISMATCH, message, span);
            return self.refuse(error.label(format!("the operand is a `{from}`")), span);
        }
        // A cast yields a value, so its qualifiers mean nothing (6.5.4, 5).
        if let Type::Record(id) = *self.get(to.ty)
            && from != to.ty
        {
            return self.cast_to_union(id, to, operand, span);
        }
        let kind = match self.get(to.ty) {
            Type::Floating(FloatingKind::Double) => as_double(&operand.kind),
            _ => None,
        };
        let kind = kind.unwrap_or_else(|| ExpressionKind::Cast(Box::new(operand)));
        self.make(kind, to.ty, span)
    }

    /// GNU C's `(union u)e`: a literal whose member of that type is set.
    fn cast_to_union(
        &mut self,
        id: RecordId,
        to: QualType,
        operand: Expression,
        span: Span,
    ) -> Expression {
        let members = self.unit.types.record(id).members.iter().flatten();
        let mut numbered = (0..).zip(members);
        let found = numbered.find(|(_, member)| member.ty.ty == operand.ty.ty);
        let Some((number, _)) = found else {
            let (from, to) = (self.show(operand.ty), self.show(to));
            let message = format!("`{to}` has no member of type `{from}`");
            let error = Diagnostic::error(codes::TYPE_MISMATCH, message, span);
            return self.refuse(error, span);
        };
        let value = Initializer::Aggregate(vec![(number, Initializer::Expression(operand))]);
        let kind = ExpressionKind::CompoundLiteral(Box::new(value));
        self.make(kind, to.ty, span)
    }

    /// Whether one type is a pointer and the other floating.
    fn mixes(&self, a: crate::typed::TypeId, b: crate::typed::TypeId) -> bool {
        let is_floating = |ty| matches!(self.get(ty), Type::Floating(_) | Type::Complex(_));
        (self.is_pointer(a) && is_floating(b)) || (is_floating(a) && self.is_pointer(b))
    }

    /// `(T){ … }` (6.5.2.5).
    fn compound_literal(
        &mut self,
        name: &ast::TypeName,
        list: &ast::InitializerList,
        span: Span,
    ) -> Expression {
        let ty = self.type_name(name);
        let Some((initializer, completed)) = self.list_initializer(ty, list) else {
            return self.poison(span);
        };
        Expression {
            kind: ExpressionKind::CompoundLiteral(Box::new(initializer)),
            ty: completed,
            span,
        }
    }

    /// The name by which the object of an expression, or its elements, is declared.
    fn named_by(&self, e: &Expression) -> Option<TypedefId> {
        match &e.kind {
            ExpressionKind::Symbol(id) => {
                let symbol = self.unit.symbol(*id);
                self.unit.typedefs.of_symbol(symbol)
            }
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(_, inner)
            | ExpressionKind::Index(inner, _)
            | ExpressionKind::Unary(UnaryOperator::Indirection, inner) => self.named_by(inner),
            _ => None,
        }
    }

    /// `sizeof` (6.5.3.4).
    fn size_of(
        &mut self,
        ty: QualType,
        by: Option<TypedefId>,
        of: Option<Box<Expression>>,
        span: Span,
    ) -> Expression {
        if self.unit.types.is_variable_length(ty.ty) {
            let kind = ExpressionKind::SizeofVariable(ty);
            return self.make(kind, self.basic.unsigned_long, span);
        }
        let is_unsized = matches!(
            self.get(ty.ty),
            Type::Array {
                length: ArrayLength::Incomplete,
                ..
            }
        );
        match self.unit.types.size(ty.ty) {
            Some(size) if !is_unsized => {
                self.unit.typedefs.size(
                    span,
                    SizeOf {
                        measure: Measure::Size,
                        ty,
                        by,
                        of,
                    },
                );
                self.integer(i128::from(size), self.basic.unsigned_long, span)
            }
            _ => {
                self.incomplete(ty, span, "it has no size");
                self.poison(span)
            }
        }
    }

    fn number_of_bytes(&self, bytes: u64, span: Span) -> Expression {
        self.integer(i128::from(bytes), self.basic.unsigned_long, span)
    }

    /// `_Generic` (6.5.1.1): the chosen expression takes its place.
    fn generic(
        &mut self,
        control: &ast::Expression,
        associations: &[(Option<ast::TypeName>, ast::Expression)],
        span: Span,
    ) -> Expression {
        let control = self.value(control);
        let mut chosen = None;
        let mut default = None;
        for (name, e) in associations {
            let Some(name) = name else {
                default = Some(e);
                continue;
            };
            let ty = self.type_name(name);
            let matches = ty.qualifiers == crate::typed::Qualifiers::default()
                && self.are_compatible_unqualified(ty.ty, control.ty.ty);
            if matches && chosen.is_none() {
                chosen = Some(e);
            }
        }
        if is_poison(&control) {
            return self.poison(span);
        }
        if let Some(e) = chosen.or(default) {
            return self.expression(e);
        }
        let have = self.show(QualType::plain(control.ty.ty));
        let message = format!("no association of this `_Generic` is for `{have}`");
        let error = Diagnostic::error(codes::TYPE_MISMATCH, message, span);
        self.refuse(error.help("add one, or a `default:`"), span)
    }

    /// `__builtin_choose_expr`.
    fn choose(
        &mut self,
        condition: &ast::Expression,
        then: &ast::Expression,
        otherwise: &ast::Expression,
        span: Span,
    ) -> Expression {
        let condition = self.value(condition);
        let message = "the condition of `__builtin_choose_expr` is not constant";
        match self.constant_of(&condition, message) {
            Some(0) => self.expression(otherwise),
            Some(_) => self.expression(then),
            None => self.poison(span),
        }
    }

    /// Whether an expression designates an object (6.3.2.1).
    pub(super) fn is_lvalue(&self, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Symbol(id) => self.unit.symbol(*id).is_variable(),
            ExpressionKind::Parenthesized(inner) => self.is_lvalue(inner),
            ExpressionKind::Index(base, _) => {
                !matches!(self.get(base.ty.ty), Type::Vector { .. }) || self.is_lvalue(base)
            }
            ExpressionKind::Member { base, arrow, .. } => *arrow || self.is_lvalue(base),
            ExpressionKind::Unary(UnaryOperator::Indirection, _) => true,
            ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner) => {
                self.is_lvalue(inner)
            }
            ExpressionKind::String { .. }
            | ExpressionKind::CompoundLiteral(_)
            | ExpressionKind::Error => true,
            _ => false,
        }
    }
}
