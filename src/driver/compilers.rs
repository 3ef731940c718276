//! How the compilers are called for a device.
//!
//! The host program is compiled by the user's C compiler; kernels and the
//! runtime by nvcc for a GPU, by the C++ compiler for the emulation.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::arch::{self, Arch};
use super::device::{self, Device};
use super::failure::Failure;
use super::memory::Memory;
use super::process;
use super::toolchain::{self, GPU_LIBRARY, Nvcc, Tool};
use super::variables::Variables;
use crate::diagnostic::{Diagnostic, codes};

/// Keeps calls that g++ 12 drops, in plain C as well: its loop optimiser may
/// write an access as null plus an index that is the whole address; the
/// analysis of pure functions takes that for a dereference of null, which ends
/// the function, and does not see what follows.
pub const KEEP_CALLS: &str = "-fno-delete-null-pointer-checks";

/// How the C++ compiler builds the emulation and kernels for it, their
/// arithmetic being C's.
pub const EMULATION: [&str; 5] = [
    "-std=c++17",
    "-O2",
    "-ffp-contract=off",
    "-pthread",
    KEEP_CALLS,
];

/// The flag for OpenMP.
const OPENMP: &str = "-fopenmp";

/// GCC's library for it. That it is there is seen sooner than that a program can be linked.
const OPENMP_OF_GCC: &str = "libgomp.so";

/// A program that needs OpenMP's library.
const OPENMP_PROBE: &str =
    "#include <omp.h>\nint main(void) { return omp_get_num_threads() - 1; }\n";

/// The one header of generated kernel files.
pub const KERNEL_HEADER: &str = "accrs_device.hpp";

/// How watched programs compile the runtime's sources and the kernels.
const WATCHED: &str = "-DACCRS_WATCHED=1";

/// The same where the checks watch.
const CHECKED: &str = "-DACCRS_CHECKED=1";

/// Lines of code, in the version in which `addr2line` knows the first file of
/// a `#line` from the file that it stands in.
const LINES: &str = "-gdwarf-4";

/// See [`Compilers::watch_flags`].
const WATCHED_BY_GCC: [&str; 10] = [
    LINES,
    "-fsanitize=thread",
    "-fno-builtin-memset",
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-fno-tree-vectorize",
    "-fno-tree-slp-vectorize",
    "-fno-tree-loop-distribute-patterns",
    "-fno-tree-loop-im",
    "-fno-ssa-phiopt",
];

/// See [`Compilers::watch_flags`].
const WATCHED_BY_CLANG: [&str; 13] = [
    LINES,
    "-fsanitize=thread",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-builtin-memset",
    "-fno-builtin-memcpy",
    "-fno-builtin-memmove",
    "-mllvm",
    "-tsan-instrument-read-before-write",
    "-mllvm",
    "-tsan-instrument-atomics=0", // those of the emulation tell it themselves
    "-mllvm",
    "-tsan-instrument-func-entry-exit=0",
];

/// Flags of preprocessing whose value is the next word, and which nvcc has,
/// too.
const PREPROCESSOR_WORDS: [&str; 5] = ["-I", "-D", "-U", "-isystem", "-include"];

/// A C compiler's flags as nvcc takes them: what it does not know itself is
/// for the C++ compiler.
pub(super) fn nvcc_flags(flags: &[OsString]) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let mut is_value = false;
    for flag in flags.iter().filter(|flag| !is_standard_of_c(flag)) {
        let text = flag.to_string_lossy();
        let own = ["-I", "-D", "-U", "-O", "-std="]
            .iter()
            .any(|known| text.starts_with(known));
        let takes_value = !is_value && PREPROCESSOR_WORDS.contains(&text.as_ref());
        if !(own || is_value || takes_value || text == "-g") {
            words.push("-Xcompiler".into());
        }
        words.push(flag.clone());
        is_value = takes_value;
    }
    words
}

/// Whether a flag chooses a version of C, which CUDA is none of.
fn is_standard_of_c(flag: &OsString) -> bool {
    let text = flag.to_string_lossy();
    let standard = text.strip_prefix("-std=");
    standard.is_some_and(|standard| !standard.contains("++"))
}

