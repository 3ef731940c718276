use std::fs;

use super::*;

/// A unit of `main.c` in a folder with these files, and the same with every
/// included file of the user's read in place.
fn in_place(files: &[(&str, &str)], arguments: &[&str]) -> Result<(String, String), String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let root = folder.path().to_str().unwrap();
    let arguments = arguments.iter().map(|a| a.replace("ROOT", root).into());
    let preprocessor = Preprocessor {
        compiler: Some("gcc".into()),
        arguments: arguments.collect(),
    };
    let file = SourceFile::read(&folder.path().join("main.c")).unwrap();
    let mut diagnostics = Diagnostics::new();
    let unit = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let inclusions = unit.tables.inclusions.iter();
    let spans: Vec<Span> = inclusions
        .filter(|i| i.in_main && !i.is_system)
        .map(|i| Span::new(i.at, i.at + 1))
        .filter(|span| !unit.in_main_file(*span))
        .collect();
    let before = unit.text.clone();
    match unit.read_in_place(&spans, &preprocessor, &["acc"], &mut diagnostics) {
        Ok(unit) => {
            assert!(diagnostics.is_empty(), "{diagnostics:?}");
            assert_eq!(tokens_of(&before), tokens_of(&unit.text));
            for token in lexer::lex(unit.text.as_bytes()).tokens {
                let span = Span::new(token.start, token.end);
                assert!(unit.in_main_file(span));
                let spelled = &unit.text[token.start as usize..token.end as usize];
                let range = unit.original_range(span).unwrap();
                assert_eq!(unit.file.bytes[range.clone()], *spelled.as_bytes());
                // the same bytes are in the file that the place names
                let (file, range) = unit.file.origin_range(range);
                assert_eq!(fs::read(&file.path).unwrap()[range], *spelled.as_bytes());
            }
            let text = String::from_utf8(unit.file.bytes).unwrap();
            Ok((unit.text, text.replace(root, "ROOT")))
        }
        Err(refused) => Err(refused.1.notes.concat()),
    }
}

#[test]
fn files_are_found_from_the_main_file() {
    let files = [
        ("main.c", "int first;\n#include \"a/x.h\"\nint last;\n"),
        (
            "a/x.h",
            "#include \"y.h\"\n#include <b/z.h>\n#  include \"../top.h\" /* a\n   comment */\nint x;",
        ),
        ("a/y.h", "int y;\n"),
        ("i/b/z.h", "#include \"w.h\"\nint z;\n"),
        ("i/b/w.h", ""),
        ("top.h", "int top;\n"),
        ("y.h", "int wrong;\n"),
    ];
    // Only what has tokens of its own is read in place here.
    let (_, text) = in_place(&files, &["-IROOT/i"]).unwrap();
    assert_eq!(
        text,
        "int first;\nint y;\n\n#include \"i/b/w.h\"\nint z;\n\nint top;\n\nint x;\n\nint last;\n"
    );
}

#[test]
fn once_stays_once() {
    let files = [
        (
            "main.c",
            "#include \"a.h\"\n#include \"b.h\"\n#include \"a.h\"\nint m;\n",
        ),
        ("a.h", "#pragma once\nint a;\n"),
        ("b.h", "#include \"c.h\"\nint b;\n"),
        ("c.h", "#include \"a.h\"\n#include \"a.h\"\n"),
    ];
    let (_, text) = in_place(&files, &[]).unwrap();
    assert_eq!(text.replace('\n', ""), "int a;int b;int m;");
}

#[test]
fn a_file_may_be_included_twice() {
    let files = [
        ("main.c", "#include \"x.h\"\n#include \"x.h\"\nint m;\n"),
        ("x.h", "extern int a;\nextern int\nc;\n"),
    ];
    let (text, _) = in_place(&files, &[]).unwrap();
    assert_eq!(text.matches("extern").count(), 4);
}

#[test]
fn what_depends_on_the_file_is_refused() {
    let level = [
        ("main.c", "#include \"x.h\"\n"),
        ("x.h", "int a[__INCLUDE_LEVEL__];\n"),
    ];
    assert!(
        in_place(&level, &[])
            .unwrap_err()
            .contains("__INCLUDE_LEVEL__")
    );
    let numbered = [
        ("main.c", "#line 9 \"y\"\n#include \"x.h\"\n"),
        ("x.h", "int a;\n"),
    ];
    assert!(in_place(&numbered, &[]).unwrap_err().contains("#line"));
}

#[test]
fn names_of_directives() {
    let name = |text: &str| text[header_name(text.as_bytes())].to_string();
    assert_eq!(name("# include /* c */ \"a b.h\" // d"), "\"a b.h\"");
    assert_eq!(name("#include<x/y.h>"), "<x/y.h>");
    assert_eq!(name("#include MACRO(x) "), "MACRO(x)");
    assert_eq!(name("#include \"open"), "\"open");
    assert_eq!(name("#include"), "");
}
