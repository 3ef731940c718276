//! Included files that are read in place.
//!
//! The host program is the user's text with constructs replaced. A construct
//! of an included file has to be replaced in that file's text, so this text
//! takes the place of the `#include` line, and the files between it and the
//! main file do likewise:
//!
//! ```c
//! // main.c                         // the text that is translated
//! #include "grid/fill.h"            #ifndef FILL_H
//! int main(void) { … }              #define FILL_H
//!                                   #include "grid/sizes.h"
//! // grid/fill.h                    static inline void fill(int n, float *a)
//! #ifndef FILL_H                    {
//! #define FILL_H                    #pragma acc parallel loop copyout(a[0:n])
//! #include "sizes.h"                    for (…) …
//! static inline void fill(…) …      }
//! #endif                            #endif
//!                                   int main(void) { … }
//! ```
//!
//! Bytes stay as they are but for what means something else in another file:
//! the names of files beside the included one, and `#pragma once`. A file with
//! that pragma must not be included again by others: those include lines go,
//! and files that have them are read in place, too.
//!
//! Whether the text is still the same to a compiler is not left to reasoning:
//! its tokens, preprocessed, have to be those of the user's own files.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::file::SourceFile;
use super::file::pieces::Builder;
use super::lexer::{self, Token, TokenKind};
use super::preprocess::Preprocessor;
use super::span::Span;
use super::strip::Inclusion;
use super::unit::TranslationUnit;
use crate::diagnostic::{Code, Diagnostic, Diagnostics, codes};

/// How often a text is put together anew, at most: once, and once more for
/// each level of files that include one with `#pragma once` again.
const ROUNDS: usize = 50;

