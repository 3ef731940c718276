//! Loops whose headers the threads of a block cannot evaluate each for itself.
//!
//! ```c
//! for (k = 0; a[k] > 0; k++) {            // before
//!     #pragma acc loop vector
//!     for (int j = 0; j < n; j++) a[j]--;
//! }
//!
//! k = 0;                                  // after
//! int again = 0;
//! while (1) {
//!     if (again)
//!         k++;
//!     again = 1;
//!     if (!(a[k] > 0))
//!         break;
//!     …
//! }
//! ```
//!
//! Where the condition or step of a `for` touches memory that the kernel
//! writes, or a `do` with a `continue` ends with such a condition, they become
//! statements of the body, which one thread runs for all. `continue` goes on to
//! them as before.

use super::{Facts, is_structured};
use crate::analysis::effects::Oracle;
use crate::analysis::exits::Exits;
use crate::analysis::scope::Scope;
use crate::ir::numbered::{self, Numbered};
use crate::ir::{Kernel, Statement, StatementKind};
use crate::source::Span;
use crate::typed::Unit;
use crate::typed::synthesis;

/// Rewrites such loops of a kernel.
pub fn run(kernel: &mut Kernel, oracle: &Oracle) {
    let found = loops(kernel, oracle);
    numbered::change(&mut kernel.body, &mut |statement, number| {
        if found.contains(&number) {
            let kind = std::mem::replace(&mut statement.kind, StatementKind::Break);
            statement.kind = expanded(kind, statement.span, oracle.unit());
        }
    });
}

/// The numbers of the loops.
fn loops(kernel: &Kernel, oracle: &Oracle) -> Vec<usize> {
    let scope = Scope::of(kernel, oracle.unit());
    let facts = Facts::of(kernel, &scope, oracle);
    let mut found = Vec::new();
    let mut look_at = |s: &Numbered| {
        let is_simple = match &s.statement.kind {
            StatementKind::For(parts) => facts.is_simple_header(parts),
            StatementKind::DoWhile(body, condition) => {
                !Exits::of(body).continues() || facts.is_simple(condition)
            }
            _ => true,
        };
        if !is_simple && is_structured(s.statement) {
            found.push(s.number);
        }
    };
    let all = Numbered::all(&kernel.body);
    all.iter().for_each(|s| s.walk(&mut look_at));
    found
}

/// A loop with what decides about its iterations at the top of its body.
fn expanded(kind: StatementKind, span: Span, unit: &Unit) -> StatementKind {
    let (first, condition, step, body, tests_last) = match kind {
        StatementKind::For(l) => (l.initializer, l.condition, l.step, l.body, false),
        StatementKind::DoWhile(body, condition) => (None, Some(condition), None, body, true),
        other => return other,
    };
    let int = synthesis::int(unit);
    let again = synthesis::variable(unit, "again", int, span);
    let read = synthesis::symbol(unit, again, span);
    let number = |value| synthesis::integer(value, int, span);
    let when = |test, what| StatementKind::If(test, vec![what], None).at(span);
    let mut rounds: Vec<Statement> = Vec::new();
    let advance = |step| StatementKind::Expression(Some(step)).at(span);
    rounds.extend(step.map(|step| when(read.clone(), advance(step))));
    rounds.extend(condition.map(|condition| {
        let fails = synthesis::not(int, condition);
        let exit = when(fails, StatementKind::Break.at(span));
        match tests_last {
            true => when(read.clone(), exit),
            false => exit,
        }
    }));
    rounds.push(Statement::assign(read, number(1), span));
    rounds.extend(body);
    let mut list: Vec<Statement> = first.into_iter().collect();
    list.push(Statement::declare(again, Some(number(0)), span));
    list.push(StatementKind::While(number(1), rounds).at(span));
    StatementKind::Block(list)
}
