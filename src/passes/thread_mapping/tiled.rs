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

use super::{Levels, is_parallel, only_loop};
use crate::analysis::effects::{Effects, Oracle, Place};
use crate::analysis::scope::Scope;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{
    Axis, DeviceFunction, Kernel, Loop, Scheme, Spread, Statement, StatementKind, Tile, TileCount,
    WindowProof, visit,
};
use crate::passes::synthesis;
use crate::source::Span;
use crate::typed::{IntegerKind, SymbolId, Type, TypeId, Unit};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// Whether a kernel has windows, or barriers of the user's.
pub fn has_windows(kernel: &Kernel) -> bool {
    contains(&kernel.body)
}

fn contains(list: &[Statement]) -> bool {
    let mut found = false;
    visit::walk(list, &mut |s| {
        found |= matches!(
            s.kind,
            StatementKind::Windows(_) | StatementKind::Barrier(_)
        );
    });
    found
}

/// What a loop of the nest is to the block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
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
    unit: &mut Unit,
) -> Result<bool, Diagnostic> {
    match nest(kernel, functions, unit) {
        Ok(plan) => {
            spread(kernel, &plan, unit);
            kernel.scheme = Some(Scheme::Flat);
            Ok(true)
        }
        Err(_) if may_be_dropped(kernel) => {
            drop_windows(&mut kernel.body);
            Ok(false)
        }
        Err(refusal) => Err(refusal.report(kernel)),
    }
}

/// Why a nest cannot be served.
struct Refusal {
    message: String,
    span: Span,
    help: &'static str,
}

