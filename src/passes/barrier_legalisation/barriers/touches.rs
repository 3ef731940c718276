//! What threads do to windows and to memory, and when two threads meet.

use crate::analysis::block_affine::{Apart, Frame, Slots};
use crate::analysis::effects::Place;
use crate::typed::SymbolId;

use super::Overlays;

/// What an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// An array in shared memory.
    Window(SymbolId),
    /// Memory that threads have in common.
    Memory(Place),
}

/// Who makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// Every thread.
    All,
    /// The first thread of the block.
    First,
    /// Threads in iterations of the shared loop with this number, of which
    /// each is independent of the others.
    Iterations(usize),
    /// The block, as it fills windows in that loop or writes them back: a
    /// thread has elements of other iterations than its own.
    Together(usize),
}

/// An access to a window or to memory.
#[derive(Clone, Debug)]
pub struct Access {
    pub object: Object,
    pub write: bool,
    /// Where it goes, if that is known.
    pub slots: Option<Slots>,
    /// The variable that these slots are of: an array, or a pointer to one, or
    /// to its rows.
    pub root: Option<SymbolId>,
    /// It is in a loop without barriers, so that it stands for accesses of
    /// several iterations.
    pub repeats: bool,
    pub party: Party,
    /// Each thread touches its share of the slots of the window with this
    /// number, which is the same whenever the block fills it or writes it back.
    pub share_of: Option<usize>,
}

/// What is passed on the way from a barrier to an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Way {
    /// A loop's next iteration begins.
    pub round: bool,
    /// The next tile of a shared loop begins.
    pub tile: bool,
    /// The next iteration of a loop around shared loops begins.
    pub again: bool,
    /// The block takes its next iteration of a loop over blocks.
    pub iteration: bool,
}

impl Way {
    /// With another stretch.
    pub fn and(self, other: Self) -> Self {
        Self {
            round: self.round || other.round,
            tile: self.tile || other.tile,
            again: self.again || other.again,
            iteration: self.iteration || other.iteration,
        }
    }
}

/// An access that may come before or after a barrier.
pub struct Reached<'g> {
    pub access: &'g Access,
    pub way: Way,
}

/// Decides whether threads meet.
pub struct Meeting<'a> {
    pub overlays: &'a Overlays,
    /// At the top of the kernel.
    pub frame: &'a Frame<'a>,
    /// What the barrier between the accesses is there for.
    pub of_memory: bool,
}

impl Meeting<'_> {
    /// Why no two threads meet in the accesses before and behind a barrier, of
    /// which one writes; `None` if they may.
    pub fn apart(&self, before: &Reached, behind: &Reached) -> Option<Apart> {
        let (a, b) = (before.access, behind.access);
        let is_free = !a.write && !b.write || !self.share_bytes(a, b);
        if is_free || !self.is_concern(a, b, before.way.and(behind.way)) {
            return Some(Apart::Own);
        }
        if a.share_of.is_some() && a.share_of == b.share_of {
            return Some(Apart::Own);
        }
        if a.object != b.object || a.root != b.root || !a.root.is_some_and(|r| self.is_steady(r)) {
            return None;
        }
        let other_time = before.way.round || behind.way.round || a.repeats || b.repeats;
        let (here, there) = (a.slots.as_ref()?, b.slots.as_ref()?);
        self.frame.apart(here, there, !other_time)
    }

    /// Whether two accesses may touch the same bytes.
    pub fn share_bytes(&self, a: &Access, b: &Access) -> bool {
        match (a.object, b.object) {
            (Object::Window(a), Object::Window(b)) => a == b || self.overlays.contains(&(a, b)),
            (Object::Memory(a), Object::Memory(b)) => self.frame.facts.scope.may_alias(a, b),
            _ => false,
        }
    }

    /// Whether the barrier is to order such accesses. Those of iterations that
    /// the program calls independent need no order; a barrier of windows is
    /// there for these alone.
    fn is_concern(&self, a: &Access, b: &Access, way: Way) -> bool {
        if matches!(a.object, Object::Window(_)) {
            return true;
        }
        if way.iteration {
            return false;
        }
        let is_whole = |access: &Access| matches!(access.party, Party::Together(_));
        if !self.of_memory && !is_whole(a) && !is_whole(b) {
            return false;
        }
        match (shared_loop(a), shared_loop(b)) {
            (Some(l), Some(other)) if l == other && !way.again => {
                !way.tile && (is_whole(a) || is_whole(b))
            }
            _ => self.of_memory && (a.party, b.party) != (Party::First, Party::First),
        }
    }

    /// Whether equal indices of a variable are the same element at any time.
    /// Pointers to rows stay as they are while windows of the rows are open.
    fn is_steady(&self, root: SymbolId) -> bool {
        let facts = &self.frame.facts;
        self.frame.unit.is_array(root)
            || facts.scope.pointers.contains(&root) && !facts.is_assigned(root)
    }
}

fn shared_loop(access: &Access) -> Option<usize> {
    match access.party {
        Party::Iterations(number) | Party::Together(number) => Some(number),
        Party::All | Party::First => None,
    }
}
