//! External declarations, declarations and function definitions (6.7, 6.9).

use super::statement::no_statement;
use super::{Meaning, Node, Walk, Walker};
use crate::ast::{
    Declaration, DeclarationSpecifiers, Declarator, Derivation, Expression, ExternalItem,
    FunctionDefinition, InitDeclarator, StaticAssert,
};
use crate::source::Span;
use crate::syntax::grammar::Rule;

/// What the text of a `declaration` turned out to be.
pub(super) enum Declared {
    /// A declaration.
    Declaration(Declaration),
    /// A declarator with a body.
    Function(FunctionDefinition),
    /// `a * b;` where `a` is no type.
    Expression(Expression, Span),
}

impl<'t> Walker<'t, '_> {
    /// One item at file scope; `None` for a semicolon or a bad directive.
    pub(super) fn external_item(&mut self, node: Node<'t>) -> Walk<Option<ExternalItem>> {
        Ok(match node.as_rule() {
            Rule::directive => self.external_directive(node),
            Rule::static_assert => Some(ExternalItem::StaticAssert(self.static_assert(node)?)),
            Rule::assembly => Some(ExternalItem::Assembly(self.span(&node))),
            Rule::old_style_definition => {
                let function = self.old_style_definition(node)?;
                Some(ExternalItem::Function(Box::new(function)))
            }
            _ => match self.declaration(node)? {
                Declared::Function(function) => Some(ExternalItem::Function(Box::new(function))),
                Declared::Declaration(declaration) => {
                    Some(ExternalItem::Declaration(Box::new(declaration)))
                }
                Declared::Expression(_, span) => {
                    return Err(super::expected("a declaration", span));
                }
            },
        })
    }

    /// A directive at file scope, where no statement can follow it.
    fn external_directive(&mut self, node: Node<'t>) -> Option<ExternalItem> {
        let directive = self.directive(node)?;
        if directive.takes_statement() {
            self.diagnostics.push(no_statement(&directive));
            return None;
        }
        Some(ExternalItem::Directive(Box::new(directive)))
    }

    /// `_Static_assert(…);`
    pub(super) fn static_assert(&mut self, node: Node<'t>) -> Walk<StaticAssert> {
        let span = self.span(&node);
        let mut parts = node.into_inner();
        let condition = parts
            .next()
            .ok_or_else(|| super::expected("a condition", span))?;
        Ok(StaticAssert {
            condition: self.expression(condition)?,
            message: parts.next().map(|message| self.string(message)),
            span,
        })
    }

    /// A declaration, a function definition, or an expression in the shape of
    /// a declaration.
    pub(super) fn declaration(&mut self, node: Node<'t>) -> Walk<Declared> {
        let span = self.span(&node);
        if self.reads_as_expression(&node)
            && let Ok(expression) = self.reparse(Rule::expression_unit, span)
        {
            return Ok(Declared::Expression(self.expression(expression)?, span));
        }
        let mut parts = node.into_inner();
        let specifiers = match parts.next() {
            Some(first) => self.specifiers(first)?,
            None => DeclarationSpecifiers::default(),
        };
        let mut declarators = Vec::new();
        for part in parts {
            if part.as_rule() == Rule::compound_statement {
                let declarator = pop_declarator(&mut declarators, span)?;
                let function = self.function(specifiers, declarator, Vec::new(), part, span)?;
                return Ok(Declared::Function(function));
            }
            let declarator = self.init_declarator(part, &specifiers)?;
            declarators.push(declarator);
        }
        Ok(Declared::Declaration(Declaration {
            specifiers,
            declarators,
            span,
        }))
    }

    /// Whether the text of a declaration is `a * b…` or `a (*b)…` with `a`
    /// known as something else than a type.
    fn reads_as_expression(&self, node: &Node<'t>) -> bool {
        if self.scope.depth() == 0 {
            return false;
        }
        let mut parts = node.clone().into_inner();
        let Some(specifiers) = parts.next() else {
            return false;
        };
        let Some(declarator) = parts.next() else {
            return false;
        };
        let mut specifiers = specifiers.into_inner();
        let lone_other = specifiers.next().is_some_and(|first| {
            first.as_rule() == Rule::typedef_name
                && matches!(
                    self.scope.meaning(first.as_str().trim_end()),
                    Some(Meaning::Other(_))
                )
        });
        lone_other && specifiers.next().is_none() && declarator.as_str().starts_with(['*', '('])
    }

    /// A declarator with its initialiser. The name is in scope from the end
    /// of the declarator on (6.2.1).
    fn init_declarator(
        &mut self,
        node: Node<'t>,
        specifiers: &DeclarationSpecifiers,
    ) -> Walk<InitDeclarator> {
        let span = self.span(&node);
        let mut declarator = None;
        let mut assembly_label = None;
        let mut attributes = Vec::new();
        let mut initializer = None;
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::declarator => {
                    let walked = self.declarator(part)?;
                    let meaning = Meaning::of(specifiers, &walked);
                    self.declare(walked.name.as_ref(), meaning);
                    declarator = Some(walked);
                }
                Rule::attribute => self.attributes(part, &mut attributes),
                Rule::assembly_label => {
                    let label = self.only(part)?;
                    assembly_label = Some(self.string(label));
                }
                _ => initializer = Some(self.initializer(part)?),
            }
        }
        Ok(InitDeclarator {
            declarator: declarator.ok_or_else(|| super::expected("a name", span))?,
            assembly_label,
            attributes,
            initializer,
            span,
        })
    }

    /// The body of a function, with its parameters in scope.
    fn function(
        &mut self,
        specifiers: DeclarationSpecifiers,
        declarator: Declarator,
        parameter_declarations: Vec<Declaration>,
        body: Node<'t>,
        span: Span,
    ) -> Walk<FunctionDefinition> {
        let Some(Derivation::Function(parameters)) = declarator.derivations.first() else {
            return Err(super::expected(
                "`;`, or a parameter list before the body",
                declarator.span,
            ));
        };
        self.scope.open();
        for parameter in &parameters.parameters {
            let meaning = Meaning::of(&parameter.specifiers, &parameter.declarator);
            self.declare(parameter.declarator.name.as_ref(), meaning);
        }
        self.declare(&parameters.identifiers, Meaning::OTHER);
        let body = self.block(body)?;
        self.scope.close();
        Ok(FunctionDefinition {
            specifiers,
            declarator,
            parameter_declarations,
            body,
            span,
        })
    }

    /// A K&R definition.
    fn old_style_definition(&mut self, node: Node<'t>) -> Walk<FunctionDefinition> {
        let span = self.span(&node);
        let mut specifiers = DeclarationSpecifiers::default();
        let mut declarator = None;
        let mut parameters = Vec::new();
        for part in node.into_inner() {
            match part.as_rule() {
                Rule::declaration_specifiers => specifiers = self.specifiers(part)?,
                Rule::declarator => {
                    let walked = self.declarator(part)?;
                    self.declare(walked.name.as_ref(), Meaning::OTHER);
                    declarator = Some(walked);
                    self.scope.open();
                }
                Rule::old_style_declaration => {
                    if let Declared::Declaration(declaration) = self.declaration(part)? {
                        parameters.push(declaration);
                    }
                }
                _ => {
                    self.scope.close();
                    let declarator = declarator.ok_or_else(|| super::expected("a name", span))?;
                    return self.function(specifiers, declarator, parameters, part, span);
                }
            }
        }
        Err(super::expected("a function body", span))
    }
}

/// The one declarator before a body, which must have no initialiser.
fn pop_declarator(declarators: &mut Vec<InitDeclarator>, span: Span) -> Walk<Declarator> {
    let Some(last) = declarators.pop() else {
        return Err(super::expected("a function name", span));
    };
    if last.initializer.is_some() {
        return Err(super::expected("`;` after the initialiser", last.span));
    }
    let mut declarator = last.declarator;
    declarator.attributes.extend(last.attributes);
    Ok(declarator)
}

/// Whether specifiers are attributes alone: `__attribute__((fallthrough));`.
pub(super) fn is_attribute_statement(declaration: &Declaration) -> bool {
    let specifiers = &declaration.specifiers;
    declaration.declarators.is_empty()
        && specifiers.types.is_empty()
        && specifiers.storage.is_empty()
        && !specifiers.attributes.is_empty()
}
