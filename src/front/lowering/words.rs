//! Words in messages.

/// The words of a list that are nearest to a misspelt one, all that are equally near, in
/// the order of the list; none if no word is near. The case of letters makes no difference.
pub fn near<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Vec<&'w str> {
    // Of what was written, be it long.
    let start: String = word.chars().take(40).collect();
    let lower = start.to_ascii_lowercase();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in words {
        let distance = strsim::osa_distance(&start, candidate).min(strsim::osa_distance(
            &lower,
            &candidate.to_ascii_lowercase(),
        ));
        let is_near = distance <= 1 + candidate.len().min(word.len()) / 4;
        if is_near && !found.iter().any(|(_, known)| *known == candidate) {
            found.push((distance, candidate));
        }
    }
    let least = found.iter().map(|(distance, _)| *distance).min();
    found.retain(|(distance, _)| Some(*distance) == least);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// The first of the nearest words.
pub fn nearest<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    near(word, words).first().copied()
}

/// Asks whether one of these words was meant; nothing where there is none.
pub fn did_you_mean(near: &[&str]) -> Option<String> {
    (!near.is_empty()).then(|| format!("did you mean {}?", joined(near.iter().copied(), "or")))
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

    #[test]
    fn all_words_that_are_equally_near() {
        let words = || ["copy", "copyin", "copyout", "create", "copyin"].into_iter();
        assert_eq!(near("copyi", words()), ["copy", "copyin"]);
        assert_eq!(near("COPYIN", words()), ["copyin"]);
        assert!(near("present", words()).is_empty());
        assert_eq!(
            did_you_mean(&near("copyi", words())).as_deref(),
            Some("did you mean `copy` or `copyin`?")
        );
    }
}
