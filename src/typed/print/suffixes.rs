//! Numbers in sentences, without what only a compiler needs.

/// C without the suffixes of its whole numbers: `n * 4` of `n * 4ul`, as `sizeof` is printed.
pub fn without_suffixes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    // Whether the last character is in a decimal number, or what stands in the middle of a word.
    let (mut in_number, mut in_word) = (false, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let starts_number = c.is_ascii_digit() && !in_word;
        in_number = c.is_ascii_digit() && (in_number || starts_number);
        in_word = c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        plain.push(c);
        let ends = |c: &char| matches!(c, 'u' | 'U' | 'l' | 'L');
        while in_number && rest.next_if(ends).is_some() {}
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::without_suffixes;

    #[test]
    fn whole_numbers_alone_lose_their_suffixes() {
        for (text, plain) in [
            ("a[0:n * 4ul]", "a[0:n * 4]"),
            ("10L + 3u * x2l", "10 + 3 * x2l"),
            ("1.5l + 0x10ul + n_4ul + 2", "1.5l + 0x10ul + n_4ul + 2"),
        ] {
            assert_eq!(without_suffixes(text), plain);
        }
    }
}
