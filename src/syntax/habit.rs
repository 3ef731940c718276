//! Directives that cannot be read because they are written as another language has it.
//!
//! Input: the text of a directive and where the parser stopped. Output: what was meant, if
//! the text can be read, or be read further, once that is put in: each guess is tried.
//!
//! ```text
//! update device a[0:n]     update device(a[0:n])
//! copy(a[0:n, 0:m])        copy(a[0:n][0:m])
//! copy(a(1:n))             copy(a[0:n])              Fortran's
//! copy(a[0..n])            copy(a[0:n])
//! reduction(+, s)          reduction(+:s)
//! num_gangs = 4            num_gangs(4)
//! if n > 3                 if(n > 3)
//! update a[0:n]            update self(a[0:n]), or to the device
//! enter data a[0:n]        enter data copyin(a[0:n]), or create
//! enter-data copyin(a)     enter data copyin(a)
//! parallel: loop           parallel loop
//! vector(length = 4)       vector(4)
//! copyin(a),               copyin(a)
//! ```

mod items;
mod lengths;
mod rest;

use std::ops::Range;

use pest::error::Error;

use super::brackets::{self, Open};
use super::grammar::{self, Rule};
use super::message::{self, position, span_of};
use crate::diagnostic::{Diagnostic, codes};
use crate::source::Span;
use rest::Repaired;

/// What was meant.
struct Repair {
    /// The piece that is wrong, by offsets in the text.
    range: Range<usize>,
    /// What stands there when it is right.
    text: String,
    /// What is wrong with it.
    message: String,
    /// How it is written.
    rule: &'static str,
}

impl Repair {
    /// What is said of it, where its piece begins at `start`.
    fn diagnostic(self, start: usize, known: &Known<'_>) -> Diagnostic {
        let dimensions = self.dimensions();
        let declared = dimensions.map(|(name, _)| (known.dimensions)(name));
        let count = dimensions.map_or(1, |(_, count)| count);
        let has_others = declared.is_some_and(|declared| declared != Some(count));
        let is_open = self.text.contains("[:]") || lacks_length(&self.text) || has_others;
        let span = span_of(start, start + self.range.len());
        let either = EITHER.iter().find(|(rule, ..)| *rule == self.rule);
        let other = either.map(|(_, one, other)| self.text.replacen(one, other, 1));
        let help = match self.text.as_str() {
            "" => self.rule.to_owned(),
            _ if declared == Some(Some(1)) && count > 1 => {
                "what the pointer leads to has one dimension: a section of it is `name[first:length]`"
                    .to_owned()
            }
            // Of what a pointer points to no length is known.
            _ if is_open => self.rule.to_owned(),
            text if self.rule == lengths::WITH_LAST => {
                let without = lengths::without_last(text);
                format!("{}: write `{}`, or `{}` without the last one", self.rule, tidy(text), tidy(&without))
            }
            text => match &other {
                Some(other) => {
                    format!("{}: write `{}` or `{}`", self.rule, tidy(text), tidy(other))
                }
                None => format!("{}: write `{}`", self.rule, tidy(text)),
            },
        };
        let problem = Diagnostic::error(codes::DIRECTIVE_SYNTAX, self.message, span);
        match is_open || either.is_some() || GUESSES.contains(&self.rule) {
            true => problem.help(help),
            false => problem.help(help).replacement(tidy(&self.text)),
        }
    }

    /// The variable of which it is a section with several dimensions, and how many.
    fn dimensions(&self) -> Option<(&str, usize)> {
        let count = self.text.matches("][").count() + 1;
        let (name, _) = self.text.split_once('[')?;
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        (is_name && count > 1).then_some((name, count))
    }
}

/// How data moves.
const DIRECTION: &str = "`self` copies to the host, `device` to the device";

/// Rules of repairs that make a directive readable and do not say all that was meant.
const GUESSES: [&str; 3] = [items::CONTINUED, items::COMMENT, lengths::WITH_LAST];

/// Rules of repairs that put in one of two clauses, and these.
const EITHER: [(&str, &str, &str); 4] = [
    (DIRECTION, "self", "device"),
    (items::BEGIN, "copyin", "create"),
    (items::END, "copyout", "delete"),
    (items::MOVE, "copy", "copyin"),
];

