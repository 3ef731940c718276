//! What holds in the whole source tree and no compiler checks.
//!
//! Each rule is a function over the text of the files; each has a check that it finds a violation,
//! so that a rule that looks at nothing cannot pass.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens as _;
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
    ("bin", &[]),
];

/// Text that stands in templates only.
const TEMPLATE_TEXT: &[&str] = &["cuda", "__shared__", "__global__", "<<<"];

/// A routine of OpenACC's runtime library whose name is said in its documentation.
const ROUTINE: &str = "acc_get_cuda_stream";

/// What the pragmas of hiCUDA begin with.
const PREFIX: &str = "hicuda";

/// Options of nvc that `accrs cc` takes.
const OPTIONS: [&str; 3] = ["-cudalib", "-cuda", "-Mcuda"];

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
    let (beside, name) = path.rsplit_once('/').expect("a source lies in a folder");
    let folder = match name.trim_end_matches(".rs") {
        "mod" | "lib" | "main" => beside.to_owned(),
        name => format!("{beside}/{name}"),
    };
    let mut found = Vec::new();
    if !text.contains("cfg(test)") {
        return found;
    }
    for item in parsed(path, text).items {
        if let syn::Item::Mod(module) = item
            && is_test(&module.attrs)
        {
            let named = module
                .attrs
                .iter()
                .find_map(|attribute| match &attribute.meta {
                    syn::Meta::NameValue(value) if value.path.is_ident("path") => {
                        let name = value.value.to_token_stream().to_string();
                        Some(format!("{beside}/{}", name.trim_matches('"')))
                    }
                    _ => None,
                });
            let file = named.unwrap_or(format!("{folder}/{}.rs", module.ident));
            found.push(format!("{}/", file.trim_end_matches(".rs")));
            found.push(file);
        }
    }
    found
}

fn parsed(path: &str, text: &str) -> syn::File {
    let parsed = syn::parse_file(text);
    parsed.map_err(|error| format!("{path}: {error}")).unwrap()
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    let mut attributes = attributes.iter();
    attributes.any(|a| a.path().is_ident("cfg") && a.to_token_stream().to_string().contains("test"))
}

/// The tokens of a source without comments, attributes and what is for tests alone. Every rule
/// asks for those of all sources, which are read once.
fn tokens(path: &str, text: &str) -> Arc<Vec<String>> {
    static KNOWN: Mutex<BTreeMap<String, Arc<Vec<String>>>> = Mutex::new(BTreeMap::new());
    if let Some(known) = KNOWN.lock().unwrap().get(text) {
        return known.clone();
    }
    let found = Arc::new(read_tokens(path, text));
    KNOWN.lock().unwrap().insert(text.to_owned(), found.clone());
    found
}

fn read_tokens(path: &str, text: &str) -> Vec<String> {
    let mut file = parsed(path, text);
    let is_for_tests = |item: &syn::Item| match item {
        syn::Item::Fn(item) => is_test(&item.attrs),
        syn::Item::Mod(item) => is_test(&item.attrs),
        syn::Item::Use(item) => is_test(&item.attrs),
        syn::Item::Impl(item) => is_test(&item.attrs),
        syn::Item::Const(item) => is_test(&item.attrs),
        _ => false,
    };
    file.attrs.clear();
    file.items.retain(|item| !is_for_tests(item));
    let mut found = Vec::new();
    add_tokens(file.to_token_stream(), &mut found);
    found
}

fn add_tokens(stream: TokenStream, found: &mut Vec<String>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match &tree {
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                trees.next_if(|next| next.to_string() == "!");
                trees.next_if(|next| matches!(next, TokenTree::Group(_)));
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::None => ("", ""),
                };
                found.push(open.to_owned());
                add_tokens(group.stream(), found);
                found.push(close.to_owned());
            }
            _ => found.push(tree.to_string()),
        }
    }
}

/// The insides of string literals.
fn strings(tokens: &[String]) -> impl Iterator<Item = &String> {
    tokens.iter().filter(|token| token.contains('"'))
}

/// The modules, from the crate down, that paths of a file begin with: those from `crate` and from
/// `super`.
fn used_modules(path: &str, text: &str) -> BTreeSet<Vec<String>> {
    let tokens = tokens(path, text);
    let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
    let own = inner.trim_end_matches("/mod").split('/').map(str::to_owned);
    let own: Vec<String> = own.collect();
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_inside = at > 1 && tokens[at - 2..at] == [":", ":"];
        let start = match token.as_str() {
            "crate" => Vec::new(),
            "super" if !is_inside => own.clone(),
            _ => continue,
        };
        follow(&tokens[at..], start, &mut found);
    }
    found
}

