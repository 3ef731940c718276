//! One test a fixture: everything that is generated is compared, compiled and run.
//!
//! A fixture is a C program with directives under `tests/fixtures/GROUP/NAME.c` that prints all it
//! computed, integers or `%a` floats. Its oracle is the same file compiled by the C compiler with
//! the directives ignored (and the mistakes of step 7 in it, of which it makes none), or `NAME.oracle.c` where ignoring them changes the meaning. A test
//!
//! 1. translates it and compares both files with their snapshots (`tests/snapshots/`);
//! 2. checks that host text outside directives is unchanged, that lines stay within 100 columns,
//!    and that the host program has no warning that its source lacks;
//! 3. compiles the kernels with nvcc for three architectures, warnings as errors, with those of
//!    other fixtures at one time;
//! 4. runs the program on the emulation, blocks and threads forward, in reverse and in a random
//!    order, and compares the output with the oracle's, value by value;
//! 5. runs it where all memory is shared, with unified memory, and with the host as the device, on
//!    one core and on four: the same output, unless `// separate: REASON` says why the program's
//!    depends on separate memories, or `// cores: REASON` why on how cores combine;
//! 6. runs it under the checks of `check --dynamic`, which must find no fault;
//! 7. shows that the oracle is sharp: with a construct left out, or its first loop one iteration
//!    short, the serial output is another;
//! 8. of hiCUDA's, compares what it allocates, moves and launches with `NAME.ledger` among the
//!    snapshots, and shows that each directive left out is missed.
//!
//! With `ACCRS_TEST_GPU=1`, as `tools/on-gpu` has it, the program runs on the machine's GPU instead, and
//! its output is compared; in the place of `1` may be a command that runs it, as `compute-sanitizer`, or
//! `build`, which runs nothing. `ACCRS_TEST_PROGRAMS` names a folder in which programs and the oracles'
//! output stay: those that are there are not built again.
//!
//! Header comments of a fixture: `// args:` arguments of the program, `// flags:` of the compiler,
//! `// options:` of the translator,
//! `// tolerance: N ulp of float|double because …`, `// gpu: N ulp …` the same on a GPU, `// replaced: 4-6 9-12` lines that the
//! translator may replace where macros hide them, `// unsharp: REASON` where leaving a construct
//! out may change nothing, `// warnings: A0410 …` what the translation warns of, in order,
//! `// no-gpu: MESSAGE` with which nvcc refuses the kernels, `// launches: N` kernels launched in
//! all.

mod support;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use accrs::driver::compilers::KEEP_CALLS;
use libtest_mimic::{Arguments, Failed, Trial};
use support::compare::{self, Tolerance};
use support::process::{Outcome, build, command, run, succeed};
use support::{accrs, header, header_words, nvcc, read, regions, root, snapshot};

/// Orders of blocks and threads on the emulation; the number is the seed of a random one.
const SCHEDULES: &[&str] = &["forward", "reverse", "20260117"];

/// The longest line of generated code.
const COLUMNS: usize = 100;

