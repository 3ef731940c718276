//! A line more above moves places in comments and in calls of the runtime, and nothing else.

use std::path::Path;

use crate::{Folder, names};

/// Groups of fixtures with many kernels, of which several are in one function.
const GROUPS: &[&str] = &["kernels", "mapping", "windows"];

/// The snapshots, which `tests/fixtures.rs` compares with what a fixture becomes, are where it stands.
#[test]
fn a_line_above_changes_comments_and_line_arguments_only() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut numbered = 0;
    for group in GROUPS {
        let sources = tests.join("fixtures").join(group);
        for name in names(&sources).iter().filter(|name| is_fixture(name)) {
            let text = std::fs::read_to_string(sources.join(name)).unwrap();
            let options = options(&text);
            let folder = Folder::with(&[(name, &format!("\n{text}"))]);
            folder.succeed(&format!("translate {options} {name} -o out"));
            let stem = name.strip_suffix(".c").unwrap();
            let snapshot = |suffix: &str| {
                let path = tests.join(format!("snapshots/{group}/{stem}{suffix}"));
                std::fs::read_to_string(path).unwrap()
            };
            let kernels = snapshot(".acc.cu");
            numbered += kernels.matches("_kernel2(").count();
            assert_eq!(
                moved(&kernels, name),
                folder.read(&format!("out/{stem}.acc.cu")),
                "{name}: kernels"
            );
            let host = folder.read(&format!("out/{stem}.acc.c"));
            let first = text.lines().next().unwrap();
            let host = host.replacen(&format!("\n{first}"), first, 1);
            assert_eq!(moved(&snapshot(".acc.c"), name), host, "{name}: host");
        }
    }
    assert!(numbered > 0, "no function has two kernels");
}

/// For profilers: `#line` in both files, and what has nvcc keep lines.
#[test]
fn lines_are_marked_where_that_is_asked_for() {
    let program = "void f(int *restrict a)\n{\n#pragma acc parallel loop copy(a[0:8])\n    for (int i = 0; i < 8; i++)\n        a[i]++;\n}\n";
    let folder = Folder::with(&[("f.c", program)]);
    folder.succeed("translate -o plain f.c");
    folder.succeed("translate --line-marks -o marked f.c");
    for (file, mark) in [
        ("c", "#line 4 \"f.c\""),
        ("cu", "#line 4 \"f.c\""),
        ("mk", " -lineinfo\n"),
    ] {
        let marked = folder.read(&format!("marked/f.acc.{file}"));
        assert!(marked.contains(mark), "{mark}: {marked}");
        let plain = folder.read(&format!("plain/f.acc.{file}"));
        assert!(!plain.contains(mark), "{mark}: {plain}");
    }
}

fn is_fixture(name: &str) -> bool {
    name.ends_with(".c") && !name.ends_with(".oracle.c")
}

/// What the fixture says of options and flags.
fn options(text: &str) -> String {
    let header = text.lines().take_while(|line| line.starts_with("//"));
    let said = header.filter_map(|line| {
        let options = line.strip_prefix("// options:");
        options.or_else(|| line.strip_prefix("// flags:"))
    });
    said.collect::<Vec<_>>().join(" ")
}

/// A text with every `NAME:N`, `"NAME", N` and `at line N` a line further down.
fn moved(text: &str, name: &str) -> String {
    let name = regex::escape(name);
    let place =
        regex::Regex::new(&format!(r#"({name}(?::|", )|at line(?: |\n// ))(\d+)"#)).unwrap();
    let next = |found: &regex::Captures| {
        let line: u32 = found[2].parse().unwrap();
        format!("{}{}", &found[1], line + 1)
    };
    place.replace_all(text, next).into_owned()
}
