//! What values polynomials take: from the trip counts of the loops whose
//! iterations occur in them, and from the types of their variables.
//!
//! All hold where the code in question runs: `0 ≤ k ≤ last` for the iteration
//! `k` of every loop around it. A loop that may be empty only makes the range
//! too wide.

use super::polynomial::{Polynomial, Term};
use crate::typed::{IntegerKind, SymbolId, Type, TypeId, Unit};

/// Lowest and highest value; `None` is unbounded.
pub type Range = (Option<i128>, Option<i128>);

/// The highest or lowest value over all iterations, in terms of invariants;
/// `last` is the highest iteration of each loop.
pub fn extreme(e: &Polynomial, last: &[Option<Polynomial>], highest: bool) -> Option<Polynomial> {
    let mut result = e.clone();
    // Bounds of inner loops may mention outer ones: inner ones go first.
    while let Some(number) = result.iterations().pop() {
        let term = Term::Iteration(number);
        let coefficient = result.coefficient(term)?;
        let end = if (coefficient > 0) == highest {
            last.get(number)?.clone()?
        } else {
            Polynomial::default()
        };
        result = result.substitute(term, &end)?;
    }
    Some(result)
}

/// Whether `0 ≤ e` and `e + width ≤ extent` for all iterations.
pub fn is_within(
    e: &Polynomial,
    width: i128,
    extent: &Polynomial,
    last: &[Option<Polynomial>],
) -> bool {
    let proved = || {
        let low = extreme(e, last, false)?.as_constant()?;
        let high = extreme(e, last, true)?;
        let room = extent.minus(&high)?.as_constant()?;
        Some(low >= 0 && room >= width)
    };
    proved().unwrap_or(false)
}

/// The values over all iterations, for all values of the variables.
pub fn range(e: &Polynomial, last: &[Option<Polynomial>], unit: &Unit) -> Range {
    let end = |highest| extreme(e, last, highest).unwrap_or_else(|| e.clone());
    (interval(&end(false), unit).0, interval(&end(true), unit).1)
}

/// Whether a value is one that an integer type has, whatever its variables are.
pub fn fits(e: &Polynomial, ty: TypeId, last: &[Option<Polynomial>], unit: &Unit) -> bool {
    let (Some(low), Some(high)) = range(e, last, unit) else {
        return false;
    };
    kept_by(ty, unit).is_some_and(|(first, last)| first <= low && high <= last)
}

/// The lowest and the highest value that an integer type keeps on every
/// machine.
pub fn kept_by(ty: TypeId, unit: &Unit) -> Option<(i128, i128)> {
    match unit.types.get(ty) {
        Type::Integer(IntegerKind::Char) => Some((0, 127)),
        _ => of_type(ty, unit),
    }
}

/// The lowest and the highest value that an integer type has on some machine:
/// plain `char` is signed or unsigned.
pub fn of_type(ty: TypeId, unit: &Unit) -> Option<(i128, i128)> {
    let kind = match unit.types.get(ty) {
        Type::Bool => return Some((0, 1)),
        Type::Integer(IntegerKind::Char) => return Some((-128, 255)),
        Type::Integer(kind) => *kind,
        Type::Enum(id) => unit.types.enumeration(*id).underlying,
        _ => return None,
    };
    let bits = u32::try_from(kind.size() * 8)
        .ok()
        .filter(|bits| *bits <= 64)?;
    Some(match kind.is_signed() {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    })
}

/// Terms with their ranges, as if they were independent of each other.
fn interval(e: &Polynomial, unit: &Unit) -> Range {
    let mut sum: Range = (Some(0), Some(0));
    for (product, coefficient) in e.terms() {
        let mut part: Range = (Some(coefficient), Some(coefficient));
        for term in product {
            part = times(part, of_term(*term, unit));
        }
        let plus = |a: Option<i128>, b: Option<i128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
        sum = (plus(sum.0, part.0), plus(sum.1, part.1));
    }
    sum
}

fn of_term(term: Term, unit: &Unit) -> Range {
    let of_symbol = |symbol: SymbolId| of_type(unit.symbol(symbol).ty.ty, unit);
    match term {
        Term::Invariant(symbol) => {
            of_symbol(symbol).map_or((None, None), |(low, high)| (Some(low), Some(high)))
        }
        Term::Iteration(_) => (Some(0), None),
        Term::Opaque(_) => (None, None),
    }
}

fn times(a: Range, b: Range) -> Range {
    if let ((Some(al), Some(ah)), (Some(bl), Some(bh))) = (a, b) {
        let all = [al, ah]
            .into_iter()
            .flat_map(|x| [bl, bh].map(|y| x.checked_mul(y)));
        let ends: Option<Vec<i128>> = all.collect();
        return ends.map_or((None, None), |ends| {
            (ends.iter().min().copied(), ends.iter().max().copied())
        });
    }
    // One is unbounded: only signs are known.
    let sign = |r: Range| match r {
        (Some(low), _) if low >= 0 => 1,
        (_, Some(high)) if high <= 0 => -1,
        _ => 0,
    };
    match sign(a) * sign(b) {
        1 => (Some(0), None),
        -1 => (None, Some(0)),
        _ => (None, None),
    }
}
