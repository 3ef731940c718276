//! The loops in which the threads of a block go through the slots of windows.
//!
//! ```text
//! for (int first_y = 0; first_y < 10; first_y += 8)             // block of 32 x 8
//!     for (int first_x = 0; first_x < 34; first_x += 32) {
//!         const int slot_y = first_y + threadIdx.y;
//!         const int slot_x = first_x + threadIdx.x;
//!         if (slot_y < 10 && slot_x < 34 && …)
//!             a_window[slot_y][slot_x] = …
//! ```
//!
//! All threads run the same rounds, so that compilers know how many there are and unroll them.

use std::ops::Range;

use super::body::Body;
use super::index::{factor, thread_number};
use crate::ir::{
    BlockExtent, Edged, SharedDimension, SharedWindow, SlotOrder, WindowExtent, slot_order,
};

/// How a thread goes through its slots of a window.
#[derive(Default)]
pub struct Walk {
    /// The heads of loops, outermost first.
    pub heads: Vec<String>,
    /// What is computed within them.
    pub declarations: Vec<String>,
    /// The conditions that there is such a slot.
    pub guards: Vec<String>,
    /// The slot's number in each dimension, outermost first.
    pub numbers: Vec<String>,
}

impl Walk {
    /// Adds a part of a dimension, or of all of them, that so many threads share.
    fn share(
        &mut self,
        names: (&str, &str),
        thread: &str,
        threads: &Count,
        slots: &Count,
    ) -> String {
        let (first, slot) = names;
        let Some((threads, slots)) = threads.known.zip(slots.known) else {
            let (threads, slots) = (&threads.text, &slots.text);
            self.heads.push(format!(
                "for (int {slot} = {thread}; {slot} < {slots}; {slot} += {threads})"
            ));
            return slot.to_string();
        };
        if slots == 1 && threads == 1 {
            return "0".to_string();
        }
        if slots <= threads {
            if slots < threads {
                self.guards.push(format!("{thread} < {slots}"));
            }
            return thread.to_string();
        }
        self.heads.push(format!(
            "for (int {first} = 0; {first} < {slots}; {first} += {threads})"
        ));
        let declaration = format!("const int {slot} = {first} + {thread};");
        self.declarations.push(declaration);
        if slots % threads != 0 {
            self.guards.push(format!("{slot} < {slots}"));
        }
        slot.to_string()
    }
}

/// A number of threads or slots.
struct Count {
    text: String,
    known: Option<u64>,
}

impl Count {
    fn of(known: u64) -> Self {
        Self {
            text: known.to_string(),
            known: Some(known),
        }
    }
}

/// The slots of a dimension that are copied.
pub struct Slots {
    first: u64,
    count: Count,
}

/// Slots of these numbers.
pub fn known(part: Vec<Range<u64>>) -> Vec<Slots> {
    let slots = part.into_iter().map(|slots| Slots {
        first: slots.start,
        count: Count::of(slots.end - slots.start),
    });
    slots.collect()
}

/// `number + first`.
fn moved(number: String, first: u64) -> String {
    match (first, number.as_str()) {
        (0, _) => number,
        (_, "0") => first.to_string(),
        _ => format!("{number} + {first}"),
    }
}

