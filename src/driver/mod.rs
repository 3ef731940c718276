//! Runs the stages, and the tools around them.
//!
//! Input: a command with its options, resolved by [`crate::cli`]. Output: its
//! effect and an exit status. The commands are [`translate`], [`run`], [`check`], [`cc`],
//! [`doctor`] and [`explain`]; [`pipeline`] runs the stages for all of them.
//!
//! Invariants: nothing here ends the process but [`interrupt`] after a signal;
//! every file is written through [`output`] or into a temporary folder that
//! goes in every case; every outcome becomes an exit status in [`failure`].

mod abandoned;
pub mod arch;
pub mod bench;
pub mod build;
pub mod cache;
pub mod cc;
pub mod check;
pub mod compilers;
pub mod counts;
pub mod cuda_files;
pub mod device;
mod device_link;
pub mod doctor;
pub mod embedded;
pub mod explain;
pub mod failure;
mod guardian;
pub mod interrupt;
pub mod launches;
mod linked;
pub mod makefile;
pub mod memory;
pub mod other_language;
pub mod output;
pub mod pipeline;
pub mod process;
pub mod program;
pub mod render;
pub mod report;
pub mod resources;
pub mod run;
pub mod runtime_library;
pub mod session;
pub mod shown;
pub mod side_by_side;
pub mod sources;
pub mod toolchain;
pub mod translate;
mod variables;
