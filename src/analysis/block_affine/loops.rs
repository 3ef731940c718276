//! What loops say of their variables.

use super::conditions::sides;
use super::{Atom, Case, Frame, Interval, Piece, Polynomial, Rounds, Term, Tiled};
use crate::analysis::effects::{Oracle, Place, Touch};
use crate::ir::{Loop, PlainFor, Relation, Statement, StatementKind, visit};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit, constant,
};

/// The first values and the bounds of a counted loop, as they are before its
/// first round.
struct Limits {
    lower: Vec<Case>,
    bound: Vec<Case>,
}

impl Frame<'_> {
    /// Enters a loop that the block takes in tiles along an axis.
    pub fn enter_tiled(&mut self, l: &Loop, first: SymbolId, axis: usize) {
        let limits = self.limits(l);
        let step = self.constant(&l.step).unwrap_or(0);
        let step = if l.downward { -step } else { step };
        let lower = match limits.lower.as_slice() {
            [only] if only.is_exact => Some(&only.value),
            _ => None,
        };
        let tile = self.block[axis].and_then(|extent| extent.checked_mul(step));
        let number = format!("number of the tile from v{}", first.0);
        let first_value = lower.zip(tile).and_then(|(lower, tile)| {
            let (number, _) = self.named(number, Interval::NATURAL);
            lower.plus(&number.scaled(tile)?)
        });
        let is_natural = step > 0 && lower.is_some_and(|lower| self.is_proved(lower, &[]));
        self.tiles.push(Tiled {
            induction: l.induction,
            first,
            axis,
            step,
            first_value: first_value.clone(),
            is_natural,
        });
        self.uniform.insert(first);
        let first = Polynomial::variable(Term::Invariant(first));
        let facts = self.begins(l, &first, &limits);
        self.learn(facts, true);
        if let Some(known) = &first_value {
            let differences = [first.minus(known), known.minus(&first)];
            self.learn(differences.into_iter().flatten().collect(), true);
        }
        if step != 0 {
            // Of threads that have an iteration, as the first one has.
            let thread = self.term(Atom::Thread(axis, Piece::Whole));
            let offset = Polynomial::variable(thread).scaled(step);
            if let Some(value) = offset.and_then(|offset| offset.plus(&first)) {
                let facts = self.ends(l, &value, &limits);
                self.learn(facts, true);
            }
        }
    }

    /// Enters a counted loop that each thread runs by itself. Its variable is
    /// known to all threads if they run the same rounds.
    pub fn enter_loop(&mut self, l: &Loop) {
        let limits = self.limits(l);
        self.leave_variable(l.induction);
        self.convergent &= self.runs_alike(l);
        if !self.facts.is_kept_by(&l.body, l.induction, self.unit) {
            return;
        }
        let variable = if self.convergent {
            self.uniform.insert(l.induction);
            Polynomial::variable(Term::Invariant(l.induction))
        } else {
            self.follow_unknown(l.induction)
        };
        self.bounded(l, &variable, &limits);
    }

    /// Enters a counted loop inside a region: its variable stands for all
    /// values that it takes.
    pub fn enter_rounds(&mut self, l: &Loop) {
        let limits = self.limits(l);
        self.leave_variable(l.induction);
        if !self.facts.is_kept_by(&l.body, l.induction, self.unit) {
            return;
        }
        let step = self.constant(&l.step).filter(|step| *step > 0);
        let is_counted = l.relation != Relation::NotEqual || step == Some(1);
        let (Ok(lower), Some(step), true) = (self.value(&l.lower), step, is_counted) else {
            let variable = self.follow_unknown(l.induction);
            return self.bounded(l, &variable, &limits);
        };
        let always = self.always_runs(l, &limits);
        let signed = if l.downward { -step } else { step };
        let rounds = Rounds {
            lower: lower.clone(),
            step: signed,
            last: None,
            always,
        };
        self.rounds.insert(l.induction, rounds);
        let round = Polynomial::variable(self.term(Atom::Round(l.induction)));
        let way = round.scaled(signed);
        let Some(variable) = way.and_then(|way| way.plus(&lower)) else {
            return;
        };
        let ends = self.ends(l, &variable, &limits);
        let way = round.scaled(step);
        let last = ends.iter().filter_map(|fact| {
            // The fact is `limit - way`.
            let limit = way.as_ref().and_then(|way| fact.plus(way))?;
            Some(limit.as_constant()?.div_euclid(step))
        });
        let last = last.min();
        if let Some(rounds) = self.rounds.get_mut(&l.induction) {
            rounds.last = last;
        }
        self.bounded(l, &variable, &limits);
    }

    /// Whether a loop that was entered with [`Self::enter_rounds`] has a round
    /// whatever its bounds are.
    pub fn always_has_a_round(&self, induction: SymbolId) -> bool {
        self.rounds
            .get(&induction)
            .is_some_and(|rounds| rounds.always)
    }

    fn limits(&mut self, l: &Loop) -> Limits {
        let lower = self.cases(&l.lower);
        let mut bound = self.cases(&l.bound);
        let variable = self.values_of(self.type_of(l.induction));
        let compared = self.values_of(l.bound.ty.ty);
        let is_unsigned = |interval: Interval| interval.low == Some(0);
        // The comparison is one of unsigned numbers.
        let is_mixed = is_unsigned(variable) != is_unsigned(compared);
        let less = matches!(l.relation, Relation::Less | Relation::LessEqual);
        for case in &mut bound {
            let is_natural = self.is_proved(&case.value, &case.facts);
            case.is_exact &= !is_mixed || is_natural && (is_unsigned(variable) || less);
        }
        Limits { lower, bound }
    }

    fn leave_variable(&mut self, symbol: SymbolId) {
        self.uniform.shift_remove(&symbol);
        self.rounds.shift_remove(&symbol);
        self.forget(symbol);
    }

    /// Gives a local a value of its own.
    fn follow_unknown(&mut self, symbol: SymbolId) -> Polynomial {
        let case = self.unknown(self.type_of(symbol));
        let value = case.value.clone();
        if self.facts.is_local(symbol) {
            self.values.insert(symbol, vec![case]);
        }
        value
    }

    fn bounded(&mut self, l: &Loop, variable: &Polynomial, limits: &Limits) {
        let begins = self.begins(l, variable, limits);
        let ends = self.ends(l, variable, limits);
        let is_common = self.uniform.contains(&l.induction);
        self.learn(begins, is_common);
        self.learn(ends, is_common);
    }

    /// On which side of its first value a variable stays.
    fn begins(&self, l: &Loop, variable: &Polynomial, limits: &Limits) -> Vec<Polynomial> {
        let variable = [Case::exactly(variable.clone())];
        match l.downward {
            false => self.ordered(&limits.lower, &variable, 0),
            true => self.ordered(&variable, &limits.lower, 0),
        }
    }

    /// What its bound says of a variable in a round.
    fn ends(&self, l: &Loop, variable: &Polynomial, limits: &Limits) -> Vec<Polynomial> {
        let variable = [Case::exactly(variable.clone())];
        let bound = &limits.bound;
        let relation = match (l.relation, l.downward) {
            // The variable meets the bound, unless it starts behind it.
            (Relation::NotEqual, false) if self.is_ordered(&limits.lower, bound, 0) => {
                Relation::Less
            }
            (Relation::NotEqual, true) if self.is_ordered(bound, &limits.lower, 0) => {
                Relation::Greater
            }
            (relation, _) => relation,
        };
        self.compared(relation.operator(), &variable, bound)
    }

    fn always_runs(&self, l: &Loop, limits: &Limits) -> bool {
        let (lower, bound) = (&limits.lower, &limits.bound);
        match l.relation {
            Relation::NotEqual => {
                self.is_ordered(lower, bound, 1) || self.is_ordered(bound, lower, 1)
            }
            relation => sides(relation.operator(), lower, bound)
                .is_some_and(|(less, more, far)| self.is_ordered(less, more, far)),
        }
    }

    /// Whether `less + distance <= more` in all cases.
    fn is_ordered(&self, less: &[Case], more: &[Case], distance: i128) -> bool {
        less.iter().all(|a| {
            more.iter().all(|b| {
                let facts = a.facts_with(b);
                let difference = b.value.minus(&a.value);
                let goal = difference.and_then(|d| d.moved(-distance));
                a.is_exact && b.is_exact && goal.is_some_and(|g| self.is_proved(&g, &facts))
            })
        })
    }

    /// What is known in the body of a plain `for`: its condition, and where
    /// its variable starts if it only moves away from there.
    pub(super) fn inside_for(&self, parts: &PlainFor) -> Self {
        let mut inside = self.clone();
        if let Some(initializer) = &parts.initializer {
            inside.pass(initializer);
        }
        let step = parts
            .step
            .as_ref()
            .and_then(|step| advance(step, self.unit));
        let counted = step.filter(|(symbol, _)| {
            inside.facts.is_local(*symbol)
                && inside.facts.is_kept_by(&parts.body, *symbol, self.unit)
        });
        let start = counted.and_then(|(symbol, _)| inside.values.get(&symbol).cloned());
        inside.forget_written(&parts.body);
        for e in parts.condition.iter().chain(&parts.step) {
            inside.forget_changed(e);
        }
        let is_alike = inside.enter_for(parts);
        inside.convergent &= is_alike;
        let variable = counted.map(|(symbol, _)| match inside.uniform.contains(&symbol) {
            true => Polynomial::variable(Term::Invariant(symbol)),
            false => inside.follow_unknown(symbol),
        });
        let condition = parts.condition.as_ref();
        let holds = condition.map_or_else(Vec::new, |e| inside.implied(e, true));
        inside.learn(holds, is_alike);
        if let (Some((symbol, by)), Some(start), Some(variable)) = (counted, start, variable) {
            // What an unsigned variable wraps around at is not passed.
            let limits = self.values_of(self.type_of(symbol));
            let moved = variable.moved(by);
            let stays = |moved: Polynomial| inside.is_between(&moved, limits, &[]);
            if limits.low != Some(0) || moved.is_some_and(stays) {
                let variable = [Case::exactly(variable.clone())];
                let facts = match by > 0 {
                    true => inside.ordered(&start, &variable, 0),
                    false => inside.ordered(&variable, &start, 0),
                };
                inside.learn(facts, is_alike);
            }
        }
        inside
    }

    /// Forgets what is known of the variables that code assigns.
    pub(super) fn forget_written(&mut self, list: &[Statement]) {
        for symbol in written(list, self.unit) {
            self.forget(symbol);
        }
    }

    /// Forgets what is known of the variables that an expression assigns.
    pub(super) fn forget_changed(&mut self, e: &Expression) {
        self.forget_written(&[Statement::evaluate(e.clone())]);
    }

    pub(super) fn forget(&mut self, symbol: SymbolId) {
        self.values.shift_remove(&symbol);
        self.truths.shift_remove(&symbol);
    }
}

