//! The tests against enumeration: never independent when two different
//! iterations touch one element, and exact where theory says so.

use super::{Answer, Carried, Nest, proved, test, test_assuming};
use crate::analysis::bounds::Assumed;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::analysis::subscripts::Subscript;
use crate::typed::{SymbolId, TypeId};
use proptest::prelude::*;

/// A dimension for itself.
fn dimension(value: Option<Polynomial>) -> Subscript {
    Subscript {
        value,
        unit: Some(Polynomial::constant(8)),
        extent: None,
        is_inside: true,
        of: Some(TypeId(0)),
    }
}

/// `of_k · k + of_x · x + constant`; loop 0 is the tested one, 1 is inside.
fn linear(of_k: i128, of_x: i128, constant: i128) -> Polynomial {
    let term = |number, coefficient| {
        Polynomial::variable(Term::Iteration(number))
            .scaled(coefficient)
            .unwrap()
    };
    term(0, of_k)
        .plus(&term(1, of_x))
        .and_then(|sum| sum.moved(constant))
        .unwrap()
}

fn nest(last: Option<i128>, inner: Option<i128>) -> Nest {
    Nest {
        tested: 0,
        last: vec![
            last.map(Polynomial::constant),
            inner.map(Polynomial::constant),
        ],
    }
}

type Form = (i128, i128, i128);

/// The distances `k' − k` at which two different iterations meet, by trying
/// all; `dimensions` must all be equal at once.
fn meetings(dimensions: &[(Form, Form)], last: i128, inner: i128) -> Vec<i128> {
    let value = |(k, x, c): Form, at_k: i128, at_x: i128| k * at_k + x * at_x + c;
    let mut found = Vec::new();
    for k in 0..=last {
        for other in (0..=last).filter(|&other| other != k) {
            for x in 0..=inner {
                for y in 0..=inner {
                    let meet = dimensions
                        .iter()
                        .all(|&(f, g)| value(f, k, x) == value(g, other, y));
                    if meet {
                        found.push(other - k);
                    }
                }
            }
        }
    }
    found
}

fn answer(dimensions: &[(Form, Form)], nest: &Nest) -> Answer {
    let side = |pick: fn(&(Form, Form)) -> Form| -> Vec<Subscript> {
        dimensions
            .iter()
            .map(|pair| {
                let (k, x, c) = pick(pair);
                dimension(Some(linear(k, x, c)))
            })
            .collect()
    };
    test(&side(|pair| pair.0), &side(|pair| pair.1), nest)
}

fn check(dimensions: &[(Form, Form)], last: i128, inner: i128) {
    let found = meetings(dimensions, last, inner);
    for known in [true, false] {
        let bounds = nest(known.then_some(last), known.then_some(inner));
        match answer(dimensions, &bounds) {
            Answer::Independent => assert!(
                found.is_empty(),
                "{dimensions:?}, last {last}, inner {inner}, bounds known: {known}"
            ),
            Answer::Dependent(Some(distance)) => {
                assert!(found.iter().all(|&d| d == distance), "{dimensions:?}");
            }
            Answer::Dependent(None) => {}
        }
    }
}

#[test]
fn never_independent_when_two_iterations_meet() {
    let subscripts: Vec<Form> = (-2..=2)
        .flat_map(|k| (-1..=1).flat_map(move |x| (-2..=2).map(move |c| (k, x, c))))
        .collect();
    for &f in &subscripts {
        for &g in &subscripts {
            for last in 0..4 {
                for inner in [0, 2] {
                    check(&[(f, g)], last, inner);
                }
            }
        }
    }
}

/// Dependences that are reported as certain.
#[test]
fn what_is_proved_is_there() {
    let subscripts: Vec<Form> = (-2..=2)
        .flat_map(|k| (-1..=1).flat_map(move |x| (-1..=3).map(move |c| (k, x, c))))
        .collect();
    let second: [(Form, Form); 7] = [
        ((-1, 0, 3), (1, 0, 0)),
        ((2, 0, 0), (1, 0, 0)),
        ((1, 0, 0), (0, 0, 0)),
        ((0, 0, 0), (0, 0, 0)),
        ((1, 0, 1), (1, 0, 0)),
        ((0, 1, 0), (0, 1, 0)),
        ((0, 1, 0), (0, 1, 1)),
    ];
    for &f in &subscripts {
        for &g in &subscripts {
            for other in second {
                for (last, inner) in [(1, 0), (3, 2), (4, 1)] {
                    is_there(&[(f, g), other], Some(last), inner);
                }
                is_there(&[(f, g), other], None, 1);
            }
        }
    }
}

