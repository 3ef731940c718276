//! Counted loops of C as loops of the IR, alone and in nests.
//!
//! Input: a typed `for`. Output: a [`Loop`], whose header is evaluated once, or
//! what it takes for one that may be parallel and this `for` has not.

use super::canonical::{self, Header};
use super::usage;
use crate::analysis::effects::changes_nothing;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::{self, Loop, Schedule, visit as visit_ir};
use crate::source::Span;
use crate::typed::{
    ExpressionKind, For, Statement, StatementKind, SymbolId, TypeId, UnaryOperator, Unit, visit,
};

/// A counted loop.
pub struct Counted<'s> {
    /// The `for`.
    pub statement: &'s Statement,
    /// Its parts.
    pub parts: &'s For,
    /// What it counts.
    pub header: Header,
}

impl<'s> Counted<'s> {
    /// A `for`, if it is one.
    ///
    /// # Errors
    /// Why it is none.
    pub fn of(unit: &Unit, statement: &'s Statement, parts: &'s For) -> Result<Self, Diagnostic> {
        let header = canonical::header(unit, parts, header_span(parts, statement.span))?;
        let name = &unit.symbol(header.induction).name;
        if let Some(span) = canonical::modification(unit, &parts.body, header.induction) {
            let message = match takes_address(&parts.body, span) {
                true => format!("the loop takes the address of its variable `{name}` in the body"),
                false => format!("the loop changes its variable `{name}` in the body"),
            };
            return Err(Diagnostic::error(codes::NOT_CANONICAL, message, span)
                .help("compute what you need in a variable of its own"));
        }
        if let Some((variable, span)) = canonical::variance(unit, &header, &parts.body) {
            let message = format!(
                "the loop's bound or step depends on `{variable}`, which changes in the body"
            );
            return Err(Diagnostic::error(codes::NOT_CANONICAL, message, span)
                .help("copy the bound into a variable before the loop"));
        }
        Ok(Self {
            statement,
            parts,
            header,
        })
    }

    /// The loop over a lowered body, of which nothing is asked.
    pub fn lowered(self, body: Vec<ir::Statement>) -> Loop {
        let header = self.header;
        Loop {
            induction: header.induction,
            declared_inside: header.declared_inside,
            lower: header.lower,
            relation: header.relation,
            bound: header.bound,
            step: header.step,
            downward: header.downward,
            schedule: Schedule::default(),
            privates: Vec::new(),
            reductions: Vec::new(),
            body,
            collapsed: 0,
            distribution: None,
            tile: None,
            has_slack: false,
            strides_by_step: false,
            once: None,
            unrolled: false,
            parallelism: None,
            directive: None,
            header: header_span(self.parts, self.statement.span),
        }
    }
}

/// Whether an address is taken at a place.
fn takes_address(body: &Statement, place: Span) -> bool {
    let mut takes = false;
    visit::expressions(body, &mut |e| {
        let is_address = matches!(e.kind, ExpressionKind::Unary(UnaryOperator::AddressOf, _));
        takes |= is_address && e.span == place;
    });
    takes
}

/// `for (…)`: up to the closing parenthesis, which follows the last part.
fn header_span(parts: &For, span: Span) -> Span {
    let ends = [
        parts.initializer.as_ref().map(|s| s.span.end),
        parts.condition.as_ref().map(|e| e.span.end),
        parts.step.as_ref().map(|e| e.span.end),
    ];
    let end = ends.into_iter().flatten().fold(span.start, u32::max);
    Span::new(span.start, (end + 1).min(parts.body.span.start.max(end)))
}

/// Nested loops that one directive governs, outermost first; that one knows how
/// many, and gets what `ask` sets; `tiles` are in their order.
pub fn nested(
    loops: Vec<Counted<'_>>,
    mut body: Vec<ir::Statement>,
    tiles: &[Option<u32>],
    ask: impl FnOnce(&mut Loop),
) -> Option<ir::Statement> {
    let mut ask = Some(ask);
    let outermost = loops.len().checked_sub(1)?;
    for (depth, counted) in loops.into_iter().rev().enumerate() {
        let span = counted.statement.span;
        let mut made = counted.lowered(body);
        made.schedule.directive = true;
        if let Some(ask) = ask.take_if(|_| depth == outermost) {
            made.collapsed = outermost;
            ask(&mut made);
        }
        made.schedule.tile = tiles.iter().rev().nth(depth).copied().flatten();
        let kind = ir::StatementKind::Loop(Box::new(made));
        body = vec![ir::Statement { kind, span }];
    }
    body.pop()
}

/// The only statement of a block, or the statement itself.
pub fn only(statement: &Statement) -> Option<&Statement> {
    let StatementKind::Compound(items) = &statement.kind else {
        return Some(statement);
    };
    let mut rest = items
        .iter()
        .filter(|s| !matches!(s.kind, StatementKind::Expression(None)));
    match (rest.next(), rest.next()) {
        (Some(one), None) => only(one),
        _ => None,
    }
}

/// Whether bound and step stay the same although the body runs: scalars
/// were looked at before, this is about memory and calls. Stores change
/// only objects of their own type (C11 6.5, 7).
pub fn is_invariant(unit: &Unit, header: &Header, body: &Statement) -> bool {
    let mut loads: Vec<TypeId> = Vec::new();
    let mut calls = false;
    for part in [&header.bound, &header.step] {
        visit::walk(part, &mut |e| match &e.kind {
            ExpressionKind::Index(..)
            | ExpressionKind::Member { .. }
            | ExpressionKind::Unary(UnaryOperator::Indirection, _) => loads.push(e.ty.ty),
            ExpressionKind::Call { .. } => calls = true,
            _ => {}
        });
    }
    if calls {
        return false;
    }
    loads.is_empty() || !stores(unit, body, &loads)
}

/// Whether a body may store to memory of one of these types.
fn stores(unit: &Unit, body: &Statement, types: &[TypeId]) -> bool {
    let mut found = false;
    visit::expressions(body, &mut |e| {
        if let ExpressionKind::Call { function, .. } = &e.kind {
            found |= !changes_nothing(unit, function);
        }
        let Some(target) = e.assigned() else {
            return;
        };
        found |= target.as_symbol().is_none()
            && (types.contains(&target.ty.ty)
                || !unit.types.is_scalar(target.ty.ty)
                || unit.types.size(target.ty.ty) == Some(1));
    });
    found
}

/// The variables of loops are private without a clause: loops inside
/// have no copies of them, which would have no value, unless they set them.
pub fn keep_variables(unit: &Unit, variables: &[SymbolId], body: &mut [ir::Statement]) {
    visit_ir::loops_mut(body, &mut |inner| {
        if inner.privates.iter().all(|own| !variables.contains(own)) {
            return;
        }
        let used = usage::of(unit, &inner.body);
        let is_set = |symbol| {
            used.outside()
                .any(|(s, place)| s == symbol && place.assigned)
        };
        inner
            .privates
            .retain(|own| !variables.contains(own) || is_set(*own));
    });
}
