//! Kernels that ask for their threads by themselves ([`Kernel::shape`]).
//!
//! Input: a [`Shape`], and loops with [`Share`]s. Output: block and grid, loops
//! over the iterations of one block, distributed over its threads.
//!
//! ```text
//! grid 4, block 16                        // before
//! loop i = 0 .. < n over grid 1 in blocks, block 1
//!
//! const int i_begin = blockIdx.x * ((n + 3) / 4);           // after
//! const int i_end = …;
//! loop i = i_begin .. < i_end             // over threads along x
//! ```
//!
//! Of up to three logical dimensions each has an axis, the last one x. Further
//! ones, and all where y or z may be too short for theirs, lie together along x,
//! the last one fastest (hiCUDA, section 5.2): an index is then a quotient and
//! remainder of the built-in one, and a loop over such threads strides by itself.

use super::tiled;
use crate::analysis::effects::Oracle;
use crate::analysis::scope::Scope;
use crate::analysis::uniformity::{Uniformity, apart, is_tiled};
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::limits;
use crate::ir::{
    BlockExtent, DeviceFunction, Dimension, Distribution, Kernel, Loop, Once, Order, Relation,
    Scheme, Shape, Share, Statement, StatementKind, is_literal, visit,
};
use crate::passes::variables;
use crate::source::Span;
use crate::typed::constant::evaluate;
use crate::typed::synthesis::{self, binary, cast, integer, parenthesized, symbol};
use crate::typed::{
    Axis, BinaryOperator as Op, Builtin, Expression, IntegerKind, QualType, SymbolId, Type, TypeId,
    Unit,
};

/// Maps a kernel with a shape.
///
/// # Errors
/// A loop names a dimension that there is not, or the threads cannot meet where
/// there are windows or barriers.
pub fn map(
    kernel: &mut Kernel,
    shape: Shape,
    functions: &[DeviceFunction],
    unit: &Unit,
) -> Result<(), Diagnostic> {
    dimensions_exist(kernel, &shape)?;
    kernel.scheme = Some(Scheme::Threads);
    if let Shape::Grid { grid, block } = shape {
        let grid = Layout::new(grid, limits::GRID, Builtin::BlockIndex, unit);
        let block = Layout::new(block, limits::BLOCK, Builtin::ThreadIndex, unit);
        kernel.exact_grid = Some(grid.extents(unit));
        kernel.block = Some(block.extents(unit));
        let mut body = std::mem::take(&mut kernel.body);
        let mut sharing = Sharing {
            before: kernel.clone(),
            added: Vec::new(),
            refused: None,
            grid,
            block,
            unit,
        };
        sharing.before.body.clone_from(&body);
        sharing.list(&mut body);
        kernel.body = body;
        if let Some(problem) = sharing.refused {
            return Err(problem);
        }
    }
    visit::loops_mut(&mut kernel.body, &mut |l| {
        l.distribution.get_or_insert(Distribution::SEQUENTIAL);
    });
    meets(kernel, functions, unit)
}

fn dimensions_exist(kernel: &Kernel, shape: &Shape) -> Result<(), Diagnostic> {
    let (grid, block) = match shape {
        Shape::Grid { grid, block } => (grid.len(), block.len()),
        Shape::Threads(_) => (0, 0),
    };
    let exists = |share: &Share| match share.over {
        Dimension::Grid(dimension) => dimension < grid,
        Dimension::Block(dimension) => dimension < block,
    };
    let mut refused = None;
    visit::loops(&kernel.body, &mut |l| {
        if !l.schedule.shares.iter().all(exists) {
            refused = Some(l.header);
        }
    });
    let message = "the kernel has no such dimension for this loop";
    let refuse = |header| Diagnostic::error(codes::INVALID_IR, message, header);
    refused.map(refuse).map_or(Ok(()), Err)
}

