//! Random code between the loops that the threads of a block share.
//!
//! Each program is a nest of a gang's loop, or a construct of one gang, around loops over threads,
//! loops around these, statements that are done once, and variables of the gang. Windows are only
//! fetched, so that the program means the same without its directives: the oracle is the C compiler.
//! Numbers are unsigned, and compared exactly in three schedules; `accrs check --dynamic` must find
//! nothing. Other programs have no windows, and loops whose threads come back to elements of their
//! own, or to those of others: no barrier may be missing between them. A third kind has in addition
//! cases deeper than their `switch`, and a variable of the gang that its threads add up and write.
//!
//! `ACCRS_ROUNDS=1000` runs that many programs of each kind, `ACCRS_ROUNDS_SEED=N` begins with seed
//! `N`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use accrs::driver::compilers::KEEP_CALLS;

use super::random::Random;
use super::run::SCHEDULES;
use super::support::accrs;
use super::support::process::{command, succeed};

/// The programs of a run without a request, and how many are in one file.
pub const PROGRAMS: u64 = 40;
const IN_A_FILE: u64 = 20;
const FIRST_SEED: u64 = 29;

/// Columns of every array: a prime, so that no block divides it.
const COLUMNS: i64 = 131;
const ROWS: i64 = 3;
const ARRAYS: [&str; 4] = ["p", "q", "r", "s"];

/// What is in the loops over threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Windows, for most of them.
    Windows,
    /// Elements that are those of one thread in several loops, or nearly so.
    OwnElements,
    /// The same among jumps, with a variable that threads add up in one loop and write in another.
    Jumps,
}

/// Runs that many programs.
pub fn run(kind: Kind, wanted: u64, first: Option<u64>) -> Result<(), String> {
    let first = first.unwrap_or(FIRST_SEED);
    let mut at = first;
    while at < first + wanted {
        let end = (at + IN_A_FILE).min(first + wanted);
        file(kind, at..end)?;
        at = end;
    }
    Ok(())
}

/// The programs of one file against what the C compiler makes of them.
fn file(kind: Kind, seeds: std::ops::Range<u64>) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let source = folder.path().join("rounds.c");
    fs::write(&source, text(kind, seeds)).map_err(|error| error.to_string())?;
    let serial = folder.path().join("serial");
    succeed(
        command("gcc")
            .args(["-w", "-O1", KEEP_CALLS, "-o"])
            .arg(&serial)
            .arg(&source),
    )?;
    let expected = succeed(&mut command(&serial))?.text();
    let emulated = folder.path().join("emulated");
    let mut cc = command(accrs());
    succeed(
        cc.args(["cc", "-w", "-O1", "-o"])
            .arg(&emulated)
            .arg(&source),
    )?;
    for schedule in SCHEDULES {
        let outcome = succeed(command(&emulated).env("ACCRS_SCHEDULE", schedule))?;
        compare(&expected, &outcome.text(), &source, schedule)?;
    }
    let mut check = command(accrs());
    succeed(check.args(["check", "--dynamic"]).arg(&source)).map(|_| ())
}

fn compare(expected: &str, actual: &str, source: &Path, schedule: &str) -> Result<(), String> {
    let mut pairs = expected.lines().zip(actual.lines());
    let wrong = pairs.find(|(expected, actual)| expected != actual);
    let Some((expected, actual)) = wrong else {
        let same = expected.lines().count() == actual.lines().count();
        return same.then_some(()).ok_or("too few programs ran".to_owned());
    };
    let seed = expected.split(' ').next().unwrap_or_default();
    let text = super::support::read(source)?;
    let begin = text
        .find(&format!("static void program_{seed}("))
        .unwrap_or(0);
    let end = text[begin..]
        .find("\n}\n")
        .map_or(text.len(), |end| begin + end + 3);
    Err(format!(
        "schedule {schedule}: `{actual}` instead of `{expected}`:\n{}",
        &text[begin..end]
    ))
}

