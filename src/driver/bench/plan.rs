//! What there is to measure: programs, their forms and sizes.
//!
//! Input: a folder whose subfolders hold a program each, `bench.toml` beside
//! its forms `NAME.c` (OpenACC), `NAME_serial.c`, `NAME_fcw.c`, `NAME_cache.c`,
//! and with OpenMP's directives `NAME_omp.c`, which run where the host's cores are the device,
//! and in CUDA `NAME_textbook.cu`, `NAME_tuned.cu`; any other word will do, too.
//! Only the serial form has to be there: what others are measured against is the
//! plain form, or the first of them where there is none. `files` are C files that all
//! forms have besides.
//! Forms have the windows that their directives ask for; where `automatic` is
//! set, a form [`AUTOMATIC`] is the plain one with those that accrs adds.
//! A program of another folder goes by its path. Output: [`Benchmark`]s, by name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};

use super::peers::Peer;
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::build;
use crate::driver::failure::Failure;
use crate::front::{autocta, mesi};

/// The form that every result is compared with.
pub(super) const SERIAL: &str = "serial";

/// The form without a suffix: plain directives.
pub(super) const PLAIN: &str = "acc";

/// The form with OpenMP's directives, written by hand.
pub(super) const OPENMP: &str = "omp";

/// The plain form with the windows of `--windows=automatic`.
pub(super) const AUTOMATIC: &str = "auto";

/// A program as its `bench.toml` describes it. Keys that are not known are
/// errors; what the project's own tests need besides is passed over here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    title: String,
    run: Vec<Run>,
    /// C files that every form is linked with.
    #[serde(default)]
    files: Vec<PathBuf>,
    /// Automatic windows are profitable in the plain form.
    #[serde(default)]
    automatic: bool,
    /// Macros of the forms with the values to build with besides the default:
    /// sizes of tiles and blocks.
    #[serde(default)]
    vary: BTreeMap<String, Vec<u32>>,
    /// The suites that it is after, with its name there.
    #[serde(default)]
    suite: BTreeMap<String, String>,
    #[serde(default, rename = "origin")]
    _origin: IgnoredAny,
    #[serde(default)]
    comparison: Comparison,
    #[serde(default, rename = "build")]
    _build: IgnoredAny,
    #[serde(default, rename = "wrong")]
    _wrong: IgnoredAny,
}

/// How results are compared.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Comparison {
    /// Every form does the serial form's operations, in C's arithmetic.
    #[default]
    Bits,
    /// As that, but functions of the math library are the device's: values are
    /// apart by `within` at most, which each run has.
    Within,
}

/// One set of arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// How far values may be apart where the math library is another than the
    /// serial form's; none: not at all.
    pub(super) within: Option<f64>,
    #[serde(default, rename = "forms")]
    _forms: IgnoredAny,
    #[serde(default, rename = "seconds")]
    _seconds: IgnoredAny,
}

/// What programs run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Machine {
    /// They are counted.
    Emulation,
    /// They are timed, kernels and copies apart.
    Gpu,
    /// They are timed, all forms in turn.
    Cores,
}

/// A program in all its forms.
#[derive(Clone, Debug)]
pub(super) struct Benchmark {
    /// The folder's name.
    pub(super) name: String,
    /// What it computes.
    pub(super) title: String,
    /// The suites that it is after, with its name there.
    pub(super) suite: BTreeMap<String, String>,
    /// The plain form first where there is one, then the others by name.
    pub(super) forms: Vec<Form>,
    /// The C file that says what is right.
    pub(super) serial: PathBuf,
    /// C files that every form is linked with.
    pub(super) files: Vec<PathBuf>,
    /// Its sizes.
    runs: Vec<Run>,
    /// Macros with values to build with besides.
    vary: BTreeMap<String, Vec<u32>>,
}

/// One way to write a program, or to compile it.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// `acc`, `auto`, `fcw`, `cache`, `textbook`, `tuned`; `fcw TILE=8`; a peer's name.
    pub(super) name: String,
    /// The C or CUDA file.
    pub(super) file: PathBuf,
    /// C files that it is linked with.
    pub(super) files: Vec<PathBuf>,
    /// A macro with another value than its default: `TILE=8`.
    pub(super) define: Option<String>,
    /// A variable of the environment that its runs have: forms that differ in no more are one program.
    pub(super) variable: Option<(&'static str, &'static str)>,
    /// Has windows that its directives do not ask for.
    pub(super) automatic: bool,
    /// Compiled by the peer of this name.
    pub(super) peer: Option<String>,
}

