//! What nvcc makes of generated kernels: registers, shared memory, spills.
//!
//! Input: a translation and architectures. Output: [`Resources`] of every
//! kernel on each, as ptxas reports them. Nothing is linked, and no GPU is
//! needed. A report is kept in the user's cache under the hash of all that it
//! depends on, so that a file that did not change is not compiled again. The
//! same with the machine code itself, as nvdisasm shows it: [`MachineCode`].

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use sha2::{Digest as _, Sha256};

use super::arch::{Arch, explicit_flags};
use super::cache;
use super::compilers::nvcc_flags;
use super::cuda_files::{CudaFile, beside};
use super::failure::Failure;
use super::interrupt::TemporaryFolder;
use super::output::unwritable;
use super::process;
use super::render::Reporter;
use super::runtime_library;
use super::toolchain::{self, Nvcc};
use super::variables::Variables;
use crate::analysis::occupancy::Resources;
use crate::back::Sharing;
use crate::diagnostic::{Diagnostic, codes};

/// The folder of the cache that reports are kept in.
const FOLDER: &str = "ptxas";

/// Has nvcc compile the kernels and reads what ptxas says of them.
///
/// # Errors
/// When there is no nvcc, or it rejects the kernels.
pub fn count(
    kernels: &str,
    sharing: &Sharing,
    archs: &[Arch],
    variables: Variables,
) -> Result<Vec<Resources>, Failure> {
    let nvcc = toolchain::nvcc(variables)?;
    let mut command = compiler(&nvcc, archs, variables)?;
    if sharing.is_any() {
        command.arg("-rdc=true");
    }
    let version = nvcc.tool.version().unwrap_or_default();
    let kept = kept_report(&command, &version, kernels, variables);
    if let Some(report) = kept
        .as_deref()
        .and_then(|path| fs::read_to_string(path).ok())
    {
        return Ok(read(&report));
    }
    let folder = TemporaryFolder::new()?;
    let source = folder.path().join("kernels.cu");
    fs::write(&source, kernels).map_err(|error| unwritable(&source, &error))?;
    let report = compile(&mut command, &source, folder.path())?;
    if let Some(path) = kept {
        // A report that cannot be kept is made again.
        let _ = keep(&path, &report);
    }
    Ok(read(&report))
}

/// The same of a CUDA file that a person wrote. Its report is not kept, since it
/// depends on headers that are not known here.
///
/// # Errors
/// When there is no nvcc, or it rejects the file.
pub fn count_file(
    source: &Path,
    flags: &[OsString],
    archs: &[Arch],
    variables: Variables,
) -> Result<Vec<Resources>, Failure> {
    let nvcc = toolchain::nvcc(variables)?;
    let mut command = compiler(&nvcc, archs, variables)?;
    let folder = TemporaryFolder::new()?;
    let source = written(source, flags, &mut command, folder.path())?;
    Ok(read(&compile(&mut command, &source, folder.path())?))
}

/// A CUDA file that a person wrote as nvcc is to get it, with what else it needs.
fn written(
    source: &Path,
    flags: &[OsString],
    command: &mut Command,
    scratch: &Path,
) -> Result<PathBuf, Failure> {
    command.args(nvcc_flags(flags));
    let file = CudaFile::read(source, flags, false, Reporter::silent())?;
    if !file.is_changed() {
        return Ok(source.to_owned());
    }
    let translated = scratch.join("kernels.cu");
    fs::write(&translated, file.with_lines()).map_err(|error| unwritable(&translated, &error))?;
    command.arg("-I").arg(beside(source));
    Ok(translated)
}

/// What nvcc makes of the kernels of a file for one architecture.
#[derive(Clone, Debug)]
pub struct MachineCode {
    /// Each kernel's mangled name and what it needs.
    pub resources: Vec<(String, Resources)>,
    /// All sections, as nvdisasm prints them.
    pub disassembly: String,
}

/// Kernels whose machine code is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Kernels<'k> {
    /// Of a translation.
    Generated(&'k str, &'k Sharing),
    /// Of a CUDA file that a person wrote, with its flags.
    Written(&'k Path, &'k [OsString]),
}

