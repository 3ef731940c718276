//! Which loops over threads may count in an index type that the launch chooses.
//!
//! Beyond its bound, the variable of a loop that threads share may leave `int`, be it by the step
//! to the next iteration of a thread or by the number of a thread that has none. `int` serves where
//! the launch knows ([`IndexTest`]) that there are few iterations, or that the bound is not near the
//! end of `int`; else the loop counts in 64 bits. Gangs are few: the runtime's `gangs` sees to it.
//!
//! ```c
//! for (int i = k + 1; i < n; i++)         // over the grid, alone: `n` is small, or nothing is launched
//! for (int i = n - 1; i >= k; i--)        // the same
//! for (int i = k + 1; i < n; i++)         // over the grid, beside others: few values from `k + 1` on
//! for (int i = k + 1; i < n; i++)         // over the grid, many a thread: half as many
//! for (int i = k + 1; i < n; i++)         // over gangs, or
//!     for (int j = i + 1; j < n; j++)     // over threads: `n` is small
//! for (int j = i % 2; j < n; j += 2)      // the same
//! for (int i = 0; i < n; i++)             // over threads, numbered together: `n * m` is small
//!     for (int j = 0; j < m; j++)
//! ```
//!
//! Loops that stride in their own `int` need a bound that is not near its end either ([`test_bounds`]).

#[cfg(test)]
mod tests;

use super::exits::Exits;
use super::launch_value::is_of_launch;
use crate::ir::linear_index::is_int;
use crate::ir::visit::{self, Around};
use crate::ir::{
    Axis, IndexTest, Kernel, Loop, LoopCounters, Relation, Scheme, Statement, StatementKind, Tile,
    TripCount, is_literal,
};
use crate::typed::constant::evaluate;
use crate::typed::{
    self, ArrayLength, BinaryOperator, Conversion, Expression, ExpressionKind, IntegerKind,
    SymbolId, Type, TypeId, UnaryOperator, Unit,
};

/// The largest step whose multiples are computed in the index type: those of a block beyond the
/// bound are within the runtime's `int_slack`.
const MOST_STEP: i128 = 32;

/// The largest step of a loop that the launch keeps in `int`: a grid of steps beyond the bound is to leave
/// room for the loop itself.
const MOST_KEPT_STEP: i128 = 8;

/// How far constants may lead from a number that the launch tests: with a block of the largest
/// steps still within the runtime's `int_slack`.
const MOST_DISTANCE: i128 = 1 << 15;

/// No number of a loop whose constants are below is near the end of `int`, nor is a grid of them.
pub const FAR_FROM_THE_END: i128 = 1 << 29;

/// Such loops, with what the launch tests before all of them count in `int`, and those that always do.
pub fn in_index_type(kernel: &Kernel, unit: &Unit) -> LoopCounters {
    let is_sized = kernel.scheme == Some(Scheme::Flat)
        && kernel.exact_grid.is_none()
        && !kernel.counts_blocks();
    let mut found: Vec<(SymbolId, Vec<IndexTest>)> = Vec::new();
    let mut others: Vec<SymbolId> = Vec::new();
    let mut counters = LoopCounters::default();
    visit::walk_around(&kernel.body, &mut |statement, around| {
        let StatementKind::Loop(l) = &statement.kind else {
            return;
        };
        let are_gangs = is_over_gangs(l, kernel, unit);
        let together = l.numbered_together();
        let tests = match l.has_blocks() {
            _ if !together.is_empty() => over_nest(&together, kernel, unit),
            true if !is_sized && !are_gangs && l.once.is_none() => None,
            _ if is_small(l, unit) => Some(Vec::new()),
            true if is_sized && is_kept(l, kernel, unit) => {
                counters.kept.push(l.induction);
                Some(Vec::new())
            }
            false if is_between(l, around, kernel, unit) => {
                counters.kept.push(l.induction);
                Some(Vec::new())
            }
            true if are_gangs => over_few(l, around, kernel, unit),
            true if is_sized => over_grid(l, kernel, unit),
            true => None,
            false => over_few(l, around, kernel, unit),
        };
        match tests {
            Some(tests) => found.push((l.induction, tests)),
            None => others.push(l.induction),
        }
    });
    found.retain(|(induction, _)| !others.contains(induction));
    for (induction, tests) in &found {
        let mut own = found.iter().filter(|(other, _)| other == induction);
        match own.all(|(_, tests)| tests.is_empty()) {
            true => counters.narrow.push(*induction),
            false => counters.chosen.push(*induction),
        }
        counters.tests.extend(tests.iter().cloned());
    }
    // All loops over the variable are.
    let kept = counters.kept.clone();
    let times = |all: &mut dyn Iterator<Item = &SymbolId>, own: SymbolId| {
        all.filter(|one| **one == own).count()
    };
    counters.kept.retain(|&own| {
        let all = times(&mut found.iter().map(|(other, _)| other), own);
        all == times(&mut kept.iter(), own)
    });
    counters
}

