//! `accrs cc`: a C compiler that understands OpenACC.
//!
//! Input: the arguments of a C compiler. Files without directives go to the
//! host compiler with the arguments unchanged but for OpenACC's flags. A file
//! with directives is translated; its host and kernel objects are joined into
//! the one object that was asked for, so that `ar`, `make` and other linkers
//! treat it as any other. When linking, the runtime library is added where an
//! input needs it.

mod arguments;
mod depfile;
mod foreign;
mod layout;
mod link;
mod object;
mod offload;
mod response;
mod scan;

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use arguments::{Invocation, Mode, Role};
use scan::Kind;

use super::build::{self, OPENACC};
use super::compilers::Compilers;
use super::device::{self, Device};
use super::failure::{Failure, StatusRule, Success};
use super::interrupt::TemporaryFolder;
use super::render::{Nowhere, Reporter};
use super::session::Session;
use super::toolchain::{self, Tool};
use super::{process, runtime_library};
use crate::diagnostic::{Diagnostic, codes};

/// Compiles as the arguments say; the exit status.
pub fn main(arguments: &[OsString]) -> u8 {
    let parsed = Invocation::parse(arguments);
    let (format, color) = parsed.as_ref().map_or_else(
        |_| Default::default(),
        |own| (own.message_format, own.color),
    );
    let is_quiet = parsed.as_ref().is_ok_and(Invocation::hides_warnings);
    let mut reporter = Reporter::new(format.unwrap_or_default(), color).hide_warnings(is_quiet);
    if let Ok(invocation) = &parsed {
        reporter.emit(&invocation.warnings, &Nowhere);
        reporter = reporter.brief(invocation.brief, format.is_some());
        reporter = reporter.notes_to(invocation.notes_file.as_deref());
    }
    let session = Session::new(reporter);
    let result = parsed
        .map_err(|message| Failure::environment(codes::BAD_USAGE, message))
        .and_then(|invocation| {
            begin_notes(&invocation)?;
            compile(session, &invocation)
        });
    session.finish(StatusRule::Own, &result)
}

/// Empties the file for what feedback says.
fn begin_notes(invocation: &Invocation) -> Result<(), Failure> {
    let Some(file) = &invocation.notes_file else {
        return Ok(());
    };
    std::fs::write(file, "").map_err(|error| {
        let message = format!("`{}` cannot be written: {error}", file.display());
        Failure::from(Diagnostic::global(codes::OUTPUT_UNWRITABLE, message))
    })
}

/// A C file of the command line, looked at.
struct Source {
    /// Which of the invocation's words it is.
    word: usize,
    path: PathBuf,
    text: Vec<u8>,
    kind: Kind,
}

/// A whole command.
struct Compilation<'a> {
    session: Session,
    invocation: &'a Invocation,
    c: Tool,
    sources: Vec<Source>,
}

/// Performs a command line.
fn compile(session: Session, invocation: &Invocation) -> Result<Success, Failure> {
    let c = toolchain::c_compiler(&Session::variable)?;
    if invocation.print_libraries {
        return link::print_libraries(session, invocation);
    }
    // gcc answers this whatever else is said.
    let asks_version = invocation.all_words().any(|word| word == "--version");
    if asks_version || invocation.disabled || invocation.inputs().next().is_none() {
        return Err(process::replace(c.command().args(invocation.all_words())));
    }
    let mut compilation = Compilation {
        session,
        invocation,
        c,
        sources: Vec::new(),
    };
    if invocation.mode == Mode::Preprocess {
        let mut command = compilation.host_command()?;
        return Err(process::replace(command.args(invocation.all_words())));
    }
    compilation.refuse_other_languages()?;
    compilation.sources = compilation.look()?;
    if !compilation.translated().is_empty() {
        layout::refuse(&invocation.compile_flags())?;
    }
    match invocation.mode {
        Mode::Link => link::link(&compilation),
        _ => compilation.compile_each(),
    }
}

