//! The accesses of a loop's body with their subscripts in normal form.
//!
//! The body is walked once in order. Scalars that were assigned an affine
//! value earlier in the iteration (`int k = i * n;`) stand for that value,
//! local pointers (`double *row = a + k;`) for what they are based on.

mod conditions;

use indexmap::{IndexMap, IndexSet};

use super::affine::{self, Affine, Term};
use super::condition::Condition;
use super::effects::{Oracle, Place, Touch};
use crate::ir::{Atomic, Loop, Relation, Statement, StatementKind, visit};
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, Initializer, SymbolId, Type,
    UnaryOperator,
};

/// One access to an array or through a pointer.
#[derive(Clone, Debug)]
pub struct Element<'a> {
    /// The lvalue, or the call.
    pub expression: &'a Expression,
    /// The array, or the pointer that it is based on.
    pub root: Place,
    /// Outermost dimension first; members of structs count as dimensions.
    /// `None` is not affine.
    pub subscripts: Vec<Option<Affine>>,
    /// Read or write.
    pub touch: Touch,
    /// Part of an atomic update: accesses of the same group may come in any
    /// order ([`Atomic::commutes`](crate::ir::Atomic::commutes)).
    pub commutes: Option<BinaryOperator>,
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
    /// Highest iteration of each loop.
    pub last: Vec<Option<Affine>>,
    /// Conditions that accesses stand under, where they were asked for.
    pub conditions: Vec<Condition>,
}

/// Collects the accesses of a loop's body. Variables in `private` are left
/// out: each iteration has its own.
pub fn collect<'a>(l: &'a Loop, private: &IndexSet<SymbolId>, oracle: &Oracle) -> Elements<'a> {
    collect_from(l, private, oracle, false)
}

/// As [`collect`], with the conditions that accesses stand under.
pub fn collect_with_conditions<'a>(
    l: &'a Loop,
    private: &IndexSet<SymbolId>,
    oracle: &Oracle,
) -> Elements<'a> {
    collect_from(l, private, oracle, true)
}

fn collect_from<'a>(
    l: &'a Loop,
    private: &IndexSet<SymbolId>,
    oracle: &Oracle,
    has_conditions: bool,
) -> Elements<'a> {
    let mut collector = Collector {
        oracle,
        private,
        result: Elements::default(),
        values: IndexMap::new(),
        pointers: IndexMap::new(),
        within: vec![0],
        has_conditions,
        under: Vec::new(),
        windowed: Vec::new(),
    };
    collector.forget(&l.body);
    collector.enter(l, true);
    collector.list(&l.body);
    collector.result
}

/// What a local pointer is based on.
type Address = (Place, Vec<Option<Affine>>);

struct Collector<'o, 'u, 'a> {
    oracle: &'o Oracle<'u>,
    private: &'o IndexSet<SymbolId>,
    result: Elements<'a>,
    /// Scalars that the body writes: their current value, if affine.
    values: IndexMap<SymbolId, Option<Affine>>,
    /// Pointers that the body writes: their current value, if known.
    pointers: IndexMap<SymbolId, Option<Address>>,
    /// The loops around what is walked now.
    within: Vec<usize>,
    /// Whether conditions are noted.
    has_conditions: bool,
    /// Those around what is walked now.
    under: Vec<usize>,
    /// Arrays of which windows are open.
    windowed: Vec<SymbolId>,
}

impl<'a> Collector<'_, '_, 'a> {
    /// Nothing is known of what some code writes.
    fn forget(&mut self, body: &[Statement]) {
        let mut symbols = visit::declared(body);
        for place in self.oracle.list(body).writes {
            match place {
                Place::Variable(symbol) => symbols.push(symbol),
                Place::Unknown | Place::Target(_) => {}
            }
        }
        for symbol in symbols {
            self.values.insert(symbol, None);
            self.pointers.insert(symbol, None);
        }
    }

    /// Begins a counted loop: its variable is its first value plus the step
    /// times the iteration number.
    fn enter(&mut self, l: &'a Loop, tested: bool) {
        let number = self.result.last.len();
        let iteration = Affine::variable(Term::Iteration(number));
        let step = self.affine(&l.step).and_then(|s| s.as_constant());
        let step = step.map(|s| if l.downward { -s } else { s });
        let lower = self.affine(&l.lower);
        let unit_step = step.is_some_and(|s| s.abs() == 1);
        let value = match (&lower, step) {
            (Some(lower), Some(step)) => iteration
                .times(&Affine::constant(step))
                .and_then(|offset| offset.plus(lower)),
            // The first value is the same for both iterations of the tested
            // loop; from an unknown one, all that is known of an inner loop is
            // that its variable is some number.
            (None, Some(step)) if tested => iteration.times(&Affine::constant(step)),
            _ => None,
        };
        let last = if unit_step || step.is_some_and(|s| s != 0) {
            self.last_iteration(l, step.unwrap_or(1))
        } else {
            None
        };
        let is_free = value.is_none() && unit_step && !tested;
        let last = if is_free { None } else { last };
        self.result.loops.push(l);
        self.result.last.push(last);
        self.values.insert(l.induction, value);
    }

