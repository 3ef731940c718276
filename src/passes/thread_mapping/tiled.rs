//! The tiled scheme: kernels in which threads of a block share windows.
//!
//! All threads of a block must have iterations of one tile at a time, and all
//! must reach every barrier. So the loops around the windows are one nest,
//! whatever else the general mapping would make of them:
//!
//! ```c
//! #pragma acc loop gang            // blocks; the same in all their threads
//! for (int p = 0; p < planes; p++)
//!     #pragma acc loop vector(16)  // tiles of 16 along y
//!     for (int i = 0; i < n; i++) {
//!         int r = first[i];        // each thread by itself
//!         #pragma acc loop vector(16)      // tiles of 16 along x
//!         for (int j = 0; j < m; j++) { windows … }
//!     }
//! ```

use super::imperfect_nests::Between;
use super::{flat, is_parallel, only_loop};
use crate::analysis::block_affine::Defeat;
use crate::analysis::effects::Oracle;
use crate::analysis::scope::Scope;
use crate::analysis::uniformity::Uniformity;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{
    Axis, DeviceFunction, Distribution, Kernel, Loop, PerLevel, Reduction, Scheme, Statement,
    StatementKind, Tile, TileCount, Window, WindowProof, visit,
};
use crate::passes::software_cache::refusal;
use crate::passes::variables;
use crate::source::Span;
use crate::typed::{IntegerKind, SymbolId, Type, TypeId, Unit};

/// What a loop of the nest is to the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its iterations are those of the block's threads, a tile at a time.
    Threads,
    /// Its variable is the same in all threads of the block.
    Blocks,
    /// Each thread runs all its iterations.
    Sequential,
}

/// Maps a kernel with windows. Where it cannot be done, windows that may not
/// change the result are given up; for others that is an error.
///
/// # Errors
/// The nest around the windows cannot be served.
pub fn map(
    kernel: &mut Kernel,
    functions: &[DeviceFunction],
    unit: &Unit,
    notes: &mut Vec<Diagnostic>,
) -> Result<bool, Diagnostic> {
    match nest(kernel, functions, unit) {
        Ok(plan) => {
            distribution(kernel, &plan, unit);
            share_out(kernel, &plan, functions, unit);
            kernel.scheme = Some(Scheme::Flat);
            Ok(true)
        }
        Err(refusal) if kernel.windows_may_be_dropped() => {
            notes.extend(refusal.notes(kernel));
            drop_windows(&mut kernel.body);
            Ok(false)
        }
        Err(refusal) => Err(refusal.report(kernel)),
    }
}

/// Why a nest cannot be served.
pub struct Refusal {
    message: String,
    span: Span,
    help: String,
}

impl Refusal {
    pub fn new(message: impl Into<String>, span: Span, help: impl Into<String>) -> Self {
        let (message, help) = (message.into(), help.into());
        Self {
            message,
            span,
            help,
        }
    }

    /// That each window which the program asks for is given up.
    fn notes(&self, kernel: &Kernel) -> Vec<Diagnostic> {
        let mut notes = Vec::new();
        visit::walk(&kernel.body, &mut |s| {
            let StatementKind::Windows(region) = &s.kind else {
                return;
            };
            let is_asked_for = |window: &&Window| window.proof == WindowProof::Selected;
            notes.extend(region.windows.iter().filter(is_asked_for).map(|window| {
                let (span, reason) = (self.span, self.message.clone());
                refusal::given_up(window, Defeat { span, reason })
            }));
        });
        notes
    }

    fn report(self, kernel: &Kernel) -> Diagnostic {
        let mut directive = None;
        visit::walk(&kernel.body, &mut |s| {
            if let StatementKind::Windows(region) = &s.kind {
                directive = directive.or(Some(region.directive));
            }
        });
        let error = Diagnostic::error(codes::NEST_OF_WINDOWS, self.message, self.span);
        let error = match directive {
            Some(span) => error.also(span, "these windows are shared by a block"),
            None => error,
        };
        error.help(self.help)
    }
}

fn drop_windows(list: &mut Vec<Statement>) {
    visit::lists_mut(list, &mut |list| {
        for statement in std::mem::take(list) {
            match statement.kind {
                StatementKind::Windows(region) if visit::declared(&region.body).is_empty() => {
                    list.extend(region.body);
                }
                StatementKind::Windows(region) => {
                    list.push(StatementKind::Block(region.body).at(statement.span));
                }
                _ => list.push(statement),
            }
        }
    });
}

