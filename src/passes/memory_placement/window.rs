//! Windows that `--place` asks for, in kernels that have none for the array.
//!
//! Input: kernels whose loops have verdicts, before they are spread. Output:
//! [`WindowRegion`]s as directives would have made them, which the pass
//! `software_cache` proves and places. A loop within each thread whose variable
//! goes along the array is taken a tile at a time:
//!
//! ```c
//! for (int k = 0; k < n; k++)          // before
//!     sum += a[i][k] * b[k][j];
//! for (long k_tile = 0; k_tile < n; k_tile += 32) {         // after
//!     const int k_first = k_tile;
//!     const int k_end = n - k_first < 32 ? n : k_first + 32;
//!     windows a[i:0:0][k_first:0:31], b[k_first:0:31][j:0:0]
//!         for (int k = k_first; k < k_end; k++)
//!             sum += a[i][k] * b[k][j];
//! }
//! ```
//!
//! Every iteration comes in its order, so that no sum is rounded otherwise. What
//! a window would have to hold follows from the subscripts; an access that is
//! not proved to be inside chooses between window and array when it runs.

use indexmap::IndexMap;

use super::Options;
use super::read_only::Facts;
use super::request::{Answers, Space, asked};
use crate::analysis::affine::{self, Affine, Term};
use crate::diagnostic::Diagnostics;
use crate::ir::{
    Kernel, Loop, Module, Passing, Relation, Statement, StatementKind, Verdict, Window,
    WindowDimension, WindowPolicy, WindowProof, WindowRegion, is_literal, visit,
};
use crate::passes::software_cache::element;
use crate::passes::synthesis;
use crate::passes::thread_mapping::nest;
use crate::source::Span;
use crate::typed::print::{C, Printer};
use crate::typed::{
    BinaryOperator, Expression, ExpressionKind, Initializer, IntegerKind, LocalDeclaration,
    SymbolId, Type, Unit, visit as typed,
};

/// Iterations of a tile where a window has other dimensions, too.
const TILE: i128 = 32;
/// Where the tile is all there is of it.
const LONG_TILE: i128 = 256;

/// The arrays that got regions here, by kernel, and what was refused.
#[derive(Default)]
pub struct Opened {
    answers: Answers,
    arrays: Vec<(usize, SymbolId)>,
}

/// Opens the regions that are asked for.
pub fn open(module: &mut Module, unit: &mut Unit, options: &Options) -> Opened {
    let mut opened = Opened::default();
    let is_wanted = |request: &super::PlacementRequest| request.space == Space::Window;
    if !options.places.iter().any(is_wanted) {
        return opened;
    }
    let wanted = Facts::of_module(module, unit, |kernel, facts| {
        let arrays = super::arrays(kernel);
        let asked =
            arrays.filter(|&array| asked(&options.places, array, unit) == Some(Space::Window));
        asked
            .map(|array| (array, facts.find(array).map(|_| ())))
            .collect::<Vec<_>>()
    });
    for (number, wanted) in wanted.into_iter().enumerate() {
        let kernel = &mut module.kernels[number];
        let mut arrays = Vec::new();
        for (array, found) in wanted {
            match found.and_then(|()| plan(kernel, array, unit)) {
                Ok(plans) => arrays.extend(plans.into_iter().map(|plan| (array, plan))),
                Err(reason) => opened.answers.refuse(array, kernel.directive, &reason),
            }
        }
        opened
            .arrays
            .extend(arrays.iter().map(|(array, _)| (number, *array)));
        put(kernel, arrays, unit);
    }
    opened
}

impl Opened {
    /// Reports what no kernel could follow, now that windows are placed.
    pub fn report(mut self, module: &Module, unit: &Unit, diagnostics: &mut Diagnostics) {
        for (number, array) in self.arrays {
            let kernel = &module.kernels[number];
            if kernel.windows.iter().any(|window| window.array == array) {
                self.answers.follow(array);
            } else {
                let reason = "a block cannot hold it, as the notes of `--feedback` say";
                self.answers.refuse(array, kernel.directive, reason);
            }
        }
        self.answers.report(Space::Window, unit, diagnostics);
    }
}

