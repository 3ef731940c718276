//! Windows of rows behind pointers: which have a section of every dimension in
//! the data clauses around.
//!
//! ```text
//! copyin(t[0:n][0:m])  **t    every dimension
//! copyin(t[0:n])       **t    the pointers alone
//! ```

use crate::ir::{DataItem, Extent, Statement, StatementKind, Window, visit};
use crate::typed::Unit;

/// Notes of each window in a construct whether one of the data clauses gives
/// such a section.
pub fn resolve(unit: &Unit, list: &mut [Statement], clauses: &[&DataItem]) {
    for statement in list {
        if let StatementKind::Windows(region) = &mut statement.kind {
            for window in &mut region.windows {
                window.has_sections = clauses.iter().any(|item| has_all(unit, item, window));
            }
        }
        visit::blocks_mut(statement, &mut |inner| resolve(unit, inner, clauses));
    }
}

/// Whether a section follows each pointer on the way to a window's elements.
fn has_all(unit: &Unit, item: &DataItem, window: &Window) -> bool {
    let Extent::Section { ranges, .. } = &item.extent else {
        return false;
    };
    let followed = ranges.iter().filter(|range| range.pointers).count();
    item.symbol == Some(window.array) && followed == pointers(unit, window)
}

/// How many pointers in memory lead to an element.
fn pointers(unit: &Unit, window: &Window) -> usize {
    let outer = unit.symbol(window.array).ty;
    let rows = std::iter::successors(unit.types.pointee(outer.ty), |row| {
        unit.types.pointee(row.ty)
    });
    rows.filter(|row| unit.types.is_pointer(row.ty)).count()
}
