use std::path::Path;

use super::*;
use crate::source::SourceFile;

/// The text of a file with the calls expanded that make its directives.
fn written(source: &str) -> Option<String> {
    let preprocessor = Preprocessor {
        compiler: Some("gcc".into()),
        arguments: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    let file = SourceFile::new(Path::new("main.c"), source.as_bytes().to_vec());
    let unit = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    let spans: Vec<Span> = unit.tables.directives.iter().map(|d| d.span).collect();
    let unit = unit.write_out(&spans, &preprocessor, &["acc"], &mut diagnostics)?;
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    for mark in &unit.tables.directives {
        assert!(unit.directive_range(mark.span).is_ok());
        assert_eq!(unit.location(mark.span).line, 4);
    }
    Some(String::from_utf8(unit.file.bytes).unwrap())
}

/// What the lines from the fourth on become.
fn lines_become(body: &str, lines: &str) -> String {
    let head = format!("#define P(x) _Pragma(#x)\n#define ALL(a, n) {body}\n\n");
    let text = written(&format!("{head}{lines}")).unwrap();
    text.strip_prefix(&head).unwrap().to_string()
}

#[test]
fn what_a_macro_makes_takes_the_place_of_its_call() {
    let body = "do { P(acc wait(n)) a = \"a  \\\" b\"; P(acc wait) } while (0)";
    let made =
        "do { _Pragma(\"acc wait ( 7 )\") x = \"a  \\\" b\"; _Pragma(\"acc wait\") } while (0)";
    assert_eq!(
        lines_become(body, "f(); ALL(x, 7); g();\nh();\n"),
        format!("f(); /* ALL(x, 7), expanded: */ {made}; g();\nh();\n")
    );
    // A call on several lines leaves as many.
    assert_eq!(
        lines_become(body, "ALL(x, /* of * / */\n    7); g();\nh();\n"),
        format!("/* ALL(x, /* of * / * / 7), expanded: */ {made} ;\n g();\nh();\n")
    );
}

#[test]
fn other_pragmas_stay() {
    let made = lines_become(
        "{ P(omp barrier) P(acc wait) P(omp flush) a; }",
        "ALL(x, 1) y;\n",
    );
    let operators = "_Pragma(\"omp barrier\") _Pragma(\"acc wait\") _Pragma(\"omp flush\")";
    assert_eq!(
        made,
        format!("/* ALL(x, 1), expanded: */ {{ {operators} x; }} y;\n")
    );
}

#[test]
fn what_would_mean_something_else_is_left() {
    let of = |body: &str, call: &str| {
        written(&format!(
            "#define P(x) _Pragma(#x)\n#define ALL(a) {body}\n\n{call}\n"
        ))
    };
    let body = "{ f(); P(acc wait) a; }";
    assert!(of(body, "ALL(x)").is_some());
    let counter = "ALL(x) f(__COUNTER__);";
    assert!(of("{ f(__COUNTER__); P(acc wait) a; }", counter).is_none());
    assert!(of(body, "ALL(x\n#ifdef Y\n+ 1\n#endif\n)").is_none());
}
