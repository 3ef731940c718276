//! Macros in directives that are not lines of the main file.
//!
//! A compiler that does not know OpenACC expands no macro in what it prints as
//! `#pragma acc …`, be it from `_Pragma` or from a header. Where such a
//! directive may hold one, the marked copy goes through the preprocessor once
//! more, with the directive's text as ordinary tokens behind the next marker:
//! there the macros are those of its place (for a header: those that the
//! header leaves behind).
//!
//! ```c
//! #define LOOP(n) _Pragma(#n)
//! LOOP(acc loop gang(N))      first run:  #pragma acc loop gang(N)
//! for (;;) {                  second run: {__accrs_m59 __accrs_expand0 loop gang(8) __accrs_pragma_end
//! ```

use std::path::Path;

use super::lexer::{self, TokenKind};
use super::markers::{DIRECTIVE_END, Marked};
use super::preprocess::Preprocessor;
use super::strip::{self, DirectiveMark, Marker, Stripped};

/// What begins a text to be expanded; its directive's number follows.
const EXPAND: &str = "__accrs_expand";

/// Words that are taken for no macro, so that `routine seq` in a header does
/// not cost a second run.
const WORDS: &[&str] = &[
    "auto",
    "data",
    "gang",
    "independent",
    "kernels",
    "loop",
    "parallel",
    "routine",
    "seq",
    "serial",
    "vector",
    "wait",
    "worker",
];

/// The bodies, macros expanded, of the directives that are lines of the
/// preprocessor's output. `None` where there is nothing to expand, or the
/// second run fails: then the bodies stay as they are.
pub fn bodies(
    stripped: &Stripped,
    copy: &Marked,
    preprocessor: &Preprocessor,
    path: &Path,
) -> Option<Vec<Option<String>>> {
    let lines = stripped
        .tables
        .directives
        .iter()
        .filter(|d| d.source.is_none());
    let texts: Vec<(&DirectiveMark, &str)> = lines.map(|d| (d, body(stripped, d))).collect();
    let mut insertions: Vec<(usize, usize, &str)> = (texts.iter().enumerate())
        .filter(|(_, (_, text))| may_hold_macro(text))
        .map(|(number, (mark, text))| (place(stripped, copy, mark), number, *text))
        .collect();
    if insertions.is_empty() {
        return None;
    }
    insertions.sort_unstable();
    let input = with_insertions(&copy.text, &insertions);
    let output = preprocessor.run(path, &input).ok()?;
    let expanded = strip::strip(&output, "", &[], &[]).text;
    let mut result = vec![None; texts.len()];
    for piece in expanded.split(EXPAND).skip(1) {
        let Some((number, rest)) = piece.split_once(' ') else {
            continue;
        };
        let Some((text, _)) = rest.split_once(DIRECTIVE_END) else {
            continue;
        };
        if let Some(slot) = number.parse().ok().and_then(|n: usize| result.get_mut(n)) {
            *slot = Some(format!(" {}", text.trim().replace('\n', " ")));
        }
    }
    Some(result)
}

/// The copy with texts to be expanded, each at its place.
fn with_insertions(copy: &[u8], insertions: &[(usize, usize, &str)]) -> Vec<u8> {
    let mut input = Vec::with_capacity(copy.len() + 100 * insertions.len());
    let mut copied = 0;
    for &(at, number, text) in insertions {
        input.extend_from_slice(&copy[copied..at]);
        let words = format!(" {EXPAND}{number} {text} {DIRECTIVE_END} ");
        input.extend_from_slice(words.as_bytes());
        copied = at;
    }
    input.extend_from_slice(&copy[copied..]);
    input
}

/// What stands between a directive's marks.
fn body<'a>(stripped: &'a Stripped, mark: &DirectiveMark) -> &'a str {
    let text = &stripped.text[mark.span.start as usize..mark.span.end as usize];
    let text = text.strip_suffix(DIRECTIVE_END).unwrap_or(text);
    text.split_once(' ').map_or("", |(_, body)| body.trim())
}

fn may_hold_macro(text: &str) -> bool {
    let tokens = lexer::lex_fragment(text.as_bytes(), 0..text.len()).tokens;
    let word = |t: &lexer::Token| &text[t.start as usize..t.end as usize];
    tokens
        .iter()
        .any(|t| t.kind == TokenKind::Identifier && !WORDS.contains(&word(t)))
}

/// Where in the copy a directive's text is expanded: behind the marker that
/// follows it.
fn place(stripped: &Stripped, copy: &Marked, mark: &DirectiveMark) -> usize {
    let markers: &[Marker] = &stripped.tables.markers;
    let next = markers.partition_point(|c| c.at < mark.span.end);
    let offset = markers[next..].iter().find(|c| !c.edge).map(|c| c.offset);
    let index = offset.and_then(|o| copy.markers.binary_search_by_key(&o, |c| c.0).ok());
    index.map_or(copy.text.len(), |i| copy.markers[i].1)
}
