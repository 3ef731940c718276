//! Lines of code, as programmers count them.
//!
//! Input: a C or CUDA file. Output: its lines that are neither blank nor comment, and
//! how many of them are directives (continuation lines with them).

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::ast::Dialect;
use crate::source::SourceFile;
use crate::source::lexer::{self, Language, TokenKind};
use crate::source::markers::own_pragma;

/// The lines of a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Lines {
    /// Neither blank nor comment.
    pub(super) code: usize,
    /// Of these, those of directives.
    pub(super) directives: usize,
}

/// Counts the lines of a file; none if it cannot be read.
pub(super) fn of(path: &Path) -> Lines {
    SourceFile::read(path).map_or(Lines::default(), |file| count(&file))
}

fn count(file: &SourceFile) -> Lines {
    let line = |offset: u32| file.line_column(offset as usize).0;
    let (mut code, mut directives) = (BTreeSet::new(), BTreeSet::new());
    for token in lexer::lex_as(Language::Cxx, &file.bytes).tokens {
        let lines = line(token.start)..=line(token.end - 1);
        let is_directive = token.kind == TokenKind::Directive;
        if is_directive && own_pragma(token.text(&file.bytes), &Dialect::PREFIXES).is_some() {
            directives.extend(lines.clone());
        }
        code.extend(lines);
    }
    Lines {
        code: code.len(),
        directives: directives.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blank_lines_are_no_code() {
        let text = "/* a\n b */ int x; /* c */\n\n// d\nint y; // e\n\
                    #pragma acc parallel loop \\\n    copy(x)\nx = y;\n\
                    #pragma omp barrier\n";
        let file = SourceFile::new(Path::new("a.c"), text.into());
        let lines = count(&file);
        assert_eq!((lines.code, lines.directives), (6, 2));
    }
}
