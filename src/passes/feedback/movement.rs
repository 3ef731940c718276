//! What is copied between host and device, and how often.
//!
//! Input: regions as the program has them. Output: a note for each copy: the section, the
//! direction, the bytes, by which rule; and where a loop of the host repeats a copy of what
//! nothing in it uses on the host, the `data` region that would make it once.
//!
//! ```c
//! for (int t = 0; t < steps; t++) {
//!     #pragma acc parallel loop copy(a[0:n])   // 8·n bytes each way, in each of `steps` iterations
//!     for (int i = 0; i < n; i++)
//!         a[i] += t;
//! }
//! ```

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::consecutive::{Chain, chains};
use super::hoisting::{Hoisted, Hoisting, Obstacle, contains};
use super::host_loops::{HostLoop, HostLoops, Repetitions};
use super::placements::{Asked, proviso};
use super::presence::{Presence, happens};
use super::sections::{Bytes, Total, section_text};
use crate::diagnostic::{Diagnostic, MINOR, RANK, codes};
use crate::ir::{DataAction, DataItem, Extent, Module, PrivateArraySize, Region, RegionKind};
use crate::typed::print::spelled;
use crate::typed::{SymbolKind, Unit};

/// A copy of no more bytes that no loop repeats makes no difference.
const SMALL: u64 = 4096;

/// One of so many may cost as much as the kernels that use it.
const LARGE: u64 = 1 << 20;

/// What is said of a loop.
const REPEATS: &str = "this loop of the host repeats the copy";

/// The bytes of a sector, and how much slower than a device's memory the bus is.
const SECTOR: f64 = 32.0;
const SLOWER: f64 = 16.0;

/// The notes of a module.
pub fn of_module(module: &Module, unit: &Unit) -> Vec<Diagnostic> {
    let chains = chains(module, unit);
    let hoisting = Hoisting::new(module, unit, &chains);
    let mut notes = Vec::new();
    for region in &module.regions {
        if happens(region, unit) == Some(false) {
            continue;
        }
        for item in &region.data {
            let moved = Moved::of(&hoisting, region, item);
            notes.extend(moved.map_or_else(Vec::new, |moved| moved.notes()));
        }
        for item in incoming(module, unit, region) {
            let moved = Moved {
                module,
                hoisting: &hoisting,
                unit,
                region,
                item: &item,
                direction: Direction::ToDevice,
                presence: Presence::Unseen,
                why: "copies of its own on the device begin with the host's values".into(),
            };
            notes.extend(moved.notes());
        }
    }
    notes
}

/// What private arrays of a construct's kernels begin with, as data that is copied.
fn incoming(module: &Module, unit: &Unit, region: &Region) -> Vec<DataItem> {
    let RegionKind::Compute { launches, .. } = &region.kind else {
        return Vec::new();
    };
    let kernels = launches.iter().map(|l| module.kernel(l.kernel));
    let arrays = kernels.flat_map(|kernel| {
        let copied = kernel.private_arrays.iter().filter(|array| array.copied);
        copied.map(|array| match &array.size {
            PrivateArraySize::Part(part) => (**part).clone(),
            PrivateArraySize::Declared => {
                let at = kernel.directive;
                DataItem::of_variable(unit, array.symbol, DataAction::CopyIn, Extent::Whole, at)
            }
        })
    });
    arrays.collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    ToDevice,
    ToHost,
    Both,
}

impl Direction {
    pub(super) fn of(action: DataAction) -> Option<Self> {
        match action {
            DataAction::Copy | DataAction::FindOrCopy => Some(Self::Both),
            DataAction::CopyIn | DataAction::FindOrCopyIn | DataAction::UpdateDevice => {
                Some(Self::ToDevice)
            }
            DataAction::CopyOut | DataAction::UpdateHost => Some(Self::ToHost),
            _ => None,
        }
    }

    /// What is copied of an item that is present.
    fn always(self, item: &DataItem) -> Option<Self> {
        let modifiers = item.modifiers;
        let to_device = modifiers.always_in && self != Self::ToHost;
        let to_host = modifiers.always_out && self != Self::ToDevice;
        match (to_device, to_host) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::ToDevice),
            (false, true) => Some(Self::ToHost),
            (false, false) => None,
        }
    }

    /// In a sentence, what follows the bytes, and as data.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::ToDevice => ["to the device", "", "to device"],
            Self::ToHost => ["to the host", "", "to host"],
            Self::Both => ["to the device and back", " each way", "both"],
        }
    }
}

