//! The accesses of a loop's body with their subscripts in normal form.
//!
//! The body is walked once in order. Scalars that were assigned an affine
//! value earlier in the iteration (`int k = i * n;`) stand for that value,
//! local pointers (`double *row = a + k;`) for what they are based on.

mod address;
mod conditions;
mod counting;

use std::cell::RefCell;

use indexmap::{IndexMap, IndexSet};

use super::bounds;
use super::condition::Condition;
use super::effects::{Oracle, Place, Touch};
use super::polynomial::{self, Polynomial, Reading, Term};
use crate::ir::{Atomic, Loop, Statement, StatementKind, visit};
use crate::typed::{self, BinaryOperator, Expression, ExpressionKind, SymbolId, Type, Unit};
use address::Address;
pub use address::{Subscript, bytes, size};

/// One access to an array or through a pointer.
#[derive(Clone, Debug)]
pub struct Element<'a> {
    /// The lvalue, or the call.
    pub expression: &'a Expression,
    /// The array, or the pointer that it is based on.
    pub root: Place,
    /// Outermost dimension first; members of structs count as dimensions.
    pub subscripts: Vec<Subscript>,
    /// Read or write.
    pub touch: Touch,
    /// Part of an atomic update: accesses of the same group may come in any
    /// order ([`Atomic::commutes`](crate::ir::Atomic::commutes)).
    pub commutes: Option<BinaryOperator>,
    /// No other thread comes between it and the rest of its update.
    pub is_atomic: bool,
    /// The loops around it, outer ones first, by their numbers.
    pub within: Vec<usize>,
    /// The conditions that it stands under, by their numbers.
    pub under: Vec<usize>,
    /// Whether a window of the array is open there.
    pub has_window: bool,
}

/// What a loop's body does to memory, element by element.
#[derive(Debug, Default)]
pub struct Elements<'a> {
    /// In order.
    pub list: Vec<Element<'a>>,
    /// The tested loop is number 0, those inside follow in order.
    pub loops: Vec<&'a Loop>,
    /// Highest iteration of each loop: none that runs is higher.
    pub last: Vec<Option<Polynomial>>,
    /// Whether the variable of the tested loop may go round the limits of its
    /// type.
    pub wraps: bool,
    /// Conditions that accesses stand under, where they were asked for.
    pub conditions: Vec<Condition>,
}

/// Collects the accesses of a loop's body and header. Variables in `private`
/// are left out: each iteration has its own. What is said of a subscript holds
/// for all values.
pub fn collect<'a>(l: &'a Loop, private: &IndexSet<SymbolId>, oracle: &Oracle) -> Elements<'a> {
    collect_from(l, private, oracle, Asked::Values)
}

/// The same, with the conditions that accesses stand under.
pub fn collect_certain<'a>(
    l: &'a Loop,
    private: &IndexSet<SymbolId>,
    oracle: &Oracle,
) -> Elements<'a> {
    collect_from(l, private, oracle, Asked::Both)
}

/// The accesses of a loop's body with the conditions that they stand under,
/// for estimates: unsigned arithmetic is taken not to wrap.
pub fn collect_with_conditions<'a>(
    l: &'a Loop,
    private: &IndexSet<SymbolId>,
    oracle: &Oracle,
) -> Elements<'a> {
    collect_from(l, private, oracle, Asked::Conditions)
}

/// Whether a step is counted in the elements that a variable's sections are.
pub fn is_element(unit: &Unit, symbol: SymbolId, step: &Subscript) -> bool {
    let element = unit.types.pointee(unit.symbol(symbol).ty.ty);
    let size = element.and_then(|element| size(element.ty, unit));
    size.is_some() && size == step.unit
}

/// What is asked of accesses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Subscripts that hold for all values.
    Values,
    /// Conditions, and subscripts for estimates.
    Conditions,
    /// Conditions, and subscripts that hold for all values.
    Both,
}

