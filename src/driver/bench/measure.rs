//! Builds the forms of a program, runs them, compares, times and counts.
//!
//! Input: a form with its sizes, and what the serial form prints for them.
//! Output: [`FormResult`], figures for each size. On the emulation a run is counted; on a
//! GPU runs are timed, others traced for what is in kernels and copies, and
//! one more, whose kernels have C's arithmetic, is compared. Kernels are also
//! compiled by nvcc, where there is one, for what they need of a GPU.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::kept::{Executable, Kept};
use super::lines::{self, Lines};
use super::peers::{Peer, Place};
use super::plan::{Benchmark, Form, Machine, OPENMP, Run};
use super::times::{self, Times, Trace, TracedRun};
use super::values::{self, Values};
use super::write_json;
use crate::analysis::occupancy::Resources;
use crate::diagnostic::codes;
use crate::driver::arch::Arch;
use crate::driver::build::is_cuda;
use crate::driver::compilers::{Compilers, KEEP_CALLS, Watcher};
use crate::driver::counts::{self, Access, Space, Tally};
use crate::driver::device::Device;
use crate::driver::failure::Failure;
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::output::unwritable;
use crate::driver::pipeline::{self, Options, Product, Task};
use crate::driver::process;
use crate::driver::program::Program;
use crate::driver::render::Reporter;
use crate::driver::resources;
use crate::driver::session::Session;
use crate::driver::toolchain;

/// How programs are run.
pub(super) struct Settings<'s> {
    pub(super) session: Session,
    pub(super) compilers: &'s Compilers,
    pub(super) machine: Machine,
    /// Timed runs of each form and size.
    pub(super) runs: usize,
    /// What `{data}` stands for.
    pub(super) data: Option<&'s Path>,
    pub(super) options: &'s Options,
    /// Requests of the emulation are told by kernels, too.
    pub(super) by_kernel: bool,
    /// Where programs for a GPU stay.
    pub(super) kept: Option<&'s Kept>,
}

impl Settings<'_> {
    /// How far values of a run may be apart. The math library of the emulation, and of the host, is
    /// the serial form's.
    pub(super) fn bound(&self, run: &Run) -> Option<f64> {
        run.within.filter(|_| self.machine == Machine::Gpu)
    }
}

/// A program in all forms that were run.
#[derive(Debug, Serialize)]
pub(super) struct ProgramResult {
    pub(super) name: String,
    pub(super) title: String,
    /// The form that others are measured against.
    pub(super) base: String,
    /// The serial form's lines.
    pub(super) serial_lines: Lines,
    pub(super) forms: Vec<FormResult>,
}

impl ProgramResult {
    /// Without any form yet.
    pub(super) fn new(benchmark: &Benchmark) -> Self {
        Self {
            name: benchmark.name.clone(),
            title: benchmark.title.clone(),
            base: benchmark.base().to_owned(),
            serial_lines: lines::of(&benchmark.serial),
            forms: Vec::new(),
        }
    }

    /// The form that others are measured against, if it was run.
    pub(super) fn base(&self) -> Option<&FormResult> {
        self.forms.iter().find(|form| form.form == self.base)
    }

    /// Whether every form was built and gave the right result.
    pub(super) fn is_right(&self) -> bool {
        self.forms.iter().all(|form| {
            form.failure.is_none() && form.sizes.iter().all(|size| size.failure.is_none())
        })
    }
}

/// A form at all sizes.
#[derive(Debug, Default, Serialize)]
pub(super) struct FormResult {
    pub(super) form: String,
    pub(super) lines: Lines,
    /// A macro that is not as in the file: `TILE=8`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) define: Option<String>,
    /// A variable of the environment that its runs have, and its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) variable: Option<(&'static str, &'static str)>,
    /// Of a peer: where it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) place: Option<Place>,
    /// Why it was not built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// What nvcc makes of its kernels, where there is one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) kernels: Vec<KernelFigures>,
    pub(super) sizes: Vec<SizeResult>,
}

/// A kernel in the eyes of nvcc.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub(super) struct KernelFigures {
    pub(super) name: String,
    /// `sm_90`.
    pub(super) arch: String,
    /// Of a thread.
    pub(super) registers: u32,
    /// Written and read for want of registers.
    pub(super) spill_bytes: u64,
    /// Of a block, what the launch brings apart.
    pub(super) static_shared_bytes: u64,
}

