//! Operands of `sizeof` that stand in a kernel as the user has them.
//!
//! ```text
//! k < sizeof tmp / sizeof *tmp    // `tmp` is an array of the kernel's
//! n = sizeof(double)              // of `host[0]`, which the kernel does not get
//! ```
//!
//! What is only measured is no use of a variable: passes may have dropped it, or moved its
//! declaration. So parameters count, arrays where the statement names them besides, and in
//! subscripts any variable of its own expressions; and only what has the same type in C++.

use std::collections::HashSet;

use super::language::Cuda;
use crate::ir::{Kernel, Passing, Statement, visit};
use crate::typed::print::Language;
use crate::typed::{
    Conversion, Expression, ExpressionKind, SymbolId, Type, UnaryOperator, Unit,
    visit as typed_visit,
};

/// The variables that may be measured.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    /// Those with the type that they have in C.
    objects: HashSet<SymbolId>,
    /// Arrays of C that are pointers to elements here.
    pointers: HashSet<SymbolId>,
    /// Arrays that the body declares.
    local: HashSet<SymbolId>,
    /// In the statement that is printed.
    statement: Named,
}

/// The variables that a statement names.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// All.
    all: HashSet<SymbolId>,
    /// Outside of statements within it.
    own: HashSet<SymbolId>,
}

impl Measured {
    /// Those of a kernel.
    pub fn of_kernel(unit: &Unit, kernel: &Kernel) -> Self {
        let is_window = |symbol| (kernel.windows.iter()).any(|window| window.array == symbol);
        let is_table = |symbol| kernel.tables.iter().any(|table| table.symbol == symbol);
        let is_private = |symbol| kernel.privates.contains(&symbol);
        let captures = kernel.captures.iter().filter(|capture| {
            let symbol = capture.symbol;
            capture.section_of.is_none()
                && capture.passing != Passing::Reference
                && !(is_window(symbol) || is_table(symbol) || is_private(symbol))
        });
        let captures = captures.map(|capture| capture.symbol);
        let mut found = Self::of_body(unit, captures, &kernel.body);
        for array in &kernel.private_arrays {
            found.local.remove(&array.symbol);
        }
        found
    }

    /// Those of code with these parameters.
    pub fn of_body(
        unit: &Unit,
        parameters: impl Iterator<Item = SymbolId>,
        body: &[Statement],
    ) -> Self {
        let ty = |symbol: SymbolId| unit.symbol(symbol).ty.ty;
        let is_array = |symbol: SymbolId| unit.types.is_array(ty(symbol));
        // Pointers to rows of run-time length point to elements.
        let is_same = |symbol: &SymbolId| {
            let to = unit.types.pointee(ty(*symbol)).map(|to| to.ty);
            let mut types = [Some(ty(*symbol)), to].into_iter().flatten();
            !types.any(|ty| unit.types.is_variable_length(ty))
        };
        let (pointers, objects) = parameters.filter(is_same).partition(|s| is_array(*s));
        let local = visit::declared(body).into_iter();
        let local = local.filter(|symbol| is_array(*symbol) && is_same(symbol));
        Self {
            objects,
            pointers,
            local: local.collect(),
            statement: Named::default(),
        }
    }

    /// Goes on to a statement; gives what the one around it names.
    pub fn enter(&mut self, statement: &Statement) -> Named {
        let mut named = Named::default();
        visit::own_expressions(statement, &mut |e| {
            typed_visit::symbols(e, &mut |symbol| {
                named.own.insert(symbol);
            });
        });
        if !self.local.is_empty() {
            visit::symbols(std::slice::from_ref(statement), &mut |symbol| {
                named.all.insert(symbol);
            });
        }
        std::mem::replace(&mut self.statement, named)
    }

    /// Comes back to it.
    pub fn leave(&mut self, around: Named) {
        self.statement = around;
    }

    fn is_object(&self, symbol: SymbolId) -> bool {
        let is_named = || self.statement.all.contains(&symbol);
        self.objects.contains(&symbol) || self.local.contains(&symbol) && is_named()
    }

    /// Whether a subscript is of variables that are in scope, and changes none.
    fn has_subscript(&self, index: &Expression) -> bool {
        typed_visit::all(index, &mut |e| match &e.kind {
            ExpressionKind::Symbol(symbol) => {
                self.statement.own.contains(symbol) || self.objects.contains(symbol)
            }
            ExpressionKind::Integer { .. }
            | ExpressionKind::Parenthesized(_)
            | ExpressionKind::Convert(..)
            | ExpressionKind::Binary(..) => true,
            _ => false,
        })
    }
}

impl Cuda {
    /// Whether an object may be measured by this expression.
    pub fn is_measured(&self, unit: &Unit, e: &Expression) -> bool {
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => self.is_measured(unit, inner),
            ExpressionKind::Symbol(symbol) => {
                self.measured.is_object(*symbol) && self.is_users(unit, *symbol)
            }
            ExpressionKind::Index(base, index) => {
                self.points_to_measured(unit, base) && self.measured.has_subscript(index)
            }
            ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => {
                self.points_to_measured(unit, pointer)
            }
            ExpressionKind::Member { base, arrow, .. } => match arrow {
                true => self.points_to_measured(unit, base),
                false => self.is_measured(unit, base),
            },
            _ => false,
        }
    }

    fn points_to_measured(&self, unit: &Unit, pointer: &Expression) -> bool {
        match &pointer.kind {
            ExpressionKind::Parenthesized(inner) => self.points_to_measured(unit, inner),
            ExpressionKind::Convert(Conversion::ArrayToPointer, array) => {
                let symbol = array.without_parentheses().as_symbol();
                let is_pointer = |symbol| self.measured.pointers.contains(&symbol);
                symbol.is_some_and(|symbol| is_pointer(symbol) && self.is_users(unit, symbol))
                    || self.is_measured(unit, array)
            }
            _ => {
                matches!(unit.types.get(pointer.ty.ty), Type::Pointer(_))
                    && self.is_measured(unit, pointer)
            }
        }
    }

    /// Whether a variable goes by its name of the user's, and is what has that name.
    fn is_users(&self, unit: &Unit, symbol: SymbolId) -> bool {
        self.symbol(unit, symbol) == unit.symbol(symbol).name
            && !self.references.contains(&symbol)
            && !self.row_shared.contains(&symbol)
            && !self.registers.contains(&symbol)
            && !self.globals.contains_key(&symbol)
    }
}
