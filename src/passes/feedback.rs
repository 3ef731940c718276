//! What `--feedback` says of each loop.
//!
//! Input: decided kernels. Output: a note per loop, such as `parallel: blocks
//! and threads along x, blocks of 256`, with the reason why it is parallel or not. What
//! it says of accesses ([`requests`]) is told before windows replace them.

mod calls;
mod consecutive;
pub mod contention;
mod hoisting;
mod host_loops;
pub mod launch;
pub mod movement;
pub mod partitions;
mod permuted;
mod placements;
mod presence;
pub mod requests;
mod rows;
mod sections;
#[cfg(test)]
mod tests;
pub mod transfers;
pub mod windows;

use serde_json::Value;

use crate::analysis::exits::Exits;
use crate::diagnostic::{Diagnostic, Diagnostics, MINOR, RANK, Severity, codes};
use crate::ir::{
    BlockExtent, Distribution, Kernel, Loop, Module, Parallelism, PerLevel, RegionKind,
    RegionLocal, Scheme, StatementKind, Step, visit, walk_steps,
};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::{SymbolId, Unit};

/// Marks what is said of kernels that run where arrays overlap, or windows have no room.
pub fn mark_alternatives(module: &Module, diagnostics: &mut Diagnostics) {
    let alternatives = module.alternatives();
    for diagnostic in diagnostics.iter_mut() {
        let kernel = diagnostic.data.get("kernel").and_then(Value::as_u64);
        let kernel = kernel.and_then(|number| usize::try_from(number).ok());
        if kernel.is_some_and(|number| alternatives.contains(&number)) {
            diagnostic.data.insert(MINOR.to_owned(), true.into());
            diagnostic.data.remove(RANK);
        }
    }
}

/// Marks what is said of sections without a clause where the note of the copy says it.
pub fn mark_implied(diagnostics: &mut Diagnostics) {
    let place = |diagnostic: &Diagnostic| diagnostic.labels.first().map(|l| l.place.clone());
    let copies = diagnostics
        .iter()
        .filter(|d| d.code == codes::DATA_MOVEMENT);
    let copied: Vec<_> = copies.filter_map(place).collect();
    for diagnostic in diagnostics.iter_mut() {
        let is_implied = diagnostic.code == codes::IMPLIED_SECTION
            && diagnostic.severity == Severity::Note
            && diagnostic.data.contains_key("section");
        if is_implied && place(diagnostic).is_some_and(|place| copied.contains(&place)) {
            diagnostic.data.insert(MINOR.to_owned(), true.into());
        }
    }
}

/// Adds the notes of every loop of every kernel; `uncounted` are found before.
pub fn run(module: &Module, unit: &Unit, uncounted: &[Uncounted], diagnostics: &mut Diagnostics) {
    for region in &module.regions {
        for local in &region.locals {
            diagnostics.push(handed_on(local, unit));
        }
        if let RegionKind::Compute { steps, .. } = &region.kind {
            walk_steps(steps, &mut |step| {
                if let Some(note) = of_host(step, unit) {
                    diagnostics.push(note);
                }
            });
        }
    }
    for (number, kernel) in module.kernels.iter().enumerate() {
        let mut together = Vec::new();
        let mut is_first = kernel.scheme == Some(Scheme::Single);
        for l in uncounted.iter().filter(|l| l.kernel == number) {
            let note = l.note(kernel.scheme == Some(Scheme::Single));
            diagnostics.push(match std::mem::take(&mut is_first) {
                true => note.data(RANK, 900),
                false => note,
            });
        }
        let shared = within_threads(kernel);
        visit::loops(&kernel.body, &mut |l| {
            // A copy of the next one, or told by `partitions`.
            if l.unrolled || kernel.shape.is_some() && l.directive.is_some() {
                return;
            }
            let inner = l.numbered_together();
            together.extend(inner.iter().skip(1).map(|inner| inner.header));
            let place = Place {
                is_inner: together.contains(&l.header),
                is_shared: shared.contains(&l.header),
            };
            let note = describe(kernel, l, place, unit).data("kernel", number);
            // All of it is run by one thread.
            diagnostics.push(match std::mem::take(&mut is_first) {
                true => note.data(RANK, 900),
                false => note,
            });
        });
    }
}

