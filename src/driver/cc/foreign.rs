//! Options of nvc, and of gcc about accelerators: what they mean here.
//!
//! Input: words such as `-gpu=cc80,lineinfo`. Output: the same in the [`Invocation`], with a
//! warning where an option has no counterpart or means something else than there.

use std::ffi::OsString;

use super::arguments::{Invocation, Role, Word, value_of};
use crate::diagnostic::words::{Near, did_you_mean};
use crate::diagnostic::{Diagnostic, Severity, codes};
use crate::driver::arch;
use crate::driver::device::Device;
use crate::driver::memory::Memory;
use crate::driver::render::Brief;

/// Targets and features that ask for what is done anyway.
const AS_EVER: &[&str] = &[
    "autopar",
    "default",
    // What is no directive of OpenACC is warned of anyway.
    "strict",
    "nordc",
    "rdc",
    "fma",
    "ccall",
    "ccall-major",
    "ccnative",
    "nvptx-none",
    "on",
    "device",
];

/// The other targets and features that are known.
const TARGETS: &[&str] = &[
    "debug",
    "fastmath",
    "gpu",
    "host",
    "keep",
    "lineinfo",
    "managed",
    "multicore",
    "nofma",
    "nomanaged",
    "nounified",
    "nvidia",
    "pinned",
    "ptxinfo",
    "separate",
    "tesla",
    "unified",
    "verystrict",
];

/// Parts of `-gpu=` that have a value behind a colon.
const VALUED: &[&str] = &["loadcache", "maxregcount", "mem", "stacklimit", "tripcount"];

/// Values of `-Minfo=`, which nvc tells different things for.
const TOLD: &[&str] = &[
    "accel",
    "all",
    "autoinline",
    "ccff",
    "ftn",
    "inline",
    "intensity",
    "ipa",
    "loop",
    "lre",
    "mp",
    "opt",
    "par",
    "pcast",
    "pfo",
    "stat",
    "stdpar",
    "time",
    "unified",
    "unroll",
    "vect",
];

/// Those of them that are about the host's code.
const TOLD_OF_HOST: &[&str] = &["loop", "mp", "opt", "unroll", "vect"];

/// Whether a list of them is about nothing else.
fn is_of_host(list: &str) -> bool {
    list.split(',').all(|one| TOLD_OF_HOST.contains(&one))
}

/// Values of `-mp=` that ask for threads of the host.
const THREADS: &[&str] = &[
    "align",
    "allcores",
    "autopar",
    "bind",
    "multicore",
    "noautopar",
    "nonuma",
    "numa",
    "ompt",
];

/// Options that the C compiler has by another name.
const OF_HOST: &[(&str, &str)] = &[
    ("-fast", "-O3"),
    ("-fastsse", "-O3"),
    ("-gopt", "-g"),
    ("-traceback", "-g"),
    ("-Kpic", "-fPIC"),
    ("-KPIC", "-fPIC"),
    ("-V", "--version"),
    ("-Munroll", "-funroll-loops"),
    ("-Mnounroll", "-fno-unroll-loops"),
    ("-Mipa", "-flto"),
    ("-Mnoipa", "-fno-lto"),
    ("-Mnoopenmp", "-fno-openmp"),
    ("-nomp", "-fno-openmp"),
    ("-silent", "-w"),
];

