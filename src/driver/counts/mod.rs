//! `accrs run --counts`: what the kernels of a program ask of memory.
//!
//! Input: the files of a program and its arguments. Output: for each kernel its
//! launches, blocks and barriers, and for each line that accesses memory its
//! requests and transactions, as a run on the emulation counted them. A
//! *request* is one access of the lanes of a warp; device memory serves it in
//! *transactions* of 128 bytes (of 32-byte sectors), shared memory in rounds,
//! more than one where lanes want several words of a bank. Requests of whole
//! warps are told apart from those of partial or masked ones.

mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

use serde::{Deserialize, Serialize};

use super::compilers::{Compilers, Watcher};
use super::device;
use super::failure::{Failure, Success};
use super::linked::Linked;
use super::output::unwritable;
use super::pipeline::Options;
use super::process;
use super::program::{self, Program};
use super::render::Nowhere;
use super::session::Session;
use crate::diagnostic::{Diagnostic, codes};

/// The variable that tells the program where to write what was counted.
const REPORT: &str = "ACCRS_COUNTS_REPORT";

/// Said in the place of an empty table.
const NOTHING_COUNTED: &str =
    "accrs: nothing was counted: no kernel ran, or the program did not return from main\n";

/// How a kernel uses a piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Loads.
    Read,
    /// Stores.
    Write,
    /// Updates in one step.
    Atomic,
}

/// Where the memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Device (global) memory.
    Device,
    /// Shared memory of a block.
    Shared,
}

/// Requests of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Accesses of a warp's lanes together.
    pub requests: u64,
    /// Accesses by threads.
    pub accesses: u64,
    /// 128-byte lines of device memory; rounds of shared memory.
    pub transactions: u64,
    /// 32-byte sectors of device memory.
    pub sectors: u64,
}

impl Tally {
    /// Adds other requests.
    pub fn add(&mut self, other: Self) {
        self.requests += other.requests;
        self.accesses += other.accesses;
        self.transactions += other.transactions;
        self.sectors += other.sectors;
    }

    /// Transactions a request; none without requests.
    #[allow(
        clippy::cast_precision_loss,
        reason = "a ratio that is shown with two digits"
    )]
    pub fn transactions_per_request(&self) -> Option<f64> {
        (self.requests > 0).then(|| self.transactions as f64 / self.requests as f64)
    }
}

/// The accesses of one line of the user's file to one array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessCounts {
    /// The file; empty where it is not known.
    #[serde(default)]
    pub file: PathBuf,
    /// The line, from 1; 0 where it is not known.
    #[serde(default)]
    pub line: usize,
    /// Read, written or updated.
    pub access: Access,
    /// Where the array is.
    pub space: Space,
    /// The array's name; empty where it has none.
    pub array: String,
    /// Bytes of an access by a thread.
    pub bytes: u64,
    /// Requests in which 32 lanes took part.
    pub full: Tally,
    /// Other requests.
    pub partial: Tally,
}

/// Launches of one kernel with the same blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Configuration {
    /// Blocks of a launch.
    pub blocks: u64,
    /// Threads of a block.
    pub threads: u32,
    /// How many launches.
    pub launches: u64,
}

/// A kernel in all its launches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KernelCounts {
    /// Its name.
    #[serde(alias = "kernel")]
    pub name: String,
    /// How often it was launched.
    pub launches: u64,
    /// Blocks of all launches.
    pub blocks: u64,
    /// Threads of all launches.
    pub threads: u64,
    /// Barriers of all blocks.
    pub barriers: u64,
    /// How often it was launched with which blocks.
    #[serde(default)]
    pub configurations: Vec<Configuration>,
    /// By line.
    #[serde(default)]
    pub accesses: Vec<AccessCounts>,
}

impl KernelCounts {
    /// All requests to one kind of memory, whole warps' and others.
    pub fn total(&self, space: Space) -> Tally {
        self.sum(|counts| counts.space == space)
    }

    /// Loads or stores of device memory.
    #[must_use]
    pub fn of_device(&self, access: Access) -> Tally {
        self.sum(|counts| counts.space == Space::Device && counts.access == access)
    }

    fn sum(&self, is_counted: impl Fn(&AccessCounts) -> bool) -> Tally {
        let mut total = Tally::default();
        for counts in self.accesses.iter().filter(|counts| is_counted(counts)) {
            total.add(counts.full);
            total.add(counts.partial);
        }
        total
    }
}

/// A line of what the runtime writes down.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Record {
    Place {
        kernel: String,
        site: u64,
        #[serde(flatten)]
        counts: AccessCounts,
    },
    Kernel(KernelCounts),
}

/// Where `run --counts` puts what was counted.
#[derive(Clone, Debug)]
pub enum Destination {
    /// A table on standard error.
    Table,
    /// JSON in a file.
    Json(PathBuf),
}

