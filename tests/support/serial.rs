//! The serial program that results are compared with, right and with one mistake.
//!
//! A comparison counts for something where it tells a program with a mistake from the right one:
//! one step less, a neighbour in the place of another. The mistakes are written down beside the
//! program, each a changed argument or a changed piece of its text.

use std::process::Command;

use accrs::driver::compilers::KEEP_CALLS;
use serde::Deserialize;

use super::process::command;

/// A serial program with one mistake.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrong {
    pub name: String,
    /// The runs that it is for; all sharp ones by default.
    pub runs: Option<Vec<String>>,
    /// The argument that has another value.
    pub argument: Option<usize>,
    /// The file that the piece of text is in, where there are several.
    pub file: Option<String>,
    /// The piece of text that is another.
    pub replace: Option<String>,
    pub with: String,
}

impl Wrong {
    /// Whether it is for a run of that name.
    pub fn is_for(&self, run: &str) -> bool {
        let named = |names: &Vec<String>| names.iter().any(|name| name == run);
        self.runs.as_ref().is_none_or(named)
    }

    /// Puts the mistake into the program's text or its arguments.
    pub fn make(&self, text: &mut String, arguments: &mut [String]) -> Result<(), String> {
        match (&self.replace, self.argument) {
            (Some(piece), None) => {
                if text.matches(piece.as_str()).count() != 1 {
                    return Err(format!(
                        "`{piece}` does not stand in the program exactly once"
                    ));
                }
                *text = text.replace(piece.as_str(), &self.with);
                Ok(())
            }
            (None, Some(index)) if arguments.get(index).is_some_and(|old| *old != self.with) => {
                arguments[index].clone_from(&self.with);
                Ok(())
            }
            _ => Err("either `replace`, or `argument` and another value".into()),
        }
    }
}

/// The C compiler with what makes its floating point that of the source, operation by operation,
/// and every call made.
pub fn gcc(standard: &str) -> Command {
    let mut gcc = command("gcc");
    gcc.arg(format!("-std={standard}"));
    gcc.args(["-O2", "-ffp-contract=off", KEEP_CALLS]);
    gcc.args(["-Wall", "-Wextra"]);
    gcc
}
