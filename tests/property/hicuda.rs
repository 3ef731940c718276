//! Random hiCUDA kernels against serial C with memories apart.
//!
//! A kernel is made from a seed: a nest of loops of one to three dimensions, partitioned over
//! blocks in runs or in turn, over threads, over both or not at all, upward and downward, in
//! steps, over types of all widths, with bounds that are numbers or variables; or a stencil whose
//! neighbours are in shared memory, over uneven batches and clipped at the ends of the array; or
//! phases of blocks with barriers between ([`phases`]). Arrays are allocated whole or in part, copied
//! or cleared. The other function of each program does in plain C what that means for the host's
//! array. Many are in one file, run in three schedules.
//!
//! `ACCRS_PARTITIONS=N` makes more of them, `ACCRS_PARTITIONS_SEED=N` begins elsewhere.

mod phases;

use std::fmt::Write as _;
use std::fs;

use crate::random::Random;
use crate::support::accrs;
use crate::support::process::{command, run, succeed};

/// Programs without a request, and the seed of the first.
const PROGRAMS: u64 = 60;
const FIRST_SEED: u64 = 2011;
const IN_A_FILE: u64 = 20;
const SCHEDULES: &[&str] = &["forward", "reverse", "20101"];

/// A program: what declares its arrays, the kernel, and the same serially.
struct Program {
    seed: u64,
    /// Of the two arrays that are compared.
    dimensions: Vec<i64>,
    /// Variables of both functions.
    variables: String,
    /// Directives and loops.
    device: String,
    serial: String,
    /// The serial loops with one iteration less.
    mistaken: String,
}

fn number(variable: &str, fallback: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(fallback)
}

/// Every kernel computes what the serial loops do.
pub fn partitions_compute_what_is_serial() -> Result<(), String> {
    let first = number("ACCRS_PARTITIONS_SEED", FIRST_SEED);
    let count = number("ACCRS_PARTITIONS", PROGRAMS);
    let mut wrong = Vec::new();
    for begin in (0..count).step_by(usize::try_from(IN_A_FILE).unwrap_or(1)) {
        let seeds = begin..count.min(begin + IN_A_FILE);
        let programs: Vec<Program> = seeds.map(|at| program(first + at)).collect();
        let differing = differing(&programs, false)?;
        let shown = programs.iter().filter(|p| differing.contains(&p.seed));
        wrong.extend(shown.map(|p| format!("seed {}:\n{}", p.seed, p.device)));
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n")),
    }
}

/// One iteration less is seen in each program that has any.
pub fn a_missing_partition_is_seen() -> Result<(), String> {
    let programs: Vec<Program> = (0..IN_A_FILE).map(|at| program(FIRST_SEED + at)).collect();
    let seen = differing(&programs, true)?;
    let unseen = programs
        .iter()
        .find(|program| !seen.contains(&program.seed));
    unseen.map_or(Ok(()), |p| {
        Err(format!("seed {}: not seen\n{}", p.seed, p.serial))
    })
}

/// The programs of which device and serial results differ in some schedule.
fn differing(programs: &[Program], mistaken: bool) -> Result<Vec<u64>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let file = folder.path().join("programs.c");
    fs::write(&file, text(programs, mistaken)).map_err(|error| error.to_string())?;
    let mut cc = command(accrs());
    cc.current_dir(folder.path());
    succeed(cc.args(["cc", "-O0", "-w", "-o", "programs", "programs.c"]))?;
    let mut found = Vec::new();
    for schedule in SCHEDULES {
        let mut program = command(folder.path().join("programs"));
        let outcome = run(program.env("ACCRS_SCHEDULE", schedule))?;
        if outcome.code() != Some(0) {
            return Err(format!("schedule {schedule}: {}", outcome.stderr));
        }
        let printed = outcome.text();
        found.extend(printed.lines().filter_map(|line| line.parse::<u64>().ok()));
    }
    Ok(found)
}

/// A file with all programs; it prints the seeds of those whose results differ.
fn text(programs: &[Program], mistaken: bool) -> String {
    let mut out = String::from("#include <stdio.h>\n#include <string.h>\n");
    let mut main = String::new();
    for p in programs {
        let seed = p.seed;
        let brackets: String = p.dimensions.iter().map(|n| format!("[{n}]")).collect();
        let serial = if mistaken { &p.mistaken } else { &p.serial };
        let total: i64 = p.dimensions.iter().product();
        let fill = format!(
            "for (int q = 0; q < {total}; q++) {{ ((int *)a)[q] = q * 7 % 23 + 1; ((int *)b)[q] = -q; }}"
        );
        for (kind, body) in [("device", &p.device), ("serial", serial)] {
            let _ = write!(
                out,
                "static int {kind}_{seed}_a{brackets}, {kind}_{seed}_b{brackets};\n\
                 static void {kind}_{seed}(void)\n{{\n\
                 #define a {kind}_{seed}_a\n#define b {kind}_{seed}_b\n\
                 {fill}\nint zero = 0;\n{}{body}#undef a\n#undef b\n}}\n",
                p.variables,
            );
        }
        let _ = writeln!(
            main,
            "    device_{seed}(); serial_{seed}();\n\
             \x20   if (memcmp(device_{seed}_b, serial_{seed}_b, sizeof serial_{seed}_b)) puts(\"{seed}\");"
        );
    }
    let _ = write!(out, "int main(void)\n{{\n{main}    return 0;\n}}\n");
    out
}

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    match random.between(0, 5) {
        0 | 1 => stencil(seed, &mut random),
        2 | 3 => phases::program(seed, &mut random),
        _ => nest(seed, &mut random),
    }
}

