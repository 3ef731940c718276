//! Counts and times by the lines of a file.
//!
//! Input: what `run --counts` counted and `ACCRS_PROFILE=FILE.json` wrote. Output: for a line,
//! sentences; for all lines, which part of the whole they have.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::diagnostic::codes;
use crate::driver::counts::{Access, AccessCounts, KernelCounts, Space, Tally};
use crate::driver::failure::Failure;

/// Reads what `run --counts=FILE` wrote.
///
/// # Errors
/// When the file is no such one.
pub(super) fn read_counts(path: &Path) -> Result<Vec<KernelCounts>, Failure> {
    read_json(path, "counts", "`accrs run --counts=FILE` writes them")
}

fn read_json<T: for<'d> Deserialize<'d>>(path: &Path, what: &str, how: &str) -> Result<T, Failure> {
    let wrong = |error: &dyn std::fmt::Display| {
        let message = format!("`{}` has no {what}: {error}; {how}", path.display());
        Failure::environment(codes::BAD_USAGE, message)
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(&error))?;
    serde_json::from_str(&text).map_err(|error| wrong(&error))
}

/// An event of a trace in Chrome's format.
#[derive(Deserialize)]
struct Event {
    name: String,
    #[serde(default)]
    cat: String,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    pid: i64,
    #[serde(default)]
    args: Details,
}

#[derive(Default, Deserialize)]
struct Details {
    #[serde(default)]
    name: String,
    #[serde(default)]
    place: String,
}

/// Device times by line.
pub(super) struct Profile {
    /// The devices, with what their times are.
    pub(super) devices: Vec<String>,
    /// By the file's name and line, what was done, how often, and its microseconds.
    times: BTreeMap<(String, u32, String), (u64, f64)>,
}

impl Profile {
    /// Reads a trace.
    ///
    /// # Errors
    /// When the file is none.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let how = "a program writes it with ACCRS_PROFILE=FILE.json";
        Ok(Self::of(read_json(path, "profile", how)?))
    }

    fn of(events: Vec<Event>) -> Self {
        let mut devices = Vec::new();
        let mut times: BTreeMap<_, (u64, f64)> = BTreeMap::new();
        for event in events {
            let word = match event.cat.as_str() {
                "launch" => "launch",
                "to-device" => "copy in",
                "to-host" => "copy out",
                _ => {
                    if event.name == "process_name" && event.args.name != "host" {
                        devices.push((event.pid, event.args.name));
                    }
                    continue;
                }
            };
            let Some((file, line)) = event.args.place.rsplit_once(':') else {
                continue;
            };
            let Ok(line) = line.parse() else { continue };
            let key = (file.to_owned(), line, format!("{word} {}", event.name));
            let time = times.entry(key).or_default();
            time.0 += 1;
            time.1 += event.dur;
        }
        devices.sort();
        Self {
            devices: devices.into_iter().map(|(_, name)| name).collect(),
            times,
        }
    }

    /// What was done for a line of a file.
    pub(super) fn at(&self, file: &str, line: u32) -> Vec<String> {
        let first = (file.to_owned(), line, String::new());
        let own = self.times.range(first..);
        own.take_while(|((of, at, _), _)| of == file && *at == line)
            .map(|((.., what), (count, time))| {
                format!("{what}: {}, {time:.1} µs", counted(*count, "time", "times"))
            })
            .collect()
    }
}

/// `1 time`, `3 times`.
pub(super) fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// Accesses by line of one file.
pub(super) struct LineCounts<'c> {
    lines: BTreeMap<usize, Vec<&'c AccessCounts>>,
    /// Transactions of device memory of all its lines.
    all: u64,
}

impl<'c> LineCounts<'c> {
    /// Those of a file.
    pub(super) fn of(kernels: &'c [KernelCounts], file: &Path) -> Self {
        let accesses = kernels.iter().flat_map(|kernel| &kernel.accesses);
        let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for counts in accesses.filter(|counts| is_same(&counts.file, file)) {
            lines.entry(counts.line).or_default().push(counts);
        }
        let mut all = Self { lines, all: 0 };
        all.all = all.lines.keys().map(|line| all.transactions(*line)).sum();
        all
    }

    fn at_line(&self, line: usize) -> impl Iterator<Item = &AccessCounts> {
        self.lines.get(&line).into_iter().flatten().copied()
    }

    fn transactions(&self, line: usize) -> u64 {
        let of_device = self
            .at_line(line)
            .filter(|counts| counts.space == Space::Device);
        of_device.map(|counts| both(counts).transactions).sum()
    }

    /// Of the file's transactions, how many in a hundred a line has.
    pub(super) fn share(&self, line: usize) -> u64 {
        (self.transactions(line) * 100)
            .checked_div(self.all)
            .unwrap_or(0)
    }

    /// What a line asks of memory.
    pub(super) fn at(&self, line: usize) -> Vec<String> {
        self.at_line(line).map(sentence).collect()
    }
}

fn both(counts: &AccessCounts) -> Tally {
    let mut tally = counts.full;
    tally.add(counts.partial);
    tally
}

fn sentence(counts: &AccessCounts) -> String {
    let tally = both(counts);
    let access = match counts.access {
        Access::Read => "reads",
        Access::Write => "writes",
        Access::Atomic => "updates",
    };
    let (space, served) = match counts.space {
        Space::Device => ("", ("transaction", "transactions")),
        Space::Shared => ("shared ", ("wavefront", "wavefronts")),
    };
    format!(
        "{access} {space}{}: {}, {}, {:.2} a request",
        counts.array,
        counted(tally.requests, "request", "requests"),
        counted(tally.transactions, served.0, served.1),
        tally.transactions_per_request().unwrap_or_default(),
    )
}

/// Whether a path that a compiler wrote down is a file; one of another machine has its name.
fn is_same(written: &Path, file: &Path) -> bool {
    let known = written.canonicalize().ok().zip(file.canonicalize().ok());
    match known {
        Some((one, other)) => one == other,
        None => written.file_name() == file.file_name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_lines() {
        let text = r#"[
{"name":"process_name","ph":"M","pid":2,"tid":0,"args":{"name":"emulated device 0"}},
{"name":"process_name","ph":"M","pid":1,"tid":0,"args":{"name":"host"}},
{"name":"k","cat":"launch","ph":"X","ts":1.0,"dur":2.25,"pid":2,"tid":0,"args":{"place":"a.c:9"}},
{"name":"k","cat":"launch","ph":"X","ts":5.0,"dur":1.0,"pid":2,"tid":0,"args":{"place":"a.c:9"}},
{"name":"x","cat":"to-host","ph":"X","ts":9.0,"dur":1.0,"pid":2,"tid":0,"args":{"place":"a.c:19"}},
{"name":"parallel","cat":"host","ph":"X","ts":0.0,"dur":9.0,"pid":1,"tid":0,"args":{"place":"a.c:9"}}
]"#;
        let profile = Profile::of(serde_json::from_str(text).expect("a trace"));
        assert_eq!(profile.devices, ["emulated device 0"]);
        assert_eq!(profile.at("a.c", 9), ["launch k: 2 times, 3.2 µs"]);
        assert_eq!(profile.at("a.c", 19), ["copy out x: 1 time, 1.0 µs"]);
        assert_eq!(profile.at("b.c", 9), [""; 0]);
    }
}
