//! Programs that are built in a temporary folder and run there.
//!
//! Input: the C and CUDA files of a program, and the compilers for a device. Output: an
//! executable file; where a watcher is linked in (`check --dynamic`, `run
//! --counts`) with debugging information, and from places in its code to lines
//! of the user's files.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::build::{self, Objects, Unit, UnitFlags};
use super::compilers::{Compilers, Given, LINE_INFO, Watcher};
use super::device_link::{self, Parts};
use super::failure::Failure;
use super::interrupt::{self, TemporaryFolder};
use super::linked::Linked;
use super::other_language::OtherLanguage;
use super::output::unwritable;
use super::pipeline::{self, Options, Task, Translation, Unassigned};
use super::process;
use super::runtime_library::{self, RuntimeLibrary};
use super::session::Session;
use super::translate::stem;
use crate::diagnostic::{Diagnostic, codes};

/// Calls that watchers see by having the linker redirect them.
const WRAPPED: [&str; 3] = ["memcpy", "memmove", "memset"];

/// Those that the checks see besides: the host's allocations, and what reads or writes many bytes.
const WRAPPED_FOR_CHECKS: [&str; 10] = [
    "malloc",
    "calloc",
    "realloc",
    "aligned_alloc",
    "posix_memalign",
    "free",
    "fread",
    "fwrite",
    "read",
    "write",
];

/// A file and a line in it, from 1.
pub type Frame = (PathBuf, usize);

/// A built program; it goes with its folder.
pub struct Program {
    folder: TemporaryFolder,
    runtime: RuntimeLibrary,
    /// The executable file.
    pub path: PathBuf,
    /// Variables of its kernels that may be read before they have a value. They have a pattern of
    /// bits then; asked for by the checks only, and where the compiler can be asked for that.
    pub unassigned: Vec<Unassigned>,
    /// If there are any, the same program with zeros in these.
    pub with_zeros: Option<PathBuf>,
}

impl Program {
    /// Builds what a command line names.
    ///
    /// # Errors
    /// As [`Program::build`]; when an object is for another device, or a watcher would not see its kernels.
    pub(super) fn build_linked(
        session: Session,
        compilers: &Compilers,
        linked: &Linked,
        options: &Options,
    ) -> Result<Self, Failure> {
        linked.check(compilers, options.memory)?;
        let Linked {
            sources, others, ..
        } = linked;
        Self::build(session, compilers, sources, others, options)
    }

    /// Translates, compiles and links the files of a program; CUDA files, and C++ files beside them,
    /// need no translation.
    ///
    /// # Errors
    /// When it is not translated or built, or a compiler is missing.
    pub fn build(
        session: Session,
        compilers: &Compilers,
        files: &[PathBuf],
        libraries: &[OsString],
        options: &Options,
    ) -> Result<Self, Failure> {
        let folder = TemporaryFolder::new()?;
        let runtime = runtime_library::ready(compilers, &Session::variable)?;
        let asks = compilers.watcher() == Some(Watcher::Checks) && compilers.gives_values();
        let mut objects = Vec::new();
        let mut objects_with_zeros = Vec::new();
        let mut unassigned = Vec::new();
        // Libraries of the system have no device code.
        let is_library = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
        let is_alone = files.len() == 1 && libraries.iter().all(is_library);
        for (number, file) in files.iter().enumerate() {
            let own = folder.path().join(format!("unit{number}.d"));
            fs::create_dir(&own).map_err(|error| unwritable(&own, &error))?;
            let unit = Unit {
                source: file,
                name: &stem(file)?,
                folder: &own,
            };
            let mut flags = flags(options);
            if is_of_cuda(file, files) {
                objects.push(build::compile_cuda(
                    unit,
                    &flags,
                    compilers,
                    &runtime,
                    session.reporter,
                )?);
                objects_with_zeros.extend(objects.last().cloned());
                continue;
            }
            let translation = translate(session, unit, options, compilers)?;
            if is_alone {
                build::check_whole(&translation)?;
            }
            flags.relocatable = !is_alone && translation.sharing.is_any();
            let objects_of =
                |flags: &UnitFlags| build::compile(unit, &translation, flags, compilers, &runtime);
            if asks && !translation.unassigned.is_empty() {
                let own = flags.kernels.clone();
                flags.kernels.extend(compilers.given(Given::Zero));
                let with_zeros = objects_of(&flags)?.set_aside()?;
                objects_with_zeros.push(with_zeros);
                flags.kernels = own;
                flags.kernels.extend(compilers.given(Given::Pattern));
                objects.push(objects_of(&flags)?);
                unassigned.extend(translation.unassigned);
            } else {
                objects.push(objects_of(&flags)?);
                objects_with_zeros.extend(objects.last().cloned());
            }
        }
        let name = match files.first() {
            Some(first) => stem(first)?,
            None => "program".to_owned(),
        };
        // Apart from what runs write, whatever its name.
        let own = folder.path().join("program.d");
        fs::create_dir(&own).map_err(|error| unwritable(&own, &error))?;
        let path = own.join(name);
        link(&path, &objects, libraries, compilers, &runtime)?;
        let with_zeros = (!unassigned.is_empty()).then(|| folder.path().join("with_zeros.d"));
        if let Some(path) = &with_zeros {
            link(path, &objects_with_zeros, libraries, compilers, &runtime)?;
        }
        Ok(Self {
            folder,
            runtime,
            path,
            unassigned,
            with_zeros,
        })
    }

