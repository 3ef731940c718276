//! Each case runs with every compiler at hand; GCC at least must be.

use super::*;
use crate::diagnostic::{Diagnostics, Place};
use crate::source::{Preprocessor, SourceFile};
use std::path::Path;

fn unit_of(compiler: &Path, path: &Path, source: &[u8]) -> (TranslationUnit, Diagnostics) {
    let preprocessor = Preprocessor {
        compiler: Some(compiler.into()),
        arguments: Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    let file = SourceFile::new(path, source.to_vec());
    let unit = TranslationUnit::preprocess(file, &preprocessor, &["acc"], &mut diagnostics);
    (unit, diagnostics)
}

fn compilers() -> Vec<std::path::PathBuf> {
    let gcc = which::which("gcc").expect("the tests need gcc");
    std::iter::once(gcc).chain(which::which("clang")).collect()
}

fn units(source: &str) -> Vec<TranslationUnit> {
    let unit = |compiler| {
        let (unit, diagnostics) = unit_of(compiler, Path::new("dir é/a.c"), source.as_bytes());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        unit
    };
    compilers().iter().map(|c| unit(c)).collect()
}

/// Just enough of a parser to find where the statement after a directive ends.
struct Statements<'a> {
    text: &'a str,
    tokens: Vec<Token>,
}

impl Statements<'_> {
    fn of(unit: &TranslationUnit) -> Statements<'_> {
        let tokens = lexer::lex(unit.text.as_bytes()).tokens;
        Statements {
            text: &unit.text,
            tokens,
        }
    }

    fn is(&self, index: usize, text: &str) -> bool {
        self.tokens
            .get(index)
            .is_some_and(|t| t.text(self.text.as_bytes()) == text.as_bytes())
    }

    fn balanced(&self, mut index: usize, open: &str, close: &str) -> usize {
        let mut depth = 0;
        loop {
            depth += usize::from(self.is(index, open));
            depth -= usize::from(self.is(index, close));
            index += 1;
            if depth == 0 {
                return index;
            }
        }
    }

    /// The index after the statement at `index`.
    fn end(&self, index: usize) -> usize {
        let header = |word| self.is(index, word);
        if header("__accrs_pragma_acc") {
            let end = (index..)
                .find(|&i| self.is(i, "__accrs_pragma_end"))
                .unwrap();
            return self.end(end + 1);
        }
        if header("{") {
            return self.balanced(index, "{", "}");
        }
        if header("for") || header("while") || header("switch") {
            return self.end(self.balanced(index + 1, "(", ")"));
        }
        if header("if") {
            let end = self.end(self.balanced(index + 1, "(", ")"));
            return if self.is(end, "else") {
                self.end(end + 1)
            } else {
                end
            };
        }
        let index = if header("do") {
            self.end(index + 1)
        } else {
            index
        };
        (index..).find(|&i| self.is(i, ";")).unwrap() + 1
    }
}

/// For each directive the source text of it and its statement.
fn regions_of(unit: &TranslationUnit) -> Vec<Option<String>> {
    let statements = Statements::of(unit);
    let starts = (0..statements.tokens.len()).filter(|&i| statements.is(i, "__accrs_pragma_acc"));
    let range = |start: usize| {
        let last = statements.end(start) - 1;
        let span = Span::new(statements.tokens[start].start, statements.tokens[last].end);
        let range = unit.statement_range(span)?;
        assert_eq!(unit.region_end(span.end).unwrap(), range.end);
        Some(String::from_utf8_lossy(&unit.file.bytes[range]).into_owned())
    };
    starts.map(range).collect()
}

