//! A suite of benchmarks that programs are after, compared as a whole.
//!
//! Input: `suite.NAME` in the programs' `bench.toml`, which is what the suite calls them, and `suites.toml`
//! beside them, which has the suite's title and those of its programs that are not there, with the
//! reason. Output: tables that have a row for each program of the suite and a column for each form,
//! and a chart of `fcw` against `cache`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use comfy_table::Table;
use comfy_table::presets::ASCII_MARKDOWN;
use serde::{Deserialize, Serialize};

use super::measure::{FormResult, ProgramResult};
use super::plan::{self, AUTOMATIC, Benchmark, PLAIN};
use super::{Figures, chart, table};
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::failure::Failure;

/// The forms that are compared unless others are asked for.
pub(super) const FORMS: [&str; 6] = [PLAIN, AUTOMATIC, "cache", "fcw", "textbook", "tuned"];

/// The forms of the chart.
const IN_CHART: [&str; 2] = ["cache", "fcw"];

/// The chart's file.
pub(super) const CHART: &str = "suite.svg";

/// What folders of programs have to say of suites.
const DESCRIPTIONS: &str = "suites.toml";

/// A suite in [`DESCRIPTIONS`].
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    title: Option<String>,
    /// Programs of the suite that are not here, with the reason.
    #[serde(default)]
    absent: BTreeMap<String, String>,
}

/// A suite, of which all programs are that there are.
#[derive(Debug, Serialize)]
pub(super) struct Suite {
    name: String,
    title: String,
    /// What the suite calls the programs, by our names.
    programs: BTreeMap<String, String>,
    /// Programs of the suite that are not here, with the reason.
    absent: BTreeMap<String, String>,
}

impl Suite {
    /// Leaves the programs of a suite.
    ///
    /// # Errors
    /// When no program is of it, or its description is not right.
    pub(super) fn select(
        name: &str,
        folder: &Path,
        benchmarks: &mut Vec<Benchmark>,
    ) -> Result<Self, Failure> {
        let all = benchmarks.iter().flat_map(|own| own.suite.keys().cloned());
        let known: BTreeSet<String> = all.collect();
        if !known.contains(name) {
            return Err(unknown(name, folder, known));
        }
        benchmarks.retain(|own| own.suite.contains_key(name));
        let named = |own: &Benchmark| (own.name.clone(), own.suite[name].clone());
        let programs: BTreeMap<String, String> = benchmarks.iter().map(named).collect();
        let path = folder.join(DESCRIPTIONS);
        let mut described: BTreeMap<String, Description> = match path.is_file() {
            true => plan::read(&path)?,
            false => BTreeMap::new(),
        };
        let Description { title, absent } = described.remove(name).unwrap_or_default();
        if let Some(there) = programs.values().find(|own| absent.contains_key(*own)) {
            let message = format!("{}: `{there}` of {name} is there", path.display());
            return Err(Failure::environment(codes::BAD_USAGE, message));
        }
        Ok(Self {
            title: title.unwrap_or_else(|| name.to_owned()),
            name: name.to_owned(),
            programs,
            absent,
        })
    }

    /// For the terminal: a table for each measure, what is absent, what failed.
    pub(super) fn text(&self, figures: &Figures) -> String {
        let mut text = String::new();
        for (column, title) in table::OF_SUITE {
            if let Some(table) = self.table(figures, column, true) {
                let _ = writeln!(text, "{}: {}", self.title, lowered(title));
                table::append(&mut text, table);
                text.push('\n');
            }
        }
        for (name, why) in &self.absent {
            let _ = writeln!(text, "{name}: {why}");
        }
        text + &notes(figures, "")
    }

    /// For a page: the chart, a table for each measure, what failed.
    pub(super) fn markdown(&self, figures: &Figures) -> String {
        let mut text = format!("\n![{}: fcw against cache]({CHART})\n", self.title);
        let mut absent = true;
        for (column, title) in table::OF_SUITE {
            let Some(mut table) = self.table(figures, column, false) else {
                continue;
            };
            if std::mem::take(&mut absent) {
                self.add_absent(&mut table);
            }
            table.load_style(ASCII_MARKDOWN);
            let _ = write!(text, "\n## {title}\n\n{table}\n");
        }
        text + &notes(figures, "\n")
    }

    /// The chart; none where there is nothing to compare.
    pub(super) fn chart(&self, figures: &Figures) -> Result<Option<String>, Failure> {
        let programs = self.in_order(figures);
        let programs: Vec<_> = programs.iter().map(|(name, own)| (&**name, *own)).collect();
        chart::of_suite(&self.title, &programs, &IN_CHART, figures.is_emulated())
    }

    /// The programs that were run, in the suite's order, with names.
    fn in_order<'f>(&self, figures: &'f Figures) -> Vec<(String, &'f ProgramResult)> {
        let named = |own: &'f ProgramResult| {
            let theirs = self.programs.get(&own.name).unwrap_or(&own.name);
            match *theirs == own.name {
                true => (own.name.clone(), own),
                false => (format!("{theirs} ({})", own.name), own),
            }
        };
        let mut all: Vec<_> = figures.programs.iter().map(named).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// A row for each program, a column for each form; none where none has such figures.
    fn table(&self, figures: &Figures, column: &str, is_short: bool) -> Option<Table> {
        let forms = forms(figures);
        let words = if is_short { 1 } else { 2 };
        let mut table = Table::new();
        let header = ["program", "size"].into_iter().take(words);
        table.set_header(header.chain(forms.iter().copied()));
        let mut has_any = false;
        for (name, program) in self.in_order(figures) {
            let size = program.forms.iter().find_map(|form| form.sizes.last());
            let size = size.map_or_else(String::new, |size| size.size.clone());
            let mut row: Vec<String> = [name, size].into_iter().take(words).collect();
            row.extend(forms.iter().map(|name| {
                let form = program.forms.iter().find(|form| form.form == *name);
                let figure = form
                    .and_then(|form| table::figure(program, form, column, figures.is_emulated()));
                has_any |= figure.is_some();
                figure.unwrap_or_default()
            }));
            table.add_row(row);
        }
        table::align(&mut table, words);
        has_any.then_some(table)
    }

    /// Rows that say why there are no figures.
    fn add_absent(&self, table: &mut Table) {
        for (name, why) in &self.absent {
            table.add_row([name, why]);
        }
    }
}

/// The forms that were run: those of [`FORMS`] first.
fn forms(figures: &Figures) -> Vec<&str> {
    let all = figures.programs.iter().flat_map(|program| &program.forms);
    let all: Vec<&str> = all.map(|form: &FormResult| form.form.as_str()).collect();
    let mut forms: Vec<&str> = Vec::new();
    for form in FORMS.iter().filter(|form| all.contains(form)).chain(&all) {
        if !forms.contains(form) {
            forms.push(form);
        }
    }
    forms
}

/// What failed, and of which program.
fn notes(figures: &Figures, before: &str) -> String {
    let mut text = String::new();
    for program in &figures.programs {
        text += &table::notes(program, &format!("{before}{}, ", program.name));
    }
    text
}

/// A title within a line.
fn lowered(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

fn unknown(name: &str, folder: &Path, known: BTreeSet<String>) -> Failure {
    let message = format!("no program in {} is of a suite `{name}`", folder.display());
    let help = match known.is_empty() {
        true => "`suite.NAME` in a bench.toml says that a program is of a suite".to_owned(),
        false => format!(
            "suites: {}",
            known.into_iter().collect::<Vec<_>>().join(", ")
        ),
    };
    Diagnostic::global(codes::BAD_USAGE, message)
        .help(help)
        .into()
}
