//! Which loops count in the index type, in `int`, or in neither.

use super::{in_index_type, is_narrow, test_bounds};
use crate::ir::builder::*;
use crate::ir::{
    Axis, BlockExtent, Distribution, Execution, IndexTest, Kernel, Loop, LoopCounters, Passing,
    Relation, Scheme, StatementKind, TripCount,
};
use crate::source::Span;
use crate::typed::{
    Conversion, Expression, ExpressionKind, IntegerKind, QualType, Type, synthesis,
};

/// The counters of a kernel with one loop over the grid, from `first` to `n`, that may be changed.
fn of_grid(change: impl Fn(&mut Kernel, &V)) -> LoopCounters {
    let mut s = Sample::new();
    s.function("f");
    let (i, n, first) = (s.int("i"), s.value("n"), s.value("first"));
    let shared = count(&i, first.e(), n.e()).body(vec![evaluate(i.e() + 1)]);
    let mut kernel = s
        .module(Execution::Redundant, vec![shared])
        .kernels
        .remove(0);
    loop_of(&mut kernel, |l| {
        l.distribution = Some(Distribution::grid(Axis::X))
    });
    kernel.scheme = Some(Scheme::Flat);
    kernel.block = Some([256, 1, 1].map(BlockExtent::Constant));
    change(&mut kernel, &n);
    in_index_type(&kernel, &s.unit)
}

fn loop_of(kernel: &mut Kernel, change: impl Fn(&mut Loop)) {
    if let StatementKind::Loop(l) = &mut kernel.body[0].kind {
        change(l);
    }
}

fn is_chosen(change: impl Fn(&mut Kernel, &V)) -> bool {
    of_grid(change).chosen.len() == 1
}

#[test]
fn loops_of_the_grid_are_numbered_where_the_launch_has_their_numbers() {
    let plain = of_grid(|_, _| ());
    assert_eq!(plain.chosen.len(), 1);
    assert!(matches!(&plain.tests[..], [IndexTest::Trips(_, 1)]));
    assert!(is_chosen(
        |k, _| loop_of(k, |l| l.relation = Relation::LessEqual)
    ));
    let stepping = of_grid(|k, _| loop_of(k, |l| l.step = int(3).0));
    assert!(matches!(&stepping.tests[..], [IndexTest::Trips(_, 3)]));
    let once = of_grid(|k, _| loop_of(k, |l| l.once = Some(crate::ir::Once::AtMost)));
    assert_eq!((once.narrow.len(), once.kept.len()), (1, 1));
    assert!(once.chosen.is_empty() && once.tests.is_empty());
    // One that strides in its variable has half as many, and the grid for itself.
    let of_subscripts = |k: &mut Kernel| loop_of(k, |l| l.body.clear());
    let striding = of_grid(|k, _| of_subscripts(k));
    assert!(matches!(&striding.tests[..], [IndexTest::Values(_, 2)]));
    assert!(!is_chosen(|k, _| {
        of_subscripts(k);
        k.body.push(k.body[0].clone());
    }));
    // The launch keeps what is all of a kernel, and counts up.
    let is_numbered = |change: &dyn Fn(&mut Kernel)| {
        let counters = of_grid(|k, _| {
            loop_of(k, |l| l.once = Some(crate::ir::Once::AtMost));
            change(k);
        });
        counters.kept.is_empty() && matches!(&counters.tests[0], IndexTest::Values(_, 1))
    };
    assert!(is_numbered(&|k| k.body.push(k.body[0].clone())));
    assert!(is_numbered(
        &|k| loop_of(k, |l| l.relation = Relation::NotEqual)
    ));
    // A block of steps may leave `int`, the grid may be any, or the bound another one on the device.
    assert!(!is_chosen(|k, _| loop_of(k, |l| l.step = int(33).0)));
    assert!(!is_chosen(|k, n| loop_of(k, |l| l.step = n.e().0)));
    assert!(!is_chosen(|k, _| k.scheme = Some(Scheme::Hierarchical)));
    assert!(!is_chosen(|k, _| {
        k.exact_grid = Some([4, 1, 1].map(BlockExtent::Constant));
    }));
    assert!(!is_chosen(|k, n| {
        let capture = k.captures.iter_mut().find(|c| c.symbol == n.symbol);
        capture.unwrap().passing = Passing::Reference;
    }));
    assert!(!is_chosen(|k, n| {
        let n = n.clone();
        loop_of(k, |l| l.body.push(add_to(n.e(), 1)));
    }));
}

