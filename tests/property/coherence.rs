//! Random sequences of accesses by host and kernels to virtual shared variables of MESI-CUDA,
//! against a model of coherence.
//!
//! A sequence is made from a seed: host statements, loops, branches, calls, aliases, exchanged and
//! renewed pointers, elements in all the ways that C has to write them, and launches on logical grids and CUDA's own, of kernels that get variables as
//! arguments or name them, over arrays, values and memory from malloc, calloc and new. In each third
//! one, arrays and pointers are the host's, in the file or in the function, and launches under
//! `#pragma AUTO-CTA` get them. It is written
//! twice: as MESI-CUDA, in which stale copies are poisoned, and as serial C that says at each access
//! what is accessed and finds by dynamic programming the least number of transfers of whole
//! variables with which that can be done. Values and transfers have to be the same.
//!
//! `ACCRS_SEQUENCES=N` makes more of them, `ACCRS_SEQUENCES_SEED=N` begins elsewhere.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::random::Random;
use crate::support::accrs;
use crate::support::process::{Outcome, command, run, succeed};

/// Sequences without a request, and the seed of the first.
const SEQUENCES: u64 = 500;
const FIRST_SEED: u64 = 2015;
const IN_A_FILE: u64 = 125;
const SCHEDULES: &[&str] = &["forward", "reverse", "20151"];

/// What the serial program says of accesses.
const MODEL: &str = include_str!("coherence.h");

/// Kernels and functions of all sequences.
const COMMON: &str = "\
#include <cstdio>
#include <cstdlib>
#include <cstring>
__global__ void add(int *to, const int *from)
{
    const int i = lThreadIdx.x;
    to[i] += from[i] % 100 + 1;
}
__global__ void copy(int *to, const int *from)
{
    to[threadIdx.x] = from[threadIdx.x] + 1;
}
__global__ void move(int n, int *to, const int *from)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = from[i] + 1;
}
static int total(const int *v)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += v[i] % 1000;
    return sum;
}
static void fill(int *v, int by)
{
    for (int i = 0; i < 8; i++)
        *(v + i) = *(&v[i]) / 2 + by;
}
static void halve(int &x) { x /= 2; }
static int &same(int &x) { return x; }
static void exchange(int *&x, int *&y)
{
    int *const kept = x;
    x = y;
    y = kept;
}
static int zero() { return 0; }
static int (*called)() = zero;
static int launched(int *v, const int *w)
{
    add<[<8>]>(v, w);
    return v[2];
}
";

/// A sequence, twice.
struct Sequence {
    seed: u64,
    /// Variables, kernels and the function in MESI-CUDA.
    shared: String,
    /// The same serially, with what is accessed.
    serial: String,
}

/// Statements in both forms.
#[derive(Default)]
struct Both {
    shared: String,
    serial: String,
}

impl Both {
    fn add(&mut self, shared: &str, accesses: &str, serial: &str) {
        let _ = writeln!(self.shared, "{shared}");
        let _ = writeln!(self.serial, "{accesses} {serial}");
    }

    /// The same code in both.
    fn same(&mut self, code: &str, accesses: &str) {
        self.add(code, accesses, code);
    }

    fn nested(&mut self, (shared, serial): (&str, &str), inner: &Self, end: &str) {
        let _ = write!(self.shared, "{shared}\n{}{end}\n", inner.shared);
        let _ = write!(self.serial, "{serial}\n{}{end}\n", inner.serial);
    }
}

/// Makes the statements of a sequence.
struct Maker {
    random: Random,
    seed: u64,
    /// Of names and of the sizes of memory.
    next: i64,
}

const ARRAYS: [&str; 5] = ["a", "b", "c", "p", "q"];

