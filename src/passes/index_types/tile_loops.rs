//! Loops that take another one a tile at a time, and count in 64 bits.
//!
//! ```c
//! for (long k_tile = 0; k_tile < n; k_tile += 32) {   // before
//!     const int k_first = (int)k_tile;
//!     const int k_end = n - k_first < 32 ? n : k_first + 32;
//!
//! for (int k_first = 0; k_first < n; k_first += 32) { // after, where `n` is known not to be near the
//!     const int k_end = n - k_first < 32 ? n : k_first + 32;          // end of `int`
//!
//! for (Index k_tile = 0; k_tile < n; k_tile += 32) {  // after, where the launch tests it
//!     const int k_first = (int)k_tile;
//! ```

use crate::analysis::loop_counters::is_bounded;
use crate::ir::linear_index::is_int;
use crate::ir::{Kernel, Loop, Relation, SharedWindow, Statement, StatementKind, visit};
use crate::typed::constant::evaluate;
use crate::typed::{Expression, ExpressionKind, IntegerKind, SymbolId, Type, Unit};

/// The longest tile.
const LONGEST: i128 = 1 << 10;

/// Lets them count in the variable that has the tile's first value, where that is an `int` also
/// behind the last tile.
pub fn narrow(kernel: &mut Kernel, unit: &Unit) {
    let found: Vec<SymbolId> = find(kernel, unit)
        .into_iter()
        .filter(|l| is_bounded(&l.bound, kernel, unit))
        .map(|l| l.induction)
        .collect();
    visit::loops_mut(&mut kernel.body, &mut |l| {
        if found.contains(&l.induction)
            && let Some((first, _)) = first_value(l)
        {
            l.induction = first;
            l.body.remove(0);
        }
    });
}

/// Those of a kernel: nothing but the first value of a tile is computed of their variable.
pub fn find<'k>(kernel: &'k Kernel, unit: &Unit) -> Vec<&'k Loop> {
    let opening: Vec<&Expression> = (kernel.windows.iter())
        .flat_map(SharedWindow::computed)
        .collect();
    let mut found = Vec::new();
    visit::walk(&kernel.body, &mut |statement| {
        if let StatementKind::Loop(l) = &statement.kind
            && is_of_tiles(l, unit)
            && !opening.iter().any(|e| e.mentions(l.induction))
        {
            found.push(&**l);
        }
    });
    let mut mentions: Vec<SymbolId> = Vec::new();
    visit::symbols(&kernel.body, &mut |symbol| mentions.push(symbol));
    found.retain(|l: &&Loop| mentions.iter().filter(|own| **own == l.induction).count() == 1);
    found
}

fn is_of_tiles(l: &Loop, unit: &Unit) -> bool {
    let kind = |symbol: SymbolId| match unit.types.get(unit.symbol(symbol).ty.ty) {
        Type::Integer(kind) => Some(*kind),
        _ => None,
    };
    let is_tile = |step: i128| (1..=LONGEST).contains(&step);
    !l.is_distributed()
        && !l.downward
        && matches!(l.relation, Relation::Less | Relation::LessEqual)
        && evaluate(unit, &l.step).is_some_and(is_tile)
        && kind(l.induction) == Some(IntegerKind::Long)
        && is_int(&l.lower, unit)
        && is_int(&l.bound, unit)
        && first_value(l).is_some_and(|(first, value)| {
            kind(first) == Some(IntegerKind::Int) && value == l.induction
        })
}

/// The variable that the body of a loop begins with, and the one that is converted to its type.
fn first_value(l: &Loop) -> Option<(SymbolId, SymbolId)> {
    let Some(Statement {
        kind: StatementKind::Declaration(list),
        ..
    }) = l.body.first()
    else {
        return None;
    };
    let [declared] = list.as_slice() else {
        return None;
    };
    match &declared.value()?.kind {
        ExpressionKind::Cast(of) => Some((declared.symbol, of.as_symbol()?)),
        _ => None,
    }
}
