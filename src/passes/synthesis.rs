//! Expressions and variables that passes make.

use std::collections::HashSet;

use crate::ir::{Kernel, Statement, Tile, visit};
use crate::source::Span;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, IntegerKind, QualType, Storage, Symbol, SymbolId,
    SymbolKind, Type, TypeId, UnaryOperator, Unit,
};

/// A new local variable of a name that the unit does not use yet.
pub fn variable(unit: &mut Unit, wanted: &str, ty: TypeId, span: Span) -> SymbolId {
    let name = fresh_name(unit, &[], wanted);
    add_variable(unit, name, ty, span)
}

/// A new local variable that hides the one it is a copy of: where it is in
/// scope, the other is not used.
pub fn hiding_variable(unit: &mut Unit, original: SymbolId) -> SymbolId {
    let original = unit.symbol(original).clone();
    add_variable(unit, original.name, original.ty.ty, original.span)
}

/// A new local variable of a name that a kernel does not use yet, whatever
/// other kernels have.
pub fn kernel_variable(
    unit: &mut Unit,
    kernel: &Kernel,
    added: &[SymbolId],
    wanted: &str,
    ty: TypeId,
) -> SymbolId {
    let mut used: HashSet<&str> = HashSet::new();
    let mut mention = |symbol: SymbolId| {
        used.insert(&unit.symbol(symbol).name);
    };
    added.iter().copied().for_each(&mut mention);
    kernel_symbols(kernel, &mut mention);
    let name = if used.contains(wanted) {
        (2..)
            .map(|number| format!("{wanted}_{number}"))
            .find(|name| !used.contains(name.as_str()))
            .expect("one of infinitely many names is free")
    } else {
        wanted.to_string()
    };
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
    visit::expressions(&kernel.body, &mut |e| {
        if let ExpressionKind::Symbol(symbol) = e.kind {
            mention(symbol);
        }
    });
    for window in &kernel.windows {
        mention(window.array);
        window.variables().into_iter().for_each(&mut *mention);
    }
}

fn add_variable(unit: &mut Unit, name: String, ty: TypeId, span: Span) -> SymbolId {
    let id = SymbolId(u32::try_from(unit.symbols.len()).expect("fewer than 2^32 symbols"));
    unit.symbols.push(Symbol {
        name,
        kind: SymbolKind::Variable(Storage::Automatic),
        ty: QualType::plain(ty),
        span,
    });
    id
}

/// A name that neither the unit nor the symbols to be added to it use.
pub fn fresh_name(unit: &Unit, added: &[Symbol], wanted: &str) -> String {
    let is_used = |name: &str| {
        let all = unit.symbols.iter().chain(added);
        all.map(|symbol| &symbol.name).any(|used| used == name)
    };
    if !is_used(wanted) {
        return wanted.to_string();
    }
    (2..)
        .map(|number| format!("{wanted}_{number}"))
        .find(|name| !is_used(name))
        .expect("one of infinitely many names is free")
}

/// The type `int`.
pub fn int(unit: &mut Unit) -> TypeId {
    unit.types.intern(Type::Integer(IntegerKind::Int))
}

/// A variable's name as an expression.
pub fn symbol(unit: &Unit, symbol: SymbolId, span: Span) -> Expression {
    Expression {
        kind: ExpressionKind::Symbol(symbol),
        ty: unit.symbol(symbol).ty,
        span,
    }
}

/// `target = value`, both of one type.
pub fn assign(target: Expression, value: Expression) -> Expression {
    Expression {
        ty: QualType::plain(target.ty.ty),
        span: value.span,
        kind: ExpressionKind::Assign(Box::new(target), Box::new(value)),
    }
}

/// `!e`, of type `int`.
pub fn not(int: TypeId, e: Expression) -> Expression {
    let span = e.span;
    Expression {
        kind: ExpressionKind::Unary(UnaryOperator::LogicalNot, Box::new(parenthesized(e))),
        ty: QualType::plain(int),
        span,
    }
}

/// `a op b` of a given type.
pub fn binary(operator: BinaryOperator, a: Expression, b: Expression, ty: TypeId) -> Expression {
    Expression {
        span: a.span,
        kind: ExpressionKind::Binary(operator, Box::new(a), Box::new(b)),
        ty: QualType::plain(ty),
    }
}

/// `(e)`, unless it is just a name or number.
pub fn parenthesized(e: Expression) -> Expression {
    if matches!(
        e.kind,
        ExpressionKind::Symbol(_)
            | ExpressionKind::Integer { .. }
            | ExpressionKind::Parenthesized(_)
    ) {
        return e;
    }
    Expression {
        ty: e.ty,
        span: e.span,
        kind: ExpressionKind::Parenthesized(Box::new(e)),
    }
}

/// `e` as 0 or 1.
pub fn truth(e: Expression, int: TypeId) -> Expression {
    let logical = |e: &Expression| match &e.inner().kind {
        ExpressionKind::Binary(operator, ..) => operator.is_logical(),
        ExpressionKind::Unary(operator, _) => *operator == UnaryOperator::LogicalNot,
        _ => false,
    };
    if logical(&e) {
        return e;
    }
    let span = e.span;
    Expression {
        kind: ExpressionKind::Conditional(
            Box::new(parenthesized(e)),
            Some(Box::new(integer(1, int, span))),
            Box::new(integer(0, int, span)),
        ),
        ty: QualType::plain(int),
        span,
    }
}

/// `(type)e`, unless it has the type.
pub fn cast(e: Expression, ty: TypeId) -> Expression {
    if e.ty.ty == ty {
        return e;
    }
    Expression {
        span: e.span,
        kind: ExpressionKind::Cast(Box::new(e)),
        ty: QualType::plain(ty),
    }
}

/// A number.
pub fn integer(value: i128, ty: TypeId, span: Span) -> Expression {
    Expression {
        kind: ExpressionKind::Integer {
            value,
            spelling: None,
        },
        ty: QualType::plain(ty),
        span,
    }
}

/// Replaces a variable by another in statements and in the headers and clauses of loops.
pub fn rename(body: &mut [Statement], from: SymbolId, to: SymbolId) {
    visit::expressions_mut(body, &mut |e: &mut Expression| {
        if let ExpressionKind::Symbol(symbol) = &mut e.kind
            && *symbol == from
        {
            *symbol = to;
        }
    });
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
