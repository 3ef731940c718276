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

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::rc::Rc;

use super::call::{Call, pattern};
use super::conditionals::choices;
use super::file::SourceFile;
use super::lexer::{self, Token, TokenKind};
use super::macros::{Macro, Macros, arguments, expand_roughly, is_made};
use super::span::Span;
use super::strip::{LineMark, Marker};
use super::unit::TranslationUnit;

/// What is known of the tokens of some parts of the text.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    /// By the place where what they make begins.
    by_start: BTreeMap<u32, Call>,
    /// Those in arguments of others, from the outermost.
    inner: HashMap<u32, Vec<Call>>,
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

    /// The numbers of some tokens that follow each other.
    fn range(self, tokens: &[Token]) -> Option<Range<usize>> {
        let number = |token: &Token| self.tokens.partition_point(|t| t.start < token.start);
        Some(number(tokens.first()?)..number(tokens.last()?) + 1)
    }

    /// What a token is spelled as.
    fn word(self, token: &Token) -> Option<&'a str> {
        std::str::from_utf8(token.text(self.bytes)).ok()
    }

    /// What stands in a call, on one line, comments aside; `None` where lines are spliced in a token.
    pub(super) fn on_one_line(self, tokens: &[Token]) -> Option<String> {
        let text = lexer::on_one_line(self.bytes, tokens)?;
        (!text.contains('\n')).then_some(text)
    }
}

impl Alignment {
    /// The call that made all of a span, and nothing else. Spans may end with blanks.
    pub fn call(&self, span: Span) -> Option<&Call> {
        let mut calls = self.calls_at(span.start);
        calls.find(|call| call.end.0 <= span.end && span.end <= call.end.1)
    }

    /// The call that made what begins at a place; the outermost one.
    pub fn call_at(&self, start: u32) -> Option<&Call> {
        self.calls_at(start).next()
    }

    /// The calls that made what begins at a place, from the outermost.
    fn calls_at(&self, start: u32) -> impl Iterator<Item = &Call> {
        let inner = self.inner.get(&start).into_iter().flatten();
        self.by_start.get(&start).into_iter().chain(inner)
    }

    /// The call that made what is at a place.
    pub(super) fn around(&self, at: u32) -> Option<&Call> {
        let (_, call) = self.by_start.range(..=at).next_back()?;
        (at < call.end.0).then_some(call)
    }

    /// Whether a call made a part of the text and more than that.
    pub fn is_part_of_call(&self, span: Span) -> bool {
        self.around(span.start).is_some() && self.call(span).is_none()
    }

    /// Whether calls made some of a span.
    pub fn has_calls(&self, span: Span) -> bool {
        let mut inside = self.by_start.range(span.start..span.end.max(span.start));
        inside.next().is_some() || self.around(span.start).is_some()
    }

    /// The calls in a span, but for those in arguments.
    pub fn calls_within(&self, span: Span) -> impl Iterator<Item = &Call> {
        let calls = self.by_start.range(span.start..span.end.max(span.start));
        calls.map(|(_, call)| call)
    }

    /// The definitions of all calls.
    pub fn macros(&self) -> impl Iterator<Item = &Rc<Macro>> {
        let calls = self.by_start.values().chain(self.inner.values().flatten());
        calls.flat_map(|call| &call.macros)
    }

