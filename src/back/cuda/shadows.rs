//! Variables that cannot keep the name of another one around them.
//!
//! ```c
//! for (int i = 0; i < n; i++) {           // C
//!     int k = i, i = 3;
//!     for (int j = 0; j < k; j++) { … }
//! }
//! ```
//! ```cuda
//! for (int i = 0; i < n; i++) {           // C++: a loop's variable is of its body's scope
//!     int k = i, own_i = 3;
//! ```

use std::collections::{HashMap, HashSet};

use indexmap::IndexSet;

use super::language::Cuda;
use crate::ir::{Kernel, Statement, StatementKind, visit};
use crate::typed::{SymbolId, Unit, visit as typed_visit};

/// Copies of captured variables, made by passes, have their names; variables of loops may have the
/// name of one that a loop around them ends at, which is looked at inside.
pub fn rename(unit: &Unit, kernel: &Kernel, cuda: &mut Cuda) {
    let captured: Vec<&str> = kernel
        .captures
        .iter()
        .map(|c| unit.symbol(c.symbol).name.as_str())
        .collect();
    let mut local = kernel.privates.clone();
    // Rows may have the length of a captured variable wherever they are.
    local.extend(match kernel.row_lengths.is_empty() {
        true => visit::declared(&kernel.body),
        false => visit::own_variables(&kernel.body),
    });
    visit::loops(&kernel.body, &mut |l| {
        local.extend(l.privates.iter().copied())
    });
    let is_captured = |symbol: SymbolId| kernel.captures.iter().any(|c| c.symbol == symbol);
    let hides = |symbol: SymbolId| captured.contains(&unit.symbol(symbol).name.as_str());
    let copies = local.into_iter().filter(|s| !is_captured(*s) && hides(*s));
    let mut hiding: IndexSet<SymbolId> = copies.collect();
    visit::loops(&kernel.body, &mut |outer| {
        let mut bounds = Vec::new();
        for e in outer.limits() {
            typed_visit::symbols(e, &mut |symbol| bounds.push(symbol));
        }
        let mut inside = visit::declared(&outer.body);
        visit::loops(&outer.body, &mut |inner| {
            inside.extend(inner.declared_inside.then_some(inner.induction));
        });
        hiding.extend(inside.into_iter().filter(|own| {
            let name = &unit.symbol(*own).name;
            let mut bounds = bounds.iter();
            bounds.any(|other| other != own && unit.symbol(*other).name == *name)
        }));
    });
    own_names(unit, hiding, cuda);
    rename_in(unit, &kernel.body, cuda);
}

/// The same of names that C++ refuses, or that nvcc warns of: what a loop's body declares has the
/// name of the loop's variable, or a loop's variable that of one further out which is used behind it.
pub fn rename_in(unit: &Unit, body: &[Statement], cuda: &mut Cuda) {
    let mut found = IndexSet::new();
    clashes(unit, body, &mut found);
    own_names(unit, found, cuda);
}

fn own_names(unit: &Unit, variables: IndexSet<SymbolId>, cuda: &mut Cuda) {
    for symbol in variables {
        let name = &unit.symbol(symbol).name;
        if cuda.names.get(&symbol).is_none_or(|known| known == name) {
            let fresh = cuda.fresh(&format!("own_{name}"));
            cuda.names.insert(symbol, fresh);
        }
    }
}

/// By name, what code uses of variables that are declared around it.
type Used<'u> = HashMap<&'u str, HashSet<SymbolId>>;

/// Finds those inside a list of statements, and says what the list uses.
fn clashes<'u>(unit: &'u Unit, list: &[Statement], found: &mut IndexSet<SymbolId>) -> Used<'u> {
    let name = |symbol: SymbolId| unit.symbol(symbol).name.as_str();
    // By the statements behind.
    let mut used = Used::new();
    let beside: HashSet<SymbolId> = list.iter().flat_map(directly_declared).collect();
    for statement in list.iter().rev() {
        let header = of_header(statement);
        for variable in &header {
            let others = used.get(name(*variable)).into_iter().flatten();
            let mut others = others.into_iter();
            if others.any(|other| other != variable && !beside.contains(other)) {
                found.insert(*variable);
            }
            let inside = body(statement).iter().flat_map(directly_declared);
            found.extend(inside.filter(|own| own != variable && name(*own) == name(*variable)));
        }
        let mut own = header;
        visit::blocks(statement, &mut |inner| {
            add(&mut used, clashes(unit, inner, found));
        });
        visit::own_expressions(statement, &mut |e| {
            typed_visit::symbols(e, &mut |symbol| {
                used.entry(name(symbol)).or_default().insert(symbol);
            });
            own.extend(typed_visit::declared_inside(e));
        });
        own.extend(directly_declared(statement));
        if let StatementKind::CollectiveCall(call) = &statement.kind {
            own.extend(call.result);
        }
        for own in own {
            if let Some(others) = used.get_mut(name(own)) {
                others.remove(&own);
            }
        }
    }
    used
}

/// The smaller one is moved.
fn add<'u>(all: &mut Used<'u>, mut more: Used<'u>) {
    if more.len() > all.len() {
        std::mem::swap(all, &mut more);
    }
    for (name, variables) in more {
        all.entry(name).or_default().extend(variables);
    }
}

/// The variables that a loop's header declares.
fn of_header(statement: &Statement) -> Vec<SymbolId> {
    match &statement.kind {
        StatementKind::Loop(l) if l.declared_inside => vec![l.induction],
        StatementKind::For(parts) => parts
            .initializer
            .iter()
            .flat_map(directly_declared)
            .collect(),
        _ => Vec::new(),
    }
}

fn body(statement: &Statement) -> &[Statement] {
    match &statement.kind {
        StatementKind::Loop(l) => &l.body,
        StatementKind::For(parts) => &parts.body,
        _ => &[],
    }
}

fn directly_declared(statement: &Statement) -> impl Iterator<Item = SymbolId> + '_ {
    let declarations = match &statement.kind {
        StatementKind::Declaration(list) => list.as_slice(),
        _ => &[],
    };
    declarations.iter().map(|one| one.symbol)
}
