//! Schemes, distributions and blocks of hand-made kernels.

use crate::diagnostic::codes;
use crate::ir::builder::*;
use crate::ir::{
    Axis, BlockExtent, Dimension, Execution, Kernel, Level, Order, Scheme, Shape, Statement,
};
use crate::passes::testing::{decide, decide_module};
use crate::typed::Builtin;

fn block(kernel: &Kernel) -> Vec<u32> {
    kernel
        .block
        .iter()
        .flatten()
        .map(|extent| match extent {
            BlockExtent::Constant(n) => *n,
            BlockExtent::Expression(_) => 0,
        })
        .collect()
}

/// A nest of loops over `a`, each with a directive or without.
fn nest(s: &mut Sample, depth: usize, make: impl Fn(L, usize) -> L) -> Vec<Statement> {
    let names = ["i", "j", "k", "l"];
    let n = s.value("n");
    let variables: Vec<V> = names[..depth].iter().map(|name| s.int(name)).collect();
    let a = s.array("a", &[10, 10, 10, 10]);
    let index = |d: usize| variables.get(d).map_or(int(0), V::e);
    let mut body = vec![set(a.at([index(0), index(1), index(2), index(3)]), 1)];
    for (level, v) in variables.iter().enumerate().rev() {
        body = vec![make(count(v, 0, &n), level).body(body)];
    }
    body
}

#[test]
fn one_loop_is_flat_along_x() {
    let mut s = Sample::new();
    let body = nest(&mut s, 1, |l, _| l.independent(&[]));
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(kernel.scheme, Some(Scheme::Flat));
    assert_eq!(outline, "for i bx tx\n  …\n");
    assert_eq!(block(&kernel), [256, 1, 1]);
    assert_eq!(kernel.grid[0].len(), 1);
}

#[test]
fn collapsed_loops_take_x_from_inside() {
    let mut s = Sample::new();
    let collapse = |l: L, level| {
        if level == 0 {
            l.independent(&[]).collapse(2)
        } else {
            l
        }
    };
    let body = nest(&mut s, 2, collapse);
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(outline, "for i by ty\n  for j bx tx\n    …\n");
    assert_eq!(block(&kernel), [32, 8, 1]);
}

#[test]
fn a_fourth_collapsed_loop_runs_within_threads() {
    let mut s = Sample::new();
    let collapse = |l: L, level| {
        if level == 0 {
            l.independent(&[]).collapse(4)
        } else {
            l
        }
    };
    let body = nest(&mut s, 4, collapse);
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(
        outline,
        "for i\n  for j bz tz\n    for k by ty\n      for l bx tx\n        …\n"
    );
    assert_eq!(block(&kernel), [32, 4, 2]);
}

#[test]
fn vector_sizes_on_each_loop_of_a_nest_size_its_dimension() {
    let mut s = Sample::new();
    let body = nest(&mut s, 2, |l, level| {
        let outer: &[Level] = if level == 0 { &[Level::Block] } else { &[] };
        l.independent(outer).lanes(if level == 0 { 4 } else { 64 })
    });
    let (kernel, _) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(kernel.scheme, Some(Scheme::Flat));
    assert_eq!(block(&kernel), [64, 4, 1]);
}

#[test]
fn levels_on_different_loops_are_kept() {
    let mut s = Sample::new();
    let body = nest(&mut s, 3, |l, depth| l.independent(&[Level::ALL[depth]]));
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(kernel.scheme, Some(Scheme::Hierarchical));
    assert_eq!(outline, "for i bx\n  for j ty\n    for k tx\n      …\n");
    assert_eq!(block(&kernel), [32, 8, 1]);
}

/// A triangular nest: the inner bound depends on the outer variable.
#[test]
fn dependent_bounds_make_blocks_and_lanes() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let inner = count(&j, 0, &i)
        .independent(&[])
        .body(vec![set(a.at([i.e(), j.e()]), 1)]);
    let body = vec![count(&i, 0, &n).independent(&[]).body(vec![inner])];
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(outline, "for i bx\n  for j tx\n    …\n");
    assert_eq!(block(&kernel), [128, 1, 1]);
}

