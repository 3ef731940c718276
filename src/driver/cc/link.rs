//! Linking: translated sources, objects and libraries to one program.
//!
//! The inputs are searched for names of the runtime: one that has none is
//! linked as ever, by the host compiler in our place. Objects of `accrs cc`
//! carry a reference to the runtime of their device, by which mixed devices
//! are found before the linker complains about a symbol.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::arguments::{Invocation, Role, Word};
use super::scan::Kind;
use super::{Compilation, Session, object};
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::compilers::Compilers;
use crate::driver::device::Device;
use crate::driver::device_link::{self, Parts};
use crate::driver::failure::{Failure, Success};
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::memory::Memory;
use crate::driver::process;
use crate::driver::runtime_library::{self, RuntimeLibrary, device_symbol};

/// What the inputs of a link have to do with the runtime.
#[derive(Debug, Default)]
struct Needs {
    /// Some input refers to it.
    runtime: bool,
    /// A shared library among the inputs uses the shared runtime.
    shared: bool,
    /// The host's cores share constructs of some input.
    cores: bool,
    /// The device that marked objects are for, and the first of them.
    device: Option<(Device, PathBuf)>,
    /// Their memory, likewise.
    memory: Option<(Memory, PathBuf)>,
}

/// Links what the command line says.
///
/// # Errors
/// When a source is not translated, devices are mixed, or the linker fails.
pub(super) fn link(compilation: &Compilation) -> Result<Success, Failure> {
    let translated = compilation.translated();
    let needs = needs(compilation)?;
    let calls = compilation
        .sources
        .iter()
        .any(|source| source.kind == Kind::Calls);
    if translated.is_empty() && !needs.runtime && !calls {
        return compilation.pass_through();
    }
    let invocation = compilation.invocation;
    let marked = needs.device.as_ref().map(|(device, _)| *device);
    let compilers = Compilers::find(
        invocation.device.or(marked),
        &invocation.options.archs,
        &Session::variable,
    )?
    .sharing_cores(invocation.options.multicore || needs.cores)?;
    check_device(&needs, compilers.device())?;
    check_memory(&needs, invocation, !translated.is_empty())?;
    let mut folders: Vec<TemporaryFolder> = Vec::new();
    let mut objects = Vec::new();
    for source in translated {
        let folder = TemporaryFolder::new()?;
        let made = object::make(compilation, source, &compilers, folder.path())?;
        super::depfile_of_link(compilation, source, &compilers, folder.path())?;
        objects.push((source.word, made));
        folders.push(folder);
    }
    let link = Link {
        compilation,
        compilers: &compilers,
        objects: &objects,
        shared: invocation.shared || needs.shared,
    };
    let parts = Parts::find(inputs(compilation, &objects));
    if !parts.any() {
        return link.finish(link.command(true)?);
    }
    if invocation.joins() {
        parts.check_joining()?;
        return link.finish(link.command(true)?);
    }
    let folder = TemporaryFolder::new()?;
    let device = parts.link(&compilers, || link.command(false), folder.path())?;
    let runtime = runtime_library::ready(&compilers, &Session::variable)?;
    let mut command = link.command(true)?;
    // Their own place is last: what announces a file refers to it.
    command.arg(device).arg(runtime.linked_mark());
    link.finish(command)
}

/// The files that the host's linker is given, with the objects made of sources in their places.
fn inputs(compilation: &Compilation, made: &[(usize, PathBuf)]) -> Vec<PathBuf> {
    let folders = library_folders(compilation);
    let words = compilation.invocation.words.iter().enumerate();
    let file = |(index, word): (usize, &Word)| {
        let source = made.iter().find(|(source, _)| *source == index);
        match (&word.role, source) {
            (_, Some((_, object))) => Some(object.clone()),
            (Role::Input(path), None) => Some(path.clone()),
            (Role::Library(name), None) => library_file(&folders, name),
            _ => None,
        }
    };
    words.filter_map(file).collect()
}

/// The host's link of a program.
struct Link<'a> {
    compilation: &'a Compilation<'a>,
    compilers: &'a Compilers,
    /// Of the translated sources.
    objects: &'a [(usize, PathBuf)],
    /// With the shared runtime.
    shared: bool,
}

impl Link<'_> {
    /// All of it, but for the output if another one is added.
    fn command(&self, with_output: bool) -> Result<Command, Failure> {
        let mut command = self.compilation.host_command()?;
        command.args(object::replaced(
            self.compilation,
            self.objects,
            with_output,
        ));
        // After `-x c` a library would be read as C.
        command.args(["-x", "none"]);
        if !self.compilation.invocation.bare_link {
            let runtime = runtime_library::ready(self.compilers, &Session::variable)?;
            command.args(libraries(self.compilers, &runtime, self.shared));
        }
        Ok(command)
    }

    fn finish(&self, mut command: Command) -> Result<Success, Failure> {
        let output = process::capture(&mut command, b"", None)?;
        device_link::pass_on(&output);
        if output.status.success() {
            return Ok(Success::Done);
        }
        let missing = device_link::explained(&output);
        Err(missing.unwrap_or(Failure::Tool(output.code())))
    }
}

/// `--print-libs`: what another linker has to be given.
///
/// # Errors
/// When the runtime cannot be built.
pub(super) fn print_libraries(
    session: Session,
    invocation: &Invocation,
) -> Result<Success, Failure> {
    let archs = &invocation.options.archs;
    let compilers = Compilers::find(invocation.device, archs, &Session::variable)?
        .sharing_cores(invocation.options.multicore)?;
    let runtime = runtime_library::ready(&compilers, &Session::variable)?;
    let words = libraries(&compilers, &runtime, invocation.shared);
    let quoted = words.iter().map(|word| {
        let text = word.to_string_lossy();
        shlex::try_quote(&text).map_or_else(|_| text.to_string(), std::borrow::Cow::into_owned)
    });
    session.print(quoted.collect::<Vec<_>>().join(" ") + "\n")?;
    Ok(Success::Done)
}