/// Where the last iteration is not known, it is the one that is said to be needed.
fn is_there(dimensions: &[(Form, Form)], last: Option<i128>, inner: i128) {
    let side = |pick: fn(&(Form, Form)) -> Form| -> Vec<Subscript> {
        let forms = dimensions.iter().map(pick);
        let values = forms.map(|(k, x, c)| dimension(Some(linear(k, x, c))));
        values.collect()
    };
    let bounds = nest(last, Some(inner));
    let Some(carried) = proved(&side(|pair| pair.0), &side(|pair| pair.1), &bounds) else {
        return;
    };
    let least = carried.iterations() - 1;
    let last = last.unwrap_or(least);
    assert!(least <= last, "{dimensions:?}, last {last}: {carried:?}");
    let found = meetings(dimensions, last, inner);
    let is_there = match carried {
        Carried::Distance(distance) => found.contains(&distance),
        _ => !found.is_empty(),
    };
    assert!(
        is_there,
        "{dimensions:?}, last {last}, inner {inner}: {carried:?}"
    );
}

#[test]
fn exact_for_strong_weak_zero_and_weak_crossing() {
    for a in -3i128..=3 {
        for b in [a, 0, -a] {
            for c in -8..=8 {
                for last in 1..6 {
                    let pair = [((a, 0, c), (b, 0, 0))];
                    let meet = !meetings(&pair, last, 0).is_empty();
                    let dependent = answer(&pair, &nest(Some(last), Some(0)));
                    assert_eq!(
                        dependent != Answer::Independent,
                        meet,
                        "{a}k + {c} = {b}k', last {last}"
                    );
                }
            }
        }
    }
}

#[test]
fn divisibility_excludes_without_bounds() {
    let never = answer(&[((4, 2, 0), (6, 4, 1))], &nest(None, None));
    assert_eq!(never, Answer::Independent);
}

#[test]
fn unknown_subscripts_prove_nothing_but_others_may() {
    let i = dimension(Some(linear(1, 0, 0)));
    let unknown = dimension(None);
    let nest = nest(None, None);
    let one = test(&[unknown.clone(), i.clone()], &[unknown.clone(), i], &nest);
    assert_eq!(one, Answer::Independent);
    let unknown = std::slice::from_ref(&unknown);
    assert_eq!(test(unknown, unknown, &nest), Answer::Dependent(None));
}

/// `a[k · n + x]`, `x < n`, for an unknown `n`.
#[test]
fn linearised_rows_do_not_meet() {
    let n = Polynomial::variable(Term::Invariant(SymbolId(0)));
    let row = Polynomial::variable(Term::Iteration(0)).times(&n).unwrap();
    let x = Polynomial::variable(Term::Iteration(1));
    let f = row.plus(&x).unwrap();
    let below_n = n.moved(-1).unwrap();
    let nest = Nest {
        tested: 0,
        last: vec![None, Some(below_n)],
    };
    let same = test(
        &[dimension(Some(f.clone()))],
        &[dimension(Some(f.clone()))],
        &nest,
    );
    assert_eq!(same, Answer::Independent);
    // One element further may be the first of the next row.
    let shifted = f.moved(1).unwrap();
    let across = test(&[dimension(Some(f))], &[dimension(Some(shifted))], &nest);
    assert_eq!(across, Answer::Dependent(None));
}

/// `(k + row) · (factor · n + more) + of_x · x + constant`.
#[derive(Clone, Copy, Debug)]
struct InRows {
    row: i128,
    of_x: i128,
    constant: i128,
}

/// What an unknown `n` is multiplied with, and what is added: the length of a row, and the last `x`.
type Lengths = [(i128, i128); 2];

