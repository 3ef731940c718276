//! `accrs run`: translate, build in a temporary folder, run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::build::{self, Objects, Unit, UnitFlags};
use super::compilers::Compilers;
use super::device::Device;
use super::failure::{Failure, Success};
use super::interrupt::{self, TemporaryFolder};
use super::pipeline::{self, Goal, Options, Product};
use super::process;
use super::runtime_library::{self, RuntimeLibrary};
use super::session::Session;
use super::translate::stem;
use crate::diagnostic::codes;

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
    let name = stem(file)?;
    let options = Options {
        line_marks: true,
        ..options.clone()
    };
    let product =
        pipeline::translate(file, compilers.c(), &options, Goal::Files, session.reporter)?;
    let Product::Files(translation) = product else {
        return Err(Failure::environment(
            codes::INTERNAL,
            "no files came out of the translation",
        ));
    };
    let folder = TemporaryFolder::new().map_err(|error| {
        Failure::environment(
            codes::OUTPUT_UNWRITABLE,
            format!("no temporary folder: {error}"),
        )
    })?;
    let runtime = runtime_library::ready(&compilers, &Session::variable)?;
    let unit = Unit {
        source: file,
        name: &name,
        folder: folder.path(),
    };
    let host = options
        .preprocessor
        .iter()
        .cloned()
        .chain(["-O2".into()])
        .collect();
    build::check_whole(&translation)?;
    let flags = UnitFlags {
        host,
        kernels: Vec::new(),
        relocatable: false,
    };
    let objects = build::compile(unit, &translation, &flags, &compilers, &runtime)?;
    let program = link(unit, &objects, libraries, &compilers, &runtime)?;
    let mut command = Command::new(&program);
    command.args(arguments);
    let status = interrupt::run_program(&mut command).map_err(|error| {
        Failure::environment(
            codes::TOOL_NOT_RUNNABLE,
            format!("cannot run the program: {error}"),
        )
    })?;
    Ok(Success::Program(process::shell_status(status)))
}

/// Links the program.
fn link(
    unit: Unit,
    objects: &Objects,
    libraries: &[OsString],
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
) -> Result<PathBuf, Failure> {
    let program = unit.folder.join(unit.name);
    let mut command = compilers.linker();
    command
        .arg("-o")
        .arg(&program)
        .args([&objects.host, &objects.kernels]);
    command
        .args(libraries)
        .arg(runtime.archive())
        .args(compilers.libraries());
    let output = process::capture(&mut command, b"", Some(unit.folder))?;
    build::pass_on(&output);
    if output.status.success() {
        return Ok(program);
    }
    let message = format!("the program of `{}` does not link", unit.source.display());
    Err(Failure::environment(codes::GENERATED_CODE, message))
}
