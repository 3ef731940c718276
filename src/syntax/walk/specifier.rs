//! Declaration specifiers (6.7.1 to 6.7.5) and attributes.

use super::{Meaning, Node, Walk, Walker};
use crate::ast::{
    AlignmentSpecifier, Attribute, DeclarationSpecifiers, EnumSpecifier, Enumerator, Expression,
    MemberDeclaration, MemberDeclarator, Qualifiers, RecordSpecifier, StorageClass, TypeName,
    TypeSpecifier,
};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::{Span, Spanned};
use crate::syntax::grammar::Rule;

impl<'t> Walker<'t, '_> {
    /// Declaration specifiers.
    pub(super) fn specifiers(&mut self, node: Node<'t>) -> Walk<DeclarationSpecifiers> {
        let mut specifiers = DeclarationSpecifiers {
            span: self.span(&node),
            ..DeclarationSpecifiers::default()
        };
        for part in node.into_inner() {
            let span = self.span(&part);
            match part.as_rule() {
                Rule::storage_class => {
                    let class = storage_class(part.as_str());
                    specifiers.storage.push(Spanned::new(class, span));
                }
                Rule::type_qualifier => add_qualifier(&mut specifiers.qualifiers, part.as_str()),
                Rule::function_specifier if part.as_str() == "_Noreturn" => {
                    specifiers.noreturn = true;
                }
                Rule::function_specifier => specifiers.inline = true,
                Rule::attribute => self.attributes(part, &mut specifiers.attributes),
                Rule::alignment_specifier => {
                    let alignment = self.alignment(part)?;
                    specifiers.alignment.push(alignment);
                }
                Rule::extension => {}
                _ => self.type_specifier(part, span, &mut specifiers.types)?,
            }
        }
        Ok(specifiers)
    }

    /// One type specifier; `__uint128_t` counts as two.
    fn type_specifier(
        &mut self,
        node: Node<'t>,
        span: Span,
        types: &mut Vec<Spanned<TypeSpecifier>>,
    ) -> Walk<()> {
        let specifier = match node.as_rule() {
            Rule::type_keyword => {
                if node.as_str() == "__uint128_t" {
                    types.push(Spanned::new(TypeSpecifier::Unsigned, span));
                }
                type_keyword(node.as_str())
            }
            Rule::record_specifier => TypeSpecifier::Record(Box::new(self.record(node)?)),
            Rule::enum_specifier => TypeSpecifier::Enum(Box::new(self.enumeration(node)?)),
            Rule::typeof_specifier => self.typeof_specifier(node)?,
            Rule::atomic_type => {
                let inner = self.only(node)?;
                TypeSpecifier::Atomic(Box::new(self.type_name(inner)?))
            }
            _ => TypeSpecifier::TypedefName(self.slice(span).to_owned()),
        };
        types.push(Spanned::new(specifier, span));
        Ok(())
    }

    /// The only child of a node.
    pub(super) fn only(&self, node: Node<'t>) -> Walk<Node<'t>> {
        let span = self.span(&node);
        node.into_inner()
            .next()
            .ok_or_else(|| super::expected("more text", span))
    }

    /// `typeof(…)`; a lone typedef name reads as an expression at first.
    fn typeof_specifier(&mut self, node: Node<'t>) -> Walk<TypeSpecifier> {
        let inner = self.only(node)?;
        if let Some(type_name) = self.type_in_disguise(&inner)? {
            return Ok(TypeSpecifier::TypeofType(Box::new(type_name)));
        }
        let expression = self.expression(inner)?;
        Ok(TypeSpecifier::TypeofExpression(Box::new(expression)))
    }

    fn alignment(&mut self, node: Node<'t>) -> Walk<AlignmentSpecifier> {
        let inner = self.only(node)?;
        if let Some(type_name) = self.type_in_disguise(&inner)? {
            return Ok(AlignmentSpecifier::Type(type_name));
        }
        Ok(AlignmentSpecifier::Expression(self.expression(inner)?))
    }

    /// `struct` or `union`.
    fn record(&mut self, node: Node<'t>) -> Walk<RecordSpecifier> {
        let mut record = RecordSpecifier {
            is_union: false,
            tag: None,
            members: None,
            attributes: Vec::new(),
            span: self.span(&node),
        };
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::record_keyword => record.is_union = part.as_str() == "union",
                Rule::identifier => record.tag = Some(self.identifier(&part)),
                Rule::attribute => self.attributes(part, &mut record.attributes),
                _ => record.members = Some(self.members(part)?),
            }
        }
        Ok(record)
    }

    fn members(&mut self, node: Node<'t>) -> Walk<Vec<MemberDeclaration>> {
        let mut members = Vec::new();
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::static_assert => {
                    let assert = self.static_assert(part)?;
                    members.push(MemberDeclaration::StaticAssert(assert));
                }
                Rule::directive => {
                    let span = self.span(&part);
                    let message = "a directive cannot stand among the members of a struct or union";
                    let error = Diagnostic::error(codes::MISPLACED_DIRECTIVE, message, span);
                    self.diagnostics.push(error);
                }
                _ => members.push(self.member(part)?),
            }
        }
        Ok(members)
    }

    fn member(&mut self, node: Node<'t>) -> Walk<MemberDeclaration> {
        let span = self.span(&node);
        let mut specifiers = DeclarationSpecifiers::default();
        let mut declarators = Vec::new();
        for part in node.into_inner() {
            if part.as_rule() == Rule::declaration_specifiers {
                specifiers = self.specifiers(part)?;
            } else {
                declarators.push(self.member_declarator(part)?);
            }
        }
        Ok(MemberDeclaration::Members {
            specifiers,
            declarators,
            span,
        })
    }

    fn member_declarator(&mut self, node: Node<'t>) -> Walk<MemberDeclarator> {
        let mut member = MemberDeclarator {
            declarator: None,
            width: None,
            attributes: Vec::new(),
        };
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::declarator => member.declarator = Some(self.declarator(part)?),
                Rule::bit_width => {
                    let width = self.only(part)?;
                    member.width = Some(self.expression(width)?);
                }
                _ => self.attributes(part, &mut member.attributes),
            }
        }
        Ok(member)
    }

    /// `enum`; its constants are declared one by one, as later values may
    /// name earlier ones.
    fn enumeration(&mut self, node: Node<'t>) -> Walk<EnumSpecifier> {
        let mut specifier = EnumSpecifier {
            tag: None,
            enumerators: None,
            span: self.span(&node),
        };
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::identifier => specifier.tag = Some(self.identifier(&part)),
                Rule::enumerators => {
                    let enumerators: Walk<Vec<_>> =
                        part.into_inner().map(|e| self.enumerator(e)).collect();
                    specifier.enumerators = Some(enumerators?);
                }
                _ => {}
            }
        }
        Ok(specifier)
    }

    fn enumerator(&mut self, node: Node<'t>) -> Walk<Enumerator> {
        let mut name = Spanned::new(String::new(), self.span(&node));
        let mut value = None;
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::identifier => name = self.identifier(&part),
                Rule::assignment_expression => value = Some(self.expression(part)?),
                _ => {}
            }
        }
        self.declare([&name], Meaning::OTHER);
        Ok(Enumerator { name, value })
    }

    /// The attributes of one `__attribute__((…))`.
    pub(super) fn attributes(&mut self, node: Node<'t>, attributes: &mut Vec<Attribute>) {
        for item in node.into_inner() {
            let span = self.span(&item);
            let mut parts = item.into_inner();
            let Some(name) = parts.next() else { continue };
            let name = bare_attribute_name(name.as_str()).to_owned();
            let arguments = match parts.next() {
                Some(text) if has_expression_arguments(&name) => self.attribute_arguments(&text),
                _ => Vec::new(),
            };
            attributes.push(Attribute {
                name,
                arguments,
                span,
            });
        }
    }

    /// Attribute arguments as expressions; none where they are not such.
    fn attribute_arguments(&mut self, node: &Node<'t>) -> Vec<Expression> {
        let span = self.span(node);
        let Ok(nodes) = crate::syntax::grammar::parse(Rule::attribute_unit, self.slice(span))
        else {
            return Vec::new();
        };
        nodes
            .flat_map(|unit| unit.into_inner())
            .filter(|part| part.as_rule() == Rule::assignment_expression)
            .filter_map(|part| self.expression(part).ok())
            .collect()
    }

    /// A type name, or an expression that is a type after all: `T`, `T[3]`.
    pub(super) fn type_in_disguise(&mut self, node: &Node<'t>) -> Walk<Option<TypeName>> {
        if node.as_rule() == Rule::type_name {
            return self.type_name(node.clone()).map(Some);
        }
        let first = node.clone().into_inner().next();
        let is_type = first.is_some_and(|first| {
            first.as_rule() == Rule::identifier && self.scope.is_typedef(first.as_str())
        });
        if !is_type {
            return Ok(None);
        }
        let span = self.span(node);
        let node = self.reparse(Rule::bare_type_unit, span)?;
        Ok(Some(self.type_name(node)?))
    }
}

