//! What the host runs, as the text of the IR.

use crate::ir::builder::*;
use crate::ir::{Execution, Statement, print};
use crate::passes::testing::decide_module;
use crate::typed::BinaryOperator::Greater;

/// The launches of a `kernels` construct, and what the host does around them.
fn steps(s: &mut Sample, body: Vec<Statement>) -> String {
    let module = s.module(Execution::Automatic, body);
    let (module, diagnostics) = decide_module(s, module);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    let text = print::print(&s.unit, &module);
    let of_region = text
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "));
    let lines: Vec<&str> = of_region
        .filter_map(|line| line.strip_prefix("  "))
        .collect();
    lines.join("\n")
}

/// Two nests of `v` from 0 to `n`.
fn nests(s: &mut Sample) -> Vec<Statement> {
    let (i, n) = (s.int("i"), s.value("n"));
    let (a, b) = (s.array("a", &[100]), s.array("b", &[100]));
    let nest =
        |to: &V, from: &V| count(&i, 0, &n).body(vec![set(to.at([i.e()]), from.at([i.e()]) + 1)]);
    vec![nest(&b, &a), nest(&a, &b)]
}

#[test]
fn a_loop_of_the_host_launches_what_is_inside() {
    let mut s = Sample::new();
    let t = s.int("t");
    let body = vec![count(&t, 0, 10).body(nests(&mut s))];
    assert_eq!(
        steps(&mut s, body),
        "repeat t = 0 while t < 10 then t++\n  launch kernel 0\n  launch kernel 1"
    );
}

#[test]
fn a_scalar_of_the_device_is_read_before_each_test() {
    let mut s = Sample::new();
    let (t, most) = (s.int("t"), s.reference("most"));
    let mut inside = nests(&mut s);
    inside.insert(1, when(binary(Greater, most.e(), int(3)), vec![leave()]));
    let body = vec![count(&t, 0, 10).body(inside)];
    assert_eq!(
        steps(&mut s, body),
        "repeat t = 0 while t < 10 then t++\n  launch kernel 0\n  read most_now from most\n  \
         if most_now > 3\n    break\n  launch kernel 1"
    );
}

#[test]
fn what_only_the_device_knows_of_a_condition_it_finds_out() {
    let mut s = Sample::new();
    let (t, c) = (s.int("t"), s.array("c", &[100]));
    let mut inside = nests(&mut s);
    inside.push(when(binary(Greater, c.at([int(0)]), int(3)), vec![skip()]));
    let body = vec![count(&t, 0, 10).body(inside)];
    assert_eq!(
        steps(&mut s, body),
        "data create test whole (implicit)\nrepeat t = 0 while t < 10 then t++\n  \
         launch kernel 0\n  launch kernel 1\n  launch kernel 2\n  read test_now from test\n  \
         if test_now\n    continue"
    );
}

/// Rows as short as those of a sparse matrix: one block is done before the
/// host has its answers.
#[test]
fn rows_stay_with_what_decides_about_them() {
    let mut s = Sample::new();
    let (t, i, c) = (s.int("t"), s.int("i"), s.array("c", &[100]));
    let (a, b) = (s.array("a", &[100]), s.array("b", &[100]));
    let row = count(&i, 0, c.at([t.e()])).body(vec![set(b.at([i.e()]), a.at([i.e()]) + 1)]);
    let again = count(&i, 0, c.at([t.e()])).body(vec![set(a.at([i.e()]), b.at([i.e()]) + 1)]);
    let chosen = when(binary(Greater, c.at([t.e()]), int(3)), vec![row, again]);
    let body = vec![count(&t, 0, 10).body(vec![chosen])];
    let launched = steps(&mut s, body);
    assert!(!launched.contains("test"), "{launched}");
}
