//! Where reductions of hand-made kernels begin and end.

use crate::ir::builder::*;
use crate::ir::{Execution, Kernel, Level};
use crate::passes::testing::decide;

fn names(s: &Sample, kernel: &Kernel) -> (Vec<String>, Vec<String>) {
    let names = |list: &[crate::ir::Reduction]| {
        list.iter()
            .map(|r| s.unit.symbol(r.symbol).name.clone())
            .collect()
    };
    (
        names(&kernel.grid_reductions),
        names(&kernel.block_reductions),
    )
}

#[test]
fn flat_loops_end_with_the_kernel() {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let (a, sum) = (s.array("a", &[100]), s.reference("sum"));
    let body = vec![
        count(&i, 0, &n)
            .independent(&[])
            .reduction(&sum)
            .body(vec![add_to(sum.e(), a.at([i.e()]))]),
    ];
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(outline, "for i bx tx\n  …\n");
    assert_eq!(names(&s, &kernel), (vec!["sum".into()], vec![]));
}

/// Loops over blocks and lanes reduce one variable that only the lanes change:
/// each thread counts for itself until the kernel's end.
#[test]
fn lanes_count_for_themselves() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let (a, b, sum) = (
        s.array("a", &[100, 100]),
        s.array("b", &[100]),
        s.reference("sum"),
    );
    let inner = count(&j, 0, &n)
        .independent(&[Level::Lane])
        .reduction(&sum)
        .body(vec![add_to(sum.e(), a.at([i.e(), j.e()]))]);
    let outer = count(&i, 0, &n)
        .independent(&[Level::Block])
        .reduction(&sum);
    let body = vec![outer.body(vec![inner, set(b.at([i.e()]), 1)])];
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for i bx\n  for j tx\n    …\n  single Block -> []\n    …\n"
    );
    assert_eq!(names(&s, &kernel), (vec!["sum".into()], vec![]));
}

/// The block changes the variable too: the lanes' part meets in all threads,
/// and the block's value counts once.
#[test]
fn blocks_that_count_too_have_one_value() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let (a, sum) = (s.array("a", &[100, 100]), s.reference("sum"));
    let inner = count(&j, 0, &n)
        .independent(&[Level::Lane])
        .reduction(&sum)
        .body(vec![add_to(sum.e(), a.at([i.e(), j.e()]))]);
    let outer = count(&i, 0, &n)
        .independent(&[Level::Block])
        .reduction(&sum);
    let body = vec![outer.body(vec![inner, add_to(sum.e(), 1)])];
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for i bx\n  begin sum\n  for j tx\n    …\n  end sum [true, false, false]\n  …\n"
    );
    assert_eq!(names(&s, &kernel), (vec![], vec!["sum".into()]));
}

/// A clause that an inner loop lacks is implied by the one around it.
#[test]
fn missing_inner_clauses_are_implied() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let (a, sum) = (s.array("a", &[100, 100]), s.reference("sum"));
    let inner = count(&j, 0, &i)
        .independent(&[Level::Lane])
        .body(vec![add_to(sum.e(), a.at([i.e(), j.e()]))]);
    let outer = count(&i, 0, &n)
        .independent(&[Level::Block])
        .reduction(&sum);
    let (kernel, _) = decide(&mut s, Execution::Redundant, vec![outer.body(vec![inner])]);
    assert_eq!(names(&s, &kernel), (vec!["sum".into()], vec![]));
}

/// Loops over rows and lanes reduce one variable of the block: one step for
/// both levels.
#[test]
fn rows_and_lanes_meet_once() {
    let mut s = Sample::new();
    let (g, w, v, n) = (s.int("g"), s.int("w"), s.int("v"), s.value("n"));
    let (a, b) = (s.array("a", &[100, 100, 100]), s.array("b", &[100]));
    let sum = s.double("sum");
    let lanes = count(&v, 0, &n)
        .independent(&[Level::Lane])
        .reduction(&sum)
        .body(vec![add_to(sum.e(), a.at([g.e(), w.e(), v.e()]))]);
    let workers = count(&w, 0, &n)
        .independent(&[Level::Row])
        .reduction(&sum)
        .body(vec![lanes]);
    let body = vec![
        declare(&sum, Some(int(0))),
        workers,
        set(b.at([g.e()]), &sum),
    ];
    let body = vec![count(&g, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for g bx\n  declare sum\n  begin sum\n  for w ty\n    for v tx\n      …\n  \
         end sum [true, true, false]\n  single Block -> []\n    …\n"
    );
}

/// A variable in memory is reduced in a copy, which one thread stores.
#[test]
fn variables_in_memory_are_reduced_in_a_copy() {
    let mut s = Sample::new();
    let (t, i) = (s.int("t"), s.int("i"));
    let (a, sum) = (s.array("a", &[100]), s.reference("sum"));
    let inner = count(&i, 0, 100).body(vec![add_to(sum.e(), a.at([i.e()]))]);
    let again = set(a.at([t.e()]), &sum);
    let body = vec![count(&t, 0, 10).body(vec![inner, again])];
    let (kernel, outline) = decide(&mut s, Execution::Automatic, body);
    assert_eq!(names(&s, &kernel), (vec![], vec![]));
    assert_eq!(
        outline,
        "for t\n  barrier: `sum` is written\n  declare sum_copy\n  begin sum_copy\n  \
         for i tx\n    …\n  end sum_copy [true, false, false]\n  single Block -> []\n    …\n    …\n"
    );
}
