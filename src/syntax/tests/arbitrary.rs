//! Any text at all: no panic, and an error wherever there is no tree.

use proptest::prelude::*;

use super::parsed;

const TOKENS: [&str; 64] = [
    "int",
    "T",
    "x",
    "y",
    "f",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ";",
    ",",
    "*",
    "&",
    "+",
    "-",
    "++",
    "=",
    "==",
    "?",
    ":",
    ".",
    "->",
    "...",
    "1",
    "2.5f",
    "'c'",
    "\"s\"",
    "\"open",
    "struct",
    "enum",
    "typedef",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default",
    "return",
    "goto",
    "sizeof",
    "_Generic",
    "__attribute__((aligned(8)))",
    "asm",
    "const",
    "static",
    "void",
    "(T)",
    "(int)",
    "é",
    "\u{f7e9}",
    "\\",
    "@",
    "__accrs_pragma_acc",
    "__accrs_pragma_end",
    "parallel loop",
    "copy(a[0:n])",
    "_Static_assert",
];

fn check(text: &str) {
    let parsed = parsed(text);
    assert_eq!(
        parsed.tree.is_none(),
        parsed
            .errors
            .iter()
            .any(|e| e.starts_with("A0201") || e.starts_with("A0202")),
        "{text}: {:?}",
        parsed.errors
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn token_soup(choice in prop::collection::vec(0..TOKENS.len(), 0..60)) {
        let words: Vec<&str> = choice.iter().map(|i| TOKENS[*i]).collect();
        check(&words.join(" "));
        check(&format!("typedef int T; void f(void) {{ {} }}", words.join("")));
    }

    #[test]
    fn any_characters(text in ".{0,200}") {
        check(&text);
    }

    /// A program with one token taken out or doubled.
    #[test]
    fn broken_programs(at in 0_usize..120, doubled: bool) {
        let program = "typedef struct node { int value ; struct node * next ; } T ; \
            static int sum ( const T * list , int ( * f ) ( int ) ) { int total = 0 ; \
            __accrs_pragma_acc parallel loop copyin ( list [ 0 : 3 ] ) reduction ( + : total ) __accrs_pragma_end \
            for ( int i = 0 ; i < 3 ; i ++ ) { total += ( int ) f ( list [ i ] . value ) * 2 ; } \
            if ( total > 3 ) return ( T ) { . value = 1 } . value ; else while ( 1 ) break ; \
            return sizeof ( T ) ? total : - 1 ; }";
        let mut tokens: Vec<&str> = program.split_whitespace().collect();
        let at = at % tokens.len();
        if doubled {
            tokens.insert(at, tokens[at]);
        } else {
            tokens.remove(at);
        }
        check(&tokens.join(" "));
    }
}
