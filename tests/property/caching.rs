//! Random kernels of MESI-CUDA whose loops may go through shared memory, against serial C.
//!
//! A kernel is made from a seed: a plane of threads, statements before and after a loop, and in it sums of
//! elements by subscripts with either index, the loop's variable, both or none, of arrays and by
//! addresses. Bounds, steps, conditions, writes and jumps are there that keep a loop as it is. The values
//! have to be those of the same text in loops over all threads, in each order of dimensions and schedule;
//! and enough kernels must have a loop that goes through shared memory. The same again in slices on three
//! devices, in which stale copies are poisoned.
//!
//! `ACCRS_TILES=N` makes more of them, `ACCRS_TILES_SEED=N` begins elsewhere.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::random::Random;
use crate::support::accrs;
use crate::support::process::{command, run, succeed};

/// Kernels without a request, and the seed of the first.
const KERNELS: u64 = 120;
const FIRST_SEED: u64 = 4_150;
const IN_A_FILE: u64 = 60;
const SCHEDULES: [&str; 3] = ["forward", "reverse", "20152"];
const ORDERS: [&str; 4] = [
    "",
    "-DACCRS_MESI_ORDER=10",
    "-DACCRS_MESI_ORDER=1",
    "-DACCRS_MESI_DEVICES=3 -DACCRS_MESI_CHECK",
];

