//! What the integration tests share: places, processes, and how results are compared.
//!
//! Nothing here skips: a tool that is missing is a failed test with a line that says how to get it.

#![allow(dead_code, reason = "each test binary uses its own part of this")]

pub mod compare;
pub mod nvcc;
pub mod process;
pub mod regions;
pub mod serial;
pub mod snapshot;
pub mod trace;

use std::fs;
use std::path::{Path, PathBuf};

/// The repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The binary under test.
pub fn accrs() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_accrs"))
}

/// Whether everything is to be tested that can be (`.ci/run --full`).
pub fn full() -> bool {
    std::env::var_os("ACCRS_TEST_FULL").is_some_and(|value| value == "1")
}

/// A text file; the error names it.
pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// All files below a folder, sorted; none where the folder is not there.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The files below a folder whose name ends in `suffix`, named by their path without it.
pub fn cases(folder: &Path, suffix: &str) -> Vec<(String, PathBuf)> {
    let named = files_below(folder).into_iter().filter_map(|path| {
        let relative = path.strip_prefix(folder).ok()?.to_str()?;
        let name = relative.strip_suffix(suffix)?.to_owned();
        Some((name, path))
    });
    named.collect()
}

/// The values of the header comments `// KEY: VALUE` at the top of a C file.
pub fn header<'a>(source: &'a str, key: &str) -> Vec<&'a str> {
    source
        .lines()
        .map_while(|line| line.strip_prefix("//"))
        .filter_map(|line| line.trim().strip_prefix(key)?.strip_prefix(':'))
        .map(str::trim)
        .collect()
}

/// The words of all header comments of that key.
pub fn header_words(source: &str, key: &str) -> Vec<String> {
    header(source, key)
        .iter()
        .flat_map(|value| value.split_whitespace())
        .map(str::to_owned)
        .collect()
}
