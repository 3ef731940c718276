//! nvcc, NVIDIA's compiler: every generated kernel file is compiled for real GPUs.
//!
//! It comes from the Python packages that `tools/install-nvcc.sh` installs, the same version on
//! every machine. A file that it has accepted is not compiled again: a marker in the user's cache
//! is named by the hash of everything that goes in (compiler version, flags, the file, and the
//! runtime's headers). `.ci/run --full` compiles regardless.
//!
//! Reading CUDA's headers takes most of the time of a generated file, for each architecture again.
//! [`Groups`] of files are therefore compiled as one, each file in a namespace of its own. What nvcc
//! accepts so it accepts; where it does not, each file is compiled alone and says what is wrong.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Once, OnceLock};

use sha2::{Digest as _, Sha256};

use super::process::{build, command, succeed};
use super::{files_below, read, root};

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

fn flags(text: &str, architectures: &[u32]) -> Vec<String> {
    let mut flags = ["-std=c++17", "-Werror", "all-warnings", "-c"]
        .map(String::from)
        .to_vec();
    for (intermediate, machines) in intermediate_code(architectures) {
        flags.push("-gencode".into());
        let machines: Vec<String> = machines.iter().map(|one| format!("sm_{one}")).collect();
        let machines = machines.join(",");
        flags.push(format!("arch=compute_{intermediate},code=[{machines}]"));
    }
    if text.contains(SHARED_BETWEEN_FILES) {
        flags.push("-rdc=true".into());
    }
    flags
}

/// Which intermediate code is made, and what machine code of each: that of the oldest architecture,
/// whose restrictions are the strictest, since nothing that is generated or included asks which
/// one it is compiled for. `.ci/run --full` has each architecture's own.
fn intermediate_code(architectures: &[u32]) -> Vec<(u32, &[u32])> {
    if super::full() {
        return architectures.chunks(1).map(|one| (one[0], one)).collect();
    }
    let oldest = architectures.iter().min();
    oldest
        .map(|oldest| (*oldest, architectures))
        .into_iter()
        .collect()
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
    let flags = flags(&read(file)?, architectures);
    let marker = markers()?.join(key(file, folders, &flags)?);
    if marker.is_file() && !super::full() {
        return Ok(());
    }
    run_nvcc(file, folders, object, &flags)?;
    fs::write(&marker, "").map_err(|error| format!("{}: {error}", marker.display()))
}

fn run_nvcc(
    file: &Path,
    folders: &[PathBuf],
    object: &Path,
    flags: &[String],
) -> Result<(), String> {
    let mut nvcc = command(program()?);
    nvcc.env("CUDA_HOME", home()?).args(flags);
    for folder in folders.iter().chain([&root().join("runtime/include")]) {
        nvcc.arg("-I").arg(folder);
    }
    nvcc.arg("-o").arg(object).arg(file);
    let outcome = build(&mut nvcc)?;
    // nvcc reports some remarks without failing: they count as well.
    match outcome.stderr.trim() {
        "" => Ok(()),
        remarks => Err(format!("nvcc: {remarks}")),
    }
}

/// The most generated files that are compiled as one.
const GROUP: usize = 16;

/// Generated files, as their snapshots are, in groups.
pub struct Groups(Vec<(Vec<PathBuf>, Once)>);

impl Groups {
    /// Files that are tested one after the other are in different groups, so that no test waits for
    /// another one's compiler.
    pub fn new(files: &[PathBuf]) -> Self {
        let count = files.len().div_ceil(GROUP);
        let group = |first| files.iter().skip(first).step_by(count).cloned().collect();
        Self(
            (0..count)
                .map(|first| (group(first), Once::new()))
                .collect(),
        )
    }

    /// Compiles the group of a file, those of it that nvcc has not accepted yet, unless that has
    /// been tried.
    pub fn compile(&self, file: &Path, object: &Path, architectures: &[u32]) -> Result<(), String> {
        let mut groups = self.0.iter();
        let own = groups.find(|(files, _)| files.iter().any(|other| other == file));
        let Some((files, tried)) = own.filter(|_| !super::full()) else {
            return Ok(());
        };
        if marker_of(file, architectures)?.is_file() {
            return Ok(());
        }
        let mut result = Ok(());
        tried.call_once(|| result = compile_as_one(files, object, architectures));
        result
    }
}

fn marker_of(file: &Path, architectures: &[u32]) -> Result<PathBuf, String> {
    let flags = flags(&read(file)?, architectures);
    Ok(markers()?.join(key(file, &[], &flags)?))
}

fn compile_as_one(files: &[PathBuf], object: &Path, architectures: &[u32]) -> Result<(), String> {
    // Once, before all namespaces.
    let mut text = String::from("#include \"accrs_device.hpp\"\n");
    let mut accepted = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let marker = marker_of(file, architectures)?;
        let own = read(file)?;
        if !marker.is_file() && !own.contains(SHARED_BETWEEN_FILES) {
            // Several files may have a launcher of one name: here they are no C.
            let own = own.replace("extern \"C\" ", "");
            text += &format!("namespace file_{number} {{\n{own}}}\n");
            accepted.push(marker);
        }
    }
    let together = object.with_extension("group.cu");
    fs::write(&together, &text).map_err(|error| error.to_string())?;
    if run_nvcc(&together, &[], object, &flags(&text, architectures)).is_ok() {
        for marker in accepted {
            fs::write(&marker, "").map_err(|error| format!("{}: {error}", marker.display()))?;
        }
    }
    Ok(())
}
