//! The serial form, which says what is right.
//!
//! Input: programs with the sizes to run. Output: what the serial form of each
//! computes. They run side by side, before anything is timed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use super::Plan;
use super::measure::{self, Settings, reason};
use super::plan::{Benchmark, Run};
use super::values::{self, Values};
use crate::diagnostic::codes;
use crate::driver::compilers::KEEP_CALLS;
use crate::driver::failure::Failure;
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::{process, side_by_side};

/// For each size what the serial form computes, or why it does not.
pub(super) type Expected = BTreeMap<String, Result<Values, String>>;

/// Runs the serial forms of all programs.
pub(super) fn results(
    plans: &[Plan],
    settings: &Settings,
    tell: &(dyn Fn(&str) + Sync),
) -> Vec<Expected> {
    let built: Vec<Result<Serial, Failure>> = plans
        .iter()
        .map(|plan| Serial::build(plan.benchmark, settings))
        .collect();
    let jobs: Vec<(usize, &Run)> = plans
        .iter()
        .enumerate()
        .flat_map(|(number, plan)| plan.sizes.iter().map(move |run| (number, run)))
        .collect();
    let results = side_by_side::all(&jobs, super::AT_ONCE, |(number, run)| {
        let arguments = measure::arguments(run, settings.data);
        let result = match &built[*number] {
            Ok(serial) => serial
                .values(&arguments, settings.bound(run))
                .map_err(|failure| reason(&failure)),
            Err(failure) => Err(reason(failure)),
        };
        tell(&format!(
            "{}, serial: {}",
            plans[*number].benchmark.name, run.name
        ));
        result
    });
    let mut expected = vec![Expected::new(); plans.len()];
    for ((number, run), result) in jobs.iter().zip(results) {
        expected[*number].insert(run.name.clone(), result);
    }
    expected
}

/// The serial form, compiled by the C compiler alone.
struct Serial {
    _folder: TemporaryFolder,
    program: PathBuf,
}

impl Serial {
    fn build(benchmark: &Benchmark, settings: &Settings) -> Result<Self, Failure> {
        let folder = TemporaryFolder::new()?;
        let program = folder.path().join(&benchmark.name);
        let mut compile = settings.compilers.c().command();
        compile.args(&settings.options.preprocessor);
        compile.args(["-O2", "-ffp-contract=off", KEEP_CALLS, "-o"]);
        compile.arg(&program).arg(&benchmark.serial);
        compile.args(&benchmark.files).arg("-lm");
        let output = process::capture(&mut compile, b"", None)?;
        if !output.status.success() {
            return Err(Failure::environment(codes::GENERATED_CODE, output.text()));
        }
        Ok(Self {
            _folder: folder,
            program,
        })
    }

    /// What it computes.
    fn values(&self, arguments: &[OsString], bound: Option<f64>) -> Result<Values, Failure> {
        values::of(Command::new(&self.program).args(arguments), bound)
    }
}
