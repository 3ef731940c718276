//! What costs most, before all that feedback says.
//!
//! Input: notes that have a rank in their data. Output: a line for each of the worst ones,
//! the worst first. Notes of what makes no difference are marked, and not shown to people.

use super::{Item, because, elsewhere};
use crate::diagnostic::{MINOR, RANK, codes};

/// More than these lines would be no summary.
const MOST: usize = 5;

/// What ranks lower is worth no line.
const LEAST: f64 = 200.0;

/// Whether nothing could be done otherwise, or another note says it.
pub(super) fn is_minor(item: &Item) -> bool {
    item.is_note() && item.diagnostic.data.contains_key(MINOR)
}

/// The summary; empty where nothing costs much.
pub(super) fn of(items: &[Item]) -> String {
    let rank = |item: &Item| {
        item.diagnostic
            .data
            .get(RANK)
            .and_then(serde_json::Value::as_f64)
    };
    let mut ranked: Vec<(f64, &Item)> = items
        .iter()
        .filter(|item| item.is_note() && !is_minor(item))
        .filter_map(|item| Some((rank(item)?, item)))
        .filter(|(rank, _)| *rank >= LEAST)
        .collect();
    // A stable order: of equal ones the first in the file.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    if ranked.is_empty() {
        return String::new();
    }
    let mut text = String::from("what costs most, the worst first:\n");
    for (number, (_, item)) in ranked.iter().take(MOST).enumerate() {
        let place = item
            .position()
            .map_or_else(String::new, |(file, line, _)| format!("{file}:{line}: "));
        let is_loop = item.diagnostic.code == codes::LOOP_MAPPING;
        let why = because(item).filter(|_| is_loop).unwrap_or_default();
        text += &format!(
            "  {}. {place}{}{why}\n",
            number + 1,
            item.diagnostic.message
        );
        if let Some(remedy) = item.text("remedy").or_else(|| item.text("obstacle")) {
            let together = item.text("together");
            let together = together.map_or_else(String::new, |all| format!("; {all} together"));
            text += &format!("     {remedy}{}{together}\n", elsewhere(item));
        }
    }
    match ranked.len().saturating_sub(MOST) {
        0 => {}
        rest => text += &format!("  and {rest} more\n"),
    }
    text + "\n"
}