impl Refusal {
    fn new(message: impl Into<String>, span: Span, help: &'static str) -> Self {
        let message = message.into();
        Self {
            message,
            span,
            help,
        }
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

/// Whether a kernel's windows are such that the program means the same
/// without them.
pub fn may_be_dropped(kernel: &Kernel) -> bool {
    let mut droppable = true;
    visit::walk(&kernel.body, &mut |s| match &s.kind {
        StatementKind::Windows(region) => {
            droppable &= region
                .windows
                .iter()
                .all(|window| window.proof == WindowProof::Selected);
        }
        StatementKind::Barrier(_) => droppable = false,
        _ => {}
    });
    droppable
}

fn drop_windows(list: &mut [Statement]) {
    for statement in list {
        if let StatementKind::Windows(region) = &mut statement.kind {
            let body = std::mem::take(&mut region.body);
            statement.kind = StatementKind::Block(body);
        }
        visit::blocks_mut(statement, &mut |inner| drop_windows(inner));
    }
}

/// Decides the parallel loops around the windows.
fn nest(kernel: &Kernel, functions: &[DeviceFunction], unit: &Unit) -> Result<Plan, Refusal> {
    let mut path = Vec::new();
    follow(&kernel.body, &is_asked, &mut path)?;
    if path.is_empty() {
        follow(&kernel.body, &is_parallel, &mut path)?;
        // Only those without another loop in between.
        let perfect = path
            .windows(2)
            .take_while(|pair| only_loop(&pair[0].body).is_some_and(|l| std::ptr::eq(l, pair[1])))
            .count();
        path.truncate(perfect + 1);
    }
    let Some(&innermost) = path.last() else {
        return Err(Refusal::new(
            "no loop around the windows is parallel",
            kernel.span,
            "windows are shared by the iterations of a parallel loop: put `loop independent` on \
             the one around them",
        ));
    };
    let plan = Plan::new(&path);
    let oracle = Oracle::new(unit, functions);
    let scope = Scope::of(kernel, unit);
    private_between(&kernel.body, innermost, &scope, &oracle)?;
    no_inner_reductions(kernel, &path)?;
    plan.rectangular(kernel, &scope, &oracle)?;
    Ok(plan)
}

/// A parallel loop by the user's word.
fn is_asked(l: &Loop) -> bool {
    is_parallel(l) && l.request.directive
}

/// Whether a parallel loop with windows is in a statement.
fn leads_on(statement: &Statement, parallel: &dyn Fn(&Loop) -> bool) -> bool {
    let mut found = false;
    visit::loops(std::slice::from_ref(statement), &mut |l| {
        found |= parallel(l) && contains(&l.body);
    });
    found
}

/// Follows parallel loops down to the windows.
fn follow<'a>(
    list: &'a [Statement],
    parallel: &dyn Fn(&Loop) -> bool,
    path: &mut Vec<&'a Loop>,
) -> Result<(), Refusal> {
    let mut leading = list.iter().filter(|s| leads_on(s, parallel));
    let Some(next) = leading.next() else {
        return Ok(());
    };
    let has_others = list
        .iter()
        .any(|s| !std::ptr::eq(s, next) && contains(std::slice::from_ref(s)));
    if has_others {
        return Err(Refusal::new(
            "windows stand in several loop nests of one kernel",
            next.span,
            "give each nest a construct of its own",
        ));
    }
    if let StatementKind::Loop(l) = &next.kind
        && parallel(l)
    {
        path.push(l);
    }
    let mut result = Ok(());
    visit::blocks(next, &mut |body| {
        if result.is_ok() {
            result = follow(body, parallel, path);
        }
    });
    result
}

/// Checks that code outside the innermost loop of the nest may be run by each
/// thread for itself.
fn private_between(
    list: &[Statement],
    innermost: &Loop,
    scope: &Scope,
    oracle: &Oracle,
) -> Result<(), Refusal> {
    for statement in list {
        let refuse = |effects: &Effects| {
            let is_private = !effects.impure && effects.writes.iter().all(|&w| scope.is_private(w));
            if is_private {
                return Ok(());
            }
            Err(Refusal::new(
                "this code between the loops of a nest with windows has an effect",
                statement.span,
                "each thread of the block would run it: move it into the innermost parallel loop, \
                 or into a construct of its own",
            ))
        };
        let is_innermost = |s: &Statement| matches!(&s.kind, StatementKind::Loop(l) if std::ptr::eq(&**l, innermost));
        let mut around = false;
        visit::walk(std::slice::from_ref(statement), &mut |s| {
            around |= is_innermost(s)
        });
        if !around {
            refuse(&oracle.statement(statement))?;
            continue;
        }
        let mut result = Ok(());
        visit::own_expressions(statement, &mut |e| {
            if result.is_ok() {
                result = refuse(&oracle.expression(e));
            }
        });
        if !is_innermost(statement) {
            visit::blocks(statement, &mut |body| {
                if result.is_ok() {
                    result = private_between(body, innermost, scope, oracle);
                }
            });
        }
        result?;
    }
    Ok(())
}

/// Checks that no reduction ends before the nest does.
fn no_inner_reductions(kernel: &Kernel, path: &[&Loop]) -> Result<(), Refusal> {
    let declared = visit::declared(&kernel.body);
    let inner = path.iter().enumerate().find_map(|(depth, l)| {
        l.reductions.iter().find(|r| {
            let of_outer = path[..depth]
                .iter()
                .any(|outer| outer.privates.contains(&r.symbol));
            of_outer || declared.contains(&r.symbol)
        })
    });
    match inner {
        None => Ok(()),
        Some(reduction) => Err(Refusal::new(
            "a reduction inside a nest with windows",
            reduction.span,
            "reduce a variable from outside the nest, or let each iteration sum up for itself",
        )),
    }
}

/// One parallel loop of the nest.
struct Step {
    induction: SymbolId,
    /// With `induction`: which loop it is.
    header: Span,
    role: Role,
    /// Asks for gangs.
    gang: bool,
    /// Asks for lanes.
    vector: bool,
    /// Asks for workers.
    worker: bool,
}

impl Step {
    fn is(&self, l: &Loop) -> bool {
        self.induction == l.induction && self.header == l.header
    }
}

/// What becomes of the parallel loops of a nest, outer ones first.
struct Plan(Vec<Step>);

impl Plan {
    /// Gives each loop its role: `gang` alone is blocks, everything else
    /// threads, at most three loops.
    fn new(path: &[&Loop]) -> Self {
        let step = |l: &&Loop| {
            let levels = Levels::requested(&l.request);
            Step {
                induction: l.induction,
                header: l.header,
                role: Role::Threads,
                gang: levels.gang,
                vector: levels.vector,
                worker: levels.worker,
            }
        };
        let mut plan = Self(path.iter().map(step).collect());
        plan.assign();
        plan
    }

