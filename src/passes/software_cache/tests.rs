use crate::ir::builder::{
    E, Sample, V, binary, count, declare, int, outline, region, set, when, window,
};
use crate::ir::{
    Execution, Kernel, Level, Statement, WindowExtent, WindowMarks, WindowPolicy, visit,
};
use crate::passes::testing::decide;
use crate::typed::print::{C, Printer};
use crate::typed::{BinaryOperator, synthesis};

/// A condition of a write, by what it is built of.
type Condition<'c> = &'c dyn Fn(&V, &E) -> E;

/// A condition on an iteration and another variable.
type Question<'q> = &'q dyn Fn(&V, &V) -> E;

const FETCH: WindowPolicy = WindowPolicy {
    fetch: true,
    channel: false,
    write_back: false,
};
const CHANNEL: WindowPolicy = WindowPolicy {
    fetch: true,
    channel: true,
    write_back: false,
};
const ALL: WindowPolicy = WindowPolicy {
    fetch: true,
    channel: true,
    write_back: true,
};

/// Base and extent of each dimension of a kernel's first window.
fn place(sample: &Sample, kernel: &Kernel) -> Vec<(String, u64)> {
    let dimensions = kernel.windows[0].dimensions.iter();
    dimensions
        .map(|d| {
            let WindowExtent::Constant(extent) = d.extent else {
                panic!("the extent is known");
            };
            (Printer::text(&sample.unit, &C, &d.first), extent)
        })
        .collect()
}

#[test]
fn a_window_holds_what_all_threads_of_a_block_need() {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let (a, b) = (s.array("a", &[1000]), s.array("b", &[1000]));
    let body = vec![set(b.at([i.e()]), a.at([i.e() - int(1)]))];
    let windows = vec![window(&a, &[(n.e() - i.e() * int(2), 3, 1)], FETCH)];
    let l = count(&i, 0, n.e())
        .independent(&[Level::Block, Level::Lane])
        .lanes(64);
    let (kernel, _) = decide(
        &mut s,
        Execution::Redundant,
        vec![l.body(vec![region(windows, body)])],
    );
    // 2 · 63 + 3 + 1 + 1 slots, from the last thread's pivot less 3.
    assert_eq!(place(&s, &kernel), [("n - i_first * 2 - 129".into(), 131)]);
}

#[test]
fn rows_against_the_threads_are_padded() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let (a, b) = (s.array("a", &[64, 64]), s.array("b", &[64, 64]));
    let body = vec![set(b.at([i.e(), j.e()]), a.at([j.e(), i.e()]))];
    let windows = vec![window(&a, &[(j.e(), 0, 0), (i.e(), 0, 0)], FETCH)];
    let inner = count(&j, 0, n.e()).independent(&[Level::Lane]).lanes(16);
    let outer = count(&i, 0, n.e())
        .independent(&[Level::Block, Level::Lane])
        .lanes(16);
    let nest = outer.body(vec![inner.body(vec![region(windows, body)])]);
    let (kernel, _) = decide(&mut s, Execution::Automatic, vec![nest]);
    let dimensions = &kernel.windows[0].dimensions;
    assert_eq!((dimensions[0].padding, dimensions[1].padding), (0, 1));
}

#[test]
fn conditional_writes_of_the_own_pivot_need_a_flag() {
    let marks = |s: &mut Sample, conditional: bool, shift: i128| {
        let (i, n) = (s.int("i"), s.value("n"));
        let a = s.array("a", &[1000]);
        let write = set(a.at([i.e() + int(shift)]), i.e());
        let body = match conditional {
            true => vec![when(n.e(), vec![write])],
            false => vec![write],
        };
        let windows = vec![window(&a, &[(i.e(), 1, 1)], ALL)];
        let l = count(&i, 0, n.e())
            .independent(&[Level::Block, Level::Lane])
            .lanes(64);
        let nest = l.body(vec![region(windows, body)]);
        decide(s, Execution::Redundant, vec![nest]).0.windows[0].marks
    };
    let always = marks(&mut Sample::new(), false, 0);
    assert_eq!(always, WindowMarks::Always);
    let flag = marks(&mut Sample::new(), true, 0);
    assert!(matches!(flag, WindowMarks::Flag(_)));
    let slots = marks(&mut Sample::new(), true, 1);
    assert!(matches!(slots, WindowMarks::Slots(_)));
    assert_eq!(marks(&mut Sample::new(), false, 1), WindowMarks::Part);
}

