//! The accesses of a region through one pointer.
//!
//! Each is an element `a[e]`, `*(a + e)`, `a[e].m` or the same through a row
//! pointer that is declared as `T *row = a + e` and never changes. Loops around
//! that are not counted with a known first value and trip count, branches, and
//! loops that a `break` or `continue` is in count as conditions. All else that
//! is done with the pointer ends the walk.

use std::collections::BTreeSet;

use indexmap::IndexMap;

use super::hull::{self, Level};
use super::values::{Sense, Values};
use super::{Obstacle, Region};
use crate::analysis::exits::{Exits, Jump};
use crate::analysis::polynomial::writer::Writer;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::front::lowering::usage;
use crate::ir::{Loop, Relation, Statement, StatementKind, visit};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{
    ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, Initializer,
    LocalDeclaration, SymbolId, Type, UnaryOperator, Unit, visit as operands,
};

/// An element that the region accesses.
#[derive(Clone, Debug)]
pub struct Access {
    /// Its number, relative to the pointer.
    pub index: Polynomial,
    /// The loops around it, outermost first.
    pub levels: Vec<Level>,
    /// Why it may not be executed in some of their iterations.
    pub condition: Option<Obstacle>,
    /// As it is written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// Finds the accesses; also gives what their polynomials are made of.
pub fn accesses<'r>(
    region: &'r Region<'r>,
    pointer: SymbolId,
) -> Result<(Vec<Access>, Values<'r>), Obstacle> {
    let mut changing = BTreeSet::new();
    for body in &region.bodies {
        changed(region.unit, body, &mut changing);
    }
    let mut walk = Walk {
        region,
        pointer,
        values: Values::new(region, changing),
        rows: IndexMap::new(),
        levels: Vec::new(),
        loops: 0,
        accesses: Vec::new(),
        obstacle: None,
    };
    for body in &region.bodies {
        walk.list(body, None);
    }
    match walk.obstacle {
        Some(obstacle) => Err(obstacle),
        None => Ok((walk.accesses, walk.values)),
    }
}

/// The variables that code assigns after their declaration, or whose address it
/// takes. Variables of loops are known in them.
fn changed(unit: &Unit, list: &[Statement], found: &mut BTreeSet<SymbolId>) {
    visit::expressions(list, &mut |e| match &e.kind {
        ExpressionKind::Unary(UnaryOperator::AddressOf, operand)
        | ExpressionKind::Convert(Conversion::ArrayToPointer, operand) => {
            found.extend(usage::root(operand).map(|(symbol, _)| symbol));
        }
        _ => found.extend(
            e.assigned()
                .and_then(|target| target.without_conversions().as_symbol()),
        ),
    });
    visit::walk(list, &mut |statement| {
        if let StatementKind::Loop(l) = &statement.kind {
            found.extend(l.reductions.iter().map(|r| r.symbol));
        }
        if let StatementKind::Declaration(list) = &statement.kind {
            let is_volatile =
                |d: &&LocalDeclaration| unit.symbol(d.symbol).ty.qualifiers.is_volatile;
            found.extend(list.iter().filter(is_volatile).map(|d| d.symbol));
        }
    });
}

struct Walk<'r> {
    region: &'r Region<'r>,
    pointer: SymbolId,
    values: Values<'r>,
    /// Pointers to elements, by the number of that element.
    rows: IndexMap<SymbolId, Polynomial>,
    levels: Vec<Level>,
    loops: usize,
    accesses: Vec<Access>,
    obstacle: Option<Obstacle>,
}

/// The condition that code stands under.
type Condition<'c> = Option<&'c Obstacle>;

