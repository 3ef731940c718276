//! Structs and unions (C11 6.7.2.1).

use std::collections::HashSet;

use super::declarator::lengths;
use super::layout::{Field, Layout};
use super::scope::Tag;
use super::{Analyser, attribute};
use crate::ast::{self, MemberDeclaration, MemberDeclarator};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use crate::typed::{ArrayLength, Member, QualType, Record, RecordId, Type, TypedefId};

/// A member before it has a place.
struct Declared {
    name: Option<String>,
    ty: QualType,
    typedef: Option<TypedefId>,
    lengths: Vec<Span>,
    field: Field,
    span: Span,
}

impl Analyser<'_> {
    /// The type of a `struct` or `union` specifier.
    pub(super) fn record_specifier(
        &mut self,
        specifier: &ast::RecordSpecifier,
        stands_alone: bool,
    ) -> QualType {
        let id = self.record_id(specifier, stands_alone);
        if let Some(members) = &specifier.members {
            match self.unit.types.record(id) {
                Record {
                    members: Some(_),
                    span,
                    ..
                } => self.redefined(specifier, *span),
                _ => self.define_record(id, specifier, members),
            }
        }
        QualType::plain(self.unit.types.intern(Type::Record(id)))
    }

    /// The record that the specifier names, a new one where none is visible.
    fn record_id(&mut self, specifier: &ast::RecordSpecifier, stands_alone: bool) -> RecordId {
        let Some(tag) = &specifier.tag else {
            return self.new_record(specifier);
        };
        let declares = stands_alone || specifier.members.is_some();
        let known = if declares {
            self.scopes.tags.here(&tag.value)
        } else {
            self.scopes.tags.get(&tag.value)
        };
        match known {
            Some(Tag::Record(id)) if self.unit.types.record(id).is_union == specifier.is_union => {
                id
            }
            known => {
                if known.is_some() {
                    let message = format!("the tag `{}` names another kind of type", tag.value);
                    let error = Diagnostic::error(codes::REDEFINITION, message, tag.span);
                    let help = "use the keyword of its definition: `struct`, `union` or `enum`";
                    self.push(error.help(help));
                }
                let id = self.new_record(specifier);
                self.scopes.tags.declare(&tag.value, Tag::Record(id));
                id
            }
        }
    }

    fn new_record(&mut self, specifier: &ast::RecordSpecifier) -> RecordId {
        let id = RecordId(self.unit.types.records.len() as u32);
        self.unit.types.records.push(Record {
            is_union: specifier.is_union,
            tag: specifier.tag.as_ref().map(|tag| tag.value.clone()),
            typedef_name: None,
            is_called_by_tag: false,
            members: None,
            size: 0,
            alignment: 1,
            span: specifier.span,
        });
        id
    }

    fn redefined(&mut self, specifier: &ast::RecordSpecifier, first: Span) {
        let name = specifier.tag.as_ref().map_or("", |tag| tag.value.as_str());
        let keyword = specifier.keyword();
        let message = format!("`{keyword} {name}` is defined twice");
        let error = Diagnostic::error(codes::REDEFINITION, message, specifier.span);
        self.push(error.also(first, "first defined here"));
    }

    fn define_record(
        &mut self,
        id: RecordId,
        specifier: &ast::RecordSpecifier,
        members: &[MemberDeclaration],
    ) {
        if attribute::has(&specifier.attributes, "transparent_union") {
            self.transparent.insert(id);
        }
        let mut declared = Vec::new();
        for declaration in members {
            match declaration {
                MemberDeclaration::Members {
                    specifiers,
                    declarators,
                    span,
                } => self.members(specifiers, declarators, *span, &mut declared),
                MemberDeclaration::StaticAssert(assertion) => self.static_assert(assertion),
            }
        }
        self.check_member_names(&declared);
        let is_packed = attribute::has(&specifier.attributes, "packed");
        let asked = self.aligned(&specifier.attributes);
        let most = self.packing.at(specifier.span.end);
        let mut layout = Layout::new(specifier.is_union, is_packed, most);
        let members = declared
            .into_iter()
            .map(|member| {
                let place = layout.place(&member.field);
                Member {
                    name: member.name,
                    ty: member.ty,
                    typedef: member.typedef,
                    lengths: member.lengths,
                    span: member.span,
                    offset: place.offset,
                    alignment: place.alignment,
                    bit_field: place.bit_field,
                }
            })
            .collect();
        let (mut size, alignment) = layout.finish(asked);
        if i64::try_from(size).is_err() {
            self.error(codes::INVALID_TYPE, "the type is too large", specifier.span);
            size = 1;
        }
        let record = &mut self.unit.types.records[id.0 as usize];
        record.members = Some(members);
        record.size = size;
        record.alignment = alignment;
        record.span = specifier.span;
    }

    fn members(
        &mut self,
        specifiers: &ast::DeclarationSpecifiers,
        declarators: &[MemberDeclarator],
        span: Span,
        declared: &mut Vec<Declared>,
    ) {
        let specified = self.specifiers(specifiers, declarators.is_empty());
        if declarators.is_empty() {
            // An anonymous struct or union; anything else declares no member.
            if let Type::Record(_) = self.get(specified.ty.ty) {
                declared.push(self.declared(None, specified.ty, None, specified.alignment, span));
            }
            return;
        }
        for declarator in declarators {
            let attributes: Vec<_> = declarator
                .attributes
                .iter()
                .chain(declarator.declarator.iter().flat_map(|d| &d.attributes))
                .cloned()
                .collect();
            let base = self.attributed(specified.ty, &attributes);
            let (ty, name, at) = match &declarator.declarator {
                Some(d) => (self.derive(base, &d.derivations), d.name.as_ref(), d.span),
                None => (base, None, span),
            };
            let ty = self.check_member_type(ty, at);
            let width = declarator.width.as_ref().map(|e| self.width(e, ty, at));
            // The alignment of a typedef is that of the base, not of a
            // pointer to it.
            let asked = match self.get(ty.ty) {
                Type::Pointer(_) if ty.ty != base.ty => None,
                _ => specified.alignment,
            };
            let asked = self.aligned(&attributes).or(asked);
            let mut member =
                self.declared(name.map(|name| name.value.clone()), ty, width, asked, at);
            member.field.is_packed = attribute::has(&attributes, "packed")
                || attribute::has(&specifiers.attributes, "packed");
            member.typedef = specified.typedef;
            let derivations = declarator.declarator.iter().flat_map(|d| &d.derivations);
            member.lengths = lengths(derivations);
            declared.push(member);
        }
    }

    fn declared(
        &self,
        name: Option<String>,
        ty: QualType,
        width: Option<u32>,
        asked: Option<u64>,
        span: Span,
    ) -> Declared {
        // A typedef may also lower the alignment, as `__m128_u` does.
        let natural = self.unit.types.alignment(ty.ty);
        let alignment = match asked {
            Some(asked) if asked < natural => asked,
            _ => natural,
        };
        Declared {
            field: Field {
                size: self.unit.types.size(ty.ty).unwrap_or(0),
                alignment,
                asked,
                is_packed: false,
                width,
                is_named: name.is_some(),
            },
            name,
            ty,
            typedef: None,
            lengths: Vec::new(),
            span,
        }
    }

    /// Members must have a size; only the last may be an array without one,
    /// and compilers accept it anywhere.
    fn check_member_type(&mut self, ty: QualType, span: Span) -> QualType {
        let is_complete = match self.get(ty.ty) {
            Type::Array {
                length: ArrayLength::Incomplete,
                ..
            } => true,
            Type::Function(_) => {
                let message = "a member cannot be a function";
                let error = Diagnostic::error(codes::INVALID_TYPE, message, span);
                self.push(error.help("use a pointer to the function"));
                return QualType::plain(self.basic.int);
            }
            Type::Void => false,
            _ => self.unit.types.size(ty.ty).is_some(),
        };
        if is_complete {
            return ty;
        }
        if self.unit.types.is_variable_length(ty.ty) {
            let message = "a member cannot have a variable length";
            self.error(codes::INVALID_TYPE, message, span);
        } else {
            self.incomplete(ty, span, "members need a size");
        }
        QualType::plain(self.basic.int)
    }

    /// The width of a bit-field (6.7.2.1, 4).
    fn width(&mut self, e: &ast::Expression, ty: QualType, span: Span) -> u32 {
        let value = self.value(e);
        if super::is_poison(&value) {
            return 1;
        }
        if !self.unit.types.is_integer(ty.ty) {
            let have = self.show(ty);
            let message = format!("a bit-field cannot have type `{have}`");
            self.error(codes::INVALID_TYPE, message, span);
            return 1;
        }
        let most = match self.get(ty.ty) {
            Type::Bool => 1,
            _ => self.unit.types.size(ty.ty).unwrap_or(1) * 8,
        };
        match self.constant_of(&value, "the width of a bit-field is not constant") {
            Some(width) if (0..=i128::from(most)).contains(&width) => width as u32,
            Some(width) => {
                let have = self.show(ty);
                let message = format!("a bit-field of type `{have}` cannot be {width} bits wide");
                self.error(codes::INVALID_TYPE, message, value.span);
                1
            }
            None => 1,
        }
    }

    fn check_member_names(&mut self, declared: &[Declared]) {
        let mut seen = HashSet::new();
        for member in declared {
            if let Some(name) = &member.name
                && !seen.insert(name.as_str())
            {
                let message = format!("the member `{name}` is declared twice");
                self.error(codes::REDEFINITION, message, member.span);
            }
        }
    }
}
