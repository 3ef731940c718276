//! Runs files of nests serially, under sanitizers and traced, and as `kernels` in three orders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::run::{SCHEDULES, Verdict, harness};
use super::super::support::accrs;
use super::super::support::process::{command, run};
use super::model::Function;
use super::text;

/// The seconds that a file may run in one order.
const SECONDS: &str = "20";

/// What was found out about a function.
#[derive(Clone, Debug)]
pub struct Found {
    pub verdict: Verdict,
    pub loops: Vec<LoopFound>,
}

/// What was found out about one of its loops.
#[derive(Clone, Debug, Default)]
pub struct LoopFound {
    /// The translator calls it parallel, whatever pointers and lengths there are.
    pub parallel: bool,
    /// Parallel unless two pointers overlap, or rows are shorter than what they hold, at which the launch looks.
    pub checked: bool,
    /// Two of its iterations touched one element, one of them writing.
    pub carried: bool,
}

/// What a run printed about a function: `values` lines, and which loops carried a dependence.
#[derive(Clone, Debug, Default)]
struct Printed {
    values: Vec<String>,
    carried: Vec<bool>,
    is_done: bool,
}

/// What becomes of each function.
pub fn examine(functions: &[&Function]) -> Result<Vec<Found>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let examiner = Examiner {
        folder: folder.path().to_owned(),
    };
    let all: Vec<usize> = (0..functions.len()).collect();
    let mut found = BTreeMap::new();
    let mut serial = BTreeMap::new();
    examiner.serial(functions, &all, &mut serial, &mut found)?;
    let defined: Vec<usize> = serial.keys().copied().collect();
    examiner.kernels(functions, &defined, &serial, &mut found)?;
    Ok(found.into_values().collect())
}

struct Examiner {
    folder: PathBuf,
}

impl Examiner {
    fn write(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.folder.join(name);
        std::fs::write(&path, text).map_err(|error| error.to_string())?;
        Ok(path)
    }

    /// Runs the chosen functions serially; those that are not defined C are faulty.
    fn serial(
        &self,
        functions: &[&Function],
        chosen: &[usize],
        printed: &mut BTreeMap<usize, Printed>,
        found: &mut BTreeMap<usize, Found>,
    ) -> Result<(), String> {
        let list: Vec<&Function> = chosen.iter().map(|&k| functions[k]).collect();
        let (text, _) = text::file(&list, true);
        let source = self.write("serial.c", &text)?;
        let program = self.folder.join("serial");
        let mut gcc = command("gcc");
        gcc.args(["-O0", "-w", "-DTRACED", "-fwrapv", "-ffp-contract=off"])
            .args(["-fsanitize=address,undefined,float-cast-overflow"])
            .args(["-fno-sanitize-recover=all", "-I", &harness(), "-o"])
            .arg(&program);
        let outcome = run(gcc.arg(source).arg("-lm"))?;
        if !outcome.status.success() {
            if let [one] = chosen {
                let verdict = Verdict::Faulty(outcome.stderr);
                found.insert(
                    *one,
                    Found {
                        verdict,
                        loops: Vec::new(),
                    },
                );
                return Ok(());
            }
            let (left, right) = chosen.split_at(chosen.len() / 2);
            self.serial(functions, left, printed, found)?;
            return self.serial(functions, right, printed, found);
        }
        let mut first = 0;
        while first < chosen.len() {
            let (outputs, stderr) = self.outputs(&program, first, "forward")?;
            let mut at = first;
            while at < chosen.len() && outputs.get(&at).is_some_and(|p| p.is_done) {
                printed.insert(chosen[at], outputs[&at].clone());
                at += 1;
            }
            if at < chosen.len() {
                let verdict = Verdict::Faulty(stderr);
                found.insert(
                    chosen[at],
                    Found {
                        verdict,
                        loops: Vec::new(),
                    },
                );
            }
            first = at + 1;
        }
        Ok(())
    }

    fn outputs(
        &self,
        program: &Path,
        first: usize,
        schedule: &str,
    ) -> Result<(BTreeMap<usize, Printed>, String), String> {
        let mut timed = command("timeout");
        timed.arg(SECONDS).arg(program).arg(first.to_string());
        timed.env("ACCRS_SCHEDULE", schedule);
        timed.env("ASAN_OPTIONS", "detect_leaks=0");
        let outcome = run(&mut timed)?;
        let mut printed: BTreeMap<usize, Printed> = BTreeMap::new();
        for line in outcome.text().lines() {
            let mut words = line.splitn(3, ' ');
            let number = words.next().and_then(|word| word.parse().ok());
            let (Some(number), Some(kind)) = (number, words.next()) else {
                continue;
            };
            let rest = words.next().unwrap_or("");
            let of: &mut Printed = printed.entry(number).or_default();
            match kind {
                "values" => of.values.push(rest.to_owned()),
                "carried" => of.carried = rest.split(' ').map(|word| word == "1").collect(),
                _ => of.is_done = true,
            }
        }
        Ok((printed, format!("{}: {}", outcome.status, outcome.stderr)))
    }

