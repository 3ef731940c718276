//! How a region uses the arrays that it has windows of: elements only.
//!
//! ```c
//! a[i] = a[i - 1] + *(a + 2);   // elements
//! sum(a, n);                    // the array itself: an error
//! p = m[i];                     // a row: an error
//! swap(&a[i], &a[j]);           // addresses: an error
//! ```

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::inlining::{Obstacle, Refusals};
use crate::front::lowering::usage;
use crate::ir::{Statement, StatementKind, Window, WindowPolicy, visit as walk_ir};
use crate::source::Span;
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, SymbolKind, UnaryOperator,
    Unit, visit as walk_typed,
};

/// Pointers that were made from an array or another pointer, and where.
pub type Based = BTreeMap<SymbolId, (SymbolId, Span)>;

/// Finds the pointers of a construct that are set to something based on
/// another variable.
pub fn based_pointers(unit: &Unit, list: &[Statement]) -> Based {
    let mut found = Based::new();
    let mut note = |target: SymbolId, value: &Expression| {
        let is_pointer = unit.types.pointee(unit.symbol(target).ty.ty).is_some();
        if let Some((from, _)) = usage::root(value).filter(|_| is_pointer)
            && from != target
        {
            found.entry(target).or_insert((from, value.span));
        }
    };
    walk_ir::walk(list, &mut |statement| {
        let StatementKind::Declaration(list) = &statement.kind else {
            return;
        };
        for declaration in list {
            if let Some(initializer) = &declaration.initializer {
                walk_typed::initializer_values(initializer, &mut |value| {
                    note(declaration.symbol, value);
                });
            }
        }
    });
    walk_ir::expressions(list, &mut |e| {
        if let ExpressionKind::Assign(target, value) = &e.kind
            && let Some(target) = target.as_symbol()
        {
            note(target, value);
        }
    });
    found
}

/// A region with its windows.
pub struct Region<'r> {
    /// What ids refer to.
    pub unit: &'r Unit,
    /// Its windows.
    pub windows: &'r [Window],
    /// The pointers of the construct.
    pub pointers: &'r Based,
    /// The directive.
    pub directive: Span,
    /// Why calls stay calls.
    pub refusals: &'r Refusals,
}

impl Region<'_> {
    /// Reports all uses in a body that are none of elements, and writes of
    /// arrays that are only read.
    pub fn check(&self, body: &[Statement], diagnostics: &mut Diagnostics) {
        let mut search = Search {
            region: self,
            diagnostics,
            called: Vec::new(),
        };
        search.statements(body);
    }

    fn window(&self, symbol: SymbolId) -> Option<&Window> {
        self.windows.iter().find(|window| window.array == symbol)
    }

    /// The window of the array that a pointer was made from, outside.
    fn behind(&self, pointer: SymbolId) -> Option<(&Window, Span)> {
        let mut at = pointer;
        // A pointer may come from another one; chains end, or go in circles.
        for _ in 0..=self.pointers.len() {
            let (from, span) = self.pointers.get(&at)?;
            if let Some(window) = self.window(*from) {
                return Some((window, *span));
            }
            at = *from;
        }
        None
    }

    fn name(&self, symbol: SymbolId) -> &str {
        &self.unit.symbol(symbol).name
    }
}

struct Search<'s, 'r> {
    region: &'s Region<'r>,
    diagnostics: &'s mut Diagnostics,
    /// Functions that were looked at.
    called: Vec<SymbolId>,
}

