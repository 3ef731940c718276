//! `accrs translate` and `accrs check`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use super::compilers::LINE_INFO;
use super::cuda_files::CudaFile;
use super::failure::{Failure, Success};
use super::output::{HEADER, Transaction};
use super::pipeline::{self, Emit, Options, Product, Task, Translation};
use super::render::Nowhere;
use super::session::Session;
use super::{build, makefile, runtime_library, toolchain};
use crate::diagnostic::{Diagnostic, codes};

/// Where results go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Files in a folder.
    Folder(PathBuf),
    /// Standard output.
    Standard,
}

/// Translates files; writes all results, or none.
///
/// # Errors
/// When an input has errors or a result cannot be written.
pub fn translate(
    session: Session,
    files: &[PathBuf],
    destination: &Destination,
    emit: Option<Emit>,
    options: &Options,
) -> Result<Success, Failure> {
    let products = translate_each(session, files, emit, options)?;
    match destination {
        Destination::Standard => print(session, &products)?,
        Destination::Folder(folder) => write(session, files, &products, folder, options)?,
    }
    Ok(Success::Done)
}

/// Diagnostics only.
///
/// # Errors
/// When an input has errors.
pub fn check(session: Session, files: &[PathBuf], options: &Options) -> Result<Success, Failure> {
    translate_each(session, files, None, options).map(|_| Success::Done)
}

/// What all files become; after an error the others are still looked at, so
/// that all errors of all files come in one go.
///
/// # Errors
/// When an input has errors.
pub fn translate_each<'f>(
    session: Session,
    files: &'f [PathBuf],
    stage: Option<Emit>,
    options: &Options,
) -> Result<Vec<(&'f PathBuf, Product)>, Failure> {
    let c = toolchain::c_compiler(&Session::variable)?;
    let task = Task {
        c: Some(&c),
        options,
        stage,
        reporter: session.reporter,
    };
    let results: Vec<_> = files
        .iter()
        .map(|file| match build::is_cuda(file) {
            true => translate_cuda(file, task),
            false => pipeline::translate(file, task),
        })
        .collect();
    let products = files.iter().zip(results);
    products
        .map(|(file, product)| Ok((file, product?)))
        .collect()
}

/// CUDA files are what translations are made of; those with launches to tune change.
fn translate_cuda(file: &Path, task: Task<'_>) -> Result<Product, Failure> {
    let options = task.options;
    let read = CudaFile::read(file, &options.preprocessor, options.feedback, task.reporter)?;
    task.reporter
        .emit(&read.keeps_memory(options.memory), &Nowhere);
    if read.is_asked() {
        return Ok(Product::Cuda(read.translated()));
    }
    let message = format!("`{}` needs no translation", file.display());
    Err(Diagnostic::global(codes::BAD_USAGE, message)
        .help("`accrs run`, `accrs cc` and `accrs check --dynamic` take it as it is")
        .into())
}

/// Everything to standard output, one text after the other.
fn print(session: Session, products: &[(&PathBuf, Product)]) -> Result<(), Failure> {
    for (_, product) in products {
        match product {
            Product::Text(text) => session.print(text)?,
            Product::Cuda(text) => session.print(text)?,
            Product::Files(translation) => {
                session.print(&translation.host)?;
                session.print(&translation.kernels)?;
            }
        }
    }
    Ok(())
}

/// Files into a folder.
fn write(
    session: Session,
    files: &[PathBuf],
    products: &[(&PathBuf, Product)],
    folder: &Path,
    options: &Options,
) -> Result<(), Failure> {
    let mut transaction = Transaction::new(files.to_vec());
    let mut units = Vec::new();
    let is_alone = products.len() == 1;
    for (file, product) in products {
        match product {
            Product::Text(text) => session.print(text)?,
            Product::Cuda(text) => {
                let name = format!("{}.acc.cu", stem(file)?);
                transaction.add_folder(folder.to_path_buf());
                transaction.add(folder.join(name), text.clone());
            }
            Product::Files(translation) => {
                let unit = makefile::Unit {
                    name: stem(file)?,
                    preprocessor: host_arguments(file, folder, options)?,
                    has_kernels: is_alone || translation.has_device_code,
                };
                add(&mut transaction, folder, &unit, translation);
                units.push((file.to_path_buf(), unit, translation));
            }
        }
    }
    if !units.is_empty() {
        add_makefiles(&mut transaction, folder, units, options)?;
        add_runtime(&mut transaction, folder)?;
    }
    transaction.commit()
}

/// The files of one translation. Of files that are translated together, one without device
/// code has no kernel file; rules of make for one file at a time find both.
fn add(
    transaction: &mut Transaction,
    folder: &Path,
    unit: &makefile::Unit,
    translation: &Translation,
) {
    let name = &unit.name;
    let host = folder.join(format!("{name}.acc.c"));
    transaction.add(host, translation.host.clone());
    if unit.has_kernels {
        let kernels = folder.join(format!("{name}.acc.cu"));
        transaction.add(kernels, translation.kernels.clone());
    }
}

