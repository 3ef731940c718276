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

    /// Original text, one byte a character where it is no UTF-8.
    pub fn original(&self, range: Range<usize>) -> String {
        crate::source::decode_bytes(&self.bytes[range])
            .trim_matches('\n')
            .to_string()
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
        if before == after {
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

fn line_mark(line: usize, path: &str) -> String {
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!("#line {line} \"{path}\"\n")
}
