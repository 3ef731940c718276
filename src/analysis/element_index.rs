//! Which subscripts may be computed in an index type that the launch chooses.
//!
//! A linear index `(i * extent1 + j) * extent2 + k` has the address of a row, or of
//! an element, after each of its steps, in elements from where the array's pointer
//! points. C computes such addresses within the array alone, its end included (C11,
//! 6.5.6). So where the launch knows that no two of them are [`MAXIMUM_SPAN`] elements
//! apart (`accrs::int_elements` of the runtime), all of them are `int`s, and so are
//! the numbers of rows, which are no larger. An address without an access, `a[rows]` or
//! `&a[rows][0]`, may lie beyond all that is present: it is computed in `long`. So is an
//! element with a subscript of 64 bits, as C does it.
//!
//! What is proved here is what the launch cannot know: that the pointer is the
//! captured one; [`linear_index`](crate::ir::linear_index) has what keeps sums from other values than these.

#[cfg(test)]
mod tests;

use super::launch_value::moves;
use crate::ir::linear_index::{array_of, is_wide};
use crate::ir::{Capture, Kernel, Passing, PrivateArraySize, visit};
use crate::typed::{Expression, ExpressionKind, SymbolId, Type, UnaryOperator, Unit};

/// The captured arrays with rows of run-time length that the kernel reaches through
/// the pointer that it is given, which thus stays where it is.
pub fn arrays(kernel: &Kernel, unit: &Unit) -> Vec<SymbolId> {
    let candidates = kernel.captures.iter().filter(|capture| {
        let array = capture.symbol;
        let has_rows = (unit.types.pointee(unit.symbol(array).ty.ty))
            .is_some_and(|row| unit.types.is_variable_length(row.ty));
        has_rows
            && is_pointer(capture)
            && !is_copied(kernel, array)
            && has_subscripts(kernel, array, unit)
            && !moves(&kernel.body, array)
    });
    candidates.map(|capture| capture.symbol).collect()
}

/// Whether code or a window accesses elements of an array by its name and subscripts, of which
/// none makes C compute in 64 bits.
fn has_subscripts(kernel: &Kernel, array: SymbolId, unit: &Unit) -> bool {
    let mut accesses = i64::from(kernel.windows.iter().any(|window| window.array == array));
    let count = |e: &Expression| {
        let is_element = !matches!(unit.types.get(e.ty.ty), Type::Array { .. });
        i64::from(is_element && subscripted(e, unit) == Some(array))
    };
    visit::expressions(&kernel.body, &mut |e| match &e.kind {
        ExpressionKind::Index(..) => accesses += count(e),
        // An address is no access.
        ExpressionKind::Unary(UnaryOperator::AddressOf, place) => accesses -= count(place),
        _ => {}
    });
    accesses > 0
}

/// The array of which an expression is an element or a row, by subscripts of up to 32 bits.
fn subscripted(e: &Expression, unit: &Unit) -> Option<SymbolId> {
    let ExpressionKind::Index(base, index) = &e.inner().kind else {
        return None;
    };
    let array = array_of(base);
    // Within an element that is an array itself, subscripts are C's.
    let is_of_row = array.is_some() || unit.types.is_variable_length(base.inner().ty.ty);
    match is_of_row && is_wide(index, unit) {
        true => None,
        false => array.or_else(|| subscripted(base, unit)),
    }
}

/// Whether threads have copies of an array, or the kernel a table of it.
fn is_copied(kernel: &Kernel, array: SymbolId) -> bool {
    let mut reduced = kernel.all_reductions().map(|reduction| reduction.symbol);
    let mut private = kernel
        .private_arrays
        .iter()
        .filter_map(|copy| match &copy.size {
            PrivateArraySize::Part(part) => part.symbol,
            PrivateArraySize::Declared => None,
        });
    let mut tables = kernel.tables.iter().map(|table| table.symbol);
    reduced.any(|one| one == array)
        || private.any(|one| one == array)
        || tables.any(|one| one == array)
}

fn is_pointer(capture: &Capture) -> bool {
    let is_pointer = matches!(
        capture.passing,
        Passing::Array | Passing::Pointer | Passing::DevicePointer
    );
    is_pointer && capture.section_of.is_none()
}
