//! Replacements in the original bytes.

use std::ops::Range;

use super::indentation::shifted_bytes;
use crate::source::{Beside, SourceFile};

/// What to replace in a file.
pub struct Edits<'a> {
    file: &'a SourceFile,
    bytes: &'a [u8],
    steps: Vec<Steps>,
    /// Whether `#line` marks are asked for.
    line_marks: bool,
    /// What is said where the text of an included file begins or ends.
    joints: Vec<(usize, String)>,
    list: Vec<Edit>,
}

struct Edit {
    range: Range<usize>,
    text: String,
    /// What becomes of the lines behind it.
    lines: Lines,
    /// Among edits of one place: the order in which they were made.
    order: usize,
}

/// What an edit says of the lines behind it.
enum Lines {
    Stay,
    /// They stand behind these blanks, up to where it ends.
    Shift(String),
    EndShift,
}

/// Text before a place of the file.
#[derive(Clone, Debug)]
pub struct Insertion {
    /// The place.
    pub at: usize,
    /// The text.
    pub text: String,
}

impl<'a> Edits<'a> {
    /// No edits of this file yet but for lines that are put in where the text
    /// of an included file begins or ends.
    pub fn new(file: &'a SourceFile, joints: Vec<(usize, String)>, line_marks: bool) -> Self {
        Self {
            file,
            bytes: &file.bytes,
            steps: steps(&file.bytes),
            line_marks,
            joints,
            list: Vec::new(),
        }
    }

    /// Replaces a range. What lies within a range replaced by another edit is
    /// dropped with it.
    pub fn replace(&mut self, range: Range<usize>, text: String) {
        self.edit(range, text, Lines::Stay);
    }

    fn edit(&mut self, range: Range<usize>, text: String, lines: Lines) {
        let order = self.list.len();
        self.list.push(Edit {
            range,
            text,
            lines,
            order,
        });
    }

    /// Moves the lines that begin in a range behind more blanks, with what becomes of them; what
    /// was inserted at its end up to now stays.
    pub fn shift(&mut self, range: Range<usize>, by: &str) {
        if !self.line_marks {
            let (start, end) = (range.start, range.end);
            self.edit(start..start, String::new(), Lines::Shift(by.to_string()));
            self.edit(end..end, String::new(), Lines::EndShift);
        }
    }

    /// Inserts on a line of its own behind `at`; of several at one place, the
    /// one made last comes first: inner regions end before outer ones.
    pub fn insert(&mut self, at: usize, text: String) {
        let text = format!("\n{text}");
        self.replace(at..at, text);
    }

    /// Inserts before `at`, which goes on in a new line.
    pub fn insert_before(&mut self, at: usize, text: String) {
        let text = format!("{text}\n{}", self.indent(at));
        self.replace(at..at, text);
    }

    /// Inserts text as it is.
    pub fn put_in(&mut self, insertion: Insertion) {
        self.replace(insertion.at..insertion.at, insertion.text);
    }

    /// Whether nothing but blanks stands before a place on its line.
    pub fn begins_line(&self, at: usize) -> bool {
        let blank = |b: &&u8| matches!(b, b' ' | b'\t');
        let before = self.bytes[..at].iter().rev().find(|b| !blank(b));
        before.is_none_or(|b| *b == b'\n')
    }

