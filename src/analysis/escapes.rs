//! Which memory code that is not seen may reach, or other names may stand for.
//!
//! Input: the functions of a file. Output: variables whose address, or the address in which, is
//! handed on ([`escaped`]); and local pointers each of which has the memory of one allocation of its
//! own, which no other name reaches ([`fresh`]).
//!
//! ```c
//! float *a = malloc(n * sizeof *a);    // fresh
//! float *b = malloc(n * sizeof *b);    // escapes: `fill` may keep it
//! fill(b);
//! float *c = a ? malloc(n) : b;        // not fresh: it may be `b`
//! ```
//!
//! A pointer that is assigned twice is not fresh, nor is one that `realloc` or an allocator of the
//! program gives. One that is null at first is: null leads to no memory. Since its value goes
//! nowhere, no call can map it to device memory that something else has.

use std::collections::{BTreeMap, BTreeSet};

use super::flow::is_address_taken_anywhere;
use crate::typed::constant::evaluate;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, Function, Statement, StatementKind,
    Storage, SymbolId, SymbolKind, UnaryOperator, Unit, visit,
};

/// What gives memory that nothing else points to.
const ALLOCATORS: [&str; 3] = ["malloc", "calloc", "aligned_alloc"];

/// Arrays and pointers that code which is not seen may use, or that other names may stand for.
pub fn escaped(unit: &Unit) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for symbol in (0..).map(SymbolId).take(unit.symbols.len()) {
        let variable = unit.symbol(symbol);
        let is_shared = variable.kind == SymbolKind::Variable(Storage::External);
        let is_alias = variable.kind == SymbolKind::Parameter
            && !variable.ty.qualifiers.is_restrict
            && unit.types.is_pointer(variable.ty.ty);
        if is_shared || is_alias {
            found.insert(symbol);
        }
    }
    for function in &unit.functions {
        of_function(unit, function, &mut found);
    }
    // Lengths of arrays stand in no statement.
    for length in unit.lengths() {
        of_value(unit, length, &mut found);
    }
    found
}

fn of_function(unit: &Unit, function: &Function, found: &mut BTreeSet<SymbolId>) {
    visit::statements(&function.body, &mut |statement| {
        if let StatementKind::Declaration(list) = &statement.kind {
            for one in list {
                if let Some(value) = one.value()
                    && unit.types.is_pointer(unit.symbol(one.symbol).ty.ty)
                    && !is_own(unit, value)
                {
                    found.insert(one.symbol);
                }
            }
        }
    });
    let mut roots = Vec::new();
    visit::statement_roots(&function.body, &mut |root| roots.push(root));
    roots
        .into_iter()
        .for_each(|root| of_value(unit, root, found));
}

/// Memory that nothing else points to, or none.
fn is_own(unit: &Unit, value: &Expression) -> bool {
    matches!(value.inner().kind, ExpressionKind::Call { .. }) || is_null(unit, value)
}

fn is_null(unit: &Unit, value: &Expression) -> bool {
    evaluate(unit, value.without_conversions()) == Some(0)
}

/// The variables whose addresses an expression hands on.
fn of_value(unit: &Unit, e: &Expression, found: &mut BTreeSet<SymbolId>) {
    let mut inside = |e: &Expression| of_value(unit, e, found);
    match &e.kind {
        ExpressionKind::Index(..) | ExpressionKind::Unary(UnaryOperator::Indirection, _) => {
            of_place(unit, e, found);
        }
        ExpressionKind::Unary(UnaryOperator::AddressOf, _)
        | ExpressionKind::Convert(Conversion::ArrayToPointer, _) => {
            visit::symbols(e, &mut |symbol| {
                found.insert(symbol);
            });
        }
        ExpressionKind::Binary(operator, left, right) if compares(*operator) => {
            for side in [left, right] {
                if side.inner().as_symbol().is_none() {
                    inside(side);
                }
            }
        }
        ExpressionKind::Assign(target, value) => {
            match target.as_symbol() {
                Some(symbol) if unit.types.is_pointer(target.ty.ty) && !is_own(unit, value) => {
                    found.insert(symbol);
                }
                Some(_) => {}
                None => inside(target),
            }
            of_value(unit, value, found);
        }
        ExpressionKind::Call {
            function,
            arguments,
        } => {
            let name = function.as_symbol().map(|f| unit.symbol(f).name.as_str());
            let frees = name == Some("free");
            let all = arguments
                .iter()
                .filter(|a| !frees || a.inner().as_symbol().is_none());
            all.for_each(inside);
        }
        ExpressionKind::Symbol(symbol) => {
            found.insert(*symbol);
        }
        _ => visit::operands(e, &mut |operand| inside(operand)),
    }
}

fn compares(operator: BinaryOperator) -> bool {
    use BinaryOperator as B;
    matches!(
        operator,
        B::Less | B::LessEqual | B::Greater | B::GreaterEqual | B::Equal | B::NotEqual
    )
}