fn collect_from<'a>(
    l: &'a Loop,
    private: &IndexSet<SymbolId>,
    oracle: &Oracle,
    asked: Asked,
) -> Elements<'a> {
    let behind = RefCell::new(IndexSet::new());
    let elements = collect_with(l, private, oracle, asked, Some(&behind));
    // What the loop writes there itself may be such a member.
    let is_changed = |e: &Element| {
        let pointer = e.root.symbol().filter(|_| e.root.variable().is_none());
        e.touch == Touch::Write && pointer.is_some_and(|p| behind.borrow().contains(&p))
    };
    match asked == Asked::Both && elements.list.iter().any(is_changed) {
        true => collect_with(l, private, oracle, asked, None),
        false => elements,
    }
}

/// `behind`: gets the pointers behind which members are values; without it, none are.
fn collect_with<'a>(
    l: &'a Loop,
    private: &IndexSet<SymbolId>,
    oracle: &Oracle,
    asked: Asked,
    behind: Option<&RefCell<IndexSet<SymbolId>>>,
) -> Elements<'a> {
    let mut collector = Collector {
        oracle,
        private,
        escapes: match asked {
            Asked::Both => oracle.list(&l.body).escapes,
            Asked::Values | Asked::Conditions => IndexSet::new(),
        },
        behind,
        result: Elements::default(),
        values: IndexMap::new(),
        pointers: IndexMap::new(),
        lost: IndexSet::new(),
        within: vec![0],
        switched: (0, 0),
        has_conditions: asked != Asked::Values,
        is_exact: asked != Asked::Conditions,
        under: Vec::new(),
        windowed: Vec::new(),
    };
    collector.forget(&l.body);
    if collector.is_exact {
        for e in l.limits() {
            collector.value(e);
        }
    }
    collector.enter(l, true);
    collector.list(&l.body);
    collector.result
}

struct Collector<'o, 'u, 'a> {
    oracle: &'o Oracle<'u>,
    private: &'o IndexSet<SymbolId>,
    /// Variables whose address the body takes.
    escapes: IndexSet<SymbolId>,
    /// Pointers behind which members were taken as values; `None` if none may be.
    behind: Option<&'o RefCell<IndexSet<SymbolId>>>,
    result: Elements<'a>,
    /// Scalars that the body writes: their current value, if affine.
    values: IndexMap<SymbolId, Option<Polynomial>>,
    /// Pointers that the body writes: their current value, if known.
    pointers: IndexMap<SymbolId, Option<Address>>,
    /// Of which another value may be known since the innermost branch around what is walked
    /// now began.
    lost: IndexSet<SymbolId>,
    /// The loops around what is walked now.
    within: Vec<usize>,
    /// How many of them, and of the conditions, are around the innermost `switch`.
    switched: (usize, usize),
    /// Whether conditions are noted.
    has_conditions: bool,
    /// Whether only what is proved counts.
    is_exact: bool,
    /// Those around what is walked now.
    under: Vec<usize>,
    /// Arrays of which windows are open.
    windowed: Vec<SymbolId>,
}

impl<'a> Collector<'_, '_, 'a> {
    /// Nothing is known of what some code writes.
    fn forget(&mut self, body: &[Statement]) {
        let mut symbols = visit::declared(body);
        visit::expressions(body, &mut |e| {
            if let ExpressionKind::Statement(_) = e.kind {
                symbols.extend(typed::visit::declared_inside(e));
            }
        });
        let writes = self.oracle.list(body).writes.into_iter();
        symbols.extend(writes.filter_map(Place::variable));
        for symbol in symbols {
            self.forget_variable(symbol);
        }
    }

    /// Code that is reached from elsewhere, too: nothing is known but the
    /// variables of the loops around the `switch`, and of its cases the conditions around it.
    fn forget_all(&mut self) {
        let around = self.within.iter().take(self.switched.0);
        let kept: Vec<SymbolId> = around.map(|n| self.result.loops[*n].induction).collect();
        for (symbol, value) in &mut self.values {
            if !kept.contains(symbol) {
                *value = None;
                self.lost.insert(*symbol);
            }
        }
        for (symbol, value) in &mut self.pointers {
            *value = None;
            self.lost.insert(*symbol);
        }
    }

    fn forget_variable(&mut self, symbol: SymbolId) {
        self.values.insert(symbol, None);
        self.pointers.insert(symbol, None);
        self.lost.insert(symbol);
    }

    fn affine(&self, e: &Expression) -> Option<Polynomial> {
        let is_proof = self.is_exact && self.has_conditions;
        self.read(e, &|member| is_proof.then(|| self.member_value(member))?)
    }

