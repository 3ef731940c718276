//! What holds in the whole source tree and no compiler checks.
//!
//! Each rule is a function over the text of the files; each has a check that it finds a violation,
//! so that a rule that looks at nothing cannot pass.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use support::{read, root};

/// Which top-level modules each may use. `diagnostic` is open to all.
const LAYERS: &[(&str, &[&str])] = &[
    ("diagnostic", &["source"]),
    ("source", &[]),
    ("ast", &["source"]),
    ("typed", &["ast", "source"]),
    ("ir", &["typed", "ast", "source"]),
    ("syntax", &["ast", "source"]),
    ("sema", &["typed", "ast", "source"]),
    (
        "front",
        &["analysis", "sema", "ir", "typed", "ast", "source"],
    ),
    ("analysis", &["ir", "typed", "ast", "source"]),
    ("stopwatch", &[]),
    (
        "passes",
        &["analysis", "ir", "typed", "ast", "source", "stopwatch"],
    ),
    ("back", &["ir", "typed", "ast", "source"]),
    (
        "driver",
        &[
            "front",
            "passes",
            "back",
            "analysis",
            "ir",
            "syntax",
            "sema",
            "typed",
            "ast",
            "source",
            "stopwatch",
        ],
    ),
    ("cli", &["driver", "source"]),
];

/// Text that stands in templates only.
const TEMPLATE_TEXT: &[&str] = &["cuda", "__shared__", "__global__", "<<<"];

/// A routine of OpenACC's runtime library whose name is said in its documentation.
const ROUTINE: &str = "acc_get_cuda_stream";

/// Marks of unfinished work.
const UNFINISHED: &[&str] = &["TODO", "FIXME", "XXX", "todo!", "unimplemented!"];

const LONGEST_FILE: usize = 800;

/// The files that git knows, as the repository has them: path and text. Files that are not text
/// are left out.
fn tracked() -> Vec<(String, String)> {
    let listing = Command::new("git")
        .args([
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ])
        .current_dir(root())
        .output()
        .expect("git is there, since this is a clone");
    assert!(listing.status.success(), "git ls-files: {}", listing.status);
    let names = String::from_utf8(listing.stdout).unwrap();
    let mut files = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        if let Ok(text) = read(&root().join(name)) {
            files.push((name.to_owned(), text));
        }
    }
    assert!(files.len() > 100, "only {} files", files.len());
    files
}

/// The Rust sources of the crate, without those that hold only tests.
fn sources() -> Vec<(String, String)> {
    let is_source = |name: &str| name.starts_with("src/") && name.ends_with(".rs");
    let mut files = tracked();
    files.retain(|(name, _)| is_source(name));
    let for_tests: Vec<String> = files
        .iter()
        .flat_map(|(path, text)| test_modules(path, text))
        .collect();
    files.retain(|(path, _)| !for_tests.iter().any(|prefix| path.starts_with(prefix)));
    files
}

/// The path prefixes of the modules that a file declares under `#[cfg(test)]`.
fn test_modules(path: &str, text: &str) -> Vec<String> {
    let (folder, name) = path.rsplit_once('/').expect("a source lies in a folder");
    let folder = match name.trim_end_matches(".rs") {
        "mod" | "lib" | "main" => folder.to_owned(),
        name => format!("{folder}/{name}"),
    };
    let declaration = |rest: &str| {
        let mut lines = rest.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut line = lines.next()?;
        if let Some(file) = line.strip_prefix("#[path = \"") {
            let beside = path.rsplit_once('/')?.0;
            let file = file.trim_end_matches("\"]");
            return Some([format!("{beside}/{file}"), format!("{beside}/{file}/")]);
        }
        while line.starts_with("#[") {
            line = lines.next()?;
        }
        let name = line.rsplit_once("mod ")?.1.strip_suffix(';')?;
        Some([format!("{folder}/{name}.rs"), format!("{folder}/{name}/")])
    };
    text.split("#[cfg(test)]")
        .skip(1)
        .filter_map(declaration)
        .flatten()
        .collect()
}

/// The literal kinds of a piece of Rust.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Code,
    Comment,
    String,
}

