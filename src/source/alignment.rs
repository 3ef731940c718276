//! Which tokens of the text are those of the main file, and which ones calls of
//! macros made.
//!
//! Input: markers, raw tokens, macros. Between two markers the tokens of the file and
//! of the text are read side by side: where the file has a macro's name, what follows
//! in the text has to be what its call makes, token for token. A stretch in which that
//! does not come out even is left as it is: nothing is known of its calls.
//!
//! ```c
//! u[IDX(i, j)] = C1 * avg;                 the file
//! u[((i) * ny + (j))] = 0.25f * avg;       the text: two calls, with their spans
//! ```

use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::call::Call;
use super::lexer::{self, Token, TokenKind};
use super::macros::{Macro, Macros, expand};
use super::span::Span;
use super::strip::Marker;
use super::unit::TranslationUnit;

/// What is known of the tokens of some parts of the text.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    /// By the place where what they make begins.
    by_start: HashMap<u32, Call>,
    /// Tokens in order: start and end in the text, index of the raw token.
    tokens: Vec<(u32, u32, u32)>,
}

impl Alignment {
    /// The call that made all of a span, and nothing else. Spans may end with blanks.
    pub fn call(&self, span: Span) -> Option<&Call> {
        let call = self.by_start.get(&span.start)?;
        (call.end.0 <= span.end && span.end <= call.end.1).then_some(call)
    }

    /// The definitions of all calls.
    pub fn macros(&self) -> impl Iterator<Item = &Rc<Macro>> {
        self.by_start.values().flat_map(|call| &call.macros)
    }

    /// Whether there are no calls.
    pub fn has_no_calls(&self) -> bool {
        self.by_start.is_empty()
    }

    /// The raw token that made the one at the beginning of a span.
    pub(super) fn first_raw(&self, span: Span) -> Option<usize> {
        let index = self.tokens.binary_search_by_key(&span.start, |t| t.0);
        Some(self.tokens[index.ok()?].2 as usize)
    }

    /// The raw token that made the last one of a span.
    pub(super) fn last_raw(&self, span: Span) -> Option<usize> {
        let behind = self.tokens.partition_point(|t| t.1 <= span.end);
        let last = self.tokens.get(behind.checked_sub(1)?)?;
        (last.0 >= span.start).then_some(last.2 as usize)
    }
}

impl TranslationUnit {
    /// Reads parts of the text beside the file. Linear in their lengths.
    pub fn alignment(&self, mut parts: Vec<Span>) -> Alignment {
        let mut known = Alignment::default();
        let macros = Macros::new(&self.tables.definitions);
        parts.sort_unstable_by_key(|span| (span.start, span.end));
        // The first stretch begins with the file.
        let markers: Vec<Marker> = std::iter::once(Marker::default())
            .chain(self.tables.markers.iter().copied())
            .collect();
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
                if stretch.read(self, &macros, pair[0], pair[1]).is_some() {
                    known.by_start.extend(stretch.calls);
                    known.tokens.extend(stretch.tokens);
                }
            }
        }
        known
    }

    /// Where the token that begins a span stands in the file: the token itself, or the call
    /// of a macro that makes it first.
    pub fn start_in_file(&self, known: &Alignment, span: Span) -> Option<usize> {
        let raw = self.tokens.get(known.first_raw(span)?)?;
        let text = raw.text(&self.file.bytes);
        let made = self.text.as_bytes().get(span.start as usize..)?;
        let is_itself = made.starts_with(text);
        (is_itself || known.by_start.contains_key(&span.start)).then_some(raw.start as usize)
    }

    /// The tokens of a part of the text that are of the main file, and of none that it includes.
    fn own_tokens(&self, from: u32, to: u32) -> Vec<Token> {
        let lines = &self.tables.lines;
        let behind = lines.partition_point(|line| line.at <= from);
        let mut is_own = behind
            .checked_sub(1)
            .is_none_or(|before| lines[before].main);
        let mut at = from;
        let mut tokens = Vec::new();
        let mut read = |part: Range<u32>| {
            let part = part.start as usize..part.end as usize;
            tokens.extend(lexer::lex_fragment(self.text.as_bytes(), part).tokens);
        };
        for line in lines[behind..].iter().take_while(|line| line.at < to) {
            if is_own && !line.main {
                read(at..line.at);
            } else if !is_own {
                at = line.at;
            }
            is_own = line.main;
        }
        if is_own {
            read(at..to);
        }
        tokens
    }

    /// What stands in a call, on one line, comments aside.
    fn on_one_line(&self, tokens: &[Token]) -> Option<String> {
        let mut text = String::new();
        let mut end = None;
        for token in tokens {
            if end.is_some_and(|end| end < token.start) {
                text.push(' ');
            }
            text.push_str(std::str::from_utf8(token.text(&self.file.bytes)).ok()?);
            end = Some(token.end);
        }
        (!text.contains(['\\', '\n'])).then_some(text)
    }
}

/// What lies between two markers.
#[derive(Default)]
struct Stretch {
    calls: Vec<(u32, Call)>,
    tokens: Vec<(u32, u32, u32)>,
}

impl Stretch {
    /// `None` if the file's tokens do not explain the text's.
    fn read(
        &mut self,
        unit: &TranslationUnit,
        macros: &Macros,
        from: Marker,
        to: Marker,
    ) -> Option<()> {
        let bytes = &unit.file.bytes;
        let begin = unit.tokens.partition_point(|t| t.start < from.offset);
        let behind = unit.tokens.partition_point(|t| t.end <= to.offset);
        let raw = unit.tokens.get(begin..behind)?;
        let made = unit.own_tokens(from.at, to.at);
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
                let raw = (begin + index) as u32;
                self.tokens.push((same.start, same.end, raw));
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
                let raw = (begin + index) as u32;
                self.tokens.push((first.start, first.end, raw));
                if text.len() > 1 {
                    let raw = (begin + index + length - 1) as u32;
                    self.tokens.push((last.start, last.end, raw));
                }
                let next = made.get(at + text.len()).map_or(to.at, |t| t.start);
                let end = (last.end, next.max(last.end));
                let made = list.into_iter().map(str::to_string).collect();
                self.call(unit, macros, (found, place), call, (first.start, end, made));
            }
            at += text.len();
            index += length;
        }
        (at == made.len()).then_some(())
    }

    /// Notes a call whose definitions can be brought along.
    fn call(
        &mut self,
        unit: &TranslationUnit,
        macros: &Macros,
        (found, at): (&Rc<Macro>, u32),
        tokens: &[Token],
        (start, end, made): (u32, (u32, u32), Vec<String>),
    ) {
        let Some(mut needed) = macros.closure(found, at) else {
            return;
        };
        // Arguments may have calls, too.
        for token in tokens {
            let name = std::str::from_utf8(token.text(&unit.file.bytes)).unwrap_or("");
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
        let Some(text) = unit.on_one_line(tokens) else {
            return;
        };
        let macros = needed;
        self.calls.push((
            start,
            Call {
                text,
                end,
                made,
                macros,
            },
        ));
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
