//! The user's cache: `${XDG_CACHE_HOME:-~/.cache}/accrs`.
//!
//! Holds what is made once and used by later runs: the compiled runtime
//! library, and nvcc where `accrs setup --nvcc` put it. An entry is made
//! in a folder beside it under a file lock and renamed when complete, so
//! that one that is there is whole, whatever ended an earlier run; one that was
//! damaged since, of which a file is gone or cut off, is made again. What runs
//! that were killed left half made goes when the next entry is made, but for
//! what an entry wants [`kept`] for its own next attempt.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::failure::Failure;
use super::interrupt;
use super::output::unwritable;
use super::variables::Variables;
use crate::diagnostic::{Diagnostic, codes};

/// Between the name of an entry and a number, in the name of the folder in
/// which it is made.
const PART: &str = ".part-";

/// The sizes and names of an entry's files, in the entry.
const MANIFEST: &str = "MANIFEST";

/// The same, after [`PART`], of what parts of it are kept in.
const KEPT: &str = "kept";

/// The cache's folder; `None` where neither variable is set.
pub fn folder(variables: Variables) -> Option<PathBuf> {
    let base = variables("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let base = base.or_else(|| variables("HOME").map(|home| PathBuf::from(home).join(".cache")))?;
    Some(base.join("accrs"))
}

/// The folder of a cache entry, made by `make` if it is not there.
///
/// `make` fills an empty folder; several processes that want the same entry
/// wait for the first.
///
/// # Errors
/// When the cache is not writable, and those of `make`.
pub fn entry(
    variables: Variables,
    name: &str,
    make: impl FnOnce(&Path) -> Result<(), Failure>,
) -> Result<PathBuf, Failure> {
    let cache = folder(variables).ok_or_else(|| {
        let why = "no folder for the cache: neither XDG_CACHE_HOME nor HOME is set";
        no_cache(why.to_owned())
    })?;
    let finished = cache.join(name);
    check_own(&finished)?;
    if is_whole(&finished) {
        return Ok(finished);
    }
    let unusable = |error: io::Error| {
        no_cache(format!(
            "the cache `{}` cannot be used: {error}",
            cache.display()
        ))
    };
    fs::create_dir_all(&cache).map_err(unusable)?;
    check_own(&lock_of(&cache, name))?;
    let lock = open_lock(&cache, name).map_err(unusable)?;
    // Released when the file is closed, by whatever end of the process.
    fs4::FileExt::lock(&lock).map_err(unusable)?;
    if is_whole(&finished) {
        return Ok(finished);
    }
    if finished.is_dir() {
        fs::remove_dir_all(&finished).map_err(unusable)?;
    }
    remove_abandoned(&cache, name);
    let create = || {
        tempfile::Builder::new()
            .prefix(&format!("{name}{PART}"))
            .tempdir_in(&cache)
    };
    let part = interrupt::create_temporary(create, tempfile::TempDir::path).map_err(unusable)?;
    let path = part.path().to_owned();
    let result = make(&path)
        .and_then(|()| write_manifest(&path).map_err(unusable))
        .and_then(|()| interrupt::uncut(|| fs::rename(&path, &finished)).map_err(unusable));
    interrupt::forget(&path);
    if result.is_ok() {
        let _ = fs::remove_dir_all(kept(&path));
    }
    result.map(|()| finished)
}

/// A folder of the cache with files that the binary carries; its name has a hash of them.
///
/// # Errors
/// When the cache is not writable.
pub fn unpacked(
    variables: Variables,
    kind: &str,
    files: &[(&str, &[u8])],
) -> Result<PathBuf, Failure> {
    let mut hash = Sha256::new();
    for (name, contents) in files {
        add(&mut hash, name.as_bytes());
        add(&mut hash, contents);
    }
    let digits: String = digits(hash).chars().take(16).collect();
    entry(variables, &format!("{kind}-{digits}"), |folder| {
        files.iter().try_for_each(|(name, contents)| {
            let path = folder.join(name);
            let parent = path.parent().unwrap_or(folder);
            let written = fs::create_dir_all(parent).and_then(|()| fs::write(&path, contents));
            written.map_err(|error| unwritable(&path, &error))
        })
    })
}

/// Refuses an entry or a lock that someone else may have put there: a program would run, or a file
/// of ours change.
fn check_own(path: &Path) -> Result<(), Failure> {
    let Ok(found) = fs::symlink_metadata(path) else {
        return Ok(());
    };
    let why = match found.uid() == rustix::process::geteuid().as_raw() {
        _ if found.is_symlink() => "is a symbolic link",
        false => "belongs to another user",
        true => return Ok(()),
    };
    let message = format!("`{}` in the cache {why}", path.display());
    Err(Diagnostic::global(codes::CACHE, message)
        .help("remove it, or set XDG_CACHE_HOME to a folder of your own")
        .into())
}

/// The entries that are damaged; the next run that needs one makes it again.
pub fn damaged(cache: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Who makes an entry has a lock for it; nvcc is none.
        let is_entry = lock_of(cache, &name).exists() && !name.contains(PART);
        if is_entry && (check_own(&entry.path()).is_err() || !is_whole(&entry.path())) {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Writes down what an entry has.
fn write_manifest(folder: &Path) -> io::Result<()> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for file in fs::read_dir(next)? {
            let (path, kind) = file.and_then(|file| Ok((file.path(), file.file_type()?)))?;
            match kind.is_dir() {
                true => open.push(path),
                false => files.push(path),
            }
        }
    }
    files.sort();
    let mut text = String::new();
    for path in files {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        text += &format!("{} {}\n", fs::metadata(&path)?.len(), name.display());
    }
    fs::write(folder.join(MANIFEST), text)
}

/// Whether an entry has all that it had when it was made.
fn is_whole(folder: &Path) -> bool {
    let Ok(text) = fs::read_to_string(folder.join(MANIFEST)) else {
        return false;
    };
    let has = |line: &str| {
        let (size, name) = line.split_once(' ')?;
        let found = fs::metadata(folder.join(name)).ok()?;
        (found.len().to_string() == size).then_some(())
    };
    text.lines().all(|line| has(line).is_some())
}

/// A folder for parts of an entry that is being made in `folder`: they stay
/// there for the next attempt, should this one be cut off or fail. It need not
/// exist. Those who read a part have to see whether it is whole.
pub fn kept(folder: &Path) -> PathBuf {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let made = name.rsplit_once(PART).map_or(&*name, |(made, _)| made);
    folder.with_file_name(format!("{made}{PART}{KEPT}"))
}

/// Removes the folders in which killed processes made entries. Who makes one
/// holds its lock: this process has that of `own`, and tries those of others.
/// What cannot be removed is left: it is in no one's way.
fn remove_abandoned(cache: &Path, own: &str) {
    let Ok(entries) = fs::read_dir(cache) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some((made, part)) = name.to_str().and_then(|name| name.rsplit_once(PART)) else {
            continue;
        };
        if made == own && part == KEPT {
            continue;
        }
        let free = match made == own {
            true => None,
            false => match open_lock(cache, made) {
                Ok(lock) if fs4::FileExt::try_lock(&lock).is_ok() => Some(lock),
                _ => continue,
            },
        };
        let _ = fs::remove_dir_all(entry.path());
        drop(free);
    }
}

