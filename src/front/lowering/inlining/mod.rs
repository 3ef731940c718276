//! Functions that a region with windows calls and that use its arrays.
//!
//! A function of its own would read memory and not the window. So calls of
//! those that name a listed array, or are given it, are replaced by what the
//! function does, before anything is lowered:
//!
//! ```c
//! static float mean(const float *p, int i) { return (p[i - 1] + p[i + 1]) / 2; }
//!
//! #pragma acc fcw FETCH_ONLY(a[i:1:1])
//! b[i] = mean(a, i);                     // before
//! b[i] = (a[i - 1] + a[i + 1]) / 2;      // after
//! ```
//!
//! So are calls in constructs of functions with directives that are about the caller
//! ([`Role::is_of_caller`](super::directives::Role)).
//!
//! Input: a typed unit. Output: the same with such calls replaced in regions,
//! and for each that cannot be, why ([`Refusals`]). A function that only gets
//! elements by value stays a call. What a call does happens where it stood: an
//! expression takes its place, or statements before the one that it stands
//! in, where C leaves the order open.

mod argument;
mod call;
mod copy;
mod obstacle;
mod returns;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::directives::{Dialect, Reach, Role};
use super::usage;
use crate::ast::Directive;
use crate::source::Span;
use crate::typed::address;
use crate::typed::synthesis::free_name;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Function, Initializer, QualType, Statement,
    StatementKind, Storage, Symbol, SymbolId, SymbolKind, Unit, visit,
};

pub use obstacle::Obstacle;

/// Why calls could not be replaced, by the place of the call.
pub type Refusals = BTreeMap<Span, Obstacle>;

/// How many calls of one function are replaced.
const MOST_CALLS: usize = 256;

/// Replaces the calls in all regions of a unit. `is_bound` tells of functions
/// for which others stand on the device.
pub fn run(
    unit: &mut Unit,
    directives: &dyn Dialect,
    is_bound: &dyn Fn(SymbolId) -> bool,
) -> Refusals {
    let mut refusals = Refusals::new();
    let mut next_directive = first_free_directive(unit);
    for position in 0..unit.functions.len() {
        if !directives.inlines(&unit.functions[position].body) {
            continue;
        }
        let body = unit.functions[position].body.clone();
        let mut inliner = Inliner::new(unit, directives, is_bound, position);
        inliner.next_directive = next_directive;
        let mut lowered = Vec::new();
        inliner.statement(body, &mut lowered);
        next_directive = inliner.next_directive;
        let (replaced, found) = (inliner.replaced, inliner.refusals);
        refusals.extend(found);
        if let (true, Some(body)) = (replaced > 0, lowered.pop()) {
            unit.functions[position].body = body;
        }
    }
    refusals
}

/// Where in its statement an expression stands.
#[derive(Clone, Copy)]
enum Order {
    /// C leaves it open what of the statement is evaluated first.
    Open,
    /// It is evaluated after something else, or several times.
    Fixed(&'static str),
}

/// One function's regions.
struct Inliner<'u> {
    unit: &'u Unit,
    directives: &'u dyn Dialect,
    is_bound: &'u dyn Fn(SymbolId) -> bool,
    /// The arrays with windows in the regions around.
    listed: Vec<SymbolId>,
    /// Names that new variables must not have.
    names: HashSet<String>,
    /// The function's own variables by name, for what a callee's globals would
    /// be taken for.
    own: HashMap<String, SymbolId>,
    /// Variables whose address is taken.
    addresses: BTreeSet<SymbolId>,
    /// The functions whose calls are being replaced.
    stack: Vec<SymbolId>,
    /// What each function uses, itself or in those that it calls.
    uses: HashMap<SymbolId, BTreeSet<SymbolId>>,
    replaced: usize,
    refusals: Refusals,
    /// A construct is around.
    in_construct: bool,
    /// The number of the next copy of a directive.
    next_directive: u32,
}

impl<'u> Inliner<'u> {
    fn new(
        unit: &'u Unit,
        directives: &'u dyn Dialect,
        is_bound: &'u dyn Fn(SymbolId) -> bool,
        position: usize,
    ) -> Self {
        let function = &unit.functions[position];
        let mut own = HashMap::new();
        let locals = visit::declared(&function.body);
        for symbol in function.parameters.iter().copied().chain(locals) {
            own.insert(unit.symbol(symbol).name.clone(), symbol);
        }
        let globals = unit.globals.iter().map(|global| global.symbol);
        let functions = unit.functions.iter().map(|function| function.symbol);
        let file = globals.chain(functions);
        let mut names: HashSet<String> = file.map(|s| unit.symbol(s).name.clone()).collect();
        names.extend(own.keys().cloned());
        mentioned(&function.body, &mut |symbol| {
            names.insert(unit.symbol(symbol).name.clone());
        });
        let addresses = usage::addresses(&function.body);
        Self {
            unit,
            directives,
            is_bound,
            listed: Vec::new(),
            names,
            own,
            addresses,
            stack: Vec::new(),
            uses: HashMap::new(),
            replaced: 0,
            refusals: Refusals::new(),
            in_construct: false,
            next_directive: 0,
        }
    }

