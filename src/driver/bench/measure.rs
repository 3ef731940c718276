//! Builds and runs the forms of one program.
//!
//! Input: a [`Benchmark`] and how to run it. Output: a [`ProgramResult`], in
//! which what failed has its reason beside what did not.
//!
//! A form's result is right if it prints what the serial form prints, its
//! `time` line apart: result lines have a checksum of every bit. On the
//! emulation a run counts; on a GPU it is timed, after a run of a build without
//! fused multiply-adds, whose arithmetic is C's, was compared.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::lines::{self, Lines};
use super::plan::{Benchmark, Form, Run};
use crate::analysis::occupancy::Resources;
use crate::diagnostic::codes;
use crate::driver::arch::Arch;
use crate::driver::build;
use crate::driver::compilers::Compilers;
use crate::driver::counts::{self, Space, Tally};
use crate::driver::failure::Failure;
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::pipeline::{self, Goal, Options, Product};
use crate::driver::process::{self, ToolOutput};
use crate::driver::program::Program;
use crate::driver::render::Reporter;
use crate::driver::resources;
use crate::driver::session::Session;
use crate::driver::toolchain;

/// How programs are run.
pub(super) struct Settings<'s> {
    pub(super) session: Session,
    pub(super) compilers: &'s Compilers,
    pub(super) is_emulated: bool,
    /// Timed runs of each form and size.
    pub(super) runs: usize,
    /// What `{data}` stands for.
    pub(super) data: Option<&'s Path>,
    pub(super) options: &'s Options,
}

/// A program in all forms that were run.
#[derive(Debug, Serialize)]
pub(super) struct ProgramResult {
    pub(super) name: String,
    pub(super) title: String,
    /// The serial form's lines.
    pub(super) serial_lines: Lines,
    pub(super) forms: Vec<FormResult>,
}

/// A form at all sizes.
#[derive(Debug, Serialize)]
pub(super) struct FormResult {
    pub(super) form: String,
    pub(super) lines: Lines,
    /// Why it was not built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// What nvcc makes of its kernels, where there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) kernels: Vec<KernelFigures>,
    pub(super) sizes: Vec<SizeResult>,
}

/// A kernel in the eyes of nvcc.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct KernelFigures {
    pub(super) name: String,
    /// `sm_90`.
    pub(super) arch: String,
    /// Of a thread.
    pub(super) registers: u32,
    /// Written and read for want of registers.
    pub(super) spill_bytes: u64,
    /// Of a block, what the launch brings apart.
    pub(super) static_shared_bytes: u64,
}

/// A form at one size.
#[derive(Debug, Default, Serialize)]
pub(super) struct SizeResult {
    pub(super) size: String,
    /// Why there is no result, or what is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// On a GPU: what the program says that it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<Times>,
    /// On a GPU, of one traced run: in kernels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<Trace>,
    /// On the emulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counts: Option<Counts>,
}

/// Several runs, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Times {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
    pub(super) runs: usize,
}

/// What one run asked of the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Trace {
    pub(super) launches: u64,
    /// From launch to end, the device having nothing else to do.
    pub(super) kernel_seconds: f64,
    pub(super) bytes_to_device: u64,
    pub(super) bytes_to_host: u64,
}

/// What the kernels of one run asked of memory.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) launches: u64,
    pub(super) blocks: u64,
    pub(super) barriers: u64,
    pub(super) device: Tally,
    pub(super) shared: Tally,
}

/// Runs a program; `tell` hears of each form and size before its turn.
pub(super) fn program(
    benchmark: &Benchmark,
    forms: &[&Form],
    sizes: &[Run],
    settings: &Settings,
    tell: &dyn Fn(&str, &str),
) -> ProgramResult {
    let mut result = ProgramResult {
        name: benchmark.name.clone(),
        title: benchmark.title.clone(),
        serial_lines: lines::of(&benchmark.serial),
        forms: Vec::new(),
    };
    let serial = Serial::build(benchmark, settings);
    for form in forms {
        let mut measured = FormResult {
            form: form.name.clone(),
            lines: lines::of(&form.file),
            failure: None,
            kernels: Vec::new(),
            sizes: Vec::new(),
        };
        tell(&form.name, "builds");
        match kernels(form, settings) {
            Ok(found) => measured.kernels = found,
            Err(failure) => measured.failure = Some(reason(&failure)),
        }
        match (&serial, Built::build(form, settings)) {
            (Ok(serial), Ok(built)) => {
                for run in sizes {
                    tell(&form.name, &run.name);
                    let mut size =
                        built
                            .run(serial, run, settings)
                            .unwrap_or_else(|failure| SizeResult {
                                failure: Some(reason(&failure)),
                                ..SizeResult::default()
                            });
                    size.size.clone_from(&run.name);
                    measured.sizes.push(size);
                }
            }
            (Err(failure), _) => {
                measured.failure = Some(format!("serial form: {}", reason(failure)))
            }
            (_, Err(failure)) => measured.failure = Some(reason(&failure)),
        }
        result.forms.push(measured);
    }
    result
}

