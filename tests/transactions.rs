//! What the translator predicts of memory requests against what the emulation counts of them, and
//! the mappings that it chooses against all others.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

#[path = "transactions/programs.rs"]
mod programs;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::OnceLock;

use programs::{Program, programs};
use serde_json::Value;
use support::process::{command, run};
use support::{accrs, read, root};

/// Requests, transactions and sectors: of whole warps, and of others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tallies {
    full: [f64; 3],
    partial: [f64; 3],
}

impl Tallies {
    fn add(&mut self, other: &Self) {
        for (sum, more) in self.full.iter_mut().zip(other.full) {
            *sum += more;
        }
        for (sum, more) in self.partial.iter_mut().zip(other.partial) {
            *sum += more;
        }
    }

    fn all(&self) -> [f64; 6] {
        let [a, b, c] = self.full;
        let [d, e, f] = self.partial;
        [a, b, c, d, e, f]
    }
}

/// What one request comes to: transactions and sectors; nothing without requests.
fn of_a_request(tally: [f64; 3]) -> Option<(f64, f64)> {
    (tally[0] > 0.0).then(|| (tally[1] / tally[0], tally[2] / tally[0]))
}

/// A kernel, a line, and a kind of access: `read`, or `write`.
type Key = (String, usize, String);

/// Where there are any.
type Requests = BTreeMap<Key, Tallies>;

fn source(program: &Program) -> PathBuf {
    root().join(program.source)
}

