//! Loops within a thread that become a dimension of threads.
//!
//! Input: loops that are known to be parallel or not. Output: nests of parallel loops with further
//! ones inside, where that makes for fewer memory transactions; what these
//! were inside of stays within a thread.
//!
//! ```c
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++) {              // before: a thread has a row
//!     float w = weight[i];
//!     for (int k = 0; k < m; k++)
//!         for (int j = 0; j < n; j++)
//!             c[i][j] += w * a[i][k] * b[k][j];
//! }
//! for (int i = 0; i < n; i++)                // after: parallel
//!     for (int j = 0; j < n; j++) {          // parallel, neighbours in memory
//!         float w = weight[i];
//!         for (int k = 0; k < m; k++)        // in the order that it had
//!             c[i][j] += w * a[i][k] * b[k][j];
//!     }
//! ```
//!
//! This is MESI-CUDA's exchange of a loop variable and a thread index (section
//! 4.4.2 of its paper on thread mapping) for grids of any number of
//! dimensions: all loops of the nest are logical dimensions, and
//! [`thread_mapping`](super::thread_mapping) chooses which of them runs within
//! a thread where they are more than three.
//!
//! The loop that is taken out must be independent of what it was inside of,
//! with all that is inside: then each element is computed by the same
//! operations in the same order as before. Loops without a directive are
//! looked at, below loops that leave levels and sizes open; reductions only
//! where they round nothing. Where pointers may overlap, the launch decides.

mod chain;
mod feedback;
#[cfg(test)]
mod tests;

use indexmap::IndexSet;

use crate::analysis::effects::Oracle;
use crate::analysis::flow;
use crate::analysis::requests::Endless;
use crate::diagnostic::Diagnostics;
use crate::ir::{
    Assumptions, Execution, Kernel, Loop, Module, Parallelism, Reduction, ReductionOperator,
    Statement, StatementKind, visit,
};
use crate::passes::Options;
use crate::passes::collective_calls::Callers;
use crate::passes::parallelisation::{self, Proof};
use crate::passes::privatise;
use crate::passes::thread_mapping::{self, Estimate};
use crate::typed::{SymbolId, Unit};
use chain::Chain;

/// What threads along another loop must bring the transactions to. A thread
/// that goes along a row of its own finds some of each line in the cache.
const WORTH: f64 = 0.75;

/// Exchanges loops of every kernel where that pays.
pub fn run(module: &mut Module, unit: &Unit, options: &Options, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    let alternatives = module.alternatives();
    let known = Endless::default();
    for index in 0..module.kernels.len() {
        let kernel = &module.kernels[index];
        let Some(mut exchange) = Exchange::of(kernel, &oracle, &known, options) else {
            continue;
        };
        exchange.prove(!alternatives.contains(&index));
        if options.feedback {
            let notes = exchange.describe().into_iter();
            notes.for_each(|note| diagnostics.push(note.data("kernel", index)));
        }
        let assumed = std::mem::take(&mut exchange.assumed);
        let Some(changed) = exchange.into_kernel() else {
            continue;
        };
        let original = std::mem::replace(&mut module.kernels[index], changed);
        if !assumed.is_empty() {
            parallelisation::choose_at_launch(module, index, original, &assumed);
        }
    }
}

/// Loops that would make for fewer transactions as dimensions of threads.
struct Exchange<'k> {
    kernel: &'k Kernel,
    oracle: &'k Oracle<'k>,
    known: &'k Endless,
    nest: Vec<&'k Loop>,
    /// Variables that each iteration of the nest has for itself.
    own: IndexSet<SymbolId>,
    /// The variables of the loops to take out, outer ones first.
    wanted: Vec<SymbolId>,
    /// Those that could not be, and why.
    refused: Vec<(SymbolId, Parallelism)>,
    /// As the kernel is.
    before: Estimate,
    /// With the loops taken out.
    after: Estimate,
    /// The transactions if all of them are, and the loop along x then.
    hoped: f64,
    along_x: Option<SymbolId>,
    /// A clause asks for one of the loops along x.
    is_requested: bool,
    /// Kernels with loops taken out that were proved to be independent.
    proved: Option<Kernel>,
    /// What launches have to look at.
    assumed: Assumptions,
}

