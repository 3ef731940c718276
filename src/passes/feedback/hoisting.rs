//! The `data` region around a loop of the host that would make a copy once.
//!
//! Input: a section that the constructs in a loop copy. Output: the clause of such a region, or the
//! `update` beside the loop in place of one in it, if the program would compute the same with it,
//! else what is in the way ([`Obstacle`]): no code of the host in the loop may use what the
//! section has, be it by another name or in a function; the section is the same in all
//! iterations, and holds those of the other constructs; and what kernels write, the constructs
//! bring back. Functions of the file that the loop calls are looked into ([`super::calls`]).
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

use std::collections::{BTreeSet, HashSet};

use super::calls::{Calls, Scope};
use super::consecutive::Chain;
use super::movement::Direction;
use super::permuted::{Permuted, permuted};
use super::presence::{Presence, Presences};
use super::sections::{Total, hull, section_text};
use crate::analysis::definitions::changed_anywhere;
use crate::analysis::escapes::escaped;
use crate::analysis::exits::{Exits, Jump};
use crate::ir::{
    Capture, DataAction, DataItem, Extent, Launch, Length, Module, Range, Region, RegionKind,
};
use crate::source::Span;
use crate::typed::{
    Expression, ExpressionKind, Statement, StatementKind, SymbolId, UnaryOperator, Unit, library,
    visit,
};

/// Answers the question for a module.
pub(super) struct Hoisting<'m> {
    pub(super) module: &'m Module,
    pub(super) unit: &'m Unit,
    pub(super) presences: Presences<'m>,
    /// Variables whose memory other names may stand for.
    escaped: BTreeSet<SymbolId>,
    /// Variables that may change after they were declared.
    changed: HashSet<SymbolId>,
    /// What runs on the device alone.
    on_device: Vec<Span>,
    pub(super) calls: Calls<'m>,
    pub(super) chains: &'m [Chain],
}

/// What would make copies once.
pub(super) struct Hoisted<'m> {
    /// A directive and where it stands, up to the name of the loop.
    pub(super) directive: String,
    /// Whether it is of several variables.
    pub(super) are_several: bool,
    /// What constructs copy; the first one of the loop is to tell of it.
    pub(super) copies: Vec<(&'m Region, &'m DataItem)>,
    /// The bytes of all of these, of those in functions for each call.
    pub(super) total: Total,
    /// What comes back has no value where the loop has no iteration.
    pub(super) needs_run: bool,
}

/// Whether a region is in the way, given where it has the name of a variable.
type IsInTheWay<'f, 'm> = &'f dyn Fn(&(&Scope<'_>, &'m Region)) -> bool;

/// Why nothing would.
pub(super) struct Obstacle {
    pub(super) why: String,
    /// What is in the way.
    pub(super) at: Option<Span>,
    /// Each iteration copies something else.
    pub(super) is_other_section: bool,
}

impl Obstacle {
    pub(super) fn new(why: impl Into<String>, at: Option<Span>) -> Self {
        Self {
            why: why.into(),
            at,
            is_other_section: false,
        }
    }
}

impl<'m> Hoisting<'m> {
    pub(super) fn new(module: &'m Module, unit: &'m Unit, chains: &'m [Chain]) -> Self {
        let is_launched = |region: &&Region| {
            region.condition.is_none()
                && matches!(&region.kind, RegionKind::Compute { launches, .. } if !launches.is_empty())
        };
        let launched = module.regions.iter().filter(is_launched);
        let on_device = united(launched.filter_map(|region| region.body).collect());
        Self {
            module,
            unit,
            presences: Presences::new(module, unit),
            escaped: escaped(unit),
            changed: changed_anywhere(unit),
            calls: Calls::new(unit, &on_device),
            on_device,
            chains,
        }
    }

