//! The nests of a kernel, and how they are distributed.

use indexmap::IndexSet;

use super::{Nest, collect};
use crate::analysis::effects::Oracle;
use crate::ir::{Distribution, Kernel, Loop, Statement, StatementKind, visit};
use crate::typed::SymbolId;

/// The accesses of all nests of a kernel to device memory, but for those to
/// arrays of which windows are open.
pub fn of_kernel<'k>(kernel: &'k Kernel, oracle: &Oracle) -> Vec<Nest<'k>> {
    let private = private(kernel);
    let nests = outermost_loops(&kernel.body).into_iter();
    nests.map(|l| collect(l, &private, oracle)).collect()
}

/// Variables that are not in device memory.
pub fn private(kernel: &Kernel) -> IndexSet<SymbolId> {
    let mut private: IndexSet<SymbolId> = visit::declared(&kernel.body).into_iter().collect();
    private.extend(&kernel.privates);
    private.extend(kernel.reduced());
    visit::loops(&kernel.body, &mut |l| private.extend(&l.privates));
    private
}

/// The loops that are in no other.
fn outermost_loops(body: &[Statement]) -> Vec<&Loop> {
    let mut loops = Vec::new();
    for statement in body {
        match &statement.kind {
            StatementKind::Loop(l) => loops.push(&**l),
            _ => visit::blocks(statement, &mut |inner| loops.extend(outermost_loops(inner))),
        }
    }
    loops
}

/// How the loops of a nest are distributed. Of those that are numbered together, the
/// threads next to each other have the innermost one's iterations.
pub fn distributions(nest: &Nest) -> Vec<Distribution> {
    let own = nest
        .loops
        .iter()
        .map(|l| l.distribution.unwrap_or_default());
    let mut distributions: Vec<Distribution> = own.collect();
    for (number, l) in nest.loops.iter().enumerate() {
        let innermost = l.numbered_together().pop();
        let found = innermost.and_then(|last| {
            nest.loops
                .iter()
                .position(|l| l.induction == last.induction)
        });
        if let Some(last) = found {
            distributions.swap(number, last);
        }
    }
    distributions
}