/// Adds the paths that tokens begin with, `a::b` or `a::{b, c::d}`.
fn follow(tokens: &[String], mut module: Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    let mut at = 0;
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("crate" | "self") => {}
            Some("super") => {
                module.pop();
            }
            Some("{") => {
                let mut depth = 0;
                for (inside, token) in tokens.iter().enumerate().skip(at) {
                    let opens = matches!(token.as_str(), "{" | ",") && depth <= 1;
                    match token.as_str() {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        return;
                    }
                    if opens && depth == 1 {
                        follow(&tokens[inside + 1..], module.clone(), found);
                    }
                }
                return;
            }
            Some(name) if name.starts_with(|c: char| c.is_alphabetic()) => {
                module.push(name.to_owned());
            }
            _ => return,
        }
        let goes_on = tokens.get(at + 1).is_some_and(|t| t == ":")
            && tokens.get(at + 2).is_some_and(|t| t == ":");
        if !goes_on {
            found.insert(module);
            return;
        }
        at += 3;
    }
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
        let used = used_modules(path, text);
        let used: BTreeSet<&str> = used
            .iter()
            .filter_map(|p| Some(p.first()?.as_str()))
            .collect();
        for used in used {
            let is_layer = used != module && layers.contains_key(used);
            if is_layer && used != "diagnostic" && !allowed.contains(&used) {
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
        file("src/ir/mod.rs", "use crate::{typed::{A, B}, passes};"),
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

/// The rooms of the house: the modules of the crate, and those directly in them. A file that
/// stands for its folder (`mod.rs`) belongs to the room, not to those in it.
fn room(module: &[String], rooms: &BTreeSet<String>) -> Option<String> {
    let longest = (1..=module.len().min(2)).rev();
    let mut names = longest.map(|length| module[..length].join("/"));
    names.find(|name| rooms.contains(name))
}

/// Rooms that use each other, in both directions through however many others.
fn cycles(files: &[(String, String)]) -> Vec<BTreeSet<String>> {
    let path_of = |path: &str| {
        let inner = path.trim_start_matches("src/").trim_end_matches(".rs");
        let inner = inner.trim_end_matches("/mod").split('/').map(str::to_owned);
        inner.collect::<Vec<String>>()
    };
    let all = files.iter().map(|(path, _)| path_of(path));
    let rooms: BTreeSet<String> = all.map(|m| m[..m.len().min(2)].join("/")).collect();
    let mut reached: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in files {
        let Some(from) = room(&path_of(path), &rooms) else {
            continue;
        };
        let used = used_modules(path, text).into_iter();
        let used = used.filter_map(|module| room(&module, &rooms));
        // What stands over a room hands out what is in it, and is no use of it.
        let used = used.filter(|to| *to != from && !to.starts_with(&format!("{from}/")));
        let used: Vec<String> = used
            .filter(|to| !from.starts_with(&format!("{to}/")))
            .collect();
        reached.entry(from).or_default().extend(used);
    }
    loop {
        let before: usize = reached.values().map(BTreeSet::len).sum();
        for from in &rooms {
            let direct = reached.get(from).cloned().unwrap_or_default();
            let further = direct.iter().filter_map(|to| reached.get(to)).flatten();
            let further: Vec<String> = further.cloned().collect();
            reached.entry(from.clone()).or_default().extend(further);
        }
        if reached.values().map(BTreeSet::len).sum::<usize>() == before {
            break;
        }
    }
    let reaches = |a: &str, b: &str| reached.get(a).is_some_and(|to| to.contains(b));
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for room in &rooms {
        let both = |other: &&String| reaches(room, other) && reaches(other, room);
        let cycle: BTreeSet<String> = rooms.iter().filter(both).cloned().collect();
        if !cycle.is_empty() && !found.contains(&cycle) {
            found.push(cycle);
        }
    }
    found
}

#[test]
fn no_rooms_use_each_other() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let planted = [
        file("src/ir/loops.rs", "use super::kernels::K;"),
        file("src/ir/kernels.rs", "use crate::ir::launches;"),
        file("src/ir/launches/mod.rs", "use super::loops::L;"),
        file("src/ir/plain.rs", "use super::loops::L;"),
    ];
    assert_eq!(cycles(&planted).len(), 1);
    assert_eq!(cycles(&planted)[0].len(), 3);
    assert_eq!(cycles(&sources()), []);
}

/// What OpenACC and hiCUDA call levels and their sizes: a kernel brings such words for messages.
const LEVEL_WORDS: &[&str] = &[
    "gang",
    "gangs",
    "worker",
    "workers",
    "num_gangs",
    "num_workers",
    "vector_length",
    "tblock",
];

/// Rooms in which a dialect's name or its words for levels stand.
fn dialects_named(files: &[(String, String)]) -> Vec<&str> {
    let rooms = ["ir", "analysis", "passes", "back", "front/lowering"];
    let is_neutral = |path: &str| {
        rooms
            .iter()
            .any(|room| path.starts_with(&format!("src/{room}/")))
    };
    let names = |path: &str, text: &str| {
        let said = |token: &String| {
            let token = token.to_lowercase();
            token.contains("openacc") || token.contains("hicuda")
        };
        let tokens = tokens(path, text);
        // The runtime has its own names for levels, which the printer calls.
        let has_levels = !path.starts_with("src/back/");
        let levels = |literal: &String| {
            let mut words = literal.split(|c: char| !c.is_alphanumeric() && c != '_');
            has_levels && words.any(|word| LEVEL_WORDS.contains(&word))
        };
        tokens.iter().any(said) || strings(&tokens).any(levels)
    };
    let named = files
        .iter()
        .filter(|(path, text)| is_neutral(path) && names(path, text));
    named.map(|(path, _)| path.as_str()).collect()
}

#[test]
fn dialects_end_at_the_front_ends() {
    let file = |text: &str| ("src/front/lowering/flow.rs".to_owned(), text.to_owned());
    let planted = [
        file("use crate::front::openacc::x;"),
        file("fn f() { g(\"OpenACC\"); }"),
        file("fn f() { g(\"one of the gangs\"); }"),
    ];
    assert_eq!(dialects_named(&planted).len(), 3);
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
        let uses = outside && tokens(&path, &text).iter().any(|token| token == "pest");
        assert!(!uses, "{path} uses pest");
    }
}