/// What is tested so that loops stride in their `int`, where nothing else keeps it: the launch tests the
/// bounds of loops over the threads of a block, and of those over a grid that is not sized by them; loops
/// to what is not known before test it themselves.
pub fn test_bounds(kernel: &Kernel, unit: &Unit, counters: &mut LoopCounters) {
    visit::walk_around(&kernel.body, &mut |statement, around| {
        let StatementKind::Loop(l) = &statement.kind else {
            return;
        };
        let is_known = is_of_launch(&l.bound, kernel, unit);
        if !l.is_distributed()
            || l.has_blocks() && is_known && is_sized_by(l, kernel)
            || l.once.is_some()
            || l.has_slack
            || l.strides_by_step
            || l.narrow_stride(unit) != Some(IntegerKind::Int)
            || !l.numbered_together().is_empty()
            || evaluate(unit, &l.bound).is_some_and(|bound| bound <= FAR_FROM_THE_END)
            || is_narrow(&l.bound, unit)
            || is_subscript(l, unit)
        {
            return;
        }
        let mut largest = Largest::of(around, kernel, unit);
        if is_known {
            match l.has_blocks() {
                true => counters.grid_bounds.push(l.bound.clone()),
                false => counters.bounds.push(l.bound.clone()),
            }
        } else if !l.has_blocks() && largest.tests(&l.bound) && largest.distance <= MOST_DISTANCE {
            let tests = largest.tests.into_iter();
            counters.bounds.extend(tests.filter_map(|test| match test {
                IndexTest::Number(e) => Some(e),
                _ => None,
            }));
        } else {
            counters.tested.push(l.induction);
        }
    });
}

/// Whether the launcher sizes the grid by a loop over its blocks, and keeps it in its `int` then.
fn is_sized_by(l: &Loop, kernel: &Kernel) -> bool {
    let is_flat =
        matches!(kernel.scheme, Some(Scheme::Flat | Scheme::Threads)) && !kernel.counts_blocks();
    let is_requested = kernel.exact_grid.is_some() || !is_flat && kernel.sizes.block.is_some();
    let is_counted = |axis: Axis| !kernel.grid[axis as usize].is_empty();
    let along = l.distribution.and_then(|distribution| distribution.blocks);
    !is_requested
        && is_counted(Axis::X)
        && along.is_none_or(is_counted)
        && (is_flat || !kernel.covers[0])
}

/// Whether each iteration of a loop accesses an element of an array by its variable, of which the array's
/// length says that it is not near the end of `int`.
///
/// ```c
/// for (int j = 0; j < end[i]; j++)
///     b[i][j + 1] = 0;                    // float b[N][M]
/// ```
fn is_subscript(l: &Loop, unit: &Unit) -> bool {
    Exits::of(&l.body).is_empty() && is_accessed(&l.body, l.induction, unit)
}

/// Whether some code always does so.
fn is_accessed(list: &[Statement], variable: SymbolId, unit: &Unit) -> bool {
    list.iter().any(|statement| match &statement.kind {
        StatementKind::Expression(Some(e)) => has_subscript(e, variable, unit),
        StatementKind::Declaration(list) => {
            let mut values = list.iter().filter_map(|one| one.value());
            values.any(|e| has_subscript(e, variable, unit))
        }
        StatementKind::Block(body) => is_accessed(body, variable, unit),
        StatementKind::Windows(region) => is_accessed(&region.body, variable, unit),
        _ => false,
    })
}

/// Whether evaluating an expression always accesses an element so.
fn has_subscript(e: &Expression, variable: SymbolId, unit: &Unit) -> bool {
    use {BinaryOperator as B, ExpressionKind as E};
    match &e.kind {
        E::Index(base, index) if is_by(index, variable, unit) && is_array(base, unit) => true,
        E::Conditional(first, ..) | E::Binary(B::LogicalAnd | B::LogicalOr, first, _) => {
            has_subscript(first, variable, unit)
        }
        E::Unary(UnaryOperator::AddressOf, _) | E::Statement(_) => false,
        _ => {
            let mut found = false;
            typed::visit::operands(e, &mut |operand| {
                found = found || has_subscript(operand, variable, unit);
            });
            found
        }
    }
}

