//! Lines of code, as programmers count them.
//!
//! Input: a C or CUDA file. Output: its lines that are neither blank nor comment, and
//! how many of them are directives (continuation lines with them).

use std::path::Path;

use serde::Serialize;

/// The lines of a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Lines {
    /// Neither blank nor comment.
    pub(super) code: usize,
    /// Of these, those of `#pragma acc`.
    pub(super) directives: usize,
}

/// Counts the lines of a file; none if it cannot be read.
pub(super) fn of(path: &Path) -> Lines {
    count(&std::fs::read_to_string(path).unwrap_or_default())
}

fn count(text: &str) -> Lines {
    let mut lines = Lines::default();
    let mut in_comment = false;
    let mut in_directive = false;
    for line in text.lines() {
        let code = without_comments(line, &mut in_comment);
        let code = code.trim();
        if code.is_empty() {
            in_directive = false;
            continue;
        }
        lines.code += 1;
        let words: Vec<&str> = code.split_whitespace().take(2).collect();
        let begins = matches!(words.as_slice(), ["#pragma", "acc"]);
        if begins || in_directive {
            lines.directives += 1;
        }
        in_directive = (begins || in_directive) && code.ends_with('\\');
    }
    lines
}

/// What is left of a line; strings with comment marks in them are rare enough.
fn without_comments(line: &str, in_comment: &mut bool) -> String {
    let mut code = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some(end) = rest.find("*/") else {
                return code;
            };
            rest = &rest[end + 2..];
            *in_comment = false;
        }
        let start = rest.find("/*");
        if let Some(line_comment) = rest.find("//")
            && start.is_none_or(|start| line_comment < start)
        {
            return code + &rest[..line_comment];
        }
        let Some(start) = start else {
            return code + rest;
        };
        code += &rest[..start];
        rest = &rest[start + 2..];
        *in_comment = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_no_code() {
        let text = "/* a\n b */ int x; /* c */\n\n// d\nint y; // e\n\
                    #pragma acc parallel loop \\\n    copy(x)\nx = y;\n";
        let lines = count(text);
        assert_eq!((lines.code, lines.directives), (5, 2));
    }
}