/// The template text in string literals of a file.
fn fixed_text(path: &str, text: &str) -> Vec<String> {
    let tokens = tokens(path, text);
    let is_fixed = |literal: &&String| {
        let mut literal = literal.replace(ROUTINE, "").replace(PREFIX, "");
        for option in OPTIONS {
            literal = literal.replace(option, "");
        }
        TEMPLATE_TEXT.iter().any(|part| literal.contains(part))
    };
    strings(&tokens).filter(is_fixed).cloned().collect()
}

#[test]
fn text_of_cuda_stands_in_templates_their_printer_and_the_reader() {
    let of = |body: &str| fixed_text("planted", &format!("fn f() {{ {body} }}"));
    assert_eq!(
        of("g(\"cudaMalloc\"); // \"cuda\"\nlet cuda = 1;"),
        ["\"cudaMalloc\""]
    );
    assert_eq!(
        of("g(r#\"k<<<1, 2>>>()\"#, '\"', '\\'', \"fine\")").len(),
        1
    );
    let is_printer = |path: &str| {
        const ROOMS: [&str; 4] = [
            "src/back/cuda/",
            "src/front/cuda/",
            "src/front/autocta/",
            "src/front/mesi/",
        ];
        ROOMS.iter().any(|room| path.starts_with(room))
    };
    for (path, text) in sources().into_iter().filter(|(path, _)| !is_printer(path)) {
        assert_eq!(fixed_text(&path, &text), [] as [String; 0], "{path}");
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
        let tokens = tokens(&path, &text);
        for call in [[".", "unwrap"], ["panic", "!"], ["unreachable", "!"]] {
            let found = tokens.windows(2).any(|pair| pair == call);
            assert!(!found, "{path}: {call:?}");
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
        "tools/on-gpu",
        "tools/release",
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

/// `cargo run` starts nothing where it may choose between two programs.
#[test]
fn the_first_command_of_the_readme_names_the_program() {
    let manifest: toml::Table = toml::from_str(&read(&root().join("Cargo.toml")).unwrap()).unwrap();
    assert_eq!(manifest["package"]["default-run"].as_str(), Some("accrs"));
    let readme = read(&root().join("README.md")).unwrap();
    let first = readme.split("```sh\n").nth(1).unwrap();
    assert!(first.starts_with("cargo run --release -- run "), "{first}");
}