impl TranslationUnit {
    /// The unit with the files that these spans are in read in place.
    ///
    /// `diagnostics` get what is wrong with the text then.
    ///
    /// # Errors
    /// A file cannot be read in place of its `#include` line.
    pub fn read_in_place(
        self,
        spans: &[Span],
        preprocessor: &Preprocessor,
        prefixes: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Result<Self, Box<(Self, Diagnostic)>> {
        let mut wanted = BTreeSet::new();
        for span in spans {
            wanted.extend(self.chain(self.inclusion(*span)));
        }
        let place = spans.first().copied().unwrap_or_default();
        let mut once = BTreeSet::new();
        let mut unit: Option<Self> = None;
        let mut dropped = BTreeSet::new();
        for _ in 0..ROUNDS {
            let base = unit.as_ref().unwrap_or(&self);
            let composed = Composition {
                unit: base,
                preprocessor,
                wanted: &wanted,
                dropped: &dropped,
                once: &mut once,
            }
            .compose();
            let file = match composed {
                Ok(file) => file,
                Err(why) => return Err(Box::new((self, refusal(why, place)))),
            };
            let mut found = Diagnostics::new();
            let next = Self::preprocess(file, preprocessor, prefixes, &mut found);
            (wanted, dropped) = next.again(&once);
            if wanted.is_empty() && dropped.is_empty() {
                if !found.has_errors() && tokens_of(&self.text) != tokens_of(&next.text) {
                    return Err(Box::new((self, refusal(Refusal::Differs, place))));
                }
                found.iter().for_each(|d| diagnostics.push(d.clone()));
                return Ok(next);
            }
            unit = Some(next);
        }
        Err(Box::new((self, refusal(Refusal::Differs, place))))
    }

    /// Whether a span begins in a file of the user's that is included and not
    /// read in place.
    pub fn is_included(&self, span: Span) -> bool {
        let inclusion = self.inclusion(span).and_then(|index| self.included(index));
        inclusion.is_some_and(|inclusion| inclusion.in_main && !inclusion.is_system)
    }

    /// Whether a span begins in a header of the system that is not read in place.
    pub fn is_in_system_header(&self, span: Span) -> bool {
        let inclusion = self.inclusion(span).and_then(|index| self.included(index));
        inclusion.is_some_and(|inclusion| inclusion.is_system)
    }

    /// The inclusion that a span begins in; `None` for the main file.
    pub(super) fn inclusion(&self, span: Span) -> Option<u32> {
        self.line_mark(span.start).and_then(|mark| mark.inclusion)
    }

    /// An inclusion and those that it is in.
    fn chain(&self, inclusion: Option<u32>) -> impl Iterator<Item = u32> {
        let parent = |index: &u32| self.included(*index).and_then(|i| i.parent);
        std::iter::successors(inclusion, parent)
    }

    fn included(&self, index: u32) -> Option<&Inclusion> {
        self.tables.inclusions.get(index as usize)
    }

    fn file_name(&self, file: u32) -> &str {
        &self.tables.files[file as usize]
    }

    /// Inclusions of files that are to be read once and have been: what else
    /// has to be read in place to leave them out, and those that can be.
    fn again(&self, once: &BTreeSet<PathBuf>) -> (BTreeSet<u32>, BTreeSet<u32>) {
        let mut result = (BTreeSet::new(), BTreeSet::new());
        for (index, inclusion) in self.tables.inclusions.iter().enumerate() {
            let path = Path::new(self.file_name(inclusion.file));
            let known = path.canonicalize().is_ok_and(|path| once.contains(&path));
            if known && inclusion.in_main {
                match inclusion.parent {
                    Some(parent) => result.0.extend(self.chain(Some(parent))),
                    None => drop(result.1.insert(index as u32)),
                }
            }
        }
        result
    }

    /// The directive of the main text that an inclusion comes from.
    fn own_directive(&self, inclusion: &Inclusion) -> Option<Token> {
        let (file, after) = inclusion.resumed.filter(|_| !self.renumbered)?;
        let name = self.file_name(file);
        let path = Path::new(self.file_name(inclusion.file));
        let on = |line: u32| {
            let lines = self.file.line_ranges(name, line);
            let (before, behind) = self.bounds(Span::new(inclusion.at, inclusion.at));
            let within = |t: &Token| {
                lines.len() == 1 || (t.start >= before.offset && t.end <= behind.offset)
            };
            lines
                .iter()
                .filter_map(|line| includes(path, &self.file, &self.tokens, line))
                .find(within)
        };
        on(after.checked_sub(1)?).or_else(|| on(after))
    }
}

/// Why a file cannot be read in place of its `#include` line.
enum Refusal {
    /// The line was not found.
    NoDirective(String),
    /// It cannot be read.
    Unreadable(Diagnostic),
    /// A compiler would read something else.
    Differs,
}

fn refusal(why: Refusal, place: Span) -> Diagnostic {
    const CODE: Code = codes::NOT_IN_PLACE;
    let message = "the text of an included file cannot take the place of its `#include` line";
    let found = Diagnostic::error(CODE, message, place);
    let found = match why {
        Refusal::NoDirective(name) => found.note(format!(
            "`{name}` is included by an option, or by a file that has `#line`"
        )),
        Refusal::Unreadable(error) => found.note(error.message),
        Refusal::Differs => found.note(
            "it would mean something else there: `__INCLUDE_LEVEL__`, `__COUNTER__` and `__has_include` depend on the file they are in",
        ),
    };
    found.help("move the constructs of the included file into the main file")
}

/// A text that is put together.
struct Composition<'a> {
    unit: &'a TranslationUnit,
    preprocessor: &'a Preprocessor,
    /// Inclusions to read in place; with each, those that it is in.
    wanted: &'a BTreeSet<u32>,
    /// Inclusions of the main text whose directives go.
    dropped: &'a BTreeSet<u32>,
    /// Files with `#pragma once` that have been read in place.
    once: &'a mut BTreeSet<PathBuf>,
}

