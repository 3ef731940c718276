//! Updates that each gang of a construct makes.
//!
//! Input: kernels as they were written. Output: a warning for each loop without a directive
//! and whose iterations change what all gangs have, by what it was.
//!
//! ```c
//! #pragma acc parallel num_gangs(32) copy(a[0:n])
//! for (int i = 0; i < n; i++)
//!     a[i] += 1;                     // warned of: 32 gangs add 32, or less where they race
//! ```
//!
//! What is assigned anew in the construct (`sum = 0`) may be the gang's way to begin, and `|=` and
//! `&=` come to the same however often: of these nothing is said.

use std::collections::BTreeSet;

use crate::analysis::effects::Oracle;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{Execution, Kernel, Loop, Module, Passing, Statement, StatementKind, visit};
use crate::passes::parallelisation::contradicted::own;
use crate::typed::print::{C, Printer};
use crate::typed::{BinaryOperator, Expression, ExpressionKind, SymbolId, Unit};

/// Looks at every kernel.
pub fn run(module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &module.kernels {
        let is_redundant = kernel.execution == Execution::Redundant
            && kernel.shape.is_none()
            && kernel.collective.is_none()
            && !kernel.has_one_block();
        if is_redundant {
            let search = Search {
                kernel,
                oracle: &oracle,
                own: own(kernel),
            };
            let mut found = Vec::new();
            search.list(&kernel.body, None, &mut found);
            diagnostics.extend_once(found);
        }
    }
}

struct Search<'k> {
    kernel: &'k Kernel,
    oracle: &'k Oracle<'k>,
    own: BTreeSet<SymbolId>,
}

impl<'k> Search<'k> {
    /// The loops of a list that no directive shares, in `around` if there is one.
    fn list(&self, list: &'k [Statement], around: Option<&'k Loop>, found: &mut Vec<Diagnostic>) {
        for statement in list {
            match &statement.kind {
                StatementKind::Loop(l) if l.schedule.directive => {}
                StatementKind::Loop(l) => {
                    let before = found.len();
                    let outer = around.unwrap_or(l);
                    self.list(&l.body, Some(outer), found);
                    // One for each nest is enough.
                    found.truncate(before + 1);
                }
                StatementKind::Expression(Some(e)) => {
                    if let Some(l) = around
                        && let Some(target) = self.updated(e.inner())
                    {
                        found.push(self.warning(l, target));
                    }
                }
                StatementKind::Block(inner) => self.list(inner, around, found),
                StatementKind::If(_, then, otherwise) => {
                    self.list(then, around, found);
                    otherwise
                        .iter()
                        .for_each(|list| self.list(list, around, found));
                }
                _ => {}
            }
        }
    }

    /// What a statement changes of memory that all gangs share.
    fn updated(&self, e: &'k Expression) -> Option<&'k Expression> {
        let target = update(e)?;
        let root = self.oracle.place(target).symbol()?;
        let capture = self.kernel.capture(root)?;
        let is_shared = capture.passing != Passing::Value && !self.own.contains(&root);
        let mut is_begun = false;
        visit::expressions(&self.kernel.body, &mut |e| {
            is_begun |= self.may_begin(e, root)
        });
        (is_shared && !is_begun).then_some(target)
    }

    /// Whether an expression may give memory a value that does not depend on the one before.
    fn may_begin(&self, e: &Expression, root: SymbolId) -> bool {
        if let ExpressionKind::Call { arguments, .. } = &e.kind {
            let types = &self.oracle.unit().types;
            let mut pointers = arguments.iter().filter(|a| types.is_pointer(a.ty.ty));
            return pointers.any(|argument| argument.mentions(root));
        }
        let assigned = e.assigned().filter(|_| update(e).is_none());
        assigned.is_some_and(|to| self.oracle.place(to).symbol() == Some(root))
    }

    fn warning(&self, l: &Loop, target: &Expression) -> Diagnostic {
        let kernel = self.kernel;
        let level = kernel.words.levels.block;
        let text = Printer::text(self.oracle.unit(), &C, target);
        let message =
            format!("each {level} runs all iterations of this loop, and changes `{text}`");
        let size = kernel.words.sizes.block;
        let mut warning = Diagnostic::warning(codes::REDUNDANT_UPDATE, message, l.header).also(
            kernel.directive,
            format!("starts the {level}s, and no `loop` shares the iterations"),
        );
        if kernel.sizes.block.is_none() {
            warning = warning.note(format!(
                "without `{size}` their number is the compiler's choice, and so is the result"
            ));
        }
        warning
            .help("write `parallel loop`, or `serial` if the iterations have to follow each other")
    }
}

/// What an expression gives a value that depends on its own before, and is another one each time.
fn update(e: &Expression) -> Option<&Expression> {
    use BinaryOperator as B;
    match &e.kind {
        ExpressionKind::Unary(operator, target) if operator.is_step() => Some(target),
        ExpressionKind::CompoundAssign {
            operator: B::Add | B::Subtract | B::Multiply | B::Divide | B::BitXor,
            target,
            ..
        } => Some(target),
        ExpressionKind::Assign(target, value) => {
            let ExpressionKind::Binary(operator, a, b) = &value.inner().kind else {
                return None;
            };
            let is_it = |e: &Expression| e.inner().is_same(target);
            let is_operand = match operator {
                B::Add | B::Multiply => is_it(a) || is_it(b),
                B::Subtract | B::Divide => is_it(a),
                _ => false,
            };
            is_operand.then_some(target)
        }
        _ => None,
    }
}
