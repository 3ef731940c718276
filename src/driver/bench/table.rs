//! The tables of a program's figures.

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{CellAlignment, Table};

use super::measure::{Counts, FormResult, KernelFigures, ProgramResult, SizeResult};
use super::plan::PLAIN;

/// The columns of counts; the first three are words.
const COUNTS: [&str; 11] = [
    "form",
    "size",
    "result",
    "lines",
    "launches",
    "barriers",
    "requests",
    "transactions",
    "a request",
    "against acc",
    "shared rounds",
];

/// The columns of times; the first three are words.
const TIMES: [&str; 10] = [
    "form",
    "size",
    "result",
    "lines",
    "seconds",
    "least",
    "most",
    "against acc",
    "kernels",
    "MB moved",
];

/// The columns of what nvcc makes of kernels; the first three are words.
const KERNELS: [&str; 6] = [
    "form",
    "kernel",
    "for",
    "registers",
    "spills",
    "static shared",
];

/// Columns that hold words.
const WORDS: usize = 3;

/// For the terminal: a title, a row for each form and size, what failed.
pub(super) fn text(program: &ProgramResult, is_emulated: bool) -> String {
    let mut text = format!("{}: {}\n", program.name, program.title);
    for mut table in [Some(table(program, is_emulated)), kernels(program)]
        .into_iter()
        .flatten()
    {
        table.load_style(NOTHING);
        for line in table.lines() {
            text += &format!("  {}\n", line.trim_end());
        }
    }
    text + &failures(program, "  ") + "\n"
}

/// For a Markdown page.
pub(super) fn markdown(program: &ProgramResult, is_emulated: bool) -> String {
    let mut table = table(program, is_emulated);
    table.load_style(ASCII_MARKDOWN);
    let mut text = format!("{table}\n");
    if let Some(mut kernels) = kernels(program) {
        kernels.load_style(ASCII_MARKDOWN);
        text += &format!("\n{kernels}\n");
    }
    text + &failures(program, "\n")
}

/// A row for each kernel of each form; none where nvcc was not asked.
fn kernels(program: &ProgramResult) -> Option<Table> {
    let mut table = Table::new();
    table.set_header(KERNELS);
    for form in &program.forms {
        for kernel in &form.kernels {
            table.add_row(kernel_row(form, kernel));
        }
    }
    align(&mut table, KERNELS.len());
    (table.row_count() > 0).then_some(table)
}

fn kernel_row(form: &FormResult, kernel: &KernelFigures) -> [String; KERNELS.len()] {
    let spills = match kernel.spill_bytes {
        0 => "none".to_owned(),
        bytes => format!("{bytes} bytes"),
    };
    [
        form.form.clone(),
        kernel.name.clone(),
        kernel.arch.clone(),
        kernel.registers.to_string(),
        spills,
        kernel.static_shared_bytes.to_string(),
    ]
}

/// Figures end at the right.
fn align(table: &mut Table, columns: usize) {
    for column in WORDS..columns {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn table(program: &ProgramResult, is_emulated: bool) -> Table {
    let mut table = Table::new();
    let header: &[&str] = if is_emulated { &COUNTS } else { &TIMES };
    table.set_header(header);
    for form in &program.forms {
        for size in &form.sizes {
            let plain = plain(program, &size.size);
            table.add_row(match is_emulated {
                true => counts(form, size, plain),
                false => times(form, size, plain),
            });
        }
    }
    align(&mut table, header.len());
    table
}

/// The plain form at that size.
fn plain<'p>(program: &'p ProgramResult, size: &str) -> Option<&'p SizeResult> {
    let plain = program.forms.iter().find(|form| form.form == PLAIN)?;
    plain.sizes.iter().find(|other| other.size == size)
}

fn words(form: &FormResult, size: &SizeResult) -> Vec<String> {
    let result = if size.failure.is_none() {
        "equal"
    } else {
        "WRONG"
    };
    vec![
        form.form.clone(),
        size.size.clone(),
        result.to_owned(),
        form.lines.code.to_string(),
    ]
}

fn counts(form: &FormResult, size: &SizeResult, plain: Option<&SizeResult>) -> Vec<String> {
    let mut row = words(form, size);
    let Some(counts) = &size.counts else {
        return row;
    };
    let a_request = counts.device.transactions_per_request();
    row.extend([
        counts.launches.to_string(),
        counts.barriers.to_string(),
        counts.device.requests.to_string(),
        counts.device.transactions.to_string(),
        a_request.map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        transactions_ratio(counts, plain).map_or_else(String::new, |ratio| format!("{ratio:.2}")),
        counts.shared.transactions.to_string(),
    ]);
    row
}

/// Transactions of device memory against those of the plain form.
#[allow(clippy::cast_precision_loss, reason = "a ratio with two digits")]
pub(super) fn transactions_ratio(counts: &Counts, plain: Option<&SizeResult>) -> Option<f64> {
    let plain = plain?.counts.as_ref()?.device.transactions;
    (plain > 0).then(|| counts.device.transactions as f64 / plain as f64)
}

#[allow(clippy::cast_precision_loss, reason = "megabytes with one digit")]
fn times(form: &FormResult, size: &SizeResult, plain: Option<&SizeResult>) -> Vec<String> {
    let mut row = words(form, size);
    let Some(times) = &size.seconds else {
        return row;
    };
    let against = plain.and_then(|plain| Some(plain.seconds?.median / times.median));
    let trace = size.trace.unwrap_or_default();
    row.extend([
        format!("{:.6}", times.median),
        format!("{:.6}", times.least),
        format!("{:.6}", times.most),
        against.map_or_else(String::new, |ratio| format!("{ratio:.2}x")),
        format!("{:.6}", trace.kernel_seconds),
        format!(
            "{:.1}",
            (trace.bytes_to_device + trace.bytes_to_host) as f64 / 1e6
        ),
    ]);
    row
}

/// A line for each failure.
fn failures(program: &ProgramResult, before: &str) -> String {
    let mut text = String::new();
    for form in &program.forms {
        if let Some(failure) = &form.failure {
            text += &format!("{before}{}: {failure}\n", form.form);
        }
        for size in &form.sizes {
            if let Some(failure) = &size.failure {
                text += &format!("{before}{} at {}: {failure}\n", form.form, size.size);
            }
        }
    }
    text
}
