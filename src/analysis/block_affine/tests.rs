use super::{Facts, Frame};
use crate::analysis::affine::Term;
use crate::analysis::effects::Oracle;
use crate::ir::sample::{E, Sample, V, binary, count, declare, int, set};
use crate::ir::{BlockExtent, Construct, Statement, StatementKind};
use crate::typed::BinaryOperator as B;
use crate::typed::print::{C, Printer};

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
    let module = sample.module(Construct::Parallel, vec![l]);
    let mut kernel = module.kernels[0].clone();
    kernel.block = Some([threads, 1, 1].map(BlockExtent::Constant));
    let unit = &sample.unit;
    let mut frame = Frame::new(&kernel, Facts::of(&kernel, &Oracle::new(unit, &[])));
    let StatementKind::Loop(l) = &kernel.body[0].kind else {
        unreachable!("the body is a loop");
    };
    frame.enter_tiled(l, first.symbol, 0, unit);
    for statement in &locals {
        if let StatementKind::Declaration(list) = &statement.kind
            && let Some(crate::typed::Initializer::Expression(value)) = &list[0].initializer
        {
            frame.define(list[0].symbol, value);
        }
    }
    let value = frame.value(&e.0, unit).map_err(|defeat| defeat.reason)?;
    let pieces: Vec<String> = value
        .iterations()
        .into_iter()
        .map(|number| {
            let atom = frame.atom(number).unwrap();
            let coefficient = value.coefficient(Term::Iteration(number)).unwrap();
            format!("{coefficient} {atom:?}")
        })
        .collect();
    let origin = frame.origin(&e.0, unit);
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
