//! Which accesses of other threads may still be under way.

use std::rc::Rc;

use indexmap::{IndexMap, IndexSet};

use crate::analysis::effects::{Effects, Place};
use crate::analysis::ownership::Ownership;
use crate::analysis::scope::Scope;
use crate::typed::SymbolId;

/// So many loops with owners of one array of their own are told apart.
const MOST_LOOPS: usize = 16;

/// Who makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The first thread alone.
    One,
    /// All threads alike.
    All,
    /// Each thread its share.
    Each,
}

/// The memory that a piece of code touches.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    pub reads: Vec<Place>,
    pub writes: Vec<Place>,
    /// Which thread touches which elements, where each touches its share and that is known.
    pub owners: IndexMap<Place, Rc<Ownership>>,
}

impl Footprint {
    /// The accesses to memory among some effects; reads of what the kernel
    /// never writes cannot matter.
    pub fn of(effects: &Effects, scope: &Scope, kernel_writes: &[Place]) -> Self {
        let is_memory = |place: &&Place| !scope.is_private(**place);
        Self {
            reads: effects
                .reads
                .iter()
                .filter(is_memory)
                .filter(|&&read| kernel_writes.iter().any(|&w| scope.may_alias(read, w)))
                .copied()
                .collect(),
            writes: effects.writes.iter().filter(is_memory).copied().collect(),
            owners: IndexMap::new(),
        }
    }

    /// Whether no memory is touched that matters.
    pub fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty()
    }
}

/// An access since the last barrier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Pending {
    place: Place,
    /// Which thread touched which elements, if that is known and still holds.
    owners: Option<Rc<Ownership>>,
}

impl Pending {
    /// Whether a thread may come to an element that another one touched.
    fn meets(&self, next: &Footprint, later: Place) -> bool {
        let both = self.owners.as_ref().zip(next.owners.get(&later));
        !both.is_some_and(|(earlier, later)| earlier.agrees(later))
    }

    /// The same where these variables have other values.
    fn without(self, changed: &IndexSet<SymbolId>) -> Self {
        let holds = |owners: &Rc<Ownership>| !changed.iter().any(|&s| owners.mentions(s));
        Self {
            owners: self.owners.filter(holds),
            ..self
        }
    }
}

/// The accesses since the last barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// By one thread, by all, by each.
    reads: [IndexSet<Pending>; 3],
    writes: [IndexSet<Pending>; 3],
}

/// Why a barrier is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// In which order.
    pub kind: ConflictKind,
    /// What was accessed first.
    pub earlier: Place,
    /// What is accessed then: the same, or what may be the same.
    pub later: Place,
}

/// The orders of two accesses that matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// The place was written and is read.
    ReadAfterWrite,
    /// The place was read and is written.
    WriteAfterRead,
    /// The place was written and is written again.
    WriteAfterWrite,
}

impl State {
    /// The first conflict between what is under way and what comes: of one place, or else of
    /// places that may be the same, if there are some of them `alike`.
    pub fn conflict(
        &self,
        next: &Footprint,
        who: Who,
        scope: &Scope,
        alike: &dyn Fn(Place, Place) -> bool,
    ) -> Option<Conflict> {
        use ConflictKind::*;
        // What the same single thread did is in order.
        let skip = usize::from(who == Who::One);
        let meet = |is_same: &dyn Fn(Place, Place) -> bool| {
            let find = |kind, sets: &[IndexSet<Pending>; 3], later: Place| {
                let mut earlier = sets[skip..].iter().flatten();
                let earlier = earlier.find(|e| is_same(e.place, later) && e.meets(next, later))?;
                Some(Conflict {
                    kind,
                    earlier: earlier.place,
                    later,
                })
            };
            let mut reads = next.reads.iter();
            let of_reads = reads.find_map(|&place| find(ReadAfterWrite, &self.writes, place));
            of_reads.or_else(|| {
                next.writes.iter().find_map(|&place| {
                    find(WriteAfterWrite, &self.writes, place)
                        .or_else(|| find(WriteAfterRead, &self.reads, place))
                })
            })
        };
        meet(&|a, b| a == b)
            .or_else(|| meet(&|a, b| scope.may_alias(a, b) && alike(a, b)))
            .or_else(|| meet(&|a, b| scope.may_alias(a, b)))
    }

    /// What a barrier is for where nothing is known of what comes: a write under way, or else a read.
    pub fn under_way(&self) -> Option<Conflict> {
        let first = |kind, sets: &[IndexSet<Pending>; 3]| {
            let places = || sets.iter().flatten().map(|pending| pending.place);
            let named = places().find(|place| place.symbol().is_some());
            named.or_else(|| places().next()).map(|place| Conflict {
                kind,
                earlier: place,
                later: place,
            })
        };
        first(ConflictKind::ReadAfterWrite, &self.writes)
            .or_else(|| first(ConflictKind::WriteAfterRead, &self.reads))
    }

    /// Adds accesses.
    pub fn add(&mut self, footprint: &Footprint, who: Who) {
        let add = |set: &mut IndexSet<Pending>, places: &[Place]| {
            for &place in places {
                let known = set.iter().filter(|pending| pending.place == place).count();
                let owners = footprint.owners.get(&place).cloned();
                let owners = owners.filter(|_| known < MOST_LOOPS);
                set.insert(Pending { place, owners });
            }
        };
        add(&mut self.reads[who as usize], &footprint.reads);
        add(&mut self.writes[who as usize], &footprint.writes);
    }

    /// Forgets which threads touched what where that depends on variables which have other values
    /// now.
    pub fn forget_owners(&mut self, changed: &IndexSet<SymbolId>) {
        if changed.is_empty() {
            return;
        }
        for set in self.reads.iter_mut().chain(&mut self.writes) {
            *set = std::mem::take(set)
                .into_iter()
                .map(|pending| pending.without(changed))
                .collect();
        }
    }

    /// Adds the accesses of another path.
    pub fn join(&mut self, other: &Self) {
        for kind in 0..3 {
            self.reads[kind].extend(other.reads[kind].iter().cloned());
            self.writes[kind].extend(other.writes[kind].iter().cloned());
        }
    }

    /// Forgets all but the given places: what iterations that are independent
    /// by the user's word can still have in common.
    pub fn retain(&mut self, keep: impl Fn(Place) -> bool) {
        for set in self.reads.iter_mut().chain(&mut self.writes) {
            set.retain(|pending| keep(pending.place));
        }
    }

    /// Whether everything here is in another state too.
    pub fn is_within(&self, other: &Self) -> bool {
        (0..3).all(|kind| {
            self.reads[kind].is_subset(&other.reads[kind])
                && self.writes[kind].is_subset(&other.writes[kind])
        })
    }
}