impl InRows {
    fn polynomial(self, [length, _]: Lengths) -> Polynomial {
        let row = Polynomial::variable(Term::Iteration(0)).moved(self.row);
        let x = Polynomial::variable(Term::Iteration(1)).scaled(self.of_x);
        let start = row.and_then(|row| row.times(&of_n(length))).unwrap();
        start
            .plus(&x.unwrap())
            .and_then(|sum| sum.moved(self.constant))
            .unwrap()
    }

    fn value(self, length: i128, k: i128, x: i128) -> i128 {
        (k + self.row) * length + self.of_x * x + self.constant
    }
}

fn of_n((factor, more): (i128, i128)) -> Polynomial {
    let n = Polynomial::variable(Term::Invariant(SymbolId(0)));
    n.scaled(factor).and_then(|n| n.moved(more)).unwrap()
}

fn in_rows(f: InRows, g: InRows, lengths: Lengths) -> Answer {
    let nest = Nest {
        tested: 0,
        last: vec![None, Some(of_n(lengths[1]))],
    };
    let [f, g] = [f, g].map(|e| [dimension(Some(e.polynomial(lengths)))]);
    test(&f, &g, &nest)
}

/// Whether two of the first four rows share an element for some `n`.
fn meet_in_rows(f: InRows, g: InRows, lengths: Lengths) -> bool {
    (-3..8).any(|n| {
        let [length, last] = lengths.map(|(factor, more)| factor * n + more);
        (0..16).filter(|rows| rows / 4 != rows % 4).any(|rows| {
            (0..=last).any(|x| {
                let value = f.value(length, rows / 4, x);
                (0..=last).any(|y| value == g.value(length, rows % 4, y))
            })
        })
    })
}

/// Rows with a rim, `a[i * (n + 2) + j]`, and of points with several values, `a[(i * n + j) * 3 + c]`.
#[test]
fn rows_of_computed_length_do_not_meet() {
    let at = |constant| InRows {
        row: 1,
        of_x: 1,
        constant,
    };
    let of_points = |constant| InRows {
        of_x: 3,
        ..at(constant)
    };
    let (rim, inner) = ((1, 2), (1, -1));
    for (f, g, lengths, is_apart) in [
        (at(1), at(1), [rim, inner], true),
        (at(0), at(2), [rim, inner], true),
        (at(7), at(9), [rim, inner], true),
        (at(0), at(3), [rim, inner], false),
        (at(0), at(0), [(1, -1), inner], false),
        (at(0), at(0), [(1, -1), (1, -2)], true),
        (of_points(0), of_points(2), [(3, 0), inner], true),
        (of_points(0), of_points(3), [(3, 0), inner], false),
    ] {
        let answer = in_rows(f, g, lengths);
        assert_eq!(
            answer == Answer::Independent,
            is_apart,
            "{f:?} {g:?} {lengths:?}"
        );
    }
}

/// `of_k · k + of_n · n + constant` on both sides, in a loop of `n` iterations.
#[test]
fn iterations_far_away_do_not_meet() {
    let side = |(of_k, factor, constant): Form| {
        let k = Polynomial::variable(Term::Iteration(0))
            .scaled(of_k)
            .unwrap();
        let whole = k
            .plus(&of_n((factor, 0)))
            .and_then(|sum| sum.moved(constant));
        [dimension(whole)]
    };
    let nest = Nest {
        tested: 0,
        last: vec![Some(of_n((1, -1)))],
    };
    let forms: Vec<Form> = (-2..=2)
        .flat_map(|k| (-4..=4).flat_map(move |n| (-2..=2).map(move |c| (k, n, c))))
        .collect();
    for &f in &forms {
        for &g in &forms {
            let value = |(of_k, of_n, c): Form, k: i128, n: i128| of_k * k + of_n * n + c;
            let meets = (1..7).any(|n| {
                (0..n * n)
                    .filter(|both| both / n != both % n)
                    .any(|both| value(f, both / n, n) == value(g, both % n, n))
            });
            let answer = test(&side(f), &side(g), &nest);
            assert!(!(meets && answer == Answer::Independent), "{f:?} {g:?}");
        }
    }
    for (f, g) in [
        ((1, 0, 0), (1, 2, 0)),
        ((1, 4, 0), (1, 0, 0)),
        ((2, 0, 0), (2, 2, 1)),
        ((2, 0, 0), (2, 3, 0)),
        ((1, 0, 0), (0, 2, 0)),
        ((-1, 0, 0), (0, 1, 0)),
    ] {
        assert_eq!(
            test(&side(f), &side(g), &nest),
            Answer::Independent,
            "{f:?} {g:?}"
        );
    }
}