/// The header of a loop, and that with one iteration less.
struct Header {
    text: String,
    short: String,
}

/// A loop from `low` to `high`, both included, in some way to write it.
fn header(
    random: &mut Random,
    variable: &str,
    (low, high): (i64, i64),
    variables: &mut String,
    is_plain: bool,
) -> Header {
    let types = [
        "int",
        "int",
        "int",
        "unsigned",
        "long",
        "short",
        "unsigned char",
    ];
    let ty = if is_plain { "int" } else { random.of(&types) };
    let step = if is_plain {
        1
    } else {
        random.of(&[1, 1, 1, 2, 3])
    };
    let is_down = !is_plain && !ty.starts_with("unsigned") && random.chance(1, 3);
    let (first, last) = if is_down { (high, low) } else { (low, high) };
    let bound = match random.chance(1, 2) {
        true => {
            let _ = writeln!(variables, "int end_{variable} = {last};");
            format!("end_{variable}")
        }
        false => last.to_string(),
    };
    let is_strict = random.chance(1, 2);
    let (relation, past, advance) = match (is_down, is_strict) {
        (false, true) => ("<", " + 1", "+="),
        (false, false) => ("<=", "", "+="),
        (true, true) => (">", " - 1", "-="),
        (true, false) => (">=", "", "-="),
    };
    let rest = format!("{variable} {relation} {bound}{past}; {variable} {advance} {step})");
    let later = if is_down { first - step } else { first + step };
    Header {
        text: format!("for ({ty} {variable} = {first}; {rest}\n"),
        short: format!("for ({ty} {variable} = {later}; {rest}\n"),
    }
}

/// A partition of the next loop, or none.
fn partition(random: &mut Random, blocks: bool, threads: bool) -> String {
    if !blocks && !threads {
        return String::new();
    }
    let mut out = String::from("#pragma hicuda loop_partition");
    if blocks {
        out += random.of(&[
            " over_tblock",
            " over_tblock(BLOCK)",
            " over_tblock(CYCLIC)",
        ]);
    }
    if threads {
        out += " over_thread";
    }
    out + "\n"
}

/// Sizes of so many dimensions: small ones, sometimes a warp and more, or known to the launch alone.
fn sizes(random: &mut Random, count: usize, most: i64) -> String {
    let sizes = (0..count).map(|_| match random.between(0, 5) {
        0 if count == 1 => random.of(&[32, 33, 64]).to_string(),
        1 => format!("zero + {}", random.between(1, most)),
        _ => random.between(1, most).to_string(),
    });
    sizes.collect::<Vec<_>>().join(", ")
}