/// Builds and runs the files of a program on the emulation, counting.
///
/// # Errors
/// When it is not translated, built or started, or the counts cannot be
/// written. The program's own failing is a success with its status.
pub fn run(
    session: Session,
    files: &[PathBuf],
    arguments: &[OsString],
    libraries: &[OsString],
    destination: &Destination,
    options: &Options,
) -> Result<Success, Failure> {
    let (status, kernels) = collect(session, files, arguments, libraries, options)?;
    match destination {
        Destination::Table => {
            let mut error = std::io::stderr().lock();
            // A closed standard error leaves no one to tell.
            let _ = error.write_all(table::table(&kernels).as_bytes());
            if kernels.is_empty() {
                let _ = error.write_all(NOTHING_COUNTED.as_bytes());
            }
        }
        Destination::Json(path) => {
            let text = serde_json::to_string_pretty(&kernels).map_err(|error| {
                Failure::environment(codes::INTERNAL, format!("counts as JSON: {error}"))
            })?;
            std::fs::write(path, text + "\n").map_err(|error| unwritable(path, &error))?;
        }
    }
    Ok(Success::Program(process::shell_status(status)))
}

/// Builds a program for the emulation and runs it; how it ended, and what was counted.
///
/// # Errors
/// As for [`run`].
pub fn collect(
    session: Session,
    files: &[PathBuf],
    arguments: &[OsString],
    libraries: &[OsString],
    options: &Options,
) -> Result<(ExitStatus, Vec<KernelCounts>), Failure> {
    if options.memory.is_unified() {
        let message =
            "`--counts` counts requests to device memory, and unified memory is the host's";
        return Err(Diagnostic::global(codes::BAD_USAGE, message)
            .help("count them with `--memory separate`: kernels make the same requests")
            .into());
    }
    let compilers = Compilers::watched(Watcher::Counts, &Session::variable)?;
    let linked = Linked::new(files, libraries);
    let program = Program::build_linked(session, &compilers, &linked, options)?;
    // The system's libraries have no kernels.
    let note = Linked::new(files, &[]).note("counts");
    session.reporter.emit(&note, &Nowhere);
    let mut command = command(&program);
    let status = program::run(command.args(arguments))?;
    Ok((status, read(&program)?))
}

/// Starts a program that was built to count; [`read`] then has its counts, the same each time.
pub fn command(program: &Program) -> Command {
    let mut command = Command::new(&program.path);
    command.env(REPORT, report(program));
    if std::env::var_os(device::PROCESSORS).is_none() {
        command.env(device::PROCESSORS, "1");
    }
    command
}

fn report(program: &Program) -> PathBuf {
    program.folder().join("counts.d")
}

/// Reads what the latest run has counted; nothing where it ended too early to
/// say.
///
/// # Errors
/// When the file is not the runtime's.
pub fn read(program: &Program) -> Result<Vec<KernelCounts>, Failure> {
    let text = std::fs::read_to_string(report(program)).unwrap_or_default();
    let records = text
        .lines()
        .map(serde_json::from_str::<Record>)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| {
            let message = format!("the runtime's counts cannot be read: {error}");
            Failure::environment(codes::INTERNAL, message)
        })?;
    let sites = records.iter().filter_map(|record| match record {
        Record::Place { site, .. } => Some(*site),
        Record::Kernel(_) => None,
    });
    let frames = program.own_frames(&program.path, &sites.collect::<BTreeSet<u64>>());
    let places = frames
        .unwrap_or_default()
        .into_iter()
        .filter_map(|(site, frames)| Some((site, frames.into_iter().next()?)))
        .collect();
    Ok(by_kernel(records, &places))
}

/// Joins what is of one line, one array and one kind of access.
fn by_kernel(records: Vec<Record>, places: &BTreeMap<u64, (PathBuf, usize)>) -> Vec<KernelCounts> {
    let mut kernels = Vec::new();
    let mut accesses: BTreeMap<_, BTreeMap<_, AccessCounts>> = BTreeMap::new();
    for record in records {
        let (kernel, site, mut counts) = match record {
            Record::Kernel(kernel) => {
                kernels.push(kernel);
                continue;
            }
            Record::Place {
                kernel,
                site,
                counts,
            } => (kernel, site, counts),
        };
        (counts.file, counts.line) = places.get(&site).cloned().unwrap_or_default();
        let place = (counts.file.clone(), counts.line, counts.space);
        let key = (place, counts.array.clone(), counts.access, counts.bytes);
        let (full, partial) = (counts.full, counts.partial);
        let lines = accesses.entry(kernel).or_default();
        let known = lines.entry(key).and_modify(|all| {
            all.full.add(full);
            all.partial.add(partial);
        });
        known.or_insert(counts);
    }
    for kernel in &mut kernels {
        let lines = accesses.remove(&kernel.name).unwrap_or_default();
        kernel.accesses = lines.into_values().collect();
    }
    kernels
}
