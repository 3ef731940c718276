//! Loops whose iterations read one array over and over: windows that no directive asks for change no
//! result, whatever else reads the array. `--place` puts them everywhere, profitable or not.
//!
//! Each function sums, over a loop, a product of reads whose indices run with that loop, with the
//! thread, or come from memory. Values are whole numbers, equal to those of the C compiler that
//! passes over the directives. There is no `cache` in them, so that `--cache=trust` may not matter.
//! `ACCRS_READS=N` runs more functions, from `ACCRS_READS_SEED` on.

use std::fmt::Write as _;
use std::fs;

use crate::random::Random;
use crate::support::accrs;
use crate::support::process::{command, succeed};

/// Functions that are run without a request.
const FUNCTIONS: u64 = 32;

/// Functions in one file.
const IN_A_FILE: u64 = 16;

const OPTIONS: &[&str] = &["--cache=select", "--cache=trust"];

const SCHEDULES: &[&str] = &["forward", "reverse", "20260117"];

/// Elements before the first iteration's and behind the last one's.
const MARGIN: i64 = 4;

/// An index into an array of `n + 2 * MARGIN` elements.
fn index(random: &mut Random, is_first: bool) -> String {
    let near = MARGIN + random.between(-3, 3);
    match random.between(0, 7) {
        _ if is_first => format!("j + {near}"),
        0 | 1 => format!("j + {near}"),
        2 => format!("i + {near}"),
        3 => format!("n - 1 - j + {near}"),
        4 => "i".to_owned(),
        5 => format!("from[i] + {near}"),
        6 => format!("from[j] + {near}"),
        _ => format!("(i * {} + j) % n", random.between(1, 5)),
    }
}

/// `long sum(…)` of a seed, and a call that prints what it stores.
fn function(seed: u64, text: &mut String) {
    let mut random = Random::new(seed);
    let element = random.of(&["int", "long", "short", "struct pair"]);
    let member = if element == "struct pair" { ".y" } else { "" };
    let reads = random.between(2, 5);
    let mut product = String::new();
    for number in 0..reads {
        let index = index(&mut random, number == 0);
        let operator = random.of(&[" + ", " - ", " * "]);
        let operator = if number == 0 { "" } else { operator };
        let _ = write!(product, "{operator}(long)a[{index}]{member}");
    }
    let skip = match random.chance(1, 4) {
        true => "if (j % 3 == i % 3) continue; ",
        false => "",
    };
    let n = random.between(1, 400);
    let _ = write!(
        text,
        "static void sum{seed}(int n, const {element} *restrict a, const int *restrict from, \
         long *restrict to)\n{{\n    \
         #pragma acc parallel loop copyin(a[0:n + {margin}], from[0:n]) copyout(to[0:n])\n    \
         for (int i = 0; i < n; i++) {{\n        long sum = i;\n        \
         for (int j = 0; j < n; j++) {{ {skip}sum = sum * 3 + ({product}); }}\n        \
         to[i] = sum;\n    }}\n}}\n\
         static void run{seed}(void)\n{{\n    enum {{ n = {n} }};\n    \
         static {element} a[n + {margin}];\n    static int from[n];\n    static long to[n];\n    \
         unsigned long all = 0;\n    \
         for (int i = 0; i < n + {margin}; i++) a[i]{member} = i * 37 % 101 - 50;\n    \
         for (int i = 0; i < n; i++) from[i] = (i * 7 + 3) % n;\n    \
         sum{seed}(n, a, from, to);\n    \
         for (int i = 0; i < n; i++) all = all * 31 + (unsigned long)to[i];\n    \
         printf(\"%lx\\n\", all);\n}}\n",
        margin = 2 * MARGIN,
    );
}

/// A program of some functions.
fn program(seeds: std::ops::Range<u64>) -> String {
    let mut text = "#include <stdio.h>\nstruct pair { int x, y; };\n".to_owned();
    for seed in seeds.clone() {
        function(seed, &mut text);
    }
    text += "int main(void)\n{\n";
    for seed in seeds {
        let _ = writeln!(text, "    run{seed}();");
    }
    text + "    return 0;\n}\n"
}

/// Results are those of the serial program, in each order and whatever is trusted.
pub fn windows_without_directives_change_nothing() -> Result<(), String> {
    let first = crate::setting("ACCRS_READS_SEED", 1)?;
    let end = first + crate::setting("ACCRS_READS", FUNCTIONS)?;
    let mut windows = 0;
    for begin in (first..end).step_by(usize::try_from(IN_A_FILE).unwrap_or(1)) {
        let seeds = begin..end.min(begin + IN_A_FILE);
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = |name: &str| folder.path().join(name);
        fs::write(path("reads.c"), program(seeds.clone())).map_err(|error| error.to_string())?;
        let here = |program: &str| {
            let mut command = command(program);
            command.current_dir(folder.path());
            command
        };
        let flags = ["-std=c11", "-w", "-O1", "-fwrapv", "reads.c", "-o"];
        succeed(here("cc").args(flags).arg("serial"))?;
        let expected = succeed(&mut command(path("serial")))?.text();
        let translated = accrs().to_string_lossy().into_owned();
        let place = ["--place", "a=window"];
        let mut translate = here(&translated);
        succeed(
            translate
                .args(["translate", "reads.c", "-o", "out"])
                .args(place),
        )?;
        let kernels = fs::read_to_string(path("out/reads.acc.cu"));
        windows += kernels
            .map_err(|error| error.to_string())?
            .matches("    __shared__")
            .count();
        for option in OPTIONS {
            let mut build = here(&translated);
            build.args(["cc", option]).args(place);
            succeed(build.args(flags).arg("emulated"))?;
            for schedule in SCHEDULES {
                let mut run = command(path("emulated"));
                let found = succeed(run.env("ACCRS_SCHEDULE", schedule))?.text();
                let mut both = found.lines().zip(expected.lines());
                if let Some(at) = both.position(|(found, expected)| found != expected) {
                    let mut text = String::new();
                    function(seeds.start + at as u64, &mut text);
                    return Err(format!("{option}, {schedule}: another value\n{text}"));
                }
                if found.lines().count() != expected.lines().count() {
                    return Err(format!("{option}, {schedule}: results are missing"));
                }
            }
        }
    }
    match windows as u64 * 3 > end - first {
        true => Ok(()),
        false => Err(format!("{windows} windows in {} functions", end - first)),
    }
}
