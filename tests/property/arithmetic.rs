//! Expressions of integers: promotions, common types and bit-fields are C's in kernels, which are C++.
//!
//! Each function computes, in every iteration of a loop, some values of variables of all integer types
//! and of bit-fields of all kinds of widths, and assigns to some. Values are equal to those of the C
//! compiler that passes over the directives. What has a sign, or is promoted to it, is small, since its
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

/// Variables by their types; those that may get any value first.
const VARIABLES: &[(&str, &str)] = &[
    ("vc", "char"),
    ("vsc", "signed char"),
    ("vuc", "unsigned char"),
    ("vs", "short"),
    ("vus", "unsigned short"),
    ("vu", "unsigned"),
    ("vul", "unsigned long"),
    ("vull", "unsigned long long"),
    ("vb", "_Bool"),
    ("ve", "enum level"),
    ("vi", "int"),
    ("vl", "long"),
    ("vll", "long long"),
];
const ANY_VALUE: usize = 10;

/// Members of `b`; those that may get any value first.
const FIELDS: &[&str] = &[
    "unsigned u3 : 3;",
    "signed s7 : 7;",
    "unsigned short u15 : 15;",
    "unsigned u32 : 32;",
    "unsigned long u33 : 33;",
    "unsigned long long u40 : 40;",
    "unsigned long u47 : 47;",
    "unsigned long long u64 : 64;",
    "_Bool b1 : 1;",
    "unsigned u31 : 31;",
    "signed s32 : 32;",
    "long s20 : 20;",
];
const ANY_BITS: usize = 9;

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

/// An object, or one that may get any value.
fn object(random: &mut Random, any_value: bool) -> String {
    let (variables, bits) = match any_value {
        true => (&VARIABLES[..ANY_VALUE], &FIELDS[..ANY_BITS]),
        false => (VARIABLES, FIELDS),
    };
    match random.chance(1, 2) {
        true => random.pick(variables).0.to_owned(),
        false => format!("b.{}", name_of(random.of(bits))),
    }
}

fn value(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.chance(1, 8) {
        return match random.chance(1, 4) {
            true => format!("({})", random.of(LITERALS)),
            false => object(random, false),
        };
    }
    let mut inner = || value(random, depth - 1);
    let (a, b) = (inner(), inner());
    match random.between(0, 15) {
        0 => format!("-({a})"),
        1 => format!("~({a})"),
        2 => format!("!({a})"),
        3 => format!("+({a})"),
        4 => format!("({a} << ({b} & 3))"),
        5 => format!("({a} >> ({b} & 7))"),
        6 => format!("({a}) / (({b} & 7) + 1)"),
        7 => format!("({a}) % (({b} & 31) + 2)"),
        8 => format!("({a} ? {b} : {})", value(random, depth - 1)),
        9 => format!(
            "({a} {} {b})",
            random.of(&["<", "==", ">=", "!=", "&&", "||"])
        ),
        10 => {
            format!("({})({a})", random.pick(&VARIABLES[..ANY_VALUE]).1)
        }
        11 => format!("({a} * {})", random.of(&["3", "7u", "5l", "HIGH"])),
        _ => format!("({a} {} {b})", random.of(&["+", "-", "&", "|", "^"])),
    }
}

/// `void f(…)` of a seed, and a call that prints what it stores.
fn function(seed: u64, text: &mut String) {
    let mut random = Random::new(seed);
    let mut body = String::new();
    for (number, (name, ty)) in VARIABLES.iter().enumerate() {
        let _ = writeln!(
            body,
            "        {ty} {name} = ({ty})(x[i] >> {});",
            number % 3
        );
    }
    body += "        struct fields b = {0};\n";
    for field in FIELDS {
        let name = name_of(field);
        let factor = match FIELDS[..ANY_BITS].contains(field) {
            true => random.between(1, 99) * 2 + 1,
            false => 1,
        };
        let least = factor / 2;
        let _ = writeln!(body, "        b.{name} = (x[i] & 63) * {factor} - {least};");
    }
    body += "        unsigned long r = 0;\n";
    for _ in 0..random.between(2, 5) {
        let e = value(&mut random, 3);
        let statement = match random.between(0, 5) {
            0 => {
                let operator = random.of(&["=", "+=", "-=", "&=", "|=", "^="]);
                format!("({} {operator} {e})", object(&mut random, true))
            }
            1 => {
                let step = random.of(&["++", "--"]);
                let object = object(&mut random, true);
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
             x[i] = i * 37 % 101 - 50;\n";
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
            let flags = ["-std=gnu11", "-w", "-O1", "integers.c", "-o", program];
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
