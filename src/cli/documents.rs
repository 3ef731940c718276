//! Completion scripts and manual pages, made from the definition.

use std::path::Path;

use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::diagnostic::codes;
use crate::driver::failure::{Failure, StatusRule, Success};
use crate::driver::output::{HEADER, Transaction};
use crate::driver::session::Session;

/// What `accrs --help` says after the options, and sections of `accrs.1`: titles without indentation,
/// terms behind two spaces, their text behind two more or below, further in.
pub(super) const AFTER_HELP: &str = include_str!("after_help.txt");

/// The options of `cc` that are not gcc's, in the same form; a line without indentation and colon is a
/// paragraph.
pub(super) const CC_OPTIONS: &str = include_str!("cc_options.txt");

/// Prints the completion script of a shell.
pub(super) fn completions(
    session: Session,
    shell: Shell,
    command: clap::Command,
) -> Result<Success, Failure> {
    session.print(completion_script(shell, command))?;
    Ok(Success::Done)
}

/// The completion script of a shell. That of zsh is known by its first line.
pub(super) fn completion_script(shell: Shell, mut command: clap::Command) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "accrs", &mut script);
    let first = script.iter().position(|byte| *byte == b'\n');
    let at = first.map_or(script.len(), |end| end + 1);
    let mark = format!("# {HEADER} {}\n", env!("CARGO_PKG_VERSION"));
    script.splice(at..at, mark.into_bytes());
    script
}

/// Prints the help of `accrs cc`, which passes other options on.
pub(super) fn help_of_compiler(session: Session, mut command: clap::Command) -> u8 {
    command.build();
    let help = command
        .find_subcommand_mut("cc")
        .map(|cc| cc.render_long_help().to_string());
    let result = session
        .print(help.unwrap_or_default())
        .map(|()| Success::Done);
    session.finish(StatusRule::Own, &result)
}

/// Writes `accrs.1` and a page for each command.
pub(super) fn man_pages(folder: &Path, command: clap::Command) -> Result<Success, Failure> {
    let mut transaction = Transaction::new(Vec::new());
    add_man_pages(&mut transaction, folder, command)?;
    transaction.commit()?;
    Ok(Success::Done)
}

/// The same, together with other files.
pub(super) fn add_man_pages(
    transaction: &mut Transaction,
    folder: &Path,
    mut command: clap::Command,
) -> Result<(), Failure> {
    command = command.disable_help_subcommand(true);
    command.build();
    transaction.add_folder(folder.to_owned());
    let main = command.clone().after_long_help(None::<&str>);
    add_page(transaction, folder, "accrs", main, AFTER_HELP)?;
    for sub in command.get_subcommands() {
        let name = format!("accrs-{}", sub.get_name());
        let page = sub.clone().after_help(None::<&str>);
        let after = if sub.get_name() == "cc" {
            CC_OPTIONS
        } else {
            ""
        };
        add_page(transaction, folder, &name, page, after)?;
    }
    Ok(())
}

/// A page of a command, with these sections before that of the version.
fn add_page(
    transaction: &mut Transaction,
    folder: &Path,
    name: &str,
    command: clap::Command,
    after: &str,
) -> Result<(), Failure> {
    let mut page = format!(".\\\" {HEADER} {}\n", env!("CARGO_PKG_VERSION")).into_bytes();
    let source = format!("{name} {}", env!("CARGO_PKG_VERSION"));
    let manual = Man::new(command).source(source);
    manual.render(&mut page).map_err(|error| {
        Failure::environment(codes::INTERNAL, format!("no manual page: {error}"))
    })?;
    let mut page = String::from_utf8_lossy(&page).into_owned();
    let end = page.find(".SH VERSION\n").unwrap_or(page.len());
    page.insert_str(end, &sections(after).to_roff());
    transaction.add(folder.join(format!("{name}.1")), page.into_bytes());
    Ok(())
}

/// Text of the form of [`AFTER_HELP`] as sections of a manual page.
fn sections(text: &str) -> Roff {
    let mut page = Roff::new();
    for line in text.lines() {
        let content = line.trim_start();
        match line.len() - content.len() {
            0 if content.is_empty() => {}
            0 => match content.strip_suffix(':') {
                Some(title) => {
                    page.control("SH", [title.to_uppercase().as_str()]);
                }
                None => {
                    page.control("PP", []);
                    page.text([roman(content)]);
                }
            },
            2 => {
                let (term, behind) = content.split_once("  ").unwrap_or((content, ""));
                page.control("TP", []);
                page.text([bold(term)]);
                if !behind.is_empty() {
                    page.text([roman(behind.trim_start())]);
                }
            }
            _ => {
                page.text([roman(content)]);
            }
        }
    }
    page
}
