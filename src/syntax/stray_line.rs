//! Lines that are no C since they should be part of a directive.
//!
//! Input: the text and where the parser stopped. Output: the line, and what is said of it; without it
//! the code can be read on.
//!
//! ```c
//! !$acc parallel loop                   // Fortran's
//!
//! #pragma acc parallel loop copy(a[0:n])
//!     copyin(b[0:n])                    // the line before ends without a backslash
//! ```

use std::ops::Range;

use super::message::span_of;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::markers::DIRECTIVE_END;

/// The line that an offset is in, or the one before, if it is such a one.
pub(super) fn at(text: &str, offset: usize) -> Option<(Range<usize>, Diagnostic)> {
    of_line(text, offset).or_else(|| {
        let before = text.get(..offset)?.rfind('\n')?;
        of_line(text, before)
    })
}

fn of_line(text: &str, offset: usize) -> Option<(Range<usize>, Diagnostic)> {
    let begin = text.get(..offset)?.rfind('\n').map_or(0, |at| at + 1);
    let end = text[offset..]
        .find('\n')
        .map_or(text.len(), |at| offset + at);
    let line = text.get(begin..end)?;
    let start = begin + line.len() - line.trim_start().len();
    let words = line.trim();
    let error = |message: &str, help: String| {
        let span = span_of(start, start + words.len());
        Diagnostic::error(codes::SYNTAX, message, span).help(help)
    };
    let diagnostic = match of_fortran(words) {
        Some(directive) => error(
            "a directive begins with `#pragma`",
            format!("write `#pragma {directive}`"),
        ),
        None if goes_on(text.get(..begin)?, words) => error(
            "this line reads as the rest of the directive before it",
            "end the line before it with `\\`".to_owned(),
        ),
        None => return None,
    };
    Some((begin..end, diagnostic))
}

/// `acc parallel loop` of `!$acc parallel loop`.
fn of_fortran(line: &str) -> Option<String> {
    let words = line.strip_prefix('!')?.trim_start().strip_prefix('$')?;
    let words: Vec<&str> = words.split_whitespace().collect();
    let is_one = matches!(words.first(), Some(&("acc" | "omp")));
    is_one.then(|| words.join(" "))
}

/// Whether a line is clauses with arguments, behind a directive.
fn goes_on(before: &str, line: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name = line.trim_start_matches(is_part);
    let begins =
        line.starts_with(|c: char| c.is_alphabetic()) && name.trim_start().starts_with('(');
    before.trim_end().ends_with(DIRECTIVE_END)
        && begins
        && line.ends_with(')')
        && !line.starts_with("for")
}
