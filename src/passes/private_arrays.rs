//! Who has a copy of a private array that lives in device memory.
//!
//! Input: kernels with distributions. Output: [`PrivateArray::owner`], and arrays of
//! variable length that a kernel declares among [`Kernel::scratch`].
//!
//! ```c
//! #pragma acc parallel loop gang private(row[0:n])
//! for (int i = 0; i < m; i++) {     // after: row is one a block
//!     #pragma acc loop vector
//!     for (int j = 0; j < n; j++) {
//!         double pair[k];           // after: pair is one a thread
//!         …
//! ```
//!
//! The copy belongs to who shares the variable: to a thread in flat kernels
//! and inside loops over lanes, to a row inside loops over rows, else to the
//! block. Copies of the host's values that the kernel only reads are one.

use std::cell::LazyCell;

use indexmap::{IndexMap, IndexSet};

use crate::analysis::effects::{Oracle, Place};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    Kernel, Level, Module, Passing, PrivateArray, PrivateArrayOwner, PrivateArraySize, Scheme,
    StatementKind, visit,
};
use crate::passes::thread_mapping::innermost;
use crate::passes::variables;
use crate::typed::print::{C, Printer};
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, LocalDeclaration, SymbolId, Type, TypeId,
    UnaryOperator, Unit, VlaId,
};

/// Decides for every kernel.
pub fn run(module: &mut Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &mut module.kernels {
        let unknown = match kernel.collective {
            // A collective's function has no launch of its own.
            Some(_) => declared_arrays(kernel, unit),
            None => add_declared(kernel, &oracle),
        };
        let owners = variables::owners(kernel, outermost(kernel));
        if kernel.collective.is_none() {
            decide(kernel, &owners, &oracle);
        }
        refuse_shared(kernel, &unknown, &owners, unit, diagnostics);
    }
}

/// An array of variable length that the kernel declares, and a length that the
/// host cannot evaluate.
type Declared = (LocalDeclaration, Option<String>);

/// Arrays of variable length that the kernel itself declares. Given back are
/// those for which the launch cannot make room.
fn add_declared(kernel: &mut Kernel, oracle: &Oracle) -> Vec<Declared> {
    let unit = oracle.unit();
    let written = LazyCell::new(|| oracle.list(&kernel.body).writes);
    let mut unknown = declared_arrays(kernel, unit);
    let mut known = Vec::new();
    unknown.retain_mut(|(declaration, length)| {
        *length = unknown_length(kernel, declaration, &written, unit);
        if length.is_none() {
            known.push(declaration.symbol);
        }
        length.is_some()
    });
    drop(written);
    kernel
        .private_arrays
        .extend(known.into_iter().map(|symbol| PrivateArray {
            symbol,
            size: PrivateArraySize::Declared,
            copied: false,
            owner: None,
        }));
    unknown
}

fn declared_arrays(kernel: &Kernel, unit: &Unit) -> Vec<Declared> {
    let mut found = Vec::new();
    visit::walk(&kernel.body, &mut |statement| {
        if let StatementKind::Declaration(list) = &statement.kind {
            let arrays = list.iter().filter(|d| is_variable_array(unit, d.symbol));
            found.extend(arrays.map(|declaration| (declaration.clone(), None)));
        }
    });
    found
}