/// In `source` each region stands between `<<` and `>>`; they may nest.
#[track_caller]
fn check(source: &str) {
    let mut plain = String::new();
    let mut expected: Vec<Option<(usize, usize)>> = Vec::new();
    let mut open = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['«', '»']) {
        plain.push_str(&rest[..at]);
        if rest[at..].starts_with('«') {
            open.push(expected.len());
            expected.push(Some((plain.len(), 0)));
        } else {
            let index: usize = open.pop().unwrap();
            expected[index].as_mut().unwrap().1 = plain.len();
        }
        rest = &rest[at + '«'.len_utf8()..];
    }
    plain.push_str(rest);
    let text = |range: &Option<(usize, usize)>| range.map(|(a, b)| plain[a..b].to_string());
    let expected: Vec<_> = expected.iter().map(text).collect();
    for unit in units(&plain) {
        assert_eq!(regions_of(&unit), expected, "text: {}", unit.text);
    }
}

/// The source has regions, none of which can be rewritten.
#[track_caller]
fn check_inexact(source: &str) {
    for unit in units(source) {
        let regions = regions_of(&unit);
        assert!(
            !regions.is_empty() && regions.iter().all(Option::is_none),
            "{regions:?}"
        );
    }
}

#[test]
fn plain_regions() {
    check("«#pragma acc parallel loop\nfor (i = 0; i < n; i++) { a[i] = 0; }»\nint x;");
    check("  «#pragma acc kernels\n  { x = 1; }»; y = 2;");
    check(
        "«#pragma acc parallel loop\nfor (;;)\n  «#pragma acc loop\n  for (;;) a[i] = b[i];»» c = 1;",
    );
    check("«#pragma acc data\n«#pragma acc parallel loop\nwhile (x) y = f(1)[2];»»");
}

#[test]
fn continued_pragma_with_comment_and_clause_macros() {
    check(
        "#define N 5\n#define SZ(a) a[0:N]\n«#pragma acc parallel loop copyin(SZ(x)) \\\n  num_gangs(N) // why, \\\n still\nfor (;;) ;»",
    );
    check("«# pragma /* x */ acc loop /* a\n b */ seq\r\nfor (;;) x = 1;»\r\ny;");
    check("\u{feff}«%:pragma acc loop\nfor (;;) <% x = 1; %>» y = 2;");
}

#[test]
fn headers_and_braces_hidden_in_macros() {
    check(
        "#define FOR(i, n) for (int i = 0; i < n; i++)\n«#pragma acc loop\nFOR(i, 4) { x = 1; }» y = 2;",
    );
    check("#define BEGIN {\n#define END }\n«#pragma acc kernels\nBEGIN x = 1; END»\ny = 2;");
    check("#define BEGIN {\n#define END }\n«#pragma acc kernels\nBEGIN x = 1; END» y = 2;");
    check("#define END }\n«#pragma acc kernels\n{ x = 1; END»; y = 2;");
    check("#define END(x) x; }\n«#pragma acc kernels\n{ x = 1; END(y)»; y = 2;");
    check("#define END(x) x; }\n«#pragma acc kernels\n{ x = 1; END(y\n)» {} (void) y;");
    check("#define LOOP(b) for (;;) { b; }\n«#pragma acc loop\nLOOP(x = f(1, 2))» y = 2;");
    check("#define ALL for (;;) x = 1;\n«#pragma acc loop\nALL»\n*p = 2;");
    check("#define ALL for (;;) x = 1;\n{\n«#pragma acc loop\nALL»}");
    check("#define STORE(a, i) a[i] =\n«#pragma acc loop\nfor (;;) STORE(a,\n i) 0;» y;");
    check_inexact("#define TWO for (;;) x = 1; y = 2;\n#pragma acc loop\nTWO");
    check_inexact("#define TWO for (;;) x = 1; ;\n#pragma acc loop\nTWO;");
}

