//! What `--time-passes` shows: the stages of a translation, the passes among
//! them, and the part of the whole that each takes.
//!
//! ```text
//! hotspot.c: 0.0121 s
//!   0.0073 s   60.3 %  source
//!   0.0007 s    5.9 %  passes
//!   0.0001 s    0.8 %    thread_mapping
//! ```
//!
//! `source` is mostly the user's preprocessor.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::stopwatch::Stopwatch;

/// A line for each stage, below its file's.
pub(super) fn table(file: &Path, watch: &Stopwatch) -> String {
    let total = watch.total();
    let mut text = format!("{}: {:.4} s\n", file.display(), total.as_secs_f64());
    for stage in watch.stages() {
        let indent = "  ".repeat(stage.depth);
        let seconds = stage.time.as_secs_f64();
        let percent = percent(stage.time, total);
        // A `String` takes whatever is written to it.
        let _ = writeln!(
            text,
            "{seconds:>9.4} s {percent:>6.1} %  {indent}{}",
            stage.name
        );
    }
    text
}

fn percent(part: Duration, whole: Duration) -> f64 {
    match whole.is_zero() {
        true => 0.0,
        false => 100.0 * part.as_secs_f64() / whole.as_secs_f64(),
    }
}

#[derive(Serialize)]
struct Times<'a> {
    #[serde(rename = "$message_type")]
    message_type: &'static str,
    file: &'a str,
    seconds: f64,
    stages: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    /// With what it is a part of: `passes/thread_mapping`.
    stage: String,
    seconds: f64,
}

/// One object, on one line.
pub(super) fn json(file: &Path, watch: &Stopwatch) -> String {
    let mut around: Vec<&str> = Vec::new();
    let stages = watch.stages().iter().map(|stage| {
        around.truncate(stage.depth);
        around.push(stage.name);
        Line {
            stage: around.join("/"),
            seconds: stage.time.as_secs_f64(),
        }
    });
    let times = Times {
        message_type: "times",
        file: &file.to_string_lossy(),
        seconds: watch.total().as_secs_f64(),
        stages: stages.collect(),
    };
    let mut line = serde_json::to_string(&times).expect("strings and numbers only");
    line.push('\n');
    line
}
