//! The runtime library, built once into the cache.
//!
//! Input: the sources that the binary carries and the compilers of this
//! machine. Output: a folder of the cache, named by a hash of the sources,
//! the compiler, the flags and the target, with the files below. Sources between
//! empty lines of `SOURCES` are compiled as one, since what they include takes
//! most of the time; objects are kept until the library is complete, so that a
//! build that was cut off goes on from there.
//!
//! | | |
//! |---|---|
//! | `include/` | headers of generated code and `openacc.h` |
//! | `libaccrs.a`, `libaccrs.so` | the library, static and shared |
//! | `mark.o` | a reference to the library's device; a part of every object of `cc` |
//! | `relocatable_mark.o`, `linked_mark.o` | a reference to, and the definition of, what the link of device code leaves |
//!
//! Beside it stands, for g++, the header of kernel files as it is after parsing,
//! which is most of what compiling a kernel file for the emulation takes. It is
//! an entry of its own, since it says where the headers are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest as _, Sha256};

use super::compilers::{Compilers, KERNEL_HEADER, Watcher, compile_to};
use super::device::Device;
use super::failure::Failure;
use super::output::unwritable;
use super::process;
use super::variables::Variables;
use super::{cache, embedded, side_by_side};
use crate::diagnostic::{Diagnostic, codes};

/// What a watched program has before and after its kernels.
const AROUND_KERNELS: [&str; 2] = ["kernels_begin", "kernels_end"];

/// Where the sources are that only watched programs have, whoever watches.
const WATCH: &str = "watch/";

/// Where CUDA's headers are as the emulation has them.
const EMULATED_HEADERS: &str = "emulation/headers";

/// What a program with device code of several files has once that is linked.
const LINK_SYMBOL: &str = "accrs_link_this_program_with_accrs_cc";

/// A built library.
#[derive(Clone, Debug)]
pub struct RuntimeLibrary {
    folder: PathBuf,
    parsed_header: Option<PathBuf>,
}

impl RuntimeLibrary {
    /// The headers that generated code and OpenACC programs include.
    pub fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    /// The folder in which the C++ compiler finds the header of kernel files
    /// already parsed, where it can read it so.
    pub fn parsed_header(&self) -> Option<&Path> {
        self.parsed_header.as_deref()
    }

    /// For CUDA files on the emulation: the folder of CUDA's headers as the
    /// emulation has them, and the one that nvcc includes before all others.
    pub fn emulated_headers(&self) -> [PathBuf; 2] {
        let folder = self.folder.join(EMULATED_HEADERS);
        let first = folder.join("before_all.hpp");
        [folder, first]
    }

    /// Where the shared library is.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The static library.
    pub fn archive(&self) -> PathBuf {
        self.folder.join("libaccrs.a")
    }

    /// The shared library.
    pub fn shared(&self) -> PathBuf {
        self.folder.join("libaccrs.so")
    }

    /// Objects that stand before and after the kernels in a watched program.
    pub fn around_kernels(&self) -> [PathBuf; 2] {
        AROUND_KERNELS.map(|name| self.folder.join(format!("{name}.o")))
    }

    /// The object of files that share device code: it refers to a symbol that
    /// only `accrs cc` defines, whose name says so to those who link it by
    /// another tool.
    pub fn relocatable_mark(&self) -> PathBuf {
        self.folder.join("relocatable_mark.o")
    }

    /// The object that defines that symbol, for programs whose device code has
    /// been linked.
    pub fn linked_mark(&self) -> PathBuf {
        self.folder.join("linked_mark.o")
    }

    /// The object that refers to the symbol of the library's device.
    pub fn mark(&self) -> PathBuf {
        self.folder.join("mark.o")
    }
}

/// The name of the symbol that only the library for `device` defines.
pub fn device_symbol(device: Device) -> String {
    format!("accrs_device_is_{}", device.name())
}