/// Arrays of all kernels, their values, and what is told of a result.
const COMMON: &str = "\
#define S 96
#define AT(row, column) ((row) * S + (column))
SHARED unsigned a[S][S], b[S][S], c[S][S], *p;
static void fill(unsigned *values, unsigned by)
{
    for (int i = 0; i < S * S; i++)
        values[i] = i * by % 23 + i % 7;
}
static void begin(void)
{
    fill(&a[0][0], 5);
    fill(&b[0][0], 3);
    fill(&c[0][0], 2);
    fill(p, 11);
}
static void tell(const unsigned *values)
{
    unsigned sum = 0;
    for (int i = 0; i < S * S; i++)
        sum = sum * 31 + values[i];
    printf(\"%u\\n\", sum);
}
";

/// A kernel and its launch, serially as well.
struct Kernel {
    shared: String,
    serial: String,
}

struct Maker {
    random: Random,
    /// Nothing that keeps a loop as it is.
    is_clean: bool,
}

impl Maker {
    /// An element whose subscripts have an index, the loop's variable, both or none.
    fn element(&mut self, index: &str) -> String {
        let (e, f) = (self.random.between(0, 3), self.random.between(0, 3));
        let index = match self.random.chance(1, 8) {
            true => self.random.of(&["i", "j"]),
            false => index,
        };
        let (row, column) = match self.random.between(0, if self.is_clean { 8 } else { 9 }) {
            0..=3 => (format!("{index} + {e}"), format!("k + {f}")),
            4..=7 => (format!("k + {f}"), index.to_owned()),
            8 => ("i".to_owned(), format!("j + {e}")),
            _ => ("k".to_owned(), format!("(i + j + k) % {}", 5 + e)),
        };
        if !self.is_clean && self.random.chance(1, 8) {
            let array = self.random.of(&["a", "b"]);
            return match self.random.between(0, 2) {
                0 => format!("*({array}[{row}] + ({column}))"),
                1 => format!("(unsigned)*&{array}[{row}][{column}]"),
                _ => format!("(&{array}[{row}][0])[{column}]"),
            };
        }
        match self.random.between(0, 5) {
            0 | 1 => format!("a[{row}][{column}]"),
            2 | 3 => format!("b[{row}][{column}]"),
            4 => format!("p[({row}) * S + {column}]"),
            _ => format!("p[AT({row}, {column})]"),
        }
    }

    fn body(&mut self) -> String {
        let mut out = String::new();
        for number in 0..self.random.between(1, 3) {
            let (x, y, z) = (self.element("i"), self.element("j"), self.element("i"));
            let _ = match self.random.between(0, if self.is_clean { 8 } else { 12 }) {
                12 => writeln!(out, "if (k % 2)\n    *(c[i] + j) += {x};"),
                0..=4 => writeln!(out, "sum += {x} * {y};"),
                5 | 6 => writeln!(
                    out,
                    "const unsigned own{number} = {x} + 1;\nsum ^= own{number} * {y} - {z};"
                ),
                7 | 8 => writeln!(out, "c[i][j] += {x} * {y};"),
                9 => writeln!(out, "if ({x} % 2)\n    sum += {y};"),
                10 => writeln!(out, "sum += {x} > 4 ? {y} : {z};"),
                _ => writeln!(out, "if (sum % 64 == 63)\n    break;\nsum += {x} * {y};"),
            };
        }
        out
    }

    /// The text of a kernel; an index is `@x` or `@y`, an extent `@w`, a return `@return`.
    fn text(&mut self) -> String {
        let (x, y) = match self.random.chance(1, 2) {
            true => ("@x", "@y"),
            false => ("@y", "@x"),
        };
        let mut out = format!("const int i = {x}, j = {y};\nunsigned sum = 1;\n");
        if !self.is_clean && self.random.chance(1, 4) {
            out += "if (i % 5 == 4)\n    @return;\n";
        }
        if self.random.chance(1, 4) {
            out += "c[i][j] = i + 2 * j;\n";
        }
        // What another loop with a variable of this name has left.
        let has_last = self.random.chance(1, 8);
        if has_last {
            let end = self.random.between(1, 90);
            out += &format!("int last;\nfor (int k = 0; k < {end}; k++)\n    last = k;\n");
        }
        let first = self.random.between(0, 3);
        let bound = match self.random.between(0, if self.is_clean { 8 } else { 9 }) {
            0..=4 => "n".to_owned(),
            5 => "n - 1".to_owned(),
            6 => "@w".to_owned(),
            7 | 8 => self.random.between(0, 90).to_string(),
            _ => "i + 3".to_owned(),
        };
        let steps = ["k++", "++k", "k += 2"];
        let step = self.random.of(&steps[..if self.is_clean { 2 } else { 3 }]);
        let head = match self.random.chance(1, 4) {
            true => format!("int k;\nfor (k = {first}; k < {bound}; {step}) {{\n"),
            false => format!("for (int k = {first}; k < {bound}; {step}) {{\n"),
        };
        let more = if has_last {
            "sum += b[last][j] ^ a[last][i];\n"
        } else {
            ""
        };
        out += &format!("{head}{}{more}}}\n", self.body());
        if self.random.chance(1, 4) {
            out += "if (sum % 3 == 0)\n    @return;\n";
        }
        out + "c[i][j] += sum;\n"
    }
}

fn kernel(seed: u64) -> Kernel {
    let mut random = Random::new(seed);
    let is_clean = random.chance(2, 3);
    let mut maker = Maker { random, is_clean };
    let text = maker.text();
    let extent = |maker: &mut Maker| match maker.random.chance(1, 3) {
        true => maker.random.of(&[1, 31, 32, 33, 64, 70]),
        false => maker.random.between(1, 70),
    };
    let (w, h) = (extent(&mut maker), extent(&mut maker));
    let n = maker.random.between(0, 90);
    let of_kernel = text
        .replace("@x", "lThreadIdx.x")
        .replace("@y", "lThreadIdx.y")
        .replace("@w", "lGridDim.x")
        .replace("@return", "return");
    let of_loops = text
        .replace("@x", "x")
        .replace("@y", "y")
        .replace("@w", &w.to_string())
        .replace("@return", "continue");
    Kernel {
        shared: format!(
            "__global__ void kernel_{seed}(int n)\n{{\n{of_kernel}}}\n\
             static void run_{seed}(void)\n{{\n    begin();\n    kernel_{seed}<[<{w}, {h}>]>({n});\n    \
             tell(&c[0][0]);\n}}\n"
        ),
        serial: format!(
            "static void run_{seed}(void)\n{{\n    begin();\n    const int n = {n};\n    \
             for (int y = 0; y < {h}; y++)\n        for (int x = 0; x < {w}; x++) {{\n{of_loops}}}\n    \
             tell(&c[0][0]);\n    (void)n;\n}}\n"
        ),
    }
}

/// A program of kernels; `SHARED` stands before the arrays.
fn program(before: &str, texts: &[&str], seeds: std::ops::Range<u64>) -> String {
    let calls: String = seeds.map(|seed| format!("    run_{seed}();\n")).collect();
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n{}{}int main(void)\n{{\n    \
         p = (unsigned *)malloc(S * S * sizeof(unsigned));\n{calls}    free(p);\n    return 0;\n}}\n",
        COMMON.replace("SHARED", before),
        texts.concat()
    )
}

