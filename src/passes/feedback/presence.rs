//! What is on the device before a region begins.
//!
//! Input: regions as the program has them. Output: for an item of one of them, whether its variable is
//! on the device already: a region around it has it there, or an `enter data` that is reached
//! before in each run of the function, with nothing between them that could take it away.
//! What callers and other functions do is not known.
//!
//! ```c
//! #pragma acc enter data copyin(x[0:n])
//! for (int t = 0; t < steps; t++) {
//!     #pragma acc parallel loop copy(x[0:n])   // is there
//! ```

use std::collections::{BTreeMap, BTreeSet};

use super::hoisting::{bare, changed, contains};
use crate::ir::{DataAction, DataItem, Module, Region, RegionKind};
use crate::typed::constant::evaluate;
use crate::typed::{
    Expression, ExpressionKind, Function, Initializer, Statement, StatementKind, SymbolId,
    SymbolKind, Unit, visit,
};

/// What is known of a variable where a region begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Presence {
    /// It is on the device.
    Sure,
    /// It may be: something in the file puts it there.
    Possible,
    /// Nothing in the file does.
    Unseen,
}

/// Whether a region certainly has its condition, or certainly not.
pub(super) fn happens(region: &Region, unit: &Unit) -> Option<bool> {
    match &region.condition {
        None => Some(true),
        Some(condition) => evaluate(unit, condition).map(|value| value != 0),
    }
}

/// Answers the question for a module.
pub(super) struct Presences<'m> {
    module: &'m Module,
    unit: &'m Unit,
    /// Variables that calls of the runtime name, such as `acc_copyin`.
    called: BTreeSet<SymbolId>,
    /// Functions that have such calls, or an `exit data`.
    takers: BTreeSet<SymbolId>,
}

impl<'m> Presences<'m> {
    pub(super) fn new(module: &'m Module, unit: &'m Unit) -> Self {
        let mut called = BTreeSet::new();
        let ends = |region: &&Region| matches!(region.kind, RegionKind::ExitData { .. });
        let ends = module.regions.iter().filter(ends);
        let mut takers: BTreeSet<SymbolId> = ends.map(|region| region.function).collect();
        for function in &unit.functions {
            visit::expressions(&function.body, &mut |e| {
                if is_call_of_runtime(e, unit) {
                    takers.insert(function.symbol);
                    visit::symbols(e, &mut |symbol| {
                        called.insert(symbol);
                    });
                }
            });
        }
        Self {
            module,
            unit,
            called,
            takers,
        }
    }

    /// What is known of an item's variable.
    pub(super) fn of(&self, region: &Region, item: &DataItem) -> Presence {
        let Some(symbol) = item.symbol else {
            return self.of_member(region);
        };
        let place = Place {
            all: self,
            region,
            symbol,
        };
        if place.is_around() || place.is_entered() || place.is_alias() {
            return Presence::Sure;
        }
        match place.may_be_there() || self.called.contains(&symbol) {
            true => Presence::Possible,
            false => Presence::Unseen,
        }
    }

    /// Whether no lifetime of the file names a variable.
    pub(super) fn is_unnamed(&self, symbol: SymbolId) -> bool {
        let mut regions = self.module.regions.iter().filter(|r| begins_lifetimes(r));
        let mut is_named = regions.any(|region| {
            let mut items = region.data.iter();
            items.any(|item| item.symbol == Some(symbol))
        });
        is_named |= self.called.contains(&symbol);
        !is_named
    }

    fn of_member(&self, region: &Region) -> Presence {
        let mut others = self.module.regions.iter();
        let is_there = others.any(|one| {
            let mut items = one.data.iter();
            begins_lifetimes(one)
                && one.directive != region.directive
                && items.any(|item| item.symbol.is_none())
        });
        match is_there {
            true => Presence::Possible,
            false => Presence::Unseen,
        }
    }
}

/// Whether an expression calls a function of the runtime's that has to do with data or devices.
fn is_call_of_runtime(e: &Expression, unit: &Unit) -> bool {
    const PARTS: [&str; 6] = ["copy", "create", "delete", "map", "set_device", "shutdown"];
    called(e).is_some_and(|function| {
        let name = &unit.symbol(function).name;
        name.starts_with("acc_") && PARTS.iter().any(|part| name.contains(part))
    })
}