/// Decides the parallel loops around the windows.
fn nest(kernel: &Kernel, functions: &[DeviceFunction], unit: &Unit) -> Result<Plan, Refusal> {
    let mut path = Vec::new();
    follow(&kernel.body, &is_requested, &mut path);
    if path.is_empty() {
        follow(&kernel.body, &is_parallel, &mut path);
        // Only those without another loop in between.
        let perfect = path
            .windows(2)
            .take_while(|pair| only_loop(&pair[0].body).is_some_and(|l| std::ptr::eq(l, pair[1])))
            .count();
        path.truncate(perfect + 1);
    }
    // Windows that leave the result as it is leave the mapping, too: loops of the nest that only
    // analysis found parallel are shared as without them.
    let whole = flat::nest(kernel).filter(|whole| {
        let is_longer = whole.len() > path.len() && kernel.windows_may_be_dropped();
        let both = whole.iter().zip(&path);
        let begins_alike = both.into_iter().all(|(a, b)| std::ptr::eq(*a, *b));
        is_longer && begins_alike && whole.last().is_some_and(|l| visit::has_windows(&l.body))
    });
    let path = whole.unwrap_or(path);
    if kernel.windows_may_be_dropped()
        && let Some(inner) = shared_inside(&kernel.body)
    {
        return Err(Refusal::new(
            "a loop inside shares its iterations among the threads of the block",
            inner,
            "put the directive with the windows into it",
        ));
    }
    if path.is_empty() {
        return Err(Refusal::new(
            "no loop around the windows is parallel",
            kernel.span,
            "windows are shared by the iterations of a parallel loop: put `loop independent` on \
             the one around them",
        ));
    }
    let mut plan = Plan::new(&path, kernel);
    let oracle = Oracle::new(unit, functions);
    let scope = Scope::of(kernel, unit);
    plan.add_siblings(kernel, &path, &scope, &oracle)?;
    let between = plan.between(&scope, &oracle);
    inner_reductions(kernel, &path, &between)?;
    between.check(&kernel.body)?;
    plan.rectangular(kernel, &scope, &oracle)?;
    Ok(plan)
}

/// The loop by the user's word inside windows: they are for the iterations of loops around them.
fn shared_inside(body: &[Statement]) -> Option<Span> {
    let mut found = None;
    visit::walk(body, &mut |s| {
        if let StatementKind::Windows(region) = &s.kind {
            visit::loops(&region.body, &mut |l| {
                found = found.or(is_requested(l).then_some(l.header));
            });
        }
    });
    found
}

/// A parallel loop by the user's word.
fn is_requested(l: &Loop) -> bool {
    is_parallel(l) && l.schedule.directive
}

/// Whether a parallel loop with windows is in a statement.
fn leads_on(statement: &Statement, parallel: &dyn Fn(&Loop) -> bool) -> bool {
    visit::any_loop(std::slice::from_ref(statement), &mut |l| {
        parallel(l) && visit::has_windows(&l.body)
    })
}

/// Follows parallel loops down to the windows.
fn follow<'a>(list: &'a [Statement], parallel: &dyn Fn(&Loop) -> bool, path: &mut Vec<&'a Loop>) {
    let mut leading = list.iter().filter(|s| leads_on(s, parallel));
    let Some(next) = leading.next() else {
        return;
    };
    if let StatementKind::Loop(l) = &next.kind
        && parallel(l)
    {
        path.push(l);
    }
    visit::blocks(next, &mut |body| follow(body, parallel, path));
}

/// Puts what is to be done once into one thread.
fn share_out(kernel: &mut Kernel, plan: &Plan, functions: &[DeviceFunction], unit: &Unit) {
    let oracle = Oracle::new(unit, functions);
    let scope = Scope::of(kernel, unit);
    let mut body = std::mem::take(&mut kernel.body);
    plan.between(&scope, &oracle).rewrite(&mut body);
    kernel.body = body;
}

/// A reduction of a loop that ends before the loops around it do: of a variable
/// that is private to one of them, or declared in the kernel.
fn inner_reduction<'l>(
    l: &'l Loop,
    around: &[&Loop],
    declared: &[SymbolId],
) -> Option<&'l Reduction> {
    l.reductions.iter().find(|r| {
        let is_private = |outer: &&Loop| outer.privates.contains(&r.symbol);
        around.iter().any(is_private) || declared.contains(&r.symbol)
    })
}

