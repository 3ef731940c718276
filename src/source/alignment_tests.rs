use super::*;
use crate::diagnostic::Diagnostics;
use crate::source::{Preprocessor, SourceFile};
use std::path::Path;

fn calls(source: &str) -> Vec<(String, String)> {
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: Vec::new(),
    };
    let file = SourceFile::new(Path::new("a.c"), source.into());
    let mut diagnostics = Diagnostics::new();
    let unit = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    let known = unit.alignment(vec![Span::new(0, unit.text.len() as u32)]);
    let mut calls: Vec<(&u32, &Call)> = known.by_start.iter().collect();
    calls.sort_by_key(|(at, _)| **at);
    let text = |(_, call): (&u32, &Call)| (call.text.clone(), call.made.join(" "));
    calls.into_iter().map(text).collect()
}

#[test]
fn calls_are_found_with_what_they_make() {
    let source = "int first;\n#define N 4\n#define IDX(i, j) ((i) * N + (j))\n#define S(x) #x\nint a[N * N];\n\
                  void f(int i) {\n    a[IDX(i,\n        2)] = N;\n    const char *s = S(N);\n}\n\
                  #undef N\n#define N 5\nint g(void) { return N; }\n";
    let made = calls(source);
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    let wanted = [
        pair("N", "4"),
        pair("N", "4"),
        pair("IDX(i, 2)", "( ( i ) * 4 + ( 2 ) )"),
        pair("N", "4"),
        pair("N", "5"),
    ];
    assert_eq!(made, wanted);
}

#[test]
fn what_the_compiler_defines_makes_no_call() {
    let made =
        calls("int first;\n#include <limits.h>\n#define M INT_MAX\nint a = INT_MAX, b = M;\n");
    assert_eq!(made, []);
}

#[test]
fn what_headers_have_is_passed_over() {
    let source =
        "int first;\n#define T int\n#include <limits.h>\nT a;\n#include <stddef.h>\nT b;\n";
    let made = calls(source);
    let pair = ("T".to_string(), "int".to_string());
    assert_eq!(made, [pair.clone(), pair]);
}
