//! How private results become one.
//!
//! Input: loops and constructs with reductions, distributions decided. Output:
//! [`Kernel::grid_reductions`], [`Kernel::block_reductions`], [`Kernel::combines_in_any_order`] and
//! [`StatementKind::ReductionBegin`] and `ReductionEnd` around loops; the
//! clauses on the loops have no meaning afterwards.
//!
//! ```c
//! #pragma acc parallel loop gang
//! for (int r = 0; r < rows; r++) {
//!     double sum = 0;
//!     #pragma acc loop vector reduction(+:sum)
//!     for (int c = 0; c < cols; c++)   // after: begin(sum); the loop, in
//!         sum += a[r][c];              //   which each lane has its own sum
//!     out[r] = sum;                    //   from 0; end(sum): all lanes have
//! }                                    //   the total, and the value before
//! ```
//!
//! - A variable that only lanes change counts thread by thread: no block-wide
//!   step is needed before the kernel's end
//!   ([`Kernel::grid_reductions`]), or the end of the outer loop.
//! - One that block-redundant code changes as well is the same in all threads
//!   of the block between loops ([`Kernel::block_reductions`]).
//! - A variable in memory, or one that threads of the block share since they write it elsewhere, too,
//!   is reduced in a private copy.
//!
//! [`StatementKind::ReductionBegin`]: crate::ir::StatementKind::ReductionBegin

mod clauses;
mod loops;
pub mod misfits;
#[cfg(test)]
mod tests;

use indexmap::IndexSet;

use super::synchronisation::shared_variables;
use crate::analysis::effects::Oracle;
use crate::analysis::scope::Scope;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::ir::{
    Kernel, Module, PrivateArray, PrivateArrayOwner, PrivateArraySize, Reduction,
    ReductionOperator, Scheme, visit,
};
use crate::typed::{SymbolId, Type, Unit};

/// Decides the reductions of every kernel.
pub fn run(module: &mut Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let mut errors = Vec::new();
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &mut module.kernels {
        decide(kernel, &oracle, &mut errors);
        let is_free = |reduction: &Reduction| is_of_any_order(reduction, unit);
        let all_are_free = kernel.all_reductions().all(is_free);
        kernel.combines_in_any_order = all_are_free;
    }
    diagnostics.extend_once(errors);
}

/// Whether any order of its steps gives a reduction the same result, a number that an atomic
/// step can change: all but sums and products of floating types.
fn is_of_any_order(reduction: &Reduction, unit: &Unit) -> bool {
    use ReductionOperator as R;
    let picks = matches!(
        reduction.operator,
        R::Max | R::Min | R::MaxNumber | R::MinNumber
    );
    let is_exact = match unit.types.get(reduction.ty) {
        Type::Integer(_) => true,
        Type::Floating(_) => picks,
        _ => false,
    };
    is_exact && reduction.part.is_none() && matches!(unit.types.size(reduction.ty), Some(4 | 8))
}

/// Each thread has a copy of the elements of a part, in device memory.
fn add_copies(kernel: &mut Kernel) {
    let copies = kernel.all_reductions().filter_map(|reduction| {
        Some(PrivateArray {
            symbol: reduction.symbol,
            size: PrivateArraySize::Part(reduction.part.clone()?),
            copied: false,
            owner: Some(PrivateArrayOwner::Thread),
        })
    });
    kernel.private_arrays.extend(copies.collect::<Vec<_>>());
}

fn decide(kernel: &mut Kernel, oracle: &Oracle, errors: &mut Vec<Diagnostic>) {
    match kernel.scheme {
        Some(Scheme::Flat) => flat(kernel, oracle.unit(), errors),
        Some(Scheme::Hierarchical) => hierarchical(kernel, oracle, errors),
        Some(Scheme::Threads) => threads(kernel),
        _ => {
            for reduction in &kernel.reductions {
                add(&mut kernel.grid_reductions, reduction);
            }
            add_copies(kernel);
        }
    }
}

