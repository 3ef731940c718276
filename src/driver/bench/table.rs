//! The tables of a program's figures.
//!
//! The terminal's are at most 80 columns wide, a table for each size; a
//! Markdown page has all columns in one table.

use std::fmt::Write as _;

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{CellAlignment, Table};

use super::launched;
use super::measure::{Counts, FormResult, ProgramResult, SizeResult};
use super::peers::Place;
use crate::driver::counts::Tally;

/// A column: its name, at most two short lines of it for the terminal (none:
/// only a page has room for it), and its text.
struct Column {
    name: &'static str,
    short: Option<&'static str>,
    text: fn(&Row) -> Option<String>,
}

const fn column(
    name: &'static str,
    short: Option<&'static str>,
    text: fn(&Row) -> Option<String>,
) -> Column {
    Column { name, short, text }
}

/// A form at a size, and at that size the one that it is measured against.
struct Row<'p> {
    form: &'p FormResult,
    size: &'p SizeResult,
    base: Option<&'p SizeResult>,
}

impl Row<'_> {
    fn of_counts(&self, value: fn(&Counts) -> u64) -> Option<String> {
        let counts = self.size.counts.as_ref()?;
        Some(value(counts).to_string())
    }

    fn result(&self) -> String {
        match (&self.size.failure, &self.form.place) {
            (Some(_), _) => "WRONG".to_owned(),
            (None, Some(Place::Host(_))) => "host".to_owned(),
            (None, _) => "equal".to_owned(),
        }
    }
}

/// The column whose name ends in that of the form that others are measured against.
const AGAINST: &str = "against ";

/// Columns before the figures of either kind.
const WORDS: usize = 3;

const FIRST: [Column; WORDS] = [
    column("form", Some("form"), |row| Some(row.form.form.clone())),
    column("size", None, |row| Some(row.size.size.clone())),
    column("result", Some("result"), |row| Some(row.result())),
];

const COUNTS: [Column; 8] = [
    column("lines", None, |row| Some(row.form.lines.code.to_string())),
    column("launches", Some("launches"), |row| {
        row.of_counts(|counts| counts.launches)
    }),
    column("barriers", Some("barriers"), |row| {
        row.of_counts(|counts| counts.barriers)
    }),
    column("requests", Some("requests"), |row| {
        row.of_counts(|counts| counts.device.requests)
    }),
    column("transactions", Some("trans-\nactions"), |row| {
        row.of_counts(|counts| counts.device.transactions)
    }),
    column("a request", None, |row| {
        let counts = row.size.counts.as_ref()?;
        let ratio = counts.device.transactions_per_request()?;
        Some(format!("{ratio:.2}"))
    }),
    column(AGAINST, Some("against\n"), |row| {
        let ratio = transactions_ratio(row.size.counts.as_ref()?, row.base)?;
        Some(format!("{ratio:.2}"))
    }),
    column(
        "shared-memory wavefronts",
        Some("shared\nwavefronts"),
        |row| row.of_counts(|counts| counts.shared.transactions),
    ),
];

const TIMES: [Column; 10] = [
    column("lines", None, |row| Some(row.form.lines.code.to_string())),
    column("launches", Some("launches"), |row| {
        Some(row.size.trace?.launches.to_string())
    }),
    column("kernels ms", Some("kernels\nms"), |row| {
        Some(milliseconds(row.size.trace?.kernels.median))
    }),
    column("launching ms", Some("launching\nms"), |row| {
        Some(milliseconds(row.size.trace?.launching.median))
    }),
    column("speed-up", Some("speed-\nup"), |row| {
        Some(format!("{:.2}x", speed_up(row.size, row.base)?))
    }),
    column("copies ms", Some("copies\nms"), |row| {
        Some(milliseconds(row.size.trace?.transfers.median))
    }),
    column("MB copied", None, |row| Some(megabytes(row.size))?),
    column("all ms", Some("all\nms"), |row| {
        Some(milliseconds(row.size.seconds?.median))
    }),
    column("from ms", None, |row| {
        Some(milliseconds(row.size.seconds?.least))
    }),
    column("to ms", None, |row| {
        Some(milliseconds(row.size.seconds?.most))
    }),
];

/// What a suite is compared by.
pub(super) const OF_SUITE: [(&str, &str); 8] = [
    ("transactions", "Transactions of device memory"),
    ("speed-up", "Speed-up over plain OpenACC"),
    ("launches", "Launches"),
    ("shared-memory wavefronts", "Shared-memory wavefronts"),
    ("barriers", "Executed barriers"),
    ("kernels ms", "Kernels, in ms"),
    ("all ms", "All, in ms"),
    ("lines", "Lines of code"),
];

