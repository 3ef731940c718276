//! What a GPU can do at most, and how close to it programs come.
//!
//! Input: a program in CUDA that measures a copy within the device's memory
//! and, where its vendor's library is found, a product of matrices; the bytes
//! that `bench.toml` says a run must move at least, or its operations. Output:
//! a share of the limit for each form and size.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use serde::Serialize;

use super::kept::Executable;
use super::measure::{ProgramResult, Settings};
use super::plan::Run;
use crate::driver::failure::Failure;
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::output::unwritable;
use crate::driver::process;
use crate::driver::program::Program;

/// The program and what it includes.
const FILES: [(&str, &str); 4] = [
    (
        "limits.cu",
        include_str!("../../../benchmarks/common/limits.cu"),
    ),
    (
        "device.cuh",
        include_str!("../../../benchmarks/common/device.cuh"),
    ),
    (
        "clock.h",
        include_str!("../../../benchmarks/common/clock.h"),
    ),
    (
        "program.h",
        include_str!("../../../benchmarks/common/program.h"),
    ),
];

/// Its name where it is kept.
const NAME: &str = "limits";

/// What is copied, in bytes, and how large the matrices are.
const ARGUMENTS: [&str; 2] = ["1073741824", "8192"];

/// The most that a device does in a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Limits {
    /// Bytes that a copy within its memory reads and writes.
    copy: Option<f64>,
    /// Operations of a product of matrices by the vendor's library.
    product: Option<f64>,
}

/// How close a form comes to a limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Share {
    form: String,
    size: String,
    /// `copy` or `product`.
    of: &'static str,
    /// 1 is the limit; more where a form moves less than each step would.
    share: f64,
}

/// Measures the GPU.
///
/// # Errors
/// When the program is not built or fails.
pub(super) fn measure(settings: &Settings) -> Result<Limits, Failure> {
    let program = program(settings)?;
    let output = process::capture(Command::new(&program.path).args(ARGUMENTS), b"", None)?;
    Ok(read(&String::from_utf8_lossy(&output.stdout)))
}

/// The program that measures.
///
/// # Errors
/// When it is not built.
pub(super) fn program(settings: &Settings) -> Result<Executable, Failure> {
    let Some(kept) = settings.kept else {
        return Ok(build(settings)?.into());
    };
    let folder = kept.program("limits", &[], "", |folder| {
        let path = folder.join(NAME);
        let copied = fs::copy(&build(settings)?.path, &path);
        copied.map(drop).map_err(|error| unwritable(&path, &error))
    })?;
    Ok(folder.join(NAME).into())
}

fn build(settings: &Settings) -> Result<Program, Failure> {
    let folder = TemporaryFolder::new()?;
    for (name, text) in FILES {
        let path = folder.path().join(name);
        fs::write(&path, text).map_err(|error| unwritable(&path, &error))?;
    }
    Program::build(
        settings.session,
        settings.compilers,
        &[folder.path().join(FILES[0].0)],
        &[OsString::from("-ldl")],
        settings.options,
    )
}

/// Reads what the program prints: `copy AMOUNT SECONDS` and the like.
fn read(text: &str) -> Limits {
    let rate = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let mut numbers = line.split_whitespace().map(str::parse::<f64>);
        let (amount, seconds) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        (seconds > 0.0).then(|| amount / seconds)
    };
    Limits {
        copy: rate("copy "),
        product: rate("product "),
    }
}

/// How close the forms of a program come to the limits, where its sizes say
/// what they move or compute.
#[allow(clippy::cast_precision_loss, reason = "a ratio with two digits")]
pub(super) fn shares(program: &ProgramResult, runs: &[Run], limits: &Limits) -> Vec<Share> {
    let mut shares = Vec::new();
    for form in &program.forms {
        for size in &form.sizes {
            let Some(run) = runs.iter().find(|run| run.name == size.size) else {
                continue;
            };
            let seconds = size.trace.map_or(0.0, |trace| trace.kernels.median);
            let kinds = [
                ("copy", run.moves, limits.copy),
                ("product", run.operations, limits.product),
            ];
            for (of, amount, limit) in kinds {
                let (Some(amount), Some(limit)) = (amount, limit) else {
                    continue;
                };
                if seconds > 0.0 {
                    shares.push(Share {
                        form: form.form.clone(),
                        size: size.size.clone(),
                        of,
                        share: amount as f64 / seconds / limit,
                    });
                }
            }
        }
    }
    shares
}

/// A line about the device; none if nothing was measured.
pub(super) fn text(limits: &Limits) -> String {
    let mut parts = Vec::new();
    if let Some(copy) = limits.copy {
        parts.push(format!("a copy within it moves {:.0} GB/s", copy / 1e9));
    }
    if let Some(product) = limits.product {
        let rate = product / 1e12;
        parts.push(format!("its library multiplies at {rate:.1} TFLOP/s"));
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!("The device: {}.\n", parts.join(", ")),
    }
}

/// A line for each share.
pub(super) fn shares_text(shares: &[Share], before: &str) -> String {
    let mut text = String::new();
    for share in shares {
        let percent = 100.0 * share.share;
        let _ = writeln!(
            text,
            "{before}{} at {}: {percent:.0} % of the device's {}",
            share.form, share.size, share.of
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::super::measure::{FormResult, SizeResult};
    use super::super::times::{Times, Trace};
    use super::*;

    #[test]
    fn rates_are_read() {
        let limits = read("copy 2000 0.5\nproduct 3e12 1.5\n");
        assert_eq!((limits.copy, limits.product), (Some(4000.0), Some(2e12)));
        assert_eq!(read("copy 1 0\nnoise\n"), Limits::default());
        assert_eq!(
            text(&limits),
            "The device: a copy within it moves 0 GB/s, its library multiplies at 2.0 TFLOP/s.\n"
        );
        assert_eq!(text(&Limits::default()), "");
    }

    #[test]
    fn shares_are_of_the_time_in_kernels() {
        let size = SizeResult {
            size: "9".to_owned(),
            trace: Some(Trace {
                kernels: Times {
                    median: 0.5,
                    ..Times::default()
                },
                ..Trace::default()
            }),
            ..SizeResult::default()
        };
        let program = ProgramResult {
            name: "heat".to_owned(),
            title: String::new(),
            base: String::new(),
            serial_lines: Lines::default(),
            forms: vec![FormResult {
                form: "fcw".to_owned(),
                sizes: vec![size],
                ..FormResult::default()
            }],
        };
        let run = "name = \"9\"\narguments = []\nmoves = 1000";
        let run: Run = toml::from_str(run).unwrap();
        let limits = read("copy 4000 1\n");
        let found = shares(&program, &[run], &limits);
        assert_eq!(
            shares_text(&found, "  "),
            "  fcw at 9: 50 % of the device's copy\n"
        );
    }
}
