//! What is counted of kernels, forms and programs.
//!
//! Input: machine code with what ptxas reports. Output: [`KernelCode`]s with their loops, and what
//! they are against those of the forms in CUDA.

use std::collections::BTreeMap;

use serde::Serialize;

use super::class::Classes;
use super::disassembly::{self, Section};
use super::flow::{Flow, Loop};
use super::unrolling;
use crate::analysis::occupancy::{Multiprocessor, Resources};
use crate::driver::bench::plan::Benchmark;
use crate::driver::pipeline::OwnKernel;
use crate::driver::program::short_name;
use crate::driver::resources::MachineCode;

/// The forms that others are measured against.
pub(super) const BY_HAND: [&str; 2] = ["textbook", "tuned"];

/// A program in all forms that were compiled.
#[derive(Debug, Serialize)]
pub(super) struct ProgramCode {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) forms: Vec<FormCode>,
}

/// A form.
#[derive(Debug, Default, Serialize)]
pub(super) struct FormCode {
    pub(super) form: String,
    /// Why it was not compiled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// By name.
    pub(super) kernels: Vec<KernelCode>,
}

/// A kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct KernelCode {
    pub(super) kernel: String,
    /// Its own, without functions that it calls and padding.
    pub(super) instructions: usize,
    /// Of functions that it calls.
    pub(super) called: usize,
    /// `BAR` instructions.
    pub(super) barriers: usize,
    /// Instructions at lower addresses than all barriers, where there are some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before_first: Option<usize>,
    /// Instructions behind all barriers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) after_last: Option<usize>,
    pub(super) classes: Classes,
    /// Of a thread.
    pub(super) registers: u32,
    pub(super) spill_bytes: u64,
    pub(super) static_shared_bytes: u64,
    /// Of a block at most, where the kernel has bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) threads: Option<u32>,
    /// Of a multiprocessor with such blocks, in percent, without dynamic shared memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) occupancy: Option<u32>,
    /// Its instructions against those of the same kernel by hand, where there is one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) against: BTreeMap<String, f64>,
    pub(super) loops: Vec<LoopCode>,
}

/// A loop of machine code.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct LoopCode {
    /// The address of its header.
    pub(super) address: String,
    /// How many loops it is in, itself included.
    pub(super) depth: usize,
    /// Whether no other loop is in it.
    pub(super) is_innermost: bool,
    /// Without those of loops in it.
    pub(super) instructions: usize,
    pub(super) classes: Classes,
    /// What its counter grows by, where it can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) step: Option<i64>,
    /// Iterations of the source in one of the machine's, where they can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) unrolled: Option<u64>,
}

impl LoopCode {
    /// Instructions of an iteration of the source.
    pub(super) fn each(&self) -> Option<f64> {
        Some(float(self.instructions) / float(usize::try_from(self.unrolled?).ok()?))
    }
}

/// The kernels of a file, by name; `generated` are those that a translation has.
pub(super) fn kernels(code: &MachineCode, generated: &[OwnKernel]) -> Vec<KernelCode> {
    let found = disassembly::read(&code.disassembly);
    let of = |(symbol, resources): &(String, Resources)| {
        let section = found.sections.iter().find(|one| one.symbol == *symbol)?;
        let name = short_name(&resources.kernel);
        let launched = generated.iter().find(|own| own.name == name);
        let launched = launched.and_then(|own| own.threads);
        let threads = found.bounds.get(symbol).copied().or(launched);
        Some(kernel(section, resources, threads))
    };
    let mut all: Vec<KernelCode> = code.resources.iter().filter_map(of).collect();
    keep_usual(&mut all);
    all.sort_by(|one, other| one.kernel.cmp(&other.kernel));
    all
}

/// Of a kernel whose launch chooses `int` or `long` indices, keeps the first, which all but the
/// largest arrays have and which has the kernel's own name.
fn keep_usual(all: &mut Vec<KernelCode>) {
    let names: Vec<String> = all.iter().map(|one| one.kernel.clone()).collect();
    all.retain(|one| match one.kernel.strip_suffix("<long>") {
        Some(own) => !names.iter().any(|name| name == own),
        None => true,
    });
}

