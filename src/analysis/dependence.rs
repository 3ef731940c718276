//! Dependence tests between two subscripts.
//!
//! Question: can two *different* iterations of a loop touch the same element?
//! Each dimension of the array, or all of them in one where a subscript may lead
//! into the next row, gives one equation
//!
//! ```text
//! f(k, x) = g(k', y)        k ≠ k'
//! ```
//!
//! where `k`, `k'` are two iterations of the loop (from 0) and `x`, `y` the
//! iterations of the loops inside it. One equation without a solution proves
//! independence. The tests, cheapest first: ZIV, GCD, the SIV tests (strong,
//! weak-zero, weak-crossing), and Banerjee's bounds under `k < k'` and `k >
//! k'` (Goff, Kennedy, Tseng, "Practical dependence testing", PLDI 1991;
//! Banerjee, "Dependence analysis for supercomputing", 1988).

#[cfg(test)]
mod tests;

use super::bounds::{self, Assumed};
use super::interval::Interval;
use super::polynomial::{Polynomial, Term, gcd};
use super::subscripts::{Subscript, bytes};

/// The loops that a pair of subscripts mentions.
#[derive(Clone, Debug, Default)]
pub struct Nest {
    /// The loop that is to be parallel: its number in [`Term::Iteration`].
    pub tested: usize,
    /// Highest iteration of each loop by number: its trip count less one.
    pub last: Vec<Option<Polynomial>>,
}

impl Nest {
    /// The highest iteration of the tested loop, if it is a number.
    pub fn known_last(&self) -> Option<i128> {
        self.last.get(self.tested)?.as_ref()?.as_constant()
    }

    /// The same, or the one that loops are taken to reach.
    pub fn usual_last(&self) -> i128 {
        self.known_last().unwrap_or(USUAL_LAST)
    }
}

/// What the tests found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No two different iterations touch the same element.
    Independent,
    /// They may. Where the distance `k' − k` is known, it is given.
    Dependent(Option<i128>),
}

/// Compares the steps to two objects behind the same array or pointer.
///
/// Rows do not overlap: where a step is proved to stay in its row, it and the
/// rows are compared each for itself. Where it is not, both are one distance in
/// bytes. Steps that are not into the same type on both sides, such as those to
/// members of a union, tell nothing.
pub fn test(f: &[Subscript], g: &[Subscript], nest: &Nest) -> Answer {
    test_assuming(f, g, nest, &mut Assumed::nothing())
}

/// The same where rows are as long as may be assumed.
pub fn test_assuming(
    f: &[Subscript],
    g: &[Subscript],
    nest: &Nest,
    assumed: &mut Assumed<'_>,
) -> Answer {
    let mut distance = None;
    for (f, g) in dimensions(f, g, nest, assumed) {
        for (f, g) in delinearise(&f, &g, nest, assumed) {
            match Equation::new(&f, &g, nest).map(|equation| equation.solve()) {
                Some(Answer::Independent) => return Answer::Independent,
                Some(Answer::Dependent(Some(found))) => {
                    if distance.is_some_and(|known| known != found) {
                        return Answer::Independent;
                    }
                    distance = Some(found);
                }
                _ => {}
            }
        }
    }
    Answer::Dependent(distance)
}

/// A dependence that is there for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// Between iterations so far apart: `k' − k`.
    Distance(i128),
    /// Between the first iteration and all others.
    First,
    /// Between iterations that are as far from the middle as one another.
    Crossing,
    /// Between iterations of which this is the later one, where the subscripts have different steps.
    Uneven(i128),
    /// Between some iterations that touch the same element; this is the latest one that is needed.
    Several(i128),
    /// Between all iterations: the element is the same.
    All,
}

impl Carried {
    /// How many iterations a loop has at least that has it.
    pub fn iterations(self) -> i128 {
        1 + match self {
            Self::Distance(distance) => distance.saturating_abs(),
            Self::Uneven(later) | Self::Several(later) => later,
            Self::First | Self::Crossing | Self::All => 1,
        }
    }
}

/// The iteration that loops are taken to reach whose trip counts are not known.
const USUAL_LAST: i128 = 7;