/// What the host runs around launches.
fn of_host(step: &Step, unit: &Unit) -> Option<Diagnostic> {
    let (what, place, reads, parallelism) = match step {
        Step::Repeat(repeat) => {
            let variable = repeat.variable.as_ref();
            let what = match variable.map(|(symbol, _)| &unit.symbol(*symbol).name) {
                Some(name) => format!("loop over `{name}` runs on the host"),
                None => "this loop runs on the host".into(),
            };
            let parallelism = repeat.parallelism.as_ref();
            (what, repeat.header, &repeat.reads, parallelism)
        }
        Step::Choose(branch) => {
            let what = "this branch is the host's".into();
            (what, branch.span, &branch.reads, None)
        }
        _ => return None,
    };
    let mut note = Diagnostic::remark(codes::LOOP_MAPPING, what, place)
        .data("decided", "host")
        .note("what is inside are launches of their own");
    for read in reads {
        let name = &unit.symbol(read.variable).name;
        note = note.note(format!("each test waits for `{name}` from the device"));
    }
    if let Some(parallelism) = parallelism {
        note = because(note, parallelism);
    }
    Some(note)
}

/// Why a loop is parallel or not.
fn because(note: Diagnostic, parallelism: &Parallelism) -> Diagnostic {
    let kind = match parallelism.parallel {
        true => "parallel",
        false => "sequential",
    };
    let note = note
        .note(format!("{kind}: {}", parallelism.reason))
        .data("why", parallelism.reason.as_str());
    let note = match &parallelism.remedy {
        Some(remedy) => note.help(remedy.clone()).data("remedy", remedy.as_str()),
        None => note,
    };
    match parallelism.span.filter(|_| !parallelism.parallel) {
        Some(span) => note.also(span, ""),
        None => note,
    }
}

/// What became of a variable that several launches of a region use.
fn handed_on(local: &RegionLocal, unit: &Unit) -> Diagnostic {
    let symbol = unit.symbol(local.symbol);
    let message = match local.value {
        Some(_) => format!("`{}` is computed by the host once", symbol.name),
        None => format!(
            "`{}` is in device memory while the region runs",
            symbol.name
        ),
    };
    let note = Diagnostic::remark(codes::LOOP_MAPPING, message, symbol.span);
    let note = match local.value {
        Some(_) => note.data(MINOR, true),
        None => note,
    };
    note.data("variable", symbol.name.as_str())
        .data(
            "decided",
            local.value.as_ref().map_or("device memory", |_| "host"),
        )
        .note("several launches of the region use it")
}

/// The headers of loops in loops that threads share.
fn within_threads(kernel: &Kernel) -> Vec<Span> {
    let mut found = Vec::new();
    visit::loops(&kernel.body, &mut |l| {
        if l.threads().contains(&true) {
            visit::loops(&l.body, &mut |inner| found.push(inner.header));
        }
    });
    found
}

/// Where a loop stands.
#[derive(Clone, Copy)]
struct Place {
    /// It is one with the loop around.
    is_inner: bool,
    /// Threads share a loop around it.
    is_shared: bool,
}

fn describe(kernel: &Kernel, l: &Loop, place: Place, unit: &Unit) -> Diagnostic {
    let distribution = l.distribution.unwrap_or_default();
    let distribution = without_lone_threads(distribution, kernel);
    let variable = unit.written_name(counted(l));
    let is_alone = kernel.scheme == Some(Scheme::Single);
    let (message, decided) = if place.is_inner {
        let message = format!("loop over `{variable}` is one with the loop around it");
        (message, "collapsed".to_owned())
    } else if distribution.is_sequential() {
        let message = format!("loop over `{variable}` {}", within(is_alone));
        (message, "sequential".to_owned())
    } else {
        let levels = levels(distribution, kernel.words.levels);
        let mut message = format!(
            "loop over `{variable}` is {levels}: {}",
            dimensions(distribution).join(", ")
        );
        if let Some(block) = block(kernel) {
            message += &format!(", block {block}");
        }
        let message = match evaluate(unit, &l.step).filter(|_| l.strides_by_step) {
            Some(rows) => format!("{message}, {rows} iterations a thread"),
            None => message,
        };
        (message, levels)
    };
    let mut note = Diagnostic::remark(codes::LOOP_MAPPING, message, l.header)
        .data("loop", variable)
        .data("decided", decided)
        .data("dimensions", dimensions(distribution))
        .data("block", known_block(kernel));
    let stays = decided_within(distribution, place) && !is_alone;
    if let Some(parallelism) = &l.parallelism {
        note = match parallelism.parallel && stays {
            true => although(note, parallelism),
            false => because(note, parallelism),
        };
    }
    note
}

/// What a loop over blocks is spread over, without axes along which these have one thread.
fn without_lone_threads(distribution: Distribution, kernel: &Kernel) -> Distribution {
    let mut found = distribution;
    let extents = kernel.block.iter().flatten();
    for (used, extent) in found.threads.iter_mut().zip(extents) {
        *used &= distribution.blocks.is_none() || extent.known() != Some(1);
    }
    found
}

