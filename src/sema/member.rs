//! Members, elements and `offsetof` (C11 6.5.2.1, 6.5.2.3, 7.19).

use super::{Analyser, is_poison};
use crate::ast::{self, OffsetofStep};
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, Measure, QualType, RecordId, SizeOf, Type};

impl Analyser<'_> {
    /// `b.m` and `p->m`.
    pub(super) fn member_access(
        &mut self,
        base: &ast::Expression,
        member: &ast::Identifier,
        arrow: bool,
        span: Span,
    ) -> Expression {
        let base = self.expression(base);
        let base = if arrow { self.decay(base) } else { base };
        if is_poison(&base) {
            return self.poison(span);
        }
        let holder = match *self.get(base.ty.ty) {
            Type::Pointer(to) if arrow => to,
            _ if arrow => return self.wrong_base(&base, member, arrow),
            _ => base.ty,
        };
        let Type::Record(record) = *self.get(holder.ty) else {
            return self.wrong_base(&base, member, arrow);
        };
        if self.unit.types.record(record).members.is_none() {
            self.incomplete(holder, base.span, "its members are not known");
            return self.poison(span);
        }
        let Some(path) = self.member_path(record, &member.value) else {
            return self.no_member(record, holder, member);
        };
        let mut arrow = arrow;
        let mut e = base;
        let mut qualifiers = holder.qualifiers;
        for (record, index) in path {
            let Some(found) = self.member_type(record, index) else {
                return self.poison(span);
            };
            let ty = self.qualify(found, qualifiers);
            qualifiers = ty.qualifiers;
            e = Expression {
                kind: ExpressionKind::Member {
                    base: Box::new(e),
                    record,
                    member: index,
                    arrow,
                },
                ty,
                span,
            };
            arrow = false;
        }
        e
    }

    /// The type of a member.
    pub(super) fn member_type(&self, record: RecordId, index: usize) -> Option<QualType> {
        let members = self.unit.types.record(record).members.as_ref()?;
        members.get(index).map(|member| member.ty)
    }

    /// The way to a member, through anonymous structs and unions: the record
    /// and index of each step.
    pub(super) fn member_path(
        &self,
        record: RecordId,
        name: &str,
    ) -> Option<Vec<(RecordId, usize)>> {
        let members = self.unit.types.record(record).members.as_ref()?;
        let direct = members
            .iter()
            .position(|member| member.name.as_deref() == Some(name));
        if let Some(index) = direct {
            return Some(vec![(record, index)]);
        }
        members.iter().enumerate().find_map(|(index, member)| {
            let Type::Record(inner) = *self.get(member.ty.ty) else {
                return None;
            };
            if member.name.is_some() {
                return None;
            }
            let mut path = vec![(record, index)];
            path.extend(self.member_path(inner, name)?);
            Some(path)
        })
    }

    fn wrong_base(
        &mut self,
        base: &Expression,
        member: &ast::Identifier,
        arrow: bool,
    ) -> Expression {
        let have = self.show(base.ty);
        let name = &member.value;
        let message = format!("a `{have}` has no member `{name}`");
        let mut error = Diagnostic::error(codes::NO_MEMBER, message, member.span)
            .also(base.span, format!("this is a `{have}`"));
        let is_record = |ty: QualType| matches!(self.get(ty.ty), Type::Record(_));
        if arrow && is_record(base.ty) {
            error = error.help(format!("write `.{name}`: this is no pointer"));
        } else if !arrow
            && let Type::Pointer(to) = *self.get(base.ty.ty)
            && is_record(to)
        {
            error = error.help(format!("write `->{name}`: this is a pointer"));
        }
        self.refuse(error, base.span.to(member.span))
    }

    fn no_member(
        &mut self,
        record: RecordId,
        holder: QualType,
        member: &ast::Identifier,
    ) -> Expression {
        let have = self.show(QualType::plain(holder.ty));
        let message = format!("`{have}` has no member `{}`", member.value);
        let record = self.unit.types.record(record);
        let mut error = Diagnostic::error(codes::NO_MEMBER, message, member.span)
            .label("no such member")
            .also(record.span, "defined here");
        let members = record.members.iter().flatten();
        let names = members.filter_map(|member| member.name.as_deref());
        if let Some(question) = Near::names(&member.value, names).question() {
            error = error.question(question);
        }
        self.refuse(error, member.span)
    }

    /// `a[i]` (6.5.2.1), in either order.
    pub(super) fn index(
        &mut self,
        base: &ast::Expression,
        index: &ast::Expression,
        span: Span,
    ) -> Expression {
        let base = self.value(base);
        let index = self.value(index);
        if is_poison(&base) || is_poison(&index) {
            return self.poison(span);
        }
        let is_swapped = self.is_pointer(index.ty.ty) && !self.is_pointer(base.ty.ty);
        let (base, index) = match is_swapped {
            true => (index, base),
            false => (base, index),
        };
        let element = match *self.get(base.ty.ty) {
            Type::Pointer(to) => to,
            Type::Vector { element, .. } => QualType {
                ty: element,
                qualifiers: base.ty.qualifiers,
            },
            _ => {
                let have = self.show(base.ty);
                let message = format!("a `{have}` cannot be indexed");
                let error = Diagnostic::error(codes::INVALID_OPERANDS, message, span);
                return self.refuse(error.also(base.span, "neither array nor pointer"), span);
            }
        };
        if !self.unit.types.is_integer(index.ty.ty) {
            let have = self.show(index.ty);
            let message = format!("an index of type `{have}` is no integer");
            let error = Diagnostic::error(codes::INVALID_OPERANDS, message, index.span);
            return self.refuse(error.label("an integer is needed here"), span);
        }
        if self.is_opaque(element.ty) {
            self.incomplete(element, span, "its elements have no size");
            return self.poison(span);
        }
        let index = self.promote(index);
        Expression {
            kind: ExpressionKind::Index(Box::new(base), Box::new(index)),
            ty: element,
            span,
        }
    }

    /// `offsetof(T, m.n[i])`. With a variable index it is an address
    /// computation on a null pointer.
    pub(super) fn offset_of(
        &mut self,
        name: &ast::TypeName,
        steps: &[OffsetofStep],
        span: Span,
    ) -> Expression {
        let (whole, by) = self.type_name_by(name);
        let mut ty = whole;
        let mut offset = 0i128;
        for step in steps {
            let next = match step {
                OffsetofStep::Member(member) => self.offset_of_member(ty, member, &mut offset),
                OffsetofStep::Index(index) => self.offset_of_element(ty, index, &mut offset),
            };
            match next {
                Some(next) => ty = next,
                None => return self.poison(span),
            }
        }
        if let [OffsetofStep::Member(member)] = steps {
            self.unit.typedefs.size(
                span,
                SizeOf {
                    measure: Measure::Offset(member.value.clone()),
                    ty: whole,
                    by,
                    of: None,
                },
            );
        }
        self.integer(offset, self.basic.unsigned_long, span)
    }

    fn offset_of_member(
        &mut self,
        holder: QualType,
        member: &ast::Identifier,
        offset: &mut i128,
    ) -> Option<QualType> {
        let Type::Record(record) = *self.get(holder.ty) else {
            let have = self.show(holder);
            let message = format!("a `{have}` has no member `{}`", member.value);
            self.error(codes::NO_MEMBER, message, member.span);
            return None;
        };
        let Some(path) = self.member_path(record, &member.value) else {
            self.no_member(record, holder, member);
            return None;
        };
        let mut ty = holder;
        for (record, index) in path {
            let found = self
                .unit
                .types
                .record(record)
                .members
                .as_ref()?
                .get(index)?;
            *offset += i128::from(found.offset);
            ty = found.ty;
        }
        Some(ty)
    }

    fn offset_of_element(
        &mut self,
        array: QualType,
        index: &ast::Expression,
        offset: &mut i128,
    ) -> Option<QualType> {
        let index = self.value(index);
        if is_poison(&index) {
            return None;
        }
        let Type::Array { element, .. } = *self.get(array.ty) else {
            let have = self.show(array);
            let message = format!("a `{have}` has no elements");
            self.error(codes::INVALID_OPERANDS, message, index.span);
            return None;
        };
        let size = i128::from(self.unit.types.size(element.ty)?);
        *offset += self.constant_of(&index, "an index inside `offsetof` is not constant")? * size;
        Some(element)
    }
}
