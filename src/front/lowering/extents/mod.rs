//! How much memory behind a pointer a region uses, where no clause says it.
//!
//! Input: the kernels of a region and a pointer from outside. Output: the
//! section that is copied if the pointer's target is not present, or what
//! stands in the way.
//!
//! ```c
//! #pragma acc parallel loop collapse(2)      // after: as with copy(a[0:n * m])
//! for (int j = 0; j < n; j++)
//!     for (int i = 0; i < m; i++)
//!         a[j * m + i] *= 2;
//! ```
//!
//! The section is from the first to the last element that the region accesses,
//! for all values of the variables in it ([`hull`]); both are accessed, so that
//! all between is part of one object, and where the region accesses none, the
//! section is empty. What lies between accessed elements is copied both ways.
//! [`walk`] finds the accesses. Each must be affine in the iterations of
//! loops around it, whose bounds the host knows when the region begins
//! ([`values`]): they are computed by variables that reach the region by value
//! and that it does not change. A stride is known not to be negative by its
//! type, or since a loop that it bounds runs; a subscript whose direction is not
//! known has no hull. Several accesses are one section where it is known which
//! of them reaches farther. One under a condition may reach as far as those that
//! are always executed, not farther: whether it is executed at all is not known.
//!
//! Behind a pointer to arrays, as `double a[n][m]` is one in a parameter list, elements are rows,
//! each of which is copied whole. Later subscripts have to be inside the row by the same proof:
//! C leaves the others undefined, but people write `a[0][k]` for all of `a`.

pub mod feedback;
mod hull;
#[cfg(test)]
mod tests;
mod values;
mod walk;

use indexmap::IndexMap;

use self::hull::{Failure, Hull};
use self::values::Values;
use self::walk::Access;
use super::lengths;
use super::usage::Use;
use crate::analysis::polynomial::writer::Writer;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::ir::{DataAction, Extent, Length, Range, RegionLocal, Statement};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer, without_suffixes};
use crate::typed::{Expression, ExpressionKind, QualType, SymbolId, Type, Unit};

/// What a region does with the memory behind a pointer.
#[derive(Debug)]
pub struct Section {
    /// [`DataAction::FindOrCopy`], or without the way back if it only reads.
    pub action: DataAction,
    /// Which part.
    pub extent: Extent,
    /// As a user would have written it.
    pub text: String,
}

/// Why it is not known how much a region uses.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// A clause of a sentence.
    pub text: String,
    /// What it is about.
    pub span: Span,
}

/// A compute construct.
pub struct Region<'r> {
    /// What ids refer to.
    pub unit: &'r Unit,
    /// Its kernels.
    pub bodies: Vec<&'r [Statement]>,
    /// What they use.
    pub uses: &'r IndexMap<SymbolId, Use>,
    /// Variables that are declared in it and that several of them use.
    pub locals: &'r [RegionLocal],
    /// Which variables have the same value on the host.
    pub stable: &'r dyn Fn(SymbolId) -> bool,
    /// Which variables have the value that they were declared with.
    pub fixed: &'r dyn Fn(SymbolId) -> bool,
}

/// More accesses than people write; comparing them is quadratic.
const MOST_ACCESSES: usize = 256;

/// The section of `pointer` that a region uses.
///
/// # Errors
/// The first thing for which that is not known.
pub fn of(region: &Region<'_>, pointer: SymbolId) -> Result<Section, Obstacle> {
    let unit = region.unit;
    let name = &unit.symbol(pointer).name;
    let place = region.uses.get(&pointer).copied();
    let element = unit.types.pointee(unit.symbol(pointer).ty.ty);
    let (Some(place), Some(element)) = (place, element) else {
        let (text, span) = (
            format!("`{name}` has no elements"),
            unit.symbol(pointer).span,
        );
        return Err(Obstacle { text, span });
    };
    let refuse = |text: &str| {
        Err(Obstacle {
            text: text.into(),
            span: place.span,
        })
    };
    let is_nested = place.deep || !is_plain(unit, element);
    if is_nested && matches!(unit.types.get(element.ty), Type::Record(_)) {
        return refuse(&format!(
            "its elements hold pointers, and copyin({name}[0:1]) puts one of them on the device"
        ));
    }
    if is_nested {
        return refuse("its elements hold or are pointers");
    }
    if place.assigned {
        return refuse("the region changes the pointer");
    }
    let (accesses, values) = walk::accesses(region, pointer)?;
    if accesses.len() > MOST_ACCESSES {
        return refuse("it has too many accesses");
    }
    let hull = joined(&accesses, &values)?;
    let Some(hull) = hull else {
        return refuse("no element of it is accessed");
    };
    let writer = Writer::new(region.unit, &values.opaque, place.span);
    match section(region, pointer, element, &hull, place.written, &writer) {
        Some(section) => Ok(section),
        None => refuse("the bounds of its loops may exceed their types together"),
    }
}

