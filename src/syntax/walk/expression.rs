//! Expressions (6.5): from flat chains to trees.
//!
//! The parser gives `a + (T) * p` as the chain `a`, `+`, `(T)`, `*`, `p`. The
//! walk climbs by precedence over the chain. Where a lone identifier in
//! parentheses is a typedef name, what follows is read as its operand:
//! operators as prefixes, an argument list as a parenthesised expression.
//! Left-associative chains, assignments and conditionals are built by loops,
//! so that a sum of thousands of terms needs no stack here.

use std::iter::Peekable;

use pest::iterators::Pairs;

use super::{Node, Walk, Walker};
use crate::ast::{BinaryOperator, Constant, Expression, ExpressionKind, TypeName, UnaryOperator};
use crate::source::{Span, Spanned};
use crate::syntax::grammar::Rule;

/// The rest of a flat chain.
pub(super) type Chain<'t> = Peekable<Pairs<'t, Rule>>;

/// What stands before an operand.
enum Prefix {
    Operator(UnaryOperator),
    Cast(Box<TypeName>),
    Sizeof,
    Alignof,
}

/// An operator between operands.
enum Infix {
    Binary(BinaryOperator),
    Assign(Option<BinaryOperator>),
}

impl<'t> Walker<'t, '_> {
    /// `expression` or `assignment_expression`.
    pub(super) fn expression(&mut self, node: Node<'t>) -> Walk<Expression> {
        let span = self.span(&node);
        let parts = node.into_inner();
        let levels = levels(&parts);
        self.enter(levels, span)?;
        let mut chain = parts.peekable();
        let expression = self.comma(&mut chain)?;
        if let Some(rest) = chain.next() {
            let span = self.span(&rest);
            return Err(super::expected("an operator", span));
        }
        self.leave(levels);
        Ok(expression)
    }

    /// 6.5.17.
    fn comma(&mut self, chain: &mut Chain<'t>) -> Walk<Expression> {
        let mut left = self.assignment(chain)?;
        while chain.next_if(|n| n.as_rule() == Rule::comma).is_some() {
            let right = self.assignment(chain)?;
            left = join(left, right, ExpressionKind::Comma);
        }
        Ok(left)
    }

    /// 6.5.16, right-associative: the left sides wait until the last right
    /// side is known.
    fn assignment(&mut self, chain: &mut Chain<'t>) -> Walk<Expression> {
        let mut waiting = Vec::new();
        let mut value = self.conditional(chain)?;
        while let Some(operator) = next_assignment(chain) {
            waiting.push((value, operator));
            value = self.conditional(chain)?;
        }
        while let Some((target, operator)) = waiting.pop() {
            value = join(target, value, |a, b| ExpressionKind::Assign(operator, a, b));
        }
        Ok(value)
    }

    /// 6.5.15, right-associative.
    fn conditional(&mut self, chain: &mut Chain<'t>) -> Walk<Expression> {
        let mut waiting = Vec::new();
        let mut value = self.binary(chain, 1)?;
        while let Some(middle) = chain.next_if(|n| n.as_rule() == Rule::conditional) {
            let middle = match middle.into_inner().next() {
                Some(middle) => Some(Box::new(self.expression(middle)?)),
                None => None,
            };
            waiting.push((value, middle));
            value = self.binary(chain, 1)?;
        }
        while let Some((condition, middle)) = waiting.pop() {
            value = join(condition, value, |condition, last| {
                ExpressionKind::Conditional(condition, middle, last)
            });
        }
        Ok(value)
    }

    /// 6.5.5 to 6.5.14: operators of at least `weakest` binding strength.
    fn binary(&mut self, chain: &mut Chain<'t>, weakest: u8) -> Walk<Expression> {
        let mut left = self.operand(chain)?;
        while let Some(operator) = next_binary(chain, weakest) {
            let right = self.binary(chain, operator.precedence() + 1)?;
            left = join(left, right, |a, b| ExpressionKind::Binary(operator, a, b));
        }
        Ok(left)
    }

    /// 6.5.1 to 6.5.4: prefixes, a primary, postfixes.
    fn operand(&mut self, chain: &mut Chain<'t>) -> Walk<Expression> {
        let mut prefixes = Vec::new();
        let mut last = Span::default();
        let primary = loop {
            let Some(node) = chain.next() else {
                return Err(super::expected(
                    "an expression after the cast",
                    Span::new(last.start, last.end),
                ));
            };
            let span = self.span(&node);
            if let Some(primary) = self.prefix_or_primary(node, span, chain, &mut prefixes)? {
                break primary;
            }
            last = span;
        };
        let mut value = self.postfixes(primary, chain)?;
        while let Some((prefix, start)) = prefixes.pop() {
            let span = Span::new(start, value.span.end);
            let operand = Box::new(value);
            let kind = match prefix {
                Prefix::Operator(operator) => ExpressionKind::Unary(operator, operand),
                Prefix::Cast(type_name) => ExpressionKind::Cast(type_name, operand),
                Prefix::Sizeof => ExpressionKind::SizeofExpression(operand),
                Prefix::Alignof => ExpressionKind::AlignofExpression(operand),
            };
            value = Expression { kind, span };
        }
        Ok(value)
    }

    /// Takes one node: either another prefix, or the primary expression.
    fn prefix_or_primary(
        &mut self,
        node: Node<'t>,
        span: Span,
        chain: &mut Chain<'t>,
        prefixes: &mut Vec<(Prefix, u32)>,
    ) -> Walk<Option<Expression>> {
        let after_cast = matches!(prefixes.last(), Some((Prefix::Cast(_), _)));
        match node.as_rule() {
            Rule::prefix_operator | Rule::increment => {
                let operator = prefix_operator(node.as_str());
                prefixes.push((Prefix::Operator(operator), span.start));
                Ok(None)
            }
            Rule::operator if after_cast => self.operator_after_cast(&node, span, chain, prefixes),
            Rule::sizeof_keyword => self.sizeof(&node, span, chain, prefixes),
            Rule::cast_type => {
                let type_name = self.only(node)?;
                let type_name = self.type_name(type_name)?;
                self.after_type(type_name, span, chain, prefixes)
            }
            Rule::lone_parenthesis => self.lone_parenthesis(node, span, chain, prefixes),
            Rule::arguments if after_cast => self.operand_in_arguments(node, span, chain, prefixes),
            Rule::operator
            | Rule::subscript
            | Rule::dot_member
            | Rule::arrow_member
            | Rule::arguments
            | Rule::conditional
            | Rule::comma => Err(super::expected("an expression", span)),
            _ => self.primary(node, span).map(Some),
        }
    }

    /// `(T)` with what follows: a compound literal, or a cast.
    fn after_type(
        &mut self,
        type_name: TypeName,
        span: Span,
        chain: &mut Chain<'t>,
        prefixes: &mut Vec<(Prefix, u32)>,
    ) -> Walk<Option<Expression>> {
        let braces = chain.next_if(|next| next.as_rule() == Rule::braced_initializer);
        let Some(braces) = braces else {
            prefixes.push((Prefix::Cast(Box::new(type_name)), span.start));
            return Ok(None);
        };
        let list = self.initializer_list(braces)?;
        let span = span.to(list.span);
        let kind = ExpressionKind::CompoundLiteral(Box::new(type_name), list);
        Ok(Some(Expression { kind, span }))
    }

    /// `(x)`: a cast where `x` is a type, or where only a cast can be meant.
    fn lone_parenthesis(
        &mut self,
        node: Node<'t>,
        span: Span,
        chain: &mut Chain<'t>,
        prefixes: &mut Vec<(Prefix, u32)>,
    ) -> Walk<Option<Expression>> {
        let name = self.only(node)?;
        let name_span = self.span(&name);
        let is_type = self.scope.is_typedef(name.as_str())
            || chain
                .peek()
                .is_some_and(|next| !is_postfix(next.as_rule()) && !is_infix(next.as_rule()));
        if is_type {
            let type_name = self.type_name_in(name_span)?;
            return self.after_type(type_name, span, chain, prefixes);
        }
        let inner = named(name.as_str(), name_span);
        let kind = ExpressionKind::Parenthesized(Box::new(inner));
        Ok(Some(Expression { kind, span }))
    }

    /// The type name that a span holds.
    fn type_name_in(&mut self, span: Span) -> Walk<TypeName> {
        let node = self.reparse(Rule::bare_type_unit, span)?;
        self.type_name(node)
    }

    /// An operator that reads as a prefix, since a cast stands before it.
    fn operator_after_cast(
        &mut self,
        node: &Node<'t>,
        span: Span,
        chain: &mut Chain<'t>,
        prefixes: &mut Vec<(Prefix, u32)>,
    ) -> Walk<Option<Expression>> {
        let text = node.as_str();
        if text == "&&" {
            if let Some(label) = chain.next_if(|next| next.as_rule() == Rule::identifier) {
                let label = self.identifier(&label);
                let span = span.to(label.span);
                let kind = ExpressionKind::LabelAddress(label);
                return Ok(Some(Expression { kind, span }));
            }
        } else if matches!(text, "*" | "&" | "+" | "-") {
            prefixes.push((Prefix::Operator(prefix_operator(text)), span.start));
            return Ok(None);
        }
        Err(super::expected("an expression after the cast", span))
    }

    /// `(x)` or `(a, b)` behind a cast, parsed as an argument list.
    fn operand_in_arguments(
        &mut self,
        node: Node<'t>,
        span: Span,
        chain: &mut Chain<'t>,
        prefixes: &mut Vec<(Prefix, u32)>,
    ) -> Walk<Option<Expression>> {
        let mut arguments = node.into_inner();
        let Some(first) = arguments.next() else {
            return Err(super::expected("an expression after the cast", span));
        };
        if arguments.peek().is_none()
            && let Some(type_name) = self.lone_type(&first)?
        {
            return self.after_type(type_name, span, chain, prefixes);
        }
        let mut inner = self.expression(first)?;
        for argument in arguments {
            let argument = self.expression(argument)?;
            inner = join(inner, argument, ExpressionKind::Comma);
        }
        let kind = ExpressionKind::Parenthesized(Box::new(inner));
        Ok(Some(Expression { kind, span }))
    }

    /// The type that an expression is, where it is only a typedef name.
    fn lone_type(&mut self, node: &Node<'t>) -> Walk<Option<TypeName>> {
        let mut parts = node.clone().into_inner();
        let is_type = parts.next().is_some_and(|first| {
            first.as_rule() == Rule::identifier && self.scope.is_typedef(first.as_str())
        });
        if !is_type || parts.next().is_some() {
            return Ok(None);
        }
        let span = self.span(node);
        self.type_name_in(span).map(Some)
    }

    /// `sizeof` and `_Alignof` with what follows.
    fn sizeof(
        &mut self,
        node: &Node<'t>,
        span: Span,
        chain: &mut Chain<'t>,
        prefixes: &mut Vec<(Prefix, u32)>,
    ) -> Walk<Option<Expression>> {
        let is_sizeof = node.as_str() == "sizeof";
        let prefix = || {
            if is_sizeof {
                Prefix::Sizeof
            } else {
                Prefix::Alignof
            }
        };
        let Some((type_name, type_span)) = self.type_operand(chain)? else {
            prefixes.push((prefix(), span.start));
            return Ok(None);
        };
        if chain
            .peek()
            .is_some_and(|next| next.as_rule() == Rule::braced_initializer)
        {
            prefixes.push((prefix(), span.start));
            return self.after_type(type_name, type_span, chain, prefixes);
        }
        let type_name = Box::new(type_name);
        let kind = if is_sizeof {
            ExpressionKind::SizeofType(type_name)
        } else {
            ExpressionKind::AlignofType(type_name)
        };
        let span = span.to(type_span);
        Ok(Some(Expression { kind, span }))
    }

    /// A parenthesised type behind `sizeof`, with the span of its parentheses.
    fn type_operand(&mut self, chain: &mut Chain<'t>) -> Walk<Option<(TypeName, Span)>> {
        let Some(next) = chain.peek().cloned() else {
            return Ok(None);
        };
        let span = self.span(&next);
        let type_name = match next.as_rule() {
            Rule::cast_type => {
                let inner = self.only(next)?;
                Some(self.type_name(inner)?)
            }
            Rule::lone_parenthesis => {
                let name = self.only(next)?;
                if self.scope.is_typedef(name.as_str()) {
                    let name_span = self.span(&name);
                    Some(self.type_name_in(name_span)?)
                } else {
                    None
                }
            }
            Rule::parenthesized => {
                let inner = self.only(next)?;
                self.type_in_disguise(&inner)?
            }
            _ => None,
        };
        if type_name.is_some() {
            chain.next();
        }
        Ok(type_name.map(|type_name| (type_name, span)))
    }

    /// 6.5.2: what follows a primary expression.
    pub(super) fn postfixes(
        &mut self,
        primary: Expression,
        chain: &mut Chain<'t>,
    ) -> Walk<Expression> {
        let mut value = primary;
        while let Some(node) = chain.next_if(|next| is_postfix(next.as_rule())) {
            value = self.postfix(value, node)?;
        }
        Ok(value)
    }

    fn postfix(&mut self, base: Expression, node: Node<'t>) -> Walk<Expression> {
        let end = self.span(&node).end;
        let span = Span::new(base.span.start, end);
        let base = Box::new(base);
        let kind = match node.as_rule() {
            Rule::subscript => {
                let index = self.only(node)?;
                ExpressionKind::Index(base, Box::new(self.expression(index)?))
            }
            Rule::arguments => {
                let arguments: Walk<Vec<_>> = node
                    .into_inner()
                    .map(|argument| self.expression(argument))
                    .collect();
                ExpressionKind::Call(base, arguments?)
            }
            Rule::increment if node.as_str() == "++" => {
                ExpressionKind::Unary(UnaryOperator::PostIncrement, base)
            }
            Rule::increment => ExpressionKind::Unary(UnaryOperator::PostDecrement, base),
            rule => {
                let member = self.only(node)?;
                ExpressionKind::Member {
                    base,
                    member: self.identifier(&member),
                    arrow: rule == Rule::arrow_member,
                }
            }
        };
        Ok(Expression { kind, span })
    }

    /// 6.5.1, and GNU's special forms.
    pub(super) fn primary(&mut self, node: Node<'t>, span: Span) -> Walk<Expression> {
        let kind = match node.as_rule() {
            Rule::identifier => ExpressionKind::Identifier(node.as_str().to_owned()),
            Rule::constant => ExpressionKind::Constant(number(node.as_str())),
            Rule::character => {
                ExpressionKind::Constant(Constant::Character(node.as_str().to_owned()))
            }
            Rule::string_literal => ExpressionKind::String(self.string(node)),
            Rule::parenthesized => {
                let inner = self.only(node)?;
                ExpressionKind::Parenthesized(Box::new(self.expression(inner)?))
            }
            Rule::statement_expression => {
                let body = self.only(node)?;
                ExpressionKind::Statement(Box::new(self.compound(body)?))
            }
            Rule::label_address => {
                let label = self.only(node)?;
                ExpressionKind::LabelAddress(self.identifier(&label))
            }
            _ => return self.special_form(node, span),
        };
        Ok(Expression { kind, span })
    }
}

