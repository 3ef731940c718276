//! Where barriers and single-thread sections go, on hand-made kernels.

use crate::ir::builder::*;
use crate::ir::{Execution, Level, PrivateArrayOwner, Statement};
use crate::passes::testing::{decide, decide_module};
use crate::typed::BinaryOperator::Greater;
use crate::typed::SymbolId;

/// ```c
/// loop block: for r { first[r] = 1; loop vector: for c a[r][c] = 2; last[r] = a[r][0]; }
/// ```
#[test]
fn single_code_waits_for_the_lanes_whose_results_it_reads() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let (first, last) = (s.array("first", &[100]), s.array("last", &[100]));
    let body = vec![
        set(first.at([r.e()]), 1),
        count(&c, 0, &n)
            .independent(&[Level::Lane])
            .body(vec![set(a.at([r.e(), c.e()]), 2)]),
        set(last.at([r.e()]), a.at([r.e(), int(0)])),
    ];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for r bx\n  single Block -> []\n    …\n  for c tx\n    …\n  barrier: `a` is written\n  \
         single Block -> []\n    …\n"
    );
}

/// A row sum: the lanes' sums meet in all threads, one thread stores.
#[test]
fn reductions_of_vector_loops_reach_all_threads() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let out = s.array("out", &[100]);
    let sum = s.double("sum");
    let body = vec![
        declare(&sum, Some(int(0))),
        count(&c, 0, &n)
            .independent(&[Level::Lane])
            .reduction(&sum)
            .body(vec![add_to(sum.e(), a.at([r.e(), c.e()]))]),
        set(out.at([r.e()]), &sum),
    ];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for r bx\n  declare sum\n  begin sum\n  for c tx\n    …\n  end sum [true, false, false]\n  \
         single Block -> []\n    …\n"
    );
}

/// A loop over blocks whose lanes fill an array of the block and read it crosswise.
fn filled_and_read(s: &mut Sample) -> (Statement, SymbolId) {
    let (r, c, d, n) = (s.int("r"), s.int("c"), s.int("d"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let row = s.local_array("row", &[100]);
    let body = vec![
        declare(&row, None),
        count(&c, 0, &n)
            .independent(&[Level::Lane])
            .body(vec![set(row.at([c.e()]), a.at([r.e(), c.e()]))]),
        count(&d, 0, &n)
            .independent(&[Level::Lane])
            .body(vec![set(a.at([r.e(), d.e()]), row.at([n.e() - &d - 1]))]),
    ];
    let l = count(&r, 0, &n).independent(&[Level::Block]);
    (l.body(body), row.symbol)
}

/// Such an array lives in shared memory, and no barrier is before it is filled where no block
/// fills it twice.
#[test]
fn block_arrays_are_shared() {
    let mut s = Sample::new();
    let (blocks, row) = filled_and_read(&mut s);
    let (kernel, outline) = decide(&mut s, Execution::Redundant, vec![blocks]);
    assert_eq!(kernel.shared[0].symbol, row);
    assert_eq!(
        outline,
        "for r bx\n  for c tx\n    …\n  barrier: `row` is written\n  for d tx\n    …\n"
    );
}

/// A barrier is before it is filled again.
#[test]
fn block_arrays_are_not_refilled_while_read() {
    let mut s = Sample::new();
    let (blocks, _) = filled_and_read(&mut s);
    let t = s.int("t");
    let again = count(&t, 0, int(9)).body(vec![blocks]);
    let (_, outline) = decide(&mut s, Execution::Redundant, vec![again]);
    assert_eq!(
        outline,
        "for t\n  for r bx\n    barrier: `a` is written\n    for c tx\n      …\n    \
         barrier: `row` is written\n    for d tx\n      …\n"
    );
}

/// All threads wait where their sums meet: what they read before may be written behind.
#[test]
fn reductions_of_a_block_are_barriers() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let sum = s.double("sum");
    let body = vec![
        declare(&sum, Some(int(0))),
        count(&c, 0, &n)
            .independent(&[Level::Lane])
            .reduction(&sum)
            .body(vec![add_to(sum.e(), a.at([r.e(), c.e()]))]),
        set(a.at([r.e(), int(0)]), &sum),
    ];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert!(!outline.contains("barrier"), "{outline}");
}

/// A condition on memory that other blocks may write is evaluated by one
/// thread: `while (flag[r] > 0) { loop vector: flag[c] = …; }`.
#[test]
fn contested_conditions_are_broadcast() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let flag = s.array("flag", &[100]);
    let inner = count(&c, 0, &n)
        .independent(&[Level::Lane])
        .body(vec![set(flag.at([c.e()]), 0)]);
    let body = vec![repeat(
        binary(Greater, flag.at([r.e()]), int(0)),
        vec![inner],
    )];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for r bx\n  while\n    declare taken\n    barrier: `flag` is written\n    \
         single Block -> [taken]\n      …\n    if\n      break\n    for c tx\n      …\n"
    );
}

