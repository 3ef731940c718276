//! The levels of parallelism that work is distributed over.

use std::ops::{Index, IndexMut};

/// The levels of parallelism, outermost first. What a dialect calls them is in
/// its [`Vocabulary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Blocks of the grid.
    Block,
    /// Rows of threads of a block.
    Row,
    /// Threads of a row.
    Lane,
}

impl Level {
    /// All of them, outermost first.
    pub const ALL: [Self; 3] = [Self::Block, Self::Row, Self::Lane];
}

/// Something for each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerLevel<T> {
    /// Of [`Level::Block`].
    pub block: T,
    /// Of [`Level::Row`].
    pub row: T,
    /// Of [`Level::Lane`].
    pub lane: T,
}

impl<T> PerLevel<T> {
    /// Those of all levels, outermost first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        [&self.block, &self.row, &self.lane].into_iter()
    }
}

impl<T> PerLevel<Option<T>> {
    /// Whether any level has one.
    pub fn any(&self) -> bool {
        self.iter().any(Option::is_some)
    }
}

impl PerLevel<bool> {
    /// Whether it holds of any level.
    pub fn any(&self) -> bool {
        self.iter().any(|&holds| holds)
    }

    /// The levels of either.
    pub fn union(self, other: Self) -> Self {
        Self {
            block: self.block || other.block,
            row: self.row || other.row,
            lane: self.lane || other.lane,
        }
    }
}

impl<T> Index<Level> for PerLevel<T> {
    type Output = T;

    fn index(&self, level: Level) -> &T {
        match level {
            Level::Block => &self.block,
            Level::Row => &self.row,
            Level::Lane => &self.lane,
        }
    }
}

impl<T> IndexMut<Level> for PerLevel<T> {
    fn index_mut(&mut self, level: Level) -> &mut T {
        match level {
            Level::Block => &mut self.block,
            Level::Row => &mut self.row,
            Level::Lane => &mut self.lane,
        }
    }
}

/// What a dialect calls the levels, for messages and for parameters of launchers.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// One of each; the clause that asks for it is called so, too.
    pub levels: PerLevel<&'static str>,
    /// What asks for a number of them.
    pub sizes: PerLevel<&'static str>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self {
            levels: PerLevel {
                block: "block",
                row: "row",
                lane: "lane",
            },
            sizes: PerLevel {
                block: "blocks",
                row: "rows",
                lane: "lanes",
            },
        }
    }
}
