//! A C file with directives, or a CUDA file, becomes one object.
//!
//! The host and kernel objects are joined by a relocatable link, together
//! with the mark that refers to the runtime of their device: a program then
//! does not link with the runtime of another one, whoever links it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::arguments::{Mode, Role};
use super::scan::Kind;
use super::{Compilation, Source, depfile};
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::build::{self, Objects, Unit, UnitFlags};
use crate::driver::compilers::Compilers;

use crate::driver::device::Device;
use crate::driver::failure::Failure;
use crate::driver::pipeline::{self, Options, Task, Translation};
use crate::driver::{output, process, runtime_library};
use crate::source::SourceFile;

/// Makes the object (or checks the syntax) that `-c` asks for, with its
/// dependency file.
///
/// # Errors
/// When the file is not translated or its translation not compiled.
pub(super) fn compile(
    compilation: &Compilation,
    source: &Source,
    compilers: &Compilers,
    folder: &Path,
) -> Result<(), Failure> {
    let target = object_name(compilation.invocation.output.as_deref(), &source.path);
    if compilation.invocation.mode == Mode::Syntax {
        return match source.kind {
            Kind::Cuda => make(compilation, source, compilers, folder).map(drop),
            _ => translate(compilation, source, compilers).map(drop),
        };
    }
    let object = make(compilation, source, compilers, folder)?;
    let dependencies = depfile::make(compilation, source, compilers, &target, folder)?;
    output::place(&object, &target)?;
    dependencies.map_or(Ok(()), |(made, wanted)| output::place(&made, &wanted))
}

/// Makes the object in a temporary folder.
///
/// # Errors
/// When the file is not translated or its translation not compiled.
pub(super) fn make(
    compilation: &Compilation,
    source: &Source,
    compilers: &Compilers,
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let runtime = runtime_library::ready(compilers, &super::Session::variable)?;
    let name = source
        .path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .filter(|stem| *stem != "-")
        .unwrap_or("stdin");
    let unit = Unit {
        source: &source.path,
        name,
        folder,
    };
    if source.kind == Kind::Cuda {
        let flags = unit_flags(compilation);
        let reporter = compilation.session.reporter;
        let objects = build::compile_cuda(unit, &flags, compilers, &runtime, reporter)?;
        return join(&objects, source, compilers, &[runtime.mark()], folder);
    }
    let translation = translate(compilation, source, compilers)?;
    let relocatable = match compilation.invocation.mode {
        // No other unit can have, or call, its routines.
        Mode::Link if compilation.is_alone() => !translation.sharing.imports.is_empty(),
        _ => translation.sharing.is_any(),
    };
    let objects = build::compile(
        unit,
        &translation,
        &UnitFlags {
            relocatable,
            ..unit_flags(compilation)
        },
        compilers,
        &runtime,
    )?;
    let mut marks = vec![runtime.mark()];
    if relocatable && compilers.device() == Device::Gpu {
        marks.push(runtime.relocatable_mark());
    }
    join(&objects, source, compilers, &marks, folder)
}

/// Joins the objects of a file and the marks.
fn join(
    objects: &Objects,
    source: &Source,
    compilers: &Compilers,
    marks: &[PathBuf],
    folder: &Path,
) -> Result<PathBuf, Failure> {
    let joined = folder.join("joined.o");
    // The C compiler may be one that links more (`mpicc`).
    let mut join = compilers.linker();
    join.args(["-r", "-nostdlib", "-o"])
        .arg(&joined)
        .args(&objects.host)
        .arg(&objects.kernels)
        .args(marks);
    let output = process::capture(&mut join, b"", Some(folder))?;
    build::pass_on(&output);
    if output.status.success() {
        return Ok(joined);
    }
    let message = format!(
        "the objects of `{}` cannot be joined",
        source.path.display()
    );
    Err(Diagnostic::global(codes::GENERATED_CODE, message).into())
}

/// Translates the file with the flags of the command line.
fn translate(
    compilation: &Compilation,
    source: &Source,
    compilers: &Compilers,
) -> Result<Translation, Failure> {
    let invocation = compilation.invocation;
    let own = &invocation.options;
    let options = Options {
        preprocessor: invocation.compile_flags(),
        target: Some(compilers.target()),
        multicore: compilers.shares_cores(),
        denies_warnings: own.denies_warnings && !invocation.hides_warnings(),
        ..own.clone()
    };
    let name = match source.path.as_os_str() == "-" {
        true => Path::new("<stdin>"),
        false => &source.path,
    };
    let file = SourceFile::new(name, source.text.clone());
    let task = Task {
        c: Some(compilers.c()),
        options: &options,
        stage: None,
        reporter: compilation.session.reporter,
    };
    pipeline::translate_file(file, task)?.files()
}

/// The flags of the command line as the two compilers get them.
fn unit_flags(compilation: &Compilation) -> UnitFlags {
    let mut host = compilation.invocation.compile_flags();
    let kernels = host
        .iter()
        .filter(|flag| holds_for_kernels(flag))
        .cloned()
        .collect();
    // Objects that wait for a link-time compiler cannot be joined.
    host.push("-fno-lto".into());
    UnitFlags {
        host,
        kernels,
        device: compilation.invocation.device_flags.clone(),
        relocatable: false,
        memory: compilation.invocation.options.memory,
    }
}

/// Flags that the code of the launchers needs as well.
fn holds_for_kernels(flag: &OsString) -> bool {
    let text = flag.to_string_lossy();
    let positions = [
        "-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-pic", "-fno-PIC", "-fno-pie", "-fno-PIE",
    ];
    text.starts_with("-g")
        || positions.contains(&text.as_ref())
        || text.starts_with("-fvisibility=")
}

/// Where the object goes: `-o`, else the file's name in the current folder.
fn object_name(output: Option<&Path>, source: &Path) -> PathBuf {
    let own = || PathBuf::from(source.file_stem().unwrap_or("a".as_ref())).with_extension("o");
    output.map_or_else(own, Path::to_owned)
}

/// The words of the command line with sources replaced by their objects;
/// without the output where the result goes elsewhere.
pub(super) fn replaced(
    compilation: &Compilation,
    objects: &[(usize, PathBuf)],
    with_output: bool,
) -> Vec<OsString> {
    let mut words = Vec::new();
    for (index, word) in compilation.invocation.words.iter().enumerate() {
        if word.role == Role::Output && !with_output {
            continue;
        }
        match objects.iter().find(|(source, _)| *source == index) {
            // An object stands where `-x c` may be in force.
            Some((_, object)) => match &word.language {
                Some(language) => {
                    words.extend(["-x", "none"].map(OsString::from));
                    words.extend([object.into(), "-x".into(), language.clone()]);
                }
                None => words.push(object.into()),
            },
            // Dependency files of translated sources are made apart.
            None if word.role == Role::Dependency && objects.len() == compilation.sources.len() => {
            }
            None => words.extend(word.text.iter().cloned()),
        }
    }
    words
}
