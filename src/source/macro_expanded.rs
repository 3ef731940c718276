//! Macro calls that are expanded in the text.
//!
//! The host program is the user's text with constructs replaced. A construct
//! that a macro makes along with other code has no text of its own, so what the
//! macro makes takes the place of its call, on one line, directives as operators:
//!
//! ```c
//! #define ADD(n, a) do { PRAGMA(acc parallel loop) for (…) a[i]++; } while (0)
//!
//! ADD(m, x);
//! /* ADD(m, x), expanded: */ do { _Pragma("acc parallel loop") for (…) x[i]++; } while (0);
//! ```
//!
//! Places in it are those of the call. As for included files, whether the text
//! is still the same to a compiler is not left to reasoning: its tokens,
//! preprocessed, have to be those of the user's own.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::file::pieces::Builder;
use super::included::tokens_of;
use super::lexer::{self, Token, TokenKind};
use super::markers::{DIRECTIVE, DIRECTIVE_END};
use super::preprocess::Preprocessor;
use super::span::Span;
use super::unit::TranslationUnit;
use crate::diagnostic::Diagnostics;

/// How the comment ends that stands before what a macro made.
pub(super) const EXPANDED: &str = ", expanded: */";

/// A macro call, as far as it can be told from what stands beside it.
struct Call {
    /// In the file.
    bytes: Range<usize>,
    /// In the text: what it makes.
    made: Range<u32>,
    /// Of the pragmas that are not translated, those that it makes.
    pragmas: Range<usize>,
}

impl TranslationUnit {
    /// The unit with the calls expanded that make what is at these spans, but
    /// for those that hold lines such as `#if`. `None` where there is no other, or
    /// what they make would mean something else there, as `__COUNTER__` does.
    ///
    /// `diagnostics` get what is wrong with the text then.
    pub fn write_out(
        &self,
        spans: &[Span],
        preprocessor: &Preprocessor,
        prefixes: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let mut calls = BTreeMap::new();
        for call in spans.iter().filter_map(|span| self.call(*span)) {
            calls.insert(call.bytes.start, call);
        }
        if calls.is_empty() {
            return None;
        }
        let main = Arc::new(self.file.clone());
        let mut builder = Builder::default();
        let mut at = 0;
        for call in calls.values() {
            builder.copy(&main, at..call.bytes.start);
            builder.text(&main, call.bytes.start, &self.written(call));
            at = call.bytes.end;
        }
        builder.copy(&main, at..main.bytes.len());
        let file = builder.finish(&main);
        let mut found = Diagnostics::new();
        let unit = Self::preprocess(file, preprocessor, prefixes, &mut found);
        let is_same = tokens_of(&self.text) == tokens_of(&unit.text)
            && self.foreign_texts().eq(unit.foreign_texts());
        if found.has_errors() || !is_same {
            return None;
        }
        found.iter().for_each(|d| diagnostics.push(d.clone()));
        Some(unit)
    }

    fn foreign_texts(&self) -> impl Iterator<Item = &str> {
        self.tables.pragmas.iter().map(|p| p.text.as_str())
    }

    /// What stands between the markers around a span. No marker stands in the call
    /// of a macro, so that this holds the call as a whole.
    fn call(&self, span: Span) -> Option<Call> {
        let (before, after) = self.bounds(span);
        let first = self.tokens.partition_point(|t| t.start < before.offset);
        let behind = self.tokens.partition_point(|t| t.end <= after.offset);
        let tokens = self.tokens.get(first..behind)?;
        let is_line = |t: &Token| t.kind == TokenKind::Directive;
        let lines = tokens.iter().take_while(|t| is_line(t)).count();
        let (lines, tokens) = tokens.split_at(lines);
        if tokens.iter().any(is_line) {
            return None;
        }
        // What those lines include stands before what the call makes.
        let marks = self.tables.lines.iter();
        let between = marks.filter(|m| before.at < m.at && m.at <= span.start);
        let start = between.fold(before.at, |start, mark| match mark.main {
            true if start == u32::MAX => mark.at,
            true => start,
            false => u32::MAX,
        });
        let name = |t: &Token| lexer::directive_name(t.text(&self.file.bytes)) == b"pragma";
        let foreign = |at: u32| self.tables.pragmas.partition_point(|p| p.at < at);
        Some(Call {
            bytes: tokens.first()?.start as usize..tokens.last()?.end as usize,
            made: start.min(after.at)..after.at,
            pragmas: foreign(before.at) + lines.iter().filter(|t| name(t)).count()
                ..foreign(after.at),
        })
    }

    /// What stands for a call: as many lines as it has.
    fn written(&self, call: &Call) -> Vec<u8> {
        let bytes = &self.file.bytes[call.bytes.clone()];
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = words(&super::decode_bytes(bytes)).replace("*/", "* /");
        let name = name.trim_end_matches(';');
        let text = format!("/* {name}{EXPANDED} {}", self.with_operators(call));
        let mut written = super::encode_bytes(&text).into_owned();
        written.extend(bytes.iter().filter(|b| **b == b'\n'));
        written
    }

    /// What a call makes, on one line, its directives and other pragmas as operators.
    fn with_operators(&self, call: &Call) -> String {
        let directives = self.tables.directives.iter().map(|d| d.span);
        let directives = directives.filter(|span| call.made.contains(&span.start));
        let text = |span: Span| directive_text(self.slice(span.start..span.end));
        let mut operators: Vec<(Span, &str)> = directives.map(|span| (span, text(span))).collect();
        for pragma in self.tables.pragmas.get(call.pragmas.clone()).unwrap_or(&[]) {
            operators.push((Span::new(pragma.at, pragma.at), &pragma.text));
        }
        operators.sort_by_key(|(span, _)| span.start);
        let mut out = Vec::new();
        let mut at = call.made.start;
        let lines = |from: u32, to: u32| self.slice(from..to).lines().map(str::to_string);
        for (span, text) in operators {
            out.extend(lines(at, span.start));
            let quoted = text.replace('\\', "\\\\").replace('"', "\\\"");
            out.push(format!("_Pragma(\"{quoted}\")"));
            at = span.end;
        }
        out.extend(lines(at, call.made.end));
        let pieces = out.iter().map(|piece| piece.trim());
        let pieces: Vec<&str> = pieces.filter(|piece| !piece.is_empty()).collect();
        pieces.join(" ")
    }
}

/// What stands between a directive's marks, `acc` included.
fn directive_text(marked: &str) -> &str {
    let text = marked.strip_prefix(DIRECTIVE).unwrap_or(marked);
    text.strip_suffix(DIRECTIVE_END).unwrap_or(text).trim()
}

#[cfg(test)]
#[path = "macro_expanded_tests.rs"]
mod tests;
