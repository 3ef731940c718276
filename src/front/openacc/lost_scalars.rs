//! Scalars whose values a construct gives up that the program reads after it.
//!
//! Input: the variables of which a construct has copies, and what runs after it. Output: a warning
//! for each that no clause names, or `copyin` alone, that the construct assigns, and that is read later.
//!
//! ```c
//! int found = 0;
//! #pragma acc parallel loop           // `found` is firstprivate (OpenACC 3.3, section 2.6.2)
//! for (int i = 0; i < n; i++)
//!     if (a[i] == key)
//!         found = 1;
//! return found;                       // 0
//! ```
//!
//! So are the variables of its loops, which are private.

mod companions;

use std::collections::BTreeSet;

use super::check::{Checked, identify};
use super::table::{ClauseKind, DirectiveKind};
use crate::analysis::directives::{self, all_named};
use crate::analysis::flow::Rest;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::HostCopy;
use crate::source::Span;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Statement, StatementKind, SymbolId, Unit, visit,
};

/// The warnings of a construct. `addresses`: the variables of its function whose address is taken.
pub fn find(
    unit: &Unit,
    checked: &Checked,
    body: &Statement,
    copies: &[HostCopy],
    addresses: &BTreeSet<SymbolId>,
    rest: &Rest<'_>,
) -> Vec<Diagnostic> {
    let mut named = all_named(&checked.directive);
    visit::directives(body, &mut |directive| named.extend(all_named(directive)));
    let lost = copies.iter().map(|copy| copy.symbol).filter(|symbol| {
        let variable = unit.symbol(*symbol);
        variable.is_automatic()
            && unit.types.is_scalar(variable.ty.ty)
            && !addresses.contains(symbol)
            && !named.contains(symbol)
            && rest.reads(*symbol)
    });
    let written = |symbol| Some((symbol, assignment(body, symbol)?));
    lost.filter_map(written)
        .map(|(symbol, span)| problem(unit, checked, body, symbol, span))
        .chain(counters(body).into_iter().filter_map(|(symbol, span)| {
            let is_copied = copies.iter().any(|copy| copy.symbol == symbol);
            let is_kept = is_copied || addresses.contains(&symbol) || named.contains(&symbol);
            let is_lost = unit.symbol(symbol).is_automatic() && !is_kept && rest.reads(symbol);
            is_lost.then(|| counter(&unit.symbol(symbol).name, checked, span))
        }))
        .collect()
}

/// The variables of a construct's loops that are declared outside of it, each once, and where they get their
/// first values.
fn counters(body: &Statement) -> Vec<(SymbolId, Span)> {
    let mut found: Vec<(SymbolId, Span)> = Vec::new();
    visit::statements(body, &mut |statement| {
        let StatementKind::For(parts) = &statement.kind else {
            return;
        };
        let Some(StatementKind::Expression(Some(e))) = parts.initializer.as_ref().map(|s| &s.kind)
        else {
            return;
        };
        let target = e.assigned().map(|target| target.without_conversions());
        let counter = target.and_then(|target| target.as_symbol());
        if let Some(symbol) = counter
            && found.iter().all(|(other, _)| *other != symbol)
        {
            found.push((symbol, e.span));
        }
    });
    visit::declarations(body, &mut |own| {
        found.retain(|(symbol, _)| *symbol != own.symbol)
    });
    found
}

fn counter(name: &str, checked: &Checked, span: Span) -> Diagnostic {
    let construct = checked.kind.name();
    let message = format!("`{name}` has its old value behind the construct, where it is read");
    Diagnostic::warning(codes::LOST_VALUE, message, span)
        .label("what the loop counts to is lost at the construct's end")
        .also(
            checked.directive.span,
            format!("the variable of a loop is private in `{construct}`"),
        )
        .help(format!("assign `{name}` behind the construct"))
}

/// The warnings of a construct's variables that `copyin` puts on the device, and that nothing else keeps
/// there in the function whose body this is.
pub fn find_copied_in(
    unit: &Unit,
    checked: &Checked,
    body: &Statement,
    function: &Statement,
    addresses: &BTreeSet<SymbolId>,
    rest: &Rest<'_>,
) -> Vec<Diagnostic> {
    let mut around = BTreeSet::new();
    visit::directives(function, &mut |directive| {
        let kind = identify(directive).map(|(row, _)| row.kind);
        if matches!(
            kind,
            Some(DirectiveKind::Data | DirectiveKind::EnterData | DirectiveKind::Declare)
        ) {
            around.extend(all_named(directive));
        }
    });
    let items = checked.items(ClauseKind::CopyIn);
    let symbols = items.filter_map(|item| directives::base(item)?.as_symbol());
    let lost = symbols.filter(|symbol| {
        let variable = unit.symbol(*symbol);
        variable.is_automatic()
            && unit.types.is_scalar(variable.ty.ty)
            && !addresses.contains(symbol)
            && !around.contains(symbol)
            && rest.reads(*symbol)
    });
    let written = |symbol| Some((symbol, assignment(body, symbol)?));
    lost.filter_map(written)
        .map(|(symbol, span)| not_brought_back(unit, checked, symbol, span))
        .collect()
}

