//! Where barriers and single-thread sections go, on hand-made kernels.

use crate::diagnostic::Diagnostics;
use crate::ir::sample::*;
use crate::ir::{Construct, Module, Statement};
use crate::passes::{self, Options};

fn decide(sample: &mut Sample, body: Vec<Statement>) -> (Module, String) {
    let mut module = sample.module(Construct::Parallel, body);
    let mut diagnostics = Diagnostics::new();
    passes::run(
        &mut module,
        &mut sample.unit,
        &Options::default(),
        &mut diagnostics,
    );
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    let outline = outline(&sample.unit, &module.kernels[0].body);
    (module, outline)
}

/// ```c
/// loop gang: for r { first[r] = 1; loop vector: for c a[r][c] = 2; last[r] = a[r][0]; }
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
            .directive("vector")
            .body(vec![set(a.at([r.e(), c.e()]), 2)]),
        set(last.at([r.e()]), a.at([r.e(), int(0)])),
    ];
    let body = vec![count(&r, 0, &n).directive("gang").body(body)];
    let (_, outline) = decide(&mut s, body);
    assert_eq!(
        outline,
        "for r bx\n  single Gang -> []\n    …\n  for c tx\n    …\n  barrier: `a` is written\n  \
         single Gang -> []\n    …\n"
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
            .directive("vector")
            .reduction(&sum)
            .body(vec![add_to(sum.e(), a.at([r.e(), c.e()]))]),
        set(out.at([r.e()]), &sum),
    ];
    let body = vec![count(&r, 0, &n).directive("gang").body(body)];
    let (_, outline) = decide(&mut s, body);
    assert_eq!(
        outline,
        "for r bx\n  declare sum\n  begin sum\n  for c tx\n    …\n  end sum [true, false, false]\n  \
         single Gang -> []\n    …\n"
    );
}

/// An array of the gang that lanes fill and read crosswise lives in shared
/// memory; a barrier before it is refilled in the next iteration.
#[test]
fn gang_arrays_are_shared_and_not_refilled_while_read() {
    let mut s = Sample::new();
    let (r, c, d, n) = (s.int("r"), s.int("c"), s.int("d"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let row = s.local_array("row", &[100]);
    let body = vec![
        declare(&row, None),
        count(&c, 0, &n)
            .directive("vector")
            .body(vec![set(row.at([c.e()]), a.at([r.e(), c.e()]))]),
        count(&d, 0, &n)
            .directive("vector")
            .body(vec![set(a.at([r.e(), d.e()]), row.at([n.e() - &d - 1]))]),
    ];
    let body = vec![count(&r, 0, &n).directive("gang").body(body)];
    let (module, outline) = decide(&mut s, body);
    assert_eq!(module.kernels[0].shared[0].symbol, row.symbol);
    assert_eq!(
        outline,
        "for r bx\n  barrier: `row` has been read\n  for c tx\n    …\n  barrier: `row` is written\n  \
         for d tx\n    …\n"
    );
}