/// A window of an array in one place.
struct Plan {
    /// The loop that is taken a tile at a time, by its header; the whole body
    /// of the nest otherwise.
    tiled: Option<Span>,
    dimensions: Vec<Side>,
}

/// One dimension of a window.
#[derive(Clone)]
struct Side {
    /// The subscript of some access.
    subscript: Expression,
    /// How many elements others lie before and after it.
    before: i128,
    after: i128,
    /// How far an iteration of the tiled loop moves it.
    stride: i128,
    /// Short loops inside, whose variables stand at their first value.
    at_first: Vec<(SymbolId, Expression)>,
}

/// What an array's accesses ask for; a plan for each place.
///
/// # Errors
/// Why there is none.
fn plan(kernel: &Kernel, array: SymbolId, unit: &Unit) -> Result<Vec<Plan>, String> {
    let is_address =
        |c: &crate::ir::Capture| c.symbol == array && c.passing == Passing::DevicePointer;
    if kernel.captures.iter().any(is_address) {
        return Err("how much lies at an address of the device is not known".into());
    }
    let has_windows = |s: &Statement| matches!(s.kind, StatementKind::Windows(_));
    let mut holds = false;
    visit::walk(&kernel.body, &mut |s| holds |= has_windows(s));
    if holds {
        return Err("a directive asks for windows in the same kernel".into());
    }
    let nest = nest(kernel).filter(|nest| !nest.is_empty());
    let nest = nest.ok_or("the loops around its accesses are no nest of parallel loops alone")?;
    let innermost = nest.last().ok_or("no loop is parallel")?;
    let mut walk = Walk {
        array,
        unit,
        around: Vec::new(),
        accesses: Vec::new(),
    };
    walk.list(&innermost.body)?;
    let mut places: IndexMap<Option<Span>, Vec<Access>> = IndexMap::new();
    for access in walk.accesses {
        let tiled = access.tiled(unit);
        tiled.map_or(Ok(()), |l| check_tiled(l, unit))?;
        let place = tiled.map(|l| l.header);
        places.entry(place).or_default().push(access);
    }
    // Elsewhere it is read less often.
    if places.keys().any(Option::is_some) {
        places.retain(|place, _| place.is_some());
    }
    let known = Known {
        kernel,
        nest: &nest,
        unit,
    };
    let plans = places.into_iter().map(|(tiled, accesses)| {
        let dimensions = known.dimensions(&accesses, tiled)?;
        Ok(Plan { tiled, dimensions })
    });
    let plans: Result<Vec<Plan>, String> = plans.collect();
    plans.and_then(|plans| match plans.is_empty() {
        true => Err("it is accessed in no loop within the nest".into()),
        false => Ok(plans),
    })
}

/// One access, with the loops around it inside the nest.
struct Access<'k> {
    subscripts: Vec<Option<Expression>>,
    around: Vec<&'k Loop>,
}

impl<'k> Access<'k> {
    /// The outermost loop of unknown length whose variable is in a subscript.
    fn tiled(&self, unit: &Unit) -> Option<&'k Loop> {
        let mut around = self.around.iter().copied();
        around.find(|l| trips(l, unit).is_none() && self.mentions(l.induction))
    }

    fn mentions(&self, symbol: SymbolId) -> bool {
        let mut subscripts = self.subscripts.iter().flatten();
        subscripts.any(|e| mentions(e, symbol))
    }
}

fn mentions(e: &Expression, symbol: SymbolId) -> bool {
    let is = |e: &Expression| matches!(e.kind, ExpressionKind::Symbol(s) if s == symbol);
    typed::any(e, &mut |e| is(e))
}

/// How often a loop that counts up by one runs, if that is a number.
fn trips(l: &Loop, unit: &Unit) -> Option<i128> {
    let last = match (counts_up_by_one(l), l.relation) {
        (true, Relation::Less) => 1,
        (true, Relation::LessEqual) => 0,
        _ => return None,
    };
    let value = |e| crate::typed::constant::evaluate(unit, e);
    Some((value(&l.bound)? - value(&l.lower)? + 1 - last).max(0))
}