/// Splits Rust text into code, comments and the insides of string literals.
fn pieces(text: &str) -> Vec<(Kind, String)> {
    let bytes = text.as_bytes();
    let mut found: Vec<(Kind, String)> = Vec::new();
    let (mut at, mut start) = (0, 0);
    while at < bytes.len() {
        let rest = &text[at..];
        let (kind, end) = if rest.starts_with("//") {
            (Kind::Comment, at + rest.find('\n').unwrap_or(rest.len()))
        } else if rest.starts_with("/*") {
            (
                Kind::Comment,
                at + rest.find("*/").map_or(rest.len(), |end| end + 2),
            )
        } else if let Some(length) = raw_string(rest) {
            (Kind::String, at + length)
        } else if rest.starts_with('"') {
            (Kind::String, at + quoted(rest))
        } else if rest.starts_with('\'') {
            at += character(rest);
            continue;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        found.push((Kind::Code, text[start..at].to_owned()));
        found.push((kind, text[at..end].to_owned()));
        (at, start) = (end, end);
    }
    found.push((Kind::Code, text[start..].to_owned()));
    found
}

/// The length of a raw string literal, where one begins.
fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest.strip_prefix('r')?;
    let count = hashes.bytes().take_while(|byte| *byte == b'#').count();
    let inside = hashes[count..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(count));
    Some(2 + count + inside.find(&close)? + close.len())
}

/// The length of a string literal.
fn quoted(rest: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// The length of a character literal; of the quote alone where it begins a lifetime.
fn character(rest: &str) -> usize {
    let mut characters = rest.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => rest[2..]
            .find('\'')
            .filter(|end| *end > 0)
            .map_or(1, |end| end + 3),
        _ => match characters.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
    }
}

fn only(text: &str, kind: Kind) -> String {
    let matching = pieces(text).into_iter().filter(|(found, _)| *found == kind);
    matching.map(|(_, piece)| piece + " ").collect()
}

/// The text of a file before its tests, which stand last.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

/// The top-level modules that the code of a file names: by `crate::`, and by as many `super::` as
/// lead to the crate.
fn used_modules(path: &str, text: &str) -> BTreeSet<String> {
    let code = only(text, Kind::Code);
    let mut parts = path
        .trim_start_matches("src/")
        .trim_end_matches(".rs")
        .split('/');
    let depth = parts.clone().filter(|part| *part != "mod").count();
    let own = parts.next().unwrap_or_default();
    let to_crate = "super::".repeat(depth);
    let mut found = BTreeSet::new();
    for prefix in ["crate::", &to_crate] {
        for (at, _) in code.match_indices(prefix) {
            let rest = &code[at + prefix.len()..];
            let list = rest.strip_prefix('{').map_or(rest, |list| list);
            let end = if list.len() == rest.len() {
                list.find(|c: char| !c.is_alphanumeric() && c != '_')
            } else {
                list.find('}')
            };
            for item in list[..end.unwrap_or(list.len())].split(',') {
                let name = item.trim().split("::").next().unwrap_or_default();
                found.insert(name.to_owned());
            }
        }
    }
    found.remove(own);
    found.retain(|name| LAYERS.iter().any(|(layer, _)| layer == name));
    found
}

/// Uses that point the wrong way, and modules that no layer names.
fn layering_violations(files: &[(String, String)]) -> Vec<String> {
    let layers: BTreeMap<_, _> = LAYERS.iter().copied().collect();
    let mut violations = Vec::new();
    for (path, text) in files {
        let parts: Vec<&str> = path.split('/').collect();
        if parts.len() < 2 || parts[1] == "lib.rs" || parts[1] == "main.rs" {
            continue;
        }
        let module = parts[1].trim_end_matches(".rs");
        let Some(allowed) = layers.get(module) else {
            violations.push(format!(
                "{path}: the module `{module}` has no place in the layers"
            ));
            continue;
        };
        for used in used_modules(path, without_tests(text)) {
            if used != "diagnostic" && !allowed.contains(&used.as_str()) {
                violations.push(format!("{path}: {module} must not use {used}"));
            }
        }
    }
    violations
}

