//! What of the user's text is in the kernels: calls of macros, names of enumerators and of types,
//! literals and comments, counted in the source of regions and in the kernel file.
//!
//! The lexer is the test's own. Sources are fixtures and benchmarks, with their snapshots as kernels,
//! and `tests/programs`, translated here. A word counts as kept as often as it is in both. Of each
//! kind nine in ten are kept, and each loss stands with its cause in `kept_text/losses.txt`: one that
//! is not there fails, and so does one that is there and no longer happens. `ACCRS_BLESS=1` writes
//! the list again with the causes that are known; a new one has none, and fails until it has.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]
#![allow(clippy::print_stdout, reason = "the table is the test's report")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use support::{accrs, cases, files_below, nvcc, process, read, root, snapshot};

/// What is counted.
const KINDS: [Kind; 5] = [
    Kind::Macro,
    Kind::Enumerator,
    Kind::TypedefName,
    Kind::Literal,
    Kind::Comment,
];

/// The least share of each kind that is kept, in percent.
const LEAST: usize = 90;

/// What the list says of itself.
const LIST_BEGINS: &str = "\
# What of the user's text is not in the kernels: file, kind, words, how many of how many, and why.
# Held by tests/kept_text.rs.
";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Macro,
    Enumerator,
    TypedefName,
    Literal,
    Comment,
}

/// A token, a comment or a directive of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    Number(&'a str),
    Character(&'a str),
    String(&'a str),
    Mark(char),
    Comment(&'a str),
    Directive(&'a str),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut begins_line = true;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let (length, token) = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            (length, Some(Token::Comment(&rest[..length])))
        } else if rest.starts_with("/*") {
            let length = rest.find("*/").map_or(rest.len(), |at| at + 2);
            (length, Some(Token::Comment(&rest[..length])))
        } else if first == '#' && begins_line {
            let length = line_length(rest);
            (length, Some(Token::Directive(&rest[..length])))
        } else if first == '"' || first == '\'' {
            let length = quoted_length(rest);
            let text = &rest[..length];
            let token = match first {
                '"' => Token::String(text),
                _ => Token::Character(text),
            };
            (length, Some(token))
        } else if number_begins(rest) {
            let length = number_length(rest);
            (length, Some(Token::Number(&rest[..length])))
        } else if word(first) {
            let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
            (length, Some(Token::Word(&rest[..length])))
        } else {
            let token = (!first.is_whitespace()).then_some(Token::Mark(first));
            (first.len_utf8(), token)
        };
        begins_line = first == '\n' || begins_line && first.is_whitespace();
        found.extend(token);
        rest = &rest[length..];
    }
    found
}

/// The length of a directive with its continued lines and its comments, which may be of several lines.
fn line_length(text: &str) -> usize {
    let mut at = 0;
    while let Some(found) = text[at..].find(['\\', '\n', '/']) {
        let rest = &text[at + found..];
        at += found;
        at += match rest.as_bytes() {
            [b'\n', ..] => break,
            [b'\\', b'\n', ..] => 2,
            [b'/', b'*', ..] => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 1,
        };
    }
    match text[at..].find('\n') {
        Some(end) => text[..at + end].trim_end().len(),
        None => text.trim_end().len(),
    }
}

fn quoted_length(text: &str) -> usize {
    let quote = text.as_bytes()[0];
    let mut at = 1;
    while let Some(&byte) = text.as_bytes().get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

fn number_begins(text: &str) -> bool {
    let digits = text.strip_prefix('.').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

fn number_length(text: &str) -> usize {
    let mut last = ' ';
    for (at, c) in text.char_indices() {
        let signs = matches!(c, '+' | '-') && matches!(last, 'e' | 'E' | 'p' | 'P');
        if !(c.is_alphanumeric() || c == '_' || c == '.' || signs) {
            return at;
        }
        last = c;
    }
    text.len()
}

/// Names that a source gives to macros, enumerators and types.
#[derive(Default)]
struct Names<'a> {
    macros: BTreeSet<&'a str>,
    enumerators: BTreeSet<&'a str>,
    types: BTreeSet<&'a str>,
}

impl<'a> Names<'a> {
    fn add(&mut self, tokens: &[Token<'a>]) {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Directive(line) => {
                    let line = line[1..].trim_start();
                    let name = line.strip_prefix("define").map(str::trim_start);
                    let end = |c: char| !(c.is_alphanumeric() || c == '_');
                    self.macros.extend(name.and_then(|n| n.split(end).next()));
                }
                // Without a body the word names a type.
                Token::Word("enum")
                    if tokens[at + 1..]
                        .iter()
                        .take(2)
                        .any(|t| *t == Token::Mark('{')) =>
                {
                    let body = tokens[at..].iter().take_while(|t| **t != Token::Mark('}'));
                    let body = body.skip_while(|t| **t != Token::Mark('{'));
                    let body: Vec<&Token> = body.collect();
                    for pair in body.windows(2) {
                        let begins = matches!(pair[0], Token::Mark('{' | ',') | Token::Comment(_));
                        if let (true, Token::Word(name)) = (begins, pair[1]) {
                            self.enumerators.insert(name);
                        }
                    }
                }
                Token::Word("typedef") => {
                    let mut depth = 0;
                    let end = tokens[at..].iter().position(|token| {
                        depth += i32::from(*token == Token::Mark('{'));
                        depth -= i32::from(*token == Token::Mark('}'));
                        *token == Token::Mark(';') && depth == 0
                    });
                    let last = end.and_then(|end| tokens[..at + end].last());
                    if let Some(Token::Word(name)) = last {
                        self.types.insert(name);
                    }
                }
                _ => {}
            }
        }
    }

    /// How often each word is among tokens. What stands behind a point is a member, as in
    /// `threadIdx.x`.
    fn counted(&self, tokens: &[Token<'_>]) -> BTreeMap<(Kind, String), usize> {
        let mut counts = BTreeMap::new();
        let mut before = None;
        for token in tokens {
            if before.replace(token) != Some(&Token::Mark('.'))
                && let Some(found) = self.kind(*token)
            {
                *counts.entry(found).or_default() += 1;
            }
        }
        counts
    }

    fn kind(&self, token: Token<'_>) -> Option<(Kind, String)> {
        match token {
            Token::Word(word) if self.macros.contains(word) => Some((Kind::Macro, word.into())),
            Token::Word(word) if self.enumerators.contains(word) => {
                Some((Kind::Enumerator, word.into()))
            }
            Token::Word(word) if self.types.contains(word) => {
                Some((Kind::TypedefName, word.into()))
            }
            Token::Number(text) | Token::Character(text) => Some((Kind::Literal, text.into())),
            Token::Comment(text) => {
                let words: Vec<&str> = text.split_whitespace().collect();
                Some((Kind::Comment, words.join(" ")))
            }
            _ => None,
        }
    }
}

/// The tokens of regions: what a compute construct governs, and functions for the device.
fn regions<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let Token::Directive(line) = token else {
            continue;
        };
        let words: Vec<&str> = line.split(|c: char| !c.is_alphanumeric()).collect();
        let is_pragma = words.contains(&"pragma") && words.contains(&"acc");
        let is_compute = ["parallel", "kernels", "serial"]
            .iter()
            .any(|w| words.contains(w));
        let is_definition = words.contains(&"routine")
            && !line.contains('(')
            && tokens[at..]
                .iter()
                .find(|t| **t == Token::Mark('{') || **t == Token::Mark(';'))
                == Some(&Token::Mark('{'));
        if is_pragma && (is_compute || is_definition) {
            let end = at + statement_length(&tokens[at..]);
            found.extend(&tokens[at..end]);
            at = end;
        }
    }
    found
}

