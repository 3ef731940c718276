//! `accrs doctor`: what is on this machine, and what to install.

use std::fmt::Write as _;
use std::path::Path;

use super::cache;
use super::device;
use super::failure::{Failure, Success};
use super::session::Session;
use super::toolchain::{self, Tool};
use crate::diagnostic::Diagnostic;

/// What a GPU is called in the report.
const GPU: &str = "NVIDIA GPU";

/// And its compiler.
const NVCC: &str = "nvcc";

/// A line of the report.
struct Finding {
    what: &'static str,
    /// Path and version, or why it is missing.
    state: Result<String, String>,
    /// Whether nothing works without it.
    required: bool,
}

/// Prints each tool with its version and what is missing.
///
/// # Errors
/// When standard output is closed.
pub fn doctor(session: Session) -> Result<Success, Failure> {
    let findings = findings();
    let mut text = String::new();
    for Finding { what, state, .. } in &findings {
        let (mark, state) = match state {
            Ok(state) => ("ok", state),
            Err(state) => ("--", state),
        };
        let _ = writeln!(text, "{mark}  {what:<13} {state}");
    }
    let lacking: Vec<&str> = findings
        .iter()
        .filter(|f| f.required && f.state.is_err())
        .map(|f| f.what)
        .collect();
    let verdict = verdict(&lacking);
    let _ = writeln!(text, "\n{verdict}");
    if lacking.is_empty() {
        let has = |what| findings.iter().any(|f| f.what == what && f.state.is_ok());
        text.push_str(next(has(GPU), has(NVCC)));
    }
    session.print(text)?;
    Ok(if lacking.is_empty() {
        Success::Done
    } else {
        Success::Incomplete
    })
}

/// One line on what can be done now, or what to install first.
fn verdict(lacking: &[&str]) -> String {
    if lacking.is_empty() {
        return match device::choose(None, &Session::variable) {
            Ok(device) => format!("programs are built for: {}", device.name()),
            Err(_) => {
                "ACC_DEVICE_TYPE names no device: set it to `gpu`, `multicore` or `emulated`".into()
            }
        };
    }
    let packages: Vec<&str> = lacking.iter().filter_map(|what| package(what)).collect();
    format!(
        "missing: {}; install the system package {}",
        lacking.join(", "),
        packages.join(" ")
    )
}

/// What can be done with a GPU, or with nvcc.
fn next(has_gpu: bool, has_nvcc: bool) -> &'static str {
    match (has_gpu, has_nvcc) {
        (true, true) => {
            "next: `accrs run FILE.c`, with ACCRS_PROFILE=1 for where the time goes; `accrs bench` \
             times all forms of its programs\n"
        }
        (true, false) => {
            "next: `accrs setup --nvcc` installs nvcc for the GPU that is here; `accrs run FILE.c` uses \
             the emulation until then\n"
        }
        (false, true) => {
            "next: `accrs run FILE.c` on the emulation; `accrs cc --device=gpu --arch=sm_90` builds \
             for the GPU of another machine, `accrs check --feedback=resources FILE.c` shows registers\n"
        }
        (false, false) => {
            "next: `accrs run FILE.c` on the emulation; `accrs translate FILE.c` writes CUDA for a \
             machine with nvcc, `accrs setup --nvcc` installs it here, which needs no GPU\n"
        }
    }
}

/// The Debian package that has a tool.
fn package(what: &str) -> Option<&'static str> {
    match what {
        "C compiler" => Some("gcc"),
        "C++ compiler" => Some("g++"),
        "ar" => Some("binutils"),
        "make" => Some("make"),
        _ => None,
    }
}

fn findings() -> Vec<Finding> {
    let variables = &Session::variable;
    let in_path = |name: &str| {
        let found = which::which(name).map(Tool::plain);
        found.map_err(|_| "not in PATH".to_owned())
    };
    let described = |found: Result<Tool, String>| found.map(|tool| describe(&tool));
    let compiler =
        |found: Result<Tool, Diagnostic>| described(found.map_err(|missing| missing.message));
    let nvcc = toolchain::nvcc(variables).map(|nvcc| describe(&nvcc.tool));
    let nvcc =
        nvcc.map_err(|missing| format!("{}, which is needed for GPUs alone", missing.message));
    let gpu = match toolchain::gpu_present() {
        true => Ok("answers".into()),
        false => Err("none; programs run on the emulation".into()),
    };
    let cache =
        cache::folder(variables).ok_or_else(|| "neither XDG_CACHE_HOME nor HOME is set".to_owned());
    let cache = cache.and_then(|folder| writable(&folder));
    let damaged = cache::folder(variables).map_or_else(Vec::new, |folder| cache::damaged(&folder));
    let entries = match damaged.is_empty() {
        true => Ok("whole".to_owned()),
        false => Err(format!(
            "damaged: {}; what is needed is made again",
            damaged.join(", ")
        )),
    };
    let finding = |what, required, state| Finding {
        what,
        state,
        required,
    };
    vec![
        finding(
            "C compiler",
            true,
            compiler(toolchain::c_compiler(variables)),
        ),
        finding(
            "C++ compiler",
            true,
            compiler(toolchain::cxx_compiler(variables)),
        ),
        finding("ar", true, described(in_path("ar"))),
        finding("make", false, described(in_path("make"))),
        finding(NVCC, false, nvcc),
        finding(GPU, false, gpu),
        finding("cache", true, cache),
        finding("cache entries", false, entries),
    ]
}

/// Path and version of a tool.
fn describe(tool: &Tool) -> String {
    let version = tool
        .version()
        .unwrap_or_else(|| "does not tell its version".into());
    format!("{}: {version}", tool.path.display())
}

/// Whether files can be made in the cache.
fn writable(folder: &Path) -> Result<String, String> {
    let probe =
        std::fs::create_dir_all(folder).and_then(|()| tempfile::NamedTempFile::new_in(folder));
    match probe {
        Ok(_) => Ok(folder.display().to_string()),
        Err(error) => Err(format!("{} cannot be written: {error}", folder.display())),
    }
}