#[test]
fn conditional_text() {
    check(
        "«#pragma acc loop\nfor (;;) {\n#ifdef X\n a; }\n#else\n b; }»\n#endif\n#if 0\n c;\n#endif\n d;",
    );
    check(
        "#if 0\n#pragma acc dead don't (\n#pragma acc dead\n#endif\n«#pragma acc loop\nfor (;;) ;»\n",
    );
    check("«#pragma acc loop\n#ifdef X\nfor (;;) {\n#else\nwhile (1) {\n#endif\n x; }» y;");
    check("#ifdef X\n#pragma acc serial\n#else\n«#pragma acc loop\n#endif\nfor (;;) x = 1;» y;");
}

#[test]
fn statements_of_all_kinds() {
    check("«#pragma acc kernels\nif (a) b; else if (c) { d; } else e;» f;");
    check("«#pragma acc kernels\nif (a) { b; }» f;");
    check("«#pragma acc kernels\ndo { a; } while (x(1));» f;");
    check("«#pragma acc kernels\ndo a; while (x);»");
    check("switch (x) { case 1:\n«#pragma acc data\n{ }» default: ; }");
    check("int f(a, b) int a; int b; {\n«#pragma acc kernels\n{ }»}");
    check(
        "__attribute__((noinline)) void g(void) { __asm__ volatile(\"\" ::: \"memory\");\n«#pragma acc loop\nfor (;;) {}»}",
    );
    check("x = ({ int y;\n«#pragma acc loop\nfor (;;) y;» y; });");
}

#[test]
fn pragma_text_elsewhere_is_no_directive() {
    check(
        "char *s = \"#pragma acc loop\\n\\\n#pragma acc loop\"; /*\n#pragma acc loop\n*/ // \\\n#pragma acc loop\n",
    );
    check("#define S(x) #x\nchar *s = S(a;b{c}); int l = __LINE__;\n«#pragma acc loop\nfor(;;);»");
}

#[test]
fn operators_and_macros_that_hold_directives() {
    check("«_Pragma(\"acc loop\") for (;;) x = 1;» y;");
    check("if (x) «_Pragma(\"acc kernels\") { a; }» else «_Pragma(\"acc kernels\") { b; }» c;");
    check("#define PAR _Pragma(\"acc loop\")\nint z; «PAR for (;;) x = 1;» y;");
    check("#define PAR _Pragma(\"acc loop\")\nif (1) «PAR for (;;) x = 1;» y;");
    check("#define DO(x) _Pragma(#x)\n z;\n«DO(acc parallel loop copy(a, b))\nfor (;;) x = 1;» y;");
    check("#define ALL _Pragma(\"acc loop\") for (;;) x = 1;\n{ «ALL» }\n{ «ALL»; }");
    check_inexact("#define ALL x; _Pragma(\"acc loop\") for (;;) x = 1;\n{ ALL }\n");
}

#[test]
fn macros_are_expanded_in_directives_from_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("h.h"),
        "#define W 3\n#pragma acc routine bind(W)\n",
    )
    .unwrap();
    let source = "#include \"h.h\"\nint a;\n#define N 4\n#define P(x) _Pragma(#x)\nP(acc loop gang(N) tile(N, M))\n\
        for (;;) { _Pragma(\"acc wait(N)\") }\n#undef N\n#define N 5\n#define M(x) x\n#pragma acc wait(M(N))\nP(acc wait(M(N)))";
    for compiler in compilers() {
        let path = folder.path().join("m.c");
        let (unit, diagnostics) = unit_of(&compiler, &path, source.as_bytes());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let show = |d: &DirectiveMark| {
            let text = &unit.text[d.span.start as usize..d.span.end as usize];
            let text = text.replace(' ', "").replace("__accrs_pragma_", "");
            text.strip_suffix("end").unwrap().to_string()
        };
        let found: Vec<_> = unit.tables.directives.iter().map(show).collect();
        assert_eq!(
            found,
            [
                "accroutinebind(3)",
                "accloopgang(4)tile(4,M)",
                "accwait(4)",
                "accwait(5)",
                "accwait(5)"
            ]
        );
    }
}