    /// Original bytes.
    pub fn bytes(&self, range: Range<usize>) -> &'a [u8] {
        &self.bytes[range]
    }

    /// The blanks that code in place of a directive stands behind: those before the
    /// directive or, where it stands at the margin, those of the statements around it.
    /// Also the part of them that is not in the text.
    pub fn depth(&self, directive: usize, beside: Option<Beside>) -> (String, String) {
        let own = self.indent(directive);
        if !own.is_empty() || !self.begins_line(directive) {
            return (own, String::new());
        }
        let around = match beside {
            Some(Beside::Statement(at)) => self.indent(at),
            Some(Beside::Block(at)) => {
                let outer = self.indent(at);
                outer.clone() + self.step(&outer)
            }
            None => String::new(),
        };
        (around.clone(), around)
    }

    /// What one level more is, behind these blanks: a tab where the user has tabs.
    pub fn step(&self, indent: &str) -> &'static str {
        let seen = self.steps.get(indent.len()).unwrap_or(&Steps::NONE);
        let has_tabs = match indent.is_empty() {
            true => seen.tabs > seen.blanks,
            false => indent.bytes().all(|b| b == b'\t') && seen.tabs >= seen.blanks,
        };
        if has_tabs { "\t" } else { "    " }
    }

    /// The end of the comment that stands behind a place on its line, with nothing behind it;
    /// else the place.
    pub fn behind_comment(&self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
        let line = rest[..end].trim_ascii();
        let inner = line.strip_prefix(b"/*").and_then(|l| l.strip_suffix(b"*/"));
        let is_closed = inner.is_some_and(|inner| !inner.windows(2).any(|pair| pair == b"*/"));
        let is_whole = line.starts_with(b"//") && !line.ends_with(b"\\") || is_closed;
        if is_whole {
            at + rest[..end].trim_ascii_end().len()
        } else {
            at
        }
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

    /// Original text, one byte a character where it is no UTF-8, with other text in place
    /// of some pieces of it; lines of pieces in whose place nothing stands go with them, or
    /// stay as empty ones where marks count them. With what is inserted.
    pub fn with(
        &self,
        range: Range<usize>,
        pieces: &[(Range<usize>, String)],
        insertions: &[Insertion],
    ) -> String {
        let keep_lines = self.line_marks;
        let mut text = String::new();
        let mut at = range.start;
        let mut gap = false;
        let inserted = insertions.iter().map(|i| (i.at..i.at, i.text.as_str()));
        let replaced = pieces
            .iter()
            .map(|(piece, by)| (piece.clone(), by.as_str()));
        let mut all: Vec<(Range<usize>, &str)> = replaced.chain(inserted).collect();
        all.sort_by_key(|(piece, _)| (piece.start, piece.end));
        for (piece, by) in all.into_iter().chain([(range.end..range.end, "")]) {
            let mut kept = self.joined(at..piece.start);
            if gap && !keep_lines {
                kept = without_blank_line(&mut text, &kept);
            }
            text.push_str(&kept);
            text.push_str(by);
            let lines = self.bytes[piece.clone()].iter().filter(|b| **b == b'\n');
            if keep_lines {
                text.extend(lines.map(|_| '\n'));
            }
            at = piece.end;
            gap = by.is_empty();
        }
        text.trim_end().to_string()
    }

    /// Original text and what is said within it where included files begin and
    /// end.
    fn joined(&self, range: Range<usize>) -> String {
        let mut text = String::new();
        let mut at = range.start;
        let within = |place: usize| range.start < place && place < range.end;
        for (place, joint) in self.joints.iter().filter(|(place, _)| within(*place)) {
            text.push_str(&crate::source::decode_bytes(&self.bytes[at..*place]));
            text.push_str(joint);
            text.push_str(&self.after_joint(*place));
            at = *place;
        }
        text.push_str(&crate::source::decode_bytes(&self.bytes[at..range.end]));
        text
    }

    /// What parts the line about an included file from the text that follows.
    fn after_joint(&self, place: usize) -> String {
        match self.bytes.get(place) {
            _ if self.line_marks => format!("\n{}", self.mark(place)),
            // the end of the line that includes it
            None | Some(b'\n' | b'\r') => String::new(),
            _ => "\n".to_string(),
        }
    }

    /// A mark for the line of a place.
    pub fn mark(&self, at: usize) -> String {
        let (file, offset) = self.file.origin(at);
        let (line, path) = file.presumed_line(offset);
        line_mark(line, &path)
    }

    /// Writes the edited bytes. `#line` marks keep the numbers of the original's
    /// lines.
    pub fn apply(mut self, out: &mut Vec<u8>) {
        let joints = std::mem::take(&mut self.joints);
        // of several at one place, the one made last comes first
        for (place, text) in joints.iter().rev() {
            self.replace(*place..*place, text.clone());
        }
        let is_joint =
            |edit: &Edit| edit.range.is_empty() && joints.iter().any(|j| j.0 == edit.range.start);
        let mut list = std::mem::take(&mut self.list);
        list.sort_by_key(|e| (e.range.start, e.range.end, std::cmp::Reverse(e.order)));
        let mut shifts: Vec<(usize, &str)> = Vec::new();
        let mut at = 0;
        // A byte-order mark would stand in the middle of the output.
        if self.bytes.starts_with(b"\xef\xbb\xbf") {
            at = 3;
        }
        if self.line_marks {
            out.extend_from_slice(self.mark(at).as_bytes());
        }
        for edit in &list {
            if edit.range.start < at {
                continue;
            }
            out.extend_from_slice(&self.bytes[at..edit.range.start]);
            out.extend_from_slice(&crate::source::encode_bytes(&edit.text));
            at = edit.range.end;
            match &edit.lines {
                Lines::Stay => {}
                Lines::Shift(by) => shifts.push((out.len(), by)),
                Lines::EndShift => {
                    if let Some((start, by)) = shifts.pop() {
                        let lines = out.split_off(start);
                        out.extend(shifted_bytes(&lines, by));
                    }
                }
            }
            if is_joint(edit) {
                out.extend_from_slice(self.after_joint(at).as_bytes());
            } else if self.line_marks {
                self.resume(out, edit);
            }
        }
        out.extend_from_slice(&self.bytes[at..]);
    }

    /// A mark for the text after an edit, if line numbers moved.
    fn resume(&self, out: &mut Vec<u8>, edit: &Edit) {
        let text = self.bytes[edit.range.clone()].iter();
        let before = text.filter(|b| **b == b'\n').count();
        let after = edit.text.bytes().filter(|b| *b == b'\n').count();
        if before == after && !edit.text.contains(LINE) {
            return;
        }
        out.push(b'\n');
        out.extend_from_slice(self.mark(edit.range.end).as_bytes());
    }
}

