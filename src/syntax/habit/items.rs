//! Lists and items of clauses that are written as another language has them: guesses for
//! [`super`].
//!
//! ```text
//! loop(copy(a[0:n]))       loop copy(a[0:n])
//! gang[8]                  gang(8)
//! copy((a[0:n]))           copy(a[0:n])
//! copy(&a[0:n])            copy(a[0:n])
//! copy(a + 3[0:n])         copy(a[3:n])
//! reduction(+=:s)          reduction(+:s)
//! reduction(.and.:t)       reduction(&&:t)           Fortran's
//! copyin(readonly a[0:n])  copyin(readonly: a[0:n])
//! copy(a[0;n]; b{0:n},)    copy(a[0:n], b[0:n])
//! copy(m[n, 64])           copy(m[0:n][0:64])
//! gang | vector            gang vector
//! enter data a[0:n]        enter data copyin(a[0:n])
//! private(int t)           private(t)
//! copy(a[0:n] b[0:n])      copy(a[0:n], b[0:n])
//! copyin(b 0:n)            copyin(b[0:n])
//! reduction +(s)           reduction(+:s)
//! wait(1 2)                wait(1, 2)
//! ```

use super::{Known, MOVING, Repair, is_operator, list_end, parts, span_of, word_before};
use crate::diagnostic::words::Near;
use crate::syntax::brackets::{self, Open};

const SECTION: &str = "a section is `name[first:length]`";

/// Last words of directives that have clauses.
const NAMES: [&str; 8] = [
    "data",
    "declare",
    "host_data",
    "kernels",
    "loop",
    "parallel",
    "serial",
    "update",
];

/// Clauses that say who shares a loop, each with a size if there is one.
pub(super) const LEVELS: [&str; 3] = ["gang", "worker", "vector"];

/// `copy(a),`.
pub(super) fn last_comma(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let before = inside.get(start..at)?.trim_end();
    let comma = start + before.strip_suffix(',')?.len();
    let is_end = inside.get(at..)?.trim().is_empty();
    is_end.then(|| Repair {
        range: comma..comma + 1,
        text: String::new(),
        message: "a comma stands behind the last clause".into(),
        rule: "remove the comma",
    })
}

/// How a directive has several lines.
pub(super) const CONTINUED: &str =
    "end the line with `\\`, and begin the next one without `#pragma`";

/// Fortran's `parallel loop &`, whose next line begins anew.
pub(super) fn continuation(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let is_last = inside.get(at..)?.trim() == "&";
    let is_first = inside.get(start..at)?.trim().is_empty() && inside[at..].starts_with('&');
    (is_last || is_first).then(|| Repair {
        range: at..at + 1,
        text: String::new(),
        message: "a `&` does not continue a directive".into(),
        rule: CONTINUED,
    })
}

/// How comments are written.
pub(super) const COMMENT: &str = "a comment begins with `//`";

/// `parallel loop ! rows`.
pub(super) fn comment(inside: &str, at: usize) -> Option<Repair> {
    let rest = inside.get(at..)?;
    rest.starts_with(['!', '#']).then(|| Repair {
        range: at..inside.len(),
        text: String::new(),
        message: format!("`{}` begins no comment", &rest[..1]),
        rule: COMMENT,
    })
}

/// `reduction(+:s, max:t)`, of which the second operator is no name.
pub(super) fn several_operators(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) =
        word_before(inside, start, open.offset).filter(|(_, word)| *word == "reduction")?;
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    let list = parts(inside, open.offset + 1, close);
    for part in &list {
        let (operator, variable) = part
            .split_once(':')
            .map_or((None, *part), |(o, v)| (Some(o.trim()), v.trim()));
        match (operator, lists.last_mut()) {
            (Some(again), Some((operator, names))) if *operator == again => names.push(variable),
            (Some(operator), _) => lists.push((operator, vec![variable])),
            (None, Some((_, names))) => names.push(variable),
            (None, None) => return None,
        }
    }
    let is_several = list.iter().filter(|part| part.contains(':')).count() > 1;
    let clauses = lists
        .iter()
        .map(|(operator, names)| format!("{word}({operator}:{})", names.join(", ")));
    is_several.then(|| Repair {
        range: name.start..close + 1,
        text: clauses.collect::<Vec<_>>().join(" "),
        message: "a reduction has one operator".into(),
        rule: "one operator stands before all its variables",
    })
}

