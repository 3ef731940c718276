//! Whether two threads of a block can touch one slot.
//!
//! ```text
//! s[i - i_first]     slot t              own: no other thread has it
//! s[row - row_base]  slot t              own, whatever `row` was computed from
//! s[i / 32 * 33 + i % 32]                own: 33·q + r, where r < 33
//! s[i + half], s[i] where t < half       t + half and t' never meet
//! ```

use super::{Atom, Frame, Interval, Piece, Polynomial, Term};
use crate::analysis::polynomial::gcd;
use crate::ir::limits;
use crate::typed::Expression;

/// Where an access goes.
#[derive(Clone, Debug)]
pub struct Slots {
    /// An index for each dimension.
    indices: Vec<Polynomial>,
    /// The indices as numbers, and not only modulo their width.
    is_exact: bool,
    /// What is not negative in the thread that makes the access.
    facts: Vec<Polynomial>,
}

/// Why two threads do not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// A slot has one thread.
    Own,
    /// Their slots lie in different places.
    Elsewhere,
}

/// What one index of two accesses has in common.
struct Distance {
    /// By how much the two threads differ in an atom, times a number.
    parts: Vec<(Term, i128)>,
    /// What divides all else: 0 if there is nothing else.
    rest: i128,
}

impl Frame<'_> {
    /// Where an access with these indices goes, if that is known.
    pub fn slots(&mut self, indices: &[&Expression]) -> Option<Slots> {
        let mut slots = Slots {
            indices: Vec::new(),
            is_exact: true,
            facts: Vec::new(),
        };
        for e in indices {
            let index = self.value(e).ok()?;
            slots.indices.push(self.in_whole_tiles(&index)?);
            slots.is_exact &= self.is_exact(e);
        }
        slots.facts.clone_from(&self.known);
        Some(slots)
    }

    /// The slots of a window in the shape of the block, of which each thread
    /// has its own; the axes by dimension, outermost first.
    pub fn own_slots(&mut self, axes: &[usize]) -> Slots {
        let thread = |axis: &usize| self.term(Atom::Thread(*axis, Piece::Whole));
        let indices = axes.iter().map(thread).map(Polynomial::variable).collect();
        Slots {
            indices,
            is_exact: true,
            facts: Vec::new(),
        }
    }

    /// The slots of a window that the threads along one axis take in turn, of
    /// which each thread has one in as many as there are threads.
    pub fn every_so_many(&mut self, axis: usize) -> Option<Slots> {
        let threads = self.block(axis)?;
        let turn = self.fresh(Interval::between(0, i128::from(u32::MAX)));
        let slots = self.own_slots(&[axis]);
        let mut indices = slots.indices.iter();
        let index = indices.next()?.plus(&turn.scaled(threads)?)?;
        Some(Slots {
            indices: vec![index],
            ..slots
        })
    }

    /// The elements behind [`Self::own_slots`] of a window that begins at these
    /// indices, if they are known.
    pub fn own_elements(&mut self, bases: &[&Expression], axes: &[usize]) -> Option<Slots> {
        let mut slots = self.slots(bases)?;
        let threads = self.own_slots(axes);
        for (index, thread) in slots.indices.iter_mut().zip(&threads.indices) {
            *index = index.plus(thread)?;
        }
        Some(slots)
    }

    /// Why two accesses by different threads never go to one slot, if so. At
    /// the same time, what all threads have alike is the same for both.
    pub fn apart(&self, a: &Slots, b: &Slots, same_time: bool) -> Option<Apart> {
        let elsewhere = |value: &Polynomial| self.elsewhere(value, same_time);
        let there: Option<Vec<Polynomial>> = b.indices.iter().map(elsewhere).collect();
        let facts: Option<Vec<Polynomial>> = b.facts.iter().map(elsewhere).collect();
        let (there, mut facts) = (there?, facts?);
        if a.indices.len() != there.len() {
            return None;
        }
        facts.extend(a.facts.iter().cloned());
        let distances: Option<Vec<Polynomial>> = (a.indices.iter().zip(&there))
            .map(|(here, there)| here.minus(there))
            .collect();
        let distances = distances?;
        let is_exact = a.is_exact && b.is_exact;
        if self.is_one_thread(&distances, is_exact) {
            return Some(Apart::Own);
        }
        let differ = |d: &Polynomial| self.is_never_zero(d, &facts);
        (is_exact && distances.iter().any(differ)).then_some(Apart::Elsewhere)
    }

    fn is_never_zero(&self, distance: &Polynomial, facts: &[Polynomial]) -> bool {
        let one = Polynomial::constant(1);
        let above = distance.minus(&one);
        let below = distance.scaled(-1).and_then(|d| d.minus(&one));
        let apart = |goal: Polynomial| self.is_proved(&goal, facts);
        above.is_some_and(apart) || below.is_some_and(apart) || is_no_multiple(distance)
    }

    /// Whether distances are all zero only if the threads are one.
    fn is_one_thread(&self, distances: &[Polynomial], is_exact: bool) -> bool {
        let mut distances: Vec<Distance> = distances.iter().map(|d| self.distance(d)).collect();
        if !is_exact {
            // Where numbers wrap around, multiples of powers of two stay such.
            (distances.iter_mut()).for_each(|distance| distance.rest &= -distance.rest);
        }
        let mut zero: Vec<Term> = Vec::new();
        loop {
            let known = zero.len();
            for distance in &distances {
                let mut open = distance.parts.clone();
                open.retain(|(term, _)| !zero.contains(term));
                if self.is_mixed_radix(&mut open, distance.rest) {
                    zero.extend(open.into_iter().map(|(term, _)| term));
                }
            }
            if zero.len() == known {
                break;
            }
        }
        let atoms: Vec<Atom> = zero.iter().filter_map(|&term| self.atom_of(term)).collect();
        (0..3).all(|axis| {
            self.block(axis) == Some(1)
                || atoms.iter().any(|&atom| match atom {
                    Atom::Thread(of, Piece::Whole) => of == axis,
                    Atom::Thread(of, Piece::Quotient(by)) => {
                        of == axis && atoms.contains(&Atom::Thread(axis, Piece::Remainder(by)))
                    }
                    _ => false,
                })
        })
    }

    fn atom_of(&self, term: Term) -> Option<Atom> {
        match term {
            Term::Iteration(number) => self.atom(number),
            _ => None,
        }
    }

    /// Whether a sum of these and a multiple of `rest` is zero only if each of
    /// them is: each coefficient is larger than all that the smaller ones
    /// reach.
    fn is_mixed_radix(&self, parts: &mut [(Term, i128)], rest: i128) -> bool {
        parts.sort_by_key(|(_, coefficient)| coefficient.abs());
        let mut reach = 0i128;
        for (term, coefficient) in parts.iter() {
            if coefficient.abs() <= reach {
                return false;
            }
            let highest = self.atom_of(*term).and_then(|atom| self.highest(atom));
            let highest = highest.unwrap_or(i128::from(limits::THREADS) - 1);
            reach = reach.saturating_add(coefficient.abs().saturating_mul(highest));
        }
        // Far from where indices wrap around.
        reach < 1 << 30 && (rest == 0 || reach < rest)
    }

    /// Pairs what is here with what is there.
    fn distance(&self, value: &Polynomial) -> Distance {
        let mut distance = Distance {
            parts: Vec::new(),
            rest: 0,
        };
        for (product, coefficient) in value.terms() {
            let [Term::Iteration(number)] = product else {
                distance.rest = gcd(distance.rest, coefficient);
                continue;
            };
            let (term, is_here) = match self.atom(*number) {
                Some(Atom::Elsewhere(term)) => (term, false),
                _ => (Term::Iteration(*number), true),
            };
            let is_thread = matches!(self.atom_of(term), Some(Atom::Thread(..)));
            let number = self.names.borrow_mut().number(Atom::Elsewhere(term));
            let here = value.coefficient(term);
            let there = value.coefficient(Term::Iteration(number));
            let is_pair = here.zip(there).is_some_and(|(here, there)| here == -there);
            if !is_thread || !is_pair {
                distance.rest = gcd(distance.rest, coefficient);
            } else if is_here {
                distance.parts.push((term, coefficient));
            }
        }
        distance
    }

    /// A value as another thread has it.
    fn elsewhere(&self, value: &Polynomial, same_time: bool) -> Option<Polynomial> {
        let mut terms: Vec<Term> = value
            .terms()
            .flat_map(|(product, _)| product)
            .copied()
            .collect();
        terms.sort_unstable();
        terms.dedup();
        let mut result = value.clone();
        for term in terms {
            let is_same = match term {
                Term::Iteration(_) => false,
                Term::Invariant(symbol) => same_time || self.facts.is_given(symbol),
                Term::Opaque(_) => same_time,
            };
            if !is_same {
                let number = self.names.borrow_mut().number(Atom::Elsewhere(term));
                result = result.substitute(term, &Polynomial::variable(Term::Iteration(number)))?;
            }
        }
        Some(result)
    }
}

/// Whether a sum is never zero since what divides all but its constant does
/// not divide that.
fn is_no_multiple(value: &Polynomial) -> bool {
    let mut divisor = 0;
    let mut constant = 0;
    for (product, coefficient) in value.terms() {
        if product.is_empty() {
            constant = coefficient;
        } else {
            divisor = gcd(divisor, coefficient);
        }
    }
    divisor != 0 && constant % divisor != 0
}