/// The programs of a folder with these names; all of them for no names. A name
/// may be the path of a program anywhere else.
///
/// # Errors
/// When a name or the folder is not there, or a description is not right.
pub(super) fn find(folder: &Path, names: &[String]) -> Result<Vec<Benchmark>, Failure> {
    if names.is_empty() {
        let all = subfolders(folder)?;
        return all.iter().map(|name| load(&folder.join(name))).collect();
    }
    let mut own = Vec::new();
    for name in names {
        let inside = folder.join(name);
        let places = [inside.as_path(), Path::new(name)];
        let Some(place) = places.iter().find(|place| has_description(place)) else {
            // A folder that is not there says more than a name that is not in it.
            subfolders(folder)?;
            let message = format!("no benchmark `{name}` in {}", folder.display());
            let help = "a name is a subfolder with a `bench.toml`, or the path of such a folder";
            return Err(Diagnostic::global(codes::BAD_USAGE, message)
                .help(help)
                .into());
        };
        own.push(load(place)?);
    }
    own.sort_by(|a: &Benchmark, b| a.name.cmp(&b.name));
    own.dedup_by(|a, b| a.serial == b.serial);
    Ok(own)
}

fn has_description(folder: &Path) -> bool {
    folder.join("bench.toml").is_file()
}

/// The names of subfolders with a description.
fn subfolders(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| {
        let message = format!("cannot read the folder {}: {error}", folder.display());
        Failure::environment(codes::UNREADABLE, message)
    })?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| has_description(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    Ok(names)
}

/// Reads the description of the program in a folder.
fn load(own: &Path) -> Result<Benchmark, Failure> {
    let path = own.join("bench.toml");
    let wrong = |what: &str| {
        let message = format!("{}: {what}", path.display());
        Failure::environment(codes::BAD_USAGE, message)
    };
    let real = own
        .canonicalize()
        .map_err(|error| wrong(&error.to_string()))?;
    let name = real.file_name().map(|name| name.to_string_lossy());
    let name = name.ok_or_else(|| wrong("its folder has no name"))?;
    let description: Description = read(&path)?;
    if description.run.is_empty() {
        return Err(wrong("it has no `[[run]]`, so that there is no size"));
    }
    if let Some(run) = without_bound(&description) {
        let message = format!(
            "the run `{}` and `comparison` disagree on `within`",
            run.name
        );
        return Err(wrong(&message));
    }
    let mut names = BTreeSet::new();
    if let Some(twice) = description.run.iter().find(|run| !names.insert(&run.name)) {
        return Err(wrong(&format!("two runs have the name `{}`", twice.name)));
    }
    let serial = own.join(format!("{name}_{SERIAL}.c"));
    if !serial.is_file() {
        return Err(wrong(&format!("`{name}_{SERIAL}.c` is not beside it")));
    }
    let files: Vec<PathBuf> = description
        .files
        .iter()
        .map(|file| own.join(file))
        .collect();
    if let Some(missing) = files.iter().find(|file| !file.is_file()) {
        return Err(wrong(&format!("there is no file {}", missing.display())));
    }
    Ok(Benchmark {
        forms: forms(own, &name, description.automatic, &files),
        files,
        name: name.into_owned(),
        title: description.title,
        suite: description.suite,
        serial,
        runs: description.run,
        vary: description.vary,
    })
}

/// Reads a TOML file.
///
/// # Errors
/// When it cannot be read, or is not as it has to be: with line and column.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let wrong = |message| Failure::environment(codes::BAD_USAGE, message);
    let text =
        fs::read_to_string(path).map_err(|error| wrong(format!("{}: {error}", path.display())))?;
    toml::from_str(&text).map_err(|error| {
        let (line, column) = place(&text, error.span().map_or(0, |span| span.start));
        let message = error.message();
        wrong(format!("{}:{line}:{column}: {message}", path.display()))
    })
}

/// A run that has a bound though values are compared bit for bit, or none that
/// is one though they are not.
fn without_bound(description: &Description) -> Option<&Run> {
    let mut runs = description.run.iter();
    runs.find(|run| match description.comparison {
        Comparison::Bits => run.within.is_some(),
        Comparison::Within => !run.within.is_some_and(|bound| bound > 0.0),
    })
}

/// Line and column, from 1, of a byte of a text.
fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or_default();
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let line = before.matches('\n').count() + 1;
    (line, before[begin..].chars().count() + 1)
}

