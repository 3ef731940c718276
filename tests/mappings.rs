//! The mappings that the translator chooses: against all others, and where clauses leave no choice.
//!
//! `docs/mapping.md` has the table of all mappings of five programs as the translator predicts them;
//! `ACCRS_BLESS=1 cargo test --test mappings` puts the present one there. `tests/transactions.rs`
//! compares such predictions with what the emulation counts.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use support::process::{command, succeed};
use support::{accrs, root};

/// What `--feedback` says of a file, as data: the code of each note with its figures.
fn notes(file: &Path, options: &[&str]) -> Vec<(String, Value)> {
    let mut check = command(accrs());
    check.args(["check", "--feedback", "--message-format", "json"]);
    check.arg("--windows=directives");
    let outcome = succeed(check.args(options).arg(file)).unwrap();
    let printed = outcome.text();
    let lines = outcome.stderr.lines().chain(printed.lines());
    let notes = lines.filter_map(|line| {
        let mut note: Value = serde_json::from_str(line).ok()?;
        let code = note["code"]["code"].as_str()?.to_owned();
        let mut data = note["data"].take();
        data["line"] = note["spans"][0]["line_start"].take();
        Some((code, data))
    });
    notes.collect()
}

// All mappings

/// A program of the paper on MESI-CUDA's thread mapping, with the paper's sizes.
struct Program {
    name: &'static str,
    sizes: &'static [&'static str],
    /// The functions with its kernels, in order.
    kernels: &'static [&'static str],
    /// Every loop along x, or where there are three, every two along x and y.
    mappings: &'static [&'static str],
}

const PLANE: &[&str] = &["column", "row"];

const PROGRAMS: &[Program] = &[
    Program {
        name: "matmul",
        sizes: &["rows=8192", "inner=8192", "columns=8192"],
        kernels: &["multiply"],
        mappings: &["j", "i"],
    },
    Program {
        name: "jacobi",
        sizes: &["rows=1024", "columns=1024"],
        kernels: &["relax"],
        mappings: PLANE,
    },
    Program {
        name: "fdtd",
        sizes: &["rows=10240", "columns=10240"],
        kernels: &["advance_magnetic", "advance_electric"],
        mappings: PLANE,
    },
    Program {
        name: "poisson",
        sizes: &["planes=128", "rows=128", "columns=128"],
        kernels: &["relax", "update"],
        mappings: &["k,j", "k,i", "j,k", "j,i", "i,k", "i,j"],
    },
    Program {
        name: "hotspot",
        sizes: &["rows=512", "columns=512"],
        kernels: &["simulate"],
        mappings: PLANE,
    },
];

/// Requests and transactions of one launch.
#[derive(Clone, Copy, Default)]
struct Traffic {
    loads: (f64, f64),
    stores: (f64, f64),
}

impl Traffic {
    fn transactions(self) -> f64 {
        self.loads.1 + self.stores.1
    }
}

/// What each kernel of a program asks of memory, whole and other warps together.
fn traffic(program: &Program, mapping: Option<&str>) -> Vec<Traffic> {
    let mut options: Vec<&str> = Vec::new();
    for size in program.sizes {
        options.extend(["--assume", size]);
    }
    if let Some(mapping) = mapping {
        options.extend(["--along-x", mapping]);
    }
    let file = format!("benchmarks/{0}/{0}.c", program.name);
    let mut kernels = vec![Traffic::default(); program.kernels.len()];
    for (code, data) in notes(&root().join(file), &options) {
        if code != "A0530" {
            continue;
        }
        let kernel = usize::try_from(data["kernel"].as_u64().unwrap()).unwrap();
        let traffic = &mut kernels[kernel];
        let sum = match data["kind"].as_str() {
            Some("write") => &mut traffic.stores,
            _ => &mut traffic.loads,
        };
        for warps in ["", "partial_"] {
            let number = |what: &str| data[format!("{warps}{what}")].as_f64();
            let requests = number("requests").unwrap();
            sum.0 += requests;
            sum.1 += requests * number("transactions").unwrap_or_default();
        }
    }
    kernels
}