/// Whether a subscript is a variable, and constants.
fn is_by(index: &Expression, variable: SymbolId, unit: &Unit) -> bool {
    use BinaryOperator::{Add, Subtract};
    let is_near = |e| evaluate(unit, e).is_some_and(|value| value.abs() <= MOST_DISTANCE);
    match &index.inner().kind {
        ExpressionKind::Symbol(symbol) => *symbol == variable,
        ExpressionKind::Binary(Add | Subtract, left, right) => {
            is_int(index, unit) && is_near(right) && is_by(left, variable, unit)
        }
        _ => false,
    }
}

/// Whether what is indexed is an array itself, of a length that is not near the end of `int`.
fn is_array(base: &Expression, unit: &Unit) -> bool {
    let ExpressionKind::Convert(Conversion::ArrayToPointer, array) =
        &base.without_parentheses().kind
    else {
        return false;
    };
    // A struct's last member is a flexible array by custom, too.
    let is_member = matches!(array.inner().kind, ExpressionKind::Member { .. });
    let length = match unit.types.get(array.ty.ty) {
        Type::Array {
            length: ArrayLength::Constant(n),
            ..
        } => i128::from(*n),
        _ => return false,
    };
    length <= FAR_FROM_THE_END && !(is_member && length <= 1)
}

/// Whether a loop is distributed over gangs, of which each has a block.
fn is_over_gangs(l: &Loop, kernel: &Kernel, unit: &Unit) -> bool {
    let distribution = l.distribution.unwrap_or_default();
    kernel.scheme == Some(Scheme::Hierarchical)
        && kernel.exact_grid.is_none()
        && !kernel.counts_threads(unit)
        && distribution.is_over_blocks()
}

/// Whether a loop of which each thread runs an iteration is all that a kernel has, or one of a nest
/// that is: what the launch knows of its values holds for all that the kernel computes, and without
/// an iteration there is nothing to launch.
fn is_kept(l: &Loop, kernel: &Kernel, unit: &Unit) -> bool {
    let mut body = kernel.body.as_slice();
    let mut is_in_nest = false;
    while let [Statement { kind, .. }] = body
        && let StatementKind::Loop(outer) = kind
    {
        is_in_nest |= outer.induction == l.induction;
        body = &outer.body;
    }
    let has_results = !kernel.grid_reductions.is_empty() || !kernel.block_reductions.is_empty();
    let is_ordered = match l.downward {
        false => matches!(l.relation, Relation::Less | Relation::LessEqual),
        // A constant below 0 is of no type without a sign.
        true => {
            let lower = evaluate(unit, &l.lower);
            matches!(l.relation, Relation::Greater | Relation::GreaterEqual)
                && lower.is_none_or(|value| value > 0)
        }
    };
    let is_short = |(_, step): (TripCount, i128)| step <= MOST_KEPT_STEP;
    is_in_nest
        && is_ordered
        && l.once.is_some()
        && l.tile.is_none()
        && !has_results
        && kernel.windows.is_empty()
        && !l.strides(unit)
        && matches!(
            unit.types.get(unit.symbol(l.induction).ty.ty),
            Type::Integer(IntegerKind::Int)
        )
        && is_int(&l.lower, unit)
        && is_int(&l.bound, unit)
        && known_trips(l, kernel, unit).is_some_and(is_short)
}

/// Whether a loop that does not stride has constants and what is narrower than `int` alone, all small.
fn is_small(l: &Loop, unit: &Unit) -> bool {
    let is_shared =
        l.is_distributed() && (l.tile.is_some_and(|tile| tile.count.is_some()) || !l.strides(unit));
    let is_near = |e: &Expression| match evaluate(unit, e) {
        Some(value) => value.abs() <= FAR_FROM_THE_END,
        None => is_narrow(e, unit),
    };
    is_shared && is_simple(l, unit) && l.limits().into_iter().all(is_near)
}

