//! Inputs that are made by the test because no fixture file can hold them: odd bytes, enormous
//! constructs, odd paths, a missing or hostile environment.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use support::accrs;
use support::process::{Outcome, command, run, succeed};

/// A construct whose result depends on each of its iterations.
const CONSTRUCT: &str = "\
    #pragma acc parallel loop copy(a)
    for (int i = 0; i < 37; i++)
        a[i] += 3 * i;
";

/// A folder with an input in it and an empty folder for the output.
struct Case {
    folder: tempfile::TempDir,
    file: PathBuf,
}

impl Case {
    fn new(name: &str, text: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        fs::create_dir(folder.path().join("out")).unwrap();
        Self { folder, file }
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn translate(&self) -> Outcome {
        let mut translate = command(accrs());
        translate
            .arg("translate")
            .arg(&self.file)
            .arg("-o")
            .arg(self.output());
        run(&mut translate).unwrap()
    }

    /// Translation fails with status 1, writes nothing, and says all of `parts`.
    #[track_caller]
    fn rejected(&self, parts: &[&str]) {
        let outcome = self.translate();
        assert_eq!(outcome.code(), Some(1), "{}", outcome.stderr);
        for part in parts {
            assert!(
                outcome.stderr.contains(part),
                "no `{part}` in:\n{}",
                outcome.stderr
            );
        }
        assert_eq!(support::files_below(&self.output()), [] as [PathBuf; 0]);
    }

    /// The program under accrs prints what it prints without.
    #[track_caller]
    fn same_result(&self) {
        let outcome = self.translate();
        assert_eq!((outcome.code(), outcome.stderr.as_str()), (Some(0), ""));
        let serial = self.folder.path().join("serial");
        succeed(
            command("gcc")
                .arg("-w")
                .arg("-o")
                .arg(&serial)
                .arg(&self.file),
        )
        .unwrap();
        let expected = succeed(&mut command(&serial)).unwrap();
        let actual = succeed(command(accrs()).arg("run").arg(&self.file)).unwrap();
        assert!(expected.stdout.len() > 20);
        assert_eq!(actual.text(), expected.text());
        assert_eq!(actual.stderr, "");
    }
}

/// A program around `statements`, which change `int a[37]`.
fn program(before: &str, statements: &str) -> String {
    format!(
        "#include <stdio.h>\n{before}\nint main(void)\n{{\n    int a[37] = {{1, 2, 3}};\n\
         {statements}{CONSTRUCT}    for (int i = 0; i < 37; i++)\n        printf(\"%d\\n\", a[i]);\n    \
         return 0;\n}}\n"
    )
}

// What is rejected

#[test]
fn bytes_that_are_not_utf8() {
    let mut text = program("", "").into_bytes();
    text.extend(b"int \xff\xfe;\n");
    Case::new("a.c", text).rejected(&["error[A0101]", "a.c:13:5", "help: "]);
}

#[test]
fn odd_bytes_in_comments_and_strings_are_no_error() {
    let text = program(
        "/* \u{e9} */",
        "    printf(\"%d\\n\", (unsigned char)\"X\"[0]); // X\0\n",
    );
    // Latin-1, which is not UTF-8, and a NUL byte
    let bytes: Vec<u8> = text
        .bytes()
        .map(|byte| if byte == b'X' { 0xe9 } else { byte })
        .collect();
    Case::new("a.c", bytes).same_result();
}

#[test]
fn nul_byte_between_tokens() {
    Case::new("a.c", "int a;\n\0int b;\n").rejected(&["error[A0105]", "a.c:2:1", "help: "]);
}

#[test]
fn twenty_thousand_parentheses() {
    let nested = format!(
        "    a[0] = {}1{};\n",
        "(".repeat(20_000),
        ")".repeat(20_000)
    );
    Case::new("a.c", program("", &nested)).rejected(&["error[A0202]", "a.c:", "help: "]);
}

#[test]
fn twenty_thousand_open_brackets() {
    for bracket in ["(", "[", "{", "a[(", "if (1) {"] {
        let text = format!("int f(int *a) {{ {}", bracket.repeat(20_000));
        Case::new("a.c", text).rejected(&["error[A02", "a.c:", "help: "]);
    }
}

#[test]
fn missing_include() {
    let case = Case::new("a.c", program("#include \"no_such_file.h\"", ""));
    // The compiler's own message, with the place in the user's file
    case.rejected(&[
        "error[A0103]",
        "no_such_file.h: No such file",
        "a.c:2:",
        "help: ",
    ]);
}

#[test]
fn missing_file() {
    let case = Case::new("a.c", "");
    fs::remove_file(&case.file).unwrap();
    case.rejected(&["error[A0102]", "a.c", "help: "]);
}

#[test]
fn folder_as_input() {
    let case = Case::new("a.c", "");
    fs::remove_file(&case.file).unwrap();
    fs::create_dir(&case.file).unwrap();
    case.rejected(&["error[A0102]", "a.c", "help: "]);
}

#[test]
fn output_that_cannot_be_written() {
    let case = Case::new("a.c", program("", ""));
    let file = case.folder.path().join("file");
    fs::write(&file, "the user's own").unwrap();
    let mut translate = command(accrs());
    translate
        .arg("translate")
        .arg(&case.file)
        .arg("-o")
        .arg(file.join("below"));
    let outcome = run(&mut translate).unwrap();
    assert!(
        outcome.stderr.contains("error[A0705]"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.status.success());
    assert_eq!(fs::read_to_string(&file).unwrap(), "the user's own");
}

#[test]
fn a_file_that_accrs_did_not_write_stays() {
    let case = Case::new("a.c", program("", ""));
    let own = case.output().join("a.acc.cu");
    fs::write(&own, "// my own\n").unwrap();
    let outcome = case.translate();
    assert!(
        outcome.stderr.contains("error[A0706]"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.status.success());
    assert_eq!(fs::read_to_string(&own).unwrap(), "// my own\n");
    assert_eq!(support::files_below(&case.output()), [own]);
}

#[test]
fn own_output_is_replaced_and_stays_the_same() {
    let case = Case::new("a.c", program("", ""));
    let contents = |case: &Case| -> Vec<(PathBuf, Vec<u8>)> {
        assert_eq!(case.translate().stderr, "");
        let files = support::files_below(&case.output()).into_iter();
        files
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect()
    };
    let first = contents(&case);
    assert!(first.len() > 3, "{first:?}");
    assert_eq!(first, contents(&case));
}

#[test]
fn no_c_compiler() {
    let case = Case::new("a.c", program("", ""));
    let empty = case.folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    let mut translate = command(accrs());
    translate
        .arg("translate")
        .arg(&case.file)
        .arg("-o")
        .arg(case.output())
        .env("PATH", &empty);
    let outcome = run(&mut translate).unwrap();
    for part in ["error[A0701]", "help: "] {
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    assert!(!outcome.status.success());
    assert_eq!(support::files_below(&case.output()), [] as [PathBuf; 0]);
}

#[test]
fn a_compiler_that_fails_is_quoted() {
    let case = Case::new("a.c", program("", ""));
    let compiler = case.folder.path().join("broken-cc");
    fs::write(&compiler, "#!/bin/sh\necho 'license expired' >&2\nexit 3\n").unwrap();
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    let mut translate = command(accrs());
    translate
        .arg("translate")
        .arg(&case.file)
        .arg("-o")
        .arg(case.output());
    let outcome = run(translate.env("ACCRS_CC", &compiler)).unwrap();
    assert!(
        outcome.stderr.contains("license expired"),
        "{}",
        outcome.stderr
    );
    assert!(!outcome.status.success());
    assert_eq!(support::files_below(&case.output()), [] as [PathBuf; 0]);
}

// What translates

#[test]
fn long_else_if_chain() {
    let mut chain = String::from("    int n = 4999;\n    if (n < 0)\n        a[0] = 0;\n");
    for number in 0..5000 {
        chain += &format!("    else if (n == {number})\n        a[0] = {number};\n");
    }
    Case::new("a.c", program("", &chain)).same_result();
}

#[test]
fn long_else_if_chain_in_a_kernel() {
    let mut chain = String::from(
        "    #pragma acc parallel loop copy(a)\n    for (int i = 0; i < 37; i++)\n        if (i < 0)\n            \
         a[i] = 0;\n",
    );
    for number in 0..5000 {
        chain += &format!("        else if (i * 100 == {number})\n            a[i] = {number};\n");
    }
    Case::new("a.c", program("", &chain)).same_result();
}

#[test]
fn long_sum() {
    let terms: Vec<String> = (0..20_000).map(|number| number.to_string()).collect();
    let sum = format!("    a[5] = {};\n", terms.join(" + "));
    Case::new("a.c", program("", &sum)).same_result();
}

/// Nothing compares all of many things with all others, or looks at a part for each of what is
/// around it.
#[test]
fn large_kernels() {
    let many = |count: usize, part: &str| part.repeat(count);
    let statements = many(2000, "a[i] += i * 3;\n");
    let scalars: String = (0..1000)
        .map(|number| format!("int v{number} = a[i] + {number};\n"))
        .collect();
    let product = format!("if (i{} < 3) a[i] = 1;", many(1000, " * i"));
    let conversions = format!("if ({}i < 3) a[i] = 1;", many(60, "(long)(unsigned)"));
    for (construct, body) in [
        ("kernels", format!("{{ {statements} }}")),
        ("parallel loop", format!("{{ {scalars} a[i] += v7; }}")),
        (
            "parallel loop",
            format!("a[i] = a[i]{};", many(4000, " + a[i]")),
        ),
        ("kernels", product),
        ("parallel loop", conversions),
    ] {
        let pragma = format!("#pragma acc {construct} copy(a)\n");
        let text = format!("{pragma}for (int i = 0; i < 37; i++)\n{body}\n");
        let outcome = Case::new("a.c", program("", &text)).translate();
        assert_eq!(outcome.code(), Some(0), "{}", outcome.stderr);
        assert!(
            outcome.time.as_secs() < 20,
            "{body:.40}: {:?}",
            outcome.time
        );
    }
}

/// Each operator looks at what it is applied to once.
#[test]
fn deep_operators() {
    let construct =
        "#pragma acc parallel loop copy(a)\n    for (int i = 0; i < 37; i++)\n        a[";
    let of = |value: &str| {
        let text = format!("    {construct}i] = {value};\n    {construct}{value} % 2] = 3;\n");
        Case::new("a.c", program("", &text.replace("parallel", "serial")))
    };
    of(&format!("{}(i % 2)", "!".repeat(60))).same_result();
    // gcc takes for ever.
    let chosen = format!("{}i{}", "(".repeat(60), " ?: 1)".repeat(60));
    assert_eq!(of(&chosen).translate().code(), Some(0));
}

/// More iterations than any number has: what is estimated of them does not overflow.
#[test]
fn endless_iterations() {
    let inner: String = ["x", "y", "z"]
        .map(|name| format!("for (long {name} = 0; {name} < 9223372036854775807; {name}++)\n"))
        .concat();
    for statement in ["c[i][j] += a[i][j];", "c[i][j] += a[i][j] + a[i][j + 1];"] {
        let text = format!(
            "void f(float a[64][64], float c[64][64])\n{{\n\
             #pragma acc parallel loop tile(8, 8) copyin(a[0:64]) copy(c[0:64])\n\
             for (int i = 0; i < 64; i++)\nfor (int j = 0; j < 63; j++)\n{inner}{statement}\n}}\n"
        );
        let outcome = Case::new("a.c", text).translate();
        assert_eq!(outcome.code(), Some(0), "{}", outcome.stderr);
    }
}

#[test]
fn long_initialiser() {
    let elements: Vec<String> = (0..100_000)
        .map(|number| (number % 1000).to_string())
        .collect();
    let table = format!("static const int table[] = {{{}}};", elements.join(", "));
    Case::new("a.c", program(&table, "    a[7] = table[99999];\n")).same_result();
}

#[test]
fn long_line() {
    // Few statements, each of many tokens: gcc alone takes a minute over 65,000 of them.
    let terms = " + 1".repeat(250);
    let line: String = (0..1000)
        .map(|number| format!("a[{}] += {number}{terms}; ", number % 37))
        .collect();
    assert!(line.len() > 1_000_000);
    Case::new("a.c", program("", &format!("    {line}\n"))).same_result();
}

#[test]
fn line_ends_of_windows() {
    let text = program("", "    // a comment \\\n    a[0] = 100;\n").replace('\n', "\r\n");
    let case = Case::new("a.c", &text);
    case.same_result();
    let host = fs::read_to_string(case.output().join("a.acc.c")).unwrap();
    assert!(
        host.contains("        printf(\"%d\\n\", a[i]);\r\n    return 0;\r\n}\r\n")
            && host.matches('\n').count() == host.matches("\r\n").count(),
        "{host}"
    );
}

#[test]
fn byte_order_mark() {
    Case::new("a.c", format!("\u{feff}{}", program("", ""))).same_result();
}

#[test]
fn no_final_newline() {
    Case::new("a.c", program("", "").trim_end()).same_result();
}

#[test]
fn construct_at_the_very_end() {
    let text = format!(
        "{}int *b; int g(void) {{\n#pragma acc parallel num_gangs(1)\n{{}}\nreturn 1;}}",
        program("", "")
    );
    Case::new("a.c", text).same_result();
}

#[test]
fn odd_paths() {
    for name in [
        "with space.c",
        "gr\u{fc}\u{df}e \u{4f60}\u{597d}.c",
        "1-2+3.c",
        "a b/c d.c",
    ] {
        let case = Case::new(name, program("", ""));
        case.same_result();
        let stem = Path::new(name).file_stem().unwrap().to_str().unwrap();
        assert!(
            case.output().join(format!("{stem}.acc.cu")).is_file(),
            "{name}"
        );
    }
}

#[test]
fn no_directive_at_all() {
    Case::new(
        "a.c",
        program("", "").replace("#pragma acc parallel loop copy(a)", ""),
    )
    .same_result();
}

#[test]
fn dialects_of_c() {
    for standard in ["c99", "gnu99", "c11", "gnu11", "gnu17"] {
        let case = Case::new("a.c", program("", ""));
        let mut translate = command(accrs());
        translate
            .arg("translate")
            .arg(format!("-std={standard}"))
            .arg(&case.file);
        let outcome = run(translate.arg("-o").arg(case.output())).unwrap();
        assert_eq!(
            (outcome.code(), outcome.stderr.as_str()),
            (Some(0), ""),
            "{standard}"
        );
    }
}
