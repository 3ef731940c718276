//! Comments at the definitions of functions and records, and at members of these, as the user wrote them.

use super::alignment::{Alignment, Raw, RawToken};
use super::comments::{Commented, Note};
use super::lexer::{self, Token, TokenKind};
use super::markers::DIRECTIVE_END;
use super::span::Span;
use super::unit::TranslationUnit;

/// What the user says of members that are declared together.
#[derive(Default)]
pub struct OfMembers {
    /// Before the declaration.
    pub before: Vec<Note>,
    /// Between its tokens.
    pub within: Commented,
    /// Behind it, on its line.
    pub behind: Vec<Note>,
    /// Between the last one and the brace.
    pub last: Vec<Note>,
}

impl TranslationUnit {
    /// The comments at a declaration of members with these declarators.
    pub fn notes_of_members(&self, known: &Alignment, members: Span) -> OfMembers {
        let (Some(first), Some(last)) = (known.first_raw(members), known.last_raw(members)) else {
            return OfMembers::default();
        };
        let raw = self.raw(known, first.file);
        let is_end = |index: &usize| matches!(raw.text(Some(*index)), b";" | b"{" | b"}");
        let before = (0..first.index).rev().find(is_end);
        // Of several in one declaration, the last one has what stands behind it.
        let ends = |index: &usize| is_end(index) || raw.text(Some(*index)) == b",";
        // An anonymous one is all of its declaration.
        let from = match raw.text(Some(last.index)) {
            b";" => last.index,
            _ => last.index + 1,
        };
        let end = (from..raw.tokens.len()).find(ends);
        let (Some(before), Some(end)) = (before, end) else {
            return OfMembers::default();
        };
        let gap = |index: usize, from_first: bool| match raw.tokens.get(index..index + 2) {
            Some([one, next]) => raw.notes(one.end as usize..next.start as usize, from_first),
            _ => Vec::new(),
        };
        let (is_first, index) = (raw.text(Some(before)) == b"{", end);
        let is_last = raw.text(Some(end + 1)) == b"}";
        let file = last.file;
        OfMembers {
            before: gap(before, is_first),
            within: raw.commented(before + 1..end + 1),
            behind: self.notes_on_line(known, RawToken { file, index }, &[b";"]),
            last: if is_last { gap(end, false) } else { Vec::new() },
        }
    }

    /// The comments behind the definition of a record of which this is the last member, on its line.
    pub fn notes_behind_record(&self, known: &Alignment, last: Span) -> Vec<Note> {
        let behind = |last: RawToken| {
            let raw = self.raw(known, last.file);
            let end = raw.find(last.index + 1, b"}")?;
            let index = raw.find(end, b";")?;
            let is_name = |token: &Token| token.kind == TokenKind::Identifier;
            let are_names = raw.tokens.get(end + 1..index)?.iter().all(is_name);
            let file = last.file;
            are_names.then(|| self.notes_on_line(known, RawToken { file, index }, &[b";"]))
        };
        known.last_raw(last).and_then(behind).unwrap_or_default()
    }

    /// The name and the parameters of the function with this header.
    pub fn commented_signature(&self, known: &Alignment, header: Span, name: &str) -> Commented {
        let signature = |first: RawToken| {
            let raw = self.raw(known, first.file);
            let last = known
                .last_raw(header)
                .filter(|last| last.file == first.file)?;
            let is = |index: usize, text: &[u8]| raw.text(Some(index)) == text;
            let mut tokens = first.index..=last.index;
            let begin = tokens.find(|at| is(*at, name.as_bytes()) && is(*at + 1, b"("))?;
            Some(raw.commented(begin..raw.closing(begin + 1)? + 1))
        };
        known
            .first_raw(header)
            .and_then(signature)
            .unwrap_or_default()
    }

    /// The comments right above the definition of a function with this header, or above the call
    /// of a macro there that makes its directive.
    pub fn notes_of_function(&self, known: &Alignment, header: Span) -> Vec<String> {
        let Some(first) = known.first_raw(header) else {
            return Vec::new();
        };
        let raw = self.raw(known, first.file);
        let before = self.text.get(..header.start as usize).unwrap_or_default();
        let lines = lines_above(raw, first.index);
        match lines.is_empty() && before.trim_end().ends_with(DIRECTIVE_END) {
            true => lines_above(raw, raw.before_call(first.index)),
            false => lines,
        }
    }

    /// The comments right above the definition of a record of which this is the first member.
    pub fn notes_of_record(&self, known: &Alignment, first: Span) -> Vec<String> {
        let Some(first) = known.first_raw(first) else {
            return Vec::new();
        };
        let raw = self.raw(known, first.file);
        let back = |from: usize, is: &dyn Fn(&Token) -> bool| {
            let mut before = (0..from).rev();
            before.find(|index| raw.tokens.get(*index).is_some_and(is))
        };
        let Some(open) = back(first.index, &|token| token.text(raw.bytes) == b"{") else {
            return Vec::new();
        };
        let is_end = |token: &Token| {
            let is_directive = token.kind == TokenKind::Directive;
            is_directive || matches!(token.text(raw.bytes), b";" | b"{" | b"}")
        };
        let begin = back(open, &is_end).map_or(0, |end| end + 1);
        let is_keyword = |token: &Token| matches!(token.text(raw.bytes), b"struct" | b"union");
        let words = raw.tokens.get(begin..open).unwrap_or_default();
        match words.iter().any(is_keyword) {
            true => lines_above(raw, begin),
            false => Vec::new(),
        }
    }
}

impl Raw<'_> {
    /// The first token from a place on with this text.
    fn find(self, from: usize, text: &[u8]) -> Option<usize> {
        (from..self.tokens.len()).find(|index| self.text(Some(*index)) == text)
    }

    /// Where the call of a macro begins that stands before a token; the token itself for none.
    fn before_call(self, index: usize) -> usize {
        let mut depth = 0usize;
        for before in (0..index).rev() {
            match self.text(Some(before)) {
                b")" => depth += 1,
                b"(" => depth = depth.saturating_sub(1),
                b";" | b"{" | b"}" => break,
                _ if self.tokens[before].kind == TokenKind::Identifier && depth == 0 => {
                    return before;
                }
                _ if depth == 0 => break,
                _ => {}
            }
        }
        index
    }
}

/// The lines of the comments right above a token, pragmas aside.
fn lines_above(raw: Raw, mut index: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    while let Some(token) = raw.tokens.get(index) {
        let previous = index.checked_sub(1).and_then(|index| raw.tokens.get(index));
        let start = previous.map_or(0, |token| token.end as usize);
        let directive = previous.filter(|token| token.kind == TokenKind::Directive);
        // What stands on the line of other code is about that.
        let from_first = directive.is_some() || previous.is_none();
        let notes = raw.notes(start..token.start as usize, from_first);
        let apart = notes.iter().rposition(|note| matches!(note, Note::Blank));
        let near = notes.into_iter().skip(apart.map_or(0, |blank| blank + 1));
        let near = near.flat_map(|note| match note {
            Note::Comment(_, lines) => lines,
            Note::Blank => Vec::new(),
        });
        lines.splice(0..0, near);
        let is_pragma = |token: &Token| lexer::directive_name(token.text(raw.bytes)) == b"pragma";
        if apart.is_some() || !directive.is_some_and(is_pragma) {
            break;
        }
        index -= 1;
    }
    lines
}
