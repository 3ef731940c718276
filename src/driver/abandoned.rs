//! Temporary folders, and those of accrs that was killed along with all that watched over it.
//!
//! A folder has a lock that its process holds as long as it lives. Who makes a folder removes
//! those whose lock is free.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::Duration;

/// What the names of the folders begin with.
const PREFIX: &str = "accrs-";

/// In a folder: the file whose lock its process holds.
const LOCK: &str = "accrs.lock";

/// A lock that is younger may be about to be held.
const YOUNG: Duration = Duration::from_secs(60);

/// Makes a folder in `base`, with the lock that says that it is in use.
///
/// # Errors
/// When it cannot be made.
pub fn folder_in(base: &Path) -> io::Result<(tempfile::TempDir, File)> {
    sweep(base, YOUNG);
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(base)?;
    let lock = File::create_new(folder.path().join(LOCK))?;
    // Where a file system has no locks, folders that are left stay.
    let _ = fs4::FileExt::try_lock(&lock);
    Ok((folder, lock))
}

/// Removes our folders that no process uses. What cannot be removed is in no one's way.
fn sweep(base: &Path, young: Duration) {
    let own = rustix::process::geteuid().as_raw();
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let is_own = || {
            let found = entry.metadata();
            found.is_ok_and(|found| found.is_dir() && found.uid() == own)
        };
        if is_named && is_own() && is_abandoned(&entry.path().join(LOCK), young) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_abandoned(lock: &Path, young: Duration) -> bool {
    let is_old = |found: fs::Metadata| {
        let age = found.modified().ok().and_then(|made| made.elapsed().ok());
        found.is_file() && age.is_some_and(|age| age >= young)
    };
    fs::symlink_metadata(lock).is_ok_and(is_old)
        && File::open(lock).is_ok_and(|lock| fs4::FileExt::try_lock(&lock).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_processes_go() {
        let base = tempfile::tempdir().unwrap();
        let (used, _lock) = folder_in(base.path()).unwrap();
        let (left, lock) = folder_in(base.path()).unwrap();
        let left = left.keep();
        drop(lock);
        fs::create_dir(base.path().join("accrs-without-a-lock")).unwrap();
        fs::create_dir(base.path().join("another")).unwrap();
        fs::write(base.path().join("another").join(LOCK), "").unwrap();
        sweep(base.path(), YOUNG);
        assert!(left.is_dir(), "its lock may be about to be held");
        sweep(base.path(), Duration::ZERO);
        assert!(used.path().is_dir() && !left.exists());
        assert_eq!(fs::read_dir(base.path()).unwrap().count(), 3);
    }
}
