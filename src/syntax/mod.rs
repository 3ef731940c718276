//! From preprocessed text to the syntax tree.
//!
//! Input: the text that [`crate::source`] hands over: C after preprocessing,
//! directives between marker words, nothing else. Output: the AST, and
//! diagnostics for what is not C. The parser is generated from
//! `grammar/*.pest`; no other part of the crate knows about it.
//!
//! External declarations are parsed one after the other. Each is parsed
//! without knowing typedef names, then walked with them known (see `walk`),
//! so that the walk of one declares what the next may need, and an error in
//! one hides no error in the next.
//!
//! Parsing is recursive, and [`parse`] is made for a thread with
//! [`STACK_BYTES`] of stack: code at the limits needs up to 64 MiB of it here,
//! ordinary code less than 2. What it establishes for the stages after it: no
//! tree is deeper than [`MAX_DEPTH`] links of chains and [`MAX_BRACKETS`]
//! brackets; what goes beyond is an error.

mod brackets;
mod grammar;
mod habit;
mod message;
mod scope;
mod stray_line;
mod walk;

use crate::ast::{Directive, Expression, Misspelt, TranslationUnit};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Span;
use grammar::Rule;
use walk::Walker;

/// The stack that parsing, and passes that recurse over the tree, may need.
/// Trees must be dropped on such a thread too.
pub const STACK_BYTES: usize = 512 << 20;

/// How deep brackets may nest: C asks for 63 parentheses and 127 blocks
/// (5.2.4.1), clang allows 256.
pub const MAX_BRACKETS: usize = 1_000;

/// How deep a tree may get through chains of operators, statements and
/// labels: a sum of 20,000 terms is legal, since generated code has such.
pub const MAX_DEPTH: usize = 30_000;

/// After so many errors in plain C the rest is not looked at.
const MAX_ERRORS: usize = 20;

/// Whether a dialect has a directive, as far as the names of its clauses are in a place: what a
/// mistake may be replaced with.
pub type Takes = fn(&Directive<Expression>, Span) -> Option<Vec<Misspelt>>;

/// Parses a preprocessed file; any words are directives and clauses.
///
/// Returns what [`parse_with`] does.
pub fn parse(text: &str, diagnostics: &mut Diagnostics) -> Option<TranslationUnit> {
    parse_with(text, |_, _| Some(Vec::new()), diagnostics)
}

/// Parses a preprocessed file.
///
/// Returns `None` where the text is no C, with at least one error reported;
/// errors inside directives alone still give a tree, without the directives
/// that could not be read.
pub fn parse_with(
    text: &str,
    takes: Takes,
    diagnostics: &mut Diagnostics,
) -> Option<TranslationUnit> {
    if let Some(offset) = brackets::deeper_than(text, MAX_BRACKETS) {
        diagnostics.push(message::brackets_too_deep(offset));
        return None;
    }
    grammar::admit(text.len());
    let mut walker = Walker::new(text, takes, diagnostics);
    let mut unit = TranslationUnit::default();
    let mut errors = 0;
    let mut at = 0;
    while let Some(start) = next_token(text, at) {
        let rest = text.get(start..).unwrap_or_default();
        match grammar::parse(Rule::external_unit, rest) {
            Ok(nodes) => {
                at = start + nodes.as_str().len();
                unit.items.extend(walker.external(nodes));
            }
            Err(error) => {
                let found = external_errors(text, start, &error, MAX_ERRORS - errors);
                errors += found.len();
                found.into_iter().for_each(|error| walker.report(error));
                if errors >= MAX_ERRORS {
                    return None;
                }
                at = brackets::external_end(text, start);
            }
        }
    }
    (errors == 0 && !walker.failed()).then_some(unit)
}

/// The errors of one external declaration, at most `most`: the first, and
/// those that show when the statements of the ones before are blanked out.
fn external_errors(
    text: &str,
    start: usize,
    first: &pest::error::Error<Rule>,
    most: usize,
) -> Vec<Diagnostic> {
    let base = u32::try_from(start).unwrap_or(u32::MAX);
    let mut at = start + message::position(first);
    let mut blanked = text.to_owned();
    let mut stray = stray_line::at(text, at);
    let mut errors = vec![match &stray {
        Some((_, said)) => said.clone(),
        None => message::syntax_error(text, base, first),
    }];
    while errors.len() < most {
        let around = match stray.take() {
            Some((line, _)) => Some((line.start, line.end)),
            None => brackets::statement_around(&blanked, start, at),
        };
        let Some((begin, end)) = around else {
            break;
        };
        let blank = blanked.get(begin..end).is_none_or(|s| s.trim().is_empty());
        if blank || end <= at && !blanked[at..].starts_with('}') {
            break;
        }
        blanked.replace_range(begin..end, &" ".repeat(end - begin));
        match grammar::parse(
            Rule::external_unit,
            blanked.get(start..).unwrap_or_default(),
        ) {
            Ok(_) => break,
            Err(error) => {
                at = start + message::position(&error);
                if at >= blanked.trim_end().len() {
                    break;
                }
                stray = stray_line::at(&blanked, at);
                errors.push(match &stray {
                    Some((_, said)) => said.clone(),
                    None => message::syntax_error(&blanked, base, &error),
                });
            }
        }
    }
    errors
}

/// The next offset that is no white space.
fn next_token(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let blank = rest.len()
        - rest
            .trim_start_matches([' ', '\t', '\n', '\r', '\x0b', '\x0c'])
            .len();
    (blank < rest.len()).then_some(at + blank)
}

#[cfg(test)]
mod tests;