/// What `--memory unified` adds to a program, if a variable asks for it.
const SHARES_MEMORY: &str = "\
#include <stdlib.h>
void accrs_unified(void);
static void __attribute__((constructor)) share(void)
{
    if (getenv(\"FIXTURE_MEMORY\") != NULL)
        accrs_unified();
}
";

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("every_snapshot_has_its_fixture", no_orphans),
        Trial::test("every_fixture_group_is_tested", groups_have_fixtures),
    ];
    for (name, path) in fixtures() {
        trials.push(Trial::test(name.clone(), move || fixture(&name, &path)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// The fixtures, by name.
fn fixtures() -> Vec<(String, PathBuf)> {
    let mut found = support::cases(&root().join("tests/fixtures"), ".c");
    found.retain(|(name, _)| !name.ends_with(".oracle"));
    found
}

/// The snapshots of all kernels that nvcc accepts.
fn kernels_for_gpus() -> Vec<PathBuf> {
    let is_for_gpus = |path: &Path| read(path).is_ok_and(|text| header(&text, "no-gpu").is_empty());
    let named = fixtures().into_iter().filter(|(_, path)| is_for_gpus(path));
    named
        .map(|(name, _)| snapshot::folder().join(format!("{name}.acc.cu")))
        .filter(|path| path.is_file())
        .collect()
}

/// The kernels that nvcc compiles together.
static GROUPS: OnceLock<nvcc::Groups> = OnceLock::new();

/// Runs all checks of a fixture that can run, and reports every one that fails.
fn fixture(name: &str, source: &Path) -> Result<(), Failed> {
    let fixture = Fixture::new(name, source)?;
    if let Ok(runner) = std::env::var("ACCRS_TEST_GPU") {
        return Ok(fixture.on_gpu(&runner)?);
    }
    let mut failures = Vec::new();
    let mut note = |stage: &str, result: Result<(), String>| {
        if let Err(message) = result {
            failures.push(format!("{stage}: {message}"));
        }
    };
    let oracle = fixture.oracle().and_then(|(program, mistakes)| {
        let expected = fixture.run_program(&program, &[])?.text();
        let sharp = fixture.sharp(&expected, &program, &mistakes);
        note("sharpness of the oracle", sharp);
        Ok(expected)
    });
    if let Err(message) = &oracle {
        note("oracle", Err(message.clone()));
    }
    let translated = fixture.translate();
    note("translate", translated.clone());
    if translated.is_ok() {
        note("snapshot", fixture.snapshots());
        note("host text", fixture.host_text());
        note("columns", fixture.columns());
        note("warnings of the host program", fixture.warnings());
        note("nvcc", fixture.nvcc());
        if let Ok(expected) = &oracle {
            note("emulation", fixture.emulation(expected));
            note("host as the device", fixture.on_host(expected));
            note("checks", fixture.checks(expected));
            if regions::hicuda_directives(&fixture.text).is_empty() {
                return report(failures);
            }
            let ledger = fixture.ledger(&fixture.path("emulated"));
            note(
                "ledger",
                ledger.clone().and_then(|own| fixture.same_ledger(&own)),
            );
            if let Ok(ledger) = ledger {
                note(
                    "directives left out",
                    fixture.needs_directives(expected, &ledger),
                );
            }
        }
    }
    report(failures)
}

fn report(failures: Vec<String>) -> Result<(), Failed> {
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n").into()),
    }
}

/// Directives of hiCUDA without which a program may compute and move the same.
const OF_SPEED: &[&str] = &["shared", "barrier", "loop_partition"];

struct Fixture {
    name: String,
    source: PathBuf,
    text: String,
    /// Flags of the C compiler, for the original and what comes of it.
    flags: Vec<String>,
    options: Vec<String>,
    arguments: Vec<String>,
    tolerance: Tolerance,
    folder: tempfile::TempDir,
}

impl Fixture {
    fn new(name: &str, source: &Path) -> Result<Self, String> {
        let text = read(source)?;
        let tolerance = match header(&text, "tolerance")[..] {
            [] => Tolerance::Exact,
            [stated] => Tolerance::parse(stated)?,
            _ => return Err("more than one `tolerance:`".into()),
        };
        Ok(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            flags: header_words(&text, "flags"),
            options: header_words(&text, "options"),
            arguments: header_words(&text, "args"),
            tolerance,
            text,
            folder: tempfile::tempdir().map_err(|error| error.to_string())?,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The last part of the name, which the generated files carry.
    fn stem(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }

    fn generated(&self, suffix: &str) -> PathBuf {
        self.path("out").join(format!("{}{suffix}", self.stem()))
    }

    // Translation

    fn translate(&self) -> Result<(), String> {
        fs::create_dir(self.path("out")).map_err(|error| error.to_string())?;
        // From the file's own folder, so that no path of this machine enters the output.
        let mut translate = command(accrs());
        translate.current_dir(self.source.parent().ok_or("a fixture lies in a folder")?);
        translate.arg("translate").arg(format!("{}.c", self.stem()));
        translate.args(&self.options).args(&self.flags);
        translate.arg("-o").arg(self.path("out"));
        let stated = header_words(&self.text, "warnings");
        let outcome = succeed(&mut translate)?;
        if stated.is_empty() {
            silent(&outcome)?;
        } else if codes_of_warnings(&outcome.stderr) != stated {
            let messages = &outcome.stderr;
            return Err(format!("the warnings are not {stated:?}:\n{messages}"));
        }
        for suffix in [".acc.c", ".acc.cu", ".acc.mk"] {
            if !self.generated(suffix).is_file() {
                return Err(format!("it wrote no {}{suffix}", self.stem()));
            }
        }
        Ok(())
    }

    fn snapshots(&self) -> Result<(), String> {
        for suffix in [".acc.c", ".acc.cu"] {
            let snapshot = snapshot::folder().join(format!("{}{suffix}", self.name));
            snapshot::check(&snapshot, &read(&self.generated(suffix))?)?;
        }
        Ok(())
    }

    fn host_text(&self) -> Result<(), String> {
        let mut lines = Vec::new();
        for range in header_words(&self.text, "replaced") {
            let bounds = range.split_once('-').unwrap_or((&range, &range));
            let number = |text: &str| text.parse::<usize>().map_err(|_| "replaced: FIRST-LAST");
            lines.push(number(bounds.0)?..=number(bounds.1)?);
        }
        let pieces = regions::host_text(&self.text, &lines);
        regions::host_text_kept(&pieces, &read(&self.generated(".acc.c"))?)
    }

    fn columns(&self) -> Result<(), String> {
        for suffix in [".acc.c", ".acc.cu"] {
            let output = read(&self.generated(suffix))?;
            let too_long =
                |line: &&str| line.chars().count() > COLUMNS && !self.text.contains(line.trim());
            if let Some(line) = output.lines().find(too_long) {
                return Err(format!("{suffix}: over {COLUMNS} columns: {line}"));
            }
        }
        Ok(())
    }

    // Compilation

    fn gcc(&self) -> std::process::Command {
        let mut gcc = command("gcc");
        gcc.args(["-O1", "-ffp-contract=off", KEEP_CALLS])
            .arg("-Wno-unknown-pragmas")
            .args(&self.flags);
        gcc.arg("-I").arg(root().join("runtime/include"));
        gcc.arg("-iquote")
            .arg(self.source.parent().unwrap_or(Path::new(".")));
        gcc
    }

    fn warnings(&self) -> Result<(), String> {
        let check = |file: &Path, defined: &[&str]| {
            let mut gcc = self.gcc();
            gcc.args(["-Wall", "-Wextra", "-fsyntax-only"])
                .args(defined)
                .arg(file);
            succeed(&mut gcc).map(|outcome| outcome.stderr)
        };
        let mut before = kinds_of_warning(&check(&self.source, &[])?);
        let messages = check(&self.generated(".acc.c"), &["-D_OPENACC=202211"])?;
        for kind in kinds_of_warning(&messages) {
            match before.iter().position(|known| *known == kind) {
                Some(index) => drop(before.swap_remove(index)),
                None => return Err(format!("a new warning {kind}\n{messages}")),
            }
        }
        Ok(())
    }

    fn nvcc(&self) -> Result<(), String> {
        // It takes the first value of a range in device code alone, and says nothing.
        let text = read(&self.generated(".acc.cu"))?;
        let has_range = |line: &&str| {
            let code = line.split(" //").next().unwrap_or_default();
            code.contains("case ") && code.contains(" ... ") && !code.contains("/* ... ")
        };
        if let Some(line) = text
            .lines()
            .filter(|line| !line.starts_with('#'))
            .find(has_range)
        {
            return Err(format!("a range of `case` labels in kernels: {line}"));
        }
        let object = self.path("kernels.o");
        let [reason] = header(&self.text, "no-gpu")[..] else {
            let groups = GROUPS.get_or_init(|| nvcc::Groups::new(&kernels_for_gpus()));
            let kernels = snapshot::folder().join(format!("{}.acc.cu", self.name));
            groups.compile(&kernels, &object, nvcc::ALL_ARCHITECTURES)?;
            let kernels = self.generated(".acc.cu");
            return nvcc::compile(&kernels, &object, nvcc::ALL_ARCHITECTURES);
        };
        match nvcc::compile(&self.generated(".acc.cu"), &object, nvcc::ALL_ARCHITECTURES) {
            Ok(()) => Err("nvcc accepts what a GPU does not have".into()),
            Err(message) if message.contains(reason) => Ok(()),
            other => other,
        }
    }

    // Running

    fn run_program(&self, program: &Path, variables: &[(&str, &str)]) -> Result<Outcome, String> {
        let mut program = command(program);
        program
            .args(&self.arguments)
            .current_dir(self.folder.path())
            .envs(variables.iter().copied());
        let outcome = succeed(&mut program)?;
        silent(&outcome)?;
        Ok(outcome)
    }

    fn oracle_source(&self) -> PathBuf {
        let own = self.source.with_extension("oracle.c");
        if own.is_file() {
            own
        } else {
            self.source.clone()
        }
    }

    /// The oracle's program. Where its mistakes have to show, it has them all, and makes the one
    /// that `ACCRS_MISTAKE` says; that it makes none otherwise is seen where the emulation agrees.
    fn oracle(&self) -> Result<(PathBuf, Vec<String>), String> {
        let program = self.path("serial");
        let mut gcc = self.gcc();
        gcc.arg("-o").arg(&program);
        if self.oracle_source() != self.source || !header(&self.text, "unsharp").is_empty() {
            succeed(gcc.arg(self.oracle_source()).arg("-lm"))?;
            return Ok((program, Vec::new()));
        }
        let (text, mistakes) = with_mistakes(&self.text);
        let file = self.path("serial.c");
        fs::write(&file, text).map_err(|error| error.to_string())?;
        gcc.arg("-include")
            .arg(root().join("tests/support/mistake.h"));
        succeed(gcc.arg(&file).arg("-lm"))?;
        Ok((program, mistakes))
    }

    /// Mistakes in the serial program must show in what it prints.
    fn sharp(&self, expected: &str, program: &Path, mistakes: &[String]) -> Result<(), String> {
        for (number, mistake) in mistakes.iter().enumerate() {
            let number = number.to_string();
            // A mistake that makes the program crash is seen as well.
            let outcome = self.run_program(program, &[("ACCRS_MISTAKE", &number)]);
            let is_unseen = |outcome: Outcome| {
                compare::outputs(expected, &outcome.text(), self.tolerance).is_ok()
            };
            if outcome.is_ok_and(is_unseen) {
                return Err(format!("{mistake} goes unseen"));
            }
        }
        Ok(())
    }

    fn emulation(&self, expected: &str) -> Result<(), String> {
        let program = self.path("emulated");
        let mut cc = command(accrs());
        cc.args(["cc", "-O1", "-ffp-contract=off"])
            .args(&self.options)
            .args(&self.flags);
        if self.is_for_cores() {
            cc.args(["--multicore", "--device=emulated"]);
        }
        cc.arg("-o").arg(&program).arg(&self.source);
        let shares_memory = self.path("shares_memory.c");
        fs::write(&shares_memory, SHARES_MEMORY).map_err(|error| error.to_string())?;
        succeed(cc.arg(&shares_memory).arg("-lm"))?;
        for schedule in SCHEDULES {
            let outcome = self.run_program(&program, &[("ACCRS_SCHEDULE", schedule)])?;
            compare::outputs(expected, &outcome.text(), self.tolerance)
                .map_err(|difference| format!("schedule {schedule}: {difference}"))?;
        }
        self.launches(&program)
    }

    /// The program on a GPU, with C's arithmetic, run by the words of `runner`.
    fn on_gpu(&self, runner: &str) -> Result<(), String> {
        // nvcc refuses what a GPU does not have; another test sees it.
        if !header(&self.text, "no-gpu").is_empty() {
            return Ok(());
        }
        let kept = std::env::var_os("ACCRS_TEST_PROGRAMS");
        let folder = kept.map_or_else(
            || self.path("gpu"),
            |kept| Path::new(&kept).join(&self.name),
        );
        let (program, expected) = (folder.join("program"), folder.join("expected"));
        if !expected.is_file() {
            fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            let mut cc = command(accrs());
            cc.args([
                "cc",
                "--device=gpu",
                "--arch=sm_90",
                "-gpu=nofma",
                "-O1",
                "-ffp-contract=off",
            ]);
            cc.args(&self.options).args(&self.flags);
            cc.arg("-o").arg(&program).arg(&self.source).arg("-lm");
            build(cc.env("ACC_DEVICE_TYPE", "gpu"))?;
            let oracle = self.run_program(&self.oracle()?.0, &[])?;
            fs::write(&expected, oracle.stdout).map_err(|error| error.to_string())?;
        }
        if runner == "build" {
            return Ok(());
        }
        let mut words = shlex::split(runner).unwrap_or_default();
        words.retain(|word| word != "1");
        let words: Vec<_> = words.iter().map(PathBuf::from).chain([program]).collect();
        let mut run = command(&words[0]);
        run.args(&words[1..]).args(&self.arguments);
        run.current_dir(self.folder.path())
            .env("ACC_DEVICE_TYPE", "gpu");
        let outcome = succeed(&mut run)?;
        let tolerance = match header(&self.text, "gpu")[..] {
            [stated] => Tolerance::parse(stated)?,
            _ => self.tolerance,
        };
        compare::outputs(&read(&expected)?, &outcome.text(), tolerance)
    }

    /// How many kernels the program launches, where the fixture says it.
    fn launches(&self, program: &Path) -> Result<(), String> {
        let [stated] = header(&self.text, "launches")[..] else {
            return Ok(());
        };
        let mut traced = command(program);
        traced.args(&self.arguments).env("ACCRS_TRACE", "1");
        let outcome = succeed(traced.current_dir(self.folder.path()))?;
        let is_launch = |line: &&str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let is_kernel = |name: &str| {
                let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
                stem.ends_with("_kernel")
            };
            matches!(words[..], ["accrs", "trace:", "launch", name, ..] if is_kernel(name))
        };
        let launches = outcome.stderr.lines().filter(is_launch).count();
        match launches.to_string() == stated {
            true => Ok(()),
            false => Err(format!(
                "{launches} kernels were launched, `launches:` says {stated}"
            )),
        }
    }

    /// Whether the host's cores give what one of them gives.
    fn is_for_cores(&self) -> bool {
        header(&self.text, "cores").is_empty()
    }

    /// The program that the emulation ran, with unified memory, with the host as its device, and with
    /// the host's cores.
    fn on_host(&self, expected: &str) -> Result<(), String> {
        if !header(&self.text, "separate").is_empty() {
            return Ok(());
        }
        let unified = [
            ("ACC_DEVICE_TYPE", "emulated"),
            ("FIXTURE_MEMORY", "unified"),
        ];
        let outcome = self.run_program(&self.path("emulated"), &unified)?;
        compare::outputs(expected, &outcome.text(), self.tolerance)
            .map_err(|difference| format!("unified memory: {difference}"))?;
        let devices: &[&str] = match self.is_for_cores() {
            true => &["host", "multicore"],
            false => &["host"],
        };
        for device in devices {
            let variables = [("ACC_DEVICE_TYPE", *device), ("OMP_NUM_THREADS", "4")];
            let outcome = self.run_program(&self.path("emulated"), &variables)?;
            compare::outputs(expected, &outcome.text(), self.tolerance)
                .map_err(|difference| format!("{device}: {difference}"))?;
        }
        Ok(())
    }

    /// What a program allocates, moves and launches, a line each.
    fn ledger(&self, program: &Path) -> Result<String, String> {
        let mut traced = command(program);
        traced.args(&self.arguments).env("ACCRS_TRACE", "1");
        let outcome = succeed(traced.current_dir(self.folder.path()))?;
        let is_of_run = |word: &&str| {
            let names = ["us=", "host-us=", "at="];
            !names.iter().any(|name| word.starts_with(name))
        };
        let lines = outcome.stderr.lines().filter_map(|line| {
            let words = line.strip_prefix("accrs trace: ")?.split_whitespace();
            Some(words.filter(is_of_run).collect::<Vec<_>>().join(" "))
        });
        Ok(lines.map(|line| line + "\n").collect())
    }

    fn same_ledger(&self, ledger: &str) -> Result<(), String> {
        let path = snapshot::folder().join(format!("{}.ledger", self.name));
        snapshot::check(&path, ledger)
    }

    /// With any one directive left out, a program is refused, fails, prints something else or
    /// does something else on the device; kernels are other ones without those [`OF_SPEED`].
    fn needs_directives(&self, expected: &str, ledger: &str) -> Result<(), String> {
        let folder = self.path("left_out");
        fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
        let file = folder.join(format!("{}.c", self.stem()));
        for (range, name) in regions::hicuda_directives(&self.text) {
            let line = self.text[..range.start].matches('\n').count() + 1;
            let mut text = self.text.clone();
            text.replace_range(range, "");
            fs::write(&file, text).map_err(|error| error.to_string())?;
            let mut translate = command(accrs());
            translate.current_dir(&folder).arg("translate");
            translate.args(&self.options).args(&self.flags);
            translate
                .arg(format!("{}.c", self.stem()))
                .args(["-o", "."]);
            if !translate
                .output()
                .is_ok_and(|outcome| outcome.status.success())
            {
                continue;
            }
            let kernels = format!("{}.acc.cu", self.stem());
            let same = read(&folder.join(&kernels))? == read(&self.generated(".acc.cu"))?;
            if !same && OF_SPEED.contains(&name) {
                continue;
            }
            let program = folder.join("program");
            let mut cc = command(accrs());
            cc.current_dir(&folder);
            cc.args(["cc", "-O1", "-ffp-contract=off", "-o", "program"]);
            cc.args(&self.options).args(&self.flags);
            succeed(cc.arg(format!("{}.c", self.stem())).arg("-lm"))?;
            let Ok(outcome) = self.run_program(&program, &[]) else {
                continue;
            };
            let prints = compare::outputs(expected, &outcome.text(), self.tolerance);
            if prints.is_ok() && self.ledger(&program)? == ledger {
                return Err(format!("`{name}` in line {line} goes unmissed"));
            }
        }
        Ok(())
    }

    /// Races, uninitialised reads and the like; stores of equal values are notes and no faults, and
    /// old values are what some fixtures are about.
    fn checks(&self, expected: &str) -> Result<(), String> {
        let mut check = command(accrs());
        check.current_dir(self.source.parent().ok_or("a fixture lies in a folder")?);
        check.args(["check", "--dynamic"]).args(&self.options);
        check.args(&self.flags);
        check.arg(format!("{}.c", self.stem()));
        check.arg("--").args(&self.arguments);
        let outcome = run(&mut check)?;
        let reads_old = outcome.code() == Some(1) && outcome.stderr.contains("warning[A0728]");
        let is_right = outcome.code() == Some(0) || reads_old;
        // Late queues change the output.
        if !is_right
            || ["error[", "[A0737]"]
                .iter()
                .any(|f| outcome.stderr.contains(f))
        {
            return Err(outcome.stderr);
        }
        compare::outputs(expected, &outcome.text(), self.tolerance)
    }
}

/// A program or translator that has nothing to say writes nothing to standard error.
fn silent(outcome: &Outcome) -> Result<(), String> {
    if outcome.stderr.is_empty() {
        return Ok(());
    }
    Err(format!("written to standard error:\n{}", outcome.stderr))
}

/// The codes of the translator's warnings, in order.
fn codes_of_warnings(messages: &str) -> Vec<String> {
    let starts = messages
        .lines()
        .filter_map(|line| line.strip_prefix("warning["));
    starts
        .map(|rest| rest.split(']').next().unwrap_or(rest).to_owned())
        .collect()
}

/// The `[-Wname]` of every warning, in order.
fn kinds_of_warning(messages: &str) -> Vec<String> {
    let warnings = messages.lines().filter(|line| line.contains("warning: "));
    warnings
        .map(|line| {
            line.rsplit_once('[')
                .map_or(line, |(_, kind)| kind)
                .to_owned()
        })
        .collect()
}

/// The program with mistakes in each construct, of which `tests/support/mistake.h` chooses one by its
/// number; what they are.
fn with_mistakes(text: &str) -> (String, Vec<String>) {
    let mut program = text.to_owned();
    let mut mistakes = Vec::new();
    let mut next = |mistake: String| {
        mistakes.push(mistake);
        mistakes.len() - 1
    };
    let regions = regions::regions(text).into_iter().enumerate();
    let mut constructs: Vec<_> = regions
        .filter_map(|(index, region)| Some((index + 1, region.compute?)))
        .collect();
    constructs.reverse();
    for (number, range) in constructs {
        let mut construct = text[range.clone()].to_owned();
        let left_out = next(format!("construct {number} left out"));
        if let Some(bound) = bound_of_first_loop(&construct) {
            let short = next(format!("construct {number} one iteration short"));
            let less = format!(
                " ({}) - (accrs_mistake == {short})",
                construct[bound.clone()].trim()
            );
            construct.replace_range(bound, &less);
        }
        // Directives have lines of their own, and lines their numbers.
        let line = |at: usize| text[..at].matches('\n').count() + 1;
        let (first, last) = (line(range.start), line(range.end));
        let optional = format!(
            "{{ if (accrs_mistake != {left_out}) {{\n#line {first}\n{construct}\n}} }}\n#line {last}\n"
        );
        program.replace_range(range, &optional);
    }
    (program, mistakes)
}

/// Where the bound is of a construct's first loop, if that is of the form `i < bound; i++`.
fn bound_of_first_loop(construct: &str) -> Option<Range<usize>> {
    let header = construct.find("for (")?;
    let condition = header + construct[header..].find(';')? + 1;
    let end = condition + construct[condition..].find(';')?;
    let increment = &construct[end..end + construct[end..].find(')')?];
    if !increment.contains("++") {
        return None;
    }
    let less = construct[condition..end].find('<')?;
    let is_strict = construct.as_bytes()[condition + less + 1] != b'=';
    Some(condition + less + if is_strict { 1 } else { 2 }..end)
}

/// Every snapshot belongs to a fixture, or a benchmark, that is there.
fn no_orphans() -> Result<(), Failed> {
    for path in support::files_below(&snapshot::folder()) {
        let name = path
            .strip_prefix(snapshot::folder())?
            .to_string_lossy()
            .into_owned();
        let stem = name
            .strip_suffix(".acc.cu")
            .or_else(|| name.strip_suffix(".acc.c"))
            .or_else(|| name.strip_suffix(".ledger"));
        let source = stem.map(|stem| match stem.strip_prefix("benchmarks/") {
            Some(form) => {
                // The automatic form is the plain one's file.
                let form = form.strip_suffix("_auto").unwrap_or(form);
                let ends = form.match_indices('_').map(|(at, _)| at);
                let benchmarks = ends.chain([form.len()]).map(|end| &form[..end]);
                benchmarks
                    .flat_map(|name| {
                        [".c", ".cu", ".mcu"].map(|suffix| format!("{name}/{form}{suffix}"))
                    })
                    .any(|source| root().join("benchmarks").join(source).is_file())
            }
            None => root().join(format!("tests/fixtures/{stem}.c")).is_file(),
        });
        if source != Some(true) {
            return Err(format!("{}: a snapshot without its source", path.display()).into());
        }
    }
    Ok(())
}

/// A folder that lost its fixtures, or a runner that no longer finds them, is an error.
fn groups_have_fixtures() -> Result<(), Failed> {
    let folder = root().join("tests/fixtures");
    for entry in fs::read_dir(&folder)?.flatten() {
        if support::cases(&entry.path(), ".c").is_empty() {
            return Err(format!("{}: no fixture", entry.path().display()).into());
        }
    }
    Ok(())
}
