//! `accrs bench --machine-code`: what nvcc makes of programs in all their forms.
//!
//! Input: programs and their forms; nothing is run. Output: for each kernel its instructions, those
//! before the first barrier and behind the last, registers, spills, shared memory and occupancy; for
//! each of its loops the instructions of an iteration by kinds, and how often the loop was unrolled; as
//! tables on the terminal, JSON, and a folder with both.
//!
//! | | |
//! |---|---|
//! | [`disassembly`] | what nvdisasm prints, read |
//! | [`flow`] | the flow of control, and loops |
//! | [`class`] | kinds of instructions |
//! | [`unrolling`] | counters of loops, and how often loops were unrolled |
//! | [`figures`] | all of these of kernels and forms |
//! | [`table`] | the tables |

mod class;
mod disassembly;
mod figures;
mod flow;
mod table;
#[cfg(test)]
mod tests;
mod unrolling;

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::measure::{options_of, reason};
use super::plan::{Benchmark, Form};
use super::{AT_ONCE, Request, write_json};
use crate::diagnostic::codes;
use crate::driver::arch::Arch;
use crate::driver::build::is_cuda;
use crate::driver::compilers::Compilers;
use crate::driver::failure::{Failure, Success};
use crate::driver::output::unwritable;
use crate::driver::pipeline::{self, Options, Product, Task};
use crate::driver::render::Reporter;
use crate::driver::resources::{self, Kernels};
use crate::driver::session::Session;
use crate::driver::{side_by_side, toolchain};
use figures::{FormCode, KernelCode, ProgramCode};

/// What is compiled for without `--arch`.
const DEFAULT: Arch = Arch(90);

/// All figures, which depend on nothing but the programs and the tools.
#[derive(Debug, Serialize)]
struct Figures {
    /// Of accrs.
    version: &'static str,
    /// `sm_90`.
    arch: String,
    /// The tools as they name themselves.
    nvcc: Option<String>,
    nvdisasm: Option<String>,
    programs: Vec<ProgramCode>,
}

/// Compiles the forms of programs and shows what came out.
///
/// # Errors
/// When there is no nvcc or nvdisasm, nothing to compile, or a file cannot be written; when a form
/// failed, after all others.
pub(super) fn bench(
    session: Session,
    request: &Request,
    options: &Options,
    compilers: &Compilers,
    benchmarks: &[Benchmark],
) -> Result<Success, Failure> {
    let nvcc = toolchain::nvcc(&Session::variable)?;
    let disassembler = toolchain::disassembler(&nvcc, &Session::variable)?;
    let arch = options.archs.first().copied().unwrap_or(DEFAULT);
    let mut figures = Figures {
        version: env!("CARGO_PKG_VERSION"),
        arch: format!("sm_{}", arch.0),
        nvcc: nvcc.tool.version(),
        nvdisasm: disassembler.version(),
        programs: Vec::new(),
    };
    let forms = |benchmark: &Benchmark| benchmark.chosen(&request.forms, request.vary, &[], false);
    let jobs: Vec<(&Benchmark, Form)> = benchmarks
        .iter()
        .flat_map(|benchmark| {
            forms(benchmark)
                .into_iter()
                .map(move |form| (benchmark, form))
        })
        .collect();
    if jobs.is_empty() {
        let message = "no benchmark has such a form";
        return Err(Failure::environment(codes::BAD_USAGE, message));
    }
    let progress = side_by_side::progress(jobs.len());
    let compiled = side_by_side::all(&jobs, AT_ONCE, |(benchmark, form)| {
        let code = of_form(form, options, compilers, arch);
        progress.set_message(format!("{}, {}", benchmark.name, form.name));
        progress.inc(1);
        code
    });
    progress.finish_and_clear();
    for ((benchmark, _), code) in jobs.iter().zip(compiled) {
        if figures.programs.last().map(|last| &last.name) != Some(&benchmark.name) {
            figures.programs.push(ProgramCode::new(benchmark));
        }
        if let Some(last) = figures.programs.last_mut() {
            last.forms.push(code);
        }
    }
    for program in &mut figures.programs {
        program.compare();
        session.print(table::text(program))?;
    }
    save(&figures, request)?;
    let all = figures.programs.iter().flat_map(|program| &program.forms);
    match all.filter(|form| form.failure.is_some()).count() {
        0 => Ok(Success::Done),
        _ => {
            let message = "not every form was compiled";
            Err(Failure::environment(codes::BENCHMARK_FAILED, message))
        }
    }
}

/// The machine code of a form, or why there is none.
fn of_form(form: &Form, options: &Options, compilers: &Compilers, arch: Arch) -> FormCode {
    let (kernels, failure) = match kernels(form, options, compilers, arch) {
        Ok(kernels) => (kernels, None),
        Err(failure) => (Vec::new(), Some(reason(&failure))),
    };
    FormCode {
        form: form.name.clone(),
        failure,
        kernels,
    }
}

/// The kernels of a form with all that its file has, those of accrs' own headers too.
fn kernels(
    form: &Form,
    options: &Options,
    compilers: &Compilers,
    arch: Arch,
) -> Result<Vec<KernelCode>, Failure> {
    let options = &options_of(form, options);
    let assemble = |kernels| resources::machine_code(kernels, arch, &Session::variable);
    if is_cuda(&form.file) {
        let code = assemble(Kernels::Written(&form.file, &options.preprocessor))?;
        Ok(figures::kernels(&code, &[]))
    } else {
        let task = Task {
            c: Some(compilers.c()),
            options,
            stage: None,
            reporter: Reporter::silent(),
        };
        let translation = pipeline::translate(&form.file, task).and_then(Product::files)?;
        let code = assemble(Kernels::Generated(
            &translation.kernels,
            &translation.sharing,
        ))?;
        Ok(figures::kernels(&code, &translation.own_kernels))
    }
}

fn save(figures: &Figures, request: &Request) -> Result<(), Failure> {
    if let Some(path) = &request.json {
        write_json(path, figures)?;
    }
    let Some(folder) = &request.report else {
        return Ok(());
    };
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    write_page(&folder.join("report.md"), figures)?;
    write_json(&folder.join("report.json"), figures)
}

fn write_page(path: &Path, figures: &Figures) -> Result<(), Failure> {
    let tool = |version: &Option<String>| version.clone().unwrap_or_default();
    let mut page = format!(
        "# Machine code\n\naccrs {}, {}; nvcc: {}; nvdisasm: {}.\n\n{}\n",
        figures.version,
        figures.arch,
        tool(&figures.nvcc),
        tool(&figures.nvdisasm),
        table::LEGEND
    );
    for program in &figures.programs {
        page += &format!("\n## {}\n\n{}.\n\n", program.name, program.title);
        page += &table::markdown(program);
    }
    fs::write(path, page).map_err(|error| unwritable(path, &error))
}
