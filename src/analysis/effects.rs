//! What statements and expressions read and write.
//!
//! Input: expressions and statements of kernels, and the bodies of functions
//! that they call. Output: [`Effects`], sets of [`Place`]s.
//!
//! A place is as fine as a variable: `a[i]` and `a[j]` are one place. Finer
//! questions are those of dependence analysis.

use std::cell::OnceCell;

use indexmap::{IndexMap, IndexSet};

use super::definitions::Definitions;
use crate::ir::{DeviceFunction, Statement, StatementKind, visit};
use crate::typed::library;
use crate::typed::{
    self, BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, SymbolKind, Type,
    UnaryOperator, Unit,
};

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// In a variable itself: a scalar, or part of an array or struct.
    Variable(SymbolId),
    /// In what this pointer variable points to.
    Target(SymbolId),
    /// Behind a pointer that is no variable: any memory.
    Unknown,
}

impl Place {
    /// The variable that it is or is part of.
    pub fn variable(self) -> Option<SymbolId> {
        match self {
            Self::Variable(symbol) => Some(symbol),
            Self::Target(_) | Self::Unknown => None,
        }
    }

    /// The variable that it is, or behind which it is.
    pub fn symbol(self) -> Option<SymbolId> {
        match self {
            Self::Variable(symbol) | Self::Target(symbol) => Some(symbol),
            Self::Unknown => None,
        }
    }
}

/// What code does beside computing values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// What is read.
    pub reads: IndexSet<Place>,
    /// What is written, possibly on some paths only.
    pub writes: IndexSet<Place>,
    /// Variables whose address goes where this analysis cannot follow.
    pub escapes: IndexSet<SymbolId>,
    /// Output or other effects that happen as often as the code runs.
    pub impure: bool,
    /// Reads a `volatile` object.
    pub volatile: bool,
}

impl Effects {
    /// Whether code with them comes to the same each time that it runs, as long as
    /// what it reads stays the same.
    pub fn is_repeatable(&self) -> bool {
        !self.impure && !self.volatile
    }

    /// Whether running it twice, or not at all, makes no difference.
    pub fn is_pure(&self) -> bool {
        self.is_repeatable() && self.writes.is_empty()
    }
}

/// Whether evaluating an expression changes nothing and gives the same any number of
/// times, whatever functions of the unit do.
pub fn is_pure(unit: &Unit, e: &Expression) -> bool {
    !typed::visit::any(e, &mut |e| {
        !is_pure_node(e)
            || match &e.kind {
                ExpressionKind::Call { function, .. } => !changes_nothing(unit, function),
                _ => false,
            }
    })
}

/// The same of a node without its operands; what functions do apart.
pub fn is_pure_node(e: &Expression) -> bool {
    !e.ty.qualifiers.is_volatile && !assigns(e)
}

/// Whether a node itself assigns, or hides statements that may.
pub fn assigns(e: &Expression) -> bool {
    let is_opaque = matches!(
        e.kind,
        ExpressionKind::Statement(_) | ExpressionKind::VaArg(_)
    );
    is_opaque || e.assigned().is_some()
}

/// Whether an expression may change something, if only by a call.
pub fn may_change(e: &Expression) -> bool {
    typed::visit::any(e, &mut |e| {
        assigns(e) || matches!(e.kind, ExpressionKind::Call { .. })
    })
}

/// Whether a function, if it is one of C's library, writes nothing that a program could
/// read.
pub fn changes_nothing(unit: &Unit, function: &Expression) -> bool {
    let symbol = function.as_symbol();
    symbol.is_some_and(|symbol| library::changes_nothing(&unit.symbol(symbol).name))
}

/// Whether evaluating an expression cannot fault, whatever the values: no
/// memory, no call, no division but by a constant.
pub fn cannot_fault(e: &Expression) -> bool {
    !typed::visit::any(e, &mut |e| match &e.kind {
        ExpressionKind::Call { .. } | ExpressionKind::Statement(_) => true,
        ExpressionKind::CompoundAssign {
            operator, value, ..
        } => divides_by_variable(*operator, value),
        ExpressionKind::Binary(operator, _, divisor) => divides_by_variable(*operator, divisor),
        _ => follows_pointer(e),
    })
}

/// Whether an operand that the serial program may skip can be evaluated all
/// the same: nothing is divided by a variable, no element read whose place was
/// itself read, and no function of the unit called.
pub fn may_be_evaluated(unit: &Unit, e: &Expression) -> bool {
    let reads = |e: &Expression| typed::visit::any(e, &mut follows_pointer);
    !typed::visit::any(e, &mut |e| match &e.kind {
        ExpressionKind::Binary(operator, _, divisor) => {
            unit.types.is_integer(e.ty.ty) && divides_by_variable(*operator, divisor)
        }
        ExpressionKind::Index(_, subscript) => reads(subscript),
        ExpressionKind::Unary(UnaryOperator::Indirection, pointer) => reads(pointer),
        ExpressionKind::Call { function, .. } => function
            .as_symbol()
            .is_none_or(|function| unit.function(function).is_some()),
        ExpressionKind::Statement(_) => true,
        _ => false,
    })
}