/// What is known beside the text.
pub(super) struct Known<'a> {
    /// What the directive is to be read as.
    pub(super) rule: Rule,
    /// Whether a directive may say what is in a place of it.
    pub(super) takes: &'a dyn Fn(&str, Span) -> bool,
    /// How many dimensions a variable has, if its declaration alone says it.
    pub(super) dimensions: &'a dyn Fn(&str) -> Option<usize>,
}

/// More mistakes than this in one directive are not its writer's habits.
const MOST: usize = 8;

/// What is found in a directive that cannot be read.
pub(super) struct Found {
    /// Its errors.
    pub(super) said: Vec<Diagnostic>,
    /// All text up to its end, with blanks in place of the clauses that have them.
    pub(super) readable: Option<String>,
}

/// The errors of a directive whose text is at `body`: each once those before it are repaired, or, where
/// what was meant is not known, the clauses that have them are left out.
pub(super) fn mistakes(text: &str, body: Span, known: &Known<'_>) -> Found {
    let inside = text.get(..body.end as usize).unwrap_or_default();
    let start = body.start as usize;
    let mut repaired = Repaired::of(inside);
    let mut found: Vec<(Range<usize>, Diagnostic)> = Vec::new();
    while found.len() < MOST {
        if let Some(repair) = next(&repaired.text, start, known) {
            let first = repaired.apply(&repair);
            let range = first..first + repair.range.len();
            found.push((range, repair.diagnostic(first, known)));
            continue;
        }
        let Some((at, error)) = repaired.unreadable(start, known) else {
            break;
        };
        let first = repaired.origin(at);
        let problem = message::directive_error(text, body, first, &error);
        let is_left_out = repaired.leave_out(start, at);
        found.push((first..first, problem));
        if !is_left_out {
            break;
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    let ranges = found.iter().map(|(range, _)| range.clone());
    let is_accs = known.rule == Rule::directive_unit;
    let readable = rest::without(inside, start, ranges).filter(|_| is_accs);
    let said = found.into_iter().map(|(_, diagnostic)| diagnostic);
    Found {
        said: said.collect(),
        readable,
    }
}

/// Whether a directive has what the parser takes for an expression and is none: a range with dots, or
/// a label with `=`.
pub(super) fn is_misread(text: &str, body: Span) -> bool {
    let inside = text.get(..body.end as usize);
    inside.is_some_and(|inside| misread(inside, body.start as usize).is_some())
}

fn misread(inside: &str, start: usize) -> Option<Repair> {
    range_of_dots(inside, start)
        .or_else(|| items::label(inside, start))
        .or_else(|| items::sizes(inside, start))
}

/// The repair of the first mistake.
fn next(inside: &str, start: usize, known: &Known<'_>) -> Option<Repair> {
    let misread = match known.rule {
        Rule::directive_unit => misread(inside, start),
        _ => None,
    };
    misread.or_else(|| {
        let error = grammar::parse(known.rule, inside.get(start..)?).err()?;
        meant(inside, start, &error, known)
    })
}

/// What was meant where the parser stopped.
fn meant(inside: &str, start: usize, error: &Error<Rule>, known: &Known<'_>) -> Option<Repair> {
    let at = start + position(error);
    let open = brackets::innermost_open(inside, start, at);
    let guesses = match &open {
        _ if known.rule == Rule::hicuda_unit => vec![
            items::operands_in_parentheses(inside, start, at),
            items::operands_with_commas(inside, start, at),
            items::other_brackets(inside, start, at),
            open.as_ref().and_then(|open| operator(inside, start, open)),
        ],
        Some(open) if open.bracket == '[' => vec![
            dimensions(inside, open),
            items::semicolon(inside, at, open),
            items::section_colon(inside, at, open),
            items::star(inside, at, open),
            items::in_parentheses(inside, start, open),
            items::clauses_in_parentheses(inside, start, at),
            items::address(inside, start, open),
            items::displaced(inside, start, open),
        ],
        Some(open) if open.bracket == '(' => vec![
            parenthesised(inside, start, open),
            operator(inside, start, open),
            items::several_operators(inside, start, open),
            items::assigning_operator(inside, start, open),
            items::fortran_operator(inside, start, open),
            items::missing_colon(inside, start, at, open),
            items::typed_name(inside, at),
            items::missing_comma(inside, start, at, open),
            items::braces(inside, start, at),
            items::separators(inside, start, at, open),
        ],
        Some(_) => Vec::new(),
        None => vec![
            items::continuation(inside, start, at),
            items::comment(inside, at),
            items::leading_mark(inside, start, at),
            semicolon(inside, at),
            items::last_comma(inside, start, at),
            hyphenated(inside, start, at, "_"),
            hyphenated(inside, start, at, ""),
            items::in_brackets(inside, start, at),
            bare_expression(inside, start, at),
            items::between_clauses(inside, start, at),
            bare_list(inside, start, at),
            items::size_of_construct(items::in_brackets(inside, start, at)),
            items::size_of_construct(bare_list(inside, start, at)),
            items::without_clause(inside, start, at),
        ],
    };
    let mut guesses = guesses.into_iter().flatten();
    guesses.find(|repair| helps(inside, start, at, repair, known))
}

/// The loop that a directive's line goes on into, by a backslash behind the last clause.
pub(super) fn swallowed_loop(text: &str, body: Span) -> Option<Diagnostic> {
    let (start, end) = (body.start as usize, body.end as usize);
    let inside = text.get(..end)?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = inside.get(start..)?.match_indices("for");
    let (at, bracket) = found.find_map(|(at, word)| {
        let (at, behind) = (start + at, start + at + word.len());
        let is_whole = !inside[..at].ends_with(is_part);
        let rest = inside.get(behind..)?;
        let bracket = end - rest.trim_start().len();
        let is_header = rest.trim_start().starts_with('(') && is_whole;
        is_header.then_some((at, bracket))
    })?;
    let stop = brackets::partner(inside, bracket).unwrap_or(end);
    (brackets::semicolons(inside, bracket + 1, stop) == 2).then(|| {
        let before = start + inside[start..at].trim_end().len();
        let last = inside[..before]
            .chars()
            .next_back()
            .map_or(0, char::len_utf8);
        let message = "the directive goes on into the loop";
        let span = span_of(before - last, before);
        Diagnostic::error(codes::DIRECTIVE_SYNTAX, message, span)
            .also(
                span_of(at, at + "for".len()),
                "the loop begins a line of its own",
            )
            .help("a `\\` at the end of a line continues the directive: remove the last one")
    })
}

/// A range `0..n` or `0...n`, which the lexer takes for a number.
fn range_of_dots(inside: &str, start: usize) -> Option<Repair> {
    let (dots, length_of_dots) = dots(inside, start)?;
    let open = brackets::innermost_open(inside, start, dots).filter(|open| open.bracket == '[')?;
    let close = brackets::partner(inside, open.offset)?;
    let (name, _) = word_before(inside, start, open.offset)?;
    let (first, end) = (
        inside.get(open.offset + 1..dots)?.trim(),
        inside.get(dots + length_of_dots..close)?.trim(),
    );
    let (length, rule) = lengths::of_range(first, end);
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{}[{first}:{length}]", inside.get(name)?),
        message: "a section is no range with `..`".into(),
        rule,
    })
}

