//! A CUDA file as its compiler is to read it.
//!
//! Input: a file. Output: its text with the launches tuned that pragmas of AUTO-CTA ask for
//! ([`autocta`]), and with what MESI-CUDA adds to CUDA written out ([`mesi`]); for the emulation
//! as C++ with its launches as calls ([`launches`]) and with shifts as a GPU makes them ([`Shifts`]),
//! and copies of those included files that have any as well, or include one that has:
//!
//! ```text
//! #include "kernels.cu"      #include "/tmp/…/included1_kernels.cu"
//! ```
//!
//! Only what is beside a file, and where `-I` and `-iquote` say, is looked at.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::failure::Failure;
use super::launches;
use super::memory::Memory;
use super::output::unwritable;
use super::render::Reporter;
use super::sources::FileSource;
use crate::back::MARK;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, codes};
use crate::front::cuda::{Edits, File, Lines, Shifts};
use crate::front::{autocta, mesi};
use crate::source::SourceFile;
use crate::source::lexer::{self, Language, TokenKind};

/// The macros with which arrays of AUTO-CTA's kernels stay where they are.
const UNPLACED: [&str; 2] = ["#define ACCRS_CTA_PLACEMENT 0", "#define ACCRS_CTA_BLOCK "];

/// A CUDA file as its compiler is to read it.
#[derive(Debug)]
pub struct CudaFile {
    path: PathBuf,
    /// Its bytes.
    text: Vec<u8>,
    /// What directives and MESI-CUDA change of it.
    edits: Edits,
    /// What stands before the first line, if it has changed.
    before: String,
    /// It has something to translate, if it changes or not.
    is_asked: bool,
}

impl CudaFile {
    /// Reads a file, and tunes its launches.
    ///
    /// # Errors
    /// When it cannot be read or has an error, which has been shown.
    pub fn read(
        path: &Path,
        flags: &[OsString],
        feedback: bool,
        reporter: Reporter,
    ) -> Result<Self, Failure> {
        let file = SourceFile::read(path).map_err(Failure::input)?;
        let mut included = Vec::new();
        let searched = searched(flags);
        let mut known = HashSet::new();
        add_included(&file.bytes, path, &searched, &mut known, &mut included);
        let own = std::iter::once((path, &file.bytes));
        for (path, text) in own.chain(included.iter().map(|(path, text)| (&**path, text))) {
            if let Some(problem) = File::new(text).texture_reference() {
                reporter.emit([&problem], &FileSource::new(path, text));
                return Err(Failure::Reported);
            }
        }
        if let Some(warning) = File::new(&file.bytes).directive_of_c() {
            reporter.emit([&warning], &FileSource::new(path, &file.bytes));
        }
        for (path, text) in &included {
            if autocta::is_used(text) {
                return Err(Failure::input(autocta::in_included(path)));
            }
            if mesi::is_used(text) {
                return Err(Failure::input(mesi::in_included(path)));
            }
        }
        let (is_tuned, is_shared) = (autocta::is_used(&file.bytes), mesi::is_used(&file.bytes));
        let mut own = Self {
            path: path.into(),
            edits: Edits::default(),
            before: String::new(),
            is_asked: is_shared || !has_suffix(path, "cu"),
            text: file.bytes,
        };
        if !is_tuned && !is_shared {
            return Ok(own);
        }
        let defined = defined(flags);
        let mut included: Vec<&[u8]> = included.iter().map(|(_, text)| &text[..]).collect();
        included.push(defined.as_bytes());
        let mut diagnostics = Diagnostics::new();
        let mut arrays = mesi::Arrays::default();
        if is_tuned {
            let tuned = autocta::tune(&own.text, &included, feedback, &mut diagnostics);
            own.before += tuned.before();
            own.is_asked |= tuned.pragmas > 0;
            own.edits.extend(tuned.edits);
            arrays.shared = tuned.arrays;
            let is_set = |line: &str| UNPLACED.iter().any(|set| line.starts_with(set));
            if !defined.lines().any(is_set) {
                arrays.kernels = tuned.kernels;
            }
        }
        if is_shared || !arrays.shared.is_empty() {
            let edits = mesi::translate(&own.text, &included, &arrays, feedback, &mut diagnostics);
            own.before += &mesi::runtime(&own.text, &included);
            own.edits.extend(edits);
        } else if !arrays.kernels.is_empty() {
            let edits = mesi::place(&own.text, &included, &arrays, feedback, &mut diagnostics);
            own.edits.extend(edits);
        }
        reporter.emit(diagnostics.iter(), &FileSource::new(path, &own.text));
        match diagnostics.has_errors() {
            true => Err(Failure::Reported),
            false => Ok(own),
        }
    }

