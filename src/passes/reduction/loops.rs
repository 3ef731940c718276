//! Begins and ends the reductions of loops within a block.
//!
//! ```c
//! double sum = 0;                  // The lanes go on from 0, which is Sum's identity, and from
//! double top = a[0];               // any value of a maximum. `total` is set aside, since each
//! double total = b[0];             // lane would bring it.
//! #pragma acc loop vector reduction(+:sum, total) reduction(max:top)
//! ```

use indexmap::IndexSet;

use super::clauses::{drop_inside, only_lanes_touch};
use crate::analysis::scope::Scope;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{
    Distribution, Kernel, Loop, Reduction, ReductionOperator, Statement, StatementKind, visit,
};
use crate::passes::thread_mapping::innermost;
use crate::passes::variables;
use crate::source::Span;
use crate::typed::{Expression, ExpressionKind, Initializer, SymbolId, Type, UnaryOperator, Unit};
use crate::typed::{constant, synthesis};

/// Puts a begin before and an end after each loop that threads of a block
/// share and that reduces something. `shared`: what threads of a block write for each other.
pub fn rewrite(
    kernel: &mut Kernel,
    unit: &Unit,
    shared: IndexSet<SymbolId>,
    errors: &mut Vec<Diagnostic>,
) {
    let mut rewriting = Rewriting {
        scope: &Scope::of(kernel, unit),
        shared,
        addressed: addressed(&kernel.body),
        unit,
        errors,
    };
    kernel.body = rewriting.list(std::mem::take(&mut kernel.body));
}

/// Puts a begin before and an end after each outermost loop that reduces something, of all
/// threads of the block.
pub fn surround_outermost(list: &mut Vec<Statement>) {
    let distribution = Distribution {
        blocks: None,
        threads: [true; 3],
    };
    for mut statement in std::mem::take(list) {
        let span = statement.span;
        let mut reductions = Vec::new();
        if let StatementKind::Loop(l) = &mut statement.kind {
            reductions.clone_from(&l.reductions);
            for reduction in &reductions {
                drop_inside(&mut l.body, reduction.symbol);
            }
        }
        visit::blocks_mut(&mut statement, &mut surround_outermost);
        let begin = |r: &Reduction| StatementKind::ReductionBegin(r.clone(), distribution).at(span);
        let end = |r: &Reduction| StatementKind::ReductionEnd(r.clone(), distribution).at(span);
        list.extend(reductions.iter().map(begin));
        list.push(statement);
        list.extend(reductions.iter().map(end));
    }
}

struct Rewriting<'r> {
    scope: &'r Scope,
    shared: IndexSet<SymbolId>,
    addressed: Vec<SymbolId>,
    unit: &'r Unit,
    errors: &'r mut Vec<Diagnostic>,
}

/// What stands around a loop.
#[derive(Default)]
struct Steps {
    before: Vec<Statement>,
    after: Vec<Statement>,
}