/// The first two or three dots, with the blanks between them: where, and how long.
fn dots(text: &str, start: usize) -> Option<(usize, usize)> {
    let body = text.get(start..)?;
    let next = |rest: &str| {
        let behind = rest.trim_start().strip_prefix('.')?;
        Some(rest.len() - behind.len())
    };
    body.match_indices('.').find_map(|(at, _)| {
        let second = 1 + next(&body[at + 1..])?;
        let third = next(&body[at + second..]).unwrap_or(0);
        Some((start + at, second + third))
    })
}

/// Whether a directive can be read, or be read further, with a repair, and may say what it does then.
fn helps(inside: &str, start: usize, at: usize, repair: &Repair, known: &Known<'_>) -> bool {
    let (Some(before), Some(behind)) = (
        inside.get(start..repair.range.start),
        inside.get(repair.range.end..),
    ) else {
        return false;
    };
    let repaired = format!("{before}{}{behind}", repair.text);
    let end = before.len() + repair.text.len();
    let can_be_read = match grammar::parse(known.rule, &repaired) {
        Ok(_) => true,
        Err(error) => position(&error) >= end && repair.range.end > at,
    };
    can_be_read && (known.takes)(&repaired, span_of(before.len(), end))
}

/// `a[0:n, 0:m]`.
fn dimensions(inside: &str, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, 0, open.offset)?;
    let parts = parts(inside, open.offset + 1, close);
    (parts.len() > 1).then(|| Repair {
        range: name.start..close + 1,
        text: format!("{word}[{}]", parts.join("][")),
        message: "each dimension of a section has brackets of its own".into(),
        rule: "a section is `name[first:length][first:length]`",
    })
}

