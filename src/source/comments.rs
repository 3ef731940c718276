//! Comments and blank lines around statements, as the user wrote them.
//!
//! Input: a statement's span and the [`Alignment`] of the text around it. Output: what
//! stands before its first token, back to the token before that, and the comment on
//! the line on which it ends. Directives between are passed over.
//!
//! ```c
//! x = 1;   // of x
//!
//! /* Now y. */
//! y = 2;   // of y       before: a blank line, the comment; behind: `// of y`
//! ```

use std::ops::Range;

use super::alignment::{Alignment, Origin, Raw, RawToken};
use super::lexer::{self, TokenKind};
use super::macro_expanded::EXPANDED;
use super::span::Span;
use super::unit::TranslationUnit;

/// What stands between two statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// One blank line or more.
    Blank,
    /// A comment: where it begins, and its lines, of which the later ones are as far to the
    /// right of the first as the user has them.
    Comment(Origin, Vec<String>),
}

impl TranslationUnit {
    /// What stands before a statement, and where its first token begins.
    /// What lies before `floor` in the text belongs to others.
    pub fn notes_before(
        &self,
        known: &Alignment,
        span: Span,
        floor: u32,
    ) -> Option<(Origin, Vec<Note>)> {
        let first = known.first_raw(span)?;
        let raw = self.raw(known, first.file);
        let place = Origin::new(first.file, raw.tokens.get(first.index)?.start as usize);
        let mut notes = Vec::new();
        let mut index = first.index;
        loop {
            let end = raw.tokens.get(index)?.start as usize;
            let previous = index.checked_sub(1).and_then(|i| raw.tokens.get(i));
            let start = previous.map_or(0, |token| token.end as usize);
            let is_directive = previous.is_some_and(|t| t.kind == TokenKind::Directive);
            // Behind a head, on its line, a comment is about what follows.
            let before = raw.text(index.checked_sub(1));
            let is_head = matches!(before, b"{" | b")" | b"else" | b"do");
            let mut between = raw.notes(start..end, is_directive || is_head);
            between.append(&mut notes);
            notes = between;
            // The block that a directive governs is not printed, nor what stands between a head
            // and its brace.
            let is_pragma = |index: Option<usize>| self.is_pragma(raw, index, floor);
            let opens_block = before == b"{";
            let is_of_head = matches!(raw.text(index.checked_sub(2)), b")" | b"else" | b"do");
            let passes = is_pragma(index.checked_sub(1))
                || opens_block && (is_of_head || is_pragma(index.checked_sub(2)));
            if !passes {
                break;
            }
            index -= 1;
        }
        Some((place, notes))
    }

    /// The comments between the last statement of a block and its brace, but for the one on the
    /// statement's own line.
    pub fn notes_after(&self, known: &Alignment, span: Span) -> Vec<Note> {
        let Some(last) = known.last_raw(span) else {
            return Vec::new();
        };
        let raw = self.raw(known, last.file);
        match raw.tokens.get(last.index..last.index + 2) {
            Some([last, next]) if next.text(raw.bytes) == b"}" => {
                raw.notes(last.end as usize..next.start as usize, false)
            }
            _ => Vec::new(),
        }
    }

    /// The comment behind a statement, on the line of its last token, a semicolon.
    pub fn note_behind(&self, known: &Alignment, span: Span) -> Option<Note> {
        self.note_on_line(known, known.last_raw(span)?, b";")
    }

    /// The comment behind a label that has this value, on the line of its colon.
    pub fn note_behind_label(&self, known: &Alignment, value: Span) -> Option<Note> {
        let RawToken { file, index } = known.last_raw(value)?;
        let index = index + 1;
        self.note_on_line(known, RawToken { file, index }, b":")
    }

