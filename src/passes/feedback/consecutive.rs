//! Constructs that follow one another and copy the same array.
//!
//! Input: a module. Output: for each array the stretches of a block, from one construct that copies it to
//! the last one, with nothing between them that names it.
//!
//! ```c
//! #pragma acc parallel loop copy(a[0:n])       // copy(a[0:n]) around both
//! for (int i = 0; i < n; i++)
//!     a[i] += 1;
//! #pragma acc parallel loop copyin(a[0:n])
//! …
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::movement::Direction;
use crate::ir::{Module, Region, RegionKind};
use crate::source::Span;
use crate::typed::{Statement, StatementKind, SymbolId, Unit, visit};

/// Such a stretch.
pub(super) struct Chain {
    pub(super) symbol: SymbolId,
    /// All of it, as a block.
    pub(super) statement: Statement,
    /// The directive of the last construct.
    pub(super) last: Span,
}

/// Those of all functions.
pub(super) fn chains(module: &Module, unit: &Unit) -> Vec<Chain> {
    let regions = module.regions.iter();
    let regions: BTreeMap<u32, &Region> = regions.map(|r| (r.directive.start, r)).collect();
    let mut found = Vec::new();
    for function in &unit.functions {
        visit::statements(&function.body, &mut |statement| {
            if let StatementKind::Compound(list) = &statement.kind {
                of_list(list, &regions, unit, &mut found);
            }
        });
    }
    found
}

/// What a statement of a block has to do with arrays.
struct Link<'m> {
    /// The construct that it is.
    construct: Option<&'m Region>,
    names: BTreeSet<SymbolId>,
    /// Control may come in from elsewhere.
    is_target: bool,
}

fn of_list(
    list: &[Statement],
    regions: &BTreeMap<u32, &Region>,
    unit: &Unit,
    found: &mut Vec<Chain>,
) {
    let construct = |statement: &Statement| {
        let region = regions.get(&statement.span.start)?;
        let is_plain = region.queue.is_none() && region.waits.is_empty();
        (is_plain && matches!(region.kind, RegionKind::Compute { .. })).then_some(*region)
    };
    let constructs: Vec<&Region> = list.iter().filter_map(construct).collect();
    if constructs.len() < 2 {
        return;
    }
    let links: Vec<Link> = list
        .iter()
        .map(|statement| Link::of(statement, construct(statement), regions))
        .collect();
    let copied: BTreeSet<SymbolId> = constructs
        .iter()
        .flat_map(|region| arrays(region, unit))
        .collect();
    for symbol in copied {
        let mut open: Option<(usize, usize)> = None;
        let mut close = |open: Option<(usize, usize)>| {
            if let Some((first, last)) = open.filter(|(first, last)| first < last) {
                found.push(Chain {
                    symbol,
                    statement: Statement {
                        kind: StatementKind::Compound(list[first..=last].to_vec()),
                        span: Span::new(list[first].span.start, list[last].span.end),
                    },
                    last: links[last]
                        .construct
                        .map_or(list[last].span, |r| r.directive),
                });
            }
        };
        for (at, link) in links.iter().enumerate() {
            let region = link.construct;
            if region.is_some_and(|region| arrays(region, unit).any(|own| own == symbol)) {
                open = Some((open.map_or(at, |(first, _)| first), at));
            } else if link.is_target || link.names.contains(&symbol) {
                close(open.take());
            }
        }
        close(open);
    }
}

impl<'m> Link<'m> {
    fn of(
        statement: &Statement,
        construct: Option<&'m Region>,
        regions: &BTreeMap<u32, &'m Region>,
    ) -> Self {
        let mut names = BTreeSet::new();
        visit::expressions(statement, &mut |e| names.extend(e.as_symbol()));
        let span = statement.span;
        let inside = regions.range(span.start..span.end.max(span.start));
        names.extend(inside.flat_map(|(_, r)| r.data.iter().filter_map(|item| item.symbol)));
        let mut is_target = false;
        visit::statements(statement, &mut |inner| {
            is_target |= matches!(
                inner.kind,
                StatementKind::Labeled(..) | StatementKind::Case(..) | StatementKind::Default(..)
            );
        });
        Self {
            construct,
            names,
            is_target,
        }
    }
}

/// The arrays that a construct copies.
fn arrays(region: &Region, unit: &Unit) -> impl Iterator<Item = SymbolId> {
    let items = region.data.iter();
    let copied = items.filter(|item| {
        Direction::of(item.action).is_some() && !unit.types.is_arithmetic(item.object.ty.ty)
    });
    copied.filter_map(|item| item.symbol)
}
