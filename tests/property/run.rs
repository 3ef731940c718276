//! Translates, builds and runs files of programs, and says what became of each program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::batch;
use super::model::Program;
use super::support::process::{command, run};
use super::support::{accrs, root};

/// Orders of blocks and threads on the emulation; the number is the seed of a random one.
pub const SCHEDULES: &[&str] = &["forward", "reverse", "20260117"];

/// In place of an order: the cores of the host run the constructs.
const CORES: &str = "cores";

/// The seconds that all programs of a file may take in one schedule.
const SECONDS: &str = "60";

/// What became of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It computes what its oracle says, in every schedule and on the cores of the host.
    Same,
    /// The oracle found that the program is undefined.
    Faulty(String),
    /// The translator, or a compiler after it, refused the program.
    Refused(String),
    /// It computes something else.
    Differs(String),
    /// It ended early, or not at all.
    Stopped(String),
}

impl Verdict {
    /// Whether two verdicts are of one kind: the same diagnostic, both a difference, and so on.
    pub fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Refused(left), Self::Refused(right)) => code(left) == code(right),
            (left, right) => std::mem::discriminant(left) == std::mem::discriminant(right),
        }
    }

    /// Whether translator or runtime failed the program.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Differs(_) | Self::Stopped(_))
    }
}

/// The code of a diagnostic, `error[A0501]`; of another compiler's message nothing.
fn code(message: &str) -> &str {
    let start = message.find("error[").map(|at| at + 6);
    start.map_or("", |start| message[start..].split(']').next().unwrap_or(""))
}

/// Programs in one file, each with the one that its oracle is made from.
pub struct File<'p> {
    folder: tempfile::TempDir,
    programs: Vec<(&'p Program, &'p Program)>,
}

impl<'p> File<'p> {
    /// Programs with their own oracles.
    pub fn new(programs: impl IntoIterator<Item = &'p Program>) -> Result<Self, String> {
        Self::with_oracles(
            programs
                .into_iter()
                .map(|program| (program, program))
                .collect(),
        )
    }

