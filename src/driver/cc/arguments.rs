//! The arguments of a C compiler, sorted by what they are for.
//!
//! Input: words as gcc takes them. Output: an [`Invocation`] that keeps every
//! word in its place, each with a role. Unknown words are flags of the host
//! compiler. OpenACC's own flags, in any compiler's spelling, are ours and do
//! not appear among the words.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::response;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::words::{Near, did_you_mean};
use crate::driver::arch;
use crate::driver::device::Device;
use crate::driver::other_language::OtherLanguage;
use crate::driver::pipeline::{Options, assumption};
use crate::driver::render::{Brief, Color, MessageFormat};

/// What the compiler is asked to make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// A program or shared library.
    #[default]
    Link,
    /// `-c`.
    Object,
    /// `-S`.
    Assembly,
    /// `-fsyntax-only`.
    Syntax,
    /// `-E`, `-M`, `-MM`: what only the host compiler has to do with.
    Preprocess,
}

/// What an argument, with its value, is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A C file (or `-`), which may have directives, or a CUDA file.
    Source(PathBuf),
    /// Objects, libraries and files in other languages.
    Input(PathBuf),
    /// `-l`.
    Library(OsString),
    /// `-L`.
    LibraryFolder(PathBuf),
    /// Other flags of the linker.
    Linker,
    /// `-MD`, `-MF x` and the like.
    Dependency,
    /// `-o`.
    Output,
    /// `-c`, `-S`, `-E`, `-fsyntax-only`.
    Mode,
    /// `-x`, which holds for the inputs after it.
    Language,
    /// Everything else: for compiling, and for linking too.
    Flag,
}

/// An argument and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// One word or two.
    pub(super) text: Vec<OsString>,
    /// What it is for.
    pub(super) role: Role,
    /// The language that `-x` gives to an input.
    pub(super) language: Option<OsString>,
}

impl Word {
    /// The language of an input that is not translated, if it is in one.
    pub(super) fn other_language(&self, path: &Path) -> Option<OtherLanguage> {
        match self.language.as_deref() {
            Some(name) => OtherLanguage::of_option(name.to_str()?),
            None => OtherLanguage::of_file(path),
        }
    }
}

/// A whole command line.
#[derive(Clone, Debug, Default)]
pub(super) struct Invocation {
    /// All words that are not ours, in order.
    pub(super) words: Vec<Word>,
    pub(super) mode: Mode,
    /// `-o`.
    pub(super) output: Option<PathBuf>,
    /// `-shared`.
    pub(super) shared: bool,
    /// Linking without the usual libraries, or not to the end.
    pub(super) bare_link: bool,
    /// `-fno-openacc`: be the host compiler and no more.
    pub(super) disabled: bool,
    /// `--print-libs`.
    pub(super) print_libraries: bool,
    /// What the line says of translations.
    pub(super) options: Options,
    pub(super) device: Option<Device>,
    /// `--message-format`, if it is asked for.
    pub(super) message_format: Option<MessageFormat>,
    pub(super) color: Color,
    /// A line for each loop is all that feedback says, and of which loops.
    pub(super) brief: Option<Brief>,
    /// The file for what feedback says (`-fopt-info-omp=FILE`).
    pub(super) notes_file: Option<PathBuf>,
    /// A target of GPUs is named (`-acc=gpu`).
    pub(super) names_gpu: bool,
    /// The option that names the host as a target (`-acc=host`).
    pub(super) names_host: Option<String>,
    /// Options of nvcc itself.
    pub(super) device_flags: Vec<OsString>,
    /// What is said of options that mean something else here.
    pub(super) warnings: Vec<Diagnostic>,
}

