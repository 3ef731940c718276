//! Clauses of reductions, and of private variables, that do not fit what their loops do.
//!
//! Input: loops with clauses. Output: a warning where each copy of the variable is combined in
//! another way than the iterations update it, so that the result is not that of the serial loop.
//!
//! ```c
//! #pragma acc parallel loop reduction(*:s)
//! for (int i = 0; i < n; i++)
//!     s += a[i];                    // warned of: the clause multiplies the sums
//! ```
//!
//! Where a counter says where iterations write (`b[k++] = a[i]`), no operator serves. Else all
//! assignments to the variable have to be updates with one operator. Sums, products, maxima and minima
//! are compared; of truth values, any of several clauses may serve.

use std::collections::BTreeSet;

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::recognition::Updates;
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    Execution, Kernel, Loop, Module, Passing, Reduction, ReductionOperator, Statement,
    StatementKind, visit,
};
use crate::passes::parallelisation::contradicted::own;
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::{
    self, BinaryOperator, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit, constant,
};

const SEQUENTIAL: &str = "iterations that need the result of those before have to follow each other: \
                          write `seq` on the loop, and no `reduction`";

/// Looks at every clause.
pub fn run(module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    let oracle = Oracle::new(unit, &module.functions);
    for kernel in &module.kernels {
        if kernel.shape.is_some() || kernel.execution == Execution::Serial {
            continue;
        }
        let search = Search {
            kernel,
            oracle: &oracle,
            unit,
            own: own(kernel),
        };
        let mut found = Vec::new();
        visit::loops(&kernel.body, &mut |l| {
            let schedule = &l.schedule;
            if schedule.directive && !schedule.sequential && !schedule.auto {
                found.extend(search.of_clauses(l));
                found.extend(search.of_privates(l));
                found.extend(search.unwritten(&l.privates, &l.body));
                found.extend(search.of_pointers(&l.privates, &l.body));
            }
        });
        found.extend(search.of_pointers(&kernel.privates, &kernel.body));
        found.extend(search.unwritten(&kernel.privates, &kernel.body));
        diagnostics.extend_once(found);
    }
}

struct Search<'k> {
    kernel: &'k Kernel,
    oracle: &'k Oracle<'k>,
    unit: &'k Unit,
    own: BTreeSet<SymbolId>,
}

