//! Which variables code reads before it writes them, and which it always writes:
//! one data-flow problem, for statements of kernels and of the host.
//!
//! Input: code reduced to the [`Order`] of its accesses, and a variable. Output:
//! [`Flow`], what happens on the paths from the code's beginning until the variable
//! is written: whether it is read (an upward-exposed use), and where they end. From
//! another beginning it says what happens later: whether a value is live behind a
//! loop ([`after_loop`]) or a construct ([`Rest`]).
//!
//! ```c
//! for (i = 0; i < n; i++) {
//!     t = a[i] * a[i];       // written first: `t` is the iteration's own
//!     s = s + t;             // read first: `s` is not
//! }
//! ```
//!
//! Answers err on the side of "read first". Jumps to labels are not followed: they
//! read everything.

mod expression;
mod list;
mod order;
mod rest;
mod unassigned;

pub use order::Order;
pub use rest::{Rest, is_address_taken, is_address_taken_anywhere, is_in_directive, object};
pub use unassigned::unassigned;

use crate::ir::{Loop, Statement};
use crate::typed::{SymbolId, Unit};
use order::{Entrance, Repeat};

/// What code does with one variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Some path reads it before any write.
    pub exposed: bool,
    /// Its address is taken, so that the value may be read elsewhere, too.
    pub escapes: bool,
    /// The ends of paths that do not write it: a bit each.
    through: u8,
}

/// Behind the code.
const NEXT: u8 = 1;
const BREAK: u8 = 1 << 1;
const CONTINUE: u8 = 1 << 2;
const RETURN: u8 = 1 << 3;
/// At a label.
const ANYWHERE: u8 = 1 << 4;

impl Default for Flow {
    fn default() -> Self {
        Self::NONE
    }
}

impl Flow {
    /// Does not touch it.
    const NONE: Self = Self::ending(NEXT);
    const READ: Self = Self {
        exposed: true,
        ..Self::NONE
    };
    const WRITE: Self = Self::ending(0);
    const UNKNOWN: Self = Self {
        exposed: true,
        ..Self::ending(u8::MAX)
    };

    const fn ending(through: u8) -> Self {
        Self {
            exposed: false,
            escapes: false,
            through,
        }
    }

    /// Whether the value from before may be read, in the code or by what it gives
    /// the address to.
    pub fn may_read(self) -> bool {
        self.exposed || self.escapes
    }

    /// Whether it is written on all paths that reach the end.
    pub fn is_assigned(self) -> bool {
        self.through & (NEXT | ANYWHERE) == 0
    }

    /// Whether it is written on all paths, wherever they lead.
    pub fn is_overwritten(self) -> bool {
        self.through == 0
    }

    /// One after the other.
    fn then(self, next: Self) -> Self {
        if self.through & NEXT == 0 {
            return Self {
                escapes: self.escapes || next.escapes,
                ..self
            };
        }
        Self {
            exposed: self.exposed || next.exposed,
            escapes: self.escapes || next.escapes,
            through: self.through & !NEXT | next.through,
        }
    }

    /// One of them.
    fn or(self, other: Self) -> Self {
        Self {
            exposed: self.exposed || other.exposed,
            escapes: self.escapes || other.escapes,
            through: self.through | other.through,
        }
    }

    /// With some of the ends led behind the code.
    fn caught(self, ends: u8) -> Self {
        let next = if self.through & ends == 0 { 0 } else { NEXT };
        Self {
            through: self.through & !ends | next,
            ..self
        }
    }
}

impl Order<'_> {
    /// What code does with a variable.
    pub fn flow(&self, unit: &Unit, variable: SymbolId) -> Flow {
        match self {
            Order::Evaluate(e) => expression::flow(unit, e, variable),
            Order::Write(symbol) if *symbol == variable => Flow::WRITE,
            Order::Read(symbol) if *symbol == variable => Flow::READ,
            Order::Sequence(list) => list.flow(0, Flow::NONE, unit, variable),
            Order::Choice(list) => {
                let flows = list.iter().map(|one| one.flow(unit, variable));
                flows.reduce(Flow::or).unwrap_or(Flow::NONE)
            }
            Order::Repeat(repeat) => repeat.flow(unit, variable),
            Order::Switch(body) => {
                let cases = body.entered(Entrance::Case, unit, variable);
                Flow::NONE.or(cases.unwrap_or(Flow::NONE)).caught(BREAK)
            }
            Order::Own(symbols, inner) if !symbols.contains(&variable) => {
                inner.flow(unit, variable)
            }
            Order::Jump(end) => Flow::ending(*end),
            Order::Opaque => Flow::UNKNOWN,
            Order::Write(_) | Order::Read(_) | Order::Own(..) | Order::Entry(_) => Flow::NONE,
        }
    }

    /// The same of what stands behind the first statements of a list.
    fn flow_behind(&self, statements: usize, unit: &Unit, variable: SymbolId) -> Flow {
        match self {
            Order::Sequence(list) => list.flow(statements, Flow::NONE, unit, variable),
            other => other.flow(unit, variable),
        }
    }

    /// The same for code that begins at entrances of a kind in it; `None` if it has
    /// none.
    fn entered(&self, at: Entrance, unit: &Unit, variable: SymbolId) -> Option<Flow> {
        match self {
            Order::Entry(entrance) => (*entrance == at).then_some(Flow::NONE),
            Order::Sequence(list) => list.entered(at, unit, variable),
            Order::Choice(list) => {
                let flows = list
                    .iter()
                    .filter_map(|one| one.entered(at, unit, variable));
                flows.reduce(Flow::or)
            }
            Order::Repeat(repeat) => {
                let rest = repeat.body.entered(at, unit, variable)?;
                let body = repeat.body.flow(unit, variable);
                Some(repeat.from(rest, body, unit, variable))
            }
            // The cases of a `switch` inside are its own.
            Order::Switch(body) if at != Entrance::Case => {
                let first = body.entered(at, unit, variable)?;
                Some(first.caught(BREAK))
            }
            Order::Own(symbols, inner) => {
                let flow = inner.entered(at, unit, variable)?;
                let ends = symbols.contains(&variable);
                Some(if ends {
                    Flow { through: 0, ..flow }
                } else {
                    flow
                })
            }
            _ => None,
        }
    }
}

impl Repeat<'_> {
    fn flow(&self, unit: &Unit, variable: SymbolId) -> Flow {
        let body = self.body.flow(unit, variable);
        let iterations = self.from(body, body, unit, variable);
        if self.is_tested_first {
            let test = self.condition.flow(unit, variable);
            return test.then(Flow::NONE.or(iterations));
        }
        iterations
    }

    /// From some place in the body, with what the rest of that does.
    fn from(&self, rest: Flow, body: Flow, unit: &Unit, variable: SymbolId) -> Flow {
        let step = self.step.flow(unit, variable);
        let test = self.condition.flow(unit, variable);
        let iteration = |body: Flow| body.caught(CONTINUE).then(step).then(test);
        let again = Flow::NONE.or(iteration(body));
        iteration(rest).then(again).caught(BREAK)
    }
}

/// What a list of statements of a kernel does with a variable.
pub fn of_list(unit: &Unit, list: &[Statement], variable: SymbolId) -> Flow {
    Order::device(list).flow(unit, variable)
}

/// What happens between the end of a loop and that of a list which has it, to the
/// value that a variable has after the loop. `None` if the loop is not there.
pub fn after_loop(
    unit: &Unit,
    list: &[Statement],
    after: &Loop,
    variable: SymbolId,
) -> Option<Flow> {
    Order::device_after(list, after).entered(Entrance::Here, unit, variable)
}
