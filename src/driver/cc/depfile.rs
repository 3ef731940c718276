//! Dependency files of translated sources: `-MMD -MF x.d` and the like.
//!
//! The host compiler writes them, over the file as the user has it, so that
//! they name that file and its headers and not the generated ones.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::scan::{self, Kind};
use super::{Compilation, Source};
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::failure::Failure;
use crate::driver::process;

/// Makes the dependency file in a temporary folder; it and the place where it
/// is wanted, or nothing where none is asked for.
///
/// # Errors
/// When the host compiler fails; it has said why.
pub(super) fn make(
    compilation: &Compilation,
    source: &Source,
    object: &Path,
    folder: &Path,
) -> Result<Option<(PathBuf, PathBuf)>, Failure> {
    let asked = Asked::read(&compilation.invocation.dependency_flags());
    if !asked.wanted {
        return Ok(None);
    }
    if source.kind == Kind::Cuda {
        let message = "a dependency file of a CUDA file is not supported yet";
        return Err(Diagnostic::global(codes::OPTION_NOT_SUPPORTED, message)
            .help("leave out `-MD`, `-MMD` and `-MF`, or let nvcc make the file")
            .into());
    }
    let made = folder.join("dependencies.d");
    let mut command = compilation.host_command()?;
    command
        .args(compilation.invocation.compile_flags())
        .args(&asked.rest);
    command.arg("-MF").arg(&made);
    if !asked.has_target {
        command.arg("-MQ").arg(object);
    }
    command
        .args(["-E", "-o", "/dev/null", "-x", "c"])
        .arg(&source.path);
    let output = process::capture(
        &mut command,
        scan::text_for(&source.path, &source.text),
        Some(folder),
    )?;
    if !output.status.success() {
        crate::driver::build::pass_on(&output);
        return Err(Failure::Tool(output.code()));
    }
    Ok(Some((
        made,
        asked.file.unwrap_or_else(|| object.with_extension("d")),
    )))
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
