//! `accrs check --compare`: results on the device against results on the host.
//!
//! Input: a watched program whose constructs tell what they have (`accrs_compare`). Output: a
//! diagnostic for the first difference. Two processes run it side by side, one with the host as its
//! device. After each construct that one sends its data through a pipe, and the other one compares
//! what its kernels have stored; at the first difference both end. Where there is none, what they
//! have written to standard output is compared, and how they ended.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, AsRawFd as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::str::FromStr;

use super::finding::{self, Difference, OtherWay, Spot, Values};
use super::places::{FileLine, Places};
use super::{Allowed, Input, SCHEDULE, describe};
use crate::diagnostic::{Diagnostic, Label, Severity, codes};
use crate::driver::device;
use crate::driver::failure::Failure;
use crate::driver::interrupt;
use crate::driver::program::Program;

/// The ends of the pipe, and what may differ.
const TO: &str = "ACCRS_COMPARE_TO";
const WITH: &str = "ACCRS_COMPARE_WITH";
const TOLERANCE: &str = "ACCRS_COMPARE_TOLERANCE";
/// Names of variables, a line each.
const EXCEPT: &str = "ACCRS_COMPARE_EXCEPT";

/// How far floating-point values may be apart, relative to the larger magnitude. Integers are
/// compared exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Of `float`.
    single: f64,
    /// Of `double` and `long double`.
    double: f64,
}

impl Default for Tolerance {
    /// A reduction adds in another order than the host does.
    fn default() -> Self {
        Self {
            single: 1e-4,
            double: 1e-9,
        }
    }
}

impl FromStr for Tolerance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| {
            let value: Option<f64> = text.parse().ok();
            value
                .filter(|value| (0.0..1.0).contains(value))
                .ok_or_else(|| {
                    "expected a number from 0 up to 1, or one for `float` and one for `double`: \
                     `1e-4,1e-9`"
                        .to_owned()
                })
        };
        let (single, double) = text.split_once(',').unwrap_or((text, text));
        Ok(Self {
            single: number(single)?,
            double: number(double)?,
        })
    }
}

/// One pair of runs.
struct Pair {
    order: String,
    device: Ended,
    host: Ended,
    record: finding::Record,
}

/// How a process ended, and what it wrote.
struct Ended {
    status: ExitStatus,
    output: PathBuf,
}

/// What is run.
pub(super) struct Runs<'a> {
    pub(super) program: &'a Program,
    pub(super) arguments: &'a [OsString],
    pub(super) tolerance: Tolerance,
    pub(super) allowed: &'a [Allowed],
    /// What the device's first run writes goes to our standard output.
    pub(super) shows: bool,
}

/// Runs the pair in each order until one has a difference.
///
/// # Errors
/// When one cannot be run, or what it writes cannot be read.
pub(super) fn compare(
    runs: Runs,
    input: &Input,
    sources: &[PathBuf],
    places: &mut Places,
) -> Result<Vec<Diagnostic>, Failure> {
    let mut outputs = Vec::new();
    let mut compared = 0;
    for order in super::orders() {
        let pair = run(&runs, input, order).map_err(|error| cannot_run(&error))?;
        interrupt::checkpoint();
        let texts = [&pair.device, &pair.host].map(|ended| read(&ended.output));
        if runs.shows && outputs.is_empty() {
            // A reader that has gone is none of our business.
            let mut to = io::stdout().lock();
            let _ = to.write_all(texts[0].as_bytes()).and_then(|()| to.flush());
        }
        if let Some(found) = judge(&pair, sources, places) {
            return Ok(vec![found]);
        }
        compared = pair.record.compared;
        outputs.push(texts);
    }
    let mut found: Vec<Diagnostic> = outputs_differ(&outputs, runs.tolerance)
        .map(|note| {
            let message = "the program writes something else on the device than on the host";
            let mut warning = Diagnostic::global(codes::COMPARED, message);
            warning.severity = Severity::Warning;
            let warning = warning.note(note);
            let warning = match compared {
                0 => warning,
                _ => warning.note("the results of all constructs that were compared are the same, within the tolerance"),
            };
            warning.help("it is what the host itself reads that differs: `check --dynamic` finds old copies, as where an `update self` is missing")
        })
        .into_iter()
        .collect();
    if compared == 0 {
        let message =
            "nothing is compared: the program runs no construct that the host can run, too";
        let mut nothing = Diagnostic::global(codes::COMPARED, message);
        nothing.severity = Severity::Note;
        found.push(nothing);
    }
    Ok(found)
}

fn cannot_run(error: &io::Error) -> Failure {
    let message = format!("cannot run the program twice: {error}");
    Failure::environment(codes::TOOL_NOT_RUNNABLE, message)
}

