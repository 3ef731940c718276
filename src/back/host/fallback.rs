//! The text of a compute region, for a run on the host.
//!
//! ```text
//! #pragma acc parallel loop copy(x)       } else {
//! for (int i = 0; i < n; i++)       ->        for (int i = 0; i < n; i++)
//!     x[i] *= 2;                                  x[i] *= 2;
//!                                         }
//! ```

use std::ops::Range;

use super::Host;
use super::edit::{Edits, Insertion};
use super::indentation::{shifted, within_braces};
use crate::source::Span;

impl Host<'_> {
    /// A statement with comments in place of its directives, with others, at the depth of the
    /// code that runs it: `indent`. Its own braces go where `is_scope` says that others stand for them.
    pub(super) fn host_text(
        &self,
        range: Range<usize>,
        indent: &str,
        insertions: &[Insertion],
        is_scope: bool,
        edits: &Edits<'_>,
    ) -> String {
        let directives = self.source.directives_within(&range);
        let made_together = directives.chunk_by(|(one, _), (other, _)| one == other);
        let comments: Vec<(Range<usize>, String)> = made_together
            .filter_map(|made| {
                let range = made.first()?.0.clone();
                Some((range.clone(), self.as_comments(range, made, edits)))
            })
            .collect();
        let text = edits.with(range.clone(), &comments, insertions);
        if !self.options.line_marks {
            let text = match text.starts_with('\n') {
                true => text.trim_start_matches('\n').to_string(),
                false => format!("{}{}", self.margin(range.start), text.trim_start()),
            };
            let inner = is_scope.then(|| within_braces(&text)).flatten();
            let text = inner.unwrap_or(text);
            return shifted(&text, indent).unwrap_or(text);
        }
        match text.strip_prefix('\n') {
            Some(next) => edits.mark(range.start + 1) + next,
            None => edits.mark(range.start) + &text,
        }
    }

    /// What stands in place of directives that are made together: a comment with the words
    /// of each, if it can have them.
    pub(super) fn as_comments(
        &self,
        range: Range<usize>,
        made: &[(Range<usize>, Span)],
        edits: &Edits<'_>,
    ) -> String {
        let (_, missing) = edits.depth(range.start, self.source.beside(range.start));
        let comment = |(_, span): &(Range<usize>, Span)| {
            let words = self.words(*span)?;
            Some(format!("/* {words}{} */", self.said(*span)))
        };
        let comments: Vec<String> = made.iter().filter_map(comment).collect();
        match comments.is_empty() {
            true => String::new(),
            false => missing + &comments.join(" "),
        }
    }

    /// The blanks with which the line of a place begins, where code may stand before it: the call of
    /// a macro that makes the directive, or `_Pragma`.
    fn margin(&self, at: usize) -> String {
        let before = self.source.file.bytes.get(..at).unwrap_or_default();
        let line = before.rsplit(|b| *b == b'\n').next().unwrap_or_default();
        let blanks = line.iter().take_while(|b| matches!(b, b' ' | b'\t'));
        blanks.map(|b| char::from(*b)).collect()
    }
}
