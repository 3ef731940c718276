//! Copies of scalars, so that iterations do not share them.
//!
//! Input: loops that are known to be parallel or not. Output: [`Loop::privates`], complete;
//! [`Loop::declared_inside`]; variables that only private copies use are
//! captured and declared no more.
//!
//! ```c
//! int j; float t;
//! #pragma acc parallel loop
//! for (int i = 0; i < n; i++) {
//!     t = a[i];                    // before: all iterations share t and j
//!     for (j = 0; j < 4; j++)      // after: t is private to the loop over i,
//!         t *= 2;                  //        j is declared in its `for`
//!     a[i] = t;
//! }
//! ```
//!
//! A scalar is private to a parallel loop if every iteration writes it before
//! reading it. Where its value may be read behind the loop, the kernel's
//! outermost loop stores that of the last iteration. A scalar that iterations
//! only write, and that is read behind the loop, stays what it is: a flag that
//! some iteration sets.
//!
//! Each private copy is a symbol of its own: where a variable is private to
//! one loop and used elsewhere in the kernel too, the loop gets a new one.

#[cfg(test)]
mod tests;

use indexmap::{IndexMap, IndexSet};

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::exits::Exits;
use crate::analysis::flow::{self, Rest};
use crate::ir::usage::Usage;
use crate::ir::{
    Capture, Kernel, Loop, Module, Passing, PrivateArray, Relation, Statement, StatementKind, visit,
};
use crate::passes::thread_mapping::only_loop;
use crate::passes::variables;
use crate::source::Span;
use crate::typed::synthesis;
use crate::typed::{BinaryOperator, ExpressionKind, Initializer, LocalDeclaration, SymbolId, Unit};

/// Privatises in every kernel.
pub fn run(module: &mut Module, unit: &Unit) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &mut module.kernels {
        declare_inductions(kernel, unit);
        privatise(kernel, &oracle);
        separate_copies(kernel, unit);
        drop_originals(kernel);
        drop_values(kernel, unit);
    }
}

/// Gives loops that declare their variable one of their own where the kernel
/// uses the variable outside of them, too: to all passes, one symbol is one
/// variable.
pub fn separate_inductions(module: &mut Module, unit: &Unit) {
    for kernel in &mut module.kernels {
        let all = count(&kernel.body);
        let mut own = IndexMap::new();
        visit::loops(&kernel.body, &mut |l| {
            if l.declared_inside {
                let inside = count(&l.body).get(&l.induction).copied().unwrap_or(0);
                *own.entry(l.induction).or_default() += inside + 1;
            }
        });
        own.retain(|symbol, inside| all.get(symbol).is_some_and(|all| *all > *inside));
        for &symbol in own.keys() {
            // A name of its own: compilers warn where a variable is used behind a
            // `for` that declares another of its name.
            let original = unit.symbol(symbol);
            let (name, ty) = (original.name.clone(), original.ty.ty);
            let copy = variables::kernel_variable(unit, kernel, &[], &name, ty);
            visit::loops_mut(&mut kernel.body, &mut |l| {
                if l.declared_inside && l.induction == symbol {
                    variables::rename(&mut l.body, symbol, copy);
                    l.induction = copy;
                }
            });
        }
    }
}

/// Induction variables that only their own loops use are declared in them.
fn declare_inductions(kernel: &mut Kernel, unit: &Unit) {
    let mut candidates = IndexSet::new();
    let mut undirected = IndexSet::new();
    visit::loops(&kernel.body, &mut |l| {
        if !l.declared_inside {
            candidates.insert(l.induction);
        }
        if !l.schedule.directive {
            undirected.insert(l.induction);
        }
    });
    candidates.retain(|&symbol| {
        let leaves = undirected.contains(&symbol) && escapes(kernel, symbol, unit);
        !leaves && used_by_own_loops(&kernel.body, symbol)
    });
    visit::loops_mut(&mut kernel.body, &mut |l| {
        if candidates.contains(&l.induction) {
            l.declared_inside = true;
        }
    });
    let gone = |symbol: &SymbolId| candidates.contains(symbol);
    kernel.privates.retain(|symbol| !gone(symbol));
    visit::loops_mut(&mut kernel.body, &mut |l| l.privates.retain(|s| !gone(s)));
}

/// Whether all mentions of a variable are inside loops over it, outside their
/// first values.
fn used_by_own_loops(list: &[Statement], symbol: SymbolId) -> bool {
    list.iter().all(|statement| {
        let mut inner = true;
        if let StatementKind::Loop(l) = &statement.kind {
            if l.induction == symbol {
                return !l.lower.mentions(symbol);
            }
            inner = l.reductions.iter().all(|r| r.symbol != symbol);
        }
        visit::own_expressions(statement, &mut |e| inner = inner && !e.mentions(symbol));
        visit::blocks(statement, &mut |body| {
            inner = inner && used_by_own_loops(body, symbol);
        });
        inner
    })
}

/// What is to be private where; loops are named by their number, outer ones
/// first.
struct Plan {
    number: usize,
    symbol: SymbolId,
    /// Stores the last iteration's value.
    keeps_last: bool,
}