impl Maker {
    fn array(&mut self) -> &'static str {
        self.random.of(&ARRAYS)
    }

    fn fresh(&mut self) -> i64 {
        self.next += 1;
        self.next
    }

    fn list(&mut self, depth: u32) -> Both {
        let mut out = Both::default();
        for _ in 0..self.random.between(1, if depth == 0 { 9 } else { 4 }) {
            self.statement(depth, &mut out);
        }
        out
    }

    fn statement(&mut self, depth: u32, out: &mut Both) {
        match self.random.between(0, if depth < 2 { 13 } else { 9 }) {
            0..=3 => self.launch(out),
            4..=8 => self.host(out),
            9 => self.call(out),
            10 | 11 => self.around(depth, out),
            12 => self.alias(out),
            _ => self.renew(out),
        }
    }

    fn launch(&mut self, out: &mut Both) {
        let (x, y) = (self.array(), self.array());
        let threads = self.random.between(1, 8);
        let seed = self.seed;
        match self.random.between(0, if self.is_plain() { 6 } else { 4 }) {
            5 | 6 => self.tuned(x, y, threads, out),
            0 | 1 => out.add(
                &format!("add<[<{threads}>]>({x}, {y});"),
                "",
                &format!("add({x}, {y}, {threads});"),
            ),
            2 => out.add(
                &format!("copy<<<1, {threads}>>>({x}, (const int *){y});"),
                "",
                &format!("copy({x}, {y}, {threads});"),
            ),
            3 => out.add(
                &format!("named_{seed}<[<{threads}, 1>]>();"),
                "",
                &format!("named_{seed}({threads});"),
            ),
            _ => out.add(
                &format!("counts_{seed}<<<1, {threads}>>>({x});"),
                "",
                &format!("counts_{seed}({x});"),
            ),
        }
    }

    /// A launch whose blocks are chosen.
    fn tuned(&self, x: &str, y: &str, threads: i64, out: &mut Both) {
        let launch = format!("move<<<1, {threads}>>>({threads}, {x}, {y});");
        out.add(
            &format!("#pragma AUTO-CTA {threads}\n{launch}"),
            "",
            &format!("copy({x}, {y}, {threads});"),
        );
    }

    /// Arrays and pointers are the host's.
    fn is_plain(&self) -> bool {
        self.seed.is_multiple_of(3)
    }

    /// An element in one of the ways that C has to write it.
    fn element(&mut self, array: &str, index: &str) -> String {
        match self.random.between(0, 11) {
            0 => format!("*({array} + {index})"),
            1 => format!("*&{array}[{index}]"),
            2 => format!("(&{array}[0])[{index}]"),
            3 => format!("*(&{array}[{index}])"),
            4 => format!("*((int *){array} + ({index}))"),
            5 => format!("(sum > 3 ? {array} : &{array}[0])[{index}]"),
            6 => format!("*(int *)(void *)&{array}[{index}]"),
            7 => format!("({array})[{index}]"),
            _ => format!("{array}[{index}]"),
        }
    }

    /// A statement that launches nothing.
    fn host(&mut self, out: &mut Both) {
        let (x, y) = (self.array(), self.array());
        let (i, k) = (self.random.between(0, 7), self.random.between(1, 9));
        let index = i.to_string();
        let (to, from) = (self.element(x, &index), self.element(x, &index));
        let (each, other) = (self.element(x, "i"), self.element(y, "i"));
        let first = self.random.of(&["*", "0[", "*&*", "(*"]);
        let close = match first {
            "0[" => "]",
            "(*" => ")",
            _ => "",
        };
        match self.random.between(0, 19) {
            16 => out.add(
                &format!("same({x}[{i}]) = {k};"),
                &format!("W({x});"),
                &format!("{x}[{i}] = {k};"),
            ),
            // What is called may read what is set.
            17 => out.add(
                &format!("s = called() + {k};"),
                "W(&s);",
                &format!("s = {k};"),
            ),
            // A pointer of the host that a reference gets is followed no further.
            18 if !self.is_plain() => {
                out.add("exchange(p, q);", "", "{ int *swap = p; p = q; q = swap; }")
            }
            19 if !self.is_plain() => out.add(
                &format!("{{ int *&whose = p; whose[{i}] += {k}; }}"),
                "W(p);",
                &format!("p[{i}] += {k};"),
            ),
            0 => out.same(&format!("s = {from} % 50;"), &format!("R({x}); S(&s);")),
            1 => out.same(&format!("{to} = s + {k};"), &format!("R(&s); W({x});")),
            2 => out.same("s++;", "W(&s);"),
            12 => out.same(
                &format!("s = (int){from} % 40;"),
                &format!("R({x}); S(&s);"),
            ),
            13 => out.same(
                &format!("if (sum % 3 == 0)\n    {to} = {k};\nelse\n    {first}{y}{close} = 2;"),
                &format!("W({x}); W({y});"),
            ),
            14 => out.same(
                &format!("(sum % 2 ? {x} : {y})[{i}] += {k};"),
                &format!("W({x}); W({y});"),
            ),
            15 => out.same("t = (long)*&s + 1;", "R(&s); S(&t);"),
            3 => out.same(&format!("t = {k};"), "S(&t);"),
            4 => out.same(&format!("t += s > {k} ? 1 : 2;"), "R(&s); W(&t);"),
            5 => out.same(
                &format!("for (int i = 0; i < {i}; i++)\n    {each} += {other} % 100;"),
                &format!("W({x}); R({y});"),
            ),
            6 => {
                let array = self.random.of(&["a", "b", "c"]);
                out.same(
                    &format!("memset({array}, 0, sizeof({array}));"),
                    &format!("S({array});"),
                );
            }
            7 => out.same(&format!("sum += total({x});"), &format!("R({x});")),
            8 => out.same(&format!("fill({x}, {k});"), &format!("W({x});")),
            9 => out.add("halve(s);", "W(&s);", "halve(&s);"),
            10 => out.same(
                &format!("if (t % 3 == 0 && {from} > {k})\n    {first}{y}{close} = 1;"),
                &format!("R(&t); R({x}); W({y});"),
            ),
            _ => out.same("{ int *swap = p; p = q; q = swap; }", ""),
        }
    }

    /// Calls of a function that launches.
    fn call(&mut self, out: &mut Both) {
        let (x, y, z) = (self.array(), self.array(), self.array());
        let k = self.random.between(1, 9);
        match self.random.between(0, 6) {
            3 => {
                let call = format!("s = launched({x}, {y}) % 50;");
                out.add(&call, "", &format!("{call} S(&s);"));
            }
            4 => {
                // The target's place is evaluated behind the call.
                let call = format!("{z}[{}] = launched({x}, {y}) % 90;", k % 8);
                out.add(&call, "", &format!("{call} W({z});"));
            }
            5 => out.add(
                &format!("sum += launched({x}, {y}) % 3 && {z}[2] > {k} ? 1 : 2;"),
                "",
                &format!("sum += launched({x}, {y}) % 3 && (R({z}), {z}[2] > {k}) ? 1 : 2;"),
            ),
            // Threads may not use each other's elements.
            6 if x != y => out.same(
                &format!("sum += launched({x} + s % 2, {y}) % 100;"),
                "R(&s);",
            ),
            0 => out.same(&format!("sum += launched({x}, {y});"), ""),
            1 => out.same(&format!("local[{k}] = launched({x}, {y}) + {k};"), ""),
            _ => {
                let mut inner = Both::default();
                self.host(&mut inner);
                let head = format!("if (launched({x}, {y}) % 2) {{");
                out.nested((&head, &head), &inner, "}");
            }
        }
    }

    /// A loop or branch around statements, some of which may launch. One that launches nothing is
    /// brought up to date as a whole: so each of these launches.
    fn around(&mut self, depth: u32, out: &mut Both) {
        let mut inner = self.list(depth + 1);
        self.launch(&mut inner);
        let (k, name) = (self.random.between(0, 4), self.fresh());
        match self.random.between(0, 4) {
            0 => {
                let head = format!("for (int n{name} = 0; n{name} < {k}; n{name}++) {{");
                out.nested((&head, &head), &inner, "}");
            }
            1 => {
                let declared = format!("int n{name} = 0;");
                out.same(&declared, "");
                let head = |condition: &str| {
                    format!("while ({condition}t % 7 != {k} && n{name} < 3) {{\nn{name}++;")
                };
                out.nested((&head(""), &head("R(&t), ")), &inner, "}");
            }
            2 => {
                let head = |accesses: &str| format!("{accesses}if (s % 5 > {k}) {{");
                out.nested((&head(""), &head("R(&s); ")), &inner, "} else {");
                let other = self.list(depth + 1);
                out.nested(("", ""), &other, "}");
            }
            3 => {
                let declared = format!("int n{name} = 0;");
                out.same(&declared, "");
                let end = format!("}} while (n{name}++ < {k});");
                out.nested(("do {", "do {"), &inner, &end);
            }
            _ => {
                let head = format!("switch (sum % 3) {{ case {}: {{", k % 3);
                out.nested((&head, &head), &inner, "} break; default:");
                let mut other = Both::default();
                self.launch(&mut other);
                out.nested(("", ""), &other, "}");
            }
        }
    }

    /// Another name of some memory.
    fn alias(&mut self, out: &mut Both) {
        let (x, name) = (self.array(), self.fresh());
        let others: Vec<&str> = ARRAYS.into_iter().filter(|other| *other != x).collect();
        let y = self.random.of(&others);
        let r = format!("r{name}");
        let mut inner = Both::default();
        let z = self.array();
        match self.random.between(0, 4) {
            // Two that may be one: which it is, is known when it runs.
            0 => inner.same(&format!("int *{r} = (sum % 2 ? {x} : {x} + 1) + 1;"), ""),
            1 => inner.same(&format!("int *{r} = sum > 9 ? {x} + 2 : &{x}[1];"), ""),
            2 if ![y, z].contains(&x) && y != z => {
                inner.same(&format!("int *{r} = sum % 3 ? {x} + 2 : {z} + 1;"), "");
            }
            3 => inner.add(
                &format!("int *{r}p = {x} + 2, *&{r} = {r}p;"),
                "",
                &format!("int *{r} = {x} + 2;"),
            ),
            _ => inner.same(&format!("int *{r} = {x} + 2;"), ""),
        }
        for _ in 0..self.random.between(1, 4) {
            let k = self.random.between(0, 5);
            match self.random.between(0, 3) {
                0 => {
                    let to = self.element(&r, &k.to_string());
                    inner.same(&format!("{to} += 3;"), &format!("W({r});"));
                }
                1 => {
                    let from = self.element(&r, &k.to_string());
                    inner.same(&format!("s = {from};"), &format!("R({r}); S(&s);"));
                }
                2 => inner.add(
                    &format!("add<[<6>]>({r}, {y});"),
                    "",
                    &format!("add({r}, {y}, 6);"),
                ),
                _ => inner.add(
                    &format!("add<[<5>]>({y}, &{r}[1]);"),
                    "",
                    &format!("add({y}, &{r}[1], 5);"),
                ),
            }
        }
        out.nested(("{", "{"), &inner, "}");
    }

    /// A pointer gets memory of another size.
    fn renew(&mut self, out: &mut Both) {
        let p = self.random.of(&["p", "q"]);
        let bytes = 4 * (20 + self.fresh());
        match self.random.between(0, 2) {
            0 => {
                let call = format!("{p} = (int *)realloc({p}, {bytes});");
                let serial = format!("end({p}); {call} begin({p}, {bytes}, ON_HOST);");
                out.add(&call, &format!("R({p});"), &serial);
            }
            1 => {
                let call = format!("free({p});\n{p} = (int *)calloc({}, 4);", bytes / 4);
                let serial = format!("end({p}); {call} begin({p}, {bytes}, ON_BOTH);");
                out.add(&call, "", &serial);
            }
            _ => {
                let call = format!("free({p});\n{p} = (int *)malloc({bytes});");
                let set = format!("memset({p}, 0, {bytes});");
                let serial =
                    format!("end({p}); {call} begin({p}, {bytes}, ON_BOTH); S({p}); {set}");
                out.add(&format!("{call}\n{set}"), "", &serial);
            }
        }
    }
}

