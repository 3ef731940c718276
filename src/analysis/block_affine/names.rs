//! What the variables of a kernel's polynomials stand for.

use indexmap::{IndexMap, IndexSet};

use super::Atom;
use crate::analysis::interval::Interval;
use crate::analysis::polynomial::Polynomial;
use crate::typed::{IntegerKind, Type, TypeId, Unit};

/// The values of an integer type; the limits of 128 bits are out of reach.
pub(super) fn values_of(unit: &Unit, ty: TypeId) -> Interval {
    match unit.types.get(ty) {
        Type::Bool => Interval::between(0, 1),
        Type::Integer(IntegerKind::Int128) => Interval::ALL,
        Type::Integer(IntegerKind::UnsignedInt128) => Interval::NATURAL,
        Type::Integer(kind) if kind.is_signed() => {
            let limit = 1i128 << (kind.size() * 8 - 1);
            Interval::between(-limit, limit - 1)
        }
        Type::Integer(kind) => Interval::between(0, (1i128 << (kind.size() * 8)) - 1),
        _ => Interval::ALL,
    }
}

/// The variables so far. All frames of a kernel share them, so that their
/// polynomials can be compared.
#[derive(Debug, Default)]
pub(super) struct Names {
    atoms: IndexSet<Atom>,
    /// Values that are no polynomials, as text.
    opaques: IndexMap<String, Interval>,
    /// Of [`Atom::Unknown`].
    unknowns: Vec<Interval>,
    /// What follows from the names themselves, not negative.
    pub facts: Vec<Polynomial>,
}

impl Names {
    /// The number of an atom.
    pub fn number(&mut self, atom: Atom) -> usize {
        self.atoms.insert_full(atom).0
    }

    pub fn atom(&self, number: usize) -> Option<Atom> {
        self.atoms.get_index(number).copied()
    }

    /// The number of a value that is the same in all threads, and whether it
    /// is new.
    pub fn opaque(&mut self, text: String, interval: Interval) -> (usize, bool) {
        let entry = self.opaques.entry(text);
        let is_new = matches!(entry, indexmap::map::Entry::Vacant(_));
        let number = entry.index();
        entry.or_insert(interval);
        (number, is_new)
    }

    pub fn opaque_interval(&self, number: usize) -> Interval {
        let found = self.opaques.get_index(number);
        found.map_or(Interval::ALL, |(_, interval)| *interval)
    }

    /// A value of its own.
    pub fn unknown(&mut self, interval: Interval) -> Atom {
        self.unknowns.push(interval);
        Atom::Unknown(self.unknowns.len() - 1)
    }

    pub fn unknown_interval(&self, number: usize) -> Interval {
        self.unknowns.get(number).copied().unwrap_or(Interval::ALL)
    }
}
