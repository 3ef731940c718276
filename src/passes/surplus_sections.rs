//! Sections of which the loops of a construct touch less than half.
//!
//! Input: constructs with clauses, and kernels as they were written. Output: a warning for each
//! section whose outermost dimension is proved to be at least twice as long as what the loops
//! touch: with numbers, or with the same variables. Where the data may be on the device before,
//! nothing is copied, and it is a note of `--feedback`.
//!
//! ```c
//! #pragma acc parallel loop copyin(a[0:n * n]) copyout(b[0:n])   // of `a`, n elements are read
//! for (int i = 0; i < n; i++)
//!     b[i] = a[i];
//! ```

use indexmap::IndexSet;

use super::lost_writes::is_kept;
use crate::analysis::bounds;
use crate::analysis::effects::{Oracle, Place};
use crate::analysis::polynomial::{self, Polynomial};
use crate::analysis::subscripts::{self, Elements};
use crate::diagnostic::{Diagnostic, Diagnostics, RANK, Severity, codes};
use crate::ir::{
    DataAction, DataItem, Extent, Kernel, Length, Loop, Module, RegionKind, Statement,
    StatementKind, visit,
};
use crate::typed::{Expression, SymbolId, SymbolKind, Unit};

/// Looks at every construct.
pub fn run(module: &Module, unit: &Unit, with_notes: bool, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for region in &module.regions {
        let RegionKind::Compute { launches, .. } = &region.kind else {
            continue;
        };
        let kernels: Vec<&Kernel> = launches.iter().map(|l| module.kernel(l.kernel)).collect();
        let copied = region.data.iter().filter(|item| {
            let copies = matches!(
                item.action,
                DataAction::Copy | DataAction::CopyIn | DataAction::CopyOut
            );
            copies && !item.implicit
        });
        for item in copied {
            let Some((symbol, mut note)) = surplus(item, &kernels, &oracle) else {
                continue;
            };
            let is_copied = unit.symbol(symbol).kind != SymbolKind::Parameter
                && !is_kept(module, region, symbol);
            if is_copied {
                note.severity = Severity::Warning;
            }
            if is_copied || with_notes {
                diagnostics.push(note);
            }
        }
    }
}

/// What is said of a section, if it is too long.
fn surplus(
    item: &DataItem,
    kernels: &[&Kernel],
    oracle: &Oracle,
) -> Option<(SymbolId, Diagnostic)> {
    let unit = oracle.unit();
    let symbol = item.symbol?;
    let Extent::Section { ranges, .. } = &item.extent else {
        return None;
    };
    let first = ranges.first()?;
    let number = |e: &Expression| polynomial::of_variables(e, unit);
    let lower = first
        .lower
        .as_ref()
        .map_or(Some(Polynomial::default()), number)?;
    let length = match &first.length {
        Length::Constant(n) => Polynomial::constant(i128::from(*n)),
        Length::Expression(e) => number(e)?,
        Length::Variable { .. } => return None,
    };
    let end = lower.plus(&length)?;
    let mut longest: Option<Polynomial> = None;
    for kernel in kernels
        .iter()
        .filter(|kernel| kernel.capture(symbol).is_some())
    {
        for touched in touched(kernel, symbol, oracle)? {
            if !is_half(&touched, &end) {
                return None;
            }
            // Any of them serves: all are less than half.
            longest.get_or_insert(touched);
        }
    }
    longest?;
    let message = format!("of `{}` the loops touch less than half", item.text);
    let note = Diagnostic::remark(codes::LONG_SECTION, message, item.span);
    Some((
        symbol,
        note.label("no subscript of the construct reaches its second half")
            .help("a section is `name[first:length]`: give the length that the loops use")
            .data("section", item.text.as_str())
            .data(RANK, 250),
    ))
}

