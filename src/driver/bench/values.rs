//! What a run of a program computes, and whether two runs agree.
//!
//! Input: a program that can be started. Output: [`Values`], of two of which
//! [`Values::difference`] says how they differ. Values that have to be equal bit
//! for bit are in the checksum that programs print; others, whose math library may
//! round otherwise, in the file that a program writes if its last argument names one.

use std::path::Path;
use std::process::Command;

use crate::diagnostic::codes;
use crate::driver::failure::Failure;
use crate::driver::interrupt::TemporaryFolder;
use crate::driver::process::{self, ToolOutput};

/// What the line with a program's seconds begins with.
pub(super) const TIME: &str = "time ";

/// What comes before the checksum of all values in a result line.
const CHECKSUM: &str = ": checksum ";

/// What a run computes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    /// The lines printed, times apart; of a run with a bound without checksums.
    text: String,
    /// How far values may be apart, and the values; none: they are in the checksum.
    bounded: Option<(f64, Vec<f64>)>,
}

/// Runs a program, whose values may be apart by `bound` from those of another run.
///
/// # Errors
/// When it fails, or writes no values though they are asked for.
pub(super) fn of(command: &mut Command, bound: Option<f64>) -> Result<Values, Failure> {
    let Some(bound) = bound else {
        let text = printed(&process::capture(command, b"", None)?)?;
        return Ok(Values {
            text,
            bounded: None,
        });
    };
    let folder = TemporaryFolder::new()?;
    let file = folder.path().join("values");
    let text = printed(&process::capture(command.arg(&file), b"", None)?)?;
    let without_checksum = |line| str::split_once(line, CHECKSUM).map_or(line, |(rest, _)| rest);
    let lines: Vec<&str> = text.lines().map(without_checksum).collect();
    Ok(Values {
        text: lines.join("\n"),
        bounded: Some((bound, read(&file)?)),
    })
}

/// What a program printed, its times apart.
///
/// # Errors
/// When it failed.
pub(super) fn printed(output: &ToolOutput) -> Result<String, Failure> {
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.trim().lines().last().unwrap_or_default();
        let message = format!("it ended with status {}: {last}", output.code());
        return Err(Failure::environment(codes::TOOL_NOT_RUNNABLE, message));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let lines = text.lines().filter(|line| !line.starts_with(TIME));
    Ok(lines.collect::<Vec<&str>>().join("\n"))
}

/// The values of a file, separated by white space.
fn read(path: &Path) -> Result<Vec<f64>, Failure> {
    let wrong = |what: String| {
        let message = format!("the file of its values: {what}");
        Failure::environment(codes::UNREADABLE, message)
    };
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    let number = |word: &str| {
        word.parse()
            .map_err(|_| wrong(format!("`{word}` is no number")))
    };
    text.split_whitespace().map(number).collect()
}

impl Values {
    /// How those of another run differ; none: they do not. A NaN equals nothing.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.text != other.text {
            return Some(format!(
                "`{}` where the serial form has `{}`",
                other.text, self.text
            ));
        }
        let ((bound, own), (_, others)) = (self.bounded.as_ref()?, other.bounded.as_ref()?);
        if own.len() != others.len() {
            return Some(format!(
                "{} values where the serial form has {}",
                others.len(),
                own.len()
            ));
        }
        let is_close = |own: f64, other: f64| (own - other).abs() <= *bound;
        let mut pairs = own.iter().zip(others).enumerate();
        let (number, (own, other)) = pairs.find(|(_, (own, other))| !is_close(**own, **other))?;
        Some(format!(
            "value {} is {other} where the serial form has {own}, which {bound} may be between",
            number + 1
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str, bounded: Option<(f64, Vec<f64>)>) -> Values {
        Values {
            text: text.to_owned(),
            bounded,
        }
    }

    #[test]
    fn text_has_to_be_equal() {
        let one = values("9: checksum 1", None);
        assert_eq!(one.difference(&one), None);
        assert!(one.difference(&values("9: checksum 2", None)).is_some());
    }

    #[test]
    fn values_may_be_apart_by_the_bound() {
        let of = |list: &[f64]| values("9", Some((0.5, list.to_vec())));
        let one = of(&[1.0, 2.0]);
        assert_eq!(one.difference(&of(&[1.5, 1.5])), None);
        for other in [&[1.0][..], &[1.0, 2.75], &[f64::NAN, 2.0], &[1.0, 2.0, 3.0]] {
            assert!(one.difference(&of(other)).is_some(), "{other:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_bounded_run_writes_its_values() {
        let mut program = Command::new("sh");
        program.args(["-c", "echo \"9: checksum $$\"; echo 1 2.5 > \"$1\"", "sh"]);
        let found = of(&mut program, Some(0.5)).ok();
        assert_eq!(found, Some(values("9", Some((0.5, vec![1.0, 2.5])))));
        let mut silent = Command::new("true");
        assert!(of(&mut silent, Some(0.5)).is_err());
    }
}