#[test]
fn arrows_of_use_point_one_way() {
    let file = |path: &str, text: &str| vec![(path.to_owned(), text.to_owned())];
    let wrong = [
        file("src/ir/mod.rs", "use crate::passes::x;"),
        file("src/ir/mod.rs", "use crate::{ast::X, back::y};"),
        file("src/ast/mod.rs", "fn f(x: super::typed::T) {}"),
        file("src/ast/expression.rs", "use super::super::ir;"),
        file("src/novel/mod.rs", ""),
    ];
    for files in wrong {
        assert_eq!(layering_violations(&files).len(), 1, "{files:?}");
    }
    let right = file(
        "src/ir/mod.rs",
        "// crate::back\nuse crate::typed::T; use super::*;",
    );
    assert_eq!(layering_violations(&right), [] as [String; 0]);

    assert_eq!(layering_violations(&sources()), [] as [String; 0]);
}

/// Rooms in which a dialect's name stands.
fn dialects_named(files: &[(String, String)]) -> Vec<&str> {
    let rooms = ["ir", "analysis", "passes", "back", "front/lowering"];
    let is_neutral = |path: &str| {
        rooms
            .iter()
            .any(|room| path.starts_with(&format!("src/{room}/")))
    };
    let names = |text: &str| {
        let said = [Kind::Code, Kind::String].map(|kind| only(without_tests(text), kind));
        said.concat().to_lowercase().contains("openacc")
    };
    let named = files
        .iter()
        .filter(|(path, text)| is_neutral(path) && names(text));
    named.map(|(path, _)| path.as_str()).collect()
}

#[test]
fn dialects_end_at_the_front_ends() {
    let file = |text: &str| ("src/front/lowering/flow.rs".to_owned(), text.to_owned());
    let planted = [
        file("use crate::front::openacc::x;"),
        file("f(\"OpenACC\");"),
    ];
    assert_eq!(dialects_named(&planted).len(), 2);
    assert_eq!(
        dialects_named(&[file("// OpenACC 3.3, section 2.9")]),
        [""; 0]
    );
    assert_eq!(dialects_named(&sources()), [""; 0]);
}

#[test]
fn the_parser_library_is_known_to_syntax_alone() {
    for (path, text) in sources() {
        let outside = !path.starts_with("src/syntax/") && path != "src/syntax.rs";
        let code = only(without_tests(&text), Kind::Code);
        assert!(!outside || !code.contains("pest"), "{path} uses pest");
    }
}

/// The template text in string literals of a file.
fn fixed_text(text: &str) -> Vec<String> {
    let literals = pieces(without_tests(text))
        .into_iter()
        .filter(|(kind, _)| *kind == Kind::String);
    literals
        .map(|(_, literal)| literal)
        .filter(|literal| {
            let literal = literal.replace(ROUTINE, "");
            TEMPLATE_TEXT.iter().any(|part| literal.contains(part))
        })
        .collect()
}

#[test]
fn fixed_text_of_cuda_stands_in_templates() {
    assert_eq!(
        fixed_text("f(\"cudaMalloc\"); // \"cuda\"\nlet cuda = 1;"),
        ["\"cudaMalloc\""]
    );
    assert_eq!(
        fixed_text("g(r#\"k<<<1, 2>>>()\"#, '\"', '\\'', \"fine\")").len(),
        1
    );
    for (path, text) in sources() {
        let found = fixed_text(&text);
        assert_eq!(found, [] as [String; 0], "{path}");
    }
}

#[test]
fn nothing_is_left_unfinished() {
    for (path, text) in tracked() {
        let ours = path.starts_with("src/")
            || path.starts_with("runtime/")
            || path.starts_with("templates/")
            || path.starts_with("benchmarks/");
        for mark in UNFINISHED {
            let word = |(at, _): &(usize, &str)| {
                !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            };
            let found = text.match_indices(mark).any(|hit| word(&hit));
            assert!(!ours || !found, "{path}: {mark}");
        }
    }
}

#[test]
fn nothing_panics_outside_tests() {
    for (path, text) in sources() {
        let code = only(without_tests(&text), Kind::Code);
        for call in [".unwrap()", "panic!(", "unreachable!("] {
            assert!(!code.contains(call), "{path}: {call}");
        }
    }
}