/// Whether an expression has a type narrower than `int`, or a value of such that no conversion made
/// a large one without a sign.
fn is_narrow(e: &Expression, unit: &Unit) -> bool {
    match &e.kind {
        ExpressionKind::Parenthesized(inner) => is_narrow(inner, unit),
        ExpressionKind::Convert(_, inner) => {
            let is_same = unit.types.is_signed(e.ty.ty) || !unit.types.is_signed(inner.ty.ty);
            is_same && is_narrow(inner, unit)
        }
        _ => {
            let is_small = unit.types.size(e.ty.ty).is_some_and(|bytes| bytes < 4);
            unit.types.is_integer(e.ty.ty) && is_small
        }
    }
}

/// Whether C computes with the variable in 32 bits or less: the number of an iteration suffices, of
/// whatever integer type.
fn is_simple(l: &Loop, unit: &Unit) -> bool {
    let is_narrow = |ty: TypeId| {
        unit.types.is_integer(ty) && unit.types.size(ty).is_some_and(|bytes| bytes <= 4)
    };
    let lower = [l.lower.ty.ty, l.lower.inner().ty.ty];
    is_narrow(unit.symbol(l.induction).ty.ty) && lower.into_iter().all(is_narrow)
}

/// The tests of a loop over threads of the grid that numbers its iterations: the launch sizes the
/// grid by them. Of a tile it also has to know that the bound is not near the end of `int`: the
/// variable is computed for iterations beyond it.
fn over_grid(l: &Loop, kernel: &Kernel, unit: &Unit) -> Option<Vec<IndexTest>> {
    let counts = |tile: Tile| tile.count.is_some() && !l.downward && is_int(&l.bound, unit);
    let is_numbered = l.tile.map_or(!l.strides(unit), counts);
    let (trips, step) = known_trips(l, kernel, unit).filter(|_| is_numbered)?;
    let strides = l.once.is_none() && l.widens(&kernel.windows, unit);
    if strides && !is_alone(l, kernel) {
        return None;
    }
    let is_from_zero = is_literal(&l.lower, 0);
    // One that strides in its variable takes a grid of steps, no longer than the loop, beyond its bound.
    let mut tests = vec![match (strides, l.once.is_none() || is_from_zero) {
        (true, _) => IndexTest::Values(trips, 2 * step),
        (false, true) => IndexTest::Trips(trips, step),
        (false, false) => IndexTest::Values(trips, step),
    }];
    if l.tile.is_some() {
        tests.push(IndexTest::Number(l.bound.clone()));
    }
    Some(tests)
}

/// The tests of loops over the threads of a block that are numbered together.
fn over_nest(loops: &[&Loop], kernel: &Kernel, unit: &Unit) -> Option<Vec<IndexTest>> {
    let trips = loops.iter().map(|l| known_trips(l, kernel, unit));
    let trips = trips.collect::<Option<Vec<_>>>()?;
    let mut numbers = trips
        .iter()
        .map(|(trips, _)| trips.number(&|e| evaluate(unit, e)));
    let all = numbers.try_fold(1, |all: i128, own| Some(all.saturating_mul(own?)));
    Some(match all {
        Some(all) if all <= FAR_FROM_THE_END => Vec::new(),
        _ => vec![IndexTest::Together(trips)],
    })
}

/// Whether the grid is as long along the axis of a loop as the loop needs.
fn is_alone(l: &Loop, kernel: &Kernel) -> bool {
    let along = |l: &Loop| l.distribution.and_then(|d| d.blocks);
    let mut loops = 0;
    visit::loops(&kernel.body, &mut |other| {
        loops += usize::from(along(other) == along(l))
    });
    loops == 1
}

/// The iterations of a loop that the launch has the numbers of, with the step.
fn known_trips(l: &Loop, kernel: &Kernel, unit: &Unit) -> Option<(TripCount, i128)> {
    let step = evaluate(unit, &l.step).filter(|step| (1..=MOST_STEP).contains(step))?;
    let mut limits = l.limits().into_iter();
    let is_known = is_simple(l, unit) && limits.all(|e| is_of_launch(e, kernel, unit));
    is_known.then(|| (TripCount::of(l), step))
}