/// How data comes to the device.
pub(super) const BEGIN: &str = "`copyin` copies to the device, `create` makes room there";
/// How it leaves it.
pub(super) const END: &str = "`copyout` copies to the host, `delete` drops what is on the device";
/// How it is there as long as a construct runs.
pub(super) const MOVE: &str = "`copy` copies to the device and back, `copyin` to the device alone";

/// `enter data a[0:n]`.
pub(super) fn without_clause(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let is_section = inside.get(at..)?.starts_with('[');
    let (mut first, own) = word_before(inside, start, at).filter(|_| is_section)?;
    // `copyn [b]` is a clause.
    let close = brackets::partner(inside, at)?;
    let has_colon = inside.get(at..close)?.contains(':');
    if !has_colon && Near::words(own, MOVING.into_iter()).first().is_some() {
        return None;
    }
    while let Some(before) = inside.get(start..first.start)?.trim_end().strip_suffix(',') {
        (first, _) = word_before(inside, start, start + before.len())?;
    }
    let (name, word) = word_before(inside, start, first.start)?;
    let direction = word_before(inside, start, name.start).map_or("", |(_, word)| word);
    let (clause, rule) = match (direction, word) {
        ("enter", "data") => ("copyin", BEGIN),
        ("exit", "data") => ("copyout", END),
        (_, "data" | "kernels" | "loop" | "parallel" | "serial") => ("copy", MOVE),
        _ => return None,
    };
    let list = inside
        .get(first.start..list_end(inside, first.start))?
        .trim();
    Some(Repair {
        range: first.start..first.start + list.len(),
        text: format!("{clause}({list})"),
        message: "no clause says what becomes of this data".into(),
        rule,
    })
}

/// hiCUDA's `global alloc(a[*])`.
pub(super) fn operands_in_parentheses(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let open = match inside.get(at..)?.starts_with('(') {
        true => at,
        false => {
            let around = brackets::innermost_open(inside, start, at)?;
            (around.bracket == '(').then_some(around.offset)?
        }
    };
    let (name, word) = word_before(inside, start, open)?;
    let close = brackets::partner(inside, open)?;
    let list = parts(inside, open + 1, close).join(" ");
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word} {list}"),
        message: format!("what `{word}` names stands without parentheses"),
        rule: "blanks separate the variables of a directive",
    })
}

/// hiCUDA's `tblock[4]` and `tblock{4}`.
pub(super) fn other_brackets(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let (name, word) = word_before(inside, start, at)?;
    let is_other = inside.get(at..)?.starts_with(['[', '{']);
    let close = brackets::partner(inside, at).filter(|_| is_other)?;
    let list = inside.get(at + 1..close)?.trim();
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word}({list})"),
        message: format!("what `{word}` takes stands in parentheses"),
        rule: "sizes and distributions stand in parentheses",
    })
}

/// hiCUDA's `global alloc a[*], b[*]`.
pub(super) fn operands_with_commas(inside: &str, start: usize, at: usize) -> Option<Repair> {
    brackets::innermost_open(inside, start, at)
        .is_none()
        .then_some(())?;
    inside.get(at..)?.starts_with(',').then(|| Repair {
        range: at..at + 1,
        text: String::new(),
        message: "a comma stands in a list of variables".into(),
        rule: "blanks separate the variables of a directive: remove the comma",
    })
}

/// `acc: parallel`.
pub(super) fn leading_mark(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let is_first = inside.get(start..at)?.trim().is_empty();
    let mark = inside.get(at..)?.chars().next()?;
    (is_first && [':', ',', '.', '-'].contains(&mark)).then(|| Repair {
        range: at..at + 1,
        text: String::new(),
        message: format!("a `{mark}` stands before the directive's name"),
        rule: "a blank stands there: remove the mark",
    })
}

