//! The benchmark programs: every form of each gives the result of its serial form.
//!
//! The forms are the C files `NAME.c` and `NAME_FORM.c` of `benchmarks/NAME`, and those in CUDA,
//! `NAME_FORM.cu` and `NAME_FORM.mcu`; any of them may be missing but the serial one. Each is built by `accrs cc` as it is and with the macros of each `build` that `bench.toml` lists for it. For every
//! run marked `test` the serial form, compiled by the C compiler alone, and each build, in three
//! schedules of the emulation, write all values they computed, and the files are compared by
//! `benchmarks/common/compare.c`, bit for bit: the emulation has the serial form's math library. For
//! the runs marked `sharp` the comparison, with the bound that a run has for other libraries, must
//! tell each wrong program of the list from the right one; each form runs one of them under
//! `accrs check --dynamic` without a finding. The generated files are compared with their
//! snapshots and the kernels, and the forms in CUDA, compiled by nvcc. `NAME_omp.c`, by hand for the
//! host's cores, is compiled by the C compiler. A form with directives of
//! hiCUDA is right where a C compiler passes them over, too.
//!
//! Runs of `accrs run` on Rodinia's own files are added where `ACCRS_REAL_DATA` names their folder
//! (`tests/real-data` sets it); a file that is missing there is a failure.

#![allow(
    clippy::print_stdout,
    reason = "the times of the runs are part of the report"
)]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use serde::Deserialize;
use support::process::{Outcome, command, run, succeed};
use support::serial::{Wrong, gcc};
use support::{accrs, nvcc, read, root, snapshot};

/// The orders of blocks and threads that every build runs in.
const SCHEDULES: &[&str] = &["forward", "reverse", "20260117"];

/// The benchmark that is always built by make: nvcc takes most of a minute for the runtime that
/// comes with it.
const BUILT_BY_MAKE: &str = "hotspot";

/// What the plain form is called with the windows that accrs adds.
const AUTOMATIC: &str = "_auto";

/// The kernels that nvcc compiles together.
static GROUPS: OnceLock<nvcc::Groups> = OnceLock::new();

/// The snapshots of all kernels of forms in C, which have a host program beside them.
fn snapshots_of_c() -> Vec<PathBuf> {
    let mut all = support::files_below(&snapshot::folder().join("benchmarks"));
    all.retain(|path| {
        let name = path.to_string_lossy();
        let kernels = name.strip_suffix(".acc.cu");
        kernels.is_some_and(|stem| Path::new(&format!("{stem}.acc.c")).is_file())
    });
    all
}

/// A benchmark as its `bench.toml` describes it. Unknown keys are errors.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Benchmark {
    title: String,
    origin: String,
    comparison: Comparison,
    run: Vec<Run>,
    wrong: Vec<Wrong>,
    /// C files that every form is linked with.
    #[serde(default)]
    files: Vec<PathBuf>,
    #[serde(default)]
    build: Vec<Build>,
    /// Automatic windows are profitable in the plain form: `NAME_auto` has them.
    #[serde(default)]
    automatic: bool,
    /// Macros with the values that `accrs bench --vary` builds with, besides the default.
    #[serde(default)]
    vary: BTreeMap<String, Vec<u32>>,
    /// The suites that it is after, with its name there: for the harness.
    #[serde(default, rename = "suite")]
    _suite: BTreeMap<String, String>,
    #[serde(skip)]
    name: String,
    /// The stems of the files but the serial one, `NAME` among them.
    #[serde(skip)]
    forms: Vec<String>,
    #[serde(skip)]
    serial: OnceLock<Result<Serial, String>>,
}