#[test]
fn no_test_is_ignored() {
    let mark = concat!("#[", "ignore");
    for (path, text) in tracked() {
        assert!(!path.ends_with(".rs") || !text.contains(mark), "{path}");
    }
}

#[test]
fn files_stay_short() {
    for (path, text) in tracked() {
        let written = [".rs", ".c", ".h", ".hpp", ".cpp", ".pest"]
            .iter()
            .any(|end| path.ends_with(end));
        let generated = path.starts_with("tests/snapshots/");
        let lines = text.lines().count();
        assert!(
            !written || generated || lines <= LONGEST_FILE,
            "{path}: {lines} lines"
        );
    }
}

#[test]
fn every_code_has_its_page_and_every_page_its_code() {
    let folder = root().join("docs/explain");
    let mut pages: BTreeSet<String> = support::files_below(&folder)
        .iter()
        .filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()))
        .collect();
    assert!(!accrs::diagnostic::codes::ALL.is_empty());
    for (code, _) in accrs::diagnostic::codes::ALL {
        let name = format!("{}.md", code.0);
        assert!(pages.remove(&name), "docs/explain/{name} is missing");
        let text = read(&folder.join(&name)).unwrap();
        assert!(
            text.starts_with(&format!("# {}: ", code.0)),
            "{name}: its first line is the title"
        );
        let words = text.split_whitespace().count();
        assert!(words >= 30, "{name}: {words} words explain nothing");
    }
    assert_eq!(pages, BTreeSet::new(), "pages without a code");
}

#[test]
fn no_path_of_a_machine_is_in_the_tree() {
    // Put together here so that this file does not hold them.
    let machine = [
        ["/wo", "rk/"],
        ["/ro", "ot/"],
        ["/ho", "me/"],
        ["/Us", "ers/"],
    ]
    .map(|p| p.concat());
    for (path, text) in tracked() {
        if path == "Cargo.lock" {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for folder in &machine {
                let found = line.match_indices(folder.as_str()).any(|(at, _)| {
                    // A path begins there; it is no part of a longer one.
                    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "./_-$}".contains(c))
                });
                assert!(!found, "{path}:{}: {folder}", number + 1);
            }
        }
    }
}

/// Tests, and groups of fixtures, that the index of `tests/README.md` leaves out.
fn left_out<'f>(index: &str, files: &'f [(String, String)]) -> BTreeSet<&'f str> {
    let test = |path: &'f str| {
        let rest = path.strip_prefix("tests/")?;
        match rest.split_once('/') {
            None => rest.strip_suffix(".rs").map(|_| rest),
            Some(("fixtures", rest)) => rest.split('/').next(),
            Some((folder, "main.rs")) => Some(folder),
            Some(_) => None,
        }
    };
    let all = files.iter().filter_map(|(path, _)| test(path));
    all.filter(|name| {
        !index.contains(&format!("`{name}`")) && !index.contains(&format!("/{name}`"))
    })
    .collect()
}

#[test]
fn the_index_of_tests_names_all() {
    let files = tracked();
    let index = &files.iter().find(|(path, _)| path == "tests/README.md");
    let index = &index.expect("an index").1;
    let planted = [
        "tests/new.rs",
        "tests/novel/main.rs",
        "tests/fixtures/more/a.c",
    ];
    let planted = planted.map(|path| (path.to_owned(), String::new()));
    assert_eq!(left_out(index, &planted).len(), 3);
    assert_eq!(left_out(index, &files), BTreeSet::new());
}

#[test]
fn scripts_are_executable_and_stop_at_errors() {
    use std::os::unix::fs::PermissionsExt as _;
    for name in [
        ".ci/run",
        "tools/test",
        "tools/install-nvcc.sh",
        "tests/real-data",
    ] {
        let path: &Path = &root().join(name);
        let mode = path.metadata().unwrap().permissions().mode();
        assert!(mode & 0o111 != 0, "{name} is not executable");
        assert!(
            read(path).unwrap().contains("\nset -eu"),
            "{name} goes on after errors"
        );
    }
}
