//! `accrs bench`: programs in all their forms, compared.
//!
//! Input: a folder of programs, which of them, and on what. Output: a table
//! on the terminal, JSON, and a report with charts.
//!
//! | | |
//! |---|---|
//! | [`plan`] | programs, forms and sizes of a folder |
//! | [`measure`] | builds, runs, compares with the serial form, times or counts |
//! | [`lines`] | lines of code of a form |
//! | [`limits`] | what a GPU can do at most, and how close forms come to it |
//! | [`table`] | the tables, for the terminal and for Markdown |
//! | [`report`], [`chart`] | a folder with Markdown, JSON and SVG |
//!
//! One program that fails does not stop the others. What is finished is in
//! the JSON file at any time, so that an interrupted run leaves its figures.

mod chart;
mod limits;
mod lines;
mod measure;
mod plan;
mod report;
mod table;

use std::path::PathBuf;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

use super::compilers::Compilers;
use super::device::Device;
use super::failure::{Failure, Success};
use super::output::unwritable;
use super::pipeline::Options;
use super::session::Session;
use crate::diagnostic::codes;
use limits::{Limits, Share};
use measure::{ProgramResult, Settings};
use plan::Form;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The programs; all for none.
    pub names: Vec<String>,
    /// Where they are.
    pub folder: PathBuf,
    /// The forms; all for none.
    pub forms: Vec<String>,
    /// The sizes; for none, small ones on the emulation and large ones on a GPU.
    pub sizes: Vec<String>,
    /// What to run on.
    pub device: Option<Device>,
    /// Timed runs of each, on a GPU.
    pub runs: usize,
    /// What `{data}` in arguments stands for.
    pub data: Option<PathBuf>,
    /// A file for all figures.
    pub json: Option<PathBuf>,
    /// A folder for Markdown, JSON and charts.
    pub report: Option<PathBuf>,
}

/// All figures of a run.
#[derive(Debug, Serialize)]
struct Figures {
    /// Of accrs.
    version: &'static str,
    /// `emulated` or `gpu`.
    device: &'static str,
    /// Of a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<Limits>,
    programs: Vec<ProgramResult>,
    /// For each program, how close its forms come to the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Vec<Vec<Share>>>,
}

/// Runs benchmarks and shows what came out.
///
/// # Errors
/// When there is nothing to run, or a file cannot be written; when a form
/// failed, after all others were run.
pub fn bench(session: Session, request: &Request, options: &Options) -> Result<Success, Failure> {
    let benchmarks = plan::find(&request.folder, &request.names)?;
    let compilers = Compilers::find(request.device, &options.archs, &Session::variable)?;
    let is_emulated = compilers.device() == Device::Emulated;
    let settings = Settings {
        session,
        compilers: &compilers,
        is_emulated,
        runs: request.runs,
        data: request.data.as_deref(),
        options,
    };
    let mut figures = Figures {
        version: env!("CARGO_PKG_VERSION"),
        device: compilers.device().name(),
        limits: None,
        programs: Vec::new(),
        shares: None,
    };
    let mut plans = Vec::new();
    for benchmark in &benchmarks {
        let is_wanted =
            |form: &&Form| request.forms.is_empty() || request.forms.contains(&form.name);
        let forms: Vec<&Form> = benchmark.forms.iter().filter(is_wanted).collect();
        let sizes = benchmark.sizes(&request.sizes, is_emulated, request.data.is_some());
        if !forms.is_empty() && !sizes.is_empty() {
            plans.push((benchmark, forms, sizes));
        }
    }
    if plans.is_empty() {
        return Err(Failure::environment(
            codes::BAD_USAGE,
            "no benchmark has such a form and size",
        ));
    }
    let steps = plans
        .iter()
        .map(|(_, forms, sizes)| forms.len() * (1 + sizes.len()));
    let progress = progress(steps.sum());
    if !is_emulated {
        let limits = limits::measure(&settings)?;
        progress.suspend(|| session.print(limits::text(&limits)))?;
        figures.limits = Some(limits);
    }
    for (benchmark, forms, sizes) in plans {
        let tell = |form: &str, what: &str| {
            progress.set_message(format!("{} {form}: {what}", benchmark.name));
            progress.inc(1);
        };
        let result = measure::program(benchmark, &forms, &sizes, &settings, &tell);
        let mut text = table::text(&result, is_emulated);
        if let Some(limits) = &figures.limits {
            let shares = limits::shares(&result, &sizes, limits);
            text += &limits::shares_text(&shares, "  ");
            figures.shares.get_or_insert_default().push(shares);
        }
        progress.suspend(|| session.print(text))?;
        figures.programs.push(result);
        if let Some(path) = &request.json {
            write_json(path, &figures)?;
        }
    }
    progress.finish_and_clear();
    if let Some(folder) = &request.report {
        report::write(folder, &figures)?;
    }
    let is_right = figures.programs.iter().all(ProgramResult::is_right);
    if is_right {
        Ok(Success::Done)
    } else {
        Err(Failure::environment(
            codes::BENCHMARK_FAILED,
            "not every form gave the serial form's result",
        ))
    }
}

/// A bar on standard error, where that is a terminal.
fn progress(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    match ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Replaces the file at once, so that it is whole at any time.
fn write_json(path: &std::path::Path, figures: &Figures) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(figures).map_err(|error| {
        Failure::environment(codes::INTERNAL, format!("figures as JSON: {error}"))
    })?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    std::fs::write(&beside, text + "\n")
        .and_then(|()| std::fs::rename(&beside, path))
        .map_err(|error| unwritable(path, &error))
}

impl ProgramResult {
    /// Whether every form was built and gave the right result.
    fn is_right(&self) -> bool {
        self.forms.iter().all(|form| {
            form.failure.is_none() && form.sizes.iter().all(|size| size.failure.is_none())
        })
    }
}