/// Two mappings are equally good to less than this.
const EQUAL: f64 = 1.0 + 1e-9;

#[test]
fn the_chosen_mapping_is_the_best_of_all_and_the_page_shows_them() {
    let mut table = String::from(
        "| program | kernel | along x (y) | a load | a store | of a launch | times the chosen |\n\
         |---|---|---|---:|---:|---:|---:|\n",
    );
    for program in PROGRAMS {
        let chosen = traffic(program, None);
        let all: Vec<_> = program
            .mappings
            .iter()
            .map(|mapping| (*mapping, traffic(program, Some(mapping))))
            .collect();
        for (number, kernel) in program.kernels.iter().enumerate() {
            let chosen = chosen[number].transactions();
            let mut is_first = true;
            for (mapping, kernels) in &all {
                let traffic = kernels[number];
                let times = traffic.transactions() / chosen;
                assert!(
                    times * EQUAL >= 1.0,
                    "{}: {mapping} is better",
                    program.name
                );
                let is_chosen = is_first && times < EQUAL;
                is_first &= !is_chosen;
                row(
                    &mut table,
                    program.name,
                    kernel,
                    (mapping, is_chosen),
                    traffic,
                    times,
                );
            }
            assert!(
                !is_first,
                "{} {kernel}: what was chosen is no mapping",
                program.name
            );
        }
    }
    let page = root().join("docs/mapping.md");
    let text = support::read(&page).unwrap();
    let (before, rest) = text.split_once("<!-- mappings -->\n").unwrap();
    let (_, after) = rest.split_once("<!-- end of mappings -->").unwrap();
    let wanted = format!("{before}<!-- mappings -->\n{table}<!-- end of mappings -->{after}");
    if std::env::var_os("ACCRS_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&page, wanted).unwrap();
    } else {
        assert!(
            text == wanted,
            "docs/mapping.md is out of date: ACCRS_BLESS=1 rewrites it"
        );
    }
}

fn row(
    table: &mut String,
    program: &str,
    kernel: &str,
    (mapping, is_chosen): (&str, bool),
    traffic: Traffic,
    times: f64,
) {
    let (along_x, along_y) = match mapping.split_once(',') {
        Some((x, y)) => (x, format!(" (`{y}`)")),
        None => (mapping, String::new()),
    };
    let mark = if is_chosen { ", chosen" } else { "" };
    let _ = writeln!(
        table,
        "| {program} | `{kernel}` | `{along_x}`{along_y}{mark} | {:.2} | {:.2} | {:.0} | {times:.2} |",
        traffic.loads.1 / traffic.loads.0,
        traffic.stores.1 / traffic.stores.0,
        traffic.transactions()
    );
}

// Loops that each thread would have for itself

/// Each loop along x in turn, those within a thread taken out or not: what is chosen is the best.
#[test]
fn loops_are_taken_out_of_threads_where_that_is_the_best_mapping() {
    let file = root().join("tests/mappings/exchange.c");
    let transactions = |along_x: Option<&str>| {
        let mut options = vec!["--assume", "n=128"];
        options.extend(along_x.iter().flat_map(|along_x| ["--along-x", along_x]));
        let mut kernels = [0.0; 2];
        for (_, data) in notes(&file, &options)
            .iter()
            .filter(|(code, _)| code == "A0530")
        {
            let kernel = usize::try_from(data["kernel"].as_u64().unwrap()).unwrap();
            for warps in ["", "partial_"] {
                let number = |what: &str| data[format!("{warps}{what}")].as_f64();
                kernels[kernel] +=
                    number("requests").unwrap() * number("transactions").unwrap_or_default();
            }
        }
        kernels
    };
    let chosen = transactions(None);
    let mut others = Vec::new();
    for (kernel, loops) in [(0, ["i", "j", "k"]), (1, ["row", "row", "column"])] {
        for along_x in loops {
            let other = transactions(Some(along_x))[kernel];
            assert!(
                chosen[kernel] <= other * EQUAL,
                "{along_x}: {other}, chosen {}",
                chosen[kernel]
            );
            others.push(other / chosen[kernel]);
        }
    }
    // With the loops as they are, each thread has lines of its own.
    assert!(others[1] > 10.0 && others[3] > 10.0, "{others:?}");
    let taken: Vec<Value> = (notes(&file, &["--assume", "n=128"]).into_iter())
        .filter(|(code, data)| code == "A0535" && data["decided"] == "threads")
        .map(|(_, mut data)| data["loop"].take())
        .collect();
    assert_eq!(taken, ["k", "column"]);
}