fn run(runs: &Runs, input: &Input, order: String) -> io::Result<Pair> {
    let Runs {
        program, tolerance, ..
    } = runs;
    let allowed = runs.allowed.iter().filter_map(Allowed::differing);
    let except: Vec<&str> = allowed.collect();
    let path = |name: &str| program.folder().join(name);
    let report = path("differences");
    let _ = std::fs::remove_file(&report); // of an earlier pair
    let (reader, writer) = io::pipe()?;
    let command = |name: &str, end: i32, variable: &str| -> io::Result<(Command, PathBuf)> {
        let output = path(name);
        let mut command = Command::new(&program.path);
        command
            .args(runs.arguments)
            .env(SCHEDULE, &order)
            .env(device::PROCESSORS, "1")
            .env(
                TOLERANCE,
                format!("{},{}", tolerance.single, tolerance.double),
            )
            .env(EXCEPT, except.join("\n"))
            .env(variable, end.to_string())
            .stdin(input.apart())
            .stdout(File::create(&output)?)
            .stderr(Stdio::null());
        Ok((command, output))
    };
    let (mut on_host, host_output) = command("host.out", writer.as_raw_fd(), TO)?;
    on_host.env("ACC_DEVICE_TYPE", "host");
    on_host.env(finding::REPORT, path("unread"));
    let (mut on_device, device_output) = command("device.out", reader.as_raw_fd(), WITH)?;
    on_device.env_remove("ACC_DEVICE_TYPE");
    on_device.env(finding::REPORT, &report);
    on_device.stderr(Stdio::inherit());

    inherit(&writer)?;
    let mut host = interrupt::spawn_build(&mut on_host)?;
    drop(writer);
    inherit(&reader)?;
    let status = interrupt::run_program(&mut on_device);
    drop(reader);
    if status.is_err() || finding::read(&report).is_ok_and(|record| record.differs()) {
        let _ = host.kill(); // it may have ended by itself
    }
    let host_status = host.wait()?;
    interrupt::build_ended(&host);
    Ok(Pair {
        order,
        device: Ended {
            status: status?,
            output: device_output,
        },
        host: Ended {
            status: host_status,
            output: host_output,
        },
        record: finding::read(&report).map_err(|_| io::Error::other("its report is no report"))?,
    })
}

/// Lets the next process have this end of a pipe.
fn inherit(end: &impl AsFd) -> io::Result<()> {
    rustix::io::fcntl_setfd(end, rustix::io::FdFlags::empty())?;
    Ok(())
}

/// The first difference of two runs.
fn judge(pair: &Pair, sources: &[PathBuf], places: &mut Places) -> Option<Diagnostic> {
    let order = format!("blocks and threads began {}", describe::order(&pair.order));
    if let Some(difference) = &pair.record.difference {
        return Some(values_differ(difference, sources, places).note(order));
    }
    if let Some(way) = &pair.record.other_way {
        return Some(ways_differ(way, pair, sources, places).note(order));
    }
    let (device, host) = (pair.device.status, pair.host.status);
    if device == host {
        return describe::failed(device, &pair.order);
    }
    let message = "the program ends otherwise on the device than on the host";
    let note = format!("{device} on the device, {host} on the host");
    let ended = Diagnostic::global(codes::COMPARED, message).note(note);
    Some(ended.note(order))
}

fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The label of a construct's line.
fn label(spot: &Spot, text: String, sources: &[PathBuf], places: &mut Places) -> Option<Label> {
    let line: Option<FileLine> = places.of_directive(&spot.file, spot.line, sources);
    let place = places.place(line?)?;
    Some(Label { place, text })
}

fn values_differ(found: &Difference, sources: &[PathBuf], places: &mut Places) -> Diagnostic {
    let values = &found.differs;
    let message = format!(
        "`{}` has another value on the device than on the host",
        values.name
    );
    let mut diagnostic = Diagnostic::global(codes::COMPARED, message);
    let text = format!("after this `{}`, {}", found.at.directive, sentence(values));
    match label(&found.at, text.clone(), sources, places) {
        Some(label) => diagnostic.labels.push(label),
        None => diagnostic = diagnostic.note(text),
    }
    if values.elements > 1 {
        diagnostic = diagnostic.note(count(values));
    }
    for other in &found.others {
        let what = if other.is_written {
            format!("so does `{}`, which it writes, too", other.what.name)
        } else {
            format!(
                "the construct has found a difference in `{}` already",
                other.what.name
            )
        };
        diagnostic = diagnostic.note(format!(
            "{what}: {}, {}",
            sentence(&other.what),
            count(&other.what)
        ));
    }
    diagnostic.help("`check --dynamic` finds what often is the cause: old copies, races, variables without a value; `--tolerance` and `--allow differs=NAME` where both values are right")
}

/// `element 3 is 1 on the device and 2 on the host`.
fn sentence(values: &Values) -> String {
    let mut what = match (values.elements, values.row) {
        (1, row) if row < 0 => format!("`{}`", values.name),
        (_, row) if row < 0 => format!("element {}", values.element),
        (_, row) => format!("element {} of row {row}", values.element),
    };
    if !values.member.is_empty() {
        what = format!("member `{}` of {what}", values.member);
    }
    format!(
        "{what} is {} on the device and {} on the host",
        values.on_device, values.on_host
    )
}

/// `3 of 100 elements differ`.
fn count(values: &Values) -> String {
    match (values.differing, values.elements) {
        (_, 1) => "it is one value".to_owned(),
        (1, all) => format!("1 of {all} elements differs"),
        (some, all) => format!("{some} of {all} elements differ"),
    }
}

