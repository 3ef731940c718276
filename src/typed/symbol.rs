//! Declared names (C11 6.2.1 to 6.2.4).

use super::QualType;
use crate::source::Span;

/// Names a [`Symbol`] of one unit. Two declarations of one object or function
/// share it; two variables of one name in different scopes do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolId(pub u32);

/// A variable, function or enumeration constant.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// As declared.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// Its type; a parameter's is adjusted.
    pub ty: QualType,
    /// Its name in the first declaration.
    pub span: Span,
}

/// The kinds of symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// An object.
    Variable(Storage),
    /// A parameter of a function.
    Parameter,
    /// A function.
    Function {
        /// `static`.
        is_static: bool,
        /// `inline`.
        is_inline: bool,
        /// One of the compiler's own, known without a declaration.
        is_builtin: bool,
    },
    /// An enumeration constant with its value.
    EnumConstant(i128),
    /// What a thread of the device knows of its place, along an axis.
    Builtin(Builtin, Axis),
}

/// The built-in variables of threads (CUDA C++ Programming Guide, "Built-in
/// variables"), of type `unsigned`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// The thread's index in its block.
    ThreadIndex,
    /// The block's index in the grid.
    BlockIndex,
    /// Threads of a block.
    BlockExtent,
    /// Blocks of the grid.
    GridExtent,
}

/// An axis of CUDA's grid or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are CUDA's")]
pub enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    /// All of them, the fastest first.
    pub const ALL: [Self; 3] = [Self::X, Self::Y, Self::Z];

    /// `x`, `y` or `z`.
    pub fn name(self) -> &'static str {
        match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        }
    }
}

/// Storage duration and linkage of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In a block, without `static`.
    Automatic,
    /// In a block, with `static`.
    LocalStatic,
    /// At file scope, `static`.
    FileStatic,
    /// At file scope, or `extern`.
    External,
    /// `_Thread_local`.
    ThreadLocal,
}

impl Symbol {
    /// Whether it is an object or parameter.
    pub fn is_variable(&self) -> bool {
        matches!(self.kind, SymbolKind::Variable(_) | SymbolKind::Parameter)
    }

    /// Whether the threads of a block have different values of it all the time.
    pub fn is_thread_index(&self) -> bool {
        matches!(self.kind, SymbolKind::Builtin(Builtin::ThreadIndex, _))
    }

    /// Whether it lives in a function's frame.
    pub fn is_automatic(&self) -> bool {
        matches!(
            self.kind,
            SymbolKind::Variable(Storage::Automatic) | SymbolKind::Parameter
        )
    }
}
