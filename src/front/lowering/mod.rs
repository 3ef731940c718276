//! What lowering C to the IR needs whatever the dialect of its directives:
//! counted loops, control flow, what code uses and leaves, whose copies
//! variables are, how far accesses reach.
//!
//! Front ends use it; it knows none of them.

pub mod canonical;
pub mod collectives;
pub mod constructs;
pub mod copies;
pub mod directives;
pub mod extents;
pub mod functions;
pub mod host_copies;
pub mod inlining;
pub mod jumps;
pub mod launches;
pub mod loops;
pub mod objects;
pub mod pointer_loops;
pub mod static_constants;
pub mod unwritten_reductions;
pub mod usage;
pub mod windows;
