//! The table of what is parallel, and why: 40 loops as one would meet them in `kernels`
//! constructs, 25 of them parallel.
//!
//! All run `for (int i = 0; i < n; i++)` unless they say otherwise. `a`, `b`
//! and `c` are arrays of 100, `A` and `B` of 100 x 100, `x` is an array of
//! `int`-valued doubles used as indices, `p` and `q` are plain pointers, `r`
//! is a `restrict` one, `s` and `t` are scalars in memory, `u` a local one.

use super::{prove, run};
use crate::analysis::effects::Oracle;
use crate::ir::builder::*;
use crate::ir::{Execution, Parallelism, RegionKind, Statement, visit};
use crate::typed::BinaryOperator::{Divide, Greater, Remainder};

/// The variables that the loops use.
struct Names {
    i: V,
    j: V,
    k: V,
    n: V,
    m: V,
    a: V,
    b: V,
    aa: V,
    bb: V,
    p: V,
    q: V,
    r: V,
    s: V,
    u: V,
    fmax: V,
    sqrt: V,
    unknown: V,
}

fn names(sample: &mut Sample) -> Names {
    Names {
        i: sample.int("i"),
        j: sample.int("j"),
        k: sample.int("k"),
        n: sample.value("n"),
        m: sample.value("m"),
        a: sample.array("a", &[100]),
        b: sample.array("b", &[100]),
        aa: sample.array("A", &[100, 100]),
        bb: sample.array("B", &[100, 100]),
        p: sample.pointer("p", false),
        q: sample.pointer("q", false),
        r: sample.pointer("r", true),
        s: sample.reference("s"),
        u: sample.double("u"),
        fmax: sample.function("fmax"),
        sqrt: sample.function("sqrt"),
        unknown: sample.function("unknown"),
    }
}

/// Whether the outermost loop is parallel.
fn parallelism(make: fn(&Names) -> Statement) -> Parallelism {
    let mut sample = Sample::new();
    let names = names(&mut sample);
    let body = vec![make(&names)];
    let mut module = sample.module(Execution::Automatic, body);
    run(&mut module, &sample.unit);
    let mut all = Vec::new();
    visit::loops(&module.kernels[0].body, &mut |l| {
        all.push(l.parallelism.clone().unwrap());
    });
    all.remove(0)
}

type Row = (&'static str, fn(&Names) -> Statement, bool, &'static str);

fn i_loop(v: &Names, body: Vec<Statement>) -> Statement {
    count(&v.i, 0, &v.n).body(body)
}

