//! How often nests of loops run.

use indexmap::IndexSet;

use super::collect;
use crate::analysis::effects::Oracle;
use crate::ir::StatementKind;
use crate::ir::builder::*;

/// How often the innermost of three loops runs its body, given first value and
/// bound of the inner ones.
fn iterations(outer: i128, inner: impl Fn(&V, &V, &V) -> [(E, E); 2]) -> f64 {
    let mut s = Sample::new();
    let (i, j, k) = (s.int("i"), s.int("j"), s.int("k"));
    let n = s.value("n");
    let a = s.array("a", &[9]);
    let [(first_j, end_j), (first_k, end_k)] = inner(&i, &j, &n);
    let innermost = count(&k, first_k, end_k).body(vec![set(a.at([int(0)]), 1)]);
    let middle = count(&j, first_j, end_j).body(vec![innermost]);
    let whole = count(&i, 0, outer).body(vec![middle]);
    let StatementKind::Loop(whole) = &whole.kind else {
        unreachable!("it is a loop");
    };
    let oracle = Oracle::new(&s.unit, &[]);
    collect(whole, &IndexSet::new(), &oracle).typical_iterations(&[0, 1, 2])
}

fn counted(outer: i128, inner: impl Fn(i128, i128) -> [(i128, i128); 2]) -> f64 {
    let mut count = 0;
    for i in 0..outer {
        let [(first, end), _] = inner(i, 0);
        for j in first..end {
            let (first, end) = inner(i, j)[1];
            count += (end - first).max(0);
        }
    }
    count as f64
}

/// The paper's examples: n (n + 1) / 2, and three times that many.
#[test]
fn bounds_that_depend_on_an_outer_loop_are_summed_up() {
    let triangle = iterations(50, |i, j, _| [(int(0), i.e() + 1), (j.e() - 1, j.e() + 2)]);
    assert_eq!(triangle, 3.0 * 50.0 * 51.0 / 2.0);
    let band = iterations(50, |i, _, _| [(i.e() - 1, i.e() + 2), (int(0), int(1))]);
    assert_eq!(band, 150.0);
}

#[test]
fn sums_of_sums_are_exact() {
    let simplex = iterations(41, |i, j, _| [(int(0), i.e()), (int(0), j.e())]);
    assert_eq!(simplex, counted(41, |i, j| [(0, i), (0, j)]));
    let both = iterations(41, |i, j, _| {
        [(i.e(), int(41)), (int(0), i.e() * 2 + j.e())]
    });
    assert_eq!(both, counted(41, |i, j| [(i, 41), (0, 2 * i + j)]));
    let down = iterations(41, |i, j, _| [(i.e(), int(41)), (j.e(), int(41))]);
    assert_eq!(down, counted(41, |i, j| [(i, 41), (j, 41)]));
}

/// A variable of unknown value counts as a hundred.
#[test]
fn unknown_bounds_have_a_typical_value() {
    let unknown = iterations(100, |i, _, n| [(i.e(), n.e()), (int(0), n.e())]);
    assert_eq!(unknown, 5050.0 * 100.0);
}

/// Where some iterations of a loop have none of another one, no polynomial
/// tells how many there are.
#[test]
fn loops_that_may_be_empty_are_estimated() {
    let some = iterations(100, |i, _, _| [(i.e(), int(30)), (int(0), int(2))]);
    assert!((1.0..=10_000.0).contains(&some), "{some}");
}