fn called(e: &Expression) -> Option<SymbolId> {
    match &e.kind {
        ExpressionKind::Call { function, .. } => bare(function).as_symbol(),
        _ => None,
    }
}

/// Whether an item of a region has its variable on the device while the region, or the lifetime
/// that it starts, goes on.
fn holds(item: &DataItem, symbol: SymbolId) -> bool {
    let has_none = matches!(
        item.action,
        DataAction::NoCreate
            | DataAction::DevicePointer
            | DataAction::Attach
            | DataAction::Detach
            | DataAction::Delete
    );
    item.symbol == Some(symbol) && !has_none
}

/// The arrays and pointers that are never changed of which a pointer of a function has the value of one,
/// whichever of its assignments ran; none if it may have another one.
fn meant_by(function: &Function, pointer: SymbolId, unit: &Unit) -> Option<BTreeSet<SymbolId>> {
    // By variable, what is assigned to it: another variable, or more than that.
    let mut values: BTreeMap<SymbolId, Vec<Option<SymbolId>>> = BTreeMap::new();
    let mut note = |symbol, value: Option<&Expression>| {
        let value = value.and_then(|e| bare(e).as_symbol());
        values.entry(symbol).or_default().push(value);
    };
    visit::statements(&function.body, &mut |statement| {
        if let StatementKind::Declaration(list) = &statement.kind {
            for one in list {
                if let Some(Initializer::Expression(e)) = &one.initializer {
                    note(one.symbol, Some(e));
                }
            }
        }
    });
    visit::expressions(&function.body, &mut |e| {
        if let Some(symbol) = changed(e) {
            let value = match &e.kind {
                ExpressionKind::Assign(_, value) => Some(&**value),
                _ => None,
            };
            note(symbol, value);
        }
    });
    let mut meant = BTreeSet::new();
    let mut seen = BTreeSet::from([pointer]);
    let mut open = vec![pointer];
    while let Some(symbol) = open.pop() {
        let variable = unit.symbol(symbol);
        match values.get(&symbol) {
            // A parameter has its caller's value, too.
            Some(values) if variable.is_automatic() && variable.kind != SymbolKind::Parameter => {
                for value in values {
                    let value = (*value)?;
                    if seen.insert(value) {
                        open.push(value);
                    }
                }
            }
            None if variable.is_automatic() || unit.is_array(symbol) => {
                meant.insert(symbol);
            }
            _ => return None,
        }
    }
    (!meant.is_empty() && !meant.contains(&pointer)).then_some(meant)
}

/// Whether data stays on the device behind a directive, or in what it governs.
fn begins_lifetimes(region: &Region) -> bool {
    matches!(
        region.kind,
        RegionKind::Data | RegionKind::Scope | RegionKind::EnterData
    )
}

/// A variable where a region begins.
struct Place<'m> {
    all: &'m Presences<'m>,
    region: &'m Region,
    symbol: SymbolId,
}

impl<'m> Place<'m> {
    fn at(&self) -> u32 {
        self.region.directive.start
    }