#[test]
fn all_threads_fetch_then_wait() {
    let mut s = Sample::new();
    let (t, i, n) = (s.int("t"), s.int("i"), s.value("n"));
    let (a, b) = (s.array("a", &[1000]), s.array("b", &[1000]));
    let body = vec![set(b.at([i.e()]), a.at([i.e()]))];
    let windows = vec![window(&a, &[(i.e(), 1, 1)], FETCH)];
    let l = count(&i, 0, n.e())
        .independent(&[Level::Block, Level::Lane])
        .lanes(64);
    let nest = l.body(vec![region(windows, body)]);
    let again = count(&t, 0, n.e()).body(vec![nest]);
    let (kernel, _) = decide(&mut s, Execution::Redundant, vec![again]);
    let text = outline(&s.unit, &kernel.body);
    let open = text.find("open [0]").unwrap();
    let filled = text.find("barrier: tile of `a` loaded").unwrap();
    let done = text.find("barrier: tile of `a` read").unwrap();
    assert!(open < filled && filled < done, "{text}");
}

/// A kernel with a window of each array, in regions one after the other.
fn in_turn(s: &mut Sample, first: &V, second: &V) -> (Kernel, usize) {
    let (i, n, b) = (s.int("i"), s.value("n"), s.array("b", &[1000]));
    let regions = [first, second].map(|array| {
        let body = vec![set(b.at([i.e()]), array.at([i.e()]))];
        region(vec![window(array, &[(i.e(), 1, 1)], FETCH)], body)
    });
    let l = count(&i, 0, n.e())
        .independent(&[Level::Block, Level::Lane])
        .lanes(64);
    let nest = l.body(regions.to_vec());
    let (kernel, _) = decide(s, Execution::Redundant, vec![nest]);
    let text = outline(&s.unit, &kernel.body);
    let waits = text.matches("` read").count();
    (kernel, waits)
}

#[test]
fn windows_of_one_array_and_shape_take_turns_in_one_shared_array() {
    let mut s = Sample::new();
    let a = s.array("a", &[1000]);
    let (kernel, waits) = in_turn(&mut s, &a, &a);
    assert_eq!(kernel.windows[0].storage, kernel.windows[1].storage);
    assert!(kernel.windows[0].shares_bytes(&kernel.windows[1]));
    assert_eq!(waits, 1);
}

#[test]
fn small_windows_of_two_arrays_have_bytes_of_their_own() {
    let mut s = Sample::new();
    let (a, c) = (s.array("a", &[1000]), s.array("c", &[1000]));
    let (kernel, _) = in_turn(&mut s, &a, &c);
    assert!(!kernel.windows[0].shares_bytes(&kernel.windows[1]));
    assert!(!kernel.windows[0].is_dynamic);
}

#[test]
fn regions_inside_each_other_share_no_bytes() {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let (a, b) = (s.array("a", &[1000]), s.array("b", &[1000]));
    let wide = |array: &V| vec![window(array, &[(i.e(), 3000, 3000)], FETCH)];
    let c = s.array("c", &[1000]);
    let body = vec![set(b.at([i.e()]), a.at([i.e()]) + c.at([i.e()]))];
    let inner = region(wide(&a), body);
    let l = count(&i, 0, n.e())
        .independent(&[Level::Block, Level::Lane])
        .lanes(64);
    let nest = l.body(vec![region(wide(&c), vec![inner])]);
    let (kernel, _) = decide(&mut s, Execution::Redundant, vec![nest]);
    assert!(kernel.windows.iter().all(|w| w.is_dynamic));
    assert!(!kernel.windows[0].shares_bytes(&kernel.windows[1]));
    assert!(kernel.windows[0].is_open_with(&kernel.windows[1]));
}

