//! What the loops of a kernel touch of an array.
//!
//! Input: a kernel and a variable. Output: for each access the first element that some iteration may
//! touch and the first one behind the last, in elements of the outermost dimension, if that is known
//! of all accesses.
//!
//! ```c
//! for (int i = 1; i < n - 1; i++)
//!     b[i] = a[i - 1] + a[i + 1];       // of `a`: from 0 to n - 2, and from 2 to n
//! ```

use indexmap::IndexSet;

use super::bounds;
use super::effects::{Oracle, Place};
use super::polynomial::Polynomial;
use super::subscripts::{self, Element, Elements};
use crate::ir::{Kernel, Loop, Statement, StatementKind, visit};
use crate::typed::{Expression, SymbolId, visit as typed_visit};

/// The elements between two ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// The first one, where it is known.
    pub first: Option<Polynomial>,
    /// The first one behind the last.
    pub end: Polynomial,
}

/// What each access of a kernel to a variable touches; none where that is not known of all.
pub fn of_kernel(kernel: &Kernel, symbol: SymbolId, oracle: &Oracle) -> Option<Vec<Touched>> {
    let mut loops = Vec::new();
    let mut outside = false;
    outermost(&kernel.body, &mut loops, &mut |e| {
        outside |= typed_visit::any(e, &mut |inner| inner.as_symbol() == Some(symbol));
    });
    if outside {
        return None;
    }
    let mut found = Vec::new();
    for l in loops {
        let private: IndexSet<SymbolId> = visit::declared(&l.body).into_iter().collect();
        let elements = subscripts::collect(l, &private, oracle);
        let is_unknown = |element: &Element| element.root == Place::Unknown;
        if elements.wraps || elements.list.iter().any(is_unknown) {
            return None;
        }
        for element in elements
            .list
            .iter()
            .filter(|e| e.root.symbol() == Some(symbol))
        {
            found.push(of_element(element, symbol, &elements, oracle)?);
        }
    }
    Some(found)
}

fn of_element(
    element: &Element,
    symbol: SymbolId,
    elements: &Elements,
    oracle: &Oracle,
) -> Option<Touched> {
    let outermost = element.subscripts.first()?;
    if !subscripts::is_element(oracle.unit(), symbol, outermost) {
        return None;
    }
    let value = outermost.value.as_ref()?;
    let highest = bounds::extreme(value, &elements.last, true)?;
    Some(Touched {
        first: bounds::extreme(value, &elements.last, false),
        end: highest.moved(1)?,
    })
}

/// From the first to the last of all, where numbers tell which these are.
pub fn hull(list: &[Touched]) -> Option<Touched> {
    let [first, rest @ ..] = list else {
        return None;
    };
    rest.iter().try_fold(first.clone(), |all, other| {
        let first = all.first.as_ref().zip(other.first.as_ref());
        Some(Touched {
            first: first.and_then(|(one, other)| lower(one, other)),
            end: match lower(&all.end, &other.end)? {
                lower if lower == all.end => other.end.clone(),
                _ => all.end,
            },
        })
    })
}

/// The lower one of two values.
fn lower(one: &Polynomial, other: &Polynomial) -> Option<Polynomial> {
    let distance = other.minus(one)?.as_constant()?;
    Some(if distance < 0 { other } else { one }.clone())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::polynomial::Term;

    #[test]
    fn from_the_first_to_the_last() {
        let n = |by| {
            let n = Polynomial::variable(Term::Invariant(SymbolId(1)));
            n.moved(by).expect("the number is small")
        };
        let touched = |first: i128, end: Polynomial| Touched {
            first: Some(Polynomial::constant(first)),
            end,
        };
        let two = [touched(0, n(-2)), touched(2, n(0))];
        assert_eq!(hull(&two), Some(touched(0, n(0))));
        assert_eq!(
            hull(&[touched(1, n(0)), touched(0, n(-1))]),
            Some(touched(0, n(0)))
        );
        assert_eq!(
            hull(&[touched(0, n(0)), touched(0, Polynomial::constant(3))]),
            None
        );
        assert_eq!(hull(&[]), None);
    }
}
