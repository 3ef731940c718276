//! From a translation to objects: what `run` and `cc` share.
//!
//! Input: the two generated texts, or a CUDA file. Output: their objects in a
//! temporary folder. The compilers of a translation run at the same time. The
//! generated texts carry `#line` marks, so that compilers speak of the user's
//! lines.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

pub use super::compilers::UnitFlags;
use super::compilers::{Compilers, KEEP_CALLS, compile_to};
use super::cuda_files::{CudaFile, beside};
use super::device::Device;
use super::failure::Failure;
use super::launches;
use super::output::unwritable;
use super::pipeline::Translation;
use super::process::{self, ToolOutput};
use super::render::{Nowhere, Reporter};
use super::runtime_library::RuntimeLibrary;
use crate::diagnostic::{Diagnostic, codes};

/// The version of OpenACC that programs see; what is missing of it is an
/// error, never ignored.
pub const OPENACC: &str = "-D_OPENACC=202211";

/// Directives in headers stay there, having been read: no reason for a warning.
const KNOWN_PRAGMAS: &str = "-Wno-unknown-pragmas";

/// The objects of one translation unit.
#[derive(Clone, Debug)]
pub struct Objects {
    /// The host program; a CUDA file has it among its kernels.
    pub host: Option<PathBuf>,
    /// Kernels and launchers.
    pub kernels: PathBuf,
}

impl Objects {
    /// The same objects under other names, so that the unit can be compiled in another way, too.
    ///
    /// # Errors
    /// When they cannot be renamed.
    pub fn set_aside(self) -> Result<Self, Failure> {
        let aside = |path: PathBuf| {
            let other = path.with_extension("aside.o");
            fs::rename(&path, &other).map_err(|error| unwritable(&other, &error))?;
            Ok::<_, Failure>(other)
        };
        Ok(Self {
            host: self.host.map(aside).transpose()?,
            kernels: aside(self.kernels)?,
        })
    }
}

/// Whether a file is CUDA C++ and not C: its launches and kernels are the
/// user's own, and there is nothing to translate.
pub fn is_cuda(source: &Path) -> bool {
    let suffix = source.extension();
    suffix.is_some_and(|suffix| suffix == "cu" || suffix == "mcu")
}

/// What is built and where.
#[derive(Clone, Copy, Debug)]
pub struct Unit<'a> {
    /// The user's file.
    pub source: &'a Path,
    /// Its name without the suffix.
    pub name: &'a str,
    /// A temporary folder of its own.
    pub folder: &'a Path,
}

/// Compiles both generated files.
///
/// # Errors
/// When a compiler rejects one; its messages have been shown.
pub fn compile(
    unit: Unit,
    translation: &Translation,
    flags: &UnitFlags,
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
) -> Result<Objects, Failure> {
    let host = unit.folder.join(format!("{}.acc.c", unit.name));
    write(&host, &translation.host)?;
    let kernels = write_kernels(unit, &translation.kernels, compilers.device())?;
    let host_object = unit.folder.join("host.o");
    let kernel_object = unit.folder.join("kernels.o");
    let mut host_command = host_command(unit, flags, compilers, runtime);
    compile_to(&mut host_command, &host, &host_object);
    let mut kernel_command = compilers.kernel_source(&runtime.include(), flags);
    if let Some(folder) = runtime.parsed_header() {
        kernel_command.arg("-iquote").arg(folder);
    }
    compile_to(&mut kernel_command, &kernels, &kernel_object);
    let (host_result, kernel_result) = thread::scope(|scope| {
        let other = scope.spawn(|| process::capture(&mut kernel_command, b"", Some(unit.folder)));
        let host_result = process::capture(&mut host_command, b"", Some(unit.folder));
        (host_result, other.join())
    });
    judge(&host_result?, "C", compilers.c().path.as_os_str(), unit)?;
    let kernel_result = kernel_result.map_err(|_| {
        let message = "the thread that compiles the kernels failed";
        Failure::environment(codes::INTERNAL, message)
    })?;
    judge(
        &kernel_result?,
        "kernel",
        compilers.kernel_compiler().as_os_str(),
        unit,
    )?;
    Ok(Objects {
        host: Some(host_object),
        kernels: kernel_object,
    })
}

