//! Which arrays a kernel only reads, whatever the pointers are.
//!
//! Input: decided kernels. Output: [`Kernel::read_only`].
//!
//! ```c
//! void scale(int n, const double *restrict x, double *restrict y)
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++)   // after: `x` is read-only; without
//!     y[i] = 2 * x[i];          //   `restrict`, only if the launch checks
//! ```

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::scope::Scope;
use crate::ir::{Kernel, Module, Passing, RegionKind};
use crate::typed::{SymbolId, Unit};

/// Fills in the read-only arrays of every kernel.
pub fn run(module: &mut Module, unit: &Unit) {
    let oracle = Oracle::new(unit, &module.functions);
    let checked = checked_pairs(module);
    let kernels = module.kernels.iter_mut().zip(checked);
    // Of a function's pointers only the callers know.
    for (kernel, pairs) in kernels.filter(|(kernel, _)| kernel.team.is_none()) {
        kernel.read_only = read_only(kernel, &pairs, &oracle);
    }
}

type Pairs = Vec<(SymbolId, SymbolId)>;

/// The pairs of arrays that the launch of each kernel found disjoint.
fn checked_pairs(module: &Module) -> Vec<Pairs> {
    let mut pairs = vec![Pairs::new(); module.kernels.len()];
    for region in &module.regions {
        if let RegionKind::Compute { launches } = &region.kind {
            for launch in launches {
                if let Some(slot) = pairs.get_mut(launch.kernel.0 as usize) {
                    slot.clone_from(&launch.disjoint);
                }
            }
        }
    }
    pairs
}

fn read_only(kernel: &Kernel, pairs: &Pairs, oracle: &Oracle) -> Vec<SymbolId> {
    let scope = Scope::of(kernel, oracle.unit());
    let writes = oracle.list(&kernel.body).writes;
    let written_back = kernel.windows.iter().filter(|w| w.policy.write_back);
    let written: Vec<Place> = writes
        .into_iter()
        .chain(written_back.map(|window| oracle.place(&window.element)))
        .filter(|&place| !scope.is_private(place))
        .collect();
    let apart = |a: SymbolId, place: Place| {
        let (Place::Variable(b) | Place::Target(b)) = place else {
            return false;
        };
        pairs.contains(&(a, b)) || pairs.contains(&(b, a))
    };
    kernel
        .captures
        .iter()
        .filter_map(|capture| {
            let own = match capture.passing {
                Passing::Array => Place::Variable(capture.symbol),
                Passing::Pointer | Passing::DevicePointer => Place::Target(capture.symbol),
                Passing::Value | Passing::Reference => return None,
            };
            let safe = written
                .iter()
                .all(|&place| apart(capture.symbol, place) || !scope.may_alias(own, place));
            // What goes to a pointer that is not `const` may not be `const`
            // itself, though nothing is written through it.
            (safe && !capture.written).then_some(capture.symbol)
        })
        .collect()
}
