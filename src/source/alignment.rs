//! Which tokens of the text are those of the user's files, and which ones calls of
//! macros made.
//!
//! Input: markers, raw tokens, macros. Between two markers the tokens of a file and
//! of the text are read side by side: where the file has a macro's name, what follows
//! in the text has to be what its call makes, token for token. A stretch in which that
//! does not come out even is left as it is: nothing is known of its calls. Headers have no
//! markers; there a stretch ends where a line begins behind a `;` or a brace.
//!
//! ```c
//! u[IDX(i, j)] = C1 * avg;                 the file
//! u[((i) * ny + (j))] = 0.25f * avg;       the text: two calls, with their spans
//! ```

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use super::call::Call;
use super::file::SourceFile;
use super::lexer::{self, Token, TokenKind};
use super::macros::{Macro, Macros, expand};
use super::span::Span;
use super::strip::{LineMark, Marker};
use super::unit::TranslationUnit;

/// What is known of the tokens of some parts of the text.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    /// By the place where what they make begins.
    by_start: BTreeMap<u32, Call>,
    /// In the order of the text.
    tokens: Vec<Aligned>,
    /// Headers that parts are of; a file's number is one more than its index.
    headers: Vec<Header>,
}

/// A token of the text and the one that made it.
#[derive(Clone, Copy, Debug)]
struct Aligned {
    start: u32,
    end: u32,
    raw: RawToken,
}

/// A token of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawToken {
    /// 0 for the main file.
    pub file: u32,
    pub index: usize,
}

/// A place in one of the files that the text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// 0 for the main file.
    pub(super) file: u32,
    /// In bytes.
    pub(super) offset: usize,
}

impl Origin {
    pub(super) fn new(file: u32, offset: usize) -> Self {
        Self { file, offset }
    }
}

/// An included file as it is on disk; empty where it cannot be read.
#[derive(Clone, Debug)]
struct Header {
    name: u32,
    file: SourceFile,
    tokens: Vec<Token>,
}

/// A file's bytes and their tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Raw<'a> {
    pub number: u32,
    pub bytes: &'a [u8],
    pub tokens: &'a [Token],
}

impl<'a> Raw<'a> {
    /// What a token is spelled as; empty for none.
    pub fn text(self, index: Option<usize>) -> &'a [u8] {
        let token = index.and_then(|index| self.tokens.get(index));
        token.map_or(&[], |token| token.text(self.bytes))
    }

    /// What stands in a call, on one line, comments aside.
    pub(super) fn on_one_line(self, tokens: &[Token]) -> Option<String> {
        let mut text = String::new();
        let mut end = None;
        for token in tokens {
            if end.is_some_and(|end| end < token.start) {
                text.push(' ');
            }
            text.push_str(std::str::from_utf8(token.text(self.bytes)).ok()?);
            end = Some(token.end);
        }
        (!text.contains(['\\', '\n'])).then_some(text)
    }
}

impl Alignment {
    /// The call that made all of a span, and nothing else. Spans may end with blanks.
    pub fn call(&self, span: Span) -> Option<&Call> {
        let call = self.by_start.get(&span.start)?;
        (call.end.0 <= span.end && span.end <= call.end.1).then_some(call)
    }

    /// The call that made what is at a place.
    pub(super) fn around(&self, at: u32) -> Option<&Call> {
        let (_, call) = self.by_start.range(..=at).next_back()?;
        (at < call.end.0).then_some(call)
    }

    /// Whether calls made some of a span.
    pub fn has_calls(&self, span: Span) -> bool {
        let mut inside = self.by_start.range(span.start..span.end.max(span.start));
        inside.next().is_some() || self.around(span.start).is_some()
    }

    /// The definitions of all calls.
    pub fn macros(&self) -> impl Iterator<Item = &Rc<Macro>> {
        self.by_start.values().flat_map(|call| &call.macros)
    }

    fn add(&mut self, stretch: Stretch) {
        self.by_start.extend(stretch.calls);
        self.tokens.extend(stretch.tokens);
    }

