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
use super::lexer::{self, Token, TokenKind};
use super::macro_expanded::EXPANDED;
use super::markers::{Conditional, DIRECTIVE, DIRECTIVE_END, conditional};
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

/// A part of the user's text, if comments stand in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commented {
    /// Its lines, each as far to the right of the first as the user has it.
    pub lines: Vec<String>,
    /// The comments.
    pub notes: Vec<Note>,
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
            let is_else = raw.text(Some(index)) == b"else";
            let is_start = is_directive || previous.is_none();
            let from_first = is_start || is_head || is_else && before == b"}";
            let mut between = raw.notes(start..end, from_first);
            between.append(&mut notes);
            notes = between;
            // The block that a directive governs is not printed, nor what stands between a head
            // and its brace, or before `else`.
            let is_pragma = |index: Option<usize>| self.is_pragma(raw, index, floor);
            let opens_block = before == b"{";
            let is_of_head = matches!(raw.text(index.checked_sub(2)), b")" | b"else" | b"do");
            let passes = is_pragma(index.checked_sub(1))
                || before == b"else"
                || opens_block && (is_of_head || is_pragma(index.checked_sub(2)));
            index = match self.behind_compiled(known, raw, (index, span.start)) {
                _ if passes => index - 1,
                Some(index) => index,
                None => break,
            };
        }
        Some((place, notes))
    }

    /// Where the text goes on, backwards, that is compiled before a conditional directive: at the
    /// directive that ends the branch before it, or that begins the one behind it. `at`: the token
    /// behind the directive, and where the text is that it is compiled to, or the next one.
    fn behind_compiled(&self, known: &Alignment, raw: Raw, at: (usize, u32)) -> Option<usize> {
        let last = at.0.checked_sub(1)?;
        let begin = || raw.conditional_begin(last);
        match raw.conditional(last) {
            Conditional::None => None,
            Conditional::If => Some(last),
            Conditional::Else => begin(),
            Conditional::End => {
                let mut from = begin()?;
                while from < last {
                    let end = raw.branch_end(from)?;
                    if known.has_made(at.1, raw.number, from..end) {
                        return Some(end);
                    }
                    from = end;
                }
                None
            }
        }
    }

    /// The comments between the last statement of a block and its brace, but for those on the
    /// statement's own line. There are none behind a statement that begins at `first` without a
    /// block of its own: what follows is about the one around it.
    pub fn notes_after(&self, known: &Alignment, first: Span, span: Span) -> Vec<Note> {
        let ends = (known.first_raw(first), known.last_raw(span));
        let (Some(first), Some(last)) = ends else {
            return Vec::new();
        };
        let raw = self.raw(known, last.file);
        match self.is_body(raw, first.index) {
            true => Vec::new(),
            false => raw.notes_until_brace(last.index).unwrap_or_default(),
        }
    }

    /// What the comments of a directive of the main file say, on one line: `why; how far`.
    pub fn directive_comment(&self, directive: Span) -> Option<String> {
        let mut marks = self.tables.directives.iter();
        let mark = marks.find(|mark| mark.span == directive)?;
        let source = mark.source.as_ref()?;
        let range = source.start as usize..source.end as usize;
        let bytes = &self.file.bytes;
        let tokens = lexer::lex_fragment(bytes, range.clone()).tokens;
        let gaps = tokens.iter().map(|token| (token.start, token.end));
        let mut start = range.start;
        let mut said = Vec::new();
        for (end, next) in gaps.chain([(source.end, source.end)]) {
            said.extend(words_of_comments(bytes.get(start..end as usize)?));
            start = next as usize;
        }
        (!said.is_empty()).then(|| said.join("; "))
    }

    /// Whether the statement that begins with a token is all that a head governs, without braces.
    fn is_body(&self, raw: Raw, first: usize) -> bool {
        let before = raw.tokens.get(..first).unwrap_or_default().iter().rev();
        let mut code = before.filter(|token| token.kind != TokenKind::Directive);
        let before = code.next().map(|token| token.text(raw.bytes));
        matches!(before, Some(b")" | b"else" | b"do"))
    }

    /// The comments behind a statement, on the line of its last token, a semicolon or a brace.
    pub fn notes_behind(&self, known: &Alignment, span: Span) -> Vec<Note> {
        // A call of a macro may make all of it.
        let last = known.last_raw(span);
        last.map_or_else(Vec::new, |last| {
            self.notes_on_line(known, last, &[b";", b"}", b")"])
        })
    }

    /// Whether a statement ends with a brace in the user's file.
    pub fn ends_with_brace(&self, known: &Alignment, span: Span) -> bool {
        let last = known.last_raw(span);
        last.is_some_and(|last| self.raw(known, last.file).text(Some(last.index)) == b"}")
    }

    /// The comments behind the brace that follows a statement, on its line.
    pub fn notes_behind_block(&self, known: &Alignment, last: Span) -> Vec<Note> {
        let Some(RawToken { file, index }) = known.last_raw(last) else {
            return Vec::new();
        };
        let index = index + 1;
        self.notes_on_line(known, RawToken { file, index }, &[b"}"])
    }

    /// The comments behind a label that has this value, on the line of its colon.
    pub fn notes_behind_label(&self, known: &Alignment, value: Span) -> Vec<Note> {
        let Some(RawToken { file, index }) = known.last_raw(value) else {
            return Vec::new();
        };
        let index = index + 1;
        self.notes_on_line(known, RawToken { file, index }, &[b":"])
    }

    /// The comments on the line of a token behind it, if that is one of these.
    pub(super) fn notes_on_line(
        &self,
        known: &Alignment,
        last: RawToken,
        is: &[&[u8]],
    ) -> Vec<Note> {
        let raw = self.raw(known, last.file);
        let token = raw.tokens.get(last.index);
        let Some(token) = token.filter(|token| is.contains(&token.text(raw.bytes))) else {
            return Vec::new();
        };
        let next = raw.tokens.get(last.index + 1);
        let end = next.map_or(raw.bytes.len(), |token| token.start as usize);
        let gap = token.end as usize..end;
        let line = raw.bytes.get(gap.clone()).unwrap_or_default();
        let line = line.iter().position(|b| *b == b'\n');
        let line = gap.start..line.map_or(gap.end, |length| gap.start + length);
        let mut notes = raw.notes(gap, true);
        notes.retain(|note| matches!(note, Note::Comment(at, _) if line.contains(&at.offset)));
        notes
    }

    /// A part of a statement, or all of it.
    pub fn commented(&self, known: &Alignment, span: Span) -> Commented {
        match (known.first_raw(span), known.last_raw(span)) {
            (Some(first), Some(last)) if first.file == last.file => {
                let raw = self.raw(known, last.file);
                raw.commented(first.index..last.index + 1)
            }
            _ => Commented::default(),
        }
    }

    /// The head of a statement: `if (…)`.
    pub fn commented_head(&self, known: &Alignment, span: Span) -> Commented {
        let head = |first: RawToken| {
            let raw = self.raw(known, first.file);
            let is_called = known.call_at(span.start).is_some();
            Some(raw.commented(raw.head(first.index, is_called)?))
        };
        known.first_raw(span).and_then(head).unwrap_or_default()
    }

    /// What the user wrote for a statement, comments aside, on one line.
    pub fn as_written(&self, known: &Alignment, span: Span) -> Option<String> {
        let (first, last) = (known.first_raw(span)?, known.last_raw(span)?);
        let raw = self.raw(known, last.file);
        let tokens = raw.tokens.get(first.index..=last.index)?;
        let is_code = |token: &Token| token.kind != TokenKind::Directive;
        let is_own = first.file == last.file && tokens.iter().all(is_code);
        is_own.then(|| raw.on_one_line(tokens))?
    }

    /// Whether a brace stands before a statement, directives aside.
    pub fn is_behind_brace(&self, statement: Span) -> bool {
        let before = self.text.get(..statement.start as usize);
        let mut before = before.unwrap_or_default().trim_end();
        while let Some(directive) = before.strip_suffix(DIRECTIVE_END) {
            let start = directive.rfind(DIRECTIVE).unwrap_or_default();
            before = directive[..start].trim_end();
        }
        before.ends_with('{')
    }

    /// Whether a block follows a directive.
    pub fn begins_block(&self, directive: Span) -> bool {
        let behind = self.text.get(directive.end as usize..).unwrap_or_default();
        let behind = behind.trim_start();
        let behind = behind.strip_prefix(DIRECTIVE_END).unwrap_or(behind);
        behind.trim_start().starts_with('{')
    }

    /// What pragmas that are not translated say before a place, from the last; nothing but directives
    /// stands between.
    pub fn pragmas_before(&self, at: u32) -> impl Iterator<Item = &str> {
        let known = self.foreign_pragmas();
        let before = known[..known.partition_point(|pragma| pragma.at <= at)].iter();
        let reaches = move |from: u32| {
            let between = self.text.get(from as usize..at as usize);
            let mut between = between.unwrap_or_default().trim();
            while let Some(directive) = between.strip_suffix(DIRECTIVE_END)
                && let Some(start) = directive.rfind(DIRECTIVE)
            {
                between = directive[..start].trim_end();
            }
            between.is_empty()
        };
        let near = before.rev().take_while(move |pragma| reaches(pragma.at));
        near.map(|pragma| pragma.text.as_str())
    }

    /// The comments of the block that a statement ends with, or that follows a head, if no
    /// statement is in it.
    pub fn notes_alone(&self, known: &Alignment, span: Span) -> Vec<Note> {
        let Some(last) = known.last_raw(span) else {
            return Vec::new();
        };
        let raw = self.raw(known, last.file);
        let end = match raw.text(Some(last.index)) {
            b")" => last.index + 2,
            _ => last.index,
        };
        raw.notes_of_empty(end)
    }

    /// The same of the block behind the head of a statement.
    pub fn notes_behind_empty_head(&self, known: &Alignment, span: Span) -> Vec<Note> {
        let found = known.first_raw(span).and_then(|first| {
            let raw = self.raw(known, first.file);
            Some(raw.notes_of_empty(raw.head(first.index, false)?.end + 1))
        });
        found.unwrap_or_default()
    }

    /// The same of the block before the `else` that a statement is behind.
    pub fn notes_before_else(&self, known: &Alignment, statement: Span) -> Vec<Note> {
        let Some(first) = known.first_raw(statement) else {
            return Vec::new();
        };
        let raw = self.raw(known, first.file);
        let is = |index: usize, text: &[u8]| raw.text(Some(index)) == text;
        let before = (0..first.index).rev();
        let mut behind_brace = before.skip_while(|index| is(*index, b"{"));
        match behind_brace.next() {
            Some(word) if is(word, b"else") && word > 0 => raw.notes_of_empty(word - 1),
            _ => Vec::new(),
        }
    }

    /// Whether a comment stands behind the head of a statement, on its line.
    pub fn is_behind_head(&self, known: &Alignment, comment: Origin) -> bool {
        let before = self.raw(known, comment.file).bytes.get(..comment.offset);
        let line = before.and_then(|before| before.rsplit(|b| *b == b'\n').next());
        let line = line.unwrap_or_default().trim_ascii_end();
        [b"{".as_slice(), b")", b"else", b"do"]
            .iter()
            .any(|end| line.ends_with(end))
    }

    /// Whether a place is in a later column than another one of its file.
    pub fn is_right_of(&self, known: &Alignment, place: Origin, of: Origin) -> bool {
        let column = |origin: Origin| {
            let before = self.raw(known, origin.file).bytes.get(..origin.offset);
            let line = before.and_then(|before| before.rsplit(|b| *b == b'\n').next());
            line.map_or(0, <[u8]>::len)
        };
        column(place) > column(of)
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

    /// Whether a pragma's line, one of the main file, is of the text behind `floor`; one that is not
    /// translated is of what follows it.
    fn is_behind(&self, offset: u32, floor: u32) -> bool {
        let directives = self.tables.directives.iter();
        let mut of_it = directives.filter(|d| d.source.as_ref().is_some_and(|s| s.start == offset));
        of_it.next().is_none_or(|mark| mark.span.start >= floor)
    }
}

