//! What is to be ended and removed should accrs itself be killed.
//!
//! No process sees its own SIGKILL. A shell waits for the end of a pipe of which accrs has the
//! other end, and knows from it which process groups run and which temporary files there are; when
//! the pipe ends it kills and removes those that are left. So compilers end with all that they
//! have started, which a signal at the parent's death, for each process alone, would not do.

use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{ChildStdin, Command, Stdio};

use rustix::process::Pid;

/// Lines are `g`, `p` or `f`, for a group, a process or a file, and its number or path; the letter
/// is a capital once it has ended or gone. Paths have no newline.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
set -f
IFS='
'
add() { eval "$1=\$$1\$2\$IFS"; }
drop() {
    kept=
    eval "list=\$$1"
    for one in $list; do [ "$one" = "$2" ] || kept=$kept$one$IFS; done
    eval "$1=\$kept"
}
groups= processes= files=
while read -r line; do
    of=${line#?}
    case $line in
    g*) add groups "$of" ;;
    G*) drop groups "$of" ;;
    p*) add processes "$of" ;;
    P*) drop processes "$of" ;;
    f*) add files "$of" ;;
    F*) drop files "$of" ;;
    esac
done
for one in $groups; do kill -s KILL -- "-$one"; done
for one in $processes; do kill -s KILL -- "$one"; done
for one in $files; do rm -rf -- "$one"; done
"#;

/// The pipe to the shell; none before it is needed, or where there is no shell.
#[derive(Debug)]
pub struct Guardian {
    pipe: Option<ChildStdin>,
    is_started: bool,
}

impl Guardian {
    /// One that has not been started.
    pub const fn new() -> Self {
        Self {
            pipe: None,
            is_started: false,
        }
    }

    /// A process group runs.
    pub fn group_begins(&mut self, group: Pid) {
        self.say(b'g', group.to_string().as_bytes());
    }

    /// It has ended.
    pub fn group_ends(&mut self, group: Pid) {
        self.say(b'G', group.to_string().as_bytes());
    }

    /// A process runs in our own group.
    pub fn process_begins(&mut self, process: Pid) {
        self.say(b'p', process.to_string().as_bytes());
    }

    /// It has ended.
    pub fn process_ends(&mut self, process: Pid) {
        self.say(b'P', process.to_string().as_bytes());
    }

    /// A file or folder is there for a while.
    pub fn file_begins(&mut self, path: &Path) {
        self.say(b'f', path.as_os_str().as_bytes());
    }

    /// It has gone, or is to stay.
    pub fn file_ends(&mut self, path: &Path) {
        self.say(b'F', path.as_os_str().as_bytes());
    }

    fn say(&mut self, what: u8, of: &[u8]) {
        if !self.is_started {
            self.is_started = true;
            self.pipe = start();
        }
        if of.contains(&b'\n') {
            return;
        }
        let line = [&[what], of, b"\n"].concat();
        let is_heard = self.pipe.as_mut().map(|pipe| pipe.write_all(&line));
        // Someone has killed the shell: there is no more to do.
        if matches!(is_heard, Some(Err(_))) {
            self.pipe = None;
        }
    }
}

fn start() -> Option<ChildStdin> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", SCRIPT]).process_group(0);
    command.stdin(Stdio::piped());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // Without it all is as it was, but after SIGKILL.
    command.spawn().ok()?.stdin
}