/// Has nvcc compile kernels, and nvdisasm show what it made.
///
/// # Errors
/// When one of the two is missing, or nvcc rejects the kernels.
pub fn machine_code(
    kernels: Kernels,
    arch: Arch,
    variables: Variables,
) -> Result<MachineCode, Failure> {
    let nvcc = toolchain::nvcc(variables)?;
    let disassembler = toolchain::disassembler(&nvcc, variables)?;
    let mut command = bare_compiler(&nvcc, variables)?;
    command.args(["-cubin".to_owned(), format!("-arch=sm_{}", arch.0)]);
    let folder = TemporaryFolder::new()?;
    let source = match kernels {
        Kernels::Generated(text, sharing) => {
            command.args(sharing.is_any().then_some("-rdc=true"));
            let source = folder.path().join("kernels.cu");
            fs::write(&source, text).map_err(|error| unwritable(&source, &error))?;
            source
        }
        Kernels::Written(source, flags) => written(source, flags, &mut command, folder.path())?,
    };
    let report = compile(&mut command, &source, folder.path())?;
    let mut command = disassembler.command();
    command.arg(folder.path().join(COMPILED));
    let output = process::capture(&mut command, b"", None)?;
    if !output.status.success() {
        let message = "nvdisasm cannot read what nvcc made";
        return Err(Diagnostic::global(codes::NO_NVCC, message)
            .note(output.text())
            .into());
    }
    Ok(MachineCode {
        resources: read_symbols(&report),
        disassembly: output.text(),
    })
}

/// What nvcc is to write, in a folder that goes.
const COMPILED: &str = "kernels.compiled";

/// nvcc with all arguments but input and output.
fn compiler(nvcc: &Nvcc, archs: &[Arch], variables: Variables) -> Result<Command, Failure> {
    let mut command = bare_compiler(nvcc, variables)?;
    command.arg("-fatbin").args(explicit_flags(archs));
    Ok(command)
}

/// The same without architectures and the kind of output.
fn bare_compiler(nvcc: &Nvcc, variables: Variables) -> Result<Command, Failure> {
    let mut command = nvcc.command();
    command.args(["-std=c++17", "-O2", "-Xptxas", "-v", "-ccbin"]);
    command.arg(&toolchain::cxx_compiler(variables)?.path);
    let [own, _] = runtime_library::headers(variables)?;
    command.arg("-I").arg(own);
    Ok(command)
}

/// Where the report of a compilation is, once it was made. The folder of the
/// runtime's headers, among the arguments, is named by their hash.
fn kept_report(
    command: &Command,
    version: &str,
    kernels: &str,
    variables: Variables,
) -> Option<PathBuf> {
    let mut hash = Sha256::new();
    for argument in command.get_args() {
        cache::add(&mut hash, argument.as_encoded_bytes());
    }
    cache::add(&mut hash, version.as_bytes());
    cache::add(&mut hash, kernels.as_bytes());
    let folder = cache::folder(variables)?.join(FOLDER);
    Some(folder.join(cache::digits(hash)))
}