fn storage_class(text: &str) -> StorageClass {
    match text {
        "typedef" => StorageClass::Typedef,
        "extern" => StorageClass::Extern,
        "static" => StorageClass::Static,
        "auto" => StorageClass::Auto,
        "register" => StorageClass::Register,
        _ => StorageClass::ThreadLocal,
    }
}

/// Adds one qualifier, in any of GCC's spellings.
pub(super) fn add_qualifier(qualifiers: &mut Qualifiers, text: &str) {
    match text.trim_matches('_') {
        "const" => qualifiers.is_const = true,
        "volatile" => qualifiers.is_volatile = true,
        "restrict" => qualifiers.is_restrict = true,
        _ => qualifiers.is_atomic = true,
    }
}

fn type_keyword(text: &str) -> TypeSpecifier {
    match text {
        "void" => TypeSpecifier::Void,
        "char" => TypeSpecifier::Char,
        "short" => TypeSpecifier::Short,
        "int" => TypeSpecifier::Int,
        "long" => TypeSpecifier::Long,
        "float" => TypeSpecifier::Float,
        "double" => TypeSpecifier::Double,
        "signed" | "__signed__" | "__signed" => TypeSpecifier::Signed,
        "unsigned" => TypeSpecifier::Unsigned,
        "_Bool" => TypeSpecifier::Bool,
        "_Complex" | "__complex__" | "__complex" => TypeSpecifier::Complex,
        "__int128" | "__int128_t" | "__uint128_t" => TypeSpecifier::Int128,
        "__builtin_va_list" => TypeSpecifier::BuiltinVaList,
        other => TypeSpecifier::ExtendedFloat(other.to_owned()),
    }
}

/// An attribute's name without the double underscores around it.
fn bare_attribute_name(name: &str) -> &str {
    name.strip_prefix("__")
        .and_then(|name| name.strip_suffix("__"))
        .unwrap_or(name)
}

/// The attributes whose arguments mean something to a later stage.
fn has_expression_arguments(name: &str) -> bool {
    matches!(
        name,
        "aligned" | "vector_size" | "mode" | "alias" | "section"
    )
}