fn lines(program: &Path, schedule: &str) -> Result<Vec<String>, String> {
    let mut command = command(program);
    command.env("ACCRS_EMULATED_DEVICES", "3");
    let outcome = run(command.env("ACCRS_SCHEDULE", schedule))?;
    match outcome.code() {
        Some(0) => Ok(outcome.text().lines().map(String::from).collect()),
        _ => Err(format!("{}\n{}", outcome.status, outcome.stderr)),
    }
}

fn number(variable: &str, fallback: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(fallback)
}

/// Values are those of the serial program, in each order and schedule.
pub fn tiles_hold_what_threads_use() -> Result<(), String> {
    let first = number("ACCRS_TILES_SEED", FIRST_SEED);
    let end = first + number("ACCRS_TILES", KERNELS);
    let (mut cached, mut split, mut all) = (0, 0, 0);
    for begin in (first..end).step_by(usize::try_from(IN_A_FILE).unwrap_or(1)) {
        let seeds = begin..end.min(begin + IN_A_FILE);
        let kernels: Vec<Kernel> = seeds.clone().map(kernel).collect();
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, before: &str, of: fn(&Kernel) -> &str| {
            let texts: Vec<&str> = kernels.iter().map(of).collect();
            fs::write(path(name), program(before, &texts, seeds.clone()))
                .map_err(|error| error.to_string())
        };
        write("serial.c", "static", |one| &one.serial)?;
        write("shared.mcu", "__global__", |one| &one.shared)?;
        let mut cc = command("cc");
        cc.current_dir(folder.path());
        succeed(cc.args(["-std=c11", "-w", "-O1", "-o", "serial", "serial.c"]))?;
        let expected = lines(&path("serial"), "forward")?;
        let mut translate = command(accrs());
        translate.current_dir(folder.path());
        succeed(
            translate
                .args(["translate", ORDERS[3].split_once(' ').unwrap_or_default().0])
                .args(["shared.mcu", "-o", "out"]),
        )?;
        let translated = fs::read_to_string(path("out/shared.acc.cu"));
        let translated = translated.map_err(|error| error.to_string())?;
        cached += translated.matches("/* tiles loaded */").count();
        split += translated.matches(" accrs_mesi::split(").count();
        all += kernels.len();
        for order in ORDERS {
            let mut build = command(accrs());
            build.current_dir(folder.path()).args(["cc", "-w", "-O1"]);
            let flags: Vec<&str> = order.split(' ').filter(|flag| !flag.is_empty()).collect();
            succeed(build.args(flags).args(["-o", "shared", "shared.mcu"]))?;
            for schedule in SCHEDULES {
                let found = lines(&path("shared"), schedule)?;
                if found.len() != expected.len() {
                    return Err(format!("{} results of {}", found.len(), expected.len()));
                }
                let mut both = found.iter().zip(&expected);
                if let Some(at) = both.position(|(found, expected)| found != expected) {
                    return Err(format!(
                        "seed {}, {schedule} {order}: another value\n{}",
                        seeds.start + at as u64,
                        kernels[at].shared
                    ));
                }
            }
        }
    }
    match 5 * cached > all && 3 * split > 2 * all {
        true => Ok(()),
        false => Err(format!(
            "{cached} of {all} kernels have tiles, {split} are in slices"
        )),
    }
}
