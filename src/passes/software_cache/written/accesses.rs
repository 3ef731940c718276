//! The accesses to a window in the body of a region, with what is known where they stand.

use std::cell::RefCell;

use crate::analysis::block_affine::Frame;
use crate::analysis::condition::Condition;
use crate::analysis::exits::Exits;
use crate::analysis::polynomial::Polynomial;
use crate::ir::{Loop, Relation, Statement, StatementKind, visit};
use crate::passes::software_cache::access::{self, Write};
use crate::passes::software_cache::shape::Side;
use crate::typed::{
    self, BinaryOperator, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit,
};

/// A comparison that a statement stands under.
#[derive(Clone)]
pub struct Guard {
    /// Not negative where it holds.
    pub value: Polynomial,
    /// The integers that it computes, with how many bytes these have.
    pub computed: Vec<(Polynomial, u64)>,
}

/// A loop of the region.
#[derive(Clone)]
pub struct Rounds {
    /// In the order of the text.
    pub number: usize,
    pub induction: SymbolId,
    /// The number of its last round, where each thread has all of them.
    pub last: Option<i128>,
}

/// A place where the window's array is written or read.
pub struct Access<'u> {
    /// One a dimension, if they are known.
    pub slots: Option<Vec<Polynomial>>,
    /// `None` stands for what is not known.
    pub guards: Vec<Option<Guard>>,
    /// Outermost first.
    pub loops: Vec<Rounds>,
    /// Its place in the text.
    pub at: usize,
    pub frame: Frame<'u>,
}

/// Goes through a region's body.
pub struct Walk<'w, 'u> {
    pub array: SymbolId,
    pub sides: &'w [Side],
    pub guards: Vec<Option<Guard>>,
    pub loops: Vec<Rounds>,
    pub loops_so_far: usize,
    pub at: usize,
    pub writes: Vec<Access<'u>>,
    pub reads: Vec<Access<'u>>,
    /// Barriers right in the body of a loop: the loop's number, and the place in the text.
    pub barriers: Vec<(usize, usize)>,
}

impl<'w, 'u> Walk<'w, 'u> {
    /// Of the accesses to an array, with a window of these dimensions.
    pub fn new(array: SymbolId, sides: &'w [Side]) -> Self {
        Self {
            array,
            sides,
            guards: Vec::new(),
            loops: Vec::new(),
            loops_so_far: 0,
            at: 0,
            writes: Vec::new(),
            reads: Vec::new(),
            barriers: Vec::new(),
        }
    }

    /// `None`: there is more than is understood.
    pub fn list(
        &mut self,
        list: &[Statement],
        frame: &mut Frame<'u>,
        of_loop: Option<usize>,
    ) -> Option<()> {
        for statement in list {
            self.at += 1;
            if let (StatementKind::Barrier(_), Some(number)) = (&statement.kind, of_loop) {
                self.barriers.push((number, self.at));
            }
            if visit::mentions(std::slice::from_ref(statement), self.array) {
                self.statement(statement, frame)?;
            }
            frame.pass(statement);
        }
        Some(())
    }

    fn statement(&mut self, statement: &Statement, frame: &mut Frame<'u>) -> Option<()> {
        let mut inside = match &statement.kind {
            StatementKind::Loop(l) => vec![frame.inside_rounds(l)],
            _ => frame.inside(statement),
        };
        match &statement.kind {
            StatementKind::Expression(Some(e)) => match Write::of(e) {
                Some(write) if self.is_element(access::root(write.target()), frame.unit) => {
                    self.write(&write, frame)
                }
                _ => self.read(e, frame),
            },
            StatementKind::Declaration(_) => {
                let mut known = Some(());
                visit::own_expressions(statement, &mut |e| {
                    known = known.and_then(|()| self.read(e, frame));
                });
                known
            }
            StatementKind::Block(body) => self.list(body, &mut inside[0], None),
            StatementKind::If(condition, then, otherwise) => {
                self.read(condition, frame)?;
                let otherwise = otherwise.as_deref().unwrap_or_default();
                for ((truth, body), inside) in [(true, then.as_slice()), (false, otherwise)]
                    .into_iter()
                    .zip(&mut inside)
                {
                    let before = self.guards.len();
                    guards(condition, truth, frame, &mut self.guards);
                    self.list(body, inside, None)?;
                    self.guards.truncate(before);
                }
                Some(())
            }
            StatementKind::Loop(l) if !l.is_distributed() && Exits::of(&l.body).is_empty() => {
                for e in l.limits() {
                    self.read(e, frame)?;
                }
                let number = self.loops_so_far;
                self.loops_so_far += 1;
                self.loops.push(Rounds {
                    number,
                    induction: l.induction,
                    last: last_round(l, frame, &inside[0]),
                });
                self.list(&l.body, &mut inside[0], Some(number))?;
                self.loops.pop();
                Some(())
            }
            _ => None,
        }
    }

    fn is_element(&self, e: &Expression, unit: &Unit) -> bool {
        access::element(e, unit).is_some_and(|(array, indices)| {
            array == self.array && indices.len() == self.sides.len()
        })
    }

