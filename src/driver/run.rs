//! `accrs run`: translate, build in a temporary folder, run.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use super::compilers::Compilers;
use super::device::Device;
use super::failure::{Failure, Success};
use super::pipeline::Options;
use super::process;
use super::program::{self, Program};
use super::session::Session;

/// Builds a file and runs the program with these arguments; it has our
/// standard input and output and our folder.
///
/// # Errors
/// When it is not translated, built or started. The program's own failing is
/// a success with its status.
pub fn run(
    session: Session,
    file: &Path,
    arguments: &[OsString],
    libraries: &[OsString],
    device: Option<Device>,
    options: &Options,
) -> Result<Success, Failure> {
    let compilers = Compilers::find(device, &options.archs, &Session::variable)?;
    let file = file.to_path_buf();
    let program = Program::build(session, &compilers, &[file], libraries, options)?;
    let mut command = Command::new(&program.path);
    command.args(arguments);
    let status = program::run(&mut command)?;
    Ok(Success::Program(process::shell_status(status)))
}
