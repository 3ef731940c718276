//! Size, depth and cost: what must parse, and what must end in an error.

use std::time::{Duration, Instant};

use super::parsed;
use crate::syntax::{MAX_BRACKETS, MAX_DEPTH};

/// The codes of the errors of a text, with the time it took.
fn codes(text: &str) -> (Vec<String>, Duration) {
    let start = Instant::now();
    let errors = parsed(text).errors;
    let codes = errors.iter().map(|error| error[..5].to_owned()).collect();
    (codes, start.elapsed())
}

fn assert_parses(what: &str, text: &str) {
    let (codes, time) = codes(text);
    assert!(codes.is_empty(), "{what}: {codes:?}");
    assert!(time < Duration::from_secs(10), "{what} took {time:?}");
}

fn assert_too_deep(what: &str, text: &str) {
    let (codes, time) = codes(text);
    assert_eq!(codes, ["A0202"], "{what}");
    assert!(time < Duration::from_secs(10), "{what} took {time:?}");
}

fn in_function(body: &str) -> String {
    format!("typedef int T; int a, n;\nvoid f(void) {{ {body} }}\n")
}

#[test]
fn large_programs_parse() {
    let arms: String = (0..5_000)
        .map(|i| format!("else if (a == {i}) n = {i};\n"))
        .collect();
    assert_parses(
        "else if chain",
        &in_function(&format!("if (n) ; {arms} else n = 1;")),
    );
    let sum = vec!["a"; 20_000].join(" + ");
    assert_parses("sum", &in_function(&format!("n = {sum};")));
    let elements: String = (0..100_000).map(|i| format!("{i}, ")).collect();
    assert_parses("initialiser", &format!("int v[] = {{ {elements} }};"));
    let line = "n += a * (n - 1);".repeat(65_000);
    assert!(line.len() > 1_000_000);
    assert_parses("long line", &in_function(&line));
    let string = "x".repeat(1_000_000);
    assert_parses("long string", &format!("char *s = \"{string}\";"));
    assert_parses("long name", &format!("int {string};"));
    let cases: String = (0..20_000).map(|i| format!("case {i}: ")).collect();
    assert_parses(
        "cases",
        &in_function(&format!("switch (n) {{ {cases} ; }}")),
    );
    let nested = MAX_BRACKETS - 10;
    assert_parses(
        "parentheses",
        &in_function(&format!(
            "n = {}a{};",
            "(".repeat(nested),
            ")".repeat(nested)
        )),
    );
    assert_parses(
        "blocks",
        &in_function(&format!("{}{}", "{".repeat(nested), "}".repeat(nested))),
    );
    assert_parses(
        "calls",
        &in_function(&format!(
            "n = {}a{};",
            "f(".repeat(nested),
            ")".repeat(nested)
        )),
    );
    assert_parses(
        "casts",
        &in_function(&format!("n = {}a;", "(T)".repeat(500))),
    );
}

#[test]
fn depth_beyond_the_limits_is_an_error() {
    let parentheses = format!("{}a{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_too_deep("parentheses", &in_function(&format!("n = {parentheses};")));
    assert_too_deep(
        "unclosed",
        &in_function(&format!("n = {}", "(".repeat(20_000))),
    );
    assert_too_deep("braces", &format!("int v[] = {}", "{".repeat(20_000)));
    let much = MAX_DEPTH + 1;
    for (what, chain) in [
        ("sum", format!("n = {};", vec!["a"; much].join("+"))),
        ("signs", format!("n = {}a;", "- ".repeat(much))),
        ("assignments", format!("{}a;", "n = ".repeat(much))),
        ("conditions", format!("n = {}a;", "a ? n : ".repeat(much))),
        ("subscripts", format!("n = a{};", "[0]".repeat(much))),
        ("ifs", format!("{};", "if (a) ".repeat(much))),
        ("loops", format!("{};", "for (;;) ".repeat(much))),
        (
            "labels",
            format!("switch (n) {{ {} ; }}", "default: ".repeat(much)),
        ),
        (
            "else ifs",
            format!("if (a) ; {}", "else if (a) ; ".repeat(much)),
        ),
    ] {
        assert_too_deep(what, &in_function(&chain));
    }
}

/// Nested constructs, whole and broken at the innermost place, cost linear
/// time: no alternative parses the same text twice.
#[test]
fn nesting_costs_linear_time() {
    let shapes: [(&str, &str, &str); 18] = [
        ("(", "1", ")"),
        ("f(", "1", ")"),
        ("a[", "1", "]"),
        ("({ ", "1;", " ;})"),
        ("({ T y = ", "1", "; y; })"),
        ("({ T *y = ", "1", "; y; })"),
        ("({ a * y[", "1", "]; })"),
        ("sizeof(int[", "1", "])"),
        ("sizeof(T[", "1", "])"),
        ("(int[]){", "1", "}[0]"),
        ("(T){", "1", "}"),
        ("(T)(", "1", ")"),
        ("(n)(a)(", "1", ")"),
        ("(a ? ", "1", " : 2)"),
        ("_Generic(a, int: ", "1", ", default: 2)"),
        ("((int (*)(int a[", "1", "]))0)(2)"),
        ("sizeof(__typeof__(", "1", "))"),
        (
            "({ if (a) { switch (n) { case 1: ; n = ",
            "1",
            "; } } 2; })",
        ),
    ];
    for (open, inner, close) in shapes {
        for broken in ["", " 2 3", " )"] {
            let mut slowest = Duration::ZERO;
            for depth in [5, 10, 20, 40] {
                let text = format!(
                    "{}{inner}{broken}{}",
                    open.repeat(depth),
                    close.repeat(depth)
                );
                let (codes, time) = codes(&in_function(&format!("n = {text};")));
                assert_eq!(
                    codes.is_empty(),
                    broken.is_empty(),
                    "{open} {broken} {codes:?}"
                );
                slowest = slowest.max(time);
            }
            assert!(
                slowest < Duration::from_millis(500),
                "{open} {broken}: {slowest:?}"
            );
        }
    }
    for shape in [
        "void (*f(",
        "int f(int (",
        "int f(T (",
        "struct { struct s { int a[",
    ] {
        for depth in [5, 10, 20, 40] {
            let (codes, time) = codes(&format!("typedef int T; {}", shape.repeat(depth)));
            assert!(!codes.is_empty());
            assert!(time < Duration::from_millis(500), "{shape} {time:?}");
        }
    }
}
