//! Which iterations of a loop a thread runs, as index expressions.
//!
//! ```text
//! blockIdx.x * blockDim.x + threadIdx.x       the thread of so many
//! gridDim.x * blockDim.x                      so many
//! threadIdx.y * blockDim.x + threadIdx.x      of a block alone, over two axes
//! ```

use crate::ir::{Axis, Distribution};

/// What makes a product one of 64 bits.
pub const WIDE: &str = "(size_t)";

/// The axes of the block that share a loop, slowest first.
fn axes(distribution: Distribution) -> impl Iterator<Item = &'static str> {
    let axes = Axis::ALL.into_iter().rev();
    let shared = axes.filter(move |&axis| distribution.threads[axis as usize]);
    shared.map(Axis::name)
}

/// An expression for the number of a thread among those that share a loop.
pub fn thread_index(distribution: Distribution, wide: bool) -> String {
    let block = distribution.blocks.map(|axis| {
        let is_product = wide && axes(distribution).next().is_some();
        let wide = if is_product { WIDE } else { "" };
        format!("{wide}blockIdx.{}", axis.name())
    });
    let extents = axes(distribution).map(|axis| (axis, format!("blockDim.{axis}")));
    thread_number(block, extents)
}

/// The number of a thread over axes of the block with their extents, slowest
/// first, after that of its block.
pub fn thread_number(
    block: Option<String>,
    axes: impl Iterator<Item = (&'static str, String)>,
) -> String {
    let number = axes.fold(block, |outer, (axis, extent)| {
        Some(match outer {
            None => format!("threadIdx.{axis}"),
            Some(outer) => format!("{} * {extent} + threadIdx.{axis}", factor(&outer)),
        })
    });
    number.unwrap_or_else(|| "0".into())
}

/// A text as a factor.
pub fn factor(text: &str) -> String {
    match text.contains(' ') {
        true => format!("({text})"),
        false => text.to_string(),
    }
}

/// An expression for how many threads share a loop.
pub fn thread_count(distribution: Distribution, wide: bool) -> String {
    let blocks = distribution
        .blocks
        .map(|axis| format!("gridDim.{}", axis.name()));
    let threads = axes(distribution).map(|axis| format!("blockDim.{axis}"));
    let factors: Vec<String> = blocks.into_iter().chain(threads).collect();
    format!("{}{}", if wide { WIDE } else { "" }, factors.join(" * "))
}