/// One copy.
struct Moved<'m> {
    module: &'m Module,
    hoisting: &'m Hoisting<'m>,
    unit: &'m Unit,
    region: &'m Region,
    item: &'m DataItem,
    direction: Direction,
    presence: Presence,
    /// By which rule.
    why: Cow<'static, str>,
}

impl<'m> Moved<'m> {
    /// The copy of an item of a region, if there is one.
    fn of(hoisting: &'m Hoisting<'m>, region: &'m Region, item: &'m DataItem) -> Option<Self> {
        let (module, unit) = (hoisting.module, hoisting.unit);
        let presence = match region.kind {
            // Its memory is its own.
            RegionKind::Placement => Presence::Unseen,
            _ => hoisting.presences.of(region, item),
        };
        let all = Direction::of(item.action)?;
        let direction = match (&region.kind, presence) {
            (RegionKind::Update { .. } | RegionKind::ExitData { .. }, _) => all,
            (_, Presence::Sure) => all.always(item)?,
            _ => all,
        };
        Some(Self {
            module,
            hoisting,
            unit,
            region,
            item,
            direction,
            presence,
            why: why(region, item, unit),
        })
    }

    /// A note for each of the ways by which loops come to it, the worst first.
    fn notes(&self) -> Vec<Diagnostic> {
        let mut ways = self.host_loops();
        ways.sort_by_key(|loops| Reverse(loops.repetitions()));
        let mut notes: Vec<Diagnostic> = Vec::new();
        for loops in &ways {
            let note = self.note(loops);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        // By another way it may be told of elsewhere.
        let tells = |note: &Diagnostic| {
            let mut keys = ["remedy", "obstacle"].iter();
            keys.any(|key| note.data.contains_key(*key))
        };
        if notes.iter().any(tells) {
            notes.retain(tells);
        }
        notes
    }

    fn note(&self, loops: &HostLoops<'m>) -> Diagnostic {
        let bytes = Bytes::of(self.item, self.unit);
        let is_small = bytes.symbols.is_empty() && bytes.number.is_none_or(|n| n <= SMALL);
        let is_minor = is_small && loops.all.is_empty() && self.is_known();
        let [direction, each, data] = self.direction.words();
        let section = match self.region.kind {
            RegionKind::Placement => self.item.text.clone(),
            _ => section_text(self.item, self.unit),
        };
        let exceptions = self.exceptions();
        let repeated = loops
            .text(exceptions.is_empty())
            .map(|text| format!(", {text}"));
        let (size, repeated) = (bytes.text(), repeated.unwrap_or_default());
        let message =
            format!("`{section}` is copied {direction}{exceptions}: {size}{each}{repeated}");
        let note = Diagnostic::remark(codes::DATA_MOVEMENT, message, self.item.span)
            .note(self.why.as_ref())
            .data("section", section.as_str())
            .data("direction", data)
            .data("bytes", bytes.known())
            .data("size", bytes.text())
            .data("implicit", self.item.implicit)
            .data("unless_present", self.is_excepted())
            .data("why", self.why.as_ref())
            .data("decided", "copy");
        if is_minor {
            return note.data(MINOR, true);
        }
        match self.region.kind {
            RegionKind::Placement => self.move_out(note, &bytes, loops),
            _ => self.hoist(note, &bytes, loops),
        }
    }

    /// Whether loops repeat it that it need not be in, or that it must; then by the loops of which only the
    /// program knows how often they run, then by the sizes that it knows alone, then by the bytes for each
    /// of these, as often as the other loops run.
    fn rank(&self, bytes: &Bytes, repeated: Repetitions, is_needless: bool) -> f64 {
        let degree = u32::try_from(bytes.symbols.len()).unwrap_or(u32::MAX);
        let unknown = repeated.unknown.min(9);
        let is_scalar = self.unit.types.is_arithmetic(self.item.object.ty.ty);
        let ways = u64::from(self.direction == Direction::Both) + 1;
        let number = bytes.number.unwrap_or(1).saturating_mul(ways);
        let number = number.saturating_mul(repeated.known).max(1);
        let weight = (number as f64).log2() / 8.0;
        let size = f64::from(10 * degree.min(9)) + weight;
        match () {
            () if is_scalar => 100.0,
            () if repeated.are_several() && is_needless => 1000.0 + f64::from(100 * unknown) + size,
            () if repeated.are_several() => 600.0 + f64::from(10 * unknown) + size,
            () if degree > 0 => 200.0 + size,
            // As the transactions of an access, of which each moves a sector.
            () if bytes.number.is_some_and(|n| n >= LARGE) => {
                200.0 + 3.0 * (number as f64 / SECTOR * SLOWER).log2()
            }
            () => 100.0,
        }
    }

    /// With what would make the copy once, or why nothing would; the outermost loop counts around
    /// which a region would do, and the first copy tells of it.
    fn hoist(&self, note: Diagnostic, bytes: &Bytes, loops: &HostLoops<'m>) -> Diagnostic {
        let mut obstacle = None;
        let hoisted = loops.all.iter().find_map(|around| {
            let symbol = around.name(self.item.symbol?, self.unit)?;
            match (self.hoisting).hoisted(symbol, self.region, around.statement, loops.is_certain) {
                Ok(hoisted) => Some((around, hoisted)),
                Err(found) => {
                    obstacle = Some(found);
                    None
                }
            }
        });
        let Some((around, hoisted)) = hoisted else {
            return match self.chained(&note, bytes) {
                Some(told) => told,
                None => self.stays(
                    note,
                    bytes,
                    loops,
                    obstacle.or_else(|| self.unfollowed(loops)),
                ),
            };
        };
        let is_own = |(_, item): &(&Region, &DataItem)| std::ptr::eq(*item, self.item);
        if !hoisted.copies.iter().any(is_own) {
            let why = "other directives in the loop copy it, too";
            return self.stays(note, bytes, loops, Some(Obstacle::new(why, None)));
        }
        if !self.is_first(&hoisted, around) {
            return told_elsewhere(note);
        }
        let name = self.loop_name(around);
        let begins =
            |(region, _): &&(&Region, _)| !matches!(region.kind, RegionKind::ExitData { .. });
        let constructs = hoisted.copies.iter().filter(begins);
        let constructs: BTreeSet<u32> = constructs.map(|(r, _)| r.directive.start).collect();
        let number = match constructs.len() {
            0 | 1 => String::new(),
            n => format!(" for {n} constructs"),
        };
        let mut inner = loops
            .all
            .iter()
            .skip_while(|one| !std::ptr::eq(*one, around));
        let needs_run = hoisted.needs_run && !inner.all(HostLoop::runs);
        let remedy = format!(
            "{} the loop{name} would copy {} once{number}{}",
            hoisted.directive,
            if hoisted.are_several { "them" } else { "it" },
            proviso(needs_run),
        );
        let rank = self.rank_of(bytes, &hoisted.total, loops.repetitions());
        with_total(note, &hoisted.total)
            .also(around.statement.span, REPEATS)
            .data("remedy", remedy.as_str())
            .data(RANK, rank)
            .help(remedy)
    }

    /// As in `` over `t` ``; nothing where a loop has no variable.
    fn loop_name(&self, around: &HostLoop) -> String {
        let variable = around.variable.map(|symbol| &self.unit.symbol(symbol).name);
        variable.map_or(String::new(), |name| format!(" over `{name}`"))
    }

    /// The rank of what copies `total` for nothing, of which `bytes` are one part.
    fn rank_of(&self, bytes: &Bytes, total: &Total, repeated: Repetitions) -> f64 {
        let Some(number) = total.number() else {
            return self.rank(bytes, repeated, true);
        };
        let all = Bytes {
            // A copy both ways counts twice there and here.
            number: Some(match self.direction {
                Direction::Both => number.div_ceil(2),
                _ => number,
            }),
            symbols: bytes.symbols.clone(),
        };
        self.rank(&all, repeated, true)
    }

    /// With where else the directives could stand that place it, or why they have to be in the loop; the
    /// outermost loop counts, and the first copy tells of it.
    fn move_out(&self, note: Diagnostic, bytes: &Bytes, loops: &HostLoops<'m>) -> Diagnostic {
        let mut obstacle = None;
        let own = loops.all.iter().filter(|one| one.calls.is_empty());
        let moved = own.clone().find_map(|around| {
            let asked = Asked {
                item: self.item,
                around: around.statement,
                is_certain: loops.is_certain,
                runs: loops.all.iter().all(HostLoop::runs),
            };
            match self.hoisting.moved_out(&asked) {
                Ok(moved) => Some((around, moved)),
                Err(found) => {
                    obstacle = found;
                    None
                }
            }
        });
        let Some((around, moved)) = moved else {
            return self.stays(note, bytes, loops, obstacle);
        };
        if !std::ptr::eq(moved.first, self.item) {
            let why = "the directives that the note on its first copy names serve this one, too";
            return note.note(why).data(RANK, 100);
        }
        let remedy = moved.remedy(&self.loop_name(around));
        let rank = self.rank_of(bytes, &moved.total, loops.repetitions());
        with_total(note, &moved.total)
            .also(around.statement.span, REPEATS)
            .data("remedy", remedy.as_str())
            .data(RANK, rank)
            .help(remedy)
    }

    /// With the region around constructs that follow one another, which would copy it once for all of
    /// them; the first one tells of it.
    fn chained(&self, note: &Diagnostic, bytes: &Bytes) -> Option<Diagnostic> {
        let symbol = self.item.symbol?;
        let at = self.region.directive.start;
        let is_it = |c: &&Chain| c.symbol == symbol && contains(c.statement.span, at);
        let chain = self.hoisting.chains.iter().find(is_it)?;
        let hoisted = (self.hoisting).hoisted(symbol, self.region, &chain.statement, true);
        let Hoisted {
            directive,
            copies,
            total,
            ..
        } = hoisted.ok()?;
        let is_construct = |region: &Region| matches!(region.kind, RegionKind::Compute { .. });
        let all = copies.iter().all(|(region, _)| is_construct(region));
        let (_, first) = copies.first().filter(|_| all && copies.len() > 1)?;
        if !std::ptr::eq(*first, self.item) {
            return Some(told_elsewhere(note.clone()));
        }
        let remedy = format!(
            "{directive} the {} constructs from this one on would copy it once",
            copies.len()
        );
        let told = with_total(note.clone(), &total);
        let rank = 500.0 + self.rank_of(bytes, &total, Repetitions::ONE);
        Some(
            told.also(chain.last, "this is the last of them")
                .data("remedy", remedy.as_str())
                .data(RANK, rank)
                .help(remedy),
        )
    }

    /// Why nothing is known of a copy that loops repeat of what no variable of theirs leads to.
    fn unfollowed(&self, loops: &HostLoops<'m>) -> Option<Obstacle> {
        let around = loops.all.first()?;
        let why = match self.item.symbol {
            None => format!(
                "whether the host uses what `{}` leads to in the loop is not known",
                self.item.text.split('[').next().unwrap_or_default()
            ),
            Some(symbol) if around.name(symbol, self.unit).is_none() => {
                let variable = self.unit.symbol(symbol);
                match variable.kind {
                    SymbolKind::Parameter => {
                        format!(
                            "its calls pass no variable of theirs for `{}`",
                            variable.name
                        )
                    }
                    _ => format!(
                        "`{}` is a variable of the function that copies it",
                        variable.name
                    ),
                }
            }
            Some(_) => return None,
        };
        Some(Obstacle::new(why, None))
    }

    /// A copy that loops have to repeat, if there are any: of sections of its own in each iteration, which
    /// come to one, or for another reason.
    fn stays(
        &self,
        note: Diagnostic,
        bytes: &Bytes,
        loops: &HostLoops<'m>,
        obstacle: Option<Obstacle>,
    ) -> Diagnostic {
        let is_other = obstacle.as_ref().is_some_and(|one| one.is_other_section);
        let repeated = match is_other {
            true => Repetitions::ONE,
            false => loops.repetitions(),
        };
        let note = note.data(RANK, self.rank(bytes, repeated, false));
        let Some(obstacle) = obstacle else {
            return match loops.all.iter().rev().find(|one| !one.calls.is_empty()) {
                Some(one) => note.also(one.statement.span, calls_text(one, self.unit)),
                None => note,
            };
        };
        let note = note
            .note(format!("it stays in the loop: {}", obstacle.why))
            .data("obstacle", obstacle.why);
        match obstacle.at {
            Some(at) => note.also(at, ""),
            None => note,
        }
    }

    /// Whether no copy before this one tells of a region around the same loop.
    fn is_first(&self, hoisted: &Hoisted<'m>, around: &HostLoop) -> bool {
        let mut telling = hoisted.copies.iter().filter(|(region, item)| {
            let moved = Moved::of(self.hoisting, region, item);
            moved.is_some_and(|moved| {
                let ways = moved.host_loops();
                let mut all = ways.iter().flat_map(|loops| &loops.all);
                all.any(|one| std::ptr::eq(one.statement, around.statement))
            })
        });
        let first = telling.next();
        first.is_none_or(|(_, item)| std::ptr::eq(*item, self.item))
    }

    /// Whether the number of bytes is.
    fn is_known(&self) -> bool {
        !matches!(self.item.extent, Extent::Unknown | Extent::Unmeasured(_))
    }

    /// Whether it may be on the device, and is not copied then.
    fn is_excepted(&self) -> bool {
        let modifiers = self.item.modifiers;
        let is_always = match self.direction {
            Direction::ToDevice => modifiers.always_in,
            Direction::ToHost => modifiers.always_out,
            Direction::Both => modifiers.always_in && modifiers.always_out,
        };
        let may_be_skipped = !matches!(
            self.region.kind,
            RegionKind::Update { .. } | RegionKind::ExitData { .. }
        );
        may_be_skipped && !is_always && self.presence == Presence::Possible
    }

    /// When there is no copy, as a piece of a sentence.
    fn exceptions(&self) -> String {
        let mut text = String::new();
        if let Some(condition) = &self.region.condition
            && happens(self.region, self.unit).is_none()
        {
            let condition = spelled(self.unit, condition);
            text += &format!(" if `{condition}`");
        }
        if self.is_excepted() {
            text += " unless it is present";
        }
        let if_present = matches!(self.region.kind, RegionKind::Update { if_present: true });
        if if_present && self.presence != Presence::Sure {
            text += " if it is present";
        }
        text
    }

    /// The loops of the host that repeat the copy, for each way to it that has some: a lifetime that
    /// begins is copied again where one ended in the same loop.
    fn host_loops(&self) -> Vec<HostLoops<'m>> {
        let (function, at) = (self.region.function, self.region.directive.start);
        let loops = HostLoops::around(self.unit, function, at);
        let is_opposite = |region: &Region| match self.region.kind {
            RegionKind::EnterData => matches!(region.kind, RegionKind::ExitData { .. }),
            RegionKind::ExitData { .. } => matches!(region.kind, RegionKind::EnterData),
            _ => true,
        };
        let mut opposite = Vec::new();
        for region in self.module.regions.iter().filter(|r| is_opposite(r)) {
            let mut items = region.data.iter();
            if items.any(|item| item.symbol == self.item.symbol) {
                opposite.push(region.directive.start);
            }
        }
        let is_dynamic = matches!(
            self.region.kind,
            RegionKind::EnterData | RegionKind::ExitData { .. }
        );
        let mut ways = match is_dynamic {
            true => vec![loops],
            false => loops.with_callers(&self.hoisting.calls, function, at),
        };
        for loops in &mut ways {
            loops.retain(|one| match one.calls.is_empty() {
                true => opposite.iter().any(|at| contains(one.statement.span, *at)),
                false => self.is_repeated(one),
            });
        }
        let is_by_call = |way: &HostLoops| way.all.iter().any(|one| !one.calls.is_empty());
        if ways.iter().any(is_by_call) {
            ways.retain(is_by_call);
        }
        ways
    }

