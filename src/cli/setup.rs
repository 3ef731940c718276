//! `accrs setup`: what an installation has beside the program.
//!
//! Input: the folder to install below. Output: manual pages and completion scripts where `man` and
//! shells look for them, and `accrs-cc` beside accrs where there is none, as `cargo install` and
//! packages bring it.

use std::fmt::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap_complete::Shell;

use super::documents;
use crate::diagnostic::{Diagnostic, codes};
use crate::driver::embedded;
use crate::driver::failure::{Failure, Success};
use crate::driver::output::{Transaction, unwritable};
use crate::driver::process;
use crate::driver::session::Session;

/// The shells with the places where they look for a script.
const SCRIPTS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions/accrs"),
    (Shell::Zsh, "zsh/site-functions/_accrs"),
    (Shell::Fish, "fish/vendor_completions.d/accrs.fish"),
];

/// Writes all files, or none, and names them.
///
/// # Errors
/// When a file is someone else's, or a folder cannot be written to.
pub(super) fn setup(
    session: Session,
    prefix: Option<PathBuf>,
    command: &clap::Command,
) -> Result<Success, Failure> {
    let home = || Session::variable("HOME").map(|home| PathBuf::from(home).join(".local"));
    let prefix = prefix.or_else(home).ok_or_else(|| {
        Diagnostic::global(codes::BAD_USAGE, "HOME is not set")
            .help("name the folder to install below: `accrs setup --prefix DIR`")
    })?;
    let share = prefix.join("share");
    let pages = share.join("man/man1");
    let mut transaction = Transaction::new(Vec::new());
    documents::add_man_pages(&mut transaction, &pages, command.clone())?;
    let mut text = format!("{}/accrs.1, accrs-run.1, …\n", pages.display());
    for (shell, place) in SCRIPTS {
        let path = share.join(place);
        transaction.add_folder(path.parent().unwrap_or(&share).to_owned());
        let _ = writeln!(text, "{}", path.display());
        transaction.add(path, documents::completion_script(shell, command.clone()));
    }
    transaction.commit()?;
    if let Some(link) = link_compiler()? {
        let _ = writeln!(text, "{}", link.display());
    }
    session.print(text)?;
    Ok(Success::Done)
}

/// Makes `accrs-cc` beside this program, unless it is there.
fn link_compiler() -> Result<Option<PathBuf>, Failure> {
    let Ok(own) = std::env::current_exe() else {
        return Ok(None);
    };
    let link = own.with_file_name("accrs-cc");
    if link.symlink_metadata().is_ok() {
        return Ok(None);
    }
    let name = own.file_name().map_or(own.as_path(), Path::new);
    symlink(name, &link).map_err(|error| unwritable(&link, &error))?;
    Ok(Some(link))
}

/// Runs the script that installs nvcc; what it says is ours.
///
/// # Errors
/// When there is no shell, or the script fails and has said why.
pub(super) fn install_nvcc() -> Result<Success, Failure> {
    let mut shell = Command::new("sh");
    shell.args(["-c", embedded::INSTALL_NVCC, "install-nvcc"]);
    let status = shell.status().map_err(|error| {
        Failure::environment(codes::TOOL_NOT_RUNNABLE, format!("cannot run sh: {error}"))
    })?;
    match status.success() {
        true => Ok(Success::Done),
        false => Err(Failure::Tool(process::shell_status(status))),
    }
}
