//! The meaning of clauses on loops and compute constructs.
//!
//! Input: a [`Checked`] directive. Output: [`LoopClauses`] and
//! [`ComputeClauses`], with contradictions reported.

use super::check::{Checked, CheckedClause, is_error, malformed, value};
use super::data;
use super::levels;
use super::privates;
use super::reductions;
use super::table::{ClauseKind, DirectiveKind};
use crate::analysis::directives::named;
use crate::ast::{ArgumentValue, Arguments, Clause, Directive, Section};
use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::{DataItem, Execution, Level, PerLevel, PrivateArray, Reduction, Schedule};
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::print::{C, Printer};
use crate::typed::synthesis;
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, QualType, SymbolId, TypeId, UnaryOperator, Unit,
};

/// What a `loop` directive, combined or not, says of the loop.
#[derive(Clone, Debug, Default)]
pub struct LoopClauses {
    /// Levels and dependence.
    pub schedule: Schedule,
    /// How many loops it governs; 1 without `collapse` or `tile`.
    pub collapse: usize,
    /// `force`: code may stand between the loops.
    pub force: bool,
    /// It is `tile` that governs them.
    pub is_tile: bool,
    /// Its sizes, that of the outermost loop first; none for `*` and what only
    /// the launch knows.
    pub tile: Vec<Option<u32>>,
    /// The place of `collapse` or `tile`.
    pub collapse_span: Option<Span>,
    /// Variables of which each iteration has a copy.
    pub privates: Vec<SymbolId>,
    /// Those of them whose size only the launch knows.
    pub private_arrays: Vec<PrivateArray>,
    /// Its reductions.
    pub reductions: Vec<Reduction>,
    /// Its reductions of elements and members.
    pub elements: Vec<reductions::Element>,
    /// The dimension of gangs that it is distributed over, 1 to 3 (2.9.2).
    pub gang_dimension: u8,
    /// The clauses of each level, for messages.
    pub levels: Vec<(Level, Span)>,
}

/// `default(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefaultClause {
    /// `none`: every variable needs a clause.
    None(Span),
    /// `present`: arrays and structs are present.
    Present,
}

/// What a compute construct says beside its loop.
#[derive(Clone, Debug)]
pub struct ComputeClauses {
    /// `if`.
    pub condition: Option<Expression>,
    /// `num_gangs`, `num_workers`, `vector_length`.
    pub sizes: PerLevel<Option<Expression>>,
    /// `default`.
    pub default: Option<DefaultClause>,
    /// The data clauses.
    pub data: Vec<DataItem>,
    /// `private` on the construct, and arrays in `firstprivate`.
    pub privates: Vec<SymbolId>,
    /// `firstprivate` variables that are passed by value.
    pub firstprivates: Vec<SymbolId>,
    /// Private arrays whose size only the launch knows, or that begin with
    /// the host's values.
    pub private_arrays: Vec<PrivateArray>,
    /// `reduction` on the construct.
    pub reductions: Vec<Reduction>,
}

impl ComputeClauses {
    /// Whether it makes a variable private or reduces it.
    pub fn has_copies(&self, symbol: SymbolId) -> bool {
        let mut copied = self.privates.iter().chain(&self.firstprivates);
        copied.any(|own| *own == symbol) || self.reductions.iter().any(|r| r.symbol == symbol)
    }
}

/// Where a loop stands.
#[derive(Clone, Copy, Debug)]
pub struct LoopPlace {
    /// The construct around it, or none in a device function.
    pub construct: Option<Execution>,
    /// Its iterations share windows of an `fcw` or `cache` directive inside.
    pub shares_windows: bool,
    /// Says of what the standard forbids.
    pub strict: bool,
}

