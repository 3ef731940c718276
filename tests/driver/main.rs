//! The program as it is called: commands, the C compiler, signals.
//!
//! Everything runs in temporary folders with a cache of the tests' own.

#![allow(clippy::unwrap_used, reason = "a helper that fails fails its test")]

mod auto_cta;
mod bench;
mod bench_gpu;
mod bench_suite;
mod block_sizes;
mod build;
mod build_systems;
mod cc;
mod check_compare;
mod check_dynamic;
mod clause_mutants;
mod commands;
mod counts;
mod cuda;
mod cuda_programs;
mod dependences;
mod devices;
mod directives;
mod faults;
mod feedback;
mod feedback_advice;
mod feedback_calls;
mod feedback_placements;
mod file_names;
mod headers;
mod host;
mod index_types;
mod lines;
mod machine_code;
mod mesi;
mod mistakes;
mod mpi;
mod multicore;
mod packaging;
mod profiler;
mod profiling;
mod report;
mod runtime_library;
mod signals;
#[path = "../support/mod.rs"]
mod support;
mod threads;
mod unfilled_memory;
mod unified;
mod units;
mod warnings;
mod windows;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, Once};

/// What makefiles have built of the runtime for the emulation.
static RUNTIME: Mutex<Option<tempfile::TempDir>> = Mutex::new(None);

/// A folder with files, in which commands run.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A folder with these files.
    fn with(files: &[(&str, &str)]) -> Self {
        let folder = Self::new();
        files
            .iter()
            .for_each(|(name, text)| folder.write(name, text));
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.file(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).unwrap()
    }

    /// The names in the folder, sorted.
    fn names(&self) -> Vec<String> {
        names(self.path())
    }

    /// The names in a folder of it, sorted.
    fn names_in(&self, folder: &str) -> Vec<String> {
        names(&self.file(folder))
    }

    /// A command in this folder that sees none of the tester's settings.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path());
        for name in [
            "CC",
            "ACCRS_CC",
            "ACCRS_CXX",
            "ACC_DEVICE_TYPE",
            "MAKEFLAGS",
            "NO_COLOR",
        ] {
            command.env_remove(name);
        }
        command.env("XDG_CACHE_HOME", cache()).env("LC_ALL", "C");
        // The same with and without a GPU.
        command.env("ACC_DEVICE_TYPE", "emulated");
        command
    }

    /// `accrs` with arguments separated by single spaces.
    fn accrs(&self, line: &str) -> Output {
        let words = line.split(' ').filter(|word| !word.is_empty());
        self.command(accrs()).args(words).output().unwrap()
    }

    /// The same, which has to succeed; its standard output.
    fn succeed(&self, line: &str) -> String {
        let output = self.accrs(line);
        assert!(output.status.success(), "accrs {line}: {}", text(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Builds for the emulation by a makefile that `translate` wrote into a folder of this one. The
    /// runtime, which is the same for all, is built by the first makefile.
    fn make_emulated(&self, folder: &str, makefile: &str, path: Option<&str>) {
        let mut known = RUNTIME.lock().unwrap();
        let objects = self.file(folder).join("build-emulated/runtime");
        let mut copy = self.command("cp");
        copy.arg("-r");
        if let Some(built) = known.as_ref() {
            std::fs::create_dir_all(objects.parent().unwrap()).unwrap();
            copy.arg(built.path().join("runtime")).arg(&objects);
            assert!(copy.status().unwrap().success());
        }
        let mut make = self.command("make");
        make.args(["-j2", "-C", folder, "-f", makefile, "DEVICE=emulated"]);
        if let Some(path) = path {
            make.env("PATH", path);
        }
        let output = make.output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        if known.is_none() {
            let built = tempfile::tempdir().unwrap();
            copy.arg(&objects).arg(built.path());
            assert!(copy.status().unwrap().success());
            *known = Some(built);
        }
    }

    /// A program or script of this folder, which has to succeed; its output.
    fn run(&self, program: &str, arguments: &[&str]) -> String {
        let output = self.command(program).args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{program} {arguments:?}: {}",
            text(&output)
        );
        String::from_utf8(output.stdout).unwrap()
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The program under test.
fn accrs() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_accrs"))
}

/// The cache, shared by all tests. The runtime is built once a machine: where the tester's cache has
/// it for the same sources and compilers, this one has a copy.
fn cache() -> PathBuf {
    static LINKED: Once = Once::new();
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache");
    LINKED.call_once(|| {
        let own = cache.join("accrs");
        std::fs::create_dir_all(&own).unwrap();
        let tester = accrs::driver::cache::folder(&|name| std::env::var_os(name));
        let entries = tester.and_then(|folder| std::fs::read_dir(folder).ok());
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().into_string().unwrap();
            let is_whole = name.starts_with("runtime-") && !name.contains('.');
            let copied = own.join(&name);
            if copied.is_symlink() {
                std::fs::remove_file(&copied).unwrap();
            }
            if is_whole && !copied.exists() {
                let part = tempfile::tempdir_in(&own).unwrap();
                let mut copy = Command::new("cp");
                copy.arg("-r").arg(entry.path()).arg(part.path());
                assert!(copy.status().unwrap().success());
                // Another binary of the tests may have done the same.
                let _ = std::fs::rename(part.path().join(&name), copied);
            }
        }
    });
    cache
}

/// All that a program printed.
fn text(output: &Output) -> String {
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
