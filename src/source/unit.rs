//! One translation unit: the text that is parsed, and the way back to files.
//!
//! Exactness: `original_range` is for underlining and does its best; the
//! functions for rewriting (`region_end`, `statement_range`,
//! `directive_range`) answer exactly or not at all.
//!
//! A query costs a binary search, plus the raw text between the two markers
//! around its place, which is mostly one statement.

use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::sync::OnceLock;

use super::bytes::decode_bytes;
use super::expand;
use super::file::SourceFile;
use super::file::pieces::Joint;
use super::lexer::{self, Problem, ProblemKind, Token, TokenKind};
use super::markers::{self, Renumbering};
use super::preprocess::{self, Preprocessor};
use super::span::Span;
use super::strip::{self, LiveProblem, Stripped, Tables};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Label, Place, Severity, codes};

/// A preprocessed file. Spans of all later stages index [`Self::text`].
#[derive(Debug, Default)]
pub struct TranslationUnit {
    /// The main file.
    pub file: SourceFile,
    /// C tokens and directives; the form is described in [`crate::source`].
    pub text: String,
    pub(super) tables: Tables,
    /// Raw tokens of the main file.
    pub(super) tokens: Vec<Token>,
    /// Whether `#line` makes the compiler's line numbers useless for offsets.
    pub(super) renumbered: bool,
    /// Where directives stand in the file, once that has been asked.
    pub(super) directive_ranges: OnceLock<Vec<(Range<usize>, Span)>>,
}

impl TranslationUnit {
    /// Preprocesses a file, with pragmas of `prefixes` (such as `acc`) kept as
    /// directives. What is wrong goes to `diagnostics`; after an error the
    /// text may be empty or partial, yet places can be asked for.
    pub fn preprocess(
        file: SourceFile,
        preprocessor: &Preprocessor,
        prefixes: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let lexed = lexer::lex(&file.bytes);
        let renumbered = lexed.tokens.iter().any(|t| renumbers(*t, &file.bytes));
        let mut unit = Self {
            file,
            renumbered,
            ..Self::default()
        };
        let endless = lexed
            .problems
            .iter()
            .find(|p| p.kind == ProblemKind::UnterminatedComment);
        if let Some(problem) = endless {
            diagnostics.push(in_file(problem));
            return unit;
        }
        let name = unit.file.path.as_os_str().as_bytes();
        let renumberings = renumberings(&unit.file);
        let copy = markers::mark(&unit.file.bytes, &lexed, name, prefixes, &renumberings);
        unit.tokens = lexed.tokens;
        let output = match preprocessor.run(&unit.file.path, &copy.text) {
            Ok(output) => output,
            Err(mut rejection) => {
                rejection.labels.extend(unit.rejected_line(&rejection));
                diagnostics.push(rejection);
                return unit;
            }
        };
        if output.len() > (u32::MAX / 2) as usize {
            let message = "the preprocessed text is over 2 GiB";
            diagnostics.push(Diagnostic::global(codes::UNREADABLE, message));
            return unit;
        }
        let name = decode_bytes(name);
        let mut stripped = strip::strip(&output, &name, prefixes, &[]);
        let bodies = expand::bodies(&stripped, &copy, preprocessor, &unit.file.path);
        if let Some(bodies) = bodies {
            stripped = strip::strip(&output, &name, prefixes, &bodies);
        }
        let Stripped {
            text,
            tables,
            problems,
        } = stripped;
        for problem in problems {
            match problem {
                LiveProblem::InCopy(index) => {
                    if let Some(problem) = copy.problems.get(index) {
                        diagnostics.push(in_file(problem));
                    }
                }
                LiveProblem::InDirective(kind, span) => {
                    diagnostics.push(describe(kind, Place::Span(span)))
                }
            }
        }
        unit.text = text;
        unit.tables = tables;
        unit
    }