/// The compilers for one device.
#[derive(Clone, Debug)]
pub struct Compilers {
    c: Tool,
    cxx: Tool,
    kernels: KernelCompiler,
    /// Whether the arithmetic of kernels is C's on a GPU, too: no multiply is
    /// fused with an add.
    is_exact: bool,
    /// The host's cores share constructs, by OpenMP.
    shares_cores: bool,
    /// They alone run them.
    has_cores_alone: bool,
}

/// What compiles the kernels.
#[derive(Clone, Debug)]
enum KernelCompiler {
    /// The C++ compiler against the emulation, perhaps with a watcher that sees
    /// every access of a kernel.
    Emulated(Option<Watcher>),
    /// nvcc for these architectures.
    Gpu(Nvcc, Vec<Arch>),
}

/// Who watches the kernels of a program on the emulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watcher {
    /// The checks of `check --dynamic`.
    Checks,
    /// The counts of transactions, barriers and accesses.
    Counts,
}

impl Watcher {
    /// Where its sources are in the runtime.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Checks => "checks/",
            Self::Counts => "counts/",
        }
    }

    /// How programs that it watches are compiled.
    const fn definitions(self) -> &'static [&'static str] {
        match self {
            Self::Checks => &[WATCHED, CHECKED],
            Self::Counts => &[WATCHED],
        }
    }

    /// What makes the compiler tell of indices outside arrays, and of shifts by too many places.
    fn bounds(self, is_clang: bool) -> &'static [&'static str] {
        match (self, is_clang) {
            (Self::Counts, _) => &[],
            (Self::Checks, true) => &["-fsanitize=array-bounds,shift-exponent"],
            (Self::Checks, false) => &["-fsanitize=bounds,shift-exponent"],
        }
    }
}

/// g++ takes such a value for none, and a choice between that and another one for the other one: what
/// keeps it from that.
const KEEP_GIVEN_VALUES: [&str; 7] = [
    "-O1",
    "-fno-tree-ccp",
    "-fno-tree-fre",
    "-fno-tree-copy-prop",
    "-fno-tree-dominator-opts",
    "-fno-tree-phiprop",
    "-fno-ssa-phiopt",
];

/// What variables of kernels have before the program gives them a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Given {
    /// Bits that are no sensible value.
    Pattern,
    /// Zero.
    Zero,
}

/// What tells profilers which line device code is of.
pub const LINE_INFO: &str = "-lineinfo";

/// The flags that one translation unit is compiled with.
#[derive(Clone, Debug, Default)]
pub struct UnitFlags {
    /// All of the user's flags for the C compiler.
    pub host: Vec<OsString>,
    /// Those that also hold for the launchers: `-g`, `-fPIC` and the like.
    pub kernels: Vec<OsString>,
    /// Options of nvcc itself.
    pub device: Vec<OsString>,
    /// Its device code calls or has routines that files share.
    pub relocatable: bool,
    /// `--memory`.
    pub memory: Memory,
}

/// Names what is compiled and its object.
pub fn compile_to(command: &mut Command, source: &Path, object: &Path) {
    command.arg("-c").arg(source).arg("-o").arg(object);
}

impl Compilers {
    /// Finds all that building for the device needs.
    ///
    /// # Errors
    /// When one is missing.
    pub fn find(
        option: Option<Device>,
        archs: &[Arch],
        variables: Variables,
    ) -> Result<Self, Failure> {
        let device = device::choose(option, variables)?;
        let c = toolchain::c_compiler(variables)?;
        let cxx = toolchain::cxx_compiler(variables)?;
        let kernels = match device {
            Device::Emulated | Device::Multicore => KernelCompiler::Emulated(None),
            Device::Gpu => KernelCompiler::Gpu(toolchain::nvcc(variables)?, archs.to_vec()),
        };
        let compilers = Self {
            c,
            cxx,
            kernels,
            is_exact: false,
            shares_cores: false,
            has_cores_alone: device == Device::Multicore,
        };
        compilers.sharing_cores(device == Device::Multicore)
    }

