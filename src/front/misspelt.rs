//! Pragmas that were meant for a dialect and are none of it.
//!
//! Input: what stands after `pragma` in lines that are not translated. Output: a warning for
//! each whose prefix is nearly that of a dialect and whose next word is that of one of its
//! directives: compilers ignore it, and the code after it stays serial. And for those of OpenMP
//! where constructs of OpenACC are: they have no effect there.
//!
//! ```c
//! #pragma openacc parallel loop    // not a directive: the prefix is `acc`
//! ```

use super::{hicuda, openacc};
use crate::ast::Dialect;
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::source::{ForeignPragma, Span};
use crate::typed::{Statement, StatementKind, Unit, visit};

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
pub fn check(pragmas: &[ForeignPragma], unit: &Unit, diagnostics: &mut Diagnostics) {
    let constructs = constructs(unit);
    for (number, pragma) in pragmas.iter().enumerate() {
        let is_part = |c: char| !(c.is_alphanumeric() || c == '_');
        let words = pragma.text.split(is_part).filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        if let ["omp", _, ..] = words[..] {
            let is_inside = |span: &Span| span.start <= pragma.at && pragma.at < span.end;
            let inside = constructs.iter().any(is_inside);
            let next = pragmas.get(number + 1);
            let next = next.filter(|next| is_next(pragma, next, unit));
            let governed = Governed {
                next,
                is_loop: visit::is_before_loop(unit, pragma.at),
            };
            let declared = || openacc::declared(&pragma.text, unit);
            let problem = of_openmp(pragma, &words[1..], inside, governed, &declared);
            diagnostics.extend_once(problem.into_iter().collect());
            continue;
        }
        let Some(meant) = meant(&pragma.text) else {
            continue;
        };
        let of = meant.dialect.name();
        let message = format!("`#pragma {}` is no directive of {of}", meant.written);
        let span = Span::new(pragma.at, pragma.at);
        let problem = Diagnostic::warning(codes::MISSPELT_PREFIX, message, span);
        let right = format!("pragma {} {}", meant.dialect.prefix(), meant.directive);
        diagnostics.push(problem.help(format!("write `#{right}`")).replacement(right));
    }
}

/// The compute constructs of a unit, from their directive to their end; none if it has no
/// directive of OpenACC.
fn constructs(unit: &Unit) -> Vec<Span> {
    let mut found = Vec::new();
    for function in &unit.functions {
        visit::statements(&function.body, &mut |statement| {
            if let StatementKind::Directive(directive, Some(body)) = &statement.kind
                && directive.dialect == Dialect::OpenAcc
                && (directive.name.first())
                    .is_some_and(|word| ["parallel", "kernels", "serial"].contains(&&*word.value))
            {
                found.push(directive.span.to(body.span));
            }
        });
    }
    found
}

/// Whether a pragma stands right behind another one, which governs it then.
fn is_next(pragma: &ForeignPragma, next: &ForeignPragma, unit: &Unit) -> bool {
    let between = pragma.at..next.at;
    let mut functions = unit.functions.iter();
    let around =
        functions.find(|function| function.span.start <= pragma.at && next.at < function.span.end);
    around.is_some_and(|function| {
        let begins = |statement: &Statement| between.contains(&statement.span.start);
        !visit::any_statement(&function.body, &mut |statement| begins(statement))
    })
}

/// What stands behind a pragma.
struct Governed<'p> {
    /// The pragma right behind it.
    next: Option<&'p ForeignPragma>,
    /// Whether the next statement is a loop.
    is_loop: bool,
}

/// The text of a pragma behind `target` alone, if a loop follows it.
fn with_loop<'p>(words: &[&str], next: &'p ForeignPragma) -> Option<&'p str> {
    let text = next.text.trim_start().strip_prefix("omp")?.trim_start();
    let word = text.split(|c: char| !c.is_alphanumeric()).next()?;
    let is_loop = ["distribute", "for", "loop", "parallel", "simd", "teams"].contains(&word);
    (is_loop && matches!(openacc::renamed(words, false), Some(("parallel", _)))).then_some(text)
}

