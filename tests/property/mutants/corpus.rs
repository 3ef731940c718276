//! What mutants are made of: the C and CUDA files of the repository.
//!
//! C is preprocessed here, once, so that a mutant costs no process. Of the system's headers stay
//! types, and the functions that the file calls.

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, OnceLock};

use super::pieces;
use crate::random::Random;
use crate::support::{cases, root};

/// Where the files are; those of the first are refused.
const FOLDERS: [&str; 5] = [
    "tests/diagnostics",
    "tests/fixtures",
    "tests/programs",
    "benchmarks",
    "examples",
];

/// A file of the corpus.
#[derive(Debug)]
pub struct Source {
    /// Its path below the repository.
    pub name: String,
    /// Is it CUDA, which accrs reads without a preprocessor?
    pub is_cuda: bool,
    /// Declarations of the system's headers. They stay as they are.
    pub before: Vec<u8>,
    /// What is mutated.
    pub own: Vec<u8>,
}

/// All files; each is read when it is first asked for.
#[derive(Debug)]
pub struct Corpus(Vec<File>);

/// A name, and the file of it.
type File = (String, OnceLock<Result<Arc<Source>, String>>);

impl Corpus {
    /// The names of all files, those that are refused last, in an order that is the same on every
    /// machine.
    pub fn new() -> Self {
        let mut names = Vec::new();
        for folder in FOLDERS {
            for suffix in [".c", ".cu"] {
                let found = cases(&root().join(folder), suffix);
                let name = |(name, _)| format!("{folder}/{name}{suffix}");
                names.extend(found.into_iter().map(name));
            }
        }
        names.sort_by_key(|name| (is_refused(name), name.clone()));
        let unread = names.into_iter().map(|name| (name, OnceLock::new()));
        Self(unread.collect())
    }

    /// Any file.
    pub fn any(&self, random: &mut Random) -> Result<Arc<Source>, String> {
        Self::one(random, &self.0)
    }

    /// One that is not refused.
    pub fn good(&self, random: &mut Random) -> Result<Arc<Source>, String> {
        let good = self.0.partition_point(|(name, _)| !is_refused(name));
        Self::one(random, &self.0[..good])
    }

    fn one(random: &mut Random, files: &[File]) -> Result<Arc<Source>, String> {
        let (name, source) = random.pick(files);
        source.get_or_init(|| read(name).map(Arc::new)).clone()
    }
}

fn is_refused(name: &str) -> bool {
    name.starts_with(FOLDERS[0])
}

fn read(name: &str) -> Result<Source, String> {
    let path = root().join(name);
    let text = std::fs::read(&path).map_err(|error| format!("{name}: {error}"))?;
    let is_cuda = name.ends_with(".cu");
    let (before, own) = match is_cuda {
        true => (Vec::new(), text),
        // Some of what is refused is refused by the preprocessor.
        false => preprocessed(&path)?.unwrap_or((Vec::new(), text)),
    };
    Ok(Source {
        name: name.to_owned(),
        is_cuda,
        before,
        own,
    })
}

/// What the compiler makes of the two texts of a file.
type Both = (Vec<u8>, Vec<u8>);

/// The system's declarations and the file's own text; `None` where the preprocessor fails.
fn preprocessed(path: &Path) -> Result<Option<Both>, String> {
    let mut command = Command::new("gcc");
    command.args(["-E", "-w", "-D_OPENACC=202211", "-isystem"]);
    command
        .arg(root().join("runtime/include"))
        .arg("-idirafter");
    command
        .arg(root().join("runtime/emulation/headers"))
        .arg("-iquote");
    command.arg(root().join("benchmarks/common")).arg(path);
    let output = command.output().map_err(|error| format!("gcc: {error}"))?;
    if !output.status.success() {
        return Ok(None);
    }
    let (mut system, mut own) = (Vec::new(), Vec::new());
    let mut is_system = false;
    for line in output.stdout.split_inclusive(|byte| *byte == b'\n') {
        match line.strip_prefix(b"# ") {
            Some(mark) => {
                let flags = mark.rsplit(|byte| *byte == b'"').next().unwrap_or_default();
                is_system = flags.contains(&b'3');
            }
            None if line.trim_ascii().is_empty() => {}
            None if is_system => system.extend(line),
            None => own.extend(line),
        }
    }
    Ok(Some((declarations(&system, &own), own)))
}

/// The declarations of headers without those of functions that a text does not name.
fn declarations(system: &[u8], own: &[u8]) -> Vec<u8> {
    let named: HashSet<&[u8]> = pieces(own).into_iter().map(|piece| &own[piece]).collect();
    let mut kept = Vec::new();
    let (mut start, mut depth, mut is_wanted, mut before) = (None, 0, true, &b""[..]);
    for piece in pieces(system) {
        let text = &system[piece.clone()];
        let from = *start.get_or_insert(piece.start);
        if depth == 0 && text == b"(" && !before.starts_with(b"__") {
            is_wanted &= before.is_empty() || named.contains(before);
        }
        match text {
            b"typedef" | b"struct" | b"union" | b"enum" if from == piece.start => depth = 1000,
            b"(" | b"{" | b"[" => depth += 1,
            b")" | b"}" | b"]" => depth -= 1,
            _ => {}
        }
        if text == b";" && depth % 1000 == 0 {
            if is_wanted {
                kept.extend(&system[from..piece.end]);
                kept.push(b'\n');
            }
            (start, depth, is_wanted) = (None, 0, true);
        }
        before = text;
    }
    kept
}