impl Search<'_> {
    /// What is wrong with the reductions of a shared loop and of its construct.
    fn of_clauses(&self, l: &Loop) -> Vec<Diagnostic> {
        let body = &l.body;
        let reductions = l.reductions.iter().chain(&self.kernel.reductions);
        let scalars = reductions.filter(|reduction| {
            let symbol = reduction.symbol;
            let is_hidden = visit::any_loop(body, &mut |l| {
                l.privates.contains(&symbol) || l.induction == symbol
            });
            reduction.part.is_none() && self.unit.types.is_arithmetic(reduction.ty) && !is_hidden
        });
        let found = scalars.filter_map(|reduction| {
            let own = self.place(reduction, body);
            let own = own.or_else(|| self.operator(reduction, body));
            let own = own.or_else(|| self.scaled(reduction, body));
            let own = own.or_else(|| self.reassigned(reduction, body));
            let own = own.or_else(|| self.partial(reduction, body));
            own.or_else(|| self.companion(reduction, body))
        });
        found.collect()
    }

    /// What a counter has so far says where something is written.
    fn place(&self, reduction: &Reduction, body: &[Statement]) -> Option<Diagnostic> {
        let symbol = reduction.symbol;
        self.updated_by(symbol, body)
            .filter(|operator| *operator == ReductionOperator::Sum)?;
        let mut found = None;
        visit::expressions(body, &mut |e| {
            let target = e.assigned().filter(|to| self.is_memory(to));
            if let Some(target) = target.filter(|to| to.mentions(symbol)) {
                found.get_or_insert(target);
            }
        });
        let target = found?;
        let name = &self.unit.symbol(symbol).name;
        let place = Printer::text(self.unit, &C, target);
        let message = format!("the place `{place}` depends on what `{name}` is amid the reduction");
        let warning = self.warning(message, target.span, reduction);
        Some(warning.help(format!(
            "write `copy({name})` in place of `reduction`, and `#pragma acc atomic capture` before an \
             assignment such as `p = {name}++`, which gives each iteration a place of its own"
        )))
    }

    /// The clause has another operator than the updates.
    fn operator(&self, reduction: &Reduction, body: &[Statement]) -> Option<Diagnostic> {
        let found = self.updated_by(reduction.symbol, body)?;
        let (asked, done) = (kind(reduction.operator)?, kind(found)?);
        let name = &self.unit.symbol(reduction.symbol).name;
        let (clause, right) = (reduction.operator.spelling(), found.spelling());
        let message = format!(
            "the loop updates `{name}` by `{right}`, and the clause combines by `{clause}`"
        );
        (asked != done).then(|| {
            let at = assignment(body, reduction.symbol).unwrap_or(reduction.span);
            self.warning(message, at, reduction)
                .help(format!("write `reduction({right}:{name})`"))
        })
    }

    /// The operator that all assignments to a variable update it by.
    fn updated_by(&self, symbol: SymbolId, body: &[Statement]) -> Option<ReductionOperator> {
        if let Some(meant) = Updates::of(body).meant(symbol, self.unit) {
            return Some(meant.operator);
        }
        let mut found = Vec::new();
        visit::expressions(body, &mut |e| {
            if e.assigned()
                .is_some_and(|to| to.as_symbol() == Some(symbol))
            {
                found.push(update(e, symbol));
            }
        });
        let first = (*found.first()?)?;
        found.iter().all(|one| *one == Some(first)).then_some(first)
    }

    /// The value before is multiplied, and the clause adds up.
    fn scaled(&self, reduction: &Reduction, body: &[Statement]) -> Option<Diagnostic> {
        let symbol = reduction.symbol;
        let mut values = Vec::new();
        visit::expressions(body, &mut |e| {
            if e.assigned()
                .is_some_and(|to| to.as_symbol() == Some(symbol))
            {
                values.push(e);
            }
        });
        let [only] = values[..] else { return None };
        let ExpressionKind::Assign(_, value) = &only.kind else {
            return None;
        };
        let mut mentions = 0;
        typed::visit::symbols(value, &mut |s| mentions += usize::from(s == symbol));
        let adds_up = reduction.operator == ReductionOperator::Sum;
        if mentions != 1 || !adds_up || !is_scaled(self.unit, value, symbol) {
            return None;
        }
        let name = &self.unit.symbol(symbol).name;
        let message = format!("what `{name}` was is multiplied here, and the clause adds up");
        let warning = self.warning(message, only.span, reduction);
        Some(warning.help(SEQUENTIAL))
    }

    /// The value before is lost, or subtracted from another one, and the clause adds up or multiplies.
    fn reassigned(&self, reduction: &Reduction, body: &[Statement]) -> Option<Diagnostic> {
        let symbol = reduction.symbol;
        let is_of_all = matches!(
            reduction.operator,
            ReductionOperator::Sum | ReductionOperator::Product
        );
        let (mut found, mut uses, mut of_assignments) = (None, 0, 0);
        visit::expressions(body, &mut |e| {
            uses += usize::from(e.as_symbol() == Some(symbol));
            if e.assigned().is_none_or(|to| to.as_symbol() != Some(symbol)) {
                return;
            }
            typed::visit::symbols(e, &mut |s| of_assignments += usize::from(s == symbol));
            if let ExpressionKind::Assign(_, value) = &e.kind
                && (!value.mentions(symbol) || is_subtracted(value, symbol))
            {
                found = found.or(Some((e.span, value.mentions(symbol))));
            }
        });
        // What another variable holds of it may come back.
        let (at, is_used) = found.filter(|_| is_of_all && uses <= of_assignments)?;
        let name = &self.unit.symbol(symbol).name;
        let does = match reduction.operator {
            ReductionOperator::Product => "multiplies what threads have",
            _ => "adds up what threads have",
        };
        let message = match is_used {
            true => format!("what `{name}` was is subtracted here, and the clause {does}"),
            false => format!("what `{name}` was is lost here, and the clause {does}"),
        };
        let warning = self.warning(message, at, reduction);
        Some(warning.help(match is_used {
            true => SEQUENTIAL.to_owned(),
            false => format!(
                "write `private({name})` in place of `reduction` if each iteration has its own; if the last \
                 iteration's value is meant, write `seq` on the loop"
            ),
        }))
    }

    /// What a sum has so far decides what is written.
    fn partial(&self, reduction: &Reduction, body: &[Statement]) -> Option<Diagnostic> {
        let symbol = reduction.symbol;
        let operator = self.updated_by(symbol, body)?;
        let is_of_all = matches!(
            operator,
            ReductionOperator::Sum | ReductionOperator::Product
        );
        if !is_of_all || operator != reduction.operator {
            return None;
        }
        let mut found = None;
        visit::walk_around(body, &mut |statement, around| {
            let StatementKind::Expression(Some(e)) = &statement.kind else {
                return;
            };
            if !around.is_bare {
                return;
            }
            let Some(target) = e.inner().assigned().filter(|to| self.is_memory(to)) else {
                return;
            };
            let mut read = None;
            typed::visit::walk(e, &mut |part| {
                if part.as_symbol() == Some(symbol) {
                    read = Some(part.span);
                }
            });
            if let (None, Some(at)) = (&found, read) {
                found = Some((at, Printer::text(self.unit, &C, target)));
            }
        });
        let (at, target) = found?;
        let name = &self.unit.symbol(symbol).name;
        let message = format!("`{target}` depends on what `{name}` is amid the reduction");
        let warning = self.warning(message, at, reduction);
        Some(warning.help(format!(
            "`{name}` has its value behind the loop; iterations that need what is before have to \
             follow each other: write `seq` on the loop, and no `reduction`"
        )))
    }

    /// What a maximum is so far decides whether another variable is written, whose value then belongs to
    /// the maximum of one thread.
    fn companion(&self, reduction: &Reduction, body: &[Statement]) -> Option<Diagnostic> {
        let symbol = reduction.symbol;
        kind(reduction.operator)
            .filter(|kind| matches!(kind, ReductionOperator::Max | ReductionOperator::Min))?;
        let mut found = None;
        visit::walk(body, &mut |statement| {
            let StatementKind::If(condition, then, None) = &statement.kind else {
                return;
            };
            let changes = |e: &Expression| {
                e.assigned()
                    .is_some_and(|to| to.as_symbol() == Some(symbol))
            };
            let mut is_kept = false;
            visit::expressions(then, &mut |e| is_kept |= changes(e));
            if !condition.mentions(symbol) || !is_kept {
                return;
            }
            visit::expressions(then, &mut |e| {
                if let ExpressionKind::Assign(to, value) = &e.kind
                    && let Some(other) = to.as_symbol().filter(|other| *other != symbol)
                    && self.is_kept(other)
                    && constant::evaluate(self.unit, value).is_none()
                {
                    found.get_or_insert((other, e.span));
                }
            });
        });
        let (other, at) = found?;
        let (name, other) = (
            &self.unit.symbol(symbol).name,
            &self.unit.symbol(other).name,
        );
        let message = format!("`{other}` depends on what `{name}` is amid the reduction");
        let warning = self.warning(message, at, reduction);
        Some(warning.help(format!(
            "find `{name}` first, without `{other}`; then, in a second loop, `{other}` with \
             `reduction(min:{other})` where the value is `{name}`"
        )))
    }

    /// Whether a variable has a value behind the construct that iterations have written.
    fn is_kept(&self, symbol: SymbolId) -> bool {
        let is_reduced = |list: &[Reduction]| list.iter().any(|one| one.symbol == symbol);
        let is_shared = self.kernel.capture(symbol).is_some_and(|capture| {
            capture.passing == Passing::Reference && !self.own.contains(&symbol)
        });
        let mut is_result = is_shared || is_reduced(&self.kernel.reductions);
        visit::loops(&self.kernel.body, &mut |l| {
            is_result |= is_reduced(&l.reductions)
        });
        is_result
    }

    /// Whether an lvalue is an element of an array from outside.
    fn is_memory(&self, target: &Expression) -> bool {
        let root = self.oracle.place(target).symbol();
        let is_shared = root
            .is_some_and(|root| self.kernel.capture(root).is_some() && !self.own.contains(&root));
        is_shared && target.inner().as_symbol().is_none()
    }

    /// Private variables of a loop that its iterations only update: each copy has no value before.
    fn of_privates(&self, l: &Loop) -> Vec<Diagnostic> {
        let updates = Updates::of(&l.body);
        let scalars = l.privates.iter().filter(|s| {
            **s != l.induction && self.unit.types.is_arithmetic(self.unit.symbol(**s).ty.ty)
        });
        let found = scalars.filter_map(|symbol| {
            let operator = kind(updates.meant(*symbol, self.unit)?.operator)?;
            let at = assignment(&l.body, *symbol)?;
            let name = &self.unit.symbol(*symbol).name;
            let message =
                format!("each iteration has a `{name}` of its own, which has no value here");
            let warning = Diagnostic::warning(codes::REDUCTION_MISFIT, message, at);
            Some(
                warning
                    .label(format!("reads the private `{name}`"))
                    .help(format!(
                        "write `reduction({}:{name})` in place of `private`",
                        operator.spelling()
                    )),
            )
        });
        found.collect()
    }

    /// Private variables that code reads and nothing in it writes.
    fn unwritten(&self, privates: &[SymbolId], body: &[Statement]) -> Vec<Diagnostic> {
        let effects = self.oracle.list(body);
        let arrays = &self.kernel.private_arrays;
        let is_copied = |symbol| (arrays.iter()).any(|a| a.symbol == symbol && a.copied);
        let is_only_read = |symbol: &&SymbolId| {
            let places = [Place::Variable(**symbol), Place::Target(**symbol)];
            let is_written = places.iter().any(|place| effects.writes.contains(place))
                || effects.writes.contains(&Place::Unknown)
                || effects.escapes.contains(*symbol);
            places.iter().any(|place| effects.reads.contains(place)) && !is_written
        };
        let unwritten = privates.iter().filter(is_only_read);
        let unwritten = unwritten.filter(|symbol| !is_copied(**symbol));
        let found = unwritten.filter_map(|symbol| {
            let mut at = None;
            visit::expressions(body, &mut |e| {
                at = at.or((e.as_symbol() == Some(*symbol)).then_some(e.span));
            });
            let name = &self.unit.symbol(*symbol).name;
            let message = format!("`{name}` is private, and has no value here");
            Some(
                Diagnostic::warning(codes::REDUCTION_MISFIT, message, at?)
                    .label("nothing is assigned to it in the loop")
                    .help(format!(
                        "name `{name}` in `firstprivate` of the construct, or in no clause if it is a scalar"
                    )),
            )
        });
        found.collect()
    }

    /// Private pointers that lead nowhere where iterations follow them.
    fn of_pointers(&self, privates: &[SymbolId], body: &[Statement]) -> Vec<Diagnostic> {
        let arrays = &self.kernel.private_arrays;
        let is_bare = |symbol: &&SymbolId| {
            self.unit.types.is_pointer(self.unit.symbol(**symbol).ty.ty)
                && arrays.iter().all(|array| array.symbol != **symbol)
        };
        let found = privates.iter().filter(is_bare).filter_map(|symbol| {
            let (mut at, mut is_set) = (None, false);
            let is_it = |e: &Expression| e.without_conversions().as_symbol() == Some(*symbol);
            visit::expressions(body, &mut |e| {
                is_set |= e.assigned().is_some_and(is_it);
                let followed = match &e.kind {
                    ExpressionKind::Unary(UnaryOperator::AddressOf, inner) => {
                        is_set |= is_it(inner);
                        return;
                    }
                    ExpressionKind::Index(base, _)
                    | ExpressionKind::Unary(UnaryOperator::Indirection, base) => base,
                    ExpressionKind::Member {
                        base, arrow: true, ..
                    } => base,
                    _ => return,
                };
                if is_it(followed) {
                    at = at.or(Some(e.span));
                }
            });
            let at = at.filter(|_| !is_set)?;
            let name = &self.unit.symbol(*symbol).name;
            let message = format!("each iteration has a pointer `{name}` of its own, which leads nowhere");
            let warning = Diagnostic::warning(codes::REDUCTION_MISFIT, message, at);
            Some(warning.label("follows it, and nothing sets it").help(format!(
                "write `private({name}[0:n])` for elements of its own, or leave `{name}` out of `private`"
            )))
        });
        found.collect()
    }

    fn warning(&self, message: String, at: Span, reduction: &Reduction) -> Diagnostic {
        let name = &self.unit.symbol(reduction.symbol).name;
        Diagnostic::warning(codes::REDUCTION_MISFIT, message, at).also(
            reduction.span,
            format!("each thread has its own `{name}` until the loop ends"),
        )
    }
}

