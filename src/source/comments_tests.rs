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
        let behind = unit.note_behind(&known, span(&unit, piece));
        let line = |note| match note {
            Note::Blank => String::new(),
            Note::Comment(_, lines) => lines.join("|"),
        };
        let before: Vec<String> = notes.into_iter().map(line).collect();
        (before.join(" + "), behind.map(line))
    };
    assert_eq!(texts("x[0] = 1;"), (String::new(), Some("// of x".into())));
    let before = " + /* Two|   lines. */ + // And one.".to_string();
    assert_eq!(texts("x[1] = 2;"), (before, Some("/* of y */".into())));
    assert_eq!(texts("x[3] = 4;"), ("// Of all.".into(), None));
}