/// Two loops over blocks share the x axis of the grid: along y, blocks would repeat
/// the one-dimensional loop.
#[test]
fn block_loops_side_by_side_use_one_axis() {
    let mut s = Sample::new();
    let (i, j, k, n) = (s.int("i"), s.int("j"), s.int("k"), s.value("n"));
    let (a, b) = (s.array("a", &[100, 100]), s.array("b", &[100]));
    let inner = count(&j, 0, &n).body(vec![set(a.at([i.e(), j.e()]), 1)]);
    let body = vec![
        count(&i, 0, &n)
            .independent(&[])
            .collapse(2)
            .body(vec![inner]),
        count(&k, 0, &n)
            .independent(&[])
            .body(vec![set(b.at([k.e()]), 1)]),
    ];
    let (_, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(outline, "for i bx\n  for j tx\n    …\nfor k bx tx\n  …\n");
}

/// In `kernels`, a time loop around parallel loops that a block holds keeps to
/// one block.
#[test]
fn sequential_outer_loops_of_kernels_use_one_block() {
    let mut s = Sample::new();
    let (t, i, j) = (s.int("t"), s.int("i"), s.int("j"));
    let (a, b) = (s.array("a", &[100]), s.array("b", &[100]));
    let step = |v: &V, to: &V, from: &V| {
        count(v, 0, 100).body(vec![set(to.at([v.e()]), from.at([v.e()]) + 1)])
    };
    let body = vec![step(&i, &b, &a), step(&j, &a, &b)];
    let body = vec![count(&t, 0, 10).body(body)];
    let (_, outline) = decide(&mut s, Execution::Automatic, body);
    assert_eq!(outline, "for t\n  for i tx\n    …\n  for j tx\n    …\n");
}

/// Matrix multiplication in `kernels`: the two outer loops are the grid, the
/// sum runs within a thread.
#[test]
fn inner_sums_of_kernels_stay_within_threads() {
    let mut s = Sample::new();
    let (i, j, k, n) = (s.int("i"), s.int("j"), s.int("k"), s.value("n"));
    let (a, b) = (s.array("a", &[100, 100]), s.array("b", &[100, 100]));
    let c = s.array("c", &[100, 100]);
    let sum = s.double("sum");
    let product = a.at([i.e(), k.e()]) * b.at([k.e(), j.e()]);
    let body = vec![
        declare(&sum, Some(int(0))),
        count(&k, 0, &n).body(vec![add_to(sum.e(), product)]),
        set(c.at([i.e(), j.e()]), &sum),
    ];
    let body = vec![count(&j, 0, &n).body(body)];
    let body = vec![count(&i, 0, &n).body(body)];
    let (kernel, outline) = decide(&mut s, Execution::Automatic, body);
    assert_eq!(kernel.scheme, Some(Scheme::Flat));
    assert!(kernel.grid_reductions.is_empty());
    assert_eq!(
        outline,
        "for i by ty\n  for j bx tx\n    declare sum\n    for k\n      …\n    …\n"
    );
    assert_eq!(kernel.read_only, [a.symbol, b.symbol]);
}

#[test]
fn too_many_threads_are_cut_with_a_warning() {
    let mut s = Sample::new();
    let body = nest(&mut s, 1, |l, _| {
        l.independent(&[Level::Block, Level::Lane]).lanes(2000)
    });
    let module = s.module(Execution::Redundant, body);
    let (module, diagnostics) = decide_module(&mut s, module);
    assert_eq!(block(&module.kernels[0]), [1024, 1, 1]);
    let found: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(found, [codes::BLOCK_TOO_LARGE]);
}

/// Loops around a barrier, each with the code in front of it, outer ones
/// first.
fn around_barrier(loops: Vec<(Vec<Statement>, L)>) -> Vec<Statement> {
    let mut body = vec![written_barrier()];
    for (before, l) in loops.into_iter().rev() {
        let mut list = before;
        list.push(l.body(body));
        body = list;
    }
    body
}

#[test]
fn a_nest_around_a_barrier_is_walked_by_tiles() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let r = s.int("r");
    let body = around_barrier(vec![
        (
            vec![],
            count(&i, 0, &n).independent(&[Level::Lane]).lanes(16),
        ),
        (
            vec![declare(&r, Some(i.e() * 2))],
            count(&j, 0, &n).independent(&[Level::Lane]).lanes(8),
        ),
    ]);
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(kernel.scheme, Some(Scheme::Flat));
    assert!(outline.contains("for i by ty tile\n"), "{outline}");
    assert!(outline.contains("  for j bx tx tile\n"), "{outline}");
    assert_eq!(block(&kernel), [8, 16, 1]);
    assert_eq!(kernel.grid[0].len() + kernel.grid[1].len(), 2);
}

#[test]
fn block_loops_around_tiles_are_blocks() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let body = around_barrier(vec![
        (vec![], count(&i, 0, &n).independent(&[Level::Block])),
        (
            vec![],
            count(&j, 0, &n).independent(&[Level::Lane]).lanes(64),
        ),
    ]);
    let (kernel, outline) = decide(&mut s, Execution::Redundant, body);
    assert!(
        outline.starts_with("for i bx\n  for j tx tile\n"),
        "{outline}"
    );
    assert_eq!(block(&kernel), [64, 1, 1]);
}

