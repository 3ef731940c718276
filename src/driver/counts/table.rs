//! Counts as a table for people.

use std::collections::BTreeSet;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::{Access, AccessCounts, KernelCounts, Space, Tally};
use crate::driver::program::short_name;

/// What the runtime calls its shared memory for reductions.
const REDUCTION: &str = "(reduction)";

/// Columns before those of numbers.
const WORDS: usize = 3;

/// One table for each kernel, with a line before it.
pub(super) fn table(kernels: &[KernelCounts]) -> String {
    let mut text = String::new();
    for kernel in kernels {
        let counted = |number: u64, one: &str, several: &str| {
            format!("{number} {}", if number == 1 { one } else { several })
        };
        let sizes = [
            counted(kernel.launches, "launch", "launches"),
            counted(kernel.blocks, "block", "blocks"),
            counted(kernel.threads, "thread", "threads"),
            counted(kernel.barriers, "barrier", "barriers"),
        ];
        text += &format!("{}: {}\n", title(kernel), sizes.join(", "));
        let line = combined_at(kernel, kernels);
        text += &accesses(&kernel.accesses, line.as_deref());
        text += "\n";
    }
    text
}

/// Whether a kernel is the runtime's, which combines what the blocks of another one have of a
/// reduction.
fn combines(kernel: &KernelCounts) -> bool {
    kernel.name.starts_with("accrs::")
}

/// What people call a kernel.
fn title(kernel: &KernelCounts) -> String {
    if !combines(kernel) {
        return short_name(&kernel.name).to_owned();
    }
    let arrays = kernel.accesses.iter().map(|counts| &counts.array);
    let named = arrays.filter(|name| !name.is_empty() && !name.starts_with('('));
    let names: BTreeSet<String> = named.map(|name| format!("`{name}`")).collect();
    let names: Vec<String> = names.into_iter().collect();
    match names.is_empty() {
        true => "a reduction of what blocks have".to_owned(),
        false => format!("reduction of {}", names.join(", ")),
    }
}

/// The directive whose reduction a kernel of the runtime ends, if there is just one whose kernels leave
/// parts of results in device memory.
fn combined_at(kernel: &KernelCounts, all: &[KernelCounts]) -> Option<String> {
    let others = all.iter().filter(|other| !combines(other));
    let parts = others.flat_map(|other| {
        let mut own = other.accesses.iter();
        own.find(|counts| is_part(counts, &other.accesses))
            .map(place)
    });
    let lines: BTreeSet<String> = parts.collect();
    let mut lines = lines.into_iter().filter(|_| combines(kernel));
    lines.next().filter(|_| lines.next().is_none())
}

/// Whether it is device memory for a reduction, whose threads share memory on the same line.
fn is_part(counts: &AccessCounts, all: &[AccessCounts]) -> bool {
    let is_there = |one: &AccessCounts| (&one.file, one.line) == (&counts.file, counts.line);
    counts.array.is_empty() && (all.iter()).any(|one| is_there(one) && one.array == REDUCTION)
}

fn accesses(accesses: &[AccessCounts], line: Option<&str>) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "line",
        "access",
        "array",
        "requests",
        "transactions",
        "a request",
        "sectors",
    ]);
    for counts in accesses {
        let mut place = match counts.line {
            0 => line.map_or_else(|| place(counts), str::to_owned),
            _ => place(counts),
        };
        let array = array(counts, accesses);
        for (requests, kind) in [(counts.full, ""), (counts.partial, " (partial warps)")] {
            if requests.requests > 0 {
                let place = std::mem::take(&mut place);
                table.add_row(row(place, counts, &array, requests, kind));
            }
        }
    }
    for column in table.column_iter_mut().skip(WORDS) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    // All lines begin with the margin of a cell; other blanks are of a cell without text.
    let lines = table.lines().map(|line| {
        let line = line.strip_prefix(' ').unwrap_or(&line);
        format!("  {}\n", line.trim_end())
    });
    lines.collect()
}

/// Its name, with the size of the accesses where others of the line differ in that alone, as those
/// to members of a structure do.
fn array(counts: &AccessCounts, all: &[AccessCounts]) -> String {
    let name = match counts.array.as_str() {
        "" if is_part(counts, all) => "(partial results)".to_owned(),
        "" => unnamed(counts, all),
        REDUCTION => "(partial results)".to_owned(),
        name => name.to_owned(),
    };
    let key = |one: &AccessCounts| (one.file.clone(), one.line, one.space, one.access);
    let mut others = all.iter().filter(|one| one.bytes != counts.bytes);
    let is_alike = |one: &AccessCounts| key(one) == key(counts) && one.array == counts.array;
    match others.any(is_alike) {
        true if counts.bytes == 1 => format!("{name}, 1 byte"),
        true => format!("{name}, {} bytes", counts.bytes),
        false => name,
    }
}

/// What memory without a name is called: as the one array of the line that no other memory is, such as
/// one of `acc_malloc` or one of which threads have copies.
fn unnamed(counts: &AccessCounts, all: &[AccessCounts]) -> String {
    let text = std::fs::read_to_string(&counts.file).unwrap_or_default();
    let line = counts.line.checked_sub(1);
    let line = line.and_then(|line| text.lines().nth(line));
    let is_there = |one: &&AccessCounts| (&one.file, one.line) == (&counts.file, counts.line);
    let others = all.iter().filter(is_there).map(|one| base(&one.array));
    let others: BTreeSet<&str> = others.collect();
    let mut names: Vec<&str> = Vec::new();
    for name in line.map(subscripted).unwrap_or_default() {
        if !others.contains(name) && !names.contains(&name) {
            names.push(name);
        }
    }
    match names.as_slice() {
        [only] => (*only).to_owned(),
        _ => "(temporary)".to_owned(),
    }
}

/// The variable of a section.
fn base(array: &str) -> &str {
    array.split(['[', '.', '-']).next().unwrap_or_default()
}

/// The names in a line of C that have a subscript.
fn subscripted(line: &str) -> Vec<&str> {
    let code = line.split("//").next().unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let before = code.match_indices('[').map(|(at, _)| code[..at].trim_end());
    let names = before.map(|text| &text[text.trim_end_matches(is_part).len()..]);
    names.filter(|name| !name.is_empty()).collect()
}

fn row(place: String, counts: &AccessCounts, array: &str, tally: Tally, kind: &str) -> Vec<String> {
    let access = match counts.access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Atomic => "atomic",
    };
    let space = match counts.space {
        Space::Device => "",
        Space::Shared => "shared ",
    };
    let ratio = tally.transactions_per_request().unwrap_or_default();
    vec![
        place,
        format!("{space}{access}{kind}"),
        array.to_owned(),
        tally.requests.to_string(),
        tally.transactions.to_string(),
        format!("{ratio:.2}"),
        tally.sectors.to_string(),
    ]
}

fn place(counts: &AccessCounts) -> String {
    let name = counts.file.file_name().unwrap_or_default();
    match counts.line {
        0 => "?".to_owned(),
        line => format!("{}:{line}", name.to_string_lossy()),
    }
}
