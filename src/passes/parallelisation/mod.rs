//! Which loops are parallel, and why.
//!
//! Input: loops with requests. Output: [`Loop::parallelism`] on every loop;
//! reductions that were recognised; [`Kernel::assumed`] and
//! [`Launch::alternative`](crate::ir::Launch::alternative) where an answer
//! holds only if pointers do not overlap, or rows are as long as what they hold.
//!
//! ```c
//! #pragma acc kernels
//! {
//!     for (int i = 1; i < n; i++)   // before: not known to be parallel
//!         a[i] = b[i];              // after: parallel, unless `a` and `b`
//!     for (int i = 1; i < n; i++)   //        overlap
//!         c[i] += c[i - 1];         // after: sequential, the next iteration
//! }                                 //        reads what this one writes
//! ```
//!
//! What the user says of a loop (`independent`, `seq`, a `loop` in `parallel`)
//! holds. The others, those of `kernels` without a directive and `auto` ones,
//! are parallel only if [`proof`] finds no dependence between iterations.

pub mod contradicted;
mod proof;
#[cfg(test)]
mod tests;

use crate::analysis::effects::Oracle;
use crate::analysis::scope::Scope;
use crate::ir::{
    Assumptions, Execution, Kernel, KernelId, Loop, Module, Parallelism, Schedule, Statement,
    StatementKind, visit,
};
use crate::typed::Unit;
use proof::Prover;
pub use proof::{Proof, only_updated_atomically};

/// Says of every loop of every kernel whether it is parallel.
pub fn run(module: &mut Module, unit: &Unit) {
    for function in &mut module.functions {
        visit::loops_mut(&mut function.body, &mut |l| {
            let reason = "it is in a function that one thread runs";
            l.parallelism = Some(Parallelism::sequential(reason));
        });
    }
    let oracle = Oracle::new(unit, &module.functions);
    for index in 0..module.kernels.len() {
        inherit_requests(&mut module.kernels[index].body);
        let original = module.kernels[index].clone();
        // A function has no launch that could look at its arrays.
        let launched = original.collective.is_none();
        let assumed = decide(&mut module.kernels[index], &oracle, launched);
        if !assumed.is_empty() {
            let mut alternative = original;
            decide(&mut alternative, &oracle, false);
            choose_at_launch(module, index, alternative, &assumed);
        }
    }
}

/// A kernel of whose loops it is known whether they are parallel, and nothing else is
/// changed.
pub fn judged(kernel: &Kernel, oracle: &Oracle) -> Kernel {
    let mut judged = kernel.clone();
    inherit_requests(&mut judged.body);
    let mut reductions = Vec::new();
    visit::loops(&judged.body, &mut |l| reductions.push(l.reductions.clone()));
    decide(&mut judged, oracle, true);
    let mut reductions = reductions.into_iter();
    visit::loops_mut(&mut judged.body, &mut |l| {
        l.reductions = reductions.next().unwrap_or_default();
    });
    judged
}

/// Examines one loop of a kernel, whatever was asked for. What the launch will look at
/// may be taken for granted.
pub fn prove(kernel: &Kernel, l: &Loop, oracle: &Oracle, may_assume: bool) -> Proof {
    let scope = Scope::of(kernel, oracle.unit());
    let prover = Prover {
        kernel,
        oracle,
        scope: &scope,
        may_assume,
    };
    prover.examine(l)
}

/// Makes launches of one kernel run another one where something does not hold. Launches
/// that have such a kernel already keep it, and run it for this, too.
pub fn choose_at_launch(
    module: &mut Module,
    kernel: usize,
    mut alternative: Kernel,
    assumed: &Assumptions,
) {
    let added = KernelId::at(module.kernels.len());
    let mut is_used = false;
    let launches = module.launches_mut();
    for launch in launches.filter(|launch| launch.kernel.0 as usize == kernel) {
        is_used |= launch.alternative.is_none();
        launch.alternative.get_or_insert(added);
    }
    module.kernels[kernel].assumed.extend(assumed);
    if is_used {
        let is_of_arrays = assumed.conditions.is_empty();
        let title = if is_of_arrays {
            "arrays overlap"
        } else {
            "in general"
        };
        alternative.title.push_str(&format!(" ({title})"));
        module.kernels.push(alternative);
    }
}