#[test]
fn a_block_with_windows_is_never_clamped() {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let body = around_barrier(vec![(
        vec![],
        count(&i, 0, &n).independent(&[]).lanes(2048),
    )]);
    let module = s.module(Execution::Automatic, body);
    let (_, diagnostics) = decide_module(&mut s, module);
    let codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [codes::BLOCK_OVER_LIMIT]);
}

/// The message of the one error about a kernel.
fn refusal(s: &mut Sample, body: Vec<Statement>) -> String {
    let module = s.module(Execution::Automatic, body);
    let (_, diagnostics) = decide_module(s, module);
    let messages: Vec<String> = diagnostics.iter().map(|d| d.message.clone()).collect();
    messages.join("\n")
}

#[test]
fn nests_that_a_block_cannot_share_are_refused() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let a = s.array("a", &[10]);
    let effect = around_barrier(vec![
        (vec![], count(&i, 0, &n).independent(&[Level::Lane])),
        (
            vec![set(a.at([i.e()]), 1)],
            count(&j, 0, &n).independent(&[Level::Lane]),
        ),
    ]);
    assert!(refusal(&mut s, effect).contains("has an effect"));
    let triangle = around_barrier(vec![
        (vec![], count(&i, 0, &n).independent(&[Level::Lane])),
        (vec![], count(&j, 0, &i).independent(&[Level::Lane])),
    ]);
    assert!(refusal(&mut s, triangle).contains("may disagree on a bound"));
    let sequential = around_barrier(vec![(vec![], count(&i, 0, &n).sequential())]);
    assert!(refusal(&mut s, sequential).contains("no loop around the windows is parallel"));
    let mut several = around_barrier(vec![(vec![], count(&i, 0, &n).independent(&[Level::Lane]))]);
    several.extend(around_barrier(vec![(
        vec![],
        count(&j, 0, &n).independent(&[Level::Lane]),
    )]));
    assert_eq!(
        refusal(&mut s, several),
        "",
        "nests that follow each other share the block"
    );
}

/// Two loops over `k` in a nest of `i` and `j`: the first one's accesses are
/// neighbours along `i`, the second one's, twice as many, along `j`.
fn two_inner_loops(bounds: impl Fn(&V, &V) -> [(E, E); 2]) -> String {
    let mut s = Sample::new();
    let (i, j, k, n) = (s.int("i"), s.int("j"), s.int("k"), s.value("n"));
    let arrays = ["p", "q", "r"].map(|name| s.array(name, &[200, 200]));
    let out = s.array("out", &[200, 200]);
    let sum = s.double("sum");
    let [p, q, r] = &arrays;
    let [first, second] = bounds(&i, &n);
    let along_i = add_to(sum.e(), p.at([j.e(), i.e()]));
    let along_j = add_to(sum.e(), q.at([i.e(), j.e()]) * r.at([i.e(), j.e()]));
    let body = vec![
        declare(&sum, Some(int(0))),
        count(&k, first.0, first.1).body(vec![along_i]),
        count(&k, second.0, second.1).body(vec![along_j]),
        set(out.at([int(0), int(0)]), sum.e()),
    ];
    let inner = count(&j, 0, 200).body(body);
    let nest = count(&i, 0, 200)
        .independent(&[])
        .collapse(2)
        .body(vec![inner]);
    decide(&mut s, Execution::Redundant, vec![nest]).1
}

/// `k <= i` runs a hundred times on average, `i - 1 <= k <= i + 1` three times.
#[test]
fn accesses_count_as_often_as_dependent_bounds_let_them_run() {
    let alike = two_inner_loops(|_, n| [(int(0), n.e()), (int(0), n.e())]);
    assert!(alike.starts_with("for i by ty\n  for j bx tx\n"), "{alike}");
    let triangle = |i: &V| (int(0), i.e() + 1);
    let band = |i: &V| (i.e() - 1, i.e() + 2);
    let often = two_inner_loops(|i, _| [triangle(i), band(i)]);
    assert!(often.starts_with("for i bx tx\n  for j by ty\n"), "{often}");
    let seldom = two_inner_loops(|i, _| [band(i), triangle(i)]);
    assert!(
        seldom.starts_with("for i by ty\n  for j bx tx\n"),
        "{seldom}"
    );
}