/// What the launch makes no room for has to be one thread's own, which takes it
/// from the device's heap.
fn refuse_shared(
    kernel: &Kernel,
    unknown: &[Declared],
    owners: &IndexMap<SymbolId, Level>,
    unit: &Unit,
    diagnostics: &mut Diagnostics,
) {
    let is_own = |symbol| {
        let is_alone = kernel.scheme == Some(Scheme::Single);
        is_alone || owners.get(symbol) == Some(&Level::Lane)
    };
    for (declaration, length) in unknown {
        if is_own(&declaration.symbol) && kernel.windows.is_empty() {
            continue;
        }
        let refusal = refusal(declaration, unit);
        diagnostics.push(match length {
            None => refusal,
            Some(length) => refusal.also(
                kernel.directive,
                format!("the host cannot compute `{length}` when this construct begins"),
            ),
        });
    }
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
            let capture = kernel.capture(*symbol);
            capture.is_some_and(|c| c.passing == Passing::Value)
                && !written.contains(&Place::Variable(*symbol))
        }
        ExpressionKind::Index(..)
        | ExpressionKind::Call { .. }
        | ExpressionKind::Member { .. }
        | ExpressionKind::Unary(UnaryOperator::Indirection, _) => false,
        _ => true,
    };
    let lengths = lengths(unit, unit.symbol(declaration.symbol).ty.ty);
    let expressions = lengths.into_iter().map(|id| unit.length(id));
    let mut unknown =
        expressions.filter(|length| crate::typed::visit::any(length, &mut |e| !is_known(e)));
    unknown.next().map(|length| Printer::text(unit, &C, length))
}

/// The run-time lengths in an array's type.
fn lengths(unit: &Unit, ty: TypeId) -> Vec<VlaId> {
    let mut found = Vec::new();
    let mut ty = ty;
    while let Type::Array { element, length } = unit.types.get(ty) {
        if let ArrayLength::Variable(id) = length {
            found.push(*id);
        }
        ty = element.ty;
    }
    found
}

fn is_variable_array(unit: &Unit, symbol: SymbolId) -> bool {
    unit.is_array(symbol) && unit.types.is_variable_length(unit.symbol(symbol).ty.ty)
}

fn refusal(declaration: &LocalDeclaration, unit: &Unit) -> Diagnostic {
    let name = &unit.symbol(declaration.symbol).name;
    Diagnostic::error(
        codes::RUN_TIME_SIZE,
        format!("the size of `{name}` is not known when its kernel is launched"),
        declaration.span,
    )
    .note("several threads share it")
    .help(format!(
        "give `{name}` a constant length, declare it where each thread has its own, or pass an array of the caller's to the function"
    ))
}

/// The level of code outside all loops.
fn outermost(kernel: &Kernel) -> Level {
    match kernel.scheme {
        Some(Scheme::Flat | Scheme::Threads) => Level::Lane,
        _ => Level::Block,
    }
}

/// Fills in the owners.
fn decide(kernel: &mut Kernel, owners: &IndexMap<SymbolId, Level>, oracle: &Oracle) {
    let outside = outermost(kernel);
    let effects = oracle.list(&kernel.body);
    let mut writes = effects.writes.iter();
    let writes_anywhere =
        writes.any(|place| *place == Place::Unknown || is_local_target(place, kernel));
    let changes = |symbol: SymbolId| {
        let targets = [Place::Variable(symbol), Place::Target(symbol)];
        targets.iter().any(|place| effects.writes.contains(place))
            || effects.escapes.contains(&symbol)
            || writes_anywhere
    };
    let reduced = reduced_by_threads(kernel);
    for array in &mut kernel.private_arrays {
        let level = owners.get(&array.symbol).copied().unwrap_or(outside);
        array.owner = Some(if array.copied && !changes(array.symbol) {
            PrivateArrayOwner::Grid
        } else if reduced.contains(&array.symbol) {
            PrivateArrayOwner::Thread
        } else {
            level.into()
        });
    }
}

/// The arrays that the kernel declares for reductions of the threads of a
/// block: outside of their loops all copies have the same values.
fn reduced_by_threads(kernel: &Kernel) -> IndexSet<SymbolId> {
    let mut found = IndexSet::new();
    visit::loops(&kernel.body, &mut |l| {
        let distribution = innermost(l, l.collapsed).distribution.unwrap_or_default();
        let threads = l.threads();
        if threads != [false; 3] || distribution.threads != [false; 3] {
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
    kernel.capture(*symbol).is_none() && kernel.private_array(*symbol).is_none()
}
