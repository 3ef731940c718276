//! Sections of members whose structure no clause puts on the device.
//!
//! Input: constructs with clauses. Output: a warning for each section `v->x[0:n]` of a construct that
//! uses `v` and has no clause for it: the section is copied and has no structure to be attached to,
//! so that the launch ends the program, unless a caller has put the structure on the device.
//!
//! ```c
//! #pragma acc parallel loop copy(v->x[0:v->n])     // warned of: and `copyin(v[0:1])`
//! for (int i = 0; i < v->n; i++)
//!     v->x[i] *= 2;
//! ```
//!
//! Nothing is said where other directives for data, which may put it there, are in the file.

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{DataAction, DataItem, Extent, Module, Region, RegionKind};
use crate::typed::{ExpressionKind, SymbolId, Unit};

/// Looks at every construct.
pub fn run(module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let places_data = |region: &Region| {
        !matches!(region.kind, RegionKind::Compute { .. }) && !region.data.is_empty()
    };
    if module.regions.iter().any(places_data) || !module.program_data.is_empty() || calls(unit) {
        return;
    }
    for region in &module.regions {
        let mut known: Vec<SymbolId> = Vec::new();
        for item in region.data.iter().filter(|item| !item.implicit) {
            if let Some(base) = base(item)
                && !known.contains(&base)
                && is_missing(region, base)
            {
                known.push(base);
                diagnostics.push(warning(item, &unit.symbol(base).name));
            }
        }
    }
}

/// Whether the unit calls functions of OpenACC, which may copy data.
fn calls(unit: &Unit) -> bool {
    let functions = [
        "acc_copyin",
        "acc_create",
        "acc_map_data",
        "acc_copyin_async",
        "acc_create_async",
    ];
    let names = unit.symbols.iter().map(|symbol| symbol.name.as_str());
    let mut declared = names.filter(|name| functions.contains(name));
    declared.next().is_some()
        && unit.functions.iter().any(|function| {
            let mut found = false;
            crate::typed::visit::expressions(&function.body, &mut |e| {
                let called = e
                    .as_symbol()
                    .map(|symbol| unit.symbol(symbol).name.as_str());
                found |= called.is_some_and(|name| functions.contains(&name));
            });
            found
        })
}

/// The pointer to the structure of which an item is a section of a member.
fn base(item: &DataItem) -> Option<SymbolId> {
    let ExpressionKind::Member {
        base, arrow: true, ..
    } = &item.object.inner().kind
    else {
        return None;
    };
    let is_section = matches!(item.extent, Extent::Section { .. });
    base.inner().as_symbol().filter(|_| is_section)
}

/// Whether a construct looks for what a pointer points to, and nothing says how much that is.
fn is_missing(region: &Region, pointer: SymbolId) -> bool {
    let mut items = region
        .data
        .iter()
        .filter(|item| item.symbol == Some(pointer));
    let first = items.next();
    items.next().is_none()
        && first.is_some_and(|item| {
            let looks = matches!(item.action, DataAction::Find);
            looks && item.implicit && !matches!(item.extent, Extent::Section { .. })
        })
}

fn warning(item: &DataItem, name: &str) -> Diagnostic {
    let message = format!("`{}` is copied, and not what `{name}` points to", item.text);
    Diagnostic::warning(codes::IMPLIED_SECTION, message, item.span)
        .label("has no structure on the device to be attached to")
        .note(format!("unless `{name}` is on the device before"))
        .help(format!(
            "write `copyin({name}[0:1])` before this clause: the structure, and then what its member points to"
        ))
}
