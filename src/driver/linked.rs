//! What a program is linked with that is not built here, so that no watcher sees what it does.
//!
//! Input: the files and libraries of the command line. Output: the files to build, what the linker
//! gets, and a note that names it.

use std::ffi::OsString;
use std::fs;
use std::path::{self, Path, PathBuf};

use super::compilers::Compilers;
use super::device::Device;
use super::failure::Failure;
use super::memory::Memory;
use super::runtime_library::device_symbol;
use crate::diagnostic::{Diagnostic, Severity, codes};

/// Endings of objects, archives and libraries.
const BINARIES: [&str; 3] = ["o", "a", "so"];

/// The parts of a command line.
pub(super) struct Linked {
    /// Files with source text.
    pub(super) sources: Vec<PathBuf>,
    /// Objects, archives and libraries, as the linker takes them in any folder.
    pub(super) others: Vec<OsString>,
    /// The same but for libraries.
    binaries: Vec<PathBuf>,
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
            binaries: binaries.into_iter().cloned().collect(),
        }
    }

    /// Objects with constructs are for one device, and without a watcher.
    ///
    /// # Errors
    /// When one is for another device or kind of memory than the program, or something watches that.
    pub(super) fn check(&self, compilers: &Compilers, memory: Memory) -> Result<(), Failure> {
        for path in &self.binaries {
            // The linker says of a missing file what it always says.
            let bytes = fs::read(path).unwrap_or_default();
            let has = |device: &Device| {
                let symbol = device_symbol(*device);
                memchr::memmem::find(&bytes, symbol.as_bytes()).is_some()
            };
            let Some(device) = [Device::Emulated, Device::Gpu].into_iter().find(has) else {
                continue;
            };
            let name = path.display();
            let other = Memory::of_object(&bytes).filter(|other| *other != memory);
            let message = match compilers.watcher() {
                Some(_) => format!("the kernels of `{name}` were compiled without a watcher"),
                None if device != compilers.device() => format!(
                    "`{name}` is built for the device `{}`, the program for `{}`",
                    device.name(),
                    compilers.device().name()
                ),
                None => match other {
                    Some(other) => format!(
                        "`{name}` is built for {} memory, the program for {} memory",
                        other.name(),
                        memory.name()
                    ),
                    None => continue,
                },
            };
            return Err(Diagnostic::global(codes::MIXED_TARGETS, message)
                .help("give its source file instead")
                .into());
        }
        Ok(())
    }

    /// A note that names what is not watched by `watcher`, the checks or the counts.
    pub(super) fn note(&self, watcher: &str) -> Option<Diagnostic> {
        if self.names.is_empty() {
            return None;
        }
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        let message = format!("the {watcher} do not see what is in {}", names.join(", "));
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
        let note = linked.note("checks").map(|note| note.message);
        let expected = "the checks do not see what is in `lib/b.o`, `c.a`, `-lz`";
        assert_eq!(note.as_deref(), Some(expected));
        assert!(Linked::new(&files[..1], &[]).note("checks").is_none());
    }
}