/// A name as an expression.
pub(super) fn named(name: &str, span: Span) -> Expression {
    Expression {
        kind: ExpressionKind::Identifier(name.to_owned()),
        span,
    }
}

/// Two expressions made one.
fn join(
    left: Expression,
    right: Expression,
    kind: impl FnOnce(Box<Expression>, Box<Expression>) -> ExpressionKind,
) -> Expression {
    let span = left.span.to(right.span);
    Expression {
        kind: kind(Box::new(left), Box::new(right)),
        span,
    }
}

/// How deep the tree of a chain can get. Operands make it no deeper; they are
/// counted all the same where it does not matter.
fn levels(chain: &Pairs<'_, Rule>) -> usize {
    const SHORT: usize = 50;
    if chain.len() <= SHORT {
        return chain.len();
    }
    let deepens = |rule| {
        is_infix(rule)
            || is_postfix(rule)
            || matches!(
                rule,
                Rule::prefix_operator | Rule::sizeof_keyword | Rule::cast_type
            )
            || rule == Rule::lone_parenthesis
    };
    chain.clone().filter(|n| deepens(n.as_rule())).count() + 1
}

/// Whether a rule is a postfix of an operand.
pub(super) fn is_postfix(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::subscript | Rule::arguments | Rule::dot_member | Rule::arrow_member | Rule::increment
    )
}

