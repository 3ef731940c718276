//! Which lanes of a warp take part in an access: the conditions that it stands
//! under, in numbers.

use super::lanes::ALL;
use super::offset::known_factor;
use super::{Gap, Nest, Reference, Threads, Values};
use crate::analysis::condition::Condition;
use crate::analysis::polynomial::{Polynomial, Term};

/// A comparison of loops' iterations.
pub(super) struct Atom {
    constant: i128,
    /// Loops and how often their iteration counts.
    factors: Vec<(usize, i128)>,
    /// Whether the sum is to be 0; otherwise 0 or more.
    is_zero: bool,
}

impl Atom {
    pub(super) fn loops(&self) -> impl Iterator<Item = usize> + '_ {
        self.factors.iter().map(|(number, _)| *number)
    }

    /// What a loop's iteration adds to the sum.
    pub(super) fn part(&self, number: usize, iteration: i128) -> i128 {
        let factor = self.factors.iter().find(|(own, _)| *own == number);
        factor.map_or(0, |(_, factor)| factor.wrapping_mul(iteration))
    }

    /// Whether the comparison holds, given the sum of all parts.
    pub(super) fn holds(&self, parts: i128) -> bool {
        let sum = self.constant.wrapping_add(parts);
        if self.is_zero { sum == 0 } else { sum >= 0 }
    }
}

enum Formula {
    Unknown,
    Atom(usize),
    Not(Box<Formula>),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

/// The conditions of an access.
pub(super) struct Guard {
    /// The comparisons in them.
    pub(super) atoms: Vec<Atom>,
    formula: Formula,
    /// Highest numbers of iterations, if known.
    pub(super) trips: Vec<Option<i128>>,
    /// What else decides which lanes take part.
    pub(super) gap: Option<Gap>,
}

impl Guard {
    /// With nothing known of how long loops are, and no conditions.
    pub(super) fn endless(nest: &Nest) -> Self {
        Self {
            atoms: Vec::new(),
            formula: Formula::All(Vec::new()),
            trips: vec![None; nest.loops.len()],
            gap: None,
        }
    }

    pub(super) fn new(
        reference: &Reference,
        nest: &Nest,
        threads: &Threads,
        values: &Values,
    ) -> Self {
        let mut guard = Self::endless(nest);
        let mut all = Vec::new();
        for &number in &reference.within {
            let Some(trips) = &nest.trips[number] else {
                guard.gap = Some(Gap::Condition);
                continue;
            };
            let Some(most) = guard.most(trips, values) else {
                guard.lacks(trips, values);
                continue;
            };
            guard.trips[number] = Some(most);
            // Threads that have no iteration in the last round.
            let sharing = threads.sharing(number);
            if trips.iterations().is_empty() && most % sharing == 0 {
                continue;
            }
            let last = trips.moved(-1);
            let left =
                last.and_then(|last| last.minus(&Polynomial::variable(Term::Iteration(number))));
            if let Some(left) = left {
                all.push(guard.formula(&Condition::NotNegative(left), values));
            }
        }
        for condition in &reference.conditions {
            all.push(guard.formula(condition, values));
        }
        guard.formula = Formula::All(all);
        guard
    }

    /// The highest value of a number of iterations that depends on outer loops.
    fn most(&self, trips: &Polynomial, values: &Values) -> Option<i128> {
        let (constant, factors) = numbers(trips, values)?;
        let most = factors.iter().try_fold(constant, |sum, (number, factor)| {
            let last = self.trips.get(*number).copied().flatten()? - 1;
            sum.checked_add(factor.max(&0).checked_mul(last)?)
        });
        most.map(|most| most.max(0))
    }

    fn formula(&mut self, condition: &Condition, values: &Values) -> Formula {
        let mut list = |list: &[Condition]| -> Vec<Formula> {
            list.iter().map(|one| self.formula(one, values)).collect()
        };
        match condition {
            Condition::All(inner) => Formula::All(list(inner)),
            Condition::Any(inner) => Formula::Any(list(inner)),
            Condition::Not(inner) => Formula::Not(Box::new(self.formula(inner, values))),
            Condition::NotNegative(value) => self.atom(value, false, values),
            Condition::Zero(value) => self.atom(value, true, values),
            Condition::Unknown => {
                self.gap = Some(Gap::Condition);
                Formula::Unknown
            }
        }
    }

    fn atom(&mut self, value: &Polynomial, is_zero: bool, values: &Values) -> Formula {
        let Some((constant, factors)) = numbers(value, values) else {
            self.lacks(value, values);
            return Formula::Unknown;
        };
        self.atoms.push(Atom {
            constant,
            factors,
            is_zero,
        });
        Formula::Atom(self.atoms.len() - 1)
    }

    /// Notes that a polynomial is no number.
    fn lacks(&mut self, value: &Polynomial, values: &Values) {
        self.gap = self.gap.into_iter().chain([gap(value, values)]).min();
    }

    /// The lanes that take part, given for each comparison those for which it
    /// holds. What is not known is taken to hold.
    pub(super) fn active(&self, masks: &[u32]) -> u32 {
        evaluate(&self.formula, masks).1
    }
}

/// The lanes for which a formula holds surely, and perhaps.
fn evaluate(formula: &Formula, masks: &[u32]) -> (u32, u32) {
    match formula {
        Formula::Unknown => (0, ALL),
        Formula::Atom(number) => (masks[*number], masks[*number]),
        Formula::Not(inner) => {
            let (surely, perhaps) = evaluate(inner, masks);
            (!perhaps, !surely)
        }
        Formula::All(list) => list.iter().fold((ALL, ALL), |sum, one| {
            let (surely, perhaps) = evaluate(one, masks);
            (sum.0 & surely, sum.1 & perhaps)
        }),
        Formula::Any(list) => list.iter().fold((0, 0), |sum, one| {
            let (surely, perhaps) = evaluate(one, masks);
            (sum.0 | surely, sum.1 | perhaps)
        }),
    }
}

/// Why a polynomial is not known as a number and factors of loops' iterations.
pub fn gap(value: &Polynomial, values: &Values) -> Gap {
    let mut terms = value.terms().flat_map(|(product, _)| product);
    match terms.any(|term| matches!(term, Term::Invariant(symbol) if values(*symbol).is_none())) {
        true => Gap::Size,
        false => Gap::Condition,
    }
}

/// A polynomial as a number and factors of loops' iterations.
pub fn numbers(value: &Polynomial, values: &Values) -> Option<(i128, Vec<(usize, i128)>)> {
    let (mut constant, mut factors) = (0_i128, Vec::<(usize, i128)>::new());
    for (product, coefficient) in value.terms() {
        let factor = known_factor(product, values)?.checked_mul(coefficient)?;
        let mut loops = product.iter().filter_map(|term| match term {
            Term::Iteration(number) => Some(*number),
            Term::Invariant(_) | Term::Opaque(_) => None,
        });
        match (loops.next(), loops.next()) {
            (None, _) => constant = constant.checked_add(factor)?,
            (Some(number), None) => match factors.iter_mut().find(|(own, _)| *own == number) {
                Some((_, sum)) => *sum = sum.checked_add(factor)?,
                None => factors.push((number, factor)),
            },
            (Some(_), Some(_)) => return None,
        }
    }
    Some((constant, factors))
}
