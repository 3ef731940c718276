//! Which loop of a flat nest runs along which axis.
//!
//! ```c
//! #pragma acc parallel loop collapse(2)
//! for (int i = 0; i < n; i++)
//!     for (int j = 0; j < n; j++)
//!         b[j][i] = a[j][i];   // neighbours in memory differ in i
//! // before: j along x; after: i along x, j along y
//! ```
//!
//! The loop along x is the one for which the requests of a warp come to the
//! fewest transactions, accesses in inner loops counting as often as these
//! run (MESI-CUDA, section 4.3: there by priorities P\u{2032} and
//! P\u{2033}, here by the transactions that these stand for). Equal ones
//! leave the innermost loop there. The other loops follow from inside.

use indexmap::IndexSet;

use crate::analysis::effects::Oracle;
use crate::analysis::requests::{self, Endless, Nest, Threads, WARP};
use crate::diagnostic::{Diagnostic, MINOR, codes};
use crate::ir::{Axis, Distribution, Kernel, Loop, visit};
use crate::passes::launch_configuration;
use crate::typed::Unit;

/// Which loops of a nest (0 the outermost) run along x, y, z.
pub type Order = Vec<usize>;

/// One way to distribute a nest.
#[derive(Clone, Debug, PartialEq)]
struct Candidate {
    order: Order,
    /// Transactions of one iteration of the whole nest in each lane of a warp.
    cost: f64,
}

/// The order of a nest, and what it was chosen from.
pub struct Choice<'k> {
    /// What was chosen.
    pub order: Order,
    /// The threads of a block along x, y, z, where reuse decides.
    pub block: Option<[u32; 3]>,
    /// How much of its accesses each loop of the nest has in common.
    reuse: Vec<f64>,
    nest: Vec<&'k Loop>,
    /// All that there was to choose from; empty where clauses or the nest
    /// itself left no choice.
    candidates: Vec<Candidate>,
}

/// A choice must be this much better than the innermost loop along x.
const GAIN: f64 = 0.95;

/// The loops along x, y, z without any reason to choose.
pub fn from_inside(depth: usize) -> Order {
    (0..depth).rev().take(Axis::ALL.len()).collect()
}

/// Chooses the order of a nest. Loops over the variables in `along_x` run
/// along x where clauses leave the choice; of `x,y`, that over `y` along y.
pub fn choose<'k>(
    kernel: &Kernel,
    nest: &[&'k Loop],
    oracle: &Oracle,
    along_x: &[String],
    known: &Endless,
) -> Choice<'k> {
    let (mut all, mut weights) = (Vec::new(), Weights::default());
    if nest.len() >= 2 && is_open(nest) {
        let accesses = accesses(kernel, nest[0], oracle);
        weights = Weights::of(nest.len(), &accesses);
        all = candidates(nest.len(), &accesses, &weights, known);
    }
    let names: Vec<&str> = nest
        .iter()
        .map(|l| oracle.unit().symbol(l.induction).name.as_str())
        .collect();
    let asked = along_x.iter().find_map(|schedule| {
        let mut asked = schedule.split(',').map(str::trim);
        let along_x = asked.next()?;
        let mut order = (all.iter())
            .find(|c| names[c.order[0]] == along_x)?
            .order
            .clone();
        if let Some(along_y) = asked.next() {
            let depth = 1 + order[1..].iter().position(|n| names[*n] == along_y)?;
            order[1..=depth].rotate_right(1);
        }
        Some(order)
    });
    let best = all.iter().reduce(|best, candidate| {
        if candidate.cost < best.cost * GAIN {
            candidate
        } else {
            best
        }
    });
    let order = asked
        .or_else(|| best.map(|c| c.order.clone()))
        .unwrap_or_else(|| from_inside(nest.len()));
    Choice {
        block: weights.block(&order),
        reuse: weights.reuse,
        order,
        nest: nest.to_vec(),
        candidates: all,
    }
}