fn divides_by_variable(operator: BinaryOperator, divisor: &Expression) -> bool {
    matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder)
        && !matches!(
            divisor.inner().kind,
            ExpressionKind::Integer { value: 1.., .. } | ExpressionKind::Floating { .. }
        )
}

fn follows_pointer(e: &Expression) -> bool {
    matches!(
        e.kind,
        ExpressionKind::Index(..)
            | ExpressionKind::Member { arrow: true, .. }
            | ExpressionKind::Unary(UnaryOperator::Indirection, _)
    )
}

/// How an access touches its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// Reads it.
    Read,
    /// Writes it.
    Write,
}

/// One access, in order of evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The lvalue, or the call that touches the place.
    pub expression: &'a Expression,
    /// Where.
    pub place: Place,
    /// How.
    pub touch: Touch,
}

/// Answers questions about effects; knows what the functions of the unit do.
pub struct Oracle<'u> {
    unit: &'u Unit,
    summaries: IndexMap<SymbolId, Summary>,
    definitions: OnceCell<Definitions>,
}

/// What a function does, in terms of its parameters and globals.
#[derive(Clone, Debug, Default)]
struct Summary {
    effects: Effects,
    parameters: Vec<SymbolId>,
}

impl<'u> Oracle<'u> {
    /// Summarises the device functions of a module, callees first; recursive
    /// ones are taken to touch any memory.
    pub fn new(unit: &'u Unit, functions: &[DeviceFunction]) -> Self {
        let mut oracle = Self {
            unit,
            summaries: IndexMap::new(),
            definitions: OnceCell::new(),
        };
        for function in functions {
            let parameters = unit
                .function(function.symbol)
                .map(|f| f.parameters.clone())
                .unwrap_or_default();
            let mut effects = oracle.list(&function.body);
            let visible = |place: &Place| match place {
                Place::Variable(s) => !unit.symbol(*s).is_automatic(),
                Place::Target(s) => parameters.contains(s) || !unit.symbol(*s).is_automatic(),
                Place::Unknown => true,
            };
            // What a local pointer points to is known to no caller.
            let hidden = |places: &IndexSet<Place>| {
                places.iter().any(|place| {
                    matches!(place, Place::Target(s) if unit.symbol(*s).is_automatic()
                        && !parameters.contains(s))
                })
            };
            let (reads, writes) = (hidden(&effects.reads), hidden(&effects.writes));
            effects.reads.retain(visible);
            effects.writes.retain(visible);
            if reads {
                effects.reads.insert(Place::Unknown);
            }
            if writes {
                effects.writes.insert(Place::Unknown);
            }
            let summary = Summary {
                effects,
                parameters,
            };
            oracle.summaries.insert(function.symbol, summary);
        }
        oracle
    }