    /// Whether anything in it has changed.
    pub fn is_changed(&self) -> bool {
        !self.before.is_empty() || !has_suffix(&self.path, "cu")
    }

    /// Whether it has something to translate.
    pub fn is_asked(&self) -> bool {
        self.is_asked
    }

    /// A warning where `--memory unified` is asked for: these dialects say what memory there is.
    pub fn keeps_memory(&self, memory: Memory) -> Option<Diagnostic> {
        let name = self.path.file_name().unwrap_or_default();
        let message = format!(
            "`--memory unified` changes nothing in `{}`: it is CUDA, with memory of the device",
            name.display()
        );
        (memory.is_unified() && self.is_asked).then(|| Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::global(codes::OPTION_NOT_SUPPORTED, message)
                .help("leave the option out: it is for OpenACC in C")
        })
    }

    /// The text as a person may read it.
    pub fn translated(&self) -> Vec<u8> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let first = format!("// {MARK} {} from {name}\n", env!("CARGO_PKG_VERSION"));
        let text = self.edits.apply_with(&self.text, Lines::New);
        [first.as_bytes(), self.before.as_bytes(), &text].concat()
    }

    /// The text, whose lines are those of the user's file to a compiler.
    pub fn with_lines(&self) -> Vec<u8> {
        marked(&self.path, &self.before, &self.edits.apply(&self.text))
    }

    /// The same as C++; copies of what it includes go to `folder`.
    ///
    /// # Errors
    /// When a copy cannot be written.
    pub fn emulated(&self, flags: &[OsString], folder: &Path) -> Result<Vec<u8>, Failure> {
        let text = self.edits.apply(&self.text);
        let searched = searched(flags);
        let (mut files, mut known) = (Vec::new(), HashSet::new());
        add_included(&text, &self.path, &searched, &mut known, &mut files);
        let defined = defined(flags);
        let included = files.iter().map(|(_, text)| &text[..]);
        let shifts = Shifts::of(included.chain([&text[..], defined.as_bytes()]));
        let mut included = Included {
            searched,
            folder,
            shifts,
            copies: HashMap::new(),
        };
        let mut edits = included.own_edits(&text);
        included.redirect(&text, &self.path, &mut edits)?;
        Ok(marked(&self.path, &self.before, &edits.apply(&text)))
    }
}

/// The folder of a file.
pub fn beside(source: &Path) -> &Path {
    let folder = source.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Whether the name of a file ends so.
fn has_suffix(path: &Path, suffix: &str) -> bool {
    path.extension().is_some_and(|own| own == suffix)
}

/// Adds all files that one includes, each once.
fn add_included(
    text: &[u8],
    path: &Path,
    searched: &[PathBuf],
    known: &mut HashSet<PathBuf>,
    files: &mut Vec<(PathBuf, Vec<u8>)>,
) {
    for (_, name, is_own) in includes(text) {
        let Some(found) = find(is_own.then_some(path), &name, searched) else {
            continue;
        };
        if !known.insert(absolute(&found)) {
            continue;
        }
        // What cannot be read is for the compiler to say.
        if let Ok(file) = SourceFile::read(&found) {
            files.push((found.clone(), file.bytes.clone()));
            add_included(&file.bytes, &found, searched, known, files);
        }
    }
}

/// The file that `#include "…"` in another one means, or `#include <…>` in any.
fn find(includer: Option<&Path>, name: &str, searched: &[PathBuf]) -> Option<PathBuf> {
    let beside = includer.map(|includer| includer.with_file_name(name));
    let elsewhere = searched.iter().map(|folder| folder.join(name));
    let mut places = beside.into_iter().chain(elsewhere);
    places.find(|place| place.is_file())
}

fn absolute(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.into())
}