/// A file of programs; each prints its seed and a number made from all elements.
fn text(kind: Kind, seeds: std::ops::Range<u64>) -> String {
    let mut text = format!(
        "#include <stdio.h>\n#define R {ROWS}\n#define C {COLUMNS}\n\
         static unsigned p[R][C], q[R][C], r[R][C], s[R][C], once[R];\n\n"
    );
    for seed in seeds.clone() {
        let mut writer = Writer {
            kind,
            random: Random::new(seed),
            text: String::new(),
            depth: 1,
            values: 0,
            known: Vec::new(),
            rounds: 0,
        };
        writer.program();
        let body = &writer.text;
        // What is written lasts until the gang is done with it.
        write!(text, "static void program_{seed}(void)\n{{\n{body}}}\n\n").expect("a string grows");
    }
    text.push_str(
        "static void fill(void)\n{\n    for (int i = 0; i < R; i++) {\n        once[i] = i;\n        \
         for (int j = 0; j < C; j++) {\n            p[i][j] = i * 7 + j;\n            \
         q[i][j] = i + j * 5;\n            r[i][j] = i ^ j;\n            s[i][j] = 3 * j - i;\n        \
         }\n    }\n}\n\nstatic unsigned sum(void)\n{\n    unsigned sum = 0;\n    \
         for (int i = 0; i < R; i++) {\n        sum = sum * 31 + once[i];\n        \
         for (int j = 0; j < C; j++)\n            \
         sum = ((sum * 31 + p[i][j]) * 31 + q[i][j]) * 31 + r[i][j] * 7 + s[i][j];\n    }\n    \
         return sum;\n}\n\nint main(void)\n{\n",
    );
    for seed in seeds {
        writeln!(
            text,
            "    fill();\n    program_{seed}();\n    printf(\"{seed} %u\\n\", sum());"
        )
        .expect("a string grows");
    }
    text.push_str("    return 0;\n}\n");
    text
}

