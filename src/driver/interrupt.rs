//! SIGINT, SIGTERM and SIGHUP: nothing of ours stays behind.
//!
//! One thread waits for signals. While accrs translates or builds, a signal
//! ends the compilers that run (each its own process group, so that their
//! children end too), removes the registered temporary files and exits with
//! 128 + n. While the user's program runs, the signal is passed to it and
//! accrs goes on waiting for its end.
//!
//! After SIGKILL a [`guardian`](super::guardian) does the same for compilers, the
//! program and temporary files; folders that are left in spite of it go when the
//! next one is made ([`abandoned`]).
//!
//! A thread that would create a file or a process first takes the lock of
//! the state here; after a signal it never gets it back, so that nothing is
//! created behind the clean-up.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use std::{io, mem};

use rustix::process::{Pid, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin};

use super::abandoned;
use super::failure::Failure;
use super::guardian::Guardian;
use crate::diagnostic::codes;

/// How long a compiler may take to end after SIGTERM before it is killed.
const GRACE: Duration = Duration::from_millis(1500);

/// What is to be ended or removed when a signal arrives.
struct State {
    caught: bool,
    builds: Vec<Pid>,
    program: Option<Pid>,
    temporaries: Vec<PathBuf>,
    /// Does the same where accrs gets no chance to.
    guardian: Guardian,
}

static STATE: Mutex<State> = Mutex::new(State {
    caught: false,
    builds: Vec::new(),
    program: None,
    temporaries: Vec::new(),
    guardian: Guardian::new(),
});

/// The state, for as long as no signal was caught; afterwards the caller
/// stops here, for the signal thread is about to end the process.
fn lock() -> MutexGuard<'static, State> {
    let state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if state.caught {
        drop(state);
        loop {
            thread::park();
        }
    }
    state
}

/// Starts the thread that waits for signals. Called once, by `main`.
///
/// # Errors
/// When the system refuses a signal handler.
pub fn install() -> io::Result<()> {
    let mut wanted = vec![SIGINT, SIGTERM];
    if !hangup_is_ignored() {
        wanted.push(SIGHUP);
    }
    let mut signals = SignalsInfo::<WithOrigin>::new(&wanted)?;
    thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            for origin in signals.forever() {
                on_signal(&origin);
            }
        })?;
    Ok(())
}

/// Whether SIGHUP was ignored at the start (`nohup accrs run …`), which then
/// holds for us and for the program.
fn hangup_is_ignored() -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else {
        return false;
    };
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask
        .and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
        .unwrap_or(0);
    mask & (1 << (SIGHUP - 1)) != 0
}

/// Passes a signal to the user's program, or ends everything.
fn on_signal(origin: &Origin) {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(program) = state.program {
        // A key at the terminal reaches the program as well, which is in the
        // same process group; a second delivery could be read as "at once".
        if origin.cause != Cause::Kernel
            && let Some(signal) = Signal::from_named_raw(origin.signal)
        {
            let _ = rustix::process::kill_process(program, signal);
        }
        return;
    }
    state.caught = true;
    let builds = mem::take(&mut state.builds);
    let temporaries = mem::take(&mut state.temporaries);
    drop(state);
    end_groups(&builds);
    for path in &temporaries {
        remove(path);
    }
    std::process::exit(128 + origin.signal);
}

/// Ends process groups and waits until nothing of them is left.
fn end_groups(groups: &[Pid]) {
    let alive = || {
        groups
            .iter()
            .filter(|group| rustix::process::test_kill_process_group(**group).is_ok())
    };
    let end = |group: &Pid, signal| {
        // Gone already is as good.
        let _ = rustix::process::kill_process_group(*group, signal);
    };
    alive().for_each(|group| end(group, Signal::TERM));
    let start = Instant::now();
    while alive().next().is_some() && start.elapsed() < 2 * GRACE {
        if start.elapsed() > GRACE {
            alive().for_each(|group| end(group, Signal::KILL));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Removes a file or folder, patient with a thread that is just writing there.
fn remove(path: &Path) {
    for _ in 0..20 {
        let result = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        match result {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                thread::sleep(Duration::from_millis(10))
            }
            _ => return,
        }
    }
}

/// Lets a caught signal take precedence over whatever the caller would do
/// next: does not return after one.
pub fn checkpoint() {
    drop(lock());
}

/// Runs something that a signal must not cut in two, such as renaming several
/// finished files into place.
pub fn uncut<T>(action: impl FnOnce() -> T) -> T {
    let _state = lock();
    action()
}

/// Creates a temporary file or folder that goes when a signal arrives. The
/// caller calls [`forget`] once it is gone or permanent.
///
/// # Errors
/// Those of `create`.
pub fn create_temporary<T>(
    create: impl FnOnce() -> io::Result<T>,
    path: impl FnOnce(&T) -> &Path,
) -> io::Result<T> {
    let mut state = lock();
    let made = create()?;
    let path = path(&made).to_owned();
    state.guardian.file_begins(&path);
    state.temporaries.push(path);
    Ok(made)
}

/// Ends the watch over a path of [`create_temporary`].
pub fn forget(path: &Path) {
    let mut state = lock();
    state.guardian.file_ends(path);
    state.temporaries.retain(|other| other != path);
}

/// A temporary folder (in `TMPDIR`) that goes in every case.
#[derive(Debug)]
pub struct TemporaryFolder(Option<(tempfile::TempDir, File)>);

impl TemporaryFolder {
    /// Makes the folder.
    ///
    /// # Errors
    /// When `TMPDIR` is not writable.
    pub fn new() -> Result<Self, Failure> {
        let make = || abandoned::folder_in(&std::env::temp_dir());
        let folder = create_temporary(make, |(folder, _)| folder.path()).map_err(|error| {
            let message = format!("no temporary folder: {error}");
            Failure::environment(codes::OUTPUT_UNWRITABLE, message)
        })?;
        Ok(Self(Some(folder)))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        let (folder, _) = self.0.as_ref().expect("taken only by drop");
        folder.path()
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if let Some((folder, _lock)) = self.0.take() {
            let path = folder.path().to_owned();
            // Nothing can be done, and nothing is wrong with the result.
            let _ = folder.close();
            forget(&path);
        }
    }
}

/// Starts a tool of the build in its own process group.
///
/// # Errors
/// When it cannot be started.
pub fn spawn_build(command: &mut Command) -> io::Result<Child> {
    use std::os::unix::process::CommandExt as _;
    let mut state = lock();
    let child = command.process_group(0).spawn()?;
    state.guardian.group_begins(pid(&child));
    state.builds.push(pid(&child));
    Ok(child)
}

/// Notes that a tool of the build has ended.
pub fn build_ended(child: &Child) {
    let ended = pid(child);
    let mut state = lock();
    state.guardian.group_ends(ended);
    state.builds.retain(|other| *other != ended);
}

/// Runs the user's program to its end; signals go to it meanwhile.
///
/// # Errors
/// When it cannot be started.
pub fn run_program(command: &mut Command) -> io::Result<ExitStatus> {
    let mut state = lock();
    let mut child = command.spawn()?;
    state.program = Some(pid(&child));
    state.guardian.process_begins(pid(&child));
    drop(state);
    // Between its end and the next line a signal would go to a process that
    // is no more: without effect, since its number is not reused yet.
    let status = child.wait();
    let mut state = lock();
    state.guardian.process_ends(pid(&child));
    state.program = None;
    status
}

/// The process number of a child.
fn pid(child: &Child) -> Pid {
    i32::try_from(child.id())
        .ok()
        .and_then(Pid::from_raw)
        .expect("a child's number is positive")
}
