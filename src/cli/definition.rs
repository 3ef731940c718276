//! What can be typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand};
use clap_complete::Shell;

use crate::driver::arch::{self, Arch};
use crate::driver::bench::Request;
use crate::driver::check::{Allowed, Tolerance};
use crate::driver::device::Device;
use crate::driver::memory::Memory;
use crate::driver::pipeline::{Emit, PlacementRequest, assumption};
use crate::driver::render::{Color, MessageFormat};

/// Translates C with directives into CUDA that a person can read, and runs it.
#[derive(Debug, Parser)]
#[command(
    name = "accrs",
    version,
    propagate_version = true,
    after_long_help = super::documents::AFTER_HELP
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,

    /// How diagnostics are shown
    #[arg(
        long,
        value_enum,
        global = true,
        default_value_t,
        value_name = "FORMAT"
    )]
    pub(super) message_format: MessageFormat,

    /// When diagnostics are coloured
    #[arg(long, value_enum, global = true, default_value_t, value_name = "WHEN")]
    pub(super) color: Color,
}

/// Options of all commands that translate.
#[derive(Args, Clone, Debug)]
pub(super) struct TranslationOptions {
    /// A GPU to build for, such as sm_90; may repeat
    #[arg(long = "arch", value_name = "ARCH", value_parser = arch::parse)]
    pub(super) archs: Vec<Arch>,

    /// Mark generated lines with the lines they come from, for profilers as well
    /// (nvcc's -lineinfo)
    #[arg(long)]
    pub(super) line_marks: bool,

    /// Warn of what OpenACC forbids and accrs takes; refuse what may go wrong
    #[arg(long)]
    pub(super) strict: bool,

    /// What becomes of accesses that are not proved to be in a `cache`
    #[arg(long, value_enum, default_value_t, value_name = "PROOF")]
    pub(super) cache: CacheProof,

    /// Where constructs run that use `long double`, which GPUs do not have
    #[arg(long, value_enum, default_value_t, value_name = "PLACE")]
    pub(super) long_double: LongDoublePlace,

    /// Give the host's form of constructs OpenMP's directives, for its cores to share loops; what
    /// `--device multicore` builds and runs
    #[arg(long)]
    pub(super) multicore: bool,

    /// Whether host and device have memory of their own, or kernels use the host's, without any copy
    #[arg(long, value_enum, default_value_t, value_name = "KIND")]
    pub(super) memory: Memory,

    /// The value of a variable that --feedback is to predict for; may repeat
    #[arg(long = "assume", value_name = "NAME=VALUE", value_parser = assumption)]
    pub(super) assumptions: Vec<(String, i128)>,

    /// Let loops over a variable run along x of CUDA's blocks (and over
    /// another one along y: `column,row`), where a nest leaves that open; may
    /// repeat
    #[arg(long, value_name = "VARIABLE")]
    pub(super) along_x: Vec<String>,

    /// Which arrays are read through windows in shared memory
    #[arg(long, value_enum, default_value_t, value_name = "CHOICE")]
    pub(super) windows: WindowChoice,

    /// Read an array from global, read-only or constant memory or from windows
    /// in shared memory, where its use allows that; may repeat
    #[arg(long = "place", value_name = "ARRAY=SPACE")]
    pub(super) places: Vec<PlacementRequest>,

    /// Say on standard error how long each stage of a translation took, and each pass
    #[arg(long)]
    pub(super) time_passes: bool,

    /// The language of the directives
    #[arg(long, value_enum, default_value_t, value_name = "DIALECT")]
    pub(super) dialect: Dialect,

    #[command(flatten)]
    preprocessor: PreprocessorOptions,
}

/// What `--feedback` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Feedback {
    /// What was decided and why
    Decisions,
    /// The same, with what nvcc makes of each kernel
    Resources,
}

/// What becomes of accesses to an array with a `cache` that are not proved to
/// be in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum CacheProof {
    /// They choose between cache and array when they run
    #[default]
    Select,
    /// They are in it, as OpenACC asks of programs
    Trust,
}

