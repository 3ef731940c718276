//! Snapshots: what the translator wrote for a fixture when a person last looked at it.
//!
//! `ACCRS_BLESS=1 cargo test --test fixtures` rewrites them; the difference is then read and
//! committed with the change that caused it. A snapshot without its fixture is an error.

use std::fs;
use std::path::{Path, PathBuf};

use super::{compare, root};

/// What MESI-CUDA's programs begin with, and what chooses the blocks of AUTO-CTA's launches: files of their
/// own, which no snapshot repeats.
pub const MESI: &str = include_str!("../../templates/mesi.txt");
pub const AUTO_CTA: &str = include_str!("../../templates/auto_cta.txt");

/// A translation of a CUDA file with the names of those files in place of their text.
pub fn without_runtimes(text: &str) -> String {
    let named = |name: &str| format!("// [templates/{name}]\n");
    text.replace(MESI, &named("mesi.txt"))
        .replace(AUTO_CTA, &named("auto_cta.txt"))
}

/// Whether this run rewrites snapshots.
pub fn blessing() -> bool {
    std::env::var_os("ACCRS_BLESS").is_some_and(|value| value == "1")
}

/// Where the snapshots of the fixtures are.
pub fn folder() -> PathBuf {
    root().join("tests/snapshots")
}

/// Compares with the snapshot at `path`, or writes it.
pub fn check(path: &Path, actual: &str) -> Result<(), String> {
    if blessing() {
        let parent = path.parent().ok_or("a snapshot lies in a folder")?;
        fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        if fs::read_to_string(path).ok().as_deref() != Some(actual) {
            fs::write(path, actual).map_err(|error| format!("{}: {error}", path.display()))?;
        }
        return Ok(());
    }
    let shown = path.strip_prefix(root()).unwrap_or(path).display();
    let expected = fs::read_to_string(path)
        .map_err(|_| format!("{shown}: no snapshot; write it with ACCRS_BLESS=1 and read it"))?;
    let difference = compare::texts(&expected, actual);
    if difference.is_empty() && expected == actual {
        return Ok(());
    }
    Err(format!(
        "{shown} differs (ACCRS_BLESS=1 rewrites it)\n{difference}"
    ))
}
