//! Which accesses of other threads may still be under way.

use indexmap::IndexSet;

use crate::analysis::effects::{Effects, Place};
use crate::analysis::scope::Scope;

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
        }
    }
}

/// The accesses since the last barrier.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// By one thread, by all, by each.
    reads: [IndexSet<Place>; 3],
    writes: [IndexSet<Place>; 3],
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
    /// places that may be the same.
    pub fn conflict(&self, next: &Footprint, who: Who, scope: &Scope) -> Option<Conflict> {
        use ConflictKind::*;
        // What the same single thread did is in order.
        let skip = usize::from(who == Who::One);
        let meet = |is_same: &dyn Fn(Place, Place) -> bool| {
            let find = |kind, sets: &[IndexSet<Place>; 3], later: Place| {
                let mut earlier = sets[skip..].iter().flatten().copied();
                let earlier = earlier.find(|&earlier| is_same(earlier, later))?;
                Some(Conflict {
                    kind,
                    earlier,
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
        meet(&|a, b| a == b).or_else(|| meet(&|a, b| scope.may_alias(a, b)))
    }

    /// Adds accesses.
    pub fn add(&mut self, footprint: &Footprint, who: Who) {
        self.reads[who as usize].extend(&footprint.reads);
        self.writes[who as usize].extend(&footprint.writes);
    }

    /// Adds the accesses of another path.
    pub fn join(&mut self, other: &Self) {
        for kind in 0..3 {
            self.reads[kind].extend(&other.reads[kind]);
            self.writes[kind].extend(&other.writes[kind]);
        }
    }

    /// Forgets all but the given places: what iterations that are independent
    /// by the user's word can still have in common.
    pub fn retain(&mut self, keep: impl Fn(Place) -> bool) {
        for set in self.reads.iter_mut().chain(&mut self.writes) {
            set.retain(|&place| keep(place));
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
