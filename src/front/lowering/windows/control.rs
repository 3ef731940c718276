//! Where barriers may stand: every thread of a block reaches each of them, so
//! that a write to a channel is a statement of its own, and no jump or
//! `switch` leads around one.
//!
//! ```c
//! if (x) a[i] = 1;         // a statement: barriers are put around it
//! x && (a[i] = 1);         // inside an expression: an error
//! ```

use std::collections::BTreeSet;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::front::lowering::usage;
use crate::ir::{Statement, StatementKind, Window, WindowProof, visit as walk_ir};
use crate::source::Span;
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, visit as walk_typed};

/// Reports the writes to channels that are no statements of their own.
pub fn channels(windows: &[Window], body: &[Statement], diagnostics: &mut Diagnostics) {
    let channels: Vec<&Window> = windows.iter().filter(|w| w.policy.channel).collect();
    if !channels.is_empty() {
        let mut search = Writes {
            channels: &channels,
            diagnostics,
        };
        search.statements(body);
    }
}

/// What is around a write.
#[derive(Clone, Copy)]
enum Around {
    Expression,
    /// `&&` and the like.
    Branch(&'static str),
    /// The three expressions of a `for`.
    Header,
    /// Of an `if` or a loop.
    Condition,
}

struct Writes<'w> {
    channels: &'w [&'w Window],
    diagnostics: &'w mut Diagnostics,
}

impl Writes<'_> {
    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            match &statement.kind {
                StatementKind::Expression(Some(e)) => self.statement(e),
                // One access with its own barriers, whatever its form.
                StatementKind::Atomic(_) => {}
                StatementKind::For(parts) => {
                    if let Some(first) = &parts.initializer {
                        let mut roots = Vec::new();
                        walk_ir::own_expressions(first, &mut |e| roots.push(e));
                        roots
                            .into_iter()
                            .for_each(|e| self.inside(e, Around::Header));
                    }
                    walk_ir::own_expressions(statement, &mut |e| self.inside(e, Around::Header));
                    self.statements(&parts.body);
                    continue;
                }
                StatementKind::Loop(_) => {
                    walk_ir::own_expressions(statement, &mut |e| self.inside(e, Around::Header));
                }
                StatementKind::If(..)
                | StatementKind::While(..)
                | StatementKind::DoWhile(..)
                | StatementKind::Switch(..) => {
                    walk_ir::own_expressions(statement, &mut |e| {
                        self.inside(e, Around::Condition);
                    });
                }
                _ => walk_ir::own_expressions(statement, &mut |e| {
                    self.inside(e, Around::Expression);
                }),
            }
            walk_ir::blocks(statement, &mut |inner| self.statements(inner));
        }
    }

    /// A statement's whole expression, which may be a write.
    fn statement(&mut self, e: &Expression) {
        match &e.kind {
            ExpressionKind::Parenthesized(inner) => self.statement(inner),
            _ if self.written(e).is_some() => self.operands(e, Around::Expression),
            _ => self.inside(e, Around::Expression),
        }
    }

    /// The channel that an expression itself writes to.
    fn written(&self, e: &Expression) -> Option<&Window> {
        let (symbol, _) = usage::root(e.assigned()?)?;
        self.channels.iter().copied().find(|w| w.array == symbol)
    }

    fn inside(&mut self, e: &Expression, around: Around) {
        if let Some(window) = self.written(e) {
            let problem = misplaced(window, e, around);
            self.diagnostics.push(problem);
        }
        match &e.kind {
            ExpressionKind::Binary(BinaryOperator::LogicalAnd, left, right) => {
                self.inside(left, around);
                self.inside(right, Around::Branch("&&"));
            }
            ExpressionKind::Binary(BinaryOperator::LogicalOr, left, right) => {
                self.inside(left, around);
                self.inside(right, Around::Branch("||"));
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.inside(condition, around);
                for branch in then.iter().chain([otherwise]) {
                    self.inside(branch, Around::Branch("?:"));
                }
            }
            ExpressionKind::Statement(inner) => {
                walk_typed::statement_roots(inner, &mut |e| self.inside(e, Around::Expression));
            }
            _ => self.operands(e, around),
        }
    }

    fn operands(&mut self, e: &Expression, around: Around) {
        walk_typed::operands(e, &mut |operand| self.inside(operand, around));
    }
}

fn misplaced(window: &Window, e: &Expression, around: Around) -> Diagnostic {
    let array = window.text.split('[').next().unwrap_or(&window.text);
    let (place, help) = match around {
        Around::Expression => (
            "inside a larger expression".to_string(),
            "make it a statement of its own, and use the value in the next one",
        ),
        Around::Branch(operator) => (
            format!("under `{operator}`"),
            "write it as a statement under `if`",
        ),
        Around::Header => (
            "in the header of a `for`".to_string(),
            "write it as a statement before the loop, or at the end of its body",
        ),
        Around::Condition => (
            "in a condition".to_string(),
            "write it as a statement before, and test the value",
        ),
    };
    let message = format!("the write to `{array}` stands {place}");
    Diagnostic::error(codes::CHANNEL_WRITE, message, e.span)
        .also(window.span, "each write has a barrier before and after it")
        .help(help)
}

/// The place of an expression that is a write to one of these arrays.
fn write_to(e: &Expression, channels: &[SymbolId]) -> Option<Span> {
    let (symbol, _) = usage::root(e.assigned()?)?;
    channels.contains(&symbol).then_some(e.span)
}

