//! Windows of arrays in shared memory.
//!
//! Input: mapped kernels with [`StatementKind::Windows`] in loops that blocks
//! take a tile at a time. Output: [`crate::ir::Kernel::windows`], accesses to
//! them in place of accesses to the arrays, and the statements that fill them,
//! write them back and keep the threads together. The regions are gone.
//!
//! ```c
//! #pragma acc fcw FETCH_CHANNEL(a[i:1:1])
//! a[i] = a[i - 1] + a[i + 1];
//! // after, with a_window[258] and i_base = i_first - 1:
//! open windows a_window
//! barrier
//! double a_value = a_window[threadIdx.x] + a_window[threadIdx.x + 2];
//! barrier
//! a_window[threadIdx.x + 1] = a_value;
//! barrier
//! ```
//!
//! What a window must hold is proved by [`crate::analysis::block_affine`]:
//! of each dimension's pivot, how it depends on the threads of the block.
//! Barriers may still stand under conditions on which threads differ; the
//! pass `barrier_legalisation` sees to that, and drops those that cannot matter.

mod access;
mod body;
mod bounds;
mod channel;
mod footprint;
mod kept_reads;
mod layout;
mod leftover;
mod overlay;
mod own_indices;
mod own_values;
mod pivots;
pub(super) mod refusal;
mod region;
mod registers;
mod rows;
mod selected;
mod shape;
#[cfg(test)]
mod tests;
mod write_back;
mod written;

pub use access::{Access, Uses};
pub use layout::{WindowBytes, row_padding, window_bytes};
pub use region::{element_type, pieces};

use indexmap::{IndexMap, IndexSet};

use crate::analysis::block_affine::Frame;
use crate::analysis::effects::Oracle;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    DeviceFunction, Kernel, KernelId, Module, SharedWindow, Statement, StatementKind, visit,
};
use crate::passes::variables;
use crate::typed::{SymbolId, TypeId, Unit};

use super::Options;

/// Opens the windows of every kernel. Where a block may have no room for those that a kernel may
/// do without, its launches get a kernel without them.
pub fn run(module: &mut Module, unit: &Unit, options: &Options, diagnostics: &mut Diagnostics) {
    let functions = std::mem::take(&mut module.functions);
    let oracle = Oracle::new(unit, &functions);
    let launched: IndexSet<KernelId> = module.launches().map(|launch| launch.kernel).collect();
    for number in 0..module.kernels.len() {
        // Of a nest whose loops cannot share windows no more is to be said.
        let is_refused = |d: &Diagnostic| d.code == codes::NEST_OF_WINDOWS;
        let kernel = &mut module.kernels[number];
        if regions(kernel) == 0 || kernel.block.is_none() || diagnostics.iter().any(is_refused) {
            continue;
        }
        let id = KernelId::at(number);
        let mut opening = Opening {
            number,
            functions: &functions,
            oracle: &oracle,
            options,
            optional: match launched.contains(&id) {
                true => Optional::All,
                false => Optional::Sized,
            },
            feedback: options.feedback,
        };
        let before = kernel.clone();
        opening.open(kernel, unit, diagnostics);
        if kernel
            .windows
            .iter()
            .any(|window| window.may_lack_room(unit))
        {
            let added = KernelId::at(module.kernels.len());
            let mut other = before;
            opening.optional = Optional::Sized;
            opening.feedback = false;
            opening.open(&mut other, unit, diagnostics);
            other.title.push_str(" (no room for all windows)");
            module.kernels.push(other);
            let launches = module.launches_mut().filter(|launch| launch.kernel == id);
            launches.for_each(|launch| launch.without_windows = Some(added));
        }
    }
    module.functions = functions;
}

/// Which of the windows are opened that a kernel may do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Optional {
    /// All of them.
    All,
    /// Those of constant size, for which there is room in any block.
    Sized,
}

/// How the windows of a kernel are opened.
struct Opening<'a> {
    /// Which of the module's it is.
    number: usize,
    functions: &'a [DeviceFunction],
    oracle: &'a Oracle<'a>,
    options: &'a Options,
    optional: Optional,
    /// Says what became of windows.
    feedback: bool,
}

impl Opening<'_> {
    fn open(&self, kernel: &mut Kernel, unit: &Unit, diagnostics: &mut Diagnostics) {
        let options = self.options;
        let body = kernel.body.clone();
        let in_pivots = leftover::in_pivots(kernel);
        let mut pass = Pass {
            unit,
            diagnostics,
            kernel,
            number: self.number,
            oracle: self.oracle,
            frame: Frame::new(kernel, self.functions, self.oracle),
            feedback: self.feedback,
            trusts: options.trust_cache,
            keeps_values: !options.for_checks,
            room: layout::room(kernel, &options.archs),
            optional: self.optional,
            windows: Vec::new(),
            ranges: IndexMap::new(),
            indices: IndexMap::new(),
            added: Vec::new(),
            pivots: IndexMap::new(),
            replaced: in_pivots,
            regions: 0,
            open: Vec::new(),
            may_share: regions(kernel) > 1,
            is_under_condition: false,
        };
        let body = pass.list(body, false);
        let (replaced, known) = (pass.replaced, pass.pivots);
        kernel.windows = pass.windows;
        kernel.body = body;
        pivots::compute(kernel, &known, unit);
        leftover::bases(kernel);
        leftover::remove(kernel, replaced, unit);
        drop_unused_captures(kernel);
        if !options.for_checks {
            registers::decide(kernel, unit);
        }
        layout::decide(kernel, unit, &options.archs, diagnostics);
        if self.feedback {
            layout::describe(self.number, kernel, unit, diagnostics);
        }
    }
}

