//! `accrs-cc`: `accrs cc` in one word, which build systems want. Runs the `accrs` beside it, else that of
//! `PATH`.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// What shells say of a program that is not there.
const NOT_FOUND: u8 = 127;

fn main() -> ExitCode {
    let own = std::env::current_exe();
    let beside = own.map(|own| own.with_file_name("accrs"));
    let program = beside.ok().filter(|path| path.is_file());
    let program = program.unwrap_or_else(|| PathBuf::from("accrs"));
    let arguments = std::env::args_os().skip(1);
    let error = Command::new(&program).arg("cc").args(arguments).exec();
    // A closed standard error leaves no one to tell.
    let _ = writeln!(
        std::io::stderr(),
        "accrs-cc: cannot run `{}`: {error}",
        program.display()
    );
    ExitCode::from(NOT_FOUND)
}