/// The files of the runtime that are compiled for a device, those that are compiled as one in
/// one list.
pub fn units(device: Device) -> Vec<Vec<&'static str>> {
    all_units()
        .filter(|unit| {
            let is_emulation = unit.iter().any(|file| file.starts_with("emulation/"));
            device == Device::Emulated || !is_emulation
        })
        .filter(|unit| !unit.iter().any(|file| is_watchers(file)))
        .collect()
}

/// Whether only watched programs have a file.
fn is_watchers(file: &str) -> bool {
    [WATCH, Watcher::Checks.folder(), Watcher::Counts.folder()]
        .iter()
        .any(|folder| file.starts_with(folder))
}

/// The lines of `SOURCES`, those between empty lines in one list.
fn all_units() -> impl Iterator<Item = Vec<&'static str>> {
    let list = embedded::RUNTIME
        .iter()
        .find(|(name, _)| *name == "SOURCES");
    let text = list
        .and_then(|(_, text)| std::str::from_utf8(text).ok())
        .unwrap_or_default();
    text.split("\n\n").map(|unit| unit.lines().collect())
}

/// The files that building needs: without documentation, tests and watchers.
pub fn files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let wanted = |name: &str| {
        name == "SOURCES"
            || ["include/", "src/", "emulation/"]
                .iter()
                .any(|folder| name.starts_with(folder))
    };
    embedded::RUNTIME
        .iter()
        .copied()
        .filter(move |(name, _)| wanted(name))
}

/// The files of all watchers.
fn watch_files() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    let files = embedded::RUNTIME.iter().copied();
    files.filter(|(name, _)| is_watchers(name))
}

/// The library for a device; built now if the cache does not have it.
///
/// # Errors
/// When there is no compiler or cache, or the library does not build.
pub fn ready(compilers: &Compilers, variables: Variables) -> Result<RuntimeLibrary, Failure> {
    let watcher = compilers.watcher();
    let kind = match watcher {
        Some(Watcher::Checks) => "checked",
        Some(Watcher::Counts) => "counted",
        None => compilers.device().name(),
    };
    let fingerprint = fingerprint(compilers);
    let name = format!("runtime-{kind}-{fingerprint}");
    let folder = cache::entry(variables, &name, |folder| match watcher {
        Some(watcher) => build_watched(watcher, compilers, folder),
        None => build(compilers, folder),
    })?;
    let parsed_header = compilers.header_parser(&folder.join("include"));
    let parsed_header = parsed_header.map(|mut command| {
        cache::entry(variables, &format!("header-{kind}-{fingerprint}"), |made| {
            command
                .arg("-o")
                .arg(made.join(format!("{KERNEL_HEADER}.gch")));
            succeed(compilers, made, &mut command)
        })
    });
    Ok(RuntimeLibrary {
        folder,
        parsed_header: parsed_header.transpose()?,
    })
}

/// The folders of `openacc.h`, and of CUDA's headers as the emulation has them, for
/// files without directives or kernels; needs no compiler.
///
/// # Errors
/// When there is no cache.
pub fn headers(variables: Variables) -> Result<[PathBuf; 2], Failure> {
    let is_header = |name: &str| {
        let of_emulation = name.starts_with("emulation/") && !name.ends_with(".cpp");
        name.starts_with("include/") || of_emulation
    };
    let headers: Vec<_> = files().filter(|(name, _)| is_header(name)).collect();
    let folder = cache::unpacked(variables, "headers", &headers)?;
    Ok(["include", EMULATED_HEADERS].map(|name| folder.join(name)))
}

/// A hash as part of a folder's name.
fn short(hash: Sha256) -> String {
    cache::digits(hash).chars().take(16).collect()
}

/// A hash of everything that the built files depend on.
fn fingerprint(compilers: &Compilers) -> String {
    let mut hash = Sha256::new();
    cache::add(&mut hash, env!("CARGO_PKG_VERSION").as_bytes());
    for (name, contents) in files().chain(watch_files()) {
        cache::add(&mut hash, name.as_bytes());
        cache::add(&mut hash, contents);
    }
    cache::add(&mut hash, compilers.identity().as_bytes());
    short(hash)
}