/// `gang | vector`.
pub(super) fn between_clauses(inside: &str, start: usize, at: usize) -> Option<Repair> {
    word_before(inside, start, at).map(|_| ()).or_else(|| {
        let before = inside.get(start..at)?.trim_end();
        before.ends_with(')').then_some(())
    })?;
    let rest = inside.get(at..)?;
    // A colon behind a clause begins what it takes.
    let is_name = word_before(inside, start, at).is_some_and(|(_, word)| NAMES.contains(&word));
    let is_mark = |c: char| ['|', '&', ';', '+', '/'].contains(&c) || c == ':' && is_name;
    let behind = rest.trim_start_matches(is_mark);
    let length = rest.len() - behind.len();
    let begins = behind.trim_start().starts_with(|c: char| c.is_alphabetic());
    (length > 0 && begins).then(|| Repair {
        range: at..at + length,
        text: String::new(),
        message: format!("`{}` stands between two clauses", &rest[..length]),
        rule: "blanks or commas separate clauses: remove it",
    })
}

/// `a[0;n]`.
pub(super) fn semicolon(inside: &str, at: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, 0, open.offset)?;
    let list = inside.get(open.offset + 1..close)?.replace(';', ":");
    inside.get(at..)?.starts_with(';').then(|| Repair {
        range: name.start..close + 1,
        text: format!("{word}[{list}]"),
        message: "a section has a colon between its first index and its length".into(),
        rule: SECTION,
    })
}

/// `a[0 n]`.
pub(super) fn section_colon(inside: &str, at: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, 0, open.offset)?;
    let first = inside.get(open.offset + 1..at)?.trim();
    let length = inside.get(at..close)?.trim();
    let is_operand = |text: &str| !text.is_empty() && !text.contains([':', ',', ';']);
    let begins = length.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (begins && is_operand(first) && is_operand(length)).then(|| Repair {
        range: name.start..close + 1,
        text: format!("{word}[{first}:{length}]"),
        message: "a section has a colon between its first index and its length".into(),
        rule: SECTION,
    })
}

/// `a{0:n}`.
pub(super) fn braces(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let (name, word) = word_before(inside, start, at)?;
    let is_such = inside.get(at..)?.starts_with('{');
    let close = brackets::partner(inside, at).filter(|_| is_such)?;
    let list = inside.get(at + 1..close)?.trim();
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word}[{list}]"),
        message: "a section stands in brackets, not in braces".into(),
        rule: SECTION,
    })
}

/// `copy(a[0:n]; b[0:n])`, `copy(a[0:n],)`.
pub(super) fn separators(inside: &str, start: usize, at: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (clause, word) = word_before(inside, start, open.offset)?;
    let before = inside.get(open.offset + 1..at)?.trim_end();
    let rest = inside.get(at..)?;
    if let Some(before) = before.strip_suffix(',')
        && rest.starts_with([')', ','])
    {
        let comma = open.offset + 1 + before.len();
        return Some(Repair {
            range: comma..comma + 1,
            text: String::new(),
            message: "a comma of the list has no name behind it".into(),
            rule: "remove the comma",
        });
    }
    let list = inside.get(open.offset + 1..close)?;
    let names: Vec<&str> = list.split(';').map(str::trim).collect();
    let is_whole = names.iter().all(|name| !name.is_empty());
    (rest.starts_with(';') && is_whole).then(|| Repair {
        range: clause.start..close + 1,
        text: format!("{word}({})", names.join(", ")),
        message: "a `;` stands between two names of a list".into(),
        rule: "commas separate names",
    })
}

/// `copyin(readonly a[0:n])`.
pub(super) fn missing_colon(inside: &str, start: usize, at: usize, open: &Open) -> Option<Repair> {
    const WORDS: [&str; 13] = [
        "always",
        "alwaysin",
        "alwaysout",
        "capture",
        "devnum",
        "dim",
        "force",
        "length",
        "num",
        "queues",
        "readonly",
        "static",
        "zero",
    ];
    let close = brackets::partner(inside, open.offset)?;
    let (clause, word) = word_before(inside, start, open.offset)?;
    let (label, name) = word_before(inside, open.offset + 1, at)?;
    let before = inside.get(open.offset + 1..label.end)?.trim();
    let behind = inside.get(at..close)?.trim();
    (WORDS.contains(&name) && !behind.starts_with([',', ':'])).then(|| Repair {
        range: clause.start..close + 1,
        text: format!("{word}({before}:{behind})"),
        message: format!("a colon is missing behind `{name}`"),
        rule: "a colon follows a modifier or a label",
    })
}