/// The dependence that two accesses to the same array, which every iteration makes, have for
/// certain in different iterations of the tested loop. Where its trip count is not known it is
/// taken to have eight iterations, which few loops lack ([`Carried::iterations`]), those of loops inside
/// to run.
///
/// Loops inside are where they are in both iterations: what subscripts have of them is equal on both
/// sides. Only dimensions without the tested loop may have them elsewhere ([`meet`]).
pub fn proved(f: &[Subscript], g: &[Subscript], nest: &Nest) -> Option<Carried> {
    if f.is_empty() || f.len() != g.len() {
        return None;
    }
    let mut pairs = Vec::new();
    for (f, g) in f.iter().zip(g) {
        if f.of != g.of || f.unit != g.unit {
            return None;
        }
        pairs.extend(parts(f.value.as_ref()?, g.value.as_ref()?, nest));
    }
    let mut found = Carried::All;
    let mut compared = None;
    for (number, (f, g)) in pairs.iter().enumerate() {
        let one = match carried(f, g, nest) {
            None if is_apart(number, &pairs, nest) && meet(f, g, nest) => Carried::All,
            one => one?,
        };
        found = match (found, one) {
            (any, Carried::All) => any,
            (Carried::All, any) => {
                compared = Some((f, g));
                any
            }
            (Carried::Distance(known), Carried::Distance(one)) if known == one => found,
            // Iterations that meet in one dimension may not do so in another one.
            (known, _) if compared == Some((f, g)) => known,
            _ => return None,
        };
    }
    (found.iterations() <= nest.usual_last().saturating_add(1)).then_some(found)
}

/// Takes linearised subscripts apart where that may prove a dependence: they are equal where their
/// parts are, whatever values these have.
fn parts(f: &Polynomial, g: &Polynomial, nest: &Nest) -> Vec<(Polynomial, Polynomial)> {
    let whole = || vec![(f.clone(), g.clone())];
    if carried(f, g, nest).is_some() {
        return whole();
    }
    if let Some(stride) = f.strides().first()
        && let Some(((fq, fr), (gq, gr))) = f.divide(stride).zip(g.divide(stride))
    {
        let mut pairs = parts(&fq, &gq, nest);
        pairs.push((fr, gr));
        return pairs;
    }
    let of_rows = || {
        let length = f.coefficient(Term::Iteration(nest.tested))?.abs();
        let start = constant_part(f)?;
        let f = f.moved(-start)?.divide_by_number(length)?;
        let g = g.moved(-start)?.divide_by_number(length)?;
        Some(vec![(f.0, g.0), (f.1, g.1)])
    };
    of_rows().unwrap_or_else(whole)
}

/// Whether a dimension has neither the tested loop nor one that others have, too.
fn is_apart(number: usize, pairs: &[(Polynomial, Polynomial)], nest: &Nest) -> bool {
    let of = |(f, g): &(Polynomial, Polynomial)| [f.iterations(), g.iterations()].concat();
    let own = of(&pairs[number]);
    let others = (0..pairs.len()).filter(|other| *other != number);
    !own.contains(&nest.tested)
        && !others
            .flat_map(|other| of(&pairs[other]))
            .any(|other| own.contains(&other))
}

/// The same of one dimension, loops inside being where they are.
fn carried(f: &Polynomial, g: &Polynomial, nest: &Nest) -> Option<Carried> {
    let term = Term::Iteration(nest.tested);
    let ((a, f), (b, g)) = (linear(f, term)?, linear(g, term)?);
    let rest = f.minus(&g)?;
    let is_fixed = [&a, &b, &rest].iter().all(|e| e.iterations().is_empty());
    if !is_fixed {
        return None;
    }
    let zero = Polynomial::default();
    match (a == zero, b == zero) {
        (true, true) => (rest == zero).then_some(Carried::All),
        (true, false) | (false, true) => (rest == zero).then_some(Carried::First),
        _ if a == b => {
            let distance = quotient(&rest, &a)?;
            (distance != 0).then_some(Carried::Distance(distance))
        }
        _ if a.plus(&b)? == zero => crosses(&rest, &b, nest).then_some(Carried::Crossing),
        _ => uneven([a, b, rest].map(|e| e.as_constant()), nest),
    }
}