/// Writes a report that is whole whenever it is there.
fn keep(path: &Path, report: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(report.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// What ptxas reports.
fn compile(command: &mut Command, source: &Path, scratch: &Path) -> Result<String, Failure> {
    command.arg("-o").arg(scratch.join(COMPILED));
    let output = process::capture(command.arg(source), b"", Some(scratch))?;
    if output.status.success() {
        return Ok(output.text());
    }
    let message = "nvcc rejects the kernels";
    Err(Diagnostic::global(codes::GENERATED_CODE, message)
        .note(output.text())
        .help("if this is not about your own code, please report it with the file")
        .into())
}

/// Reads what `-Xptxas -v` prints, in its order.
fn read(report: &str) -> Vec<Resources> {
    let all = read_symbols(report).into_iter();
    all.map(|(_, resources)| resources).collect()
}

/// The same with the kernels' mangled names.
fn read_symbols(report: &str) -> Vec<(String, Resources)> {
    let pattern = |text| Regex::new(text).expect("a constant pattern");
    let entry = pattern(r"Compiling entry function '([^']+)' for 'sm_(\d+)");
    let function = pattern(r"Function properties for (\S+)");
    let memory =
        pattern(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads");
    let used = pattern(r"Used (\d+) registers(?:, used (\d+) barriers)?");
    let shared = pattern(r"(\d+) bytes smem");
    let number = |text: Option<regex::Match>| -> u64 {
        text.and_then(|text| text.as_str().parse().ok())
            .unwrap_or(0)
    };
    let small = |text: Option<regex::Match>| u32::try_from(number(text)).unwrap_or(u32::MAX);
    let mut all: Vec<(String, Resources)> = Vec::new();
    let mut is_own = false;
    for line in report.lines() {
        if let Some(found) = entry.captures(line) {
            let resources = Resources {
                kernel: plain_name(&found[1]),
                arch: u16::try_from(number(found.get(2))).unwrap_or(0),
                registers: 0,
                barriers: 0,
                shared: 0,
                stack: 0,
                spills: 0,
            };
            all.push((found[1].to_owned(), resources));
        }
        let Some((symbol, last)) = all.last_mut() else {
            continue;
        };
        if let Some(found) = function.captures(line) {
            is_own = found[1] == **symbol;
        } else if let (Some(found), true) = (memory.captures(line), is_own) {
            last.stack = number(found.get(1));
            last.spills = number(found.get(2)) + number(found.get(3));
        } else if let Some(found) = used.captures(line) {
            last.registers = small(found.get(1));
            last.barriers = small(found.get(2));
            last.shared = number(shared.captures(line).and_then(|found| found.get(1)));
        }
    }
    all
}

/// The last name of `_ZN10matmul_acc15multiply_kernelEiii`, and of
/// `_Z8multiplyiii`, which is in no namespace, or `_ZL8multiplyiii`, which is
/// static; `copy<4>` of `_Z4copyILi4EEvPf`, `step<long>` of `_ZN1a4stepIlEEvT_`,
/// but `step` of `_ZN1a4stepIiEEvT_`; a name that is not mangled is itself.
fn plain_name(symbol: &str) -> String {
    let Some(mangled) = symbol.strip_prefix("_Z") else {
        return symbol.to_owned();
    };
    let Some(nested) = mangled.strip_prefix('N') else {
        let own = counted_name(mangled.strip_prefix('L').unwrap_or(mangled));
        return own.map_or_else(
            || symbol.to_owned(),
            |(name, behind)| name.to_owned() + &numbers(behind),
        );
    };
    let mut rest = nested.strip_prefix('L').unwrap_or(nested);
    let mut last = symbol;
    while let Some((name, behind)) = counted_name(rest) {
        (last, rest) = (name, behind);
    }
    // One text for `int` and `long` indices: the first one has the kernel's name.
    match rest.starts_with("IlE") {
        true => format!("{last}<long>"),
        false => last.to_owned(),
    }
}

/// `copy` of `4copyPf`, and what is behind.
fn counted_name(text: &str) -> Option<(&str, &str)> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length: usize = text[..digits].parse().ok()?;
    text[digits..].split_at_checked(length)
}

/// `<4, 2>` of the arguments `ILi4ELi2EE` of a template; nothing of others.
fn numbers(text: &str) -> String {
    let Some((arguments, _)) = text
        .strip_prefix('I')
        .and_then(|text| text.split_once("EE"))
    else {
        return String::new();
    };
    let number = |argument: &str| {
        let digits = argument.strip_prefix('L')?.get(1..)?;
        digits.parse::<u64>().ok().map(|number| number.to_string())
    };
    let numbers: Option<Vec<String>> = arguments.split('E').map(number).collect();
    numbers.map_or_else(String::new, |numbers| format!("<{}>", numbers.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN14jacobi_fcw_acc12relax_kernelEiilPKflPfS2_N5accrs5RangeE' for 'sm_90'
ptxas info    : Function properties for _ZN14jacobi_fcw_acc12relax_kernelEiilPKflPfS2_N5accrs5RangeE
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 31 registers, used 1 barriers, 1488 bytes smem
ptxas info    : Function properties for another
    99 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '_ZN5accrs16combine_partialsINS_3MaxEfEEvPKT0_mS2_bPS2_' for 'sm_75'
ptxas info    : Function properties for _ZN5accrs16combine_partialsINS_3MaxEfEEvPKT0_mS2_bPS2_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 22 registers, 384 bytes cmem[0]
";

    #[test]
    fn a_report_is_read() {
        let found = read(REPORT);
        let first = Resources {
            kernel: "relax_kernel".to_owned(),
            arch: 90,
            registers: 31,
            barriers: 1,
            shared: 1488,
            stack: 16,
            spills: 20,
        };
        assert_eq!(found[0], first);
        let second = &found[1];
        assert_eq!(
            (
                second.kernel.as_str(),
                second.arch,
                second.registers,
                second.shared,
                second.barriers
            ),
            ("combine_partials", 75, 22, 0, 0)
        );
        assert!(read("").is_empty());
    }

    #[test]
    fn names_without_their_types() {
        let names = [
            ("main", "main"),
            ("_ZN", "_ZN"),
            ("_ZN9abE", "_ZN9abE"),
            ("_ZN2ab9", "ab"),
            ("_Z8multiply3run", "multiply"),
            ("_ZL3addILi4EEvPf", "add<4>"),
            ("_Zab", "_Zab"),
            ("_Z4copyiPf", "copy"),
            ("_Z4copyILi4EEvPf", "copy<4>"),
            ("_Z4copyILi4ELb1EEvPf", "copy<4, 1>"),
            ("_Z4copyIfEvPT_", "copy"),
            ("_ZN5a_acc11step_kernelIiEEvT_PKf", "step_kernel"),
            ("_ZN5a_acc11step_kernelIlEEvT_PKf", "step_kernel<long>"),
            ("_Z9ab", "_Z9ab"),
        ];
        for (symbol, name) in names {
            assert_eq!(plain_name(symbol), name);
        }
    }
}
