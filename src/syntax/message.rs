//! From the parser's failures to sentences a person understands.
//!
//! pest says how far it got and which rules it tried there. What C wants at
//! that place follows from three facts: whether an operand was complete (an
//! operator was among the attempts), which bracket is open, and which token
//! is there. Rule names never reach the user.

use pest::error::{Error, ErrorVariant, InputLocation};

use super::brackets::{self, Open};
use super::grammar::Rule;
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;

/// The error of a piece of C that starts at `base` in `text`.
pub(super) fn syntax_error(text: &str, base: u32, error: &Error<Rule>) -> Diagnostic {
    let at = base as usize + position(error);
    if let ErrorVariant::CustomError { message } = &error.variant {
        return limit_reached(text, at, message);
    }
    let open = brackets::innermost_open(text, base as usize, at);
    let found = Found::at(text, at, "the end of the file");
    if found.is_open_quote() {
        return Diagnostic::error(codes::SYNTAX, "this quote is never closed", found.span)
            .help("close it on the same line, or end the line with a backslash");
    }
    if let Some(problem) = word_of_cuda(text, base as usize, at) {
        return problem;
    }
    let wanted = wanted(error, open.as_ref(), text, at);
    let diagnostic = build(codes::SYNTAX, wanted, &found, text, at);
    with_unclosed(diagnostic, open, text)
}

/// A word of CUDA that the parser has taken for a name, before the place where it stopped.
fn word_of_cuda(text: &str, base: usize, at: usize) -> Option<Diagnostic> {
    let before = text.get(base..at)?.trim_end();
    let word = before
        .rsplit(|c: char| !(c.is_alphanumeric() || c == '_'))
        .next()?;
    let help = match word.strip_prefix("__")?.strip_suffix("__")? {
        "shared" => {
            "declare an array without it in the loop over gangs, where each gang has one; \
             `#pragma acc cache(…)` in a loop holds a part of an array in shared memory"
        }
        "constant" => "declare it `const`: `--place NAME=constant` puts it into constant memory",
        "device" | "global" => {
            "a directive says what runs on a device: `parallel loop` before a loop, `routine seq` \
             before a function"
        }
        _ => return None,
    };
    let end = base + before.len();
    let span = span_of(end - word.len(), end);
    let message = format!("`{word}` is CUDA's, and this is C");
    Some(Diagnostic::error(codes::SYNTAX, message, span).help(help))
}

/// Shows the bracket that is open, if it has no partner in the rest of the text.
fn with_unclosed(diagnostic: Diagnostic, open: Option<Open>, text: &str) -> Diagnostic {
    match open.filter(|open| brackets::partner(text, open.offset).is_none()) {
        Some(open) => {
            let span = span_of(open.offset, open.offset + 1);
            diagnostic.also(span, format!("this `{}` is never closed", open.bracket))
        }
        None => diagnostic,
    }
}

/// The error of a directive whose text is at `body`, which the parser read as far as `at`.
pub(super) fn directive_error(
    text: &str,
    body: Span,
    at: usize,
    error: &Error<Rule>,
) -> Diagnostic {
    if let ErrorVariant::CustomError { message } = &error.variant {
        return limit_reached(text, at, message);
    }
    let inside = text.get(..body.end as usize).unwrap_or(text);
    let open = brackets::innermost_open(inside, body.start as usize, at);
    let found = Found::at(inside, at, "the end of the directive");
    let before = inside.get(body.start as usize..at).unwrap_or_default();
    let wanted = if before.trim().is_empty() {
        Wanted::opens("the name of a directive")
    } else {
        wanted_in_directive(error, open.as_ref(), inside, at)
    };
    let diagnostic = build(codes::DIRECTIVE_SYNTAX, wanted, &found, inside, at);
    with_unclosed(diagnostic, open, inside)
}

/// How far the parser got.
pub(super) fn position(error: &Error<Rule>) -> usize {
    match error.location {
        InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
    }
}

/// The token at the place of an error.
struct Found {
    span: Span,
    text: String,
}