    /// The same compilers, the host's cores sharing constructs if that is asked for.
    ///
    /// # Errors
    /// When the C compiler has no OpenMP.
    pub fn sharing_cores(self, asked: bool) -> Result<Self, Failure> {
        if !asked || self.shares_cores {
            return Ok(self);
        }
        let sharing = Self {
            shares_cores: true,
            ..self.clone()
        };
        if !is_clang(&self.c) && finds(&self.c, &[OPENMP], OPENMP_OF_GCC).is_some() {
            return Ok(sharing);
        }
        let mut ask = self.c.command();
        ask.args([OPENMP, "-x", "c", "-o", "/dev/null", "-"]);
        let output = process::capture(&mut ask, OPENMP_PROBE.as_bytes(), None)?;
        if output.status.success() {
            return Ok(sharing);
        }
        let compiler = self.c.path.display();
        let message = format!("the C compiler `{compiler}` builds nothing with `{OPENMP}`");
        let mut missing = Diagnostic::global(codes::NO_OPENMP, message);
        if let Some(line) = output.text().lines().find(|line| !line.is_empty()) {
            missing = missing.note(line.trim());
        }
        Err(missing
            .help(
                "the host's cores share loops by OpenMP: use gcc, or install clang's `libomp-dev`",
            )
            .into())
    }

    /// Whether the host's cores share constructs.
    pub fn shares_cores(&self) -> bool {
        self.shares_cores
    }

    /// What runs constructs: the host's cores, where they alone do.
    pub fn target(&self) -> Device {
        match self.has_cores_alone {
            true => Device::Multicore,
            false => self.device(),
        }
    }