/// The earliest iterations with `a·k + rest = b·k'` and `k ≠ k'`.
fn uneven(numbers: [Option<i128>; 3], nest: &Nest) -> Option<Carried> {
    const MOST: i128 = 1000;
    let [Some(a), Some(b), Some(rest)] = numbers else {
        return None;
    };
    let last = match nest.known_last() {
        Some(last) => last.min(MOST),
        // Halves of a loop that meet in the middle have as many iterations as keeps them apart.
        None if a.signum() != b.signum() => return None,
        None => USUAL_LAST,
    };
    let is_before = |product: Option<i128>, factor: i128, later: i128| {
        let product = product.filter(|product| product.checked_rem(factor) == Some(0));
        product.is_some_and(|product| (0..later).contains(&(product / factor)))
    };
    let meets = |later: &i128| {
        let f = a.checked_mul(*later).and_then(|f| f.checked_add(rest));
        let g = b.checked_mul(*later).and_then(|g| g.checked_sub(rest));
        is_before(f, b, *later) || is_before(g, a, *later)
    };
    (1..=last).find(meets).map(Carried::Uneven)
}

/// What a variable is multiplied with, and the rest, unless it is multiplied with itself.
fn linear(e: &Polynomial, term: Term) -> Option<(Polynomial, Polynomial)> {
    let is_linear = |product: &[Term]| product.iter().filter(|own| **own == term).count() < 2;
    if !e.terms().all(|(product, _)| is_linear(product)) {
        return None;
    }
    let rest = e.substitute(term, &Polynomial::default())?;
    let factor = e.substitute(term, &Polynomial::constant(1))?.minus(&rest)?;
    Some((factor, rest))
}

/// The number that one polynomial is another one times.
fn quotient(e: &Polynomial, by: &Polynomial) -> Option<i128> {
    let (product, factor) = by.terms().next()?;
    let same = e.terms().find(|(own, _)| *own == product);
    let value = same.map_or(0, |(_, value)| value);
    let quotient = value.checked_div(factor)?;
    (by.scaled(quotient)? == *e).then_some(quotient)
}

/// Whether two different iterations have the sum `rest / b`.
fn crosses(rest: &Polynomial, b: &Polynomial, nest: &Nest) -> bool {
    let last = nest.last.get(nest.tested).and_then(Option::as_ref);
    let Some(last) = last else { return false };
    let numbers = || {
        let sum = quotient(rest, b)?;
        let last = last.as_constant()?;
        Some((1..2 * last).contains(&sum))
    };
    // The first and the last one.
    let is_last = || Some(last.times(b)? == *rest);
    numbers().or_else(is_last).unwrap_or(false)
}

/// Whether some iterations of loops inside make two subscripts equal: one is what the other one is in
/// the next iteration, or both take all values between their ends, and these have one in common.
fn meet(f: &Polynomial, g: &Polynomial, nest: &Nest) -> bool {
    // As far as the next iteration of one loop inside.
    if let ([only], [other]) = (&f.iterations()[..], &g.iterations()[..])
        && only == other
        && nest.last.get(*only).is_some_and(|last| {
            last.as_ref()
                .is_none_or(|last| last.as_constant().is_none())
        })
        && let Some(distance) = f.minus(g).and_then(|rest| rest.as_constant())
    {
        let factor = f.coefficient(Term::Iteration(*only));
        return factor.is_some_and(|factor| factor.abs() == distance.abs());
    }
    let takes_all = |e: &Polynomial| match e.iterations()[..] {
        [] => true,
        [only] => e
            .coefficient(Term::Iteration(only))
            .is_some_and(|c| c.abs() == 1),
        _ => false,
    };
    let ends = |e: &Polynomial| {
        let [low, high] = [false, true].map(|highest| bounds::extreme(e, &nest.last, highest));
        low.zip(high)
    };
    let Some(((low, high), (first, last))) = ends(f).zip(ends(g)) else {
        return false;
    };
    let reaches = |to: &Polynomial, from: &Polynomial| {
        let distance = to.minus(from).and_then(|distance| distance.as_constant());
        distance.is_some_and(|distance| distance >= 0)
    };
    let has_common = low == first || high == last || reaches(&high, &first) && reaches(&last, &low);
    takes_all(f) && takes_all(g) && has_common
}

