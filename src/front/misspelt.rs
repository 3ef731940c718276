//! Pragmas that were meant for a dialect and are none of it.
//!
//! Input: what stands after `pragma` in lines that are not translated. Output: a warning for
//! each whose prefix is nearly that of a dialect and whose next word is that of one of its
//! directives: compilers ignore it, and the code after it stays serial.
//!
//! ```c
//! #pragma openacc parallel loop    // not a directive: the prefix is `acc`
//! ```

use super::{hicuda, openacc};
use crate::ast::Dialect;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::words::nearest;
use crate::source::{ForeignPragma, Span};

/// What the prefixes are taken for by mistake.
const MEANT: [(&str, Dialect); 4] = [
    ("acc", Dialect::OpenAcc),
    ("openacc", Dialect::OpenAcc),
    ("oacc", Dialect::OpenAcc),
    ("hicuda", Dialect::HiCuda),
];

/// Prefixes of others that are near.
const OTHERS: [&str; 3] = ["gcc", "pack", "once"];

/// Warns of all that there are.
pub fn check(pragmas: &[ForeignPragma], diagnostics: &mut Diagnostics) {
    for pragma in pragmas {
        let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
        let mut words = pragma.text.split(is_part).filter(|word| !word.is_empty());
        let (Some(prefix), Some(name)) = (words.next(), words.next()) else {
            continue;
        };
        let Some(dialect) = meant(prefix, name) else {
            continue;
        };
        let of = dialect.name();
        let message = format!("`#pragma {prefix} {name}` is no directive of {of}");
        let span = Span::new(pragma.at, pragma.at);
        let problem = Diagnostic::warning(codes::MISSPELT_PREFIX, message, span);
        let right = dialect.prefix();
        diagnostics.push(problem.help(format!("write `#pragma {right} {name}`")));
    }
}

/// Whether the first two words of a pragma are nearly those of a directive.
pub fn is_misspelt(prefix: &str, name: &str) -> bool {
    meant(prefix, name).is_some()
}

fn meant(prefix: &str, name: &str) -> Option<Dialect> {
    let lower = prefix.to_ascii_lowercase();
    if OTHERS.contains(&lower.as_str()) {
        return None;
    }
    let near = |letters: &str| {
        let near = nearest(letters, MEANT.iter().map(|(word, _)| *word))?;
        MEANT.iter().find(|(word, _)| *word == near)
    };
    let (_, dialect) = near(&lower).or_else(|| near(&lower.replace('_', "")))?;
    let is_directive = match dialect {
        Dialect::OpenAcc => openacc::is_directive(name),
        Dialect::HiCuda => hicuda::is_directive(name),
    };
    (prefix != dialect.prefix() && is_directive).then_some(*dialect)
}

#[cfg(test)]
mod tests {
    use super::is_misspelt;

    #[test]
    fn near_prefixes_before_names_of_directives() {
        for prefix in ["openacc", "ac", "ACC", "accc", "OpenACC", "aac", "oacc"] {
            assert!(is_misspelt(prefix, "parallel"), "{prefix}");
        }
        assert!(is_misspelt("ac", "enter"));
        for prefix in ["omp", "acc", "GCC", "pack", "clang", "once"] {
            assert!(!is_misspelt(prefix, "parallel"), "{prefix}");
        }
        assert!(!is_misspelt("ac", "optimize"));
        for prefix in ["hi_cuda", "HICUDA", "HiCuda", "hicude", "hicud", "hicudda"] {
            assert!(is_misspelt(prefix, "kernel"), "{prefix}");
        }
        for prefix in ["hicuda", "cuda_check", "omp", "acc", "hip"] {
            assert!(!is_misspelt(prefix, "kernel"), "{prefix}");
        }
        assert!(!is_misspelt("hicude", "unroll"));
    }
}