/// Elements, or elements of rows, that hold no pointers to follow.
fn is_plain(unit: &Unit, element: QualType) -> bool {
    let element = unit.types.innermost(element);
    unit.types.is_arithmetic(element.ty) || matches!(unit.types.get(element.ty), Type::Record(_))
}

/// The hull of all accesses.
fn joined(accesses: &[Access], values: &Values<'_>) -> Result<Option<Hull>, Obstacle> {
    let least = |term: Term| values.least(term);
    let mut always: Vec<(Hull, &Access)> = Vec::new();
    let mut sometimes: Vec<(Hull, &Access)> = Vec::new();
    for access in accesses {
        let hull = hull::of(&access.index, &access.levels, &least);
        let Some(hull) = hull.map_err(|failure| failed(access, failure))? else {
            continue;
        };
        match access.condition {
            None => always.push((hull, access)),
            Some(_) => sometimes.push((hull, access)),
        }
    }
    while let Some((first, second, both)) = pair(&always, &least) {
        always.remove(second);
        always[first].0 = both;
    }
    if let [(_, one), (_, other), ..] = always.as_slice() {
        let text = format!(
            "whether `{}` or `{}` reaches farther is not known",
            one.text, other.text
        );
        let span = other.span;
        return Err(Obstacle { text, span });
    }
    let hull = always.pop().map(|(hull, _)| hull);
    for (part, access) in sometimes {
        if !hull.as_ref().is_some_and(|hull| hull.covers(&part, &least)) {
            return Err(conditional(access));
        }
    }
    Ok(hull)
}

/// Two hulls that are one.
fn pair(list: &[(Hull, &Access)], least: hull::Least<'_>) -> Option<(usize, usize, Hull)> {
    for (second, (b, _)) in list.iter().enumerate() {
        for (first, (a, _)) in list[..second].iter().enumerate() {
            let both = if a.covers(b, least) {
                Some(a.clone())
            } else if b.covers(a, least) {
                Some(b.clone())
            } else {
                a.joined(b, least)
            };
            if let Some(both) = both {
                return Some((first, second, both));
            }
        }
    }
    None
}

fn failed(access: &Access, failure: Failure) -> Obstacle {
    if access.condition.is_some() {
        return conditional(access);
    }
    let text = &access.text;
    let text = match failure {
        Failure::NotAffine => format!("`{text}` is not affine in the variables of loops"),
        Failure::Sign => format!("the sign of a stride in `{text}` is not known"),
        Failure::Shape => {
            format!("which iterations of the loops around reach `{text}` is not known")
        }
    };
    let span = access.span;
    Obstacle { text, span }
}

fn conditional(access: &Access) -> Obstacle {
    let condition = access.condition.as_ref();
    let condition = condition.map_or("a condition", |condition| &condition.text);
    Obstacle {
        text: format!("`{}` depends on {condition}", access.text),
        span: access.span,
    }
}

/// The hull as a section that the host computes.
fn section(
    region: &Region<'_>,
    pointer: SymbolId,
    element: QualType,
    hull: &Hull,
    written: bool,
    writer: &Writer<'_>,
) -> Option<Section> {
    let unit = region.unit;
    let one = Polynomial::constant(1);
    let elements = hull.high.minus(&hull.low)?.plus(&one)?;
    let print = |e: &Expression| Printer::text(unit, &C, e);
    let text = without_suffixes(&format!(
        "{}[{}:{}]",
        unit.symbol(pointer).name,
        print(&writer.plain(&hull.low)),
        print(&writer.plain(&elements))
    ));
    let count = writer.count(&elements);
    let is_told = match hull.guards.as_slice() {
        [] => true,
        [guard] => guard.plus(&one)? == elements && writer.tells_emptiness(&elements),
        _ => false,
    };
    let length = match (is_told, elements.as_constant()) {
        (true, Some(number)) => Length::Constant(u64::try_from(number).ok()?),
        (true, None) => Length::Expression(count),
        _ => {
            let nothing = writer.plain(&Polynomial::default());
            let condition = writer.condition(&hull.guards)?;
            Length::Expression(Expression {
                ty: count.ty,
                span: count.span,
                kind: ExpressionKind::Conditional(
                    Box::new(condition),
                    Some(Box::new(count)),
                    Box::new(nothing),
                ),
            })
        }
    };
    let lower = writer.count(&hull.low);
    let mut ranges = vec![Range {
        lower: Some(lower).filter(|e| evaluate(unit, e) != Some(0)),
        length,
        extent: None,
        pointers: false,
    }];
    let element = lengths::whole_dimensions(unit, element, 1, &mut ranges);
    let rows = ranges[1..].iter().map(|range| match &range.length {
        Length::Constant(n) => format!("[0:{n}]"),
        length => match length.value(unit, unit.symbol(pointer).ty) {
            Some(e) => format!("[0:{}]", print(e)),
            None => "[:]".into(),
        },
    });
    let text = text + &rows.collect::<String>();
    Some(Section {
        action: match written {
            true => DataAction::FindOrCopy,
            false => DataAction::FindOrCopyIn,
        },
        extent: Extent::Section { ranges, element },
        text,
    })
}