fn ways_differ(
    way: &OtherWay,
    pair: &Pair,
    sources: &[PathBuf],
    places: &mut Places,
) -> Diagnostic {
    let message = "the program runs other constructs on the device than on the host";
    let mut diagnostic = Diagnostic::global(codes::COMPARED, message);
    let mut notes = Vec::new();
    for (spot, who, other) in [
        (&way.on_device, "the device", "the run on the device"),
        (&way.on_host, "the host", "the run on the host"),
    ] {
        let Some(spot) = spot else {
            notes.push(format!("{other} ends there"));
            continue;
        };
        let text = format!("{who} runs this `{}` next", spot.directive);
        match label(spot, text.clone(), sources, places) {
            Some(label) => diagnostic.labels.push(label),
            None => notes.push(format!("{text}, at {}:{}", spot.file, spot.line)),
        }
    }
    if way.on_host.is_none() && !pair.host.status.success() {
        notes.push(format!("that ended with {}", pair.host.status));
    }
    if pair.record.compared > 0 {
        notes
            .push("the results of all constructs before are the same, within the tolerance".into());
    }
    for note in notes {
        diagnostic = diagnostic.note(note);
    }
    diagnostic.help("a condition of the host's differs: `check --dynamic` finds old copies, as where an `update self` is missing")
}

/// The first line of the device's outputs that differs from that of the host's. Lines that differ
/// from run to run, as those with a time, are none of it. Numbers may be as far apart as values of
/// `float`.
fn outputs_differ(outputs: &[[String; 2]], tolerance: Tolerance) -> Option<String> {
    let mut runs: Vec<[std::str::Lines; 2]> = outputs
        .iter()
        .map(|[device, host]| [device.lines(), host.lines()])
        .collect();
    let are_alike = |one: Option<&str>, other: Option<&str>| match (one, other) {
        (Some(one), Some(other)) => are_alike(one, other, tolerance),
        (one, other) => one == other,
    };
    for number in 1.. {
        let lines = runs
            .iter_mut()
            .map(|texts| texts.each_mut().map(Iterator::next));
        let runs: Vec<[Option<&str>; 2]> = lines.collect();
        let [device, host] = *runs.first()?;
        if device.is_none() && host.is_none() {
            return None;
        }
        let is_steady = runs.len() > 1
            && runs
                .windows(2)
                .all(|two| are_alike(two[0][0], two[1][0]) && are_alike(two[0][1], two[1][1]));
        if is_steady && !are_alike(device, host) {
            let quoted =
                |line: Option<&str>| line.map_or("missing".to_owned(), |line| format!("`{line}`"));
            return Some(format!(
                "line {number} is {} on the device and {} on the host",
                quoted(device),
                quoted(host)
            ));
        }
    }
    None
}

fn are_alike(one: &str, other: &str, tolerance: Tolerance) -> bool {
    if one == other {
        return true;
    }
    let is_end = |c: char| c.is_whitespace() || "=,:;()[]".contains(c);
    let (mut ours, mut theirs) = (one.split(is_end), other.split(is_end));
    loop {
        match (ours.next(), theirs.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one == other => {}
            (Some(one), Some(other)) => {
                let numbers = (one.parse::<f64>(), other.parse::<f64>());
                let (Ok(a), Ok(b)) = numbers else {
                    return false;
                };
                let is_whole = [one, other]
                    .iter()
                    .all(|text| !text.contains(['.', 'e', 'E']));
                if is_whole || (a - b).abs() > tolerance.single * a.abs().max(b.abs()) {
                    return false;
                }
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_one_number_or_two() {
        let both = "1e-3,0".parse::<Tolerance>();
        let expected = Tolerance {
            single: 1e-3,
            double: 0.0,
        };
        assert_eq!(both, Ok(expected));
        assert!("0.5".parse::<Tolerance>().is_ok());
        for wrong in ["", "1", "-1e-3", "x", "1e-3,", "nan"] {
            assert!(wrong.parse::<Tolerance>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn outputs_are_compared_line_by_line() {
        let differ = |one: &str, other: &str| {
            let texts = [one.to_owned(), other.to_owned()];
            outputs_differ(&[texts.clone(), texts], Tolerance::default())
        };
        assert_eq!(differ("a 1.00001\n", "a 1.00002\n"), None);
        assert_eq!(differ("sum=2.5e3, ok\n", "sum=2.50001e3, ok\n"), None);
        for (one, other) in [
            ("a 1.1\n", "a 1.2\n"),
            ("n 100000\n", "n 100001\n"),
            ("a\n", "a\nb\n"),
            ("a b\n", "a\n"),
            ("x 1.0\n", "y 1.0\n"),
        ] {
            assert!(differ(one, other).is_some(), "{one} {other}");
        }
        let times = ["time 1.5\n", "time 2.5\n"].map(str::to_owned);
        let later = ["time 1.7\n", "time 2.1\n"].map(str::to_owned);
        assert_eq!(outputs_differ(&[times, later], Tolerance::default()), None);
    }
}