/// Whether a loop stays within a thread since threads share another one.
fn decided_within(distribution: Distribution, place: Place) -> bool {
    distribution.is_sequential() && place.is_shared && !place.is_inner
}

/// Why a loop that is parallel has no threads.
fn although(note: Diagnostic, parallelism: &Parallelism) -> Diagnostic {
    let why = format!(
        "a loop around it has the threads, though {}",
        parallelism.reason
    );
    note.note(why.clone()).data("why", why)
}

/// How a loop is run that no threads share.
fn within(is_alone: bool) -> &'static str {
    match is_alone {
        true => "is run by one thread",
        false => "runs within each thread",
    }
}

/// The variable that the program has for a loop.
fn counted(l: &Loop) -> SymbolId {
    let mut own = l.induction;
    if l.strides_by_step {
        visit::loops(&l.body, &mut |inner| {
            if inner.unrolled {
                own = inner.induction;
            }
        });
    }
    own
}

/// A loop of the program whose iterations cannot be counted before it runs.
pub struct Uncounted {
    /// The kernel that it is in.
    kernel: usize,
    /// Its first word.
    span: Span,
    why: String,
}

fn uncounted_by(keyword: &str) -> String {
    match keyword {
        "for" => "how often it runs is not known before it".to_owned(),
        _ => format!("how often a `{keyword}` loop runs is not known before it"),
    }
}

/// Those of all kernels, while their loops are the program's.
pub fn uncounted(module: &Module, unit: &Unit) -> Vec<Uncounted> {
    let mut found = Vec::new();
    let kernels = module.kernels.iter().enumerate();
    for (number, kernel) in kernels.filter(|(_, kernel)| kernel.shape.is_none()) {
        visit::walk(&kernel.body, &mut |statement| {
            let (keyword, body, reason) = match &statement.kind {
                StatementKind::For(l) => ("for", &l.body, l.uncounted.as_deref()),
                StatementKind::While(_, body) => ("while", body, None),
                StatementKind::DoWhile(_, end) if evaluate(unit, end) == Some(0) => return,
                StatementKind::DoWhile(body, _) => ("do", body, None),
                _ => return,
            };
            let length = u32::try_from(keyword.len()).unwrap_or(0);
            let start = statement.span.start;
            let exits = Exits::of(body);
            let why = match exits.iter().find(|(jump, _)| jump.ends_loop()) {
                Some((jump, _)) => format!("`{}` leaves it", jump.keyword()),
                None => reason.map_or_else(|| uncounted_by(keyword), str::to_owned),
            };
            found.push(Uncounted {
                kernel: number,
                span: Span::new(start, start + length),
                why,
            });
        });
    }
    found
}

impl Uncounted {
    fn note(&self, is_alone: bool) -> Diagnostic {
        let message = format!("this loop {}", within(is_alone));
        let note = Diagnostic::remark(codes::LOOP_MAPPING, message, self.span);
        note.note(format!("sequential: {}", self.why))
            .data("decided", "sequential")
            .data("why", self.why.as_str())
            .data("kernel", self.kernel)
    }
}

fn levels(distribution: Distribution, words: PerLevel<&str>) -> String {
    let [lanes, rows, planes] = distribution.threads;
    let all = [
        (words.block, distribution.blocks.is_some()),
        (words.row, rows || planes),
        (words.lane, lanes),
    ];
    let used = all.into_iter().filter(|(_, used)| *used);
    let names: Vec<&str> = used.map(|(name, _)| name).collect();
    names.join(" ")
}

fn dimensions(distribution: Distribution) -> Vec<String> {
    let blocks = distribution.blocks.into_iter();
    let blocks = blocks.map(|axis| format!("blockIdx.{}", axis.name()));
    let threads = distribution.thread_axes();
    let threads = threads.map(|axis| format!("threadIdx.{}", axis.name()));
    blocks.chain(threads).collect()
}

/// Threads along x, y, z; null along those whose extent the launch knows.
fn known_block(kernel: &Kernel) -> Vec<Option<u32>> {
    let extents = kernel.block.iter().flatten();
    extents.map(BlockExtent::known).collect()
}

/// The block of a kernel; a function has its caller's.
fn block(kernel: &Kernel) -> Option<String> {
    let extents = kernel.block.as_ref()?;
    let text = |extent: &BlockExtent| match extent.known() {
        Some(threads) => threads.to_string(),
        None => "run-time size".into(),
    };
    let texts: Vec<String> = extents.iter().map(text).collect();
    let most = if kernel.may_shrink { "at most " } else { "" };
    Some(format!("{most}{}", texts.join(" x ")))
}
