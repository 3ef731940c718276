//! How a frame moves along the statements of a kernel.

use super::conditions::is_condition;
use super::loops::written;
use super::{Case, Frame};
use crate::ir::{Loop, Statement, StatementKind};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, SymbolId, TypeId, UnaryOperator, Unit,
};

/// Values of a variable that two ways may give.
const MOST: usize = 6;

impl Frame<'_> {
    /// What is known in each block of a statement, in the order of
    /// [`crate::ir::visit::blocks_mut`].
    pub fn inside(&self, statement: &Statement) -> Vec<Self> {
        let mut inside = self.clone();
        match &statement.kind {
            StatementKind::If(condition, ..) => {
                inside.convergent &= self.check_uniform(condition).is_ok();
                inside.forget_changed(condition);
                let mut otherwise = inside.clone();
                inside.assume(condition, true);
                otherwise.assume(condition, false);
                return vec![inside, otherwise];
            }
            StatementKind::Loop(l) => {
                let limits = inside.clone();
                inside.forget_written(std::slice::from_ref(statement));
                // Its bounds are those before the first round.
                inside.enter(l, &limits);
            }
            StatementKind::For(parts) => return vec![self.inside_for(parts)],
            StatementKind::While(condition, _) => {
                inside.forget_written(std::slice::from_ref(statement));
                inside.convergent &= self.check_uniform(condition).is_ok();
                inside.assume(condition, true);
            }
            StatementKind::DoWhile(_, condition) => {
                inside.forget_written(std::slice::from_ref(statement));
                inside.convergent &= self.check_uniform(condition).is_ok();
            }
            StatementKind::Switch(..) => {
                inside.convergent = false;
                inside.entangle();
            }
            StatementKind::WhileAny(..) => {
                inside.forget_written(std::slice::from_ref(statement));
            }
            _ => {}
        }
        vec![inside]
    }

    fn enter(&mut self, l: &Loop, before: &Self) {
        let distribution = l.distribution.unwrap_or_default();
        let values = std::mem::replace(&mut self.values, before.values.clone());
        match (l.tile, distribution.threads.iter().position(|&used| used)) {
            (Some(tile), Some(axis)) => self.enter_tiled(l, tile.first, axis),
            (None, Some(_)) => self.convergent = false,
            _ => self.enter_loop(l),
        }
        let own = self.values.get(&l.induction).cloned();
        self.values = values;
        self.values.shift_remove(&l.induction);
        if let Some(own) = own
            && distribution.is_sequential()
        {
            self.values.insert(l.induction, own);
        }
    }

    /// As [`Self::inside`], of a counted loop in a region.
    pub fn inside_rounds(&self, l: &Loop) -> Self {
        let mut inside = self.clone();
        inside.enter_rounds(l);
        inside.forget_written(&l.body);
        inside
    }

    /// What holds whenever a statement evaluates its own expressions.
    pub fn at_condition(&self, statement: &Statement) -> Self {
        let mut frame = self.clone();
        if matches!(
            statement.kind,
            StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..)
        ) {
            frame.forget_written(std::slice::from_ref(statement));
        }
        frame
    }

    /// Says that a condition holds from here on, or that it does not.
    pub fn assume(&mut self, condition: &Expression, truth: bool) {
        if !self.is_entangled {
            let is_common = self.convergent && self.check_uniform(condition).is_ok();
            let facts = self.implied(condition, truth);
            self.learn(facts, is_common);
        }
    }

    /// Follows nothing that is assigned from here on.
    fn entangle(&mut self) {
        self.is_entangled = true;
        self.values.clear();
        self.truths.clear();
    }

    /// Goes behind a statement.
    pub fn pass(&mut self, statement: &Statement) {
        for (symbol, value) in statement.assigned() {
            self.define(symbol, value);
        }
        if self.is_entangled {
            self.values.clear();
            self.truths.clear();
            return;
        }
        match &statement.kind {
            StatementKind::Declaration(list) => {
                for declaration in list {
                    match declaration.value() {
                        Some(value) => self.assign(declaration.symbol, value),
                        None => {
                            declaration.values(&mut |e| self.forget_changed(e));
                            self.forget(declaration.symbol);
                        }
                    }
                }
            }
            StatementKind::Expression(Some(e)) => self.evaluate(e),
            StatementKind::Block(body) => self.pass_list(body),
            StatementKind::If(_, then, otherwise) => {
                let otherwise = otherwise.as_deref().unwrap_or_default();
                self.branch(statement, [then, otherwise]);
            }
            _ => self.forget_written(std::slice::from_ref(statement)),
        }
    }

    fn pass_list(&mut self, list: &[Statement]) {
        for statement in list {
            self.pass(statement);
        }
    }

    /// Behind a branch, a variable has the value of one way or the other.
    fn branch(&mut self, statement: &Statement, ways: [&[Statement]; 2]) {
        let changed = written(std::slice::from_ref(statement), self.unit);
        let mut ends = Vec::new();
        for (inside, list) in self.inside(statement).into_iter().zip(ways) {
            let mut inside = inside;
            let facts = inside.known.get(self.known.len()..).unwrap_or_default();
            let facts = facts.to_vec();
            inside.pass_list(list);
            if !list.last().is_some_and(is_jump) {
                ends.push((inside, facts));
            }
        }
        if let [(only, _)] = ends.as_slice() {
            // The other way is left by a jump.
            self.known.clone_from(&only.known);
            self.common.clone_from(&only.common);
            self.values.clone_from(&only.values);
            self.truths.clone_from(&only.truths);
            return;
        }
        for symbol in changed {
            let mut cases: Option<Vec<Case>> = Some(Vec::new());
            for (end, facts) in &ends {
                let found = end.values.get(&symbol);
                cases = cases.zip(found).map(|(mut cases, found)| {
                    cases.extend(found.iter().map(|case| Case {
                        facts: case.facts.iter().chain(facts).cloned().collect(),
                        ..case.clone()
                    }));
                    cases
                });
            }
            self.forget(symbol);
            if let Some(cases) = cases.filter(|cases| (1..=MOST).contains(&cases.len())) {
                self.values.insert(symbol, cases);
            }
        }
    }

    fn evaluate(&mut self, e: &Expression) {
        use UnaryOperator as U;
        match &e.inner().kind {
            ExpressionKind::Assign(target, value) => {
                if let Some(symbol) = target.as_symbol()
                    && is_plain(value, self.unit)
                {
                    return self.assign(symbol, value);
                }
            }
            ExpressionKind::CompoundAssign {
                operator: operator @ (BinaryOperator::Add | BinaryOperator::Subtract),
                target,
                value,
                computation,
            } => {
                if let Some(symbol) = target.as_symbol()
                    && is_plain(value, self.unit)
                {
                    let by = self.cases(value);
                    return self.moved(symbol, target, *operator, &by, *computation);
                }
            }
            ExpressionKind::Unary(operator, target) if operator.is_step() => {
                if let Some(symbol) = target.as_symbol() {
                    let up = matches!(operator, U::PreIncrement | U::PostIncrement);
                    let one = Case::number(1);
                    let operator = match up {
                        true => BinaryOperator::Add,
                        false => BinaryOperator::Subtract,
                    };
                    return self.moved(symbol, target, operator, &[one], target.ty.ty);
                }
            }
            _ => {}
        }
        self.forget_changed(e);
    }

    fn assign(&mut self, symbol: SymbolId, value: &Expression) {
        let is_followed = self.facts.is_local(symbol)
            && !self.unit.symbol(symbol).ty.qualifiers.is_volatile
            && self.unit.types.is_integer(self.type_of(symbol))
            && is_plain(value, self.unit);
        if !is_followed {
            self.forget_changed(value);
            return self.forget(symbol);
        }
        let truths =
            is_condition(value).then(|| [false, true].map(|truth| self.implied(value, truth)));
        let cases = self.cases(value);
        self.forget(symbol);
        self.values.insert(symbol, cases);
        if let Some(truths) = truths {
            self.truths.insert(symbol, truths);
        }
    }

    /// `symbol += by`.
    fn moved(
        &mut self,
        symbol: SymbolId,
        target: &Expression,
        operator: BinaryOperator,
        by: &[Case],
        ty: TypeId,
    ) {
        let declared = self.type_of(symbol);
        let old = self.cases(target);
        let is_same = self.values_of(declared) == self.values_of(ty);
        let new = match self.unit.types.is_integer(ty) && is_same {
            true => self.combined(operator, &old, by, declared),
            false => None,
        };
        self.forget(symbol);
        if let Some(new) = new.filter(|_| self.facts.is_local(symbol)) {
            self.values.insert(symbol, new);
        }
    }
}

/// Whether evaluating an expression changes no variable.
fn is_plain(e: &Expression, unit: &Unit) -> bool {
    written(&[Statement::evaluate(e.clone())], unit).is_empty()
}

/// Whether what follows a statement is not run after it.
fn is_jump(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Break | StatementKind::Continue | StatementKind::Return(_) => true,
        StatementKind::Block(body) => body.last().is_some_and(is_jump),
        _ => false,
    }
}
