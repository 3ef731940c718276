//! The threads that a kernel asks for by itself, and which loops they share.
//!
//! ```text
//! grid 4 x 2, block 16 x 16
//! loop i over grid 1 in blocks, block 1      // 16 rows a block, one a thread
//!     loop j over grid 2 in blocks, block 2
//! ```
//!
//! Dimensions are logical: there may be any number, the first is the slowest.
//! `thread_mapping` lays them onto the three axes of CUDA.

use crate::typed::Expression;

/// The threads of a kernel, each of which runs its code.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Blocks and the threads of each, along logical dimensions. The sizes are
    /// read on the host and in the kernel: constants, and variables that it
    /// captures by value.
    Grid {
        /// Blocks along each dimension.
        grid: Vec<Expression>,
        /// Threads of a block along each dimension.
        block: Vec<Expression>,
    },
    /// So many threads along x, evaluated on the host; blocks of any size, and
    /// threads beyond the number, do no harm.
    Threads(Expression),
}

/// A dimension of a [`Shape::Grid`], counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Of the grid.
    Grid(usize),
    /// Of the block.
    Block(usize),
}

/// Which iterations an index of a dimension has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// In turn: index `k` of `n` has `k`, `k + n`, `k + 2n`, ….
    Cyclic,
    /// In runs of equal length, but for the last ones. Where threads share the loop, too, a run may
    /// be longer than it has to be, as long as no thread takes more turns for it.
    Blocked,
}

/// A dimension that shares the iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which.
    pub over: Dimension,
    /// How.
    pub order: Order,
}