/// Options that have no counterpart, by their names and what to write instead.
const NO_COUNTERPART: &[(&str, &str)] = &[
    (
        "-Mbounds",
        "`accrs check --dynamic` finds indices outside of arrays",
    ),
    ("-Mpreprocess", "remove it: C is preprocessed anyway"),
    ("-Mlarge_arrays", "remove it: arrays may be of any size"),
    ("-Mkeepasm", "`-save-temps` keeps the host's assembly"),
    ("-Mcuda", "remove it: files of CUDA are compiled anyway"),
    (
        "-Mprof",
        "`ACCRS_PROFILE=1` profiles kernels and copies, `-pg` the host's code",
    ),
    ("-Minform", "`-w` hides warnings, `-Wall` asks for more"),
    ("-Mvect", "`-O3` vectorises the host's loops"),
    (
        "-Mnovect",
        "`-fno-tree-vectorize` keeps the host's loops as they are",
    ),
    ("-Minline", "`-O3` inlines the host's functions"),
    ("-Mnoinline", "`-fno-inline` keeps the host's calls"),
    (
        "-dryrun",
        "files are compiled: `-v` shows the C compiler's commands",
    ),
    ("-show", "`accrs doctor` shows the tools that are used"),
    ("-drystdinc", "`-E -v` shows where headers are looked for"),
    (
        "-stdpar",
        "write `#pragma acc parallel loop`: C++'s parallel algorithms are not translated",
    ),
];

/// What to write in place of an option of nvc's that has no counterpart.
fn no_counterpart(text: &str, name: &str) -> Option<&'static str> {
    if let Some((_, help)) = NO_COUNTERPART.iter().find(|(known, _)| *known == name) {
        return Some(help);
    }
    // gcc's own ones that begin with `-M` are about dependencies and modules.
    let of_host = text.strip_prefix("-M").is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.ends_with("modules")
    });
    (of_host || text.starts_with("-K"))
        .then_some("remove it: the host's code is the C compiler's, whose own options change it")
}

