//! Statements: who takes part in what, and how loops are spread over the
//! threads of a block.

use super::value::{Mask, Part, Value};
use super::{Exit, Stage};
use crate::analysis::effects::Place;
use crate::analysis::requests::lanes::{position, share};
use crate::ir::{Level, Loop, PlainFor, Spread, Statement, StatementKind, visit};
use crate::typed::{Expression, Initializer, LocalDeclaration, SymbolId, Type};

impl<'k> Stage<'k, '_> {
    pub(super) fn list(&mut self, list: &'k [Statement]) {
        for statement in list {
            if !self.is_followed() {
                return;
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'k Statement) {
        self.work += 1;
        match &statement.kind {
            StatementKind::Barrier(barrier) => {
                if barrier.dropped.is_none() {
                    self.flush();
                }
            }
            StatementKind::OpenWindows(numbers) => self.open_windows(numbers),
            StatementKind::WriteBack { windows, .. } => self.write_back(windows),
            StatementKind::Loop(l) => self.counted_loop(l),
            StatementKind::WhileAny(live, body) => self.while_any(*live, body),
            StatementKind::Block(body) => self.list(body),
            StatementKind::ReductionBegin(reduction, _) => self.forget([reduction.symbol]),
            StatementKind::ReductionEnd(reduction, _) => self.forget([reduction.symbol]),
            StatementKind::Single {
                level,
                body,
                broadcast,
            } => self.single(*level, body, broadcast),
            _ if self.mask.is_empty() => {}
            StatementKind::Expression(e) => {
                if let Some(e) = e {
                    self.value(e);
                }
            }
            StatementKind::Declaration(list) => {
                list.iter()
                    .for_each(|declaration| self.declare(declaration));
            }
            StatementKind::If(condition, then, otherwise) => {
                self.branches(condition, then, otherwise.as_deref());
            }
            StatementKind::For(plain) => self.plain_for(plain),
            StatementKind::While(condition, body) => {
                self.repeat(Some(condition), body, None, true);
            }
            StatementKind::DoWhile(body, condition) => {
                self.repeat(Some(condition), body, None, false);
            }
            StatementKind::Atomic(atomic) => {
                for step in &atomic.steps {
                    self.value(step);
                }
            }
            StatementKind::Break => self.leave(|exit| !exit.is_function, |exit| &mut exit.left),
            StatementKind::Continue => {
                self.leave(|exit| !exit.is_function, |exit| &mut exit.continued);
            }
            StatementKind::Return(value) => self.give(value.as_ref()),
            StatementKind::WorkerBarrier(_) => {}
            _ => self.is_lost = true,
        }
    }

    fn declare(&mut self, declaration: &'k LocalDeclaration) {
        let is_pointer = matches!(
            self.unit
                .types
                .get(self.unit.symbol(declaration.symbol).ty.ty),
            Type::Pointer(_)
        );
        match &declaration.initializer {
            Some(Initializer::Expression(e)) if is_pointer => {
                let address = self.pointer(e);
                self.pointers.insert(declaration.symbol, address);
            }
            Some(Initializer::Expression(e)) => {
                let value = self.value(e);
                let ty = self.unit.symbol(declaration.symbol).ty.ty;
                let value = match self.unit.types.is_integer(ty) {
                    true => value,
                    false => Value::UNKNOWN,
                };
                self.set(declaration.symbol, &value);
            }
            Some(aggregate) => self.initializer(aggregate),
            None => {}
        }
    }

    fn branches(
        &mut self,
        condition: &'k Expression,
        then: &'k [Statement],
        otherwise: Option<&'k [Statement]>,
    ) {
        let holds = self.value(condition);
        let around = self.mask.clone();
        for (list, wanted) in [(Some(then), true), (otherwise, false)] {
            let Some(list) = list else { continue };
            self.mask = around.where_is(&holds, wanted);
            // Barriers are for all, whoever has left.
            if !self.mask.is_empty() {
                self.list(list);
            }
        }
        self.mask = self.left_of(around);
    }

    /// Those of some threads that have not left the loop or function.
    fn left_of(&self, mask: Mask) -> Mask {
        let mut mask = mask;
        for exit in self.exits.iter().rev() {
            mask = mask.without(&exit.left).without(&exit.continued);
            if exit.is_function {
                break;
            }
        }
        mask
    }

    fn leave(&mut self, is_meant: impl Fn(&Exit) -> bool, of: impl Fn(&mut Exit) -> &mut Mask) {
        let mask = self.mask.clone();
        match self.exits.iter_mut().rev().find(|exit| is_meant(exit)) {
            Some(exit) => of(exit).join(&mask),
            None => self.is_lost = true,
        }
        self.mask = self.left_of(mask);
    }

    fn give(&mut self, value: Option<&'k Expression>) {
        let value = value.map_or(Value::UNKNOWN, |e| self.value(e));
        let mask = self.mask.clone();
        let threads = self.threads();
        if let Some(exit) = self.exits.iter_mut().rev().find(|exit| exit.is_function) {
            let is_first = exit.left.is_empty();
            let is_all = mask.is_sure();
            exit.result = match (&value, is_first && is_all) {
                (Value::Same(_), true) => value,
                _ => {
                    let of = |thread: usize| match mask.0[thread] {
                        Part::Yes => value.at(thread),
                        Part::No => exit.result.at(thread),
                        Part::Perhaps => None,
                    };
                    Value::Each((0..threads).map(of).collect())
                }
            };
        }
        self.leave(|exit| exit.is_function, |exit| &mut exit.left);
    }

    /// Nothing is known of some variables.
    fn forget(&mut self, symbols: impl IntoIterator<Item = SymbolId>) {
        for symbol in symbols {
            self.variables.insert(symbol, Value::UNKNOWN);
            self.pointers.shift_remove(&symbol);
        }
    }

    /// Code that runs who knows how often.
    fn in_doubt(&mut self, body: &'k [Statement]) {
        let written = |stage: &mut Self| {
            let writes = stage.oracle.list(body).writes.into_iter();
            let symbols = writes.filter_map(|place| match place {
                Place::Variable(symbol) => Some(symbol),
                Place::Target(_) | Place::Unknown => None,
            });
            stage.forget(symbols);
        };
        written(self);
        let around = self.mask.clone();
        self.mask = around.in_doubt();
        self.enter_loop();
        self.list(body);
        self.exits.pop();
        self.mask = around;
        written(self);
    }

    fn enter_loop(&mut self) {
        self.exits.push(Exit {
            is_function: false,
            left: Mask::none(self.threads()),
            continued: Mask::none(self.threads()),
            result: Value::UNKNOWN,
        });
    }

    /// A round of the innermost loop for those that are in it.
    fn round(&mut self, live: &Mask, body: &'k [Statement]) -> Mask {
        self.mask = live.clone();
        self.list(body);
        let threads = self.threads();
        if let Some(exit) = self.exits.last_mut() {
            exit.continued = Mask::none(threads);
        }
        self.left_of(live.clone())
    }

    fn plain_for(&mut self, plain: &'k PlainFor) {
        if let Some(initializer) = &plain.initializer {
            self.statement(initializer);
        }
        self.repeat(
            plain.condition.as_ref(),
            &plain.body,
            plain.step.as_ref(),
            true,
        );
    }

    fn repeat(
        &mut self,
        condition: Option<&'k Expression>,
        body: &'k [Statement],
        step: Option<&'k Expression>,
        is_tested_first: bool,
    ) {
        let around = self.mask.clone();
        self.enter_loop();
        let mut live = around.clone();
        let mut is_tested = is_tested_first;
        while self.is_followed() {
            if let Some(condition) = condition.filter(|_| is_tested) {
                self.mask = live.clone();
                let holds = self.value(condition);
                live = live.where_is(&holds, true);
            }
            is_tested = true;
            if live.is_empty() {
                break;
            }
            if !live.is_sure() {
                self.mask = live.clone();
                self.in_doubt(body);
                self.forget_step(step);
                break;
            }
            live = self.round(&live, body);
            self.mask = live.clone();
            if let Some(step) = step {
                self.value(step);
            }
        }
        self.exits.pop();
        self.mask = self.left_of(around);
    }

    fn forget_step(&mut self, step: Option<&'k Expression>) {
        let Some(step) = step else { return };
        for place in self.oracle.expression(step).writes {
            if let Place::Variable(symbol) = place {
                self.forget([symbol]);
            }
        }
    }

    /// Rounds of a block in which some of its threads take part.
    fn while_any(&mut self, live: SymbolId, body: &'k [Statement]) {
        let around = self.mask.clone();
        self.enter_loop();
        while self.is_followed() {
            let known = self.variables.get(&live).cloned();
            let known = known.unwrap_or(Value::UNKNOWN);
            let some = around.where_is(&known, true);
            if some.is_empty() {
                break;
            }
            if !some.is_sure() {
                self.in_doubt(body);
                break;
            }
            self.round(&around, body);
        }
        self.exits.pop();
        self.mask = self.left_of(around);
    }

    /// Code of one thread of the block, or of each worker.
    fn single(&mut self, level: Level, body: &'k [Statement], broadcast: &[SymbolId]) {
        let around = self.mask.clone();
        let width = self.block[0] as usize;
        let first = |thread: usize| match level {
            Level::Gang => 0,
            Level::Worker | Level::Vector => thread / width * width,
        };
        self.mask = around.only(|thread| first(thread) == thread);
        self.list(body);
        self.mask = around;
        for symbol in broadcast {
            let value = self.variables.get(symbol).cloned();
            let value = value.unwrap_or(Value::UNKNOWN);
            let all = (0..self.threads()).map(|thread| value.at(first(thread)));
            let all = Value::Each(all.collect());
            self.variables.insert(*symbol, all);
        }
    }

    fn counted_loop(&mut self, l: &'k Loop) {
        let spread = l.spread.unwrap_or_default();
        if spread.is_sequential() {
            if !self.mask.is_empty() || has_barrier(&l.body) {
                self.sequential(l);
            }
            return;
        }
        let together = match l.numbered_together() {
            list if list.len() > 1 => list,
            _ => vec![l],
        };
        let body = together.last().map_or(&l.body, |last| &last.body);
        let headers: Option<Vec<Header>> = together.iter().map(|l| self.header(l)).collect();
        let Some(headers) = headers else {
            let around = self.mask.clone();
            self.forget(together.iter().map(|l| l.induction));
            self.forget(l.tile.iter().flat_map(|tile| tile.variables()));
            self.in_doubt(body);
            self.mask = around;
            return;
        };
        self.shared_rounds(l, spread, &headers, body);
    }

    /// How a loop goes on, if that is known and the same for all threads.
    fn header(&mut self, l: &'k Loop) -> Option<Header> {
        let lower = i128::from(self.value(&l.lower).uniform()?);
        let bound = i128::from(self.value(&l.bound).uniform()?);
        let step = i128::from(self.value(&l.step).uniform()?);
        let step = if l.downward { -step } else { step };
        if step == 0 {
            return None;
        }
        use crate::ir::Relation as R;
        let inclusive = matches!(l.relation, R::LessEqual | R::GreaterEqual);
        let distance = (bound - lower) * step.signum() + i128::from(inclusive);
        Some(Header {
            induction: l.induction,
            lower,
            step,
            trips: ((distance + step.abs() - 1).div_euclid(step.abs())).max(0),
        })
    }

    fn shared_rounds(
        &mut self,
        l: &'k Loop,
        spread: Spread,
        headers: &[Header],
        body: &'k [Statement],
    ) {
        let around = self.mask.clone();
        let trips: i128 = headers.iter().map(|header| header.trips).product();
        let shares: Vec<i128> = (0u32..)
            .take(self.threads())
            .map(|thread| {
                share(spread, self.block, position(thread, self.block))
                    .0
                    .into()
            })
            .collect();
        let sharing = i128::from(share(spread, self.block, [0; 3]).1);
        let mut first = 0;
        self.enter_loop();
        while first < trips && self.is_followed() {
            if spread.blocks.is_some() {
                self.flush(); // another block
            }
            let numbers: Vec<i128> = shares.iter().map(|share| first + share).collect();
            self.begin_round(l, headers, first, &numbers);
            let live = match l.tile {
                Some(_) => around.clone(),
                None => around.only(|thread| numbers[thread] < trips),
            };
            self.work += self.threads() as u64 / 4;
            self.round(&live, body);
            first += sharing;
        }
        self.exits.pop();
        if spread.blocks.is_some() {
            self.flush();
        }
        self.forget(headers.iter().map(|header| header.induction));
        self.mask = self.left_of(around);
    }

    fn begin_round(&mut self, l: &Loop, headers: &[Header], first: i128, numbers: &[i128]) {
        let mut inner: i128 = 1;
        for header in headers.iter().rev() {
            let trips = header.trips.max(1);
            let is_outermost = header.induction == headers[0].induction;
            let of = |number: &i128| {
                let number = number / inner;
                let own = if is_outermost { number } else { number % trips };
                i64::try_from(header.lower + header.step * own).ok()
            };
            let values = numbers.iter().map(of).collect();
            self.variables.insert(header.induction, Value::Each(values));
            inner *= trips;
        }
        let (Some(tile), Some(header)) = (l.tile, headers.first()) else {
            return;
        };
        let begin = header.lower + header.step * first;
        self.variables.insert(tile.first, Value::number(begin));
        if let Some(count) = tile.count {
            self.variables
                .insert(count.trips, Value::number(header.trips));
            self.variables.insert(count.tile, Value::number(first));
            let numbers = numbers.iter().map(|n| i64::try_from(*n).ok()).collect();
            self.variables.insert(count.number, Value::Each(numbers));
        }
    }

    fn sequential(&mut self, l: &'k Loop) {
        let around = self.mask.clone();
        let mut now = self.value(&l.lower);
        let bound = self.value(&l.bound);
        let step = self.value(&l.step);
        self.enter_loop();
        let mut live = around.clone();
        while self.is_followed() {
            let holds = now.with(&bound, |a, b| {
                Some(l.relation.holds(a?.into(), b?.into()).into())
            });
            live = live.where_is(&holds, true);
            // Threads that are done go on to the barriers.
            let goes_on = has_barrier(&l.body) && holds.uniform() == Some(1);
            if live.is_empty() && !goes_on {
                break;
            }
            self.mask = live.clone();
            if !live.is_sure() && holds.uniform().is_none() {
                self.forget([l.induction]);
                self.in_doubt(&l.body);
                break;
            }
            self.variables.insert(l.induction, now.clone());
            live = self.round(&live, &l.body);
            let sign = if l.downward { -1 } else { 1 };
            now = now.with(&step, |a, b| Some(i128::from(a?) + sign * i128::from(b?)));
        }
        self.exits.pop();
        if !l.declared_inside {
            self.forget([l.induction]);
        }
        self.mask = self.left_of(around);
    }
}

/// How a loop goes on.
struct Header {
    induction: SymbolId,
    lower: i128,
    step: i128,
    trips: i128,
}

fn has_barrier(body: &[Statement]) -> bool {
    let mut found = false;
    visit::walk(body, &mut |statement| {
        found |= matches!(statement.kind, StatementKind::Barrier(_));
    });
    found
}
