//! Variables of which a construct has copies of its own wherever it runs.
//!
//! On the host a construct is its original text, to which `private` and
//! `firstprivate` mean nothing. Before:
//!
//! ```text
//! #pragma acc parallel if(0) firstprivate(n)
//! { n++; a[0] = n; }
//! ```
//! After:
//!
//! ```text
//! __typeof__(n) accrs_host_n = n;
//! __typeof__(n) n = accrs_host_n;
//! { n++; a[0] = n; }
//! ```
//! Input: the kernels of a construct. Output: the variables that the code
//! changes and that the program reads afterwards. Reductions need nothing: the
//! text makes them in place.

use indexmap::IndexMap;

use super::copies;
use super::usage::Use;
use crate::ir::{HostCopy, Kernel, Passing, visit};
use crate::typed::{SymbolId, Unit};

/// Finds them. `clauses` are the variables that clauses on the construct make
/// private, `needed` says which are read after it, `uses` what all kernels do
/// with variables that no kernel and no loop has for its own.
pub fn of_kernels(
    unit: &Unit,
    kernels: &[Kernel],
    uses: &IndexMap<SymbolId, Use>,
    clauses: &[SymbolId],
    needed: &dyn Fn(SymbolId) -> bool,
) -> Vec<HostCopy> {
    let mut found: IndexMap<SymbolId, bool> = IndexMap::new();
    let changed = |symbol: &SymbolId| uses.get(symbol).is_some_and(|u| u.assigned || u.written);
    let owned: Vec<copies::Owned> = kernels.iter().map(|k| copies::Owned::of(&k.body)).collect();
    let is_used_outside = |symbol| owned.iter().any(|own| own.is_used_outside(symbol));
    for kernel in kernels {
        for capture in &kernel.captures {
            if capture.passing == Passing::Value && capture.written {
                found.insert(capture.symbol, true);
            }
        }
        // Those without a clause are written before they are read.
        let own = |symbol: &&SymbolId| !clauses.contains(symbol) || changed(symbol);
        for symbol in kernel.privates.iter().filter(own) {
            let copied = kernel.private_array(*symbol).is_some_and(|s| s.copied);
            *found.entry(*symbol).or_default() |= copied;
        }
        let declared = visit::declared(&kernel.body);
        // What loops have for their own without a clause is not needed after them,
        // and what is set again outside of them, maybe in another kernel, is.
        let is_own = |symbol: &SymbolId| !declared.contains(symbol) && !is_used_outside(*symbol);
        visit::loops(&kernel.body, &mut |inner| {
            for symbol in inner.privates.iter().filter(|symbol| is_own(symbol)) {
                found.entry(*symbol).or_default();
            }
        });
        // Sections behind pointers are not copied: the text follows the pointer.
        found.retain(|symbol, _| {
            kernel.private_array(*symbol).is_none()
                || unit.types.is_array(unit.symbol(*symbol).ty.ty)
        });
    }
    let copies = found.into_iter().filter(|(symbol, _)| needed(*symbol));
    copies
        .map(|(symbol, initialised)| HostCopy {
            symbol,
            initialised,
        })
        .collect()
}
