//! Loops whose iterations read one array over and over: windows that no directive asks for change no
//! result, whatever else reads the array. `--place` puts them everywhere, profitable or not.
//!
//! Each function sums, over a loop, a product of reads whose indices run with that loop, with the
//! thread, or come from memory. Values are whole numbers, equal to those of the C compiler that
//! passes over the directives. There is no `cache` in them, so that `--cache=trust` may not matter.
//! `ACCRS_READS=N` runs more functions, from `ACCRS_READS_SEED` on.

use std::fmt::Write as _;

use crate::random::Random;
use crate::serial::Functions;

/// Functions that are run without a request.
const FUNCTIONS: u64 = 32;

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

/// Results are those of the serial program, in each order and whatever is trusted.
pub fn windows_without_directives_change_nothing() -> Result<(), String> {
    let first = crate::setting("ACCRS_READS_SEED", 1)?;
    let end = first + crate::setting("ACCRS_READS", FUNCTIONS)?;
    let all = Functions {
        head: "struct pair { int x, y; };\n",
        function,
        options: &["--place", "a=window"],
        choices: &["--cache=select", "--cache=trust"],
        signs: |kernels| kernels.matches("    __shared__").count(),
    };
    all.are_serial(first..end)
}