#[test]
fn loops_of_small_constants_count_in_int() {
    let of = |lower: i128, bound: i128, step: i128| {
        let counters = of_grid(|k, _| {
            loop_of(k, |l| {
                (l.lower, l.bound, l.step) = (int(lower).0, int(bound).0, int(step).0);
            });
        });
        assert!(counters.narrow.is_empty() || counters.tests.is_empty());
        counters.narrow.len() == 1
    };
    assert!(of(0, 1000, 3) && of(-(1 << 29), 1 << 29, 100));
    // Near the end, or in its own variable.
    assert!(!of(0, (1 << 29) + 1, 3) && !of(0, 1000, (1 << 29) + 1));
    assert!(!of(0, 1000, 1) && !of(-7, 1000, 1));
    let wide = of_grid(|k, _| {
        loop_of(k, |l| (l.lower, l.step) = (int(0).0, int(3).0));
        k.scheme = Some(Scheme::Hierarchical);
    });
    assert!(wide.narrow.is_empty());
}

#[test]
fn narrow_bounds_are_those_that_no_conversion_makes_large() {
    use IntegerKind as I;
    let s = Sample::new();
    // A variable of the first type, converted to the others in turn.
    let of = |kinds: &[I]| {
        let mut types = (kinds.iter()).map(|kind| s.unit.types.intern(Type::Integer(*kind)));
        let id = synthesis::variable(&s.unit, "v", types.next().unwrap(), Span::default());
        let variable = synthesis::symbol(&s.unit, id, Span::default());
        let converted = types.fold(variable, |e, ty| Expression {
            kind: ExpressionKind::Convert(Conversion::Arithmetic, Box::new(e)),
            ty: QualType::plain(ty),
            span: Span::default(),
        });
        is_narrow(&converted, &s.unit)
    };
    assert!(of(&[I::Short]) && of(&[I::Short, I::Int]) && of(&[I::Short, I::Long]));
    assert!(of(&[I::UnsignedShort, I::UnsignedInt]) && of(&[I::UnsignedChar, I::Int, I::Long]));
    assert!(!of(&[I::Int]) && !of(&[I::Int, I::Short]) && !of(&[I::UnsignedInt, I::Long]));
    assert!(!of(&[I::Short, I::UnsignedInt]) && !of(&[I::Short, I::UnsignedInt, I::Long]));
}

/// What is tested of a loop over threads, from `lower` to `bound` made of the variable of the loop
/// around it, which ends at `n`, of `n`, and of a number from memory.
fn of_threads(limits: impl Fn(&V, &V, E) -> (E, E)) -> Option<Vec<IndexTest>> {
    let mut s = Sample::new();
    s.function("f");
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let (ends, a) = (s.array("ends", &[100]), s.array("a", &[100]));
    let (lower, bound) = limits(&i, &n, ends.at([i.e()]));
    let mut inner = count(&j, lower, bound).body(vec![add_to(a.at([j.e()]), 1)]);
    if let StatementKind::Loop(l) = &mut inner.kind {
        l.distribution = Some(Distribution {
            threads: [true, false, false],
            ..Distribution::SEQUENTIAL
        });
    }
    let outer = count(&i, 0, n.e()).body(vec![inner]);
    let mut kernel = s
        .module(Execution::Redundant, vec![outer])
        .kernels
        .remove(0);
    loop_of(&mut kernel, |l| {
        l.distribution = Some(Distribution {
            threads: [false; 3],
            ..Distribution::grid(Axis::X)
        });
    });
    kernel.scheme = Some(Scheme::Hierarchical);
    kernel.block = Some([128, 1, 1].map(BlockExtent::Constant));
    let counters = in_index_type(&kernel, &s.unit);
    counters
        .chosen
        .contains(&j.symbol)
        .then_some(counters.tests)
}

#[test]
fn loops_over_threads_end_near_what_the_launch_tests() {
    let count_of = |tests: Option<Vec<IndexTest>>| tests.map(|tests| tests.len());
    assert_eq!(count_of(of_threads(|i, n, _| (i.e() + 1, n.e()))), Some(2));
    assert_eq!(
        count_of(of_threads(|i, n, _| (n.e() - 9, i.e() + 9))),
        Some(2)
    );
    assert_eq!(
        count_of(of_threads(|i, _, _| (i.e() + 1, int(50)))),
        Some(1)
    );
    // Far from it, not a sum, or from memory.
    assert!(of_threads(|i, n, _| (i.e() + (1 << 16), n.e())).is_none());
    assert!(of_threads(|i, n, _| (i.e() * n.e(), n.e())).is_none());
    assert!(of_threads(|i, n, end| (i.e() + 1, end + n.e())).is_none());
    assert!(of_threads(|_, n, end| (end, n.e())).is_none());
}

/// What is tested of a loop over threads whose variable is a value, too, from `lower` to `bound` made of
/// the variable of the loop around it, which ends at `end`, and of `n`.
fn numbered(end: impl Fn(&V) -> E, limits: impl Fn(&V, &V) -> (E, E)) -> LoopCounters {
    let mut s = Sample::new();
    s.function("f");
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let a = s.array("a", &[100]);
    let (lower, bound) = limits(&i, &n);
    let mut inner = count(&j, lower, bound).body(vec![add_to(a.at([i.e()]), j.e())]);
    if let StatementKind::Loop(l) = &mut inner.kind {
        l.distribution = Some(Distribution {
            threads: [true, false, false],
            ..Distribution::SEQUENTIAL
        });
    }
    let outer = count(&i, 0, end(&n)).body(vec![inner]);
    let mut kernel = s
        .module(Execution::Redundant, vec![outer])
        .kernels
        .remove(0);
    loop_of(&mut kernel, |l| {
        l.distribution = Some(Distribution {
            threads: [false; 3],
            ..Distribution::grid(Axis::X)
        });
    });
    kernel.scheme = Some(Scheme::Hierarchical);
    kernel.block = Some([128, 1, 1].map(BlockExtent::Constant));
    in_index_type(&kernel, &s.unit)
}

