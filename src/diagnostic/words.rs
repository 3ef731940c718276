//! Words in messages: lists of them, and the known words that a misspelt one is near to.

/// The known words near a misspelt one, nearest first; those equally near in the order in
/// which they are known.
#[derive(Clone, Debug, Default)]
pub struct Near<'w> {
    found: Vec<(usize, &'w str)>,
}

impl<'w> Near<'w> {
    /// The words of directives, clauses and options, which have no words beside them but
    /// each other: more edits are allowed the longer they are. The case of letters makes
    /// no difference.
    pub fn words(word: &str, known: impl Iterator<Item = &'w str>) -> Near<'w> {
        // Of what was written, be it long.
        let start: String = word.chars().take(40).collect();
        let lower = start.to_ascii_lowercase();
        let edits = |candidate: &str| {
            let as_lower = strsim::osa_distance(&lower, &candidate.to_ascii_lowercase());
            strsim::osa_distance(&start, candidate).min(as_lower)
        };
        let allowed = |candidate: &str| 1 + candidate.len().min(word.len()) / 4;
        let found = known
            .map(|candidate| (edits(candidate), candidate))
            .filter(|(edits, candidate)| *edits <= allowed(candidate));
        Near::of(found)
    }

    /// Names of a program: one edit for short ones, two for longer ones, and none for a
    /// letter but its case.
    pub fn names(name: &str, known: impl Iterator<Item = &'w str>) -> Near<'w> {
        let most = match name.len() {
            0 | 1 => 0,
            2..=4 => 1,
            _ => 2,
        };
        let edits = |candidate: &str| match candidate.eq_ignore_ascii_case(name) {
            true => 0,
            false => strsim::osa_distance(name, candidate),
        };
        let mut found: Vec<(usize, &str)> = known
            .filter(|candidate| {
                candidate.len().abs_diff(name.len()) <= most && !candidate.starts_with("__")
            })
            .map(|candidate| (edits(candidate), candidate))
            .filter(|(edits, _)| *edits <= most)
            .collect();
        found.sort_unstable();
        Near::of(found.into_iter())
    }

    /// The one word that can have been meant.
    pub fn certain(word: &'w str) -> Near<'w> {
        Near {
            found: vec![(0, word)],
        }
    }

    fn of(candidates: impl Iterator<Item = (usize, &'w str)>) -> Near<'w> {
        const MOST: usize = 5;
        let mut found: Vec<(usize, &str)> = Vec::new();
        for (edits, candidate) in candidates {
            if !found.iter().any(|(_, known)| *known == candidate) {
                found.push((edits, candidate));
            }
        }
        found.sort_by_key(|(edits, _)| *edits);
        // What is a word with another case is meant.
        if found.first().is_some_and(|(edits, _)| *edits == 0) {
            found.retain(|(edits, _)| *edits == 0);
        }
        found.truncate(MOST);
        Near { found }
    }

    /// Whether no word is near.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The words, nearest first.
    pub fn iter(&self) -> impl Iterator<Item = &'w str> + use<'w, '_> {
        self.found.iter().map(|(_, word)| *word)
    }

    /// The first of the nearest words.
    pub fn first(&self) -> Option<&'w str> {
        self.iter().next()
    }

    /// The word that is nearer than all others, which may replace what is written.
    pub fn nearest(&self) -> Option<&'w str> {
        match self.found.as_slice() {
            [(_, only)] => Some(only),
            [(first, word), (second, _), ..] if first < second => Some(word),
            _ => None,
        }
    }

    /// Asks whether one of these words was meant; nothing where there is none.
    pub fn question(&self) -> Option<String> {
        did_you_mean(self.iter())
    }
}

/// Asks whether one of these words was meant; nothing where there is none.
pub fn did_you_mean<'w>(words: impl Iterator<Item = &'w str>) -> Option<String> {
    let mut words = words.peekable();
    words.peek()?;
    Some(format!("did you mean {}?", joined(words, "or")))
}

/// The word that a question asks about, if it is one alone.
pub fn asked_about(question: &str) -> Option<&str> {
    let word = question.strip_prefix("did you mean `")?;
    let (word, rest) = word.split_once('`')?;
    (rest.starts_with('?') && !rest.contains('`')).then_some(word)
}

/// `a`, `b` and `c`.
pub fn enumerate<'w>(words: impl Iterator<Item = &'w str>) -> String {
    joined(words, "and")
}

fn joined<'w>(words: impl Iterator<Item = &'w str>, conjunction: &str) -> String {
    let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
    match words.as_slice() {
        [] => "no clause".into(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} {conjunction} {last}", init.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list<'w>(near: &Near<'w>) -> Vec<&'w str> {
        near.iter().collect()
    }

    #[test]
    fn all_near_words_the_nearest_first() {
        let near = |word| {
            Near::words(
                word,
                ["copy", "copyin", "copyout", "create", "copyin"].into_iter(),
            )
        };
        assert_eq!(list(&near("copyi")), ["copy", "copyin"]);
        assert_eq!(near("copyi").nearest(), None);
        assert_eq!(list(&near("copin")), ["copyin", "copy"]);
        assert_eq!(near("copin").nearest(), Some("copyin"));
        assert_eq!(list(&near("COPYIN")), ["copyin"]);
        let asked = |word| near(word).question();
        assert_eq!(asked_about(&asked("COPYIN").unwrap()), Some("copyin"));
        assert_eq!(asked_about(&asked("copyi").unwrap()), None);
        assert_eq!(asked_about("`#include <math.h>` declares it"), None);
        assert!(near("present").is_empty());
        assert_eq!(near("present").question(), None);
        assert_eq!(
            near("copyi").question().as_deref(),
            Some("did you mean `copy` or `copyin`?")
        );
    }

    #[test]
    fn all_near_names_the_nearest_first() {
        let names = ["temperature", "temp", "power", "__temq"];
        let near = |name| list(&Near::names(name, names.into_iter()));
        assert_eq!(near("temperatur"), ["temperature"]);
        assert_eq!(near("temq"), ["temp"]);
        assert_eq!(near("pwoer"), ["power"]);
        assert!(near("pressure").is_empty());
        let near = |name, names: [&'static str; 3]| list(&Near::names(name, names.into_iter()));
        assert!(near("t", ["f", "g", "h"]).is_empty());
        assert_eq!(near("N", ["n", "m", "k"]), ["n"]);
        assert_eq!(
            near("total2", ["totals", "total", "sum"]),
            ["total", "totals"]
        );
        assert_eq!(
            near("total12", ["total", "total1", "sum"]),
            ["total1", "total"]
        );
        assert_eq!(near("aa", ["b", "ab", "a"]), ["a", "ab"]);
    }
}
