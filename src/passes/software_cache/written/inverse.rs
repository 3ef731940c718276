//! A write in terms of the slots that it is to.

use std::ops::Range;

use super::accesses::{Access, Guard};
use crate::analysis::block_affine::{Atom, Piece};
use crate::analysis::polynomial::{Polynomial, Term};
use crate::ir::Loop;
use crate::passes::software_cache::shape::Side;
use crate::typed::SymbolId;

/// A write of which threads and rounds follow from the slot.
pub struct Inverted {
    /// Threads and rounds, each in terms of the numbers of slots.
    pub of: Vec<(Term, Polynomial)>,
    /// What is not negative, besides, for slots that are written, in the same terms.
    pub guards: Vec<Guard>,
    pub slots: Vec<Range<i128>>,
    /// The terms for the numbers of slots, outermost first.
    pub numbers: Vec<Term>,
}

impl Inverted {
    /// A write in terms of its slots; `None` if several threads or rounds may write one.
    pub fn new(write: &Access, sides: &[Side], numbers: &[SymbolId]) -> Option<Inverted> {
        let slots = write.slots.as_ref()?;
        let mut frame = write.frame.clone();
        let mut unknown: Vec<(Term, i128)> = Vec::new();
        for axis in 0..3 {
            match frame.block(axis)? {
                1 => {}
                threads => {
                    unknown.push((frame.term(Atom::Thread(axis, Piece::Whole)), threads - 1))
                }
            }
        }
        for rounds in &write.loops {
            match rounds.last? {
                0 => {}
                last => unknown.push((frame.term(Atom::Round(rounds.induction)), last)),
            }
        }
        let mut inverted = Inverted {
            of: Vec::new(),
            guards: Vec::new(),
            slots: (sides.iter())
                .map(|side| Some(0..i128::from(side.extent.known()?)))
                .collect::<Option<_>>()?,
            numbers: numbers
                .iter()
                .map(|number| Term::Invariant(*number))
                .collect(),
        };
        let mut equal: Vec<Polynomial> = (slots.iter().zip(&inverted.numbers))
            .map(|(slot, number)| Polynomial::variable(*number).minus(slot))
            .collect::<Option<_>>()?;
        while !unknown.is_empty() {
            // `number - slot` is 0, and has one of them left.
            let (place, chosen, factor) = equal.iter().enumerate().find_map(|(place, rest)| {
                let mut left = unknown.iter().enumerate().filter_map(|(which, (term, _))| {
                    Some((which, rest.coefficient(*term)?)).filter(|(_, factor)| *factor != 0)
                });
                match (left.next(), left.next()) {
                    (Some((which, factor @ (1 | -1))), None) => Some((place, which, factor)),
                    _ => None,
                }
            })?;
            let (term, highest) = unknown.remove(chosen);
            let rest = equal.remove(place);
            let own = rest.minus(&Polynomial::variable(term).scaled(factor)?)?;
            let own = own.scaled(-factor)?;
            for other in &mut equal {
                *other = other.substitute(term, &own)?;
            }
            let limit = Polynomial::constant(highest).minus(&own)?;
            for value in [own.clone(), limit] {
                let computed = Vec::new();
                inverted.guards.push(Guard { value, computed });
            }
            inverted.of.push((term, own));
        }
        for rest in equal {
            for value in [rest.clone(), rest.scaled(-1)?] {
                let computed = Vec::new();
                inverted.guards.push(Guard { value, computed });
            }
        }
        for guard in &write.guards {
            let guard = guard.as_ref()?;
            let value = inverted.put(&guard.value)?;
            let put = |(value, bytes): &(Polynomial, u64)| Some((inverted.put(value)?, *bytes));
            let computed = guard.computed.iter().filter_map(put).collect();
            inverted.guards.push(Guard { value, computed });
        }
        let all = std::mem::take(&mut inverted.guards);
        let (of_slots, others): (Vec<Guard>, Vec<Guard>) = all
            .into_iter()
            .partition(|guard| inverted.is_of_slots(&guard.value));
        of_slots
            .iter()
            .for_each(|guard| inverted.narrow(&guard.value));
        inverted.guards = others;
        let is_empty = inverted.slots.iter().any(Range::is_empty);
        let hold = (of_slots.iter())
            .all(|guard| inverted.least(&guard.value).is_some_and(|least| least >= 0));
        (!is_empty && hold).then_some(inverted)
    }

