//! nvcc, NVIDIA's compiler: every generated kernel file is compiled for real GPUs.
//!
//! It comes from the Python packages that `tools/install-nvcc.sh` installs, the same version on
//! every machine. A file that it has accepted is not compiled again: a marker in the user's cache
//! is named by the hash of everything that goes in (compiler version, flags, the file, and the
//! runtime's headers). `.ci/run --full` compiles regardless.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use super::process::{command, run, succeed};
use super::{files_below, root};

/// The architectures of every fixture: the oldest that CUDA 13 knows, and two recent ones.
pub const ALL_ARCHITECTURES: &[u32] = &[75, 90, 120];

/// CUDA_HOME, installed on first use.
fn home() -> Result<&'static Path, String> {
    static HOME: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let install = || {
        let outcome = succeed(&mut command(root().join("tools/install-nvcc.sh")))?;
        Ok(PathBuf::from(outcome.text().trim_end()))
    };
    HOME.get_or_init(install)
        .as_ref()
        .map(PathBuf::as_path)
        .map_err(Clone::clone)
}

/// The compiler itself.
pub fn program() -> Result<PathBuf, String> {
    Ok(home()?.join("bin/nvcc"))
}

/// What nvcc says of itself.
fn version() -> Result<&'static str, String> {
    static VERSION: OnceLock<Result<String, String>> = OnceLock::new();
    let ask = || Ok(succeed(command(program()?).arg("--version"))?.text());
    VERSION
        .get_or_init(ask)
        .as_ref()
        .map(String::as_str)
        .map_err(Clone::clone)
}

/// What a file has that calls routines of other files, or has some for them: it is device code that
/// is linked, as `accrs cc` builds it.
const SHARED_BETWEEN_FILES: &str = "extern \"C\" __device__";

fn flags(architectures: &[u32]) -> Vec<String> {
    let mut flags = ["-std=c++17", "-Werror", "all-warnings", "-c"]
        .map(String::from)
        .to_vec();
    for architecture in architectures {
        flags.push("-gencode".into());
        flags.push(format!(
            "arch=compute_{architecture},code=sm_{architecture}"
        ));
    }
    flags
}

/// What the result of a compilation depends on.
fn key(file: &Path, folders: &[PathBuf], flags: &[String]) -> Result<String, String> {
    let mut hash = Sha256::new();
    hash.update(version()?);
    hash.update(flags.join(" "));
    let mut inputs = files_below(&root().join("runtime/include"));
    inputs.extend(folders.iter().flat_map(|folder| headers_in(folder)));
    inputs.push(file.to_owned());
    for path in inputs {
        let content = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        hash.update(content.len().to_le_bytes());
        hash.update(content);
    }
    Ok(hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}

/// What a file in a folder may include.
fn headers_in(folder: &Path) -> Vec<PathBuf> {
    let mut headers = files_below(folder);
    headers.retain(|path| {
        let suffix = path.extension();
        suffix.is_some_and(|suffix| suffix == "h" || suffix == "cuh")
    });
    headers
}

/// The folder of the markers.
fn markers() -> Result<PathBuf, String> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")));
    let folder = cache
        .ok_or("neither XDG_CACHE_HOME nor HOME is set")?
        .join("accrs/tests/nvcc");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Compiles a generated file for the architectures in one call, warnings as errors.
pub fn compile(file: &Path, object: &Path, architectures: &[u32]) -> Result<(), String> {
    compile_with(file, &[], object, architectures)
}

/// The same for a file that includes others from these folders.
pub fn compile_with(
    file: &Path,
    folders: &[PathBuf],
    object: &Path,
    architectures: &[u32],
) -> Result<(), String> {
    let mut flags = flags(architectures);
    if super::read(file)?.contains(SHARED_BETWEEN_FILES) {
        flags.push("-rdc=true".into());
    }
    let marker = markers()?.join(key(file, folders, &flags)?);
    if marker.is_file() && !super::full() {
        return Ok(());
    }
    let home = home()?;
    let mut nvcc = command(program()?);
    nvcc.env("CUDA_HOME", home).args(&flags);
    nvcc.arg("-I").arg(root().join("runtime/include"));
    nvcc.arg("-o").arg(object).arg(file);
    let outcome = run(&mut nvcc)?;
    // nvcc reports some remarks without failing: they count as well.
    if !outcome.status.success() || !outcome.stderr.trim().is_empty() {
        return Err(format!(
            "nvcc: {}\n{}{}",
            outcome.status,
            outcome.text(),
            outcome.stderr
        ));
    }
    fs::write(&marker, "").map_err(|error| format!("{}: {error}", marker.display()))
}
