//! How a command ends, and the one place that turns that into an exit status.
//!
//! Everything in the driver returns `Result<_, Failure>`; nothing else in the
//! crate ends the process (but the signal thread in [`super::interrupt`]).

use crate::diagnostic::{Code, Diagnostic, codes};

/// Why a command stopped before its end.
#[derive(Debug)]
pub enum Failure {
    /// The input has errors, which have been shown.
    Reported,
    /// The input has an error that has not been shown yet.
    Input(Box<Diagnostic>),
    /// The command was used wrongly, or the machine lacks something.
    Environment(Box<Diagnostic>),
    /// Another tool failed and has said why; its exit status.
    Tool(u8),
}

impl Failure {
    /// Wrong use, or something that the machine lacks.
    pub fn environment(code: Code, message: impl Into<String>) -> Self {
        Self::Environment(Box::new(Diagnostic::global(code, message)))
    }

    /// What is wrong with the input, and not shown yet.
    pub fn input(diagnostic: Diagnostic) -> Self {
        Self::Input(Box::new(diagnostic))
    }

    /// The diagnostic that is still to be shown.
    pub fn unreported(&self) -> Option<&Diagnostic> {
        match self {
            Self::Input(diagnostic) | Self::Environment(diagnostic) => Some(diagnostic),
            Self::Reported | Self::Tool(_) => None,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Environment(Box::new(diagnostic))
    }
}

/// How a command that did its work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Success {
    /// As wished.
    Done,
    /// `doctor` found something missing.
    Incomplete,
    /// `run`'s program ended with this status, or 128 and a signal's number.
    Program(u8),
}

/// Whose exit statuses a command's are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusRule {
    /// 0 fine, 1 the translation failed, 2 wrong use or environment.
    Own,
    /// The program's; 125 stands for every failure of accrs itself.
    Program,
}

/// Status of `accrs run` where accrs, not the program, failed.
pub const RUN_FAILED: u8 = 125;

/// The exit status of a command.
pub fn exit_status(rule: StatusRule, result: &Result<Success, Failure>) -> u8 {
    match (rule, result) {
        (_, Ok(Success::Done)) => 0,
        (_, Ok(Success::Program(status))) => *status,
        (_, Ok(Success::Incomplete)) => 2,
        (StatusRule::Program, Err(_)) => RUN_FAILED,
        (StatusRule::Own, Err(Failure::Reported | Failure::Input(_))) => 1,
        // A translation without a compiler, or without a place for its
        // result, has failed as one of bad input has.
        (StatusRule::Own, Err(Failure::Environment(diagnostic)))
            if [codes::NO_COMPILER, codes::OUTPUT_UNWRITABLE].contains(&diagnostic.code) =>
        {
            1
        }
        (StatusRule::Own, Err(Failure::Environment(_))) => 2,
        (StatusRule::Own, Err(Failure::Tool(status))) => *status,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_are_as_documented() {
        let missing = || Err(Failure::environment(codes::NO_COMPILER, "none"));
        assert_eq!(exit_status(StatusRule::Own, &Ok(Success::Done)), 0);
        assert_eq!(exit_status(StatusRule::Own, &Err(Failure::Reported)), 1);
        assert_eq!(exit_status(StatusRule::Own, &missing()), 1);
        let misuse = Err(Failure::environment(codes::BAD_USAGE, "no such option"));
        assert_eq!(exit_status(StatusRule::Own, &misuse), 2);
        assert_eq!(exit_status(StatusRule::Program, &missing()), 125);
        assert_eq!(
            exit_status(StatusRule::Program, &Err(Failure::Reported)),
            125
        );
        assert_eq!(
            exit_status(StatusRule::Program, &Ok(Success::Program(1))),
            1
        );
    }
}