/// Our own options, behind `--`.
const OPTIONS: &[&str] = &[
    "along-x",
    "arch",
    "assume",
    "cache",
    "color",
    "device",
    "feedback",
    "line-marks",
    "long-double",
    "memory",
    "message-format",
    "multicore",
    "place",
    "print-libs",
    "strict",
    "time-passes",
    "windows",
];
/// Flags whose value is the next word.
const VALUE_FOLLOWS: &[&str] = &[
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-Xpreprocessor",
    "-Xassembler",
    "-Xclang",
    "-mllvm",
    "--param",
    "-arch",
    "-target",
    "--sysroot",
    "-aux-info",
    "-wrapper",
    "-dumpbase",
    "-dumpbase-ext",
    "-dumpdir",
    "-B",
    "-I",
    "-D",
    "-U",
    "-A",
];
/// The same, for the linker.
const LINKER_VALUE_FOLLOWS: &[&str] = &[
    "-Xlinker",
    "-T",
    "-u",
    "-z",
    "-e",
    "-G",
    "-framework",
    "-rpath",
];
/// Flags of the linker that are whole words.
const LINKER_WORDS: &[&str] = &[
    "-shared",
    "-static",
    "-static-pie",
    "-static-libgcc",
    "-static-libstdc++",
    "-shared-libgcc",
    "-pie",
    "-no-pie",
    "-rdynamic",
    "-s",
    "-r",
    "-nostdlib",
    "-nodefaultlibs",
    "-nostartfiles",
    "-nolibc",
    "-symbolic",
];
/// Flags for dependency files that are whole words.
const DEPENDENCY_WORDS: &[&str] = &["-MD", "-MMD", "-MP", "-MG"];
/// The same with a value, attached or following.
const DEPENDENCY_VALUES: &[&str] = &["-MF", "-MT", "-MQ"];

impl Invocation {
    /// Sorts the arguments.
    ///
    /// # Errors
    /// A message when a flag of ours makes no sense.
    pub(super) fn parse(arguments: &[OsString]) -> Result<Self, String> {
        let mut invocation = Self::default();
        invocation.options.line_marks = true;
        invocation.options.automatic_windows = true;
        let mut language: Option<OsString> = None;
        let mut words = response::expand(arguments).into_iter();
        while let Some(word) = words.next() {
            let text = word.to_string_lossy().into_owned();
            if invocation.take_own(&text, &mut words)? {
                continue;
            }
            invocation.take(word, &text, &mut words, &mut language);
        }
        invocation.choose_device();
        Ok(invocation)
    }