#[test]
fn loops_that_number_iterations_have_no_more_than_their_bound() {
    let tests = |limits: fn(&V, &V) -> (E, E)| numbered(|n| n.e(), limits).tests.len();
    assert_eq!(tests(|i, n| (i.e() + 1, n.e())), 1);
    // From below 0, perhaps, or without a bound that the launch has.
    assert_eq!(tests(|i, n| (i.e() - 1, n.e())), 0);
    assert_eq!(tests(|i, n| (i.e() * n.e(), n.e())), 0);
    assert_eq!(tests(|i, n| (i.e(), i.e() * n.e())), 0);
}

#[test]
fn loops_between_constants_stride_in_their_variable() {
    let kept = |limits: fn(&V, &V) -> (E, E)| {
        let counters = numbered(|_| int(100), limits);
        assert_eq!(counters.kept.len(), counters.narrow.len());
        counters.kept.len()
    };
    assert_eq!(kept(|i, _| (i.e(), i.e() + 2)), 1);
    assert_eq!(kept(|i, _| (i.e(), int(1 << 29))), 1);
    assert_eq!(kept(|i, _| (i.e(), int((1 << 29) + 1))), 0);
    assert_eq!(kept(|i, n| (i.e(), n.e())), 0);
}

/// The bounds that a launch tests, of blocks and of a grid, and the loops that test theirs, of one over a
/// block's threads to `bound`, inside one over gangs to `n`, of a kernel that is changed so.
fn tested(
    change: impl Fn(&mut Kernel, &V),
    bound: impl Fn(&mut Sample, &V, &V) -> E,
) -> (usize, usize, usize) {
    let mut s = Sample::new();
    s.function("f");
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let bound = bound(&mut s, &n, &i);
    let inner = count(&j, 0, bound).body(vec![evaluate(j.e())]);
    let outer = count(&i, 0, n.e()).body(vec![inner]);
    let mut kernel = s
        .module(Execution::Redundant, vec![outer])
        .kernels
        .remove(0);
    loop_of(&mut kernel, |outer| {
        outer.distribution = Some(Distribution::grid(Axis::X));
        if let StatementKind::Loop(l) = &mut outer.body[0].kind {
            l.distribution = Some(Distribution {
                blocks: None,
                threads: [true, false, false],
            });
        }
    });
    kernel.scheme = Some(Scheme::Hierarchical);
    kernel.block = Some([128, 1, 1].map(BlockExtent::Constant));
    if let StatementKind::Loop(l) = &kernel.body[0].kind {
        kernel.grid[0] = vec![TripCount::of(l)];
    }
    change(&mut kernel, &n);
    let mut counters = LoopCounters::default();
    test_bounds(&kernel, &s.unit, &mut counters);
    let LoopCounters {
        bounds,
        grid_bounds,
        tested,
        ..
    } = counters;
    (bounds.len(), grid_bounds.len(), tested.len())
}

#[test]
fn loops_of_a_block_stride_to_bounds_that_the_launch_tests() {
    assert_eq!(tested(|_, _| (), |_, n, _| n.e()), (1, 0, 0));
    assert_eq!(tested(|_, _| (), |_, _, i| i.e() + 1), (1, 0, 0));
    assert_eq!(tested(|_, _| (), |_, _, _| int(5)), (0, 0, 0));
    assert_eq!(
        tested(|_, _| (), |_, _, _| int(i32::MAX as i128 - (1 << 16))),
        (1, 0, 0)
    );
    assert_eq!(tested(|_, _| (), |s, _, _| s.reference("m").e()), (0, 0, 1));
}

#[test]
fn loops_stride_over_requested_grids_to_bounds_that_the_launch_tests() {
    let gangs = |kernel: &mut Kernel, n: &V| kernel.sizes.block = Some(n.e().0);
    let exact = |kernel: &mut Kernel, _: &V| {
        kernel.exact_grid = Some([8, 1, 1].map(BlockExtent::Constant));
    };
    let unknown = |kernel: &mut Kernel, _: &V| kernel.grid[0].clear();
    assert_eq!(tested(gangs, |_, _, _| int(5)), (0, 1, 0));
    assert_eq!(tested(exact, |_, _, _| int(5)), (0, 1, 0));
    assert_eq!(tested(unknown, |_, _, _| int(5)), (0, 1, 0));
}