/// Adds a piece of what an entry depends on to the hash that names it.
pub fn add(hash: &mut Sha256, piece: &[u8]) {
    hash.update((piece.len() as u64).to_le_bytes());
    hash.update(piece);
}

/// A hash as text.
pub fn digits(hash: Sha256) -> String {
    let bytes = hash.finalize();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The file whose lock one holds to make an entry.
fn lock_of(cache: &Path, name: &str) -> PathBuf {
    cache.join(format!("{name}.lock"))
}

/// Opens it; a link is not followed.
fn open_lock(cache: &Path, name: &str) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create(true).truncate(false);
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    options.open(lock_of(cache, name))
}

fn no_cache(why: String) -> Failure {
    Diagnostic::global(codes::CACHE, why)
        .help("set XDG_CACHE_HOME to a folder that accrs may write to")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn at(home: &Path) -> impl Fn(&str) -> Option<OsString> + Sync {
        move |name| (name == "XDG_CACHE_HOME").then(|| home.into())
    }

    #[test]
    fn entry_is_made_once_by_several() {
        let home = tempfile::tempdir().unwrap();
        let variables = at(home.path());
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let path = entry(&variables, "thing", |folder| {
                        made.fetch_add(1, Ordering::SeqCst);
                        fs::write(folder.join("whole"), "yes").unwrap();
                        Ok(())
                    });
                    assert!(path.unwrap().join("whole").is_file());
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn damaged_entry_is_made_again() {
        let home = tempfile::tempdir().unwrap();
        let variables = at(home.path());
        let made = AtomicUsize::new(0);
        let make = || {
            let path = entry(&variables, "thing", |folder| {
                made.fetch_add(1, Ordering::SeqCst);
                fs::create_dir(folder.join("inner")).unwrap();
                fs::write(folder.join("inner/library"), "whole").unwrap();
                Ok(())
            });
            path.unwrap()
        };
        let folder = make();
        let file = folder.join("inner/library");
        let damages: [&dyn Fn(); 4] = [
            &|| fs::write(&file, "who").unwrap(),
            &|| fs::remove_file(&file).unwrap(),
            &|| fs::remove_dir_all(folder.join("inner")).unwrap(),
            &|| {
                fs::remove_dir_all(&folder).unwrap();
                fs::create_dir(&folder).unwrap();
            },
        ];
        for (number, damage) in damages.iter().enumerate() {
            make();
            assert_eq!(made.load(Ordering::SeqCst), number + 1);
            damage();
            make();
            assert_eq!(fs::read_to_string(&file).unwrap(), "whole");
        }
        assert_eq!(made.load(Ordering::SeqCst), 5);
    }

    #[test]
    fn damage_is_told() {
        let home = tempfile::tempdir().unwrap();
        let variables = at(home.path());
        let make = |name| {
            let made = entry(&variables, name, |folder| {
                fs::write(folder.join("library"), "whole").unwrap();
                Ok(())
            });
            made.unwrap()
        };
        let folder = make("thing");
        make("other");
        let cache = home.path().join("accrs");
        fs::create_dir(cache.join("nvcc")).unwrap();
        assert_eq!(damaged(&cache), [] as [&str; 0]);
        fs::write(folder.join("library"), "who").unwrap();
        assert_eq!(damaged(&cache), ["thing"]);
    }

    #[test]
    fn links_are_not_followed() {
        let home = tempfile::tempdir().unwrap();
        let variables = at(home.path());
        let made = entry(&variables, "thing", |_| Ok(())).unwrap();
        let other = home.path().join("other");
        fs::rename(&made, &other).unwrap();
        std::os::unix::fs::symlink(&other, &made).unwrap();
        let refused = |name: &str| {
            let result = entry(&variables, name, |_| panic!("made"));
            let failure = result.unwrap_err();
            assert!(
                failure
                    .unreported()
                    .unwrap()
                    .message
                    .contains("symbolic link")
            );
        };
        refused("thing");
        let file = home.path().join("file");
        fs::write(&file, "the user's own").unwrap();
        std::os::unix::fs::symlink(&file, home.path().join("accrs/another.lock")).unwrap();
        refused("another");
        assert_eq!(fs::read_to_string(&file).unwrap(), "the user's own");
        assert_eq!(damaged(&home.path().join("accrs")), ["thing"]);
    }

    #[test]
    fn failed_entry_leaves_nothing_but_the_lock() {
        let home = tempfile::tempdir().unwrap();
        let variables = at(home.path());
        assert!(entry(&variables, "thing", |_| Err(Failure::Tool(1))).is_err());
        let left: Vec<_> = fs::read_dir(home.path().join("accrs"))
            .unwrap()
            .flatten()
            .map(|e| e.file_name())
            .collect();
        assert_eq!(left, ["thing.lock"]);
    }

    #[test]
    fn what_killed_processes_left_goes() {
        let home = tempfile::tempdir().unwrap();
        let variables = at(home.path());
        let cache = home.path().join("accrs");
        for name in ["thing.part-a", "older.part-b", "busy.part-c", "kept"] {
            fs::create_dir_all(cache.join(name).join("inside")).unwrap();
        }
        let busy = File::create(lock_of(&cache, "busy")).unwrap();
        fs4::FileExt::lock(&busy).unwrap();
        entry(&variables, "thing", |_| Ok(())).unwrap();
        let mut left: Vec<String> = fs::read_dir(&cache)
            .unwrap()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["busy.part-c", "kept", "thing"]);
    }

    #[test]
    fn parts_stay_until_the_entry_is_made() {
        let home = tempfile::tempdir().unwrap();
        let variables = at(home.path());
        let failed = entry(&variables, "thing", |folder| {
            fs::create_dir(kept(folder)).unwrap();
            fs::write(kept(folder).join("part"), "first").unwrap();
            Err(Failure::Tool(1))
        });
        assert!(failed.is_err());
        let mut at = PathBuf::new();
        let made = entry(&variables, "thing", |folder| {
            at = kept(folder);
            assert_eq!(fs::read_to_string(at.join("part")).unwrap(), "first");
            Ok(())
        });
        assert!(made.is_ok() && !at.exists());
    }

    #[test]
    fn unwritable_cache_is_an_error() {
        let home = tempfile::NamedTempFile::new().unwrap();
        let variables = at(home.path());
        assert!(matches!(
            entry(&variables, "thing", |_| Ok(())),
            Err(Failure::Environment(_))
        ));
    }
}
