//! What the user wrote in directives, macros as he calls them, and where: in a line, or in the string
//! of `_Pragma`.
//!
//! ```c
//! #pragma acc data copy(u[0:NX * NY])      the text has u[0:64 * 48]
//! ```

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::lexer::{self, Token, TokenKind};
use super::macros::{Macros, expand};
use super::markers;
use super::span::Span;
use super::strip::DirectiveMark;
use super::unit::TranslationUnit;

/// The pieces of the directives of a file.
#[derive(Clone, Debug, Default)]
pub(super) struct DirectiveTexts {
    /// In the order of the text.
    pieces: Vec<Piece>,
}

/// A token, or the call of a macro.
#[derive(Clone, Debug)]
struct Piece {
    /// What of the text it makes.
    made: Span,
    /// Where it is written in the file.
    raw: Range<usize>,
    /// With a blank before it where any space is.
    written: String,
    /// So that the text has something else.
    is_other: bool,
}

impl DirectiveTexts {
    /// What is written for a part of a directive, if a call of a macro, or a `sizeof`, is in it.
    pub(super) fn with_calls(&self, part: Span) -> Option<String> {
        let first = self
            .pieces
            .partition_point(|one| one.made.start < part.start);
        let behind = self.pieces.partition_point(|one| one.made.end <= part.end);
        let pieces = self.pieces.get(first..behind)?;
        let (begin, end) = (pieces.first()?, pieces.last()?);
        let is_whole = begin.made.start == part.start && end.made.end == part.end;
        let is_other = pieces.iter().any(|one| one.is_other);
        let words: String = pieces.iter().map(|one| one.written.as_str()).collect();
        (is_whole && is_other).then(|| words.trim_start().to_owned())
    }
}

impl TranslationUnit {
    /// Reads the directives of the main file beside the text.
    pub(super) fn directive_texts(&self, prefixes: &[&str]) -> DirectiveTexts {
        let macros = OnceCell::new();
        let mut pieces = Vec::new();
        for mark in &self.tables.directives {
            let body = self.line_body(mark, prefixes);
            let found = body.and_then(|body| self.pieces(mark, body, &macros));
            pieces.extend(found.unwrap_or_default());
        }
        pieces.sort_unstable_by_key(|one| one.made.start);
        DirectiveTexts { pieces }
    }

    /// What stands in a directive's line behind its prefix.
    fn line_body(&self, mark: &DirectiveMark, prefixes: &[&str]) -> Option<Range<usize>> {
        let lines = mark.lines()?;
        let (_, body) = markers::own_pragma(self.file.bytes.get(lines.clone())?, prefixes)?;
        Some(lines.start + body..lines.end)
    }

    /// Where a part of a directive is written, with the calls of macros that make some of it, and
    /// whether nothing else is; `None` where that is not known.
    pub(super) fn part_of_directive(&self, part: Span) -> Option<(Range<usize>, bool)> {
        let mark = self.directive_mark(part.start)?;
        let pieces = self.pieces(mark, self.directive_body(mark)?, &OnceCell::new())?;
        let first = pieces.iter().find(|one| one.made.end > part.start)?;
        let last = pieces.iter().rfind(|one| one.made.start < part.end)?;
        let is_whole = first.made.start == part.start && last.made.end == part.end;
        let is_part = part.start > mark.span.start && part.end < mark.span.end;
        let mut range = first.raw.start..last.raw.end;
        if !is_whole && first.made == last.made {
            range = self.argument_in(first.made, &range, part).unwrap_or(range);
        }
        (is_part && range.start < range.end).then_some((range, is_whole))
    }

    /// Where the tokens of a part of what a call makes stand in the call, if they are once in both.
    fn argument_in(&self, made: Span, call: &Range<usize>, part: Span) -> Option<Range<usize>> {
        let (bytes, text) = (&self.file.bytes, self.text.as_bytes());
        let raw = lexer::lex_fragment(bytes, call.clone()).tokens;
        let own = self.text_tokens(part.start..part.end);
        let all = self.text_tokens(made.start..made.end);
        let is_it = |list: &[Token], of: &[u8]| {
            (list.iter().map(|t| t.text(of))).eq(own.iter().map(|t| t.text(text)))
        };
        let count = own.len().max(1);
        let mut written = raw.windows(count).filter(|list| is_it(list, bytes));
        let found = written.next().filter(|_| written.next().is_none())?;
        let is_once = all.windows(count).filter(|list| is_it(list, text)).count() == 1;
        is_once.then(|| found[0].start as usize..found[count - 1].end as usize)
    }

    /// `None` where the tokens of a directive's body do not explain the text's; `macros` are asked for
    /// where they differ.
    fn pieces<'s>(
        &'s self,
        mark: &DirectiveMark,
        body: Range<usize>,
        macros: &OnceCell<Macros<'s>>,
    ) -> Option<Vec<Piece>> {
        let bytes = &self.file.bytes;
        let raw = lexer::lex_fragment(bytes, body).tokens;
        let text = self.text.as_bytes();
        let part = mark.span.start as usize..mark.span.end as usize;
        let made = lexer::lex_fragment(text, part).tokens;
        let made = made.get(1..made.len().checked_sub(1)?)?;
        let word = |token: &Token| std::str::from_utf8(token.text(bytes)).ok();
        let written = raw.iter().map(|t| t.text(bytes));
        let is_plain = written.eq(made.iter().map(|t| t.text(text)));
        let find = |name: &str| {
            let known = (!is_plain).then(|| macros.get_or_init(|| self.macros()))?;
            known.at(name, mark.span.start).map(|found| &**found)
        };
        let mut pieces = Vec::new();
        let (mut at, mut index) = (0, 0);
        while let Some(token) = raw.get(index) {
            let found = match token.kind {
                TokenKind::Identifier => find(word(token)?),
                _ => None,
            };
            let length = found.and_then(|found| found.call_length(&raw[index..], bytes));
            let call = raw.get(index..index + length.unwrap_or(1))?;
            let words: Option<Vec<&str>> = call.iter().map(word).collect();
            let list = match length {
                Some(_) => expand(&words?, &find)?,
                None => words?.into_iter().map(Cow::Borrowed).collect(),
            };
            let these = made.get(at..at + list.len())?;
            let is_same = these
                .iter()
                .zip(&list)
                .all(|(t, word)| t.text(text) == word.as_bytes());
            if !is_same {
                return None;
            }
            if let (Some(first), Some(last)) = (these.first(), these.last()) {
                let before = index.checked_sub(1).and_then(|before| raw.get(before));
                let is_apart = before.is_some_and(|before| before.end < call[0].start);
                let written = lexer::on_one_line(bytes, call)?;
                // What is printed of `sizeof` is its value.
                let is_size = word(token)? == "sizeof";
                pieces.push(Piece {
                    made: Span::new(first.start, last.end),
                    raw: call[0].start as usize..call[call.len() - 1].end as usize,
                    written: format!("{}{written}", if is_apart { " " } else { "" }),
                    is_other: length.is_some() || is_size,
                });
            }
            at += list.len();
            index += call.len();
        }
        (at == made.len()).then_some(pieces)
    }
}