    /// Where the program is, and what it writes can be.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The inlined calls at each place of the code of one of its executable files, innermost first, without
    /// those of the runtime; none without `addr2line`, which reads the
    /// debugging information.
    pub fn own_frames(
        &self,
        program: &Path,
        sites: &BTreeSet<u64>,
    ) -> Option<Vec<(u64, Vec<Frame>)>> {
        let mut all = frames(program, sites)?;
        for (_, frames) in &mut all {
            frames.retain(|(path, _)| !path.starts_with(self.runtime.folder()));
        }
        Some(all)
    }
}

/// Translates a file; compilers will speak of the user's lines.
fn translate(
    session: Session,
    unit: Unit,
    options: &Options,
    compilers: &Compilers,
) -> Result<Translation, Failure> {
    let options = Options {
        line_marks: true,
        for_checks: compilers.watcher() == Some(Watcher::Checks),
        target: Some(compilers.target()),
        multicore: compilers.shares_cores(),
        ..options.clone()
    };
    let task = Task {
        c: Some(compilers.c()),
        options: &options,
        stage: None,
        reporter: session.reporter,
    };
    pipeline::translate(unit.source, task)?.files()
}

/// Whether a file of a program is CUDA, or C++ that belongs to it.
fn is_of_cuda(file: &Path, files: &[PathBuf]) -> bool {
    let is_cxx = OtherLanguage::of_file(file) == Some(OtherLanguage::Cxx);
    build::is_cuda(file) || is_cxx && files.iter().any(|file| build::is_cuda(file))
}

/// How both generated files are compiled.
fn flags(options: &Options) -> UnitFlags {
    let optimise = std::iter::once("-O2".into());
    UnitFlags {
        host: options
            .preprocessor
            .iter()
            .cloned()
            .chain(optimise)
            .collect(),
        device: options
            .line_marks
            .then(|| LINE_INFO.into())
            .into_iter()
            .collect(),
        memory: options.memory,
        ..UnitFlags::default()
    }
}

/// Links the program. With a watcher, marks around the kernels tell
/// which variables are theirs.
fn link(
    program: &Path,
    objects: &[Objects],
    libraries: &[OsString],
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
) -> Result<(), Failure> {
    let own = objects.iter().map(|objects| objects.kernels.clone());
    let parts = Parts::find(own.chain(libraries.iter().map(PathBuf::from)));
    let host = || host_link(objects, libraries, compilers, runtime);
    let mut command = host();
    if parts.any() {
        let folder = program.parent().unwrap_or(Path::new("."));
        command.arg(parts.link(compilers, || Ok(host()), folder)?);
        command.arg(runtime.linked_mark());
    }
    command.arg("-o").arg(program);
    let output = process::capture(&mut command, b"", program.parent())?;
    device_link::pass_on(&output);
    if output.status.success() {
        return Ok(());
    }
    let message = "the program does not link";
    let explained = device_link::explained(&output);
    Err(explained.unwrap_or_else(|| Failure::environment(codes::GENERATED_CODE, message)))
}

