//! Where the variables of a kernel live once it is several launches.
//!
//! ```c
//! for (int k = 0; k < n; k++) {     // on the host
//!     double norm = 0;              // launch 1: device memory, since launch 2
//!     for (int i = 0; i < m; i++)   // launch 2    adds to what launch 1 wrote
//!         norm += a[i][k] * a[i][k];
//!     double half = norm / 2;       // launch 3: its own
//!     r[k] = half;
//! }
//! ```
//!
//! A variable is in device memory if a launch reads what another one, or the
//! same one in another iteration, may have written, or if the host reads it.
//! Otherwise each launch has its own.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::Plan;
use super::values::is_number;
use super::{Refusal, mentions};
use crate::analysis::flow;
use crate::ir::{Kernel, Region, Statement, StatementKind, Step, reads, visit, walk_steps};
use crate::typed::synthesis;
use crate::typed::{ArrayLength, Initializer, SymbolId, Type, Unit};

/// What stands around the launches of one kernel.
pub struct Surroundings<'s> {
    pub region: &'s Region,
    /// The kernels of the construct.
    pub kernels: &'s [Kernel],
}

/// Where variables live.
#[derive(Default)]
pub struct Placement {
    /// In device memory as long as the construct runs.
    pub in_memory: BTreeSet<SymbolId>,
    /// Of each launch for itself.
    pub of_launch: Vec<Vec<SymbolId>>,
}

impl Placement {
    /// The statements of a launch, in which variables in device memory are
    /// assigned and not declared, and those that other launches have for their
    /// own are gone.
    pub fn declare(&self, piece: Vec<Statement>, unit: &Unit) -> Vec<Statement> {
        let used = mentions::free(&piece);
        let mut out = Vec::new();
        for statement in piece {
            let StatementKind::Declaration(list) = statement.kind else {
                out.push(statement);
                continue;
            };
            for declaration in list {
                let symbol = declaration.symbol;
                let in_memory = self.in_memory.contains(&symbol);
                let mut others = self.of_launch.iter().flatten();
                let is_of_others = !used.contains(&symbol) && others.any(|other| *other == symbol);
                out.push(match declaration.initializer {
                    Some(Initializer::Expression(value)) if in_memory => {
                        let target = synthesis::symbol(unit, symbol, declaration.span);
                        Statement::assign(target, value, statement.span)
                    }
                    None if in_memory || is_of_others => continue,
                    _ => StatementKind::Declaration(vec![declaration]).at(statement.span),
                });
            }
        }
        out
    }
}

/// Places the variables that the kernel has for its own.
///
/// # Errors
/// A variable that cannot be in device memory, or whose name means another
/// one on the host.
pub fn of(
    kernel: &Kernel,
    plan: &Plan,
    surroundings: &Surroundings<'_>,
    unit: &Unit,
) -> Result<Placement, Refusal> {
    let free: Vec<BTreeSet<SymbolId>> = plan.pieces.iter().map(|p| mentions::free(p)).collect();
    check_scopes(kernel, plan, &free, unit)?;
    let read: BTreeSet<SymbolId> = reads(&plan.steps).iter().map(|r| r.variable).collect();
    let mut placement = Placement {
        in_memory: BTreeSet::new(),
        of_launch: vec![Vec::new(); plan.pieces.len()],
    };
    for symbol in candidates(kernel, plan) {
        let users: Vec<usize> = (0..free.len())
            .filter(|&p| free[p].contains(&symbol))
            .collect();
        if read.contains(&symbol) || must_last(plan, &users, symbol, unit) {
            if !may_be_in_memory(kernel, symbol, unit) {
                return Err(refused(
                    unit,
                    symbol,
                    "lives across launches, and is no plain number",
                ));
            }
            placement.in_memory.insert(symbol);
            continue;
        }
        for piece in users {
            if !visit::declared(&plan.pieces[piece]).contains(&symbol) {
                placement.of_launch[piece].push(symbol);
            }
        }
    }
    check_names(plan, &placement, surroundings, unit)?;
    Ok(placement)
}

/// What the kernel has for its own and the host does not hold.
fn candidates(kernel: &Kernel, plan: &Plan) -> BTreeSet<SymbolId> {
    let mut found: BTreeSet<SymbolId> = visit::declared(&kernel.body).into_iter().collect();
    found.extend(&kernel.privates);
    found.extend(&plan.of_iterations);
    found.extend(plan.test);
    found.retain(|symbol| {
        kernel.capture(*symbol).is_none()
            && !plan.of_host.contains(symbol)
            && !plan.counters.contains(symbol)
    });
    found
}

/// Each variable that the host holds means one thing wherever a launch uses
/// it; `free` lists what each piece of the plan names.
fn check_scopes(
    kernel: &Kernel,
    plan: &Plan,
    free: &[BTreeSet<SymbolId>],
    unit: &Unit,
) -> Result<(), Refusal> {
    let hidden = plan
        .of_iterations
        .iter()
        .find(|s| kernel.capture(**s).is_some() && !kernel_has_induction(kernel, **s));
    if let Some(&hidden) = hidden {
        let reason = "stands for a copy in the loop and for itself behind it";
        return Err(refused(unit, hidden, reason));
    }
    let mut visible = vec![BTreeSet::new(); plan.pieces.len()];
    in_scope(&plan.steps, &mut BTreeSet::new(), &mut visible);
    let of_host: BTreeSet<SymbolId> = plan.of_host.iter().copied().collect();
    let is_used_outside = |symbol: &SymbolId| {
        let mut pieces = free.iter().zip(&visible);
        kernel.capture(*symbol).is_some()
            || pieces.any(|(used, visible)| used.contains(symbol) && !visible.contains(symbol))
    };
    match of_host.into_iter().find(is_used_outside) {
        Some(symbol) => {
            let reason = "is used outside of the loop that it counts as well";
            Err(refused(unit, symbol, reason))
        }
        None => Ok(()),
    }
}

