//! Edits of a text at places of it.
//!
//! New lines may stand in the text for a person to read, or on the lines that are there, so that
//! these keep their numbers.

use std::ops::Range;

use super::scopes::written;

/// Where a new line begins, in what is put into a text.
const BREAK: char = '\u{b}';

/// How much a block is indented.
const STEP: &str = "    ";

/// What becomes of new lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// They are lines.
    New,
    /// They are on the line where they are put.
    Kept,
}

/// What to put in the place of which bytes.
#[derive(Debug, Default)]
pub struct Edits(Vec<(Range<usize>, Vec<u8>)>);

impl Edits {
    /// Adds others of the same text.
    pub fn extend(&mut self, others: Self) {
        self.0.extend(others.0);
    }

    /// Puts a text before a place.
    pub fn insert(&mut self, at: usize, text: &str) {
        self.replace(at..at, text);
    }

    /// Puts a text in the place of a range.
    pub fn replace(&mut self, range: Range<usize>, text: &str) {
        self.0
            .push((range, written(text).into_owned().into_bytes()));
    }

    /// Puts lines before the statement at a place.
    pub fn insert_lines(&mut self, text: &[u8], at: usize, lines: &[String]) {
        let indent = indent(text, at);
        let all: String = lines
            .iter()
            .map(|line| format!("{line}{BREAK}{indent}"))
            .collect();
        self.insert(at, &all);
    }

    /// Puts lines behind a place, indented so.
    pub fn append_lines(&mut self, at: usize, lines: &[String], indent: &str) {
        let all: String = lines
            .iter()
            .map(|line| format!("{BREAK}{indent}{line}"))
            .collect();
        self.insert(at, &all);
    }

    /// Begins a block with lines before the statement at a place, which the last of them governs where
    /// that is an `if`.
    pub fn open_block(&mut self, text: &[u8], at: usize, lines: &[String]) {
        let indent = indent(text, at);
        let all: String = lines
            .iter()
            .map(|line| format!("{BREAK}{indent}{STEP}{line}"))
            .collect();
        let governor = lines.last().map_or("", String::as_str);
        let deeper = &governor[..governor.len() - governor.trim_start().len()];
        let own = match governor.trim_start().starts_with("if ") {
            true => STEP,
            false => "",
        };
        let inner = format!("{indent}{STEP}{deeper}{own}");
        self.insert(at, &format!("{{{all}{BREAK}{inner}"));
    }

    /// Ends the block that was begun at `at` behind `end`, after lines.
    pub fn close_block(&mut self, text: &[u8], at: usize, end: usize, lines: &[String]) {
        let indent = indent(text, at);
        let all: String = lines
            .iter()
            .map(|line| format!("{BREAK}{indent}{STEP}{line}"))
            .collect();
        self.insert(end, &format!("{all}{BREAK}{indent}}}"));
    }

    /// Moves the lines that begin in a range one step to the right; directives stay.
    pub fn indent(&mut self, text: &[u8], range: Range<usize>) {
        for end in memchr::memchr_iter(b'\n', &text[range.clone()]) {
            let line = range.start + end + 1;
            let rest = text.get(line..range.end).unwrap_or_default();
            let first = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
            if first.is_some_and(|byte| !matches!(byte, b'\n' | b'\r' | b'#')) {
                self.insert(line, STEP);
            }
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text with them; without those that lie in others, as they can only
    /// in a text that means nothing.
    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        self.apply_with(text, Lines::Kept)
    }

    /// The same, with new lines as it is said.
    pub fn apply_with(&self, text: &[u8], lines: Lines) -> Vec<u8> {
        let mut all: Vec<_> = self.0.iter().collect();
        all.sort_by_key(|(range, _)| (range.start, range.end));
        let mut result = Vec::with_capacity(text.len() + 64 * self.0.len());
        let mut done = 0;
        for (range, with) in all {
            if range.start < done {
                continue;
            }
            result.extend(&text[done..range.start]);
            result.extend(broken(with, lines));
            done = range.end;
        }
        result.extend(&text[done..]);
        result
    }
}

/// The white space before a statement that begins its line.
pub fn indent(text: &[u8], at: usize) -> String {
    let line = memchr::memrchr(b'\n', &text[..at]).map_or(0, |end| end + 1);
    let before = String::from_utf8_lossy(&text[line..at]);
    let blank = before.len() - before.trim_start().len();
    before[..blank].to_owned()
}

/// With new lines, or white space in their places.
fn broken(text: &[u8], lines: Lines) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    let mut parts = text.split(BREAK);
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match lines {
            Lines::New => all = all.trim_end_matches(' ').to_owned() + "\n" + part,
            Lines::Kept => all = all + " " + part.trim_start(),
        }
    }
    all.into_bytes()
}