/// The row before, and the same one from the other end, of rows of an unknown length.
#[test]
fn dependences_between_rows_are_proved() {
    let [n, k, x] = [
        Term::Invariant(SymbolId(0)),
        Term::Iteration(0),
        Term::Iteration(1),
    ]
    .map(Polynomial::variable);
    let last = n.moved(-1).unwrap();
    let nest = Nest {
        tested: 0,
        last: vec![Some(last.clone()), Some(last.clone())],
    };
    let at = |row: &Polynomial| {
        let index = row.times(&n).and_then(|row| row.plus(&x)).unwrap();
        [dimension(Some(index))]
    };
    let next = k.moved(1).unwrap();
    assert_eq!(
        proved(&at(&next), &at(&k), &nest),
        Some(Carried::Distance(1))
    );
    let mirrored = last.minus(&k).unwrap();
    assert_eq!(
        proved(&at(&mirrored), &at(&k), &nest),
        Some(Carried::Crossing)
    );
    assert_eq!(proved(&at(&k), &at(&k), &nest), None);
    let element = |row: &Polynomial, by| {
        let index = row.times(&n).and_then(|row| row.plus(&x)?.moved(by));
        [dimension(index)]
    };
    for by in [-1, 1] {
        let found = proved(&element(&next, 0), &element(&k, by), &nest);
        assert_eq!(found, Some(Carried::Distance(1)));
    }
    assert_eq!(proved(&element(&next, 0), &element(&k, 2), &nest), None);
}

/// The same of rows of sixty-four, of which the loop inside takes a part.
#[test]
fn dependences_between_rows_of_known_length_are_proved() {
    let element = |constant| [dimension(Some(linear(64, 1, constant)))];
    let nest = nest(Some(9), Some(20));
    let found = |constant| proved(&element(0), &element(constant), &nest);
    for by in [63, 64, 65, 84, 44] {
        assert_eq!(found(-by), Some(Carried::Distance(1)), "{by}");
        assert_eq!(found(by), Some(Carried::Distance(-1)), "{by}");
    }
    for by in [0, 1, 32, 43, 85, 1000] {
        assert_eq!(found(-by), None, "{by}");
    }
}

/// A row of eight, then what is not proved to stay in it: `a[i][x]`.
fn row(row: Polynomial, column: Polynomial) -> [Subscript; 2] {
    [
        Subscript {
            unit: Some(Polynomial::constant(64)),
            ..dimension(Some(row))
        },
        Subscript {
            extent: Some(Polynomial::constant(8)),
            is_inside: false,
            of: Some(TypeId(1)),
            ..dimension(Some(column))
        },
    ]
}

#[test]
fn rows_are_left_where_nothing_proves_otherwise() {
    let next_row = row(linear(0, 0, 0), linear(8, 1, 8));
    let own_row = row(linear(1, 0, 0), linear(0, 1, 0));
    let answer = test(&next_row, &own_row, &nest(Some(5), Some(7)));
    assert_eq!(answer, Answer::Dependent(None));
    let inside = test(&own_row, &own_row, &nest(None, Some(7)));
    assert_eq!(inside, Answer::Independent);
    let too_wide = test(&own_row, &own_row, &nest(None, Some(8)));
    assert_eq!(too_wide, Answer::Dependent(None));
}