/// Fortran's `a(1:n)`, whose bounds are the first and the last.
fn parenthesised(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    // The parenthesis of a clause is outermost.
    brackets::innermost_open(inside, start, open.offset)?;
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, start, open.offset)?;
    // Fortran counts from 1, unless a bound says otherwise.
    let section = |part: &&str| match part.split_once(':') {
        Some((first, last)) => {
            let (first, last) = (first.trim(), last.trim());
            match first.parse::<u32>() {
                // What begins at 0 is C's, whose second number is a length.
                Ok(0 | 1) => format!("[0:{last}]"),
                _ if first.is_empty() && last.is_empty() => "[:]".to_owned(),
                _ => {
                    let length = lengths::with_both(first, last);
                    format!("[{}:{length}]", lengths::plus(first, -1))
                }
            }
        }
        None => format!("[{part}]"),
    };
    let parts = parts(inside, open.offset + 1, close);
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word}{}", parts.iter().map(section).collect::<String>()),
        message: "a section stands in brackets, not in parentheses".into(),
        rule: "a section is `name[first:length]`, counted from 0",
    })
}

/// `reduction(+, s)` and `reduction(s:+)`.
fn operator(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, start, open.offset)?;
    let list = inside.get(open.offset + 1..close)?.trim();
    let first = list.trim_start_matches(is_operator);
    let last = list.trim_end_matches(is_operator);
    let named = list
        .split_once(' ')
        .filter(|(operator, _)| word == "reduction" && ["max", "min"].contains(operator));
    let (operator, variables) = if first.len() < list.len() {
        let operator = &list[..list.len() - first.len()];
        (operator, first.trim_start().strip_prefix([',', ';'])?)
    } else if let Some(named) = named {
        named
    } else if last.len() < list.len() && last.trim_end().ends_with(',') {
        (&list[last.len()..], last.trim_end().trim_end_matches(','))
    } else {
        let (variables, operator) = list.rsplit_once(':')?;
        let operator = operator.trim();
        operator
            .trim_matches(is_operator)
            .is_empty()
            .then_some(())?;
        (operator, variables)
    };
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word}({operator}:{})", variables.trim()),
        message: "the operator stands before a colon, and the variables behind it".into(),
        rule: "a reduction has an operator, a colon and variables",
    })
}

fn is_operator(c: char) -> bool {
    matches!(c, '+' | '*' | '-' | '&' | '|' | '^')
}

/// `parallel loop;`.
fn semicolon(inside: &str, at: usize) -> Option<Repair> {
    let rest = inside.get(at..)?;
    (rest.trim() == ";").then(|| Repair {
        range: at..at + 1,
        text: String::new(),
        message: "a directive ends with its line, not with `;`".into(),
        rule: "remove the `;`",
    })
}

/// Words before which a directive goes on with a word of its own.
const FIRST_WORDS: [&str; 5] = ["enter", "exit", "parallel", "kernels", "serial"];

/// `enter-data`, `num-gangs(4)`, `copy-in(a)`, `parallel: loop`; words that are no first ones are one with
/// `joint` between them.
fn hyphenated(inside: &str, start: usize, at: usize, joint: &str) -> Option<Repair> {
    let (first, word) = word_before(inside, start, at)?;
    let rest = inside.get(at..)?;
    let colon = rest.strip_prefix(':');
    let behind = match colon.filter(|_| FIRST_WORDS.contains(&word)) {
        Some(behind) => behind,
        None => rest.strip_prefix('-')?,
    };
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let second = behind.trim_start();
    let length = second.find(|c| !is_part(c)).unwrap_or(second.len());
    let (second, blanks) = (&second[..length], behind.len() - second.len());
    if !second.starts_with(|c: char| c.is_alphabetic()) {
        return None;
    }
    let (joint, rule) = match FIRST_WORDS.contains(&word) {
        true => (" ", "put a blank between them"),
        false if joint.is_empty() => (joint, "it is one word"),
        false => (joint, "put `_` between them"),
    };
    Some(Repair {
        range: first.start..at + 1 + blanks + length,
        text: format!("{word}{joint}{second}"),
        message: match colon {
            Some(_) => "a colon stands between two words of one name".into(),
            None => "a `-` stands between two words of one name".into(),
        },
        rule,
    })
}

