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

mod bare;
mod items;
mod lengths;
mod rest;

use std::ops::Range;

use pest::error::Error;

use super::brackets::{self, Open};
use super::grammar::{self, Rule};
use super::message::{self, position, span_of};
use crate::ast::Misspelt;
use crate::diagnostic::words::enumerate;
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
    /// It with its words spelt right.
    fn spelt(self, misspelt: &[(Range<usize>, Vec<&'static str>)]) -> Option<Self> {
        let [(place, near)] = misspelt else {
            return None;
        };
        let right = near.first()?;
        let word = self.text.get(place.clone())?.to_owned();
        let what = self
            .message
            .replace(&format!("`{word}`"), &format!("`{right}`"));
        let mut text = self.text;
        text.replace_range(place.clone(), right);
        Some(Self {
            text,
            message: match near.as_slice() {
                [_] => format!("no clause is called `{word}`, and {what}"),
                several => {
                    let several = enumerate(several.iter().copied());
                    format!("no clause is called `{word}`, but {several}")
                }
            },
            rule: if near.len() > 1 {
                items::ONE_OF
            } else {
                self.rule
            },
            range: self.range,
        })
    }

    /// What is said of it, where its piece begins at `start`.
    fn diagnostic(self, start: usize, known: &Known<'_>) -> Diagnostic {
        let dimensions = self.dimensions();
        let declared = dimensions.map(|(name, _)| (known.dimensions)(name));
        let count = dimensions.map_or(1, |(_, count)| count);
        let has_others = declared.is_some_and(|declared| declared != Some(count));
        let is_open = self.text.contains("[:]")
            || lacks_length(&self.text)
            || has_others
            || OPEN.contains(&self.rule);
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

/// Rules of repairs that make a directive readable, and of which what was meant is not known.
const OPEN: [&str; 3] = [lengths::UNKNOWN_WINDOW, bare::ONE_QUEUE, items::ONE_OF];

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
    /// Whether a directive may say what is in a place of it: once some words of it are spelt so.
    pub(super) takes: &'a dyn Fn(&str, Span) -> Option<Vec<Misspelt>>,
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
    let misread = misread.map(|repair| items::of_construct(inside, start, repair, known));
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
            items::missing_brackets(inside, at, open),
            bare::several_queues(inside, start, at, open),
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
            bare::bare_label(inside, start, at),
            items::with_size(bare::bare_label(inside, start, at)),
            bare::bare_queues(inside, start, at),
            bare_expression(inside, start, at),
            bare_reduction(inside, start, at),
            items::between_clauses(inside, start, at),
            bare_list(inside, start, at),
            items::with_size(items::in_brackets(inside, start, at)),
            items::with_size(bare_list(inside, start, at)),
            items::without_clause(inside, start, at),
        ],
    };
    let mut spelt = None;
    for repair in guesses.into_iter().flatten() {
        match helps(inside, start, at, &repair, known) {
            Some(misspelt) if misspelt.is_empty() => return Some(repair),
            Some(misspelt) => spelt = spelt.or_else(|| repair.spelt(&misspelt)),
            None => {}
        }
    }
    spelt
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
    let (section, rule) = match is_of_window(inside, start, open.offset) {
        true => lengths::window(first, end),
        false => {
            let (length, rule) = lengths::of_range(first, end);
            (format!("[{first}:{length}]"), rule)
        }
    };
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{}{section}", inside.get(name)?),
        message: "a section is no range with `..`".into(),
        rule,
    })
}

