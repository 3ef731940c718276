//! The typed tree: C after semantic analysis (C11 6.2 to 6.9).
//!
//! Every name is a [`SymbolId`], every expression has a type, every implicit
//! conversion is a node of its own ([`ExpressionKind::Convert`]), `sizeof`,
//! `_Generic` and the like are resolved. What is written is still here:
//! parentheses, spelling of constants, explicit casts, since the output is
//! read by people.
//!
//! Ids index the tables of one [`Unit`] and never dangle. Symbols, types and
//! lengths are only ever added, which a shared unit allows: who reads the tree
//! can make a variable as well.

pub mod address;
pub mod case_range;
pub mod constant;
mod expression;
pub mod library;
pub mod print;
mod statement;
mod symbol;
pub mod synthesis;
mod typedefs;
mod types;
pub mod visit;

pub use expression::*;
pub use statement::*;
pub use symbol::*;
pub use typedefs::*;
pub use types::*;

use std::collections::{BTreeMap, HashMap};

use elsa::FrozenVec;

use crate::ast::Directive;
use crate::source::{Span, Spellings};

/// One translation unit after semantic analysis.
#[derive(Clone, Default)]
pub struct Unit {
    /// All types, interned.
    pub types: Types,
    /// All declared names of all scopes.
    pub symbols: FrozenVec<Box<Symbol>>,
    /// The lengths of variable length arrays, by [`VlaId`].
    lengths: FrozenVec<Box<Expression>>,
    /// Function definitions in order.
    pub functions: Vec<Function>,
    /// Objects at file scope (and `static` ones in blocks) in order.
    pub globals: Vec<Global>,
    /// What stood at file scope, in order.
    pub items: Vec<Item>,
    /// Parameters declared as arrays, with their types before adjustment
    /// (6.7.6.3, 7): a data clause on such a name means the declared length.
    pub declared_arrays: BTreeMap<SymbolId, QualType>,
    /// Where a block declares as `extern` a variable that its name did not stand for before.
    pub block_externs: Vec<(Span, SymbolId)>,
    /// Variables that nothing declares: a kernel's parameters whose values host
    /// text computes where it names them.
    pub launch_values: BTreeMap<SymbolId, Expression>,
    /// Lone names in directives that nothing declares, with those in scope that are
    /// similar: whether they have to be declared is for the dialect to say.
    pub similar: Vec<(Span, String)>,
    /// Names of arithmetic types, for what people read.
    pub typedefs: Typedefs,
    /// Directives as the user wrote them, without `#pragma acc`, by their spans: for
    /// comments, which quote them; of those in macros what these make.
    pub directive_words: HashMap<Span, String>,
    /// Expressions, and parts of directives, of which calls of macros made some, as the user wrote
    /// them: for messages.
    pub spellings: Spellings,
    /// Finds functions and globals by symbol. Empty in units made by hand:
    /// then lists are searched.
    pub index: Index,
}

/// Where the definitions of symbols are.
#[derive(Clone, Debug, Default)]
pub struct Index {
    functions: HashMap<SymbolId, usize>,
    globals: HashMap<SymbolId, usize>,
}

impl Index {
    /// The position of a function in [`Unit::functions`].
    pub fn function(&self, id: SymbolId) -> Option<usize> {
        self.functions.get(&id).copied()
    }

    /// The position of an object in [`Unit::globals`].
    pub fn global(&self, id: SymbolId) -> Option<usize> {
        self.globals.get(&id).copied()
    }
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
    /// Whether the unit defines it, be it tentatively (6.9.2), and not only
    /// declares it `extern`.
    pub is_defined: bool,
    /// Its declarator.
    pub span: Span,
}

impl Unit {
    /// The program's name for a variable: of one that was made in the place of another, the other's.
    pub fn written_name(&self, id: SymbolId) -> &str {
        let own = self.symbol(id);
        let is_it = |symbol: &&Symbol| symbol.span == own.span && own.span != Span::default();
        &self.symbols.iter().find(is_it).unwrap_or(own).name
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.0 as usize]
    }

    /// Whether a variable is an array.
    pub fn is_array(&self, id: SymbolId) -> bool {
        matches!(self.types.get(self.symbol(id).ty.ty), Type::Array { .. })
    }

    /// A symbol, to change what is known of it.
    pub fn symbol_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.symbols.as_mut()[id.0 as usize]
    }

    /// Adds a symbol, the only way to a new one.
    pub fn add_symbol(&self, symbol: Symbol) -> SymbolId {
        let id = SymbolId(u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols"));
        self.symbols.push(Box::new(symbol));
        id
    }

    /// A built-in variable of threads.
    pub fn builtin(&self, builtin: Builtin, axis: Axis) -> SymbolId {
        let kind = SymbolKind::Builtin(builtin, axis);
        let known = self.symbols.iter().position(|symbol| symbol.kind == kind);
        if let Some(known) = known.and_then(|known| u32::try_from(known).ok()) {
            return SymbolId(known);
        }
        let of = match builtin {
            Builtin::ThreadIndex => "threadIdx",
            Builtin::BlockIndex => "blockIdx",
            Builtin::BlockExtent => "blockDim",
            Builtin::GridExtent => "gridDim",
        };
        let unsigned = Type::Integer(IntegerKind::UnsignedInt);
        self.add_symbol(Symbol {
            name: format!("{of}.{}", axis.name()),
            kind,
            ty: QualType::plain(self.types.intern(unsigned)),
            span: Span::default(),
        })
    }

    /// The number of elements of a variable length array.
    pub fn length(&self, id: VlaId) -> &Expression {
        &self.lengths[id.0 as usize]
    }

    /// All of these.
    pub fn lengths(&self) -> impl Iterator<Item = &Expression> {
        self.lengths.iter()
    }

    /// Adds the length of a variable length array.
    pub fn add_length(&self, length: Expression) -> VlaId {
        let id = VlaId(u32::try_from(self.lengths.len()).expect("fewer than 2^32 lengths"));
        self.lengths.push(Box::new(length));
        id
    }

    /// Adds a function definition; its position in [`Unit::functions`].
    pub fn add_function(&mut self, function: Function) -> usize {
        let position = self.functions.len();
        self.index.functions.insert(function.symbol, position);
        self.functions.push(function);
        position
    }

    /// Adds an object; its position in [`Unit::globals`].
    pub fn add_global(&mut self, global: Global) -> usize {
        let position = self.globals.len();
        self.index.globals.insert(global.symbol, position);
        self.globals.push(global);
        position
    }

    /// The definition of a function, if this unit has it.
    pub fn function(&self, id: SymbolId) -> Option<&Function> {
        match self.index.function(id) {
            Some(position) => self.functions.get(position),
            None if self.index.functions.len() == self.functions.len() => None,
            None => self.functions.iter().find(|function| function.symbol == id),
        }
    }

    /// The object behind a global symbol, if this unit defines or declares it.
    pub fn global(&self, id: SymbolId) -> Option<&Global> {
        match self.index.global(id) {
            Some(position) => self.globals.get(position),
            None if self.index.globals.len() == self.globals.len() => None,
            None => self.globals.iter().find(|global| global.symbol == id),
        }
    }
}