fn sequence(seed: u64) -> Sequence {
    let mut maker = Maker {
        random: Random::new(seed),
        seed,
        next: 0,
    };
    let is_plain = maker.is_plain();
    let random = &mut maker.random;
    let (to, from) = match is_plain {
        true => (random.of(&["a", "b"]), random.of(&["a", "b"])),
        false => (
            random.of(&["a", "b", "c"]),
            random.of(&["a", "b", "c", "p"]),
        ),
    };
    let (own, read) = (maker.element(to, "i"), maker.element(from, "i"));
    let (own, read) = (own.replace("sum", "i"), read.replace("sum", "i"));
    let mut body = Both::default();
    for (at, array) in ARRAYS.iter().enumerate() {
        body.same(
            &format!(
                "for (int i = 0; i < 8; i++)\n    {array}[i] = i * {} + 1;",
                at + 2
            ),
            &format!("W({array});"),
        );
    }
    let middle = maker.list(0);
    body.nested(("{", "{"), &middle, "}");
    body.add("add<[<8>]>(a, b);", "", "add(a, b, 8);");
    if is_plain {
        for (x, y) in [("a", "c"), ("p", "q"), ("b", "a")] {
            maker.tuned(x, y, 7, &mut body);
        }
    }
    for array in ARRAYS {
        body.same(
            &format!("for (int i = 0; i < 8; i++)\n    printf(\" %d\", {array}[i]);"),
            &format!("R({array});"),
        );
    }
    body.same("printf(\" %d %ld %d\\n\", s, t, sum);", "R(&s); R(&t);");

    // A value that no device code writes is an argument, unless a function binds it.
    let of_value = match body.shared.contains("halve(s)") {
        true => "DR(&s)",
        false => "R(&s)",
    };
    let (of_file, of_function) = match is_plain {
        true => (
            "int a[9];\nstatic int b[10];\n__global__ int s",
            "int c[11] = {0};\n    int *p, *q",
        ),
        false => ("__global__ int a[9], b[10], c[11], *p, *q, s", "int none"),
    };
    let shared = format!(
        "{of_file};\n__global__ long t;\n\
         __device__ int of_{seed}(int i) {{ return {read}; }}\n\
         __global__ void named_{seed}()\n{{\n    const int i = lThreadIdx.x;\n    \
         {own} += of_{seed}(i) % 10 + s;\n}}\n\
         __global__ void counts_{seed}(const int *from)\n{{\n    \
         if (threadIdx.x == 0)\n        t += from[3] % 10;\n}}\n\
         static void sequence_{seed}()\n{{\n    int sum = 0, local[10] = {{0}};\n    {of_function};\n    \
         p = (int *)malloc(48);\n    q = (int *)calloc(13, 4);\n{}    \
         free(p);\n    free(q);\n    (void)local;\n}}\n",
        body.shared
    );
    // Each thread of `named` reads what is before the kernel, or its own element.
    let serial = format!(
        "static int a[9], b[10], c[11], *p, *q, s;\nstatic long t;\n\
         static void named_{seed}(int threads)\n{{\n    DW({to}); DR({from}); {of_value};\n    \
         for (int i = 0; i < threads; i++)\n        {to}[i] += {from}[i] % 10 + s;\n}}\n\
         static void counts_{seed}(const int *from)\n{{\n    DW(&t); DR(from);\n    \
         t += from[3] % 10;\n}}\n\
         static void sequence_{seed}(void)\n{{\n    int sum = 0, local[10] = {{0}};\n    \
         begin(a, sizeof a, ON_BOTH); begin(b, sizeof b, ON_BOTH); begin(c, sizeof c, ON_BOTH);\n    \
         begin(&s, sizeof s, ON_BOTH); begin(&t, sizeof t, ON_BOTH);\n    \
         p = (int *)malloc(48); begin(p, 48, ON_BOTH);\n    \
         q = (int *)calloc(13, 4); begin(q, 52, ON_BOTH);\n{}    \
         end(p); end(q); free(p); free(q);\n    \
         end(a); end(b); end(c); end(&s); end(&t);\n    (void)local;\n}}\n",
        body.serial
    );
    Sequence {
        seed,
        shared: with_names(&shared, seed),
        serial: with_names(&serial, seed),
    }
}

