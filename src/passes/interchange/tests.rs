//! Which loops are taken out of hand-made kernels.

use crate::ir::builder::*;
use crate::ir::{Execution, Kernel, Level, Statement};
use crate::passes::testing::decide;

/// `for i { for k { for j c[i][j] += a[i][k] * b[k][j]; } }` with `i` as `outer`
/// makes it, and the rest in `between`.
fn product(
    outer: impl Fn(L) -> L,
    between: impl Fn(&mut Sample, &V, E) -> Vec<Statement>,
) -> String {
    let mut s = Sample::new();
    let (i, j, k, n) = (s.int("i"), s.int("j"), s.int("k"), s.value("n"));
    let (a, b) = (s.array("a", &[100, 100]), s.array("b", &[100, 100]));
    let c = s.array("c", &[100, 100]);
    let term = a.at([i.e(), k.e()]) * b.at([k.e(), j.e()]);
    let add = count(&j, 0, &n).body(vec![add_to(c.at([i.e(), j.e()]), term)]);
    let mut body = between(&mut s, &i, b.at([i.e(), int(0)]));
    body.push(count(&k, 0, &n).body(vec![add]));
    let body = vec![outer(count(&i, 0, &n)).body(body)];
    decide(&mut s, Execution::Redundant, body).1
}

const KEPT_INSIDE: &str = "  for k\n    for j\n      …\n";

#[test]
fn a_loop_over_neighbours_leaves_the_loop_that_adds_up() {
    let outline = product(|l| l.independent(&[]), |_, _, _| Vec::new());
    assert_eq!(outline, "for i by ty\n  for j bx tx\n    for k\n      …\n");
}

#[test]
fn what_is_set_in_front_goes_inside() {
    let outline = product(
        |l| l.independent(&[]),
        |s, _, element| vec![declare(&s.double("w"), Some(element))],
    );
    assert_eq!(
        outline,
        "for i by ty\n  for j bx tx\n    declare w\n    for k\n      …\n"
    );
}

#[test]
fn clauses_keep_the_loops_as_they_are() {
    use Level::{Block, Lane};
    for levels in [&[Block][..], &[Block, Lane], &[Lane]] {
        let outline = product(|l| l.independent(levels), |_, _, _| Vec::new());
        assert!(outline.ends_with(KEPT_INSIDE), "{outline}");
    }
}

#[test]
fn memory_that_is_written_in_front_keeps_the_loops_as_they_are() {
    let write = |_: &mut Sample, _: &V, element: E| vec![set(element, 1)];
    let outline = product(|l| l.independent(&[]), write);
    assert_eq!(outline, "for i bx tx\n  …\n  for k\n    for j\n      …\n");
}

/// A row of two loops over `a`, the inner one as `make` has it.
fn row(length: u64, make: impl Fn(&V, &V, &V) -> Statement) -> (Kernel, String) {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let a = s.array("a", &[100, length]);
    let inner = make(&i, &j, &a);
    let body = vec![count(&i, 0, &n).independent(&[]).body(vec![inner])];
    decide(&mut s, Execution::Redundant, body)
}

#[test]
fn an_element_that_needs_the_one_before_keeps_the_loop_in_the_thread() {
    let (_, outline) = row(100, |i, j, a| {
        let before = a.at([i.e(), j.e() - 1]);
        count(j, 1, 100).body(vec![add_to(a.at([i.e(), j.e()]), before)])
    });
    assert_eq!(outline, "for i bx tx\n  for j\n    …\n");
}

#[test]
fn bounds_that_depend_on_the_loop_around_keep_the_loop_in_the_thread() {
    let (_, outline) = row(100, |i, j, a| {
        count(j, 0, i).body(vec![set(a.at([i.e(), j.e()]), 1)])
    });
    assert_eq!(outline, "for i bx tx\n  for j\n    …\n");
}

#[test]
fn coalesced_accesses_are_left_alone() {
    let (_, outline) = row(100, |i, j, a| {
        count(j, 0, 100).body(vec![set(a.at([j.e(), i.e()]), 1)])
    });
    assert_eq!(outline, "for i bx tx\n  for j\n    …\n");
}

/// Of four loops, two of them taken out, one still runs within a thread.
#[test]
fn a_nest_of_more_loops_than_axes_keeps_one_in_the_thread() {
    let mut s = Sample::new();
    let variables: Vec<V> = ["i", "j", "k", "l"]
        .iter()
        .map(|name| s.int(name))
        .collect();
    let a = s.array("a", &[10, 10, 10, 100]);
    let index = |d: usize| variables[d].e();
    let mut body = vec![set(a.at([index(0), index(1), index(2), index(3)]), 1)];
    for (level, v) in variables.iter().enumerate().rev() {
        let l = count(v, 0, if level == 3 { 100 } else { 10 });
        let l = if level == 0 {
            l.independent(&[]).collapse(2)
        } else {
            l
        };
        body = vec![l.body(body)];
    }
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for i\n  for j bz tz\n    for k by ty\n      for l bx tx\n        …\n"
    );
}