/// What nvcc makes of a form's kernels; nothing where there is no nvcc.
fn kernels(form: &Form, settings: &Settings) -> Result<Vec<KernelFigures>, Failure> {
    if toolchain::nvcc(&Session::variable).is_err() {
        return Ok(Vec::new());
    }
    let archs: &[Arch] = match settings.options.archs.as_slice() {
        [] => &[Arch(90)],
        asked => asked,
    };
    if build::is_cuda(&form.file) {
        let counted = resources::count_file(&form.file, archs, &Session::variable)?;
        return Ok(counted.into_iter().map(KernelFigures::from).collect());
    }
    let c = settings.compilers.c();
    // Building says what there is to say.
    let quiet = Reporter::silent();
    let Ok(Product::Files(translation)) =
        pipeline::translate(&form.file, c, settings.options, Goal::Files, quiet)
    else {
        return Ok(Vec::new());
    };
    let counted = resources::count(&translation, archs, &Session::variable)?;
    let is_own = |one: &Resources| translation.kernel_names.contains(&one.kernel);
    let own = counted.into_iter().filter(is_own);
    Ok(own.map(KernelFigures::from).collect())
}

impl From<Resources> for KernelFigures {
    fn from(one: Resources) -> Self {
        Self {
            arch: format!("sm_{}", one.arch),
            name: one.kernel,
            registers: one.registers,
            spill_bytes: one.spills,
            static_shared_bytes: one.shared,
        }
    }
}

/// A failure in a line.
fn reason(failure: &Failure) -> String {
    match failure.unreported() {
        Some(diagnostic) => diagnostic.message.clone(),
        None => "it is not built: see the messages above".to_owned(),
    }
}

/// The arguments of a run.
fn arguments(run: &Run, data: Option<&Path>) -> Vec<OsString> {
    let fill = |argument: &String| match data {
        Some(folder) => argument.replace("{data}", &folder.to_string_lossy()).into(),
        None => argument.into(),
    };
    run.arguments.iter().map(fill).collect()
}

/// The serial form, compiled by the C compiler alone.
struct Serial {
    _folder: TemporaryFolder,
    program: PathBuf,
}

impl Serial {
    fn build(benchmark: &Benchmark, settings: &Settings) -> Result<Self, Failure> {
        let folder = TemporaryFolder::new().map_err(|error| {
            Failure::environment(
                codes::OUTPUT_UNWRITABLE,
                format!("no temporary folder: {error}"),
            )
        })?;
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
        result(&output)
    }
}

/// What a program printed, its times apart.
fn result(output: &ToolOutput) -> Result<String, Failure> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.trim().lines().last().unwrap_or_default();
        let message = format!("it ended with status {}: {last}", output.code());
        return Err(Failure::environment(codes::TOOL_NOT_RUNNABLE, message));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| !line.starts_with("time "));
    Ok(lines.collect::<Vec<&str>>().join("\n"))
}