/// Those that an expression hands on whose value is what is in memory.
fn of_place(unit: &Unit, place: &Expression, found: &mut BTreeSet<SymbolId>) {
    match &place.kind {
        ExpressionKind::Parenthesized(inner) => of_place(unit, inner, found),
        ExpressionKind::Index(base, index) => {
            of_base(unit, base, found);
            of_value(unit, index, found);
        }
        ExpressionKind::Unary(UnaryOperator::Indirection, base) => of_base(unit, base, found),
        ExpressionKind::Symbol(_) => {}
        _ => of_value(unit, place, found),
    }
}

/// Those that an address hands on which is only followed.
fn of_base(unit: &Unit, base: &Expression, found: &mut BTreeSet<SymbolId>) {
    match &base.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(Conversion::Pointer, inner) => of_base(unit, inner, found),
        ExpressionKind::Convert(Conversion::ArrayToPointer, array) => of_place(unit, array, found),
        ExpressionKind::Binary(BinaryOperator::Add | BinaryOperator::Subtract, left, right) => {
            of_base(unit, left, found);
            of_base(unit, right, found);
        }
        ExpressionKind::Symbol(_) => {}
        _ => of_value(unit, base, found),
    }
}

/// Pointers of a function, each to memory of an allocation of its own. `escaped` is of the file.
pub fn fresh(unit: &Unit, function: &Function, escaped: &BTreeSet<SymbolId>) -> BTreeSet<SymbolId> {
    if is_opaque(&function.body) {
        return BTreeSet::new();
    }
    let is_fresh = |symbol: &SymbolId| {
        let variable = unit.symbol(*symbol);
        variable.kind == SymbolKind::Variable(Storage::Automatic)
            && unit.types.is_pointer(variable.ty.ty)
            && !variable.ty.qualifiers.is_volatile
            && !escaped.contains(symbol)
    };
    let allocated = values(unit, function).into_iter();
    let allocated = allocated.filter(|(_, all)| *all == [true]);
    allocated
        .map(|(symbol, _)| symbol)
        .filter(is_fresh)
        .collect()
}

/// Whether a pointer of a function has nothing but addresses that the host's library allocated.
pub fn is_of_host(unit: &Unit, pointer: SymbolId) -> bool {
    let variable = unit.symbol(pointer);
    let is_own = variable.kind == SymbolKind::Variable(Storage::Automatic)
        && unit.types.is_pointer(variable.ty.ty)
        && !is_address_taken_anywhere(unit, pointer);
    let mut functions = unit.functions.iter().filter(|_| is_own);
    functions.any(|function| {
        let all = values(unit, function).remove(&pointer);
        all.is_some_and(|all| !is_opaque(&function.body) && all.iter().all(|own| *own))
    })
}

/// Whether each value that a function gives its variables is an allocation; null is left out.
fn values(unit: &Unit, function: &Function) -> BTreeMap<SymbolId, Vec<bool>> {
    let mut values: BTreeMap<SymbolId, Vec<bool>> = BTreeMap::new();
    visit::statements(&function.body, &mut |statement| {
        if let StatementKind::Declaration(list) = &statement.kind {
            for (symbol, value) in list
                .iter()
                .filter_map(|one| Some((one.symbol, one.value()?)))
            {
                add_value(unit, symbol, Some(value), &mut values);
            }
        }
    });
    visit::expressions(&function.body, &mut |e| {
        let Some(symbol) = e.assigned().and_then(Expression::as_symbol) else {
            return;
        };
        let value = match &e.kind {
            ExpressionKind::Assign(_, value) => Some(&**value),
            _ => None,
        };
        add_value(unit, symbol, value, &mut values);
    });
    values
}

/// Whether a body has what could change variables unseen.
fn is_opaque(body: &Statement) -> bool {
    let mut is_opaque = false;
    visit::statements(body, &mut |statement| {
        is_opaque |= matches!(statement.kind, StatementKind::Assembly);
    });
    visit::expressions(body, &mut |e| {
        is_opaque |= matches!(e.kind, ExpressionKind::Statement(_));
    });
    is_opaque
}

/// Adds whether a variable gets memory of its own; null is left out. Without a value it changes in
/// another way.
fn add_value(
    unit: &Unit,
    symbol: SymbolId,
    value: Option<&Expression>,
    values: &mut BTreeMap<SymbolId, Vec<bool>>,
) {
    if value.is_some_and(|value| is_null(unit, value)) {
        return;
    }
    let allocates = value.is_some_and(|value| is_allocation(unit, value));
    values.entry(symbol).or_default().push(allocates);
}

fn is_allocation(unit: &Unit, value: &Expression) -> bool {
    let ExpressionKind::Call { function, .. } = &value.without_conversions().kind else {
        return false;
    };
    function.as_symbol().is_some_and(|function| {
        let symbol = unit.symbol(function);
        let is_of_library =
            matches!(symbol.kind, SymbolKind::Function { .. }) && unit.function(function).is_none();
        is_of_library && ALLOCATORS.contains(&symbol.name.as_str())
    })
}