fn not_brought_back(unit: &Unit, checked: &Checked, symbol: SymbolId, span: Span) -> Diagnostic {
    let name = &unit.symbol(symbol).name;
    let message = format!("`{name}` has its old value behind the construct, where it is read");
    Diagnostic::warning(codes::LOST_VALUE, message, span)
        .label("this value is lost at the construct's end")
        .also(
            checked.directive.span,
            format!("`copyin({name})` does not bring it back"),
        )
        .help(format!("write `copy({name})` in place of `copyin({name})`"))
}

/// Where a variable is first assigned.
fn assignment(body: &Statement, symbol: SymbolId) -> Option<Span> {
    let mut found = None;
    visit::expressions(body, &mut |e| {
        let target = e.assigned().map(|target| target.without_conversions());
        if target.is_some_and(|target| target.as_symbol() == Some(symbol)) {
            found.get_or_insert(e.span);
        }
    });
    found
}

/// Whether a variable says where something is written.
fn is_place(body: &Statement, symbol: SymbolId) -> bool {
    let mut is_place = false;
    visit::expressions(body, &mut |e| {
        let target = e.assigned().map(|target| target.without_conversions());
        is_place |= target.is_some_and(|to| to.as_symbol().is_none() && to.mentions(symbol));
    });
    is_place
}

/// Whether the value that updates by one operator leave in a variable is used otherwise than in these.
fn is_used_between(body: &Statement, symbol: SymbolId) -> bool {
    let (mut mentions, mut updates) = (0, 0);
    let mut is_within = false;
    visit::expressions(body, &mut |e| {
        mentions += usize::from(matches!(e.kind, ExpressionKind::Symbol(one) if one == symbol));
        let target = e.assigned().map(|target| target.without_conversions());
        match target.map(|target| target.as_symbol() == Some(symbol)) {
            Some(true) => updates += 1,
            Some(false) => is_within |= e.mentions(symbol),
            None => {}
        }
    });
    operator(body, symbol).is_some() && (is_within || mentions > updates)
}

/// The operator by which all assignments change a variable, where they have one.
fn operator(body: &Statement, symbol: SymbolId) -> Option<&'static str> {
    let mut found = Vec::new();
    visit::expressions(body, &mut |e| {
        let target = e.assigned().map(|target| target.without_conversions());
        if target.is_some_and(|target| target.as_symbol() == Some(symbol)) {
            found.push(of_update(e));
        }
    });
    let first = (*found.first()?)?;
    found.iter().all(|one| *one == Some(first)).then_some(first)
}

fn of_update(e: &Expression) -> Option<&'static str> {
    match &e.kind {
        ExpressionKind::Unary(operator, _) if operator.is_step() => Some("+"),
        ExpressionKind::CompoundAssign { operator, .. } => match operator {
            BinaryOperator::Add | BinaryOperator::Subtract => Some("+"),
            BinaryOperator::Multiply => Some("*"),
            BinaryOperator::BitAnd => Some("&"),
            BinaryOperator::BitOr => Some("|"),
            BinaryOperator::BitXor => Some("^"),
            _ => None,
        },
        _ => None,
    }
}

fn problem(
    unit: &Unit,
    checked: &Checked,
    body: &Statement,
    symbol: SymbolId,
    span: Span,
) -> Diagnostic {
    let name = &unit.symbol(symbol).name;
    let construct = checked.kind.name();
    let message = format!("`{name}` has its old value behind the construct, where it is read");
    let companion = companions::of_extreme(unit, body, symbol);
    let is_shared = checked.kind != DirectiveKind::Parallel;
    let extreme = companions::operator(body, symbol).filter(|_| is_shared);
    let help = match checked.kind {
        DirectiveKind::Serial | DirectiveKind::SerialLoop => format!("write `copy({name})`"),
        _ if companion.is_some() => companion.unwrap_or_default(),
        _ if extreme.is_some() => {
            format!("write `reduction({}:{name})`", extreme.unwrap_or_default())
        }
        _ if is_place(body, symbol) => format!(
            "write `copy({name})`, and `#pragma acc atomic capture` before an assignment such as \
             `p = {name}++`, which gives each iteration a place of its own"
        ),
        _ if is_used_between(body, symbol) => format!(
            "each iteration uses what those before it made of `{name}`: write `seq` on the loop, and \
             `copy({name})`"
        ),
        _ => match operator(body, symbol).filter(|_| is_shared) {
            Some(operator) => format!("write `reduction({operator}:{name})`"),
            None => format!(
                "write `reduction(max:{name})` or the like if iterations give the value together, \
                 `copy({name})` if one of them does"
            ),
        },
    };
    Diagnostic::warning(codes::LOST_VALUE, message, span)
        .label("this value is lost at the construct's end")
        .also(
            checked.directive.span,
            format!("without a clause, a scalar is firstprivate in `{construct}`"),
        )
        .help(help)
}
