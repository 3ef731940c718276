//! `accrs bench`: programs in all their forms, compared.
//!
//! Input: a folder of programs, which of them, and on what. Output: a table
//! on the terminal, JSON, and a report with charts.
//!
//! | | |
//! |---|---|
//! | [`plan`] | programs, forms and sizes of a folder |
//! | [`peers`] | other compilers of OpenACC, on the plain form |
//! | [`serial`] | what is right |
//! | [`kept`] | programs that are built on one machine and run on another |
//! | [`measure`] | builds, runs, compares with the serial form, times or counts |
//! | [`values`] | what a run computes, and whether two runs agree |
//! | [`times`] | medians of seconds, and of what traces say |
//! | [`lines`] | lines of code of a form |
//! | [`limits`] | what a GPU can do at most, and how close forms come to it |
//! | [`machine_code`] | what nvcc makes of kernels, instruction by instruction, in the place of a run |
//! | [`record`] | when, where and how it was measured |
//! | [`table`] | the tables, for the terminal and for Markdown |
//! | [`suite`] | all programs of a suite in the same tables |
//! | [`report`], [`chart`] | a folder with Markdown, JSON and SVG |
//! | [`page`] | all of it in one HTML file |
//!
//! One program that fails does not stop the others. What is finished is in
//! the JSON file and the report at any time, so that an interrupted run leaves
//! its figures.

mod chart;
mod kept;
mod launched;
mod limits;
mod lines;
mod machine_code;
mod measure;
mod page;
mod peers;
mod plan;
mod record;
mod report;
mod serial;
mod suite;
mod table;
mod times;
mod values;

use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use serde::Serialize;

use super::compilers::Compilers;
use super::device::Device;
use super::failure::{Failure, Success};
use super::interrupt;
use super::output::unwritable;
use super::pipeline::Options;
use super::session::Session;
use super::{cache, embedded, side_by_side, toolchain};
use crate::diagnostic::{Diagnostic, codes};
use kept::Kept;
use limits::{Limits, Share};
use measure::{Built, ProgramResult, Settings};
use peers::Peer;
use plan::{Benchmark, Form, Machine, Run};
use record::Record;
use serial::Expected;
use suite::Suite;

/// Builds, and serial forms, that run at once at most, for the sake of memory.
const AT_ONCE: usize = 12;

/// The folder of programs in a checkout.
const BENCHMARKS: &str = "benchmarks";

/// What the command line asks for.
#[derive(clap::Args, Clone, Debug)]
pub struct Request {
    /// Names of programs, or paths of folders with a bench.toml; all of the
    /// folder for none
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,

    /// The folder with a subfolder for each program; default: benchmarks, if it is there, else those
    /// that accrs brings along
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,

    /// Forms to run: acc, cache, fcw, omp, textbook, tuned
    #[arg(long, value_name = "FORM", value_delimiter = ',')]
    pub forms: Vec<String>,

    /// All programs after a suite, such as rodinia, as one table
    #[arg(long, value_name = "SUITE", conflicts_with_all = ["names", "machine_code", "vary"])]
    pub suite: Option<String>,

    /// Run the plain form by another compiler, too: gcc, nvc, or NAME=COMMAND
    #[arg(long = "peer", value_name = "COMPILER")]
    pub peers: Vec<String>,

    /// Build forms also with the sizes of tiles and blocks that bench.toml
    /// lists as `vary`, those on logical grids with each order of their
    /// dimensions; on the emulation, tell requests by kernels
    #[arg(long)]
    pub vary: bool,

    /// Run nothing: show what nvcc makes of all kernels, with their loops and
    /// kinds of instructions, for the first --arch or sm_90
    #[arg(long, conflicts_with_all = ["peers", "sizes", "device", "data"])]
    pub machine_code: bool,

    /// Sizes by the names that bench.toml gives them; default: a small one
    /// on the emulation, the large ones on a GPU, the first of these on the host's cores
    #[arg(long, value_name = "SIZE")]
    pub sizes: Vec<String>,

    /// What to run on; default: the GPU where there are one and nvcc
    #[arg(long, value_enum, value_name = "DEVICE")]
    pub device: Option<Device>,

    /// Timed runs of each form and size, on a GPU or on the host's cores
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub runs: usize,