/// Variables of a sequence have its seed in their names.
fn with_names(text: &str, seed: u64) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.chars() {
        if is_part(c) {
            word.push(c);
            continue;
        }
        out += &word;
        if ["a", "b", "c", "p", "q", "s", "t"].contains(&word.as_str()) {
            let _ = write!(out, "_{seed}");
        }
        word.clear();
        out.push(c);
    }
    out
}

/// What each sequence prints, and how many transfers of how many bytes it has.
type Results = Vec<(String, BTreeMap<usize, usize>)>;

fn results(outcome: &Outcome) -> Result<Results, String> {
    if outcome.code() != Some(0) {
        return Err(format!("{}\n{}", outcome.status, outcome.stderr));
    }
    let mut counts = vec![BTreeMap::new()];
    let number = |text: &str| {
        text.parse::<usize>()
            .map_err(|error| format!("{text}: {error}"))
    };
    for line in outcome.stderr.lines() {
        let last = counts.last_mut().ok_or("no sequence")?;
        if line.starts_with("sequence") {
            counts.push(BTreeMap::new());
        } else if let Some((_, bytes)) = line.split_once(" bytes=") {
            *last.entry(number(bytes)?).or_default() += 1;
        } else if let Some((bytes, count)) = line.split_once(' ') {
            last.insert(number(bytes)?, number(count)?);
        }
    }
    Ok(outcome
        .text()
        .lines()
        .map(String::from)
        .zip(counts)
        .collect())
}

