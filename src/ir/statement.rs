//! Statements of kernels, and their loops.

use super::{Atomic, Barrier, Collective, Level, PerLevel, Reduction, Share, Tile, WindowRegion};
use crate::source::Span;
use crate::typed::{
    Axis, BinaryOperator, CaseLabel, Expression, ExpressionKind, LocalDeclaration, SymbolId,
};

/// A statement and the text that it comes from.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Its text; that of the nearest source statement for what passes add.
    pub span: Span,
}

/// The forms of statements.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `e;`, or `;` if there is none.
    Expression(Option<Expression>),
    /// Objects declared in a block.
    Declaration(Vec<LocalDeclaration>),
    /// `{ … }`.
    Block(Vec<Statement>),
    /// `if`.
    If(Expression, Vec<Statement>, Option<Vec<Statement>>),
    /// A counted loop that a directive governs, or that analysis recognised.
    Loop(Box<Loop>),
    /// Any other `for`: initialiser, condition, step, body.
    For(Box<PlainFor>),
    /// `while`.
    While(Expression, Vec<Statement>),
    /// `do … while`.
    DoWhile(Vec<Statement>, Expression),
    /// `switch`; its cases are [`Self::Case`] statements in the body.
    Switch(Expression, Vec<Statement>),
    /// `case a:` or `case a ... b:`; what follows is the next statement.
    Case(CaseLabel),
    /// `default:`.
    Default,
    /// `l:`.
    Label(String),
    /// `goto l;`.
    Goto(String),
    /// `break;`.
    Break,
    /// `continue;`.
    Continue,
    /// `return e;` of a device function.
    Return(Option<Expression>),
    /// Expression statements of which one access is atomic.
    Atomic(Box<Atomic>),

    /// A statement over which the block holds windows in shared memory; gone
    /// after `software_cache`.
    Windows(Box<WindowRegion>),
    /// All threads of the block wait. Made by passes, or asked for by the
    /// user inside a window region; until `barrier_legalisation` it may stand under
    /// conditions that threads disagree on.
    Barrier(Barrier),
    /// Made by `software_cache`: places these windows (indices in
    /// [`super::Kernel::windows`]), that is, declares their bases, and lets the
    /// block's threads together fill those that are fetched and clear their
    /// marks. Which thread has which slot says [`super::SlotOrder`]; where the
    /// sides are multiples of the block's, it is the thread of the same indices modulo
    /// these: `barrier_legalisation` relies on it. All threads of the block reach it; no barrier
    /// is part of it. The rest of its list is the scope of the bases.
    OpenWindows(Vec<usize>),
    /// Made by `software_cache`: the block's threads together write the
    /// marked slots of windows to the arrays, each slot by the thread that
    /// fills it where a window is copied whole ([`super::SharedWindow::is_copied_whole`]). All of
    /// them reach it; no barrier is part of it.
    WriteBack {
        /// Indices in [`super::Kernel::windows`].
        windows: Vec<usize>,
        /// Filled in by `barrier_legalisation`: set in threads whose iteration takes part
        /// here (is in range, has not left, runs this branch). The others
        /// wrote nothing of their own. `None`: all threads.
        mask: Option<Expression>,
    },
    /// Made by `barrier_legalisation`: all threads of the block repeat the body while any
    /// of them has this variable set; each test is a barrier.
    WhileAny(SymbolId, Vec<Statement>),
    /// Made by passes: the lanes of one row wait for each other. All of them
    /// reach it; other rows need not. The text says why.
    RowBarrier(String),
    /// Made by passes: threads call a function together, and each of them has
    /// its result. All threads of the collective reach it.
    CollectiveCall(Box<CollectiveCall>),
    /// Made by passes: only the first thread of the level's unit runs the
    /// body; what it writes into `broadcast` reaches the others. With a
    /// broadcast, all threads of the unit wait at its end (the unit's barrier
    /// is part of it); without one, no thread waits.
    Single {
        /// [`Level::Block`]: one thread a block; [`Level::Row`]: one lane a row.
        level: Level,
        /// What is run once.
        body: Vec<Statement>,
        /// Private variables whose new values the other threads need.
        broadcast: Vec<SymbolId>,
    },
    /// Made by passes: a private copy for a reduction begins, with the
    /// operator's identity or with the variable's value. Of copies in device memory, that of the first of
    /// the threads that share the loop keeps its value.
    ReductionBegin(Reduction, Distribution),
    /// Made by passes: combines the private copies of the threads that
    /// shared a loop, and the result with the variable's value from before.
    /// All threads of the block reach it and get the result.
    ReductionEnd(Reduction, Distribution),
}

