//! `atomic` (OpenACC 3.3, section 2.12).
//!
//! Input: the directive with its statement. Output: an [`ir::Atomic`] whose
//! access is of the form that the clause asks for, on an object that a device
//! can change at once.

use super::body::Body;
use super::check::{self, Checked};
use super::clauses::contradiction;
use super::reductions::{Element, object_text};
use super::table::ClauseKind;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{self, AtomicAccess, AtomicAction, AtomicForm, ReductionOperator};
use crate::source::Span;
use crate::typed::library::NO_ATOMIC_EXTREME;
use crate::typed::{BinaryOperator, visit};
use crate::typed::{Expression, ExpressionKind, Statement, StatementKind, Type};

impl Body<'_> {
    /// Lowers the statement of an `atomic` directive.
    pub(super) fn atomic(
        &mut self,
        checked: &Checked,
        body: Option<&Statement>,
    ) -> Option<ir::Statement> {
        let form = form(checked, self.diagnostics);
        let Some(statement) = body else {
            self.malformed(
                checked,
                form,
                None,
                "no statement follows",
                checked.directive.span,
            );
            return None;
        };
        let mut steps = Vec::new();
        if let Err(span) = expressions(statement, &mut steps) {
            self.malformed(checked, form, body, "this is no expression statement", span);
            return None;
        }
        if steps.iter().any(check::is_error) {
            return None;
        }
        let atomic = ir::Atomic { form, steps };
        match atomic.access() {
            Err(problem) => {
                self.malformed(checked, form, body, problem.message, problem.span);
                return None;
            }
            Ok(access) => {
                if let Some(problem) = self.unfit(&access) {
                    self.diagnostics.push(
                        problem.also(check::name_span(&checked.directive), "this asks for it"),
                    );
                    return None;
                }
            }
        }
        Some(ir::Statement {
            kind: ir::StatementKind::Atomic(Box::new(atomic)),
            span: statement.span,
        })
    }

    /// An expression statement; one that updates an element which a loop
    /// around reduces is atomic, and no other may use it there.
    pub(super) fn reducing(&mut self, e: &Expression) -> ir::StatementKind {
        let is_one = |e: &Expression, element: &Element| object_text(self.unit, e) == element.text;
        let plain = ir::StatementKind::Expression(Some(e.clone()));
        let mut elements = self.elements.iter();
        let Some(element) = elements.find(|one| visit::any(e, &mut |e| is_one(e, one))) else {
            return plain;
        };
        let atomic = ir::Atomic {
            form: AtomicForm::Update,
            steps: vec![e.clone()],
        };
        let updates = atomic.access().is_ok_and(|access| {
            let AtomicAction::Step(step) = access.action else {
                return false;
            };
            let again = step
                .value
                .is_some_and(|v| visit::any(v, &mut |e| is_one(e, element)));
            is_one(access.target, element)
                && !again
                && !step.reversed
                && combines(element.operator, step.operator)
        });
        if updates {
            return ir::StatementKind::Atomic(Box::new(atomic));
        }
        let what = format!(
            "another use of `{}` in the loop that reduces it",
            element.text
        );
        self.diagnostics.push(
            check::not_yet(what, e.span)
                .help("reduce a scalar, and add that to the element after the loop"),
        );
        plain
    }

    fn malformed(
        &mut self,
        checked: &Checked,
        form: AtomicForm,
        body: Option<&Statement>,
        what: &str,
        span: Span,
    ) {
        // Which form is meant may be what a clause with an error says.
        if checked.has_errors {
            return;
        }
        let other = body
            .filter(|_| form == AtomicForm::Update)
            .and_then(other_way);
        let help = match form {
            _ if other.is_some() => other.unwrap_or_default(),
            AtomicForm::Read => "write `v = x;`",
            AtomicForm::Write => "write `x = expression;`",
            AtomicForm::Update => {
                "write `x++;`, `x += expression;`, `x = x + (expression);` or \
                 `x = (expression) + x;`, with one of `+ - * / & | ^ << >>`"
            }
            AtomicForm::Capture => {
                "write `v = x++;`, `v = x += expression;`, or a block of two statements: \
                 `{ v = x; x += expression; }`, `{ x += expression; v = x; }` or \
                 `{ v = x; x = expression; }`"
            }
        };
        let message = format!(
            "no statement of the form that `atomic {}` takes",
            form.name()
        );
        self.diagnostics.push(
            Diagnostic::error(codes::ATOMIC_FORM, message, span)
                .label(what)
                .also(check::name_span(&checked.directive), "")
                .help(help),
        );
    }

    /// Why an object cannot be changed at once.
    fn unfit(&self, access: &AtomicAccess<'_>) -> Option<Diagnostic> {
        let target = access.target;
        let types = &self.unit.types;
        let error = |what: &str, help: &str| {
            let message = format!("{what} cannot be accessed atomically");
            Some(Diagnostic::error(codes::ATOMIC_OBJECT, message, target.span).help(help))
        };
        if let ExpressionKind::Member { record, member, .. } = &target.inner().kind {
            let members = types.record(*record).members.as_ref();
            let is_bit_field = members
                .and_then(|list| list.get(*member))
                .is_some_and(|m| m.bit_field.is_some());
            if is_bit_field {
                return error("a bit-field", "make it a member of its own");
            }
        }
        match types.get(target.ty.ty) {
            Type::Complex(_) if adds_up(access) => None,
            Type::Complex(_) => error(
                "a complex number",
                "access its parts, each on its own: `__real__ x` and `__imag__ x`",
            ),
            _ if types.is_scalar(target.ty.ty) => None,
            _ => error(
                "an object that is no scalar",
                "access its members or elements, each on its own",
            ),
        }
    }
}

