//! Long and deep programs.

use std::fmt::Write as _;

use super::*;

/// Analyses on the big stack and drops the unit there, as deep trees need.
fn accepted_deep(text: &str, look: impl FnOnce(&Unit) + Send) {
    on_big_stack(|| {
        let mut diagnostics = Diagnostics::new();
        let tree = parse(text, &mut diagnostics).unwrap();
        let unit = analyse(&tree, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        look(&unit);
    });
}

#[test]
fn a_sum_of_20000_terms() {
    let terms = vec!["1"; 20_000].join(" + ");
    let text = format!("long total = {terms}; int f(int x) {{ return x + {terms}; }}");
    accepted_deep(&text, |unit| {
        assert_eq!(value_of(unit, "total"), Some(20_000));
    });
}

#[test]
fn an_else_if_chain_of_5000() {
    let mut text = String::from("int f(int x) { if (x == 0) return 0;\n");
    for i in 1..5_000 {
        let _ = writeln!(text, "else if (x == {i}) return {i};");
    }
    text.push('}');
    accepted_deep(&text, |unit| assert_eq!(unit.functions.len(), 1));
}

#[test]
fn an_initialiser_of_100000_elements() {
    let elements: Vec<String> = (0..100_000).map(|i| i.to_string()).collect();
    let text = format!("double x[] = {{ {} }};", elements.join(", "));
    accepted_deep(&text, |unit| {
        assert_eq!(show(unit, symbol(unit, "x").ty), "double [100000]");
        let Some(Initializer::Aggregate(items)) = &unit.globals[0].initializer else {
            panic!();
        };
        assert_eq!(items.len(), 100_000);
        assert!(items.iter().enumerate().all(|(i, (at, _))| i as u64 == *at));
    });
}

#[test]
fn nesting() {
    let depth = 450;
    let (open, close) = ("(".repeat(depth), ")".repeat(depth));
    let (begin, end) = ("{".repeat(depth), "}".repeat(depth));
    let text = format!("int f(int x) {{ {begin} x = {open}x{close}; {end} return x; }}");
    accepted_deep(&text, |unit| assert_eq!(unit.functions.len(), 1));
}

#[test]
fn a_switch_of_10000_cases_and_many_names() {
    let mut text = String::from("int f(int x) { switch (x) {\n");
    for i in 0..10_000 {
        let _ = writeln!(
            text,
            "case {i}: {{ int name_{i} = {i}; x += name_{i}; break; }}"
        );
    }
    text.push_str("} return x; }");
    accepted_deep(&text, |unit| assert!(unit.symbols.len() > 10_000));
}

#[test]
fn enormous_numbers_are_errors_and_no_harm() {
    for text in [
        "int a[0x7fffffffffffffff]; long n = sizeof a;",
        "int a[4000000000][4000000000]; char b[sizeof a];",
        "int a[] = { [0 ... 0x7ffffffffffffff0] = 1 };",
        "struct s { char a[0x7fffffffffffffff]; char b[0x7fffffffffffffff]; long c; } x;",
        "int a = 340282366920938463463374607431768211456;",
        "enum { A = 0x7fffffffffffffff, B, C = 18446744073709551615u, D };",
        "int a[2] = { [18446744073709551615u] = 1 };",
        "typedef int v __attribute__((vector_size(9223372036854775808u), aligned(1ul << 63)));
         struct s { char c; v x; int b : 3 __attribute__((aligned(1ul << 63))); } y;",
        "_Static_assert((-170141183460469231731687303715884105727 - 1) / -1, \"\");",
        "int x = -2147483648 / -1 + (int)1e300 + (1 << 31 << 1);",
        "long x = (long)&((int *)9223372036854775807)[9223372036854775807];",
        "long x = __builtin_offsetof(struct { char a[2]; int b[5]; }, b[9223372036854775807]);",
    ] {
        // Whatever is said of them, nothing overflows.
        errors(text);
    }
}