/// The serial program, in a folder that goes with it.
struct Serial {
    program: PathBuf,
    _folder: tempfile::TempDir,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Comparison {
    Bits,
    /// Where the math library is another than the serial form's, values are apart by `within` of
    /// the run at most.
    Within,
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
    /// The forms to test with it; all by default.
    forms: Option<Vec<String>>,
    seconds: Option<u64>,
    /// Bytes that kernels move at least, and their operations: for the harness.
    moves: Option<u64>,
    operations: Option<u64>,
    within: Option<f64>,
}

/// Macros to build a form with besides its defaults.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Build {
    /// The stem of its file.
    form: String,
    define: Vec<String>,
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
    trials.push(Trial::test("common::limits", || Ok(limits()?)));
    if trials.len() == 1 {
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
    benchmark.forms = forms(name);
    benchmark
        .forms
        .extend(benchmark.automatic.then(|| format!("{name}{AUTOMATIC}")));
    for build in &benchmark.build {
        if !benchmark.forms.contains(&build.form) || build.define.is_empty() {
            return Err(format!(
                "{name}/bench.toml: a build of `{}`, which is no form, or without macros",
                build.form
            ));
        }
    }
    let has_macro = |name: &str| {
        benchmark.forms.iter().any(|form| {
            let folder = root().join("benchmarks").join(&benchmark.name);
            let text = read(&folder.join(format!("{form}.c")));
            text.is_ok_and(|text| text.contains(&format!("#ifndef {name}\n")))
        })
    };
    if let Some(name) = benchmark.vary.keys().find(|name| !has_macro(name)) {
        return Err(format!(
            "{}/bench.toml: `vary` has `{name}`, a macro of no form in C",
            benchmark.name
        ));
    }
    let described = !benchmark.title.is_empty() && !benchmark.origin.is_empty();
    let sharp = benchmark.run.iter().any(|run| run.test && run.sharp);
    if !described || !sharp {
        return Err(format!(
            "{name}/bench.toml: title, origin, and a run with `test` and `sharp`"
        ));
    }
    let is_bounded = benchmark.comparison == Comparison::Within;
    let agrees = |run: &Run| match run.within {
        Some(bound) => is_bounded && bound > 0.0,
        None => !is_bounded,
    };
    if !benchmark.run.iter().all(agrees) {
        return Err(format!(
            "{name}/bench.toml: `comparison` and `within` of the runs disagree"
        ));
    }
    let is_zero = |run: &Run| run.moves == Some(0) || run.operations == Some(0);
    if benchmark.run.iter().any(is_zero) {
        return Err(format!(
            "{name}/bench.toml: a run moves or computes nothing"
        ));
    }
    if benchmark.wrong.is_empty() || benchmark.forms.is_empty() {
        return Err(format!(
            "{name}: a wrong program, and a form besides the serial one"
        ));
    }
    Ok(benchmark)
}

/// Whether the C compiler alone builds a form.
fn is_of_c_compiler(stem: &str) -> bool {
    stem.ends_with("_serial") || stem.ends_with("_omp")
}

/// The forms of a benchmark that accrs builds: the stems of `NAME.c`, `NAME_FORM.c`,
/// `NAME_FORM.cu` and `NAME_FORM.mcu`.
fn forms(name: &str) -> Vec<String> {
    let prefix = format!("{name}_");
    let folder = root().join("benchmarks").join(name);
    [".c", ".cu", ".mcu"]
        .into_iter()
        .flat_map(|suffix| support::cases(&folder, suffix))
        .map(|(stem, _)| stem)
        .filter(|stem| stem == name || stem.starts_with(&prefix))
        .filter(|stem| !is_of_c_compiler(stem))
        .collect()
}

fn add_trials(trials: &mut Vec<Trial>, benchmark: &Arc<Benchmark>, data: Option<&Path>) {
    for form in benchmark.forms.clone() {
        let name = format!("{}::generated::{form}", benchmark.name);
        let shared = benchmark.clone();
        trials.push(Trial::test(name, move || Ok(shared.generated(&form)?)));
    }
    let is_plain = benchmark.forms.contains(&benchmark.name);
    if benchmark.name == BUILT_BY_MAKE || (is_plain && support::full()) {
        let name = format!("{}::by_make", benchmark.name);
        let shared = benchmark.clone();
        trials.push(Trial::test(name, move || Ok(shared.by_make()?)));
    }
    if benchmark.openmp().is_file() {
        let shared = benchmark.clone();
        let name = format!("{}::by_hand_for_cores", benchmark.name);
        trials.push(Trial::test(name, move || Ok(shared.by_hand_for_cores()?)));
    }
    let shared = benchmark.clone();
    trials.push(Trial::test(
        format!("{}::arguments", benchmark.name),
        move || Ok(shared.arguments()?),
    ));
    for form in benchmark
        .forms
        .clone()
        .into_iter()
        .filter(|form| benchmark.is_hicuda(form))
    {
        let name = format!("{}::passed_over::{form}", benchmark.name);
        let shared = benchmark.clone();
        trials.push(Trial::test(name, move || Ok(shared.passed_over(&form)?)));
    }
    for form in benchmark.forms.clone() {
        let name = format!("{}::checked::{form}", benchmark.name);
        let shared = benchmark.clone();
        trials.push(Trial::test(name, move || Ok(shared.checked(&form)?)));
    }
    for build in benchmark.builds() {
        let name = format!("{}::equal::{}", benchmark.name, build.name());
        let shared = benchmark.clone();
        trials.push(Trial::test(name, move || Ok(shared.equal(&build)?)));
    }
    for index in 0..benchmark.run.len() {
        let run = &benchmark.run[index];
        let real = run
            .arguments
            .iter()
            .any(|argument| argument.contains("{data}"));
        if (!real && !run.test) || (real && data.is_none()) {
            continue;
        }
        if let (true, Some(folder)) = (real, data) {
            let name = format!("{}::real_data::{}", benchmark.name, run.name);
            let (shared, folder) = (benchmark.clone(), folder.to_owned());
            trials.push(Trial::test(name.clone(), move || {
                Ok(shared.real_data(&shared.run[index], &folder, &name)?)
            }));
        }
        for wrong in (0..benchmark.wrong.len())
            .filter(|&w| run.sharp && benchmark.wrong[w].is_for(&run.name))
        {
            let (shared, data) = (benchmark.clone(), data.map(Path::to_owned));
            let mistake = &benchmark.wrong[wrong].name;
            let name = format!("{}::sharp::{}::{mistake}", benchmark.name, run.name);
            trials.push(Trial::test(name, move || {
                Ok(shared.told_apart(&shared.run[index], &shared.wrong[wrong], data.as_deref())?)
            }));
        }
    }
}

impl Build {
    /// What it is called in the name of its test.
    fn name(&self) -> String {
        let mut words = vec![self.form.clone()];
        words.extend(self.define.iter().cloned());
        words.join(" ")
    }
}

impl Benchmark {
    fn folder(&self) -> PathBuf {
        root().join("benchmarks").join(&self.name)
    }