/// Decides all loops of a kernel; returns what launches have to look at.
fn decide(kernel: &mut Kernel, oracle: &Oracle, may_assume: bool) -> Assumptions {
    let scope = Scope::of(kernel, oracle.unit());
    let mut proofs = Vec::new();
    {
        let prover = Prover {
            kernel,
            oracle,
            scope: &scope,
            may_assume,
        };
        visit::loops(&kernel.body, &mut |l| {
            proofs.push(match asserted(kernel, l) {
                Some(parallelism) => proof::Proof {
                    parallelism,
                    reductions: l.reductions.clone(),
                    assumed: Assumptions::default(),
                },
                None => prover.examine(l),
            });
        });
    }
    let mut assumed = Assumptions::default();
    let mut proofs = proofs.into_iter();
    visit::loops_mut(&mut kernel.body, &mut |l| {
        if let Some(proof) = proofs.next() {
            l.parallelism = Some(proof.parallelism);
            l.reductions = proof.reductions;
            assumed.extend(&proof.assumed);
        }
    });
    separate(&mut kernel.body);
    assumed
}

/// Has one directive govern loops together only as far as all of them are parallel, or none: where
/// that is left to analysis, they may differ.
fn separate(body: &mut [Statement]) {
    visit::loops_mut(body, &mut |l| {
        let (mut alike, mut rest) = (0, l.collapsed);
        let mut inner = next(&mut l.body);
        while alike < l.collapsed
            && l.parallelism.as_ref().is_some_and(|known| known.parallel)
            && inner.as_ref().is_some_and(|inner| inner.is_parallel())
        {
            alike += 1;
            rest -= 1;
            inner = inner.and_then(|inner| next(&mut inner.body));
        }
        if let (Some(inner), 1..) = (inner, rest) {
            inner.collapsed = rest - 1;
            l.collapsed = alike;
        }
    });
}

/// The loop that a collapsed one has for its body.
fn next(body: &mut [Statement]) -> Option<&mut Loop> {
    body.iter_mut()
        .find_map(|statement| match &mut statement.kind {
            StatementKind::Loop(l) => Some(&mut **l),
            StatementKind::Block(inner) => next(inner),
            _ => None,
        })
}

/// Gives the inner loops of a collapsed one its request, since one directive
/// governs them all.
fn inherit_requests(body: &mut [Statement]) {
    visit::loops_mut(body, &mut |l| {
        if l.collapsed > 0 {
            let schedule = l.schedule.clone();
            hand_down(&mut l.body, &schedule, l.collapsed);
        }
    });
}

fn hand_down(body: &mut [Statement], schedule: &Schedule, depth: usize) {
    for statement in body {
        match &mut statement.kind {
            StatementKind::Loop(l) => {
                l.schedule = Schedule {
                    tile: l.schedule.tile, // each has its own
                    ..schedule.clone()
                };
                if depth > 1 {
                    hand_down(&mut l.body, schedule, depth - 1);
                }
            }
            StatementKind::Block(inner) => hand_down(inner, schedule, depth),
            _ => {}
        }
    }
}

/// The answer that follows from what the user wrote, if any does.
fn asserted(kernel: &Kernel, l: &Loop) -> Option<Parallelism> {
    let construct = kernel.execution;
    let (parallel, reason) = if kernel.shape.is_some() {
        match l.schedule.shares.is_empty() {
            true => (false, "each thread runs all of its iterations"),
            false => (true, "the program shares it out"),
        }
    } else if construct == Execution::Serial {
        (false, "it is in a `serial` construct")
    } else if l.schedule.sequential && l.schedule.directive {
        (false, "`seq` asks for it")
    } else if l.schedule.directive && l.schedule.independent && construct == Execution::Automatic {
        (true, "the directive says that it is independent")
    } else if l.schedule.directive && construct == Execution::Redundant && !l.schedule.auto {
        match kernel.collective {
            Some(_) => (true, "a `loop` of a routine is independent"),
            None => (true, "a `loop` of a `parallel` construct is independent"),
        }
    } else if !l.schedule.directive && construct == Execution::Redundant {
        (false, "it carries no `loop` directive")
    } else if l.schedule.sequential {
        (
            false,
            "the iterations of the loop around share windows in it",
        )
    } else {
        return None;
    };
    let answer = match parallel {
        true => Parallelism::parallel(reason),
        false => Parallelism::sequential(reason),
    };
    Some(answer.at(l.directive))
}
