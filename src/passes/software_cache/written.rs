//! Which slots of a window a block writes, where no marks have to say it.
//!
//! ```c
//! // before: blocks of 16, a window of [17][17]
//! for (int step = 0; step < 31; step++) {
//!     const int i = row + lane, j = column + step - lane;
//!     if (j >= column && j < column + 16 && i <= rows && j <= columns) {
//!         score_window[lane + 1][step + 1 - lane] = …;
//!         score_written[lane + 1][step + 1 - lane] = 1;
//!     }
//!     barrier
//! }
//! // after: the write-back takes slots 1 to 16 of both dimensions where
//! row <= rows && column <= columns
//! ```
//!
//! The slot of a write is affine in the thread's indices and the rounds of the loops around it. Where
//! these follow from the slot, here `lane = y - 1` and `step = y + x - 2`, a slot is written exactly if
//! there are such a thread and such rounds, and if what the write stands under holds for them. All of
//! that is then put in terms of the slot:
//!
//! - What is a bound of one dimension's slots makes a box. It is compared in small numbers; what is one
//!   of several dimensions has to hold in all of the box.
//! - A thread has an iteration if the loop's own comparison says so, with the thread's index.
//! - Any other comparison has to be one of an index of the element with a variable that all threads
//!   have, where the program computes this index itself: then it is no other number in the copy of
//!   slots, which may stand for places that no array has.
//!
//! Several writes are known where one of them is to all slots of the others.
//!
//! Where moreover each read of a slot in the box is of one that was written in an earlier round of the
//! outermost loop, with a barrier between, these slots need not be fetched.

use std::cell::RefCell;
use std::ops::Range;

use super::access::{self, Write};
use super::region::Held;
use super::shape::{Side, plus};
use super::{Pass, footprint, pivots};
use crate::analysis::block_affine::{Atom, Frame, Piece};
use crate::analysis::condition::Condition;
use crate::analysis::exits::Exits;
use crate::analysis::polynomial::{Polynomial, Term};
use crate::analysis::whole_tiles::has_whole_tiles;
use crate::ir::{
    Loop, Once, Relation, Statement, StatementKind, WindowRegion, WrittenPart, is_literal, visit,
};
use crate::typed::{
    self, BinaryOperator, Expression, ExpressionKind, IntegerKind, SymbolId, Type, TypeId,
    UnaryOperator, Unit, synthesis,
};

/// Bytes of an `int`.
const INT_BYTES: u64 = 4;
/// Constants beside variables are no larger.
const MOST: i128 = 1 << 30;

/// A comparison that a statement stands under.
#[derive(Clone)]
struct Guard {
    /// Not negative where it holds.
    value: Polynomial,
    /// The integers that it computes, with how many bytes these have.
    computed: Vec<(Polynomial, u64)>,
}

/// A loop of the region.
#[derive(Clone)]
struct Rounds {
    /// In the order of the text.
    number: usize,
    induction: SymbolId,
    /// The number of its last round, where each thread has all of them.
    last: Option<i128>,
}

/// A place where the window's array is written or read.
struct Access<'u> {
    /// One a dimension, if they are known.
    slots: Option<Vec<Polynomial>>,
    /// `None` stands for what is not known.
    guards: Vec<Option<Guard>>,
    /// Outermost first.
    loops: Vec<Rounds>,
    /// Its place in the text.
    at: usize,
    frame: Frame<'u>,
}

/// Goes through a region's body.
struct Walk<'w, 'u> {
    array: SymbolId,
    sides: &'w [Side],
    guards: Vec<Option<Guard>>,
    loops: Vec<Rounds>,
    loops_so_far: usize,
    at: usize,
    writes: Vec<Access<'u>>,
    reads: Vec<Access<'u>>,
    /// Barriers right in the body of a loop: the loop's number, and the place in the text.
    barriers: Vec<(usize, usize)>,
}

