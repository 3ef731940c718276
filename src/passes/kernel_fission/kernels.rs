//! The kernels of a kernel that was taken apart.
//!
//! Each gets the statements of its launch, and of the captures what these
//! need. The host's variables come by value, those in device memory by
//! reference.

use std::collections::BTreeSet;

use super::placement::{self, Placement, Surroundings};
use super::plan::Plan;
use super::{Refusal, Sequence, mentions};
use crate::analysis::effects::{Oracle, Place};
use crate::ir::{Capture, Kernel, Passing, Statement, Step, visit, walk_steps_mut};
use crate::typed::SymbolId;

/// Makes the launches of a plan.
///
/// # Errors
/// What keeps a variable from living across launches.
pub fn of(
    kernel: &Kernel,
    plan: Plan,
    surroundings: &Surroundings<'_>,
    oracle: &Oracle,
) -> Result<Sequence, Refusal> {
    let unit = oracle.unit();
    let placement = placement::of(kernel, &plan, surroundings, unit)?;
    let mut of_host: BTreeSet<SymbolId> = plan.of_host.iter().copied().collect();
    of_host.extend(&plan.counters);
    let mut steps = plan.steps;
    let mut kernels = Vec::new();
    let mut numbers = Vec::new();
    for (number, piece) in plan.pieces.into_iter().enumerate() {
        let body = placement.declare(piece, unit);
        numbers.push((!body.is_empty()).then_some(kernels.len()));
        if !body.is_empty() {
            let parts = Parts {
                kernel,
                placement: &placement,
                of_host: &of_host,
                oracle,
            };
            kernels.push(parts.kernel(number, body));
        }
    }
    renumber(&mut steps, &numbers);
    Ok(Sequence {
        steps,
        kernels,
        placed: placement.in_memory.into_iter().collect(),
    })
}

/// Takes launches of nothing out, and numbers the others.
fn renumber(steps: &mut Vec<Step>, numbers: &[Option<usize>]) {
    let is_kept = |step: &Step| match step {
        Step::Launch(number) => numbers[*number].is_some(),
        _ => true,
    };
    steps.retain(is_kept);
    walk_steps_mut(steps, &mut |step| match step {
        Step::Repeat(repeat) => repeat.body.retain(is_kept),
        Step::Choose(branch) => {
            branch.then.retain(is_kept);
            branch.otherwise.retain(is_kept);
        }
        Step::Launch(number) => *number = numbers[*number].unwrap_or_default(),
        _ => {}
    });
}

/// What all launches of a kernel come from.
struct Parts<'p, 'u> {
    kernel: &'p Kernel,
    placement: &'p Placement,
    of_host: &'p BTreeSet<SymbolId>,
    oracle: &'p Oracle<'u>,
}

impl Parts<'_, '_> {
    fn kernel(&self, number: usize, mut body: Vec<Statement>) -> Kernel {
        let whole = self.kernel;
        visit::loops_mut(&mut body, &mut |l| l.parallelism = None);
        let privates = self.placement.of_launch[number].clone();
        let mut private_arrays = whole.private_arrays.clone();
        private_arrays.retain(|array| {
            privates.contains(&array.symbol)
                || visit::any_loop(&body, &mut |l| l.privates.contains(&array.symbol))
        });
        let first = body.first().map_or(whole.span, |s| s.span);
        Kernel {
            words: whole.words,
            title: whole.title.clone(),
            directive: whole.directive,
            span: body.iter().fold(first, |all, next| all.to(next.span)),
            sizes: whole.sizes.clone(),
            captures: self.captures(&body),
            privates,
            private_arrays,
            reductions: whole.reductions.clone(),
            body,
            fresh: whole.fresh.clone(),
            ..Kernel::empty(whole.execution, whole.function)
        }
    }

    fn captures(&self, body: &[Statement]) -> Vec<Capture> {
        let needed = mentions::needed(body, self.oracle.unit());
        let mut captures: Vec<Capture> = Vec::new();
        for capture in &self.kernel.captures {
            let symbol = capture.symbol;
            if needed.contains(&symbol) && !self.of_host.contains(&symbol) {
                captures.push(Capture {
                    written: capture.written && self.is_written(body, capture),
                    ..capture.clone()
                });
            }
        }
        let of_host = self.of_host.iter().map(|s| (*s, Passing::Value));
        let in_memory = self.placement.in_memory.iter();
        let in_memory = in_memory.map(|s| match self.oracle.unit().is_array(*s) {
            true => (*s, Passing::Array),
            false => (*s, Passing::Reference),
        });
        for (symbol, passing) in of_host.chain(in_memory) {
            if needed.contains(&symbol) {
                let is_known = passing == Passing::Value;
                let mut capture = Capture {
                    symbol,
                    passing,
                    written: !is_known,
                    known: is_known,
                    section_of: None,
                };
                capture.written &= self.is_written(body, &capture);
                captures.push(capture);
            }
        }
        captures
    }

    /// Whether a launch may write what it captures.
    fn is_written(&self, body: &[Statement], capture: &Capture) -> bool {
        let place = match capture.passing {
            Passing::Value | Passing::Reference | Passing::Array => Place::Variable(capture.symbol),
            Passing::Pointer | Passing::DevicePointer => Place::Target(capture.symbol),
        };
        let effects = self.oracle.list(body);
        let is_followed = |place: &Place| match place {
            Place::Variable(_) => true,
            Place::Target(symbol) => self.kernel.capture(*symbol).is_some(),
            Place::Unknown => false,
        };
        effects.writes.contains(&place)
            || !effects.writes.iter().all(is_followed)
            || effects.escapes.contains(&capture.symbol)
            || matches!(place, Place::Target(_)) && mentions::goes_elsewhere(body, capture.symbol)
            || self.oracle.unit().is_array(capture.symbol)
                && mentions::goes_elsewhere(body, capture.symbol)
    }
}
