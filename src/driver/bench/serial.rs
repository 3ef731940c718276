//! The serial form, which says what is right.
//!
//! Input: programs with the sizes to run. Output: what the serial form of each
//! prints. They run side by side, before anything is timed.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::Plan;
use super::measure::{self, Settings, reason};
use super::plan::{Benchmark, Run};
use crate::diagnostic::codes;
use crate::driver::failure::Failure;
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::process;

/// So many at once at most, for the sake of memory.
const AT_ONCE: usize = 12;

/// For each size what the serial form prints, or why it does not.
pub(super) type Expected = BTreeMap<String, Result<String, String>>;

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
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((number, run)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let arguments = measure::arguments(run, settings.data);
            let result = match &built[*number] {
                Ok(serial) => serial
                    .result(&arguments)
                    .map_err(|failure| reason(&failure)),
                Err(failure) => Err(reason(failure)),
            };
            tell(&format!(
                "{}, serial: {}",
                plans[*number].benchmark.name, run.name
            ));
            done.push((*number, run.name.clone(), result));
        }
        done
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut expected = vec![Expected::new(); plans.len()];
    thread::scope(|scope| {
        let workers = processors.min(AT_ONCE).min(jobs.len());
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let done = workers.into_iter().filter_map(|worker| worker.join().ok());
        for (number, size, result) in done.flatten() {
            expected[number].insert(size, result);
        }
    });
    expected
}

/// The serial form, compiled by the C compiler alone.
struct Serial {
    _folder: TemporaryFolder,
    program: PathBuf,
}

impl Serial {
    fn build(benchmark: &Benchmark, settings: &Settings) -> Result<Self, Failure> {
        let folder = measure::temporary_folder()?;
        let program = folder.path().join(&benchmark.name);
        let mut compile = settings.compilers.c().command();
        compile.args(&settings.options.preprocessor);
        compile.args(["-O2", "-ffp-contract=off", "-o"]);
        compile.arg(&program).arg(&benchmark.serial).arg("-lm");
        let output = process::capture(&mut compile, b"", None)?;
        if !output.status.success() {
            return Err(Failure::environment(codes::GENERATED_CODE, output.text()));
        }
        Ok(Self {
            _folder: folder,
            program,
        })
    }

    /// What it prints.
    fn result(&self, arguments: &[OsString]) -> Result<String, Failure> {
        let output = process::capture(Command::new(&self.program).args(arguments), b"", None)?;
        measure::result(&output)
    }
}