#[test]
fn directives_alone_are_exact() {
    for unit in units(
        "a;\n#pragma acc wait // c\nb; _Pragma(\"acc update host(x)\") c;\n#define P(x) _Pragma(#x)\nP(acc wait)\nd;",
    ) {
        let found: Vec<_> = (unit.tables.directives.iter())
            .map(|d| unit.directive_range(d.span).unwrap())
            .map(|r| std::str::from_utf8(&unit.file.bytes[r]).unwrap())
            .collect();
        assert_eq!(
            found,
            [
                "#pragma acc wait // c",
                "_Pragma(\"acc update host(x)\")",
                "P(acc wait)"
            ]
        );
    }
}

#[test]
fn directives_of_macros_stand_beside_the_call() {
    use super::DirectivePlace::{self, Before, Behind};
    let source = "#define P(x) _Pragma(#x)\n#define TWO P(acc wait(1)) P(acc wait(2))\n\
        #define FIRST P(acc wait(3)) f();\n#define LAST f(); P(acc wait(4))\n\
        #define MIDDLE f(); P(acc wait(5)) g();\n\
        a; TWO b; FIRST c; LAST d; MIDDLE e;\n";
    let at = |word: &str| source.rfind(word).unwrap();
    for unit in units(source) {
        let marks = unit.tables.directives.iter();
        let places: Vec<Option<DirectivePlace>> =
            marks.map(|d| unit.directive_place(d.span).ok()).collect();
        let expected = [
            Some(Before(at("TWO b"))),
            Some(Behind(at(" b;"))),
            Some(Before(at("FIRST c"))),
            Some(Behind(at(" d;"))),
            None,
        ];
        assert_eq!(places, expected);
        assert!(unit.has_directives_in_macros());
    }
}

#[test]
fn line_numbers_survive() {
    let source = "int a = __LINE__;\n#pragma acc routine \\\n seq\n\n\n\n\n\n\n\n\n\n\n\n\nint b = __LINE__; char *f = __FILE__;\n";
    for unit in units(source) {
        assert!(unit.text.contains("int a = 1;"), "{}", unit.text);
        assert!(unit.text.contains("int b = 16;"), "{}", unit.text);
        assert!(unit.text.contains("\"dir é/a.c\""), "{}", unit.text);
    }
}

/// The places of all occurrences of a token in the text.
fn ranges_of(unit: &TranslationUnit, word: &str) -> Vec<String> {
    let text = unit.text.as_bytes();
    let tokens = lexer::lex(text)
        .tokens
        .into_iter()
        .filter(|t| t.text(text) == word.as_bytes());
    let show = |t: Token| {
        let span = Span::new(t.start, t.end);
        let range = unit.original_range(span).unwrap();
        let location = unit.location(span);
        let source = String::from_utf8_lossy(&unit.file.bytes[range]).into_owned();
        format!("{}:{}:{}", location.line, location.column, source)
    };
    tokens.map(show).collect()
}

#[test]
fn tokens_are_underlined_where_they_are() {
    let source = "#define ID(x) x\nint f(int é, int q) {\n  return g(q, h(q) + q,\n    q) + ID(q);\n}\n#pragma acc parallel copy(q, é) if(q)\nint z = M;\n";
    for unit in units(source) {
        assert_eq!(
            ranges_of(&unit, "q"),
            [
                "2:18:q", "3:12:q", "3:17:q", "3:22:q", "4:5:q", "4:13:q", "6:27:q", "6:36:q"
            ]
        );
        assert_eq!(ranges_of(&unit, "é"), ["2:11:é", "6:30:é"]);
    }
}

