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

use crate::analysis::{element_index, loop_counters, row_length};
use crate::ir::{IndexType, Module};
use crate::typed::Unit;

/// Decides it for every kernel.
pub fn run(module: &mut Module, unit: &Unit) {
    let changed = row_length::changed(module, unit);
    for function in &mut module.functions {
        function.row_lengths = row_length::of_function(function, unit, &changed);
    }
    for kernel in &mut module.kernels {
        kernel.row_lengths = row_length::of_variables(kernel, unit, &changed);
        kernel.index = IndexType {
            arrays: element_index::arrays(kernel, unit),
            loops: loop_counters::in_index_type(kernel, unit),
        };
    }
}