impl Composition<'_> {
    fn compose(&mut self) -> Result<SourceFile, Refusal> {
        let main = Arc::new(self.unit.file.clone());
        let mut directives = BTreeMap::new();
        for &index in self.wanted.iter().chain(self.dropped) {
            let inclusion = &self.unit.tables.inclusions[index as usize];
            if inclusion.parent.is_none() {
                let token = self.unit.own_directive(inclusion);
                let token = token.filter(|_| inclusion.in_main);
                let token = token.ok_or_else(|| self.no_directive(index))?;
                directives.insert(token.start, (token, index));
            }
        }
        let mut builder = Builder::default();
        let mut at = 0;
        for (token, index) in directives.into_values() {
            builder.copy(&main, at..token.start as usize);
            if self.wanted.contains(&index) {
                self.file(&mut builder, index, &spelled(token, &main.bytes))?;
            } else {
                let lines = newlines(token.text(&main.bytes));
                builder.text(&main, token.start as usize, &lines);
            }
            at = token.end as usize;
        }
        builder.copy(&main, at..main.bytes.len());
        Ok(builder.finish(&main))
    }

    fn no_directive(&self, index: u32) -> Refusal {
        let inclusion = &self.unit.tables.inclusions[index as usize];
        Refusal::NoDirective(self.unit.file_name(inclusion.file).to_string())
    }

    /// Adds the text of an included file.
    fn file(&mut self, builder: &mut Builder, index: u32, spelled: &str) -> Result<(), Refusal> {
        let inclusion = &self.unit.tables.inclusions[index as usize];
        let path = PathBuf::from(self.unit.file_name(inclusion.file));
        let file = Arc::new(SourceFile::read(&path).map_err(Refusal::Unreadable)?);
        let tokens = lexer::lex(&file.bytes).tokens;
        let mut children = BTreeMap::new();
        for (number, child) in self.unit.tables.inclusions.iter().enumerate() {
            if child.parent != Some(index) {
                continue;
            }
            let path = Path::new(self.unit.file_name(child.file));
            let after = child.resumed.map(|(_, after)| after);
            let token = after.and_then(|after| directive_before(path, &file, &tokens, after));
            let lost = match token {
                Some(token) => children.insert(token.start, number as u32),
                None => Some(number as u32),
            };
            if let Some(lost) = lost.filter(|lost| self.wanted.contains(lost)) {
                return Err(self.no_directive(lost));
            }
        }
        builder.joint(spelled, true, inclusion.is_system);
        let mut at = lexer::byte_order_mark(&file.bytes);
        for token in tokens.iter().filter(|t| t.kind == TokenKind::Directive) {
            let range = token.start as usize..token.end as usize;
            let child = children.get(&token.start).copied();
            if let Some(child) = child.filter(|child| self.wanted.contains(child)) {
                builder.copy(&file, at..range.start);
                self.file(builder, child, &self::spelled(*token, &file.bytes))?;
            } else if let Some(text) = self.adapted(&file, *token, child) {
                builder.copy(&file, at..range.start);
                builder.text(&file, range.start, &text);
            } else {
                continue;
            }
            at = range.end;
        }
        builder.copy(&file, at..file.bytes.len());
        if !file.bytes.ends_with(b"\n") || file.bytes.ends_with(b"\\\n") {
            builder.text(&file, file.bytes.len(), b"\n");
        }
        builder.joint(spelled, false, inclusion.is_system);
        Ok(())
    }

    /// A directive of an included file as it has to be in the main file, if
    /// that is another text.
    fn adapted(&mut self, file: &SourceFile, token: Token, child: Option<u32>) -> Option<Vec<u8>> {
        let text = token.text(&file.bytes);
        if is_once(text) {
            self.once.extend(file.path.canonicalize());
            return Some(newlines(text));
        }
        if !is_include(token, &file.bytes) {
            return None;
        }
        let name = header_name(text);
        let folder = file.path.parent().unwrap_or(Path::new(""));
        let entered = child.map(|child| {
            let inclusion = &self.unit.tables.inclusions[child as usize];
            PathBuf::from(self.unit.file_name(inclusion.file))
        });
        let target = match text.get(name.start) {
            Some(b'"') => {
                let quoted = &text[name.start + 1..name.end.max(name.start + 2) - 1];
                let named = Path::new(std::str::from_utf8(quoted).ok()?);
                Some(folder.join(named)).filter(|path| named.is_relative() && path.is_file())
            }
            Some(b'<') if lexer::directive_name(text) != b"include_next" => None,
            Some(b'<') => entered,
            _ => entered.filter(|path| path.starts_with(folder)),
        }?;
        let target = self.preprocessor.spelling(&self.unit.file.path, &target)?;
        let directive = format!("#include \"{target}\"").into_bytes();
        Some([directive, newlines(text)].concat())
    }
}