    /// A new local variable.
    fn variable(&mut self, wanted: &str, ty: QualType, span: Span) -> SymbolId {
        let name = free_name(wanted, &|name| !self.names.contains(name));
        self.names.insert(name.clone());
        let id = self.unit.add_symbol(Symbol {
            name: name.clone(),
            kind: SymbolKind::Variable(Storage::Automatic),
            ty,
            span,
        });
        self.own.insert(name, id);
        id
    }

    /// A statement of the function, after those that do what its calls did.
    fn statement(&mut self, mut statement: Statement, out: &mut Vec<Statement>) {
        let order = match &statement.kind {
            StatementKind::While(..) | StatementKind::DoWhile(..) => {
                Order::Fixed("in the condition of a loop")
            }
            StatementKind::For(_) => Order::Fixed("in the header of a loop"),
            _ => Order::Open,
        };
        match &mut statement.kind {
            StatementKind::Expression(Some(e)) if self.alone(e, out) => return,
            StatementKind::Declaration(_) => return self.declaration(statement, out),
            StatementKind::Compound(list) => *list = self.list(std::mem::take(list)),
            StatementKind::Directive(directive, Some(body)) => {
                self.directed(directive, body, out);
            }
            kind => {
                if let StatementKind::For(parts) = kind
                    && let Some(first) = &mut parts.initializer
                {
                    self.first(first, out);
                }
                visit::own_roots_mut(&mut statement, &mut |e| self.expression(e, order, out));
                visit::children_mut(&mut statement, &mut |inner| self.nested(inner));
            }
        }
        out.push(statement);
    }

    /// The statements of a block; behind a directive that makes windows for the
    /// rest of it, its arrays have some.
    fn list(&mut self, list: Vec<Statement>) -> Vec<Statement> {
        let depth = self.listed.len();
        let mut out = Vec::with_capacity(list.len());
        for statement in list {
            if let StatementKind::Directive(directive, _) = &statement.kind
                && self.directives.role(directive).windows == Some(Reach::RestOfBlock)
            {
                let arrays = self.directives.windows(self.unit, directive);
                self.listed.extend(arrays);
            }
            self.statement(statement, &mut out);
        }
        self.listed.truncate(depth);
        out
    }

    /// A statement inside another one.
    fn nested(&mut self, statement: &mut Statement) {
        let mut out = Vec::new();
        self.statement(statement.take(), &mut out);
        *statement = copy::one(out, statement.span);
    }

    /// What a directive governs.
    fn directed(
        &mut self,
        directive: &Directive<Expression>,
        body: &mut Statement,
        out: &mut Vec<Statement>,
    ) {
        let role = self.directives.role(directive);
        let around = self.in_construct;
        self.in_construct |= role.is_construct;
        self.governed(role, directive, body, out);
        self.in_construct = around;
    }

    fn governed(
        &mut self,
        role: Role,
        directive: &Directive<Expression>,
        body: &mut Statement,
        out: &mut Vec<Statement>,
    ) {
        if role.windows == Some(Reach::Statement) {
            let depth = self.listed.len();
            let arrays = self.directives.windows(self.unit, directive);
            self.listed.extend(arrays);
            self.nested(body);
            return self.listed.truncate(depth);
        }
        if role.is_atomic && !matches!(body.kind, StatementKind::Expression(_)) {
            return;
        }
        // The directive stays in front of its statement.
        let mut own = Vec::new();
        self.statement(body.take(), &mut own);
        if let Some(last) = own.pop() {
            *body = last;
        }
        out.extend(own);
    }

    /// The first part of a `for`.
    fn first(&mut self, first: &mut Statement, out: &mut Vec<Statement>) {
        match &mut first.kind {
            StatementKind::Expression(Some(e)) => self.expression(e, Order::Open, out),
            StatementKind::Declaration(list) => {
                let order = match list.len() {
                    1 => Order::Open,
                    _ => Order::Fixed("in the header of a loop"),
                };
                for declaration in list {
                    if let Some(initializer) = &mut declaration.initializer {
                        self.initializer(initializer, order, out);
                    }
                }
            }
            _ => {}
        }
    }

    /// Declarations, taken apart where statements come between.
    fn declaration(&mut self, statement: Statement, out: &mut Vec<Statement>) {
        let span = statement.span;
        let StatementKind::Declaration(list) = statement.kind else {
            return out.push(statement);
        };
        let mut ready = Vec::new();
        for mut declaration in list {
            let mut before = Vec::new();
            if let Some(initializer) = &mut declaration.initializer {
                self.initializer(initializer, Order::Open, &mut before);
            }
            if !before.is_empty() && !ready.is_empty() {
                let kind = StatementKind::Declaration(std::mem::take(&mut ready));
                out.push(Statement { kind, span });
            }
            out.extend(before);
            ready.push(declaration);
        }
        let kind = StatementKind::Declaration(ready);
        out.push(Statement { kind, span });
    }

