//! The device code of a program whose files share routines.
//!
//! On a GPU such files have relocatable device code, which a linker of its
//! own puts together. Input: what the host's linker is given. Output: one more
//! object for it, with the machine code of all and the calls by which each
//! file announces itself. Which members of archives take part, the host's
//! linker decides: it is asked first. Routines have symbols on the host too,
//! so that one which only device code calls is found as any other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::build;
use super::compilers::Compilers;
use super::failure::Failure;
use super::output::unwritable;
use super::process::{self, ToolOutput};
use crate::diagnostic::{Diagnostic, codes};

/// The section of objects that have relocatable device code.
const SECTION: &[u8] = b"__nv_relfatbin";

/// What symbols of routines begin with.
const ROUTINE: &str = "accrs_routine_";

/// Whether a file has relocatable device code.
fn is_relocatable(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, SECTION).is_some()
}

/// What there is to link.
pub(super) struct Parts {
    /// Objects, those of translated sources among them.
    objects: Vec<PathBuf>,
    /// Some archive has device code.
    archives: bool,
}

impl Parts {
    /// Searches what the host's linker is given.
    pub(super) fn find(inputs: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut parts = Self {
            objects: Vec::new(),
            archives: false,
        };
        let relocatable = |path: &Path| fs::read(path).is_ok_and(|bytes| is_relocatable(&bytes));
        for path in inputs.into_iter().filter(|path| relocatable(path)) {
            let is_archive = path.extension().is_some_and(|suffix| suffix == "a");
            // A shared library has been linked with its own.
            if path.to_string_lossy().contains(".so") {
                continue;
            }
            if is_archive {
                parts.archives = true;
            } else {
                parts.objects.push(path);
            }
        }
        parts
    }

    /// Whether any file has relocatable device code.
    pub(super) fn any(&self) -> bool {
        self.archives || !self.objects.is_empty()
    }

    /// Objects joined by the host's linker cannot be linked on the device.
    pub(super) fn check_joining(&self) -> Result<(), Failure> {
        if self.objects.len() < 2 && !self.archives {
            return Ok(());
        }
        let message = "objects that share routines on a GPU cannot be joined by `-r`";
        Err(Diagnostic::global(codes::DEVICE_CODE_JOINED, message)
            .help("put them into an archive with `ar`, or link them with `accrs cc`")
            .into())
    }

    /// Links the device code; `host` is the host's whole link but for the
    /// output.
    pub(super) fn link(
        mut self,
        compilers: &Compilers,
        host: impl Fn() -> Result<Command, Failure>,
        folder: &Path,
    ) -> Result<PathBuf, Failure> {
        if self.archives {
            self.objects
                .extend(members(host()?, &self.objects, folder)?);
        }
        let object = folder.join("device.o");
        let Some(mut command) = compilers.device_linker() else {
            let message = "relocatable device code without nvcc";
            return Err(Failure::environment(codes::INTERNAL, message));
        };
        command.args(&self.objects).arg("-o").arg(&object);
        let output = process::capture(&mut command, b"", Some(folder))?;
        pass_on(&output);
        if output.status.success() {
            return Ok(object);
        }
        Err(failure(&output, "the device code does not link"))
    }
}

/// Asks the host's linker which members of archives the program has, and
/// brings those with device code into a folder.
fn members(mut host: Command, known: &[PathBuf], folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let trial = folder.join("trial");
    host.args(["-Wl,--trace,--trace", "-Wl,--unresolved-symbols=ignore-all"])
        .arg("-o")
        .arg(&trial);
    let output = process::capture(&mut host, b"", Some(folder))?;
    if !output.status.success() {
        build::pass_on(&output);
        return Err(failure(&output, "the program does not link"));
    }
    let mut found = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Some((archive, member)) = member_of(line) else {
            // A thin archive names the files themselves, as they are.
            let path = PathBuf::from(line);
            let is_new = path.extension().is_some_and(|suffix| suffix == "o")
                && !known.contains(&path)
                && !found.contains(&path);
            if is_new && fs::read(&path).is_ok_and(|bytes| is_relocatable(&bytes)) {
                found.push(path);
            }
            continue;
        };
        let mut print = Command::new("ar");
        print.arg("p").arg(archive).arg(member);
        let contents = process::capture(&mut print, b"", Some(folder))?.stdout;
        if !is_relocatable(&contents) {
            continue;
        }
        let path = folder.join(format!("member{}.o", found.len()));
        fs::write(&path, contents).map_err(|error| unwritable(&path, &error))?;
        found.push(path);
    }
    Ok(found)
}