/// `device a[0:n]`, `wait 1`, `num_gangs = 4`, `reduction +:s`: what a clause takes,
/// without its parentheses.
fn bare_list(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let (last, _) = word_before(inside, start, at)?;
    let operand = if inside.get(at..)?.starts_with('[') {
        last.start
    } else {
        at
    };
    parentheses(inside, start, operand)
}

/// Clauses that take an expression, of which the parser has read the first operand as a clause.
const WITH_EXPRESSION: [&str; 7] = [
    "async",
    "collapse",
    "if",
    "num_gangs",
    "num_workers",
    "self",
    "vector_length",
];

/// `if n > 3`.
fn bare_expression(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let (operand, _) = word_before(inside, start, at)?;
    let (_, clause) = word_before(inside, start, operand.start)?;
    let is_such = WITH_EXPRESSION.contains(&clause);
    is_such.then(|| parentheses(inside, start, operand.start))?
}

/// Puts what begins at `operand` into parentheses.
fn parentheses(inside: &str, start: usize, operand: usize) -> Option<Repair> {
    let (clause, word) = word_before(inside, start, operand)?;
    let end = list_end(inside, operand);
    let list = inside.get(operand..end)?;
    let list = list.strip_prefix(['=', ':']).unwrap_or(list).trim();
    if list.is_empty() {
        return None;
    }
    let range = clause.start..operand + inside[operand..end].trim_end().len();
    Some(match word {
        "update" => Repair {
            range,
            text: format!("update self({list})"),
            message: "`update` does not say in which direction".into(),
            rule: DIRECTION,
        },
        _ => Repair {
            range,
            text: format!("{word}({list})"),
            message: format!("what `{word}` takes stands in parentheses"),
            rule: "put it into parentheses",
        },
    })
}

/// Clauses that move data, whose lists are of sections.
const MOVING: [&str; 7] = [
    "copy", "copyin", "copyout", "create", "device", "host", "self",
];

/// Whether a clause that moves data has a name without brackets, whose length only its type says.
fn lacks_length(text: &str) -> bool {
    let split = text.split_once('(');
    split.is_some_and(|(clause, list)| {
        MOVING.contains(&clause) && list.split(',').any(|item| !item.contains('['))
    })
}

/// Where a list without parentheses ends: before a word that no comma or operator joins to it.
fn list_end(inside: &str, start: usize) -> usize {
    let (mut at, mut depth, mut joins) = (start, 0_usize, true);
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty()) {
        let blanks = rest.len() - rest.trim_start().len();
        let token = &rest[blanks..];
        let length = brackets::token_length(token);
        let is_word = token.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if length == 0 || depth == 0 && (is_word && !joins || token.starts_with(';')) {
            break;
        }
        match token.as_bytes()[0] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        joins = !is_word && !token.starts_with([')', ']']);
        at += blanks + length;
    }
    at
}

/// What stands between the commas of `text[start..end]` that no bracket holds.
fn parts(text: &str, start: usize, end: usize) -> Vec<&str> {
    let list = text.get(start..end).unwrap_or_default();
    let mut depth = 0_usize;
    let separates = |c: char| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(separates).map(str::trim).collect()
}

/// The word that ends before `end`, at `start` or behind it.
fn word_before(text: &str, start: usize, end: usize) -> Option<(Range<usize>, &str)> {
    let before = text.get(start..end)?.trim_end();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = &before[before.trim_end_matches(is_part).len()..];
    let end = start + before.len();
    (!word.is_empty()).then(|| (end - word.len()..end, word))
}