/// Compiles a CUDA file: as it is for a GPU, unless launches of it are tuned; for the
/// emulation with its launches as calls.
///
/// # Errors
/// When it cannot be read, or the compiler rejects it and has said why.
pub fn compile_cuda(
    unit: Unit,
    flags: &UnitFlags,
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
    reporter: Reporter,
) -> Result<Objects, Failure> {
    let object = unit.folder.join("kernels.o");
    let file = CudaFile::read(unit.source, &flags.host, false, reporter)?;
    reporter.emit(&file.keeps_memory(flags.memory), &Nowhere);
    let mut command = compilers.cuda_source(&runtime.include(), &runtime.emulated_headers(), flags);
    match compilers.device() {
        Device::Gpu if !file.is_changed() => compile_to(&mut command, unit.source, &object),
        Device::Gpu => {
            let tuned = unit.folder.join(format!("{}.cu", unit.name));
            write(&tuned, &file.with_lines())?;
            command.arg("-I").arg(beside(unit.source));
            compile_to(&mut command, &tuned, &object);
        }
        Device::Emulated | Device::Multicore => {
            let rewritten = unit.folder.join(format!("{}.cpp", unit.name));
            write(&rewritten, &file.emulated(&flags.host, unit.folder)?)?;
            command.arg("-iquote").arg(beside(unit.source));
            compile_to(&mut command, &rewritten, &object);
        }
    }
    let output = process::capture(&mut command, b"", None)?;
    pass_on(&output);
    if !output.status.success() {
        return Err(Failure::Reported);
    }
    Ok(Objects {
        host: None,
        kernels: object,
    })
}

/// A program of one file calls no routine of another one.
///
/// # Errors
/// When it does.
pub fn check_whole(translation: &Translation) -> Result<(), Failure> {
    let Some(name) = translation.sharing.imports.first() else {
        return Ok(());
    };
    let message = format!("the routine `{name}` is in another file");
    Err(Diagnostic::global(codes::ROUTINE_MISSING, message)
        .help("build programs of several files with `accrs cc`")
        .into())
}

/// The C compiler with all flags but input and output.
fn host_command(
    unit: Unit,
    flags: &UnitFlags,
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
) -> Command {
    let mut command = compilers.c().command();
    command.arg("-iquote").arg(beside(unit.source));
    if compilers.device() == Device::Emulated {
        // What the emulation's results are compared with is often here.
        command.arg(KEEP_CALLS);
        let [cuda, _] = runtime.emulated_headers();
        command.arg("-idirafter").arg(cuda);
    }
    command
        .args(&flags.host)
        .args(compilers.watch_host_flags())
        .args(compilers.openmp())
        .arg(OPENACC)
        .arg(KNOWN_PRAGMAS)
        .arg("-isystem")
        .arg(runtime.include());
    command
}

/// Writes the kernels as their compiler reads them.
fn write_kernels(unit: Unit, text: &str, device: Device) -> Result<PathBuf, Failure> {
    let path = unit.folder.join(match device {
        Device::Emulated | Device::Multicore => format!("{}.acc.cpp", unit.name),
        Device::Gpu => format!("{}.acc.cu", unit.name),
    });
    match device {
        Device::Emulated | Device::Multicore => {
            write(&path, &launches::rewrite_generated(text.as_bytes()))?
        }
        Device::Gpu => write(&path, text.as_bytes())?,
    }
    Ok(path)
}

fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    fs::write(path, contents).map_err(|error| unwritable(path, &error))
}

/// Passes on what a compiler said; an error if it failed.
fn judge(output: &ToolOutput, kind: &str, program: &OsStr, unit: Unit) -> Result<(), Failure> {
    pass_on(output);
    if output.status.success() {
        return Ok(());
    }
    let source = unit.source.display();
    let message = format!("the {kind} compiler rejects the translation of `{source}`");
    let diagnostic = Diagnostic::global(codes::GENERATED_CODE, message)
        .note(format!(
            "the messages above are from `{}`",
            program.to_string_lossy()
        ))
        .help("if they are not about your own code, please report this with the file");
    Err(Failure::input(diagnostic))
}

/// Copies a tool's output to standard error.
pub fn pass_on(output: &ToolOutput) {
    use std::io::Write as _;
    let mut error = std::io::stderr().lock();
    // A closed standard error leaves no one to tell.
    let _ = error
        .write_all(&output.stdout)
        .and_then(|()| error.write_all(&output.stderr));
}
