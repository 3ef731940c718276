//! Runs a program to its end, with a limit on its time.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The most that a program of the tests may take.
const LIMIT: Duration = Duration::from_secs(120);

/// The most that building may take, of many files on a machine that has other things to do.
const BUILD_LIMIT: Duration = Duration::from_secs(900);

/// How a program ended and what it wrote.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
    pub time: Duration,
}

impl Outcome {
    /// The exit status; `None` where a signal ended the program.
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// A command with an empty standard input. What accrs builds in it is for the emulation, even on a
/// machine with a GPU.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("ACC_DEVICE_TYPE", "emulated");
    command.stdin(Stdio::null());
    command
}

/// Runs a command. An error where it cannot start or exceeds the limit.
pub fn run(command: &mut Command) -> Result<Outcome, String> {
    run_within(command, LIMIT)
}

fn run_within(command: &mut Command, limit: Duration) -> Result<Outcome, String> {
    let shown = format!("{command:?}");
    // Files, not pipes: a program that fills a pipe that is not read would never end.
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (out, err) = (folder.path().join("out"), folder.path().join("err"));
    let open = |path: &Path| File::create(path).map_err(|error| error.to_string());
    command.stdout(open(&out)?).stderr(open(&err)?);
    let start = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| format!("{shown}: {error}"))?;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{shown}: still running after {limit:?}"));
        }
        thread::sleep(Duration::from_millis(2));
    };
    let content = |path: &Path| std::fs::read(path).map_err(|error| error.to_string());
    Ok(Outcome {
        status,
        stdout: content(&out)?,
        stderr: String::from_utf8_lossy(&content(&err)?).into_owned(),
        time: start.elapsed(),
    })
}

/// Runs a command that must succeed.
pub fn succeed(command: &mut Command) -> Result<Outcome, String> {
    successful(run(command)?, command)
}

/// Runs a command that builds something and must succeed.
pub fn build(command: &mut Command) -> Result<Outcome, String> {
    successful(run_within(command, BUILD_LIMIT)?, command)
}

fn successful(outcome: Outcome, command: &Command) -> Result<Outcome, String> {
    if outcome.status.success() {
        return Ok(outcome);
    }
    Err(format!(
        "{command:?}: {}\n{}{}",
        outcome.status,
        outcome.text(),
        outcome.stderr
    ))
}
