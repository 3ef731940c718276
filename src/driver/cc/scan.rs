//! Which C files have directives.
//!
//! A file in which `#pragma acc` or `#pragma hicuda` is written is translated without further
//! ado. In others `_Pragma` or a macro of a header may still make a directive,
//! so their preprocessed text is searched. A file without any is compiled by the host
//! compiler, untouched.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::ast::Dialect;
use crate::driver::build;
use crate::driver::failure::Failure;
use crate::driver::other_language::OtherLanguage;
use crate::driver::process;
use crate::front;
use crate::source::lexer::{self, TokenKind};

/// A directive in preprocessed text.
static EXPANDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m-u)^[ \t]*#[ \t]*pragma[ \t]+(?:acc|hicuda)\b")
        .expect("a constant that tests use")
});

/// What OpenMP puts on a device, in preprocessed text.
static OPENMP: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m-u)^[ \t]*#[ \t]*pragma[ \t]+omp\b.*\btarget\b")
        .expect("a constant that tests use")
});

/// A directive in Fortran, of free or fixed form.
static SENTINEL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?mi-u)^(?:[ \t]*!|[c*])\$acc\b").expect("a constant that tests use")
});

/// What a file has to do with OpenACC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It has directives, or seems to.
    Directives,
    /// It is CUDA.
    Cuda,
    /// It calls OpenACC's functions.
    Calls,
    /// Nothing.
    Plain,
}

/// Looks at a C file, given its text and the command that preprocesses it. `denies_others`: what OpenMP
/// puts on a device is for the translation, too, which refuses it.
///
/// # Errors
/// When the preprocessor does not start. One that fails makes the file plain:
/// the host compiler is then called and says what is wrong.
pub(super) fn kind(
    path: &Path,
    text: &[u8],
    preprocessor: Command,
    flags: &[OsString],
    denies_others: bool,
) -> Result<Kind, Failure> {
    if build::is_cuda(path) {
        return Ok(Kind::Cuda);
    }
    if is_written(text) {
        return Ok(Kind::Directives);
    }
    let mut command = preprocessor;
    command.args(flags).args(["-E", "-x", "c"]).arg(path);
    let output = process::capture(&mut command, text_for(path, text), None)?;
    if !output.status.success() {
        return Ok(Kind::Plain);
    }
    let text = &output.stdout;
    if EXPANDED.is_match(text) || denies_others && OPENMP.is_match(text) {
        return Ok(Kind::Directives);
    }
    let calls = memchr::memmem::find(text, b"acc_").is_some();
    Ok(if calls { Kind::Calls } else { Kind::Plain })
}

/// Whether a file in a language that is not translated has directives.
///
/// # Errors
/// When the preprocessor does not start.
pub(super) fn has_directives(
    language: OtherLanguage,
    path: &Path,
    text: &[u8],
    preprocessor: Command,
    flags: &[OsString],
) -> Result<bool, Failure> {
    if language == OtherLanguage::Fortran {
        return Ok(SENTINEL.is_match(text));
    }
    if is_written(text) {
        return Ok(true);
    }
    let mut command = preprocessor;
    command.args(flags).args(["-E", "-x", "c++"]).arg(path);
    let output = process::capture(&mut command, b"", None)?;
    Ok(output.status.success() && EXPANDED.is_match(&output.stdout))
}

/// Whether a line of the file is a directive.
fn is_written(text: &[u8]) -> bool {
    // The lexer's offsets have 32 bits; so large a file is not translated.
    if u32::try_from(text.len()).is_err() {
        return false;
    }
    lexer::lex(text)
        .tokens
        .into_iter()
        .filter(|token| token.kind == TokenKind::Directive)
        .any(|token| {
            let words =
                lexer::lex_fragment(text, token.start as usize + 1..token.end as usize).tokens;
            let mut words = words
                .into_iter()
                .filter(|word| word.kind == TokenKind::Identifier);
            let first = words.next();
            let is_pragma = first
                .as_ref()
                .is_some_and(|word| word.text(text) == b"pragma");
            let behind = first.map_or(text.len(), |word| word.end as usize);
            let prefix = words.next().map(|word| word.text(text));
            let prefix = prefix.and_then(|prefix| str::from_utf8(prefix).ok());
            let behind = text.get(behind..token.end as usize).unwrap_or_default();
            let is_near = || front::is_misspelt(&String::from_utf8_lossy(behind));
            let is_known = |prefix| Dialect::of_prefix(prefix).is_some();
            is_pragma && (prefix.is_some_and(is_known) || is_near())
        })
}

/// The standard input of a compiler that is given this path.
pub(super) fn text_for<'a>(path: &Path, text: &'a [u8]) -> &'a [u8] {
    if path.as_os_str() == "-" { text } else { b"" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind_of(text: &str) -> Kind {
        kind_among(text, false)
    }

    fn kind_among(text: &str, denies_others: bool) -> Kind {
        let (path, compiler) = (Path::new("-"), Command::new("cc"));
        kind(path, text.as_bytes(), compiler, &[], denies_others).unwrap()
    }

    #[test]
    fn written_and_expanded_directives() {
        assert_eq!(kind_of("#pragma acc parallel\n"), Kind::Directives);
        assert_eq!(kind_of("#  pragma  acc loop\n"), Kind::Directives);
        assert_eq!(kind_of("_Pragma(\"acc data\")\n"), Kind::Directives);
        assert_eq!(
            kind_of("#define P(x) _Pragma(#x)\nP(acc parallel)\n"),
            Kind::Directives
        );
        assert_eq!(kind_of("#pragma \\\n acc parallel\n"), Kind::Directives);
        assert_eq!(kind_of("#pragma openacc parallel\n"), Kind::Directives);
    }

    #[test]
    fn others() {
        assert_eq!(kind_of("#pragma accelerate\nint a;\n"), Kind::Plain);
        assert_eq!(kind_of("#pragma omp parallel\nint a;\n"), Kind::Plain);
        let target = "#pragma omp target teams\nint a;\n";
        assert_eq!(kind_of(target), Kind::Plain);
        assert_eq!(kind_among(target, true), Kind::Directives);
        let parallel = "#pragma omp parallel\nint target;\n";
        assert_eq!(kind_among(parallel, true), Kind::Plain);
        assert_eq!(kind_of("int acc_get_device_num(int);\n"), Kind::Calls);
        assert_eq!(kind_of("#error no\n"), Kind::Plain);
    }
}