    /// The regions around, innermost first.
    fn around(&self) -> impl Iterator<Item = &'m Region> {
        let parent = |region: &Region| region.parent.map(|id| self.all.module.region(id));
        std::iter::successors(parent(self.region), move |region| parent(region))
    }

    /// Whether it is a pointer with the value of other variables, all of which are on the device.
    fn is_alias(&self) -> bool {
        let function = self.all.unit.function(self.region.function);
        let Some(meant) = function.and_then(|f| meant_by(f, self.symbol, self.all.unit)) else {
            return false;
        };
        meant.into_iter().all(|symbol| {
            let own = Place { symbol, ..*self };
            let is_explicit = |item: &DataItem| !item.implicit && holds(item, symbol);
            self.region.data.iter().any(is_explicit) || own.is_around() || own.is_entered()
        })
    }

    fn is_around(&self) -> bool {
        self.around().any(|region| {
            happens(region, self.all.unit) == Some(true)
                && region.data.iter().any(|item| holds(item, self.symbol))
        })
    }

    /// Whether an `enter data` of the function has put it there.
    fn is_entered(&self) -> bool {
        let Some(function) = self.all.unit.function(self.region.function) else {
            return false;
        };
        let mut entries = self.all.module.regions.iter().filter(|region| {
            matches!(region.kind, RegionKind::EnterData)
                && region.function == self.region.function
                && happens(region, self.all.unit) == Some(true)
                && region.data.iter().any(|item| holds(item, self.symbol))
        });
        entries.any(|entry| {
            let way = Way {
                body: &function.body,
                from: entry.directive.start,
                to: self.at(),
            };
            way.is_certain() && self.is_kept(&way)
        })
    }

    /// Whether nothing on the way takes the variable off the device, or makes it another one.
    fn is_kept(&self, way: &Way) -> bool {
        let mut regions = self.all.module.regions.iter();
        let is_taken = regions.any(|region| {
            let is_other_device = matches!(region.kind, RegionKind::Device(_));
            way.passes(region.directive.start) && (is_other_device || self.takes(region))
        });
        let is_array = self.all.unit.is_array(self.symbol);
        let mut is_kept = !is_taken;
        visit::expressions(way.body, &mut |e| {
            let changes = !is_array && changed(e) == Some(self.symbol);
            let calls = is_call_of_runtime(e, self.all.unit) || self.is_call_of_taker(e);
            is_kept &= !((changes || calls) && way.passes(e.span.start));
        });
        is_kept
    }

    /// Whether a region ends the variable's time on the device.
    fn takes(&self, region: &Region) -> bool {
        let is_end = matches!(region.kind, RegionKind::ExitData { .. });
        let mut items = region.data.iter();
        is_end && items.any(|item| item.symbol.is_none_or(|symbol| symbol == self.symbol))
    }

    /// Whether something in the file may have it on the device by then.
    fn may_be_there(&self) -> bool {
        let variable = self.all.unit.symbol(self.symbol);
        let is_of_caller = variable.kind == SymbolKind::Parameter;
        let begins = |region: &&Region| {
            begins_lifetimes(region)
                && region.directive != self.region.directive
                && happens(region, self.all.unit) != Some(false)
        };
        let mut regions = self.all.module.regions.iter().filter(begins);
        regions.any(|region| {
            let is_other = region.function != self.region.function;
            let is_dynamic = matches!(region.kind, RegionKind::EnterData);
            let is_around = || self.around().any(|one| one.directive == region.directive);
            let mut items = region.data.iter();
            let names = items.any(|item| holds(item, self.symbol));
            is_other && (is_of_caller || names) || names && (is_dynamic || is_around())
        })
    }

    /// Whether an expression calls a function of the file, where one may take data off the device.
    fn is_call_of_taker(&self, e: &Expression) -> bool {
        let mut takers = self.all.takers.iter();
        takers.any(|taker| *taker != self.region.function)
            && called(e).is_some_and(|function| self.all.unit.function(function).is_some())
    }
}

/// From one place of a function to another one, which is behind it in the text.
struct Way<'m> {
    body: &'m Statement,
    from: u32,
    to: u32,
}

impl Way<'_> {
    /// Whether control comes to the second place by the first one alone.
    fn is_certain(&self) -> bool {
        let mut block = None;
        let mut jumps = false;
        visit::statements(self.body, &mut |statement| {
            let is_around = contains(statement.span, self.from);
            match &statement.kind {
                StatementKind::Labeled(..) => jumps = true,
                StatementKind::Switch(..) if is_around => jumps = true,
                StatementKind::Directive(_, None) => {}
                _ if is_around => block = Some(statement),
                _ => {}
            }
        });
        let is_list = |block: &Statement| {
            matches!(
                block.kind,
                StatementKind::Compound(_) | StatementKind::Directive(..)
            ) && contains(block.span, self.to)
        };
        self.from < self.to && !jumps && block.is_some_and(is_list)
    }

    /// Whether control may come by a place on the way: it is between the two in the text, or a loop
    /// has it and the second place, but not the first.
    fn passes(&self, at: u32) -> bool {
        let mut passes = self.from < at && at < self.to;
        visit::statements(self.body, &mut |statement| {
            let is_loop = matches!(
                statement.kind,
                StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..)
            );
            let has = |at| contains(statement.span, at);
            passes |= is_loop && has(at) && has(self.to) && !has(self.from);
        });
        passes
    }
}