/// Where a variable is assigned first.
fn assignment(body: &[Statement], symbol: SymbolId) -> Option<Span> {
    let mut found = None;
    visit::expressions(body, &mut |e| {
        if e.assigned()
            .is_some_and(|to| to.as_symbol() == Some(symbol))
        {
            found = found.or(Some(e.span));
        }
    });
    found
}

/// Of the operators that are compared, those that do the same are one.
fn kind(operator: ReductionOperator) -> Option<ReductionOperator> {
    use ReductionOperator as R;
    match operator {
        R::Sum | R::Product => Some(operator),
        R::Max | R::MaxNumber => Some(R::Max),
        R::Min | R::MinNumber => Some(R::Min),
        _ => None,
    }
}

/// The operator of an assignment that adds to a variable or multiplies it.
fn update(e: &Expression, symbol: SymbolId) -> Option<ReductionOperator> {
    use BinaryOperator as B;
    let of = |operator: &BinaryOperator| match operator {
        B::Add | B::Subtract => Some(ReductionOperator::Sum),
        B::Multiply => Some(ReductionOperator::Product),
        _ => None,
    };
    match &e.kind {
        ExpressionKind::Unary(operator, _) if operator.is_step() => Some(ReductionOperator::Sum),
        ExpressionKind::CompoundAssign {
            operator, value, ..
        } if !value.mentions(symbol) => of(operator),
        ExpressionKind::Assign(_, value) => {
            let ExpressionKind::Binary(operator, a, b) = &value.inner().kind else {
                return None;
            };
            let is_it = |e: &Expression| e.inner().as_symbol() == Some(symbol);
            let left = is_it(a) && !b.mentions(symbol);
            let right = is_it(b) && !a.mentions(symbol) && *operator != B::Subtract;
            (left || right).then(|| of(operator)).flatten()
        }
        _ => None,
    }
}

