//! From spans of the parsed text back to bytes of the user's file.
//!
//! The marker before and the marker after a span bound where it came from; the
//! compiler's line marks narrow that to a line; within it a token is found by
//! its spelling, the n-th of the line for the n-th. What a macro made has no
//! spelling in the file: then the answer is what lies between the bounds, or
//! nothing where exact bytes are asked for.

use std::collections::HashMap;
use std::ops::Range;

use super::lexer::{self, Token, TokenKind};
use super::markers;
use super::span::Span;
use super::spelling::Written;
use super::strip::{DirectiveMark, ForeignPragma, LineMark, Marker};
use super::unit::TranslationUnit;
use crate::diagnostic::{Diagnostic, codes};

/// Of longer spans only the ends are looked for.
const LONGEST: u32 = 4096;

/// A place that a person can go to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    /// The file as the compiler names it.
    pub file: &'a str,
    /// 1-based.
    pub line: u32,
    /// 1-based, in characters; in headers that of the preprocessed line.
    pub column: u32,
}

/// Where a directive can be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectivePlace {
    /// In place of these bytes.
    Exact(Range<usize>),
    /// Before the call of a macro that makes the directive and then other code.
    Before(usize),
    /// Behind the call of a macro that makes other code and then the directive.
    Behind(usize),
}

/// What stands beside a directive, by where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// A statement of the same list.
    Statement(usize),
    /// The brace of the block that the directive is alone in.
    Block(usize),
}