impl Choice<'_> {
    /// What `--feedback` says of it, where there was a choice.
    pub fn describe(&self, unit: &Unit) -> Option<Diagnostic> {
        let name = |candidate: &Candidate| {
            let along_x = self.nest.get(*candidate.order.first()?)?.induction;
            Some(unit.written_name(along_x))
        };
        let is_chosen = |c: &Candidate| c.order.first() == self.order.first();
        let mut candidates = self.candidates.iter();
        let same = candidates.find(|c| c.order == self.order);
        let chosen = same.or_else(|| self.candidates.iter().find(|c| is_chosen(c)))?;
        let message = format!(
            "the loop over `{}` runs along x: {} for an iteration of a warp",
            name(chosen)?,
            counted(chosen.cost)
        );
        let mut note = Diagnostic::remark(codes::AXIS_CHOICE, message, self.nest.first()?.header)
            .data("decided", name(chosen)?)
            .data("transactions", chosen.cost);
        if let Some(along_y) = self.order.get(1) {
            let reuse = self.reuse.get(*along_y).copied().unwrap_or_default();
            let along_y = unit.written_name(self.nest.get(*along_y)?.induction);
            note = note.data("along_y", along_y).data("reuse", reuse);
            if reuse > 0.0 {
                note = note.note(format!(
                    "threads along y, with `{along_y}`, have {:.0} % of the accesses in common",
                    reuse * 100.0
                ));
            }
        }
        let mut others: Vec<&Candidate> = Vec::new();
        for other in self.candidates.iter().filter(|c| !is_chosen(c)) {
            match others.iter_mut().find(|c| c.order[0] == other.order[0]) {
                Some(known) if other.cost < known.cost => *known = other,
                Some(_) => {}
                None => others.push(other),
            }
        }
        for other in &others {
            let cost = requests::rounded(other.cost);
            note = note.note(format!("with `{}` there, {cost}", name(other)?));
        }
        others.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        if let Some(next) = others.first() {
            note = note
                .data("runner_up", name(next)?)
                .data("runner_up_transactions", next.cost);
        }
        // It makes no difference that would be shown.
        let is_same = |other: &&Candidate| (other.cost - chosen.cost).abs() < 0.005;
        Some(match others.iter().all(is_same) {
            true => note.data(MINOR, true),
            false => note,
        })
    }
}

fn counted(cost: f64) -> String {
    let number = requests::rounded(cost);
    let noun = match number.as_str() {
        "1" => "transaction",
        _ => "transactions",
    };
    format!("{number} {noun}")
}

/// What the best order of a nest costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Estimate {
    /// Which loop of the nest runs along x then.
    pub along_x: usize,
    /// Transactions of one iteration of the loops that are distributed in each lane
    /// of a warp.
    pub transactions: f64,
    /// About how many iterations these loops have together.
    pub iterations: f64,
}

/// Estimates what a nest costs whose loops may run along any axis.
#[allow(clippy::cast_precision_loss, reason = "weights of an estimate")]
pub fn estimate(
    kernel: &Kernel,
    nest: &[&Loop],
    oracle: &Oracle,
    known: &Endless,
) -> Option<Estimate> {
    let accesses = accesses(kernel, nest.first()?, oracle);
    let weights = Weights::of(nest.len(), &accesses);
    let all = candidates(nest.len(), &accesses, &weights, known);
    let best = all.iter().min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    let trips = best.order.iter().map(|n| accesses.typical_trips(*n) as f64);
    Some(Estimate {
        along_x: *best.order.first()?,
        transactions: best.cost,
        iterations: trips.product(),
    })
}

/// Whether no clause says which loop is which dimension of the block.
fn is_open(nest: &[&Loop]) -> bool {
    let asks = |l: &&Loop| l.schedule.levels.any() && l.collapsed == 0;
    let is_tiled = |l: &&Loop| l.tile.is_some() || l.schedule.tile.is_some();
    !nest.iter().any(is_tiled) && !nest.iter().skip(1).any(asks)
}

/// What accesses count.
#[derive(Debug, Default)]
struct Weights {
    /// How often each access is run by all iterations of the nest.
    iterations: Vec<f64>,
    /// MESI-CUDA's priority P\u{2032} of each loop of the nest (section 4.2.2):
    /// how many of all accesses are to an element that all of its iterations
    /// have in common, so that threads along it find in the cache what others
    /// fetched.
    reuse: Vec<f64>,
    /// How often each loop of the nest runs its body, where that is a number.
    trips: Vec<Option<i128>>,
}

impl Weights {
    fn of(depth: usize, nest: &Nest) -> Self {
        let references = nest.references.iter();
        let iterations = references.map(|r| nest.typical_iterations(&r.within));
        let iterations: Vec<f64> = iterations.collect();
        let mut reuse = vec![0.0; depth];
        let all: f64 = iterations.iter().sum();
        for (reference, weight) in nest.references.iter().zip(&iterations) {
            let Some(offset) = &reference.offset else {
                continue;
            };
            let varies = offset.iterations();
            let common = (0..depth).filter(|number| !varies.contains(number));
            common.for_each(|number| reuse[number] += weight / all);
        }
        Self {
            iterations,
            reuse,
            trips: (0..depth).map(|n| nest.constant_trips(n)).collect(),
        }
    }

    /// The loop that threads along y have most in common in; of equal ones the
    /// first.
    fn most_reuse(&self, loops: &[usize]) -> Option<usize> {
        let mut loops = loops.iter().copied();
        let first = loops.next()?;
        Some(loops.fold(first, |best, number| {
            if self.reuse[number] > self.reuse[best] {
                number
            } else {
                best
            }
        }))
    }

