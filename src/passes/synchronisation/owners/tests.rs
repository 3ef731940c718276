//! Between which loops over lanes barriers go, on hand-made kernels.

use crate::ir::builder::*;
use crate::ir::{Execution, Level, Statement};
use crate::passes::testing::decide;
use crate::typed::BinaryOperator::Greater;

/// Variables of a kernel whose blocks share a loop over `r`.
struct Block {
    s: Sample,
    r: V,
    c: V,
    d: V,
    n: V,
    m: V,
    a: V,
}

impl Block {
    fn new() -> Self {
        let mut s = Sample::new();
        let [r, c, d] = ["r", "c", "d"].map(|name| s.int(name));
        let [n, m] = ["n", "m"].map(|name| s.value(name));
        let a = s.array("a", &[100, 100]);
        Self {
            s,
            r,
            c,
            d,
            n,
            m,
            a,
        }
    }

    /// `loop vector: for (v = first; v < bound; v++) a[r][subscript] = 1`.
    fn lanes(&self, v: &V, first: i128, bound: &V, subscript: E) -> Statement {
        let body = vec![set(self.a.at([self.r.e(), subscript]), 1)];
        let l = count(v, int(first), bound).independent(&[Level::Lane]);
        l.body(body)
    }

    /// How many barriers a block with this code has.
    fn barriers(&mut self, body: Vec<Statement>) -> usize {
        let blocks = count(&self.r, 0, &self.n).independent(&[Level::Block]);
        let (_, outline) = decide(&mut self.s, Execution::Redundant, vec![blocks.body(body)]);
        outline.matches("barrier").count()
    }
}

/// The same subscript; another bound, which changes no thread's iterations; another first value, as
/// much as the subscript.
#[test]
fn threads_come_back_to_their_own_elements() {
    let mut k = Block::new();
    let same = k.lanes(&k.d, 0, &k.n, k.d.e());
    let other_bound = k.lanes(&k.d, 0, &k.m, k.d.e());
    let moved = k.lanes(&k.d, 3, &k.n, k.d.e() - 3);
    for second in [same, other_bound, moved] {
        let first = k.lanes(&k.c, 0, &k.n, k.c.e());
        assert_eq!(k.barriers(vec![first, second]), 0);
    }
}

/// `a[c]` and `a[d + 1]`; `a[2 * d]`; `a[n - d]`; another first value; another step.
#[test]
fn threads_wait_for_elements_of_others() {
    let mut k = Block::new();
    let next = k.lanes(&k.d, 0, &k.n, k.d.e() + 1);
    let double = k.lanes(&k.d, 0, &k.n, k.d.e() * 2);
    let reverse = k.lanes(&k.d, 0, &k.n, k.n.e() - &k.d);
    let later = k.lanes(&k.d, 1, &k.n, k.d.e());
    let body = vec![set(k.a.at([k.r.e(), k.d.e()]), 1)];
    let steps = count(&k.d, 0, &k.n).step(2).independent(&[Level::Lane]);
    for second in [next, double, reverse, later, steps.body(body)] {
        let first = k.lanes(&k.c, 0, &k.n, k.c.e());
        assert_eq!(k.barriers(vec![first, second]), 1);
    }
}

/// `for t: for c a[r][c] = 1`, and `a[r][c + t]`.
#[test]
fn rounds_of_a_loop_change_owners_by_what_they_change() {
    let mut k = Block::new();
    let t = k.s.int("t");
    for (subscript, barriers) in [(k.c.e(), 0), (k.c.e() + &t, 1)] {
        let lanes = k.lanes(&k.c, 0, &k.n, subscript);
        let rounds = count(&t, 0, int(9)).body(vec![lanes]);
        assert_eq!(k.barriers(vec![rounds]), barriers);
    }
}