/// A text that says in its first line where it is from.
fn marked(source: &Path, before: &str, text: &[u8]) -> Vec<u8> {
    let name = source.to_string_lossy();
    let name = name.replace('\\', r"\\").replace('"', "\\\"");
    let mark = format!("{before}#line 1 \"{name}\"\n");
    [mark.as_bytes(), text].concat()
}

/// The folders of the user in which a compiler looks for what is included.
fn searched(flags: &[OsString]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut flags = flags.iter().map(|flag| flag.to_string_lossy());
    while let Some(flag) = flags.next() {
        let folder = ["-iquote", "-I"]
            .iter()
            .find_map(|name| flag.strip_prefix(name));
        match folder {
            Some("") => folders.extend(flags.next().map(|folder| PathBuf::from(&*folder))),
            Some(folder) => folders.push(folder.into()),
            None => {}
        }
    }
    folders
}

/// Where the name of an included file stands, and the file.
type Place = (Range<usize>, PathBuf);

/// The macros that `-D` defines, as a file would.
fn defined(flags: &[OsString]) -> String {
    let mut text = String::new();
    let mut flags = flags.iter().map(|flag| flag.to_string_lossy());
    while let Some(flag) = flags.next() {
        let written = match flag.strip_prefix("-D") {
            Some("") => flags.next().unwrap_or_default(),
            Some(written) => written.to_owned().into(),
            None => continue,
        };
        text += &format!("#define {}\n", written.replacen('=', " ", 1));
    }
    text
}

/// The files that a CUDA file includes.
struct Included<'f> {
    searched: Vec<PathBuf>,
    folder: &'f Path,
    shifts: Shifts,
    /// The copy of each that needs one; of one that is being read, if its own text does.
    copies: HashMap<PathBuf, Option<PathBuf>>,
}

impl Included<'_> {
    /// The edits of a text but for what it includes.
    fn own_edits(&self, text: &[u8]) -> Edits {
        let mut edits = launches::in_written(text);
        edits.extend(self.shifts.edits(text));
        edits
    }

    /// Adds the edits for what a text includes; gives what of this needs no copy.
    fn redirect(
        &mut self,
        text: &[u8],
        path: &Path,
        edits: &mut Edits,
    ) -> Result<Vec<Place>, Failure> {
        let mut others = Vec::new();
        for (range, name, is_own) in includes(text) {
            let Some(found) = find(is_own.then_some(path), &name, &self.searched) else {
                continue;
            };
            match self.copy(&found)? {
                Some(copy) => edits.replace(range, &quoted(&copy)),
                None => others.push((range, found)),
            }
        }
        Ok(others)
    }

    /// The copy of a file, if it needs one.
    fn copy(&mut self, path: &Path) -> Result<Option<PathBuf>, Failure> {
        let key = absolute(path);
        if let Some(known) = self.copies.get(&key) {
            return Ok(known.clone());
        }
        self.copies.insert(key.clone(), None);
        // What cannot be read is for the compiler to say.
        let Ok(file) = SourceFile::read(path) else {
            return Ok(None);
        };
        let name = path.file_name().unwrap_or(OsStr::new("file"));
        let name = format!("included{}_{}", self.copies.len(), name.to_string_lossy());
        let copy = self.folder.join(name);
        let mut edits = self.own_edits(&file.bytes);
        if !edits.is_empty() {
            self.copies.insert(key.clone(), Some(copy.clone()));
        }
        let others = self.redirect(&file.bytes, path, &mut edits)?;
        if edits.is_empty() {
            return Ok(None);
        }
        for (range, other) in others {
            edits.replace(range, &quoted(&absolute(&other)));
        }
        let text = marked(path, "", &edits.apply(&file.bytes));
        fs::write(&copy, text).map_err(|error| unwritable(&copy, &error))?;
        self.copies.insert(key, Some(copy.clone()));
        Ok(Some(copy))
    }
}

fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display())
}

