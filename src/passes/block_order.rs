//! Warns of loops over blocks in one kernel that depend on each other.
//!
//! Input: kernels with distributions. Output: warnings.
//!
//! ```c
//! #pragma acc parallel
//! {
//!     #pragma acc loop gang
//!     for (int i = 0; i < n; i++) a[i] = i;
//!     #pragma acc loop gang
//!     for (int i = 0; i < n; i++) b[i] = a[n - 1 - i];   // warned of: a
//! }
//! ```
//!
//! Blocks do not wait for each other between the loops of a `parallel`
//! construct (OpenACC 3.3, section 2.5.1). Iterations of loops with the same
//! header go to the same blocks, so that they may use what the same iteration
//! of a loop before wrote.

use indexmap::IndexSet;

use crate::analysis::dependence::{self, Answer, Nest};
use crate::analysis::effects::{Oracle, Place, Touch};
use crate::analysis::scope::Scope;
use crate::analysis::subscripts::{self, Elements};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{Execution, Kernel, Loop, Module, Statement, StatementKind, visit};
use crate::typed::{SymbolId, Unit};

/// Looks at every kernel of a `parallel` construct.
pub fn run(module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &module.kernels {
        let several = kernel.collective.is_none() && !kernel.has_one_block();
        if kernel.execution == Execution::Redundant && several {
            of_kernel(kernel, &oracle, diagnostics);
        }
    }
}

fn of_kernel(kernel: &Kernel, oracle: &Oracle, diagnostics: &mut Diagnostics) {
    let mut loops = Vec::new();
    block_loops(&kernel.body, &mut loops);
    if loops.len() < 2 {
        return;
    }
    let scope = Scope::of(kernel, oracle.unit());
    let mut elements: Vec<Elements<'_>> = Vec::new();
    for l in &loops {
        let mut private: IndexSet<SymbolId> = visit::declared(&l.body).into_iter().collect();
        private.extend(&l.privates);
        elements.push(subscripts::collect(l, &private, oracle));
    }
    for (index, later) in loops.iter().enumerate() {
        let found = (0..index).find_map(|before| {
            let pair = (&elements[before], &elements[index]);
            let aligned = has_same_header(loops[before], later);
            meeting(pair, aligned, &scope).map(|place| (place, loops[before]))
        });
        if let Some((symbol, before)) = found {
            diagnostics.push(warning(kernel, oracle.unit(), symbol, before, later));
        }
    }
}

/// The loops over blocks that follow each other at the top of a kernel.
fn block_loops<'k>(list: &'k [Statement], found: &mut Vec<&'k Loop>) {
    for statement in list {
        match &statement.kind {
            StatementKind::Loop(l) if l.has_blocks() => found.push(l),
            StatementKind::Block(inner) => block_loops(inner, found),
            _ => {}
        }
    }
}

/// Whether iteration `k` of both loops runs in the same block.
fn has_same_header(a: &Loop, b: &Loop) -> bool {
    a.distribution == b.distribution
        && a.lower.is_same(&b.lower)
        && a.bound.is_same(&b.bound)
        && a.step.is_same(&b.step)
        && (a.relation, a.downward) == (b.relation, b.downward)
        && a.collapsed == b.collapsed
}

/// A variable of which iterations of different blocks use the same element,
/// one of them writing.
fn meeting(pair: (&Elements<'_>, &Elements<'_>), aligned: bool, scope: &Scope) -> Option<SymbolId> {
    let (before, later) = pair;
    let nest = Nest {
        tested: 0,
        last: before
            .last
            .iter()
            .zip(&later.last)
            .map(|(a, b)| a.clone().filter(|_| a == b))
            .collect(),
    };
    let touches = before
        .list
        .iter()
        .flat_map(|a| later.list.iter().map(move |b| (a, b)));
    for (a, b) in touches {
        let (Place::Variable(symbol) | Place::Target(symbol)) = a.root else {
            continue;
        };
        let writes = a.touch == Touch::Write || b.touch == Touch::Write;
        let is_shared = scope.memory.contains(&symbol) || scope.pointers.contains(&symbol);
        let is_own = scope.is_private(a.root) || scope.is_of_block(a.root);
        let commutes = a.commutes.is_some() && a.commutes == b.commutes;
        if a.root != b.root || !writes || !is_shared || is_own || commutes {
            continue;
        }
        let same_depth = before.last.len() == later.last.len();
        let independent = aligned
            && same_depth
            && dependence::test(&a.subscripts, &b.subscripts, &nest) == Answer::Independent;
        if !independent {
            return Some(symbol);
        }
    }
    None
}

fn warning(
    kernel: &Kernel,
    unit: &Unit,
    symbol: SymbolId,
    before: &Loop,
    later: &Loop,
) -> Diagnostic {
    let block = kernel.words.levels.block;
    let name = &unit.symbol(symbol).name;
    Diagnostic::warning(
        codes::GANGS_DEPEND,
        format!("{block}s may still be at work on `{name}` in an earlier loop"),
        later.header,
    )
    .also(before.header, "the earlier loop")
    .note(format!(
        "{block}s do not wait for each other between loops of a `parallel` construct"
    ))
    .help("end the construct after the earlier loop, or use `kernels`")
}
