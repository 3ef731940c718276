//! Runs the stages, and the tools around them.
pub mod cache;
pub mod device;
pub mod embedded;
pub mod failure;
pub mod interrupt;
pub mod output;
pub mod process;
pub mod render;
pub mod toolchain;