/// The host's variables that each launch sees.
fn in_scope(steps: &[Step], around: &mut BTreeSet<SymbolId>, visible: &mut [BTreeSet<SymbolId>]) {
    let outer = around.clone();
    for step in steps {
        match step {
            Step::Launch(number) => visible[*number].clone_from(around),
            Step::Declare { symbol, .. } => {
                around.insert(*symbol);
            }
            Step::Repeat(repeat) => {
                let mut inner = around.clone();
                inner.extend(repeat.variable.iter().map(|(symbol, _)| *symbol));
                in_scope(&repeat.body, &mut inner, visible);
            }
            Step::Choose(branch) => {
                in_scope(&branch.then, around, visible);
                in_scope(&branch.otherwise, around, visible);
            }
            Step::Evaluate(_) | Step::Break | Step::Continue => {}
        }
    }
    *around = outer;
}

/// Whether the kernel counts a loop with a captured variable.
fn kernel_has_induction(kernel: &Kernel, symbol: SymbolId) -> bool {
    visit::any_loop(&kernel.body, &mut |l| {
        l.induction == symbol && !l.declared_inside
    })
}

/// Whether a launch may read what a launch before it wrote.
fn must_last(plan: &Plan, users: &[usize], symbol: SymbolId, unit: &Unit) -> bool {
    let is_declared = |piece: &usize| visit::declared(&plan.pieces[*piece]).contains(&symbol);
    if let [only] = users
        && is_declared(only)
    {
        return false;
    }
    let is_whole = is_number(unit, unit.symbol(symbol).ty.ty);
    users
        .iter()
        .any(|&piece| !is_whole || flow::of_list(unit, &plan.pieces[piece], symbol).may_read())
}

/// A number, or an array of numbers without initial values.
fn may_be_in_memory(kernel: &Kernel, symbol: SymbolId, unit: &Unit) -> bool {
    let variable = unit.symbol(symbol);
    let mut ty = variable.ty;
    while let Type::Array {
        element,
        length: ArrayLength::Constant(_),
    } = unit.types.get(ty.ty)
    {
        ty = *element;
    }
    let is_array = ty.ty != variable.ty.ty;
    let mut is_given = false;
    visit::walk(&kernel.body, &mut |statement| {
        if let StatementKind::Declaration(list) = &statement.kind {
            let mut own = list.iter().filter(|d| d.symbol == symbol);
            is_given |= own.any(|d| match &d.initializer {
                Some(Initializer::Expression(_)) => is_array,
                Some(Initializer::Aggregate(_)) => true,
                None => !d.lengths.is_empty(),
            });
        }
    });
    variable.is_automatic()
        && is_number(unit, ty.ty)
        && !ty.qualifiers.is_volatile
        && !is_given
        && kernel.private_array(symbol).is_none()
}

/// On the host, the names of what it declares for the launches must mean
/// nothing else that launches get.
fn check_names(
    plan: &Plan,
    placement: &Placement,
    surroundings: &Surroundings<'_>,
    unit: &Unit,
) -> Result<(), Refusal> {
    let region = surroundings.region;
    let captured = surroundings
        .kernels
        .iter()
        .flat_map(|kernel| &kernel.captures);
    let mut taken: BTreeMap<&str, SymbolId> = BTreeMap::new();
    let of_clauses = region.data.iter().filter_map(|item| item.symbol);
    let counters = plan.counters.iter().copied();
    let counters = counters.filter(|symbol| !plan.of_host.contains(symbol));
    for symbol in captured.map(|c| c.symbol).chain(of_clauses).chain(counters) {
        taken.insert(&unit.symbol(symbol).name, symbol);
    }
    let is_free = |taken: &BTreeMap<&str, SymbolId>, symbol: SymbolId| {
        let known = taken.get(unit.symbol(symbol).name.as_str());
        known.is_none_or(|other| *other == symbol)
    };
    for &symbol in &placement.in_memory {
        if !is_free(&taken, symbol) {
            return Err(refused(
                unit,
                symbol,
                "has the name of another variable that launches use",
            ));
        }
        taken.insert(&unit.symbol(symbol).name, symbol);
    }
    let mut values: BTreeSet<&str> = BTreeSet::new();
    let mut twice = None;
    walk_steps(&plan.steps, &mut |step| {
        if let Step::Declare { symbol, .. } = step
            && !values.insert(&unit.symbol(*symbol).name)
        {
            twice = twice.or(Some(*symbol));
        }
    });
    let hidden = plan
        .of_host
        .iter()
        .find(|symbol| !is_free(&taken, **symbol));
    match twice.or(hidden.copied()) {
        Some(symbol) => Err(refused(
            unit,
            symbol,
            "has the name of another variable that launches use",
        )),
        None => Ok(()),
    }
}

fn refused(unit: &Unit, symbol: SymbolId, what: &str) -> Refusal {
    let variable = unit.symbol(symbol);
    Refusal {
        reason: format!("`{}` {what}", variable.name),
        place: variable.span,
    }
}