/// Reads the clauses of a loop.
pub fn of_loop(
    unit: &Unit,
    checked: &Checked,
    place: LoopPlace,
    diagnostics: &mut Diagnostics,
) -> LoopClauses {
    let construct = place.construct;
    let mut clauses = LoopClauses {
        collapse: 1,
        gang_dimension: 1,
        ..LoopClauses::default()
    };
    clauses.schedule.directive = true;
    let combined = checked.kind != DirectiveKind::Loop;
    for clause in &checked.clauses {
        let schedule = &mut clauses.schedule;
        if let Some(level) = levels::of(clause.kind) {
            if level == Level::Block {
                clauses.gang_dimension = levels::gang_dimension(unit, clause, diagnostics);
            }
            schedule.levels[level] = true;
            schedule.sizes[level] = levels::size(unit, clause, place, diagnostics);
            clauses.levels.push((level, clause.span));
        }
        match clause.kind {
            ClauseKind::Sequential => schedule.sequential = true,
            ClauseKind::Independent => schedule.independent = true,
            ClauseKind::Auto => schedule.auto = true,
            ClauseKind::Collapse => {
                clauses.collapse_span = Some(clause.span);
                clauses.collapse = collapse(unit, clause, diagnostics);
                clauses.force = is_forced(clause);
            }
            // The order of independent iterations is free: tiles are as large
            // as blocks have room for.
            ClauseKind::Tile => {
                clauses.collapse_span = Some(clause.span);
                clauses.tile = tile(unit, clause, diagnostics);
                clauses.collapse = clauses.tile.len().max(1);
                clauses.is_tile = true;
            }
            ClauseKind::Private => {
                let found = privates::of_private(unit, clause, diagnostics);
                clauses.privates.extend(found.variables);
                clauses.private_arrays.extend(found.private_arrays);
            }
            ClauseKind::Reduction => {
                let list = reductions::lower(unit, clause, true, diagnostics);
                clauses.reductions.extend(list);
                clauses.elements.extend(reductions::elements(unit, clause));
            }
            _ => {}
        }
    }
    exclusive(checked, diagnostics);
    separate(unit, checked, diagnostics);
    let schedule = &mut clauses.schedule;
    if construct == Some(Execution::Redundant) && !schedule.sequential && !schedule.auto {
        schedule.independent = true;
    }
    if combined && construct == Some(Execution::Serial) {
        schedule.independent |= !schedule.sequential && !schedule.auto;
    }
    clauses
}

/// The sizes of `tile`, which must be positive. The first one is of the
/// innermost loop (OpenACC 3.3, section 2.9.8).
fn tile(unit: &Unit, clause: &CheckedClause, diagnostics: &mut Diagnostics) -> Vec<Option<u32>> {
    let mut sizes = Vec::new();
    for item in clause.items() {
        let Some(size) = value(item) else {
            sizes.push(None);
            continue;
        };
        let number = evaluate(unit, size);
        sizes.push(number.and_then(|n| u32::try_from(n).ok()));
        let problem = if !unit.types.is_integer(size.ty.ty) {
            "is no integer"
        } else if number.is_some_and(|n| n <= 0) {
            "is not positive"
        } else {
            continue;
        };
        diagnostics.push(
            malformed(format!("a size of `tile` {problem}"), size.span)
                .help("write a size or `*` for each loop: `tile(8, *)`"),
        );
    }
    sizes.reverse();
    sizes
}

/// `collapse(force: n)`.
fn is_forced(clause: &CheckedClause) -> bool {
    let labelled = clause.items().iter().any(|item| item.label.is_some());
    labelled
        || clause
            .arguments
            .as_ref()
            .is_some_and(|a| !a.modifiers.is_empty())
}

fn collapse(unit: &Unit, clause: &CheckedClause, diagnostics: &mut Diagnostics) -> usize {
    let n = clause.expression().and_then(|e| evaluate(unit, e));
    match n.and_then(|n| usize::try_from(n).ok()) {
        Some(n @ 1..) => n,
        _ => {
            let span = clause.arguments.as_ref().map_or(clause.span, |a| a.span);
            diagnostics.push(
                malformed("`collapse` takes a positive constant", span)
                    .help("write the number of loops: `collapse(2)`"),
            );
            1
        }
    }
}

