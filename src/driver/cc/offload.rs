//! Options of gcc about accelerators: what they mean here.
//!
//! Input: words such as `-foffload-options=nvptx-none=-misa=sm_80` and `-fopt-info-omp-missed=loops.txt`.
//! Output: the same in the [`Invocation`], with a warning where an option has no counterpart.

use super::arguments::Invocation;
use crate::driver::arch;
use crate::driver::render::Brief;

/// The kinds of devices that gcc has compilers for; those of NVIDIA are meant anyway.
const AS_EVER: [&str; 2] = ["nvptx-none", "default"];

impl Invocation {
    /// `-foffload=` and `-foffload-options=`: kinds of devices, and options of their compilers.
    pub(super) fn take_offload(&mut self, text: &str, value: &str) {
        if value == "disable" {
            return self.ignore(
                text,
                "`-fno-openacc` leaves all code to the host, `--device=emulated` runs kernels there",
            );
        }
        let is_of_options = text.starts_with("-foffload-options");
        let mut is_other = false;
        for part in value.split([' ', ',']).filter(|part| !part.is_empty()) {
            let (target, flag) = match part.split_once('=') {
                Some((target, flag)) if !target.starts_with('-') => (target, flag),
                _ if part.starts_with('-') => ("", part),
                _ => (part, ""),
            };
            if !target.is_empty() {
                is_other = !AS_EVER.contains(&target);
                if is_other && !is_of_options {
                    self.ignore(
                        &format!("-foffload={target}"),
                        "kernels are built for GPUs of NVIDIA: remove it",
                    );
                }
            }
            if !is_other && !flag.is_empty() {
                self.take_device_flag(text, flag);
            }
        }
    }

    /// An option of gcc's compiler for the device.
    fn take_device_flag(&mut self, text: &str, flag: &str) {
        let arch = flag
            .split_once('=')
            .filter(|(name, _)| ["-misa", "-march"].contains(name))
            .and_then(|(_, arch)| arch::parse(arch).ok());
        match flag {
            _ if arch.is_some() => self.options.archs.extend(arch),
            "-O0" | "-O1" | "-O2" | "-O3" => {
                self.device_flags.extend(["-Xptxas".into(), flag.into()]);
            }
            "-ffast-math" => self.device_flags.push("-use_fast_math".into()),
            "-g" => self.device_flags.push("-lineinfo".into()),
            // Libraries of the device's own are linked with anyway.
            _ if flag.starts_with("-l") => {}
            _ => {
                let name = text.split('=').next().unwrap_or(text);
                self.ignore(
                    &format!("{name}={flag}"),
                    "it is not passed on to nvcc, which compiles for the device",
                );
            }
        }
    }

    /// `-fopt-info-omp-missed=FILE` and the like; whether gcc needs it not. What is about other
    /// optimisations than those of `omp` is gcc's, about the host's code.
    pub(super) fn take_opt_info(&mut self, name: &str, value: Option<&str>) -> bool {
        let kinds = name.strip_prefix("-fopt-info").unwrap_or_default();
        let of = |kind: &str| kinds.split('-').any(|own| own == kind);
        let is_gccs = ["ipa", "loop", "inline", "vec"].into_iter().any(of);
        if !of("omp") {
            if !is_gccs {
                self.tell_loops(Brief::Told);
            }
            return false;
        }
        self.tell_loops(match (of("optimized"), of("missed")) {
            _ if of("all") || of("note") => Brief::Told,
            (true, false) => Brief::Parallel,
            (false, true) => Brief::NotParallel,
            _ => Brief::Told,
        });
        let file = value.filter(|file| !["stderr", "stdout"].contains(file));
        self.notes_file = file.map(Into::into).or(self.notes_file.take());
        !is_gccs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::arch::Arch;
    use std::ffi::OsString;
    use std::path::Path;

    fn parse(line: &str) -> Invocation {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Invocation::parse(&words).unwrap()
    }

    #[test]
    fn options_of_the_compiler_for_the_device() {
        for (option, flags) in [
            ("-foffload-options=-O2", &["-Xptxas", "-O2"][..]),
            (
                "-foffload-options=nvptx-none=-ffast-math",
                &["-use_fast_math"],
            ),
            ("-foffload=nvptx-none", &[]),
            ("-foffload=-lm", &[]),
        ] {
            let line = parse(&format!("{option} a.c"));
            assert_eq!(line.device_flags, flags, "{option}");
            assert!(line.warnings.is_empty(), "{option}");
        }
        let line = parse("-fopenacc -foffload-options=nvptx-none=-misa=sm_80 a.c");
        assert_eq!(line.options.archs, [Arch(80)]);
    }

    #[test]
    fn what_has_no_counterpart_is_said() {
        for option in [
            "-foffload=disable",
            "-foffload=amdgcn-amdhsa",
            "-foffload=nvptx-none,amdgcn-amdhsa",
            "-foffload-options=-mptx=7.0",
        ] {
            assert_eq!(
                parse(&format!("{option} a.c")).warnings.len(),
                1,
                "{option}"
            );
        }
        let other = parse("-foffload-options=amdgcn-amdhsa=-march=gfx90a a.c");
        assert!(other.warnings.is_empty() && other.device_flags.is_empty());
    }

    #[test]
    fn which_loops_are_told_of_and_where() {
        for (option, brief, file) in [
            ("-fopt-info-omp", Brief::Told, None),
            ("-fopt-info-omp=out.txt", Brief::Told, Some("out.txt")),
            ("-fopt-info-omp-missed", Brief::NotParallel, None),
            ("-fopt-info-omp-optimized", Brief::Parallel, None),
            ("-fopt-info-omp-optimized-missed=l", Brief::Told, Some("l")),
            ("-fopt-info-omp-all=stderr", Brief::Told, None),
        ] {
            let line = parse(&format!("{option} a.c"));
            assert_eq!(line.brief, Some(brief), "{option}");
            assert_eq!(line.notes_file.as_deref(), file.map(Path::new), "{option}");
            assert_eq!(line.all_words().count(), 1, "{option}");
        }
    }
}