/// Whether an access adds to an object and looks at nothing: the parts of a
/// complex number do not depend on each other then.
fn adds_up(access: &AtomicAccess<'_>) -> bool {
    let AtomicAction::Step(step) = access.action else {
        return false;
    };
    let is_sum = match step.operator {
        BinaryOperator::Add => true,
        BinaryOperator::Subtract => !step.reversed,
        _ => false,
    };
    is_sum && access.capture.is_none()
}

/// Whether steps with an operator are what a reduction adds up.
fn combines(reduction: ReductionOperator, step: BinaryOperator) -> bool {
    use BinaryOperator as B;
    match reduction {
        ReductionOperator::Sum => matches!(step, B::Add | B::Subtract),
        ReductionOperator::BitAnd => step == B::BitAnd,
        ReductionOperator::BitOr => step == B::BitOr,
        ReductionOperator::BitXor => step == B::BitXor,
        _ => false,
    }
}

/// The form that the clauses ask for; one of them at most is given.
fn form(checked: &Checked, diagnostics: &mut Diagnostics) -> AtomicForm {
    if let [first, second, ..] = checked.clauses.as_slice() {
        diagnostics.push(contradiction(first, second));
    }
    match checked.clauses.first().map(|clause| clause.kind) {
        Some(ClauseKind::AtomicRead) => AtomicForm::Read,
        Some(ClauseKind::AtomicWrite) => AtomicForm::Write,
        Some(ClauseKind::AtomicCapture) => AtomicForm::Capture,
        _ => AtomicForm::Update,
    }
}

/// What to write in place of an update that is none: an assignment alone, or a search for the largest.
fn other_way(statement: &Statement) -> Option<&'static str> {
    match &statement.kind {
        StatementKind::Compound(list) => match list.as_slice() {
            [only] => other_way(only),
            _ => None,
        },
        StatementKind::If(condition, then, None) => {
            let StatementKind::Expression(Some(e)) = &then.kind else {
                return None;
            };
            let target = e.assigned()?;
            visit::any(condition, &mut |part| part.is_same(target)).then_some(NO_ATOMIC_EXTREME)
        }
        StatementKind::Expression(Some(e)) => {
            let ExpressionKind::Assign(target, value) = &e.inner().kind else {
                return None;
            };
            let is_used = visit::any(value, &mut |part| part.is_same(target));
            let is_choice = matches!(
                value.without_conversions().inner().kind,
                ExpressionKind::Call { .. } | ExpressionKind::Conditional(..)
            );
            match (is_used, is_choice) {
                (false, _) => Some(
                    "write `#pragma acc atomic write` before an assignment, `x += expression;` to add to \
                     what is there",
                ),
                (true, true) => Some(NO_ATOMIC_EXTREME),
                (true, false) => None,
            }
        }
        _ => None,
    }
}

/// The expression statements of a statement or block; the place of what is
/// none.
fn expressions(statement: &Statement, steps: &mut Vec<Expression>) -> Result<(), Span> {
    match &statement.kind {
        StatementKind::Expression(Some(e)) => steps.push(e.clone()),
        StatementKind::Expression(None) => {}
        StatementKind::Compound(list) => {
            for inner in list {
                expressions(inner, steps)?;
            }
        }
        _ => return Err(statement.span),
    }
    Ok(())
}