    /// As [`Self::affine`]; in an estimate, members are values, too.
    fn subscript(&self, e: &Expression) -> Option<Polynomial> {
        let is_taken = self.has_conditions;
        self.read(e, &|member| is_taken.then(|| self.member_value(member))?)
    }

    /// The value of a member of what the body does not write. What other names it has is for those who
    /// compare accesses: it is read, after all.
    fn member_value(&self, member: &Expression) -> Option<Polynomial> {
        let is_kept = |symbol: SymbolId, is_pointer: bool| {
            let stays = !self.values.contains_key(&symbol)
                && !self.private.contains(&symbol)
                && !self.escapes.contains(&symbol);
            match self.behind {
                _ if !stays => false,
                Some(behind) if is_pointer => {
                    behind.borrow_mut().insert(symbol);
                    true
                }
                None => !is_pointer,
                Some(_) => true,
            }
        };
        address::member_value(member, self.oracle.unit(), self.is_exact, &is_kept)
    }

    fn read(
        &self,
        e: &Expression,
        member: &dyn Fn(&Expression) -> Option<Polynomial>,
    ) -> Option<Polynomial> {
        let unit = self.oracle.unit();
        let value = |symbol| match self.values.get(&symbol) {
            Some(known) => known.clone(),
            None => (unit.symbol(symbol).is_variable()
                && unit.types.is_integer(unit.symbol(symbol).ty.ty))
            .then(|| Polynomial::variable(Term::Invariant(symbol))),
        };
        let fits = |value: &Polynomial, ty| bounds::fits(value, ty, &self.result.last, unit);
        let reading = Reading {
            value: &value,
            member,
            fits: self.is_exact.then_some(&fits),
        };
        polynomial::read(e, unit, &reading)
    }

    fn list(&mut self, list: &'a [Statement]) {
        let depth = self.under.len();
        for statement in list {
            self.statement(statement);
            self.pass(statement);
        }
        self.under.truncate(depth);
    }

