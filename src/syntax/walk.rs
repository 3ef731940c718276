//! The walk: from the parser's pairs to the tree of [`crate::ast`].
//!
//! Input: the pairs of one external declaration. Output: its AST. It assumes
//! the shapes that `grammar/c.pest` promises, and settles what the grammar
//! left open, with the names declared so far:
//!
//! ```c
//! typedef int T;
//! (T) * p;        // a cast of `*p`
//! (x) * p;        // a product
//! T * p;          // a declaration
//! x * p;          // an expression
//! ```
//!
//! Every path that recurses is bounded: brackets by the check before parsing,
//! everything else by [`Walker::enter`], which counts how deep the tree gets.

mod declaration;
mod declarator;
mod directive;
mod expression;
mod special;
mod specifier;
mod statement;

use pest::iterators::{Pair, Pairs};

use super::Takes;
use super::grammar::{self, Rule};
use super::message;
use super::scope::{Meaning, Scope};
use crate::ast::{
    DeclarationSpecifiers, Declarator, Derivation, ExternalItem, Identifier, StorageClass,
    StringLiteral, TypeSpecifier,
};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::source::{Span, Spanned};

/// A pair of the parser: a rule and its text.
type Node<'t> = Pair<'t, Rule>;

/// The result of walking a node; an error ends the statement or declaration.
type Walk<T> = Result<T, Box<Diagnostic>>;

/// The state of the walk over one translation unit.
pub(super) struct Walker<'t, 'd> {
    /// The whole text; every pair is a piece of it.
    text: &'t str,
    scope: Scope,
    /// What directives may say.
    takes: Takes,
    diagnostics: &'d mut Diagnostics,
    /// How deep the tree is at this point, at most.
    depth: usize,
    /// Whether a piece of C was left out because of an error.
    failed: bool,
    /// How many directives were read.
    directives: u32,
    /// Where a directive ends of which the next one was meant to be the rest.
    continued: Option<u32>,
}

impl Meaning {
    /// What a declarator declares behind its specifiers.
    fn of(specifiers: &DeclarationSpecifiers, declarator: &Declarator) -> Self {
        let mut storage = specifiers.storage.iter();
        if storage.any(|class| class.value == StorageClass::Typedef) {
            return Self::Typedef;
        }
        // What other types are, only their declarations say.
        let hides = |ty: &Spanned<TypeSpecifier>| {
            use TypeSpecifier as T;
            let is_named = matches!(ty.value, T::TypedefName(_) | T::Atomic(_));
            is_named || matches!(ty.value, T::TypeofExpression(_) | T::TypeofType(_))
        };
        let steps = &declarator.derivations;
        let is_data = |step: &Derivation| !matches!(step, Derivation::Function(_));
        let is_known = !specifiers.types.iter().any(hides) && steps.iter().all(is_data);
        Self::Other(is_known.then_some(steps.len()))
    }
}

impl<'t, 'd> Walker<'t, 'd> {
    /// Starts with no names declared.
    pub(super) fn new(text: &'t str, takes: Takes, diagnostics: &'d mut Diagnostics) -> Self {
        Self {
            text,
            scope: Scope::default(),
            takes,
            diagnostics,
            depth: 0,
            failed: false,
            directives: 0,
            continued: None,
        }
    }

    /// Reports an error that the parser found.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Walks one external declaration; `None` for a lone semicolon or where
    /// the error was reported.
    pub(super) fn external(&mut self, nodes: Pairs<'t, Rule>) -> Vec<ExternalItem> {
        let mut items = Vec::new();
        for node in nodes.flat_map(Pair::into_inner) {
            match self.external_item(node) {
                Ok(Some(item)) => items.push(item),
                Ok(None) => {}
                Err(diagnostic) => self.abandon(*diagnostic, 0, 0),
            }
        }
        items
    }

    /// Reports the error of a piece that is left out, and goes back to the
    /// scopes and the depth around it.
    fn abandon(&mut self, diagnostic: Diagnostic, scopes: usize, depth: usize) {
        self.diagnostics.push(diagnostic);
        self.failed = true;
        self.scope.close_to(scopes);
        self.depth = depth;
    }

    /// Whether a piece of C was left out because of an error.
    pub(super) fn failed(&self) -> bool {
        self.failed
    }

    /// The span of a node, without the white space that the parser may have
    /// taken in behind it.
    fn span(&self, node: &Node<'t>) -> Span {
        let text = node.as_str();
        let start = text.as_ptr() as usize - self.text.as_ptr() as usize;
        let trimmed = text.trim_end_matches(|c: char| matches!(c, ' ' | '\t'..='\r'));
        message::span_of(start, start + trimmed.len())
    }

    /// The text of a span.
    fn slice(&self, span: Span) -> &'t str {
        self.text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// An identifier node.
    fn identifier(&self, node: &Node<'t>) -> Identifier {
        Spanned::new(node.as_str().to_owned(), self.span(node))
    }

    /// A string literal node.
    fn string(&self, node: Node<'t>) -> StringLiteral {
        let span = self.span(&node);
        let pieces = node.into_inner().map(|p| p.as_str().to_owned()).collect();
        StringLiteral { pieces, span }
    }

    /// Declares names.
    fn declare<'n>(&mut self, names: impl IntoIterator<Item = &'n Identifier>, meaning: Meaning) {
        for name in names {
            self.scope.declare(&name.value, meaning);
        }
    }

    /// Parses the text of a span again, as another rule.
    fn reparse(&self, rule: Rule, span: Span) -> Walk<Node<'t>> {
        let text = self.slice(span);
        let nodes = grammar::parse(rule, text)
            .map_err(|error| Box::new(message::syntax_error(self.text, span.start, &error)))?;
        nodes
            .flat_map(Pair::into_inner)
            .next()
            .ok_or_else(|| expected("more text", span))
    }

    /// Goes `levels` deeper in the tree; [`Self::leave`] comes back.
    ///
    /// # Errors
    ///
    /// Where the tree would get too deep for the recursion of later stages.
    fn enter(&mut self, levels: usize, span: Span) -> Walk<()> {
        self.depth += levels;
        if self.depth <= super::MAX_DEPTH {
            return Ok(());
        }
        Err(too_deep(span))
    }

    /// Comes back from as many levels.
    fn leave(&mut self, levels: usize) {
        self.depth -= levels;
    }
}

/// The error for a tree that is too deep.
fn too_deep(span: Span) -> Box<Diagnostic> {
    let levels = super::MAX_DEPTH;
    let message = format!("this nests more than {levels} levels of operators or statements");
    let first = Span::new(span.start, span.start.saturating_add(1).min(span.end));
    let error = Diagnostic::error(codes::NESTING_TOO_DEEP, message, first);
    Box::new(error.help("split it, for instance by a temporary variable or a loop"))
}

/// An error that says what was expected at a span.
fn expected(what: &str, span: Span) -> Box<Diagnostic> {
    let message = format!("expected {what}");
    Box::new(Diagnostic::error(codes::SYNTAX, message, span))
}
