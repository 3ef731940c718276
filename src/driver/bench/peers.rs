//! Other compilers of OpenACC, on the plain form.
//!
//! Input: what `--peer` says: a known compiler (`gcc`, `nvc`), or `NAME=COMMAND`.
//! Output: the command, and whether what it builds runs on a GPU here. A probe
//! program tells: its region says where it ran. What ran on the host is never
//! compared with what ran on a GPU.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use super::measure;
use super::plan::Machine;
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::failure::Failure;
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::output::unwritable;
use crate::driver::process;
use crate::driver::toolchain::Tool;

/// Says where its region runs.
const PROBE: &str = include_str!("../../../benchmarks/common/where.c");

/// How a known compiler is called.
struct Known {
    name: &'static str,
    command: &'static str,
    /// The same where the host's cores are the device.
    on_cores: &'static str,
    /// For C's arithmetic: no multiply is fused with an add.
    exact: &'static [&'static str],
    /// What to install.
    help: &'static str,
}

const KNOWN: [Known; 2] = [
    Known {
        name: "gcc",
        command: "gcc -O2 -fopenacc -foffload=nvptx-none -foffload-options=nvptx-none=-lm",
        on_cores: "gcc -O2 -fopenacc -foffload=disable",
        exact: &["-ffp-contract=off"],
        help: "install gcc's offloading: in Debian 12 the packages gcc-12-offload-nvptx and libgomp-plugin-nvptx1",
    },
    Known {
        name: "nvc",
        command: "nvc -O2 -acc=gpu",
        on_cores: "nvc -O2 -acc=multicore",
        exact: &["-Mnofma"],
        help: "install the NVIDIA HPC SDK and put nvc into PATH",
    },
];

/// Where programs of a peer run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase", tag = "on", content = "because")]
pub(super) enum Place {
    /// An NVIDIA GPU.
    Gpu,
    /// The host, and why.
    Host(String),
    /// The host, as all others.
    Cores,
}

/// A compiler of OpenACC.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Peer {
    pub(super) name: String,
    /// As a shell has it.
    command: String,
    /// What it says of its version.
    version: Option<String>,
    pub(super) place: Place,
    #[serde(skip)]
    tool: Tool,
    #[serde(skip)]
    exact: &'static [&'static str],
}

/// Finds the compilers that were asked for.
///
/// # Errors
/// When one is not there, or compiles nothing.
pub(super) fn find(wishes: &[String], machine: Machine) -> Result<Vec<Peer>, Failure> {
    let peers = wishes.iter().map(|wish| find_one(wish, machine));
    peers.collect()
}

fn find_one(wish: &str, machine: Machine) -> Result<Peer, Failure> {
    let (name, command) = match wish.split_once('=') {
        Some((name, command)) => (name, Some(command)),
        None => (wish, None),
    };
    let known = KNOWN.iter().find(|known| known.name == name);
    let wrong = |message: String| Diagnostic::global(codes::BAD_USAGE, message);
    let own = |known: &Known| match machine {
        Machine::Cores => known.on_cores,
        Machine::Gpu | Machine::Emulation => known.command,
    };
    let Some(command) = command.or(known.map(own)) else {
        let help = format!("write --peer {name}='COMMAND', which compiles OpenACC for a GPU");
        return Err(wrong(format!("no peer `{name}` is known"))
            .help(help)
            .into());
    };
    let words = shlex::split(command).unwrap_or_default();
    let Some((program, arguments)) = words.split_first() else {
        return Err(wrong(format!("--peer {name}: no command")).into());
    };
    let tool = Tool {
        path: PathBuf::from(program),
        arguments: arguments.iter().map(OsString::from).collect(),
    };
    let mut peer = Peer {
        name: name.to_owned(),
        command: command.to_owned(),
        version: Tool::plain(tool.path.clone()).version(),
        place: Place::Gpu,
        tool,
        exact: known.map_or(&[], |known| known.exact),
    };
    peer.place = peer.probe(machine).map_err(|why| {
        let message = format!("the peer {name} does not compile OpenACC for a GPU: {why}");
        let missing = Diagnostic::global(codes::TOOL_NOT_RUNNABLE, message);
        match known {
            Some(known) => missing.help(known.help),
            None => missing.help("`--peer NAME=COMMAND` says how it is called"),
        }
    })?;
    Ok(peer)
}

impl Peer {
    /// Who it is and where it runs, for a reader.
    pub(super) fn line(&self) -> String {
        let version = self.version.as_deref().unwrap_or("version unknown");
        let place = match &self.place {
            Place::Gpu => "on the GPU".to_owned(),
            Place::Cores => "on the host".to_owned(),
            Place::Host(why) => {
                format!("on the host ({why}), so that its times are compared with nothing")
            }
        };
        format!(
            "Peer {}: `{}` ({version}), {place}.",
            self.name, self.command
        )
    }

    /// Compiles a program.
    ///
    /// # Errors
    /// When it is rejected.
    pub(super) fn build(
        &self,
        files: &[PathBuf],
        program: &Path,
        preprocessor: &[OsString],
        is_exact: bool,
    ) -> Result<(), Failure> {
        let mut command = self.tool.command();
        if is_exact {
            command.args(self.exact);
        }
        command.args(preprocessor).arg("-o").arg(program);
        let output = process::capture(command.args(files).arg("-lm"), b"", None)?;
        match output.status.success() {
            true => Ok(()),
            false => {
                let message = first_error(&output.text());
                Err(Failure::environment(codes::GENERATED_CODE, message))
            }
        }
    }

    /// A command that runs a program of this compiler where it can.
    pub(super) fn start(&self, program: &Path) -> Command {
        start(program, &self.place)
    }

    /// Where programs run; an error where none is built.
    fn probe(&self, machine: Machine) -> Result<Place, String> {
        let told = |failure: Failure| measure::reason(&failure);
        let folder = TemporaryFolder::new().map_err(told)?;
        let program = self.build_probe(&folder).map_err(told)?;
        match machine {
            Machine::Emulation => return Ok(Place::Host("the others are emulated".to_owned())),
            Machine::Cores => return Ok(Place::Cores),
            Machine::Gpu => {}
        }
        let output = process::capture(&mut start(&program, &Place::Gpu), b"", None);
        let output = output.map_err(told)?;
        let said = output.text();
        Ok(match (output.status.success(), said.lines().last()) {
            (true, Some("device")) => Place::Gpu,
            (true, _) => Place::Host("its regions run on the host".to_owned()),
            (false, last) => Place::Host(last.unwrap_or("its programs fail").to_owned()),
        })
    }

    fn build_probe(&self, folder: &TemporaryFolder) -> Result<PathBuf, Failure> {
        let source = folder.path().join("where.c");
        fs::write(&source, PROBE).map_err(|error| unwritable(&source, &error))?;
        let program = folder.path().join("where");
        self.build(&[source], &program, &[], false)?;
        Ok(program)
    }
}

fn start(program: &Path, place: &Place) -> Command {
    let mut command = Command::new(program);
    command.env(
        "ACC_DEVICE_TYPE",
        match place {
            Place::Gpu => "NVIDIA",
            Place::Host(_) | Place::Cores => "HOST",
        },
    );
    command
}

/// The first line that tells of an error, else the first.
fn first_error(text: &str) -> String {
    let error = text.lines().find(|line| line.contains("error"));
    let line = error.or_else(|| text.lines().next());
    line.unwrap_or("it fails without a word").trim().to_owned()
}