/// Files of which one has `main` are a program: one makefile builds it, called
/// after that file. Others are each a program, or a library if they have none.
fn add_makefiles(
    transaction: &mut Transaction,
    folder: &Path,
    units: Vec<(PathBuf, makefile::Unit, &Translation)>,
    options: &Options,
) -> Result<(), Failure> {
    let line_info: &[&str] = if options.line_marks {
        &[LINE_INFO]
    } else {
        &[]
    };
    let mut add = |name: &str, kind, sources: &[PathBuf], units: &[makefile::Unit], relocatable| {
        let target = makefile::Target {
            archs: &options.archs,
            nvcc_flags: line_info,
            multicore: options.multicore,
        };
        let text = makefile::render(name, kind, sources, units, relocatable, target)?;
        transaction.add(folder.join(format!("{name}.acc.mk")), text);
        Ok::<(), Failure>(())
    };
    let begins = units.iter().filter(|(.., t)| t.defines_main);
    let names: Vec<String> = begins.map(|(_, unit, _)| unit.name.clone()).collect();
    let shares = units.iter().any(|(.., t)| t.sharing.is_any());
    let program = names
        .first()
        .filter(|_| names.len() == 1 && units.len() > 1);
    if let Some(program) = program {
        let (sources, units): (Vec<_>, Vec<_>) = units
            .into_iter()
            .map(|(file, unit, _)| (file, unit))
            .unzip();
        return add(program, makefile::Kind::Program, &sources, &units, shares);
    }
    for (file, unit, translation) in units {
        let name = unit.name.clone();
        let kind = match translation.defines_main {
            true => makefile::Kind::Program,
            false => makefile::Kind::Library,
        };
        add(&name, kind, &[file], &[unit], false)?;
    }
    Ok(())
}

/// `NAME` of `some/folder/NAME.c`.
///
/// # Errors
/// When the path has no file name, or one that is not UTF-8.
pub fn stem(file: &Path) -> Result<String, Failure> {
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .map(str::to_owned);
    stem.ok_or_else(|| {
        let message = format!("`{}` has no usable file name", file.display());
        Failure::environment(codes::BAD_USAGE, message)
    })
}

/// What the C compiler needs beside the generated file: the user's options
/// and the folder of the original, for `#include "…"`. Folders that the user names
/// from the current one are named from that of the makefile, so that all can go
/// to another place together.
fn host_arguments(file: &Path, folder: &Path, options: &Options) -> Result<Vec<OsString>, Failure> {
    let here = std::env::current_dir().map_err(|error| {
        let message = format!("no current folder: {error}");
        Failure::environment(codes::OUTPUT_UNWRITABLE, message)
    })?;
    // One that is yet to be made is another one.
    let same = |folder: PathBuf| here.canonicalize().is_ok_and(|here| folder == here);
    let moved = !folder.as_os_str().is_empty() && !folder.canonicalize().is_ok_and(same);
    let place = |path: &Path| match moved && !path.is_absolute() {
        true => relative(&here.join(folder), &here.join(path)),
        false => path.to_owned(),
    };
    let mut arguments = Vec::new();
    let beside = file
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    if moved || beside.is_some() {
        arguments.push("-iquote".into());
        let beside = beside.unwrap_or(Path::new(""));
        arguments.push(match moved {
            true => relative(&here.join(folder), &here.join(beside)).into_os_string(),
            false => beside.as_os_str().to_owned(),
        });
    }
    let mut is_folder = false;
    for argument in &options.preprocessor {
        let text = argument.to_string_lossy();
        let attached = text.strip_prefix("-I").filter(|folder| !folder.is_empty());
        match attached {
            _ if is_folder => arguments.push(place(Path::new(argument)).into_os_string()),
            Some(folder) => {
                arguments.push(format!("-I{}", place(Path::new(folder)).display()).into())
            }
            None => arguments.push(argument.clone()),
        }
        is_folder = !is_folder
            && ["-I", "-isystem", "-iquote", "-idirafter", "-include"].contains(&text.as_ref());
    }
    Ok(arguments)
}

/// How a folder is named from another one; both are absolute.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to) = (resolved(from), resolved(to));
    let shared = from.components().zip(to.components());
    let shared = shared.take_while(|(a, b)| a == b).count();
    let up = from.components().skip(shared).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(shared)).collect();
    match path.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => path,
    }
}

/// A path without links and `..`, as far as it is there.
fn resolved(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let (Ok(known), Ok(rest)) = (known.canonicalize(), path.strip_prefix(known)) {
            return known.join(rest);
        }
    }
    path.to_owned()
}

/// The runtime's sources, each only where it is not there yet in this form.
fn add_runtime(transaction: &mut Transaction, folder: &Path) -> Result<(), Failure> {
    let runtime = folder.join("accrs_runtime");
    let owner = runtime.join("VERSION");
    if runtime.is_symlink() {
        let message = format!("`{}` is a symbolic link", runtime.display());
        return Err(Failure::environment(codes::OUTPUT_OCCUPIED, message));
    }
    let owned = std::fs::read_to_string(&owner).is_ok_and(|text| text.starts_with(HEADER));
    if runtime.exists() && !owned {
        let message = format!(
            "`{}` exists and was not written by accrs",
            runtime.display()
        );
        return Err(Failure::environment(codes::OUTPUT_OCCUPIED, message));
    }
    let version = format!("{HEADER} {}\n", env!("CARGO_PKG_VERSION"));
    let wanted = runtime_library::files().map(|(name, contents)| (name, contents.to_vec()));
    let wanted = wanted.chain([("VERSION", version.into_bytes())]);
    let stale: Vec<_> = wanted
        .map(|(name, contents)| (runtime.join(name), contents))
        .filter(|(path, contents)| std::fs::read(path).ok().as_ref() != Some(contents))
        .collect();
    let folders: BTreeSet<PathBuf> = stale
        .iter()
        .filter_map(|(path, _)| path.parent().map(Path::to_owned))
        .collect();
    folders
        .into_iter()
        .for_each(|folder| transaction.add_folder(folder));
    stale
        .into_iter()
        .for_each(|(path, contents)| transaction.add_owned(path, contents));
    Ok(())
}