/// A form at one size.
#[derive(Debug, Default, Serialize)]
pub(super) struct SizeResult {
    pub(super) size: String,
    /// Why there is no result, or what is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// On a GPU: what the program says that it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<Times>,
    /// The same of a peer that fell back to the host: comparable with nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) host_seconds: Option<Times>,
    /// On a GPU, of traced runs: in kernels and copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) trace: Option<Trace>,
    /// On the emulation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counts: Option<Counts>,
    /// The same of each kernel, where that is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) kernels: Vec<KernelRequests>,
}

/// What a kernel asked of device memory in all launches of a run.
#[derive(Clone, Debug, Serialize)]
pub(super) struct KernelRequests {
    pub(super) kernel: String,
    pub(super) loads: Tally,
    pub(super) stores: Tally,
    /// Its launches by their blocks.
    pub(super) configurations: Vec<counts::Configuration>,
}

/// What the kernels of one run asked of memory.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Counts {
    pub(super) launches: u64,
    pub(super) blocks: u64,
    pub(super) barriers: u64,
    pub(super) device: Tally,
    pub(super) shared: Tally,
}

/// A program of a form, or of several.
#[derive(Default)]
pub(super) struct Build<'p> {
    /// What runs, if it was built.
    pub(super) built: Option<Built<'p>>,
    place: Option<Place>,
    /// Why not.
    pub(super) failure: Option<String>,
    kernels: Vec<KernelFigures>,
}

impl Build<'_> {
    /// All that is known of a form before it runs.
    pub(super) fn result(&self, form: &Form) -> FormResult {
        FormResult {
            form: form.name.clone(),
            lines: lines::of(&form.file),
            define: form.define.clone(),
            variable: form.variable,
            place: self.place.clone(),
            failure: self.failure.clone(),
            kernels: self.kernels.clone(),
            sizes: Vec::new(),
        }
    }
}

/// Builds a form, or takes it from those that were built before.
pub(super) fn build<'p>(form: &Form, peer: Option<&'p Peer>, settings: &Settings) -> Build<'p> {
    let options = &options_of(form, settings.options);
    if let (Some(kept), None) = (settings.kept, peer) {
        return kept_build(form, options, kept, settings).unwrap_or_else(|failure| Build {
            failure: Some(reason(&failure)),
            ..Build::default()
        });
    }
    let mut build = Build {
        place: peer.map(|peer| peer.place.clone()),
        ..Build::default()
    };
    if peer.is_none() && settings.machine != Machine::Cores {
        match kernels(form, options, settings) {
            Ok(found) => build.kernels = found,
            Err(failure) => build.failure = Some(reason(&failure)),
        }
    }
    let built = match peer {
        Some(peer) => Built::by_peer(form, peer, options),
        None => Built::build(form, options, settings),
    };
    match built {
        Ok(Built::Counting { program, .. }) if settings.by_kernel => {
            let registers = Some(registers(&build.kernels));
            build.built = Some(Built::Counting { program, registers });
        }
        Ok(built) => build.built = Some(built),
        Err(failure) => build.failure = Some(reason(&failure)),
    }
    build
}

/// What is kept of a form's programs, beside them.
const FIGURES: &str = "kernels.json";

/// A form's programs, of which one has C's arithmetic.
const PROGRAM: &str = "program";
const EXACT: &str = "exact";

fn kept_build<'p>(
    form: &Form,
    options: &Options,
    kept: &Kept,
    settings: &Settings,
) -> Result<Build<'p>, Failure> {
    let own = form.file.parent().unwrap_or(Path::new("."));
    let common = own.join("../common");
    let folders = [own, &common];
    let folders = if common.is_dir() {
        &folders[..]
    } else {
        &folders[..1]
    };
    let stem = own.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{stem}-{}", form.name.replace(' ', "-"));
    let asked = format!("{options:?} {:?}", form.file.file_name());
    let folder = kept.program(&name, folders, &asked, |folder| {
        let figures = kernels(form, options, settings)?;
        let Built::Timed { program, exact } = Built::build(form, options, settings)? else {
            let message = "only programs for a GPU are kept";
            return Err(Failure::environment(codes::INTERNAL, message));
        };
        for (file, built) in [(PROGRAM, program), (EXACT, exact)] {
            let path = folder.join(file);
            fs::copy(&built.path, &path).map_err(|error| unwritable(&path, &error))?;
        }
        write_json(&folder.join(FIGURES), &figures)
    })?;
    let path = folder.join(FIGURES);
    let figures = fs::read_to_string(&path).map_err(|error| unwritable(&path, &error))?;
    let kernels = serde_json::from_str(&figures).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::environment(codes::UNREADABLE, message)
    })?;
    Ok(Build {
        built: Some(Built::Timed {
            program: folder.join(PROGRAM).into(),
            exact: folder.join(EXACT).into(),
        }),
        kernels,
        ..Build::default()
    })
}

