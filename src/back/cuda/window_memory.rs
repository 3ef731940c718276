//! Where windows lie in the launch's dynamic shared memory.
//!
//! The windows of a region lie one after the other, those of regions inside it
//! behind them; regions that are never open together begin at the same byte:
//!
//! ```text
//! ACCRS_DYNAMIC_SHARED(unsigned char, window_memory);
//! ACCRS_WINDOW(float, a_window, 8192, window_memory);
//! ACCRS_WINDOW(float, b_window, b_extent, window_memory); // in turn with a_window
//! ...
//! const size_t shared = accrs::largest(32768, b_extent * sizeof(float));
//! ```

use std::collections::HashMap;

use super::language::Cuda;
use super::slots::product;
use crate::ir::{SharedWindow, WindowExtent, WindowMarks, opened_regions};
use crate::typed::print::Language;
use crate::typed::{ArrayLength, QualType, SymbolId, Type, Unit};

/// Arrays in dynamic shared memory.
pub struct Layout {
    /// In the order of their declarations.
    pub parts: Vec<Part>,
    /// Bytes that the launch asks for; empty where there are no such arrays.
    pub bytes: String,
}

/// An array in dynamic shared memory.
pub struct Part {
    pub symbol: SymbolId,
    /// The type of an element.
    pub element: String,
    /// Of several dimensions, the type of a row.
    pub row: Option<String>,
    /// How many elements, or rows.
    pub elements: String,
    /// How many bytes.
    pub bytes: String,
    /// Its first byte.
    pub start: String,
    /// The first array at that place, of a region before.
    pub in_turn_with: Option<SymbolId>,
    /// Several threads may write one of its slots between two barriers.
    pub is_channel: bool,
}

/// A number of bytes, in part known at the launch only.
#[derive(Clone, Default)]
struct Bytes {
    known: u64,
    open: Vec<String>,
}

impl Bytes {
    fn text(&self) -> String {
        let known = (self.known > 0 || self.open.is_empty()).then(|| self.known.to_string());
        let parts: Vec<String> = self.open.iter().cloned().chain(known).collect();
        parts.join(" + ")
    }

    fn add(&mut self, other: Self) {
        self.known = self.known.saturating_add(other.known);
        self.open.extend(other.open);
    }

    /// As many, or as few more as make it a multiple.
    fn rounded(self, alignment: u64) -> Self {
        if self.open.is_empty() {
            let known = self.known.next_multiple_of(alignment);
            return Self { known, ..self };
        }
        let (text, rest) = (self.text(), alignment - 1);
        Self {
            known: 0,
            open: vec![format!("({text} + {rest}) / {alignment} * {alignment}")],
        }
    }
}

/// Where a region's arrays end, and what divides that number of bytes.
struct End {
    bytes: Bytes,
    alignment: u64,
}

/// Places the windows and marks of a kernel in dynamic shared memory: within a
/// region what must be aligned most comes first, so that all are aligned.
pub fn layout(unit: &Unit, cuda: &Cuda, windows: &[SharedWindow]) -> Layout {
    let mut parts = Vec::new();
    let mut ends: HashMap<usize, End> = HashMap::new();
    let mut totals: Vec<Bytes> = Vec::new();
    let regions = opened_regions(windows);
    for region in &regions {
        let arrays = arrays(unit, &region.windows);
        let Some((_, _, _, most)) = arrays.first() else {
            continue;
        };
        let mut at = match region.parent.and_then(|parent| ends.get(&parent)) {
            None => Bytes::default(),
            Some(end) if end.alignment >= *most => end.bytes.clone(),
            Some(end) => end.bytes.clone().rounded(*most),
        };
        let mut least = *most;
        for (symbol, window, is_channel, alignment) in arrays {
            let (mut part, bytes) = part(unit, cuda, symbol, window);
            part.start = at.text();
            let mut others = parts.iter();
            let first = others.find(|other: &&Part| other.start == part.start);
            part.in_turn_with = first.map(|other| other.symbol);
            part.is_channel = is_channel;
            parts.push(part);
            at.add(bytes);
            least = alignment;
        }
        if !regions.iter().any(|r| r.parent == Some(region.number)) {
            totals.push(at.clone());
        }
        let end = End {
            bytes: at,
            alignment: least,
        };
        ends.insert(region.number, end);
    }
    Layout {
        parts,
        bytes: largest(&totals),
    }
}

/// What the launch asks for: enough for each.
fn largest(totals: &[Bytes]) -> String {
    let known = totals.iter().filter(|t| t.open.is_empty()).map(|t| t.known);
    let known = known.max().map(|bytes| bytes.to_string());
    let mut texts: Vec<String> = known.into_iter().collect();
    for total in totals.iter().filter(|t| !t.open.is_empty()) {
        let text = total.text();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    match texts.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        several => format!("accrs::largest({})", several.join(", ")),
    }
}

type Array<'w> = (SymbolId, &'w SharedWindow, bool, u64);

/// The dynamic arrays of a region, what must be aligned most first.
fn arrays<'w>(unit: &Unit, windows: &[&'w SharedWindow]) -> Vec<Array<'w>> {
    let alignment = |symbol: SymbolId| unit.types.alignment(unit.symbol(symbol).ty.ty);
    let mut arrays: Vec<Array<'w>> = Vec::new();
    for &window in windows.iter().filter(|window| window.is_dynamic) {
        let storage = window.storage;
        arrays.push((storage, window, window.policy.channel, alignment(storage)));
        if let WindowMarks::Slots(marks) = window.marks {
            arrays.push((marks, window, true, alignment(marks)));
        }
    }
    arrays.sort_by_key(|(.., alignment)| std::cmp::Reverse(*alignment));
    arrays
}

fn part(unit: &Unit, cuda: &Cuda, symbol: SymbolId, window: &SharedWindow) -> (Part, Bytes) {
    let ty = unit.symbol(symbol).ty.ty;
    let first = unit.types.pointee(ty).unwrap_or(QualType::plain(ty));
    let mut element = first;
    while let Type::Array { element: inner, .. } = unit.types.get(element.ty) {
        element = *inner;
    }
    let element = cuda.declare_as(unit, window.array, QualType::plain(element.ty), "");
    let row = matches!(unit.types.get(first.ty), Type::Array { .. })
        .then(|| cuda.declare_as(unit, window.array, QualType::plain(first.ty), ""));
    let (elements, bytes) = match (unit.types.get(ty), unit.types.size(ty)) {
        (
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            },
            Some(known),
        ) => {
            let open = Vec::new();
            (n.to_string(), Bytes { known, open })
        }
        _ => {
            let extents = window.dimensions.iter().map(|d| match &d.extent {
                WindowExtent::Constant(n) => n.to_string(),
                WindowExtent::Launch(symbol, _) => cuda.symbol(unit, *symbol),
            });
            let count = product(&extents.collect::<Vec<_>>());
            let open = vec![format!("{count} * sizeof({element})")];
            (count, Bytes { known: 0, open })
        }
    };
    let part = Part {
        symbol,
        element,
        row,
        elements,
        bytes: bytes.text(),
        start: String::new(),
        in_turn_with: None,
        is_channel: false,
    };
    (part, bytes)
}
