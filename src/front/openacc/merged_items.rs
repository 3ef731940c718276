//! Variables that stand in several data clauses of a directive.
//!
//! Input: the items of the clauses so far and one more. Output: one item where
//! both are about the same elements, and an error where they are not.

use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{DataAction, DataItem, Extent, Length};
use crate::typed::Unit;

/// Two clauses about the same section become the one that does what both ask
/// for: `copyin(a) copyout(a)` is `copy(a)`, `create(zero: a) copyout(a)` is
/// `copyout(zero: a)`.
pub(super) fn merge(unit: &Unit, items: &mut [DataItem], item: &DataItem) -> Option<Diagnostic> {
    let first = items
        .iter_mut()
        .find(|other| is_same(other, item))
        .filter(|first| {
            first.text == item.text || is_whole_array(unit, first) && is_whole_array(unit, item)
        })?;
    // Whether it brings bytes to the device, and back.
    let moves = |action| match action {
        DataAction::Copy => Some((true, true)),
        DataAction::CopyIn => Some((true, false)),
        DataAction::CopyOut => Some((false, true)),
        DataAction::Create => Some((false, false)),
        _ => None,
    };
    let ((to, back), (also_to, also_back)) = (moves(first.action)?, moves(item.action)?);
    first.action = match (to || also_to, back || also_back) {
        (true, true) => DataAction::Copy,
        (true, false) => DataAction::CopyIn,
        (false, true) => DataAction::CopyOut,
        (false, false) => DataAction::Create,
    };
    first.modifiers.zero |= item.modifiers.zero;
    let message = format!("`{}` stands in two data clauses", item.text);
    Some(
        Diagnostic::warning(codes::DUPLICATE_CLAUSE, message, item.span)
            .also(first.span, "first here")
            .help("they are taken as one clause that does what both ask for; write that one"),
    )
}

fn is_same(item: &DataItem, other: &DataItem) -> bool {
    item.symbol.is_some() && item.symbol == other.symbol
}

/// Whether an item is a whole array of known length: `a`, or a section of all
/// of its elements.
fn is_whole_array(unit: &Unit, item: &DataItem) -> bool {
    let ty = item.object.ty.ty;
    let Extent::Section { ranges, element } = &item.extent else {
        return matches!(item.extent, Extent::Whole) && unit.types.is_array(ty);
    };
    // A lower bound of 0 is left out.
    let mut elements = ranges.iter().map(|range| match range.length {
        Length::Constant(n) if range.lower.is_none() && !range.pointers => Some(n),
        _ => None,
    });
    let count = elements.try_fold(1u64, |all, n| all.checked_mul(n?));
    let bytes = |ty| unit.types.size(ty);
    let section = count
        .zip(bytes(element.ty))
        .and_then(|(n, size)| n.checked_mul(size));
    section.is_some() && section == bytes(ty) && unit.types.is_array(ty)
}

/// A variable stands in one data clause of a directive only; `update` may
/// name several sections of one.
pub(super) fn repeated(items: &[DataItem], item: &DataItem) -> Option<Diagnostic> {
    if matches!(
        item.action,
        DataAction::UpdateHost | DataAction::UpdateDevice
    ) {
        return None;
    }
    let first = items.iter().find(|other| is_same(other, item))?;
    let message = format!("`{}` stands in two data clauses", item.text);
    Some(
        Diagnostic::error(codes::DUPLICATE_CLAUSE, message, item.span)
            .also(first.span, "first here")
            .help("keep the one that says what is to happen"),
    )
}