impl Search<'_, '_> {
    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            walk_ir::own_expressions(statement, &mut |e| self.value(e));
            walk_ir::blocks(statement, &mut |inner| self.statements(inner));
        }
    }

    fn value(&mut self, e: &Expression) {
        match &e.kind {
            ExpressionKind::Index(..)
            | ExpressionKind::Unary(UnaryOperator::Indirection, _)
            | ExpressionKind::Member { arrow: true, .. } => self.access(e),
            ExpressionKind::Symbol(symbol) => self.bare(*symbol, e.span),
            ExpressionKind::Unary(UnaryOperator::AddressOf, operand) => self.address(e, operand),
            ExpressionKind::Convert(Conversion::ArrayToPointer, operand)
                if matches!(operand.inner().kind, ExpressionKind::Member { .. }) =>
            {
                self.address(e, operand);
            }
            _ if e.assigned().is_some() => {
                e.assigned()
                    .into_iter()
                    .for_each(|target| self.write(target));
                self.operands(e);
            }
            ExpressionKind::Call { function, .. } => {
                if let Some(function) = function.as_symbol() {
                    if let Some(obstacle) = self.region.refusals.get(&e.span) {
                        return self.stays(function, obstacle, e);
                    }
                    self.call(function, e.span);
                }
                self.operands(e);
            }
            ExpressionKind::Statement(inner) => {
                walk_typed::statement_roots(inner, &mut |root| self.value(root));
            }
            _ => self.operands(e),
        }
    }

    fn operands(&mut self, e: &Expression) {
        walk_typed::operands(e, &mut |operand| self.value(operand));
    }

    /// Something found through a pointer or subscript.
    fn access(&mut self, e: &Expression) {
        let mut indices = Vec::new();
        let found = match &e.kind {
            ExpressionKind::Member { base, .. } => place(self.region.unit, base, &mut indices)
                .map(|(symbol, depth)| (symbol, depth + 1)),
            _ => place(self.region.unit, e, &mut indices),
        };
        let Some((symbol, depth)) = found else {
            // An element of an array that is a member of an element.
            if let ExpressionKind::Index(base, index) = &e.kind
                && let ExpressionKind::Convert(Conversion::ArrayToPointer, part) = &base.kind
            {
                self.value(part);
                return self.value(index);
            }
            return self.operands(e);
        };
        let Some(window) = self.region.window(symbol) else {
            if let Some((window, from)) = self.region.behind(symbol) {
                self.based(symbol, window, from, e.span);
            }
            indices.into_iter().for_each(|index| self.value(index));
            return;
        };
        if depth < window.dimensions.len() {
            let name = self.region.name(symbol);
            let message = format!("a row of `{name}` is used without its last subscripts");
            self.escapes(window, message, e.span);
        }
        indices.into_iter().for_each(|index| self.value(index));
    }

    fn bare(&mut self, symbol: SymbolId, span: Span) {
        if let Some(window) = self.region.window(symbol) {
            let message = format!("`{}` is used without subscripts", self.region.name(symbol));
            self.escapes(window, message, span);
        } else if let Some((window, from)) = self.region.behind(symbol) {
            self.based(symbol, window, from, span);
        }
    }

    /// `&e`, or an array that becomes a pointer.
    fn address(&mut self, whole: &Expression, operand: &Expression) {
        let root = usage::root(operand).map(|(symbol, _)| symbol);
        match root.and_then(|symbol| self.region.window(symbol)) {
            Some(window) => {
                let name = self.region.name(window.array);
                let message = format!("the address of an element of `{name}` is taken");
                self.escapes(window, message, whole.span);
            }
            None => self.value(operand),
        }
    }

    fn escapes(&mut self, window: &Window, message: String, span: Span) {
        let name = self.region.name(window.array);
        self.diagnostics.push(
            Diagnostic::error(codes::WINDOW_ESCAPES, message, span)
                .also(window.span, "its elements are in shared memory here")
                .help(format!(
                    "read and write elements of `{name}` by subscripts, and give functions their values"
                )),
        );
    }

    /// A pointer into the array, made before the region.
    fn based(&mut self, pointer: SymbolId, window: &Window, from: Span, span: Span) {
        let directive = self.region.directive;
        // Where it is made inside, that was reported.
        if from.start >= directive.start {
            return;
        }
        let (pointer, name) = (
            self.region.name(pointer).to_string(),
            self.region.name(window.array),
        );
        let message = format!("`{pointer}` points into `{name}`, past its window");
        self.diagnostics.push(
            Diagnostic::error(codes::WINDOW_ESCAPES, message, span)
                .also(from, "made from it here")
                .also(window.span, "its elements are in shared memory here")
                .help(format!("write `{name}` with subscripts instead")),
        );
    }

    fn write(&mut self, target: &Expression) {
        let Some((symbol, true)) = usage::root(target) else {
            return;
        };
        let only = WindowPolicy {
            fetch: true,
            ..WindowPolicy::default()
        };
        let mut windows = self.region.windows.iter().filter(|w| w.array == symbol);
        let Some(window) = windows.clone().next() else {
            return;
        };
        if !windows.all(|w| w.policy == only) {
            return;
        }
        let name = self.region.name(symbol);
        let message = format!("`{name}` is written, and its window is `FETCH_ONLY`");
        self.diagnostics.push(
            Diagnostic::error(codes::FETCH_ONLY_WRITTEN, message, target.span)
            .also(window.span, "fetched, and not written back")
            .help("`FETCH_CHANNEL` shows the value to the block's other iterations, `FETCH_WB` writes it to the array, `FETCH_CHANNEL_WB` does both"),
        );
    }

    /// A call that uses a listed array and could not be replaced.
    fn stays(&mut self, function: SymbolId, obstacle: &Obstacle, call: &Expression) {
        let mut listed = None;
        walk_typed::walk(call, &mut |e| {
            if let ExpressionKind::Symbol(symbol) = e.kind {
                listed = listed.or(self.region.window(symbol));
            }
        });
        let Some(window) = listed.or(self.region.windows.first()) else {
            return;
        };
        let name = self.region.name(function);
        let message =
            format!("`{name}` uses the array itself, and cannot be put in place of its call");
        let problem = Diagnostic::error(codes::WINDOW_IN_CALLEE, message, call.span)
            .also(obstacle.span, obstacle.reason.clone())
            .also(window.span, "its elements are in shared memory here")
            .help(format!(
                "write what `{name}` does here, or pass it the elements by value"
            ));
        self.diagnostics.push(problem);
    }

    /// A function of the file that uses a listed global reads memory and not
    /// the window.
    fn call(&mut self, function: SymbolId, span: Span) {
        if self.called.contains(&function) {
            return;
        }
        self.called.push(function);
        let mut seen = vec![function];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            next += 1;
            let Some(body) = self.region.unit.function(at).map(|f| &f.body) else {
                continue;
            };
            let mut used = None;
            walk_typed::expressions(body, &mut |e| {
                let ExpressionKind::Symbol(symbol) = e.kind else {
                    return;
                };
                let kind = &self.region.unit.symbol(symbol).kind;
                if matches!(kind, SymbolKind::Function { .. }) && !seen.contains(&symbol) {
                    seen.push(symbol);
                }
                let window = self.region.window(symbol);
                used = used.or(window.map(|window| (window, e.span)));
            });
            if let Some((window, place)) = used {
                let (function, name) = (self.region.name(function), self.region.name(window.array));
                let message = format!("`{function}` uses `{name}` itself, not its window");
                let problem = Diagnostic::error(codes::WINDOW_IN_CALLEE, message, span)
                    .also(place, "used here")
                    .also(window.span, "its elements are in shared memory here")
                    .help(format!(
                        "pass the elements of `{name}` that `{function}` needs by value"
                    ));
                return self.diagnostics.push(problem);
            }
        }
    }
}

