//! What lowering C to the IR needs whatever the dialect of its directives.
//!
//! | what | rooms |
//! |---|---|
//! | rewrites of typed C before it is lowered | [`constructs`], [`static_constants`], [`pointer_loops`], [`objects`], [`inlining`] |
//! | statements, loops and jumps | [`statements`], [`canonical`], [`loops`], [`jumps`] |
//! | what code uses and leaves, whose copies variables are | [`usage`], [`outlived`], [`copies`], [`host_copies`], [`unwritten_reductions`] |
//! | how far accesses reach, what windows of arrays allow | [`extents`], [`windows`], [`misses`], [`lengths`] |
//! | arrays of another form on the device | [`promotion`], [`short_rows`] |
//! | what one thread knows and the others do not | [`single_values`] |
//! | kernels of a construct, and the functions that they call | [`launches`], [`launch_values`], [`functions`], [`collectives`] |
//! | what `printf` would print wrong | [`formats`] |
//! | operators of reductions, words in messages | [`reductions`], [`words`] |
//!
//! Front ends use it; it knows none of them, and asks what their directives are
//! to the code ([`directives`]).

pub mod canonical;
pub mod collectives;
pub mod constructs;
pub mod copies;
pub mod directives;
pub mod extents;
pub mod formats;
pub mod functions;
pub mod host_copies;
pub mod inlining;
pub mod jumps;
pub mod launch_values;
pub mod launches;
pub mod lengths;
pub mod loops;
pub mod misses;
pub mod objects;
pub mod outlived;
pub mod pointer_loops;
pub mod promotion;
pub mod reductions;
pub mod short_rows;
pub mod single_values;
pub mod statements;
pub mod static_constants;
pub mod unwritten_reductions;
pub mod usage;
pub mod windows;