/// The forms that are compared with the serial one.
fn forms(folder: &Path, name: &str, automatic: bool, files: &[PathBuf]) -> Vec<Form> {
    let form = |form: &str, file: String| Form {
        name: form.to_owned(),
        file: folder.join(file),
        files: files.to_vec(),
        define: None,
        variable: None,
        automatic: false,
        peer: None,
    };
    let mut forms = vec![form(PLAIN, format!("{name}.c"))];
    forms.extend(automatic.then(|| Form {
        automatic,
        ..form(AUTOMATIC, format!("{name}.c"))
    }));
    let mut others: Vec<(String, String)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let file = entry.file_name().into_string().ok()?;
            let suffix = file.strip_prefix(name)?.strip_prefix('_')?;
            let mut names = [".c", ".cu", ".mcu"]
                .into_iter()
                .filter_map(|end| suffix.strip_suffix(end));
            Some((names.next()?.to_owned(), file))
        })
        .filter(|(suffix, _)| suffix != SERIAL)
        .collect();
    others.sort();
    forms.extend(others.into_iter().map(|(other, file)| form(&other, file)));
    forms.retain(|form| form.file.is_file());
    forms
}

impl Form {
    /// Whether the two are one program, whose runs may differ.
    pub(super) fn is_built_as(&self, other: &Self) -> bool {
        (&self.file, &self.define, &self.peer) == (&other.file, &other.define, &other.peer)
            && self.automatic == other.automatic
    }
}

impl Benchmark {
    /// The form that others are measured against: the plain one, or the first.
    pub(super) fn base(&self) -> &str {
        self.forms.first().map_or(PLAIN, |form| &form.name)
    }

    /// The forms of these names, all for none; with `vary`, each also with the
    /// other values of its macros. Peers compile the plain form. Where the host's cores
    /// are the device, `on_cores`, none is the plain form and that of OpenMP, which other devices
    /// do not have; those in CUDA are none then.
    pub(super) fn chosen(
        &self,
        names: &[String],
        vary: bool,
        peers: &[Peer],
        on_cores: bool,
    ) -> Vec<Form> {
        let mut chosen = Vec::new();
        let is_default = |form: &Form| !on_cores || [PLAIN, OPENMP].contains(&&*form.name);
        let is_of_device = |form: &Form| match on_cores {
            true => !build::is_cuda(&form.file),
            false => form.name != OPENMP,
        };
        let wanted = |form: &&Form| {
            let is_asked = match names.is_empty() {
                true => is_default(form),
                false => names.contains(&form.name),
            };
            is_asked && is_of_device(form)
        };
        for form in self.forms.iter().filter(wanted) {
            chosen.push(form.clone());
            if vary {
                chosen.extend(self.variants(form));
            }
        }
        if let Some(plain) = self.forms.iter().find(|form| form.name == PLAIN) {
            chosen.extend(peers.iter().map(|peer| Form {
                name: peer.name.clone(),
                peer: Some(peer.name.clone()),
                ..plain.clone()
            }));
        }
        chosen
    }

    /// A form in C with each other value of each macro that it has; one on logical grids with each
    /// order of their dimensions, one of AUTO-CTA with other blocks.
    fn variants(&self, form: &Form) -> Vec<Form> {
        let text = fs::read_to_string(&form.file).unwrap_or_default();
        if autocta::is_used(text.as_bytes()) {
            return blocks(form);
        }
        if build::is_cuda(&form.file) {
            return orders(form, mesi::dimensions(text.as_bytes()));
        }
        let mut variants = Vec::new();
        for (name, values) in &self.vary {
            let has_it = text.lines().any(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                words == ["#ifndef", name.as_str()]
            });
            let values: &[u32] = if has_it { values } else { &[] };
            variants.extend(values.iter().map(|value| {
                let define = format!("{name}={value}");
                Form {
                    name: format!("{} {define}", form.name),
                    define: Some(define),
                    ..form.clone()
                }
            }));
        }
        variants
    }

    /// The sizes to run: those asked for; else the first that shows mistakes,
    /// for the emulation, or all that are too large for it, for a GPU; the first of these for the
    /// host's cores. Sizes that need files are left out unless their folder is given. Who asks names one
    /// size, whose name may have commas, or several between commas.
    pub(super) fn sizes(&self, asked: &[String], place: Machine, has_data: bool) -> Vec<Run> {
        let needs_data = |run: &Run| run.arguments.iter().any(|a| a.contains("{data}"));
        let runs = self.runs.iter().filter(|run| has_data || !needs_data(run));
        if !asked.is_empty() {
            let names =
                |asked: &String, name| asked == name || asked.split(',').any(|one| one == name);
            return runs
                .filter(|run| asked.iter().any(|asked| names(asked, &run.name)))
                .cloned()
                .collect();
        }
        let most = match place {
            Machine::Gpu => usize::MAX,
            Machine::Emulation | Machine::Cores => 1,
        };
        let fits = |run: &&Run| match place {
            Machine::Emulation => run.test && run.sharp,
            Machine::Gpu | Machine::Cores => !run.test,
        };
        runs.filter(fits).take(most).cloned().collect()
    }
}

