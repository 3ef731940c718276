//! Variables of kernels that are used before they have a value.
//!
//! Input: a program with candidates, whose kernels the compiler has given variables a pattern of bits
//! before their first value, and the same program with zeros there. Output: a diagnostic for each
//! line at which a kernel with candidates stores something else in the one than in the other. Both
//! run with blocks and threads in order, one after the other. What differs from run to run anyway
//! (a clock, an address) is none of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use super::finding::{self, Store};
use super::places::{FileLine, Places};
use super::{Input, SCHEDULE};
use crate::diagnostic::{Diagnostic, Label, codes};
use crate::driver::device;
use crate::driver::failure::Failure;
use crate::driver::program::{self, Program};

/// Asks for what launches store.
const STORES: &str = "ACCRS_CHECK_STORES";

/// What a launch stored at each line, of all launches of a process.
type Launches = BTreeMap<u64, (String, BTreeMap<FileLine, u64>)>;

/// Compares both programs; a program without candidates has but one, and nothing to say.
///
/// # Errors
/// When one cannot be run, or what it writes cannot be read.
pub(super) fn compare(
    program: &Program,
    arguments: &[OsString],
    input: &mut Input,
    places: &mut Places,
) -> Result<Vec<Diagnostic>, Failure> {
    let Some(zero) = &program.with_zeros else {
        return Ok(Vec::new());
    };
    let mut stored = |path: &Path| run(program, path, arguments, input, places);
    let with_pattern = stored(&program.path)?;
    let with_zero = stored(zero)?;
    if with_pattern == with_zero {
        return Ok(Vec::new());
    }
    let again = stored(&program.path)?;
    let mut found: BTreeSet<(FileLine, String)> = BTreeSet::new();
    let processes = with_pattern.iter().zip(&with_zero).zip(&again);
    for ((one, other), again) in processes {
        let Some((launch, kernel, lines)) = first_difference(one, other) else {
            continue;
        };
        let is_steady = first_difference(one, again).is_none_or(|(later, ..)| later > launch);
        if is_steady {
            found.extend(lines.into_iter().map(|line| (line, kernel.clone())));
        }
    }
    let diagnostics = found.into_iter().filter_map(|(line, kernel)| {
        let name = program::short_name(&kernel);
        let candidates = program.unassigned.iter().find(|one| one.kernel == name)?;
        Some(diagnostic(line, name, &candidates.variables, places))
    });
    Ok(diagnostics.collect())
}

/// The first launch in which the two differ: its number, its kernel, and the lines. Later ones have
/// it from there.
fn first_difference(one: &Launches, other: &Launches) -> Option<(u64, String, Vec<FileLine>)> {
    one.iter().find_map(|(number, (kernel, stored))| {
        let none = BTreeMap::new();
        let others = other.get(number).map_or(&none, |(_, stored)| stored);
        let lines = stored.keys().chain(others.keys());
        let differs = |line: &&FileLine| stored.get(line) != others.get(line);
        let lines: BTreeSet<FileLine> = lines.filter(differs).copied().collect();
        (!lines.is_empty()).then(|| (*number, kernel.clone(), lines.into_iter().collect()))
    })
}

fn diagnostic(line: FileLine, kernel: &str, variables: &[String], places: &Places) -> Diagnostic {
    let quoted: Vec<String> = variables.iter().map(|name| format!("`{name}`")).collect();
    let message = match quoted.as_slice() {
        [only] => format!("{only} is used before it has a value"),
        several => format!(
            "one of {} is used before it has a value",
            several.join(", ")
        ),
    };
    let mut diagnostic = Diagnostic::global(codes::UNASSIGNED, message);
    let text = "what is stored here depends on it".to_owned();
    let label = places.place(line).map(|place| Label { place, text });
    diagnostic.labels.extend(label);
    diagnostic
        .note(format!("in kernel `{kernel}`"))
        .help("give it a value in each iteration first; `firstprivate` brings that from before the construct")
}

/// Runs a program and gives what each of its processes stored.
fn run(
    program: &Program,
    path: &Path,
    arguments: &[OsString],
    input: &mut Input,
    places: &mut Places,
) -> Result<Vec<Launches>, Failure> {
    let report = program.folder().join("stores");
    let _ = std::fs::remove_file(&report); // of an earlier run
    let mut command = Command::new(path);
    command
        .args(arguments)
        .env(SCHEDULE, "forward")
        .env(STORES, "1")
        .env(device::PROCESSORS, "1")
        .env(finding::REPORT, &report)
        .stdin(input.again())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    program::run(&mut command)?;
    let record = finding::read(&report)?;
    let sites = record.stores.iter().flatten().map(|store| store.stored_at);
    let lines = places.lines(program, path, &sites.collect());
    let of_process = |stores: &Vec<Store>| {
        let mut launches = Launches::new();
        for store in stores {
            let Some(line) = lines.get(&store.stored_at) else {
                continue;
            };
            let launch = launches.entry(store.launch);
            let (_, stored) = launch.or_insert_with(|| (store.kernel.clone(), BTreeMap::new()));
            let values = stored.entry(*line).or_default();
            *values = values.wrapping_add(store.values);
        }
        launches
    };
    Ok(record.stores.iter().map(of_process).collect())
}