    /// Whether there are no calls.
    pub fn has_no_calls(&self) -> bool {
        self.by_start.is_empty()
    }

    /// The raw token that made the one at the beginning of a span.
    pub(super) fn first_raw(&self, span: Span) -> Option<RawToken> {
        let index = self.tokens.binary_search_by_key(&span.start, |t| t.start);
        Some(self.tokens[index.ok()?].raw)
    }

    /// The raw token that made the last one of a span.
    pub(super) fn last_raw(&self, span: Span) -> Option<RawToken> {
        let behind = self.tokens.partition_point(|t| t.end <= span.end);
        let last = self.tokens.get(behind.checked_sub(1)?)?;
        (last.start >= span.start).then_some(last.raw)
    }
}

impl TranslationUnit {
    /// Reads parts of the text beside the files. Linear in their lengths, and in those of
    /// the headers that they are in.
    pub fn alignment(&self, mut parts: Vec<Span>) -> Alignment {
        let mut known = Alignment::default();
        let macros = Macros::new(&self.tables.definitions);
        parts.sort_unstable_by_key(|span| (span.start, span.end));
        let (own, included): (Vec<Span>, Vec<Span>) =
            parts.into_iter().partition(|span| self.in_main_file(*span));
        // The first stretch begins with the file.
        let markers: Vec<Marker> = std::iter::once(Marker::default())
            .chain(self.tables.markers.iter().copied())
            .collect();
        let main = Part {
            unit: self,
            macros: &macros,
            raw: self.raw(&known, 0),
            inclusion: None,
        };
        let read = main.read(&markers, &own);
        read.into_iter().for_each(|stretch| known.add(stretch));
        for part in included.chunk_by(|a, b| self.inclusion(*a) == self.inclusion(*b)) {
            let inclusion = part.first().and_then(|span| self.inclusion(*span));
            let Some(file) = inclusion.and_then(|index| self.header(&mut known, index)) else {
                continue;
            };
            let header = Part {
                unit: self,
                macros: &macros,
                raw: self.raw(&known, file),
                inclusion,
            };
            let markers = header.markers(&known.headers[file as usize - 1].file);
            let read = header.read(&markers, part);
            read.into_iter().for_each(|stretch| known.add(stretch));
        }
        known.tokens.sort_unstable_by_key(|t| t.start);
        known
    }

    /// The number of an included file, once it is read; `None` for the system's.
    fn header(&self, known: &mut Alignment, inclusion: u32) -> Option<u32> {
        let inclusion = self.tables.inclusions.get(inclusion as usize)?;
        let name = inclusion.file;
        let number = match known.headers.iter().position(|header| header.name == name) {
            Some(index) => index,
            None if inclusion.is_system => return None,
            None => {
                let path = Path::new(self.tables.files.get(name as usize)?);
                let file = SourceFile::read(path).ok()?;
                let tokens = lexer::lex(&file.bytes).tokens;
                known.headers.push(Header { name, file, tokens });
                known.headers.len() - 1
            }
        };
        Some(number as u32 + 1)
    }

    /// A file that parts of the text are of.
    pub(super) fn raw<'a>(&'a self, known: &'a Alignment, number: u32) -> Raw<'a> {
        let header = (number as usize)
            .checked_sub(1)
            .and_then(|index| known.headers.get(index));
        let (file, tokens) = match header {
            Some(header) => (&header.file, &header.tokens),
            None => (&self.file, &self.tokens),
        };
        Raw {
            number,
            bytes: &file.bytes,
            tokens,
        }
    }

    /// Where the token that begins a span stands in the main file: the token itself, or the call
    /// of a macro that makes it first.
    pub fn start_in_file(&self, known: &Alignment, span: Span) -> Option<usize> {
        let first = known.first_raw(span).filter(|first| first.file == 0)?;
        let raw = self.tokens.get(first.index)?;
        let text = raw.text(&self.file.bytes);
        let made = self.text.as_bytes().get(span.start as usize..)?;
        let is_itself = made.starts_with(text);
        (is_itself || known.by_start.contains_key(&span.start)).then_some(raw.start as usize)
    }
}

