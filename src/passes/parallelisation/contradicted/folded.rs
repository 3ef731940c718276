//! Elements that several iterations update or write, since a quotient or a remainder chooses them.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++)
//!     b[i / 2] += a[i];         // warned of: iterations 0 and 1 have one element
//! ```
//!
//! Input: the accesses that every iteration of a loop makes. Output: a write and a read of one element
//! whose place is the loop's variable divided by a number, or what remains of that. A remainder takes
//! more iterations than the number. Of elements that are only written (`b[i / 2] = a[i]`), what is written
//! has to be the iteration's own, by sums and products of its variable, or of elements that it chooses.

use crate::analysis::effects::Touch;
use crate::analysis::polynomial::Polynomial;
use crate::analysis::subscripts::{Element, Elements};
use crate::ir::{Loop, visit};
use crate::typed::constant::evaluate;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, Unit};

/// A write and a read of one element by several iterations.
pub fn of_loop<'e, 'k>(
    unit: &Unit,
    l: &Loop,
    certain: &[&'e Element<'k>],
    elements: &Elements,
) -> Option<(&'e Element<'k>, &'e Element<'k>)> {
    let last = elements.last.first().and_then(Option::as_ref);
    let last = last.and_then(Polynomial::as_constant).unwrap_or(1);
    let writes = certain.iter().filter(|e| e.touch == Touch::Write);
    writes
        .filter(|write| is_folded(unit, l, write.expression, last))
        .find_map(|write| {
            let is_it =
                |e: &&&Element| e.touch == Touch::Read && e.expression.is_same(write.expression);
            let read = certain.iter().find(is_it);
            let is_lost = || is_own(l, write.expression);
            read.or_else(|| is_lost().then_some(write))
                .map(|other| (*write, *other))
        })
}

/// Whether what is assigned to an element differs from iteration to iteration.
fn is_own(l: &Loop, target: &Expression) -> bool {
    let mut is_own = false;
    visit::expressions(&l.body, &mut |e| {
        if let ExpressionKind::Assign(to, value) = &e.kind {
            is_own |= std::ptr::eq(&**to, target) && varies(value, l.induction);
        }
    });
    is_own
}

fn varies(value: &Expression, induction: SymbolId) -> bool {
    use BinaryOperator as B;
    match &value.inner().without_conversions().inner().kind {
        ExpressionKind::Symbol(symbol) => *symbol == induction,
        ExpressionKind::Index(_, index) => varies(index, induction),
        ExpressionKind::Binary(B::Add | B::Subtract | B::Multiply, left, right) => {
            varies(left, induction) || varies(right, induction)
        }
        _ => false,
    }
}

/// Whether two iterations of a loop whose highest one is `last` have one element.
fn is_folded(unit: &Unit, l: &Loop, target: &Expression, last: i128) -> bool {
    let proved = || {
        let ExpressionKind::Index(array, index) = &target.inner().kind else {
            return None;
        };
        array.inner().without_conversions().as_symbol()?;
        let ExpressionKind::Binary(operator, value, by) =
            &index.inner().without_conversions().inner().kind
        else {
            return None;
        };
        let is_variable = value.inner().without_conversions().as_symbol() == Some(l.induction);
        let counts = !l.downward && evaluate(unit, &l.step) == Some(1);
        let by = evaluate(unit, by).filter(|by| *by >= 2)?;
        let first = evaluate(unit, &l.lower).filter(|first| *first >= 0)?;
        let is_shared = match operator {
            BinaryOperator::Divide => last >= 2 || last == 1 && first % by != by - 1,
            BinaryOperator::Remainder => last >= by,
            _ => false,
        };
        Some(is_variable && counts && is_shared)
    };
    proved().unwrap_or(false)
}