    /// Which windows a form has.
    fn windows(&self, form: &str) -> &'static str {
        match form == self.name.clone() + AUTOMATIC {
            true => "--windows=automatic",
            false => "--windows=directives",
        }
    }

    /// The file of a form.
    fn file(&self, form: &str) -> PathBuf {
        let form = form.strip_suffix(AUTOMATIC).unwrap_or(form);
        let of = |suffix: &str| self.folder().join(format!("{form}.{suffix}"));
        let mut cuda = ["cu", "mcu"].into_iter().map(of);
        cuda.find(|file| file.is_file()).unwrap_or_else(|| of("c"))
    }

    /// Whether a form has directives of hiCUDA.
    fn is_hicuda(&self, form: &str) -> bool {
        read(&self.file(form)).is_ok_and(|text| text.contains("#pragma hicuda "))
    }

    /// A form whose directives the C compiler passes over computes what the serial form does.
    fn passed_over(&self, form: &str) -> Result<(), String> {
        let folder = temporary()?;
        let program = self.compile(&read(&self.file(form))?, folder.path())?;
        let (expected, actual) = (folder.path().join("expected"), folder.path().join("actual"));
        for run in self.run.iter().filter(|run| run.is_for(form)) {
            let serial = succeed(run.pass(&mut command(self.serial()?), None).arg(&expected))?;
            let own = succeed(run.pass(&mut command(&program), None).arg(&actual))?;
            same_line(&serial, &own)?;
            same_values(&expected, &actual)?;
        }
        Ok(())
    }

    /// Each form with its defaults, then the builds of the list.
    fn builds(&self) -> Vec<Build> {
        let defaults = self.forms.iter().map(|form| Build {
            form: form.clone(),
            define: Vec::new(),
        });
        defaults.chain(self.build.iter().cloned()).collect()
    }

