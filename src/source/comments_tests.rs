use super::*;
use crate::diagnostic::Diagnostics;
use crate::source::{Preprocessor, SourceFile};
use std::path::Path;

fn unit(source: &str) -> TranslationUnit {
    let preprocessor = Preprocessor {
        compiler: Some("cc".into()),
        arguments: Vec::new(),
    };
    let file = SourceFile::new(Path::new("a.c"), source.into());
    let mut diagnostics = Diagnostics::new();
    TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics)
}

/// The span of a piece of the text.
fn span(unit: &TranslationUnit, piece: &str) -> Span {
    let at = unit.text.find(piece).expect("the text has the piece") as u32;
    Span::new(at, at + piece.len() as u32)
}

#[test]
fn comments_stay_with_their_statements() {
    let source = "void f(int *x) {\n    x[0] = 1; // of x\n\n    /* Two\n       lines. */\n\
                  #pragma acc loop\n    // And one.\n    x[1] = 2; /* of y */ x[2] = 3;\n    // Of all.\n\
                  #pragma acc data copy(x)\n    {\n        x[3] = 4;\n    // lost\n    }\n}\n";
    let unit = unit(source);
    let known = unit.alignment(vec![Span::new(0, unit.text.len() as u32)]);
    let texts = |piece| {
        let (_, notes) = unit.notes_before(&known, span(&unit, piece), 0).unwrap();
        let behind = unit.notes_behind(&known, span(&unit, piece));
        (joined(notes), joined(behind))
    };
    assert_eq!(texts("x[0] = 1;"), (String::new(), "// of x".into()));
    let before = " + /* Two|   lines. */ + // And one.".to_string();
    assert_eq!(texts("x[1] = 2;"), (before, "/* of y */".into()));
    assert_eq!(texts("x[3] = 4;"), ("// Of all.".into(), String::new()));
}

/// Notes as one text.
fn joined(notes: Vec<Note>) -> String {
    let line = |note| match note {
        Note::Blank => String::new(),
        Note::Comment(_, lines) => lines.join("|"),
    };
    let texts: Vec<String> = notes.into_iter().map(line).collect();
    texts.join(" + ")
}

#[test]
fn comments_of_branches_stay_in_them() {
    let source = "void f(int *x) {\n    if (x[0]) {\n        x[1] = 1; /* a */ // b\n        // end\n\
                  }\n    // why\n    else\n        x[2] = 2;\n    // after\n}\n";
    let unit = unit(source);
    let known = unit.alignment(vec![Span::new(0, unit.text.len() as u32)]);
    let (first, second) = (span(&unit, "x[1] = 1;"), span(&unit, "x[2] = 2;"));
    assert_eq!(joined(unit.notes_behind(&known, first)), "/* a */ + // b");
    assert_eq!(joined(unit.notes_after(&known, first, first)), "// end");
    let (_, before) = unit.notes_before(&known, second, 0).unwrap();
    assert_eq!(joined(before), "// why");
    assert_eq!(joined(unit.notes_after(&known, second, second)), "");
    let whole = span(&unit, "if (x[0])").to(second);
    assert_eq!(joined(unit.notes_after(&known, whole, whole)), "// after");
}

#[test]
fn statements_with_comments_have_the_lines_of_the_user() {
    let source = "void f(int *x) {\n    x[0] = x[1] // one\n         + 2;\n    x[2] = 3;\n}\n";
    let unit = unit(source);
    let known = unit.alignment(vec![Span::new(0, unit.text.len() as u32)]);
    let at = span(&unit, "x[0]").to(span(&unit, "+ 2;"));
    let found = unit.commented(&known, at);
    assert_eq!(found.lines, ["x[0] = x[1] // one", "     + 2;"]);
    assert_eq!(joined(found.notes), "// one");
    let none = Commented::default();
    assert_eq!(unit.commented(&known, span(&unit, "x[2] = 3;")), none);
}
