//! What docs/feedback.md shows is what its command prints.
//! The kernels that docs/fcw.md, docs/gallery.md, docs/hicuda.md and README.md show are those that accrs
//! writes for the example above each.
//!
//! `ACCRS_BLESS=1 cargo test --test documentation` puts the present ones into the pages.
//! [`tutorial`] follows docs/tutorial.md.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that fails says where"
)]

mod support;
#[path = "documentation/tutorial.rs"]
mod tutorial;

use serde_json::Value;
use support::process::{command, succeed};
use support::{accrs, read, root};

/// Functions around the examples, by name; an example that is a whole function needs none.
const HEADS: &[(&str, &str)] = &[
    (
        "multiply",
        "void multiply(int n, float a[restrict n][n], float b[restrict n][n], float c[restrict n][n])",
    ),
    (
        "reduce",
        "void reduce(int n, float *restrict a, float *restrict sums)",
    ),
    (
        "exchange",
        "void exchange(int n, const float *restrict a, float *restrict b)",
    ),
    ("scan", "void scan(int n, float *restrict a)"),
    (
        "pairs",
        "void pairs(int n, const float *restrict a, float *restrict b)",
    ),
    (
        "weigh",
        "struct point { float x, y; };\n\
         void weigh(int n, struct point *restrict points, const float *restrict weights)",
    ),
    (
        "turn",
        "void turn(int n, const float *restrict a, float *restrict b)",
    ),
];

/// A fenced block: its language, its lines, and the byte range of its text.
struct Fenced<'a> {
    language: &'a str,
    text: &'a str,
    start: usize,
}

fn fenced(page: &str) -> Vec<Fenced<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = page[at..].find("```") {
        let language_start = at + open + 3;
        let start = language_start + page[language_start..].find('\n').unwrap() + 1;
        let end = start + page[start..].find("```").unwrap();
        found.push(Fenced {
            language: page[language_start..start].trim(),
            text: &page[start..end],
            start,
        });
        at = end + 3;
    }
    found
}

/// The name of the function whose kernel a block shows, where that is named after it.
fn function_of(kernel: &str) -> &str {
    let mut lines = kernel.lines();
    let line = lines.find(|line| line.contains("_kernel("));
    line.map_or("", |line| line.split("_kernel(").next().unwrap())
}

fn program(example: &str, name: &str) -> String {
    match HEADS.iter().find(|(head, _)| *head == name) {
        Some((_, head)) => {
            let extra = match name {
                "exchange" => "    float scratch[n];\n",
                _ => "",
            };
            format!("{head}\n{{\n{extra}{example}}}\n")
        }
        None => example.to_owned(),
    }
}

/// The only kernel that accrs writes for a program.
fn generated(program: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("example.c");
    std::fs::write(&source, program).unwrap();
    let mut translate = command(accrs());
    succeed(
        translate
            .arg("translate")
            .arg("-o")
            .arg(folder.path())
            .arg(&source),
    )
    .unwrap();
    let file = read(&folder.path().join("example.acc.cu")).unwrap();
    let head = file.find("__global__").unwrap();
    let before_template = file[..head].strip_suffix("template <typename Index>\n");
    let start = before_template.map_or(head, str::len);
    let end = head + file[head..].find("\n}\n").unwrap() + 3;
    assert!(!file[end..].contains("__global__"), "two kernels:\n{file}");
    file[start..end].to_owned()
}

#[test]
fn the_page_on_fcw_shows_what_is_generated() {
    check("docs/fcw.md", HEADS.len() + 1);
}

#[test]
fn the_gallery_shows_what_is_generated() {
    check("docs/gallery.md", 12);
}

#[test]
fn the_page_on_hicuda_shows_what_is_generated() {
    check("docs/hicuda.md", 1);
}

/// A block that names a file above its kernel is from that file, and shown as it was.
#[test]
fn the_first_page_shows_what_is_generated() {
    check("README.md", 1);
}

/// The note of docs/feedback.md is printed as it stands there, and the object has what the page shows.
#[test]
fn the_page_on_feedback_shows_what_is_said() {
    let page = read(&root().join("docs/feedback.md")).unwrap();
    let blocks = fenced(&page);
    let (first, note) = blocks[0].text.split_once('\n').unwrap();
    let asked = first.strip_prefix("$ accrs ").unwrap();
    let said = |more: &str| {
        let mut run = command(accrs());
        let run = run.current_dir(root()).args(asked.split(' '));
        let output = run.args(more.split_whitespace()).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    let printed = said("");
    assert!(printed.contains(note), "{note}\n{printed}");
    let shown: Value = serde_json::from_str(blocks[1].text).unwrap();
    let printed = said("--message-format json");
    let objects = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let is_shown = |object: &Value| has(object, &shown);
    assert!(
        objects.into_iter().any(|object| is_shown(&object)),
        "{shown}\n{printed}"
    );
}

/// Whether a value is another one, or an object or list with all that the other has.
fn has(value: &Value, part: &Value) -> bool {
    match (value, part) {
        (Value::Object(all), Value::Object(some)) => some
            .iter()
            .all(|(key, part)| all.get(key).is_some_and(|value| has(value, part))),
        (Value::Array(all), Value::Array(some)) => {
            all.len() == some.len() && all.iter().zip(some).all(|(value, part)| has(value, part))
        }
        _ => value == part,
    }
}

/// Compares the kernels of a page, of which there are so many.
fn check(name: &str, wanted: usize) {
    let path = root().join(name);
    let page = read(&path).unwrap();
    let mut changed = String::new();
    let mut copied = 0;
    let mut kernels = 0;
    let blocks = fenced(&page);
    for pair in blocks.windows(2) {
        let [example, kernel] = pair else { continue };
        if kernel.language != "cuda" || kernel.text.starts_with("//") {
            continue;
        }
        assert_eq!(example.language, "c", "no example above:\n{}", kernel.text);
        let present = generated(&program(example.text, function_of(kernel.text)));
        changed.push_str(&page[copied..kernel.start]);
        changed.push_str(&present);
        copied = kernel.start + kernel.text.len();
        kernels += 1;
    }
    changed.push_str(&page[copied..]);
    assert_eq!(kernels, wanted, "kernels on the page");
    if std::env::var_os("ACCRS_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, changed).unwrap();
    } else {
        assert!(
            page == changed,
            "{name} is out of date: ACCRS_BLESS=1 rewrites it"
        );
    }
}
