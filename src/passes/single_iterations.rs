//! Loops of which no thread runs a second iteration are no loops.
//!
//! Input: decided kernels whose [`Loop::once`] says it. Output: declarations and the body in
//! their place, under a condition where some threads have none.
//!
//! ```c
//! const int i_begin = blockIdx.x * 16;               // 64 iterations over 4 blocks of 16 threads
//! const int i_end = i_begin + 16;
//! for (int i = i_begin + threadIdx.x; i < i_end; i += 16)      // before
//!     a[i] = 0;
//!
//! const int i_begin = blockIdx.x * 16;               // after
//! const int i = i_begin + threadIdx.x;
//! a[i] = 0;
//! ```
//!
//! Also those with as many iterations as a block has threads, or fewer ([`once_of_block`]), which stay loops
//! of the IR and are printed without one; and those that are all of a kernel, where a body that ends
//! early ends the thread:
//!
//! ```c
//! for (int i = …; i < n; i += gridDim.x * blockDim.x) {      // before
//!     if (a[i] == 0)
//!         continue;
//!
//! if (i < n) {                                               // after
//!     if (a[i] == 0)
//!         return;
//! ```

use crate::analysis::exits::{Exits, Jump};
use crate::analysis::loop_counters::FAR_FROM_THE_END;
use crate::ir::{
    Kernel, Loop, Module, Once, Relation, Scheme, SharedWindow, Statement, StatementKind,
    is_literal, visit,
};
use crate::typed::constant::evaluate;
use crate::typed::synthesis::{binary, parenthesized, symbol};
use crate::typed::{
    Axis, BinaryOperator as Op, Builtin, Expression, LocalDeclaration, SymbolId, Unit,
};

/// Takes such loops away from all kernels.
pub fn run(module: &mut Module, unit: &Unit) {
    for kernel in &mut module.kernels {
        let mut body = std::mem::take(&mut kernel.body);
        let before = body.clone();
        let starts = starts(&body);
        let shared: Vec<SymbolId> = kernel.shared.iter().map(|own| own.symbol).collect();
        list(&mut body, unit, &shared);
        if is_all_of_threads(kernel) {
            end_with_iteration(&mut body, kernel.covers);
        }
        let opening = kernel.windows.iter().flat_map(SharedWindow::opening);
        let opening: Vec<&Expression> = opening.collect();
        drop_unused(&mut body, &before, &opening, unit);
        for start in starts {
            if !opening.iter().any(|e| e.mentions(start)) {
                begin_with_value(&mut body, start);
            }
        }
        let threads = threads(kernel);
        visit::loops_mut(&mut body, &mut |l| {
            if !l.has_blocks() {
                l.once = threads.and_then(|threads| once_of_block(l, threads, unit));
            }
        });
        kernel.body = body;
    }
}

/// Whether a kernel's body is all that its threads do, and none waits for another.
fn is_all_of_threads(kernel: &Kernel) -> bool {
    use StatementKind as K;
    let mut waits = false;
    visit::walk(&kernel.body, &mut |s| {
        waits |= matches!(
            s.kind,
            K::Barrier(_) | K::RowBarrier(_) | K::CollectiveCall(_)
        );
    });
    kernel.scheme == Some(Scheme::Flat)
        && kernel.collective.is_none()
        && kernel.windows.is_empty()
        && kernel.shared.is_empty()
        && kernel.all_reductions().next().is_none()
        && !waits
}

/// A nest that is all of a kernel whose grid `covers` it ends with the thread's iteration: `continue`
/// is `return` there, and the innermost loop is none.
fn end_with_iteration(body: &mut [Statement], covers: [bool; 3]) {
    let [Statement { kind, .. }] = body else {
        return;
    };
    let StatementKind::Loop(l) = kind else {
        return;
    };
    if l.once.is_some() {
        return end_with_iteration(&mut l.body, covers);
    }
    let blocks = l.distribution.and_then(|distribution| distribution.blocks);
    let is_covered = blocks.is_some_and(|axis| covers[axis as usize]);
    let exits = Exits::of(&l.body);
    let jumps: Vec<Jump<'_>> = exits.out().map(|(jump, _)| jump).collect();
    let is_of_statements = jumps.len() == continues(&mut l.body.clone()).len();
    let is_left_alone = jumps.iter().all(|jump| *jump == Jump::Continue);
    let is_for_exits = !exits.is_empty() && is_left_alone && is_of_statements;
    if is_covered && is_for_exits && l.tile.is_none() {
        l.once = Some(Once::AtMost);
        for statement in continues(&mut l.body) {
            *statement = StatementKind::Return(None);
        }
    }
}