/// The serial results of sequences that are written to a folder.
fn serial(folder: &Path, sequences: &[Sequence], flag: &str) -> Result<Results, String> {
    let all: String = sequences.iter().map(|one| one.serial.as_str()).collect();
    let text = format!("{MODEL}{all}{}", main(sequences, "report({})"));
    fs::write(folder.join("serial.c"), text).map_err(|error| error.to_string())?;
    let mut cc = command("cc");
    cc.current_dir(folder);
    cc.args(["-std=c11", "-w", "-o", "serial", "serial.c"]);
    succeed(cc.args(flag.split(' ')))?;
    results(&run(&mut command(folder.join("serial")))?)
}

fn main(sequences: &[Sequence], after: &str) -> String {
    let mut out = String::from("int main()\n{\n");
    for Sequence { seed, .. } in sequences {
        let after = after.replace("{}", &seed.to_string());
        let _ = writeln!(out, "    sequence_{seed}();\n    {after};");
    }
    out + "    return 0;\n}\n"
}

/// Writes sequences in MESI-CUDA and builds them.
fn build(folder: &Path, sequences: &[Sequence]) -> Result<(), String> {
    let all: String = sequences.iter().map(|one| one.shared.as_str()).collect();
    let text = format!(
        "{COMMON}{all}{}",
        main(sequences, "fprintf(stderr, \"sequence {}\\n\")")
    );
    fs::write(folder.join("shared.mcu"), text).map_err(|error| error.to_string())?;
    let mut cc = command(accrs());
    cc.current_dir(folder)
        .args(["cc", "-O0", "-w", "-DACCRS_MESI_CHECK"]);
    succeed(cc.args(["-o", "shared", "shared.mcu"])).map(|_| ())
}

