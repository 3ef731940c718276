//! Writing results: all of them or none, never over what is not ours.
//!
//! A [`Transaction`] collects files; [`Transaction::commit`] checks every
//! target, writes temporary files beside the targets and renames them when
//! all are written. A target that exists is replaced only if it carries
//! accrs's header line, and never if it is one of the inputs.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::interrupt;
use crate::diagnostic::{Diagnostic, codes};

/// What the first lines of every generated file contain.
pub const HEADER: &str = crate::back::MARK;

/// How many bytes of a file are searched for the header.
const HEADER_WITHIN: u64 = 1024;

/// Files to be written together.
#[derive(Debug, Default)]
pub struct Transaction {
    files: Vec<Target>,
    folders: Vec<PathBuf>,
    inputs: Vec<PathBuf>,
}

/// A file to be written.
#[derive(Debug)]
struct Target {
    path: PathBuf,
    contents: Vec<u8>,
    /// Known to be ours without its header line.
    owned: bool,
}

impl Transaction {
    /// Nothing yet; the files of `inputs` are never written to.
    pub fn new(inputs: Vec<PathBuf>) -> Self {
        Self {
            inputs,
            ..Self::default()
        }
    }

    /// Adds a file.
    pub fn add(&mut self, path: PathBuf, contents: impl Into<Vec<u8>>) {
        self.target(path, contents.into(), false);
    }

    /// Adds a file that may replace an existing one whatever that contains,
    /// since its folder is accrs's own.
    pub fn add_owned(&mut self, path: PathBuf, contents: impl Into<Vec<u8>>) {
        self.target(path, contents.into(), true);
    }

    fn target(&mut self, path: PathBuf, contents: Vec<u8>, owned: bool) {
        self.files.push(Target {
            path,
            contents,
            owned,
        });
    }

    /// Adds a folder to be made if it is not there.
    pub fn add_folder(&mut self, path: PathBuf) {
        self.folders.push(path);
    }

    /// Writes all files, or none.
    ///
    /// # Errors
    /// When a target may not be replaced or a folder not be written to.
    pub fn commit(self) -> Result<(), Failure> {
        self.check_targets()?;
        let mut made = Vec::new();
        let result = self.write(&mut made);
        if result.is_err() {
            // Deepest first; one that was there before is not among them.
            made.iter()
                .rev()
                .for_each(|folder| drop(fs::remove_dir(folder)));
        }
        made.iter().for_each(|folder| interrupt::forget(folder));
        result
    }

    /// Makes the folders, noting those that were not there, and the files.
    fn write(&self, made: &mut Vec<PathBuf>) -> Result<(), Failure> {
        for folder in &self.folders {
            make_folder(folder, made).map_err(|error| unwritable(folder, &error))?;
        }
        let mut written = Vec::with_capacity(self.files.len());
        for Target { path, contents, .. } in &self.files {
            let file = write_beside(path, contents).map_err(|error| unwritable(path, &error))?;
            written.push((file, path));
        }
        let paths: Vec<PathBuf> = written
            .iter()
            .map(|(file, _)| file.path().to_owned())
            .collect();
        let result = interrupt::uncut(|| {
            written.into_iter().try_for_each(|(file, path)| {
                let persisted = file.persist(path).map(drop);
                persisted.map_err(|error| unwritable(path, &error.error))
            })
        });
        paths.iter().for_each(|path| interrupt::forget(path));
        result
    }

    /// No target is an input, a folder, another target or someone's own file.
    fn check_targets(&self) -> Result<(), Failure> {
        for (index, Target { path, owned, .. }) in self.files.iter().enumerate() {
            if self.inputs.iter().any(|input| same_file(input, path)) {
                return Err(occupied(path, "it is an input"));
            }
            if self.files[..index].iter().any(|other| other.path == *path) {
                return Err(occupied(path, "two inputs have the same name"));
            }
            if path.is_dir() {
                return Err(occupied(path, "it is a folder"));
            }
            if path.exists() && !owned && !carries_header(path) {
                return Err(occupied(path, "it exists and was not written by accrs"));
            }
        }
        Ok(())
    }
}

/// Makes a folder and those that it is in, noting the new ones.
fn make_folder(folder: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
    {
        make_folder(parent, made)?;
    }
    interrupt::create_temporary(|| fs::create_dir(folder).map(|()| folder), |made| made)?;
    made.push(folder.to_owned());
    Ok(())
}