/// `seq`, `independent` and `auto` exclude each other, and `seq` the levels.
fn exclusive(checked: &Checked, diagnostics: &mut Diagnostics) {
    let of = |kind| checked.clause(kind);
    let dependence = [
        of(ClauseKind::Sequential),
        of(ClauseKind::Independent),
        of(ClauseKind::Auto),
    ];
    let mut given = dependence.into_iter().flatten();
    if let (Some(first), Some(second)) = (given.next(), given.next()) {
        diagnostics.push(contradiction(first, second));
    }
    if let (Some(collapse), Some(tile)) = (of(ClauseKind::Collapse), of(ClauseKind::Tile)) {
        diagnostics.push(contradiction(collapse, tile));
    }
    if let Some(sequential) = of(ClauseKind::Sequential) {
        let levels = [ClauseKind::Gang, ClauseKind::Worker, ClauseKind::Vector];
        if let Some(level) = levels.into_iter().find_map(of) {
            diagnostics.push(contradiction(sequential, level));
        }
    }
}

/// Two clauses of which a directive takes one.
pub fn contradiction(first: &CheckedClause, second: &CheckedClause) -> Diagnostic {
    let (first, second) = if first.span.start <= second.span.start {
        (first, second)
    } else {
        (second, first)
    };
    let message = format!(
        "`{}` and `{}` exclude each other",
        first.name.value, second.name.value
    );
    Diagnostic::error(codes::CLAUSE_CONFLICT, message, second.span)
        .also(first.span, "")
        .help("keep one of them")
}

/// A variable is private, firstprivate, or reduced, once; private ones have
/// no data clause.
fn separate(unit: &Unit, checked: &Checked, diagnostics: &mut Diagnostics) {
    let mut seen: Vec<(SymbolId, &CheckedClause)> = Vec::new();
    for clause in &checked.clauses {
        let is_data = data::action(clause.kind).is_some();
        let is_private = matches!(
            clause.kind,
            ClauseKind::Private | ClauseKind::Firstprivate | ClauseKind::Reduction
        );
        if !is_data && !is_private {
            continue;
        }
        for item in clause.items() {
            let Some(symbol) = named(item) else {
                continue;
            };
            let clash = seen
                .iter()
                .find(|(other, earlier)| *other == symbol && conflict(earlier.kind, clause.kind));
            if let Some((_, earlier)) = clash {
                diagnostics.push(
                    Diagnostic::error(
                        if earlier.kind == clause.kind {
                            codes::DUPLICATE_CLAUSE
                        } else {
                            codes::CLAUSE_CONFLICT
                        },
                        twice(&unit.symbol(symbol).name, earlier, clause),
                        item.span,
                    )
                    .also(earlier.span, "first here")
                    .help("name it in one of them"),
                );
            } else {
                seen.push((symbol, clause));
            }
        }
    }
}

/// What is said of a variable in two clauses.
fn twice(variable: &str, earlier: &CheckedClause, clause: &CheckedClause) -> String {
    let (first, second) = (&earlier.name.value, &clause.name.value);
    match first == second {
        true => format!("`{variable}` stands in two `{first}` clauses"),
        false => format!("`{variable}` cannot be in `{first}` and in `{second}`"),
    }
}

/// Whether two clauses may not name the same variable. Two data clauses are
/// reported with the data; a reduction goes with `copy` and the like.
fn conflict(a: ClauseKind, b: ClauseKind) -> bool {
    let is_data = |kind| data::action(kind).is_some();
    let is_reduction = |kind| kind == ClauseKind::Reduction;
    !(is_data(a) && is_data(b) || is_reduction(a) && is_data(b) || is_data(a) && is_reduction(b))
}

