//! Who has a copy of a private array that lives in device memory.
//!
//! Input: kernels with spreads. Output: [`ScratchArray::owner`], and arrays of
//! variable length that a kernel declares among [`Kernel::scratch`].
//!
//! ```c
//! #pragma acc parallel loop gang private(row[0:n])
//! for (int i = 0; i < m; i++) {     // after: row is one a gang
//!     #pragma acc loop vector
//!     for (int j = 0; j < n; j++) {
//!         double pair[k];           // after: pair is one a thread
//!         …
//! ```
//!
//! The copy belongs to who shares the variable: to a thread in flat kernels
//! and inside vector loops, to a worker inside worker loops, else to the
//! block. Copies of the host's values that the kernel only reads are one.

use std::cell::LazyCell;

use indexmap::{IndexMap, IndexSet};

use crate::analysis::effects::{Oracle, Place};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    Capture, DeviceFunction, Kernel, Loop, Module, Passing, Scheme, ScratchArray, ScratchOwner,
    ScratchSize, Statement, StatementKind, visit,
};
use crate::passes::thread_mapping::innermost;
use crate::typed::print::{C, Printer};
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, LocalDeclaration, SymbolId, Type, TypeId,
    UnaryOperator, Unit,
};

/// Decides for every kernel.
pub fn run(module: &mut Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in module.kernels.iter_mut().filter(|k| k.team.is_none()) {
        add_declared(kernel, &oracle, diagnostics);
        decide(kernel, &oracle);
    }
    for function in &module.functions {
        refuse_declared(function, unit, diagnostics);
    }
}

/// Arrays of variable length that the kernel itself declares.
fn add_declared(kernel: &mut Kernel, oracle: &Oracle, diagnostics: &mut Diagnostics) {
    let unit = oracle.unit();
    let written = LazyCell::new(|| oracle.list(&kernel.body).writes);
    let mut found = Vec::new();
    visit::walk(&kernel.body, &mut |statement| {
        let StatementKind::Declaration(list) = &statement.kind else {
            return;
        };
        for declaration in list.iter().filter(|d| is_variable_array(unit, d.symbol)) {
            match unknown_length(kernel, declaration, &written, unit) {
                None => found.push(declaration.symbol),
                Some(length) => diagnostics.push(refusal(declaration, unit).also(
                    kernel.directive,
                    format!("the host cannot compute `{length}` when this construct begins"),
                )),
            }
        }
    });
    drop(written);
    kernel
        .scratch
        .extend(found.into_iter().map(|symbol| ScratchArray {
            symbol,
            size: ScratchSize::Declared,
            copied: false,
            owner: None,
        }));
}

/// A length of the array that the host cannot evaluate when the kernel is
/// launched, as text.
fn unknown_length(
    kernel: &Kernel,
    declaration: &LocalDeclaration,
    written: &IndexSet<Place>,
    unit: &Unit,
) -> Option<String> {
    let is_known = |e: &Expression| match &e.kind {
        ExpressionKind::Symbol(symbol) => {
            let is_value = |c: &Capture| c.symbol == *symbol && c.passing == Passing::Value;
            kernel.captures.iter().any(is_value) && !written.contains(&Place::Variable(*symbol))
        }
        ExpressionKind::Index(..)
        | ExpressionKind::Call { .. }
        | ExpressionKind::Member { .. }
        | ExpressionKind::Unary(UnaryOperator::Indirection, _) => false,
        _ => true,
    };
    let lengths = lengths(unit, unit.symbol(declaration.symbol).ty.ty);
    let expressions = lengths
        .into_iter()
        .map(|id| &unit.vla_lengths[id].expression);
    let mut unknown =
        expressions.filter(|length| crate::typed::visit::any(length, &mut |e| !is_known(e)));
    unknown.next().map(|length| Printer::text(unit, &C, length))
}

/// The run-time lengths in an array's type.
fn lengths(unit: &Unit, ty: TypeId) -> Vec<usize> {
    let mut found = Vec::new();
    let mut ty = ty;
    while let Type::Array { element, length } = unit.types.get(ty) {
        if let ArrayLength::Variable(id) = length {
            found.push(id.0 as usize);
        }
        ty = element.ty;
    }
    found
}

fn is_variable_array(unit: &Unit, symbol: SymbolId) -> bool {
    let ty = unit.symbol(symbol).ty.ty;
    matches!(unit.types.get(ty), Type::Array { .. }) && unit.types.is_variable_length(ty)
}