    /// Builds the chosen functions with accrs and runs them in all orders.
    fn kernels(
        &self,
        functions: &[&Function],
        chosen: &[usize],
        serial: &BTreeMap<usize, Printed>,
        found: &mut BTreeMap<usize, Found>,
    ) -> Result<(), String> {
        if chosen.is_empty() {
            return Ok(());
        }
        let list: Vec<&Function> = chosen.iter().map(|&k| functions[k]).collect();
        let (text, lines) = text::file(&list, false);
        let source = self.write("nests.c", &text)?;
        let program = self.folder.join("nests");
        let mut cc = command(accrs());
        cc.args(["cc", "-O1", "-w", "-fwrapv", "-ffp-contract=off"])
            .args(["-I", &harness(), "-o"])
            .arg(&program);
        let built = run(cc.arg(&source).arg("-lm"))?;
        if !built.status.success() {
            if let [one] = chosen {
                let verdict = Verdict::Refused(built.stderr);
                found.insert(
                    *one,
                    Found {
                        verdict,
                        loops: Vec::new(),
                    },
                );
                return Ok(());
            }
            let (left, right) = chosen.split_at(chosen.len() / 2);
            self.kernels(functions, left, serial, found)?;
            return self.kernels(functions, right, serial, found);
        }
        let called = self.called(&source)?;
        for (number, index) in chosen.iter().enumerate() {
            let expected = &serial[index];
            let mut loops = Vec::new();
            for (at, line) in lines[number].iter().enumerate() {
                let mut of = called.get(line).cloned().unwrap_or_default();
                of.carried = expected.carried.get(at).copied().unwrap_or_default();
                loops.push(of);
            }
            let wrong = loops.iter().position(|l| l.parallel && l.carried);
            let verdict = match wrong {
                Some(at) => {
                    let line = lines[number][at];
                    let text = text.lines().nth(line - 1).unwrap_or_default().trim();
                    Verdict::Differs(format!(
                        "called parallel, though iterations touch one element: `{text}`"
                    ))
                }
                None => Verdict::Same,
            };
            found.insert(*index, Found { verdict, loops });
        }
        for schedule in SCHEDULES {
            self.compare(&program, chosen, schedule, serial, found)?;
        }
        Ok(())
    }

    /// What the feedback says of the loop in each line.
    fn called(&self, source: &Path) -> Result<BTreeMap<usize, LoopFound>, String> {
        let mut check = command(accrs());
        check
            .args([
                "check",
                "--feedback",
                "--message-format",
                "json",
                "-I",
                &harness(),
            ])
            .arg(source);
        let outcome = run(&mut check)?;
        let mut called = BTreeMap::new();
        let both = format!("{}\n{}", outcome.text(), outcome.stderr);
        for line in both.lines().filter(|line| line.contains("\"A0500\"")) {
            let message: serde_json::Value =
                serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
            let Some(number) = message["spans"][0]["line_start"].as_u64() else {
                continue;
            };
            let reasons = message["children"].as_array().into_iter().flatten();
            let reason = reasons
                .filter_map(|child| child["message"].as_str())
                .find(|text| text.starts_with("parallel: "));
            let number = usize::try_from(number).map_err(|error| error.to_string())?;
            let is_checked =
                |reason: &str| reason.contains(", unless ") || reason.contains(", if ");
            let is_checked = reason.is_some_and(is_checked);
            // Where a launch looks, another kernel does the loop one by one.
            let of: &mut LoopFound = called.entry(number).or_default();
            of.parallel |= reason.is_some() && !is_checked;
            of.checked |= is_checked;
        }
        Ok(called)
    }

    fn compare(
        &self,
        program: &Path,
        chosen: &[usize],
        schedule: &str,
        serial: &BTreeMap<usize, Printed>,
        found: &mut BTreeMap<usize, Found>,
    ) -> Result<(), String> {
        let mut first = 0;
        while first < chosen.len() {
            let (outputs, stderr) = self.outputs(program, first, schedule)?;
            let mut at = first;
            while at < chosen.len() {
                let Some(actual) = outputs.get(&at).filter(|p| p.is_done) else {
                    break;
                };
                if let Some(text) = difference(&serial[&chosen[at]].values, &actual.values) {
                    let text = format!("schedule {schedule}: {text}");
                    note(found, chosen[at], Verdict::Differs(text));
                }
                at += 1;
            }
            if at < chosen.len() {
                let text = format!("schedule {schedule}: {stderr}");
                note(found, chosen[at], Verdict::Stopped(text));
            }
            first = at + 1;
        }
        Ok(())
    }
}

/// The first verdict that is not `Same` stands.
fn note(found: &mut BTreeMap<usize, Found>, index: usize, verdict: Verdict) {
    if let Some(found) = found.get_mut(&index)
        && found.verdict == Verdict::Same
    {
        found.verdict = verdict;
    }
}

/// The first element that differs: round, name and values in each line.
fn difference(expected: &[String], actual: &[String]) -> Option<String> {
    for (expected, actual) in expected.iter().zip(actual) {
        let pairs = expected.split(' ').zip(actual.split(' '));
        let mut words = expected.split(' ');
        let (round, name) = (words.next()?, words.next()?);
        for (at, (expected, actual)) in pairs.enumerate().skip(2) {
            if expected != actual {
                let at = at - 2;
                return Some(format!(
                    "round {round}: {name}[{at}]: expected {expected}, found {actual}"
                ));
            }
        }
    }
    (expected.len() != actual.len()).then(|| "other lines".to_owned())
}
