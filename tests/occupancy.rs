//! How kernels fill a multiprocessor: the calculation against NVIDIA's own, and the blocks of all
//! benchmark programs against every size that there could be.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use accrs::analysis::occupancy::{Multiprocessor, Needs};
use serde_json::Value;
use support::process::{command, run, succeed};
use support::serial::gcc;
use support::{accrs, nvcc, root};

/// All that CUDA 13 compiles for, and the last one before.
const ARCHITECTURES: [u16; 12] = [70, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121];

/// Those of the table.
const ARCHITECTURE: u16 = 90;

/// What a plain form is called with the windows that accrs adds.
const AUTOMATIC: &str = "_auto";

/// Registers, shared memory, barriers and sizes: each against all sizes, and against each other.
fn cases() -> Vec<(u16, Needs, u32)> {
    let needs = |registers: u32, shared: u64, barriers: u32| Needs {
        registers: Some(registers),
        shared,
        barriers,
    };
    let mut cases = Vec::new();
    for arch in ARCHITECTURES {
        for threads in (32..=1024).step_by(32).chain([1, 33, 100, 1000]) {
            for registers in 1..=255 {
                cases.push((arch, needs(registers, 0, 1), threads));
            }
            for kilobytes in 0..=228 {
                for odd in [0, 1, 128] {
                    cases.push((arch, needs(40, 1024 * kilobytes + odd, 1), threads));
                }
            }
            for barriers in 0..=16 {
                cases.push((arch, needs(24, 4096, barriers), threads));
            }
        }
    }
    cases
}

/// The header is a part of the toolkit that nvcc comes with.
#[test]
fn the_calculation_is_nvidias() {
    let include = nvcc::program().unwrap();
    let include = include.parent().unwrap().parent().unwrap().join("include");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("calculator");
    let mut compile = gcc("c99");
    compile.arg("-w").arg("-isystem").arg(include);
    compile.arg("-o").arg(&program);
    succeed(compile.arg(root().join("tests/occupancy/calculator.c"))).unwrap();
    let cases = cases();
    let mut input = String::new();
    for (arch, needs, threads) in &cases {
        let multiprocessor = Multiprocessor::of(*arch).unwrap();
        assert_eq!(multiprocessor.arch, *arch);
        let fixed = needs.shared.min(48 * 1024);
        let dynamic = needs.shared - fixed;
        let registers = needs.registers.unwrap();
        writeln!(
            input,
            "{arch} {} {} {} {registers} {fixed} {dynamic} {} {threads}",
            multiprocessor.warps,
            multiprocessor.shared(),
            multiprocessor.shared_of_block(),
            needs.barriers
        )
        .unwrap();
    }
    let file = program.with_extension("txt");
    fs::write(&file, input).unwrap();
    let mut calculate = command(&program);
    let output = succeed(calculate.stdin(fs::File::open(&file).unwrap())).unwrap();
    let expected: Vec<u32> = output
        .text()
        .lines()
        .map(|line| line.parse().unwrap())
        .collect();
    assert_eq!(expected.len(), cases.len());
    for ((arch, needs, threads), expected) in cases.into_iter().zip(expected) {
        let found = Multiprocessor::of(arch).unwrap().occupancy(needs, threads);
        assert_eq!(
            found.blocks, expected,
            "sm_{arch}, {needs:?}, {threads} threads"
        );
    }
}

/// Blocks that the launch may choose have 256 threads, or a half, a quarter or an eighth of them
/// (`launch_configuration`, `runtime/src/block_choice.cpp`): no other size fills a multiprocessor
/// better, whatever the registers, as long as threads alone need it.
#[test]
fn a_size_of_up_to_256_threads_is_the_best_of_all() {
    const OF_THE_LAUNCH: [u32; 4] = [256, 128, 64, 32];
    for arch in ARCHITECTURES {
        let multiprocessor = Multiprocessor::of(arch).unwrap();
        for registers in 1..=255 {
            for barriers in [0, 1] {
                let needs = Needs {
                    registers: Some(registers),
                    shared: 0,
                    barriers,
                };
                let all = multiprocessor.ranking(needs, (32..=1024).step_by(32));
                let own = multiprocessor.ranking(needs, OF_THE_LAUNCH);
                assert_eq!(own[0].warps, all[0].warps, "sm_{arch}, {needs:?}");
            }
        }
    }
}

