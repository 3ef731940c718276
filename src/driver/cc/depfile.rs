//! Dependency files of translated sources: `-MMD -MF x.d` and the like.
//!
//! The host compiler writes them, over the file as the user has it, so that
//! they name that file and its headers and not the generated ones.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::scan::{self, Kind};
use super::{Compilation, Source};
use crate::driver::build::UnitFlags;
use crate::driver::compilers::Compilers;
use crate::driver::device::Device;
use crate::driver::failure::Failure;
use crate::driver::output::unwritable;
use crate::driver::process;
use crate::driver::runtime_library;
use crate::driver::session::Session;
use crate::front::cuda::FIRST_HEADER;

/// Makes the dependency file in a temporary folder; it and the place where it
/// is wanted, or nothing where none is asked for.
///
/// # Errors
/// When the host compiler fails; it has said why.
pub(super) fn make(
    compilation: &Compilation,
    source: &Source,
    compilers: &Compilers,
    object: &Path,
    folder: &Path,
) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
    let asked = Asked::read(&compilation.invocation.dependency_flags());
    if !asked.wanted {
        return Ok(None);
    }
    let made = folder.join("dependencies.d");
    let mut command = match source.kind {
        Kind::Cuda => of_cuda(compilation, compilers, &asked)?,
        _ => {
            let mut command = compilation.host_command()?;
            command
                .args(compilation.invocation.compile_flags())
                .args(&asked.rest)
                .args(["-E", "-o", "/dev/null", "-x", "c"]);
            command
        }
    };
    command.arg("-MF").arg(&made);
    if !asked.has_target {
        let flag = match (source.kind, compilers.device()) {
            (Kind::Cuda, Device::Gpu) => "-MT",
            _ => "-MQ",
        };
        command.arg(flag).arg(object);
    }
    command.arg(&source.path);
    let output = process::capture(
        &mut command,
        scan::text_for(&source.path, &source.text),
        Some(folder),
    )?;
    if !output.status.success() {
        crate::driver::build::pass_on(&output);
        return Err(Failure::Tool(output.code()));
    }
    if source.kind == Kind::Cuda {
        leave_out_own_headers(&made, compilers)?;
    }
    Ok(Some((
        made,
        asked.file.unwrap_or_else(|| object.with_extension("d")),
    )))
}

/// The compiler of a CUDA file, asked for what it includes; headers of the system, among which the
/// emulation's are, are left out.
fn of_cuda(
    compilation: &Compilation,
    compilers: &Compilers,
    asked: &Asked,
) -> Result<Command, Failure> {
    let runtime = runtime_library::ready(compilers, &Session::variable)?;
    let flags = UnitFlags {
        host: compilation.invocation.compile_flags(),
        ..UnitFlags::default()
    };
    let mut command =
        compilers.cuda_source(&runtime.include(), &runtime.emulated_headers(), &flags);
    let rest = asked
        .rest
        .iter()
        .filter(|flag| *flag != "-MD" && *flag != "-MMD");
    command.args(rest);
    match compilers.device() {
        Device::Gpu => command.args(["-MM", "-x", "cu"]),
        Device::Emulated | Device::Multicore => {
            command.args(["-E", "-MMD", "-o", "/dev/null", "-x", "c++"])
        }
    };
    Ok(command)
}

/// Leaves out headers of CUDA and of the emulation, which are none of the program's.
fn leave_out_own_headers(made: &Path, compilers: &Compilers) -> Result<(), Failure> {
    let runtime = runtime_library::ready(compilers, &Session::variable)?;
    let text = fs::read_to_string(made).map_err(|error| unwritable(made, &error))?;
    let text = without(&text, &runtime.folder().to_string_lossy());
    fs::write(made, text).map_err(|error| unwritable(made, &error))
}

/// Rules without the files in a folder, and in that of [`FIRST_HEADER`].
fn without(text: &str, folder: &str) -> String {
    let joined = text.replace("\\\n", " ");
    // A space in a name is escaped.
    let hidden = joined.replace("\\ ", "\0").replace(" : ", ": ");
    let of_cuda = hidden
        .split_whitespace()
        .find_map(|word| word.strip_suffix(FIRST_HEADER));
    let is_own = |word: &str| {
        word.starts_with(folder) || of_cuda.is_some_and(|folder| word.starts_with(folder))
    };
    let rules = hidden.lines().filter_map(|line| {
        let mut words = line.split_whitespace().filter(|word| !is_own(word));
        let first = words.next()?;
        let rest: String = words.map(|word| format!(" \\\n  {word}")).collect();
        Some(format!("{first}{rest}\n"))
    });
    rules.collect::<String>().replace('\0', "\\ ")
}

/// What the flags ask for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Asked {
    /// Whether a file is asked for at all.
    wanted: bool,
    /// `-MF`.
    file: Option<PathBuf>,
    /// Whether `-MT` or `-MQ` name the target.
    has_target: bool,
    /// The flags but for `-MF`.
    rest: Vec<OsString>,
}

impl Asked {
    fn read(flags: &[OsString]) -> Self {
        let mut asked = Self::default();
        let mut words = flags.iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy();
            if let Some(value) = text.strip_prefix("-MF") {
                let following = |word: &OsString| PathBuf::from(word);
                asked.file = if value.is_empty() {
                    words.next().map(following)
                } else {
                    Some(value.into())
                };
                continue;
            }
            if let Some((flag, file)) = text
                .strip_prefix("-Wp,")
                .and_then(|rest| rest.split_once(','))
            {
                // `-Wp,-MMD,x.d`, as the makefiles of Linux have it
                asked.wanted = true;
                asked.file = Some(file.into());
                asked.rest.push(flag.into());
                continue;
            }
            asked.wanted |= text == "-MD" || text == "-MMD";
            if text.starts_with("-MT") || text.starts_with("-MQ") {
                asked.has_target = true;
                asked.rest.push(word.clone());
                if text.len() == 3 {
                    asked.rest.extend(words.next().cloned());
                }
                continue;
            }
            asked.rest.push(word.clone());
        }
        asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Asked {
        Asked::read(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn headers_of_cuda_are_left_out() {
        let made = "x.o : x.cu \\\n /c/first.hpp a\\ b.h \\\n /n/bin/..//include/FIRST \\\n \
                    /n/bin/..//include/crt/x.h k.cuh\n/c/first.hpp:\na\\ b.h:\n";
        let expected = "x.o: \\\n  x.cu \\\n  a\\ b.h \\\n  k.cuh\na\\ b.h:\n";
        let made = made.replace("FIRST", FIRST_HEADER);
        assert_eq!(without(&made, "/c"), expected);
    }

    #[test]
    fn spellings() {
        let expected = Asked {
            wanted: true,
            file: Some("x.d".into()),
            has_target: true,
            rest: ["-MMD", "-MT", "x.o", "-MP"].map(OsString::from).to_vec(),
        };
        assert_eq!(read("-MMD -MF x.d -MT x.o -MP"), expected);
        assert_eq!(read("-MMD -MFx.d -MT x.o -MP"), expected);
        let asked = read("-Wp,-MMD,x.d");
        assert_eq!(
            (asked.wanted, asked.file, asked.rest),
            (true, Some("x.d".into()), vec!["-MMD".into()])
        );
        assert!(!read("-MP").wanted);
    }
}