/// Checks the reductions that end before the nest does: the threads of one
/// block combine their values behind the loop that they share.
fn inner_reductions(kernel: &Kernel, path: &[&Loop], between: &Between<'_>) -> Result<(), Refusal> {
    let declared = visit::declared(&kernel.body);
    let inner = path.iter().enumerate().find_map(|(depth, l)| {
        let found = inner_reduction(l, &path[..depth], &declared);
        found.map(|reduction| (depth, reduction))
    });
    let Some((depth, reduction)) = inner else {
        return Ok(());
    };
    let threads = between.steps.iter().filter(|s| s.role == Role::Threads);
    let mut threads = threads.filter(|s| !s.is_sibling);
    let is_shared = between.steps[depth].role == Role::Threads && threads.nth(1).is_none();
    let is_direct = (depth > 0) && stands_in(&path[depth - 1].body, path[depth]);
    let PerLevel { block, lane, .. } = kernel.words.levels;
    let help = if !is_shared || !between.is_of_one_block() {
        format!(
            "the threads of one block can combine their values: put `{block}` on the outer loop \
             alone and `{lane}` with the reduction on the one inner loop"
        )
    } else if !is_direct {
        format!(
            "all threads of the block combine their values here: move the loop out of the \
             statement around it, directly into the `{block}` loop"
        )
    } else {
        return Ok(());
    };
    let message = "a reduction ends inside a nest with windows";
    Err(Refusal::new(message, reduction.span, help))
}

/// Whether a loop stands in a list, or in blocks of it.
fn stands_in(list: &[Statement], wanted: &Loop) -> bool {
    list.iter().any(|statement| match &statement.kind {
        StatementKind::Loop(l) => std::ptr::eq(&**l, wanted),
        StatementKind::Block(inner) => stands_in(inner, wanted),
        _ => false,
    })
}

/// One parallel loop of the nest.
pub struct Step {
    induction: SymbolId,
    /// With `induction`: which loop it is.
    header: Span,
    pub role: Role,
    /// The levels that it asks for.
    levels: PerLevel<bool>,
    /// No other one of the nest is inside.
    pub is_innermost: bool,
    /// Follows or precedes the innermost loop of the nest around windows, and
    /// is shared as that is.
    is_sibling: bool,
}

impl Step {
    fn new(l: &Loop) -> Self {
        Self {
            induction: l.induction,
            header: l.header,
            role: Role::Threads,
            levels: l.schedule.levels,
            is_innermost: false,
            is_sibling: false,
        }
    }

    /// Whether this is the loop.
    pub fn is(&self, l: &Loop) -> bool {
        self.induction == l.induction && self.header == l.header
    }
}

/// The loops by the user's word in a list that are not in the nest, and
/// whether they stand directly in it.
fn siblings<'a>(list: &'a [Statement], path: &[&Loop], found: &mut Vec<(&'a Loop, bool)>) {
    for statement in list {
        match &statement.kind {
            StatementKind::Loop(l) if path.iter().any(|p| std::ptr::eq(*p, &**l)) => {}
            StatementKind::Loop(l) if is_requested(l) => found.push((l, true)),
            kind => {
                let before = found.len();
                visit::blocks(statement, &mut |body| siblings(body, path, found));
                if !matches!(kind, StatementKind::Block(_)) {
                    found[before..]
                        .iter_mut()
                        .for_each(|(_, direct)| *direct = false);
                }
            }
        }
    }
}

/// The places of windows outside of some loops.
fn regions(list: &[Statement], is_known: &dyn Fn(&Loop) -> bool, found: &mut Vec<Span>) {
    for statement in list {
        match &statement.kind {
            StatementKind::Loop(l) if is_known(l) => {}
            StatementKind::Windows(region) => found.push(region.directive),
            StatementKind::Barrier(_) => found.push(statement.span),
            _ => visit::blocks(statement, &mut |body| regions(body, is_known, found)),
        }
    }
}

/// What becomes of the parallel loops of a nest, outer ones first.
struct Plan {
    steps: Vec<Step>,
    /// The construct has one block, so that its loops over threads are those of
    /// one block.
    has_one_block: bool,
}