/// Reports `goto` and `switch` around barriers in the body of a parallel
/// loop, or of a kernel.
pub fn jumps(body: &[Statement], diagnostics: &mut Diagnostics) {
    let mut jumps = Jumps {
        channels: Vec::new(),
        diagnostics,
    };
    if jumps.barrier(body).is_some() {
        jumps.list(body);
    }
}

struct Jumps<'j> {
    /// The channels that are open, with barriers around writes.
    channels: Vec<SymbolId>,
    diagnostics: &'j mut Diagnostics,
}

impl Jumps<'_> {
    /// A list of which some statement has a barrier.
    fn list(&mut self, list: &[Statement]) {
        for statement in list {
            let barrier = self.barrier(std::slice::from_ref(statement));
            match (&statement.kind, barrier) {
                (StatementKind::Goto(label), _) => self.jump(label, statement.span, list),
                (_, None) => self.leaving(statement, list),
                (StatementKind::Switch(value, body), Some(barrier)) => {
                    let message = "a barrier stands inside a `switch`";
                    self.diagnostics.push(
                        Diagnostic::error(codes::BARRIER_CONTROL, message, value.span)
                            .also(barrier, "all threads of the block wait here")
                            .help("write the cases as `if` and `else if`"),
                    );
                    self.list(body);
                }
                (StatementKind::Windows(region), Some(_)) => {
                    let depth = self.channels.len();
                    if !region.explicit {
                        let windows = region.windows.iter();
                        let channels = windows.filter(|w| w.policy.channel);
                        self.channels.extend(channels.map(|w| w.array));
                    }
                    self.list(&region.body);
                    self.channels.truncate(depth);
                }
                _ => walk_ir::blocks(statement, &mut |inner| self.list(inner)),
            }
        }
    }

    /// Jumps out of a statement that itself has no barrier.
    fn leaving(&mut self, statement: &Statement, around: &[Statement]) {
        let mut labels = BTreeSet::new();
        let mut jumps: Vec<(&str, Span)> = Vec::new();
        walk_ir::walk(std::slice::from_ref(statement), &mut |s| match &s.kind {
            StatementKind::Label(label) => {
                labels.insert(label.as_str());
            }
            StatementKind::Goto(label) => jumps.push((label, s.span)),
            _ => {}
        });
        for (label, span) in jumps {
            if !labels.contains(label) {
                self.jump(label, span, around);
            }
        }
    }

    fn jump(&mut self, label: &str, span: Span, around: &[Statement]) {
        let message = format!("`goto {label}` may lead around a barrier");
        let diagnostic = Diagnostic::error(codes::BARRIER_CONTROL, message, span)
            .help("use `if`, `while`, `break` or `continue`: they let all threads reach it");
        self.diagnostics.push(match self.barrier(around) {
            Some(barrier) => diagnostic.also(barrier, "all threads of the block wait here"),
            None => diagnostic,
        });
    }

    /// The first barrier in a list, if any: of a region, asked for, or around
    /// a write to a channel.
    fn barrier(&self, list: &[Statement]) -> Option<Span> {
        let mut found = None;
        let mut channels = self.channels.clone();
        walk_ir::walk(list, &mut |statement| {
            let here = match &statement.kind {
                StatementKind::Windows(region) => {
                    channels.extend(region.windows.iter().map(|w| w.array));
                    let mut windows = region.windows.iter();
                    let trusted = windows.find(|w| w.proof == WindowProof::Trusted);
                    trusted.map(|w| w.span)
                }
                StatementKind::Barrier(_) => Some(statement.span),
                StatementKind::Expression(Some(e)) => write_to(e, &channels),
                StatementKind::Atomic(atomic) => {
                    let mut write = None;
                    for step in &atomic.steps {
                        walk_typed::walk(step, &mut |e| {
                            write = write.or(write_to(e, &channels));
                        });
                    }
                    write
                }
                _ => None,
            };
            found = found.or(here);
        });
        found
    }
}

/// Windows that are filled, and used where no barrier is since for certain, with the uses.
pub fn unmet(list: &[Statement]) -> Vec<(&Window, Span)> {
    let mut found = Vec::new();
    walk_ir::walk(list, &mut |statement| {
        let StatementKind::Windows(region) = &statement.kind else {
            return;
        };
        for window in region.windows.iter().filter(|w| w.policy.fetch) {
            found.extend(
                first_use(&region.body, window.array)
                    .err()
                    .map(|at| (window, at)),
            );
        }
    });
    found
}

/// Where a list uses an array before it comes to a barrier for certain: `Ok(true)` if it comes to
/// one, or may.
fn first_use(list: &[Statement], array: SymbolId) -> Result<bool, Span> {
    for statement in list {
        let alone = std::slice::from_ref(statement);
        let meets = match &statement.kind {
            StatementKind::Barrier(_) => true,
            StatementKind::Windows(region) => first_use(&region.body, array)?,
            StatementKind::Block(body) => first_use(body, array)?,
            _ if walk_ir::any(alone, &mut |s| matches!(s.kind, StatementKind::Barrier(_))) => true,
            _ => {
                let mut used = None;
                walk_ir::expressions(alone, &mut |e| {
                    used = used.or((e.as_symbol() == Some(array)).then_some(e.span));
                });
                used.map_or(Ok(false), Err)?
            }
        };
        if meets {
            return Ok(true);
        }
    }
    Ok(false)
}
