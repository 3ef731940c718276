//! Pragmas that were meant for OpenACC and are none of it.
//!
//! Input: what stands after `pragma` in lines that are not translated. Output: a
//! warning for each whose prefix is nearly `acc` and whose next word is that of
//! a directive: compilers ignore it, and the code after it stays serial.
//!
//! ```c
//! #pragma openacc parallel loop    // not a directive: the prefix is `acc`
//! ```

use super::table;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::hicuda::misspelt as hicuda;
use crate::front::lowering::words::nearest;
use crate::source::{ForeignPragma, Span};

/// What the prefix is taken for by mistake.
const PREFIXES: [&str; 3] = ["acc", "openacc", "oacc"];

/// Prefixes of others that are near.
const OTHERS: [&str; 3] = ["gcc", "pack", "once"];

/// Warns of all that there are, of those that were meant for hiCUDA, too.
pub fn check(pragmas: &[ForeignPragma], diagnostics: &mut Diagnostics) {
    hicuda::check(pragmas, diagnostics);
    for pragma in pragmas {
        let mut words = words(&pragma.text);
        let (prefix, name) = (words.next(), words.next());
        let (Some(prefix), Some(name)) = (prefix, name) else {
            continue;
        };
        if is_near(prefix, name) {
            let span = Span {
                start: pragma.at,
                end: pragma.at,
            };
            let message = format!("`#pragma {prefix} {name}` is no directive of OpenACC");
            diagnostics.push(
                Diagnostic::warning(codes::MISSPELT_PREFIX, message, span)
                    .help(format!("write `#pragma acc {name}`")),
            );
        }
    }
}

/// Whether the first two words of a pragma are nearly those of a directive.
pub fn is_misspelt(prefix: &str, name: &str) -> bool {
    is_near(prefix, name) || hicuda::is_misspelt(prefix, name)
}

fn is_near(prefix: &str, name: &str) -> bool {
    let lower = prefix.to_ascii_lowercase();
    prefix != "acc"
        && !OTHERS.contains(&lower.as_str())
        && nearest(&lower, PREFIXES.into_iter()).is_some()
        && table::DIRECTIVES
            .iter()
            .any(|row| row.name.split(' ').next() == Some(name))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
