//! Windows: parts of arrays that a block holds in shared memory.
//!
//! A [`WindowRegion`] is what a front end makes of a directive over a
//! statement: which parts of which arrays the block holds while it runs the
//! body, and what is done with them. Accesses in the body are still to the
//! arrays themselves. The pass `software_cache` decides: it proves size and
//! place of each window ([`SharedWindow`]), turns accesses into accesses to
//! the window, and puts [`super::StatementKind::OpenWindows`],
//! [`super::StatementKind::Barrier`] and
//! [`super::StatementKind::WriteBack`] where they belong; the region is then
//! gone. The pass `barrier_legalisation` afterwards lets every thread of the block reach
//! every barrier.
//!
//! The *block* is the communicating block: iterations of the tile that the
//! threads of one block have at a time (see [`super::Tile`]).

use std::ops::Range;

use super::Statement;
use crate::source::Span;
use crate::typed::{Expression, SymbolId, Unit};

/// A statement over which a block holds windows.
#[derive(Clone, Debug)]
pub struct WindowRegion {
    /// In source order; stacked directives over one statement are one region.
    pub windows: Vec<Window>,
    /// What is run with them.
    pub body: Vec<Statement>,
    /// No barriers but those that the user writes: none around channel
    /// writes.
    pub explicit: bool,
    /// What it declares is gone behind it.
    pub is_scope: bool,
    /// The directive in one line, for comments.
    pub title: String,
    /// The directive.
    pub directive: Span,
}

/// A window as it is asked for.
#[derive(Clone, Debug)]
pub struct Window {
    /// The array, or the pointer to its first element.
    pub array: SymbolId,
    /// One entry a dimension, outermost first: as many as the array has, or
    /// as subscripts lead from the pointer to an element.
    pub dimensions: Vec<WindowDimension>,
    /// What is done with it.
    pub policy: WindowPolicy,
    /// Which accesses may be taken to be inside.
    pub proof: WindowProof,
    /// Which indices of each dimension there are to fetch, where the program says it: from
    /// the first up to the second, exclusive, numbers or variables that the kernel gets by
    /// value; all that the window has where nothing limits it.
    pub bounds: Option<Vec<Option<(Expression, Expression)>>>,
    /// Of rows behind pointers: a data clause gives a section of each
    /// dimension, so that the launcher knows which rows there are and how
    /// far they reach.
    pub has_sections: bool,
    /// As written (`a[i:1:1]`), for messages.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// What an iteration needs of one dimension: indices `pivot - before` up to
/// and including `pivot + after`.
#[derive(Clone, Debug)]
pub struct WindowDimension {
    /// The central index, in each iteration.
    pub pivot: Expression,
    /// How many before it; not negative, the same in all threads of a block.
    pub before: Expression,
    /// How many after it; likewise.
    pub after: Expression,
}

/// What is done with a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WindowPolicy {
    /// Filled from the array at the region's start.
    pub fetch: bool,
    /// Iterations see each other's writes: a barrier before and after each.
    pub channel: bool,
    /// What the block wrote goes to the array at the region's end.
    pub write_back: bool,
}

/// What may be taken for granted of an access to a windowed array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowProof {
    /// The user vouches for every access that is not proved to be outside.
    Trusted,
    /// What is not proved to be inside is selected at run time between window
    /// and array; writes go to both. The window may not change the result.
    Selected,
    /// What is not proved to be inside reads the array: no directive asks for the window, and a
    /// choice in each access costs more than it gives. Else as the last.
    Proved,
}

