//! Accesses of a kernel that miss what is on the device, as far as numbers prove it.
//!
//! Input: a kernel's statements, and the sections that directives allocate. Output: an error
//! for each access of which some execution is certainly outside, be it of the section in
//! device memory or of the one in shared memory.
//!
//! ```c
//! // the device has a[0] to a[31]
//! for (i = 0; i < 32; i++) a[i] += a[i + 1];     // a[32]
//! ```
//!
//! A subscript has to be affine in loops whose bounds are known. Where conditions or jumps
//! decide, every value that it can have must be outside.

use crate::analysis::polynomial::{self, Polynomial, Term};
use crate::diagnostic::{Diagnostic, codes};
use crate::front::lowering::usage;
use crate::ir::{
    Length, Loop, Range, Relation, Statement, StatementKind as Ir, WindowRegion, visit as ir_visit,
};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, Conversion, Expression, ExpressionKind, SymbolId, UnaryOperator, Unit, visit,
};

/// A section of an array: first and last index of each dimension, as far as they are known.
pub struct Section {
    /// The array.
    pub array: SymbolId,
    /// Outermost dimension first.
    pub dimensions: Vec<Option<(Polynomial, Polynomial)>>,
    /// As written.
    pub text: String,
    /// Its directive.
    pub span: Span,
    /// It lies in shared memory.
    pub is_window: bool,
}

impl Section {
    /// What is on the device of an array, where numbers tell.
    pub fn of(unit: &Unit, array: SymbolId, ranges: &[Range], text: String, span: Span) -> Self {
        let ends = ranges.iter().map(|range| {
            let first = range.lower.as_ref();
            let first = first.map_or(Some(0), |e| evaluate(unit, e))?;
            let Length::Constant(length) = range.length else {
                return None;
            };
            let ends = [first, first + i128::from(length) - 1];
            Some(ends.map(Polynomial::constant).into())
        });
        Self {
            array,
            dimensions: ends.collect(),
            text,
            span,
            is_window: false,
        }
    }
}

/// The accesses outside of sections of device memory, and of windows.
pub fn check(unit: &Unit, list: &[Statement], sections: Vec<Section>) -> Vec<Diagnostic> {
    let is_jump = |s: &Statement| {
        let kind = &s.kind;
        matches!(kind, Ir::Break | Ir::Continue | Ir::Goto(_) | Ir::Return(_))
    };
    let mut search = Search {
        unit,
        sections,
        loops: Vec::new(),
        found: Vec::new(),
    };
    let is_sure = !ir_visit::any(list, &mut |s| is_jump(s));
    search.list(list, is_sure);
    search.found
}

/// What a counted loop gives its variable.
struct Values {
    symbol: SymbolId,
    /// The smallest and largest.
    ends: Option<(Polynomial, Polynomial)>,
}

struct Search<'s> {
    unit: &'s Unit,
    sections: Vec<Section>,
    loops: Vec<Values>,
    found: Vec<Diagnostic>,
}