/// A piece of a directive without the blanks that separate its tokens for the parser.
fn tidy(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        let glued = out.is_empty()
            || out.ends_with(['(', '[', ':', '.'])
            || word.starts_with([')', ']', '(', '[', ':', ',', '.']);
        if !glued {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Place;

    const ANY: Known<'static> = Known {
        rule: Rule::directive_unit,
        // Names of one letter are variables.
        takes: &|text, place| {
            let piece = &text[place.start as usize..place.end as usize];
            let word = piece.split_once('(').map(|(word, _)| word.trim());
            word.is_none_or(|word| word.len() > 1)
        },
        dimensions: &|_| Some(2),
    };

    const BOTH: &str = "a[lo:hi - lo + 1]`, or `a[lo:hi - lo]` without the last one";

    /// The help for a directive that cannot be read.
    fn help(text: &str) -> Option<String> {
        let body = Span::new(0, u32::try_from(text.len()).unwrap());
        let found = mistakes(text, body, &ANY).said.into_iter().next();
        let help = found?.help?;
        let (_, right) = help.split_once("write ").unwrap_or(("", &help));
        Some(right.trim_matches('`').to_owned())
    }

    #[test]
    fn what_was_meant() {
        for (wrong, right) in [
            ("update device a[0:n]", "device(a[0:n])"),
            (
                "update device a[0:n], b[1:m] async(1)",
                "device(a[0:n], b[1:m])",
            ),
            ("enter data copyin a[0:n][0:m]", "copyin(a[0:n][0:m])"),
            ("wait 1", "wait(1)"),
            (
                "update a[0:n] async(1)",
                "update self(a[0:n])` or `update device(a[0:n])",
            ),
            ("parallel loop reduction(s, +)", "reduction(+:s)"),
            ("parallel loop reduction(++:s)", "reduction(+:s)"),
            ("parallel loop reduction(+:s, +:t)", "reduction(+:s, t)"),
            (
                "parallel loop reduction(+:s, t, &&:u) copy(a)",
                "reduction(+:s, t) reduction(&&:u)",
            ),
            ("parallel loop reduction(+:s t)", "reduction(+:s, t)"),
            ("data present(a b)", "present(a, b)"),
            (
                "parallel loop &",
                "end the line with `\\`, and begin the next one without `#pragma",
            ),
            ("parallel loop # rows", "a comment begins with `//"),
            (
                "parallel loop: copy(a)",
                "blanks or commas separate clauses: remove it",
            ),
            ("parallel loop if n > 3 copy(a)", "if(n > 3)"),
            ("parallel num_gangs n * 2", "num_gangs(n * 2)"),
            ("parallel num_gangs 4 vector_length(8)", "num_gangs(4)"),
            ("parallel num_gangs = 4", "num_gangs(4)"),
            ("parallel loop gang[n / 8] worker[8]", "gang(n / 8)"),
            ("kernels loop worker 4 copy(a)", "worker(4)"),
            ("loop vector=128", "vector(128)"),
            ("parallel loop collapse 2", "collapse(2)"),
            ("parallel loop tile 4", "tile(4)"),
            ("parallel loop reduction +:s", "reduction(+:s)"),
            ("data copy(a[0:n, 0:m])", "a[0:n][0:m]"),
            ("data copy(a[0:n,f(1,2):m], b)", "a[0:n][f(1,2):m]"),
            ("data copy(a(1:n))", "a[0:n]"),
            ("data copy(a(2:n, 1:m)) copyin(b)", "a[1:n - 1][0:m]"),
            ("data copy(a(00:n))", "a[0:n]"),
            ("data copy(a(lo:hi))", "a[lo - 1:hi - lo + 1]"),
            ("data copy(a[0..n])", "a[0:n]"),
            ("data copy(a[lo..hi])", BOTH),
            ("data copy ( a [ lo . . hi ] )", BOTH),
            ("parallel num_gangs = 4 ;", "num_gangs(4)"),
            ("parallel loop reduction(+, s)", "reduction(+:s)"),
            ("parallel loop reduction(s:+)", "reduction(+:s)"),
            ("parallel loop reduction(&&, s, t)", "reduction(&&:s, t)"),
            ("parallel loop;", "remove the `;"),
            ("enter-data copyin(a[0:n])", "enter data"),
            ("exit - data delete(a)", "exit data"),
            ("parallel-loop copy(a)", "parallel loop"),
            ("parallel num-gangs(4)", "num_gangs"),
            ("data copy(a[0...n])", "a[0:n]"),
            ("data copy ( a [ lo . . . hi ] )", BOTH),
            ("parallel loop reduction(max b[0])", "reduction(max:b[0])"),
            ("parallel loop reduction(max s)", "reduction(max:s)"),
            ("parallel loop reduction(+= : s)", "reduction(+:s)"),
            ("parallel loop reduction(.and.:t)", "reduction(&&:t)"),
            ("parallel loop(copy(a[0:n]))", "loop copy(a[0:n])"),
            ("parallel loop copy((a[0:n]), b)", "a[0:n]"),
            ("data copy(&a[0:n])", "a[0:n]"),
            ("data copy(b, & a[0:n])", "a[0:n]"),
            ("data copy(a+3[0:n])", "a[3:n]"),
            ("data copy(a + k[2:n])", "a[2 + k:n]"),
            ("data copy(a[0:n]),", "remove the comma"),
            ("parallel loop private(int t)", "t"),
            ("parallel loop private(s, unsigned int t)", "t"),
            ("data copy(double a[0:n])", "a[0:n]"),
            ("data present(a[0:n] b[0:n])", "present(a[0:n], b[0:n])"),
            ("data copyin: a[0:n]", "copyin(a[0:n])"),
            ("parallel: loop copy(a)", "parallel loop"),
            ("parallel loop vector(length = 4)", "vector(4)"),
            ("parallel loop gang(num=n / 2) copy(a)", "gang(n / 2)"),
            ("loop gang(num: 4, static = 8)", "gang(num:4, static:8)"),
            ("data copyin: a", "put it into parentheses"),
            ("update device[a[0:n]]", "device(a[0:n])"),
            ("parallel loop tile[8,8]", "tile(8, 8)"),
            ("parallel loop tile<8, 8>", "tile(8, 8)"),
            ("wait[1]", "wait(1)"),
            ("data copy(a[0;n])", "a[0:n]"),
            ("data copy(a[0 n])", "a[0:n]"),
            ("data copy(a{0:n})", "a[0:n]"),
            ("data copy(a[0:n];b[0:n])", "copy(a[0:n], b[0:n])"),
            ("data copy(a[0:n],)", "remove the comma"),
            ("data copy(m[n,64])", "m[0:n][0:64]"),
            ("data copyin(readonly a[0:n])", "copyin(readonly:a[0:n])"),
            ("loop gang(static,8)", "gang(static:8)"),
            ("loop reduction(.max.:s)", "reduction(max:s)"),
            (
                "parallel loop gang | vector",
                "blanks or commas separate clauses: remove it",
            ),
            (": parallel loop", "a blank stands there: remove the mark"),
            (
                "data copy(a[*])",
                "a section is `name[first:length]`: a number stands in place of `*",
            ),
        ] {
            assert_eq!(help(wrong).as_deref(), Some(right), "{wrong}");
        }
    }

    #[test]
    fn each_mistake_of_a_directive_has_its_place() {
        for text in [
            "data copyin(a[0..n]) copy(b[0:n,0:n]) create(c(1:n))",
            "data copy(b[0:n,0:n]) copyin(a[0..n]) create(c(1:n))",
        ] {
            let body = Span::new(0, u32::try_from(text.len()).unwrap());
            let found: Vec<String> = mistakes(text, body, &ANY)
                .said
                .iter()
                .map(|one| match one.labels[0].place {
                    Place::Span(span) => text[span.start as usize..span.end as usize].to_owned(),
                    Place::Source(_) => String::new(),
                })
                .collect();
            assert_eq!(found.len(), 3, "{text}: {found:?}");
            for piece in ["a[0..n]", "b[0:n,0:n]", "c(1:n)"] {
                assert!(found.contains(&piece.to_owned()), "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn nothing_is_guessed_that_does_not_help() {
        for wrong in [
            "data copy(a[)",
            "data ) (",
            "parallel + +",
            "parallel loop n > 3",
        ] {
            assert_eq!(help(wrong), None, "{wrong}");
        }
    }
}