fn privatise(kernel: &mut Kernel, oracle: &Oracle) {
    let unit = oracle.unit();
    let mut plans = Vec::new();
    let is_root = only_loop(&kernel.body).is_some();
    {
        let mut number = 0;
        visit::loops(&kernel.body, &mut |l| {
            if l.is_parallel() {
                let reads = oracle.list(&l.body).reads;
                for symbol in private_scalars(l, oracle) {
                    let after = flow::after_loop(unit, &kernel.body, l, symbol);
                    let after = after.unwrap_or_default();
                    let escapes = !after.is_overwritten() && escapes(kernel, symbol, unit);
                    let root = number == 0 && is_root;
                    let keeps_last = root && escapes && may_keep_last(l, symbol, unit);
                    let is_flag = !reads.contains(&Place::Variable(symbol));
                    if !(is_flag && (after.may_read() || escapes && !keeps_last)) {
                        plans.push(Plan {
                            number,
                            symbol,
                            keeps_last,
                        });
                    }
                }
            }
            number += 1;
        });
    }
    let mut number = 0;
    visit::loops_mut(&mut kernel.body, &mut |l| {
        for plan in plans.iter().filter(|plan| plan.number == number) {
            if plan.keeps_last {
                keep_last(l, plan.symbol, unit);
            } else if !l.privates.contains(&plan.symbol) {
                l.privates.push(plan.symbol);
            }
        }
        number += 1;
    });
    visit::loops_mut(&mut kernel.body, &mut |l| {
        let outside = used_outside_inner_copies(l);
        l.privates.retain(|s| outside.contains(s));
    });
}

/// The private variables of a loop that it uses outside inner loops which have
/// copies of their own.
fn used_outside_inner_copies(l: &Loop) -> Vec<SymbolId> {
    let all = count(&l.body);
    let mut kept = l.privates.clone();
    visit::loops(&l.body, &mut |inner| {
        let inside = count(&inner.body);
        kept.retain(|s| !inner.privates.contains(s) || inside.get(s) != all.get(s));
    });
    kept
}

/// The scalars that a loop's body writes, but for those that each iteration has
/// for itself.
pub fn written_scalars(l: &Loop, oracle: &Oracle) -> Vec<SymbolId> {
    let own = visit::own_variables(&l.body);
    let writes = oracle.list(&l.body).writes.into_iter();
    let mut symbols: Vec<SymbolId> = writes.filter_map(Place::variable).collect();
    symbols.retain(|symbol| {
        !oracle.unit().is_array(*symbol)
            && *symbol != l.induction
            && !own.contains(symbol)
            && !l.privates.contains(symbol)
    });
    symbols
}

/// The scalars that every iteration of a loop writes before it reads them.
pub fn private_scalars(l: &Loop, oracle: &Oracle) -> Vec<SymbolId> {
    let escapes = oracle.list(&l.body).escapes;
    // A function that the loop calls has the variable itself.
    let common = oracle.touched_by_calls(&l.body);
    let mut symbols = written_scalars(l, oracle);
    symbols.retain(|symbol| {
        !common.contains(symbol)
            && l.reductions.iter().all(|r| r.symbol != *symbol)
            && !escapes.contains(symbol)
            && !flow::of_list(oracle.unit(), &l.body, *symbol).may_read()
    });
    symbols
}

/// Whether the value in memory may be read behind the kernel.
pub fn escapes(kernel: &Kernel, symbol: SymbolId, unit: &Unit) -> bool {
    let capture = kernel.capture(symbol);
    let in_memory = capture.is_some_and(|c| c.passing == Passing::Reference);
    in_memory && Rest::of_function(unit, kernel.function, kernel.span).may_read(symbol)
}

/// Whether a loop's last iteration can store the value of a scalar: it has one, and the store is
/// reached wherever the iteration ends.
pub fn may_keep_last(l: &Loop, symbol: SymbolId, unit: &Unit) -> bool {
    let mut in_expression = false;
    visit::expressions(&l.body, &mut |e| {
        in_expression |= matches!(e.kind, ExpressionKind::Statement(_));
    });
    flow::of_list(unit, &l.body, symbol).is_overwritten()
        && !(in_expression && Exits::of(&l.body).continues())
}

/// Gives the loop a copy and stores the last iteration's value.
fn keep_last(l: &mut Loop, symbol: SymbolId, unit: &Unit) {
    let original = unit.symbol(symbol).clone();
    let span = l.header;
    let wanted = format!("{}_copy", original.name);
    let copy = synthesis::variable(unit, &wanted, original.ty.ty, span);
    variables::rename(&mut l.body, symbol, copy);
    l.privates.push(copy);
    let value = synthesis::symbol(unit, copy, span);
    let store = Statement::assign(synthesis::symbol(unit, symbol, span), value, span);
    let last = is_last(l, unit, span);
    let keep = StatementKind::If(last, vec![store], None).at(span);
    before_each_continue(&mut l.body, &keep);
    l.body.push(keep);
}