/// A form with each two of so many dimensions along x and y.
fn orders(form: &Form, dimensions: usize) -> Vec<Form> {
    let both = |x: usize| (0..dimensions).map(move |y| (x, y));
    let all = (0..dimensions).flat_map(both).filter(|(x, y)| x != y);
    let named = all.map(|(x, y)| Form {
        name: format!("{} x={x} y={y}", form.name),
        define: Some(format!("ACCRS_MESI_ORDER={}", 10 * x + y)),
        ..form.clone()
    });
    named.collect()
}

/// The variable, and macro, for the size of all of AUTO-CTA's blocks.
const BLOCK: &str = "ACCRS_CTA_BLOCK";

/// A form with the blocks that the program asks for, with all of some sizes, and with those that are chosen
/// but arrays where they are: figure 5 of the paper on AUTO-CTA.
fn blocks(form: &Form) -> Vec<Form> {
    let all = [
        ("written", "0"),
        ("R64", "64"),
        ("R128", "128"),
        ("R256", "256"),
        ("R512", "512"),
        ("P1", "-1"),
    ];
    let named = all.into_iter().map(|(name, size)| Form {
        name: format!("{} {name}", form.name),
        define: Some(format!("{BLOCK}=of_environment()")),
        variable: Some((BLOCK, size)),
        ..form.clone()
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that fails says where")]

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("heat");
        fs::create_dir(&own).unwrap();
        let description = "title = \"Heat\"\norigin = \"x\"\nautomatic = true\n\
            [[run]]\nname = \"9\"\narguments = [\"9\"]\ntest = true\nsharp = true\n\
            [[run]]\nname = \"900\"\narguments = [\"900\"]\n\
            [[run]]\nname = \"file, of 7\"\narguments = [\"{data}/heat\"]\n";
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
        assert_eq!(forms, ["acc", "auto", "cache", "fcw", "tuned"]);
        let automatic = found[0].forms.iter().filter(|form| form.automatic);
        assert_eq!(automatic.count(), 1);
        assert!(find(folder.path(), &["cold".to_owned()]).is_err());
    }

    #[test]
    fn the_first_form_stands_in_for_the_plain_one() {
        let folder = folder();
        let base = || find(folder.path(), &[]).unwrap()[0].base().to_owned();
        assert_eq!(base(), "acc");
        fs::remove_file(folder.path().join("heat/heat.c")).unwrap();
        assert_eq!(base(), "cache");
    }

    #[test]
    fn bounds_belong_to_runs_that_need_them() {
        let folder = folder();
        let path = folder.path().join("heat/bench.toml");
        let load = |first: &str, run: &str| {
            let text =
                format!("title = \"Heat\"\n{first}[[run]]\nname = \"9\"\narguments = []\n{run}");
            fs::write(&path, text).unwrap();
            find(folder.path(), &[]).is_ok()
        };
        assert!(load("", ""));
        assert!(!load("", "within = 0.5\n"));
        let first = "comparison = \"within\"\n";
        assert!(!load(first, ""));
        assert!(!load(first, "within = 0.0\n"));
        assert!(load(first, "within = 0.5\n"));
    }

    #[test]
    fn further_files_go_with_every_form() {
        let folder = folder();
        let path = folder.path().join("heat/bench.toml");
        let text = "title = \"Heat\"\nfiles = [\"other.c\"]\n\
            [[run]]\nname = \"9\"\narguments = []\n";
        fs::write(&path, text).unwrap();
        let found = find(folder.path(), &[]).unwrap();
        assert_eq!(found[0].files, [folder.path().join("heat/other.c")]);
        assert!(
            found[0]
                .forms
                .iter()
                .all(|form| form.files == found[0].files)
        );
        fs::remove_file(folder.path().join("heat/other.c")).unwrap();
        assert!(find(folder.path(), &[]).is_err());
    }

    #[test]
    fn sizes_are_small_for_the_emulation() {
        let folder = folder();
        let heat = &find(folder.path(), &[]).unwrap()[0];
        let names = |asked: &[String], machine, data| -> Vec<String> {
            let runs = heat.sizes(asked, machine, data);
            runs.into_iter().map(|run| run.name).collect()
        };
        assert_eq!(names(&[], Machine::Emulation, false), ["9"]);
        assert_eq!(names(&[], Machine::Gpu, false), ["900"]);
        assert_eq!(names(&[], Machine::Gpu, true), ["900", "file, of 7"]);
        assert_eq!(names(&[], Machine::Cores, true), ["900"]);
        assert_eq!(
            names(&["900".to_owned()], Machine::Emulation, false),
            ["900"]
        );
        let both = ["none,900".to_owned(), "file, of 7".to_owned()];
        assert_eq!(
            names(&both, Machine::Emulation, true),
            ["900", "file, of 7"]
        );
    }
}
