//! `accrs check --dynamic`: run a program on the emulation under checks.
//!
//! Input: a C file and the program's arguments. Output: a diagnostic at the
//! user's line for each thing that the checks of the runtime found, in three
//! runs: blocks and threads in order, in reverse and in a random order.
//!
//! | | |
//! |---|---|
//! | [`finding`] | what the runtime writes down, a line of JSON each |
//! | [`places`] | addresses in the program to lines of the user's files |
//! | [`describe`] | findings of all runs to diagnostics |
//!
//! The first run has our standard input, output and error. Later runs print
//! nothing, and read the same input where that is a file, else none.

mod describe;
mod finding;
mod places;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::build::{self, Objects, Unit, UnitFlags};
use super::compilers::Compilers;
use super::failure::{Failure, Success};
use super::interrupt::{self, TemporaryFolder};
use super::pipeline::{self, Goal, Options, Product};
use super::process;
use super::runtime_library::{self, RuntimeLibrary};
use super::session::Session;
use super::translate::stem;
use crate::diagnostic::{Diagnostic, codes};
use finding::Record;

/// The orders that blocks and threads begin in, as `ACCRS_SCHEDULE` has them;
/// the number is the seed of a random one.
const ORDERS: [&str; 3] = ["forward", "reverse", "1"];

/// The variable that chooses one order alone.
const SCHEDULE: &str = "ACCRS_SCHEDULE";

/// Calls that the checks see by having the linker redirect them.
const WRAPPED: [&str; 3] = ["memcpy", "memmove", "memset"];

/// One run of the program.
struct Run {
    /// Of blocks and threads.
    order: String,
    /// How the program ended.
    status: ExitStatus,
    /// What the checks found.
    record: Record,
}

/// Builds a file with checks, runs the program in several orders and reports
/// what was found.
///
/// # Errors
/// When it is not translated, built or started, or anything was found.
pub fn dynamic(
    session: Session,
    file: &Path,
    arguments: &[OsString],
    libraries: &[OsString],
    options: &Options,
) -> Result<Success, Failure> {
    let compilers = Compilers::checked(&Session::variable)?;
    let folder = TemporaryFolder::new().map_err(|error| {
        Failure::environment(
            codes::OUTPUT_UNWRITABLE,
            format!("no temporary folder: {error}"),
        )
    })?;
    let runtime = runtime_library::ready(&compilers, &Session::variable)?;
    let name = stem(file)?;
    let unit = Unit {
        source: file,
        name: &name,
        folder: folder.path(),
    };
    let program = build_program(session, unit, libraries, options, &compilers, &runtime)?;
    let runs = run_in_all_orders(&program, arguments, folder.path())?;
    let places = places::resolve(&program, runtime.folder(), &runs);
    let outcome = describe::outcome(&runs, &places);
    session.reporter.emit(&outcome.diagnostics, &places);
    if outcome.failed {
        return Err(Failure::Reported);
    }
    Ok(Success::Done)
}

/// Translates, compiles and links the program with its checks.
fn build_program(
    session: Session,
    unit: Unit,
    libraries: &[OsString],
    options: &Options,
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
) -> Result<PathBuf, Failure> {
    let options = Options {
        line_marks: true,
        ..options.clone()
    };
    let product = pipeline::translate(
        unit.source,
        compilers.c(),
        &options,
        Goal::Files,
        session.reporter,
    )?;
    let Product::Files(translation) = product else {
        return Err(Failure::environment(
            codes::INTERNAL,
            "no files came out of the translation",
        ));
    };
    let optimise = std::iter::once("-O2".into());
    let flags = UnitFlags {
        host: options
            .preprocessor
            .iter()
            .cloned()
            .chain(optimise)
            .collect(),
        kernels: Vec::new(),
    };
    let objects = build::compile(unit, &translation, &flags, compilers, runtime)?;
    link(unit, &objects, libraries, compilers, runtime)
}

/// Links the program. Marks around the kernels tell the checks which
/// variables are theirs.
fn link(
    unit: Unit,
    objects: &Objects,
    libraries: &[OsString],
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
) -> Result<PathBuf, Failure> {
    let program = unit.folder.join(unit.name);
    let [before, after] = runtime.around_kernels();
    let mut command = compilers.linker();
    command.arg("-o").arg(&program);
    command.args([&objects.host, &before, &objects.kernels, &after]);
    command.args(WRAPPED.map(|name| format!("-Wl,--wrap={name}")));
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

/// Runs the program once in each order, or in the one that the environment
/// asks for.
fn run_in_all_orders(
    program: &Path,
    arguments: &[OsString],
    folder: &Path,
) -> Result<Vec<Run>, Failure> {
    let orders = match Session::variable(SCHEDULE) {
        Some(order) => vec![order.to_string_lossy().into_owned()],
        None => ORDERS.map(str::to_owned).to_vec(),
    };
    let mut input = Input::of_this_process();
    let mut runs = Vec::new();
    for (number, order) in orders.into_iter().enumerate() {
        let report = folder.join(format!("findings{number}"));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env(SCHEDULE, &order)
            .env(finding::REPORT, &report);
        if number > 0 {
            command
                .stdin(input.again())
                .stdout(Stdio::null())
                .stderr(Stdio::null());
        }
        let status = interrupt::run_program(&mut command).map_err(|error| {
            Failure::from(
                Diagnostic::global(
                    codes::TOOL_NOT_RUNNABLE,
                    format!("cannot run the program: {error}"),
                )
                .help("the folder for temporary files must allow programs; TMPDIR names another"),
            )
        })?;
        interrupt::checkpoint();
        runs.push(Run {
            order,
            status,
            record: finding::read(&report)?,
        });
    }
    Ok(runs)
}

/// Standard input, for several runs.
struct Input {
    /// A copy of ours and where it stood, if it is a file that can be read
    /// again.
    file: Option<(File, u64)>,
}

impl Input {
    fn of_this_process() -> Self {
        let copy = std::io::stdin().as_fd().try_clone_to_owned();
        let file = copy.ok().map(File::from).filter(|file| {
            file.metadata()
                .is_ok_and(|metadata| metadata.file_type().is_file())
        });
        let file = file.and_then(|mut file| {
            let position = file.stream_position().ok()?;
            Some((file, position))
        });
        Self { file }
    }

    /// The input from where it stood, or none.
    fn again(&mut self) -> Stdio {
        let Some((file, position)) = &mut self.file else {
            return Stdio::null();
        };
        let rewound = file.seek(SeekFrom::Start(*position));
        rewound
            .and_then(|_| file.try_clone())
            .map_or(Stdio::null(), Stdio::from)
    }
}