/// Whether a bracket is in a list of windows: the types of `fcw` alone are upper case.
fn is_of_window(inside: &str, start: usize, bracket: usize) -> bool {
    let list = brackets::outermost_open(inside, start, bracket);
    let clause = list.and_then(|list| word_before(inside, start, list.offset));
    clause.is_some_and(|(_, word)| word.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
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

/// Whether a directive can be read, or be read further, with a repair, and may say what it does then: once
/// which words of it are spelt right.
fn helps(
    inside: &str,
    start: usize,
    at: usize,
    repair: &Repair,
    known: &Known<'_>,
) -> Option<Vec<(Range<usize>, Vec<&'static str>)>> {
    let before = inside.get(start..repair.range.start)?;
    let behind = inside.get(repair.range.end..)?;
    let repaired = format!("{before}{}{behind}", repair.text);
    let end = before.len() + repair.text.len();
    let can_be_read = match grammar::parse(known.rule, &repaired) {
        Ok(_) => true,
        Err(error) => position(&error) >= end && repair.range.end > at,
    };
    can_be_read.then_some(())?;
    let misspelt = (known.takes)(&repaired, span_of(before.len(), end))?.into_iter();
    let in_repair = misspelt.map(|(word, right)| {
        let at = |offset: u32| (offset as usize).checked_sub(before.len());
        Some((at(word.start)?..at(word.end)?, right))
    });
    in_repair.collect()
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
    let parts = parts(inside, open.offset + 1, close);
    if is_of_window(inside, start, open.offset) {
        let window = |part: &&str| match part.split_once(':') {
            Some((first, last)) if !last.contains(':') => lengths::window(first, last),
            _ => (format!("[{part}]"), lengths::WINDOW),
        };
        let (texts, rules): (Vec<String>, Vec<&'static str>) = parts.iter().map(window).unzip();
        let unknown = rules.iter().find(|rule| **rule == lengths::UNKNOWN_WINDOW);
        return Some(Repair {
            range: name.start..close + 1,
            text: format!("{word}{}", texts.concat()),
            message: "a window stands in brackets, not in parentheses".into(),
            rule: unknown.unwrap_or(&lengths::WINDOW),
        });
    }
    // With an index of 0, C's second number may be a length.
    let mut rule = "a section is `name[first:length]`, counted from 0";
    if let [part] = parts.as_slice()
        && let Some((first, last)) = part.split_once(':')
        && first.trim().parse() == Ok(0)
        && !lengths::is_last(last)
    {
        rule = lengths::WITH_LAST;
    }
    // Fortran counts from 1, unless a bound says otherwise.
    let section = |part: &&str| match part.split_once(':') {
        Some((first, last)) => {
            let (first, last) = (first.trim(), last.trim());
            match first.parse::<u32>() {
                Ok(1) => format!("[0:{last}]"),
                Ok(0) => format!("[0:{}]", lengths::with_both("0", last)),
                _ if first.is_empty() && last.is_empty() => "[:]".to_owned(),
                _ => {
                    let length = lengths::with_both(first, last);
                    format!("[{}:{length}]", lengths::plus(first, -1))
                }
            }
        }
        None => format!("[{part}]"),
    };
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word}{}", parts.iter().map(section).collect::<String>()),
        message: "a section stands in brackets, not in parentheses".into(),
        rule,
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

/// `reduction + s`.
fn bare_reduction(inside: &str, start: usize, at: usize) -> Option<Repair> {
    inside.get(at..)?.starts_with(is_operator).then_some(())?;
    parentheses(inside, start, at).filter(|repair| repair.text.starts_with("reduction("))
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
    let reduced = items::reduced(list).filter(|_| word == "reduction");
    let list = reduced.as_deref().unwrap_or(list);
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
        let is_clause = depth == 0 && token.starts_with(',') && begins_clause(&token[1..]);
        let is_end = is_word && !joins || token.starts_with(';');
        if length == 0 || is_clause || depth == 0 && is_end {
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

/// Clauses that may stand without parentheses.
const BARE: [&str; 9] = [
    "async",
    "auto",
    "finalize",
    "gang",
    "independent",
    "seq",
    "vector",
    "wait",
    "worker",
];

/// Whether what stands behind a comma is a clause without parentheses, or a word before what it takes: `copyout a[0:n]`, `copyout(a[0:n])`.
fn begins_clause(text: &str) -> bool {
    let text = text.trim_start();
    let behind = text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let is_word = text.starts_with(|c: char| c.is_alphabetic());
    if BARE.contains(&&text[..text.len() - behind.len()]) {
        return true;
    }
    let next = behind.trim_start();
    let is_apart = next.len() < behind.len() && next.starts_with(|c: char| c.is_alphanumeric());
    is_word && (is_apart || next.starts_with('('))
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
mod tests;