/// Elements that a nest of loops writes, each once.
fn nest(seed: u64, random: &mut Random) -> Program {
    let depth = usize::try_from(random.between(1, 3)).unwrap_or(1);
    let dimensions: Vec<i64> = (0..depth).map(|_| random.between(5, 14)).collect();
    let ranges: Vec<(i64, i64)> = (dimensions.iter())
        .map(|n| {
            let low = random.between(0, 2);
            (low, random.between(low, n - 1))
        })
        .collect();
    let is_part = random.chance(1, 2);
    let section: Vec<(i64, i64)> = (dimensions.iter().zip(&ranges))
        .map(|(n, (low, high))| match is_part {
            true => (random.between(0, *low), random.between(*high, n - 1)),
            false => (0, n - 1),
        })
        .collect();
    let brackets: String = section
        .iter()
        .map(|(low, high)| format!("[{low}:{high}]"))
        .collect();
    let fill = random.of(&["copyin", "clear"]);
    let (blocks, threads) = (random.between(1, 3), random.between(1, 4));
    let (mut left_blocks, mut left_threads) = (blocks, threads);
    let mut variables = String::new();
    let (mut device, mut serial, mut mistaken) = (String::new(), String::new(), String::new());
    for (at, range) in ranges.iter().enumerate() {
        let variable = format!("i{at}");
        let over_blocks = left_blocks > 0 && random.chance(3, 5);
        let over_threads = left_threads > 0 && random.chance(3, 5);
        left_blocks -= i64::from(over_blocks);
        left_threads -= i64::from(over_threads);
        device += &partition(random, over_blocks, over_threads);
        let header = header(random, &variable, *range, &mut variables, false);
        device += &header.text;
        serial += &header.text;
        mistaken += if at == 0 { &header.short } else { &header.text };
    }
    let subscripts: String = (0..depth).map(|at| format!("[i{at}]")).collect();
    let sum: Vec<String> = (0..depth)
        .map(|at| format!("i{at} * {}", random.between(1, 50)))
        .collect();
    let body = format!("    b{subscripts} = {} + 1000;\n", sum.join(" + "));
    let cleared = match fill {
        "clear" => {
            let loops: String = (section.iter().enumerate())
                .map(|(at, (low, high))| {
                    format!("for (int z{at} = {low}; z{at} <= {high}; z{at}++)\n")
                })
                .collect();
            let at: String = (0..depth).map(|at| format!("[z{at}]")).collect();
            format!("{loops}    b{at} = 0;\n")
        }
        _ => String::new(),
    };
    let (tblock, thread) = (
        sizes(random, usize::try_from(blocks).unwrap_or(1), 5),
        sizes(random, usize::try_from(threads).unwrap_or(1), 5),
    );
    Program {
        seed,
        dimensions,
        variables,
        device: format!(
            "#pragma hicuda global alloc b{brackets} {fill}\n\
             #pragma hicuda kernel partitions_{seed} tblock({tblock}) thread({thread})\n\
             {device}{body}#pragma hicuda kernel_end\n\
             #pragma hicuda global copyout b{brackets}\n#pragma hicuda global free b\n"
        ),
        serial: format!("{cleared}{serial}{body}"),
        mistaken: format!("{cleared}{mistaken}{body}"),
    }
}

/// Sums over neighbours in shared memory.
fn stencil(seed: u64, random: &mut Random) -> Program {
    let depth = usize::try_from(random.between(1, 2)).unwrap_or(1);
    let dimensions: Vec<i64> = (0..depth).map(|_| random.between(6, 30)).collect();
    let reach: Vec<(i64, i64)> = (0..depth)
        .map(|_| (random.between(0, 2), random.between(0, 2)))
        .collect();
    let mut variables = String::new();
    let (mut device, mut serial, mut mistaken) = (String::new(), String::new(), String::new());
    for (at, n) in dimensions.iter().enumerate() {
        let low = random.between(0, 2);
        let range = (low, random.between(low + 1, n - 1));
        let over_blocks = random.chance(2, 3);
        let over_threads = at + 1 == depth || !over_blocks || random.chance(3, 4);
        device += &partition(random, over_blocks, over_threads);
        let header = header(random, &format!("i{at}"), range, &mut variables, true);
        device += &format!("{}{{\n", header.text);
        serial += &format!("{}{{\n", header.text);
        let short = if at == 0 { &header.short } else { &header.text };
        mistaken += &format!("{short}{{\n");
    }
    let window: String = (reach.iter().enumerate())
        .map(|(at, (before, after))| format!("[i{at} - {before}:i{at} + {after}]"))
        .collect();
    let mut body = String::from("int sum = 1;\n");
    for _ in 0..random.between(2, 6) {
        let offsets: Vec<i64> = reach.iter().map(|(b, a)| random.between(-b, *a)).collect();
        let inside: Vec<String> = (offsets.iter().zip(&dimensions).enumerate())
            .map(|(at, (by, n))| format!("i{at} + {by} >= 0 && i{at} + {by} < {n}"))
            .collect();
        let at: String = (offsets.iter().enumerate())
            .map(|(at, by)| format!("[i{at} + {by}]"))
            .collect();
        body += &format!("if ({}) sum = sum * 3 + a{at};\n", inside.join(" && "));
    }
    let at: String = (0..depth).map(|at| format!("[i{at}]")).collect();
    body += &format!("b{at} = sum;\n");
    let close = "}\n".repeat(depth);
    let whole = "[*]".repeat(depth);
    // Windows need to know by how much iterations in turn differ.
    let known = |sizes: String| sizes.replace("zero + ", "");
    let (tblock, thread) = (
        known(sizes(random, depth, 4)),
        known(sizes(random, depth, 8)),
    );
    Program {
        seed,
        dimensions,
        variables,
        device: format!(
            "#pragma hicuda global alloc a{whole} copyin\n\
             #pragma hicuda global alloc b{whole} copyin\n\
             #pragma hicuda kernel stencil_{seed} tblock({tblock}) thread({thread})\n\
             {device}#pragma hicuda shared alloc a{window} copyin\n#pragma hicuda barrier\n\
             {body}#pragma hicuda barrier\n#pragma hicuda shared remove a\n{close}\
             #pragma hicuda kernel_end\n#pragma hicuda global copyout b{whole}\n\
             #pragma hicuda global free a b\n"
        ),
        serial: format!("{serial}{body}{close}"),
        mistaken: format!("{mistaken}{body}{close}"),
    }
}
