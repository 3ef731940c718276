//! Windows of which each thread uses its own slot alone: a register does.
//!
//! ```c
//! __shared__ float power_window[16][16];                     // before
//! power_window[threadIdx.y][threadIdx.x] = power[power_place];
//! heat += power_window[threadIdx.y][threadIdx.x];
//!
//! float power_own{};                                         // after
//! power_own = power[power_place];
//! heat += power_own;
//! ```
//!
//! Each thread of the block has one slot, that of its indices, fetches this one, and names no
//! other. The IR keeps the array: whoever asks what threads share sees each of them in its own
//! slot. The back end gives it a variable ([`SharedWindow::is_register`]).

use super::access;
use crate::ir::{Kernel, SharedWindow, SlotOrder, StatementKind, slot_order, visit};
use crate::typed::{
    Axis, Builtin, Expression, ExpressionKind, SymbolId, Type, UnaryOperator, Unit,
    visit as typed_visit,
};

/// Bytes of an `int`, which the index of a thread fits.
const WIDTH: u64 = 4;

/// Decides for all windows of a kernel.
pub fn decide(kernel: &mut Kernel, unit: &Unit) {
    for index in 0..kernel.windows.len() {
        kernel.windows[index].is_register = is_register(kernel, &kernel.windows[index], unit);
    }
}

fn is_register(kernel: &Kernel, window: &SharedWindow, unit: &Unit) -> bool {
    let of_storage = kernel
        .windows
        .iter()
        .filter(|w| w.storage == window.storage);
    let is_only = of_storage.count() == 1 && !window.is_written_together();
    let Some(axes) = own_axes(kernel, window).filter(|_| is_only) else {
        return false;
    };
    let uses = Uses::of(kernel, window.storage, &axes, unit);
    !uses.has_address && uses.all == uses.own
}

/// The axis of each dimension, if the slots of the window are the threads of the block: none of
/// a dimension with one slot.
fn own_axes(kernel: &Kernel, window: &SharedWindow) -> Option<Vec<Option<usize>>> {
    let block = kernel.block_shape().filter(|_| !kernel.may_shrink)?;
    let block = block.map(u64::from);
    let slots: Vec<u64> = (window.dimensions.iter())
        .map(|dimension| dimension.extent.known())
        .collect::<Option<_>>()?;
    let known: Vec<Option<u64>> = slots.iter().copied().map(Some).collect();
    let SlotOrder::Dimensions(axes) = slot_order(&known, &block.map(Some)) else {
        return None;
    };
    let fits = |(axis, slots): (&Option<usize>, &u64)| *slots == axis.map_or(1, |axis| block[axis]);
    let is_used = |axis: usize| block[axis] == 1 || axes.contains(&Some(axis));
    let are_alike = axes.iter().zip(&slots).all(fits) && (0..3).all(is_used);
    are_alike.then_some(axes)
}

/// How often a kernel names a window's array.
#[derive(Default)]
struct Uses {
    all: usize,
    /// As a thread's own slot.
    own: usize,
    /// By an address, or in one step with memory.
    has_address: bool,
}

impl Uses {
    fn of(kernel: &Kernel, storage: SymbolId, axes: &[Option<usize>], unit: &Unit) -> Self {
        let mut uses = Self::default();
        visit::symbols(&kernel.body, &mut |symbol| {
            uses.all += usize::from(symbol == storage)
        });
        visit::expressions(&kernel.body, &mut |e| {
            if let ExpressionKind::Unary(UnaryOperator::AddressOf, inner) = &e.kind {
                uses.has_address |= inner.mentions(storage);
            }
            if matches!(e.kind, ExpressionKind::Index(..)) {
                uses.own += usize::from(is_own(e, storage, axes, unit));
            }
        });
        visit::walk(&kernel.body, &mut |statement| {
            if let StatementKind::Atomic(_) = statement.kind {
                visit::own_expressions(statement, &mut |e| uses.has_address |= e.mentions(storage));
            }
        });
        uses
    }
}

/// Whether an expression is the slot of the array in the thread's own indices.
fn is_own(e: &Expression, storage: SymbolId, axes: &[Option<usize>], unit: &Unit) -> bool {
    let Some((symbol, indices)) = access::element(e, unit) else {
        return false;
    };
    let is_first = |index: &access::Index| {
        (index.as_ref()).is_none_or(|e| crate::ir::is_literal(e.inner(), 0))
    };
    let is_of_thread = |index: &access::Index, axis: usize| {
        let Some(e) = index else { return false };
        let thread = Axis::ALL
            .get(axis)
            .map(|axis| unit.builtin(Builtin::ThreadIndex, *axis));
        typed_visit::all(e, &mut |e| is_wide(e, unit))
            && e.without_conversions().as_symbol() == thread
    };
    let fits = |(index, axis): (&access::Index, &Option<usize>)| match axis {
        Some(axis) => is_of_thread(index, *axis),
        None => is_first(index),
    };
    symbol == storage && indices.len() == axes.len() && indices.iter().zip(axes).all(fits)
}

/// Whether an expression keeps the index of a thread as it is.
fn is_wide(e: &Expression, unit: &Unit) -> bool {
    matches!(unit.types.get(e.ty.ty), Type::Integer(kind) if kind.size() >= WIDTH)
}