/// Whether the threads of a block come to windows and barriers together: in loops
/// that they share by tiles, on whose bounds they agree.
fn meets(kernel: &Kernel, functions: &[DeviceFunction], unit: &Unit) -> Result<(), Diagnostic> {
    if !visit::has_windows(&kernel.body) {
        return Ok(());
    }
    let oracle = Oracle::new(unit, functions);
    let scope = Scope::of(kernel, unit);
    let answers = Uniformity::of(kernel, &scope, &oracle);
    let mut refused = None;
    let refuse =
        |message: &str, span| Some(Diagnostic::error(codes::NEST_OF_WINDOWS, message, span));
    if !is_tiled(kernel)
        && let Some(span) = apart(kernel, &answers)
    {
        let message = "the threads of a block may disagree on this, and would not meet inside";
        refused = refuse(message, span);
    }
    visit::loops(&kernel.body, &mut |l| {
        let is_common = l.limits().into_iter().all(|e| answers.is_uniform(e));
        if visit::has_windows(&l.body) && !is_common && refused.is_none() {
            let message = "the threads of a block may disagree on a bound of this loop";
            refused = refuse(message, l.header);
        }
    });
    refused.map_or(Ok(()), Err)
}

/// Logical dimensions on the axes of a grid or block.
struct Layout {
    sizes: Vec<Expression>,
    /// The axis of each.
    axes: Vec<Axis>,
    index: Builtin,
}

impl Layout {
    fn new(sizes: Vec<Expression>, limits: [u32; 3], index: Builtin, unit: &Unit) -> Self {
        let axis = |dimension: usize| match (sizes.len(), dimension) {
            (2, 0) => Axis::Y,
            (3.., 0) => Axis::Z,
            (3.., 1) => Axis::Y,
            _ => Axis::X,
        };
        let mut axes: Vec<Axis> = (0..sizes.len()).map(axis).collect();
        let fits = |(size, axis): (&Expression, &Axis)| {
            *axis == Axis::X
                || evaluate(unit, size)
                    .is_some_and(|size| size <= i128::from(limits[*axis as usize]))
        };
        if !sizes.iter().zip(&axes).all(fits) {
            axes.fill(Axis::X);
        }
        Self { sizes, axes, index }
    }

    /// The extents along x, y and z.
    fn extents(&self, unit: &Unit) -> [BlockExtent; 3] {
        Axis::ALL.map(|axis| {
            let along = self.sizes.iter().zip(&self.axes);
            let sizes = along.filter(|(_, own)| **own == axis).map(|(size, _)| size);
            let product = product(sizes.cloned(), unit);
            match evaluate(unit, &product).and_then(|n| u32::try_from(n).ok()) {
                Some(n) => BlockExtent::Constant(n),
                None => BlockExtent::Expression(product),
            }
        })
    }

    /// The dimensions that lie along the same axis and are faster.
    fn inner(&self, dimension: usize) -> Vec<Expression> {
        let rest = self.axes.iter().zip(&self.sizes).skip(dimension + 1);
        let rest = rest.filter(|(axis, _)| **axis == self.axes[dimension]);
        rest.map(|(_, size)| size.clone()).collect()
    }

    /// Whether a dimension has an axis for itself.
    fn is_alone(&self, dimension: usize) -> bool {
        let axis = self.axes[dimension];
        self.axes.iter().filter(|&&other| other == axis).count() == 1
    }

    /// The index along a dimension that a loop is shared over, of type `ty`.
    fn index(&self, dimension: usize, l: &Loop, ty: TypeId, unit: &Unit) -> Expression {
        let axis = self.axes[dimension];
        let builtin = symbol(unit, unit.builtin(self.index, axis), Span::default());
        let unsigned = builtin.ty.ty;
        let is_wide = unit.types.size(ty) > unit.types.size(unsigned);
        // Built-in indices have no sign, which other values may need.
        let first = evaluate(unit, &l.lower);
        let is_plain = !is_wide && !l.downward && first.is_some_and(|first| first >= 0);
        let mut index = match is_plain {
            true => builtin,
            false => cast(builtin, ty),
        };
        let inner = self.inner(dimension);
        if !inner.is_empty() {
            let by = parenthesized(product(inner.into_iter(), unit));
            index = binary(Op::Divide, index, by, ty);
        }
        let is_slowest = !self.axes[..dimension].contains(&axis);
        if !is_slowest {
            let size = parenthesized(self.sizes[dimension].clone());
            index = binary(Op::Remainder, index, size, ty);
        }
        index
    }
}