/// The statements of a loop's body that go on with its next iteration.
fn continues(body: &mut [Statement]) -> Vec<&mut StatementKind> {
    use StatementKind as K;
    let mut found = Vec::new();
    for statement in body {
        match &mut statement.kind {
            K::Loop(_) | K::For(_) | K::While(..) | K::DoWhile(..) | K::WhileAny(..) => {}
            kind @ K::Continue => found.push(kind),
            K::Block(inner) | K::Switch(_, inner) => found.extend(continues(inner)),
            K::If(_, then, otherwise) => {
                found.extend(continues(then));
                found.extend(otherwise.iter_mut().flat_map(|list| continues(list)));
            }
            _ => {}
        }
    }
    found
}

/// The threads along each axis of every block, where these are constants.
fn threads(kernel: &Kernel) -> Option<[u32; 3]> {
    kernel.block_shape().filter(|_| !kernel.may_shrink)
}

/// The largest step: a block of iterations beyond the bound is not near the end of the type either.
const MOST_STEP: i128 = 1 << 16;

/// Whether each thread of a block has one iteration of a loop over an axis of it, or at most one.
fn once_of_block(l: &Loop, threads: [u32; 3], unit: &Unit) -> Option<Once> {
    let distribution = l.distribution.unwrap_or_default();
    let mut axes = distribution.thread_axes();
    let (axis, others) = (axes.next()?, axes.next());
    let is_left = Exits::of(&l.body).any(Jump::ends_iteration);
    let is_plain = l.tile.is_none()
        && l.declared_inside
        && l.relation != Relation::NotEqual
        && l.numbered_together().is_empty();
    let is_near = |e| evaluate(unit, e).is_some_and(|value| value.abs() <= FAR_FROM_THE_END);
    let ends_are_near = [&l.lower, &l.bound].into_iter().all(is_near);
    let is_short = evaluate(unit, &l.step).is_some_and(|step| step <= MOST_STEP);
    if others.is_some() || is_left || !is_plain || !ends_are_near || !is_short {
        return None;
    }
    let trips = l.constant_trip_count(unit)?;
    match i128::from(threads[axis as usize]) {
        threads if trips == threads => Some(Once::Exactly),
        threads if trips < threads => Some(Once::AtMost),
        _ => None,
    }
}

fn list(statements: &mut Vec<Statement>, unit: &Unit, shared: &[SymbolId]) {
    let mut out: Vec<Statement> = Vec::with_capacity(statements.len());
    let count = statements.len();
    for (at, mut statement) in std::mem::take(statements).into_iter().enumerate() {
        visit::blocks_mut(&mut statement, &mut |inner| list(inner, unit, shared));
        let replaced = match &statement.kind {
            StatementKind::Loop(l) => straight(l, unit, shared),
            _ => None,
        };
        match replaced {
            None => out.push(statement),
            // At the end of a list, what it declares hides nothing.
            Some(own) if at + 1 == count && !clash(&out, &own, unit) => out.extend(own),
            Some(own) => out.push(StatementKind::Block(own).at(statement.span)),
        }
    }
    *statements = out;
}

/// Whether two lists declare one name.
fn clash(before: &[Statement], own: &[Statement], unit: &Unit) -> bool {
    let names = |list: &[Statement]| -> Vec<String> {
        let declared = list.iter().filter_map(|s| match &s.kind {
            StatementKind::Declaration(list) => Some(list),
            _ => None,
        });
        let names = declared.flatten().map(|d| &unit.symbol(d.symbol).name);
        names.cloned().collect()
    };
    let known = names(before);
    names(own).iter().any(|name| known.contains(name))
}

