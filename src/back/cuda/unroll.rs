//! The user's pragmas that ask for copies of a loop's body, as nvcc has them.
//!
//! ```cuda
//! #pragma unroll 4                    // #pragma GCC unroll 4
//! for (int k = 0; k < n; k++)
//! ```

use super::body::Body;
use crate::source::{Span, tokens_of};

impl Body<'_> {
    /// Prints the pragma that stands before a loop of the user's.
    pub(super) fn unroll(&mut self, header: Span) {
        let Some(source) = self.source else { return };
        let at = header.start;
        let copies = |word: &str| source.macros().single(word, at)?.parse().ok();
        let found = source
            .pragmas_before(at)
            .find_map(|p| unrolling(p, &copies));
        if let Some(pragma) = found {
            self.lines.line(&pragma);
        }
    }
}

/// What stands behind `pragma`, as a pragma of nvcc's.
fn unrolling(text: &str, copies: &dyn Fn(&str) -> Option<u16>) -> Option<String> {
    let words = tokens_of(text);
    let copies = match words.as_slice() {
        ["unroll"] => return Some("#pragma unroll".to_owned()),
        ["nounroll"] => 1,
        ["GCC", "unroll", word]
        | ["unroll", word]
        | ["unroll", "(", word, ")"]
        | ["GCC", "unroll", "(", word, ")"] => copies(word)?,
        _ => return None,
    };
    Some(format!("#pragma unroll {}", copies.max(1)))
}

#[cfg(test)]
mod tests {
    use super::unrolling;

    #[test]
    fn pragmas_of_other_compilers_are_those_of_nvcc() {
        let nvcc = |text| unrolling(text, &|word| word.parse().ok()).unwrap_or_default();
        assert_eq!(nvcc("unroll"), "#pragma unroll");
        assert_eq!(nvcc("unroll(8)"), "#pragma unroll 8");
        assert_eq!(nvcc("GCC unroll 4"), "#pragma unroll 4");
        assert_eq!(nvcc("GCC unroll 0"), "#pragma unroll 1");
        assert_eq!(nvcc("nounroll"), "#pragma unroll 1");
        assert_eq!(nvcc("GCC ivdep"), "");
        assert_eq!(nvcc("unroll N"), "");
    }
}