/// The runtime's choice, which no emulation makes.
#[test]
fn the_launch_chooses() {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("block");
    let mut compile = command("c++");
    compile.args([
        "-std=c++17",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pthread",
        "-I",
    ]);
    compile.arg(root().join("runtime/include"));
    for source in ["tests/block.cpp", "src/block_choice.cpp"] {
        compile.arg(root().join("runtime").join(source));
    }
    succeed(compile.arg("-o").arg(&program)).unwrap();
    succeed(&mut command(&program)).unwrap();
}

/// A kernel of a benchmark.
struct Row {
    form: String,
    kernel: String,
    /// What `--feedback` has for the architecture of the table.
    told: Value,
    block: Vec<u64>,
    why: String,
    may_shrink: bool,
    has_windows: bool,
}

/// The kernels of a form.
fn rows(form: &str, file: &Path) -> Vec<Row> {
    let mut check = command(accrs());
    check.env("ACCRS_NVCC", nvcc::program().unwrap());
    check.args(["check", "--feedback=resources", "--message-format", "json"]);
    check.arg(match form.ends_with(AUTOMATIC) {
        true => "--windows=automatic",
        false => "--windows=directives",
    });
    check.arg("--arch").arg(ARCHITECTURE.to_string());
    let outcome = run(check.arg(file)).unwrap();
    assert!(outcome.status.success(), "{}", outcome.stderr);
    let messages = outcome.stderr.lines();
    let messages = messages.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let launches = messages.filter(|message| message["code"]["code"] == "A0534");
    launches
        .map(|message| {
            let data = &message["data"];
            let block = data["decided"].as_array().unwrap();
            Row {
                form: form.to_owned(),
                kernel: data["name"].as_str().unwrap().to_owned(),
                told: data["occupancy"][0].clone(),
                block: block.iter().map(|n| n.as_u64().unwrap()).collect(),
                why: data["why"].as_str().unwrap().to_owned(),
                may_shrink: data["may_shrink"].as_bool().unwrap(),
                has_windows: data["window_bytes"] != 0,
            }
        })
        .collect()
}

/// All forms but the serial ones and those with OpenMP's directives, plain ones with the windows that accrs adds too.
fn forms() -> Vec<(String, PathBuf)> {
    let mut forms = Vec::new();
    for (name, _) in support::cases(&root().join("benchmarks"), "/bench.toml") {
        let folder = root().join("benchmarks").join(&name);
        for (stem, path) in support::cases(&folder, ".c") {
            let is_form = stem == name || stem.starts_with(&format!("{name}_"));
            let has_kernels = !stem.ends_with("_serial") && !stem.ends_with("_omp");
            if is_form && has_kernels {
                forms.push((stem, path));
            }
        }
        let description = support::read(&folder.join("bench.toml")).unwrap();
        if description.contains("\nautomatic = true\n") {
            let plain = folder.join(format!("{name}.c"));
            forms.push((format!("{name}{AUTOMATIC}"), plain));
        }
    }
    forms
}

/// On two cores: each form takes nvcc half a second where its report is not kept yet.
fn all_rows() -> Vec<Row> {
    let forms = forms();
    let next = Mutex::new(forms.iter().enumerate());
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let turn = next.lock().unwrap().next();
                    let Some((number, (form, file))) = turn else {
                        break;
                    };
                    let rows = rows(form, file);
                    found.lock().unwrap().push((number, rows));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort_by_key(|(number, _)| *number);
    found.into_iter().flat_map(|(_, rows)| rows).collect()
}