/// What must be equal for two objects to overlap: a pair a dimension. Those of
/// which nothing is known are left out.
fn dimensions(
    f: &[Subscript],
    g: &[Subscript],
    nest: &Nest,
    assumed: &mut Assumed<'_>,
) -> Vec<(Polynomial, Polynomial)> {
    let is_alike = |(f, g): &(&Subscript, &Subscript)| f.of == g.of && f.unit == g.unit;
    let shared = f.iter().zip(g).take_while(is_alike).count();
    let mut pairs = Vec::new();
    // What is further in may lead into another row.
    let mut inner = [&f[shared..], &g[shared..]].into_iter().flatten();
    if !inner.all(|step| is_inside(std::slice::from_ref(step), nest, assumed)) {
        return pairs;
    }
    let mut end = shared;
    for first in (0..shared).rev() {
        let (f, g) = (&f[first..end], &g[first..end]);
        if first == 0
            || assumed.all(|assumed| is_inside(f, nest, assumed) && is_inside(g, nest, assumed))
        {
            pairs.extend(joined(f, g));
            end = first;
        }
    }
    pairs
}

/// Whether steps together stay in what the first one is into.
fn is_inside(steps: &[Subscript], nest: &Nest, assumed: &mut Assumed<'_>) -> bool {
    let [first, rest @ ..] = steps else {
        return true;
    };
    if rest.is_empty() && first.is_inside {
        return true;
    }
    let mut proved = || {
        let size = first.extent.as_ref()?.times(first.unit.as_ref()?)?;
        let width = steps.last()?.unit.as_ref()?;
        // Lengths of variable length arrays are factors of all.
        let (offset, size, width) = match width.as_constant() {
            Some(width) => (bytes(steps)?, size, width),
            None if rest.is_empty() => (first.value.clone()?, first.extent.clone()?, 1),
            None => return None,
        };
        if width < 1 {
            return None;
        }
        let common = offset.divided_by(width).zip(size.divided_by(width));
        Some(match common {
            Some((offset, size)) => bounds::is_within(&offset, 1, &size, &nest.last, assumed),
            None => bounds::is_within(&offset, width, &size, &nest.last, assumed),
        })
    };
    proved().unwrap_or(false)
}

/// The distances of joined steps in units of the last one; of a single step,
/// its values.
fn joined(f: &[Subscript], g: &[Subscript]) -> Option<(Polynomial, Polynomial)> {
    if let ([f], [g]) = (f, g) {
        return f.value.clone().zip(g.value.clone());
    }
    let width = f.last()?.unit.as_ref()?.as_constant()?;
    if width < 1 {
        return None;
    }
    let (f, g) = (bytes(f)?, bytes(g)?);
    // Both may begin as far from the start of a unit.
    let shift = constant_part(&f)?.rem_euclid(width);
    let units = |e: Polynomial| e.moved(-shift)?.divided_by(width);
    units(f).zip(units(g))
}

fn constant_part(e: &Polynomial) -> Option<i128> {
    let constant = e.terms().find(|(product, _)| product.is_empty());
    Some(constant.map_or(0, |(_, value)| value))
}

