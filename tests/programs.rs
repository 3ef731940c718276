//! Programs as people write them: each computes what a serial program does, and moves no more data
//! than its clauses ask for.
//!
//! A program is a folder `tests/programs/NAME` with C files, a `program.toml`, and
//!
//! - `oracle.c`, the same results by other code, with no directive. Where there is a Makefile, the
//!   program is its own oracle: built by it with `CC=gcc`, directives ignored;
//! - `ledger.c`, which prints for the arguments of a run and its right results all transfers and
//!   launches that the directives ask for (`support::trace`).
//!
//! Program and oracle take the same arguments and write their results to the file named last, and
//! to others in `{folder}`: integers, and `%a` floats. Tests are
//!
//! | | |
//! |---|---|
//! | `generated` | every file with directives is translated, and nvcc takes its kernels |
//! | `equal` | built by `accrs cc` or make without a word, three schedules, value by value |
//! | `ledger` | transfers and launches of the trace are those of the ledger |
//! | `checked` | no finding under `accrs check --dynamic`, no difference under `--compare` |
//! | `unified` | built for unified memory: value by value, and nothing is copied |
//! | `sharp` | the comparison tells each wrong program of the list from the right one |

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Trial};
use serde::Deserialize;
use support::compare::{self, Tolerance};
use support::process::{Outcome, build, command, succeed};
use support::serial::{Wrong, gcc};
use support::trace::Ledger;
use support::{accrs, nvcc, read, root};

/// The orders of blocks and threads that every program runs in.
const SCHEDULES: &[&str] = &["forward", "reverse", "20260117"];

/// The compiler for which directives are comments.
const SERIAL: &str = "gcc -Wno-unknown-pragmas";

/// A program as its `program.toml` describes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    title: String,
    /// How far results may be apart, and why; not at all by default.
    tolerance: Option<String>,
    /// It has more lines of C than these, in files and headers of its own.
    #[serde(default)]
    lines: usize,
    /// Where its Makefile puts the program.
    #[serde(default)]
    binary: Option<String>,
    /// What the checks are to allow.
    #[serde(default)]
    allow: Vec<String>,
    run: Vec<Run>,
    wrong: Vec<Wrong>,
    #[serde(skip)]
    name: String,
    /// Built when the first test needs it.
    #[serde(skip)]
    built: OnceLock<Result<Built, String>>,
}

/// One set of arguments, without the output file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    name: String,
    arguments: Vec<String>,
    /// The wrong programs must be found with it.
    #[serde(default)]
    sharp: bool,
    /// It also runs under the checks.
    #[serde(default)]
    checked: bool,
}

