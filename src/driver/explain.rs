//! `accrs explain CODE`, and `accrs explain DIRECTIVE` for those of hiCUDA.

use super::embedded;
use super::failure::{Failure, Success};
use super::session::Session;
use crate::diagnostic::{Diagnostic, codes};

/// Prints the page of a code, in either case of its letter or without it and without leading
/// zeros, or of a directive of hiCUDA,
/// with or without `hicuda` before its name; of `hicuda`, the list of these. Without a
/// word, the list of all codes.
///
/// # Errors
/// When there is no such code or directive.
pub fn explain(session: Session, word: Option<&str>) -> Result<Success, Failure> {
    let Some(word) = word else {
        let lines = codes::ALL
            .iter()
            .map(|(code, title)| format!("{}  {title}\n", code.0));
        session.print(lines.collect::<String>())?;
        return Ok(Success::Done);
    };
    let name = word.trim();
    if name == "hicuda" {
        let lines = directives().map(|(name, title, _)| format!("{name:<14}  {title}\n"));
        return session
            .print(lines.collect::<String>())
            .map(|()| Success::Done);
    }
    let directive = name.strip_prefix("hicuda").unwrap_or(name).trim();
    let page = embedded::explanation(&code(name));
    match page.or_else(|| page_of(directive)) {
        Some(page) => session.print(page).map(|()| Success::Done),
        None => Err(
            Diagnostic::global(codes::BAD_USAGE, format!("there is no code `{word}`"))
                .help("`accrs explain` without a code lists all, `accrs explain hicuda` lists directives")
                .into(),
        ),
    }
}

/// A code as the messages have it: `A0409` for `409`, `0409` and `a0409`.
fn code(word: &str) -> String {
    let digits = word.trim_start_matches(['a', 'A']);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match is_number && word.len() - digits.len() <= 1 {
        true => format!("A{digits:0>4}"),
        false => word.to_ascii_uppercase(),
    }
}

/// The page of a directive of hiCUDA.
fn page_of(directive: &str) -> Option<&'static str> {
    let mut all = directives();
    all.find(|(name, ..)| *name == directive)
        .map(|(.., page)| page)
}

/// The directives in `docs/hicuda.md`, where each has a part of the third level: its name,
/// its title and its page.
fn directives() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let text = embedded::HICUDA;
    let starts = text.match_indices("\n### ").map(|(at, _)| at + 1);
    starts.filter_map(move |start| {
        let page = &text[start..];
        let end = page[1..].find("\n##").map_or(page.len(), |end| end + 2);
        let page = &page[..end];
        let (name, title) = page
            .lines()
            .next()?
            .strip_prefix("### ")?
            .split_once(": ")?;
        Some((name, title, page))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_as_people_type_them() {
        for word in ["409", "0409", "a0409", "A0409", "a409"] {
            assert_eq!(code(word), "A0409", "{word}");
            assert!(embedded::explanation(&code(word)).is_some(), "{word}");
        }
        assert_eq!(code("kernel"), "KERNEL");
        assert!(embedded::explanation(&code("9409")).is_none());
    }
}