    /// The generated files are those of the snapshots, and nvcc accepts the kernels; of a form in
    /// CUDA without directives the file itself.
    fn generated(&self, form: &str) -> Result<(), String> {
        let folder = temporary()?;
        let object = folder.path().join("kernels.o");
        let architectures = if support::full() {
            nvcc::ALL_ARCHITECTURES
        } else {
            &[90]
        };
        let file = self.file(form);
        let has_suffix = |suffix: &str| file.extension().is_some_and(|own| own == suffix);
        let is_cuda = has_suffix("cu") || has_suffix("mcu");
        let folders = [self.folder(), root().join("benchmarks/common")];
        if has_suffix("cu") && !read(&file)?.contains("#pragma AUTO-CTA") {
            return nvcc::compile_with(&file, &folders, &object, architectures);
        }
        let mut translate = command(accrs());
        translate
            .current_dir(self.folder())
            .args(["translate", self.windows(form)])
            .args(file.file_name());
        succeed(translate.arg("-o").arg(folder.path()))?;
        let stem = form.strip_suffix(AUTOMATIC).unwrap_or(form);
        let suffixes = [".acc.cu", ".acc.c"];
        for suffix in &suffixes[..if is_cuda { 1 } else { 2 }] {
            let file = folder.path().join(format!("{stem}{suffix}"));
            let snapshot = format!("benchmarks/{form}{suffix}");
            let own = snapshot::without_runtimes(&read(&file)?);
            snapshot::check(&snapshot::folder().join(snapshot), &own)?;
        }
        let kernels = folder.path().join(format!("{stem}.acc.cu"));
        if is_cuda {
            return nvcc::compile_with(&kernels, &folders, &object, architectures);
        }
        let groups = GROUPS.get_or_init(|| nvcc::Groups::new(&snapshots_of_c()));
        let snapshot = snapshot::folder().join(format!("benchmarks/{form}.acc.cu"));
        groups.compile(&snapshot, &object, architectures)?;
        nvcc::compile(&kernels, &object, architectures)
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
        let serial = self.serial()?;
        succeed(run.pass(&mut command(serial), None).arg(&expected))?;
        succeed(
            run.pass(&mut command(output.join(&self.name)), None)
                .arg(&actual),
        )?;
        same_values(&expected, &actual)?;
        make(&["clean"])?;
        make(&[
            "DEVICE=gpu",
            &format!("NVCC={}", nvcc::program()?.display()),
        ])
    }

    /// Wrong arguments end the program with a line that says what is wrong.
    fn arguments(&self) -> Result<(), String> {
        let program = self.serial()?;
        let right = &self.run.first().ok_or("no run")?.arguments;
        let with = |index: usize, value: &str| {
            let mut wrong = right.clone();
            wrong[index] = value.to_owned();
            wrong
        };
        let many = [right.as_slice(), &["o".to_owned(), "p".to_owned()]].concat();
        let mut cases = vec![
            (Vec::new(), "usage: "),
            (right[1..].to_vec(), "usage: "),
            (many, "usage: "),
        ];
        for (index, argument) in right.iter().enumerate() {
            if argument.parse::<i64>().is_ok() {
                for value in ["-1", "4x", "99999999999999999999", ""] {
                    cases.push((with(index, value), "must be a number from"));
                }
            }
        }
        for (arguments, expected) in cases {
            let outcome = run(command(program).args(&arguments))?;
            let one_line = outcome.stderr.lines().count() == 1 && outcome.stdout.is_empty();
            if outcome.code() != Some(1) || !one_line || !outcome.stderr.contains(expected) {
                return Err(format!("{arguments:?}: {outcome:?}, expected `{expected}`"));
            }
        }
        Ok(())
    }

    /// The form with OpenMP's directives.
    fn openmp(&self) -> PathBuf {
        self.folder().join(format!("{}_omp.c", self.name))
    }

