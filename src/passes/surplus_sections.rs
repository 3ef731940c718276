//! Sections of which the loops of a construct touch less than half.
//!
//! Input: constructs with clauses, and kernels as they were written. Output: a warning for each
//! section whose outermost dimension is proved to be at least twice as long as what the loops
//! touch: with numbers, or with the same variables. Where the data may be on the device before,
//! nothing is copied, and it is a note of `--feedback`, as it is of `data` constructs in which nothing
//! but kernels uses the variable.
//!
//! ```c
//! #pragma acc parallel loop copyin(a[0:n * n]) copyout(b[0:n])   // of `a`, n elements are read
//! for (int i = 0; i < n; i++)
//!     b[i] = a[i];
//! ```

use std::collections::BTreeSet;

use super::lost_writes::is_kept;
use super::short_sections::{is_fixed, of_variable};
use crate::analysis::effects::Oracle;
use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::analysis::touched::{self, Touched};
use crate::diagnostic::{Diagnostic, Diagnostics, RANK, Severity, codes};
use crate::ir::{DataAction, DataItem, Extent, Kernel, Length, Module, Region, RegionKind};
use crate::source::Span;
use crate::typed::{Expression, SymbolId, SymbolKind, Unit, visit};

/// Looks at every construct.
pub fn run(module: &Module, unit: &Unit, with_notes: bool, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for region in &module.regions {
        let is_data = matches!(region.kind, RegionKind::Data);
        if !is_data && !matches!(region.kind, RegionKind::Compute { .. }) || is_data && !with_notes
        {
            continue;
        }
        let copied = region.data.iter().filter(|item| {
            let copies = matches!(
                item.action,
                DataAction::Copy | DataAction::CopyIn | DataAction::CopyOut
            );
            copies && !item.implicit
        });
        for item in copied {
            let kernels = match is_data {
                true => inside(module, unit, region, item),
                false => Some(launched(module, region)),
            };
            let found = kernels.and_then(|kernels| surplus(item, &kernels, &oracle));
            let Some((symbol, mut note)) = found else {
                continue;
            };
            let is_copied = !is_data
                && unit.symbol(symbol).kind != SymbolKind::Parameter
                && !is_kept(module, unit, region, symbol);
            if is_copied {
                note.severity = Severity::Warning;
            }
            if is_copied || with_notes {
                diagnostics.push(note);
            }
        }
    }
}

/// The kernels that a construct launches.
fn launched<'m>(module: &'m Module, region: &Region) -> Vec<&'m Kernel> {
    match &region.kind {
        RegionKind::Compute { launches, .. } => {
            launches.iter().map(|l| module.kernel(l.kernel)).collect()
        }
        _ => Vec::new(),
    }
}

/// The kernels of the constructs in a `data` construct, if all that uses a variable of the function there
/// is in them, and what its section says stays the same.
fn inside<'m>(
    module: &'m Module,
    unit: &Unit,
    around: &Region,
    item: &DataItem,
) -> Option<Vec<&'m Kernel>> {
    let symbol = item.symbol.filter(|_| is_fixed(unit, around, item))?;
    let variable = unit.symbol(symbol);
    let is_own = variable.is_automatic() || variable.kind == SymbolKind::Parameter;
    let (body, function) = around
        .body
        .zip(unit.function(around.function).filter(|_| is_own))?;
    let is_in = |inner: Span, outer: Span| outer.start <= inner.start && inner.end <= outer.end;
    let mut kernels = Vec::new();
    let mut constructs = Vec::new();
    for region in module
        .regions
        .iter()
        .filter(|one| is_in(one.directive, body))
    {
        match &region.kind {
            RegionKind::Compute { .. } => {
                kernels.extend(launched(module, region));
                constructs.push(region.body?);
            }
            _ if of_variable(region, symbol).next().is_some() => return None,
            _ => {}
        }
    }
    let mut is_known = true;
    visit::expressions(&function.body, &mut |e| {
        let is_host = || is_in(e.span, body) && !constructs.iter().any(|one| is_in(e.span, *one));
        is_known &= e.as_symbol() != Some(symbol) || !is_host();
    });
    is_known.then_some(kernels)
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
    let mut all = Vec::new();
    for kernel in kernels.iter().filter(|k| k.capture(symbol).is_some()) {
        let touched = touched::of_kernel(kernel, symbol, oracle)?;
        if touched.is_empty() {
            return None;
        }
        all.extend(touched);
    }
    if all.is_empty() || !all.iter().all(|touched| is_half(&touched.end, &end)) {
        return None;
    }
    // Of rows, the section names how many.
    let has_inner = item.text.contains("][");
    let whole = touched::hull(&all).filter(|_| !has_inner);
    let shorter = whole.and_then(|whole| shorter(unit, symbol, &whole, &lower, &length));
    let message = format!("of `{}` the loops touch less than half", item.text);
    let note = Diagnostic::remark(codes::LONG_SECTION, message, item.span);
    let note = match shorter {
        Some(shorter) => note
            .help(format!("{SECTION}: write `{shorter}`"))
            .replacement(shorter),
        None => note.help(format!("{SECTION}: give the length that the loops use")),
    };
    Some((
        symbol,
        note.label("no subscript in the construct reaches its second half")
            .data("section", item.text.as_str())
            .data(RANK, 250),
    ))
}

/// How sections are written.
const SECTION: &str = "a section is `name[first:length]`";

/// The section that has all that the loops touch, written with the variables of the longer one.
fn shorter(
    unit: &Unit,
    symbol: SymbolId,
    whole: &Touched,
    lower: &Polynomial,
    length: &Polynomial,
) -> Option<String> {
    // What begins earlier than the section is another mistake.
    let first = whole.first.clone().unwrap_or_default();
    let first = match first.minus(lower)?.as_constant()? {
        ..0 => return None,
        _ => first,
    };
    let count = whole.end.minus(&first)?;
    let is_known = |e: &Polynomial| variables(e).is_subset(&variables(length));
    if !is_known(&first) || !is_known(&count) || count.as_constant().is_some_and(|n| n < 1) {
        return None;
    }
    let text = |e: &Polynomial| polynomial::text(e, unit);
    Some(format!(
        "{}[{}:{}]",
        unit.symbol(symbol).name,
        text(&first),
        text(&count)
    ))
}

/// The variables that a polynomial has.
fn variables(e: &Polynomial) -> BTreeSet<Term> {
    e.terms()
        .flat_map(|(product, _)| product.to_vec())
        .collect()
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
    let is_alike = variables(touched).is_subset(&variables(end));
    let leading = |e: &Polynomial, product: &[Term]| {
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