/// Conditions on values that no other block can change stay as they are.
#[test]
fn uniform_conditions_stay() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let (a, b) = (s.array("a", &[100, 100]), s.array("b", &[100]));
    let inner = count(&c, 0, &n)
        .independent(&[Level::Lane])
        .body(vec![set(a.at([r.e(), c.e()]), 0)]);
    let body = vec![when(binary(Greater, b.at([r.e()]), int(0)), vec![inner])];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(outline, "for r bx\n  if\n    for c tx\n      …\n");
}

/// Inside a loop over rows, lanes wait for the lanes of their row only, and
/// its first lane does what is done once.
#[test]
fn rows_synchronise_their_own_lanes() {
    let mut s = Sample::new();
    let (g, w, v, n) = (s.int("g"), s.int("w"), s.int("v"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let b = s.array("b", &[100]);
    let body = vec![
        count(&v, 0, &n)
            .independent(&[Level::Lane])
            .body(vec![set(a.at([w.e(), v.e()]), 1)]),
        set(b.at([w.e()]), a.at([w.e(), int(0)])),
    ];
    let body = vec![count(&w, 0, &n).independent(&[Level::Row]).body(body)];
    let body = vec![count(&g, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for g bx\n  for w ty\n    for v tx\n      …\n    row barrier: `a` is written\n    \
         single Row -> []\n      …\n"
    );
}

/// What one thread computes with an effect reaches the others.
#[test]
fn values_of_single_sections_are_broadcast() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let (a, b) = (s.array("a", &[100, 100]), s.array("b", &[100]));
    let t = s.double("t");
    let take = |e: E| set(t.e(), e);
    let body = vec![
        declare(&t, None),
        when(
            binary(Greater, b.at([r.e()]), int(0)),
            vec![set(b.at([r.e()]), 0), take(int(2))],
        ),
        count(&c, 0, &n)
            .independent(&[Level::Lane])
            .body(vec![set(a.at([r.e(), c.e()]), &t)]),
    ];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for r bx\n  declare t\n  single Block -> [t]\n    if\n      …\n      …\n  \
         for c tx\n    …\n"
    );
}

/// A scalar of the block that lanes write is in shared memory.
#[test]
fn scalars_that_lanes_write_for_the_block_are_shared() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let (a, b) = (s.array("a", &[100, 100]), s.array("b", &[100]));
    let found = s.int("found");
    let body = vec![
        declare(&found, Some(int(0))),
        count(&c, 0, &n).independent(&[Level::Lane]).body(vec![when(
            binary(Greater, a.at([r.e(), c.e()]), int(9)),
            vec![set(found.e(), 1)],
        )]),
        set(b.at([r.e()]), &found),
    ];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(kernel.shared.len(), 1);
    assert_eq!(kernel.shared[0].level, Level::Block);
    assert_eq!(
        outline,
        "for r bx\n  single Block -> []\n    …\n  \
         barrier: `found` is written again\n  for c tx\n    if\n      …\n  \
         barrier: `found` is written\n  single Block -> []\n    …\n"
    );
}

#[test]
fn an_array_that_does_not_fit_in_shared_memory_is_in_device_memory() {
    let mut s = Sample::new();
    let (r, c, n) = (s.int("r"), s.int("c"), s.value("n"));
    let row = s.local_array("row", &[20_000]);
    let body = vec![
        declare(&row, None),
        count(&c, 0, &n)
            .independent(&[Level::Lane])
            .body(vec![set(row.at([c.e()]), 1)]),
    ];
    let body = vec![count(&r, 0, &n).independent(&[Level::Block]).body(body)];
    let module = s.module(Execution::Redundant, body);
    let (module, diagnostics) = decide_module(&mut s, module);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let kernel = &module.kernels[0];
    assert!(kernel.shared.is_empty());
    assert_eq!(
        kernel.private_arrays[0].owner,
        Some(PrivateArrayOwner::Block)
    );
}
