//! Allocations and transfers that nothing needs, of data that the program places by itself.
//!
//! Input: regions with placements, and kernels as they were written. Output: a note for each section
//! that no kernel uses, for each copy back of what no kernel writes, and for each window that is
//! filled and not read; only where all that could use them is seen.

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::escapes::escaped;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{Capture, DataAction, Module, RegionKind, StatementKind, visit};
use crate::typed::{SymbolId, Unit};

/// The notes of a module.
pub fn of_module(module: &Module, unit: &Unit) -> Vec<Diagnostic> {
    let mut notes = Vec::new();
    let placements = || {
        let regions = module.regions.iter();
        regions.filter(|region| matches!(region.kind, RegionKind::Placement))
    };
    if placements().next().is_some() {
        let escaped = escaped(unit);
        let captured = |symbol: SymbolId| {
            let all = module.kernels.iter().flat_map(|kernel| &kernel.captures);
            let array = |c: &Capture| c.section_of.as_ref().map_or(c.symbol, |s| s.array);
            all.filter(move |c| array(c) == symbol)
        };
        for item in placements().flat_map(|region| &region.data) {
            let Some(symbol) = item.symbol.filter(|s| !escaped.contains(s)) else {
                continue;
            };
            let what = match item.action {
                DataAction::Create if captured(symbol).next().is_none() => "no kernel uses it",
                DataAction::CopyOut if !captured(symbol).any(|c| c.written) => {
                    "no kernel writes it: what comes back is what was copied in"
                }
                _ => continue,
            };
            let message = match item.action {
                DataAction::Create => format!("`{}` is in device memory for nothing", item.text),
                _ => format!("`{}` is copied back for nothing", item.text),
            };
            notes.push(needless(message, what, item.span));
        }
    }
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in module.kernels.iter().filter(|k| k.shape.is_some()) {
        visit::walk(&kernel.body, &mut |statement| {
            let StatementKind::Windows(region) = &statement.kind else {
                return;
            };
            let effects = oracle.list(&region.body);
            for window in region.windows.iter().filter(|w| w.policy.fetch) {
                let array = window.array;
                let is_read = |place: &Place| place.symbol().is_none_or(|s| s == array);
                if !effects.reads.iter().any(is_read) && !effects.escapes.contains(&array) {
                    let message =
                        format!("`{}` is copied to shared memory for nothing", window.text);
                    notes.push(needless(message, "nothing reads it there", window.span));
                }
            }
        });
    }
    notes
}

fn needless(message: String, why: &str, span: crate::source::Span) -> Diagnostic {
    let note = Diagnostic::remark(codes::NEEDLESS_TRANSFER, message, span);
    note.note(why)
}
