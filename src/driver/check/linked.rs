//! What a program is linked with that is not built here, so that no check sees what it does.
//!
//! Input: the files and libraries of the command line. Output: the files to build, what the linker
//! gets, and a note that names it.

use std::ffi::OsString;
use std::path::{self, Path, PathBuf};

use crate::diagnostic::{Diagnostic, Severity, codes};

/// Endings of objects, archives and libraries.
const BINARIES: [&str; 3] = ["o", "a", "so"];

/// The parts of a command line.
pub(super) struct Linked {
    /// Files with source text.
    pub(super) sources: Vec<PathBuf>,
    /// Objects, archives and libraries, as the linker takes them in any folder.
    pub(super) others: Vec<OsString>,
    /// What they are called on the command line.
    names: Vec<String>,
}

impl Linked {
    pub(super) fn new(files: &[PathBuf], libraries: &[OsString]) -> Self {
        let is_binary = |path: &&PathBuf| {
            let ending = path.extension().unwrap_or_default();
            BINARIES.iter().any(|binary| ending == *binary)
        };
        let (binaries, sources): (Vec<_>, Vec<_>) = files.iter().partition(is_binary);
        let absolute = |path: &PathBuf| path::absolute(path).unwrap_or_else(|_| path.clone());
        let paths = binaries.iter().map(|path| absolute(path).into_os_string());
        let names = binaries.iter().map(|path| Path::display(path).to_string());
        let library_names = libraries.iter().map(|name| name.display().to_string());
        Self {
            sources: sources.into_iter().cloned().collect(),
            others: paths.chain(libraries.iter().cloned()).collect(),
            names: names.chain(library_names).collect(),
        }
    }

    /// A note that names what is not watched.
    pub(super) fn note(&self) -> Option<Diagnostic> {
        if self.names.is_empty() {
            return None;
        }
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("the checks do not see what is in {}", names.join(", "));
        let mut note = Diagnostic::global(codes::NOT_WATCHED, message);
        note.severity = Severity::Note;
        Some(note.help("give the source files of the program instead, as many as there are"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_linked_and_named() {
        let files = ["a.c", "lib/b.o", "c.a"].map(PathBuf::from);
        let linked = Linked::new(&files, &["-lz".into()]);
        assert_eq!(linked.sources, [PathBuf::from("a.c")]);
        assert_eq!(linked.others.len(), 3);
        assert!(Path::new(&linked.others[0]).is_absolute());
        let note = linked.note().map(|note| note.message);
        let expected = "the checks do not see what is in `lib/b.o`, `c.a`, `-lz`";
        assert_eq!(note.as_deref(), Some(expected));
        assert!(Linked::new(&files[..1], &[]).note().is_none());
    }
}