    /// The unit that symbols and types belong to.
    pub fn unit(&self) -> &'u Unit {
        self.unit
    }

    /// What variables are defined as that nothing changes.
    pub fn definitions(&self) -> &Definitions {
        self.definitions.get_or_init(|| Definitions::of(self.unit))
    }

    /// The effects of a list of statements and all inside them.
    pub fn list(&self, list: &[Statement]) -> Effects {
        let mut effects = Effects::default();
        visit::walk(list, &mut |statement| self.add_own(statement, &mut effects));
        effects
    }

    /// The effects of one statement and all inside it.
    pub fn statement(&self, statement: &Statement) -> Effects {
        self.list(std::slice::from_ref(statement))
    }

    /// The effects of an expression.
    pub fn expression(&self, expression: &Expression) -> Effects {
        let mut effects = Effects::default();
        self.add_expression(expression, &mut effects);
        effects
    }

    /// The accesses of an expression in order of evaluation.
    pub fn accesses<'a>(&self, expression: &'a Expression, visit: &mut dyn FnMut(Access<'a>)) {
        let mut walker = Walker {
            oracle: self,
            visit,
            effects: Effects::default(),
        };
        walker.value(expression);
    }

    fn add_own(&self, statement: &Statement, effects: &mut Effects) {
        visit::own_expressions(statement, &mut |e| self.add_expression(e, effects));
        match &statement.kind {
            StatementKind::Declaration(list) => {
                for declaration in list {
                    if declaration.initializer.is_some() {
                        effects.writes.insert(Place::Variable(declaration.symbol));
                    }
                }
            }
            StatementKind::CollectiveCall(call) => {
                effects.writes.extend(call.result.map(Place::Variable));
            }
            StatementKind::Loop(l) => {
                effects.reads.insert(Place::Variable(l.induction));
                effects.writes.insert(Place::Variable(l.induction));
            }
            _ => {}
        }
    }

    fn add_expression(&self, expression: &Expression, effects: &mut Effects) {
        let mut found = Effects::default();
        let mut record = |access: Access| {
            match access.touch {
                Touch::Read => found.reads.insert(access.place),
                Touch::Write => found.writes.insert(access.place),
            };
        };
        let mut walker = Walker {
            oracle: self,
            visit: &mut record,
            effects: Effects::default(),
        };
        walker.value(expression);
        let rest = walker.effects;
        effects.reads.extend(found.reads);
        effects.writes.extend(found.writes);
        effects.escapes.extend(rest.escapes);
        effects.impure |= rest.impure;
        effects.volatile |= rest.volatile;
    }

    /// The variables that functions called from a list touch by name.
    pub fn touched_by_calls(&self, list: &[Statement]) -> IndexSet<SymbolId> {
        let mut found = IndexSet::new();
        visit::expressions(list, &mut |e| {
            if let ExpressionKind::Call { function, .. } = &e.kind
                && let Some(called) = function.as_symbol()
                && let Some(Summary { effects, .. }) = self.summaries.get(&called)
            {
                let places = effects.reads.iter().chain(&effects.writes);
                found.extend(places.filter_map(|place| place.variable()));
            }
        });
        found
    }

    /// Where an lvalue lies.
    pub fn place(&self, lvalue: &Expression) -> Place {
        match &lvalue.kind {
            ExpressionKind::Symbol(symbol) => Place::Variable(*symbol),
            ExpressionKind::Parenthesized(e) => self.place(e),
            ExpressionKind::Index(base, _)
            | ExpressionKind::Unary(UnaryOperator::Indirection, base) => self.target(base),
            ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, e) => {
                self.place(e)
            }
            ExpressionKind::Member { base, arrow, .. } => {
                if *arrow {
                    self.target(base)
                } else {
                    self.place(base)
                }
            }
            _ => Place::Unknown,
        }
    }

    /// Where what a pointer points to lies.
    pub fn target(&self, pointer: &Expression) -> Place {
        match &pointer.kind {
            ExpressionKind::Symbol(symbol) => {
                if self.is_array(pointer) {
                    Place::Variable(*symbol)
                } else {
                    Place::Target(*symbol)
                }
            }
            ExpressionKind::Convert(Conversion::ArrayToPointer, e)
            | ExpressionKind::Unary(UnaryOperator::AddressOf, e) => self.place(e),
            ExpressionKind::Parenthesized(e)
            | ExpressionKind::Cast(e)
            | ExpressionKind::Convert(Conversion::Pointer, e) => self.target(e),
            ExpressionKind::Unary(operator, e) if operator.is_step() => self.target(e),
            ExpressionKind::Binary(_, a, b) => {
                if matches!(self.unit.types.get(a.ty.ty), Type::Pointer(_)) {
                    self.target(a)
                } else {
                    self.target(b)
                }
            }
            _ if self.is_array(pointer) => self.place(pointer),
            _ => Place::Unknown,
        }
    }

    fn is_array(&self, expression: &Expression) -> bool {
        matches!(self.unit.types.get(expression.ty.ty), Type::Array { .. })
    }
}

/// Walks one expression in order of evaluation.
struct Walker<'o, 'u, 'v, 'a> {
    oracle: &'o Oracle<'u>,
    visit: &'v mut dyn FnMut(Access<'a>),
    /// Escapes and flags; the places go to `visit`.
    effects: Effects,
}

