//! What the translator predicts of memory requests against what the emulation counts of them, and
//! the mappings that it chooses against all others.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

use regex::Regex;
use serde_json::Value;
use support::process::{command, run};
use support::{accrs, root};

/// A program with sizes that nothing divides.
struct Program {
    /// Below `benchmarks/`, or below `tests/mappings/`.
    source: &'static str,
    arguments: &'static str,
    /// What its kernels know these sizes by.
    sizes: &'static [&'static str],
    /// Lines whose accesses stand under conditions: which warps are whole there the data decides.
    conditional: &'static [&'static str],
    /// The variables of its nests: each is tried along x.
    variables: &'static [&'static str],
}

const PROGRAMS: &[Program] = &[
    Program {
        source: "benchmarks/matmul/matmul.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        conditional: &[],
        variables: &["i", "j"],
    },
    Program {
        source: "benchmarks/jacobi/jacobi.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101"],
        conditional: &[],
        variables: &["row", "column"],
    },
    Program {
        source: "benchmarks/fdtd/fdtd.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101"],
        conditional: &["ex[row][column] += ", "ey[row][column] -= "],
        variables: &["row", "column"],
    },
    Program {
        source: "benchmarks/poisson/poisson.c",
        arguments: "37 41 43 1 1",
        sizes: &["planes=37", "rows=41", "columns=43"],
        conditional: &[],
        variables: &["i", "j", "k"],
    },
    Program {
        source: "benchmarks/hotspot/hotspot.c",
        arguments: "100 101 2 --generate 1",
        sizes: &["rows=100", "columns=101"],
        conditional: &["vertical = ", "horizontal = "],
        variables: &["row", "column"],
    },
    Program {
        source: "benchmarks/nbody/nbody.c",
        arguments: "300 2 1",
        sizes: &["count=300"],
        conditional: &[],
        variables: &[],
    },
    Program {
        source: "tests/mappings/strides.c",
        arguments: "201",
        sizes: &["n=201"],
        conditional: &[],
        variables: &["i", "j", "k"],
    },
];

/// Transactions and sectors of a request.
type Request = (f64, f64);

/// By line and kind of access (`read`, `write`), where there are any.
type Requests = BTreeMap<(usize, String), Request>;

fn source(program: &Program) -> PathBuf {
    root().join(program.source)
}

/// The line on which the statement of a line begins: its accesses are counted there.
fn statement(text: &str, line: usize) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let ends = |line: &str| {
        line.is_empty()
            || line.starts_with('#')
            || [";", "{", "}", ")", "else", "*/"]
                .iter()
                .any(|end| line.ends_with(end))
    };
    let begins = |&line: &usize| line == 1 || ends(lines[line - 2]);
    (1..=line).rev().find(begins).unwrap_or(line)
}

/// What `--feedback` says of each statement, several accesses in their mean.
fn predicted(program: &Program, options: &[&str]) -> Requests {
    let mut check = command(accrs());
    check.args(["check", "--feedback", "--message-format", "short"]);
    for size in program.sizes {
        check.args(["--assume", size]);
    }
    let outcome = run(check.args(options).arg(source(program))).unwrap();
    assert!(outcome.status.success(), "{}", outcome.stderr);
    let pattern = Regex::new(
        r":(\d+):\d+: note\[A0530\]: a warp (read|write)s `.*` in ([\d.]+) transactions? and ([\d.]+) sectors?",
    )
    .unwrap();
    let text = support::read(&source(program)).unwrap();
    let mut lines: BTreeMap<_, Vec<Request>> = BTreeMap::new();
    for found in pattern.captures_iter(&outcome.stderr) {
        let number = |group: usize| found[group].parse::<f64>().unwrap();
        lines
            .entry((
                statement(&text, found[1].parse().unwrap()),
                found[2].to_owned(),
            ))
            .or_default()
            .push((number(3), number(4)));
    }
    let mean = |requests: Vec<Request>| {
        let count = requests.len() as f64;
        let sum = requests
            .iter()
            .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        (sum.0 / count, sum.1 / count)
    };
    lines
        .into_iter()
        .map(|(key, requests)| (key, mean(requests)))
        .collect()
}

fn counts(program: &Program, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("counts.json");
    let mut counting = command(accrs());
    counting
        .arg("run")
        .arg(format!("--counts={}", json.display()));
    counting.args(options).arg(source(program)).arg("--");
    let outcome = run(counting.args(program.arguments.split(' '))).unwrap();
    assert!(outcome.status.success(), "{}", outcome.stderr);
    serde_json::from_str(&support::read(&json).unwrap()).unwrap()
}