const INDEPENDENT: &str = "its iterations are independent";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // Distinct elements.
    ("a[i] = b[i]", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.b.at([v.i.e()]))]), true, INDEPENDENT),
    ("a[i] = a[i] * a[i]", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e()]) * v.a.at([v.i.e()]))]), true, INDEPENDENT),
    ("a[i] += 1", |v| i_loop(v, vec![add_to(v.a.at([v.i.e()]), 1)]), true, INDEPENDENT),
    ("a[99 - i] = b[i]", |v| i_loop(v, vec![set(v.a.at([int(99) - &v.i]), v.b.at([v.i.e()]))]), true, INDEPENDENT),
    // ZIV.
    ("a[5] = b[i]", |v| i_loop(v, vec![set(v.a.at([int(5)]), v.b.at([v.i.e()]))]), false,
        "every iteration writes `a[5]`"),
    ("a[i] = a[n] for i < n", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.a.at([v.n.e()]))]), true, INDEPENDENT),
    // Strong SIV.
    ("a[i] = a[i - 1]", |v| count(&v.i, 1, &v.n).body(vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() - 1]))]), false,
        "the next iteration reads as `a[i - 1]` what was written as `a[i]`"),
    ("a[i] = a[i + 1]", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() + 1]))]), false,
        "the next iteration writes as `a[i]` what was read as `a[i + 1]`"),
    ("a[i] = a[i + 50], 50 iterations", |v| count(&v.i, 0, 50).body(vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() + 50]))]), true, INDEPENDENT),
    ("a[i] = a[i + n]", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() + &v.n]))]), true, INDEPENDENT),
    ("a[i + m] = a[i + m]", |v| i_loop(v, vec![set(v.a.at([v.i.e() + &v.m]), v.a.at([v.i.e() + &v.m]) + 1)]), true, INDEPENDENT),
    ("a[i] = a[i + m]", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() + &v.m]))]), false,
        "`a[i]` and `a[i + m]` may be the same element in different iterations"),
    ("a[2 * i] = a[2 * i + 1]", |v| i_loop(v, vec![set(v.a.at([int(2) * &v.i]), v.a.at([int(2) * &v.i + 1]))]), true, INDEPENDENT),
    ("i += 2: a[i] = a[i + 1]", |v| count(&v.i, 0, &v.n).step(2).body(vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() + 1]))]), true, INDEPENDENT),
    ("i--: a[i] = a[i - 1]", |v| count(&v.i, &v.n, 1).step(-1).body(vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() - 1]))]), false,
        "the next iteration writes as `a[i]` what was read as `a[i - 1]`"),
    // Weak-zero and weak-crossing SIV.
    ("a[i] = a[0], i from 1", |v| count(&v.i, 1, &v.n).body(vec![set(v.a.at([v.i.e()]), v.a.at([int(0)]))]), true, INDEPENDENT),
    ("a[i] = a[7]", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.a.at([int(7)]))]), false,
        "`a[i]` and `a[7]` may be the same element in different iterations"),
    ("a[i] = a[99 - i], 50 iterations", |v| count(&v.i, 0, 50).body(vec![set(v.a.at([v.i.e()]), v.a.at([int(99) - &v.i]))]), true, INDEPENDENT),
    // GCD and Banerjee.
    ("a[4 * i] = a[6 * i + 1]", |v| i_loop(v, vec![set(v.a.at([int(4) * &v.i]), v.a.at([int(6) * &v.i + 1]))]), true, INDEPENDENT),
    ("a[2 * i] = a[i]", |v| i_loop(v, vec![set(v.a.at([int(2) * &v.i]), v.a.at([v.i.e()]))]), false,
        "`a[2 * i]` and `a[i]` may be the same element in different iterations"),
    ("a[10 * i + j], j < 10", |v| i_loop(v, vec![count(&v.j, 0, 10).body(vec![set(v.a.at([int(10) * &v.i + &v.j]), 0)])]), true, INDEPENDENT),
    ("a[10 * i + j], j < 11", |v| i_loop(v, vec![count(&v.j, 0, 11).body(vec![set(v.a.at([int(10) * &v.i + &v.j]), 0)])]), false,
        "`a[10 * i + j]` may be the same element in different iterations"),
    // Several dimensions.
    ("A[i][j] = B[j][i]", |v| i_loop(v, vec![count(&v.j, 0, &v.n).body(vec![set(v.aa.at([v.i.e(), v.j.e()]), v.bb.at([v.j.e(), v.i.e()]))])]), true, INDEPENDENT),
    ("A[i][j] = A[i][j - 1], over i", |v| i_loop(v, vec![count(&v.j, 1, &v.n).body(vec![set(v.aa.at([v.i.e(), v.j.e()]), v.aa.at([v.i.e(), v.j.e() - 1]))])]), true, INDEPENDENT),
    ("A[i][j] = A[i - 1][j], over i", |v| count(&v.i, 1, &v.n).body(vec![count(&v.j, 0, &v.n).body(vec![set(v.aa.at([v.i.e(), v.j.e()]), v.aa.at([v.i.e() - 1, v.j.e()]))])]), false,
        "the next iteration reads as `A[i - 1][j]` what was written as `A[i][j]`"),
    ("A[j][j] = i", |v| i_loop(v, vec![count(&v.j, 0, &v.n).body(vec![set(v.aa.at([v.j.e(), v.j.e()]), &v.i)])]), false,
        "every iteration writes `A[j][j]`"),
    // Linearised, with local index variables and pointers.
    ("r[i * m + j], j < m", |v| i_loop(v, vec![count(&v.j, 0, &v.m).body(vec![set(v.r.at([v.i.e() * &v.m + &v.j]), 0)])]), true, INDEPENDENT),
    ("int k = i * m; r[k + j] = r[k + j - 1], j from 1", |v| i_loop(v, vec![declare(&v.k, Some(v.i.e() * &v.m)), count(&v.j, 1, &v.m).body(vec![set(v.r.at([v.k.e() + &v.j]), v.r.at([v.k.e() + &v.j - 1]))])]), true, INDEPENDENT),
    // Scalars.
    ("u = a[i]; b[i] = u * u", |v| i_loop(v, vec![set(v.u.e(), v.a.at([v.i.e()])), set(v.b.at([v.i.e()]), v.u.e() * &v.u)]), true, INDEPENDENT),
    ("b[i] = u; u = a[i]", |v| i_loop(v, vec![set(v.b.at([v.i.e()]), &v.u), set(v.u.e(), v.a.at([v.i.e()]))]), false,
        "`u` carries a value from one iteration to the next"),
    ("s += a[i]", |v| i_loop(v, vec![add_to(v.s.e(), v.a.at([v.i.e()]))]), true,
        "its iterations are independent, `s` is a reduction (+)"),
    ("if (a[i] > s) s = a[i]", |v| i_loop(v, vec![when(binary(Greater, v.a.at([v.i.e()]), v.s.e()), vec![set(v.s.e(), v.a.at([v.i.e()]))])]), true,
        "its iterations are independent, `s` is a reduction (max)"),
    ("u = fmax(u, a[i])", |v| i_loop(v, vec![set(v.u.e(), v.fmax.call2(v.u.e(), v.a.at([v.i.e()])))]), true,
        "its iterations are independent, `u` is a reduction (max)"),
    ("s += a[i]; b[i] = s", |v| i_loop(v, vec![add_to(v.s.e(), v.a.at([v.i.e()])), set(v.b.at([v.i.e()]), &v.s)]), false,
        "`s` carries a value from one iteration to the next"),
    // Pointers, calls, control flow.
    ("p[i] = q[i]", |v| i_loop(v, vec![set(v.p.at([v.i.e()]), v.q.at([v.i.e()]))]), true,
        "its iterations are independent, unless `p` and `q` overlap"),
    ("r[i] = sqrt(q[i])", |v| i_loop(v, vec![set(v.r.at([v.i.e()]), v.sqrt.call(v.q.at([v.i.e()])))]), true, INDEPENDENT),
    ("a[i] = unknown(b[i])", |v| i_loop(v, vec![set(v.a.at([v.i.e()]), v.unknown.call(v.b.at([v.i.e()])))]), false,
        "it calls `unknown`, whose effects are not known"),
    ("a[i % 10] = i / 2", |v| i_loop(v, vec![set(v.a.at([binary(Remainder, v.i.e(), int(10))]), binary(Divide, v.i.e(), int(2)))]), false,
        "it is not known which element `a[i % 10]` is"),
    ("if (b[i] > 0) break; a[i] = 1", |v| i_loop(v, vec![when(binary(Greater, v.b.at([v.i.e()]), int(0)), vec![leave()]), set(v.a.at([v.i.e()]), 1)]), false,
        "`break` may end it early"),
    ("if (b[i] > 0) continue; a[i] = 1", |v| i_loop(v, vec![when(binary(Greater, v.b.at([v.i.e()]), int(0)), vec![skip()]), set(v.a.at([v.i.e()]), 1)]), true, INDEPENDENT),
];

