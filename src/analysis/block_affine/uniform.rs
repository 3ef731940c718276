//! What all threads of a block have alike, those with a clear mask included.

use super::facts::Facts;
use super::value::too_long;
use super::{Defeat, Frame};
use crate::analysis::effects::{Oracle, Place};
use crate::analysis::exits::{Exits, Jump};
use crate::ir::{Loop, PlainFor, Statement, StatementKind};
use crate::typed::{self, Expression, ExpressionKind, SymbolId, Type, UnaryOperator};

impl Frame<'_> {
    /// Whether all threads of the block can compute this value, and get the
    /// same.
    ///
    /// # Errors
    /// The part that may differ.
    pub fn check_uniform(&self, e: &Expression) -> Result<(), Defeat> {
        let is_outermost = self.begin_looking(e).ok_or_else(|| too_long(e))?;
        let answer = self.check_parts(e);
        self.end_looking(is_outermost);
        answer
    }

    fn check_parts(&self, e: &Expression) -> Result<(), Defeat> {
        match &e.kind {
            ExpressionKind::Symbol(symbol) => self.check_variable(*symbol, e),
            ExpressionKind::Index(..)
            | ExpressionKind::Unary(UnaryOperator::Indirection, _)
            | ExpressionKind::Member { arrow: true, .. } => self.check_memory(e),
            ExpressionKind::Call { .. } => Err(Defeat::new(
                e,
                "what a call gives is not known to be the same in all threads of a block",
            )),
            _ if e.assigned().is_some() || matches!(e.kind, ExpressionKind::Statement(_)) => Err(
                Defeat::new(e, "it changes a variable while it is evaluated"),
            ),
            _ => operands(e).try_for_each(|operand| self.check_uniform(operand)),
        }
    }

    fn check_variable(&self, symbol: SymbolId, e: &Expression) -> Result<(), Defeat> {
        let variable = self.unit.symbol(symbol);
        let name = &variable.name;
        if variable.is_thread_index() {
            return Err(Defeat::new(e, "it differs between the threads of a block"));
        }
        if !variable.is_variable()
            || self.uniform.contains(&symbol)
            || self.facts.scope.pointers.contains(&symbol) && !self.facts.is_assigned(symbol)
            || self.facts.is_given(symbol) && self.facts.is_constant(Place::Variable(symbol))
        {
            return Ok(());
        }
        if let Some(definition) = self.definitions.get(&symbol) {
            return self.check_uniform(definition);
        }
        if self.tiles.iter().any(|tile| tile.induction == symbol) {
            let reason = format!("`{name}` differs between the threads of a block");
            return Err(Defeat::new(e, reason));
        }
        if self.facts.scope.memory.contains(&symbol) {
            return self.check_memory(e);
        }
        let reason = if self.facts.assignments(symbol) > 1 {
            format!("`{name}` is assigned more than once, so that its value is not known here")
        } else {
            format!("the value of `{name}` is not known to all threads of a block")
        };
        Err(Defeat::new(e, reason))
    }

    /// Memory that no thread writes holds the same for all threads that read it
    /// at the same address.
    fn check_memory(&self, e: &Expression) -> Result<(), Defeat> {
        let oracle = Oracle::new(self.unit, &[]);
        if !self.facts.is_constant(oracle.place(e)) {
            return Err(Defeat::new(e, "the kernel may write this in memory"));
        }
        if e.ty.qualifiers.is_volatile {
            return Err(Defeat::new(e, "it is volatile"));
        }
        if !self.convergent {
            return Err(Defeat::new(
                e,
                "it is read from memory under a condition on which threads may differ",
            ));
        }
        operands(e).try_for_each(|operand| self.check_address(operand))
    }

    /// The address of an array is its own, whatever is in it.
    fn check_address(&self, e: &Expression) -> Result<(), Defeat> {
        let is_array = matches!(self.unit.types.get(e.inner().ty.ty), Type::Array { .. });
        match (&e.inner().kind, is_array) {
            (ExpressionKind::Symbol(_), true) => Ok(()),
            _ => self.check_uniform(e),
        }
    }

    /// Whether all threads run the same rounds of a loop.
    pub(super) fn runs_alike(&self, l: &Loop) -> bool {
        let mut inside = self.clone();
        inside.uniform.insert(l.induction);
        let header = l.limits();
        header.into_iter().all(|e| self.check_uniform(e).is_ok()) && inside.leaves_alike(&l.body)
    }

    /// Whether all threads that leave a loop by `break` do so together.
    fn leaves_alike(&self, body: &[Statement]) -> bool {
        body.iter().all(|statement| match &statement.kind {
            StatementKind::If(condition, then, otherwise) => {
                let otherwise = otherwise.as_deref().unwrap_or_default();
                let is_left = may_leave(then) || may_leave(otherwise);
                !is_left || self.check_uniform(condition).is_ok()
            }
            StatementKind::Block(inner) => self.leaves_alike(inner),
            StatementKind::Windows(region) => self.leaves_alike(&region.body),
            StatementKind::Break => true,
            _ => !may_leave(std::slice::from_ref(statement)),
        })
    }

    /// Enters a plain `for`: variables that only its header assigns are known
    /// to all threads if they run the same rounds; the answer says whether
    /// they do.
    pub fn enter_for(&mut self, parts: &PlainFor) -> bool {
        let oracle = Oracle::new(self.unit, &[]);
        if !self.convergent {
            return false;
        }
        let mut inside = self.clone();
        if let Some(initializer) = &parts.initializer {
            let list = std::slice::from_ref(initializer);
            for (symbol, value) in initializer.assigned() {
                let step = parts.step.iter();
                let by_step = step.map(|step| Facts::assignments_of(step, symbol, &oracle));
                let header = Facts::assignments_in(list, symbol, &oracle) + by_step.sum::<usize>();
                if self.facts.assignments(symbol) == header && self.check_uniform(value).is_ok() {
                    inside.uniform.insert(symbol);
                }
            }
        }
        let mut step = parts.step.iter();
        let advances = step.all(|step| inside.advances_alike(step));
        let mut condition = parts.condition.iter();
        let continues = condition.all(|test| inside.check_uniform(test).is_ok());
        let alike = advances && continues && inside.leaves_alike(&parts.body);
        if alike {
            *self = inside;
        }
        alike
    }

    /// Whether the step of a `for` assigns the same in all threads.
    fn advances_alike(&self, step: &Expression) -> bool {
        match &step.inner().kind {
            ExpressionKind::Assign(_, value) | ExpressionKind::CompoundAssign { value, .. } => {
                self.check_uniform(value).is_ok()
            }
            ExpressionKind::Comma(a, b) => self.advances_alike(a) && self.advances_alike(b),
            ExpressionKind::Unary(operator, _) if operator.is_step() => true,
            _ => false,
        }
    }
}

fn operands(e: &Expression) -> impl Iterator<Item = &Expression> {
    let mut found = Vec::new();
    typed::visit::operands(e, &mut |operand| found.push(operand));
    found.into_iter()
}

/// Whether statements may leave the loop that they stand in, or the code
/// around it.
pub fn may_leave(list: &[Statement]) -> bool {
    Exits::of(list).any(Jump::ends_loop)
}