/// How many tokens a statement has: a block, a loop with its body, or up to a semicolon.
fn statement_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0i32;
    let mut blocks = 0i32;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(') => depth += 1,
            Token::Mark(')') => depth -= 1,
            Token::Mark('{') => blocks += 1,
            Token::Mark('}') => {
                blocks -= 1;
                if blocks <= 0 {
                    return at + 1;
                }
            }
            Token::Mark(';') if depth == 0 && blocks == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

/// How often a kind is in regions, and how often that is in the kernels.
#[derive(Clone, Copy, Default)]
struct Share {
    all: usize,
    kept: usize,
}

/// Counts one source; `lost` gets what is not in the kernels.
fn count(
    source: &Path,
    kernels: &Path,
    shares: &mut BTreeMap<Kind, Share>,
    lost: &mut BTreeMap<String, String>,
) {
    let text = read(source).unwrap();
    let folder = source.parent().unwrap();
    let own = tokens(&text);
    let headers: Vec<String> = own
        .iter()
        .filter_map(|token| match token {
            Token::Directive(line) if line.contains("include") => line.split('"').nth(1),
            _ => None,
        })
        .filter_map(|name| read(&folder.join(name)).ok())
        .collect();
    let mut names = Names::default();
    headers.iter().for_each(|text| names.add(&tokens(text)));
    names.add(&own);
    let kernels = read(kernels).unwrap();
    let there = names.counted(&tokens(&kernels));
    let here = names.counted(&regions(&own));
    for (of, count) in here {
        let kept = count.min(there.get(&of).copied().unwrap_or(0));
        let share = shares.entry(of.0).or_default();
        share.all += count;
        share.kept += kept;
        if kept < count {
            let name = source.strip_prefix(root()).unwrap().display();
            let lost_ones = format!("{} of {count}", count - kept);
            lost.insert(format!("{name} | {:?} | {}", of.0, of.1), lost_ones);
        }
    }
}

/// Sources and their kernels; those of programs are written to the folder.
fn pairs(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let fixtures = cases(&root().join("tests/fixtures"), ".c").into_iter();
    let mut pairs: Vec<(PathBuf, PathBuf)> = fixtures
        .map(|(name, path)| (path, snapshot::folder().join(format!("{name}.acc.cu"))))
        .collect();
    for path in files_below(&root().join("benchmarks")) {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        if let (Some(stem), Some("c")) = (stem, path.extension().and_then(|e| e.to_str())) {
            let kernels = snapshot::folder().join(format!("benchmarks/{stem}.acc.cu"));
            pairs.push((path, kernels));
        }
    }
    pairs.retain(|(_, kernels)| kernels.is_file());
    let files = files_below(&root().join("tests/programs"));
    let headers = files
        .iter()
        .filter(|path| path.extension().is_some_and(|e| e == "h"));
    let folders: BTreeSet<&Path> = headers.filter_map(|path| path.parent()).collect();
    for path in &files {
        let is_c = path.extension().is_some_and(|e| e == "c");
        if !is_c || !read(path).unwrap().contains("#pragma acc parallel") {
            continue;
        }
        let own = folder.join(pairs.len().to_string());
        let mut translate = process::command(accrs());
        translate.arg("translate").arg(path).arg("-o").arg(&own);
        translate.args(folders.iter().map(|path| format!("-I{}", path.display())));
        process::succeed(&mut translate).unwrap();
        let stem = path.file_stem().unwrap();
        pairs.push((path.clone(), own.join(stem).with_extension("acc.cu")));
    }
    pairs
}

/// The list: what is lost, how often, and why.
fn listed(path: &Path) -> BTreeMap<String, (String, String)> {
    let text = read(path).unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let (rest, cause) = line.rsplit_once(" | ").unwrap();
        let (what, count) = rest.rsplit_once(" | ").unwrap();
        (what.to_owned(), (count.to_owned(), cause.to_owned()))
    };
    lines.map(entry).collect()
}