/// `int at = m; for c a[r][c + at] = 1; at = …; for d a[r][d + at] = 1`.
#[test]
fn values_that_change_in_between_change_owners() {
    let mut k = Block::new();
    let (at, x) = (k.s.int("at"), k.s.double("x"));
    for (between, barriers) in [(set(x.e(), 1), 0), (set(at.e(), 2), 1)] {
        let first = k.lanes(&k.c, 0, &k.n, k.c.e() + &at);
        let second = k.lanes(&k.d, 0, &k.n, k.d.e() + &at);
        let known = [declare(&at, Some(k.m.e())), declare(&x, None)];
        let body = known.into_iter().chain([first, between, second]).collect();
        assert_eq!(k.barriers(body), barriers);
    }
}

/// Under a condition on which threads agree, and behind one that changes the value.
#[test]
fn conditions_keep_owners_unless_they_change_them() {
    let mut k = Block::new();
    let (at, x) = (k.s.int("at"), k.s.double("x"));
    let is_positive = |m: &V| binary(Greater, m.e(), int(0));
    for (inside, barriers) in [(set(x.e(), 1), 0), (set(at.e(), 2), 1)] {
        let first = k.lanes(&k.c, 0, &k.n, k.c.e() + &at);
        let second = k.lanes(&k.d, 0, &k.n, k.d.e() + &at);
        let body = vec![
            declare(&at, Some(k.m.e())),
            declare(&x, None),
            first,
            when(is_positive(&k.m), vec![inside]),
            when(is_positive(&k.m), vec![second]),
        ];
        assert_eq!(k.barriers(body), barriers);
    }
}

/// Iterations of two loops that are numbered together.
#[test]
fn collapsed_loops_have_other_iterations() {
    let mut k = Block::new();
    let first = k.lanes(&k.c, 0, &k.n, k.c.e());
    let e = k.s.int("e");
    let inner = count(&e, 0, int(3)).body(vec![set(k.a.at([k.r.e(), k.d.e()]), 1)]);
    let second = count(&k.d, 0, &k.n).independent(&[Level::Lane]).collapse(2);
    let second = second.body(vec![inner]);
    assert_eq!(k.barriers(vec![first, second]), 1);
}

/// The bound is read by all threads, before each thread's iterations.
#[test]
fn headers_read_for_all_threads() {
    let mut k = Block::new();
    let first = k.lanes(&k.c, 0, &k.n, k.c.e());
    let l = count(&k.d, 0, k.a.at([k.r.e(), int(0)])).independent(&[Level::Lane]);
    let second = l.body(vec![set(k.a.at([k.r.e(), k.d.e()]), 1)]);
    assert_eq!(k.barriers(vec![first, second]), 1);
}

/// `p[c] = 1; x = q[d];` of pointers that may be the same.
#[test]
fn other_names_are_other_elements() {
    let mut k = Block::new();
    let [p, q, o] = ["p", "q", "o"].map(|name| k.s.pointer(name, name == "o"));
    for (read, barriers) in [(&q, 1), (&p, 0)] {
        let lanes = |v: &V, body| {
            let l = count(v, 0, &k.n).independent(&[Level::Lane]);
            l.body(vec![body])
        };
        let first = lanes(&k.c, set(p.at([k.c.e()]), 1));
        let second = lanes(&k.d, set(o.at([k.d.e()]), read.at([k.d.e()])));
        assert_eq!(k.barriers(vec![first, second]), barriers);
    }
}

/// Loops inside: rows of one thread, and elements in the rows of others.
#[test]
fn rows_of_a_thread_are_its_own() {
    let mut k = Block::new();
    let (e, f) = (k.s.int("e"), k.s.int("f"));
    let table = k.s.local_array("table", &[100, 7]);
    let lanes = |v: &V, inner: &V, row: &V, column: &V| {
        let body = vec![set(table.at([row.e(), column.e()]), 1)];
        let inner = count(inner, 0, int(7)).body(body);
        let l = count(v, 0, int(7)).independent(&[Level::Lane]);
        l.body(vec![inner])
    };
    for (second, barriers) in [
        (lanes(&k.d, &f, &k.d, &f), 0),
        (lanes(&k.d, &f, &f, &k.d), 1),
    ] {
        let first = lanes(&k.c, &e, &k.c, &e);
        let body = vec![declare(&table, None), first, second];
        assert_eq!(k.barriers(body), barriers);
    }
}
