//! Diagnostics as a log of SARIF 2.1.0 (OASIS), which code scanning and editors read.
//!
//! A log is one JSON document, so that results are collected while the command runs and written
//! when it ends.

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{Item, Located, level};
use crate::diagnostic::{REPLACEMENT, codes};

/// The results of this process, in the order in which they were found.
static RESULTS: Mutex<Vec<SarifResult>> = Mutex::new(Vec::new());

#[derive(Serialize)]
struct Log<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [Run<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Run<'a> {
    tool: Tool,
    column_kind: &'static str,
    results: &'a [SarifResult],
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: &'static str,
    short_description: Message,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult {
    rule_id: &'static str,
    level: &'static str,
    message: Message,
    locations: Vec<Place>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Place>,
    /// Section 3.55: what replaces the primary place, where that is all of the way out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    properties: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Fix {
    description: Message,
    artifact_changes: [ArtifactChange; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange {
    artifact_location: Artifact,
    replacements: [Replacement; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Message,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Place {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

/// Lines and columns count from 1, the end is exclusive.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_line: usize,
    end_column: usize,
}

/// Keeps a diagnostic for the log.
pub(super) fn collect(item: &Item) {
    let result = result(item);
    let mut results = RESULTS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    results.push(result);
}

/// The log of all that was collected.
pub(super) fn log() -> String {
    let results = RESULTS
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    document(&results)
}

fn document(results: &[SarifResult]) -> String {
    let used: BTreeSet<&str> = results.iter().map(|result| result.rule_id).collect();
    let rules = codes::ALL
        .iter()
        .filter(|(code, _)| used.contains(code.0))
        .map(|(code, title)| Rule {
            id: code.0,
            short_description: Message {
                text: (*title).to_owned(),
            },
        });
    let log = Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "accrs",
                    version: env!("CARGO_PKG_VERSION"),
                    rules: rules.collect(),
                },
            },
            column_kind: "unicodeCodePoints",
            results,
        }],
    };
    let mut text = serde_json::to_string_pretty(&log).expect("strings and numbers only");
    text.push('\n');
    text
}

fn result(item: &Item) -> SarifResult {
    let diagnostic = &item.diagnostic;
    let mut text = diagnostic.message.clone();
    for note in &diagnostic.notes {
        text.push_str(&format!("\nnote: {note}"));
    }
    if let Some(help) = &diagnostic.help {
        text.push_str(&format!("\nhelp: {help}"));
    }
    let mut labels = item.labels.iter();
    SarifResult {
        rule_id: diagnostic.code.0,
        level: level(diagnostic.severity),
        message: Message { text },
        locations: labels.next().map(place).into_iter().collect(),
        related_locations: labels.map(place).collect(),
        fixes: fix(item).into_iter().collect(),
        properties: (*diagnostic.data).clone(),
    }
}

/// The text that takes a place.
fn fix(item: &Item) -> Option<Fix> {
    let text = item.text(REPLACEMENT)?;
    let Place {
        physical_location, ..
    } = place(item.replaced()?);
    let help = item.diagnostic.help.as_deref().unwrap_or_default();
    Some(Fix {
        description: Message {
            text: help.to_owned(),
        },
        artifact_changes: [ArtifactChange {
            artifact_location: physical_location.artifact_location,
            replacements: [Replacement {
                deleted_region: physical_location.region,
                inserted_content: Message {
                    text: text.to_owned(),
                },
            }],
        }],
    })
}

fn place(label: &Located) -> Place {
    let file = &label.location.file;
    let range = &label.location.range;
    let message = Some(label.text).filter(|text| !text.is_empty());
    Place {
        physical_location: PhysicalLocation {
            artifact_location: Artifact {
                uri: uri(file.name()),
            },
            region: Region {
                start_line: file.line(range.start) + 1,
                start_column: file.column(range.start) + 1,
                end_line: file.line(range.end) + 1,
                end_column: file.column(range.end) + 1,
            },
        },
        message: message.map(|text| Message {
            text: text.to_owned(),
        }),
    }
}

/// A path as a reference of RFC 3986: relative ones stay relative.
fn uri(path: &str) -> String {
    let mut text = String::from(if path.starts_with('/') { "file://" } else { "" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_references() {
        assert_eq!(uri("src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/tmp/é.c"), "file:///tmp/%C3%A9.c");
    }
}