    /// A folder of input files, for the sizes that need one
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,

    /// Keep programs for a GPU in a folder, and take those that are there; without a GPU, build
    /// them for a machine that has one, and run nothing
    #[arg(long, value_name = "DIR", conflicts_with = "machine_code")]
    pub programs: Option<PathBuf>,

    /// Write all figures as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,

    /// Write a page with tables and charts, and the figures, into a folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,

    /// Write one page with an overview of all programs, charts and tables
    #[arg(long, value_name = "FILE", conflicts_with = "machine_code")]
    pub html: Option<PathBuf>,
}

/// All figures of a run.
#[derive(Debug, Serialize)]
struct Figures {
    /// Of accrs.
    version: &'static str,
    /// `emulated`, `gpu` or `multicore`.
    device: &'static str,
    #[serde(flatten)]
    record: Record,
    /// Of a GPU.
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<Limits>,
    /// That all programs are of.
    #[serde(skip_serializing_if = "Option::is_none")]
    suite: Option<Suite>,
    programs: Vec<ProgramResult>,
    /// For each program, how close its forms come to the limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<Vec<Vec<Share>>>,
}

impl Figures {
    fn is_emulated(&self) -> bool {
        self.device == Device::Emulated.name()
    }
}

/// A program with what of it is to be run.
struct Plan<'b> {
    benchmark: &'b Benchmark,
    forms: Vec<Form>,
    sizes: Vec<Run>,
}

/// Runs benchmarks and shows what came out.
///
/// # Errors
/// When there is nothing to run, or a file cannot be written; when a form
/// failed, after all others were run.
pub fn bench(session: Session, request: &Request, options: &Options) -> Result<Success, Failure> {
    if options.memory.is_unified() {
        let message = "`accrs bench` compares forms that copy their data";
        return Err(Diagnostic::global(codes::BAD_USAGE, message)
            .help("leave out `--memory unified`")
            .into());
    }
    let folder = folder(request)?;
    let mut benchmarks = plan::find(&folder, &request.names)?;
    let suite = match &request.suite {
        Some(name) => Some(Suite::select(name, &folder, &mut benchmarks)?),
        None => None,
    };
    let compilers = Compilers::find(request.device, &options.archs, &Session::variable)?;
    if request.machine_code {
        return machine_code::bench(session, request, options, &compilers, &benchmarks);
    }
    let machine = match compilers.device() {
        Device::Gpu => Machine::Gpu,
        _ if compilers.shares_cores() => Machine::Cores,
        _ => Machine::Emulation,
    };
    let is_gpu = machine == Machine::Gpu;
    let kept = match &request.programs {
        Some(folder) if is_gpu => Some(Kept::open(folder)?),
        Some(_) => {
            let message = "`--programs` keeps programs for a GPU";
            return Err(Diagnostic::global(codes::BAD_USAGE, message)
                .help("add `--device gpu`")
                .into());
        }
        None => None,
    };
    let is_there = toolchain::gpu_present();
    if is_gpu && !is_there && kept.is_none() {
        return Err(no_gpu());
    }
    let peers = peers::find(&request.peers, machine)?;
    let settings = Settings {
        session,
        compilers: &compilers,
        machine,
        runs: request.runs,
        data: request.data.as_deref(),
        options,
        by_kernel: request.vary,
        kept: kept.as_ref(),
    };
    let mut figures = Figures {
        version: env!("CARGO_PKG_VERSION"),
        device: match machine {
            Machine::Cores => Device::Multicore.name(),
            Machine::Gpu | Machine::Emulation => compilers.device().name(),
        },
        record: Record::new(&compilers, machine, &peers),
        limits: None,
        suite,
        programs: Vec::new(),
        shares: None,
    };
    let plans = plans(&benchmarks, request, machine, &peers)?;
    let steps = plans
        .iter()
        .map(|plan| plan.sizes.len() + plan.forms.len() * (1 + plan.sizes.len()));
    let progress = side_by_side::progress(steps.sum());
    if is_gpu && !is_there {
        return only_build(&plans, &settings, &progress);
    }
    if is_gpu {
        progress.set_message("what the device can do at most");
        let limits = limits::measure(&settings)?;
        progress.suspend(|| session.print(limits::text(&limits)))?;
        figures.limits = Some(limits);
    }
    let expected = serial::results(&plans, &settings, &|what| {
        progress.set_message(what.to_owned());
        progress.inc(1);
    });
    for (plan, expected) in plans.iter().zip(&expected) {
        program(
            plan,
            expected,
            &peers,
            &settings,
            &progress,
            &mut figures,
            &|figures| save(figures, request),
        )?;
        if figures.suite.is_none() {
            let text = latest_text(&figures);
            progress.suspend(|| session.print(text))?;
        }
    }
    progress.finish_and_clear();
    if let Some(suite) = &figures.suite {
        session.print(suite.text(&figures))?;
    }
    match figures.programs.iter().all(ProgramResult::is_right) {
        true => Ok(Success::Done),
        false => {
            let message = "not every form gave the serial form's result";
            Err(Failure::environment(codes::BENCHMARK_FAILED, message))
        }
    }
}