/// A call of a function that threads enter together.
#[derive(Clone, Debug)]
pub struct CollectiveCall {
    /// Who calls it.
    pub collective: Collective,
    /// The variable, declared here, that takes the value.
    pub result: Option<SymbolId>,
    /// The call.
    pub call: Expression,
}

impl CollectiveCall {
    /// What is passed.
    pub fn arguments(&self) -> &[Expression] {
        match &self.call.kind {
            ExpressionKind::Call { arguments, .. } => arguments,
            _ => &[],
        }
    }

    /// What is passed, to change it.
    pub fn arguments_mut(&mut self) -> &mut [Expression] {
        match &mut self.call.kind {
            ExpressionKind::Call { arguments, .. } => arguments,
            _ => &mut [],
        }
    }
}

/// A `for` that is not a counted loop of its own.
#[derive(Clone, Debug)]
pub struct PlainFor {
    /// An expression or a declaration.
    pub initializer: Option<Statement>,
    /// The condition.
    pub condition: Option<Expression>,
    /// What is evaluated after each iteration.
    pub step: Option<Expression>,
    /// The body.
    pub body: Vec<Statement>,
    /// Why it is none, as a piece of a sentence, where that is known.
    pub uncounted: Option<String>,
}

/// A counted loop: `for (i = lower; i RELATION bound; i += step)`.
///
/// Its bound and step are loop-invariant and its trip count is known before
/// the first iteration (OpenACC 3.3, section 2.9).
#[derive(Clone, Debug)]
pub struct Loop {
    /// The induction variable.
    pub induction: SymbolId,
    /// Declared in the `for` itself; otherwise its last value does not leave
    /// a parallel loop.
    pub declared_inside: bool,
    /// Its first value.
    pub lower: Expression,
    /// How it is compared with the bound, with the variable on the left.
    pub relation: Relation,
    /// What it is compared with.
    pub bound: Expression,
    /// How it advances: `step` is added, or subtracted where `downward`.
    pub step: Expression,
    /// Counts down.
    pub downward: bool,
    /// What is asked for.
    pub schedule: Schedule,
    /// Variables of which each iteration has its own copy.
    pub privates: Vec<SymbolId>,
    /// Reductions of this loop.
    pub reductions: Vec<Reduction>,
    /// The body; of a collapsed loop, just the next loop.
    pub body: Vec<Statement>,
    /// How many loops directly inside belong to this one (`collapse(n)` has
    /// n − 1); 0 in the inner ones.
    pub collapsed: usize,
    /// Decided by `thread_mapping`: who shares the iterations; `None` is
    /// not decided yet.
    pub distribution: Option<Distribution>,
    /// Decided by `thread_mapping`: the block takes the iterations a tile at a
    /// time, since threads of a tile share windows.
    pub tile: Option<Tile>,
    /// A block's worth of iterations more than it has is known to be a number within the range of the
    /// variable; where it advances by one, so are its values beyond the bound.
    pub has_slack: bool,
    /// Decided by `coarsening`: its variable, an `int`, strides although it advances by more than
    /// one; the launch keeps a grid's worth of such steps beyond the bound in range.
    pub strides_by_step: bool,
    /// Decided by `thread_mapping` and `launch_configuration`: no thread runs a second iteration.
    pub once: Option<Once>,
    /// Decided by `unrolling`: the compiler is asked for a copy of the body an
    /// iteration; the trip count is a constant.
    pub unrolled: bool,
    /// Why it is parallel or not, for `--feedback`.
    pub parallelism: Option<Parallelism>,
    /// The directive on it, if any.
    pub directive: Option<Span>,
    /// `for (…)` up to its closing parenthesis.
    pub header: Span,
}

impl Loop {
    /// Whether blocks or threads share its iterations.
    pub fn is_distributed(&self) -> bool {
        !self.distribution.unwrap_or_default().is_sequential()
    }

