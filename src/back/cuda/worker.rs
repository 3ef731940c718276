//! How the lanes of a row meet, by what is known of the block's shape.
//!
//! ```text
//! __syncthreads();               128 x 1: the block is one row
//! accrs::sync_worker<32, 8>();    32 x 8: each row is a warp
//! accrs::sync_worker();          a function that blocks of any shape enter
//! ```
//!
//! Rows of several warps meet at named barriers, of which a multiprocessor
//! has few: code that does not say how many rows there are claims all that a
//! block can have.

use super::body::Body;
use crate::ir::{BlockExtent, is_one_row};

/// The rows of a block, which are rows of its threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// Only the launch knows them.
    #[default]
    Unknown,
    /// The block is one row, and meets at its own barrier.
    One,
    /// So many rows of so many lanes.
    Known {
        /// Threads along x.
        lanes: u32,
        /// Threads along y and z.
        workers: u32,
    },
}

impl Rows {
    /// Those of a block. One row within a warp needs no barrier of a block.
    pub fn of(block: &[BlockExtent; 3]) -> Self {
        use BlockExtent::Constant;
        match block {
            block if is_one_row(block) => Self::One,
            [Constant(lanes), Constant(y), Constant(z)] => Self::Known {
                lanes: *lanes,
                workers: y.saturating_mul(*z),
            },
            _ => Self::Unknown,
        }
    }
}

impl Body<'_> {
    /// A function of the runtime that takes rows among its template arguments.
    pub(super) fn of_rows(&self, function: &str, arguments: &[&str]) -> String {
        let mut arguments: Vec<String> = arguments.iter().map(|a| a.to_string()).collect();
        if let Rows::Known { lanes, workers } = self.rows {
            arguments.extend([lanes.to_string(), workers.to_string()]);
        }
        match arguments.as_slice() {
            [] => format!("accrs::{function}"),
            some => format!("accrs::{function}<{}>", some.join(", ")),
        }
    }

    /// The lanes of a row wait for each other.
    pub(super) fn worker_barrier(&mut self, note: &str) {
        let barrier = match self.rows {
            Rows::One => "__syncthreads".to_owned(),
            Rows::Unknown | Rows::Known { .. } => self.of_rows("sync_worker", &[]),
        };
        self.call(&format!("{barrier}()"), note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_of_several_warps_is_the_block() {
        let of = |extents: [u32; 3]| Rows::of(&extents.map(BlockExtent::Constant));
        let known = |lanes, workers| Rows::Known { lanes, workers };
        assert_eq!(of([128, 1, 1]), Rows::One);
        assert_eq!(of([100, 1, 1]), Rows::One);
        assert_eq!(of([32, 1, 1]), known(32, 1));
        assert_eq!(of([32, 4, 2]), known(32, 8));
        assert_eq!(of([64, 4, 1]), known(64, 4));
    }
}