/// Loops beyond the 40.
#[rustfmt::skip]
const MORE: &[Row] = &[
    ("a[i] = a[99 - i]", |v| count(&v.i, 0, 100).body(vec![set(v.a.at([v.i.e()]), v.a.at([int(99) - &v.i]))]), false,
        "`a[i]` and `a[99 - i]` may be the same element in different iterations"),
    ("a[i] = a[i - 4]", |v| count(&v.i, 4, &v.n).body(vec![set(v.a.at([v.i.e()]), v.a.at([v.i.e() - 4]))]), false,
        "the iteration 4 later reads as `a[i - 4]` what was written as `a[i]`"),
    ("r[i * m + j], j < n", |v| i_loop(v, vec![count(&v.j, 0, &v.n).body(vec![set(v.r.at([v.i.e() * &v.m + &v.j]), 0)])]), true,
        "its iterations are independent, if `m >= n`"),
    ("r[i * m] = r[i * m + n]", |v| i_loop(v, vec![set(v.r.at([v.i.e() * &v.m]), v.r.at([v.i.e() * &v.m + &v.n]))]), true,
        "its iterations are independent, if `n >= 0` and `m > n`"),
    ("r[i * k + j], k = j, j < n", |v| i_loop(v, vec![count(&v.j, 0, &v.n).body(vec![declare(&v.k, Some(v.j.e())), set(v.r.at([v.i.e() * &v.k + &v.j]), 0)])]), false,
        "`r[i * k + j]` may be the same element in different iterations"),
];

#[test]
fn table_of_loops() {
    let mut wrong = Vec::new();
    for (text, make, parallel, reason) in TABLE.iter().chain(MORE) {
        let found = parallelism(*make);
        if found.parallel != *parallel || found.reason != *reason {
            wrong.push(format!("{text}\n    {} {}", found.parallel, found.reason));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let parallel = TABLE.iter().filter(|row| row.2).count();
    assert_eq!((parallel, TABLE.len()), (25, 40));
}

#[test]
fn overlapping_pointers_get_a_sequential_kernel() {
    let mut sample = Sample::new();
    let v = names(&mut sample);
    let body = i_loop(&v, vec![set(v.p.at([v.i.e()]), v.q.at([v.i.e()]))]);
    let mut module = sample.module(Execution::Automatic, vec![body]);
    run(&mut module, &sample.unit);
    let RegionKind::Compute { launches, .. } = &module.regions[0].kind else {
        panic!("a compute construct");
    };
    let assumed = &module.kernel(launches[0].kernel).assumed;
    assert_eq!(assumed.disjoint, [(v.p.symbol, v.q.symbol)]);
    let other = launches[0].alternative.unwrap();
    visit::loops(&module.kernel(other).body, &mut |l| {
        let found = l.parallelism.as_ref().unwrap();
        assert!(!found.parallel);
        assert_eq!(found.reason, "`p` and `q` may overlap");
    });
}

#[test]
fn what_launches_check_already_is_named_and_not_checked_again() {
    let mut sample = Sample::new();
    let v = names(&mut sample);
    let body = i_loop(&v, vec![set(v.p.at([v.i.e()]), v.q.at([v.i.e()]))]);
    let mut module = sample.module(Execution::Automatic, vec![body]);
    run(&mut module, &sample.unit);
    let kernel = &module.kernels[0];
    let oracle = Oracle::new(&sample.unit, &module.functions);
    visit::loops(&kernel.body, &mut |l| {
        let proof = prove(kernel, l, &oracle, true);
        let reason = "its iterations are independent, unless `p` and `q` overlap";
        assert_eq!(proof.parallelism.reason, reason);
        assert!(proof.assumed.is_empty());
    });
}