    fn add(&mut self, stretch: Stretch) {
        for call in stretch.calls {
            self.by_start.insert(call.start, call);
        }
        for call in stretch.inner {
            self.inner.entry(call.start).or_default().push(call);
        }
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

    /// Whether any of these tokens of a file made some of the text before a place.
    pub(super) fn has_made(&self, before: u32, file: u32, tokens: Range<usize>) -> bool {
        let behind = self.tokens.partition_point(|t| t.start < before);
        let made = self.tokens[..behind].iter().rev().map(|token| token.raw);
        let mut near = made.take_while(|raw| raw.file == file && raw.index >= tokens.start);
        near.any(|raw| tokens.contains(&raw.index))
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
        let within: Vec<Span> = (parts.iter().copied())
            .flat_map(|part| self.included_within(part))
            .collect();
        parts.extend(within);
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

    /// What files that are included within a part have of it.
    fn included_within(&self, part: Span) -> Vec<Span> {
        let lines = &self.tables.lines;
        let first = lines.partition_point(|line| line.at <= part.start);
        let last = lines.partition_point(|line| line.at < part.end);
        let around = self.inclusion(part);
        let lines = lines.get(first..last).unwrap_or_default();
        let ends = lines.iter().map(|line| line.at).skip(1);
        let pieces = lines.iter().zip(ends.chain([part.end]));
        let is_included = |line: &LineMark| line.inclusion.is_some() && line.inclusion != around;
        let included = pieces.filter(|(line, _)| is_included(line));
        included
            .map(|(line, end)| Span {
                start: line.at,
                end,
            })
            .collect()
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
                read.extend(Stretch::read(self, pair[0], pair[1]));
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

    /// The definitions that a call takes, its own first; `None` if they cannot be brought along.
    /// Tells, too, whether its arguments can.
    fn definitions(
        &self,
        of: &Rc<Macro>,
        at: u32,
        call: &[Token],
    ) -> Option<(Vec<Rc<Macro>>, bool)> {
        let mut needed = self.macros.closure(of, at)?;
        let mut is_whole = true;
        // Arguments may have calls, too.
        for token in call {
            let name = self.raw.word(token).unwrap_or_default();
            let Some(found) = self.macros.at(name, at) else {
                continue;
            };
            let inner = self.macros.closure(found, at);
            is_whole &= inner.is_some();
            for one in inner.into_iter().flatten() {
                if !needed.iter().any(|known| known.name == one.name) {
                    needed.push(one);
                }
            }
        }
        Some((needed, is_whole))
    }

    /// What a call makes at a place, if that is known.
    fn expanded(&self, place: u32, call: &[Token]) -> Option<Vec<Cow<'_, str>>> {
        let words: Option<Vec<&str>> = call.iter().map(|t| self.raw.word(t)).collect();
        let find = |name: &str| self.macros.at(name, place).map(|found| &**found);
        expand_roughly(&words?, &find)
    }

    /// The tokens of the text that a call makes besides pragmas, which the text has apart.
    fn without_pragmas<'t>(&self, list: Vec<Cow<str>>, text: &'t [Token]) -> Option<&'t [Token]> {
        let mut made = text.iter();
        let mut words = list.iter();
        while let Some(word) = words.next() {
            if word == PRAGMA {
                // Its brackets, with a string between.
                words.nth(2)?;
                continue;
            }
            let token = made.next()?.word(&self.unit.text)?;
            is_made(word, token).then_some(())?;
        }
        text.get(..text.len() - made.len())
    }