/// A window as `software_cache` decided it: an array in shared memory. Windows
/// of regions that are never open together may have the same bytes (see
/// [`SharedWindow::shares_bytes`]).
#[derive(Clone, Debug)]
pub struct SharedWindow {
    /// The number of the region that opens it; regions inside have greater
    /// ones.
    pub region: usize,
    /// The regions around that one, outermost first.
    pub around: Vec<usize>,
    /// The array that it is a part of.
    pub array: SymbolId,
    /// The array in shared memory; windows of regions that are never open
    /// together may have the same. Its type is an array of the window's
    /// extents where they are known (padding included); otherwise an array of
    /// elements without a length, row after row.
    pub storage: SymbolId,
    /// The dimensions, outermost first.
    pub dimensions: Vec<SharedDimension>,
    /// It lies in the launch's dynamic shared memory, after those of the
    /// regions around it.
    pub is_dynamic: bool,
    /// Each thread names its own slot alone: a variable of the thread is in place of the array.
    pub is_register: bool,
    /// The kernel means the same without it.
    pub is_optional: bool,
    /// What is done with it.
    pub policy: WindowPolicy,
    /// The element that a slot stands for: the array with the
    /// [`SharedDimension::index`] of each dimension as subscripts.
    pub element: Expression,
    /// Every slot is there to be fetched whose index is not below the
    /// [`SharedDimension::begin`], and below the [`SharedDimension::end`], of each
    /// dimension: iterations read it, or the program says it.
    pub is_read_whole: bool,
    /// Where the array's elements that are present on the device begin and
    /// end, for any other fetch: a kernel parameter, filled in by the launcher. Of
    /// rows behind pointers, one for the pointers and one for the elements of
    /// each row, and so on, outermost first. Empty where nothing is fetched,
    /// and where [`Self::is_read_whole`].
    pub ranges: Vec<SymbolId>,
    /// How many rows the array has, as the kernel says it: an `int` that the launch knows, too.
    /// Compared with what is present where places are of the kernel's narrower index type, which the
    /// launcher chooses only if the first so many rows are all that is present.
    pub rows: Option<Expression>,
    /// A variable that begins with each thread's own slot, which all threads of the block have.
    pub own_value: Option<SymbolId>,
    /// Which slots the write-back takes.
    pub marks: WindowMarks,
    /// Those of [`WindowMarks::Part`].
    pub part: Option<WrittenPart>,
    /// The directive's item, for comments.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

impl SharedWindow {
    /// What every thread computes where it is opened.
    pub fn opening(&self) -> impl Iterator<Item = &Expression> {
        let dimensions = self.dimensions.iter().filter(|d| d.has_base);
        dimensions.flat_map(|dimension| {
            let limits = dimension.begin.iter().chain(&dimension.end);
            std::iter::once(&dimension.first).chain(limits)
        })
    }

    /// As [`Self::opening`], with what is computed of each slot that may be written back.
    pub fn computed(&self) -> impl Iterator<Item = &Expression> {
        let conditions = self.part.iter().flat_map(|part| &part.conditions);
        self.opening().chain(conditions)
    }

    /// Whether the block's threads together write slots back.
    pub fn is_written_together(&self) -> bool {
        matches!(self.marks, WindowMarks::Slots(_) | WindowMarks::Part)
    }

    /// The parts that are fetched: of each dimension the slots. `None`: all of the window, of extents
    /// that may not be known.
    pub fn fetched_parts(&self) -> Option<Vec<Vec<Range<u64>>>> {
        let part = self.part.as_ref().filter(|part| part.comes_first)?;
        let all: Option<Vec<Range<u64>>> = (self.dimensions.iter())
            .map(|dimension| Some(0..dimension.extent.known()?))
            .collect();
        let all = all?;
        let mut found = Vec::new();
        for (depth, (own, whole)) in part.slots.iter().zip(&all).enumerate() {
            for beyond in [0..own.start, own.end..whole.end] {
                let mut border = part.slots[..depth].to_vec();
                border.push(beyond);
                border.extend_from_slice(&all[depth + 1..]);
                found.push(border);
            }
        }
        found.retain(|border| border.iter().all(|slots| !slots.is_empty()));
        Some(found)
    }

    /// Whether threads copy all slots in the order of the whole window.
    pub fn is_copied_whole(&self) -> bool {
        let Some(part) = &self.part else { return true };
        (part.slots.iter().zip(&self.dimensions))
            .all(|(slots, dimension)| dimension.extent.known() == Some(slots.end - slots.start))
    }

    /// Whether it is left to the launch whether it is opened: a block may have no room for it, and
    /// the kernel can do without.
    pub fn may_lack_room(&self, unit: &Unit) -> bool {
        let ty = unit.symbol(self.storage).ty.ty;
        self.is_optional && !self.is_register && unit.types.size(ty).is_none()
    }

