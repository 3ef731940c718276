//! What the host does to run the launches of a construct.
//!
//! ```text
//! for (int t = 0; t < steps; t++) {
//!     heat_launch(n, a, b);
//!     heat_launch2(n, b, a);
//! }
//! ```

use serde::Serialize;

use super::Host;
use crate::back::cuda::Call;
use crate::ir::{HostBranch, HostLoop, HostRead, Region, RegionKind, Step, reads};
use crate::typed::print::precedence;
use crate::typed::{QualType, SymbolId};

/// One step; what it is not is empty.
#[derive(Default, Serialize)]
pub(super) struct StepText {
    call: String,
    /// A variable of the host.
    declaration: String,
    is_constant: bool,
    value: String,
    /// An assignment to one.
    assignment: String,
    jump: &'static str,
    branch: Option<BranchText>,
    repeat: Option<LoopText>,
}

#[derive(Serialize)]
struct BranchText {
    reads: Vec<ReadText>,
    condition: String,
    steps: Vec<StepText>,
    otherwise: Option<Otherwise>,
}

#[derive(Serialize)]
struct Otherwise {
    steps: Vec<StepText>,
}

#[derive(Serialize)]
struct LoopText {
    reads: Vec<ReadText>,
    /// What a `for` declares or assigns first.
    first: String,
    condition: String,
    advance: String,
    /// Is a `for`.
    is_counted: bool,
    tested_last: bool,
    steps: Vec<StepText>,
}

#[derive(Serialize)]
struct ReadText {
    name: String,
    holder: String,
}

impl Host<'_> {
    /// The steps of a compute construct; of others there are none.
    pub(super) fn steps_of(&self, region: &Region, calls: &[Call]) -> Vec<StepText> {
        match &region.kind {
            RegionKind::Compute { steps, .. } => self.steps(steps, calls),
            _ => Vec::new(),
        }
    }

    /// Declarations of what the host reads from the device.
    pub(super) fn holders(&self, region: &Region) -> Vec<String> {
        let RegionKind::Compute { steps, .. } = &region.kind else {
            return Vec::new();
        };
        let holders = reads(steps).into_iter().map(|read| read.holder);
        holders.map(|holder| self.declared(holder)).collect()
    }

    fn declared(&self, symbol: SymbolId) -> String {
        let variable = self.unit.symbol(symbol);
        self.basic(QualType::plain(variable.ty.ty), &variable.name)
    }

    fn steps(&self, steps: &[Step], calls: &[Call]) -> Vec<StepText> {
        let text = |step: &Step| {
            let none = StepText::default();
            match step {
                Step::Launch(number) => StepText {
                    call: calls
                        .get(*number)
                        .map(|call| self.call(call))
                        .unwrap_or_default(),
                    ..none
                },
                Step::Declare {
                    symbol,
                    value,
                    is_constant,
                } => StepText {
                    declaration: self.declared(*symbol),
                    is_constant: *is_constant,
                    value: value
                        .as_ref()
                        .map(|value| self.text(value, precedence::ASSIGNMENT))
                        .unwrap_or_default(),
                    ..none
                },
                Step::Evaluate(e) => StepText {
                    assignment: self.text(e, precedence::COMMA),
                    ..none
                },
                Step::Repeat(repeat) => StepText {
                    repeat: Some(self.repeat(repeat, calls)),
                    ..none
                },
                Step::Choose(branch) => StepText {
                    branch: Some(self.branch(branch, calls)),
                    ..none
                },
                Step::Break => StepText {
                    jump: "break",
                    ..none
                },
                Step::Continue => StepText {
                    jump: "continue",
                    ..none
                },
            }
        };
        steps.iter().map(text).collect()
    }

    fn repeat(&self, repeat: &HostLoop, calls: &[Call]) -> LoopText {
        let text = |e| self.text(e, precedence::COMMA);
        let condition = repeat.condition.as_ref().map(text);
        let first = repeat.first.as_ref().map(text).unwrap_or_default();
        let variable = repeat.variable.as_ref();
        LoopText {
            reads: self.reads(&repeat.reads),
            first: variable.map_or(first, |(symbol, first)| {
                let value = self.text(first, precedence::ASSIGNMENT);
                format!("{} = {value}", self.declared(*symbol))
            }),
            is_counted: variable.is_some() || repeat.advance.is_some() || condition.is_none(),
            condition: condition.unwrap_or_default(),
            advance: repeat.advance.as_ref().map(text).unwrap_or_default(),
            tested_last: repeat.tested_last,
            steps: self.steps(&repeat.body, calls),
        }
    }

    fn branch(&self, branch: &HostBranch, calls: &[Call]) -> BranchText {
        let otherwise = self.steps(&branch.otherwise, calls);
        BranchText {
            reads: self.reads(&branch.reads),
            condition: self.text(&branch.condition, precedence::COMMA),
            steps: self.steps(&branch.then, calls),
            otherwise: (!otherwise.is_empty()).then_some(Otherwise { steps: otherwise }),
        }
    }

    fn reads(&self, list: &[HostRead]) -> Vec<ReadText> {
        let text = |read: &HostRead| ReadText {
            name: self.symbol(read.variable),
            holder: self.symbol(read.holder),
        };
        list.iter().map(text).collect()
    }
}
