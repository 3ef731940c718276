//! What a program writes where queues do their work as late as they may.
//!
//! Input: a program that uses queues, and its runs. Output: a diagnostic where a run with late queues
//! (`ACCRS_EMULATED_QUEUES`) writes something else. Whether a `wait` is missing, the clocks of the
//! runtime say (A0730); this shows what it does to the results, and finds what the clocks do not see:
//! data that a library reads too early, or a kernel that an earlier one is not known to read before.
//!
//! What differs from run to run anyway (a time, an address) is none of it: both are run twice then.

use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::finding::{self, Kind};
use super::{Input, Run, SCHEDULE};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::driver::failure::Failure;
use crate::driver::interrupt;
use crate::driver::output::unwritable;
use crate::driver::program::{self, Program};

/// Asks for queues that do their work when something waits for it.
const QUEUES: &str = "ACCRS_EMULATED_QUEUES";

/// The longest piece of a line that is shown, in characters.
const SHOWN: usize = 60;

/// What a run has written, and how it ended.
struct Output {
    path: PathBuf,
    status: ExitStatus,
}

/// Compares a run with late queues with those that there were.
///
/// # Errors
/// When the program cannot be run, or its output not be kept.
pub(super) fn compare(
    program: &Program,
    arguments: &[OsString],
    runs: &[Run],
    input: &mut Input,
) -> Result<Option<Diagnostic>, Failure> {
    let Some(last) = runs.last().filter(|_| runs[0].record.uses_queues) else {
        return Ok(None);
    };
    let mut run = |name: &str, is_late: bool| {
        let path = program.folder().join(name);
        let mut command = Command::new(&program.path);
        command
            .args(arguments)
            .env(SCHEDULE, &last.order)
            .env(finding::REPORT, program.folder().join("ignored"))
            .stdin(input.again())
            .stdout(kept(Some(&path))?)
            .stderr(Stdio::null());
        if is_late {
            command.env(QUEUES, "late");
        }
        let status = program::run(&mut command)?;
        interrupt::checkpoint();
        Ok::<_, Failure>(Output { path, status })
    };
    let usual = match &last.output {
        Some(path) => Output {
            path: path.clone(),
            status: last.status,
        },
        None => run("output", false)?,
    };
    let late = run("late", true)?;
    if usual.status == late.status && first_difference([&usual], [&late]).is_none() {
        return Ok(None);
    }
    let usual_again = run("output_again", false)?;
    let late_again = run("late_again", true)?;
    let what = match first_difference([&usual, &usual_again], [&late, &late_again]) {
        Some(difference) => difference.in_words(),
        None if usual.status == usual_again.status
            && late.status == late_again.status
            && usual.status != late.status =>
        {
            format!("it ends with {}, not with {}", late.status, usual.status)
        }
        None => return Ok(None),
    };
    let is_known = runs.iter().flat_map(|run| &run.record.findings);
    let is_known = is_known
        .into_iter()
        .any(|(finding, _)| matches!(finding.kind, Kind::Queues | Kind::HostQueue));
    Ok(Some(diagnostic(&what, is_known)))
}

fn diagnostic(what: &str, is_known: bool) -> Diagnostic {
    let message = format!("the output is another one where queues do their work late: {what}");
    let mut diagnostic = Diagnostic::global(codes::LATE_QUEUES, message);
    diagnostic.severity = match is_known {
        true => Severity::Note,
        false => Severity::Warning,
    };
    diagnostic.help(match is_known {
        true => "the `wait` that is missing (A0730) decides; `ACCRS_EMULATED_QUEUES=late accrs run` shows all of it",
        false => "a `wait` is missing before something that the checks do not see, as a library that reads an array",
    })
}

/// Where the output of a run goes.
pub(super) fn kept(path: Option<&Path>) -> Result<Stdio, Failure> {
    let Some(path) = path else {
        return Ok(Stdio::null());
    };
    let file = File::create(path).map_err(|error| unwritable(path, &error))?;
    Ok(Stdio::from(file))
}

/// A line that all of the one runs have, and all of the others have not.
struct Difference {
    /// From 1.
    line: usize,
    usual: Option<Vec<u8>>,
    late: Option<Vec<u8>>,
}

impl Difference {
    fn in_words(&self) -> String {
        let line = self.line;
        match (&self.usual, &self.late) {
            (Some(usual), Some(late)) => {
                let [usual, late] = [usual, late].map(|text| shown(text));
                format!("line {line} is `{late}`, not `{usual}`")
            }
            (None, Some(late)) => format!("line {line}, `{}`, is added", shown(late)),
            (Some(usual), None) => format!("it ends before line {line}, `{}`", shown(usual)),
            (None, None) => "it differs".to_owned(),
        }
    }
}

fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut pieces = text.trim_end().chars();
    let start: String = pieces.by_ref().take(SHOWN).collect();
    let rest = if pieces.next().is_some() { "…" } else { "" };
    format!("{}{rest}", start.escape_debug())
}

/// The first line that the runs of each side agree about, and the sides do not.
fn first_difference<const N: usize>(usual: [&Output; N], late: [&Output; N]) -> Option<Difference> {
    let [mut usual, mut late] = [usual, late].map(|side| side.map(|output| lines(&output.path)));
    for line in 1.. {
        let usual = usual.each_mut().map(next);
        let late = late.each_mut().map(next);
        let is_steady = |side: &[Option<Vec<u8>>]| side.iter().all(|one| *one == side[0]);
        if is_steady(&usual) && is_steady(&late) && usual[0] != late[0] {
            let [mut usual, mut late] = [usual, late].map(Vec::from);
            return Some(Difference {
                line,
                usual: usual.swap_remove(0),
                late: late.swap_remove(0),
            });
        }
        if usual.iter().chain(&late).all(Option::is_none) {
            return None;
        }
    }
    None
}

fn lines(path: &Path) -> Option<BufReader<File>> {
    File::open(path).ok().map(BufReader::new)
}

/// The next line; none at the end.
fn next(file: &mut Option<BufReader<File>>) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    let read = file.as_mut()?.read_until(b'\n', &mut line).ok()?;
    (read > 0).then_some(line)
}
