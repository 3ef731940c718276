//! The lowest and highest element that accesses reach.
//!
//! An access is executed once for each point of its nest; loop variables are
//! lower bound plus or minus step times the iteration number k, 0 ≤ k ≤ K. From
//! the innermost loop outwards, k is replaced by its ends: the coefficient of k
//! is free of other iterations and its sign is known, so that one end gives the
//! lowest and the other the highest element, and both are reached. A loop whose
//! K depends on loops around runs only where 0 ≤ K, which bounds one of those
//! from below or above; with a coefficient of ±1 that loses no iteration and adds none
//! (Fourier and Motzkin). What remains is free of iterations: the conditions
//! ([`Hull::guards`]) under which the access is executed at all, and, if they
//! hold, its ends.
//!
//! ```c
//! for (j = 1; j < n; j++)            // 0 ≤ n − 2
//!     for (i = 0; i < j; i++)        // 0 ≤ j − 1, which j = 1 has
//!         a[j * n + i]               // n … (n − 1)·n + n − 2, for 0 ≤ n from 0 ≤ n − 2
//! ```

use std::collections::BTreeMap;

use crate::analysis::polynomial::{Polynomial, Term};

/// A loop around an access.
#[derive(Clone, Debug)]
pub struct Level {
    /// Its number: its iterations are [`Term::Iteration`] of it.
    pub number: usize,
    /// The last iteration.
    pub last: Polynomial,
    /// Not negative where it has an iteration.
    pub runs: Polynomial,
}

/// The elements between the first and the last that are accessed.
#[derive(Clone, Debug)]
pub struct Hull {
    /// All of them are at least 0 where anything is accessed.
    pub guards: Vec<Polynomial>,
    /// The first one.
    pub low: Polynomial,
    /// The last one.
    pub high: Polynomial,
}

/// Why there is no hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Some product of iterations, or numbers that are too large.
    NotAffine,
    /// Whether the subscript grows or falls is not known.
    Sign,
    /// Which iterations of a loop run those inside is not known.
    Shape,
}

/// The least values that variables have by their types.
pub type Least<'l> = &'l dyn Fn(Term) -> Option<i128>;

/// The hull of one access; `None` if it is never executed.
pub fn of(index: &Polynomial, levels: &[Level], least: Least<'_>) -> Result<Option<Hull>, Failure> {
    let rectangular = levels.iter().map(|level| level.runs.clone());
    let rectangular: Vec<Polynomial> = rectangular.filter(|p| p.iterations().is_empty()).collect();
    let facts = Facts::new(least, &rectangular);
    let mut hull = Hull {
        guards: Vec::new(),
        low: index.clone(),
        high: index.clone(),
    };
    for level in levels.iter().rev() {
        let (start, end) = hull.ends(level, &facts)?;
        let term = Term::Iteration(level.number);
        hull.low = extreme(&hull.low, term, (&start, &end), &facts)?;
        hull.high = extreme(&hull.high, term, (&end, &start), &facts)?;
        let is_narrowed = start != Polynomial::default() || end != level.last;
        if is_narrowed {
            let some = end.minus(&start).ok_or(Failure::NotAffine)?;
            hull.guards.push(some);
        }
        hull.guards.push(level.runs.clone());
    }
    if hull
        .guards
        .iter()
        .any(|guard| !guard.iterations().is_empty())
    {
        return Err(Failure::Shape);
    }
    if (hull.guards.iter()).any(|guard| guard.as_constant().is_some_and(|n| n < 0)) {
        return Ok(None);
    }
    hull.tidy(least);
    Ok(Some(hull))
}

