use super::*;

fn texts(source: &str) -> Vec<String> {
    let lexed = lex(source.as_bytes());
    lexed
        .tokens
        .iter()
        .map(|t| String::from_utf8_lossy(t.text(source.as_bytes())).into_owned())
        .collect()
}

fn problems(source: &[u8]) -> Vec<(ProblemKind, Range<u32>)> {
    lex(source)
        .problems
        .into_iter()
        .map(|p| (p.kind, p.range))
        .collect()
}

#[test]
fn tokens_of_ordinary_code() {
    let expected = [
        "a",
        "->",
        "b",
        "+=",
        "L\"x\\\"y\"",
        "u8\"z\"",
        "L'\\''",
        ".5e+3f",
        "0x1p-3",
        "...",
        "<<=",
        ";",
    ];
    assert_eq!(
        texts("a->b+=L\"x\\\"y\" u8\"z\" L'\\'' .5e+3f 0x1p-3 ... <<= ;"),
        expected
    );
    assert_eq!(
        texts("a+++b x\u{e9}t\\u00e9 $d 1'000"),
        ["a", "++", "+", "b", "xét\\u00e9", "$d", "1'000"]
    );
}

#[test]
fn comments_vanish_and_do_not_nest() {
    assert_eq!(
        texts("a/* b */c // d \" '\ne/**/f/*/ g*/h"),
        ["a", "c", "e", "f", "h"]
    );
    assert_eq!(texts("a // b \\\n c\nd"), ["a", "d"]);
}

#[test]
fn splices_join_tokens_comments_and_punctuators() {
    assert_eq!(
        texts("fo\\\no +\\\r\n+ 1\\\n2 /\\\n/ c\nd /\\\n* e *\\\n/ f"),
        ["fo\\\no", "+\\\r\n+", "1\\\n2", "d", "f"]
    );
    assert_eq!(texts("\"a\\\nb\" x"), ["\"a\\\nb\"", "x"]);
    assert_eq!(texts("a \\  \nb"), ["a", "b"]);
}

#[test]
fn a_directive_is_one_token() {
    assert_eq!(
        texts("#define X \"/*\" \\\n  y\nz"),
        ["#define X \"/*\" \\\n  y", "z"]
    );
    assert_eq!(
        texts("  # pragma acc loop /* a\nb */ gang\nz"),
        ["# pragma acc loop /* a\nb */ gang", "z"]
    );
    assert_eq!(
        texts("#error don't /* c */ x\nz # y"),
        ["#error don't /* c */ x", "z", "#", "y"]
    );
    assert_eq!(texts("#include <a/*b>\nz"), ["#include <a/*b>", "z"]);
    assert_eq!(
        texts("/* c */ #if 1\r\n%: endif\r\nq"),
        ["#if 1", "%: endif", "q"]
    );
    assert_eq!(
        texts("#pragma acc x // y \\\n z\nw"),
        ["#pragma acc x // y \\\n z", "w"]
    );
    assert_eq!(texts("#"), ["#"]);
}

#[test]
fn directive_names() {
    assert_eq!(directive_name(b"# /* x */ \\\n pragma acc"), b"pragma");
    assert_eq!(directive_name(b"%:endif"), b"endif");
    assert_eq!(directive_name(b"# 12 \"x\""), b"");
    assert_eq!(directive_name(b"#"), b"");
}

#[test]
fn strange_bytes_are_fine_in_comments_and_strings_only() {
    assert_eq!(problems(b"/* \0 \xff */ \"\0\xff\" '\xe9' // \xe9\0"), []);
    assert_eq!(problems(b"a \0"), [(ProblemKind::ControlCharacter, 2..3)]);
    assert_eq!(problems(b"ab\xe9 c"), [(ProblemKind::InvalidUtf8, 2..3)]);
    assert_eq!(problems(b"\xc3"), [(ProblemKind::InvalidUtf8, 0..1)]);
    assert_eq!(problems("é\u{feff}".as_bytes()), []);
    assert_eq!(texts("\u{feff}a"), ["a"]);
}

#[test]
fn unterminated_things_have_a_place_and_do_not_spread() {
    assert_eq!(
        problems(b"x /* abc"),
        [(ProblemKind::UnterminatedComment, 2..4)]
    );
    assert_eq!(
        problems(b"x /*/"),
        [(ProblemKind::UnterminatedComment, 2..4)]
    );
    assert_eq!(
        problems(b"x = \"abc\ny"),
        [(ProblemKind::UnterminatedString, 4..5)]
    );
    assert_eq!(
        problems(b"don't\ny = L'a\\"),
        [
            (ProblemKind::UnterminatedCharacter, 3..4),
            (ProblemKind::UnterminatedCharacter, 10..12)
        ]
    );
    assert_eq!(texts("a \"b\nc"), ["a", "\"", "b", "c"]);
    assert_eq!(
        problems(b"\"abc\\"),
        [(ProblemKind::UnterminatedString, 0..1)]
    );
}

#[test]
fn own_names_are_reserved() {
    assert_eq!(
        problems(b"int __accrs_m3; \"__accrs_\""),
        [(ProblemKind::ReservedIdentifier, 4..14)]
    );
}

proptest::proptest! {
    /// Any bytes lex without a panic into ascending, disjoint ranges.
    #[test]
    fn any_bytes_lex(bytes in proptest::collection::vec(
        proptest::prop_oneof![
            proptest::sample::select(b"\\\n\r\"'/*#%:<>. a1eL(){};\0\xc3\xa9\xff".to_vec()),
            proptest::prelude::any::<u8>()
        ], 0..200)) {
        let lexed = lex(&bytes);
        let mut last = 0;
        for token in &lexed.tokens {
            assert!(token.start >= last && token.end > token.start && token.end as usize <= bytes.len());
            last = token.end;
        }
    }
}

#[test]
fn raw_strings_and_angles_of_cxx() {
    let cxx = |source: &str| -> Vec<String> {
        let tokens = lex_as(Language::Cxx, source.as_bytes()).tokens;
        let text = |t: &Token| String::from_utf8_lossy(t.text(source.as_bytes())).into_owned();
        tokens.iter().map(text).collect()
    };
    assert_eq!(
        cxx("a(R\"x(\"/* \n)\" )x\", u8R\"(')\") // b"),
        ["a", "(", "R\"x(\"/* \n)\" )x\"", ",", "u8R\"(')\"", ")"]
    );
    assert_eq!(cxx("k<::n>"), ["k", "<", ":", ":", "n", ">"]);
    assert_eq!(
        cxx("a<::> b<:::c"),
        ["a", "<:", ":>", "b", "<:", ":", ":", "c"]
    );
    assert_eq!(texts("R\"(\""), ["R", "\"(\""]);
    let unterminated = lex_as(Language::Cxx, b"R\"x(\" y");
    assert_eq!(
        unterminated.problems[0].kind,
        ProblemKind::UnterminatedString
    );
}