#[test]
fn kernels_have_the_users_text() {
    let mut shares = BTreeMap::new();
    let mut lost = BTreeMap::new();
    let folder = tempfile::tempdir().unwrap();
    let pairs = pairs(folder.path());
    assert!(pairs.len() > 200, "sources are missing");
    for (source, kernels) in &pairs {
        count(source, kernels, &mut shares, &mut lost);
    }
    for (kind, share) in &shares {
        println!("{kind:?}: {} of {}", share.kept, share.all);
    }
    let path = root().join("tests/kept_text/losses.txt");
    let mut causes = listed(&path);
    if snapshot::blessing() {
        let line = |(what, count): (&String, &String)| {
            let cause = causes.get(what).map_or("", |(_, cause)| cause.as_str());
            format!("{what} | {count} | {cause}\n")
        };
        let lines: String = lost.iter().map(line).collect();
        std::fs::write(&path, format!("{LIST_BEGINS}{lines}")).unwrap();
        causes = listed(&path);
    }
    for (what, count) in &lost {
        let known = causes.remove(what);
        let is_known = known.is_some_and(|(known, cause)| known == *count && !cause.is_empty());
        assert!(is_known, "lost without a cause: {what}: {count}");
    }
    assert!(causes.is_empty(), "no longer lost: {causes:?}");
    for kind in KINDS {
        let share = shares.get(&kind).copied().unwrap_or_default();
        assert!(share.all > 10, "{kind:?}: the test counts none");
        let percent = 100 * share.kept / share.all;
        assert!(percent >= LEAST, "{kind:?}: {percent} % are kept");
    }
}

/// The macros of a preprocessor's list, each with the words that it is replaced by.
fn macros(list: &str) -> BTreeMap<&str, Vec<&str>> {
    let lines = list
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let words = |text| {
        let words = tokens(text).into_iter().filter_map(|token| match token {
            Token::Word(word) => Some(word),
            _ => None,
        });
        words.collect::<Vec<_>>()
    };
    lines
        .map(|line| {
            let (name, rest) = line.split_at(line.find(|c| !is_word(c)).unwrap_or(line.len()));
            let (parameters, body) = match rest.strip_prefix('(') {
                Some(rest) => rest.split_once(')').unwrap_or((rest, "")),
                None => ("", rest),
            };
            let parameters = words(parameters);
            // Operands of `##` are not expanded.
            let parts: Vec<&str> = body.split("##").collect();
            let mut body = Vec::new();
            for (index, part) in parts.iter().enumerate() {
                let mut part = *part;
                if index > 0 {
                    part = part.trim_start().trim_start_matches(is_word);
                }
                if index + 1 < parts.len() {
                    part = part.trim_end().trim_end_matches(is_word);
                }
                body.extend(words(part));
            }
            body.retain(|word| !parameters.contains(word));
            (name, body)
        })
        .collect()
}

