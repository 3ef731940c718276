//! The sections of data clauses, as text and in bytes.
//!
//! Input: an item of a region. Output: the section as a clause could have it, its size, and of several
//! sections of one variable the one that holds the others.

use indexmap::IndexMap;

use super::movement::Direction;
use crate::analysis::polynomial::{self, Polynomial};
use crate::ir::{DataItem, Extent, Length, Range};
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer, without_suffixes};
use crate::typed::{
    ArrayLength, BinaryOperator, Expression, ExpressionKind, QualType, Type, TypeId, Unit, visit,
};

/// A size: a number times what only the program knows.
pub(super) struct Bytes {
    pub(super) number: Option<u64>,
    pub(super) symbols: Vec<String>,
}

impl Bytes {
    pub(super) fn of(item: &DataItem, unit: &Unit) -> Self {
        let object = item.object.ty;
        match &item.extent {
            Extent::Whole => Self::of_type(object.ty, unit),
            Extent::Unknown | Extent::Unmeasured(_) => Self::new(None),
            Extent::Section { ranges, element } => {
                let mut all = Self::new(unit.types.size(element.ty));
                for range in ranges {
                    match &range.length {
                        Length::Constant(n) => all.add([n.to_string()]),
                        length => all.add(factors(length, unit, object)),
                    }
                }
                all
            }
        }
    }

    fn new(number: Option<u64>) -> Self {
        Self {
            number,
            symbols: Vec::new(),
        }
    }

    /// Those of a variable.
    fn of_type(ty: TypeId, unit: &Unit) -> Self {
        let Type::Array { element, length } = unit.types.get(ty) else {
            return Self::new(unit.types.size(ty));
        };
        let mut all = Self::of_type(element.ty, unit);
        let inner = std::mem::take(&mut all.symbols);
        match length {
            ArrayLength::Constant(n) => all.add([n.to_string()]),
            ArrayLength::Variable(id) => {
                let mut own = Vec::new();
                add_factors(unit.length(*id), unit, &mut own);
                all.add(own);
            }
            ArrayLength::Incomplete | ArrayLength::Star => all.number = None,
        }
        all.add(inner);
        all
    }

    fn add(&mut self, factors: impl IntoIterator<Item = String>) {
        for factor in factors {
            match factor.parse::<u64>() {
                Ok(n) => self.number = self.number.and_then(|m| m.checked_mul(n)),
                Err(_) => self.symbols.push(factor),
            }
        }
    }

    /// The number, if nothing else is in it.
    pub(super) fn known(&self) -> Option<u64> {
        self.number.filter(|_| self.symbols.is_empty())
    }

    pub(super) fn text(&self) -> String {
        let Some(number) = self.number else {
            return "an unknown number of bytes".into();
        };
        let number = Some(number.to_string()).filter(|_| number != 1 || self.symbols.is_empty());
        let factors: Vec<String> = number.into_iter().chain(self.symbols.clone()).collect();
        let plural = if factors == ["1"] { "" } else { "s" };
        format!("{} byte{plural}", factors.join("·"))
    }
}

/// The bytes of several copies.
#[derive(Default)]
pub(super) struct Total {
    /// By what only the program knows; none if a number is not known.
    groups: IndexMap<Vec<String>, Option<u64>>,
    copies: usize,
}

impl Total {
    /// Adds a copy, both ways where it has two.
    pub(super) fn add(&mut self, item: &DataItem, unit: &Unit) {
        let bytes = Bytes::of(item, unit);
        let ways = match Direction::of(item.action) {
            Some(Direction::Both) => 2,
            _ => 1,
        };
        let mut symbols = bytes.symbols;
        symbols.sort_unstable();
        let group = self.groups.entry(symbols).or_insert(Some(0));
        let own = bytes.number.and_then(|number| number.checked_mul(ways));
        *group = group.zip(own).and_then(|(all, own)| all.checked_add(own));
        self.copies += 1;
    }

    /// The bytes for each of what only the program knows, if that is the same for all copies.
    pub(super) fn number(&self) -> Option<u64> {
        let [(_, number)] = self.groups.iter().collect::<Vec<_>>()[..] else {
            return None;
        };
        *number
    }

    /// As in `16·n + 8·m bytes`; none if it is one copy, or not known.
    pub(super) fn text(&self) -> Option<String> {
        let group = |(symbols, number): (&Vec<String>, &Option<u64>)| {
            let number = number.map(|number| number.to_string())?;
            let factors: Vec<&str> = std::iter::once(number.as_str())
                .chain(symbols.iter().map(String::as_str))
                .collect();
            Some(factors.join("·"))
        };
        let groups: Option<Vec<String>> = self.groups.iter().map(group).collect();
        let groups = groups.filter(|_| self.copies > 1)?;
        Some(format!("{} bytes", groups.join(" + ")))
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

/// As a directive has it, or a person would write it, without what only the compiler needs.
fn plain_text(e: &Expression, unit: &Unit) -> String {
    if let Some(written) = unit.spellings.in_directive(e.inner().span) {
        return written;
    }
    let mut e = counted(e, unit).clone();
    visit::walk_mut(&mut e, &mut |e| {
        while let ExpressionKind::Cast(inner) = &mut e.kind {
            *e = (**inner).clone();
        }
    });
    without_suffixes(&Printer::text(unit, &C, e.inner()))
}

/// The length `n` of `n > 0 ? n : 0`, which counts what there is of an array.
fn counted<'e>(e: &'e Expression, unit: &Unit) -> &'e Expression {
    match &e.inner().kind {
        ExpressionKind::Convert(_, inner) => counted(inner, unit),
        ExpressionKind::Conditional(_, Some(length), none) if evaluate(unit, none) == Some(0) => {
            counted(length, unit)
        }
        _ => e,
    }
}

