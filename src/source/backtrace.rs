//! What made the text at a place: macros that are expanded there, files that include its own.

use super::lexer::{self, TokenKind};
use super::span::Span;
use super::unit::TranslationUnit;

/// Definitions are shown up to so many characters.
const SHOWN: usize = 80;

impl TranslationUnit {
    /// In words, innermost first, as far as the place itself does not show it.
    pub fn backtrace(&self, span: Span) -> Vec<String> {
        let Some(range) = self.original_range(span) else {
            return Vec::new();
        };
        let mut notes: Vec<String> = self.expansion(span, range.start).into_iter().collect();
        notes.extend(self.inclusions(range.start));
        notes
    }

    /// That a macro which is called at an offset of the file makes the text at a span.
    fn expansion(&self, span: Span, at: usize) -> Option<String> {
        let index = (self.tokens).partition_point(|token| (token.start as usize) < at);
        let token = self.tokens.get(index)?;
        let is_name = token.kind == TokenKind::Identifier && token.start as usize == at;
        let name = std::str::from_utf8(token.text(&self.file.bytes)).ok()?;
        let part = span.start as usize..span.end as usize;
        let first = lexer::lex_fragment(self.text.as_bytes(), part).tokens;
        let first = first.first()?.text(self.text.as_bytes());
        if !is_name || first == name.as_bytes() {
            return None;
        }
        let macros = self.macros();
        let made = macros.at(name, span.start).filter(|one| !one.is_system)?;
        let definition = self.definition(made);
        let line = definition.lines().next().unwrap_or_default();
        let line = line.trim_end_matches(['\\', ' ', '\t']);
        let mut shown: String = line.chars().take(SHOWN).collect();
        if shown.len() < definition.len() {
            shown.push_str(" …");
        }
        Some(format!("`{name}` is a macro: `{shown}`"))
    }

    /// The `#include` lines that lead to an offset of the text, innermost first.
    fn inclusions(&self, at: usize) -> Vec<String> {
        let mut open = Vec::new();
        for joint in self.file.joints().iter().filter(|joint| joint.at <= at) {
            match joint.begins {
                true => open.push(joint),
                false => drop(open.pop()),
            }
        }
        let places = open.iter().enumerate().rev().map(|(depth, joint)| {
            let outer = depth.checked_sub(1).and_then(|outer| open.get(outer));
            // The line stood where the included text begins, maybe as the first one of its file.
            let is_first = outer.map_or(joint.at == 0, |outer| outer.at == joint.at);
            let line = match is_first {
                true => 1,
                false => self.file.line_column(joint.at - 1).0 + 1,
            };
            let by = match outer {
                Some(outer) => outer.included.trim_matches(['"', '<', '>']).to_owned(),
                None => self.file.name().into_owned(),
            };
            format!("{} is included at {by}:{line}", joint.included)
        });
        places.collect()
    }
}