    /// It computes what the serial form does.
    fn by_hand_for_cores(&self) -> Result<(), String> {
        let folder = temporary()?;
        let program = folder.path().join("program");
        let mut gcc = gcc("c99");
        gcc.args(["-O2", "-fopenmp", "-o"]).arg(&program);
        succeed(gcc.arg(self.openmp()).args(self.files()).arg("-lm"))?;
        let (expected, actual) = (folder.path().join("expected"), folder.path().join("actual"));
        for run in self.run.iter().filter(|run| run.test) {
            let serial = succeed(run.pass(&mut command(self.serial()?), None).arg(&expected))?;
            let mut on_cores = command(&program);
            on_cores.env("OMP_NUM_THREADS", "4");
            let own = succeed(run.pass(&mut on_cores, None).arg(&actual))?;
            same_line(&serial, &own)?;
            same_values(&expected, &actual)?;
        }
        Ok(())
    }

    /// A build computes what the serial form does, in every run and every schedule, and the plain
    /// form on four cores of the host.
    fn equal(&self, build: &Build) -> Result<(), String> {
        let folder = temporary()?;
        let program = folder.path().join(&build.form);
        let orders = SCHEDULES
            .iter()
            .map(|order| vec![("ACCRS_SCHEDULE", *order)]);
        let mut devices: Vec<_> = orders.collect();
        let mut cc = command(accrs());
        cc.args(["cc", "-std=c99", "-O2", self.windows(&build.form)]);
        if build.form == self.name && build.define.is_empty() {
            cc.args(["--multicore", "--device=emulated"]);
            devices.push(vec![
                ("ACC_DEVICE_TYPE", "multicore"),
                ("OMP_NUM_THREADS", "4"),
            ]);
        }
        cc.args(
            build
                .define
                .iter()
                .map(|definition| format!("-D{definition}")),
        )
        .arg("-o")
        .arg(&program)
        .arg(self.file(&build.form))
        .args(self.files());
        succeed(cc.arg("-lm"))?;
        let serial = self.serial()?;
        let (expected, actual) = (folder.path().join("expected"), folder.path().join("actual"));
        for run in self.run.iter().filter(|run| run.is_for(&build.form)) {
            let serial = succeed(run.pass(&mut command(serial), None).arg(&expected))?;
            for variables in &devices {
                let mut translated = command(&program);
                translated.envs(variables.iter().copied());
                succeed(run.pass(&mut translated, None).arg(&actual))
                    .and_then(|translated| same_line(&serial, &translated))
                    .and_then(|()| same_values(&expected, &actual))
                    .map_err(|error| format!("{}, {variables:?}: {error}", run.name))?;
            }
        }
        Ok(())
    }

    /// A form runs under the checks without a finding.
    fn checked(&self, form: &str) -> Result<(), String> {
        let run = (self.run.iter())
            .find(|run| run.sharp && run.is_for(form))
            .ok_or("no run to check")?;
        let mut check = command(accrs());
        check
            .args(["check", "--dynamic", self.windows(form)])
            .arg(self.file(form))
            .args(self.files())
            .arg("--");
        let outcome = succeed(run.pass(&mut check, None))?;
        if outcome.stderr.contains("error") {
            return Err(outcome.stderr);
        }
        Ok(())
    }

    /// The OpenACC form under `accrs run` computes what the serial form does on Rodinia's files.
    fn real_data(&self, run: &Run, data: &Path, name: &str) -> Result<(), String> {
        let folder = temporary()?;
        let (expected, actual) = (folder.path().join("expected"), folder.path().join("actual"));
        let serial = self.serial()?;
        let serial = succeed(run.pass(&mut command(serial), Some(data)).arg(&expected))?;
        self.warm_up()?;
        let mut translated = command(accrs());
        translated
            .arg("run")
            .arg(self.folder().join(format!("{}.c", self.name)))
            .arg("--");
        let translated = succeed(run.pass(&mut translated, Some(data)).arg(&actual))?;
        same_line(&serial, &translated)?;
        same_values(&expected, &actual)?;
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
        succeed(run.pass(&mut command(self.serial()?), data).arg(&expected))?;
        let mut text = match &wrong.file {
            Some(file) => read(&self.folder().join(file))?,
            None => self.serial_text()?,
        };
        let mut arguments = run.arguments(data);
        wrong.make(&mut text, &mut arguments)?;
        let mistaken = match (wrong.argument, &wrong.file) {
            (Some(_), _) => self.serial()?,
            (None, None) => &self.compile(&text, folder.path())?,
            (None, Some(file)) => {
                let changed = folder.path().join(file);
                fs::write(changed, text).map_err(|error| error.to_string())?;
                &self.compile(&self.serial_text()?, folder.path())?
            }
        };
        succeed(command(mistaken).args(arguments).arg(&actual))?;
        let comparison = compare(&expected, &actual, run.within)?;
        match comparison.code() {
            Some(1) => Ok(()),
            Some(0) => Err("the mistake goes unseen".into()),
            _ => Err(comparison.stderr),
        }
    }

