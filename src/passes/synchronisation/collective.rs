//! Functions that threads enter together, and their calls.
//!
//! ```c
//! #pragma acc routine vector
//! float total(int n, float *row)      // after: one copy of n and row a lane
//! {
//!     float sum = 0;                  // after: all lanes, alike
//!     #pragma acc loop vector reduction(+:sum)
//!     for (int i = 0; i < n; i++)     // after: the lanes
//!         sum += row[i];
//!     row[0] = sum;                   // after: one lane, behind a barrier
//!     return sum;                     // after: a barrier, then all lanes
//! }
//! ```
//!
//! - The body of such a function is code of its collective's level: that of a row
//!   loop for lanes, that outside of loops for a block.
//! - Its accesses are done when it returns: a barrier of the collective stands
//!   before, so that callers, which may not know its body, take no account of
//!   them afterwards, and the next call finds its shared variables free.
//! - The caller's accesses that may meet those of the function are done when
//!   it calls. Arguments that threads may not agree on are evaluated once.

use super::sequence::Output;
use super::state::{State, Who};
use super::{Synchroniser, barrier};
use crate::ir::{Collective, CollectiveCall, Level, Statement, StatementKind};
use crate::source::Span;
use crate::typed::Expression;

impl Synchroniser<'_> {
    /// Rewrites the body of a collective's function.
    pub fn function(
        &mut self,
        body: &[Statement],
        collective: Collective,
        span: Span,
    ) -> Vec<Statement> {
        let level = collective.level();
        let mut state = State::default();
        let mut list = self.sequence(body, level, &mut state);
        let last = list.last().map(|last| &last.kind);
        if !matches!(last, Some(StatementKind::Return(_))) {
            list.push(self.done(level, &state, span));
        }
        list
    }

    /// All threads of a collective leave its function together.
    pub fn leave(&mut self, value: Option<&Expression>, span: Span, out: &mut Output) {
        let value = value.map(|value| self.settled(value, out));
        let done = self.done(out.level, &out.state, span);
        out.statements.push(done);
        out.state = State::default();
        out.statements.push(StatementKind::Return(value).at(span));
    }

    /// The barrier at a function's end, for what is under way there.
    fn done(&self, level: Level, state: &State, span: Span) -> Statement {
        let what = state.under_way().map(|pending| self.reason(pending));
        let why = match what {
            Some(what) => format!("{what} before the caller goes on"),
            None => "the caller goes on with all threads".to_owned(),
        };
        barrier(level, why, span)
    }

    /// A value that all threads get alike and that does not change while some
    /// of them are ahead: one from memory is read once.
    fn settled(&mut self, e: &Expression, out: &mut Output) -> Expression {
        let effects = self.facts.oracle.expression(e);
        let mut reads = effects.reads.iter();
        if reads.any(|&place| !self.facts.scope.is_private(place)) {
            return self.hoist(e, false, out);
        }
        self.agree(e, false, out)
    }

    /// All threads of a collective call a function.
    pub fn collective_call(&mut self, call: &CollectiveCall, span: Span, out: &mut Output) {
        // With what the arguments read: their values get variables of their own,
        // which the oracle does not know.
        let footprint = self.facts.footprint_of(&call.call);
        let mut call = call.clone();
        for argument in call.arguments_mut() {
            // What the kernel never writes is the same whoever is ahead.
            if !self.facts.is_simple(argument) {
                *argument = self.settled(argument, out);
            }
        }
        // What the callee did is done; what was under way and met none of it
        // may still be.
        let before = out.state.clone();
        self.wait_for(&footprint, Who::Each, span, out);
        let meets = self.conflict(&before, &footprint, Who::Each);
        out.state = match meets {
            Some(_) => State::default(),
            None => before,
        };
        let kind = StatementKind::CollectiveCall(Box::new(call));
        out.statements.push(kind.at(span));
    }
}
