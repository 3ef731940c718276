//! `static const` variables that compute constructs declare.
//!
//! ```c
//! #pragma acc parallel loop copy(a[0:n])
//! for (int i = 0; i < n; i++) {
//!     static const float weights[2] = {0.25f, 0.75f};   // after: without
//!     a[i] *= weights[i & 1];                           // `static`
//! }
//! ```
//!
//! Input: a typed unit. Output: the same with a declaration in the block of
//! each such variable, whose storage nothing can tell from that of a copy: it
//! has its value from the beginning, and keeps it. The host's text is not made
//! from it.

use super::constructs::{bodies, constructs};
use super::directives::Dialect;
use crate::typed::{
    Initializer, LocalDeclaration, Statement, StatementKind, Storage, SymbolId, SymbolKind, Unit,
    visit,
};

/// Declares them in the constructs of all functions.
pub fn run(unit: &mut Unit, directives: &mut impl Dialect) {
    let candidates: Vec<(SymbolId, Initializer)> = unit
        .globals
        .iter()
        .filter(|global| is_static_constant(unit, global.symbol))
        .filter_map(|global| Some((global.symbol, global.initializer.clone()?)))
        .collect();
    if candidates.is_empty() {
        return;
    }
    let mut declared = Vec::new();
    bodies(unit, &mut |unit, _, body| {
        constructs(directives, body, &mut |_, _, body| {
            for (symbol, initializer) in &candidates {
                let declaration = LocalDeclaration {
                    symbol: *symbol,
                    initializer: Some(initializer.clone()),
                    lengths: Vec::new(),
                    span: unit.symbol(*symbol).span,
                };
                if declare(body, &declaration) {
                    declared.push(*symbol);
                }
            }
        });
    });
    for symbol in declared {
        unit.symbol_mut(symbol).kind = SymbolKind::Variable(Storage::Automatic);
    }
}

fn is_static_constant(unit: &Unit, symbol: SymbolId) -> bool {
    let variable = unit.symbol(symbol);
    let ty = unit.types.innermost(variable.ty);
    variable.kind == SymbolKind::Variable(Storage::LocalStatic)
        && ty.qualifiers.is_const
        && !ty.qualifiers.is_volatile
}

/// Puts a declaration at the front of the innermost block around its place, if
/// that is in the statement.
fn declare(statement: &mut Statement, declaration: &LocalDeclaration) -> bool {
    let place = declaration.span;
    if !statement.span.contains(place) {
        return false;
    }
    let mut found = false;
    visit::children_mut(statement, &mut |inner| {
        found = found || declare(inner, declaration);
    });
    if let (false, StatementKind::Compound(items)) = (found, &mut statement.kind) {
        let kind = StatementKind::Declaration(vec![declaration.clone()]);
        items.insert(0, Statement { kind, span: place });
        found = true;
    }
    found
}