/// Writes the sources, compiles and archives them.
fn build(compilers: &Compilers, folder: &Path) -> Result<(), Failure> {
    write_sources(folder)?;
    let device = compilers.device();
    let symbol = device_symbol(device);
    write(
        &folder.join("device.cpp"),
        format!(
            "extern \"C\" const char {symbol}[];\nconst char {symbol}[] = \"{}\";\n",
            device.name()
        )
        .as_bytes(),
    )?;
    let mark = format!(
        "extern const char {symbol}[];\nstatic const char *const accrs_mark __attribute__((used)) = {symbol};\n"
    );
    let relocatable = format!(
        "extern const char {LINK_SYMBOL};\nstatic const char *const accrs_linked __attribute__((used)) = &{LINK_SYMBOL};\n"
    );
    let linked = format!("__attribute__((visibility(\"hidden\"))) const char {LINK_SYMBOL} = 1;\n");
    let marks = [
        ("mark", mark),
        ("relocatable_mark", relocatable),
        ("linked_mark", linked),
    ];
    let mut inputs = units(device);
    inputs.push(vec!["device.cpp"]);
    let objects = compile_all(compilers, folder, &inputs)?;
    for (name, text) in marks {
        let source = folder.join(format!("{name}.c"));
        write(&source, text.as_bytes())?;
        let mut command = compilers.linker();
        command.args(["-x", "c", "-O2", "-fPIC", "-c", "-o"]);
        command.arg(folder.join(format!("{name}.o"))).arg(source);
        succeed(compilers, folder, &mut command)?;
    }
    archive(compilers, folder, &objects)?;
    let mut link = compilers.linker();
    link.arg("-shared")
        .arg("-o")
        .arg(folder.join("libaccrs.so"))
        .args(objects);
    link.args(compilers.libraries());
    succeed(compilers, folder, &mut link)
}

/// The library of watched programs: static alone, since it is for one program
/// that we link ourselves.
fn build_watched(watcher: Watcher, compilers: &Compilers, folder: &Path) -> Result<(), Failure> {
    write_sources(folder)?;
    let wanted = |file: &str| {
        !is_watchers(file) || file.starts_with(WATCH) || file.starts_with(watcher.folder())
    };
    let inputs: Vec<_> = all_units()
        .filter(|unit| unit.iter().all(|file| wanted(file)))
        .collect();
    let objects = compile_all(compilers, folder, &inputs)?;
    archive(compilers, folder, &objects)?;
    for name in AROUND_KERNELS {
        let mut command = compilers.runtime_source(&folder.join("include"));
        let source = folder.join(format!("{WATCH}{name}.cpp"));
        compile_to(&mut command, &source, &folder.join(format!("{name}.o")));
        succeed(compilers, folder, &mut command)?;
    }
    Ok(())
}

/// Makes the static library.
fn archive(compilers: &Compilers, folder: &Path, objects: &[PathBuf]) -> Result<(), Failure> {
    let mut archive = Command::new("ar");
    archive
        .arg("rcs")
        .arg(folder.join("libaccrs.a"))
        .args(objects);
    succeed(compilers, folder, &mut archive)
}

/// Writes the carried sources below a folder.
fn write_sources(folder: &Path) -> Result<(), Failure> {
    for (name, contents) in files().chain(watch_files()) {
        write(&folder.join(name), contents)?;
    }
    Ok(())
}

fn write(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, contents));
    written.map_err(|error| unwritable(path, &error))
}

/// Compiles all units, as many at a time as there are processors; after a
/// failure, none that has not begun.
fn compile_all(
    compilers: &Compilers,
    folder: &Path,
    units: &[Vec<&str>],
) -> Result<Vec<PathBuf>, Failure> {
    let kept = cache::kept(folder);
    fs::create_dir_all(&kept).map_err(|error| unwritable(&kept, &error))?;
    let progress = side_by_side::progress(units.len());
    progress.set_message("building the runtime library, once for this compiler");
    progress.tick();
    let has_failed = AtomicBool::new(false);
    let jobs: Vec<_> = units.iter().enumerate().collect();
    let objects = side_by_side::all(&jobs, usize::MAX, |(number, unit)| {
        if has_failed.load(Ordering::Relaxed) {
            return None;
        }
        let object = compile(compilers, folder, &kept, *number, unit);
        match object.is_ok() {
            true => progress.inc(1),
            false => has_failed.store(true, Ordering::Relaxed),
        }
        Some(object)
    });
    progress.finish_and_clear();
    objects.into_iter().flatten().collect()
}

