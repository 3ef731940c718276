//! Private arrays that no register or local memory holds.

use super::{DataItem, Level};
use crate::typed::SymbolId;

/// An array of which each block, row or thread has a copy in device memory,
/// since its size is known at launch only, since it is too large for shared
/// memory, or since the copies begin with the host's values.
///
/// Its symbol is one of [`super::Kernel::privates`], of a loop's privates, or
/// declared in the body; a pointer stands for the section behind it. There
/// the kernel declares a pointer to the copy of whoever runs the code.
#[derive(Clone, Debug)]
pub struct PrivateArray {
    /// The array, or the pointer to it.
    pub symbol: SymbolId,
    /// How much of it there is.
    pub size: PrivateArraySize,
    /// Each copy begins with what the host's memory holds.
    pub copied: bool,
    /// Decided by `private_arrays`: who has a copy.
    pub owner: Option<PrivateArrayOwner>,
}

/// How large a copy is. The host evaluates it at the launch.
#[derive(Clone, Debug)]
pub enum PrivateArraySize {
    /// This part of a variable of the host.
    Part(Box<DataItem>),
    /// What the declared type says, with its lengths as the host has them.
    Declared,
}

/// Who has a copy of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateArrayOwner {
    /// All share one, since none writes it.
    Grid,
    /// Each block.
    Block,
    /// Each row of each block.
    Row,
    /// Each thread.
    Thread,
}

impl From<Level> for PrivateArrayOwner {
    /// Who shares the variables of a level.
    fn from(level: Level) -> Self {
        match level {
            Level::Block => Self::Block,
            Level::Row => Self::Row,
            Level::Lane => Self::Thread,
        }
    }
}

impl PrivateArrayOwner {
    /// Whether several threads use one copy.
    pub fn is_of_block(self) -> bool {
        matches!(self, Self::Block | Self::Row)
    }
}