/// What is said of a pragma of OpenMP: in a construct it has no effect, and nothing puts on
/// the device what it puts there, with the loop of the `next` pragma if that is what it governs.
fn of_openmp(
    pragma: &ForeignPragma,
    words: &[&str],
    is_inside: bool,
    governed: Governed<'_>,
    declared: &dyn Fn() -> Option<String>,
) -> Option<Diagnostic> {
    let text = format!("#pragma omp {}", named(words)?);
    let is_target = words.contains(&"target") && !words.contains(&"end");
    let (message, help) = match words {
        _ if !is_inside && !is_target => return None,
        _ if !is_inside => {
            let loops = governed.next.and_then(|next| with_loop(words, next));
            let alone = || openacc::renamed(words, governed.is_loop);
            let meant = loops.map(|_| ("parallel loop", "")).or_else(alone);
            let meant = meant.map(|(name, others)| {
                let both = format!("{} {}", pragma.text, loops.unwrap_or_default());
                let kept = openacc::kept_clauses(&both, name);
                let place = loops.map_or("", |_| " in place of both lines");
                let clauses = kept.clauses;
                format!("write `#pragma acc {name}{clauses}`{place}{others}{}", kept.others)
            });
            let listed = matches!(words, ["declare", "target", ..]).then(declared).flatten();
            (
                format!("`{text}` is not translated: {}", without(words)),
                listed.or(meant),
            )
        }
        ["atomic", rest @ ..] => {
            let is_form = |word: &&&str| ["capture", "read", "update", "write"].contains(*word);
            let form = rest.iter().find(is_form);
            let form = form.map_or_else(String::new, |form| format!(" {form}"));
            (
                format!("`{text}` has no effect in a construct of OpenACC"),
                Some(format!("write `#pragma acc atomic{form}`")),
            )
        }
        ["critical", ..] => (
            format!("`{text}` has no effect in a construct of OpenACC"),
            Some(
                "write `#pragma acc atomic` for an update of one variable, or a `reduction` clause \
                 on the loop"
                    .to_owned(),
            ),
        ),
        ["simd", ..] => (
            format!("`{text}` has no effect in a construct of OpenACC"),
            Some("write `#pragma acc loop vector`, or remove it".to_owned()),
        ),
        _ => (
            format!("`{text}` has no effect in a construct of OpenACC"),
            Some("write `#pragma acc loop` where a loop is to be shared, or remove it".to_owned()),
        ),
    };
    let span = Span::new(pragma.at, pragma.at);
    let problem = Diagnostic::warning(codes::FOREIGN_PRAGMA, message, span);
    Some(problem.help(help.unwrap_or_else(|| "write it as a directive of OpenACC".to_owned())))
}

/// The words of a pragma of OpenMP that say what it is: those of its directive, where these decide
/// what follows it.
fn named(words: &[&str]) -> Option<String> {
    let count = match words {
        ["begin", "declare", "target", ..] => 3,
        ["target", "enter" | "exit", "data", ..] => 3,
        ["target", "update" | "data", ..] | ["declare", "target", ..] => 2,
        _ => 1,
    };
    words.get(..count).map(|words| words.join(" "))
}

/// What becomes of a program without a pragma of OpenMP.
fn without(words: &[&str]) -> &'static str {
    match words {
        ["target", "update", ..] => "nothing is copied",
        ["target", "enter" | "exit" | "data", ..] => "no data moves",
        ["begin" | "declare", ..] => "what it declares is the host's alone",
        _ => "the host runs what follows",
    }
}

/// A directive that a pragma was meant to be.
struct Meant<'p> {
    dialect: Dialect,
    /// What stands in place of its prefix, with its first word.
    written: &'p str,
    /// It without the prefix.
    directive: &'p str,
}