/// Builds all forms, to run them where there is a GPU.
fn only_build(
    plans: &[Plan],
    settings: &Settings,
    progress: &ProgressBar,
) -> Result<Success, Failure> {
    limits::program(settings)?;
    let all: Vec<(&str, &Form)> = plans
        .iter()
        .flat_map(|plan| plan.forms.iter().map(|form| (&*plan.benchmark.name, form)))
        .filter(|(_, form)| form.peer.is_none())
        .collect();
    let failures = side_by_side::all(&all, AT_ONCE, |(name, form)| {
        progress.set_message(format!("{name}, {}", form.name));
        let failure = measure::build(form, None, settings).failure;
        progress.inc(1);
        failure.map(|why| format!("{name}, {}: {why}\n", form.name))
    });
    progress.finish_and_clear();
    let failures: String = failures.into_iter().flatten().collect();
    let text = format!(
        "{} forms are built; the same command runs them where there is a GPU.\n",
        all.len()
    );
    match failures.is_empty() {
        true => settings.session.print(text).map(|()| Success::Done),
        false => Err(Failure::environment(
            codes::BENCHMARK_FAILED,
            failures.trim_end(),
        )),
    }
}

/// Where the programs are: those that accrs brings along are unpacked into the cache.
fn folder(request: &Request) -> Result<PathBuf, Failure> {
    let here = Path::new(BENCHMARKS);
    match &request.folder {
        Some(asked) => Ok(asked.clone()),
        None if here.is_dir() => Ok(here.to_owned()),
        None => cache::unpacked(&Session::variable, BENCHMARKS, embedded::BENCHMARKS),
    }
}

fn no_gpu() -> Failure {
    Diagnostic::global(codes::NO_GPU, "no NVIDIA GPU answers on this machine")
        .help("`--device emulated` counts instead of timing; `accrs doctor` shows what was found")
        .into()
}

/// What is to be run of which programs.
fn plans<'b>(
    benchmarks: &'b [Benchmark],
    request: &Request,
    machine: Machine,
    peers: &[Peer],
) -> Result<Vec<Plan<'b>>, Failure> {
    let on_cores = machine == Machine::Cores;
    let names = match request.suite {
        Some(_) if request.forms.is_empty() && !on_cores => &suite::FORMS.map(str::to_owned)[..],
        _ => &request.forms,
    };
    let plan = |benchmark: &'b Benchmark| Plan {
        forms: benchmark.chosen(names, request.vary, peers, on_cores),
        sizes: benchmark.sizes(&request.sizes, machine, request.data.is_some()),
        benchmark,
    };
    let mut plans: Vec<Plan> = benchmarks.iter().map(plan).collect();
    plans.retain(|plan| !plan.forms.is_empty() && !plan.sizes.is_empty());
    if plans.is_empty() {
        let message = "no benchmark has such a form and size";
        return Err(Failure::environment(codes::BAD_USAGE, message));
    }
    Ok(plans)
}

