//! Elements that several iterations update or write, since there are fewer of them than iterations.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++)
//!     b[i / 2] += a[i];         // warned of: iterations 0 and 1 have one element
//! for (int i = 0; i < 1000; i++)
//!     h[key[i] % 16] += a[i];   // warned of: there are at most 31 elements
//! ```
//!
//! Input: the accesses that every iteration of a loop makes. Output: a write and a read of one element
//! whose place is the loop's variable divided by a number, or has fewer values than the loop has
//! iterations: those of a remainder, a mask, a narrow type, or the elements of the array. Of elements that
//! are only written (`b[i / 2] = a[i]`), the place has to be a quotient or remainder of the loop's variable, and
//! what is written the iteration's own, by sums and products of its variable, or of elements that it chooses.

use crate::analysis::conversions;
use crate::analysis::dependence::{Carried, Nest};
use crate::analysis::effects::Touch;
use crate::analysis::interval::Interval;
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
    nest: &Nest,
) -> Option<(&'e Element<'k>, &'e Element<'k>, Carried)> {
    let writes = certain.iter().filter(|e| e.touch == Touch::Write);
    writes.copied().find_map(|write| {
        let quotient = shared_quotient(unit, l, write.expression);
        let places = || Places { unit, elements }.of(write);
        let later = quotient.or_else(places)?;
        let is_it =
            |e: &&&Element| e.touch == Touch::Read && e.expression.is_same(write.expression);
        let read = certain
            .iter()
            .copied()
            .find(|e| is_it(&e))
            .filter(|_| !sets_bits(unit, l, write.expression));
        let is_lost = || is_of_variable(l, write.expression) && is_own(l, write.expression);
        let other = read.or_else(|| is_lost().then_some(write))?;
        (later <= nest.usual_last()).then_some((write, other, Carried::Several(later)))
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

/// Whether an update sets or clears bits of which the program says the number: any order gives the same.
fn sets_bits(unit: &Unit, l: &Loop, target: &Expression) -> bool {
    use BinaryOperator as B;
    let mut sets = false;
    visit::expressions(&l.body, &mut |e| {
        if let ExpressionKind::CompoundAssign {
            target: to,
            operator: B::BitAnd | B::BitOr,
            value,
            ..
        } = &e.kind
        {
            sets |= std::ptr::eq(&**to, target) && evaluate(unit, value).is_some();
        }
    });
    sets
}

/// Operator and operands of the subscript of an element.
fn operation(target: &Expression) -> Option<(BinaryOperator, &Expression, &Expression)> {
    let ExpressionKind::Index(array, index) = &target.inner().kind else {
        return None;
    };
    array.inner().without_conversions().as_symbol()?;
    match &index.inner().without_conversions().inner().kind {
        ExpressionKind::Binary(operator, value, by) => Some((*operator, value, by)),
        _ => None,
    }
}

/// Whether the place of an element is a quotient or remainder of the loop's variable.
fn is_of_variable(l: &Loop, target: &Expression) -> bool {
    operation(target).is_some_and(|(operator, value, _)| {
        matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder)
            && value.inner().without_conversions().as_symbol() == Some(l.induction)
    })
}

/// The first iteration that has the element of another one, since a quotient chooses it.
fn shared_quotient(unit: &Unit, l: &Loop, target: &Expression) -> Option<i128> {
    let (operator, value, by) = operation(target)?;
    let is_variable = value.inner().without_conversions().as_symbol() == Some(l.induction);
    let counts = !l.downward && evaluate(unit, &l.step) == Some(1);
    let by = evaluate(unit, by).filter(|by| *by >= 2)?;
    let first = evaluate(unit, &l.lower).filter(|first| *first >= 0)?;
    let is_shared = operator == BinaryOperator::Divide && is_variable && counts;
    is_shared.then_some(if first % by == by - 1 { 2 } else { 1 })
}

/// How many elements an access may have in the iterations of a loop, those inside being where they are.
struct Places<'a, 'u, 'k> {
    unit: &'u Unit,
    elements: &'a Elements<'k>,
}

impl Places<'_, '_, '_> {
    /// The number, if it is known; an array's own length is one.
    fn of(&self, element: &Element) -> Option<i128> {
        let mut subscripts = Vec::new();
        let mut e = element.expression.inner();
        while let ExpressionKind::Index(array, index) = &e.kind {
            subscripts.insert(0, &**index);
            e = array.inner();
        }
        let is_whole = e.as_symbol() == element.root.symbol() && e.as_symbol().is_some();
        if !is_whole || subscripts.len() != element.subscripts.len() {
            return None;
        }
        let mut chosen = Some(1i128);
        let mut length = Some(1i128);
        let mut is_affine = true;
        for (step, subscript) in element.subscripts.iter().zip(subscripts) {
            let extent = step.extent.as_ref().filter(|_| step.is_inside);
            let extent = extent.and_then(Polynomial::as_constant);
            length = length.zip(extent).and_then(|(a, b)| a.checked_mul(b));
            let values = match &step.value {
                Some(value) if value.iterations().contains(&0) => return None,
                Some(_) => Some(1),
                None => {
                    is_affine = false;
                    self.number(subscript)
                }
            };
            chosen = chosen.zip(values).and_then(|(a, b)| a.checked_mul(b));
        }
        let least = chosen.into_iter().chain(length).min();
        least.filter(|least| !is_affine && *least >= 1)
    }

    fn number(&self, e: &Expression) -> Option<i128> {
        let values = self.values(e);
        values.high?.checked_sub(values.low?)?.checked_add(1)
    }

    fn values(&self, e: &Expression) -> Interval {
        let own = conversions::values_of(e.ty.ty, self.unit);
        let own = own.map_or(Interval::ALL, |(low, high)| Interval::between(low, high));
        let known = match &e.kind {
            _ if let Some(value) = evaluate(self.unit, e) => Interval::at(value),
            ExpressionKind::Symbol(symbol) if self.is_natural(*symbol) => Interval {
                high: own.high,
                ..Interval::NATURAL
            },
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Convert(_, inner)
            | ExpressionKind::Cast(inner) => self.values(inner),
            ExpressionKind::Binary(operator, left, right) => {
                self.result(*operator, left, right).unwrap_or(own)
            }
            _ => own,
        };
        // What does not fit is converted, or wraps.
        let ends = [known.low, known.high];
        match ends
            .iter()
            .all(|end| end.is_some_and(|end| own.contains(end)))
        {
            true => known,
            false => own,
        }
    }

    fn result(
        &self,
        operator: BinaryOperator,
        left: &Expression,
        right: &Expression,
    ) -> Option<Interval> {
        use BinaryOperator as B;
        let number = |e| evaluate(self.unit, e);
        Some(match operator {
            B::Add => self.values(left).plus(self.values(right)),
            B::Subtract => self
                .values(left)
                .plus(self.values(right).times(Interval::at(-1))),
            B::Remainder => {
                let most = number(right).filter(|by| *by >= 1)? - 1;
                let low = self.values(left).low;
                Interval::between(
                    if low.is_some_and(|low| low >= 0) {
                        0
                    } else {
                        -most
                    },
                    most,
                )
            }
            B::BitAnd => {
                let mask = [left, right].into_iter().filter_map(number);
                Interval::between(0, mask.filter(|mask| *mask >= 0).min()?)
            }
            B::ShiftRight => {
                let values = self.values(left);
                let count = u32::try_from(number(right)?).ok()?;
                let shifted = |end: Option<i128>| end?.checked_shr(count);
                Interval::between(shifted(values.low)?, shifted(values.high)?)
            }
            B::Divide => {
                let values = self.values(left);
                let by = number(right).filter(|by| *by >= 1)?;
                Interval::between(values.low? / by, values.high? / by)
            }
            _ => return None,
        })
    }

    /// Whether a variable is one of a loop that counts up from 0 or more.
    fn is_natural(&self, symbol: SymbolId) -> bool {
        let mut loops = self.elements.loops.iter().filter(|l| l.induction == symbol);
        loops.any(|l| !l.downward && evaluate(self.unit, &l.lower).is_some_and(|first| first >= 0))
    }
}