/// Reads the clauses of a compute construct. On a combined one, `private` and
/// `reduction` belong to the loop (2.11).
pub fn of_compute(
    unit: &Unit,
    checked: &Checked,
    size: TypeId,
    diagnostics: &mut Diagnostics,
) -> ComputeClauses {
    let combined = checked.kind.is_loop();
    let mut clauses = ComputeClauses {
        condition: condition(unit, checked, diagnostics),
        sizes: PerLevel {
            block: count(unit, checked, ClauseKind::NumGangs, diagnostics),
            row: count(unit, checked, ClauseKind::NumWorkers, diagnostics),
            lane: count(unit, checked, ClauseKind::VectorLength, diagnostics),
        },
        default: default(checked),
        data: data::lower(unit, &checked.clauses, size, diagnostics),
        privates: Vec::new(),
        firstprivates: Vec::new(),
        private_arrays: Vec::new(),
        reductions: Vec::new(),
    };
    for clause in &checked.clauses {
        match clause.kind {
            ClauseKind::Private if checked.kind == DirectiveKind::Kernels => {
                privates::on_kernels(unit, clause, diagnostics);
            }
            ClauseKind::Private if !combined => {
                let found = privates::of_private(unit, clause, diagnostics);
                clauses.privates.extend(found.variables);
                clauses.private_arrays.extend(found.private_arrays);
            }
            ClauseKind::Firstprivate => {
                let found = privates::of_firstprivate(unit, clause, diagnostics);
                clauses.firstprivates.extend(found.variables);
                clauses
                    .privates
                    .extend(found.private_arrays.iter().map(|s| s.symbol));
                clauses.private_arrays.extend(found.private_arrays);
            }
            ClauseKind::Reduction if !combined => {
                let list = reductions::lower(unit, clause, false, diagnostics);
                clauses.reductions.extend(list);
            }
            _ => {}
        }
    }
    if !combined {
        separate(unit, checked, diagnostics);
    }
    one_dimension_reduced(checked, diagnostics);
    clauses
}

/// There is no reduction over gangs in several dimensions (2.5.4, 2.9.11).
fn one_dimension_reduced(checked: &Checked, diagnostics: &mut Diagnostics) {
    let over_gangs = !checked.kind.is_loop() || checked.clause(ClauseKind::Gang).is_some();
    let Some(reduction) = checked.clause(ClauseKind::Reduction).filter(|_| over_gangs) else {
        return;
    };
    if let Some(gangs) = several_gangs(checked) {
        diagnostics.push(reduced_over_gangs(reduction.span, gangs));
    }
}

/// Where a construct asks for gangs in several dimensions.
pub fn several_gangs(checked: &Checked) -> Option<Span> {
    let gangs = checked.clause(ClauseKind::NumGangs)?;
    (gangs.items().len() > 1).then_some(gangs.span)
}

/// Says of a `reduction` that its gangs have several dimensions.
pub fn reduced_over_gangs(reduction: Span, gangs: Span) -> Diagnostic {
    let message = "`reduction` goes with gangs in one dimension only";
    Diagnostic::error(codes::CLAUSE_CONFLICT, message, reduction)
        .also(gangs, "gangs in several dimensions")
        .help("give `num_gangs` one argument, the product of these")
}

/// When a construct uses the device: `if(c)` and not `self(h)`. A `self`
/// without argument is always true, so that the host runs the region.
pub fn condition(
    unit: &Unit,
    checked: &Checked,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    let condition = truth(unit, checked, ClauseKind::If, diagnostics);
    let Some(clause) = checked.clause(ClauseKind::SelfClause) else {
        return condition;
    };
    let int = synthesis::int(unit);
    let on_host = match clause.expression() {
        Some(_) => truth(unit, checked, ClauseKind::SelfClause, diagnostics)?,
        None => synthesis::integer(1, int, clause.span),
    };
    let on_device = Expression {
        kind: ExpressionKind::Unary(UnaryOperator::LogicalNot, Box::new(on_host)),
        ty: QualType::plain(int),
        span: clause.span,
    };
    let Some(condition) = condition else {
        return Some(on_device);
    };
    let both = synthesis::binary(BinaryOperator::LogicalAnd, condition, on_device, int);
    Some(Expression {
        span: clause.span,
        ..both
    })
}

/// The argument of `if` or `self`.
fn truth(
    unit: &Unit,
    checked: &Checked,
    kind: ClauseKind,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    let clause = checked.clause(kind)?;
    let condition = clause.expression().filter(|e| !is_error(e))?;
    if unit.types.is_scalar(condition.ty.ty) || unit.types.is_array(condition.ty.ty) {
        return Some(condition.clone());
    }
    diagnostics.push(malformed(
        format!("the condition of `{}` is no scalar", clause.name.value),
        condition.span,
    ));
    None
}

