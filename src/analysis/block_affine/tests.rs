use super::{Apart, Frame, Slots};
use crate::analysis::effects::Oracle;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::ir::builder::{E, Sample, V, binary, count, declare, int, set, when};
use crate::ir::{BlockExtent, Execution, Statement, StatementKind};
use crate::typed::print::{C, Printer};
use crate::typed::{BinaryOperator as B, Expression, ExpressionKind, QualType};

/// A loop over `i` from `lower` with blocks of `threads`, whose body declares
/// `locals`; the form of `e` as `c·t, …; origin`.
fn form(
    sample: &mut Sample,
    i: &V,
    lower: i128,
    threads: u32,
    locals: Vec<Statement>,
    e: E,
) -> Result<String, String> {
    let first = sample.int("first");
    let n = sample.value("n");
    let l = count(i, int(lower), n.e()).body(locals.clone());
    let module = sample.module(Execution::Redundant, vec![l]);
    let mut kernel = module.kernels[0].clone();
    kernel.block = Some([threads, 1, 1].map(BlockExtent::Constant));
    let unit = &sample.unit;
    let mut frame = Frame::new(&kernel, &[], &Oracle::new(unit, &[]));
    let StatementKind::Loop(l) = &kernel.body[0].kind else {
        unreachable!("the body is a loop");
    };
    frame.enter_tiled(l, first.symbol, 0);
    for statement in &locals {
        if let StatementKind::Declaration(list) = &statement.kind
            && let Some(crate::typed::Initializer::Expression(value)) = &list[0].initializer
        {
            frame.define(list[0].symbol, value);
        }
    }
    let value = frame.value(&e.0).map_err(|defeat| defeat.reason)?;
    let pieces: Vec<String> = value
        .iterations()
        .into_iter()
        .map(|number| {
            let atom = frame.atom(number).unwrap();
            let coefficient = value.coefficient(Term::Iteration(number)).unwrap();
            format!("{coefficient} {atom:?}")
        })
        .collect();
    let origin = frame.origin(&e.0);
    Ok(format!(
        "{}; {}",
        pieces.join(", "),
        Printer::text(unit, &C, &origin)
    ))
}

fn simple(threads: u32, make: impl FnOnce(&V, &V) -> E) -> Result<String, String> {
    let mut s = Sample::new();
    let i = s.int("i");
    let k = s.value("k");
    let e = make(&i, &k);
    form(&mut s, &i, 0, threads, Vec::new(), e)
}

#[test]
fn sums_and_constant_factors() {
    assert_eq!(
        simple(256, |i, k| int(2) * k - i.e() * int(3)).unwrap(),
        "-3 Thread(0, Whole); 2 * k - first * 3"
    );
    assert_eq!(simple(256, |_, k| k.e()).unwrap(), "; k");
    let reason = simple(256, |i, k| i.e() * k).unwrap_err();
    assert!(reason.contains("compile-time constant"), "{reason}");
}

#[test]
fn the_ghost_zone_of_pathfinder() {
    let mut s = Sample::new();
    let (np, n) = (s.int("np"), s.int("column"));
    let k = s.value("k");
    let shifted = binary(B::ShiftRight, np.e(), int(8));
    let value = np.e() - (shifted * int(2) * &k + &k);
    let local = declare(&n, Some(value));
    let found = form(&mut s, &np, 0, 256, vec![local], n.e() + int(1));
    assert_eq!(
        found.unwrap(),
        "1 Thread(0, Whole); first - ((first >> 8) * 2 * k + k) + 1"
    );
}

#[test]
fn masks_and_quotients_split_the_thread() {
    assert_eq!(
        simple(256, |i, _| binary(B::BitAnd, i.e(), int(255))).unwrap(),
        "1 Thread(0, Whole); first & 255"
    );
    assert_eq!(
        simple(256, |i, _| binary(B::Divide, i.e(), int(512))).unwrap(),
        "; first / 512"
    );
    assert_eq!(
        simple(256, |i, _| binary(B::Divide, i.e(), int(32))).unwrap(),
        "1 Thread(0, Quotient(32)); first / 32"
    );
    assert_eq!(
        simple(256, |i, _| i.e() - binary(B::Remainder, i.e(), int(32))).unwrap(),
        "32 Thread(0, Quotient(32)); first - first % 32"
    );
}

