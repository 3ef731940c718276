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

use super::hoisting::{Hoisting, bare, contains};
use crate::diagnostic::{Diagnostic, RANK, codes};
use crate::ir::{DataAction, DataItem, Extent, Length, Module, Range, Region, RegionKind};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, QualType, Statement, StatementKind, SymbolId, Unit,
    visit,
};

/// A copy of fewer bytes that no loop repeats makes no difference.
const SMALL: u64 = 4096;

/// One of so many may cost as much as the kernels that use it.
const LARGE: u64 = 1 << 20;

/// The notes of a module.
pub fn of_module(module: &Module, unit: &Unit) -> Vec<Diagnostic> {
    let hoisting = Hoisting::new(module, unit);
    let mut notes = Vec::new();
    for region in &module.regions {
        // Device memory of its own is told of elsewhere.
        if matches!(region.kind, RegionKind::Placement) {
            continue;
        }
        for item in &region.data {
            let Some(direction) = Direction::of(item.action) else {
                continue;
            };
            if is_present(module, region, item) {
                continue;
            }
            let moved = Moved {
                hoisting: &hoisting,
                unit,
                region,
                item,
                direction,
            };
            notes.extend(moved.note());
        }
    }
    notes
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

    /// In a sentence, what follows the bytes, and as data.
    fn words(self) -> [&'static str; 3] {
        match self {
            Self::ToDevice => ["to the device", "", "to device"],
            Self::ToHost => ["to the host", "", "to host"],
            Self::Both => ["to the device and back", " each way", "both"],
        }
    }
}

/// Whether a region around has the variable on the device already.
fn is_present(module: &Module, region: &Region, item: &DataItem) -> bool {
    if matches!(region.kind, RegionKind::Update { .. }) || item.symbol.is_none() {
        return false;
    }
    let mut parent = region.parent;
    while let Some(id) = parent {
        let around = module.region(id);
        if around.data.iter().any(|outer| outer.symbol == item.symbol) {
            return true;
        }
        parent = around.parent;
    }
    false
}

/// One copy.
struct Moved<'m> {
    hoisting: &'m Hoisting<'m>,
    unit: &'m Unit,
    region: &'m Region,
    item: &'m DataItem,
    direction: Direction,
}

/// A loop of the host around a copy.
struct HostLoop<'m> {
    statement: &'m Statement,
    /// Its variable, if it counts.
    variable: Option<SymbolId>,
    /// How often it runs, as a piece of a sentence.
    trips: String,
}

impl Moved<'_> {
    fn note(&self) -> Option<Diagnostic> {
        let bytes = Bytes::of(self.item, self.unit);
        let loops = self.host_loops();
        let is_small = bytes.symbols.is_empty() && bytes.number.is_none_or(|n| n <= SMALL);
        if is_small && loops.is_empty() && self.is_known() {
            return None;
        }
        let [direction, each, data] = self.direction.words();
        let section = section_text(self.item, self.unit);
        let mut message = format!("`{section}` is copied {direction}: {}{each}", bytes.text());
        let innermost = loops.last();
        if let Some(repeated) = innermost {
            message.push_str(&format!(", in each {}", repeated.trips));
        }
        let why = self.why();
        let degree = u32::try_from(bytes.symbols.len()).unwrap_or(u32::MAX);
        let depth = u32::try_from(loops.len()).unwrap_or(u32::MAX);
        let is_scalar = self.unit.types.is_arithmetic(self.item.object.ty.ty);
        let rank = match depth {
            _ if is_scalar => 100,
            0 if degree > 0 || bytes.number.is_some_and(|n| n >= LARGE) => 200 + 10 * degree.min(9),
            0 => 100,
            depth => 1000 + 100 * depth.min(9) + 10 * degree.min(9),
        };
        let mut note = Diagnostic::remark(codes::DATA_MOVEMENT, message, self.item.span)
            .note(why.clone())
            .data("section", section.as_str())
            .data("direction", data)
            .data("bytes", bytes.known())
            .data("size", bytes.text())
            .data("implicit", self.item.implicit)
            .data("why", why)
            .data("decided", "copy")
            .data(RANK, rank);
        // The outermost loop around which one copy would do; the first one tells of it.
        let hoisted = self.item.symbol.and_then(|symbol| {
            let found = loops.iter().map(|around| {
                let clause = self.hoisting.clause(symbol, around.statement)?;
                Some((around, clause))
            });
            found.flatten().next()
        });
        if let Some((_, (_, first))) = hoisted
            && !std::ptr::eq(first, self.item)
        {
            let text = "the `data` region that another copy of it tells of would do for this one";
            return Some(note.note(text).data(RANK, 100));
        }
        if let Some((around, (clause, _))) = hoisted {
            let variable = around.variable.map(|symbol| &self.unit.symbol(symbol).name);
            let name = variable.map_or(String::new(), |name| format!(" over `{name}`"));
            let remedy =
                format!("a `data` region with `{clause}` around the loop{name} would copy it once");
            note = note
                .also(
                    around.statement.span,
                    "this loop of the host repeats the copy",
                )
                .data("remedy", remedy.as_str())
                .help(remedy);
        }
        Some(note)
    }

    /// Whether the number of bytes is.
    fn is_known(&self) -> bool {
        !matches!(self.item.extent, Extent::Unknown | Extent::Unmeasured(_))
    }

    fn why(&self) -> String {
        let rule = match (self.item.implicit, &self.item.action) {
            (_, DataAction::FindOrCopy | DataAction::FindOrCopyIn) => {
                "no clause names it, and it is copied if it is not present"
            }
            (true, DataAction::Copy) if self.unit.types.is_arithmetic(self.item.object.ty.ty) => {
                "it is a variable that the construct changes"
            }
            (true, DataAction::Copy) => "no clause names it: what is no scalar is copied",
            (true, _) => "no clause names it, and it is only read or only written",
            (false, _) => "a clause asks for it",
        };
        rule.to_owned()
    }

    /// The loops of the host around the region, outermost first.
    fn host_loops(&self) -> Vec<HostLoop<'_>> {
        let Some(function) = self.unit.function(self.region.function) else {
            return Vec::new();
        };
        let at = self.region.directive.start;
        let mut loops = Vec::new();
        visit::statements(&function.body, &mut |statement| {
            let is_loop = matches!(
                statement.kind,
                StatementKind::For(_) | StatementKind::While(..) | StatementKind::DoWhile(..)
            );
            if is_loop && contains(statement.span, at) {
                let (variable, trips) = trips(statement, self.unit);
                loops.push(HostLoop {
                    statement,
                    variable,
                    trips,
                });
            }
        });
        loops
    }
}