// Clauses

/// Loops of `tests/mappings/clauses.c`, and what their clauses ask for.
const KEPT: &[(&str, &str, &str, [u64; 3])] = &[
    ("gang_row", "gang", "blockIdx.x", [128, 1, 1]),
    ("vector_column", "vector", "threadIdx.x", [128, 1, 1]),
    ("kernels_row", "gang", "blockIdx.x", [96, 1, 1]),
    ("sized_column", "vector", "threadIdx.x", [96, 1, 1]),
    (
        "tile_row",
        "gang worker",
        "blockIdx.y, threadIdx.y",
        [4, 16, 1],
    ),
    (
        "tile_column",
        "gang vector",
        "blockIdx.x, threadIdx.x",
        [4, 16, 1],
    ),
    (
        "large_row",
        "gang worker",
        "blockIdx.y, threadIdx.y",
        [64, 16, 1],
    ),
    (
        "large_column",
        "gang vector",
        "blockIdx.x, threadIdx.x",
        [64, 16, 1],
    ),
    (
        "one_row",
        "gang worker",
        "blockIdx.y, threadIdx.y",
        [64, 4, 1],
    ),
    (
        "one_column",
        "gang vector",
        "blockIdx.x, threadIdx.x",
        [64, 4, 1],
    ),
    (
        "worker_row",
        "gang worker",
        "blockIdx.x, threadIdx.y",
        [32, 8, 1],
    ),
    ("lane_column", "vector", "threadIdx.x", [32, 8, 1]),
    (
        "long_row",
        "gang vector",
        "blockIdx.x, threadIdx.x",
        [32, 1, 1],
    ),
    ("seq_column", "sequential", "", [32, 1, 1]),
];

fn check_clauses(notes: &[(String, Value)], variables: impl Fn(&str) -> bool) {
    for (variable, levels, dimensions, block) in KEPT {
        if !variables(variable) {
            continue;
        }
        let found = notes
            .iter()
            .find(|(code, data)| code == "A0500" && data["loop"] == *variable);
        assert!(found.is_some(), "no note on the loop over {variable}");
        let Some((_, data)) = found else { continue };
        assert_eq!(data["decided"], *levels, "{variable}: {data}");
        let axes: Vec<&str> = dimensions
            .split(", ")
            .filter(|axis| !axis.is_empty())
            .collect();
        assert_eq!(
            data["dimensions"],
            serde_json::json!(axes),
            "{variable}: {data}"
        );
        assert_eq!(
            data["block"],
            serde_json::json!(block),
            "{variable}: {data}"
        );
    }
}

/// Each nest would be mapped otherwise without its clauses, as the first one in the file is. A loop
/// that is asked to run along x does so only where clauses leave the choice.
#[test]
fn clauses_are_kept() {
    let file = root().join("tests/mappings/clauses.c");
    let plain = notes(&file, &[]);
    let free = plain
        .iter()
        .find(|(code, data)| code == "A0531" && data["decided"] == "free_row");
    assert!(free.is_some(), "nothing was chosen without clauses");
    check_clauses(&plain, |_| true);
    let asked: Vec<&str> = KEPT
        .iter()
        .filter(|(variable, ..)| variable.ends_with("_row") && *variable != "one_row")
        .flat_map(|(variable, ..)| ["--along-x", variable])
        .collect();
    // `collapse` on its own says nothing of axes.
    check_clauses(&notes(&file, &asked), |variable| {
        !variable.starts_with("one_")
    });
}