#[test]
fn divisions_that_are_not_known() {
    let reason = simple(100, |i, _| binary(B::ShiftRight, i.e(), int(6))).unwrap_err();
    assert!(reason.contains("multiple of 64"), "{reason}");
    let reason = simple(256, |i, _| binary(B::Divide, i.e() + int(1), int(256))).unwrap_err();
    assert!(reason.contains("multiple of 256"), "{reason}");
    let mut s = Sample::new();
    let i = s.int("i");
    let e = binary(B::ShiftRight, i.e(), int(8));
    let reason = form(&mut s, &i, 3, 256, Vec::new(), e).unwrap_err();
    assert!(reason.contains("multiple of 256"), "{reason}");
}

#[test]
fn locals_that_change_are_not_followed() {
    let mut s = Sample::new();
    let (i, x) = (s.int("i"), s.int("x"));
    let locals = vec![declare(&x, Some(i.e())), set(x.e(), int(2))];
    let reason = form(&mut s, &i, 0, 256, locals, x.e()).unwrap_err();
    assert!(reason.contains("assigned more than once"), "{reason}");
}

/// A frame in the loop over `i` from 0 to `n`, in blocks of 64, before the
/// last of its statements.
fn in_loop<'u>(sample: &'u mut Sample, i: &V, locals: Vec<Statement>) -> Frame<'u> {
    let first = sample.int("first");
    let n = sample.value("n");
    let l = count(i, int(0), n.e()).body(locals.clone());
    let module = sample.module(Execution::Redundant, vec![l]);
    let mut kernel = module.kernels[0].clone();
    kernel.block = Some([64, 1, 1].map(BlockExtent::Constant));
    let unit = &sample.unit;
    let mut frame = Frame::new(&kernel, &[], &Oracle::new(unit, &[]));
    let StatementKind::Loop(l) = &kernel.body[0].kind else {
        unreachable!("the body is a loop");
    };
    frame.enter_tiled(l, first.symbol, 0);
    for statement in &locals[..locals.len() - 1] {
        frame.pass(statement);
    }
    frame
}

fn nothing() -> Statement {
    set(int(0), int(0))
}

fn choose(condition: E, then: E, otherwise: E) -> E {
    let ty = QualType::plain(then.0.ty.ty);
    let span = then.0.span;
    let then = Some(Box::new(then.0));
    let kind = ExpressionKind::Conditional(Box::new(condition.0), then, Box::new(otherwise.0));
    E(Expression { kind, ty, span })
}

/// Whether `low <= e <= high` in all cases.
fn lies_between(frame: &mut Frame, e: &E, low: &E, high: &E) -> bool {
    let low = frame.value(&low.0).unwrap();
    let high = frame.value(&high.0).unwrap();
    frame.cases(&e.0).iter().all(|case| {
        let above = case.value.minus(&low).unwrap();
        let below = high.minus(&case.value).unwrap();
        frame.is_proved(&above, &case.facts) && frame.is_proved(&below, &case.facts)
    })
}

#[test]
fn a_clamped_index_is_between_its_limits() {
    let mut s = Sample::new();
    let (i, up) = (s.int("i"), s.int("up"));
    let is_negative = binary(B::Less, up.e(), int(0));
    let locals = vec![
        declare(&up, Some(i.e() - int(1))),
        when(is_negative, vec![set(up.e(), int(0))]),
        nothing(),
    ];
    let mut frame = in_loop(&mut s, &i, locals);
    assert!(lies_between(&mut frame, &up.e(), &(i.e() - int(1)), &i.e()));
    assert!(!lies_between(
        &mut frame,
        &up.e(),
        &(i.e() - int(1)),
        &(i.e() - int(1))
    ));
    let clamped = choose(binary(B::Greater, i.e(), int(0)), i.e() - int(1), int(0));
    assert!(lies_between(&mut frame, &clamped, &int(0), &i.e()));
}

#[test]
fn what_changes_in_a_loop_is_not_known_in_it() {
    let mut s = Sample::new();
    let (i, x, k) = (s.int("i"), s.int("x"), s.int("k"));
    let inner = count(&k, int(0), int(4)).body(vec![set(x.e(), x.e() + int(1))]);
    let locals = vec![declare(&x, Some(int(0))), inner.clone()];
    let mut frame = in_loop(&mut s, &i, locals);
    assert!(lies_between(&mut frame, &x.e(), &int(0), &int(0)));
    let mut inside = frame.inside(&inner).remove(0);
    assert!(!lies_between(&mut inside, &x.e(), &int(0), &int(0)));
    assert!(lies_between(&mut inside, &k.e(), &int(0), &int(3)));
    frame.pass(&inner);
    assert!(!lies_between(&mut frame, &x.e(), &int(0), &int(0)));
}