/// The tests of a loop over threads of a block, or over gangs. One that is widened takes so many
/// steps beyond the largest values that its first value and its bound may have; another numbers its
/// iterations.
fn over_few(l: &Loop, around: &Around, kernel: &Kernel, unit: &Unit) -> Option<Vec<IndexTest>> {
    if !l.is_distributed() || l.tile.is_some() || l.strides(unit) {
        return None;
    }
    if !l.widens(&kernel.windows, unit) {
        // The number of a block is an `int`.
        if l.has_blocks() && l.once.is_some() && is_simple(l, unit) {
            return Some(Vec::new());
        }
        if let Some((trips, step)) = known_trips(l, kernel, unit) {
            return Some(vec![IndexTest::Trips(trips, step)]);
        }
        let is_upward = !l.downward && matches!(l.relation, Relation::Less | Relation::LessEqual);
        let is_from_zero = least(&l.lower, &around.loops, unit).is_some_and(|least| least >= 0);
        let serves = is_upward && is_from_zero && has_small_step(l, unit) && is_simple(l, unit);
        let mut largest = Largest::of(around, kernel, unit);
        let is_known = serves && largest.tests(&l.bound) && largest.distance <= MOST_DISTANCE;
        return is_known.then_some(largest.tests);
    }
    let mut largest = Largest::of(around, kernel, unit);
    let are_known = [&l.lower, &l.bound]
        .into_iter()
        .all(|e| largest.is_far_from_the_end(e) || largest.tests(e));
    (are_known && largest.distance <= MOST_DISTANCE).then_some(largest.tests)
}

/// The least value of an expression over loops that count up.
fn least(e: &Expression, loops: &[&Loop], unit: &Unit) -> Option<i128> {
    if let Some(value) = evaluate(unit, e) {
        return Some(value);
    }
    match &e.inner().kind {
        ExpressionKind::Symbol(symbol) => {
            let at = loops.iter().rposition(|l| l.induction == *symbol)?;
            let own = loops
                .get(at)
                .filter(|l| !l.downward && is_simple(l, unit))?;
            let is_upward = matches!(own.relation, Relation::Less | Relation::LessEqual);
            least(&own.lower, &loops[..at], unit).filter(|_| is_upward && is_int(&own.bound, unit))
        }
        ExpressionKind::Binary(BinaryOperator::Add, left, right) if is_int(e, unit) => {
            least(left, loops, unit)?.checked_add(least(right, loops, unit)?)
        }
        _ => None,
    }
}

fn has_small_step(l: &Loop, unit: &Unit) -> bool {
    evaluate(unit, &l.step).is_some_and(|step| (1..=MOST_STEP).contains(&step))
}

/// Whether a loop over the threads of a block has an `int` that counts up between constants, so
/// that it may stride.
fn is_between(l: &Loop, around: &Around, kernel: &Kernel, unit: &Unit) -> bool {
    let largest = Largest::of(around, kernel, unit);
    let is_int_loop =
        *unit.types.get(unit.symbol(l.induction).ty.ty) == Type::Integer(IntegerKind::Int);
    !l.strides(unit)
        && l.is_distributed()
        && l.tile.is_none()
        && is_int_loop
        && !l.downward
        && matches!(l.relation, Relation::Less | Relation::LessEqual)
        && has_small_step(l, unit)
        && largest.is_far_from_the_end(&l.lower)
        && largest.is_far_from_the_end(&l.bound)
}

/// Adds the loops of `tiles`, which count in 64 bits up to a bound in `int`: a launch that tests the
/// bound leaves room for a step beyond it.
pub fn add_tiles(tiles: &[&Loop], kernel: &Kernel, unit: &Unit, counters: &mut LoopCounters) {
    for l in tiles
        .iter()
        .filter(|l| is_of_launch(&l.bound, kernel, unit))
    {
        counters.chosen.push(l.induction);
        counters.tests.push(IndexTest::Number(l.bound.clone()));
    }
}