    fn write(&mut self, write: &Write<'_>, frame: &mut Frame<'u>) -> Option<()> {
        let target = access::root(write.target());
        match write {
            Write::Plain(whole, value) => {
                // Of a member, the rest of the slot stays as it is.
                let is_whole = std::ptr::eq(*whole, target);
                match is_whole {
                    true => self.indices(target, frame)?,
                    false => self.read(whole, frame)?,
                }
                self.read(value, frame)?;
            }
            Write::Compound(_, _, value, _) => {
                self.read(write.target(), frame)?;
                self.read(value, frame)?;
            }
            Write::Step(..) => self.read(write.target(), frame)?,
        }
        let access = self.access(target, frame);
        self.writes.push(access);
        Some(())
    }

    /// Notes what an expression reads.
    fn read(&mut self, e: &Expression, frame: &mut Frame<'u>) -> Option<()> {
        if self.is_element(e, frame.unit) {
            let access = self.access(e, frame);
            self.reads.push(access);
            return self.indices(e, frame);
        }
        if e.as_symbol() == Some(self.array) {
            return None;
        }
        let mut known = Some(());
        typed::visit::operands(e, &mut |operand| {
            known = known.and_then(|()| self.read(operand, frame));
        });
        known
    }

    fn indices(&mut self, element: &Expression, frame: &mut Frame<'u>) -> Option<()> {
        let (_, indices) = access::element(element, frame.unit)?;
        (indices.iter().flatten()).try_for_each(|index| self.read(index, frame))
    }

    fn access(&self, e: &Expression, frame: &Frame<'u>) -> Access<'u> {
        let mut own = frame.clone();
        let indices = access::element(e, frame.unit).map(|(_, indices)| indices);
        let slots = indices.and_then(|indices| {
            (indices.iter().zip(self.sides))
                .map(|(index, side)| match index {
                    Some(index) => own.exact_value(index)?.minus(&side.base),
                    None => Polynomial::constant(0).minus(&side.base),
                })
                .collect()
        });
        Access {
            slots,
            guards: self.guards.clone(),
            loops: self.loops.clone(),
            at: self.at,
            frame: own,
        }
    }
}

/// The comparisons of a condition that is true, or false.
fn guards(e: &Expression, truth: bool, frame: &mut Frame, found: &mut Vec<Option<Guard>>) {
    use BinaryOperator as B;
    let e = e.inner();
    match &e.kind {
        ExpressionKind::Unary(UnaryOperator::LogicalNot, inner) => {
            return guards(inner, !truth, frame, found);
        }
        ExpressionKind::Binary(operator @ (B::LogicalAnd | B::LogicalOr), a, b)
            if (*operator == B::LogicalAnd) == truth =>
        {
            guards(a, truth, frame, found);
            return guards(b, truth, frame, found);
        }
        _ => {}
    }
    let unit = frame.unit;
    let condition = {
        let frame = RefCell::new(&mut *frame);
        Condition::of(e, unit, &|e| frame.borrow_mut().exact_value(e))
    };
    let condition = if truth { condition } else { !condition };
    let negative = |p: &Polynomial| p.scaled(-1);
    let values = match &condition {
        Condition::NotNegative(p) => vec![Some(p.clone())],
        Condition::Zero(p) => vec![Some(p.clone()), negative(p)],
        Condition::Not(inner) => match &**inner {
            Condition::NotNegative(p) => vec![negative(p).and_then(|p| p.moved(-1))],
            _ => vec![None],
        },
        _ => vec![None],
    };
    let mut computed = Vec::new();
    typed::visit::walk(e, &mut |e| {
        let bytes = frame.unit.types.size(e.ty.ty);
        if frame.unit.types.is_signed(e.ty.ty) {
            computed.extend(frame.exact_value(e).zip(bytes));
        }
    });
    found.extend(values.into_iter().map(|value| {
        let computed = computed.clone();
        value.map(|value| Guard { value, computed })
    }));
}

/// The number of the last round of a loop inside a region, if it is the same whatever its bounds are.
fn last_round(l: &Loop, frame: &mut Frame, inside: &Frame) -> Option<i128> {
    let unit = frame.unit;
    let types = [unit.symbol(l.induction).ty.ty, l.lower.ty.ty, l.bound.ty.ty];
    let (_, step) = inside.rounds_of(l.induction)?;
    let (lower, bound) = (frame.exact_value(&l.lower)?, frame.exact_value(&l.bound)?);
    let far = match (l.relation, l.downward) {
        (Relation::Less, false) => bound.minus(&lower)?.moved(-1)?,
        (Relation::LessEqual, false) => bound.minus(&lower)?,
        (Relation::Greater, true) => lower.minus(&bound)?.moved(-1)?,
        (Relation::GreaterEqual, true) => lower.minus(&bound)?,
        _ => return None,
    };
    let far = far.as_constant().filter(|far| *far >= 0)?;
    let are_signed = types.into_iter().all(|ty| unit.types.is_signed(ty));
    are_signed.then_some(far / step.abs())
}