/// The directive of an included file that includes `path` and ends on the line
/// before `after`; where the file ends with it, compilers may not count on.
fn directive_before(path: &Path, file: &SourceFile, tokens: &[Token], after: u32) -> Option<Token> {
    let on = |line: u32| includes(path, file, tokens, &file.line_range(line));
    on(after.checked_sub(1)?).or_else(|| on(after))
}

/// The directive that ends within a line and can include `path`.
fn includes(
    path: &Path,
    file: &SourceFile,
    tokens: &[Token],
    line: &Range<usize>,
) -> Option<Token> {
    // `#line` may have led to another one
    let names = |t: Token| {
        let name = spelled(t, &file.bytes);
        let quoted = name.strip_prefix(['"', '<']);
        quoted.is_none_or(|name| {
            Path::new(name.trim_end_matches(['"', '>'])).file_name() == path.file_name()
        })
    };
    let here = |t: &&Token| {
        line.contains(&(t.end as usize - 1)) && is_include(**t, &file.bytes) && names(**t)
    };
    tokens.iter().find(here).copied()
}

fn is_include(token: Token, bytes: &[u8]) -> bool {
    token.kind == TokenKind::Directive
        && [&b"include"[..], b"include_next", b"import"]
            .contains(&lexer::directive_name(token.text(bytes)))
}

/// As many newlines as a directive has: lines after it keep their numbers.
fn newlines(text: &[u8]) -> Vec<u8> {
    let lines = text.iter().filter(|b| **b == b'\n');
    lines.copied().collect()
}

/// `#pragma once`.
fn is_once(text: &[u8]) -> bool {
    super::markers::own_pragma(text, &["once"]).is_some()
}

/// What an include directive names, with its quotes, or the macro.
fn header_name(text: &[u8]) -> Range<usize> {
    let name = lexer::after_hash(text) + lexer::directive_name(text).len();
    let start = lexer::skip_blank(text, name);
    let close = match text.get(start) {
        Some(b'"') => b'"',
        Some(b'<') => b'>',
        _ => return start..start + text[start..].trim_ascii_end().len(),
    };
    let length = text[start + 1..].iter().position(|b| *b == close);
    start..length.map_or(text.len(), |length| start + length + 2)
}

fn spelled(token: Token, bytes: &[u8]) -> String {
    let text = token.text(bytes);
    super::decode_bytes(&text[header_name(text)]).into_owned()
}

/// The tokens of a text; those of directives, in which macros of headers may
/// have been left alone, are left out.
pub fn tokens_of(text: &str) -> Vec<&str> {
    let tokens = lexer::lex(text.as_bytes()).tokens;
    let mut words = Vec::with_capacity(tokens.len());
    let mut in_directive = false;
    for token in tokens {
        let word = &text[token.start as usize..token.end as usize];
        let ends = word == super::markers::DIRECTIVE_END;
        if !in_directive || ends {
            words.push(word);
        }
        in_directive = !ends && (in_directive || word.starts_with(super::markers::DIRECTIVE));
    }
    words
}

#[cfg(test)]
#[path = "included_tests.rs"]
mod tests;
