//! Programs for a GPU that are built on one machine and run on another, as clusters have it, whose
//! machines with GPUs have no compilers or better things to do.
//!
//! Input: the folder of `--programs`, and what builds a program. Output: the folder of a program in it,
//! an entry as in the user's [`cache`]. Its name has a hash of the translator, of all files beside the
//! sources and of the options, so that a program of other sources is never taken for it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::diagnostic::codes;
use crate::driver::cache;
use crate::driver::failure::Failure;
use crate::driver::output::unwritable;
use crate::driver::program::Program;

/// The folder of `--programs`.
pub(super) struct Kept {
    folder: OsString,
    /// Of the translator.
    hash: Sha256,
}

impl Kept {
    /// # Errors
    /// When the folder cannot be made, or accrs cannot read itself.
    pub(super) fn open(folder: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
        let absolute = folder.canonicalize();
        let folder = absolute.map_err(|error| unwritable(folder, &error))?;
        let own = std::env::current_exe().and_then(fs::read);
        let own = own.map_err(|error| {
            Failure::environment(codes::UNREADABLE, format!("accrs itself: {error}"))
        })?;
        let mut hash = Sha256::new();
        cache::add(&mut hash, &own);
        Ok(Self {
            folder: folder.into(),
            hash,
        })
    }

    /// The folder of a program: `make` builds it there, unless it was built before. It comes of the
    /// files of `folders`, and of `options` as text.
    ///
    /// # Errors
    /// When a file cannot be read or written, and those of `make`.
    pub(super) fn program(
        &self,
        name: &str,
        folders: &[&Path],
        options: &str,
        make: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<PathBuf, Failure> {
        let mut hash = self.hash.clone();
        cache::add(&mut hash, options.as_bytes());
        for folder in folders {
            for (file, text) in files(folder)? {
                cache::add(&mut hash, file.as_encoded_bytes());
                cache::add(&mut hash, &text);
            }
        }
        let digits: String = cache::digits(hash).chars().take(16).collect();
        let here = |variable: &str| (variable == "XDG_CACHE_HOME").then(|| self.folder.clone());
        cache::entry(&here, &format!("{name}-{digits}"), make)
    }
}

/// The files of a folder by name, without its folders.
fn files(folder: &Path) -> Result<Vec<(OsString, Vec<u8>)>, Failure> {
    let unreadable = |error| {
        let message = format!("cannot read the folder {}: {error}", folder.display());
        Failure::environment(codes::UNREADABLE, message)
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)?.flatten() {
        if entry.path().is_file() {
            let text = fs::read(entry.path()).map_err(unreadable)?;
            found.push((entry.file_name(), text));
        }
    }
    found.sort();
    Ok(found)
}

/// An executable file.
pub(super) struct Executable {
    pub(super) path: PathBuf,
    /// Where it is in a temporary folder: the file goes with it.
    _of: Option<Program>,
}

impl From<Program> for Executable {
    fn from(program: Program) -> Self {
        Self {
            path: program.path.clone(),
            _of: Some(program),
        }
    }
}

impl From<PathBuf> for Executable {
    fn from(path: PathBuf) -> Self {
        Self { path, _of: None }
    }
}