    fn assign(&mut self) {
        let last = self.0.len() - 1;
        let any_gang = self.0.iter().any(|s| s.gang);
        let any_threads = self.0.iter().any(|s| s.vector || s.worker);
        let mut below_vector = false;
        for index in 0..self.0.len() {
            let step = &self.0[index];
            let silent = !step.gang && !step.vector && !step.worker;
            let threads_inside = self.0[index + 1..].iter().any(|s| s.vector || s.worker);
            let role = if silent && below_vector {
                // Its directive leaves it no level.
                Role::Sequential
            } else if index == last || step.vector || step.worker {
                Role::Threads
            } else if step.gang || silent && any_threads && !any_gang && threads_inside {
                Role::Blocks
            } else {
                Role::Threads
            };
            below_vector |= step.vector;
            self.0[index].role = role;
        }
        let threads = self.0.iter().filter(|s| s.role == Role::Threads).count();
        let surplus = threads.saturating_sub(AXES.len());
        let outer = self.0.iter_mut().filter(|s| s.role == Role::Threads);
        outer.take(surplus).for_each(|s| s.role = Role::Sequential);
    }

    /// The spreads: threads along x, y, z from the innermost outwards.
    fn spreads(&self) -> Vec<Spread> {
        let mut spreads = vec![Spread::SEQUENTIAL; self.0.len()];
        let of_role = |role: Role| {
            let all = self.0.iter().enumerate().rev();
            all.filter(move |(_, s)| s.role == role).map(|(i, _)| i)
        };
        let has_blocks = of_role(Role::Blocks).next().is_some();
        let asks = |i: usize| self.0[i].gang;
        let gang_inside = of_role(Role::Threads).any(asks);
        let all_vector = of_role(Role::Threads).all(|i| self.0[i].vector);
        let mut free: Vec<Axis> = AXES.to_vec();
        for (axis, index) in AXES.into_iter().zip(of_role(Role::Threads)) {
            let alike = !has_blocks && (!gang_inside || all_vector);
            spreads[index] = Spread::grid(axis);
            if alike || asks(index) {
                free.retain(|&other| other != axis);
            } else {
                spreads[index].blocks = None;
            }
        }
        let threads = of_role(Role::Threads).count();
        let outer = of_role(Role::Blocks).count();
        if free.len() == AXES.len() {
            // The grid counts blocks, not threads, along the axes of these.
            free = if outer == 1 {
                vec![Axis::X]
            } else {
                AXES[threads..].to_vec()
            };
            if free.is_empty() {
                free.push(Axis::X);
            }
        }
        let kept = outer.saturating_sub(free.len());
        // Where axes are short, the outer loops have them.
        for (axis, index) in free.into_iter().zip(of_role(Role::Blocks).skip(kept)) {
            spreads[index].blocks = Some(axis);
        }
        spreads
    }