/// Which arrays are read through windows in shared memory, besides those that
/// `--place` names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum WindowChoice {
    /// Those of directives, and others where the model says that it pays
    #[default]
    Automatic,
    /// Those of directives alone
    #[value(alias("asked"))]
    Directives,
}

/// Where constructs run that use `long double`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum LongDoublePlace {
    /// On the device: an error where that is a GPU
    #[default]
    Device,
    /// On the host, unless the device is the emulation
    Host,
}

/// The languages of directives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Dialect {
    /// OpenACC, `#pragma acc`
    #[default]
    Openacc,
}

/// Listed for help, manual and completions; read by [`super::arguments`].
#[derive(Args, Clone, Debug)]
#[command(
    next_help_heading = "Preprocessor options, as for cc (also -std=STD, -include FILE, -isystem DIR)"
)]
struct PreprocessorOptions {
    /// Search a folder for headers
    #[arg(short = 'I', value_name = "DIR")]
    include_folders: Vec<PathBuf>,

    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    defines: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    undefines: Vec<String>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Write NAME.acc.c, NAME.acc.cu and NAME.acc.mk for each file; one makefile
    /// for files of which one has main. Of a CUDA file with `#pragma AUTO-CTA` or MESI-CUDA,
    /// NAME.acc.cu alone
    Translate {
        /// C or CUDA files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,

        /// The folder to write to, or - for standard output
        #[arg(short, long, value_name = "DIR")]
        output: Option<PathBuf>,

        /// Print what a stage makes instead of writing files
        #[arg(long, value_enum, value_name = "STAGE")]
        emit: Option<Emit>,

        /// Say for each loop and kernel what became of it and why; with
        /// registers and shared memory that nvcc counts
        #[arg(long, value_enum, value_name = "WITH", num_args = 0..=1, require_equals = true, default_missing_value = "decisions")]
        feedback: Option<Feedback>,

        #[command(flatten)]
        options: TranslationOptions,
    },

