//! Which arrays, loops and sums are taken, against the reasons why others are not.

use super::arrays;
use crate::ir::builder::*;
use crate::ir::linear_index::{SLACK, adds_in_turn, array_of, is_int};
use crate::ir::{Capture, Execution, Kernel, Passing, Statement};
use crate::source::Span;
use crate::typed::{
    ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, IntegerKind, QualType,
    SymbolId, Type, UnaryOperator, synthesis,
};

fn expression(kind: ExpressionKind, like: &Expression) -> Expression {
    Expression {
        kind,
        ty: like.ty,
        span: Span::default(),
    }
}

/// A variable of an integer type.
fn of_kind(s: &Sample, kind: IntegerKind) -> Expression {
    let ty = s.unit.types.intern(Type::Integer(kind));
    let id = synthesis::variable(&s.unit, "v", ty, Span::default());
    synthesis::symbol(&s.unit, id, Span::default())
}

/// `int (*name)[n]`, or `int *name` where there is no `n`.
fn rows(s: &Sample, name: &str, n: Option<&V>) -> SymbolId {
    let int = QualType::plain(s.unit.types.intern(Type::Integer(IntegerKind::Int)));
    let row = n.map(|n| {
        let length = ArrayLength::Variable(s.unit.add_length(n.e().0));
        let ty = Type::Array {
            element: int,
            length,
        };
        QualType::plain(s.unit.types.intern(ty))
    });
    let pointer = Type::Pointer(row.unwrap_or(int));
    let ty = s.unit.types.intern(pointer);
    synthesis::variable(&s.unit, name, ty, Span::default())
}

fn capture(symbol: SymbolId, passing: Passing) -> Capture {
    Capture {
        symbol,
        passing,
        written: true,
        known: true,
        section_of: None,
    }
}

fn kernel(s: &Sample, body: Vec<Statement>) -> Kernel {
    let mut module = s.module(Execution::Redundant, body);
    module.kernels.remove(0)
}

#[test]
fn arrays_have_rows_of_run_time_length_and_pointers_that_stay() {
    let mut s = Sample::new();
    s.function("f");
    let (n, i) = (s.value("n"), s.int("i"));
    let taken = rows(&s, "a", Some(&n));
    let flat = rows(&s, "b", None);
    let named = |symbol| synthesis::symbol(&s.unit, symbol, Span::default());
    let changes = [
        ExpressionKind::Unary(UnaryOperator::PostIncrement, Box::new(named(taken))),
        ExpressionKind::Unary(UnaryOperator::AddressOf, Box::new(named(taken))),
        ExpressionKind::Assign(Box::new(named(taken)), Box::new(named(flat))),
    ];
    let found = |body: Vec<Statement>, passing| {
        let mut kernel = kernel(&s, body);
        kernel.captures.push(capture(taken, passing));
        kernel.captures.push(capture(flat, passing));
        arrays(&kernel, &s.unit)
    };
    let element = |array| {
        let kind = ExpressionKind::Index(Box::new(named(array)), Box::new(i.e().0));
        evaluate(E(expression(kind, &i.e().0)) + 1)
    };
    let plain = || vec![element(taken), element(flat)];
    for passing in [Passing::Pointer, Passing::Array, Passing::DevicePointer] {
        assert_eq!(found(plain(), passing), [taken]);
    }
    assert_eq!(found(plain(), Passing::Value), []);
    // Subscripts of 64 bits, and addresses.
    let place = |index: Expression| {
        let kind = ExpressionKind::Index(Box::new(named(taken)), Box::new(index));
        expression(kind, &i.e().0)
    };
    let long = place(of_kind(&s, IntegerKind::UnsignedLong));
    let address = ExpressionKind::Unary(UnaryOperator::AddressOf, Box::new(place(i.e().0)));
    for other in [long, expression(address, &i.e().0)] {
        assert_eq!(found(vec![evaluate(E(other) + 1)], Passing::Pointer), []);
    }
    // A pointer that nothing is a subscript of.
    assert_eq!(found(vec![element(flat)], Passing::Pointer), []);
    for change in changes {
        let e = E(expression(change, &i.e().0));
        // Wherever it stands: here in a loop, within another expression.
        let inside = count(&i, 0, n.e()).body(vec![element(taken), evaluate(e + 1)]);
        assert_eq!(found(vec![inside], Passing::Pointer), []);
    }
}