impl Found {
    fn at(text: &str, at: usize, end: &str) -> Self {
        let rest = text.get(at..).unwrap_or_default();
        let length = brackets::token_length(rest);
        let token = rest.get(..length).unwrap_or_default();
        let name = match token {
            "" => end.to_owned(),
            token if token.starts_with("__accrs_pragma") => "a directive".to_owned(),
            token => format!("`{}`", shortened(token)),
        };
        Self {
            span: span_of(at, at + length),
            text: name,
        }
    }

    /// Whether it is a string or character constant without its last quote.
    fn is_open_quote(&self) -> bool {
        let token = self.text.trim_matches('`');
        ['"', '\'']
            .iter()
            .any(|quote| token.starts_with(*quote) && (token.len() < 2 || !token.ends_with(*quote)))
            && !self.text.contains('…')
    }
}

/// A token short enough for a message.
fn shortened(token: &str) -> String {
    const LONGEST: usize = 30;
    if token.chars().count() <= LONGEST {
        return token.to_owned();
    }
    let head: String = token.chars().take(LONGEST).collect();
    format!("{head}…")
}

/// Puts the sentence together. A missing `;` is shown behind the token before
/// it, where it belongs, if the found token is on a later line.
fn build(
    code: crate::diagnostic::Code,
    wanted: Wanted,
    found: &Found,
    text: &str,
    at: usize,
) -> Diagnostic {
    let before = text.get(..at).unwrap_or_default();
    let trimmed = before.trim_end();
    let next_line = before[trimmed.len()..].contains('\n') || found.span.start == found.span.end;
    let message = format!("expected {}, found {}", wanted.text, found.text);
    if wanted.closes && next_line && !trimmed.is_empty() {
        let last = trimmed.char_indices().next_back().map_or(0, |(i, _)| i);
        return Diagnostic::error(code, message, span_of(last, trimmed.len()))
            .label(format!("expected {} after this", wanted.text));
    }
    Diagnostic::error(code, message, found.span).label(format!("expected {}", wanted.text))
}

/// What would have been right.
struct Wanted {
    text: String,
    /// Whether it ends something, and so belongs right behind the last token.
    closes: bool,
}

impl Wanted {
    fn opens(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            closes: false,
        }
    }

    fn closes(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            closes: true,
        }
    }
}

fn wanted(error: &Error<Rule>, open: Option<&Open>, text: &str, at: usize) -> Wanted {
    let tried = |rules: &[Rule]| attempts(error).iter().any(|rule| rules.contains(rule));
    let at_end = text
        .get(at..)
        .is_none_or(|rest| rest.trim_start().is_empty());
    if let Some(open) = open.filter(|_| at_end) {
        return Wanted::closes(format!("`{}`", open.closing()));
    }
    let marks = [
        (Rule::parenthesis_mark, "`(`"),
        (Rule::colon_mark, "`:`"),
        (Rule::while_mark, "`while`"),
        (Rule::semicolon_mark, "`;`"),
    ];
    if let Some((_, mark)) = marks.iter().find(|(rule, _)| tried(&[*rule])) {
        return Wanted::closes(*mark);
    }
    if tried(&[Rule::operator, Rule::conditional]) {
        return after_operand(open, text, at);
    }
    if tried(&[
        Rule::statement_keyword,
        Rule::expression_statement,
        Rule::statement,
    ]) {
        return Wanted::opens("a statement");
    }
    if tried(&EXPRESSION_STARTS) {
        return Wanted::opens("an expression");
    }
    if tried(&[Rule::array_suffix, Rule::function_suffix]) {
        return after_declarator(open);
    }
    if tried(&[
        Rule::declarator,
        Rule::init_declarator,
        Rule::nested_declarator,
    ]) {
        return Wanted::closes("a name or `;`");
    }
    if tried(&[Rule::parameter_declaration, Rule::type_name]) {
        return Wanted::opens("a type");
    }
    if tried(&[
        Rule::declaration_specifiers,
        Rule::declaration,
        Rule::external_unit,
    ]) {
        return Wanted::opens(match open {
            Some(open) if open.bracket == '(' => "a parameter",
            _ => "a declaration",
        });
    }
    if tried(&[Rule::identifier]) {
        return Wanted::opens("a name");
    }
    after_operand(open, text, at)
}

