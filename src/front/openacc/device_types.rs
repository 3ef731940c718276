//! `device_type` (OpenACC 3.3, section 2.4): clauses for some devices only.
//!
//! ```text
//! num_gangs(8) device_type(nvidia) num_gangs(64) device_type(host) num_gangs(4)
//!   ->  num_gangs(64)
//! ```
//!
//! What is translated runs on NVIDIA's devices, the emulation of one included:
//! clauses behind `device_type(nvidia)` hold, before those behind
//! `device_type(*)` and those before any. Others are checked and dropped.

use super::check::CheckedClause;
use super::table::ClauseKind;
use crate::ast::{Argument, ArgumentValue, Arguments};
use crate::diagnostic::words::Near;
use crate::diagnostic::{Diagnostic, codes};
use crate::typed::Expression;

/// For which device a clause is, the most special last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Another one: the clause means nothing here.
    Other,
    /// Before any `device_type`.
    Any,
    /// Those that no other `device_type` names.
    Rest,
    /// Ours.
    Ours,
}

/// The section that `device_type(…)` begins.
pub fn section(arguments: &Arguments<Expression>) -> Section {
    let mut found = Section::Other;
    for item in &arguments.items {
        found = found.max(match &item.value {
            ArgumentValue::Star => Section::Rest,
            ArgumentValue::Name { name, .. } if name.value.eq_ignore_ascii_case("nvidia") => {
                Section::Ours
            }
            _ => Section::Other,
        });
    }
    found
}

/// What compilers of OpenACC call kinds of devices.
const TYPES: &[&str] = &["nvidia", "radeon", "host", "multicore"];

/// Whether a list has names of kinds of devices alone.
pub fn are_named(arguments: &Arguments<Expression>) -> bool {
    let is_kind = |item: &Argument<Expression>| match &item.value {
        ArgumentValue::Name { name, .. } => {
            let mut types = TYPES.iter();
            types.any(|known| known.eq_ignore_ascii_case(&name.value))
        }
        _ => false,
    };
    !arguments.items.is_empty() && arguments.items.iter().all(is_kind)
}

/// Warnings of names that are nearly those of a kind of device: their clauses are dropped.
pub fn misspelt(arguments: &Arguments<Expression>) -> Vec<Diagnostic> {
    let names = arguments.items.iter().filter_map(|item| match &item.value {
        ArgumentValue::Name { name, .. } => Some(name),
        _ => None,
    });
    let found = names.filter_map(|name| {
        let is_known = TYPES
            .iter()
            .any(|known| known.eq_ignore_ascii_case(&name.value));
        let near = Near::words(&name.value, TYPES.iter().copied());
        let question = near.question().filter(|_| !is_known)?;
        let message = format!("no kind of device is called `{}`", name.value);
        let warning = Diagnostic::warning(codes::CLAUSE_ARGUMENT, message, name.span);
        Some(
            warning
                .label("clauses behind it are dropped")
                .question(question),
        )
    });
    found.collect()
}

/// Why a clause cannot stand behind `device_type`.
pub fn misplaced(clause: &CheckedClause) -> Option<Diagnostic> {
    let special = matches!(
        clause.kind,
        ClauseKind::NumGangs
            | ClauseKind::NumWorkers
            | ClauseKind::VectorLength
            | ClauseKind::Async
            | ClauseKind::Wait
            | ClauseKind::Gang
            | ClauseKind::Worker
            | ClauseKind::Vector
            | ClauseKind::Sequential
            | ClauseKind::Independent
            | ClauseKind::Auto
            | ClauseKind::Collapse
            | ClauseKind::Tile
            | ClauseKind::Bind
    );
    (!special).then(|| {
        let message = format!("`{}` stands behind `device_type`", clause.name.value);
        Diagnostic::error(codes::CLAUSE_NOT_ALLOWED, message, clause.span)
            .help("put it before the first `device_type`: it is the same for all devices")
    })
}