    /// Whether the blocks of the grid share its iterations.
    pub fn has_blocks(&self) -> bool {
        self.distribution.unwrap_or_default().blocks.is_some()
    }

    /// Along which axes the threads of a block share its iterations.
    pub fn threads(&self) -> [bool; 3] {
        self.distribution.unwrap_or_default().threads
    }

    /// Whether its header names a variable but for its own.
    pub fn header_mentions(&self, symbol: SymbolId) -> bool {
        self.limits().into_iter().any(|e| e.mentions(symbol))
    }

    /// What decides about its iterations: first value, bound and step.
    pub fn limits(&self) -> [&Expression; 3] {
        [&self.lower, &self.bound, &self.step]
    }

    /// Whether its iterations may run in parallel, as far as is known.
    pub fn is_parallel(&self) -> bool {
        (self.parallelism.as_ref()).is_some_and(|known| known.parallel)
    }

    /// The loops whose iterations are numbered together, outermost first: this
    /// one and those that it collapses, where it is distributed over threads of a block
    /// is that of all. Empty where each loop counts for itself.
    pub fn numbered_together(&self) -> Vec<&Loop> {
        let distribution = self.distribution.unwrap_or_default();
        let is_shared = distribution.blocks.is_none() && distribution.threads != [false; 3];
        if self.collapsed == 0 || !is_shared || self.tile.is_some() {
            return Vec::new();
        }
        let mut chain = vec![self];
        let mut body = self.body.as_slice();
        while chain.len() <= self.collapsed {
            match body {
                [
                    Statement {
                        kind: StatementKind::Loop(next),
                        ..
                    },
                ] if next.distribution.is_none_or(Distribution::is_sequential) => {
                    body = &next.body;
                    chain.push(next);
                }
                [
                    Statement {
                        kind: StatementKind::Block(inner),
                        ..
                    },
                ] => body = inner,
                _ => return Vec::new(),
            }
        }
        chain
    }
}

/// How many threads run an iteration of a loop of which none runs two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Once {
    /// Some may run none.
    AtMost,
    /// Each runs one.
    Exactly,
}

/// Relations of a counted loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Relation {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    NotEqual,
}

impl Relation {
    /// Whether it holds between two numbers.
    pub fn holds(self, left: i128, right: i128) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterEqual => left >= right,
            Self::NotEqual => left != right,
        }
    }

    /// What an operator of C asks.
    pub fn of(operator: BinaryOperator) -> Option<Self> {
        match operator {
            BinaryOperator::Less => Some(Self::Less),
            BinaryOperator::LessEqual => Some(Self::LessEqual),
            BinaryOperator::Greater => Some(Self::Greater),
            BinaryOperator::GreaterEqual => Some(Self::GreaterEqual),
            BinaryOperator::NotEqual => Some(Self::NotEqual),
            _ => None,
        }
    }

    /// The same with its sides exchanged.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            Self::NotEqual => Self::NotEqual,
        }
    }

    /// The operator of C.
    pub fn operator(self) -> BinaryOperator {
        match self {
            Self::Less => BinaryOperator::Less,
            Self::LessEqual => BinaryOperator::LessEqual,
            Self::Greater => BinaryOperator::Greater,
            Self::GreaterEqual => BinaryOperator::GreaterEqual,
            Self::NotEqual => BinaryOperator::NotEqual,
        }
    }
}

/// What is asked for a loop.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// The levels that share its iterations.
    pub levels: PerLevel<bool>,
    /// How many of each level.
    pub sizes: PerLevel<Option<Expression>>,
    /// The dimensions of [`Kernel::shape`](super::Kernel::shape) that share its
    /// iterations: at most one of the grid, then at most one of the block, which
    /// shares what one index of the former has.
    pub shares: Vec<Share>,
    /// How many iterations of this loop a tile has.
    pub tile: Option<u32>,
    /// None shares them.
    pub sequential: bool,
    /// Parallel where that is proved.
    pub auto: bool,
    /// The program vouches for its iterations.
    pub independent: bool,
    /// Has a directive at all.
    pub directive: bool,
}

