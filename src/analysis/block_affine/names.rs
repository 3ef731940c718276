//! What the variables of a kernel's polynomials stand for.

use indexmap::{IndexMap, IndexSet};

use super::Atom;
use crate::analysis::polynomial::Polynomial;
use crate::typed::{IntegerKind, Type, TypeId, Unit};

/// The values that a number may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    pub low: Option<i128>,
    pub high: Option<i128>,
}

impl Interval {
    /// Any value.
    pub const ALL: Self = Self {
        low: None,
        high: None,
    };

    /// Any value that is not negative.
    pub const NATURAL: Self = Self {
        low: Some(0),
        high: None,
    };

    /// The values of an integer type; the limits of 128 bits are out of reach.
    pub fn of(unit: &Unit, ty: TypeId) -> Self {
        match unit.types.get(ty) {
            Type::Bool => Self::between(0, 1),
            Type::Integer(IntegerKind::Int128) => Self::ALL,
            Type::Integer(IntegerKind::UnsignedInt128) => Self::NATURAL,
            Type::Integer(kind) if kind.is_signed() => {
                let limit = 1i128 << (kind.size() * 8 - 1);
                Self::between(-limit, limit - 1)
            }
            Type::Integer(kind) => Self::between(0, (1i128 << (kind.size() * 8)) - 1),
            _ => Self::ALL,
        }
    }

    pub fn between(low: i128, high: i128) -> Self {
        Self {
            low: Some(low),
            high: Some(high),
        }
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