/// Puts a statement where a loop's body goes on with the next iteration.
fn before_each_continue(body: &mut [Statement], keep: &Statement) {
    for statement in body {
        match &mut statement.kind {
            StatementKind::Continue => {
                let own = statement.clone();
                statement.kind = StatementKind::Block(vec![keep.clone(), own]);
            }
            StatementKind::Loop(_)
            | StatementKind::For(_)
            | StatementKind::While(..)
            | StatementKind::DoWhile(..) => {}
            _ => visit::blocks_mut(statement, &mut |inner| before_each_continue(inner, keep)),
        }
    }
}

/// Whether the loop ends after this iteration: `i + step >= bound`.
fn is_last(l: &Loop, unit: &Unit, span: Span) -> crate::typed::Expression {
    let int = synthesis::int(unit);
    let induction = synthesis::symbol(unit, l.induction, span);
    let size = unit.types.size(induction.ty.ty);
    let narrow = size.is_some_and(|size| size < 4);
    let ty = if narrow { int } else { induction.ty.ty };
    let advance = match l.downward {
        true => BinaryOperator::Subtract,
        false => BinaryOperator::Add,
    };
    let step = synthesis::parenthesized(l.step.clone());
    let next = synthesis::binary(advance, induction, step, ty);
    let ends = match l.relation {
        Relation::Less => BinaryOperator::GreaterEqual,
        Relation::LessEqual => BinaryOperator::Greater,
        Relation::Greater => BinaryOperator::LessEqual,
        Relation::GreaterEqual => BinaryOperator::Less,
        Relation::NotEqual => BinaryOperator::Equal,
    };
    let bound = synthesis::parenthesized(l.bound.clone());
    synthesis::binary(ends, next, bound, int)
}

/// Gives a loop's private copy a symbol of its own where the kernel uses the
/// variable outside the loop as well; inner loops first.
fn separate_copies(kernel: &mut Kernel, unit: &Unit) {
    let mut total = count(&kernel.body);
    separate(
        &mut kernel.body,
        &mut total,
        &mut kernel.private_arrays,
        unit,
    );
}

fn separate(
    list: &mut [Statement],
    total: &mut IndexMap<SymbolId, usize>,
    private_arrays: &mut Vec<PrivateArray>,
    unit: &Unit,
) {
    for statement in list {
        visit::blocks_mut(statement, &mut |inner| {
            separate(inner, total, private_arrays, unit)
        });
        let StatementKind::Loop(l) = &mut statement.kind else {
            continue;
        };
        let inside = count(&l.body);
        for index in 0..l.privates.len() {
            let symbol = l.privates[index];
            let here = inside.get(&symbol).copied().unwrap_or(0);
            let all = total.entry(symbol).or_default();
            if *all > here {
                *all -= here;
                let copy = synthesis::hiding_variable(unit, symbol);
                variables::rename(&mut l.body, symbol, copy);
                l.privates[index] = copy;
                if let Some(array) = private_arrays.iter().find(|array| array.symbol == symbol) {
                    let symbol = copy;
                    private_arrays.push(PrivateArray {
                        symbol,
                        ..array.clone()
                    });
                }
            }
        }
    }
}

fn count(list: &[Statement]) -> IndexMap<SymbolId, usize> {
    let mut counts = IndexMap::new();
    visit::symbols(list, &mut |symbol| *counts.entry(symbol).or_default() += 1);
    visit::loops(list, &mut |l| {
        *counts.entry(l.induction).or_default() += 1;
    });
    counts
}

/// Captured variables that only private copies of one loop use need no
/// parameter, variables of the kernel no declaration.
fn drop_originals(kernel: &mut Kernel) {
    let mut private = IndexSet::new();
    visit::loops(&kernel.body, &mut |l| {
        private.extend(&l.privates);
        if l.declared_inside {
            private.insert(l.induction);
        }
    });
    kernel.captures.retain(|c| !private.contains(&c.symbol));
    kernel.privates.retain(|symbol| !private.contains(symbol));
    variables::drop_declarations(&mut kernel.body, &mut |declaration| {
        private.contains(&declaration.symbol) && is_plain(declaration)
    });
}

/// Variables whose values no statement of the kernel uses need none of the
/// host: they are the kernel's own.
fn drop_values(kernel: &mut Kernel, unit: &Unit) {
    let usage = Usage::of(&kernel.body, unit);
    let is_needless =
        |capture: &Capture| capture.passing == Passing::Value && usage.is_only_set(capture.symbol);
    let needless = kernel
        .captures
        .extract_if(.., |capture| is_needless(capture));
    kernel
        .privates
        .extend(needless.map(|capture| capture.symbol));
}

/// Whether a declaration gives no value, or one that is written down.
fn is_plain(declaration: &LocalDeclaration) -> bool {
    match &declaration.initializer {
        None => declaration.lengths.is_empty(),
        Some(Initializer::Expression(e)) => matches!(
            e.inner().kind,
            ExpressionKind::Integer { .. } | ExpressionKind::Floating { .. }
        ),
        Some(Initializer::Aggregate(_)) => false,
    }
}
