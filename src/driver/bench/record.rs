//! When, where and how figures came about: what a committed result has to say.
//!
//! Output: [`Record`], from this machine's tools and clock.

use std::env;
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::peers::Peer;
use super::plan::Machine;
use crate::driver::compilers::Compilers;
use crate::driver::session::Session;
use crate::driver::toolchain;

/// What figures depend on besides the programs.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Record {
    /// UTC, `2026-11-22 05:10`.
    pub(super) date: String,
    /// As it was typed, more or less.
    pub(super) command: String,
    /// Of the host programs.
    pub(super) c_compiler: Option<String>,
    /// nvcc, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cuda: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) gpu: Option<Gpu>,
    /// Of OpenMP, where the host's cores are the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) threads: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) peers: Vec<Peer>,
}

/// The first GPU as nvidia-smi has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Gpu {
    pub(super) name: String,
    pub(super) driver: String,
    pub(super) memory: String,
}

impl Record {
    /// Of now, here.
    pub(super) fn new(compilers: &Compilers, machine: Machine, peers: &[Peer]) -> Self {
        let nvcc = toolchain::nvcc(&Session::variable).ok();
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            date: date(now.map_or(0, |since| since.as_secs())),
            command: command_line(env::args().skip(1)),
            c_compiler: compilers.c().version(),
            cuda: nvcc.and_then(|nvcc| nvcc.tool.version()),
            gpu: (machine == Machine::Gpu).then(gpu).flatten(),
            threads: (machine == Machine::Cores).then(threads),
            peers: peers.to_vec(),
        }
    }
}

/// `accrs bench …` for a shell.
fn command_line(arguments: impl Iterator<Item = String>) -> String {
    let arguments: Vec<String> = arguments.collect();
    let quoted = shlex::try_join(arguments.iter().map(String::as_str));
    format!("accrs {}", quoted.unwrap_or_else(|_| arguments.join(" ")))
}

/// As OpenMP counts them.
fn threads() -> usize {
    let asked = env::var("OMP_NUM_THREADS").ok();
    let asked = asked.and_then(|text| text.trim().parse().ok());
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Asks the driver's tool.
fn gpu() -> Option<Gpu> {
    let mut command = Command::new("nvidia-smi");
    command.args([
        "--query-gpu=name,driver_version,memory.total",
        "--format=csv,noheader",
    ]);
    let output = command.stdin(Stdio::null()).output().ok()?;
    read_gpu(&String::from_utf8_lossy(&output.stdout))
}

fn read_gpu(text: &str) -> Option<Gpu> {
    let mut parts = text.lines().next()?.split(',').map(str::trim);
    Some(Gpu {
        name: parts.next()?.to_owned(),
        driver: parts.next()?.to_owned(),
        memory: parts.next()?.to_owned(),
    })
}

/// The date of a number of seconds since 1970 (Gregorian, UTC).
fn date(seconds: u64) -> String {
    let (mut days, minutes) = (seconds / 86_400, seconds % 86_400 / 60);
    let mut year = 1970;
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let length = |year: u64| if is_leap(year) { 366 } else { 365 };
    while days >= length(year) {
        days -= length(year);
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    let (hour, minute, day) = (minutes / 60, minutes % 60, days + 1);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01 00:00");
        assert_eq!(date(951_782_340), "2000-02-28 23:59");
        assert_eq!(date(951_782_400), "2000-02-29 00:00");
        assert_eq!(date(1_798_761_599), "2026-12-31 23:59");
    }

    #[test]
    fn a_gpu_is_read() {
        let gpu = read_gpu("NVIDIA H100 80GB HBM3, 580.95.05, 81559 MiB\n").unwrap();
        let all = (gpu.name.as_str(), gpu.driver.as_str(), gpu.memory.as_str());
        assert_eq!(all, ("NVIDIA H100 80GB HBM3", "580.95.05", "81559 MiB"));
        assert_eq!(read_gpu("No devices were found\n"), None);
    }

    #[test]
    fn a_command_is_quoted() {
        let words = ["bench", "--peer", "x=y z"].map(str::to_owned);
        assert_eq!(
            command_line(words.into_iter()),
            "accrs bench --peer 'x=y z'"
        );
    }
}
