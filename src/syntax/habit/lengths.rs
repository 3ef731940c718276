//! How many elements a section has that is written by its first and its last one, for [`super`].
//!
//! ```text
//! 0, n - 1         n
//! lo, hi           hi - lo + 1
//! i + 1, i + 4     4
//! ```
//!
//! And the windows that are written so: `i - 1, i + 2` is `i:1:2`.

/// A section whose text counts the last element of what may be a range without it.
pub(super) const WITH_LAST: &str = "the second number of a section is how many elements it has";

const SECTION: &str = "a section is `name[first:length]`";

/// The length of the section that a range with dots is, and the rule which says it.
pub(super) fn of_range(first: &str, end: &str) -> (String, &'static str) {
    if let Some(last) = end.strip_prefix('=') {
        return (with_both(first, last.trim()), SECTION);
    }
    if let Some(end) = end.strip_prefix('<') {
        return (plus(&with_both(first, end.trim()), -1), SECTION);
    }
    let (base, _) = split(end);
    match (first, base) {
        _ if is_last(end) => (with_both(first, end), SECTION),
        // An array with element `n` would have one more than it is said to have.
        ("" | "0", base) if !base.is_empty() => (end.to_owned(), SECTION),
        _ => (with_both(first, end), WITH_LAST),
    }
}

/// Whether an index is the last one for certain: nothing has `n - 1` elements.
pub(super) fn is_last(index: &str) -> bool {
    let (base, by) = split(index);
    !base.is_empty() && by == -1
}

/// How windows are written.
pub(super) const WINDOW: &str = "a window is `name[pivot:before:after]`";
/// How windows are written, of one of which the pivot is not known.
pub(super) const UNKNOWN_WINDOW: &str = "a window is `name[pivot:before:after]`: the index of an iteration, and how many elements it reads before and behind that";

/// The brackets of the window that a range is, and the rule which says it.
pub(super) fn window(first: &str, last: &str) -> (String, &'static str) {
    let ((from, before), (to, after)) = (split(first), split(last));
    match (from == to && !from.is_empty(), before, after) {
        (true, ..=0, 0..) => (
            format!("[{from}:{}:{after}]", before.unsigned_abs()),
            WINDOW,
        ),
        _ => (format!("[{}:1:1]", first.trim()), UNKNOWN_WINDOW),
    }
}

/// A section with one element less.
pub(super) fn without_last(section: &str) -> String {
    let less = || {
        let (first, length) = section.strip_suffix(']')?.rsplit_once(':')?;
        Some(format!("{first}:{}]", plus(length, -1)))
    };
    less().unwrap_or_else(|| section.to_owned())
}

/// How many elements there are from the first to the last one, these two among them.
pub(super) fn with_both(first: &str, last: &str) -> String {
    let ((from, before), (to, by)) = (split(first), split(last));
    let by = by.saturating_sub(before).saturating_add(1);
    match (from, to) {
        (from, to) if from == to => by.to_string(),
        ("", to) => sum(to, by),
        (from, "") => sum(&format!("{by} - {}", operand(from)), 0),
        (from, to) => sum(&format!("{} - {}", term(to), operand(from)), by),
    }
}

/// An index with a number added.
pub(super) fn plus(index: &str, number: i64) -> String {
    let (base, by) = split(index);
    sum(base, by.saturating_add(number))
}

fn sum(base: &str, by: i64) -> String {
    match (base, by) {
        ("", by) => by.to_string(),
        (base, 0) => base.to_owned(),
        (base, by) if by < 0 => format!("{} - {}", term(base), by.unsigned_abs()),
        (base, by) => format!("{} + {by}", term(base)),
    }
}

/// An index without the number that it ends with, and that number.
fn split(index: &str) -> (&str, i64) {
    let index = index.trim();
    if index.is_empty() {
        return ("", 0);
    }
    if let Ok(number) = index.parse() {
        return ("", number);
    }
    let found = || {
        let before = index.trim_end_matches(|c: char| c.is_ascii_digit());
        let number: i64 = index[before.len()..].parse().ok()?;
        let before = before.trim_end();
        let (sign, base) = match before.strip_suffix('-') {
            Some(base) => (-1, base.trim_end()),
            None => (1, before.strip_suffix('+')?.trim_end()),
        };
        let is_operand = base.ends_with(|c: char| c.is_alphanumeric() || "_)]".contains(c));
        (is_operand && !is_loose(base)).then_some((base, sign * number))
    };
    found().unwrap_or((index, 0))
}

/// Whether a text has operators that bind less than `+`.
fn is_loose(text: &str) -> bool {
    has_outside(text, &['?', '<', '>', '&', '|', '^', '=', '!'])
}

/// Whether a text has one of some characters outside of brackets.
fn has_outside(text: &str, marks: &[char]) -> bool {
    let mut depth = 0_usize;
    text.chars().any(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && marks.contains(&c)
    })
}

/// As the left side of a sum.
fn term(text: &str) -> String {
    match is_loose(text) {
        true => format!("({text})"),
        false => text.to_owned(),
    }
}

/// As what is subtracted.
fn operand(text: &str) -> String {
    match is_loose(text) || has_outside(text, &['+', '-']) {
        true => format!("({text})"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_ranges() {
        for (first, end, length, rule) in [
            ("0", "n", "n", SECTION),
            ("", "n", "n", SECTION),
            ("0", "n-1", "n", SECTION),
            ("0", "n * m - 1", "n * m", SECTION),
            ("1", "n - 1", "n - 1", SECTION),
            ("1", "n", "n", WITH_LAST),
            ("2", "9", "8", WITH_LAST),
            ("lo", "hi", "hi - lo + 1", WITH_LAST),
            ("lo", "hi - 1", "hi - lo", SECTION),
            ("lo", "<hi", "hi - lo", SECTION),
            ("lo", "= hi", "hi - lo + 1", SECTION),
            ("i + 1", "i + 4", "4", WITH_LAST),
            ("i - k", "n", "n - (i - k) + 1", WITH_LAST),
            ("i", "9", "10 - i", WITH_LAST),
            ("i", "c ? n : m", "(c ? n : m) - i + 1", WITH_LAST),
            ("0", "n * -1", "n * -1", SECTION),
        ] {
            let found = of_range(first, end);
            assert_eq!(found, (length.to_owned(), rule), "{first}..{end}");
        }
        assert_eq!(without_last("a[lo:hi - lo + 1]"), "a[lo:hi - lo]");
        assert_eq!(without_last("a[2:8]"), "a[2:7]");
    }
}
