//! Calls of the file's functions in the code of the host, and what arguments say of parameters.
//!
//! Input: the functions of a file. Output: their calls ([`Calls`]); the statements that a statement
//! runs, each with the name that a variable has in it ([`Scope`]); and what a function copies, in
//! the words of its caller ([`Call::outside`]).
//!
//! ```c
//! void step(int n, double *u)
//! {
//!     #pragma acc parallel loop copy(u[0:n])     // outside: `v[0:m]`
//!     …
//! }
//! for (int t = 0; t < steps; t++)
//!     step(m, v);                                // a scope in which `v` is `u`
//! ```

use super::hoisting::{bare, changed, contains};
use crate::ir::{DataItem, Extent, Length};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, Function, Statement, Storage, SymbolId, SymbolKind, Unit, visit,
};

/// So many functions are looked into.
const MOST: usize = 64;

/// A call of a function of the file by its name.
#[derive(Clone, Copy)]
pub(super) struct Call<'m> {
    pub(super) caller: &'m Function,
    pub(super) callee: &'m Function,
    arguments: &'m [Expression],
    pub(super) span: Span,
}

impl<'m> Call<'m> {
    fn of(unit: &'m Unit, caller: &'m Function, e: &'m Expression) -> Option<Self> {
        let ExpressionKind::Call {
            function,
            arguments,
        } = &e.kind
        else {
            return None;
        };
        Some(Self {
            caller,
            callee: unit.function(bare(function).as_symbol()?)?,
            arguments,
            span: e.span,
        })
    }

    /// Parameters and what they get.
    fn bindings(&self) -> impl Iterator<Item = (SymbolId, &'m Expression)> {
        let parameters = self.callee.parameters.iter().copied();
        parameters.zip(self.arguments)
    }

    /// Pointers that it gets.
    fn pointers(&self, unit: &'m Unit) -> impl Iterator<Item = (SymbolId, &'m Expression)> {
        self.bindings()
            .filter(|(own, _)| unit.types.is_pointer(unit.symbol(*own).ty.ty))
    }

    /// What a parameter gets, if it keeps it.
    fn argument(&self, parameter: SymbolId) -> Option<&'m Expression> {
        let mut is_kept = true;
        visit::expressions(&self.callee.body, &mut |e| {
            is_kept &= changed(e) != Some(parameter);
        });
        let mut bindings = self.bindings().filter(|_| is_kept);
        bindings
            .find(|(own, _)| *own == parameter)
            .map(|(_, e)| bare(e))
    }

    /// The caller's name for a variable of the function, where it is one.
    pub(super) fn name_outside(&self, symbol: SymbolId, unit: &Unit) -> Option<SymbolId> {
        match is_global(symbol, unit) {
            true => Some(symbol),
            false => self.argument(symbol)?.as_symbol(),
        }
    }

    /// A section that the function copies, in the caller's words.
    pub(super) fn outside(&self, item: &DataItem, unit: &Unit) -> Option<DataItem> {
        let mut item = item.clone();
        let own = item.symbol?;
        // A parameter's own memory is not its argument's.
        if !is_global(own, unit) && !matches!(item.extent, Extent::Section { .. }) {
            return None;
        }
        let symbol = self.name_outside(own, unit)?;
        item.symbol = Some(symbol);
        item.text.clone_from(&unit.symbol(symbol).name);
        let object = item.object.ty;
        if let Extent::Section { ranges, .. } = &mut item.extent {
            for range in ranges {
                if let Some(lower) = &mut range.lower {
                    self.rename(lower, unit)?;
                }
                if !matches!(range.length, Length::Constant(_)) {
                    let mut length = range.length.value(unit, object)?.clone();
                    self.rename(&mut length, unit)?;
                    range.length = Length::Expression(length);
                }
            }
        }
        Some(item)
    }

    /// Puts what the caller has for parameters into an expression.
    fn rename(&self, e: &mut Expression, unit: &Unit) -> Option<()> {
        let mut is_known = true;
        visit::walk_mut(e, &mut |e| {
            // It is not what is written there.
            e.span = Span::default();
            let symbol = match e.kind {
                ExpressionKind::Symbol(symbol) if !is_global(symbol, unit) => symbol,
                _ => return,
            };
            let is_simple = |e: &&Expression| {
                matches!(
                    e.kind,
                    ExpressionKind::Symbol(_) | ExpressionKind::Integer { .. }
                )
            };
            match self.argument(symbol).filter(is_simple) {
                Some(argument) => *e = argument.clone(),
                None => is_known = false,
            }
        });
        is_known.then_some(())
    }
}