fn count(
    unit: &Unit,
    checked: &Checked,
    kind: ClauseKind,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    let clause = checked.clause(kind)?;
    let factors = clause.items().iter().filter_map(value);
    let checked = factors.map(|e| positive(unit, clause, e, diagnostics));
    // Gangs of several dimensions (2.5.10) are one row of as many.
    checked
        .collect::<Vec<_>>()
        .into_iter()
        .reduce(|all, next| {
            let (all, next) = (all?, next?);
            let ty = all.ty.ty;
            Some(Expression {
                span: clause.span,
                ..synthesis::binary(BinaryOperator::Multiply, all, next, ty)
            })
        })?
}

/// An argument of a clause that must be a positive integer.
fn positive(
    unit: &Unit,
    clause: &CheckedClause,
    e: &Expression,
    diagnostics: &mut Diagnostics,
) -> Option<Expression> {
    if is_error(e) {
        return None;
    }
    let problem = if !unit.types.is_integer(e.ty.ty) {
        "is no integer"
    } else if evaluate(unit, e).is_some_and(|n| n <= 0) {
        "is not positive"
    } else {
        return Some(e.clone());
    };
    diagnostics.push(malformed(
        format!("the argument of `{}` {problem}", clause.name.value),
        e.span,
    ));
    None
}

pub fn default(checked: &Checked) -> Option<DefaultClause> {
    // A clause that has an error may be the one that a variable needs.
    let clause = checked.clause(ClauseKind::Default)?;
    match &clause.items().first()?.value {
        ArgumentValue::Name { name, .. } if name.value == "none" => {
            (!checked.has_errors).then_some(DefaultClause::None(clause.span))
        }
        ArgumentValue::Name { .. } => Some(DefaultClause::Present),
        _ => None,
    }
}

/// A directive in one line: as it was written, where that is known.
pub fn title(unit: &Unit, directive: &Directive<Expression>) -> String {
    if let Some(words) = unit.directive_words.get(&directive.span) {
        return words.clone();
    }
    let mut text = directive.name_text();
    if let Some(arguments) = &directive.arguments {
        text.push_str(&argument_text(unit, arguments));
    }
    for clause in &directive.clauses {
        text.push(' ');
        text.push_str(&clause_text(unit, clause));
    }
    text
}

/// A clause as it could have been written.
pub fn clause_text(unit: &Unit, clause: &Clause<Expression>) -> String {
    let arguments = clause.arguments.as_ref();
    let arguments = arguments.map(|arguments| argument_text(unit, arguments));
    clause.name.value.clone() + &arguments.unwrap_or_default()
}

fn argument_text(unit: &Unit, arguments: &Arguments<Expression>) -> String {
    let print = |e: &Expression| Printer::text(unit, &C, e);
    let mut text = String::from("(");
    for modifier in &arguments.modifiers {
        text.push_str(&modifier.value);
        text.push(':');
    }
    for (i, item) in arguments.items.iter().enumerate() {
        if i > 0 {
            text.push_str(", ");
        }
        if let Some(label) = &item.label {
            text.push_str(&format!("{}: ", label.value));
        }
        match &item.value {
            ArgumentValue::Name { name, .. } => text.push_str(&name.value),
            ArgumentValue::Expression(e) => text.push_str(&print(e)),
            ArgumentValue::Star => text.push('*'),
            ArgumentValue::Section(section) => {
                text.push_str(&print(&section.base));
                text.push_str(&dimensions_text(unit, section));
            }
        }
    }
    text.push(')');
    text
}

/// The brackets of a section as they could have been written.
pub fn dimensions_text(unit: &Unit, section: &Section<Expression>) -> String {
    let mut text = String::new();
    for dimension in &section.dimensions {
        let parts: Vec<String> = dimension
            .parts
            .iter()
            .map(|part| part.as_ref().map(|e| Printer::text(unit, &C, e)))
            .map(Option::unwrap_or_default)
            .collect();
        text.push_str(&format!("[{}]", parts.join(":")));
    }
    text
}