impl Rewriting<'_> {
    fn list(&mut self, body: Vec<Statement>) -> Vec<Statement> {
        let mut out = Vec::new();
        // C++ does not let a jump go past the declarations that steps make.
        let is_jumped_into = visit::is_entered(&body);
        for mut statement in body {
            let span = statement.span;
            let mut steps = Steps::default();
            if let StatementKind::Loop(l) = &mut statement.kind
                && threads(l) != [false; 3]
            {
                for reduction in l.reductions.clone() {
                    let reduction = Reduction {
                        keeps_value: self.may_keep_value(&reduction, &out),
                        ..reduction
                    };
                    self.surround(l, reduction, span, &mut steps);
                }
            }
            visit::blocks_mut(&mut statement, &mut |inner| {
                *inner = self.list(std::mem::take(inner));
            });
            let is_block = is_jumped_into && !steps.before.is_empty();
            let mut list = steps.before;
            list.push(statement);
            list.extend(steps.after);
            match is_block {
                true => out.push(StatementKind::Block(list).at(span)),
                false => out.extend(list),
            }
        }
        out
    }

    /// Whether threads may begin with the value that a variable has after these statements, the
    /// same in all of them: 0 for a sum. That `+0.0` is not the identity is not seen: a sum that
    /// has it among its terms is never `-0.0`, whichever of them it is.
    fn may_keep_value(&self, reduction: &Reduction, before: &[Statement]) -> bool {
        let is_scalar = self.unit.types.is_scalar(reduction.ty) && reduction.part.is_none();
        if !is_scalar || is_idempotent(reduction.operator) {
            return is_scalar;
        }
        use ReductionOperator as R;
        let identity = match reduction.operator {
            R::Product | R::LogicalAnd => 1,
            _ => 0,
        };
        if self.addressed.contains(&reduction.symbol) {
            return false;
        }
        value_after(before, reduction.symbol).is_some_and(|value| {
            let real =
                || constant::floating(self.unit, value).map(|real| real == f64::from(identity));
            match constant::evaluate(self.unit, value) {
                Some(number) => number == i128::from(identity),
                None => real().unwrap_or(false),
            }
        })
    }

    fn surround(&mut self, l: &mut Loop, mut reduction: Reduction, span: Span, steps: &mut Steps) {
        let (scope, unit) = (self.scope, self.unit);
        let mut threads = threads(l);
        let lanes_only = !threads[0] && only_lanes_touch(&l.body, reduction.symbol);
        if lanes_only && mentions_lanes(l) {
            // The lanes of the loops inside count on; one step serves both.
            drop_inside(&mut l.body, reduction.symbol);
            threads[0] = true;
        }
        let target = reduction.symbol;
        let is_array = matches!(unit.types.get(reduction.ty), Type::Array { .. });
        let in_memory = scope.memory.contains(&target) || self.shared.contains(&target);
        let has_copies = scope.own_targets.contains(&target);
        if is_array && in_memory || reduction.part.is_some() && !has_copies {
            let (block, name) = (scope.words.levels.block, &unit.symbol(target).name);
            let help = match self.shared.contains(&target) {
                true => format!(
                    "reduce another array, and copy its elements to `{name}` behind the loop"
                ),
                false => format!(
                    "make the array private to the {block} loop, or reduce it in the {block} loop as well"
                ),
            };
            let message = format!(
                "a reduction of the array `{name}` within each {block} is not supported yet"
            );
            let error = Diagnostic::error(codes::NOT_SUPPORTED_YET, message, reduction.span);
            self.errors.push(error.help(help));
            return;
        }
        if in_memory {
            reduction.keeps_value = false;
            let wanted = format!("{}_copy", unit.symbol(target).name);
            let copy = synthesis::variable(unit, &wanted, reduction.ty, span);
            let value = synthesis::symbol(unit, target, span);
            steps
                .before
                .push(Statement::declare(copy, Some(value), span));
            variables::rename(&mut l.body, target, copy);
            for clause in &mut l.reductions {
                if clause.symbol == target {
                    clause.symbol = copy;
                }
            }
            reduction.symbol = copy;
        }
        let distribution = Distribution {
            blocks: None,
            threads,
        };
        steps
            .before
            .push(StatementKind::ReductionBegin(reduction.clone(), distribution).at(span));
        steps
            .after
            .push(StatementKind::ReductionEnd(reduction.clone(), distribution).at(span));
        if reduction.symbol != target {
            let value = synthesis::symbol(unit, reduction.symbol, span);
            let target = synthesis::symbol(unit, target, span);
            steps.after.push(Statement::assign(target, value, span));
        }
    }
}

/// Whether an operator gives the same however often one value enters.
fn is_idempotent(operator: ReductionOperator) -> bool {
    use ReductionOperator as R;
    match operator {
        R::Max | R::Min | R::MaxNumber | R::MinNumber | R::BitAnd | R::BitOr => true,
        R::Sum | R::Product | R::BitXor | R::LogicalAnd | R::LogicalOr => false,
    }
}

/// The threads that share a loop. Of the loops that a directive collapses, the
/// outermost or the innermost has them, and the outermost the clauses.
fn threads(l: &Loop) -> [bool; 3] {
    match l.threads() {
        [false, false, false] => innermost(l, l.collapsed).threads(),
        own => own,
    }
}

/// What a variable that is known by its name alone was last set to in a list of statements, if
/// nothing can have changed it since.
fn value_after(list: &[Statement], variable: SymbolId) -> Option<&Expression> {
    for statement in list.iter().rev() {
        match &statement.kind {
            StatementKind::Declaration(declared) => {
                if let Some(own) = declared.iter().position(|d| d.symbol == variable) {
                    let later = declared.iter().skip(own + 1);
                    let is_last = !later
                        .flat_map(|d| &d.initializer)
                        .any(|initializer| names(initializer, variable));
                    return match &declared[own].initializer {
                        Some(Initializer::Expression(value)) if is_last => Some(value),
                        _ => None,
                    };
                }
            }
            StatementKind::Expression(Some(e)) => {
                if let ExpressionKind::Assign(target, value) = &e.kind
                    && target.as_symbol() == Some(variable)
                {
                    return Some(value);
                }
            }
            _ => {}
        }
        let one = std::slice::from_ref(statement);
        let ends = matches!(&statement.kind, StatementKind::ReductionBegin(r, _) | StatementKind::ReductionEnd(r, _) if r.symbol == variable);
        if visit::is_entered(one) || ends || visit::mentions(one, variable) {
            return None;
        }
    }
    None
}

fn names(initializer: &Initializer, variable: SymbolId) -> bool {
    match initializer {
        Initializer::Expression(e) => e.mentions(variable),
        Initializer::Aggregate(parts) => parts.iter().any(|(_, part)| names(part, variable)),
    }
}

/// The variables whose addresses a kernel takes.
fn addressed(body: &[Statement]) -> Vec<SymbolId> {
    let mut found = Vec::new();
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Unary(UnaryOperator::AddressOf, place) = &e.kind {
            crate::typed::visit::symbols(place, &mut |symbol| found.push(symbol));
        }
    });
    found
}

fn mentions_lanes(l: &Loop) -> bool {
    visit::any_loop(&l.body, &mut |inner| inner.threads()[0])
}
