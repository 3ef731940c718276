//! The launches of one construct together.
//!
//! What the host counts must be the host's in all launches of the construct:
//! they are planned together until they agree.
//!
//! ```c
//! #pragma acc kernels copy(a)
//! {
//!     int round = 0;                  // before: in device memory, a launch
//!     while (round < most) {          //         sets it
//!         for (int i = 0; i < n; i++)
//!             a[i] += round;          // after: the host's, given by value
//!         round++;
//!     }
//! }
//! ```

use std::collections::BTreeSet;

use super::plan::{self, Plan};
use super::{Refusal, Sequence, kernels, placement};
use crate::analysis::effects::Oracle;
use crate::analysis::flow;
use crate::ir::{
    DataAction, Execution, Kernel, Module, Passing, Region, RegionKind, Statement, StatementKind,
    Step, visit,
};
use crate::passes::parallelisation;
use crate::typed::{SymbolId, Unit};

/// What becomes of a construct.
pub struct Cut {
    /// Of each of its launches.
    pub sequences: Vec<Sequence>,
    /// Variables that were in device memory, and are the host's.
    pub moved: BTreeSet<SymbolId>,
}

/// The launches of a construct, if any of them is cut.
pub fn cut(
    module: &Module,
    region: &Region,
    oracle: &Oracle,
    test: Option<SymbolId>,
    refusals: &mut Vec<Refusal>,
) -> Option<Cut> {
    let RegionKind::Compute { launches, .. } = &region.kind else {
        return None;
    };
    let kernels: Vec<&Kernel> = launches.iter().map(|l| module.kernel(l.kernel)).collect();
    let may_be_cut = |kernel: &&Kernel| kernel.execution == Execution::Automatic && is_free(kernel);
    if !kernels.iter().all(may_be_cut) {
        return None;
    }
    let judged = kernels
        .iter()
        .map(|kernel| parallelisation::judged(kernel, oracle));
    let mut together = Together {
        region,
        oracle,
        judged: judged.collect(),
        test,
        moved: movable(module, region, &kernels, oracle.unit()),
        whole: BTreeSet::new(),
    };
    let mut late = Vec::new();
    loop {
        let mut found = Vec::new();
        let kernels = together.kernels();
        let plans = together.plans(&kernels, &mut found);
        let agreed = together.agreed(&kernels, &plans);
        if agreed != together.moved {
            together.moved = agreed;
            continue;
        }
        if !plans.iter().flatten().any(Plan::has_control) {
            refusals.extend(found);
            refusals.append(&mut late);
            return None;
        }
        match together.sequences(&kernels, plans) {
            Ok(sequences) => {
                refusals.extend(found);
                refusals.append(&mut late);
                let moved = together.moved;
                return Some(Cut { sequences, moved });
            }
            Err((kernel, refusal)) => {
                late.push(refusal);
                together.whole.insert(kernel);
            }
        }
    }
}

/// No windows, which may be what the program means by its block.
fn is_free(kernel: &Kernel) -> bool {
    let is_region = &mut |s: &Statement| matches!(s.kind, StatementKind::Windows(_));
    !visit::any(&kernel.body, is_region) && kernel.reductions.is_empty()
}

/// The launches of a construct while they are planned.
struct Together<'t, 'u> {
    region: &'t Region,
    oracle: &'t Oracle<'u>,
    /// The kernels, with what is known of their loops.
    judged: Vec<Kernel>,
    /// The variable for what the device finds of conditions.
    test: Option<SymbolId>,
    /// Variables that may be the host's as far as is known.
    moved: BTreeSet<SymbolId>,
    /// Kernels that stay as they are.
    whole: BTreeSet<usize>,
}

impl Together<'_, '_> {
    /// The kernels as they are where the host has its variables: those that
    /// only read one get its value.
    fn kernels(&self) -> Vec<Kernel> {
        let mut kernels = self.judged.clone();
        for capture in kernels.iter_mut().flat_map(|kernel| &mut kernel.captures) {
            if !capture.written && self.moved.contains(&capture.symbol) {
                capture.passing = Passing::Value;
                capture.known = true;
            }
        }
        kernels
    }