impl<'u> Walk<'_, 'u> {
    /// `None`: there is more than is understood.
    fn list(
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

    /// That a slot which is read, and in the box, was written in an earlier round of the outermost
    /// loop, and that all threads wait in between.
    fn is_earlier(
        &self,
        inverted: &Inverted,
        write: &Access<'u>,
        read: &Access<'u>,
        waits: bool,
    ) -> Option<()> {
        let outermost = write.loops.first()?;
        let is_same = read.loops.first()?.number == outermost.number;
        let is_between =
            |&(number, at): &(usize, usize)| number == outermost.number && at > write.at;
        let waits = waits || self.barriers.iter().any(is_between);
        (is_same && waits).then_some(())?;
        let round = read.frame.clone().term(Atom::Round(outermost.induction));
        let slots = read.slots.as_ref()?;
        let written = inverted.at(inverted.of(round)?, slots)?;
        let goal = Polynomial::variable(round).minus(&written)?.moved(-1)?;
        let inside = inverted.inside(slots)?;
        read.frame.is_proved(&goal, &inside).then_some(())
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

/// A write of which threads and rounds follow from the slot.
struct Inverted {
    /// Threads and rounds, each in terms of the numbers of slots.
    of: Vec<(Term, Polynomial)>,
    /// What is not negative, besides, for slots that are written, in the same terms.
    guards: Vec<Guard>,
    slots: Vec<Range<i128>>,
    /// The terms for the numbers of slots, outermost first.
    numbers: Vec<Term>,
}

impl Inverted {
    /// In terms of slots, or of what is in their place.
    fn put(&self, value: &Polynomial) -> Option<Polynomial> {
        (self.of.iter()).try_fold(value.clone(), |value, (term, of)| {
            value.substitute(*term, of)
        })
    }

    /// A value for these slots.
    fn at(&self, value: &Polynomial, slots: &[Polynomial]) -> Option<Polynomial> {
        (self.numbers.iter().zip(slots)).try_fold(value.clone(), |value, (term, slot)| {
            value.substitute(*term, slot)
        })
    }

    /// A thread or round in terms of slots.
    fn of(&self, term: Term) -> Option<&Polynomial> {
        let found = self.of.iter().find(|(own, _)| *own == term);
        found.map(|(_, value)| value)
    }

    /// That slots are in the box, of which these are not negative.
    fn inside(&self, slots: &[Polynomial]) -> Option<Vec<Polynomial>> {
        let mut found = Vec::new();
        for (slot, own) in slots.iter().zip(&self.slots) {
            found.push(slot.moved(-own.start)?);
            found.push(Polynomial::constant(own.end - 1).minus(slot)?);
        }
        Some(found)
    }

    /// That the slots of another access are written, or those of a read if they are in the box.
    fn covers(&self, other: &Access, tiles: &[(&Loop, Term)], is_read: bool) -> Option<()> {
        let slots = other.slots.as_ref()?;
        let frame = &other.frame;
        let inside = self.inside(slots)?;
        let is_inside = is_read || inside.iter().all(|goal| frame.is_proved(goal, &[]));
        is_inside.then_some(())?;
        for guard in &self.guards {
            let goal = self.at(&guard.value, slots)?;
            frame.is_proved(&goal, &inside).then_some(())?;
        }
        for (_, thread) in tiles {
            // Threads before one with an iteration have one.
            let writer = self.at(self.of(*thread)?, slots)?;
            let before = Polynomial::variable(*thread).minus(&writer)?;
            frame.is_proved(&before, &inside).then_some(())?;
        }
        Some(())
    }

    /// The least of a value in terms of slots alone, in the box.
    fn least(&self, value: &Polynomial) -> Option<i128> {
        (value.terms()).try_fold(0i128, |sum, (product, factor)| {
            let part = match product {
                [] => factor,
                [term] => {
                    let depth = self.numbers.iter().position(|own| own == term)?;
                    let slots = &self.slots[depth];
                    let end = if factor > 0 {
                        slots.start
                    } else {
                        slots.end - 1
                    };
                    end.checked_mul(factor)?
                }
                _ => return None,
            };
            sum.checked_add(part)
        })
    }

    /// Whether a value is one of slots alone.
    fn is_of_slots(&self, value: &Polynomial) -> bool {
        let mut terms = value.terms().flat_map(|(product, _)| product);
        terms.all(|term| self.numbers.contains(term))
    }

    /// Makes the box smaller by what has to be: `factor·slot + rest >= 0`.
    fn narrow(&mut self, value: &Polynomial) {
        let rest = value.coefficient_of(&[]);
        let mut terms = value.terms().filter(|(product, _)| !product.is_empty());
        let (Some(([term], factor)), None) = (terms.next(), terms.next()) else {
            return;
        };
        let Some(depth) = self.numbers.iter().position(|own| own == term) else {
            return;
        };
        let slots = &mut self.slots[depth];
        match factor > 0 {
            true => slots.start = slots.start.max(-rest.div_euclid(factor)),
            false => slots.end = slots.end.min(rest.div_euclid(-factor) + 1),
        }
    }
}

impl<'u> Pass<'u> {
    /// The slots that the block writes in a region with this body, if they are known.
    pub(super) fn written_part(
        &mut self,
        held: &Held,
        region: &WindowRegion,
        body: &[Statement],
    ) -> Option<WrittenPart> {
        let is_alike = self.frame.convergent && !self.is_under_condition && !self.kernel.may_shrink;
        if !held.window.policy.write_back || !is_alike || !Exits::of(body).is_empty() {
            return None;
        }
        let mut whole_block = self.frame.whole_block();
        for (side, dimension) in held.sides.iter().zip(&held.window.dimensions) {
            side.extent.known()?;
            whole_block.exact_value(&dimension.pivot)?;
            self.unit.types.is_signed(side.ty).then_some(())?;
        }
        let kernel = self.kernel;
        let around = footprint::loops_around(&kernel.body, region)?;
        let tiles = self.partial_tiles(&around)?;
        let mut walk = Walk {
            array: held.window.array,
            sides: &held.sides,
            guards: Vec::new(),
            loops: Vec::new(),
            loops_so_far: 0,
            at: 0,
            writes: Vec::new(),
            reads: Vec::new(),
            barriers: Vec::new(),
        };
        walk.list(body, &mut self.frame.clone(), None)?;
        let int = synthesis::int(self.unit);
        let numbers: Vec<SymbolId> = (0..held.sides.len())
            .map(|depth| self.variable(&format!("number_{depth}"), int))
            .collect();
        let waits = held.window.policy.channel && !region.explicit;
        (walk.writes.iter()).find_map(|write| {
            let inverted = self.inverted(write, &held.sides, &numbers)?;
            let others = walk.writes.iter().filter(|other| other.at != write.at);
            let mut others = others.map(|other| inverted.covers(other, &tiles, false));
            others
                .all(|is_covered| is_covered.is_some())
                .then_some(())?;
            let mut conditions = Vec::new();
            for (l, thread) in &tiles {
                let thread = inverted.of(*thread)?;
                conditions.push(self.has_iteration(l, thread, &inverted, &numbers)?);
            }
            for guard in &inverted.guards {
                conditions.push(self.comparison(guard, &inverted, held)?);
            }
            let comes_first = |read: &Access| {
                inverted.covers(read, &tiles, true)?;
                walk.is_earlier(&inverted, write, read, waits)
            };
            let mut reads = walk.reads.iter();
            let comes_first =
                held.window.policy.fetch && reads.all(|read| comes_first(read).is_some());
            let slots = inverted.slots.iter().map(|slots| {
                let end = |end: i128| u64::try_from(end).ok();
                Some(end(slots.start)?..end(slots.end)?)
            });
            Some(WrittenPart {
                slots: slots.collect::<Option<_>>()?,
                numbers: numbers.clone(),
                conditions,
                comes_first,
            })
        })
    }

    /// A write in terms of its slots; `None` if several threads or rounds may write one.
    fn inverted(
        &mut self,
        write: &Access<'u>,
        sides: &[Side],
        numbers: &[SymbolId],
    ) -> Option<Inverted> {
        let slots = write.slots.as_ref()?;
        let mut frame = write.frame.clone();
        let mut unknown: Vec<(Term, i128)> = Vec::new();
        for axis in 0..3 {
            match frame.block(axis)? {
                1 => {}
                threads => {
                    unknown.push((frame.term(Atom::Thread(axis, Piece::Whole)), threads - 1))
                }
            }
        }
        for rounds in &write.loops {
            match rounds.last? {
                0 => {}
                last => unknown.push((frame.term(Atom::Round(rounds.induction)), last)),
            }
        }
        let mut inverted = Inverted {
            of: Vec::new(),
            guards: Vec::new(),
            slots: (sides.iter())
                .map(|side| Some(0..i128::from(side.extent.known()?)))
                .collect::<Option<_>>()?,
            numbers: numbers
                .iter()
                .map(|number| Term::Invariant(*number))
                .collect(),
        };
        let mut equal: Vec<Polynomial> = (slots.iter().zip(&inverted.numbers))
            .map(|(slot, number)| Polynomial::variable(*number).minus(slot))
            .collect::<Option<_>>()?;
        while !unknown.is_empty() {
            // `number - slot` is 0, and has one of them left.
            let (place, chosen, factor) = equal.iter().enumerate().find_map(|(place, rest)| {
                let mut left = unknown.iter().enumerate().filter_map(|(which, (term, _))| {
                    Some((which, rest.coefficient(*term)?)).filter(|(_, factor)| *factor != 0)
                });
                match (left.next(), left.next()) {
                    (Some((which, factor @ (1 | -1))), None) => Some((place, which, factor)),
                    _ => None,
                }
            })?;
            let (term, highest) = unknown.remove(chosen);
            let rest = equal.remove(place);
            let own = rest.minus(&Polynomial::variable(term).scaled(factor)?)?;
            let own = own.scaled(-factor)?;
            for other in &mut equal {
                *other = other.substitute(term, &own)?;
            }
            let limit = Polynomial::constant(highest).minus(&own)?;
            for value in [own.clone(), limit] {
                let computed = Vec::new();
                inverted.guards.push(Guard { value, computed });
            }
            inverted.of.push((term, own));
        }
        for rest in equal {
            for value in [rest.clone(), rest.scaled(-1)?] {
                let computed = Vec::new();
                inverted.guards.push(Guard { value, computed });
            }
        }
        for guard in &write.guards {
            let guard = guard.as_ref()?;
            let value = inverted.put(&guard.value)?;
            let put = |(value, bytes): &(Polynomial, u64)| Some((inverted.put(value)?, *bytes));
            let computed = guard.computed.iter().filter_map(put).collect();
            inverted.guards.push(Guard { value, computed });
        }
        let all = std::mem::take(&mut inverted.guards);
        let (of_slots, others): (Vec<Guard>, Vec<Guard>) = all
            .into_iter()
            .partition(|guard| inverted.is_of_slots(&guard.value));
        of_slots
            .iter()
            .for_each(|guard| inverted.narrow(&guard.value));
        inverted.guards = others;
        let is_empty = inverted.slots.iter().any(Range::is_empty);
        let hold = (of_slots.iter())
            .all(|guard| inverted.least(&guard.value).is_some_and(|least| least >= 0));
        (!is_empty && hold).then_some(inverted)
    }

    /// The loops of which a block may have a part of a tile, each with the thread's index.
    fn partial_tiles<'l>(&mut self, around: &[&'l Loop]) -> Option<Vec<(&'l Loop, Term)>> {
        let mut found = Vec::new();
        for l in around.iter().copied().filter(|l| l.threads() != [false; 3]) {
            let mut axes = (0..3).filter(|axis| l.threads()[*axis]);
            let (Some(axis), None, Some(_)) = (axes.next(), axes.next(), l.tile) else {
                return None;
            };
            let is_whole =
                l.once == Some(Once::Exactly) || has_whole_tiles(l, self.kernel, self.unit);
            if !is_whole && self.frame.block(axis) != Some(1) {
                found.push((l, self.frame.term(Atom::Thread(axis, Piece::Whole))));
            }
        }
        Some(found)
    }

    /// Whether a thread has an iteration of a loop: the loop's own comparison.
    fn has_iteration(
        &self,
        l: &Loop,
        thread: &Polynomial,
        inverted: &Inverted,
        numbers: &[SymbolId],
    ) -> Option<Expression> {
        let int = synthesis::int(self.unit);
        let symbol = |symbol| synthesis::symbol(self.unit, symbol, l.header);
        let mut terms = thread.terms().filter(|(product, _)| !product.is_empty());
        let (Some(([own], factor @ (1 | -1))), None) = (terms.next(), terms.next()) else {
            return None;
        };
        let depth = inverted.numbers.iter().position(|number| number == own)?;
        let (number, far) = (symbol(numbers[depth]), thread.coefficient_of(&[]));
        let thread = match factor {
            1 => plus(self.unit, number, far, int),
            _ => {
                let far = synthesis::integer(far, int, l.header);
                synthesis::binary(BinaryOperator::Subtract, far, number, int)
            }
        };
        let compared = |operator, a, b| Some(synthesis::binary(operator, a, b, int));
        let sum = |operator, first: SymbolId, far: Expression| {
            let first = symbol(first);
            let ty = first.ty.ty;
            synthesis::binary(operator, first, far, ty)
        };
        let tile = l.tile?;
        if let Some(count) = tile.count {
            let number = sum(BinaryOperator::Add, count.tile, thread);
            return compared(BinaryOperator::Less, number, symbol(count.trips));
        }
        let thread = match is_literal(&l.step, 1) {
            true => thread,
            false => synthesis::binary(BinaryOperator::Multiply, l.step.clone(), thread, int),
        };
        let (operator, relation) = match l.downward {
            false => (BinaryOperator::Add, BinaryOperator::Less),
            true => (BinaryOperator::Subtract, BinaryOperator::Greater),
        };
        let relation = match l.relation {
            Relation::NotEqual => relation,
            other => other.operator(),
        };
        compared(relation, sum(operator, tile.first, thread), l.bound.clone())
    }

    /// A comparison of an element's index with a variable, or a number.
    fn comparison(
        &mut self,
        guard: &Guard,
        inverted: &Inverted,
        held: &Held,
    ) -> Option<Expression> {
        use BinaryOperator as B;
        let mut depths = (0..held.sides.len())
            .filter(|depth| guard.value.coefficient(inverted.numbers[*depth]) != Some(0));
        let (Some(depth), None) = (depths.next(), depths.next()) else {
            return None;
        };
        let side = &held.sides[depth];
        let number = Polynomial::variable(inverted.numbers[depth]);
        let index = number.plus(&side.base)?;
        let bytes = self.unit.types.size(side.ty)?;
        let is_index = |(value, own): &(Polynomial, u64)| *value == index && *own <= bytes;
        guard.computed.iter().any(is_index).then_some(())?;
        let symbol = self.slot_indices(&held.sides)[depth];
        let term = Term::Invariant(symbol);
        let own = Polynomial::variable(term).minus(&side.base)?;
        let value = guard.value.substitute(inverted.numbers[depth], &own)?;
        let (mut rest, mut limit) = (0, None);
        let is_above = value.coefficient(term)? > 0;
        for (product, factor) in value.terms() {
            match product {
                [] => rest = factor,
                [own] if *own == term && factor.abs() == 1 => {}
                [Term::Invariant(other)]
                    if limit.is_none() && factor == if is_above { -1 } else { 1 } =>
                {
                    limit = Some(*other);
                }
                _ => return None,
            }
        }
        let span = held.window.span;
        let (int, long) = (synthesis::int(self.unit), self.long());
        let index = synthesis::symbol(self.unit, symbol, span);
        let compare = |operator, limit| Some(synthesis::binary(operator, index, limit, int));
        let (at_most, below) = if is_above {
            (B::GreaterEqual, B::Greater)
        } else {
            (B::LessEqual, B::Less)
        };
        // `limit + rest >= index`, or `limit - rest <= index`.
        let far = if is_above { -rest } else { rest };
        let Some(limit) = limit else {
            i32::try_from(far).ok()?;
            return compare(at_most, synthesis::integer(far, int, span));
        };
        let variable = self.unit.symbol(limit).ty;
        let is_plain = self.unit.types.is_signed(variable.ty)
            && !variable.qualifiers.is_volatile
            && pivots::is_named_alone(limit, self.kernel, self.unit);
        is_plain.then_some(())?;
        let limit = synthesis::symbol(self.unit, limit, span);
        match rest {
            0 => compare(at_most, limit),
            -1 => compare(below, limit),
            _ if self.unit.types.size(variable.ty)? > INT_BYTES || far.abs() > MOST => None,
            // In 64 bits, which hold it.
            ..-1 => compare(
                below,
                plus(
                    self.unit,
                    synthesis::cast(limit, long),
                    if is_above { far - 1 } else { far + 1 },
                    long,
                ),
            ),
            _ => compare(
                at_most,
                plus(self.unit, synthesis::cast(limit, long), far, long),
            ),
        }
    }

    fn long(&self) -> TypeId {
        self.unit.types.intern(Type::Integer(IntegerKind::Long))
    }
}