/// Whether the launch of a kernel refuses a bound near the end of `int`: a loop over the grid that
/// strides in `int` has it, too, or all is constant.
pub fn is_bounded(bound: &Expression, kernel: &Kernel, unit: &Unit) -> bool {
    if let Some(value) = evaluate(unit, bound) {
        return value.abs() <= FAR_FROM_THE_END;
    }
    let is_near = |e: &Expression| {
        evaluate(unit, e).is_some_and(|value| (0..=MOST_DISTANCE).contains(&value))
    };
    let variable = |e: &Expression| match &e.inner().kind {
        ExpressionKind::Binary(BinaryOperator::Subtract, left, right) if is_near(right) => {
            left.as_symbol()
        }
        _ => e.as_symbol(),
    };
    let sizes_grid = |l: &Loop| {
        let axis = l.distribution.and_then(|d| d.blocks);
        let counts = axis.map_or(&[][..], |axis| &kernel.grid[axis as usize]);
        (counts.iter()).any(|count| count.bound.as_symbol() == l.bound.as_symbol())
    };
    let has_bound = |l: &Loop| {
        sizes_grid(l)
            && l.tile.is_none_or(|tile| tile.count.is_none())
            && !l.downward
            && l.narrow_stride(unit) == Some(IntegerKind::Int)
            && is_near(&l.lower)
            && is_int(&l.bound, unit)
            && l.bound.as_symbol() == variable(bound)
    };
    kernel.scheme == Some(Scheme::Flat)
        && kernel.exact_grid.is_none()
        && !kernel.counts_blocks()
        && is_int(bound, unit)
        && is_of_launch(bound, kernel, unit)
        && variable(bound).is_some()
        && visit::any_loop(&kernel.body, &mut |l| has_bound(l))
}

/// What keeps values of `int` from its end.
struct Largest<'k> {
    around: &'k Around<'k>,
    kernel: &'k Kernel,
    unit: &'k Unit,
    /// The sum of the constants.
    distance: i128,
    tests: Vec<IndexTest>,
}

impl<'k> Largest<'k> {
    fn of(around: &'k Around<'k>, kernel: &'k Kernel, unit: &'k Unit) -> Self {
        Self {
            around,
            kernel,
            unit,
            distance: 0,
            tests: Vec::new(),
        }
    }

    /// Whether constants alone keep an expression from the end of `int`.
    fn is_far_from_the_end(&self, e: &Expression) -> bool {
        let reach = || self.reach(e);
        is_int(e, self.unit) && reach().is_some_and(|reach| reach <= FAR_FROM_THE_END)
    }

    /// Whether tests of the launch do so for an expression: itself, or the end of the loop whose
    /// variable it is, and constants.
    fn tests(&mut self, e: &Expression) -> bool {
        use BinaryOperator::{Add, Subtract};
        if !is_int(e, self.unit) {
            return false;
        }
        let e = e.inner();
        if let Some(value) = self.reach(e) {
            self.distance = self.distance.saturating_add(value);
            return true;
        }
        if is_of_launch(e, self.kernel, self.unit) {
            self.tests.push(IndexTest::Number(e.clone()));
            return true;
        }
        match &e.kind {
            ExpressionKind::Symbol(symbol) => {
                let own = self.around.loops.iter().find(|l| l.induction == *symbol);
                own.is_some_and(|l| match (l.tile, l.downward) {
                    (Some(_), _) => false,
                    (None, true) => self.tests(&l.lower),
                    (None, false) => self.tests(&l.bound),
                })
            }
            ExpressionKind::Binary(operator @ (Add | Subtract), left, right) => {
                let (other, distance) = match (self.reach(left), self.reach(right)) {
                    (_, Some(distance)) => (left, distance),
                    (Some(distance), _) if *operator == Add => (right, distance),
                    _ => return false,
                };
                self.distance = self.distance.saturating_add(distance);
                self.tests(other)
            }
            _ => false,
        }
    }

    /// How far from 0 an expression is at most, whatever the variables are that no loop around
    /// takes from one constant to another.
    fn reach(&self, e: &Expression) -> Option<i128> {
        use BinaryOperator::{Add, Multiply, Remainder, Subtract};
        if let Some(value) = evaluate(self.unit, e) {
            return value.checked_abs();
        }
        let e = e.inner();
        match &e.kind {
            ExpressionKind::Binary(Remainder, _, divisor) => {
                evaluate(self.unit, divisor)?.checked_abs()
            }
            ExpressionKind::Binary(operator @ (Add | Subtract | Multiply), left, right)
                if is_int(e, self.unit) =>
            {
                let (left, right) = (self.reach(left)?, self.reach(right)?);
                match operator {
                    Multiply => left.checked_mul(right),
                    _ => left.checked_add(right),
                }
            }
            ExpressionKind::Symbol(symbol) => {
                let mut loops = self.around.loops.iter();
                let own = loops.find(|l| l.induction == *symbol && l.tile.is_none())?;
                let ends = [&own.lower, &own.bound].map(|e| evaluate(self.unit, e));
                let is_between = own.relation != Relation::NotEqual;
                let [lower, bound] = ends.map(|end| end.filter(|_| is_between)?.checked_abs());
                Some(lower?.max(bound?))
            }
            _ => None,
        }
    }
}
