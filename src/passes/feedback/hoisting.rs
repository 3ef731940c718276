//! The `data` region around a loop of the host that would make a copy once.
//!
//! Input: a section that the constructs in a loop copy. Output: the clause of such a region, if
//! the program would compute the same with it: no code of the host in the loop may use what the
//! section has, be it by another name or in a function; the section is the same in all
//! iterations; and what kernels write, the constructs bring back. Functions of the file that the
//! loop calls are looked into ([`super::calls`]).
//!
//! ```c
//! // copy(a[0:n]) copy(b[0:n])
//! for (int t = 0; t < steps; t++) {
//!     #pragma acc parallel loop copyin(a[0:n]) copyout(b[0:n])
//!     for (int i = 0; i < n; i++)
//!         b[i] = a[i];
//!     #pragma acc parallel loop copyin(b[0:n]) copyout(a[0:n])
//!     for (int i = 0; i < n; i++)
//!         a[i] = b[i] + 1;
//! }
//! ```

use std::collections::BTreeSet;

use super::calls::{Calls, Scope};
use super::movement::{Direction, computed_text};
use super::presence::{Presence, Presences};
use crate::analysis::escapes::escaped;
use crate::analysis::exits::Exits;
use crate::ir::{DataAction, DataItem, Extent, Length, Module, Region, RegionKind};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, Statement, SymbolId, UnaryOperator, Unit, library, visit,
};

/// Answers the question for a module.
pub(super) struct Hoisting<'m> {
    pub(super) module: &'m Module,
    pub(super) unit: &'m Unit,
    pub(super) presences: Presences<'m>,
    /// Variables whose memory other names may stand for.
    escaped: BTreeSet<SymbolId>,
    /// What runs on the device alone.
    on_device: Vec<Span>,
    pub(super) calls: Calls<'m>,
}

/// A region that would make copies once.
pub(super) struct Hoisted<'m> {
    /// Its clause.
    pub(super) clause: String,
    /// What constructs copy; the first one of the loop is to tell of it.
    pub(super) copies: Vec<(&'m Region, &'m DataItem)>,
}

impl<'m> Hoisting<'m> {
    pub(super) fn new(module: &'m Module, unit: &'m Unit) -> Self {
        let is_launched = |region: &&Region| {
            region.condition.is_none()
                && matches!(&region.kind, RegionKind::Compute { launches, .. } if !launches.is_empty())
        };
        let launched = module.regions.iter().filter(is_launched);
        let on_device: Vec<Span> = launched.filter_map(|region| region.body).collect();
        Self {
            module,
            unit,
            presences: Presences::new(module, unit),
            escaped: escaped(unit),
            calls: Calls::new(unit, &on_device),
            on_device,
        }
    }

    /// The region for a variable around a loop.
    pub(super) fn clause(&self, symbol: SymbolId, around: &'m Statement) -> Option<Hoisted<'m>> {
        // Nothing may leave a region but at its end.
        if Exits::of_typed(around).out().next().is_some() {
            return None;
        }
        let scopes = self.calls.scopes(around, symbol)?;
        let mut copies: Vec<(&Region, &DataItem)> = Vec::new();
        let mut section: Option<String> = None;
        let mut directions = Vec::new();
        for (scope, region, item) in scopes.iter().flat_map(|scope| self.copied(scope)) {
            let outside = scope.outside(item, self.unit)?;
            let text = computed_text(&outside, self.unit);
            if !is_structured(region, item)
                || section.as_ref().is_some_and(|other| *other != text)
                || self.varies(&outside, around)
            {
                return None;
            }
            section = Some(text);
            directions.extend(Direction::of(item.action));
            // A function may be called twice.
            if !copies.iter().any(|(_, other)| std::ptr::eq(*other, item)) {
                copies.push((region, item));
            }
        }
        let is_free = scopes
            .iter()
            .all(|scope| self.comes_back(scope) && !self.host_uses(scope, symbol));
        let all = |one: Direction| directions.iter().all(|direction| *direction == one);
        let name = match () {
            () if all(Direction::ToDevice) => "copyin",
            () if all(Direction::ToHost) => "copyout",
            () => "copy",
        };
        let section = section?;
        copies.retain(|(region, item)| self.presences.of(region, item) != Presence::Sure);
        is_free.then(|| Hoisted {
            clause: format!("{name}({section})"),
            copies,
        })
    }

    /// The regions that a scope has.
    fn regions<'s>(&self, scope: &'s Scope<'m>) -> impl Iterator<Item = &'m Region> + use<'s, 'm> {
        let inside = |region: &&Region| contains(scope.body.span, region.directive.start);
        self.module.regions.iter().filter(inside)
    }

    /// What they copy of its variable.
    fn copied<'s>(
        &self,
        scope: &'s Scope<'m>,
    ) -> impl Iterator<Item = (&'s Scope<'m>, &'m Region, &'m DataItem)> + use<'s, 'm> {
        let items = self.regions(scope).flat_map(|region| {
            let items = region.data.iter();
            items.map(move |item| (region, item))
        });
        let own = items.filter(|(_, item)| {
            scope.symbol.is_some()
                && item.symbol == scope.symbol
                && Direction::of(item.action).is_some()
        });
        own.map(move |(region, item)| (scope, region, item))
    }

    /// Whether what the constructs of a scope write of its variable comes back.
    fn comes_back(&self, scope: &Scope<'m>) -> bool {
        let Some(symbol) = scope.symbol else {
            return true;
        };
        let mut writers = self.regions(scope).filter(|r| self.writes(r, symbol));
        writers.all(|region| self.brings_back(region, symbol))
    }