/// `copy(m[n, 64])`, whose sizes the parser takes for one index.
pub(super) fn sizes(inside: &str, start: usize) -> Option<Repair> {
    let opens = inside.get(start..)?.match_indices('[');
    opens.map(|(at, _)| start + at).find_map(|open| {
        let around = brackets::innermost_open(inside, start, open)?;
        let (_, clause) = word_before(inside, start, around.offset)?;
        let is_list = around.bracket == '(' && MOVING.contains(&clause);
        let close = brackets::partner(inside, open).filter(|_| is_list)?;
        let (name, word) = word_before(inside, start, open)?;
        let list = parts(inside, open + 1, close);
        let is_size = |part: &&str| !part.is_empty() && !part.contains(':');
        (list.len() > 1 && list.iter().all(is_size)).then(|| Repair {
            range: name.start..close + 1,
            text: format!("{word}[0:{}]", list.join("][0:")),
            message: "each dimension of a section has brackets of its own".into(),
            rule: "a section is `name[first:length][first:length]`",
        })
    })
}

/// `a[*]`, `a[0:*]`.
pub(super) fn star(inside: &str, at: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, 0, open.offset)?;
    let is_star = inside
        .get(open.offset + 1..close)?
        .trim_end()
        .ends_with('*');
    (is_star && at <= close).then(|| Repair {
        range: name.start..close + 1,
        text: format!("{word}[:]"),
        message: "`*` is no length of a section".into(),
        rule: "a section is `name[first:length]`: a number stands in place of `*`",
    })
}

/// `gang[8]`, `copy[a]`, `num_gangs{4}`, `tile<8, 8>`.
pub(super) fn in_brackets(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let (name, word) = word_before(inside, start, at)?;
    let close = match inside.as_bytes().get(at)? {
        b'[' | b'{' => brackets::partner(inside, at)?,
        b'<' => at + inside.get(at..)?.find('>')?,
        _ => return None,
    };
    let list = parts(inside, at + 1, close).join(", ");
    (!list.is_empty()).then(|| Repair {
        range: name.start..close + 1,
        text: format!("{word}({list})"),
        message: format!("what `{word}` takes stands in parentheses"),
        rule: "brackets are for sections of arrays",
    })
}

/// `gang 8` where the construct says how many there are.
pub(super) fn with_size(repair: Option<Repair>) -> Option<Repair> {
    size_of_construct(&repair?, true)
}

/// A level with a size where the construct says how many there are, or, if it has no loop, that size alone.
fn size_of_construct(repair: &Repair, has_level: bool) -> Option<Repair> {
    let (level, list) = repair.text.strip_suffix(')')?.split_once('(')?;
    let size = match level {
        "gang" => "num_gangs",
        "worker" => "num_workers",
        "vector" => "vector_length",
        _ => return None,
    };
    let number = |part: &&str| match part.split_once(':') {
        Some((label, number)) => {
            (["num", "length"].contains(&label.trim())).then(|| number.trim().to_owned())
        }
        None => Some((*part).to_owned()),
    };
    let parts = parts(list, 0, list.len());
    let at = parts.iter().position(|part| number(part).is_some())?;
    let number = number(&parts[at])?;
    let others: Vec<&str> = [&parts[..at], &parts[at + 1..]].concat();
    let level_text = match (has_level, others.is_empty()) {
        (false, _) => String::new(),
        (true, true) => format!("{level} "),
        (true, false) => format!("{level}({}) ", others.join(", ")),
    };
    Some(Repair {
        range: repair.range.clone(),
        text: format!("{level_text}{size}({number})"),
        message: format!("`{level}` takes no size in a `parallel` construct"),
        rule: "the construct says how many there are",
    })
}

