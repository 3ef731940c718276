//! Labels and queues that stand without their parentheses, or are too many: guesses for [`super`].
//!
//! ```text
//! gang static:4            gang(static:4)
//! wait queues: 1           wait(queues:1)
//! async n 1                one of them
//! ```

use super::items::LEVELS;
use super::{Repair, word_before};
use crate::syntax::brackets::{self, Open};

/// What labels stand before.
const LABELS: [&str; 6] = ["devnum", "dim", "length", "num", "queues", "static"];

/// `gang static:4`, `wait queues: 1`.
pub(super) fn bare_label(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let (label, name) = word_before(inside, start, at).filter(|(_, word)| LABELS.contains(word))?;
    let (clause, word) = word_before(inside, start, label.start)?;
    let takes = LEVELS.contains(&word) || word == "wait";
    let rest = inside.get(at..)?.strip_prefix(':').filter(|_| takes)?;
    let value = rest.trim_start();
    let length = value.find([' ', '\t', ',']).unwrap_or(value.len());
    let end = inside.len() - value.len() + length;
    (length > 0).then(|| Repair {
        range: clause.start..end,
        text: format!("{word}({name}:{})", &value[..length]),
        message: format!("what `{word}` takes stands in parentheses"),
        rule: "put it into parentheses",
    })
}

/// `async n 1`, where the parser stops at either.
pub(super) fn bare_queues(inside: &str, start: usize, at: usize) -> Option<Repair> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let next = |at: usize| {
        let rest = inside.get(at..)?;
        let from = inside.len() - rest.trim_start().len();
        let word = rest.trim_start();
        let length = word.find(|c| !is_part(c)).unwrap_or(word.len());
        Some(from..from + length)
    };
    let (before, word) = word_before(inside, start, at)?;
    let clause = match word {
        "async" => before,
        _ => {
            word_before(inside, start, before.start)
                .filter(|(_, word)| *word == "async")?
                .0
        }
    };
    let first = next(clause.end)?;
    let second = next(first.end)?;
    let [one, other] = [inside.get(first)?, inside.get(second.clone())?];
    let is_number = other.starts_with(|c: char| c.is_ascii_digit());
    let is_apart = !inside.get(second.end..)?.starts_with('(');
    (is_number && is_apart && !one.is_empty()).then(|| Repair {
        range: clause.start..second.end,
        text: format!("async({one})"),
        message: format!("`async` takes one queue in parentheses, `{one}` or `{other}`"),
        rule: ONE_QUEUE,
    })
}

/// What `async` takes.
pub(super) const ONE_QUEUE: &str = "a construct runs in one queue: write one number";

/// `async(1 2)`.
pub(super) fn several_queues(inside: &str, start: usize, at: usize, open: &Open) -> Option<Repair> {
    let close = brackets::partner(inside, open.offset)?;
    let (clause, word) = word_before(inside, start, open.offset)?;
    let first = inside.get(open.offset + 1..at)?.trim();
    let begins = inside.get(at..)?.starts_with(|c: char| c.is_alphanumeric());
    (word == "async" && begins && !first.is_empty()).then(|| Repair {
        range: clause.start..close + 1,
        text: format!("{word}({first})"),
        message: "`async` takes one queue".into(),
        rule: ONE_QUEUE,
    })
}