/// Moves a finished file to where the user wants it, whatever is there now,
/// as compilers do with `-o`.
///
/// # Errors
/// When the target's folder is not writable.
pub fn place(made: &Path, target: &Path) -> Result<(), Failure> {
    let unwritable = |error: io::Error| unwritable(target, &error);
    let special = target.metadata().is_ok_and(|data| !data.is_file());
    if special {
        // `-o /dev/null`: renaming would replace the device.
        let mut device = fs::OpenOptions::new()
            .write(true)
            .open(target)
            .map_err(unwritable)?;
        return io::copy(&mut File::open(made).map_err(unwritable)?, &mut device)
            .map(drop)
            .map_err(unwritable);
    }
    let contents = fs::read(made).map_err(unwritable)?;
    let file = write_beside(target, &contents).map_err(unwritable)?;
    let mode = made.metadata().map_err(unwritable)?.permissions();
    fs::set_permissions(file.path(), mode).map_err(unwritable)?;
    let beside = file.path().to_owned();
    let result = interrupt::uncut(|| {
        file.persist(target)
            .map(drop)
            .map_err(|error| unwritable(error.error))
    });
    interrupt::forget(&beside);
    result
}

/// Writes a temporary file into the folder of `path`.
fn write_beside(path: &Path, contents: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let create = || {
        // 0666 less the umask, as if the compiler had created it.
        let mode = fs::Permissions::from_mode(0o666);
        tempfile::Builder::new()
            .prefix(".accrs-")
            .permissions(mode)
            .tempfile_in(folder)
    };
    let mut file = interrupt::create_temporary(create, |file| file.path())?;
    file.write_all(contents)?;
    file.flush()?;
    Ok(file)
}

/// Whether two paths name the same existing file, by links even.
fn same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (a.metadata(), b.metadata()) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

/// Whether an existing file carries accrs's header line.
fn carries_header(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEADER_WITHIN).read_to_end(&mut start));
    read.is_ok() && memchr::memmem::find(&start, HEADER.as_bytes()).is_some()
}

/// A target that must not be replaced.
fn occupied(path: &Path, why: &str) -> Failure {
    let message = format!("`{}` will not be overwritten: {why}", path.display());
    Diagnostic::global(codes::OUTPUT_OCCUPIED, message)
        .help("choose another folder with `-o DIR`, or remove the file")
        .into()
}

/// A target that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let message = format!("cannot write `{}`: {error}", path.display());
    Diagnostic::global(codes::OUTPUT_UNWRITABLE, message)
        .help("choose a folder that you may write to and that has room")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn all_or_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("b.cu");
        fs::write(&own, "the user's own work").unwrap();
        let mut transaction = Transaction::new(Vec::new());
        transaction.add(folder.path().join("a.c"), HEADER);
        transaction.add(own.clone(), HEADER);
        assert!(transaction.commit().is_err());
        assert_eq!(names(folder.path()), ["b.cu"]);
        assert_eq!(fs::read_to_string(own).unwrap(), "the user's own work");
    }

    #[test]
    fn generated_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.c");
        for text in [
            "/* Generated by accrs 0.1 */ 1",
            "/* Generated by accrs 0.2 */ 2",
        ] {
            let mut transaction = Transaction::new(Vec::new());
            transaction.add(path.clone(), text);
            transaction.commit().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["a.c"]);
    }

    #[test]
    fn inputs_are_never_targets() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("a.acc.c");
        fs::write(&input, HEADER).unwrap();
        let link = folder.path().join("link.c");
        std::os::unix::fs::symlink(&input, &link).unwrap();
        let mut transaction = Transaction::new(vec![link]);
        transaction.add(input, "new");
        assert!(transaction.commit().is_err());
    }

    #[test]
    fn missing_folder_is_an_error() {
        let mut transaction = Transaction::new(Vec::new());
        transaction.add(PathBuf::from("/no/such/folder/a.c"), "text");
        assert!(matches!(transaction.commit(), Err(Failure::Environment(_))));
    }

    #[test]
    fn devices_stay_devices() {
        let made = tempfile::NamedTempFile::new().unwrap();
        place(made.path(), Path::new("/dev/null")).unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }
}
