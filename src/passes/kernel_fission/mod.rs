//! Which loops and branches of a sequence of launches the host runs.
//!
//! Input: compute constructs whose kernels may be cut into several launches
//! ([`Execution::Automatic`](crate::ir::Execution::Automatic)). Output:
//! [`RegionKind::Compute`] with more launches,
//! and steps that say when they run.
//!
//! ```c
//! #pragma acc kernels copy(a, b)
//! for (int t = 0; t < steps; t++) {       // before: one launch of one block
//!     for (int i = 1; i < n; i++)         // after: the host counts t, and
//!         b[i] = a[i - 1] + a[i];         //        launches this, over blocks,
//!     for (int i = 1; i < n; i++)
//!         a[i] = b[i];                    //        and this for each
//! }
//! ```
//!
//! A loop that is not parallel and has parallel ones inside goes to the host,
//! and so does a branch around parallel loops, where the host can tell what
//! they depend on: values that it has itself, scalars in device memory, which
//! it reads before each test, and else what one thread of the device finds of a
//! condition. Nests that a block holds whole stay where
//! they are, since more launches would not make them faster.
//!
//! Data stays on the device throughout: only launches are repeated. Variables
//! that one launch writes and another reads are in device memory while the
//! construct runs ([`placement`]).

mod kernels;
mod mentions;
mod placement;
mod plan;
mod region;
#[cfg(test)]
mod tests;
mod values;

use std::collections::{BTreeMap, HashMap};

use indexmap::IndexSet;

use crate::analysis::effects::Oracle;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    DataAction, DataItem, DataModifiers, Extent, HostRead, HostRole, Kernel, KernelId, Launch,
    Module, Region, RegionKind, RegionLocal, Step, walk_steps_mut,
};
use crate::passes::Options;
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{Expression, ExpressionKind, SymbolId, Unit, visit as typed_visit};
use region::Cut;

/// What becomes of one launch.
struct Sequence {
    /// What the host does; launches are indices of `kernels`.
    steps: Vec<Step>,
    kernels: Vec<Kernel>,
    /// Variables that come to device memory.
    placed: Vec<SymbolId>,
}

/// Why a loop or branch stays on the device.
#[derive(Clone, Debug)]
struct Refusal {
    reason: String,
    /// What stays.
    place: Span,
}

/// Cuts kernels into launches.
pub fn run(module: &mut Module, unit: &mut Unit, options: &Options, diagnostics: &mut Diagnostics) {
    let mut refusals = Vec::new();
    let mut all = Vec::new();
    let tests = plan::host_conditions::variables(module, unit);
    {
        let oracle = Oracle::new(unit, &module.functions);
        for (region, test) in module.regions.iter().zip(tests) {
            all.push(region::cut(module, region, &oracle, test, &mut refusals));
        }
    }
    let mut kernels = Vec::new();
    let mut old = Old::new(std::mem::take(&mut module.kernels));
    for (region, cut) in module.regions.iter_mut().zip(all) {
        match cut {
            Some(cut) => replace(region, cut, &mut kernels, unit),
            None => keep(region, &mut old, &mut kernels),
        }
    }
    // Bodies of routines that threads enter together are not launched.
    let rest = old.kernels.into_iter().flatten();
    kernels.extend(rest.filter(|kernel| kernel.collective.is_some()));
    module.kernels = kernels;
    if options.feedback {
        refusals
            .iter()
            .for_each(|refusal| diagnostics.push(note(refusal)));
    }
}

/// What stays on the device, and why.
fn note(refusal: &Refusal) -> Diagnostic {
    let message = "this stays on the device, in one block";
    Diagnostic::remark(codes::LOOP_MAPPING, message, refusal.place)
        .data("decided", "device")
        .data("why", refusal.reason.as_str())
        .note(format!("the host cannot run it: {}", refusal.reason))
}

fn add(kernel: Kernel, kernels: &mut Vec<Kernel>) -> Launch {
    let id = KernelId::at(kernels.len());
    kernels.push(kernel);
    Launch::of(id)
}

/// The kernels as they were numbered before.
struct Old {
    /// Those that have no new number yet.
    kernels: Vec<Option<Kernel>>,
    /// The new numbers of the others.
    moved: HashMap<KernelId, KernelId>,
}