/// Takes linearised subscripts apart into dimensions: where both are `q·s +
/// r` with `0 ≤ r < s`, they are equal only if both `q` and `r` are. A stride `s` is a variable, or what
/// some iteration is multiplied with, such as `n + 2` or `3·n`. Both may lie further on by as much. Rows whose
/// length is assumed may have a number of elements, too, and no loop moves both along them and between them.
fn delinearise(
    f: &Polynomial,
    g: &Polynomial,
    nest: &Nest,
    assumed: &mut Assumed<'_>,
) -> Vec<(Polynomial, Polynomial)> {
    let by_stride = |stride: Polynomial| {
        let [f, g] = [f, g].map(|e| e.divide(&stride));
        Some((stride, f?, g?))
    };
    let by_number = |length: i128| {
        let [f, g] = [f, g].map(|e| e.divide_by_number(length));
        Some((Polynomial::constant(length), f?, g?))
    };
    // What bounds prove for numbers needs no rows.
    let numbers = match assumed.is_nothing() {
        true => Vec::new(),
        false => f.iterations(),
    };
    let numbers = numbers
        .into_iter()
        .filter_map(|number| f.coefficient(Term::Iteration(number)));
    let divided = f.strides().into_iter().filter_map(by_stride);
    for (stride, (fq, fr), (gq, gr)) in divided.chain(numbers.filter_map(|n| by_number(n.abs()))) {
        let is_usual = |q: &Polynomial, r: &Polynomial| {
            let rows = q.iterations();
            !r.iterations().iter().any(|number| rows.contains(number))
        };
        if (assumed.is_nothing() || is_usual(&fq, &fr) && is_usual(&gq, &gr))
            && are_within(&fr, &gr, &stride, nest, assumed)
        {
            let mut pairs = delinearise(&fq, &gq, nest, assumed);
            pairs.push((fr, gr));
            return pairs;
        }
    }
    vec![(f.clone(), g.clone())]
}

/// Whether both are at least 0, or at least the lowest value of one of them, and less than so much more.
fn are_within(
    f: &Polynomial,
    g: &Polynomial,
    extent: &Polynomial,
    nest: &Nest,
    assumed: &mut Assumed<'_>,
) -> bool {
    let starts = [f, g].map(|e| bounds::extreme(e, &nest.last, false));
    let starts = starts.into_iter().flatten();
    (starts.chain([Polynomial::default()])).any(|start| {
        assumed.all(|assumed| {
            [f, g].into_iter().all(|e| {
                let moved = e.minus(&start);
                moved.is_some_and(|e| bounds::is_within(&e, 1, extent, &nest.last, assumed))
            })
        })
    })
}

/// `a·k − b·k' + Σ cᵢ·xᵢ + rest = 0` with `0 ≤ xᵢ ≤ highᵢ`.
struct Equation<'n> {
    a: i128,
    b: i128,
    /// Coefficients of the inner loops' iterations and their highest values.
    others: Vec<(i128, Option<i128>)>,
    rest: Polynomial,
    last: Option<&'n Polynomial>,
}

impl<'n> Equation<'n> {
    /// `None` if a loop iteration is multiplied with a variable.
    fn new(f: &Polynomial, g: &Polynomial, nest: &'n Nest) -> Option<Self> {
        let tested = Term::Iteration(nest.tested);
        let mut others = Vec::new();
        for (side, sign) in [(f, 1), (g, -1)] {
            for number in side.iterations() {
                let coefficient = side.coefficient(Term::Iteration(number))?;
                if number != nest.tested {
                    let high = nest.last.get(number).and_then(Option::as_ref);
                    let high = high.and_then(Polynomial::as_constant);
                    others.push((sign * coefficient, high));
                }
            }
        }
        Some(Self {
            a: f.coefficient(tested)?,
            b: g.coefficient(tested)?,
            others,
            rest: f.invariant_part().minus(&g.invariant_part())?,
            last: nest.last.get(nest.tested).and_then(Option::as_ref),
        })
    }

    fn solve(&self) -> Answer {
        let Some(rest) = self.rest.as_constant() else {
            return self.symbolic();
        };
        let unknowns = self.others.iter().map(|other| other.0);
        let divisor = unknowns.chain([self.a, self.b]).fold(0, gcd);
        if divisor == 0 {
            // ZIV: both are the same constant element, or never meet.
            return dependent_if(rest == 0);
        }
        if rest % divisor != 0 {
            return Answer::Independent;
        }
        let last = self.last.and_then(Polynomial::as_constant);
        if self.others.is_empty() {
            self.single(rest, last)
        } else {
            self.banerjee(rest, last)
        }
    }

