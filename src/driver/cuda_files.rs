//! A CUDA file, and what it includes, as C++ for the emulation.
//!
//! Input: a file. Output: its text with its launches as calls ([`launches`]), and
//! copies of those included files that have launches as well, or include one
//! that has:
//!
//! ```text
//! #include "kernels.cu"      #include "/tmp/…/included1_kernels.cu"
//! ```
//!
//! Only what `#include "…"` names is looked at, beside the file and where `-I`
//! and `-iquote` say.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::launches;
use super::output::unwritable;
use crate::front::cuda::Edits;
use crate::source::SourceFile;
use crate::source::lexer::{self, Language, TokenKind};

/// The text of a CUDA file as C++; copies of what it includes go to `folder`.
///
/// # Errors
/// When it cannot be read, or a copy cannot be written.
pub fn rewrite(source: &Path, flags: &[OsString], folder: &Path) -> Result<Vec<u8>, Failure> {
    let file = SourceFile::read(source).map_err(Failure::input)?;
    let mut included = Included {
        searched: searched(flags),
        folder,
        copies: HashMap::new(),
    };
    let (edits, _) = included.edits(&file.bytes, source)?;
    Ok(marked(source, edits.apply(&file.bytes)))
}

/// A text that says in its first line where it is from.
fn marked(source: &Path, text: Vec<u8>) -> Vec<u8> {
    let name = source.to_string_lossy();
    let name = name.replace('\\', r"\\").replace('"', "\\\"");
    [format!("#line 1 \"{name}\"\n").into_bytes(), text].concat()
}

/// The folders in which a compiler looks for `#include "…"`, beside the file's.
fn searched(flags: &[OsString]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut flags = flags.iter().map(|flag| flag.to_string_lossy());
    while let Some(flag) = flags.next() {
        let folder = ["-iquote", "-I"]
            .iter()
            .find_map(|name| flag.strip_prefix(name));
        match folder {
            Some("") => folders.extend(flags.next().map(|folder| PathBuf::from(&*folder))),
            Some(folder) => folders.push(folder.into()),
            None => {}
        }
    }
    folders
}

/// Where the name of an included file stands, and the file.
type Place = (Range<usize>, PathBuf);

/// The files that a CUDA file includes.
struct Included<'f> {
    searched: Vec<PathBuf>,
    folder: &'f Path,
    /// The copy of each that needs one; none of one that is being read.
    copies: HashMap<PathBuf, Option<PathBuf>>,
}

impl Included<'_> {
    /// The edits of a text; with them, what it includes and needs no copy.
    fn edits(&mut self, text: &[u8], path: &Path) -> Result<(Edits, Vec<Place>), Failure> {
        let mut edits = launches::in_written(text);
        let mut others = Vec::new();
        for (range, name) in includes(text) {
            let beside = path.with_file_name(&name);
            let elsewhere = self.searched.iter().map(|folder| folder.join(&name));
            let mut places = std::iter::once(beside).chain(elsewhere);
            let Some(found) = places.find(|place| place.is_file()) else {
                continue;
            };
            match self.copy(&found)? {
                Some(copy) => edits.replace(range, &copy.to_string_lossy()),
                None => others.push((range, found)),
            }
        }
        Ok((edits, others))
    }

    /// The copy of a file, if it needs one.
    fn copy(&mut self, path: &Path) -> Result<Option<PathBuf>, Failure> {
        let absolute = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.into());
        let key = absolute(path);
        if let Some(known) = self.copies.get(&key) {
            return Ok(known.clone());
        }
        self.copies.insert(key.clone(), None);
        // What cannot be read is for the compiler to say.
        let Ok(file) = SourceFile::read(path) else {
            return Ok(None);
        };
        let (mut edits, others) = self.edits(&file.bytes, path)?;
        if edits.is_empty() {
            return Ok(None);
        }
        for (range, other) in others {
            edits.replace(range, &absolute(&other).to_string_lossy());
        }
        let name = path.file_name().unwrap_or(OsStr::new("file"));
        let name = format!("included{}_{}", self.copies.len(), name.to_string_lossy());
        let copy = self.folder.join(name);
        let text = marked(path, edits.apply(&file.bytes));
        fs::write(&copy, text).map_err(|error| unwritable(&copy, &error))?;
        self.copies.insert(key, Some(copy.clone()));
        Ok(Some(copy))
    }
}

/// What each `#include "NAME"` of a text names, and where the name stands.
fn includes(text: &[u8]) -> Vec<(Range<usize>, String)> {
    let tokens = lexer::lex_as(Language::Cxx, text).tokens;
    let directives = tokens.iter().filter(|t| t.kind == TokenKind::Directive);
    let included = directives.filter_map(|directive| {
        let line = directive.text(text);
        if lexer::directive_name(line) != b"include" {
            return None;
        }
        let mut quotes = memchr::memchr_iter(b'"', line);
        let (first, last) = (quotes.next()? + 1, quotes.next()?);
        let name = String::from_utf8(line.get(first..last)?.to_vec()).ok()?;
        let start = directive.start as usize;
        Some((start + first..start + last, name))
    });
    included.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_launches_are_copied_with_those_that_include_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let launch = format!("k{}1, 2{}(3);\n", "<".repeat(3), ">".repeat(3));
        fs::create_dir(path("sub")).unwrap();
        fs::create_dir(path("made")).unwrap();
        fs::write(path("plain.h"), "int plain;\n").unwrap();
        fs::write(path("sub/deep.cu"), &launch).unwrap();
        fs::write(path("sub/near.h"), "#include \"middle.cu\"\n").unwrap();
        let middle = "#include \"deep.cu\"\n# include \"near.h\" // \"x\"\n#include <map>\n";
        fs::write(path("sub/middle.cu"), middle).unwrap();
        let main = "#include \"plain.h\"\n#include \"middle.cu\"\n#include \"deep.cu\"\n";
        fs::write(path("main.cu"), main).unwrap();
        let flags = [OsString::from("-I"), path("sub").into()];

        let made = path("made");
        let text = rewrite(&path("main.cu"), &flags, &made).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            format!("#line 1 \"{}\"", path("main.cu").display())
        );
        assert_eq!(lines[1], "#include \"plain.h\"");
        let copy = |line: &str| line.split('"').nth(1).map(PathBuf::from).unwrap();
        let (middle, deep) = (copy(lines[2]), copy(lines[3]));
        assert!(middle.starts_with(&made) && deep.starts_with(&made));
        let deep_text = fs::read_to_string(&deep).unwrap();
        assert!(deep_text.contains("ACCRS_LAUNCH(k)(1, 2)(3);"));
        let middle_text = fs::read_to_string(&middle).unwrap();
        let near = fs::canonicalize(path("sub/near.h")).unwrap();
        let expected = format!(
            "#line 1 \"{}\"\n#include \"{}\"\n# include \"{}\" // \"x\"\n#include <map>\n",
            path("sub/middle.cu").display(),
            deep.display(),
            near.display()
        );
        assert_eq!(middle_text, expected);
    }
}