    /// The highest iteration number: `(bound − lower) / step`, rounded.
    fn last_iteration(&self, l: &Loop, step: i128) -> Option<Affine> {
        let distance = self.affine(&l.bound)?.minus(&self.affine(&l.lower)?)?;
        let distance = distance.times(&Affine::constant(step.signum()))?;
        let inclusive = matches!(l.relation, Relation::LessEqual | Relation::GreaterEqual);
        let span = if inclusive {
            distance
        } else {
            distance.minus(&Affine::constant(1))?
        };
        if step.abs() == 1 {
            return Some(span);
        }
        Some(Affine::constant(span.as_constant()?.div_euclid(step.abs())))
    }

    fn affine(&self, e: &Expression) -> Option<Affine> {
        let unit = self.oracle.unit();
        affine::of(e, unit, &|symbol| match self.values.get(&symbol) {
            Some(known) => known.clone(),
            None => (unit.symbol(symbol).is_variable()
                && unit.types.is_integer(unit.symbol(symbol).ty.ty))
            .then(|| Affine::variable(Term::Invariant(symbol))),
        })
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
                    if let Some(initializer) = &declaration.initializer {
                        crate::typed::visit::initializer_values(initializer, &mut |e| {
                            self.expression(e);
                        });
                        if let Initializer::Expression(value) = initializer {
                            self.assign(declaration.symbol, value);
                        }
                    }
                }
            }
            StatementKind::Expression(Some(e)) => {
                self.expression(e);
                self.note_assignment(e);
            }
            StatementKind::Atomic(atomic) => self.atomic(atomic),
            StatementKind::Block(body) => self.list(body),
            StatementKind::If(condition, then, otherwise) => {
                self.expression(condition);
                let before = (self.values.clone(), self.pointers.clone());
                let holds = self.condition(condition);
                self.branch(holds.clone(), then);
                if let Some(otherwise) = otherwise {
                    (self.values, self.pointers) = before;
                    self.branch(!holds, otherwise);
                    self.forget(otherwise);
                }
                self.forget(then);
            }
            StatementKind::Loop(l) => {
                for e in [&l.lower, &l.bound, &l.step] {
                    self.expression(e);
                }
                self.forget(&l.body);
                self.within.push(self.result.loops.len());
                self.enter(l, false);
                self.list(&l.body);
                self.within.pop();
                self.forget(&l.body);
                self.values.insert(l.induction, None);
            }
            _ => {
                // Code that may run any number of times.
                self.forget(std::slice::from_ref(statement));
                let depth = self.under.len();
                let open = self.windowed.len();
                match &statement.kind {
                    StatementKind::Windows(region) => {
                        let arrays = region.windows.iter().map(|window| window.array);
                        self.windowed.extend(arrays);
                    }
                    _ => self.enter_condition(Condition::Unknown),
                }
                visit::own_expressions(statement, &mut |e| self.expression(e));
                visit::blocks(statement, &mut |body| self.list(body));
                self.under.truncate(depth);
                self.windowed.truncate(open);
                self.forget(std::slice::from_ref(statement));
            }
        }
    }

    /// Records the accesses of an expression.
    fn expression(&mut self, e: &'a Expression) {
        let mut found = Vec::new();
        self.oracle.accesses(e, &mut |access| found.push(access));
        let unit = self.oracle.unit();
        let parts = self.conditional_parts(e);
        for access in found {
            let is_call = matches!(access.expression.kind, ExpressionKind::Call { .. });
            let (root, subscripts) = if is_call {
                (access.place, Vec::new())
            } else {
                self.lvalue(access.expression)
            };
            if let Place::Variable(symbol) = root {
                let scalar = !matches!(
                    unit.types.get(unit.symbol(symbol).ty.ty),
                    Type::Array { .. }
                );
                if scalar || self.private.contains(&symbol) {
                    continue;
                }
            }
            let mut under = self.under.clone();
            under.extend(conditions::of_part(&parts, access.expression));
            self.result.list.push(Element {
                expression: access.expression,
                root,
                subscripts,
                touch: access.touch,
                commutes: None,
                within: self.within.clone(),
                under,
                has_window: self.has_window(root),
            });
        }
    }

    fn has_window(&self, root: Place) -> bool {
        match root {
            Place::Variable(symbol) | Place::Target(symbol) => self.windowed.contains(&symbol),
            Place::Unknown => false,
        }
    }

    /// An atomic update: what it does to its object is marked as such.
    fn atomic(&mut self, atomic: &'a Atomic) {
        let first = self.result.list.len();
        for step in &atomic.steps {
            self.expression(step);
            self.forget_written(step);
        }
        let group = atomic.commutes();
        let Ok(access) = atomic.access() else { return };
        for element in &mut self.result.list[first..] {
            if element.expression.is_same(access.target) {
                element.commutes = group;
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

    fn forget_written(&mut self, e: &Expression) {
        for place in self.oracle.expression(e).writes {
            if let Place::Variable(symbol) = place {
                self.values.insert(symbol, None);
                self.pointers.insert(symbol, None);
            }
        }
    }

    fn assign(&mut self, symbol: SymbolId, value: &Expression) {
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

    /// The element that an lvalue names.
    fn lvalue(&self, e: &Expression) -> Address {
        let unknown = || (Place::Unknown, Vec::new());
        match &e.kind {
            ExpressionKind::Symbol(symbol) => (Place::Variable(*symbol), Vec::new()),
            ExpressionKind::Parenthesized(inner)
            | ExpressionKind::Unary(UnaryOperator::Real | UnaryOperator::Imaginary, inner) => {
                self.lvalue(inner)
            }
            ExpressionKind::Index(base, index) => match self.pointer(base) {
                Some(address) => add(address, self.affine(index)),
                None => unknown(),
            },
            ExpressionKind::Unary(UnaryOperator::Indirection, base) => {
                self.pointer(base).unwrap_or_else(unknown)
            }
            ExpressionKind::Member {
                base,
                record,
                member,
                arrow,
            } => {
                let address = if *arrow {
                    self.pointer(base).unwrap_or_else(unknown)
                } else {
                    self.lvalue(base)
                };
                let is_union = self.oracle.unit().types.record(*record).is_union;
                self.member(address, *member, is_union)
            }
            _ => unknown(),
        }
    }

    fn member(&self, mut address: Address, member: usize, is_union: bool) -> Address {
        // Bit-fields share storage units, and so do a union's members.
        address.1.push(if is_union {
            None
        } else {
            i128::try_from(member).ok().map(Affine::constant)
        });
        address
    }

    /// What a pointer value points to; the last subscript is its offset.
    fn pointer(&self, e: &Expression) -> Option<Address> {
        let types = &self.oracle.unit().types;
        match &e.kind {
            ExpressionKind::Symbol(symbol) => match self.pointers.get(symbol) {
                Some(known) => known.clone(),
                None => Some((Place::Target(*symbol), vec![Some(Affine::constant(0))])),
            },
            ExpressionKind::Parenthesized(inner) => self.pointer(inner),
            ExpressionKind::Convert(Conversion::ArrayToPointer, inner) => {
                let (root, mut subscripts) = self.lvalue(inner);
                subscripts.push(Some(Affine::constant(0)));
                Some((root, subscripts))
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, inner) => {
                let (root, subscripts) = self.lvalue(inner);
                (!subscripts.is_empty()).then_some((root, subscripts))
            }
            ExpressionKind::Cast(inner) | ExpressionKind::Convert(Conversion::Pointer, inner) => {
                let (root, subscripts) = self.pointer(inner)?;
                let same = types.pointee(e.ty.ty).map(|to| to.ty)
                    == types.pointee(inner.ty.ty).map(|to| to.ty);
                // Elements of another size: which one is not followed.
                Some((root, if same { subscripts } else { vec![None] }))
            }
            ExpressionKind::Binary(operator, a, b) => {
                let negative = *operator == BinaryOperator::Subtract;
                let (pointer, offset) = match types.get(a.ty.ty) {
                    Type::Pointer(_) => (a, b),
                    _ => (b, a),
                };
                let offset = self.affine(offset);
                let offset = match negative {
                    true => offset.and_then(|o| o.times(&Affine::constant(-1))),
                    false => offset,
                };
                Some(add(self.pointer(pointer)?, offset))
            }
            _ => None,
        }
    }
}

/// Moves an address by a number of elements.
fn add(mut address: Address, offset: Option<Affine>) -> Address {
    if let Some(last) = address.1.last_mut() {
        *last = match (last.as_ref(), offset) {
            (Some(known), Some(offset)) => known.plus(&offset),
            _ => None,
        };
    }
    address
}