    /// Symbols remain: decided are strong SIV equations whose distance is
    /// provably longer than the loop, such as `a[i]` and `a[i + 2 * n]` in a loop
    /// of `n` iterations, and weak-zero ones whose iteration is provably
    /// outside, such as `a[i]` and `a[n]`.
    fn symbolic(&self) -> Answer {
        let proved = || {
            let last = self.last.filter(|_| self.others.is_empty())?;
            let negated = self.rest.scaled(-1)?;
            let is_positive = |value: Option<Polynomial>| {
                let own = [Some(last.clone())];
                value.is_some_and(|value| bounds::is_at_least(&value, 1, &[0], &own))
            };
            // What `size` times the iteration is equal to is more than it ever is.
            let beyond = |value: &Polynomial, size: i128| {
                is_positive(value.combined(1, last, size.checked_abs()?.checked_neg()?))
                    .then_some(())
            };
            let outside = |value: &Polynomial, size: i128| {
                beyond(value, size).or_else(|| is_positive(value.scaled(-1)).then_some(()))
            };
            match (self.a, self.b) {
                (a, b) if a == b => beyond(&self.rest, a).or_else(|| beyond(&negated, a)),
                (a @ 1.., 0) => outside(&negated, a),
                (a, 0) => outside(&self.rest, a),
                (0, b @ 1..) => outside(&self.rest, b),
                (0, b) => outside(&negated, b),
                _ => None,
            }
        };
        dependent_if(proved().is_none())
    }

    /// The tests for one loop variable: `a·k − b·k' + rest = 0`.
    fn single(&self, rest: i128, last: Option<i128>) -> Answer {
        let (a, b) = (self.a, self.b);
        if a == b {
            // Strong SIV: k' − k = rest / a everywhere.
            let distance = rest / a;
            let too_far = last.is_some_and(|last| distance.abs() > last);
            if distance == 0 || too_far {
                return Answer::Independent;
            }
            return Answer::Dependent(Some(distance));
        }
        if a == 0 || b == 0 {
            // Weak-zero SIV: one iteration meets all others.
            let k = if b == 0 { -rest / a } else { rest / b };
            let outside = k < 0 || last.is_some_and(|last| k > last);
            return dependent_if(!outside);
        }
        if a == -b {
            // Weak-crossing SIV: k + k' is fixed; two different iterations
            // have a sum of at least 1 and at most 2·last − 1.
            let sum = -rest / a;
            let outside = sum < 1 || last.is_some_and(|last| sum > 2 * last - 1);
            return dependent_if(!outside);
        }
        self.banerjee(rest, last)
    }

    /// Banerjee's bounds: whether 0 lies between the lowest and the highest
    /// value of the left side, for `k < k'` and for `k > k'`.
    fn banerjee(&self, rest: i128, last: Option<i128>) -> Answer {
        if last.is_some_and(|last| last < 1) {
            return Answer::Independent;
        }
        // k' = k + d (or k = k' + d) with d ≥ 1.
        let forward = [self.a - self.b, -self.b];
        let backward = [self.a - self.b, self.a];
        let possible = [forward, backward].into_iter().any(|[of_k, of_d]| {
            let others = self.others.iter().map(|&(c, high)| multiples(c, high));
            let start = Interval::at(rest).plus(pairs(of_k, of_d, last));
            others.fold(start, Interval::plus).contains(0)
        });
        dependent_if(possible)
    }
}

fn dependent_if(possible: bool) -> Answer {
    if possible {
        Answer::Dependent(None)
    } else {
        Answer::Independent
    }
}

/// `coefficient · x` with `0 ≤ x ≤ high`.
fn multiples(coefficient: i128, high: Option<i128>) -> Interval {
    let end = high.and_then(|high| coefficient.checked_mul(high));
    let (low, high) = match coefficient.signum() {
        0 => (Some(0), Some(0)),
        1 => (Some(0), end),
        _ => (end, Some(0)),
    };
    Interval { low, high }
}

/// `p·k + q·d` over the triangle `k ≥ 0`, `d ≥ 1`, `k + d ≤ last`.
fn pairs(p: i128, q: i128, last: Option<i128>) -> Interval {
    let Some(last) = last else {
        let start = Interval::at(q);
        return start.plus(multiples(p, None)).plus(multiples(q, None));
    };
    let far = p.checked_mul(last - 1).and_then(|x| x.checked_add(q));
    Interval::around([Some(q), q.checked_mul(last), far])
}
