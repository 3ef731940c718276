//! Completion scripts and manual pages, made from the definition.

use std::path::Path;

use clap_complete::Shell;

use crate::diagnostic::codes;
use crate::driver::failure::{Failure, StatusRule, Success};
use crate::driver::output::{HEADER, Transaction};
use crate::driver::session::Session;

/// Prints the completion script of a shell.
pub(super) fn completions(
    session: Session,
    shell: Shell,
    mut command: clap::Command,
) -> Result<Success, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "accrs", &mut script);
    session.print(script)?;
    Ok(Success::Done)
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
pub(super) fn man_pages(folder: &Path, mut command: clap::Command) -> Result<Success, Failure> {
    command = command.disable_help_subcommand(true);
    command.build();
    let mut transaction = Transaction::new(Vec::new());
    transaction.add_folder(folder.to_owned());
    add_page(&mut transaction, folder, "accrs".into(), command.clone())?;
    for sub in command.get_subcommands() {
        let name = format!("accrs-{}", sub.get_name());
        add_page(&mut transaction, folder, name, sub.clone())?;
    }
    transaction.commit()?;
    Ok(Success::Done)
}

fn add_page(
    transaction: &mut Transaction,
    folder: &Path,
    name: String,
    command: clap::Command,
) -> Result<(), Failure> {
    let mut page = format!(".\\\" {HEADER} {}\n", env!("CARGO_PKG_VERSION")).into_bytes();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| {
            Failure::environment(codes::INTERNAL, format!("no manual page: {error}"))
        })?;
    transaction.add(folder.join(format!("{name}.1")), page);
    Ok(())
}