/// A macro of the user's is none of a kernel file where macros of the headers make its name, as
/// `__device__` makes `device`; and one that headers have is undefined first.
#[test]
fn macros_of_headers_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("header.cu");
    std::fs::write(&file, "#include \"accrs_device.hpp\"\n").unwrap();
    let include = root().join("runtime/include");
    let mut emulated = process::command("g++");
    emulated.args(["-std=c++17", "-E", "-dM", "-x", "c++", "-I"]);
    emulated.arg(&include).arg(&file);
    let mut gpu = process::command(nvcc::program().unwrap());
    gpu.args(["-E", "-Xcompiler", "-dM", "-I"]).arg(&include);
    gpu.arg(&file);
    let lists = [&mut emulated, &mut gpu].map(|command| process::succeed(command).unwrap().text());
    let lists = lists.each_ref().map(|list| macros(list));
    let mut kernels = files_below(&snapshot::folder());
    kernels.retain(|path| path.to_string_lossy().ends_with(".acc.cu"));
    let texts: Vec<String> = kernels.iter().map(|path| read(path).unwrap()).collect();
    let mut reached = BTreeSet::new();
    for macros in &lists {
        assert!(macros.len() > 1000, "the compiler tells of its macros");
        let used = texts.iter().flat_map(|text| tokens(text));
        let mut open: Vec<&str> = used
            .filter_map(|token| match token {
                Token::Word(word) if macros.contains_key(word) => Some(word),
                _ => None,
            })
            .collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = open.pop() {
            let body = macros.get(name).filter(|_| seen.insert(name));
            for &word in body.into_iter().flatten() {
                reached.insert(word);
                open.push(word);
            }
        }
    }
    assert!(reached.contains("device") && reached.contains("emulation"));
    let of_headers: BTreeSet<&str> = lists.iter().flat_map(|list| list.keys().copied()).collect();
    // Words of C would change the program itself.
    let of_c = "char const double else extern float for if int long return short signed static \
                unsigned void volatile while do";
    let of_c: Vec<&str> = of_c.split_whitespace().collect();
    let names = reached.union(&of_headers).copied();
    let names = names.filter(|name| !of_c.contains(name) && !name.starts_with("__"));
    let mut program = String::from("#define dt 1\n");
    let mut body = String::from("        a[i] += dt;\n");
    for name in names {
        program += &format!("#undef {name}\n#define {name} 1\n");
        body += &format!("        a[i] += {name};\n");
    }
    program += "int main(void)\n{\n    int a[64] = {0};\n\
                #pragma acc parallel loop copy(a)\n    for (int i = 0; i < 64; i++) {\n";
    program += &body;
    program += "    }\n    return a[0] == 0;\n}\n";
    std::fs::write(folder.path().join("program.c"), program).unwrap();
    let mut translate = process::command(accrs());
    translate.current_dir(folder.path());
    process::succeed(translate.args(["translate", "program.c"])).unwrap();
    let kernels = read(&folder.path().join("program.acc.cu")).unwrap();
    let mut undefined = None;
    let mut wrong = Vec::new();
    let mut kept = 0;
    for line in kernels.lines() {
        if let Some(name) = line
            .strip_prefix("#define ")
            .and_then(|rest| rest.split(' ').next())
        {
            kept += 1;
            if reached.contains(name) || of_headers.contains(name) && undefined != Some(name) {
                wrong.push(name);
            }
        }
        undefined = line.strip_prefix("#undef ");
    }
    assert!(wrong.is_empty(), "{wrong:?}");
    assert!(kept > 100, "macros are kept");
}

#[test]
fn the_lexer_tells_tokens_apart() {
    let text = "x = 0x1F + 1e-3f*'a'; // c\n#pragma acc parallel /* two\nlines */ \\\n  loop // e\n\
                \"s\" /* d */";
    let found = tokens(text);
    let wanted = [
        Token::Word("x"),
        Token::Mark('='),
        Token::Number("0x1F"),
        Token::Mark('+'),
        Token::Number("1e-3f"),
        Token::Mark('*'),
        Token::Character("'a'"),
        Token::Mark(';'),
        Token::Comment("// c"),
        Token::Directive("#pragma acc parallel /* two\nlines */ \\\n  loop // e"),
        Token::String("\"s\""),
        Token::Comment("/* d */"),
    ];
    assert_eq!(found, wanted);
}
