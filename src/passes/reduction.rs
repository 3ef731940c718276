//! How private results become one.
//!
//! Input: loops and constructs with reductions, spreads decided. Output:
//! [`Kernel::grid_reductions`] and [`Kernel::gang_reductions`].
//!
//! ```c
//! #pragma acc parallel loop reduction(+:sum)
//! for (int i = 0; i < n; i++)   // before: every thread would write `sum`
//!     sum += x[i];              // after: `sum` is each thread's own, begins
//!                               //   as 0 and is combined at the kernel's end
//! ```

use crate::ir::{Kernel, Module, Reduction, Scheme, visit};
use crate::typed::Unit;

/// Decides the reductions of every kernel.
pub fn run(module: &mut Module, _unit: &mut Unit) {
    for kernel in &mut module.kernels {
        if kernel.scheme == Some(Scheme::Flat) {
            flat(kernel);
        }
    }
}

/// All reductions of a perfect nest end with the kernel.
fn flat(kernel: &mut Kernel) {
    let mut all: Vec<Reduction> = kernel.reductions.clone();
    visit::loops(&kernel.body, &mut |l| {
        if l.spread.is_some_and(|spread| !spread.is_sequential()) {
            all.extend(l.reductions.iter().cloned());
        }
    });
    for reduction in all {
        add(&mut kernel.grid_reductions, reduction);
    }
}

fn add(list: &mut Vec<Reduction>, reduction: Reduction) {
    if list.iter().all(|known| known.symbol != reduction.symbol) {
        list.push(reduction);
    }
}
