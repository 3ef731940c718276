//! The benchmark programs: every form of each gives the result of its serial form.
//!
//! `benchmarks/NAME/bench.toml` lists runs. For those marked `test` the serial form, compiled by the
//! C compiler alone, and the OpenACC form under `accrs run` write all values they computed, and the
//! two files are compared by `benchmarks/common/compare.c`, bit for bit. For those marked `sharp`
//! the comparison must tell each wrong program of the list from the right one. The generated files
//! are compared with their snapshots and the kernels compiled by nvcc.
//!
//! Runs on Rodinia's own files are added where `ACCRS_REAL_DATA` names their folder
//! (`tests/real-data` sets it); a file that is missing there is a failure.

#![allow(
    clippy::print_stdout,
    reason = "the times of the runs are part of the report"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use serde::Deserialize;
use support::process::{Outcome, command, run, succeed};
use support::{accrs, nvcc, read, root, snapshot};

/// A benchmark as its `bench.toml` describes it. Unknown keys are errors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Benchmark {
    title: String,
    origin: String,
    comparison: Comparison,
    run: Vec<Run>,
    wrong: Vec<Wrong>,
    #[serde(skip)]
    name: String,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Comparison {
    Bits,
}

/// One set of arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    name: String,
    arguments: Vec<String>,
    #[serde(default)]
    test: bool,
    #[serde(default)]
    sharp: bool,
    seconds: Option<u64>,
}

/// A serial program with one mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrong {
    name: String,
    /// The runs that it is for; all sharp ones by default.
    runs: Option<Vec<String>>,
    argument: Option<usize>,
    replace: Option<String>,
    with: String,
}