/// The variable that a loop compares with its bound, and how often it runs, as in `of `steps``
/// `iterations` or `iteration of the loop over `t``.
fn trips(statement: &Statement, unit: &Unit) -> (Option<SymbolId>, String) {
    let unknown = "iteration of the loop around".to_owned();
    let StatementKind::For(l) = &statement.kind else {
        return (None, unknown);
    };
    let Some(ExpressionKind::Binary(operator, left, right)) =
        l.condition.as_ref().map(|e| &e.inner().kind)
    else {
        return (None, unknown);
    };
    let Some(variable) = bare(left).as_symbol() else {
        return (None, unknown);
    };
    let first = match operator {
        BinaryOperator::Less => Some(0),
        BinaryOperator::LessEqual => Some(1),
        _ => None,
    };
    let begins = first.is_some_and(|n| begins_at(l.initializer.as_ref(), variable, n, unit));
    let steps_by_one = l.step.as_ref().is_some_and(|e| {
        matches!(&e.inner().kind, ExpressionKind::Unary(operator, target)
            if operator.is_step() && target.as_symbol() == Some(variable))
    });
    let bound = Printer::text(unit, &C, right.inner());
    let text = match evaluate(unit, right) {
        Some(number) if begins && steps_by_one => format!("of {number} iterations"),
        None if begins && steps_by_one => format!("of `{bound}` iterations"),
        _ => format!(
            "iteration of the loop over `{}`",
            unit.symbol(variable).name
        ),
    };
    (Some(variable), text)
}

fn begins_at(
    initializer: Option<&Statement>,
    variable: SymbolId,
    first: i128,
    unit: &Unit,
) -> bool {
    let value = match initializer.map(|statement| &statement.kind) {
        Some(StatementKind::Declaration(list)) => {
            let own = list.iter().find(|one| one.symbol == variable);
            own.and_then(|one| one.value())
        }
        Some(StatementKind::Expression(Some(e))) => match &e.inner().kind {
            ExpressionKind::Assign(target, value) if target.as_symbol() == Some(variable) => {
                Some(&**value)
            }
            _ => None,
        },
        _ => None,
    };
    value.is_some_and(|value| evaluate(unit, value) == Some(first))
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
                        length => symbols.extend(factors(length, unit, item.object.ty)),
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
        format!("{} bytes", factors.join("·"))
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
    Printer::text(unit, &C, e.inner())
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
    let Extent::Section { ranges, .. } = &item.extent else {
        return item.text.clone();
    };
    if item.text.contains('[') {
        return item.text.clone();
    }
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
    item.text.clone() + &ranges.iter().map(one).collect::<String>()
}
