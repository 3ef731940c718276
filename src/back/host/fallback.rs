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
use super::indentation::{columns, shifted, within_braces};
use crate::back::layout::COLUMNS;
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
        let code = String::from_utf8_lossy(edits.bytes(range.clone()));
        let first = code.lines().skip(1).find(|line| !line.trim().is_empty());
        let first = first.map_or(0, |line| line.len() - line.trim_start().len());
        let deeper = columns(indent).saturating_sub(first);
        let made_together = directives.chunk_by(|(one, _), (other, _)| one == other);
        let comments: Vec<(Range<usize>, String)> = made_together
            .filter_map(|made| {
                let range = made.first()?.0.clone();
                Some((range.clone(), self.as_comments(range, made, deeper, edits)))
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
    /// of each, if it can have them. The text is moved so much deeper.
    pub(super) fn as_comments(
        &self,
        range: Range<usize>,
        made: &[(Range<usize>, Span)],
        deeper: usize,
        edits: &Edits<'_>,
    ) -> String {
        let (depth, missing) = edits.depth(range.start, self.source.beside(range.start));
        let room = COLUMNS.saturating_sub(columns(&depth) + deeper);
        let comment = |(_, span): &(Range<usize>, Span)| {
            let words = self.words(*span)?;
            let comment = format!("/* {words}{} */", self.said(*span));
            Some(match self.options.line_marks {
                true => comment,
                false => broken(&comment, room, &format!("\n{depth}   ")),
            })
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

/// A comment with `between` where a line of it ends, each with as many words as there is room for.
fn broken(comment: &str, room: usize, between: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in comment.split(' ') {
        let width = word.chars().count();
        if column > 0 && column + 1 + width > room {
            out.push_str(between);
            column = 3;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += width;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn long_comments_have_several_lines() {
        let comment = "/* loop vector reduction(+:sum) */";
        assert_eq!(broken(comment, 40, "\n   "), comment);
        let lines = "/* loop vector\n   reduction(+:sum)\n   */";
        assert_eq!(broken(comment, 20, "\n   "), lines);
    }
}
