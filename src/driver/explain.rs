//! `accrs explain CODE`.

use super::embedded;
use super::failure::{Failure, Success};
use super::session::Session;
use crate::diagnostic::{Diagnostic, codes};

/// Prints the page of a code, in either case of its letter; without one, the
/// list of all codes.
///
/// # Errors
/// When there is no such code.
pub fn explain(session: Session, code: Option<&str>) -> Result<Success, Failure> {
    let Some(code) = code else {
        let lines = codes::ALL
            .iter()
            .map(|(code, title)| format!("{}  {title}\n", code.0));
        session.print(lines.collect::<String>())?;
        return Ok(Success::Done);
    };
    let name = code.trim().to_ascii_uppercase();
    match embedded::explanation(&name) {
        Some(page) => session.print(page).map(|()| Success::Done),
        None => Err(
            Diagnostic::global(codes::BAD_USAGE, format!("there is no code `{code}`"))
                .help("`accrs explain` without a code lists all")
                .into(),
        ),
    }
}