/// Those of an expression, without conversions.
fn add_factors(e: &Expression, unit: &Unit, found: &mut Vec<String>) {
    let e = counted(e, unit);
    if let Some(number) = evaluate(unit, e) {
        found.push(number.to_string());
        return;
    }
    match &e.inner().kind {
        ExpressionKind::Convert(_, inner) | ExpressionKind::Cast(inner) => {
            add_factors(inner, unit, found);
        }
        ExpressionKind::Binary(BinaryOperator::Multiply, left, right) => {
            add_factors(left, unit, found);
            add_factors(right, unit, found);
        }
        kind => {
            let is_sum = matches!(
                kind,
                ExpressionKind::Binary(..) | ExpressionKind::Conditional(..)
            );
            let is_written = unit.spellings.in_directive(e.inner().span).is_some();
            let sum = polynomial::of_variables(e, unit).filter(|_| is_sum && !is_written);
            let (text, is_sum) = match &sum {
                Some(sum) => (polynomial::text(sum, unit), sum.terms().count() > 1),
                None => (plain_text(e, unit), is_sum),
            };
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
fn computed_text(item: &DataItem, unit: &Unit) -> String {
    let Extent::Section { ranges, .. } = &item.extent else {
        return item.text.clone();
    };
    let one = |range: &Range| {
        let text = range_text(range, unit, item.object.ty);
        text.unwrap_or_else(|| "[:]".to_owned())
    };
    let name = match item.symbol {
        Some(symbol) => &unit.symbol(symbol).name,
        None => &item.text,
    };
    name.clone() + &ranges.iter().map(one).collect::<String>()
}

/// `[0:n]`; none where the length of a row is not known.
fn range_text(range: &Range, unit: &Unit, object: QualType) -> Option<String> {
    let lower = range.lower.as_ref();
    let lower = lower.map_or_else(|| "0".into(), |e| plain_text(e, unit));
    let length = match &range.length {
        Length::Constant(n) => n.to_string(),
        length => plain_text(length.value(unit, object)?, unit),
    };
    Some(format!("[{lower}:{length}]"))
}

/// The one of some sections of a variable that holds them all.
pub(super) fn hull<'i>(sections: &'i [DataItem], unit: &Unit) -> Option<&'i DataItem> {
    let holds_all = |one: &&DataItem| sections.iter().all(|other| holds(one, other, unit));
    sections.iter().find(holds_all)
}

/// Whether a section is proved to have all that another one of the variable has.
fn holds(one: &DataItem, other: &DataItem, unit: &Unit) -> bool {
    let (mine, others) = match (&one.extent, &other.extent) {
        (Extent::Whole, Extent::Whole | Extent::Section { .. }) => return true,
        (Extent::Section { ranges: mine, .. }, Extent::Section { ranges: others, .. }) => {
            (mine, others)
        }
        _ => return false,
    };
    let object = one.object.ty;
    let is_same = |(a, b): (&Range, &Range)| {
        range_text(a, unit, object).is_some_and(|text| Some(text) == range_text(b, unit, object))
    };
    if mine.len() != others.len() {
        return false;
    }
    let mut pairs = mine.iter().zip(others);
    pairs
        .next()
        .is_none_or(|(a, b)| is_same((a, b)) || is_within(b, a, unit, object).is_some())
        && pairs.all(is_same)
}

/// Some if a range is in another one.
fn is_within(inner: &Range, outer: &Range, unit: &Unit, object: QualType) -> Option<()> {
    let bounds = |range: &Range| {
        let number = |e: &Expression| polynomial::of_variables(counted(e, unit), unit);
        let lower = match &range.lower {
            Some(e) => number(e)?,
            None => Polynomial::default(),
        };
        let length = match &range.length {
            Length::Constant(n) => Polynomial::constant(i128::from(*n)),
            length => number(length.value(unit, object)?)?,
        };
        Some((lower.clone(), lower.plus(&length)?))
    };
    let ((first, end), (from, to)) = (bounds(inner)?, bounds(outer)?);
    let is_positive = |e: Polynomial| e.as_constant().is_some_and(|n| n >= 0);
    (is_positive(first.minus(&from)?) && is_positive(to.minus(&end)?)).then_some(())
}
