//! Lists the files that the binary carries with it.
//!
//! Input: `runtime/` (the sources that generated programs are linked with),
//! `docs/explain/` (a page for each diagnostic code), `benchmarks/` but for their results, and
//! `docs/hicuda.md`. Output: `$OUT_DIR/embedded.rs`, tables of names and contents in name order, so
//! that the binary does not depend on the order in which a folder lists, and a text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut text = String::new();
    table(
        &mut text,
        "RUNTIME",
        "Sources of the runtime library, by path",
        &root.join("runtime"),
    )?;
    table(
        &mut text,
        "EXPLAIN",
        "Pages of `accrs explain`, by file name",
        &root.join("docs/explain"),
    )?;
    table(
        &mut text,
        "BENCHMARKS",
        "The programs of `accrs bench`, by path",
        &root.join("benchmarks"),
    )?;
    let page = root.join("docs/hicuda.md");
    println!("cargo:rerun-if-changed={}", page.display());
    let _ = writeln!(
        text,
        "/// The language page of hiCUDA.\npub static HICUDA: &str = include_str!({page:?});"
    );
    fs::write(out.join("embedded.rs"), text)
}

/// Appends a table of all files under `folder`, named relative to it.
fn table(text: &mut String, name: &str, doc: &str, folder: &Path) -> io::Result<()> {
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    if folder.is_dir() {
        collect(folder, folder, &mut files)?;
    }
    files.sort();
    let _ = writeln!(text, "/// {doc}.\npub static {name}: &[(&str, &[u8])] = &[");
    for (relative, path) in files {
        let _ = writeln!(text, "    ({relative:?}, include_bytes!({path:?})),");
    }
    text.push_str("];\n");
    Ok(())
}

/// What was measured of the benchmarks, which nobody needs who runs them.
const LEFT_OUT: &str = "results";

/// Collects the files below `folder`, hidden ones left out.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        if hidden || path.file_name().is_some_and(|name| name == LEFT_OUT) {
            continue;
        }
        if path.is_dir() {
            println!("cargo:rerun-if-changed={}", path.display());
            collect(root, &path, files)?;
        } else {
            let relative = path.strip_prefix(root).expect("found below the root");
            let name = |path: &Path| {
                path.to_str()
                    .expect("the project's paths are UTF-8")
                    .to_owned()
            };
            files.push((name(relative), name(&path)));
        }
    }
    Ok(())
}
