//! Which iterations of a loop a thread runs, as index expressions.

use serde::Serialize;

use crate::back::template::Templates;
use crate::diagnostic::Diagnostic;
use crate::ir::{Axis, Distribution};

/// What the `position` template needs to spell a position in the grid.
#[derive(Serialize, Default)]
struct Position {
    /// The axis of the grid, or empty.
    blocks: &'static str,
    /// The axes of the block, slowest first.
    threads: Vec<&'static str>,
    /// Whether 64-bit arithmetic is needed.
    wide: bool,
    /// All three axes of the block.
    three: bool,
    /// The number of threads that share the loop in place of one's own.
    count: bool,
}

/// An expression for the number of a thread among those that share a loop.
///
/// # Errors
/// A template that lacks a key.
pub fn thread_index(
    templates: &Templates,
    distribution: Distribution,
    wide: bool,
) -> Result<String, Diagnostic> {
    templates
        .render("position", &position(distribution, wide, false))
        .map(|text| text.trim().to_string())
}

/// An expression for how many threads share a loop.
///
/// # Errors
/// A template that lacks a key.
pub fn thread_count(
    templates: &Templates,
    distribution: Distribution,
    wide: bool,
) -> Result<String, Diagnostic> {
    templates
        .render("position", &position(distribution, wide, true))
        .map(|text| text.trim().to_string())
}

fn position(distribution: Distribution, wide: bool, count: bool) -> Position {
    let threads = [
        ("z", distribution.threads[2]),
        ("y", distribution.threads[1]),
        ("x", distribution.threads[0]),
    ];
    Position {
        blocks: distribution.blocks.map(axis_name).unwrap_or_default(),
        threads: threads
            .iter()
            .filter(|(_, used)| *used)
            .map(|(name, _)| *name)
            .collect(),
        three: distribution.threads == [true; 3],
        wide,
        count,
    }
}

/// `x`, `y` or `z`.
pub fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::X => "x",
        Axis::Y => "y",
        Axis::Z => "z",
    }
}