impl Plan {
    /// Gives each loop its role: `gang` alone is blocks, everything else
    /// threads, at most three loops.
    fn new(path: &[&Loop], kernel: &Kernel) -> Self {
        let mut plan = Self {
            steps: path.iter().map(|l| Step::new(l)).collect(),
            has_one_block: kernel.has_one_block(),
        };
        if let Some(last) = plan.steps.last_mut() {
            last.is_innermost = true;
        }
        plan.assign();
        plan
    }

    /// The code between the loops.
    fn between<'a>(&'a self, scope: &'a Scope, oracle: &'a Oracle<'a>) -> Between<'a> {
        Between {
            scope,
            oracle,
            steps: &self.steps,
            distributions: self.distributions(),
            has_one_block: self.has_one_block,
        }
    }

    /// Adds the other loops by the user's word in the innermost one over
    /// blocks, where the threads of a block share just one.
    fn add_siblings(
        &mut self,
        kernel: &Kernel,
        path: &[&Loop],
        scope: &Scope,
        oracle: &Oracle,
    ) -> Result<(), Refusal> {
        let main = self.steps.len();
        let roles = self.steps.iter().map(|s| s.role);
        let threads = roles.filter(|&role| role == Role::Threads).count();
        let has_one = threads == 1 && path.iter().all(|l| is_requested(l));
        let list = match main.checked_sub(2) {
            Some(outer) => &path[outer].body,
            None => &kernel.body,
        };
        let declared = visit::declared(&kernel.body);
        let mut found = Vec::new();
        if has_one {
            siblings(list, path, &mut found);
        }
        for (l, is_direct) in found {
            self.steps.push(Step {
                role: Role::Threads,
                is_innermost: true,
                is_sibling: true,
                ..Step::new(l)
            });
            let inner = inner_reduction(l, path, &declared);
            let is_reduced = inner.is_none() || is_direct && main > 1;
            if visit::has_windows(&l.body) {
                if let Some(reduction) = inner.filter(|_| !is_reduced) {
                    return Err(Refusal::new(
                        "a reduction ends inside a nest with windows",
                        reduction.span,
                        format!(
                            "all threads of a block combine their values here: put the loop \
                             directly into a `{}` loop",
                            kernel.words.levels.block
                        ),
                    ));
                }
            } else if !is_reduced || self.rectangular(kernel, scope, oracle).is_err() {
                self.steps.pop();
            }
        }
        let mut nests: Vec<Span> = Vec::new();
        regions(
            &kernel.body,
            &|l| self.steps.iter().any(|s| s.is_innermost && s.is(l)),
            &mut nests,
        );
        match nests.first() {
            None => Ok(()),
            Some(&span) => Err(Refusal::new(
                "windows stand in several loop nests of one kernel",
                span,
                "give each nest a construct of its own",
            )),
        }
    }

    fn assign(&mut self) {
        let last = self.steps.len() - 1;
        let any_blocks = self.steps.iter().any(|s| s.levels.block);
        let any_threads = self.steps.iter().any(|s| s.levels.lane || s.levels.row);
        let mut below_lanes = false;
        for index in 0..self.steps.len() {
            let step = &self.steps[index];
            let silent = !step.levels.any();
            let threads_inside = self.steps[index + 1..]
                .iter()
                .any(|s| s.levels.lane || s.levels.row);
            let role = if silent && below_lanes {
                // Its directive leaves it no level.
                Role::Sequential
            } else if index == last || step.levels.lane || step.levels.row {
                Role::Threads
            } else if step.levels.block || silent && any_threads && !any_blocks && threads_inside {
                Role::Blocks
            } else {
                Role::Threads
            };
            below_lanes |= step.levels.lane;
            self.steps[index].role = role;
        }
        let threads = self
            .steps
            .iter()
            .filter(|s| s.role == Role::Threads)
            .count();
        let surplus = threads.saturating_sub(Axis::ALL.len());
        let outer = self.steps.iter_mut().filter(|s| s.role == Role::Threads);
        outer.take(surplus).for_each(|s| s.role = Role::Sequential);
    }

