//! Diagnostics as JSON, one object a line, with the fields of rustc's
//! `--error-format json` so that editors that read those read ours. Notes of
//! `--feedback` have `data` besides (`docs/feedback.md`).

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Item, Located, level};
use crate::diagnostic::REPLACEMENT;

#[derive(Serialize)]
struct Message<'a> {
    #[serde(rename = "$message_type")]
    message_type: &'static str,
    level: &'static str,
    code: Option<CodeName>,
    message: &'a str,
    spans: Vec<JsonSpan<'a>>,
    children: Vec<Child<'a>>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    data: &'a Map<String, Value>,
    rendered: String,
}

#[derive(Serialize)]
struct CodeName {
    code: &'static str,
}

/// Offsets count bytes of the file from 0, lines and columns from 1; columns
/// count characters, and the end is exclusive.
#[derive(Serialize)]
struct JsonSpan<'a> {
    file_name: &'a str,
    byte_start: usize,
    byte_end: usize,
    line_start: usize,
    line_end: usize,
    column_start: usize,
    column_end: usize,
    is_primary: bool,
    label: Option<&'a str>,
    /// What stands there once it is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_replacement: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion_applicability: Option<&'static str>,
}

/// A note or help.
#[derive(Serialize)]
struct Child<'a> {
    level: &'static str,
    message: &'a str,
    spans: Vec<JsonSpan<'a>>,
}

/// One diagnostic and a newline.
pub(super) fn render(item: &Item) -> String {
    let diagnostic = &item.diagnostic;
    let notes = diagnostic.notes.iter().map(|message| Child {
        level: "note",
        message,
        spans: Vec::new(),
    });
    let help = diagnostic.help.iter().map(|message| Child {
        level: "help",
        message,
        spans: replaced(item).into_iter().collect(),
    });
    let message = Message {
        message_type: "diagnostic",
        level: level(diagnostic.severity),
        code: Some(CodeName {
            code: diagnostic.code.0,
        }),
        message: &diagnostic.message,
        spans: item
            .labels
            .iter()
            .enumerate()
            .map(|(index, label)| span(label, index == 0))
            .collect(),
        children: notes.chain(help).collect(),
        data: &diagnostic.data,
        rendered: super::human::render(item, false, true),
    };
    let mut line = serde_json::to_string(&message).expect("strings and numbers only");
    line.push('\n');
    line
}

/// The place that the way out changes.
fn replaced<'a>(item: &'a Item) -> Option<JsonSpan<'a>> {
    let text = item.diagnostic.data.get(REPLACEMENT)?.as_str()?;
    Some(JsonSpan {
        label: None,
        suggested_replacement: Some(text),
        suggestion_applicability: Some("MaybeIncorrect"),
        ..span(item.replaced()?, true)
    })
}

fn span<'a>(label: &'a Located<'a>, is_primary: bool) -> JsonSpan<'a> {
    let file = &label.location.file;
    let range = &label.location.range;
    JsonSpan {
        file_name: file.name(),
        byte_start: range.start,
        byte_end: range.end,
        line_start: file.line(range.start) + 1,
        line_end: file.line(range.end) + 1,
        column_start: file.column(range.start) + 1,
        column_end: file.column(range.end) + 1,
        is_primary,
        label: Some(label.text).filter(|text| !text.is_empty()),
        suggested_replacement: None,
        suggestion_applicability: None,
    }
}