    /// What would copy a variable's section once for a loop, of which each iteration copies it if
    /// that `is_certain`; `asking` copies it.
    pub(super) fn hoisted(
        &self,
        symbol: SymbolId,
        asking: &Region,
        around: &'m Statement,
        is_certain: bool,
    ) -> Result<Hoisted<'m>, Obstacle> {
        // Nothing may leave a region but at its end.
        if let Some((jump, span)) = Exits::of_typed(around).out().next() {
            let why = format!("`{}` leaves the loop", jump.keyword());
            return Err(Obstacle::new(why, Some(span)));
        }
        if let Some(group) = permuted(around, symbol, self.unit) {
            return self.hoisted_together(&group, around);
        }
        let scopes = self.scopes(around, symbol)?;
        let mut copies: Vec<(&Region, &DataItem)> = Vec::new();
        let mut sections = Vec::new();
        let mut total = Total::default();
        let mut all: Vec<_> = scopes.iter().flat_map(|scope| self.copied(scope)).collect();
        // A region for constructs serves an `update` as well.
        let is_copied = |(_, region, item): &(&Scope, &Region, &DataItem)| {
            !is_unstructured(region) && self.presences.of(region, item) != Presence::Sure
        };
        if all.iter().any(is_copied) {
            all.retain(|(_, region, _)| !is_update(region));
        }
        for (scope, region, item) in all {
            let outside = scope.outside(item, self.unit).ok_or_else(|| {
                let why = "the section has no name outside of the function that copies it";
                Obstacle::new(why, None)
            })?;
            if let Some(why) = asked_for(region, item) {
                return Err(Obstacle::new(why, Some(item.span)));
            }
            self.is_same_in_all(&outside, &scopes, None)?;
            if self.is_made(region, item) {
                total.add(&outside, self.unit);
            }
            sections.push(outside);
            // A function may be called twice.
            if !copies.iter().any(|(_, other)| std::ptr::eq(*other, item)) {
                copies.push((region, item));
            }
        }
        let section = hull(&sections, self.unit).ok_or_else(|| {
            Obstacle::new("the constructs in the loop copy different sections", None)
        })?;
        let name = section_text(section, self.unit);
        let clause = match clause(&copies) {
            // Else an iteration may be what has the values.
            TO_HOST if !is_certain || breaks(around) => "copy",
            clause => clause,
        };
        copies.retain(|(region, item)| self.is_made(region, item));
        let update = self.update(&copies, asking, &scopes, is_certain)?;
        let directive = match update {
            Some(Direction::ToDevice) => format!("`update device({name})` before"),
            Some(_) => format!("`update self({name})` behind"),
            None => format!("a `data` region with `{clause}({name})` around"),
        };
        for scope in &scopes {
            if update.is_none() && !self.comes_back(scope) {
                let why = "what the loop's kernels write to it does not come back";
                return Err(Obstacle::new(why, None));
            }
            if let Some(obstacle) = self.host_use(scope, symbol, None) {
                return Err(obstacle);
            }
        }
        let needs_run = match update {
            Some(direction) => direction == Direction::ToHost,
            None => clause == TO_HOST,
        };
        Ok(Hoisted {
            directive,
            are_several: false,
            copies,
            total,
            needs_run,
        })
    }

    /// Whether an item is copied, which is not on the device already.
    fn is_made(&self, region: &Region, item: &DataItem) -> bool {
        is_unstructured(region) || self.presences.of(region, item) != Presence::Sure
    }

    pub(super) fn scopes(
        &self,
        around: &'m Statement,
        symbol: SymbolId,
    ) -> Result<Vec<Scope<'m>>, Obstacle> {
        let scopes = self.calls.scopes(around, symbol);
        scopes.ok_or_else(|| Obstacle::new("what the loop calls is not seen", None))
    }

    /// What would copy once what pointers lead to that the loop exchanges.
    fn hoisted_together(
        &self,
        group: &Permuted,
        around: &'m Statement,
    ) -> Result<Hoisted<'m>, Obstacle> {
        let mut copies: Vec<(&Region, &DataItem)> = Vec::new();
        let mut sections = Vec::new();
        let mut total = Total::default();
        let name = |own: &SymbolId| self.unit.symbol(*own).name.as_str();
        let names: Vec<String> = (group.pointers.iter())
            .map(|own| format!("`{}`", name(own)))
            .collect();
        let refused = |why: &str, at| {
            let why = format!("the loop exchanges {}, and {why}", names.join(" and "));
            Obstacle::new(why, at)
        };
        for &symbol in &group.pointers {
            let scopes = self.scopes(around, symbol)?;
            let mut own = Vec::new();
            for (scope, region, item) in scopes.iter().flat_map(|scope| self.copied(scope)) {
                if is_unstructured(region) {
                    return Err(refused(
                        "other directives copy them",
                        Some(region.directive),
                    ));
                }
                if let Some(why) = asked_for(region, item) {
                    return Err(Obstacle::new(why, Some(item.span)));
                }
                let outside = scope.outside(item, self.unit).ok_or_else(|| {
                    let why = "a section has no name outside of the function that copies it";
                    refused(why, None)
                })?;
                self.is_same_in_all(&outside, &scopes, Some(group))?;
                if self.is_made(region, item) {
                    total.add(&outside, self.unit);
                    // A function may be called with each of them.
                    if !copies.iter().any(|(_, other)| std::ptr::eq(*other, item)) {
                        copies.push((region, item));
                    }
                }
                own.push(outside);
            }
            for scope in &scopes {
                if !self.comes_back(scope) {
                    let why = "what the loop's kernels write does not come back";
                    return Err(refused(why, None));
                }
                if let Some(obstacle) = self.host_use(scope, symbol, Some(group)) {
                    return Err(obstacle);
                }
            }
            let section = hull(&own, self.unit);
            let section = section.ok_or_else(|| refused("not all have one section there", None))?;
            sections.push(section_text(section, self.unit));
        }
        // Each has to be what any of them needs.
        let bounds = group.pointers.iter().zip(&sections);
        let bounds = bounds.map(|(own, text)| text.strip_prefix(name(own)).unwrap_or(text));
        let bounds: BTreeSet<&str> = bounds.collect();
        if bounds.len() > 1 {
            return Err(refused("constructs copy different sections of them", None));
        }
        sections.sort_unstable();
        copies.sort_by_key(|(_, item)| item.span.start);
        let list = sections.join(", ");
        Ok(Hoisted {
            directive: format!("a `data` region with `copy({list})` around"),
            are_several: true,
            copies,
            total,
            needs_run: false,
        })
    }

    /// Which way the one `update` that copies a variable in a loop goes, if one does and may as well be
    /// before the loop or behind it. `is_certain` is whether each iteration comes to it.
    fn update(
        &self,
        copies: &[(&'m Region, &'m DataItem)],
        asking: &Region,
        scopes: &[Scope<'m>],
        is_certain: bool,
    ) -> Result<Option<Direction>, Obstacle> {
        let mut updates = copies.iter().filter(|(region, _)| is_update(region));
        let own = updates
            .clone()
            .find(|(region, _)| std::ptr::eq(*region, asking));
        let Some((update, item)) = own.or_else(|| updates.next()) else {
            return Ok(None);
        };
        let is_host = Direction::of(item.action) == Some(Direction::ToHost);
        let around = scopes.first().map(|scope| scope.body);
        if !is_certain || around.is_none_or(breaks) {
            let why = "not each iteration copies it";
            return Err(Obstacle::new(why, Some(update.directive)));
        }
        let others = scopes.iter().flat_map(|scope| self.uses(scope));
        let others = others.filter(|(_, region)| region.directive != asking.directive);
        let others: Vec<(&Scope, &'m Region)> = others.collect();
        let has = |(scope, region): &(&Scope, &Region), is_one: fn(&DataItem) -> bool| {
            let mut own = region.data.iter().filter(|i| names(i, scope.symbol));
            own.any(is_one)
        };
        let copies_it = |other: &(&Scope, &Region)| {
            is_unstructured(other.1) && has(other, |item| Direction::of(item.action).is_some())
        };
        let is_lifetime = |other: &(&Scope, &Region)| {
            is_unstructured(other.1) || has(other, |item| item.action == DataAction::Create)
        };
        let is_called = |(scope, _): &(&Scope, &Region)| {
            around.is_none_or(|around| around.span != scope.body.span)
        };
        let is_in_between = |other: &(&Scope, &'m Region)| {
            let (scope, region) = other;
            let is_before = region.directive.start < update.directive.start;
            let mut own = scope.symbol.into_iter();
            let is_written = own.any(|symbol| self.writes(region, symbol));
            match is_host {
                true => is_written && !is_before && !is_called(other),
                false => is_written || is_before && !is_called(other),
            }
        };
        let obstacles: [(IsInTheWay<'_, 'm>, &str); 4] = [
            (&copies_it, "other directives in the loop copy it, too"),
            (
                &is_lifetime,
                "directives in the loop begin or end its time on the device",
            ),
            (&is_in_between, "kernels in the loop use it in between"),
            (&is_called, "functions that the loop calls use it"),
        ];
        let mut found = obstacles.iter().filter_map(|(is_one, why)| {
            let (_, region) = others.iter().find(|other| is_one(other))?;
            Some(Obstacle::new(*why, Some(region.directive)))
        });
        match found.next() {
            Some(obstacle) => Err(obstacle),
            None if copies.len() > 1 => {
                let why = "another clause of the directive copies it, too";
                Err(Obstacle::new(why, None))
            }
            None => Ok(Direction::of(item.action)),
        }
    }

    /// The regions of a scope that have to do with its variable.
    fn uses<'s>(
        &'s self,
        scope: &'s Scope<'m>,
    ) -> impl Iterator<Item = (&'s Scope<'m>, &'m Region)> + use<'s, 'm> {
        let uses = move |region: &&'m Region| {
            let mut own = scope.symbol.into_iter();
            region.data.iter().any(|item| names(item, scope.symbol))
                || own.any(|symbol| self.captures(region, symbol).next().is_some())
        };
        let regions = self.regions(scope).filter(uses);
        regions.map(move |region| (scope, region))
    }

    /// The regions that a scope has.
    pub(super) fn regions<'s>(
        &self,
        scope: &'s Scope<'m>,
    ) -> impl Iterator<Item = &'m Region> + use<'s, 'm> {
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
        let own = items
            .filter(|(_, item)| names(item, scope.symbol) && Direction::of(item.action).is_some());
        own.map(move |(region, item)| (scope, region, item))
    }

    /// Whether what the constructs of a scope write of its variable comes back.
    fn comes_back(&self, scope: &Scope<'m>) -> bool {
        let Some(symbol) = scope.symbol else {
            return true;
        };
        let mut writers = self.regions(scope).filter(|r| self.writes(r, symbol));
        let is_deleted = self.regions(scope).any(|region| {
            let mut items = region.data.iter();
            items.any(|item| item.symbol == Some(symbol) && item.action == DataAction::Delete)
        });
        writers.all(|region| !is_deleted && self.brings_back(region, symbol))
    }

    /// The variables that say where a section is and how long, without its own.
    fn bounds(&self, item: &DataItem) -> Result<BTreeSet<SymbolId>, Obstacle> {
        let mut bounds = BTreeSet::new();
        let mut add = |e: &Expression| {
            visit::symbols(e, &mut |symbol| {
                bounds.insert(symbol);
            });
        };
        let ranges: &[Range] = match &item.extent {
            Extent::Whole => &[],
            Extent::Section { ranges, .. } => ranges,
            Extent::Unknown | Extent::Unmeasured(_) => {
                let why = "how long the section is is not known";
                return Err(Obstacle::new(why, Some(item.span)));
            }
        };
        for range in ranges {
            let length = range.length.value(self.unit, item.object.ty);
            range.lower.iter().chain(length).for_each(&mut add);
            if !matches!(range.length, Length::Variable { .. }) {
                continue;
            }
            let Some(length) = length else {
                return Err(Obstacle::new("how long its rows are is not known", None));
            };
            // Rows have the length that the variable had where they were declared.
            let mut changed = None;
            visit::symbols(length, &mut |symbol| {
                changed = changed.or(Some(symbol).filter(|s| self.changed.contains(s)));
            });
            if let Some(symbol) = changed {
                let name = &self.unit.symbol(symbol).name;
                let why = format!("`{name}` changes, by which its rows are declared");
                return Err(Obstacle::new(why, None));
            }
        }
        Ok(bounds)
    }

    /// A loop, and what it calls, may not change where a section is or how long, but for exchanging
    /// pointers.
    pub(super) fn is_same_in_all(
        &self,
        item: &DataItem,
        scopes: &[Scope<'m>],
        permuted: Option<&Permuted>,
    ) -> Result<(), Obstacle> {
        let bounds = self.bounds(item)?;
        let own = item.symbol.filter(|_| permuted.is_none());
        let is_bound = |symbol: &SymbolId| bounds.contains(symbol) || own == Some(*symbol);
        let around = scopes.first().map(|scope| scope.body);
        let declared = around.map_or_else(Vec::new, visit::declared);
        let declared = declared.into_iter().find(is_bound);
        let mut changes = declared.map(|symbol| (symbol, self.unit.symbol(symbol).span));
        let mut caller = None;
        for scope in scopes {
            visit::expressions(scope.body, &mut |e| {
                if let Some(symbol) = changed(e).filter(is_bound) {
                    changes = changes.or(Some((symbol, e.span)));
                }
                let is_unseen = !self.calls.is_one(e) && !self.is_on_device(e.span);
                if is_unseen && self.is_call_of_others(e) {
                    caller = caller.or(Some(e.span));
                }
            });
        }
        // An array stays where it is.
        let own = item.symbol.filter(|symbol| !self.unit.is_array(*symbol));
        let mut named = own.into_iter().chain(bounds.iter().copied());
        let shared = named.find(|symbol| !self.unit.symbol(*symbol).is_automatic());
        let name = |symbol| &self.unit.symbol(symbol).name;
        match (changes, shared.zip(caller)) {
            (Some((symbol, at)), _) if item.symbol == Some(symbol) => {
                let is_pointer = self.unit.types.is_pointer(self.unit.symbol(symbol).ty.ty);
                let why = format!("the pointer `{}` changes in the loop", name(symbol));
                Err(match is_pointer {
                    true => Obstacle::new(why, Some(at)),
                    false => used(name(symbol), at),
                })
            }
            (Some((symbol, at)), _) => Err(Obstacle {
                why: format!(
                    "the section depends on `{}`, which changes in the loop",
                    name(symbol)
                ),
                at: Some(at),
                is_other_section: true,
            }),
            (None, Some((symbol, at))) => {
                let name = name(symbol);
                let why = format!("a function that the loop calls may change `{name}`");
                Err(Obstacle::new(why, Some(at)))
            }
            (None, None) => Ok(()),
        }
    }

    /// What kernels of a construct have of an array.
    fn captures(&self, region: &'m Region, symbol: SymbolId) -> impl Iterator<Item = &'m Capture> {
        let launches: &[Launch] = match &region.kind {
            RegionKind::Compute { launches, .. } => launches,
            _ => &[],
        };
        let kernels = launches.iter().map(|l| self.module.kernel(l.kernel));
        let captures = kernels.flat_map(|kernel| &kernel.captures);
        captures.filter(move |c| c.section_of.as_ref().map_or(c.symbol, |s| s.array) == symbol)
    }

    /// Whether they write it.
    pub(super) fn writes(&self, region: &'m Region, symbol: SymbolId) -> bool {
        self.captures(region, symbol).any(|capture| capture.written)
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

    /// What of the host's code in a scope may use the memory of a variable, which the loop around
    /// has by the name `outside`.
    pub(super) fn host_use(
        &self,
        scope: &Scope<'m>,
        outside: SymbolId,
        permuted: Option<&Permuted>,
    ) -> Option<Obstacle> {
        let is_reachable =
            !self.unit.symbol(outside).is_automatic() || self.escaped.contains(&outside);
        let (mut named, mut other) = (None, None);
        visit::expressions(scope.body, &mut |e| {
            if self.is_on_device(e.span) || permuted.is_some_and(|group| group.has(e.span)) {
                return;
            }
            let is_named = e.as_symbol().is_some_and(|own| scope.symbol == Some(own));
            if is_named && !self.calls.hands_on(e) {
                named = named.or(Some(e.span));
            } else if is_reachable && self.reaches_other_memory(e, scope.symbol) {
                other = other.or(Some(e.span));
            }
        });
        let name = &self.unit.symbol(scope.symbol.unwrap_or(outside)).name;
        match (named, other) {
            (Some(at), _) => Some(used(name, at)),
            (None, Some(at)) => {
                let why = format!("the host may use the memory of `{name}` in the loop");
                Some(Obstacle::new(why, Some(at)))
            }
            (None, None) => None,
        }
    }

    fn is_on_device(&self, code: Span) -> bool {
        let behind = self
            .on_device
            .partition_point(|body| body.start <= code.start);
        let last = behind.checked_sub(1).and_then(|at| self.on_device.get(at));
        last.is_some_and(|body| contains(*body, code.start))
    }

    /// Whether nothing in the file puts what a variable leads to on the device, be it by the names that
    /// callers have for it.
    pub(super) fn is_never_present(&self, symbol: SymbolId) -> bool {
        self.is_in_no_lifetime(symbol, &mut BTreeSet::new())
    }

    fn is_in_no_lifetime(&self, symbol: SymbolId, seen: &mut BTreeSet<SymbolId>) -> bool {
        if !seen.insert(symbol) {
            return true;
        }
        let mut functions = self.unit.functions.iter();
        let own = functions.find(|function| function.parameters.contains(&symbol));
        let mut calls = own.into_iter().flat_map(|one| self.calls.of(one.symbol));
        self.presences.is_unnamed(symbol)
            && calls.all(|call| {
                let outside = call.name_outside(symbol, self.unit);
                outside.is_some_and(|outside| self.is_in_no_lifetime(outside, seen))
            })
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

/// Whether `break` leaves a loop.
pub(super) fn breaks(around: &Statement) -> bool {
    let body = match &around.kind {
        StatementKind::For(l) => &l.body,
        StatementKind::While(_, body) | StatementKind::DoWhile(body, _) => body,
        _ => return false,
    };
    Exits::of_typed(body).any(Jump::ends_loop)
}

/// Whether an item is of a variable.
pub(super) fn names(item: &DataItem, symbol: Option<SymbolId>) -> bool {
    symbol.is_some() && item.symbol == symbol
}

/// That the host uses a variable.
fn used(name: &str, at: Span) -> Obstacle {
    Obstacle::new(format!("the host uses `{name}` in the loop"), Some(at))
}

/// The clause of what comes back alone.
const TO_HOST: &str = "copyout";

/// The clause of a region in place of copies.
fn clause(copies: &[(&Region, &DataItem)]) -> &'static str {
    let all = |one: Direction| {
        let mut directions = copies.iter().map(|(_, item)| Direction::of(item.action));
        directions.all(|direction| direction == Some(one))
    };
    match () {
        () if all(Direction::ToDevice) => "copyin",
        () if all(Direction::ToHost) => TO_HOST,
        () => "copy",
    }
}

/// Why a copy is made whether the data is present or not.
fn asked_for(region: &Region, item: &DataItem) -> Option<&'static str> {
    match () {
        () if matches!(region.kind, RegionKind::Placement) => {
            Some("a directive asks for it each time")
        }
        () if region.condition.is_some() => Some("an `if` clause decides whether it is copied"),
        () if item.modifiers.always_in || item.modifiers.always_out => {
            Some("`always` asks for it each time")
        }
        () => None,
    }
}

fn is_update(region: &Region) -> bool {
    matches!(region.kind, RegionKind::Update { .. })
}

/// Whether it only copies, or begins or ends a lifetime.
fn is_unstructured(region: &Region) -> bool {
    matches!(
        region.kind,
        RegionKind::Update { .. } | RegionKind::EnterData | RegionKind::ExitData { .. }
    )
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

/// Pieces of code in order, those that overlap as one.
fn united(mut pieces: Vec<Span>) -> Vec<Span> {
    pieces.sort_unstable_by_key(|piece| piece.start);
    let mut found: Vec<Span> = Vec::new();
    for piece in pieces {
        match found.last_mut() {
            Some(last) if piece.start < last.end => last.end = last.end.max(piece.end),
            _ => found.push(piece),
        }
    }
    found
}
