//! Sections that loops of a construct leave for certain.
//!
//! Input: constructs with clauses, `data` constructs around them, and kernels as they were
//! written. Output: a warning for each section, and for each array of known length, outside of
//! which an access is that some iteration makes, whatever the variables are. Loops are taken to
//! run, and where the proof needs it, twice.
//!
//! ```c
//! #pragma acc parallel loop copyout(b[0:n]) copyin(a[0:n])
//! for (int i = 0; i < n; i++)
//!     b[i] = a[i] + a[i + 1];       // warned of: the last iteration reads a[n]
//! ```
//!
//! A clause puts what it names on the device, and nothing else: an access outside is wrong unless
//! the data is present already, and more of it. So nothing is said where another directive names
//! the variable, nor of what may have another name where another function of the unit has
//! directives for data; what a caller in another file may do is said in the warning.

mod corner;

use std::collections::BTreeSet;

use indexmap::IndexSet;

use crate::analysis::effects::{Oracle, Place};
use crate::analysis::escapes::escaped;
use crate::analysis::exits::Exits;
use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::analysis::subscripts::{self, Element, Elements};
use crate::analysis::touched::{self, Touched};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    Capture, DataAction, DataItem, Extent, Kernel, Length, Loop, Module, Passing, Region,
    RegionKind, Statement, StatementKind, Step, visit,
};
use crate::typed::print::spelled;
use crate::typed::{
    ArrayLength, Expression, ExpressionKind, SymbolId, SymbolKind, Type, Unit, visit as typed_visit,
};
use corner::Corner;

/// Looks at every construct.
pub fn run(module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
    if module
        .regions
        .iter()
        .all(|region| launched(region).is_empty())
    {
        return;
    }
    let search = Search {
        module,
        unit,
        oracle: Oracle::new(unit, &module.functions),
        escaped: escaped(unit),
    };
    for region in &module.regions {
        let found = search.of_construct(region);
        found.into_iter().for_each(|one| diagnostics.push(one));
    }
}

/// The launches that each run of a construct makes.
fn launched(region: &Region) -> Vec<usize> {
    let RegionKind::Compute { steps, .. } = &region.kind else {
        return Vec::new();
    };
    let all = steps.iter().filter_map(|step| match step {
        Step::Launch(index) => Some(*index),
        _ => None,
    });
    all.collect()
}

/// What is on the device of a variable, in elements of its outermost dimension.
struct Section<'m> {
    symbol: SymbolId,
    item: &'m DataItem,
    first: Polynomial,
    /// The first one behind it.
    end: Polynomial,
    /// More of it may be present.
    is_doubtful: bool,
}

/// An access outside of a section.
struct Miss<'k> {
    access: &'k Expression,
    corner: Corner,
    is_above: bool,
}

struct Search<'m> {
    module: &'m Module,
    unit: &'m Unit,
    oracle: Oracle<'m>,
    escaped: BTreeSet<SymbolId>,
}

impl<'m> Search<'m> {
    fn of_construct(&self, region: &'m Region) -> Vec<Diagnostic> {
        let RegionKind::Compute { launches, .. } = &region.kind else {
            return Vec::new();
        };
        let kernels: Vec<&Kernel> = launched(region)
            .into_iter()
            .map(|index| self.module.kernel(launches[index].kernel))
            .filter(|kernel| kernel.shape.is_none())
            .collect();
        let captured = kernels.iter().flat_map(|kernel| &kernel.captures);
        let symbols: IndexSet<SymbolId> = captured.map(|capture| capture.symbol).collect();
        let sections = symbols.iter().filter_map(|s| self.section(region, *s));
        sections
            .filter_map(|section| {
                let misses = kernels.iter().flat_map(|k| self.misses(k, &section));
                let misses: Vec<Miss> = misses.collect();
                let farthest = misses.iter().reduce(farther)?;
                let ends = self.ends_meant(&section, &misses, &kernels);
                Some(self.warning(&section, farthest, &ends))
            })
            .collect()
    }