/// A file, and the text that was made of it.
struct Part<'a> {
    unit: &'a TranslationUnit,
    macros: &'a Macros<'a>,
    raw: Raw<'a>,
    /// `None` for the main file.
    inclusion: Option<u32>,
}

impl Part<'_> {
    /// The stretches between markers that have any of these spans, those that come out even.
    fn read(&self, markers: &[Marker], parts: &[Span]) -> Vec<Stretch> {
        let mut read = Vec::new();
        let mut next = 0;
        for span in parts {
            let first = markers.partition_point(|m| m.at <= span.start);
            let first = first.saturating_sub(1).max(next);
            for (index, pair) in markers.windows(2).enumerate().skip(first) {
                if pair[0].at >= span.end {
                    break;
                }
                next = index + 1;
                let mut stretch = Stretch::default();
                if stretch.read(self, pair[0], pair[1]).is_some() {
                    read.push(stretch);
                }
            }
        }
        read
    }

    /// Where lines of the header begin and end with statements.
    fn markers(&self, file: &SourceFile) -> Vec<Marker> {
        let unit = self.unit;
        let from = self
            .inclusion
            .and_then(|index| unit.tables.inclusions.get(index as usize));
        let end = unit.text.len() as u32;
        let made = self.own_tokens(from.map_or(end, |inclusion| inclusion.at), end);
        let is_end = |token: &Token| matches!(token.text(unit.text.as_bytes()), b";" | b"{" | b"}");
        let lines: Vec<u32> = made
            .iter()
            .map(|token| unit.presumed_line(token.start))
            .collect();
        let marker = |at: u32, offset: usize| Marker {
            at,
            offset: offset as u32,
            edge: false,
        };
        let mut markers = Vec::new();
        for (index, token) in made.iter().enumerate() {
            let line = file.line_range(lines[index]);
            let before = index.checked_sub(1);
            let begins = before.is_none_or(|i| is_end(&made[i]) && lines[i] != lines[index]);
            let ends = is_end(token) && lines.get(index + 1) != Some(&lines[index]);
            markers.extend(begins.then(|| marker(token.start, line.start)));
            markers.extend(ends.then(|| marker(token.end, line.end)));
        }
        markers
    }

    /// The tokens of a part of the text that are of this file, and of none that it includes.
    fn own_tokens(&self, from: u32, to: u32) -> Vec<Token> {
        let unit = self.unit;
        let is_own = |line: &LineMark| match self.inclusion {
            Some(_) => line.inclusion == self.inclusion,
            None => line.main,
        };
        let lines = &unit.tables.lines;
        let behind = lines.partition_point(|line| line.at <= from);
        let mut was_own = match behind.checked_sub(1) {
            Some(before) => is_own(&lines[before]),
            None => self.inclusion.is_none(),
        };
        let mut at = from;
        let mut tokens = Vec::new();
        let mut read = |part: Range<u32>| {
            let part = part.start as usize..part.end as usize;
            tokens.extend(lexer::lex_fragment(unit.text.as_bytes(), part).tokens);
        };
        for line in lines[behind..].iter().take_while(|line| line.at < to) {
            if was_own && !is_own(line) {
                read(at..line.at);
            } else if !was_own {
                at = line.at;
            }
            was_own = is_own(line);
        }
        if was_own {
            read(at..to);
        }
        tokens
    }
}

/// What a call made: where in the text, and of which tokens of its file.
struct Made {
    start: u32,
    /// Its end, and where the next token begins.
    end: (u32, u32),
    words: Vec<String>,
    raw: Range<usize>,
}

/// What lies between two markers.
#[derive(Default)]
struct Stretch {
    calls: Vec<(u32, Call)>,
    tokens: Vec<Aligned>,
}

