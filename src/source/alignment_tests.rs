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
    let inner = known.inner.values().flatten();
    let mut calls: Vec<&Call> = known.by_start.values().chain(inner).collect();
    calls.sort_by_key(|call| call.start);
    let text = |call: &&Call| (call.text.clone(), call.made.join(" "));
    calls.iter().map(text).collect()
}

#[test]
fn calls_are_found_with_what_they_make() {
    let source = "int first;\n#define N 4\n#define IDX(i, j) ((i) * N + (j))\n#define S(x) #x\nint a[N * N];\n\
                  void f(int i) {\n    a[IDX(i,\n        2)] = N;\n    const char *s = S(N), *t = S(i + N) + N;\n}\n\
                  #undef N\n#define N 5\nint g(void) { return N; }\n";
    let made = calls(source);
    let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
    let wanted = [
        pair("N", "4"),
        pair("N", "4"),
        pair("IDX(i, 2)", "( ( i ) * 4 + ( 2 ) )"),
        pair("N", "4"),
        pair("S(N)", "\"N\""),
        // A string of which the blanks are not known: no text makes it.
        pair("S(i + N)", "\0\""),
        pair("N", "4"),
        pair("N", "5"),
    ];
    assert_eq!(made, wanted);
}

#[test]
fn escapes_in_arguments_are_no_splices() {
    let source = "int first;\n#define IS(c, d) ((c) == (d))\nint f(int c) { return IS(c, '\\n'); }\n\
                  int g(int c) { return IS(c, 1\\\n0); }\n";
    let texts: Vec<String> = calls(source).into_iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["IS(c, '\\n')"]);
}

#[test]
fn calls_in_arguments_stand_behind_those_around_them() {
    let source = "int first;\n#define N 4\n#define ID(x) x\n#define TWICE(x) ((x) + 1 + (x))\n\
                  int a = ID(N);\nint b = TWICE(ID(N));\n";
    let made = calls(source);
    let texts: Vec<&str> = made.iter().map(|(text, _)| text.as_str()).collect();
    let wanted = ["ID(N)", "N", "TWICE(ID(N))", "ID(N)", "N", "ID(N)", "N"];
    assert_eq!(texts, wanted);
}

#[test]
fn branches_that_are_not_compiled_are_passed_over() {
    let source = "int first;\n#define N 4\nvoid f(int *a) {\n    a[0] = 1;\n#ifdef NONE\n    a[1] = N;\n\
                  #endif\n    a[2] = N; // two\n#if 0\n    a[3] = N;\n#else\n    a[4] = N; // four\n\
                  #endif\n    a[5]\n#ifdef N\n        += N\n#endif\n        ;\n}\n";
    assert_eq!(calls(source).len(), 3);
}

#[test]
fn what_the_compiler_defines_makes_no_call_but_for_constants() {
    let source = "int first;\n#include <stdlib.h>\n#include <limits.h>\n#define M INT_MAX\n#define R MB_LEN_MAX\n\
                  int a = M, b = MB_LEN_MAX, c = R;\nint d = INT_MAX;\n";
    let made = calls(source);
    let pair = |a: &str| (a.to_string(), "0x7fffffff".to_string());
    assert_eq!(made, [pair("M"), pair("INT_MAX")]);
}

#[test]
fn what_headers_have_is_passed_over() {
    let source =
        "int first;\n#define T int\n#include <limits.h>\nT a;\n#include <stddef.h>\nT b;\n";
    let made = calls(source);
    let pair = ("T".to_string(), "int".to_string());
    assert_eq!(made, [pair.clone(), pair]);
}

#[test]
fn headers_are_read_beside_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let header = "#include <stddef.h>\n#define N 4\n#define SQ(x) ((x) * (x))\n\n\
                  static int f(int i)\n{\n    // of N\n    i = N;\n#ifdef NONE\n    i = SQ(N);\n\
                  #else\n    i += 1;\n#endif\n    return SQ(i +\n              N);\n}\n";
    std::fs::write(folder.path().join("a.h"), header).unwrap();
    let source = "int first;\n#include \"a.h\"\nint last = N;\n";
    let file = SourceFile::new(&folder.path().join("a.c"), source.into());
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    let unit = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    let at = |piece: &str| unit.text.find(piece).unwrap() as u32;
    let known = unit.alignment(vec![Span::new(at("i = 4"), at("int last"))]);
    let mut calls: Vec<&Call> = known.by_start.values().collect();
    calls.sort_by_key(|call| call.end);
    let texts: Vec<&str> = calls.iter().map(|call| call.text.as_str()).collect();
    assert_eq!(texts, ["N", "SQ(i + N)"]);
    let statement = Span::new(at("i = 4"), at("i = 4") + 6);
    let (place, notes) = unit.notes_before(&known, statement, 0).unwrap();
    assert_eq!(place, Origin::new(1, header.find("i = N").unwrap()));
    assert_eq!(notes.len(), 1);
}
