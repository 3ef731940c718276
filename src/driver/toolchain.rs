//! The compilers and the GPU of this machine.
//!
//! Compilers are looked for in `ACCRS_CC`, `ACCRS_CXX` and `ACCRS_NVCC`, then
//! (nvcc) in `CUDA_HOME`, then in `PATH`, then (nvcc) among the Python packages of the folder that
//! accrs is installed in, and in the user's cache, where `accrs setup --nvcc` puts it. `CC` is never read: it is often
//! `accrs cc`, which would then call itself.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cache;
use super::variables::Variables;
use crate::diagnostic::{Diagnostic, codes};

/// The library that programs for a GPU are linked with (`-l`).
pub const GPU_LIBRARY: &str = include_str!("../../templates/gpu_library.txt");

/// A program with the arguments that always come first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The program.
    pub path: PathBuf,
    /// Arguments before all others (`ACCRS_CC="ccache gcc"`).
    pub arguments: Vec<OsString>,
}

impl Tool {
    /// A program without arguments of its own.
    pub fn plain(path: PathBuf) -> Self {
        Self {
            path,
            arguments: Vec::new(),
        }
    }

    /// A command that runs it.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments);
        command
    }

    /// The first line that it prints about its version.
    pub fn version(&self) -> Option<String> {
        let output = self
            .command()
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let release = text.lines().find(|line| line.contains("release"));
        release
            .or_else(|| text.lines().next())
            .map(|line| line.trim().to_owned())
    }
}

/// nvcc and the folder that its headers and libraries are in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nvcc {
    /// The compiler.
    pub tool: Tool,
    /// What `CUDA_HOME` should be.
    pub home: PathBuf,
}

impl Nvcc {
    /// The folder of the GPU's run-time library: `lib64` in a toolkit, `lib`
    /// in a Python package.
    pub fn library_folder(&self) -> PathBuf {
        let library = format!("lib{GPU_LIBRARY}.a");
        [
            "lib64",
            "lib",
            "targets/x86_64-linux/lib",
            "targets/sbsa-linux/lib",
        ]
        .iter()
        .map(|name| self.home.join(name))
        .find(|folder| folder.join(&library).is_file())
        .unwrap_or_else(|| self.home.join("lib64"))
    }

    /// Whether its linker can compile what it links, for which it has a
    /// library of its own.
    pub fn links_in_time(&self) -> bool {
        self.home.join("nvvm/lib64/libnvvm.so").is_file()
    }

    /// A command that runs it with its own toolkit.
    pub fn command(&self) -> Command {
        let mut command = self.tool.command();
        command.env("CUDA_HOME", &self.home);
        command
    }
}

/// The C compiler.
///
/// # Errors
/// When there is none.
pub fn c_compiler(variables: Variables) -> Result<Tool, Diagnostic> {
    let missing = Diagnostic::global(codes::NO_COMPILER, "no C compiler was found")
        .help("install gcc or clang (Debian: `apt install gcc`), or set ACCRS_CC to one");
    find(variables, "ACCRS_CC", &["cc", "gcc", "clang"], missing)
}

/// The C++ compiler, which builds the runtime and the emulated kernels.
///
/// # Errors
/// When there is none.
pub fn cxx_compiler(variables: Variables) -> Result<Tool, Diagnostic> {
    let missing = Diagnostic::global(codes::NO_CXX_COMPILER, "no C++ compiler was found")
        .help("install g++ or clang++ (Debian: `apt install g++`), or set ACCRS_CXX to one");
    find(variables, "ACCRS_CXX", &["g++", "c++", "clang++"], missing)
}

/// nvcc.
///
/// # Errors
/// When there is none.
pub fn nvcc(variables: Variables) -> Result<Nvcc, Diagnostic> {
    let missing = Diagnostic::global(codes::NO_NVCC, "no nvcc was found");
    if variables("ACCRS_NVCC").is_some() {
        return find(variables, "ACCRS_NVCC", &[], missing).map(with_home);
    }
    let from_home = variables("CUDA_HOME").map(|home| PathBuf::from(home).join("bin/nvcc"));
    let candidates = from_home
        .into_iter()
        .chain(in_path(variables, "nvcc"))
        .chain(packaged_nvcc())
        .chain(cached_nvcc(variables));
    let found = candidates.into_iter().find(|path| is_program(path));
    found.map(|path| with_home(Tool::plain(path))).ok_or_else(|| {
        missing
            .note("looked at ACCRS_NVCC, CUDA_HOME, PATH, Python packages beside accrs and the cache")
            .help("run `accrs setup --nvcc`, which needs no GPU, set CUDA_HOME, or use `--device emulated`")
    })
}