#[test]
fn tokens_of_a_directive_are_on_any_of_its_lines() {
    let source =
        "#pragma acc parallel copy(q) \\\n  private(é, q) \\\n  if(q) async(acc)\nint z;\n";
    for unit in units(source) {
        assert_eq!(ranges_of(&unit, "q"), ["1:27:q", "2:14:q", "3:6:q"]);
        assert_eq!(ranges_of(&unit, "é"), ["2:11:é"]);
        assert_eq!(ranges_of(&unit, "acc"), ["3:15:acc"]);
        let text = |word: &str| unit.text.find(word).unwrap() as u32;
        let span = Span::new(text("private"), text(" if"));
        let range = unit.original_range(span).unwrap();
        assert_eq!(&unit.file.bytes[range], "private(é, q)".as_bytes());
    }
}

#[test]
fn what_a_macro_makes_is_its_call() {
    // The place is near it, which is found without a look at calls.
    for unit in units("#define N 40 + 2\nint a = 1; int x = N; int b;\n") {
        assert_eq!(ranges_of(&unit, "40"), ["2:12:N"]);
    }
}

#[test]
fn a_span_of_several_tokens() {
    for unit in units("int x = f(a + b * (c - d)), y;\n") {
        let start = unit.text.find("a +").unwrap() as u32;
        let end = unit.text.find("d)").unwrap() as u32 + 2;
        let range = unit.original_range(Span::new(start, end)).unwrap();
        assert_eq!(&unit.file.bytes[range], b"a + b * (c - d)");
    }
}

#[test]
fn headers_have_locations_but_no_ranges() {
    let folder = tempfile::Builder::new().prefix("ä b").tempdir().unwrap();
    std::fs::write(
        folder.path().join("h ü.h"),
        "\n  int in_header;\n#pragma acc routine seq // c\nint g(void);\n",
    )
    .unwrap();
    let main = folder.path().join("m é.c");
    let source = "int a;\n#include \"h ü.h\"\nint b;\n";
    for compiler in compilers() {
        let (unit, diagnostics) = unit_of(&compiler, &main, source.as_bytes());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let at = |word: &str| {
            let start = unit.text.find(word).unwrap() as u32;
            Span::new(start, start + word.len() as u32)
        };
        let header = unit.location(at("in_header"));
        assert!(header.file.ends_with("h ü.h"), "{header:?}");
        assert_eq!((header.line, header.column), (2, 7));
        assert_eq!(unit.original_range(at("in_header")), None);
        assert!(!unit.in_main_file(at("in_header")) && unit.in_main_file(at("int b")));
        assert_eq!(
            (unit.location(at("b;")).line, unit.location(at("b;")).column),
            (3, 5)
        );
        assert_eq!(unit.location(at("b;")).file, main.to_str().unwrap());
        let directive = at("__accrs_pragma_acc routine seq __accrs_pragma_end");
        assert!(unit.directive_range(directive).is_err());
    }
}

#[test]
fn line_directives_do_not_mislead_offsets() {
    for unit in units("#line 90 \"gen.y\"\nint q;\n") {
        assert_eq!(
            unit.location(Span::new(unit.text.find('q').unwrap() as u32, 0))
                .line,
            90
        );
    }
    check(
        "#line 90 \"gen.y\"\n«#pragma acc loop\nfor (;;) x = 1;» y;\n# 7\n«#pragma acc loop\nfor (;;) x = 1;»",
    );
}

fn errors(source: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let (unit, diagnostics) = unit_of(&compilers()[0], Path::new("a.c"), source);
    let place = |d: &crate::diagnostic::Diagnostic| match &d.labels[0].place {
        Place::Source(range) => source[range.clone()].to_vec(),
        Place::Span(span) => unit.text.as_bytes()[span.start as usize..span.end as usize].to_vec(),
    };
    diagnostics.iter().map(|d| (d.code.0, place(d))).collect()
}