/// A text whose lines end as the first line of a file does.
pub fn with_ends_of(file: &[u8], text: Vec<u8>) -> Vec<u8> {
    let first = file.iter().position(|b| *b == b'\n').unwrap_or_default();
    if !file[..first].ends_with(b"\r") {
        return text;
    }
    let mut out = Vec::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive(|b| *b == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) if !line.ends_with(b"\r") => {
                out.extend_from_slice(line);
                out.extend_from_slice(b"\r\n");
            }
            _ => out.extend_from_slice(line),
        }
    }
    out
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

/// How many lines go on with a tab, and how many with two blanks, behind some tabs.
#[derive(Clone, Copy)]
struct Steps {
    tabs: usize,
    blanks: usize,
}

impl Steps {
    const NONE: Self = Self { tabs: 0, blanks: 0 };
}

/// Those of a file by the number of tabs.
fn steps(bytes: &[u8]) -> Vec<Steps> {
    let mut steps = Vec::new();
    for line in bytes.split(|b| *b == b'\n') {
        let tabs = line.iter().take_while(|b| **b == b'\t').count();
        if steps.len() <= tabs {
            steps.resize(tabs + 1, Steps::NONE);
        }
        steps[..tabs].iter_mut().for_each(|step| step.tabs += 1);
        steps[tabs].blanks += usize::from(line[tabs..].starts_with(b"  "));
    }
    steps
}

const LINE: &str = "#line ";

fn line_mark(line: u32, path: &str) -> String {
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{LINE}{line} \"{path}\"\n")
}