/// The host's link but for its output.
fn host_link(
    objects: &[Objects],
    libraries: &[OsString],
    compilers: &Compilers,
    runtime: &RuntimeLibrary,
) -> Command {
    let mut command = compilers.linker();
    command.args(objects.iter().filter_map(|objects| objects.host.as_ref()));
    let kernels = objects.iter().map(|objects| &objects.kernels);
    if let Some(watcher) = compilers.watcher() {
        let [before, after] = runtime.around_kernels();
        command.arg(before).args(kernels).arg(after);
        let checked: &[_] = match watcher {
            Watcher::Checks => &WRAPPED_FOR_CHECKS,
            Watcher::Counts => &[],
        };
        let wrapped = WRAPPED.iter().chain(checked);
        command.args(wrapped.map(|name| format!("-Wl,--wrap={name}")));
    } else {
        command.args(kernels);
    }
    command
        .args(libraries)
        .args(compilers.openmp())
        .arg(runtime.archive())
        .args(compilers.libraries());
    command
}

/// Runs a program that was built in a temporary folder.
///
/// # Errors
/// When it cannot be started.
pub fn run(command: &mut Command) -> Result<ExitStatus, Failure> {
    interrupt::run_program(command).map_err(|error| {
        let message = format!("cannot run the program: {error}");
        Diagnostic::global(codes::TOOL_NOT_RUNNABLE, message)
            .help("the folder for temporary files must allow programs; TMPDIR names another")
            .into()
    })
}

/// The inlined calls at each site, innermost first.
fn frames(program: &Path, sites: &BTreeSet<u64>) -> Option<Vec<(u64, Vec<Frame>)>> {
    let mut command = Command::new("addr2line");
    command.arg("-i").arg("-a").arg("-e").arg(program);
    // A site is where a call returns to: the call ends one byte before.
    command.args(sites.iter().map(|site| format!("{:#x}", site - 1)));
    let output = process::capture(&mut command, b"", None).ok()?;
    let has_worked = output.status.success();
    has_worked.then(|| parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads what `addr2line -i -a` prints: an address, then `FILE:LINE` for each
/// frame.
fn parse(text: &str) -> Vec<(u64, Vec<Frame>)> {
    let mut sites: Vec<(u64, Vec<Frame>)> = Vec::new();
    for line in text.lines() {
        if let Some(address) = line.strip_prefix("0x") {
            let address = u64::from_str_radix(address, 16).unwrap_or(0);
            sites.push((address + 1, Vec::new()));
        } else if let (Some((_, frames)), Some(frame)) = (sites.last_mut(), parse_frame(line)) {
            frames.push(frame);
        }
    }
    sites
}

/// `FILE:LINE` or `FILE:LINE (discriminator 3)`; none if the line is `?` or 0.
fn parse_frame(text: &str) -> Option<Frame> {
    let text = text.split_once(" (").map_or(text, |(frame, _)| frame);
    let (file, line) = text.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    Some((PathBuf::from(file), line))
}

/// What people call a kernel that a watcher names: without the namespace of the file.
pub fn short_name(kernel: &str) -> &str {
    let end = kernel.find('<').unwrap_or(kernel.len());
    kernel[..end]
        .rfind("::")
        .map_or(kernel, |colon| &kernel[colon + 2..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::embedded;

    #[test]
    fn frames_are_read() {
        let text = "0x0000000000001fff\n/x/reduce.hpp:3\na b.c:12 (discriminator 3)\n\
                    0x0000000000002fff\n??:0\n??:?\n";
        let expected = vec![
            (
                0x2000,
                vec![("/x/reduce.hpp".into(), 3), ("a b.c".into(), 12)],
            ),
            (0x3000, vec![]),
        ];
        assert_eq!(parse(text), expected);
    }

    #[test]
    fn the_calls_that_are_redirected_have_their_functions() {
        let is_of_checks = |name: &str| name.starts_with("watch/") || name.starts_with("checks/");
        let files = embedded::RUNTIME.iter();
        let texts = files
            .filter(|(name, _)| is_of_checks(name))
            .map(|(_, text)| std::str::from_utf8(text).expect("text"));
        let defined: BTreeSet<&str> = texts
            .flat_map(|text| text.split("__wrap_").skip(1))
            .filter_map(|rest| rest.split_once('('))
            .map(|(name, _)| name)
            .collect();
        let redirected = WRAPPED.iter().chain(&WRAPPED_FOR_CHECKS).copied();
        assert_eq!(defined, redirected.collect());
    }

    #[test]
    fn names_of_kernels_are_short() {
        assert_eq!(short_name("a_acc::main_kernel"), "main_kernel");
        assert_eq!(
            short_name("accrs::combine_partials<accrs::Sum, int>"),
            "combine_partials<accrs::Sum, int>"
        );
    }
}