fn counts_up_by_one(l: &Loop) -> bool {
    !l.downward && is_literal(&l.step, 1)
}

/// Whether a loop within each thread can be taken a tile at a time.
fn check_tiled(l: &Loop, unit: &Unit) -> Result<(), String> {
    let variable = &unit.symbol(l.induction);
    let name = &variable.name;
    let is_signed = matches!(
        unit.types.get(variable.ty.ty),
        Type::Integer(IntegerKind::Int | IntegerKind::Long)
    );
    let starts = crate::typed::constant::evaluate(unit, &l.lower).is_some_and(|n| n >= 0);
    if !counts_up_by_one(l) || l.relation != Relation::Less || !starts {
        return Err(format!(
            "the loop over `{name}` does not count up by one from a constant that is not negative"
        ));
    }
    if !is_signed || l.bound.ty.ty != variable.ty.ty {
        return Err(format!(
            "the loop over `{name}` does not compare an `int` or `long` with one"
        ));
    }
    if !l.declared_inside || !l.reductions.is_empty() || l.collapsed > 0 {
        return Err(format!(
            "the loop over `{name}` is not one of its own within each thread"
        ));
    }
    let mut leaves = false;
    visit::walk(&l.body, &mut |s| {
        leaves |= matches!(
            s.kind,
            StatementKind::Break
                | StatementKind::Goto(_)
                | StatementKind::Label(_)
                | StatementKind::Return(_)
        );
    });
    match leaves {
        true => Err(format!("the loop over `{name}` may be left early")),
        false => Ok(()),
    }
}

/// Finds the accesses of a body to an array.
struct Walk<'k, 'u> {
    array: SymbolId,
    unit: &'u Unit,
    around: Vec<&'k Loop>,
    accesses: Vec<Access<'k>>,
}

impl<'k> Walk<'k, '_> {
    fn list(&mut self, list: &'k [Statement]) -> Result<(), String> {
        for statement in list {
            let mut roots = Vec::new();
            visit::own_expressions(statement, &mut |e| roots.push(e));
            for e in roots {
                self.expression(e)?;
            }
            let inner = match &statement.kind {
                StatementKind::Loop(l) => Some(&**l),
                _ => None,
            };
            self.around.extend(inner);
            let mut result = Ok(());
            visit::blocks(statement, &mut |body| {
                if result.is_ok() {
                    result = self.list(body);
                }
            });
            if inner.is_some() {
                self.around.pop();
            }
            result?;
        }
        Ok(())
    }

    /// The accesses of an expression; every mention must be one.
    fn expression(&mut self, e: &Expression) -> Result<(), String> {
        let depth = depth(self.array, self.unit);
        let found = element(e, self.unit)
            .filter(|(array, indices)| *array == self.array && indices.len() == depth);
        if let Some((_, subscripts)) = found {
            for index in subscripts.iter().flatten() {
                self.expression(index)?;
            }
            let around = self.around.clone();
            self.accesses.push(Access { subscripts, around });
            return Ok(());
        }
        if matches!(e.kind, ExpressionKind::Symbol(symbol) if symbol == self.array) {
            return Err("it is not only accessed by its elements".into());
        }
        let mut result = Ok(());
        typed::operands(e, &mut |operand| {
            if result.is_ok() {
                result = self.expression(operand);
            }
        });
        result
    }
}

/// How many subscripts lead to an element.
fn depth(array: SymbolId, unit: &Unit) -> usize {
    let (mut ty, mut depth) = (unit.symbol(array).ty.ty, 0);
    loop {
        ty = match unit.types.get(ty) {
            Type::Pointer(to) if depth == 0 => to.ty,
            Type::Array { element, .. } => element.ty,
            _ => return depth,
        };
        depth += 1;
    }
}

/// The dimensions that hold what two accesses need, if these are at a fixed
/// distance.
fn united(held: &[(Affine, Side)], own: &[(Affine, Side)]) -> Option<Vec<(Affine, Side)>> {
    let pairs = held.iter().zip(own);
    let both = pairs.map(|((base, held), (form, side))| {
        let far = form.minus(base)?.as_constant()?;
        let side = Side {
            before: held.before.max(side.before - far),
            after: held.after.max(side.after + far),
            ..held.clone()
        };
        Some((base.clone(), side))
    });
    both.collect()
}

