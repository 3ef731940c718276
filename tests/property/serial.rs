//! Files of functions, each with a line of results, against the C compiler that passes over their directives.

use std::fmt::Write as _;
use std::fs;
use std::ops::Range;

use crate::support::accrs;
use crate::support::process::{command, succeed};

/// Functions in one file.
const IN_A_FILE: u64 = 16;

const SCHEDULES: &[&str] = &["forward", "reverse", "20260117"];

/// Functions of one kind.
pub struct Functions<'o> {
    /// What a file begins with.
    pub head: &'o str,
    /// Writes `run{seed}`, which prints a line, and what it calls.
    pub function: fn(u64, &mut String),
    /// Options of all builds.
    pub options: &'o [&'o str],
    /// Options of which a build has one.
    pub choices: &'o [&'o str],
    /// How often kernels have what the functions are for: as often as a third of them at least.
    pub signs: fn(&str) -> usize,
}

impl Functions<'_> {
    /// Results are those of the serial program, in each order and for each choice.
    pub fn are_serial(&self, seeds: Range<u64>) -> Result<(), String> {
        let mut signs = 0;
        for begin in seeds
            .clone()
            .step_by(usize::try_from(IN_A_FILE).unwrap_or(1))
        {
            signs += self.file(begin..seeds.end.min(begin + IN_A_FILE))?;
        }
        match signs as u64 * 3 > seeds.end - seeds.start {
            true => Ok(()),
            false => Err(format!(
                "{signs} of {} functions are of use",
                seeds.end - seeds.start
            )),
        }
    }

    fn text(&self, seeds: Range<u64>) -> String {
        let mut text = format!("#include <stdio.h>\n{}", self.head);
        for seed in seeds.clone() {
            (self.function)(seed, &mut text);
        }
        text += "int main(void)\n{\n";
        for seed in seeds {
            let _ = writeln!(text, "    run{seed}();");
        }
        text + "    return 0;\n}\n"
    }

    /// Compares a file, and counts the signs in its kernels.
    fn file(&self, seeds: Range<u64>) -> Result<usize, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = |name: &str| folder.path().join(name);
        fs::write(path("all.c"), self.text(seeds.clone())).map_err(|error| error.to_string())?;
        let here = |program: &str| {
            let mut command = command(program);
            command.current_dir(folder.path());
            command
        };
        let flags = ["-std=c11", "-w", "-O1", "-fwrapv", "all.c", "-o"];
        succeed(here("cc").args(flags).arg("serial"))?;
        let expected = succeed(&mut command(path("serial")))?.text();
        let translated = accrs().to_string_lossy().into_owned();
        let mut translate = here(&translated);
        let arguments = ["translate", "all.c", "-o", "out"];
        succeed(translate.args(arguments).args(self.options))?;
        let kernels = fs::read_to_string(path("out/all.acc.cu"));
        let kernels = kernels.map_err(|error| error.to_string())?;
        for choice in self.choices {
            let mut build = here(&translated);
            build.args(["cc", choice]).args(self.options);
            succeed(build.args(flags).arg("emulated"))?;
            for schedule in SCHEDULES {
                let mut run = command(path("emulated"));
                let found = succeed(run.env("ACCRS_SCHEDULE", schedule))?.text();
                let mut both = found.lines().zip(expected.lines());
                if let Some(at) = both.position(|(found, expected)| found != expected) {
                    let mut text = String::new();
                    (self.function)(seeds.start + at as u64, &mut text);
                    return Err(format!("{choice}, {schedule}: another value\n{text}"));
                }
                if found.lines().count() != expected.lines().count() {
                    return Err(format!("{choice}, {schedule}: results are missing"));
                }
            }
        }
        Ok((self.signs)(&kernels))
    }
}
