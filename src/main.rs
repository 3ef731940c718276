//! The program `accrs`; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(accrs::cli::main(std::env::args_os().collect()))
}