impl<'k> Exchange<'k> {
    fn of(
        kernel: &'k Kernel,
        oracle: &'k Oracle<'k>,
        known: &'k Endless,
        options: &Options,
    ) -> Option<Self> {
        let nest = open_nest(kernel)?;
        let innermost = nest.last()?;
        let own = of_iteration(kernel, &nest, oracle);
        let chain = Chain::of(innermost.body.clone(), oracle, &|symbol| {
            own.contains(&symbol)
        });
        let wanted = chain::movable(&chain, &nest, oracle);
        let is_asked_for = |symbol: SymbolId| {
            let name = &oracle.unit().symbol(symbol).name;
            let mut asked = options.along_x.iter();
            asked.any(|asked| asked.split(',').next().map(str::trim) == Some(name))
        };
        // `--along-x` for a loop of the nest as it is.
        if wanted.is_empty() || nest.iter().any(|l| is_asked_for(l.induction)) {
            return None;
        }
        let is_requested = wanted.iter().any(|symbol| is_asked_for(*symbol));
        let mut exchange = Self {
            before: thread_mapping::estimate(kernel, &nest, oracle, known)?,
            after: Estimate::default(),
            kernel,
            oracle,
            known,
            nest,
            own,
            wanted,
            refused: Vec::new(),
            hoped: 0.0,
            along_x: None,
            is_requested,
            proved: None,
            assumed: Assumptions::default(),
        };
        let changed = exchange.with(&exchange.wanted);
        exchange.after = exchange.estimate(&changed)?;
        exchange.hoped = exchange.transactions_after();
        let number = exchange.after.along_x.checked_sub(exchange.nest.len());
        exchange.along_x = number.and_then(|number| exchange.wanted.get(number).copied());
        exchange.pays().then_some(exchange)
    }

    fn pays(&self) -> bool {
        self.is_requested || self.transactions_after() < self.before.transactions * WORTH
    }

    /// Those of as many iterations of the loops that are taken out as a thread
    /// has now.
    fn transactions_after(&self) -> f64 {
        self.after.transactions * self.after.iterations / self.before.iterations
    }

    fn estimate(&self, changed: &Kernel) -> Option<Estimate> {
        let mut nest = Vec::new();
        let mut body = &changed.body;
        while nest.len() < self.nest.len() + self.wanted.len() {
            let next = thread_mapping::only_loop(body)?;
            nest.push(next);
            body = &next.body;
        }
        thread_mapping::estimate(changed, &nest, self.oracle, self.known)
    }

    /// The kernel with some loops taken out.
    fn with(&self, wanted: &[SymbolId]) -> Kernel {
        let mut kernel = self.kernel.clone();
        if let Some(innermost) = nested(&mut kernel.body, self.nest.len()) {
            let is_own = |symbol| self.own.contains(&symbol);
            let mut chain = Chain::of(std::mem::take(&mut innermost.body), self.oracle, &is_own);
            let mut taken = Vec::new();
            for symbol in wanted {
                let number = chain.loops().position(|l| l.induction == *symbol);
                taken.extend(number.map(|number| chain.take(number)));
            }
            let body = chain.into_body();
            innermost.body = (taken.into_iter().rev()).fold(body, |body, one| one.around(body));
        }
        kernel
    }

    /// Finds out which loops may be taken out.
    fn prove(&mut self, may_assume: bool) {
        let mut proofs: Vec<Proof> = Vec::new();
        let mut proved: Vec<SymbolId> = Vec::new();
        for symbol in std::mem::take(&mut self.wanted) {
            proved.push(symbol);
            let changed = self.with(&proved);
            let depth = self.nest.len() + proved.len();
            let proof = proof_at(&changed, depth, self.oracle, may_assume);
            let obstacle = proof.as_ref().and_then(|proof| self.obstacle(proof));
            match proof.filter(|_| obstacle.is_none()) {
                Some(proof) => proofs.push(proof),
                None => {
                    proved.pop();
                    self.refused.extend(obstacle.map(|why| (symbol, why)));
                }
            }
        }
        self.wanted = proved;
        if self.wanted.is_empty() {
            return;
        }
        let mut changed = self.with(&self.wanted);
        if !self.refused.is_empty() {
            match self.estimate(&changed) {
                Some(after) => self.after = after,
                None => return,
            }
        }
        if !self.pays() {
            return;
        }
        for (number, proof) in proofs.into_iter().enumerate() {
            // A `max` of what `fmax` alone changes is one that passes NaNs over.
            for depth in 1..=self.nest.len() {
                let around = nested(&mut changed.body, depth);
                let around = around.into_iter().flat_map(|l| &mut l.reductions);
                for outer in around {
                    let own = proof.reductions.iter();
                    let inner = own.into_iter().find(|r| r.symbol == outer.symbol);
                    outer.operator = inner.map_or(outer.operator, |r| r.operator);
                }
            }
            if let Some(l) = nested(&mut changed.body, self.nest.len() + number + 1) {
                l.parallelism = Some(proof.parallelism);
                l.reductions = proof.reductions;
            }
            self.assumed.extend(&proof.assumed);
        }
        self.proved = Some(changed);
    }