/// The executables of a program.
struct Built {
    folder: tempfile::TempDir,
    translated: PathBuf,
    oracle: PathBuf,
    ledger: PathBuf,
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for (name, _) in support::cases(&root().join("tests/programs"), "/program.toml") {
        match load(&name) {
            Ok(program) => add_trials(&mut trials, &Arc::new(program)),
            Err(error) => trials.push(Trial::test(name, move || Err(error.into()))),
        }
    }
    if trials.is_empty() {
        trials.push(Trial::test("programs", || {
            Err("no tests/programs/NAME/program.toml".into())
        }));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn load(name: &str) -> Result<Program, String> {
    let text = read(
        &root()
            .join("tests/programs")
            .join(name)
            .join("program.toml"),
    )?;
    let mut program: Program =
        toml::from_str(&text).map_err(|error| format!("{name}/program.toml: {error}"))?;
    program.name = name.to_owned();
    program.tolerance()?;
    let sharp = program.run.iter().any(|run| run.sharp) && !program.wrong.is_empty();
    let checked = program.run.iter().any(|run| run.checked);
    if program.title.is_empty() || !sharp || !checked {
        return Err(format!(
            "{name}/program.toml: a title, a wrong program, a run with `sharp`, one with `checked`"
        ));
    }
    let lines = program.count_lines()?;
    if lines <= program.lines {
        return Err(format!("{name}: {lines} lines of C"));
    }
    Ok(program)
}

/// What is tested of a program.
type Test = Box<dyn FnOnce(&Program) -> Result<(), String> + Send>;

fn add_trials(trials: &mut Vec<Trial>, program: &Arc<Program>) {
    let mut add = |name: String, test: Test| {
        let shared = program.clone();
        let name = format!("{}::{name}", program.name);
        trials.push(Trial::test(name, move || Ok(test(&shared)?)));
    };
    add("generated".into(), Box::new(Program::generated));
    for index in 0..program.run.len() {
        let run = &program.run[index];
        add(
            format!("equal::{}", run.name),
            Box::new(move |program| program.equal(&program.run[index])),
        );
        add(
            format!("ledger::{}", run.name),
            Box::new(move |program| program.ledger(&program.run[index])),
        );
        if run.checked {
            add(
                format!("checked::{}", run.name),
                Box::new(move |program| program.checked(&program.run[index])),
            );
            add(
                format!("unified::{}", run.name),
                Box::new(move |program| program.unified(&program.run[index])),
            );
        }
        let wrong = |&wrong: &usize| run.sharp && program.wrong[wrong].is_for(&run.name);
        for wrong in (0..program.wrong.len()).filter(wrong) {
            add(
                format!("sharp::{}::{}", run.name, program.wrong[wrong].name),
                Box::new(move |program| {
                    program.told_apart(&program.run[index], &program.wrong[wrong])
                }),
            );
        }
    }
}

impl Program {
    fn folder(&self) -> PathBuf {
        root().join("tests/programs").join(&self.name)
    }

    fn tolerance(&self) -> Result<Tolerance, String> {
        let stated = self.tolerance.as_deref();
        stated.map_or(Ok(Tolerance::Exact), Tolerance::parse)
    }

    /// The C files of the program itself.
    fn sources(&self) -> Vec<PathBuf> {
        let own = ["oracle.c", "ledger.c"].map(|name| self.folder().join(name));
        let files = support::cases(&self.folder(), ".c").into_iter();
        files
            .map(|(_, path)| path)
            .filter(|path| !own.contains(path))
            .collect()
    }

    /// The lines of its sources and headers.
    fn count_lines(&self) -> Result<usize, String> {
        let headers = support::cases(&self.folder(), ".h").into_iter();
        let files = headers.map(|(_, path)| path).chain(self.sources());
        files.map(|path| Ok(read(&path)?.lines().count())).sum()
    }

    /// The folders that its headers are in.
    fn include(&self) -> Vec<String> {
        let headers = support::cases(&self.folder(), ".h").into_iter();
        let mut folders: Vec<String> = headers
            .filter_map(|(_, path)| Some(format!("-I{}", path.parent()?.display())))
            .collect();
        folders.dedup();
        folders
    }

    // Building

    fn built(&self) -> Result<&Built, String> {
        let built = self.built.get_or_init(|| self.build());
        built.as_ref().map_err(Clone::clone)
    }

    fn build(&self) -> Result<Built, String> {
        let folder = temporary()?;
        let ledger = folder.path().join("ledger");
        let mut compile = gcc("c11");
        compile.arg("-I").arg(root().join("tests/programs"));
        compile.arg("-o").arg(&ledger);
        silent(succeed(compile.arg(self.folder().join("ledger.c")))?)?;
        let translated = folder.path().join("translated");
        self.translate(&translated, &[])?;
        let (translated, oracle) = if let Some(binary) = &self.binary {
            let serial = folder.path().join("serial");
            self.make(&serial, SERIAL)?;
            (translated.join(binary), serial.join(binary))
        } else {
            let text = read(&self.folder().join("oracle.c"))?;
            (translated, oracle(&text, folder.path())?)
        };
        Ok(Built {
            folder,
            translated,
            oracle,
            ledger,
        })
    }

    /// Builds it by `accrs cc`: a folder with a Makefile, or else the program itself.
    fn translate(&self, target: &Path, options: &[&str]) -> Result<(), String> {
        if self.binary.is_some() {
            let compiler = format!("{} cc {}", accrs().display(), options.join(" "));
            return self.make(target, &compiler);
        }
        let mut cc = command(accrs());
        cc.args(["cc", "-std=c11", "-O2", "-ffp-contract=off"]);
        cc.args(options);
        cc.args(["-Wall", "-Wextra", "-o"]).arg(target);
        silent(build(cc.args(self.sources()).arg("-lm"))?)
    }

    /// Copies the program to a folder and builds it there.
    fn make(&self, folder: &Path, compiler: &str) -> Result<(), String> {
        for path in support::files_below(&self.folder()) {
            let relative = path.strip_prefix(self.folder());
            let copy = folder.join(relative.map_err(|error| error.to_string())?);
            let parent = copy.parent().ok_or("a file lies in a folder")?;
            fs::create_dir_all(parent).map_err(|error| error.to_string())?;
            fs::copy(&path, &copy).map_err(|error| error.to_string())?;
        }
        make(folder, compiler)
    }

    // Tests

    /// Every file with directives is translated, and nvcc takes its kernels.
    fn generated(&self) -> Result<(), String> {
        let folder = temporary()?;
        let mut kernels = 0;
        for source in self.sources() {
            if !read(&source)?.contains("#pragma acc") {
                continue;
            }
            let mut translate = command(accrs());
            translate.arg("translate").arg(&source).args(self.include());
            silent(succeed(translate.arg("-o").arg(folder.path()))?)?;
            let stem = source.file_stem().ok_or("a C file has a name")?;
            let file = folder.path().join(stem).with_extension("acc.cu");
            let text = read(&file)?;
            kernels += text.matches("__global__").count();
            nvcc::compile(&file, &folder.path().join("kernels.o"), &[90])?;
        }
        if kernels == 0 {
            return Err("no kernel in any file".into());
        }
        Ok(())
    }

    /// The program computes what the oracle does, in every schedule.
    fn equal(&self, run: &Run) -> Result<(), String> {
        let built = self.built()?;
        let expected = run.results(&mut command(&built.oracle))?;
        for schedule in SCHEDULES {
            let mut translated = command(&built.translated);
            translated.env("ACCRS_SCHEDULE", schedule);
            let actual = run.results(&mut translated)?;
            compare::outputs(&expected, &actual, self.tolerance()?)
                .map_err(|error| format!("schedule {schedule}: {error}"))?;
        }
        Ok(())
    }

    /// Transfers and launches are those that the directives ask for, no more and no less.
    fn ledger(&self, run: &Run) -> Result<(), String> {
        let built = self.built()?;
        let folder = temporary()?;
        let results = folder.path().join("results");
        succeed(
            command(&built.oracle)
                .args(run.arguments(folder.path()))
                .arg(&results),
        )?;
        let mut ledger = command(&built.ledger);
        let expected = succeed(ledger.args(run.arguments(folder.path())).arg(&results))?;
        let mut traced = command(&built.translated);
        traced.env("ACCRS_TRACE", "1");
        traced.args(run.arguments(folder.path()));
        let traced = succeed(traced.arg(folder.path().join("output")))?;
        Ledger::expected(&expected.text())?.compare(&Ledger::traced(&traced.stderr)?)
    }

    /// The same values where kernels use the host's memory, and no allocation or copy.
    fn unified(&self, run: &Run) -> Result<(), String> {
        let folder = temporary()?;
        let target = folder.path().join("unified");
        self.translate(&target, &["--memory=unified"])?;
        let program = self
            .binary
            .as_ref()
            .map_or(target.clone(), |b| target.join(b));
        let expected = run.results(&mut command(&self.built()?.oracle))?;
        let actual = run.results(&mut command(&program))?;
        compare::outputs(&expected, &actual, self.tolerance()?)?;
        let mut traced = command(&program);
        traced.env("ACCRS_TRACE", "1");
        traced.args(run.arguments(folder.path()));
        let traced = succeed(traced.arg(folder.path().join("output")))?;
        let is_copy = |line: &&str| !line.starts_with("accrs trace: launch ");
        match traced.stderr.lines().find(is_copy) {
            Some(line) => Err(format!("in unified memory: {line}")),
            None => Ok(()),
        }
    }

    /// The program runs under the checks without a finding.
    fn checked(&self, run: &Run) -> Result<(), String> {
        let folder = temporary()?;
        let mut check = command(accrs());
        check.args(["check", "--dynamic", "--compare"]);
        for what in &self.allow {
            check.args(["--allow", what]);
        }
        check.args(self.sources()).args(self.include()).arg("--");
        check.args(run.arguments(folder.path()));
        silent(build(check.arg(folder.path().join("output")))?)
    }

    /// The comparison finds the mistake of a wrong program.
    fn told_apart(&self, run: &Run, wrong: &Wrong) -> Result<(), String> {
        let built = self.built()?;
        let expected = run.results(&mut command(&built.oracle))?;
        let folder = temporary()?;
        let mut mistaken = Run {
            name: run.name.clone(),
            arguments: run.arguments.clone(),
            ..*run
        };
        let file = wrong.file.as_deref().unwrap_or("oracle.c");
        let mut text = if wrong.replace.is_some() {
            read(&self.folder().join(file))?
        } else {
            String::new()
        };
        wrong.make(&mut text, &mut mistaken.arguments)?;
        let program = match (&wrong.replace, &self.binary) {
            (None, _) => built.oracle.clone(),
            (Some(_), None) => oracle(&text, folder.path())?,
            (Some(_), Some(binary)) => {
                // Beside what is built: make compiles the one file that is newer.
                let serial = folder.path().join("serial");
                let from = built.folder.path().join("serial");
                succeed(command("cp").arg("-a").arg(&from).arg(&serial))?;
                fs::write(serial.join(file), &text).map_err(|error| error.to_string())?;
                make(&serial, SERIAL)?;
                serial.join(binary)
            }
        };
        let actual = mistaken.results(&mut command(&program))?;
        match compare::outputs(&expected, &actual, self.tolerance()?) {
            Err(_) => Ok(()),
            Ok(()) => Err("the mistake goes unseen".into()),
        }
    }
}

impl Run {
    /// Its arguments, where other files than the last are to go to a folder.
    fn arguments(&self, folder: &Path) -> Vec<String> {
        let folder = folder.display().to_string();
        let arguments = self.arguments.iter();
        arguments.map(|a| a.replace("{folder}", &folder)).collect()
    }

    /// What a program writes to all its files, one after the other by name.
    fn results(&self, program: &mut Command) -> Result<String, String> {
        let folder = temporary()?;
        let output = folder.path().join("output");
        succeed(program.args(self.arguments(folder.path())).arg(&output))?;
        let files = support::files_below(folder.path());
        files.iter().map(|file| as_text(file)).collect()
    }
}

/// A file as text, each byte of it where it is none.
fn as_text(file: &Path) -> Result<String, String> {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    String::from_utf8(bytes).or_else(|error| {
        let bytes = error.into_bytes();
        Ok(bytes.iter().map(|byte| format!("{byte}\n")).collect())
    })
}

/// Builds what lies in a folder by its Makefile, as it is and without a word.
fn make(folder: &Path, compiler: &str) -> Result<(), String> {
    let mut make = command("make");
    make.args(["-j2", "-C"]).arg(folder);
    // This test may itself run under make.
    make.env_remove("MAKEFLAGS").env_remove("MAKELEVEL");
    silent(build(make.arg(format!("CC={compiler}")))?)
}

/// Compiles the text of an oracle.
fn oracle(text: &str, folder: &Path) -> Result<PathBuf, String> {
    let (file, program) = (folder.join("oracle.c"), folder.join("oracle"));
    fs::write(&file, text).map_err(|error| error.to_string())?;
    let mut compile = gcc("c11");
    compile.arg("-o").arg(&program).arg(&file);
    silent(succeed(compile.arg("-lm"))?)?;
    Ok(program)
}

/// Nothing was said on standard error.
fn silent(outcome: Outcome) -> Result<(), String> {
    if outcome.stderr.is_empty() {
        return Ok(());
    }
    Err(outcome.stderr)
}

fn temporary() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| error.to_string())
}
