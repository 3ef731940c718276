//! Which memory of the device each array is read from.
//!
//! Input: kernels with blocks; later, decided ones. Output:
//! [`Kernel::tables`] and [`Kernel::read_only`], and with `--feedback` a note
//! for each array of each kernel.
//!
//! ```c
//! void blur(int n, const float *restrict in, float *restrict out, const float w[restrict 9])
//! #pragma acc parallel loop
//! for (int i = 4; i < n - 4; i++)   // after: `in` through the read-only path;
//!     for (int k = 0; k < 9; k++)   //   `w`, which all threads read in step, from
//!         out[i] += w[k] * in[i + k - 4];   // constant memory; `out` is global
//! ```
//!
//! The rules are those of AUTO-CTA (section III-B, table I), decided again for
//! devices whose first-level cache and shared memory are one memory:
//!
//! - **Constant memory** ([`constant`]) for small tables that whole warps read
//!   at one index, where so many reads save more than the copy costs that each
//!   launch makes. It was for whatever is read most often.
//! - **The read-only path** ([`read_only`]) for all that a kernel only reads.
//!   It was for what several kernels read.
//! - **Windows in shared memory** ([`window`]) where directives or `--place` ask
//!   for them, and for tiles that blocks read over and over where that is ahead of
//!   any cache. It was for what is written most often: that
//!   the cache now holds as well.
//! - **Global memory** for the rest.
//!
//! No choice changes a result: an array is read from somewhere else only where
//! the kernel provably writes it under no name. `--place` chooses otherwise, as
//! far as that holds.

mod constant;
mod read_only;
mod request;
#[cfg(test)]
mod tests;
mod window;

pub use request::{PlacementRequest, Space};
pub use window::{Opened, open as open_windows};

use indexmap::{IndexMap, IndexSet};
use read_only::Facts;
use window::Gain;

use super::Options;
use crate::analysis::effects::Oracle;
use crate::analysis::requests;
use crate::diagnostic::{Diagnostic, Diagnostics, MINOR, codes};
use crate::ir::{Kernel, Module, Passing};
use crate::typed::{SymbolId, Unit};

/// How many times fewer transactions a window must bring for people to be told.
const WORTH_TELLING: f64 = 4.0;

/// Why arrays are or are not where they might be, by kernel and array.
#[derive(Debug, Default)]
pub struct Reasons {
    constant: Vec<IndexMap<SymbolId, Reason>>,
    window: Vec<IndexMap<SymbolId, Gain>>,
}

/// What constant memory would be or is for an array.
#[derive(Clone, Debug, Default)]
struct Reason {
    /// In a sentence.
    text: String,
    /// What the table takes, where there could be one.
    bytes: Option<u64>,
    /// How often a thread reads it, about.
    reads: Option<i64>,
    /// How many threads a launch needs for the copy to pay.
    least_threads: Option<i64>,
}