impl Stretch {
    /// `None` if the file's tokens do not explain the text's.
    fn read(&mut self, part: &Part, from: Marker, to: Marker) -> Option<()> {
        let Part { unit, macros, .. } = part;
        let Raw { bytes, tokens, .. } = part.raw;
        let begin = tokens.partition_point(|t| t.start < from.offset);
        let behind = tokens.partition_point(|t| t.end <= to.offset);
        let raw = tokens.get(begin..behind)?;
        let made = part.own_tokens(from.at, to.at);
        let aligned = |token: &Token, index: usize| Aligned {
            start: token.start,
            end: token.end,
            raw: RawToken {
                file: part.raw.number,
                index: begin + index,
            },
        };
        let word = |t: &Token| unit.text.get(t.start as usize..t.end as usize);
        let mut at = 0;
        let mut index = 0;
        while let Some(token) = raw.get(index) {
            if token.kind == TokenKind::Directive {
                index += 1;
                continue;
            }
            let name = std::str::from_utf8(token.text(bytes)).ok()?;
            let place = made.get(at).map_or(to.at, |t| t.start);
            let found = match token.kind {
                TokenKind::Identifier => macros.at(name, place),
                _ => None,
            };
            let length = found.and_then(|found| length(found, &raw[index..], bytes));
            let Some((found, length)) = found.zip(length) else {
                let same = made.get(at).filter(|t| word(t) == Some(name))?;
                self.tokens.push(aligned(same, index));
                at += 1;
                index += 1;
                continue;
            };
            let call = &raw[index..index + length];
            let words: Option<Vec<&str>> = call
                .iter()
                .map(|t| std::str::from_utf8(t.text(bytes)).ok())
                .collect();
            let find = |name: &str| macros.at(name, place).map(|found| &**found);
            let list = expand(&words?, &find)?;
            let text = made.get(at..at + list.len())?;
            if !text.iter().map(word).eq(list.iter().copied().map(Some)) {
                return None;
            }
            if let (Some(first), Some(last)) = (text.first(), text.last()) {
                self.tokens.push(aligned(first, index));
                if text.len() > 1 {
                    self.tokens.push(aligned(last, index + length - 1));
                }
                let next = made.get(at + text.len()).map_or(to.at, |t| t.start);
                let end = (last.end, next.max(last.end));
                let made = list.into_iter().map(str::to_string).collect();
                let raw = begin + index..begin + index + length;
                let made = Made {
                    start: first.start,
                    end,
                    words: made,
                    raw,
                };
                self.call(part, (found, place), call, made);
            }
            at += text.len();
            index += length;
        }
        (at == made.len()).then_some(())
    }

    /// Notes a call whose definitions can be brought along.
    fn call(&mut self, part: &Part, (found, at): (&Rc<Macro>, u32), tokens: &[Token], made: Made) {
        let Part { macros, raw, .. } = part;
        let Some(mut needed) = macros.closure(found, at) else {
            return;
        };
        // Arguments may have calls, too.
        for token in tokens {
            let name = std::str::from_utf8(token.text(raw.bytes)).unwrap_or("");
            let Some(found) = macros.at(name, at) else {
                continue;
            };
            let Some(more) = macros.closure(found, at) else {
                return;
            };
            for one in more {
                if !needed.iter().any(|known| known.name == one.name) {
                    needed.push(one);
                }
            }
        }
        let Some(text) = raw.on_one_line(tokens) else {
            return;
        };
        let is_main = raw.number == 0;
        let call = Call {
            text,
            start: made.start,
            end: made.end,
            raw: is_main.then_some(made.raw),
            made: made.words,
            macros: needed,
        };
        self.calls.push((call.start, call));
    }
}

/// How many tokens a call has that begins here; `None` if it is none.
fn length(found: &Macro, tokens: &[Token], bytes: &[u8]) -> Option<usize> {
    if !found.has_parameters() {
        return Some(1);
    }
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate().skip(1) {
        match token.text(bytes) {
            b"(" => depth += 1,
            b")" => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ if token.kind == TokenKind::Directive => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(index + 1);
        }
    }
    None
}

#[cfg(test)]
#[path = "alignment_tests.rs"]
mod tests;
