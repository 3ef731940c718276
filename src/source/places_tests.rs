use super::*;
use crate::diagnostic::Diagnostics;
use crate::source::{Preprocessor, SourceFile};
use std::path::Path;

fn unit_of(compiler: &str, source: &[u8]) -> (TranslationUnit, Diagnostics) {
    let preprocessor = Preprocessor {
        compiler: compiler.into(),
        arguments: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    let file = SourceFile::new(Path::new("dir x/a.c"), source.to_vec());
    let unit = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    (unit, diagnostics)
}

fn unit(source: &str) -> TranslationUnit {
    let (unit, diagnostics) = unit_of("gcc", source.as_bytes());
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    unit
}

#[test]
fn first_look() {
    let u = unit(
        "#define N 4\n#pragma acc parallel loop num_gangs(N) // c\nfor (i = 0; i < N; i++) { a[i] = N; }\nint x;",
    );
    eprintln!("{:?}\n{:?}", u.text, u.tables);
}