#[test]
fn problems_count_only_where_the_compiler_looks() {
    assert_eq!(errors(b"#if 0\ndon't \0 \xe9 \"\n#pragma acc x(\n#endif\nint x; // \0 \xe9\nchar *s = \"\xe9\";"), []);
    assert_eq!(
        errors(b"int a\xe9;\nint \0 b;"),
        [("A0101", vec![0xe9]), ("A0105", vec![0])]
    );
    assert_eq!(errors(b"int a = '\n;"), [("A0104", b"'".to_vec())]);
    assert_eq!(errors(b"int x; /* a"), [("A0104", b"/*".to_vec())]);
    assert_eq!(
        errors(b"#pragma acc parallel copy(a[0:n)\n;"),
        [("A0106", b"[".to_vec())]
    );
    assert_eq!(
        errors(b"#pragma acc parallel bind(\"x)\n;"),
        [("A0104", b"\"".to_vec())]
    );
    assert_eq!(errors(b"#pragma acc wait)\n;"), [("A0106", b")".to_vec())]);
    assert_eq!(errors(b"_Pragma(\"acc wait(\") ;")[0].0, "A0106");
    assert_eq!(
        errors(b"int __accrs_m1;"),
        [("A0107", b"__accrs_m1".to_vec())]
    );
}

#[test]
fn the_compilers_messages_are_passed_on() {
    let (_, diagnostics) = unit_of(
        &compilers()[0],
        Path::new("a.c"),
        b"int x;\n\n#include \"no such.h\"\n",
    );
    let first = diagnostics.iter().next().unwrap();
    assert_eq!(first.code.0, "A0103");
    assert!(
        first.notes[0].contains("a.c:3:") && first.notes[0].contains("no such.h"),
        "{first:?}"
    );
    // Lines for editors have no notes.
    assert!(first.message.contains("no such.h"), "{first:?}");
    assert_eq!(first.labels[0].place, Place::Source(8..28));
    let (_, diagnostics) = unit_of(Path::new("/no/such/cc"), Path::new("a.c"), b"");
    assert_eq!(diagnostics.iter().next().unwrap().code.0, "A0701");
}

#[test]
fn latin_1_strings_come_through() {
    let (unit, _) = unit_of(
        &compilers()[0],
        Path::new("a.c"),
        b"char *s = \"caf\xe9\";\n",
    );
    assert_eq!(
        crate::source::encode_bytes(&unit.text)
            .as_ref()
            .trim_ascii(),
        b"char *s = \"caf\xe9\";"
    );
}

proptest::proptest! {
    /// Whatever the text and the span, queries answer without a panic; the
    /// copy itself stands in for the preprocessor's output.
    #[test]
    fn any_text_and_span_can_be_asked_for(
        bytes in proptest::collection::vec(proptest::prop_oneof![
            proptest::sample::select(b"\\\n\r\"'/*#%:<>. a1eL(){};\0\xc3\xa9\xff".to_vec()),
            proptest::prelude::any::<u8>()
        ], 0..150),
        lines in 0..3usize, start in 0..400u32, length in 0..40u32,
    ) {
        let mut source = b"#pragma acc loop gang(x)\nfor (;;) { x; }\n".repeat(lines);
        source.extend(bytes);
        let lexed = lexer::lex(&source);
        let copy = crate::source::markers::mark(&source, &lexed, b"a.c", &["acc"], &[]);
        let stripped = crate::source::strip::strip(&copy.text, "a.c", &["acc"], &[]);
        let unit = TranslationUnit {
            file: SourceFile::new(Path::new("a.c"), source),
            text: stripped.text,
            tables: stripped.tables,
            tokens: lexed.tokens,
            ..TranslationUnit::default()
        };
        let span = Span::new(start, start + length);
        let size = unit.file.bytes.len();
        let inside = |range: Range<usize>| assert!(range.start <= range.end && range.end <= size);
        unit.location(span);
        unit.original_range(span).into_iter().for_each(inside);
        unit.statement_range(span).into_iter().for_each(inside);
        unit.directive_range(span).into_iter().for_each(inside);
        assert!(unit.region_end(span.end).is_ok_and(|end| end <= size) || unit.region_end(span.end).is_err());
    }
}
