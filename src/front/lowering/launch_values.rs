//! What is known of a kernel's surroundings when it is launched: values that the host computes, and
//! how long tables are.

use std::collections::BTreeSet;

use crate::ir::{ConstantArray, Extent, Length, Range, RegionLocal};
use crate::typed::constant::evaluate;
use crate::typed::{
    Expression, ExpressionKind, Function, QualType, SymbolId, UnaryOperator, Unit, synthesis, visit,
};

/// A number, a variable, or a new one of this name that the host gives the value.
pub fn known_at_launch(
    unit: &Unit,
    e: &Expression,
    name: &str,
    locals: &mut Vec<RegionLocal>,
) -> Expression {
    if let Some(n) = evaluate(unit, e) {
        return synthesis::integer(n, synthesis::int(unit), e.span);
    }
    if e.as_symbol().is_some() {
        return e.clone();
    }
    let symbol = synthesis::variable(unit, name, e.ty.ty, e.span);
    let value = Some(e.clone());
    locals.push(RegionLocal { symbol, value });
    synthesis::symbol(unit, symbol, e.span)
}

/// Whether an expression of variables has one value in all of a function; `addresses` are those
/// whose address is taken there.
pub fn stays(
    unit: &Unit,
    function: &Function,
    addresses: &BTreeSet<SymbolId>,
    e: &Expression,
) -> bool {
    let mut variables = Vec::new();
    visit::symbols(e, &mut |symbol| variables.push(symbol));
    let is_own =
        |symbol: &SymbolId| unit.symbol(*symbol).is_automatic() && !addresses.contains(symbol);
    let loads = visit::any(e, &mut |inner| {
        matches!(
            inner.kind,
            ExpressionKind::Index(..)
                | ExpressionKind::Member { .. }
                | ExpressionKind::Call { .. }
                | ExpressionKind::Unary(UnaryOperator::Indirection, _)
        )
    });
    let mut is_assigned = false;
    visit::expressions(&function.body, &mut |inner| {
        let target = inner.assigned().and_then(Expression::as_symbol);
        is_assigned |= target.is_some_and(|symbol| variables.contains(&symbol));
    });
    !loads && variables.iter().all(is_own) && !is_assigned
}

/// The table of what is on the device of a variable, where its size is known.
pub fn constant_table(unit: &Unit, symbol: SymbolId, extent: &Extent) -> Option<ConstantArray> {
    let types = &unit.types;
    let ty = unit.symbol(symbol).ty.ty;
    let (rows, bytes) = match extent {
        Extent::Section { ranges, .. } => {
            let first = ranges.first()?;
            let lower = first.lower.as_ref();
            let lower = lower.map_or(Some(0), |e| evaluate(unit, e))?;
            let Length::Constant(length) = first.length else {
                return None;
            };
            let rows = u64::try_from(lower).ok()?.checked_add(length)?;
            let rows = rows.checked_mul(flat_row(unit, types.pointee(ty)?, ranges)?)?;
            (rows, rows.checked_mul(types.size(types.pointee(ty)?.ty)?)?)
        }
        _ => (1, types.size(ty)?),
    };
    Some(ConstantArray {
        symbol,
        rows,
        bytes,
    })
}

/// How many elements that a pointer leads to are in one row of a section: one, but where the
/// section has more dimensions than they have.
fn flat_row(unit: &Unit, element: QualType, ranges: &[Range]) -> Option<u64> {
    let mut own = 1;
    let mut inner = element;
    while let Some(next) = unit.types.pointee(inner.ty) {
        (own, inner) = (own + 1, next);
    }
    let flat = ranges.len().saturating_sub(own);
    let lengths = ranges.iter().skip(1).take(flat);
    let mut lengths = lengths.map(|range| match range.extent {
        Some(Length::Constant(n)) => Some(n),
        _ => None,
    });
    lengths.try_fold(1u64, |all, n| all.checked_mul(n?))
}