/// What is meant by the size of a level, as far as a directive takes it.
pub(super) fn of_construct(
    inside: &str,
    start: usize,
    repair: Repair,
    known: &Known<'_>,
) -> Repair {
    let is_taken = |repair: &Repair| {
        let before = inside.get(start..repair.range.start)?;
        let text = format!("{before}{}{}", repair.text, inside.get(repair.range.end..)?);
        let place = span_of(before.len(), before.len() + repair.text.len());
        (known.takes)(&text, place).filter(Vec::is_empty)
    };
    if is_taken(&repair).is_some() {
        return repair;
    }
    let sizes = [true, false].into_iter();
    let mut sizes = sizes.filter_map(|has_level| size_of_construct(&repair, has_level));
    sizes
        .find(|size| is_taken(size).is_some())
        .unwrap_or(repair)
}

/// `+ s`, `+(s, t)`: what a reduction has in its parentheses.
pub(super) fn reduced(list: &str) -> Option<String> {
    let behind = list.trim_start_matches(is_operator);
    let operator = &list[..list.len() - behind.len()];
    let names = behind.trim();
    let names = names
        .strip_prefix('(')
        .and_then(|names| names.strip_suffix(')'))
        .unwrap_or(names)
        .trim();
    let is_list = names.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (!operator.is_empty() && is_list).then(|| format!("{operator}:{names}"))
}

/// What is written in place of a clause that is misspelt, and near to several.
pub(super) const ONE_OF: &str = "write the name of one of them, and what it takes in parentheses";

/// `copyin(b 0:n)`.
pub(super) fn missing_brackets(inside: &str, at: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, open.offset + 1, at)?;
    let section = *parts(inside, at, close).first()?;
    let is_first = inside
        .get(open.offset..name.start)?
        .trim_end()
        .ends_with(['(', ',', ':']);
    let (first, length) = section.split_once(':')?;
    let is_section = !first.trim().is_empty() && !length.trim().is_empty();
    let is_plain = is_first && is_section && !section.contains(['[', '(']);
    is_plain.then(|| Repair {
        range: name.start..at + section.len(),
        text: format!("{word}[{section}]"),
        message: "a section stands in brackets".into(),
        rule: SECTION,
    })
}

/// `copy((a[0:n]))`.
pub(super) fn in_parentheses(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    let around = brackets::innermost_open(inside, start, open.offset)?;
    let is_own = around.bracket == '('
        && inside
            .get(start..around.offset)?
            .trim_end()
            .ends_with(['(', ',']);
    let close = brackets::partner(inside, around.offset).filter(|_| is_own)?;
    Some(Repair {
        range: around.offset..close + 1,
        text: inside.get(around.offset + 1..close)?.trim().to_owned(),
        message: "a section has no parentheses of its own".into(),
        rule: SECTION,
    })
}

/// `parallel loop(copy(a[0:n]))`.
pub(super) fn clauses_in_parentheses(inside: &str, start: usize, at: usize) -> Option<Repair> {
    const WORDS: [&str; 7] = [
        "data", "kernels", "loop", "parallel", "routine", "serial", "update",
    ];
    let mut outermost = brackets::innermost_open(inside, start, at)?;
    while let Some(around) = brackets::innermost_open(inside, start, outermost.offset) {
        outermost = around;
    }
    let (name, word) = word_before(inside, start, outermost.offset)?;
    let close = brackets::partner(inside, outermost.offset).filter(|_| WORDS.contains(&word))?;
    let list = inside.get(outermost.offset + 1..close)?.trim();
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word} {list}"),
        message: format!("the clauses of `{word}` stand in parentheses"),
        rule: "clauses follow the name of their directive",
    })
}

/// `copy(&a[0:n])`.
pub(super) fn address(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, start, open.offset)?;
    let before = inside.get(start..name.start)?.trim_end();
    let bare = before.strip_suffix('&')?;
    bare.trim_end().ends_with(['(', ',']).then_some(())?;
    let section = inside.get(open.offset..close + 1)?;
    Some(Repair {
        range: start + bare.len()..close + 1,
        text: format!("{word}{section}"),
        message: "a section is of a variable, not of an address".into(),
        rule: SECTION,
    })
}

