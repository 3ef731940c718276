//! What `--feedback` says of each kernel's launch.
//!
//! Input: decided kernels with their names, the architectures that are asked
//! for, and what a compiler made of the kernels for these, where one was asked.
//! Output: a note per kernel with the size of its blocks, how much of a
//! multiprocessor they occupy, what limits that, and the size that comes next.
//! Without a compiler's figures registers count as no limit: the occupancy is
//! then the highest that there may be. Where so few blocks are launched that most of a GPU has none,
//! the note says that instead.

mod idle;

use idle::Idle;
use serde_json::{Value, json};

use crate::analysis::occupancy::{Multiprocessor, Needs, Occupancy, Resources};
use crate::diagnostic::{Diagnostic, Diagnostics, MINOR, RANK, codes};
use crate::ir::{Kernel, KernelId, Module, Scheme, visit};
use crate::passes::launch_configuration::reduces;
use crate::passes::software_cache::{WindowBytes, window_bytes};
use crate::typed::Unit;

/// Less of a multiprocessor's warps, in percent, is a low occupancy.
const LOW: f64 = 50.0;

/// The sizes that a block is compared with.
const SIZES: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// What is known of the kernels that were printed.
#[derive(Clone, Copy, Debug)]
pub struct Printed<'p> {
    /// Their names, in order.
    pub names: &'p [(KernelId, String)],
    /// The compute capabilities to speak of, 90 for `sm_90`.
    pub archs: &'p [u16],
    /// What a compiler counted, if it was asked.
    pub resources: Option<&'p [Resources]>,
}

/// Adds a note for every kernel.
pub fn run(module: &Module, unit: &Unit, printed: Printed, diagnostics: &mut Diagnostics) {
    for (id, name) in printed.names {
        let launched = Launched {
            name,
            kernel: module.kernel(*id),
            idle: idle::of(module.kernel(*id), unit),
            windows: window_bytes(module.kernel(*id), unit),
            printed,
        };
        diagnostics.push(launched.describe().data("kernel", id.0));
    }
}

/// One kernel.
struct Launched<'p> {
    name: &'p str,
    kernel: &'p Kernel,
    idle: Idle,
    windows: WindowBytes,
    printed: Printed<'p>,
}

/// Blocks of a kernel on one architecture.
struct OnArchitecture<'p> {
    arch: u16,
    counted: Option<&'p Resources>,
    /// Shared memory in bytes, as far as it is known before the launch.
    shared: u64,
    filled: Option<Filled>,
}

/// How a multiprocessor is filled, where block and shared memory are known.
struct Filled {
    own: Occupancy,
    /// The best other size.
    next: Option<Occupancy>,
}

impl<'p> Launched<'p> {
    fn describe(&self) -> Diagnostic {
        let shape = self.kernel.block_shape();
        let threads = shape.map(|shape| shape.iter().product::<u32>());
        let size = match shape {
            Some([1, 1, 1]) => "1 thread".to_owned(),
            Some(shape) => format!("{} threads", text(shape)),
            None => "a size that the launch knows".to_owned(),
        };
        let most = if self.kernel.may_shrink {
            "at most "
        } else {
            ""
        };
        let is_alone = self.kernel.scheme == Some(Scheme::Single);
        let message = match (is_alone, self.idle.blocks) {
            (true, _) => format!("`{}` is launched with one thread", self.name),
            (_, Some(1)) => format!(
                "`{}` is launched with one block, of {most}{size}",
                self.name
            ),
            (_, Some(blocks)) => format!(
                "`{}` is launched in at most {blocks} blocks, of {most}{size}",
                self.name
            ),
            _ => format!("`{}` is launched in blocks of {most}{size}", self.name),
        };
        let why = reason(self.kernel);
        let mut note = Diagnostic::remark(codes::OCCUPANCY, message, self.kernel.directive)
            .note(why.clone())
            .data("name", self.name)
            .data("decided", shape.map(Vec::from))
            .data("may_shrink", self.kernel.may_shrink)
            .data("why", why)
            .data("most_blocks", self.idle.blocks)
            .data("busy_threads", self.idle.threads)
            .data("idle_lanes", self.idle.lanes)
            .data("window_bytes", self.window_bytes());
        let idle = self.idle.sentences(threads);
        for sentence in &idle {
            note = note.note(sentence.clone());
        }
        // How many such blocks there could be makes no difference.
        let on: Vec<_> = match is_alone {
            true => Vec::new(),
            false => self.on_architectures(threads),
        };
        let said = match self.idle.blocks {
            Some(_) => &[],
            None => on.as_slice(),
        };
        for sentence in sentences(said) {
            note = note.note(sentence);
        }
        if let Some(low) = lowest(said) {
            note = note.data("remedy", low.sentence()).data(RANK, 400);
        }
        if let Some(rank) = self.idle.rank(threads) {
            note = note.data("remedy", idle.join("; ")).data(RANK, rank);
        }
        let is_full = |one: &OnArchitecture| one.filled.as_ref().is_some_and(Filled::is_full);
        let is_best = self.idle.blocks.is_none() && idle.is_empty() && !on.is_empty();
        if is_alone || self.printed.resources.is_none() && is_best && on.iter().all(is_full) {
            note = note.data(MINOR, true);
        }
        if self.printed.resources.is_none() && !said.is_empty() {
            note = note.note(
                "registers are not counted and may allow fewer; `--feedback=resources` has nvcc count them",
            );
        }
        note.data(
            "occupancy",
            on.iter().map(OnArchitecture::data).collect::<Vec<_>>(),
        )
    }