fn shared(folder: &Path, schedule: &str) -> Result<Results, String> {
    let mut program = command(folder.join("shared"));
    program
        .env("ACCRS_SCHEDULE", schedule)
        .env("ACCRS_TRACE", "1");
    results(&run(&mut program)?)
}

fn number(variable: &str, fallback: u64) -> u64 {
    let given = std::env::var(variable).ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(fallback)
}

/// Values are those of the serial program, and no variable is transferred without need.
pub fn copies_are_coherent() -> Result<(), String> {
    let first = number("ACCRS_SEQUENCES_SEED", FIRST_SEED);
    let count = number("ACCRS_SEQUENCES", SEQUENCES);
    for begin in (0..count).step_by(usize::try_from(IN_A_FILE).unwrap_or(1)) {
        let seeds = begin..count.min(begin + IN_A_FILE);
        let sequences: Vec<Sequence> = seeds.map(|at| sequence(first + at)).collect();
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let expected = serial(folder.path(), &sequences, "-DLESS=0")?;
        build(folder.path(), &sequences)?;
        for schedule in SCHEDULES {
            let found = shared(folder.path(), schedule)?;
            let mut all = sequences.iter().zip(expected.iter().zip(&found));
            if let Some((one, (serial, shared))) =
                all.find(|(_, (serial, shared))| serial != shared)
            {
                return Err(format!(
                    "seed {}, {schedule}: {serial:?} expected, {shared:?} found\n{}",
                    one.seed, one.shared
                ));
            }
            if expected.len() != sequences.len() || found.len() != sequences.len() {
                return Err(format!("{} sequences of {}", found.len(), sequences.len()));
            }
        }
    }
    Ok(())
}

/// A kernel that leaves out an element is seen in each sequence, and one whose writes are forgotten.
pub fn a_stale_copy_is_seen() -> Result<(), String> {
    let sequences: Vec<Sequence> = (0..25).map(|at| sequence(FIRST_SEED + at)).collect();
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    build(folder.path(), &sequences)?;
    let found = shared(folder.path(), "forward")?;
    for (flag, is_of_values) in [("-DLESS=1", true), ("-DLESS=0 -DFORGET", false)] {
        let mistaken = serial(folder.path(), &sequences, flag)?;
        for (one, (wrong, right)) in sequences.iter().zip(mistaken.iter().zip(&found)) {
            let is_seen = match is_of_values {
                true => wrong.0 != right.0,
                false => wrong.0 == right.0 && wrong.1 != right.1,
            };
            if !is_seen {
                return Err(format!("seed {}: {flag} is not seen", one.seed));
            }
        }
    }
    Ok(())
}
