//! Which variables statements name.

use std::collections::BTreeSet;

use crate::ir::{Statement, StatementKind, visit};
use crate::typed::{
    ArrayLength, Conversion, Expression, ExpressionKind, QualType, SymbolId, Type, UnaryOperator,
    Unit, visit as typed_visit,
};

/// The variables that statements name outside of loops that have them for
/// their own.
pub fn free(list: &[Statement]) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    for statement in list {
        let mut name = |symbol| {
            found.insert(symbol);
        };
        visit::own_expressions(statement, &mut |root| typed_visit::symbols(root, &mut name));
        let mut inside = BTreeSet::new();
        visit::blocks(statement, &mut |inner| inside.extend(free(inner)));
        if let StatementKind::Loop(l) = &statement.kind {
            for private in &l.privates {
                inside.remove(private);
            }
            if l.declared_inside {
                inside.remove(&l.induction);
            } else {
                inside.insert(l.induction);
            }
            inside.extend(l.reductions.iter().map(|r| r.symbol));
        }
        found.extend(inside);
    }
    found
}

/// All that statements need to be given: [`free`] variables, and those that the
/// lengths in their types come from.
pub fn needed(list: &[Statement], unit: &Unit) -> BTreeSet<SymbolId> {
    let mut found = free(list);
    let mut types: Vec<QualType> = visit::declared(list)
        .into_iter()
        .map(|symbol| unit.symbol(symbol).ty)
        .collect();
    visit::expressions(list, &mut |e| match &e.kind {
        ExpressionKind::Symbol(symbol) => types.push(unit.symbol(*symbol).ty),
        ExpressionKind::Cast(_) => types.push(e.ty),
        ExpressionKind::SizeofVariable(ty) => types.push(*ty),
        _ => {}
    });
    for ty in types {
        add_lengths(ty, unit, &mut found);
    }
    found
}

fn add_lengths(ty: QualType, unit: &Unit, found: &mut BTreeSet<SymbolId>) {
    let mut ty = ty;
    loop {
        ty = match unit.types.get(ty.ty) {
            Type::Array { element, length } => {
                if let ArrayLength::Variable(id) = length {
                    typed_visit::symbols(unit.length(*id), &mut |symbol| {
                        found.insert(symbol);
                    });
                }
                *element
            }
            Type::Pointer(to) => *to,
            _ => return,
        };
    }
}

/// Whether a variable's value or address goes anywhere but to its elements or
/// its target at once, such as to a function.
pub fn goes_elsewhere(list: &[Statement], symbol: SymbolId) -> bool {
    let mut found = false;
    visit::walk(list, &mut |statement| {
        visit::own_expressions(statement, &mut |e| found |= is_bare(e, symbol));
    });
    found
}

fn is_bare(e: &Expression, symbol: SymbolId) -> bool {
    match &e.kind {
        ExpressionKind::Symbol(s) => *s == symbol,
        ExpressionKind::Index(base, index) => is_bare_base(base, symbol) || is_bare(index, symbol),
        ExpressionKind::Unary(UnaryOperator::Indirection, base) => is_bare_base(base, symbol),
        _ => {
            let mut found = false;
            typed_visit::operands(e, &mut |operand| found |= is_bare(operand, symbol));
            found
        }
    }
}

fn is_bare_base(base: &Expression, symbol: SymbolId) -> bool {
    match &base.kind {
        ExpressionKind::Symbol(_) => false,
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => is_bare_base(inner, symbol),
        _ => is_bare(base, symbol),
    }
}