/// What is known around the accesses of a kernel.
struct Known<'k> {
    kernel: &'k Kernel,
    nest: &'k [&'k Loop],
    unit: &'k Unit,
}

impl Known<'_> {
    /// The dimensions that hold the accesses of one place: of those that are
    /// not at fixed distances from each other, the most numerous.
    fn dimensions(&self, accesses: &[Access], tiled: Option<Span>) -> Result<Vec<Side>, String> {
        let mut groups: Vec<(usize, Vec<(Affine, Side)>)> = Vec::new();
        for access in accesses {
            let dimensions = 0..access.subscripts.len();
            let own = dimensions.map(|dimension| self.side(access, dimension, tiled));
            let own = own.collect::<Result<Vec<_>, String>>()?;
            let mut others = groups.iter_mut();
            match others.find_map(|(count, held)| Some((count, united(held, &own)?, held))) {
                Some((count, both, held)) => {
                    *count += 1;
                    *held = both;
                }
                None => groups.push((1, own)),
            }
        }
        let most = groups.into_iter().rev().max_by_key(|(count, _)| *count);
        let (_, sides) = most.ok_or("it has no accesses")?;
        Ok(sides.into_iter().map(|(_, side)| side).collect())
    }

    /// One dimension of one access, with the loops inside run through.
    fn side(
        &self,
        access: &Access,
        dimension: usize,
        tiled: Option<Span>,
    ) -> Result<(Affine, Side), String> {
        let unit = self.unit;
        let unknown = || "how it is indexed is not known".to_owned();
        let subscript = match access.subscripts.get(dimension) {
            Some(Some(e)) => e.clone(),
            Some(None) => synthesis::integer(0, self.int()?, self.kernel.span),
            None => return Err(unknown()),
        };
        let form = affine::of(&subscript, unit, &|symbol| {
            Some(Affine::variable(Term::Invariant(symbol)))
        });
        let mut form = form.ok_or_else(unknown)?;
        let mut side = Side {
            subscript,
            before: 0,
            after: 0,
            stride: 0,
            at_first: Vec::new(),
        };
        // Loops around the tiled one stand still while the block has its window.
        let position = access.around.iter().position(|l| Some(l.header) == tiled);
        for l in &access.around[position.unwrap_or_default()..] {
            let term = Term::Invariant(l.induction);
            let stride = form.coefficient(term).ok_or_else(unknown)?;
            if Some(l.header) == tiled {
                side.stride = stride;
            } else if stride != 0 {
                let value = |e| crate::typed::constant::evaluate(unit, e);
                let (lower, trips) = value(&l.lower)
                    .zip(trips(l, unit))
                    .ok_or("an inner loop of unknown length goes along it")?;
                let far = stride.checked_mul((trips - 1).max(0)).ok_or_else(unknown)?;
                side.before -= far.min(0);
                side.after += far.max(0);
                side.at_first.push((l.induction, l.lower.clone()));
                form = form
                    .substitute(term, &Affine::constant(lower))
                    .ok_or_else(unknown)?;
            }
        }
        self.check_variables(&side, access)?;
        Ok((form, side))
    }

    /// A pivot may use what is known where the region begins.
    fn check_variables(&self, side: &Side, access: &Access) -> Result<(), String> {
        let mut wrong = None;
        typed::walk(&side.subscript, &mut |e| {
            let ExpressionKind::Symbol(symbol) = e.kind else {
                return;
            };
            let of_nest = self.nest.iter().any(|l| l.induction == symbol);
            let of_loop = access.around.iter().any(|l| l.induction == symbol);
            let is_value = |c: &crate::ir::Capture| {
                c.symbol == symbol && c.passing == Passing::Value && !c.written
            };
            let is_constant = !self.unit.symbol(symbol).is_variable();
            let given = self.kernel.captures.iter().any(is_value);
            if !(of_nest || of_loop || given || is_constant) {
                wrong = Some(symbol);
            }
        });
        match wrong {
            Some(symbol) => Err(format!(
                "its index uses `{}`, which is not known before its accesses",
                self.unit.symbol(symbol).name
            )),
            None => Ok(()),
        }
    }

    fn int(&self) -> Result<crate::typed::TypeId, String> {
        let int = self.unit.types.find(&Type::Integer(IntegerKind::Int));
        int.ok_or_else(|| "the file has no integers".to_owned())
    }
}

