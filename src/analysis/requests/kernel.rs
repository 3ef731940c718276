//! The nests of a kernel, and how they are spread.

use indexmap::IndexSet;

use super::{Nest, collect};
use crate::analysis::effects::Oracle;
use crate::ir::{
    BlockExtent, Extent, Kernel, Length, Loop, Module, Spread, Statement, StatementKind, visit,
};
use crate::typed::{Expression, SymbolId};

/// The accesses of all nests of a kernel to device memory, but for those to
/// arrays of which windows are open.
pub fn of_kernel<'k>(kernel: &'k Kernel, oracle: &Oracle) -> Vec<Nest<'k>> {
    let private = private(kernel);
    let nests = outermost_loops(&kernel.body).into_iter();
    nests.map(|l| collect(l, &private, oracle)).collect()
}

/// Threads along x, y, z, if that is known.
pub fn block_shape(kernel: &Kernel) -> Option<[u32; 3]> {
    let mut shape = [1; 3];
    for (threads, extent) in shape.iter_mut().zip(kernel.block.as_ref()?) {
        let BlockExtent::Constant(n) = extent else {
            return None;
        };
        *threads = *n;
    }
    Some(shape)
}

/// Variables that are not in device memory.
fn private(kernel: &Kernel) -> IndexSet<SymbolId> {
    let mut private: IndexSet<SymbolId> = visit::declared(&kernel.body).into_iter().collect();
    private.extend(&kernel.privates);
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

/// How the loops of a nest are spread. Of those that are numbered together, the
/// threads next to each other have the innermost one's iterations.
pub fn spreads(nest: &Nest) -> Vec<Spread> {
    let own = nest.loops.iter().map(|l| l.spread.unwrap_or_default());
    let mut spreads: Vec<Spread> = own.collect();
    for (number, l) in nest.loops.iter().enumerate() {
        let innermost = l.numbered_together().pop();
        let found = innermost.and_then(|last| {
            nest.loops
                .iter()
                .position(|l| l.induction == last.induction)
        });
        if let Some(last) = found {
            spreads.swap(number, last);
        }
    }
    spreads
}

/// The length that a data clause gives an array in its outermost dimension, if
/// it begins at the array's start.
pub(super) fn section_of(module: &Module, array: SymbolId) -> Option<&Expression> {
    let mut items = module.regions.iter().flat_map(|region| &region.data);
    items.find_map(|item| match &item.extent {
        Extent::Section { ranges, .. } if item.symbol == Some(array) => {
            let range = ranges.first()?;
            let is_start = |e: &Expression| crate::ir::is_literal(e, 0);
            match &range.length {
                Length::Expression(e) if range.lower.as_ref().is_none_or(is_start) => Some(e),
                _ => None,
            }
        }
        _ => None,
    })
}
