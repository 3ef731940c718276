//! The marked copy, preprocessed and stripped, is what the plain file gives.

use std::path::{Path, PathBuf};

use super::lexer::{self, TokenKind};
use super::markers::mark;
use super::preprocess::Preprocessor;
use super::strip::strip;

fn compilers() -> Vec<PathBuf> {
    let gcc = which::which("gcc").expect("the tests need gcc");
    std::iter::once(gcc).chain(which::which("clang")).collect()
}

/// Tokens of the parsed text, directives left out.
fn tokens(output: &[u8]) -> Vec<String> {
    let stripped = strip(output, "a.c", &["acc"], &[]);
    let text = &stripped.text;
    let mut in_directive = false;
    let mut result = Vec::new();
    for token in lexer::lex(text.as_bytes()).tokens {
        let word = &text[token.start as usize..token.end as usize];
        in_directive |= word == "__accrs_pragma_acc";
        if !in_directive {
            result.push(word.to_string());
        }
        in_directive &= word != "__accrs_pragma_end";
    }
    result
}

#[track_caller]
fn check(source: &str, arguments: &[&str]) {
    let lexed = lexer::lex(source.as_bytes());
    let copy = mark(source.as_bytes(), &lexed, b"a.c", &["acc"], &[]);
    let newlines = |bytes: &[u8]| bytes.iter().filter(|b| **b == b'\n').count();
    assert_eq!(newlines(&copy.text), newlines(source.as_bytes()) + 1);
    let plain = format!("# 1 \"a.c\"\n{}", source.trim_start_matches('\u{feff}'));
    for compiler in compilers() {
        let arguments = arguments.iter().map(Into::into).collect();
        let preprocessor = Preprocessor {
            compiler: Some(compiler),
            arguments,
        };
        let run = |text: &[u8]| preprocessor.run(Path::new("a.c"), text).unwrap();
        let (expected, found) = (tokens(&run(plain.as_bytes())), tokens(&run(&copy.text)));
        let difference = expected.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!(difference.map(|i| (&expected[i], &found[i])), None);
        assert_eq!(expected.len(), found.len());
    }
}

#[test]
fn macros_of_all_kinds() {
    check(
        "#define F(x) <x>\n#define G F\n#define EMPTY\n#define S(x) #x\n#define C(a, b) a##b\n#define V(...) v(__VA_ARGS__)\n\
         #define H() F\n#define BEGIN {\n#define END }\n#define LP (\n#define T(a, b) ({ a; b; })\n\
         F(1) F (2) F\n(3) F /* c */ (4) F EMPTY (5) G(6) G EMPTY (7) H()(8) H() EMPTY (9) F;\nF\n#ifdef X\n;\n#else\n(10)\n#endif\n\
         S(a; b { c } d) C(x, y) V(1, 2; 3, {4}) T(a = 1, b = 2) f LP 1); F\n#define Z\n(11)\n\
         S(  a  b\n   c ) BEGIN x; END y; a = b\n* c; __LINE__ V(a\n,\nb) __LINE__; F\n#if 1\n#if 0\n#else\n(12)\n#endif\n#endif\n\
         _Static_assert(1, \"x\"); _Generic(x, int: F(1), default: 2);\n",
        &[],
    );
}

#[test]
fn keywords_as_macros_and_unbalanced_calls() {
    check(
        "#define if(c, ...) if (trace(c))\nif (x, y) z; else w;\n#define for while\nfor (x) { y; }\n",
        &[],
    );
    check(
        "#define OPEN S(\n#define S(x) <x>\nS(a\n#if 1\n b)\n#else\n c)\n#endif\nx; y { z; }\n",
        &[],
    );
    check(
        "#define CALL(x, y) x y\nCALL({ a; b; }, while (1) { c; })\nint d; CALL(int f(void)\n{\n},\nint g(void)\n{\n})\nint h;",
        &[],
    );
}

const HEADERS: &str = "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign stdarg \
    stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype \
    pthread unistd fcntl sys/types sys/stat sys/time sys/mman sys/wait sys/socket netinet/in arpa/inet dirent dlfcn \
    getopt poll semaphore regex sched termios immintrin";

#[test]
fn system_headers() {
    let includes: String = HEADERS
        .split_whitespace()
        .map(|h| format!("#include <{h}.h>\n"))
        .collect();
    let code = "int main(int argc, char **argv) {\n  assert(argc > 0); double x = fmax(sin(1.0), sqrt((double)argc));\n\
        if (isalpha(argv[0][0])) errno = EINTR; va_list l; FD_SET(0, (fd_set *)0);\n\
        printf(\"%\" PRId64 \"\\n\", INT64_C(5)); pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
        _mm_shuffle_ps(a, b, _MM_SHUFFLE(0, 1, 2, 3)); return offsetof(struct s, x);\n}\n";
    for arguments in [
        &["-std=gnu11"][..],
        &["-std=c99", "-O2"],
        &["-D_FORTIFY_SOURCE=2", "-O2", "-D_GNU_SOURCE"],
    ] {
        check(&format!("{includes}{code}"), arguments);
    }
    // the headers' own text as the main file
    for header in [
        "/usr/include/stdlib.h",
        "/usr/include/math.h",
        "/usr/include/stdio.h",
        "/usr/include/string.h",
    ] {
        check(&std::fs::read_to_string(header).unwrap(), &[]);
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(60))]
    /// Random nesting of calls, blocks, conditionals and directives.
    #[test]
    fn random_text(pieces in proptest::collection::vec(proptest::sample::select(vec![
        "F ", "S", "(x; y)", "(a, {b;})", "{ ", "} ", "; ", "E ", "x ", "if (q) ", "else ", "\n", "F\n(1) ", "= {1, {2}} ",
        "\n#if 1\n", "\n#else\n", ";\n#pragma acc loop gang(F(1))\n", "* ", "\"a;{\" ", ": ", "({ y; }) ", "/* ; */ ", "V(a, b, c) ", "\\\n",
    ]), 0..60)) {
        let mut source = String::from("#define F(...) <__VA_ARGS__>\n#define S(...) #__VA_ARGS__\n#define E\n#define V(...) [__VA_ARGS__]\n");
        let mut open = 0usize;
        for piece in pieces {
            match piece.trim() {
                "#if 1" => open += 1,
                "#else" if open == 0 || source.contains("#else") => continue,
                _ => {}
            }
            source.push_str(piece);
        }
        source.push('\n');
        source.extend(std::iter::repeat_n("#endif\n", open));
        check(&source, &[]);
    }
}

#[test]
fn deep_nesting_is_no_problem() {
    let parentheses = format!("int x = {}1{};", "(".repeat(20_000), ")".repeat(20_000));
    let braces = format!("void f(void) {}{}", "{".repeat(5_000), "}".repeat(5_000));
    let conditionals = format!(
        "{}x;\n{}",
        "#if 1\nF(\n".repeat(150),
        "#endif\n".repeat(150)
    );
    check(&format!("{parentheses}\n{braces}\n{conditionals}"), &["-w"]);
    let tokens = lexer::lex(parentheses.as_bytes()).tokens;
    assert_eq!(
        tokens
            .iter()
            .filter(|t| t.kind == TokenKind::Punctuator)
            .count(),
        40_002
    );
}
