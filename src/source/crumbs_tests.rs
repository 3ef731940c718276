use super::*;

fn marked(source: &str) -> String {
    let lexed = lexer::lex(source.as_bytes());
    let copy = mark(source.as_bytes(), &lexed, b"a.c", &["acc"]);
    let text = String::from_utf8(copy.text).unwrap();
    text.strip_prefix("# 1 \"a.c\"\n").unwrap().to_string()
}

#[test]
fn directives_become_tokens_and_lines_stay() {
    assert_eq!(
        marked("#pragma acc loop \\\n gang(N) // c\nx;"),
        "__accrs_pragma_acc_0_32 loop gang ( N ) __accrs_pragma_end \n\nx; __accrs_m35"
    );
    assert_eq!(
        marked("a; # pragma acc\n  # pragma acc /* c */ wa\\\nit\n"),
        "a; __accrs_m2 # pragma acc\n  __accrs_pragma_acc_18_45 wait __accrs_pragma_end \n\n"
    );
    let untouched = "#pragma accrs x\n#pragma omp for\n#pragma once\n#define P #pragma acc\n";
    assert_eq!(marked(untouched), untouched);
    assert_eq!(
        marked("// #pragma acc\n\"#pragma acc\"\n"),
        "// #pragma acc\n\"#pragma acc\"\n"
    );
}