    fn initializer(&mut self, value: &mut Initializer, order: Order, out: &mut Vec<Statement>) {
        visit::change_roots(value, &mut |e| self.expression(e, order, out));
    }

    /// A statement that is just a call, whose value is not used. Whether it
    /// was replaced.
    fn alone(&mut self, e: &Expression, out: &mut Vec<Statement>) -> bool {
        let call = match &e.kind {
            ExpressionKind::Parenthesized(inner) | ExpressionKind::Cast(inner) => inner,
            _ => e,
        };
        let ExpressionKind::Call {
            function,
            arguments,
        } = &call.kind
        else {
            return false;
        };
        let Some(function) = function.as_symbol() else {
            return false;
        };
        if !self.concerns(function, arguments) {
            return false;
        }
        let mut arguments = arguments.clone();
        for argument in &mut arguments {
            self.expression(argument, Order::Open, out);
        }
        match self.statements(function, arguments, call, false, out) {
            Ok(_) => true,
            Err(obstacle) => {
                self.refusals.insert(call.span, obstacle);
                false
            }
        }
    }

    /// Replaces the calls in an expression; what they do otherwise goes to
    /// `out`.
    fn expression(&mut self, e: &mut Expression, order: Order, out: &mut Vec<Statement>) {
        if self.listed.is_empty() && !self.in_construct {
            return;
        }
        match &mut e.kind {
            ExpressionKind::Binary(
                operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr),
                left,
                right,
            ) => {
                let under = match operator {
                    BinaryOperator::LogicalAnd => "under `&&`",
                    _ => "under `||`",
                };
                self.expression(left, order, out);
                self.expression(right, Order::Fixed(under), out);
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.expression(condition, order, out);
                for branch in then.iter_mut().chain([otherwise]) {
                    self.expression(branch, Order::Fixed("under `?:`"), out);
                }
            }
            ExpressionKind::Comma(first, second) => {
                self.expression(first, order, out);
                self.expression(second, Order::Fixed("after a comma operator"), out);
            }
            ExpressionKind::Statement(inner) => self.nested(inner),
            ExpressionKind::Call {
                function,
                arguments,
            } => {
                for argument in arguments.iter_mut() {
                    self.expression(argument, order, out);
                }
                let Some(function) = function.as_symbol() else {
                    return;
                };
                if !self.concerns(function, arguments) {
                    return;
                }
                let arguments = arguments.clone();
                match self.value(function, arguments, e, order, out) {
                    Ok(value) => *e = value,
                    Err(obstacle) => {
                        self.refusals.insert(e.span, obstacle);
                    }
                }
            }
            _ => visit::operands_mut(e, &mut |operand| self.expression(operand, order, out)),
        }
    }

    /// Whether a call uses an array with a window, given to it or by name, or is of a
    /// function whose directives are about the caller.
    fn concerns(&mut self, function: SymbolId, arguments: &[Expression]) -> bool {
        if self.in_construct && is_of_caller(self.unit, self.directives, function) {
            return true;
        }
        if self.listed.is_empty() {
            return false;
        }
        let given = arguments.iter().any(|argument| {
            let is_pointer = self.unit.types.is_pointer(argument.ty.ty);
            is_pointer
                && address::reached(self.unit, argument).is_some_and(|s| self.listed.contains(&s))
        });
        if given {
            return self.unit.function(function).is_some();
        }
        let uses = self.uses.entry(function);
        let uses = uses.or_insert_with(|| all_uses(self.unit, function));
        self.listed.iter().any(|array| uses.contains(array))
    }
}

/// Whether a function, or one that it calls, has directives that are about its caller.
fn is_of_caller(unit: &Unit, directives: &dyn Dialect, function: SymbolId) -> bool {
    let Some(called) = unit.function(function) else {
        return false;
    };
    let has = |function: &Function| {
        let is_such = &mut |s: &Statement| directives.role_of(s).is_of_caller;
        visit::any_statement(&function.body, is_such)
    };
    let uses = all_uses(unit, function);
    let callees = uses.into_iter().filter_map(|symbol| unit.function(symbol));
    std::iter::once(called).chain(callees).any(has)
}

/// A number that no directive of a unit has, nor any greater one.
fn first_free_directive(unit: &Unit) -> u32 {
    let mut first = 0;
    for function in &unit.functions {
        visit::directives(&function.body, &mut |d| first = first.max(d.id.0 + 1));
    }
    first
}

/// The symbols that a function names, or one that it calls.
fn all_uses(unit: &Unit, function: SymbolId) -> BTreeSet<SymbolId> {
    let mut found = BTreeSet::new();
    let mut open = vec![function];
    while let Some(next) = open.pop() {
        let Some(function) = unit.function(next) else {
            continue;
        };
        mentioned(&function.body, &mut |symbol| {
            if found.insert(symbol) {
                open.push(symbol);
            }
        });
    }
    found
}

fn mentioned(body: &Statement, note: &mut dyn FnMut(SymbolId)) {
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Symbol(symbol) = e.kind {
            note(symbol);
        }
    });
}
