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

use super::hoisting::{Hoisted, Hoisting, contains};
use super::host_loops::{HostLoop, HostLoops};
use super::presence::{Presence, happens};
use crate::diagnostic::{Diagnostic, MINOR, RANK, codes};
use crate::ir::{
    DataAction, DataItem, Extent, Length, Module, PrivateArraySize, Range, Region, RegionKind,
};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer, without_suffixes};
use crate::typed::{BinaryOperator, Expression, ExpressionKind, QualType, Unit, visit};

/// A copy of no more bytes that no loop repeats makes no difference.
const SMALL: u64 = 4096;

/// One of so many may cost as much as the kernels that use it.
const LARGE: u64 = 1 << 20;

/// The notes of a module.
pub fn of_module(module: &Module, unit: &Unit) -> Vec<Diagnostic> {
    let hoisting = Hoisting::new(module, unit);
    let mut notes = Vec::new();
    for region in &module.regions {
        // Device memory of its own is told of elsewhere.
        if matches!(region.kind, RegionKind::Placement) || happens(region, unit) == Some(false) {
            continue;
        }
        for item in &region.data {
            notes.extend(Moved::of(&hoisting, region, item).map(|moved| moved.note()));
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
                why: "copies of its own on the device begin with the host's values",
            };
            notes.push(moved.note());
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
    why: &'static str,
}

impl<'m> Moved<'m> {
    /// The copy of an item of a region, if there is one.
    fn of(hoisting: &'m Hoisting<'m>, region: &'m Region, item: &'m DataItem) -> Option<Self> {
        let (module, unit) = (hoisting.module, hoisting.unit);
        let presence = hoisting.presences.of(region, item);
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
            why: why(item, unit),
        })
    }

    fn note(&self) -> Diagnostic {
        let bytes = Bytes::of(self.item, self.unit);
        let loops = self.host_loops();
        let is_small = bytes.symbols.is_empty() && bytes.number.is_none_or(|n| n <= SMALL);
        let is_minor = is_small && loops.all.is_empty() && self.is_known();
        let [direction, each, data] = self.direction.words();
        let section = section_text(self.item, self.unit);
        let exceptions = self.exceptions();
        let repeated = loops
            .text(exceptions.is_empty())
            .map(|text| format!(", {text}"));
        let (size, repeated) = (bytes.text(), repeated.unwrap_or_default());
        let message =
            format!("`{section}` is copied {direction}{exceptions}: {size}{each}{repeated}");
        let note = Diagnostic::remark(codes::DATA_MOVEMENT, message, self.item.span)
            .note(self.why)
            .data("section", section.as_str())
            .data("direction", data)
            .data("bytes", bytes.known())
            .data("size", bytes.text())
            .data("implicit", self.item.implicit)
            .data("unless_present", self.is_excepted())
            .data("why", self.why)
            .data("decided", "copy");
        if is_minor {
            return note.data(MINOR, true);
        }
        let rank = self.rank(&bytes, loops.all.len());
        self.hoist(note.data(RANK, rank), &loops)
    }

    /// By the loops around, then by the sizes that only the program knows, then by the bytes for
    /// each of them.
    fn rank(&self, bytes: &Bytes, depth: usize) -> f64 {
        let degree = u32::try_from(bytes.symbols.len()).unwrap_or(u32::MAX);
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        let is_scalar = self.unit.types.is_arithmetic(self.item.object.ty.ty);
        let ways = u64::from(self.direction == Direction::Both) + 1;
        let number = bytes.number.unwrap_or(1).saturating_mul(ways).max(1);
        let weight = (number as f64).log2() / 8.0;
        let size = f64::from(10 * degree.min(9)) + weight;
        match depth {
            _ if is_scalar => 100.0,
            0 if degree > 0 || bytes.number.is_some_and(|n| n >= LARGE) => 200.0 + size,
            0 => 100.0,
            depth => 1000.0 + f64::from(100 * depth.min(9)) + size,
        }
    }

    /// With the region that would make the copy once; the outermost loop counts around which one
    /// would do, and the first copy tells of it.
    fn hoist(&self, note: Diagnostic, loops: &HostLoops<'m>) -> Diagnostic {
        let hoisted = self.item.symbol.and_then(|symbol| {
            let found = loops.all.iter().map(|around| {
                let symbol = around.name(symbol, self.unit)?;
                let hoisted = self.hoisting.clause(symbol, around.statement)?;
                Some((around, hoisted))
            });
            found.flatten().next()
        });
        let Some((around, hoisted)) = hoisted else {
            return match loops.all.iter().rev().find(|one| !one.calls.is_empty()) {
                Some(one) => note.also(one.statement.span, calls_text(one, self.unit)),
                None => note,
            };
        };
        if !self.is_first(&hoisted, around) {
            let text = "the `data` region that another copy of it tells of would do for this one";
            return note.note(text).data(RANK, 100);
        }
        let variable = around.variable.map(|symbol| &self.unit.symbol(symbol).name);
        let name = variable.map_or(String::new(), |name| format!(" over `{name}`"));
        let number = match hoisted.copies.len() {
            0 | 1 => String::new(),
            n => format!(" for {n} constructs"),
        };
        let remedy = format!(
            "a `data` region with `{}` around the loop{name} would copy it once{number}",
            hoisted.clause
        );
        note.also(
            around.statement.span,
            "this loop of the host repeats the copy",
        )
        .data("remedy", remedy.as_str())
        .help(remedy)
    }

    /// Whether no copy before this one tells of a region around the same loop.
    fn is_first(&self, hoisted: &Hoisted<'m>, around: &HostLoop) -> bool {
        let mut telling = hoisted.copies.iter().filter(|(region, item)| {
            let moved = Moved::of(self.hoisting, region, item);
            moved.is_some_and(|moved| {
                let loops = moved.host_loops();
                let mut all = loops.all.iter();
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
            let condition = Printer::text(self.unit, &C, condition.inner());
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

    /// The loops of the host that repeat the copy: a lifetime that begins is copied again where
    /// one ended in the same loop.
    fn host_loops(&self) -> HostLoops<'m> {
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
        let mut loops = match is_dynamic {
            true => loops,
            false => loops.with_callers(&self.hoisting.calls, function, at),
        };
        loops.retain(|one| match one.calls.is_empty() {
            true => opposite.iter().any(|at| contains(one.statement.span, *at)),
            false => self.is_repeated(one),
        });
        loops
    }

    /// Whether a loop around calls copies it again: nothing around that loop has it on the device.
    fn is_repeated(&self, around: &HostLoop) -> bool {
        if self.presence == Presence::Unseen {
            return true;
        }
        let symbol = self.item.symbol;
        let outside = symbol.and_then(|symbol| around.name(symbol, self.unit));
        outside.is_some_and(|symbol| self.hoisting.presences.is_never(symbol))
    }
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
fn why(item: &DataItem, unit: &Unit) -> &'static str {
    match (item.implicit, &item.action) {
        (_, DataAction::FindOrCopy | DataAction::FindOrCopyIn) => {
            "no clause names it, and it is copied if it is not present"
        }
        (true, DataAction::Copy) if unit.types.is_arithmetic(item.object.ty.ty) => {
            "it is a variable that the construct changes"
        }
        (true, DataAction::Copy) => "no clause names it: what is no scalar is copied",
        (true, _) => "no clause names it, and it is only read or only written",
        (false, _) => "a clause asks for it",
    }
}

/// A size: a number times what only the program knows.
struct Bytes {
    number: Option<u64>,
    symbols: Vec<String>,
}

impl Bytes {
    fn of(item: &DataItem, unit: &Unit) -> Self {
        let unknown = Self {
            number: None,
            symbols: Vec::new(),
        };
        match &item.extent {
            Extent::Whole => match unit.types.size(item.object.ty.ty) {
                Some(bytes) => Self {
                    number: Some(bytes),
                    symbols: Vec::new(),
                },
                None => Self {
                    number: Some(1),
                    symbols: vec![format!("sizeof {}", item.text)],
                },
            },
            Extent::Unknown | Extent::Unmeasured(_) => unknown,
            Extent::Section { ranges, element } => {
                let mut number = unit.types.size(element.ty);
                let mut symbols = Vec::new();
                for range in ranges {
                    match &range.length {
                        Length::Constant(n) => number = number.and_then(|m| m.checked_mul(*n)),
                        length => {
                            for factor in factors(length, unit, item.object.ty) {
                                match factor.parse::<u64>() {
                                    Ok(n) => number = number.and_then(|m| m.checked_mul(n)),
                                    Err(_) => symbols.push(factor),
                                }
                            }
                        }
                    }
                }
                Self { number, symbols }
            }
        }
    }

    /// The number, if nothing else is in it.
    fn known(&self) -> Option<u64> {
        self.number.filter(|_| self.symbols.is_empty())
    }

    fn text(&self) -> String {
        let Some(number) = self.number else {
            return "an unknown number of bytes".into();
        };
        let number = Some(number.to_string()).filter(|_| number != 1 || self.symbols.is_empty());
        let factors: Vec<String> = number.into_iter().chain(self.symbols.clone()).collect();
        let plural = if factors == ["1"] { "" } else { "s" };
        format!("{} byte{plural}", factors.join("·"))
    }
}

/// The factors of a length, `n` and `m` of `n * m`.
fn factors(length: &Length, unit: &Unit, object: QualType) -> Vec<String> {
    let mut found = Vec::new();
    match length.value(unit, object) {
        Some(e) => add_factors(e, unit, &mut found),
        None => found.push("(length of the row)".into()),
    }
    found
}

/// As a person writes it, without what only the compiler needs.
fn plain_text(e: &Expression, unit: &Unit) -> String {
    let mut e = e.clone();
    visit::walk_mut(&mut e, &mut |e| {
        while let ExpressionKind::Cast(inner) = &mut e.kind {
            *e = (**inner).clone();
        }
    });
    without_suffixes(&Printer::text(unit, &C, e.inner()))
}

/// Those of an expression, without conversions; of `n > 0 ? n : 0`, which counts what there is of an
/// array, those of `n`.
fn add_factors(e: &Expression, unit: &Unit, found: &mut Vec<String>) {
    match &e.inner().kind {
        ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
            add_factors(inner, unit, found);
        }
        ExpressionKind::Binary(BinaryOperator::Multiply, left, right) => {
            add_factors(left, unit, found);
            add_factors(right, unit, found);
        }
        ExpressionKind::Conditional(_, Some(length), none) if evaluate(unit, none) == Some(0) => {
            add_factors(length, unit, found);
        }
        kind => {
            let is_sum = matches!(
                kind,
                ExpressionKind::Binary(..) | ExpressionKind::Conditional(..)
            );
            let text = plain_text(e, unit);
            found.push(if is_sum { format!("({text})") } else { text });
        }
    }
}

/// The section as a clause could have it.
pub(super) fn section_text(item: &DataItem, unit: &Unit) -> String {
    if item.text.contains('[') {
        return without_suffixes(&item.text);
    }
    computed_text(item, unit)
}

/// The section by its bounds, whatever is written.
pub(super) fn computed_text(item: &DataItem, unit: &Unit) -> String {
    let Extent::Section { ranges, .. } = &item.extent else {
        return item.text.clone();
    };
    let one = |range: &Range| {
        let lower = range.lower.as_ref();
        let lower = lower.map_or_else(|| "0".into(), |e| Printer::text(unit, &C, e.inner()));
        let length = match &range.length {
            Length::Constant(n) => n.to_string(),
            length => match length.value(unit, item.object.ty) {
                Some(e) => plain_text(e, unit),
                None => return "[:]".to_owned(),
            },
        };
        format!("[{lower}:{length}]")
    };
    let name = match item.symbol {
        Some(symbol) => &unit.symbol(symbol).name,
        None => &item.text,
    };
    name.clone() + &ranges.iter().map(one).collect::<String>()
}