    fn window_bytes(&self) -> Option<u64> {
        let WindowBytes { fixed, dynamic } = self.windows;
        dynamic.map(|dynamic| fixed.saturating_add(dynamic))
    }

    fn on_architectures(&self, threads: Option<u32>) -> Vec<OnArchitecture<'p>> {
        let archs = self.printed.archs.iter();
        archs
            .filter_map(|arch| self.on_architecture(*arch, threads))
            .collect()
    }

    /// None for an architecture or a kernel of which nothing is known.
    fn on_architecture(&self, arch: u16, threads: Option<u32>) -> Option<OnArchitecture<'p>> {
        let multiprocessor = Multiprocessor::of(arch)?;
        let counted = match self.printed.resources {
            Some(all) => {
                let own = |one: &&Resources| one.arch == arch && one.kernel == self.name;
                Some(all.iter().find(own)?)
            }
            None => None,
        };
        let dynamic = self.windows.dynamic.unwrap_or(0);
        let needs = match counted {
            Some(counted) => counted.needs(dynamic),
            None => Needs {
                shared: self.windows.fixed.saturating_add(dynamic),
                ..Needs::default()
            },
        };
        let threads = threads.filter(|_| self.windows.dynamic.is_some());
        Some(OnArchitecture {
            arch,
            counted,
            shared: needs.shared,
            filled: threads.map(|threads| self.fill(multiprocessor, needs, threads)),
        })
    }

    fn fill(&self, multiprocessor: &Multiprocessor, needs: Needs, threads: u32) -> Filled {
        let most = if self.kernel.may_shrink {
            threads
        } else {
            1024
        };
        let sizes = SIZES.into_iter().filter(|size| *size <= most);
        let ranking = multiprocessor.ranking(needs, sizes);
        let own = match ranking.first() {
            Some(best) if self.kernel.may_shrink => *best,
            _ => multiprocessor.occupancy(needs, threads),
        };
        // Windows are of the block's size: another block needs other ones.
        let is_comparable = self.kernel.windows.is_empty();
        let next = ranking.into_iter().find(|one| one.threads != own.threads);
        Filled {
            own,
            next: next.filter(|_| is_comparable),
        }
    }
}

impl Filled {
    /// No size of a block would have more of a multiprocessor's warps.
    fn is_full(&self) -> bool {
        self.own.percent() >= 100.0
    }
}

/// The highest occupancy, where it is low on every architecture: then loads have few warps to
/// hide behind.
fn lowest<'o>(on: &'o [OnArchitecture]) -> Option<&'o Filled> {
    let all: Option<Vec<&Filled>> = on.iter().map(|one| one.filled.as_ref()).collect();
    let best = all?
        .into_iter()
        .max_by(|a, b| a.own.percent().total_cmp(&b.own.percent()))?;
    (best.own.percent() < LOW).then_some(best)
}

/// What is said of the architectures: each sentence once, with the numbers of blocks by which
/// they differ, as `4 blocks on sm_75; 8 on sm_80, sm_90`.
fn sentences(on: &[OnArchitecture]) -> Vec<String> {
    let mut said: Vec<(String, Vec<&OnArchitecture>)> = Vec::new();
    for one in on {
        let sentence = one.sentence();
        match said.iter_mut().find(|(known, _)| *known == sentence) {
            Some((_, all)) => all.push(one),
            None => said.push((sentence, vec![one])),
        }
    }
    let text = |(sentence, all): (String, Vec<&OnArchitecture>)| {
        let groups = all.chunk_by(|a, b| a.blocks() == b.blocks());
        let places = groups.enumerate().map(|(number, group)| {
            let names: Vec<String> = group.iter().map(|one| format!("sm_{}", one.arch)).collect();
            let names = names.join(", ");
            match (group[0].blocks(), number) {
                (None, _) => names,
                (Some(1), 0) => format!("1 block on {names}"),
                (Some(blocks), 0) => format!("{blocks} blocks on {names}"),
                (Some(blocks), _) => format!("{blocks} on {names}"),
            }
        });
        format!("{sentence}: {}", places.collect::<Vec<_>>().join("; "))
    };
    said.into_iter().map(text).collect()
}

