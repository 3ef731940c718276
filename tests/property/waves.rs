//! Waves through tiles: windows that are written back without a mark for each slot, or with them, hold what
//! the program says.
//!
//! The threads of a block go through a tile, each in a row, some steps behind the one above. An iteration writes
//! its element at most once, under conditions of all kinds, and reads elements that were written in steps before,
//! or that no step has written yet, so that the order of the C compiler gives the same. Rows between tiles keep
//! blocks apart. `ACCRS_WAVES=N` runs more functions, from `ACCRS_WAVES_SEED` on.

use std::fmt::Write as _;

use crate::random::Random;
use crate::serial::Functions;

/// Functions that are run without a request.
const FUNCTIONS: u64 = 32;

/// The length of rows and columns of the array.
const SIZE: i64 = 64;

/// The furthest that a read is from its iteration's element.
const REACH: i64 = 2;

struct Wave {
    random: Random,
    /// Threads of a block, and rows of a tile.
    threads: i64,
    /// Columns of a tile.
    width: i64,
    /// Steps that a row is behind the one above.
    behind: i64,
    is_turned: bool,
    /// Nothing is read in a tile that is not written before.
    comes_first: bool,
}

impl Wave {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        Self {
            threads: random.of(&[1, 4, 7, 8, 16]),
            width: random.between(1, 20),
            behind: random.between(0, 3),
            is_turned: random.chance(1, 3),
            comes_first: random.chance(1, 2),
            random,
        }
    }

    /// An element some rows and columns away.
    fn element(&self, row: i64, column: i64) -> String {
        let index = |name: &str, away: i64| match away {
            0 => format!("[{name}]"),
            away if away < 0 => format!("[{name} - {}]", -away),
            away => format!("[{name} + {away}]"),
        };
        let (row, column) = (index("i", row), index("j", column));
        match self.is_turned {
            true => format!("{column}{row}"),
            false => format!("{row}{column}"),
        }
    }

    /// A read that no other thread writes in the same step.
    fn read(&mut self) -> String {
        let row = match self.behind {
            0 => 0,
            _ if self.comes_first => self.random.between(-1, 0),
            _ => self.random.between(-1, 1),
        };
        let column = match row {
            -1 => self.random.between(-REACH, (self.behind - 1).min(REACH)),
            0 if self.comes_first => self.random.between(-REACH, -1),
            0 => self.random.between(-REACH, REACH),
            _ => self.random.between((1 - self.behind).max(-REACH), REACH),
        };
        format!("g{}", self.element(row, column))
    }

    /// What a write stands under: within the tile, and more.
    fn condition(&mut self) -> String {
        let width = self.width;
        let below = format!("j < column + {width}");
        let mut parts = match self.random.between(0, 2) {
            0 => vec!["j >= column".to_owned(), below],
            1 => vec![below, "column <= j".to_owned()],
            _ => vec![format!("!(j < column || j > column + {})", width - 1)],
        };
        let more = [
            "i <= rows",
            "i < rows + 1",
            "j <= columns",
            "columns > j",
            "i >= low",
            "j != columns",
            "!(i > rows)",
            "i + j <= rows + columns",
            "from[i][j] % 3 != 0",
            "lane < 5",
            "step > 1",
            "i >= 3",
        ];
        for _ in 0..self.random.between(0, 3) {
            parts.push(self.random.of(&more).to_owned());
        }
        parts.join(" && ")
    }

    fn write(&mut self) -> String {
        let reads = self.random.between(1, 3);
        let reads: Vec<String> = (0..reads).map(|_| self.read()).collect();
        let value = reads.join(" * 3 + ");
        let operator = match self.comes_first {
            true => "=",
            false => self.random.of(&["=", "=", "+="]),
        };
        format!(
            "g{} {operator} ({value} + from[i][j]) % 1009;",
            self.element(0, 0)
        )
    }

    /// The statements of a step.
    fn step(&mut self) -> String {
        let condition = self.condition();
        let first = self.write();
        match self.random.between(0, 3) {
            // Both write the same element.
            0 => {
                let second = self.write();
                format!("if ({condition}) {{ if (i % 2 == j % 2) {first} else {second} }}")
            }
            _ => format!("if ({condition}) {first}"),
        }
    }
}

