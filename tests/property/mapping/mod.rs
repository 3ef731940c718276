//! No choice of threads for a nest, and of the memory of its arrays, changes its result.
//!
//! Random nests of two to four loops (strides, orders, directions, sizes that nothing divides,
//! bounds that depend on outer loops, inner sums, reductions, tables that blocks cache) are run serially and in many ways:
//! with the levels and sizes of blocks that directives ask for, and with each loop along x. All
//! arrays are compared bit for bit, as are integer reductions; a floating-point sum may differ by
//! what its order can change (see [`comparison`]). The same nests are run with their first input in
//! each kind of memory that `--place` knows, in all kernels that can have it there.

mod choice;
mod comparison;
mod nest;
mod text;

use std::fs;
use std::path::Path;

use self::choice::Choice;
use self::nest::Nest;
use crate::run::{SCHEDULES, harness};
use crate::setting;
use crate::support::accrs;
use crate::support::process::{build, command, run};

/// Nests that are run without a request, the choices of each, and the seed of the first.
const NESTS: u64 = 20;
const CHOICES: usize = 8;
const FIRST_SEED: u64 = 2024;

/// Functions in one file: more take the compiler too long to be waited for.
const IN_A_FILE: usize = 80;

/// A nest in some of its choices.
pub struct Case<'n> {
    nest: &'n Nest,
    /// What is run serially: the nest itself, but where a test wants to see a difference.
    oracle: Nest,
    choices: Vec<Choice>,
}

/// `ACCRS_NESTS=n` runs more nests, `ACCRS_SEED=n` begins elsewhere, `ACCRS_CHOICES=all` runs each
/// in every way there is, `ACCRS_CHOICES=n` in so many.
pub fn no_choice_changes_a_result() -> Result<(), String> {
    let first = setting("ACCRS_SEED", FIRST_SEED)?;
    let nests: Vec<Nest> = (first..first + setting("ACCRS_NESTS", NESTS)?)
        .map(nest::nest)
        .collect();
    let most = match std::env::var("ACCRS_CHOICES") {
        Ok(all) if all == "all" => usize::MAX,
        Ok(number) => number
            .parse()
            .map_err(|_| format!("ACCRS_CHOICES={number}"))?,
        Err(_) => CHOICES,
    };
    let files = files(&nests, most);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let failures: Vec<String> = std::thread::scope(|scope| {
        let shares: Vec<_> = (0..workers)
            .map(|worker| {
                let files = &files;
                scope.spawn(move || {
                    let own = files.iter().skip(worker).step_by(workers);
                    own.flat_map(|file| check(file, &[]).unwrap_or_else(|error| vec![error]))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let join = |share: std::thread::ScopedJoinHandle<'_, Vec<String>>| {
            share
                .join()
                .unwrap_or_else(|_| vec!["a worker panicked".to_owned()])
        };
        shares.into_iter().flat_map(join).collect()
    });
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n")),
    }
}

/// Nests with at most so many of their choices, so many functions in a file.
fn files(nests: &[Nest], most: usize) -> Vec<Vec<Case<'_>>> {
    let mut files: Vec<Vec<Case>> = Vec::new();
    let mut room = 0;
    for nest in nests {
        for some in nest.some_choices(most).chunks(IN_A_FILE) {
            let case = Case {
                nest,
                oracle: nest.clone(),
                choices: some.to_vec(),
            };
            match files.last_mut() {
                Some(file) if some.len() <= room => file.push(case),
                _ => {
                    room = IN_A_FILE;
                    files.push(vec![case]);
                }
            }
            room -= some.len();
        }
    }
    files
}

/// The kinds of memory that an input may be asked into.
const MEMORIES: [&str; 4] = ["global", "read-only", "constant", "window"];

/// As many nests as `ACCRS_NESTS=n` says, from `ACCRS_SEED=n`.
pub fn no_placement_changes_a_result() -> Result<(), String> {
    let first = setting("ACCRS_SEED", FIRST_SEED)?;
    let nests: Vec<Nest> = (first..first + setting("ACCRS_NESTS", NESTS)?)
        .map(nest::nest)
        .collect();
    let mut failures = Vec::new();
    for file in files(&nests, 1) {
        for memory in MEMORIES {
            let found = placed(&file, memory)?;
            if found.is_none() {
                failures.push(format!("no nest has its input in {memory} memory"));
            }
            failures.extend(found.into_iter().flatten());
        }
    }
    match failures.is_empty() {
        true => Ok(()),
        false => Err(failures.join("\n")),
    }
}

/// What differs of the nests whose input can be in such memory; `None` if that is none of them. The
/// translator refuses a file for one nest: halves are tried then.
fn placed(cases: &[Case], memory: &str) -> Result<Option<Vec<String>>, String> {
    match check(cases, &["--place", &format!("a0={memory}")]) {
        Ok(failures) => Ok(Some(failures)),
        Err(refused) if refused.contains("[A0512]") || refused.contains("[A0533]") => {
            let (left, right) = cases.split_at(cases.len() / 2);
            if left.is_empty() {
                return Ok(None);
            }
            let (left, right) = (placed(left, memory)?, placed(right, memory)?);
            let some = left.is_some() || right.is_some();
            let failures = left.into_iter().chain(right).flatten();
            Ok(some.then(|| failures.collect()))
        }
        Err(error) => Err(error),
    }
}

/// What differs of the nests of one file, with these options of the translator.
fn check(cases: &[Case], options: &[&str]) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = folder.path().join("nests.c");
    fs::write(&source, text::file(cases)).map_err(|error| error.to_string())?;
    let program = folder.path().join("nests");
    let mut cc = command(accrs());
    cc.args(["cc", "-O1", "-w", "-ffp-contract=off", "-fwrapv"]);
    cc.args(["-I", &harness()]).args(options);
    for (number, case) in cases.iter().enumerate() {
        for (index, choice) in case.choices.iter().enumerate() {
            if let Some(l) = choice.along_x {
                cc.args(["--along-x", &text::variable(number, index, l)]);
            }
        }
    }
    build(cc.arg("-o").arg(&program).arg(&source).arg("-lm"))?;
    let mut failures = Vec::new();
    for schedule in SCHEDULES {
        failures.extend(failures_in(schedule, &program, cases)?);
    }
    Ok(failures)
}

