//! Expressions of integers: promotions, common types and bit-fields are C's in kernels, which are C++.
//!
//! Each function computes, in every iteration of a loop, some values of variables of all integer types
//! and of bit-fields of all kinds of widths, and assigns to some. Values are equal to those of the C
//! compiler that passes over the directives. Bit-fields with a sign have no more bits than `int`: beyond,
//! overflow is undefined. `ACCRS_EXPRESSIONS=N` runs more functions, from `ACCRS_EXPRESSIONS_SEED` on.

use std::fmt::Write as _;
use std::fs;

use crate::random::Random;
use crate::support::accrs;
use crate::support::process::{command, succeed};

/// Functions that are run without a request.
const FUNCTIONS: u64 = 60;

/// Functions in one file.
const IN_A_FILE: u64 = 30;

/// Variables by their types.
const VARIABLES: &[(&str, &str)] = &[
    ("vc", "char"),
    ("vsc", "signed char"),
    ("vuc", "unsigned char"),
    ("vs", "short"),
    ("vus", "unsigned short"),
    ("vi", "int"),
    ("vu", "unsigned"),
    ("vl", "long"),
    ("vul", "unsigned long"),
    ("vll", "long long"),
    ("vull", "unsigned long long"),
    ("vb", "_Bool"),
    ("ve", "enum level"),
];

/// Members of `b`.
const FIELDS: &[&str] = &[
    "unsigned u3 : 3;",
    "signed s7 : 7;",
    "unsigned short u15 : 15;",
    "unsigned u31 : 31;",
    "unsigned u32 : 32;",
    "signed s32 : 32;",
    "unsigned long u33 : 33;",
    "unsigned long long u40 : 40;",
    "unsigned long u63 : 63;",
    "unsigned long long u64 : 64;",
    "long s20 : 20;",
    "_Bool b1 : 1;",
];

const LITERALS: &[&str] = &[
    "0",
    "1",
    "-1",
    "7u",
    "100l",
    "0xffu",
    "3ul",
    "255",
    "'a'",
    "65536",
    "0x7fffffff",
    "0x80000000",
    "4294967295",
    "LOW",
    "HIGH",
    "1ull << 35",
];

/// `u3` of `unsigned u3 : 3;`.
fn name_of(field: &str) -> &str {
    field.split(' ').rev().nth(2).unwrap_or(field)
}

/// An object that may be assigned to.
fn object(random: &mut Random) -> String {
    match random.chance(1, 2) {
        true => random.pick(VARIABLES).0.to_owned(),
        false => {
            format!("b.{}", name_of(random.of(FIELDS)))
        }
    }
}

fn value(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.chance(1, 8) {
        return match random.chance(1, 4) {
            true => format!("({})", random.of(LITERALS)),
            false => object(random),
        };
    }
    let mut inner = || value(random, depth - 1);
    let (a, b) = (inner(), inner());
    match random.between(0, 15) {
        0 => format!("-({a})"),
        1 => format!("~({a})"),
        2 => format!("!({a})"),
        3 => format!("+({a})"),
        4 => format!("({a} << ({b} & 7))"),
        5 => format!("({a} >> ({b} & 7))"),
        6 => format!("({a}) / (({b} & 7) + 1)"),
        7 => format!("({a}) % (({b} & 31) + 2)"),
        8 => format!("({a} ? {b} : {})", value(random, depth - 1)),
        9 => format!(
            "({a} {} {b})",
            random.of(&["<", "==", ">=", "!=", "&&", "||"])
        ),
        10 => {
            format!("({})({a})", random.pick(VARIABLES).1)
        }
        _ => format!("({a} {} {b})", random.of(&["+", "-", "*", "&", "|", "^"])),
    }
}

