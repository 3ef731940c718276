//! Which elements of windows there are on the device, where what puts them there is seen.

use crate::front::lowering::launch_values::known_at_launch;
use crate::ir::{Capture, Length, Range, RegionLocal, Statement, StatementKind, visit};
use crate::typed::constant::evaluate;
use crate::typed::{BinaryOperator, Expression, SymbolId, Unit, synthesis};

/// Gives windows their bounds, and returns what these are computed from. `ranges` is what the device
/// has of an array, `stays` whether a value is at the launch what it was when that was put there.
pub fn of_windows<'r>(
    unit: &Unit,
    captures: &[Capture],
    list: &mut [Statement],
    locals: &mut Vec<RegionLocal>,
    ranges: &dyn Fn(SymbolId) -> Option<&'r [Range]>,
    stays: &dyn Fn(&Expression) -> bool,
) -> Vec<Expression> {
    let mut known = Vec::new();
    visit::walk_mut(list, &mut |statement| {
        let StatementKind::Windows(region) = &mut statement.kind else {
            return;
        };
        for window in region.windows.iter_mut().filter(|w| w.bounds.is_none()) {
            let capture = captures.iter().find(|c| c.symbol == window.array);
            let section = capture.and_then(|c| c.section_of.as_ref());
            let array = section.map_or(window.array, |section| section.array);
            let Some(ranges) = ranges(array) else {
                continue;
            };
            let name = &unit.symbol(array).name;
            let int = synthesis::int(unit);
            let number = |n| synthesis::integer(n, int, window.span);
            let bounds = ranges.iter().enumerate().map(|(depth, range)| {
                let length = match &range.length {
                    Length::Constant(n) => number(i128::from(*n)),
                    Length::Expression(e) => e.clone(),
                    Length::Variable { .. } => return None,
                };
                let first = range.lower.clone();
                let first = first.filter(|_| depth == 0 || section.is_none());
                let first = first.unwrap_or_else(|| number(0));
                if !stays(&first) || !stays(&length) {
                    return None;
                }
                let end = match evaluate(unit, &first) {
                    Some(0) => length,
                    _ => {
                        let first = synthesis::parenthesized(first.clone());
                        synthesis::binary(BinaryOperator::Add, first, length, int)
                    }
                };
                let mut at_launch = |e: &Expression, what: &str| {
                    let own = known_at_launch(unit, e, &format!("{name}_{what}"), locals);
                    known.push(own.clone());
                    own
                };
                Some(Some((at_launch(&first, "begin"), at_launch(&end, "end"))))
            });
            window.bounds = bounds.collect();
        }
    });
    known
}