    /// What of a variable is on the device in a construct, as far as that is certain.
    fn section(&self, region: &'m Region, symbol: SymbolId) -> Option<Section<'m>> {
        let own: Vec<&DataItem> = of_variable(region, symbol).collect();
        if let [item] = own[..]
            && let Some(length) = self.declared_length(symbol)
            && matches!(item.extent, Extent::Whole)
        {
            return Some(Section {
                symbol,
                item,
                first: Polynomial::default(),
                end: Polynomial::constant(length.into()),
                is_doubtful: false,
            });
        }
        let others = self.module.regions.iter().filter(|other| {
            !std::ptr::eq(*other, region)
                && !matches!(
                    other.kind,
                    RegionKind::Compute { .. } | RegionKind::Update { .. } | RegionKind::Wait
                )
                && of_variable(other, symbol).next().is_some()
        });
        let others: Vec<&Region> = others.collect();
        let named = match (&own[..], &others[..]) {
            ([item], []) if !item.implicit => *item,
            (list, [around]) if list.iter().all(|item| !places(item)) => {
                self.item_around(region, around, symbol)?
            }
            _ => return None,
        };
        let is_doubtful = self.may_be_present(symbol);
        let is_placed_elsewhere = self.module.regions.iter().any(|other| {
            let is_data = !matches!(other.kind, RegionKind::Compute { .. });
            is_data && other.function != region.function && !other.data.is_empty()
        });
        if !places(named) || is_doubtful && is_placed_elsewhere {
            return None;
        }
        let (first, end) = self.ends(named)?;
        Some(Section {
            symbol,
            item: named,
            first,
            end,
            is_doubtful,
        })
    }

    /// What the `data` construct around a construct names of a variable, if that is the same all
    /// along.
    fn item_around(
        &self,
        region: &Region,
        around: &'m Region,
        symbol: SymbolId,
    ) -> Option<&'m DataItem> {
        let mut parent = region.parent;
        while let Some(id) = parent.filter(|id| !std::ptr::eq(self.module.region(*id), around)) {
            parent = self.module.region(id).parent;
        }
        let mut items = of_variable(around, symbol);
        let item = items.next().filter(|_| items.next().is_none())?;
        let is_around = parent.is_some() && matches!(around.kind, RegionKind::Data);
        (is_around && self.is_fixed(around, item)).then_some(item)
    }

    /// Whether no statement in a `data` construct changes the variables that a section names.
    fn is_fixed(&self, around: &Region, item: &DataItem) -> bool {
        is_fixed(self.unit, around, item)
    }

    /// Whether code that is not seen may have put a variable's memory on the device.
    fn may_be_present(&self, symbol: SymbolId) -> bool {
        let variable = self.unit.symbol(symbol);
        variable.kind == SymbolKind::Parameter
            || !variable.is_automatic()
            || self.escaped.contains(&symbol)
    }

    fn declared_length(&self, symbol: SymbolId) -> Option<u64> {
        match self.unit.types.get(self.unit.symbol(symbol).ty.ty) {
            Type::Array {
                length: ArrayLength::Constant(length),
                ..
            } => Some(*length),
            _ => None,
        }
    }

    /// The first element of a section and the first behind it.
    fn ends(&self, item: &DataItem) -> Option<(Polynomial, Polynomial)> {
        let Extent::Section { ranges, .. } = &item.extent else {
            return None;
        };
        let range = ranges.first()?;
        let number = |e: &Expression| polynomial::of_variables(last_operand(e), self.unit);
        let lower = range.lower.as_ref();
        let first = lower.map_or(Some(Polynomial::default()), number)?;
        let length = match &range.length {
            Length::Constant(n) => Polynomial::constant(i128::from(*n)),
            Length::Expression(e) => number(e)?,
            Length::Variable { .. } => return None,
        };
        let end = first.plus(&length)?;
        Some((first, end))
    }

