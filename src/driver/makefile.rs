//! `NAME.acc.mk`: builds a translated program without accrs.
//!
//! Input: the names. Output: text for make. Names stand in two places with
//! rules of their own: as targets, where make reads them, and in recipes,
//! where the shell does.

use std::ffi::OsString;
use std::path::PathBuf;

use handlebars::Handlebars;
use serde::Serialize;

use super::arch::{self, Arch};
use super::compilers::{EMULATION, KEEP_CALLS};
use super::device::Device;
use super::failure::Failure;
use super::runtime_library;
use crate::diagnostic::{Diagnostic, codes};

/// What make cannot take in a target, however it is escaped.
const IMPOSSIBLE: &[char] = &[
    '\n', '\r', '\t', ':', '%', '#', '$', '\\', '*', '?', '[', ']', '&', ';', '|', '=', '~', '"',
];

/// Folders beside a makefile.
const FOLDERS: &[&str] = &[
    "build-gpu",
    "build-emulated",
    "build-multicore",
    "accrs_runtime",
];

/// A translated file of the program.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What the names of its files begin with.
    pub name: String,
    /// The arguments that the C compiler needs beside.
    pub preprocessor: Vec<OsString>,
    /// There is a kernel file.
    pub has_kernels: bool,
}

/// What the template prints.
#[derive(Serialize)]
struct Names {
    version: &'static str,
    sources: String,
    makefile: String,
    /// The program or library.
    target_make: String,
    target_shell: String,
    is_program: bool,
    /// What removes all that was made.
    clean: &'static str,
    units: Vec<UnitNames>,
    /// Device code of a file calls that of another.
    relocatable: bool,
    nvcc_flags: String,
    /// The host's cores may share constructs.
    multicore: bool,
    emulation_flags: String,
    keep_calls: &'static str,
    /// Sources of the runtime library that are compiled as one.
    runtime: Vec<String>,
    emulation: String,
}

/// A translated file, as make and as the shell want its names.
#[derive(Serialize)]
struct UnitNames {
    make: String,
    shell: String,
    host: String,
    kernels: String,
    has_kernels: bool,
    preprocessor: String,
}

/// What a makefile makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A program, called `NAME`.
    Program,
    /// A library, `libNAME.a`, of what has no `main`.
    Library,
}

/// What the command line says of what is built.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The GPUs.
    pub archs: &'a [Arch],
    /// Flags of nvcc that choose neither architectures nor optimisation.
    pub nvcc_flags: &'a [&'a str],
    /// The host's cores may share constructs.
    pub multicore: bool,
}

/// The makefile `NAME.acc.mk`, for what is translated from `sources`.
///
/// `relocatable`: device code of one unit calls that of another.
///
/// # Errors
/// When a name cannot be written in a makefile.
pub fn render(
    name: &str,
    kind: Kind,
    sources: &[PathBuf],
    units: &[Unit],
    relocatable: bool,
    wanted: Target<'_>,
) -> Result<String, Failure> {
    let Target {
        archs,
        nvcc_flags,
        multicore,
    } = wanted;
    let name_of = |path: &PathBuf| match path.is_absolute() {
        true => path.file_name().unwrap_or_default().to_os_string(),
        false => path.clone().into_os_string(),
    };
    let sources = (sources.iter()).map(|path| name_of(path).to_string_lossy().into_owned());
    let sources: Vec<String> = sources.map(|s| s.replace(['\n', '\r'], " ")).collect();
    let (emulation, runtime): (Vec<_>, Vec<_>) = runtime_library::units(Device::Emulated)
        .into_iter()
        .partition(|files| files.iter().any(|file| file.starts_with("emulation/")));
    let made = match kind {
        Kind::Program => name.to_owned(),
        Kind::Library => format!("lib{name}.a"),
    };
    if FOLDERS.contains(&&*made) {
        return Err(impossible(&made, "is that of a folder of the makefile"));
    }
    let mut flags = arch::explicit_flags(if archs.is_empty() {
        &arch::DEFAULT
    } else {
        archs
    });
    flags.extend(nvcc_flags.iter().map(ToString::to_string));
    let names = Names {
        version: env!("CARGO_PKG_VERSION"),
        sources: sources.join(", "),
        makefile: file_in_recipe(&format!("{name}.acc.mk"))?,
        target_make: target(&made)?,
        target_shell: file_in_recipe(&made)?,
        is_program: kind == Kind::Program,
        clean: if made == "clean" {
            "clean-all"
        } else {
            "clean"
        },
        units: units.iter().map(unit_names).collect::<Result<_, _>>()?,
        relocatable,
        nvcc_flags: flags.join(" "),
        multicore,
        emulation_flags: EMULATION.join(" "),
        keep_calls: KEEP_CALLS,
        runtime: runtime.iter().map(|files| files.join(" ")).collect(),
        emulation: emulation.concat().join(" "),
    };
    let mut handlebars = Handlebars::new();
    handlebars.set_strict_mode(true);
    handlebars.register_escape_fn(handlebars::no_escape);
    let text = handlebars.render_template(include_str!("../../templates/makefile.hbs"), &names);
    Ok(text.expect("the template uses the fields of `Names` alone"))
}

