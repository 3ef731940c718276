//! What all commands share: how to report, and the environment.

use std::ffi::OsString;
use std::io::{self, Write as _};

use super::failure::{Failure, StatusRule, Success, exit_status};
use super::interrupt;
use super::render::{Nowhere, Reporter};
use super::variables;

/// The surroundings of one command.
#[derive(Clone, Copy, Debug)]
pub struct Session {
    /// Shows diagnostics.
    pub reporter: Reporter,
}

impl Session {
    /// A session that reports in that way.
    pub fn new(reporter: Reporter) -> Self {
        Self { reporter }
    }

    /// A variable of the environment; an empty one counts as not set.
    pub fn variable(name: &str) -> Option<OsString> {
        variables::process_variables(name)
    }

    /// Writes to standard output.
    ///
    /// # Errors
    /// When it is closed or full: status 1 then, as for `cat`.
    pub fn print(self, text: impl AsRef<[u8]>) -> Result<(), Failure> {
        let mut output = io::stdout().lock();
        output
            .write_all(text.as_ref())
            .and_then(|()| output.flush())
            .map_err(|_| Failure::Tool(1))
    }

    /// Shows what has not been shown and gives the exit status.
    pub fn finish(self, rule: StatusRule, result: &Result<Success, Failure>) -> u8 {
        // After a signal the other thread ends the process; whatever failed
        // here failed because of it.
        interrupt::checkpoint();
        if let Err(failure) = result {
            self.reporter.emit(failure.unreported(), &Nowhere);
        }
        self.reporter.finish();
        exit_status(rule, result)
    }
}
