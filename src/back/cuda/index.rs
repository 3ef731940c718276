//! Which iterations of a loop a thread runs, as index expressions.
//!
//! ```text
//! blockIdx.x * blockDim.x + threadIdx.x       the thread of so many
//! gridDim.x * blockDim.x                      so many
//! threadIdx.y * blockDim.x + threadIdx.x      of a block alone, over two axes
//! ```

use crate::ir::{Axis, Distribution};

/// The axes of the block that share a loop, slowest first.
fn axes(distribution: Distribution) -> impl Iterator<Item = &'static str> {
    let axes = Axis::ALL.into_iter().rev();
    let shared = axes.filter(move |&axis| distribution.threads[axis as usize]);
    shared.map(Axis::name)
}

/// The number of a block along an axis; `folds_y`: some along y lie along z.
pub fn block_index(axis: Axis, folds_y: bool) -> String {
    match axis {
        Axis::Y if folds_y => "accrs::block_y()".to_owned(),
        axis => format!("blockIdx.{}", axis.name()),
    }
}

/// An expression for the number of a thread among those that share a loop; products are
/// of the type `wide`.
pub fn thread_index(distribution: Distribution, wide: Option<&str>, folds_y: bool) -> String {
    let block = distribution.blocks.map(|axis| {
        let built_in = block_index(axis, folds_y);
        match axes(distribution).next() {
            Some(_) => of_type(wide, &built_in),
            None => built_in,
        }
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

/// An expression for how many threads share a loop, of the type `wide`.
pub fn thread_count(distribution: Distribution, wide: Option<&str>) -> String {
    let blocks = distribution
        .blocks
        .map(|axis| format!("gridDim.{}", axis.name()));
    let threads = axes(distribution).map(|axis| format!("blockDim.{axis}"));
    let mut factors: Vec<String> = blocks.into_iter().chain(threads).collect();
    if let Some(first) = factors.first_mut() {
        *first = of_type(wide, first);
    }
    factors.join(" * ")
}

/// A built-in variable in another type.
pub fn of_type(ty: Option<&str>, built_in: &str) -> String {
    match ty {
        Some("size_t") => format!("(size_t){built_in}"),
        Some(ty) => format!("{ty}({built_in})"),
        None => built_in.to_string(),
    }
}