impl Old {
    fn new(kernels: Vec<Kernel>) -> Self {
        Self {
            kernels: kernels.into_iter().map(Some).collect(),
            moved: HashMap::new(),
        }
    }

    /// The kernel of a number, given those with new ones.
    fn take(&mut self, id: KernelId, kernels: &[Kernel]) -> Option<Kernel> {
        let known = self.kernels.get_mut(id.0 as usize).and_then(Option::take);
        known.or_else(|| kernels.get(self.moved.get(&id)?.0 as usize).cloned())
    }
}

/// Numbers the kernels of a construct anew.
fn keep(region: &mut Region, old: &mut Old, kernels: &mut Vec<Kernel>) {
    if let RegionKind::Compute { launches, .. } = &mut region.kind {
        for launch in launches {
            let number = launch.kernel;
            if let Some(kernel) = old.take(number, kernels) {
                *launch = add(kernel, kernels);
                old.moved.insert(number, launch.kernel);
            }
        }
    }
}

/// Gives a construct its new launches.
fn replace(region: &mut Region, cut: Cut, kernels: &mut Vec<Kernel>, unit: &mut Unit) {
    let mut launches = Vec::new();
    let mut steps = Vec::new();
    region.data.retain(|item| {
        !item
            .symbol
            .is_some_and(|symbol| cut.moved.contains(&symbol))
    });
    region.locals.retain(|local| {
        let is_moved = cut.moved.contains(&local.symbol);
        if is_moved {
            steps.push(Step::Declare {
                symbol: local.symbol,
                value: None,
                is_constant: false,
            });
        }
        !is_moved
    });
    let mut placed: IndexSet<SymbolId> = IndexSet::new();
    for mut sequence in cut.sequences {
        let first = launches.len();
        walk_steps_mut(&mut sequence.steps, &mut |step| {
            if let Step::Launch(number) = step {
                *number += first;
            }
        });
        steps.append(&mut sequence.steps);
        launches.extend(sequence.kernels.into_iter().map(|k| add(k, kernels)));
        placed.extend(sequence.placed);
    }
    for symbol in placed {
        place(region, symbol, unit);
    }
    hold_reads(&mut steps, unit);
    region.kind = RegionKind::Compute {
        launches,
        steps,
        host: HostRole::MayRun,
    };
}

/// Brings a variable to device memory as long as the construct runs.
fn place(region: &mut Region, symbol: SymbolId, unit: &mut Unit) {
    let variable = unit.symbol_mut(symbol);
    // Launches write it, be it `const` or not.
    variable.ty.qualifiers.is_const = false;
    let (span, ty, text) = (variable.span, variable.ty, variable.name.clone());
    let is_inside = region
        .body
        .is_some_and(|body| body.start <= span.start && span.end <= body.end);
    if is_inside {
        region.locals.push(RegionLocal {
            symbol,
            value: None,
        });
    }
    region.data.push(DataItem {
        action: DataAction::Create,
        object: ExpressionKind::Symbol(symbol).at(ty, span),
        symbol: Some(symbol),
        extent: Extent::Whole,
        modifiers: DataModifiers::default(),
        text,
        implicit: true,
        span,
    });
}

/// Gives what the host reads variables of its own, and conditions those.
fn hold_reads(steps: &mut [Step], unit: &mut Unit) {
    let mut holders: BTreeMap<SymbolId, SymbolId> = BTreeMap::new();
    walk_steps_mut(steps, &mut |step| {
        let (reads, condition) = match step {
            Step::Repeat(repeat) => (&mut repeat.reads, repeat.condition.as_mut()),
            Step::Choose(branch) => (&mut branch.reads, Some(&mut branch.condition)),
            _ => return,
        };
        for read in reads.iter_mut() {
            read.holder = *holders.entry(read.variable).or_insert_with(|| {
                let variable = unit.symbol(read.variable).clone();
                let wanted = format!("{}_now", variable.name);
                synthesis::variable(unit, &wanted, variable.ty.ty, variable.span)
            });
        }
        if let Some(condition) = condition {
            use_holders(condition, reads);
        }
    });
}

fn use_holders(condition: &mut Expression, reads: &[HostRead]) {
    typed_visit::walk_mut(condition, &mut |e: &mut Expression| {
        if let ExpressionKind::Symbol(symbol) = &mut e.kind
            && let Some(read) = reads.iter().find(|read| read.variable == *symbol)
        {
            *symbol = read.holder;
        }
    });
}
