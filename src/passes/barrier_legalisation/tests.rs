//! What becomes of each construct around a barrier.
//!
//! Kernels are one tiled loop over `i` in blocks of 256, made by hand; what is
//! compared is the text of its body.

use crate::diagnostic::{Diagnostics, codes};
use crate::ir::builder::*;
use crate::ir::{Atomic, AtomicForm, Execution, PlainFor, Statement, StatementKind, print};
use crate::passes::testing::decide_module;
use crate::source::Span;
use crate::typed::BinaryOperator;

/// The variables of all tests here.
struct Kernel {
    s: Sample,
    i: V,
    n: V,
    a: V,
    b: V,
    count: V,
}

impl Kernel {
    fn new() -> Self {
        let mut s = Sample::new();
        let i = s.int("i");
        let n = s.value("n");
        let a = s.pointer("a", true);
        let b = s.pointer("b", true);
        let count = s.value("count");
        Self {
            s,
            i,
            n,
            a,
            b,
            count,
        }
    }

    /// `a[i] > 0`.
    fn positive(&self) -> E {
        binary(BinaryOperator::Greater, self.a.at([self.i.e()]), int(0))
    }

    /// `a[i] = value;`
    fn store(&self, value: i128) -> Statement {
        set(self.a.at([self.i.e()]), value)
    }

    fn run(&mut self, body: Vec<Statement>) -> (String, Diagnostics) {
        let nest = vec![count(&self.i, 0, &self.n).independent(&[]).body(body)];
        let module = self.s.module(Execution::Redundant, nest);
        let (module, diagnostics) = decide_module(&mut self.s, module);
        (print::print(&self.s.unit, &module), diagnostics)
    }

