//! What there is to measure: programs, their forms and sizes.
//!
//! Input: a folder whose subfolders hold a program each, `bench.toml` beside
//! its forms `NAME.c` (OpenACC), `NAME_serial.c`, `NAME_fcw.c`, `NAME_cache.c`,
//! and in CUDA `NAME_textbook.cu`, `NAME_tuned.cu`; any other word will do, too.
//! Output: [`Benchmark`]s, by name.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::diagnostic::codes;
use crate::driver::failure::Failure;

/// The form that every result is compared with.
pub(super) const SERIAL: &str = "serial";

/// The form without a suffix: plain directives.
pub(super) const PLAIN: &str = "acc";

/// A program as its `bench.toml` describes it; what the project's own tests
/// need besides is in keys that are passed over here.
#[derive(Clone, Debug, Deserialize)]
struct Description {
    title: String,
    run: Vec<Run>,
}

/// One set of arguments.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Run {
    /// Its name: the size.
    pub(super) name: String,
    /// What the program is called with; `{data}` is a folder of files.
    pub(super) arguments: Vec<String>,
    /// Small enough for the emulation.
    #[serde(default)]
    test: bool,
    /// Large enough that a mistake shows.
    #[serde(default)]
    sharp: bool,
    /// Bytes of device memory that a form which does each step apart has to
    /// read and write.
    pub(super) moves: Option<u64>,
    /// Arithmetic operations.
    pub(super) operations: Option<u64>,
}

#[cfg(test)]
impl Run {
    /// A size of which nothing is said but its name.
    pub(super) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            arguments: Vec::new(),
            test: false,
            sharp: false,
            moves: None,
            operations: None,
        }
    }
}

/// A program in all its forms.
#[derive(Clone, Debug)]
pub(super) struct Benchmark {
    /// The folder's name.
    pub(super) name: String,
    /// What it computes.
    pub(super) title: String,
    /// The plain form first, then the others by name.
    pub(super) forms: Vec<Form>,
    /// The C file that says what is right.
    pub(super) serial: PathBuf,
    /// Its sizes.
    runs: Vec<Run>,
}

/// One way to write a program.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// `acc`, `fcw`, `cache`, `textbook`, `tuned`.
    pub(super) name: String,
    /// The C or CUDA file.
    pub(super) file: PathBuf,
}

/// The programs of a folder with these names; all of them for no names.
///
/// # Errors
/// When a name or the folder is not there, or a description is not right.
pub(super) fn find(folder: &Path, names: &[String]) -> Result<Vec<Benchmark>, Failure> {
    let mut found = Vec::new();
    for name in subfolders(folder)? {
        if names.is_empty() || names.contains(&name) {
            found.push(load(folder, &name)?);
        }
    }
    if let Some(missing) = names
        .iter()
        .find(|name| found.iter().all(|program| program.name != **name))
    {
        let message = format!("no benchmark `{missing}` in {}", folder.display());
        return Err(Failure::environment(codes::BAD_USAGE, message));
    }
    Ok(found)
}

/// The names of subfolders with a description.
fn subfolders(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| {
        Failure::environment(
            codes::UNREADABLE,
            format!("cannot read the folder {}: {error}", folder.display()),
        )
    })?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().join("bench.toml").is_file())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}

fn load(folder: &Path, name: &str) -> Result<Benchmark, Failure> {
    let own = folder.join(name);
    let path = own.join("bench.toml");
    let wrong = |what: String| {
        let message = format!("{}: {what}", path.display());
        Failure::environment(codes::BAD_USAGE, message)
    };
    let text = fs::read_to_string(&path).map_err(|error| wrong(error.to_string()))?;
    let description: Description =
        toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let serial = own.join(format!("{name}_{SERIAL}.c"));
    if !serial.is_file() {
        return Err(wrong(format!("`{name}_{SERIAL}.c` is not beside it")));
    }
    Ok(Benchmark {
        name: name.to_owned(),
        title: description.title,
        forms: forms(&own, name),
        serial,
        runs: description.run,
    })
}

/// The forms that are compared with the serial one.
fn forms(folder: &Path, name: &str) -> Vec<Form> {
    let form = |form: &str, file: String| Form {
        name: form.to_owned(),
        file: folder.join(file),
    };
    let mut forms = vec![form(PLAIN, format!("{name}.c"))];
    let mut others: Vec<(String, String)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let file = entry.file_name().into_string().ok()?;
            let suffix = file.strip_prefix(name)?.strip_prefix('_')?;
            let suffix = suffix.strip_suffix(".c").or(suffix.strip_suffix(".cu"))?;
            Some((suffix.to_owned(), file))
        })
        .filter(|(suffix, _)| suffix != SERIAL)
        .collect();
    others.sort();
    forms.extend(others.into_iter().map(|(other, file)| form(&other, file)));
    forms.retain(|form| form.file.is_file());
    forms
}

impl Benchmark {
    /// The sizes to run: those asked for; else the first that shows mistakes,
    /// for the emulation, or all that are too large for it, for a GPU. Sizes
    /// that need files are left out unless their folder is given.
    pub(super) fn sizes(&self, asked: &[String], emulated: bool, has_data: bool) -> Vec<Run> {
        let needs_data = |run: &Run| run.arguments.iter().any(|a| a.contains("{data}"));
        let runs = self.runs.iter().filter(|run| has_data || !needs_data(run));
        if !asked.is_empty() {
            return runs
                .filter(|run| asked.contains(&run.name))
                .cloned()
                .collect();
        }
        if emulated {
            let small = runs.filter(|run| run.test && run.sharp);
            return small.take(1).cloned().collect();
        }
        runs.filter(|run| !run.test).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails says where")]

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("heat");
        fs::create_dir(&own).unwrap();
        let description = "title = \"Heat\"\norigin = \"x\"\n\
            [[run]]\nname = \"9\"\narguments = [\"9\"]\ntest = true\nsharp = true\n\
            [[run]]\nname = \"900\"\narguments = [\"900\"]\n\
            [[run]]\nname = \"file\"\narguments = [\"{data}/heat\"]\n";
        fs::write(own.join("bench.toml"), description).unwrap();
        for file in [
            "heat.c",
            "heat_fcw.c",
            "heat_cache.c",
            "heat_tuned.cu",
            "heat_serial.c",
            "other.c",
        ] {
            fs::write(own.join(file), "").unwrap();
        }
        fs::create_dir(folder.path().join("common")).unwrap();
        folder
    }

    #[test]
    fn forms_are_found_beside_the_description() {
        let folder = folder();
        let found = find(folder.path(), &[]).unwrap();
        assert_eq!(found.len(), 1);
        let forms: Vec<&str> = found[0]
            .forms
            .iter()
            .map(|form| form.name.as_str())
            .collect();
        assert_eq!(forms, ["acc", "cache", "fcw", "tuned"]);
        assert!(find(folder.path(), &["cold".to_owned()]).is_err());
    }

    #[test]
    fn sizes_are_small_for_the_emulation() {
        let folder = folder();
        let heat = &find(folder.path(), &[]).unwrap()[0];
        let names = |asked: &[String], emulated, data| -> Vec<String> {
            let runs = heat.sizes(asked, emulated, data);
            runs.into_iter().map(|run| run.name).collect()
        };
        assert_eq!(names(&[], true, false), ["9"]);
        assert_eq!(names(&[], false, false), ["900"]);
        assert_eq!(names(&[], false, true), ["900", "file"]);
        assert_eq!(names(&["900".to_owned()], true, false), ["900"]);
    }
}