/// `(libx.a)y.o` as GNU's linker prints it, `libx.a(y.o)` as LLVM's.
fn member_of(line: &str) -> Option<(&str, &str)> {
    if let Some(rest) = line.strip_prefix('(') {
        return rest.split_once(')');
    }
    line.strip_suffix(')')?.rsplit_once('(')
}

/// What a linker's failure means, if not one of its own.
fn failure(output: &ToolOutput, message: &str) -> Failure {
    explained(output).unwrap_or_else(|| {
        let diagnostic = Diagnostic::global(codes::GENERATED_CODE, message);
        Failure::input(diagnostic.note("the messages above are the linker's"))
    })
}

/// Passes a linker's messages on, unless routines are all that it misses: then the failure that
/// [`explained`] gives says it.
pub(super) fn pass_on(output: &ToolOutput) {
    if output.status.success() || !misses_routines_alone(&output.text()) {
        build::pass_on(output);
    }
}

/// Whether each of a linker's messages is about a routine, or says where, or that it failed.
fn misses_routines_alone(said: &str) -> bool {
    let is_frame = |line: &str| {
        let frames = [
            "in function",
            "ld returned",
            "linker command failed",
            ">>> ",
        ];
        line.trim().is_empty() || frames.iter().any(|frame| line.contains(frame))
    };
    let mut lines = said.lines().filter(|line| !is_frame(line)).peekable();
    lines.peek().is_some()
        && lines
            .all(|line| line.to_ascii_lowercase().contains("undefined") && line.contains(ROUTINE))
}

/// The failure of a linker that misses routines.
pub(super) fn explained(output: &ToolOutput) -> Option<Failure> {
    let missing = missing_routines(&output.text());
    if missing.is_empty() {
        return None;
    }
    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let message = format!(
        "no file that is linked has the routine{} {} for the device",
        if names.len() == 1 { "" } else { "s" },
        names.join(", ")
    );
    let diagnostic = Diagnostic::global(codes::ROUTINE_MISSING, message).help(
        "the file that defines it needs `#pragma acc routine` at its definition or declaration, and `accrs cc` as its compiler",
    );
    Some(Failure::input(diagnostic))
}

/// The routines that a linker's messages name, in order.
fn missing_routines(said: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let undefined = said
        .lines()
        .filter(|line| line.to_ascii_lowercase().contains("undefined"));
    for line in undefined {
        for (at, _) in line.match_indices(ROUTINE) {
            let rest = &line[at + ROUTINE.len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = &rest[..end.unwrap_or(rest.len())];
            let name = name.strip_suffix("_exported").unwrap_or(name);
            if !name.is_empty() && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_in_both_spellings() {
        assert_eq!(member_of("(./libx.a)y.o"), Some(("./libx.a", "y.o")));
        assert_eq!(
            member_of("lib(1)/libx.a(y.o)"),
            Some(("lib(1)/libx.a", "y.o"))
        );
        assert_eq!(member_of("main.o"), None);
    }

    #[test]
    fn what_else_a_linker_says_is_passed_on() {
        let missing = "/usr/bin/ld: a.o: in function `void run<f_acc>()':\n\
                       (.text+0x92): undefined reference to `accrs_routine_f'\n";
        let end = "collect2: error: ld returned 1 exit status\n";
        assert!(misses_routines_alone(&format!("{missing}{end}")));
        let other = "a.o: undefined reference to `sqrt'\n";
        assert!(!misses_routines_alone(&format!("{missing}{other}{end}")));
        let nvlink = "nvlink error   : Undefined reference to 'accrs_routine_g' in 'a.o'\n";
        assert!(misses_routines_alone(nvlink));
        assert!(!misses_routines_alone(end));
    }

    #[test]
    fn routines_of_messages() {
        let said = "a.o: undefined reference to `accrs_routine_f_exported'\n\
                    nvlink error: Undefined reference to 'accrs_routine_g' in 'a.o'\n\
                    a.o: undefined reference to `accrs_routine_f_exported'\n\
                    a.o: in function `accrs_routine_h'\n";
        assert_eq!(missing_routines(said), ["f", "g"]);
    }
}