fn kernel(section: &Section, resources: &Resources, threads: Option<u32>) -> KernelCode {
    let flow = Flow::of(section);
    let own = flow.own();
    let at = |number: &usize| &section.instructions[*number];
    let barriers: Vec<usize> = (own.iter().copied())
        .filter(|number| at(number).is_barrier())
        .collect();
    let occupancy = threads.zip(Multiprocessor::of(resources.arch));
    let occupancy = occupancy.map(|(threads, all)| all.occupancy(resources.needs(0), threads));
    KernelCode {
        kernel: resources.kernel.clone(),
        instructions: own.len(),
        called: flow.called.difference(&own).count(),
        barriers: barriers.len(),
        before_first: barriers.first().map(|first| own.range(..first).count()),
        after_last: barriers.last().map(|last| own.range(last + 1..).count()),
        classes: Classes::of(own.iter().map(at)),
        registers: resources.registers,
        spill_bytes: resources.spills,
        static_shared_bytes: resources.shared,
        threads,
        occupancy: occupancy.map(|one| 100 * one.warps / one.of_warps),
        against: BTreeMap::new(),
        loops: (flow.loops().iter())
            .map(|own| of_loop(section, &flow, own))
            .collect(),
    }
}

fn of_loop(section: &Section, flow: &Flow, own: &Loop) -> LoopCode {
    let at = |number: &usize| &section.instructions[*number];
    let advance = unrolling::of(section, flow, own);
    LoopCode {
        address: format!("{:#x}", at(&own.header).address),
        depth: own.depth,
        is_innermost: own.is_innermost(),
        instructions: own.own.len(),
        classes: Classes::of(own.own.iter().map(at)),
        step: advance.map(|advance| advance.step),
        unrolled: advance.and_then(|advance| advance.factor),
    }
}

impl ProgramCode {
    /// Without any form yet.
    pub(super) fn new(benchmark: &Benchmark) -> Self {
        Self {
            name: benchmark.name.clone(),
            title: benchmark.title.clone(),
            forms: Vec::new(),
        }
    }

    /// Compares the kernels of all forms with those by hand: of the same name, which is
    /// `relax` for `relax_kernel2`, or the only ones of their forms.
    pub(super) fn compare(&mut self) {
        for base in BY_HAND {
            let by_hand = self.forms.iter().find(|form| form.form == base);
            let Some(by_hand) = by_hand.map(|form| form.kernels.clone()) else {
                continue;
            };
            for form in self.forms.iter_mut().filter(|form| form.form != base) {
                let is_only = form.kernels.len() == 1 && by_hand.len() == 1;
                for kernel in &mut form.kernels {
                    let is_same = |other: &&KernelCode| {
                        is_only || plain_name(&other.kernel) == plain_name(&kernel.kernel)
                    };
                    if let Some(other) = by_hand.iter().find(is_same) {
                        let ratio = ratio(kernel.instructions, other.instructions);
                        kernel
                            .against
                            .extend(ratio.map(|ratio| (base.to_owned(), ratio)));
                    }
                }
            }
        }
    }
}

/// `relax` of `relax_kernel2`, which accrs calls a function's second kernel.
fn plain_name(kernel: &str) -> &str {
    let number = kernel.trim_end_matches(|c: char| c.is_ascii_digit());
    number.strip_suffix("_kernel").unwrap_or(kernel)
}

/// With two digits, so that figures are the same wherever they are read.
pub(super) fn ratio(own: usize, other: usize) -> Option<f64> {
    (other > 0).then(|| (100.0 * float(own) / float(other)).round() / 100.0)
}

#[allow(
    clippy::cast_precision_loss,
    reason = "numbers of instructions, for ratios with two digits"
)]
pub(super) const fn float(number: usize) -> f64 {
    number as f64
}