impl Compilation<'_> {
    /// The host compiler as every file sees it: with `_OPENACC` and our
    /// `openacc.h`.
    fn host_command(&self) -> Result<Command, Failure> {
        let mut command = self.c.command();
        command.args(openacc_flags(self.invocation)?);
        Ok(command)
    }

    /// Reads the C files and finds out which have directives.
    fn look(&self) -> Result<Vec<Source>, Failure> {
        let flags = self.invocation.compile_flags();
        let mut sources = Vec::new();
        for (word, path) in self.invocation.sources() {
            // The host compiler says of a missing file what it always says.
            let Some(text) = read(path) else { continue };
            let denies_others = self.invocation.options.denies_others;
            let kind = scan::kind(path, &text, self.host_command()?, &flags, denies_others)?;
            sources.push(Source {
                word,
                path: path.clone(),
                text,
                kind,
            });
        }
        Ok(sources)
    }

    /// Files in other languages are the host compiler's, which would ignore
    /// their directives.
    fn refuse_other_languages(&self) -> Result<(), Failure> {
        let flags = self.invocation.compile_flags();
        for word in &self.invocation.words {
            let Role::Input(path) = &word.role else {
                continue;
            };
            let Some(language) = word.other_language(path) else {
                continue;
            };
            // Standard input is left to the compiler that reads it.
            let Ok(text) = std::fs::read(path) else {
                continue;
            };
            if scan::has_directives(language, path, &text, self.host_command()?, &flags)? {
                return Err(Failure::input(language.with_directives(path)));
            }
        }
        Ok(())
    }

    /// The files that are more than the host compiler's: with directives, or
    /// CUDA.
    fn translated(&self) -> Vec<&Source> {
        let ours = [Kind::Directives, Kind::Cuda];
        self.sources
            .iter()
            .filter(|source| ours.contains(&source.kind))
            .collect()
    }

    /// Whether the one source is the whole program: nothing else that is linked
    /// can call a routine of it.
    fn is_alone(&self) -> bool {
        // Libraries of the system have no device code.
        let folders = link::library_folders(self);
        let own = self.invocation.inputs().filter(|word| match &word.role {
            Role::Library(name) => link::library_file(&folders, name).is_some(),
            _ => true,
        });
        own.count() == 1
    }

    /// `-c`, `-S`, `-fsyntax-only`: one output a file.
    fn compile_each(&self) -> Result<Success, Failure> {
        let translated = self.translated();
        if translated.is_empty() {
            return self.pass_through();
        }
        if self.invocation.mode == Mode::Assembly {
            let message = "`-S` of a file with directives or kernels is not supported yet";
            return Err(Diagnostic::global(codes::OPTION_NOT_SUPPORTED, message)
                .help("`-c` makes its object; `accrs translate` shows what it becomes")
                .into());
        }
        let inputs = self.invocation.inputs();
        let inputs = inputs.filter(|word| !matches!(word.role, Role::Library(_)));
        let inputs = inputs.count();
        if self.invocation.output.is_some() && inputs > 1 {
            let message = "`-o` names one file, but several are compiled";
            return Err(Failure::environment(codes::BAD_USAGE, message));
        }
        if inputs > translated.len() {
            self.compile_plain(&translated)?;
        }
        let archs = &self.invocation.options.archs;
        let compilers = Compilers::find(self.invocation.device, archs, &Session::variable)?
            .sharing_cores(self.invocation.options.multicore)?;
        for source in translated {
            let folder = TemporaryFolder::new()?;
            object::compile(self, source, &compilers, folder.path())?;
        }
        Ok(Success::Done)
    }

    /// The host compiler with everything, in our place.
    fn pass_through(&self) -> Result<Success, Failure> {
        let mut command = self.host_command()?;
        command.args(self.invocation.all_words());
        // Standard input has been read where `-` is an input.
        let Some(piped) = self
            .sources
            .iter()
            .find(|source| source.path.as_os_str() == "-")
        else {
            return Err(process::replace(&mut command));
        };
        let mut output = process::capture(&mut command, &piped.text, None)?;
        if self.invocation.output.is_none() {
            self.session.print(&output.stdout)?;
            output.stdout.clear();
        }
        build::pass_on(&output);
        match output.status.success() {
            true => Ok(Success::Done),
            false => Err(Failure::Tool(process::shell_status(output.status))),
        }
    }

    /// The host compiler with the files that are not translated.
    fn compile_plain(&self, translated: &[&Source]) -> Result<(), Failure> {
        let mut command = self.host_command()?;
        for (index, word) in self.invocation.words.iter().enumerate() {
            if !translated.iter().any(|source| source.word == index) {
                command.args(&word.text);
            }
        }
        process::succeed(&mut command)
    }
}

/// The flags that make a compiler one of OpenACC, before all others. What asks
/// C++ or Fortran for OpenACC, as CMake does, has to learn that there is none.
fn openacc_flags(invocation: &Invocation) -> Result<Vec<OsString>, Failure> {
    let mut flags = Vec::new();
    let defines = |word: &OsString| {
        word.to_string_lossy()
            .trim_start_matches("-D")
            .starts_with("_OPENACC")
    };
    if !invocation.all_words().any(defines) && !invocation.is_all_foreign() {
        flags.push(OPENACC.into());
    }
    let [own, cuda] = runtime_library::headers(&Session::variable)?;
    flags.extend(["-isystem".into(), own.into_os_string()]);
    // A GPU's programs find those of the CUDA that they are linked with.
    if device::choose(invocation.device, &Session::variable)
        .is_ok_and(|device| device != Device::Gpu)
    {
        flags.extend(["-idirafter".into(), cuda.into_os_string()]);
    }
    Ok(flags)
}

/// The text of a file, or of standard input.
fn read(path: &Path) -> Option<Vec<u8>> {
    if path.as_os_str() != "-" {
        return std::fs::read(path).ok();
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).ok().map(|_| text)
}

/// The dependency file of a source that is compiled and linked in one go; it
/// is named after the source, unless `-MF` names it.
fn depfile_of_link(
    compilation: &Compilation,
    source: &Source,
    compilers: &Compilers,
    folder: &Path,
) -> Result<(), Failure> {
    let object = PathBuf::from(source.path.file_stem().unwrap_or("a".as_ref())).with_extension("o");
    match depfile::make(compilation, source, compilers, &object, folder)? {
        Some((made, wanted)) => super::output::place(&made, &wanted),
        None => Ok(()),
    }
}
