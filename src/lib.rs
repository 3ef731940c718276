//! accrs translates C with directives into CUDA that a person can read.
//!
//! # The model
//!
//! A file goes through six stages, each a folder of this crate, and each
//! stage only knows the ones before it:
//!
//! 1. [`source`] runs the user's own preprocessor over a marked copy of the
//!    file, so that every token that comes out can be traced to the exact
//!    bytes it came from.
//! 2. `syntax` parses that text into the [`ast`]; the parser library appears
//!    nowhere else.
//! 3. `sema` resolves names and types and makes the [`typed`] tree.
//! 4. `front` lowers constructs of one dialect into the [`ir`]: data
//!    lifetimes, kernels over logical grids, loops with levels.
//! 5. `passes` decide what the dialect left open, each reading facts from
//!    `analysis`; nothing after them decides anything.
//! 6. `back` prints the host program and the kernels through the templates.
//!
//! `driver` runs the stages and the tools around them. Everything that can go
//! wrong with an input is a [`diagnostic::Diagnostic`]; no input panics.
//!
//! [`stopwatch`] says how long each of them takes.
//!
//! Positions are [`source::Span`]s: byte ranges of the *preprocessed* text.
//! Only [`source`] knows how to map one back to the user's file.

pub mod analysis;
pub mod ast;
pub mod back;
pub mod cli;
pub mod diagnostic;
pub mod driver;
pub mod front;
pub mod ir;
pub mod passes;
pub mod sema;
pub mod source;
pub mod stopwatch;
pub mod syntax;
pub mod typed;
