//! The variables of a kernel: those that it names, new ones, others in place
//! of them.

use std::collections::HashSet;

use indexmap::IndexMap;

use crate::ir::{Capture, Kernel, Level, Loop, Passing, Statement, StatementKind, Tile, visit};
use crate::typed::synthesis::{add_variable, free_name};
use crate::typed::{
    Expression, ExpressionKind, LocalDeclaration, QualType, SymbolId, Unit, visit as in_expressions,
};

/// A new local variable of a name that a kernel does not use yet, whatever
/// other kernels have.
pub fn kernel_variable(
    unit: &Unit,
    kernel: &Kernel,
    added: &[SymbolId],
    wanted: &str,
    ty: impl Into<QualType>,
) -> SymbolId {
    let mut used: HashSet<&str> = HashSet::new();
    let mut mention = |symbol: SymbolId| {
        used.insert(&unit.symbol(symbol).name);
    };
    added.iter().copied().for_each(&mut mention);
    kernel_symbols(kernel, &mut mention);
    let name = free_name(wanted, &|name| !used.contains(name));
    add_variable(unit, name, ty, kernel.span)
}

/// Calls `mention` on every symbol that a kernel declares or names.
pub fn kernel_symbols(kernel: &Kernel, mention: &mut dyn FnMut(SymbolId)) {
    kernel.captures.iter().for_each(|c| mention(c.symbol));
    kernel.privates.iter().copied().for_each(&mut *mention);
    kernel.reductions.iter().for_each(|r| mention(r.symbol));
    visit::declared(&kernel.body)
        .into_iter()
        .for_each(&mut *mention);
    visit::loops(&kernel.body, &mut |l| {
        mention(l.induction);
        l.privates.iter().copied().for_each(&mut *mention);
        l.tile
            .iter()
            .flat_map(Tile::variables)
            .for_each(&mut *mention);
    });
    visit::symbols(&kernel.body, mention);
    for window in &kernel.windows {
        mention(window.array);
        window.variables().into_iter().for_each(&mut *mention);
    }
}

/// Drops the declarations of variables that nothing needs.
pub fn drop_declarations(
    list: &mut Vec<Statement>,
    is_needless: &mut dyn FnMut(&LocalDeclaration) -> bool,
) {
    visit::lists_mut(list, &mut |list| {
        list.retain_mut(|statement| match &mut statement.kind {
            StatementKind::Declaration(declarations) => {
                declarations.retain(|declaration| !is_needless(declaration));
                !declarations.is_empty()
            }
            _ => true,
        });
    });
}

/// Replaces a variable by another in an expression.
pub fn rename_in(e: &mut Expression, from: SymbolId, to: SymbolId) {
    in_expressions::walk_mut(e, &mut |e| rename_node(e, from, to));
}

fn rename_node(e: &mut Expression, from: SymbolId, to: SymbolId) {
    if let ExpressionKind::Symbol(symbol) = &mut e.kind
        && *symbol == from
    {
        *symbol = to;
    }
}

/// Replaces a variable by another in statements, in declarations, and in the headers and clauses of
/// loops.
pub fn rename(body: &mut [Statement], from: SymbolId, to: SymbolId) {
    let replace = |symbol: &mut SymbolId| {
        if *symbol == from {
            *symbol = to;
        }
    };
    visit::walk_mut(body, &mut |statement| match &mut statement.kind {
        StatementKind::Declaration(list) => {
            list.iter_mut().for_each(|one| replace(&mut one.symbol));
        }
        StatementKind::CollectiveCall(call) => call.result.iter_mut().for_each(replace),
        StatementKind::ReductionBegin(reduction, _) | StatementKind::ReductionEnd(reduction, _) => {
            replace(&mut reduction.symbol);
        }
        _ => {}
    });
    visit::expressions_mut(body, &mut |e: &mut Expression| rename_node(e, from, to));
    visit::loops_mut(body, &mut |l| {
        if l.induction == from {
            l.induction = to;
        }
        for private in &mut l.privates {
            if *private == from {
                *private = to;
            }
        }
        for reduction in &mut l.reductions {
            if reduction.symbol == from {
                reduction.symbol = to;
            }
        }
    });
}

/// Who shares each variable that a kernel has for its own: the threads of the levels
/// within which it is declared; `outermost` is that of code outside all loops.
pub fn owners(kernel: &Kernel, outermost: Level) -> IndexMap<SymbolId, Level> {
    let is_own = |c: &&Capture| !matches!(c.passing, Passing::Reference | Passing::Array);
    let captures = kernel.captures.iter().filter(is_own).map(|c| c.symbol);
    let own = captures.chain(kernel.privates.iter().copied());
    let mut owners = own.map(|symbol| (symbol, outermost)).collect();
    add_owners(&kernel.body, outermost, &mut owners);
    owners
}

fn add_owners(list: &[Statement], level: Level, owners: &mut IndexMap<SymbolId, Level>) {
    for statement in list {
        let mut inner = level;
        match &statement.kind {
            StatementKind::Declaration(list) => {
                owners.extend(list.iter().map(|d| (d.symbol, level)));
            }
            StatementKind::CollectiveCall(call) => owners.extend(call.result.map(|s| (s, level))),
            StatementKind::Loop(l) => {
                inner = level_inside(l, level);
                owners.extend(l.privates.iter().map(|&s| (s, inner)));
                owners.insert(l.induction, inner);
            }
            _ => {}
        }
        visit::blocks(statement, &mut |body| add_owners(body, inner, owners));
    }
}

/// The level of a loop's body.
pub fn level_inside(l: &Loop, around: Level) -> Level {
    match l.threads() {
        [true, ..] | [.., true] => Level::Lane,
        [_, true, _] => around.max(Level::Row),
        _ => around,
    }
}