/// Rules whose failure means that an operand is missing.
const EXPRESSION_STARTS: [Rule; 6] = [
    Rule::prefix_operator,
    Rule::constant,
    Rule::expression,
    Rule::assignment_expression,
    Rule::braced_initializer,
    Rule::sizeof_keyword,
];

/// What may stand behind a complete expression.
fn after_operand(open: Option<&Open>, text: &str, at: usize) -> Wanted {
    match open {
        Some(open) if open.bracket == '(' && in_loop_header(text, open.offset, at) => {
            Wanted::closes("`;`")
        }
        Some(open) if open.bracket == '(' => Wanted::closes("`)`"),
        Some(open) if open.bracket == '[' => Wanted::closes("`]`"),
        Some(open) if opens_initializer(text, open.offset) => Wanted::closes("`,` or `}`"),
        _ => Wanted::closes("`;`"),
    }
}

/// Whether a parenthesis opens the header of a `for` that has not both its
/// semicolons yet.
fn in_loop_header(text: &str, open: usize, at: usize) -> bool {
    let before = text.get(..open).unwrap_or_default().trim_end();
    let is_for = before
        .strip_suffix("for")
        .is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    is_for && brackets::semicolons(text, open + 1, at) < 2
}

/// What may stand behind a declarator.
fn after_declarator(open: Option<&Open>) -> Wanted {
    match open {
        Some(open) if open.bracket == '(' => Wanted::closes("`,` or `)`"),
        Some(open) if open.bracket == '[' => Wanted::closes("`]`"),
        Some(_) => Wanted::closes("`;`"),
        None => Wanted::closes("`;` or a function body"),
    }
}

/// Whether the brace at `offset` begins an initialiser or enumerators.
fn opens_initializer(text: &str, offset: usize) -> bool {
    let before = text.get(..offset).unwrap_or_default().trim_end();
    before.ends_with(['=', ',']) || before.ends_with("enum") || in_enum(before)
}

/// Whether text ends in `enum name`.
fn in_enum(before: &str) -> bool {
    let without_name = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    without_name.trim_end().ends_with("enum")
}

fn wanted_in_directive(error: &Error<Rule>, open: Option<&Open>, text: &str, at: usize) -> Wanted {
    let tried = |rules: &[Rule]| attempts(error).iter().any(|rule| rules.contains(rule));
    let rest = text.get(at..).unwrap_or_default().trim();
    let Some(open) = open else {
        return Wanted::opens(match rest {
            "" => "a clause",
            _ => "a clause or the end of the directive",
        });
    };
    if rest.is_empty() {
        return Wanted::closes(format!("`{}`", open.closing()));
    }
    if !tried(&[Rule::operator, Rule::section_colon, Rule::conditional]) {
        return Wanted::opens("an expression, a variable or an array section");
    }
    Wanted::closes(match open.bracket {
        // What stands before the bracket takes no section.
        '[' if rest.starts_with(':') => "`]`",
        '[' => "`:` or `]`",
        _ => "`,` or `)`",
    })
}

/// The rules that were tried at the place of the error.
fn attempts(error: &Error<Rule>) -> &[Rule] {
    match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives,
        ErrorVariant::CustomError { .. } => &[],
    }
}

/// The error where a limit of the parser ended it.
fn limit_reached(text: &str, at: usize, message: &str) -> Diagnostic {
    let span = Found::at(text, at, "").span;
    let sentence = if message.contains("stack") {
        "statements or operators nest too deep here"
    } else {
        "this piece of code is too complex to parse"
    };
    Diagnostic::error(codes::NESTING_TOO_DEEP, sentence, span)
        .help("split it into smaller statements or functions")
}

/// The error for brackets nested deeper than [`super::MAX_BRACKETS`].
pub(super) fn brackets_too_deep(offset: usize) -> Diagnostic {
    let message = format!("brackets nest more than {} deep here", super::MAX_BRACKETS);
    Diagnostic::error(
        codes::NESTING_TOO_DEEP,
        message,
        span_of(offset, offset + 1),
    )
    .help("split the expression or the block")
}

/// A span from offsets; texts are under 4 GiB.
pub(super) fn span_of(start: usize, end: usize) -> Span {
    let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
    Span::new(clamp(start), clamp(end))
}