impl Hull {
    /// The first and last iteration of a loop that runs those inside it; takes
    /// the guards that say so away.
    fn ends(
        &mut self,
        level: &Level,
        facts: &Facts<'_>,
    ) -> Result<(Polynomial, Polynomial), Failure> {
        let (mut start, mut end) = (Polynomial::default(), level.last.clone());
        let term = Term::Iteration(level.number);
        for guard in std::mem::take(&mut self.guards) {
            let (coefficient, rest) = split(&guard, term).ok_or(Failure::NotAffine)?;
            let from = negative(&rest);
            match coefficient.as_constant() {
                Some(0) => self.guards.push(guard),
                Some(1) => start = facts.larger(&start, &from.ok_or(Failure::NotAffine)?)?,
                Some(-1) => end = facts.smaller(&end, &rest)?,
                _ => return Err(Failure::Shape),
            }
        }
        Ok((start, end))
    }

    /// Whether it has all elements of another one wherever that has any.
    pub fn covers(&self, other: &Hull, least: Least<'_>) -> bool {
        let facts = Facts::new(least, &other.guards);
        let is_ordered = |low: &Polynomial, high: &Polynomial| {
            high.minus(low).is_some_and(|p| facts.is_not_negative(&p))
        };
        self.guards.iter().all(|guard| facts.is_not_negative(guard))
            && is_ordered(&self.low, &other.low)
            && is_ordered(&other.high, &self.high)
    }

    /// Whether all of its elements are among the first `length`, wherever it has any.
    pub fn is_within(&self, length: &Polynomial, least: Least<'_>) -> bool {
        let facts = Facts::new(least, &self.guards);
        let rest = length.minus(&self.high);
        let rest = rest.and_then(|rest| rest.minus(&Polynomial::constant(1)));
        facts.is_not_negative(&self.low) && rest.is_some_and(|p| facts.is_not_negative(&p))
    }

    /// The hull of two that are executed under the same conditions.
    pub fn joined(&self, other: &Hull, least: Least<'_>) -> Option<Hull> {
        let (own, others) = (
            Facts::new(least, &self.guards),
            Facts::new(least, &other.guards),
        );
        let same = other.guards.iter().all(|guard| own.is_not_negative(guard))
            && self
                .guards
                .iter()
                .all(|guard| others.is_not_negative(guard));
        if !same {
            return None;
        }
        Some(Hull {
            guards: self.guards.clone(),
            low: own.smaller(&self.low, &other.low).ok()?,
            high: own.larger(&self.high, &other.high).ok()?,
        })
    }

    /// Leaves out guards that hold by the others.
    fn tidy(&mut self, least: Least<'_>) {
        // The outermost first, as the loops are.
        self.guards.reverse();
        let mut position = 0;
        while position < self.guards.len() {
            let guard = self.guards.remove(position);
            if !Facts::new(least, &self.guards).is_not_negative(&guard) {
                self.guards.insert(position, guard);
                position += 1;
            }
        }
    }
}

/// A polynomial with `near` for an iteration number that it grows with, and
/// `far` for one that it falls with.
fn extreme(
    p: &Polynomial,
    term: Term,
    (near, far): (&Polynomial, &Polynomial),
    facts: &Facts<'_>,
) -> Result<Polynomial, Failure> {
    let (coefficient, rest) = split(p, term).ok_or(Failure::NotAffine)?;
    if !coefficient.iterations().is_empty() {
        return Err(Failure::NotAffine);
    }
    let falls = negative(&coefficient).is_some_and(|p| facts.is_not_negative(&p));
    let end = match (facts.is_not_negative(&coefficient), falls) {
        (true, _) => near,
        (_, true) => far,
        _ => return Err(Failure::Sign),
    };
    let moved = coefficient.times(end).and_then(|part| part.plus(&rest));
    moved.ok_or(Failure::NotAffine)
}