    /// The body of the tiled loop after all passes.
    fn body(&mut self, body: Vec<Statement>) -> String {
        let (text, diagnostics) = self.run(body);
        assert!(!diagnostics.has_errors(), "{diagnostics:?}");
        let lines: Vec<&str> = text.lines().collect();
        let first = lines
            .iter()
            .position(|line| line.contains("tile i_first"))
            .unwrap_or_else(|| panic!("the loop is not tiled\n{text}"));
        let indent = |line: &str| line.len() - line.trim_start().len();
        let depth = indent(lines[first]);
        let inside = lines[first + 1..]
            .iter()
            .take_while(|line| indent(line) > depth);
        inside
            .map(|line| line[(depth + 2).min(line.len())..].trim_end())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn compare(actual: &str, expected: &str) {
    let expected = expected.trim_matches('\n');
    assert_eq!(actual, expected, "\n--- is ---\n{actual}\n");
}

fn less(a: E, b: impl Into<E>) -> E {
    binary(BinaryOperator::Less, a, b.into())
}

fn other(kind: StatementKind) -> Statement {
    kind.at(Span::default())
}

fn either(condition: E, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
    other(StatementKind::If(condition.0, then, Some(otherwise)))
}

fn repeat_after(body: Vec<Statement>, condition: E) -> Statement {
    other(StatementKind::DoWhile(body, condition.0))
}

#[test]
fn code_without_barriers_is_one_group() {
    let mut k = Kernel::new();
    let body = vec![
        k.store(1),
        when(k.positive(), vec![k.store(2)]),
        k.store(3),
        written_barrier(),
    ];
    compare(
        &k.body(body),
        "
if i < n
  a[i] = 1;
  if a[i] > 0
    a[i] = 2;
  a[i] = 3;
barrier written (of the program)",
    );
}

#[test]
fn a_barrier_splits_its_list_and_locals_live_on() {
    let mut k = Kernel::new();
    let (x, twice, limit) = (k.s.double("x"), k.s.int("twice"), k.s.int("limit"));
    let body = vec![
        declare(&twice, Some(k.i.e() * 2)),
        declare(&limit, Some(k.count.e() + 1)),
        k.store(0),
        declare(&x, Some(k.b.at([k.i.e()]))),
        written_barrier(),
        set(k.a.at([k.i.e()]), x.e() + k.b.at([limit.e()]) + &twice),
        written_barrier(),
        k.store(3),
    ];
    compare(
        &k.body(body),
        "
const _Bool active = i < n;
int twice = i * 2;
int limit = count + 1;
double x;
if active
  a[i] = 0;
  x = b[i];
barrier written (of the program)
if active
  a[i] = x + b[limit] + twice;
barrier written (of the program)
if active
  a[i] = 3;",
    );
}

#[test]
fn branches_run_one_after_the_other_under_saved_masks() {
    let mut k = Kernel::new();
    let body = vec![either(
        k.positive(),
        vec![k.store(1), written_barrier(), k.store(2)],
        vec![written_barrier(), k.store(4)],
    )];
    compare(
        &k.body(body),
        "
const _Bool taken = i < n && a[i] > 0;
if taken
  a[i] = 1;
barrier written (of the program)
if taken
  a[i] = 2;
const _Bool others = i < n && !taken;
barrier written (of the program)
if others
  a[i] = 4;",
    );
}

#[test]
fn branches_nest() {
    let mut k = Kernel::new();
    let inner = when(
        less(k.i.e(), 7),
        vec![k.store(1), written_barrier(), k.store(2)],
    );
    let body = vec![when(
        k.positive(),
        vec![k.store(0), inner, written_barrier(), k.store(3)],
    )];
    compare(
        &k.body(body),
        "
const _Bool taken = i < n && a[i] > 0;
if taken
  a[i] = 0;
const _Bool taken_2 = taken && i < 7;
if taken_2
  a[i] = 1;
barrier written (of the program)
if taken_2
  a[i] = 2;
barrier written (of the program)
if taken
  a[i] = 3;",
    );
}

#[test]
fn what_an_atomic_access_gives_differs_between_threads() {
    let mut k = Kernel::new();
    let v = k.s.double("v");
    let StatementKind::Expression(Some(read)) = set(v.e(), k.a.at([k.i.e()])).kind else {
        unreachable!("an assignment is an expression statement");
    };
    let body = vec![
        declare(&v, Some(int(0))),
        other(StatementKind::Atomic(Box::new(Atomic {
            form: AtomicForm::Read,
            steps: vec![read],
        }))),
        when(
            less(int(3), v.e()),
            vec![k.store(1), written_barrier(), k.store(2)],
        ),
    ];
    let text = k.body(body);
    assert!(text.contains("_Bool taken = i < n && 3 < v;"), "{text}");
}

#[test]
fn what_all_threads_agree_on_keeps_its_form() {
    let mut k = Kernel::new();
    let (t, h) = (k.s.int("t"), k.s.int("h"));
    let body = vec![
        either(
            less(k.count.e(), 5),
            vec![k.store(1), written_barrier()],
            vec![written_barrier()],
        ),
        count(&t, 0, &k.count).body(vec![k.store(2), written_barrier(), k.store(3)]),
        declare(&h, Some(int(1))),
        repeat(
            less(h.e(), &k.count),
            vec![
                k.store(4),
                written_barrier(),
                add_to(h.e(), h.e()),
                k.store(5),
            ],
        ),
    ];
    compare(
        &k.body(body),
        "
const _Bool active = i < n;
if count < 5
  if active
    a[i] = 1;
  barrier written (of the program)
else
  barrier written (of the program)
loop t = 0; t < count; t += 1 [spread nothing] sequential: it carries no `loop` directive
  if active
    a[i] = 2;
  barrier written (of the program)
  if active
    a[i] = 3;
int h = 1;
while h < count
  if active
    a[i] = 4;
  barrier written (of the program)
  h += h;
  if active
    a[i] = 5;",
    );
}

#[test]
fn loops_of_different_length_run_while_any_thread_is_live() {
    let mut k = Kernel::new();
    let t = k.s.int("t");
    let body = vec![
        repeat(k.positive(), vec![written_barrier(), k.store(1)]),
        repeat_after(vec![k.store(2), written_barrier()], k.positive()),
        count(&t, 0, k.i.e()).body(vec![written_barrier(), k.store(3)]),
    ];
    compare(
        &k.body(body),
        "
const _Bool active = i < n;
_Bool live = active && a[i] > 0;
while any thread has live
  barrier written (of the program)
  if live
    a[i] = 1;
  live = live && a[i] > 0;
_Bool live_2 = active;
while any thread has live_2
  if live_2
    a[i] = 2;
  barrier written (of the program)
  live_2 = live_2 && a[i] > 0;
int t = 0;
_Bool live_3 = active && t < i;
while any thread has live_3
  barrier written (of the program)
  if live_3
    a[i] = 3;
    t++;
    live_3 = t < i;",
    );
}

#[test]
fn a_thread_that_breaks_is_live_no_more() {
    let mut k = Kernel::new();
    let t = k.s.int("t");
    let body = vec![count(&t, 0, 9).body(vec![
        when(
            k.positive(),
            vec![k.store(1), written_barrier(), k.store(2), leave()],
        ),
        k.store(3),
    ])];
    compare(
        &k.body(body),
        "
int t = 0;
_Bool live = i < n && t < 9;
while any thread has live
  const _Bool taken = live && a[i] > 0;
  if taken
    a[i] = 1;
  barrier written (of the program)
  if taken
    a[i] = 2;
    live = false;
  if live
    a[i] = 3;
    t++;
    live = t < 9;",
    );
}

#[test]
fn continue_clears_a_mask_until_the_end_of_the_round() {
    let mut k = Kernel::new();
    let t = k.s.int("t");
    let odd = |k: &Kernel| less(k.a.at([k.i.e()]), 0);
    let body = vec![
        count(&t, 0, 9).body(vec![
            when(odd(&k), vec![skip()]),
            k.store(1),
            written_barrier(),
            k.store(2),
        ]),
        repeat(
            k.positive(),
            vec![
                k.store(3),
                when(odd(&k), vec![k.store(4), skip()]),
                written_barrier(),
                k.store(5),
            ],
        ),
    ];
    compare(
        &k.body(body),
        "
loop t = 0; t < 9; t += 1 [spread nothing] sequential: it carries no `loop` directive
  const _Bool in_round = i < n && !(a[i] < 0);
  if in_round
    a[i] = 1;
  barrier written (of the program)
  if in_round
    a[i] = 2;
_Bool live = i < n && a[i] > 0;
while any thread has live
  _Bool in_round_2 = live;
  if in_round_2
    a[i] = 3;
    if a[i] < 0
      a[i] = 4;
      in_round_2 = false;
  barrier written (of the program)
  if in_round_2
    a[i] = 5;
  live = live && a[i] > 0;",
    );
}

#[test]
fn leaving_the_iteration_clears_its_mask() {
    let mut k = Kernel::new();
    let t = k.s.int("t");
    let body = vec![
        when(k.positive(), vec![skip()]),
        k.store(1),
        written_barrier(),
        k.store(2),
        when(less(k.count.e(), 3), vec![skip()]),
        // All that are left agree, and nothing can fault.
        count(&t, 0, &k.count).body(vec![written_barrier(), k.store(3)]),
    ];
    compare(
        &k.body(body),
        "
_Bool active = i < n && !(a[i] > 0);
if active
  a[i] = 1;
barrier written (of the program)
if active
  a[i] = 2;
  if count < 3
    active = false;
loop t = 0; t < count; t += 1 [spread nothing] sequential: it carries no `loop` directive
  barrier written (of the program)
  if active
    a[i] = 3;",
    );
}

#[test]
fn all_threads_may_leave_an_iteration_alike() {
    let mut k = Kernel::new();
    let body = vec![
        when(less(k.count.e(), 3), vec![k.store(1), skip()]),
        written_barrier(),
        k.store(2),
    ];
    compare(
        &k.body(body),
        "
if count < 3
  if i < n
    a[i] = 1;
  continue;
barrier written (of the program)
if i < n
  a[i] = 2;",
    );
}

#[test]
fn a_plain_for_is_taken_apart_as_well() {
    let mut k = Kernel::new();
    let (h, g) = (k.s.int("h"), k.s.int("g"));
    let double = |v: &V| match add_to(v.e(), v.e()).kind {
        StatementKind::Expression(e) => e,
        _ => None,
    };
    let body = vec![
        other(StatementKind::For(Box::new(PlainFor {
            initializer: Some(declare(&h, Some(int(1)))),
            condition: Some(less(h.e(), &k.n).0),
            step: double(&h),
            body: vec![written_barrier(), k.store(1)],
            uncounted: None,
        }))),
        other(StatementKind::For(Box::new(PlainFor {
            initializer: Some(declare(&g, Some(int(1)))),
            condition: Some(less(g.e(), &k.i).0),
            step: double(&g),
            body: vec![written_barrier(), k.store(2)],
            uncounted: None,
        }))),
    ];
    compare(
        &k.body(body),
        "
for int h = 1; h < n; h += h
  barrier written (of the program)
  if i < n
    a[i] = 1;
int g = 1;
_Bool live = i < n && g < i;
while any thread has live
  barrier written (of the program)
  if live
    a[i] = 2;
    g += g;
    live = g < i;",
    );
}

#[test]
fn a_switch_around_a_barrier_is_refused() {
    let mut k = Kernel::new();
    let body = vec![other(StatementKind::Switch(
        k.count.e().0,
        vec![written_barrier()],
    ))];
    let (_, diagnostics) = k.run(body);
    let found: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(found, [codes::BARRIER_CONTROL]);
}