/// Puts regions around what they are for.
fn put(kernel: &mut Kernel, arrays: Vec<(SymbolId, Plan)>, unit: &mut Unit) {
    let mut regions: IndexMap<Option<Span>, Vec<(SymbolId, Vec<Side>)>> = IndexMap::new();
    for (array, plan) in arrays {
        let windows = regions.entry(plan.tiled).or_default();
        windows.push((array, plan.dimensions));
    }
    let innermost = nest(kernel).and_then(|nest| nest.last().map(|l| l.header));
    let mut body = std::mem::take(&mut kernel.body);
    for (tiled, windows) in regions {
        let wanted = tiled.or(innermost);
        let mut found = None;
        visit::loops(&body, &mut |l| {
            if Some(l.header) == wanted {
                found = found.take().or(Some(l.clone()));
            }
        });
        let Some(l) = found else { continue };
        let replacement = match tiled {
            Some(_) => in_tiles(l, windows, kernel, unit),
            None => whole_body(l, windows, kernel, unit),
        };
        replace(&mut body, wanted, &mut Some(replacement));
    }
    kernel.body = body;
}

/// Puts a statement in place of a loop.
fn replace(list: &mut [Statement], header: Option<Span>, by: &mut Option<StatementKind>) {
    for statement in list {
        if let StatementKind::Loop(l) = &statement.kind
            && Some(l.header) == header
        {
            if let Some(kind) = by.take() {
                statement.kind = kind;
            }
            return;
        }
        visit::blocks_mut(statement, &mut |inner| replace(inner, header, by));
    }
}

/// A loop of the nest whose body is run with windows.
fn whole_body(
    mut l: Loop,
    windows: Vec<(SymbolId, Vec<Side>)>,
    kernel: &Kernel,
    unit: &Unit,
) -> StatementKind {
    let region = WindowRegion {
        windows: windows
            .into_iter()
            .map(|(array, sides)| window(array, sides, None, kernel, unit))
            .collect(),
        body: std::mem::take(&mut l.body),
        explicit: false,
        title: "--place".into(),
        directive: kernel.directive,
    };
    l.body = vec![Statement {
        kind: StatementKind::Windows(Box::new(region)),
        span: l.header,
    }];
    StatementKind::Loop(Box::new(l))
}