    /// The accesses of a kernel that are outside of a section for certain.
    fn misses<'k>(&self, kernel: &'k Kernel, section: &Section) -> Vec<Miss<'k>> {
        let is_plain = |capture: &Capture| {
            matches!(capture.passing, Passing::Array | Passing::Pointer)
                && capture.section_of.is_none()
        };
        let mut loops = Vec::new();
        if kernel.capture(section.symbol).is_some_and(is_plain) {
            certain_loops(&kernel.body, &mut loops);
        }
        let mut misses = Vec::new();
        for l in loops {
            let private: IndexSet<SymbolId> = visit::declared(&l.body).into_iter().collect();
            let elements = subscripts::collect_certain(l, &private, &self.oracle);
            if elements.wraps {
                continue;
            }
            for element in &elements.list {
                let miss = |is_above| self.miss(kernel, element, &elements, section, is_above);
                misses.extend([true, false].into_iter().filter_map(miss));
            }
        }
        misses
    }

    /// How an access is outside, if every run of its loops makes it.
    fn miss<'k>(
        &self,
        kernel: &Kernel,
        element: &Element<'k>,
        elements: &Elements,
        section: &Section,
        is_above: bool,
    ) -> Option<Miss<'k>> {
        let [outermost, inner @ ..] = &element.subscripts[..] else {
            return None;
        };
        let is_of_it = element.root.symbol() == Some(section.symbol)
            && subscripts::is_element(self.unit, section.symbol, outermost)
            && inner.iter().all(|step| step.is_inside);
        let is_certain = element.under.is_empty()
            && !element.has_window
            && !matches!(element.expression.kind, ExpressionKind::Call { .. });
        if !is_of_it || !is_certain {
            return None;
        }
        let index = outermost.value.as_ref()?;
        let corner = Corner::of(index, &element.within, &elements.last, is_above)?;
        let excess = match is_above {
            true => corner.index.moved(1)?.minus(&section.end)?,
            false => section.first.minus(&corner.index)?,
        };
        let corner = corner.proved(&excess)?;
        let mut symbols = excess.terms().flat_map(|(product, _)| product);
        let is_known = symbols.all(|term| self.is_same(kernel, *term));
        (is_known && corner.bounds().all(|term| self.is_same(kernel, term))).then_some(Miss {
            access: element.expression,
            corner,
            is_above,
        })
    }

    /// Whether a variable has one value in a kernel and in the clauses of its construct.
    fn is_same(&self, kernel: &Kernel, term: Term) -> bool {
        let Term::Invariant(symbol) = term else {
            return false;
        };
        let is_by_value = match kernel.capture(symbol) {
            Some(capture) => capture.passing == Passing::Value,
            None => !visit::own_variables(&kernel.body).contains(&symbol),
        };
        let writes = self.oracle.list(&kernel.body).writes;
        is_by_value
            && !kernel.privates.contains(&symbol)
            && !writes.contains(&Place::Variable(symbol))
    }

    fn warning(&self, section: &Section, miss: &Miss, ends: &Ends) -> Diagnostic {
        let unit = self.unit;
        let access = spelled(unit, miss.access);
        let name = &unit.symbol(section.symbol).name;
        let item = section.item;
        let is_whole = matches!(item.extent, Extent::Whole);
        let place = if is_whole { name } else { &item.text };
        let reached = polynomial::text(&miss.corner.index, unit);
        let message = format!("`{access}` is outside of `{place}`: it reaches `{name}[{reached}]`");
        let mut warning = Diagnostic::warning(codes::OUTSIDE_SECTION, message, miss.access.span);
        warning = match is_whole {
            true => warning.label(format!(
                "`{name}` has {} elements",
                polynomial::text(&section.end, unit)
            )),
            false => warning.also(item.span, "the clause names only this"),
        };
        if miss.corner.needs_two {
            warning = warning.note("its loops are taken to have two iterations or more");
        }
        if section.is_doubtful {
            warning = warning.note(format!(
                "unless `{name}` is on the device before, and more of it"
            ));
        }
        let (help, right) = self.way_out(section, miss, ends);
        match right {
            Some(right) => warning.help(help).replacement_there(right),
            None => warning.help(help),
        }
    }

    /// What to write, and the section, if that is all of it.
    fn way_out(&self, section: &Section, miss: &Miss, ends: &Ends) -> (String, Option<String>) {
        const SECTION: &str = "a section is `name[first:length]`";
        let unit = self.unit;
        let name = &unit.symbol(section.symbol).name;
        let text = |e: &Polynomial| polynomial::text(e, unit);
        let item = section.item;
        let ranges = match &item.extent {
            Extent::Section { ranges, .. } => ranges.len(),
            _ => {
                let help =
                    format!("give `{name}` as many elements as the loops use, or end them earlier");
                return (help, None);
            }
        };
        let is_one = !item.text.contains(':') && item.text.starts_with(&format!("{name}["));
        if is_one && miss.corner.index != section.end {
            let one = format!("`{}` is one element; {SECTION}: write", item.text);
            let right = ends.as_length(section);
            let right = right.map(|length| format!("{name}[0:{}]", text(&length)));
            return match right {
                Some(right) => (format!("{one} `{right}`"), Some(right)),
                None => (format!("{one} the length that the loops use"), None),
            };
        }
        if ends.first.as_constant().is_some_and(|first| first < 0) {
            let help = format!("arrays begin at `{name}[0]`: begin the loop later, or access less");
            return (help, None);
        }
        match ends.end.minus(&ends.first).filter(|_| ranges == 1) {
            Some(length) => {
                let right = format!("{name}[{}:{}]", text(&ends.first), text(&length));
                let help = format!("{SECTION}: write `{right}`, or access less");
                (help, Some(right))
            }
            None => (
                format!("{SECTION}: give the length that the loops use"),
                None,
            ),
        }
    }

    /// The ends of the section that was meant: it has what the accesses outside touch.
    fn ends_meant(&self, section: &Section, misses: &[Miss], kernels: &[&Kernel]) -> Ends {
        let index = |is_above| {
            let side = misses.iter().filter(|miss| miss.is_above == is_above);
            Some(side.reduce(farther)?.corner.index.clone())
        };
        let touched = self.touched(section, kernels);
        let first = index(false);
        let end = match (index(true), &first) {
            (Some(highest), _) => highest.moved(1),
            // Who counts from 1 means as many elements, from the first one on.
            (None, Some(first)) => section.moved_to(first).filter(|end| {
                let room = touched.as_ref().and_then(|touched| end.minus(&touched.end));
                room.and_then(|room| room.as_constant())
                    .is_some_and(|room| room >= 0)
            }),
            (None, None) => None,
        };
        Ends {
            first: first.unwrap_or_else(|| section.first.clone()),
            end: end.unwrap_or_else(|| section.end.clone()),
            touched,
        }
    }

    /// What kernels touch of a section's variable, if all of it is known where the construct begins.
    fn touched(&self, section: &Section, kernels: &[&Kernel]) -> Option<Touched> {
        let mut all = Vec::new();
        for kernel in kernels {
            let touched = touched::of_kernel(kernel, section.symbol, &self.oracle)?;
            let is_same = |e: &Polynomial| {
                let mut symbols = e.terms().flat_map(|(product, _)| product);
                symbols.all(|term| self.is_same(kernel, *term))
            };
            let are_same = |t: &Touched| is_same(&t.end) && t.first.iter().all(is_same);
            if !touched.iter().all(are_same) {
                return None;
            }
            all.extend(touched);
        }
        touched::hull(&all)
    }
}