impl Raw<'_> {
    /// What a token is to the compilation of others.
    fn conditional(self, index: usize) -> Conditional {
        match self.tokens.get(index) {
            Some(token) if token.kind == TokenKind::Directive => {
                conditional(token.text(self.bytes))
            }
            _ => Conditional::None,
        }
    }

    /// The `#if` to which a later directive of its branches belongs.
    fn conditional_begin(self, of: usize) -> Option<usize> {
        let mut depth = 0usize;
        (0..of).rev().find(|index| match self.conditional(*index) {
            Conditional::End => {
                depth += 1;
                false
            }
            Conditional::If if depth > 0 => {
                depth -= 1;
                false
            }
            Conditional::If => true,
            Conditional::Else | Conditional::None => false,
        })
    }

    /// The directive with which the branch ends that another one begins.
    fn branch_end(self, begin: usize) -> Option<usize> {
        let mut depth = 0usize;
        (begin + 1..self.tokens.len()).find(|index| match self.conditional(*index) {
            Conditional::If => {
                depth += 1;
                false
            }
            Conditional::End if depth > 0 => {
                depth -= 1;
                false
            }
            Conditional::Else | Conditional::End => depth == 0,
            Conditional::None => false,
        })
    }

    /// The comments between a token and the brace behind it, or the end of an included file, in the text
    /// that is compiled, where no other token of that stands between them.
    fn notes_until_brace(self, mut last: usize) -> Option<Vec<Note>> {
        let mut notes = Vec::new();
        let mut from_first = false;
        loop {
            let token = self.tokens.get(last)?;
            let Some(next) = self.tokens.get(last + 1) else {
                notes.extend(self.notes(token.end as usize..self.bytes.len(), from_first));
                return (self.number != 0).then_some(notes);
            };
            let mut between = self.notes(token.end as usize..next.start as usize, from_first);
            let directive = self.conditional(last + 1);
            // What stands before a branch that is not compiled is about that.
            if directive != Conditional::If {
                notes.append(&mut between);
            }
            last += 1;
            match directive {
                Conditional::None => return (next.text(self.bytes) == b"}").then_some(notes),
                Conditional::End => {}
                Conditional::If | Conditional::Else => {
                    while self.conditional(last) != Conditional::End {
                        last = self.branch_end(last)?;
                    }
                }
            }
            from_first = true;
        }
    }

    /// The bracket that closes the one at a place.
    pub(super) fn closing(self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        (open..self.tokens.len()).find(|index| {
            match self.text(Some(*index)) {
                b"(" => depth += 1,
                b")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        })
    }

    /// The tokens of the head with which a statement begins; `is_called`: a call of a macro may be one.
    fn head(self, first: usize, is_called: bool) -> Option<Range<usize>> {
        let is_head = matches!(
            self.text(Some(first)),
            b"if" | b"for" | b"while" | b"switch"
        );
        let has_brackets = self.text(Some(first + 1)) == b"(";
        ((is_head || is_called) && has_brackets)
            .then(|| self.closing(first + 1))
            .flatten()
            .map(|end| first..end + 1)
    }

    /// Some tokens with the comments between them; nothing where directives are among them.
    pub(super) fn commented(self, range: Range<usize>) -> Commented {
        let tokens = self.tokens.get(range).unwrap_or_default();
        let is_code = |token: &Token| token.kind != TokenKind::Directive;
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else {
            return Commented::default();
        };
        if !tokens.iter().all(is_code) {
            return Commented::default();
        }
        let gap = |pair: &[Token]| self.notes(pair[0].end as usize..pair[1].start as usize, true);
        let mut notes: Vec<Note> = tokens.windows(2).flat_map(gap).collect();
        notes.retain(|note| matches!(note, Note::Comment(..)));
        let lines = match notes.is_empty() {
            true => None,
            false => self.lines(first.start as usize..last.end as usize),
        };
        Commented {
            lines: lines.unwrap_or_default(),
            notes,
        }
    }

    /// The comments of the block without statements that ends with this token.
    fn notes_of_empty(self, end: usize) -> Vec<Note> {
        let tokens = end
            .checked_sub(1)
            .and_then(|open| self.tokens.get(open..=end));
        match tokens {
            Some([open, end]) if open.text(self.bytes) == b"{" && end.text(self.bytes) == b"}" => {
                self.notes(open.end as usize..end.start as usize, true)
            }
            _ => Vec::new(),
        }
    }

    /// The comments and blank lines of what is no token; those on the first line only
    /// if `from_first`.
    pub(super) fn notes(self, gap: Range<usize>, from_first: bool) -> Vec<Note> {
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
        if self
            .bytes
            .get(range.clone())?
            .ends_with(EXPANDED.as_bytes())
        {
            return None;
        }
        let place = Origin::new(self.number, range.start);
        Some(Note::Comment(place, self.lines(range)?))
    }

    /// The lines of a part, each as far to the right of the first as in the file, where a tab is a
    /// level of the kernel's; `None` if it has a splice or is not UTF-8.
    fn lines(self, range: Range<usize>) -> Option<Vec<String>> {
        let bytes = self.bytes;
        let text = std::str::from_utf8(bytes.get(range.clone())?).ok()?;
        if text.lines().any(|line| line.trim_end().ends_with('\\')) {
            return None;
        }
        let before = bytes.get(..range.start)?;
        let line = before
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let margin = columns(&before[line..]);
        let lines = text.lines().enumerate().map(|(index, line)| {
            let code = line.trim_start_matches([' ', '\t']);
            if index == 0 || code.is_empty() {
                return line.trim_end().to_string();
            }
            let blanks = columns(&line.as_bytes()[..line.len() - code.len()]);
            " ".repeat(blanks.saturating_sub(margin)) + code.trim_end()
        });
        Some(lines.collect())
    }
}

/// The columns of a tab, as of a level in kernels.
const TAB: usize = 4;

/// How wide the beginning of a line is.
fn columns(line: &[u8]) -> usize {
    let next = |at: usize, byte: &u8| match byte {
        b'\t' => (at / TAB + 1) * TAB,
        _ => at + 1,
    };
    line.iter().fold(0, next)
}

/// What each comment between two tokens says, on one line.
fn words_of_comments(gap: &[u8]) -> Vec<String> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(rest) = gap.get(at..).filter(|rest| !rest.is_empty()) {
        let length = comment_length(rest);
        if length > 0 {
            all.extend(words_of_comment(&rest[..length]));
        }
        at += length.max(1);
    }
    all
}

/// `None` where a comment with these words would be another one.
fn words_of_comment(comment: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(comment).ok()?;
    let block = text.strip_prefix("/*").and_then(|t| t.strip_suffix("*/"));
    let inner = text.strip_prefix("//").or(block)?;
    let line = |line: &'_ str| line.trim().trim_start_matches('*').trim().to_owned();
    let lines = inner.lines().map(line).filter(|line| !line.is_empty());
    let words = lines.collect::<Vec<String>>().join(" ");
    let is_plain = !["/*", "*/", "\\"].iter().any(|part| words.contains(part));
    (is_plain && !words.is_empty()).then_some(words)
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