/// nvdisasm, which shows machine code: beside nvcc as in a toolkit, in `PATH`, or in the cache.
///
/// # Errors
/// When there is none.
pub fn disassembler(nvcc: &Nvcc, variables: Variables) -> Result<Tool, Diagnostic> {
    let cached = cached_nvcc(variables).into_iter();
    let candidates = std::iter::once(nvcc.home.join("bin/nvdisasm"))
        .chain(in_path(variables, "nvdisasm"))
        .chain(cached.map(|nvcc| nvcc.with_file_name("nvdisasm")));
    let found = candidates.into_iter().find(|path| is_program(path));
    found.map(Tool::plain).ok_or_else(|| {
        Diagnostic::global(
            codes::NO_NVCC,
            "no nvdisasm was found, which shows machine code",
        )
        .note("looked beside nvcc, at PATH and the cache")
        .help("run `accrs setup --nvcc`, which installs it, too")
    })
}

/// An nvcc with the toolkit around it (`HOME/bin/nvcc`).
fn with_home(tool: Tool) -> Nvcc {
    // A link in PATH usually leads into the toolkit.
    let real = tool
        .path
        .canonicalize()
        .unwrap_or_else(|_| tool.path.clone());
    let home = real
        .parent()
        .and_then(Path::parent)
        .unwrap_or(Path::new("/usr"))
        .to_owned();
    Nvcc { tool, home }
}

/// The compiler of Python packages that stand in one environment with accrs (`pip install
/// 'accrs[cuda]'`), if there are such.
fn packaged_nvcc() -> Vec<PathBuf> {
    let own = env::current_exe().and_then(|path| path.canonicalize());
    let prefix = own
        .ok()
        .and_then(|own| Some(own.parent()?.parent()?.join("lib")));
    prefix.map_or_else(Vec::new, |lib| nvcc_of_packages(&lib))
}

/// The compiler that `accrs setup --nvcc` installed, if it did.
fn cached_nvcc(variables: Variables) -> Vec<PathBuf> {
    let cache = cache::folder(variables);
    cache.map_or_else(Vec::new, |cache| {
        nvcc_of_packages(&cache.join("nvcc-13.0.88/venv/lib"))
    })
}

/// Where NVIDIA's Python packages would put nvcc below a folder with one for each version of Python.
fn nvcc_of_packages(lib: &Path) -> Vec<PathBuf> {
    let entries = lib.read_dir().into_iter().flatten().flatten();
    let places = entries.flat_map(|version| {
        ["site-packages", "dist-packages"]
            .map(|kind| version.path().join(kind).join("nvidia/cu13/bin/nvcc"))
    });
    let mut found: Vec<PathBuf> = places.collect();
    found.sort();
    found
}

/// The program that a variable names, else the first of `names` in `PATH`;
/// `missing` if there is none.
fn find(
    variables: Variables,
    variable: &str,
    names: &[&str],
    missing: Diagnostic,
) -> Result<Tool, Diagnostic> {
    if let Some(value) = variables(variable) {
        return named(variables, &value).ok_or_else(|| Diagnostic {
            message: format!("{variable} names no program: `{}`", value.to_string_lossy()),
            ..missing
        });
    }
    let own = env::current_exe().and_then(|path| path.canonicalize()).ok();
    let not_us = |path: &PathBuf| own.is_none() || path.canonicalize().ok() != own;
    let mut found = names
        .iter()
        .flat_map(|name| in_path(variables, name))
        .filter(not_us);
    found.next().map(Tool::plain).ok_or(missing)
}

/// A tool as a variable names it: a path (with spaces even), a name in
/// `PATH`, or one of the two followed by arguments.
fn named(variables: Variables, value: &OsStr) -> Option<Tool> {
    let resolve = |name: &OsStr| -> Option<PathBuf> {
        if Path::new(name).components().count() > 1 {
            return Some(PathBuf::from(name)).filter(|path| is_program(path));
        }
        in_path(variables, name.to_str()?).into_iter().next()
    };
    if let Some(path) = resolve(value) {
        return Some(Tool::plain(path));
    }
    let words = shlex::split(value.to_str()?)?;
    let (program, arguments) = words.split_first()?;
    let path = resolve(OsStr::new(program))?;
    Some(Tool {
        path,
        arguments: arguments.iter().map(OsString::from).collect(),
    })
}

/// All programs of that name in `PATH`, in its order.
fn in_path(variables: Variables, name: &str) -> Vec<PathBuf> {
    let Some(path) = variables("PATH") else {
        return Vec::new();
    };
    which::which_in_all(name, Some(path), "/")
        .map(Iterator::collect)
        .unwrap_or_default()
}

/// Whether a file is there and may be executed.
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata()
        .is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Whether an NVIDIA GPU answers on this machine.
