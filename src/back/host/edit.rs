//! Replacements in the original bytes.

use std::ops::Range;

/// What to replace in a file.
pub struct Edits<'a> {
    bytes: &'a [u8],
    list: Vec<Edit>,
}

struct Edit {
    range: Range<usize>,
    text: String,
    /// Among edits of one place: the order in which they were made.
    order: usize,
}

impl<'a> Edits<'a> {
    /// No edits of these bytes yet.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            list: Vec::new(),
        }
    }

    /// Replaces a range. What lies within a range replaced by another edit is
    /// dropped with it.
    pub fn replace(&mut self, range: Range<usize>, text: String) {
        let order = self.list.len();
        self.list.push(Edit { range, text, order });
    }

    /// Inserts on a line of its own behind `at`; of several at one place, the
    /// one made last comes first: inner regions end before outer ones.
    pub fn insert(&mut self, at: usize, text: String) {
        let text = format!("\n{text}");
        self.replace(at..at, text);
    }

    /// Removes a directive, its line break left in place.
    pub fn remove(&mut self, range: Range<usize>) {
        self.replace(range, String::new());
    }

    /// Original bytes.
    pub fn bytes(&self, range: Range<usize>) -> &'a [u8] {
        &self.bytes[range]
    }

    /// The blanks before a place on its line.
    pub fn indent(&self, at: usize) -> String {
        let start = self.bytes[..at]
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |i| i + 1);
        self.bytes[start..at]
            .iter()
            .map_while(|b| matches!(b, b' ' | b'\t').then_some(*b as char))
            .collect()
    }

    /// Original text, one byte a character where it is no UTF-8, without some pieces of it; their lines go with them, or
    /// stay as empty ones to keep the numbers of those after.
    pub fn without(
        &self,
        range: Range<usize>,
        pieces: &[Range<usize>],
        keep_lines: bool,
    ) -> String {
        let mut text = String::new();
        let mut at = range.start;
        let mut gap = false;
        for piece in pieces.iter().chain([&(range.end..range.end)]) {
            let mut kept = crate::source::decode_bytes(&self.bytes[at..piece.start]).to_string();
            if gap && !keep_lines {
                kept = without_blank_line(&mut text, &kept);
            }
            text.push_str(&kept);
            let lines = self.bytes[piece.clone()].iter().filter(|b| **b == b'\n');
            if keep_lines {
                text.extend(lines.map(|_| '\n'));
            }
            at = piece.end;
            gap = true;
        }
        text.trim_end().to_string()
    }

    /// A mark for the line of a place.
    pub fn mark(&self, at: usize, path: &str) -> String {
        let before = self.bytes[..at].iter().filter(|b| **b == b'\n').count();
        line_mark(before + 1, path)
    }

    /// Writes the edited bytes. With a path, `#line` marks keep the numbers of
    /// the original's lines.
    pub fn apply(mut self, out: &mut Vec<u8>, path: Option<&str>) {
        self.list
            .sort_by_key(|e| (e.range.start, e.range.end, std::cmp::Reverse(e.order)));
        let mut at = 0;
        // A byte-order mark would stand in the middle of the output.
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            at = 3;
        }
        if let Some(path) = path {
            out.extend_from_slice(line_mark(1, path).as_bytes());
        }
        for edit in &self.list {
            if edit.range.start < at {
                continue;
            }
            out.extend_from_slice(&self.bytes[at..edit.range.start]);
            out.extend_from_slice(&crate::source::encode_bytes(&edit.text));
            at = edit.range.end;
            if let Some(path) = path {
                self.resume(out, edit, path);
            }
        }
        out.extend_from_slice(&self.bytes[at..]);
    }

    /// A mark for the text after an edit, if line numbers moved.
    fn resume(&self, out: &mut Vec<u8>, edit: &Edit, path: &str) {
        let before = self.bytes[edit.range.clone()]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        let after = edit.text.bytes().filter(|b| *b == b'\n').count();
        if before == after && !edit.text.contains(LINE) {
            return;
        }
        let line = self.bytes[..edit.range.end]
            .iter()
            .filter(|b| **b == b'\n')
            .count()
            + 1;
        out.push(b'\n');
        out.extend_from_slice(line_mark(line, path).as_bytes());
    }
}

/// If what stands before and behind a gap leaves a line blank, that line goes.
fn without_blank_line(before: &mut String, behind: &str) -> String {
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let is_blank = before[start..].chars().all(|c| c == ' ' || c == '\t');
    match behind.split_once('\n') {
        Some((rest, next)) if is_blank && rest.trim().is_empty() => {
            before.truncate(start);
            next.to_string()
        }
        _ => behind.to_string(),
    }
}

const LINE: &str = "#line ";

fn line_mark(line: usize, path: &str) -> String {
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{LINE}{line} \"{path}\"\n")
}
