//! The syntax tree of C11 with GNU extensions and directives.
//!
//! Names are the C standard's own (6.5 to 6.9). Nothing is resolved here but
//! the one thing that C's grammar itself needs: whether an identifier is a
//! typedef name. Types, symbols and conversions are in [`crate::typed`].
//!
//! Every node carries the [`Span`] of its whole text.

mod declaration;
mod directive;
mod expression;
pub mod print;
mod statement;

pub use declaration::*;
pub use directive::*;
pub use expression::*;
pub use statement::*;

use crate::source::{Span, Spanned};

/// An identifier as written.
pub type Identifier = Spanned<String>;

/// A translation unit (C11 6.9): one preprocessed file.
#[derive(Clone, Debug, Default)]
pub struct TranslationUnit {
    /// Declarations, definitions and directives at file scope, in order.
    pub items: Vec<ExternalItem>,
}

/// What may stand at file scope.
#[derive(Clone, Debug)]
pub enum ExternalItem {
    /// A function with its body.
    Function(Box<FunctionDefinition>),
    /// Any other declaration.
    Declaration(Box<Declaration>),
    /// `_Static_assert(…);`
    StaticAssert(StaticAssert),
    /// A file-scope `asm("…");`, host only.
    Assembly(Span),
    /// A directive that stands alone at file scope, such as `routine`.
    Directive(Box<Directive<Expression>>),
}
