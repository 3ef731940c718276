//! What the host does to run the launches of a compute construct.
//!
//! ```c
//! for (int t = 0; t < steps; t++) {   // Repeat
//!     line12(n, a, b);                // Launch 0
//!     line15(n, b, a);                // Launch 1
//! }
//! ```

use super::Parallelism;
use crate::source::Span;
use crate::typed::{Expression, SymbolId};

/// One step; each waits for those before.
#[derive(Clone, Debug)]
pub enum Step {
    /// A launch: its index in the construct's list.
    Launch(usize),
    /// A variable that the host declares for the rest of the list.
    Declare {
        /// It.
        symbol: SymbolId,
        /// What it is at first.
        value: Option<Expression>,
        /// And stays.
        is_constant: bool,
    },
    /// An assignment to a variable of the host.
    Evaluate(Expression),
    /// A loop.
    Repeat(Box<HostLoop>),
    /// A branch.
    Choose(Box<HostBranch>),
    /// `break` out of the nearest loop of the host.
    Break,
    /// `continue` of it.
    Continue,
}

/// A loop that the host runs.
#[derive(Clone, Debug)]
pub struct HostLoop {
    /// The variable that it declares, with its first value.
    pub variable: Option<(SymbolId, Expression)>,
    /// Evaluated before the first iteration.
    pub first: Option<Expression>,
    /// Tested before each iteration; none is an endless loop.
    pub condition: Option<Expression>,
    /// What the condition takes from the device before each test.
    pub reads: Vec<HostRead>,
    /// Evaluated after each iteration.
    pub advance: Option<Expression>,
    /// `do … while`: the test comes after the iteration.
    pub tested_last: bool,
    /// What is repeated.
    pub body: Vec<Step>,
    /// Why it is not parallel; none for loops that are not counted.
    pub parallelism: Option<Parallelism>,
    /// `for (…)` up to its closing parenthesis.
    pub header: Span,
}

/// A branch that the host takes.
#[derive(Clone, Debug)]
pub struct HostBranch {
    /// What the condition takes from the device.
    pub reads: Vec<HostRead>,
    /// The condition.
    pub condition: Expression,
    /// Where it holds.
    pub then: Vec<Step>,
    /// Where it does not.
    pub otherwise: Vec<Step>,
    /// The condition's place.
    pub span: Span,
}

/// A scalar's value brought from the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostRead {
    /// The variable in device memory.
    pub variable: SymbolId,
    /// The host's variable that takes the value.
    pub holder: SymbolId,
}

/// Each launch once, in order.
pub fn in_order(launches: usize) -> Vec<Step> {
    (0..launches).map(Step::Launch).collect()
}

/// Calls `visit` on the steps of a list and all inside them, in order.
pub fn walk_steps<'s>(steps: &'s [Step], visit: &mut dyn FnMut(&'s Step)) {
    for step in steps {
        visit(step);
        match step {
            Step::Repeat(repeat) => walk_steps(&repeat.body, visit),
            Step::Choose(branch) => {
                walk_steps(&branch.then, visit);
                walk_steps(&branch.otherwise, visit);
            }
            _ => {}
        }
    }
}

/// As [`walk_steps`], to change them.
pub fn walk_steps_mut(steps: &mut [Step], change: &mut dyn FnMut(&mut Step)) {
    for step in steps {
        change(step);
        match step {
            Step::Repeat(repeat) => walk_steps_mut(&mut repeat.body, change),
            Step::Choose(branch) => {
                walk_steps_mut(&mut branch.then, change);
                walk_steps_mut(&mut branch.otherwise, change);
            }
            _ => {}
        }
    }
}

/// What steps read from the device, each variable once, in order.
pub fn reads(steps: &[Step]) -> Vec<HostRead> {
    let mut found: Vec<HostRead> = Vec::new();
    walk_steps(steps, &mut |step| {
        let list = match step {
            Step::Repeat(repeat) => &repeat.reads,
            Step::Choose(branch) => &branch.reads,
            _ => return,
        };
        for read in list {
            if !found.contains(read) {
                found.push(*read);
            }
        }
    });
    found
}