pub fn gpu_present() -> bool {
    if Path::new("/dev/nvidia0").exists() {
        return true;
    }
    // Under WSL there is no /dev/nvidia0.
    let listing = Command::new("nvidia-smi")
        .arg("-L")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    listing.is_ok_and(|output| output.status.success() && output.stdout.starts_with(b"GPU "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    /// A folder with executables of the given names.
    fn programs(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    }

    fn table<'a>(entries: &'a [(&'a str, &'a OsStr)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        move |name| {
            entries
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        }
    }

    #[test]
    fn path_order_and_names() {
        let folder = programs(&["gcc", "clang"]);
        let entries = [("PATH", folder.path().as_os_str())];
        let variables = table(&entries);
        assert_eq!(
            c_compiler(&variables).unwrap().path,
            folder.path().join("gcc")
        );
        assert_eq!(
            cxx_compiler(&variables).unwrap_err().code,
            codes::NO_CXX_COMPILER
        );
    }

    #[test]
    fn cc_is_not_read() {
        let folder = programs(&["gcc", "mine"]);
        let mine = folder.path().join("mine");
        let entries = [
            ("PATH", folder.path().as_os_str()),
            ("CC", mine.as_os_str()),
        ];
        assert_eq!(
            c_compiler(&table(&entries)).unwrap().path,
            folder.path().join("gcc")
        );
    }

    #[test]
    fn variable_with_spaces_or_arguments() {
        let folder = programs(&["my cc", "gcc"]);
        let spaced = folder.path().join("my cc");
        let entries = [
            ("PATH", folder.path().as_os_str()),
            ("ACCRS_CC", spaced.as_os_str()),
        ];
        assert_eq!(
            c_compiler(&table(&entries)).unwrap(),
            Tool::plain(spaced.clone())
        );
        let entries = [
            ("PATH", folder.path().as_os_str()),
            ("ACCRS_CC", OsStr::new("gcc -m64")),
        ];
        let tool = c_compiler(&table(&entries)).unwrap();
        assert_eq!(
            (tool.path, tool.arguments),
            (folder.path().join("gcc"), vec!["-m64".into()])
        );
    }

    #[test]
    fn misnamed_variable_is_an_error_and_no_fallback() {
        let folder = programs(&["gcc"]);
        let entries = [
            ("PATH", folder.path().as_os_str()),
            ("ACCRS_CC", OsStr::new("/no/such")),
        ];
        let error = c_compiler(&table(&entries)).unwrap_err();
        assert_eq!(error.message, "ACCRS_CC names no program: `/no/such`");
    }

    #[test]
    fn nvcc_from_home_path_and_cache() {
        let cached = "accrs/nvcc-13.0.88/venv/lib/python3.11/site-packages/nvidia/cu13";
        let folder = programs(&["toolkit/bin/nvcc", &format!("{cached}/bin/nvcc")]);
        let cache = [("XDG_CACHE_HOME", folder.path().as_os_str())];
        assert_eq!(
            nvcc(&table(&cache)).unwrap().home,
            folder.path().join(cached).canonicalize().unwrap()
        );
        let home = folder.path().join("toolkit");
        let both = [cache[0], ("CUDA_HOME", home.as_os_str())];
        assert_eq!(
            nvcc(&table(&both)).unwrap().home,
            home.canonicalize().unwrap()
        );
        assert_eq!(nvcc(&table(&[])).unwrap_err().code, codes::NO_NVCC);
    }

    #[test]
    fn nvdisasm_beside_nvcc_in_path_and_cache() {
        let cached = "accrs/nvcc-13.0.88/venv/lib/python3.11/site-packages/nvidia/cu13/bin";
        let folder = programs(&[
            "toolkit/bin/nvcc",
            "toolkit/bin/nvdisasm",
            "bare/bin/nvcc",
            &format!("{cached}/nvdisasm"),
        ]);
        let found = |home: &str, entries: &[(&str, &OsStr)]| {
            let nvcc = Tool::plain(folder.path().join(home).join("bin/nvcc"));
            disassembler(&with_home(nvcc), &table(entries)).map(|tool| tool.path)
        };
        let toolkit = folder.path().join("toolkit/bin/nvdisasm");
        assert_eq!(
            found("toolkit", &[]).unwrap(),
            toolkit.canonicalize().unwrap()
        );
        let path = toolkit.parent().unwrap().as_os_str();
        assert_eq!(found("bare", &[("PATH", path)]).unwrap(), toolkit);
        let cache = [("XDG_CACHE_HOME", folder.path().as_os_str())];
        assert_eq!(
            found("bare", &cache).unwrap(),
            folder.path().join(cached).join("nvdisasm")
        );
        assert_eq!(found("bare", &[]).unwrap_err().code, codes::NO_NVCC);
    }
}
