//! Directives: the text between the markers, parsed on its own so that an
//! error in it leaves the C around it alone.

use pest::iterators::Pair;

use super::expression::{named, word};
use super::{Meaning, Node, Walk, Walker};
use crate::ast::{
    Argument, ArgumentValue, Arguments, Clause, Dialect, Directive, DirectiveId, Expression,
    ExpressionKind, Misspelt, Section, SectionDimension,
};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::source::markers::DIRECTIVE;
use crate::source::{Span, Spanned};
use crate::syntax::grammar::{self, Rule};
use crate::syntax::habit::{self, Known};
use crate::syntax::message;

impl<'t> Walker<'t, '_> {
    /// A directive; `None` where its error was reported.
    pub(super) fn directive(&mut self, node: Node<'t>) -> Option<Directive<Expression>> {
        let span = self.span(&node);
        let mut parts = node.into_inner();
        let dialect = Dialect::of_prefix(parts.next()?.as_str().strip_prefix(DIRECTIVE)?)?;
        let body = self.span(&parts.next()?);
        let text = self.slice(body);
        if text.trim().is_empty() {
            self.empty_directive(dialect, span);
            return None;
        }
        let rule = match dialect {
            Dialect::OpenAcc => Rule::directive_unit,
            Dialect::HiCuda => Rule::hicuda_unit,
        };
        if self.is_rest(span) {
            return None;
        }
        let is_misread = dialect == Dialect::OpenAcc && habit::is_misread(self.text, body);
        match grammar::parse(rule, text) {
            Ok(nodes) if !is_misread => {
                let parts = nodes.flat_map(Pair::into_inner).collect();
                match self.directive_parts(dialect, parts, span) {
                    Ok(directive) => return Some(directive),
                    Err(diagnostic) => self.diagnostics.push(*diagnostic),
                }
            }
            result => {
                let readable = self.unreadable(dialect, body, result.err());
                self.note_continuation(text, span);
                return self.partial(&readable?, body, span);
            }
        }
        None
    }

    /// The directive that `readable`, a text as long as what is before its end, has at `body`.
    fn partial(&mut self, readable: &str, body: Span, span: Span) -> Option<Directive<Expression>> {
        let nodes =
            grammar::parse(Rule::directive_unit, readable.get(body.start as usize..)?).ok()?;
        let mut unheard = Diagnostics::new();
        let mut walker = Walker::new(readable, self.takes, &mut unheard);
        walker.directives = self.directives;
        std::mem::swap(&mut walker.scope, &mut self.scope);
        let parts = nodes.flat_map(Pair::into_inner).collect();
        let directive = walker.directive_parts(Dialect::OpenAcc, parts, span);
        std::mem::swap(&mut walker.scope, &mut self.scope);
        self.directives = walker.directives;
        let directive = directive.ok()?;
        Some(Directive {
            is_partial: true,
            ..directive
        })
    }

    /// Keeps in mind that a directive ends with Fortran's `&`.
    fn note_continuation(&mut self, text: &str, span: Span) {
        self.continued = text.trim_end().ends_with('&').then_some(span.end);
    }

    /// Whether a directive was meant to be the rest of the one before, of which enough was said.
    fn is_rest(&mut self, span: Span) -> bool {
        let Some(end) = self.continued.take() else {
            return false;
        };
        let between = self.slice(Span::new(end.min(span.start), span.start));
        let is_rest = between.trim().is_empty();
        if is_rest {
            self.note_continuation(self.slice(span), span);
        }
        is_rest
    }

    /// Says what is wrong with a directive's text; its readable rest, if it is one of OpenACC.
    fn unreadable(
        &mut self,
        dialect: Dialect,
        body: Span,
        error: Option<Box<pest::error::Error<Rule>>>,
    ) -> Option<String> {
        if let Some(loop_inside) = habit::swallowed_loop(self.text, body) {
            // What is behind it means nothing without its header.
            self.failed = true;
            self.diagnostics.push(loop_inside);
            return None;
        }
        let mut found = match dialect {
            Dialect::OpenAcc => {
                let known = Known {
                    rule: Rule::directive_unit,
                    takes: &|text, place| self.takes(text, place),
                    dimensions: &|name| match self.scope.meaning(name)? {
                        Meaning::Other(dimensions) => dimensions,
                        Meaning::Typedef => None,
                    },
                };
                habit::mistakes(self.text, body, &known)
            }
            Dialect::HiCuda => {
                let known = Known {
                    rule: Rule::hicuda_unit,
                    takes: &|_, _| Some(Vec::new()),
                    dimensions: &|_| None,
                };
                habit::mistakes(self.text, body, &known)
            }
        };
        if let (true, Some(error)) = (found.said.is_empty(), error) {
            let at = body.start as usize + message::position(&error);
            let problem = message::directive_error(self.text, body, at, &error);
            found.said.push(problem);
        }
        let said = found.said.into_iter();
        said.for_each(|one| self.diagnostics.push(one));
        found.readable
    }

    /// Whether a directive's text is one that its dialect has, as far as it can be read, and once which
    /// words are spelt right.
    fn takes(&self, text: &str, place: Span) -> Option<Vec<Misspelt>> {
        let nodes = grammar::parse(Rule::directive_start, text).ok()?;
        let mut unheard = Diagnostics::new();
        let mut walker = Walker::new(text, self.takes, &mut unheard);
        let parts = nodes.flat_map(Pair::into_inner).collect();
        let span = Span::new(0, place.end);
        let directive = walker.directive_parts(Dialect::OpenAcc, parts, span);
        (self.takes)(&directive.ok()?, place)
    }

    /// A directive without words. Where the text before it had an error that
    /// was reported (an unclosed parenthesis), it comes out empty as well.
    fn empty_directive(&mut self, dialect: Dialect, span: Span) {
        if !self.diagnostics.has_errors() {
            let message = "a directive's name is missing";
            let error = Diagnostic::error(codes::DIRECTIVE_SYNTAX, message, span);
            let examples = match dialect {
                Dialect::OpenAcc => "`parallel loop` or `data`",
                Dialect::HiCuda => "`kernel` or `loop_partition`",
            };
            let help = format!("write which directive it is, such as {examples}");
            self.diagnostics.push(error.help(help));
        }
    }

    fn directive_parts(
        &mut self,
        dialect: Dialect,
        parts: Vec<Node<'t>>,
        span: Span,
    ) -> Walk<Directive<Expression>> {
        let id = DirectiveId(self.directives);
        self.directives += 1;
        let mut directive = Directive {
            dialect,
            id,
            name: Vec::new(),
            arguments: None,
            clauses: Vec::new(),
            span,
            is_partial: false,
        };
        for part in parts {
            match part.as_rule() {
                Rule::directive_name | Rule::hicuda_name => {
                    directive.name = part.into_inner().map(|w| self.word(&w)).collect();
                }
                Rule::directive_arguments | Rule::hicuda_operands => {
                    directive.arguments = Some(self.arguments(part)?);
                }
                Rule::clause | Rule::hicuda_clause => directive.clauses.push(self.clause(part)?),
                _ => {}
            }
        }
        Ok(directive)
    }

    fn word(&self, node: &Node<'t>) -> Spanned<String> {
        word(node, self.span(node))
    }

    fn clause(&mut self, node: Node<'t>) -> Walk<Clause<Expression>> {
        let span = self.span(&node);
        let mut parts = node.into_inner();
        let name = parts
            .next()
            .ok_or_else(|| super::expected("a clause", span))?;
        let mut clause = Clause {
            name: self.word(&name),
            arguments: None,
            names_copies: false,
            span,
        };
        let mut options = Vec::new();
        for part in parts {
            if part.as_rule() == Rule::hicuda_options {
                options = part.into_inner().map(|w| self.word(&w)).collect();
                continue;
            }
            clause.arguments = Some(self.arguments(part)?);
        }
        if !options.is_empty() {
            let items = || Arguments {
                modifiers: Vec::new(),
                items: Vec::new(),
                span,
            };
            clause.arguments.get_or_insert_with(items).modifiers = options;
        }
        Ok(clause)
    }

    fn arguments(&mut self, node: Node<'t>) -> Walk<Arguments<Expression>> {
        let mut arguments = Arguments {
            modifiers: Vec::new(),
            items: Vec::new(),
            span: self.span(&node),
        };
        for part in node.into_inner() {
            if part.as_rule() == Rule::modifiers {
                arguments.modifiers = part.into_inner().map(|w| self.word(&w)).collect();
            } else {
                arguments.items.push(self.argument(part)?);
            }
        }
        Ok(arguments)
    }

    fn argument(&mut self, node: Node<'t>) -> Walk<Argument<Expression>> {
        let span = self.span(&node);
        let mut label = None;
        let mut value = ArgumentValue::Star;
        for part in node.into_inner() {
            let part_span = self.span(&part);
            match part.as_rule() {
                Rule::argument_label => {
                    let name = self.only(part)?;
                    label = Some(self.word(&name));
                }
                Rule::identifier => {
                    let name = word(&part, part_span);
                    value = ArgumentValue::Name { name, symbol: None };
                }
                Rule::hicuda_dimension => value = self.with_dimension(value, part)?,
                Rule::argument_star => value = ArgumentValue::Star,
                Rule::argument_name => {
                    value = ArgumentValue::Name {
                        name: word(&part, part_span),
                        symbol: None,
                    };
                }
                Rule::argument_section => value = ArgumentValue::Section(self.section(part)?),
                _ => value = ArgumentValue::Expression(self.expression(part)?),
            }
        }
        Ok(Argument { label, value, span })
    }

    /// A section: the base up to its last member or call, then the brackets.
    fn section(&mut self, node: Node<'t>) -> Walk<Section<Expression>> {
        let span = self.span(&node);
        let mut base = None;
        let mut dimensions = Vec::new();
        let mut chain = node.into_inner().peekable();
        while let Some(part) = chain.next() {
            let part_span = self.span(&part);
            match part.as_rule() {
                Rule::section_dimension => dimensions.push(self.dimension(part, part_span)?),
                Rule::lone_parenthesis => {
                    let name = self.only(part)?;
                    let inner = named(name.as_str(), self.span(&name));
                    let kind = ExpressionKind::Parenthesized(Box::new(inner));
                    let value = Expression {
                        kind,
                        span: part_span,
                    };
                    base = Some(self.postfixes(value, &mut chain)?);
                }
                _ => {
                    let value = self.primary(part, part_span)?;
                    base = Some(self.postfixes(value, &mut chain)?);
                }
            }
        }
        let base = base.ok_or_else(|| super::expected("an array", span))?;
        let (base, mut leading) = split_subscripts(base, self.text);
        leading.append(&mut dimensions);
        Ok(Section {
            base,
            dimensions: leading,
            span,
        })
    }

    /// An operand of hiCUDA with one more pair of brackets.
    fn with_dimension(
        &mut self,
        value: ArgumentValue<Expression>,
        node: Node<'t>,
    ) -> Walk<ArgumentValue<Expression>> {
        let span = self.span(&node);
        let mut section = match value {
            ArgumentValue::Section(section) => section,
            ArgumentValue::Name { name, .. } => Section {
                base: named(&name.value, name.span),
                dimensions: Vec::new(),
                span: name.span,
            },
            other => return Ok(other),
        };
        let is_whole = |part: &Node<'t>| part.as_rule() == Rule::whole_dimension;
        section.dimensions.push(
            match node.clone().into_inner().any(|part| is_whole(&part)) {
                true => SectionDimension {
                    parts: Vec::new(),
                    span,
                },
                false => self.dimension(node, span)?,
            },
        );
        section.span = section.span.to(span);
        Ok(ArgumentValue::Section(section))
    }

    /// `[a:b:c]`: the parts between the colons, with `None` for nothing.
    fn dimension(&mut self, node: Node<'t>, span: Span) -> Walk<SectionDimension<Expression>> {
        let mut parts = vec![None];
        for part in node.into_inner() {
            if part.as_rule() == Rule::section_colon {
                parts.push(None);
            } else if let Some(last) = parts.last_mut() {
                *last = Some(self.expression(part)?);
            }
        }
        Ok(SectionDimension { parts, span })
    }
}

/// Takes the subscripts off the end of a section's base: in `a[i][0:n]` they
/// are dimensions too.
fn split_subscripts(
    base: Expression,
    text: &str,
) -> (Expression, Vec<SectionDimension<Expression>>) {
    let mut base = base;
    let mut dimensions = Vec::new();
    while let ExpressionKind::Index(array, index) = base.kind {
        let after = text.get(array.span.end as usize..base.span.end as usize);
        let blanks = after.map_or(0, |text| text.len() - text.trim_start().len());
        let start = array.span.end + u32::try_from(blanks).unwrap_or(0);
        dimensions.push(SectionDimension {
            parts: vec![Some(*index)],
            span: Span::new(start, base.span.end),
        });
        base = *array;
    }
    dimensions.reverse();
    (base, dimensions)
}
