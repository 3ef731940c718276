//! `accrs run`: translate, build in a temporary folder, run.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use signal_hook::consts::{SIGABRT, SIGBUS, SIGFPE, SIGSEGV};

use super::compilers::Compilers;
use super::device::Device;
use super::failure::{Failure, Success};
use super::linked::Linked;
use super::pipeline::Options;
use super::process;
use super::program::{self, Program};
use super::render::Nowhere;
use super::session::Session;
use crate::diagnostic::{Diagnostic, Severity, codes};

/// Builds the files of a program and runs it with these arguments; it has our
/// standard input and output and our folder.
///
/// # Errors
/// When it is not translated, built or started. The program's own failing is
/// a success with its status.
pub fn run(
    session: Session,
    files: &[PathBuf],
    arguments: &[OsString],
    libraries: &[OsString],
    device: Option<Device>,
    options: &Options,
) -> Result<Success, Failure> {
    let compilers = Compilers::find(device, &options.archs, &Session::variable)?
        .sharing_cores(options.multicore)?;
    let linked = Linked::new(files, libraries);
    let program = Program::build_linked(session, &compilers, &linked, options)?;
    let mut command = Command::new(&program.path);
    command.args(arguments);
    if device == Some(Device::Multicore) {
        // The option wins over the variable.
        command.env("ACC_DEVICE_TYPE", Device::Multicore.name());
    }
    let status = program::run(&mut command)?;
    if let Some(note) = crashed(status) {
        session.reporter.emit([&note], &Nowhere);
    }
    Ok(Success::Program(process::shell_status(status)))
}

/// Where to look further if the program itself made the system end it.
fn crashed(status: ExitStatus) -> Option<Diagnostic> {
    const SIGNALS: [(i32, &str); 4] = [
        (SIGSEGV, "SIGSEGV"),
        (SIGBUS, "SIGBUS"),
        (SIGABRT, "SIGABRT"),
        (SIGFPE, "SIGFPE"),
    ];
    let signal = status.signal()?;
    let (_, name) = SIGNALS.iter().find(|(number, _)| *number == signal)?;
    let message = format!(
        "the program was ended by {name}: `accrs check --dynamic` looks for accesses outside of arrays and other \
         mistakes in a run"
    );
    let (severity, code) = (Severity::Note, codes::PROGRAM_FAILED);
    let note = Diagnostic::global(code, message);
    Some(Diagnostic { severity, ..note })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_of_the_programs_own_are_told_of() {
        let note = crashed(ExitStatus::from_raw(SIGSEGV)).expect("it is one");
        assert!(note.message.contains("SIGSEGV"));
        for other in [0, 256 * 139, 15, 2] {
            assert!(crashed(ExitStatus::from_raw(other)).is_none(), "{other}");
        }
    }
}
