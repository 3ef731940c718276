use super::*;

fn marked(source: &str) -> String {
    let lexed = lexer::lex(source.as_bytes());
    let copy = mark(source.as_bytes(), &lexed, b"a.c", &["acc"], &[]);
    let text = String::from_utf8(copy.text).unwrap();
    text.strip_prefix("#line 1 \"a.c\"\n").unwrap().to_string()
}

#[test]
fn directives_become_tokens_and_lines_stay() {
    assert_eq!(
        marked("#pragma acc loop \\\n gang(N) // c\nx;"),
        "__accrs_pragma_acc_0_32 loop gang ( N ) __accrs_pragma_end \n\nx; __accrs_m35"
    );
    assert_eq!(
        marked("a;\n  # pragma acc /* c */ wa\\\nit\n"),
        "a; __accrs_m2\n  __accrs_pragma_acc_5_32 wait __accrs_pragma_end \n\n"
    );
    let untouched = "#pragma accrs x\n#pragma omp for\n#pragma once\n#define P #pragma acc\n";
    assert_eq!(marked(untouched), untouched);
    assert_eq!(
        marked("// #pragma acc\n\"#pragma acc\"\n"),
        "// #pragma acc\n\"#pragma acc\"\n"
    );
}

/// The offsets of the markers of a copy, and what stands before each.
fn markers_after(source: &str) -> Vec<&str> {
    let copy = marked(source);
    let words = copy.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let offsets = words.filter_map(|w| w.strip_prefix(MARKER)?.parse::<usize>().ok());
    offsets
        .map(|end| source[..end].split_whitespace().next_back().unwrap())
        .collect()
}

#[test]
fn markers_stand_where_statements_begin_and_end() {
    assert_eq!(
        markers_after("for ( i = 0; i < n; i++ ) { a [ i ] = 0; } x = a * b + f ( y ) ;"),
        ["{", "0;", "}", ";"]
    );
    assert_eq!(
        markers_after("if ( x ) LOOP ( y ) END z ;"),
        [")", ")", "END", ";"]
    );
    assert_eq!(
        markers_after("BODY ; else LOOP case 1 : LOOP default : f ( 3 ) ;"),
        [";", "else", "LOOP", ":", "LOOP", ":", ";"]
    );
    assert_eq!(
        markers_after("int a = { { 1 , 2 } , { 3 } } ; S s = { 1 } ;"),
        ["}", "}", ";", "S", "}", ";"]
    );
    assert_eq!(
        markers_after("struct s { int x ; } ; enum e { A , B } ;"),
        ["s", "{", ";", "}", ";", "e", "{", "B", "}", ";"]
    );
    assert_eq!(
        markers_after("x = ( { a ; b ( { c ; } ) ; } ) ;"),
        ["{", ";", ";", ";"]
    );
    assert_eq!(markers_after("<% ; %>"), ["<%", ";", "%>"]);
}

#[test]
fn no_marker_parts_a_macro_from_its_arguments() {
    assert_eq!(markers_after("F ( a ; b { } )"), [")"]);
    assert_eq!(
        markers_after("F\n#ifdef X\n;\n#else\n(1)\n#endif\n"),
        [";", "(1)"]
    );
    assert_eq!(
        markers_after("F\n#define X\n#include <x>\n G\n#define Y\n"),
        ["G"]
    );
    assert_eq!(markers_after("F\n#if A\n x\n#endif\n( 1 )"), [")"]);
}

#[test]
fn conditionals_keep_the_count_of_parentheses() {
    let source = "f (\n#ifdef A\n a )\n#else\n b )\n#endif\n ; x ;";
    assert_eq!(markers_after(source), [")", ")", ";", ";"]);
    // a parenthesis that a macro closes does not silence the rest of the file
    assert_eq!(
        markers_after("void g ( ) { f ( x CLOSE ;\n} int y ;"),
        [")", "{", "}", ";"]
    );
}
