//! Indices of threads whose names are misspelt, of logical threads and of CUDA's own.
//!
//! Input: a program's tokens. Output: an error for each name that is near to one of these and that nothing
//! declares: all its places, in all files, have a member behind it.
//!
//! ```text
//! a[lthreadIdx.x] = 1;               did you mean `lThreadIdx`?
//! ```

use std::collections::BTreeMap;

use super::Problems;
use super::code::Code;
use super::kernels::{LOGICAL, PHYSICAL};
use crate::diagnostic::codes;
use crate::diagnostic::words::Near;
use crate::front::cuda::Tokens;

/// Reports the first place of each.
pub(super) fn check(code: &Code<'_>, problems: &mut Problems) {
    let known = || LOGICAL.into_iter().chain(PHYSICAL);
    // By name, its first place in the file; none where something may declare it.
    let mut found: BTreeMap<String, Option<usize>> = BTreeMap::new();
    for (number, file) in code.files.iter().enumerate() {
        let tokens = file.tokens();
        for at in 0..tokens.list.len() {
            let word = tokens.word(at);
            if !tokens.is_name(at) || tokens.is_member(at) || known().any(|name| name == word) {
                continue;
            }
            let is_use = number == 0 && has_member(tokens, at);
            let first = found.entry(word).or_insert(is_use.then_some(at));
            *first = first.filter(|_| is_use || number > 0 && has_member(tokens, at));
        }
    }
    let tokens = code.files[0].tokens();
    let own = found.into_iter().filter_map(|(word, at)| Some((word, at?)));
    for (word, at) in own.filter(|(word, _)| !is_of_macros(code, word)) {
        let Some(near) = Near::words(&word, known())
            .first()
            .filter(|_| word.len() > 4)
        else {
            continue;
        };
        let message = format!("`{word}` is not declared");
        let help = format!("did you mean `{near}`?");
        problems.error(codes::MESI_GRID, message, tokens.range(at, at), &help);
    }
}

/// Whether a macro has a name, or may declare it.
fn is_of_macros(code: &Code<'_>, name: &str) -> bool {
    let mut macros = code.program.macros.iter();
    macros.any(|(own, definitions)| {
        let mut words = definitions.iter().flat_map(|one| &one.body);
        own == name || words.any(|word| word == name)
    })
}

/// Whether one of the members that indices have stands behind a name.
fn has_member(tokens: Tokens<'_>, at: usize) -> bool {
    tokens.at(at + 1) == b"." && matches!(tokens.at(at + 2), b"x" | b"y" | b"z" | b"Idx" | b"dim")
}