    fn statement(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Declaration(list) => {
                for declaration in list {
                    declaration.values(&mut |e| self.value(e));
                    self.forget_variable(declaration.symbol);
                    if let Some(value) = declaration.value() {
                        self.assign(declaration.symbol, value);
                    }
                }
            }
            StatementKind::Expression(Some(e)) => {
                self.expression(e);
                self.note_assignment(e);
            }
            StatementKind::Atomic(atomic) => self.atomic(atomic),
            StatementKind::Block(body) => self.list(body),
            StatementKind::Case(..) | StatementKind::Default => {
                self.forget_all();
                self.doubt_conditions(self.switched.1);
            }
            StatementKind::Label(_) => {
                self.forget_all();
                self.doubt_conditions(0);
            }
            StatementKind::If(condition, then, otherwise) => {
                self.value(condition);
                let around = std::mem::take(&mut self.lost);
                let before = (self.values.clone(), self.pointers.clone());
                let holds = self.condition(condition);
                self.branch(holds.clone(), then);
                if let Some(otherwise) = otherwise {
                    (self.values, self.pointers) = before;
                    self.branch(!holds, otherwise);
                }
                let lost = std::mem::replace(&mut self.lost, around);
                lost.into_iter().for_each(|s| self.forget_variable(s));
            }
            StatementKind::Loop(l) => {
                for e in l.limits() {
                    self.value(e);
                }
                self.forget(&l.body);
                self.within.push(self.result.loops.len());
                self.enter(l, false);
                self.list(&l.body);
                self.within.pop();
                self.forget(&l.body);
                self.forget_variable(l.induction);
            }
            _ => {
                // Code that may run any number of times.
                self.forget(std::slice::from_ref(statement));
                let depth = self.under.len();
                let open = self.windowed.len();
                let switched = self.switched;
                let is_switch = matches!(statement.kind, StatementKind::Switch(..));
                if is_switch {
                    self.switched = (self.within.len(), self.under.len());
                    // What selects is read once, whatever it selects.
                    visit::own_expressions(statement, &mut |e| self.value(e));
                }
                match &statement.kind {
                    StatementKind::Windows(region) => {
                        let arrays = region.windows.iter().map(|window| window.array);
                        self.windowed.extend(arrays);
                    }
                    _ => self.enter_condition(Condition::Unknown),
                }
                if !is_switch {
                    visit::own_expressions(statement, &mut |e| self.value(e));
                }
                visit::blocks(statement, &mut |body| {
                    self.list(body);
                    // What begins a `for` holds in its first iteration only.
                    self.forget(std::slice::from_ref(statement));
                });
                self.under.truncate(depth);
                self.windowed.truncate(open);
                self.switched = switched;
            }
        }
    }

    /// Records the accesses of an expression whose value is used, and follows what it assigns.
    fn value(&mut self, e: &'a Expression) {
        self.expression(e);
        self.forget_written(e);
    }

    /// Records the accesses of an expression.
    fn expression(&mut self, e: &'a Expression) {
        self.forget_written_inside(e);
        let mut found = Vec::new();
        self.oracle.accesses(e, &mut |access| found.push(access));
        let unit = self.oracle.unit();
        let parts = self.conditional_parts(e);
        for access in found {
            let is_call = matches!(access.expression.kind, ExpressionKind::Call { .. });
            let (root, subscripts) = if is_call {
                (access.place, Vec::new())
            } else {
                let Address { root, steps } = self.lvalue(access.expression);
                (root, steps)
            };
            if let Place::Variable(symbol) = root
                && (!unit.is_array(symbol) || self.private.contains(&symbol))
            {
                continue;
            }
            let mut under = self.under.clone();
            under.extend(conditions::of_part(&parts, access.expression));
            self.result.list.push(Element {
                expression: access.expression,
                root,
                subscripts,
                touch: access.touch,
                commutes: None,
                is_atomic: false,
                within: self.within.clone(),
                under,
                has_window: self.has_window(root),
            });
        }
    }

    fn has_window(&self, root: Place) -> bool {
        let array = root.symbol();
        array.is_some_and(|symbol| self.windowed.contains(&symbol))
    }

    /// An atomic update: what it does to its object is marked as such.
    fn atomic(&mut self, atomic: &'a Atomic) {
        let first = self.result.list.len();
        for step in &atomic.steps {
            self.expression(step);
            self.forget_written(step);
        }
        let group = atomic.commutes(&self.oracle.unit().types);
        let Ok(access) = atomic.access() else { return };
        for element in &mut self.result.list[first..] {
            if element.expression.is_same(access.target) {
                element.commutes = group;
                element.is_atomic = true;
            }
        }
    }

    /// Follows `v = value;` and `v += value;` as whole statements.
    fn note_assignment(&mut self, e: &Expression) {
        match &e.inner().kind {
            ExpressionKind::Assign(target, value) => {
                self.forget_written(value);
                match target.as_symbol() {
                    Some(symbol) => self.assign(symbol, value),
                    None => self.forget_written(target),
                }
            }
            _ => self.forget_written(e),
        }
    }

    /// What an expression assigns beside its own target may come before or
    /// after its accesses.
    fn forget_written_inside(&mut self, e: &Expression) {
        match &e.inner().kind {
            ExpressionKind::Assign(target, value)
            | ExpressionKind::CompoundAssign { target, value, .. } => {
                self.forget_written(value);
                typed::visit::operands(target, &mut |part| self.forget_written(part));
            }
            ExpressionKind::Unary(operator, target) if operator.is_step() => {
                typed::visit::operands(target, &mut |part| self.forget_written(part))
            }
            _ => self.forget_written(e),
        }
    }

    fn forget_written(&mut self, e: &Expression) {
        let writes = self.oracle.expression(e).writes.into_iter();
        let variables = writes.filter_map(Place::variable);
        variables.for_each(|symbol| self.forget_variable(symbol));
    }

    fn assign(&mut self, symbol: SymbolId, value: &Expression) {
        self.lost.insert(symbol);
        let unit = self.oracle.unit();
        let ty = unit.symbol(symbol).ty.ty;
        if matches!(unit.types.get(ty), Type::Pointer(_)) {
            let address = self.pointer(value);
            self.pointers.insert(symbol, address);
        } else {
            let fits = unit.types.size(value.ty.ty) <= unit.types.size(ty);
            let value = self.affine(value).filter(|_| fits);
            self.values.insert(symbol, value);
        }
    }
}
