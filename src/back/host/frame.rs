//! The text of a construct around what its template says: a comment with the directive, and braces where
//! it has to be one statement or declares something.
//!
//! ```text
//! /* data copy(x[0:n]) */             { /* data copy(x[0:n]) */
//! accrs_begin(…);                         accrs_begin(…);
//! …                                       …
//! accrs_end();                            accrs_end();
//!                                     }
//! ```

use super::edit::Edits;
use super::indentation::{TAB, columns, tabbed};
use super::{Host, RegionText};
use crate::back::layout::{COLUMNS, wrap};
use crate::diagnostic::Diagnostic;
use crate::ir::{Region, RegionKind};
use crate::source::Span;

/// Which part of the text of a region a template has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    /// Statements alone.
    None,
    /// What comes before the statement that the directive governs.
    Begin,
    /// What comes behind it.
    End,
    /// All.
    Whole,
}

/// Stands in `host_compute` for the original text of the construct.
pub(super) const FALLBACK_PLACE: &str = "@fallback@";

impl Host<'_> {
    /// The words of a directive, if a comment can have them.
    pub(super) fn words(&self, directive: Span) -> Option<&String> {
        let words = self.unit.directive_words.get(&directive);
        let words = words.filter(|words| !words.contains("*/") && !words.contains("/*"));
        words.filter(|words| self.has_room(directive, words))
    }

    /// Whether words go on behind what stands before a directive on its line, as it may before `_Pragma`.
    /// What stands for a directive of a macro's begins a line.
    fn has_room(&self, directive: Span, words: &str) -> bool {
        let Ok(range) = self.source.directive_range(directive) else {
            return true;
        };
        let before = self.source.file.bytes.get(..range.start);
        let line = before.and_then(|before| before.rsplit(|b| *b == b'\n').next());
        let line = String::from_utf8_lossy(line.unwrap_or_default());
        let end = line.chars().count() + "{ /*  */".len() + words.chars().count();
        line.trim().is_empty() || end <= COLUMNS
    }

    /// What the user says of a directive on its line, behind the words of it.
    pub(super) fn said(&self, directive: Span) -> String {
        let comment = self.source.directive_comment(directive);
        comment.map_or_else(String::new, |comment| format!(" // {comment}"))
    }

    /// What is said above the code in place of a construct.
    pub(super) fn comment(&self, region: &Region) -> String {
        let words = self.words(region.directive).unwrap_or(&region.title);
        let said = self.said(region.directive);
        match &region.kind {
            RegionKind::Compute { launches, .. } if launches.is_empty() => {
                format!("{words}, on the host{said}")
            }
            _ => format!("{words}{said}"),
        }
    }

    /// A template's text at the indentation of the place where it goes, behind a comment
    /// that says which directive it is of. Its first line stands where the directive
    /// stood, its last line has no newline.
    pub(super) fn render(
        &self,
        name: &str,
        text: &RegionText,
        indent: &str,
        frame: Frame,
        edits: &Edits<'_>,
    ) -> Result<String, Diagnostic> {
        let rendered = self.templates.render(name, text)?;
        let is_block = text.is_block && frame != Frame::None;
        let inside = if is_block { 4 } else { 0 };
        let mut lines: Vec<(usize, String)> = Vec::new();
        if matches!(frame, Frame::Begin | Frame::Whole) {
            let brace = if is_block { "{ " } else { "" };
            lines.push((0, format!("{brace}/* {} */", text.comment)));
        }
        for line in rendered.trim_end().lines() {
            let trimmed = line.trim_start();
            lines.push((line.len() - trimmed.len() + inside, trimmed.to_owned()));
        }
        if is_block && matches!(frame, Frame::End | Frame::Whole) {
            lines.push((0, "}".to_owned()));
        }
        let mut out = String::new();
        let has_tabs = edits.step(indent) == "\t";
        for (depth, line) in self.literal(lines, text.at) {
            if line == FALLBACK_PLACE {
                out.push_str(&text.fallback);
                out.push('\n');
                continue;
            }
            if line.starts_with('#') {
                out.push_str(&line);
                out.push('\n');
                continue;
            }
            let margin = columns(indent);
            let depth = if has_tabs { depth / 4 * TAB } else { depth };
            let mut wrapped = String::new();
            wrap(&mut wrapped, &line, depth + margin);
            for line in wrapped.lines() {
                let line = line.get(margin..).unwrap_or("");
                out.push_str(indent);
                out.push_str(&if has_tabs {
                    tabbed(line)
                } else {
                    line.to_string()
                });
                out.push('\n');
            }
        }
        let text = out.trim_end();
        let ends_in_pragma = text.rsplit('\n').next().is_some_and(|l| l.starts_with('#'));
        let text = text.strip_prefix(indent).unwrap_or(text);
        Ok(match ends_in_pragma {
            true => format!("{text}\n"),
            false => text.to_string(),
        })
    }
}