impl Body<'_> {
    /// The axes along which a block has more than one thread, slowest first.
    fn block_axes(&self) -> Vec<(&'static str, Count)> {
        let axes = (0..3)
            .rev()
            .map(|axis| (AXES[axis], self.threads_along(axis)));
        axes.filter(|(_, threads)| threads.known != Some(1))
            .collect()
    }

    fn threads_along(&self, axis: usize) -> Count {
        let known = self.block[axis].known().map(u64::from);
        Count {
            text: known.map_or_else(|| format!("blockDim.{}", AXES[axis]), |n| n.to_string()),
            known,
        }
    }

    fn thread_number(&self) -> String {
        let axes = self.block_axes().into_iter();
        thread_number(None, axes.map(|(name, threads)| (name, threads.text)))
    }

    fn thread_count(&self) -> Count {
        let known = self.block.iter().try_fold(1u64, |n, extent| match extent {
            BlockExtent::Constant(m) => Some(n * u64::from(*m)),
            BlockExtent::Expression(_) => None,
        });
        let axes = || {
            self.block_axes()
                .into_iter()
                .map(|(_, threads)| threads.text)
        };
        Count {
            text: known.map_or_else(|| product(&axes().collect::<Vec<_>>()), |n| n.to_string()),
            known,
        }
    }

    /// Gives the number of a thread in its block a name, if it is a sum and loops over slots need it.
    pub(super) fn declare_thread(&mut self, is_needed: bool) {
        let thread = self.thread_number();
        self.thread = thread.clone();
        if is_needed && thread.contains(' ') {
            self.thread = self.cuda.fresh("thread");
            let name = &self.thread;
            self.lines.line(&format!("const int {name} = {thread};"));
        }
    }

    /// Whether slots of a window are counted row by row in some copy.
    pub(super) fn counts_slots(&self, window: &SharedWindow) -> bool {
        let mut parts = vec![self.whole(&window.dimensions)];
        parts.extend(window.fetched_parts().into_iter().flatten().map(known));
        parts.extend(window.part.iter().map(|part| known(part.slots.clone())));
        let mut orders = parts.iter().map(|part| self.slot_order(part));
        orders.any(|order| order == SlotOrder::Linear)
    }

    /// Who of a block has which slots.
    fn slot_order(&self, part: &[Slots]) -> SlotOrder {
        let slots: Vec<Option<u64>> = part.iter().map(|slots| slots.count.known).collect();
        let block = [0, 1, 2].map(|axis| self.threads_along(axis).known);
        slot_order(&slots, &block)
    }

    /// All slots.
    pub(super) fn whole(&self, dimensions: &[SharedDimension]) -> Vec<Slots> {
        let all = dimensions.iter().map(|dimension| Slots {
            first: 0,
            count: self.slots_along(dimension),
        });
        all.collect()
    }

    /// How each thread goes through its slots of a part of a window, one part after the other.
    pub(super) fn walks(&mut self, part: &[Slots]) -> Vec<Walk> {
        match self.slot_order(part) {
            SlotOrder::Linear => vec![self.linear_walk(part)],
            SlotOrder::Dimensions(axes) => vec![self.walk_by_dimension(part, &axes)],
            SlotOrder::Edged(edged) => self.edged_walks(part, edged),
        }
    }

    /// ```text
    /// for (int slot_y = 0; slot_y < 17; slot_y++)                  // [slot_y][threadIdx.x]
    /// for (int first_y = 0; first_y < 17; first_y += 16) {         // [slot_y][16]
    ///     const int slot_y = first_y + threadIdx.x;
    /// ```
    fn edged_walks(&mut self, part: &[Slots], edged: Edged) -> Vec<Walk> {
        let [rows, columns] = [0, 1].map(|depth| {
            let slots = part.get(depth);
            let count = slots.and_then(|slots| slots.count.known).unwrap_or(1);
            let first = slots.map_or(0, |slots| slots.first);
            first..first + count
        });
        let whole = columns.start + edged.whole;
        let axis = AXES[edged.axis];
        let other = AXES
            .iter()
            .find(|name| **name != axis)
            .map_or("", |name| *name);
        let of_rows = ["first", "slot"].map(|part| self.slot_name(&format!("{part}_{other}")));
        let of_columns = ["first", "slot"].map(|part| self.slot_name(&format!("{part}_{axis}")));
        let (thread, threads) = (format!("threadIdx.{axis}"), Count::of(edged.threads));
        let each = |slot: &str, first: u64, end: u64| {
            format!("for (int {slot} = {first}; {slot} < {end}; {slot}++)")
        };
        let mut inner = Walk::default();
        inner.heads.push(each(&of_rows[1], rows.start, rows.end));
        let names = (of_columns[0].as_str(), of_columns[1].as_str());
        let column = inner.share(names, &thread, &threads, &Count::of(edged.whole));
        inner.numbers = vec![of_rows[1].clone(), moved(column, columns.start)];
        let mut edge = Walk::default();
        let names = (of_rows[0].as_str(), of_rows[1].as_str());
        let row = edge.share(names, &thread, &threads, &Count::of(rows.end - rows.start));
        let column = match columns.end - whole {
            1 => whole.to_string(),
            _ => {
                edge.heads.push(each(&of_columns[1], whole, columns.end));
                of_columns[1].clone()
            }
        };
        edge.numbers = vec![moved(row, rows.start), column];
        vec![inner, edge]
    }

    fn walk_by_dimension(&mut self, part: &[Slots], axes: &[Option<usize>]) -> Walk {
        let mut walk = Walk::default();
        let outer = axes.iter().filter(|axis| axis.is_none()).count();
        for (depth, (Slots { first, count }, axis)) in part.iter().zip(axes).enumerate() {
            let number = match axis {
                Some(axis) => {
                    let name = AXES[*axis];
                    let names = ["first", "slot"];
                    let [round, slot] = names.map(|part| self.slot_name(&format!("{part}_{name}")));
                    let (thread, threads) =
                        (format!("threadIdx.{name}"), self.threads_along(*axis));
                    moved(
                        walk.share((&round, &slot), &thread, &threads, count),
                        *first,
                    )
                }
                None if count.known == Some(1) => first.to_string(),
                None => {
                    // Called after an axis that shares nothing.
                    let free = AXES
                        .iter()
                        .enumerate()
                        .filter(|(n, _)| !axes.contains(&Some(*n)));
                    let name = free.map(|(_, name)| *name).nth(outer - 1 - depth);
                    let name = name.map_or_else(|| depth.to_string(), str::to_string);
                    let slot = self.slot_name(&format!("slot_{name}"));
                    let end = match count.known {
                        Some(count) => (first + count).to_string(),
                        None => count.text.clone(),
                    };
                    walk.heads.push(format!(
                        "for (int {slot} = {first}; {slot} < {end}; {slot}++)"
                    ));
                    slot
                }
            };
            walk.numbers.push(number);
        }
        walk
    }

    /// Slots counted row by row: `[slot / 18][slot % 18]`.
    fn linear_walk(&mut self, part: &[Slots]) -> Walk {
        let mut walk = Walk::default();
        let extents: Vec<&Count> = part.iter().map(|slots| &slots.count).collect();
        let texts: Vec<String> = extents.iter().map(|extent| extent.text.clone()).collect();
        let slots = Count {
            text: product(&texts),
            known: (extents.iter()).try_fold(1u64, |n, extent| n.checked_mul(extent.known?)),
        };
        let (first, slot) = (self.slot_name("first"), self.slot_name("slot"));
        let (thread, threads) = (self.thread.clone(), self.thread_count());
        let slot = walk.share((&first, &slot), &thread, &threads, &slots);
        // A dimension of one slot takes no part.
        let is_one = |depth: &usize| extents[*depth].known == Some(1);
        let several: Vec<usize> = (0..texts.len()).filter(|depth| !is_one(depth)).collect();
        walk.numbers = (0..texts.len())
            .map(|depth| {
                let first = part[depth].first;
                if is_one(&depth) {
                    return first.to_string();
                }
                let inner = several.iter().filter(|other| **other > depth);
                let inner: Vec<String> = inner.map(|&other| texts[other].clone()).collect();
                let quotient = match product(&inner).as_str() {
                    "" => slot.clone(),
                    inner => format!("{slot} / {}", factor(inner)),
                };
                let number = match several.first() == Some(&depth) {
                    true => quotient,
                    false => format!("{quotient} % {}", texts[depth]),
                };
                moved(number, first)
            })
            .collect();
        walk
    }

    fn slots_along(&self, dimension: &SharedDimension) -> Count {
        let known = dimension.extent.known();
        Count {
            text: self.extent(dimension),
            known,
        }
    }

    /// A name for the loops over slots; they all share it.
    fn slot_name(&mut self, wanted: &str) -> String {
        if let Some((_, name)) = self.slot_names.iter().find(|(own, _)| own == wanted) {
            return name.clone();
        }
        let name = self.cuda.fresh(wanted);
        self.slot_names.push((wanted.to_string(), name.clone()));
        name
    }

    /// The subscripts of a slot in the window's array: one a dimension, or one in all where
    /// extents are known at the launch only.
    pub(super) fn slot(&self, dimensions: &[SharedDimension], numbers: &[String]) -> String {
        let is_open = |d: &SharedDimension| matches!(d.extent, WindowExtent::Launch(..));
        if !dimensions.iter().any(is_open) {
            return numbers.iter().map(|number| format!("[{number}]")).collect();
        }
        if self.slot_order(&self.whole(dimensions)) == SlotOrder::Linear {
            let name = self.slot_names.iter().find(|(own, _)| own == "slot");
            return format!("[{}]", name.map_or("slot", |(_, name)| name.as_str()));
        }
        let mut linear = String::new();
        for (dimension, number) in dimensions.iter().zip(numbers) {
            linear = match linear.as_str() {
                "" => number.clone(),
                outer => format!("{} * {} + {number}", factor(outer), self.extent(dimension)),
            };
        }
        format!("[{linear}]")
    }

    pub(super) fn extent(&self, dimension: &SharedDimension) -> String {
        match &dimension.extent {
            WindowExtent::Constant(n) => n.to_string(),
            WindowExtent::Launch(symbol, _) => self.name(*symbol),
        }
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

pub(super) fn product(factors: &[String]) -> String {
    let mut several: Vec<&str> = factors.iter().map(String::as_str).collect();
    several.retain(|factor| *factor != "1");
    match several.is_empty() && !factors.is_empty() {
        true => "1".to_owned(),
        false => several.join(" * "),
    }
}