/// The seconds of a program's `time` line.
fn seconds(output: &ToolOutput) -> Option<f64> {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find_map(|line| line.strip_prefix("time "))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A form that can be run.
enum Built {
    Counting(Program),
    Timed {
        program: Program,
        /// With C's arithmetic, to compare results.
        exact: Program,
    },
}

impl Built {
    fn build(form: &Form, settings: &Settings) -> Result<Self, Failure> {
        let libraries = [OsString::from("-lm")];
        if settings.is_emulated {
            let session = settings.session;
            return counts::build(session, &form.file, &libraries, settings.options)
                .map(Self::Counting);
        }
        let build = |compilers: &Compilers| {
            let files = [form.file.clone()];
            Program::build(
                settings.session,
                compilers,
                &files,
                &libraries,
                settings.options,
            )
        };
        Ok(Self::Timed {
            program: build(settings.compilers)?,
            exact: build(&settings.compilers.exact())?,
        })
    }

    fn run(&self, serial: &Serial, run: &Run, settings: &Settings) -> Result<SizeResult, Failure> {
        let arguments = arguments(run, settings.data);
        let expected = serial.result(&arguments)?;
        let mut size = SizeResult::default();
        let printed = match self {
            Self::Counting(program) => {
                let mut command = counts::command(program);
                let output = process::capture(command.args(&arguments), b"", None)?;
                let printed = result(&output)?;
                size.counts = Some(total(&counts::read(program)?));
                printed
            }
            Self::Timed { program, exact } => {
                let start = |program: &Program| {
                    let mut command = Command::new(&program.path);
                    command.args(&arguments);
                    command
                };
                let printed = result(&process::capture(&mut start(exact), b"", None)?)?;
                size.seconds = times(&mut || start(program), settings.runs)?;
                let mut traced = start(program);
                traced.env("ACCRS_TRACE", "1");
                let output = process::capture(&mut traced, b"", None)?;
                size.trace = Some(trace(&String::from_utf8_lossy(&output.stderr)));
                printed
            }
        };
        if printed != expected {
            size.failure = Some(format!(
                "`{printed}` where the serial form has `{expected}`"
            ));
        }
        Ok(size)
    }
}

/// Runs a program once to warm up, then so many times.
fn times(start: &mut dyn FnMut() -> Command, runs: usize) -> Result<Option<Times>, Failure> {
    let mut seconds_of_runs = Vec::new();
    for number in 0..=runs.max(1) {
        let output = process::capture(&mut start(), b"", None)?;
        result(&output)?;
        if number > 0 {
            seconds_of_runs.extend(seconds(&output));
        }
    }
    Ok(spread(seconds_of_runs))
}

fn spread(mut seconds: Vec<f64>) -> Option<Times> {
    seconds.sort_by(f64::total_cmp);
    let (least, most) = (*seconds.first()?, *seconds.last()?);
    let middle = seconds.len() / 2;
    let median = match seconds.len() % 2 {
        1 => seconds[middle],
        _ => f64::midpoint(seconds[middle - 1], seconds[middle]),
    };
    Some(Times {
        median,
        least,
        most,
        runs: seconds.len(),
    })
}

/// Reads the runtime's trace.
fn trace(text: &str) -> Trace {
    let mut sum = Trace::default();
    for line in text.lines() {
        let Some(event) = line.strip_prefix("accrs trace: ") else {
            continue;
        };
        let value = |key: &str| {
            let word = event
                .split_whitespace()
                .find_map(|word| word.strip_prefix(key));
            word.and_then(|word| word.parse::<f64>().ok())
                .unwrap_or_default()
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "sizes of transfers"
        )]
        let bytes = value("bytes=") as u64;
        match event.split_whitespace().next() {
            Some("launch") => {
                sum.launches += 1;
                sum.kernel_seconds += 1e-6 * value("us=");
            }
            Some("to-device") => sum.bytes_to_device += bytes,
            Some("to-host") => sum.bytes_to_host += bytes,
            _ => {}
        }
    }
    sum
}

fn total(kernels: &[counts::KernelCounts]) -> Counts {
    let mut sum = Counts::default();
    for kernel in kernels {
        sum.launches += kernel.launches;
        sum.blocks += kernel.blocks;
        sum.barriers += kernel.barriers;
        sum.device.add(kernel.total(Space::Device));
        sum.shared.add(kernel.total(Space::Shared));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let times = spread(vec![3.0, 1.0, 2.0, 10.0]);
        let expected = Times {
            median: 2.5,
            least: 1.0,
            most: 10.0,
            runs: 4,
        };
        assert_eq!(times, Some(expected));
        assert_eq!(spread(Vec::new()), None);
    }

    #[test]
    fn a_trace_is_summed() {
        let text = "accrs trace: allocate a bytes=8 queue=sync at=x.c:1\n\
            accrs trace: to-device a bytes=8 queue=sync at=x.c:1\nnoise\n\
            accrs trace: launch k grid=1,1,1 block=32,1,1 shared=0 us=2.5 queue=sync at=x.c:1\n\
            accrs trace: to-host a bytes=4 queue=sync at=x.c:1\n";
        let trace = trace(text);
        assert_eq!(
            (trace.launches, trace.bytes_to_device, trace.bytes_to_host),
            (1, 8, 4)
        );
        assert!((trace.kernel_seconds - 2.5e-6).abs() < 1e-12);
    }
}