/// Which threads share the iterations of a loop.
///
/// The threads are numbered over the chosen dimensions, block first; thread
/// `k` of `n` runs iterations `k`, `k + n`, `k + 2n`, …. Nothing chosen is a
/// sequential loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Distribution {
    /// Over the blocks along this axis of the grid.
    pub blocks: Option<Axis>,
    /// Over the threads of a block along these axes (x, y, z).
    pub threads: [bool; 3],
}

impl Distribution {
    /// A loop that one thread runs.
    pub const SEQUENTIAL: Distribution = Distribution {
        blocks: None,
        threads: [false; 3],
    };

    /// Blocks and their threads along one axis: flat kernels.
    pub fn grid(axis: Axis) -> Self {
        let mut threads = [false; 3];
        threads[axis as usize] = true;
        Self {
            blocks: Some(axis),
            threads,
        }
    }

    /// The axes along which the threads of a block share the loop, fastest first.
    pub fn thread_axes(self) -> impl DoubleEndedIterator<Item = Axis> {
        let axes = Axis::ALL.into_iter().zip(self.threads);
        axes.filter_map(|(axis, used)| used.then_some(axis))
    }

    /// Whether blocks share the loop along one axis of the grid, and no threads of theirs.
    pub fn is_over_blocks(self) -> bool {
        self.blocks.is_some() && self.thread_axes().next().is_none()
    }

    /// Whether one thread runs the whole loop.
    pub fn is_sequential(self) -> bool {
        self == Self::SEQUENTIAL
    }
}

/// Reduction operators (section 2.9.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ReductionOperator {
    Sum,
    Product,
    Max,
    Min,
    /// As `fmax` does: a number, where there is one, and not a NaN.
    MaxNumber,
    /// As `fmin` does.
    MinNumber,
    BitAnd,
    BitOr,
    BitXor,
    LogicalAnd,
    LogicalOr,
}

impl ReductionOperator {
    /// The same for values of which none is a NaN, as the `max` of a clause is to `fmax`.
    pub fn with_nan(self) -> Option<Self> {
        match self {
            Self::MaxNumber => Some(Self::Max),
            Self::MinNumber => Some(Self::Min),
            _ => None,
        }
    }

    /// As a `reduction` clause spells it.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Sum => "+",
            Self::Product => "*",
            Self::Max | Self::MaxNumber => "max",
            Self::Min | Self::MinNumber => "min",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::LogicalAnd => "&&",
            Self::LogicalOr => "||",
        }
    }

    /// The C operator that combines two values; `None` for max and min.
    pub fn binary(self) -> Option<BinaryOperator> {
        Some(match self {
            Self::Sum => BinaryOperator::Add,
            Self::Product => BinaryOperator::Multiply,
            Self::BitAnd => BinaryOperator::BitAnd,
            Self::BitOr => BinaryOperator::BitOr,
            Self::BitXor => BinaryOperator::BitXor,
            Self::LogicalAnd => BinaryOperator::LogicalAnd,
            Self::LogicalOr => BinaryOperator::LogicalOr,
            Self::Max | Self::Min | Self::MaxNumber | Self::MinNumber => return None,
        })
    }
}

/// Why a loop is parallel or sequential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parallelism {
    /// Runs in parallel.
    pub parallel: bool,
    /// One sentence, such as `a[i] depends on a[i-1] of the previous
    /// iteration`.
    pub reason: String,
    /// The access that decides.
    pub span: Option<Span>,
    /// What the user could write for the loop to be parallel.
    pub remedy: Option<String>,
}

impl Parallelism {
    /// Runs in parallel, and why.
    pub fn parallel(reason: impl Into<String>) -> Self {
        Self {
            parallel: true,
            reason: reason.into(),
            span: None,
            remedy: None,
        }
    }

    /// Does not, and why.
    pub fn sequential(reason: impl Into<String>) -> Self {
        Self {
            parallel: false,
            ..Self::parallel(reason)
        }
    }

    /// With what decides.
    #[must_use]
    pub fn at(self, span: Option<Span>) -> Self {
        Self { span, ..self }
    }

    /// With what the user could write.
    #[must_use]
    pub fn remedy(self, remedy: impl Into<String>) -> Self {
        let remedy = Some(remedy.into());
        Self { remedy, ..self }
    }
}