fn product(factors: impl Iterator<Item = Expression>, unit: &Unit) -> Expression {
    let int = synthesis::int(unit);
    let factors: Vec<Expression> = factors.collect();
    let constants: Option<Vec<i128>> = factors.iter().map(|f| evaluate(unit, f)).collect();
    if let Some(constants) = constants {
        return integer(constants.iter().product(), int, Span::default());
    }
    let mut factors = factors.into_iter().map(parenthesized);
    let first = factors.next().unwrap_or(integer(1, int, Span::default()));
    factors.fold(first, |product, f| binary(Op::Multiply, product, f, int))
}

/// Hands iterations of loops out.
struct Sharing<'u> {
    /// The kernel as it was, for the names that it uses.
    before: Kernel,
    /// The variables so far.
    added: Vec<SymbolId>,
    /// Why threads cannot meet in a loop.
    refused: Option<Diagnostic>,
    grid: Layout,
    block: Layout,
    unit: &'u Unit,
}

impl Sharing<'_> {
    fn list(&mut self, list: &mut Vec<Statement>) {
        let mut shared = Vec::with_capacity(list.len());
        for mut statement in std::mem::take(list) {
            if let StatementKind::Loop(l) = &mut statement.kind {
                let shares = std::mem::take(&mut l.schedule.shares);
                l.once = self.once(l, &shares);
                let batch = self.batch(&shares);
                for share in shares {
                    self.share(l, share, batch, &mut shared);
                }
            }
            visit::blocks_mut(&mut statement, &mut |inner| self.list(inner));
            shared.push(statement);
        }
        *list = shared;
    }

    /// What the runs of blocks are rounded up to, so that they begin where the accesses of warps
    /// do: where threads share the loop as well, and take no more turns for it.
    fn batch(&self, shares: &[Share]) -> i128 {
        let threads = shares.iter().find_map(|share| match share.over {
            Dimension::Block(dimension) if self.block.is_alone(dimension) => {
                evaluate(self.unit, &self.block.sizes[dimension])
            }
            _ => None,
        });
        match threads {
            Some(n) if n % WARP == 0 => WARP,
            Some(n) if n > 0 && WARP % n == 0 => n,
            _ => 1,
        }
    }

    /// Whether a thread has at most one iteration of a loop that dimensions share, as far as
    /// the numbers tell.
    fn once(&self, l: &Loop, shares: &[Share]) -> Option<Once> {
        let mut left = l.constant_trip_count(self.unit)?;
        let mut is_even = true;
        for share in shares {
            let (layout, dimension) = match share.over {
                Dimension::Grid(dimension) => (&self.grid, dimension),
                Dimension::Block(dimension) => (&self.block, dimension),
            };
            let size = evaluate(self.unit, &layout.sizes[dimension])?;
            if !self.is_near(l, &layout.sizes[dimension]) {
                return None;
            }
            is_even &= left % size == 0;
            left = (left + size - 1) / size;
        }
        match (left, is_even) {
            _ if shares.is_empty() => None,
            (1, true) => Some(Once::Exactly),
            (1, false) => Some(Once::AtMost),
            _ => None,
        }
    }

    /// Leaves a loop the iterations of one index of a dimension.
    fn share(&mut self, l: &mut Loop, share: Share, batch: i128, before: &mut Vec<Statement>) {
        let dimension = match share.over {
            Dimension::Block(dimension) if self.block.is_alone(dimension) => {
                let mut threads = [false; 3];
                threads[self.block.axes[dimension] as usize] = true;
                l.distribution = Some(Distribution {
                    blocks: None,
                    threads,
                });
                let (before, added) = (&self.before, &mut self.added);
                l.tile =
                    visit::has_windows(&l.body).then(|| tiled::tile(before, added, l, self.unit));
                return;
            }
            Dimension::Block(dimension) if visit::has_windows(&l.body) => {
                let word = self.before.words.sizes.lane;
                let message =
                    format!("the dimensions of `{word}` lie together along one of CUDA's");
                let problem = Diagnostic::error(codes::NEST_OF_WINDOWS, message, l.header);
                let problem = problem.note("the threads of this loop could not meet inside");
                self.refused.get_or_insert(problem.help(format!(
                    "give `{word}` three constant sizes at most, the first of three at most 64"
                )));
                dimension
            }
            Dimension::Grid(dimension) | Dimension::Block(dimension) => dimension,
        };
        let layout = match share.over {
            Dimension::Grid(_) => &self.grid,
            Dimension::Block(_) => &self.block,
        };
        let size = layout.sizes[dimension].clone();
        if self.counts_up(l) {
            let index = layout.index(dimension, l, self.unsigned(), self.unit);
            return match share.order {
                Order::Cyclic => self.every_up(l, index, size, before),
                Order::Blocked => self.run_up(l, index, (size, batch), before),
            };
        }
        let ty = match self.is_near(l, &size) {
            true => synthesis::int(self.unit),
            false => self.long(),
        };
        let index = layout.index(dimension, l, ty, self.unit);
        match share.order {
            Order::Cyclic => self.every(l, index, size, before),
            Order::Blocked => self.run(l, index, (size, batch), before),
        }
    }

    /// Cyclically: the loop begins `index` iterations later and takes `size` at a
    /// time. Where its variable might wrap beyond the bound, iterations are counted:
    ///
    /// ```text
    /// for (long long i_number = blockIdx.x; i_number < i_trips; i_number += 4) {
    ///     const int i = first + 3 * i_number;
    /// ```
    fn every(
        &mut self,
        l: &mut Loop,
        index: Expression,
        size: Expression,
        before: &mut Vec<Statement>,
    ) {
        if self.is_near(l, &size) {
            let ty = self.unit.symbol(l.induction).ty.ty;
            let offset = times(index, &l.step, ty);
            let begin = along(l.downward, l.lower.clone(), offset, ty);
            l.lower = self.declare(l, "begin", ty, begin, before);
            l.step = match is_literal(&l.step, 1) {
                true => size,
                false => times(size, &l.step, ty),
            };
            if l.relation == Relation::NotEqual {
                l.relation = exclusive(l, ty).0;
            }
            return;
        }
        let long = self.long();
        let trips = self.trips(l, long);
        let trips = self.declare(l, "trips", long, trips, before);
        let number = self.variable(l, "number", long);
        let distance = times(symbol(self.unit, number, l.header), &l.step, long);
        let value = along(l.downward, l.lower.clone(), distance, long);
        let variable = symbol(self.unit, l.induction, l.header);
        let own = match l.declared_inside {
            true => Statement::declare(l.induction, Some(value), l.header),
            false => Statement::assign(variable, value, l.header),
        };
        l.body.insert(0, own);
        (l.induction, l.declared_inside) = (number, true);
        (l.lower, l.bound, l.step) = (index, trips, size);
        (l.relation, l.downward) = (Relation::Less, false);
    }

    /// In runs: the loop begins and ends with those of the index. Where its variable
    /// might wrap, this is computed in 64 bits, since the last runs may lie beyond
    /// its range. A run has whole batches.
    fn run(
        &mut self,
        l: &mut Loop,
        index: Expression,
        (size, batch): (Expression, i128),
        before: &mut Vec<Statement>,
    ) {
        let unit = self.unit;
        let constants = l.constant_trip_count(unit).zip(evaluate(unit, &size));
        let constants = constants.filter(|_| self.is_near(l, &size));
        let ty = match constants {
            Some(_) => unit.symbol(l.induction).ty.ty,
            None => self.long(),
        };
        let span = l.header;
        let known = constants.map(|(trips, size)| {
            let run = (trips + size - 1) / size;
            (run + batch - 1) / batch * batch
        });
        let length = match known {
            Some(run) => integer(run, ty, span),
            None => {
                let trips = self.trips(l, ty);
                let less = binary(Op::Subtract, size.clone(), integer(1, ty, span), ty);
                let rounded = parenthesized(binary(Op::Add, trips, less, ty));
                let value = binary(Op::Divide, rounded, parenthesized(size), ty);
                self.declare(l, "run", ty, in_batches(value, batch, ty), before)
            }
        };
        let stride = times(length.clone(), &l.step, ty);
        let offset = match is_literal(&stride, 1) {
            true => index,
            false => {
                let stride = parenthesized(stride.clone());
                binary(Op::Multiply, parenthesized(index), stride, ty)
            }
        };
        let begin = along(l.downward, l.lower.clone(), offset, ty);
        let begin = self.declare(l, "begin", ty, begin, before);
        let mut end = along(l.downward, begin.clone(), stride, ty);
        let (relation, limit) = exclusive(l, ty);
        let limit = match evaluate(unit, &limit) {
            Some(limit) => integer(limit, ty, span),
            None => limit,
        };
        let fills = constants
            .zip(known)
            .is_some_and(|((trips, size), run)| trips == run * size);
        if !fills {
            let inside = binary(relation.operator(), end.clone(), limit.clone(), ty);
            let at = inside.span;
            end = synthesis::conditional(inside, end, limit, at);
        }
        l.bound = self.declare(l, "end", ty, end, before);
        l.lower = begin;
        l.relation = relation;
        l.has_slack = constants.is_some();
    }

    /// In runs, of an `int` that counts up by 1 from a small number, to a bound that only the
    /// launch knows: 32 bits without a sign hold all there is, since runs and the strides of
    /// threads reach beyond the bound by less than the number of blocks and threads.
    ///
    /// ```text
    /// const unsigned i_limit = n > 0 ? n : 0;
    /// const unsigned i_run = (i_limit + 3) / 4;
    /// const unsigned i_begin = blockIdx.x * i_run;
    /// const unsigned i_end = i_begin + i_run < i_limit ? i_begin + i_run : i_limit;
    /// for (unsigned i_number = i_begin; i_number < i_end; i_number++) {
    ///     const int i = i_number;
    /// ```
    fn run_up(
        &mut self,
        l: &mut Loop,
        index: Expression,
        (size, batch): (Expression, i128),
        before: &mut Vec<Statement>,
    ) {
        let (unit, span, ty) = (self.unit, l.header, self.unsigned());
        let first = evaluate(unit, &l.lower).unwrap_or(0);
        let number = |n: i128| integer(n, ty, span);
        let limit = self.limit(l, before);
        let less = match evaluate(unit, &size) {
            Some(size) => number(size - 1 - first),
            None => {
                let less = binary(
                    Op::Subtract,
                    parenthesized(size.clone()),
                    number(1 + first),
                    ty,
                );
                parenthesized(less)
            }
        };
        let rounded = match evaluate(unit, &less) {
            Some(0) => limit.clone(),
            Some(n) if n < 0 => parenthesized(binary(Op::Subtract, limit.clone(), number(-n), ty)),
            _ => parenthesized(binary(Op::Add, limit.clone(), less, ty)),
        };
        let run = binary(Op::Divide, rounded, parenthesized(size.clone()), ty);
        let run = match evaluate(unit, &size) {
            // No batch more reaches the end of 32 bits.
            Some(size) if size < LARGEST => in_batches(run, batch, ty),
            None if batch > 1 => {
                let even = self.declare(l, "share", ty, run, before);
                let most = integer(LARGEST, size.ty.ty, span);
                let is_near = binary(Op::Less, size, most, ty);
                synthesis::conditional(is_near, in_batches(even.clone(), batch, ty), even, span)
            }
            _ => run,
        };
        let run = self.declare(l, "run", ty, run, before);
        let offset = binary(Op::Multiply, parenthesized(index), run.clone(), ty);
        let begin = along(false, number(first), offset, ty);
        let begin = self.declare(l, "begin", ty, begin, before);
        let end = binary(Op::Add, begin.clone(), run, ty);
        let fits = binary(Op::Less, end.clone(), limit.clone(), ty);
        let end = synthesis::conditional(fits, end, limit, span);
        let end = self.declare(l, "end", ty, end, before);
        self.number(l, (begin, end, number(1)));
        l.has_slack = true;
    }

    /// The first number without a sign that a loop of [`Self::counts_up`] does not reach.
    fn limit(&mut self, l: &Loop, before: &mut Vec<Statement>) -> Expression {
        let (unit, span, ty) = (self.unit, l.header, self.unsigned());
        let first = evaluate(unit, &l.lower).unwrap_or(0);
        let own = l.bound.ty.ty;
        let inside = binary(
            l.relation.operator(),
            integer(first, own, span),
            parenthesized(l.bound.clone()),
            own,
        );
        let bound = cast(parenthesized(l.bound.clone()), ty);
        let bound = match l.relation {
            Relation::LessEqual => binary(Op::Add, bound, integer(1, ty, span), ty),
            _ => bound,
        };
        let limit = synthesis::conditional(inside, bound, integer(first, ty, span), span);
        self.declare(l, "limit", ty, limit, before)
    }

    /// Has a loop count in a number without a sign, which its variable is in each iteration.
    fn number(&mut self, l: &mut Loop, (lower, bound, step): (Expression, Expression, Expression)) {
        let counter = self.variable(l, "number", self.unsigned());
        let value = symbol(self.unit, counter, l.header);
        let own = match l.declared_inside {
            true => Statement::declare(l.induction, Some(value), l.header),
            false => Statement::assign(symbol(self.unit, l.induction, l.header), value, l.header),
        };
        l.body.insert(0, own);
        (l.induction, l.declared_inside) = (counter, true);
        (l.lower, l.bound, l.step) = (lower, bound, step);
        l.relation = Relation::Less;
    }

    /// Cyclically, of a loop of [`Self::counts_up`]: a number is below the limit, thus below 2³¹, and
    /// so is the size of a dimension.
    ///
    /// ```text
    /// for (unsigned i_number = blockIdx.x; i_number < i_limit; i_number += 4) {
    ///     const int i = i_number;
    /// ```
    fn every_up(
        &mut self,
        l: &mut Loop,
        index: Expression,
        size: Expression,
        before: &mut Vec<Statement>,
    ) {
        let (unit, ty) = (self.unit, self.unsigned());
        let limit = self.limit(l, before);
        let first = evaluate(unit, &l.lower).unwrap_or(0);
        let begin = along(false, integer(first, ty, l.header), index, ty);
        let step = match evaluate(unit, &size) {
            Some(size) => integer(size, ty, l.header),
            None => cast(parenthesized(size), ty),
        };
        self.number(l, (begin, limit, step));
        l.has_slack = true;
    }

    /// Whether a loop is one for [`Self::run_up`] and [`Self::every_up`].
    fn counts_up(&self, l: &Loop) -> bool {
        let types = &self.unit.types;
        let is_int = |ty: TypeId| matches!(types.get(ty), Type::Integer(IntegerKind::Int));
        let first = evaluate(self.unit, &l.lower);
        is_int(self.unit.symbol(l.induction).ty.ty)
            && is_int(l.bound.ty.ty)
            && evaluate(self.unit, &l.bound).is_none()
            && matches!(l.relation, Relation::Less | Relation::LessEqual)
            && !l.downward
            && is_literal(&l.step, 1)
            && first.is_some_and(|first| (0..LARGEST).contains(&first))
    }

    fn unsigned(&self) -> TypeId {
        let types = &self.unit.types;
        types.intern(Type::Integer(IntegerKind::UnsignedInt))
    }

    /// How many iterations a loop has, or something below one.
    fn trips(&self, l: &Loop, ty: TypeId) -> Expression {
        let (_, limit) = exclusive(l, ty);
        let (high, low) = match l.downward {
            true => (l.lower.clone(), limit),
            false => (limit, l.lower.clone()),
        };
        let high = cast(parenthesized(high), ty);
        let values = match is_literal(&low, 0) {
            true => high,
            false => binary(Op::Subtract, high, parenthesized(low), ty),
        };
        if is_literal(&l.step, 1) {
            return values;
        }
        let less = binary(Op::Subtract, l.step.clone(), integer(1, ty, l.header), ty);
        let rounded = parenthesized(binary(Op::Add, values, less, ty));
        binary(Op::Divide, rounded, parenthesized(l.step.clone()), ty)
    }

    /// Whether a loop over an `int` has constant bounds far from the end of its
    /// range, so that no run or stride beyond them wraps.
    fn is_near(&self, l: &Loop, size: &Expression) -> bool {
        let constant = |e: &Expression| evaluate(self.unit, e).filter(|n| n.abs() < LARGEST);
        let ty = self.unit.symbol(l.induction).ty.ty;
        let stride = constant(&l.step)
            .zip(constant(size))
            .map(|(step, n)| step * n);
        matches!(self.unit.types.get(ty), Type::Integer(IntegerKind::Int))
            && constant(&l.lower).and(constant(&l.bound)).is_some()
            && stride.is_some_and(|stride| (1..LARGEST).contains(&stride))
    }

    fn long(&self) -> TypeId {
        let types = &self.unit.types;
        types.intern(Type::Integer(IntegerKind::LongLong))
    }

    /// A new variable of a loop.
    fn variable(&mut self, l: &Loop, what: &str, ty: impl Into<QualType>) -> SymbolId {
        let wanted = format!("{}_{what}", self.unit.symbol(l.induction).name);
        let variable =
            variables::kernel_variable(self.unit, &self.before, &self.added, &wanted, ty);
        self.added.push(variable);
        variable
    }

    /// Declares a constant of a loop.
    fn declare(
        &mut self,
        l: &Loop,
        what: &str,
        ty: TypeId,
        value: Expression,
        before: &mut Vec<Statement>,
    ) -> Expression {
        let mut constant = QualType::plain(ty);
        constant.qualifiers.is_const = true;
        let variable = self.variable(l, what, constant);
        before.push(Statement::declare(variable, Some(value), l.header));
        symbol(self.unit, variable, l.header)
    }
}