/// The line to which accesses on a line count: where its statement begins; the fetches of `fcw` are
/// in the statement behind it.
fn statement(text: &str, line: usize) -> usize {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let goes_on = |line: usize| line > 0 && lines[line - 1].ends_with('\\');
    let directive = (1..=line).rev().find(|line| !goes_on(line - 1)).unwrap();
    let line = match lines[directive - 1].starts_with("#pragma acc fcw") {
        true => (line..).find(|line| !goes_on(*line)).unwrap() + 1,
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

/// What `--feedback` says of all launches, and what it cannot say of them.
#[derive(Default)]
struct Prediction {
    requests: Requests,
    /// Accesses with their reasons.
    unpredicted: BTreeSet<String>,
    /// Where they are.
    unknown: BTreeSet<Key>,
}

fn predicted(program: &Program, options: &[&str]) -> Prediction {
    let mut prediction = Prediction::default();
    let launches = (program.launches)();
    for launch in &launches {
        let is_of = |kernel: &str| is_launch_of(launch, &launches, kernel);
        predict_launch(program, options, launch, is_of, &mut prediction);
    }
    let Prediction {
        requests, unknown, ..
    } = &mut prediction;
    requests.retain(|key, _| !unknown.contains(key));
    prediction
}

/// The kernel that a launch is of alone.
fn kernel_of(launch: &[String]) -> Option<&str> {
    let first = launch.first()?;
    (!first.contains('=')).then_some(first)
}

/// Whether one of the launches is one of a kernel: those of it alone are, if there are any.
fn is_launch_of(launch: &[String], launches: &[Vec<String>], kernel: &str) -> bool {
    let has_own = launches.iter().any(|own| kernel_of(own) == Some(kernel));
    kernel_of(launch) == has_own.then_some(kernel)
}

fn predict_launch(
    program: &Program,
    options: &[&str],
    launch: &[String],
    is_of: impl Fn(&str) -> bool,
    prediction: &mut Prediction,
) {
    let mut check = command(accrs());
    check.args(["check", "--feedback", "--message-format", "json"]);
    check.arg(format!("--windows={}", program.windows));
    // Of two assumptions of one name, the first one holds.
    let own = launch.iter().map(String::as_str);
    let own = own.filter(|size| size.contains('='));
    for size in own.chain(program.sizes.iter().copied()) {
        check.args(["--assume", size]);
    }
    let outcome = run(check.args(options).arg(source(program))).unwrap();
    assert!(outcome.status.success(), "{}", outcome.stderr);
    let text = support::read(&source(program)).unwrap();
    let printed = outcome.text();
    let lines = outcome.stderr.lines().chain(printed.lines());
    let notes: Vec<Value> = lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let mut kernels = BTreeMap::new();
    for note in &notes {
        let data = &note["data"];
        if note["code"]["code"] == "A0534" {
            let name = data["name"].as_str().unwrap().to_owned();
            kernels.insert(data["kernel"].as_u64(), name);
        }
    }
    for note in notes.iter().filter(|note| note["code"]["code"] == "A0530") {
        let data = &note["data"];
        let kernel: &String = &kernels[&data["kernel"].as_u64()];
        if !is_of(kernel) {
            continue;
        }
        let line = note["spans"][0]["line_start"].as_u64().unwrap();
        let line = statement(&text, usize::try_from(line).unwrap());
        let told = data["kind"].as_str().unwrap();
        let kind = told.replace("fetch", "read").replace("write back", "write");
        let key = (kernel.clone(), line, kind);
        if data["requests"].is_null() {
            let access = data["access"].as_str().unwrap();
            let why = data["why"].as_str().unwrap_or("?");
            prediction
                .unpredicted
                .insert(format!("{told} {access}: {why}"));
            prediction.unknown.insert(key.clone());
        }
        let tallies = told_tallies(data);
        prediction.requests.entry(key).or_default().add(&tallies);
    }
}

fn told_tallies(data: &Value) -> Tallies {
    let number = |key: &str| data[key].as_f64().unwrap_or_default();
    let times = |requests: f64, one: [f64; 2]| [requests, requests * one[0], requests * one[1]];
    Tallies {
        full: times(
            number("requests"),
            [number("transactions"), number("sectors")],
        ),
        partial: times(
            number("partial_requests"),
            [number("partial_transactions"), number("partial_sectors")],
        ),
    }
}

/// A C++ compiler that makes what is written: where it is asked to be quick, a compiler finds values
/// that it has already, and does not read them again.
fn literal_compiler() -> PathBuf {
    static COMPILER: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("literal-c++");
        let script = "#!/bin/sh\nexec \"${CXX:-c++}\" \"$@\" -O0\n";
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    COMPILER.get_or_init(make).clone()
}

fn counts(program: &Program, options: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("counts.json");
    let mut counting = command(accrs());
    counting.env("ACCRS_CXX", literal_compiler());
    counting
        .arg("run")
        .arg(format!("--counts={}", json.display()));
    counting.arg(format!("--windows={}", program.windows));
    counting.args(options).arg(source(program)).arg("--");
    let outcome = run(counting.args(program.arguments.split(' '))).unwrap();
    assert!(outcome.status.success(), "{}", outcome.stderr);
    serde_json::from_str(&support::read(&json).unwrap()).unwrap()
}

/// Each with its kernel's name.
fn device_accesses(kernels: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let kernels = kernels.as_array().unwrap().iter();
    let accesses = kernels.flat_map(|kernel| {
        let name = kernel["name"].as_str().unwrap();
        let name = name.rsplit("::").next().unwrap();
        let accesses = kernel["accesses"].as_array().unwrap().iter();
        accesses.map(move |access| (name, access))
    });
    accesses.filter(|(_, access)| access["space"] == "device")
}

fn tallies(access: &Value) -> Tallies {
    let tally = |warps: &str| {
        ["requests", "transactions", "sectors"].map(|what| access[warps][what].as_f64().unwrap())
    };
    Tallies {
        full: tally("full"),
        partial: tally("partial"),
    }
}

/// What was counted of each statement.
fn counted(program: &Program, kernels: &Value) -> Requests {
    let text = support::read(&source(program)).unwrap();
    let file = source(program);
    let mut found = Requests::new();
    for (kernel, access) in device_accesses(kernels) {
        let name = access["file"].as_str().unwrap();
        let line = usize::try_from(access["line"].as_u64().unwrap()).unwrap();
        // Partial results of reductions are in memory of the runtime's own.
        if line == 0 || access["array"] == "" || PathBuf::from(name).file_name() != file.file_name()
        {
            continue;
        }
        let line = statement(&text, line);
        // An atomic update is one access.
        let kind = access["access"].as_str().unwrap();
        let kind = kind.replace("atomic", "write");
        let key = (kernel.to_owned(), line, kind);
        found.entry(key).or_default().add(&tallies(access));
    }
    found
}

/// Of figures that are whole numbers, but for how they are told: by the request.
const EXACT: f64 = 1e-6;

/// Compares requests, transactions and sectors, those of whole warps and of others. All that is
/// counted has to be predicted, or to be among what the program is known not to be predictable in.
fn compare(program: &Program, options: &[&str], least: usize) -> Vec<String> {
    let prediction = predicted(program, options);
    let counted = counted(program, &counts(program, options));
    let mut wrong = Vec::new();
    let unpredicted: Vec<&str> = prediction.unpredicted.iter().map(String::as_str).collect();
    if unpredicted != program.unpredicted {
        wrong.push(format!("not predicted: {unpredicted:#?}"));
    }
    let launches = (program.launches)();
    let mut untold = BTreeSet::new();
    let mut compared = 0;
    for (key, count) in &counted {
        match prediction.requests.get(key) {
            Some(prediction) => {
                let told = launches
                    .iter()
                    .filter(|launch| is_launch_of(launch, &launches, &key.0));
                let told = told.count();
                if !is_multiple(count, prediction, told) {
                    wrong.push(format!(
                        "{key:?}: {prediction:?} predicted, {count:?} counted"
                    ));
                }
                compared += usize::from(prediction.full[0] > 0.0);
            }
            None if prediction.unknown.contains(key) => {}
            None => {
                untold.insert(format!("{} at line {}", key.2, key.1));
            }
        }
    }
    if !untold.iter().eq(program.in_functions) {
        wrong.push(format!("not told of: {untold:#?}"));
    }
    if compared < least {
        wrong.push(format!("{compared} statements compared"));
    }
    let name = |complaint| format!("{} {options:?}: {complaint}", program.source);
    wrong.into_iter().map(name).collect()
}

/// Whether that is what so many launches come to; a kernel that does not depend on what differs
/// between some may have others.
fn is_multiple(counted: &Tallies, predicted: &Tallies, told: usize) -> bool {
    let ratio = counted.all().iter().sum::<f64>() / predicted.all().iter().sum::<f64>();
    let launches = ratio * told as f64;
    let mut both = counted.all().into_iter().zip(predicted.all());
    launches >= 1.0
        && (launches - launches.round()).abs() < EXACT
        && both.all(|(counted, predicted)| (counted - predicted * ratio).abs() < EXACT)
}

/// Compares those programs of which a form is named so.
fn compare_forms(is_meant: impl Fn(&str) -> bool) {
    let meant = programs().filter(|program| is_meant(program.source.trim_end_matches(".c")));
    let wrong: Vec<String> = meant.flat_map(|program| compare(program, &[], 0)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn predictions_of_plain_forms_are_what_is_counted() {
    compare_forms(|name| !name.ends_with("_fcw") && !name.ends_with("_cache"));
}

#[test]
fn predictions_of_fcw_forms_are_what_is_counted() {
    compare_forms(|name| name.ends_with("_fcw"));
}

#[test]
fn predictions_of_cache_forms_are_what_is_counted() {
    compare_forms(|name| name.ends_with("_cache"));
}

/// Every OpenACC program of the benchmarks is compared.
#[test]
fn no_benchmark_is_left_out() {
    for (name, _) in support::cases(&root().join("benchmarks"), ".c") {
        let source = format!("benchmarks/{name}.c");
        let is_openacc = !name.starts_with("common/")
            && read(&root().join(&source))
                .unwrap()
                .contains("#pragma acc ");
        let is_compared = programs().any(|program| program.source == source);
        assert!(is_compared || !is_openacc, "{source} is not compared");
    }
}

/// A prediction for other sizes is another one: the comparison sees the difference.
#[test]
fn another_size_is_seen() {
    let program = programs().next().unwrap();
    let other = Program {
        sizes: &["rows=70", "inner=64", "columns=96"],
        ..*program
    };
    let right = predicted(program, &[]).requests;
    let wrong = predicted(&other, &[]).requests;
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
    for program in programs().filter(|program| !program.variables.is_empty()) {
        let transactions = |options: &[&str]| -> f64 {
            let kernels = counts(program, options);
            let all = device_accesses(&kernels).map(|(_, access)| tallies(access));
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

/// Predictions hold for mappings that no pass would choose, too.
#[test]
fn predictions_hold_for_every_mapping() {
    for program in programs().filter(|program| !program.variables.is_empty()) {
        for variable in program.variables {
            let wrong = compare(program, &["--along-x", variable], 1);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    }
}

/// The committed counts, which `accrs bench` is held to: a program in hiCUDA moves no more than 1.02
/// of what it does written by hand.
#[test]
fn hicuda_moves_as_much_as_cuda_by_hand() {
    let report = root().join("benchmarks/results/emulation/report.json");
    let report: Value = serde_json::from_str(&read(&report).unwrap()).unwrap();
    let mut compared = 0;
    for program in report["programs"].as_array().unwrap() {
        let forms = program["forms"].as_array().unwrap();
        let moved = |form: &str| {
            let found = forms.iter().find(|f| f["form"] == form)?;
            let sizes = found["sizes"].as_array().unwrap().iter();
            let counts = sizes.map(|size| size["counts"]["device"]["transactions"].as_f64());
            counts.map(Option::unwrap).reduce(|a, b| a + b)
        };
        let (Some(own), Some(by_hand)) = (moved("hicuda"), moved("textbook")) else {
            continue;
        };
        let name = &program["name"];
        assert!(own <= 1.02 * by_hand, "{name}: {own} against {by_hand}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared} programs in both forms");
}