    /// Whether this window and another one may be open at the same time.
    pub fn is_open_with(&self, other: &Self) -> bool {
        self.region == other.region
            || self.around.contains(&other.region)
            || other.around.contains(&self.region)
    }

    /// Whether an access to this window may touch bytes of another one.
    pub fn shares_bytes(&self, other: &Self) -> bool {
        let is_overlaid = self.is_dynamic && other.is_dynamic && !self.is_open_with(other);
        self.storage == other.storage || is_overlaid
    }

    /// The variables that a kernel has for a window.
    pub fn variables(&self) -> Vec<SymbolId> {
        let mut found = vec![self.storage];
        for dimension in &self.dimensions {
            found.extend([dimension.base, dimension.index]);
            if let WindowExtent::Launch(extent, _) = dimension.extent {
                found.push(extent);
            }
        }
        found.extend(&self.ranges);
        if let WindowMarks::Flag(marks) | WindowMarks::Slots(marks) = self.marks {
            found.push(marks);
        }
        found
    }
}

/// The windows that one region opens.
#[derive(Clone, Debug)]
pub struct OpenedRegion<'w> {
    /// Its number.
    pub number: usize,
    /// The region around it.
    pub parent: Option<usize>,
    /// Its windows, in order.
    pub windows: Vec<&'w SharedWindow>,
}

/// The regions that open windows, outer ones before those inside.
pub fn opened_regions(windows: &[SharedWindow]) -> Vec<OpenedRegion<'_>> {
    let mut regions: Vec<OpenedRegion<'_>> = Vec::new();
    for window in windows {
        match regions.iter_mut().find(|r| r.number == window.region) {
            Some(region) => region.windows.push(window),
            None => regions.push(OpenedRegion {
                number: window.region,
                parent: window.around.last().copied(),
                windows: vec![window],
            }),
        }
    }
    regions.sort_by_key(|region| region.number);
    regions
}

/// One dimension of a window in shared memory.
#[derive(Clone, Debug)]
pub struct SharedDimension {
    /// Variable of the array's index that slot 0 stands for; the same in all
    /// threads of a block. Declared where the window is opened, unless `first`
    /// is just this variable.
    pub base: SymbolId,
    /// Its value: the lowest index that any thread of the block asks for,
    /// computed by every thread from values that all threads have, those with
    /// a clear mask included.
    pub first: Expression,
    /// Something needs the base: a copy of slots, or a subscript.
    pub has_base: bool,
    /// The index of the array below which no slot is fetched, where that is known and
    /// slots may be there.
    pub begin: Option<Expression>,
    /// The index of the array from which on no iteration reads, where that is
    /// known; computed by every thread, like `first`.
    pub end: Option<Expression>,
    /// Variable of the array's index that a slot stands for, where slots are
    /// copied from or to the array; declared there.
    pub index: SymbolId,
    /// Slots.
    pub extent: WindowExtent,
    /// Slots beyond, against bank conflicts.
    pub padding: u32,
    /// What each thread of the block asks for, where that is known.
    pub own: Option<OwnSlots>,
    /// How far the window reaches, where only the launch knows: the launcher
    /// refuses what is negative or too far.
    pub reaches: Vec<WindowReach>,
}

/// The slots that a thread asks for in one dimension: from `first`, and `coefficient` times
/// the thread's index along each axis, on, `before`, its pivot, and `after`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnSlots {
    /// Of the first thread: its lowest slot.
    pub first: i128,
    /// Slots below the pivot.
    pub before: i128,
    /// Slots above the pivot.
    pub after: i128,
    /// Axes of the block (0 for x), each with its coefficient.
    pub axes: Vec<(usize, i128)>,
}

/// How far a window reaches on one side of its pivot, as the host computes it.
#[derive(Clone, Debug)]
pub struct WindowReach {
    /// `before` or `after`.
    pub side: &'static str,
    /// How many elements.
    pub expression: Expression,
}

