//! How launches fill the device that AUTO-CTA chooses blocks for, as in figure 5 of its paper, with
//! what can be counted without a GPU in the place of time.
//!
//! Input: the blocks of launches on the emulation, and the registers that nvcc gives kernels. Output: for
//! each kernel of each form the multiprocessors that get a block, and their occupancy if there are
//! enough blocks.

use comfy_table::Table;

use super::measure::{FormResult, KernelRequests, ProgramResult, SizeResult};
use super::table::align;
use crate::analysis::occupancy::{Multiprocessor, Needs};

/// Of the emulated device, an H100 (`runtime/emulation/emulated_device.cpp`).
const PROCESSORS: u64 = 132;
const ARCH: u16 = 90;

/// Means over the launches of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Fill {
    /// The fewest threads of a block.
    least: u32,
    /// The most.
    most: u32,
    /// Multiprocessors with a block.
    busy: f64,
    /// Of a multiprocessor with all blocks that fit, in percent.
    occupancy: f64,
}

/// A row for each kernel of each form whose blocks are varied; none where none are.
pub(super) fn table(program: &ProgramResult, is_short: bool) -> Option<Table> {
    let mut table = Table::new();
    let header = [
        "form",
        "size",
        "kernel",
        "a block",
        "busy",
        "occu-\npancy",
        "trans-\nactions",
        "against\nwritten",
    ];
    table.set_header(header.map(|name| match is_short {
        true => name.to_owned(),
        false => name.replace("-\n", "").replace('\n', " "),
    }));
    for form in &program.forms {
        for size in &form.sizes {
            for kernel in &size.kernels {
                let Some(own) = written(program, form, size, kernel) else {
                    continue;
                };
                let fill = fill(form, kernel);
                let block = match fill.least == fill.most {
                    true => fill.most.to_string(),
                    false => format!("{}–{}", fill.least, fill.most),
                };
                table.add_row([
                    form.form.clone(),
                    size.size.clone(),
                    kernel.kernel.clone(),
                    block,
                    format!("{:.0}", fill.busy),
                    format!("{:.0} %", fill.occupancy),
                    transactions(kernel).to_string(),
                    ratio(transactions(kernel), transactions(own)),
                ]);
            }
        }
    }
    align(&mut table, 3);
    (table.row_count() > 0).then_some(table)
}

fn transactions(kernel: &KernelRequests) -> u64 {
    kernel.loads.transactions + kernel.stores.transactions
}

#[allow(clippy::cast_precision_loss, reason = "a ratio with two digits")]
fn ratio(own: u64, other: u64) -> String {
    match other {
        0 => String::new(),
        _ => format!("{:.2}", own as f64 / other as f64),
    }
}

/// The same kernel with the blocks that the program asks for, at the same size.
fn written<'p>(
    program: &'p ProgramResult,
    form: &FormResult,
    size: &SizeResult,
    kernel: &KernelRequests,
) -> Option<&'p KernelRequests> {
    let name = form.form.split(' ').next()?;
    let wanted = format!("{name} written");
    let other = program.forms.iter().find(|other| other.form == wanted)?;
    let size = other.sizes.iter().find(|other| other.size == size.size)?;
    size.kernels
        .iter()
        .find(|other| other.kernel == kernel.kernel)
}

/// How launches fill the device; registers are those of nvcc, where there is one.
#[allow(
    clippy::cast_precision_loss,
    reason = "means with no digit behind the point"
)]
fn fill(form: &FormResult, kernel: &KernelRequests) -> Fill {
    let known = form.kernels.iter().find(|one| one.name == kernel.kernel);
    let needs = Needs {
        registers: known.map(|one| one.registers),
        shared: known.map_or(0, |one| one.static_shared_bytes),
        barriers: 0,
    };
    let all = &kernel.configurations;
    let launches: u64 = all.iter().map(|one| one.launches).sum();
    let mean = |value: &dyn Fn(u64, u32) -> f64| {
        let sum = all
            .iter()
            .map(|one| one.launches as f64 * value(one.blocks, one.threads));
        sum.sum::<f64>() / launches.max(1) as f64
    };
    let occupancy = |threads: u32| {
        let processor = Multiprocessor::of(ARCH);
        processor.map_or(0.0, |own| own.occupancy(needs, threads).percent())
    };
    Fill {
        least: all.iter().map(|one| one.threads).min().unwrap_or(0),
        most: all.iter().map(|one| one.threads).max().unwrap_or(0),
        busy: mean(&|blocks, _| blocks.min(PROCESSORS) as f64),
        occupancy: mean(&|_, threads| occupancy(threads)),
    }
}