    /// Checks that all threads of a block agree on the bounds of the loops
    /// that they share.
    fn rectangular(&self, kernel: &Kernel, scope: &Scope, oracle: &Oracle) -> Result<(), Refusal> {
        let written: Vec<Place> = oracle
            .list(&kernel.body)
            .writes
            .into_iter()
            .filter(|&place| !scope.is_private(place))
            .collect();
        let mut varying: Vec<SymbolId> = Vec::new();
        let threads = self.0.iter().filter(|s| s.role == Role::Threads);
        varying.extend(threads.clone().map(|s| s.induction));
        spread_variation(&kernel.body, &mut varying, &written, scope, oracle);
        let mut result = Ok(());
        visit::loops(&kernel.body, &mut |l| {
            if result.is_err() || !threads.clone().any(|s| s.is(l)) {
                return;
            }
            for e in [&l.lower, &l.bound, &l.step] {
                let others: Vec<SymbolId> = varying
                    .iter()
                    .copied()
                    .filter(|&symbol| symbol != l.induction)
                    .collect();
                if varies(&oracle.expression(e), &others, &written, scope) {
                    result = Err(Refusal::new(
                        "the threads of a block may disagree on a bound of this loop",
                        l.header,
                        "loops that threads share around windows need bounds that do not depend \
                         on each other or on what the kernel writes",
                    ));
                }
            }
        });
        result
    }
}

/// Whether a value may differ between the threads of a block.
fn varies(effects: &Effects, varying: &[SymbolId], written: &[Place], scope: &Scope) -> bool {
    effects.impure
        || effects.volatile
        || effects.reads.iter().any(|&place| match place {
            Place::Variable(symbol) if scope.is_private(place) => varying.contains(&symbol),
            _ => written.iter().any(|&w| scope.may_alias(place, w)),
        })
}

/// Adds what is computed from varying values, statement by statement, until
/// nothing changes.
fn spread_variation(
    list: &[Statement],
    varying: &mut Vec<SymbolId>,
    written: &[Place],
    scope: &Scope,
    oracle: &Oracle,
) {
    loop {
        let known = varying.len();
        visit::walk(list, &mut |statement| {
            let effects = oracle.statement(statement);
            if !varies(&effects, varying, written, scope) {
                return;
            }
            let simple = matches!(
                statement.kind,
                StatementKind::Expression(_) | StatementKind::Declaration(_)
            );
            let own = match &statement.kind {
                StatementKind::If(e, ..)
                | StatementKind::While(e, _)
                | StatementKind::DoWhile(_, e)
                | StatementKind::Switch(e, _) => {
                    varies(&oracle.expression(e), varying, written, scope)
                }
                _ => simple,
            };
            if own {
                varying.extend(effects.writes.iter().filter_map(|place| match place {
                    Place::Variable(symbol) => Some(*symbol),
                    _ => None,
                }));
            }
        });
        varying.sort_unstable();
        varying.dedup();
        if varying.len() == known {
            return;
        }
    }
}

/// Writes the decision into the loops.
fn spread(kernel: &mut Kernel, plan: &Plan, unit: &mut Unit) {
    let spreads = plan.spreads();
    let long = unit.types.intern(Type::Integer(IntegerKind::LongLong));
    let mut tiles = Vec::new();
    for (step, &spread) in plan.0.iter().zip(&spreads) {
        let tile = (spread.threads != [false; 3]).then(|| tile(kernel, step, long, unit));
        tiles.push((step, spread, tile));
    }
    visit::loops_mut(&mut kernel.body, &mut |l| {
        let found = tiles.iter().find(|(step, ..)| step.is(l));
        l.spread = Some(found.map_or(Spread::SEQUENTIAL, |(_, spread, _)| *spread));
        l.tile = found.and_then(|(.., tile)| *tile);
    });
}

/// The variables of a tiled loop.
fn tile(kernel: &Kernel, step: &Step, long: TypeId, unit: &mut Unit) -> Tile {
    let name = unit.symbol(step.induction).name.clone();
    let ty = unit.symbol(step.induction).ty.ty;
    let mut strides = true;
    visit::loops(&kernel.body, &mut |l| {
        if step.is(l) {
            strides = l.strides(unit);
        }
    });
    let mut variable = |suffix: &str, ty: TypeId| {
        synthesis::kernel_variable(unit, kernel, &[], &format!("{name}_{suffix}"), ty)
    };
    let first = variable("first", ty);
    let count = (!strides).then(|| TileCount {
        trips: variable("trips", long),
        tile: variable("tile", long),
        number: variable("number", long),
    });
    Tile { first, count }
}