impl OnArchitecture<'_> {
    /// How many blocks a multiprocessor has, where that is known before the launch.
    fn blocks(&self) -> Option<u32> {
        self.filled.as_ref().map(|filled| filled.own.blocks)
    }

    fn sentence(&self) -> String {
        let mut text = String::new();
        if let Some(counted) = self.counted {
            let spills = match counted.spills {
                0 => "no spills".to_owned(),
                bytes => format!("{bytes} bytes of spills"),
            };
            text += &format!(
                "{} registers, {} bytes of shared memory, {spills}; ",
                counted.registers, self.shared
            );
        }
        text + &match &self.filled {
            Some(filled) => filled.sentence(),
            None => "what the launch knows decides how many blocks a multiprocessor has".to_owned(),
        }
    }

    fn data(&self) -> Value {
        let own = self.filled.as_ref().map(|filled| &filled.own);
        let next = self.filled.as_ref().and_then(|filled| filled.next);
        json!({
            "arch": format!("sm_{}", self.arch),
            "registers": self.counted.map(|counted| counted.registers),
            "barriers": self.counted.map(|counted| counted.barriers),
            "spill_bytes": self.counted.map(|counted| counted.spills),
            "stack_bytes": self.counted.map(|counted| counted.stack),
            "shared_bytes": self.counted.map(|_| self.shared),
            "threads": own.map(|own| own.threads),
            "blocks": own.map(|own| own.blocks),
            "percent": own.map(|own| own.percent()),
            "limited_by": own.map(|own| own.limit.name()),
            "runner_up": next.map(|next| json!({
                "threads": next.threads,
                "percent": next.percent(),
            })),
        })
    }
}

impl Filled {
    fn sentence(&self) -> String {
        let own = &self.own;
        let mut text = format!(
            "blocks of {} thread{} take {} of a multiprocessor's warps, as many as {} allow",
            own.threads,
            if own.threads == 1 { "" } else { "s" },
            percent(own),
            own.limit.name()
        );
        // Another size that does as well is no news.
        let differs = |next: &&Occupancy| percent(next) != percent(own);
        if let Some(next) = self.next.as_ref().filter(differs) {
            text += &format!("; blocks of {} threads: {}", next.threads, percent(next));
        }
        text
    }
}

/// `32 x 8`.
fn text(shape: [u32; 3]) -> String {
    let used = 1 + shape.iter().rposition(|n| *n > 1).unwrap_or(0);
    let extents: Vec<String> = shape[..used].iter().map(u32::to_string).collect();
    extents.join(" x ")
}

fn percent(occupancy: &Occupancy) -> String {
    let text = format!("{:.1}", occupancy.percent());
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// Why the blocks have their size.
fn reason(kernel: &Kernel) -> String {
    let mut asks = kernel.sizes.lane.is_some() || kernel.sizes.row.is_some();
    let reduces = reduces(kernel) || !kernel.grid_reductions.is_empty();
    visit::loops(&kernel.body, &mut |l| {
        let schedule = &l.schedule;
        asks |= schedule.sizes.lane.is_some()
            || schedule.sizes.row.is_some()
            || schedule.tile.is_some();
    });
    let text = match kernel.scheme {
        _ if kernel.may_shrink => {
            "the launch takes the size of the highest occupancy, the largest of equal ones, and \
             smaller ones where there are few iterations"
        }
        Some(Scheme::Single) | None => "one thread runs it",
        Some(Scheme::Threads) => "the kernel asks for this size",
        _ if kernel.block_shape() == Some([1, 1, 1]) && kernel.sizes.lane.is_some() => {
            let (block, size) = (kernel.words.levels.block, kernel.words.sizes.lane);
            return format!("no loop is shared within a {block}, so that `{size}` has no effect");
        }
        _ if asks => "clauses ask for this size",
        _ if !kernel.windows.is_empty() => "its threads share windows, which have this size",
        _ if kernel.block_shape() == Some([1, 1, 1]) => {
            let block = kernel.words.levels.block;
            return format!("no loop is shared within a {block}");
        }
        _ if kernel.sizes.block.is_some() => "a clause says how many there are",
        Some(Scheme::Hierarchical) => {
            let block = kernel.words.levels.block;
            let size = kernel.words.sizes.lane;
            return format!("a {block} is a block; `{size}` gives it another size");
        }
        Some(Scheme::Flat) if reduces && kernel.combines_in_any_order => {
            "kernels with reductions have one size on every device"
        }
        Some(Scheme::Flat) if reduces => {
            "a reduction's result depends on this size, and is the same on every device"
        }
        Some(Scheme::Flat) => "the number of iterations is not known before the launch",
    };
    text.into()
}
