//! CUDA files that people write, by their tokens.
//!
//! Real files are full of C++, which nvcc and the host's compiler judge. What is
//! read of them here are launches, functions, device code and macros; all else keeps its bytes.

mod declared;
mod device_code;
mod edits;
mod functions;
mod lambdas;
mod launch;
pub mod memory;
mod operands;
pub mod program;
mod scopes;
mod shifts;
mod statements;
mod tokens;

pub use declared::{Declared, Fun, declared, is_arithmetic};
pub use edits::{Edits, Lines, indent};
pub use functions::Function;
pub use lambdas::Lambda;
pub use launch::Launch;
pub use operands::Parentheses;
pub use program::{Definition, File, Macro, Program};
pub use scopes::written;
pub use shifts::Shifts;
pub use statements::{Kind, Statement};
pub use tokens::Tokens;

/// The header that nvcc includes before all others.
pub const FIRST_HEADER: &str = "cuda_runtime.h";