/// Narrow matrices multiplied in a batch, those on the left perhaps all the
/// same one; the block.
fn batch(is_shared: bool) -> (String, Vec<u32>) {
    let mut s = Sample::new();
    let [m, i, j] = ["m", "i", "j"].map(|name| s.int(name));
    let (k, n, sum) = (s.int("k"), s.value("n"), s.double("sum"));
    let [a, c] = ["a", "c"].map(|name| s.array(name, &[100, 100, 100]));
    let b = s.array("b", &[100, 100]);
    let matrix = if is_shared { int(0) } else { m.e() };
    let left = a.at([matrix, i.e(), k.e()]);
    let body = vec![
        declare(&sum, Some(int(0))),
        count(&k, 0, 8).body(vec![add_to(sum.e(), left * b.at([k.e(), j.e()]))]),
        set(c.at([m.e(), i.e(), j.e()]), &sum),
    ];
    let innermost = count(&j, 0, &n).body(body);
    let middle = count(&i, 0, &n).body(vec![innermost]);
    let nest = count(&m, 0, &n)
        .independent(&[])
        .collapse(3)
        .body(vec![middle]);
    let nest = vec![nest];
    let (kernel, outline) = decide(&mut s, Execution::Redundant, nest);
    (outline, block(&kernel))
}

/// All threads along `m` and `i` read the same element of `b`, along `j` of
/// `a`; where `a` is shared as well, threads along `m` have most in common.
#[test]
fn threads_along_y_have_elements_in_common() {
    let (outline, _) = batch(true);
    assert!(
        outline.starts_with("for m by ty\n  for i bz tz\n    for j bx tx\n"),
        "{outline}"
    );
    let (outline, extents) = batch(false);
    assert!(
        outline.starts_with("for m bz tz\n  for i by ty\n    for j bx tx\n"),
        "{outline}"
    );
    assert_eq!(extents, [32, 4, 2]);
}

/// `out[m][i][j] = in[m][i][j] * w[m][j]`: threads have something in common along
/// `i` alone, and so all of a block's are there.
#[test]
fn a_block_has_two_dimensions_where_threads_along_the_third_have_nothing_in_common() {
    let mut s = Sample::new();
    let [i, m, j] = ["i", "m", "j"].map(|name| s.int(name));
    let n = s.value("n");
    let [out, a] = ["out", "a"].map(|name| s.array(name, &[100, 100, 100]));
    let w = s.array("w", &[100, 100]);
    let at = [m.e(), i.e(), j.e()];
    let value = a.at(at.clone()) * w.at([m.e(), j.e()]);
    let innermost = count(&j, 0, &n).body(vec![set(out.at(at), value)]);
    let middle = count(&m, 0, &n).body(vec![innermost]);
    let nest = count(&i, 0, &n)
        .independent(&[])
        .collapse(3)
        .body(vec![middle]);
    let (kernel, outline) = decide(&mut s, Execution::Redundant, vec![nest]);
    assert_eq!(
        outline,
        "for i by ty\n  for m bz tz\n    for j bx tx\n      …\n"
    );
    assert_eq!(block(&kernel), [32, 8, 1]);
}

/// A kernel of 4 x 16 threads, with a barrier in a loop to `bound` over its threads,
/// and what the passes say of it.
fn with_barrier(bound: &dyn Fn(&Sample, &V) -> E, over: &[Dimension]) -> Vec<String> {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let bound = bound(&s, &n);
    let mut shared = count(&i, 0, bound);
    for &dimension in over {
        shared = shared.over(dimension, Order::Cyclic);
    }
    let body = vec![shared.body(vec![written_barrier()])];
    let mut module = s.module(Execution::Redundant, body);
    let sizes = |sizes: &[i128]| sizes.iter().map(|&n| int(n).0).collect();
    module.kernels[0].shape = Some(Shape::Grid {
        grid: sizes(&[4]),
        block: sizes(&[16]),
    });
    let (_, diagnostics) = decide_module(&mut s, module);
    diagnostics.iter().map(|d| d.message.clone()).collect()
}

#[test]
fn threads_of_a_shape_meet_at_barriers_or_are_refused() {
    let n = |_: &Sample, n: &V| n.e();
    let own = |s: &Sample, _: &V| s.builtin(Builtin::ThreadIndex, Axis::X);
    let threads = [Dimension::Block(0)];
    assert_eq!(with_barrier(&n, &threads), [""; 0]);
    let refused = |bound: &dyn Fn(&Sample, &V) -> E, over: &[Dimension], said: &str| {
        let messages = with_barrier(bound, over);
        assert!(messages.iter().any(|m| m.contains(said)), "{messages:?}");
    };
    refused(&own, &threads, "disagree on a bound");
    assert_eq!(with_barrier(&n, &[Dimension::Grid(0)]), [""; 0]);
    refused(&own, &[Dimension::Grid(0)], "may disagree on this");
    refused(&own, &[], "may disagree on this");
    refused(&n, &[Dimension::Block(3)], "no such dimension");
}