proptest! {
    #[test]
    fn rows_of_computed_length(
        f in (-1i128..2, -3i128..4, -4i128..5),
        g in (-1i128..2, -3i128..4, -4i128..5),
        length in (-1i128..4, -3i128..4),
        last in (-1i128..3, -3i128..3),
    ) {
        let [f, g] = [f, g].map(|(row, of_x, constant)| InRows { row, of_x, constant });
        let lengths = [length, last];
        if in_rows(f, g, lengths) == Answer::Independent {
            prop_assert!(!meet_in_rows(f, g, lengths));
        }
    }

    #[test]
    fn two_dimensions(
        f in prop::array::uniform2((-4i128..5, -3i128..4, -9i128..10)),
        g in prop::array::uniform2((-4i128..5, -3i128..4, -9i128..10)),
        last in 0i128..7,
        inner in 0i128..5,
    ) {
        check(&[(f[0], g[0]), (f[1], g[1])], last, inner);
        is_there(&[(f[0], g[0]), (f[1], g[1])], Some(last), inner);
        is_there(&[(f[0], g[0]), (f[0], g[0])], None, inner);
        is_there(&[(f[0], g[0])], None, inner);
    }
}

/// What keeps `(k + row) · pitch + of_x · x + constant` apart, `x < n`, with what that takes for granted.
fn assumed(f: InRows, g: InRows) -> Option<Vec<Polynomial>> {
    let [n, pitch] = [0, 1].map(|number| Polynomial::variable(Term::Invariant(SymbolId(number))));
    let of = |e: InRows| {
        let row = Polynomial::variable(Term::Iteration(0)).moved(e.row)?;
        let x = Polynomial::variable(Term::Iteration(1)).scaled(e.of_x)?;
        row.times(&pitch)?.plus(&x)?.moved(e.constant)
    };
    let nest = Nest {
        tested: 0,
        last: vec![None, n.moved(-1)],
    };
    let mut assumed = Assumed::of_launch(&|_| true);
    let [f, g] = [f, g].map(|e| [dimension(of(e))]);
    let answer = test_assuming(&f, &g, &nest, &mut assumed);
    (answer == Answer::Independent).then(|| assumed.into_values())
}

/// Where all that is assumed holds, no two rows share an element.
#[test]
fn rows_as_long_as_assumed_do_not_meet() {
    let value = |e: &Polynomial, [n, pitch]: [i128; 2]| -> i128 {
        let of_term = |term: &Term| match term {
            Term::Invariant(SymbolId(0)) => n,
            Term::Invariant(_) => pitch,
            _ => panic!("an iteration"),
        };
        e.terms()
            .map(|(product, factor)| factor * product.iter().map(of_term).product::<i128>())
            .sum()
    };
    let mut told = 0;
    let all =
        (0..3).flat_map(|row| (-3..4).flat_map(move |of_x| (-2..4).map(move |c| (row, of_x, c))));
    for ((row, of_x, constant), other) in all.flat_map(|one| [0, 1, 2].map(|other| (one, other))) {
        let f = InRows {
            row,
            of_x,
            constant,
        };
        let g = InRows {
            row: 1,
            constant: other,
            ..f
        };
        let Some(values) = assumed(f, g) else {
            continue;
        };
        for (n, pitch) in (-1..6).flat_map(|n| (-1..7).map(move |pitch| (n, pitch))) {
            if values.iter().any(|e| value(e, [n, pitch]) < 0) {
                continue;
            }
            told += 1;
            let mut rows = (0..16).filter(|rows| rows / 4 != rows % 4);
            let meet = rows.any(|rows| {
                (0..n).any(|x| {
                    let own = f.value(pitch, rows / 4, x);
                    (0..n).any(|y| own == g.value(pitch, rows % 4, y))
                })
            });
            assert!(!meet, "{f:?} {g:?} {values:?}: n {n}, pitch {pitch}");
        }
    }
    assert!(told > 500, "{told} lengths were compared");
}

/// `x[i * pitch + j]`, `j < n`: `pitch ≥ n`. Rows that share an element take as much more.
#[test]
fn only_what_is_lacking_is_assumed() {
    let at = |constant| InRows {
        row: 0,
        of_x: 1,
        constant,
    };
    let [n, pitch] = [0, 1].map(|number| Polynomial::variable(Term::Invariant(SymbolId(number))));
    let room = pitch.minus(&n).unwrap();
    assert_eq!(assumed(at(0), at(0)), Some(vec![room.clone()]));
    assert_eq!(assumed(at(2), at(2)), Some(vec![room.clone()]));
    let more = room.moved(-2).unwrap();
    assert!(assumed(at(0), at(2)).unwrap().contains(&more));
}