    /// Takes a flag that is ours, if it is one.
    fn take_own(
        &mut self,
        text: &str,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<bool, String> {
        let (name, value) = text
            .split_once('=')
            .map_or((text, None), |(name, value)| (name, Some(value)));
        let options = &mut self.options;
        match name {
            "-fno-openacc" | "-noacc" => self.disabled = true,
            "--print-libs" => self.print_libraries = true,
            "--strict" => options.strict = true,
            "--cache" if value == Some("trust") => options.trust_cache = true,
            "--cache" if value == Some("select") => options.trust_cache = false,
            "--long-double" if value == Some("host") => options.long_double_on_host = true,
            "--long-double" if value == Some("device") => options.long_double_on_host = false,
            "--windows" => match value_of(name, value, rest)?.as_str() {
                "directives" | "asked" => options.automatic_windows = false,
                "automatic" => options.automatic_windows = true,
                other => {
                    return Err(format!(
                        "`--windows` is one of `automatic`, `directives`, not `{other}`"
                    ));
                }
            },
            "--multicore" => options.multicore = true,
            "--memory" => options.memory = choice(name, &value_of(name, value, rest)?)?,
            // The lines are always marked.
            "--line-marks" => self.device_flags.push("-lineinfo".into()),
            "--dialect" => match value_of(name, value, rest)?.as_str() {
                "openacc" => {}
                other => return Err(format!("`--dialect` is `openacc`, not `{other}`")),
            },
            "--feedback" => match value {
                None | Some("decisions") => (options.feedback, self.brief) = (true, None),
                Some("resources") => {
                    (options.feedback, options.resources) = (true, true);
                    self.brief = None;
                }
                Some(other) => {
                    return Err(format!(
                        "`--feedback` is one of `decisions`, `resources`, not `{other}`"
                    ));
                }
            },
            "--assume" => {
                let given = value_of(name, value, rest)?;
                options.assumptions.push(assumption(&given)?);
            }
            "--color" => self.color = choice(name, &value_of(name, value, rest)?)?,
            "--place" => options.places.push(value_of(name, value, rest)?.parse()?),
            "--along-x" => options.along_x.push(value_of(name, value, rest)?),
            "--time-passes" => options.time_passes = true,
            "--device" => self.device = Some(choice("--device", &value_of(name, value, rest)?)?),
            "--arch" => options
                .archs
                .push(arch::parse(&value_of(name, value, rest)?)?),
            "--message-format" => {
                self.message_format = Some(choice(name, &value_of(name, value, rest)?)?);
            }
            // The C compiler has them, too; that of the translation's own text says nothing.
            "-Werror" | "-Wno-error" if value.is_none() => {
                options.denies_warnings = name == "-Werror";
                return Ok(false);
            }
            _ if self.take_foreign(text, name, value, rest)? => {}
            _ => return misspelt(name).map_or(Ok(false), Err),
        }
        Ok(true)
    }

    /// Takes a word of the host compiler, with the value that follows it.
    fn take(
        &mut self,
        word: OsString,
        text: &str,
        rest: &mut impl Iterator<Item = OsString>,
        language: &mut Option<OsString>,
    ) {
        let role = self.role(&word, text, language.as_deref());
        let mut words = vec![word];
        if value_follows(text) {
            words.extend(rest.next());
        }
        let value = words.get(1).cloned();
        let role = match (role, value) {
            (Role::Output, Some(value)) => {
                self.output = Some(value.into());
                Role::Output
            }
            (Role::Language, value) => {
                let name = value.unwrap_or_else(|| text[2..].into());
                *language = Some(name).filter(|name| name != "none");
                Role::Language
            }
            (Role::Library(_), Some(value)) => Role::Library(value),
            (Role::LibraryFolder(_), Some(value)) => Role::LibraryFolder(value.into()),
            (role, _) => role,
        };
        let language = language
            .clone()
            .filter(|_| matches!(role, Role::Source(_) | Role::Input(_)));
        self.words.push(Word {
            text: words,
            role,
            language,
        });
    }

    /// What a word is for; notes what it says of the whole.
    fn role(&mut self, word: &OsStr, text: &str, language: Option<&OsStr>) -> Role {
        if text == "-" || !text.starts_with('-') {
            return input_role(word, text, language);
        }
        if let Some(mode) = mode(text) {
            // The earlier stage wins, as in `-c -E`.
            if self.mode == Mode::Link || mode == Mode::Preprocess {
                self.mode = mode;
            }
            return Role::Mode;
        }
        self.shared |= text == "-shared";
        self.bare_link |= ["-r", "-nostdlib", "-nodefaultlibs", "-Wl,-r"].contains(&text);
        if let Some(attached) = text.strip_prefix("-o") {
            self.output = Some(attached.into());
            return Role::Output;
        }
        if text.starts_with("-x") && !text.starts_with("-xH") {
            return Role::Language;
        }
        flag_role(text)
    }

    /// All words of the host compiler.
    pub(super) fn all_words(&self) -> impl Iterator<Item = &OsString> {
        self.words.iter().flat_map(|word| &word.text)
    }

    /// `-w`.
    pub(super) fn hides_warnings(&self) -> bool {
        self.all_words().any(|flag| flag == "-w")
    }

    /// Whether the result is an object again (`-r`).
    pub(super) fn joins(&self) -> bool {
        self.all_words()
            .any(|word| word == "-r" || word == "-Wl,-r")
    }

    /// The C and CUDA files among the inputs.
    pub(super) fn sources(&self) -> impl Iterator<Item = (usize, &PathBuf)> {
        let words = self.words.iter().enumerate();
        words.filter_map(|(index, word)| match &word.role {
            Role::Source(path) => Some((index, path)),
            _ => None,
        })
    }

    /// The inputs of all kinds.
    pub(super) fn inputs(&self) -> impl Iterator<Item = &Word> {
        let is_input =
            |role: &Role| matches!(role, Role::Source(_) | Role::Input(_) | Role::Library(_));
        self.words.iter().filter(move |word| is_input(&word.role))
    }

    /// Whether all that is compiled is in languages that accrs does not
    /// translate.
    pub(super) fn is_all_foreign(&self) -> bool {
        let mut foreign = self.words.iter().filter_map(|word| match &word.role {
            Role::Source(_) => Some(false),
            Role::Input(path) => word.other_language(path).map(|_| true),
            _ => None,
        });
        foreign
            .next()
            .is_some_and(|first| first && foreign.all(|is_foreign| is_foreign))
    }

    /// The flags for preprocessing and compiling one file.
    pub(super) fn compile_flags(&self) -> Vec<OsString> {
        self.words_for(&Role::Flag)
    }

    /// The flags for its dependency file.
    pub(super) fn dependency_flags(&self) -> Vec<OsString> {
        self.words_for(&Role::Dependency)
    }

    fn words_for(&self, role: &Role) -> Vec<OsString> {
        let words = self.words.iter().filter(|word| word.role == *role);
        words.flat_map(|word| word.text.clone()).collect()
    }
}

/// The role of a flag that changes nothing in how the others are read.
fn flag_role(text: &str) -> Role {
    let dependency = DEPENDENCY_WORDS.contains(&text)
        || DEPENDENCY_VALUES.iter().any(|flag| text.starts_with(flag))
        || text.starts_with("-Wp,-M");
    if dependency {
        return Role::Dependency;
    }
    if let Some(name) = text.strip_prefix("-l") {
        return Role::Library(name.into());
    }
    if let Some(folder) = text.strip_prefix("-L") {
        return Role::LibraryFolder(folder.into());
    }
    let linker = LINKER_WORDS.contains(&text)
        || LINKER_VALUE_FOLLOWS.contains(&text)
        || ["-Wl,", "-T", "-u", "-z", "-fuse-ld="]
            .iter()
            .any(|flag| text.starts_with(flag) && text != "-undef");
    if linker { Role::Linker } else { Role::Flag }
}

/// The mode that a flag asks for.
fn mode(text: &str) -> Option<Mode> {
    match text {
        "-c" => Some(Mode::Object),
        "-S" => Some(Mode::Assembly),
        "-fsyntax-only" => Some(Mode::Syntax),
        "-E" | "-M" | "-MM" => Some(Mode::Preprocess),
        _ => None,
    }
}

/// Whether the value of a flag is the next word.
fn value_follows(text: &str) -> bool {
    ["-o", "-x", "-l", "-L"].contains(&text)
        || VALUE_FOLLOWS.contains(&text)
        || LINKER_VALUE_FOLLOWS.contains(&text)
        || DEPENDENCY_VALUES.contains(&text)
}

/// The role of an input by its language or name.
fn input_role(word: &OsStr, text: &str, language: Option<&OsStr>) -> Role {
    let is_source = language.map_or_else(
        || {
            [".c", ".cu", ".mcu"]
                .iter()
                .any(|suffix| text.ends_with(suffix))
        },
        |language| language == "c",
    );
    if is_source {
        Role::Source(word.into())
    } else {
        Role::Input(word.into())
    }
}

/// Says what a misspelt option of ours may have meant. Others that begin so are gcc's.
fn misspelt(name: &str) -> Option<String> {
    let long = name.strip_prefix("--").filter(|long| long.len() > 3)?;
    let near = Near::words(long, OPTIONS.iter().copied());
    let options: Vec<String> = near.iter().map(|long| format!("--{long}")).collect();
    let question = did_you_mean(options.iter().map(String::as_str))?;
    Some(format!("there is no option `{name}`; {question}"))
}

/// The value of an option of ours.
pub(super) fn value_of(
    name: &str,
    value: Option<&str>,
    rest: &mut impl Iterator<Item = OsString>,
) -> Result<String, String> {
    let following = || rest.next().map(|word| word.to_string_lossy().into_owned());
    value
        .map(str::to_owned)
        .or_else(following)
        .ok_or_else(|| format!("`{name}` needs a value"))
}

/// One of an option's values.
fn choice<T: clap::ValueEnum>(name: &str, value: &str) -> Result<T, String> {
    T::from_str(value, false).map_err(|_| {
        let values = T::value_variants().iter().filter_map(T::to_possible_value);
        let values: Vec<String> = values
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        format!("`{name}` is one of {}, not `{value}`", values.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::arch::Arch;

    fn parse(line: &str) -> Invocation {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Invocation::parse(&words).unwrap()
    }

    fn joined(words: &[OsString]) -> String {
        words.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn a_line_as_cmake_writes_it() {
        let line = parse(
            "-DX -I inc -O2 -std=gnu11 -fopenacc -MD -MT a.c.o -MF a.c.o.d -o a.c.o -c /src/a.c",
        );
        assert_eq!(line.mode, Mode::Object);
        assert_eq!(line.output, Some("a.c.o".into()));
        assert_eq!(joined(&line.compile_flags()), "-DX -I inc -O2 -std=gnu11");
        assert_eq!(
            joined(&line.dependency_flags()),
            "-MD -MT a.c.o -MF a.c.o.d"
        );
        assert_eq!(
            line.sources()
                .map(|(_, path)| path.clone())
                .collect::<Vec<_>>(),
            [PathBuf::from("/src/a.c")]
        );
    }

    #[test]
    fn linking_keeps_order_and_kinds() {
        let line =
            parse("main.o lib/libx.a -Llib -lx -Wl,-rpath,lib -L more -l y -pthread -o prog");
        assert_eq!(line.mode, Mode::Link);
        let roles: Vec<_> = line.words.iter().map(|word| word.role.clone()).collect();
        assert_eq!(
            roles,
            [
                Role::Input("main.o".into()),
                Role::Input("lib/libx.a".into()),
                Role::LibraryFolder("lib".into()),
                Role::Library("x".into()),
                Role::Linker,
                Role::LibraryFolder("more".into()),
                Role::Library("y".into()),
                Role::Flag,
                Role::Output,
            ]
        );
    }

    #[test]
    fn flags_of_other_openacc_compilers_are_ours() {
        let line = parse(
            "-acc -ta=tesla:cc70 -gpu=cc80,fastmath -Minfo=accel -foffload=nvptx-none -fopenacc a.c",
        );
        assert_eq!(line.words.len(), 1);
        assert_eq!(line.options.archs, [Arch(70), Arch(80)]);
        assert_eq!(line.device, None);
        assert_eq!(parse("-acc=multicore a.c").device, Some(Device::Multicore));
        let both = parse("-acc=gpu,multicore a.c");
        assert_eq!((both.device, both.options.multicore), (None, true));
    }

    #[test]
    fn language_holds_for_the_inputs_after_it() {
        let line = parse("-x c - -x none b.o");
        assert_eq!(line.words[1].role, Role::Source("-".into()));
        assert_eq!(line.words[3].role, Role::Input("b.o".into()));
        assert_eq!(parse("-xc++ a.c").words[1].role, Role::Input("a.c".into()));
    }

    #[test]
    fn earlier_stages_win() {
        assert_eq!(parse("-c -E a.c").mode, Mode::Preprocess);
        assert_eq!(parse("-M a.c").mode, Mode::Preprocess);
        assert_eq!(parse("-c -MMD a.c").mode, Mode::Object);
    }

    #[test]
    fn attached_values() {
        let line = parse("-oprog -MFx.d -DA=-c -Wp,-MMD,y.d a.c");
        assert_eq!(
            (line.output.clone(), line.mode),
            (Some("prog".into()), Mode::Link)
        );
        assert_eq!(joined(&line.dependency_flags()), "-MFx.d -Wp,-MMD,y.d");
        assert_eq!(joined(&line.compile_flags()), "-DA=-c");
    }

    #[test]
    fn wrong_values_are_errors() {
        let message = Invocation::parse(&["--device=quantum".into()]).unwrap_err();
        assert_eq!(
            message,
            "`--device` is one of `gpu`, `emulated`, `multicore`, not `quantum`"
        );
        assert!(Invocation::parse(&["--arch".into()]).is_err());
    }

    #[test]
    fn misspelt_options_of_ours_are_errors() {
        for (option, meant) in [
            (
                "--feedbak=resources",
                "there is no option `--feedbak`; did you mean `--feedback`?",
            ),
            (
                "--devise",
                "there is no option `--devise`; did you mean `--device`?",
            ),
        ] {
            assert_eq!(Invocation::parse(&[option.into()]).unwrap_err(), meant);
        }
        for option in [
            "--sysroot=/",
            "--param=x=1",
            "--coverage",
            "--std=c99",
            "--verbose",
            "--help",
        ] {
            assert_eq!(parse(&format!("{option} a.c")).words.len(), 2, "{option}");
        }
        // The help names each; these are all commands'.
        let help = include_str!("../../cli/cc_options.txt");
        let global = ["color", "message-format"];
        for name in OPTIONS.iter().filter(|name| !global.contains(name)) {
            assert!(help.contains(&format!("--{name}")), "{name}");
        }
    }

    #[test]
    fn a_flag_that_looks_like_output_is_none() {
        assert_eq!(
            parse("-openmp-is-no-flag a.c").output,
            Some("penmp-is-no-flag".into())
        );
        assert_eq!(parse("-O2 a.c").output, None);
    }
}