impl Section<'_> {
    /// Its end, if it began elsewhere and were as long.
    fn moved_to(&self, first: &Polynomial) -> Option<Polynomial> {
        self.end.minus(&self.first)?.plus(first)
    }
}

/// The ends of the section that was meant.
struct Ends {
    first: Polynomial,
    end: Polynomial,
    /// All that the loops touch, where it is known.
    touched: Option<Touched>,
}

impl Ends {
    /// The length that was meant by `a[n]`, or by `a[0-n]`.
    fn as_length(&self, section: &Section) -> Option<Polynomial> {
        let written = &section.first;
        let end = self.touched.as_ref().map(|touched| &touched.end);
        let is_length = !polynomial::begins_negative(written);
        let is_shorter = |end: &&Polynomial| {
            let room = written.minus(end).and_then(|room| room.as_constant());
            !is_length || room.is_some_and(|room| room < 0)
        };
        end.filter(is_shorter)
            .or(is_length.then_some(written))
            .cloned()
    }
}

/// Whether no statement in a `data` construct changes the variables that a section names.
pub(super) fn is_fixed(unit: &Unit, around: &Region, item: &DataItem) -> bool {
    let mut named = Vec::new();
    let mut note = |e: &Expression| typed_visit::symbols(e, &mut |s| named.push(s));
    note(&item.object);
    if let Extent::Section { ranges, .. } = &item.extent {
        for range in ranges {
            range.lower.iter().for_each(&mut note);
            if let Length::Expression(e) = &range.length {
                note(e);
            }
        }
    }
    let function = unit.function(around.function);
    let mut is_fixed = named.iter().all(|s| unit.symbol(*s).is_automatic());
    if let Some(function) = function {
        typed_visit::expressions(&function.body, &mut |e| {
            let target = match &e.kind {
                ExpressionKind::Unary(crate::typed::UnaryOperator::AddressOf, to) => Some(&**to),
                _ => e.assigned(),
            };
            let changed = target.and_then(|target| target.inner().as_symbol());
            let is_inside = around.body.is_none_or(|body| body.start <= e.span.start);
            is_fixed &= !(is_inside && changed.is_some_and(|s| named.contains(&s)));
        });
    }
    is_fixed && function.is_some()
}