/// Whether a value is another one less what a variable was.
fn is_subtracted(value: &Expression, symbol: SymbolId) -> bool {
    matches!(&value.inner().kind, ExpressionKind::Binary(BinaryOperator::Subtract, other, part)
        if part.inner().as_symbol() == Some(symbol) && !other.mentions(symbol))
}

/// Whether a variable, which an expression mentions once, is multiplied by something in it.
fn is_scaled(unit: &Unit, e: &Expression, symbol: SymbolId) -> bool {
    use BinaryOperator as B;
    let ExpressionKind::Binary(operator, a, b) = &e.inner().kind else {
        return false;
    };
    let (part, other) = match a.mentions(symbol) {
        true => (a, b),
        false => (b, a),
    };
    let is_one = constant::evaluate(unit, other.inner()) == Some(1);
    let is_multiplied = matches!(operator, B::Multiply | B::Divide) && !is_one;
    let goes_on = matches!(operator, B::Add | B::Subtract | B::Multiply | B::Divide);
    is_multiplied && is_sum(part, symbol) || goes_on && is_scaled(unit, part, symbol)
}

/// Whether an expression is sums, products and the like down to a variable.
fn is_sum(e: &Expression, symbol: SymbolId) -> bool {
    use BinaryOperator as B;
    match &e.inner().kind {
        ExpressionKind::Symbol(own) => *own == symbol,
        ExpressionKind::Binary(B::Add | B::Subtract | B::Multiply | B::Divide, a, b) => {
            is_sum(if a.mentions(symbol) { a } else { b }, symbol)
        }
        _ => false,
    }
}