/// How many elements from the first on the accesses of a kernel reach, each for itself; none
/// where that is not known of all.
fn touched(kernel: &Kernel, symbol: SymbolId, oracle: &Oracle) -> Option<Vec<Polynomial>> {
    let mut loops = Vec::new();
    let mut outside = false;
    outermost(&kernel.body, &mut loops, &mut |e| {
        outside |= names(e, symbol)
    });
    if outside {
        return None;
    }
    let mut found = Vec::new();
    for l in loops {
        let private: IndexSet<SymbolId> = visit::declared(&l.body).into_iter().collect();
        let Elements {
            list, last, wraps, ..
        } = subscripts::collect(l, &private, oracle);
        if wraps || list.iter().any(|element| element.root == Place::Unknown) {
            return None;
        }
        for element in list.iter().filter(|e| e.root.symbol() == Some(symbol)) {
            let value = element.subscripts.first()?.value.as_ref()?;
            let highest = bounds::extreme(value, &last, true)?;
            found.push(highest.moved(1)?);
        }
    }
    (!found.is_empty()).then_some(found)
}

fn names(e: &Expression, symbol: SymbolId) -> bool {
    crate::typed::visit::any(e, &mut |inner| inner.as_symbol() == Some(symbol))
}

/// The loops that are in no other, and the expressions that are in none.
fn outermost<'k>(
    body: &'k [Statement],
    loops: &mut Vec<&'k Loop>,
    other: &mut dyn FnMut(&'k Expression),
) {
    for statement in body {
        match &statement.kind {
            StatementKind::Loop(l) => loops.push(l),
            _ => {
                visit::own_expressions(statement, other);
                visit::blocks(statement, &mut |inner| outermost(inner, loops, other));
            }
        }
    }
}

/// Whether a length is at most half of another, by numbers, or by what it has of the terms of
/// the highest degree in the same variables.
fn is_half(touched: &Polynomial, end: &Polynomial) -> bool {
    if let (Some(touched), Some(end)) = (touched.as_constant(), end.as_constant()) {
        return touched >= 0 && 2 * touched <= end;
    }
    let degree = |e: &Polynomial| {
        e.terms()
            .map(|(product, _)| product.len())
            .max()
            .unwrap_or(0)
    };
    let highest = degree(end);
    // Numbers and variables do not compare.
    if touched.as_constant().is_some() || degree(touched) > highest {
        return false;
    }
    let variables = |e: &Polynomial| {
        let all = e.terms().flat_map(|(product, _)| product.to_vec());
        all.collect::<std::collections::BTreeSet<_>>()
    };
    let is_alike = variables(touched).is_subset(&variables(end));
    let leading = |e: &Polynomial, product: &[polynomial::Term]| {
        let found = e.terms().find(|(own, _)| *own == product);
        found.map_or(0, |(_, factor)| factor)
    };
    let mut of_end = end.terms().filter(|(product, _)| product.len() == highest);
    let mut of_touched = touched
        .terms()
        .filter(|(product, _)| product.len() == highest);
    is_alike
        && of_end.all(|(product, factor)| factor > 0 && 2 * leading(touched, product) <= factor)
        && of_touched.all(|(product, _)| leading(end, product) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::polynomial::Term;

    #[test]
    fn halves_of_numbers_and_of_the_same_variables() {
        let n = Polynomial::variable(Term::Invariant(SymbolId(1)));
        let m = Polynomial::variable(Term::Invariant(SymbolId(2)));
        let square = n.times(&n).unwrap();
        let constant = Polynomial::constant;
        for (touched, end, expected) in [
            (constant(10), constant(20), true),
            (constant(11), constant(20), false),
            (n.clone(), square.clone(), true),
            (n.clone(), n.scaled(2).unwrap(), true),
            (n.clone(), n.moved(5).unwrap(), false),
            (square, n.clone(), false),
            (m, n.clone(), false),
            (constant(3), n, false),
        ] {
            assert_eq!(is_half(&touched, &end), expected, "{touched:?} {end:?}");
        }
    }
}