fn failures_in(schedule: &str, program: &Path, cases: &[Case]) -> Result<Vec<String>, String> {
    let outcome = run(command(program).env("ACCRS_SCHEDULE", schedule))?;
    let printed = outcome.text();
    let mut failures = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        for (index, choice) in case.choices.iter().enumerate() {
            let start = format!("{number} {index} ");
            let line = printed.lines().find_map(|line| line.strip_prefix(&start));
            if line != Some("same") {
                failures.push(format!(
                    "seed {}, schedule {schedule}, {choice:?}: {}\n{}{}",
                    case.nest.seed,
                    line.unwrap_or("nothing was printed"),
                    text::function(case, number, index),
                    outcome.stderr
                ));
            }
        }
    }
    Ok(failures)
}

/// A serial nest that lacks an iteration gives something else, and that is seen in every choice.
pub fn a_missing_iteration_is_seen() -> Result<(), String> {
    let nests: Vec<Nest> = (FIRST_SEED..FIRST_SEED + 10).map(nest::nest).collect();
    let cases: Vec<Case> = nests
        .iter()
        .map(|nest| Case {
            nest,
            oracle: nest.without_first_iteration(),
            choices: nest.some_choices(2),
        })
        .collect();
    let wrong = check(&cases, &[])?.len();
    let all = cases.len() * 2 * SCHEDULES.len();
    match wrong == all {
        true => Ok(()),
        false => Err(format!("{wrong} of {all} differences are seen")),
    }
}
