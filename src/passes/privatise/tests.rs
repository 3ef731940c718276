//! Which scalars of hand-made kernels become private, and where.

use crate::ir::builder::*;
use crate::ir::{Execution, Kernel, StatementKind, visit};
use crate::passes::testing::decide;
use crate::typed::SymbolId;

/// The private variables of each loop, outer ones first.
fn privates(kernel: &Kernel) -> Vec<Vec<SymbolId>> {
    let mut found = Vec::new();
    visit::loops(&kernel.body, &mut |l| found.push(l.privates.clone()));
    found
}

/// `double t` before the loop: `t = a[i]; a[i] = t * t;`
#[test]
fn the_last_iteration_stores_what_may_be_read_behind_the_kernel() {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let (a, t) = (s.array("a", &[100]), s.reference("t"));
    let body = vec![set(t.e(), a.at([i.e()])), set(a.at([i.e()]), t.e() * &t)];
    let body = vec![count(&i, 0, &n).independent(&[]).body(body)];
    let (kernel, _) = decide(&mut s, Execution::Redundant, body);
    // Its value behind the kernel may be read: the last iteration stores it.
    let copy = privates(&kernel)[0][0];
    assert_ne!(copy, t.symbol);
    assert!(kernel.captures.iter().any(|c| c.symbol == t.symbol));
    let StatementKind::Loop(l) = &kernel.body[0].kind else {
        panic!("a loop");
    };
    let last = l.body.last().unwrap();
    assert!(matches!(last.kind, StatementKind::If(..)));
}

#[test]
fn a_private_scalar_of_the_block_needs_no_store() {
    let mut s = Sample::new();
    let (i, n) = (s.int("i"), s.value("n"));
    let a = s.array("a", &[100]);
    let t = s.value("t");
    let body = vec![set(t.e(), &i), set(a.at([i.e()]), t.e() * &t)];
    let body = vec![count(&i, 0, &n).independent(&[]).body(body)];
    let (kernel, _) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(privates(&kernel), [[t.symbol]]);
    assert!(kernel.captures.iter().all(|c| c.symbol != t.symbol));
}

/// A variable that two loops have copies of is two variables.
#[test]
fn copies_of_two_loops_are_two_symbols() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let (a, t) = (s.array("a", &[100]), s.value("t"));
    let each = |v: &V| vec![set(t.e(), v), set(a.at([v.e()]), &t)];
    let body = vec![
        count(&i, 0, &n).independent(&[]).body(each(&i)),
        count(&j, 0, &n).independent(&[]).body(each(&j)),
    ];
    let (kernel, _) = decide(&mut s, Execution::Redundant, body);
    let found = privates(&kernel);
    assert_ne!(found[0][0], found[1][0]);
}

/// A variable is private to the loop whose iterations use it, not to those
/// around it too.
#[test]
fn copies_belong_to_the_innermost_loop_that_serves() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let (a, t) = (s.array("a", &[100, 100]), s.value("t"));
    let body = vec![set(t.e(), &j), set(a.at([i.e(), j.e()]), &t)];
    let body = vec![count(&j, 0, &n).independent(&[]).body(body)];
    let body = vec![count(&i, 0, &n).independent(&[]).body(body)];
    let (kernel, _) = decide(&mut s, Execution::Redundant, body);
    assert_eq!(privates(&kernel), [vec![], vec![t.symbol]]);
}

#[test]
fn variables_of_inner_loops_are_declared_in_them() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.value("j"), s.value("n"));
    let a = s.array("a", &[100, 100]);
    let body = vec![
        count(&j, 0, &n)
            .outside()
            .body(vec![set(a.at([i.e(), j.e()]), 1)]),
    ];
    let body = vec![count(&i, 0, &n).independent(&[]).body(body)];
    let (kernel, _) = decide(&mut s, Execution::Redundant, body);
    let mut declared = Vec::new();
    visit::loops(&kernel.body, &mut |l| declared.push(l.declared_inside));
    assert_eq!(declared, [true, true]);
    assert!(kernel.captures.iter().all(|c| c.symbol != j.symbol));
}
