//! `accrs run`: translate, build in a temporary folder, run.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::compilers::Compilers;
use super::device::Device;
use super::failure::{Failure, Success};
use super::linked::Linked;
use super::pipeline::Options;
use super::process;
use super::program::{self, Program};
use super::session::Session;

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
    Ok(Success::Program(process::shell_status(status)))
}
