//! `@file`: arguments from a file, quoted as gcc reads them.
//!
//! White space separates; single and double quotes group; a backslash takes
//! the next character as it is, even within quotes. A file that cannot be
//! read leaves the argument as it stands.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

/// How deep files may name files; more is a file that names itself.
const DEPTH: usize = 32;

/// The arguments with every readable `@file` replaced by its contents.
pub(super) fn expand(arguments: &[OsString]) -> Vec<OsString> {
    let mut expanded = Vec::with_capacity(arguments.len());
    arguments
        .iter()
        .for_each(|argument| expand_into(argument, DEPTH, &mut expanded));
    expanded
}

fn expand_into(argument: &OsString, depth: usize, expanded: &mut Vec<OsString>) {
    let file = argument.as_bytes().strip_prefix(b"@").filter(|_| depth > 0);
    match file.and_then(|name| std::fs::read(std::ffi::OsStr::from_bytes(name)).ok()) {
        Some(text) => split(&text)
            .iter()
            .for_each(|word| expand_into(word, depth - 1, expanded)),
        None => expanded.push(argument.clone()),
    }
}

/// Splits the text of such a file.
fn split(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (_, Some(end)) if byte == end => quote = None,
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, None) if byte.is_ascii_whitespace() => {
                words.extend(word.take().map(OsString::from_vec))
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes() {
        assert_eq!(
            split(b"-DA='b c' \"d\"e  f\\ g ''\n-o x"),
            ["-DA=b c", "de", "f g", "", "-o", "x"]
        );
    }

    #[test]
    fn files_name_files_and_missing_ones_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, outer) = (folder.path().join("inner"), folder.path().join("outer"));
        std::fs::write(&inner, "-O2").unwrap();
        std::fs::write(&outer, format!("-c @{} @missing", inner.display())).unwrap();
        let mut argument = OsString::from("@");
        argument.push(&outer);
        assert_eq!(expand(&[argument]), ["-c", "-O2", "@missing"]);
    }
}