/// Chooses what is copied to constant memory. Its reasons are for [`run`],
/// after the passes that put windows in place of arrays.
pub fn choose_tables(
    module: &mut Module,
    unit: &Unit,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Reasons {
    request::check_names(module, unit, &options.places, diagnostics);
    Reasons {
        constant: constant::run(module, unit, options, diagnostics),
        window: match options.feedback {
            true => gains(module, unit, options),
            false => Vec::new(),
        },
    }
}

/// What windows would save of the arrays of each kernel that have none.
fn gains(module: &Module, unit: &Unit, options: &Options) -> Vec<IndexMap<SymbolId, Gain>> {
    let oracle = Oracle::new(unit, &module.functions);
    let values = options.known(unit);
    Facts::of_module(module, unit, |kernel, facts| {
        let nests = requests::of_kernel(kernel, &oracle);
        let read = arrays(kernel).filter(|&array| facts.find(array).is_ok());
        let gains = read.filter_map(|array| {
            let gain = window::predict(kernel, array, &nests, unit, &values)?;
            Some((array, gain))
        });
        gains.collect()
    })
}

/// Decides the rest, and says what became of each array.
pub fn run(
    module: &mut Module,
    unit: &Unit,
    options: &Options,
    (reasons, mut opened): (&Reasons, Opened),
    diagnostics: &mut Diagnostics,
) {
    opened.report(module, unit, diagnostics);
    let verdicts = read_only::run(module, unit, options, diagnostics);
    if !options.feedback {
        return;
    }
    let mut said = IndexSet::new();
    for (number, kernel) in module.kernels.iter().enumerate() {
        for (array, reason) in &verdicts[number] {
            // What each thread has for itself is no choice of memories for all.
            if kernel.private_array(*array).is_some()
                || kernel.privates.contains(array)
                || kernel.reduced().contains(array)
            {
                continue;
            }
            let constant = reasons
                .constant
                .get(number)
                .and_then(|list| list.get(array));
            let automatic = opened.gain(number, *array);
            let note = describe(kernel, *array, reason, (constant, automatic), unit);
            let gain = reasons.window.get(number).and_then(|list| list.get(array));
            let note = match gain {
                Some(gain) => with_gain(note, *gain),
                None => note,
            };
            // Another launch of the region may have it in the same way, and a cache that costs nothing
            // is no choice.
            let is_said = !said.insert((kernel.directive, note.message.clone()));
            let is_cached = note.data.get("decided").is_some_and(|d| d == "read-only")
                && !note.data.contains_key("runner_up");
            // Who asks for a window knows of it, but not that registers hold it.
            let mut windows = kernel.windows.iter().filter(|w| w.array == *array);
            let is_asked = automatic.is_none() && windows.any(|window| !window.is_register);
            diagnostics.push(match is_said || is_cached || is_asked {
                true => note.data("kernel", number).data(MINOR, true),
                false => note.data("kernel", number),
            });
        }
    }
}

/// The note on one array of a kernel.
fn describe(
    kernel: &Kernel,
    array: SymbolId,
    read_only: &str,
    (constant, automatic): (Option<&Reason>, Option<Gain>),
    unit: &Unit,
) -> Diagnostic {
    let is_table = kernel.tables.iter().any(|table| table.symbol == array);
    let mut windows = kernel.windows.iter().filter(|w| w.array == array);
    let in_registers = windows.clone().all(|window| window.is_register);
    let window = windows.next();
    let constant = constant.filter(|_| window.is_none());
    let saves = automatic.map(|gain| {
        format!(
            "a block fetches {} in place of {:.0} transactions for each of its tiles",
            lines(gain.with),
            gain.without,
        )
    });
    let (space, place, why) = match constant {
        Some(reason) if is_table => ("constant", "is read from constant memory", &*reason.text),
        _ if window.is_some() => (
            "window",
            match in_registers {
                true => "is in registers, an element for each thread",
                false => "is in shared memory, a window at a time",
            },
            saves
                .as_deref()
                .unwrap_or("a directive or `--place` asks for it"),
        ),
        _ if kernel.read_only.contains(&array) => {
            ("read-only", "is read through the read-only path", read_only)
        }
        _ => ("global", "is in global memory", read_only),
    };
    let name = &unit.symbol(array).name;
    let mut note = Diagnostic::remark(
        codes::MEMORY_PLACEMENT,
        format!("`{name}` {place}"),
        kernel.directive,
    )
    .note(why)
    .data("array", name.as_str())
    .data("decided", space)
    .data("why", why);
    if let Some(reason) = constant {
        note = note
            .data("bytes", reason.bytes)
            .data("reads", reason.reads)
            .data("pays_from", reason.least_threads);
        if !is_table {
            note = note
                .note(format!("not in constant memory: {}", reason.text))
                .data("runner_up", "constant");
        }
    }
    // What the kernel writes can be nowhere else.
    let is_written = space == "global" && read_only == "the kernel writes it";
    if is_written && constant.is_none() {
        note = note.data(MINOR, true);
    }
    let Some(window) = window else { return note };
    match automatic {
        Some(gain) => note
            .note(format!(
                "`--place {name}=global` leaves it in global memory"
            ))
            .data("transactions", gain.without)
            .data("window_transactions", gain.with),
        None => note.also(window.span, "the window"),
    }
}

/// The note on an array with what a window would save.
fn with_gain(note: Diagnostic, gain: Gain) -> Diagnostic {
    let note = note
        .data("transactions", gain.without)
        .data("window_transactions", gain.with);
    // Any cache holds a line.
    if gain.factor() < WORTH_TELLING || gain.with <= 1.0 {
        return note;
    }
    let text = format!(
        "no window in shared memory: a block would fetch {} in place of {:.0} transactions \
         for each of its tiles, where the first-level cache does not hold them",
        lines(gain.with),
        gain.without,
    );
    match note.data.contains_key("runner_up") {
        true => note.note(text),
        false => note.note(text).data("runner_up", "window"),
    }
}

fn lines(number: f64) -> String {
    match number.round() {
        1.0 => "one line".to_owned(),
        number => format!("{number:.0} lines"),
    }
}

/// The arrays of a kernel: what it reaches in device memory through pointers. Of a function's
/// pointers only the callers know.
fn arrays(kernel: &Kernel) -> impl Iterator<Item = SymbolId> + '_ {
    let captures = kernel
        .captures
        .iter()
        .filter(|_| kernel.collective.is_none());
    let arrays = captures.filter(|capture| {
        matches!(
            capture.passing,
            Passing::Array | Passing::Pointer | Passing::DevicePointer
        )
    });
    arrays.map(|capture| capture.symbol)
}