/// The variable that the step of a `for` moves, and by how much.
fn advance(step: &Expression, unit: &Unit) -> Option<(SymbolId, i128)> {
    use UnaryOperator as U;
    let (target, by) = match &step.inner().kind {
        ExpressionKind::Unary(U::PreIncrement | U::PostIncrement, target) => (target, 1),
        ExpressionKind::Unary(U::PreDecrement | U::PostDecrement, target) => (target, -1),
        ExpressionKind::CompoundAssign {
            operator,
            target,
            value,
            ..
        } => match (operator, constant::evaluate(unit, value)?) {
            (BinaryOperator::Add, by @ 1..) => (target, by),
            (BinaryOperator::Subtract, by @ 1..) => (target, -by),
            _ => return None,
        },
        _ => return None,
    };
    let symbol = target.as_symbol()?;
    let is_integer = unit.types.is_integer(unit.symbol(symbol).ty.ty);
    is_integer.then_some((symbol, by))
}

/// The variables that code assigns.
pub(super) fn written(list: &[Statement], unit: &Unit) -> Vec<SymbolId> {
    let oracle = Oracle::new(unit, &[]);
    let mut found = Vec::new();
    visit::walk(list, &mut |s| {
        visit::own_expressions(s, &mut |e| {
            oracle.accesses(e, &mut |access| {
                if let (Touch::Write, Place::Variable(symbol)) = (access.touch, access.place) {
                    found.push(symbol);
                }
            });
        });
        match &s.kind {
            StatementKind::Declaration(list) => found.extend(list.iter().map(|d| d.symbol)),
            StatementKind::Loop(l) => found.push(l.induction),
            _ => {}
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}