/// The registers of kernels as the emulation takes them: `name=40,other=56`.
fn registers(kernels: &[KernelFigures]) -> String {
    let own = kernels.iter();
    let own = own.map(|kernel| format!("{}={}", kernel.name, kernel.registers));
    own.collect::<Vec<_>>().join(",")
}

/// The options with the form's macro and windows.
pub(super) fn options_of(form: &Form, options: &Options) -> Options {
    let mut options = options.clone();
    let define = form.define.iter().map(|define| format!("-D{define}"));
    options.preprocessor.extend(define.map(OsString::from));
    options.automatic_windows = form.automatic;
    options
}

/// What nvcc makes of a form's kernels; nothing where there is no nvcc.
fn kernels(
    form: &Form,
    options: &Options,
    settings: &Settings,
) -> Result<Vec<KernelFigures>, Failure> {
    if toolchain::nvcc(&Session::variable).is_err() {
        return Ok(Vec::new());
    }
    let archs: &[Arch] = match options.archs.as_slice() {
        [] => &[Arch(90)],
        asked => asked,
    };
    if is_cuda(&form.file) {
        let flags = &options.preprocessor;
        let counted = resources::count_file(&form.file, flags, archs, &Session::variable)?;
        return Ok(counted.into_iter().map(KernelFigures::from).collect());
    }
    let task = Task {
        c: Some(settings.compilers.c()),
        options,
        stage: None,
        // Building says what there is to say.
        reporter: Reporter::silent(),
    };
    let Ok(translation) = pipeline::translate(&form.file, task).and_then(Product::files) else {
        return Ok(Vec::new());
    };
    let counted = resources::count(
        &translation.kernels,
        &translation.sharing,
        archs,
        &Session::variable,
    )?;
    let own = &translation.own_kernels;
    let is_own = |one: &Resources| own.iter().any(|own| own.name == one.kernel);
    let own = counted.into_iter().filter(is_own);
    Ok(own.map(KernelFigures::from).collect())
}

impl From<Resources> for KernelFigures {
    fn from(one: Resources) -> Self {
        Self {
            arch: format!("sm_{}", one.arch),
            name: one.kernel,
            registers: one.registers,
            spill_bytes: one.spills,
            static_shared_bytes: one.shared,
        }
    }
}

impl From<&counts::KernelCounts> for KernelRequests {
    fn from(counts: &counts::KernelCounts) -> Self {
        Self {
            kernel: counts.name.clone(),
            loads: counts.of_device(Access::Read),
            stores: counts.of_device(Access::Write),
            configurations: counts.configurations.clone(),
        }
    }
}

/// A failure in a line.
pub(super) fn reason(failure: &Failure) -> String {
    match failure.unreported() {
        Some(diagnostic) => diagnostic.message.clone(),
        None => "it is not built: see the messages above".to_owned(),
    }
}

/// The arguments of a run, without a file for its values.
pub(super) fn arguments(run: &Run, data: Option<&Path>) -> Vec<OsString> {
    let fill = |argument: &String| match data {
        Some(folder) => argument.replace("{data}", &folder.to_string_lossy()).into(),
        None => argument.into(),
    };
    run.arguments.iter().map(fill).collect()
}

/// All files of a form.
fn files(form: &Form) -> Vec<PathBuf> {
    let own = std::iter::once(&form.file);
    own.chain(&form.files).cloned().collect()
}

/// A form that can be run.
pub(super) enum Built<'p> {
    Counting {
        program: Program,
        /// What the emulation is told of kernels, where they are told apart.
        registers: Option<String>,
    },
    Timed {
        program: Executable,
        /// With C's arithmetic, to compare results.
        exact: Executable,
    },
    /// On the host's cores.
    Shared { program: Program },
    /// The C compiler's, on the host's cores.
    OpenMp {
        _folder: TemporaryFolder,
        program: PathBuf,
    },
    ByPeer {
        peer: &'p Peer,
        _folder: TemporaryFolder,
        program: PathBuf,
        /// With C's arithmetic, to compare results.
        exact: PathBuf,
    },
}

