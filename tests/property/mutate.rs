//! Mistakes put into what an oracle is made from, to see that the comparison finds them.

use super::model::{Expression, Program, Statement};
use super::visit;

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The first loop within a region ends a round early.
    OneStepLess,
    /// The first element beside the pivot is taken from the pivot.
    MissingHalo,
    /// The first neighbour on one side is taken from the other.
    SwappedNeighbour,
}

/// All of them.
pub const MISTAKES: &[Mistake] = &[
    Mistake::OneStepLess,
    Mistake::MissingHalo,
    Mistake::SwappedNeighbour,
];

/// The program with the mistake; `None` where it has nothing of the kind.
pub fn mistaken(program: &Program, mistake: Mistake) -> Option<Program> {
    let mut changed = program.clone();
    let mut done = false;
    let pivots = pivots_of(program);
    match mistake {
        Mistake::OneStepLess => {
            visit::regions(&mut changed, &mut |region| {
                visit::list(&mut region.body, &mut |list| {
                    for statement in list {
                        done = done || shorten(statement);
                    }
                });
            });
        }
        Mistake::MissingHalo => visit::expressions(&mut changed, &mut |expression| {
            done = done || shift(expression, &pivots, |_| Some(0.into()));
        }),
        Mistake::SwappedNeighbour => visit::expressions(&mut changed, &mut |expression| {
            done = done || shift(expression, &pivots, opposite);
        }),
    }
    done.then_some(changed)
}

/// `s < n` becomes `s < n - 1`.
fn shorten(statement: &mut Statement) -> bool {
    let Statement::For { condition, .. } = statement else {
        return false;
    };
    match condition {
        Expression::Binary("<" | "<=", _, bound) => {
            **bound = (**bound).clone() - 1;
            true
        }
        _ => false,
    }
}

/// A pivot of a window of that array.
struct Pivot {
    array: usize,
    value: Expression,
}

fn pivots_of(program: &Program) -> Vec<Pivot> {
    let mut found = Vec::new();
    visit::regions(&mut program.clone(), &mut |region| {
        for item in region.directives.iter().flat_map(|d| &d.items) {
            found.extend(item.window.iter().map(|side| Pivot {
                array: item.array,
                value: side.pivot.clone(),
            }));
        }
    });
    found
}

/// As far on the other side, where the distance is a number.
fn opposite(distance: Expression) -> Option<Expression> {
    match distance {
        Expression::Integer(value) => Some(Expression::Integer(-value)),
        _ => None,
    }
}

/// `a[pivot + far]` with another distance.
fn shift(
    expression: &mut Expression,
    pivots: &[Pivot],
    distance: fn(Expression) -> Option<Expression>,
) -> bool {
    let Expression::Element { array, indices, .. } = expression else {
        return false;
    };
    for index in indices {
        let Expression::Binary(operator @ ("+" | "-"), pivot, far) = index else {
            continue;
        };
        let is_pivot = |known: &Pivot| known.array == *array && known.value == **pivot;
        if !pivots.iter().any(is_pivot) {
            continue;
        }
        let far = match (*operator, &**far) {
            ("-", Expression::Integer(value)) => Expression::Integer(-value),
            _ => (**far).clone(),
        };
        if let Some(far) = distance(far) {
            *index = (**pivot).clone() + far;
            return true;
        }
    }
    false
}