    /// Whether a loop around calls copies it again: nothing around that loop has it on the device.
    fn is_repeated(&self, around: &HostLoop) -> bool {
        if self.presence == Presence::Unseen {
            return true;
        }
        let symbol = self.item.symbol;
        let outside = symbol.and_then(|symbol| around.name(symbol, self.unit));
        outside.is_some_and(|symbol| self.hoisting.is_never_present(symbol))
    }
}

/// With the bytes of all copies that one way out serves, if they are several.
fn with_total(note: Diagnostic, total: &Total) -> Diagnostic {
    match total.text() {
        Some(all) => note
            .note(format!("with the other copies that this serves: {all}"))
            .data("together", all),
        None => note,
    }
}

fn told_elsewhere(note: Diagnostic) -> Diagnostic {
    note.note(
        "the `data` region or `update` that the note on its first copy names serves this one, too",
    )
    .data(RANK, 100)
}

/// That a loop runs a function which copies.
fn calls_text(around: &HostLoop, unit: &Unit) -> String {
    match around.calls.last() {
        Some(call) => {
            let name = &unit.symbol(call.callee.symbol).name;
            format!("this loop of the host calls `{name}`")
        }
        None => String::new(),
    }
}

/// By which rule an item is copied.
fn why(region: &Region, item: &DataItem, unit: &Unit) -> Cow<'static, str> {
    if matches!(region.kind, RegionKind::Placement) {
        return format!("`{}` asks for it", region.title).into();
    }
    let why = match (item.implicit, &item.action) {
        (_, DataAction::FindOrCopy | DataAction::FindOrCopyIn) => {
            "no clause names it, and it is copied if it is not present"
        }
        (true, DataAction::Copy) if unit.types.is_arithmetic(item.object.ty.ty) => {
            "it is a variable that the construct changes"
        }
        (true, DataAction::Copy) => "no clause names it: what is no scalar is copied",
        (true, DataAction::CopyIn) => "no clause names it, and it is only read",
        (true, _) => "no clause names it, and it is only written",
        (false, _) => "a clause asks for it",
    };
    why.into()
}