struct Writer {
    kind: Kind,
    random: Random,
    text: String,
    depth: usize,
    /// Variables of the gang so far, and those that can be seen.
    values: usize,
    known: Vec<String>,
    /// Loops around.
    rounds: usize,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let indent = 4 * self.depth;
        // Directives of nested blocks are indented as the code is.
        writeln!(self.text, "{:indent$}{line}", "").expect("a string grows");
    }

    fn program(&mut self) {
        let threads = self.random.of(&[32, 64, 96]);
        let data = "copy(p, q, r, s, once)";
        if self.random.chance(1, 4) {
            self.line(&format!(
                "#pragma acc parallel num_gangs(1) vector_length({threads}) {data}"
            ));
            self.line("{");
            self.depth += 1;
            self.line("const int i = 1;");
        } else {
            self.line(&format!(
                "#pragma acc parallel loop gang vector_length({threads}) {data}"
            ));
            self.line("for (int i = 0; i < R; i++) {");
            self.depth += 1;
        }
        if self.kind != Kind::Windows {
            self.line("int at = i % 3;");
        }
        if self.kind == Kind::Jumps {
            self.line("unsigned sum = 3;");
            self.known.push("sum".to_owned());
        }
        let windowed = self.window_at();
        self.items(windowed);
        self.depth -= 1;
        self.line("}");
    }

    /// How many items there are, and which of them is sure to have a window.
    fn window_at(&mut self) -> (i64, i64) {
        let items = self.random.between(1, 4);
        (items, self.random.between(0, items - 1))
    }

    fn items(&mut self, (items, windowed): (i64, i64)) {
        let known = self.known.len();
        for item in 0..items {
            let is_jump = self.kind == Kind::Jumps && self.random.chance(1, 2);
            match self.random.between(0, 9) {
                0 | 1 if is_jump => self.added(),
                2 if is_jump => self.written(),
                3..=5 if is_jump && self.depth < 6 => self.switch(),
                _ if item == windowed => self.shared_loop(true),
                0 | 1 => self.value(),
                2 | 3 => self.once(),
                4..=6 if self.rounds < 2 => self.around(),
                7 => self.shared_loop(false),
                _ => self.shared_loop(true),
            }
        }
        self.known.truncate(known);
    }

    fn around(&mut self) {
        let t = ["t", "u"][self.rounds];
        let rounds = self.random.between(2, 4);
        self.line(&format!("for (int {t} = 0; {t} < {rounds}; {t}++) {{"));
        self.depth += 1;
        self.rounds += 1;
        let windowed = self.window_at();
        self.items(windowed);
        self.rounds -= 1;
        self.depth -= 1;
        self.line("}");
    }

    /// Code that all threads may enter in its middle, deeper down.
    fn switch(&mut self) {
        let value = self.scalar();
        self.line(&format!("switch ({value} % 3) {{"));
        self.line("case 0:;");
        self.depth += 1;
        self.case();
        let head = match self.random.chance(1, 2) {
            true => "{".to_owned(),
            false => format!("if ({} % 2) {{", self.scalar()),
        };
        self.line(&head);
        self.line("case 1:;");
        self.depth += 1;
        self.case();
        self.depth -= 1;
        self.line("}");
        self.case();
        if self.random.chance(1, 2) {
            self.line("break;");
        }
        self.depth -= 1;
        self.line("default:;");
        self.depth += 1;
        self.case();
        self.depth -= 1;
        self.line("}");
    }

    fn case(&mut self) {
        let windowed = self.window_at();
        self.items(windowed);
    }

    /// A loop whose threads add up.
    fn added(&mut self) {
        let source = *self.random.pick(&ARRAYS);
        if self.random.chance(1, 3) {
            self.line("sum = 0;");
        }
        self.line("#pragma acc loop vector reduction(+:sum)");
        self.line("for (int j = 0; j < C; j++)");
        self.line(&format!("    sum += {source}[i][j];"));
    }

    /// A loop one of whose threads sets what others add up.
    fn written(&mut self) {
        let source = *self.random.pick(&ARRAYS);
        let last = self.random.between(0, COLUMNS - 1);
        self.line("#pragma acc loop vector");
        self.line("for (int j = 0; j < C; j++)");
        self.line(&format!("    if (j == {last})"));
        self.line(&format!("        sum = {source}[i][j] + j;"));
    }

    /// A variable that all threads have.
    fn value(&mut self) {
        if self.kind != Kind::Windows && self.random.chance(1, 2) {
            return self.line("at = (at + 1) % 3;");
        }
        let name = format!("v{}", self.values);
        self.values += 1;
        let value = self.whole();
        self.line(&format!("const unsigned {name} = {value};"));
        self.known.push(name);
    }

    /// What one thread does.
    fn once(&mut self) {
        let value = self.whole();
        let column = self.random.between(0, COLUMNS - 1);
        let target = match self.random.between(0, 2) {
            0 => "once[i]".to_owned(),
            _ => format!("{}[i][{column}]", self.random.pick(&ARRAYS)),
        };
        let operator = self.random.pick(&["=", "+=", "^="]);
        self.line(&format!("{target} {operator} {value};"));
    }

    /// A value that does not depend on the thread.
    fn whole(&mut self) -> String {
        let array = *self.random.pick(&ARRAYS);
        let column = self.random.between(0, COLUMNS - 1);
        let element = match self.rounds {
            0 => format!("{array}[i][{column}]"),
            _ => format!("{array}[i][({column} + 5 * t) % C]"),
        };
        let other = self.scalar();
        format!("{element} * 3 + {other}")
    }

    /// A number that is at hand.
    fn scalar(&mut self) -> String {
        let mut choices = vec!["once[i]".to_owned(), self.random.between(1, 9).to_string()];
        choices.extend(self.known.iter().cloned());
        choices.extend(["t", "u"][..self.rounds].iter().map(|t| (*t).to_owned()));
        self.random.pick(&choices).clone()
    }

    /// A loop over the threads of the block, with a window or without. Its iterations do not depend
    /// on each other: each writes one element, which no other one touches.
    fn shared_loop(&mut self, with_window: bool) {
        if self.kind != Kind::Windows {
            return self.own_loop();
        }
        let target = *self.random.pick(&ARRAYS);
        let others: Vec<&str> = ARRAYS.into_iter().filter(|a| *a != target).collect();
        let (before, after) = (self.random.between(0, 3), self.random.between(0, 3));
        let element = self.element(target, before, after);
        let source = *self.random.pick(&others);
        // All accesses to an array with a window are to be in the window.
        let beside: Vec<&str> = others.into_iter().filter(|a| *a != source).collect();
        let other = *self.random.pick(&beside);
        let elsewhere = self.random.between(0, COLUMNS - 1);
        let scalar = self.scalar();
        let low = before;
        let bound = COLUMNS - after;
        self.line("#pragma acc loop vector");
        self.line(&format!("for (int j = {low}; j < {bound}; j++) {{"));
        self.depth += 1;
        if with_window {
            self.line(&format!(
                "#pragma acc fcw FETCH_ONLY({source}[i:0:0:j:{before}:{after}])"
            ));
        }
        self.line(&format!(
            "{element} = {element} * 5 + {source}[i][j - {before}] + {source}[i][j + {after}] * 3 + \
             {other}[i][(j + {elsewhere}) % C] + {scalar};"
        ));
        self.depth -= 1;
        self.line("}");
    }

    /// Such a loop without a window. Iteration `k` touches element `k` of most arrays, whatever the
    /// first value.
    fn own_loop(&mut self) {
        let target = *self.random.pick(&ARRAYS);
        let others: Vec<&str> = ARRAYS.into_iter().filter(|a| *a != target).collect();
        let low = self.random.of(&[0, 0, 0, 1, 2]);
        let bound = low + COLUMNS - self.random.of(&[3, 3, 3, 4, 9]);
        let (written, read) = (self.own_element(low), self.own_element(low));
        let source = *self.random.pick(&others);
        let scalar = match self.random.chance(1, 4) {
            true => self.scalar(),
            false => "j".to_owned(),
        };
        self.line("#pragma acc loop vector");
        let step = match self.random.of(&[1, 1, 1, 1, 1, 2]) {
            1 => "j++".to_owned(),
            step => format!("j += {step}"),
        };
        let header = match self.random.chance(1, 9) {
            true => format!("for (int j = {}; j >= {low}; j--) {{", bound - 1),
            false => format!("for (int j = {low}; j < {bound}; {step}) {{"),
        };
        self.line(&header);
        self.depth += 1;
        if self.random.chance(1, 4) {
            self.line(&format!("if ({source}[i][{read}] % 3)"));
        }
        self.line(&format!(
            "{target}[i][{written}] = {target}[i][{written}] * 5 + {source}[i][{read}] + {scalar};"
        ));
        self.depth -= 1;
        self.line("}");
    }

    /// The subscript of iteration `j - low`.
    fn own_element(&mut self, low: i64) -> String {
        let shift = self
            .random
            .of(&["", "", "", "", "", " + 1", " + 2", " + at", " + at"]);
        match low {
            0 => format!("j{shift}"),
            _ => format!("j - {low}{shift}"),
        }
    }

    /// The element that an iteration writes: its own, or a shifted one.
    fn element(&mut self, target: &str, before: i64, after: i64) -> String {
        let shift = self.random.between(1, COLUMNS - 1);
        match self.random.between(0, 3) {
            0 if before == 0 && after == 0 => format!("{target}[i][C - 1 - j]"),
            1 => format!("{target}[i][(j + {shift}) % C]"),
            2 if self.rounds > 0 => format!("{target}[i][(j + {shift} * t) % C]"),
            _ => format!("{target}[i][j]"),
        }
    }
}