/// A form's figure in a column, at its largest size; none where there is no such column.
pub(super) fn figure(
    program: &ProgramResult,
    form: &FormResult,
    column: &str,
    is_emulated: bool,
) -> Option<String> {
    let columns: &[Column] = if is_emulated { &COUNTS } else { &TIMES };
    let column = columns.iter().find(|own| own.name == column)?;
    let Some(size) = form.sizes.last() else {
        return form.failure.as_ref().map(|_| "WRONG".to_owned());
    };
    if size.failure.is_some() {
        return Some("WRONG".to_owned());
    }
    let mut bases = program.base()?.sizes.iter();
    let base = bases.find(|base| base.size == size.size);
    (column.text)(&Row { form, size, base })
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.3}", 1e3 * seconds)
}

#[allow(clippy::cast_precision_loss, reason = "megabytes with one digit")]
fn megabytes(size: &SizeResult) -> Option<String> {
    let trace = size.trace?;
    let bytes = trace.bytes_to_device + trace.bytes_to_host;
    Some(format!("{:.1}", bytes as f64 / 1e6))
}

/// How many times faster than another form: kernels and their launches where
/// both were traced, else all, as for a peer. What ran on the host is not
/// compared.
pub(super) fn speed_up(size: &SizeResult, base: Option<&SizeResult>) -> Option<f64> {
    let base = base?;
    match (base.trace, size.trace) {
        (Some(base), Some(own)) => Some(base.device_seconds() / own.device_seconds()),
        _ => Some(base.seconds?.median / size.seconds?.median),
    }
}

/// Transactions of device memory against those of another form.
#[allow(clippy::cast_precision_loss, reason = "a ratio with two digits")]
pub(super) fn transactions_ratio(counts: &Counts, base: Option<&SizeResult>) -> Option<f64> {
    let base = base?.counts.as_ref()?.device.transactions;
    (base > 0).then(|| counts.device.transactions as f64 / base as f64)
}

/// For the terminal: a title, tables, lines of code, what failed.
pub(super) fn text(program: &ProgramResult, is_emulated: bool) -> String {
    let mut text = format!("{}: {}\n", program.name, program.title);
    for size in sizes(program) {
        let table = figures(program, Some(size), is_emulated);
        let _ = writeln!(text, "  {size}");
        append(&mut text, table);
    }
    let of_kernels = launched::table(program, true).or_else(|| requests(program, true));
    let more = [of_kernels, kernels(program, true)];
    for table in more.into_iter().flatten() {
        append(&mut text, table);
    }
    let _ = writeln!(text, "  {}", lines(program));
    text + &notes(program, "  ")
}

pub(super) fn append(text: &mut String, mut table: Table) {
    table.load_style(NOTHING);
    for line in table.lines() {
        let _ = writeln!(text, " {}", line.trim_end());
    }
}

/// For a Markdown page.
pub(super) fn markdown(program: &ProgramResult, is_emulated: bool) -> String {
    let mut table = figures(program, None, is_emulated);
    table.load_style(ASCII_MARKDOWN);
    let mut text = format!("{table}\n");
    let of_kernels = launched::table(program, false).or_else(|| requests(program, false));
    let more = [of_kernels, kernels(program, false)];
    for mut table in more.into_iter().flatten() {
        table.load_style(ASCII_MARKDOWN);
        let _ = write!(text, "\n{table}\n");
    }
    let _ = write!(text, "\n{}.\n", lines(program));
    text + &notes(program, "\n")
}

/// The lines of code of each form, as in the paper's table II.
fn lines(program: &ProgramResult) -> String {
    let mut all = vec![format!("serial {}", program.serial_lines.code)];
    let own = program.forms.iter();
    let own = own.filter(|form| form.define.is_none() && form.place.is_none());
    all.extend(own.map(|form| format!("{} {}", form.form, form.lines.code)));
    format!("lines of code: {}", all.join(", "))
}

/// The sizes, in the order in which they were run.
fn sizes(program: &ProgramResult) -> Vec<&str> {
    let mut sizes: Vec<&str> = Vec::new();
    for size in program.forms.iter().flat_map(|form| &form.sizes) {
        if !sizes.contains(&size.size.as_str()) {
            sizes.push(&size.size);
        }
    }
    sizes
}