/// `run{seed}`, and what it calls.
fn function(seed: u64, text: &mut String) {
    let mut wave = Wave::new(seed);
    let (threads, width, behind) = (wave.threads, wave.width, wave.behind);
    let steps = width + behind * (threads - 1);
    let step = wave.step();
    let (is_explicit, is_down) = (wave.random.chance(1, 2), wave.random.chance(1, 3));
    let policy = match behind {
        0 => wave.random.of(&["FETCH_WB", "FETCH_CHANNEL_WB"]),
        _ => "FETCH_CHANNEL_WB",
    };
    let blocks = wave.random.between(1, SIZE / (threads + 2) - 1);
    let rest = wave.random.between(0, threads - 1);
    let iterations = (blocks * threads - rest).max(1);
    let rows = format!("row:1:{threads}");
    let columns = format!("column:{REACH}:{}", width + REACH);
    let window = match wave.is_turned {
        true => format!("g[{columns}:{rows}]"),
        false => format!("g[{rows}:{columns}]"),
    };
    let (head, number) = match is_down {
        true => (
            format!("int step = {}; step >= 0; step--", steps - 1),
            format!("{} - step", steps - 1),
        ),
        false => (
            format!("int step = 0; step < {steps}; step++"),
            "step".to_owned(),
        ),
    };
    let (explicit, barrier) = match is_explicit && policy == "FETCH_CHANNEL_WB" {
        true => (" explicit", "\n            #pragma acc fcw_barrier"),
        false => ("", ""),
    };
    let most = wave.random.between(0, SIZE);
    let (column, low) = (wave.random.between(REACH, 9), wave.random.between(0, 9));
    let _ = write!(
        text,
        "static void wave{seed}(int n, int column, int rows, int columns, int low)\n{{\n    \
         #pragma acc parallel loop independent vector_length({threads}) copy(g) copyin(from)\n    \
         for (int t = 0; t < n; t++) {{\n        \
         const int lane = t % {threads}, row = t / {threads} * {gap} + 1;\n        \
         #pragma acc fcw {policy}({window}){explicit}\n        \
         for ({head}) {{\n            \
         const int i = row + lane, j = column + {number} - {behind} * lane;\n            \
         {step}{barrier}\n        }}\n    }}\n}}\n\
         static void run{seed}(void)\n{{\n    unsigned long all = 0;\n    \
         for (int e = 0; e < {SIZE} * {SIZE}; e++) {{\n        \
         g[e / {SIZE}][e % {SIZE}] = e * 37 % 101 - 50;\n        \
         from[e / {SIZE}][e % {SIZE}] = e * 13 % 31;\n    }}\n    \
         wave{seed}({iterations}, {column}, {most}, {columns}, {low});\n    \
         for (int e = 0; e < {SIZE} * {SIZE}; e++)\n        \
         all = all * 31 + (unsigned long)g[e / {SIZE}][e % {SIZE}];\n    \
         printf(\"%lx\\n\", all);\n}}\n",
        gap = threads + 2,
        columns = wave.random.between(0, 40),
    );
}

/// How many windows have no byte a slot.
fn without_marks(kernels: &str) -> usize {
    let of = |text: &str| kernels.matches(text).count();
    of("__shared__ int").saturating_sub(of("__shared__ unsigned char"))
}

/// Results are those of the serial program, in each order.
pub fn windows_hold_what_waves_write() -> Result<(), String> {
    let first = crate::setting("ACCRS_WAVES_SEED", 1)?;
    let end = first + crate::setting("ACCRS_WAVES", FUNCTIONS)?;
    let head = format!("static int g[{SIZE}][{SIZE}], from[{SIZE}][{SIZE}];\n");
    let all = Functions {
        head: &head,
        function,
        options: &[],
        choices: &["--cache=trust"],
        signs: without_marks,
    };
    all.are_serial(first..end)
}
