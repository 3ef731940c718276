//! `#pragma pack`: how far members may be aligned at a place in the text.

use crate::source::ForeignPragma;

/// The limits over the text.
#[derive(Debug, Default)]
pub(super) struct Packing {
    /// From an offset on, the limit in bytes; ascending.
    limits: Vec<(u32, Option<u64>)>,
}

/// A limit that was pushed, with the name it may have.
struct Pushed<'p> {
    name: Option<&'p str>,
    limit: Option<u64>,
}

impl Packing {
    /// Follows the pragmas of a text; those that are no `pack` do not count.
    pub fn new(pragmas: &[ForeignPragma]) -> Self {
        let mut limits = Vec::new();
        let mut limit = None;
        let mut stack = Vec::new();
        for pragma in pragmas {
            let Some(arguments) = arguments(&pragma.text) else {
                continue;
            };
            apply(&arguments, &mut limit, &mut stack);
            limits.push((pragma.at, limit));
        }
        Self { limits }
    }

    /// The limit at a place, in bytes.
    pub fn at(&self, offset: u32) -> Option<u64> {
        let after = self.limits.partition_point(|(at, _)| *at <= offset);
        let (_, limit) = self.limits.get(after.checked_sub(1)?)?;
        *limit
    }
}

/// The arguments of `pack ( … )`.
fn arguments(text: &str) -> Option<Vec<&str>> {
    let rest = text.strip_prefix("pack")?.trim_start();
    let (inside, _) = rest.strip_prefix('(')?.split_once(')')?;
    Some(inside.split(',').map(str::trim).collect())
}

/// `pack(n)` sets, `pack()` resets, `push` and `pop` keep and give back.
fn apply<'p>(arguments: &[&'p str], limit: &mut Option<u64>, stack: &mut Vec<Pushed<'p>>) {
    let (action, rest) = match arguments.split_first() {
        Some((first @ (&"push" | &"pop"), rest)) => (Some(*first), rest),
        _ => (None, arguments),
    };
    let is_name = |word: &&&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let name = rest.iter().find(is_name).copied();
    let number = rest.iter().find_map(|word| word.parse::<u64>().ok());
    let number = number.filter(|number| matches!(number, 0 | 1 | 2 | 4 | 8 | 16));
    match action {
        Some("push") => stack.push(Pushed {
            name,
            limit: *limit,
        }),
        Some(_) => {
            let position = match name {
                Some(_) => stack.iter().rposition(|pushed| pushed.name == name),
                None => stack.len().checked_sub(1),
            };
            if let Some(position) = position {
                *limit = stack.swap_remove(position).limit;
                stack.truncate(position);
            }
        }
        None if rest == [""] => *limit = None,
        None => {}
    }
    if let Some(number) = number {
        *limit = (number > 0).then_some(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_nest() {
        let texts = [
            "pack(2)",
            "GCC diagnostic push",
            "pack(push, 1)",
            "pack(push, outer, 4)",
            "pack ( push )",
            "pack(8)",
            "pack(pop, outer)",
            "pack(pop)",
            "pack()",
            "pack(pop)",
            "pack(3)",
        ];
        let pragmas: Vec<ForeignPragma> = (1..)
            .zip(texts)
            .map(|(at, text)| ForeignPragma {
                at,
                text: text.to_string(),
            })
            .collect();
        let packing = Packing::new(&pragmas);
        let limits: Vec<_> = (0..=11).map(|at| packing.at(at)).collect();
        let expected = [0, 2, 2, 1, 4, 4, 8, 1, 2, 0, 0, 0];
        assert_eq!(limits, expected.map(|n| (n > 0).then_some(n)));
    }
}