impl Invocation {
    /// Takes an option of another compiler, if it is one.
    ///
    /// # Errors
    /// A message where it has no value that it needs.
    pub(super) fn take_foreign(
        &mut self,
        text: &str,
        name: &str,
        value: Option<&str>,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<bool, String> {
        match name {
            "-fopenacc" | "-cuda" => {}
            "-Mcuda" if value.is_some() => {
                for part in value.unwrap_or_default().split(',') {
                    let help = format!("write `-gpu={part}`");
                    self.ignore(&format!("-Mcuda={part}"), &help);
                }
            }
            "-fopenacc-dim" => self.ignore(
                text,
                "write `num_gangs`, `num_workers` and `vector_length` on the constructs",
            ),
            "-foffload" | "-foffload-options" => self.take_offload(text, value.unwrap_or_default()),
            "-Minfo" | "-Mneginfo" if value == Some("none") => {
                self.options.feedback &= self.brief.take().is_none();
            }
            "-Minfo" | "-Mneginfo" if value.is_some_and(is_of_host) => {
                self.ignore(text, "`-Minfo=accel` tells of constructs and their loops");
            }
            "-Minfo" | "-Mneginfo" => {
                self.refuse_values(name, value, TOLD);
                self.tell_loops(match name {
                    "-Minfo" => Brief::Told,
                    _ => Brief::NotParallel,
                });
            }
            // Of the host code gcc tells itself.
            _ if text.starts_with("-fopt-info") => return Ok(self.take_opt_info(name, value)),
            "-acc" | "-ta" | "-gpu" => {
                for part in value.unwrap_or_default().split(',') {
                    self.take_target(name, part);
                }
            }
            "-cudalib" => {
                for library in value
                    .unwrap_or_default()
                    .split(',')
                    .filter(|l| !l.is_empty())
                {
                    self.add(&format!("-l{library}"), Role::Library(library.into()));
                }
            }
            _ => return self.take_of_host(text, name, value, rest),
        }
        Ok(true)
    }

    /// The same of options about the host's code.
    fn take_of_host(
        &mut self,
        text: &str,
        name: &str,
        value: Option<&str>,
        rest: &mut impl Iterator<Item = OsString>,
    ) -> Result<bool, String> {
        if let Some((_, own)) = OF_HOST.iter().find(|(known, _)| *known == name) {
            self.add(own, Role::Flag);
            return Ok(true);
        }
        match name {
            "-mp" => {
                if value.is_some_and(|value| value.split(',').any(|part| part == "gpu")) {
                    self.warn(
                        "`-mp=gpu` leaves OpenMP's directives to the cores of the host".into(),
                        "`#pragma acc` says what runs on a GPU",
                    );
                }
                self.refuse_values(name, value, &[THREADS, &["gpu"]].concat());
                self.add("-fopenmp", Role::Flag);
            }
            // The runtime library is linked with anyway, and gcc says of a switch what it is.
            "-acclibs" | "-notraceback" | "-noswitcherror" => {}
            "-alias" => self.add(
                match value {
                    Some("traditional") => "-fno-strict-aliasing",
                    _ => "-fstrict-aliasing",
                },
                Role::Flag,
            ),
            "-nofma" | "-Mnofma" => {
                self.device_flags.push("-fmad=false".into());
                self.add("-ffp-contract=off", Role::Flag);
            }
            "-c89" | "-c90" | "-c99" | "-c11" | "-c17" | "-c18" | "-c23" => {
                self.add(&format!("-std=gnu{}", &name[2..]), Role::Flag);
            }
            "-tp" => {
                let target = value_of(name, value, rest)?;
                self.ignore(
                    &format!("-tp={target}"),
                    "`-march=native`, say, names the host's processor",
                );
            }
            _ => match no_counterpart(text, name) {
                Some(help) => self.ignore(text, help),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Says which values of a list are none that an option has.
    fn refuse_values(&mut self, name: &str, value: Option<&str>, known: &[&str]) {
        let values = value.into_iter().flat_map(|value| value.split(','));
        for value in values.filter(|value| !known.contains(value)) {
            let option = format!("{name}={value}");
            self.ignore_part(&option, value, known);
        }
    }

    /// A line for each loop, in any build.
    pub(super) fn tell_loops(&mut self, brief: Brief) {
        if !self.options.feedback {
            (self.options.feedback, self.brief) = (true, Some(brief));
        } else if self.brief.is_some_and(|known| known != brief) {
            // Who asks for several is told of all.
            self.brief = Some(Brief::Told);
        }
    }

    /// A target of the host alone: the emulation, where nothing else is named.
    pub(super) fn choose_device(&mut self) {
        if self.names_gpu {
            return;
        }
        if self.options.multicore {
            self.device.get_or_insert(Device::Multicore);
        }
        if let (None, Some(option)) = (self.device, self.names_host.take()) {
            self.device = Some(Device::Emulated);
            self.warn(
                format!("`{option}` selects the emulation of a GPU on the host"),
                "it is there to test programs, not to be quick: `-acc=multicore` builds for the cores of the host",
            );
        }
    }

    fn add(&mut self, word: &str, role: Role) {
        self.words.push(Word {
            text: vec![OsString::from(word)],
            role,
            language: None,
        });
    }

    /// A part of `-acc=`, `-ta=` or `-gpu=`. GPUs are meant anyway; naming one does not forbid
    /// the emulation.
    fn take_target(&mut self, name: &str, part: &str) {
        match part.split_once(':') {
            Some((option, value)) if VALUED.contains(&option) => {
                self.take_value(name, option, value);
            }
            // `tesla:cc70`; what `-gpu=` has before a colon is no target.
            Some((target, rest)) if name != "-gpu" => {
                self.take_word(name, target);
                self.take_target(name, rest);
            }
            _ => self.take_word(name, part),
        }
    }

    /// `maxregcount:64`, `mem:unified` and the like, whose values are no targets.
    fn take_value(&mut self, name: &str, option: &str, value: &str) {
        match option {
            "maxregcount" => self
                .device_flags
                .push(format!("-maxrregcount={value}").into()),
            "mem" => {
                for kind in value.split(':') {
                    match kind {
                        "unified" | "managed" | "separate" => self.take_word(name, kind),
                        _ => {
                            let known = ["unified", "managed", "separate"];
                            self.ignore_part(&format!("{name}=mem:{kind}"), kind, &known);
                        }
                    }
                }
            }
            _ => self.ignore_part(&format!("{name}={option}:{value}"), option, &[]),
        }
    }

    /// A target or feature without a value.
    fn take_word(&mut self, name: &str, part: &str) {
        let option = format!("{name}={part}");
        match part {
            "multicore" => self.options.multicore = true,
            "gpu" | "nvidia" | "tesla" => self.names_gpu |= name != "-gpu",
            "host" => self.names_host = Some(option),
            "verystrict" => self.options.denies_others = true,
            // nvc's managed memory is the heap alone; here all memory is shared, or none.
            "managed" | "unified" => self.options.memory = Memory::Unified,
            "separate" | "nomanaged" | "nounified" => self.options.memory = Memory::Separate,
            "noautopar" => self.ignore(
                &option,
                "`kernels` finds parallel loops: `seq` on a loop keeps it sequential",
            ),
            "pinned" => self.warn(
                format!("`{option}` changes nothing: the host's memory is not pinned"),
                "`-gpu=unified` lets kernels use the host's memory, without any copy",
            ),
            "lineinfo" => self.device_flags.push("-lineinfo".into()),
            "fastmath" => self.device_flags.push("-use_fast_math".into()),
            "nofma" => self.device_flags.push("-fmad=false".into()),
            "debug" => self.device_flags.push("-G".into()),
            "keep" => self.device_flags.push("--keep".into()),
            "ptxinfo" => self.device_flags.extend(["-Xptxas".into(), "-v".into()]),
            "" => {}
            _ if AS_EVER.contains(&part) => {}
            _ => match part.strip_prefix("cc").and_then(|_| arch::parse(part).ok()) {
                Some(arch) => self.options.archs.push(arch),
                None => self.refuse_target(&option, part),
            },
        }
    }

    /// A part that is no target, be it a GPU's name in another spelling.
    fn refuse_target(&mut self, option: &str, part: &str) {
        let number = part.trim_start_matches(|c: char| !c.is_ascii_digit());
        let number = number.trim_end_matches(|c: char| !c.is_ascii_digit());
        let meant = format!("cc{number}");
        match arch::parse(&meant) {
            Ok(_) if !number.is_empty() => self.ignore(option, &format!("write `-gpu={meant}`")),
            _ if part.starts_with("cc") && !number.is_empty() => self.ignore(
                option,
                "GPUs are those of compute capability 5.0 and later: write `-gpu=cc75`, `-gpu=cc80` or `-gpu=cc90`",
            ),
            _ => self.ignore_part(option, part, &[AS_EVER, TARGETS].concat()),
        }
    }

    /// A part of an option that means nothing, with what may have been meant.
    pub(super) fn ignore_part(&mut self, option: &str, part: &str, known: &[&str]) {
        let others = || known.iter().copied().filter(|own| *own != part);
        // `acc` for `accel`.
        let begun = || did_you_mean(others().filter(|own| part.len() > 1 && own.starts_with(part)));
        let question = Near::words(part, others()).question().or_else(begun);
        self.ignore(
            option,
            question
                .as_deref()
                .unwrap_or("remove it; `accrs cc --help` lists what is known"),
        );
    }

    pub(super) fn ignore(&mut self, option: &str, help: &str) {
        self.warn(
            format!("`{option}` has no counterpart and is ignored"),
            help,
        );
    }

    fn warn(&mut self, message: String, help: &str) {
        self.warnings.push(Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::global(codes::OPTION_NOT_SUPPORTED, message).help(help)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::arch::Arch;

    fn parse(line: &str) -> Invocation {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Invocation::parse(&words).unwrap()
    }

    fn warnings(line: &str) -> Vec<String> {
        let parsed = parse(line);
        parsed
            .warnings
            .into_iter()
            .map(|warning| warning.message)
            .collect()
    }

    #[test]
    fn what_has_a_counterpart() {
        let line = parse("-fast -gpu=cc80,lineinfo,maxregcount:64 -cudalib=cublas,cufft a.c");
        let words: Vec<_> = line
            .all_words()
            .map(|w| w.to_string_lossy().into_owned())
            .collect();
        assert_eq!(words, ["-O3", "-lcublas", "-lcufft", "a.c"]);
        assert_eq!(line.options.archs, [Arch(80)]);
        assert_eq!(line.device_flags, ["-lineinfo", "-maxrregcount=64"]);
        assert!(line.warnings.is_empty());
    }

    #[test]
    fn the_last_word_on_memory_counts() {
        for (line, memory) in [
            ("-gpu=managed a.c", Memory::Unified),
            ("-ta=tesla:managed,cc70 a.c", Memory::Unified),
            ("-gpu=mem:unified a.c", Memory::Unified),
            ("-gpu=unified,nounified a.c", Memory::Separate),
            ("-gpu=unified -gpu=mem:separate a.c", Memory::Separate),
            (
                "-gpu=managed --memory=separate --memory unified a.c",
                Memory::Unified,
            ),
            ("a.c", Memory::Separate),
        ] {
            assert_eq!(parse(line).options.memory, memory, "{line}");
            assert!(warnings(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn values_of_parts_are_no_devices() {
        for option in [
            "-gpu=tripcount:host",
            "-gpu=cc80,mem:separate:pinnedalloc",
            "-gpu=loadcache:L1",
            "-gpu=quantum:host",
            "-ta=tesla:tripcount:host",
        ] {
            let line = parse(&format!("{option} a.c"));
            assert_eq!((line.device, line.warnings.len()), (None, 1), "{option}");
        }
        let line = parse("-ta=tesla:cc70:maxregcount:32 a.c");
        assert_eq!(line.options.archs, [Arch(70)]);
        assert_eq!(line.device_flags, ["-maxrregcount=32"]);
    }

    #[test]
    fn what_has_none_is_said() {
        for option in [
            "-gpu=pinned",
            "-ta=host",
            "-gpu=quantum",
            "-fopenacc-dim=4",
            "-dryrun",
            "-show",
            "-Mkeepasm",
            "-Minform=severe",
        ] {
            assert_eq!(warnings(&format!("{option} a.c")).len(), 1, "{option}");
        }
        for option in [
            "-acc",
            "-acc=gpu,autopar",
            "-ta=tesla:cc70",
            "-gpu=ccall",
            "-gpu=keep",
            "-acc=gpu,host",
            "-ta=nvidia,host",
            "-acc=strict",
            "-acc=multicore,host",
            "-noswitcherror",
        ] {
            assert!(warnings(&format!("{option} a.c")).is_empty(), "{option}");
        }
        let device = |options: &str| parse(&format!("{options} a.c")).device;
        assert_eq!(device("-acc=host"), Some(Device::Emulated));
        assert_eq!(device("-acc=gpu,host"), None);
        assert_eq!(device("-ta=host -acc=nvidia"), None);
        assert_eq!(device("-acc=host,multicore"), Some(Device::Multicore));
        assert!(parse("-acc=verystrict a.c").options.denies_others);
    }

    /// Code is built all the same.
    #[test]
    fn options_of_nvc_are_not_passed_on() {
        for option in [
            "-tp=native",
            "-tp haswell",
            "-Mvect=simd",
            "-Minline",
            "-Mpreprocess",
            "-Mbounds",
            "-Mlarge_arrays",
            "-Mcuda=cc80",
            "-Kieee",
            "-stdpar=gpu",
        ] {
            let line = parse(&format!("{option} a.c"));
            assert_eq!((line.words.len(), line.warnings.len()), (1, 1), "{option}");
        }
        for (option, known) in [
            ("-gopt", "-g"),
            ("-Kpic", "-fPIC"),
            ("-V", "--version"),
            ("-MMD", "-MMD"),
            ("-Mno-modules", "-Mno-modules"),
            ("-mp=bind", "-fopenmp"),
            ("-c99", "-std=gnu99"),
            ("-c17", "-std=gnu17"),
            ("-traceback", "-g"),
            ("-nofma", "-ffp-contract=off"),
            ("-Mnofma", "-ffp-contract=off"),
            ("-acclibs", "a.c"),
            ("-Munroll=n:4", "-funroll-loops"),
            ("-Mipa=fast", "-flto"),
            ("-Mnoopenmp", "-fno-openmp"),
            ("-silent", "-w"),
            ("-alias=ansi", "-fstrict-aliasing"),
        ] {
            let line = parse(&format!("{option} a.c"));
            assert_eq!(line.words[0].text, [known], "{option}");
            assert!(line.warnings.is_empty(), "{option}");
        }
    }

    #[test]
    fn values_that_options_do_not_have() {
        for (option, warning) in [
            (
                "-Minfo=bogus",
                "`-Minfo=bogus` has no counterpart and is ignored",
            ),
            (
                "-Minfo=accel,acell",
                "`-Minfo=acell` has no counterpart and is ignored",
            ),
            (
                "-mp=gpu,align",
                "`-mp=gpu` leaves OpenMP's directives to the cores of the host",
            ),
        ] {
            assert_eq!(warnings(&format!("{option} a.c")), [warning], "{option}");
        }
        for (option, meant) in [
            ("-Minfo=acel", "did you mean `accel`?"),
            ("-acc=multicor", "did you mean `multicore`?"),
            ("-Minfo=acc", "did you mean `accel`?"),
            ("-gpu=lineinf", "did you mean `lineinfo`?"),
            (
                "-gpu=cc33",
                "GPUs are those of compute capability 5.0 and later: write `-gpu=cc75`, `-gpu=cc80` or `-gpu=cc90`",
            ),
            ("-gpu=sm_80", "write `-gpu=cc80`"),
            ("-gpu=cc90a", "write `-gpu=cc90`"),
            ("-Mcuda=lineinfo", "write `-gpu=lineinfo`"),
            (
                "-acc=noautopar",
                "`kernels` finds parallel loops: `seq` on a loop keeps it sequential",
            ),
            (
                "-Minfo=loop,vect",
                "`-Minfo=accel` tells of constructs and their loops",
            ),
        ] {
            let help = parse(&format!("{option} a.c")).warnings.remove(0).help;
            assert_eq!(help.as_deref(), Some(meant), "{option}");
        }
    }

    #[test]
    fn options_that_ask_what_became_of_loops() {
        for option in [
            "-Minfo",
            "-Minfo=accel",
            "-Mneginfo=all",
            "-fopt-info",
            "-fopt-info-omp",
            "-fopt-info-vec-omp-missed",
        ] {
            let line = parse(&format!("{option} a.c"));
            assert!(line.options.feedback && line.brief.is_some(), "{option}");
        }
        // gcc tells of the host's code.
        let of_host = parse("-fopt-info-vec a.c");
        assert_eq!(of_host.all_words().count(), 2);
        assert!(!of_host.options.feedback && of_host.brief.is_none());
        assert_eq!(parse("-fopt-info-vec-omp a.c").all_words().count(), 2);
        assert_eq!(parse("-fopt-info-omp-all a.c").all_words().count(), 1);
        assert!(parse("--feedback -Minfo a.c").brief.is_none());
        for option in ["-Minfo=none", "-Minfo -Minfo=none"] {
            let line = parse(&format!("{option} a.c"));
            assert!(
                !line.options.feedback && line.warnings.is_empty(),
                "{option}"
            );
        }
        let of = |options: &str| parse(&format!("{options} a.c")).brief;
        assert_eq!(of("-Mneginfo"), Some(Brief::NotParallel));
        assert_eq!(of("-Minfo -Mneginfo"), Some(Brief::Told));
        assert_eq!(of("-Mneginfo -Minfo"), Some(Brief::Told));
    }
}