    /// The tokens of the text that stand before a token of the file, outside of brackets; all of
    /// them where there is none. What calls make that nothing is known of.
    fn before<'t>(&self, next: Option<&Token>, text: &'t [Token]) -> Option<&'t [Token]> {
        let Some(next) = next else {
            return Some(text);
        };
        let next = self.raw.word(next)?;
        let mut depth = 0usize;
        for (index, token) in text.iter().enumerate() {
            match token.word(&self.unit.text)? {
                word if depth == 0 && word == next => return Some(&text[..index]),
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    }

    /// The tokens of a part of the text that are of this file, and of none that it includes, but for
    /// those of directives.
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
            let all = lexer::lex_fragment(unit.text.as_bytes(), part).tokens;
            let is_code = |token: &Token| unit.directive_mark(token.start).is_none();
            tokens.extend(all.into_iter().filter(is_code));
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

/// The operator by which a macro makes a pragma.
const PRAGMA: &str = "_Pragma";

fn makes_pragma(made: &[Cow<str>]) -> bool {
    made.iter().any(|word| word == PRAGMA)
}

/// What lies between two markers.
#[derive(Default)]
struct Stretch {
    calls: Vec<Call>,
    /// Those in arguments.
    inner: Vec<Call>,
    /// How many calls are open.
    depth: usize,
    /// Calls of which nothing is known are passed over.
    skips: bool,
    tokens: Vec<Aligned>,
}

/// Tokens of a file, and their numbers in it.
struct Compiled {
    tokens: Vec<Token>,
    indices: Vec<usize>,
}

impl Stretch {
    /// `None` if the file's tokens do not explain the text's.
    fn read(part: &Part, from: Marker, to: Marker) -> Option<Self> {
        let Raw { bytes, tokens, .. } = part.raw;
        let begin = tokens.partition_point(|t| t.start < from.offset);
        let behind = tokens.partition_point(|t| t.end <= to.offset);
        let raw = tokens.get(begin..behind)?;
        let made = part.own_tokens(from.at, to.at);
        let choices = choices(raw, bytes);
        let read = |choice: &Vec<usize>, skips: bool| {
            let compiled = Compiled {
                tokens: choice.iter().map(|index| raw[*index]).collect(),
                indices: choice.iter().map(|index| begin + index).collect(),
            };
            let mut stretch = Self {
                skips,
                ..Self::default()
            };
            stretch.compare(part, &compiled, &made, to.at)?;
            Some(stretch)
        };
        let known = choices.iter().find_map(|choice| read(choice, false));
        match &choices[..] {
            [only] => known.or_else(|| read(only, true)),
            _ => known,
        }
    }

    /// `end`: where the text ends.
    fn compare(&mut self, part: &Part, raw: &Compiled, made: &[Token], end: u32) -> Option<()> {
        let Part { unit, macros, .. } = part;
        let bytes = part.raw.bytes;
        let aligned = |token: &Token, index: usize| Aligned {
            start: token.start,
            end: token.end,
            raw: RawToken {
                file: part.raw.number,
                index: raw.indices[index],
            },
        };
        let raw = &raw.tokens;
        let word = |t: &Token| t.word(&unit.text);
        let mut at = 0;
        let mut index = 0;
        while let Some(token) = raw.get(index) {
            if token.kind == TokenKind::Directive {
                index += 1;
                continue;
            }
            let name = std::str::from_utf8(token.text(bytes)).ok()?;
            let place = made.get(at).map_or(end, |t| t.start);
            let found = match token.kind {
                TokenKind::Identifier => macros.at(name, place),
                _ => None,
            };
            let length = found.and_then(|found| found.call_length(&raw[index..], bytes));
            let Some((found, length)) = found.zip(length) else {
                let is_same = |t: &&Token| word(t).is_some_and(|made| is_made(name, made));
                let same = made.get(at).filter(is_same)?;
                self.tokens.push(aligned(same, index));
                at += 1;
                index += 1;
                continue;
            };
            let call = &raw[index..index + length];
            let text = &made[at.min(made.len())..];
            let is_line = |t: &&Token| t.kind == TokenKind::Directive;
            let next = raw[index + length..].iter().find(|t| !is_line(t));
            let text = match part.expanded(place, call) {
                Some(list) if makes_pragma(&list) => part.without_pragmas(list, text)?,
                Some(list) => self.call(part, (found, place), call, list, (text, end))?,
                None if self.skips => part.before(next, text)?,
                None => return None,
            };
            if let (Some(first), Some(last)) = (text.first(), text.last()) {
                self.tokens.push(aligned(first, index));
                if text.len() > 1 {
                    self.tokens.push(aligned(last, index + length - 1));
                }
            }
            at += text.len();
            index += length;
        }
        (at == made.len()).then_some(())
    }

    /// Notes a call that makes `list`, and those in its arguments. Gives the tokens of the text that
    /// it makes, which has these next; `None` if it makes others. `end`: where the text ends.
    fn call<'t>(
        &mut self,
        part: &Part,
        (found, place): (&Rc<Macro>, u32),
        call: &[Token],
        list: Vec<Cow<str>>,
        (text, end): (&'t [Token], u32),
    ) -> Option<&'t [Token]> {
        let Part { unit, raw, .. } = part;
        let word = |t: &Token| t.word(&unit.text);
        let (made, behind) = text.split_at_checked(list.len())?;
        let mut pairs = list.iter().zip(made);
        if !pairs.all(|(wanted, t)| word(t).is_some_and(|made| is_made(wanted, made))) {
            return None;
        }
        let (Some(first), Some(last)) = (made.first(), made.last()) else {
            return Some(made);
        };
        let next = behind.first().map_or(end, |t| t.start);
        if let Some((macros, is_whole)) = part.definitions(found, place, call)
            && let Some(text) = raw.on_one_line(call)
        {
            let list_of = if self.depth == 0 {
                &mut self.calls
            } else {
                &mut self.inner
            };
            list_of.push(Call {
                text,
                start: first.start,
                end: (last.end, next.max(last.end)),
                raw: raw.range(call).filter(|_| raw.number == 0),
                made: list.into_iter().map(Cow::into_owned).collect(),
                macros,
                is_whole,
            });
        }
        self.depth += 1;
        self.arguments(part, (found, place), call, made);
        self.depth -= 1;
        Some(made)
    }

    /// Notes the calls in the arguments of a call that makes these tokens.
    fn arguments(
        &mut self,
        part: &Part,
        (found, place): (&Rc<Macro>, u32),
        call: &[Token],
        made: &[Token],
    ) -> Option<()> {
        let Part { macros, raw, .. } = part;
        let words: Option<Vec<&str>> = call.iter().map(|t| raw.word(t)).collect();
        let words = words?;
        let marks = found.marks()?;
        let find = |name: &str| macros.at(name, place).map(|found| &**found);
        let pattern = pattern(found, &marks, &find)?;
        let (given, _) = arguments(&words, 1)?;
        let is_same = |word: &str, token: &Token| {
            let made = token.word(&part.unit.text);
            made.is_some_and(|made| is_made(word, made))
        };
        let mut at = 0;
        for word in pattern {
            let Some(mark) = marks.iter().position(|mark| *mark == word) else {
                // Pasted to an argument, it is another token.
                made.get(at).filter(|token| is_same(&word, token))?;
                at += 1;
                continue;
            };
            let before: usize = given.iter().take(mark).map(|one| one.len() + 1).sum();
            let first = 2 + before;
            let tokens = call.get(first..first + given.get(mark)?.len())?;
            at += self.argument(part, place, tokens, made.get(at..)?)?;
        }
        Some(())
    }

    /// Notes the calls in an argument, and gives how many tokens it makes.
    fn argument(
        &mut self,
        part: &Part,
        place: u32,
        tokens: &[Token],
        made: &[Token],
    ) -> Option<usize> {
        let (mut at, mut index) = (0, 0);
        while let Some(token) = tokens.get(index) {
            let found = match token.kind {
                TokenKind::Identifier => part.macros.at(part.raw.word(token)?, place),
                _ => None,
            };
            let length = found.and_then(|one| one.call_length(&tokens[index..], part.raw.bytes));
            let Some((found, length)) = found.zip(length) else {
                // A macro's name may begin a call that goes on elsewhere.
                let same = made.get(at)?.word(&part.unit.text)?;
                is_made(part.raw.word(token)?, same).then_some(())?;
                (at, index) = (at + 1, index + 1);
                continue;
            };
            let call = &tokens[index..index + length];
            let rest = made.get(at..)?;
            let end = rest.last().map_or(0, |t| t.end);
            let list = part.expanded(place, call)?;
            at += self
                .call(part, (found, place), call, list, (rest, end))?
                .len();
            index += length;
        }
        Some(at)
    }
}

#[cfg(test)]
#[path = "alignment_tests.rs"]
mod tests;