    /// Whether a loop may change where a section is or how long.
    fn varies(&self, item: &DataItem, around: &Statement) -> bool {
        let Extent::Section { ranges, .. } = &item.extent else {
            return !matches!(item.extent, Extent::Whole);
        };
        let mut named: BTreeSet<SymbolId> = item.symbol.into_iter().collect();
        for range in ranges {
            let length = match &range.length {
                Length::Expression(e) => Some(e),
                Length::Constant(_) => None,
                Length::Variable { .. } => return true,
            };
            for e in range.lower.iter().chain(length) {
                visit::symbols(e, &mut |symbol| {
                    named.insert(symbol);
                });
            }
        }
        let mut varies = visit::declared(around).iter().any(|s| named.contains(s));
        let is_shared = named.iter().any(|s| !self.unit.symbol(*s).is_automatic());
        visit::expressions(around, &mut |e| {
            varies |= changed(e).is_some_and(|symbol| named.contains(&symbol));
            varies |= is_shared && self.is_call_of_others(e);
        });
        varies
    }

    /// Whether kernels of a construct write an array.
    fn writes(&self, region: &Region, symbol: SymbolId) -> bool {
        let RegionKind::Compute { launches, .. } = &region.kind else {
            return false;
        };
        let kernels = launches.iter().map(|l| self.module.kernel(l.kernel));
        let mut captures = kernels.flat_map(|kernel| &kernel.captures);
        captures.any(|c| {
            let array = c.section_of.as_ref().map_or(c.symbol, |s| s.array);
            array == symbol && c.written
        })
    }

    /// Whether what a construct writes comes back at its end, or at that of a region around it.
    fn brings_back(&self, region: &Region, symbol: SymbolId) -> bool {
        let mut next = Some(region);
        while let Some(region) = next {
            let own = region.data.iter().filter(|i| i.symbol == Some(symbol));
            let mut own = own.filter_map(|item| match item.action {
                DataAction::Create => Some(false),
                action => Direction::of(action).map(|d| d != Direction::ToDevice),
            });
            if let Some(comes_back) = own.next() {
                return comes_back;
            }
            next = region.parent.map(|id| self.module.region(id));
        }
        true
    }

    /// Whether code of the host in a scope may use the memory of a variable, which the loop around
    /// has by the name `outside`.
    fn host_uses(&self, scope: &Scope<'m>, outside: SymbolId) -> bool {
        let is_reachable =
            !self.unit.symbol(outside).is_automatic() || self.escaped.contains(&outside);
        let mut uses = false;
        visit::expressions(scope.body, &mut |e| {
            let is_host = |e: &Expression| {
                let mut bodies = self.on_device.iter();
                bodies.all(|body| !contains(*body, e.span.start))
            };
            let is_named = e.as_symbol().is_some_and(|own| scope.symbol == Some(own));
            let may_be_it = is_named && !self.calls.hands_on(e)
                || is_reachable && self.reaches_other_memory(e, scope.symbol);
            uses |= may_be_it && is_host(e);
        });
        uses
    }

    /// Whether an expression calls what is not known, or uses memory that has several names.
    fn reaches_other_memory(&self, e: &Expression, own: Option<SymbolId>) -> bool {
        let base = match &e.kind {
            // Its body is looked into.
            ExpressionKind::Call { .. } if self.calls.is_one(e) => return false,
            ExpressionKind::Call { arguments, .. } => {
                let is_value = |e: &Expression| {
                    !self.unit.types.is_pointer(e.ty.ty)
                        || matches!(bare(e).kind, ExpressionKind::String { .. })
                };
                return self.is_call_of_others(e) || !arguments.iter().all(is_value);
            }
            ExpressionKind::Index(base, _)
            | ExpressionKind::Unary(UnaryOperator::Indirection, base) => base,
            ExpressionKind::Member {
                base, arrow: true, ..
            } => base,
            _ => return false,
        };
        match bare(base).as_symbol() {
            Some(symbol) => {
                Some(symbol) != own
                    && (self.escaped.contains(&symbol) || !self.unit.symbol(symbol).is_automatic())
            }
            // A row of an array is asked about where its array is.
            None => !matches!(bare(base).kind, ExpressionKind::Index(..)),
        }
    }

    /// Whether an expression calls a function that is not C's library's.
    fn is_call_of_others(&self, e: &Expression) -> bool {
        let ExpressionKind::Call { function, .. } = &e.kind else {
            return false;
        };
        let name = function.as_symbol().map(|f| &self.unit.symbol(f).name);
        name.is_none_or(|name| !library::is_on_device(name) && library::instead(name).is_none())
    }
}

/// Whether a region around would take the place of a copy.
fn is_structured(region: &Region, item: &DataItem) -> bool {
    let is_structured = matches!(
        region.kind,
        RegionKind::Data | RegionKind::Scope | RegionKind::Compute { .. }
    );
    is_structured
        && !item.modifiers.always_in
        && !item.modifiers.always_out
        && region.condition.is_none()
}

/// Without parentheses and conversions.
pub(super) fn bare(e: &Expression) -> &Expression {
    match &e.inner().kind {
        ExpressionKind::Convert(_, inner) => bare(inner),
        _ => e.inner(),
    }
}

/// The variable that an expression changes, or whose address it takes.
pub(super) fn changed(e: &Expression) -> Option<SymbolId> {
    let target = match &e.kind {
        ExpressionKind::Unary(UnaryOperator::AddressOf, target) => target,
        _ => e.assigned()?,
    };
    target.inner().as_symbol()
}

pub(super) fn contains(span: Span, at: u32) -> bool {
    span.start <= at && at < span.end
}
