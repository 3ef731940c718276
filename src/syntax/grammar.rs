//! The generated parser and the limits it runs under.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use pest::Parser;
use pest::error::Error;
use pest::iterators::Pairs;

/// The rules of `grammar/*.pest`; each becomes a variant of `Rule`.
#[derive(pest_derive::Parser)]
#[grammar = "grammar/c.pest"]
#[grammar = "grammar/directive.pest"]
struct Grammar;

/// Calls of the generated parser that any text may cost, and calls per byte.
/// Real code needs about 25 a byte; the limit only stops what would take
/// minutes.
const CALLS_BASE: usize = 1_000_000;
const CALLS_PER_BYTE: usize = 500;

/// The limit in force: pest has one for the process, so it only ever grows.
static CALL_LIMIT: Mutex<usize> = Mutex::new(0);

/// Lets texts of `bytes` bytes be parsed.
pub(super) fn admit(bytes: usize) {
    let wanted = CALLS_BASE.saturating_add(bytes.saturating_mul(CALLS_PER_BYTE));
    let mut limit = CALL_LIMIT
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if wanted > *limit {
        *limit = wanted;
        pest::set_call_limit(NonZeroUsize::new(wanted));
    }
}

/// Parses the beginning of `text`.
///
/// # Errors
///
/// Where the text does not begin with that rule.
pub(super) fn parse(rule: Rule, text: &str) -> Result<Pairs<'_, Rule>, Box<Error<Rule>>> {
    Grammar::parse(rule, text).map_err(Box::new)
}
