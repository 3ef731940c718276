//! Constant objects of the user's that are constants of the kernel file.
//!
//! Input: the IR with the captures of its kernels. Output: the objects whose value every compiler
//! knows from their declaration, and that kernels and device functions only read: they are no
//! parameters.
//!
//! ```text
//! static const int K = 3;            constexpr int K = 3;             // at the top of the file
//! const int half = N / 2;            const int half = N / 2;          // in a function: in its kernels
//! ```
//!
//! C computes a constant of a floating type in that type, and so does C++: literals of `float` and
//! `double` have the same bits, and sums and products of them are rounded alike.

use std::collections::{HashMap, HashSet};

use super::conversions::literal_value;
use super::language::Cuda;
use crate::ir::{Kernel, Module, Passing, visit};
use crate::typed::constant::{evaluate, floating};
use crate::typed::print::Language;
use crate::typed::{
    Expression, ExpressionKind, FloatingKind, Initializer, QualType, Storage, SymbolId, SymbolKind,
    Type, TypeId, UnaryOperator, Unit, visit as typed_visit,
};

/// Such objects, with their values as written.
#[derive(Debug, Default)]
pub struct NamedConstants(HashMap<SymbolId, Expression>);

impl NamedConstants {
    /// Those of a unit that its kernels and device functions may name.
    pub fn of(module: &Module, unit: &Unit) -> Self {
        let mut found = HashMap::new();
        let mut add = |symbol: SymbolId, value: Option<&Initializer>| {
            if let Some(Initializer::Expression(value)) = value
                && is_constant(unit, symbol)
                && is_known(unit, value, unit.symbol(symbol).ty.ty)
            {
                found.insert(symbol, value.clone());
            }
        };
        for global in &unit.globals {
            add(global.symbol, global.initializer.as_ref());
        }
        let captured = module.kernels.iter().flat_map(|kernel| &kernel.captures);
        let captured: HashSet<SymbolId> = captured.map(|capture| capture.symbol).collect();
        for function in &unit.functions {
            typed_visit::declarations(&function.body, &mut |declaration| {
                if captured.contains(&declaration.symbol) {
                    add(declaration.symbol, declaration.initializer.as_ref());
                }
            });
        }
        let mut others: HashSet<SymbolId> = module.device_globals.iter().copied().collect();
        for kernel in &module.kernels {
            others.extend(not_by_value(kernel, unit));
            others.extend(addressed(&kernel.body));
        }
        for function in &module.functions {
            others.extend(addressed(&function.body));
        }
        found.retain(|symbol, _| !others.contains(symbol));
        Self(found)
    }

    /// Whether an object is one of them.
    pub fn has(&self, symbol: SymbolId) -> bool {
        self.0.contains_key(&symbol)
    }

    /// Whether it is one that lives as long as the program.
    pub fn is_of_file(&self, unit: &Unit, symbol: SymbolId) -> bool {
        self.has(symbol) && !unit.symbol(symbol).is_automatic()
    }

    /// The value of one as written.
    pub fn value(&self, symbol: SymbolId) -> Option<&Expression> {
        self.0.get(&symbol)
    }

    /// The declaration of one, without a word for what is constant.
    pub fn declaration(&self, unit: &Unit, cuda: &Cuda, symbol: SymbolId) -> Option<String> {
        let value = self.value(symbol)?;
        let (name, ty) = (cuda.symbol(unit, symbol), unit.symbol(symbol).ty.ty);
        let text = cuda.declare_as(unit, symbol, QualType::plain(ty), &name);
        Some(format!("{text} = {}", value_text(unit, cuda, value)))
    }
}

/// The value as written, where that is the same in C++ and fits the type in so many words.
fn value_text(unit: &Unit, cuda: &Cuda, value: &Expression) -> String {
    let Some(number) = evaluate(unit, value) else {
        return cuda.text(unit, value);
    };
    if literal_value(unit, written(value)) == Some(number) {
        return cuda.text(unit, written(value));
    }
    let text = cuda.constant(unit, value, number);
    text.unwrap_or_else(|| number.to_string())
}

/// Without the conversions that a declaration makes.
fn written(value: &Expression) -> &Expression {
    match &value.kind {
        ExpressionKind::Convert(_, inner) => written(inner),
        _ => value,
    }
}

/// Whether an object is constant by its declaration.
fn is_constant(unit: &Unit, symbol: SymbolId) -> bool {
    let variable = unit.symbol(symbol);
    let qualifiers = variable.ty.qualifiers;
    let is_object = matches!(
        variable.kind,
        SymbolKind::Variable(storage) if storage != Storage::ThreadLocal
    );
    is_object && qualifiers.is_const && !qualifiers.is_volatile
}

/// Whether all compilers know a value, and give an object of the type this one.
fn is_known(unit: &Unit, value: &Expression, ty: TypeId) -> bool {
    let is_floating = |ty: TypeId| matches!(unit.types.get(ty), Type::Floating(_));
    let is_real = |ty: TypeId| match unit.types.get(ty) {
        Type::Bool | Type::Enum(_) => true,
        Type::Integer(_) => unit.types.size(ty).is_some_and(|bytes| bytes <= 8),
        Type::Floating(kind) => matches!(kind, FloatingKind::Float | FloatingKind::Double),
        _ => false,
    };
    let least = i128::from(i64::MIN) + 1;
    let is_exact = |e: &Expression| match &e.kind {
        _ if !is_real(e.ty.ty) => false,
        _ if is_floating(e.ty.ty) => floating(unit, e).is_some_and(f64::is_finite),
        // An integer of a floating type, or one that a conversion changes, is left to the host.
        ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
            evaluate(unit, e).is_some() && evaluate(unit, inner) == evaluate(unit, e)
        }
        _ => {
            evaluate(unit, e).is_some_and(|number| (least..=i128::from(i64::MAX)).contains(&number))
        }
    };
    let is_whole = |e: &Expression| is_floating(ty) || !is_floating(e.ty.ty);
    is_real(ty) && typed_visit::all(value, &mut |e| is_exact(e) && is_whole(e))
}

/// What a kernel has in another way than as a value that it reads, or beside another variable of the
/// same name.
fn not_by_value<'k>(kernel: &'k Kernel, unit: &'k Unit) -> impl Iterator<Item = SymbolId> + 'k {
    let name = |symbol: SymbolId| unit.symbol(symbol).name.as_str();
    let captures = kernel.captures.iter();
    let others = captures.filter(move |one| {
        let is_alike = |other: SymbolId| other != one.symbol && name(other) == name(one.symbol);
        let mut captures = kernel.captures.iter();
        one.passing != Passing::Value || one.written || captures.any(|other| is_alike(other.symbol))
    });
    let reduced = kernel.all_reductions().map(|reduction| reduction.symbol);
    let tables = kernel.tables.iter().map(|table| table.symbol);
    let others = others.map(|capture| capture.symbol).chain(tables);
    others.chain(kernel.privates.iter().copied()).chain(reduced)
}

/// The variables whose address code takes.
fn addressed(body: &[crate::ir::Statement]) -> Vec<SymbolId> {
    let mut found = Vec::new();
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Unary(UnaryOperator::AddressOf, place) = &e.kind {
            found.extend(place.inner().as_symbol());
        }
    });
    found
}
