//! Captured pointers each of which has an allocation of its own.
//!
//! Input: kernels as the program has them. Output: [`Kernel::fresh`](crate::ir::Kernel::fresh); what `restrict` promises is proved of
//! these, so that no launch has to look whether they overlap.
//!
//! ```c
//! float *a = malloc(bytes), *b = malloc(bytes);
//! #pragma acc kernels copyin(a[0:n]) copyout(b[0:n])
//! for (int i = 0; i < n; i++)   // before: parallel unless `a` and `b` overlap
//!     b[i] = a[i];              // after: parallel
//! ```

use crate::analysis::escapes::{escaped, fresh};
use crate::ir::{Capture, Module, Passing};
use crate::typed::Unit;

/// Finds them in every kernel.
pub fn run(module: &mut Module, unit: &Unit) {
    let escaped = escaped(unit);
    for kernel in module.kernels.iter_mut().filter(|k| k.collective.is_none()) {
        let Some(function) = unit.function(kernel.function) else {
            continue;
        };
        let own = fresh(unit, function, &escaped);
        let is_fresh = |c: &&Capture| c.passing == Passing::Pointer && own.contains(&c.symbol);
        let found = kernel.captures.iter().filter(is_fresh);
        kernel.fresh = found.map(|capture| capture.symbol).collect();
    }
}
