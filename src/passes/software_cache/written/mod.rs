//! Which slots of a window a block writes, where no marks have to say it.
//!
//! ```c
//! // before: blocks of 16, a window of [17][17]
//! for (int step = 0; step < 31; step++) {
//!     const int i = row + lane, j = column + step - lane;
//!     if (j >= column && j < column + 16 && i <= rows && j <= columns) {
//!         score_window[lane + 1][step + 1 - lane] = …;
//!         score_written[lane + 1][step + 1 - lane] = 1;
//!     }
//!     barrier
//! }
//! // after: the write-back takes slots 1 to 16 of both dimensions where
//! row <= rows && column <= columns
//! ```
//!
//! The slot of a write is affine in the thread's indices and the rounds of the loops around it. Where
//! these follow from the slot, here `lane = y - 1` and `step = y + x - 2`, a slot is written exactly if
//! there are such a thread and such rounds, and if what the write stands under holds for them. All of
//! that is then put in terms of the slot:
//!
//! - What is a bound of one dimension's slots makes a box. It is compared in small numbers; what is one
//!   of several dimensions has to hold in all of the box.
//! - A thread has an iteration if the loop's own comparison says so, with the thread's index.
//! - Any other comparison has to be one of an index of the element with a variable that all threads
//!   have, where the program computes this index itself: then it is no other number in the copy of
//!   slots, which may stand for places that no array has.
//!
//! Several writes are known where one of them is to all slots of the others.
//!
//! Where moreover each read of a slot in the box is of one that was written in an earlier round of the
//! outermost loop, with a barrier between, these slots need not be fetched.

mod accesses;
mod conditions;
mod inverse;

use accesses::{Access, Walk};
use inverse::Inverted;

use super::region::Held;
use super::{Pass, footprint};
use crate::analysis::block_affine::{Atom, Piece};
use crate::analysis::exits::Exits;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::analysis::whole_tiles::has_whole_tiles;
use crate::ir::Statement;
use crate::ir::{Loop, Once, WindowRegion, WrittenPart};
use crate::typed::{SymbolId, synthesis};

impl<'u> Pass<'u> {
    /// The slots that the block writes in a region with this body, if they are known.
    pub(in crate::passes::software_cache) fn written_part(
        &mut self,
        held: &Held,
        region: &WindowRegion,
        body: &[Statement],
    ) -> Option<WrittenPart> {
        let is_alike = self.frame.convergent && !self.is_under_condition && !self.kernel.may_shrink;
        if !held.window.policy.write_back || !is_alike || !Exits::of(body).is_empty() {
            return None;
        }
        let mut whole_block = self.frame.whole_block();
        for (side, dimension) in held.sides.iter().zip(&held.window.dimensions) {
            side.extent.known()?;
            whole_block.exact_value(&dimension.pivot)?;
            self.unit.types.is_signed(side.ty).then_some(())?;
        }
        let kernel = self.kernel;
        let around = footprint::loops_around(&kernel.body, region)?;
        let tiles = self.partial_tiles(&around)?;
        let mut walk = Walk::new(held.window.array, &held.sides);
        walk.list(body, &mut self.frame.clone(), None)?;
        let int = synthesis::int(self.unit);
        let numbers: Vec<SymbolId> = (0..held.sides.len())
            .map(|depth| self.variable(&format!("number_{depth}"), int))
            .collect();
        let waits = held.window.policy.channel && !region.explicit;
        (walk.writes.iter()).find_map(|write| {
            let inverted = Inverted::new(write, &held.sides, &numbers)?;
            let others = walk.writes.iter().filter(|other| other.at != write.at);
            let mut others = others.map(|other| inverted.covers(other, &tiles, false));
            others
                .all(|is_covered| is_covered.is_some())
                .then_some(())?;
            let mut conditions = Vec::new();
            for (l, thread) in &tiles {
                let thread = inverted.of(*thread)?;
                conditions.push(self.has_iteration(l, thread, &inverted, &numbers)?);
            }
            for guard in &inverted.guards {
                conditions.push(self.comparison(guard, &inverted, held)?);
            }
            let comes_first = |read: &Access| {
                inverted.covers(read, &tiles, true)?;
                is_earlier(&inverted, (write, read), &walk, waits)
            };
            let mut reads = walk.reads.iter();
            let comes_first =
                held.window.policy.fetch && reads.all(|read| comes_first(read).is_some());
            let slots = inverted.slots.iter().map(|slots| {
                let end = |end: i128| u64::try_from(end).ok();
                Some(end(slots.start)?..end(slots.end)?)
            });
            Some(WrittenPart {
                slots: slots.collect::<Option<_>>()?,
                numbers: numbers.clone(),
                conditions,
                comes_first,
            })
        })
    }

    /// The loops of which a block may have a part of a tile, each with the thread's index.
    fn partial_tiles<'l>(&mut self, around: &[&'l Loop]) -> Option<Vec<(&'l Loop, Term)>> {
        let mut found = Vec::new();
        for l in around.iter().copied().filter(|l| l.threads() != [false; 3]) {
            let mut axes = (0..3).filter(|axis| l.threads()[*axis]);
            let (Some(axis), None, Some(_)) = (axes.next(), axes.next(), l.tile) else {
                return None;
            };
            let is_whole =
                l.once == Some(Once::Exactly) || has_whole_tiles(l, self.kernel, self.unit);
            if !is_whole && self.frame.block(axis) != Some(1) {
                found.push((l, self.frame.term(Atom::Thread(axis, Piece::Whole))));
            }
        }
        Some(found)
    }
}

/// That a slot which is read, and in the box, was written in an earlier round of the outermost
/// loop, and that all threads wait in between.
fn is_earlier(
    inverted: &Inverted,
    (write, read): (&Access, &Access),
    walk: &Walk,
    waits: bool,
) -> Option<()> {
    let outermost = write.loops.first()?;
    let is_same = read.loops.first()?.number == outermost.number;
    let is_between = |&(number, at): &(usize, usize)| number == outermost.number && at > write.at;
    let waits = waits || walk.barriers.iter().any(is_between);
    (is_same && waits).then_some(())?;
    let round = read.frame.clone().term(Atom::Round(outermost.induction));
    let slots = read.slots.as_ref()?;
    let written = inverted.at(inverted.of(round)?, slots)?;
    let goal = Polynomial::variable(round).minus(&written)?.moved(-1)?;
    let inside = inverted.inside(slots)?;
    read.frame.is_proved(&goal, &inside).then_some(())
}
