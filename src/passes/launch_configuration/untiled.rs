//! Nests of which no window is left are nests as any other.
//!
//! Input: kernels after `software_cache`, which may have given up windows. Output: where all of
//! a kernel's are gone, loops without tiles, and the block that such a kernel gets.
//!
//! ```c
//! const int i_first = blockIdx.x * 256;                       // before
//! if (i_first < n) {
//!     const int i = i_first + threadIdx.x;
//!     if (i < n)
//!
//! const int i = blockIdx.x * blockDim.x + threadIdx.x;        // after
//! if (i < n)
//! ```

use super::configure;
use crate::analysis::uniformity::is_tiled;
use crate::diagnostic::Diagnostics;
use crate::ir::{Distribution, Kernel, Module, Scheme, StatementKind, visit};
use crate::typed::Unit;

/// Looks at every kernel.
pub fn run(module: &mut Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    for kernel in &mut module.kernels {
        if !is_tiled(kernel) || !kernel.windows.is_empty() || !is_plain(kernel) {
            continue;
        }
        visit::loops_mut(&mut kernel.body, &mut |l| l.tile = None);
        configure(kernel, unit, diagnostics);
    }
}

/// Whether the threads of a block never meet in a flat kernel, and each shared loop has an axis
/// of the grid.
fn is_plain(kernel: &Kernel) -> bool {
    let meets = visit::any(&kernel.body, &mut |s| {
        matches!(
            s.kind,
            StatementKind::Barrier(_)
                | StatementKind::Single { .. }
                | StatementKind::Windows(_)
                | StatementKind::OpenWindows(_)
                | StatementKind::WriteBack { .. }
        )
    });
    let mut is_even = kernel.scheme == Some(Scheme::Flat) && kernel.shape.is_none() && !meets;
    visit::loops(&kernel.body, &mut |l| {
        let own = l.distribution.unwrap_or_default();
        let is_of_grid = own
            .blocks
            .is_some_and(|axis| own == Distribution::grid(axis));
        let first = l.tile.map(|tile| (tile.first, tile.count));
        is_even &= own.is_sequential() || is_of_grid;
        is_even &= first
            .is_none_or(|(first, count)| count.is_none() && !visit::mentions(&kernel.body, first));
    });
    is_even
}
