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

/// A translated file of the program.
#[derive(Clone, Debug)]
pub struct Unit {
    /// What the names of its files begin with.
    pub name: String,
    /// The arguments that the C compiler needs beside.
    pub preprocessor: Vec<OsString>,
}

/// What the template prints.
#[derive(Serialize)]
struct Names {
    version: &'static str,
    sources: String,
    makefile: String,
    program_make: String,
    program_shell: String,
    units: Vec<UnitNames>,
    /// Device code of a file calls that of another.
    relocatable: bool,
    arch_flags: String,
    emulation_flags: String,
    keep_calls: &'static str,
    runtime: Vec<&'static str>,
    emulation: Vec<&'static str>,
}

/// A translated file, as make and as the shell want its names.
#[derive(Serialize)]
struct UnitNames {
    make: String,
    shell: String,
    host: String,
    kernels: String,
    preprocessor: String,
}

/// The makefile of the program `name`, translated from `sources`.
///
/// `relocatable`: device code of one unit calls that of another.
///
/// # Errors
/// When a name cannot be written in a makefile.
pub fn render(
    name: &str,
    sources: &[PathBuf],
    units: &[Unit],
    relocatable: bool,
    archs: &[Arch],
) -> Result<String, Failure> {
    let sources = sources.iter().map(|path| path.to_string_lossy());
    let sources: Vec<String> = sources.map(|s| s.replace(['\n', '\r'], " ")).collect();
    let (emulation, runtime) = runtime_library::sources(Device::Emulated)
        .into_iter()
        .partition(|file| file.starts_with("emulation/"));
    let names = Names {
        version: env!("CARGO_PKG_VERSION"),
        sources: sources.join(", "),
        makefile: in_recipe(&format!("{name}.acc.mk"))?,
        program_make: target(name)?,
        program_shell: in_recipe(name)?,
        units: units.iter().map(unit_names).collect::<Result<_, _>>()?,
        relocatable,
        arch_flags: arch::explicit_flags(if archs.is_empty() {
            &arch::DEFAULT
        } else {
            archs
        })
        .join(" "),
        emulation_flags: EMULATION.join(" "),
        keep_calls: KEEP_CALLS,
        runtime,
        emulation,
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
        host: in_recipe(&format!("{}.acc.c", unit.name))?,
        kernels: in_recipe(&format!("{}.acc.cu", unit.name))?,
        preprocessor: arguments?.join(" "),
    })
}

/// A name as a target.
fn target(name: &str) -> Result<String, Failure> {
    if name.contains(IMPOSSIBLE) {
        let message = format!(
            "the name `{}` cannot be written in a makefile",
            name.escape_debug()
        );
        return Err(Diagnostic::global(codes::MAKEFILE_PATH, message)
            .help("rename the file, or use `accrs run` or `accrs cc`, which need no makefile")
            .into());
    }
    Ok(name.replace(' ', "\\ "))
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
        };
        let units: Vec<Unit> = names.iter().map(unit).collect();
        let sources: Vec<PathBuf> = names.iter().map(|n| format!("{n}.c").into()).collect();
        render(names[0], &sources, &units, false, &[Arch(90)])
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
    fn every_unit_is_linked() {
        let text = program(&["a", "b"], &[]).unwrap();
        assert!(text.starts_with("# Generated by accrs"), "{text}");
        assert!(text.contains(" from a.c, b.c\n"), "{text}");
        assert!(text.contains("arch=compute_90,code=sm_90"), "{text}");
        let link =
            "-o a $(BUILD)/a.host.o $(BUILD)/a.device.o $(BUILD)/b.host.o $(BUILD)/b.device.o";
        assert!(text.contains(link), "{text}");
    }
}
