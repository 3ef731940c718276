//! Code between the loops of a nest with windows.
//!
//! All threads of a block run it, so that each has the values of private
//! variables. What it does besides, one of them does, where a block has all
//! iterations of the loops inside:
//!
//! ```c
//! #pragma acc loop gang
//! for (int r = 0; r < rows; r++) {
//!     double scale = weight[r];        // all threads
//!     first[r] = scale;                // after: one thread
//!     #pragma acc loop vector
//!     for (int c = 0; c < cols; c++) { windows … }
//!     last[r] = b[r][cols - 1];        // after: a barrier, then one thread
//! }
//! ```
//!
//! Barriers stand where one thread's access meets another's: around such code,
//! and around the loops inside.

use super::tiled::{Refusal, Role, Step};
use crate::analysis::effects::{Effects, Oracle, Place};
use crate::analysis::scope::Scope;
use crate::ir::{Barrier, Distribution, Level, Loop, Statement, StatementKind, visit};
use crate::source::Span;

/// The nest that code lies in.
pub struct Between<'a> {
    pub scope: &'a Scope,
    pub oracle: &'a Oracle<'a>,
    /// Its loops, outer ones first, and who shares them.
    pub steps: &'a [Step],
    pub distributions: &'a [Distribution],
    /// The grid is one block.
    pub has_one_gang: bool,
}

