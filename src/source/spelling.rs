//! How the user wrote code of which calls of macros made a part, and where.
//!
//! Input: a span of the text, and which calls made what around it ([`Alignment`]). Output: the bytes
//! of the main file that are that code and no other: from its first token, or the call that made
//! it, to its last one. What stands in an argument of a call is found among the call's tokens: those
//! that come to the span's.
//!
//! ```c
//! #define IDX(i, j) ((i) * ny + (j))
//! #define MAX(a, b) ((a) > (b) ? (a) : (b))
//! err = MAX(err, u[IDX(i, j)]);       // `u[IDX(i, j)]` for `u[((i) * ny + (j))]`, both of them
//! ```

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::alignment::{Alignment, RawToken};
use super::call::Call;
use super::directive_texts::DirectiveTexts;
use super::lexer::Token;
use super::macros::expand;
use super::span::Span;
use super::unit::TranslationUnit;

/// In longer calls nothing is looked for.
const MOST: usize = 256;

/// What is written for a span.
pub(super) enum Written {
    /// That code.
    Exact(Range<usize>),
    /// A call that made more than it.
    Within(Range<usize>),
}

/// How the user wrote parts of the text of which calls of macros made some, each on one line.
#[derive(Clone, Debug, Default)]
pub struct Spellings {
    code: HashMap<Span, String>,
    directives: DirectiveTexts,
}

impl Spellings {
    /// Those of a file's directives.
    pub fn of_directives(unit: &TranslationUnit, prefixes: &[&str]) -> Self {
        Self {
            code: HashMap::new(),
            directives: unit.directive_texts(prefixes),
        }
    }

    /// Adds one of code.
    pub fn add(&mut self, span: Span, text: String) {
        self.code.insert(span, text);
    }

    /// What is written for a part of code or of a directive, if a call of a macro is in it.
    pub fn of(&self, span: Span) -> Option<Cow<'_, str>> {
        let code = self.code.get(&span).map(|text| Cow::from(text.as_str()));
        code.or_else(|| self.in_directive(span).map(Cow::from))
    }

    /// The same of a part of a directive.
    pub fn in_directive(&self, part: Span) -> Option<String> {
        self.directives.with_calls(part)
    }
}

impl TranslationUnit {
    /// The code of the main file that stands for a span, on one line; `None` where no call made any
    /// of it, or that is not known.
    pub fn spelling(&self, known: &Alignment, span: Span) -> Option<String> {
        let Written::Exact(range) = self.written_for(known, span)? else {
            return None;
        };
        let raw = self.raw(known, 0);
        let tokens = raw.tokens;
        let first = tokens.partition_point(|t| (t.start as usize) < range.start);
        let behind = tokens.partition_point(|t| (t.end as usize) <= range.end);
        raw.on_one_line(tokens.get(first..behind)?)
    }

    /// Where what stands for a span is written.
    pub(super) fn written_for(&self, known: &Alignment, span: Span) -> Option<Written> {
        let tokens = self.text_tokens(span.start..span.end);
        let (first, last) = (tokens.first()?, tokens.last()?);
        if let Some((first, last)) = self.start(known, first).zip(self.end(known, span, last)) {
            let (first, last) = (self.tokens.get(first.index)?, self.tokens.get(last.index)?);
            let range = first.start as usize..last.end as usize;
            return (range.start < range.end).then_some(Written::Exact(range));
        }
        let call = known.around(first.start).filter(|c| last.end <= c.end.0)?;
        let raw = self.tokens.get(call.raw.clone()?)?;
        let whole = raw.first()?.start as usize..raw.last()?.end as usize;
        if self.is_in_parentheses(call, &tokens) {
            return Some(Written::Exact(whole));
        }
        let found = self.argument(call, raw, &tokens);
        Some(found.map_or(Written::Within(whole), Written::Exact))
    }

    /// Whether a call makes these tokens with nothing but parentheses around them.
    fn is_in_parentheses(&self, call: &Call, tokens: &[Token]) -> bool {
        let pairs = call.made.len().saturating_sub(tokens.len()) / 2;
        let (before, rest) = call.made.split_at(pairs);
        let same = rest.iter().zip(tokens);
        call.made.len() == tokens.len() + 2 * pairs
            && before.iter().all(|word| word == "(")
            && rest[tokens.len()..].iter().all(|word| word == ")")
            && same
                .map(|(word, token)| (Some(word.as_str()), token.word(&self.text)))
                .all(|(a, b)| a == b)
    }

    /// The token of the main file that a token is, or the call whose first one it is.
    fn start(&self, known: &Alignment, token: &Token) -> Option<RawToken> {
        let raw = known.first_raw(Span::new(token.start, token.end))?;
        let is_call = known
            .around(token.start)
            .is_some_and(|call| call.start == token.start);
        (raw.file == 0 && (is_call || self.is_itself(raw, token))).then_some(raw)
    }

    /// The same of the last one of a span: a call has to be in the span as a whole.
    fn end(&self, known: &Alignment, span: Span, token: &Token) -> Option<RawToken> {
        let raw = known.last_raw(Span::new(token.start, token.end))?;
        let is_call = known
            .around(token.start)
            .is_some_and(|call| call.start >= span.start && call.end.0 == token.end);
        (raw.file == 0 && (is_call || self.is_itself(raw, token))).then_some(raw)
    }

    fn is_itself(&self, raw: RawToken, token: &Token) -> bool {
        let written = self.tokens.get(raw.index);
        written.is_some_and(|t| t.text(&self.file.bytes) == token.text(self.text.as_bytes()))
    }

    /// Which tokens of a call come to these.
    fn argument(&self, call: &Call, raw: &[Token], made: &[Token]) -> Option<Range<usize>> {
        let word = |t: &Token| std::str::from_utf8(t.text(&self.file.bytes)).ok();
        let words: Option<Vec<&str>> = raw.iter().map(word).collect();
        let words = words.filter(|words| words.len() <= MOST)?;
        let of_text = |t: &Token| t.word(&self.text);
        let made: Vec<&str> = made.iter().map(of_text).collect::<Option<_>>()?;
        let find = |name: &str| {
            let found = call.macros.iter().find(|one| one.name == name);
            found.map(|found| &**found)
        };
        (1..words.len()).find_map(|first| {
            let may_begin = words[first] == made[0] || find(words[first]).is_some();
            let mut ends = first + 1..words.len().min(first + made.len() + MOST);
            let end = ends.find(|end| {
                may_begin && expand(&words[first..*end], &find).is_some_and(|list| list == made)
            })?;
            Some(raw[first].start as usize..raw[end - 1].end as usize)
        })
    }
}

#[cfg(test)]
#[path = "spelling_tests.rs"]
mod tests;
