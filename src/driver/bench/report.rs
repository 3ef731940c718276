//! A folder with all that a run brought: `report.md`, `report.json`, a chart
//! for each program.

use std::fs;
use std::path::Path;

use super::{Figures, chart, limits, table};
use crate::driver::failure::Failure;
use crate::driver::output::unwritable;

/// Writes the folder; files of an earlier report are replaced.
///
/// # Errors
/// When a file cannot be written.
pub(super) fn write(folder: &Path, figures: &Figures) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    let is_emulated = figures.device == "emulated";
    let mut page = format!(
        "# Benchmarks\n\naccrs {}, device: {}.\n\n{}\n",
        figures.version,
        figures.device,
        legend(is_emulated)
    );
    if let Some(limits) = &figures.limits {
        page += &format!("\n{}", limits::text(limits));
    }
    for (number, program) in figures.programs.iter().enumerate() {
        page += &format!("\n## {}\n\n{}.\n\n", program.name, program.title);
        if let Some(svg) = chart::svg(program, is_emulated)? {
            let name = format!("{}.svg", program.name);
            write_file(&folder.join(&name), &svg)?;
            page += &format!("![{}]({name})\n\n", program.name);
        }
        page += &table::markdown(program, is_emulated);
        page += &format!(
            "\nThe serial form has {} lines.\n",
            program.serial_lines.code
        );
        let shares = figures.shares.iter().flatten().nth(number);
        if let Some(shares) = shares.filter(|shares| !shares.is_empty()) {
            page += &format!("\n{}", limits::shares_text(shares, "- "));
        }
    }
    write_file(&folder.join("report.md"), &page)?;
    super::write_json(&folder.join("report.json"), figures)
}

fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    fs::write(path, text).map_err(|error| unwritable(path, &error))
}

/// What the columns mean.
const fn legend(is_emulated: bool) -> &'static str {
    if is_emulated {
        "Counts of one run on the emulation of CUDA. *Requests*: accesses to device memory by warps; \
         *transactions*: the 128-byte lines that these come to; *shared rounds*: what accesses to \
         shared memory come to, bank conflicts counted; *lines*: of code, without comments."
    } else {
        "Seconds as the programs themselves measure them, medians of the runs after one to warm up; \
         *kernels*: seconds in kernels in a traced run; *lines*: of code, without comments."
    }
}
