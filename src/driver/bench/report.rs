//! A folder with all that a run brought: `report.md`, `report.json`, charts
//! of each program. Of a suite there are the tables and the chart of all programs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::{Figures, chart, limits, suite, table};
use crate::driver::failure::Failure;
use crate::driver::output::unwritable;

/// Writes the folder; files of an earlier report are replaced.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn write(folder: &Path, figures: &Figures) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let is_emulated = figures.is_emulated();
    let mut page = head(figures);
    if let Some(suite) = &figures.suite {
        if let Some(svg) = suite.chart(figures)? {
            write_file(&folder.join(suite::CHART), &svg)?;
        }
        page += &suite.markdown(figures);
        write_file(&folder.join("report.md"), &page)?;
        return super::write_json(&folder.join("report.json"), figures);
    }
    for (number, program) in figures.programs.iter().enumerate() {
        let _ = write!(page, "\n## {}\n\n{}.\n\n", program.name, program.title);
        for picture in chart::all(program, is_emulated)? {
            let name = format!("{}{}.svg", program.name, picture.suffix);
            write_file(&folder.join(&name), &picture.svg)?;
            let _ = write!(page, "![{}: {}]({name})\n\n", program.name, picture.what);
        }
        page += &table::markdown(program, is_emulated);
        let shares = figures.shares.iter().flatten().nth(number);
        if let Some(shares) = shares.filter(|shares| !shares.is_empty()) {
            let _ = write!(page, "\n{}", limits::shares_text(shares, "- "));
        }
    }
    write_file(&folder.join("report.md"), &page)?;
    super::write_json(&folder.join("report.json"), figures)
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| unwritable(path, &error))
}

/// When, where and how; what the columns mean.
fn head(figures: &Figures) -> String {
    let record = &figures.record;
    let mut head = format!(
        "# Benchmarks\n\naccrs {}, {} UTC:\n\n```sh\n{}\n```\n\n{}\n",
        figures.version,
        record.date,
        record.command,
        machine(figures)
    );
    for peer in &record.peers {
        let _ = write!(head, "\n{}\n", peer.line());
    }
    if let Some(limits) = &figures.limits {
        let _ = write!(head, "\n{}", limits::text(limits));
    }
    let _ = writeln!(head, "\n{}", legend(figures.is_emulated()));
    head
}

/// What it ran on, and what built it.
pub(super) fn machine(figures: &Figures) -> String {
    let record = &figures.record;
    let mut head = String::new();
    match &record.gpu {
        Some(gpu) => {
            let _ = write!(
                head,
                "On {} ({}), driver {}",
                gpu.name, gpu.memory, gpu.driver
            );
        }
        None => match record.threads {
            Some(threads) => {
                let _ = write!(head, "On the host's cores, {threads} threads");
            }
            None => head += "On the emulation of CUDA, no GPU",
        },
    }
    if let Some(version) = &record.cuda {
        let _ = write!(head, "; kernels by nvcc: {version}");
    }
    if let Some(c) = &record.c_compiler {
        let _ = write!(head, "; host programs by {c}");
    }
    head + "."
}

/// What the columns mean.
pub(super) const fn legend(is_emulated: bool) -> &'static str {
    if is_emulated {
        "Counts of one run on the emulation of CUDA, the same on every machine. *Requests*: accesses \
         to device memory by warps; *transactions*: the 128-byte lines that these come to; *against*: \
         of these, against plain OpenACC, or the first form where there is none; *shared-memory wavefronts*: what accesses to shared memory come \
         to, bank conflicts counted; *a load*, *a store*: transactions of a request of a kernel; *a block*: threads of one, \
         *busy*: how many of the device's 132 multiprocessors get one, *occupancy*: of one that has all blocks that fit, by \
         registers; *lines*: of code, without comments."
    } else {
        "Medians of the runs after one to warm up. *Kernels*: from the end of the host's call that \
         launches to the end of the kernel (CUDA events); *launching*: these calls; *speed-up* over \
         plain OpenACC, or the first form where there is none, of both together, or for a peer of *all*: what the program itself measures, \
         copies included, the device being ready before; *lines*: of code, without comments."
    }
}