fn main() {
    let arguments = Arguments::from_args();
    let data = std::env::var_os("ACCRS_REAL_DATA").map(PathBuf::from);
    let mut trials = Vec::new();
    for (name, _) in support::cases(&root().join("benchmarks"), "/bench.toml") {
        match load(&name) {
            Ok(benchmark) => add_trials(&mut trials, &Arc::new(benchmark), data.as_deref()),
            Err(error) => trials.push(Trial::test(name, move || Err(error.into()))),
        }
    }
    if trials.is_empty() {
        trials.push(Trial::test("benchmarks", || {
            Err("no benchmarks/NAME/bench.toml".into())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn load(name: &str) -> Result<Benchmark, String> {
    let text = read(&root().join("benchmarks").join(name).join("bench.toml"))?;
    let mut benchmark: Benchmark =
        toml::from_str(&text).map_err(|error| format!("{name}/bench.toml: {error}"))?;
    benchmark.name = name.to_owned();
    let described = !benchmark.title.is_empty() && !benchmark.origin.is_empty();
    let sharp = benchmark.run.iter().any(|run| run.test && run.sharp);
    if !described || !sharp || benchmark.comparison != Comparison::Bits {
        return Err(format!(
            "{name}/bench.toml: title, origin, and a run with `test` and `sharp`"
        ));
    }
    Ok(benchmark)
}

fn add_trials(trials: &mut Vec<Trial>, benchmark: &Arc<Benchmark>, data: Option<&Path>) {
    let shared = benchmark.clone();
    trials.push(Trial::test(
        format!("{}::generated", benchmark.name),
        move || Ok(shared.generated()?),
    ));
    let shared = benchmark.clone();
    trials.push(Trial::test(
        format!("{}::by_make", benchmark.name),
        move || Ok(shared.by_make()?),
    ));
    for index in 0..benchmark.run.len() {
        let run = &benchmark.run[index];
        let real = run
            .arguments
            .iter()
            .any(|argument| argument.contains("{data}"));
        if (!real && !run.test) || (real && data.is_none()) {
            continue;
        }
        let group = if real { "real_data" } else { "run" };
        let name = format!("{}::{group}::{}", benchmark.name, run.name);
        let (shared, folder) = (benchmark.clone(), data.map(Path::to_owned));
        trials.push(Trial::test(name.clone(), move || {
            Ok(shared.same_result(&shared.run[index], folder.as_deref(), &name)?)
        }));
        for wrong in (0..benchmark.wrong.len()).filter(|&w| benchmark.wrong[w].is_for(run)) {
            let (shared, data) = (benchmark.clone(), data.map(Path::to_owned));
            let mistake = &benchmark.wrong[wrong].name;
            let name = format!("{}::sharp::{}::{mistake}", benchmark.name, run.name);
            trials.push(Trial::test(name, move || {
                Ok(shared.told_apart(&shared.run[index], &shared.wrong[wrong], data.as_deref())?)
            }));
        }
    }
}

impl Wrong {
    fn is_for(&self, run: &Run) -> bool {
        let named = |names: &Vec<String>| names.contains(&run.name);
        run.sharp && self.runs.as_ref().is_none_or(named)
    }
}

impl Benchmark {
    fn folder(&self) -> PathBuf {
        root().join("benchmarks").join(&self.name)
    }

    /// The generated files are those of the snapshots, and nvcc accepts the kernels.
    fn generated(&self) -> Result<(), String> {
        let folder = temporary()?;
        let mut translate = command(accrs());
        translate
            .current_dir(self.folder())
            .arg("translate")
            .arg(format!("{}.c", self.name));
        succeed(translate.arg("-o").arg(folder.path()))?;
        for suffix in [".acc.c", ".acc.cu"] {
            let file = folder.path().join(format!("{}{suffix}", self.name));
            let snapshot = format!("benchmarks/{}{suffix}", self.name);
            snapshot::check(&snapshot::folder().join(snapshot), &read(&file)?)?;
        }
        let kernels = folder.path().join(format!("{}.acc.cu", self.name));
        let architectures = if support::full() {
            nvcc::ALL_ARCHITECTURES
        } else {
            &[90]
        };
        nvcc::compile(&kernels, &folder.path().join("kernels.o"), architectures)
    }

    /// What `translate` writes builds with make and a compiler alone, without accrs: for the
    /// emulation, where it computes what the serial form does, and for a GPU.
    fn by_make(&self) -> Result<(), String> {
        let folder = temporary()?;
        let output = folder.path().join("out");
        let mut translate = command(accrs());
        translate
            .arg("translate")
            .arg(self.folder().join(format!("{}.c", self.name)));
        succeed(translate.arg("-o").arg(&output))?;
        let make = |arguments: &[&str]| {
            let mut make = command("make");
            make.current_dir(&output)
                .arg("-j2")
                .arg("-f")
                .arg(format!("{}.acc.mk", self.name));
            succeed(make.args(arguments)).map(drop)
        };
        make(&["DEVICE=emulated"])?;
        let run = self
            .run
            .iter()
            .find(|run| run.test && run.sharp)
            .ok_or("no run to test")?;
        let (expected, actual) = (folder.path().join("expected"), folder.path().join("actual"));
        let serial = self.compile(&self.serial_text()?, folder.path())?;
        succeed(run.pass(&mut command(&serial), None).arg(&expected))?;
        succeed(
            run.pass(&mut command(output.join(&self.name)), None)
                .arg(&actual),
        )?;
        let comparison = compare(&expected, &actual)?;
        if comparison.code() != Some(0) {
            return Err(format!("{}{}", comparison.text(), comparison.stderr));
        }
        make(&["clean"])?;
        make(&[
            "DEVICE=gpu",
            &format!("NVCC={}", nvcc::program()?.display()),
        ])
    }

    /// The OpenACC form computes what the serial form does.
    fn same_result(&self, run: &Run, data: Option<&Path>, name: &str) -> Result<(), String> {
        let folder = temporary()?;
        let (expected, actual) = (folder.path().join("expected"), folder.path().join("actual"));
        let serial = self.compile(&self.serial_text()?, folder.path())?;
        let serial = succeed(run.pass(&mut command(&serial), data).arg(&expected))?;
        self.warm_up()?;
        let mut translated = command(accrs());
        translated
            .arg("run")
            .arg(self.folder().join(format!("{}.c", self.name)))
            .arg("--");
        let translated = succeed(run.pass(&mut translated, data).arg(&actual))?;
        if result_line(&serial)? != result_line(&translated)? {
            return Err(format!("{}{}", serial.text(), translated.text()));
        }
        let comparison = compare(&expected, &actual)?;
        if comparison.code() != Some(0) {
            return Err(format!("{}{}", comparison.text(), comparison.stderr));
        }
        println!(
            "{name}: {:.2} s, {}",
            translated.time.as_secs_f64(),
            time_line(&translated)
        );
        match run.seconds.map(Duration::from_secs) {
            Some(limit) if translated.time > limit => {
                Err(format!("{:?}, of {limit:?} at most", translated.time))
            }
            _ => Ok(()),
        }
    }

    /// Builds the runtime library before anything is timed: it is made once a machine.
    fn warm_up(&self) -> Result<(), String> {
        static DONE: OnceLock<Result<(), String>> = OnceLock::new();
        let small = self
            .run
            .iter()
            .find(|run| run.test)
            .ok_or("no run is marked `test`")?;
        DONE.get_or_init(|| {
            let mut translated = command(accrs());
            translated
                .arg("run")
                .arg(self.folder().join(format!("{}.c", self.name)))
                .arg("--");
            succeed(small.pass(&mut translated, None)).map(drop)
        })
        .clone()
    }

    /// The comparison finds the mistake of a wrong program.
    fn told_apart(&self, run: &Run, wrong: &Wrong, data: Option<&Path>) -> Result<(), String> {
        let folder = temporary()?;
        let (expected, actual) = (folder.path().join("expected"), folder.path().join("actual"));
        let text = self.serial_text()?;
        let right = self.compile(&text, folder.path())?;
        succeed(run.pass(&mut command(&right), data).arg(&expected))?;
        let mut arguments = run.arguments(data);
        let mistaken = match (&wrong.replace, wrong.argument) {
            (Some(piece), None) => {
                if text.matches(piece.as_str()).count() != 1 {
                    return Err(format!(
                        "`{piece}` does not stand in the program exactly once"
                    ));
                }
                self.compile(&text.replace(piece.as_str(), &wrong.with), folder.path())?
            }
            (None, Some(index)) if arguments.get(index).is_some_and(|old| *old != wrong.with) => {
                arguments[index].clone_from(&wrong.with);
                right
            }
            _ => return Err("either `replace`, or `argument` and another value".into()),
        };
        succeed(command(&mistaken).args(arguments).arg(&actual))?;
        let comparison = compare(&expected, &actual)?;
        match comparison.code() {
            Some(1) => Ok(()),
            Some(0) => Err("the mistake goes unseen".into()),
            _ => Err(comparison.stderr),
        }
    }

    fn serial_text(&self) -> Result<String, String> {
        read(&self.folder().join(format!("{}_serial.c", self.name)))
    }

    /// Compiles a serial program as if it lay in the benchmark's folder.
    fn compile(&self, text: &str, folder: &Path) -> Result<PathBuf, String> {
        let file = folder.join("program.c");
        fs::write(&file, text).map_err(|error| error.to_string())?;
        let program = folder.join(format!("program-{}", text.len()));
        let mut gcc = gcc();
        gcc.arg("-iquote")
            .arg(self.folder())
            .arg("-o")
            .arg(&program)
            .arg(&file);
        let outcome = succeed(gcc.arg("-lm"))?;
        if outcome.stderr.is_empty() {
            Ok(program)
        } else {
            Err(outcome.stderr)
        }
    }
}

impl Run {
    fn arguments(&self, data: Option<&Path>) -> Vec<String> {
        let folder = data
            .map(|path| path.display().to_string())
            .unwrap_or_default();
        self.arguments
            .iter()
            .map(|argument| argument.replace("{data}", &folder))
            .collect()
    }

    fn pass<'a>(&self, command: &'a mut Command, data: Option<&Path>) -> &'a mut Command {
        command.args(self.arguments(data))
    }
}

fn gcc() -> Command {
    let mut gcc = command("gcc");
    gcc.args(["-std=c99", "-O2", "-ffp-contract=off", "-Wall", "-Wextra"]);
    gcc
}

fn temporary() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| error.to_string())
}

/// Compares two output files with the program that the benchmarks have for it.
fn compare(expected: &Path, actual: &Path) -> Result<Outcome, String> {
    static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare");
        let source = root().join("benchmarks/common/compare.c");
        succeed(gcc().arg("-o").arg(&program).arg(source).arg("-lm"))?;
        Ok(program)
    };
    let program = PROGRAM.get_or_init(build).as_ref().map_err(Clone::clone)?;
    run(command(program).arg(expected).arg(actual))
}

/// The line that all forms of a program print alike.
fn result_line(outcome: &Outcome) -> Result<String, String> {
    let text = outcome.text();
    let line = text.lines().find(|line| line.contains(": checksum "));
    line.map(str::to_owned)
        .ok_or_else(|| format!("no result line:\n{text}"))
}

/// What the program says of its own time.
fn time_line(outcome: &Outcome) -> String {
    let text = outcome.text();
    text.lines()
        .find(|line| line.starts_with("time "))
        .unwrap_or("no time")
        .to_owned()
}
