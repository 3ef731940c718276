//! `accrs check --dynamic` and `--compare`: run a program on the emulation under checks.
//!
//! Input: the C files of a program and its arguments. Output: a diagnostic at the
//! user's line for each thing that the checks of the runtime found, in three
//! runs: blocks and threads in order, in reverse and in a random order.
//!
//! | | |
//! |---|---|
//! | [`finding`] | what the runtime writes down, a line of JSON each |
//! | [`unassigned`] | variables without a value, by two programs that give them different ones |
//! | [`places`] | addresses in the program to lines of the user's files |
//! | [`describe`] | findings of all runs to diagnostics |
//! | [`compare`] | results on the device against results on the host |
//! | [`late`] | the output of a run whose queues do their work as late as they may |
//! | [`movement`] | words for data on its way and for queues; what `--allow` silences |
//! | [`hand_written`] | ways out in words of CUDA |
//!
//! The first run has our standard input, output and error. Later runs print
//! nothing, and read the same input where that is a file, else none. A program that uses queues runs
//! once more, with these late.

mod compare;
mod describe;
mod finding;
mod hand_written;
mod late;
mod movement;
mod places;
mod unassigned;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::compilers::{Compilers, Watcher};
use super::failure::{Failure, Success};
use super::interrupt;
use super::linked::Linked;
use super::pipeline::Options;
use super::program::{self, Program};
use super::session::Session;
use crate::diagnostic::{Diagnostic, Severity, codes};
pub use compare::Tolerance;
use finding::Record;
pub use movement::Allowed;
use places::Places;

/// The orders that blocks and threads begin in, as `ACCRS_SCHEDULE` has them;
/// the number is the seed of a random one.
const ORDERS: [&str; 3] = ["forward", "reverse", "1"];

/// The variable that chooses one order alone.
const SCHEDULE: &str = "ACCRS_SCHEDULE";

/// One run of the program.
struct Run {
    /// Of blocks and threads.
    order: String,
    /// How the program ended.
    status: ExitStatus,
    /// What the checks found.
    record: Record,
    /// Where its output is, unless the user has seen it, or no queue was used before.
    output: Option<PathBuf>,
}

/// What is to be checked, and how.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The files of a program, objects and archives among them.
    pub files: &'a [PathBuf],
    /// Of the program.
    pub arguments: &'a [OsString],
    /// As the linker takes them.
    pub libraries: &'a [OsString],
    /// `--dynamic`.
    pub finds_faults: bool,
    /// `--compare`.
    pub compares: Option<Tolerance>,
    /// `--allow`.
    pub allowed: &'a [Allowed],
}

/// Builds a program with checks, runs it in several orders and reports what was
/// found.
///
/// # Errors
/// When it is not translated, built or started, or anything was found.
pub fn run(session: Session, request: Request, options: &Options) -> Result<Success, Failure> {
    if options.memory.is_unified() && request.compares.is_some() {
        let message =
            "`--compare` looks at the device's copies of data, and unified memory has none";
        return Err(Diagnostic::global(codes::BAD_USAGE, message)
            .help("compare with `--memory separate`, or run the program with ACC_DEVICE_TYPE=host")
            .into());
    }
    let compilers = Compilers::watched(Watcher::Checks, &Session::variable)?;
    let options = Options {
        compares: request.compares.is_some(),
        ..options.clone()
    };
    let arguments = request.arguments;
    let linked = Linked::new(request.files, request.libraries);
    let watched = Program::build_linked(session, &compilers, &linked, &options)?;
    let files = &linked.sources;
    let mut input = Input::of_this_process();
    let mut places = Places::default();
    let mut diagnostics = Vec::new();
    let mut failed = false;
    if request.finds_faults {
        let runs = run_in_all_orders(&watched.path, arguments, watched.folder(), &mut input)?;
        places = places::resolve(&watched, files, &runs);
        let outcome = describe::outcome(&runs, &places, request.allowed);
        failed = outcome.failed;
        diagnostics.extend(outcome.diagnostics);
        diagnostics.extend(late::compare(&watched, arguments, &runs, &mut input)?);
        diagnostics.extend(unassigned::compare(
            &watched,
            arguments,
            &mut input,
            &mut places,
        )?);
    }
    if let Some(tolerance) = request.compares {
        let runs = compare::Runs {
            program: &watched,
            arguments,
            tolerance,
            allowed: request.allowed,
            shows: !request.finds_faults,
        };
        diagnostics.extend(compare::compare(runs, &input, files, &mut places)?);
    }
    diagnostics.extend(linked.note("checks"));
    session.reporter.emit(&diagnostics, &places);
    let is_error = |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error;
    if failed || diagnostics.iter().any(is_error) {
        return Err(Failure::Reported);
    }
    Ok(Success::Done)
}

/// The orders of blocks and threads: the one that the environment asks for, or all.
fn orders() -> Vec<String> {
    match Session::variable(SCHEDULE) {
        Some(order) => vec![order.to_string_lossy().into_owned()],
        None => ORDERS.map(str::to_owned).to_vec(),
    }
}

/// Runs the program once in each order, or in the one that the environment
/// asks for.
fn run_in_all_orders(
    program: &Path,
    arguments: &[OsString],
    folder: &Path,
    input: &mut Input,
) -> Result<Vec<Run>, Failure> {
    let mut runs = Vec::new();
    for (number, order) in orders().into_iter().enumerate() {
        let report = folder.join(format!("findings{number}"));
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env(SCHEDULE, &order)
            .env(finding::REPORT, &report);
        let uses_queues = runs.first().is_some_and(|run: &Run| run.record.uses_queues);
        let output = uses_queues.then(|| folder.join("output"));
        if number > 0 {
            command
                .stdin(input.again())
                .stdout(late::kept(output.as_deref())?)
                .stderr(Stdio::null());
        }
        let status = program::run(&mut command)?;
        interrupt::checkpoint();
        runs.push(Run {
            order,
            status,
            record: finding::read(&report)?,
            output,
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

    /// The same for a process that reads it while another one does.
    fn apart(&self) -> Stdio {
        let Some((file, position)) = &self.file else {
            return Stdio::null();
        };
        // The link leads to the file itself, opened anew.
        let opened = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let placed = opened.and_then(|mut file| {
            file.seek(SeekFrom::Start(*position))?;
            Ok(file)
        });
        placed.map_or(Stdio::null(), Stdio::from)
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