    /// A block of two dimensions for three loops where threads have nothing in
    /// common along the third (fusion along two dimensions, section 4.3.3).
    /// Its rows are whole warps: of the paper's square blocks, a warp would
    /// ask for two rows.
    fn block(&self, order: &[usize]) -> Option<[u32; 3]> {
        let &[x, y, z] = order else { return None };
        let shape = launch_configuration::flat_shape(&[None, None]);
        let fills = |number: usize, threads: u32| {
            let trips = self.trips.get(number).copied().flatten();
            trips.is_none_or(|trips| trips >= i128::from(threads))
        };
        let is_plane = *self.reuse.get(y)? > 0.0 && *self.reuse.get(z)? <= 0.0;
        (is_plane && fills(x, shape[0]) && fills(y, shape[1])).then_some(shape)
    }
}

/// What the loops of a nest access.
fn accesses<'l>(kernel: &Kernel, outermost: &'l Loop, oracle: &Oracle) -> Nest<'l> {
    let mut private: IndexSet<_> = visit::declared(&outermost.body).into_iter().collect();
    private.extend(&kernel.privates);
    visit::loops(&kernel.body, &mut |l| private.extend(&l.privates));
    requests::collect(outermost, &private, oracle)
}

/// Each loop in turn along x, the innermost first; where that one is shorter
/// than a warp, which then reaches over to the loop along y, each other loop
/// there.
fn candidates(depth: usize, accesses: &Nest, weights: &Weights, known: &Endless) -> Vec<Candidate> {
    if depth == 1 {
        let order = from_inside(depth);
        let cost = cost(&order, accesses, weights, known);
        return vec![Candidate { order, cost }];
    }
    let mut candidates = Vec::new();
    for along_x in (0..depth).rev() {
        let trips = accesses.constant_trips(along_x);
        let is_short = trips.is_some_and(|trips| trips < i128::from(WARP));
        let others = (0..depth).rev().filter(|n| *n != along_x);
        let all: Vec<usize> = others.clone().collect();
        let most_reuse = weights.most_reuse(&all);
        let along_y = all.iter().filter(|n| is_short || Some(**n) == most_reuse);
        for &along_y in along_y {
            let rest = others.clone().filter(|n| *n != along_y);
            let order = [along_x, along_y].into_iter().chain(rest);
            let order: Order = order.take(Axis::ALL.len()).collect();
            let cost = cost(&order, accesses, weights, known);
            candidates.push(Candidate { order, cost });
        }
    }
    candidates
}

/// Transactions for a warp's worth of iterations.
#[allow(clippy::cast_precision_loss, reason = "weights of an estimate")]
fn cost(order: &[usize], nest: &Nest, weights: &Weights, known: &Endless) -> f64 {
    let mut distributions = vec![Distribution::SEQUENTIAL; nest.loops.len()];
    for (number, axis) in order.iter().zip(Axis::ALL) {
        if let Some(distribution) = distributions.get_mut(*number) {
            *distribution = Distribution::grid(axis);
        }
    }
    let extents: Vec<Option<i128>> = order.iter().map(|n| nest.constant_trips(*n)).collect();
    let block = launch_configuration::flat_shape(&extents);
    let threads = Threads {
        distributions: &distributions,
        block,
    };
    let mut sum = 0.0;
    for (reference, iterations) in nest.references.iter().zip(weights.iterations.iter()) {
        let prediction = known.predict(reference, nest, &threads);
        let Some((transactions, _)) = prediction.and_then(|p| p.full.of_a_request()) else {
            continue;
        };
        let distribution = reference.within.iter();
        let distribution = distribution.filter(|number| !distributions[**number].is_sequential());
        let shared: f64 = distribution
            .map(|n| nest.typical_trips(*n) as f64)
            .product();
        sum += iterations / shared * transactions;
    }
    sum / used_lanes(&extents, block)
}

/// The part of a warp's lanes that have an iteration. Beyond a warp's own
/// lanes only whole warps are idle, which ask for nothing.
#[allow(clippy::cast_precision_loss, reason = "parts of a block")]
fn used_lanes(extents: &[Option<i128>], block: [u32; 3]) -> f64 {
    let mut lanes = 1;
    let mut used = 1.0;
    for (extent, threads) in extents.iter().zip(block) {
        let rest = i128::from(threads.min(WARP / lanes));
        if let Some(n @ 1..) = extent
            && *n < i128::from(WARP)
        {
            used *= *n as f64 / ((n + rest - 1) / rest * rest) as f64;
        }
        lanes *= threads.min(WARP / lanes);
        if lanes >= WARP {
            break;
        }
    }
    used
}
