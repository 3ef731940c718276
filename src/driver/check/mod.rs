//! `accrs check --dynamic`: run a program on the emulation under checks.
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
//! | [`movement`] | words for data on its way and for queues; what `--allow` silences |
//! | [`hand_written`] | ways out in words of CUDA |
//!
//! The first run has our standard input, output and error. Later runs print
//! nothing, and read the same input where that is a file, else none.

mod describe;
mod finding;
mod hand_written;
mod movement;
mod places;
mod unassigned;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, SeekFrom};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::compilers::{Compilers, Watcher};
use super::failure::{Failure, Success};
use super::interrupt;
use super::pipeline::Options;
use super::program::{self, Program};
use super::session::Session;
use finding::Record;
pub use movement::Allowed;

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
}

/// Builds a program with checks, runs it in several orders and reports what was
/// found.
///
/// # Errors
/// When it is not translated, built or started, or anything was found.
pub fn dynamic(
    session: Session,
    files: &[PathBuf],
    arguments: &[OsString],
    libraries: &[OsString],
    options: &Options,
    allowed: &[Allowed],
) -> Result<Success, Failure> {
    let compilers = Compilers::watched(Watcher::Checks, &Session::variable)?;
    let watched = Program::build(session, &compilers, files, libraries, options)?;
    let mut input = Input::of_this_process();
    let runs = run_in_all_orders(&watched.path, arguments, watched.folder(), &mut input)?;
    let mut places = places::resolve(&watched, files, &runs);
    let mut outcome = describe::outcome(&runs, &places, allowed);
    let found = unassigned::compare(&watched, arguments, &mut input, &mut places)?;
    outcome.failed |= !found.is_empty();
    outcome.diagnostics.extend(found);
    session.reporter.emit(&outcome.diagnostics, &places);
    if outcome.failed {
        return Err(Failure::Reported);
    }
    Ok(Success::Done)
}

/// Runs the program once in each order, or in the one that the environment
/// asks for.
fn run_in_all_orders(
    program: &Path,
    arguments: &[OsString],
    folder: &Path,
    input: &mut Input,
) -> Result<Vec<Run>, Failure> {
    let orders = match Session::variable(SCHEDULE) {
        Some(order) => vec![order.to_string_lossy().into_owned()],
        None => ORDERS.map(str::to_owned).to_vec(),
    };
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
        let status = program::run(&mut command)?;
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