/// `void f(…)` of a seed, and a call that prints what it stores.
fn function(seed: u64, text: &mut String) {
    let mut random = Random::new(seed);
    let mut body = String::new();
    for (number, (name, ty)) in VARIABLES.iter().enumerate() {
        let _ = writeln!(body, "        {ty} {name} = ({ty})(x[i] >> {number});");
    }
    body += "        struct fields b = {0};\n";
    for field in FIELDS {
        let name = name_of(field);
        let _ = writeln!(
            body,
            "        b.{name} = x[i] * {};",
            random.between(1, 99) * 2 + 1
        );
    }
    body += "        unsigned long r = 0;\n";
    for _ in 0..random.between(2, 5) {
        let e = value(&mut random, 3);
        let statement = match random.between(0, 5) {
            0 => {
                let operator = random.of(&["=", "+=", "-=", "*=", "&=", "|=", "^="]);
                format!("({} {operator} {e})", object(&mut random))
            }
            1 => {
                let step = random.of(&["++", "--"]);
                let object = object(&mut random);
                // C has `--` of `_Bool`, which negates.
                format!("({object}{step} + {})", random.of(LITERALS))
            }
            _ => e,
        };
        let _ = writeln!(body, "        r = r * 31 + (unsigned long){statement};");
    }
    let _ = write!(
        text,
        "static void f{seed}(const long *x, unsigned long *out)\n{{\n    \
         #pragma acc parallel loop copyin(x[0:N]) copyout(out[0:N])\n    \
         for (int i = 0; i < N; i++) {{\n{body}        out[i] = r;\n    }}\n}}\n"
    );
}

/// A program of some functions.
fn program(seeds: std::ops::Range<u64>) -> String {
    let mut text = format!(
        "#include <stdio.h>\n#define N 32\nenum level {{ LOW = 2, HIGH = 9 }};\n\
         struct fields {{\n    {}\n}};\n",
        FIELDS.join("\n    ")
    );
    for seed in seeds.clone() {
        function(seed, &mut text);
    }
    text += "int main(void)\n{\n    long x[N];\n    unsigned long out[N];\n    \
             for (int i = 0; i < N; i++)\n        \
             x[i] = (long)(0x9e3779b97f4a7c15ul * (unsigned long)i) >> i % 50;\n";
    for seed in seeds {
        let _ = writeln!(
            text,
            "    f{seed}(x, out);\n    for (int i = 0; i < N; i++) printf(\"%lx%c\", out[i], \
             i < N - 1 ? ' ' : '\\n');"
        );
    }
    text + "    return 0;\n}\n"
}

/// Kernels compute what C does.
pub fn integers_are_those_of_c() -> Result<(), String> {
    let first = crate::setting("ACCRS_EXPRESSIONS_SEED", 1)?;
    let end = first + crate::setting("ACCRS_EXPRESSIONS", FUNCTIONS)?;
    for begin in (first..end).step_by(usize::try_from(IN_A_FILE).unwrap_or(1)) {
        let seeds = begin..end.min(begin + IN_A_FILE);
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = |name: &str| folder.path().join(name);
        fs::write(path("integers.c"), program(seeds.clone())).map_err(|error| error.to_string())?;
        let build = |mut compiler: std::process::Command, program: &str| {
            let flags = [
                "-std=gnu11",
                "-w",
                "-O1",
                "-fwrapv",
                "integers.c",
                "-o",
                program,
            ];
            succeed(compiler.current_dir(folder.path()).args(flags))?;
            Ok::<_, String>(succeed(&mut command(path(program)))?.text())
        };
        let expected = build(command("cc"), "serial")?;
        let mut translated = command(accrs());
        translated.arg("cc");
        let found = build(translated, "emulated")?;
        let mut both = found.lines().zip(expected.lines());
        if let Some(at) = both.position(|(found, expected)| found != expected) {
            let mut text = String::new();
            function(seeds.start + at as u64, &mut text);
            return Err(format!("another value\n{text}"));
        }
        if found.lines().count() != expected.lines().count() || expected.is_empty() {
            return Err("results are missing".into());
        }
    }
    Ok(())
}
