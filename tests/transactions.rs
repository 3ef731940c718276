//! What the translator predicts of memory requests against what the emulation counts of them, and
//! the mappings that it chooses against all others.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::collections::BTreeMap;
use std::path::PathBuf;

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
    /// How the branches of one decision begin. A compiler that finds the same access in several makes
    /// it one, so that they are only compared together.
    branches: &'static [&'static str],
    /// The variables of its nests: each is tried along x.
    variables: &'static [&'static str],
}

impl Program {
    /// Whether a line is one of several branches.
    fn is_branch(&self, line: usize) -> bool {
        let text = support::read(&source(self)).unwrap();
        let line = text.lines().nth(line - 1).unwrap_or_default().trim();
        self.branches.iter().any(|start| line.starts_with(start))
    }
}

const PROGRAMS: &[Program] = &[
    Program {
        source: "benchmarks/matmul/matmul.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        branches: &[],
        variables: &["i", "j"],
    },
    Program {
        source: "benchmarks/jacobi/jacobi.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101"],
        branches: &[],
        variables: &["row", "column"],
    },
    Program {
        source: "benchmarks/fdtd/fdtd.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101"],
        branches: &[],
        variables: &["row", "column"],
    },
    Program {
        source: "benchmarks/poisson/poisson.c",
        arguments: "37 41 43 1 1",
        sizes: &["planes=37", "rows=41", "columns=43"],
        branches: &[],
        variables: &["i", "j", "k"],
    },
    Program {
        source: "benchmarks/hotspot/hotspot.c",
        arguments: "100 101 2 --generate 1",
        sizes: &["rows=100", "columns=101"],
        branches: &["vertical = ", "horizontal = "],
        variables: &["row", "column"],
    },
    Program {
        source: "benchmarks/nbody/nbody.c",
        arguments: "300 2 1",
        sizes: &["count=300"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "tests/mappings/strides.c",
        arguments: "201",
        sizes: &["n=201"],
        branches: &[],
        variables: &["i", "j", "k"],
    },
    Program {
        source: "benchmarks/matmul/matmul_fcw.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/matmul/matmul_cache.c",
        arguments: "70 75 100 1",
        sizes: &["rows=70", "inner=75", "columns=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/jacobi/jacobi_fcw.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "now=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/jacobi/jacobi_cache.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "now=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/fdtd/fdtd_fcw.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "ex=101", "ey=100", "hz=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/fdtd/fdtd_cache.c",
        arguments: "100 101 2 1",
        sizes: &["rows=100", "columns=101", "ex=101", "ey=100", "hz=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/poisson/poisson_fcw.c",
        arguments: "37 41 43 1 1",
        sizes: &["planes=37", "rows=41", "columns=43", "p=37"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/poisson/poisson_cache.c",
        arguments: "37 41 43 1 1",
        sizes: &["planes=37", "rows=41", "columns=43", "p=37"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/nbody/nbody_fcw.c",
        arguments: "300 2 1",
        sizes: &["count=300", "bodies=300"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/nbody/nbody_cache.c",
        arguments: "300 2 1",
        sizes: &["count=300", "bodies=300"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/hotspot/hotspot_cache.c",
        arguments: "100 101 2 --generate 1",
        sizes: &["rows=100", "columns=101", "now=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/srad/srad.c",
        arguments: "2 --generate 100 101 1",
        sizes: &["rows=100", "columns=101"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/srad/srad_cache.c",
        arguments: "2 --generate 100 101 1",
        sizes: &["rows=100", "columns=101", "now=100", "coefficient=100"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/pathfinder/pathfinder.c",
        arguments: "20 1056 1", // rows are whole lines: which one a launch has is not known
        sizes: &["columns=1056"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/reduction/reduction.c",
        arguments: "1000 1",
        sizes: &["count=1000"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/nn/nn.c",
        arguments: "5 30 90 --generate 1000 1",
        sizes: &["count=1000"],
        branches: &[],
        variables: &[],
    },
    Program {
        source: "benchmarks/dyadic/dyadic.c",
        arguments: "500 30 1",
        sizes: &["count=512", "kernel_count=30"],
        branches: &[],
        variables: &[],
    },
];

/// Requests, transactions and sectors: of whole warps, and of others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tallies {
    full: [f64; 3],
    partial: [f64; 3],
    /// Whether a block fills windows here: a lane that has no element in one round of its loop goes
    /// on, so that which lanes of a partial warp go together is open.
    is_fetch: bool,
}

impl Tallies {
    fn add(&mut self, other: &Self) {
        for (sum, more) in self.full.iter_mut().zip(other.full) {
            *sum += more;
        }
        for (sum, more) in self.partial.iter_mut().zip(other.partial) {
            *sum += more;
        }
        self.is_fetch |= other.is_fetch;
    }

    /// The part of all requests that is of whole warps.
    fn share(&self) -> f64 {
        self.full[0] / (self.full[0] + self.partial[0])
    }
}

/// What one request comes to: transactions and sectors; nothing without requests.
fn of_a_request(tally: [f64; 3]) -> Option<(f64, f64)> {
    (tally[0] > 0.0).then(|| (tally[1] / tally[0], tally[2] / tally[0]))
}

/// By line and kind of access (`read`, `write`), where there are any.
type Requests = BTreeMap<(usize, String), Tallies>;

fn source(program: &Program) -> PathBuf {
    root().join(program.source)
}

/// The line to which accesses on a line count: where its statement begins, or the first branch of
/// those that it is one of; the fetches of `fcw` are in the statement behind it.
fn statement(program: &Program, text: &str, line: usize) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    for branches in program.branches {
        if lines[line - 1].starts_with(branches) {
            let first = lines.iter().position(|line| line.starts_with(branches));
            return first.unwrap() + 1;
        }
    }
    let line = match lines[line - 1].starts_with("#pragma acc fcw") {
        true => line + 1,
        false => line,
    };
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

/// What `--feedback` says of each statement in which it knows all accesses.
fn predicted(program: &Program, options: &[&str]) -> Requests {
    let mut check = command(accrs());
    check.args(["check", "--feedback", "--message-format", "json"]);
    for size in program.sizes {
        check.args(["--assume", size]);
    }
    let outcome = run(check.args(options).arg(source(program))).unwrap();
    assert!(outcome.status.success(), "{}", outcome.stderr);
    let text = support::read(&source(program)).unwrap();
    let (mut found, mut unknown) = (Requests::new(), Vec::new());
    for line in outcome.stderr.lines().chain(outcome.text().lines()) {
        let Ok(note) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let data = &note["data"];
        if note["code"]["code"] != "A0530" {
            continue;
        }
        let number = |key: &str| data[key].as_f64().unwrap_or_default();
        let times = |requests: f64, one: [f64; 2]| [requests, requests * one[0], requests * one[1]];
        let tallies = Tallies {
            full: times(
                number("requests"),
                [number("transactions"), number("sectors")],
            ),
            partial: times(
                number("partial_requests"),
                [number("partial_transactions"), number("partial_sectors")],
            ),
            is_fetch: data["kind"] == "fetch",
        };
        let line = note["spans"][0]["line_start"].as_u64().unwrap();
        let line = statement(program, &text, usize::try_from(line).unwrap());
        let kind = data["kind"].as_str().unwrap().replace("fetch", "read");
        if data["requests"].is_null() {
            unknown.push((line, kind.clone()));
        }
        found.entry((line, kind)).or_default().add(&tallies);
    }
    found.retain(|key, _| !unknown.contains(key));
    found
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

fn device_accesses(kernels: &Value) -> impl Iterator<Item = &Value> {
    let kernels = kernels.as_array().unwrap().iter();
    let accesses = kernels.flat_map(|kernel| kernel["accesses"].as_array().unwrap());
    accesses.filter(|access| access["space"] == "device")
}

fn tallies(access: &Value) -> Tallies {
    let tally = |warps: &str| {
        ["requests", "transactions", "sectors"].map(|what| access[warps][what].as_f64().unwrap())
    };
    Tallies {
        full: tally("full"),
        partial: tally("partial"),
        is_fetch: false,
    }
}

/// What was counted of each statement.
fn counted(program: &Program, kernels: &Value) -> Requests {
    let text = support::read(&source(program)).unwrap();
    let file = source(program);
    let mut found = Requests::new();
    for access in device_accesses(kernels) {
        let name = access["file"].as_str().unwrap();
        let line = usize::try_from(access["line"].as_u64().unwrap()).unwrap();
        // Partial results of reductions are in memory of the runtime's own.
        if line == 0 || access["array"] == "" || PathBuf::from(name).file_name() != file.file_name()
        {
            continue;
        }
        let line = statement(program, &text, line);
        let kind = access["access"].as_str().unwrap().to_owned();
        found.entry((line, kind)).or_default().add(&tallies(access));
    }
    found
}

/// Figures that are sums of whole numbers.
const EXACT: f64 = 1e-9;

/// Compares what a request of a whole warp comes to, and how many of all requests are of such; what
/// others come to as well, where the compiler leaves each access its own.
fn compare(program: &Program, options: &[&str], least: usize) {
    let predicted = predicted(program, options);
    let counted = counted(program, &counts(program, options));
    let mut compared = 0;
    for (key, prediction) in &predicted {
        let told = format!("{} {options:?}: {key:?}", program.source);
        // A value that the compiler has from the statement before is not read again.
        let Some(count) = counted.get(key) else {
            continue;
        };
        let same = |what: &str, predicted: Option<(f64, f64)>, counted: Option<(f64, f64)>| {
            let close = match (predicted, counted) {
                (Some(predicted), Some(counted)) => {
                    (predicted.0 - counted.0).abs() < EXACT
                        && (predicted.1 - counted.1).abs() < EXACT
                }
                (None, None) => true,
                _ => false,
            };
            assert!(
                close,
                "{told}: {what}: {predicted:?} predicted, {counted:?} counted"
            );
        };
        same(
            "whole warps",
            of_a_request(prediction.full),
            of_a_request(count.full),
        );
        if prediction.is_fetch {
            let launches = count.full[0] / prediction.full[0];
            assert!(
                launches.fract() == 0.0,
                "{told}: {launches} times as many requests"
            );
        } else if !program.is_branch(key.0) {
            same(
                "others",
                of_a_request(prediction.partial),
                of_a_request(count.partial),
            );
            assert!(
                (prediction.share() - count.share()).abs() < EXACT,
                "{told}: {} of requests predicted to be of whole warps, {} counted",
                prediction.share(),
                count.share()
            );
        }
        compared += usize::from(prediction.full[0] > 0.0);
    }
    assert!(
        compared >= least,
        "{}: {compared} statements compared",
        program.source
    );
}

#[test]
fn predictions_are_what_is_counted() {
    for program in PROGRAMS {
        compare(program, &[], 1);
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
            .any(|(a, b)| of_a_request(a.full) != of_a_request(b.full))
    );
}

/// Each loop in turn along x: what was chosen has the fewest transactions of all.
#[test]
fn the_chosen_mapping_has_the_fewest_transactions() {
    for program in PROGRAMS
        .iter()
        .filter(|program| !program.variables.is_empty())
    {
        let transactions = |options: &[&str]| -> f64 {
            let kernels = counts(program, options);
            let all = device_accesses(&kernels).map(tallies);
            all.map(|tallies| tallies.full[1] + tallies.partial[1])
                .sum()
        };
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