/// The best occupancy of all sizes from 32 to 1024, and the largest size that has it.
fn best(row: &Row) -> (f64, u32) {
    let number = |key: &str| row.told[key].as_u64().unwrap();
    let needs = Needs {
        registers: Some(u32::try_from(number("registers")).unwrap()),
        shared: number("shared_bytes"),
        barriers: u32::try_from(number("barriers")).unwrap(),
    };
    let multiprocessor = Multiprocessor::of(ARCHITECTURE).unwrap();
    let ranking = multiprocessor.ranking(needs, (32..=1024).step_by(32));
    (ranking[0].percent(), ranking[0].threads)
}

const PAGE: &str = "docs/occupancy.md";

const HEAD: &str = "# Occupancy of the benchmark programs

What nvcc 13.0 makes of the kernels of `benchmarks/` for sm_90, the blocks that they have on a GPU with enough
iterations, and the best that any size from 32 to 1024 threads would have (the largest such size). Of kernels
with windows only their own size counts, since the windows have it. `cargo test --test occupancy` compares
the page with what `accrs check --feedback=resources --arch sm_90` says; `ACCRS_BLESS=1` rewrites it.

Of equal sizes AUTO-CTA takes the largest of all; here it is the largest of 256 threads, a half, a quarter and an
eighth of them. What a block claims it holds until its last warp ends, so that with four warps in place of 32 there
is always room for the next ones, and a kernel that may have 1024 threads may have 64 registers at most, a quarter
of what 256 threads may have. None of the larger sizes has a higher occupancy: the test tries all of them with every
number of registers on every architecture.

| form | kernel | registers | bytes of spills | shared | block | occupancy | limited by | best | of the size |
|---|---|---:|---:|---:|---|---:|---|---:|---|
";

/// A line of the table, and whether the occupancy is known to be the best.
fn line(row: &Row) -> (String, bool) {
    let number = |key: &str| row.told[key].as_u64().unwrap();
    let used = 1 + row.block.iter().rposition(|n| *n > 1).unwrap_or(0);
    let extents: Vec<String> = row.block[..used].iter().map(u64::to_string).collect();
    let counted = format!(
        "| {} | `{}` | {} | {} | {} |",
        row.form,
        row.kernel,
        number("registers"),
        number("spill_bytes"),
        number("shared_bytes"),
    );
    let block = extents.join(" x ");
    let Some(percent) = row.told["percent"].as_f64() else {
        return (
            format!("{counted} {block} | by the launch | | | |\n"),
            false,
        );
    };
    let own: u64 = row.block.iter().product();
    let block = match number("threads") {
        threads if threads == own => block,
        threads => format!("{threads} of {own}"),
    };
    let (most, size) = match row.has_windows {
        true => (percent, u32::try_from(own).unwrap()),
        false => best(row),
    };
    let limit = row.told["limited_by"].as_str().unwrap();
    let line = format!("{counted} {block} | {percent} % | {limit} | {most} % | {size} |\n");
    let is_best = percent >= if row.has_windows { 100.0 } else { most };
    (line, is_best)
}

/// Every kernel has the best occupancy, or its size is not for the launch to choose.
#[test]
fn blocks_of_the_benchmarks_have_the_best_occupancy() {
    let rows = all_rows();
    for (form, _) in forms() {
        assert!(rows.iter().any(|row| row.form == form), "{form}: no kernel");
    }
    let mut page = HEAD.to_owned();
    let mut lesser = Vec::new();
    for row in &rows {
        let (line, is_best) = line(row);
        page += &line;
        if !is_best {
            assert!(!row.may_shrink, "{line}");
            let why = match row.told["percent"].is_number() {
                true => &row.why,
                false => {
                    "the launch gives its windows their size, and so the shared memory that a block needs"
                }
            };
            lesser.push(format!("- {} `{}`: {why}.\n", row.form, row.kernel));
        }
    }
    page += &match lesser.is_empty() {
        true => "\nEvery kernel has the best occupancy.\n".to_owned(),
        false => format!(
            "\nWhy some have less than the best, or one that is not known before the launch:\n\n{}",
            lesser.concat()
        ),
    };
    let path = root().join(PAGE);
    if std::env::var_os("ACCRS_BLESS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{PAGE} is out of date: ACCRS_BLESS=1 rewrites it\n{page}"
    );
}