/// Whether a rule stands between operands.
fn is_infix(rule: Rule) -> bool {
    matches!(rule, Rule::operator | Rule::conditional | Rule::comma)
}

/// Takes the next operator if it is an assignment.
fn next_assignment(chain: &mut Chain<'_>) -> Option<Option<BinaryOperator>> {
    let Infix::Assign(operator) = infix(chain.peek()?)? else {
        return None;
    };
    chain.next();
    Some(operator)
}

/// Takes the next operator if it is binary and binds at least so strongly.
fn next_binary(chain: &mut Chain<'_>, weakest: u8) -> Option<BinaryOperator> {
    let Infix::Binary(operator) = infix(chain.peek()?)? else {
        return None;
    };
    if operator.precedence() < weakest {
        return None;
    }
    chain.next();
    Some(operator)
}

/// What an operator node means between two operands.
fn infix(node: &Node<'_>) -> Option<Infix> {
    if node.as_rule() != Rule::operator {
        return None;
    }
    let text = node.as_str();
    if let Some(operator) = BinaryOperator::spelled(text) {
        return Some(Infix::Binary(operator));
    }
    let compound = text.strip_suffix('=')?;
    Some(Infix::Assign(BinaryOperator::spelled(compound)))
}

fn prefix_operator(text: &str) -> UnaryOperator {
    use UnaryOperator as U;
    match text {
        "++" => U::PreIncrement,
        "--" => U::PreDecrement,
        "&" => U::AddressOf,
        "*" => U::Indirection,
        "+" => U::Plus,
        "-" => U::Minus,
        "~" => U::BitNot,
        "!" => U::LogicalNot,
        "__real__" | "__real" => U::Real,
        "__imag__" | "__imag" => U::Imaginary,
        _ => U::Extension,
    }
}

/// Tells floating constants from integers (6.4.4.1, 6.4.4.2).
fn number(text: &str) -> Constant {
    let lower = text.as_bytes();
    let is_hexadecimal = matches!(lower, [b'0', b'x' | b'X', ..]);
    let is_binary = matches!(lower, [b'0', b'b' | b'B', ..]);
    let marks: &[char] = if is_hexadecimal {
        &['.', 'p', 'P']
    } else {
        &['.', 'e', 'E']
    };
    if !is_binary && text.contains(marks) {
        Constant::Floating(text.to_owned())
    } else {
        Constant::Integer(text.to_owned())
    }
}

/// A word node as a spanned string.
pub(super) fn word(node: &Node<'_>, span: Span) -> Spanned<String> {
    Spanned::new(node.as_str().trim_end().to_owned(), span)
}