fn remainder(e: E, by: i128) -> E {
    let ty = e.0.ty.ty;
    let by = int(by).0;
    E(synthesis::binary(BinaryOperator::Remainder, e.0, by, ty))
}

/// The statement of a kernel's region, of blocks of 64 threads, that reads `a` at these indices
/// around this pivot.
fn read_at(
    lower: i128,
    step: i128,
    pivot: impl Fn(&V) -> E,
    indices: &[&dyn Fn(&V) -> E],
) -> String {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let (a, b) = (s.array("a", &[1000]), s.array("b", &[1000]));
    let sum = indices.iter().map(|index| a.at([index(&i)]));
    let sum = sum.reduce(|sum, e| sum + e).unwrap();
    let windows = vec![window(&a, &[(pivot(&i), 1, 1)], FETCH)];
    let l = count(&i, lower, n.e())
        .step(step)
        .independent(&[Level::Block, Level::Lane])
        .lanes(64);
    let body = vec![set(b.at([i.e()]), sum)];
    let nest = l.body(vec![region(windows, body)]);
    let (kernel, _) = decide(&mut s, Execution::Redundant, vec![nest]);
    let texts = texts(&s, &kernel);
    let of_window = |text: &String| text.contains("a_window");
    texts.into_iter().rfind(of_window).unwrap_or_default()
}

/// What a kernel's statements evaluate, in order.
fn texts(s: &Sample, kernel: &Kernel) -> Vec<String> {
    let mut found = Vec::new();
    visit::walk(&kernel.body, &mut |statement| {
        visit::own_expressions(statement, &mut |e| {
            found.push(Printer::text(&s.unit, &C, e))
        });
    });
    found
}

#[test]
fn slots_are_the_threads_own_indices() {
    let own = |i: &V| i.e();
    let before = |i: &V| i.e() - int(1);
    let behind = |i: &V| i.e() + int(1);
    assert_eq!(
        read_at(0, 1, own, &[&before, &own, &behind]),
        "b[i] = a_window[threadIdx.x] + a_window[threadIdx.x + 1] + a_window[threadIdx.x + 2]"
    );
    // Wherever the loop begins.
    assert_eq!(
        read_at(7, 1, own, &[&own]),
        "b[i] = a_window[threadIdx.x + 1]"
    );
}

#[test]
fn slots_of_steps_and_of_pivots_that_run_backwards() {
    let own = |i: &V| i.e();
    let behind = |i: &V| i.e() + int(1);
    assert_eq!(
        read_at(1, 3, own, &[&own, &behind]),
        "b[i] = a_window[3 * threadIdx.x + 1] + a_window[3 * threadIdx.x + 2]"
    );
    // The last of 64 threads has the least index.
    let mirrored = |i: &V| int(900) - i.e();
    assert_eq!(
        read_at(0, 1, mirrored, &[&mirrored]),
        "b[i] = a_window[64 - (int)threadIdx.x]"
    );
}

#[test]
fn remainders_by_the_block_are_the_threads_own_indices() {
    let own = |i: &V| i.e();
    let rest = |i: &V| remainder(i.e(), 64);
    let text = read_at(0, 1, own, &[&own, &rest]);
    assert!(text.contains("a_window[(int)threadIdx.x - "), "{text}");
    // Blocks begin at 64·tile + 7.
    let text = read_at(7, 1, own, &[&own, &rest]);
    assert!(text.contains("i % 64"), "{text}");
}