/// A loop within each thread, a tile at a time with windows.
fn in_tiles(
    mut l: Loop,
    windows: Vec<(SymbolId, Vec<Side>)>,
    kernel: &Kernel,
    unit: &mut Unit,
) -> StatementKind {
    let span = l.header;
    let is_long = |side: &Side| side.stride != 0;
    let all_along = |sides: &[Side]| sides.iter().all(is_long);
    let tile = match windows.iter().all(|(_, sides)| all_along(sides)) {
        true => LONG_TILE,
        false => TILE,
    };
    let ty = unit.symbol(l.induction).ty.ty;
    let name = unit.symbol(l.induction).name.clone();
    // It may pass the bound by a tile, which the loop's own type may not hold.
    let long = unit.types.intern(Type::Integer(IntegerKind::Long));
    let int = synthesis::int(unit);
    let mut added = Vec::new();
    let mut variable = |unit: &mut Unit, suffix: &str, ty| {
        let wanted = format!("{name}_{suffix}");
        let symbol = synthesis::kernel_variable(unit, kernel, &added, &wanted, ty);
        unit.symbols[symbol.0 as usize].ty.qualifiers.is_const = suffix != "tile";
        added.push(symbol);
        symbol
    };
    let tiles = variable(unit, "tile", long);
    let first = variable(unit, "first", ty);
    let end = variable(unit, "end", ty);
    let start = synthesis::cast(synthesis::symbol(unit, tiles, span), ty);
    let from = || synthesis::symbol(unit, first, span);
    let width = || synthesis::integer(tile, ty, span);
    let left = synthesis::binary(BinaryOperator::Subtract, l.bound.clone(), from(), ty);
    let is_last = synthesis::binary(BinaryOperator::Less, left, width(), int);
    let whole = synthesis::binary(BinaryOperator::Add, from(), width(), ty);
    let last = Expression {
        kind: ExpressionKind::Conditional(
            Box::new(is_last),
            Some(Box::new(l.bound.clone())),
            Box::new(whole),
        ),
        ty: l.bound.ty,
        span,
    };
    let region = WindowRegion {
        windows: windows
            .into_iter()
            .map(|(array, sides)| window(array, sides, Some((&l, first, tile)), kernel, unit))
            .collect(),
        body: Vec::new(),
        explicit: false,
        title: "--place".into(),
        directive: kernel.directive,
    };
    let sequential = |reason: &str| {
        Some(Verdict {
            parallel: false,
            reason: reason.into(),
            span: None,
            remedy: None,
        })
    };
    let outer = Loop {
        induction: tiles,
        step: synthesis::integer(tile, int, span),
        privates: Vec::new(),
        request: crate::ir::Request::default(),
        verdict: sequential("a block has windows for a tile of its iterations at a time"),
        directive: None,
        body: Vec::new(),
        ..l.clone()
    };
    l.lower = synthesis::symbol(unit, first, span);
    l.bound = synthesis::symbol(unit, end, span);
    l.verdict = sequential("it is within a tile that a block has windows for");
    let inner = Statement {
        kind: StatementKind::Loop(Box::new(l)),
        span,
    };
    let region = WindowRegion {
        body: vec![inner],
        ..region
    };
    let declare = |symbol, value| LocalDeclaration {
        symbol,
        initializer: Some(Initializer::Expression(value)),
        lengths: Vec::new(),
        span,
    };
    let statement = |kind| Statement { kind, span };
    let declaration =
        |symbol, value| statement(StatementKind::Declaration(vec![declare(symbol, value)]));
    StatementKind::Loop(Box::new(Loop {
        body: vec![
            declaration(first, start),
            declaration(end, last),
            statement(StatementKind::Windows(Box::new(region))),
        ],
        ..outer
    }))
}

/// A window as a directive would have it; of a tiled loop with its tile's first
/// iteration and length.
fn window(
    array: SymbolId,
    sides: Vec<Side>,
    tile: Option<(&Loop, SymbolId, i128)>,
    kernel: &Kernel,
    unit: &Unit,
) -> Window {
    let mut text = unit.symbol(array).name.clone();
    let int = unit.types.find(&Type::Integer(IntegerKind::Int));
    let dimensions = sides.into_iter().map(|side| {
        let span = kernel.directive;
        let ty = int.unwrap_or(side.subscript.ty.ty);
        let mut pivot = side.subscript;
        let (mut before, mut after) = (side.before, side.after);
        typed::walk_mut(&mut pivot, &mut |e| {
            let ExpressionKind::Symbol(symbol) = e.kind else {
                return;
            };
            if let Some((_, lower)) = side.at_first.iter().find(|(s, _)| *s == symbol) {
                *e = synthesis::parenthesized(lower.clone());
            } else if let Some((l, first, _)) = tile
                && l.induction == symbol
            {
                e.kind = ExpressionKind::Symbol(first);
            }
        });
        if let Some((_, _, iterations)) = tile {
            let far = side.stride.saturating_mul(iterations - 1);
            before -= far.min(0);
            after += far.max(0);
        }
        let shown = Printer::text(unit, &C, &pivot);
        text.push_str(&format!("[{shown}:{before}:{after}]"));
        WindowDimension {
            pivot,
            before: synthesis::integer(before, ty, span),
            after: synthesis::integer(after, ty, span),
        }
    });
    let dimensions = dimensions.collect();
    Window {
        array,
        dimensions,
        policy: WindowPolicy {
            fetch: true,
            ..WindowPolicy::default()
        },
        proof: WindowProof::Selected,
        has_sections: false,
        text,
        span: kernel.directive,
    }
}
