//! Front ends: each lowers the directives of one dialect into the [`crate::ir`].
//!
//! Input: a [`crate::typed::Unit`]. Output: a [`crate::ir::Module`] in which
//! nothing is decided that the user left open. Dialect names end here.

mod lowering;
pub mod openacc;