/// What becomes of the marks of `a`, 9 x 9 slots of it, if each of 8 threads goes through 15 steps and
/// writes `a[thread + 1][index]` where the conditions hold; of the least slot that is read before.
fn written(
    conditions: &[Condition<'_>],
    steps: impl Fn(E, E) -> E,
    read: [i128; 2],
) -> (WindowMarks, Option<Vec<std::ops::Range<u64>>>, bool) {
    let mut s = Sample::new();
    let (t, k, n) = (s.int("t"), s.int("k"), s.value("n"));
    let a = s.array("a", &[64, 64]);
    let lane = || remainder(t.e(), 8);
    let (row, column) = (lane() + int(1), steps(k.e(), lane()) + int(1));
    let old = a.at([row.clone() + int(read[0]), column.clone() + int(read[1])]);
    let mut body = set(a.at([row, column.clone()]), old);
    for condition in conditions {
        body = when(condition(&n, &column), vec![body]);
    }
    let triples = [(lane() + int(1), 1, 0), (int(1), 1, 7)];
    let l = count(&k, 0, int(15)).sequential();
    let body = vec![l.body(vec![body])];
    let nest = count(&t, 0, int(8))
        .independent(&[Level::Block, Level::Lane])
        .lanes(8)
        .body(vec![region(vec![window(&a, &triples, ALL)], body)]);
    let (kernel, _) = decide(&mut s, Execution::Redundant, vec![nest]);
    let window = &kernel.windows[0];
    let part = window.part.as_ref();
    let comes_first = part.is_some_and(|part| part.comes_first);
    (
        window.marks,
        part.map(|part| part.slots.clone()),
        comes_first,
    )
}

#[test]
fn slots_that_are_known_to_be_written_need_no_marks() {
    let above = |_: &V, column: &E| binary(BinaryOperator::GreaterEqual, column.clone(), int(1));
    let below = |_: &V, column: &E| binary(BinaryOperator::Less, column.clone(), int(9));
    let limit = |n: &V, column: &E| binary(BinaryOperator::LessEqual, column.clone(), n.e());
    let wave = |step: E, lane: E| step - lane;
    let found = written(&[&limit, &below, &above], wave, [-1, 0]);
    assert_eq!(found, (WindowMarks::Part, Some(vec![1..9, 1..9]), true));
    // What is read to the right is written later.
    let found = written(&[&limit, &below, &above], wave, [0, 1]);
    assert_eq!(found, (WindowMarks::Part, Some(vec![1..9, 1..9]), false));
    // A slot of the box that is read may not be written.
    let from = |n: &V, column: &E| binary(BinaryOperator::GreaterEqual, column.clone(), n.e());
    let found = written(&[&from, &below, &above], wave, [0, -1]);
    assert_eq!(found, (WindowMarks::Part, Some(vec![1..9, 1..9]), false));
}

#[test]
fn slots_that_are_not_known_to_be_written_keep_their_marks() {
    let below = |_: &V, column: &E| binary(BinaryOperator::Less, column.clone(), int(9));
    let marks = |conditions: &[Condition<'_>], steps: &dyn Fn(E, E) -> E| {
        let (marks, ..) = written(conditions, steps, [0, 0]);
        assert!(matches!(marks, WindowMarks::Slots(_)), "{marks:?}");
    };
    // Not all slots of the box have a step.
    marks(&[&below], &|step, lane| step - lane);
    // Two steps, or threads, have one slot; every other slot has none.
    marks(&[&below], &|_, lane| lane);
    marks(&[&below], &|step, _| remainder(step, 8));
    marks(&[&below], &|step, _| step * int(2));
    // A condition of neither slots nor one index.
    let product = |n: &V, column: &E| binary(BinaryOperator::Less, column.clone() * n.e(), int(9));
    marks(&[&below, &product], &|step, _| step);
    let truth = |n: &V, _: &E| n.e();
    marks(&[&below, &truth], &|step, _| step);
}

/// The kernel of a region with windows of `a`, fetched, and of the channel `b`, whose body is made
/// from `a`, `b`, the iteration and a private variable that begins with 5.
fn with_channel(body: &dyn Fn([&V; 4]) -> Vec<Statement>) -> String {
    let mut s = Sample::new();
    let (i, x, n) = (s.int("i"), s.int("x"), s.value("n"));
    let (a, b) = (s.array("a", &[1000]), s.array("b", &[1000]));
    let windows = vec![
        window(&a, &[(i.e(), 1, 1)], FETCH),
        window(&b, &[(i.e(), 1, 1)], CHANNEL),
    ];
    let nest = count(&i, 1, n.e())
        .independent(&[Level::Block, Level::Lane])
        .lanes(64)
        .body(vec![
            declare(&x, Some(int(5))),
            region(windows, body([&a, &b, &i, &x])),
        ]);
    let (kernel, _) = decide(&mut s, Execution::Redundant, vec![nest]);
    assert_eq!(kernel.windows.len(), 2);
    texts(&s, &kernel).join("\n")
}

#[test]
fn reads_before_and_behind_a_barrier_are_kept() {
    let below = |e: E, n: i128| binary(BinaryOperator::Less, e, int(n));
    let both = |a: E, b: E| binary(BinaryOperator::LogicalAnd, a, b);
    let text = |first: Question<'_>, change: bool, second: Question<'_>| {
        with_channel(&|[a, b, i, x]| {
            let mut then = vec![set(b.at([i.e()]), a.at([i.e() + int(1)]))];
            then.extend(change.then(|| set(x.e(), int(9))));
            let left = b.at([i.e() - int(1)]);
            let again = set(b.at([i.e()]), a.at([i.e() + int(1)]) + left);
            vec![when(first(i, x), then), when(second(i, x), vec![again])]
        })
    };
    let (own, rest): (Question<'_>, Question<'_>) = (
        &|i, x| binary(BinaryOperator::Less, i.e(), x.e()),
        &|i, x| {
            both(
                below(i.e(), 700),
                binary(BinaryOperator::Less, i.e(), x.e()),
            )
        },
    );
    let kept = text(own, false, rest);
    assert_eq!(kept.matches("a_window[").count(), 1, "{kept}");
    assert_eq!(kept.matches("a_value").count(), 3, "{kept}");
    // The second condition may hold alone, or another one than before.
    for other in [text(rest, false, own), text(own, true, rest)] {
        assert_eq!(other.matches("a_window[").count(), 2, "{other}");
    }
}

#[test]
fn own_values_are_kept_over_steps() {
    let text = |steps: bool, other: i128| {
        let mut s = Sample::new();
        let (i, t, n) = (s.int("i"), s.int("t"), s.value("n"));
        let a = s.array("a", &[1000]);
        let sum = a.at([i.e()]) + a.at([i.e() - int(1)]);
        let mut body = vec![set(a.at([i.e() + int(other)]), sum)];
        if steps {
            body = vec![count(&t, 0, n.e()).sequential().body(body)];
        }
        let windows = vec![window(&a, &[(i.e(), 1, 1)], CHANNEL)];
        let nest = count(&i, 1, n.e())
            .independent(&[Level::Block, Level::Lane])
            .lanes(64)
            .body(vec![region(windows, body)]);
        let (kernel, _) = decide(&mut s, Execution::Redundant, vec![nest]);
        texts(&s, &kernel).join("\n")
    };
    let kept = text(true, 0);
    assert!(kept.contains("a_own += a_window[threadIdx.x]"), "{kept}");
    assert!(kept.contains("a_window[threadIdx.x + 1] = a_own"), "{kept}");
    // Another thread writes to the slot; it is read once.
    for other in [text(true, 1), text(false, 0)] {
        assert!(!other.contains("a_own"), "{other}");
    }
}
