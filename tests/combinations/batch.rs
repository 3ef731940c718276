//! Translates, builds and runs entries, many in a file, and says what became of each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use regex::{Captures, Regex};

use super::entry::Entry;
use super::support::process::{command, run, succeed};
use super::support::{accrs, nvcc, root};
use super::text::{self, Form};

/// Functions in a file.
pub const IN_A_FILE: usize = 200;

/// The GPUs that kernels are compiled for.
const ARCHITECTURES: &[u32] = &[90];

/// The seconds that the functions of a file may take.
const SECONDS: &str = "100";

/// What became of entries, by number.
type Outcomes = BTreeMap<usize, Outcome>;

/// A step on the way of some entries: those that go on.
type Stage<'e> = fn(&Batch<'e>, &[usize], &mut Outcomes) -> Result<Vec<usize>, String>;

/// What became of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It builds and computes what its twin does.
    Same,
    /// accrs refused it: the code, and the whole line.
    Refused(String, String),
    /// A compiler refused what accrs made of it.
    Rejected(String),
    /// It computes something else.
    Differs(String),
    /// It ended early, or not at all.
    Stopped(String),
}

/// Entries in one file, in a folder of its own.
pub struct Batch<'e> {
    folder: tempfile::TempDir,
    entries: &'e [Entry],
    twin: Form,
}