/// A row for each form at each size; of one size for a terminal.
fn figures(program: &ProgramResult, only: Option<&str>, is_emulated: bool) -> Table {
    let kind: &[Column] = if is_emulated { &COUNTS } else { &TIMES };
    let is_short = only.is_some();
    let columns: Vec<&Column> = FIRST
        .iter()
        .chain(kind)
        .filter(|column| !is_short || column.short.is_some())
        .collect();
    let mut table = Table::new();
    table.set_header(columns.iter().map(|column| {
        let name = match column.short {
            Some(short) if is_short => short,
            _ => column.name,
        };
        match column.name == AGAINST {
            true => format!("{name}{}", program.base),
            false => name.to_owned(),
        }
    }));
    for size in sizes(program)
        .into_iter()
        .filter(|size| only.is_none_or(|only| only == *size))
    {
        let of_form = |form: &'_ FormResult| form.sizes.iter().position(|other| other.size == size);
        let base = program.base();
        let base = base.and_then(|base| Some(&base.sizes[of_form(base)?]));
        for form in &program.forms {
            let Some(size) = of_form(form) else {
                continue;
            };
            let size = &form.sizes[size];
            let row = Row { form, size, base };
            table.add_row(
                columns
                    .iter()
                    .map(|column| (column.text)(&row).unwrap_or_default()),
            );
        }
    }
    let words = if is_short { WORDS - 1 } else { WORDS };
    align(&mut table, words);
    table
}

/// A row for each kernel of each form at each size, as in table 6 of the paper on MESI-CUDA; none
/// where requests are not told by kernels.
fn requests(program: &ProgramResult, is_short: bool) -> Option<Table> {
    let mut table = Table::new();
    table.set_header(match is_short {
        true => [
            "form",
            "size",
            "kernel",
            "a load",
            "a store",
            "trans-\nactions",
        ],
        false => [
            "form",
            "size",
            "kernel",
            "a load",
            "a store",
            "transactions",
        ],
    });
    let each = |tally: Tally| {
        let ratio = tally.transactions_per_request();
        ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"))
    };
    for form in &program.forms {
        for size in &form.sizes {
            for kernel in &size.kernels {
                let all = kernel.loads.transactions + kernel.stores.transactions;
                table.add_row([
                    form.form.clone(),
                    size.size.clone(),
                    kernel.kernel.clone(),
                    each(kernel.loads),
                    each(kernel.stores),
                    all.to_string(),
                ]);
            }
        }
    }
    align(&mut table, WORDS);
    (table.row_count() > 0).then_some(table)
}

/// A row for each kernel of each form; none where nvcc was not asked.
fn kernels(program: &ProgramResult, is_short: bool) -> Option<Table> {
    let header = match is_short {
        true => ["form", "kernel", "for", "regs", "spills", "static\nshared"],
        false => [
            "form",
            "kernel",
            "for",
            "registers",
            "spills",
            "static shared",
        ],
    };
    let mut table = Table::new();
    table.set_header(header);
    for form in &program.forms {
        for kernel in &form.kernels {
            let spills = match kernel.spill_bytes {
                0 => "none".to_owned(),
                bytes => format!("{bytes} bytes"),
            };
            table.add_row([
                form.form.clone(),
                kernel.name.clone(),
                kernel.arch.clone(),
                kernel.registers.to_string(),
                spills,
                kernel.static_shared_bytes.to_string(),
            ]);
        }
    }
    align(&mut table, WORDS);
    (table.row_count() > 0).then_some(table)
}

/// Figures, which stand behind the words, end at the right.
pub(super) fn align(table: &mut Table, words: usize) {
    for column in table.column_iter_mut().skip(words) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

/// A line for each failure, and for what cannot be compared.
pub(super) fn notes(program: &ProgramResult, before: &str) -> String {
    let mut text = String::new();
    for form in &program.forms {
        if let Some(failure) = &form.failure {
            let _ = writeln!(text, "{before}{}: {failure}", form.form);
        }
        for size in &form.sizes {
            if let Some(failure) = &size.failure {
                let _ = writeln!(text, "{before}{} at {}: {failure}", form.form, size.size);
            }
        }
        if let Some(Place::Host(why)) = &form.place {
            let all = form
                .sizes
                .iter()
                .filter_map(|size| Some((size, size.host_seconds?)));
            let all: Vec<String> = all
                .map(|(size, times)| format!("{} ms at {}", milliseconds(times.median), size.size))
                .collect();
            let _ = writeln!(
                text,
                "{before}{} ran on the host ({why}), which is compared with nothing: {}",
                form.form,
                all.join(", ")
            );
        }
    }
    text
}
