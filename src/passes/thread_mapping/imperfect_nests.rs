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

use indexmap::IndexSet;

use super::tiled::{Refusal, Role, Step};
use crate::analysis::effects::{Effects, Oracle, Place};
use crate::analysis::scope::Scope;
use crate::ir::numbered::Numbered;
use crate::ir::{Barrier, Distribution, Level, Loop, PerLevel, Statement, StatementKind, visit};
use crate::source::Span;

/// The nest that code lies in.
pub struct Between<'a> {
    pub scope: &'a Scope,
    pub oracle: &'a Oracle<'a>,
    /// Its loops, outer ones first, and who shares them.
    pub steps: &'a [Step],
    pub distributions: Vec<Distribution>,
    /// The grid is one block.
    pub has_one_block: bool,
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
        let list = std::slice::from_ref(statement);
        visit::any_loop(list, &mut |l| self.is_innermost(l))
    }

    /// Whether one block has all iterations of the loops that its threads
    /// share, so that one thread of it can do what is to be done once.
    pub fn is_of_one_block(&self) -> bool {
        let mut has_blocks = self.has_one_block;
        for (step, distribution) in self.steps.iter().zip(&self.distributions) {
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
            let effects = self.oracle.statement(statement);
            if !self.leads_in(statement) {
                if self.is_private(&effects) {
                    continue;
                }
                if blocks > 0 || !self.is_of_one_block() {
                    return Err(self.repeated(statement.span, blocks));
                }
                self.only_memory(statement, &effects)?;
                continue;
            }
            let mut has_effect = false;
            visit::own_expressions(statement, &mut |e| {
                has_effect |= !self.is_private(&self.oracle.expression(e));
            });
            if has_effect {
                return Err(Refusal::new(
                    "the header of a loop around windows has an effect",
                    statement.span,
                    "each thread of the block would have it: move it into a statement of its \
                     own",
                ));
            }
            let inside = match self.step(statement).map(|step| step.role) {
                Some(Role::Threads) => {
                    self.inside_threads(statement)?;
                    continue;
                }
                Some(Role::Blocks) => blocks - 1,
                _ => blocks,
            };
            for body in visit::lists(statement) {
                self.list(body, inside)?;
            }
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
        for inner in visit::lists(statement).into_iter().flatten() {
            if self.leads_in(inner) {
                self.inside_threads(inner)?;
            } else if !self.is_private(&self.oracle.statement(inner)) {
                return Err(Refusal::new(
                    "this code between the loops of a nest with windows has an effect",
                    inner.span,
                    "the threads that share the loops inside would each have it: move it into \
                     the innermost parallel loop, or into a construct of its own",
                ));
            }
        }
        Ok(())
    }

    fn repeated(&self, span: Span, blocks: usize) -> Refusal {
        let message = "this code between the loops of a nest with windows has an effect";
        let has_blocks = self.steps.iter().any(|step| step.role == Role::Blocks);
        let PerLevel { block, lane, .. } = self.scope.words.levels;
        Refusal::new(
            message,
            span,
            if blocks > 0 {
                format!(
                    "several blocks would have it: move it into the innermost `{block}` loop, or \
                     into a construct of its own"
                )
            } else if has_blocks {
                format!(
                    "several blocks share the iterations of the loops inside: put `{block}` on \
                     the outer loop alone and `{lane}` on the inner one, or move it into a \
                     construct of its own"
                )
            } else {
                format!(
                    "each thread of the block would have it: put `{block}` on the loop around it \
                     and `{lane}` on the inner one, or move it into the innermost parallel loop"
                )
            },
        )
    }

    /// One thread does what a statement does, so that the others would miss
    /// what it does to their variables.
    fn only_memory(&self, statement: &Statement, effects: &Effects) -> Result<(), Refusal> {
        let own = match statement.kind {
            StatementKind::Declaration(_) => Vec::new(),
            _ => visit::own_variables(std::slice::from_ref(statement)),
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
    pub fn rewrite(&self, body: &mut Vec<Statement>) {
        if !self.is_of_one_block() {
            return;
        }
        let whole = std::mem::take(body);
        let numbered = Numbered::all(&whole);
        let mut others = Vec::new();
        self.all_do(&numbered, &mut others);
        *body = self.rewritten(&numbered, &others, false);
    }

    /// What all threads do, statement by statement and header by header: what
    /// one of them does has barriers of its own.
    fn all_do<'k>(&self, list: &[Numbered<'k>], found: &mut Vec<(usize, Effects)>) {
        for statement in list {
            if self.is_shared(statement.statement) || !self.leads_in(statement.statement) {
                let effects = self.oracle.statement(statement.statement);
                if self.is_shared(statement.statement) || self.is_private(&effects) {
                    found.push((statement.number, effects));
                }
                continue;
            }
            visit::own_expressions(statement.statement, &mut |e| {
                found.push((statement.number, self.oracle.expression(e)));
            });
            let blocks = statement.blocks.iter();
            blocks.for_each(|inner| self.all_do(inner, found));
        }
    }

    /// Whether the threads of a block share a statement's iterations.
    fn is_shared(&self, statement: &Statement) -> bool {
        let step = self.step(statement);
        step.is_some_and(|step| step.role == Role::Threads)
    }

    /// `repeats`: the list may run several times in an iteration of the loops
    /// over blocks.
    fn rewritten(
        &self,
        list: &[Numbered],
        others: &[(usize, Effects)],
        repeats: bool,
    ) -> Vec<Statement> {
        let mut out: Vec<Statement> = Vec::with_capacity(list.len());
        let mut once: Vec<Statement> = Vec::new();
        for numbered in list {
            let statement = numbered.statement;
            let leads_in = self.leads_in(statement);
            if !leads_in && !self.is_private(&self.oracle.statement(statement)) {
                once.push(statement.clone());
                continue;
            }
            self.done_once(std::mem::take(&mut once), others, &mut out);
            if self.is_shared(statement) {
                // All wait at its end. Where nothing needs that, the pass
                // `barrier_legalisation` finds out.
                let rest = others.iter();
                let rest = rest.filter(|(number, _)| repeats || *number != numbered.number);
                let effects = self.oracle.statement(statement);
                let meeting = self.meeting(&effects, rest);
                let meets = effects.impure || !meeting.is_empty();
                let is_written = |place: &Place| effects.writes.contains(place);
                let (written, read): (Vec<Place>, Vec<Place>) =
                    meeting.into_iter().partition(is_written);
                let [before, after] = match (self.names(&written), self.names(&read)) {
                    (Some(names), _) => [
                        format!("all have read {names}"),
                        format!("writes of {names} visible to the block"),
                    ],
                    (None, Some(names)) => [
                        format!("writes of {names} visible to the block"),
                        format!("all have read {names}"),
                    ],
                    (None, None) => [
                        "all have read what the loop changes".to_owned(),
                        "the loop's writes visible to the block".to_owned(),
                    ],
                };
                if meets {
                    wait(&before, statement.span, &mut out);
                }
                out.push(statement.clone());
                if meets {
                    wait(&after, statement.span, &mut out);
                }
                continue;
            }
            let mut statement = statement.clone();
            if leads_in {
                let is_blocks = self
                    .step(&statement)
                    .is_some_and(|s| s.role == Role::Blocks);
                let mut inner = numbered.inner().iter();
                visit::blocks_mut(&mut statement, &mut |body| {
                    let list = inner.next().expect("a list for each block");
                    *body = self.rewritten(list, others, repeats || !is_blocks);
                });
            }
            out.push(statement);
        }
        self.done_once(once, others, &mut out);
        out
    }

    /// What one thread does.
    fn done_once(
        &self,
        once: Vec<Statement>,
        others: &[(usize, Effects)],
        out: &mut Vec<Statement>,
    ) {
        let (Some(first), Some(last)) = (once.first(), once.last()) else {
            return;
        };
        let (span, end) = (first.span, last.span);
        let effects = self.oracle.list(&once);
        let meeting = self.meeting(&effects, others.iter());
        let meets = effects.impure || !meeting.is_empty();
        if meets {
            let names = self.names(&meeting);
            let what = names.unwrap_or_else(|| "what all have done".to_owned());
            wait(&format!("one thread goes on with {what}"), span, out);
        }
        let single = StatementKind::Single {
            level: Level::Block,
            body: once,
            broadcast: Vec::new(),
        };
        out.push(single.at(span));
        if meets {
            let is_written = |place: &Place| effects.writes.contains(place);
            let written: Vec<Place> = meeting.into_iter().filter(is_written).collect();
            let names = self.names(&written);
            let what = names.unwrap_or_else(|| "what one has done".to_owned());
            wait(&format!("all threads see {what}"), end, out);
        }
    }

    /// What some code accesses that the rest does, where one of the two writes it.
    fn meeting<'e>(
        &self,
        effects: &Effects,
        rest: impl Iterator<Item = &'e (usize, Effects)>,
    ) -> Vec<Place> {
        let alike = |a: &Place, b: &Place| {
            !self.scope.is_private(*a) && !self.scope.is_private(*b) && self.scope.may_alias(*a, *b)
        };
        let mut found = Vec::new();
        for (_, other) in rest {
            let is_used = |place: &&Place| {
                let mut others = other.reads.iter().chain(&other.writes);
                others.any(|one| alike(place, one))
            };
            let is_changed = |place: &&Place| other.writes.iter().any(|one| alike(place, one));
            found.extend(effects.writes.iter().filter(is_used));
            found.extend(effects.reads.iter().filter(is_changed));
        }
        found
    }

    /// The names of places, each once; none if there are none.
    fn names(&self, places: &[Place]) -> Option<String> {
        let name = |place: &Place| match place.symbol() {
            Some(symbol) => format!("`{}`", self.oracle.unit().symbol(symbol).name),
            None => "memory behind a pointer".to_owned(),
        };
        let names: IndexSet<String> = places.iter().map(name).collect();
        let names: Vec<String> = names.into_iter().collect();
        (!names.is_empty()).then(|| names.join(", "))
    }
}

/// Adds a barrier, unless one stands there.
fn wait(reason: &str, span: Span, out: &mut Vec<Statement>) {
    let last = out.last().map(|statement| &statement.kind);
    if !matches!(last, Some(StatementKind::Barrier(_))) {
        out.push(StatementKind::Barrier(Barrier::of_memory(reason)).at(span));
    }
}
