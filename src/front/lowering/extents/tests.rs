//! Hulls of random nests against their iterations, one by one.

use super::hull::{self, Hull, Level};
use crate::analysis::polynomial::{Polynomial, Term};
use crate::typed::SymbolId;

const N: Term = Term::Invariant(SymbolId(1));
const M: Term = Term::Invariant(SymbolId(2));

/// A generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick(&mut self, of: &[Polynomial]) -> Polynomial {
        of[self.below(of.len())].clone()
    }
}

fn number(value: i128) -> Polynomial {
    Polynomial::constant(value)
}

fn variable(term: Term) -> Polynomial {
    Polynomial::variable(term)
}

fn sum(a: &Polynomial, b: &Polynomial) -> Polynomial {
    a.plus(b).unwrap()
}

fn product(a: &Polynomial, b: &Polynomial) -> Polynomial {
    a.times(b).unwrap()
}

fn value(p: &Polynomial, sizes: (i128, i128), iterations: &[i128]) -> i128 {
    let of = |term: &Term| match term {
        Term::Iteration(number) => iterations[*number],
        term if *term == N => sizes.0,
        _ => sizes.1,
    };
    p.terms()
        .map(|(factors, c)| c * factors.iter().map(of).product::<i128>())
        .sum()
}

/// A nest of up to three loops, some of them bounded by loops around, and up to
/// two subscripts.
fn nest(random: &mut Random) -> (Vec<Level>, Vec<Polynomial>) {
    let mut levels: Vec<Level> = Vec::new();
    let mut variables: Vec<Polynomial> = Vec::new();
    for number_of in 0..=random.below(3) {
        let mut ends = vec![
            number(0),
            number(0),
            number(1),
            variable(N),
            variable(M),
            variable(M),
        ];
        ends.extend(variables.iter().map(|v| sum(v, &number(1))));
        let lower = random.pick(&ends[..3.max(ends.len() - 2)]);
        let upper = random.pick(&ends[3..]);
        let runs = sum(&sum(&upper, &product(&lower, &number(-1))), &number(-1));
        levels.push(Level {
            number: number_of,
            last: runs.clone(),
            runs: runs.clone(),
        });
        let iteration = variable(Term::Iteration(number_of));
        let falls = random.below(4) == 0;
        let last = sum(&upper, &number(-1));
        variables.push(match falls {
            false => sum(&lower, &iteration),
            true => sum(&last, &product(&iteration, &number(-1))),
        });
    }
    let strides = [
        number(0),
        number(1),
        number(1),
        number(-1),
        number(3),
        variable(N),
        variable(M),
        product(&variable(N), &variable(M)),
    ];
    let subscripts = (0..=random.below(2)).map(|_| {
        let start = sum(
            &number(random.below(4) as i128),
            &random.pick(&[number(0), variable(N)]),
        );
        let parts = variables.iter().map(|v| product(v, &random.pick(&strides)));
        parts
            .collect::<Vec<_>>()
            .iter()
            .fold(start, |p, part| sum(&p, part))
    });
    let subscripts = subscripts.collect();
    (levels, subscripts)
}

/// The lowest and highest values that a subscript has.
fn traced(
    levels: &[Level],
    p: &Polynomial,
    sizes: (i128, i128),
    at: &mut Vec<i128>,
) -> Option<(i128, i128)> {
    let Some(level) = levels.get(at.len()) else {
        let index = value(p, sizes, at);
        return Some((index, index));
    };
    let mut found: Option<(i128, i128)> = None;
    for iteration in 0..=value(&level.last, sizes, at) {
        at.push(iteration);
        let inner = traced(levels, p, sizes, at);
        at.pop();
        found = match (found, inner) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (some, other) => some.or(other),
        };
    }
    found
}

fn computed(hull: Option<&Hull>, sizes: (i128, i128)) -> Option<(i128, i128)> {
    let hull = hull?;
    let is_executed = hull
        .guards
        .iter()
        .all(|guard| value(guard, sizes, &[]) >= 0);
    is_executed.then(|| (value(&hull.low, sizes, &[]), value(&hull.high, sizes, &[])))
}

#[test]
fn hulls_are_those_of_all_iterations() {
    let least = |term: Term| matches!(term, Term::Iteration(_)).then_some(0);
    let mut random = Random(1);
    let (mut known, mut joined) = (0, 0);
    for _ in 0..3000 {
        let (levels, subscripts) = nest(&mut random);
        let hulls: Vec<_> = subscripts
            .iter()
            .map(|p| hull::of(p, &levels, &least))
            .collect();
        for (p, hull) in subscripts.iter().zip(&hulls) {
            let Ok(hull) = hull else { continue };
            known += 1;
            for sizes in (-2..6).flat_map(|n| (-2..6).map(move |m| (n, m))) {
                let wanted = traced(&levels, p, sizes, &mut Vec::new());
                assert_eq!(
                    computed(hull.as_ref(), sizes),
                    wanted,
                    "{p:?} {levels:?} {sizes:?}"
                );
            }
        }
        let [Ok(Some(a)), Ok(Some(b))] = hulls.as_slice() else {
            continue;
        };
        let both = if a.covers(b, &least) {
            Some(a.clone())
        } else {
            a.joined(b, &least)
        };
        let Some(both) = both else { continue };
        joined += 1;
        for sizes in (-2..6).flat_map(|n| (-2..6).map(move |m| (n, m))) {
            let parts = [a, b].map(|hull| computed(Some(hull), sizes));
            let [Some(x), Some(y)] = parts else { continue };
            let wanted = Some((x.0.min(y.0), x.1.max(y.1)));
            assert_eq!(
                computed(Some(&both), sizes),
                wanted,
                "{a:?} {b:?} {sizes:?}"
            );
        }
    }
    assert!(
        known > 1000 && joined > 50,
        "{known} of the hulls, {joined} joined"
    );
}

#[test]
fn what_is_within_a_length_is_so_for_all_sizes() {
    let least = |term: Term| matches!(term, Term::Iteration(_)).then_some(0);
    let lengths = [
        number(1),
        number(9),
        variable(N),
        variable(M),
        sum(&variable(N), &number(3)),
        sum(&variable(N), &variable(M)),
        product(&variable(N), &variable(M)),
    ];
    let mut random = Random(2);
    let mut within = 0;
    for _ in 0..3000 {
        let (levels, subscripts) = nest(&mut random);
        let length = random.pick(&lengths);
        for p in subscripts {
            let Ok(Some(hull)) = hull::of(&p, &levels, &least) else {
                continue;
            };
            if !hull.is_within(&length, &least) {
                continue;
            }
            within += 1;
            for sizes in (-2..6).flat_map(|n| (-2..6).map(move |m| (n, m))) {
                let Some((low, high)) = traced(&levels, &p, sizes, &mut Vec::new()) else {
                    continue;
                };
                let end = value(&length, sizes, &[]);
                assert!(
                    0 <= low && high < end,
                    "{p:?} {levels:?} {length:?} {sizes:?}"
                );
            }
        }
    }
    assert!(within > 100, "{within} subscripts");
}
