//! The typed tree: C after semantic analysis (C11 6.2 to 6.9).
//!
//! Every name is a [`SymbolId`], every expression has a type, every implicit
//! conversion is a node of its own ([`ExpressionKind::Convert`]), `sizeof`,
//! `_Generic` and the like are resolved. What is written is still here:
//! parentheses, spelling of constants, explicit casts, since the output is
//! read by people.
//!
//! Ids index the vectors of one [`Unit`] and never dangle: only `sema` makes
//! them.

pub mod constant;
mod expression;
pub mod print;
mod statement;
mod symbol;
mod types;
pub mod visit;

pub use expression::*;
pub use statement::*;
pub use symbol::*;
pub use types::*;

use std::collections::BTreeMap;

use crate::ast::Directive;
use crate::source::Span;

/// One translation unit after semantic analysis.
#[derive(Clone, Debug, Default)]
pub struct Unit {
    /// All types, interned.
    pub types: Types,
    /// All declared names of all scopes.
    pub symbols: Vec<Symbol>,
    /// The lengths of variable length arrays.
    pub vla_lengths: Vec<VlaLength>,
    /// Function definitions in order.
    pub functions: Vec<Function>,
    /// Objects at file scope (and `static` ones in blocks) in order.
    pub globals: Vec<Global>,
    /// What stood at file scope, in order.
    pub items: Vec<Item>,
    /// Parameters declared as arrays, with their types before adjustment
    /// (6.7.6.3, 7): a data clause on such a name means the declared length.
    pub declared_arrays: BTreeMap<SymbolId, QualType>,
}

/// What stood at file scope.
#[derive(Clone, Debug)]
pub enum Item {
    /// Index into [`Unit::functions`].
    Function(usize),
    /// Index into [`Unit::globals`].
    Global(usize),
    /// The declaration of a function without a body.
    Prototype(SymbolId),
    /// A directive at file scope.
    Directive(Box<Directive<Expression>>),
}

/// A function definition.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name; the symbol's type is a [`Type::Function`].
    pub symbol: SymbolId,
    /// Its parameters in order, with their adjusted types.
    pub parameters: Vec<SymbolId>,
    /// Its body, a [`StatementKind::Compound`].
    pub body: Statement,
    /// From the first specifier to the closing brace.
    pub span: Span,
    /// From the first specifier to the end of the declarator.
    pub header: Span,
}

/// An object with static storage duration.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub symbol: SymbolId,
    /// Its value, if given.
    pub initializer: Option<Initializer>,
    /// Its declarator.
    pub span: Span,
}

impl Unit {
    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// The definition of a function, if this unit has it.
    pub fn function(&self, id: SymbolId) -> Option<&Function> {
        self.functions.iter().find(|function| function.symbol == id)
    }

    /// The object behind a global symbol, if this unit defines or declares it.
    pub fn global(&self, id: SymbolId) -> Option<&Global> {
        self.globals.iter().find(|global| global.symbol == id)
    }
}