/// Functions on the device have no launch that could make room.
fn refuse_declared(function: &DeviceFunction, unit: &Unit, diagnostics: &mut Diagnostics) {
    visit::walk(&function.body, &mut |statement| {
        let StatementKind::Declaration(list) = &statement.kind else {
            return;
        };
        for declaration in list.iter().filter(|d| is_variable_array(unit, d.symbol)) {
            diagnostics.push(refusal(declaration, unit));
        }
    });
}

fn refusal(declaration: &LocalDeclaration, unit: &Unit) -> Diagnostic {
    let name = &unit.symbol(declaration.symbol).name;
    Diagnostic::error(
        codes::RUN_TIME_SIZE,
        format!("the size of `{name}` is not known when its kernel is launched"),
        declaration.span,
    )
    .help(format!(
        "give `{name}` a constant length, or pass an array of the caller's to the function"
    ))
}

/// Fills in the owners.
fn decide(kernel: &mut Kernel, oracle: &Oracle) {
    let outside = match kernel.scheme {
        Some(Scheme::Flat) => ScratchOwner::Thread,
        _ => ScratchOwner::Gang,
    };
    let mut owners: IndexMap<SymbolId, ScratchOwner> = IndexMap::new();
    owners.extend(kernel.privates.iter().map(|&symbol| (symbol, outside)));
    add_owners(&kernel.body, outside, &mut owners);
    let effects = oracle.list(&kernel.body);
    let writes_anywhere = effects
        .writes
        .iter()
        .any(|place| *place == Place::Unknown || is_local_target(place, kernel));
    let changes = |symbol: SymbolId| {
        let targets = [Place::Variable(symbol), Place::Target(symbol)];
        targets.iter().any(|place| effects.writes.contains(place))
            || effects.escapes.contains(&symbol)
            || writes_anywhere
    };
    let reduced = reduced_by_threads(kernel);
    for array in &mut kernel.scratch {
        let owner = owners.get(&array.symbol).copied().unwrap_or(outside);
        let owner = match reduced.contains(&array.symbol) {
            true => ScratchOwner::Thread,
            false => owner,
        };
        let shared = array.copied && !changes(array.symbol);
        array.owner = Some(if shared { ScratchOwner::Grid } else { owner });
    }
}

/// The arrays that the kernel declares for reductions of the threads of a
/// block: outside of their loops all copies have the same values.
fn reduced_by_threads(kernel: &Kernel) -> IndexSet<SymbolId> {
    let mut found = IndexSet::new();
    visit::loops(&kernel.body, &mut |l| {
        let spread = innermost(l, l.collapsed).spread.unwrap_or_default();
        let threads = l.spread.unwrap_or_default().threads;
        if threads != [false; 3] || spread.threads != [false; 3] {
            found.extend(l.reductions.iter().map(|r| r.symbol));
        }
    });
    let declared = visit::declared(&kernel.body);
    found.retain(|symbol| declared.contains(symbol));
    found
}

/// Whether a place is behind a pointer that the kernel itself has, and that
/// may point anywhere.
fn is_local_target(place: &Place, kernel: &Kernel) -> bool {
    let Place::Target(symbol) = place else {
        return false;
    };
    !kernel.captures.iter().any(|c| c.symbol == *symbol) && kernel.scratch_array(*symbol).is_none()
}

fn add_owners(
    list: &[Statement],
    around: ScratchOwner,
    owners: &mut IndexMap<SymbolId, ScratchOwner>,
) {
    for statement in list {
        let mut inside = around;
        match &statement.kind {
            StatementKind::Declaration(list) => {
                owners.extend(list.iter().map(|d| (d.symbol, around)));
            }
            StatementKind::Loop(l) => {
                inside = owner_inside(l, around);
                owners.extend(l.privates.iter().map(|&symbol| (symbol, inside)));
            }
            _ => {}
        }
        visit::blocks(statement, &mut |body| add_owners(body, inside, owners));
    }
}

fn owner_inside(l: &Loop, around: ScratchOwner) -> ScratchOwner {
    match l.spread.unwrap_or_default().threads {
        [true, ..] | [.., true] => ScratchOwner::Thread,
        [_, true, _] if around == ScratchOwner::Gang => ScratchOwner::Worker,
        _ => around,
    }
}