/// How many regions with windows a kernel has.
fn regions(kernel: &Kernel) -> usize {
    let mut found = 0;
    visit::walk(&kernel.body, &mut |s| {
        found += usize::from(matches!(s.kind, StatementKind::Windows(_)));
    });
    found
}

/// One kernel in the making.
struct Pass<'a> {
    unit: &'a Unit,
    diagnostics: &'a mut Diagnostics,
    /// As it was.
    kernel: &'a Kernel,
    /// Which of the module's it is.
    number: usize,
    oracle: &'a Oracle<'a>,
    /// What the threads of a block have in common at the place at hand.
    frame: Frame<'a>,
    /// Says what became of windows.
    feedback: bool,
    /// Accesses are taken to be in windows that may not change the result.
    trusts: bool,
    /// Values of windows may be kept in registers.
    keeps_values: bool,
    /// The bytes that windows which are open together may take.
    room: u64,
    /// Which of the windows it opens that the kernel may do without.
    optional: Optional,
    /// The windows so far.
    windows: Vec<SharedWindow>,
    /// What says which part of an array is present, by array.
    ranges: IndexMap<SymbolId, Vec<SymbolId>>,
    /// Variables for the copying of slots, by name and type.
    indices: IndexMap<(String, TypeId), SymbolId>,
    /// Variables made so far.
    added: Vec<SymbolId>,
    /// What else pivots are.
    pivots: pivots::Pivots,
    /// Variables in pivots, and in subscripts that are others now.
    replaced: IndexSet<SymbolId>,
    /// How many regions there were so far.
    regions: usize,
    /// Those that are open, outermost first.
    open: Vec<usize>,
    /// The kernel has several, so that windows may get the same bytes.
    may_share: bool,
    /// Some threads may not come to the place at hand, though they have an iteration.
    is_under_condition: bool,
}

impl<'a> Pass<'a> {
    /// What is done where another frame holds.
    fn inside<T>(&mut self, frame: Frame<'a>, act: impl FnOnce(&mut Self) -> T) -> T {
        let around = std::mem::replace(&mut self.frame, frame);
        let result = act(self);
        self.frame = around;
        result
    }

    /// Statements with their regions opened. `repeats` says whether they may
    /// run several times in one kernel.
    fn list(&mut self, list: Vec<Statement>, repeats: bool) -> Vec<Statement> {
        let mut out = Vec::with_capacity(list.len());
        for statement in list {
            self.statement(statement, repeats, &mut out);
        }
        out
    }

    fn statement(&mut self, mut statement: Statement, repeats: bool, out: &mut Vec<Statement>) {
        if let StatementKind::Windows(region) = &statement.kind {
            self.region((**region).clone(), statement.span, repeats, out);
            return self.frame.pass(&statement);
        }
        if let StatementKind::Block(body) = &mut statement.kind {
            *body = self.list(std::mem::take(body), repeats);
        } else {
            let repeats = repeats || statement.is_loop();
            let mut inside = self.frame.inside(&statement).into_iter();
            let before = statement.clone();
            self.turn(&mut statement);
            let around = self.is_under_condition;
            self.is_under_condition |= !statement.is_loop();
            visit::blocks_mut(&mut statement, &mut |body| {
                let inside = inside.next().expect("each block has a frame");
                *body = self.inside(inside, |pass| pass.list(std::mem::take(body), repeats));
            });
            self.is_under_condition = around;
            self.frame.pass(&before);
        }
        out.push(statement);
    }

    /// Turns what a statement evaluates itself, but for the header of a loop that threads share,
    /// which the launch needs, too.
    fn turn(&mut self, statement: &mut Statement) {
        if matches!(&statement.kind, StatementKind::Loop(l) if l.is_distributed()) {
            return;
        }
        let whenever = self.frame.at_condition(statement);
        self.inside(whenever, |pass| {
            visit::own_expressions_mut(statement, &mut |e| pass.turn_remainders(e));
        });
    }

    /// A new variable of the kernel.
    fn variable(&mut self, wanted: &str, ty: TypeId) -> SymbolId {
        let symbol = variables::kernel_variable(self.unit, self.kernel, &self.added, wanted, ty);
        self.added.push(symbol);
        symbol
    }
}

/// Arrays that are used in windows only, and in none of global memory, are no
/// parameters.
fn drop_unused_captures(kernel: &mut Kernel) {
    let windowed: Vec<SymbolId> = kernel.windows.iter().map(|w| w.array).collect();
    let touched: Vec<SymbolId> = kernel
        .windows
        .iter()
        .filter(|window| window.policy.fetch || window.policy.write_back)
        .map(|window| window.array)
        .collect();
    let mut named = Vec::new();
    visit::symbols(&kernel.body, &mut |symbol| named.push(symbol));
    kernel.captures.retain(|capture| {
        !windowed.contains(&capture.symbol)
            || touched.contains(&capture.symbol)
            || named.contains(&capture.symbol)
    });
}
