//! Directives as [`check`](super::check) leaves them: typed, and allowed by the table.

use super::table::Memory;
use crate::ir::{Order, Reduction};
use crate::source::{Span, Spanned};
use crate::typed::{Expression, SymbolId};

/// A directive that the table allows.
#[derive(Clone, Debug)]
pub enum Checked {
    /// `kernel`.
    Kernel(Kernel),
    /// `loop_partition`.
    Partition(Partition),
    /// `singular`.
    Singular,
    /// `barrier`.
    Barrier,
    /// `shape`.
    Shape(Vec<Variable>),
    /// `alloc`, or `copyin` of constant memory.
    Alloc(Memory, Vec<Allocation>),
    /// `copyout`.
    CopyOut(Memory, Variable),
    /// `free`, `remove`.
    Free(Memory, Vec<Variable>),
    /// `kernel_end`.
    End,
    /// `singular_end`.
    SingularEnd,
}

impl Checked {
    /// Whether it is for the threads of a kernel.
    pub fn is_in_kernels(&self) -> bool {
        match self {
            Self::Partition(_) | Self::Singular | Self::SingularEnd | Self::Barrier => true,
            Self::Alloc(memory, _) | Self::CopyOut(memory, _) | Self::Free(memory, _) => {
                *memory == Memory::Shared
            }
            Self::Kernel(_) | Self::Shape(_) | Self::End => false,
        }
    }
}

/// `kernel NAME tblock(…) thread(…) [nowait]`.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// What it is called in the output.
    pub name: Spanned<String>,
    /// Blocks along each dimension.
    pub grid: Vec<Expression>,
    /// Threads of a block along each dimension.
    pub block: Vec<Expression>,
    /// The host goes on.
    pub is_async: bool,
}

/// `loop_partition [over_tblock [(BLOCK|CYCLIC)]] [over_thread] [reduction(…)]`.
#[derive(Clone, Debug)]
pub struct Partition {
    /// Over blocks, and how.
    pub blocks: Option<Order>,
    /// Over the threads of each.
    pub threads: bool,
    /// What the iterations reduce.
    pub reductions: Vec<Reduction>,
}

/// `alloc V [copyin [V'] | clear]`.
#[derive(Clone, Debug)]
pub struct Allocation {
    /// What is allocated.
    pub variable: Variable,
    /// What is copied there.
    pub copyin: Option<Variable>,
    /// It is zeroed.
    pub clear: bool,
    /// `nobndcheck`: all of it is there to be copied.
    pub is_unchecked: bool,
}

/// A variable, and which part of it.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The variable.
    pub symbol: SymbolId,
    /// Its brackets, outermost dimension first.
    pub dimensions: Vec<Bounds>,
    /// As written.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A pair of brackets.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// First and last index; none for `[*]`. Those of `[i]` are the same.
    pub ends: Option<(Expression, Expression)>,
    /// Its place.
    pub span: Span,
}