/// Sums over accesses to device memory: requests, transactions, sectors of whole warps; and
/// transactions of all.
fn sums<'a>(accesses: impl Iterator<Item = &'a Value>) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for access in accesses {
        let number = |warps: &str, what: &str| access[warps][what].as_f64().unwrap();
        sums[0] += number("full", "requests");
        sums[1] += number("full", "transactions");
        sums[2] += number("full", "sectors");
        sums[3] += number("full", "transactions") + number("partial", "transactions");
    }
    sums
}

fn device_accesses(kernels: &Value) -> impl Iterator<Item = &Value> {
    let kernels = kernels.as_array().unwrap().iter();
    let accesses = kernels.flat_map(|kernel| kernel["accesses"].as_array().unwrap());
    accesses.filter(|access| access["space"] == "device")
}

/// What was counted on the lines that `wanted` has.
fn counted(kernels: &Value, wanted: &Requests) -> Requests {
    let mut result = Requests::new();
    for (line, kind) in wanted.keys() {
        let here = device_accesses(kernels)
            .filter(|access| access["line"] == *line && access["access"].as_str().unwrap() == kind);
        let [requests, transactions, sectors, _] = sums(here);
        if requests > 0.0 {
            result.insert(
                (*line, kind.clone()),
                (transactions / requests, sectors / requests),
            );
        }
    }
    result
}

fn is_conditional(program: &Program, text: &str, line: usize) -> bool {
    let line = text.lines().nth(line - 1).unwrap_or_default();
    program.conditional.iter().any(|part| line.contains(part))
}

/// Two digits are shown.
const SHOWN: f64 = 0.005_001;

fn compare(program: &Program, options: &[&str], least: usize) {
    let text = support::read(&source(program)).unwrap();
    let predicted = predicted(program, options);
    let counted = counted(&counts(program, options), &predicted);
    let mut compared = 0;
    for (key, (transactions, sectors)) in &predicted {
        if is_conditional(program, &text, key.0) {
            continue;
        }
        let told = format!("{} {options:?}: {key:?}", program.source);
        // A mapping may leave no warp whole.
        let Some((real_transactions, real_sectors)) = counted.get(key) else {
            continue;
        };
        assert!(
            (transactions - real_transactions).abs() < SHOWN,
            "{told}: {transactions} transactions predicted, {real_transactions} counted"
        );
        assert!(
            (sectors - real_sectors).abs() < SHOWN,
            "{told}: {sectors} sectors predicted, {real_sectors} counted"
        );
        compared += 1;
    }
    assert!(
        compared >= least,
        "{}: {compared} lines compared",
        program.source
    );
}

#[test]
fn predictions_are_what_is_counted() {
    for (program, least) in PROGRAMS.iter().zip([2, 3, 2, 5, 3, 9, 9]) {
        compare(program, &[], least);
    }
}

/// A prediction for other sizes is another one: the comparison sees the difference.
#[test]
fn another_size_is_seen() {
    let program = &PROGRAMS[0];
    let other = Program {
        sizes: &["rows=70", "inner=64", "columns=96"],
        ..*program
    };
    let (right, wrong) = (predicted(program, &[]), predicted(&other, &[]));
    assert!(right.iter().zip(&wrong).all(|(a, b)| a.0 == b.0));
    assert!(
        right
            .values()
            .zip(wrong.values())
            .any(|(a, b)| (a.0 - b.0).abs() > 0.1)
    );
}

/// Each loop in turn along x: what was chosen has the fewest transactions of all.
#[test]
fn the_chosen_mapping_has_the_fewest_transactions() {
    for program in PROGRAMS
        .iter()
        .filter(|program| !program.variables.is_empty())
    {
        let transactions = |options: &[&str]| sums(device_accesses(&counts(program, options)))[3];
        let chosen = transactions(&[]);
        let mut worst: f64 = 0.0;
        for variable in program.variables {
            let other = transactions(&["--along-x", variable]);
            assert!(
                chosen <= other,
                "{}: {chosen} transactions, {other} with {variable} along x",
                program.source
            );
            worst = worst.max(other);
        }
        eprintln!(
            "{}: {chosen} transactions, at worst {worst}",
            program.source
        );
        assert!(
            worst > 2.0 * chosen,
            "{}: {worst} at worst, {chosen}",
            program.source
        );
    }
}

/// Predictions hold for mappings that nobody would choose, too.
#[test]
fn predictions_hold_for_every_mapping() {
    for program in PROGRAMS
        .iter()
        .filter(|program| !program.variables.is_empty())
    {
        for variable in program.variables {
            compare(program, &["--along-x", variable], 1);
        }
    }
}
