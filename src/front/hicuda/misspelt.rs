//! Pragmas that were meant for hiCUDA and are none of it.
//!
//! ```c
//! #pragma hi_cuda kernel k tblock(4) thread(64)    // not a directive: the prefix is `hicuda`
//! ```

use super::table;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::words::nearest;
use crate::source::{ForeignPragma, Span};

/// Warns of each pragma whose prefix is nearly `hicuda` and whose next word is that of a
/// directive.
pub fn check(pragmas: &[ForeignPragma], diagnostics: &mut Diagnostics) {
    for pragma in pragmas {
        let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
        let mut words = pragma.text.split(is_part).filter(|word| !word.is_empty());
        let (Some(prefix), Some(name)) = (words.next(), words.next()) else {
            continue;
        };
        if is_misspelt(prefix, name) {
            let message = format!("`#pragma {prefix} {name}` is no directive of hiCUDA");
            let span = Span::new(pragma.at, pragma.at);
            let problem = Diagnostic::warning(codes::MISSPELT_PREFIX, message, span);
            diagnostics.push(problem.help(format!("write `#pragma hicuda {name}`")));
        }
    }
}

/// Whether the first two words of a pragma are nearly those of a directive.
pub fn is_misspelt(prefix: &str, name: &str) -> bool {
    let letters = prefix.to_ascii_lowercase().replace('_', "");
    prefix != "hicuda"
        && nearest(&letters, ["hicuda"].into_iter()).is_some()
        && table::directive(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::is_misspelt;

    #[test]
    fn near_prefixes_before_names_of_directives() {
        for prefix in ["hi_cuda", "HICUDA", "HiCuda", "hicude", "hicud", "hicudda"] {
            assert!(is_misspelt(prefix, "kernel"), "{prefix}");
        }
        for prefix in ["hicuda", "cuda_check", "omp", "acc", "hip"] {
            assert!(!is_misspelt(prefix, "kernel"), "{prefix}");
        }
        assert!(!is_misspelt("hicude", "unroll"));
    }
}
