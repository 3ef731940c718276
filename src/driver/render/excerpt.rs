//! Files as diagnostics show them: lines, columns, and pieces of long lines.
//!
//! Nothing here assumes that a file is UTF-8, ends its lines with `\n` alone
//! or has lines of reasonable length.

use std::ops::Range;

/// A line longer than this many bytes is shown in part.
const LONG_LINE: usize = 200;
/// How much of a long line is shown before the first mark.
const BEFORE_MARK: usize = 60;

/// The UTF-8 byte-order mark, which is no column of the first line.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file that a diagnostic points into.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    bytes: Vec<u8>,
    /// Offset of the first byte of each line.
    starts: Vec<usize>,
}

/// A file's range.
#[derive(Clone, Debug)]
pub struct Location {
    /// The file.
    pub file: std::sync::Arc<SourceFile>,
    /// The bytes of it.
    pub range: Range<usize>,
}

impl SourceFile {
    /// A file by the name that messages give it.
    pub fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let mut starts = vec![if bytes.starts_with(BYTE_ORDER_MARK) {
            BYTE_ORDER_MARK.len()
        } else {
            0
        }];
        starts.extend(memchr::memchr_iter(b'\n', &bytes).map(|offset| offset + 1));
        Self {
            name: name.into(),
            bytes,
            starts,
        }
    }

    /// The name that messages give it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Index of the line that holds a byte; the last one for any offset
    /// behind the end.
    pub fn line(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|start| *start <= offset)
            .saturating_sub(1)
    }

    /// Where a line starts.
    pub fn line_start(&self, line: usize) -> usize {
        self.starts
            .get(line)
            .copied()
            .unwrap_or(self.bytes.len())
            .min(self.bytes.len())
    }

    /// The bytes of a line without its end.
    pub fn line_bytes(&self, line: usize) -> &[u8] {
        let end = self
            .starts
            .get(line + 1)
            .map_or(self.bytes.len(), |next| next - 1);
        let text = &self.bytes[self.line_start(line).min(end)..end];
        text.strip_suffix(b"\r").unwrap_or(text)
    }

    /// Where a line's text is, without its indentation and end.
    pub fn trimmed_line(&self, line: usize) -> Range<usize> {
        let text = self.line_bytes(line);
        let indentation = text.len() - text.trim_ascii_start().len();
        let end = self.line_start(line) + text.trim_ascii_end().len();
        (self.line_start(line) + indentation).min(end)..end
    }

    /// The number of characters before an offset in its line; bytes that are
    /// not UTF-8 count as one character each piece.
    pub fn column(&self, offset: usize) -> usize {
        let start = self.line_start(self.line(offset));
        let end = offset.clamp(start, self.bytes.len());
        String::from_utf8_lossy(&self.bytes[start..end])
            .chars()
            .count()
    }

    /// A range cut to the line it starts on.
    pub fn within_line(&self, range: &Range<usize>) -> Range<usize> {
        let line = self.line(range.start.min(self.bytes.len()));
        let start = self.line_start(line);
        let end = start + self.line_bytes(line).len();
        let from = range.start.clamp(start, end);
        from..range.end.clamp(from, end)
    }
}

/// A line made fit to be shown, and where ranges of it lie in that text.
///
/// `marks` are byte ranges of `line`. Bytes that are no UTF-8 become
/// replacement characters; of a long line only the part around the first mark
/// is kept.
pub fn shown_line(line: &[u8], marks: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    let window = window(line, marks.iter().map(|mark| mark.start).min().unwrap_or(0));
    let mut shown = String::new();
    if window.start > 0 {
        shown.push('…');
    }
    // Where each character came from and where it went.
    let mut places = Vec::new();
    let mut offset = window.start;
    for chunk in line[window.clone()].utf8_chunks() {
        for character in chunk.valid().chars() {
            places.push((offset, shown.len()));
            shown.push(character);
            offset += character.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            places.push((offset, shown.len()));
            shown.push(char::REPLACEMENT_CHARACTER);
            offset += chunk.invalid().len();
        }
    }
    places.push((offset, shown.len()));
    let end = shown.len();
    if window.end < line.len() {
        shown.push('…');
    }
    let locate = |offset: usize| {
        let next = places.partition_point(|(from, _)| *from < offset);
        places.get(next).map_or(end, |(_, to)| *to)
    };
    let marks = marks
        .iter()
        .map(|mark| locate(mark.start)..locate(mark.end))
        .collect();
    (shown, marks)
}

/// The part of a line to show, on character boundaries.
fn window(line: &[u8], mark: usize) -> Range<usize> {
    if line.len() <= LONG_LINE {
        return 0..line.len();
    }
    let boundary = |mut offset: usize| {
        while offset > 0 && line.get(offset).is_some_and(|byte| byte & 0xc0 == 0x80) {
            offset -= 1;
        }
        offset
    };
    let start = boundary(mark.saturating_sub(BEFORE_MARK).min(line.len()));
    start..boundary((start + LONG_LINE).min(line.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns() {
        let file = SourceFile::new("a.c", b"\xef\xbb\xbfint a;\r\n\tint \xc3\xa4 b;\n".to_vec());
        assert_eq!((file.line(3), file.column(3)), (0, 0));
        assert_eq!(file.line_bytes(0), b"int a;");
        let b = 3 + 8 + 1 + 4 + 3;
        assert_eq!((file.line(b), file.column(b)), (1, 7));
        assert_eq!(file.line(10_000), 2);
        assert_eq!(file.column(10_000), 0);
    }

    #[test]
    fn empty_file_has_one_line() {
        let file = SourceFile::new("a.c", Vec::new());
        assert_eq!((file.line(0), file.line_bytes(0)), (0, &b""[..]));
        assert_eq!(file.within_line(&(5..9)), 0..0);
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let line = "ä".repeat(1000) + "HERE" + &"z".repeat(1000);
        let at = 2000..2004;
        let (shown, marks) = shown_line(line.as_bytes(), std::slice::from_ref(&at));
        assert_eq!(&shown[marks[0].clone()], "HERE");
        assert!(shown.starts_with('…') && shown.ends_with('…'));
        assert!(shown.len() < LONG_LINE + 10);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let (shown, marks) = shown_line(b"a \xff\xfe b", std::slice::from_ref(&(5..6)));
        assert_eq!(shown, "a \u{fffd}\u{fffd} b");
        assert_eq!(&shown[marks[0].clone()], "b");
    }

    #[test]
    fn ranges_end_with_their_line() {
        let file = SourceFile::new("a.c", b"one\r\ntwo\n".to_vec());
        assert_eq!(file.within_line(&(1..7)), 1..3);
        assert_eq!(file.within_line(&(6..100)), 6..8);
    }
}