impl Walk<'_> {
    fn unit(&self) -> &Unit {
        self.region.unit
    }

    fn fail(&mut self, text: String, span: Span) {
        self.obstacle.get_or_insert(Obstacle { text, span });
    }

    fn text(&self, e: &Expression) -> String {
        Printer::text(self.unit(), &C, e)
    }

    fn list(&mut self, list: &[Statement], condition: Condition<'_>) {
        for statement in list {
            self.statement(statement, condition);
        }
    }

    fn statement(&mut self, statement: &Statement, condition: Condition<'_>) {
        match &statement.kind {
            StatementKind::Declaration(list) => {
                for declaration in list {
                    self.declaration(declaration, condition);
                }
            }
            StatementKind::Block(body) => self.list(body, condition),
            StatementKind::Loop(l) => self.counted(l, condition),
            StatementKind::If(test, then, otherwise) => {
                self.expression(test, condition);
                let inner = under(self.unit(), "if", test);
                let inner = condition.unwrap_or(&inner);
                self.list(then, Some(inner));
                self.list(otherwise.as_deref().unwrap_or_default(), Some(inner));
            }
            StatementKind::Label(_) | StatementKind::Goto(_) | StatementKind::Return(_) => {
                self.fail("a jump may skip accesses".into(), statement.span);
            }
            StatementKind::Windows(region)
                if region.windows.iter().any(|w| w.array == self.pointer) =>
            {
                self.fail("it has a window".into(), statement.span);
            }
            _ => {
                let (word, test) = match &statement.kind {
                    StatementKind::For(parts) => ("for", parts.condition.as_ref()),
                    StatementKind::While(test, _) => ("while", Some(test)),
                    StatementKind::DoWhile(_, test) => ("do", Some(test)),
                    StatementKind::Switch(value, _) => ("switch", Some(value)),
                    _ => ("a statement", None),
                };
                let inner = match test {
                    Some(test) => under(self.unit(), word, test),
                    None => Obstacle {
                        text: format!("`{word}`"),
                        span: statement.span,
                    },
                };
                let inner = condition.unwrap_or(&inner);
                let is_simple = matches!(
                    statement.kind,
                    StatementKind::Expression(_) | StatementKind::Atomic(_)
                );
                let own = if is_simple { condition } else { Some(inner) };
                visit::own_expressions(statement, &mut |e| self.expression(e, own));
                visit::blocks(statement, &mut |body| self.list(body, Some(inner)));
            }
        }
    }

    fn declaration(&mut self, declaration: &LocalDeclaration, condition: Condition<'_>) {
        let symbol = declaration.symbol;
        let value = match &declaration.initializer {
            Some(Initializer::Expression(value)) => value,
            Some(other) => {
                operands::initializer_values(other, &mut |e| self.expression(e, condition));
                return;
            }
            None => return,
        };
        if self.values.changing.contains(&symbol) {
            return self.expression(value, condition);
        }
        let is_pointer = matches!(
            self.unit().types.get(self.unit().symbol(symbol).ty.ty),
            Type::Pointer(_)
        );
        match is_pointer.then(|| self.address(value, condition)).flatten() {
            Some(Some(row)) => {
                self.rows.insert(symbol, row);
            }
            Some(None) => {
                let text = format!(
                    "`{}` is not affine in the variables of loops",
                    self.text(value)
                );
                self.fail(text, value.span);
            }
            None => {
                self.expression(value, condition);
                self.values.set(symbol, value);
            }
        }
    }

    fn counted(&mut self, l: &Loop, condition: Condition<'_>) {
        for e in [&l.lower, &l.bound, &l.step] {
            self.expression(e, condition);
        }
        let level = self.enter(l);
        let inner = match &level {
            None => Some(Obstacle {
                text: format!(
                    "how often the loop over `{}` runs",
                    self.unit().symbol(l.induction).name
                ),
                span: l.header,
            }),
            Some(_) if Exits::of(&l.body).any(Jump::ends_iteration) => Some(Obstacle {
                text: "a jump in the loop around".into(),
                span: l.header,
            }),
            Some(_) => None,
        };
        let depth = self.levels.len();
        self.levels.extend(level);
        self.list(&l.body, condition.or(inner.as_ref()));
        self.levels.truncate(depth);
        self.values.known.shift_remove(&l.induction);
        self.values.changing.insert(l.induction);
    }

    /// Begins a loop: its variable is the first value and a multiple of the
    /// iteration's number. `None` if that or the trip count is not known.
    fn enter(&mut self, l: &Loop) -> Option<Level> {
        let unit = self.region.unit;
        self.values.known.shift_remove(&l.induction);
        if self.values.changing.contains(&l.induction) && !self.is_only_counted(l) {
            return None;
        }
        let step = evaluate(unit, &l.step).filter(|step| (1..1 << 31).contains(step))?;
        let lower = self.bound(&l.lower)?;
        let bound = self.bound(&l.bound)?;
        if !self.compares_numbers(l, &lower, &bound) {
            return None;
        }
        let distance = match l.downward {
            false => bound.minus(&lower),
            true => lower.minus(&bound),
        }?;
        let is_inclusive = matches!(l.relation, Relation::LessEqual | Relation::GreaterEqual);
        let runs = match is_inclusive {
            true => distance,
            false => distance.minus(&Polynomial::constant(1))?,
        };
        let last = self.quotient(&runs, step, l)?;
        let number = self.loops;
        self.loops += 1;
        let signed = if l.downward { -step } else { step };
        let iteration = Polynomial::variable(Term::Iteration(number));
        let value = iteration
            .times(&Polynomial::constant(signed))?
            .plus(&lower)?;
        self.values.known.insert(l.induction, value);
        Some(Level { number, last, runs })
    }

    /// A bound of a loop. What the host could not compare exactly in other
    /// terms, it evaluates as it is written.
    fn bound(&mut self, e: &Expression) -> Option<Polynomial> {
        let unit = self.region.unit;
        let bound = self.values.of(e, Sense::Value)?;
        let is_comparable = |product: &[Term]| match product {
            [] | [_] => true,
            [Term::Invariant(a), Term::Invariant(b)] => [a, b].iter().all(|symbol| {
                let ty = unit.symbol(**symbol).ty.ty;
                unit.types.is_signed(ty) && unit.types.size(ty) <= Some(4)
            }),
            _ => product
                .iter()
                .any(|term| matches!(term, Term::Iteration(_))),
        };
        if bound.terms().all(|(product, _)| is_comparable(product)) {
            return Some(bound);
        }
        self.values.evaluated_by_host(e)
    }

    /// Whether a loop's variable is assigned by headers of loops only.
    fn is_only_counted(&self, l: &Loop) -> bool {
        let mut assigned = BTreeSet::new();
        for body in &self.region.bodies {
            changed(self.unit(), body, &mut assigned);
        }
        !assigned.contains(&l.induction)
    }

    /// Whether the loop's comparison is one of the numbers that the polynomials
    /// stand for, until the variable has passed the bound.
    fn compares_numbers(&self, l: &Loop, lower: &Polynomial, bound: &Polynomial) -> bool {
        let unit = self.region.unit;
        let is_from_zero = lower.as_constant().is_some_and(|first| first >= 0);
        let ty = unit.symbol(l.induction).ty.ty;
        let (own, compared) = (
            unit.types.is_signed(ty),
            unit.types.is_signed(l.bound.ty.ty),
        );
        let agrees = own == compared || compared || !l.downward && is_from_zero;
        let reaches = match l.relation {
            Relation::NotEqual if compared && own => true,
            Relation::NotEqual if l.downward => bound.as_constant() == Some(0),
            Relation::NotEqual => lower.as_constant() == Some(0),
            _ => true,
        };
        let exact_step = l.relation != Relation::NotEqual || evaluate(unit, &l.step) == Some(1);
        agrees && reaches && exact_step
    }

    /// The last iteration of a loop: the distance over the step, which the host
    /// computes where it is no number.
    fn quotient(&mut self, runs: &Polynomial, step: i128, l: &Loop) -> Option<Polynomial> {
        if step == 1 {
            return Some(runs.clone());
        }
        if let Some(distance) = runs.as_constant() {
            return Some(Polynomial::constant(distance.div_euclid(step)));
        }
        if !runs.iterations().is_empty() {
            return None;
        }
        let writer = Writer::new(self.region.unit, &self.values.opaque, l.header);
        let quotient = writer.quotient(runs, step);
        Some(self.values.opaque(quotient))
    }

    /// The row that an element is in, which later subscripts lead to, as `a[i]` for `a[i][j]`;
    /// else the expression itself. They have to be inside the row.
    fn row<'e>(&mut self, e: &'e Expression, condition: Condition<'_>) -> &'e Expression {
        let mut e = e;
        while let ExpressionKind::Index(base, index) = &e.kind
            && let base = base.without_parentheses()
            && let ExpressionKind::Convert(Conversion::ArrayToPointer, row) = &base.kind
            && matches!(row.without_parentheses().kind, ExpressionKind::Index(..))
            && usage::root(row).is_some_and(|(symbol, _)| symbol == self.pointer)
        {
            self.expression(index, condition);
            if !self.is_in_row(index, row) {
                let text = format!(
                    "whether `{}` is inside the row `{}` is not known",
                    self.text(index),
                    self.text(row)
                );
                self.fail(text, index.span);
            }
            e = row.without_parentheses();
        }
        e
    }

    /// Whether a subscript is one of a row for sure, wherever it is evaluated.
    fn is_in_row(&mut self, index: &Expression, row: &Expression) -> bool {
        let unit = self.region.unit;
        let length = match unit.types.get(row.ty.ty) {
            Type::Array {
                length: ArrayLength::Constant(n),
                ..
            } => Some(Polynomial::constant(i128::from(*n))),
            Type::Array {
                length: ArrayLength::Variable(id),
                ..
            } => {
                let length = unit.length(*id);
                let variable = length.inner().as_symbol();
                variable
                    .is_some_and(|symbol| (self.region.fixed)(symbol))
                    .then(|| self.values.of(length.inner(), Sense::Value))
                    .flatten()
            }
            _ => None,
        };
        let index = self.values.of(index, Sense::Value);
        let (Some(length), Some(index)) = (length, index) else {
            return false;
        };
        let least = |term: Term| self.values.least(term);
        match hull::of(&index, &self.levels, &least) {
            Ok(Some(hull)) => hull.is_within(&length, &least),
            Ok(None) => true,
            Err(_) => false,
        }
    }

    fn expression(&mut self, e: &Expression, condition: Condition<'_>) {
        let row = self.row(e, condition);
        if let Some(index) = self.element(row, condition) {
            match index {
                // An array that is a member lies in its element.
                Some(_) if is_row(e) && self.unit().types.is_array(e.ty.ty) => {
                    let text = self.text(e);
                    let text = format!("the row `{text}` is used otherwise than by its elements");
                    self.fail(text, e.span);
                }
                Some(index) => self.accesses.push(Access {
                    index,
                    levels: self.levels.clone(),
                    condition: condition.cloned(),
                    text: self.text(e),
                    span: e.span,
                }),
                None => {
                    let text = self.text(e);
                    self.fail(
                        format!("`{text}` is not affine in the variables of loops"),
                        e.span,
                    );
                }
            }
            return;
        }
        match &e.kind {
            ExpressionKind::Symbol(symbol)
                if *symbol == self.pointer || self.rows.contains_key(symbol) =>
            {
                let name = &self.unit().symbol(*symbol).name;
                let text = format!("`{name}` is used otherwise than by its elements");
                self.fail(text, e.span);
            }
            ExpressionKind::Statement(_) => {
                let pointer = self.pointer;
                let rows = &self.rows;
                let mentions = operands::any(e, &mut |e| {
                    e.as_symbol()
                        .is_some_and(|s| s == pointer || rows.contains_key(&s))
                });
                if mentions {
                    self.fail("a statement expression uses it".into(), e.span);
                }
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, operand)
                if usage::root(operand).is_some_and(|(symbol, _)| self.is_base(symbol)) =>
            {
                let text = format!("the address `{}` is taken", self.text(e));
                self.fail(text, e.span);
            }
            ExpressionKind::Binary(
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                first,
                second,
            ) => {
                self.expression(first, condition);
                let inner = under(self.unit(), "a condition", first);
                self.expression(second, Some(condition.unwrap_or(&inner)));
            }
            ExpressionKind::Conditional(test, then, otherwise) => {
                self.expression(test, condition);
                let inner = under(self.unit(), "a condition", test);
                let inner = Some(condition.unwrap_or(&inner));
                for part in then.iter().chain([otherwise]) {
                    self.expression(part, inner);
                }
            }
            _ => operands::operands(e, &mut |operand| self.expression(operand, condition)),
        }
    }

    fn is_base(&self, symbol: SymbolId) -> bool {
        symbol == self.pointer || self.rows.contains_key(&symbol)
    }

    /// The element that an lvalue is; within, whether it is affine.
    fn element(&mut self, e: &Expression, condition: Condition<'_>) -> Option<Option<Polynomial>> {
        match &e.kind {
            ExpressionKind::Index(base, index) => {
                let base = self.address(base, condition)?;
                Some(self.moved(base, index, false, condition))
            }
            ExpressionKind::Unary(UnaryOperator::Indirection, base)
            | ExpressionKind::Member {
                base, arrow: true, ..
            } => self.address(base, condition),
            _ => None,
        }
    }

    /// The element that a pointer points to, if it is one of those that the
    /// walk follows; what is evaluated for it is walked.
    fn address(&mut self, e: &Expression, condition: Condition<'_>) -> Option<Option<Polynomial>> {
        match &e.kind {
            ExpressionKind::Symbol(symbol) if *symbol == self.pointer => {
                Some(Some(Polynomial::default()))
            }
            ExpressionKind::Symbol(symbol) => self.rows.get(symbol).cloned().map(Some),
            ExpressionKind::Parenthesized(inner) => self.address(inner, condition),
            ExpressionKind::Convert(Conversion::ArrayToPointer, array)
                if array.as_symbol() == Some(self.pointer) =>
            {
                Some(Some(Polynomial::default()))
            }
            ExpressionKind::Convert(Conversion::Pointer, inner) | ExpressionKind::Cast(inner) => {
                let types = &self.unit().types;
                let target = |e: &Expression| types.pointee(e.ty.ty).map(|to| to.ty);
                match target(e) == target(inner) && target(e).is_some() {
                    true => self.address(inner, condition),
                    false => None,
                }
            }
            ExpressionKind::Unary(UnaryOperator::AddressOf, inner) => match &inner.inner().kind {
                ExpressionKind::Index(..) => self.element(inner.inner(), condition),
                _ => None,
            },
            ExpressionKind::Binary(operator, a, b) => {
                let is_pointer =
                    |e: &Expression| matches!(self.unit().types.get(e.ty.ty), Type::Pointer(_));
                let (pointer, offset, falls) = match (operator, is_pointer(a), is_pointer(b)) {
                    (BinaryOperator::Add, true, false) => (a, b, false),
                    (BinaryOperator::Add, false, true) => (b, a, false),
                    (BinaryOperator::Subtract, true, false) => (a, b, true),
                    _ => return None,
                };
                let base = self.address(pointer, condition)?;
                Some(self.moved(base, offset, falls, condition))
            }
            _ => None,
        }
    }

    fn moved(
        &mut self,
        base: Option<Polynomial>,
        offset: &Expression,
        falls: bool,
        condition: Condition<'_>,
    ) -> Option<Polynomial> {
        self.expression(offset, condition);
        let offset = self.values.of(offset, Sense::Address)?;
        match falls {
            true => base?.minus(&offset),
            false => base?.plus(&offset),
        }
    }
}

/// Whether an lvalue is what a pointer points to as a whole.
fn is_row(e: &Expression) -> bool {
    matches!(
        e.kind,
        ExpressionKind::Index(..) | ExpressionKind::Unary(UnaryOperator::Indirection, _)
    )
}

fn under(unit: &Unit, word: &str, test: &Expression) -> Obstacle {
    Obstacle {
        text: format!("`{word} ({})`", Printer::text(unit, &C, test)),
        span: test.span,
    }
}
