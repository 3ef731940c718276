//! Which threads run which iterations.
//!
//! Input: kernels of whose loops it is known whether they are parallel. Output: [`Kernel::scheme`]
//! and the [`Loop::distribution`] of every loop; [`Kernel::block`] where the reuse of
//! what other threads fetched decides.
//!
//! ```c
//! #pragma acc parallel loop collapse(2)
//! for (int r = 0; r < rows; r++)        // before: undecided
//!     for (int c = 0; c < cols; c++)
//!         out[r][c] = in[r][c];
//! // after: Flat; r over grid and block along y, c along x
//! ```
//!
//! - **Single**: `serial` constructs and kernels without a parallel loop.
//! - **Flat**: the kernel is one perfect nest of parallel loops with
//!   rectangular bounds; an iteration a thread. The innermost loop runs along
//!   x, unless another one makes for fewer memory transactions ([`axes`]).
//!   Loops beyond the third run within each thread.
//! - **Hierarchical**: everything else; rows of a block lie along y, the lanes
//!   of a row along x.
//! - **Flat, by tiles**: kernels in which threads of a block share windows
//!   ([`tiled`]).
//! - **Threads**: kernels that ask for their threads by themselves
//!   ([`requested`]).
//!
//! The user's levels win. Where there are none, the outermost parallel loop is
//! distributed over blocks and the innermost over lanes; one in between over
//! rows. A loop over rows or lanes that has no partner of the other level
//! around it or inside it uses all threads of the block, since the others
//! would idle. Loops of device functions run within each thread, unless a
//! [`Collective`](crate::ir::Collective) enters the function: it shares them as the loops
//! of a kernel around which its own level's loop stands.

mod axes;
mod flat;
mod hierarchical;
mod imperfect_nests;
mod requested;
#[cfg(test)]
mod tests;
mod tiled;

pub use axes::{Estimate, estimate};
pub use flat::{nest, only_loop};
pub use hierarchical::innermost;

use crate::analysis::effects::Oracle;
use crate::analysis::requests::Endless;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{
    BlockExtent, DeviceFunction, Distribution, Execution, Kernel, Loop, Module, Scheme, visit,
};
use crate::passes::Options;
use crate::passes::collective_calls::{self, Callers};
use crate::typed::{self, Expression, Unit};

/// Decides scheme and distributions of every kernel.
pub fn run(module: &mut Module, unit: &Unit, options: &Options, diagnostics: &mut Diagnostics) {
    let flat = flat_kernels(module, unit, options, diagnostics);
    for (number, (kernel, flat)) in module.kernels.iter_mut().zip(flat).enumerate() {
        if let Some(shape) = kernel.shape.clone() {
            if let Err(error) = requested::map(kernel, shape, &module.functions, unit) {
                diagnostics.push(error);
            }
            continue;
        }
        let mut notes = Vec::new();
        if let Err(error) = map(kernel, flat, &module.functions, unit, &mut notes) {
            diagnostics.push(error);
        }
        for note in notes.into_iter().filter(|_| options.feedback) {
            diagnostics.push(note.data("kernel", number));
        }
        // Without loops over blocks, blocks of `kernels` would repeat each other.
        if kernel.execution == Execution::Automatic && !has_block_loop(kernel) {
            kernel.sizes.block = None;
        }
        if kernel.sizes.block.is_none() {
            kernel.sizes.block = blocks_of_loop(kernel);
        }
    }
    for function in &mut module.functions {
        visit::loops_mut(&mut function.body, &mut |l| {
            l.distribution = Some(Distribution::SEQUENTIAL);
        });
    }
}

/// What `gang(num: n)` on the first loop over blocks asks for, unless `n` is
/// the kernel's own.
fn blocks_of_loop(kernel: &Kernel) -> Option<Expression> {
    let mut own = visit::declared(&kernel.body);
    let mut found = None;
    visit::loops(&kernel.body, &mut |l| {
        own.push(l.induction);
        if l.has_blocks() {
            found = found.or(l.schedule.sizes.block.as_ref());
        }
    });
    let is_own = |e: &Expression| e.as_symbol().is_some_and(|symbol| own.contains(&symbol));
    found
        .filter(|e| !typed::visit::any(e, &mut |e| is_own(e)))
        .cloned()
}

fn has_block_loop(kernel: &Kernel) -> bool {
    visit::any_loop(&kernel.body, &mut |l| l.has_blocks())
}

/// A kernel in the flat scheme.
struct Flat {
    distributions: Vec<Distribution>,
    /// The threads of a block, where that is chosen with the axes.
    block: Option<[u32; 3]>,
}

/// Each kernel in the flat scheme, where that serves it.
fn flat_kernels(
    module: &Module,
    unit: &Unit,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Vec<Option<Flat>> {
    let oracle = Oracle::new(unit, &module.functions);
    let known = Endless::default();
    let kernels = module.kernels.iter().enumerate();
    let flat = kernels.map(|(number, kernel)| {
        if visit::has_windows(&kernel.body) {
            let distributions = flat::distributions(kernel, &[])?;
            return Some(Flat {
                distributions,
                block: None,
            });
        }
        if kernel.collective.is_some() || Callers::of(&kernel.body).any() {
            return None;
        }
        let choice = axes::choose(
            kernel,
            &flat::nest(kernel)?,
            &oracle,
            &options.along_x,
            &known,
        );
        if options.feedback {
            choice
                .describe(unit)
                .into_iter()
                .for_each(|note| diagnostics.push(note.data("kernel", number)));
        }
        Some(Flat {
            distributions: flat::distributions(kernel, &choice.order)?,
            block: choice.block,
        })
    });
    flat.collect()
}

fn map(
    kernel: &mut Kernel,
    flat: Option<Flat>,
    functions: &[DeviceFunction],
    unit: &Unit,
    notes: &mut Vec<Diagnostic>,
) -> Result<(), Diagnostic> {
    if visit::has_windows(&kernel.body) && tiled::map(kernel, functions, unit, notes)? {
        return Ok(());
    }
    map_freely(kernel, flat);
    collective_calls::fit(kernel, unit);
    Ok(())
}

/// Kernels without windows.
fn map_freely(kernel: &mut Kernel, flat: Option<Flat>) {
    let mut parallel = false;
    visit::loops(&kernel.body, &mut |l| parallel |= is_parallel(l));
    let redundant = kernel.execution == Execution::Redundant && kernel.sizes.block.is_some();
    let together = kernel.collective.is_some() || Callers::of(&kernel.body).any();
    if kernel.execution == Execution::Serial || !(parallel || redundant || together) {
        kernel.scheme = Some(Scheme::Single);
        visit::loops_mut(&mut kernel.body, &mut |l| {
            l.distribution = Some(Distribution::SEQUENTIAL);
        });
        return;
    }
    let distributions = match flat {
        Some(flat) => {
            kernel.scheme = Some(Scheme::Flat);
            kernel.block = flat.block.map(|block| block.map(BlockExtent::Constant));
            flat.distributions
        }
        None => {
            kernel.scheme = Some(Scheme::Hierarchical);
            hierarchical::distributions(kernel)
        }
    };
    let mut distributions = distributions.into_iter();
    visit::loops_mut(&mut kernel.body, &mut |l| {
        l.distribution = Some(distributions.next().unwrap_or(Distribution::SEQUENTIAL));
    });
}

/// Whether the loop may run in parallel.
fn is_parallel(l: &Loop) -> bool {
    l.is_parallel()
}