    /// The distributions: threads along x, y, z from the innermost outwards.
    fn distributions(&self) -> Vec<Distribution> {
        let mut distributions = vec![Distribution::SEQUENTIAL; self.steps.len()];
        let of_role = |role: Role| {
            let all = self.steps.iter().enumerate().rev();
            all.filter(move |(_, s)| s.role == role && !s.is_sibling)
                .map(|(i, _)| i)
        };
        let has_blocks = of_role(Role::Blocks).next().is_some();
        let asks = |i: usize| self.steps[i].levels.block;
        let blocks_inside = of_role(Role::Threads).any(asks);
        let all_lanes = of_role(Role::Threads).all(|i| self.steps[i].levels.lane);
        // Axes of the grid along which loops over blocks alone may lie.
        let mut free: Vec<Axis> = Axis::ALL.to_vec();
        for (axis, index) in Axis::ALL.into_iter().zip(of_role(Role::Threads)) {
            let alike = !has_blocks && (!blocks_inside || all_lanes);
            distributions[index] = Distribution::grid(axis);
            if asks(index) || alike && !self.has_one_block {
                free.retain(|&other| other != axis);
            } else {
                distributions[index].blocks = None;
            }
        }
        let kept = of_role(Role::Blocks).count().saturating_sub(free.len());
        // Where axes are short, the outer loops have them.
        for (axis, index) in free.into_iter().zip(of_role(Role::Blocks).skip(kept)) {
            distributions[index].blocks = Some(axis);
        }
        let shared = of_role(Role::Threads).next().map(|i| distributions[i]);
        for (step, distribution) in self.steps.iter().zip(&mut distributions) {
            if let (true, Some(shared)) = (step.is_sibling, shared) {
                *distribution = shared;
            }
        }
        distributions
    }

    /// Checks that all threads of a block agree on the bounds of the loops
    /// that they share.
    fn rectangular(&self, kernel: &Kernel, scope: &Scope, oracle: &Oracle) -> Result<(), Refusal> {
        let threads = self.steps.iter().filter(|s| s.role == Role::Threads);
        let is_shared = |l: &Loop| threads.clone().any(|s| s.is(l));
        let answers = Uniformity::by_tiles(kernel, &is_shared, scope, oracle);
        let mut result = Ok(());
        visit::loops(&kernel.body, &mut |l| {
            let mut header = l.limits().into_iter();
            if result.is_ok() && is_shared(l) && !header.all(|e| answers.is_uniform(e)) {
                result = Err(Refusal::new(
                    "the threads of a block may disagree on a bound of this loop",
                    l.header,
                    "loops that threads share around windows need bounds that do not depend \
                     on each other or on what the kernel writes",
                ));
            }
        });
        result
    }
}

/// Writes the decision into the loops.
fn distribution(kernel: &mut Kernel, plan: &Plan, unit: &Unit) {
    let distributions = plan.distributions();
    let mut decided = Vec::new();
    let mut added = Vec::new();
    visit::loops(&kernel.body, &mut |l| {
        let mut steps = plan.steps.iter().zip(&distributions);
        let found = steps.find(|(step, _)| step.is(l));
        let distribution = found.map_or(Distribution::SEQUENTIAL, |(_, own)| *own);
        let is_tiled = distribution.threads != [false; 3];
        decided.push((
            distribution,
            is_tiled.then(|| tile(kernel, &mut added, l, unit)),
        ));
    });
    let mut decided = decided.into_iter();
    visit::loops_mut(&mut kernel.body, &mut |l| {
        let (distribution, tile) = decided.next().unwrap_or_default();
        (l.distribution, l.tile) = (Some(distribution), tile);
    });
}

/// The variables of a tiled loop. The one that is declared before it is `added` to those of the
/// kernel: a loop behind has another.
pub fn tile(kernel: &Kernel, added: &mut Vec<SymbolId>, l: &Loop, unit: &Unit) -> Tile {
    let induction = unit.symbol(l.induction);
    let variable = |added: &[SymbolId], suffix: &str, ty: TypeId| {
        let wanted = format!("{}_{suffix}", induction.name);
        variables::kernel_variable(unit, kernel, added, &wanted, ty)
    };
    let first = variable(&[], "first", induction.ty.ty);
    let long = unit.types.intern(Type::Integer(IntegerKind::LongLong));
    let count = (!l.strides(unit)).then(|| TileCount {
        trips: variable(added, "trips", long),
        tile: variable(&[], "tile", long),
        number: variable(&[], "number", long),
    });
    added.extend(count.map(|count| count.trips));
    Tile { first, count }
}
