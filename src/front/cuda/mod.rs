//! CUDA files that people write, by their tokens.
//!
//! Real files are full of C++, which nvcc and the host's compiler judge. What is
//! read of them here are launches, functions and macros; all else keeps its bytes.

mod edits;
mod launch;
pub mod program;
mod tokens;

pub use edits::Edits;
pub use launch::Launch;
pub use program::{Definition, File, Program};
pub use tokens::Tokens;