/// Whether all functions have the name.
fn is_global(symbol: SymbolId, unit: &Unit) -> bool {
    matches!(
        unit.symbol(symbol).kind,
        SymbolKind::Variable(Storage::External | Storage::FileStatic)
    )
}

/// A statement that another one runs, with the name of a variable in it.
pub(super) struct Scope<'m> {
    pub(super) body: &'m Statement,
    /// None where it cannot be named.
    pub(super) symbol: Option<SymbolId>,
    /// From the outermost statement to this one.
    calls: Vec<Call<'m>>,
}

impl Scope<'_> {
    /// Where the outermost statement comes to a place in this one.
    pub(super) fn seen_outside(&self, at: u32) -> u32 {
        self.calls.first().map_or(at, |call| call.span.start)
    }

    /// A section of this statement, as the outermost one would say it.
    pub(super) fn outside(&self, item: &DataItem, unit: &Unit) -> Option<DataItem> {
        let mut calls = self.calls.iter().rev();
        calls.try_fold(item.clone(), |item, call| call.outside(&item, unit))
    }
}

/// The calls of a file's functions by the host.
pub(super) struct Calls<'m> {
    unit: &'m Unit,
    all: Vec<Call<'m>>,
}

impl<'m> Calls<'m> {
    /// Those outside of what runs on the device.
    pub(super) fn new(unit: &'m Unit, on_device: &[Span]) -> Self {
        let mut all = Vec::new();
        for caller in &unit.functions {
            visit::expressions(&caller.body, &mut |e| {
                let is_host = !on_device.iter().any(|body| contains(*body, e.span.start));
                all.extend(Call::of(unit, caller, e).filter(|_| is_host));
            });
        }
        Self { unit, all }
    }

    /// Those of a function.
    pub(super) fn of(&self, function: SymbolId) -> impl Iterator<Item = &Call<'m>> {
        let is_of = move |call: &&Call| call.callee.symbol == function;
        self.all.iter().filter(is_of)
    }

    pub(super) fn is_one(&self, e: &Expression) -> bool {
        matches!(e.kind, ExpressionKind::Call { .. })
            && self.all.iter().any(|call| call.span == e.span)
    }

    /// Whether an expression is a pointer that a parameter gets.
    pub(super) fn hands_on(&self, e: &Expression) -> bool {
        let mut arguments = self.all.iter().flat_map(|call| call.pointers(self.unit));
        arguments.any(|(_, argument)| bare(argument).span == e.span)
    }

    /// A statement, and what functions run for it; none where they are too many, or call themselves.
    pub(super) fn scopes(&self, body: &'m Statement, symbol: SymbolId) -> Option<Vec<Scope<'m>>> {
        let mut scopes = vec![Scope {
            body,
            symbol: Some(symbol),
            calls: Vec::new(),
        }];
        let mut next = 0;
        while let Some(scope) = scopes.get(next) {
            let mut inner = Vec::new();
            let inside = |call: &&Call| contains(scope.body.span, call.span.start);
            for call in self.all.iter().filter(inside) {
                let mut open = scope.calls.iter().map(|call| call.callee.symbol);
                if open.any(|function| function == call.callee.symbol) {
                    return None;
                }
                let calls: Vec<Call> = scope.calls.iter().chain([call]).copied().collect();
                inner.extend(
                    self.names_inside(scope.symbol, call)
                        .into_iter()
                        .map(|name| Scope {
                            body: &call.callee.body,
                            symbol: name,
                            calls: calls.clone(),
                        }),
                );
            }
            scopes.extend(inner);
            next += 1;
            if scopes.len() > MOST {
                return None;
            }
        }
        Some(scopes)
    }

    /// Which names a variable has in a function that is called.
    fn names_inside(&self, symbol: Option<SymbolId>, call: &Call) -> Vec<Option<SymbolId>> {
        let Some(symbol) = symbol else {
            return vec![None];
        };
        let bound = call
            .pointers(self.unit)
            .filter(|(_, e)| bare(e).as_symbol() == Some(symbol));
        let mut names: Vec<Option<SymbolId>> =
            bound.map(|(parameter, _)| Some(parameter)).collect();
        if is_global(symbol, self.unit) {
            names.push(Some(symbol));
        }
        if names.is_empty() {
            names.push(None);
        }
        names
    }
}
