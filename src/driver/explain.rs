//! `accrs explain CODE`, and `accrs explain DIRECTIVE` for those of hiCUDA.

use super::embedded;
use super::failure::{Failure, Success};
use super::session::Session;
use crate::diagnostic::{Diagnostic, codes};

/// Prints the page of a code, in either case of its letter, or of a directive of hiCUDA,
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
    let page = embedded::explanation(&name.to_ascii_uppercase());
    match page.or_else(|| page_of(directive)) {
        Some(page) => session.print(page).map(|()| Success::Done),
        None => Err(
            Diagnostic::global(codes::BAD_USAGE, format!("there is no code `{word}`"))
                .help("`accrs explain` without a code lists all, `accrs explain hicuda` lists directives")
                .into(),
        ),
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