fn unit_names(unit: &Unit) -> Result<UnitNames, Failure> {
    let arguments = unit.preprocessor.iter();
    let arguments: Result<Vec<String>, Failure> = arguments
        .map(|argument| in_recipe(&argument.to_string_lossy()))
        .collect();
    Ok(UnitNames {
        make: target(&unit.name)?,
        shell: in_recipe(&unit.name)?,
        host: file_in_recipe(&format!("{}.acc.c", unit.name))?,
        kernels: file_in_recipe(&format!("{}.acc.cu", unit.name))?,
        has_kernels: unit.has_kernels,
        preprocessor: arguments?.join(" "),
    })
}

/// A name as a target.
fn target(name: &str) -> Result<String, Failure> {
    if name.contains(IMPOSSIBLE) {
        return Err(impossible(name, "cannot be written in a makefile"));
    }
    Ok(name.replace(' ', "\\ "))
}

fn impossible(name: &str, why: &str) -> Failure {
    let message = format!("the name `{}` {why}", name.escape_debug());
    Diagnostic::global(codes::MAKEFILE_PATH, message)
        .help("rename the file, or use `accrs run` or `accrs cc`, which need no makefile")
        .into()
}

/// A file beside the makefile in a recipe, where no tool takes it for an option.
fn file_in_recipe(name: &str) -> Result<String, Failure> {
    match name.starts_with('-') {
        true => in_recipe(&format!("./{name}")),
        false => in_recipe(name),
    }
}

/// An argument in a recipe: quoted for the shell, then for make.
fn in_recipe(argument: &str) -> Result<String, Failure> {
    let quoted = shlex::try_quote(argument)
        .ok()
        .filter(|_| !argument.contains(['\n', '\r']));
    quoted
        .map(|quoted| quoted.replace('$', "$$").replace('#', "\\#"))
        .ok_or_else(|| {
            let message = format!(
                "the argument `{}` cannot be written in a makefile",
                argument.escape_debug()
            );
            Diagnostic::global(codes::MAKEFILE_PATH, message).into()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(names: &[&str], arguments: &[&str]) -> Result<String, Failure> {
        let unit = |name: &&str| Unit {
            name: name.to_string(),
            preprocessor: arguments.iter().map(OsString::from).collect(),
            has_kernels: *name != "host",
        };
        let units: Vec<Unit> = names.iter().map(unit).collect();
        let sources: Vec<PathBuf> = names.iter().map(|n| format!("{n}.c").into()).collect();
        render(
            names[0],
            Kind::Program,
            &sources,
            &units,
            false,
            Target {
                archs: &[Arch(90)],
                nvcc_flags: &[],
                multicore: false,
            },
        )
    }

    #[test]
    fn spaces_are_escaped_twice() {
        let text = program(&["my file"], &["-DX=a b"]).unwrap();
        assert!(text.contains("my\\ file: $(OBJECTS)"), "{text}");
        assert!(
            text.contains("$(BUILD)/my\\ file.host.o: my\\ file.acc.c"),
            "{text}"
        );
        assert!(text.contains("-c 'my file.acc.c'"), "{text}");
        assert!(text.contains("'-DX=a b'"), "{text}");
    }

    #[test]
    fn impossible_names_are_errors() {
        for name in ["a:b", "a%b", "a\nb"] {
            assert!(program(&[name], &[]).is_err(), "{name:?}");
        }
    }

    #[test]
    fn names_that_mean_something_to_tools_and_make() {
        let text = program(&["-dash"], &[]).unwrap();
        for part in [
            "-c ./-dash.acc.c",
            "-o ./-dash ",
            "build-emulated ./-dash\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let text = program(&["clean"], &[]).unwrap();
        assert!(text.contains(".PHONY: clean-all\nclean-all:"), "{text}");
        assert!(program(&["build-gpu"], &[]).is_err());
    }

    #[test]
    fn every_unit_is_linked() {
        let text = program(&["a", "b"], &[]).unwrap();
        assert!(text.starts_with("# Generated by accrs"), "{text}");
        assert!(text.contains(" from a.c, b.c\n"), "{text}");
        assert!(text.contains("arch=compute_90,code=sm_90"), "{text}");
        let link =
            "-o a $(BUILD)/a.host.o $(BUILD)/a.device.o $(BUILD)/b.host.o $(BUILD)/b.device.o";
        assert!(text.contains(link), "{text}");
    }

    #[test]
    fn a_unit_without_device_code_is_compiled_for_the_host_alone() {
        let text = program(&["host", "b"], &[]).unwrap();
        assert!(!text.contains("host.acc.cu"), "{text}");
        assert!(!text.contains("host.device"), "{text}");
        let link = "-o host $(BUILD)/host.host.o $(BUILD)/b.host.o $(BUILD)/b.device.o";
        assert!(text.contains(link), "{text}");
    }
}