    /// The serial program, compiled once.
    fn serial(&self) -> Result<&Path, String> {
        let build = || {
            let folder = temporary()?;
            let program = self.compile(&self.serial_text()?, folder.path())?;
            Ok(Serial {
                program,
                _folder: folder,
            })
        };
        let serial = self.serial.get_or_init(build);
        serial
            .as_ref()
            .map(|serial| serial.program.as_path())
            .map_err(Clone::clone)
    }

    fn serial_text(&self) -> Result<String, String> {
        read(&self.folder().join(format!("{}_serial.c", self.name)))
    }

    /// The C files that every form is linked with.
    fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| self.folder().join(file))
    }

    /// Compiles a serial program as if it lay in the benchmark's folder, but for other files that
    /// lie in `folder`.
    fn compile(&self, text: &str, folder: &Path) -> Result<PathBuf, String> {
        let file = folder.join("program.c");
        fs::write(&file, text).map_err(|error| error.to_string())?;
        let program = folder.join("program");
        let mut gcc = gcc("c99");
        gcc.arg("-Wno-unknown-pragmas")
            .arg("-iquote")
            .arg(self.folder())
            .arg("-o")
            .arg(&program)
            .arg(&file)
            .args(self.files.iter().map(|other| {
                let changed = folder.join(other);
                match changed.is_file() {
                    true => changed,
                    false => self.folder().join(other),
                }
            }));
        let outcome = succeed(gcc.arg("-lm"))?;
        if outcome.stderr.is_empty() {
            Ok(program)
        } else {
            Err(outcome.stderr)
        }
    }
}

impl Run {
    fn is_for(&self, form: &str) -> bool {
        let named = |forms: &Vec<String>| forms.iter().any(|name| name == form);
        self.test && self.forms.as_ref().is_none_or(named)
    }

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

/// The program that measures a GPU is CUDA, and runs on the emulation.
fn limits() -> Result<(), String> {
    let common = root().join("benchmarks/common");
    let file = common.join("limits.cu");
    let folder = temporary()?;
    let object = folder.path().join("limits.o");
    nvcc::compile_with(&file, &[common], &object, &[90])?;
    let mut small = command(accrs());
    small.arg("run").arg(&file).args(["--", "65536", "16"]);
    let outcome = succeed(&mut small)?;
    match outcome.text().strip_prefix("copy 131072 ") {
        Some(_) => Ok(()),
        None => Err(format!("{outcome:?}")),
    }
}

fn temporary() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| error.to_string())
}

/// Compares two output files with the program that the benchmarks have for it: values are equal bit
/// for bit, or no further apart than a bound.
fn compare(expected: &Path, actual: &Path, within: Option<f64>) -> Result<Outcome, String> {
    static PROGRAM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let build = || {
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare");
        let source = root().join("benchmarks/common/compare.c");
        succeed(gcc("c99").arg("-o").arg(&program).arg(source).arg("-lm"))?;
        Ok(program)
    };
    let program = PROGRAM.get_or_init(build).as_ref().map_err(Clone::clone)?;
    let bound = within.map(|bound| bound.to_string());
    run(command(program).arg(expected).arg(actual).args(bound))
}

/// All values of two output files are equal.
fn same_values(expected: &Path, actual: &Path) -> Result<(), String> {
    let comparison = compare(expected, actual, None)?;
    match comparison.code() {
        Some(0) => Ok(()),
        _ => Err(format!("{}{}", comparison.text(), comparison.stderr)),
    }
}

/// Two forms print the same result line.
fn same_line(serial: &Outcome, translated: &Outcome) -> Result<(), String> {
    if result_line(serial)? == result_line(translated)? {
        Ok(())
    } else {
        Err(format!("{}{}", serial.text(), translated.text()))
    }
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