/// `coefficient · term + rest`; `None` if the variable occurs in a power.
fn split(p: &Polynomial, term: Term) -> Option<(Polynomial, Polynomial)> {
    let (mut coefficient, mut rest) = (Polynomial::default(), Polynomial::default());
    for (product, value) in p.terms() {
        let mut single = Polynomial::constant(value);
        let mut occurs = 0;
        for &factor in product {
            match factor == term {
                true => occurs += 1,
                false => single = single.times(&Polynomial::variable(factor))?,
            }
        }
        match occurs {
            0 => rest = rest.plus(&single)?,
            1 => coefficient = coefficient.plus(&single)?,
            _ => return None,
        }
    }
    Some((coefficient, rest))
}

fn negative(p: &Polynomial) -> Option<Polynomial> {
    p.times(&Polynomial::constant(-1))
}

/// Least values of variables, where some polynomials are not negative.
struct Facts<'l> {
    least: Least<'l>,
    given: &'l [Polynomial],
    learnt: BTreeMap<Term, i128>,
}

/// How often bounds are concluded from others.
const ROUNDS: usize = 3;

impl<'l> Facts<'l> {
    fn new(least: Least<'l>, guards: &'l [Polynomial]) -> Self {
        let mut facts = Self {
            least,
            given: guards,
            learnt: BTreeMap::new(),
        };
        for _ in 0..ROUNDS {
            for guard in guards {
                facts.learn(guard);
            }
        }
        facts
    }

    /// `0 ≤ c·t + rest` bounds t from below where rest is bounded from above.
    fn learn(&mut self, guard: &Polynomial) {
        for (product, value) in guard.terms() {
            let &[term] = product else { continue };
            let Some((coefficient, rest)) = split(guard, term) else {
                continue;
            };
            if value < 0 || coefficient.as_constant() != Some(value) {
                continue;
            }
            let bound = negative(&rest).and_then(|p| self.bound(&p));
            let Some(bound) = bound else { continue };
            let bound = bound.div_euclid(value) + i128::from(bound.rem_euclid(value) != 0);
            if self.of(term).is_none_or(|known| known < bound) {
                self.learnt.insert(term, bound);
            }
        }
    }

    fn of(&self, term: Term) -> Option<i128> {
        let learnt = self.learnt.get(&term).copied();
        learnt.or_else(|| (self.least)(term))
    }

    /// A number that a polynomial is never below: with each variable written as
    /// its least value and a rest that is not negative.
    fn bound(&self, p: &Polynomial) -> Option<i128> {
        let mut shifted = p.clone();
        let mut terms: Vec<Term> = p
            .terms()
            .flat_map(|(product, _)| product.to_vec())
            .collect();
        terms.sort_unstable();
        terms.dedup();
        for term in terms {
            let least = Polynomial::constant(self.of(term)?);
            shifted = shifted.substitute(term, &Polynomial::variable(term).plus(&least)?)?;
        }
        let mut constant = 0;
        for (product, value) in shifted.terms() {
            match product.is_empty() {
                true => constant = value,
                false if value < 0 => return None,
                false => {}
            }
        }
        Some(constant)
    }

    fn is_not_negative(&self, p: &Polynomial) -> bool {
        let is_more = |other: &Polynomial| {
            let more = p.minus(other).and_then(|p| p.as_constant());
            more.is_some_and(|more| more >= 0)
        };
        match p.as_constant() {
            Some(number) => number >= 0,
            None => self.given.iter().any(is_more) || self.bound(p).is_some_and(|bound| bound >= 0),
        }
    }

    fn larger(&self, a: &Polynomial, b: &Polynomial) -> Result<Polynomial, Failure> {
        let difference = a.minus(b).ok_or(Failure::NotAffine)?;
        if self.is_not_negative(&difference) {
            return Ok(a.clone());
        }
        let other = negative(&difference).ok_or(Failure::NotAffine)?;
        match self.is_not_negative(&other) {
            true => Ok(b.clone()),
            false => Err(Failure::Shape),
        }
    }

    fn smaller(&self, a: &Polynomial, b: &Polynomial) -> Result<Polynomial, Failure> {
        let larger = self.larger(a, b)?;
        Ok(if larger == *a { b.clone() } else { a.clone() })
    }
}