/// `copy(a + 3[0:n])`.
pub(super) fn displaced(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (operand, by) = word_before(inside, start, open.offset)?;
    let before = inside.get(start..operand.start)?.trim_end();
    let end = start + before.strip_suffix('+')?.len();
    let (name, word) = word_before(inside, start, end)?;
    let is_item = inside
        .get(start..name.start)?
        .trim_end()
        .ends_with(['(', ',']);
    let (first, length) = inside.get(open.offset + 1..close)?.split_once(':')?;
    let (first, length) = (first.trim(), length.trim());
    let first = match first {
        "" | "0" => by.to_owned(),
        first => format!("{first} + {by}"),
    };
    is_item.then(|| Repair {
        range: name.start..close + 1,
        text: format!("{word}[{first}:{length}]"),
        message: "a section is of a variable, not of an address".into(),
        rule: SECTION,
    })
}

/// Clauses whose lists are of names, and do not move data by their lengths.
const NAMING: [&str; 10] = [
    "attach",
    "deviceptr",
    "delete",
    "detach",
    "firstprivate",
    "no_create",
    "present",
    "private",
    "reduction",
    "use_device",
];

const REDUCTION: &str = "a reduction has an operator, a colon and variables";

/// `vector(length = 4)`, `gang(static 8)`, `gang(static, 8)`, `wait(devnum=0: 1)`.
pub(super) fn label(inside: &str, start: usize) -> Option<Repair> {
    const LABELS: [&str; 6] = ["num", "length", "static", "dim", "devnum", "queues"];
    let label_of = |part: &str| {
        let word = part.find(|c: char| !c.is_alphanumeric())?;
        let (label, rest) = part.split_at(word);
        let value = rest.trim_start();
        let value = value.strip_prefix('=').unwrap_or(value).trim();
        let is_value = !value.is_empty() && !value.starts_with(['=', ':']);
        (LABELS.contains(&label) && is_value).then(|| (label.to_owned(), value.to_owned()))
    };
    let opens = inside.get(start..)?.match_indices('(');
    opens.map(|(at, _)| start + at).find_map(|open| {
        let (name, word) = word_before(inside, start, open)?;
        let close = brackets::partner(inside, open)?;
        let list = parts(inside, open + 1, close);
        let is_level = LEVELS.contains(&word) || word == "wait";
        // No variable is called `static`.
        if is_level && let Some(at) = list.iter().position(|part| *part == "static") {
            let value = list.get(at + 1)?;
            let mut texts: Vec<String> = list.iter().map(|part| (*part).to_owned()).collect();
            texts.splice(at..at + 2, [format!("static:{value}")]);
            return Some(Repair {
                range: name.start..close + 1,
                text: format!("{word}({})", texts.join(", ")),
                message: "a label stands before a colon, not before a comma".into(),
                rule: "a colon follows a label",
            });
        }
        if !is_level || !list.iter().any(|part| label_of(part).is_some()) {
            return None;
        }
        let one = |part: &&str| match label_of(part) {
            // A lone size needs no label.
            Some((label, value)) if list.len() == 1 && ["num", "length"].contains(&&*label) => {
                value
            }
            Some((label, value)) => format!("{label}:{value}"),
            None => (*part).to_owned(),
        };
        let text: Vec<String> = list.iter().map(one).collect();
        let is_assigned = inside.get(open..close)?.contains('=');
        let other = if is_assigned { ", not before `=`" } else { "" };
        Some(Repair {
            range: name.start..close + 1,
            text: format!("{word}({})", text.join(", ")),
            message: format!("a label stands before a colon{other}"),
            rule: "a colon follows a label",
        })
    })
}

/// `reduction(+=:s)`.
pub(super) fn assigning_operator(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, start, open.offset)?;
    let list = inside.get(open.offset + 1..close)?.trim();
    let behind = list.trim_start_matches(is_operator);
    let operator = &list[..list.len() - behind.len()];
    let assigned = behind.trim_start().strip_prefix('=');
    let is_step = operator == "++";
    let variables = assigned
        .or(is_step.then_some(behind))?
        .trim_start()
        .strip_prefix(':')?;
    // What is subtracted is added up.
    let operator = if operator == "-" || is_step {
        "+"
    } else {
        operator
    };
    (!operator.is_empty()).then(|| Repair {
        range: name.start..close + 1,
        text: format!("{word}({operator}:{})", variables.trim()),
        message: match assigned {
            Some(_) => "the operator of a reduction stands without `=`".into(),
            None => "the operator of a reduction stands once".into(),
        },
        rule: REDUCTION,
    })
}