impl TranslationUnit {
    /// The file, line and column of the first byte of a span; of what a macro made, of the place near
    /// its call.
    pub fn location(&self, span: Span) -> Location<'_> {
        let mark = self.line_mark(span.start);
        let file = mark.map_or("", |m| &self.tables.files[m.file as usize]);
        if let Some(range) = self.nearby_range(span)
            && !self.renumbered
        {
            let (line, column) = self.file.line_column(range.start);
            return Location { file, line, column };
        }
        let before = self.slice(self.text_line_start(span.start)..span.start);
        Location {
            file,
            line: self.presumed_line(span.start),
            column: before.chars().count() as u32 + 1,
        }
    }

    /// Whether a span begins in the main file and not in a header.
    pub fn in_main_file(&self, span: Span) -> bool {
        self.line_mark(span.start).is_some_and(|m| m.main)
    }

    /// The bytes of the main file to underline for a span: exact for what is
    /// spelled there, the call of a macro for what that made, else the smallest known range around.
    /// `None` in headers.
    pub fn original_range(&self, span: Span) -> Option<Range<usize>> {
        if let Some((range, _)) = self.part_of_directive(span) {
            return Some(range);
        }
        let guess = self.nearby_range(span);
        let is_it = |range: &Range<usize>| self.is_spelled(span, range.clone());
        let is_long = span.end.saturating_sub(span.start) > LONGEST;
        if is_long || !self.in_main_file(span) || guess.as_ref().is_some_and(is_it) {
            return guess;
        }
        if self.directive_line(span).is_some() {
            return guess;
        }
        // Calls of macros made some of it.
        let known = self.alignment(vec![span]);
        match self.written_for(&known, span) {
            Some(Written::Exact(range) | Written::Within(range)) => Some(range),
            None => guess,
        }
    }

    /// The bytes of the main file, or of one read in place, that are a span and nothing else, such
    /// that other text may take their place.
    pub fn exact_range(&self, span: Span) -> Option<Range<usize>> {
        let range = match (
            self.part_of_directive(span),
            self.directive_mark(span.start),
        ) {
            (Some((range, is_exact)), _) => is_exact.then_some(range)?,
            (None, Some(_)) => self.directive_line(span)?,
            (None, None) => {
                let range = self.original_range(span)?;
                let is_written = self.is_spelled(span, range.clone())
                    || self.is_foreign_pragma(span.start, range.clone());
                is_written.then_some(range)?
            }
        };
        // What a macro made in place of its call is in no file.
        let (file, place) = self.file.origin_range(range.clone());
        (file.bytes.get(place)? == self.file.bytes.get(range.clone())?).then_some(range)
    }

    /// Whether bytes are a pragma that is not translated, behind its `#`.
    fn is_foreign_pragma(&self, at: u32, range: Range<usize>) -> bool {
        let bytes = self.file.bytes.get(range).unwrap_or_default();
        let text = bytes.strip_prefix(b"pragma").map(<[u8]>::trim_ascii);
        let mut pragmas = self.tables.pragmas.iter().filter(|pragma| pragma.at == at);
        pragmas.any(|pragma| text == Some(pragma.text.as_bytes()))
    }

    /// The same without a look at calls: what is around what a macro made.
    fn nearby_range(&self, span: Span) -> Option<Range<usize>> {
        if !self.in_main_file(span) {
            return None;
        }
        self.directive_line(span)
            .or_else(|| self.likely_range(span))
    }

    /// The line of a directive of the main file that a span is all of.
    fn directive_line(&self, span: Span) -> Option<Range<usize>> {
        let directive = self.directive_mark(span.start);
        directive
            .filter(|directive| directive.span == span)?
            .lines()
    }

    /// Whether bytes of the main file are the tokens of a span.
    fn is_spelled(&self, span: Span, range: Range<usize>) -> bool {
        let text = self.text.as_bytes();
        let written = lexer::lex_fragment(&self.file.bytes, range).tokens;
        let made = self.text_tokens(span.start..span.end);
        let words = written.iter().map(|t| t.text(&self.file.bytes));
        words.eq(made.iter().map(|t| t.text(text)))
    }

    /// From where the first token of a span is spelled to where its last one is.
    fn likely_range(&self, span: Span) -> Option<Range<usize>> {
        let tokens = self.text_tokens(span.start..span.end);
        let spans = |token: &Token| Span::new(token.start, token.end);
        let first = tokens.first().map_or(span, spans);
        let last = tokens.last().map_or(span, spans);
        let start = self.find(first).or_else(|| self.around(first))?;
        let spelled = || self.find(last).map(|r| r.end);
        let end = match self.text.as_bytes().get(last.start as usize) {
            // one `}` is like another: the marker after it tells which
            Some(b'}' | b';') => self.region_end(last.end).ok().or_else(spelled),
            _ => spelled().or_else(|| self.region_end(last.end).ok()),
        };
        let end = end.or_else(|| self.around(last).map(|r| r.end))?;
        Some(if start.start < end {
            start.start..end
        } else {
            start
        })
    }

    /// The exact end, in the main file, of the code whose last token ends at
    /// `end` in the text.
    ///
    /// # Errors
    /// A macro made that end together with code that follows it, or it is in
    /// a header that is not read in place.
    pub fn region_end(&self, end: u32) -> Result<usize, Diagnostic> {
        let markers = &self.tables.markers;
        let first = markers.partition_point(|c| c.at < end);
        let exact = || {
            let marker = markers[first..].iter().find(|c| !c.edge)?;
            let tail = self.text.get(end as usize..marker.at as usize)?;
            self.offset_before(tail, marker.offset)
        };
        exact().ok_or_else(|| {
            let message = "the end of this region cannot be found in the file";
            let place = Span::new(end.saturating_sub(1), end);
            Diagnostic::error(codes::NO_EXACT_PLACE, message, place)
                .note("a macro makes both this end and code that follows it")
                .help("write the end of the region outside the macro")
        })
    }

    /// The exact bytes of a directive. For `_Pragma` they end with it; for a
    /// macro they are the call, if it makes nothing else.
    ///
    /// # Errors
    /// The directive is in a header, or a macro makes more than it.
    pub fn directive_range(&self, span: Span) -> Result<Range<usize>, Diagnostic> {
        let mark = self.directive_mark(span.start);
        if let Some(lines) = mark.and_then(DirectiveMark::lines) {
            return Ok(lines);
        }
        let range = || {
            let mark = mark?;
            let start = self.operator_start(mark.span)?;
            let index = self.tokens.partition_point(|t| (t.start as usize) < start);
            let end = if self.token_text(index) == b"_Pragma" {
                // `_Pragma ( "…" )`
                self.tokens.get(index + 3)?.end as usize
            } else {
                self.region_end(mark.span.end).ok()?
            };
            Some(start..end)
        };
        range().ok_or_else(|| {
            let message = "the place of this directive cannot be found in the file";
            let help =
                "write the directive outside the macro, or in a macro that begins or ends with it";
            Diagnostic::error(codes::NO_EXACT_PLACE, message, span).help(help)
        })
    }

    /// What each directive of the main file says behind `#pragma PREFIX`, in one line and
    /// without its comments, by its span in the text; what `_Pragma` makes with macros expanded.
    pub fn directive_words(&self, prefixes: &[&str]) -> HashMap<Span, String> {
        let words = |mark: &DirectiveMark| {
            let words = match &mark.source {
                Some(source) => self.written_words(source, prefixes)?,
                None if mark.header => return None,
                None => {
                    let tokens = self.text_tokens(mark.span.start..mark.span.end);
                    let inside = tokens.get(1..tokens.len().checked_sub(1)?)?;
                    let word = |t: &Token| t.word(&self.text);
                    tight(inside.iter().filter_map(word))
                }
            };
            // A backslash inside a token would break the line.
            (!words.contains('\n')).then_some((mark.span, words))
        };
        self.tables.directives.iter().filter_map(words).collect()
    }

    /// What stands in a line of the main file behind `#pragma PREFIX`.
    fn written_words(&self, line: &Range<u32>, prefixes: &[&str]) -> Option<String> {
        let range = line.start as usize..line.end as usize;
        let text = self.file.bytes.get(range.clone())?;
        let (_, body) = markers::own_pragma(text, prefixes)?;
        let body = range.start + body..range.end;
        let tokens = lexer::lex_fragment(&self.file.bytes, body).tokens;
        lexer::on_one_line(&self.file.bytes, &tokens)
    }

    /// Where a directive can be carried out whose text may stay.
    ///
    /// # Errors
    /// The directive is in a header, or a macro makes code before and behind it.
    pub fn directive_place(&self, span: Span) -> Result<DirectivePlace, Diagnostic> {
        let exact = self.directive_range(span).map(DirectivePlace::Exact);
        exact.or_else(|unknown| {
            let mark = self.directive_mark(span.start);
            let mark = mark.filter(|mark| !mark.header).ok_or(unknown.clone())?;
            if let Some(start) = self.after_marker(mark.span) {
                return Ok(DirectivePlace::Before(start));
            }
            let end = self.region_end(mark.span.end).map_err(|_| unknown)?;
            Ok(DirectivePlace::Behind(end))
        })
    }

    /// Whether macros of the main file make directives together with other code:
    /// they stay in its text, whatever becomes of it.
    pub fn has_directives_in_macros(&self) -> bool {
        let mut marks = self.tables.directives.iter().filter(|mark| !mark.header);
        marks.any(|mark| self.directive_range(mark.span).is_err())
    }

    /// What stands beside a directive of the main file that begins here, to tell how deep its
    /// code is.
    pub fn beside(&self, at: usize) -> Option<Beside> {
        let behind = self.tokens.partition_point(|t| (t.start as usize) < at);
        let code = |t: &&Token| t.kind != TokenKind::Directive;
        let mut next = self.tokens[behind..].iter().filter(code);
        let (first, second) = (next.next(), next.next());
        let text = |t: &Token| t.text(&self.file.bytes);
        if let Some(first) = first {
            let is_label = second.is_some_and(|second| text(second) == b":");
            let is_other = matches!(text(first), b"}" | b"else" | b"case" | b"default");
            if !is_other && !is_label {
                return Some(Beside::Statement(first.start as usize));
            }
        }
        let before = self.tokens[..behind].iter().rev().filter(code);
        let mut depth = 0usize;
        let mut begin = None;
        for token in before {
            let ends = depth == 0 && begin.is_some();
            match text(token) {
                b"{" if depth == 0 => {
                    let block = Beside::Block(token.start as usize);
                    return Some(begin.map_or(block, Beside::Statement));
                }
                b";" | b"}" | b":" if ends => return begin.map(Beside::Statement),
                b")" | b"]" | b"}" => depth += 1,
                b"(" | b"[" | b"{" => depth = depth.saturating_sub(1),
                _ => {}
            }
            begin = Some(token.start as usize);
        }
        None
    }

    /// Whether a directive that begins at this place of the file is one of a block's list for sure:
    /// a statement, a label of the list, or the block's brace, ends right before it, and no
    /// branch of `#if` lies between.
    pub fn follows_statement(&self, at: usize, directive: Span) -> bool {
        let behind = self.tokens.partition_point(|t| (t.start as usize) < at);
        let mut before = self.tokens[..behind].iter().rev().peekable();
        let text = |token: &&Token| token.text(&self.file.bytes);
        let is_pragma = |token: &&Token| {
            let names: [&[u8]; 3] = [b"pragma", b"define", b"undef"];
            token.kind == TokenKind::Directive
                && names.contains(&lexer::directive_name(text(token)))
        };
        while before.next_if(is_pragma).is_some() {}
        // A call of a macro may make the statement.
        if before.peek().is_some_and(|token| text(token) == b")") {
            return self.is_behind_end(directive);
        }
        let begins = |token: &&Token| matches!(text(token), b"{" | b"}" | b";" | b":");
        loop {
            match before.next().map(|token| text(&token)) {
                Some(b"{" | b"}" | b";") => return true,
                Some(b":") => {}
                _ => return false,
            }
            // `name :`, `default :`, or `case` and a value
            let label = before.next();
            let is_name = label.is_some_and(|label| label.kind == TokenKind::Identifier);
            if is_name && before.peek().is_some_and(begins) {
                continue;
            }
            let outside = |token: &&Token| begins(token) || text(token) == b"case";
            let case = before.find(outside);
            if case.is_none_or(|token| text(&token) != b"case") {
                return false;
            }
        }
    }

    /// Whether a statement ends before a directive, and before those right before it, in the text.
    fn is_behind_end(&self, directive: Span) -> bool {
        let directives = &self.tables.directives;
        let index = directives.partition_point(|mark| mark.span.start < directive.start);
        let mut end = directive.start as usize;
        for mark in directives[..index].iter().rev() {
            let between = self.text.get(mark.span.end as usize..end);
            if between.is_none_or(|between| !between.trim().is_empty()) {
                break;
            }
            end = mark.span.start as usize;
        }
        let before = self.text.get(..end).unwrap_or_default().trim_end();
        before.ends_with([';', '}'])
    }

    /// The exact bytes of a statement or construct, for rewriting; the span
    /// may begin with a directive. `None` if they are not exactly known.
    pub fn statement_range(&self, span: Span) -> Option<Range<usize>> {
        if !self.in_main_file(span) {
            return None;
        }
        let start = match self.directive_mark(span.start) {
            Some(DirectiveMark {
                source: Some(source),
                ..
            }) => source.start as usize,
            Some(mark) => self.operator_start(mark.span)?,
            None => self.first_token_start(span.start)?,
        };
        let end = match self.directive_mark(span.end.saturating_sub(1)) {
            Some(DirectiveMark {
                source: Some(source),
                ..
            }) => source.end as usize,
            _ => self.region_end(span.end).ok()?,
        };
        (start < end).then_some(start..end)
    }

    /// The directives that stand within a range of the file, in order, with their exact
    /// bytes; one call of a macro may make several. Those that a macro makes along with
    /// other text are left out.
    pub fn directives_within(&self, range: &Range<usize>) -> &[(Range<usize>, Span)] {
        let all = self.directive_ranges.get_or_init(|| {
            let marks = self.tables.directives.iter().filter(|mark| !mark.header);
            let exact = |mark: &DirectiveMark| {
                let range = self.directive_range(mark.span).ok()?;
                Some((range, mark.span))
            };
            let mut all: Vec<(Range<usize>, Span)> = marks.filter_map(exact).collect();
            all.sort_by_key(|(range, _)| range.start);
            all
        });
        let first = all.partition_point(|(inner, _)| inner.start < range.start);
        let behind = all.partition_point(|(inner, _)| inner.end <= range.end);
        &all[first..behind.max(first)]
    }

    /// Whether clang has preprocessed the text.
    pub fn is_clangs(&self) -> bool {
        let mut own = self.tables.definitions.iter().filter(|d| d.is_system);
        own.any(|definition| definition.text.starts_with("__clang__ "))
    }

    /// Pragmas that are not translated, in order.
    pub fn foreign_pragmas(&self) -> &[ForeignPragma] {
        &self.tables.pragmas
    }

    /// A token of the main file, empty past the end.
    fn token_text(&self, index: usize) -> &[u8] {
        self.tokens
            .get(index)
            .map_or(b"", |t| t.text(&self.file.bytes))
    }

    /// The directive that holds an offset of the text.
    pub(super) fn directive_mark(&self, at: u32) -> Option<&DirectiveMark> {
        let directives = &self.tables.directives;
        let index = directives.partition_point(|d| d.span.start <= at);
        index
            .checked_sub(1)
            .map(|i| &directives[i])
            .filter(|d| at < d.span.end)
    }

    pub(super) fn line_mark(&self, at: u32) -> Option<&LineMark> {
        let lines = &self.tables.lines;
        let index = lines.partition_point(|m| m.at <= at);
        index.checked_sub(1).map(|i| &lines[i])
    }

    /// 0-based index of the text's line.
    fn text_line(&self, at: u32) -> usize {
        self.tables
            .line_starts
            .partition_point(|&s| s <= at)
            .saturating_sub(1)
    }

    fn text_line_start(&self, at: u32) -> u32 {
        self.tables
            .line_starts
            .get(self.text_line(at))
            .copied()
            .unwrap_or(0)
    }

    /// The line as the compiler counts it.
    pub(super) fn presumed_line(&self, at: u32) -> u32 {
        let Some(mark) = self.line_mark(at) else {
            return self.text_line(at) as u32 + 1;
        };
        mark.line + (self.text_line(at) - self.text_line(mark.at)) as u32
    }

    /// Where the line of an offset is in the main file's text.
    fn line_ranges(&self, at: u32) -> Vec<Range<usize>> {
        let file = self.line_mark(at).map_or(0, |mark| mark.file);
        let name = self.tables.files.get(file as usize);
        let name = name.map_or("", String::as_str);
        self.file.line_ranges(name, self.presumed_line(at))
    }

    /// The markers around a span.
    pub(super) fn bounds(&self, span: Span) -> (Marker, Marker) {
        let markers = &self.tables.markers;
        let before = markers[..markers.partition_point(|c| c.at <= span.start)].last();
        let after = markers.get(markers.partition_point(|c| c.at < span.end));
        let end = Marker {
            at: self.text.len() as u32,
            offset: self.file.bytes.len() as u32,
            edge: false,
        };
        (
            before.copied().unwrap_or_default(),
            after.copied().unwrap_or(end),
        )
    }

    /// The part of the main file that the markers and the line leave for a
    /// span; without the line if `narrow` is false. All lines of a directive are one in the text,
    /// without `#pragma` and the prefix.
    fn window(&self, span: Span, narrow: bool) -> Option<Range<usize>> {
        let directive = self.directive_mark(span.start);
        if let Some(lines) = directive.and_then(DirectiveMark::lines) {
            return self.line_window(&lines);
        }
        let (before, after) = self.bounds(span);
        let mut window = before.offset as usize..after.offset as usize;
        if narrow {
            let lines = (!self.renumbered).then(|| self.line_ranges(span.start))?;
            let within = |line: Range<usize>| {
                let part = window.start.max(line.start)..window.end.min(line.end);
                (part.start < part.end).then_some(part)
            };
            let parts: Vec<Range<usize>> = lines.into_iter().filter_map(within).collect();
            // the same line of a file that is included twice
            let [part] = &parts[..] else { return None };
            window = part.clone();
        }
        (window.start < window.end).then_some(window)
    }

    /// What stands behind `#pragma` and the prefix.
    fn line_window(&self, lines: &Range<usize>) -> Option<Range<usize>> {
        let tokens = self.raw_tokens(lines);
        let is_pragma = |t: &Token| t.text(&self.file.bytes) == b"pragma";
        let body = tokens.get(tokens.iter().position(is_pragma)? + 2)?;
        Some(body.start as usize..lines.end)
    }

    /// The same of a directive of the main file, be it a line or the string of `_Pragma`.
    pub(super) fn directive_body(&self, mark: &DirectiveMark) -> Option<Range<usize>> {
        if let Some(lines) = mark.lines() {
            return self.line_window(&lines);
        }
        let start = self.operator_start(mark.span)?;
        let index = self.tokens.partition_point(|t| (t.start as usize) < start);
        let string = self.tokens.get(index + 2)?;
        let text = string.text(&self.file.bytes);
        // With a backslash, or a prefix, its tokens are not those of the string's text.
        let is_plain = text.len() > 2 && text.starts_with(b"\"") && !text.contains(&b'\\');
        if self.token_text(index) != b"_Pragma" || !is_plain {
            return None;
        }
        let inside = string.start as usize + 1..string.end as usize - 1;
        let tokens = lexer::lex_fragment(&self.file.bytes, inside.clone()).tokens;
        Some(tokens.get(1)?.start as usize..inside.end)
    }

    /// Raw tokens that begin in a part of the main file. Where that part is
    /// within a directive, its body's tokens.
    fn raw_tokens(&self, window: &Range<usize>) -> Vec<Token> {
        let first = |limit: usize| self.tokens.partition_point(|t| (t.end as usize) <= limit);
        let behind = self
            .tokens
            .partition_point(|t| (t.start as usize) < window.end);
        let tokens = self.tokens.get(first(window.start)..behind).unwrap_or(&[]);
        if let [only] = tokens
            && only.kind == TokenKind::Directive
        {
            let start = window.start.max(only.start as usize + 1);
            let end = (only.end as usize).min(window.end);
            return lexer::lex_fragment(&self.file.bytes, start..end).tokens;
        }
        let begins = |t: &&Token| t.start as usize >= window.start;
        tokens.iter().filter(begins).copied().collect()
    }

    pub(super) fn text_tokens(&self, range: Range<u32>) -> Vec<Token> {
        let range = range.start as usize..(range.end as usize).min(self.text.len());
        if range.start >= range.end {
            return Vec::new();
        }
        lexer::lex_fragment(self.text.as_bytes(), range).tokens
    }

    /// The token of the main file that is spelled like the one at `span`.
    fn find(&self, span: Span) -> Option<Range<usize>> {
        let (before, _) = self.bounds(span);
        let line_start = self.text_line_start(span.start).max(before.at);
        self.find_in(span, self.window(span, true), line_start)
            .or_else(|| self.find_in(span, self.window(span, false), before.at))
    }

    /// As `find`, among the tokens of `window`; as many tokens of this
    /// spelling come before it there as in the text from `from` on.
    fn find_in(&self, span: Span, window: Option<Range<usize>>, from: u32) -> Option<Range<usize>> {
        let spelling = super::encode_bytes(self.text.get(span.start as usize..span.end as usize)?);
        let text = self.text.as_bytes();
        let same = |t: &Token, bytes: &[u8]| t.text(bytes) == spelling.as_ref();
        let before = self.text_tokens(from..span.start);
        let earlier = before.iter().filter(|t| same(t, text)).count();
        let tokens = self.raw_tokens(&window?);
        let alike = tokens.iter().filter(|t| same(t, &self.file.bytes));
        let token = alike.take(earlier + 1).last()?;
        Some(token.start as usize..token.end as usize)
    }

    /// From the first to the last raw token that a span can have come from.
    fn around(&self, span: Span) -> Option<Range<usize>> {
        let narrow = self
            .window(span, true)
            .filter(|w| !self.raw_tokens(w).is_empty());
        let tokens = self.raw_tokens(&narrow.or_else(|| self.window(span, false))?);
        Some(tokens.first()?.start as usize..tokens.last()?.end as usize)
    }

    /// The start of the statement whose first token is at `at` in the text.
    fn first_token_start(&self, at: u32) -> Option<usize> {
        let token = *self
            .text_tokens(at..self.text.len().min(at as usize + 4096) as u32)
            .first()?;
        let span = Span::new(token.start, token.end);
        self.after_marker(span)
            .or_else(|| self.find(span).map(|r| r.start))
    }

    /// If a marker stands right before a span: the first raw token after it,
    /// on the span's line.
    fn after_marker(&self, span: Span) -> Option<usize> {
        let (before, _) = self.bounds(span);
        let between = self.text.get(before.at as usize..span.start as usize)?;
        if !between.trim().is_empty() {
            return None;
        }
        let window = self.window(span, !self.renumbered)?;
        let tokens = self.raw_tokens(&window);
        tokens
            .iter()
            .find(|t| t.kind != TokenKind::Directive)
            .map(|t| t.start as usize)
    }

    /// Where a directive that no line made begins: the macro or `_Pragma`.
    fn operator_start(&self, span: Span) -> Option<usize> {
        if !self.in_main_file(span) {
            return None;
        }
        self.after_marker(span).or_else(|| {
            let tokens = self.raw_tokens(&self.window(span, true)?);
            let mut operators = tokens
                .iter()
                .filter(|t| t.text(&self.file.bytes) == b"_Pragma");
            let only = operators.next()?.start as usize;
            operators.next().is_none().then_some(only)
        })
    }

    /// The end of the raw token before `tail`, which ends at `offset`. The
    /// tail may hold punctuators that no macro call can swallow.
    fn offset_before(&self, tail: &str, offset: u32) -> Option<usize> {
        let mut index = self.tokens.partition_point(|t| t.end <= offset);
        let marks = tail.chars().rev().filter(|c| !c.is_whitespace());
        let mut moved = false;
        for mark in marks {
            index = index.checked_sub(1)?;
            let mut buffer = [0; 4];
            if !matches!(mark, ';' | '}')
                || self.token_text(index) != mark.encode_utf8(&mut buffer).as_bytes()
            {
                return None;
            }
            moved = true;
        }
        if !moved {
            return Some(offset as usize);
        }
        let before = index.checked_sub(1).and_then(|i| self.tokens.get(i))?;
        (before.kind != TokenKind::Directive).then_some(before.end as usize)
    }
}

/// Words of a directive, with blanks where people have them.
fn tight<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for word in words {
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        let is_call = word == "(" && text.ends_with(is_name);
        let is_close = matches!(word, ")" | "[" | "]" | "," | ":") || is_call;
        if !is_close && !text.is_empty() && !text.ends_with(['(', '[', ':']) {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

#[cfg(test)]
#[path = "places_tests.rs"]
mod tests;