/// Runs the forms of a program; `save` is called after each.
fn program(
    plan: &Plan,
    expected: &Expected,
    peers: &[Peer],
    settings: &Settings,
    progress: &ProgressBar,
    figures: &mut Figures,
    save: &dyn Fn(&Figures) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let name = &plan.benchmark.name;
    figures.programs.push(ProgramResult::new(plan.benchmark));
    let number = figures.programs.len() - 1;
    let of_form = |form: &Form| {
        let is_it = |peer: &&Peer| Some(&peer.name) == form.peer.as_ref();
        peers.iter().find(is_it)
    };
    let tell = |form: &str, what: &str| {
        progress.set_message(format!("{name}, {form}: {what}"));
        progress.inc(1);
    };
    let mut distinct: Vec<&Form> = Vec::new();
    for form in &plan.forms {
        if !distinct.iter().any(|other| other.is_built_as(form)) {
            distinct.push(form);
        }
    }
    let built = side_by_side::all(&distinct, AT_ONCE, |form| {
        let built = measure::build(form, of_form(form), settings);
        let forms = plan.forms.iter().filter(|other| other.is_built_as(form));
        forms.for_each(|form| tell(&form.name, "built"));
        built
    });
    let builds = plan.forms.iter().map(|form| {
        let mut builds = distinct.iter().zip(&built);
        let own = builds.find(|(other, _)| other.is_built_as(form));
        own.expect("each form is built as one of the distinct").1
    });
    let builds: Vec<&measure::Build> = builds.collect();
    let jobs = plan.forms.iter().zip(&builds).flat_map(|(form, build)| {
        let runs = plan.sizes.iter();
        runs.filter_map(move |run| Some((form, run, build.built.as_ref()?)))
    });
    let jobs: Vec<(&Form, &Run, &Built)> = jobs.collect();
    progress.set_message(format!("{name}: what its forms compute"));
    let computed = side_by_side::all(&jobs, AT_ONCE, |(form, run, built)| {
        built.computes(form, run, settings)
    });
    let mut measurements = jobs.iter().zip(computed);
    for (form, build) in plan.forms.iter().zip(builds) {
        let mut measured = build.result(form);
        let sizes = if build.built.is_some() {
            plan.sizes.len()
        } else {
            0
        };
        for ((_, run, built), own) in measurements.by_ref().take(sizes) {
            progress.set_message(format!("{name}, {}: {}", form.name, run.name));
            let result = expected.get(&run.name);
            measured
                .sizes
                .push(built.size(form, own, result, run, settings));
            progress.inc(1);
        }
        let program = &mut figures.programs[number];
        program.forms.push(measured);
        if let Some(limits) = &figures.limits {
            let shares = limits::shares(program, &plan.sizes, limits);
            let all = figures.shares.get_or_insert_default();
            all.truncate(number);
            all.push(shares);
        }
        save(figures)?;
    }
    if settings.machine == Machine::Cores {
        let builds = built.iter().filter_map(|build| build.built.as_ref());
        let builds: Vec<_> = builds.collect();
        let is_built = |form: &&mut measure::FormResult| form.failure.is_none();
        for (number_of_size, run) in plan.sizes.iter().enumerate() {
            progress.set_message(format!("{name}: {}", run.name));
            let times = measure::time_in_turn(&builds, run, settings)?;
            let forms = figures.programs[number].forms.iter_mut();
            for (form, seconds) in forms.filter(is_built).zip(times) {
                form.sizes[number_of_size].seconds = seconds;
            }
        }
        save(figures)?;
    }
    Ok(())
}

/// The tables of the program that was run last.
fn latest_text(figures: &Figures) -> String {
    let Some(program) = figures.programs.last() else {
        return String::new();
    };
    let shares = figures.shares.as_ref().and_then(|shares| shares.last());
    let shares = shares.map_or_else(String::new, |shares| limits::shares_text(shares, "  "));
    table::text(program, figures.is_emulated()) + &shares + "\n"
}

/// Writes what there is, whole or not at all if a signal comes.
fn save(figures: &Figures, request: &Request) -> Result<(), Failure> {
    interrupt::uncut(|| {
        if let Some(path) = &request.json {
            write_json(path, figures)?;
        }
        if let Some(path) = &request.html {
            page::write(path, figures)?;
        }
        match &request.report {
            Some(folder) => report::write(folder, figures),
            None => Ok(()),
        }
    })
}

/// Replaces the file at once, so that it is whole at any time.
fn write_json(path: &std::path::Path, figures: &impl Serialize) -> Result<(), Failure> {
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