    /// Why a loop stays where it is.
    fn obstacle(&self, proof: &Proof) -> Option<Parallelism> {
        if !proof.parallelism.parallel {
            return Some(proof.parallelism.clone());
        }
        let unit = self.oracle.unit();
        let rounds = proof.reductions.iter().find(|reduction| {
            let mut around = self.nest.iter().flat_map(|l| &l.reductions);
            let is_around = around.any(|outer| {
                let is_same = outer.operator == reduction.operator
                    || Some(outer.operator) == reduction.operator.with_nan();
                outer.symbol == reduction.symbol && is_same
            });
            !is_around || !is_exact(reduction, unit)
        })?;
        let name = &unit.symbol(rounds.symbol).name;
        let remedy = format!(
            "write `loop reduction({}:{name})` on it if that is as good",
            rounds.operator.spelling()
        );
        Some(
            Parallelism::sequential(format!("threads would combine `{name}` in another order"))
                .remedy(remedy),
        )
    }

    fn into_kernel(self) -> Option<Kernel> {
        self.proved
    }
}

/// Whether a reduction has the same result in any order.
fn is_exact(reduction: &Reduction, unit: &Unit) -> bool {
    let is_choice = matches!(
        reduction.operator,
        ReductionOperator::Max
            | ReductionOperator::Min
            | ReductionOperator::MaxNumber
            | ReductionOperator::MinNumber
    );
    reduction.part.is_none() && (is_choice || unit.types.is_integer(reduction.ty))
}

fn proof_at(kernel: &Kernel, depth: usize, oracle: &Oracle, may_assume: bool) -> Option<Proof> {
    let mut l = thread_mapping::only_loop(&kernel.body)?;
    for _ in 1..depth {
        l = thread_mapping::only_loop(&l.body)?;
    }
    Some(parallelisation::prove(kernel, l, oracle, may_assume))
}

/// The scalars that each iteration of a nest sets for itself, and that nothing reads later.
fn of_iteration(kernel: &Kernel, nest: &[&Loop], oracle: &Oracle) -> IndexSet<SymbolId> {
    let (Some(outermost), Some(innermost)) = (nest.first(), nest.last()) else {
        return IndexSet::new();
    };
    let unit = oracle.unit();
    let is_left = |symbol: &SymbolId| {
        let after = flow::after_loop(unit, &kernel.body, outermost, *symbol).unwrap_or_default();
        !after.may_read() && !privatise::escapes(kernel, *symbol, unit)
    };
    let mut own: IndexSet<SymbolId> = privatise::private_scalars(innermost, oracle)
        .into_iter()
        .filter(is_left)
        .collect();
    own.extend(visit::declared(&innermost.body));
    own.extend(nest.iter().flat_map(|l| &l.privates));
    own
}

/// The loops that are distributed over threads anyway, where neither clauses nor
/// what is inside leave it at that.
fn open_nest(kernel: &Kernel) -> Option<Vec<&Loop>> {
    let is_closed = kernel.sizes.any()
        || kernel.shape.is_some()
        || kernel.execution == Execution::Serial
        || kernel.collective.is_some();
    if is_closed || visit::has_windows(&kernel.body) || Callers::of(&kernel.body).any() {
        return None;
    }
    let nest = thread_mapping::nest(kernel)?;
    let is_open = |l: &&Loop| {
        let schedule = &l.schedule;
        !schedule.levels.any()
            && !schedule.sizes.any()
            && schedule.tile.is_none()
            && l.tile.is_none()
    };
    nest.iter().all(is_open).then_some(nest)
}

/// The loop so deep in a perfect nest, 1 being the outermost.
fn nested(body: &mut [Statement], depth: usize) -> Option<&mut Loop> {
    let is_empty = |s: &&mut Statement| !matches!(s.kind, StatementKind::Expression(None));
    match &mut body.iter_mut().find(is_empty)?.kind {
        StatementKind::Block(inner) => nested(inner, depth),
        StatementKind::Loop(l) => match depth {
            0 | 1 => Some(l),
            _ => nested(&mut l.body, depth - 1),
        },
        _ => None,
    }
}
