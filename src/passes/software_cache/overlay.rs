//! Bytes of shared memory that regions have one after the other.
//!
//! Regions that stand in one another are open together and lie one after the
//! other; others never are. In dynamic shared memory these begin at the same
//! byte. Static shared arrays keep a name and a type of their own, so that only
//! windows of one array and one shape become one:
//!
//! ```text
//! fcw FETCH_ONLY(a[i:1:1]) { ... }        open a_window
//! fcw FETCH_ONLY(a[i:0:2]) { ... }   ->   barrier; open a_window
//! ```
//!
//! A region ends with a barrier where the kernel has several, so that nobody
//! still reads what the next one writes; `barrier_legalisation` drops it where the bytes
//! are not shared.

use indexmap::IndexMap;

use crate::ir::{Kernel, SharedWindow, WindowExtent, WindowMarks, opened_regions};
use crate::passes::variables;
use crate::typed::{SymbolId, Unit};

/// What the windows and marks of a kernel take.
pub struct Bytes {
    /// With an array for each.
    pub apart: u64,
    /// Where regions that are never open together share bytes.
    pub overlaid: u64,
}

/// Bytes of all windows and marks of a kernel, if all are known. Sizes that
/// overflow are larger than anything.
pub fn bytes(kernel: &Kernel, unit: &Unit) -> Option<Bytes> {
    let is_open = |extent: &WindowExtent| matches!(extent, WindowExtent::Launch(..));
    let in_memory = |w: &&SharedWindow| !w.is_register;
    let mut dimensions = (kernel.windows.iter().filter(in_memory)).flat_map(|w| &w.dimensions);
    if dimensions.any(|d| is_open(&d.extent)) {
        return None;
    }
    let mut arrays: IndexMap<SymbolId, u64> = IndexMap::new();
    let mut ends: IndexMap<usize, u64> = IndexMap::new();
    for region in opened_regions(&kernel.windows) {
        let windows = region.windows.iter().filter(|w| !w.is_register);
        let own: Vec<SymbolId> = windows.flat_map(|w| storages(w)).collect();
        let alignment = own
            .iter()
            .map(|&s| unit.types.alignment(unit.symbol(s).ty.ty));
        let alignment = alignment.max().unwrap_or(1);
        let around = region.parent.and_then(|parent| ends.get(&parent));
        let start = around.copied().unwrap_or(0).div_ceil(alignment);
        let mut end = start.saturating_mul(alignment);
        for symbol in own {
            let size = unit.types.size(unit.symbol(symbol).ty.ty);
            let size = size.unwrap_or(u64::MAX);
            end = end.saturating_add(size);
            arrays.insert(symbol, size);
        }
        ends.insert(region.number, end);
    }
    Some(Bytes {
        apart: arrays
            .values()
            .fold(0, |sum, &size| sum.saturating_add(size)),
        overlaid: ends.values().copied().max().unwrap_or(0),
    })
}

/// The arrays in shared memory that a window has.
fn storages(window: &SharedWindow) -> impl Iterator<Item = SymbolId> + use<> {
    let marks = match window.marks {
        WindowMarks::Slots(marks) => Some(marks),
        _ => None,
    };
    std::iter::once(window.storage).chain(marks)
}

/// Gives windows of one array and shape one shared array, if they are never
/// open together.
pub fn merge(kernel: &mut Kernel, unit: &Unit) {
    for index in 1..kernel.windows.len() {
        let window = &kernel.windows[index];
        let ty = |symbol| unit.symbol(symbol).ty.ty;
        let found = kernel.windows[..index].iter().find(|earlier| {
            let mut all = kernel.windows.iter();
            earlier.array == window.array
                && !earlier.is_register
                && !window.is_register
                && ty(earlier.storage) == ty(window.storage)
                && all.all(|w| w.storage != earlier.storage || !w.is_open_with(window))
        });
        let Some(found) = found else { continue };
        let (from, to) = (window.storage, found.storage);
        let marks = match (window.marks, found.marks) {
            (WindowMarks::Slots(from), WindowMarks::Slots(to)) => Some((from, to)),
            _ => None,
        };
        variables::rename(&mut kernel.body, from, to);
        kernel.windows[index].storage = to;
        if let Some((from, to)) = marks {
            variables::rename(&mut kernel.body, from, to);
            kernel.windows[index].marks = WindowMarks::Slots(to);
        }
    }
}