    fn plans(&self, kernels: &[Kernel], refusals: &mut Vec<Refusal>) -> Vec<Option<Plan>> {
        let mut plans = Vec::new();
        for (number, kernel) in kernels.iter().enumerate() {
            plans.push(match self.whole.contains(&number) {
                true => None,
                false => plan::of(kernel, &self.moved, self.test, self.oracle, refusals),
            });
        }
        plans
    }

    /// Variables that the host needs for a loop or branch, and that only the
    /// host changes.
    fn agreed(&self, kernels: &[Kernel], plans: &[Option<Plan>]) -> BTreeSet<SymbolId> {
        let with_control = plans.iter().flatten().filter(|plan| plan.has_control());
        let mut agreed: BTreeSet<SymbolId> = with_control
            .flat_map(|plan| plan.counters.intersection(&self.moved))
            .copied()
            .collect();
        for (kernel, plan) in kernels.iter().zip(plans) {
            let written = kernel.captures.iter().filter(|c| c.written);
            for capture in written {
                let counts = |plan: &Plan| plan.counters.contains(&capture.symbol);
                if !plan.as_ref().is_some_and(counts) {
                    agreed.remove(&capture.symbol);
                }
            }
        }
        agreed
    }

    /// # Errors
    /// A kernel that has to stay as it is, and why.
    fn sequences(
        &self,
        kernels: &[Kernel],
        plans: Vec<Option<Plan>>,
    ) -> Result<Vec<Sequence>, (usize, Refusal)> {
        let surroundings = placement::Surroundings {
            region: self.region,
            kernels,
        };
        let mut sequences = Vec::new();
        for (number, (kernel, plan)) in kernels.iter().zip(plans).enumerate() {
            let serves =
                |plan: &Plan| plan.has_control() || !plan.counters.is_disjoint(&self.moved);
            sequences.push(match plan.filter(serves) {
                Some(plan) => kernels::of(kernel, plan, &surroundings, self.oracle)
                    .map_err(|refusal| (number, refusal))?,
                None => Sequence {
                    steps: vec![Step::Launch(0)],
                    kernels: vec![kernel.clone()],
                    placed: Vec::new(),
                },
            });
        }
        Ok(sequences)
    }
}

/// Captured variables in device memory that may as well be the host's own:
/// numbers that are there for this construct alone.
fn movable(
    module: &Module,
    region: &Region,
    kernels: &[&Kernel],
    unit: &Unit,
) -> BTreeSet<SymbolId> {
    let is_implied = |symbol| {
        let mut items = region
            .data
            .iter()
            .filter(|item| item.symbol == Some(symbol));
        let is_own = |symbol| region.locals.iter().any(|local| local.symbol == symbol);
        items.any(|item| {
            item.implicit
                && match item.action {
                    DataAction::Copy => true,
                    DataAction::Create => is_own(symbol),
                    _ => false,
                }
        })
    };
    // Elsewhere it may have been brought to the device for longer.
    let elsewhere = |symbol| {
        let is_data = |other: &&Region| !matches!(other.kind, RegionKind::Compute { .. });
        let items = module
            .regions
            .iter()
            .filter(is_data)
            .flat_map(|other| &other.data);
        let mut items = items.chain(&module.program_data);
        items.any(|item| item.symbol == Some(symbol))
    };
    let captures = kernels.iter().flat_map(|kernel| &kernel.captures);
    let references = captures.filter(|c| c.passing == Passing::Reference);
    let mut found: BTreeSet<SymbolId> = references.map(|c| c.symbol).collect();
    found.retain(|&symbol| {
        is_implied(symbol)
            && !elsewhere(symbol)
            && !flow::is_address_taken(unit, region.function, symbol)
    });
    found
}
