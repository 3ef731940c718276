//! `_Generic` (6.5.1.1) and the builtins of GCC that take types.

use super::{Node, Walk, Walker};
use crate::ast::{Expression, ExpressionKind, OffsetofStep, TypeName};
use crate::source::Span;
use crate::syntax::grammar::Rule;

impl<'t> Walker<'t, '_> {
    /// An expression that begins with its own keyword.
    pub(super) fn special_form(&mut self, node: Node<'t>, span: Span) -> Walk<Expression> {
        let kind = match node.as_rule() {
            Rule::generic_selection => self.generic_selection(node, span)?,
            Rule::va_arg => {
                let (value, type_name) = self.value_and_type(node, span)?;
                ExpressionKind::VaArg(value, type_name)
            }
            Rule::offsetof => self.offsetof(node, span)?,
            Rule::types_compatible => {
                let mut parts = node.into_inner();
                let first = self.next_type(parts.next(), span)?;
                let second = self.next_type(parts.next(), span)?;
                ExpressionKind::TypesCompatible(Box::new(first), Box::new(second))
            }
            Rule::choose_expression => {
                let mut parts = node.into_inner();
                let mut next = || self.required(parts.next(), span).map(Box::new);
                ExpressionKind::ChooseExpression(next()?, next()?, next()?)
            }
            Rule::convert_vector => {
                let (value, type_name) = self.value_and_type(node, span)?;
                ExpressionKind::ConvertVector(value, type_name)
            }
            Rule::bit_cast => {
                let mut parts = node.into_inner();
                let type_name = self.next_type(parts.next(), span)?;
                let value = self.required(parts.next(), span)?;
                ExpressionKind::BitCast(Box::new(type_name), Box::new(value))
            }
            _ => return Err(super::expected("an expression", span)),
        };
        Ok(Expression { kind, span })
    }

    fn next_type(&mut self, node: Option<Node<'t>>, span: Span) -> Walk<TypeName> {
        let node = node.ok_or_else(|| super::expected("a type", span))?;
        self.type_name(node)
    }

    fn value_and_type(
        &mut self,
        node: Node<'t>,
        span: Span,
    ) -> Walk<(Box<Expression>, Box<TypeName>)> {
        let mut parts = node.into_inner();
        let value = self.required(parts.next(), span)?;
        let type_name = self.next_type(parts.next(), span)?;
        Ok((Box::new(value), Box::new(type_name)))
    }

    fn generic_selection(&mut self, node: Node<'t>, span: Span) -> Walk<ExpressionKind> {
        let mut parts = node.into_inner();
        let selector = self.required(parts.next(), span)?;
        let mut associations = Vec::new();
        for association in parts {
            let mut halves = association.into_inner();
            let head = halves.next();
            let type_name = match head {
                Some(head) if head.as_rule() == Rule::type_name => Some(self.type_name(head)?),
                _ => None,
            };
            let value = self.required(halves.next(), span)?;
            associations.push((type_name, value));
        }
        Ok(ExpressionKind::Generic(Box::new(selector), associations))
    }

    fn offsetof(&mut self, node: Node<'t>, span: Span) -> Walk<ExpressionKind> {
        let mut parts = node.into_inner();
        let type_name = self.next_type(parts.next(), span)?;
        let mut steps = Vec::new();
        for part in parts {
            steps.push(match part.as_rule() {
                Rule::identifier => OffsetofStep::Member(self.identifier(&part)),
                Rule::dot_member => {
                    let member = self.only(part)?;
                    OffsetofStep::Member(self.identifier(&member))
                }
                _ => {
                    let index = self.only(part)?;
                    OffsetofStep::Index(self.expression(index)?)
                }
            });
        }
        Ok(ExpressionKind::Offsetof(Box::new(type_name), steps))
    }
}