impl<'a> Walker<'_, '_, '_, 'a> {
    fn touch(&mut self, expression: &'a Expression, place: Place, touch: Touch) {
        self.effects.volatile |= expression.ty.qualifiers.is_volatile;
        (self.visit)(Access {
            expression,
            place,
            touch,
        });
    }

    /// An expression whose value is used.
    fn value(&mut self, e: &'a Expression) {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => {
                // A thread's index is read as a variable of its own is.
                let read = self.oracle.unit.symbol(*symbol);
                if (read.is_variable() || read.is_thread_index()) && !self.oracle.is_array(e) {
                    self.touch(e, Place::Variable(*symbol), Touch::Read);
                }
            }
            ExpressionKind::Index(..)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(UnaryOperator::Indirection, _) => {
                self.address(e);
                if !self.oracle.is_array(e) {
                    self.touch(e, self.oracle.place(e), Touch::Read);
                }
            }
            ExpressionKind::Assign(target, value) => {
                self.value(value);
                self.address(target);
                self.touch(target, self.oracle.place(target), Touch::Write);
            }
            ExpressionKind::CompoundAssign { target, value, .. } => {
                self.value(value);
                self.update(target);
            }
            ExpressionKind::Unary(operator, target) if operator.is_step() => self.update(target),
            ExpressionKind::Unary(UnaryOperator::AddressOf, e)
            | ExpressionKind::Convert(Conversion::ArrayToPointer, e) => {
                self.address(e);
                if let Place::Variable(symbol) = self.oracle.place(e) {
                    self.effects.escapes.insert(symbol);
                }
            }
            ExpressionKind::Call {
                function,
                arguments,
            } => self.call(e, function, arguments),
            ExpressionKind::Statement(statement) => self.statement(statement),
            _ => typed::visit::operands(e, &mut |operand| self.value(operand)),
        }
    }

    fn update(&mut self, target: &'a Expression) {
        self.address(target);
        let place = self.oracle.place(target);
        self.touch(target, place, Touch::Read);
        self.touch(target, place, Touch::Write);
    }

    /// The parts of an lvalue that are evaluated to find it.
    fn address(&mut self, lvalue: &'a Expression) {
        match &lvalue.kind {
            ExpressionKind::Symbol(_) => {}
            ExpressionKind::Parenthesized(e)
            | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, e)
            | ExpressionKind::Member {
                base: e,
                arrow: false,
                ..
            } => self.address(e),
            ExpressionKind::Index(base, index) => {
                self.pointer(base);
                self.value(index);
            }
            ExpressionKind::Unary(UnaryOperator::Indirection, base)
            | ExpressionKind::Member { base, .. } => self.pointer(base),
            _ => self.value(lvalue),
        }
    }

    /// A pointer that is followed at once: an array in it does not escape.
    fn pointer(&mut self, pointer: &'a Expression) {
        match &pointer.kind {
            ExpressionKind::Convert(Conversion::ArrayToPointer, e)
            | ExpressionKind::Unary(UnaryOperator::AddressOf, e) => self.address(e),
            ExpressionKind::Parenthesized(e)
            | ExpressionKind::Cast(e)
            | ExpressionKind::Convert(Conversion::Pointer, e) => self.pointer(e),
            ExpressionKind::Binary(_, a, b)
                if matches!(self.oracle.unit.types.get(a.ty.ty), Type::Pointer(_)) =>
            {
                self.pointer(a);
                self.value(b);
            }
            _ if self.oracle.is_array(pointer) => self.address(pointer),
            _ => self.value(pointer),
        }
    }

    fn call(&mut self, e: &'a Expression, function: &'a Expression, arguments: &'a [Expression]) {
        let symbol = function.inner();
        let known = match symbol.kind {
            ExpressionKind::Symbol(s)
                if matches!(self.oracle.unit.symbol(s).kind, SymbolKind::Function { .. }) =>
            {
                Some(s)
            }
            _ => {
                self.value(function);
                None
            }
        };
        let summary = known.and_then(|s| self.oracle.summaries.get(&s));
        let pure = known.is_some_and(|s| library::is_pure(&self.oracle.unit.symbol(s).name));
        if summary.is_none() && pure {
            arguments.iter().for_each(|argument| self.value(argument));
            return;
        }
        let Some(summary) = summary else {
            arguments.iter().for_each(|argument| self.value(argument));
            self.effects.impure = true;
            self.touch(e, Place::Unknown, Touch::Read);
            let prints =
                known.is_some_and(|s| library::only_prints(&self.oracle.unit.symbol(s).name));
            if !prints {
                self.touch(e, Place::Unknown, Touch::Write);
            }
            return;
        };
        let summary = summary.clone();
        for argument in arguments {
            self.pointer(argument);
        }
        let place = |place: Place| match place {
            Place::Target(parameter) => match summary
                .parameters
                .iter()
                .position(|&p| p == parameter)
                .and_then(|index| arguments.get(index))
            {
                Some(argument) => self.oracle.target(argument),
                None => place,
            },
            _ => place,
        };
        let reads: Vec<Place> = summary.effects.reads.iter().map(|&p| place(p)).collect();
        let writes: Vec<Place> = summary.effects.writes.iter().map(|&p| place(p)).collect();
        for found in reads {
            self.touch(e, found, Touch::Read);
        }
        for found in writes {
            self.touch(e, found, Touch::Write);
        }
        self.effects.impure |= summary.effects.impure;
        self.effects.volatile |= summary.effects.volatile;
    }

    /// A statement expression: its parts in textual order, its declarations
    /// as writes.
    fn statement(&mut self, statement: &'a typed::Statement) {
        typed::visit::statement_roots(statement, &mut |e| self.value(e));
    }
}