/// Whether what stands behind `pragma` begins nearly as a directive.
pub fn is_misspelt(pragma: &str) -> bool {
    meant(pragma).is_some()
}

fn meant(pragma: &str) -> Option<Meant<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let length = |text: &str| text.find(|c| !is_part(c)).unwrap_or(text.len());
    let whole = pragma.trim();
    // Fortran's `!$acc`.
    let bare = whole.trim_start_matches(|c| !is_part(c));
    let (prefix, behind) = bare.split_at(length(bare));
    let directive = behind.trim_start_matches(|c| !is_part(c));
    let name = &directive[..length(directive)];
    let is_apart = near(prefix).filter(|dialect| begins(*dialect, name));
    let found = is_apart.filter(|dialect| bare.len() < whole.len() || prefix != dialect.prefix());
    let (dialect, directive) = match found {
        Some(dialect) => (dialect, directive),
        None => joined(prefix).map(|(dialect, at)| (dialect, &bare[at..]))?,
    };
    let end = whole.len() - directive.len() + length(directive);
    Some(Meant {
        dialect,
        written: &whole[..end],
        directive,
    })
}

/// The dialect whose prefix is nearest to a word.
fn near(prefix: &str) -> Option<Dialect> {
    let lower = prefix.to_ascii_lowercase();
    if OTHERS.contains(&lower.as_str()) {
        return None;
    }
    let near = |letters: &str| {
        let near = Near::words(letters, MEANT.iter().map(|(word, _)| *word)).first()?;
        MEANT.iter().find(|(word, _)| *word == near)
    };
    let (_, dialect) = near(&lower).or_else(|| near(&lower.replace('_', "")))?;
    Some(*dialect)
}

/// `accparallel`, `acc_parallel`: whose directive begins where.
fn joined(word: &str) -> Option<(Dialect, usize)> {
    let lower = word.to_ascii_lowercase();
    MEANT.iter().find_map(|(prefix, dialect)| {
        let name = lower.strip_prefix(prefix)?.trim_start_matches('_');
        begins(*dialect, name).then(|| (*dialect, word.len() - name.len()))
    })
}

/// Whether a dialect has a directive that begins with a word.
fn begins(dialect: Dialect, word: &str) -> bool {
    match dialect {
        Dialect::OpenAcc => openacc::is_directive(word),
        Dialect::HiCuda => hicuda::is_directive(word),
    }
}

#[cfg(test)]
mod tests {
    use super::is_misspelt;

    #[test]
    fn near_prefixes_before_names_of_directives() {
        for prefix in ["openacc", "ac", "ACC", "accc", "OpenACC", "aac", "oacc"] {
            assert!(is_misspelt(&format!("{prefix} parallel")), "{prefix}");
        }
        assert!(is_misspelt("ac enter"));
        for prefix in ["omp", "acc", "GCC", "pack", "clang", "once"] {
            assert!(!is_misspelt(&format!("{prefix} parallel")), "{prefix}");
        }
        assert!(!is_misspelt("ac optimize"));
        for prefix in ["hi_cuda", "HICUDA", "HiCuda", "hicude", "hicud", "hicudda"] {
            assert!(is_misspelt(&format!("{prefix} kernel")), "{prefix}");
        }
        for prefix in ["hicuda", "cuda_check", "omp", "acc", "hip"] {
            assert!(!is_misspelt(&format!("{prefix} kernel")), "{prefix}");
        }
        assert!(!is_misspelt("hicude unroll"));
        for pragma in [
            "accparallel loop",
            "acc_parallel",
            "!$acc parallel",
            "openacc_data copy(a)",
        ] {
            assert!(is_misspelt(pragma), "{pragma}");
        }
        for pragma in [
            "acc parallel",
            "accept parallel",
            "accumulate",
            "acc",
            "accloops",
        ] {
            assert!(!is_misspelt(pragma), "{pragma}");
        }
    }
}