impl<'e> Batch<'e> {
    pub fn new(entries: &'e [Entry], twin: Form) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        Ok(Self {
            folder,
            entries,
            twin,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What became of each entry.
    pub fn outcomes(&self) -> Result<Vec<Outcome>, String> {
        let mut outcomes = BTreeMap::new();
        let accepted = self.translated(&mut outcomes)?;
        let built = self.compiled(&accepted, &mut outcomes)?;
        self.built_and_run(&built, &mut outcomes)?;
        Ok(outcomes.into_values().collect())
    }

    /// Writes the entries of these numbers, with twins in a file of their own and what runs both.
    fn write(&self, chosen: &[usize]) -> Result<(), String> {
        let include = format!("#include \"{}\"\n\n", folder().join("kinds.h").display());
        let (mut program, mut twins) = (include.clone(), include);
        for number in chosen {
            let entry = &self.entries[*number];
            program += &text::function(entry, *number, Form::Directed);
            twins += &text::function(entry, *number, self.twin);
        }
        twins += &comparison(chosen);
        let written = std::env::var_os("ACCRS_WRITE").map(PathBuf::from);
        for folder in [Some(self.folder.path().to_owned()), written]
            .into_iter()
            .flatten()
        {
            fs::write(folder.join("program.c"), &program)
                .and_then(|()| fs::write(folder.join("twins.c"), &twins))
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Translates until nothing is refused any more: a stage that finds errors hides those of the
    /// next. Gives the entries that are left, whose translation is in `out`.
    fn translated(&self, outcomes: &mut Outcomes) -> Result<Vec<usize>, String> {
        let mut chosen: Vec<usize> = (0..self.entries.len()).collect();
        loop {
            self.write(&chosen)?;
            let mut translate = command(accrs());
            translate.args(["translate", "--message-format", "short", "-o"]);
            translate.arg(self.path("out")).arg(self.path("program.c"));
            let outcome = run(&mut translate)?;
            if outcome.status.success() {
                return Ok(chosen);
            }
            let refused = self.refused(&outcome.stderr)?;
            if refused.is_empty() {
                return Err(outcome.stderr);
            }
            chosen.retain(|number| !refused.contains_key(number));
            outcomes.extend(refused);
        }
    }

    /// Whose lines the errors name.
    fn refused(&self, messages: &str) -> Result<Outcomes, String> {
        let program = super::support::read(&self.path("program.c"))?;
        let mut entry_of_line = vec![None];
        let mut entry = None;
        for line in program.lines() {
            if let Some(rest) = line.strip_prefix("/* entry ") {
                entry = rest
                    .split(':')
                    .next()
                    .and_then(|number| number.parse().ok());
            }
            entry_of_line.push(entry);
        }
        let mut refused = BTreeMap::new();
        for message in messages.lines() {
            let Some((place, rest)) = message.split_once(": error[") else {
                continue;
            };
            let code = rest.split(']').next().unwrap_or("");
            let line = place.rsplit(':').nth(1).and_then(|line| line.parse().ok());
            let number = line.and_then(|line: usize| *entry_of_line.get(line)?);
            let number = number.ok_or_else(|| format!("an error outside of entries: {message}"))?;
            let outcome = Outcome::Refused(code.to_owned(), message.to_owned());
            refused.entry(number).or_insert(outcome);
        }
        Ok(refused)
    }

    /// Compiles the kernels for GPUs, until nvcc rejects nothing any more.
    fn compiled(&self, chosen: &[usize], outcomes: &mut Outcomes) -> Result<Vec<usize>, String> {
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        self.translate(chosen)?;
        let object = self.path("kernels.o");
        match nvcc::compile(&self.kernels(), &object, ARCHITECTURES) {
            Ok(()) => Ok(chosen.to_vec()),
            Err(message) => self.without_rejected(chosen, message, outcomes, Self::compiled),
        }
    }

    /// Translates entries that accrs accepts, to `out`.
    fn translate(&self, chosen: &[usize]) -> Result<(), String> {
        self.write(chosen)?;
        let mut translate = command(accrs());
        translate.arg("translate").arg("-o").arg(self.path("out"));
        succeed(translate.arg(self.path("program.c"))).map(|_| ())
    }

    fn kernels(&self) -> PathBuf {
        self.path("out/program.acc.cu")
    }

    /// Goes on without the entries that a compiler's message names, or with halves of them where
    /// it names none.
    fn without_rejected(
        &self,
        chosen: &[usize],
        message: String,
        outcomes: &mut Outcomes,
        stage: Stage<'e>,
    ) -> Result<Vec<usize>, String> {
        if let [one] = chosen {
            outcomes.insert(*one, Outcome::Rejected(message));
            return Ok(Vec::new());
        }
        let rejected = self.rejected(&message)?;
        if rejected.is_empty() {
            let (left, right) = chosen.split_at(chosen.len() / 2);
            let mut good = stage(self, left, outcomes)?;
            good.extend(stage(self, right, outcomes)?);
            return Ok(good);
        }
        let mut rest = chosen.to_vec();
        rest.retain(|number| !rejected.contains_key(number));
        outcomes.extend(rejected);
        stage(self, &rest, outcomes)
    }

    /// Whose kernels have the lines that a compiler finds wrong.
    fn rejected(&self, message: &str) -> Result<Outcomes, String> {
        let text = super::support::read(&self.kernels())?;
        let name = Regex::new(r"entry_(?:inner_)?(\d+)").map_err(|error| error.to_string())?;
        let place = Regex::new(r"program\.acc\.cu[(:](\d+)[):].*error(.*)")
            .map_err(|error| error.to_string())?;
        let number = |found: &Captures<'_>| found[1].parse::<usize>().ok();
        let mut rejected = BTreeMap::new();
        for found in place.captures_iter(message) {
            let line = number(&found).unwrap_or(0);
            let before: Vec<&str> = text.lines().take(line).collect();
            let owner = before
                .iter()
                .rev()
                .find_map(|line| name.captures(line).as_ref().and_then(number));
            if let Some(owner) = owner {
                let text = format!("{}: {}", found[2].trim(), before.last().unwrap_or(&""));
                rejected.entry(owner).or_insert(Outcome::Rejected(text));
            }
        }
        Ok(rejected)
    }

    /// Builds for the emulation and runs.
    fn built_and_run(
        &self,
        chosen: &[usize],
        outcomes: &mut Outcomes,
    ) -> Result<Vec<usize>, String> {
        if chosen.is_empty() {
            return Ok(Vec::new());
        }
        self.write(chosen)?;
        let twins = self.path("twins.o");
        let mut gcc = command("gcc");
        gcc.args(["-O0", "-w", "-c", "-o"]).arg(&twins);
        succeed(gcc.arg(self.path("twins.c")))?;
        let program = self.path("program");
        let mut cc = command(accrs());
        cc.args(["cc", "-O0", "-w", "-o"]).arg(&program);
        let outcome = run(cc.arg(self.path("program.c")).arg(&twins).arg("-lm"))?;
        if !outcome.status.success() {
            self.translate(chosen)?;
            return self.without_rejected(chosen, outcome.stderr, outcomes, Self::built_and_run);
        }
        self.run(&program, chosen, outcomes)?;
        Ok(chosen.to_vec())
    }

    /// Runs the entries, again behind each that stops the whole file.
    fn run(&self, program: &Path, chosen: &[usize], outcomes: &mut Outcomes) -> Result<(), String> {
        let mut first = 0;
        while first < chosen.len() {
            let mut timed = command("timeout");
            let outcome = run(timed.arg(SECONDS).arg(program).arg(first.to_string()))?;
            let printed = outcome.text();
            let mut begun = None;
            for line in printed.lines() {
                let malformed = || format!("printed `{line}`");
                let (number, rest) = line.split_once(' ').ok_or_else(malformed)?;
                let number: usize = number.parse().map_err(|_| malformed())?;
                begun = (rest == "begins").then_some(number);
                match rest {
                    "begins" => continue,
                    "same" => outcomes.insert(number, Outcome::Same),
                    _ => outcomes.insert(number, Outcome::Differs(rest.to_owned())),
                };
            }
            let Some(stopped) = begun else {
                break;
            };
            let text = format!("{}: {}", outcome.status, outcome.stderr);
            outcomes.insert(stopped, Outcome::Stopped(text));
            let position = chosen.iter().position(|number| *number == stopped);
            first = position.ok_or("an entry ran that is not there")? + 1;
        }
        let lost = chosen.iter().find(|number| !outcomes.contains_key(number));
        lost.map_or(Ok(()), |number| {
            Err(format!("no outcome of entry {number}"))
        })
    }
}

/// What runs each entry and its twin from the one on the command line on.
fn comparison(chosen: &[usize]) -> String {
    let mut text = String::new();
    for number in chosen {
        let _ = writeln!(text, "void entry_{number}(int n, int *out);");
    }
    text += "\nstatic const struct pair {\n    int number;\n    \
             void (*entry)(int n, int *out), (*twin)(int n, int *out);\n} pairs[] = {\n";
    for number in chosen {
        let _ = writeln!(text, "    {{{number}, entry_{number}, twin_{number}}},");
    }
    text += COMPARISON;
    text
}

const COMPARISON: &str = r#"};

int main(int argc, char **argv)
{
    const int last = (int)(sizeof pairs / sizeof *pairs);
    for (int at = argc > 1 ? atoi(argv[1]) : 0; at < last; at++) {
        int found[RESULTS], expected[RESULTS], differs = -1;
        for (int k = 0; k < RESULTS; k++)
            found[k] = expected[k] = -1;
        printf("%d begins\n", pairs[at].number);
        fflush(stdout);
        pairs[at].entry(8, found);
        pairs[at].twin(8, expected);
        for (int k = RESULTS - 1; k >= 0; k--)
            if (found[k] != expected[k])
                differs = k;
        if (differs < 0)
            printf("%d same\n", pairs[at].number);
        else
            printf("%d result %d: %d expected, %d found\n", pairs[at].number, differs,
                   expected[differs], found[differs]);
        fflush(stdout);
    }
    return 0;
}
"#;

/// The folder of `kinds.h`.
fn folder() -> PathBuf {
    root().join("tests/combinations")
}