impl<'p> Built<'p> {
    fn build(form: &Form, options: &Options, settings: &Settings) -> Result<Self, Failure> {
        let libraries = [OsString::from("-lm")];
        let session = settings.session;
        let files = files(form);
        let build =
            |compilers: &Compilers| Program::build(session, compilers, &files, &libraries, options);
        if settings.machine == Machine::Cores {
            return match form.name == OPENMP {
                true => Self::by_c_compiler(form, options, settings),
                false => build(settings.compilers).map(|program| Self::Shared { program }),
            };
        }
        if settings.machine == Machine::Emulation {
            let watched = Compilers::watched(Watcher::Counts, &Session::variable)?;
            return build(&watched).map(|program| Self::Counting {
                program,
                registers: None,
            });
        }
        Ok(Self::Timed {
            program: build(settings.compilers)?.into(),
            exact: build(&settings.compilers.exact())?.into(),
        })
    }

    /// As `accrs run` compiles host programs.
    fn by_c_compiler(form: &Form, options: &Options, settings: &Settings) -> Result<Self, Failure> {
        let folder = TemporaryFolder::new()?;
        let program = folder.path().join("program");
        let mut compile = settings.compilers.c().command();
        compile
            .args(&options.preprocessor)
            .args(["-O2", KEEP_CALLS]);
        compile.args(settings.compilers.openmp());
        compile.arg("-o").arg(&program).args(files(form)).arg("-lm");
        let output = process::capture(&mut compile, b"", None)?;
        if !output.status.success() {
            return Err(Failure::environment(codes::GENERATED_CODE, output.text()));
        }
        Ok(Self::OpenMp {
            _folder: folder,
            program,
        })
    }

    fn by_peer(form: &Form, peer: &'p Peer, options: &Options) -> Result<Self, Failure> {
        let folder = TemporaryFolder::new()?;
        let program = folder.path().join("program");
        let exact = folder.path().join("exact");
        let files = files(form);
        peer.build(&files, &program, &options.preprocessor, false)?;
        peer.build(&files, &exact, &options.preprocessor, true)?;
        Ok(Self::ByPeer {
            peer,
            _folder: folder,
            program,
            exact,
        })
    }

    /// A run on the host's cores.
    fn on_cores(&self, arguments: &[OsString]) -> Command {
        let mut command = match self {
            Self::Counting { program, .. } | Self::Shared { program } => {
                let mut command = Command::new(&program.path);
                command.env("ACC_DEVICE_TYPE", Device::Multicore.name());
                command
            }
            Self::Timed { program, .. } => Command::new(&program.path),
            Self::OpenMp { program, .. } => Command::new(program),
            Self::ByPeer { peer, program, .. } => peer.start(program),
        };
        command.args(arguments);
        command
    }

    /// What it computes on a GPU, with C's arithmetic; none where that is seen in a run that is
    /// measured.
    pub(super) fn computes(
        &self,
        form: &Form,
        run: &Run,
        settings: &Settings,
    ) -> Option<Result<Values, Failure>> {
        let Self::Timed { exact, .. } = self else {
            return None;
        };
        let mut command = Command::new(&exact.path);
        command
            .args(arguments(run, settings.data))
            .envs(form.variable);
        Some(values::of(&mut command, settings.bound(run)))
    }

    /// Runs it at a size, and compares with what is expected; `own` is what it [`computes`](Self::computes).
    pub(super) fn size(
        &self,
        form: &Form,
        own: Option<Result<Values, Failure>>,
        expected: Option<&Result<Values, String>>,
        run: &Run,
        settings: &Settings,
    ) -> SizeResult {
        let measured = self.run(form, own, expected, run, settings);
        let mut size = measured.unwrap_or_else(|failure| SizeResult {
            failure: Some(reason(&failure)),
            ..SizeResult::default()
        });
        size.size.clone_from(&run.name);
        size
    }