/// Compiles one unit, unless an earlier build has kept its object. The name of
/// an object says what is in it, so that a damaged one is made again.
fn compile(
    compilers: &Compilers,
    folder: &Path,
    kept: &Path,
    number: usize,
    unit: &[&str],
) -> Result<PathBuf, Failure> {
    let prefix = format!("{number}-");
    for entry in fs::read_dir(kept).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) {
            let contents = fs::read(entry.path()).unwrap_or_default();
            if name == object_name(number, &contents) {
                return Ok(entry.path());
            }
        }
    }
    let source = folder.join(format!("unit{number}.cpp"));
    let included = unit.iter().map(|file| format!("#include \"{file}\"\n"));
    write(&source, included.collect::<String>().as_bytes())?;
    let made = folder.join(format!("unit{number}.o"));
    let mut command = compilers.runtime_source(&folder.join("include"));
    compile_to(&mut command, &source, &made);
    succeed(compilers, folder, &mut command)?;
    let contents = fs::read(&made).map_err(|error| unwritable(&made, &error))?;
    let object = kept.join(object_name(number, &contents));
    fs::rename(&made, &object).map_err(|error| unwritable(&object, &error))?;
    Ok(object)
}

/// What a unit's object is called where it is kept.
fn object_name(number: usize, contents: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(contents);
    format!("{number}-{}.o", short(hash))
}

/// Runs a step of the build, whose own temporary files go with the folder; a failing one is an error
/// with its messages.
fn succeed(compilers: &Compilers, folder: &Path, command: &mut Command) -> Result<(), Failure> {
    let output = process::capture(command, b"", Some(folder))?;
    if output.status.success() {
        return Ok(());
    }
    let message = format!(
        "the runtime library does not build with `{}`",
        compilers.kernel_compiler().display()
    );
    Err(Diagnostic::global(codes::RUNTIME_BUILD, message)
        .note(output.text())
        .help("g++ 9 or clang 14 or later is needed; ACCRS_CXX names the compiler")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_kept_and_damaged_ones_made_again() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("runtime.part-a");
        write_sources(&folder).unwrap();
        let compilers = Compilers::find(
            Some(Device::Emulated),
            &[],
            &super::super::variables::process_variables,
        )
        .unwrap();
        let unit = vec![vec!["src/heap.cpp", "emulation/schedule.cpp"]];
        let made = || compile_all(&compilers, &folder, &unit).unwrap().remove(0);
        let object = made();
        let whole = fs::read(&object).unwrap();
        let source = folder.join("unit0.cpp");
        fs::remove_file(&source).unwrap();
        assert_eq!(made(), object);
        assert!(!source.exists(), "it was compiled again");
        fs::write(&object, &whole[..whole.len() / 2]).unwrap();
        assert_eq!(made(), object);
        assert_eq!(fs::read(&object).unwrap(), whole);
    }

    #[test]
    fn each_source_of_a_device_is_in_one_unit() {
        let text = embedded::RUNTIME
            .iter()
            .find(|(name, _)| *name == "SOURCES");
        let text = std::str::from_utf8(text.expect("the list").1).expect("text");
        let of = |folders: &[&str]| -> Vec<&str> {
            let is_in = |line: &&str| folders.iter().any(|folder| line.starts_with(folder));
            text.lines().filter(is_in).collect()
        };
        assert_eq!(units(Device::Gpu).concat(), of(&["src/"]));
        assert_eq!(
            units(Device::Emulated).concat(),
            of(&["src/", "emulation/"])
        );
        assert!(units(Device::Emulated).iter().all(|unit| !unit.is_empty()));
    }
}