    /// The comment on the line of a token behind it, if that is this one.
    fn note_on_line(&self, known: &Alignment, last: RawToken, is: &[u8]) -> Option<Note> {
        let raw = self.raw(known, last.file);
        let token = raw.tokens.get(last.index)?;
        if token.text(raw.bytes) != is {
            return None;
        }
        let next = raw.tokens.get(last.index + 1);
        let end = next.map_or(raw.bytes.len(), |token| token.start as usize);
        let gap = token.end as usize..end;
        let line = raw.bytes.get(gap.clone())?;
        let line = line.iter().position(|b| *b == b'\n');
        let line = gap.start..line.map_or(gap.end, |length| gap.start + length);
        let mut notes = raw.notes(gap, true).into_iter();
        notes.find(|note| matches!(note, Note::Comment(at, _) if line.contains(&at.offset)))
    }

    /// Whether a token is a pragma of the text behind `floor`.
    fn is_pragma(&self, raw: Raw, index: Option<usize>, floor: u32) -> bool {
        let token = index.and_then(|index| raw.tokens.get(index));
        token.is_some_and(|token| {
            token.kind == TokenKind::Directive
                && lexer::directive_name(token.text(raw.bytes)) == b"pragma"
                && raw.number == 0
                && self.is_behind(token.start, floor)
        })
    }

    /// Whether a directive's line, one of the main file, is of the text behind `floor`.
    fn is_behind(&self, offset: u32, floor: u32) -> bool {
        let directives = self.tables.directives.iter();
        let mut of_it = directives.filter(|d| d.source.as_ref().is_some_and(|s| s.start == offset));
        of_it.next().is_some_and(|mark| mark.span.start >= floor)
    }
}

impl Raw<'_> {
    /// The comments and blank lines of what is no token; those on the first line only
    /// if `from_first`.
    fn notes(self, gap: Range<usize>, from_first: bool) -> Vec<Note> {
        let bytes = self.bytes;
        let mut notes = Vec::new();
        let (mut at, mut lines, mut newlines) = (gap.start, 0, 0);
        while at < gap.end {
            let rest = &bytes[at..gap.end];
            let length = comment_length(rest);
            if length == 0 {
                if rest[0] == b'\n' {
                    lines += 1;
                    newlines += 1;
                }
                at += 1;
                continue;
            }
            if newlines > 1 {
                notes.push(Note::Blank);
            }
            newlines = 0;
            if lines > 0 || from_first {
                notes.extend(self.comment(at..at + length));
            }
            lines += rest[..length].iter().filter(|b| **b == b'\n').count();
            at += length;
        }
        if newlines > 1 {
            notes.push(Note::Blank);
        }
        notes
    }

    /// A comment's lines; `None` if it has a splice, is not UTF-8, or is not the user's.
    fn comment(self, range: Range<usize>) -> Option<Note> {
        let bytes = self.bytes;
        let text = std::str::from_utf8(bytes.get(range.clone())?).ok()?;
        let is_spliced = text.lines().any(|line| line.trim_end().ends_with('\\'));
        if is_spliced || text.ends_with(EXPANDED) {
            return None;
        }
        let before = bytes.get(..range.start)?;
        let line = before
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let margin = range.start - line;
        let lines = text.lines().enumerate().map(|(index, line)| {
            let blanks = line
                .bytes()
                .take_while(|b| matches!(b, b' ' | b'\t'))
                .count();
            let cut = if index == 0 { 0 } else { blanks.min(margin) };
            line.get(cut..).unwrap_or(line).trim_end().to_string()
        });
        let place = Origin::new(self.number, range.start);
        Some(Note::Comment(place, lines.collect()))
    }
}

/// The length of a comment at the beginning of a text, without the newline that ends
/// it; 0 if there is none.
fn comment_length(text: &[u8]) -> usize {
    match text {
        [b'/', b'/', ..] => text.iter().position(|b| *b == b'\n').unwrap_or(text.len()),
        [b'/', b'*', rest @ ..] => {
            let end = rest.windows(2).position(|pair| pair == b"*/");
            end.map_or(text.len(), |at| at + 4)
        }
        _ => 0,
    }
}

#[cfg(test)]
#[path = "comments_tests.rs"]
mod tests;