    fn run(
        &self,
        form: &Form,
        own: Option<Result<Values, Failure>>,
        expected: Option<&Result<Values, String>>,
        run: &Run,
        settings: &Settings,
    ) -> Result<SizeResult, Failure> {
        let arguments = arguments(run, settings.data);
        let mut size = SizeResult::default();
        let own = match self {
            Self::Counting { program, registers } => {
                let mut command = counts::command(program);
                command.envs(form.variable);
                if let Some(registers) = registers {
                    command.env("ACCRS_EMULATED_REGISTERS", registers);
                }
                let own = values::of(command.args(&arguments), settings.bound(run))?;
                let kernels = counts::read(program)?;
                size.counts = Some(total(&kernels));
                if settings.by_kernel {
                    size.kernels = kernels.iter().map(KernelRequests::from).collect();
                }
                own
            }
            Self::Timed { program, .. } => {
                let start = || {
                    let mut command = on_gpu(Command::new(&program.path), &arguments);
                    command.envs(form.variable);
                    command
                };
                // A traced run is the first, to warm up.
                size.trace = traced(&mut || start(), settings.runs)?;
                size.seconds = timed(&mut || start(), settings.runs)?;
                own.ok_or_else(|| {
                    let message = "what it computes was not looked at";
                    Failure::environment(codes::INTERNAL, message)
                })??
            }
            Self::Shared { .. } | Self::OpenMp { .. } => {
                values::of(&mut self.on_cores(&arguments), settings.bound(run))?
            }
            Self::ByPeer { peer, exact, .. } if peer.place == Place::Cores => {
                let mut command = peer.start(exact);
                values::of(command.args(&arguments), settings.bound(run))?
            }
            Self::ByPeer {
                peer,
                program,
                exact,
                ..
            } => {
                let start = |program: &Path| on_gpu(peer.start(program), &arguments);
                let own = values::of(&mut start(exact), settings.bound(run))?;
                let seconds = timed(&mut || start(program), settings.runs)?;
                match peer.place {
                    Place::Gpu | Place::Cores => size.seconds = seconds,
                    Place::Host(_) => size.host_seconds = seconds,
                }
                own
            }
        };
        size.failure = match expected {
            Some(Ok(expected)) => expected.difference(&own),
            Some(Err(why)) => Some(format!("serial form: {why}")),
            None => Some("the serial form was not run".to_owned()),
        };
        Ok(size)
    }
}

/// Times all forms of a program at a size on the host's cores, in turn: what else the machine does
/// meets each of them.
///
/// # Errors
/// When a program fails.
pub(super) fn time_in_turn(
    all: &[&Built<'_>],
    run: &Run,
    settings: &Settings,
) -> Result<Vec<Option<Times>>, Failure> {
    let arguments = arguments(run, settings.data);
    let mut seconds = vec![Vec::new(); all.len()];
    for round in 0..=settings.runs.max(1) {
        for (built, seconds) in all.iter().zip(&mut seconds) {
            let output = process::capture(&mut built.on_cores(&arguments), b"", None)?;
            values::printed(&output)?;
            if round > 0 {
                seconds.extend(times::seconds(&output));
            }
        }
    }
    Ok(seconds.into_iter().map(times::spread).collect())
}

/// Kernels are loaded before the first launch, which is timed.
fn on_gpu(mut command: Command, arguments: &[OsString]) -> Command {
    command.args(arguments).env("CUDA_MODULE_LOADING", "EAGER");
    command
}

/// Runs a program, which has run before, so many times.
fn timed(start: &mut dyn FnMut() -> Command, runs: usize) -> Result<Option<Times>, Failure> {
    let mut seconds = Vec::new();
    for _ in 0..runs.max(1) {
        let output = process::capture(&mut start(), b"", None)?;
        values::printed(&output)?;
        seconds.extend(times::seconds(&output));
    }
    Ok(times::spread(seconds))
}

/// Runs a program that tells of its launches and copies so many times.
fn traced(start: &mut dyn FnMut() -> Command, runs: usize) -> Result<Option<Trace>, Failure> {
    let mut all = Vec::new();
    for _ in 0..runs.max(1) {
        let output = process::capture(start().env("ACCRS_TRACE", "1"), b"", None)?;
        all.push(TracedRun::read(&String::from_utf8_lossy(&output.stderr)));
    }
    Ok(Trace::of(&all))
}

fn total(kernels: &[counts::KernelCounts]) -> Counts {
    let mut sum = Counts::default();
    for kernel in kernels {
        sum.launches += kernel.launches;
        sum.blocks += kernel.blocks;
        sum.barriers += kernel.barriers;
        sum.device.add(kernel.total(Space::Device));
        sum.shared.add(kernel.total(Space::Shared));
    }
    sum
}