/// The items of a region for a variable.
pub(super) fn of_variable(region: &Region, symbol: SymbolId) -> impl Iterator<Item = &DataItem> {
    let items = region.data.iter();
    items.filter(move |item| item.symbol == Some(symbol))
}

/// Whether an item puts a section on the device that is not there.
fn places(item: &DataItem) -> bool {
    matches!(
        item.action,
        DataAction::Copy | DataAction::CopyIn | DataAction::CopyOut | DataAction::Create
    ) && !item.implicit
}

/// What `a, b` is.
fn last_operand(e: &Expression) -> &Expression {
    match &e.inner().kind {
        ExpressionKind::Comma(_, last) => last_operand(last),
        _ => e,
    }
}

/// The one of two accesses that is farther outside, where numbers tell.
fn farther<'m, 'k>(one: &'m Miss<'k>, other: &'m Miss<'k>) -> &'m Miss<'k> {
    let distance = other.corner.index.minus(&one.corner.index);
    let distance = distance.and_then(|distance| distance.as_constant());
    let is_farther = |distance: i128| match one.is_above {
        true => distance > 0,
        false => distance < 0,
    };
    match one.is_above == other.is_above && distance.is_some_and(is_farther) {
        true => other,
        false => one,
    }
}

/// The loops in no other loop that each run of some statements comes to.
fn certain_loops<'k>(body: &'k [Statement], loops: &mut Vec<&'k Loop>) {
    for statement in body {
        match &statement.kind {
            StatementKind::Loop(l) => loops.push(l),
            StatementKind::Block(inner) => certain_loops(inner, loops),
            _ => {}
        }
        if !Exits::of_statement(statement).is_empty() {
            return;
        }
    }
}