impl Search<'_> {
    fn list(&mut self, list: &[Statement], is_sure: bool) {
        for statement in list {
            self.statement(statement, is_sure);
        }
    }

    fn statement(&mut self, statement: &Statement, is_sure: bool) {
        match &statement.kind {
            Ir::Loop(l) => {
                for e in [&l.lower, &l.bound, &l.step] {
                    self.expression(e, is_sure);
                }
                let (values, trips) = self.values(l);
                if trips == Some(0) {
                    return;
                }
                self.loops.push(values);
                self.list(&l.body, is_sure && trips.is_some());
                self.loops.pop();
            }
            Ir::Windows(region) => {
                let own = self.windows(region);
                let count = self.sections.len();
                self.sections.extend(own);
                self.list(&region.body, is_sure);
                self.sections.truncate(count);
            }
            kind => {
                let stays = matches!(
                    kind,
                    Ir::Expression(_) | Ir::Declaration(_) | Ir::Block(_) | Ir::Single { .. }
                );
                let evaluates = stays || matches!(kind, Ir::If(..) | Ir::Switch(..));
                ir_visit::own_expressions(statement, &mut |e| {
                    self.expression(e, is_sure && evaluates);
                });
                for inner in ir_visit::lists(statement) {
                    self.list(inner, is_sure && stays);
                }
            }
        }
    }

    /// The values of a loop's variable, and how many they are.
    fn values(&self, l: &Loop) -> (Values, Option<i128>) {
        let read = |e: &Expression| polynomial::of_variables(e, self.unit);
        let step = evaluate(self.unit, &l.step).filter(|&step| step > 0);
        let ends = match (l.relation, l.downward) {
            (Relation::Less | Relation::NotEqual, false) => {
                read(&l.bound).and_then(|b| b.moved(-1))
            }
            (Relation::Greater | Relation::NotEqual, true) => {
                read(&l.bound).and_then(|b| b.moved(1))
            }
            (Relation::LessEqual, false) | (Relation::GreaterEqual, true) => read(&l.bound),
            _ => None,
        };
        let ends = read(&l.lower).zip(ends);
        let sign = if l.downward { -1 } else { 1 };
        let trips = ends.as_ref().zip(step).and_then(|((first, end), step)| {
            let distance = end.minus(first)?.as_constant()? * sign;
            Some(if distance < 0 { 0 } else { distance / step + 1 })
        });
        let ends = ends.and_then(|(first, end)| {
            let last = match (trips, step) {
                (Some(trips), Some(step)) => first.moved((trips - 1) * step * sign)?,
                _ => end,
            };
            Some(if l.downward {
                (last, first)
            } else {
                (first, last)
            })
        });
        let symbol = l.induction;
        (Values { symbol, ends }, trips)
    }

    fn windows(&self, region: &WindowRegion) -> Vec<Section> {
        let used = usage::of(self.unit, &region.body);
        let changes = |symbol: SymbolId| used.variables.get(&symbol).is_some_and(|u| u.assigned);
        let read = |e: &Expression| {
            let mut is_fixed = true;
            visit::symbols(e, &mut |symbol| is_fixed &= !changes(symbol));
            let e = is_fixed.then_some(e)?;
            polynomial::of_variables(e, self.unit)
        };
        let windows = region.windows.iter().map(|window| Section {
            array: window.array,
            dimensions: window
                .dimensions
                .iter()
                .map(|d| {
                    let (pivot, before, after) =
                        (read(&d.pivot)?, read(&d.before)?, read(&d.after)?);
                    Some((pivot.minus(&before)?, pivot.plus(&after)?))
                })
                .collect(),
            text: window.text.clone(),
            span: window.span,
            is_window: true,
        });
        windows.collect()
    }

    fn expression(&mut self, e: &Expression, is_sure: bool) {
        match &e.kind {
            ExpressionKind::Conditional(condition, then, otherwise) => {
                self.expression(condition, is_sure);
                for branch in then.iter().chain([otherwise]) {
                    self.expression(branch, false);
                }
                return;
            }
            ExpressionKind::Binary(
                BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr,
                left,
                right,
            ) => {
                self.expression(left, is_sure);
                self.expression(right, false);
                return;
            }
            // The address behind the last element is no access.
            ExpressionKind::Unary(UnaryOperator::AddressOf, _) => return,
            ExpressionKind::Index(..) => self.access(e, is_sure),
            _ => {}
        }
        visit::operands(e, &mut |inner| self.expression(inner, is_sure));
    }

    fn access(&mut self, e: &Expression, is_sure: bool) {
        let mut subscripts = Vec::new();
        let Some(array) = chain(e, &mut subscripts) else {
            return;
        };
        let fits = |s: &&Section| s.array == array && s.dimensions.len() == subscripts.len();
        let reach: Vec<&Section> = self.sections.iter().rev().filter(fits).collect();
        // Of several windows, that which has the element is meant.
        let is_window = |s: &&&Section| s.is_window;
        let section = match reach.iter().filter(is_window).count() {
            0 | 1 => reach.first(),
            _ => None,
        };
        let Some(section) = section else { return };
        let ends = section.dimensions.iter().zip(&subscripts);
        let mut missed = ends.filter_map(|(ends, subscript)| {
            let (first, last) = ends.as_ref()?;
            let index = polynomial::of_variables(subscript, self.unit)?;
            let before = self.extremes(index.minus(first)?);
            let behind = self.extremes(index.minus(last)?);
            let before = before.filter(|(low, high)| *high < 0 || is_sure && *low < 0);
            let behind = behind.filter(|(low, high)| *low > 0 || is_sure && *high > 0);
            before
                .or(behind)
                .map(|_| (*subscript, self.extremes(index)))
        });
        let Some((subscript, reached)) = missed.next_back() else {
            return;
        };
        let text = |e: &Expression| Printer::text(self.unit, &C, e);
        let values = match reached {
            Some((low, high)) if low == high => String::new(),
            Some((low, high)) => format!(": `{}` is from {low} to {high}", text(subscript)),
            None => String::new(),
        };
        let (code, place, what) = match section.is_window {
            true => (codes::OUTSIDE_WINDOW, "the window", "the window"),
            false => (
                codes::OUTSIDE_SECTION,
                "what is on the device",
                "only this is allocated",
            ),
        };
        let message = format!("`{}` is outside of {place}{values}", text(e));
        let problem = Diagnostic::error(code, message, e.span);
        let problem = problem.also(section.span, what);
        self.found
            .push(problem.help(format!("make `{}` larger, or access less", section.text)));
    }

    /// The smallest and largest value over the loops around.
    fn extremes(&self, e: Polynomial) -> Option<(i128, i128)> {
        let mut ends = [e.clone(), e];
        for (end, is_highest) in ends.iter_mut().zip([false, true]) {
            for values in self.loops.iter().rev() {
                let term = Term::Invariant(values.symbol);
                let by = end.coefficient(term)?;
                if by == 0 {
                    continue;
                }
                let (low, high) = values.ends.as_ref()?;
                let value = if (by > 0) == is_highest { high } else { low };
                *end = end.substitute(term, value)?;
            }
        }
        let [low, high] = ends;
        Some((low.as_constant()?, high.as_constant()?))
    }
}

/// The array of an access and its subscripts, outermost dimension first.
fn chain<'e>(e: &'e Expression, subscripts: &mut Vec<&'e Expression>) -> Option<SymbolId> {
    match &e.kind {
        ExpressionKind::Symbol(symbol) => Some(*symbol),
        ExpressionKind::Index(base, index) => {
            let array = chain(base, subscripts)?;
            subscripts.push(index);
            Some(array)
        }
        ExpressionKind::Parenthesized(base)
        | ExpressionKind::Convert(Conversion::ArrayToPointer, base) => chain(base, subscripts),
        _ => None,
    }
}