    /// The line that the preprocessor rejects; none where files are read in place, whose lines are not
    /// counted here.
    fn rejected_line(&self, rejection: &Diagnostic) -> Option<Label> {
        let number = preprocess::rejected_line(rejection, &self.file.path)?;
        let mut lines = self.file.bytes.split_inclusive(|byte| *byte == b'\n');
        let start: usize = lines
            .by_ref()
            .take(number.checked_sub(1)?)
            .map(<[u8]>::len)
            .sum();
        let line = lines.next().filter(|_| self.file.joints().is_empty())?;
        let blanks = line.len() - line.trim_ascii_start().len();
        Some(Label {
            place: Place::Source(start + blanks..start + line.trim_ascii_end().len().max(blanks)),
            text: String::new(),
        })
    }

    /// A piece of the text; empty where there is none.
    pub(super) fn slice(&self, range: Range<u32>) -> &str {
        let range = range.start as usize..range.end as usize;
        self.text.get(range).unwrap_or("")
    }
}

/// Where the text goes on with another file, or with one that goes on itself.
fn renumberings(file: &SourceFile) -> Vec<Renumbering> {
    let of = |joint: &Joint| {
        let (origin, offset) = file.origin(joint.at);
        Renumbering {
            at: joint.at,
            name: origin.path.as_os_str().as_bytes().to_vec(),
            line: origin.line_column(offset).0,
            is_system: joint.begins && joint.is_system,
        }
    };
    file.joints().iter().map(of).collect()
}

/// Whether a raw token changes the compiler's idea of lines.
fn renumbers(token: Token, bytes: &[u8]) -> bool {
    if token.kind != TokenKind::Directive {
        return false;
    }
    let text = token.text(bytes);
    let first = text.get(lexer::after_hash(text));
    let number = first.is_some_and(u8::is_ascii_digit);
    number || lexer::directive_name(text) == b"line"
}

fn in_file(problem: &Problem) -> Diagnostic {
    describe(
        problem.kind,
        Place::Source(problem.range.start as usize..problem.range.end as usize),
    )
}

fn describe(kind: ProblemKind, place: Place) -> Diagnostic {
    let (code, message, help): (Code, &str, &str) = match kind {
        ProblemKind::UnterminatedComment => (
            codes::UNTERMINATED,
            "this comment does not end",
            "close it with `*/`",
        ),
        ProblemKind::UnterminatedString => (
            codes::UNTERMINATED,
            "this string does not end on its line",
            "close it with `\"`",
        ),
        ProblemKind::UnterminatedCharacter => (
            codes::UNTERMINATED,
            "this character constant does not end on its line",
            "close it with `'`",
        ),
        ProblemKind::InvalidUtf8 => (
            codes::INVALID_UTF8,
            "this byte is not UTF-8 and stands outside comments and strings",
            "save the file as UTF-8, or remove the byte",
        ),
        ProblemKind::ControlCharacter => (
            codes::CONTROL_CHARACTER,
            "a control character stands outside comments and strings",
            "remove it",
        ),
        ProblemKind::ReservedIdentifier => (
            codes::RESERVED_NAME,
            "identifiers that begin with `__accrs_` are reserved for the translation",
            "choose another name",
        ),
        ProblemKind::BraceInDirective => (
            codes::DIRECTIVE_SYNTAX,
            "a directive ends with its line, and this block begins in it",
            "put the `{` on the next line",
        ),
        ProblemKind::UnbalancedBracket(bracket) => {
            return unbalanced(char::from(bracket), place);
        }
    };
    Diagnostic::new(Severity::Error, code, message, place).help(help)
}

/// The error for a bracket of a directive without a partner.
fn unbalanced(bracket: char, place: Place) -> Diagnostic {
    let (message, help) = match bracket {
        '(' | '[' => {
            let closing = if bracket == '(' { ')' } else { ']' };
            (
                format!("this `{bracket}` of the directive is not closed by a `{closing}`"),
                format!(
                    "write `{closing}` where what it begins ends; a backslash at the end of a line \
                     continues the directive"
                ),
            )
        }
        _ => (
            format!("this `{bracket}` of the directive closes nothing"),
            "remove it, or write the bracket that it closes; a backslash at the end of a line continues the \
             directive"
                .to_owned(),
        ),
    };
    let severity = Severity::Error;
    Diagnostic::new(severity, codes::UNBALANCED_DIRECTIVE, message, place).help(help)
}
