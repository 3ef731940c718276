//! Running the tools of the build: compilers, linkers, archivers.
//!
//! Input: a [`Command`]. Output: what it printed and whether it succeeded.
//! The tools run in process groups of their own (see [`super::interrupt`])
//! with no standard input, and put their own temporary files into ours.

use std::ffi::OsStr;
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;

use super::failure::Failure;
use super::interrupt;
use crate::diagnostic::{Diagnostic, codes};

/// What a tool did.
#[derive(Debug)]
pub struct ToolOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl ToolOutput {
    /// Both outputs as text, trimmed.
    pub fn text(&self) -> String {
        let both = [self.stdout.as_slice(), self.stderr.as_slice()].concat();
        String::from_utf8_lossy(&both).trim().to_owned()
    }

    /// The exit status as a shell would give it.
    pub fn code(&self) -> u8 {
        shell_status(self.status)
    }
}

/// An exit status as a shell gives it: 128 + n for signal n.
pub fn shell_status(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt as _;
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    u8::try_from(code.unwrap_or(255) & 0xff).expect("masked to eight bits")
}

/// Runs a tool with the given standard input and captures what it prints.
///
/// `scratch` becomes its `TMPDIR`.
///
/// # Errors
/// When it cannot be started; its failing is no error here.
pub fn capture(
    command: &mut Command,
    input: &[u8],
    scratch: Option<&Path>,
) -> Result<ToolOutput, Failure> {
    if let Some(folder) = scratch {
        command.env("TMPDIR", folder);
    }
    command.stdin(if input.is_empty() {
        Stdio::null()
    } else {
        Stdio::piped()
    });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let program = command.get_program().to_owned();
    let mut child =
        interrupt::spawn_build(command).map_err(|error| cannot_start(&program, &error))?;
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    thread::scope(|scope| {
        if let Some(mut pipe) = child.stdin.take() {
            // A tool that stops reading early says why itself.
            scope.spawn(move || drop(pipe.write_all(input)));
        }
        if let Some(mut pipe) = child.stderr.take() {
            let stderr = &mut stderr;
            scope.spawn(move || drop(pipe.read_to_end(stderr)));
        }
        if let Some(mut pipe) = child.stdout.take() {
            // An error here shows as a short output and a failed status.
            drop(pipe.read_to_end(&mut stdout));
        }
    });
    let status = child.wait();
    interrupt::build_ended(&child);
    let status = status.map_err(|error| cannot_start(&program, &error))?;
    Ok(ToolOutput {
        status,
        stdout,
        stderr,
    })
}

/// Runs a tool with our own standard output and error.
///
/// # Errors
/// When it cannot be started, or fails; it has then said why.
pub fn succeed(command: &mut Command) -> Result<(), Failure> {
    command.stdin(Stdio::null());
    let program = command.get_program().to_owned();
    let mut child =
        interrupt::spawn_build(command).map_err(|error| cannot_start(&program, &error))?;
    let status = child.wait();
    interrupt::build_ended(&child);
    match status.map_err(|error| cannot_start(&program, &error))? {
        status if status.success() => Ok(()),
        status => Err(Failure::Tool(shell_status(status))),
    }
}

/// Replaces this process by a tool: its output, input and status are ours.
pub fn replace(command: &mut Command) -> Failure {
    use std::os::unix::process::CommandExt as _;
    interrupt::checkpoint();
    let error = command.exec();
    cannot_start(command.get_program(), &error)
}

/// A tool that is there but does not start.
fn cannot_start(program: &OsStr, error: &io::Error) -> Failure {
    let message = format!("cannot run `{}`: {error}", program.to_string_lossy());
    Diagnostic::global(codes::TOOL_NOT_RUNNABLE, message)
        .help("`accrs doctor` shows which tools were found")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_and_both_outputs_pass() {
        let mut command = Command::new("sh");
        command.args(["-c", "cat; echo wrong >&2; exit 3"]);
        let output = capture(&mut command, b"hello", None).unwrap();
        assert_eq!(output.stdout, b"hello");
        assert_eq!(output.stderr, b"wrong\n");
        assert_eq!(output.code(), 3);
    }

    #[test]
    fn large_input_does_not_block() {
        let input = vec![b'x'; 1 << 20];
        let output = capture(&mut Command::new("cat"), &input, None).unwrap();
        assert_eq!(output.stdout.len(), input.len());
    }

    #[test]
    fn death_by_signal_is_128_and_its_number() {
        let mut command = Command::new("sh");
        command.args(["-c", "kill -TERM $$"]);
        assert_eq!(capture(&mut command, b"", None).unwrap().code(), 143);
    }
}