/// Bounds and strides up to here stay far from the end of `int`.
const LARGEST: i128 = 1 << 24;

/// Threads of a warp.
const WARP: i128 = limits::WARP as i128;

/// A length rounded up to whole batches.
fn in_batches(length: Expression, batch: i128, ty: TypeId) -> Expression {
    if batch == 1 {
        return length;
    }
    let number = |n| integer(n, ty, length.span);
    let (less, batch) = (number(batch - 1), number(batch));
    let more = binary(Op::Add, length.clone(), less, ty);
    let count = binary(Op::Divide, parenthesized(more), batch.clone(), ty);
    binary(Op::Multiply, count, batch, ty)
}

/// The relation without equality, and what the variable is compared with.
fn exclusive(l: &Loop, ty: TypeId) -> (Relation, Expression) {
    let one = || integer(1, ty, l.header);
    let bound = parenthesized(l.bound.clone());
    let bound = match l.relation {
        Relation::LessEqual => binary(Op::Add, cast(bound, ty), one(), ty),
        Relation::GreaterEqual => binary(Op::Subtract, cast(bound, ty), one(), ty),
        _ => bound,
    };
    match l.downward {
        true => (Relation::Greater, bound),
        false => (Relation::Less, bound),
    }
}

/// `from + offset`, or `from - offset` where a loop counts down.
fn along(downward: bool, from: Expression, offset: Expression, ty: TypeId) -> Expression {
    match downward {
        true => binary(Op::Subtract, from, parenthesized(offset), ty),
        false if is_literal(&from, 0) => offset,
        false => binary(Op::Add, from, offset, ty),
    }
}

/// `e * step`.
fn times(e: Expression, step: &Expression, ty: TypeId) -> Expression {
    match is_literal(step, 1) {
        true => e,
        false => binary(
            Op::Multiply,
            parenthesized(e),
            parenthesized(step.clone()),
            ty,
        ),
    }
}