/// What a loop of one iteration does; `shared` are the variables that the block has.
fn straight(l: &Loop, unit: &Unit, shared: &[SymbolId]) -> Option<Vec<Statement>> {
    let once = l.once?;
    let distribution = l.distribution.unwrap_or_default();
    let mut axes = distribution.thread_axes();
    let axis = axes.next();
    let is_simple = distribution.blocks.is_none() && axes.next().is_none();
    let is_left = Exits::of(&l.body).any(Jump::ends_iteration);
    let privates = l.privates.iter().copied().filter(|s| *s != l.induction);
    let privates: Vec<SymbolId> = privates.filter(|s| !shared.contains(s)).collect();
    // Arrays among them are not always declared as such.
    let are_plain = (privates.iter()).all(|s| unit.types.is_scalar(unit.symbol(*s).ty.ty));
    if !is_simple || is_left || !l.reductions.is_empty() || !l.declared_inside || !are_plain {
        return None;
    }
    let mut own = Vec::new();
    let mut first = l.lower.clone();
    if let Some(tile) = l.tile {
        if tile.count.is_some() {
            return None;
        }
        own.push(Statement::declare(tile.first, Some(first), l.header));
        first = symbol(unit, tile.first, l.header);
    }
    let value = match axis {
        Some(axis) => moved(first, l, axis, unit),
        None => first,
    };
    own.push(Statement::declare(l.induction, Some(value), l.header));
    let privates = (privates.iter()).map(|s| Statement::declare(*s, None, l.header));
    let mut body: Vec<Statement> = privates.collect();
    body.extend(l.body.iter().cloned());
    if once == Once::AtMost {
        let tested = l.tile.map_or(l.induction, |tile| tile.first);
        let ty = unit.symbol(l.induction).ty.ty;
        let variable = symbol(unit, tested, l.header);
        let condition = binary(l.relation.operator(), variable, l.bound.clone(), ty);
        body = vec![StatementKind::If(condition, body, None).at(l.header)];
    }
    own.extend(body);
    Some(own)
}

/// A value so many steps away as the index of the thread says.
fn moved(first: Expression, l: &Loop, axis: Axis, unit: &Unit) -> Expression {
    let ty = unit.symbol(l.induction).ty.ty;
    let thread = unit.builtin(Builtin::ThreadIndex, axis);
    let thread = symbol(unit, thread, l.header);
    let is_one = is_literal(&l.step, 1);
    let by = match is_one {
        true => thread,
        false => binary(Op::Multiply, thread, parenthesized(l.step.clone()), ty),
    };
    if is_literal(&first, 0) && !l.downward {
        return by;
    }
    let operator = if l.downward { Op::Subtract } else { Op::Add };
    binary(operator, first, by, ty)
}

/// Drops constants of loops that nothing names any more: their ends.
fn drop_unused(
    body: &mut Vec<Statement>,
    before: &[Statement],
    opening: &[&Expression],
    unit: &Unit,
) {
    let declared = visit::declared(before);
    let is_unused = |symbol: SymbolId, body: &[Statement]| {
        unit.symbol(symbol).ty.qualifiers.is_const
            && declared.contains(&symbol)
            && visit::mentions(before, symbol)
            && !visit::mentions(body, symbol)
            && !opening.iter().any(|e| e.mentions(symbol))
    };
    loop {
        let now = body.clone();
        let mut changed = false;
        visit::lists_mut(body, &mut |list| {
            list.retain(|s| match &s.kind {
                StatementKind::Declaration(own) => {
                    let goes = own.iter().all(|d| is_unused(d.symbol, &now));
                    changed |= goes;
                    !goes
                }
                _ => true,
            });
        });
        if !changed {
            return;
        }
    }
}

/// The variables that hold the first values of such loops.
fn starts(body: &[Statement]) -> Vec<SymbolId> {
    let mut found = Vec::new();
    visit::loops(body, &mut |l| {
        found.extend(l.once.and(l.lower.as_symbol()));
    });
    found
}

/// Puts the value of a variable into the declaration right behind its own, if nothing else names
/// it: `const int r_begin = blockIdx.x * 16; int r = r_begin;`.
fn begin_with_value(body: &mut Vec<Statement>, start: SymbolId) {
    let mut mentions = 0;
    visit::symbols(body, &mut |symbol| mentions += usize::from(symbol == start));
    if mentions != 1 {
        return;
    }
    visit::lists_mut(body, &mut |list| {
        let is_pair = |pair: &[Statement]| {
            let of = |s: &Statement| lone(s).map(|d| (d.symbol, d.value().cloned()));
            let (first, second) = (of(&pair[0]), of(&pair[1]));
            let value = second.and_then(|(_, value)| value);
            first.is_some_and(|(symbol, own)| symbol == start && own.is_some())
                && value.is_some_and(|value| value.as_symbol() == Some(start))
        };
        if let Some(at) = list.windows(2).position(is_pair) {
            let value = lone(&list.remove(at)).and_then(|d| d.initializer.clone());
            if let StatementKind::Declaration(own) = &mut list[at].kind {
                own[0].initializer = value;
            }
        }
    });
}

/// The only variable that a statement declares.
fn lone(statement: &Statement) -> Option<&LocalDeclaration> {
    match &statement.kind {
        StatementKind::Declaration(list) => list.first().filter(|_| list.len() == 1),
        _ => None,
    }
}