    /// Programs with oracles made from others.
    pub fn with_oracles(programs: Vec<(&'p Program, &'p Program)>) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Self { folder, programs })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Builds the programs for the emulation and runs them.
    pub fn verdicts(&self) -> Result<Vec<Verdict>, String> {
        let all: Vec<usize> = (0..self.programs.len()).collect();
        let mut verdicts = BTreeMap::new();
        self.build_and_run(&all, &mut verdicts)?;
        Ok(verdicts.into_values().collect())
    }

    /// The programs by a C compiler alone, the directives ignored.
    pub fn serial_verdicts(&self) -> Result<Vec<Verdict>, String> {
        let all: Vec<usize> = (0..self.programs.len()).collect();
        self.write(&all)?;
        let program = self.path("serial");
        let mut gcc = command("gcc");
        gcc.args(["-O0", "-o"]).arg(&program);
        self.compile(&mut gcc)?;
        let mut verdicts = BTreeMap::new();
        self.run(&program, &all, "forward", &mut verdicts)?;
        Ok(verdicts.into_values().collect())
    }

    /// The kernels that the translator makes of the programs.
    pub fn kernels(&self) -> Result<String, String> {
        self.write(&(0..self.programs.len()).collect::<Vec<usize>>())?;
        let output = self.path("out");
        fs::create_dir_all(&output).map_err(|error| error.to_string())?;
        let mut translate = command(accrs());
        translate
            .arg("translate")
            .args(["-I", &harness()])
            .arg(self.source());
        let outcome = run(translate.arg("-o").arg(&output))?;
        if !outcome.status.success() {
            return Err(outcome.stderr);
        }
        super::support::read(&output.join("programs.acc.cu"))
    }

    fn source(&self) -> PathBuf {
        self.path("programs.c")
    }

    fn write(&self, chosen: &[usize]) -> Result<(), String> {
        let programs: Vec<_> = chosen.iter().map(|index| self.programs[*index]).collect();
        fs::write(self.source(), batch::text(&programs)).map_err(|error| error.to_string())
    }

    fn compile(&self, compiler: &mut Command) -> Result<(), String> {
        compiler.args(["-w", "-ffp-contract=off", "-fwrapv", "-I", &harness()]);
        let outcome = run(compiler.arg(self.source()).arg("-lm"))?;
        if outcome.status.success() {
            Ok(())
        } else {
            Err(outcome.stderr)
        }
    }

    /// Builds those of the programs that can be built. A message that names a line is the verdict
    /// on the program there; where none does, the file is halved.
    fn build_and_run(
        &self,
        chosen: &[usize],
        verdicts: &mut BTreeMap<usize, Verdict>,
    ) -> Result<(), String> {
        if chosen.is_empty() {
            return Ok(());
        }
        self.write(chosen)?;
        let program = self.path("emulated");
        let mut cc = command(accrs());
        cc.args(["cc", "--multicore", "-O0", "-o"]).arg(&program);
        let Err(message) = self.compile(&mut cc) else {
            for schedule in SCHEDULES.iter().chain([&CORES]) {
                self.run(&program, chosen, schedule, verdicts)?;
            }
            return Ok(());
        };
        let refused = self.refused(&message)?;
        let mut rest = Vec::new();
        for (number, index) in chosen.iter().enumerate() {
            match refused.get(&number) {
                Some(message) => {
                    verdicts.insert(*index, Verdict::Refused(message.clone()));
                }
                None => rest.push(*index),
            }
        }
        if !refused.is_empty() {
            return self.build_and_run(&rest, verdicts);
        }
        if let [one] = chosen {
            verdicts.insert(*one, Verdict::Refused(message));
            return Ok(());
        }
        let (left, right) = chosen.split_at(chosen.len() / 2);
        self.build_and_run(left, verdicts)?;
        self.build_and_run(right, verdicts)
    }

    /// Which programs of the file a compiler's messages are about.
    fn refused(&self, message: &str) -> Result<BTreeMap<usize, String>, String> {
        let text = super::support::read(&self.source())?;
        let mut program_of_line = vec![None];
        let mut program = None;
        for line in text.lines() {
            if line.starts_with("/* 0x") {
                program = Some(program.map_or(0, |number| number + 1));
            }
            program_of_line.push(program);
        }
        let mut refused: BTreeMap<usize, String> = BTreeMap::new();
        for part in message.split("error").skip(1) {
            let Some(at) = part.find("programs.c:") else {
                continue;
            };
            let digits = part[at + "programs.c:".len()..].split(':').next();
            let line: Option<usize> = digits.and_then(|digits| digits.parse().ok());
            if let Some(number) = line.and_then(|line| *program_of_line.get(line)?) {
                refused
                    .entry(number)
                    .or_insert_with(|| format!("error{part}"));
            }
        }
        Ok(refused)
    }

    /// Runs the programs in a schedule, again behind each that stops the whole file.
    fn run(
        &self,
        program: &Path,
        chosen: &[usize],
        schedule: &str,
        verdicts: &mut BTreeMap<usize, Verdict>,
    ) -> Result<(), String> {
        let mut first = 0;
        while first < chosen.len() {
            let mut timed = command("timeout");
            timed.arg(SECONDS).arg(program).arg(first.to_string());
            let outcome = run(match schedule {
                CORES => timed.envs([("ACC_DEVICE_TYPE", "multicore"), ("OMP_NUM_THREADS", "4")]),
                _ => timed.env("ACCRS_SCHEDULE", schedule),
            })?;
            let mut begun = None;
            for line in outcome.text().lines() {
                let Some((number, verdict)) = line.split_once(' ') else {
                    continue;
                };
                let number: usize = number.parse().map_err(|_| format!("printed `{line}`"))?;
                let verdict = match verdict.split_once(": ") {
                    None if verdict == "begins" => {
                        begun = Some(number);
                        continue;
                    }
                    Some(("faulty", fault)) => Verdict::Faulty(fault.to_owned()),
                    Some(("differs", text)) => {
                        Verdict::Differs(format!("schedule {schedule}: {text}"))
                    }
                    _ => Verdict::Same,
                };
                begun = None;
                note(verdicts, chosen[number], verdict);
            }
            let Some(stopped) = begun else {
                break;
            };
            let text = format!(
                "schedule {schedule}: {}: {}",
                outcome.status, outcome.stderr
            );
            note(verdicts, chosen[stopped], Verdict::Stopped(text));
            first = stopped + 1;
        }
        for index in chosen {
            if !verdicts.contains_key(index) {
                return Err(format!(
                    "no verdict on program {index} in schedule {schedule}"
                ));
            }
        }
        Ok(())
    }
}

/// The first verdict that is not `Same` stands.
fn note(verdicts: &mut BTreeMap<usize, Verdict>, index: usize, verdict: Verdict) {
    let known = verdicts.entry(index).or_insert(Verdict::Same);
    if *known == Verdict::Same {
        *known = verdict;
    }
}

/// The folder of `harness.h`.
pub fn harness() -> String {
    root().join("tests/property").display().to_string()
}