    /// Be a C compiler: CC="accrs cc" make builds an OpenACC program
    #[command(disable_help_flag = true, disable_version_flag = true, after_help = super::documents::CC_OPTIONS)]
    Cc {
        /// Arguments as for gcc, and those below
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGS"
        )]
        arguments: Vec<OsString>,
    },

    /// Translate, build in a temporary folder and run
    ///
    /// A CUDA file (.cu, .mcu) is built as it is, with launches under `#pragma AUTO-CTA` tuned, and
    /// virtual shared variables and logical grids of MESI-CUDA written out. The exit status is the
    /// program's, 128 + n after signal n, and 125 where accrs itself failed.
    Run {
        /// C and CUDA files of one program, C++ files beside CUDA files, objects and archives
        /// (--counts does not see what is in these)
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,

        /// Link with a library (libm always is)
        #[arg(short = 'l', value_name = "LIBRARY")]
        libraries: Vec<OsString>,

        /// What to build for; default: the GPU where there are one and nvcc
        #[arg(long, value_enum, value_name = "DEVICE")]
        device: Option<Device>,

        /// Count on the emulation what the kernels ask of memory: requests and
        /// transactions of each line, barriers, launches; as a table on
        /// standard error, or as JSON in a file
        #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, conflicts_with = "device")]
        #[allow(clippy::option_option, reason = "absent, without a file, with one")]
        counts: Option<Option<PathBuf>>,

        #[command(flatten)]
        options: TranslationOptions,

        /// Arguments of the program
        #[arg(last = true, value_name = "ARGS")]
        arguments: Vec<OsString>,
    },

    /// Report what is wrong with files; write nothing
    ///
    /// With --dynamic, the program of these files is run three times on the emulation:
    /// blocks and threads in order, in reverse and in a random order. Races,
    /// barriers that not all threads reach, reads of what was never written, accesses
    /// outside arrays, pointers to the host's memory and queues that do not wait for
    /// each other are errors at the line that makes them; old values on either side
    /// of a copy are warnings. Either is status 1. The first run has this command's input and output.
    ///
    /// With --compare, it is run on the emulation and on the host side by side. What the kernels of
    /// each construct have stored is compared with what the host has there: integers exactly,
    /// floating-point values within a tolerance, NaN being equal to NaN. The first difference is
    /// an error at the construct. Input is read where it is a file.
    #[command(group = ArgGroup::new("runs").multiple(true))]
    Check {
        /// C files, CUDA files with `#pragma AUTO-CTA` or MESI-CUDA; with --dynamic any CUDA files,
        /// C++ files beside them, and objects and archives, which are not watched
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,

        /// Run the program on the emulation, its memory accesses and barriers checked
        #[arg(long, group = "runs")]
        dynamic: bool,

        /// Run the program on the emulation and on the host, and compare results of constructs
        #[arg(long, group = "runs")]
        compare: bool,

        /// With --compare: how far floating-point values may be apart, relative to the larger one;
        /// `float` and others may have one each. Default: 1e-4,1e-9
        #[arg(long, value_name = "RELATIVE", requires = "compare")]
        tolerance: Option<Tolerance>,

        /// With --dynamic or --compare: link with a library (libm always is)
        #[arg(short = 'l', value_name = "LIBRARY", requires = "runs")]
        libraries: Vec<OsString>,

        /// Of a variable: no warnings of old values, `stale=NAME`; no comparison with the host's
        /// values, `differs=NAME`
        #[arg(long, value_name = "WHAT", requires = "runs")]
        allow: Vec<Allowed>,

        /// Say for each loop and kernel what became of it and why; with
        /// registers and shared memory that nvcc counts
        #[arg(long, value_enum, value_name = "WITH", num_args = 0..=1, require_equals = true, default_missing_value = "decisions")]
        feedback: Option<Feedback>,

        #[command(flatten)]
        options: TranslationOptions,

        /// With --dynamic or --compare: arguments of the program
        #[arg(last = true, value_name = "ARGS", requires = "runs")]
        arguments: Vec<OsString>,
    },

    /// Write a page that shows source and kernels side by side
    ///
    /// One HTML file without any other: each line with the generated lines that come of it, what
    /// --feedback says of it, the windows drawn, and counts and times by line where there are any.
    Report {
        /// C files; with --counts those of one program
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,

        /// The page
        #[arg(short, long, value_name = "FILE", default_value = "report.html")]
        output: PathBuf,

        /// Run the program on the emulation and show what each line asks of memory; or show what
        /// `accrs run --counts=FILE` wrote
        #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
        #[allow(clippy::option_option, reason = "absent, without a file, with one")]
        counts: Option<Option<PathBuf>>,

        /// Show device times by line from what ACCRS_PROFILE=FILE.json wrote
        #[arg(long, value_name = "FILE")]
        profile: Option<PathBuf>,

        /// With --counts: link with a library (libm always is)
        #[arg(short = 'l', value_name = "LIBRARY", requires = "counts")]
        libraries: Vec<OsString>,

        #[command(flatten)]
        options: TranslationOptions,

        /// With --counts: arguments of the program
        #[arg(last = true, value_name = "ARGS", requires = "counts")]
        arguments: Vec<OsString>,
    },

    /// Run benchmark programs in all their forms, compared with their serial form
    ///
    /// On the emulation the kernels' requests, transactions and barriers are
    /// counted; on a GPU the programs are timed.
    Bench {
        #[command(flatten)]
        request: Request,

        #[command(flatten)]
        options: TranslationOptions,
    },

    /// Show the tools that were found and what is missing
    Doctor,

    /// Complete an installation: manual pages, completions of shells, and accrs-cc where it is missing
    Setup {
        /// Where share/man, share/bash-completion, share/zsh and share/fish are; default: ~/.local
        #[arg(long, value_name = "DIR")]
        prefix: Option<PathBuf>,

        /// Install nvcc and nvdisasm from NVIDIA's Python packages into the cache instead (about 300 MB;
        /// needs Python 3 and g++, no GPU)
        #[arg(long, conflicts_with = "prefix")]
        nvcc: bool,
    },

    /// Show what a diagnostic means, with an example and the way out
    Explain {
        /// A code such as A0401; none lists all
        #[arg(value_name = "CODE")]
        code: Option<String>,
    },

    /// Print a completion script
    Completions {
        /// The shell that it is for
        #[arg(value_enum)]
        shell: Shell,
    },

    /// Write the manual pages
    Man {
        /// The folder to write to
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}