#[test]
fn facts_are_added_up() {
    let mut s = Sample::new();
    let (i, k, m) = (s.int("i"), s.int("k"), s.int("m"));
    let locals = vec![declare(&k, None), declare(&m, None), nothing()];
    let mut frame = in_loop(&mut s, &i, locals);
    frame.assume(&binary(B::Less, k.e(), m.e() + int(3)).0, true);
    frame.assume(&binary(B::GreaterEqual, m.e(), int(10)).0, false);
    let value = |frame: &mut Frame, e: E| frame.cases(&e.0).remove(0).value;
    let goal = |frame: &mut Frame, limit: i128| {
        let k = value(frame, k.e());
        Polynomial::constant(limit).minus(&k).unwrap()
    };
    let (holds, fails) = (goal(&mut frame, 11), goal(&mut frame, 10));
    assert!(frame.is_proved(&holds, &[]));
    assert!(!frame.is_proved(&fails, &[]));
}

/// Why two accesses with these indices in the first round never meet.
fn apart(
    make: impl FnOnce(&V, &V) -> (E, E),
    condition: impl FnOnce(&V, &V) -> E,
    same_time: bool,
) -> Option<Apart> {
    let mut s = Sample::new();
    let (i, half) = (s.int("i"), s.value("half"));
    let (a, b) = make(&i, &half);
    let condition = condition(&i, &half);
    let mut frame = in_loop(&mut s, &i, vec![nothing()]);
    frame.assume(&condition.0, true);
    let slots = |frame: &mut Frame, e: E| -> Slots { frame.slots(&[&e.0]).unwrap() };
    let (a, b) = (slots(&mut frame, a), slots(&mut frame, b));
    frame.apart(&a, &b, same_time)
}

#[test]
fn own_slots_however_they_are_computed() {
    let lane = |i: &V| binary(B::Remainder, i.e(), int(64));
    let block = |i: &V| binary(B::Divide, i.e(), int(64));
    let always = |_: &V, _: &V| int(1);
    let found = apart(|i, _| (lane(i), i.e() - block(i) * int(64)), always, false);
    assert_eq!(found, Some(Apart::Own));
    let eighths = |i: &V, by: i128| {
        let lane = lane(i);
        let rest = binary(B::BitAnd, i.e(), int(7));
        binary(B::Divide, lane, int(8)) * int(by) + rest
    };
    let found = apart(|i, _| (eighths(i, 9), eighths(i, 9)), always, false);
    assert_eq!(found, Some(Apart::Own));
    // Rows of 7 overlap.
    let found = apart(|i, _| (eighths(i, 7), eighths(i, 7)), always, true);
    assert_eq!(found, None);
    let found = apart(|i, _| (lane(i), lane(i) + int(1)), always, true);
    assert_eq!(found, None);
}

#[test]
fn slots_that_lie_apart() {
    let lane = |i: &V| binary(B::Remainder, i.e(), int(64));
    let always = |_: &V, _: &V| int(1);
    let halves = |i: &V, half: &V| (lane(i) + half, lane(i));
    let below = |i: &V, half: &V| binary(B::Less, lane(i), half.e());
    assert_eq!(apart(halves, below, true), Some(Apart::Elsewhere));
    assert_eq!(apart(halves, always, true), None);
    let found = apart(
        |i, _| (i.e() * int(2), i.e() * int(2) + int(1)),
        always,
        true,
    );
    assert_eq!(found, Some(Apart::Elsewhere));
    // Tiles begin at multiples of the block: one thread has what lies whole
    // blocks apart, in whatever tile.
    let found = apart(|i, _| (i.e(), i.e() + int(128)), always, false);
    assert_eq!(found, Some(Apart::Own));
    let found = apart(|i, _| (i.e(), i.e() + int(1)), always, false);
    assert_eq!(found, None);
    let found = apart(|i, n| (i.e(), i.e() + n), always, false);
    assert_eq!(found, None);
    assert_eq!(apart(|i, _| (i.e(), i.e()), always, true), Some(Apart::Own));
}