    /// In terms of slots, or of what is in their place.
    fn put(&self, value: &Polynomial) -> Option<Polynomial> {
        (self.of.iter()).try_fold(value.clone(), |value, (term, of)| {
            value.substitute(*term, of)
        })
    }

    /// A value for these slots.
    pub fn at(&self, value: &Polynomial, slots: &[Polynomial]) -> Option<Polynomial> {
        (self.numbers.iter().zip(slots)).try_fold(value.clone(), |value, (term, slot)| {
            value.substitute(*term, slot)
        })
    }

    /// A thread or round in terms of slots.
    pub fn of(&self, term: Term) -> Option<&Polynomial> {
        let found = self.of.iter().find(|(own, _)| *own == term);
        found.map(|(_, value)| value)
    }

    /// That slots are in the box, of which these are not negative.
    pub fn inside(&self, slots: &[Polynomial]) -> Option<Vec<Polynomial>> {
        let mut found = Vec::new();
        for (slot, own) in slots.iter().zip(&self.slots) {
            found.push(slot.moved(-own.start)?);
            found.push(Polynomial::constant(own.end - 1).minus(slot)?);
        }
        Some(found)
    }

    /// That the slots of another access are written, or those of a read if they are in the box.
    pub fn covers(&self, other: &Access, tiles: &[(&Loop, Term)], is_read: bool) -> Option<()> {
        let slots = other.slots.as_ref()?;
        let frame = &other.frame;
        let inside = self.inside(slots)?;
        let is_inside = is_read || inside.iter().all(|goal| frame.is_proved(goal, &[]));
        is_inside.then_some(())?;
        for guard in &self.guards {
            let goal = self.at(&guard.value, slots)?;
            frame.is_proved(&goal, &inside).then_some(())?;
        }
        for (_, thread) in tiles {
            // Threads before one with an iteration have one.
            let writer = self.at(self.of(*thread)?, slots)?;
            let before = Polynomial::variable(*thread).minus(&writer)?;
            frame.is_proved(&before, &inside).then_some(())?;
        }
        Some(())
    }

    /// The least of a value in terms of slots alone, in the box.
    fn least(&self, value: &Polynomial) -> Option<i128> {
        (value.terms()).try_fold(0i128, |sum, (product, factor)| {
            let part = match product {
                [] => factor,
                [term] => {
                    let depth = self.numbers.iter().position(|own| own == term)?;
                    let slots = &self.slots[depth];
                    let end = if factor > 0 {
                        slots.start
                    } else {
                        slots.end - 1
                    };
                    end.checked_mul(factor)?
                }
                _ => return None,
            };
            sum.checked_add(part)
        })
    }

    /// Whether a value is one of slots alone.
    fn is_of_slots(&self, value: &Polynomial) -> bool {
        let mut terms = value.terms().flat_map(|(product, _)| product);
        terms.all(|term| self.numbers.contains(term))
    }

    /// Makes the box smaller by what has to be: `factor·slot + rest >= 0`.
    fn narrow(&mut self, value: &Polynomial) {
        let rest = value.coefficient_of(&[]);
        let mut terms = value.terms().filter(|(product, _)| !product.is_empty());
        let (Some(([term], factor)), None) = (terms.next(), terms.next()) else {
            return;
        };
        let Some(depth) = self.numbers.iter().position(|own| own == term) else {
            return;
        };
        let slots = &mut self.slots[depth];
        match factor > 0 {
            true => slots.start = slots.start.max(-rest.div_euclid(factor)),
            false => slots.end = slots.end.min(rest.div_euclid(-factor) + 1),
        }
    }
}
