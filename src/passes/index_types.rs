//! What a kernel counts in a type that each launch chooses.
//!
//! Input: decided kernels. Output: [`Kernel::index`](crate::ir::Kernel), by the proofs in
//! [`element_index`] and [`loop_counters`].
//!
//! ```c
//! float a[rows][columns];
//! a[i][j] = 0;                    // before
//! a[i * columns + j] = 0;         // after: computed in `int` where a[rows - 1] is in its reach
//! ```
//!
//! The length of a row was computed where the array's type is declared. It is that of a variable, as
//! the kernel has it, if nothing changes the variable ([`row_length`]); else the launcher asks the host for it.
//! A length that is computed of such variables, `[columns + 1]`, is so in the kernel, too: it gets them.

mod tile_loops;

use crate::analysis::{element_index, loop_counters, row_length};
use crate::ir::{Capture, IndexType, Module, Passing};
use crate::typed::{SymbolId, Unit};

/// Decides it for every kernel.
pub fn run(module: &mut Module, unit: &Unit) {
    let changed = row_length::changed(module, unit);
    for function in &mut module.functions {
        function.row_lengths = row_length::of_function(function, unit, &changed);
    }
    for kernel in &mut module.kernels {
        let missing = row_length::missing(kernel, unit, &changed);
        kernel.captures.extend(missing.into_iter().map(by_value));
        kernel.row_lengths = row_length::of_variables(kernel, unit, &changed);
        tile_loops::narrow(kernel, unit);
        let arrays = element_index::arrays(kernel, unit);
        let mut loops = loop_counters::in_index_type(kernel, unit);
        loop_counters::test_bounds(kernel, unit, &mut loops);
        if !(arrays.is_empty() && loops.chosen.is_empty()) {
            let tiles = tile_loops::find(kernel, unit);
            loop_counters::add_tiles(&tiles, kernel, unit, &mut loops);
        }
        kernel.index = IndexType { arrays, loops };
    }
}

/// A variable that the host has at the launch, as a kernel's value.
fn by_value(symbol: SymbolId) -> Capture {
    Capture {
        symbol,
        passing: Passing::Value,
        written: false,
        known: true,
        section_of: None,
    }
}