/// All reductions of a perfect nest end with the kernel; in a nest with
/// windows, those of a block's own variables end with the loop that the threads
/// of its block share.
fn flat(kernel: &mut Kernel, unit: &Unit, errors: &mut Vec<Diagnostic>) {
    let own = block_variables(kernel);
    let mut all: Vec<Reduction> = kernel.reductions.clone();
    visit::loops(&kernel.body, &mut |l| {
        if l.is_distributed() {
            all.extend(l.reductions.iter().cloned());
        }
    });
    let (inner, outer): (Vec<_>, Vec<_>) = all.into_iter().partition(|r| own.contains(&r.symbol));
    for reduction in &outer {
        add(&mut kernel.grid_reductions, reduction);
    }
    add_copies(kernel);
    if !inner.is_empty() {
        for reduction in kernel.grid_reductions.clone() {
            clauses::drop_inside(&mut kernel.body, reduction.symbol);
        }
        loops::rewrite(kernel, unit, IndexSet::new(), errors);
    }
}

/// The variables that the threads of one block reduce: declared outside of a
/// loop that they share, in one that has blocks for its iterations.
fn block_variables(kernel: &Kernel) -> Vec<SymbolId> {
    let mut own: Vec<SymbolId> = Vec::new();
    visit::loops(&kernel.body, &mut |l| {
        if l.has_blocks() && l.threads() == [false; 3] {
            own.extend(&l.privates);
            own.extend(visit::declared(&l.body));
        }
    });
    own
}

fn hierarchical(kernel: &mut Kernel, oracle: &Oracle, errors: &mut Vec<Diagnostic>) {
    let unit = oracle.unit();
    let scope = Scope::of(kernel, unit);
    clauses::complete(kernel, &scope);
    for reduction in grid_level(kernel, &scope) {
        if clauses::only_lanes_touch(&kernel.body, reduction.symbol) {
            clauses::drop_inside(&mut kernel.body, reduction.symbol);
            add(&mut kernel.grid_reductions, &reduction);
        } else {
            add(&mut kernel.block_reductions, &reduction);
        }
    }
    add_copies(kernel);
    let shared = shared_variables(kernel, oracle);
    loops::rewrite(kernel, unit, shared, errors);
}

/// Of a kernel with a shape of its own: what loops reduce, all threads of the block share. What
/// ends with the kernel is each thread's where loops over threads reduce it, or the block's.
fn threads(kernel: &mut Kernel) {
    for reduction in kernel.reductions.clone() {
        let symbol = reduction.symbol;
        let by_threads = visit::any_loop(&kernel.body, &mut |l| {
            l.reductions.iter().any(|r| r.symbol == symbol)
        });
        clauses::drop_inside(&mut kernel.body, symbol);
        match by_threads {
            true => add(&mut kernel.grid_reductions, &reduction),
            false => add(&mut kernel.block_reductions, &reduction),
        }
    }
    loops::surround_outermost(&mut kernel.body);
}

/// The reductions that end with the kernel: those of the construct, and those
/// of loops over blocks whose variable is not the block's own.
fn grid_level(kernel: &Kernel, scope: &Scope) -> Vec<Reduction> {
    let mut all = kernel.reductions.clone();
    let own = visit::declared(&kernel.body);
    visit::loops(&kernel.body, &mut |l| {
        if l.has_blocks() {
            let outer = l.reductions.iter().filter(|r| {
                !own.contains(&r.symbol)
                    && !kernel.privates.contains(&r.symbol)
                    && (scope.memory.contains(&r.symbol) || is_captured(kernel, r.symbol))
            });
            outer.for_each(|reduction| add(&mut all, reduction));
        }
    });
    all
}

fn is_captured(kernel: &Kernel, symbol: SymbolId) -> bool {
    let privates = kernel.privates.contains(&symbol);
    !privates && !visit::any_loop(&kernel.body, &mut |l| l.privates.contains(&symbol))
}

/// Adds a reduction to a list that has none of its variable.
fn add(list: &mut Vec<Reduction>, reduction: &Reduction) {
    if list.iter().all(|known| known.symbol != reduction.symbol) {
        list.push(reduction.clone());
    }
}