#[test]
fn the_array_of_a_subscript_is_named_directly() {
    let mut s = Sample::new();
    let n = s.value("n");
    let a = rows(&s, "a", Some(&n));
    let name = synthesis::symbol(&s.unit, a, Span::default());
    let converted = ExpressionKind::Convert(Conversion::ArrayToPointer, Box::new(name.clone()));
    let converted = expression(converted, &name);
    let grouped = expression(
        ExpressionKind::Parenthesized(Box::new(converted.clone())),
        &name,
    );
    assert_eq!(array_of(&converted), Some(a));
    assert_eq!(array_of(&grouped), Some(a));
    // A pointer that was computed may lead anywhere.
    let sum = binary(BinaryOperator::Add, E(name), n.e());
    assert_eq!(array_of(&sum.0), None);
}

#[test]
fn ints_are_what_arithmetic_with_an_index_leaves_in_its_type() {
    use IntegerKind as I;
    let s = Sample::new();
    for kind in [I::Int, I::Short, I::UnsignedShort, I::Char, I::UnsignedChar] {
        assert!(is_int(&of_kind(&s, kind), &s.unit));
    }
    for kind in [
        I::UnsignedInt,
        I::Long,
        I::UnsignedLong,
        I::LongLong,
        I::UnsignedLongLong,
    ] {
        assert!(!is_int(&of_kind(&s, kind), &s.unit));
    }
    // C++ has the value under a conversion that is not written.
    let int = of_kind(&s, I::Int);
    let unsigned = Box::new(of_kind(&s, I::UnsignedInt));
    let hidden = expression(
        ExpressionKind::Convert(Conversion::Arithmetic, unsigned),
        &int,
    );
    assert!(!is_int(&hidden, &s.unit));
}

/// A sum's value, and the values that its text has from left to right.
fn in_turn(e: &Expression) -> (i128, Vec<i128>) {
    match &e.kind {
        ExpressionKind::Binary(operator, left, right) => {
            let (left, mut steps) = in_turn(left);
            let (right, _) = in_turn(right);
            let sum = match operator {
                BinaryOperator::Add => left + right,
                _ => left - right,
            };
            steps.push(sum);
            (sum, steps)
        }
        ExpressionKind::Integer { value, .. } => (*value, vec![*value]),
        // What a variable has that C allows in this place.
        _ => (1 << 31, vec![1 << 31]),
    }
}

/// All sums of up to four operands: small and large constants, and variables.
fn sums(s: &mut Sample) -> Vec<E> {
    let v = s.int("v");
    let operands = [v.e(), int(1), int(SLACK), int(SLACK + 1), int(1 << 30)];
    let pairs = |of: &[E]| -> Vec<E> {
        let both = |a: &E, b: &E| [a.clone() + b.clone(), a.clone() - b.clone()];
        of.iter()
            .flat_map(|a| of.iter().flat_map(move |b| both(a, b)))
            .collect()
    };
    let mut all = operands.to_vec();
    all.extend(pairs(&operands));
    let mut deeper = pairs(&all);
    all.append(&mut deeper);
    all
}

#[test]
fn sums_in_turn_stay_near_the_row_or_the_element() {
    let mut s = Sample::new();
    let mut taken = 0;
    for sum in sums(&mut s) {
        if !adds_in_turn(&sum.0, &s.unit) {
            continue;
        }
        taken += 1;
        // From the row at 0 to the element: what is on the way is near one of them.
        let (element, steps) = in_turn(&sum.0);
        for step in steps {
            let is_near = |end: i128| (step - end).abs() <= SLACK;
            assert!(is_near(0) || is_near(element), "{:?}", sum.0);
        }
    }
    assert!(taken > 20);
}

#[test]
fn subscripts_as_people_write_them_are_added_in_turn() {
    let mut s = Sample::new();
    let (i, j, n) = (s.int("i"), s.int("j"), s.value("n"));
    let is_taken = |e: E| adds_in_turn(&e.0, &s.unit);
    for plain in [i.e(), i.e() + 1, i.e() - 1, int(1) + i.e(), i.e() * n.e()] {
        assert!(is_taken(plain));
    }
    // `i * n - i * n + j`: the first product alone may lead anywhere.
    let cancels = i.e() * n.e() - i.e() * n.e() + j.e();
    for far in [cancels, i.e() + j.e(), i.e() - n.e(), i.e() + 1 - 2] {
        assert!(!is_taken(far));
    }
}
