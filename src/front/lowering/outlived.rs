//! Variables that are used behind the section of code that declares them: where that becomes a block,
//! or a kernel, they are gone.

use crate::source::Span;
use crate::typed::{Statement, StatementKind, SymbolId, visit};

/// What the statements of a list declare.
pub fn declared(list: &[Statement]) -> Vec<SymbolId> {
    let lists = list.iter().filter_map(|s| match &s.kind {
        StatementKind::Declaration(list) => Some(list),
        _ => None,
    });
    lists.flatten().map(|declared| declared.symbol).collect()
}

/// The first use of each of these variables in a list.
pub fn uses(list: &[Statement], of: &[SymbolId]) -> Vec<(SymbolId, Span)> {
    let mut found: Vec<(SymbolId, Span)> = Vec::new();
    for statement in list {
        visit::expressions(statement, &mut |e| {
            let known = e.as_symbol().filter(|symbol| of.contains(symbol));
            let fresh = known.filter(|symbol| found.iter().all(|(other, _)| other != symbol));
            found.extend(fresh.map(|symbol| (symbol, e.span)));
        });
    }
    found
}

/// The first use of one of these variables in a function outside of a part of it. Code that was
/// inlined has the places of its function.
pub fn first_outside(
    body: &Statement,
    part: &Statement,
    of: &[SymbolId],
) -> Option<(SymbolId, Span)> {
    let all = |list: &Statement| {
        let mut found = Vec::new();
        visit::expressions(list, &mut |e| {
            let used = e.as_symbol().filter(|symbol| of.contains(symbol));
            found.extend(used.map(|symbol| (symbol, e.span)));
        });
        found
    };
    let mut inside = all(part);
    all(body).into_iter().find(|used| {
        let known = inside.iter().position(|other| other == used);
        known.map(|known| inside.swap_remove(known)).is_none()
    })
}