/// `reduction(.and.:t)`.
pub(super) fn fortran_operator(inside: &str, start: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (name, word) = word_before(inside, start, open.offset)?;
    let list = inside.get(open.offset + 1..close)?.trim();
    let (operator, behind) = list.strip_prefix('.')?.split_once('.')?;
    let operator = match operator.trim().to_ascii_lowercase().as_str() {
        "and" => "&&",
        "or" => "||",
        "max" => "max",
        "min" => "min",
        _ => return None,
    };
    let variables = behind.trim_start().strip_prefix([':', ','])?;
    Some(Repair {
        range: name.start..close + 1,
        text: format!("{word}({operator}:{})", variables.trim()),
        message: "the operator of a reduction is one of C's".into(),
        rule: REDUCTION,
    })
}

/// `private(int t)`.
pub(super) fn typed_name(inside: &str, at: usize) -> Option<Repair> {
    const TYPES: [&str; 12] = [
        "char", "const", "double", "float", "int", "long", "short", "signed", "size_t", "static",
        "unsigned", "volatile",
    ];
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // Behind the first word of a type that the parser takes for a name.
    let (start, _) = match word_before(inside, 0, at) {
        Some((range, word)) if TYPES.contains(&word) => (range.start, word),
        _ => (at, ""),
    };
    let mut rest = inside.get(start..)?.trim_start();
    let first = inside.len() - rest.len();
    loop {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        match &rest[..length] {
            "" if rest.starts_with('*') => rest = rest[1..].trim_start(),
            word if TYPES.contains(&word) => rest = rest[length..].trim_start(),
            _ => break,
        }
    }
    let name = inside.len() - rest.len();
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let mut end = name + length;
    while inside.get(end..)?.trim_start().starts_with('[') {
        let bracket = end + inside[end..].find('[')?;
        end = brackets::partner(inside, bracket)? + 1;
    }
    let is_name = rest.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (name > first && is_name).then(|| Repair {
        range: first..end,
        text: inside[name..end].to_owned(),
        message: "a list has names without their types".into(),
        rule: "name the variable alone",
    })
}

/// `present(a[0:n] b[0:n])`.
pub(super) fn missing_comma(inside: &str, start: usize, at: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (clause, word) = word_before(inside, start, open.offset)?;
    let before = inside.get(open.offset + 1..at)?.trim();
    let behind = inside.get(at..close)?.trim();
    let is_name = behind.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_list = MOVING.contains(&word) || NAMING.contains(&word);
    let has_numbers = ["wait", "tile"].contains(&word);
    let is_item = before.ends_with(']')
        || (is_list || has_numbers) && before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    // A modifier stands before the list.
    let is_modifier = ["readonly", "zero", "always"].contains(&behind);
    let is_number = has_numbers && behind.starts_with(|c: char| c.is_ascii_digit());
    let names = parts(inside, open.offset + 1, at);
    let last = names
        .last()
        .map_or("", |last| last.rsplit(':').next().unwrap_or(last).trim());
    let (text, message, rule) = match last == behind {
        _ if has_numbers => (
            match behind
                .chars()
                .all(|c| c.is_alphanumeric() || " _*".contains(c))
            {
                true => {
                    let others: Vec<&str> = behind.split_whitespace().collect();
                    format!("{word}({before}, {})", others.join(", "))
                }
                false => format!("{word}({before}, {behind})"),
            },
            "a comma is missing between two numbers of a list".into(),
            "commas separate numbers",
        ),
        // `reduction(+:s s)`.
        true => (
            format!("{word}({before})"),
            format!("`{behind}` stands twice in a list"),
            "name it once",
        ),
        false => (
            format!("{word}({before}, {behind})"),
            "a comma is missing between two names of a list".into(),
            "commas separate names",
        ),
    };
    (is_item && (is_name || is_number) && !is_modifier).then(|| Repair {
        range: clause.start..close + 1,
        text,
        message,
        rule,
    })
}
