//! Running the user's preprocessor.
//!
//! Any compiler that takes `-E`, `-dD`, `-x c`, `-iquote` and a file name will do.
//! The text goes in through `/dev/stdin`, given as a file name: so no file is
//! written, and `#include "x.h"` is looked for beside the original (by
//! `-iquote`) and not in the current folder, as it would be with `-`.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use crate::diagnostic::{Diagnostic, codes};

/// The compiler whose preprocessor is run, and how.
#[derive(Clone, Debug)]
pub struct Preprocessor {
    /// The compiler, a path or a name to be found in `PATH`; `None` where texts are
    /// preprocessed already, and are given back as they are.
    pub compiler: Option<PathBuf>,
    /// The user's `-I`, `-D`, `-U`, `-std=…`, `-include`, `-isystem` and the
    /// like. None of `-C`, `-P`, `-M…`, `-o`, nor a file name.
    pub arguments: Vec<OsString>,
}

/// The version of OpenACC that sources see.
const VERSION: &str = "-D_OPENACC=202211";

impl Preprocessor {
    /// The preprocessed `text`, as if it were the file at `path`.
    ///
    /// # Errors
    /// The compiler does not start, or it rejects the text; the diagnostic then
    /// carries the compiler's own messages.
    pub fn run(&self, path: &Path, text: &[u8]) -> Result<Vec<u8>, Diagnostic> {
        let Some(compiler) = &self.compiler else {
            return Ok(text.to_vec());
        };
        let mut child = self.command(compiler, path).spawn().map_err(|error| {
            let compiler = compiler.display();
            let message = format!("cannot run the C compiler `{compiler}`: {error}");
            Diagnostic::global(codes::NO_COMPILER, message)
                .help("install gcc or clang, or name a compiler in ACCRS_CC")
        })?;
        let stdin = child.stdin.take();
        // a compiler that stops early closes the pipe; its status tells why
        let result = std::thread::scope(|scope| {
            scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(text)));
            child.wait_with_output()
        });
        let output = result.map_err(|error| {
            let message = format!("the preprocessor's output is lost: {error}");
            Diagnostic::global(codes::PREPROCESSOR, message)
        })?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let message = format!("the preprocessor rejects `{}`", path.display());
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find_map(|line| said_of(line, path));
        let message = match &first {
            Some(first) => format!("{message}: {}", first.message),
            None => message,
        };
        let failed = Diagnostic::global(codes::PREPROCESSOR, message)
            .help("correct what it names; `-I DIR` adds a folder of headers, `-D NAME` a macro");
        Err(match said.trim_end() {
            "" => failed.note(format!("`{}`: {}", compiler.display(), output.status)),
            said => failed.note(said),
        })
    }

    /// How a file can be named in `#include "…"` of the file at `path`, such
    /// that it is the one that is found: by a folder that is searched, or else
    /// as a whole. `None` if the name cannot be written so.
    pub fn spelling(&self, path: &Path, target: &Path) -> Option<String> {
        let target = normal(target);
        let folders = self.folders(path);
        let by_folder = folders.iter().enumerate().find_map(|(index, folder)| {
            let rest = target.strip_prefix(folder).ok()?;
            let is_hidden = folders[..index].iter().any(|f| f.join(rest).is_file());
            (!is_hidden).then(|| rest.to_path_buf())
        });
        let name = match by_folder {
            Some(name) => name,
            None => target.canonicalize().ok()?,
        };
        let name = name.to_str()?;
        (!name.contains(['"', '\n'])).then(|| name.to_string())
    }

    /// The folders that `#include "…"` is looked for in, in their order.
    fn folders(&self, path: &Path) -> Vec<PathBuf> {
        let mut folders = vec![normal(path.parent().unwrap_or(Path::new("")))];
        for option in ["-iquote", "-I", "-isystem", "-idirafter"] {
            let mut arguments = self.arguments.iter().map(|a| a.to_string_lossy());
            while let Some(argument) = arguments.next() {
                match argument.strip_prefix(option) {
                    Some("") => folders.extend(arguments.next().map(|f| normal(Path::new(&*f)))),
                    Some(folder) => folders.push(normal(Path::new(folder))),
                    None => {}
                }
            }
        }
        folders
    }

    fn command(&self, compiler: &Path, path: &Path) -> Command {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut command = Command::new(compiler);
        // the file's own folder comes before any -iquote of the user
        // with lines for what macros are defined as
        command
            .args(["-E", "-dD", "-iquote"])
            .arg(folder)
            .arg(VERSION);
        command
            .args(&self.arguments)
            .args(["-x", "c", "/dev/stdin"]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// The line of the file at `path`, from 1, that a compiler's first error is in.
pub(super) fn rejected_line(rejection: &Diagnostic, path: &Path) -> Option<usize> {
    let mut lines = rejection.notes.iter().flat_map(|note| note.lines());
    lines.find_map(|line| said_of(line, path))?.line
}

/// The first error that a compiler names.
struct Said<'a> {
    message: &'a str,
    /// Its line, from 1, if it is in the main file.
    line: Option<usize>,
}

/// `x.c:3:10: fatal error: no.h: No such file or directory`.
fn said_of<'a>(line: &'a str, path: &Path) -> Option<Said<'a>> {
    let (place, message) = line.split_once("error: ")?;
    let own = place
        .strip_prefix(path.to_str()?)
        .and_then(|rest| rest.strip_prefix(':'));
    let number = own.and_then(|rest| rest.split(':').next()?.parse().ok());
    Some(Said {
        message,
        line: number,
    })
}

/// A path without a `.` before it.
fn normal(path: &Path) -> PathBuf {
    let parts = path.components();
    parts
        .skip_while(|part| *part == Component::CurDir)
        .collect()
}