/// The array that an lvalue is an element or row of, or that a pointer leads
/// into (`a`, `a + i`, `m[i]`), and how many subscripts lead there; what they
/// evaluate goes to `indices`.
fn place<'e>(
    unit: &Unit,
    e: &'e Expression,
    indices: &mut Vec<&'e Expression>,
) -> Option<(SymbolId, usize)> {
    match &e.kind {
        ExpressionKind::Parenthesized(inner)
        | ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => place(unit, inner, indices),
        ExpressionKind::Symbol(symbol) => Some((*symbol, 0)),
        ExpressionKind::Index(base, index) => {
            let (symbol, depth) = place(unit, base, indices)?;
            indices.push(index);
            Some((symbol, depth + 1))
        }
        ExpressionKind::Unary(UnaryOperator::Indirection, base) => {
            let (symbol, depth) = place(unit, base, indices)?;
            Some((symbol, depth + 1))
        }
        ExpressionKind::Binary(BinaryOperator::Add | BinaryOperator::Subtract, left, right) => {
            let is_pointer = unit.types.is_pointer(left.ty.ty);
            let (base, index) = if is_pointer {
                (left, right)
            } else {
                (right, left)
            };
            let found = place(unit, base, indices)?;
            indices.push(index);
            Some(found)
        }
        _ => None,
    }
}