/// The extent of a window in one dimension.
#[derive(Clone, Debug)]
pub enum WindowExtent {
    /// Known.
    Constant(u64),
    /// A value that the launcher computes and passes on as this variable.
    Launch(SymbolId, Expression),
}

impl WindowExtent {
    /// The number, if it is known.
    pub fn known(&self) -> Option<u64> {
        match self {
            Self::Constant(number) => Some(*number),
            Self::Launch(..) => None,
        }
    }
}

/// Which slots of a window a block wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowMarks {
    /// Nothing is written back.
    None,
    /// Each thread of an iteration wrote its own pivot.
    Always,
    /// Each thread whose flag (a variable of its own) is set wrote its own
    /// pivot.
    Flag(SymbolId),
    /// A byte a slot, in shared memory, set by who writes the slot.
    Slots(SymbolId),
    /// Those of which it is proved, see [`SharedWindow::part`].
    Part,
}

/// The slots of a window that a block writes.
#[derive(Clone, Debug)]
pub struct WrittenPart {
    /// Of each dimension, outermost first: no others.
    pub slots: Vec<Range<u64>>,
    /// The variables that are a slot's number in `conditions`, of each dimension; `int`s.
    pub numbers: Vec<SymbolId>,
    /// Which of these slots: all of it holds, of their [`SharedDimension::index`] and number.
    pub conditions: Vec<Expression>,
    /// None of `slots` is read before it is written, so that these are not fetched.
    pub comes_first: bool,
}

/// A barrier of the block.
#[derive(Clone, Debug, Default)]
pub struct Barrier {
    /// Why it is there, for a comment; may be empty.
    pub reason: String,
    /// Written by the user: never dropped.
    pub written: bool,
    /// It orders what threads do to memory, and has nothing to do with a
    /// window: dropped without a word.
    pub of_memory: bool,
    /// Dropped without a word, since the program writes its own.
    pub is_silent: bool,
    /// Why it cannot matter: it is then a comment only.
    pub dropped: Option<String>,
}

impl Barrier {
    /// A barrier that a pass needs.
    pub fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
            ..Self::default()
        }
    }

    /// As [`Self::new`], between accesses to memory.
    pub fn of_memory(reason: impl Into<String>) -> Self {
        Self {
            of_memory: true,
            ..Self::new(reason)
        }
    }
}

/// How a block takes the iterations of a loop that is distributed over its threads:
/// a tile at a time, all threads in each iteration together.
///
/// ```text
/// for (int i_first = blockIdx.x * 256; i_first < n; i_first += gridDim.x * 256) {
///     const int i = i_first + threadIdx.x;   // may lie beyond the bound
/// ```
///
/// A thread whose iteration lies beyond the bound runs the iteration nevertheless,
/// with a clear mask, so that it reaches the barriers. Thread 0 of a tile is
/// always within the bound.
///
/// A loop whose variable cannot stride itself (see [`super::Loop::strides`])
/// counts iterations:
///
/// ```text
/// const long long i_trips = accrs::trips_down(200, 0, 3);
/// for (long long i_tile = blockIdx.x * 256LL; i_tile < i_trips; ...) {
///     const long long i_number = i_tile + threadIdx.x;
///     const unsigned char i_first = 200 - 3 * i_tile;
///     const unsigned char i = 200 - 3 * i_number;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// The variable with the induction variable's value for the tile's first
    /// iteration (thread index 0); the same in all threads of the block.
    pub first: SymbolId,
    /// Given where iterations are counted.
    pub count: Option<TileCount>,
}

/// The variables of a tiled loop that counts its iterations, all `long long`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileCount {
    /// How many iterations the loop has.
    pub trips: SymbolId,
    /// The number of the tile's first iteration.
    pub tile: SymbolId,
    /// The number of the thread's own iteration; out of range from `trips` on.
    pub number: SymbolId,
}

impl Tile {
    /// The variables that the loop declares beside its induction variable.
    pub fn variables(&self) -> impl Iterator<Item = SymbolId> + use<> {
        let counted = self.count.map(|c| [c.trips, c.tile, c.number]);
        std::iter::once(self.first).chain(counted.into_iter().flatten())
    }
}