/// What each `#include "NAME"` or `<NAME>` of a text names, where this stands, and whether it is
/// in quotes.
fn includes(text: &[u8]) -> Vec<(Range<usize>, String, bool)> {
    let tokens = lexer::lex_as(Language::Cxx, text).tokens;
    let directives = tokens.iter().filter(|t| t.kind == TokenKind::Directive);
    let included = directives.filter_map(|directive| {
        let line = directive.text(text);
        if lexer::directive_name(line) != b"include" {
            return None;
        }
        let first = memchr::memchr2(b'"', b'<', line)?;
        let is_own = line[first] == b'"';
        let end = if is_own { b'"' } else { b'>' };
        let last = first + 1 + memchr::memchr(end, &line[first + 1..])?;
        let name = String::from_utf8(line[first + 1..last].to_vec()).ok()?;
        let start = directive.start as usize;
        Some((start + first..start + last + 1, name, is_own))
    });
    included.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::render::{Color, MessageFormat};

    #[test]
    fn files_with_launches_are_copied_with_those_that_include_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let launch = format!("k{}1, 2{}(3);\n", "<".repeat(3), ">".repeat(3));
        fs::create_dir(path("sub")).unwrap();
        fs::create_dir(path("made")).unwrap();
        fs::write(path("plain.h"), "int plain;\n").unwrap();
        fs::write(path("sub/deep.cu"), &launch).unwrap();
        fs::write(path("sub/near.h"), "#include \"middle.cu\"\n").unwrap();
        let middle = "#include \"deep.cu\"\n# include \"near.h\" // \"x\"\n#include <map>\n";
        fs::write(path("sub/middle.cu"), middle).unwrap();
        let main = "#include \"plain.h\"\n#include \"middle.cu\"\n#include \"deep.cu\"\n";
        fs::write(path("main.cu"), main).unwrap();
        let flags = [OsString::from("-I"), path("sub").into()];

        let made = path("made");
        let reporter = Reporter::new(MessageFormat::Human, Color::Never);
        let main = CudaFile::read(&path("main.cu"), &flags, false, reporter).unwrap();
        let text = main.emulated(&flags, &made).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            format!("#line 1 \"{}\"", path("main.cu").display())
        );
        assert_eq!(lines[1], "#include \"plain.h\"");
        let copy = |line: &str| line.split('"').nth(1).map(PathBuf::from).unwrap();
        let (middle, deep) = (copy(lines[2]), copy(lines[3]));
        assert!(middle.starts_with(&made) && deep.starts_with(&made));
        let deep_text = fs::read_to_string(&deep).unwrap();
        assert!(deep_text.contains("ACCRS_LAUNCH(k)(1, 2)(3);"));
        let middle_text = fs::read_to_string(&middle).unwrap();
        let near = fs::canonicalize(path("sub/near.h")).unwrap();
        let expected = format!(
            "#line 1 \"{}\"\n#include \"{}\"\n# include \"{}\" // \"x\"\n#include <map>\n",
            path("sub/middle.cu").display(),
            deep.display(),
            near.display()
        );
        assert_eq!(middle_text, expected);
    }

    #[test]
    fn headers_that_include_each_other_have_one_copy_each() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let first =
            "#pragma once\n#include \"second.h\"\nconstexpr int f(int n) { return 1 << n; }\n";
        fs::create_dir(path("made")).unwrap();
        fs::write(path("first.h"), first).unwrap();
        fs::write(path("second.h"), "#pragma once\n#include \"first.h\"\n").unwrap();
        fs::write(path("main.cu"), "#include \"first.h\"\n").unwrap();

        let reporter = Reporter::new(MessageFormat::Human, Color::Never);
        let main = CudaFile::read(&path("main.cu"), &[], false, reporter).unwrap();
        let text = String::from_utf8(main.emulated(&[], &path("made")).unwrap()).unwrap();
        let copy = |text: &str| PathBuf::from(text.lines().find_map(included).unwrap());
        fn included(line: &str) -> Option<&str> {
            line.strip_prefix("#include \"")?.strip_suffix('"')
        }
        let first = copy(&text);
        let first_text = fs::read_to_string(&first).unwrap();
        assert!(first_text.contains("return 1 << __accrs_shift << n;"));
        let second = copy(&first_text);
        assert!(second.starts_with(path("made")));
        assert_eq!(copy(&fs::read_to_string(&second).unwrap()), first);
    }
}