/// The runtime and what it needs. One process has one runtime: programs that
/// use shared libraries with OpenACC share theirs.
fn libraries(compilers: &Compilers, runtime: &RuntimeLibrary, shared: bool) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    if shared {
        let mut search = OsString::from("-Wl,-rpath,");
        search.push(runtime.folder());
        words.extend([runtime.shared().into_os_string(), search]);
    } else {
        words.push(runtime.archive().into_os_string());
    }
    // Launchers need it as well as the runtime.
    words.push(compilers.cxx_library());
    words.extend(compilers.openmp().map(OsString::from));
    words.extend(compilers.libraries());
    words
}

/// Searches all inputs.
fn needs(compilation: &Compilation) -> Result<Needs, Failure> {
    let mut needs = Needs::default();
    let words = &compilation.invocation.words;
    let folders = library_folders(compilation);
    for word in words {
        match &word.role {
            Role::Input(path) => needs.look_at(path)?,
            Role::Library(name) => {
                if let Some(path) = library_file(&folders, name) {
                    needs.look_at(&path)?;
                }
            }
            _ => {}
        }
    }
    Ok(needs)
}

/// The folders of `-L`.
pub(super) fn library_folders<'a>(compilation: &'a Compilation) -> Vec<&'a PathBuf> {
    let words = compilation.invocation.words.iter();
    let folder = |word: &'a Word| match &word.role {
        Role::LibraryFolder(folder) => Some(folder),
        _ => None,
    };
    words.filter_map(folder).collect()
}

/// The file of `-l` in the user's `-L` folders; those of the system have none
/// of ours.
pub(super) fn library_file(folders: &[&PathBuf], name: &OsString) -> Option<PathBuf> {
    let text = name.to_string_lossy();
    let names = match text.strip_prefix(':') {
        Some(file) => vec![file.to_owned()],
        None => vec![format!("lib{text}.so"), format!("lib{text}.a")],
    };
    let candidates = folders
        .iter()
        .flat_map(|folder| names.iter().map(|name| folder.join(name)));
    candidates.into_iter().find(|path| path.is_file())
}

impl Needs {
    /// Searches one input for names of the runtime.
    fn look_at(&mut self, path: &Path) -> Result<(), Failure> {
        // The linker says of a missing file what it always says.
        let Ok(bytes) = std::fs::read(path) else {
            return Ok(());
        };
        let has = |name: &str| memchr::memmem::find(&bytes, name.as_bytes()).is_some();
        self.runtime |= has("accrs_") || has("acc_");
        self.shared |= has("libaccrs.so");
        self.cores |= has("accrs_multicore");
        for device in [Device::Emulated, Device::Gpu] {
            if !has(&device_symbol(device)) {
                continue;
            }
            match (Memory::of_object(&bytes), &self.memory) {
                (Some(memory), Some((other, first))) if *other != memory => {
                    let first = format!("`{}`", first.display());
                    return Err(mixed_memory(path, memory, &first, *other));
                }
                (Some(memory), None) => self.memory = Some((memory, path.to_owned())),
                _ => {}
            }
            match &self.device {
                Some((other, first)) if *other != device => {
                    return Err(mixed(path, device, first, *other));
                }
                Some(_) => {}
                None => self.device = Some((device, path.to_owned())),
            }
        }
        Ok(())
    }
}

/// The objects' device is the one that is asked for.
fn check_device(needs: &Needs, wanted: Device) -> Result<(), Failure> {
    match &needs.device {
        Some((device, path)) if *device != wanted => {
            let message = format!(
                "`{}` is built for the device `{}`, the program for `{}`",
                path.display(),
                device.name(),
                wanted.name()
            );
            Err(Diagnostic::global(codes::MIXED_TARGETS, message)
                .help(MIXED_HELP)
                .into())
        }
        _ => Ok(()),
    }
}

/// The objects' memory is that of what is translated here, and what is asked for.
fn check_memory(needs: &Needs, invocation: &Invocation, translates: bool) -> Result<(), Failure> {
    let wanted = invocation.options.memory;
    match &needs.memory {
        Some((memory, path)) if *memory != wanted && (translates || wanted.is_unified()) => {
            Err(mixed_memory(path, *memory, "the program", wanted))
        }
        _ => Ok(()),
    }
}

/// Two inputs for different kinds of memory.
fn mixed_memory(path: &Path, memory: Memory, other: &str, of_other: Memory) -> Failure {
    let message = format!(
        "`{}` is built for {} memory, but {other} for {} memory",
        path.display(),
        memory.name(),
        of_other.name()
    );
    Diagnostic::global(codes::MIXED_TARGETS, message)
        .help("compile all files again with the same `--memory`, or `-gpu=unified` and the like")
        .into()
}

const MIXED_HELP: &str = "compile all files again with the same `--device` or ACC_DEVICE_TYPE";

/// Two inputs for different devices.
fn mixed(path: &Path, device: Device, first: &Path, other: Device) -> Failure {
    let message = format!(
        "`{}` is built for the device `{}`, but `{}` for `{}`",
        path.display(),
        device.name(),
        first.display(),
        other.name()
    );
    Diagnostic::global(codes::MIXED_TARGETS, message)
        .help(MIXED_HELP)
        .into()
}
