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
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{
    DataAction, DataItem, Extent, Kernel, Length, Loop, Module, Passing, Region, RegionKind,
    Statement, StatementKind, Step, visit,
};
use crate::typed::print::{C, Printer};
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
                let misses = kernels.iter().filter_map(|k| self.misses(k, &section));
                let farthest = misses.reduce(farther)?;
                Some(self.warning(&section, &farthest))
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
        let function = self.unit.function(around.function);
        let mut is_fixed = named.iter().all(|s| self.unit.symbol(*s).is_automatic());
        if let Some(function) = function {
            typed_visit::expressions(&function.body, &mut |e| {
                let target = match &e.kind {
                    ExpressionKind::Unary(crate::typed::UnaryOperator::AddressOf, to) => {
                        Some(&**to)
                    }
                    _ => e.assigned(),
                };
                let changed = target.and_then(|target| target.inner().as_symbol());
                let is_inside = around.body.is_none_or(|body| body.start <= e.span.start);
                is_fixed &= !(is_inside && changed.is_some_and(|s| named.contains(&s)));
            });
        }
        is_fixed && function.is_some()
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

    /// The access of a kernel that is farthest outside of a section for certain.
    fn misses<'k>(&self, kernel: &'k Kernel, section: &Section) -> Option<Miss<'k>> {
        let capture = kernel.capture(section.symbol)?;
        let is_plain = matches!(capture.passing, Passing::Array | Passing::Pointer);
        if !is_plain || capture.section_of.is_some() {
            return None;
        }
        let mut loops = Vec::new();
        certain_loops(&kernel.body, &mut loops);
        let misses = loops.into_iter().filter_map(|l| {
            let private: IndexSet<SymbolId> = visit::declared(&l.body).into_iter().collect();
            let elements = subscripts::collect_certain(l, &private, &self.oracle);
            if elements.wraps {
                return None;
            }
            let list = elements.list.iter();
            let misses = list.filter_map(|e| self.miss(kernel, e, &elements, section));
            misses.reduce(farther)
        });
        misses.reduce(farther)
    }

    /// How an access is outside, if every run of its loops makes it.
    fn miss<'k>(
        &self,
        kernel: &Kernel,
        element: &Element<'k>,
        elements: &Elements,
        section: &Section,
    ) -> Option<Miss<'k>> {
        let [outermost, inner @ ..] = &element.subscripts[..] else {
            return None;
        };
        let is_of_it = element.root.symbol() == Some(section.symbol)
            && self.is_element(section.symbol, outermost)
            && inner.iter().all(|step| step.is_inside);
        let is_certain = element.under.is_empty()
            && !element.has_window
            && !matches!(element.expression.kind, ExpressionKind::Call { .. });
        if !is_of_it || !is_certain {
            return None;
        }
        let index = outermost.value.as_ref()?;
        [true, false].into_iter().find_map(|is_above| {
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
        })
    }

    /// Whether a step is counted in the elements that a variable's sections are.
    fn is_element(&self, symbol: SymbolId, step: &subscripts::Subscript) -> bool {
        let types = &self.unit.types;
        let element = types.pointee(self.unit.symbol(symbol).ty.ty);
        let size = element.and_then(|element| subscripts::size(element.ty, self.unit));
        size.is_some() && size == step.unit
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

    fn warning(&self, section: &Section, miss: &Miss) -> Diagnostic {
        let unit = self.unit;
        let access = Printer::text(unit, &C, miss.access);
        let name = &unit.symbol(section.symbol).name;
        let item = section.item;
        let is_whole = matches!(item.extent, Extent::Whole);
        let place = if is_whole { name } else { &item.text };
        let reached = corner::text(&miss.corner.index, unit);
        let message = format!("`{access}` is outside of `{place}`: it reaches `{name}[{reached}]`");
        let mut warning = Diagnostic::warning(codes::OUTSIDE_SECTION, message, miss.access.span);
        warning = match is_whole {
            true => warning.label(format!(
                "`{name}` has {} elements",
                corner::text(&section.end, unit)
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
        warning.help(self.way_out(section, miss))
    }

    fn way_out(&self, section: &Section, miss: &Miss) -> String {
        let unit = self.unit;
        let name = &unit.symbol(section.symbol).name;
        let text = |e: &Polynomial| corner::text(e, unit);
        let item = section.item;
        if matches!(item.extent, Extent::Whole) {
            return format!("give `{name}` as many elements as the loops use, or end them earlier");
        }
        let is_one = !item.text.contains(':') && item.text.starts_with(&format!("{name}["));
        if is_one && miss.corner.index != section.end {
            let bound = text(&section.first);
            return format!(
                "`{}` is one element; a section is `name[first:length]`: write `{name}[0:{bound}]`",
                item.text
            );
        }
        let dimensions = match &item.extent {
            Extent::Section { ranges, .. } => ranges.len(),
            _ => 0,
        };
        let (first, end) = match miss.is_above {
            true => (Some(section.first.clone()), miss.corner.index.moved(1)),
            false => (Some(miss.corner.index.clone()), Some(section.end.clone())),
        };
        let length = first.as_ref().zip(end).and_then(|(f, end)| end.minus(f));
        match (first, length) {
            (Some(first), Some(length)) if dimensions == 1 => format!(
                "a section is `name[first:length]`: write `{name}[{}:{}]`, or access less",
                text(&first),
                text(&length)
            ),
            _ => "a section is `name[first:length]`: give the length that the loops use".into(),
        }
    }
}

/// The items of a region for a variable.
fn of_variable(region: &Region, symbol: SymbolId) -> impl Iterator<Item = &DataItem> {
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
fn farther<'k>(one: Miss<'k>, other: Miss<'k>) -> Miss<'k> {
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