impl Between<'_> {
    fn step(&self, statement: &Statement) -> Option<&Step> {
        let StatementKind::Loop(l) = &statement.kind else {
            return None;
        };
        self.steps.iter().find(|step| step.is(l))
    }

    fn is_innermost(&self, l: &Loop) -> bool {
        self.steps
            .iter()
            .any(|step| step.is_innermost && step.is(l))
    }

    /// Whether an innermost loop of the nest is a statement or inside it.
    fn leads_in(&self, statement: &Statement) -> bool {
        let mut found = false;
        visit::loops(std::slice::from_ref(statement), &mut |l| {
            found |= self.is_innermost(l);
        });
        found
    }

    /// Whether one block has all iterations of the loops that its threads
    /// share, so that one thread of it can do what is to be done once.
    pub fn is_of_one_block(&self) -> bool {
        let mut has_blocks = self.has_one_gang;
        for (step, distribution) in self.steps.iter().zip(self.distributions) {
            match step.role {
                Role::Blocks if distribution.blocks.is_none() => return false,
                Role::Blocks => has_blocks = true,
                // One test finds the first thread of a row, and of rows.
                Role::Threads if distribution.blocks.is_some() || distribution.threads[2] => {
                    return false;
                }
                _ => {}
            }
        }
        has_blocks
    }

    /// Whether effects do more than set variables that each thread has.
    fn is_private(&self, effects: &Effects) -> bool {
        !effects.impure && effects.writes.iter().all(|&w| self.scope.is_private(w))
    }

    /// Checks the code of the nest.
    ///
    /// # Errors
    /// Some of it can be done neither by all threads nor by one.
    pub fn check(&self, list: &[Statement]) -> Result<(), Refusal> {
        let blocks = self.steps.iter().filter(|s| s.role == Role::Blocks).count();
        self.list(list, blocks)
    }

    /// `blocks` loops over blocks are still inside.
    fn list(&self, list: &[Statement], blocks: usize) -> Result<(), Refusal> {
        for statement in list {
            let may_be_single = blocks == 0 && self.is_of_one_block();
            if !self.leads_in(statement) {
                let effects = self.oracle.statement(statement);
                if !self.is_private(&effects) {
                    if !may_be_single {
                        return Err(self.repeated(statement.span, blocks));
                    }
                    self.only_memory(statement, &effects)?;
                }
                continue;
            }
            let mut result = Ok(());
            visit::own_expressions(statement, &mut |e| {
                if result.is_ok() && !self.is_private(&self.oracle.expression(e)) {
                    result = Err(Refusal::new(
                        "the header of a loop around windows has an effect",
                        statement.span,
                        "each thread of the block would have it: move it into a statement of its \
                         own",
                    ));
                }
            });
            result?;
            let step = self.step(statement);
            if step.is_some_and(|step| step.role == Role::Threads) {
                self.inside_threads(statement)?;
                continue;
            }
            let is_blocks = step.is_some_and(|step| step.role == Role::Blocks);
            let inside = blocks - usize::from(is_blocks);
            let mut result = Ok(());
            visit::blocks(statement, &mut |body| {
                if result.is_ok() {
                    result = self.list(body, inside);
                }
            });
            result?;
        }
        Ok(())
    }

    /// Between loops that the threads of a block share: each iteration of the
    /// outer one has several threads.
    fn inside_threads(&self, statement: &Statement) -> Result<(), Refusal> {
        if let StatementKind::Loop(l) = &statement.kind
            && self.is_innermost(l)
        {
            return Ok(());
        }
        let mut result = Ok(());
        visit::blocks(statement, &mut |body| {
            for inner in body {
                if result.is_err() {
                    return;
                }
                if self.leads_in(inner) {
                    result = self.inside_threads(inner);
                } else if !self.is_private(&self.oracle.statement(inner)) {
                    result = Err(Refusal::new(
                        "this code between the loops of a nest with windows has an effect",
                        inner.span,
                        "the threads that share the loops inside would each have it: move it into \
                         the innermost parallel loop, or into a construct of its own",
                    ));
                }
            }
        });
        result
    }

    fn repeated(&self, span: Span, blocks: usize) -> Refusal {
        let message = "this code between the loops of a nest with windows has an effect";
        let has_blocks = self.steps.iter().any(|step| step.role == Role::Blocks);
        Refusal::new(
            message,
            span,
            if blocks > 0 {
                "several blocks would have it: move it into the innermost `gang` loop, or into a \
                 construct of its own"
            } else if has_blocks {
                "several blocks share the iterations of the loops inside: put `gang` on the outer \
                 loop alone and `vector` on the inner one, or move it into a construct of its own"
            } else {
                "each thread of the block would have it: put `gang` on the loop around it and \
                 `vector` on the inner one, or move it into the innermost parallel loop"
            },
        )
    }

    /// One thread does what a statement does, so that the others would miss
    /// what it does to their variables.
    fn only_memory(&self, statement: &Statement, effects: &Effects) -> Result<(), Refusal> {
        let own = match statement.kind {
            StatementKind::Declaration(_) => Vec::new(),
            _ => own_variables(statement),
        };
        let changes = effects.writes.iter().any(|&place| {
            let is_own = matches!(place, Place::Variable(symbol) if own.contains(&symbol));
            self.scope.is_private(place) && !is_own
        });
        if !changes {
            return Ok(());
        }
        Err(Refusal::new(
            "this code between the loops of a nest with windows changes memory and a variable in \
             one statement",
            statement.span,
            "all threads set their variables and one of them changes memory: write two statements",
        ))
    }

    /// Lets one thread do what is to be done once, and puts barriers where
    /// threads meet.
    pub fn rewrite(&self, list: &mut Vec<Statement>) {
        if !self.is_of_one_block() {
            return;
        }
        let whole = list.clone();
        self.rewrite_list(list, &whole, false);
    }

    /// `repeats`: the list may run several times in an iteration of the loops
    /// over blocks.
    fn rewrite_list(&self, list: &mut Vec<Statement>, whole: &[Statement], repeats: bool) {
        let mut out: Vec<Statement> = Vec::with_capacity(list.len());
        let mut once: Vec<Statement> = Vec::new();
        for mut statement in std::mem::take(list) {
            let leads_in = self.leads_in(&statement);
            if !leads_in && !self.is_private(&self.oracle.statement(&statement)) {
                once.push(statement);
                continue;
            }
            self.done_once(std::mem::take(&mut once), whole, &mut out);
            let is_shared = (self.step(&statement)).is_some_and(|s| s.role == Role::Threads);
            if is_shared {
                self.shared(statement, whole, repeats, &mut out);
                continue;
            }
            if leads_in {
                let is_blocks = (self.step(&statement)).is_some_and(|s| s.role == Role::Blocks);
                let repeats = repeats || !is_blocks;
                visit::blocks_mut(&mut statement, &mut |body| {
                    self.rewrite_list(body, whole, repeats);
                });
            }
            out.push(statement);
        }
        self.done_once(once, whole, &mut out);
        *list = out;
    }

    /// What one thread does.
    fn done_once(&self, once: Vec<Statement>, whole: &[Statement], out: &mut Vec<Statement>) {
        let (Some(first), Some(last)) = (once.first(), once.last()) else {
            return;
        };
        let span = first.span;
        let end = last.span;
        let mut spans = Vec::new();
        self.effects_between(whole, &mut spans);
        let meets = self.meets(&self.oracle.list(&once), &without(whole, &spans));
        if meets {
            wait("one thread goes on with what all have done", span, out);
        }
        let kind = StatementKind::Single {
            level: Level::Gang,
            body: once,
            broadcast: Vec::new(),
        };
        out.push(Statement { kind, span });
        if meets {
            wait("all threads see what one has done", end, out);
        }
    }

    /// A loop that the threads of the block share: all wait at its end. Where
    /// nothing needs that, [`barrier_legalisation`](crate::passes::barrier_legalisation) finds out.
    fn shared(
        &self,
        statement: Statement,
        whole: &[Statement],
        repeats: bool,
        out: &mut Vec<Statement>,
    ) {
        let span = statement.span;
        let mut spans = Vec::new();
        if !repeats {
            spans.push(span);
        }
        self.effects_between(whole, &mut spans);
        let meets = self.meets(&self.oracle.statement(&statement), &without(whole, &spans));
        if meets {
            wait("all have read what the loop changes", span, out);
        }
        out.push(statement);
        if meets {
            wait("the loop's writes visible to the block", span, out);
        }
    }

    /// The places of what one thread does, which has barriers of its own.
    fn effects_between(&self, list: &[Statement], spans: &mut Vec<Span>) {
        for statement in list {
            let is_shared = (self.step(statement)).is_some_and(|s| s.role == Role::Threads);
            if is_shared {
                continue;
            }
            if self.leads_in(statement) {
                visit::blocks(statement, &mut |body| self.effects_between(body, spans));
            } else if !self.is_private(&self.oracle.statement(statement)) {
                spans.push(statement.span);
            }
        }
    }

    /// Whether some code's accesses to memory meet those of the rest.
    fn meets(&self, effects: &Effects, rest: &[Statement]) -> bool {
        let rest = self.oracle.list(rest);
        let alike = |a: &Place, b: &Place| {
            !self.scope.is_private(*a) && !self.scope.is_private(*b) && self.scope.may_alias(*a, *b)
        };
        let written = |writes: &Effects, other: &Effects| {
            writes.writes.iter().any(|w| {
                let mut others = other.reads.iter().chain(&other.writes);
                others.any(|o| alike(w, o))
            })
        };
        effects.impure || written(effects, &rest) || written(&rest, effects)
    }
}

/// The variables that a statement declares or counts with.
fn own_variables(statement: &Statement) -> Vec<crate::typed::SymbolId> {
    let list = std::slice::from_ref(statement);
    let mut own: Vec<_> = visit::declared(list).into_iter().collect();
    visit::loops(list, &mut |l| {
        if l.declared_inside {
            own.push(l.induction);
        }
    });
    own
}

/// The statements of a list but those at these places.
fn without(list: &[Statement], places: &[Span]) -> Vec<Statement> {
    let mut kept = Vec::with_capacity(list.len());
    for statement in list.iter().filter(|s| !places.contains(&s.span)) {
        let mut statement = statement.clone();
        visit::blocks_mut(&mut statement, &mut |body| *body = without(body, places));
        kept.push(statement);
    }
    kept
}

/// Adds a barrier, unless one stands there.
fn wait(reason: &str, span: Span, out: &mut Vec<Statement>) {
    if out.last().is_some_and(is_barrier) {
        return;
    }
    out.push(Statement {
        kind: StatementKind::Barrier(Barrier::of_memory(reason)),
        span,
    });
}

fn is_barrier(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Barrier(_))
}