    /// What makes the C compiler know OpenMP, for its calls and for links by it.
    pub fn openmp(&self) -> Option<&'static str> {
        self.shares_cores.then_some(OPENMP)
    }

    /// Finds all that building a watched program for the emulation needs.
    ///
    /// # Errors
    /// When a compiler is missing.
    pub fn watched(watcher: Watcher, variables: Variables) -> Result<Self, Failure> {
        Ok(Self {
            c: toolchain::c_compiler(variables)?,
            cxx: toolchain::cxx_compiler(variables)?,
            kernels: KernelCompiler::Emulated(Some(watcher)),
            is_exact: true,
            shares_cores: false,
            has_cores_alone: false,
        })
    }

    /// The same compilers, the arithmetic of kernels being C's: results can be
    /// compared bit for bit.
    pub fn exact(&self) -> Self {
        Self {
            is_exact: true,
            ..self.clone()
        }
    }

    /// Who watches the programs that are built.
    pub fn watcher(&self) -> Option<Watcher> {
        match self.kernels {
            KernelCompiler::Emulated(watcher) => watcher,
            KernelCompiler::Gpu(..) => None,
        }
    }

    /// What kernels are compiled for: a GPU or the emulation.
    pub fn device(&self) -> Device {
        match self.kernels {
            KernelCompiler::Emulated(_) => Device::Emulated,
            KernelCompiler::Gpu(..) => Device::Gpu,
        }
    }

    /// The C compiler.
    pub fn c(&self) -> &Tool {
        &self.c
    }

    /// The program that compiles kernels, for messages.
    pub fn kernel_compiler(&self) -> &Path {
        match &self.kernels {
            KernelCompiler::Emulated(_) => &self.cxx.path,
            KernelCompiler::Gpu(nvcc, _) => &nvcc.tool.path,
        }
    }

    /// Everything about the compilers that the built runtime depends on: not the C compiler, which
    /// may be another one for each program.
    pub fn identity(&self) -> String {
        let gpu = match &self.kernels {
            KernelCompiler::Emulated(_) => None,
            KernelCompiler::Gpu(nvcc, _) => nvcc.tool.version(),
        };
        // The runtime has no kernels whose arithmetic could be exact or not.
        format!(
            "{:?} {:?} {:?} {gpu:?}",
            self.cxx,
            self.kernels,
            self.cxx.version()
        )
    }

    /// A command that compiles C++ of the runtime; the caller adds `-c`,
    /// input and output.
    pub fn runtime_source(&self, include: &Path) -> Command {
        let mut command = self.kernel_command(include, false);
        match &self.kernels {
            KernelCompiler::Emulated(None) => command.arg("-fPIC"),
            KernelCompiler::Emulated(Some(_)) => command.arg("-fPIE"),
            KernelCompiler::Gpu(..) => command.args(["-Xcompiler", "-fPIC"]),
        };
        command
    }

    /// A command that compiles a kernel file (rewritten for the emulation);
    /// the caller adds `-c`, input and output. Flags such as `-g` and `-fPIC`
    /// hold for the code of the launchers.
    pub fn kernel_source(&self, include: &Path, flags: &UnitFlags) -> Command {
        let mut command = self.kernel_command(include, flags.relocatable);
        let host_flags = &flags.kernels;
        match &self.kernels {
            KernelCompiler::Emulated(watcher) => {
                command.args(host_flags);
                if let Some(watcher) = watcher {
                    let is_clang = self.is_clang();
                    command.args(Self::watch_flags(is_clang));
                    command.args(watcher.bounds(is_clang));
                }
                command.args(["-x", "c++"]);
            }
            KernelCompiler::Gpu(..) => {
                command.args(&flags.device);
                for flag in host_flags {
                    command.arg("-Xcompiler").arg(flag);
                }
            }
        }
        command
    }

    /// A command that parses the header of kernel files for the emulation ahead
    /// of them; the caller adds the output. g++ takes it where a kernel file is
    /// compiled with the same flags, and reads the header itself elsewhere. clang
    /// takes it where a flag names it, and then refuses other flags.
    pub fn header_parser(&self, include: &Path) -> Option<Command> {
        if self.device() == Device::Gpu || self.is_clang() {
            return None;
        }
        let mut command = self.kernel_source(include, &UnitFlags::default());
        command
            .args(["-x", "c++-header", "-c"])
            .arg(include.join(KERNEL_HEADER));
        Some(command)
    }

    /// A command that compiles a CUDA file with its host program (rewritten
    /// for the emulation); the caller adds `-c`, input and output.
    /// `include` has the runtime's headers; the emulation's are in the first
    /// of `emulated`, and begin with the second.
    pub fn cuda_source(
        &self,
        include: &Path,
        emulated: &[PathBuf; 2],
        flags: &UnitFlags,
    ) -> Command {
        let own = UnitFlags::default();
        let mut command = self.kernel_source(include, &own);
        if let KernelCompiler::Gpu(..) = self.kernels {
            command.args(nvcc_flags(&flags.host));
            return command;
        }
        let others = flags.host.iter().filter(|flag| !is_standard_of_c(flag));
        command.args(others).arg("-Wno-unknown-pragmas");
        let [headers, first] = emulated;
        command.arg("-isystem").arg(headers);
        command.arg("-include").arg(first);
        command
    }

    /// What makes the C compiler tell the checks of every access of the host program, and keep to
    /// those that the program makes; empty where no checks watch.
    pub fn watch_host_flags(&self) -> Vec<&'static str> {
        if self.watcher() != Some(Watcher::Checks) {
            return Vec::new();
        }
        let is_clang = is_clang(&self.c);
        let calls: &[_] = Self::watch_flags(is_clang);
        let frames: &[_] = if is_clang {
            &["-mllvm", "-tsan-instrument-func-entry-exit=1"]
        } else {
            &["-fstack-reuse=none"]
        };
        [calls, frames, &["-fno-omit-frame-pointer"]].concat()
    }

    /// The flags that give variables of kernels a value before the program does.
    pub fn given(&self, given: Given) -> Vec<OsString> {
        let value = match given {
            Given::Pattern => "-ftrivial-auto-var-init=pattern",
            Given::Zero => "-ftrivial-auto-var-init=zero",
        };
        let others: &[_] = if self.is_clang() {
            &[]
        } else {
            &KEEP_GIVEN_VALUES
        };
        let flags = std::iter::once(&value).chain(others);
        flags.map(OsString::from).collect()
    }

    /// Whether the C++ compiler can be asked for that.
    pub fn gives_values(&self) -> bool {
        let mut ask = self.cxx.command();
        ask.args(self.given(Given::Zero));
        ask.args(["-fsyntax-only", "-x", "c++", "/dev/null"]);
        ask.output().is_ok_and(|output| output.status.success())
    }

    fn is_clang(&self) -> bool {
        is_clang(&self.cxx)
    }

    /// What makes a compiler tell the watcher of every access of a kernel, and
    /// keep to the accesses that the kernel makes: no load may move before its
    /// condition, no loop become a call that no watcher sees.
    fn watch_flags(is_clang: bool) -> &'static [&'static str] {
        if is_clang {
            &WATCHED_BY_CLANG
        } else {
            &WATCHED_BY_GCC
        }
    }

    fn kernel_command(&self, include: &Path, relocatable: bool) -> Command {
        let mut command = match &self.kernels {
            KernelCompiler::Emulated(watcher) => {
                let mut command = self.cxx.command();
                command.args(EMULATION);
                command.args(watcher.map_or(&[][..], Watcher::definitions));
                command
            }
            KernelCompiler::Gpu(nvcc, archs) => {
                let mut command = nvcc.command();
                if self.is_exact {
                    command.arg("-fmad=false");
                }
                command
                    .args(["-std=c++17", "-O2"])
                    .arg("-ccbin")
                    .arg(&self.cxx.path);
                if relocatable {
                    command.arg("-rdc=true");
                    command.args(arch::relocatable_flags(archs, nvcc.links_in_time()));
                } else {
                    command.args(arch::flags(archs));
                }
                command
            }
        };
        command.arg("-I").arg(include);
        command
    }

    /// A command that links relocatable device code into one object; the
    /// caller adds inputs and output. None where device code is the host's.
    pub fn device_linker(&self) -> Option<Command> {
        let KernelCompiler::Gpu(nvcc, archs) = &self.kernels else {
            return None;
        };
        let mut command = nvcc.command();
        command.args(["-dlink", "-Xcompiler", "-fPIC", "-ccbin"]);
        command.arg(&self.cxx.path).args(arch::flags(archs));
        if nvcc.links_in_time() {
            command.arg("-dlto");
        }
        command.arg("-L").arg(nvcc.library_folder());
        Some(command)
    }

    /// The command that links programs with the runtime in.
    pub fn linker(&self) -> Command {
        self.cxx.command()
    }

    /// Libraries that the runtime itself needs, for a C++ link.
    pub fn libraries(&self) -> Vec<OsString> {
        let mut libraries: Vec<OsString> = Vec::new();
        if let KernelCompiler::Gpu(nvcc, _) = &self.kernels {
            let mut folder = OsString::from("-L");
            folder.push(nvcc.library_folder());
            libraries.push(folder);
            libraries.push(format!("-l{GPU_LIBRARY}").into());
            libraries.push("-lrt".into());
        }
        libraries.extend(["-pthread", "-ldl", "-lm"].map(OsString::from));
        libraries
    }

    /// The C++ library for a link by the C compiler: the static one where
    /// there is one, so that the program needs nothing that C does not.
    pub fn cxx_library(&self) -> OsString {
        finds(&self.cxx, &[], "libstdc++.a")
            .map_or_else(|| "-lstdc++".into(), PathBuf::into_os_string)
    }
}

/// Where a compiler that knows these flags finds a library.
fn finds(tool: &Tool, flags: &[&str], library: &str) -> Option<PathBuf> {
    let mut ask = tool.command();
    ask.args(flags).arg(format!("-print-file-name={library}"));
    let answer = ask.output().ok().filter(|answer| answer.status.success())?;
    let path = PathBuf::from(String::from_utf8_lossy(&answer.stdout).trim());
    (path.is_absolute() && path.is_file()).then_some(path)
}

fn is_clang(tool: &Tool) -> bool {
    let version = tool.version();
    version.is_some_and(|version| version.contains("clang"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_for_nvcc_and_for_the_compiler_behind_it() {
        let flags = "-std=c99 -O2 -Wall -I inc -DX=1 -include a.h -fPIC -std=c++20 -march=native";
        let words: Vec<OsString> = flags.split(' ').map(OsString::from).collect();
        let expected = "-O2 -Xcompiler -Wall -I inc -DX=1 -include a.h -Xcompiler -fPIC \
                        -std=c++20 -Xcompiler -march=native";
        let expected: Vec<OsString> = expected.split(' ').map(OsString::from).collect();
        assert_eq!(nvcc_flags(&words), expected);
    }
}
